"""What a function or class to be moved depends on, and what speaks against moving it. `plan.py` makes the fix."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ...finding import Refused
from ...nodes import walk
from ...project import Project
from ...syntax.binding_rules import DEFINITIONS, FUNCTIONS, LASTING, BindingKind, ScopeKind
from ...syntax.scope_data import Binding, Use, Variable, line_of, start_of
from ...syntax.scopes import Scopes
from ...tree.source import Source
from .candidate import (
    SEES_NAMES,
    Movable,
    Unit,
    assignment_targets,
    has_own_names,
    is_about_object,
    is_left_to_pickle,
)
from .checks.headers import Header
from .checks.settled import Settled
from .writing.class_fields import within_fields


class Units:
    """Makes and keeps the units of one file."""

    def __init__(self, project: Project, source: Source, scopes: Scopes) -> None:
        self.scopes, self.source = scopes, source
        self.settled = Settled(project, source.path, scopes)
        self.all: dict[ast.AST, Unit] = {}
        self._future = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(a.name == "annotations" for a in node.names)
            for node in scopes.tree.body
        )
        self.header = Header(self.settled, self, self._future)

    def of(self, node: Movable) -> Unit:
        """The unit of the node, with the units that it needs; `refused` is set on one that may not move."""
        if node not in self.all:
            unit = self.all[node] = Unit(node, self.scopes.around(node))
            unit.variable = self._variable(node)
            try:
                self._check(unit)
            except Refused as refused:
                unit.refused = refused.alone()
        return self.all[node]

    def needed(self, unit: Unit) -> list[Unit]:
        """The unit and every unit it needs, each once."""
        found, todo = [unit], [unit]
        while todo:
            for value in todo.pop().functions.values():
                if value not in found:
                    found.append(value)
                    todo.append(value)
        return found

    def _variable(self, node: Movable) -> Variable | None:
        """The local variable that holds the node and never anything else."""
        if isinstance(node, ast.Lambda):
            targets = assignment_targets(self.scopes.parents[node])
            if len(targets) != 1 or not isinstance(targets[0], ast.Name):
                return None
            name = targets[0].id
        else:
            name = node.name
        owner = self.scopes.owner(self.scopes.around(node), name)
        if owner is None or not owner.is_local or len(owner.bindings[name]) != 1:
            return None
        return Variable(owner, name)

    def movable_value(self, variable: Variable) -> Movable | None:
        """The local function, class or lambda that the variable holds, when it never holds anything else."""
        if len(variable.bindings) != 1:
            return None
        binding = variable.bindings[0]
        if binding.kind in DEFINITIONS and binding.by is variable.scope:
            assert isinstance(binding.node, (*FUNCTIONS, ast.ClassDef))
            return binding.node
        value = getattr(binding.statement, "value", None)
        if (
            binding.kind is BindingKind.ASSIGNMENT
            and isinstance(value, ast.Lambda)
            and assignment_targets(binding.statement) == [binding.node]
        ):
            return value
        return None

    # what speaks against it
    def _check(self, unit: Unit) -> None:
        node, scopes = unit.node, self.scopes
        if any(isinstance(above, ast.JoinedStr) for above in scopes.ancestors(node)):
            raise Refused("it stands inside an f-string: make it a function by hand")
        if not isinstance(node, ast.Lambda):
            if unit.home.kind is ScopeKind.CLASS:
                raise Refused("it is part of a class defined inside a function: move that class to module level")
            owner = scopes.owner(unit.home, node.name)
            if owner is not None and owner.kind is ScopeKind.MODULE and unit.home.kind is not ScopeKind.MODULE:
                raise Refused(f"`global {node.name}` binds it only where the function runs: define it at module level")
            self.header.decorators(unit)
        self._body(unit)
        self.header.parameters(unit)
        self._captures(unit)
        self._globals(unit)

    def _body(self, unit: Unit) -> None:
        node, scopes = unit.node, self.scopes
        classes = [above for above in scopes.ancestors(node) if isinstance(above, ast.ClassDef)]
        for use in scopes.body_uses(node):
            if use.name == "__class__" or (use.name == "super" and not isinstance(node, ast.ClassDef)):
                raise Refused(f"it uses `{use.name}` (line {line_of(use.node)}): make it a method of the class")
            if (
                use.name in SEES_NAMES
                and scopes.owner(use.scope, use.name) is None
                and not is_about_object(scopes, use)
                and not is_left_to_pickle(scopes, use)
                and not has_own_names(scopes, use)
            ):
                place = f"`{use.name}` (line {line_of(use.node)})"
                raise Refused(f"it calls {place}, which sees the variables around it: pass them as arguments")
        for inner in walk(node):
            if isinstance(inner, ast.Nonlocal):
                for name in inner.names:
                    owner = scopes.owner(scopes.around(inner), name)
                    if not scopes.is_inside(owner, node):
                        what = f"`{name}` of the function around it (nonlocal, line {inner.lineno})"
                        raise Refused(f"it changes {what}: keep that in an object")
            word = _identifier(inner) if inner is not node else None  # it gets another name itself
            if classes and word is not None and word.startswith("__") and not word.endswith("__"):
                if isinstance(node, ast.ClassDef):
                    continue  # its own body mangles by its own name
                unit.mangled = True

    def _captures(self, unit: Unit) -> None:
        scopes, node = self.scopes, unit.node
        method = scopes.method_self(node)
        for variable, every in scopes.captures(node).items():
            uses = [use for use in every if not within_fields(unit, use)] if unit.fields else every
            if not uses:
                continue  # its value is taken where the class stood
            if method is not None and variable == Variable(method[0], method[1]):
                unit.own_self, unit.self_uses = method, uses
                continue
            value = self.movable_value(variable)
            if value is not None:
                needed = self.of(value)
                unit.functions[variable] = needed
                unit.uses.setdefault(variable, []).extend(uses)
                if needed.applied:
                    raise Refused(
                        f"it uses {needed.label}, which its decorator `@{ast.unparse(needed.applied[0])}` makes "
                        "another object: pass that as an argument"
                    )
                if needed.refused is not None and needed is not unit:
                    raise Refused(f"it uses {needed.label}, which has to stay: {needed.refused}")
                continue
            self._capture(unit, variable, uses)

    def _capture(self, unit: Unit, variable: Variable, uses: list[Use]) -> None:
        bindings = variable.bindings
        imported = [binding for binding in bindings if binding.kind is BindingKind.IMPORT]
        if imported:
            if isinstance(unit.node, ast.ClassDef):
                if (need := self.settled.import_above(variable)) is None:
                    raise Refused(
                        f"it uses `{variable.name}`, imported in the function: import it at the top of the file"
                    )
                unit.imports_above.append(need)
                unit.imported.append(variable)
                return
            if len(bindings) == 1 and self.settled.value_may_change(variable):
                self._capture_value(unit, variable, uses)
                return
            if len(bindings) > 1 and (self._are_values(bindings) or self._is_called(variable, uses)):
                self._capture_value(unit, variable, uses)
                return
            if len(bindings) > 1:
                how = "imported" if len(imported) == len(bindings) else "imported and bound"
                raise Refused(
                    f"`{variable.name}` is {how} in several ways in the function: pass what was imported as an "
                    "argument (a module: by its name)"
                )
            unit.imported.append(variable)
            unit.imports[start_of(imported[0].node)] = _import_statement(imported[0].statement, variable.name)
            return
        self._capture_value(unit, variable, uses)

    def _are_values(self, bindings: Sequence[Binding]) -> bool:
        """None is a module: `from settings import LIMIT`, or else `LIMIT = 3`."""
        return all(
            self.settled.is_value(each) or isinstance(getattr(each.statement, "value", None), ast.Constant)
            for each in bindings
        )

    def _is_called(self, variable: Variable, uses: Iterable[Use]) -> bool:
        """It is called, and so no module: `from fast import clip`, or else `clip = None`."""
        for binding in variable.bindings:
            constant = isinstance(getattr(binding.statement, "value", None), ast.Constant)
            if not isinstance(binding.statement, ast.ImportFrom) and not constant:
                return False
        parents = ((use.node, self.scopes.parents[use.node]) for use in uses)
        return any(isinstance(parent, ast.Call) and parent.func is node for node, parent in parents)

    def _capture_value(self, unit: Unit, variable: Variable, uses: list[Use]) -> None:
        why = self.scopes.why_not_once(variable, unit.node)
        if why is not None and self.scopes.is_loop_variable(variable, unit.node):
            late = "each function would keep the value from when it is defined, not see the last one"
            unit.snapshots.append(f"{why.partition(': ')[0]}: {late}")
            why = None
        if why is not None:
            bound_below = all(item.done > start_of(unit.node) for item in variable.bindings)
            use = self._only_use(unit) if bound_below else None
            if use is None or self.scopes.why_not_once(variable, use.node) is not None:
                raise Refused(why)
            unit.late = use, why
        self._another_self(variable)
        unit.captures[variable] = uses

    def _only_use(self, unit: Unit) -> Use | None:
        """Where the function is used, when that is one place below it that runs as often as its definition."""
        node, scopes, variable = unit.node, self.scopes, unit.variable
        if not isinstance(node, FUNCTIONS) or variable is None or node.decorator_list:
            return None
        uses = variable.scope.uses.get(variable.name, [])
        if len(uses) != 1 or uses[0].scope is not unit.home or start_of(uses[0].node) < start_of(node):
            return None
        block, above = scopes.block_of(node), {*scopes.ancestors(uses[0].node)}
        is_below = any(statement in above for statement in block)
        as_often = scopes.loops_around(uses[0].node, unit.home) == scopes.loops_around(node, unit.home)
        return uses[0] if is_below and as_often else None

    def _another_self(self, variable: Variable) -> None:
        """The first parameter of a method is a value like others only where it is no instance."""
        function, again = (
            variable.scope.node,
            [binding for binding in variable.bindings if binding.kind is not BindingKind.PARAMETER],
        )
        if isinstance(function, FUNCTIONS) and isinstance(self.scopes.parents[function], ast.ClassDef) and again:
            parameters = [*function.args.posonlyargs, *function.args.args]
            if parameters and parameters[0].arg == variable.name:
                raise Refused(
                    f"`{variable.name}` is re-bound at line {again[0].line}: give the other object another name"
                )

    def _globals(self, unit: Unit) -> None:
        """Names of the module that a worker, running the file without its main guard, would lack or see differently."""
        module = self.scopes.module
        for use in [*self.scopes.body_uses(unit.node), *unit.at_import]:
            if unit.fields and within_fields(unit, use):
                continue
            owner = self.scopes.owner(use.scope, use.name)
            if owner is not module or (use.annotation and self._future):
                continue
            variable = Variable(module, use.name)
            if variable in unit.captures:
                unit.captures[variable].append(use)
                continue
            bindings = [binding for binding in variable.bindings if not self.scopes.is_inside(binding.by, unit.node)]
            elsewhere = [binding for binding in bindings if binding.by is not module]
            if elsewhere:
                what = f"`{use.name}` is set through `global` (line {elsewhere[0].line})"
                raise Refused(f"{what}, which a spawned worker does not run: pass it as an argument")
            own = (binding for binding in variable.bindings if binding not in bindings)
            counted = next((item for item in own if _goes_on(item.statement, use.name)), None)
            if counted is not None:
                raise Refused(
                    f"it changes `{use.name}` (line {counted.line}), and a spawned worker goes on from the value of "
                    "the import, not from the one here: pass it as an argument"
                )
            guarded = [binding for binding in bindings if self.scopes.under_guard(binding.node)]
            if not guarded:
                continue
            line = guarded[0].line
            if any(item.kind in LASTING for item in guarded):
                raise Refused(f"`{use.name}` exists only under the main guard (line {line}): move it above the guard")
            if len(guarded) < len(bindings) or unit.home is not module or isinstance(unit.node, ast.ClassDef):
                what = f"`{use.name}` is set only under the main guard (line {line})"
                raise Refused(f"{what}, which a worker does not run: pass it as an argument")
            self._capture(unit, variable, [use])


def _goes_on(statement: ast.AST, name: str) -> bool:
    """`name += 1`, `name = name + 1` in a function: the new value follows from the old one."""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Name) and statement.target.id == name
    return isinstance(statement, ast.Assign) and any(
        isinstance(node, ast.Name) and node.id == name for node in walk(statement.value)
    )


def _identifier(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, FUNCTIONS) else None


def _import_statement(statement: ast.AST, name: str) -> str:
    """The part of an import statement that binds `name`, as a statement."""
    assert isinstance(statement, (ast.Import, ast.ImportFrom))
    for alias in statement.names:
        if (alias.asname or alias.name.partition(".")[0]) == name or alias.asname == name:
            what = alias.name + (f" as {alias.asname}" if alias.asname else "")
            if isinstance(statement, ast.Import):
                return f"import {what}"
            return f"from {'.' * statement.level}{statement.module or ''} import {what}"
    raise AssertionError(name)
