"""Runs small programs under fork, and under spawn without a new interpreter: `python run_programs.py < jobs.json`.

Standard input is JSON: a list of `[text, start method]`. Standard output is JSON: for each, what the program and its
children printed, the type of the error that ended it last. It needs nothing but the standard library of Python 3.8,
so that any interpreter can run it. A module that is named as an argument is imported once for all programs.

A child under "spawn" is forked from a process that has not run the program. It runs the program as `__mp_main__`, as
`multiprocessing.spawn` does, and then gets what the parent pickled. That takes milliseconds; a sample of the programs
is run with the real `spawn` as well.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import multiprocessing
import multiprocessing.context
import os
import pickle
import signal
import socket
import struct
import sys
import tempfile
import threading
import traceback
import types
from collections.abc import Callable, Iterable, Mapping
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

SECONDS = 60  # that one program may take


def main() -> None:
    """Run the jobs of standard input."""
    jobs = json.load(sys.stdin)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    json.dump([run(text, method) for text, method in jobs], sys.stdout)


def run(text: str, method: str) -> str:
    """What the program prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text(text, encoding="utf-8")
        out = Path(folder, "printed.txt")
        pid = os.fork()
        if not pid:
            _in_child(lambda: _program(text, method, folder, out))
        os.waitpid(pid, 0)
        return out.read_text(encoding="utf-8")


def _in_child(body: Callable[[], None]) -> None:
    code = 1
    try:
        body()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _program(text: str, method: str, folder: str, out: Path) -> None:
    signal.alarm(SECONDS)
    os.chdir(folder)
    sys.argv = ["program.py"]
    atexit._clear()
    descriptor = os.open(out, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(descriptor, 1)
    quiet = os.open(os.environ.get("PROGRAM_ERRORS", os.devnull), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(quiet, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)
    if method == "fork":
        multiprocessing.set_start_method("fork", force=True)
    else:
        ours, theirs = socket.socketpair()
        if not os.fork():
            ours.close()
            _in_child(lambda: _clean_process(text, theirs))
        theirs.close()
        _Spawned.server = ours
        multiprocessing.Process = _Spawned  # type: ignore[misc, assignment]
    try:
        _execute(text, "__main__", str(Path("program.py").resolve()))
    except SystemExit:
        raise
    except BaseException as error:
        traceback.print_exc()
        print(f"ended by {type(error).__name__}")
    finally:
        atexit._run_exitfuncs()


def _execute(text: str, name: str, file: str) -> None:
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules["__main__"] = sys.modules[name] = module
    exec(compile(text, "program.py", "exec", dont_inherit=True), module.__dict__)


# a child under spawn


class _Spawned:
    """What programs use of `multiprocessing.Process`."""

    server: socket.socket
    lock = threading.Lock()

    def __init__(
        self, target: Callable[..., object], args: Iterable[object] = (), kwargs: Mapping[str, object] | None = None
    ) -> None:
        self.job = (target, tuple(args), dict(kwargs or {}))
        self.pid, self.exitcode = 0, -1

    def start(self) -> None:
        payload = bytes(ForkingPickler.dumps(self.job))
        inherited = json.dumps({"env": dict(os.environ), "cwd": str(Path.cwd()), "path": sys.path}).encode()
        with self.lock:
            _send(self.server, inherited)
            _send(self.server, payload)
            self.pid = int(_receive(self.server) or b"")

    def join(self) -> None:
        with self.lock:
            _send(self.server, b"join %d" % self.pid)
            self.exitcode = int(_receive(self.server) or b"")


def _clean_process(text: str, connection: socket.socket) -> None:
    while True:
        payload = _receive(connection)
        if payload is None:
            return
        if payload.startswith(b"join "):
            _, status = os.waitpid(int(payload[5:]), 0)
            _send(connection, b"%d" % (os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)))
            continue
        job = _receive(connection) or b""
        pid = os.fork()
        if not pid:
            connection.close()
            _in_child(functools.partial(_work, text, payload, job))
        _send(connection, b"%d" % pid)


def _work(text: str, inherited: bytes, payload: bytes) -> None:
    found = json.loads(inherited)
    os.environ.clear()
    os.environ.update(found["env"])
    sys.path[:] = found["path"]
    file = str(Path("program.py").resolve())
    os.chdir(found["cwd"])
    try:
        _execute(text, "__mp_main__", file)
        target, args, kwargs = pickle.loads(payload)
        target(*args, **kwargs)
    finally:
        atexit._run_exitfuncs()


def _send(connection: socket.socket, data: bytes) -> None:
    connection.sendall(struct.pack(">I", len(data)) + data)


def _receive(connection: socket.socket) -> bytes | None:
    head = _exactly(connection, 4)
    return None if head is None else _exactly(connection, struct.unpack(">I", head)[0])


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


if __name__ == "__main__":
    main()
