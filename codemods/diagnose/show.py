"""A diagnosis and an explanation for the terminal."""

from __future__ import annotations

import re
from collections import Counter

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from ..quoting import shell
from ..review.text import clean
from ..transforms import rules
from .report import Diagnosis, Obstacle, Place

_STEP = re.compile(r"\.\w+(?:\([^()]*\))?|\[[^\[\]]*\]")


def show_diagnosis(
    diagnosis: Diagnosis, saved: str | None = None, console: Console | None = None, again: str | None = None
) -> None:
    """Print `diagnosis`: a tree of paths to what can't be sent, why, and what fixes it; then what weighs.

    `saved`: the file that it was written to. `again`: the command that shows whether a fix worked.
    """
    out = console or Console(highlight=False)
    count = sum(1 + item.more for item in diagnosis.obstacles)
    name = clean(diagnosis.target)
    if count:
        verdict = (f"{count} problem{'' if count == 1 else 's'}", "bold red")
        words = (
            " that keep it from reaching a spawned worker" if diagnosis.exit_code is None else " at process boundaries"
        )
        show_line(out, (name, "bold"), ": ", verdict, words.replace("keep", "keeps") if count == 1 else words)
    else:
        show_line(out, (name, "bold"), ": ", *_fine(diagnosis))
    for context in dict.fromkeys(item.context for item in diagnosis.obstacles):
        _tree(out, [item for item in diagnosis.obstacles if item.context == context], context)
    _causes(out, diagnosis)
    _payload(out, diagnosis)
    for note in diagnosis.notes:
        show_line(out, ("note: ", "yellow"), clean(note))
    if diagnosis.unfinished:
        show_line(out, ("not complete: ", "yellow"), clean(diagnosis.unfinished))
    _next(out, diagnosis, saved)
    if again and diagnosis.obstacles:
        show_line(out, "then, to see that it is gone: ", (clean(again), "bold green"))


def _fine(diagnosis: Diagnosis) -> list[tuple[str, str] | str]:
    if diagnosis.exit_code is None:
        return [("nothing is in the way of spawn", "bold green")]
    if diagnosis.watched:
        looked = f"starts of processes looked at: {diagnosis.watched}"
        return [("nothing that it sends to other processes would fail under spawn", "bold green"), f" ({looked})"]
    return ["nothing that it sent to other processes failed (what is forked is looked at with --dry-run-fork)"]


def show_line(out: Console, *parts: Text | tuple[str, str] | str) -> None:
    """Print `parts`, plain or styled, as one line, however long."""
    out.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def _tree(out: Console, obstacles: list[Obstacle], context: str) -> None:
    steps = {item: _steps(item.path) for item in obstacles}
    root = Tree(Text(clean(context or _root(obstacles[0].path)), "bold"), guide_style="dim")
    nodes: dict[str, Tree] = {}
    shared = Counter(prefix for item in obstacles for prefix in _prefixes(steps[item])[:-1])
    for item in obstacles:
        parent, done = root, ""
        for prefix in _prefixes(steps[item])[:-1]:
            branches = shared[prefix] > 1 and not any(
                shared[longer] == shared[prefix] for longer in shared if longer != prefix and longer.startswith(prefix)
            )
            if branches and prefix != steps[item][0]:
                if prefix not in nodes:
                    nodes[prefix] = parent.add(Text(clean(prefix[len(done) :] if done else prefix), "cyan"))
                parent, done = nodes[prefix], prefix
        label = item.path[len(done) :] if done else item.path
        node = parent.add(_label(label, item))
        node.add(Text(clean(item.error), "red"))
        for words in _places(item):
            node.add(Text(clean(words)))
        if item.more:
            node.add(Text(f"and {item.more} more like it", "dim"))
    width, out.width = out.width, 10_000  # what is copied from it must be whole
    try:
        out.print(root, soft_wrap=True, highlight=False)
    finally:
        out.width = width


def _label(path: str, each: Obstacle) -> Text:
    where = "  (fails in the worker)" if each.side == "child" else ""
    kind = f"  {clean(each.type)}" if each.type else ""
    return Text.assemble((clean(path), "bold"), (kind, "magenta"), (where, "yellow"))


def _root(path: str) -> str:
    return _steps(path)[0] or path


def _steps(path: str) -> list[str]:
    """`dataset.tfm[0].fn` -> `dataset`, `.tfm`, `[0]`, `.fn`; a path of another shape stays whole."""
    match = re.match(r"\w+(?:\([^()]*\))?", path)
    if match is None:
        return [path]
    rest = path[match.end() :]
    found = _STEP.findall(rest)
    return [match.group(), *found] if "".join(found) == rest else [path]


def _prefixes(steps: list[str]) -> list[str]:
    return ["".join(steps[: n + 1]) for n in range(len(steps))]


def _places(each: Obstacle) -> list[str]:
    rows = []
    if each.assigned_at is not None:
        # without a type it is only known from an error, and this is the line that led to it
        rows.append(f"{'assigned at' if each.type else 'at'} {_at(each.assigned_at)}")
    if each.defined_at is not None and each.defined_at != each.assigned_at:
        rows.append(f"created at {_at(each.defined_at)}")
    if each.started_at is not None:
        rows.append(f"started at {_at(each.started_at)}")
    return rows


def _at(place: Place) -> str:
    return f"{place.shown}:{place.line}" + ("" if place.user else " (installed, not yours)")


def _causes(out: Console, diagnosis: Diagnosis) -> None:
    causes = [item.cause for item in diagnosis.obstacles]
    rows = ((c.rule, c.what, c.advice, c.known.in_own_code if c.known else "") for c in causes if c is not None)
    for rule, what, advice, in_own_code in dict.fromkeys(rows):
        show_line(out)
        show_line(out, (rule or "by hand", "bold cyan" if rule else "bold"), f": {what}.")
        show_line(out, f"  {advice}")
        foreign = [o for o in diagnosis.obstacles if o.rule == rule and o.assigned_at and not o.assigned_at.user]
        if in_own_code and foreign:
            show_line(out, "  the class is an installed package's; in your own code, after the object is created:")
            for item in foreign[:3]:
                show_line(out, "    ", (in_own_code.format(clean(item.path)), "green"))


def _payload(out: Console, diagnosis: Diagnosis) -> None:
    total = diagnosis.payload_bytes
    if total < 1 << 20 and diagnosis.shared_bytes < 1 << 20:
        return
    show_line(out)
    show_line(out, ("payload", "bold"), f": every worker is sent {size(total)}, and makes a copy of its own")
    for item in diagnosis.payload[:6]:
        extra = f"  (+ {size(item.shared_bytes)} shared)" if item.shared_bytes else ""
        show_line(out, f"  {size(item.bytes):>9}  {clean(item.path)}{extra}")


def size(number: int) -> str:
    """`number` of bytes as people say it."""
    value = float(number)
    for unit in ("bytes", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def _next(out: Console, diagnosis: Diagnosis, saved: str | None) -> None:
    known = [rule for rule in dict.fromkeys(item.rule for item in diagnosis.obstacles) if rule in rules()]
    if not known:
        return
    show_line(out)
    if saved:
        show_line(out, "fix what has a rule: ", (f"spawnfix migrate . --from {shell(saved)}", "bold green"))
    else:
        words = f"spawnfix migrate . --select {','.join(str(rule) for rule in known)}"
        show_line(out, "fix what has a rule: ", (words, "bold green"))
        show_line(
            out, "or save this (--save d.json), and have these very places fixed: spawnfix migrate . --from d.json"
        )
