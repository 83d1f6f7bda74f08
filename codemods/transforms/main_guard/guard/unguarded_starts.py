"""Scripts that start processes outside of the main guard, and what stands above it that workers run again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....finding import Answer, Confidence, Finding, Fix, Hop, Refused
from ....flow.answers.crossings import flow_of
from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....nodes import end_line, walk
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.main_guard import is_main_name_test, is_main_process_block
from ....syntax.names import root_of_place
from ....syntax.outline import Outline
from ....tree.source import Source
from ..changed_inputs import ChangedInputs
from ..data import names as table
from ..importers import Importers
from ..main_module import reads_main
from ..needed_by_workers import NeededByWorkers
from ..own_nodes import own_nodes
from ..read_by_workers import may_be_read
from ..run_again import RunAgain
from ..screen import ID
from ..set_by_functions import set_by_functions
from ..settings import attributes_of_libraries, root_of, settings_for_workers
from ..side_effects import Repeated, at_exit, only_prints, repeated, shows
from ..starts.flags import under_flags
from ..starts.process_starts import SET_METHOD, SETS, Start, Starts
from ..state.changed_settings import Search
from ..statements import changed, is_guard, is_print, names_bound
from ..worker_reads import WorkerReads
from .cells import cell_marks
from .defined_again import shown_again
from .edits import guard_edits
from .late_guard import late_guard
from .one_guard import Run
from .printed_again import print_edits, printed_by_imports, prints_of
from .split import repeats_in_words, split
from .with_values import MOST, handed_over

_PLAIN = (
    ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.JoinedStr, ast.UnaryOp, ast.BinOp, ast.Compare,
    ast.DictComp, ast.ListComp, ast.SetComp,
)  # fmt: skip
CHILD_FAILS = "a spawned child runs this again and fails"  # in messages: no run of the script gets further


def unguarded_starts(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    """The statement that starts them, or that stands above the guard though a worker must not run it again."""
    starts, body = search.starts, outline.module.body
    if not any(_runs(statement) for statement in body):
        return
    alone = [
        at
        for at, statement in enumerate(body if SETS in source.text else ())
        if _runs(statement) and _sets_method(starts, outline, statement)
    ]
    begins = any(isinstance(node, ast.Attribute) and node.attr == "start" for node in outline.own(outline.module))
    dead = under_flags(outline, search.importers.of(outline.path) is not None)
    found = [
        (at, start)
        for at, statement in enumerate(body)
        if _runs(statement) and (start := starts.in_block(outline, [statement], begins=begins, dead=dead)) is not None
        if len(start.hops) < 2 or not flow_of(starts.project).never_runs(tuple((h.path, h.line) for h in start.hops))
    ]
    if alone and not found and not _starts_anywhere(starts, outline):
        alone = []
    if not found and not alone:
        yield from _late(search, outline, source)
        return
    first = found[0][0] if found else None
    if first is None or (alone and alone[0] < first):
        start = _method_start(outline, body[alone[0]])
    else:
        start = max((start for _, start in found), key=lambda each: each.rank)
    confidence = start.confidence
    after_error = any(isinstance(above, ast.ExceptHandler) for above in outline.ancestors(start.node))
    if after_error or is_test(outline.path, facts_lookup(starts.project)):
        confidence = Confidence.POSSIBLE
    if first is not None and _means_others_too(body[first]):
        confidence = Confidence.POSSIBLE
    if not outline.definitions and search.importers.only_later(outline.path):
        confidence = Confidence.POSSIBLE  # what it sends is defined elsewhere, and workers import neither
    repeats = {
        at: what
        for at, statement in enumerate(body[: first or 0])
        if _runs(statement) and (what := repeated(starts, outline, statement)) is not None
    }
    end = len(body) if first is None else first  # what a child would run again, once the rest is guarded
    imports = max((at for at in range(end) if isinstance(body[at], (ast.Import, ast.ImportFrom))), default=0)
    # a line that is printed among the imports is no reason to guard them, or to have a guard of its own
    prints = [at for at in range(end) if _prints(starts, outline, body[at]) and _alone(body, at)]
    prints = [at for at in prints if at > imports or not is_print(body[at])]
    answer = _wrapped(search, outline, source, first, alone, repeats, prints)
    message = f"Starts processes outside of the main guard: {CHILD_FAILS}"
    yield Finding.answered(ID, outline.path, source.span_of(start.node), message, confidence, start.hops, answer)


def _late(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    starts = search.starts
    late = late_guard(starts, outline, source, _reads(search, outline))
    if late is None:
        return
    answer = _wrapped(search, outline, source, min(late.repeats), [], late.repeats, [], late.outside)
    at = late.shown
    here = Hop(outline.path, outline.module.body[at].lineno, f"every spawned worker {late.repeats[at].what}")
    message = f"Stands above the main guard, so every spawned worker runs it again: it {late.repeats[at].what}"
    confidence = Confidence.POSSIBLE if is_test(outline.path, facts_lookup(starts.project)) else late.confidence
    span = source.span_of(outline.module.body[at])
    yield Finding.answered(ID, outline.path, span, message, confidence, (here, *late.start.hops), answer)


def _reads(search: Search, outline: Outline) -> WorkerReads:
    return WorkerReads(search.starts, outline, lambda: search.run_by(outline.path))


def _wrapped(
    search: Search,
    outline: Outline,
    source: Source,
    first: int | None,
    alone: list[int],
    repeats: dict[int, Repeated],
    prints: list[int],
    outside: frozenset[int] | None = None,
    handed: frozenset[str] = frozenset(),
) -> Answer:
    """`outside`: workers start as it is, and have what the statements set; these here they need.

    `handed`: globals that workers read and go under the guard, which have to be handed over.
    """
    starts, importers = search.starts, search.importers
    importer = importers.of(outline.path)
    names = importers.names(outline.path)
    if (reader := reads_main(starts.project, importers, outline.path)) is not None:
        return Refused(
            f"{reader} reads a variable of the main module, which a spawned child has only after it has run this file: "
            "pass it as an argument"
        )
    if importer is not None and not names:
        return Refused(
            f"{importer} imports this file, so it may rely on what runs here: move this code into a function, and "
            'call that in each script that needs it, under its own `if __name__ == "__main__":`'
        )
    try:
        early = [at for at in alone if first is None or at < first]
        reads = _reads(search, outline)
        repeated_values, inputs = RunAgain(starts, outline, reads), ChangedInputs(starts, outline, reads)

        below = _below_all_starts(starts, outline)
        late = {outline.module.body[at] for at in below}

        def check(runs: list[Run], is_last: bool) -> None:
            moved = _moved(outline, runs)
            seen = [each for each in moved if each not in late]
            if (lost := reads.lost(seen, handed)) is not None:
                raise lost
            if (defined := reads.early(_below_start(starts, outline, moved))) is not None:
                raise Refused(defined)
            if (another := repeated_values.why_not(moved)) is not None:
                raise another
            if (read := inputs.why_not(moved)) is not None:
                raise Refused(read)
            if not is_last and _lost(starts, importers, outline, runs, False) is not None:
                raise Refused("a worker may need what it sets")

        runs, unsafe, printed = split(
            importers.project, outline, source, first, early, names or {}, repeats, prints, outside, check,
            below, handed,
        )  # fmt: skip
        again = prints_of(starts, outline, [outline.module.body[at] for at in printed])
        cells = cell_marks(starts.project, outline, source)
        edits = guard_edits(outline, source, runs, cells) + print_edits(outline, source, again or ())
    except Refused as refusal:
        name = refusal.name if isinstance(refusal, NeededByWorkers) and importer is None and outside is None else ""
        if name and name not in handed and len(handed) < MOST:
            again_with = handed | {name}
            answer = _wrapped(search, outline, source, first, alone, repeats, prints, outside, again_with)
            if isinstance(answer, Fix):
                return answer
        return refusal.alone()
    if again is None and unsafe is None:
        unsafe = repeats_in_words(outline.module.body[min(printed)].lineno, "prints or logs")
    if unsafe is None and outside is None and (made := shown_again(starts, outline, _moved(outline, runs))) is not None:
        unsafe = f"what line {made.lineno} defines prints or logs as it is defined, and would again in every child"
    lost = _lost(starts, importers, outline, runs, outside is not None) if unsafe is None else None
    if lost is not None:
        text = ast.unparse(lost)[:60]
        unsafe = f"line {lost.lineno}: `{text}` may set something for workers too, and would not run there any more"
    if unsafe is None:
        seen = reads.may_be_lost([each for each in _moved(outline, runs) if each not in late], handed)
        unsafe = seen.reason if seen is not None else None
    if unsafe is None and (hook := at_exit(outline, _moved(outline, runs))) is not None:
        unsafe = (
            f"`{hook.name}` (line {hook.lineno}) is called at the end of the process, and a spawned child would call "
            "it too: it should go under the guard as well"
        )
    if unsafe is None and outside is None and (loud := printed_by_imports(starts, importers, outline)) is not None:
        unsafe = (
            f"line {loud[1]} of {loud[0]} prints when it is imported, and every spawned worker would import it again"
        )
    if importer is not None:
        line = outline.module.body[runs[0].first].lineno
        unsafe = f"{importer} imports this file, and what follows from line {line} on would not run for it any more"
    if handed:
        fix = handed_over(starts.project.settings, source, edits, handed) if unsafe is None else None
        return fix or Refused("what goes under the guard can't be handed to the workers")
    return Fix('Put what starts processes under `if __name__ == "__main__":`', edits, unsafe=unsafe)


def _below_all_starts(starts: Starts, outline: Outline) -> list[int]:
    """The statements below the last that starts processes, or uses what such a statement binds: a pool, a loader.

    Of these only such as change plain tables and variables: what processes share, workers see.
    """
    body, below, found = outline.module.body, 0, False
    bound: set[str] = set()
    for at, statement in enumerate(body):
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)) or is_main_process_block(statement):
            below = at + 1
            continue
        nodes = list(walk(statement))
        if starts.in_block(outline, [statement], begins=True) is not None or any(map(_is_start, nodes)):
            bound |= set(names_bound(statement))
            below, found = at + 1, True
        elif any(isinstance(node, ast.Name) and node.id in bound for node in nodes) or _hands_on(outline, nodes):
            below = at + 1
    return [at for at in range(below, len(body)) if found and _changes_plain(starts, outline, body[at])]


def _hands_on(outline: Outline, nodes: Iterable[ast.AST]) -> bool:
    """A function or class of the file is used but not called: who gets it may run it in a process."""
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in outline.definitions
        and getattr(outline.parents[node], "func", None) is not node
        for node in nodes
    )


def _changes_plain(starts: Starts, outline: Outline, statement: ast.stmt) -> bool:
    """It sets or changes what is a literal of the module, or draws from a generator of it, and calls nothing of the
    repository."""
    calls = [node for node in walk(statement) if isinstance(node, ast.Call)]
    drawn = {root.id for call in calls if (root := root_of_place(call.func)) is not None}
    drawn = {name for name in drawn if _makes_generator(starts, outline, name)}
    bindings = [
        binding
        for name in {*names_bound(statement), *changed(statement)} - drawn
        for binding in outline.bindings(outline.module, name)
    ]
    return (
        bool(bindings or drawn)
        and all(isinstance(each.value, _PLAIN) for each in bindings)
        and not any(starts.callees.called(outline, call) for call in calls)
    )


def _makes_generator(starts: Starts, outline: Outline, name: str) -> bool:
    """The variable of the module is a generator of random numbers, of which each process has one of its own."""
    values = [binding.value for binding in outline.bindings(outline.module, name)]
    calls = [value for value in values if isinstance(value, ast.Call)]
    return (
        bool(calls)
        and len(calls) == len(values)
        and all(starts.name(outline, call.func) in table("generators") for call in calls)
    )


def _prints(starts: Starts, outline: Outline, statement: ast.stmt) -> bool:
    """Every child would print it once more."""
    if is_guard(statement):
        return False
    if isinstance(statement, ast.Try) and any(_sets_method(starts, outline, inner) for inner in statement.body):
        handlers = [inner for handler in statement.handlers for inner in handler.body]
        return any(shows(starts, outline, inner) for inner in handlers)  # a child has a method, so it comes there
    if only_prints(starts, outline, statement):
        return True
    if isinstance(statement, ast.If):  # what it chooses for the functions of the file is its purpose
        bound = set(names_bound(statement))
        reads = (node for node in outline.of_kind(ast.Name) if node.id in bound)
        if any(not isinstance(outline.scope(node), ast.Module) for node in reads):
            return False
    return _runs(statement) and shows(starts, outline, statement)


def _lost(starts: Starts, importers: Importers, outline: Outline, runs: Iterable[Run], had: bool) -> ast.expr | None:
    """What workers may need of the statements that go under a guard; `had`: so far they have all of it."""
    moved = _moved(outline, runs)
    if had:
        settings = (node for statement in moved for node in settings_for_workers(outline, statement))
        called = (node for statement in moved for node in set_by_functions(starts.callees, outline, statement))
        return next((node for node in settings if may_be_read(starts, importers, outline, node)), next(called, None))
    found = (node for statement in moved for node in attributes_of_libraries(outline, statement))
    foreign = starts.callees.resolver.is_foreign
    return next((node for node in found if (root := root_of(node)) is not None and foreign(outline, root)), None)


def _moved(outline: Outline, runs: Iterable[Run]) -> list[ast.stmt]:
    """The statements that go under a guard."""
    body = outline.module.body
    return [body[at] for run in runs for at in range(run.first, run.last + 1) if at not in run.above]


def _below_start(starts: Starts, outline: Outline, moved: list[ast.stmt]) -> list[Function | ast.ClassDef]:
    """The definitions below the first of the moved statements that starts processes."""
    started = next((at for at in moved if starts.in_block(outline, [at]) is not None), None)
    if started is None:  # it is made by one statement, and started by another one
        made = next((at for at in moved if starts.in_block(outline, [at], begins=True) is not None), None)
        after = moved[moved.index(made) + 1 :] if made is not None else []
        started = next((at for at in after if any(_is_start(node) for node in walk(at))), made)
    below = outline.module.body[outline.module.body.index(started) + 1 :] if started is not None else ()
    return [statement for statement in below if isinstance(statement, (*FUNCTIONS, ast.ClassDef))]


def _is_start(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "start"


def _runs(statement: ast.stmt) -> bool:
    """True for statements that do something when the module is run, besides defining."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    return not is_guard(statement) and any(isinstance(node, (ast.Call, ast.For)) for node in walk(statement))


