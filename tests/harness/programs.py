"""Runs the programs of the cases as a researcher would: own processes, own folder, an environment of our making."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import warm_start

SITE = Path(__file__).with_name("site")
# Nothing else of the tester's environment reaches a program: a RANK or PYTHONPATH from outside would decide the result.
_KEPT = ("HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
_GRACE = 10.0  # seconds that the other ranks get once one has failed


@dataclass(frozen=True)
class Outcome:
    """How a program ended. `code` is that of the first rank that failed, or 0; `stdout` is joined by rank."""

    code: int
    stdout: str
    stderr: str
    timed_out: bool = False

    def __str__(self) -> str:
        end = "was killed after its timeout" if self.timed_out else f"exit code {self.code}"
        return f"--- {end}; stdout:\n{self.stdout}\n--- stderr:\n{self.stderr}\n---"


def environment(start_method: str | None, extra: Mapping[str, str] = {}) -> dict[str, str]:
    """The environment of a program; `start_method` None leaves the interpreter's own default."""
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    env["PYTHONPATH"] = str(SITE)
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONIOENCODING"] = "utf-8"
    env["OMP_NUM_THREADS"] = "1"
    if start_method:
        env["HARNESS_START_METHOD"] = start_method
    return {**env, **extra}


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on now.

    It is none of those that systems hand out by themselves (from 32768 on Linux, from 49152 elsewhere): between our
    look and the program's start the connections of another program would sooner or later get the same one.
    """
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def run(
    command: str,
    folder: Path,
    start_method: str | None,
    *,
    ranks: int = 0,
    timeout: float = 60,
    extra: Mapping[str, str] = {},
    warm: bool = False,
) -> Outcome:
    """Run `command` in `folder` through bash: once, or as `ranks` processes with a launcher's environment.

    With `warm` its Python processes start with torch imported where that makes no difference: see warm.py.
    """
    port = str(free_port())
    env = environment(start_method, {"FREE_PORT": port, **extra})
    envs = [env]
    if ranks:
        shared = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        envs = [{**env, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(ranks)]
    if not warm or not warm_start.possible():
        return _run_all(command, folder, envs, timeout)
    start = warm_start.warm_start(tuple(environment(None).items()))
    with start.job(env["PATH"]) as added:
        return _run_all(command, folder, [{**env, **added} for env in envs], timeout)


def _run_all(command: str, folder: Path, envs: list[dict[str, str]], timeout: float) -> Outcome:
    # Output goes to files: a pipe would be held open by any process that the program leaves behind.
    with tempfile.TemporaryDirectory(prefix="spawnfix-output-") as outputs:
        started = []
        for rank, env in enumerate(envs):
            with Path(outputs, f"{rank}.out").open("ab") as out, Path(outputs, f"{rank}.err").open("ab") as err:
                process = subprocess.Popen(
                    ["bash", "-c", command],
                    cwd=folder,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
            started.append(process)
        try:
            timed_out = _wait(started, timeout)
        finally:
            for process in started:
                _end(process)
        codes = [process.returncode for process in started]
        read = [
            "".join(Path(f"{outputs}/{rank}.{stream}").read_text("utf-8", "replace") for rank in range(len(envs)))
            for stream in ("out", "err")
        ]
        failed = [code for code in codes if code]
        # A rank that we killed because another failed did not fail first.
        code = next(
            (code for code in failed if code not in (-signal.SIGKILL, -signal.SIGTERM)), failed[0] if failed else 0
        )
        return Outcome(code, read[0], read[1], timed_out)


def _wait(processes: list[subprocess.Popen[bytes]], timeout: float) -> bool:
    """Wait for all; True when the time ran out. One that fails shortens the others' time."""
    deadline = time.monotonic() + timeout
    failed_once = False
    while any(process.poll() is None for process in processes):
        if not failed_once and any(process.returncode for process in processes):
            failed_once = True
            deadline = min(deadline, time.monotonic() + _GRACE)
        if time.monotonic() > deadline:
            return not failed_once
        time.sleep(0.02)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a program: its process group, and descendants that left it (torchrun's workers do)."""
    strays = _descendants(process.pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
    for pid in strays:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _descendants(root: int) -> list[int]:
    """Process ids below `root`; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # "pid (name) state ppid ...": the name may hold spaces and brackets
            children.setdefault(int(status.read_text().rpartition(")")[2].split()[1]), []).append(
                int(status.parent.name)
            )
    found, todo = [], [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


@contextlib.contextmanager
def alone(name: str) -> Iterator[None]:
    """Hold the machine-wide lock `name`, so that cases which need the same port wait for each other."""
    try:
        import fcntl
    except ImportError:  # no fcntl on this platform: then tests are run one after the other
        yield
        return
    path = Path(tempfile.gettempdir()) / f"spawnfix-tests-{os.getuid()}-{name}.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fresh_copy(source: Path, target: Path) -> Path:
    """A writable copy of the tree `source` at `target`."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target
