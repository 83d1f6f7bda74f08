"""What differs between Linux, macOS and Windows. No other module asks which system it runs on, but for the terminal.

Functions ask `HERE` at each call, so that a test can put another system in its place.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAME_SURROGATE = 0x20000000  # of a reparse point on Windows: it stands for another place (symbolic link, junction)
_DEVICES = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])[ ]*(?:[.:].*)?", re.I | re.S
)
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
_TEMPORARY, _MARKER = re.compile(r"spawnfix-(\d{1,10})-\w{8}"), ".spawnfix-temporary"
LEFT_OVER_SECONDS = 7 * 86_400
REPLACE_SECONDS = 2.0  # that another program (a virus scanner, an indexer) may hold a file open on Windows
_QUERY_LIMITED_INFORMATION, _INVALID_PARAMETER = 0x1000, 87


@dataclass(frozen=True)
class System:
    """One operating system: `name` is `os.name` there, `platform` is `sys.platform`."""

    name: str
    platform: str

    @property
    def windows(self) -> bool:
        """True for Windows."""
        return self.name == "nt"

    @property
    def mac(self) -> bool:
        """True for macOS."""
        return self.platform == "darwin"


HERE = System(os.name, sys.platform)


# Processes


def apart() -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process that Ctrl-C at our terminal does not reach."""
    if HERE.windows:
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200)}
    return {"start_new_session": True}


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End `process`, started with `apart()`, and all that it started. It is waited for.

    It must not have been waited for before: its number could be that of another process by now.
    """
    if process.returncode is None:
        if HERE.windows:
            _taskkill(process.pid)
            with contextlib.suppress(OSError):
                process.kill()
        else:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def end_rest_of_group(process: subprocess.Popen[bytes]) -> None:
    """End what `process`, started with `apart()`, has left running. Where groups don't outlive it: nothing."""
    if process.returncode is None:
        end_tree(process)
    elif not HERE.windows:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def end_own_tree() -> None:
    """End this process, which leads a group of its own, with all that it started. Does not return."""
    if HERE.windows:
        _taskkill(os.getpid())
    else:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _taskkill(process: int) -> None:
    # by its full name: Windows looks for programs in the working directory first
    program = str(Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe"))
    with contextlib.suppress(OSError):
        subprocess.run([program, "/F", "/T", "/PID", str(process)], capture_output=True, check=False)


def is_alive(process: int) -> bool:
    """True when there is (or may be) a process of this number."""
    if HERE.windows:
        return _is_alive_on_windows(process, _kernel32())
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _kernel32() -> Any:
    import ctypes

    return getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009  (only there on Windows)


def _is_alive_on_windows(process: int, kernel32: Any) -> bool:
    """There `os.kill(process, 0)` would end it."""
    import ctypes

    handle = kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, False, process)
    if not handle:  # no such process, or one of somebody else
        return bool(getattr(ctypes, "get_last_error")() != _INVALID_PARAMETER)  # noqa: B009
    kernel32.CloseHandle(handle)
    return True


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Limits


def limit(memory: int, file_size: int) -> None:
    """Limit this process: MiB of memory, MiB of one file; 0: no limit. Not on Windows; macOS knows no memory limit."""
    try:
        import resource
    except ImportError:
        return
    for kind, mebibytes in (("RLIMIT_AS", memory), ("RLIMIT_FSIZE", file_size)):
        which = getattr(resource, kind, None)
        if which is not None:
            _, most = resource.getrlimit(which)
            wanted = mebibytes * 2**20 if mebibytes else most
            if most != resource.RLIM_INFINITY:
                wanted = min(wanted, most) if mebibytes else most
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (wanted, most))


def limits_work() -> bool:
    """True when `limit` does what it says; elsewhere somebody has to watch."""
    return not HERE.windows and not HERE.mac


def memory_of(process: int) -> int | None:
    """The memory that another process uses now, MiB; None where it can't be told."""
    try:
        if HERE.windows:
            program = str(Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "tasklist.exe"))
            out = subprocess.run([program, "/FI", f"PID eq {process}", "/FO", "CSV", "/NH"], capture_output=True).stdout
            digits = re.sub(rb"[^0-9]", b"", out.strip().rpartition(b',"')[2])  # "76,244 K", by the user's language
        else:
            out = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True).stdout
            digits = out.strip()
    except OSError:
        return None
    return int(digits) // 2**10 if digits.isdigit() else None


