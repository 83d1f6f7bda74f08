"""The user's own programs: the editor for a text, the pager for what is longer than the screen."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .. import operating_system
from ..problem import Problem


def edited(text: str, suffix: str) -> str | None:
    """`text` after the user's editor; None when it ended with an error. Raises Problem when there is none."""
    usual = "notepad" if operating_system.HERE.windows else "vi"
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or usual
    with tempfile.TemporaryDirectory(prefix="spawnfix-") as folder:
        file = Path(folder) / f"change{suffix}"
        file.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        if _run(command, str(file)) != 0:
            return None
        return file.read_text(encoding="utf-8", errors="surrogateescape")


def _run(command: str, file: str) -> int:
    """`command`, which may have arguments, with `file`, as git starts editors."""
    try:
        if operating_system.HERE.windows:
            return subprocess.run(f'{command} "{file}"', shell=True).returncode
        return subprocess.run(["/bin/sh", "-c", f'{command} "$@"', command, file]).returncode
    except OSError as error:
        raise Problem(f"can't start the editor {command}: {error.strerror}") from None


def paged(text: bytes) -> bool:
    """Show `text` in the user's pager; False when there is none, and nothing was shown."""
    command = next((os.environ[name] for name in ("GIT_PAGER", "PAGER") if name in os.environ), "less")
    if command.strip() in ("", "cat"):
        return False
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}  # as git sets them: colours, and no page for a short text
    windows = operating_system.HERE.windows
    if windows and shutil.which(command.split()[0]) is None:
        return False  # its shell would say so, and end as if all had been shown
    try:
        pager = subprocess.Popen(
            command if windows else ["/bin/sh", "-c", f"exec {command}"],
            stdin=subprocess.PIPE,
            env=environment,
            shell=windows,
        )
    except OSError:
        return False
    assert pager.stdin is not None
    with contextlib.suppress(OSError):  # the reader has had enough
        pager.stdin.write(text)
    with contextlib.suppress(OSError):
        pager.stdin.close()
    while True:
        try:
            return pager.wait() != 127  # 127: there is no such program
        except KeyboardInterrupt:  # is the pager's
            continue
