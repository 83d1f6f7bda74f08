"""Lambdas that only call a function of the project: that function, or a partial of it, stands for them.

`lambda path: load(path, scale=2)` is `partial(load, scale=2)`, and `lambda row: self.crop(row)` is `self.crop`, where
all of `self` may go along: no other function is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ...flow.answers.introspection import UNKNOWN
from ...syntax.binding_rules import FUNCTIONS, positional
from ...syntax.names import root_of_chain
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from ...syntax.scope_data import Binding, Variable, end_of, start_of
from .candidate import Unit
from .checks.parsed_options import ParsedOptions
from .checks.same_method import is_same_method
from .file_state import FileRewrite, Move
from .known import Known
from .stdlib_forms import may_take_other_arguments


class Forwards:
    """Answers for one file."""

    def __init__(self, repo: Repo, rewrite: FileRewrite, known: Known, options: ParsedOptions) -> None:
        self.repo, self.rewrite, self.known, self.options = repo, rewrite, known, options

    def choose(self, move: Move, moves: Mapping[Unit, Move]) -> None:
        """Sets `passes_on` and the name where what the lambda calls, or a partial of that, can stand for the lambda."""
        values = self._values(move, moves)
        if values is not None:
            move.passes_on, move.name, move.is_repeated = values, self._name(move.unit, moves), True

    def _name(self, unit: Unit, moves: Mapping[Unit, Move]) -> str:
        assert isinstance(unit.node, ast.Lambda) and isinstance(unit.node.body, ast.Call)
        if moves[unit].method is not None:
            assert isinstance(unit.node.body.func, ast.Attribute)
            return unit.node.body.func.attr
        return next((moves[other].base for other in unit.functions.values()), self._text(unit.node.body.func))

    def _values(self, move: Move, moves: Mapping[Unit, Move]) -> list[str] | None:
        unit, node = move.unit, move.unit.node
        if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.Call):
            return None
        if (
            (unit.own_self and move.method is None)
            or unit.frozen
            or unit.imports
            or unit.mangled
            or move.is_object
            or move.is_distinct
            or move.is_own
        ):
            return None
        passed = node.args
        if (
            passed.defaults
            or passed.vararg
            or passed.kwonlyargs
            or passed.kwarg
            or not self._is_called_plainly(unit, node)
        ):
            return None
        if move.method is not None:
            function = self._of_self(move, node.body.func)
        else:
            function = self._function(unit, node.body.func, moves)
        if function is None:
            return self._keywords(unit, node) if move.method is None else None
        values = self._arguments(unit, node, function)
        taken = [value for other in unit.functions.values() for value in moves[other].arguments]
        return None if values is None else [*taken, *values]

    def _keywords(self, unit: Unit, node: ast.Lambda) -> list[str] | None:
        """What the lambda adds by keyword to a call of a local variable: right whatever the parameters are."""
        call = node.body
        assert isinstance(call, ast.Call)
        own = positional(node)
        if unit.functions or not isinstance(call.func, ast.Name) or self._captured(unit, call.func) is None:
            return None
        if [argument.id if isinstance(argument, ast.Name) else None for argument in call.args] != own:
            return None
        if any(item.arg is None or not self._is_settled(unit, item.value) for item in call.keywords):
            return None
        return [f"{item.arg}={self._text(item.value)}" for item in call.keywords] or None

    def _is_called_plainly(self, unit: Unit, node: ast.Lambda) -> bool:
        """What calls it gives each parameter by position, and reads nothing that only this lambda has."""
        place = (self.rewrite.path, *start_of(node))
        if self.known.asked(*place) or "#" in self._text(node):
            return False
        count = len(node.args.posonlyargs) + len(node.args.args)
        calls = {call.what for call in self.known.given(*place)} - {UNKNOWN}
        if calls:
            return calls == {str(count)}
        return not may_take_other_arguments(self.rewrite.scopes, node, self.rewrite.is_ours(node))

    def _function(self, unit: Unit, called: ast.expr, moves: Mapping[Unit, Move]) -> ast.arguments | None:
        """The parameters of the one function that `called` is, from now on and in a worker."""
        scopes, settled = self.rewrite.scopes, self.rewrite.units.settled
        if unit.functions:
            return self._moving(unit, called, moves)
        if not settled.constant(called):
            return None
        root = root_of_chain(called)
        bound = scopes.module.bindings.get(root.id, []) if root is not None else []
        outline = self.repo.outline(self.rewrite.path)
        if bound or outline is None:
            is_there = len(bound) == 1 and self._is_there(unit, bound[0])
        else:
            top = start_of(scopes.top_statement(unit.node))
            stars = outline.star_imports
            is_there = all(star in outline.module.body and end_of(star) <= top for star in stars) and bool(stars)
        if not is_there:
            return None  # the lambda looks for it only when it is called
        found = self.repo.resolver.definition(outline, called) if outline is not None else None
        if found is None or not isinstance(found.node, FUNCTIONS):
            return None
        parent, node = found.outline.parents[found.node], found.node
        decorators = [ast.unparse(item) for item in node.decorator_list]
        if isinstance(parent, ast.Module):
            is_plain = not decorators and len(found.outline.bindings(parent, node.name)) == 1
        else:
            is_plain = (
                isinstance(parent, ast.ClassDef)
                and isinstance(found.outline.parents[parent], ast.Module)
                and not parent.decorator_list
                and decorators == ["staticmethod"]
                and method(parent, node.name) is node
                and not node.name.startswith("__")
            )
        return node.args if is_plain else None

    def _of_self(self, move: Move, called: ast.expr) -> ast.arguments | None:
        """The parameters of `self.method`, which is what the lambda calls, and nothing ever sets."""
        assert move.method is not None
        me, cls = move.method[1:]
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == me):
            return None
        found, name = method(cls, called.attr), called.attr
        is_plain = isinstance(found, ast.FunctionDef) and not found.decorator_list and not name.startswith("__")
        if found is None or not is_plain or len(move.unit.self_uses) != 1 or "setattr(" in self.rewrite.source.text:
            return None
        known = self.repo.defined_at(self.rewrite.path, cls.lineno)
        mine = next((Class(outline, node) for outline, node in known if isinstance(node, ast.ClassDef)), None)
        if mine is None or not is_same_method(self.rewrite.project, self.repo, self.options, mine, name):
            return None
        first, every = len(found.args.posonlyargs), [*found.args.posonlyargs, *found.args.args]
        rest = ast.arguments(
            **{**dict(ast.iter_fields(found.args)), "posonlyargs": every[1:first], "args": every[max(first, 1) :]}
        )
        return rest if every else None

    def _is_there(self, unit: Unit, binding: Binding) -> bool:
        """The function is defined when the lambda is: above it, or below its function with nothing run in between."""
        top, body = self.rewrite.scopes.top_statement(unit.node), self.rewrite.scopes.tree.body
        if binding.done <= start_of(top):
            return True
        if not isinstance(top, (*FUNCTIONS, ast.ClassDef)) or binding.statement not in body:
            return False
        if self.rewrite.scopes.around(unit.node).is_local is False:
            return False  # in the body of the class itself
        between = body[body.index(top) : body.index(binding.statement)]
        return isinstance(binding.statement, FUNCTIONS) and all(map(_only_defines, between))

    def _moving(self, unit: Unit, called: ast.expr, moves: Mapping[Unit, Move]) -> ast.arguments | None:
        """The same for a function beside the lambda that moves along; what it captures is passed to it as it was."""
        variable, function = next(iter(unit.functions.items()))
        other = moves.get(function)
        if len(unit.functions) != 1 or other is None or not isinstance(function.node, FUNCTIONS):
            return None
        is_called = [use.node for use in unit.uses[variable]] == [called]
        is_plain = not (other.is_object or other.method or function.node.decorator_list or other.attributes)
        is_plain = is_plain and not (function.frozen or other.is_distinct or other.parts)
        return function.node.args if is_called and is_plain else None

    def _arguments(self, unit: Unit, node: ast.Lambda, taken: ast.arguments) -> list[str] | None:
        """What the lambda adds to the call, where its own arguments follow on each other in the call."""
        call = node.body
        assert isinstance(call, ast.Call)
        slots = [item.arg for item in (*taken.posonlyargs, *taken.args)]
        first_keyword = len(taken.posonlyargs)
        own = positional(node)
        placed: dict[int, ast.expr] = {}
        named: list[tuple[str, ast.expr]] = []
        for at, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred) or at >= len(slots):
                return None
            placed[at] = argument
        for keyword in call.keywords:
            if keyword.arg is None:
                return None
            if keyword.arg in slots[first_keyword:]:
                placed[slots.index(keyword.arg)] = keyword.value
            elif keyword.arg in (item.arg for item in taken.kwonlyargs):
                named.append((keyword.arg, keyword.value))
            else:
                return None
        at_slot = {value.id: at for at, value in placed.items() if isinstance(value, ast.Name) and value.id in own}
        if sorted(at_slot) != sorted(own) or len(set(own)) != len(own):
            return None
        mine = [at_slot[name] for name in own]
        before = mine[0] if mine else sum(at in placed for at in range(len(call.args)))
        if mine != list(range(before, before + len(own))) or any(at not in placed for at in range(before)):
            return None
        rest = [at for at in sorted(placed) if at >= before + len(own)]
        if any(at < first_keyword for at in rest):
            return None
        named = [*((slots[at], placed[at]) for at in rest), *named]
        leading = [placed[at] for at in range(before)]
        if not all(self._is_settled(unit, value) for value in (*leading, *(value for _, value in named))):
            return None
        return [*map(self._text, leading), *(f"{name}={self._text(value)}" for name, value in named)]

    def _is_settled(self, unit: Unit, value: ast.expr) -> bool:
        """Evaluating it where the lambda stands gives what evaluating it in a call gave."""
        scopes = self.rewrite.scopes
        if "\n" in self._text(value):
            return False
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            variable = self._captured(unit, value.value)
            if variable is not None:
                return self.options.keeps(value, unit.node)
        if isinstance(value, ast.Name):
            return self._captured(unit, value) is not None or (
                scopes.owner(scopes.around(value), value.id) is scopes.module
                and self.rewrite.units.settled.constant(value)
            )
        return self.rewrite.units.settled.constant(value)

    def _captured(self, unit: Unit, name: ast.Name) -> Variable | None:
        return next((item for item, uses in unit.captures.items() if any(use.node is name for use in uses)), None)

    def _text(self, node: ast.AST) -> str:
        source = self.rewrite.source
        return source.text[source.offset(*start_of(node)) : source.offset(*end_of(node))]


def _only_defines(statement: ast.stmt) -> bool:
    """A function or class, an import, a constant: it calls no function of the file."""
    if isinstance(statement, FUNCTIONS):
        headers = [*statement.decorator_list, statement.args]
        return not any(isinstance(node, ast.Call) for header in headers for node in ast.walk(header))
    if isinstance(statement, ast.ClassDef):
        plain = not (statement.decorator_list or statement.keywords) and all(
            isinstance(base, (ast.Name, ast.Attribute)) for base in statement.bases
        )
        return plain and all(map(_only_defines, statement.body))
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
        return True
    calls = any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) for node in ast.walk(statement))
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and not calls
