"""Finds scripts that start processes without a main guard. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ...finding import Answer, Confidence, Finding, Fix, Hop, Refused
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...project import Project
from ...syntax.main_guard import is_main_process_test
from ...syntax.modules import Modules
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...tree.source import Source
from .edits import constant_edits, guard_edits
from .hoist import Guarded, guarded_definitions, hoist_edits
from .missing_globals import missing_globals
from .process_starts import SET_METHOD, Start, Starts, own_nodes
from .screen import ID, WORDS
from .side_effects import only_prints, repeated
from .split import split

_SETS = SET_METHOD.rpartition(".")[2]  # in the text of a file that calls it by whatever name
_DYNAMIC_IMPORT = re.compile(r"\b(?:import_module|__import__|run_path|run_module|spec_from_file_location)\s*\(([^\n]*)")


def find(project: Project) -> Iterable[Finding]:
    """One finding per script for what must be guarded, one per definition under the guard that a worker needs."""
    if next(project.matching(re.compile(WORDS)), None) is None:
        return
    repo, modules = Repo(project), Modules(project.python_paths)
    starts = Starts(project, repo, modules)
    importers = _Importers(project, repo, modules)
    for path in project.python_paths:
        source, outline = project.source(path), repo.outline(path)
        if source is not None and outline is not None and not _forks(source):
            yield from _script(starts, importers, outline, source)
            if "__main__" in source.text or re.search(WORDS, source.text):
                yield from _guarded(starts, outline, source)
                yield from _missing(starts, outline, source)


def _script(starts: Starts, importers: _Importers, outline: Outline, source: Source) -> Iterator[Finding]:
    body = outline.module.body
    if not any(_runs(statement) for statement in body):
        return
    alone = [
        at
        for at, statement in enumerate(body if _SETS in source.text else ())
        if _runs(statement) and _sets_method(starts, outline, statement)
    ]
    begins = any(isinstance(node, ast.Attribute) and node.attr == "start" for node in outline.own(outline.module))
    found = [
        (at, start)
        for at, statement in enumerate(body)
        if _runs(statement) and (start := starts.in_block(outline, [statement], begins=begins)) is not None
    ]
    if alone and not found and not _starts_anywhere(starts, outline):
        alone = []
    if not found and not alone:
        return
    first = found[0][0] if found else None
    if first is None or (alone and alone[0] < first):
        start = _method_start(outline, body[alone[0]])
    else:
        start = max((start for _, start in found), key=lambda each: each.confidence.rank)
    confidence = start.confidence
    if is_test(outline.path, facts_lookup(starts.project)):
        confidence = Confidence.POSSIBLE
    repeats = {
        at: what
        for at, statement in enumerate(body[: first or 0])
        if _runs(statement) and (what := repeated(starts, outline, statement)) is not None
    }
    prints = [at for at in range(first or 0) if only_prints(starts, outline, body[at]) and _alone(body, at)]
    answer = _wrapped(importers, outline, source, first, alone, repeats, prints)
    message = "Starts processes outside of the main guard: a spawned child runs this again and fails"
    yield Finding.answered(ID, outline.path, source.span_of(start.node), message, confidence, start.hops, answer)


def _wrapped(
    importers: _Importers,
    outline: Outline,
    source: Source,
    first: int | None,
    alone: list[int],
    repeats: dict[int, str],
    prints: list[int],
) -> Answer:
    importer = importers.of(outline.path)
    names = importers.names(outline.path)
    if importer is not None and not names:
        return Refused(
            f"{importer} imports this file, so it may rely on what runs here: move this code into a function, and "
            'call that under `if __name__ == "__main__":`'
        )
    try:
        early = [at for at in alone if first is None or at < first]
        runs, unsafe = split(outline, source, first, early, names or {}, repeats, prints)
        edits = guard_edits(outline, source, runs)
    except Refused as refusal:
        return refusal
    if importer is not None:
        line = outline.module.body[runs[0].first].lineno
        unsafe = f"{importer} imports this file, and what follows from line {line} on would not run for it any more"
    return Fix('Put what starts processes under `if __name__ == "__main__":`', edits, unsafe=unsafe)


def _guarded(starts: Starts, outline: Outline, source: Source) -> Iterator[Finding]:
    found = list(guarded_definitions(starts, outline))
    answers: dict[int, Answer] = {}
    for item in found:
        if id(item.guard) not in answers:
            answers[id(item.guard)] = _hoisted(outline, source, [e for e in found if e.guard is item.guard])
        answer = answers[id(item.guard)]
        here = Hop(outline.path, item.node.lineno, f"`{item.node.name}` is defined under the guard")
        message = f"`{item.node.name}` is defined under the main guard, where a spawned worker doesn't find it"
        span, trace = source.span_of(item.node), (here, item.hop)
        yield Finding.answered(ID, outline.path, span, message, item.confidence, trace, answer)


def _missing(starts: Starts, outline: Outline, source: Source) -> Iterator[Finding]:
    for missing in missing_globals(starts, outline):
        confidence = Confidence.POSSIBLE if is_test(outline.path, facts_lookup(starts.project)) else missing.confidence
        name = missing.read.id
        if missing.instead is not None:
            lacks = f"a spawned worker gets what line {missing.instead} binds"
        else:
            stops = "stops with NameError" if missing.guarded else "never gets it"
            lacks = f"a spawned worker {stops}"
        message = f"`{missing.reader}` runs in a worker and reads `{name}`, which is set {missing.where}: {lacks}"
        answer: Answer = Refused(
            f"pass `{name}` as an argument (or by the `initializer` of a pool), or set it where the module is imported"
        )
        if missing.literal is not None:
            try:
                answer = Fix(f"Set `{name}` above the main guard", constant_edits(source, *missing.literal))
            except Refused as refusal:
                answer = refusal
        trace = (Hop(outline.path, missing.line, f"`{name}` is set {missing.where}"), missing.hop)
        span = source.span_of(missing.read)
        yield Finding.answered(ID, outline.path, span, message, confidence, trace, answer)


def _hoisted(outline: Outline, source: Source, found: list[Guarded]) -> Answer:
    try:
        edits = hoist_edits(outline, source, found[0].guard, [item.node for item in found])
    except Refused as refusal:
        return refusal
    return Fix("Define above the main guard what workers need", edits)


def _forks(source: Source) -> bool:
    return re.search(r"set_start_method\(\s*['\"]fork['\"]", source.text) is not None


def _runs(statement: ast.stmt) -> bool:
    """True for statements that do something when the module is run, besides defining."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    return not (
        isinstance(statement, ast.If) and is_main_process_test(statement.test) and not statement.orelse
    ) and any(isinstance(node, (ast.Call, ast.For)) for node in ast.walk(statement))


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
    guarded = [
        statement
        for statement in outline.module.body
        if isinstance(statement, ast.If) and is_main_process_test(statement.test)
    ]
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


