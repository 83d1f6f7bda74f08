"""The command line: arguments in, exit codes out. Everything slow is imported by the command that needs it."""

from __future__ import annotations

import contextlib
import enum
import gc
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from . import __version__
from .engine.time_limit import TimeIsUp, time_limit
from .finding import Confidence
from .problem import Problem
from .quoting import for_terminal, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .delivery.target import Target
    from .finding import Skipped
    from .rule import Rule
    from .settings import Settings

app = typer.Typer(
    name="spawnfix",
    help="Make PyTorch research code survive spawn, forkserver and distributed launchers.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(str, enum.Enum):
    """How `check` reports."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


class ReportFormat(str, enum.Enum):
    """How `diagnose` reports."""

    text = "text"
    json = "json"


class Launcher(str, enum.Enum):
    """What replaces torch.distributed.launch."""

    auto = "auto"
    torchrun = "torchrun"
    python = "python"


class StartMethod(str, enum.Enum):
    """How workers will be started."""

    spawn = "spawn"
    forkserver = "forkserver"


# Optional[...] rather than `| None`: older Typer evaluates these at run time.
Target_ = Annotated[Path, typer.Argument(metavar="PATH", help="A repository, or a folder or file inside one.")]
Select = Annotated[Optional[list[str]], typer.Option(metavar="RULE,..", help="Only these rules.")]  # noqa: UP045
Ignore = Annotated[Optional[list[str]], typer.Option(metavar="RULE,..", help="All rules but these.")]  # noqa: UP045
Bar = Annotated[
    Optional[Confidence],  # noqa: UP045
    typer.Option(help="How sure to be that a value crosses a process boundary.  [default: likely]"),
]
Unsafe = Annotated[
    Optional[bool],  # noqa: UP045
    typer.Option("--unsafe-fixes/--no-unsafe-fixes", help="Also make changes that may change what the code does."),
]
Seconds = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0, help="Give up after S seconds, nothing changed; 0: no limit.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither use nor fill the cache of analysed files.")]
Launch = Annotated[Optional[Launcher], typer.Option(help="What replaces torch.distributed.launch.")]  # noqa: UP045


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"spawnfix {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        with contextlib.redirect_stdout(sys.stderr):  # Typer prints some help itself and returns the rest
            typer.echo(context.get_help())
        raise typer.Exit(2)


@app.command()
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
    no_checkout: Annotated[bool, typer.Option("--no-checkout", help="Make the branch, don't check it out.")] = False,
    no_git: Annotated[bool, typer.Option("--no-git", help="Rewrite the files in place, without git.")] = False,
    patch: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the changes to FILE, as a diff."),
    ] = None,
    no_cache: NoCache = False,
    proven_by: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--from", metavar="FILE", help="Take the places that `diagnose --save FILE` saw fail as proven."),
    ] = None,
    bowler_query: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also apply the Bowler query that your FILE defines as `query`."),
    ] = None,
    timeout: Seconds = 0,
) -> None:
    """Rewrite what can't cross a process boundary, on a new git branch with one commit per rule."""
    gc.disable()  # one look at all we hold would take longer than this process lives
    from .delivery import deliver, target

    if exit_code and not dry_run:
        raise Problem("--exit-code goes with --dry-run")
    if no_git and (branch is not None or no_checkout):
        raise Problem("--no-git makes no branch: leave out --branch and --no-checkout")
    where = target.to_preview(path, no_git) if dry_run else target.to_migrate(path, no_git)
    settings = _settings(where, select, ignore, confidence, unsafe_fixes, launcher, None, not no_cache)
    if proven_by is not None:
        from .diagnose.saved import with_sites

        settings = with_sites(settings, proven_by, where.files.root)
    if branch is not None and where.commit is not None:
        from .tree.git_tree import free_name

        free_name(where.commit.repository, branch)  # before the work, not after it
    from .engine.migrate import plan

    own: dict[str, Rule] = {}
    if bowler_query is not None:
        from .python2.own_query import own_query

        own = {"bowler-query": own_query(bowler_query)}
        settings = replace(settings, select=(*settings.select, *own) if settings.select else ())
    with time_limit(timeout), _watched("migrating") as rules:
        rules = {**rules, **own}
        done = plan(where.files, settings, where.scope, rules)
        done = replace(done, skipped=(*done.skipped, *where.untracked()))
    diff = deliver.diff_of(where, done) if dry_run or patch is not None else b""
    if patch is not None:
        deliver.write_patch(patch, diff)
    if done.changes and not dry_run:
        deliver.deliver(where, done, branch, not no_checkout, _say)
    else:
        for line in deliver.summary(done, would=True):
            _say(line)
    if dry_run:
        _put(diff)
    _complete(done.skipped)
    raise typer.Exit(1 if exit_code and done.changes else 0)


@app.command()
def check(
    path: Target_,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    format: Annotated[Format, typer.Option(help="How to report.")] = Format.text,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit 0 also when something was found.")] = False,
    start_method: Annotated[
        Optional[StartMethod],  # noqa: UP045
        typer.Option(help="How workers will be started.  [default: spawn]"),
    ] = None,
    no_cache: NoCache = False,
    timeout: Seconds = 0,
) -> None:
    """Report what can't cross a process boundary, and why; change nothing."""
    gc.disable()
    from .delivery import target

    where = target.to_check(path)
    settings = _settings(where, select, ignore, confidence, unsafe_fixes, launcher, start_method, not no_cache)
    from .engine.migrate import check as find

    with time_limit(timeout), _watched("checking") as rules:
        report = find(where.files, settings, where.scope, rules)
        report = replace(report, skipped=(*report.skipped, *where.untracked()))
    if format is Format.text:
        from .review.text import render_text

        render_text(report)
    elif format is Format.github:
        from .review.github import to_github

        _put(to_github(report).encode("utf-8", "backslashreplace"))
    else:
        import json

        if format is Format.json:
            from .review.json_report import to_json as shape
        else:
            from .review.sarif import to_sarif as shape
        _put(json.dumps(shape(report), indent=2).encode() + b"\n")
    if not report.files_seen:
        _say(f"{path}: no files to look at")
    _complete(report.skipped)
    raise typer.Exit(1 if report.findings and not exit_zero else 0)


@app.command()
def rules() -> None:
    """List the rules."""
    from .transforms import rules as known

    width = max(map(len, known()), default=0)
    for rule in known().values():
        typer.echo(f"{rule.id:{width}}  {rule.summary}")


@app.command()
def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE|PATH:LINE|ERROR",
            help='A rule as `spawnfix rules` lists them, PATH:LINE, or the text of an error: "TypeError: cannot ...".',
        ),
    ],
    path: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[PATH]", help="With an error: where to look for its cause.", show_default=False),
    ] = None,
) -> None:
    """Explain a rule (what it finds, why that breaks, what it writes), a line of code, or an error and its fix."""
    from .delivery import target
    from .review.documentation import documentation
    from .settings import nearest
    from .transforms import rules as known

    place = re.fullmatch(r"(.+):(\d{1,9})", rule)
    if place is not None and os.path.isfile(place[1]):  # noqa: PTH113  (it takes any text for an answer)
        from .flow.answers.explain import explain_line
        from .project import Project
        from .review.sites import sites_text

        where = target.to_check(Path(place[1]))
        project = Project(where.files, _settings(where, None, None, None, None, None, None, True))
        line = int(place[2])
        _put(
            sites_text(where.scope, line, explain_line(project, where.scope, line)).encode("utf-8", "backslashreplace")
        )
        return
    if rule not in known() and (path is not None or any(letter in rule for letter in " '\n")):
        from .diagnose.command import explain_text

        explain_text(rule, path)
        return
    if rule not in known():
        raise Problem(f"no rule called {rule!r}{nearest(rule, known())}")
    text = documentation(known()[rule]).markdown
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        _put(text.encode())


