"""What the code of workers reads of modules, in whatever file, and which statements of the main process change it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from ...finding import Refused
from ...syntax.callees import FUNCTIONS, Function
from ...syntax.names import last_name, original_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.resolver import Class
from .called_here import Called, called_here
from .data import names
from .guard.hoist import sent
from .needed_by_workers import needed
from .own_nodes import own_nodes
from .set_before import SetBefore
from .set_by_text import UNKNOWN, set_by_text
from .starts.process_starts import Starts
from .state.object_parts import Parts
from .statements import LOG_METHODS

_WORKER = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "run")
_MAX_FUNCTIONS = 400  # that are followed from one script
_DEPTH = 4  # functions and variables by which an object comes
_META = "metaclass"
_MAKES_CLASSES = ("__new__", "__init__")  # of a metaclass
Global = tuple[str, str]  # path of the module, name in it
Code = tuple[Outline, Function]


class WorkerReads:
    """Answers for one script; `more`: code of workers that is not seen from what the script sends."""

    def __init__(self, starts: Starts, outline: Outline, more: Callable[[], Iterable[Code]] = tuple) -> None:
        self.starts, self.outline, self.resolver, self.more = starts, outline, starts.callees.resolver, more
        self._reads: dict[Global, str] | None = None
        self._changes: dict[ast.AST, tuple[Global, ...]] = {}  # by function
        self._places: dict[Global, tuple[str, int]] = {}  # what functions change -> where first
        self._parts = Parts(starts.callees, ())
        self._parts_read: dict[Global, set[str]] = {}  # of what the code of workers reads

    def lost(self, statements: Collection[ast.stmt], handed: frozenset[str] = frozenset()) -> Refused | None:
        """What the first of `statements` that does so changes and a worker reads, in words.

        `handed`: globals of the script that workers get in another way.
        """
        return self._first_change(statements, self.reader, handed) or (self._untrained() if statements else None)

    def may_be_lost(self, statements: Collection[ast.stmt], handed: frozenset[str] = frozenset()) -> Refused | None:
        """The same for what the code of `more` reads."""
        return self._first_change(
            statements, lambda changed: self.reader(changed) or self._reads_of_more.get(changed), handed
        )

    def _first_change(
        self, statements: Collection[ast.stmt], reader_of: Callable[[Global], str | None], handed: frozenset[str]
    ) -> Refused | None:
        got = {(self.outline.path, name) for name in handed}
        for statement in statements:
            for changed in self._changed(self.outline, [statement]):
                reader = reader_of(changed) if changed not in got else None
                if reader is not None and not self._is_apart(statement, changed):
                    where = f"`{changed[1]}`" + (f" of {changed[0]}" if changed[0] != self.outline.path else "")
                    path, line = self._places.get(changed, ("", 0))
                    of = f" of {path}" if path != self.outline.path else ""
                    there = f" (the change is in line {line}{of})" if line else ""
                    reason = (
                        f"line {statement.lineno} changes {where}, which {reader} reads in a worker{there}: under the "
                        "guard a spawned worker would see the value of the import. Hand it over as an argument, or "
                        "keep it in the object that is sent"
                    )
                    return needed(reason, changed[1], changed[0], self.outline.path)
        return None

    def _is_apart(self, statement: ast.stmt, changed: Global) -> bool:
        """The statement only sets parts of the variable that no worker reads: `cfg.TRAIN.RUN = "a"`."""
        if isinstance(statement, ast.If):
            inner = [each for each in (*statement.body, *statement.orelse) if changed in self._changed_in(each)]
            by_test = changed in self._changed_in(ast.Expr(statement.test))
            return bool(inner) and not by_test and all(self._is_apart(each, changed) for each in inner)
        if not isinstance(statement, ast.Assign) or changed in self._changed_in(ast.Expr(statement.value)):
            return False
        read, found = self._parts_read.get(changed, set()), False
        for target in statement.targets:
            root: ast.AST = target
            while isinstance(root, (ast.Attribute, ast.Subscript)) and self._global(self.outline, root) != changed:
                root = root.value
            if isinstance(root, ast.expr) and root is not target and self._global(self.outline, root) == changed:
                set_here = self._parts.changed_here(self.outline, root)
                found = bool(set_here) and all(key.isidentifier() for key in (*set_here, *read)) and bool(read)
                if not found or not read.isdisjoint(set_here):
                    return False
        return found

    def _changed_in(self, statement: ast.stmt) -> Iterator[Global]:
        return self._changed(self.outline, [statement])

    def early(self, definitions: Iterable[Function | ast.ClassDef]) -> str | None:
        """What the first of the `definitions` that does so changes and a worker reads, in words.

        They stand below the start of workers: these had not run when a worker was forked, and run when one is spawned.
        """
        for statement in definitions:
            for changed in self._by_definition(statement):
                if (reader := self.reader(changed)) is not None:
                    return (
                        f"line {statement.lineno} defines `{statement.name}`, which changes `{changed[1]}`, and "
                        f"{reader} reads that in a worker: one that imports the file would have it from the "
                        f"beginning. Define `{statement.name}` under the guard, too, if no worker needs to find it"
                    )
        return None

    def _by_definition(self, statement: Function | ast.ClassDef) -> Iterator[Global]:
        """What a definition changes: by its decorators, a class by its metaclass, and `__init_subclass__` above it."""
        outline = self.outline
        for mark in statement.decorator_list:
            for where, function in self.resolver.functions(outline, mark.func if isinstance(mark, ast.Call) else mark):
                yield from self._changed_by((where, function))
                for inner in ast.walk(function):
                    if isinstance(inner, FUNCTIONS) and inner is not function:
                        yield from self._changed_by((where, inner))
        lineage = self.resolver.lineage(Class(outline, statement)) if isinstance(statement, ast.ClassDef) else ()
        for at in lineage:
            for keyword in at.node.keywords:
                for where, made in self.resolver.classes(at.outline, keyword.value) if keyword.arg == _META else ():
                    for part in made.body:
                        if isinstance(part, FUNCTIONS) and part.name in _MAKES_CLASSES:
                            yield from self._changed_by((where, part))
        for above in lineage[1:]:
            for part in above.node.body:
                if isinstance(part, FUNCTIONS) and part.name == "__init_subclass__":
                    yield from self._changed_by((above.outline, part))
                    own = {argument.arg for argument in part.args.args[:1]}
                    yield from (
                        (above.outline.path, f"{above.node.name}.{node.attr}")
                        for node in ast.walk(part)
                        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own
                    )

    def reader(self, variable: Global) -> str | None:
        """A function that reads the variable where a worker may run it, in words."""
        return self.reads.get(variable) or self._reads_of_passed.get(variable)

    def parts_read(self, variable: Global) -> set[str]:
        """Which parts of the variable the code of workers reads, as `Parts` names them."""
        return self._parts_read.get(variable, set()) if variable in self.reads else set()

    def _untrained(self) -> Refused | None:
        """A model that workers read as a global and that the script trains, in words."""
        for node in own_nodes(self.outline.module.body):
            model = _trained(self.outline, node) if isinstance(node, ast.Call) else None
            changed = self._global(self.outline, model) if model is not None else None
            reader = self.reader(changed) if changed is not None else None
            if changed is not None and reader is not None:
                return Refused(
                    f"{reader} reads `{changed[1]}` in a worker, and the main process trains it (line "
                    f"{getattr(node, 'lineno', 1)}): a spawned worker would make one of its own, without what was "
                    f"learnt. Pass `{changed[1]}` as an argument"
                )
        return None

    @property
    def reads(self) -> dict[Global, str]:
        """What the code of workers reads, with a function that does, in words."""
        if self._reads is None:
            self._reads = {}
            self._collect(self._in_workers(), self._reads)
        return self._reads

    @cached_property
    def _reads_of_more(self) -> dict[Global, str]:
        """What the code of `more` reads; asked for only where a statement changes something at all."""
        found: dict[Global, str] = {}
        self._collect(self.more(), found)
        return found

    def _collect(self, code: Iterable[Code], into: dict[Global, str]) -> None:
        for outline, function in code:
            where = "" if outline is self.outline else f" ({outline.path}:{function.lineno})"
            for read in self._globals_read(outline, function):
                into.setdefault(read, f"`{function.name}`{where}")

    @cached_property
    def _reads_of_passed(self) -> dict[Global, str]:
        """What functions of the script read that are passed as values, and what these call: a worker may run them.

        How they come to a worker may not be seen: stored on an object, sent in a tuple that another file puts together.
        """
        outline, found = self.outline, dict[ast.AST, Code]()
        todo: list[Code] = []
        for name, items in outline.definitions.items():
            item = items[0]
            if len(items) == 1 and isinstance(item, FUNCTIONS) and isinstance(outline.parents[item], ast.Module):
                uses = (use for use in outline.named.get(name, ()) if isinstance(use, ast.Name))
                if any(self.is_passed(use) for use in uses):
                    todo.append((outline, item))
        while todo and len(found) < _MAX_FUNCTIONS:
            where, function = todo.pop()
            if function not in found and where is outline:
                found[function] = where, function
                todo += self._calls_of(where, ast.walk(function))
        reads: dict[Global, str] = {}
        for where, function in found.values():
            for read in self._globals_read(where, function):
                reads.setdefault(read, f"`{function.name}`")
        return reads

    def is_passed(self, use: ast.Name) -> bool:
        """An argument of a call that may pass it on to a worker."""
        call = self.outline.parents[use]
        call = self.outline.parents[call] if isinstance(call, ast.keyword) else call
        return (
            isinstance(call, ast.Call)
            and call.func is not use
            and isinstance(self.outline.lookup(use, use.id)[0], ast.Module)
            and last_name(call.func) not in names("runs_here")
            and called_here(self.outline, use, self.resolver) is not Called.AT_ONCE
        )

    # code that workers run

    @cached_property
    def not_of_loaders(self) -> list[Code]:
        """What runs in workers whose random generators nobody seeds for them, and that might have been forked."""
        return self._in_workers(loaders=False)

    def _in_workers(self, loaders: bool = True) -> list[Code]:
        """What is sent to workers and run there, and what that calls."""
        found: dict[ast.AST, Code] = {}
        todo: list[Code] = []
        for outline, nodes in self._main_code:
            for call in (node for node in nodes if isinstance(node, ast.Call)):
                if not loaders and (self.starts.loaders.is_loader(outline, call.func) or self._spawns(outline, call)):
                    continue
                given = sent(self.starts, outline, call)
                for argument in given[2] if given is not None else ():
                    todo += self._run(outline, argument)
                todo += self._run_of_process(outline, call)
        while todo and len(found) < _MAX_FUNCTIONS:
            outline, function = todo.pop()
            if function not in found:
                found[function] = outline, function
                todo += self._calls_of(outline, ast.walk(function))
        return list(found.values())

    def _run_of_process(self, outline: Outline, call: ast.Call) -> Iterator[Code]:
        """`run` of the class that `call` makes an object of, where that is a process."""
        made = self.starts.callees.made_class(outline, call)
        lineage = self.resolver.lineage(Class(*made)) if made is not None else ()
        if self.starts.is_process(lineage):
            for at in lineage:
                yield from (
                    (at.outline, part) for part in at.node.body if isinstance(part, FUNCTIONS) and part.name == "run"
                )

    def _spawns(self, outline: Outline, call: ast.Call) -> bool:
        """`torch.multiprocessing.spawn`, which never forks."""
        return self.starts.name(outline, call.func) == "multiprocessing.spawn"

    @cached_property
    def _main_code(self) -> list[tuple[Outline, list[ast.AST]]]:
        """The statements of the script, and the bodies of the functions that these call, and so on."""
        body = [node for node in own_nodes(self.outline.module.body) if not isinstance(node, FUNCTIONS)]
        code: list[tuple[Outline, list[ast.AST]]] = [(self.outline, body)]
        seen: set[ast.AST] = set()
        for outline, nodes in code:  # it grows
            for where, function in self._calls_of(outline, nodes):
                if function not in seen and len(seen) < _MAX_FUNCTIONS:
                    seen.add(function)
                    code.append((where, [*ast.walk(function)]))
        return code

    def _calls_of(self, outline: Outline, nodes: Iterable[ast.AST]) -> Iterator[Code]:
        callees = self.starts.callees
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            called = callees.called(outline, call)
            if called is not None:
                yield called[0], called[1]
            made = callees.made_class(outline, call) if called is None else None
            initialiser = callees.initialiser(*made) if made is not None else None
            if initialiser is not None:
                yield initialiser[:2]

    def _run(self, outline: Outline, argument: ast.expr) -> Iterator[Code]:
        """What a worker runs of what it is sent: functions, and methods of objects."""
        called = {node.func for node in ast.walk(argument) if isinstance(node, ast.Call)}
        for node in ast.walk(argument):
            if isinstance(node, ast.expr) and isinstance(node, (ast.Name, ast.Attribute)) and node not in called:
                yield from self.resolver.functions(outline, node)
            for where, made in self._classes(outline, node, 0) if isinstance(node, (ast.Name, ast.Call)) else ():
                for part in made.body:
                    if isinstance(part, FUNCTIONS) and part.name in _WORKER:
                        yield where, part

    def _classes(self, outline: Outline, node: ast.expr, depth: int) -> Iterator[tuple[Outline, ast.ClassDef]]:
        """Classes that `node` may be an object of."""
        if depth > _DEPTH:
            return
        if isinstance(node, ast.Call):
            for where, made in self.resolver.definitions(outline, node.func):
                if isinstance(made, ast.ClassDef):
                    yield from ((base.outline, base.node) for base in self.resolver.lineage(Class(where, made)))
                else:
                    for inner in where.own(made):
                        if isinstance(inner, ast.Return) and inner.value is not None:
                            yield from self._classes(where, inner.value, depth + 1)
        elif isinstance(node, ast.Name):
            for binding in outline.lookup(node, node.id)[1]:
                if isinstance(binding.value, (ast.Call, ast.Name)) and binding.value is not node:
                    yield from self._classes(outline, binding.value, depth + 1)

    def _globals_read(self, outline: Outline, function: Function) -> Iterator[Global]:
        for node in ast.walk(function):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                found = self._global(outline, node)
                if found is not None and isinstance(node, ast.Name) and _sets_first(outline, node):
                    continue
                if found is not None:
                    self._parts_read.setdefault(found, set()).update(self._parts.read(outline, node, function))
                    yield found
                elif isinstance(node, ast.Attribute) and outline.is_self(node.value):
                    owner = outline.owner(node)
                    yield outline.path, f"{owner.name}.{node.attr}" if owner is not None else node.attr
                elif isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                    scope, bindings = outline.lookup(node, node.id)
                    if isinstance(scope, ast.Module) and not bindings:  # something may set it by text
                        yield outline.path, node.id

    # what statements change

    def _changed(self, outline: Outline, statements: list[ast.stmt]) -> Iterator[Global]:
        declared = {name for node in own_nodes(statements) if isinstance(node, ast.Global) for name in node.names}
        for node in own_nodes(statements):
            target: ast.expr | None = None
            if isinstance(node, ast.Name) and node.id in declared and not isinstance(node.ctx, ast.Load):
                self._note(outline, node, (outline.path, node.id))
                yield outline.path, node.id
            elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
                target = node
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                func = node.value.func
                if isinstance(func, ast.Attribute) and not self._keeps_object(outline, node.value, func.attr):
                    target = func.value
            elif isinstance(node, ast.Call):
                target = self._taken_from(outline, node) or _trained(outline, node)
            if isinstance(node, ast.Call):
                yield from self._by_call(outline, node)
            for variable in self._by_text(outline, node):
                self._note(outline, node, variable)
                yield variable
            while target is not None:
                found = self._global(outline, target)
                if found is not None:
                    self._note(outline, target, found)
                    yield found
                    break
                inner = getattr(target, "value", None)
                target = inner if isinstance(target, (ast.Attribute, ast.Subscript)) else None

    def _keeps_object(self, outline: Outline, call: ast.Call, name: str) -> bool:
        """A method after which an object is what it was: one that logs, `flush` of a stream, a static method."""
        if name in LOG_METHODS:
            return True
        called = self.starts.callees.called(outline, call)
        if called is None:
            return name == "flush"
        return any(last_name(mark) == "staticmethod" for mark in called[1].decorator_list)

    def _note(self, outline: Outline, node: ast.AST, changed: Global) -> None:
        """Where a function changes it; a statement of the script is its own place."""
        if not isinstance(outline.scope(node), ast.Module):
            self._places.setdefault(changed, (outline.path, getattr(node, "lineno", 1)))

    def _taken_from(self, outline: Outline, call: ast.Call) -> ast.expr | None:
        """What a call changes whose result is used: `rows.pop()`, `next(rows)`, a method that sets attributes."""
        if isinstance(call.func, ast.Name):
            return call.args[0] if call.func.id == "next" and call.args else None
        if not isinstance(call.func, ast.Attribute):
            return None
        called = self.starts.callees.called(outline, call)
        sets = called is not None and any(
            isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and called[0].is_self(node.value)
            for node in ast.walk(called[1])
        )
        return call.func.value if sets or call.func.attr in names("changing_methods") else None

    def _changed_by(self, code: Code) -> tuple[Global, ...]:
        """What a function changes, itself or by what it calls."""
        if code[1] not in self._changes:
            self._changes[code[1]] = ()  # for one that calls itself
            if len(self._changes) < _MAX_FUNCTIONS:
                self._changes[code[1]] = tuple(dict.fromkeys(self._changed(code[0], code[1].body)))
        return self._changes[code[1]]

    def _by_call(self, outline: Outline, call: ast.Call) -> Iterator[Global]:
        """`setattr(Class, "name", value)`, and what a function of the repository changes."""
        if last_name(call.func) in ("setattr", "delattr") and len(call.args) > 1:
            owner = self.resolver.definition(outline, call.args[0])
            name = getattr(call.args[1], "value", None)
            if owner is not None and isinstance(name, str):
                yield owner.outline.path, f"{owner.node.name}.{name}"
            elif (found := self._global(outline, call.args[0])) is not None:
                yield found
        called = self.starts.callees.called(outline, call)
        run = [(called[0], called[1])] if called is not None else []
        if sent(self.starts, outline, call) is None:  # `Thread(target=note)`: it may call it
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            run += [code for value in values for code in self.resolver.functions(outline, value)]
        for where, function in run:
            yield from self._changed_by((where, function))

    def set_by_text(self, statement: ast.stmt) -> Iterator[str]:
        """Variables of the script that its statement sets, where that does not name them as targets."""
        for node in own_nodes([statement]):
            yield from (name for path, name in self._by_text(self.outline, node) if path == self.outline.path)

    def _by_text(self, outline: Outline, node: ast.AST) -> Iterator[Global]:
        """What `globals().update(...)` and the like set; where the names are unknown, all that workers read."""
        found = set_by_text(self.resolver, outline, node)
        for name in found[1] if found is not None else ():
            if found is not None and name != UNKNOWN:
                yield found[0].path, name
            elif found is not None:
                read = dict.fromkeys((*self.reads, *self._reads_of_passed))
                yield from (each for each in read if each[0] == found[0].path and _may_be_set(found[0], each[1]))

    def _global(self, outline: Outline, node: ast.expr) -> Global | None:
        """The variable of a module that a name or attribute is: no function, class or module."""
        if self.resolver.module(outline, node) is not None:
            return None  # a module of a package: what its functions change is looked at for itself
        if isinstance(node, ast.Attribute):
            module = self.resolver.module(outline, node.value)
            if module is None:
                owner = self.resolver.definition(outline, node.value)
                is_class = owner is not None and isinstance(owner.node, ast.ClassDef)
                return (owner.outline.path, f"{owner.node.name}.{node.attr}") if owner and is_class else None
            return module.path, node.attr
        if not isinstance(node, ast.Name):
            return None
        scope, bindings = outline.lookup(node, node.id)
        if not isinstance(scope, ast.Module) or not bindings:
            return None
        imported = [binding.statement for binding in bindings if isinstance(binding.statement, ast.ImportFrom)]
        if imported:
            other = self.resolver.star_source(outline, imported[0])
            original = original_name(imported[0], node.id) or node.id
            return None if other is None or not other.bindings(other.module, original) else (other.path, original)
        plain = not any(isinstance(binding.statement, (ast.Import, ast.ClassDef)) for binding in bindings)
        return (outline.path, node.id) if plain else None


def _sets_first(outline: Outline, read: ast.Name) -> bool:
    """The function declares the name global and gives it a value above, in the same process; none by `count += 1`."""
    if read.id not in outline.declared(outline.scope(read)):
        return False
    added = any(isinstance(outline.parents[use], ast.AugAssign) for use in outline.named.get(read.id, ()))
    return not added and SetBefore(outline, imported=True).bound_before(read, read.id)


def _may_be_set(outline: Outline, name: str) -> bool:
    """A variable, or what nothing else sets: no function, class or module, and no attribute of a class."""
    bindings = outline.bindings(outline.module, name)
    fixed = (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
    return "." not in name and not (bindings and all(isinstance(item.statement, fixed) for item in bindings))


def _trained(outline: Outline, call: ast.Call) -> ast.expr | None:
    """The model whose parameters an optimizer gets: `Adam(model.parameters())`."""
    if not qualified_name(outline, call.func).startswith("torch.optim."):
        return None
    given = next(iter([*call.args, *(keyword.value for keyword in call.keywords)]), None)
    func = given.func if isinstance(given, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) and func.attr in ("parameters", "named_parameters") else None
