"""Changes as people read them in a terminal: a header, one line of why, coloured hunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from ..finding import Confidence, Hop
from .hunks import NO_NEWLINE, Hunk
from .model import Change, Open, Review
from .printing import clean, escaped, place, printed, prose
from .text import LEVEL

_SIGNS = {"+": "green", "-": "red", " ": ""}


def header(out: Console, rule: str, confidence: Confidence, safety: str, style: str, position: str = "") -> None:
    """A rule across the terminal: what is to be seen below it."""
    left = Text.assemble("── ", (rule, "bold cyan"), f" {position} " if position else " ")
    right = Text.assemble(" ", (confidence.value, LEVEL[confidence]), " ", (safety, style), " ──")
    fill = (out.width if out.is_terminal else 80) - left.cell_len - right.cell_len
    if out.options.ascii_only:
        left, right = Text(left.plain.replace("─", "-")), Text(right.plain.replace("─", "-"))
    printed(out, left, (("-" if out.options.ascii_only else "─") * max(1, fill), "dim"), right)


def change_block(out: Console, review: Review, change: Change, position: str = "", hunks: bool = True) -> None:
    """`change` with its header, why it is needed, what it does, and its hunks."""
    header(
        out,
        change.rule,
        change.confidence,
        "unsafe" if change.unsafe else "safe",
        "magenta" if change.unsafe else "green",
        position,
    )
    scope = f"  in {clean(change.scope)}" if change.scope else ""
    printed(out, (f"{place(review.root, change.path)}:{change.line}", "bold"), (scope, "dim"))
    prose(out, "why: ", "yellow", change.why)
    for finding in change.findings[1:4]:
        prose(out, "  and ", "yellow", f"{place(review.root, finding.path)}:{finding.span.line} {finding.message}")
    if len(change.findings) > 4:
        prose(out, "  and ", "yellow", f"{len(change.findings) - 4} more places that the same fix is for")
    prose(out, "fix: ", "green", change.title)
    if change.unsafe:
        prose(out, "unsafe: ", "magenta", change.unsafe)
    if change.requires:
        by_id = review.by_id()
        for id in change.requires:
            base = by_id[id]
            prose(out, "builds on: ", "cyan", f"{base.rule} at {place(review.root, base.path)}:{base.line}")
    if hunks:
        show_hunks(out, review.root, change.hunks)


def show_hunks(out: Console, root: str, hunks: Iterable[Hunk]) -> None:
    """The coloured lines of `hunks`, under the file that they are of."""
    path = None
    for hunk in hunks:
        if hunk.path != path:
            path = hunk.path
            printed(out, (place(root, path), "bold"))
        at, _, scope = hunk.header.removeprefix("@@ ").partition(" @@")
        printed(out, (f"@@ {at} @@", "cyan"), (clean(scope), "dim"))
        for line in hunk.lines:
            _code(out, line)


def _code(out: Console, line: str) -> None:
    if line == NO_NEWLINE:
        printed(out, (line, "dim"))
        return
    body = escaped(line[1:])
    bare = body.rstrip()
    style = _SIGNS[line[0]]
    trailing = (body[len(bare) :], "reverse red" if line[0] == "+" else "")  # blanks that a reader would not see
    printed(out, (line[0] + bare, style), trailing)


def trace_block(out: Console, root: str, trace: Iterable[Hop]) -> None:
    """The hops of `trace`, numbered."""
    hops = list(trace)
    if not hops:
        prose(out, "", "", "no trace: the place itself is enough")
    for number, hop in enumerate(hops, 1):
        prose(out, f"{number:>{len(str(len(hops)))}}. ", "dim", f"{place(root, hop.path)}:{hop.line}  {hop.what}")


def open_lines(out: Console, review: Review, rows: Iterable[Open]) -> None:
    """What stays, a line and its reason each; equal reasons of one rule are said once."""
    folded: dict[tuple[str, str], list[Open]] = {}
    for row in rows:
        folded.setdefault((row.rule, row.reason), []).append(row)
    for (rule, reason), same in folded.items():
        word, style = ("unsafe", "magenta") if same[0].unsafe is not None else ("refused", "red")
        header(out, rule, same[0].confidence, word, style)
        for row in same:
            printed(out, (f"{place(review.root, row.path)}:{row.line}", "bold"), "  ", clean(row.why))
        label = "only with --unsafe-fixes: " if same[0].unsafe is not None else "not fixed: "
        prose(out, label, style, reason)


def dry_run(out: Console, review: Review, changes: Sequence[Change]) -> None:
    """All of `changes`, then what stays as it is and why."""
    for number, change in enumerate(changes, 1):
        change_block(out, review, change, f"{number} of {len(changes)}")
        printed(out)
    open_lines(out, review, review.open)
