"""What processes of a watched run have written, put together; and places of a saved diagnosis that `migrate` reads."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from codemods.diagnose.report import Diagnosis, Obstacle, Place, Weight
from codemods.diagnose.run import diagnose_run
from codemods.diagnose.saved import save, sites, with_sites
from codemods.problem import Problem
from codemods.settings import Settings
from harness.each_row import each_row

LOCK = "TypeError: cannot pickle '_thread.lock' object"


def raised(error: str, file: str = "/code/train.py") -> str:
    return f'Traceback (most recent call last):\n  File "{file}", line 7, in <module>\n    start()\n{error}\n'


def weight(path: str, size: int, shared: int = 0) -> dict[str, Any]:
    return {"path": path, "bytes": size, "shared_bytes": shared}


def problem(path: str = "dataset.lock", error: str = LOCK) -> dict[str, Any]:
    return {
        "path": path, "type": "_thread.lock", "error": error, "side": "parent", "more": 0, "payload_bytes": 0,
        "assigned_at": None, "defined_at": None,
    }  # fmt: skip


def look(*problems: dict[str, Any], kind: str = "send", **more: Any) -> dict[str, Any]:
    return {
        "kind": kind, "python": "3.11", "problems": list(problems), "payload": [], "payload_bytes": 0,
        "shared_bytes": 0, "notes": [], "unfinished": None, "context": "starting a worker", "started_at": [],
    } | more  # fmt: skip


HOOKED = {"kind": "hooked", "python": "3.9"}


def gathered(*records: Mapping[str, Any], code: int = 0, cut: str = "") -> Diagnosis:
    """The diagnosis of a program of which each record is written by a process of its own."""

    def execute(command: Sequence[str], environment: Mapping[str, str]) -> int:
        folder = Path(environment["PYTHONPATH"].split(os.pathsep)[0])
        assert (folder / "_spawnfix_probe.py").is_file()
        assert "install_hooks(" in (folder / "sitecustomize.py").read_text(encoding="utf-8")
        for number, record in enumerate(records):
            (folder / "reports" / f"{number}.jsonl").write_text(json.dumps(record) + "\n" + cut, encoding="utf-8")
        return code

    return diagnose_run(["python", "train.py"], execute=execute)


def test_nothing_was_sent() -> None:
    done = gathered(HOOKED, {"kind": "sent"}, {"kind": "sent"}, code=3)
    assert (done.target, done.obstacles, done.watched, done.exit_code) == ("python train.py", (), 2, 3)
    assert (done.payload_bytes, done.shared_bytes, done.payload, done.notes, done.unfinished) == (0, 0, (), (), None)
    assert done.python == "3.9"


def test_nothing_was_watched() -> None:
    with pytest.raises(Problem, match=r"^python: no Python 3\.7 or newer was started there that reads PYTHONPATH"):
        gathered({"kind": "sent", "python": "3.9"})
    with pytest.raises(Problem, match=r"^python: no such thing"):
        diagnose_run(["python"], execute=_missing)


def _missing(command: Sequence[str], environment: Mapping[str, str]) -> int:
    raise FileNotFoundError(2, "no such thing")


def test_the_folder_of_the_user_stays_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []

    def execute(command: Sequence[str], environment: Mapping[str, str]) -> int:
        paths.append(environment["PYTHONPATH"].split(os.pathsep)[1:])
        folder = Path(environment["PYTHONPATH"].split(os.pathsep)[0])
        (folder / "reports/1.jsonl").write_text(json.dumps(HOOKED), encoding="utf-8")
        return 0

    for path, rest in (("", []), ("/code/lib", ["/code/lib"])):
        monkeypatch.setenv("PYTHONPATH", path)
        diagnose_run(["python"], execute=execute)
        assert paths.pop() == rest


def test_equal_problems_of_several_starts_are_one() -> None:
    second = look(problem(), problem("dataset.other"), context="starting a pool")
    done = gathered(HOOKED, look(problem()), look(problem()), second, cut='{"kind": "se')
    assert [(item.context, item.path) for item in done.obstacles] == [
        ("starting a worker", "dataset.lock"),
        ("starting a pool", "dataset.lock"),
        ("starting a pool", "dataset.other"),
    ]
    assert done.watched == 3


def test_sizes_notes_and_what_was_not_finished() -> None:
    first = look(payload_bytes=10, shared_bytes=5, payload=[weight("a", 3, 1), weight("b", 9)], notes=["one"])
    second = look(payload_bytes=8, shared_bytes=7, payload=[weight("a", 99), weight("c", 1, 7)], notes=["two", "one"],
                  unfinished="too deep", kind="dry run")  # fmt: skip
    done = gathered(HOOKED, first, second, {"kind": "trouble", "error": "no memory"})
    assert (done.payload_bytes, done.shared_bytes, done.unfinished) == (10, 7, "too deep")
    assert done.payload == (Weight("b", 9), Weight("c", 1, 7), Weight("a", 3, 1))
    assert done.notes == ("one", "two", "one start could not be looked at: no memory")


def test_twelve_sizes_are_kept() -> None:
    done = gathered(HOOKED, look(payload=[weight(f"x{number}", number) for number in range(20)]))
    assert [weight.bytes for weight in done.payload] == list(range(19, 7, -1))


def test_what_a_child_raised() -> None:
    error = "AttributeError: Can't get attribute 'f' on <module '__main__' (built-in)>"
    done = gathered(HOOKED, {"kind": "child", "traceback": raised(error)})
    (item,) = done.obstacles
    assert (item.error, item.side, item.context, item.assigned_at) == (
        error,
        "child",
        "starting a worker",
        Place("/code/train.py", 7),
    )
    with_another = gathered(HOOKED, look(problem()), {"kind": "child", "traceback": raised(error)})
    assert [item.side for item in with_another.obstacles] == ["parent", "child"]
    said_before = gathered(HOOKED, look(problem()), {"kind": "child", "traceback": raised(LOCK)})
    assert [item.side for item in said_before.obstacles] == ["parent"]


@each_row(
    ("error", "path"),
    [
        (f"{LOCK}\nwhen serializing dict item 'lock'\nwhen serializing model.Model state\n", "Model.lock"),
        (f"{LOCK}\nwhen serializing dict item 'a b'\nwhen serializing model.Model state\n", "Model['a b']"),
        ("AttributeError: Can't pickle local object 'main.<locals>.job'", "main.<locals>.job"),
        (LOCK, "_thread.lock"),
    ],
)
def test_the_path_of_what_was_raised(error: str, path: str) -> None:
    (item,) = gathered(HOOKED, {"kind": "uncaught", "traceback": raised(error)}).obstacles
    assert item.path == path


def test_what_ended_the_program_counts_where_nothing_else_was_seen() -> None:
    uncaught = {"kind": "uncaught", "traceback": raised(LOCK)}
    (item,) = gathered(HOOKED, uncaught).obstacles
    assert (item.error, item.side, item.context) == (LOCK, "parent", "")
    assert [item.path for item in gathered(HOOKED, look(problem()), uncaught).obstacles] == ["dataset.lock"]
    assert gathered(HOOKED, {"kind": "uncaught", "traceback": raised("ZeroDivisionError: x")}).obstacles == ()
    assert gathered(HOOKED, {"kind": "uncaught", "traceback": raised("EOFError: Ran out of input")}).obstacles == ()


# places that were saved


def diagnosis(root: Path) -> Diagnosis:
    lines = (
        Obstacle("x.lock", "_thread.lock", LOCK, Place(str(root / "src/a.py"), 3), Place(str(root / "b.py"), 4)),
        Obstacle("y.lock", "_thread.lock", LOCK, Place(str(root.parent / "other/c.py"), 5)),
        Obstacle("z", "Thing", "TypeError: Thing says no", Place(str(root / "d.py"), 6)),
        Obstacle("x.lock", "_thread.lock", LOCK, Place(str(root / "src/a.py"), 3)),
    )
    return Diagnosis("t", lines, root=str(root))


def test_places_below_the_folder_count(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    root = tmp_path / "code"
    save(diagnosis(root), file)
    seen = f"seen at run time: x.lock: {LOCK}"
    first = ("unpicklable-attributes", "src/a.py", 3, seen)
    assert sites(file, str(root)) == (first, ("unpicklable-attributes", "b.py", 4, seen))
    assert sites(file, str(root / "src")) == (("unpicklable-attributes", "a.py", 3, seen),)
    assert len(sites(file, str(tmp_path))) == 3
    assert with_sites(Settings(), file, str(root / "src")) == Settings(
        proven=(("unpicklable-attributes", "a.py", 3, seen),)
    )
    assert file.read_bytes().endswith(b"}\n") and json.loads(file.read_text())["picklable"] is False


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"problems": 3}', '{"problems": [3]}', '{"problems": [{}]}',
     '{"problems": [{"rule": "r", "path": "p", "error": "e", "assigned_at": {"path": "a.py"}}]}',
     '{"problems": [{"rule": "r", "path": "p", "error": "e", "assigned_at": {"path": "a.py", "line": "x"}}]}',
     "[" * 100_000],
)  # fmt: skip
def test_files_that_were_not_saved_by_us(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(Problem, match="not written by spawnfix diagnose --save"):
        sites(tmp_path / "d.json", str(tmp_path))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="No such file"):
        sites(tmp_path / "d.json", str(tmp_path))
    with pytest.raises(Problem, match="No such file"):
        save(diagnosis(tmp_path), tmp_path / "none/d.json")


def test_places_without_a_root_are_those_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"rule": "r", "path": "p", "error": "e", "assigned_at": {"path": "a.py", "line": 2}, "defined_at": None}
    (tmp_path / "d.json").write_text(json.dumps({"problems": [row, {**row, "rule": None}]}))
    monkeypatch.chdir(tmp_path)
    assert sites(tmp_path / "d.json", ".") == (("r", "a.py", 2, "seen at run time: p: e"),)
