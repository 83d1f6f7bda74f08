"""Functions written as text, in a YAML file or in the code, which `eval` makes on the way to a process boundary."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache

from ...finding import Confidence, Finding, Hop, Refused
from ...flow.answers.crossing import Crossing
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...nodes import end_line
from ...project import Project
from ...syntax.binding_rules import COMPREHENSIONS
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...tree.suffixes import YAML_FILE
from .screen import ID
from .text_in_code import written

_LAMBDA = re.compile(r"\blambda\b[^:\n]*:")
_FUNCTIONS = frozenset({HazardKind.LAMBDA, HazardKind.FUNCTION})
_MAX_STEPS = 4


@dataclass(frozen=True)
class Text:
    """Line `line` of a YAML file, under `key`: the text of a lambda, or the name of a local function."""

    path: str
    line: int
    key: str
    text: str
    local: str = ""
    commented: bool = False


def evaluated_texts(project: Project) -> Iterator[Finding]:
    """A finding for each `eval(...)` whose result crosses, and whose text is a lambda where that can be seen."""
    crossings = flow_of(project).crossings(frozenset({HazardKind.EVALUATED}), project.lowest_bar)
    repo = Repo(project) if crossings else None

    @cache
    def crossed() -> set[tuple[str, int]]:
        return {(each.path, each.line) for each in flow_of(project).crossings(_FUNCTIONS) if each.boundary}

    for crossing in crossings:
        source, outline = project.source(crossing.path), repo.outline(crossing.path) if repo is not None else None
        if source is None or outline is None or repo is None:
            continue
        for call in outline.calls.get("eval", ()):
            if (call.lineno, call.col_offset) != (crossing.line, crossing.column):
                continue
            places, alone = written(repo, outline, call.args[0])
            if places:
                sure = crossing.confidence if alone else Confidence.POSSIBLE
                yield _of_code(project, crossing, sure, *places[0])
                continue
            sees_local = len(call.args) == 1 and not call.keywords  # no names of its own
            local = _local_functions(outline, call, crossed) if sees_local else set()
            found = [text for key in sorted(_keys(outline, call.args[0])) for text in _texts(project, key, local)]
            found = [text for text in found if not text.commented] or found
            if found:
                yield _finding(project, crossing, found[0], len(found) - 1)


def _of_code(project: Project, crossing: Crossing, sure: Confidence, outline: Outline, node: ast.expr) -> Finding:
    message = f"what `eval` makes of a text {crossing.in_words}; pickle can't import a lambda by name"
    reason = (
        f"the lambda is text in {outline.path}, line {node.lineno}: define a function at the top of a module, with "
        "what the text puts in as parameters, and pass that or a `functools.partial` of it"
    )
    hop = Hop(outline.path, node.lineno, "a lambda is text here")
    return _answered(project, crossing, message, sure, hop, reason)


def _answered(project: Project, crossing: Crossing, message: str, sure: Confidence, text: Hop, reason: str) -> Finding:
    source = project.source(crossing.path)
    assert source is not None
    start = source.offset(crossing.line, crossing.column)
    span = source.span(start, source.offset(crossing.end_line, crossing.end_column))
    return Finding.answered(ID, crossing.path, span, message, sure, (text, *crossing.trace), Refused(reason))


def _finding(project: Project, crossing: Crossing, text: Text, others: int) -> Finding:
    more = f", and {others} more" if others else ""
    what = f"the local `{text.local}`" if text.local else "a lambda"
    message = f"what `eval` makes of a text under `{text.key}` {crossing.in_words}; pickle can't import {what} by name"
    where = f"{text.path}, line {text.line}"
    advice = "write its name in the YAML file, and look it up by that name instead of `eval`"
    reason = f"the lambda is text in {where} (`{text.key}`{more}): define a function at the top of a module, {advice}"
    if text.local:
        reason = (
            f"{where} (`{text.key}`{more}) names it, so it has to stay: define it at the top of the module, {advice}"
        )
    if text.commented:
        reason += " (that line is a comment today)"
    sure = Confidence.POSSIBLE if text.commented else Confidence.LIKELY
    sure = min(sure, crossing.confidence, key=lambda confidence: confidence.rank)
    hop = Hop(text.path, text.line, f"`{text.text[:60]}` is text here")
    return _answered(project, crossing, message, sure, hop, reason)


def _keys(outline: Outline, node: ast.expr, depth: int = 0) -> set[str]:
    """Names of settings that `node` is taken from: `filters` of `f[1]`, where `f` is one of `config.filters`."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return {node.slice.value}
            node = node.value
        elif isinstance(node.func, ast.Attribute):  # `config.filters.items()`, `config.get("filters")`
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                return {first.value}
            node = node.func.value
        else:
            return set()
    if isinstance(node, ast.Attribute):
        return {node.attr}
    if not isinstance(node, ast.Name) or depth > _MAX_STEPS:
        return set()
    found: set[str] = set()
    for above in outline.ancestors(node):
        loops = above.generators if isinstance(above, COMPREHENSIONS) else [above] if isinstance(above, ast.For) else []
        for loop in loops:
            if any(isinstance(inner, ast.Name) and inner.id == node.id for inner in ast.walk(loop.target)):
                found |= _keys(outline, loop.iter, depth + 1)
    for binding in outline.lookup(node, node.id)[1]:
        if isinstance(binding.statement, ast.Assign) and binding.value is not None:
            found |= _keys(outline, binding.value, depth + 1)
    return found


def _local_functions(outline: Outline, call: ast.Call, crossed: Callable[[], set[tuple[str, int]]]) -> set[str]:
    """Variables of the function around that hold a lambda or a local function which is not seen to cross by itself."""
    scope = outline.scope(call)
    while not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
        scope = outline.scope(outline.parents[scope])
    if isinstance(scope, ast.Module):
        return set()
    found: set[str] = set()
    for node in outline.own(scope):
        names: list[str] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is not scope:
            names = [node.name]
        elif isinstance(node, ast.Assign) and any(isinstance(part, ast.Lambda) for part in ast.walk(node.value)):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        lines = range(node.lineno, end_line(node) + 1) if names else ()  # type: ignore[attr-defined, arg-type]
        if not any((outline.path, line) in crossed() for line in lines):
            found |= set(names)
    return found


def _texts(project: Project, key: str, local: Collection[str]) -> Iterator[Text]:
    """Lambdas and names of `local` in YAML files under `key`. Read line by line: templates need not be valid YAML."""
    named = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, sorted(local)))})(?![\w.(])") if local else None
    head = re.compile(rf"([ \t]*(?:- +)?)['\"]?{re.escape(key)}['\"]?[ \t]*:(.*)")
    for path in project.paths:
        source = project.source(path) if YAML_FILE.search(path) else None
        if source is None or key not in source.text:
            continue
        inside = -1  # indentation of the key that the line belongs to
        for number, line in enumerate(source.text.splitlines(), 1):
            commented = line.lstrip().startswith("#")
            line = re.sub(r"^([ \t]*)# ?", r"\1", line)
            plain = line.strip()
            if not plain:
                continue
            match = head.fullmatch(line)
            indent = len(line) - len(line.lstrip())
            if match is not None:
                inside = indent
            elif inside < 0 or not (indent > inside or (indent == inside and plain.startswith("-"))):
                inside = -1
                continue
            value = match[2] if match is not None else plain
            if _LAMBDA.search(value):
                yield Text(path, number, key, value.strip(), commented=commented)
            elif named is not None and (name := named.search(value)) is not None:
                yield Text(path, number, key, value.strip(), name[1], commented)
