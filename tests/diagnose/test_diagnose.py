"""diagnose: the probe on every interpreter that is here, in children, in programs; sizes, bounds, no side effects."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import textwrap
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

from codemods.diagnose import probe
from codemods.diagnose.run import _nothing_sent as nothing_sent
from codemods.diagnose.run import diagnose_run, diagnose_target
from codemods.problem import Problem
from harness.case import ROOT
from harness.each_row import each_row

_OURS = f"{sys.version_info[0]}.{sys.version_info[1]}"
_VERSIONS = [f"3.{minor}" for minor in range(7, 15)]
_OBJECTS = ROOT / "benchmarks" / "nasty_objects.py"

_spec = importlib.util.spec_from_file_location("nasty_objects", _OBJECTS)
assert _spec and _spec.loader
nasty = importlib.util.module_from_spec(_spec)
sys.modules["nasty_objects"] = nasty
_spec.loader.exec_module(nasty)


def _interpreters() -> dict[str, str]:
    """Every Python from 3.7 on that is found here, by version: ours, those on PATH and those of pyenv."""
    found = {}
    roots = [Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"]
    for version in _VERSIONS:
        own = [str(path) for root in roots for path in sorted(root.glob(f"{version}.*/bin/python"))]
        path = shutil.which(f"python{version}")  # pyenv puts programs there that may fail
        if own:
            found[version] = own[0]
        elif path and subprocess.run([path, "-I", "-S", "-c", ""], capture_output=True, check=False).returncode == 0:
            found[version] = path
    found[_OURS] = sys.executable
    return found


_FOUND = _interpreters()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(folder: Path, text: str, name: str = "train.py") -> None:
    (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")


def _lines(obj: Any) -> list[tuple[str, int | None]]:
    return [(each.path, each.assigned_at and each.assigned_at.line) for each in obj.obstacles]


def test_says_which_interpreters_are_missing() -> None:
    missing = [version for version in _VERSIONS if version not in _FOUND]
    if missing:
        warnings.warn(f"the probe is not tested on Python {', '.join(missing)}: not found here", stacklevel=1)
    assert _OURS in _FOUND


@pytest.mark.parametrize(
    "version",
    [
        *sorted(_FOUND, key=lambda each: int(each.partition(".")[2])),
    ],
)
@pytest.mark.slow
def test_names_every_bad_path_on_every_python(version: str, tmp_path: Path) -> None:
    shutil.copy(probe.__file__, tmp_path / "_spawnfix_probe.py")
    shutil.copy(_OBJECTS, tmp_path)
    _write(
        tmp_path,
        """
        import json
        import sys

        import _spawnfix_probe
        import nasty_objects

        if __name__ == "__main__":
            wrong = {}
            for name, (make, wanted) in nasty_objects.OBJECTS.items():
                result = _spawnfix_probe.diagnose(make(), "obj", child="in the child" in name)
                got = {row["path"] for row in result["problems"]}
                if wanted is not None and (got != wanted or result["unfinished"]):
                    wrong[name] = [sorted(got), sorted(wanted), result["unfinished"]]
            print(json.dumps([len(nasty_objects.OBJECTS), wrong]))
        """,
        "look.py",
    )
    done = subprocess.run(
        [_FOUND[version], "look.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    count, wrong = json.loads(done.stdout.splitlines()[-1])
    assert count >= 25 and not wrong


DATASET = """
    import threading


    class Config:
        def __init__(self, ranges):
            self.names = ranges.keys()


    class Dataset:
        def __init__(self):
            self.lock = None
            self.cfg = Config({"car": 50})
            self.tfm = [lambda x: x]
            self.lock = threading.Lock()


    def build_dataset(n=1):
        return Dataset()


    class Holder:
        dataset = Dataset()
        parts = [Dataset()]


    holder = Holder()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "root"),
    [
        ("pkg.data:build_dataset()", "build_dataset()"),
        ("pkg.data:build_dataset(n=2)", "build_dataset(n=2)"),
        ("pkg/data.py:build_dataset()", "build_dataset()"),
        ("pkg.data:holder.dataset", "dataset"),
        ("pkg.data:holder.parts[0]", "parts[0]"),
    ],
)
def test_targets(folder: Path, target: str, root: str) -> None:
    (folder / "pkg").mkdir()
    _write(folder, DATASET, "pkg/data.py")
    done = diagnose_target(target, child=False)
    assert _lines(done) == [(f"{root}.lock", 15), (f"{root}.cfg.names", 7), (f"{root}.tfm[0]", 14)]
    assert {each.rule for each in done.obstacles} == {"unpicklable-attributes", "dict-views", "lambdas"}
    assert all(each.assigned_at and each.assigned_at.shown == "pkg/data.py" for each in done.obstacles)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nothing_here:x", "No module named 'nothing_here'"),
        ("train:absent", "train has no 'absent'"),
        ("train.py:Late()", "if __name__ == '__main__'"),
        ("train.py:1 / 0", "ZeroDivisionError"),
        ("train.py:a b", "no Python expression"),
        ("gone.py:x", "No such file"),
        ("train.py:stop()", "SystemExit"),
    ],
)
def test_what_could_not_be_had_is_said(folder: Path, target: str, words: str) -> None:
    _write(folder, "import sys\ndef stop():\n    sys.exit(3)\nif __name__ == '__main__':\n    class Late: pass\n")
    with pytest.raises(Problem, match=words):
        diagnose_target(target)


