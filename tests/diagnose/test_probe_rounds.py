"""The probe's requests and its child, in this process: what is asked, what is answered, and where an error points."""

from __future__ import annotations

import functools
import json
import multiprocessing
import sys
import types
from pathlib import Path
from typing import Any

import numpy
import pytest

from codemods.diagnose import probe
from harness.each_row import each_row


class Ended(BaseException):
    """In place of the end of the process."""


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child's work, done here."""

    def end(code: int) -> None:
        assert code == 0
        raise Ended

    def run(request: str, stderr: str, seconds: float) -> tuple[str, int]:
        assert Path(stderr).parent == Path(request).parent
        with pytest.raises(Ended):
            probe.child_main(request)
        return "", 0

    monkeypatch.setattr(probe.os, "_exit", end)
    monkeypatch.setattr(probe, "_run_child", run)


class Raises:
    def __init__(self, error: type[Exception] = KeyError) -> None:
        self.error = error

    def __setstate__(self, state: dict[str, Any]) -> None:
        raise state["error"]("of theirs")


class Restored:
    def __setstate__(self, state: object) -> None:
        pass


class Asks:
    """Its `__getattr__` asks itself while it is made again."""

    def __init__(self) -> None:
        self.inner = 1

    def __getattr__(self, name: str) -> Any:
        return self.__getattr__(self.inner)


def moved(value: int) -> int:
    return value


