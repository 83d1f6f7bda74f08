"""State of a whole process that only the main process sets, and on which the code of workers depends.

A seed, the context of `decimal`, where `sys.stdout` leads: a forked child has it from its parent, a spawned one begins
with the default. The table says what sets and what reads each.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from itertools import takewhile

from ....finding import Confidence, Hop
from ....nodes import walk
from ....syntax.callees import FUNCTIONS
from ....syntax.main_guard import is_main_process_block
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ..starts.fork_contexts import names_spawn
from ..statements import LOG_METHODS
from .before_start import is_set_before
from .changed_settings import Changed, Place, Search, nearest
from .library_texts import imported_name, texts_of_libraries
from .loggers import may_serve
from .overwritten import SEED, weights_are_loaded
from .process_state_table import State, read_by
from .worker_functions import Worker

_SETTING = frozenset({ast.Call, ast.Attribute, ast.Subscript})
_SPAWN, _LOADER = "`multiprocessing.spawn`", "Loader"
WHERE = "in the function that it runs, in the `initializer` of a pool, in the `worker_init_fn` of a loader"
_LONGEST = 60  # text of code in a trace
_TEXTS = ("print", "str", "repr", "format")
_TO_STREAMS = ("stdout", "stderr")
_LOGS = {"debug": "a log of details", "info": "a log of news"}
_LOGGERS = ("logging.getLogger", "logging.LoggerAdapter")
_OF_LOGGERS = frozenset(
    {"level", "handlers", "disabled", "propagate", "filters", "isEnabledFor", "getEffectiveLevel", "hasHandlers"}
)


@dataclass(frozen=True)
class ChangedState:
    """What is set in the main process only, and the worker that depends on it."""

    depends: str  # on what, in words, and what a spawned worker has
    advice: str
    changed: Changed
    shown: bool = False  # the worker does the same but for where it is written, or it never had it
    stops: bool = False  # the worker stops without it


def process_state(search: Search) -> Iterator[ChangedState]:
    """One per state and script, at the first place where a worker depends on it."""
    readers: dict[State, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        for state, place in _reads(worker):
            sent = inherits(search, worker, state.seeded)
            if sent is not None:
                readers.setdefault(state, []).append((place, sent))
    for state, places in readers.items():
        near = {path for _, worker in places for _, hop in worker.sent.values() for path in _near(search, hop.path)}
        changes = list(_changes(search, state, near))
        if state.stops and any(_is_by_import(change) for change in changes):
            continue  # workers have it too
        if changes and state.name == SEED:
            places = [each for each in places if not weights_are_loaded(search, each[1])]
            if not places:
                continue
        stays = state.seeded or state.linked or state.lasting
        changes = [change for change in changes if stays or not _is_set_back(change, state)]
        groups = [(changes, places)] if not state.shown else _by_logger(changes, places)
        for change, changed in (each for group in groups for each in made_before(search, *group)):
            depends = f"{state.what}, which {place_of(change)} sets in the main process only"
            advice = state.advice or f"set {state.what} in the worker too: {WHERE}"
            depends = f"{depends}: a spawned worker {state.default}"
            never = changed.sent.what.startswith(_SPAWN)
            if never:  # nothing changes there
                changed = replace(changed, confidence=Confidence.POSSIBLE)
            yield ChangedState(depends, advice, changed, state.shown or never, _stops(state, changed))


def _stops(state: State, changed: Changed) -> bool:
    """What it reads raises in the worker, which asks nothing before, and handles no error."""
    outline, read, function = changed.worker.outline, changed.read, changed.worker.function
    around = takewhile(lambda above: above is not function, outline.ancestors(read))
    asks = any(isinstance(above, (ast.If, ast.IfExp, ast.BoolOp, ast.Try)) for above in around) or any(
        isinstance(node, ast.Attribute) and node.attr in ("is_initialized", "is_available") for node in walk(function)
    )
    name = imported_name(outline, read.func if isinstance(read, ast.Call) else read)
    below = name not in state.besides
    return not asks and any(
        name == each or (below and each.endswith(".") and name.startswith(each)) for each in state.stops
    )


def _is_by_import(change: Place) -> bool:
    outline, node = change.outline, change.node
    return isinstance(outline.scope(node), ast.Module) and not _is_guarded(outline, node)


def _by_logger(
    changes: list[Place], places: list[tuple[Place, Worker]]
) -> list[tuple[list[Place], list[tuple[Place, Worker]]]]:
    """The places by what changes where their messages go."""
    groups: dict[tuple[Place, ...], list[tuple[Place, Worker]]] = {}
    for place, worker in places:
        serving = (each for each in changes if may_serve(each[:2], place[:2]))
        groups.setdefault(tuple(serving), []).append((place, worker))
    return [([*serving], here) for serving, here in groups.items()]


def _near(search: Search, path: str) -> Iterator[str]:
    """What starts workers, who imports that, and what these import.

    Nothing but that ties such a state to a worker, and in a large repository nearly every script leads to each file.
    """
    for user in (path, *search.importers.users(path)):
        yield user
        yield from search.importers.imported(user)


def _is_set_back(change: Place, state: State) -> bool:
    """The same function sets it in two ways: to a value, and back."""
    outline, scope = change.outline, change.outline.scope(change.node)
    if isinstance(change.node, ast.Attribute) and isinstance(scope, FUNCTIONS):
        same = [node for node in outline.attributes.get(change.node.attr, ()) if outline.scope(node) is scope]
        own = ast.unparse(change.node)
        stores = [node for node in same if not isinstance(node.ctx, ast.Load) and ast.unparse(node) == own]
        return any(_is_from_before(outline, outline.statement(node), own) for node in stores)
    if not isinstance(change.node, ast.Call) or not isinstance(scope, FUNCTIONS):
        return False
    calls = outline.calls_of(last_name(change.node.func))
    others = [
        call for call in calls if outline.scope(call) is scope and qualified_name(outline, call.func) in state.sets
    ]
    return len({ast.unparse(call) for call in others}) > 1


def _is_from_before(outline: Outline, statement: ast.AST, own: str) -> bool:
    """`sys.stdout = before`, where `before = sys.stdout` stands above; or `= sys.__stdout__`."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Name):
        kept = outline.only_value(value)
        return kept is not None and ast.unparse(kept) == own
    return isinstance(value, ast.Attribute) and value.attr == f"__{own.rpartition('.')[2]}__"


