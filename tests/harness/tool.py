"""Runs spawnfix itself, through its command line: in this process, or as users do, in a process of its own."""

from __future__ import annotations

import contextlib
import difflib
import functools
import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main

from codemods import commands

from .case import ROOT, Tree


def spawnfix(
    *arguments: str, cache: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`spawnfix ARGUMENTS` in this process, with its cache at `cache`: what main() prints and exits with.

    `environment` stands in the place of the variables of this process.
    """
    collects = gc.isenabled()  # a command turns the collector off, for its process ends with it
    with (
        mock.patch.dict(os.environ, {**(environment or {}), **_environment(cache)}, clear=environment is not None),
        mock.patch.object(sys, "argv", ["spawnfix", *arguments]),
        mock.patch.object(commands, "app", command()),
        mock.patch.object(sys, "stdin", io.StringIO()),
        _captured() as (out, err),
    ):
        try:
            commands.main()
        except SystemExit as ended:
            code = ended.code
        finally:
            if collects:
                gc.enable()
    assert isinstance(code, int), f"main() ended with {code!r}"
    return subprocess.CompletedProcess(["spawnfix", *arguments], code, _text(out), _text(err))


def spawnfix_process(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """`python cli.py ARGUMENTS`: for what needs an interpreter of its own, such as a terminal's signals."""
    return subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *arguments],
        env={**os.environ, **_environment(cache)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        stdin=subprocess.DEVNULL,
    )


@functools.cache
def command() -> Callable[..., object]:
    """What `commands.app` builds anew from its functions at each call, which takes longer than most commands."""
    return typer.main.get_command(commands.app)


def _environment(cache: Path) -> dict[str, str]:
    return {"SPAWNFIX_CACHE_DIR": str(cache), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}


@contextlib.contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """New sys.stdout and sys.stderr, with a `buffer` each, as the command line writes bytes too."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with mock.patch.object(sys, "stdout", out), mock.patch.object(sys, "stderr", err):
        yield out, err


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


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
