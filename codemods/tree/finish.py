"""The last steps of a delivery, in a process of their own that outlives ours: a new branch, or a checkout.

A kill of ours, or Ctrl-C at the terminal, leaves this process to its work; what fails in it is undone. It starts no
program, reads no configuration and takes git's own locks. The job comes as JSON on stdin, and nothing is done before
all of it is there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..new_process import code_to_call
from ..operating_system import apart, is_link, replace
from .git_index import parse_index
from .guarded import read_regular
from .writing import clear, drop_staged, put_staged, replaced, stage

Job = Mapping[str, Any]


class Failed(Exception):
    """A step failed, and what was done before it is undone but for `lost`. `locked`: another git is at work."""

    def __init__(self, why: str, lost: tuple[str, ...] = (), locked: bool = False) -> None:
        super().__init__(why)
        self.why, self.lost, self.locked = why, lost, locked


def finish(job: Job) -> None:
    """Do `job` ("kind": "branch" or "checkout") in another process, and wait for it. Raises Failed."""
    command = [sys.executable, "-I", "-c", code_to_call("tree.finish", "main")]
    try:
        done = subprocess.run(command, input=json.dumps(job).encode(), capture_output=True, check=False, **apart())
        answer = json.loads(done.stdout)
    except (OSError, ValueError) as error:
        raise Failed(f"the process that writes could not do its work: {error}") from None
    if answer["why"] is not None:
        raise Failed(answer["why"], tuple(answer["lost"]), answer["locked"])


def main() -> None:
    """Read the job from stdin, do it, and print what became of it."""
    job = json.loads(sys.stdin.buffer.read())
    answer: dict[str, object] = {"why": None, "lost": [], "locked": False}
    try:
        {"branch": make_branch, "checkout": check_out}[job["kind"]](job)
    except Failed as failed:
        answer = {"why": failed.why, "lost": list(failed.lost), "locked": failed.locked}
    except Exception as error:
        answer["why"] = _words(error)
    with contextlib.suppress(OSError):
        print(json.dumps(answer))
        sys.stdout.flush()


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


class _Lock:
    """Git's own lock of a file, taken until the end of the block; `commit` puts its content in the file's place."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, path.with_name(f"{path.name}.lock")
        self._mine = False

    def __enter__(self) -> _Lock:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            os.close(os.open(self._lock, flags, 0o666))
        except FileExistsError:
            raise Failed(f"Unable to create '{self._lock}': File exists", locked=True) from None
        self._mine = True
        return self

    def fill(self, data: bytes) -> None:
        """Write the new content. Raises OSError."""
        with self._lock.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(FileNotFoundError):
            self._lock.chmod(stat.S_IMODE(self._path.lstat().st_mode))

    def commit(self) -> None:
        """Put it in place. Raises OSError."""
        replace(self._lock, self._path)
        self._mine = False

    def __exit__(self, *_: object) -> None:
        if self._mine:
            with contextlib.suppress(OSError):
                self._lock.unlink()


def make_branch(job: Job) -> None:
    """Create the ref job["name"] for the commit job["commit"]. Raises Failed, OSError."""
    common, name = Path(job["common_dir"]), str(job["name"])
    created: list[Path] = []
    folder = common
    try:
        for part in name.split("/")[:-1]:
            folder = folder / part
            if is_link(folder) or (folder.exists() and not folder.is_dir()):
                raise Failed(f"{folder} is in the way")
            if not folder.exists():
                folder.mkdir()
                created.append(folder)
        path = common / name
        with _Lock(path) as lock:
            if _is_packed(common, name) or is_link(path) or path.is_file():
                raise Failed(f"{name} already exists")
            if path.is_dir():
                _remove_empty(path)
            lock.fill(str(job["commit"]).encode() + b"\n")
            lock.commit()
        created = []
    finally:
        for folder in reversed(created):
            with contextlib.suppress(OSError):
                folder.rmdir()
    with contextlib.suppress(OSError):
        _log(common, name, job["log"])


def _is_packed(common: Path, name: str) -> bool:
    try:
        return f" {name}\n".encode("utf-8", "surrogateescape") in read_regular(common, "packed-refs", 2**30)
    except FileNotFoundError:
        return False


