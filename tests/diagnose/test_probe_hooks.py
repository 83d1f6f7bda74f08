"""The probe inside programs and children, in this process: what it is asked, what it writes, what it leaves alone."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods.diagnose import probe
from harness.each_row import each_row


@pytest.fixture(autouse=True)
def _main_module_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """`load` makes this process look like a spawned child: undo it."""
    for name in ("__main__", "__mp_main__"):
        monkeypatch.setitem(sys.modules, name, sys.modules["__main__"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.chdir(tmp_path)
    default: Any = probe._context._default_context
    kept = default._default_context, default._actual_context
    known = set(sys.modules)
    yield
    default._default_context, default._actual_context = kept
    for name in set(sys.modules) - known:
        if name.startswith("probed"):
            del sys.modules[name]


# Names of what is sent


def run(a: Any, b: Any = None) -> None:
    """What the processes of these tests would run."""


class Job(multiprocessing.Process):
    """A process of its own class."""

    def run(self) -> None:
        pass


def target_of(module: str, name: str) -> Any:
    """A function that says it is `name` of `module`."""

    def target(dataset: Any, init_fn: Any = None) -> None:
        pass

    target.__module__, target.__name__, target.__qualname__ = module, name, name
    return target


@each_row(
    ("module", "name", "words", "second"),
    [
        ("torch.utils.data._utils.worker", "_worker_loop", "a DataLoader worker", "DataLoader.worker_init_fn"),
        ("torch.utils.data._utils.worker", "other", "Process(target=other)", "Process.args[1]"),
        ("torch.utils.other", "_worker_loop", "Process(target=_worker_loop)", "Process.args[1]"),
        ("multiprocessing.pool", "worker", "a worker of a Pool", "Pool.init_fn"),
        ("multiprocessing.pool", "other", "Process(target=other)", "Process.args[1]"),
        ("my.pool", "worker", "Process(target=worker)", "Process.args[1]"),
        ("concurrent.futures.process", "any", "a worker of a ProcessPoolExecutor", "ProcessPoolExecutor.init_fn"),
        ("torch.multiprocessing.spawn", "_wrap", "torch.multiprocessing.spawn", "spawn.init_fn"),
    ],
)
def test_what_a_process_is_called(module: str, name: str, words: str, second: str) -> None:
    process = multiprocessing.Process(target=target_of(module, name), args=(1, 2))
    called, renames, said = probe._described_start(process)
    assert (called, said) == ("Process", words)
    assert probe._renamed("Process._args[1].lock", renames) == f"{second}.lock"
    assert probe._renamed("Process._target", renames) == "Process.target"
    assert probe._renamed("Process._kwargs['a']", renames) == "Process.kwargs['a']"


def test_a_process_of_a_class_and_what_is_no_process() -> None:
    called, renames, words = probe._described_start(Job())
    assert (called, words) == ("Process", "a process of class Job")
    assert probe._renamed("Process.lock", renames) == "Job.lock"
    assert probe._described_start([1]) == ("item", [], "an item for a queue or pool")


@each_row(
    ("text", "after"),
    [
        ("old", "new"), ("old.x", "new.x"), ("old[0]", "new[0]"), ("old: why", "new: why"), ("len(old)", "len(new)"),
        ("in old here", "in new here"), ("older", "older"), ("bold", "bold"), ("x.old", "x.old"), ("none", "none"),
        ("old_", "old_"), ("second", "2"),
    ],
)  # fmt: skip
def test_names_are_replaced_whole(text: str, after: str) -> None:
    assert probe._renamed(text, [("old", "new"), ("second", "2")]) == after


def test_names_of_parameters() -> None:
    assert probe._parameters(run, 3) == ["a", "b", "args[2]"]
    assert probe._parameters(run, 1) == ["a"]
    assert probe._parameters(None, 2) == ["args[0]", "args[1]"]


@each_row(
    ("expression", "name"),
    [
        ("dataset", "dataset"), ("holder.datasets[0]", "datasets[0]"), ("build(n=1)", "build(n=1)"),
        ("pkg.build(1)['a'].part", "part"), ("a.b(c.d)[e]", "b(c.d)[e]"), ("[1, 2]", "[1, 2]"),
        ("é.ü(1)", "ü(1)"), ("f(x).g", "g"), ("(a.b)()", "b()"),
    ],
)  # fmt: skip
def test_paths_begin_with_the_last_name(expression: str, name: str) -> None:
    if expression == "(a.b)()":
        assert probe.last_name(expression).startswith("b")
    else:
        assert probe.last_name(expression) == name


# Getting the object


def test_an_object_of_a_module_and_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "probed_one.py").write_text("class Box:\n    parts = [1, 2]\nbox = Box()\nname = __name__\n")
    assert probe.load("probed_one:box.parts[1]") == (2, "parts[1]")
    assert probe.load("probed_one: name") == ("probed_one", "name")
    assert sys.modules["__main__"].__name__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
    found, name = probe.load("probed_one.py:Box()")
    assert (type(found).__module__, name) == ("__mp_main__", "Box()")
    assert probe.load("probed_one.py:name")[0] == "__mp_main__", "as in a child, so no guard is passed"
    assert sys.modules["__main__"] is sys.modules["__mp_main__"]
    assert sys.argv == ["probed_one.py"] and sys.path[0] == str(tmp_path)
    assert probe._context._default_context.get_start_method() == "spawn"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("probed_two", "want pkg.mod:name, pkg.mod:factory() or script.py:name, not 'probed_two'"),
        ("probed_two:", "want pkg.mod:name"),
        (":x", "want pkg.mod:name"),
        ("probed_two:a b", "'a b' is no Python expression"),
        ("probed_two:absent", "probed_two has no 'absent' when it is imported"),
        (
            "probed_two.py:absent",
            "has no 'absent' when it is imported (is it created under if __name__ == '__main__'?)",
        ),
        ("probed_two:asks()", "NameError: name 'inner' is not defined"),
        ("probed_two:1 / 0", "1 / 0: ZeroDivisionError: division by zero"),
        ("probed_two:stop()", "stop(): SystemExit: 3"),
        ("probed_none:x", "importing probed_none: ModuleNotFoundError: No module named 'probed_none'"),
        ("probed_none.py:x", "probed_none.py: No such file"),
        ("probed_bad:x", "importing probed_bad: SyntaxError"),
        ("probed_bad.py:x", "probed_bad.py: SyntaxError"),
        ("probed_stop:x", "importing probed_stop: SystemExit: 4"),
        ("probed_stop.py:x", "probed_stop.py: SystemExit: 4, when it is imported as in a child"),
        ("probed_fail.py:x", "probed_fail.py: KeyError: 'RANK', when it is imported as in a child"),
    ],
)
def test_why_there_is_no_object(tmp_path: Path, target: str, words: str) -> None:
    files = {
        "two": "import sys\ndef stop():\n    sys.exit(3)\ndef asks():\n    return inner\n",
        "bad": "def f(:\n",
        "stop": "raise SystemExit(4)\n",
        "fail": "raise KeyError('RANK')\n",
    }
    for name, text in files.items():
        (tmp_path / f"probed_{name}.py").write_text(text)
    with pytest.raises(probe.NotFound) as caught:
        probe.load(target)
    assert words in str(caught.value)
    assert ("if __name__" in str(caught.value)) is ("if __name__" in words)


def test_a_hint_for_what_was_not_called() -> None:
    (hint,) = probe._not_called(run, "run", "a.py:run")
    assert hint.startswith("this was the function run itself.") and hint.endswith('what it needs: "a.py:run(a)"')
    (hint,) = probe._not_called(Job, "Job", "a.py:Job")
    assert hint.startswith("this was the class Job itself.")
    assert probe._not_called(lambda: 1, "f", "a:f")[0].endswith('it gives, call it: "a:f()"')
    assert probe._not_called([1], "x", "a:x") == []


def test_a_loader_sends_its_parts() -> None:
    loader = type("DataLoader", (), {"dataset": [1], "collate_fn": len, "num_workers": 0})
    loader.__module__ = "torch.utils.data.dataloader"
    obj = loader()
    assert probe.crossing(obj, "l") == [([1], "l.dataset"), (len, "l.collate_fn"), (None, "l.worker_init_fn")]
    assert probe.crossing([1], "l") == [([1], "l")]
    obj.collate_fn = lambda rows: rows
    found = probe.diagnose(obj, "l", child=False)
    assert [row["path"] for row in found["problems"]] == ["l.collate_fn"] and not found["picklable"]
    assert found["target"] == "l" and found["notes"][-1].startswith("l has num_workers=0: nothing is sent")
    obj.num_workers = 1
    assert not any("num_workers" in note for note in probe.diagnose(obj, "l", child=False)["notes"])


# In the child


def test_what_a_child_writes_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended(Exception):
        pass

    def ended(code: int) -> None:
        assert code == 0
        raise Ended

    monkeypatch.setattr(os, "_exit", ended)
    (tmp_path / "probed_child.py").write_text(
        "class Bad:\n    class Inner: pass\n\n    def __setstate__(self, state):\n        raise OSError('locked')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = __import__("probed_child")
    bad = module.Bad()
    bad.x = 1
    for name, obj in (("good", [1]), ("bad", bad)):
        (tmp_path / name).write_bytes(pickle.dumps(obj))
    names = [["probed_child", "Bad.Inner"], ["probed_child", "Gone"], ["probed_absent", "x"], ["os", "path.join"]]
    job = {"names": names, "files": [str(tmp_path / name) for name in ("good", "bad", "none")],
           "out": str(tmp_path / "out")}  # fmt: skip
    (tmp_path / "job").write_text(json.dumps(job))
    with pytest.raises(Ended):
        probe.child_main(str(tmp_path / "job"))
    out = json.loads((tmp_path / "out").read_text())
    assert [number for number, _ in out["names"]] == [1, 2]
    assert out["names"][0][1].startswith("AttributeError: Can't get attribute 'Gone' on <module 'probed_child'")
    assert out["names"][1][1] == "ModuleNotFoundError: No module named 'probed_absent'"
    (locked, absent) = out["loads"]
    assert locked == [1, "OSError: locked", [str(tmp_path / "probed_child.py"), 5]]
    assert absent[0] == 2 and absent[1].startswith("FileNotFoundError")


def test_what_is_sent_to_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pickle.loads(probe._sent({"a": [1, 2.0, None]})) == {"a": [1, 2.0, None]}  # type: ignore[arg-type]
    assert probe._sent(lambda: 1) is None
    words = [f"word {number}" for number in range(100)]
    assert pickle.loads(probe._sent(words)) == words  # type: ignore[arg-type]
    monkeypatch.setattr(probe, "CHILD_LIMIT", 500)
    assert probe._sent(words) is None, "too much"
    assert probe._context.get_spawning_popen() is None


# In a program


def rows(folder: Path) -> list[dict[str, Any]]:
    file = folder / f"{os.getpid()}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def hooks_in(folder: Path, dry_run: bool = False) -> probe._Hooks:
    return probe._Hooks(str(folder), dry_run, 20.0, False)


def test_a_start_that_fails_is_looked_at_once_and_fails_as_before(tmp_path: Path) -> None:
    error = TypeError("cannot pickle")

    class Pickler:
        @classmethod
        def dumps(cls, obj: Any, protocol: Any = None) -> Any:
            raise error

    def dump(obj: Any, file: Any, protocol: Any = None) -> None:
        raise error

    module = types.SimpleNamespace(dump=dump, ForkingPickler=Pickler)
    hooks = hooks_in(tmp_path)
    hooks.patch_reduction(module)
    process = multiprocessing.Process(target=run, args=([lambda: 1],))
    for _ in range(2):  # the same error on its way up is one
        with pytest.raises(TypeError) as caught:
            module.dump(process, None)
        assert caught.value is error
    (row,) = rows(tmp_path)
    assert (row["kind"], row["context"], row["pid"]) == ("send", "Process(target=run)", os.getpid())
    assert [problem["path"] for problem in row["problems"]] == ["Process.args[0][0]"]
    assert row["python"] == sys.version.split()[0].rstrip("+") and row["seconds"] >= 0
    error = TypeError("another")
    with pytest.raises(TypeError):
        module.dump({"prepared": 1}, None)
    assert len(rows(tmp_path)) == 1, "what prepares a child is not looked at"
    with pytest.raises(TypeError):
        module.ForkingPickler.dumps([lambda: 1])
    assert [problem["path"] for problem in rows(tmp_path)[1]["problems"]] == ["item[0]"]


def test_what_works_is_passed_on(tmp_path: Path) -> None:
    class Pickler:
        @classmethod
        def dumps(cls, obj: Any, protocol: Any = None) -> Any:
            return (obj, protocol)

    module = types.SimpleNamespace(dump=lambda *what: what, ForkingPickler=Pickler)
    hooks_in(tmp_path).patch_reduction(module)
    assert module.dump(1, 2, 3) == (1, 2, 3) and module.ForkingPickler.dumps(1, 4) == (1, 4)
    assert rows(tmp_path) == []


class Base:
    """A process that only says that it starts."""

    def __init__(self, *args: Any, method: str = "fork") -> None:
        self._target, self._args, self._start_method = run, args, method

    def start(self) -> str:
        return "started"


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_dry_run_looks_before_each_new_kind_of_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    hooks = hooks_in(tmp_path, dry_run)
    monkeypatch.setattr(Base, "start", Base.start)  # put back afterwards
    hooks.patch_process(types.SimpleNamespace(BaseProcess=Base))
    shared = [lambda: 1]
    for process in (Base(shared), Base(shared), Base(shared, method="spawn"), Base([1], 7)):
        assert process.start() == "started"
    found = [[problem["path"] for problem in row["problems"]] for row in rows(tmp_path)]
    assert found == ([["Process.args[0][0]"], []] if dry_run else [])
    assert all(row["kind"] == "dry run" for row in rows(tmp_path))


def test_many_starts_of_one_place_are_looked_at_eight_times(tmp_path: Path) -> None:
    hooks = hooks_in(tmp_path)
    kept = [[number] for number in range(12)]
    assert [hooks.wanted(multiprocessing.Process(target=run, args=(each,))) for each in kept] == [True] * 8 + [
        False
    ] * 4


def test_errors_of_children_and_of_the_program_are_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*what: Any) -> Any:
        if what:
            return what
        raise AttributeError("Can't get attribute 'Late'")

    hooks = hooks_in(tmp_path)
    module = types.SimpleNamespace(_main=failing)
    hooks.patch_spawn(module)
    assert module._main(1) == (1,)
    with pytest.raises(AttributeError):
        module._main()
    shown: list[object] = []
    monkeypatch.setattr(sys, "excepthook", lambda *what: shown.append(what[1]))
    hooks.patch_excepthook()
    for error in (KeyboardInterrupt(), ValueError("last")):
        sys.excepthook(type(error), error, None)
    assert [type(error) for error in shown] == [KeyboardInterrupt, ValueError]
    child, program = rows(tmp_path)
    assert (child["kind"], child["error"]) == ("child", "AttributeError: Can't get attribute 'Late'")
    assert "in failing" in child["traceback"]
    assert (program["kind"], program["error"]) == ("uncaught", "ValueError: last")


def test_trouble_of_ours_is_not_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("of ours")

    monkeypatch.setattr(probe, "examine", broken)
    hooks = hooks_in(tmp_path)
    hooks.look([1], "send")
    (row,) = rows(tmp_path)
    assert (row["kind"], row["error"]) == ("trouble", "ValueError: of ours") and not hooks.busy
    hooks.busy = True
    hooks.look([1], "send")
    assert len(rows(tmp_path)) == 1, "what is sent while we look is ours"
    probe._Hooks(str(tmp_path / "gone"), False, 1.0, False).write({})
