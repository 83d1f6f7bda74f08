"""A report for the terminal: what was found, where, why it is a problem, and what to do next."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..engine.results import Report
from ..finding import Confidence, Finding, Hop, Skipped, Span
from ..tree.source import Source

SHOWN_SKIPPED = 10
_FRAME_LINES = 6  # of a finding that spans more
_FRAME_WIDTH = 160  # of a source line; longer ones are cut around the place, on a terminal at its width
_TAB = "    "
_LEVEL = {Confidence.PROVEN: "bold red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: "dim"}
_STATUS = {"fixable": "green", "unsafe": "magenta", "refused": "red"}


def render_text(report: Report, console: Console | None = None) -> None:
    """Print `report`: a block per finding, then what was skipped, then a summary. Plain when it is no terminal."""
    out = console or Console(highlight=False)
    for finding in report.findings:
        _block(report, finding, out)
    _skipped(report.skipped, out)
    _summary(report, out)


def clean(text: str) -> str:
    """`text` without what could steer a terminal or mislead a reader: control, format and unassigned characters."""
    text = text.replace("\t", _TAB)
    if text.isascii() and text.isprintable():
        return text
    return "".join("?" if unicodedata.category(c) == "Cs" else c for c in text if _visible(c))


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co")


def status(report: Report, finding: Finding) -> str:
    """`fixable`, `unsafe` (has a fix, but only with --unsafe-fixes) or `refused`."""
    if finding.fix is None:
        return "refused"
    return "fixable" if report.why_not(finding) is None else "unsafe"


def _print(out: Console, *parts: Text | tuple[str, str] | str) -> None:
    """One line of parts, some (text, style), never wrapped or cut: what is copied from it must be whole."""
    out.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def _block(report: Report, finding: Finding, out: Console) -> None:
    state = status(report, finding)
    place = f"{clean(finding.path)}:{finding.span.line}:{finding.span.column}"
    _print(
        out,
        (place, "bold"),
        "  ",
        (finding.rule, "bold cyan"),
        "  ",
        (finding.confidence.value, _LEVEL[finding.confidence]),
        "  ",
        (f"[{state}]", _STATUS[state]),
    )
    _print(out, f"  {_sentence(finding.message)}")
    source = report.sources.get(finding.path)
    if source is not None:
        _frame(source, finding.span, out)
    _trace(finding.trace, out)
    if finding.fix is not None:
        _print(out, ("  fix: ", "green"), clean(finding.fix.title))
    why = report.why_not(finding)
    if why is not None:
        _print(out, (f"  {state}: ", _STATUS[state]), _sentence(why))
    _print(out)


def _sentence(text: str) -> str:
    return clean(" ".join(text.split()))


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
    _print(out, (f"  {'':{width}} {bar}", "blue"))
    for number in shown:
        code = source.line_text(number)
        start = span.column - 1 if number == span.line else len(code) - len(code.lstrip())
        end = span.end_column - 1 if number == span.end_line else len(code)
        code, start, end = _window(code, start, end, room)
        _print(out, (f"  {number:{width}} {bar} ", "blue"), _colored(source, clean(code), out))
        if number == span.line:
            indent = cell_len(clean(code[:start]))
            carets = max(1, cell_len(clean(code[start:end].rstrip())))
            _print(out, (f"  {'':{width}} {bar} ", "blue"), " " * indent, ("^" * carets, "bold red"))
    if shown[-1] < last:
        _print(out, (f"  {'':{width}} {bar} ... {last - shown[-1]} more lines", "blue"))


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


def _trace(trace: Iterable[Hop], out: Console) -> None:
    hops = [(f"{clean(hop.path)}:{hop.line}", _sentence(hop.what)) for hop in trace]
    if not hops:
        return
    wide = max(cell_len(place) for place, _ in hops)
    digits = len(str(len(hops)))
    for number, (place, what) in enumerate(hops, 1):
        gap = " " * (wide - cell_len(place) + 2)
        _print(out, (f"  {number:>{digits}}. ", "dim"), (place, "cyan"), gap, what)


def _skipped(skipped: tuple[Skipped, ...], out: Console) -> None:
    if not skipped:
        return
    _print(out, (f"{_count(len(skipped), 'file')} could not be looked at:", "yellow"))
    for row in skipped[:SHOWN_SKIPPED]:
        _print(out, f"  {clean(row.path)}: {_sentence(row.reason)}")
    if len(skipped) > SHOWN_SKIPPED:
        _print(out, f"  ... and {len(skipped) - SHOWN_SKIPPED} more (--format json lists all)")
    _print(out)


def _summary(report: Report, out: Console) -> None:
    files = _count(report.files_seen, "file")
    failed = sorted({row.failed for row in report.skipped if row.failed})
    if not report.findings and failed:
        _print(out, (f"Not known: rule {', '.join(failed)} failed", "bold red"), f" in {files}.")
        return
    if not report.findings:
        _print(out, ("Nothing found", "bold green"), f" in {files}.")
        return
    rules = Counter(finding.rule for finding in report.findings)
    listed = ", ".join(f"{count} {rule}" for rule, count in sorted(rules.items(), key=lambda row: (-row[1], row[0])))
    places = len({finding.path for finding in report.findings})
    _print(
        out,
        (f"{_count(len(report.findings), 'finding')}", "bold"),
        f" in {places} of {files}: {listed}.",
    )
    states = Counter(status(report, finding) for finding in report.findings)
    for line in _next(report, states):
        _print(out, line)


def _next(report: Report, states: Counter[str]) -> Iterator[str]:
    parts = []
    if states["fixable"]:
        parts.append(f"{states['fixable']} can be fixed")
    if states["unsafe"]:
        parts.append(f"{states['unsafe']} only with --unsafe-fixes")
    if states["refused"]:
        parts.append(f"{states['refused']} refused, the reason is given above")
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
    return shlex.quote(clean(near if len(near) < len(root) else root))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
