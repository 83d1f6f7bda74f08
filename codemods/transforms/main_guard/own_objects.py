"""Methods of objects that the code of workers makes itself, and then takes out of a container.

best = max(node.children, key=lambda child: child.score())
"""

from __future__ import annotations

import ast
from collections.abc import Container

from ...syntax.callees import Callees, Function
from ...syntax.outline import Outline


def method_of_own(
    callees: Callees, outline: Outline, func: ast.expr, code: Container[ast.AST]
) -> tuple[Function, ast.ClassDef] | None:
    """The method that `func`, as `child.score`, is, and its class: of that name there is no other method.

    Only where functions of `code` make objects of the class, and `child` is passed, or what a loop goes over.
    """
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or outline.is_self(func.value):
        return None
    found = callees.repo.methods(func.attr)
    owner = outline.parents.get(found[0][1]) if len(found) == 1 and found[0][0] is outline else None
    bindings = outline.lookup(func.value, func.value.id)[1] if isinstance(owner, ast.ClassDef) else ()
    if not isinstance(owner, ast.ClassDef) or not bindings:
        return None
    if not all(each.parameter or isinstance(each.statement, (ast.For, ast.comprehension)) for each in bindings):
        return None
    made = (call for call in outline.calls.get(owner.name, ()) if outline.scope(call) in code)
    classes = (callees.made_class(outline, call) for call in made)
    return (found[0][1], owner) if any(each is not None and each[1] is owner for each in classes) else None