def rows(result: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [(row["path"], row["type"], row["error"], row["side"]) for row in result["problems"]]


def test_what_a_child_makes_again(child: None) -> None:
    assert probe.diagnose({"a": Restored(), "f": moved}, "x")["picklable"]
    result = probe.diagnose({"a": Restored(), "b": [Raises()]}, "x")
    assert rows(result) == [("x['b'][0]", f"{__name__}.Raises", "KeyError: 'of theirs'", "child")]
    (row,) = result["problems"]
    line = (
        Path(__file__).read_text(encoding="utf-8").splitlines().index('        raise state["error"]("of theirs")') + 1
    )
    place = {"path": __file__, "line": line, "user": True}
    assert (row["assigned_at"], row["defined_at"], row["name"], row["more"]) == (place, place, None, 0)
    assert not result["picklable"] and row["payload_bytes"] == 0


def test_the_same_error_further_up_is_told_once(child: None) -> None:
    result = probe.diagnose({"a": Raises(), "b": [Raises()], "c": Restored()}, "x")
    assert len(result["problems"]) == 1
    result = probe.diagnose([Raises(), {"other": Raises(OSError)}], "x")
    assert [error for _, _, error, _ in rows(result)] == ["KeyError: 'of theirs'"]  # one of each class is made again


def test_an_attribute_that_asks_itself(child: None) -> None:
    (row,) = probe.diagnose([Asks()], "x")["problems"]
    assert row["error"].startswith("RecursionError: maximum recursion depth exceeded")
    assert row["error"].endswith(" (in __getattr__)")


def test_names_that_a_child_does_not_find(child: None, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [([moved], *probe.examine([moved], "x"))]
    monkeypatch.setattr(probe, "_look_up", lambda module, name: exec("raise AttributeError(name)", {"name": name}))
    probe.in_child(looks, "x")
    result = looks[0][1]
    assert rows(result) == [("x[0]", "moved", "AttributeError: moved", "child")]
    place = result["problems"][0]["defined_at"]
    assert (place["path"], place["line"]) == (__file__, moved.__code__.co_firstlineno)
    assert result["problems"][0]["assigned_at"] is None


def test_a_child_without_an_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[str] = []

    def run(request: str, stderr: str, seconds: float) -> tuple[str, int]:
        seen.append(request)
        names = sorted(path.name for path in Path(request).parent.iterdir())
        assert (seconds, names) == (60.0, ["0.pickle", "1.pickle", "job.json"])
        return "KeyError: 'RANK'\n", 1

    monkeypatch.setattr(probe, "_run_child", run)
    result = probe.diagnose([Restored()], "x")
    assert rows(result) == [("x", "module", "KeyError: 'RANK'", "child")]
    assert not Path(seen[0]).parent.exists()


@each_row(
    ("module", "name", "found"),
    [
        ("collections", "OrderedDict", True),
        ("json", "decoder.JSONDecoder.decode", True),
        (__name__, "Restored.__setstate__", True),
        (__name__, "Restored.gone", False),
        (__name__, "gone", False),
    ],
)
def test_look_up(module: str, name: str, found: bool) -> None:
    if found:
        assert callable(probe._look_up(module, name))
        return
    with pytest.raises(AttributeError) as raised:
        probe._look_up(module, name)
    assert str(raised.value) == f"Can't get attribute {name!r} on {sys.modules[module]!r}"


class Loader:
    """As torch's, which sends its parts."""

    def __init__(self, workers: int = 2, **parts: object) -> None:
        self.__dict__.update({"dataset": [1], "collate_fn": None, "worker_init_fn": None, **parts})
        self.num_workers = workers


Loader.__name__, Loader.__module__ = "DataLoader", "torch.utils.data.dataloader"


def test_parts_of_a_loader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    theirs = types.ModuleType(Loader.__module__)  # else pickling the class imports torch
    monkeypatch.setattr(theirs, Loader.__qualname__, Loader, raising=False)
    monkeypatch.setitem(sys.modules, Loader.__module__, theirs)
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    bad = lambda: 1  # noqa: E731
    assert [name for _, name in probe.crossing(Loader(), "l")] == ["l.dataset", "l.collate_fn", "l.worker_init_fn"]
    result = probe.diagnose(Loader(dataset=[bad], collate_fn=bad, worker_init_fn=moved), "l", child=False)
    assert (result["target"], result["picklable"]) == ("l", False)
    assert [row["path"] for row in result["problems"]] == ["l.dataset[0]", "l.collate_fn"]
    alone = [probe.examine(part, "l", children=False)[0]["payload_bytes"] for part in ([bad], bad, moved)]
    assert result["payload_bytes"] == sum(alone)
    assert result["notes"] == [] and result["unfinished"] is None
    (tmp_path / "rows").write_bytes(bytes(8))
    mapped = [numpy.memmap(tmp_path / "rows", dtype="f8")]
    two = probe.diagnose(Loader(dataset=mapped, collate_fn=functools.partial(moved, mapped)), "l", child=False)
    assert [note.partition(":")[0] for note in two["notes"]] == ["l.dataset[0]", "l.collate_fn.args[0][0]"]
    none = probe.diagnose(Loader(workers=0), "l", child=False)
    assert none["notes"] == ["l has num_workers=0: nothing is sent as long as that stays"]
    listed = probe.diagnose([Loader(workers=0)], "l", child=False)
    assert (listed["notes"], listed["problems"]) == ([], [])


def takes(a: int, *more: int, b: int, c: int = 1, **options: int) -> None: ...


def takes_nothing(a: int = 1, *more: int, **options: int) -> None: ...


@each_row(
    ("obj", "hint"),
    [
        (takes, 'function t itself. To look at what it gives, call it, with values for what it needs: "m:t(a, b)"'),
        (takes_nothing, 'function t itself. To look at what it gives, call it: "m:t()"'),
        (Raises, 'class t itself. To look at what it gives, call it: "m:t()"'),
        (Loader(), None),
        (int, None),
        (3, None),
    ],
    ids=["function", "without arguments", "class", "object", "builtin", "number"],
)
def test_what_was_meant(obj: object, hint: str | None) -> None:
    found = probe._not_called(obj, "t", "m:t")
    if obj is int and found:  # newer versions know its parameters
        assert found[0].startswith("this was the class t itself.")
    else:
        assert found == ([] if hint is None else [f"this was the {hint}"])


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loading a target changes in its interpreter."""
    default = probe._context._default_context
    monkeypatch.setattr(default, "_default_context", default._default_context)
    monkeypatch.setattr(default, "_actual_context", default._actual_context)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setitem(sys.modules, "__mp_main__", sys.modules["__main__"])
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])


SCRIPT = """\
import sys
import types
import multiprocessing
rows = [1, 2]
def make(n):
    return {"n": n, "argv": sys.argv, "method": multiprocessing.get_start_method(True)}
if __name__ == "__main__":
    late = 3
"""


def asked(tmp_path: Path, target: str) -> Any:
    request, answer = tmp_path / "request.json", tmp_path / "answer.json"
    words = {"target": target, "seconds": 5, "child": False, "child_seconds": 5}
    request.write_text(json.dumps(words), encoding="utf-8")
    with pytest.raises(Ended):
        probe._main(str(request), str(answer))
    return json.loads(answer.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("target", "failed"),
    [
        ("rows", "want pkg.mod:name, pkg.mod:factory() or script.py:name, not 'rows'"),
        ("job.py:", "want pkg.mod:name, pkg.mod:factory() or script.py:name, not 'job.py:'"),
        ("job.py:a b", "'a b' is no Python expression"),
        ("job.py:late", "job.py has no 'late' when it is imported (is it created under if __name__ == '__main__'?)"),
        ("job.py:rows[7]", "rows[7]: IndexError: list index out of range"),
        (
            "job.py:make(other)",
            "job.py has no 'other' when it is imported (is it created under if __name__ == '__main__'?)",
        ),
        ("json:nothing", "json has no 'nothing' when it is imported"),
        ("json:exit(3)", "exit(3): SystemExit: 3"),
        ("gone.py:rows", "gone.py: No such file or directory"),
        ("bad.py:rows", "bad.py: SyntaxError: '(' was never closed (bad.py, line 1)"),
        ("fails.py:rows", "fails.py: KeyError: 'RANK', when it is imported as in a child"),
        ("ends.py:rows", "ends.py: SystemExit: 2, when it is imported as in a child"),
        (
            "no_such_module_here:rows",
            "importing no_such_module_here: ModuleNotFoundError: No module named 'no_such_module_here'",
        ),
        ("ends:rows", "importing ends: SystemExit: 2"),
    ],
)  # fmt: skip
def test_targets_that_cannot_be_had(
    child: None, restored: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, failed: str
) -> None:
    texts = {"job": SCRIPT, "bad": "rows = (\n", "fails": "import os\nos.environ.pop('RANK')\nx = 1\ny = {}['RANK']\n"}
    for name, text in {**texts, "ends": "raise SystemExit(2)\n"}.items():
        (tmp_path / f"{name}.py").write_text(text.replace("os.environ.pop('RANK')\n", ""), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = asked(tmp_path, target)
    if target.startswith("bad"):  # the words differ between versions
        assert result["failed"].startswith("bad.py: SyntaxError: ")
    else:
        assert result["failed"] == failed
    assert result["python"] == "{}.{}.{}".format(*sys.version_info[:3])
    assert result.get("missing") == ("no_such_module_here" if target.startswith("no_such") else None)
    if target == "fails.py:rows":
        assert result["traceback"].endswith("    y = {}['RANK']\n") or "line 3" in result["traceback"]
    raised = target not in ("rows", "job.py:", "job.py:a b")  # else nothing was imported or computed
    assert ("traceback" in result) == ((raised and "No such file" not in failed) or target == "gone.py:rows")
    sys.modules.pop("ends", None)


def test_a_target_of_a_script(child: None, restored: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = asked(tmp_path, "job.py:rows")
    assert (result["target"], result["picklable"], result["is_none"], result["notes"]) == ("rows", True, False, [])
    result = asked(tmp_path, "job.py: make")
    assert not result["picklable"] or result["target"] == "make"
    assert result["notes"][0].endswith('with values for what it needs: "job.py: make(n)"')
    assert asked(tmp_path, "job.py:None")["is_none"] is True
    made, name = probe.load("job.py:make(4)")
    assert name == "make(4)"
    assert made == {"n": 4, "argv": ["job.py"], "method": None} or made["method"] == "spawn"
    assert multiprocessing.get_start_method() == "spawn"
    assert sys.modules["__main__"].__file__ == str(tmp_path / "job.py")


@each_row(
    ("expression", "name"),
    [
        ("rows", "rows"),
        ("a.b.rows", "rows"),
        ("a.rows[0]", "rows[0]"),
        ("a.make(1, 'é').rows", "rows"),
        ("a.make(1, 'é')[2]", "make(1, 'é')[2]"),
        ("'é'.join(x)", "join(x)"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_the_last_name_of_a_target(expression: str, name: str) -> None:
    assert probe.last_name(expression) == name