@app.command()
def batch(
    repos: Annotated[
        str,
        typer.Argument(
            metavar="REPOS_FILE", help="The list: paths, URLs (URL@ref), globs, CSV or JSONL; - for stdin. Or: status."
        ),
    ],
    folder: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[OUT]", help="With status: the folder of the batch.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where ledger and report go.")] = Path("spawnfix-batch"),
    jobs: Annotated[
        int, typer.Option(metavar="N", min=0, help="Processes.  [default: one per core]", show_default=False)
    ] = 0,
    dask: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="ADDRESS", help="Work on this Dask cluster: an address, scheduler.json or jobqueue.yml."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a batch stopped: only what has no result.")
    ] = False,
    failed: Annotated[bool, typer.Option("--failed", help="As --resume, and try again what failed.")] = False,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", min=1, help="Do no more than N repositories now."),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="S", min=0, help="Seconds for one repository; 0: no limit.")] = 600,
    memory_limit: Annotated[
        int, typer.Option("--memory-limit", metavar="MB", min=0, help="Memory for one repository; 0: no limit.")
    ] = 4096,
    disk_limit: Annotated[
        int, typer.Option("--disk-limit", metavar="MB", min=0, help="Size of one clone; 0: no limit.")
    ] = 2048,
    allow_protocol: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="NAME", help="Clone by this too (file, ext...); https, http, ssh and git are on."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Also make the branch in local repositories; nothing is checked out.")
    ] = False,
    push: Annotated[bool, typer.Option("--push", help="Push each branch to where its repository came from.")] = False,
    push_remote: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="URL", help="With --push: to here instead; {owner}, {repo} and {name} are filled in."),
    ] = None,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    no_cache: NoCache = False,
) -> None:
    """Migrate many repositories, each on its own branch, with one report; `batch status OUT` says how far it is."""
    from .batch.run import Asked, run_batch, status
    from .batch.spec import Flags, Limits

    if folder is not None:
        if repos != "status":
            raise Problem("one list of repositories, please; the folder for the report goes after --out")
        raise typer.Exit(status(folder))
    flags = Flags(
        select=",".join(select) if select else None,
        ignore=",".join(ignore) if ignore else None,
        confidence=confidence.value if confidence else None,
        unsafe_fixes=unsafe_fixes,
        launcher=launcher.value if launcher else None,
    )
    asked = Asked(
        repos,
        out,
        jobs,
        dask,
        resume,
        failed,
        limit,
        flags,
        Limits(timeout, memory_limit, disk_limit),
        tuple(allow_protocol or ()),
        in_place,
        push,
        push_remote,
        no_cache,
    )
    raise typer.Exit(run_batch(asked))


