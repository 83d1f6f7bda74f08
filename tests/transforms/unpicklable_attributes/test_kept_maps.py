"""unpicklable-attributes: `map` and `filter` keep their function, which pickle can't find where it has no name."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import itertools
from multiprocessing import Process
class Rows:
    def __init__(self, d, least):
        def near(value):
            return value + least
        BODY
    def use(self):
        return USE
def work(rows):
    print(rows)
def made(d):
    return map(lambda value: value, d)
if __name__ == '__main__':
    Process(target=work, args=(Rows({1: 2}, 3),)).start()
"""


def program(body: str, use: str = "None") -> dict[str, str]:
    return {"main.py": PROGRAM.replace("BODY", body).replace("USE", use)}


@each_row(
    ("body", "what"),
    [
        ("self.ids = d.keys(); self.x = map(lambda value: len(value), d.values())", "a `map` of a lambda"),
        ("self.x = filter(lambda value: value > least, d)", "a `filter` of a lambda"),
        ("self.x = map(near, d)", "a `map` of a local function"),
        ("self.x = map(lambda value: value, (each for each in d))", "a `map` of a lambda"),
        ("x = map(lambda value: value, d); self.x = x", "a `map` of a lambda"),
        ("self.x = made(d)", "a `map` of a lambda"),
        ("self.x = zip(map(lambda value: value, d), d)", "`self.x` holds a `map` of a lambda"),
    ],
)
def test_is_found(body: str, what: str) -> None:
    (found,) = reported(program(body), RULE)
    assert what in found.message and found.fix is not None


@each_row(
    "body",
    [
        "self.x = list(map(lambda value: value, d))",
        "self.x = [each for each in map(lambda value: value, d)]",
        "self.x = [*map(lambda value: value, d)]",
        "self.x = sum(map(lambda value: value, d))",
        "self.x = dict(map(lambda value: (value, 1), d))",
        "self.x, self.y = map(lambda value: value, d)",
        "x, y = map(lambda value: value, d); self.x = x",
        "self.x = map(lambda value: value, d); self.x = list(self.x)",
        "self.x = (value for value in d); self.x = sorted(self.x)",
        "x = map(lambda value: value, d); self.x = tuple(x)",
        "self.x = map(str, d)",
        "self.x = map(work, d)",
        "self.x = filter(None, d)",
        "map = least; self.x = map(lambda value: value, d)",
    ],
)
def test_no_finding(body: str) -> None:
    assert reported(program(body), RULE) == []


def test_becomes_a_list() -> None:
    after = migrated(program("self.x = map(lambda value: len(value), d.values())"), RULE, unsafe_fixes=True)
    assert "self.x = list(map(lambda value: len(value), d.values()))" in after["main.py"]
    after = migrated(program("self.x = zip(map(lambda value: value, d), d)"), RULE, unsafe_fixes=True)
    assert "self.x = zip(list(map(lambda value: value, d)), d)" in after["main.py"]


def test_refused() -> None:
    (reason,) = reasons(program("self.x = map(lambda value: value, itertools.count())"), RULE)
    assert "it may never end; make the iterator where it is used" in reason
    (reason,) = reasons(program("self.x = map(lambda value: value, d)", "next(self.x)"), RULE)
    assert "takes one item after the other with `next`; make the iterator" in reason