def inherits(search: Search, worker: Worker, seeded: bool = False) -> Worker | None:
    """The worker, with those ways by which it comes to have the state of its parent today; None without one.

    `seeded`: torch's DataLoader gives its workers this state in another way; and who seeds the main process means the
    ranks that `mp.spawn` starts, which never have that.
    """
    calls = {at: way for at, way in worker.calls.items() if _forks(search, at[0], way[1], seeded)}
    return worker.by(calls) if calls else None


def _forks(search: Search, path: str, hop: Hop, seeded: bool) -> bool:
    if hop.what.startswith(_SPAWN):
        return seeded
    if seeded and _LOADER in hop.what:
        return False
    return not any(names_spawn(search.starts.project, each) for each in sorted({path, hop.path}))


def place_of(change: Place) -> str:
    return f"line {getattr(change.node, 'lineno', 1)} of {change.outline.path}"


def told(changed: Changed, change: Place, done: str = "is set here, in the main process only") -> Changed:
    """With words for the trace that name what sets it, not what reads it."""
    assert isinstance(change.node, ast.expr)
    text = ast.unparse(change.node)
    what = f"`{text if len(text) <= _LONGEST else f'{text[:_LONGEST]}...'}` {done}"
    return replace(changed, change=Hop(change.outline.path, change.node.lineno, what))


def made_before(
    search: Search, changes: list[Place], places: list[tuple[Place, Worker]]
) -> Iterator[tuple[Place, Changed]]:
    """The changes that a worker lacks where it reads: made before it is started, in the main process only."""
    places.sort(key=nearest)
    for change, changed in search.changed(places[0][0].outline, changes, places) if changes else ():
        if is_set_before(search, change, changed.sent):
            yield change, told(changed, change)


# what workers depend on


def _reads(worker: Worker) -> Iterator[tuple[State, Place]]:
    """The states on which the code of the function depends, at the first place for each."""
    outline, function = worker.outline, worker.function
    seen: set[tuple[State, str]] = set()
    nodes = worker.nodes
    texts: set[str] | None = None
    for node in nodes:
        for mark, place in _marks(outline, node, function.name):
            for state in read_by(mark):
                if not _may_depend(state, outline, node):
                    continue
                if not state.linked:
                    keys = {""}
                else:
                    texts = texts if texts is not None else _said(nodes)
                    keys = texts
                for key in keys:
                    if (state, key) not in seen:
                        seen.add((state, key))
                        yield state, Place(outline, place, key)


