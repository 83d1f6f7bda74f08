"""spawnfix at a terminal: a pseudo-terminal, keys in, screen out."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .case import ROOT

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def plain(screen: str) -> str:
    """`screen` without colours and carriage returns."""
    return _CODES.sub("", screen)


class Terminal:
    """A running `spawnfix ARGUMENTS` whose stdin, stdout and stderr are one terminal of `columns` columns."""

    def __init__(
        self,
        *arguments: str,
        folder: Path,
        cache: Path,
        columns: int = 80,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self._main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), *arguments],
            cwd=folder,
            env={**clean, "SPAWNFIX_CACHE_DIR": str(cache), "TERM": "xterm-256color", **(environment or {})},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is an interrupt
        )
        os.close(terminal)
        self.screen = ""
        self._seen = 0

    def until(self, pattern: str) -> str:
        """What is shown up to a new match of `pattern` in the plain screen; fails when the program ends before."""
        while True:
            fresh = plain(self.screen)[self._seen :]
            found = re.search(pattern, fresh)
            if found is not None:
                self._seen += found.end()
                return fresh[: found.end()]
            assert self._read(), f"ended without {pattern!r}:\n{plain(self.screen)}"

    def press(self, keys: str) -> None:
        """Type `keys`."""
        os.write(self._main, keys.encode())

    def end(self) -> int:
        """The exit code, after all output is read."""
        while self._read():
            pass
        os.close(self._main)
        return self.process.wait(60)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._main], [], [], 60)
        if not ready:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(f"nothing happens:\n{plain(self.screen)}")
        try:
            data = os.read(self._main, 65536)
        except OSError:  # Linux: the other side is closed
            return False
        self.screen += data.decode("utf-8", "replace")
        return bool(data)
