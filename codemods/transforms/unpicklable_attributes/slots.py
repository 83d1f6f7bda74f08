"""Classes whose objects have slots and no `__dict__`: the lines that take their state, and that give it back."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .classes import Shape
from .family import Family


@dataclass(frozen=True)
class Slots:
    """All slots of the objects of a class; `written`: an expression for them in a method."""

    names: frozenset[str]
    written: str

    def taken(self) -> str:
        """The state: what an object has of them."""
        return f"{{name: getattr(self, name) for name in {self.written} if hasattr(self, name)}}"


def given_back(step: str) -> list[str]:
    """The lines of `__setstate__` that set what the state has."""
    return ["for name, value in state.items():", f"{step}setattr(self, name, value)"]


def named_slots(shape: Shape) -> list[str] | None:
    """The names in the `__slots__` of the class itself; None where it has none, or says them in another way."""
    for statement in shape.node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if [getattr(target, "id", "") for target in targets] == ["__slots__"]:
            value = getattr(statement, "value", None)
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [ast.Constant(None)]
            found = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            return found if len(found) == len(parts) else None
    return None


def slots_of(family: Family, shape: Shape) -> Slots | None:
    """Those of the class and of its one base class; None where objects have a `__dict__` too, or it can't be told."""
    line = [*family.line(shape)]
    if len(line) > 2 or family.derived(shape) or any(name != "object" for name in family.foreign(shape)):
        return None
    found = [named_slots(each) for each in line]
    if not all(each is not None for each in found) or any("__setattr__" in each.methods for each in line):
        return None
    names = [name for each in found for name in each or ()]
    if any(name.startswith("__") for name in names):
        return None
    base = next((ast.unparse(node) for node in shape.node.bases if len(line) == 2), "")
    written = "self.__slots__" if not base else f"(*{base}.__slots__, *self.__slots__)"
    return Slots(frozenset(names), written)
