"""Git's index file: which files are tracked, and the same file with other contents noted for some of them."""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import operating_system
from ..problem import Problem
from .guarded import read_regular

MAX_INDEX = 1024 * 2**20  # bytes
_HEAD = struct.Struct(">4sII")
_STAT = struct.Struct(">10I")  # ctime, its nanoseconds, mtime, its nanoseconds, device, inode, mode, user, group, size
_STALE = (b"TREE", b"FSMN", b"EOIE", b"IEOT")  # extensions that do not hold any more once an entry changed
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")  # letters that a Mac's file names leave out
REGULAR = (0o100644, 0o100755, 0o100664)


class BadPath(ValueError):
    """A path that leads out of its repository, or into `.git`."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One entry: `stage` is 0 but in a conflict; `status` are the ten numbers that git keeps of the file on disk."""

    path: str
    mode: int
    oid: str
    stage: int
    skipped: bool  # not checked out (skip-worktree)
    at: int  # where it begins in the file
    status: tuple[int, ...]

    def fresh(self, found: os.stat_result) -> bool:
        """True when the file on disk was not touched since git looked at it."""
        then, now = self.status, _numbers(found, self.mode)
        return (then[0:4], then[5], then[9]) == (now[0:4], now[5], now[9])


@dataclass(frozen=True)
class Index:
    """An index file. `digits` is the length of an object id; `needs_git`: it is split, or has folders for entries."""

    data: bytes
    digits: int
    entries: tuple[IndexEntry, ...]
    needs_git: bool

    def by_path(self) -> dict[str, IndexEntry]:
        """The entries that are in no conflict."""
        return {entry.path: entry for entry in self.entries if not entry.stage}

    @property
    def conflicts(self) -> bool:
        """True when files are left to be merged."""
        return any(entry.stage for entry in self.entries)

    def changed(self, changes: Mapping[int, tuple[str, os.stat_result | None]]) -> bytes:
        """The file with new object ids for the entries that begin at these places, and what is on disk for them."""
        size = self.digits // 2
        body = bytearray(self.data[:-size])
        for at, (oid, found) in changes.items():
            status = _STAT.unpack_from(body, at)
            _STAT.pack_into(body, at, *(status if found is None else _numbers(found, status[6])))
            body[at + 40 : at + 40 + size] = bytes.fromhex(oid)
        out = bytes(body[: self._extensions_at]) + b"".join(
            data for name, data in _extensions(bytes(body), self._extensions_at) if name not in _STALE
        )
        return out + _hash(size, out)

    @property
    def _extensions_at(self) -> int:
        return _entries(self.data, self.digits)[1]


def check_path(path: str) -> str:
    """`path`, as a file of a repository may be called. Raises BadPath when it leads out or into `.git`."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or _is_git(part) for part in parts) or "\0" in path:
        raise BadPath(path)
    if operating_system.HERE.windows and any(letter in path for letter in "\\:"):
        raise BadPath(path)
    return path


def _is_git(part: str) -> bool:
    """True for `.git` under each name that macOS or Windows knows it by; git refuses to check these out, everywhere."""
    return _UNSEEN.sub("", part).lower().rstrip(". ") in (".git", "git~1")


def read_index(git_dir: Path, digits: int) -> Index | None:
    """The index in `git_dir`, None where there is none. Raises Problem."""
    try:
        data = read_regular(git_dir, "index", MAX_INDEX)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Problem(f"{git_dir / 'index'}: {error.strerror or error}") from None
    return parse_index(data, digits, git_dir / "index")


def parse_index(data: bytes, digits: int, name: Path) -> Index:
    """The index in `data`. Raises Problem."""
    try:
        entries, at = _entries(data, digits)
        size = digits // 2
        if len(data) < at + size or (any(data[-size:]) and _hash(size, data[:-size]) != data[-size:]):
            raise ValueError("damaged")
        extensions = {extension for extension, _ in _extensions(data[:-size], at)}
        if b"link" not in extensions and not all(entry.path for entry in entries):
            raise BadPath("")
    except BadPath as error:
        raise Problem(f"{name}: names {str(error)!r}, which is no path inside the repository") from None
    except (ValueError, struct.error, IndexError):
        raise Problem(f"{name}: damaged, or in a form that spawnfix does not know") from None
    return Index(data, digits, tuple(entries), bool(extensions & {b"link", b"sdir"}))


def _entries(data: bytes, digits: int) -> tuple[list[IndexEntry], int]:
    """The entries, and where they end."""
    signature, version, count = _HEAD.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("damaged")
    size = digits // 2
    found: list[IndexEntry] = []
    at, before = 12, b""
    for _ in range(count):
        start = at
        status = _STAT.unpack_from(data, at)
        oid = data[at + 40 : at + 40 + size].hex()
        at += 40 + size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 2
        extended = 0
        if flags & 0x4000:
            extended = int.from_bytes(data[at : at + 2], "big")
            at += 2
        if version == 4:
            cut, at = _number(data, at)
            end = data.index(b"\0", at)
            raw = before[: len(before) - cut] + data[at:end]
            before, at = raw, end + 1
        else:
            end = data.index(b"\0", at)
            raw = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        if len(oid) != digits:
            raise ValueError("damaged")
        path = os.fsdecode(raw)
        folder = status[6] == 0o40000  # of a sparse index
        if path:  # an index that is split has entries without a name, for those of the shared one
            check_path(path.removesuffix("/") if folder else path)
        found.append(IndexEntry(path, status[6], oid, flags >> 12 & 3, bool(extended & 0x4000), start, status))
    return found, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in git's variable length, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) + (data[at] & 0x7F)
    return value, at + 1


def _extensions(body: bytes, at: int) -> list[tuple[bytes, bytes]]:
    """(name, all of it) of each extension in `body`, a file without its checksum."""
    found = []
    while at < len(body):
        length = int.from_bytes(body[at + 4 : at + 8], "big")
        if at + 8 + length > len(body):
            raise ValueError("damaged")
        found.append((body[at : at + 4], body[at : at + 8 + length]))
        at += 8 + length
    return found


def blob_id(data: bytes, digits: int) -> str:
    """Git's id of a file's content."""
    return _hash(digits // 2, b"blob %d\0" % len(data) + data).hex()


def _hash(size: int, data: bytes) -> bytes:
    return hashlib.sha256(data).digest() if size == 32 else hashlib.sha1(data, usedforsecurity=False).digest()


def _time(nanoseconds: int) -> tuple[int, int]:
    seconds, rest = divmod(nanoseconds, 10**9)
    return seconds & 0xFFFFFFFF, rest


def _numbers(found: os.stat_result, mode: int) -> tuple[int, ...]:
    return (
        *_time(found.st_ctime_ns),
        *_time(found.st_mtime_ns),
        found.st_dev & 0xFFFFFFFF,
        found.st_ino & 0xFFFFFFFF,
        mode,
        getattr(found, "st_uid", 0) & 0xFFFFFFFF,
        getattr(found, "st_gid", 0) & 0xFFFFFFFF,
        found.st_size & 0xFFFFFFFF,
    )
