"""Whether a global of a script gets another value after a line that hands it to a worker has run."""

from __future__ import annotations

import ast

from ...syntax.assigned import blocks
from ...syntax.callees import FUNCTIONS
from ...syntax.file_tree import position
from ...syntax.names import last_name
from ...syntax.outline import Outline
from .set_before import SetBefore, declares
from .statements import changed, names_bound

_DEPTH = 4  # functions between the guard and the line


class SetLater:
    """Answers for one file."""

    def __init__(self, outline: Outline, order: SetBefore) -> None:
        self.outline, self.order = outline, order
        self._setters: dict[str, frozenset[str]] = {}

    def in_turn(self, node: ast.AST, name: str, depth: int = 0, came: str = "") -> int | None:
        """A line that sets the global, or changes its value, in a loop around `node` or around a call that leads to it.

        `came`: the function of that call, which may set it for itself.
        """
        scope = self.outline.scope(node)
        for loop in self.outline.ancestors(node):
            if isinstance(loop, (ast.For, ast.AsyncFor, ast.While)):
                inner = (each for each in ast.walk(loop) if isinstance(each, ast.stmt))
                if lines := [each.lineno for each in inner if self._changes(each, name, came)]:
                    return max(lines)  # the innermost
        if isinstance(scope, FUNCTIONS) and not declares(self.outline, scope, name) and depth < _DEPTH:
            for call in self.order.calls(scope):
                if (line := self.in_turn(call, name, depth + 1, scope.name)) is not None:
                    return line
        return None

    def below(self, node: ast.AST, name: str, depth: int = 0, came: str = "") -> int | None:
        """A line that sets the global, or changes its value, below `node` or below a call that leads to it."""
        scope = self.outline.scope(node)
        if isinstance(scope, ast.Module) or (isinstance(scope, FUNCTIONS) and declares(self.outline, scope, name)):
            for binding in self.outline.bindings(scope, name):  # loops too
                if position(binding.statement) > position(node):
                    return position(binding.statement)[0]
        for statement in self.outline.own(scope):
            simple = isinstance(statement, ast.stmt) and not any(blocks(statement))
            if simple and position(statement) > position(node) and self._changes(statement, name, came):
                return position(statement)[0]
        if isinstance(scope, FUNCTIONS) and depth < _DEPTH:
            for call in self.order.calls(scope):
                if (line := self.below(call, name, depth + 1, scope.name)) is not None:
                    return line
        return None

    def _changes(self, statement: ast.AST, name: str, came: str) -> bool:
        """The statement, or a function that it calls, other than `came`, sets the global or changes its value."""
        if not isinstance(statement, ast.stmt) or isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return False
        if name in names_bound(statement):
            return True
        if any(blocks(statement)):
            return False
        calls = (last_name(each.func) for each in ast.walk(statement) if isinstance(each, ast.Call))
        return name in changed(statement) or any(each in self._setting(name) and each != came for each in calls)

    def _setting(self, name: str) -> frozenset[str]:
        """Names of the file's functions that set the global, or call one that does, as far as names tell."""
        if name not in self._setters:
            marked = (self.outline.scope(mark) for mark in self.outline.made_global.get(name, ()))
            todo = [each for each in marked if self.outline.bindings(each, name)]
            found = set[str]()
            while todo:
                function = todo.pop()
                if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                owner = self.outline.owner(function)
                called = owner.name if owner is not None and function.name == "__init__" else function.name
                if called not in found:
                    found.add(called)
                    todo += [self.outline.scope(call) for call in self.outline.calls.get(called, ())]
            self._setters[name] = frozenset(found)
        return self._setters[name]
