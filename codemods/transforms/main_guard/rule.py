"""Finds scripts that start processes without a main guard. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from ...finding import Answer, Confidence, Finding, Fix, Hop, Refused
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...nodes import walk
from ...project import Project
from ...rule import Loss
from ...syntax.main_guard import is_main_process_block
from ...syntax.modules import Modules, modules_of
from ...syntax.outline import Outline, outline_of
from ...syntax.repo import Repo
from ...tree.source import Source
from .changed_inputs import ChangedInputs
from .exit_marks import marked_for_exit
from .guard.cells import cell_marks
from .guard.defined_again import shown_again
from .guard.edits import guard_edits
from .guard.guarded_values import GuardedValues
from .guard.handed_over import HandedOver
from .guard.hoist import Guarded, guarded_definitions, hoist_edits
from .guard.late_guard import late_guard
from .guard.missing_answers import answers_for
from .guard.missing_globals import missing_globals
from .guard.one_guard import Run
from .guard.printed_again import print_edits, printed_by_imports, prints_of
from .guard.split import repeats_in_words, split
from .importers import Importers
from .main_module import reads_main
from .own_nodes import own_nodes
from .read_by_workers import may_be_read
from .run_again import RunAgain
from .screen import ID
from .settings import attributes_of_libraries, root_of, settings_for_workers
from .side_effects import Repeated, at_exit, only_prints, repeated, shows
from .starts.flags import under_flags
from .starts.may_start import SPEAKS, STARTS, may_start, spoken
from .starts.process_starts import PROCESS, SET_METHOD, Start, Starts
from .state.calls_of_scripts import has_guard
from .state.changed_settings import Search
from .state.state_findings import lost_state, state_findings
from .statements import is_guard, names_bound
from .worker_reads import WorkerReads

_FORKS = re.compile(r"set_start_method\(\s*['\"]fork['\"]")
_BEGINS = re.compile(r"\bstart\s*\(")
_STOPS = "stops with NameError"
_SETS = SET_METHOD.rpartition(".")[2]  # in the text of a file that calls it by whatever name


def find(project: Project) -> Iterable[Finding]:
    """One finding per script for what must be guarded, one per definition under the guard that a worker needs."""
    repo, modules = Repo(project), Modules(project.python_paths)
    search = Search(Starts(project, repo, modules), repo, Importers(project, repo, modules))
    for path in paths(project):
        yield from _in_file(search, path, project.derive(_all_missing)) if path else state_findings(project)


def paths(project: Project) -> Iterable[str]:
    """The files that may start something, and "" for settings of modules.

    Where one file has a word without which no process starts.
    """
    if not project.with_key(spoken, STARTS):
        return ()
    starting = {*may_start(project), *project.with_key(spoken, SPEAKS)}
    return (*sorted(starting), "")


def find_in(project: Project, path: str) -> Iterable[Finding]:
    """What `find` gives for one file."""
    repo, modules = Repo(project), project.derive(modules_of)
    search = Search(Starts(project, repo, modules), repo, Importers(project, repo, modules))
    return _in_file(search, path) if path else state_findings(project)


def losses(project: Project) -> Iterable[Loss]:
    """What workers silently go on without."""
    if not project.with_key(spoken, STARTS):
        return
    for row in project.derive(lost_state):
        if not row.shown:
            yield Loss(row.sent[0], row.sent[1], row.message)
    for each in (each for found in project.derive(_all_missing).values() for each in found):
        # They go on without it; where a fix hands it over, they don't.
        if (each.fix is None or each.fix.unsafe is not None) and _STOPS not in each.message:
            yield Loss(each.trace[-1].path, each.trace[-1].line, each.message)
    for path, line, message in project.derive(_left_unguarded):
        yield Loss(path, line, message, "the program would go on without the worker, where it stops today")


def _left_unguarded(project: Project) -> tuple[tuple[str, int, str], ...]:
    """Lines that start a `Process` outside of the main guard, where no safe fix puts them under it.

    Each child imports the script, fails as it comes to that line, and nobody asks it how it ended.
    """
    repo, modules = Repo(project), project.derive(modules_of)
    search = Search(Starts(project, repo, modules), repo, Importers(project, repo, modules))
    found: list[tuple[str, int, str]] = []
    for path in project.with_key(spoken, STARTS):
        source, outline = project.source(path), repo.outline(path)
        if source is None or outline is None or not _BEGINS.search(source.text) or has_guard(outline):
            continue
        if _forks(search.starts, search.importers, outline, source):
            continue
        for each in _script(search, outline, source):
            if each.fix is None or each.fix.unsafe is not None:
                reason = each.reason if each.fix is None else each.fix.unsafe
                message = f"it imports the script, which starts it again outside of the main guard ({reason})"
                found += [(path, line, message) for line in _process_lines(search.starts, outline)]
    return tuple(found)


def _process_lines(starts: Starts, outline: Outline) -> list[int]:
    """Where the script makes a process."""
    calls = (node for node in outline.nodes if isinstance(node, ast.Call))
    return sorted({call.lineno for call in calls if starts.name(outline, call.func) == PROCESS})


def _all_missing(project: Project) -> dict[str, tuple[Finding, ...]]:
    """By file, globals that workers lack."""
    repo, modules = Repo(project), project.derive(modules_of)
    starts, importers = Starts(project, repo, modules), Importers(project, repo, modules)
    found: dict[str, tuple[Finding, ...]] = {}
    for path in project.with_key(spoken, STARTS):
        source, outline = project.source(path), repo.outline(path)
        if source is not None and outline is not None and not _forks(starts, importers, outline, source):
            found[path] = tuple(_missing(starts, importers, outline, source))
    return found


def _in_file(search: Search, path: str, missing: Mapping[str, tuple[Finding, ...]] | None = None) -> Iterator[Finding]:
    """What is found in a file; `missing`: see `_all_missing`, where that is known."""
    starts, importers = search.starts, search.importers
    source, outline = starts.project.source(path), outline_of(starts.project, path)
    if source is not None and outline is not None and not _forks(starts, importers, outline, source):
        if path.rpartition("/")[2] != "__main__.py":  # `python -m package`: multiprocessing does not run it again
            yield from _script(search, outline, source)
        if "atexit" in source.text:
            yield from marked_for_exit(starts, outline, source)
        if "__main__" in source.text or STARTS in spoken(starts.project, path):
            yield from _guarded(starts, importers, outline, source)
            known = (missing or {}).get(path)
            yield from _missing(starts, importers, outline, source) if known is None else known


def _script(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    starts, body = search.starts, outline.module.body
    if not any(_runs(statement) for statement in body):
        return
    alone = [
        at
        for at, statement in enumerate(body if _SETS in source.text else ())
        if _runs(statement) and _sets_method(starts, outline, statement)
    ]
    begins = any(isinstance(node, ast.Attribute) and node.attr == "start" for node in outline.own(outline.module))
    dead = under_flags(outline)
    found = [
        (at, start)
        for at, statement in enumerate(body)
        if _runs(statement) and (start := starts.in_block(outline, [statement], begins=begins, dead=dead)) is not None
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
    if not outline.definitions and search.importers.only_later(outline.path):
        confidence = Confidence.POSSIBLE  # what it sends is defined elsewhere, and workers import neither
    repeats = {
        at: what
        for at, statement in enumerate(body[: first or 0])
        if _runs(statement) and (what := repeated(starts, outline, statement)) is not None
    }
    end = len(body) if first is None else first  # what a child would run again, once the rest is guarded
    prints = [at for at in range(end) if _prints(starts, outline, body[at]) and _alone(body, at)]
    answer = _wrapped(search, outline, source, first, alone, repeats, prints)
    message = "Starts processes outside of the main guard: a spawned child runs this again and fails"
    yield Finding.answered(ID, outline.path, source.span_of(start.node), message, confidence, start.hops, answer)


def _late(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    starts = search.starts
    late = late_guard(starts, outline, source, _reads(search, outline))
    if late is None:
        return
    at = min(late.repeats)
    answer = _wrapped(search, outline, source, at, [], late.repeats, [], late.outside)
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
) -> Answer:
    """`outside`: workers start as it is, and have what the statements set; these here they need."""
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
            'call that under `if __name__ == "__main__":`'
        )
    try:
        early = [at for at in alone if first is None or at < first]
        reads = _reads(search, outline)
        repeated_values, inputs = RunAgain(starts, outline, reads), ChangedInputs(starts, outline, reads)

        def check(runs: list[Run], is_last: bool) -> None:
            moved = _moved(outline, runs)
            unseen = reads.lost(moved) or repeated_values.why_not(moved) or inputs.why_not(moved)
            if unseen is not None:
                raise Refused(unseen)
            if not is_last and _lost(starts, importers, outline, runs, False) is not None:
                raise Refused("a worker may need what it sets")

        runs, unsafe, printed = split(
            importers.project, outline, source, first, early, names or {}, repeats, prints, outside or (), check
        )
        again = prints_of(starts, outline, [outline.module.body[at] for at in printed])
        cells = cell_marks(starts.project, outline, source)
        edits = guard_edits(outline, source, runs, cells) + print_edits(outline, source, again or ())
    except Refused as refusal:
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
        unsafe = reads.may_be_lost(_moved(outline, runs))
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
    return Fix('Put what starts processes under `if __name__ == "__main__":`', edits, unsafe=unsafe)


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
        reads = (node for node in outline.nodes if isinstance(node, ast.Name) and node.id in bound)
        if any(not isinstance(outline.scope(node), ast.Module) for node in reads):
            return False
    return _runs(statement) and shows(starts, outline, statement)


def _lost(starts: Starts, importers: Importers, outline: Outline, runs: Iterable[Run], had: bool) -> ast.expr | None:
    """What workers may need of the statements that go under a guard; `had`: so far they have all of it."""
    moved = _moved(outline, runs)
    if had:
        settings = (node for statement in moved for node in settings_for_workers(outline, statement))
        return next((node for node in settings if may_be_read(starts, importers, outline, node)), None)
    found = (node for statement in moved for node in attributes_of_libraries(outline, statement))
    foreign = starts.callees.resolver.is_foreign
    return next((node for node in found if (root := root_of(node)) is not None and foreign(outline, root)), None)


def _moved(outline: Outline, runs: Iterable[Run]) -> list[ast.stmt]:
    """The statements that go under a guard."""
    body = outline.module.body
    return [body[at] for run in runs for at in range(run.first, run.last + 1) if at not in run.above]


def _guarded(starts: Starts, importers: Importers, outline: Outline, source: Source) -> Iterator[Finding]:
    found = list(guarded_definitions(starts, outline))
    imported = bool(found) and importers.of(outline.path) is not None
    answers: dict[int, Answer] = {}
    for item in found:
        if id(item.node) not in answers:
            answers |= _above_guard(
                starts, outline, source, [each for each in found if each.guard is item.guard], imported
            )
        answer = answers[id(item.node)]
        here = Hop(outline.path, item.node.lineno, f"`{item.node.name}` is defined under the guard")
        message = f"`{item.node.name}` is defined under the main guard, where a spawned worker doesn't find it"
        span, trace = source.span_of(item.node), (here, item.hop)
        yield Finding.answered(ID, outline.path, span, message, item.confidence, trace, answer)


def _missing(starts: Starts, importers: Importers, outline: Outline, source: Source) -> Iterator[Finding]:
    found = list(missing_globals(starts, outline))
    answers = answers_for(starts, outline, source, importers.of(outline.path) is not None, found) if found else {}
    for missing in found:
        confidence = Confidence.POSSIBLE if is_test(outline.path, facts_lookup(starts.project)) else missing.confidence
        name = missing.read.id
        if missing.instead is not None:
            lacks = f"a spawned worker gets what line {missing.instead} binds"
        else:
            stops = _STOPS if missing.guarded else "never gets it"
            lacks = f"a spawned worker {stops}"
        message = f"`{missing.reader}` runs in a worker and reads `{name}`, which is set {missing.where}: {lacks}"
        trace = (Hop(outline.path, missing.line, f"`{name}` is set {missing.where}"), missing.hop)
        span = source.span_of(missing.read)
        yield Finding.answered(ID, outline.path, span, message, confidence, trace, answers[name])


def _above_guard(
    starts: Starts, outline: Outline, source: Source, found: list[Guarded], imported: bool
) -> dict[int, Answer]:
    """How each definition of a guard gets above it: all together where that can be, else each by itself."""
    guard = found[0].guard
    values = GuardedValues(starts, outline, guard, imported)
    together = _hoisted(outline, source, found, values)
    if isinstance(together, Fix):
        return {id(item.node): together for item in found}
    answers = {id(item.node): _hoisted(outline, source, [item], values) for item in found}
    left = [item.node for item in found if isinstance(answers[id(item.node)], Refused)]
    handed = HandedOver(starts, outline, source, guard, imported).fix(left)
    if handed is not None:
        answers |= {id(node): handed[1] for node in handed[0]}
    return answers


def _hoisted(outline: Outline, source: Source, found: list[Guarded], values: GuardedValues) -> Answer:
    try:
        edits = hoist_edits(outline, source, found[0].guard, [item.node for item in found], values)
    except Refused as refusal:
        return refusal.alone()
    return Fix("Define above the main guard what workers need", edits)


def _forks(starts: Starts, importers: Importers, outline: Outline, source: Source) -> bool:
    """It sets fork for the process, or imports a package that does whenever it is imported."""
    if _FORKS.search(source.text) is not None:
        return True
    packages = [
        found.path
        for found in starts.project.matching(_FORKS, words=(_SETS,))
        if found.path.endswith("/__init__.py") and _forks_on_import(starts, found.path)
    ]
    return bool(packages) and any(
        other.startswith(package.removesuffix("__init__.py"))
        for node in outline.imports
        if outline.parents[node] is outline.module
        for other in importers.modules.imported(outline.path, node)
        for package in packages
    )


def _forks_on_import(starts: Starts, path: str) -> bool:
    outline = outline_of(starts.project, path)
    statements = outline.module.body if outline is not None else []
    always = [each for each in statements if not isinstance(each, (ast.If, ast.For, ast.While))]
    return outline is not None and any(
        isinstance(node, ast.Call)
        and starts.name(outline, node.func) == SET_METHOD
        and not any(isinstance(above, ast.If) for above in outline.ancestors(node))
        and any(isinstance(argument, ast.Constant) and argument.value == "fork" for argument in node.args)
        for node in own_nodes(always)
    )


def _runs(statement: ast.stmt) -> bool:
    """True for statements that do something when the module is run, besides defining."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    return not is_guard(statement) and any(isinstance(node, (ast.Call, ast.For)) for node in walk(statement))


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
    functions = [node for node in outline.nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    blocks = [inner, *(function.body for function in functions)]
    return any(starts.in_block(outline, block) is not None for block in blocks)


def _alone(body: list[ast.stmt], at: int) -> bool:
    """Its lines hold nothing else."""
    above = body[at - 1].end_lineno or 0 if at else 0
    return above < body[at].lineno and all(
        (body[at].end_lineno or 0) < statement.lineno for statement in body[at + 1 : at + 2]
    )


def _method_start(outline: Outline, statement: ast.stmt) -> Start:
    hop = Hop(outline.path, statement.lineno, "the start method is set, which fails in a child that has one already")
    return Start(statement, Confidence.LIKELY, (hop,))
