"""What a function or class to be moved depends on, and what speaks against moving it. `hoist.py` does the writing."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from .scopes import (
    BUILTINS,
    COMPREHENSIONS,
    FUNCTIONS,
    FunctionNode,
    Kind,
    Position,
    Scope,
    Scopes,
    Use,
    Variable,
    end_of,
    line_of,
    start_of,
)

Movable: TypeAlias = "ast.Lambda | FunctionNode | ast.ClassDef"

SEES_NAMES = frozenset({"eval", "exec", "locals", "vars", "dir"})  # builtins that find variables by their names
_TRANSPARENT = frozenset(
    {"no_grad", "inference_mode", "enable_grad"}
)  # of torch: they wrap, keeping the qualified name
_CLASS_DECORATORS = frozenset(
    {"dataclass", "dataclasses.dataclass", "total_ordering", "functools.total_ordering", "final"}
)


@dataclass(eq=False)
class Unit:
    """One function, lambda or class that may move; `refusal` says why it may not."""

    node: Movable
    home: Scope  # where it is evaluated
    variable: Variable | None = None  # the local name it is bound to, when that is its only value
    refusal: str | None = None
    captures: dict[Variable, list[Use]] = field(default_factory=dict)  # values to hand over
    functions: dict[Variable, Unit] = field(
        default_factory=dict
    )  # local functions and classes it names, itself included
    uses: dict[Variable, list[Use]] = field(default_factory=dict)  # where its body names those functions
    own_self: tuple[Scope, str, ast.ClassDef] | None = None  # set when the body reads the method's `self`
    self_uses: list[Use] = field(default_factory=list)
    imports: dict[Position, str] = field(default_factory=dict)  # imports of the enclosing function that it needs
    imported: list[Variable] = field(default_factory=list)  # what those imports bind
    frozen: dict[str, str] = field(
        default_factory=dict
    )  # parameter -> expression its default takes from a local variable
    default_nodes: dict[str, ast.expr] = field(default_factory=dict)
    snapshots: list[str] = field(default_factory=list)  # captures that change later, and what would differ
    at_import: list[Use] = field(default_factory=list)  # names needed when the definition runs
    mangled: bool = False

    @property
    def line(self) -> int:
        """Where it starts."""
        return line_of(self.node)

    @property
    def label(self) -> str:
        """What to call it in a sentence."""
        return f"the lambda in line {self.line}" if isinstance(self.node, ast.Lambda) else f"`{self.node.name}`"


class Units:
    """Makes and keeps the units of one file."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.all: dict[ast.AST, Unit] = {}
        self._future = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(a.name == "annotations" for a in node.names)
            for node in scopes.tree.body
        )

    def of(self, node: Movable) -> Unit:
        """The unit of the node, with the units that it needs."""
        if node not in self.all:
            unit = self.all[node] = Unit(node, self.scopes.around(node))
            unit.variable = self._variable(node)
            unit.refusal = self._look(unit)
        return self.all[node]

    def needed(self, unit: Unit) -> list[Unit]:
        """The unit and every unit it needs, each once."""
        found, todo = [unit], [unit]
        while todo:
            for each in todo.pop().functions.values():
                if each not in found:
                    found.append(each)
                    todo.append(each)
        return found

    def _variable(self, node: Movable) -> Variable | None:
        """The local variable that holds the node and never anything else."""
        if isinstance(node, ast.Lambda):
            parent = self.scopes.parents[node]
            if not (
                isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name)
            ):
                return None
            name = parent.targets[0].id
        else:
            name = node.name
        owner = self.scopes.owner(self.scopes.around(node), name)
        if owner is None or not owner.is_local or len(owner.bindings[name]) != 1:
            return None
        return Variable(owner, name)

    def _movable_value(self, variable: Variable) -> Movable | None:
        """The local function, class or lambda that the variable holds, when it never holds anything else."""
        if len(variable.bindings) != 1:
            return None
        binding = variable.bindings[0]
        if binding.kind in ("def", "class") and binding.by is variable.scope:
            assert isinstance(binding.node, (*FUNCTIONS, ast.ClassDef))
            return binding.node
        statement = binding.statement
        if binding.kind == "assign" and isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
            return statement.value if len(statement.targets) == 1 and statement.targets[0] is binding.node else None
        return None

    # what speaks against it
    def _look(self, unit: Unit) -> str | None:
        node, scopes = unit.node, self.scopes
        if any(isinstance(above, ast.JoinedStr) for above in scopes.ancestors(node)):
            return "it stands inside an f-string: make it a function by hand"
        if not isinstance(node, ast.Lambda):
            if unit.home.kind is Kind.CLASS:
                return "it is part of a class made inside a function: move that class to module level"
            owner = scopes.owner(unit.home, node.name)
            if owner is not None and owner.kind is Kind.MODULE and unit.home.kind is not Kind.MODULE:
                return f"`global {node.name}` binds it only where the function runs: define it at module level"
            why = self._decorators(unit)
            if why is not None:
                return why
        return self._body(unit) or self._header(unit) or self._captures(unit) or self._globals(unit)

    def _decorators(self, unit: Unit) -> str | None:
        assert not isinstance(unit.node, ast.Lambda)
        for decorator in unit.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = ast.unparse(called)
            if isinstance(unit.node, ast.ClassDef):
                fine = name in _CLASS_DECORATORS
            else:
                fine = name.rpartition(".")[2] in _TRANSPARENT or self._wraps(called)
            if not fine:
                return f"its decorator `@{name}` may do more than wrap it: move it to module level by hand"
        return None

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

    def _body(self, unit: Unit) -> str | None:
        node, scopes = unit.node, self.scopes
        classes = [above for above in scopes.ancestors(node) if isinstance(above, ast.ClassDef)]
        for use in scopes.body_uses(node):
            if use.name == "__class__" or (use.name == "super" and not isinstance(node, ast.ClassDef)):
                return f"it uses `{use.name}` (line {line_of(use.node)}): make it a method of the class"
            if use.name in SEES_NAMES and scopes.owner(use.scope, use.name) is None and not self._is_harmless(use):
                place = f"`{use.name}` (line {line_of(use.node)})"
                return f"it calls {place}, which sees the variables around it: pass them as arguments"
        for inner in ast.walk(node):
            if isinstance(inner, ast.Nonlocal):
                for name in inner.names:
                    owner = scopes.owner(scopes.around(inner), name)
                    if not scopes.is_inside(owner, node):
                        what = f"`{name}` of the function around it (nonlocal, line {inner.lineno})"
                        return f"it changes {what}: keep that in an object"
            word = _identifier(inner)
            if classes and word is not None and word.startswith("__") and not word.endswith("__"):
                if isinstance(node, ast.ClassDef):
                    continue  # its own body mangles by its own name
                unit.mangled = True
        return None

    def _is_harmless(self, use: Use) -> bool:
        """`vars(x)` and `dir(x)` look at an object, not at the variables around."""
        parent = self.scopes.parents[use.node]
        return (
            use.name in ("vars", "dir")
            and isinstance(parent, ast.Call)
            and parent.func is use.node
            and bool(parent.args)
        )

    def _header(self, unit: Unit) -> str | None:
        """Defaults, annotations, bases: what runs where the definition stands will run once, on import."""
        node, scopes = unit.node, self.scopes
        if isinstance(node, ast.ClassDef):
            return self._class_header(unit, node)
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
            takes_local = isinstance(default, ast.Name) and self._is_local(default)
            by_keyword = argument in arguments.kwonlyargs or (
                argument in arguments.args and isinstance(node, ast.Lambda)
            )
            if not (takes_local and by_keyword):
                what = f"the default of `{argument.arg}`, `{ast.unparse(default)}`,"
                return f"{what} is made anew each time (line {default.lineno}): pass it as an argument"
            assert isinstance(default, ast.Name)
            value = self._movable_value(Variable(scopes.owner(unit.home, default.id) or unit.home, default.id))
            if value is not None:
                return (
                    f"the default of `{argument.arg}` is the local function `{default.id}`: move both to module level"
                )
            unit.frozen[argument.arg] = default.id
            unit.default_nodes[argument.arg] = default
        for use in scopes.header_uses(node):
            if use.annotation:
                if self._is_local(use.node):
                    line = line_of(use.node)
                    return f"an annotation names the local `{use.name}` (line {line}): move that to module level"
                if not self._future:
                    unit.at_import.append(use)
        if not isinstance(node, ast.Lambda):
            unit.at_import += scopes.uses_within(node.decorator_list)
            if any(self._is_local(use.node) for use in scopes.uses_within(node.decorator_list)):
                return "its decorator is local to the function around it: move both to module level"
        return None

    def _class_header(self, unit: Unit, node: ast.ClassDef) -> str | None:
        scopes = self.scopes
        inner = scopes.inner(node)
        for keyword in node.keywords:
            if ast.unparse(keyword.value).rpartition(".")[2] != "ABCMeta":
                return (
                    f"it is made with `{ast.unparse(keyword)}`, which may register it: move it to module level by hand"
                )
        for base in node.bases:
            if not all(
                isinstance(each, (ast.Name, ast.Attribute, ast.expr_context, ast.Subscript, ast.Index, ast.Tuple))
                for each in ast.walk(base)
            ):
                return f"its base `{ast.unparse(base)}` is computed: write the classes out at module level"
            for use in scopes.uses_within([base]):
                owner = scopes.owner(use.scope, use.name)
                if owner is not None and owner.is_local:
                    value = self._movable_value(Variable(owner, use.name))
                    if any(each.kind == "import" for each in Variable(owner, use.name).bindings):
                        return f"its base `{use.name}` is imported in the function: import it at the top of the file"
                    if not isinstance(value, ast.ClassDef):
                        return f"its base `{use.name}` is a variable: write the classes out at module level"
                    if start_of(value) > start_of(node):
                        return f"its base `{use.name}` is bound only later (line {value.lineno}): move that up first"
                    variable = Variable(owner, use.name)
                    unit.functions[variable] = self.of(value)
                    unit.uses.setdefault(variable, []).append(use)
                    if unit.functions[variable].refusal:
                        return f"its base `{use.name}` has to stay: {unit.functions[variable].refusal}"
                else:
                    unit.at_import.append(use)
        for statement in node.body:
            if not isinstance(statement, (*FUNCTIONS, ast.ClassDef, ast.Assign, ast.AnnAssign)) and any(
                isinstance(each, ast.Call) for each in ast.walk(statement)
            ):
                return f"its body does more than define (line {statement.lineno}): move it to module level by hand"
            worth = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            fresh = isinstance(worth, (ast.List, ast.Dict, ast.Set, ast.Call, *COMPREHENSIONS))
            if worth is not None and fresh and not self._constant(worth):
                what = f"`{ast.unparse(statement).partition('=')[0].strip()}` (line {statement.lineno})"
                return f"each call makes its own {what}, one class would share it: set it in `__init__`"
        unit.at_import += [
            use for use in scopes.body_uses(node) if use.scope is inner and not (use.annotation and self._future)
        ]
        unit.at_import += scopes.uses_within(node.decorator_list)
        for use in self.scopes.uses:
            if use.name == node.name and scopes.owner(use.scope, use.name) is scopes.owner(unit.home, node.name):
                parent = scopes.parents[use.node]
                if isinstance(parent, ast.Attribute) and not isinstance(parent.ctx, ast.Load):
                    what = f"`{node.name}.{parent.attr}` is set (line {parent.lineno})"
                    return f"{what}, which a worker does not see: set it in the class"
        return None

    def _is_local(self, node: ast.Name) -> bool:
        owner = self.scopes.owner(self.scopes.around(node), node.id)
        return owner is not None and (owner.is_local or owner.kind is Kind.CLASS)

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
            if not isinstance(root, ast.Name) or self._is_local(root):
                return False
            return [each.kind for each in self.scopes.module.bindings.get(root.id, [])] == ["import"]
        if isinstance(value, ast.Name):
            if self._is_local(value):
                return False
            bindings = self.scopes.module.bindings.get(value.id, [])
            if not bindings:
                return value.id in BUILTINS or bool(self.scopes.module.stars)
            return len(bindings) == 1 and not self.scopes.under_guard(bindings[0].node)
        return False

    def _captures(self, unit: Unit) -> str | None:
        scopes, node = self.scopes, unit.node
        method = scopes.method_self(node)
        for variable, uses in scopes.captures(node).items():
            if method is not None and variable == Variable(method[0], method[1]):
                unit.own_self, unit.self_uses = method, uses
                continue
            value = self._movable_value(variable)
            if value is not None:
                needed = self.of(value)
                unit.functions[variable] = needed
                unit.uses.setdefault(variable, []).extend(uses)
                if needed.refusal is not None and needed is not unit:
                    return f"it uses {needed.label}, which has to stay: {needed.refusal}"
                continue
            why = self._capture(unit, variable, uses)
            if why is not None:
                return why
        return None

    def _capture(self, unit: Unit, variable: Variable, uses: list[Use]) -> str | None:
        bindings = variable.bindings
        imported = [each for each in bindings if each.kind == "import"]
        if imported:
            if isinstance(unit.node, ast.ClassDef):
                return f"it uses `{variable.name}`, imported in the function: import it at the top of the file"
            if len(bindings) > 1:
                return (
                    f"`{variable.name}` is imported in several ways in the function: import it at the top of the file"
                )
            unit.imported.append(variable)
            unit.imports[start_of(imported[0].node)] = _import_statement(imported[0].statement, variable.name)
            return None
        why = self.scopes.why_not_once(variable, unit.node)
        if why is not None and self.scopes.is_loop_variable(variable, unit.node):
            late = "each function would keep the value from when it is made, not see the last one"
            unit.snapshots.append(f"{why.partition(': ')[0]}: {late}")
            why = None
        why = why or self._another_self(variable)
        if why is not None:
            return why
        unit.captures[variable] = uses
        return None

    def _another_self(self, variable: Variable) -> str | None:
        """The first parameter of a method is a value like others only where it is no instance."""
        function, again = variable.scope.node, [each for each in variable.bindings if each.kind != "param"]
        if isinstance(function, FUNCTIONS) and isinstance(self.scopes.parents[function], ast.ClassDef) and again:
            parameters = [*function.args.posonlyargs, *function.args.args]
            if parameters and parameters[0].arg == variable.name:
                return f"`{variable.name}` is re-bound at line {again[0].line}: give the other object another name"
        return None

    def _globals(self, unit: Unit) -> str | None:
        """Names of the module that a worker, running the file without its main guard, would lack or see differently."""
        module = self.scopes.module
        for use in [*self.scopes.body_uses(unit.node), *unit.at_import]:
            owner = self.scopes.owner(use.scope, use.name)
            if owner is not module or (use.annotation and self._future):
                continue
            variable = Variable(module, use.name)
            if variable in unit.captures:
                unit.captures[variable].append(use)
                continue
            bindings = [each for each in variable.bindings if not self.scopes.is_inside(each.by, unit.node)]
            elsewhere = [each for each in bindings if each.by is not module]
            if elsewhere:
                what = f"`{use.name}` is set through `global` (line {elsewhere[0].line})"
                return f"{what}, which a spawned worker does not run: pass it as an argument"
            guarded = [each for each in bindings if self.scopes.under_guard(each.node)]
            if not guarded:
                continue
            line = guarded[0].line
            if any(each.kind in ("def", "class", "import") for each in guarded):
                return f"`{use.name}` exists only under the main guard (line {line}): move it above the guard"
            if len(guarded) < len(bindings) or unit.home is not module or isinstance(unit.node, ast.ClassDef):
                what = f"`{use.name}` is set only under the main guard (line {line})"
                return f"{what}, which a worker does not run: pass it as an argument"
            why = self._capture(unit, variable, [use])
            if why is not None:
                return why
        return None


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


def attribute_names(scopes: Scopes, node: ast.ClassDef) -> dict[str, ast.AST]:
    """Methods and class attributes that the class body itself defines."""
    return {name: found[0].node for name, found in scopes.inner(node).bindings.items()}


def is_after(scopes: Scopes, use: Use, node: ast.AST, home: Scope) -> bool:
    """True when `use` may run after `node` does (same scope and later, in a common loop, or in an inner function)."""
    scope: Scope | None = use.scope
    while scope is not home and scope is not None and isinstance(scope.node, (ast.ListComp, ast.SetComp, ast.DictComp)):
        scope = scope.parent  # these run on the spot
    if scope is not home:
        return True
    return start_of(use.node) >= end_of(node) or bool(
        scopes.loops_around(use.node, home) & scopes.loops_around(node, home)
    )
