"""Runs the probe in the user's interpreter: on one object, or inside a program that the user runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..operating_system import interpreters
from ..problem import Problem
from ..quoting import shell
from .causes import cause_of
from .report import (
    Diagnosis,
    Obstacle,
    Place,
    Weight,
    diagnosis_of,
    obstacle_of,
    place_of,
    weights,
)
from .tracebacks import read_traceback

OLDEST = (3, 7)  # that the probe runs in
INTERRUPT_SECONDS = 15  # for a program to end after Ctrl-C
_PROBE = Path(__file__).with_name("probe.py")
_SITE = """\
import os
import sys


def _start():
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        if sys.version_info >= (3, 7):
            import _spawnfix_probe

            _spawnfix_probe.install_hooks({folder!r}, {dry_run!r}, {seconds!r}, {stop!r})
    except Exception:
        sys.stderr.write("spawnfix: could not watch this process\\n")
    try:  # the sitecustomize that ours hides
        import importlib.machinery
        import importlib.util

        paths = [path for path in sys.path if os.path.abspath(path) != here]
        spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
    except ImportError:
        pass


_start()
"""


def diagnose_target(
    target: str, interpreter: str | None = None, seconds: float = 30.0, child: bool = True, child_seconds: float = 120.0
) -> Diagnosis:
    """What keeps the object that `target` names from reaching a worker, as `interpreter` sees it.

    Runs the user's code. Raises Problem when the object could not be had.
    """
    python = _interpreter(interpreter)
    if interpreter is not None:
        _new_enough(python)
    with _probe_folder() as folder:
        request, answer = folder / "request.json", folder / "answer.json"
        wanted = {"target": target, "seconds": seconds, "child": child, "child_seconds": child_seconds}
        request.write_text(json.dumps(wanted), encoding="ascii")
        command = [python, str(folder / "_spawnfix_probe.py"), str(request), str(answer)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise Problem(f"{python}: {error.strerror or error}") from None
        try:
            result = json.loads(answer.read_text(encoding="ascii"))
        except (OSError, ValueError):
            raise Problem(f"{target}: {python} ended with exit code {done.returncode} before it was done") from None
    if "failed" in result:
        raise Problem(_failed(target, python, result))
    diagnosis = diagnosis_of(target, result)
    notes = (*diagnosis.notes, *_nothing_sent(target)) if result["is_none"] else diagnosis.notes
    return replace(diagnosis, notes=notes)


def _nothing_sent(target: str) -> list[str]:
    """A hint for a call without a result, like `train.py:main()`: the program is what they want to look at."""
    script, _, name = target.strip().rpartition(":")
    if not name.endswith(")") or not script.endswith(".py"):
        return []
    command = f"spawnfix diagnose --watch -- python {shell(script)}"
    return [f"{name} returned nothing that could be sent. To look at what the program sends when it runs: {command}"]


def _failed(target: str, python: str, result: Mapping[str, Any]) -> str:
    words = f"{target}: {result['failed']}"
    if result.get("missing"):
        words += f" (looked for by {python}; --python names another interpreter)"
    return words


def _interpreter(given: str | None) -> str:
    if given is None:
        return sys.executable
    found = next(filter(None, map(shutil.which, (given, *interpreters(given)))), None)
    if found is None:
        raise Problem(f"--python: no interpreter called {given}")
    return found


def _new_enough(python: str) -> None:
    """Raises Problem for an interpreter that the probe can't run in."""
    words = [python, "-c", "import sys; sys.stdout.write('%d.%d' % sys.version_info[:2])"]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"--python {python}: {error}") from None
    major, _, minor = done.stdout.partition(".")
    if not (major.isdigit() and minor.isdigit()):
        raise Problem(f"--python {python}: no Python (it ended with exit code {done.returncode})")
    if (int(major), int(minor)) < OLDEST:
        raise Problem(f"--python {python}: this is Python {done.stdout}; an object can be looked at from 3.7 on")


