"""Globals that functions read in a worker, and that only the main process sets: under the guard, or in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....finding import Confidence, Hop
from ....nodes import walk
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.file_tree import Scope
from ....syntax.main_guard import is_main_process_block
from ....syntax.outline import Outline
from ....syntax.resolver import Class, method
from ..own_nodes import own_nodes
from ..own_objects import method_of_own
from ..starts.process_starts import Starts
from ..statements import names_bound, only_logs
from .hoist import BUILTINS, Sent, global_reads, reads_global, sent
from .own_processes import own_process

_WORKER = ("__getitem__", "__getitems__", "__iter__", "__call__", "run")
_IN_PARENT = ("callback", "error_callback")
_PARTIAL = "functools.partial"
_MAX_STARS = 4
_Run = tuple[Function, ast.ClassDef | None]  # what a worker runs; a method with the class of its object


@dataclass(frozen=True)
class MissingGlobal:
    """`read`, in the function `reader`, gets what line `line` sets in the main process only."""

    read: ast.Name
    reader: str
    line: int
    where: str
    confidence: Confidence
    hop: Hop
    guarded: bool = True  # set under the main guard, and not in a function of the main process
    guard: ast.If | None = None  # the only guard that sets it
    instead: int | None = None  # the line whose value a spawned worker gets
    calls: tuple[ast.Call, ...] = ()  # what sends functions that read it to workers
    readers: tuple[Function, ...] = ()


def missing_globals(starts: Starts, outline: Outline) -> Iterator[MissingGlobal]:
    """One per global and file."""
    body = outline.module.body
    known = _by_stars(starts, outline)
    if known is None:
        return
    guards = [statement for statement in body if is_main_process_block(statement)]
    guarded = {
        name: statement.lineno for guard in guards for statement in guard.body for name in names_bound(statement)
    }
    setters = _setters(outline)
    if not _is_read_by_workers(outline, {*guarded, *setters} - known):
        return
    outside = [part for item in body for part in (item.orelse if is_main_process_block(item) else [item])]
    bound: dict[str, list[ast.stmt]] = {}
    for statement in outside:
        for name in names_bound(statement):
            bound.setdefault(name, []).append(statement)
    tops = {item.name: item for item in outside if isinstance(item, FUNCTIONS)}
    run = [node for item in outside for node in own_nodes([item]) if not isinstance(node, (*FUNCTIONS, ast.ClassDef))]
    at_import = _closure(outline, tops, run)
    seen: set[str] = set()
    calls: list[tuple[ast.Call, Sent]] = []
    all_reached: dict[ast.Call, list[Function]] = {}
    alone = setters.keys() <= known  # no matter what sends something, but for what it sends
    for call in (each for named in outline.calls.values() for each in named):
        runs = _runs(starts, outline, call, [*call.args, *(keyword.value for keyword in call.keywords)])
        found = sent(starts, outline, call) if runs or not alone else None
        if found := found or own_process(starts, outline, call):
            calls.append((call, found))
            all_reached[call] = _reached(starts, outline, tops, _runs(starts, outline, call, found[2]))
    senders = {outline.scope(call) for call, _ in calls}
    in_workers = {function for functions in all_reached.values() for function in functions}
    for call, (sure, hop, _) in calls:
        for function in all_reached[call]:
            for read in global_reads(outline, function):
                name = read.id
                who = setters.get(name, [])
                if (
                    name in seen
                    or name in BUILTINS
                    or name in known
                    or _does_without(outline, read, function, lazily=bool(who) or name in bound)
                ):
                    continue
                if name in guarded and not who and all(_is_other(guards, name, item) for item in bound.get(name, [])):
                    seen.add(name)
                    where = "under the main guard"
                    instead = bound[name][-1].lineno if name in bound else None
                    senders_of, readers = _who_reads(outline, all_reached, name)
                    yield MissingGlobal(
                        read,
                        function.name,
                        guarded[name],
                        where,
                        sure,
                        hop,
                        guard=_setting(guards, name),
                        instead=instead,
                        calls=senders_of,
                        readers=readers,
                    )
                elif who and name not in guarded and all(_is_none(item) for item in bound.get(name, [])):
                    if not all(_only_parent(outline, item, tops, in_workers, at_import, senders) for item in who):
                        continue
                    seen.add(name)
                    where = f"by `{who[0].name}` in the main process only"
                    at_most = Confidence.LIKELY if sure is Confidence.PROVEN else sure
                    senders_of, readers = _who_reads(outline, all_reached, name)
                    yield MissingGlobal(
                        read,
                        function.name,
                        who[0].lineno,
                        where,
                        at_most,
                        hop,
                        guarded=False,
                        calls=senders_of,
                        readers=readers,
                    )


def _who_reads(
    outline: Outline, reached: Mapping[ast.Call, list[Function]], name: str
) -> tuple[tuple[ast.Call, ...], tuple[Function, ...]]:
    """The calls that send a function which reads the global, itself or in what it calls, and all such functions."""
    reading = {function for functions in reached.values() for function in functions}
    reading = {function for function in reading if any(use.id == name for use in global_reads(outline, function))}
    calls = tuple(call for call, functions in reached.items() if not reading.isdisjoint(functions))
    return calls, tuple(sorted(reading, key=lambda function: function.lineno))


def _is_read_by_workers(outline: Outline, names: set[str]) -> bool:
    """A function or method that workers may run, see `_runs`, reads a name of the module that is among these."""
    body = outline.module.body
    runs: set[ast.AST] = {item for item in body if isinstance(item, FUNCTIONS)}
    runs |= {
        part for item in body if isinstance(item, ast.ClassDef) for part in item.body if isinstance(part, FUNCTIONS)
    }
    uses = (use for name in names for use in outline.named.get(name, ())) if runs else ()
    return any(not runs.isdisjoint(outline.ancestors(use)) and reads_global(outline, use) for use in uses)


def _by_stars(starts: Starts, outline: Outline, depth: int = 0) -> set[str] | None:
    """Names that `from ... import *` binds; None where that can't be told."""
    found: set[str] = set()
    for part in outline.module.body:
        if isinstance(part, ast.ImportFrom) and part.names[0].name == "*":
            other = starts.callees.star_source(outline, part)
            inner = _by_stars(starts, other, depth + 1) if other is not None and depth < _MAX_STARS else None
            if other is None or inner is None:
                return None
            found |= inner.union(*(names_bound(statement) for statement in other.module.body))
    return found


