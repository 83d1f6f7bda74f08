"""The commit that one rule's repairs become: what, where, why, and how the value got across."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..finding import Finding

if TYPE_CHECKING:
    from ..engine.migrate import RuleChange

_SUBJECT = 72
_BODY = 92


def commit_message(change: RuleChange, summary: str, version: str) -> str:
    """Subject (from the rule's `summary`), every site with its reason and trace, and trailers."""
    what = summary.rstrip(". ")
    what = what if what[:2].isupper() else what[:1].lower() + what[1:]
    number = len(change.findings)
    places = f"{number} place" if number == 1 else f"{number} places"
    opening = ""
    subject = f"{change.rule}: {what}"
    if len(subject) > _SUBJECT:
        subject = f"{change.rule}: repair {places}"
        opening = "\n".join(_wrapped(summary, "", "")) + "\n\n"
    elif len(subject) + len(places) + 3 <= _SUBJECT:
        subject += f" ({places})"
    sites = "\n".join(line for finding in change.findings for line in _site(finding))
    return f"{subject}\n\n{opening}{sites}\n\nSpawnfix-Rule: {change.rule}\nSpawnfix-Version: {version}\n"


def _site(finding: Finding) -> Iterable[str]:
    fix = finding.fix
    yield from _wrapped(f"{finding.path}:{finding.span.line} {fix.title if fix else finding.message}", "", "    ")
    yield from _wrapped(f"why: {finding.message} ({finding.confidence.value})", "    ", "        ")
    for hop in finding.trace:
        yield from _wrapped(f"{hop.path}:{hop.line} {hop.what}", "      -> ", "         ")
    if fix is not None and fix.unsafe is not None:
        yield from _wrapped(f"unsafe: {fix.unsafe}", "    ", "        ")


def _wrapped(text: str, first: str, following: str) -> list[str]:
    """`text` in lines, without control characters: names and source in it come from the repository."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text)
    return textwrap.wrap(
        clean, _BODY, initial_indent=first, subsequent_indent=following, break_long_words=False, break_on_hyphens=False
    )
