"""What is assigned to names, attributes, elements and tuples of these."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ...syntax.names import dotted
from ..kinds import ANY
from .attribute_dicts import attribute_of, owner_of_dict
from .builder import FactsBuilder
from .filled_later import kept_as, note_put
from .loaded_by_path import note_loaded
from .scope import SEVERAL, FactsScope
from .syntax import EACH, KEYS, MAX_PLACES, is_remade, literal_key, name_pattern, starred, transposed
from .taken_out import note_put_back

_SEQUENCE = (ast.Tuple, ast.List)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_STARS = (ast.Starred, ast.MatchStar)


class Targets(ABC):
    """Enters in the facts what the targets of assignments, loops and comprehensions get."""

    def __init__(self, builder: FactsBuilder) -> None:
        self.builder = builder
        self.loaded = False  # whether any module is loaded by its path

    @abstractmethod
    def value(self, node: ast.expr) -> int:
        """The node of the value of an expression, -1 where nothing could matter."""

    def clear(self, target: ast.Attribute, base: int) -> None:
        """Note that the attribute is taken away, or gets what does not matter; `files[1].handle = None` says it of one
        of several."""
        holder = target.value
        if not isinstance(holder, ast.Subscript) or isinstance(getattr(holder.slice, "value", None), str):
            self.builder.clear(base, target.attr)

    def assign(self, target: ast.expr, value: int, expression: ast.expr | None = None) -> None:
        """Assign `value`, which is what `expression` gives where one is written, to `target`."""
        builder = self.builder
        value = kept_as(builder, target, value, expression)
        if isinstance(target, ast.Name):
            constant = expression.value if isinstance(expression, ast.Constant) else name_pattern(expression) or SEVERAL
            builder.bind(target.id, value, constant)
            if value < 0 and isinstance(expression, ast.Constant):
                builder.bind_nothing(target.id)
            self.loaded = note_loaded(builder.scope, target.id, expression) or self.loaded
        elif isinstance(target, ast.Attribute):
            base = self.value(target.value)
            self.sets_attribute(target, base)
            if target.attr in builder.narrowed:
                builder.keep(dotted(target), value)
            if base >= 0 and target.attr == "start":
                builder.facts.not_started.append((base, builder.block_start, builder.block_end))
            if base >= 0 and value >= 0:
                whole = target.attr == "__dict__"
                name, stored = (ANY, builder.element(value)) if whole else (target.attr, value)
                builder.stores.append((base, name, stored, target.lineno, builder.scope.function))
            if value < 0 and isinstance(expression, ast.Constant):
                self.clear(target, base)
            elif isinstance(expression, ast.Name) and not (
                builder.in_function and expression.id in builder.scope.bound
            ):
                self.clear(target, base)  # where that is a function of a module: see `Moments`
            elif isinstance(expression, _DISPLAYS) or is_remade(expression):
                self.clear(target, base)  # where it holds nothing that matters
        elif isinstance(target, ast.Subscript):
            base, key = self.value(target.value), self.value(target.slice)
            builder.distinguish(key, "a key of a dict", target.lineno)
            if base >= 0 and key >= 0:
                builder.puts.append((base, key, builder.line, KEYS))
            note_put(builder, target.value, value)
            note_put_back(builder, target.value)
            owner = owner_of_dict(target.value)
            if owner is not None and (named := self.value(owner)) >= 0 and value >= 0:
                name = attribute_of(target)
                builder.stores.append((named, name, value, target.lineno, builder.scope.function))
            if base >= 0 and value >= 0:
                builder.puts.append((base, value, builder.line, literal_key(target.slice)))
                builder.by_key(base, value, target.slice)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, _SEQUENCE):
            same_shape = isinstance(expression, _SEQUENCE) and len(expression.elts) == len(target.elts)
            if same_shape and not any(isinstance(e, ast.Starred) for e in [*expression.elts, *target.elts]):  # type: ignore[union-attr]
                for inner, part in zip(target.elts, expression.elts, strict=True):  # type: ignore[union-attr]
                    self.assign(inner, self.value(part), part)
                return
            if isinstance(expression, _SEQUENCE) and not starred(expression.elts) and starred(target.elts):
                parts = [self.value(part) for part in expression.elts]
                elements = self._split(target.elts, parts)
            elif (rows := transposed(expression)) is not None and not starred(target.elts):
                elements = self._columns(len(target.elts), self.value(rows))
            else:
                elements = self._unpack(target.elts, value)
            for inner, element in zip(target.elts, elements, strict=True):
                self.assign(inner, element)

    def sets_attribute(self, target: ast.Attribute, base: int) -> None:
        """Note that an object gets an attribute; what a method sets on `self` is no evidence about functions."""
        builder = self.builder
        if not (isinstance(target.value, ast.Name) and target.value.id == "self"):
            builder.distinguish(base, f"given the attribute `{target.attr}`", target.lineno)
            return
        scope: FactsScope | None = builder.scope
        while scope is not None and scope.owner < 0:
            scope = scope.parent
        if scope is not None:
            owner = builder.facts.classes[scope.owner]
            (owner.sets_again if target.attr in owner.sets else owner.sets).add(target.attr)

    def iterate(self, target: ast.expr, value: int) -> None:
        """`for target in value`."""
        self.assign(target, self.builder.element(value, EACH) if value >= 0 else -1)

    def bind_inner(self, target: ast.expr, value: int) -> None:
        """Bind the target of a comprehension in the comprehension's own scope."""
        builder = self.builder
        if isinstance(target, ast.Name):
            builder.scope.bound.add(target.id)
            builder.edge(value, builder.variable(target.id))
        elif isinstance(target, _SEQUENCE):
            for inner, element in zip(target.elts, self._unpack(target.elts, value), strict=True):
                self.bind_inner(inner, element)
        elif isinstance(target, ast.Starred):
            self.bind_inner(target.value, value)
        else:
            self.assign(target, value)

    def _unpack(self, targets: Sequence[ast.expr | ast.pattern], value: int) -> list[int]:
        """A node for each of the targets that `value` is unpacked into."""
        if value < 0:
            return [-1] * len(targets)
        star = next((at for at, target in enumerate(targets) if isinstance(target, _STARS)), len(targets))
        found = [self.builder.element(value, f"#{at}" if at < star else "") for at in range(len(targets))]
        if star < len(found):
            found[star] = self.builder.container([found[star]], "list")
        return found

    def _columns(self, number: int, rows: int) -> list[int]:
        """A node for each of the columns of the container `rows` of rows."""
        if rows < 0:
            return [-1] * number
        row = self.builder.element(rows, EACH)
        return [self.builder.container([self.builder.element(row, f"#{at}")], "tuple") for at in range(number)]

    def _split(self, targets: Sequence[ast.expr], parts: Sequence[int]) -> list[int]:
        """A node for each of the targets, one of them starred, that these values are unpacked into."""
        star = next(at for at, target in enumerate(targets) if isinstance(target, ast.Starred))
        behind = len(targets) - star - 1
        rest = parts[star : len(parts) - behind]
        items = [(f"#{at}", part) for at, part in enumerate(rest[:MAX_PLACES]) if part >= 0]
        others = [part for part in rest[MAX_PLACES:] if part >= 0]
        held = self.builder.container(others, "list", items) if items or others else -1
        return [*parts[:star], held, *parts[len(parts) - behind :]]

    def bind_pattern(self, pattern: ast.pattern, value: int) -> None:
        """Bind the names of `case pattern`, where the subject is `value`."""
        builder = self.builder
        if isinstance(pattern, (ast.MatchAs, ast.MatchStar)):
            if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
                self.bind_pattern(pattern.pattern, value)
            if pattern.name is not None:
                builder.bind(pattern.name, value)
        elif isinstance(pattern, ast.MatchSequence):
            for inner, element in zip(pattern.patterns, self._unpack(pattern.patterns, value), strict=True):
                self.bind_pattern(inner, element)
        elif isinstance(pattern, ast.MatchMapping):
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
                self.bind_pattern(inner, builder.element(value, literal_key(key)) if value >= 0 else -1)
            if pattern.rest is not None:
                builder.bind(pattern.rest, value)
        elif isinstance(pattern, ast.MatchClass):
            for inner in pattern.patterns:  # the subject, or what it keeps
                self.bind_pattern(inner, value)
            for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                self.bind_pattern(inner, builder.load(value, attribute, pattern.lineno) if value >= 0 else -1)
        elif isinstance(pattern, ast.MatchOr):
            for inner in pattern.patterns:
                self.bind_pattern(inner, value)
