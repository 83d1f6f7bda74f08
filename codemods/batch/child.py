"""A process that works on one repository after the other, and its keeper.

The keeper sets the time limit from outside and kills the whole process group; the process limits its own memory and
the size of files that it and git write. When the keeper dies, by whatever means, so does the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..new_process import code_to_call
from ..operating_system import (
    apart,
    end_own_tree,
    end_tree,
    forget_peak,
    limit,
    limits_work,
    memory_of,
    peak_memory,
    remove_folder,
)
from .spec import Limits, Outcome, Spec, Status

Task = Callable[[Spec, Path], Outcome]
MAX_ANSWER = 256 * 2**20  # bytes
WATCH_SECONDS = 1.0  # between two looks at a process that can't limit itself
RECYCLE_ABOVE_MIB = 512  # MiB of peak memory after which a process makes room for a fresh one


class Child:
    """The keeper of one working process, which is started when there is work and replaced when it died."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where scratch space is made (default: the system's place for temporary files)."""
        self._folder = folder.absolute() if folder is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: BinaryIO | None = None
        self._late = False
        self._too_much: tuple[str, str] | None = None  # a limit that was passed: why, and the stage
        self._lock = threading.Lock()

    def ask(self, spec: Spec) -> Outcome:
        """What the task says of `spec`; a failed outcome when it takes too long or its process dies."""
        scratch = Path(tempfile.mkdtemp(prefix="spawnfix-batch-", dir=self._folder))
        start = time.perf_counter()
        self._late, self._too_much = False, None
        done = threading.Event()
        timer = threading.Timer(spec.limits.seconds, self._time_is_up) if spec.limits.seconds else None
        try:
            process = self._running()
            if timer is not None:
                timer.daemon = True
                timer.start()
            if not limits_work():
                threading.Thread(target=self._watch, args=(spec.limits, scratch, done), daemon=True).start()
            answer = _exchange(process, {"spec": spec.to_json(), "scratch": str(scratch)})
        except OSError as error:
            answer = None
            if self._process is None:
                return Outcome(Status.FAILED, f"no process could be started: {error}", "start")
        finally:
            done.set()
            if timer is not None:
                timer.cancel()
        seconds = round(time.perf_counter() - start, 3)
        if answer is None:
            outcome = self._outcome_of_dead_worker(spec)
        else:
            outcome = Outcome.from_json(answer["outcome"])  # type: ignore[arg-type]
            if answer["last"]:
                self.close()
        remove_folder(scratch)
        outcome.seconds = seconds
        return outcome

    def close(self) -> None:
        """Kill the process and all that it started."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            end_tree(process)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _time_is_up(self) -> None:
        with self._lock:
            self._late = True
            if self._process is not None:
                end_tree(self._process)

    def _watch(self, limits: Limits, scratch: Path, done: threading.Event) -> None:
        """End the process when it passes a limit, on systems where it can't be limited."""
        while not done.wait(WATCH_SECONDS):
            process = self._process
            if process is None or process.poll() is not None:
                return
            if limits.disk and _size_of(scratch) > limits.disk * 2**20:
                passed = (f"larger than {limits.disk} MiB on disk", "clone")
            elif limits.memory and (memory_of(process.pid) or 0) > limits.memory:
                passed = (f"needs more than {limits.memory} MiB of memory", "memory")
            else:
                continue
            with self._lock:
                if self._process is process and not done.is_set():
                    self._too_much = passed
                    end_tree(process)
            return

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115
            code = code_to_call("batch.child", "serve", [str(Path(entry).absolute()) for entry in sys.path])
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                **apart(),
            )
        return self._process

    def _outcome_of_dead_worker(self, spec: Spec) -> Outcome:
        """The outcome of a repository that our process did not survive."""
        process, late, log = self._process, self._late, ""
        if self._errors is not None:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4000))
            log = self._errors.read().decode(errors="replace")
        code = None
        if process is not None:
            with self._lock:
                end_tree(process)
            code = process.returncode
        self.close()
        if late:
            return Outcome(Status.FAILED, f"took longer than {spec.limits.seconds:g} seconds", "time", files=_log(log))
        if self._too_much is not None:
            return Outcome(Status.FAILED, *self._too_much, files=_log(log))
        if "MemoryError" in log:
            return Outcome(
                Status.FAILED, f"needs more than {spec.limits.memory} MiB of memory", "memory", files=_log(log)
            )
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return Outcome(Status.FAILED, f"the process that worked on it died ({how})", "crash", files=_log(log))


def _log(text: str) -> dict[str, str]:
    return {"log.txt": text} if text.strip() else {}


def _size_of(folder: Path) -> int:
    """Bytes of all files in `folder`."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += Path(place, name).lstat().st_size
    return size


def _exchange(process: subprocess.Popen[bytes], question: dict[str, object]) -> dict[str, object] | None:
    """The answer to `question`, None when the process died over it."""
    assert process.stdin is not None and process.stdout is not None
    try:
        _send(process.stdin, question)
        return _receive(process.stdout)
    except (OSError, ValueError):
        return None


def _send(stream: BinaryIO | object, message: dict[str, object]) -> None:
    data = json.dumps(message).encode()
    stream.write(len(data).to_bytes(8, "big") + data)  # type: ignore[union-attr]
    stream.flush()  # type: ignore[union-attr]


def _receive(stream: BinaryIO | object) -> dict[str, object] | None:
    head = stream.read(8)  # type: ignore[union-attr]
    size = int.from_bytes(head, "big")
    if len(head) < 8 or size > MAX_ANSWER:
        return None
    data = stream.read(size)  # type: ignore[union-attr]
    message: dict[str, object] | None = json.loads(data) if len(data) == size else None
    return message


# What runs in the process itself.


def serve() -> None:
    """Answer questions on stdin, one at a time, until it is closed; then end at once, whatever is under way."""
    import faulthandler
    import queue

    faulthandler.enable()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    questions: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
    scratch: list[str] = []

    def listen() -> None:
        stream = os.fdopen(os.dup(0), "rb")
        while (question := _receive(stream)) is not None:
            questions.put(question)
        for folder in scratch:
            remove_folder(Path(folder))
        end_own_tree()

    threading.Thread(target=listen, daemon=True).start()
    tasks: dict[str, Task] = {}
    while True:
        question = questions.get()
        spec = Spec.from_json(question["spec"])  # type: ignore[arg-type]
        scratch[:] = [str(question["scratch"])]
        tempfile.tempdir = scratch[0]
        forget_peak()
        limit(spec.limits.memory, spec.limits.disk)
        outcome = _answered(spec, Path(scratch[0]), tasks)
        outcome.memory = peak = peak_memory()
        limit(0, 0)
        _send(
            answers,
            {"outcome": outcome.to_json(), "last": peak > RECYCLE_ABOVE_MIB or outcome.stage in ("memory", "crash")},
        )


def _answered(spec: Spec, scratch: Path, tasks: dict[str, Task]) -> Outcome:
    try:
        if spec.task not in tasks:
            from importlib import import_module

            module, _, name = spec.task.partition(":")
            tasks[spec.task] = getattr(import_module(module), name)
        return tasks[spec.task](spec, scratch)
    except MemoryError:
        return Outcome(Status.FAILED, f"needs more than {spec.limits.memory} MiB of memory", "memory")
    except Exception as error:
        import traceback

        from .repos import without_secrets

        what = without_secrets(f"{type(error).__name__}: {error}".partition("\n")[0])
        return Outcome(
            Status.FAILED,
            f"internal error (please report it): {what}",
            "crash",
            files={"log.txt": without_secrets(traceback.format_exc())},
        )
