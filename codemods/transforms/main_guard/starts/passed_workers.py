"""The number of workers that a call passes to the function which makes the loader: `rows.to_loader(num_workers=4)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ....syntax.binding_rules import given_to, parameters, positional
from ....syntax.callees import Function
from ....syntax.outline import Outline
from .loader_values import NUMBER, number_in, number_of_workers


class PassedWorkers:
    """Knows the calls that lead to where the search is."""

    def __init__(self) -> None:
        self._calls: list[tuple[Function, Outline, dict[str, ast.expr]]] = []

    @contextmanager
    def inside(self, outline: Outline, call: ast.Call, function: Function, skip: int) -> Iterator[None]:
        """While it lasts, `function` is what `call` calls, without its first `skip` parameters."""
        self._calls.append((function, outline, given_to(positional(function)[skip:], call)))
        try:
            yield
        finally:
            self._calls.pop()

    def number(self, outline: Outline, call: ast.Call) -> tuple[Outline, ast.expr] | None:
        """What the number of workers of `call`, which makes a loader, is where the function around it is called."""
        if not self._calls:
            return None
        function, caller, given = self._calls[-1]
        if outline.scope(call) is not function:
            return None
        value = number_of_workers(outline, call)
        rest = function.args.kwarg
        if isinstance(value, ast.Name) and value.id in parameters(function) and value.id in given:
            return self._further_up(caller, given[value.id])
        unpacked = [keyword.value for keyword in call.keywords if keyword.arg is None] if value is None else []
        if rest is not None and unpacked and NUMBER not in parameters(function) and NUMBER in given:
            return self._further_up(caller, given[NUMBER])
        for node in unpacked:  # a dict that the call passes
            if isinstance(node, ast.Name) and node.id in given and node.id in parameters(function):
                found = number_in(caller, given[node.id])
                if found is not None:
                    return caller, found
        return None

    def _further_up(self, outline: Outline, value: ast.expr) -> tuple[Outline, ast.expr]:
        """What the callers of `outline` pass for it, where it is a parameter there."""
        for function, caller, given in reversed(self._calls[:-1]):
            named = isinstance(value, ast.Name) and value.id in given and outline.scope(value) is function
            if not (named and isinstance(value, ast.Name) and value.id in parameters(function)):
                break
            outline, value = caller, given[value.id]
        return outline, value
