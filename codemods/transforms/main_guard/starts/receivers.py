"""Of which class an object is whose method is called, where it has that method of a base class."""

from __future__ import annotations

import ast

from ....syntax.callees import Callees, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from .objects import Objects


class Receivers:
    """Answers for one project."""

    def __init__(self, callees: Callees, objects: Objects) -> None:
        self._callees, self._objects = callees, objects

    def of(
        self, outline: Outline, call: ast.Call, other: Outline, function: Function, me: Class | None
    ) -> Class | None:
        """The class whose object runs `function`, of the file `other`, by `call`; None where that is the one around it.

        `me`: the class of the object that makes the call, where the code around it stands in a base class.
        """
        owner, func = other.parents.get(function), call.func
        if not isinstance(owner, ast.ClassDef):
            return None
        around = outline.owner(func) if isinstance(func, ast.Attribute) and _is_own(outline, func.value) else None
        if around is not None:
            classes = [me or Class(outline, around)]
        elif (made := self._callees.made_class(outline, call)) is not None:
            classes = [Class(*made)]
        else:
            value = func.value if isinstance(func, ast.Attribute) and func.attr == function.name else func
            classes = self._objects.owners(outline, value)
        heirs = [cls for cls in classes if any(at.node is owner for at in self._callees.resolver.lineage(cls))]
        return heirs[0] if len(heirs) == 1 and heirs[0].node is not owner else None


def _is_own(outline: Outline, value: ast.expr) -> bool:
    """`self`, or `super()`."""
    return outline.is_self(value) or (isinstance(value, ast.Call) and last_name(value.func) == "super")