@contextmanager
def _probe_folder() -> Iterator[Path]:
    """A folder with the probe in it, under the name by which children import it."""
    with tempfile.TemporaryDirectory(prefix="spawnfix-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        shutil.copyfile(_PROBE, folder / "_spawnfix_probe.py")
        yield folder


def diagnose_run(
    command: Sequence[str],
    dry_run: bool = False,
    seconds: float = 20.0,
    stop: bool = False,
    execute: Callable[[Sequence[str], Mapping[str, str]], int] | None = None,
) -> Diagnosis:
    """Run `command` and say what it, or a process that it started, could not send to others.

    With `dry_run`, also what it sends by fork and could not send by spawn; with `stop`, the program is ended at the
    first such problem. Ctrl-C ends the program, and what was seen until then counts.
    `execute` runs the command with an environment and returns its exit code; without it the command gets our streams.

    Raises Problem when it could not be watched.
    """
    with _probe_folder() as folder:
        reports = folder / "reports"
        reports.mkdir()
        site = _SITE.format(folder=str(reports), dry_run=dry_run, seconds=seconds, stop=stop)
        (folder / "sitecustomize.py").write_text(site, encoding="utf-8")
        before = os.environ.get("PYTHONPATH")
        path = str(folder) if not before else os.pathsep.join((str(folder), before))
        try:
            code = (execute or _exit_code)(command, {**os.environ, "PYTHONPATH": path})
        except OSError as error:
            raise Problem(f"{command[0]}: {error.strerror or error}") from None
        records = [record for file in sorted(reports.glob("*.jsonl")) for record in _records(file)]
    hooked = [record for record in records if record["kind"] == "hooked"]
    if not hooked:
        raise Problem(
            f"{command[0]}: no Python 3.7 or newer was started there that reads PYTHONPATH, so nothing was watched"
        )
    return _gathered(" ".join(command), code, records)


def _exit_code(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Run `command` to its end. Ctrl-C goes to it too, and it gets time to end."""
    with subprocess.Popen(list(command), env=env) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            try:
                return process.wait(INTERRUPT_SECONDS)
            except (KeyboardInterrupt, subprocess.TimeoutExpired):
                process.kill()
                return process.wait()


def _records(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # the process ended while it wrote


def _gathered(target: str, code: int, records: Sequence[Mapping[str, Any]]) -> Diagnosis:
    found: dict[tuple[str, str, str], Obstacle] = {}
    sizes: dict[str, Weight] = {}
    notes: dict[str, None] = {}
    looks = [record for record in records if record["kind"] in ("send", "dry run")]
    for record in looks:
        start = place_of(record["started_at"][0]) if record["started_at"] else None
        for row in record["problems"]:
            item = obstacle_of(row, record["context"], start)
            found.setdefault((item.context, item.path, _steady(item.error)), item)
        for weight in weights(record["payload"]):
            sizes.setdefault(weight.path, weight)
        notes.update(dict.fromkeys(record["notes"]))
    for record in records:
        if record["kind"] == "child":
            _add_error(found, record, "starting a worker", "child")
    if not found:
        for record in records:
            if record["kind"] == "uncaught":
                _add_error(found, record, "", "parent")
    for record in records:
        if record["kind"] == "trouble":
            notes[f"one start could not be looked at: {record['error']}"] = None
    return Diagnosis(
        target,
        tuple(found.values()),
        max((record["payload_bytes"] for record in looks), default=0),
        max((record["shared_bytes"] for record in looks), default=0),
        tuple(sorted(sizes.values(), key=lambda weight: -(weight.bytes + weight.shared_bytes)))[:12],
        tuple(notes),
        next((record["unfinished"] for record in looks if record["unfinished"]), None),
        str(records[0]["python"]),
        code,
        len(looks) + sum(record["kind"] == "sent" for record in records),
    )


def _add_error(found: dict[tuple[str, str, str], Obstacle], record: Mapping[str, Any], context: str, side: str) -> None:
    """Add what an error that was raised says, when it is one of ours and not the echo of another."""
    read = read_traceback(record["traceback"])
    if read is None or read.cause.secondary:
        return
    place = next((Place(frame.path, frame.line) for frame in reversed(read.frames) if frame.user), None)
    path = read.path or read.cause.name or read.cause.type or "the program"
    item = Obstacle(path, read.cause.type, read.error, place, None, 0, side, context)
    if not any(_steady(old.error) == _steady(item.error) for old in found.values()):
        found.setdefault((context, item.path, _steady(item.error)), item)


def _steady(error: str) -> str:
    """`error` without what differs from process to process."""
    cause = cause_of(error)
    return error.partition(" at 0x")[0] if cause is None else f"{cause.what} {cause.name} {cause.type}"
