"""A report and a plan as Markdown, for summaries of jobs and bodies of pull requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..engine.results import Report
from ..finding import Confidence, Finding, Hop, missed
from .printing import count, sentence
from .text import status

MOST = 60_000  # characters: GitHub takes 65 536 in a body
_ACTIVE = re.compile(r"[\\`*_{}\[\]()#+!~]")
_LINKED = re.compile(r"\b(www|GH)([.-])(?=\w)", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "|": "&#124;"}


def text(words: str) -> str:
    """`words` as Markdown shows them: nothing in them is a link, a mention, HTML or markup."""
    escaped = _ACTIVE.sub(r"\\\g<0>", sentence(words)).replace("://", ":\0")
    shown = "".join(_ENTITIES.get(letter, letter) for letter in escaped).replace("\0", "&#47;&#47;")
    return _LINKED.sub(lambda found: f"{found[1]}&#{ord(found[2])};", shown)  # GitHub links these by themselves


def prose(words: str) -> str:
    """As `text`, with code in backticks left as code."""
    parts = sentence(words).split("`")
    if len(parts) % 2 == 0:
        return text(words)
    return "".join(text_part(part) if index % 2 == 0 else code(part) for index, part in enumerate(parts))


def text_part(words: str) -> str:
    """As `text`, blanks at both ends kept."""
    inner = text(words)
    return f"{' ' if words[:1] == ' ' else ''}{inner}{' ' if words[-1:] == ' ' and inner else ''}"


def code(words: str) -> str:
    """`words` as inline code, whatever they are."""
    words = sentence(words)
    if not words:
        return ""
    if "|" in words:  # would end the cell of a table, whatever stands before it
        return f"<code>{text(words)}</code>"
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if words[0] in "` " or words[-1] in "` " else ""
    return f"{fence}{pad}{words}{pad}{fence}"


def to_markdown(report: Report) -> str:
    """`report` as a table for each rule, with traces folded."""
    lost = missed(report.skipped)
    aside = f"; {count(len(lost), 'file')} {'was' if len(lost) == 1 else 'were'} not looked at" if lost else ""
    parts = [
        "## spawnfix",
        "",
        f"{count(len(report.findings), 'finding')} in {count(report.files_seen, 'file')}{aside}.",
        "",
    ]
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    size = 0
    for rule, found in sorted(by_rule.items()):
        states = Counter(status(report, finding) for finding in found)
        listed = ", ".join(f"{number} {state}" for state, number in sorted(states.items()))
        parts += [f"### {code(rule)}: {listed}", "", "| place | sure | what | fix |", "| --- | --- | --- | --- |"]
        for number, finding in enumerate(found):
            row = _row(report, finding)
            size += len(row)
            if size > MOST:
                parts.append(f"| ... | | {len(found) - number} more | |")
                break
            parts.append(row)
        parts.append("")
    if report.skipped:
        parts += [f"{count(len(report.skipped), 'file')} not, or not wholly, looked at:", ""]
        parts += [f"- {code(row.path)}: {prose(row.reason)}" for row in report.skipped[:10]]
        parts += [f"- and {len(report.skipped) - 10} more"] if len(report.skipped) > 10 else []
        parts.append("")
    return "\n".join(parts)


def _row(report: Report, finding: Finding) -> str:
    why = report.why_not(finding)
    fix = prose(finding.fix.title) if finding.fix is not None and why is None else f"not fixed: {prose(why or '')}"
    where = code(f"{finding.path}:{finding.span.line}")
    cells = (where, finding.confidence.value, prose(finding.message), fix)
    return f"| {' | '.join(cells)} |"


def trace(hops: Sequence[Hop], confidence: Confidence) -> Iterator[str]:
    """The hops, folded away."""
    if hops:
        yield f"  <details><summary>trace ({confidence.value}, {count(len(hops), 'step')})</summary>"
        yield ""
        yield from (
            f"  {number}. {code(f'{hop.path}:{hop.line}')} {prose(hop.what)}" for number, hop in enumerate(hops, 1)
        )
        yield ""
        yield "  </details>"


def fenced(lines: Iterable[str], language: str) -> list[str]:
    """`lines` as a block of code, whatever is in them."""
    body = list(lines)
    longest = max((len(run) for line in body for run in re.findall("`{3,}", line)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}{language}", *body, fence]
