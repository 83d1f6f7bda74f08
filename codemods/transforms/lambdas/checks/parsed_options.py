"""Options of a command line: may one attribute of the parsed options be taken where a function reads all of them later?

What `argparse` gives is a plain object, so its attribute is the same at both times unless something sets it in between.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from ....nodes import walk
from ....project import Project
from ....syntax.binding_rules import positional
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Definition, method
from ....syntax.scope_data import end_of, start_of
from ....syntax.scopes import Scopes
from ....syntax.written_by_name import written_by_name
from ..candidate import Unit
from ..file_state import Move
from .set_once import set_by_constructor

_MOST_PARTS = 2
_FURTHEST = 3  # functions that pass the options on


class ParsedOptions:
    """Answers for one file."""

    def __init__(self, project: Project, repo: Repo, path: str, scopes: Scopes) -> None:
        self.project, self.repo, self.path, self.scopes = project, repo, path, scopes
        self._by_name: dict[tuple[str, Callable[[Outline, ast.expr], bool]], bool] = {}

    def split(self, moves: Mapping[Unit, Move]) -> None:
        """Sets `parts` where functions read few attributes of the options: those are passed, not all of them."""
        for unit, move in moves.items():
            if isinstance(unit.node, ast.ClassDef) or move.is_object:
                continue
            words = {node.id for node in walk(unit.node) if isinstance(node, ast.Name)}
            words |= {node.arg for node in walk(unit.node) if isinstance(node, ast.arg)}
            words |= {*move.attributes, *move.captures}
            needed = {name for other in unit.functions.values() if other is not unit for name in moves[other].captures}
            for variable, uses in unit.captures.items():
                if variable.name in needed:
                    continue  # it has to hand all of them on
                owners = [self.scopes.parents[use.node] for use in sorted(uses, key=lambda use: start_of(use.node))]
                read = [item for item in owners if isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Load)]
                names = list(dict.fromkeys(item.attr for item in read))
                is_short = len(read) == len(uses) and len(names) <= _MOST_PARTS and words.isdisjoint(names)
                if is_short and all(self.keeps(item, unit.node) for item in read):
                    move.parts[variable.name] = names
                    words |= {*names}
        first = next(iter(moves.values()))
        if not any(unit.functions for unit in moves) and any(move.parts != first.parts for move in moves.values()):
            for move in moves.values():
                move.parts = {}  # one function may stand for several of them

    def keeps(self, attribute: ast.Attribute, made: ast.AST) -> bool:
        """`attribute` is of parsed options, or set by constructors alone: the same from when `made` is evaluated on."""
        outline = self.repo.outline(self.path)
        if outline is None or attribute not in outline.parents or not isinstance(attribute.value, ast.Name):
            return False
        if attribute.attr.startswith("__"):
            return False
        if not self._is_parsed(outline, attribute.value, 0):
            return set_by_constructor(self.repo, outline, attribute) and not self._is_written_by_name(
                attribute.attr, self._is_options
            )
        return not self._is_written_by_name(attribute.attr, self._is_foreign) and all(
            self._is_before(other, store, made)
            for other in self.repo.mentioning(attribute.attr)
            for store in other.attributes.get(attribute.attr, ())
            if not (
                isinstance(store.ctx, ast.Load) or other.is_self(store.value) or self._is_foreign(other, store.value)
            )
        )

    def is_other_object(self, outline: Outline, value: ast.expr) -> bool:
        """It is surely no object of a class of the project: what a library made, or parsed options."""
        return self._is_foreign(outline, value) or self._is_options(outline, value)

    def _is_written_by_name(self, name: str, but: Callable[[Outline, ast.expr], bool]) -> bool:
        """`but`: which objects it can't be."""
        if (name, but) not in self._by_name:
            self._by_name[name, but] = written_by_name(self.project, self.repo, name, but)
        return self._by_name[name, but]

    def _is_foreign(self, outline: Outline, value: ast.expr) -> bool:
        """A variable that is always what a library made, and no parsed options: a configuration, a model."""
        bindings = outline.lookup(value, value.id)[1] if isinstance(value, ast.Name) else []
        return bool(bindings) and all(
            isinstance(item.statement, ast.Assign)
            and isinstance(item.value, ast.Call)
            and "parse" not in ast.unparse(item.value.func)
            and self.repo.resolver.is_foreign(outline, item.value.func)
            for item in bindings
        )

    def _is_options(self, outline: Outline, value: ast.expr) -> bool:
        return self._is_parsed(outline, value, 0)

    def _is_before(self, outline: Outline, store: ast.Attribute, made: ast.AST) -> bool:
        """It is done in the function around `made`, before that is evaluated."""
        scopes = self.scopes
        if outline.path != self.path or store not in scopes.parents:
            return False
        home = scopes.around(made)
        return (
            scopes.around(store) is home
            and end_of(scopes.statement_of(store)) <= start_of(made)
            and not scopes.loops_around(store, home) & scopes.loops_around(made, home)
        )

    def _is_parsed(self, outline: Outline, value: ast.expr, depth: int) -> bool:
        """The expression is what `argparse` returned, whoever passed it on."""
        if depth > _FURTHEST:
            return False
        if isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute) and value.func.attr == "parse_args":
                own = len(value.args) > 1 or any(keyword.arg != "args" for keyword in value.keywords)
                return not own and "argparse" in outline.imported.values()
            found = self.repo.resolver.definition(outline, value.func) or self._method(outline, value.func)
            return (
                found is not None
                and isinstance(found.node, ast.FunctionDef)
                and self._gives_parsed(found.outline, found.node, depth)
            )
        if not isinstance(value, ast.Name):
            return False
        scope, bindings = outline.lookup(value, value.id)
        # `args = parser.parse_args(given)` in one branch, `args = parser.parse_args()` in another
        if len(bindings) > 1:
            return all(
                isinstance(item.statement, ast.Assign)
                and isinstance(item.value, ast.Call)
                and self._is_parsed(outline, item.value, depth)
                for item in bindings
            )
        binding = bindings[0] if bindings else None
        if binding is None or (binding.parameter and len(outline.bindings(scope, value.id)) != 1):
            return False
        if binding.value is not None:
            return isinstance(binding.statement, ast.Assign) and self._is_parsed(outline, binding.value, depth)
        return (
            binding.parameter
            and isinstance(scope, ast.FunctionDef)
            and not scope.decorator_list
            and self._is_always_given(outline, scope, value.id, depth)
        )

    def _method(self, outline: Outline, called: ast.expr) -> Definition | None:
        """The method of `Options().parse`, of a class of the repository."""
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call)):
            return None
        classes = self.repo.resolver.classes(outline, called.value.func)
        lineage = self.repo.resolver.lineage(classes[0]) if len(classes) == 1 else ()
        found = ((base, method(base.node, called.attr)) for base in lineage)
        return next((Definition(base.outline, node) for base, node in found if node is not None), None)

    def _gives_parsed(self, outline: Outline, function: ast.FunctionDef, depth: int) -> bool:
        """Each `return` of the function gives parsed options."""
        if function.decorator_list or not isinstance(outline.parents[function], (ast.Module, ast.ClassDef)):
            return False
        passed = [node.value for node in outline.own(function) if isinstance(node, ast.Return)]
        return bool(passed) and all(
            value is not None and self._is_parsed(outline, value, depth + 1) for value in passed
        )

    def _is_always_given(self, outline: Outline, function: ast.FunctionDef, name: str, depth: int) -> bool:
        """Each mention of the function in the project calls it with parsed options for the parameter."""
        parameters = positional(function)
        if name not in parameters or not isinstance(outline.parents[function], ast.Module):
            return False
        at, seen = parameters.index(name), False
        for other in self.repo.mentioning(function.name):
            for mention in other.named.get(function.name, ()):
                definition = self.repo.resolver.definition(other, mention)
                if definition is not None and definition.node is not function:
                    continue
                call = other.parents[mention]
                if definition is None or not isinstance(call, ast.Call) or call.func is not mention:
                    return False
                by_name = [keyword.value for keyword in call.keywords if keyword.arg == name]
                passed = by_name or call.args[at : at + 1]
                starred = any(isinstance(item, ast.Starred) for item in call.args[: at + 1])
                if len(passed) != 1 or starred or not self._is_parsed(other, passed[0], depth + 1):
                    return False
                seen = True
        return seen
