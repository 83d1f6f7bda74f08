"""The commit that one rule's fixes become: what, where, why, and how the value got across."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..finding import Finding

if TYPE_CHECKING:
    from ..engine.migrate import RuleChange

_SUBJECT = 72
_BODY = 92


def commit_message(change: RuleChange, summary: str, version: str, alone: bool = False) -> str:
    """Subject (from the rule's `summary`), every site with its reason and trace, and trailers.

    `alone`: the commit is one fix, and the subject says which.
    """
    what = summary.rstrip(". ")
    what = what if what[:2].isupper() else what[:1].lower() + what[1:]
    number = len(change.findings)
    places = f"{number} place" if number == 1 else f"{number} places"
    opening = ""
    rules = list(dict.fromkeys(finding.rule for finding in change.findings)) or [change.rule]
    titles = {finding.fix.title for finding in change.findings if finding.fix is not None}
    subject = f"{change.rule}: {what}"
    if len(rules) > 1:
        subject = f"spawnfix: fix {places} of {len(rules)} rules"
    elif alone and len(titles) == 1:
        first = change.findings[0]
        subject = f"{change.rule}: {_plain(titles.pop())}"
        if len(subject) > _SUBJECT:
            subject = f"{change.rule}: fix {_plain(first.path.rpartition('/')[2])}:{first.span.line}"
        subject = subject[:_SUBJECT]
    elif len(subject) > _SUBJECT:
        subject = f"{change.rule}: fix {places}"
        opening = "\n".join(_wrapped(summary, "", "")) + "\n\n"
    elif len(subject) + len(places) + 3 <= _SUBJECT:
        subject += f" ({places})"
    sites = "\n".join(line for finding in change.findings for line in _site(finding))
    trailers = "".join(f"Spawnfix-Rule: {rule}\n" for rule in rules)
    trailers += f"Spawnfix-Verified: {_plain(change.verified)}\n" if change.verified else ""
    return f"{subject}\n\n{opening}{sites}\n\n{trailers}Spawnfix-Version: {version}\n"


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
    return textwrap.wrap(
        _plain(text),
        _BODY,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
