"""`spawnfix review`: the changes one by one in a browser, and `migrate --html`: the same page as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..engine.time_limit import time_limit
from ..problem import Problem
from ..quoting import shell
from .options import Bar, Ignore, Launch, LocalRules, NoCache, Seconds, Select, Target_, Unsafe
from .output import say
from .run import complete, settings_of, watched_rules

if TYPE_CHECKING:
    from ..delivery.target import Target
    from ..engine.results import Plan


def _port(number: int) -> int:
    """`number`, checked here because a range beside the option would leave no room for its help."""
    if not 0 <= number <= 65535:
        raise typer.BadParameter("a port is a number from 0 to 65535")
    return number


def review(
    path: Target_,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    decisions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Where decisions are read from and saved.  [default: in our cache folder]"),
    ] = None,
    branch: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="Name of the branch that Apply makes."),
    ] = None,
    no_checkout: Annotated[bool, typer.Option("--no-checkout", help="Create the branch, do not check it out.")] = False,
    no_git: Annotated[bool, typer.Option("--no-git", help="Apply rewrites the files in place, without git.")] = False,
    port: Annotated[int, typer.Option(metavar="N", callback=_port, help="Port; 0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    no_cache: NoCache = False,
    allow_local_rules: LocalRules = False,
    timeout: Seconds = 0,
) -> None:
    """Look at each change in a browser, accept or reject it, and make the branch of what you accepted.

    The page is served on this machine only, at an address that nobody can guess. Ctrl-C ends it.
    """
    from ..delivery import target
    from ..delivery.deliver import deliver
    from ..engine.migrate import plan
    from ..engine.selection import Selector
    from ..engine.units import Units
    from ..review.decided import decide, told
    from ..review.decisions import Decisions, read_decisions, write_decisions
    from ..review.model import review_of
    from ..review.page import page_of
    from ..review.server import ReviewServer
    from .selected import own_file

    if no_git and (branch is not None or no_checkout):
        raise Problem("--no-git makes no branch: leave out --branch and --no-checkout")
    where = target.to_migrate(path, no_git)
    settings = settings_of(
        where, select, ignore, confidence, unsafe_fixes, launcher, None, not no_cache, allow_local_rules
    )
    with time_limit(timeout), watched_rules("looking") as rules:
        whole = plan(where.files, settings, where.scope, rules)
    units = Units(whole)
    seen = review_of(units, where.files)
    selector = Selector(units, where.files, settings, where.scope, rules)
    file = decisions or own_file(seen.root)
    state = read_decisions(file) if file.exists() else Decisions()

    def save(new: Decisions) -> None:
        nonlocal state
        stale = {id: old for id, old in state.by_id.items() if id in state.stale(seen)}
        state = Decisions({**stale, **new.by_id})
        write_decisions(file, state)

    def apply() -> str:
        decided = decide(seen, selector, state)
        lines = list(told(decided, seen))
        if not decided.plan.changes:
            return "\n".join([*lines, "nothing is accepted: nothing was changed"])
        try:
            deliver(where, decided.plan, branch, not no_checkout, lines.append)
        finally:
            for line in lines:
                say(line)
        return "\n".join(lines)

    with ReviewServer(page_of(seen, state, _title(where), served=True), save, apply, port) as server:
        say(f"{len(seen.changes)} changes, {len(seen.open)} findings without one: {server.address}")
        say(f"decisions are saved in {file}; Ctrl-C ends this")
        if browser:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("")
            say("make what you accepted, now or later:")
            say(f"  spawnfix migrate --decisions {shell(str(file))} {shell(str(path))}")
    complete(whole.skipped, where, whole.files_seen)


def write_page(plan: Plan, where: Target, file: Path, decisions: Path | None) -> None:
    """Write the page of `plan` to `file`, with what `decisions` say. Raises Problem."""
    from ..engine.units import Units
    from ..review.decisions import Decisions, read_decisions
    from ..review.model import review_of
    from ..review.page import page_of
    from ..tree.writing import written

    created = read_decisions(decisions) if decisions is not None else Decisions()
    page = page_of(review_of(Units(plan), where.files), created, _title(where))
    try:
        written(file, page.encode())
    except OSError as error:
        raise Problem(f"can't write {file}: {error.strerror or error}") from None


def _title(where: Target) -> str:
    return Path(where.files.root).name or "review"
