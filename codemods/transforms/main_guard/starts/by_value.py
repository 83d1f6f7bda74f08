"""Calls of what is looked up while the program runs: as the value flow knows them, or all that a module has.

registry.get(name)(args)
runner = getattr(runners, name)()
runner.train()
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from ....flow.answers.crossings import flow_of
from ....flow.facts.syntax import name_pattern
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class

_MAX_DEPTH = 2  # names and calls that are followed
_MAX_CALLED = 12  # of more, it is not known which is meant
_Called = tuple[Outline, Function | ast.ClassDef]


class ByValue:
    """Answers for one project."""

    def __init__(self, repo: Repo, callees: Callees) -> None:
        self.repo, self.callees = repo, callees

    def called(self, outline: Outline, call: ast.Call) -> list[_Called]:
        """The functions and classes that the call may call; none where names say what it calls."""
        if not self._is_looked_up(outline, call.func):
            return []
        found = list(dict.fromkeys((*self._in_flow(outline, call), *self._by_name(outline, call.func))))
        return found if len(found) <= _MAX_CALLED else []

    def _is_looked_up(self, outline: Outline, func: ast.expr, depth: int = 0) -> bool:
        """It is an item of a table, or what a call gives; or a method of what such a thing makes."""
        if isinstance(func, (ast.Call, ast.Subscript)):
            return True
        if isinstance(func, ast.Name):
            return any(isinstance(value, (ast.Call, ast.Subscript)) for value in _values(outline, func))
        if not isinstance(func, ast.Attribute) or depth > _MAX_DEPTH:
            return False
        made = [func.value] if isinstance(func.value, ast.Call) else _values(outline, func.value)
        calls = [value for value in made if isinstance(value, ast.Call)]
        return any(
            self._is_looked_up(outline, value.func, depth + 1)
            or last_name(value.func) == "import_module"
            or self._gives_looked_up(outline, value, depth + 1)
            for value in calls
        )

    def _gives_looked_up(self, outline: Outline, call: ast.Call, depth: int) -> bool:
        """A function of the repository returns what it makes of such a thing: `return KINDS[name](options)`."""
        called = self.callees.called(outline, call)
        if called is None or depth > _MAX_DEPTH:
            return False
        where, function, _ = called
        returned = [node.value for node in where.own(function) if isinstance(node, ast.Return) and node.value]
        values = [made for value in returned for made in (_values(where, value) or [value])]
        return any(
            isinstance(value, ast.Call)
            and (self._is_looked_up(where, value.func, depth + 1) or self._gives_looked_up(where, value, depth + 1))
            for value in values
        )

    def _in_flow(self, outline: Outline, call: ast.Call) -> Iterator[_Called]:
        known = flow_of(self.repo.project).called_in(outline.path)
        for place in known.get((call.lineno, call.col_offset), ()):
            yield from self.repo.defined_at(*place)

    def _by_name(self, outline: Outline, func: ast.expr, depth: int = 0) -> Iterator[_Called]:
        """What a module has under any name, or the methods of its classes for a method of what one of these makes."""
        if depth > _MAX_DEPTH:
            return
        if isinstance(func, ast.Attribute):
            for made in [func.value] if isinstance(func.value, ast.Call) else _values(outline, func.value):
                for where, item in self._by_name(outline, made.func, depth + 1) if isinstance(made, ast.Call) else ():
                    if isinstance(item, ast.ClassDef):
                        method = self.callees.method_of(Class(where, item), func.attr)
                        yield from [method] if method is not None else ()
        elif isinstance(func, ast.Name):
            for value in _values(outline, func):
                yield from self._by_name(outline, value, depth + 1)
        elif (asked := self._asked(outline, func)) is not None:
            module, name = asked
            fits = _fitting(name)
            for each in (module, *map(partial(self.callees.resolver.star_source, module), module.star_imports)):
                for node in each.module.body if each is not None else ():
                    if each is not None and isinstance(node, (*FUNCTIONS, ast.ClassDef)) and fits(node.name):
                        yield each, node

    def _asked(self, outline: Outline, node: ast.expr) -> tuple[Outline, ast.expr] | None:
        """The module of the repository in which `node` looks up a name, and the name."""
        if isinstance(node, ast.Call):
            if last_name(node.func) != "getattr" or len(node.args) < 2:
                return None
            module, name = self.callees.resolver.module(outline, node.args[0]), node.args[1]
        elif isinstance(node, ast.Subscript):
            table, name, module = node.value, node.slice, None
            if isinstance(table, ast.Call) and last_name(table.func) == "globals":
                module = outline
            elif isinstance(table, ast.Attribute) and table.attr == "__dict__":
                module = self.callees.resolver.module(outline, table.value)
        else:
            return None
        return (module, name) if module is not None else None


def _fitting(name: ast.expr) -> Callable[[str], bool]:
    """Which names `name` may be: the one that is written, or those with the beginning and end that are."""
    if isinstance(name, ast.Constant):
        return lambda other: other == name.value
    known = name_pattern(name)
    return lambda other: known is None or (other.startswith(known.start) and other.endswith(known.end))


def _values(outline: Outline, node: ast.expr) -> list[ast.expr]:
    bindings = outline.lookup(node, node.id)[1] if isinstance(node, ast.Name) else ()
    return [binding.value for binding in bindings if binding.value is not None and binding.value is not node]
