"""Small repositories in memory, through the same doors as the commands: `check` and `migrate`."""

from __future__ import annotations

from typing import Any

from codemods.engine.migrate import check, plan
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles


def reported(files: dict[str, str], rule: str, **settings: Any) -> list[Finding]:
    """What `check --select RULE` reports; nothing may be left out."""
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    report = check(contents, Settings(select=(rule,), **settings))
    assert not report.skipped, report.skipped
    return list(report.findings)


def migrated(files: dict[str, str], rule: str, **settings: Any) -> dict[str, str]:
    """The files that `migrate --select RULE` changes."""
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    done = plan(contents, Settings(select=(rule,), **settings))
    assert not done.skipped, done.skipped
    return {path: data.decode() for path, data in done.contents.items()}


def reasons(files: dict[str, str], rule: str, **settings: Any) -> list[str]:
    """Why `migrate --select RULE` changes nothing: a reason for each thing that it finds."""
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    done = plan(contents, Settings(select=(rule,), **settings))
    assert not done.skipped and not done.contents, (done.skipped, done.contents)
    assert all(each.fix is None for each in done.remaining), done.remaining
    return [each.reason or "" for each in done.remaining]
