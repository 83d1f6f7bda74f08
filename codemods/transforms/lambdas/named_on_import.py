"""Functions and classes in functions that an import gives a name by which pickle finds them, in a worker as well.

def build(height):
    def inner(rows): ...
    inner.__qualname__ = "crop"
    return inner

crop = build(3)
"""

from __future__ import annotations

import ast

from ...flow.answers.crossing import Crossing
from ...nodes import end_line
from ...syntax.binding_rules import FUNCTIONS, given_to, positional
from ...syntax.file_tree import position
from ...syntax.main_guard import is_main_guard
from ...syntax.names import root_of_chain
from ...syntax.outline import Outline
from ...syntax.repo import Repo


def named_on_import(repo: Repo, crossing: Crossing) -> bool:
    """Code that runs on import sets the `__qualname__` of the function or class, or binds it by `global`."""
    outline = repo.outline(crossing.path)
    if outline is None:
        return False
    made = [*outline.by_line.get(crossing.line, ()), *outline.definitions_by_line.get(crossing.line, ())]
    node = next((each for each in made if position(each) == (crossing.line, crossing.column)), None)
    if node is None:
        return False
    around = next((above for above in outline.ancestors(node) if isinstance(above, FUNCTIONS)), outline.module)
    own = node.name if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else ""
    named = _is_named(outline, around, {own} if own else _targets(outline.statement(node)))
    named = named or (bool(own) and _is_global(outline, around, own))
    if around is outline.module and not any(is_main_guard(above) for above in outline.ancestors(node)):
        named = named or _names_it(outline, crossing)
    return named and _runs_on_import(outline, around)


def _names_it(outline: Outline, crossing: Crossing) -> bool:
    """A function of the file, on the way, names what it gets: `fn.__qualname__ = name`, `globals()[name] = fn`."""
    lines = {hop.line for hop in crossing.trace if hop.path == outline.path}
    for attribute in outline.attributes.get("__qualname__", ()):
        function, value = outline.scope(attribute), attribute.value
        if (
            isinstance(attribute.ctx, ast.Store)
            and isinstance(function, FUNCTIONS)
            and isinstance(value, ast.Name)
            and any(bound.parameter for bound in outline.bindings(function, value.id))
            and not lines.isdisjoint(range(function.lineno, end_line(function) + 1))
            and _is_bound(outline, outline.statement(attribute))
        ):
            return True
    return False


def _targets(statement: ast.AST) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _is_named(outline: Outline, around: ast.AST, names: set[str]) -> bool:
    for attribute in outline.attributes.get("__qualname__", ()):
        root = root_of_chain(attribute)
        stored = isinstance(attribute.ctx, ast.Store) and outline.scope(attribute) is around
        if stored and root is not None and root.id in names and _is_bound(outline, outline.statement(attribute)):
            return True
    return False


def _is_global(outline: Outline, around: ast.AST, name: str) -> bool:
    """A `def` below `global name` makes a function of that very name; a lambda is called `build.<locals>.<lambda>`."""
    if not isinstance(around, FUNCTIONS) or name not in outline.declared(around):
        return False
    return any(isinstance(node, ast.Global) and name in node.names for node in outline.own(around))


def _is_bound(outline: Outline, statement: ast.AST) -> bool:
    """The module has the name that is set: it binds that, or fills its `globals()`."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    function = outline.scope(statement)
    given: list[ast.expr | None] = [value]
    if isinstance(value, ast.Name) and isinstance(function, FUNCTIONS):  # `Box = make("Box")`
        calls = (call for call in outline.calls.get(function.name, ()) if outline.scope(call) is outline.module)
        given = [given_to(positional(function), call).get(value.id) for call in calls]
    if given and all(isinstance(each, ast.Constant) for each in given):
        return all(outline.bindings(outline.module, str(getattr(each, "value", ""))) for each in given)
    return any(isinstance(outline.parents[call], ast.Subscript) for call in outline.calls.get("globals", ()))


def _runs_on_import(outline: Outline, function: ast.AST) -> bool:
    """It is the module, or a function that the module calls, outside of the main guard."""
    if not isinstance(function, FUNCTIONS):
        return function is outline.module
    return any(
        outline.scope(call) is outline.module
        and isinstance(call.func, ast.Name)
        and not any(is_main_guard(above) for above in outline.ancestors(call))
        for call in outline.calls.get(function.name, ())
    )
