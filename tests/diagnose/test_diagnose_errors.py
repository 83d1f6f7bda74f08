"""From error texts to rules, places and fixes; what a saved diagnosis proves; the command line; the pytest plugin."""

from __future__ import annotations

import importlib.metadata
import io
import json
import multiprocessing
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from codemods import commands
from codemods.diagnose.causes import cause_of
from codemods.diagnose.tracebacks import read_traceback
from codemods.settings import Settings
from codemods.transforms import rules
from harness import tool
from harness.case import ROOT
from harness.each_row import each_row

pytest_plugins = ["pytester"]

LOCAL = "DataCore.setup_data.<locals>.<lambda>"


@each_row(
    ("error", "rule", "kind", "name"),
    [
        (f"AttributeError: Can't pickle local object '{LOCAL}'", "lambdas", "", LOCAL),
        (f"AttributeError: Can't get local object '{LOCAL}'", "lambdas", "", LOCAL),
        (f"_pickle.PicklingError: Can't pickle local object <function {LOCAL} at 0x7f2a>", "lambdas", "", LOCAL),
        (
            "AttributeError: Can't pickle local object 'get_dataset.<locals>.Dataset'",
            "lambdas",
            "",
            "get_dataset.<locals>.Dataset",
        ),
        (
            "PicklingError: Can't pickle <function <lambda> at 0x7f11>: attribute lookup <lambda> on __main__ failed",
            "lambdas",
            "",
            "<lambda>",
        ),
        (
            "_pickle.PicklingError: Can't pickle <function <lambda> at 0x1>: it's not found as __main__.<lambda>",
            "lambdas",
            "",
            "<lambda>",
        ),
        ("_pickle.PicklingError: Can't pickle <function f at 0x1>: it's not the same object as m.f", None, "", "f"),
        ("TypeError: cannot pickle 'dict_keys' object", "dict-views", "dict_keys", ""),
        ("TypeError: can't pickle dict_keys objects", "dict-views", "dict_keys", ""),
        ("TypeError: can't pickle odict_values objects", "dict-views", "odict_values", ""),
        ("TypeError: cannot pickle '_thread.RLock' object", "unpicklable-attributes", "_thread.RLock", ""),
        ("TypeError: can't pickle _thread.RLock objects", "unpicklable-attributes", "_thread.RLock", ""),
        ("TypeError: cannot serialize '_io.TextIOWrapper' object", "unpicklable-attributes", "TextIOWrapper", ""),
        ("TypeError: cannot pickle 'TextIOWrapper' instances", "unpicklable-attributes", "TextIOWrapper", ""),
        ("TypeError: h5py objects cannot be pickled", "unpicklable-attributes", "h5py", ""),
        ("TypeError: cannot pickle 'Environment' object", "unpicklable-attributes", "Environment", ""),
        ("TypeError: cannot pickle 'generator' object", "unpicklable-attributes", "generator", ""),
        ("TypeError: can't pickle module objects", "unpicklable-attributes", "module", ""),
        (
            "TypeError: cannot pickle 'weakref.ReferenceType' object",
            "unpicklable-attributes",
            "weakref.ReferenceType",
            "",
        ),
        (
            "TypeError: cannot pickle 'torch._C._distributed_c10d.ProcessGroup' object",
            "model-deepcopy",
            "torch._C._distributed_c10d.ProcessGroup",
            "",
        ),
        ("TypeError: cannot pickle code objects", None, "code", ""),
        ("_pickle.PicklingError: logger cannot be pickled", None, "logger", ""),
        ("TypeError: cannot pickle 'itertools.cycle' object", "unpicklable-attributes", "itertools.cycle", ""),
        ("AttributeError: module '__mp_main__' has no attribute 'Late'", "main-guard", "", "Late"),
        ("AttributeError: 'Crops' object has no attribute '__crop'", None, "", "__crop"),
        ("RuntimeError: context has already been set", None, "", ""),
        ("AttributeError: Can't get attribute 'Net' on <module '__main__' (built-in)>", "main-guard", "", "Net"),
        (
            "ValueError: Error initializing torch.distributed: environment variable RANK expected, but not set",
            "dist-launcher",
            "",
            "RANK",
        ),
        ("train.py: error: unrecognized arguments: --local-rank=0", "dist-launcher", "", ""),
        ("KeyError: 'LOCAL_RANK'", "launcher-env", "", "LOCAL_RANK"),
    ],
)
def test_causes(error: str, rule: str | None, kind: str, name: str) -> None:
    cause = cause_of(error)
    assert cause is not None
    assert (cause.rule, cause.type, cause.name, cause.secondary) == (rule, kind, name, False)


