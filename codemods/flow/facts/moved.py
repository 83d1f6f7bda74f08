"""Facts that are equal but for the places that they name: a comment or a blank line moves all that is below it.

The value flow asks of places no more than which comes first and which are the same, so its answers are the same too,
with other places in them. Nor does it ask which number a call gets, but for those that the table of boundaries names.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .records import POSITION, FileFacts, Position
from .rows import Numbers, Rows

Point = tuple[int, int]  # line and column
T = TypeVar("T", int, Point)
_A_NUMBER = object()


class NoSuchPlace(Exception):
    """The facts name no such place."""


class Moves:
    """Where the places of one file are now."""

    def __init__(self, path: str, lines: dict[int, int], points: dict[Point, Point]) -> None:
        self._path, self._lines, self._points = path, lines, points
        self._mention = re.compile(rf"(?<![\w/.-]){re.escape(path)}:(\d+)\b")

    def applied(self, value: Any) -> Any:
        """`value`, an answer or a question of the flow, with the places as they are now. Raises NoSuchPlace."""
        if isinstance(value, str):
            return self._mention.sub(lambda match: f"{self._path}:{self._line(int(match[1]))}", value)
        if isinstance(value, list):
            return [self.applied(item) for item in value]
        if isinstance(value, tuple):
            return self._tuple(value)
        if is_dataclass(value) and not isinstance(value, type):
            changed = {field.name: self.applied(getattr(value, field.name)) for field in fields(value)}
            if changed.get("path") == self._path:
                changed |= self._placed(changed)
            return replace(value, **changed)
        if value is None or isinstance(value, (bool, int, Enum, frozenset)):
            return value
        raise NoSuchPlace(type(value).__name__)

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """A path is followed by a line, or by a line and a column."""
        if hasattr(value, "_fields"):
            found = {name: self.applied(item) for name, item in zip(value._fields, value, strict=True)}
            return type(value)(**found | (self._placed(found) if found.get("path") == self._path else {}))
        done = [self.applied(item) for item in value]
        at = value.index(self._path) if self._path in value else len(value)
        match value[at + 1 : at + 3]:
            case (int(line), int(column)):
                done[at + 1 : at + 3] = self._point(line, column)
            case (int(line), *_):
                done[at + 1] = self._line(line)
        return tuple(done)

    def _placed(self, found: dict[str, Any]) -> dict[str, int]:
        placed: dict[str, int] = {}
        for line, column in (("line", "column"), ("end_line", "end_column")):
            if column in found:
                placed[line], placed[column] = self._point(found[line], found[column])
            elif line in found:
                placed[line] = self._line(found[line])
        return placed

    def _line(self, line: int) -> int:
        if line not in self._lines:
            raise NoSuchPlace
        return self._lines[line]

    def _point(self, line: int, column: int) -> Point:
        if (line, column) not in self._points:
            raise NoSuchPlace
        return self._points[line, column]


class Numbered:
    """What numbers in calls say: those that the table of boundaries names, and what others are `compared` with.

    Of any other it is said no more than that there is one.
    """

    def __init__(self, named: Container[tuple[str, object]] = (), compared: Iterable[int] = ()) -> None:
        """`named`: with the parameter."""
        self._named, self._compared = named, sorted(compared)

    def said(self, argument: str | int, literal: object) -> object:
        """What a constant argument of a call says; 0 and 1 are asked for as truth values too."""
        if (literal.__class__ is not int and literal.__class__ is not float) or literal in (0, 1):
            return literal
        if (argument if isinstance(argument, str) else "", literal) in self._named:
            return literal
        if not self._compared or isinstance(literal, float):
            return _A_NUMBER, bool(self._compared)
        return _A_NUMBER, bisect_left(self._compared, literal), bisect_right(self._compared, literal)


def moves(before: FileFacts, now: FileFacts, numbers: Numbered | None) -> Moves | None:
    """Where the places of `before` are in `now`; None where more than the places differs, or their order.

    `numbers`: None where each counts.
    """
    old, new = Places(), Places()
    if _without(before, old, numbers) != _without(now, new, numbers):
        return None
    points = _pairs(old.points, new.points)
    lines = _pairs(old.all_lines(), new.all_lines())
    return Moves(now.path, lines, points) if lines is not None and points is not None else None


class Places:
    """The places that some facts name, in the order in which they do."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.points: list[Point] = []

    def all_lines(self) -> list[int]:
        """Those of the points, too."""
        return self.lines + [line for line, _ in self.points]


