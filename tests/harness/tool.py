"""Runs spawnfix itself as users do: `python cli.py ...` in a process of its own."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .case import ROOT, Tree


def spawnfix(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """`spawnfix ARGUMENTS`, with its cache at `cache`."""
    env = {**os.environ, "SPAWNFIX_CACHE_DIR": str(cache), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *arguments],
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        stdin=subprocess.DEVNULL,
    )


def findings(path: Path, flags: tuple[str, ...], cache: Path) -> list[dict[str, Any]]:
    """What `spawnfix check` reports about `path`."""
    done = spawnfix("check", str(path), "--format", "json", "--exit-zero", *flags, cache=cache)
    assert done.returncode == 0, f"check failed ({done.returncode}):\n{done.stdout}\n{done.stderr}"
    report: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return report


def tree_diff(expected: Tree, actual: Tree) -> str:
    """The difference of two trees for people: unified diffs; "" when there is none."""
    parts = []
    for path in sorted({*expected, *actual}):
        if path not in actual or path not in expected:
            parts.append(f"{path}: {'missing' if path not in actual else 'should not be there'}\n")
            continue
        (want, want_mode), (got, got_mode) = expected[path], actual[path]
        if want_mode != got_mode:
            parts.append(f"{path}: {'lost' if want_mode else 'gained'} its executable bit\n")
        if want != got:
            # repr shows what a terminal hides: CR, BOM, blanks at the end of a line
            old, new = ([repr(line)[1:] for line in data.splitlines(keepends=True)] for data in (want, got))
            parts += [
                line + "\n"
                for line in difflib.unified_diff(old, new, f"expected/{path}", f"migrated/{path}", "", "", 3, "")
            ]
    return "".join(parts)


def text_diff(expected: str, actual: str, names: tuple[str, str]) -> str:
    """A unified diff of two outputs."""
    return "\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), *names, lineterm=""))
