"""What `ast` leaves out, for rules that must see how a value is used: parents, scopes, bindings, mentions.

It has the rules of `binding_rules.py` in common with `Scopes`, which knows every use and binding of a file. It is built
on demand: nodes, parents and scopes of a file take 0.3 of the time of `ast.parse`, all of `Scopes` 0.75 to 1.2 (timm,
Open-Sora), and in most files one or two names are looked up.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from ..nodes import FIELDS, children, statements
from ..project import Project
from .binding_rules import (
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    Comprehension,
    bound_name,
    parameters,
    positional,
    takes_self,
)
from .names import last_name

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = Function | ast.Module
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)


@dataclass(frozen=True, slots=True)
class ValueBinding:
    """A place that gives a name its value; `value` is None when it is no plain expression (parameter, loop)."""

    statement: ast.AST  # the statement, or the function for a parameter
    value: ast.expr | None
    parameter: bool = False


_OF_CLASSES = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))  # methods that get the class


class Outline:
    """The tree of one file with parents and scopes, made on demand. Nodes are compared by identity."""

    def __init__(self, path: str, module: ast.Module) -> None:
        self.path = path
        self.module = module
        self._bindings: dict[ast.AST, dict[str, list[ValueBinding]]] = {}
        self._comprehended: dict[ast.AST, dict[str, list[Comprehension]]] = {}
        self._own: dict[ast.AST, list[ast.AST]] = {}
        self._declarations: dict[ast.AST, frozenset[str]] = {}
        self._lists: dict[ast.AST, dict[ast.AST, int]] = {}
        self._found: dict[tuple[ast.AST, str], tuple[Scope, Sequence[ValueBinding]]] = {}

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, breadth first (without the load/store marks)."""
        return self._tree[0]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node but the module."""
        return self._tree[1]

    @cached_property
    def _tree(self) -> tuple[list[ast.AST], dict[ast.AST, ast.AST], dict[ast.AST, Scope]]:
        """Nodes, parents, and the scopes of statements and of what lambdas give: those of the rest follow."""
        nodes: list[ast.AST] = [self.module]
        around: list[Scope] = [self.module]  # of each of `nodes`
        parents: dict[ast.AST, ast.AST] = {}
        scopes: dict[ast.AST, Scope] = {self.module: self.module}
        for node, outer in zip(nodes, around, strict=True):  # they grow as it goes
            for name in FIELDS[node.__class__]:
                value = getattr(node, name, None)
                inner = node if name == "body" and isinstance(node, _SCOPES) else outer
                if value.__class__ is list:
                    for item in value:
                        if isinstance(item, ast.AST):
                            parents[item] = node
                            nodes.append(item)
                            around.append(inner)
                            if isinstance(item, ast.stmt):
                                scopes[item] = inner
                elif isinstance(value, ast.AST):
                    parents[value] = node
                    nodes.append(value)
                    around.append(inner)
                    if inner is not outer:
                        scopes[value] = inner
        return nodes, parents, scopes

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """Every `x.name`, by name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def calls(self) -> dict[str | None, list[ast.Call]]:
        """Every call, by the last name of what is called (None where that is no name)."""
        found: dict[str | None, list[ast.Call]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                found.setdefault(last_name(node.func), []).append(node)
        return found

    @cached_property
    def by_line(self) -> dict[int, list[ast.Call | ast.Lambda]]:
        """The calls and lambdas that begin on a line, in the order of `nodes`."""
        found: dict[int, list[ast.Call | ast.Lambda]] = {}
        for node in self.nodes:
            if isinstance(node, (ast.Call, ast.Lambda)):
                found.setdefault(node.lineno, []).append(node)
        return found

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Every statement, in the order of `nodes`, which need not be known for it."""
        return statements(self.module)

    @cached_property
    def definitions(self) -> dict[str, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Every class and function, nested ones too, by name."""
        found: dict[str, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        for node in self.statements:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def star_imports(self) -> list[ast.ImportFrom]:
        """Every `from ... import *` among the statements of the module, in order."""
        return [node for node in self.module.body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Every import, at any level, in the order of `nodes`."""
        return [node for node in self.statements if isinstance(node, (ast.Import, ast.ImportFrom))]

    @cached_property
    def named(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        """Every variable by name and every attribute of a variable by the attribute's name, in the order of `nodes`."""
        found: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def import_of(self) -> dict[str, tuple[ast.Import | ast.ImportFrom, ast.alias]]:
        """The import, at any level, that binds a name, the last one in the order of `nodes`."""
        return {
            bound_name(alias) or "": (node, alias) for node in self.imports for alias in node.names if alias.name != "*"
        }

    @cached_property
    def imported(self) -> dict[str, str]:
        """What imports (at any level) bind: name -> dotted origin; that of a relative import begins with its dots."""
        names: dict[str, str] = {}
        for node in self.imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.split(".")[0]
                    names[alias.asname or root] = alias.name if alias.asname else root
            else:
                for alias in node.names:
                    module = "." * node.level + (node.module or "")
                    names[alias.asname or alias.name] = f"{module}.{alias.name}" if node.module else module + alias.name
        return names

    def qualified(self, name: str) -> str:
        """The dotted `name` with its first part replaced by the origin of what an import binds to it."""
        first, dot, rest = name.partition(".")
        return self.imported.get(first, first) + dot + rest

    def defined(self, name: str) -> ast.AST | None:
        """The class, function or value that the file itself gives to `name` at its top level, the last one.

        Imports do not count, nor what stands in an `except` or a loop.
        """
        return self._defined.get(name)

    @cached_property
    def _defined(self) -> dict[str, ast.AST]:
        found: dict[str, ast.AST] = {}
        todo: list[ast.stmt] = self.module.body[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign):
                found.update((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, (ast.If, ast.Try)):
                todo += [*node.body, *node.orelse][::-1]
        return found

    def origin_of(self, name: ast.Name) -> str:
        """The dotted origin of what an import binds to `name` where it stands; other names as they are."""
        found = self.imported.get(name.id)
        if found is None:
            return name.id
        bindings = self.lookup(name, name.id)[1] if name in self.parents else []
        imported = [binding for binding in bindings if isinstance(binding.statement, (ast.Import, ast.ImportFrom))]
        return found if imported or not bindings else name.id

    def home_name(self, node: ast.AST) -> str:
        """`last_name`, before an import gave it another: `DataLoader` of `DL`, after `import DataLoader as DL`."""
        while isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        name = last_name(node)
        return self.imported.get(name, name).rpartition(".")[2] if isinstance(node, ast.Name) else name

    def calls_of(self, name: str) -> list[ast.Call]:
        """Every call of `name`, also where an import gives it another name."""
        others = [alias for alias, origin in self.imported.items() if origin.endswith(f".{name}") and alias != name]
        return [call for item in [name, *others] for call in self.calls.get(item, [])]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parent of `node`, its parent, and so on up to the module."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: ast.AST) -> ast.AST:
        """The innermost statement that holds `node` (itself when it is one)."""
        while not isinstance(node, (ast.stmt, ast.Module)):
            node = self.parents[node]
        return node

    def scope(self, node: ast.AST) -> Scope:
        """The function (or module) in whose scope names at `node` are looked up; class bodies are no such scope."""
        _, parents, scopes = self._tree
        at: ast.AST | None = node
        while at is not None and at not in scopes:
            at = parents.get(at)
        found = scopes[node] = scopes[at] if at is not None else self.module
        return found

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose method holds `node`, also when `node` is in a function nested in that method."""
        scope = self.scope(node)
        while not isinstance(scope, ast.Module):
            parent = self.parents[scope]
            if isinstance(parent, ast.ClassDef):
                return parent
            scope = self.scope(scope)
        return None

    def method(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The method (a function directly in a class body) that holds `node`."""
        scope = self.scope(node)
        while not isinstance(scope, ast.Module):
            if isinstance(self.parents[scope], ast.ClassDef) and not isinstance(scope, ast.Lambda):
                return scope
            scope = self.scope(scope)
        return None

    def is_self(self, node: ast.AST) -> bool:
        """True for a Name that is the first parameter of its method (never of a class- or staticmethod)."""
        method = self.method(node)
        if method is None or not isinstance(node, ast.Name) or method.name in _OF_CLASSES:
            return False
        return takes_self(method) and positional(method)[:1] == [node.id]

    def own(self, scope: Scope) -> list[ast.AST]:
        """The nodes of `scope` itself; nested functions and classes are listed but not entered."""
        if scope not in self._own:
            found: list[ast.AST] = []
            todo: list[ast.AST] = [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)
            while todo:
                node = todo.pop()
                found.append(node)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                    continue
                todo += children(node)
            self._own[scope] = found
        return self._own[scope]

    def bindings(self, scope: Scope, name: str) -> list[ValueBinding]:
        """Every place in `scope` that binds `name`, in source order."""
        if scope not in self._bindings:
            self._bindings[scope] = self._bound(scope)
        return self._bindings[scope].get(name, [])

    def _bound(self, scope: Scope) -> dict[str, list[ValueBinding]]:
        bound: dict[str, list[ValueBinding]] = {}
        inner = self._comprehended[scope] = dict[str, list[Comprehension]]()
        for node in self.own(scope):
            name = bound_name(node)
            if name is not None and isinstance(node, ast.Name) and (around := self._comprehension_of(node)) is not None:
                inner.setdefault(name, []).append(around)
            elif name is not None:
                value = self._bound_value(node) if isinstance(node, ast.Name) else None
                statement = node if isinstance(node, ast.ExceptHandler) else self.statement(node)
                bound.setdefault(name, []).append(ValueBinding(statement, value))
        for places in bound.values():
            places.sort(key=lambda binding: position(binding.statement))
        if not isinstance(scope, ast.Module):
            for parameter in parameters(scope):
                bound.setdefault(parameter, []).insert(0, ValueBinding(scope, None, parameter=True))
        return bound

    def _declared(self, scope: Scope) -> frozenset[str]:
        """Names that `scope` declares global or nonlocal."""
        if scope not in self._declarations:
            marks = (node for node in self.own(scope) if isinstance(node, (ast.Global, ast.Nonlocal)))
            self._declarations[scope] = frozenset(name for mark in marks for name in mark.names)
        return self._declarations[scope]

    def _bound_value(self, target: ast.Name) -> ast.expr | None:
        parent = self.parents[target]
        if isinstance(parent, (ast.AnnAssign, ast.NamedExpr)) and parent.target is target:
            return parent.value
        if isinstance(parent, ast.Assign):
            return parent.value
        if isinstance(parent, ast.Tuple) and isinstance(assign := self.parents[parent], ast.Assign):
            return next((value for node, value in pairs(parent, assign.value) if node is target), None)
        if isinstance(parent, ast.withitem):
            return parent.context_expr
        return None

    def lookup(self, use: ast.AST, name: str) -> tuple[Scope, Sequence[ValueBinding]]:
        """The scope of `name` at `use` and the bindings that may reach it there (all of them for outer scopes)."""
        known = self._found.get((use, name))
        if known is None:
            known = self._found[use, name] = self._look_up(use, name)
        return known

    def _look_up(self, use: ast.AST, name: str) -> tuple[Scope, Sequence[ValueBinding]]:
        innermost = scope = self.scope(use)
        if name in self._declared(scope):
            scope = self.scope(scope)
        while True:
            found = self.bindings(scope, name)
            if self._comprehends(scope, use, name):
                return scope, [ValueBinding(self.statement(use), None)]
            if found or isinstance(scope, ast.Module):
                return scope, self.reaching(scope, found, use) if found and scope is innermost else found
            scope = self.scope(scope)

    def _comprehension_of(self, target: ast.Name) -> Comprehension | None:
        """The comprehension whose own variable the name is: nobody else sees it."""
        node: ast.AST = target
        above = self.parents[node]
        while isinstance(above, (ast.Tuple, ast.List, ast.Starred)):
            node, above = above, self.parents[above]
        around = self.parents[above] if isinstance(above, ast.comprehension) and above.target is node else None
        return around if isinstance(around, COMPREHENSIONS) else None

    def _comprehends(self, scope: Scope, use: ast.AST, name: str) -> bool:
        """`use` stands where a comprehension of the scope has a variable `name`."""
        comprehended = self._comprehended[scope].get(name)
        chain = [use, *self.ancestors(use)] if comprehended else []
        for comprehension in comprehended or ():
            at = chain.index(comprehension) if comprehension in chain else 0
            first = comprehension.generators[0]
            if at and chain[max(at - 2, 0) : at] != [first.iter, first]:  # what it goes over stands outside
                return True
        return False

    def only_value(self, use: ast.Name) -> ast.expr | None:
        """The value of the name at `use`, where one binding alone may reach it; None where it is no expression."""
        bindings = self.lookup(use, use.id)[1]
        return bindings[0].value if len(bindings) == 1 else None

    def reaching(self, scope: Scope, bindings: list[ValueBinding], use: ast.AST) -> list[ValueBinding]:
        """Those of `bindings` whose value may be the one seen at `use`."""
        if len(bindings) == 1:
            (only,) = bindings
            seen = only.parameter or self.precedes(only.statement, use)
            return [only] if seen or self.shared_loop(only.statement, use) is not None else []
        first = next((at for at, binding in enumerate(bindings) if not binding.parameter), len(bindings))
        here = position(self.statement(use))
        at = bisect_right(bindings, here, lo=first, key=lambda binding: position(binding.statement))
        before: list[ValueBinding] = []
        later: list[ValueBinding] = []
        for binding in reversed(bindings[first:at]):  # the last one that always runs hides those above it
            if self.precedes(binding.statement, use):
                before.append(binding)
                if self._always_before(binding.statement, use):
                    break
            elif self.shared_loop(binding.statement, use) is not None:
                later.append(binding)
        else:
            before += reversed(bindings[:first])
        loops = [node for node in self.ancestors(use) if isinstance(node, LOOPS)]
        end = (loops[-1].end_lineno or 0) if loops else 0
        below = takewhile(lambda binding: position(binding.statement)[0] <= end, bindings[at:])
        later = later[::-1] + [each for each in below if self.shared_loop(each.statement, use) is not None]
        return before[::-1] + later

    def precedes(self, statement: ast.AST, use: ast.AST) -> bool:
        """True when `statement` stands before the statement of `use`."""
        return position(statement) < position(self.statement(use)) or (
            isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith, ast.ExceptHandler))
            and statement in self.ancestors(use)
        )

    def _blocks(self, holder: ast.AST) -> dict[ast.AST, int]:
        """Which list of statements (or of other nodes) of `holder` each node directly below it stands in."""
        if holder not in self._lists:
            lists = (getattr(holder, name, None) for name in FIELDS[holder.__class__])
            self._lists[holder] = {
                item: id(block)
                for block in lists
                if block.__class__ is list
                for item in block
                if isinstance(item, ast.AST)
            }
        return self._lists[holder]

    def _always_before(self, statement: ast.AST, use: ast.AST) -> bool:
        """`statement` runs before `use` whenever `use` runs: it stands in a block that `use` is in too."""
        holder = self.parents.get(statement)
        child = use
        for parent in self.ancestors(use):
            if parent is holder:
                blocks = self._blocks(parent)
                return statement in blocks and blocks[statement] == blocks.get(child)
            child = parent
        return False

    def shared_loop(self, one: ast.AST, other: ast.AST) -> ast.AST | None:
        """The innermost loop of the same function that holds both."""
        around = [node for node in self.ancestors(one) if isinstance(node, LOOPS)]
        mine = set(self.ancestors(other))
        scope = self.scope(one)
        return next((loop for loop in around if loop in mine and self.scope(loop) is scope), None)


def outline_of(project: Project, path: str) -> Outline | None:
    """The outline of a Python file; None when it does not parse."""
    module = project.module(path)
    if module is None:
        return None
    outlines = project.by_tree(Outline)
    if path not in outlines:
        outlines[path] = Outline(path, module)
    return outlines[path]


def position(node: ast.AST) -> tuple[int, int]:
    """(line, column) of a node; the module comes first."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Which target gets which value: `a, b = x, y` gives (a, x), (b, y); unpacking of anything else gives nothing."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
    elif (
        isinstance(value, (ast.Tuple, ast.List))
        and len(value.elts) == len(target.elts)
        and not any(isinstance(node, ast.Starred) for node in [*target.elts, *value.elts])
    ):
        for inner, part in zip(target.elts, value.elts, strict=True):
            yield from pairs(inner, part)