@pytest.mark.slow
def test_what_was_not_called_is_said(folder: Path) -> None:
    _write(folder, "class Rows:\n    def __init__(self, root, *, n=1, **more): ...\n\ndef build(n=1):\n    return {}\n")
    _, python = min(_FOUND.items(), key=lambda row: int(row[0].partition(".")[2]))
    for each in (sys.executable, python):
        (note,) = diagnose_target("train.py:build", each, child=False).notes
        assert note.endswith('the function build itself. To look at what it gives, call it: "train.py:build()"')
    (note,) = diagnose_target("train.py:Rows", child=False).notes
    assert note.endswith('call it, with values for what it needs: "train.py:Rows(root)"')
    assert not diagnose_target("train.py:build()", child=False).notes


@each_row(
    ("target", "says"),
    [
        (" train.py:main() ", "main() returned nothing that could be sent. To look at what the program sends when it "
         "runs: spawnfix diagnose --watch -- python train.py"),
        ("a b.py:main(1)", "main(1) returned nothing that could be sent. To look at what the program sends when it "
         "runs: spawnfix diagnose --watch -- python 'a b.py'"),
        ("train.py:nothing", None),
        ("lab.train:main()", None),
    ],
)  # fmt: skip
def test_a_hint_for_a_call_of_a_script(target: str, says: str | None) -> None:
    """What is no call may be None on purpose, and a module is no program that could be watched."""
    assert nothing_sent(target) == ([] if says is None else [says])


@pytest.mark.slow
def test_a_call_that_returns_nothing_leads_to_the_program(folder: Path) -> None:
    _write(folder, "def main():\n    print('trained')\n\ndef build():\n    return []\n\nnothing = None\n")
    (note,) = diagnose_target("train.py:main()", child=False).notes
    assert note.startswith("main() returned nothing")
    assert note.endswith("spawnfix diagnose --watch -- python train.py")
    assert not diagnose_target("train.py:build()", child=False).notes
    assert not diagnose_target("train.py:nothing", child=False).notes


@pytest.mark.slow
def test_python_names_the_interpreter(folder: Path) -> None:
    _write(folder, "import sys\nversion = {'v': sys.version_info[:2], 'f': lambda: 0}\n")
    version, python = min(_FOUND.items(), key=lambda row: int(row[0].partition(".")[2]))
    done = diagnose_target("train.py:version", python)
    assert done.python.startswith(version + ".") and [each.path for each in done.obstacles] == ["version['f']"]
    with pytest.raises(Problem, match="no interpreter called"):
        diagnose_target("train.py:version", "no-such-python")


