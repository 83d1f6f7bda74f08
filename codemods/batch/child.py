"""A process that works on one repository after the other, and its keeper.

The keeper sets the time limit from outside and kills the whole process group; the process limits its own memory and
the size of files that it and git write. When the keeper dies, by whatever means, so does the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..new_process import code_to_call
from .output import remove
from .spec import FAILED, Limits, Outcome, Spec

Task = Callable[[Spec, Path], Outcome]
MAX_ANSWER = 256 * 2**20  # bytes
TIRED = 512  # MiB of peak memory after which a process makes room for a fresh one
_POSIX = os.name == "posix"


class Child:
    """The keeper of one working process, which is started when there is work and replaced when it died."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where scratch space is made (default: the system's place for temporary files)."""
        self._folder = folder.absolute() if folder is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: BinaryIO | None = None
        self._late = False
        self._lock = threading.Lock()

    def ask(self, spec: Spec) -> Outcome:
        """What the task says of `spec`; a failed outcome when it takes too long or its process dies."""
        scratch = Path(tempfile.mkdtemp(prefix="spawnfix-batch-", dir=self._folder))
        start = time.perf_counter()
        self._late = False
        timer = threading.Timer(spec.limits.seconds, self._time_is_up) if spec.limits.seconds else None
        try:
            process = self._running()
            if timer is not None:
                timer.daemon = True
                timer.start()
            answer = _exchange(process, {"spec": spec.to_json(), "scratch": str(scratch)})
        except OSError as error:
            answer = None
            if self._process is None:
                return Outcome(FAILED, f"no process could be started: {error}", "start")
        finally:
            if timer is not None:
                timer.cancel()
        seconds = round(time.perf_counter() - start, 3)
        if answer is None:
            outcome = self._buried(spec)
        else:
            outcome = Outcome.from_json(answer["outcome"])  # type: ignore[arg-type]
            if answer["last"]:
                self.close()
        remove(scratch)
        outcome.seconds = seconds
        return outcome

    def close(self) -> None:
        """Kill the process and all that it started."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _kill(process)
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
                _kill(self._process)

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
                start_new_session=_POSIX,
            )
        return self._process

    def _buried(self, spec: Spec) -> Outcome:
        """The outcome of a repository that our process did not survive."""
        process, late, log = self._process, self._late, ""
        if self._errors is not None:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4000))
            log = self._errors.read().decode(errors="replace")
        code = None
        if process is not None:
            with self._lock:
                _kill(process)
            code = process.returncode
        self.close()
        if late:
            return Outcome(FAILED, f"took longer than {spec.limits.seconds:g} seconds", "time", files=_log(log))
        if "MemoryError" in log:
            return Outcome(FAILED, f"needs more than {spec.limits.memory} MiB of memory", "memory", files=_log(log))
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return Outcome(FAILED, f"the process that worked on it died ({how})", "crash", files=_log(log))


def _log(text: str) -> dict[str, str]:
    return {"log.txt": text} if text.strip() else {}


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End `process` and its group. Not reaped before, so that the number can't mean another process by now."""
    if process.returncode is None:
        with contextlib.suppress(OSError):
            if _POSIX:
                os.killpg(process.pid, signal.SIGKILL)
            else:  # git and what it started too
                # by its full name: Windows looks for programs in the working directory first
                taskkill = str(Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe"))
                subprocess.run([taskkill, "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
                process.kill()
        process.wait()


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
            remove(Path(folder))
        if _POSIX:
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    tasks: dict[str, Task] = {}
    while True:
        question = questions.get()
        spec = Spec.from_json(question["spec"])  # type: ignore[arg-type]
        scratch[:] = [str(question["scratch"])]
        tempfile.tempdir = scratch[0]
        _forget_peak()
        _limit(spec.limits)
        outcome = _answered(spec, Path(scratch[0]), tasks)
        outcome.memory = peak = _peak()
        _limit(Limits(0, 0, 0))
        _send(answers, {"outcome": outcome.to_json(), "last": peak > TIRED or outcome.stage in ("memory", "crash")})


def _answered(spec: Spec, scratch: Path, tasks: dict[str, Task]) -> Outcome:
    try:
        if spec.task not in tasks:
            from importlib import import_module

            module, _, name = spec.task.partition(":")
            tasks[spec.task] = getattr(import_module(module), name)
        return tasks[spec.task](spec, scratch)
    except MemoryError:
        return Outcome(FAILED, f"needs more than {spec.limits.memory} MiB of memory", "memory")
    except Exception as error:
        import traceback

        from .repos import without_secrets

        what = without_secrets(f"{type(error).__name__}: {error}".partition("\n")[0])
        return Outcome(
            FAILED,
            f"internal error (please report it): {what}",
            "crash",
            files={"log.txt": without_secrets(traceback.format_exc())},
        )


def _limit(limits: Limits) -> None:
    """Set this process's (soft) limits; none of them on systems that have no such thing."""
    try:
        import resource
    except ImportError:
        return
    for kind, mebibytes in (("RLIMIT_AS", limits.memory), ("RLIMIT_FSIZE", limits.disk)):
        which = getattr(resource, kind, None)
        if which is not None:
            _, most = resource.getrlimit(which)
            wanted = mebibytes * 2**20 if mebibytes else most
            if most != resource.RLIM_INFINITY:
                wanted = min(wanted, most) if mebibytes else most
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (wanted, most))


def _peak() -> int:
    """The most memory that we had since `_forget_peak`, MiB (elsewhere than on Linux since the start, or 0)."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 2**10
    try:
        import resource
    except ImportError:
        return 0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def _forget_peak() -> None:
    with contextlib.suppress(OSError):  # Linux only
        Path("/proc/self/clear_refs").write_text("5")
