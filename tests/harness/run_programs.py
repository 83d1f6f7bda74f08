"""Runs small programs under fork, and under spawn without a new interpreter: `python run_programs.py < jobs.json`.

Standard input is JSON: a list of `[text, start method]`. Standard output is JSON: for each, what the program and its
children printed, the type of the error that ended it last. It needs nothing but the standard library of Python 3.8,
so that any interpreter can run it.

A child under "spawn" is forked from a process that has not run the program. It runs the program as `__mp_main__`, as
`multiprocessing.spawn` does, and then gets what the parent pickled. That takes milliseconds; a sample of the programs
is run with the real `spawn` as well.
"""

from __future__ import annotations

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
from multiprocessing.reduction import ForkingPickler

SECONDS = 60  # that one program may take


def main() -> None:
    """Run the jobs of standard input."""
    jobs = json.load(sys.stdin)
    json.dump([run(text, method) for text, method in jobs], sys.stdout)


def run(text: str, method: str) -> str:
    """What the program prints."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
            file.write(text)
        out = os.path.join(folder, "printed.txt")
        pid = os.fork()
        if not pid:
            _in_child(lambda: _program(text, method, folder, out))
        os.waitpid(pid, 0)
        with open(out, encoding="utf-8") as file:
            return file.read()


def _in_child(body):  # type: ignore[no-untyped-def]
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


def _program(text, method, folder, out):  # type: ignore[no-untyped-def]
    signal.alarm(SECONDS)
    os.chdir(folder)
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
        _execute(text, "__main__")
    except SystemExit:
        raise
    except BaseException as error:
        traceback.print_exc()
        print("ended by %s" % type(error).__name__)


def _execute(text, name):  # type: ignore[no-untyped-def]
    module = types.ModuleType(name)
    module.__file__ = os.path.abspath("program.py")
    sys.modules["__main__"] = sys.modules[name] = module
    exec(compile(text, "program.py", "exec", dont_inherit=True), module.__dict__)


# a child under spawn


class _Spawned:
    """What programs use of `multiprocessing.Process`."""

    server = None  # type: socket.socket
    lock = threading.Lock()

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.job, self.exitcode = (target, tuple(args), dict(kwargs or {})), None

    def start(self):  # type: ignore[no-untyped-def]
        payload = bytes(ForkingPickler.dumps(self.job))
        with self.lock:
            _send(self.server, payload)
            self.pid = int(_receive(self.server))

    def join(self, timeout=None):  # type: ignore[no-untyped-def]
        with self.lock:
            _send(self.server, b"join %d" % self.pid)
            self.exitcode = int(_receive(self.server))


def _clean_process(text, connection):  # type: ignore[no-untyped-def]
    while True:
        payload = _receive(connection)
        if payload is None:
            return
        if payload.startswith(b"join "):
            _, status = os.waitpid(int(payload[5:]), 0)
            _send(connection, b"%d" % (os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)))
            continue
        pid = os.fork()
        if not pid:
            connection.close()
            _in_child(lambda: _work(text, payload))
        _send(connection, b"%d" % pid)


def _work(text, payload):  # type: ignore[no-untyped-def]
    _execute(text, "__mp_main__")
    target, args, kwargs = pickle.loads(payload)
    target(*args, **kwargs)


def _send(connection, data):  # type: ignore[no-untyped-def]
    connection.sendall(struct.pack(">I", len(data)) + data)


def _receive(connection):  # type: ignore[no-untyped-def]
    head = _exactly(connection, 4)
    return None if head is None else _exactly(connection, struct.unpack(">I", head)[0])


def _exactly(connection, size):  # type: ignore[no-untyped-def]
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


if __name__ == "__main__":
    main()
