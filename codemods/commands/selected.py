"""`migrate --decisions FILE` and `--interactive`: from the whole plan to what was accepted."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..engine.choices import Choices, Verification
from ..engine.selection import Edited, Selection, Selector
from ..engine.units import Units
from ..problem import Problem
from ..quoting import shell
from ..review.decided import Proved, decide, told
from ..review.decisions import Decisions, all_accepted, read_decisions, write_decisions
from ..review.model import Change, Review, review_of
from .narrow import wanted_changes
from .output import say

if TYPE_CHECKING:
    from ..delivery.target import Target
    from ..engine.results import Plan
    from ..rule import Rule
    from ..settings import Settings


@dataclass(frozen=True)
class Selected:
    """A plan, the review of all that could be done, and those changes of it that the plan makes."""

    plan: Plan
    review: Review
    changes: tuple[Change, ...]


def everything(plan: Plan, where: Target) -> Selected:
    """`plan` as it is."""
    review = review_of(Units(plan), where.files)
    return Selected(plan, review, review.changes)


def selected(plan: Plan, where: Target, settings: Settings, rules: Mapping[str, Rule], choices: Choices) -> Selected:
    """What is left of `plan` after the decisions that are in a file, or taken now, and what is not new.

    Raises Problem, and typer.Exit when the user wants nothing to be done now.
    """
    file = choices.decisions
    if choices.interactive and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Problem("--interactive asks at a terminal, and this is none; --decisions FILE makes what was accepted")
    units = Units(plan)
    review = review_of(units, where.files)
    wanted = wanted_changes(review, where, choices.since, choices.baseline)
    review = replace(review, changes=tuple(change for change in review.changes if wanted(change.id)))
    selector = Selector(units, where.files, settings, where.scope, rules, choices.commits)
    if choices.interactive:
        decisions = _asked(review, selector, file)
    elif file is not None:
        decisions = read_decisions(file)
    else:
        decisions = all_accepted(review)
    decided = decide(review, selector, decisions, _prover(where, selector, choices.verification))
    if choices.verification is not None and not decided.accepted and not decided.left_out:
        say(f"verify: nothing changes, so `{choices.verification.command}` is not run")
    for line in told(decided, review, counts=file is not None or choices.interactive):
        say(line)
    return Selected(decided.plan, review, decided.accepted)


def _prover(where: Target, selector: Selector, asked: Verification | None) -> Proved | None:
    """What runs the user's command and leaves out the fixes that break it; None when there is no command."""
    if asked is None:
        return None
    from ..delivery.command_run import Outcome, run_command
    from ..delivery.deliver import write_patch
    from ..delivery.proof import Prover, as_json

    def run(folder: Path) -> Outcome:
        if asked.watched:
            from ..diagnose.watched import run_watched

            return run_watched(asked.command, folder, asked.seconds)
        return run_command(asked.command, folder, asked.seconds, asked.junit)

    def proved(selection: Selection, edited: Mapping[int, Edited]) -> Selection:
        proof = Prover(where, selector, asked.command, run, say, asked.watched).prove(selection, edited)
        if asked.report is not None:
            write_patch(asked.report, json.dumps(as_json(proof, selector), indent=2).encode() + b"\n")
        return proof.selection

    return proved


def _asked(review: Review, selector: Selector, named: Path | None) -> Decisions:
    """The decisions of the person at the terminal, saved in the file `named` or one of our own."""
    from rich.console import Console

    from ..review import keyboard
    from ..review.editor import edited
    from ..review.interactive import Interview, Keyboard

    file = named or own_file(review.root)
    decisions = read_decisions(file) if file.exists() else Decisions()
    if named is None:
        decisions = decisions.without(decisions.stale(review))
    if not review.changes:
        return decisions

    def edit(text: str) -> str | None:
        with keyboard.as_before():
            return edited(text, ".diff")

    keys = Keyboard(keyboard.key, keyboard.line, edit)
    out = Console(stderr=True, highlight=False)
    interview = Interview(review, selector, decisions, keys, out, lambda created: write_decisions(file, created))
    with keyboard.single_keys():
        wanted = interview.run()
    if not wanted:
        say(f"nothing was changed; your decisions are saved in {file}")
        say("  go on with the same command; make what you accepted:")
        say(f"  spawnfix migrate --decisions {shell(str(file))} {shell(review.root)}")
        raise typer.Exit(0)
    return interview.decisions


def own_file(root: str) -> Path:
    """Where decisions about the repository at `root` are saved when the user names no file. Raises Problem."""
    from ..store import folder

    cache = folder()
    if cache is None:
        raise Problem("no folder to save decisions in: name a file with --decisions FILE")
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    place = cache / "decisions"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"can't save decisions in {place}: {error.strerror}; name a file with --decisions FILE") from None
    return place / f"{name}.json"


def show(chosen: Selected, pager: bool) -> None:
    """The changes on the terminal, in colours, in the user's pager when they don't fit."""
    import io

    from rich.console import Console

    from ..review.blocks import dry_run
    from ..review.editor import paged

    screen = Console(highlight=False)
    text = io.StringIO()
    out = Console(file=text, highlight=False, force_terminal=True, width=screen.width, no_color=screen.no_color)
    dry_run(out, chosen.review, chosen.changes)
    data = text.getvalue().encode("utf-8", "backslashreplace")
    if not (pager and sys.stdin.isatty() and paged(data)):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