@each_row("error", ["KeyError: 'car'", "ValueError: no samples", "loss: 0.3", "RuntimeError: CUDA out of memory"])
def test_other_errors_have_no_cause(error: str) -> None:
    assert cause_of(error) is None


FAILING = """
    import multiprocessing
    import sys


    class Config:
        def __init__(self, ranges):
            self.names = ranges.keys()


    class Loader:
        def __init__(self, fn):
            self.fn = fn


    def work(item):
        pass


    def build(what):
        if what == "view":
            return Config({"car": 1})
        return Loader(lambda x: x)


    def unrelated(rows):
        return sorted(rows, key=lambda row: row[0])


    def main():
        process = multiprocessing.Process(target=work, args=(build(sys.argv[1]),))
        process.start()
        process.join()


    if __name__ == "__main__":
        multiprocessing.set_start_method("spawn")
        main()
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(textwrap.dedent(FAILING).lstrip(), encoding="utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], check=True)
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "commit", "-q", "-m", "program"], check=True)
    return tmp_path


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def _spawnfix(*words: str, stdin: str = "") -> Done:
    """Run the command line in this process: starting one takes longer than most of what it does."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["spawnfix", *words])
        patch.setattr(commands, "app", tool.command())
        patch.setattr(sys, "stdin", given)
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as ended:
            commands.main()
    texts = []
    for stream in streams:
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    assert isinstance(ended.value.code, int)
    return Done(ended.value.code, *texts)