_Take = Callable[[Any, Places], Any]  # gives the value without its places, and notes them


def _without(facts: FileFacts, places: Places, numbers: Numbered | None) -> dict[str, Any]:
    """All that the facts say, whatever fields they have, but for where."""
    takes = _fields_of(FileFacts)
    found: dict[str, Any] = {field.name: getattr(facts, field.name) for field in fields(facts)}
    del found["path"]
    for name, take in takes.items():
        found[name] = take(found[name], places)
    if numbers is not None:
        for call in found["calls"]:
            call.literals = {key: numbers.said(key, value) for key, value in call.literals.items()}
    return found


def with_places() -> Iterable[str]:
    """The fields of the facts of a file that name places."""
    return _fields_of(FileFacts)


@functools.cache
def _fields_of(kind: type) -> dict[str, _Take]:
    """The fields of a class that have places in them, and how these are taken out."""
    hints = get_type_hints(kind, include_extras=True)
    takes = ((name, _take(hint)) for name, hint in hints.items())
    return {name: take for name, take in takes if take is not None}


@functools.cache
def _take(hint: Any) -> _Take | None:
    """How places are taken out of a value of this type; None where there are none in it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _position if arguments[1] == POSITION else _lines if arguments[0] is Numbers else _line
    if hint is object:
        return _object
    if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields")):
        return _object if _fields_of(hint) else None
    parts = [_take(part) for part in arguments if part is not ...]
    if not any(parts):
        return None
    if origin in (list, Rows) or (origin is tuple and ... in arguments):
        (each,) = parts
        assert each is not None
        return lambda value, places: [each(item, places) for item in value]
    if origin is tuple:
        at = [(place, part) for place, part in enumerate(parts) if part is not None]
        return functools.partial(_row, at)
    if origin in (dict, Mapping):
        return lambda value, places: {key: _object(item, places) for key, item in value.items()}
    assert origin in (UnionType, Union), hint
    return _object


def _line(value: int, places: Places) -> None:
    places.lines.append(value)


def _lines(value: Numbers, places: Places) -> int:
    places.lines += value
    return len(value)


def _position(value: Position, places: Places) -> None:
    places.points += (value[:2], value[2:])


def _row(parts: Iterable[tuple[int, _Take]], row: tuple[Any, ...], places: Places) -> list[Any]:
    found = [*row]
    for at, part in parts:
        found[at] = part(row[at], places)
    return found


def _object(value: Any, places: Places) -> Any:
    """An object of one of our classes, or something plain: a pair of the kinds that such fields hold."""
    if value.__class__ is tuple:
        return tuple(_object(item, places) for item in value)
    kind: Any = type(value)
    if hasattr(kind, "_fields") or is_dataclass(kind):
        taken = {name: take(getattr(value, name), places) for name, take in _fields_of(kind).items()}
        return value._replace(**taken) if hasattr(kind, "_fields") else replace(value, **taken)
    return value


def _pairs(before: list[T], now: list[T]) -> dict[T, T] | None:
    """By each place the one that it is now; None where it is two of these, or their order is another."""
    found: dict[T, T] = {}
    for old, new in zip(before, now, strict=True):
        if found.setdefault(old, new) != new:
            return None
    after = [found[place] for place in sorted(found)]
    return found if all(one < other for one, other in pairwise(after)) else None
