"""Facts that are equal but for the places that they name: a comment or a blank line moves all that is below it.

The value flow asks of places no more than which comes first and which are the same, so its answers are the same too,
with other places in them. Nor does it ask which number a call gets, but for those that the table of boundaries names.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import Any, TypeVar

from .records import FileFacts, Position

Point = tuple[int, int]  # line and column
T = TypeVar("T", int, Point)
_NOWHERE: Position = (0, 0, 0, 0)
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


def moves(before: FileFacts, now: FileFacts, numbers: Container[tuple[str, object]]) -> Moves | None:
    """Where the places of `before` are in `now`; None where more than the places differs, or their order.

    `numbers`: as of the table of boundaries. Any other says no more than that there is one.
    """
    if _without_places(before, numbers) != _without_places(now, numbers):
        return None
    points = _pairs(_points(before), _points(now))
    lines = _pairs(_lines(before, points or {}), _lines(now, (points or {}).values()))
    return Moves(now.path, lines, points) if lines is not None and points is not None else None


def _without_places(facts: FileFacts, numbers: Container[tuple[str, object]]) -> dict[str, Any]:
    """All that the facts say, whatever fields they have, but for where."""
    found: dict[str, Any] = {field.name: getattr(facts, field.name) for field in fields(facts)}
    del found["path"], found["lines"]
    found["edges"] = [edge[:2] for edge in facts.edges]
    for name in ("stores", "hooked"):
        found[name] = [(base, attribute, value, function) for base, attribute, value, _, function in found[name]]
    found["puts"] = [(container, value, key) for container, value, _, key in facts.puts]
    found["hazards"] = [hazard[:2] for hazard in facts.hazards]
    for name in ("distinguished", "type_tests"):
        found[name] = [what[:2] for what in found[name]]
    for name in ("calls", "functions", "classes"):
        found[name] = [replace(item, position=_NOWHERE) for item in found[name]]
    for call in found["calls"]:
        call.literals = {key: _said(key, value, numbers) for key, value in call.literals.items()}
    return found


def _said(argument: str | int, literal: object, numbers: Container[tuple[str, object]]) -> object:
    """What a constant argument of a call says; 0 and 1 are asked for as truth values too."""
    if (literal.__class__ is not int and literal.__class__ is not float) or literal in (0, 1):
        return literal
    name = argument if isinstance(argument, str) else ""
    return literal if (name, literal) in numbers else _A_NUMBER


def _points(facts: FileFacts) -> list[Point]:
    positions = [position for _, _, position in facts.hazards]
    for items in (facts.calls, facts.functions, facts.classes):
        positions += [item.position for item in items]
    return [point for position in positions for point in (position[:2], position[2:])]


def _lines(facts: FileFacts, points: Iterable[Point]) -> list[int]:
    found = [
        *facts.lines,
        *(edge[2] for edge in facts.edges),
        *(store[3] for rows in (facts.stores, facts.hooked) for store in rows),
    ]
    found += [*(put[2] for put in facts.puts), *(what[2] for what in (*facts.distinguished, *facts.type_tests))]
    return found + [line for line, _ in points]


def _pairs(before: list[T], now: list[T]) -> dict[T, T] | None:
    """By each place the one that it is now; None where it is two of these, or their order is another."""
    found: dict[T, T] = {}
    for old, new in zip(before, now, strict=True):
        if found.setdefault(old, new) != new:
            return None
    after = [found[place] for place in sorted(found)]
    return found if all(one < other for one, other in pairwise(after)) else None