def _traceback(what: str) -> str:
    done = subprocess.run([sys.executable, "train.py", what], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.slow
@pytest.mark.in_process
def test_the_parents_error_is_told_from_the_childs_echo(failing: Path) -> None:
    parent = _traceback("view")
    child = textwrap.dedent("""
        Traceback (most recent call last):
          File "<string>", line 1, in <module>
          File "/usr/lib/python3.9/multiprocessing/spawn.py", line 126, in _main
            self = reduction.pickle.load(from_parent)
        EOFError: Ran out of input
    """)
    for text in (parent, parent + child, child + parent, textwrap.indent(parent + child, "[rank0]: ")):
        read = read_traceback(text)
        assert read is not None
        assert read.error == "TypeError: cannot pickle 'dict_keys' object"
        assert [(frame.name, frame.line) for frame in read.frames if frame.user] == [("<module>", 37), ("main", 31)]
    only = read_traceback(child)
    assert only is not None and only.cause.secondary
    assert read_traceback("nothing\nof the kind\n") is None


# what Python 3.14.10 says below the frames, in programs that use its default, forkserver
_FRAMES = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    p.start()\n    ~~~~~~~^^\n'
_HERE = """
when serializing Holder state
when serializing Holder object
when serializing tuple item 0
when serializing dict item '_args'
when serializing multiprocessing.context.Process state
when serializing multiprocessing.context.Process object
"""
_POOL = """
when serializing Holder state
when serializing Holder object
when serializing tuple item 0
when serializing tuple item 1
when serializing tuple item 0
when serializing tuple item 3
"""


@each_row(
    ("text", "path", "attributes"),
    [
        (
            "TypeError: cannot pickle 'dict_keys' object\nwhen serializing dict item 'names'" + _HERE,
            "Process._args[0].names",
            ("names", "_args"),
        ),
        (
            "TypeError: cannot pickle '_thread.lock' object\nwhen serializing dict item 'inner'\n"
            "when serializing tuple item 1\nwhen serializing data.Slots state\nwhen serializing data.Slots object\n"
            "when serializing dict item 'value'" + _HERE,
            "Process._args[0].value.inner",
            ("inner", "value", "_args"),
        ),
        (
            "_pickle.PicklingError: Can't pickle local object <class 'data.build.<locals>.Dataset'>\n"
            "when serializing data.build.<locals>.Dataset class\nwhen serializing data.build.<locals>.Dataset object\n"
            "when serializing dict item 'd'\nwhen serializing dict item 'value'" + _POOL,
            "task[3][0][1][0].value['d']",
            ("d", "value"),
        ),
        (
            "_pickle.PicklingError: Can't pickle local object <function build.<locals>.<lambda> at 0x7f0d636c7690>\n"
            "when serializing list item 2\nwhen serializing data.Config item 'np'\nwhen serializing dict item 'value'"
            + _HERE,
            "Process._args[0].value['np'][2]",
            ("np", "value", "_args"),
        ),
        (
            "TypeError: cannot pickle 'module' object\nwhen serializing tuple item 1\n"
            "when serializing data.Reduces reconstructor arguments\nwhen serializing data.Reduces object\n"
            "when serializing dict item 'value'" + _HERE,
            "",
            ("value", "_args"),
        ),
    ],
)
def test_notes_of_python_3_14(text: str, path: str, attributes: tuple[str, ...]) -> None:
    frames = (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    p.start()\n    ~~~~~~~^^\n'
    )
    read = read_traceback(frames + text)
    assert read is not None and (read.path, read.attributes) == (path, attributes)
    assert read.error == text.partition("\n")[0]


_CHILD = """Traceback (most recent call last):
  File "/usr/lib/python3.14/multiprocessing/forkserver.py", line 393, in _serve_one
    code = spawn._main(child_r, parent_sentinel)
  File "/usr/lib/python3.14/multiprocessing/spawn.py", line 132, in _main
    self = reduction.pickle.load(from_parent)
"""
_RESET = """Traceback (most recent call last):
  File "/home/u/train.py", line 4, in <module>
    p.start(); p.join()
    ~~~~~~~^^
  File "/usr/lib/python3.14/multiprocessing/connection.py", line 417, in _recv
    chunk = read(handle, to_read)
ConnectionResetError: [Errno 104] Connection reset by peer
"""
_NO_GUARD = """Traceback (most recent call last):
  File "/usr/lib/python3.14/multiprocessing/spawn.py", line 140, in _check_not_importing_main
    raise RuntimeError('''
    ...<16 lines>...
    ''')
RuntimeError:
        An attempt has been made to start a new process before the
        current process has finished its bootstrapping phase.

            if __name__ == '__main__':
                freeze_support()
                ...

        The "freeze_support()" line can be omitted if the program
        is not going to be frozen to produce an executable.
"""


@each_row(
    ("text", "rule", "name", "secondary"),
    [
        (_CHILD + "AttributeError: module '__mp_main__' has no attribute 'Late'\n", "main-guard", "Late", False),
        (_CHILD + "AttributeError: module 'pkg.data' has no attribute 'Late'\n", None, "Late", False),
        (_CHILD + "AttributeError: 'Crops' object has no attribute '__crop'\n", None, "__crop", False),
        (_RESET, None, "", True),
        (_NO_GUARD + _RESET, "main-guard", "", False),
    ],
)
def test_children_of_python_3_14(text: str, rule: str | None, name: str, secondary: bool) -> None:
    read = read_traceback(text)
    assert read is not None
    assert (read.cause.rule, read.cause.name, read.cause.secondary) == (rule, name, secondary)
    if rule == "main-guard" and not name:
        assert read.error.endswith("before the current process has finished its bootstrapping phase.")
    for other in (
        "AttributeError: module 'numpy' has no attribute 'bool'\n",
        "ConnectionResetError: [Errno 104] Connection reset by peer\n",
    ):
        assert (
            read_traceback('Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x()\n' + other) is None
        )


def test_explain_goes_from_the_error_to_the_fix(failing: Path) -> None:
    done = _spawnfix("explain", "TypeError: cannot pickle 'dict_keys' object", ".")
    assert done.returncode == 0, done.stderr
    assert "dict-views" in done.stdout and "train.py:7" in done.stdout
    assert "+        self.names = list(ranges.keys())" in done.stdout
    assert "spawnfix migrate . --select dict-views" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "line", "other"), [("view", "train.py:7", "train.py:22"), ("lambda", "train.py:22", "train.py:26")]
)
def test_a_piped_traceback(failing: Path, what: str, line: str, other: str) -> None:
    done = _spawnfix("diagnose", "-", stdin=_traceback(what))
    assert done.returncode == 1, done.stderr
    assert line in done.stdout and other not in done.stdout
    assert "apply it: spawnfix migrate . --select" in done.stdout
    assert "it was sent from train.py:31" in done.stdout
    data = json.loads(_spawnfix("diagnose", "-", "--format", "json", stdin=_traceback(what)).stdout)
    (problem,) = data["problems"]
    assert data["picklable"] is False and f"{problem['assigned_at']['path']}:{problem['assigned_at']['line']}" == line


