"""What is asked about the type of a view, or of what holds it: every type of which a list is one too, and others."""

from __future__ import annotations

from codemods.transforms.dict_views import RULE
from harness.each_row import each_row
from harness.rows import answer

PROGRAM = """\
import multiprocessing as mp

class Rows:
    def __init__(self, table):
        self.names = {kept}

    def use(self):
        {asked}

def work(rows):
    return rows.use()

def main(table):
    mp.Process(target=work, args=(Rows(table),)).start()
"""
SAME = [
    "str", "bytes", "bytearray", "int", "float", "complex", "bool", "dict", "OrderedDict", "defaultdict", "Mapping",
    "Number", "ndarray", "Tensor", "Path", "Iterable", "Sized", "Container", "Collection", "object",
]  # fmt: skip
LISTS = ["list", "Sequence", "MutableSequence"]
FIXED, REFUSED, UNSAFE = "fixed", "refused", "unsafe"


def outcome(asked: str, kept: str = "table.keys()") -> str:
    """What becomes of the view in line 5."""
    first = answer(RULE, {"main.py": PROGRAM.format(asked=asked.replace("\n", "\n        "), kept=kept)})[0]
    assert first.startswith("5 ")
    return UNSAFE if "(unsafe: " in first else REFUSED if ": " in first else FIXED


@each_row(
    "asked, expected",
    [
        *((f"return isinstance(self.names, {name})", FIXED) for name in SAME),
        *((f"return isinstance(self.names, collections.abc.{name})", FIXED) for name in ("Mapping", "Sized")),
        *((f"return isinstance(self.names, {name})", REFUSED) for name in (*LISTS, "set", "Set", "KeysView", "tuple")),
        ("return isinstance(self.names, (str, int))", FIXED),
        ("return isinstance(self.names, (str, list))", REFUSED),
        ("return isinstance(self.names, ())", REFUSED),
        ("return isinstance(self.names, types)", REFUSED),
        ("return type(self.names)", REFUSED),
        ("return hasattr(self.names, 'append')", FIXED),  # a set is kept, which has none either
        ("return hasattr(self.names, name)", REFUSED),
        ("return isinstance(1, self.names)", FIXED),
        *((f"assert isinstance(self.names, {name})", FIXED) for name in LISTS),
        ("assert isinstance(self.names, (list, tuple))", FIXED),
        ("assert isinstance(self.names, tuple)", REFUSED),
        ("assert not isinstance(self.names, list)", REFUSED),
        ("try:\n    assert isinstance(self.names, list)\nexcept AssertionError:\n    pass", REFUSED),
        ("with self.names:\n    assert isinstance(self.names, list)", REFUSED),
        ("return reversed(self.names).__class__", REFUSED),
        ("return type(iter(self.names))", REFUSED),
        ("return isinstance(iter(self.names), list)", REFUSED),
        ("return next(iter(self.names))", FIXED),
    ],
)
def test_what_is_asked(asked: str, expected: str) -> None:
    assert outcome(asked) == expected


@each_row(
    "asked, expected",
    [
        *((f"return isinstance(self.names, {name})", UNSAFE) for name in (*LISTS, "tuple", "(str, list)")),
        *((f"return isinstance(self.names, {name})", FIXED) for name in ("dict", "set", "(str, dict)")),
        ("return isinstance(1, self.names)", FIXED),
        ("return type(self.names)", FIXED),
    ],
)
def test_what_is_asked_of_a_list_with_a_view(asked: str, expected: str) -> None:
    assert outcome(asked, "[table.keys()]") == expected
