"""Globals and attributes of classes that only the main process sets, and that workers read: these have the first value.

A spawned worker imports the modules anew. What a function of the main process has set there since (`global current`,
`Encoder.size = args.size`, an entry of a table) is not in them.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from ....flow.answers.crossings import flow_of
from ....flow.facts.syntax import is_record
from ....project import Project
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.main_guard import is_main_process_block
from ....syntax.names import last_name, root_of_chain, whose_class
from ....syntax.outline import Outline
from ....syntax.resolver import Class, Resolver
from ..guard.missing_globals import missing_globals
from ..main_module import variables_of_main
from ..set_by_text import UNKNOWN, set_in_project
from ..statements import LOG_METHODS, only_logs
from .calls_of_scripts import has_guard
from .changed_settings import Changed, Place, Search
from .first_values import with_first_value
from .function_attributes import with_value
from .handled_errors import ended_by, without_handlers
from .object_parts import ADDS, DRAWN, fills
from .other_changes import by_function
from .same_values import Same
from .set_on_classes import is_cls, only_set_on_class
from .worker_functions import Worker

_SETS = r"\s*(?:[-+*/|&]?=(?!=)|:[^=\n]*=)"


_CLASS_OF = r"\btype\s*\([^()]*\)|\.__class__"
_BY_NAME = re.compile(
    r"setattr(?<!\wsetattr)\s*\(|(?:vars(?<!\wvars)\s*\([^()\n]*\)|__dict__(?<=\.__dict__))\s*\.\s*update\b"
)


class _State(NamedTuple):
    """A global of a module, or an attribute of a class or function of it."""

    outline: Outline
    owner: ast.ClassDef | Function | None
    name: str
    of_main: bool = False  # a variable of the script, which other files read through `__main__`
    unset: bool = False  # nothing gives it a first value


def parent_state(search: Search) -> Iterator[Changed]:
    """One per state and script, at the first place where a worker reads it."""
    reads: dict[_State, list[tuple[Place, Worker]]] = {}
    elsewhere: dict[_State, bool] = {}
    set_by_functions = functools.cache(_set_by_functions)
    of_main = functools.cache(lambda path: variables_of_main(search.repo, path))
    for worker in search.workers.values():
        read = _reads(search, worker, set_by_functions(worker.outline), elsewhere)
        of_script = _reads_of_main(search, worker, of_main(worker.outline.path))
        for state, node, reader in (*read, *((state, node, worker) for state, node in of_script)):
            reads.setdefault(state, []).append((Place(worker.outline, node, ""), reader))
    for state, places in reads.items():
        changes = list(_changes(search, state))
        if changes and not _is_reported(search, state):
            places.sort(key=lambda item: (item[1].depth, item[0].outline.path, getattr(item[0].node, "lineno", 0)))
            for _, changed in search.changed(state.outline, changes, places):
                owner = Class(state.outline, state.owner) if isinstance(state.owner, ast.ClassDef) else None
                yield with_first_value(search, changed, changes, owner, state.name) if state.unset else changed


def _is_reported(search: Search, state: _State) -> bool:
    """The file itself sends to workers what reads it, which is looked at for itself, with a fix."""
    missing = missing_globals(search.starts, state.outline) if state.owner is None else ()
    return any(each.read.id == state.name for each in missing)


# what workers read


def _set_by_functions(outline: Outline) -> set[str]:
    """The variables of a module that its own functions may set."""
    return {name for node in outline.statements if isinstance(node, ast.Global) for name in node.names}


def _reads(
    search: Search, worker: Worker, declared: Container[str], elsewhere: dict[_State, bool]
) -> Iterator[tuple[_State, ast.expr, Worker]]:
    """Each with the worker, as far as that needs it."""
    outline = worker.outline
    for node in worker.nodes:
        state: _State | None = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            state = _global(outline, node)
            if state is not None and node.id not in declared:
                if state not in elsewhere:
                    elsewhere[state] = next(_set_elsewhere(search, state), None) is not None
                state = state if elsewhere[state] else None
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            state = _of_module(search, outline, node) or _attribute(search, worker, node)
        if state is None or not isinstance(node, ast.expr):
            continue
        needing = _that_needs(worker, node)
        if needing is not None and state.unset:
            needing = ended_by(needing, node, "NameError" if isinstance(node, ast.Name) else "AttributeError")
        if needing is not None:
            yield state, node, needing


def _reads_of_main(search: Search, worker: Worker, read: Mapping[ast.expr, str]) -> Iterator[tuple[_State, ast.expr]]:
    """What it reads through `__main__`, of each script that imports it."""
    nodes = [node for node in worker.nodes if node in read] if read else []
    for path in sorted(search.importers.reaching(worker.outline.path)) if nodes else ():
        script = search.repo.outline(path)
        for node in nodes if script is not None and has_guard(script) else ():
            assert script is not None and isinstance(node, ast.expr)
            yield _State(script, None, read[node], of_main=True), node


def _global(outline: Outline, node: ast.Name) -> _State | None:
    """The name, where the module itself gives it one value, or only functions of it do."""
    scope, bindings = outline.lookup(node, node.id)
    if isinstance(scope, ast.Module) and not bindings and _only_by_functions(outline, node.id):
        return _State(outline, None, node.id, unset=True)
    if not isinstance(scope, ast.Module) or len(bindings) != 1 or not _has_value(bindings[0].statement):
        return None
    return _State(outline, None, node.id, unset=_only_main_sets(outline, bindings[0].statement))


def _of_module(search: Search, outline: Outline, node: ast.Attribute) -> _State | None:
    """`config.size` of a module of the repository, which gives it one value, or whose functions alone do."""
    root = root_of_chain(node.value)
    if root is None or root.id not in outline.imported:
        return None
    home = search.callees.resolver.module(outline, node.value)
    bindings = home.bindings(home.module, node.attr) if home is not None else ()
    if home is not None and not bindings and _only_by_functions(home, node.attr):
        return _State(home, None, node.attr, unset=True)
    if home is None or len(bindings) != 1 or not _has_value(bindings[0].statement):
        return None
    return _State(home, None, node.attr, unset=_only_main_sets(home, bindings[0].statement))


def _only_main_sets(outline: Outline, statement: ast.AST) -> bool:
    """It stands under the main guard, which no import of the file runs."""
    child = statement
    for above in outline.ancestors(statement):
        if is_main_process_block(above):
            return not (isinstance(above, ast.If) and child in above.orelse)
        child = above
    return False


def _only_by_functions(outline: Outline, name: str) -> bool:
    """Functions of the module declare it global and set it, and no line of the module or star import may."""
    return name in _set_by_functions(outline) and not outline.star_imports and name not in outline.imported


def _has_value(statement: ast.AST) -> bool:
    return isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None


def _attribute(search: Search, worker: Worker, node: ast.Attribute) -> _State | None:
    """`Encoder.size`, and `self.size` where the class body alone gives it a value."""
    outline, resolver, value = worker.outline, search.callees.resolver, node.value
    by_self = outline.is_self(value)
    is_own = by_self or is_cls(outline, value)
    owner = Class(outline, around) if is_own and (around := outline.owner(value)) else None
    if owner is None and outline.home_name(value)[:1].isupper():
        found = resolver.definition(outline, value)
        owner = Class(found.outline, found.node) if found and isinstance(found.node, ast.ClassDef) else None
    if owner is None and (function := with_value(resolver, outline, value, node.attr)) is not None:
        return _State(function.outline, function.node, node.attr)
    if owner is None and not by_self and isinstance(value, (ast.Name, ast.Attribute)):
        found_class = search.callees.class_of(outline, value) if _is_of_module(outline, value) else None
        owner, by_self = (Class(*found_class), True) if found_class is not None else (None, False)
    flow = flow_of(search.starts.project)
    owners, by_self = ([owner], by_self) if owner is not None else (worker.given(value, flow.given_to), True)
    for each in owners:
        if (state := _in_body(resolver, each, node.attr, by_self)) is not None:
            return state
        if (setter := only_set_on_class(search.callees, each, node.attr, by_self)) is not None:
            return _State(setter.outline, setter.node, node.attr, unset=True)
    return None


def _in_body(resolver: Resolver, owner: Class, name: str, by_self: bool) -> _State | None:
    """The attribute, where the body of the class, or of one below it, gives it a value and its objects don't."""
    for at in resolver.lineage(owner):
        if by_self and at.outline.sets_on_self(at.node, name):
            return None
        for statement in at.node.body:
            if _has_value(statement) and name in _targets(statement):
                return None if by_self and _is_field(at.node, statement) else _State(at.outline, at.node, name)
    return None


