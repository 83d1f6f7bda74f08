"""From an error message to the place in the repository and the fix."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..delivery.target import Target
from ..engine.migrate import Report, check
from ..finding import Confidence, Finding
from ..problem import Problem
from ..review.json_report import fix_diff
from ..settings import Settings
from ..transforms import rules
from .report import near
from .tracebacks import Traceback, read_traceback

MAX_SHOWN = 8


@dataclass(frozen=True)
class Candidate:
    """A finding that may be where the error comes from; `score` 0: nothing speaks for it but its rule."""

    finding: Finding
    score: int


@dataclass(frozen=True)
class Explanation:
    """What an error means, and where it may come from. `report` holds the text that the findings speak of."""

    traceback: Traceback
    candidates: tuple[Candidate, ...] = ()
    others: int = 0  # findings of the rule that match less well
    report: Report | None = None
    where: str = ""  # as typed

    @property
    def command(self) -> str | None:
        """The command that applies the fix; None when there is none."""
        rule = self.traceback.cause.rule
        fixable = [c.finding for c in self.candidates if c.finding.fix is not None]
        if rule is None or not fixable:
            return None
        lowest = min((finding.confidence for finding in fixable), key=lambda each: each.rank)
        words = ["spawnfix", "migrate", self.where or ".", "--select", rule]
        if not lowest.reaches(Confidence.LIKELY):
            words += ["--confidence", lowest.value]
        if all(finding.fix is not None and finding.fix.unsafe for finding in fixable):
            words.append("--unsafe-fixes")
        return " ".join(map(shlex.quote, words))

    def diff(self, finding: Finding) -> str:
        """The fix of `finding` as a patch; "" when it has none."""
        return "" if finding.fix is None or self.report is None else fix_diff(finding.fix, self.report.sources)


def explain_error(text: str, where: Target | None, settings: Settings | None, typed: str = "") -> Explanation:
    """What `text`, an error or a whole traceback, means, and where in `where` it may come from.

    Raises Problem when the text holds no error that we know.
    """
    read = read_traceback(text)
    if read is None:
        raise Problem(
            "no error in this text that has to do with starting processes (give the last lines of the traceback too)"
        )
    if where is None or settings is None or read.cause.rule not in rules():
        return Explanation(read, where=typed)
    wanted = replace(settings, select=(read.cause.rule,), ignore=(), confidence=Confidence.POSSIBLE)
    report = check(where.files, wanted, where.scope)
    candidates = [Candidate(finding, _score(finding, read, report)) for finding in report.findings]
    known = read.cause.known
    if known is not None and known.named_only and read.cause.name:
        candidates = [each for each in candidates if each.score]
    ranked = sorted(
        candidates,
        key=lambda each: (-each.score, -each.finding.confidence.rank, each.finding.sort_key),
    )
    best = _best(ranked)
    return Explanation(read, tuple(best[:MAX_SHOWN]), len(ranked) - len(best[:MAX_SHOWN]), report, typed)


def _best(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Those that match as well as the first; without any match, those that are at least likely to cross."""
    if not ranked:
        return []
    top = ranked[0].score
    if top > 0:
        return [each for each in ranked if each.score == top]
    sure = [each for each in ranked if each.finding.confidence.reaches(Confidence.LIKELY)]
    return sure or list(ranked)


def _score(finding: Finding, read: Traceback, report: Report) -> int:
    source = report.sources.get(finding.path)
    if source is None:
        return 0
    score = 0
    line = source.line_text(finding.span.line)
    name = read.cause.name
    if "<locals>" in name and finding.path.endswith(".py"):
        holder, _, own = name.replace(".<locals>", "").rpartition(".")
        scopes = _scopes(source.text, finding.span.line)
        holders = _without_module(holder, finding.path)
        if any(scope in (each, f"{each}.{own}") for scope in scopes for each in holders):
            is_lambda = "lambda" in line
            score += 8 if (own == "<lambda>") == is_lambda or own in line else 4
    elif name and re.search(rf"\b{re.escape(name)}\b", line):
        score += 8
    for attribute in read.attributes:
        score += 4 if re.search(rf"\b{re.escape(attribute)}\b", line) else 0
    for kind, text in read.cause.known.source if read.cause.known and read.cause.type else ():
        if re.search(kind, read.cause.type) and re.search(text, line + finding.message):
            score += 2
            break
    ends = tuple(frame.path.replace("\\", "/") for frame in read.frames if frame.user)
    score += 1 if any(end.endswith("/" + finding.path) or end == finding.path for end in ends) else 0
    return score


def _without_module(name: str, path: str) -> set[str]:
    """`name` as it is, and without the module of the file `path`, with which Python 3.14 names classes."""
    module = "." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = name.split(".")
    return {name} | {".".join(parts[n:]) for n in range(1, len(parts)) if module.endswith("." + ".".join(parts[:n]))}


def _scopes(text: str, line: int) -> list[str]:
    """Dotted names of the functions and classes around `line`, the outermost first: `A`, `A.method`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    body: Iterable[ast.AST] = ast.iter_child_nodes(tree)
    while True:
        inside = None
        for node in body:
            last = getattr(node, "end_lineno", None)
            if last is not None and getattr(node, "lineno", 0) <= line <= last:
                inside = node
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    break
        if inside is None:
            return [".".join(names[: n + 1]) for n in range(len(names))]
        if isinstance(inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(inside.name)
        body = ast.iter_child_nodes(inside)


def user_frames(read: Traceback) -> list[str]:
    """`file:line` of the frames in code of the user, the innermost first."""
    return [f"{near(frame.path)}:{frame.line}" for frame in reversed(read.frames) if frame.user]