class _Importers:
    """Which files are imported, by whom."""

    def __init__(self, project: Project, repo: Repo, modules: Modules) -> None:
        self.project, self.repo, self.modules = project, repo, modules

    def of(self, path: str) -> str | None:
        """A file that imports `path`; None when there is none."""
        return next((other for other, _ in self._imports.get(path, ())), None) or self._by_name(path)

    def names(self, path: str) -> dict[str, str] | None:
        """Names of `path` that other files import by `from`, with one that does; None where that is not all they do."""
        found: dict[str, str] = {}
        if self._by_name(path) is not None:
            return None
        for other, node in self._imports.get(path, ()):
            base = self._base(other, node) if isinstance(node, ast.ImportFrom) else None
            if not isinstance(node, ast.ImportFrom) or base != path or node.names[0].name == "*":
                return None
            found |= {alias.name: other for alias in node.names}
        return found

    def _base(self, path: str, node: ast.ImportFrom) -> str | None:
        """The file that `from <it> import ...` names."""
        if node.level:
            return self.modules.relative(path, node.level, node.module or "")
        return self.modules.absolute(path, node.module or "")

    @cached_property
    def _imports(self) -> dict[str, list[tuple[str, ast.AST]]]:
        """By file: which others import it, and where, in order."""
        found: dict[str, list[tuple[str, ast.AST]]] = {}
        for path in self.project.python_paths:
            outline = self.repo.outline(path)
            for node in outline.imports if outline else ():
                for target in dict.fromkeys(self._targets(path, node)):
                    if target is not None and target != path:
                        found.setdefault(target, []).append((path, node))
        return found

    def _targets(self, path: str, node: ast.AST) -> Iterator[str | None]:
        if isinstance(node, ast.Import):
            yield from (self.modules.absolute(path, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for name in ["", *(alias.name for alias in node.names)]:
                module = ".".join(part for part in (node.module or "", name) if part)
                if node.level:
                    yield self.modules.relative(path, node.level, module)
                elif module:
                    yield self.modules.absolute(path, module)

    def _by_name(self, path: str) -> str | None:
        """Who imports it by a string: `import_module("tools.train")`, an entry point of the packaging."""
        stem = path.removesuffix(".py").rpartition("/")[2]
        dotted = re.compile(rf"\b{re.escape(stem)}:\w")
        whole = re.compile(rf"\b{re.escape(stem)}\b")
        for other, text in self._strings:
            if text is None:
                source = self.project.source(other)
                if source is not None and dotted.search(source.text):
                    return other
            elif other != path and whole.search(text):
                return other
        return None

    @cached_property
    def _strings(self) -> list[tuple[str, str | None]]:
        """Files with the text of an import by a string; None for those of the packaging, where it may be anywhere."""
        found: list[tuple[str, str | None]] = []
        for path in self.project.paths:
            if path.endswith(".py"):
                source = self.project.source(path)
                found += [(path, match[1]) for match in _DYNAMIC_IMPORT.finditer(source.text)] if source else []
            if path.rpartition("/")[2] in ("pyproject.toml", "setup.cfg", "setup.py"):
                found.append((path, None))
        return found