def _means_others_too(statement: ast.stmt) -> bool:
    """`if __name__ == "__main__" or elastic:`: whoever wrote it thought of other processes, and let some of them in."""
    test = statement.test if isinstance(statement, ast.If) else None
    either = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
    return isinstance(test, ast.BoolOp) and either and any(map(is_main_name_test, test.values))


def _sets_method(starts: Starts, outline: Outline, statement: ast.stmt) -> bool:
    """`set_start_method(...)` that fails when it is called a second time: not forced, nor asked, nor caught."""
    if isinstance(statement, (ast.Try, ast.With)):
        return False
    for node in own_nodes([statement]):
        if isinstance(node, ast.If) and "start_method" in ast.unparse(node.test):
            return False
        if isinstance(node, ast.Try):
            return False
        if isinstance(node, ast.Call) and starts.name(outline, node.func) == SET_METHOD:
            forced = len(node.args) > 1 or any(keyword.arg == "force" for keyword in node.keywords)
            return not forced
    return False


def _starts_anywhere(starts: Starts, outline: Outline) -> bool:
    """Something in the file starts processes: under the guard, or in a function."""
    guarded = filter(is_main_process_block, outline.module.body)
    inner = [node for item in guarded for node in item.body]
    blocks = [inner, *(function.body for function in outline.of_kind(ast.FunctionDef))]
    blocks += [function.body for function in outline.of_kind(ast.AsyncFunctionDef)]
    return any(starts.in_block(outline, block) is not None for block in blocks)


def _alone(body: list[ast.stmt], at: int) -> bool:
    """Its lines hold nothing else."""
    above = end_line(body[at - 1]) if at else 0
    return above < body[at].lineno and all(end_line(body[at]) < statement.lineno for statement in body[at + 1 : at + 2])


def _method_start(outline: Outline, statement: ast.stmt) -> Start:
    hop = Hop(outline.path, statement.lineno, "the start method is set, which fails in a child that has one already")
    return Start(statement, Confidence.LIKELY, (hop,))
