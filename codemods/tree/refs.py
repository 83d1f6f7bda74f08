"""The branches and tags of a repository, read as files. Nothing is followed that leads out of its folder."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from ..operating_system import is_plain_folder
from ..problem import Problem
from .guarded import read_regular

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOT_IN_A_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(?:^|/)\.|\.lock(?:/|$)|[/.]$")
_MAX_PACKED = 256 * 2**20  # bytes
_MAX_LOOSE = 200_000  # files
_DEEP = 5  # refs that name refs


def is_ref_name(name: str) -> bool:
    """True for a full name, `refs/heads/main`, as git allows it."""
    return name.startswith("refs/") and not _NOT_IN_A_NAME.search(name)


@dataclass(frozen=True)
class Refs:
    """The refs of the repository with these folders."""

    git_dir: Path
    common_dir: Path

    def head(self) -> tuple[str | None, str | None]:
        """(full name of the branch that is checked out, id of its commit); None for what there is not."""
        text = self._text(self.git_dir, "HEAD")
        if text is None:
            raise Problem(f"{self.git_dir / 'HEAD'}: no such file")
        if text.startswith("ref: "):
            name = text[5:].strip()
            if not is_ref_name(name):
                raise Problem(f"{self.git_dir / 'HEAD'}: names no branch that git allows")
            return name, self.resolve(name)
        if not _OBJECT.fullmatch(text.strip()):
            raise Problem(f"{self.git_dir / 'HEAD'}: names no commit")
        return None, text.strip()

    def resolve(self, name: str, deep: int = _DEEP) -> str | None:
        """The object id that the ref `name` has, None when there is no such ref."""
        text = self._text(self.common_dir, name) if is_ref_name(name) else None
        if text is None:
            return self.packed().get(name)
        if text.startswith("ref: "):
            return self.resolve(text[5:].strip(), deep - 1) if deep else None
        return text.strip() if _OBJECT.fullmatch(text.strip()) else None

    def packed(self) -> dict[str, str]:
        """The refs in `packed-refs`."""
        try:
            data = read_regular(self.common_dir, "packed-refs", _MAX_PACKED)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Problem(f"{self.common_dir / 'packed-refs'}: {error.strerror or error}") from None
        found = {}
        for line in os.fsdecode(data).split("\n"):
            oid, _, name = line.partition(" ")
            if _OBJECT.fullmatch(oid) and is_ref_name(name):
                found[name] = oid
        return found

    def all(self) -> dict[str, str]:
        """Every ref by its full name; not those that replace objects by others."""
        found = self.packed()
        waiting, seen = ["refs"], 0
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(self.common_dir / folder))
            except OSError as error:
                raise Problem(f"{self.common_dir / folder}: {error.strerror or error}") from None
            seen += len(entries)
            if seen > _MAX_LOOSE:
                raise Problem(f"{self.common_dir / 'refs'}: more than {_MAX_LOOSE} files; git pack-refs --all helps")
            for entry in entries:
                name = f"{folder}/{entry.name}"
                if is_plain_folder(entry):
                    waiting.append(name)
                elif entry.is_file(follow_symlinks=False):
                    oid = self.resolve(name)
                    if oid is not None:
                        found[name] = oid
        return {name: oid for name, oid in found.items() if not name.startswith("refs/replace/")}

    def branches(self) -> set[str]:
        """Names of the branches, also of those that are damaged."""
        found = {name for name in self.packed() if name.startswith("refs/heads/")}
        for folder, _, files in os.walk(self.common_dir / "refs/heads"):
            for file in files:
                name = Path(folder, file).relative_to(self.common_dir).as_posix()
                if is_ref_name(name):
                    found.add(name)
        return {name.removeprefix("refs/heads/") for name in found}

    def _text(self, folder: Path, name: str) -> str | None:
        try:
            return os.fsdecode(read_regular(folder, name, 4096))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if _is_folder(folder / name):
                return None
            raise Problem(f"{folder / name}: {error.strerror or error}") from None


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