@app.command()
def diagnose(
    arguments: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(
            metavar="TARGET | - | -- COMMAND...",
            help="pkg.mod:name, 'pkg.mod:factory()' or 'script.py:factory()' (in quotes, for the shell); "
            "- for a traceback on stdin; or after -- a command that is run and watched.",
        ),
    ] = None,
    python: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--python", metavar="INTERPRETER", help="The Python that has what TARGET imports."),
    ] = None,
    dry_run_fork: Annotated[
        bool,
        typer.Option("--dry-run-fork", help="With a command: also look at what it starts by fork, as if by spawn."),
    ] = False,
    format: Annotated[ReportFormat, typer.Option(help="How to report.")] = ReportFormat.text,
    save: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the report to FILE, as JSON, for migrate --from."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to look at one object.", min=0.1)] = 30.0,
    child: Annotated[
        bool, typer.Option("--child/--no-child", help="With TARGET: let a spawned process make the object again.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="With -: don't print what the program printed.")] = False,
) -> None:
    """Look at an object, a running program or a traceback: what can't reach a worker, and what repairs it.

    Runs your code, in your interpreter.
    """
    from .diagnose.command import run_diagnose

    raise typer.Exit(
        run_diagnose(
            arguments or [],
            "--" in sys.argv,
            python,
            dry_run_fork,
            format.value == "json",
            save,
            seconds,
            child,
            _put,
            quiet,
        )
    )


@app.command()
def demo(
    keep: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Leave the demo repository in this (new or empty) folder."),
    ] = None,
) -> None:
    """Migrate a small example and run it before and after: a first look that touches nothing of yours."""
    from .demo import run_demo

    raise typer.Exit(run_demo(keep))


