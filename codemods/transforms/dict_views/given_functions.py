"""What a function that is a value may be: a parameter, a local name, an item of a table; and whether an operator is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.binding_rules import FUNCTIONS, defaults_of, given_to, parameters, positional
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.repo import Repo

Given = tuple[Outline, ast.expr]
CALLING = frozenset(("map", "reduce", "filter", "starmap", "accumulate"))  # call a function with elements
_OF_SETS = frozenset(f"operator.{name}" for name in ("and_", "or_", "xor", "sub", "iand", "ior", "ixor", "isub"))
_OPERATORS = _OF_SETS | frozenset(f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge"))


def functions_given(repo: Repo, outline: Outline, func: ast.expr, depth: int = 3) -> Iterator[Given]:
    """The expressions whose value a call of `func` may run; `func` itself where nothing shows more."""
    found = [*_sources(repo, outline, func)] if depth else []
    for where, value in found:
        yield from functions_given(repo, where, value, depth - 1)
    if not found:
        yield outline, func


def _sources(repo: Repo, outline: Outline, func: ast.expr) -> Iterator[Given]:
    if isinstance(func, ast.Subscript):  # OPERATORS[name]
        for where, table in functions_given(repo, outline, func.value, 1):
            if isinstance(table, ast.Dict):
                yield from ((where, value) for value in table.values)
    if isinstance(func, ast.Attribute) and outline.is_self(func.value):  # self.how = how
        for place in outline.attributes.get(func.attr, ()):
            above = outline.parents[place]
            same = outline.is_self(place.value) and outline.owner(place) is outline.owner(func)
            if same and isinstance(above, ast.Assign):
                yield outline, above.value
    if not isinstance(func, ast.Name):
        return
    scope, bindings = outline.lookup(func, func.id)
    for binding in bindings:
        if binding.value is not None:
            yield outline, binding.value
    if isinstance(scope, FUNCTIONS) and any(binding.statement is scope for binding in bindings):
        yield from _arguments(repo, outline, scope, func.id)


def _arguments(
    repo: Repo, outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
) -> Iterator[Given]:
    """What callers give as the parameter `name`, and its default."""
    yield from ((outline, value) for arg, value in defaults_of(function) if arg.arg == name)
    calls = [*repo.callers(function)]
    method = isinstance(outline.parents[function], ast.ClassDef)
    if method:
        calls += repo.callers_of_any_method(function.name)
    owner = outline.parents[function]
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        made = [(where, call) for where in repo.mentioning(owner.name) for call in where.calls.get(owner.name, ())]
        yield from (
            (where, given[name]) for where, call in made if name in (given := given_to(positional(function)[1:], call))
        )
    for where, call in calls:
        taking = positional(function)
        bound = method and isinstance(call.func, ast.Attribute)
        static = any(last_name(mark) == "staticmethod" for mark in function.decorator_list)
        given = given_to(taking[1:] if bound and not static else taking, call)
        if name in given:
            yield where, given[name]


def is_operator(outline: Outline, func: ast.expr) -> bool:
    """`operator.and_` and the like, which a list does not have or answers in another way."""
    return qualified_name(outline, func) in _OPERATORS


def is_open(outline: Outline, func: ast.expr) -> bool:
    """Nothing shows what `func` is: a parameter that nobody is seen to give, an item of a table."""
    if isinstance(func, ast.Subscript):
        return True
    if not isinstance(func, ast.Name):
        return False
    scope, bindings = outline.lookup(func, func.id)
    return isinstance(scope, FUNCTIONS) and func.id in parameters(scope) and bool(bindings)


def operator_elsewhere(repo: Repo) -> str | None:
    """Where the repository hands on an operator of sets as a value, other than to what calls it at once."""
    for outline in repo.mentioning("operator"):
        for node in outline.nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and qualified_name(outline, node) in _OF_SETS:
                above = outline.parents.get(node)
                at_once = isinstance(above, ast.Call) and (above.func is node or last_name(above.func) in CALLING)
                if not at_once:
                    return f"{outline.path}:{node.lineno}"
    return None
