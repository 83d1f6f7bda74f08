"""The side of the tests of `warm.py`: starts it when it is first needed, and ends what is left of a program."""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).parent
_JOBS = itertools.count()


class WarmStart:
    """A process that has imported torch, and a folder with a `python` and a `torchrun` that ask it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="spawnfix-warm-"))
        self.socket = self.folder / "socket"
        self.process = subprocess.Popen(
            [sys.executable, HERE / "warm.py", self.socket],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        atexit.register(self.close)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n", "the process that imports torch did not start"
        (self.folder / "bin").mkdir()
        for name in ("python", "python3", "torchrun"):
            stand_in = self.folder / "bin" / name
            stand_in.write_text(
                f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {str(HERE)!r})\nimport warm_python\n"
                f"sys.argv[:] = ['', {sys.executable!r}, {str(self.socket)!r}, {str(stand_in)!r}, *sys.argv[1:]]\n"
                "warm_python.main()\n"
            )
            stand_in.chmod(0o755)

    @contextlib.contextmanager
    def job(self, path: str) -> Iterator[dict[str, str]]:
        """The variables that one program needs, whose PATH is `path`; at the end whatever it started is ended."""
        name = str(next(_JOBS))
        yield {"PATH": f"{self.folder / 'bin'}{os.pathsep}{path}", "HARNESS_JOB": name}
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            data = b'{"end": "%s"}' % name.encode()
            connection.sendall(b"x" + len(data).to_bytes(4, "big") + data)
            assert connection.recv(4) == b"done"

    def close(self) -> None:
        """End it, and all that it started."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def warm_start(environment: tuple[tuple[str, str], ...]) -> WarmStart:
    """The one of this test process for programs with these variables."""
    return WarmStart(dict(environment))


def possible() -> bool:
    """True where processes can be forked and be handed open files."""
    return sys.platform == "linux" and hasattr(socket, "send_fds")
