"""A report for the terminal: what was found, where, why it is a problem, and what to do next."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..engine.results import Report
from ..finding import Confidence, Finding, Hop, Skipped, Span, missed
from ..quoting import shell
from ..tree.source import Source
from .printing import clean as clean
from .printing import count, place, printed, prose, sentence

SHOWN_SKIPPED = 10
NAMED_SKIPPED = 3  # in the line of totals
_FRAME_LINES = 6  # of a finding that spans more
_FRAME_WIDTH = 160  # of a source line; longer ones are cut around the place, on a terminal at its width
_TRACE = 6  # hops of a trace that are shown when it is not wanted whole
_WORDS = 30  # columns that the words of a hop get at least, or they are not wrapped
LEVEL = {Confidence.PROVEN: "bold red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: "dim"}
STATUS = {"fixable": "green", "unsafe": "magenta", "refused": "red"}


def render_text(report: Report, console: Console | None = None, full: bool = True) -> None:
    """Print `report`: a block per finding, then what was skipped, then a summary. Plain when it is no terminal.

    Not `full`: equal findings are one block with all their places, and the middle of long traces is left out.
    """
    out = console or Console(highlight=False)
    for same in _folded(report) if not full else ([finding] for finding in report.findings):
        _block(report, same, out, full)
    _skipped(report.skipped, out)
    _summary(report, out)


def render_concise(report: Report, console: Console | None = None) -> None:
    """Print `report`, a line per finding, then what was skipped and a summary."""
    out = console or Console(highlight=False)
    for finding in report.findings:
        state = status(report, finding)
        where = f"{place(report.root, finding.path)}:{finding.span.line}:{finding.span.column}"
        sure = finding.confidence
        message = f"  {sentence(finding.message)}  "
        printed(
            out,
            (where, "bold"),
            ": ",
            (finding.rule, "bold cyan"),
            message,
            (sure.value, LEVEL[sure]),
            " ",
            (f"[{state}]", STATUS[state]),
        )
    _skipped(report.skipped, out)
    _summary(report, out)


def render_statistics(report: Report, console: Console | None = None) -> None:
    """Print how many findings each rule has, and what becomes of them."""
    out = console or Console(highlight=False)
    for row in statistics(report):
        states = ", ".join(f"{row[state]} {state}" for state in STATUS if row[state])
        printed(out, (f"{row['count']:>6}", "bold"), "  ", (f"{row['rule']}", "bold cyan"), f"  {states}")
    _skipped(report.skipped, out)
    _summary(report, out)


def statistics(report: Report) -> list[dict[str, str | int]]:
    """For each rule that found something: `rule`, `count`, and how many are `fixable`, `unsafe` and `refused`."""
    counted: dict[str, Counter[str]] = {}
    for finding in report.findings:
        counted.setdefault(finding.rule, Counter())[status(report, finding)] += 1
    ordered = sorted(counted.items(), key=lambda row: (-row[1].total(), row[0]))
    return [
        {"rule": rule, "count": states.total(), **{state: states[state] for state in STATUS}}
        for rule, states in ordered
    ]


def _folded(report: Report) -> list[list[Finding]]:
    """The findings, those together that say the same, where the first of them is."""
    groups: dict[object, list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.message, finding.confidence, report.why_not(finding), finding.fix is None)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def status(report: Report, finding: Finding) -> str:
    """`fixable`, `unsafe` (has a fix, but only with --unsafe-fixes) or `refused`."""
    if finding.fix is None:
        return "refused"
    return "fixable" if report.why_not(finding) is None else "unsafe"


def _block(report: Report, same: Sequence[Finding], out: Console, full: bool) -> None:
    """One finding, or several that say the same: the first one whole, the places of the others."""
    finding, others = same[0], same[1:]
    state = status(report, finding)
    where = f"{place(report.root, finding.path)}:{finding.span.line}:{finding.span.column}"
    printed(
        out,
        (where, "bold"),
        "  ",
        (finding.rule, "bold cyan"),
        "  ",
        (finding.confidence.value, LEVEL[finding.confidence]),
        "  ",
        (f"[{state}]", STATUS[state]),
        f"  ({len(same)} places)" if others else "",
    )
    prose(out, "", "", finding.message)
    source = report.sources.get(finding.path)
    if source is not None:
        _frame(source, finding.span, out)
    _trace(report.root, finding.trace, out, full)
    if finding.fix is not None:
        prose(out, "fix: ", "green", finding.fix.title)
    why = report.why_not(finding)
    if why is not None:
        prose(out, f"{state}: ", STATUS[state], why)
    _others(report, others, out)
    printed(out)


def _others(report: Report, others: Sequence[Finding], out: Console) -> None:
    """The places of findings that say the same as one before, file by file."""
    lines: dict[str, list[str]] = {}
    for finding in others:
        lines.setdefault(place(report.root, finding.path), []).append(str(finding.span.line))
    if lines:
        printed(out, ("  the same at:", "bold"))
    for path, numbers in lines.items():
        if len(numbers) == 1:
            printed(out, f"    {path}:{numbers[0]}")
        else:
            prose(out, f"{path}:{numbers[0]}", "", f", {', '.join(numbers[1:])}", indent=4)


def _bar(out: Console) -> str:
    return "│" if out.is_terminal and not out.options.ascii_only else "|"


def _frame(source: Source, span: Span, out: Console) -> None:
    """The lines of `span`, the place itself underlined (in its first line when there are several)."""
    last = min(span.end_line, len(source.line_starts))
    if span.end_column == 1 and last > span.line:
        last -= 1  # ends with a newline
    shown = list(range(span.line, min(last, span.line + _FRAME_LINES - 1) + 1))
    width, bar = len(str(shown[-1])), _bar(out)
    room = min(_FRAME_WIDTH, max(40, out.width - width - 5)) if out.is_terminal else _FRAME_WIDTH
    printed(out, (f"  {'':{width}} {bar}", "blue"))
    for number in shown:
        code = source.line_text(number)
        start = span.column - 1 if number == span.line else len(code) - len(code.lstrip())
        end = span.end_column - 1 if number == span.end_line else len(code)
        code, start, end = _window(code, start, end, room)
        printed(out, (f"  {number:{width}} {bar} ", "blue"), _colored(source, clean(code), out))
        if number == span.line:
            indent = cell_len(clean(code[:start]))
            carets = max(1, cell_len(clean(code[start:end].rstrip())))
            printed(out, (f"  {'':{width}} {bar} ", "blue"), " " * indent, ("^" * carets, "bold red"))
    if shown[-1] < last:
        printed(out, (f"  {'':{width}} {bar} ... {last - shown[-1]} more lines", "blue"))


def _window(code: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """`code` cut to what can be read around `start`..`end`, and these two in the cut text."""
    if len(code) <= room:
        return code, start, end
    room -= 6  # for the dots
    low = max(0, min(start - room // 3, len(code) - room))
    cut = code[low : low + room]
    head, tail = "..." if low else "", "..." if low + room < len(code) else ""
    shift = len(head) - low
    return head + cut + tail, start + shift, min(end + shift, len(head) + len(cut))


def _colored(source: Source, code: str, out: Console) -> Text:
    if out.color_system is None or not source.path.endswith(".py"):
        return Text(code)
    from rich.syntax import Syntax

    text = Syntax(code, "python", theme="ansi_dark", background_color="default").highlight(code)
    text.rstrip()
    return text


def _trace(root: str, trace: Sequence[Hop], out: Console, full: bool) -> None:
    hops = [(number, f"{place(root, hop.path)}:{hop.line}", sentence(hop.what)) for number, hop in enumerate(trace, 1)]
    if not hops:
        return
    left_out = 0 if full or len(hops) <= _TRACE else len(hops) - _TRACE + 1
    if left_out:
        hops = [*hops[:2], *hops[2 + left_out :]]
    wide = max(cell_len(where) for _, where, _ in hops)
    digits = len(str(len(trace)))
    for number, where, what in hops:
        if left_out and number == 3 + left_out:
            printed(out, (f"  {'':>{digits}}  ... {count(left_out, 'step')} more (-v shows all)", "dim"))
        gap = " " * (wide - cell_len(where) + 2)
        label = f"  {number:>{digits}}. "
        shift = cell_len(label) + wide + 2
        if not out.is_terminal or out.width - shift < _WORDS:
            printed(out, (label, "dim"), (where, "cyan"), gap, what)
            continue
        for line_number, line in enumerate(Text(what).wrap(out, out.width - shift)):
            line.rstrip()
            if line_number:
                printed(out, " " * shift, line)
            else:
                printed(out, (label, "dim"), (where, "cyan"), gap, line)


def _skipped(skipped: tuple[Skipped, ...], out: Console) -> None:
    if not skipped:
        return
    printed(out, (f"{count(len(skipped), 'file')} not, or not wholly, looked at:", "yellow"))
    for row in skipped[:SHOWN_SKIPPED]:
        printed(out, f"  {clean(row.path)}: {sentence(row.reason)}")
    if len(skipped) > SHOWN_SKIPPED:
        printed(out, f"  ... and {len(skipped) - SHOWN_SKIPPED} more (--format json lists all)")
    printed(out)


def _idle(report: Report, out: Console) -> None:
    """Suppressions that suppress nothing."""
    for hop in report.idle[:SHOWN_SKIPPED]:
        where = f"{place(report.root, hop.path)}:{hop.line}"
        printed(out, (where, "bold"), ("  suppression  ", "yellow"), sentence(hop.what))
    if len(report.idle) > SHOWN_SKIPPED:
        printed(out, f"... and {len(report.idle) - SHOWN_SKIPPED} more such comments")
    if report.idle:
        printed(out)


def _summary(report: Report, out: Console) -> None:
    _idle(report, out)
    _totals(report, out)
    aside = [f"{len(report.suppressed)} suppressed by comments"] if report.suppressed else []
    aside += report.set_aside
    if aside:
        printed(out, f"Not counted: {'; '.join(aside)}.")


def _totals(report: Report, out: Console) -> None:
    files = count(report.files_seen, "file")
    failed = sorted({row.failed for row in report.skipped if row.failed})
    if not report.findings and failed:
        printed(out, (f"Not known: rule {', '.join(failed)} failed", "bold red"), f" in {files}.")
        return
    if not report.findings and not report.files_seen and report.skipped:
        printed(out, ("Not known", "bold red"), f"{not_looked_at(report)}.")
        return
    if not report.findings:
        printed(out, ("Nothing found", "bold green"), f" in {files}{not_looked_at(report)}.")
        return
    rules = Counter(finding.rule for finding in report.findings)
    listed = ", ".join(f"{number} {rule}" for rule, number in sorted(rules.items(), key=lambda row: (-row[1], row[0])))
    places = len({finding.path for finding in report.findings})
    printed(
        out,
        (f"{count(len(report.findings), 'finding')}", "bold"),
        f" in {places} of {files}: {listed}{not_looked_at(report)}.",
    )
    states = Counter(status(report, finding) for finding in report.findings)
    for line in _next(report, states):
        printed(out, line)


def not_looked_at(report: Report) -> str:
    """What stands behind the number of files that were looked at: those that were not, in words; "" when all were."""
    paths = missed(report.skipped)
    if not paths:
        return ""
    more = f" and {len(paths) - NAMED_SKIPPED} more" if len(paths) > NAMED_SKIPPED else ""
    verb = "was" if len(paths) == 1 else "were"
    return f"; {count(len(paths), 'file')} {verb} not looked at: {', '.join(map(clean, paths[:NAMED_SKIPPED]))}{more}"


def _next(report: Report, states: Counter[str]) -> Iterator[str]:
    parts = []
    if states["fixable"]:
        parts.append(f"{states['fixable']} can be fixed")
    if states["unsafe"]:
        parts.append(f"{states['unsafe']} only with --unsafe-fixes")
    if states["refused"]:
        parts.append(f"{states['refused']} refused, the reason is above")
    yield "; ".join(parts) + "."
    if states["fixable"] or states["unsafe"]:
        flag = "" if states["fixable"] else " --unsafe-fixes"
        yield f"Fix them on a branch of their own: spawnfix migrate{flag} {_shell_word(report.root)}"


def _shell_word(root: str) -> str:
    """`root` as one types it from here."""
    try:
        near = os.path.relpath(root)
    except ValueError:  # another drive
        near = root
    return shell(clean(near if len(near) < len(root) else root))
