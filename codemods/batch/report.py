"""The files of a batch's report: summary.json (a contract), summary.csv, index.html, and the list of commits."""

from __future__ import annotations

import base64
import contextlib
import csv
import errno
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..operating_system import is_link
from ..version import __version__
from .ledger import Row, State
from .open_prs import scripts
from .output import put
from .spec import Outcome, Status

LOCK = "repos.lock.jsonl"
FILES = (  # of one repository
    "index.html", "review.html", "findings.json", "findings.sarif", "changes.patch", "branch.bundle",
    "pull-request.md", "log.txt",
)  # fmt: skip
TEXT = (".html", ".json", ".sarif", ".md", ".txt")  # files of a repository that an outcome holds as text


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Make `folder` hold `files` (of an Outcome), and none of ours besides; after a kill some may be missing."""
    if is_link(folder) or is_link(folder.parent):
        raise OSError(errno.ELOOP, "a symbolic link, not followed", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        for left in (folder / f".{name}.new", *(() if name in files else (folder / name,))):
            with contextlib.suppress(FileNotFoundError):
                left.unlink()
    for name, text in files.items():
        data = text.encode("utf-8", "backslashreplace") if name.endswith(TEXT) else base64.b64decode(text)
        put(folder / Path(name).name, data)


def write_report(folder: Path, rows: Sequence[Row], about: dict[str, str]) -> dict[str, object]:
    """Write everything that speaks of the batch as a whole; returns what summary.json holds."""
    from .page import index_page

    whole = summary(rows, about)
    _put(folder / "summary.json", json.dumps(whole, indent=1))
    _put(folder / "summary.csv", _csv(rows))
    _put(folder / LOCK, lock(rows))
    _put(folder / "index.html", index_page(rows, whole, about))
    for name, text in scripts(rows).items():
        _put(folder / name, text)
    return whole


def summary(rows: Sequence[Row], about: dict[str, str]) -> dict[str, object]:
    """The object in summary.json. Repositories not done yet are counted in the totals, and not listed."""
    done = [(row, row.outcome) for row in rows if row.outcome is not None and row.state is State.DONE]
    by_status = Counter(outcome.status for _, outcome in done)
    findings: Counter[str] = Counter()
    confidence: Counter[str] = Counter()
    for _, outcome in done:
        findings.update(outcome.findings)
        for numbers in outcome.confidence.values():
            confidence.update(numbers)
    known, asked = (sum(outcome.cache[place] for _, outcome in done) for place in (0, 1))
    return {
        "version": __version__,
        "repos": [_row(row, outcome) for row, outcome in done],
        "totals": {
            "repos": len(rows),
            **{status.value: by_status[status] for status in (Status.MIGRATED, Status.CLEAN, Status.FAILED)},
            "queued": len(rows) - len(done),
            "findings": dict(sorted(findings.items())),
            "confidence": {key: confidence[key] for key in ("proven", "likely", "possible") if confidence[key]},
            "fixed": sum(outcome.fixed for _, outcome in done),
            "refused": sum(outcome.refused for _, outcome in done),
            "files": sum(outcome.files_seen for _, outcome in done),
            "bytes": sum(outcome.size for _, outcome in done),
            "seconds": round(sum(outcome.seconds for _, outcome in done), 3),  # of work, in all processes
            "wall_seconds": float(about.get("wall_seconds", 0)),  # of the last run
            "peak_memory_mib": max((outcome.memory for _, outcome in done), default=0),
            "cache": {"known": known, "asked": asked, "rate": round(known / asked, 4) if asked else None},
        },
    }


def _row(row: Row, outcome: Outcome) -> dict[str, object]:
    return {
        "name": row.name,
        "source": row.source,
        "ref": row.ref,
        "commit": outcome.commit,
        "status": outcome.status.value,
        "reason": outcome.reason,
        "stage": outcome.stage,
        "findings": outcome.findings,
        "confidence": outcome.confidence,
        "fixed": outcome.fixed,
        "refused": outcome.refused,
        "skipped": outcome.skipped,
        "crashes": outcome.crashes,
        "files": outcome.files_seen,
        "seconds": outcome.seconds,
        "memory_mib": outcome.memory,
        "branch": outcome.branch,
        "pushed": outcome.pushed,
        "attempts": row.attempts,
        "report": {name: f"repos/{row.name}/{name}" for name in sorted(outcome.files)},
    }


def _csv(rows: Iterable[Row]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    rules = sorted({rule for row in rows if row.outcome is not None for rule in row.outcome.findings})
    head = ["name", "source", "ref", "commit", "status", "reason", "fixed", "refused", "skipped", "seconds"]
    writer.writerow([*head, *rules])
    for row in rows:
        done = row.outcome if row.state is State.DONE else None
        if done is None:
            writer.writerow([_cell(row.name), _cell(row.source), _cell(row.ref or ""), "", "queued"])
            continue
        about = (row.name, row.source, row.ref or "", done.commit or "", done.status.value, done.reason or "")
        numbers = (done.fixed, done.refused, done.skipped, done.seconds)
        writer.writerow([*map(_cell, about), *numbers, *(done.findings.get(rule, 0) for rule in rules)])
    return out.getvalue()


def _cell(text: str) -> str:
    """`text` such that no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def lock(rows: Iterable[Row]) -> str:
    """The same list with the commits that were looked at, where known: a list of repositories in its turn."""
    lines = [
        json.dumps({"name": row.name, "repo": row.source, "ref": (row.outcome and row.outcome.commit) or row.ref})
        for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)


def _put(path: Path, text: str) -> None:
    put(path, text.encode("utf-8", "backslashreplace"))
