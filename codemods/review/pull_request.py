"""The text of a pull request: what changes and why, the traces folded, what was checked, how to undo it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..engine.choices import Commits, Verification
from ..engine.results import Plan
from ..transforms import rules
from .markdown import MOST, code, prose, text, trace
from .model import Change, Open, Review
from .printing import count

_CUT = "_The text is cut here: the commits list the rest._"


def pull_request(
    review: Review, changes: Sequence[Change], plan: Plan, commits: Commits, verification: Verification | None = None
) -> str:
    """Markdown about `changes` of `review`, which `plan` makes, and `verification` was run on."""
    places = sum(len(change.findings) for change in changes)
    known = rules()
    lines = [
        "## Make values that cross process boundaries picklable",
        "",
        f"spawnfix {review.version} changed {count(places, 'place')} in {count(len(plan.contents), 'file')}, so that "
        "this code runs under spawn, forkserver and distributed launchers too.",
        "",
        "| rule | changes | what it does |",
        "| --- | --- | --- |",
    ]
    for rule, number in sorted(Counter(change.rule for change in changes).items()):
        lines.append(f"| {code(rule)} | {number} | {text(known[rule].summary) if rule in known else ''} |")
    body: list[str] = []
    for rule in sorted({change.rule for change in changes}):
        body += ["", f"### {code(rule)}", ""]
        for change in changes:
            if change.rule == rule:
                body += _change(change)
    body += _open(review.open)
    end = ["", *_checked(verification if changes else None), "", *_undo(commits), ""]
    room = MOST - sum(len(line) + 1 for line in (*lines, *end))
    return "\n".join([*lines, *_fitting(body, room), *end])


def _change(change: Change) -> Iterator[str]:
    where = f" in {code(change.scope)}" if change.scope else ""
    yield f"- {code(f'{change.path}:{change.line}')}{where}: {prose(change.title)}"
    yield f"  Why: {prose(change.why)}"
    if change.unsafe:
        yield f"  **Unsafe**, please look: {prose(change.unsafe)}"
    yield from trace(change.trace, change.confidence)


def _open(rows: Sequence[Open]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield f"### Left as it is: {count(len(rows), 'finding')}"
    yield ""
    yield "<details><summary>places and reasons</summary>"
    yield ""
    for row in rows:
        reason = f"only with --unsafe-fixes: {row.reason}" if row.unsafe is not None else row.reason
        yield f"- {code(f'{row.path}:{row.line}')} {code(row.rule)}: {prose(row.why)} Not changed: {prose(reason)}"
    yield ""
    yield "</details>"


def _checked(verification: Verification | None) -> list[str]:
    run = "Nothing of this repository was imported or run"
    if verification is not None:
        run += f", but by this command, on copies, before the changes and after them: {code(verification.command)}"
    return [
        "### What was checked",
        "",
        "- Every changed file compiles; outside of the changed places it is the same, byte for byte.",
        "- No name is lost, captured or hidden by the changes.",
        "- The analysis ran again on the result: these hazards are gone, and there are no new ones.",
        f"- {run}.",
    ]


def _undo(commits: Commits) -> list[str]:
    what = {
        Commits.PER_RULE: "There is a commit for each rule: `git revert` takes back one of them.",
        Commits.PER_FINDING: "There is a commit for each change: `git revert` takes back one of them.",
        Commits.ONE: "It is one commit: `git revert` takes it back.",
    }
    return ["### How to undo it", "", what[commits]]


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """As many of `lines` as go into `room` characters, with what is folded closed again."""
    taken: list[str] = []
    folded = 0
    for line in lines:
        room -= len(line) + 1
        if room < len(_CUT) + 100:
            return [*taken, *["", "  </details>"] * folded, "", _CUT]
        folded += ("<details>" in line) - ("</details>" in line)
        taken.append(line)
    return taken