def _is_field(node: ast.ClassDef, statement: ast.stmt) -> bool:
    """Of a dataclass or the like: each object has a value of its own."""
    return isinstance(statement, ast.AnnAssign) and is_record(node) and "ClassVar" not in ast.unparse(statement)


def _is_of_module(outline: Outline, value: ast.expr) -> bool:
    """A variable of a module, or of one that is imported."""
    root = root_of_chain(value)
    return root is not None and isinstance(outline.lookup(root, root.id)[0], ast.Module)


def _targets(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _that_needs(worker: Worker, node: ast.expr) -> Worker | None:
    """The worker, but for ways on which it does without: it only logs by it, or asks first whether there is a value.

    Where it raises an error then, what calls it may go on.
    """
    outline, function = worker.outline, worker.function
    above = outline.parents[node]
    if isinstance(above, ast.Attribute) and above.attr in LOG_METHODS:
        return None
    text = ast.unparse(node)
    for each in ast.walk(function):
        test = each.test if isinstance(each, (ast.If, ast.IfExp, ast.While)) else None
        asks = test is not None and any(ast.unparse(part) == text and _asks(outline, part) for part in ast.walk(test))
        if asks and (_sets(function, text) or (isinstance(each, ast.If) and all(map(only_logs, each.body)))):
            error = _error_without(each, text) if isinstance(each, ast.If) else None
            return without_handlers(worker, error) if error is not None else None
    return worker


def _error_without(node: ast.If, text: str) -> ast.Raise | None:
    """`if current is None: raise ValueError("call set_current first")`."""
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.Eq)):
        missing = any(isinstance(side, ast.Constant) and side.value is None for side in (test.left, *test.comparators))
    else:
        missing = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and ast.unparse(test.operand) == text
    last = node.body[-1]
    return last if missing and isinstance(last, ast.Raise) else None