def _settings(
    where: Target,
    select: list[str] | None,
    ignore: list[str] | None,
    confidence: Confidence | None,
    unsafe_fixes: bool | None,
    launcher: Launcher | None,
    start_method: StartMethod | None,
    cache: bool,
) -> Settings:
    from .settings import read_settings, with_flags
    from .transforms import rules as known

    settings = with_flags(
        read_settings(where.files, known()),
        known(),
        select=None if select is None else ",".join(select),
        ignore=None if ignore is None else ",".join(ignore),
        confidence=confidence.value if confidence else None,
        unsafe_fixes=unsafe_fixes,
        launcher=launcher.value if launcher else None,
        start_method=start_method.value if start_method else None,
    )
    return replace(settings, cache=cache)


def _watched(doing: str) -> contextlib.AbstractContextManager[dict[str, Rule]]:
    """The rules to run, with a progress bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        from .transforms import rules as known

        return contextlib.nullcontext(known())
    from .review.progress import watched

    return watched(doing)


def _complete(skipped: Iterable[Skipped]) -> None:
    """Raises Problem when a rule failed: what it would have found is not known."""
    failed = sorted({row.failed for row in skipped if row.failed is not None})
    if failed:
        raise Problem(
            f"rule {', '.join(failed)} failed, so its findings are missing; "
            "please report it, with what SPAWNFIX_DEBUG=1 shows"
        )


def _say(line: str) -> None:
    """A line for people, on stderr, without the control characters that names from a repository may hold.

    Nobody may be there to read it (`2>&1 | head -1`, a full disk): the work goes on all the same.
    """
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115


def _put(data: bytes) -> None:
    """The product, on stdout, byte for byte; on a terminal without what could steer it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(for_terminal(data) if sys.stdout.isatty() else data)
    sys.stdout.buffer.flush()


def main() -> None:
    """The `spawnfix` program: exit codes as docs say, never a traceback unless SPAWNFIX_DEBUG is set."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="spawnfix", standalone_mode=False)
        sys.stdout.flush()
    except Problem as problem:
        _say(f"spawnfix: {problem}")
        code = 2
    except TimeIsUp as late:
        _say(f"spawnfix: {late}")
        code = 2
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # the reader has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        code = 141
    except Exception as error:
        code = _failed(error)
        if isinstance(error, OSError):  # Python would try once more to write what is left for stdout
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.exit(code if isinstance(code, int) else 0)


def _failed(error: Exception) -> int:
    message = getattr(error, "format_message", None)
    if message is not None:  # Typer's usage errors
        context = getattr(error, "ctx", None)
        words = message().replace("Value error, ", "")
        _say(f"spawnfix: {words} (see {context.command_path if context else 'spawnfix'} --help)")
        return 2
    if os.environ.get("SPAWNFIX_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.strerror:  # of the machine rather than ours: disk full, out of files...
        _say(f"spawnfix: {error.filename or 'writing the output'}: {error.strerror}")
        return 2
    first = str(error).partition("\n")[0]
    _say(
        f"spawnfix: internal error, nothing more was done: {type(error).__name__}: {first} "
        "(please report it, with what SPAWNFIX_DEBUG=1 shows)"
    )
    return 2
