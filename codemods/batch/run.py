"""A batch from its list to its report: plan what is left to do, pass it to an engine, keep the ledger."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..operating_system import cores, remove_folder
from ..problem import Problem
from ..quoting import printable
from .engines import Event, run_dask, run_local
from .ledger import Ledger, Row, State, still_good
from .output import check_made_by_batch, claim, make_scratch, resume_command
from .progress import watcher
from .report import write_files, write_report
from .repos import PROTOCOLS, Repo, read_list
from .spec import TASK, Flags, Limits, Spec, Status
from .version import release, tool_version


@dataclass(frozen=True)
class BatchOptions:
    """What the command line asks for."""

    list: str
    out: Path
    jobs: int = 0  # 0: one for each core that we may use
    dask: str | None = None
    resume: bool = False
    failed: bool = False
    limit: int | None = None
    flags: Flags = field(default_factory=Flags)
    limits: Limits = field(default_factory=Limits)
    allow_protocol: tuple[str, ...] = ()
    in_place: bool = False
    push: bool = False
    push_remote: str | None = None
    no_cache: bool = False
    task: str = TASK


def run_batch(options: BatchOptions) -> int:
    """Run it; 0 when no repository failed, else 1. Raises Problem; interrupted, it still writes the report."""
    _validate(options)
    repos = read_list(options.list)
    if (
        options.push
        and options.push_remote is None
        and (local := next((repo for repo in repos if not repo.remote and repo.wrong is None), None))
    ):
        raise Problem(f"--push: {local.source} is no URL, so there is nowhere to push to; add --push-remote")
    claim(options.out, repos)
    with only_one(options.out):
        ledger = Ledger(options.out)
        try:
            _same_list(options, repos, ledger)
            return _run(options, repos, ledger)
        except sqlite3.Error as error:
            raise Problem(f"{options.out}: the ledger can't be written: {error}") from None
        except KeyboardInterrupt:
            print(f"interrupted; go on with:  {resume_command(options.list, options.out)}", file=sys.stderr)
            raise
        finally:
            ledger.close()


def status(folder: Path) -> int:
    """Print where the batch in `folder` stands; 1 when a repository failed."""
    check_made_by_batch(folder)
    ledger = Ledger(folder, must_exist=True)
    rows, about = ledger.rows(), ledger.about()
    ledger.close()
    _print_summary(rows, folder, f"batch of {about.get('list', '?')}", sys.stdout)
    return 1 if any(_failed(row) for row in rows) else 0


def _validate(options: BatchOptions) -> None:
    from ..settings import Settings, with_flags
    from ..transforms import rules

    with_flags(Settings(), rules(), **asdict(options.flags))
    if options.push_remote is not None and not options.push:
        raise Problem("--push-remote goes with --push")
    if options.dask is not None and options.in_place:
        raise Problem("--in-place makes branches in repositories of this machine: leave out --dask")


def _run(options: BatchOptions, repos: list[Repo], ledger: Ledger) -> int:
    version, settings = tool_version(), _digest(options)
    ledger.enlist(
        repos, {"list": options.list, "list_path": _list_path(options), "started": str(time.time()), "version": version}
    )
    work = _left_to_do(options, repos, ledger, settings, version)
    ledger.queue(spec.name for spec in work)
    scratch = make_scratch(options.out, ledger)
    start = time.perf_counter()
    written = time.monotonic()
    try:
        with watcher(len(work)) as watching, contextlib.closing(_engine(options, work, scratch)) as events:
            for event in events:
                if event.outcome is None:
                    ledger.start(event.name)
                    watching.tell(event)
                    continue
                if event.outcome.status != Status.UNCHANGED:
                    ledger.forget(event.name)
                    write_files(options.out / "repos" / event.name, event.outcome.files)
                if ledger.finish(event.name, event.outcome, settings, version):
                    watching.tell(event)
                if time.monotonic() - written > 60:  # something to look at while a long batch runs
                    write_report(options.out, ledger.rows(), ledger.about())
                    written = time.monotonic()
    finally:
        remove_folder(scratch)
        ledger.enlist(repos, {"wall_seconds": f"{time.perf_counter() - start:.3f}"})
        rows = ledger.rows()
        write_report(options.out, rows, ledger.about())
    _print_summary(rows, options.out, f"{len(work)} of {len(repos)} repositories to do", sys.stderr)
    return 1 if any(_failed(row) for row in rows) else 0


def _list_path(options: BatchOptions) -> str:
    return options.list if options.list == "-" else str(Path(options.list).resolve())


def _same_list(options: BatchOptions, repos: list[Repo], ledger: Ledger) -> None:
    """Raises Problem when the folder has the report of another list: its rows and files would be lost."""
    before = ledger.about()
    if before.get("list_path") in (None, _list_path(options)):
        return
    listed = {(repo.source, repo.ref) for repo in repos}
    if not all((row.source, row.ref) in listed for row in ledger.rows()):
        raise Problem(f"{options.out} has the batch of another list, {before.get('list')}; use another --out")


def _left_to_do(options: BatchOptions, repos: list[Repo], ledger: Ledger, settings: str, version: str) -> list[Spec]:
    rows = {row.name: row for row in ledger.rows()}
    protocols = (*PROTOCOLS, *options.allow_protocol)
    work = []
    for repo in repos:
        row = rows[repo.name]
        finished = row.state is State.DONE and row.settings == settings and release(row.version) == release(version)
        if (options.resume or options.failed) and finished and not (options.failed and _failed(row)):
            continue
        spec = Spec(
            repo.name,
            repo.location,
            repo.source,
            repo.ref,
            repo.remote,
            version,
            wrong=repo.wrong,
            known=still_good(row, settings, version),
            flags=options.flags,
            limits=options.limits,
            protocols=protocols,
            in_place=options.in_place,
            push=options.push,
            push_remote=options.push_remote,
            no_cache=options.no_cache,
            task=options.task,
        )
        work.append(spec)
    return work[: options.limit]


def _engine(options: BatchOptions, work: Iterable[Spec], scratch: Path) -> Generator[Event, None, None]:
    if options.dask is not None:
        return run_dask(work, options.dask)
    return run_local(work, options.jobs or cores(), scratch)


def _digest(options: BatchOptions) -> str:
    """Of all flags that a result depends on."""
    flags = {
        **asdict(options.flags),
        "in_place": options.in_place,
        "push": options.push_remote if options.push else None,
    }
    flags |= {"pushed": options.push, "task": options.task}
    return hashlib.sha256(json.dumps(flags, sort_keys=True).encode()).hexdigest()[:16]


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder: a second batch there is turned away. The system lets go of it when we die."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        guard = sqlite3.connect(folder / ".running", timeout=0, isolation_level=None)
        guard.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        raise Problem(
            f"{folder}: another batch is at work there" if "locked" in str(error) else f"{folder}: {error}"
        ) from None
    except OSError as error:
        raise Problem(f"{folder}: {error.strerror or error}") from None
    try:
        yield
    finally:
        guard.close()


def _failed(row: Row) -> bool:
    return row.state is State.DONE and row.outcome is not None and row.outcome.status == Status.FAILED


def _print_summary(rows: list[Row], folder: Path, opening: str, stream: object) -> None:
    """A few lines for people: how many of each, the failed by name, where the report is."""
    done = [row.outcome for row in rows if row.outcome is not None and row.state is State.DONE]
    numbers = {
        status: sum(outcome.status == status for outcome in done)
        for status in (Status.MIGRATED, Status.CLEAN, Status.FAILED)
    }
    parts = [f"{number} {status}" for status, number in numbers.items() if number]
    running = sum(row.state is State.RUNNING for row in rows)
    queued = sum(row.state is State.QUEUED for row in rows)
    parts += [f"{running} at work"] if running else []
    parts += [f"{queued} queued"] if queued else []
    fixed, refused = sum(outcome.fixed for outcome in done), sum(outcome.refused for outcome in done)
    lines = [opening, f"{', '.join(parts) or 'nothing done'}; {fixed} places fixed, {refused} refused"]
    for row in rows:
        if _failed(row) and row.outcome is not None:
            lines.append(f"failed {row.name}: {row.outcome.reason}")
    lines.append(f"report: {folder / 'index.html'}")
    for line in lines:
        print(printable(line), file=stream)  # type: ignore[call-overload]
