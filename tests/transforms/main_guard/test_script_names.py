"""What a spawned worker calls a script, and the `id` of objects that it gets a copy of."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import logging
from multiprocessing import Process

seen = {{}}


class Job:
    def __init__(self, rows):
        self.rows = rows
        {noted}

    def run(self):
        {inside}


if __name__ == "__main__":
    Process(target=Job([3]).run).start()
"""


def told(inside: str, noted: str = "pass", text: str = TEXT) -> list[str]:
    found = reported({"train.py": text.format(inside=inside, noted=noted)}, "main-guard")
    return [each.message.partition("depends on ")[2].partition(":")[0].partition(",")[0] for each in found]


@each_row(
    ("inside", "found"),
    [
        ("print(__name__)", True),
        ("if __name__ == '__main__': print(3)", True),
        ("logging.getLogger(__name__).info('a')", False),
        ("print(type(self).__module__)", True),
        ("print(self.__module__)", True),
        ("print(self.rows.__module__)", False),
        ("print(type(self))", True),
        ("print(f'{type(self)}')", True),
        ("print(f'{type(self).__name__}')", False),
        ("print(type(self.rows))", False),
        ("print(self.__class__)", True),
    ],
)
def test_the_name_of_the_script(inside: str, found: bool) -> None:
    assert told(inside) == ["what train.py is called"] * found


def test_a_module_that_is_imported_has_one_name() -> None:
    jobs, _, rest = TEXT.format(inside="print(__name__)", noted="pass").partition("\n\nif __name__")
    main = f"from multiprocessing import Process\nfrom jobs import Job\n\nif __name__{rest}"
    assert reported({"train.py": main, "jobs.py": jobs}, "main-guard") == []


@each_row(
    ("inside", "noted", "found"),
    [
        ("print(self.own == id(self))", "self.own = id(self)", True),
        ("print(seen[id(self)])", "self.own = id(self)", True),
        ("print(self.table.get(id(self)))", "self.table = {id(self): 3}", True),
        ("print(id(self) in self.table)", "self.table = set(); self.table.add(id(self))", True),
        ("print(self.own == id(self))", "self.own = 3", False),
        ("print(self.own == id(self))", "print(id(self))", False),
        ("print(id(self))", "self.own = id(self)", False),
        ("self.table[id(self)] = 3", "self.own = id(self)", False),
    ],
)
def test_identities(inside: str, noted: str, found: bool) -> None:
    assert told(inside, noted) == ["the `id` of an object"] * found
