"""Python's rules about names, which every analysis of scopes shares: what opens a scope, and what binds a name how."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TypeAlias

from .names import last_name

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp"
Meaning: TypeAlias = "tuple[str, str | None]"  # (module, None) for a module, (module, name) for a name in it

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPORTS = (ast.Import, ast.ImportFrom)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__"}


class ScopeKind(Enum):
    """What opens a scope."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    LAMBDA = "lambda"
    COMPREHENSION = "comprehension"


class BindingKind(Enum):
    """How a name is bound."""

    PARAMETER = "parameter"
    ASSIGNMENT = "assignment"
    AUGMENTED = "augmented assignment"
    DECLARATION = "annotation without a value"
    LOOP = "target of a loop"
    WITH = "target of a with"
    EXCEPT = "name of an except"
    IMPORT = "import"
    FUNCTION = "def"
    CLASS = "class"
    WALRUS = "walrus"
    MATCH = "capture of a pattern"
    DELETION = "del"


DEFINITIONS = frozenset((BindingKind.FUNCTION, BindingKind.CLASS))
LASTING = DEFINITIONS | {BindingKind.IMPORT}  # what programs bind once, as a rule
ENDING = frozenset((BindingKind.DELETION, BindingKind.EXCEPT))  # the name is unbound afterwards
CHANGING = frozenset((BindingKind.AUGMENTED, BindingKind.LOOP, BindingKind.DELETION))  # another value, or none

_NAMED: dict[type[ast.AST], str] = {  # where a node has the name that it binds
    ast.Name: "id",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


def bound_name(node: ast.AST) -> str | None:
    """The name that `node` itself binds or deletes, whatever is below it; None for nodes that bind none.

    A parameter is bound in the function's scope, a walrus outside of comprehensions, all else where the node stands;
    `global` and `nonlocal` move it.
    """
    field = _NAMED.get(node.__class__)
    if field is None:
        return (node.asname or node.name.partition(".")[0]) if type(node) is ast.alias else None
    if type(node) is ast.Name:  # most of them
        return None if type(node.ctx) is ast.Load else node.id
    name: str | None = getattr(node, field)
    return name


def imported(node: ast.AST) -> Iterator[tuple[str, Meaning]]:
    """Names that an import statement binds, each with what it then stands for. Relative imports have their dots."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, (alias.name, None)
            else:
                top = alias.name.partition(".")[0]
                yield top, (top, None)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            yield alias.asname or alias.name, (module, alias.name)


def takes_self(method: FunctionNode) -> bool:
    """False for a static or class method, whose first parameter is no object of the class."""
    return not any(last_name(mark) in ("staticmethod", "classmethod") for mark in method.decorator_list)


def positional(function: FunctionNode | ast.Lambda) -> list[str]:
    """The names of the parameters that take arguments by position, in order."""
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]


def parameters(function: FunctionNode | ast.Lambda) -> list[str]:
    """All parameter names, in order, the starred ones last."""
    args = function.args
    named = [arg.arg for arg in args.kwonlyargs]
    return positional(function) + named + [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]


def given_to(names: Sequence[str], call: ast.Call) -> dict[str, ast.expr]:
    """What a call gives as each parameter, where `names` are those that take its arguments by position, in order."""
    given = dict(zip(names, call.args, strict=False))
    return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def defaults_of(node: ast.Lambda | FunctionNode) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, with that."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr]] = []
    if arguments.defaults:
        pairs += zip(plain[-len(arguments.defaults) :], arguments.defaults, strict=True)
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return pairs


def default_values(function: ast.Lambda | FunctionNode) -> dict[str, ast.expr]:
    """The defaults by the names of their parameters."""
    return {parameter.arg: value for parameter, value in defaults_of(function)}