def peak_memory() -> int:
    """The most memory that we had since `forget_peak`, MiB (elsewhere than on Linux since the start, or 0)."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 2**10
    try:
        import resource
    except ImportError:
        return 0
    unit = 2**20 if HERE.mac else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def forget_peak() -> None:
    """Begin to count anew for `peak_memory`."""
    with contextlib.suppress(OSError):  # Linux only
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


# Files


def is_link(path: Path) -> bool:
    """True for what leads elsewhere: a symbolic link, and on Windows a junction."""
    try:
        return is_link_status(path.lstat())
    except (OSError, ValueError):
        return False


def is_link_status(status: os.stat_result) -> bool:
    """As `is_link`, by the result of `lstat`. Files in OneDrive are reparse points too, but no links."""
    tag = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or bool(tag & _NAME_SURROGATE)


def is_plain_folder(entry: os.DirEntry[str]) -> bool:
    """True for a folder that is no link and no junction. Raises OSError."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    return not HERE.windows or not is_link_status(entry.stat(follow_symlinks=False))


def cannot_be(path: str) -> str | None:
    """Why no file can have the relative `path` (with /) on this system, None when one can.

    On Windows `aux.py` and `con` in any folder are devices, and a dot at the end of a name is cut off.
    """
    if HERE.windows:
        for part in path.split("/"):
            if _DEVICES.fullmatch(part):
                return f"{part} is the name of a device on Windows"
            if part not in (".", "..") and _NOT_ON_WINDOWS.search(part):
                return f"{part} is no file name on Windows"
    return None


def replace(source: Path, target: Path, pause: Callable[[float], None] = time.sleep) -> None:
    """Put `source` in the place of `target`, at once. Raises OSError.

    On Windows that fails as long as another program has `target` open: it is tried again for a moment.
    """
    wait, left = 0.01, REPLACE_SECONDS
    while True:
        try:
            source.replace(target)
            return
        except PermissionError:
            if not HERE.windows or left <= 0:
                raise
        pause(wait)
        left -= wait
        wait = min(wait * 2, 0.5)


def link_or_file(place: Path, to: str) -> None:
    """A symbolic link at `place`. Where the user may make none, a file with its text, as git does. Raises OSError."""
    try:
        place.symlink_to(to)
    except (OSError, NotImplementedError):
        if not HERE.windows:
            raise
        place.write_bytes(to.encode("utf-8", "surrogateescape"))


def remove_folder(folder: Path) -> None:
    """Remove a folder that we made, read-only files and folders in it too. Links are not followed.

    What can't be removed stays: on Windows, what a program has open.
    """
    if is_link(folder):
        return
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # files and folders that may not be written to: on Windows all of git's objects
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if not is_link(Path(place, name))]
            for path in (Path(place), *(Path(place, name) for name in names)):
                with contextlib.suppress(OSError):
                    if not is_link(path):
                        path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def temporary_folder() -> Path:
    """A new folder for temporary files, for us alone; what killed runs left a week ago goes. Raises OSError.

    Linux empties its folder for such files at a start, Windows never does.
    """
    _remove_left_over(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix=f"spawnfix-{os.getpid()}-"))
    try:
        (folder / _MARKER).touch()
    except OSError:  # a full disk
        remove_folder(folder)
        raise
    return folder


@functools.cache
def _remove_left_over(base: str) -> None:
    """Once for each process: looking at all that lies there takes longer than a small repository."""
    with contextlib.suppress(OSError):
        for left in [Path(entry) for entry in os.scandir(base) if entry.name.startswith("spawnfix-")]:
            if _is_left_over(left):
                remove_folder(left)


def _is_left_over(folder: Path) -> bool:
    """True for a folder of ours, by name, owner and marker, that is old and whose process is gone."""
    name = _TEMPORARY.fullmatch(folder.name)
    try:
        found, marked = folder.lstat(), (folder / _MARKER).lstat()
    except OSError:
        return False
    ours = not hasattr(os, "geteuid") or found.st_uid == marked.st_uid == os.geteuid()
    old = max(found.st_mtime, marked.st_mtime) < time.time() - LEFT_OVER_SECONDS  # a container may have its own numbers
    plain = stat.S_ISDIR(found.st_mode) and not is_link_status(found) and stat.S_ISREG(marked.st_mode)
    return name is not None and ours and old and plain and not is_alive(int(name[1]))


def spelling(path: str) -> str:
    """A key that is equal for paths that name the same file where neither case nor Unicode form counts."""
    return unicodedata.normalize("NFC", path).casefold()


def interpreters(folder: str) -> tuple[str, ...]:
    """Where the Python of an environment may be."""
    names = (("Scripts", "python.exe"), ("python.exe",)) if HERE.windows else (("bin", "python"),)
    return tuple(str(Path(folder, *name)) for name in names)