CHILD = """
    import functools


    class Crops:
        def __init__(self):
            self.fn = self.__crop

        def __crop(self, image):
            return image


    class Reader:
        def __init__(self):
            self.path = "a"

        def __setstate__(self, state):
            raise OSError("the file is locked")


    class Dataset:
        def __init__(self):
            self.readers = {"left": [Reader()]}


    def late():
        made = type("Late", (), {})
        made.__module__ = __name__
        globals()["Late"] = made
        return [made()]


    fine = functools.partial(Crops)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "path", "error", "rule"),
    [
        ("train.py:Crops()", "Crops().fn", "AttributeError: 'Crops' object has no attribute '__crop'", None),
        ("train.py:Dataset()", "Dataset().readers['left'][0]", "OSError: the file is locked", None),
        ("train.py:late()", "late()[0]", "AttributeError: Can't get attribute 'Late'", "main-guard"),
        ("train:late()", "late()[0]", "AttributeError: Can't get attribute 'Late'", None),
    ],
)
def test_what_only_fails_in_the_child(folder: Path, target: str, path: str, error: str, rule: str | None) -> None:
    _write(folder, CHILD)
    (each,) = diagnose_target(target).obstacles
    assert (each.path, each.side, each.rule) == (path, "child", rule)
    assert each.error.startswith(error)


@pytest.mark.slow
def test_a_child_that_starts_processes_again_is_seen(folder: Path) -> None:
    _write(
        folder,
        """
        import multiprocessing

        class Dataset:
            pass

        def work(dataset):
            pass

        dataset = Dataset()
        if multiprocessing.current_process().name != "MainProcess":  # as it is in a program without a guard
            multiprocessing.Process(target=work, args=(dataset,)).start()
        """,
    )
    (each,) = diagnose_target("train.py:dataset").obstacles
    assert each.rule == "main-guard" and each.side == "child"
    assert each.assigned_at is not None and (each.assigned_at.shown, each.assigned_at.line) == ("train.py", 12)


@pytest.mark.slow
def test_what_a_child_can_make_is_no_problem(folder: Path) -> None:
    _write(folder, CHILD)
    assert diagnose_target("train.py:fine").obstacles == ()


@pytest.mark.slow
def test_two_gigabytes_are_counted_not_copied(folder: Path) -> None:
    resource = pytest.importorskip("resource")
    _write(
        folder,
        """
        import mmap


        class Dataset:
            def __init__(self):
                self.blob = bytes(2 << 30)
                self.rows = [bytes(1 << 20)] * 10 + [{"path": "%d.png" % n} for n in range(200000)]
                self.fn = lambda x: x
        """,
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = diagnose_target("train.py:Dataset()", seconds=60)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert [each.path for each in done.obstacles] == ["Dataset().fn"] and done.unfinished is None
    assert 2 << 30 < done.payload_bytes < (2 << 30) + (100 << 20)
    assert done.payload[0].path == "Dataset().blob"
    assert peak == before or peak * 1024 < (1 << 30), "the zeros of the blob, which nobody touched, were read or copied"


def test_time_is_bounded() -> None:
    class Slow:
        def __reduce__(self) -> Any:
            import time

            time.sleep(0.05)
            return (int, ())

    result, _ = probe.examine([Slow() for _ in range(2000)], "obj", seconds=1.0)
    assert result["unfinished"] == "stopped after 1 seconds; what is left was not looked at"


@pytest.mark.slow
def test_depth_is_bounded_and_said() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    limit = sys.getrecursionlimit()
    result, _ = probe.examine(nasty.Box(chain=nested), "obj")
    assert [row["path"] for row in result["problems"]] == ["obj.chain"]
    assert result["problems"][0]["error"].startswith("RecursionError")
    assert result["problems"][0]["error"].endswith("by [0])")
    assert sys.getrecursionlimit() == limit
    while nested:
        nested = nested.pop()  # a nest this deep can't be freed at once on old Pythons


def test_many_alike_are_counted() -> None:
    result, _ = probe.examine([lambda: 0 for _ in range(1000)], "obj")
    assert len(result["problems"]) == probe.MAX_ALIKE
    assert {row["more"] for row in result["problems"]} == {1000 - probe.MAX_ALIKE}


@pytest.mark.slow
@pytest.mark.in_process
def test_paths_can_be_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_assigned", lambda frame: None)  # reads all modules; the paths do not depend on it
    for name, (make, _) in nasty.OBJECTS.items():
        if name == "generator that only __getstate__ gives":
            continue  # there is no such attribute
        obj = make()
        for row in probe.examine(obj, "obj", children=False)[0]["problems"]:
            eval(row["path"], {"obj": obj, "list": list})


def test_an_array_of_objects() -> None:
    numpy = pytest.importorskip("numpy")
    rows = numpy.empty((2, 2), dtype=object)
    rows[1, 0] = lambda: 0
    result, _ = probe.examine({"rows": rows, "big": numpy.zeros(1 << 20)}, "obj")
    (problem,) = result["problems"]
    assert problem["path"] == "obj['rows'].flat[2]"
    assert result["payload"] == [{"path": "obj['big']", "bytes": (8 << 20) + 120, "shared_bytes": 0}]


@pytest.mark.slow
@pytest.mark.in_process
def test_looking_leaves_no_traces() -> None:
    import multiprocessing.context

    obj = nasty.Box(a=[nasty.DropsLock()], lock=nasty.threading.Lock())
    before = dict(vars(obj))
    state = sys.getrecursionlimit(), multiprocessing.context.get_spawning_popen(), len(sys.meta_path)
    probe.examine(obj, "obj")
    assert vars(obj) == before
    assert (sys.getrecursionlimit(), multiprocessing.context.get_spawning_popen(), len(sys.meta_path)) == state


# ---------------------------------------------------------------- with torch, h5py


LOADER = """
    import logging

    import h5py
    import torch
    from torch.utils.data import DataLoader, Dataset


    class Images(Dataset):
        def __init__(self, path):
            self.data = torch.zeros(1000, 1000)
            self.cached = torch.zeros(3, requires_grad=True) * 2
            self.file = h5py.File(path, "r")
            self.logger = logging.getLogger("mmcv")
            self.handler = logging.StreamHandler()
            self.transforms = [lambda image: image]

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return torch.zeros(2)


    def build_loader():
        with h5py.File("images.h5", "a"):
            pass
        return DataLoader(
            Images("images.h5"), num_workers=2, collate_fn=lambda batch: batch, worker_init_fn=lambda n: None
        )


    if __name__ == "__main__":
        print(len(list(build_loader())), "batches")
