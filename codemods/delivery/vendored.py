"""Folders with other people's code that a run leaves out, though code that it looks at imports from there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..finding import Skipped
from ..tree.directory import SOURCES, DirectoryFiles, Selected
from ..tree.files import Files

_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+\.*([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)
_DEPTH = 2  # `third_party/project/package/`: as deep as a name may begin that is imported
_COMMON = frozenset({"setup", "test", "tests", "utils", "main", "train"})  # of any project
_MOST = 2000  # files that are read


def vendored(files: Files) -> Iterator[Skipped]:
    """One for each such folder, with one of the files that import from it."""
    if not isinstance(files, Selected):
        return
    looked_at = [entry.path for entry in files.entries() if entry.path.endswith(".py")]
    folders = _left_out(files, looked_at)
    ours = {path.partition("/")[0].removesuffix(".py") for path in looked_at}
    names = {folder: _names(inside) for folder, inside in folders.items()}
    users: dict[str, str] = {}
    for path in looked_at[:_MOST] if names else ():
        if len(users) == len(names):
            break
        imported = _imported(files, path)
        for folder, modules in names.items():
            own = folder.rpartition("/")[2]
            if folder not in users and any(
                own in name or (name[0] not in ours and "/".join(name) in modules) for name in imported
            ):
                users[folder] = path
    for folder, path in sorted(users.items()):
        what = (
            f"{len(folders[folder])} Python files of others" if len(folders[folder]) > 1 else "a Python file of others"
        )
        yield Skipped(folder, f"{what}, not looked at, though {path} imports from there; name the folder to look there")


def _left_out(files: Selected, looked_at: Iterable[str]) -> dict[str, list[str]]:
    """By folder the Python files in it."""
    seen = {*looked_at}
    found: dict[str, list[str]] = {}
    for path in _all(files.files):
        parts = path.split("/")
        at = next((at for at, name in enumerate(parts[:-1]) if name in SOURCES), -1)
        if at >= 0 and path not in seen:
            found.setdefault("/".join(parts[: at + 1]), []).append("/".join(parts[at + 1 :]))
    return found


def _all(files: Files) -> Iterator[str]:
    """All Python files, also those in folders that a plain folder does not list."""
    yield from (entry.path for entry in files.entries() if entry.path.endswith(".py"))
    if isinstance(files, DirectoryFiles) and files.only is None:
        for folder in files.left_out:
            inner = DirectoryFiles(Path(files.root) / folder, most=_MOST)
            yield from (f"{folder}/{entry.path}" for entry in inner.entries() if entry.path.endswith(".py"))


def _names(inside: Iterable[str]) -> set[str]:
    """The modules that these files are, as imports may name them, with slashes in place of the dots."""
    found: set[str] = set()
    for path in inside:
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        found.update("/".join(parts[start:end]) for start in range(_DEPTH) for end in range(start + 1, len(parts) + 1))
    return found - _COMMON


def _imported(files: Files, path: str) -> list[list[str]]:
    """The dotted names that a file imports, split."""
    try:
        text = files.read(path)
    except OSError:
        return []
    found = (match.group(1) or match.group(2) for match in _IMPORT.finditer(text))
    names = (name.split()[0] for line in found for name in line.decode("latin-1").split(",") if name.strip())
    return [name.split(".") for name in names]