def _remove_empty(folder: Path) -> None:
    """Remove a folder of empty folders, as branches leave them that are gone. Raises OSError."""
    for place, _, _ in os.walk(folder, topdown=False):
        Path(place).rmdir()


def _log(folder: Path, name: str, line: str) -> None:
    """Add a line to a log of git's, where logs are kept; never through a link. Raises OSError."""
    logs = folder / "logs"
    if not logs.is_dir() or is_link(logs):
        return
    for part in name.split("/")[:-1]:
        logs = logs / part
        if is_link(logs):
            return
        logs.mkdir(exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(logs / name.rpartition("/")[2], flags, 0o666)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            os.write(handle, line.encode("utf-8", "surrogateescape"))
    finally:
        os.close(handle)


def check_out(job: Job) -> None:
    """Put new contents into files of the work tree, and into the index, and HEAD on another branch: all or nothing.

    Raises Failed.
    """
    git_dir, tree = Path(job["git_dir"]), Path(job["work_tree"])
    with contextlib.ExitStack() as stack:
        index_lock = stack.enter_context(_Lock(git_dir / "index"))
        head_lock = stack.enter_context(_Lock(git_dir / "HEAD"))
        index = read_regular(git_dir, "index", 2**30)
        if hashlib.sha256(index).hexdigest() != job["index"]:
            raise Failed("the index changed while spawnfix was at work", locked=True)
        index_mode = stat.S_IMODE((git_dir / "index").lstat().st_mode)
        head = read_regular(git_dir, "HEAD")
        if head.decode("utf-8", "surrogateescape") != job["head"]:
            raise Failed("HEAD moved while spawnfix was at work", locked=True)
        whole = Path(job["whole_index"]).read_bytes()
        head_lock.fill(f"ref: {job['ref']}\n".encode("utf-8", "surrogateescape"))
        clear({(tree / path).parent for path in job["files"]})
        files: dict[str, tuple[str, bytes, int]] = {}  # temporary file, what was there, permissions
        stack.callback(_drop, tree, files)
        unwritten, why = [], ""
        for path, (source, expected) in job["files"].items():
            try:
                now = read_regular(tree, path)
                if hashlib.sha256(now).hexdigest() != expected:
                    raise Failed(f"{path} changed while spawnfix was at work")
                mode = stat.S_IMODE((tree / path).lstat().st_mode)
                files[path] = (stage(tree, path, Path(source).read_bytes(), mode), now, mode)
            except OSError as error:
                unwritten.append(path)
                why = why or str(error.strerror)
        if unwritten:
            raise Failed(f"can't write {_some(unwritten)}: {why}")
        undo: list[tuple[str, Callable[[], object]]] = []
        try:
            for path, (temporary, now, mode) in files.items():
                put_staged(tree, temporary, path)
                undo.append((path, lambda path=path, now=now, mode=mode: replaced(tree, path, now, mode)))  # type: ignore[misc]
            index_lock.fill(_new_index(job, whole, tree))
            index_lock.commit()
            undo.append(("git's index", lambda: replaced(git_dir, "index", index, index_mode)))
            head_lock.commit()
        except Exception as error:
            raise Failed(_words(error), _undone(undo)) from None
    with contextlib.suppress(OSError):
        _log(git_dir, "HEAD", job["log"])


def _new_index(job: Job, whole: bytes, tree: Path) -> bytes:
    index = parse_index(whole, job["digits"], Path("index"))
    changes: dict[int, tuple[str, os.stat_result | None]] = {}
    for path, (oid, at) in job["entries"].items():
        changes[at] = (oid, (tree / path).lstat() if path in job["files"] else None)
    return index.changed(changes)


def _drop(tree: Path, files: Mapping[str, tuple[str, bytes, int]]) -> None:
    for temporary, _, _ in files.values():
        drop_staged(tree, temporary)


def _undone(steps: list[tuple[str, Callable[[], object]]]) -> tuple[str, ...]:
    """Take `steps` back, the last one first; the names of those where that failed."""
    lost = []
    for name, step in reversed(steps):
        try:
            step()
        except OSError:
            lost.append(name)
    return tuple(reversed(lost))


def _some(paths: list[str], most: int = 3) -> str:
    shown = ", ".join(paths[:most])
    return f"{shown} and {len(paths) - most} more" if len(paths) > most else shown
