"""`spawnfix migrate`: rewrite, on a branch of its own."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..engine.choices import Choices, Commits, Verification
from ..engine.time_limit import time_limit
from ..problem import Problem
from .options import Bar, Baseline, Ignore, Jobs, Launch, LocalRules, NoCache, Seconds, Select, Since, Target_, Unsafe
from .output import put, say
from .run import complete, settings_of, watched_rules

if TYPE_CHECKING:
    from ..rule import Rule
    from .selected import Selected


def migrate(
    path: Target_,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the changes, as a diff.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="With --dry-run: exit 1 when something would change.")
    ] = False,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    branch: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="Name of the branch.  [default: spawnfix/migrate, then -2, -3...]"),
    ] = None,
    no_checkout: Annotated[bool, typer.Option("--no-checkout", help="Create the branch, do not check it out.")] = False,
    no_git: Annotated[bool, typer.Option("--no-git", help="Rewrite the files in place, without git.")] = False,
    patch: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the changes to FILE, as a diff."),
    ] = None,
    html: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the changes to FILE, as a web page to review and to send."),
    ] = None,
    no_cache: NoCache = False,
    proven_by: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--from", metavar="FILE", help="Treat what failed in `diagnose --save FILE` as proven."),
    ] = None,
    bowler_query: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also apply the Bowler query that your FILE defines as `query`."),
    ] = None,
    allow_local_rules: LocalRules = False,
    decisions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Only make the changes that FILE accepts; with -i: where decisions are saved."
        ),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask about each change, and make those that you accept.")
    ] = False,
    since: Since = None,
    baseline: Baseline = None,
    commits: Annotated[
        Commits,
        typer.Option(
            metavar="HOW", help="What becomes a commit: all fixes of a rule (per-rule), each fix (per-finding), or one."
        ),
    ] = Commits.PER_RULE,
    pr_body: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the text of a pull request to FILE, as Markdown."),
    ] = None,
    verify: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="COMMAND", help="Run COMMAND on copies, before and after; leave out what breaks it."),
    ] = None,
    run: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="COMMAND",
            help="Run the program COMMAND on copies, before and after, and look at what it sends to other processes.",
        ),
    ] = None,
    verify_timeout: Annotated[
        float, typer.Option("--verify-timeout", metavar="S", min=0, help="Seconds for one run of COMMAND; 0: no limit.")
    ] = 600,
    verify_junit: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="FILE", help="The JUnit file that COMMAND writes: tests are compared one by one."),
    ] = None,
    verify_report: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write the results of COMMAND, before and after, to FILE as JSON."),
    ] = None,
    no_pager: Annotated[
        bool, typer.Option("--no-pager", help="With --dry-run at a terminal: print, don't start $GIT_PAGER or $PAGER.")
    ] = False,
    timeout: Seconds = 0,
    jobs: Jobs = 1,
) -> None:
    """Rewrite what can't cross a process boundary, on a new git branch with one commit per rule."""
    gc.disable()  # one look at all we hold would take longer than this process lives
    from ..delivery import deliver, target

    if exit_code and not dry_run:
        raise Problem("--exit-code goes with --dry-run")
    if no_git and (branch is not None or no_checkout):
        raise Problem("--no-git makes no branch: leave out --branch and --no-checkout")
    verification = _verification(verify, run, verify_timeout, verify_junit, verify_report, no_git)
    where = target.to_preview(path, no_git) if dry_run else target.to_migrate(path, no_git)
    settings = settings_of(
        where,
        select,
        ignore,
        confidence,
        unsafe_fixes,
        launcher,
        None,
        not no_cache,
        allow_local_rules,
    )
    if proven_by is not None:
        from ..diagnose.saved import with_sites

        settings = with_sites(settings, proven_by, where.files.root)
    if branch is not None and where.commit is not None:
        from ..tree.git_tree import free_name

        free_name(where.commit.repository, branch)  # before the work, not after it
    from ..engine.migrate import plan

    own: dict[str, Rule] = {}
    if bowler_query is not None:
        from ..python2.own_query import own_query

        own = {"bowler-query": own_query(bowler_query)}
        settings = replace(settings, select=(*settings.select, *own) if settings.select else ())
    with time_limit(timeout), watched_rules("migrating") as rules:
        rules = {**rules, **own}
        done = plan(where.files, settings, where.scope, rules, jobs)
        done = replace(done, skipped=(*done.skipped, *where.untracked(), *where.vendored()))
    if html is not None:
        from .review import write_page

        write_page(done, where, html, decisions)
    at_terminal = dry_run and sys.stdout.isatty()
    chosen: Selected | None = None
    choices = Choices(decisions, interactive, since, baseline, commits, verification)
    if choices != Choices():
        from .selected import selected

        chosen = selected(done, where, settings, rules, choices)
        done = chosen.plan
    elif at_terminal or pr_body is not None:
        from .selected import everything

        chosen = everything(done, where)
    diff = deliver.diff_of(where, done) if (dry_run and not at_terminal) or patch is not None else b""
    if patch is not None:
        deliver.write_patch(patch, diff)
    if pr_body is not None and chosen is not None:
        from ..review.pull_request import pull_request

        text = pull_request(chosen.review, chosen.changes, done, commits, verification)
        deliver.write_patch(pr_body, text.encode("utf-8", "backslashreplace"))
    if done.changes and not dry_run:
        deliver.deliver(where, done, branch, not no_checkout, say, commits is Commits.PER_FINDING)
    else:
        for line in deliver.summary(done, would=True):
            say(line)
    if at_terminal and chosen is not None:
        from .selected import show

        show(chosen, not no_pager)
    elif dry_run:
        put(diff)
    complete(done.skipped, where, done.files_seen)
    raise typer.Exit(1 if exit_code and done.changes else 0)


def _verification(
    verify: str | None, run: str | None, seconds: float, junit: str | None, report: Path | None, no_git: bool
) -> Verification | None:
    """What is run before and after the changes. Raises Problem where the options don't go together."""
    if verify is not None and run is not None:
        raise Problem("--verify and --run: give one of them")
    if verify is None and junit is not None:
        raise Problem("--verify-junit goes with --verify COMMAND")
    flag, command = ("--verify", verify) if run is None else ("--run", run)
    if command is None:
        if report is not None:
            raise Problem("--verify-report goes with --verify COMMAND or --run COMMAND")
        return None
    if not command.strip():
        raise Problem(f"{flag}: the command is empty")
    if no_git:
        raise Problem(f"{flag} works on copies of a commit: leave out --no-git")
    return Verification(command, seconds, junit, report, watched=run is not None)
