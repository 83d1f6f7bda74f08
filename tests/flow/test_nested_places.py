"""What stands around a place of a file."""

from __future__ import annotations

from codemods.flow.solve.program import Nested

SPANS = [
    ((1, 0), (9, 4), 10),
    ((2, 4), (4, 8), 11),
    ((3, 8), (3, 20), 12),
    ((5, 4), (9, 4), 13),
    ((12, 0), (14, 1), 14),
]


def test_the_innermost_stretch_around_a_place() -> None:
    nested = Nested(reversed(SPANS))
    places = {
        (1, 0): 10,
        (2, 9): 11,
        (3, 9): 12,
        (4, 0): 11,
        (4, 9): 10,
        (7, 0): 13,
        (10, 0): -1,
        (13, 0): 14,
        (0, 5): -1,
    }
    assert {place: nested.around(place, place) for place in places} == places


def test_a_stretch_that_ends_in_another_one_is_in_none_of_both() -> None:
    nested = Nested(SPANS)
    assert nested.around((3, 9), (4, 0)) == 11
    assert nested.around((8, 0), (10, 0)) == -1


def test_no_stretches() -> None:
    assert Nested(()).around((1, 0), (1, 1)) == -1
