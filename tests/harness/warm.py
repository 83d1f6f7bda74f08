"""Starts Python programs in processes that have imported torch already: an import costs two seconds, a fork none.

`python warm.py SOCKET` imports torch, waits, and forks a child for each request of `warm_python.py`, which stands in
the place of `python` on the PATH of a program. A child has run nothing but the import of torch: it gets the working
directory, the variables, the open files and the arguments of who asked, and then runs the script, module or `-c` code
as `python` does, to the end of the interpreter. Spawned children and ranks ask in the same way, so that none inherits
anything from its parent. A program that could tell the difference is run by a fresh interpreter: see `_differs`.

A request: one byte with the open files, then the length and JSON {"argv", "cwd", "env", "files", "job", "executable"}.
The answer is "cold", or the wait status of the child. Each byte that comes later is the number of a signal for the
child; when the connection ends, the child is killed. {"end": JOB} kills all children of a job.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import types
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

_HIGH = 500  # our own descriptors lie above those that programs open
_READ_AT_START = ("PYTHON", "LD_", "OMP_", "MKL_", "OPENBLAS_")  # variables that a running interpreter reads no more


@dataclass
class _Child:
    """A process that runs for `connection`."""

    pid: int
    job: str
    connection: socket.socket


@dataclass
class Server:
    """All that is at work; `listener` gives new connections."""

    listener: socket.socket
    environment: dict[str, str]
    loaded: frozenset[str] = frozenset()  # top-level names of the modules that are imported
    children: dict[int, _Child] = field(default_factory=dict)  # by the descriptor of the connection
    groups: dict[str, list[int]] = field(default_factory=dict)  # of a job: the process groups of all its children

    def serve(self, ours: int) -> dict[str, Any] | None:
        """Answer until the descriptor `ours` ends. In a child: the request that it is to carry out."""
        wake, waker = os.pipe()
        wake, waker = _moved(wake), _moved(waker)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        while True:
            poll = select.poll()
            for descriptor in (ours, wake, self.listener.fileno(), *self.children):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll()}
            if ours in ready:
                for child in self.children.values():
                    _signal(child.pid, signal.SIGKILL)
                return None
            if wake in ready:
                os.read(wake, 4096)
            self._reap()
            for descriptor in ready & set(self.children):
                self._forward(self.children[descriptor])
            if self.listener.fileno() in ready:
                request = None
                connection, _ = self.listener.accept()
                connection = socket.socket(fileno=_moved(connection.detach()))
                try:
                    request = self._answer(connection)
                except OSError:  # who asked was killed meanwhile
                    connection.close()
                if request is not None:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    os.close(wake)
                    os.close(waker)
                    return request

    def _reap(self) -> None:
        for descriptor, child in list(self.children.items()):
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                del self.children[descriptor]
                with contextlib.suppress(OSError), child.connection:
                    child.connection.sendall(status.to_bytes(4, "big"))

    def _forward(self, child: _Child) -> None:
        """Signals for `child`; its end when who asked for it is gone."""
        try:
            numbers = child.connection.recv(64)
        except OSError:
            numbers = b""
        for number in numbers or bytes([signal.SIGKILL]):
            _signal(child.pid, number)
        if not numbers:
            os.waitpid(child.pid, 0)
            del self.children[child.connection.fileno()]
            child.connection.close()

    def _answer(self, connection: socket.socket) -> dict[str, Any] | None:
        """Take one request; comes back twice for one that is carried out, in the child with the request.

        Raises OSError when `connection` ends before the request does.
        """
        _, files, _, _ = socket.recv_fds(connection, 1, 200)
        files = [_moved(descriptor) for descriptor in files]
        try:
            request: dict[str, Any] = json.loads(_exactly(connection, int.from_bytes(_exactly(connection, 4), "big")))
        except OSError:
            _close(files)
            raise
        if "end" in request:
            for group in self.groups.pop(request["end"], []):  # also those whose first process has ended
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            for descriptor, child in list(self.children.items()):
                if child.job == request["end"]:
                    _signal(child.pid, signal.SIGKILL)  # one that was forked just now has no group yet
                    os.waitpid(child.pid, 0)
                    del self.children[descriptor]
                    child.connection.close()
            connection.sendall(b"done")
            connection.close()
            return None
        if _differs(request, self.environment, self.loaded):
            _close(files)
            connection.sendall(b"cold")
            connection.close()
            return None
        pid = os.fork()
        if pid == 0:
            os.setsid()
            for own in (connection, self.listener, *(child.connection for child in self.children.values())):
                os.close(own.detach())
            self.children.clear()
            for number, descriptor in zip(request["files"], files, strict=True):
                os.dup2(descriptor, number, inheritable=True)
            _close(files)
            return request
        _close(files)
        self.children[connection.fileno()] = _Child(pid, request["job"], connection)
        self.groups.setdefault(request["job"], []).append(pid)
        return None


def _differs(request: dict[str, Any], environment: dict[str, str], loaded: frozenset[str]) -> bool:
    """True for a program that might notice where it runs: then a fresh interpreter runs it."""
    env = request["env"]
    if any(
        env.get(name) != environment.get(name)
        for name in {*env, *environment}
        if name.startswith(_READ_AT_START) and name != "PYTHONUNBUFFERED"
    ):
        return True
    arguments = _after_flags(request["argv"]) or ["-"]
    if arguments[0] == "-c":  # also the servers of multiprocessing, which need no torch
        return not arguments[1].startswith("from multiprocessing.spawn import spawn_main")
    if arguments[0].startswith("-") and arguments[0] != "-m":
        return True
    script = Path(request["cwd"], arguments[0])
    if arguments[0] != "-m" and not script.is_file():
        return True
    folder = Path(request["cwd"]) if arguments[0] == "-m" else script.parent.resolve()
    # a module of the program's own that has the name of one that is imported already would not be found
    return any(path.name.partition(".")[0] in loaded for path in folder.iterdir())


def _after_flags(arguments: list[str]) -> list[str]:
    """Without `-u`, as sitecustomize sets the streams to whole lines in any case, and `-B`, which we run with too."""
    while arguments[:1] in (["-u"], ["-B"]):
        arguments = arguments[1:]
    return arguments


def carry_out(request: dict[str, Any]) -> None:
    """Run what `request` names as `python` would. Ends with SystemExit, or with what is left to do at the end."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.modules["sitecustomize"].choose_start_method()
    sys.executable = request["executable"]
    from multiprocessing import spawn

    spawn.set_executable(sys.executable)
    sys.modules["numpy"].random.seed()  # as at an import; Python reseeds its own after a fork
    sys.orig_argv = [sys.executable, *request["argv"]]
    arguments = _after_flags(request["argv"])
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = main
    try:
        if arguments[0] == "-c":
            sys.argv = ["-c", *arguments[2:]]
            sys.path[0] = ""
            exec(compile(arguments[1], "<string>", "exec"), main.__dict__)
        elif arguments[0] == "-m":
            sys.argv = ["-m", *arguments[2:]]
            sys.path[0] = os.getcwd()  # noqa: PTH109
            runpy._run_module_as_main(arguments[1])  # type: ignore[attr-defined]
        else:
            sys.argv = arguments
            script = os.path.join(os.getcwd(), arguments[0])  # noqa: PTH109, PTH118  (as it is written, `..` and all)
            sys.path[0] = os.path.realpath(os.path.dirname(script))  # noqa: PTH120
            main.__dict__.update(__file__=script, __cached__=None, __loader__=SourceFileLoader("__main__", script))
            exec(compile(Path(script).read_bytes(), script, "exec"), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        raise SystemExit(1) from None


def _signal(pid: int, number: int) -> None:
    """Send it to a child; SIGKILL to its whole process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
    if number == signal.SIGKILL:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def _moved(descriptor: int) -> int:
    new = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    return new


def _close(files: list[int]) -> None:
    for descriptor in files:
        os.close(descriptor)


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionResetError
        data += more
    return data


def main() -> None:
    """Import torch, say so, and serve until standard input ends."""
    import torch  # noqa: F401

    if len(list(Path("/proc/self/task").iterdir())) != 1:
        raise SystemExit("torch has started threads, which no fork keeps")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    listener = socket.socket(fileno=_moved(listener.detach()))
    ours = _moved(os.dup(0))
    loaded = frozenset(name.partition(".")[0] for name in sys.modules) - {"__main__"}
    gc.collect()
    gc.freeze()  # what a child does not look at is not copied
    print("ready", flush=True)
    request = Server(listener, dict(os.environ), loaded).serve(ours)
    if request is not None:
        os.close(ours)
        carry_out(request)


if __name__ == "__main__":
    main()