def _sets(function: Function, text: str) -> bool:
    """The function gives it a value itself, where there is none."""
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) and ast.unparse(node) == text
        for node in ast.walk(function)
    )


def _asks(outline: Outline, part: ast.AST) -> bool:
    """It is asked for as a whole, and for none of several values: `if state.current is None`."""
    above = outline.parents.get(part)
    if isinstance(above, ast.Compare):
        return any(isinstance(side, ast.Constant) and side.value is None for side in (above.left, *above.comparators))
    return not isinstance(above, (ast.Attribute, ast.Subscript))


# what sets it


def _changes(search: Search, state: _State) -> Iterator[Place]:
    """Where code in a function, or under a main guard, sets it."""
    if state.owner is None:
        yield from _under_guard(state) if state.of_main else ()
        yield from _declared_and_set(state)
        yield from _set_elsewhere(search, state)
        return
    names = "|".join(sorted({*_spelled(search, state), "cls"}))
    behind = rf"\.\s*{re.escape(state.name)}{_SETS}"
    pattern = re.compile(rf"(?:\b(?:{names})|{_CLASS_OF})\s*{behind}")
    for outline, node in _attributes(search, state, pattern, re.compile(behind)):
        if not isinstance(node.ctx, ast.Load) and _is_of(search, outline, node.value, state):
            yield Place(outline, node, _how(outline, node))
    yield from _filled(search, state)
    yield from _set_by_name(search, state)
    yield from _set_by_other_name(search, state)


def _spelled(search: Search, state: _State) -> Iterator[str]:
    """The names of the function, or of the class and of its bases, also those that imports give them."""
    assert state.owner is not None
    for name in {state.owner.name, *(at.node.name for at in _near(search, state))}:
        for outline in search.repo.mentioning(name):
            yield from outline.names_of(name)


