"""Files that note what a run reads: what its result depends on."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Sequence

from ..tree.files import Entry, Files
from ..tree.stamps import ABSENT, Stamp, now, settled, stamps

_BY_STAMP = (errno.EFBIG,)  # errors that a file's stamp decides


class RecordedFiles:
    """`files`, and the digest of each file that was read. `known`: digests by path of an earlier run, with the stamps.

    `sound` is False once a file could not be read, or changed meanwhile: then the result depends on more than contents.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._stamp = stamps(files)
        self.sound = self._stamp is not None
        self.digests: dict[str, str] = {}
        self.settled: dict[str, tuple[Stamp, str]] = {}  # what need not be read again, while the stamp is the same

    @property
    def root(self) -> str:
        """That of `files`."""
        return self._files.root

    def entries(self) -> Sequence[Entry]:
        """Those of `files`."""
        return self._files.entries()

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError."""
        looked, before = now(), self._stamp_of(path)
        try:
            data = self._files.read(path)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError) and before == ABSENT
            if not missing and error.errno not in _BY_STAMP:
                self.sound = False
            self._note(path, f"error {error.errno}", looked, before)
            raise
        self._note(path, digest_of(data), looked, before)
        return data

    def digest(self, path: str, known: dict[str, tuple[Stamp, str]]) -> str | None:
        """The digest of a file, by its stamp alone where `known` has it; None where there is none."""
        stamp = self._stamp_of(path)
        if stamp is not None and path in known and known[path][0] == stamp:
            self.digests[path], self.settled[path] = known[path][1], known[path]
            return known[path][1]
        try:
            self.read(path)
        except OSError:
            if not self.sound:
                return None
        return self.digests[path]

    def _stamp_of(self, path: str) -> Stamp | None:
        return self._stamp(path) if self._stamp is not None else None

    def _note(self, path: str, digest: str, looked: int, before: Stamp | None) -> None:
        if before is None or self._stamp_of(path) != before or self.digests.get(path, digest) != digest:
            self.sound = False
        self.digests[path] = digest
        if before is not None and settled(before, looked):
            self.settled[path] = (before, digest)


def digest_of(data: bytes) -> str:
    """What stands for a content."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()
