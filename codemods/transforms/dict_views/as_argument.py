"""A view that is an argument of a call: which parameter takes it, and what well-known functions do with it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .as_text import AS_TEXT, LOGGING, TEXT_FUNCTIONS, only_shown
from .holders import Difference, Holder, HolderKind, argument_of, stored

_TYPE_TESTS = frozenset(("isinstance", "type", "hasattr"))
_ITERATORS = frozenset(("reversed", "iter"))
_SAME_ANSWER = frozenset(  # a list is one of these where a view is one
    ["str", "bytes", "bytearray", "int", "float", "complex", "bool", "dict", "OrderedDict", "defaultdict", "Mapping",
     "Number", "ndarray", "Tensor", "Path", "Iterable", "Sized", "Container", "Collection", "object"]
)  # fmt: skip
_LISTS = frozenset(("list", "Sequence", "MutableSequence"))
_SEQUENCES = frozenset(("list", "tuple", "Sequence", "MutableSequence"))
_EQUALITY = frozenset(("assertEqual", "assertEquals", "assertNotEqual", "assertSetEqual"))
_ENCODERS = frozenset(("dump", "dumps"))
_APPENDING = frozenset(("append", "appendleft", "insert", "setdefault"))


@dataclass(frozen=True)
class Argument:
    """`node` is an argument of `call`, and `value`, the view, is it or a part of it.

    `nested`: a container is in between; `reached`: `node` may be the view itself; `hops`: steps so far.
    """

    outline: Outline
    call: ast.Call
    node: ast.AST
    value: ast.AST
    nested: bool
    reached: bool
    hops: int

    def effects(self) -> tuple[list[Holder], list[Difference]]:
        """Who refers to the view next, and what the call does with it on the spot."""
        known = self._known_function()
        return (self._parameters(), []) if known is None else known

    def _known_function(self) -> tuple[list[Holder], list[Difference]] | None:
        """What a well-known function or method does; None for others."""
        func, arguments = self.call.func, self.call.args
        plain, method = isinstance(func, ast.Name), isinstance(func, ast.Attribute)
        name = last_name(func) if plain or method else ""
        if plain and name in _TYPE_TESTS and self.reached and arguments and arguments[0] is self.node:
            same = self._same_types() or (name == "isinstance" and self._asserts_a_list())
            return [], [] if same else self._problem("asks for its type")
        if plain and name in _ITERATORS and self.reached and self._asks_type():
            return [], self._problem("asks for the type of its iterator")
        if plain and name == "isinstance" and self.nested and arguments and arguments[0] is self.node:
            parts = [last_name(part) for item in arguments[1:] for part in getattr(item, "elts", [item])]
            text = "asks whether what holds it is a list, and may ask that of it as well"
            return [], [] if _SEQUENCES.isdisjoint(parts) else self._problem(text, fatal=False)
        if (plain and name in TEXT_FUNCTIONS) or (method and name in LOGGING):
            return [], [] if only_shown(self.outline, self.node) else self._problem(AS_TEXT, fatal=False)
        if qualified_name(self.outline, func).startswith("numpy.") and self.reached:
            text = "passes it to NumPy, which takes a list for a row of values and a view for one object"
            return [], self._problem(text, fatal=False)
        if any(qualified_name(self.outline, item).startswith("operator.") for item in [func, *arguments]):
            return [], self._problem("passes it to an operator that a list may not have")
        if name in _ENCODERS and (told := self._told_to_encode()) is not None:
            return [], self._problem(f"passes it to `{name}`, where `{told}=` gets a view, and a list is known")
        if name in _EQUALITY and self.reached:
            return [], self._problem(f"compares it with `{name}`, to which a list gives another answer")
        if isinstance(func, ast.Attribute) and name in _APPENDING:
            return list(stored(self.outline, func.value, True, self.hops, inside=True)), []
        return self._set_as_attribute() if name == "setattr" else None

    def _told_to_encode(self) -> str | None:
        """What `json.dumps` is given for what it does not know: a keyword other than `default=list`."""
        return next(
            (
                word.arg
                for word in self.call.keywords
                if word.arg in ("default", "cls") and last_name(word.value) not in ("list", "tuple")
            ),
            None,
        )

    def _problem(self, text: str, fatal: bool = True) -> list[Difference]:
        return [Difference(self.outline.path, getattr(self.node, "lineno", self.call.lineno), text, fatal)]

    def _asks_type(self) -> bool:
        """`reversed(view).__class__`, `type(iter(view))`"""
        above = self.outline.parents[self.call]
        if isinstance(above, ast.Attribute):
            return above.attr == "__class__"
        return isinstance(above, ast.Call) and above.func is not self.call and last_name(above.func) in _TYPE_TESTS

    def _same_types(self) -> bool:
        """The types of the test are such that a list is one where a view is."""
        asked = self.call.args[1:]
        types = asked[0].elts if asked and isinstance(asked[0], ast.Tuple) else asked
        return bool(types) and all(last_name(item) in _SAME_ANSWER for item in types)

    def _asserts_a_list(self) -> bool:
        """`assert isinstance(view, list)`: it stops the program today, and a list is what it asks for."""
        asked = self.call.args[1:]
        types = asked[0].elts if asked and isinstance(asked[0], ast.Tuple) else asked
        above = [*self.outline.ancestors(self.call)]
        asserted = bool(above) and isinstance(above[0], ast.Assert) and above[0].test is self.call
        caught = any(isinstance(each, (ast.Try, ast.With)) for each in above)
        return asserted and not caught and any(last_name(item) in _LISTS for item in types)

    def _set_as_attribute(self) -> tuple[list[Holder], list[Difference]] | None:
        """`setattr(x, "name", view)`"""
        arguments = self.call.args
        if len(arguments) != 3 or arguments[2] is not self.node or not isinstance(arguments[1], ast.Constant):
            return None
        name = str(arguments[1].value)
        return [Holder(HolderKind.ATTRIBUTE, name, nested=self.nested, hops=self.hops, place=self.call)], []

    def _parameters(self) -> list[Holder]:
        """The parameters that the view may get to."""
        func, arguments = self.call.func, self.call.args
        keyword = self.node if isinstance(self.node, ast.keyword) else None
        if keyword is not None and keyword.arg is not None and keyword.arg not in ("args", "kwargs"):
            return [argument_of(self.outline, func, keyword.arg, self.nested, self.hops)]
        called = self._called_later()
        inner = keyword.value if keyword is not None else self.node
        found: list[Holder] = []
        if isinstance(inner, ast.Tuple) and inner is not self.value and called is not None:
            for at, item in enumerate(inner.elts):  # Process(target=f, args=(view,))
                if is_inside(self.outline, self.value, item):
                    direct = is_direct(self.outline, self.value, item)
                    found.append(argument_of(self.outline, called, at, not direct, self.hops))
        index = next((at for at, item in enumerate(arguments) if item is self.node), None)
        if index is None or any(isinstance(item, ast.Starred) for item in arguments[:index]):
            return found
        if called is not None and index > 0:  # executor.submit(f, view)
            found.append(argument_of(self.outline, called, index - 1, self.nested, self.hops))
        return [*found, argument_of(self.outline, func, index, self.nested, self.hops)]

    def _called_later(self) -> ast.expr | None:
        """`target=f`, or a first argument that may be a function."""
        target = next((item.value for item in self.call.keywords if item.arg == "target"), None)
        first = self.call.args[0] if self.call.args else None
        if target is None and isinstance(first, (ast.Name, ast.Attribute)) and first is not self.node:
            return first
        return target


def is_inside(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    """`node` is `part`, or below it."""
    return node is part or part in outline.ancestors(node)


def is_direct(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    """No container lies between `node` and `part`."""
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.Call, ast.ListComp, ast.DictComp)):
            return not is_inside(outline, parent, part)
        if parent is part:
            return True
    return True
