"""`spawnfix batch`: many repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from .help import Command, Group
from .options import Bar, Ignore, Launch, NoCache, Select, Unsafe


class RunByDefault(Group):
    """The sub-commands of batch. Without one it is `run`: `spawnfix batch repos.txt`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`args` with the sub-command in front."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["run", *args]
        return list(super().parse_args(ctx, args))


batch = typer.Typer(
    cls=RunByDefault,
    help="Migrate many repositories, each on its own branch, with one report. "
    "`spawnfix batch REPOS_FILE` is short for `spawnfix batch run REPOS_FILE`.",
)


@batch.command("run", cls=Command)
def run(
    repos: Annotated[
        str,
        typer.Argument(metavar="REPOS_FILE", help="The list: paths, URLs (URL@ref), globs, CSV or JSONL; - for stdin."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report is written.")] = Path("spawnfix-batch"),
    jobs: Annotated[
        int, typer.Option(metavar="N", min=0, help="Processes.  [default: one per core]", show_default=False)
    ] = 0,
    dask: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="ADDRESS", help="Work on this Dask cluster: an address, scheduler.json or jobqueue.yml."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a batch that stopped: do what has no result.")
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
        typer.Option(
            metavar="NAME",
            help="Allow this protocol too (file, ext...); https, http, ssh, git are on.",
        ),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Also make the branch in local repositories; nothing is checked out.")
    ] = False,
    push: Annotated[bool, typer.Option("--push", help="Push each branch to where its repository came from.")] = False,
    push_remote: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="URL", help="With --push: push to this URL; {owner}, {repo} and {name} are filled in."),
    ] = None,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    no_cache: NoCache = False,
) -> None:
    """Migrate all repositories of a list, each on its own branch, with one report."""
    from ..batch.run import BatchOptions, run_batch
    from ..batch.spec import Flags, Limits

    flags = Flags(
        select=",".join(select) if select else None,
        ignore=",".join(ignore) if ignore else None,
        confidence=confidence.value if confidence else None,
        unsafe_fixes=unsafe_fixes,
        launcher=launcher.value if launcher else None,
    )
    options = BatchOptions(
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
    raise typer.Exit(run_batch(options))


@batch.command("status", cls=Command)
def status(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the batch.")] = Path("spawnfix-batch"),
) -> None:
    """Print how far the batch in DIR is, and which repositories failed."""
    from ..batch import run

    raise typer.Exit(run.status(out))
