"""Values that a module computes when it is imported, and that a spawned worker computes anew with another result.

A time, a random number, a variable of the environment that the main process changes afterwards: a forked worker has the
value of its parent.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ....nodes import walk
from ....syntax.binding_rules import default_values
from ....syntax.callees import Function
from ....syntax.main_guard import is_main_guard
from ....syntax.names import original_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from ....syntax.unpicklable import Recogniser
from ..changed_inputs import is_there, path_of
from ..data import names
from ..run_again import GENERATORS
from .calls_of_scripts import has_guard
from .changed_settings import Changed, Place, Search, nearest
from .process_state import ChangedState, inherits, made_before, place_of, told
from .worker_functions import Worker

_BY_PROCESS = "os.getpid"  # who asks for it wants another one in each process, but for who compares it
_WHICH_PROCESS = ("multiprocessing.current_process", "multiprocessing.parent_process", "os.getppid")
_ENVIRONMENT = ("os.environ", "os.getenv", "os.environ.get", "os.environb")
_FOLDER = ("os.getcwd", "pathlib.Path.cwd", "os.path.abspath", "os.path.realpath")
_CHANGES_FOLDER = ("os.chdir", "os.fchdir")
_ARGUMENTS, _PUTS = "sys.argv", ("os.putenv", "os.unsetenv", "os.environ.setdefault", "os.environ.pop")
_NAME = "__name__"
_ADVICE = "pass it to the worker: as an argument, or stored on the object that is sent"
_CHANGING = frozenset(("pop", "remove", "insert", "append", "extend", "clear", "sort", "reverse"))


class ImportValue(NamedTuple):
    """A global, an attribute of a class or a default, to which the import of the module gives one value."""

    outline: Outline
    name: str
    value: ast.expr


def import_values(search: Search) -> Iterator[ChangedState]:
    """One per value and script, at the first place where a worker reads it."""
    readers: dict[ImportValue, list[tuple[Place, Worker]]] = {}
    recogniser = Recogniser(search.repo, lambda outline, node: [])
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for value, node in values_read(search, worker) if sent is not None else ():
            assert sent is not None
            readers.setdefault(value, []).append((Place(worker.outline, node, ""), sent))
    for value, places in readers.items():
        places.sort(key=nearest)
        what = f"what line {value.value.lineno} of {value.outline.path} computes at import"
        if (call := _another_each_time(value, places)) is not None:
            if recogniser.made(value.outline, value.value):
                continue  # a log for each process, whose name says which: it can't be passed on, and is not meant to be
            made = at_first(value, Place(value.outline, call, ""), places)
            yield ChangedState(f"{what}: a spawned worker computes it anew, and gets another value", _ADVICE, made)
            continue
        if (making := next(made_by_import(value.outline, value.value), None)) is not None:
            makes = Place(value.outline, making, "")
            asks = f"{what}: it asks whether a file is there, which {place_of(makes)} makes"
            changed = at_first(value, makes, places, "runs at import, below what asks")
            yield ChangedState(f"{asks}, and a spawned worker computes it anew after that", _ADVICE, changed)
            continue
        if (around := next(_imported_inside(search, value), None)) is not None:
            changed = at_first(value, around, places)
            depends = f"{what}, inside what {place_of(around)} sets for that time: a spawned worker imports it without"
            yield ChangedState(depends, _ADVICE, changed)
            continue
        for change, changed in made_before(search, list(_changes(search, value)), places):
            depends = f"{what}, before {place_of(change)} changes its input: a spawned worker computes it anew"
            yield ChangedState(f"{depends}, after that", _ADVICE, changed)


def at_first(value: ImportValue, change: Place, places: list[tuple[Place, Worker]], done: str = "") -> Changed:
    place, worker = places[0]
    assert isinstance(place.node, ast.expr)
    confidence, sent_by = next(iter(worker.sent.values()))
    changed = Changed(value.outline, place.node, worker, confidence, sent_by, sent_by)
    return told(changed, change, done) if done else told(changed, change)


def _imported_inside(search: Search, value: ImportValue) -> Iterator[Place]:
    """`with as_rank(3): import worker`, where that sets a variable which the value is computed from."""
    for key in _variables(value.outline, value.value):
        setting = {place.outline.scope(place.node) for place in _set_variables(search, key)}
        for path in sorted(search.importers.reaching(value.outline.path)) if setting else ():
            outline = search.repo.outline(path)
            for imported in outline.imports if outline is not None else ():
                assert outline is not None
                holders = (above for above in outline.ancestors(imported) if isinstance(above, ast.With))
                calls = [item.context_expr for holder in holders for item in holder.items]
                if calls and value.outline.path in search.starts.callees.modules.imported(path, imported):
                    for call in (each for each in calls if isinstance(each, ast.Call)):
                        called = search.callees.called(outline, call)
                        if called is not None and called[1] in setting:
                            yield Place(outline, call, "")


def values_read(search: Search, worker: Worker) -> Iterator[tuple[ImportValue, ast.expr]]:
    """The globals with a computed value that the function reads."""
    outline = worker.outline
    for node in worker.nodes:
        found: ImportValue | None = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            scope, bindings = outline.lookup(node, node.id)
            if isinstance(scope, ast.Module) and len(bindings) == 1:
                found = _value(search, outline, node.id, bindings[0].statement)
            elif isinstance(scope, ast.Module):
                found = chosen_by_file(search, outline, node.id, [binding.statement for binding in bindings])
            elif scope is worker.function and len(bindings) == 1 and bindings[0].parameter:
                found = _default(search, worker, node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            home = search.callees.resolver.module(outline, node.value) if node.value.id in outline.imported else None
            bindings = home.bindings(home.module, node.attr) if home is not None else []
            if home is not None and len(bindings) == 1:
                found = _value(search, home, node.attr, bindings[0].statement)
            elif home is None:
                found = _of_class(search, outline, node)
        if found is not None and isinstance(node, ast.expr):
            yield found, node


def _default(search: Search, worker: Worker, name: str) -> ImportValue | None:
    """`seed` of `def pick(x, seed=random.random())`, which the module or a class of it defines."""
    outline, function = worker.outline, worker.function
    above = outline.parents.get(function)
    owner = outline.parents[above] if isinstance(above, ast.ClassDef) else above
    if owner is not outline.module:
        return None
    return _computed(search, outline, name, default_values(function).get(name))


def _of_class(search: Search, outline: Outline, node: ast.Attribute) -> ImportValue | None:
    """`self.made`, `Job.made`, where the body of the class alone gives it a value."""
    resolver = search.callees.resolver
    around = outline.owner(node) if outline.is_self(node.value) else None
    found = resolver.definition(outline, node.value) if around is None else None
    cls = Class(outline, around) if around is not None else None
    if found is not None and isinstance(found.node, ast.ClassDef):
        cls = Class(found.outline, found.node)
    for at in resolver.lineage(cls) if cls is not None else ():
        for statement in at.node.body:
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            if any(isinstance(target, ast.Name) and target.id == node.attr for target in targets):
                stores = (each for each in at.outline.attributes.get(node.attr, ()) if isinstance(each.ctx, ast.Store))
                if at.outline.parents[at.node] is not at.outline.module or any(stores):
                    return None
                return _computed(search, at.outline, node.attr, getattr(statement, "value", None))
    return None


def _value(search: Search, outline: Outline, name: str, statement: ast.AST, depth: int = 0) -> ImportValue | None:
    if isinstance(statement, ast.ImportFrom) and depth == 0:
        home = search.callees.resolver.star_source(outline, statement)
        original = original_name(statement, name)
        bindings = home.bindings(home.module, original) if home is not None and original else []
        return _value(search, home, original, bindings[0].statement, 1) if home and len(bindings) == 1 else None
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or outline.parents[statement] is not outline.module:
        return None
    return _computed(search, outline, name, statement.value)


def _computed(search: Search, outline: Outline, name: str, value: ast.expr | None) -> ImportValue | None:
    if not has_guard(outline) and outline.path in search.starting:
        return None  # a script that gets a guard, which is told of there
    parts = walk(value) if value is not None else ()
    computed = any(isinstance(node, (ast.Call, ast.Attribute, ast.Subscript, ast.Compare)) for node in parts)
    return ImportValue(outline, name, value) if value is not None and computed else None


def chosen_by_file(search: Search, outline: Outline, name: str, statements: list[ast.AST]) -> ImportValue | None:
    """`if not os.path.isdir(out): os.mkdir(out); fresh = True`, `else: fresh = False`: the test, for `fresh`."""
    branches = {outline.parents[statement] for statement in statements if isinstance(statement, ast.Assign)}
    branch = branches.pop() if len(branches) == 1 else None
    if not isinstance(branch, ast.If) or outline.parents[branch] is not outline.module or len(statements) < 2:
        return None
    values = [statement.value for statement in statements if isinstance(statement, ast.Assign)]
    if not all(isinstance(value, ast.Constant) for value in values) or len({*map(ast.dump, values)}) < 2:
        return None
    value = _computed(search, outline, name, branch.test)
    return value if value is not None and any(made_by_import(outline, branch.test)) else None


def made_by_import(outline: Outline, value: ast.expr) -> Iterator[ast.Call]:
    """What the import itself makes below, of what the value asks for: `FRESH = not os.path.exists(out)`."""
    asked = [node for node in walk(value) if isinstance(node, ast.Call) and is_there(outline, node)]
    paths = {ast.dump(path) for node in asked if (path := path_of(outline, node, False)) is not None}
    if not paths or not all(map(_is_test, _above(outline, asked, value))):
        return
    for call in outline.of_kind(ast.Call):
        path = path_of(outline, call, True) if call.lineno > asked[0].lineno else None
        is_made = path is not None and ast.dump(path) in paths and outline.scope(call) is outline.module
        if is_made and not any(is_main_guard(above) for above in outline.ancestors(call)):
            yield call


def _is_test(node: ast.AST) -> bool:
    """`not`, `and`, `or`, and a choice between two things that are written out."""
    if isinstance(node, ast.IfExp):
        return isinstance(node.body, ast.Constant) and isinstance(node.orelse, ast.Constant)
    return isinstance(node, (ast.UnaryOp, ast.BoolOp, ast.Compare))


def _above(outline: Outline, asked: list[ast.Call], value: ast.expr) -> Iterator[ast.AST]:
    """What stands between the questions and the value."""
    for node in asked:
        inner: ast.AST = node
        while inner is not value:
            inner = outline.parents[inner]
            yield inner


def _another_each_time(value: ImportValue, places: list[tuple[Place, Worker]]) -> ast.expr | None:
    """The call that gives another result in each process: a time, a draw from a generator that is not seeded.

    Also which process it is, where the value says what that was, or a worker compares it.
    """
    compared = any(isinstance(place.outline.parents[place.node], ast.Compare) for place, _ in places)
    own = has_guard(value.outline)
    for node in walk(value.value):
        if isinstance(node, ast.Lambda):
            return None
        if own and isinstance(node, ast.Compare) and _NAME in map(ast.unparse, (node.left, *node.comparators)):
            return node  # `IS_MAIN = __name__ == "__main__"`
        name = qualified_name(value.outline, node.func) if isinstance(node, ast.Call) else ""
        drawn = name in names("draws") or any(pattern.match(name) for pattern in GENERATORS.values())
        if isinstance(node, ast.Call) and (
            (name in names("each_time_another") and (name != _BY_PROCESS or compared))
            or name in _WHICH_PROCESS
            or (drawn and not _is_seeded(value.outline, node))
        ):
            return node
    return None


def another_each_time(search: Search, outline: Outline, function: Function) -> bool:
    """A call of the function gives another result each time, or one that follows a variable that the program sets."""
    for node in walk(function):
        name = qualified_name(outline, node.func) if isinstance(node, ast.Call) else ""
        drawn = name in names("draws") or any(pattern.match(name) for pattern in GENERATORS.values())
        if isinstance(node, ast.Call) and (
            (name in names("each_time_another") and name != _BY_PROCESS) or (drawn and not _is_seeded(outline, node))
        ):
            return True
    return any(True for key in _variables(outline, function) for _ in _set_variables(search, key))


def _is_seeded(outline: Outline, draw: ast.Call) -> bool:
    """Something of the file seeds a generator above."""
    calls = (node for node in outline.of_kind(ast.Call) if node.lineno <= draw.lineno)
    return any("seed" in ast.unparse(call.func) for call in calls)


# what the main process changes


def _changes(search: Search, value: ImportValue) -> Iterator[Place]:
    """Where code in a function, or under a main guard, changes what the value was computed from."""
    outline, nodes = value.outline, list(walk(value.value))
    if any(isinstance(node, ast.Lambda) or (isinstance(node, ast.Name) and node.id == "__file__") for node in nodes):
        return
    for node in nodes:
        if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(outline.parents[node], ast.Attribute):
            continue
        name = qualified_name(outline, node)
        if name in _ENVIRONMENT and (key := _key(outline, node)):
            yield from (place for place in _set_variables(search, key) if _is_imported_before(search, value, place))
        elif name in _FOLDER:
            yield from (place for place in _moves(search) if _is_imported_before(search, value, place))
        elif name.startswith(_ARGUMENTS):
            yield from (place for place in _arguments(search) if _is_imported_before(search, value, place))


def _is_imported_before(search: Search, value: ImportValue, place: Place) -> bool:
    """The file of the change has the value by then: it computes it, or imports what does, at its top or above."""
    outline = place.outline
    if outline is value.outline:
        return True
    modules, scope, line = search.starts.callees.modules, outline.scope(place.node), getattr(place.node, "lineno", 0)
    for node in outline.imports:
        if value.outline.path not in modules.imported(outline.path, node):
            continue
        if outline.parents[node] is outline.module or (outline.scope(node) is scope and node.lineno < line):
            return True
    return False


def _variables(outline: Outline, code: ast.AST) -> Iterator[str]:
    """The variables of the environment that `code` reads."""
    for node in walk(code):
        if isinstance(node, (ast.Name, ast.Attribute)) and qualified_name(outline, node) in _ENVIRONMENT:
            key = _key(outline, node)
            if key:
                yield key


def _key(outline: Outline, node: ast.expr) -> str:
    """`A` of `os.environ["A"]`, `os.environ.get("A")`."""
    above = outline.parents[node]
    given: ast.expr | None = None
    if isinstance(above, ast.Subscript):
        given = above.slice
    elif isinstance(above, ast.Call) and above.func is node:
        given = above.args[0] if above.args else None
    name = given.value if isinstance(given, ast.Constant) else None
    if isinstance(name, bytes):  # of `os.environb`
        return name.decode("ascii", "replace")
    return name if isinstance(name, str) else ""


def _set_variables(search: Search, key: str) -> Iterator[Place]:
    pattern = re.compile(rf"environ\b[^\n]*{re.escape(key)}|putenv")
    for path in search.starts.project.paths_matching(pattern):
        outline = search.repo.outline(path)
        for node in outline.nodes if outline is not None else ():
            assert outline is not None
            if _sets_variable(outline, node, repr(key)):
                yield Place(outline, node, "")


def _sets_variable(outline: Outline, node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return qualified_name(outline, node.value) == "os.environ" and ast.unparse(node.slice) == key
    puts = isinstance(node, ast.Call) and bool(node.args) and qualified_name(outline, node.func) in _PUTS
    return isinstance(node, ast.Call) and puts and ast.unparse(node.args[0]) == key


def _moves(search: Search) -> Iterator[Place]:
    for function in _CHANGES_FOLDER:
        word = function.rpartition(".")[2]
        for outline in search.repo.mentioning(word):
            for call in outline.calls_of(word):
                if qualified_name(outline, call.func) == function:
                    yield Place(outline, call, "")


def _arguments(search: Search) -> Iterator[Place]:
    for outline in search.repo.mentioning("argv"):
        for node in (*outline.attributes.get("argv", ()), *outline.named.get("argv", ())):
            if qualified_name(outline, node) != _ARGUMENTS:
                continue
            above = outline.parents[node]
            holder = above if isinstance(above, ast.Subscript) and above.value is node else node
            if not isinstance(holder.ctx, ast.Load) or (isinstance(above, ast.Attribute) and above.attr in _CHANGING):
                yield Place(outline, node, "")