def _set_by_other_name(search: Search, state: _State) -> Iterator[Place]:
    """`for cls in (Encoder, Decoder): cls.size = 3`, `type.__setattr__(Encoder, "size", 3)`."""
    assert state.owner is not None
    for outline in search.repo.mentioning(state.owner.name):
        for name in outline.named.get(state.owner.name, ()):
            for same in (Same(outline, name), *search.parts.same.of(outline, name)):
                above = same.outline.parents[same.node]
                by_name = above.attr if isinstance(above, ast.Attribute) and same.node is not name else ""
                sets = by_name == state.name and not isinstance(getattr(above, "ctx", None), ast.Load)
                sets = sets or by_function(same.outline, same.node) == state.name
                if sets and _is_of(search, outline, name, state):
                    yield _place(same)


def _place(same: Same) -> Place:
    """Where it stands, or where the function is called that it is passed to."""
    outline, node = same.at or (same.outline, same.node)
    return Place(outline, node, "")


def _filled(search: Search, state: _State) -> Iterator[Place]:
    """`Table.rows[name] = value` of a class, `cls.rows.append(value)`, and where programs call what does that."""
    pattern = re.compile(rf"\.\s*{re.escape(state.name)}\s*[.\[)]")
    for outline, node in _attributes(search, state, pattern):
        if _goes_on(outline, node) and _is_of(search, outline, node.value, state):
            yield Place(outline, node, DRAWN)
        elif (fills(outline, node) or _sets_part(outline, node)) and (
            _is_of(search, outline, node.value, state) or _is_own(outline, node.value, state)
        ):
            yield Place(outline, node, _how(outline, node))
            for where, use in search.registrations.by(outline, node):
                yield Place(where, use, "")
        elif _is_of(search, outline, node.value, state) or _is_own(outline, node.value, state):
            for key in _changed_by_method(search, state, outline, node):
                yield Place(outline, node, key)