"""
LOADER_PATHS = [
    "collate_fn",
    "dataset.cached",
    "dataset.file",
    "dataset.handler.lock",
    "dataset.handler.stream",
    "dataset.transforms[0]",
    "worker_init_fn",
]


@pytest.mark.slow
def test_a_real_loader(folder: Path) -> None:
    _write(folder, LOADER)
    done = diagnose_target("train.py:build_loader()")
    assert sorted(each.path for each in done.obstacles) == [f"build_loader().{path}" for path in LOADER_PATHS]
    lines = {each.path.rpartition(".")[2]: each.assigned_at.line for each in done.obstacles if each.assigned_at}
    assert lines["file"] == 13 and lines["lock"] == 15 and lines["transforms[0]"] == 16
    assert done.shared_bytes >= 4_000_000 > done.payload_bytes


@pytest.mark.slow
def test_a_real_loader_under_fork_runs_as_ever_and_is_looked_at(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if sys.platform in ("win32", "darwin") or sys.version_info >= (3, 14):
        pytest.skip("no fork by default")
    _write(folder, LOADER)
    done = diagnose_run([sys.executable, "train.py"], dry_run=True)
    assert capfd.readouterr().out == "4 batches\n"
    assert sorted(each.path for each in done.obstacles) == [f"DataLoader.{path}" for path in LOADER_PATHS]
    assert done.exit_code == 0
    assert {each.started_at and each.started_at.line for each in done.obstacles} == {34}


@pytest.mark.slow
def test_tensors_stay_where_they_are() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(300, 300)
    obj = types.SimpleNamespace(model=model, rows=[torch.zeros(5) for _ in range(100)])
    result = probe.diagnose(obj, "obj")
    assert not result["problems"] and result["shared_bytes"] > 300 * 300 * 4
    assert not any(each.is_shared() for each in [*model.parameters(), *obj.rows])


# ---------------------------------------------------------------- programs that run


PROGRAM = """
    import multiprocessing
    import sys
    import threading
    from concurrent.futures import ProcessPoolExecutor


    class Job:
        def __init__(self):
            self.lock = threading.Lock()
            self.fns = [lambda x: x + 1]


    def work(job):
        print("worked", job.fns[0](1), flush=True)


    def main(method, what):
        multiprocessing.set_start_method(method)
        if what == "process":
            process = multiprocessing.Process(target=work, args=(Job(),))
            process.start()
            process.join()
        elif what == "pool":
            with multiprocessing.Pool(1, initializer=lambda: None) as pool:
                print(pool.map(abs, [1]))
        elif what == "task":
            with ProcessPoolExecutor(1) as pool:
                print(pool.submit(work, Job()).result())
        elif what == "guarded":
            process = multiprocessing.Process(target=work, args=(Guarded(),))
            process.start()
            process.join()
            sys.exit(process.exitcode)


    if __name__ == "__main__":
        class Guarded:
            pass

        main(*sys.argv[1:3])
