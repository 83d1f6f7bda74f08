"""What runs where a definition stands: decorators, defaults, annotations, bases. Moved, it runs once, on import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...finding import Refused
from ...syntax.scopes import (
    BUILTINS,
    COMPREHENSIONS,
    FUNCTIONS,
    Kind,
    Scopes,
    Variable,
    line_of,
    start_of,
)
from .candidate import Unit
from .libraries import libraries

if TYPE_CHECKING:
    from .candidates import Units


class Header:
    """Says what speaks against moving a header, and notes in the unit what it depends on."""

    def __init__(self, scopes: Scopes, units: Units, future: bool) -> None:
        self.scopes, self.units = scopes, units
        self._future = future  # annotations are not evaluated

    def decorators(self, unit: Unit) -> None:
        """What speaks against its decorators."""
        assert not isinstance(unit.node, ast.Lambda)
        for decorator in unit.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = ast.unparse(called)
            if isinstance(unit.node, ast.ClassDef):
                fine = name in libraries().class_decorators
            else:
                fine = name.rpartition(".")[2] in libraries().pure_decorators or self._wraps(called)
            if not fine:
                raise Refused(f"its decorator `@{name}` may do more than wrap it: move it to module level by hand")

    def _wraps(self, decorator: ast.expr) -> bool:
        """A plain decorator of this module whose result goes by the function's own name (functools.wraps)."""
        if not isinstance(decorator, ast.Name):
            return False
        bindings = self.scopes.module.bindings.get(decorator.id, [])
        if len(bindings) != 1 or not isinstance(bindings[0].node, ast.FunctionDef):
            return False
        if self.scopes.owner(self.scopes.around(decorator), decorator.id) is not self.scopes.module:
            return False
        inner = [each for each in ast.walk(bindings[0].node) if isinstance(each, ast.FunctionDef)][1:]
        return bool(inner) and all(any("wraps(" in ast.unparse(d) for d in each.decorator_list) for each in inner)

    def parameters(self, unit: Unit) -> None:
        """Defaults, annotations, bases: what runs where the definition stands will run once, on import."""
        node, scopes = unit.node, self.scopes
        if isinstance(node, ast.ClassDef):
            self._class_header(unit, node)
            return
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr]] = []
        if arguments.defaults:
            pairs += zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True)
        pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
        for argument, default in pairs:
            if self._constant(default):
                unit.at_import += scopes.uses_within([default])
                continue
            takes_variable = isinstance(default, ast.Name) and self._is_variable(default)
            by_keyword = argument in arguments.kwonlyargs or (
                argument in arguments.args and isinstance(node, ast.Lambda)
            )
            if not (takes_variable and by_keyword):
                what = f"the default of `{argument.arg}`, `{ast.unparse(default)}`,"
                raise Refused(f"{what} is made anew each time (line {default.lineno}): pass it as an argument")
            assert isinstance(default, ast.Name)
            value = self.units.movable_value(Variable(scopes.owner(unit.home, default.id) or unit.home, default.id))
            if value is not None:
                raise Refused(
                    f"the default of `{argument.arg}` is the local function `{default.id}`: move both to module level"
                )
            unit.frozen[argument.arg] = default.id
            unit.default_nodes[argument.arg] = default
        for use in scopes.header_uses(node):
            if use.annotation:
                if self.is_local(use.node):
                    line = line_of(use.node)
                    raise Refused(
                        f"an annotation names the local `{use.name}` (line {line}): move that to module level"
                    )
                if not self._future:
                    unit.at_import.append(use)
        if not isinstance(node, ast.Lambda):
            unit.at_import += scopes.uses_within(node.decorator_list)
            if any(self.is_local(use.node) for use in scopes.uses_within(node.decorator_list)):
                raise Refused("its decorator is local to the function around it: move both to module level")

    def _class_header(self, unit: Unit, node: ast.ClassDef) -> None:
        scopes = self.scopes
        inner = scopes.inner(node)
        for keyword in node.keywords:
            if ast.unparse(keyword.value).rpartition(".")[2] != "ABCMeta":
                raise Refused(
                    f"it is made with `{ast.unparse(keyword)}`, which may register it: move it to module level by hand"
                )
        for base in node.bases:
            if not all(
                isinstance(each, (ast.Name, ast.Attribute, ast.expr_context, ast.Subscript, ast.Index, ast.Tuple))
                for each in ast.walk(base)
            ):
                raise Refused(f"its base `{ast.unparse(base)}` is computed: write the classes out at module level")
            for use in scopes.uses_within([base]):
                owner = scopes.owner(use.scope, use.name)
                if owner is not None and owner.is_local:
                    value = self.units.movable_value(Variable(owner, use.name))
                    if any(each.kind == "import" for each in Variable(owner, use.name).bindings):
                        raise Refused(
                            f"its base `{use.name}` is imported in the function: import it at the top of the file"
                        )
                    if not isinstance(value, ast.ClassDef):
                        raise Refused(f"its base `{use.name}` is a variable: write the classes out at module level")
                    if start_of(value) > start_of(node):
                        raise Refused(
                            f"its base `{use.name}` is bound only later (line {value.lineno}): move that up first"
                        )
                    variable = Variable(owner, use.name)
                    unit.functions[variable] = self.units.of(value)
                    unit.uses.setdefault(variable, []).append(use)
                    if unit.functions[variable].refusal:
                        raise Refused(f"its base `{use.name}` has to stay: {unit.functions[variable].refusal}")
                else:
                    unit.at_import.append(use)
        for statement in node.body:
            if not isinstance(statement, (*FUNCTIONS, ast.ClassDef, ast.Assign, ast.AnnAssign)) and any(
                isinstance(each, ast.Call) for each in ast.walk(statement)
            ):
                raise Refused(
                    f"its body does more than define (line {statement.lineno}): move it to module level by hand"
                )
            worth = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            fresh = isinstance(worth, (ast.List, ast.Dict, ast.Set, ast.Call, *COMPREHENSIONS))
            if worth is not None and fresh and not self._constant(worth):
                what = f"`{ast.unparse(statement).partition('=')[0].strip()}` (line {statement.lineno})"
                raise Refused(f"each call makes its own {what}, one class would share it: set it in `__init__`")
        unit.at_import += [
            use for use in scopes.body_uses(node) if use.scope is inner and not (use.annotation and self._future)
        ]
        unit.at_import += scopes.uses_within(node.decorator_list)
        for use in self.scopes.uses:
            if use.name == node.name and scopes.owner(use.scope, use.name) is scopes.owner(unit.home, node.name):
                parent = scopes.parents[use.node]
                if isinstance(parent, ast.Attribute) and not isinstance(parent.ctx, ast.Load):
                    what = f"`{node.name}.{parent.attr}` is set (line {parent.lineno})"
                    raise Refused(f"{what}, which a worker does not see: set it in the class")

    def is_local(self, node: ast.Name) -> bool:
        """The name is no variable of the module."""
        owner = self.scopes.owner(self.scopes.around(node), node.id)
        return owner is not None and (owner.is_local or owner.kind is Kind.CLASS)

    def _is_variable(self, node: ast.Name) -> bool:
        """The name is a local one, or one of the module for a value."""
        bindings = self.scopes.module.bindings.get(node.id, [])
        return self.is_local(node) or not any(each.kind in ("import", "def", "class") for each in bindings)

    def _constant(self, value: ast.expr) -> bool:
        """True when evaluating it once, on import, gives what evaluating it in the function gave."""
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.UnaryOp):
            return self._constant(value.operand)
        if isinstance(value, ast.BinOp):
            return self._constant(value.left) and self._constant(value.right)
        if isinstance(value, ast.Tuple):
            return all(self._constant(each) for each in value.elts)
        if isinstance(value, ast.Attribute):
            root = value.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if not isinstance(root, ast.Name) or self.is_local(root):
                return False
            return [each.kind for each in self.scopes.module.bindings.get(root.id, [])] == ["import"]
        if isinstance(value, ast.Name):
            if self.is_local(value):
                return False
            bindings = self.scopes.module.bindings.get(value.id, [])
            if not bindings:
                return value.id in BUILTINS or bool(self.scopes.module.stars)
            if len(bindings) != 1 or self.scopes.under_guard(bindings[0].node):
                return False
            return not self.scopes.loops_around(bindings[0].node, self.scopes.module)
        return False