def test_explain_still_explains_rules_and_says_what_it_does_not_know(failing: Path) -> None:
    assert "What it finds" in _spawnfix("explain", "dict-views").stdout
    assert _spawnfix("explain", "DataLoader").stdout.startswith("torch.utils.data.DataLoader\n")
    assert "did you mean 'dict-views'" in _spawnfix("explain", "dict-view").stderr
    done = _spawnfix("explain", "KeyError: 'car'", ".")
    assert done.returncode == 2 and "no error in this text" in done.stderr


@pytest.mark.slow
def test_json_is_the_contract(failing: Path) -> None:
    done = _spawnfix("diagnose", "train.py:build('view')", "--format", "json")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["target"] == "train.py:build('view')" and data["picklable"] is False
    (problem,) = data["problems"]
    assert problem["path"] == "build('view').names" and problem["type"] == "dict_keys"
    assert problem["error"] == "TypeError: cannot pickle 'dict_keys' object" and problem["rule"] == "dict-views"
    assert problem["assigned_at"] == {"path": "train.py", "line": 7}
    assert isinstance(problem["payload_bytes"], int)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["train.py:work"], 0),
        (["train.py:build('lambda')"], 1),
        (["train.py:nothing"], 2),
        (["train.py"], 2),
        (["--dry-run-fork", "train.py:work"], 2),
        (["train.py:work", "train.py:build"], 2),
        (["--", sys.executable, "-c", "pass"], 0),
        (["--", sys.executable, "-c", "raise SystemExit(3)"], 2),
        (["--", sys.executable, "train.py", "view"], 1),
        (["--", "./gone"], 2),
    ],
)
def test_exit_codes(failing: Path, words: list[str], code: int) -> None:
    done = _spawnfix("diagnose", *words)
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.slow
def test_what_was_seen_is_proven(failing: Path) -> None:
    """From the error to a program that runs: diagnose, migrate with what it saw, run."""
    (failing / "train.py").write_text(
        textwrap.dedent(
            """
            import importlib
            import multiprocessing


            class Table:
                def __init__(self, ranges):
                    self.names = ranges.keys()


            class Other:
                def __init__(self, ranges):
                    self.names = ranges.keys()


            def work(table):
                print(sorted(table.names), flush=True)


            def build():
                table = getattr(importlib.import_module(__name__), "Ta" + "ble")
                return table({"car": 1, "bus": 2})


            def main():
                process = multiprocessing.get_context("spawn").Process(target=work, args=(build(),))
                process.start()
                process.join()


            if __name__ == "__main__":
                main()
            """
        ),
        encoding="utf-8",
    )
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "commit", "-q", "-a", "-m", "hidden"], check=True)
    assert "cannot pickle 'dict_keys' object" in _traceback("")
    saved = _spawnfix("diagnose", "--save", "../d.json", "--", sys.executable, "train.py")
    assert saved.returncode == 1 and "spawnfix migrate . --from ../d.json" in saved.stdout, saved.stderr
    assert _spawnfix("migrate", ".", "--dry-run", "--confidence", "proven").stdout == ""
    done = _spawnfix("migrate", ".", "--from", "../d.json", "--confidence", "proven")
    assert done.returncode == 0, done.stderr
    text = (failing / "train.py").read_text(encoding="utf-8")
    assert text.count("self.names = list(ranges.keys())") == 1 and text.index("list(") < text.index("class Other")
    log = subprocess.run(["git", "log", "-1", "--format=%B"], capture_output=True, text=True, check=True).stdout
    assert "seen at run time: Process.args[0].names" in log
    after = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert (after.returncode, after.stdout) == (0, "['bus', 'car']\n"), after.stderr


