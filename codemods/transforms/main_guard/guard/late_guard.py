"""Main guards that begin too late: what stands above them starts nothing, but every worker runs it again."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass

from ....finding import Confidence
from ....nodes import walk
from ....project import Project
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....tree.source import Source
from ..data import names
from ..set_by_functions import set_by_functions
from ..side_effects import Harm, Repeated, asks_for_exit, repeated, shows_itself
from ..starts.process_starts import Start, Starts
from ..statements import changed, is_guard, is_plain_guard, names_bound, reads_on_import, stays
from ..worker_reads import WorkerReads
from .split import needed_by_workers, sets_up_the_log_of_workers

_PRINTS = Repeated("prints", Harm.COSTLY)


@dataclass(frozen=True)
class LateGuard:
    """Statements above the guard that no worker should repeat, by index, and what starts the workers.

    `outside`: those that workers need for what they read.
    """

    repeats: dict[int, Repeated]
    start: Start
    confidence: Confidence
    outside: frozenset[int]

    @property
    def shown(self) -> int:
        """The first of them that does more than print, where there is one: a line more for each worker is no fault."""
        return min((at for at, what in self.repeats.items() if what is not _PRINTS), default=min(self.repeats))


def late_guard(starts: Starts, outline: Outline, source: Source, reads: WorkerReads) -> LateGuard | None:
    """What the only guard of the script leaves out; None where it starts no processes, or leaves out nothing."""
    body = outline.module.body
    guards = [at for at, statement in enumerate(body) if is_plain_guard(statement)]
    guards = guards or [at for at, statement in enumerate(body) if _asks_for_process(statement)]
    if len(guards) != 1:
        return None
    repeats = {
        at: what
        for at, statement in enumerate(body[: guards[0]])
        if not stays(statement) and not _tells_apart(statement)
        if (what := _again(starts, outline, statement)) is not None
    }
    repeats = {at: what for at, what in repeats.items() if what.harm is not Harm.LITTLE and what.surely}
    outside = _prepares_workers(starts.project, outline, source, guards[0]) if repeats else frozenset()
    repeats = {
        at: what
        for at, what in repeats.items()
        if at not in outside
        and not sets_up_the_log_of_workers(starts.project, outline, source, at)
        and not _reads_table_for_functions(outline, body[at])
    }
    for_headers = _needed_by_definitions(body, guards[0]) if repeats else frozenset()
    if any(at not in for_headers for at in repeats) and not any(
        at in for_headers and what.harm is Harm.WRONG for at, what in repeats.items()
    ):
        repeats = {at: what for at, what in repeats.items() if at not in for_headers}
        outside |= for_headers
    guard = body[guards[0]]
    start = starts.in_block(outline, guard.body) if repeats and isinstance(guard, ast.If) else None
    if start is None:
        return None
    outside |= _sets_up_workers(starts, outline, min(repeats), reads)
    only_prints = all(what is _PRINTS for what in repeats.values())  # a line more for each worker is no fault
    most = Confidence.POSSIBLE if only_prints else Confidence.LIKELY
    sure = start.confidence if start.confidence.rank < most.rank else most
    return LateGuard(repeats, start, sure, outside)


def _asks_for_process(statement: ast.stmt) -> bool:
    """A guard by another question alone: `if current_process().name == "MainProcess":`."""
    return is_guard(statement) and not isinstance(getattr(statement, "test", None), ast.BoolOp)


def _tells_apart(statement: ast.stmt) -> bool:
    """It asks for `__name__` itself, so it is meant for the workers, too."""
    compared = (node.left for node in walk(statement) if isinstance(node, ast.Compare))
    return any(isinstance(left, ast.Name) and left.id == "__name__" for left in compared)


def _again(starts: Starts, outline: Outline, statement: ast.stmt) -> Repeated | None:
    """What each worker would do once more; a `print` is seen once more, too."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    prints = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and shows_itself(outline, call)
    found = asks_for_exit(starts, outline, statement) or repeated(starts, outline, statement)
    return found or (_PRINTS if prints else None)


def _reads_table_for_functions(outline: Outline, statement: ast.stmt) -> bool:
    """`colors = loadmat("colors.mat")["colors"]` that functions of the file read: they need it where it is imported.

    One read of a file with a name of its own costs a worker little; under the guard, the functions would lack it.
    """
    files: dict[str, ast.expr] = {}
    if isinstance(statement, ast.With) and len(statement.body) == 1:
        for item in statement.items:
            if isinstance(item.optional_vars, ast.Name):
                files[item.optional_vars.id] = item.context_expr
        statement = statement.body[0]
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    while isinstance(value, (ast.Subscript, ast.Attribute)):
        value = value.value
    if not isinstance(value, ast.Call) or qualified_name(outline, value.func) not in names("tables"):
        return False
    given: ast.expr | None = value.args[0] if value.args else None
    given = files.get(given.id) if isinstance(given, ast.Name) else given
    if isinstance(given, ast.Call) and qualified_name(outline, given.func) in ("open", "io.open") and given.args:
        given = given.args[0]
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return False
    bound = set(names_bound(statement))
    reads = (node for node in outline.of_kind(ast.Name) if node.id in bound)
    return any(not isinstance(outline.scope(node), ast.Module) for node in reads)


def _prepares_workers(project: Project, outline: Outline, source: Source, end: int) -> frozenset[int]:
    """Statements before the one at `end` that set what workers read, or what that is computed from: a model of each."""
    body = outline.module.body
    made = [statement for statement in body if stays(statement) and not is_guard(statement)]
    defined = {name for statement in made for name in names_bound(statement)}
    return _with_what_they_need(body, end, needed_by_workers(project, outline, source).keys() - defined, defined)


def _needed_by_definitions(body: list[ast.stmt], end: int) -> frozenset[int]:
    """Statements before the one at `end` that set what a default, decorator, base or class body reads."""
    made = [statement for statement in body[:end] if isinstance(statement, (*FUNCTIONS, ast.ClassDef))]
    defined = {name for item in body if stays(item) and not is_guard(item) for name in names_bound(item)}
    read = {name for statement in made for name in reads_on_import(statement)}
    return _with_what_they_need(body, end, read - defined, defined)


def _sets_up_workers(starts: Starts, outline: Outline, end: int, reads: WorkerReads) -> frozenset[int]:
    """Statements before the one at `end` that change what workers read in other modules, or set by functions what
    libraries keep for the process, and what they need.

    `args = parse_args()`, where that also fills the configuration of a module: under the guard, workers would go on
    with the values that the module has by itself. `end` is the first that no worker should repeat: what stands below
    may need what that does.
    """
    body = outline.module.body
    found = frozenset(
        at
        for at in range(end)
        if not stays(body[at])
        and (reads.may_be_lost([body[at]]) or any(set_by_functions(starts.callees, outline, body[at])))
    )
    needed = {node.id for at in found for node in walk(body[at]) if isinstance(node, ast.Name)}
    defined = {name for item in body if stays(item) and not is_guard(item) for name in names_bound(item)}
    return found | _with_what_they_need(body, max(found, default=0), needed - defined, defined)


def _with_what_they_need(body: list[ast.stmt], end: int, names_read: Set[str], defined: Set[str]) -> frozenset[int]:
    """Statements before the one at `end` that set what is read, or what that is computed from."""
    needed, found = set(names_read), set[int]()
    for at in range(end - 1, -1, -1):
        if not stays(body[at]) and needed & {*names_bound(body[at]), *changed(body[at])}:
            needed |= {node.id for node in walk(body[at]) if isinstance(node, ast.Name)} - defined
            found.add(at)
    return frozenset(found)
