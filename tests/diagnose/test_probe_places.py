"""The probe: where what can't be pickled was defined and assigned, as far as a file tells."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codemods.diagnose import probe

PROGRAM = """\
    import threading


    def function():
        def inner(x):
            return x
        return inner


    def local_class():
        class Inner:
            class Deep:
                pass
        return Inner


    class Holder:
        def __init__(self, part):
            self.part = part


    class Later(Holder):
        def set(self, part):
            self.lock = threading.Lock()
            self.part = part


    def generated(name="<string>"):
        space = {}
        exec(compile("def made(x):\\n    return x\\n", name, "exec"), space)
        return space["made"]


    def decoy():
        class Inner:
            pass
        return Inner
    """


@pytest.fixture
def program(tmp_path: Path) -> Iterator[ModuleType]:
    """The program as a module, in a file of its own."""
    path = tmp_path / "probed_program.py"
    path.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("probed_program", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["probed_program"] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules["probed_program"]


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(textwrap.dedent(PROGRAM).splitlines(), 1) if text in line)


def problems(obj: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = probe.diagnose(obj, "obj", child=False)["problems"]
    return found


def place(module: ModuleType, text: str) -> dict[str, object]:
    return {"path": module.__file__, "line": line_of(text), "user": True}


def test_the_root_itself_is_a_function_of_a_function(program: ModuleType) -> None:
    (row,) = problems(program.function())
    assert (row["path"], row["assigned_at"]) == ("obj", None)
    assert row["defined_at"] == place(program, "def inner")
    assert (row["type"], row["name"]) == ("function", "function.<locals>.inner")


def test_the_root_itself_is_a_class_of_a_function(program: ModuleType) -> None:
    (row,) = problems(program.local_class())
    assert (row["path"], row["type"], row["assigned_at"]) == ("obj", "type", None)
    assert row["defined_at"] == place(program, "class Inner")


def test_the_root_is_an_instance_of_such_a_class(program: ModuleType) -> None:
    (row,) = problems(program.local_class()())
    assert row["defined_at"] == place(program, "class Inner")
    assert row["type"] == "probed_program.local_class.<locals>.Inner"


def test_a_class_of_a_function_that_an_attribute_holds(program: ModuleType) -> None:
    (row,) = problems(program.Holder(program.local_class()))
    assert (row["path"], row["type"]) == ("obj.part", "type")
    assert row["defined_at"] == place(program, "class Inner")
    assert row["assigned_at"] == place(program, "self.part = part")


def test_a_class_in_a_class_of_a_function(program: ModuleType) -> None:
    (row,) = problems(program.Holder(program.local_class().Deep))
    assert row["defined_at"] == place(program, "class Deep")


def test_a_function_that_an_attribute_holds(program: ModuleType) -> None:
    (row,) = problems(program.Holder([program.function()]))
    assert row["path"] == "obj.part[0]"
    assert row["defined_at"] == place(program, "def inner")
    assert row["assigned_at"] == place(program, "self.part = part")


@pytest.mark.parametrize("name", ["<string>", "<attrs generated init probed_program>", ""])
def test_code_that_no_file_holds_has_no_place(program: ModuleType, name: str) -> None:
    (row,) = problems(program.generated(name))
    assert row["path"] == "obj"
    assert row["defined_at"] is None


def test_the_attribute_of_the_nearest_class_counts(program: ModuleType) -> None:
    """`part` is assigned in both classes; that of the object's own class comes first."""
    later = program.Later(None)
    later.set(1)
    (row,) = problems(later)
    assert row["path"] == "obj.lock"
    assert row["assigned_at"] == place(program, "self.lock = threading.Lock()")
    assert row["defined_at"] is None


def test_a_place_in_the_library_is_not_the_users(program: ModuleType) -> None:
    import textwrap as library

    assert program.__file__ is not None
    assert probe._place(program.__file__, 3) == {"path": program.__file__, "line": 3, "user": True}
    assert probe._place(library.__file__, 3) == {"path": library.__file__, "line": 3, "user": False}
    assert probe._place(str(Path("/x/site-packages/y.py")), 3) == {
        "path": str(Path("/x/site-packages/y.py").absolute()),
        "line": 3,
        "user": False,
    }


def test_a_class_that_its_file_does_not_have_has_no_place(program: ModuleType, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("")
    program.__file__ = str(other)
    (row,) = problems(program.local_class())
    assert row["defined_at"] is None
