"""Rows of facts side by side in one array: a tuple each would take ten times the memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    _Array = array[int]
else:
    _Array = array

Row = TypeVar("Row", bound="tuple[int | str, ...]")


class Numbers(_Array):
    """Numbers of 32 bits, which are pickled as bytes."""

    __slots__ = ()

    def __new__(cls, values: bytes | Iterable[int] = b"") -> Numbers:
        made: Numbers = super().__new__(cls, "i", values)  # type: ignore[assignment]
        return made

    def __reduce_ex__(self, protocol: object) -> Any:
        return Numbers, (self.tobytes(),)


class Rows(Generic[Row]):
    """A table that does not change. A row has numbers, and one text where all rows have it at the same place."""

    __slots__ = ("_numbers", "_place", "_texts", "_width")

    def __init__(self, numbers: Numbers, texts: tuple[str, ...] = (), place: int = -1, width: int = 1) -> None:
        """`numbers`: of all rows, `width` of each. `texts`: the one of each row, which stands at `place`, if not -1."""
        self._numbers, self._texts, self._place, self._width = numbers, texts, place, width

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows[Row]:
        """The same rows, packed."""
        columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
        place = next((at for at, column in enumerate(columns) if isinstance(column[0], str)), -1)
        texts = columns.pop(place) if place >= 0 else ()
        return cls(Numbers(chain.from_iterable(zip(*columns, strict=True))), texts, place, len(columns) or 1)

    def __iter__(self) -> Iterator[Row]:
        numbers = iter(self._numbers)
        columns: list[Iterable[int | str]] = [numbers] * self._width
        if self._place >= 0:
            columns.insert(self._place, self._texts)
        return cast("Iterator[Row]", zip(*columns, strict=False))

    def __len__(self) -> int:
        return len(self._numbers) // self._width

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self._texts, self._place, self._width, len(self._numbers)))

    def __reduce__(self) -> Any:
        return Rows, (self._numbers, self._texts, self._place, self._width)
