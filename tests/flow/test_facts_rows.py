"""Facts in arrays: the same rows come out, as one object in place of many, also from the cache."""

from __future__ import annotations

import ast
import gc
import pickle

from codemods.flow.facts.collector import facts_of
from codemods.flow.facts.rows import Numbers, Rows
from harness.each_row import each_row

ROWS: list[list[tuple[int | str, ...]]] = [
    [],
    [(1, 2, 3), (4, 5, 2**31 - 1)],
    [(1, "a", 2), (3, "", -1)],
    [("b", 1)],
    [(1, 2, 3, "key"), (1, 2, 3, "key")],
]


@each_row("rows", ROWS)
def test_rows_are_what_was_packed(rows: list[tuple[int | str, ...]]) -> None:
    packed: Rows[tuple[int | str, ...]] = Rows.of(rows)
    assert list(packed) == list(packed) == rows
    assert len(packed) == len(rows)
    assert bool(packed) == bool(rows)
    read = pickle.loads(pickle.dumps(packed, 5))
    assert read == packed
    assert hash(read) == hash(packed)
    assert list(read) == rows


def test_rows_differ_where_a_number_a_text_or_its_place_does() -> None:
    tables: list[list[tuple[int | str, ...]]] = [
        *ROWS,
        [(1, 2, 4), (4, 5, 2**31 - 1)],
        [(1, 3, "key")],
        [(1, "key", 3)],
    ]
    packed = [Rows.of(rows) for rows in tables]
    assert all((one == other) == (one is other) for one in packed for other in packed)
    assert packed[0] != ()


def test_numbers_keep_their_class_in_a_pickle() -> None:
    read = pickle.loads(pickle.dumps(Numbers([1, -1, 300]), 5))
    assert type(read) is Numbers
    assert list(read) == [1, -1, 300]


def _objects(of: object) -> int:
    """How many objects one refers to, at any depth; classes and what all share left out."""
    seen: dict[int, object] = {}
    todo = [of]
    while todo:
        each = todo.pop()
        if id(each) not in seen and not isinstance(each, type):
            seen[id(each)] = each
            todo += gc.get_referents(each)
    return len(seen)


@each_row(
    ("line", "most"),
    [
        ("y = x\n", 0.5),  # an edge
        ("y = x.a\n", 0.5),  # a load
        ("x.a = y\n", 3.0),  # a store, and that `x` is distinguished from others
        ("y = x['k']\n", 0.5),  # an element
        ("x['k'] = y\n", 0.5),  # something put in
        ("y = x(1)\n", 7.0),  # a call: itself, its arguments and literals, its place, and the numbers in them
    ],
)
def test_a_line_costs_few_objects(line: str, most: float) -> None:
    """Counted, not weighed: an object is 32 to 128 bytes. Lines are told apart by their numbers, not by their names."""
    begin = "def f(x, y):\n"
    few, many = (_objects(facts_of("a.py", ast.parse(begin + f"    {line}" * count))) for count in (1_000, 2_000))
    assert (many - few) / 1_000 <= most