"""


@pytest.mark.parametrize(
    ("what", "paths"),
    [
        ("process", ["Process.args[0].fns[0]", "Process.args[0].lock"]),
        ("pool", ["Pool.initializer"]),
        ("guarded", ["Guarded"]),
    ],
)
@pytest.mark.slow
@pytest.mark.parametrize(
    "version", sorted({min(_FOUND, key=lambda v: int(v[2:])), max(_FOUND, key=lambda v: int(v[2:]))})
)
def test_what_a_program_fails_to_send(folder: Path, version: str, what: str, paths: list[str]) -> None:
    _write(folder, PROGRAM)
    done = diagnose_run([_FOUND[version], "train.py", "spawn", what])
    assert sorted(each.path for each in done.obstacles) == paths


@pytest.mark.slow
def test_a_task_that_can_not_be_sent_even_under_fork(folder: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no fork")
    _write(folder, PROGRAM)
    done = diagnose_run([sys.executable, "train.py", "fork", "task"])
    assert {each.path.rpartition(".")[2] for each in done.obstacles} == {"lock", "fns[0]"}
    assert done.exit_code == 1


@pytest.mark.parametrize("what", ["process", "pool"])
@pytest.mark.slow
def test_dry_run_changes_nothing(folder: Path, capfd: pytest.CaptureFixture[str], what: str) -> None:
    if sys.platform == "win32":
        pytest.skip("no fork")
    _write(folder, PROGRAM)
    plain = subprocess.run([sys.executable, "train.py", "fork", what], capture_output=True, text=True, check=False)
    done = diagnose_run([sys.executable, "train.py", "fork", what], dry_run=True)
    shown = capfd.readouterr()
    assert (shown.out, shown.err, done.exit_code) == (plain.stdout, plain.stderr, plain.returncode)
    assert done.obstacles
    assert not diagnose_run([sys.executable, "train.py", "fork", what]).obstacles


@pytest.mark.slow
def test_the_programs_own_sitecustomize_still_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "site").mkdir()
    _write(folder, "print('theirs', flush=True)\n", "site/sitecustomize.py")
    _write(folder, "print('program')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder / "site"))
    done = diagnose_run([sys.executable, "-c", "import sys; sys.exit('sitecustomize' not in sys.modules or 4)"])
    assert done.exit_code == 4


def test_a_program_without_python_is_said(folder: Path) -> None:
    with pytest.raises(Problem, match="nothing was watched"):
        diagnose_run(["git", "--version"])
    with pytest.raises(Problem, match="No such file"):
        diagnose_run(["./no-such-program"])


@pytest.mark.slow
@pytest.mark.in_process
def test_copying_a_model_is_explained_by_the_error_it_ends_with(folder: Path) -> None:
    _write(
        folder,
        """
        import copy

        class ProcessGroup:
            def __reduce_ex__(self, protocol):
                raise TypeError("cannot pickle 'torch._C._distributed_c10d.ProcessGroup' object")

        copy.deepcopy([ProcessGroup()])
        """,
    )
    (each,) = diagnose_run([sys.executable, "train.py"]).obstacles
    assert each.rule == "model-deepcopy"
    assert each.assigned_at is not None and each.assigned_at.line == 6


NEW_CAUSES = """
import dataclasses
import sys


class Forwards:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


@dataclasses.dataclass(frozen=True)
class Frozen:
    __slots__ = ("x",)
    x: int


class Node:
    def __init__(self, after):
        self.after = after


def linked():
    head = None
    for _ in range(5000 if sys.version_info < (3, 14) else 100_000):  # from 3.14 on the size of the stack is the limit
        head = Node(head)
    return {"head": head}


def forwards():
    return [Forwards([1])]


def frozen():
    return {"p": Frozen(1)}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "path", "family", "words"),
    [
        ("forwards()", "forwards()[0]", "guardless-getattr", "(in __getattr__)"),
        ("frozen()", "frozen()['p']", "frozen-slots", "cannot assign to field 'x'"),
        ("linked()", "linked()['head']", "too-deep", "by .after"),
    ],
)
def test_causes_that_only_a_child_or_the_depth_shows(
    tmp_path: Path, target: str, path: str, family: str, words: str
) -> None:
    (tmp_path / "things.py").write_text(NEW_CAUSES, encoding="utf-8")
    (problem,) = diagnose_target(f"{tmp_path / 'things.py'}:{target}").obstacles
    assert problem.cause is not None
    assert (problem.path, problem.cause.family) == (path, family)
    assert words in problem.error


def test_an_interpreter_that_is_too_old_or_none(tmp_path: Path) -> None:
    python = tmp_path / "python"
    for says, words in (
        ("printf 3.6", "this is Python 3.6; an object can be looked at from 3.7 on"),
        ("true", "no Python"),
    ):
        python.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
        python.chmod(0o755)
        with pytest.raises(Problem, match=words):
            diagnose_target("things:x", str(python))
