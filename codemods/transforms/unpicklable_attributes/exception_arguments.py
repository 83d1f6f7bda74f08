"""Exceptions that pass something else on to `super().__init__` than they were made with.

Pickle keeps what that got, in `args`, and makes the copy with it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...finding import Finding, Hop, Refused
from ...flow.answers.crossings import flow_of
from ...nodes import walk
from ...syntax.names import last_name
from .classes import Method, Shape
from .family import Family
from .own_reducers import registered
from .screen import ID

if TYPE_CHECKING:
    from .search import Search

_SAYS = frozenset({"__reduce__", "__reduce_ex__", "__new__", "__setstate__", "__getstate__"})
_INIT = "__init__"


class Passed(NamedTuple):
    """What `super().__init__` gets, and whether the copy can't be made with that."""

    values: list[ast.expr]
    stops: bool


def copied_with_others(search: Search, path: str) -> Iterator[Finding]:
    """One per such class whose objects cross."""
    for shape, (passed, stops) in search.exceptions(path):
        method, name = shape.methods[_INIT], shape.node.name
        source = search.project.source(path)
        found = flow_of(search.project).instances(path, shape.node.lineno)
        if source is None or found is None or not found.confidence.reaches(search.project.bar_of(path)):
            continue
        given = ", ".join(f"`{ast.unparse(each)}`" for each in passed) or "nothing"
        end = "a worker process stops with `TypeError`" if stops else "the copy says something else"
        message = f"pickle makes the copy of `{name}` with what `super().__init__` got ({given}): {end}"
        needed = ", ".join(each.arg for each in _parameters(method))
        reason = (
            f"pass {needed} on to `super().__init__` as they are and let `__str__` make the text, or let `__reduce__` "
            "of the class return the class and these"
        )
        hop = Hop(path, method.lineno, "pickle makes the copy here")
        span = source.span_of(_parameters(method)[-1])
        yield Finding.answered(ID, path, span, message, found.confidence, (hop, *found.trace), Refused(reason))


def passed_on(family: Family, shape: Shape) -> Passed | None:
    """What the class's own `__init__` gives to that of Python's exception, where that is not what it gets itself."""
    method = shape.methods.get(_INIT)
    line = [*family.line(shape)]
    if method is None or method.decorator_list or any(_SAYS & each.methods.keys() for each in line):
        return None
    above = [each for each in line if each is not shape and _INIT in each.methods]
    if above or not _are_exceptions(family.foreign(shape)) or registered(family, shape) is not None:
        return None
    arguments = method.args
    needed = _parameters(method)
    required = len(needed) - len(arguments.kwonlyargs) - len(arguments.defaults)
    only = [value for value in arguments.kw_defaults if value is None]
    calls = [node for node in walk(method) if isinstance(node, ast.Call) and last_name(node.func) == _INIT]
    changes = (node for node in walk(method) if isinstance(node, ast.Attribute) and node.attr == "args")
    if len(calls) != 1 or calls[0].keywords or not needed or any(changes):
        return None
    given = calls[0].args
    if not (isinstance(calls[0].func, ast.Attribute) and _is_super(calls[0].func.value)):
        given = given[1:]  # `Exception.__init__(self, text)`
    if any(isinstance(each, ast.Starred) for each in given):
        return None
    if only or len(given) < required or (len(given) > len(needed) and arguments.vararg is None):
        return Passed(given, stops=True)
    return Passed(given, stops=False) if any(map(_is_put_together, given)) else None


def _parameters(method: Method) -> list[ast.arg]:
    """Those after `self` that may be given by name or by position."""
    return [*method.args.posonlyargs, *method.args.args][1:] + method.args.kwonlyargs


def _is_put_together(value: ast.expr) -> bool:
    """A text made of what was given; made again of that text, it is another one."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute) and value.func.attr == "format"
    return isinstance(value, ast.BinOp) or (
        isinstance(value, ast.JoinedStr) and any(isinstance(part, ast.Constant) for part in value.values)
    )


def _is_super(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "super"


def _are_exceptions(names: list[str]) -> bool:
    """Exceptions of Python, all of which pickle by `args`; some keep more, like the number of an OSError."""
    found = [getattr(builtins, name.removeprefix("builtins."), None) for name in names]
    return bool(found) and all(
        isinstance(each, type)
        and issubclass(each, BaseException)
        and each.__reduce__ is BaseException.__reduce__
        and not issubclass(each, (OSError, SyntaxError, UnicodeError))
        for each in found
    )
