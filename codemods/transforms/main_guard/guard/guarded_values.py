"""Values that are set under the main guard although workers read them, and that can as well be set above it."""

from __future__ import annotations

import ast
import builtins
import re

from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ..data import names
from ..starts.process_starts import Starts
from ..statements import names_bound

_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
_PURE = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
    ast.IfExp, ast.Tuple, ast.JoinedStr, ast.FormattedValue, ast.Call, ast.keyword,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_IMPORTS_DEPEND_ON = re.compile(r"sys\.path|environ|putenv|chdir|set_visible")
_DEPTH = 3
Value = ast.Assign | ast.Import | ast.ImportFrom


class GuardedValues:
    """Answers for one guard."""

    def __init__(self, starts: Starts, outline: Outline, guard: ast.If, imported: bool) -> None:
        """`imported`: another file imports this one, so that nothing may run at import that did not before."""
        self.starts, self.outline, self.guard, self.imported = starts, outline, guard, imported

    def movable(self, name: str, depth: int = 0) -> list[Value] | None:
        """The statements of the guard that set `name` and what it is computed from; None where one can't move."""
        body = self.guard.body
        setting = [at for at, statement in enumerate(body) if name in names_bound(statement)]
        others = len(self.outline.bindings(self.outline.module, name)) - len(setting)
        if not setting or others or depth > _DEPTH or setting != list(range(setting[0], setting[-1] + 1)):
            return None
        found: list[Value] = []
        for at in setting:
            statement = body[at]
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                if len(setting) > 1 or not self._import_moves(at):
                    return None
                found.append(statement)
            elif isinstance(statement, ast.Assign) and [*names_bound(statement)] == [name]:
                needs = self._needs(statement, at, name if at != setting[0] else None, depth)
                if needs is None:
                    return None
                found += [*(item for item in needs if item not in found), statement]
            else:
                return None
        last = body[setting[-1]]
        if isinstance(last, ast.Assign) and not self._is_immutable(self.outline, last.value):
            return None
        return sorted(dict.fromkeys(found), key=lambda item: item.lineno)

    def _import_moves(self, at: int) -> bool:
        """No line of the guard before it changes what is imported."""
        return not any(_IMPORTS_DEPEND_ON.search(ast.unparse(item)) for item in self.guard.body[:at])

    def _needs(self, statement: ast.Assign, at: int, own: str | None, depth: int) -> list[Value] | None:
        """What else has to move with `statement`, which may read its `own` name; None where it can't move."""
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            return None
        calls = [node for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
        if not self._is_pure(self.outline, statement.value):
            return None
        if calls and (self.imported or not self._quiet_before(at)):
            return None
        found: list[Value] = []
        for node in ast.walk(statement.value):
            if not isinstance(node, ast.Name) or node.id == own:
                continue
            bound = self.outline.bindings(self.outline.module, node.id)
            if not bound and hasattr(builtins, node.id):
                continue
            if any(node.id in names_bound(item) for item in self.guard.body):
                more = self.movable(node.id, depth + 1)
                if more is None:
                    return None
                found += more
            elif not bound or any(item.statement.lineno > self.guard.lineno for item in bound):  # type: ignore[attr-defined]
                return None
        return found

    def _quiet_before(self, at: int) -> bool:
        """Before the statement, the guard only computes and prints: what a look-up finds is there at import as well."""
        return all(
            isinstance(statement, (ast.Import, ast.ImportFrom, *FUNCTIONS, ast.ClassDef))
            or (isinstance(statement, ast.Assign) and self._is_pure(self.outline, statement.value))
            or (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, (ast.Constant, ast.Call))
                and (isinstance(statement.value, ast.Constant) or self._matters_little(statement.value))
            )
            for statement in self.guard.body[:at]
        )

    def _matters_little(self, call: ast.Call) -> bool:
        """It prints, or makes a folder."""
        return last_name(call.func) == "print" or qualified_name(self.outline, call.func) in names("little")

    def _is_pure(self, outline: Outline, value: ast.expr, depth: int = 0) -> bool:
        """The same in every process, whenever it is computed: constants, and look-ups in files and dicts."""
        for node in ast.walk(value):
            if isinstance(node, _MUTABLE) or not isinstance(node, _PURE):
                return False
            if isinstance(node, ast.Call) and not self._looks_up(outline, node, depth):
                return False
        return True

    def _is_immutable(self, outline: Outline, value: ast.expr, depth: int = 0) -> bool:
        """A number, a text or a tuple of such: nothing that the guard does later can change it."""
        if isinstance(value, (ast.Constant, ast.JoinedStr, ast.Compare)):
            return True
        if isinstance(value, (ast.Tuple, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp)):
            parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
            return all(self._is_immutable(outline, part, depth) for part in parts)
        if isinstance(value, ast.Name):
            bound = outline.lookup(value, value.id)[1]
            return (
                bool(bound)
                and depth < _DEPTH
                and all(item.value is not None and self._is_immutable(outline, item.value, depth + 1) for item in bound)
            )
        if not isinstance(value, ast.Call):
            return False
        name = qualified_name(outline, value.func)
        if name.startswith("os.path.") or (name in names("lookups") and name not in names("mutable_lookups")):
            return True
        called = self.starts.callees.called(outline, value) if depth < _DEPTH else None
        if called is None:
            return False
        returned = [node.value for node in called[0].own(called[1]) if isinstance(node, ast.Return)]
        return all(item is not None and self._is_immutable(called[0], item, depth + 1) for item in returned)

    def _looks_up(self, outline: Outline, call: ast.Call, depth: int) -> bool:
        name = qualified_name(outline, call.func)
        if name in names("lookups") or name.startswith("os.path."):
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr in names("lookup_methods"):
            return True
        called = self.starts.callees.called(outline, call) if depth < _DEPTH else None
        return called is not None and self._only_looks_up(called[0], called[1], depth + 1)

    def _only_looks_up(self, outline: Outline, function: Function, depth: int) -> bool:
        marks = {last_name(mark) for mark in function.decorator_list}
        return marks <= {"classmethod", "staticmethod"} and all(
            (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
            or (
                isinstance(item, (ast.Return, ast.Assign))
                and item.value is not None
                and self._is_pure(outline, item.value, depth)
                and (isinstance(item, ast.Return) or all(isinstance(target, ast.Name) for target in item.targets))
            )
            for item in function.body
        )
