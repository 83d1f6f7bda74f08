"""An explanation of an error for the terminal."""

from __future__ import annotations

import re

from rich.console import Console

from ..review.text import clean
from ..transforms import rules
from .explain import Explanation, advice_for, package_at_fault, place_of_worker, user_frames
from .roads import is_of_pickle
from .show import show_line as _line
from .tracebacks import Traceback

_PASSED_ON = re.compile(  # errors that only say that another process failed, or did not answer
    r"(?:[\w.]+\.)?(?:TuneError|Ray\w*Error|WorkerCrashedError|SystemExit"
    r"|(?:Async)?Future\w*Error|CancelledError|BdbQuit|TrialRunnerError|Empty|Full)\b"
    r"|(?:subprocess\.)?CalledProcessError: Command .*(?:python|torchrun|accelerate|deepspeed)"
)
_MOST_DIFFS = 3
_MOST_UNREAD = 5
_MOST_OTHERS = 5


def show_explanation(explanation: Explanation, console: Console | None = None, headline: bool = True) -> None:
    """Print what an error means, where it may come from, the fix as a diff, and the command that applies it.

    `headline`: the error itself first.
    """
    out = console or Console(highlight=False)
    read = explanation.traceback
    cause = read.cause
    if headline:
        _line(out, (clean(read.error), "red"))
    _line(out)
    asked = "its words fit several causes. Is it this? " if cause.known is not None and cause.known.question else ""
    _line(out, asked, (f"{cause.rule}: " if cause.rule else "", "bold cyan"), f"{cause.what}.")
    _line(out, f"  {advice_for(read, explanation.log.programs)}")
    if cause.known is not None and cause.known.reference:
        _line(out, "  ", (cause.known.reference, "dim"))
    seen = _seen(read)
    if seen:
        _line(out, f"  {seen}")
    if read.path:
        _line(out, "  it is ", (clean(read.path), "bold"))
    elif read.notes:
        _line(out, "  on the way, from the inside: " + clean("; ".join(read.notes)))
    frames = user_frames(read)
    if frames:
        _line(
            out,
            "  it was sent from " if is_of_pickle(cause) and (cause.type or cause.name) else "  it happened at ",
            clean(", from ".join(frames[:3])),
        )
    package = package_at_fault(read)
    if package is not None:
        name, place = map(clean, package)
        _line(
            out,
            f"  the line that failed is in the installed package {name} ({place}), not in your code: "
            "look for an option that leads there, and for another version",
        )
    if read.passed_on:
        _line(out, "  the worker was at ", clean(place_of_worker(read)))
    if not cause.secondary:
        _places(out, explanation)
    _own_error(out, explanation)
    _others(out, explanation)


def _seen(read: Traceback) -> str:
    if len(read.ranks) > 1:
        return f"seen on ranks {', '.join(map(str, read.ranks))}"
    if read.ranks:
        return f"seen on rank {read.ranks[0]}"
    if read.streams:
        return f"printed by {', '.join(map(clean, read.streams[:6]))}"
    return f"seen {read.count} times" if read.count > 1 else ""


def _places(out: Console, explanation: Explanation) -> None:
    cause = explanation.traceback.cause
    if explanation.candidates:
        _candidates(out, explanation)
    if explanation.spots:
        _line(out)
        for spot in explanation.spots:
            _line(out, "  ", (f"{clean(spot.path)}:{spot.line}", "bold"), f"  {clean(spot.what)}")
    if not explanation.candidates:
        _without_fix(out, explanation)
    if explanation.unread:
        names = ", ".join(f"{clean(row.path)} ({clean(row.reason)})" for row in explanation.unread[:_MOST_UNREAD])
        more = len(explanation.unread) - _MOST_UNREAD
        _line(out)
        _line(out, f"not read, the cause may be there: {names}" + (f" and {more} more" if more > 0 else ""))
    if explanation.command:
        _line(out)
        _line(out, "apply it: ", (explanation.command, "bold green"))
    elif cause.rule is not None and cause.rule not in rules():
        _line(out)
        _line(out, f"this version has no rule {cause.rule}: change it by hand")


def _candidates(out: Console, explanation: Explanation) -> None:
    _line(out)
    one = len(explanation.candidates) == 1
    _line(out, ("it comes from" if one else "it comes from one of these", "bold"))
    for item in explanation.candidates:
        finding = item.finding
        place = f"{clean(finding.path)}:{finding.span.line}"
        _line(out, "  ", (place, "bold"), f"  {clean(finding.message)}  ", (finding.confidence.value, "dim"))
        if finding.fix is None:
            _line(out, ("    refused: ", "red"), clean(finding.reason or ""))
    if explanation.others:
        _line(out, f"  ({explanation.others} more places of this rule match less well)")
    shown = dict.fromkeys(explanation.diff(item.finding) for item in explanation.candidates)
    for diff in [diff for diff in shown if diff][:_MOST_DIFFS]:
        _line(out)
        for line in diff.splitlines():
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            _line(out, (clean(line), style))


def _without_fix(out: Console, explanation: Explanation) -> None:
    """Without a place that fits there is no fix to offer; say where to look."""
    rule = explanation.traceback.cause.rule
    if rule not in rules():
        return
    _line(out)
    if explanation.report is None:
        _line(out, f'find it in a repository: spawnfix explain "..." PATH, or spawnfix check PATH --select {rule}')
        return
    where = clean(explanation.where or ".")
    if explanation.alike:
        _line(out, "the error names none; is it one of these?")
        for finding in explanation.alike:
            _line(out, "  ", (f"{clean(finding.path)}:{finding.span.line}", "bold"), f"  {clean(finding.message)}")
        _line(out, f"their fixes: spawnfix check {where} --select {rule}")
    elif explanation.others:
        _line(
            out,
            f"{rule} finds {explanation.others} in {where}, and none of them fits this error: spawnfix check {where} "
            f"--select {rule} --confidence possible",
        )
    elif not explanation.spots:
        _line(out, f"{rule} finds nothing in {where}: an installed package may make it, or the run itself.")
    if explanation.traceback.cause.type or explanation.traceback.cause.name:
        _line(out, "Look at the object itself: spawnfix diagnose your_module:your_dataset")


def _own_error(out: Console, explanation: Explanation) -> None:
    """Where only an echo or a consequence is known: the exception in the same text that may be the true one."""
    read = explanation.traceback
    symptom = read.cause.known is not None and read.cause.known.symptom
    if not (read.cause.secondary or symptom or read.quoted):
        return
    for item in reversed(explanation.log.unknown):
        if not item.is_interrupt and not _PASSED_ON.match(item.error):
            frame = next((found for found in reversed(item.frames) if found.user), None)
            at = "" if frame is None else f", at {clean(frame.path)}:{frame.line}"
            _line(out)
            _line(out, "the error that matters may be: ", (clean(item.error), "red"), at)
            return


def _others(out: Console, explanation: Explanation) -> None:
    others = explanation.log.others
    if others:
        _line(out)
        _line(out, ("also in this text:", "bold"))
    for read in others[:_MOST_OTHERS]:
        seen = _seen(read)
        _line(out, "  ", (clean(read.error), "red"), f"  ({seen})" if seen else "")
        _line(out, f"    {read.cause.rule + ': ' if read.cause.rule else ''}{read.cause.what}; {read.cause.advice}")
    if len(others) > _MOST_OTHERS:
        _line(out, f"  and {len(others) - _MOST_OTHERS} more")
