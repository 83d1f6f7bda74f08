"""Runs a command of the user in a folder of ours: for a limited time, with limited output, nothing left running."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..operating_system import apart, end_rest_of_group, is_link
from ..problem import Problem

HEAD, TAIL = 16 * 1024, 48 * 1024  # bytes of the output that are kept, of its start and of its end
NOT_RUN = (126, 127, 9009)  # with which a shell says that there is no such program, or none that it may run
MAX_REPORT = 64 * 2**20  # bytes of a JUnit file


@dataclass(frozen=True)
class Outcome:
    """How a command ended. `failed` are the ids of tests that failed, where it wrote a JUnit file."""

    code: int
    seconds: float
    output: str
    timed_out: bool = False
    failed: frozenset[str] | None = None

    @property
    def passed(self) -> bool:
        """True when the command says that all is well."""
        return self.code == 0 and not self.timed_out

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.timed_out:
            return f"was not done after {self.seconds:.0f} seconds"
        return f"failed with exit code {self.code}" if self.code else "passed"

    @property
    def words(self) -> str:
        """The outcome in words."""
        return self.ending

    @property
    def caution(self) -> str:
        """What this outcome, as the one before any change, can't show."""
        if self.passed:
            return ""
        if self.failed is not None:
            return f", {len(self.failed)} tests fail: what fails later is compared with these"
        return "; it can't show what the changes break (a JUnit file would tell test by test: --verify-junit)"

    @property
    def details(self) -> dict[str, object]:
        """What else a report says of it."""
        return {}

    def worse_than(self, base: Outcome) -> str | None:
        """What is wrong here and was not in `base`, in words; None when it is no worse."""
        if base.failed is not None and self.failed is not None:
            new = sorted(self.failed - base.failed)
            if new:
                return f"{len(new)} more tests fail: {', '.join(new[:3])}{'...' if len(new) > 3 else ''}"
        return f"the command {self.ending}" if base.passed and not self.passed else None


class _Kept:
    """The first and the last part of a stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._head, self._tail, self._size = stream, b"", b"", 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self._stream.fileno(), 65536):
                room = HEAD - len(self._head)
                self._head += data[:room] if room > 0 else b""
                self._tail = (self._tail + (data[room:] if room > 0 else data))[-TAIL:]
                self._size += len(data)

    def text(self) -> str:
        """What was kept, with a word about what was not."""
        self._thread.join(5)  # a process that got away may hold the other end
        left_out = self._size - len(self._head) - len(self._tail)
        middle = f"\n[... {left_out} bytes ...]\n".encode() if left_out > 0 else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")


def run_command(
    command: str,
    folder: Path,
    seconds: float,
    junit: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Outcome:
    """`command`, by the shell, in `folder`; all that it started ends with it. Raises Problem when it can't start."""
    environment = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **apart(),
        )
    except OSError as error:
        raise Problem(f"`{command}` can't be started: {error.strerror}") from None
    assert process.stdout is not None
    timed_out = False
    with process.stdout as stream:
        kept = _Kept(stream)
        try:
            process.wait(seconds or None)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            end_rest_of_group(process)
        output = kept.text()
    return Outcome(
        process.returncode,
        time.monotonic() - started,
        output,
        timed_out,
        _failed_tests(folder, junit) if junit else None,
    )


def _failed_tests(folder: Path, name: str) -> frozenset[str] | None:
    """The ids of the tests that failed, out of the JUnit file `name` in `folder`; None when it wrote none."""
    file = folder / name
    try:
        if not file.is_file() or is_link(file) or file.stat().st_size > MAX_REPORT:
            return None
        data = file.read_bytes()
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            return None  # no test runner writes these
        root = ElementTree.fromstring(data)
    except (OSError, ElementTree.ParseError):
        return None
    return frozenset(
        "::".join(part for part in (case.get("classname"), case.get("name")) if part)
        for case in root.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    )
