"""`spawnfix batch`: many repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..problem import Problem
from .options import Bar, Ignore, Launch, NoCache, Select, Unsafe


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
    from ..batch.run import Asked, run_batch, status
    from ..batch.spec import Flags, Limits

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