def _said(nodes: list[ast.AST]) -> set[str]:
    """The constants, and the attributes of modules, that code mentions."""
    found = {ast.unparse(node) for node in nodes if isinstance(node, (ast.Constant, ast.Attribute))}
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {repr(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(repr(node.module or ""))
    return found


def _marks(outline: Outline, node: ast.AST, own: str) -> Iterator[tuple[str, ast.expr]]:
    """What the table may say of a node."""
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        if not isinstance(outline.parents[node], ast.Attribute) and (name := imported_name(outline, node)):
            yield name, node
        if isinstance(node, ast.Attribute) and node.attr in _OF_LOGGERS and is_logger(outline, node.value):
            yield f"logger.{node.attr}", node
    elif isinstance(node, ast.ExceptHandler) and node.type is not None:
        for each in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
            yield f"except {last_name(each)}", each
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        name = getattr(node, "module", None) or node.names[0].name
        yield "import", ast.copy_location(ast.Name(name, ast.Load()), node)
    elif isinstance(node, ast.Call):
        yield from _of_call(outline, node, own)
    if isinstance(node, ast.FormattedValue):
        yield from texts_of_libraries(outline, [node.value])


def _of_call(outline: Outline, call: ast.Call, own: str) -> Iterator[tuple[str, ast.expr]]:
    func = call.func
    if isinstance(func, ast.Attribute):
        yield f".{func.attr}", func
        if func.attr == own and outline.is_self(func.value):
            yield "recursion", func
        if func.attr in LOG_METHODS and is_logger(outline, func.value):
            yield _LOGS.get(func.attr, "a log"), func
        if func.attr == "format" and isinstance(func.value, ast.Constant):
            yield from texts_of_libraries(outline, call.args)
    elif isinstance(func, ast.Name) and not outline.lookup(func, func.id)[1]:
        yield from texts_of_libraries(outline, call.args) if func.id in _TEXTS else ()
        to = next((keyword.value for keyword in call.keywords if keyword.arg == "file"), None)
        if func.id != "print" or to is None or qualified_name(outline, to) == "sys.stdout":
            yield func.id, func
    elif isinstance(func, ast.Name) and func.id == own:
        yield "recursion", func


def is_logger(outline: Outline, value: ast.expr) -> bool:
    """`logging`, or what `logging.getLogger` gives, also where `self` keeps it."""
    if qualified_name(outline, value) == "logging":
        return True
    if isinstance(value, ast.Name):
        made = outline.only_value(value)
        return isinstance(made, ast.Call) and not _is_guarded(outline, made) and is_logger(outline, made)
    if isinstance(value, ast.Attribute) and outline.is_self(value.value):
        owner = outline.owner(value)
        stored = [each for each in outline.attributes.get(value.attr, ()) if isinstance(each.ctx, ast.Store)]
        sets = [outline.statement(each) for each in stored if outline.owner(each) is owner]
        return bool(sets) and all(isinstance(each, ast.Assign) and is_logger(outline, each.value) for each in sets)
    return isinstance(value, ast.Call) and qualified_name(outline, value.func) in _LOGGERS


def _is_guarded(outline: Outline, node: ast.AST) -> bool:
    """It stands under a main guard: workers lack it altogether."""
    return isinstance(outline.scope(node), ast.Module) and any(map(is_main_process_block, outline.ancestors(node)))


def _may_depend(state: State, outline: Outline, node: ast.AST) -> bool:
    """The call does not say itself what the state would say for it."""
    call = outline.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return not state.keyword  # a class that is tested for, an annotation
    if state.keyword and any(keyword.arg in (state.keyword, None) for keyword in call.keywords):
        return False
    if state.name == "torch_dtype" and last_name(call.func) in ("tensor", "full"):
        parts = [part for given in call.args for part in walk(given)]
        return any(
            isinstance(getattr(part, "value", None), float)
            or isinstance(part, ast.Div)
            or (isinstance(part, ast.Call) and ast.unparse(part.func) == "float")
            for part in parts
        )
    return True


# what sets it


def _changes(search: Search, state: State, near: Set[str]) -> Iterator[Place]:
    """Where code in a function, or under a main guard, sets it, in the files `near`."""
    words = {name.removesuffix("()").rpartition(".")[2] for name in state.sets}
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(words))})\b\s*[(.=\[\])]")
    for path in search.starts.project.paths_matching(pattern, words=tuple(sorted(words)), among=near):
        outline = search.repo.outline(path)
        for node in outline.nodes if outline is not None else ():
            assert outline is not None
            if node.__class__ in _SETTING and (found := _set_by(outline, node, state)) is not None:
                yield Place(outline, node, found)