def _is_other(guards: list[ast.If], name: str, statement: ast.stmt) -> bool:
    """`statement` binds another value, or a module, to the name that the guard gives to something else."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        value, setting = (
            _value(statement),
            [item for guard in guards for item in guard.body if name in names_bound(item)],
        )
        same = [item for item in setting if value is not None and _value(item) == value]
        return value is not None and not same
    imports = [
        statement for guard in guards for statement in guard.body if isinstance(statement, (ast.Import, ast.ImportFrom))
    ]
    return not any(name in names_bound(statement) for statement in imports)


def _setting(guards: list[ast.If], name: str) -> ast.If | None:
    """The guard that sets `name`, when only one does."""
    found = [guard for guard in guards if any(name in names_bound(statement) for statement in guard.body)]
    return found[0] if len(found) == 1 and not found[0].orelse else None


def _runs(starts: Starts, outline: Outline, call: ast.Call, arguments: list[ast.expr]) -> list[_Run]:
    """Functions of the file that a worker of `call` runs: passed, or methods of an object that is."""
    runs: list[_Run] = []
    parents = [keyword.value for keyword in call.keywords if keyword.arg in _IN_PARENT]
    arguments = [argument for argument in arguments if argument not in parents]
    for name in (node for top in arguments for node in walk(top) if isinstance(node, ast.Name)):
        above = outline.parents[name]
        if isinstance(above, ast.Call) and above.func is name and not _is_in_lambda(outline, name, call):
            runs += _methods_in_workers(starts, outline, name)  # of a function, the result is sent
            continue
        if isinstance(above, ast.Attribute):
            runs += _method(outline, name, above.attr)
        runs += _top_functions(outline, [name])
        for binding in outline.lookup(name, name.id)[1]:
            made = binding.value.func if isinstance(binding.value, ast.Call) else None
            if isinstance(binding.value, ast.Call) and starts.name(outline, binding.value.func) == _PARTIAL:
                runs += _top_functions(outline, binding.value.args[:1])
            elif isinstance(made, ast.Name):
                runs += _methods_in_workers(starts, outline, made)
    return runs


def _is_in_lambda(outline: Outline, node: ast.AST, call: ast.Call) -> bool:
    """A worker runs it as a part of the lambda that it gets."""
    return any(isinstance(above, ast.Lambda) and call in outline.ancestors(above) for above in outline.ancestors(node))


def _method(outline: Outline, owner: ast.Name, name: str) -> list[_Run]:
    """The method that is sent by itself: `Rows.clean`, `self.clean`, of a class of the module."""
    around = outline.owner(owner) if outline.is_self(owner) else None
    found = [around] if around is not None else [each.statement for each in outline.lookup(owner, owner.id)[1]]
    classes = [each for each in found if isinstance(each, ast.ClassDef) and each in outline.module.body]
    return [(item, each) for each in classes for item in each.body if isinstance(item, FUNCTIONS) and item.name == name]


def _methods_in_workers(starts: Starts, outline: Outline, made: ast.Name) -> list[_Run]:
    """What workers call of an object of the class that `made` names, at module level."""
    classes = [binding.statement for binding in outline.lookup(made, made.id)[1]]
    tops = [owner for owner in classes if isinstance(owner, ast.ClassDef) and owner in outline.module.body]
    found = [method for owner in tops for name in _WORKER for method in _methods(starts, outline, owner, name)]
    return [*found, *(method for owner in tops for method in _called_by_others(starts, outline, owner))]


def _called_by_others(starts: Starts, outline: Outline, owner: ast.ClassDef) -> list[_Run]:
    """What methods of bases in other files call of the object: `self.step()` in a `run` that the class inherits."""
    lineage = starts.callees.resolver.lineage(Class(outline, owner))
    todo, found = [*_WORKER] if any(at.outline is not outline for at in lineage) else [], list[_Run]()
    for name in todo:  # grows as it goes
        at, function = next(((at, each) for at in lineage if (each := method(at.node, name)) is not None), (None, None))
        if at is None or function is None:
            continue
        if at.outline is outline:
            found += _methods(starts, outline, owner, name) if name not in _WORKER else []
            continue
        for node in walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                new = at.outline.is_self(node.func.value) and node.func.attr not in todo
                todo += [node.func.attr] if new else []
    return found


def _methods(starts: Starts, outline: Outline, owner: ast.ClassDef, name: str) -> list[_Run]:
    """The method that objects of the class have under the name, where this file defines it and nothing hides it."""
    lineage = starts.callees.resolver.lineage(Class(outline, owner))
    classes = [at.node for at in lineage]
    if not name.startswith("__") and any(_sets_on_objects(at.outline, classes, name) for at in lineage):
        return []
    for at in lineage:
        if bound := [item for item in at.node.body if name in names_bound(item)]:
            own: list[_Run] = [(item, owner) for item in bound if isinstance(item, FUNCTIONS)]
            return own if at.outline is outline and len(own) == len(bound) else []
    return []


def _sets_on_objects(outline: Outline, classes: Sequence[ast.ClassDef], name: str) -> bool:
    """The file gives what may be an object of the classes an attribute of that name: `self.load = load`."""
    for node in outline.attributes.get(name, ()):
        if not isinstance(node.ctx, ast.Load) and (not outline.is_self(node.value) or outline.owner(node) in classes):
            return True
    texts = (value for call in outline.calls.get("setattr", ()) for value in call.args[1:2])
    return any(isinstance(value, ast.Constant) and value.value == name for value in texts)


def _top_functions(outline: Outline, nodes: list[ast.expr]) -> list[_Run]:
    """The functions at module level that names among `nodes` stand for."""
    return [
        (binding.statement, None)
        for node in nodes
        if isinstance(node, ast.Name)
        for binding in outline.lookup(node, node.id)[1]
        if isinstance(binding.statement, FUNCTIONS)
        and not binding.parameter
        and binding.statement in outline.module.body
    ]


def _closure(outline: Outline, tops: dict[str, Function], nodes: list[ast.AST]) -> dict[str, None]:
    """Names of functions of the module that `nodes`, and what they call, mention."""
    found: dict[str, None] = {}
    todo: list[ast.AST] = [*nodes]
    while todo:
        top = todo.pop()
        for node in [top] if not isinstance(top, FUNCTIONS) else walk(top):
            if isinstance(node, ast.Name) and node.id in tops and node.id not in found:
                found[node.id] = None
                todo.append(tops[node.id])
    return found


def _reached(starts: Starts, outline: Outline, tops: Mapping[str, Function], runs: Sequence[_Run]) -> list[Function]:
    """`runs`, and the functions and methods of the file that these call, or mention, by name or as `self.name`."""
    found = dict.fromkeys(runs)
    todo, code = [*found], set[ast.AST]()
    for function, owner in todo:  # it grows
        code.add(function)
        for node in walk(function):
            others: list[_Run] = []
            if isinstance(node, ast.Name) and node.id in tops:
                others = [(tops[node.id], None)]
            elif isinstance(node, ast.Attribute) and owner is not None and outline.is_self(node.value):
                others = _methods(starts, outline, owner, node.attr)
            elif isinstance(node, ast.Call) and (own := method_of_own(starts.callees, outline, node.func, code)):
                others = [own]
            new = [each for each in others if each not in found]
            found |= dict.fromkeys(new)
            todo += new
    return [*dict.fromkeys(function for function, _ in todo)]


def _setters(outline: Outline) -> dict[str, list[Function]]:
    """By name: the functions that set it as a `global`; one that only reads it may declare it too."""
    found: dict[str, list[Function]] = {}
    for node in outline.statements:
        scope = outline.scope(node) if isinstance(node, ast.Global) else None
        for name in node.names if isinstance(node, ast.Global) else ():
            if isinstance(scope, FUNCTIONS) and outline.bindings(scope, name):
                found.setdefault(name, []).append(scope)
    return found


def _only_parent(
    outline: Outline,
    setter: Function,
    tops: dict[str, Function],
    in_workers: set[Function],
    at_import: dict[str, None],
    senders: set[Scope],
) -> bool:
    """No worker runs it: not passed on, nor called by what a worker runs or by the module itself.

    The file may leave it to others to call what sends work to processes itself.
    """
    if setter in in_workers or setter.decorator_list:
        return False
    if isinstance(outline.parents[setter], ast.ClassDef):  # a method that sends the work itself
        called = {
            node.func.id
            for node in outline.own(setter)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        sends = setter in senders or any(tops[name] in senders for name in called & tops.keys())
        return sends and setter.name not in _WORKER
    if tops.get(setter.name) is not setter or setter.name in at_import:
        return False
    uses = [node for node in outline.of_kind(ast.Name) if node.id == setter.name]
    return (bool(uses) or setter in senders) and all(
        isinstance(above := outline.parents[node], ast.Call) and above.func is node for node in uses
    )


def _is_none(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return (
        isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(value, ast.Constant) and value.value is None
    )


def _value(statement: ast.stmt) -> str | None:
    """The expression of `name = value`, as text; None for any other statement."""
    value = getattr(statement, "value", None)
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
        return None
    return ast.dump(value) if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _does_without(outline: Outline, read: ast.Name, function: Function, lazily: bool) -> bool:
    """The function can do without the global: it looks for its name first, or catches the NameError as such.

    `lazily`: the name is None until something sets it, so that a test of its value also counts.
    """
    for above in outline.ancestors(read):
        if above is function:
            break
        if isinstance(above, ast.Try) and any(
            handler.type is not None and "NameError" in ast.unparse(handler.type) for handler in above.handlers
        ):
            return True
    for node in walk(function):
        tests = isinstance(node, (ast.If, ast.IfExp, ast.Assert)) and _tests_value(node.test, read.id)
        if lazily and tests and _is_harmless(outline, node, function, read.id):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("globals", "vars"):
            return True
    return False


def _is_harmless(outline: Outline, test: ast.AST, function: Function, name: str) -> bool:
    """What the test chooses is the same in the end: the function makes the value itself, or it only logs."""
    if not isinstance(test, ast.If):
        return isinstance(test, ast.Assert)
    sets = bool(outline.bindings(function, name))  # it is declared as `global`: what is read is none of its own
    return sets or all(only_logs(each) for each in (*test.body, *test.orelse))


def _tests_value(test: ast.expr, name: str) -> bool:
    """`name`, `not name`, `name is None` or `name is not None`, also as a part of the test."""
    for node in walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name:
            right = node.comparators[0]
            none = isinstance(right, ast.Constant) and right.value is None
            if none and isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
                return True
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    plain = [part.operand if isinstance(part, ast.UnaryOp) else part for part in parts]
    return any(isinstance(part, ast.Name) and part.id == name for part in plain)
