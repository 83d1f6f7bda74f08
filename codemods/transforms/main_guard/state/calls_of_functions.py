"""Where a function of the repository is called, by its own name or another, or handed to who calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....flow.answers.crossings import flow_of
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ..data import names
from ..starts.command_lines import calls_of_command
from .same_values import SameValues

_INITIALISERS = ("__init__", "__new__", "__post_init__", "__enter__", "__aenter__")  # run for each new object
_PROPERTIES = ("property", "cached_property")
_THREADS = ("ThreadPoolExecutor", "ThreadPool")


def calls_of_any(outline: Outline) -> list[ast.Call]:
    """`fire.Fire()` without an argument: it calls the function of the file that the command line names."""
    found = outline.calls.get("Fire", ())
    return [call for call in found if not call.args and qualified_name(outline, call.func) == "fire.Fire"]


class CallsOfFunctions:
    """Finds them. One per run of the rule."""

    def __init__(self, callees: Callees, same: SameValues) -> None:
        """`same`: what else stands for a name."""
        self.callees, self.same, self.repo = callees, same, callees.repo
        self._by_name: dict[str, dict[ast.AST, list[tuple[Outline, ast.expr, bool]]]] = {}  # see `_named`

    def of(self, outline: Outline, function: Function) -> Iterator[tuple[Outline, ast.expr]]:
        """The calls of a function of the repository; of an initialiser and of `__enter__`, those of its class.

        Of a property, the reads of it in methods of its class.
        """
        if any(last_name(mark) in _PROPERTIES for mark in function.decorator_list):
            own = outline.owner(function.body[0])
            for node in outline.attributes.get(function.name, ()):
                if outline.is_self(node.value) and outline.owner(node) is own:
                    yield outline, node
        for caller, use, is_called in self._named(function.name).get(function, ()):
            yield from [(caller, use)] if is_called else self._called_as(caller, use)
        owner = outline.owner(function.body[0]) if function.name in _INITIALISERS else None
        for caller in self.repo.calling(owner.name) if owner is not None else ():
            for call in caller.calls_of(owner.name) if owner is not None else ():
                made = self.callees.made_class(caller, call)
                if made is not None and made[1] is owner:
                    yield caller, call
        yield from self.by_command_line(outline, function)
        if isinstance(outline.scope(function), FUNCTIONS):
            yield from self._calls_by_flow(outline, function)

    def by_command_line(self, outline: Outline, function: Function) -> Iterator[tuple[Outline, ast.expr]]:
        """Where a command line is run that may choose the function."""
        if outline.parents[function] is outline.module:
            yield from ((outline, call) for call in calls_of_any(outline))
        yield from ((outline, mark) for mark in function.decorator_list if self._calls_it(outline, mark))
        if function.decorator_list:
            yield from calls_of_command(self.repo, self.callees.resolver, outline, function)

    def _calls_it(self, outline: Outline, mark: ast.expr) -> bool:
        """The decorator is a function of the repository that calls what it decorates, as soon as that is defined."""
        for where, decorator in self.callees.resolver.functions(outline, mark) if isinstance(mark, ast.Name) else ():
            for name in positional(decorator)[:1]:
                if any(where.scope(call) is decorator for call in where.calls_of(name)):
                    return True
        return False

    def _named(self, name: str) -> dict[ast.AST, list[tuple[Outline, ast.expr, bool]]]:
        """The calls and the other uses of functions by `name`, each with whether it is a call, by the function.

        For all functions of the name at once: of a hundred scripts each has a `main`.
        """
        if name not in self._by_name:
            found = self._by_name[name] = {}
            for caller in self.repo.using(name):
                for call in caller.calls_of(name):
                    called = self.callees.called(caller, call)
                    if called is not None:
                        found.setdefault(called[1], []).append((caller, call, True))
                for use in caller.named.get(name, ()):
                    is_given = isinstance(use.ctx, ast.Load) and getattr(caller.parents[use], "func", None) is not use
                    meant = self.callees.resolver.functions(caller, use) if is_given else ()
                    if len(meant) == 1:
                        found.setdefault(meant[0][1], []).append((caller, use, False))
        return self._by_name[name]

    def _called_as(self, outline: Outline, use: ast.expr) -> Iterator[tuple[Outline, ast.expr]]:
        """The calls of a function that `use` only names: where it goes to who calls it, and by another name."""
        if self._runs_here(outline, use):
            yield outline, use
            return
        for same in self.same.of(outline, use):
            above = same.outline.parents[same.node]
            if isinstance(above, ast.Call) and above.func is same.node:
                yield same.at or (same.outline, above)

    def _runs_here(self, outline: Outline, use: ast.expr) -> bool:
        """It is passed to who calls it in this process: `Thread(target=fill)`, a function of the repository."""
        above = outline.parents[use]
        above = outline.parents[above] if isinstance(above, ast.keyword) else above
        if not isinstance(above, ast.Call) or above.func is use:
            return False
        if isinstance(above.func, ast.Name) and above.func.id == "map":
            return True
        holder = above.func.value if isinstance(above.func, ast.Attribute) else None
        made = outline.only_value(holder) if isinstance(holder, ast.Name) else holder
        if isinstance(made, ast.Call) and last_name(made.func) in _THREADS:
            return True
        return last_name(above.func) in names("runs_here") or self.callees.called(outline, above) is not None

    def _calls_by_flow(self, outline: Outline, function: Function) -> Iterator[tuple[Outline, ast.Call]]:
        """The calls of a nested function by whatever name the function around it gave it away to."""
        for seen in flow_of(self.repo.project).given(outline.path, function.lineno, function.col_offset):
            caller = self.repo.outline(seen.path)
            for call in (each for calls in caller.calls.values() for each in calls) if caller is not None else ():
                if call.lineno == seen.line and caller is not None and self.callees.called(caller, call) is None:
                    yield caller, call
