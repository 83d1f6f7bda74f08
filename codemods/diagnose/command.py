"""What `diagnose` and the error form of `explain` do, from arguments to an exit code."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from ..delivery.target import Target, to_check
from ..problem import Problem
from ..settings import Settings, read_settings
from ..transforms import rules
from .explain import Explanation, explain_error
from .report import Diagnosis, Obstacle, Place
from .stream import read_stream


def run_diagnose(
    arguments: Sequence[str],
    dashes: bool,
    python: str | None,
    dry_run_fork: bool,
    as_json: bool,
    save: Path | None,
    seconds: float,
    child: bool,
    put: Callable[[bytes], None],
    quiet: bool = False,
) -> int:
    """The exit code of `diagnose`: 0 nothing is in the way, 1 problems. `dashes`: there was a `--` before a command.

    Raises Problem.
    """
    from .run import diagnose_run, diagnose_target

    if _is_text(arguments):
        if python is not None or dry_run_fork:
            raise Problem("a traceback is only read: leave out --python and --dry-run-fork")
        return _read(as_json, save, put, pass_on=bool(arguments) and not quiet)
    if quiet:
        raise Problem("--quiet goes with a program's output: python train.py 2>&1 | spawnfix diagnose --quiet -")
    first = arguments[0]
    if len(arguments) > 1 or (dashes and not _is_target(first)):
        if not dashes:
            raise Problem("give one TARGET, or a command after --: spawnfix diagnose -- python train.py")
        if python is not None:
            raise Problem("--python goes with a TARGET; a command names its own interpreter")
        done = diagnose_run(arguments, dry_run_fork, seconds)
    else:
        if dry_run_fork:
            raise Problem("--dry-run-fork goes with a command: spawnfix diagnose --dry-run-fork -- python train.py")
        if not _is_target(first):
            raise Problem(f"want pkg.mod:name, pkg.mod:factory() or script.py:factory(), not {first!r}")
        done = diagnose_target(first, python, seconds, child)
    _report(done, as_json, save, put)
    if done.obstacles:
        return 1
    if done.exit_code:
        raise Problem(f"the program ended with exit code {done.exit_code}, but not for what it sent to other processes")
    return 0


def _is_target(word: str) -> bool:
    return ":" in word


def _is_text(arguments: Sequence[str]) -> bool:
    if list(arguments) == ["-"]:
        return True
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            raise Problem("give a TARGET like pkg.mod:name, a command after --, or a traceback on stdin")
        return True
    return False


def _report(done: Diagnosis, as_json: bool, save: Path | None, put: Callable[[bytes], None]) -> None:
    if save is not None:
        from .saved import save as write

        write(done, save)
    if as_json:
        put(json.dumps(done.to_json(), indent=2).encode() + b"\n")
    else:
        from .show import show_diagnosis

        show_diagnosis(done, None if save is None else str(save))


def _read(as_json: bool, save: Path | None, put: Callable[[bytes], None], pass_on: bool) -> int:
    """Explain the text on stdin. `pass_on`: it is a program's output, which goes on to our own as it comes."""
    out = sys.stderr.buffer if as_json else sys.stdout.buffer

    def hand_on(piece: bytes) -> None:
        with contextlib.suppress(OSError):  # whoever read our output is gone; the program must not die of it
            out.write(piece)
            out.flush()

    pass_on = pass_on and _is_pipe(sys.stdin.buffer)
    kept = read_stream(sys.stdin.buffer, hand_on if pass_on else None)
    text = decoded(kept.data())
    if pass_on and not kept.suspects:
        print("no error in what the program printed", file=sys.stderr)
        if as_json or save is not None:
            _report(Diagnosis("-", ()), as_json, save, put)
        return 0
    explanation = explained(text, None)
    done = _as_diagnosis(explanation)
    if save is not None or as_json:
        _report(done, as_json, save, put)
    if not as_json:
        from .show import show_explanation

        show_explanation(explanation)
    return 1


def _is_pipe(stream: BinaryIO) -> bool:
    """True where another program writes; what is typed or read from a file is there already."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    except (OSError, ValueError):
        return False


def decoded(data: bytes) -> str:
    """Text that was pasted or redirected: UTF-8, or UTF-16, which PowerShell's `>` writes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _as_diagnosis(explanation: Explanation) -> Diagnosis:
    """A traceback's explanation in the form that a look at the object has; its places are those that match best."""
    read = explanation.traceback
    root = Path(explanation.report.root) if explanation.report is not None else Path.cwd()
    places = [
        Place(str(root / each.finding.path), each.finding.span.line)
        for each in explanation.candidates
        if each.score > 0
    ]
    kind = read.cause.type or ("function" if read.cause.name else "")
    path = read.path or read.cause.name or ".".join(reversed(read.attributes))
    found = [Obstacle(path, kind, read.error, place) for place in places] or [Obstacle(path, kind, read.error)]
    return Diagnosis("-", tuple(found))


def explain_text(text: str, path: Path | None) -> None:
    """Print what the error `text` means and where in `path` it comes from. Raises Problem when that is not known."""
    from .show import show_explanation

    show_explanation(explained(text, path))


def explained(text: str, path: Path | None) -> Explanation:
    where, settings = _where(path)
    return explain_error(text, where, settings, "" if path is None else str(path))


def _where(path: Path | None) -> tuple[Target | None, Settings | None]:
    """The files at `path`; without it, those of the repository around the current folder, if there is one."""
    if path is None:
        here = Path.cwd()
        if not any((folder / ".git").exists() for folder in (here, *here.parents)):
            return None, None
        path = here
    where = to_check(path)
    return where, read_settings(where.files, rules())
