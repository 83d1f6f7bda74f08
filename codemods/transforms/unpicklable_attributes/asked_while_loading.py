"""Classes whose `__getattr__` fails while a copy is unpickled: pickle asks it for `__setstate__` before any attribute.

What it would do for that name on an object without attributes is read off its statements, in the order in which they
run. Where that can't be told, nothing is found. Classes that derive from dict and look names up among their items fail
while they are pickled, before Python 3.11: `__getstate__` is asked for then.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...nodes import yields
from ...syntax.names import dotted
from ...syntax.unpicklable_table import base_methods
from .classes import Method, Shape
from .existing_state import CONTAINERS
from .family import Family
from .getattr_run import End, Failure, GetattrRun, bound_names

ASKED = "__setstate__"
ASKED_BEFORE_311 = "__getstate__"  # since then `object` has it
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STATE = frozenset({"__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__", "__new__"})


@dataclass(frozen=True)
class Asked:
    """`__getattr__` fails at `node`; `attribute`: the one that it reads and that is not there, or "".

    `method` is the statement that binds it, where it is a method of dict under this name. `state`: what is asked for.
    """

    method: Method | ast.Assign
    node: ast.AST
    failure: Failure
    attribute: str = ""
    state: str = ASKED


def fails_while_loading(family: Family, shape: Shape) -> Asked | None:
    """How the `__getattr__` that the class itself has fails; None where it does not, or nobody can tell."""
    method = shape.methods.get("__getattr__")
    arguments = [*method.args.posonlyargs, *method.args.args] if method is not None else []
    if not isinstance(method, ast.FunctionDef) or len(arguments) != 2 or method.decorator_list or says(family, shape):
        return None
    if yields(method.body):
        return Asked(method, method, Failure.GENERATOR)
    end = GetattrRun(family, shape, method, (ASKED,)).block(method.body)
    if end is None:
        end = End(method.body[-1], Failure.NONE)
    return Asked(method, end.node, end.failure, end.attribute) if end.failure is not None else None


def fails_while_pickling(family: Family, shape: Shape) -> Asked | None:
    """How the `__getattr__` of a class that derives from dict fails before Python 3.11, where that can be told."""
    if says(family, shape, ASKED_BEFORE_311):
        return None
    for statement in shape.node.body:
        if isinstance(statement, ast.Assign) and [*map(dotted, statement.targets)] == ["__getattr__"]:
            failure = _of_dict(family, shape, dotted(statement.value) or "")
            return Asked(statement, statement.value, failure, state=ASKED_BEFORE_311) if failure is not None else None
    method = shape.methods.get("__getattr__")
    if not isinstance(method, ast.FunctionDef) or method.decorator_list:
        return None
    if len([*method.args.posonlyargs, *method.args.args]) != 2 or yields(method.body):
        return None
    end = GetattrRun(family, shape, method, (ASKED_BEFORE_311,), items=True).block(method.body)
    if end is None:
        end = End(method.body[-1], Failure.NONE)
    if end.failure not in (Failure.KEY, Failure.NONE):
        return None
    return Asked(method, end.node, end.failure, state=ASKED_BEFORE_311)


def _of_dict(family: Family, shape: Shape, method: str) -> Failure | None:
    """How `dict.get` or `Base.__getitem__` ends as a `__getattr__`, where Base leaves that to dict."""
    owner, _, name = method.rpartition(".")
    own = {taken for each in family.line(shape) for taken in bound_names(each)}
    if owner not in ("dict", *(each.node.name for each in family.line(shape))) or (owner != "dict" and name in own):
        return None
    if name == "__getitem__":
        return Failure.KEY if "__missing__" not in own else None
    return Failure.NONE if name == "get" else None


def says(family: Family, shape: Shape, asked: str = ASKED) -> bool:
    """The class or one of its bases says how its objects are unpickled, is a container, or looks names up by itself.

    Where it is asked for `__getstate__`: how they are pickled, or is something else than a dict.
    """
    line = [*family.line(shape)]
    if asked == ASKED_BEFORE_311:
        says_so = {ASKED_BEFORE_311, "__reduce__", "__reduce_ex__", "__getattribute__"}
        return any(says_so & bound_names(each) for each in line) or {*family.foreign(shape)} != {"dict"}
    own = any((_STATE | {"__getattribute__", "__slots__"}) & bound_names(each) for each in line)
    return own or any(
        ASKED in (base_methods(name) or ()) or name.rpartition(".")[2] in CONTAINERS for name in family.foreign(shape)
    )


def binds_getattr(shape: Shape) -> bool:
    """The class has a `__getattr__` of its own."""
    return "__getattr__" in bound_names(shape)