ARTICLE = """
    import logging
    import multiprocessing
    import sys
    import threading


    class Dataset:
        def __init__(self, name):
            self.name = name
            self.logger = logging.getLogger("mmcv")
            self.handler = logging.StreamHandler(sys.stdout)
            self.lock = threading.RLock()

        def load(self, index):
            with self.lock:
                self.handler.handle(logging.makeLogRecord({"msg": f"{self.logger.name} {self.name} {index}"}))


    def build_dataset():
        return Dataset("nuscenes")


    def work(dataset):
        dataset.load(3)


    if __name__ == "__main__":
        process = multiprocessing.get_context("spawn").Process(target=work, args=(build_dataset(),))
        process.start()
        process.join()
"""


@pytest.mark.slow
def test_the_lock_of_a_logging_handler_from_error_to_a_program_that_runs(failing: Path) -> None:
    """The third article: `cannot pickle '_thread.RLock' object`, and nothing says whose. A logger itself is fine."""
    (failing / "train.py").write_text(textwrap.dedent(ARTICLE).lstrip(), encoding="utf-8")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "commit", "-q", "-a", "-m", "logging"], check=True)
    assert "_thread.RLock" in _traceback("")
    done = _spawnfix("diagnose", "train.py:build_dataset()", "--format", "json", "--save", "../d.json")
    found = {row["path"]: (row["rule"], row["assigned_at"]["line"]) for row in json.loads(done.stdout)["problems"]}
    assert found == {
        "build_dataset().handler.lock": ("unpicklable-attributes", 11),
        "build_dataset().handler.stream": ("unpicklable-attributes", 11),
        "build_dataset().lock": ("unpicklable-attributes", 12),
    }
    migrated = _spawnfix("migrate", ".", "--from", "../d.json")
    assert migrated.returncode == 0, migrated.stderr
    after = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert (after.returncode, after.stdout) == (0, "mmcv nuscenes 3\n"), after.stderr
    assert _spawnfix("diagnose", "train.py:build_dataset()").returncode == 0


@pytest.mark.parametrize("text", ["{}", "[1]", "no json", '{"problems": [{}]}'])
def test_a_report_that_is_none(failing: Path, text: str) -> None:
    (failing / "d.json").write_text(text, encoding="utf-8")
    done = _spawnfix("migrate", ".", "--dry-run", "--from", "d.json")
    assert done.returncode == 2 and "not written by spawnfix diagnose --save" in done.stderr


def test_the_settings_of_others_are_not_touched() -> None:
    assert Settings().proven == () and "dict-views" in rules()


# ---------------------------------------------------------------- pytest


