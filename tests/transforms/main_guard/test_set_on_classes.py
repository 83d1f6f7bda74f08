"""Attributes that a class method sets on its class, and nothing else gives a value: a spawned worker has none."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import multiprocessing as mp


class Base:
    {body}

    @classmethod
    def setup(cls, size):
        cls.size = size

    @classmethod
    def cut(cls, row):
        return row * cls.size

    def grow(self, row):
        return row + self.size


class Table(Base):
    {own}


def work(row):
    {work}


def main():
    {main}
    with mp.Pool(2{pool}) as pool:
        print(pool.map(work, [1, 2]))


{top}
if __name__ == "__main__":
    main()
"""
SETUP = "Table.setup(3)"


def lost(
    work: str, body: str = "rows = 1", own: str = "pass", main: str = SETUP, pool: str = "", top: str = ""
) -> list[tuple[int, str]]:
    """The lines where workers lack it, each with what they are said to have."""
    text = TEXT.format(work=work, body=body, own=own, main=main, pool=pool, top=top)
    found = reported({"a.py": text}, "main-guard")
    assert all(each.fix is None and "`initializer` of a pool" in (each.reason or "") for each in found)
    return [(each.span.line, each.message.rpartition("a spawned worker ")[2]) for each in found]


@each_row(
    "work, body, line",
    [
        ("return Table.cut(row)", "rows = 1", 13),
        ("return Table.size + row", "rows = 1", 24),
        ("return Base.size + row", "rows = 1", 24),
        ("return Table().grow(row)", "rows = 1", 16),
        ("return Base.cut(row)", "size: int", 13),
    ],
)
def test_only_main_sets_it(work: str, body: str, line: int) -> None:
    assert lost(work, body) == [(line, "has no `size`")]


def test_what_the_body_gives_it() -> None:
    assert lost("return Table.cut(row)", "size = 1") == [(13, "has what a.py says")]


TRIES = """try:
        return Table.size
    except AttributeError:
        return row"""


@each_row(
    "work, others",
    [
        ("return row", {}),
        ("return Table.cut(row)", {"main": "pass"}),
        ("Table.setup(row)\n    return Table.cut(row)", {}),  # the worker sets it itself
        ("return Table.cut(row)", {"pool": ", initializer=Table.setup, initargs=(3,)"}),
        ("return Table.cut(row)", {"top": SETUP, "main": "pass"}),  # the import of the script sets it
        (TRIES, {}),
        ("return Table().grow(row)", {"own": "def __init__(self):\n        self.size = 3"}),
        ("return Base().grow(row)", {"own": "def __init__(self):\n        self.size = 3"}),  # it may be one of these
        ("return Table.cut(row)", {"own": "size = 3"}),
        ("return Table.size(row)", {"own": "def size(row):\n        return row"}),
        ("return Table().grow(row)", {"own": "def __init__(self, **options):\n        self.__dict__.update(options)"}),
        ("return Table().grow(row)", {"own": "def __init__(self):\n        setattr(self, 'si' + 'ze', 3)"}),
        ("table = Table()\n    table.size = 3\n    return table.grow(row)", {}),
        ("return Table.cut(row)", {"body": "def __init_subclass__(cls):\n        cls.setup(3)"}),
        ("return Table().grow(row)", {"own": "def __getattr__(self, name):\n        return 3"}),
    ],
)
def test_look_alikes(work: str, others: dict[str, str]) -> None:
    assert not [each for each in lost(work, **others) if "has no" in each[1]]


def test_what_a_metaclass_sets() -> None:
    meta = "class Meta(type):\n    def __init__(cls, *parts):\n        cls.setup(3)\n\n\nclass Base(metaclass=Meta):"
    text = TEXT.format(work="return Table.cut(row)", body="rows = 1", own="pass", main=SETUP, pool="", top="")
    assert not reported({"a.py": text.replace("class Base:", meta)}, "main-guard")


def test_an_object_of_another_class_is_none_of_it() -> None:
    top = "class Other:\n    pass\n\n\nother = Other()\nother.size = 3\n"
    assert lost("return Table().grow(row)", top=top) == [(16, "has no `size`")]


STARTED = """\
import multiprocessing as mp
{head}

class Task(mp.Process{more}):
    @classmethod
    def named(cls, name):
        cls.{name} = name

    def run(self):
        print(self.{name})

if __name__ == "__main__":
    Task.named("loader")
    Task().start()
"""


@each_row(
    ("head", "more", "name"),
    [
        ("", "", "name"),  # the library gives it one
        ("", "", "title"),  # nothing is known of it
        ("from library import Named", ", Named", "title"),
    ],
)
def test_what_a_base_class_from_elsewhere_may_give_it(head: str, more: str, name: str) -> None:
    (found,) = reported({"a.py": STARTED.format(head=head, more=more, name=name)}, "main-guard")
    assert found.message.endswith(f"a spawned worker has at most what a base class gives `{name}`")
