"""Functions in functions that pickle finds by the name that the import gives them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process


def build(name):
    {before}def inner(rows):
        return rows

    {then}
    return inner


{made}

if __name__ == "__main__":
    {main}
    Process(target=crop, args=(1,)).start()
"""
MADE = "crop = build('crop')"
PUT = "inner.__qualname__ = name\n    globals()[name] = inner"


def _proven(then: str, made: str, main: str = "pass", before: str = "") -> bool:
    program = PROGRAM.format(then=then, made=made, main=main, before=before)
    found = reported({"run.py": program}, "lambdas")
    return any(each.confidence.value == "proven" for each in found)


@each_row(
    ("then", "made"),
    [
        ("inner.__qualname__ = 'crop'", MADE),
        ("inner.__name__ = inner.__qualname__ = 'crop'", MADE),
        ("inner.__qualname__ = name", MADE),
        ("inner.__qualname__ = name", "crop = build(name='crop')\nflip = build('flip')"),
        (PUT, MADE),
        (PUT, "for name in ('crop', 'flip'):\n    crop = build(name)"),
        ("return inner", "crop = lambda rows: rows\ncrop.__qualname__ = 'crop'"),
    ],
)
def test_it_is_found(then: str, made: str) -> None:
    assert not _proven(then, made)


@each_row(
    ("then", "made", "main"),
    [
        ("pass", MADE, "pass"),
        ("inner.__qualname__ = 'crop'", "crop = None", "crop = build('crop')"),
        ("inner.__qualname__ = 'other'", MADE, "pass"),
        ("inner.__qualname__ = name", "crop = build('crops')", "pass"),
        ("inner.__qualname__ = name", "crop = build('crop')\nflip = build('flips')", "pass"),
        ("inner.__qualname__ = name", "crop = build(input())", "pass"),
        ("inner.__name__ = 'crop'", MADE, "pass"),
        ("return inner", "crop = lambda rows: rows", "pass"),
    ],
)
def test_it_is_not(then: str, made: str, main: str) -> None:
    assert _proven(then, made, main)


def test_it_is_bound_by_global() -> None:
    made = "build(1)\ncrop = inner"
    assert not _proven("pass", made, before="global inner\n\n    ")
    assert _proven("pass", "", "crop = build(1)", before="global inner\n\n    ")


def test_a_lambda_that_is_bound_by_global_keeps_the_name_of_a_lambda() -> None:
    made = "build(1)\ncrop = double"
    assert _proven("double = lambda rows: rows", made, before="global double\n\n    ")


GIVEN = """\
from multiprocessing import Process


def named(name):
    def mark(fn):
        fn.__name__ = fn.{attribute} = name
        {put}
        return fn

    return mark


{made}if __name__ == "__main__":
    {main}
    Process(target=crop, args=(1,)).start()
"""


@each_row(
    ("attribute", "put", "is_main", "found"),
    [
        ("__qualname__", "globals()[name] = fn", False, True),
        ("__qualname__", "globals()[name] = fn", True, False),
        ("__qualname__", "print(name)", False, False),
        ("__doc__", "globals()[name] = fn", False, False),
    ],
)
def test_a_function_on_the_way_names_it(attribute: str, put: str, is_main: bool, found: bool) -> None:
    made = 'crop = named("crop")(lambda rows: rows)'
    places = ("", made) if is_main else (f"{made}\n\n", "pass")
    program = GIVEN.format(attribute=attribute, put=put, made=places[0], main=places[1])
    crossings = reported({"run.py": program}, "lambdas")
    assert any(each.confidence.value == "proven" for each in crossings) is not found


CLASSES = """\
from multiprocessing import Process


def build(name):
    class Row:
        pass

    Row.__qualname__ = name
    return Row


Box = build("{name}")


def show(row):
    print(row)


if __name__ == "__main__":
    Process(target=show, args=(Box(),)).start()
"""


@each_row(("name", "proven"), [("Box", False), ("Boxes", True)])
def test_a_class_that_gets_the_name_which_it_is_bound_to(name: str, proven: bool) -> None:
    found = reported({"run.py": CLASSES.format(name=name)}, "lambdas")
    assert any(each.confidence.value == "proven" for each in found) is proven