def _plugin() -> list[str]:
    """How to name the plugin: by its entry point where the project is installed."""
    points = importlib.metadata.entry_points(group="pytest11")
    return [] if any(point.name == "spawnfix" for point in points) else ["-p", "spawnfix_pytest"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester


@pytest.mark.slow
def test_assert_spawn_safe(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import multiprocessing

        from spawnfix_pytest import assert_spawn_safe as check


        class Dataset:
            def __init__(self, fn):
                self.fn = fn
                self.lock = multiprocessing.Lock()  # made for fork, where that is the default


        def double(x):
            return 2 * x


        def test_good(assert_spawn_safe):
            assert_spawn_safe(Dataset(double))


        def test_bad():
            check(Dataset(lambda x: x), "dataset")
        """
    )
    done = suite.runpytest_subprocess(*_plugin())
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*dataset.fn: *: Can't * local object *test_bad.<locals>.<lambda>*"])
    assert "SemLock" not in done.stdout.str()


@pytest.mark.slow
def test_every_loader_of_a_suite_is_checked(suite: pytest.Pytester) -> None:
    pytest.importorskip("torch")
    suite.makepyfile(
        """
        import multiprocessing

        import pytest
        from torch.utils.data import DataLoader


        @pytest.fixture
        def loader():
            return DataLoader([1, 2], num_workers=1, collate_fn=lambda batch: batch)


        def test_fixture(loader):
            assert len(loader) == 2


        def test_good():
            assert len(DataLoader([1, 2])) == 2


        def test_body():
            DataLoader([lambda: 1], num_workers=1)


        def test_without_workers_nothing_is_sent():
            DataLoader([lambda: 1], num_workers=0)


        def test_mixed():
            lock = multiprocessing.get_context("fork").Lock()
            DataLoader([lock], num_workers=1, multiprocessing_context="spawn")


        def test_one_method():
            DataLoader([multiprocessing.Lock()], num_workers=1)
        """
    )
    done = suite.runpytest_subprocess(*_plugin(), "--spawnfix")
    mixed = hasattr(multiprocessing.Lock(), "_is_fork_ctx")  # older Pythons don't notice
    done.assert_outcomes(passed=3 if mixed else 4, failed=3 if mixed else 2)
    done.stdout.fnmatch_lines(["*DataLoader.collate_fn: *", "*DataLoader.dataset[[]0]: *"])


THIRD = """
    import multiprocessing
    import threading


    class Dataset:
        def __init__(self, name):
            self.name = name
            self.lock = threading.RLock()

        def load(self, index):
            with self.lock:
                return f"{self.name} {index}"


    def build_dataset():
        return Dataset("nuscenes")


    if __name__ == "__main__":
        process = multiprocessing.get_context("spawn").Process(target=build_dataset().load, args=(3,))
        process.start()
        process.join()
        print("exit code", process.exitcode)
"""


@pytest.mark.slow
def test_the_third_article_from_error_to_a_program_that_runs(failing: Path) -> None:
    (failing / "train.py").write_text(textwrap.dedent(THIRD).lstrip(), encoding="utf-8")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "commit", "-q", "-a", "-m", "locked"], check=True)
    assert "_thread.RLock" in _traceback("")
    seen = _spawnfix("diagnose", "train.py:build_dataset()", "--save", "../d.json")
    assert seen.returncode == 1 and "build_dataset().lock" in seen.stdout and "train.py:8" in seen.stdout
    assert _spawnfix("migrate", ".", "--from", "../d.json").returncode == 0
    after = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert (after.returncode, after.stdout) == (0, "exit code 0\n"), after.stderr


@pytest.mark.slow
@pytest.mark.in_process
def test_a_text_that_never_begins_anew_keeps_the_last_frames() -> None:
    frame = '  File "/a/b.py", line {}, in f\n    x = y\n'
    text = "".join(frame.format(n) + "TypeError: cannot pickle 'dict_keys' object\n" for n in range(1, 3001))
    found = read_traceback(text + "noise " * 100_000)
    assert found is not None and found.cause.rule == "dict-views"
    assert [found.frames[0].line, found.frames[-1].line] == [2001, 3000]
