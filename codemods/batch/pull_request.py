"""The text of a pull request for one repository's branch. What comes from the repository stands in code blocks only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..finding import Finding
from ..transforms import rules as all_rules
from ..version import __version__

if TYPE_CHECKING:
    from ..engine.migrate import Plan
    from .spec import Outcome

MOST = 100  # places that are listed
MAX_LENGTH = 60_000  # characters; forges cut or refuse longer texts


def pull_request(outcome: Outcome, done: Plan) -> str:
    """Markdown: a title line, what changed by rule and why, what was left alone, how to check and undo it."""
    places = f"{outcome.fixed} place{'' if outcome.fixed == 1 else 's'}"
    files = len(done.contents)
    lines = [
        "# Make values that cross process boundaries picklable",
        "",
        f"spawnfix {__version__} fixed {places} in {files} file{'' if files == 1 else 's'}, so that this code runs",
        "under spawn, forkserver and distributed launchers too. One commit per rule; nothing of the code was run.",
        "",
        "| rule | places | what |",
        "| --- | --- | --- |",
    ]
    known = all_rules()
    for change in done.changes:
        lines.append(f"| `{change.rule}` | {len(change.findings)} | {known[change.rule].summary} |")
    for change in done.changes:
        lines += ["", f"## {change.rule}", "", *_block(change.findings)]
    if done.remaining:
        lines += [
            "",
            "## Left as it is",
            "",
            "Found, and not changed: it can't be shown that a rewrite keeps the meaning.",
            "",
            *_block(done.remaining, refused=True),
        ]
    lines += ["", f"Base: `{outcome.commit}`. Throw it away by deleting the branch: nothing else was touched.", ""]
    text = "\n".join(lines)
    if len(text) <= MAX_LENGTH:
        return text
    fence = max(re.findall(r"`{3,}", text), key=len, default="```")
    return f"{text[:MAX_LENGTH]}\n{fence}\n\n(cut: the commits list the rest)\n"


def _block(findings: tuple[Finding, ...], refused: bool = False) -> list[str]:
    lines: list[str] = []
    for finding in findings[:MOST]:
        lines.append(f"{finding.path}:{finding.span.line}  {finding.message} ({finding.confidence.value})")
        if not refused and finding.fix is not None:
            lines.append(f"    {finding.fix.title}")
        lines += [f"    -> {hop.path}:{hop.line} {hop.what}" for hop in finding.trace]
        unsafe = finding.fix.unsafe if finding.fix is not None else None
        if refused:
            lines.append(f"    why not: {finding.reason or f'only with --unsafe-fixes: {unsafe}'}")
        elif unsafe is not None:
            lines.append(f"    unsafe: {unsafe}")
    if len(findings) > MOST:
        lines.append(f"... and {len(findings) - MOST} more")
    clean = ["".join(letter if letter.isprintable() else "?" for letter in line) for line in lines]
    longest = max((len(run) for line in clean for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *clean, fence]