def _set_by(outline: Outline, node: ast.AST, state: State) -> str | None:
    """What the setting names, "" where that does not matter; None where the node does not set the state."""
    if isinstance(node, ast.Call):
        name = imported_name(outline, node.func) or qualified_name(outline, node.func)
        first = node.args[0] if node.args else None
        if isinstance(node.func, ast.Attribute) and f".{node.func.attr}" in state.sets:
            return "" if not state.shown or (first is not None and _leads_out(outline, first)) else None
        if name not in state.sets or len([*node.args, *node.keywords]) < state.arguments:
            return None
        if state.with_one and not any(keyword.arg in state.with_one for keyword in node.keywords):
            return None
        if state.silent:
            level = next((ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "level"), "")
            if level.rpartition(".")[2].strip("\"'") in state.silent:
                return None
        said = {*_said_first(outline, first)}
        if (state.values and said.isdisjoint(state.values)) or said.issubset(state.but):
            return None
        return (ast.unparse(first) if first is not None else None) if state.linked else ""
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.ctx, ast.Store):
        return None
    if _stored(outline, node) not in state.sets or _gives_back(outline, node):
        return None
    return ast.unparse(node.slice) if state.linked and isinstance(node, ast.Subscript) else ""


def _said_first(outline: Outline, first: ast.expr | None) -> Iterator[str]:
    """What the first argument of a call may be: one of two for `"error" if strict else "ignore"`."""
    made = outline.only_value(first) if isinstance(first, ast.Name) else None
    todo = [made if isinstance(made, (ast.IfExp, ast.Constant)) else first]
    while todo:
        each = todo.pop()
        if isinstance(each, ast.IfExp):
            todo += [each.orelse, each.body]
            continue
        said = ast.unparse(each) if each is not None else ""
        yield qualified_name(outline, each) or said if isinstance(each, ast.Attribute) else said


def _leads_out(outline: Outline, handler: ast.expr) -> bool:
    """A handler of a log that writes to a file, or to `sys.stdout`."""
    made = outline.only_value(handler) if isinstance(handler, ast.Name) else handler
    if not isinstance(made, ast.Call) or not qualified_name(outline, made.func).startswith("logging."):
        return False
    to = [ast.unparse(each) for each in (*made.args, *(keyword.value for keyword in made.keywords))]
    return last_name(made.func) != "StreamHandler" or "sys.stdout" in to


def _gives_back(outline: Outline, node: ast.expr) -> bool:
    """`sys.stdout = sys.__stdout__`, or a variable that kept what was there."""
    statement = outline.statement(node)
    value = statement.value if isinstance(statement, ast.Assign) else None
    if value is None or not any(qualified_name(outline, node) == f"sys.{name}" for name in _TO_STREAMS):
        return False
    if qualified_name(outline, value) in (f"sys.__{name}__" for name in _TO_STREAMS):
        return True
    bound = outline.lookup(value, value.id)[1] if isinstance(value, ast.Name) else []
    return any(each.value is not None and qualified_name(outline, each.value).startswith("sys.") for each in bound)


def _stored(outline: Outline, target: ast.expr) -> str:
    """The name that is assigned to, or that the object has whose part is: `decimal.getcontext()` of `.prec`."""
    at: ast.expr = target
    while isinstance(at, ast.Subscript):
        at = at.value
    owner = at.value if isinstance(at, ast.Attribute) else None
    owner = outline.only_value(owner) if isinstance(owner, ast.Name) else owner
    if isinstance(owner, ast.Call):
        return f"{qualified_name(outline, owner.func)}()"
    name = qualified_name(outline, at)
    options = name.startswith(("pandas.options.", "jax.config."))
    return ".".join(name.split(".")[:2]) if options else name
