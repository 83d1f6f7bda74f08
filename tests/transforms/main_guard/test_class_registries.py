"""Classes that Python notes with a class (its subclasses, those of `ABC.register`), in the main process only."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import program
from harness.small import reported

MADE = """\
class Shape(abc.ABC):
    pass
class ByMeta(metaclass=abc.ABCMeta):
    pass
class Below(ByMeta):
    pass
class Named(object, name="a"):
    pass
class Box:
    pass
class Child(Box):
    pass
def derive():
    class Late(Box):
        pass
    return Late
def derive_further():
    class Late(Child):
        pass
    return Late
def derive_nothing():
    class Late:
        pass
    return Late"""
REGISTERED, DERIVED = "the classes registered with", "the classes derived from"


def told(read: str, change: str) -> list[tuple[str, int]]:
    """What a worker lacks, and the line that adds it."""
    findings = reported({"train.py": program(MADE, read, change)}, "main-guard")
    assert all(each.fix is None and "do the same where workers import it" in (each.reason or "") for each in findings)
    return [(each.message.partition("depends on ")[2].partition(",")[0], each.trace[0].line) for each in findings]


HERE = program(MADE, "x", "HERE").partition("HERE")[0].count("\n") + 1


@each_row(
    ("read", "change", "owner"),
    [
        ("isinstance(x, Shape)", "Shape.register(Box)", "Shape"),
        ("issubclass(x, Shape)", "Shape.register(Box)", "Shape"),
        ("isinstance(x, (int, Shape))", "Shape.register(Box)", "Shape"),
        ("isinstance(x, Shape)", "@Shape.register\nclass A:\n    pass", "Shape"),
        ("isinstance(x, ByMeta)", "ByMeta.register(Box)", "ByMeta"),
        ("isinstance(x, Below)", "Below.register(Box)", "Below"),
        ("isinstance(x, ByMeta)", "Below.register(Box)", "ByMeta"),
        ("isinstance(x, Below)", "ByMeta.register(Box)", ""),
        ("isinstance(x, Named)", "Named.register(Box)", ""),  # of a class of the program's own
        ("isinstance(x, Shape)", "ByMeta.register(Box)", ""),
        ("isinstance(x, Shape)", "Shape.registry(Box)", ""),
        ("isinstance(x, Shape)", "print(Shape)", ""),
        ("isinstance(x)", "Shape.register(Box)", ""),
        ("isinstance(x, Box)", "Shape.register(Box)", ""),
        ("print(x, Shape)", "Shape.register(Box)", ""),
        ("Shape.__subclasses__()", "Shape.register(Box)", ""),
    ],
)
def test_registered_with_an_abstract_class(read: str, change: str, owner: str) -> None:
    assert told(read, change) == [(f"{REGISTERED} `{owner}`", HERE)] * bool(owner)


@each_row(
    ("read", "change", "line"),
    [
        ("Box.__subclasses__()", "derive()", "class Late(Box)"),
        ("Box.__subclasses__()", "derive_further()", "class Late(Child)"),  # who asks may ask these in turn
        ("Box.__subclasses__()", "type('A', (Box,), {})", "type('A'"),
        ("Box.__subclasses__()", "type('A', (Shape, Box), {})", "type('A'"),
        ("Box.__subclasses__()", "type('A', (Shape,), {})", ""),
        ("Box.__subclasses__()", "type(Box)", ""),
        ("Box.__subclasses__()", "derive_nothing()", ""),
        ("Child.__subclasses__()", "derive()", ""),
        ("Box.subclasses()", "derive()", ""),
        ("isinstance(x, Box)", "derive()", ""),
    ],
)
def test_derived_from_a_class(read: str, change: str, line: str) -> None:
    text = program(MADE, read, change)
    at = text[: text.index(line)].count("\n") + 1
    assert told(read, change) == [(f"{DERIVED} `{read.partition('.')[0]}`", at)] * bool(line)
