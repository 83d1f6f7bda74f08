"""Functions that a call passes to a function of the repository, which calls them: `measured(train_all, models)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ....finding import Confidence
from ....syntax.binding_rules import parameters
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.outline import Outline


@dataclass(frozen=True)
class Handed:
    """A function of the file `outline`, and which variables of the functions around it hold loaders."""

    outline: Outline
    function: Function
    around: Mapping[str, Confidence]

    @property
    def key(self) -> tuple[int, str]:
        """The same for the same function with the same loaders."""
        return id(self.function), str(sorted(self.around.items()))


class HandedFunctions:
    """Answers for one project."""

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._run: dict[Function, frozenset[str]] = {}

    def run_by(self, outline: Outline, function: Function) -> frozenset[str]:
        """The parameters that `function` calls, or passes on to what may."""
        if function not in self._run:
            calls = [node for node in outline.own(function) if isinstance(node, ast.Call)]
            used = [part for call in calls for part in (call.func, *call.args, *(k.value for k in call.keywords))]
            named = {part.id for part in used if isinstance(part, ast.Name)}
            self._run[function] = frozenset(named.intersection(parameters(function)))
        return self._run[function]

    def of(
        self,
        outline: Outline,
        value: ast.expr,
        given: Mapping[str, Confidence],
        handed: Mapping[str, Handed],
        passed: bool = False,
    ) -> Handed | None:
        """The function that `value` is, in code that was given loaders and other functions; `passed`: one of these."""
        if not isinstance(value, (ast.Name, ast.Attribute)):
            return None
        if isinstance(value, ast.Name) and (known := handed.get(value.id)) is not None:
            scope = outline.lookup(value, value.id)[0]
            if isinstance(scope, FUNCTIONS) and value.id in parameters(scope):
                return known
        if passed:
            return None
        found = self._callees.resolver.functions(outline, value)
        if len(found) != 1:
            return None
        return Handed(*found[0], around(outline, value, *found[0], given))


def arguments(call: ast.Call) -> list[ast.expr]:
    """What the call passes; of a tuple, which is a function and its arguments, what is in it."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [part for value in values for part in (value.elts if isinstance(value, ast.Tuple) else [value])]


def is_code(node: ast.expr) -> bool:
    """A function, and no number of a process."""
    return isinstance(node, (ast.Name, ast.Lambda)) and "pid" not in ast.unparse(node)


def around(
    outline: Outline, node: ast.AST, other: Outline, function: Function, given: Mapping[str, Confidence]
) -> Mapping[str, Confidence]:
    """Those of `given`, loaders of the code around `node`, that `function` has as variables of that code."""
    outer = next((above for above in other.ancestors(function) if isinstance(above, (*FUNCTIONS, ast.ClassDef))), None)
    if not given or outline is not other or not isinstance(outer, FUNCTIONS) or outer not in outline.ancestors(node):
        return {}
    own = parameters(function)
    return {name: sure for name, sure in given.items() if name.partition(".")[0] not in own}
