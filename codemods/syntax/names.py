"""Reads names off an expression: `dotted` for a whole chain, `last_name` for its end.

These are asked for most nodes of a tree, and nodes have no subclasses: `type(node) is` takes a third of `isinstance`.
"""

from __future__ import annotations

import ast
from typing import TypeGuard


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a plain chain of names, else ""."""
    if type(node) is ast.Name:
        return node.id
    parts: list[str] = []
    while type(node) is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    if type(node) is not ast.Name or not parts:
        return ""
    parts.append(node.id)
    return ".".join(parts[::-1])


def root_of_chain(node: ast.AST | None) -> ast.Name | None:
    """`a` of `a`, `a.b` and `a.b.c`; None for anything else."""
    while type(node) is ast.Attribute:
        node = node.value
    return node if type(node) is ast.Name else None


def root_of_place(node: ast.AST | None) -> ast.Name | None:
    """`a` of `a`, `a.b` and `a["k"].c[0]`; None for anything else."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def whose_class(node: ast.AST) -> ast.expr | None:
    """`x` of `type(x)` and `x.__class__`; None for anything else."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__class__" else None
    asks = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"
    return node.args[0] if asks and isinstance(node, ast.Call) and len(node.args) == 1 else None


def written(node: ast.AST) -> str:
    """The text that a literal is, "" for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def original_name(statement: ast.ImportFrom, name: str) -> str:
    """`a` for the `b` of `from m import a as b`; "" where a star brings the name."""
    return next((alias.name for alias in statement.names if (alias.asname or alias.name) == name), "")


def is_own_module(node: ast.AST | None) -> bool:
    """`sys.modules[__name__]`"""
    if type(node) is not ast.Subscript or type(node.slice) is not ast.Name:
        return False
    return node.slice.id == "__name__" and dotted(node.value) == "sys.modules"


def without_arguments(node: ast.expr) -> ast.expr:
    """`C` of the generic class `C[T]`; any other expression as it is."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def written_bases(node: ast.ClassDef) -> list[ast.expr]:
    """The bases of a class; of `class C(six.with_metaclass(Meta, A, B))` these are A and B."""
    found: list[ast.expr] = []
    for base in node.bases:
        found += base.args[1:] if _by_six(base, "with_metaclass") else [base]
    return found


def written_metaclass(node: ast.ClassDef) -> ast.expr | None:
    """What the class names as its metaclass, by the keyword or in one of the ways of six."""
    named = [keyword.value for keyword in node.keywords if keyword.arg == "metaclass"]
    calls = [base for base in node.bases if _by_six(base, "with_metaclass")]
    calls += [mark for mark in node.decorator_list if _by_six(mark, "add_metaclass")]
    return next(iter((*named, *(call.args[0] for call in calls))), None)


def sets_metaclass(decorator: ast.expr) -> bool:
    """`@six.add_metaclass(Meta)`, which gives the class back made anew, and no other."""
    return _by_six(decorator, "add_metaclass")


def last_name(node: ast.AST) -> str:
    """`C` of `C`, `a.b.C`, `f().C`, `C[T]` and `*C`, else ""."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        return node.attr
    return last_name(node.value) if isinstance(node, (ast.Subscript, ast.Starred)) else ""


def _by_six(node: ast.expr, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and bool(node.args) and last_name(node.func) == name and not node.keywords
