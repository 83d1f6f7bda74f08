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
class Asked:
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


def run_batch(asked: Asked) -> int:
    """Run it; 0 when no repository failed, else 1. Raises Problem; interrupted, it still writes the report."""
    _validate(asked)
    repos = read_list(asked.list)
    if (
        asked.push
        and asked.push_remote is None
        and (local := next((repo for repo in repos if not repo.remote and repo.wrong is None), None))
    ):
        raise Problem(f"--push: {local.source} is no URL, so there is nowhere to push to; add --push-remote")
    claim(asked.out, repos)
    with only_one(asked.out):
        ledger = Ledger(asked.out)
        try:
            _same_list(asked, repos, ledger)
            return _run(asked, repos, ledger)
        except sqlite3.Error as error:
            raise Problem(f"{asked.out}: the ledger can't be written: {error}") from None
        except KeyboardInterrupt:
            print(f"interrupted; go on with:  {resume_command(asked.list, asked.out)}", file=sys.stderr)
            raise
        finally:
            ledger.close()


def status(folder: Path) -> int:
    """Print where the batch in `folder` stands; 1 when a repository failed."""
    check_made_by_batch(folder)
    ledger = Ledger(folder, must_exist=True)
    rows, about = ledger.rows(), ledger.about()
    ledger.close()
    _tell(rows, folder, f"batch of {about.get('list', '?')}", sys.stdout)
    return 1 if any(_failed(row) for row in rows) else 0


def _validate(asked: Asked) -> None:
    from ..settings import Settings, with_flags
    from ..transforms import rules

    with_flags(Settings(), rules(), **asdict(asked.flags))
    if asked.push_remote is not None and not asked.push:
        raise Problem("--push-remote goes with --push")
    if asked.dask is not None and asked.in_place:
        raise Problem("--in-place makes branches in repositories of this machine: leave out --dask")


def _run(asked: Asked, repos: list[Repo], ledger: Ledger) -> int:
    version, settings = tool_version(), _digest(asked)
    ledger.enlist(
        repos, {"list": asked.list, "list_path": _list_path(asked), "started": str(time.time()), "version": version}
    )
    work = _left_to_do(asked, repos, ledger, settings, version)
    ledger.queue(spec.name for spec in work)
    scratch = make_scratch(asked.out, ledger)
    start = time.perf_counter()
    written = time.monotonic()
    try:
        with watcher(len(work)) as watching, contextlib.closing(_engine(asked, work, scratch)) as events:
            for event in events:
                if event.outcome is None:
                    ledger.start(event.name)
                    watching.tell(event)
                    continue
                if event.outcome.status != Status.UNCHANGED:
                    ledger.forget(event.name)
                    write_files(asked.out / "repos" / event.name, event.outcome.files)
                if ledger.finish(event.name, event.outcome, settings, version):
                    watching.tell(event)
                if time.monotonic() - written > 60:  # something to look at while a long batch runs
                    write_report(asked.out, ledger.rows(), ledger.about())
                    written = time.monotonic()
    finally:
        remove_folder(scratch)
        ledger.enlist(repos, {"wall_seconds": f"{time.perf_counter() - start:.3f}"})
        rows = ledger.rows()
        write_report(asked.out, rows, ledger.about())
    _tell(rows, asked.out, f"{len(work)} of {len(repos)} repositories to do", sys.stderr)
    return 1 if any(_failed(row) for row in rows) else 0


def _list_path(asked: Asked) -> str:
    return asked.list if asked.list == "-" else str(Path(asked.list).resolve())


def _same_list(asked: Asked, repos: list[Repo], ledger: Ledger) -> None:
    """Raises Problem when the folder has the report of another list: its rows and files would be lost."""
    before = ledger.about()
    if before.get("list_path") in (None, _list_path(asked)):
        return
    listed = {(repo.source, repo.ref) for repo in repos}
    if not all((row.source, row.ref) in listed for row in ledger.rows()):
        raise Problem(f"{asked.out} has the batch of another list, {before.get('list')}; use another --out")


def _left_to_do(asked: Asked, repos: list[Repo], ledger: Ledger, settings: str, version: str) -> list[Spec]:
    rows = {row.name: row for row in ledger.rows()}
    protocols = (*PROTOCOLS, *asked.allow_protocol)
    work = []
    for repo in repos:
        row = rows[repo.name]
        finished = row.state is State.DONE and row.settings == settings and release(row.version) == release(version)
        if (asked.resume or asked.failed) and finished and not (asked.failed and _failed(row)):
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
            flags=asked.flags,
            limits=asked.limits,
            protocols=protocols,
            in_place=asked.in_place,
            push=asked.push,
            push_remote=asked.push_remote,
            no_cache=asked.no_cache,
            task=asked.task,
        )
        work.append(spec)
    return work[: asked.limit]


def _engine(asked: Asked, work: Iterable[Spec], scratch: Path) -> Generator[Event, None, None]:
    if asked.dask is not None:
        return run_dask(work, asked.dask)
    return run_local(work, asked.jobs or cores(), scratch)


def _digest(asked: Asked) -> str:
    """Of all flags that a result depends on."""
    flags = {**asdict(asked.flags), "in_place": asked.in_place, "push": asked.push_remote if asked.push else None}
    flags |= {"pushed": asked.push, "task": asked.task}
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


def _tell(rows: list[Row], folder: Path, opening: str, stream: object) -> None:
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
