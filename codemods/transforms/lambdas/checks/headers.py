"""What runs where a definition stands: decorators, defaults, annotations, bases. Moved, it runs once, on import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ....finding import Refused
from ....syntax.binding_rules import FUNCTIONS, LASTING, BindingKind, FunctionNode, ScopeKind, defaults_of
from ....syntax.names import dotted, root_of_chain
from ....syntax.scope_data import Use, Variable, line_of, start_of
from ..candidate import Unit
from ..libraries import libraries
from ..writing.class_fields import is_alone, may_be_handed_over, within_fields
from .kept_decorators import KeptDecorators
from .settled import Settled, origin_in

if TYPE_CHECKING:
    from ..candidates import Units

_AT_TOP = "move it to module level by hand"
_BY_HAND = f"{_AT_TOP}, or make it in the worker"  # from what it needs of the function around
IN_INIT = "set it in `__init__`"
_CACHES = frozenset({"functools.lru_cache", "functools.cache"})  # a new one for each call of the function around


class Header:
    """Says what speaks against moving a header, and notes in the unit what it depends on."""

    def __init__(self, settled: Settled, units: Units, future: bool) -> None:
        self.settled, self.scopes, self.units = settled, settled.scopes, units
        self._future = future  # annotations are not evaluated
        self._kept = KeptDecorators(settled)

    def decorators(self, unit: Unit) -> None:
        """Notes those that are applied where it stood. Raises Refused for one that may do more than keep or wrap it."""
        assert not isinstance(unit.node, ast.Lambda)
        if isinstance(unit.node, FUNCTIONS) and unit.node.decorator_list and unit.home.kind is not ScopeKind.MODULE:
            unit.applied = self._kept.applied(unit.node)
        known = libraries()
        names = known.class_decorators if isinstance(unit.node, ast.ClassDef) else known.pure_decorators
        for decorator in unit.node.decorator_list[len(unit.applied) :]:
            if not self.settled.pure_decorator(decorator, names):
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                caches = origin_in(self.scopes, called) in _CACHES
                advice = f": {_AT_TOP}, if one cache will do for all" if caches else _once_will_do(unit)
                raise Refused(f"its decorator `@{_called(decorator)}` may do more than wrap it{advice}")

    def parameters(self, unit: Unit) -> None:
        """Defaults, annotations, bases: what runs where the definition stands will run once, on import."""
        node, scopes = unit.node, self.scopes
        if isinstance(node, ast.ClassDef):
            self._class_header(unit, node)
            return
        for argument, default in defaults_of(node):
            if self.settled.constant(default) or self._goes_along(node, argument, default):
                unit.at_import += scopes.uses_within([default])
            else:
                self._hand_over(unit, argument, default)
        for use in scopes.header_uses(node):
            if use.annotation:
                if self.settled.is_local(use.node):
                    line = line_of(use.node)
                    raise Refused(f"an annotation names the local `{use.name}` (line {line}): {self._elsewhere(use)}")
                if not self._future:
                    unit.at_import.append(use)
        if not isinstance(node, ast.Lambda):
            self._annotations(node)
            decorated = scopes.uses_within(node.decorator_list[len(unit.applied) :])
            unit.at_import += decorated
            if any(self.settled.is_local(use.node) for use in decorated):
                raise Refused("its decorator is local to the function around it: move both to module level")

    def _goes_along(self, node: ast.Lambda | FunctionNode, argument: ast.arg, default: ast.expr) -> bool:
        """A lambda that reads nothing of this call, and is only called: one for all calls will do."""
        if not isinstance(default, ast.Lambda) or self.scopes.captures(default):
            return False
        if not all(self.settled.constant(item) for _, item in defaults_of(default)):
            return False
        uses = self.scopes.inner(node).uses.get(argument.arg, [])
        calls = (self.scopes.parents[use.node] for use in uses)
        return all(isinstance(call, ast.Call) and call.func is use.node for call, use in zip(calls, uses, strict=True))

    def _elsewhere(self, use: Use) -> str:
        """What to do with a local name in an annotation: a class can move, a value of this call can't."""
        owner = self.scopes.owner(use.scope, use.name)
        bound = owner.bindings[use.name] if owner is not None else []
        lasting = all(binding.kind in LASTING for binding in bound)
        return "move that to module level" if lasting else "leave the annotation out, or write it without that value"

    def _hand_over(self, unit: Unit, argument: ast.arg, default: ast.expr) -> None:
        """The default is taken where the function was made, as a keyword of a partial."""
        node = unit.node
        assert not isinstance(node, ast.ClassDef)
        what = f"the default of `{argument.arg}`, `{ast.unparse(default)}` (line {default.lineno}),"
        if argument in node.args.posonlyargs:
            raise Refused(
                f"{what} is evaluated each time that the function is created, and can't be passed "
                "by keyword: pass it as an argument"
            )
        is_name = isinstance(default, ast.Name) and isinstance(node, ast.Lambda)  # `lambda x, i=i:`, as everybody does
        required = len(node.args.posonlyargs) + len(node.args.args) > len(node.args.defaults)
        if argument in node.args.args and not (required or is_name):
            unit.by_position = Refused(
                f"{what} is evaluated each time that the function is created, and may be passed "
                "by position: pass it as an argument"
            )
        for inner in ast.walk(default):
            if isinstance(inner, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
                raise Refused(f"{what} does more than name a value: pass it as an argument")
            if isinstance(inner, ast.Name):
                owner = self.scopes.owner(self.scopes.around(inner), inner.id)
                local = owner is not None and owner.is_local
                if owner is not None and local and self.units.movable_value(Variable(owner, inner.id)) is not None:
                    where = f"the default of `{argument.arg}`"
                    raise Refused(f"{where} uses the local function `{inner.id}`: move both to module level")
        text = self.units.source.text_of(default)
        unit.frozen[argument.arg] = ast.unparse(default) if "\n" in text else text
        unit.default_nodes[argument.arg] = default

    def _annotations(self, node: FunctionNode) -> None:
        if self._future:
            return
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotations = [item.annotation for item in every if item is not None] + [node.returns]
        for annotation in annotations:
            if annotation is not None and not self.settled.annotation(annotation):
                what = f"its annotation `{ast.unparse(annotation)}` (line {annotation.lineno})"
                raise Refused(f"{what} runs each time that it is defined: {_BY_HAND}")

    # classes

    def _class_header(self, unit: Unit, node: ast.ClassDef) -> None:
        scopes = self.scopes
        inner = scopes.inner(node)
        for keyword in node.keywords:
            if ast.unparse(keyword.value).rpartition(".")[2] != "ABCMeta":
                what = f"it is defined with `{ast.unparse(keyword)}`, which may register it"
                raise Refused(f"{what}: {_BY_HAND}")
        for base in node.bases:
            self._base(unit, node, base)
        self._class_body(node, unit)
        unit.at_import += [
            use
            for use in scopes.body_uses(node)
            if use.scope is inner and not (use.annotation and self._future) and not within_fields(unit, use)
        ]
        unit.at_import += scopes.uses_within(node.decorator_list)
        for use in self.scopes.uses:
            if use.name == node.name and scopes.owner(use.scope, use.name) is scopes.owner(unit.home, node.name):
                parent = scopes.parents[use.node]
                if isinstance(parent, ast.Attribute) and not isinstance(parent.ctx, ast.Load):
                    what = f"`{node.name}.{parent.attr}` is set (line {parent.lineno})"
                    raise Refused(f"{what}, which a worker does not see: set it on the object, in `__init__`")

    def _base(self, unit: Unit, node: ast.ClassDef, base: ast.expr) -> None:
        scopes = self.scopes
        if not all(
            isinstance(node, (ast.Name, ast.Attribute, ast.expr_context, ast.Subscript, ast.Index, ast.Tuple))
            for node in ast.walk(base)
        ):
            raise Refused(f"its base `{ast.unparse(base)}` is computed: write the classes out at module level")
        for use in scopes.uses_within([base]):
            owner = scopes.owner(use.scope, use.name)
            if owner is None or not owner.is_local:
                unit.at_import.append(use)
                continue
            variable = Variable(owner, use.name)
            value = self.units.movable_value(variable)
            if any(binding.kind is BindingKind.IMPORT for binding in variable.bindings):
                if (need := self.settled.import_above(variable)) is None:
                    raise Refused(
                        f"its base `{use.name}` is imported in the function: import it at the top of the file"
                    )
                unit.imports_above.append(need)
                unit.imported.append(variable)
                continue
            if not isinstance(value, ast.ClassDef):
                raise Refused(f"its base `{use.name}` is a variable: write the classes out at module level")
            if start_of(value) > start_of(node):
                raise Refused(f"its base `{use.name}` is bound only later (line {value.lineno}): move that up first")
            unit.functions[variable] = self.units.of(value)
            unit.uses.setdefault(variable, []).append(use)
            if unit.functions[variable].refused:
                raise Refused(f"its base `{use.name}` has to stay: {unit.functions[variable].refused}")
        named = [base.value, base.slice] if isinstance(base, ast.Subscript) else [base]
        for part in named:
            local = isinstance(part, ast.Name) and self.settled.is_local(part)  # looked at above
            local = local or self._is_of_import(unit, part)
            unknown = isinstance(part, ast.Name) and part.id not in self.scopes.module.bindings
            if not isinstance(part, ast.Tuple) and not (local or unknown or self.settled.constant(part)):
                what = f"its base `{ast.unparse(base)}` (line {base.lineno})"
                raise Refused(f"{what} may be another class each time that it is defined: {_BY_HAND}")

    def _is_of_import(self, unit: Unit, base: ast.expr) -> bool:
        """`torch.utils.data.Dataset`, where the function around imports `torch` and nobody sets such an attribute."""
        root = root_of_chain(base)
        if not isinstance(base, ast.Attribute) or root is None or root.id not in {each.name for each in unit.imported}:
            return False
        if not self.settled.is_module_there(dotted(base.value)):
            return False
        return not any(isinstance(node, ast.Attribute) and self.settled.is_stored(node.attr) for node in ast.walk(base))

    def _class_body(self, node: ast.ClassDef, unit: Unit | None = None) -> None:
        """Raises Refused for what a class body reads or does each time that it runs.

        Attributes of the class of `unit` may become arguments of its constructor.
        """
        for statement in node.body:
            if isinstance(statement, FUNCTIONS):
                self._method(node, statement)
            elif isinstance(statement, ast.ClassDef):
                if statement.keywords or any(not self.settled.constant(base) for base in statement.bases):
                    raise Refused(f"it has a class `{statement.name}` with computed bases (line {statement.lineno})")
                known = libraries().class_decorators
                if any(not self.settled.pure_decorator(decorator, known) for decorator in statement.decorator_list):
                    raise Refused(f"it has a decorated class `{statement.name}` (line {statement.lineno}): {_BY_HAND}")
                self._class_body(statement)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                try:
                    self._field(statement, node)
                except Refused as refused:
                    name = may_be_handed_over(statement) if unit is not None else None
                    if unit is None or name is None or not is_alone(self.units.source, statement):
                        raise
                    unit.fields[name] = statement
                    unit.why_fields = unit.why_fields or str(refused)
            elif not isinstance(statement, ast.Pass) and not (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            ):
                raise Refused(f"its body does more than define (line {statement.lineno}): {_BY_HAND}")

    def _field(self, statement: ast.Assign | ast.AnnAssign, node: ast.ClassDef) -> None:
        what = f"`{ast.unparse(statement).partition('=')[0].strip()}` (line {statement.lineno})"
        value = statement.value
        if isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)):
            raise Refused(f"each call makes its own {what}, one class would share it: {IN_INIT}")
        if value is not None and not self.settled.pure_class_value(value, node):
            taken = f"`{ast.unparse(value)}` is evaluated each time that the class is defined"
            raise Refused(f"{what}: {taken}, at module level only once, on import: {IN_INIT}")
        annotation = statement.annotation if isinstance(statement, ast.AnnAssign) else None
        if annotation is not None and not self._future and not self.settled.annotation(annotation):
            raise Refused(f"the annotation of {what} runs each time that the class is defined: {_BY_HAND}")

    def _method(self, node: ast.ClassDef, method: FunctionNode) -> None:
        for decorator in method.decorator_list:
            if not self.settled.pure_decorator(decorator, libraries().method_decorators):
                what = f"`@{_called(decorator)}` of `{node.name}.{method.name}` (line {decorator.lineno})"
                raise Refused(f"{what} runs each time that the class is defined: {_BY_HAND}")
        for argument, default in defaults_of(method):
            if not self.settled.constant(default, node):
                what = f"the default of `{argument.arg}` of `{node.name}.{method.name}`, `{ast.unparse(default)}`"
                raise Refused(
                    f"{what} (line {default.lineno}), is evaluated each time that the class is created: {_BY_HAND}"
                )
        self._annotations(method)


def _once_will_do(unit: Unit) -> str:
    """What decorating at module level would change, and what a person could do."""
    around = unit.home.node
    if not isinstance(around, FUNCTIONS):
        return f": {_BY_HAND}"
    return (
        f", and runs each time that `{around.name}` is called; at module level it would run once, on import: "
        f"{_AT_TOP} if that will do, else let the worker call `{around.name}`"
    )


def _called(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