def _changed_by_method(search: Search, state: _State, outline: Outline, node: ast.Attribute) -> list[str]:
    """What a method changes of the object that the body of the class makes: `self.cache.put(name, value)`."""
    above = outline.parents[node]
    call = outline.parents[above]
    if not isinstance(above, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not above:
        return []
    if not isinstance(state.owner, ast.ClassDef):
        return []
    made = next(
        (each.value for each in state.owner.body if isinstance(each, ast.Assign) and state.name in _targets(each)), None
    )
    if not isinstance(made, ast.Call) or not search.repo.methods(above.attr):
        return []
    return search.parts.changed_by_method(state.outline, ast.Call(ast.Attribute(made, above.attr, ast.Load()), [], []))


def _goes_on(outline: Outline, node: ast.expr) -> bool:
    """`next(Item.numbers)`."""
    above = outline.parents[node]
    return isinstance(above, ast.Call) and last_name(above.func) == "next" and above.args[:1] == [node]


def _sets_part(outline: Outline, node: ast.expr) -> bool:
    """`Color.RED.note = value`."""
    above = outline.parents[node]
    return isinstance(above, ast.Attribute) and not isinstance(above.ctx, ast.Load)


def _is_own(outline: Outline, value: ast.expr, state: _State) -> bool:
    """`self` of the class, whose objects have no such attribute for themselves; a decorator may pass something else."""
    around = outline.method(value)
    plain = around is not None and not around.decorator_list
    return plain and outline.is_self(value) and outline.owner(value) is state.owner


def _set_by_name(search: Search, state: _State) -> Iterator[Place]:
    """`setattr(Table, "size", value)`, `setattr(Table, name, value)`, `vars(Table).update(size=value)`."""
    for path in search.starts.project.derive(_setting_by_name):
        outline = search.repo.outline(path)
        if outline is None:
            continue
        for call in outline.calls.get("setattr", ()):
            name = call.args[1] if len(call.args) == 3 else None
            same = name is not None and (not isinstance(name, ast.Constant) or name.value == state.name)
            if same and _is_of(search, outline, call.args[0], state):
                yield Place(outline, call.args[0], "")
        for call in outline.calls.get("update", ()):
            whole = call.func.value if isinstance(call.func, ast.Attribute) else None
            is_vars = isinstance(whole, ast.Call) and last_name(whole.func) == "vars" and len(whole.args) == 1
            value = whole.args[0] if isinstance(whole, ast.Call) and is_vars else None
            value = whole.value if isinstance(whole, ast.Attribute) and whole.attr == "__dict__" else value
            if value is not None and _is_of(search, outline, value, state):
                yield Place(outline, value, "")


def _setting_by_name(project: Project) -> tuple[str, ...]:
    """The files that may hold such a call."""
    return tuple(project.paths_matching(_BY_NAME, words=("setattr", "vars", "__dict__")))


def _set_elsewhere(search: Search, state: _State) -> Iterator[Place]:
    """`module.name = value` in other files, and what sets it by its name as text."""
    pattern = re.compile(rf"\.\s*{re.escape(state.name)}{_SETS}")
    for outline, node in _attributes(search, state, pattern):
        sets = isinstance(node.value, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
        if sets and search.callees.resolver.module(outline, node.value) is state.outline:
            yield Place(outline, node, "")
    for same in search.parts.same.members(state.outline, state.name):
        if not isinstance(getattr(same.node, "ctx", ast.Load()), ast.Load):
            yield _place(same)
    for same in search.parts.same.of_module(state.outline):
        if by_function(same.outline, same.node) == state.name:
            yield _place(same)
    by_text = search.starts.project.derive(set_in_project)
    for name in (state.name, UNKNOWN) if _is_setting(state) else (state.name,):
        yield from (Place(outline, node, "") for outline, node in by_text.get((state.outline, name), ()))


def _is_setting(state: _State) -> bool:
    """A plain value: what code may mean that sets variables whose names are not written there."""
    bindings = state.outline.bindings(state.outline.module, state.name)
    return all(isinstance(each.value, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp)) for each in bindings)


def _attributes(
    search: Search, state: _State, pattern: re.Pattern[str], within: re.Pattern[str] | None = None
) -> Iterator[tuple[Outline, ast.Attribute]]:
    """The attributes of its name, in the files where `pattern` matches; `within`: see `Project.matching`."""
    for path in search.starts.project.paths_matching(pattern, words=(state.name,), within=within):
        outline = search.repo.outline(path)
        if outline is not None:
            yield from ((outline, node) for node in outline.attributes.get(state.name, ()))


def _near(search: Search, state: _State) -> list[Class]:
    owner = state.owner
    return list(search.callees.resolver.lineage(Class(state.outline, owner))) if isinstance(owner, ast.ClassDef) else []


def _is_of(search: Search, outline: Outline, value: ast.expr, state: _State) -> bool:
    """`value` is the class, or the `cls` of one of its class methods, or `type(self)` in one of its methods."""
    if (of := whose_class(value)) is not None:
        made = search.callees.class_of(outline, of) if not outline.is_self(of) else None
        return state.owner is (outline.owner(of) if outline.is_self(of) else made[1] if made is not None else None)
    if is_cls(outline, value):
        return outline.owner(value) is state.owner
    found = search.callees.resolver.definition(outline, value)
    return found is not None and found.node is state.owner


def _under_guard(state: _State) -> Iterator[Place]:
    """Where the script sets or fills its variable under its main guard."""
    outline = state.outline
    for node in outline.named.get(state.name, ()):
        sets = isinstance(node, ast.Name) and (not isinstance(node.ctx, ast.Load) or fills(outline, node))
        if (
            sets
            and isinstance(outline.scope(node), ast.Module)
            and any(map(is_main_process_block, outline.ancestors(node)))
        ):
            yield Place(outline, node, "")


def _declared_and_set(state: _State) -> Iterator[Place]:
    outline = state.outline
    for node in outline.named.get(state.name, ()):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope = outline.scope(node)
            declares = (each for each in ast.walk(scope) if isinstance(each, ast.Global))
            if isinstance(scope, FUNCTIONS) and any(state.name in each.names for each in declares):
                yield Place(outline, node, _how(outline, node))


def _how(outline: Outline, node: ast.Name | ast.Attribute) -> str:
    """It goes on, for workers as well, where it is counted or added to: `made += 1`, `rows.append(row)`."""
    above = outline.parents[node]
    adds = isinstance(above, ast.Attribute) and above.attr in ADDS
    return DRAWN if isinstance(above, ast.AugAssign) or adds else ""
