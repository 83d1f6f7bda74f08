"""The checkout of a branch that we made: HEAD, index and the files that differ, all or nothing.

The files are written by us, never by git or a filter. What git would write there (line endings, encodings) is asked of
git in a folder of ours, with copies of the attributes; files that go through a filter program are not checked out.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..problem import Problem
from ..quoting import printable, shell
from .finish import Failed, finish
from .git_config import is_true, last, of_users
from .git_folder import GitFailed
from .git_index import Index, IndexEntry, blob_id
from .guarded import read_regular
from .repository import Person, Repository
from .uninterrupted import uninterrupted

_ATTRIBUTES = ("filter", "text", "crlf", "eol", "ident", "working-tree-encoding")
_NOTHING = ("unspecified", "unset")
_MAX_ATTRIBUTES = 2**20  # bytes of one file of attributes


@dataclass(frozen=True)
class Branch:
    """A branch that was made: `commits` ids from `base` (not among them) up; `paths` differ from `base`."""

    name: str
    base: str
    commits: tuple[str, ...]
    paths: tuple[str, ...]
    author: Person


class NotCheckedOut(Problem):
    """The branch is there but the work tree stayed as it was; the message says why and what to do."""


class _Obstacle(Exception):
    """Why the checkout can't be done, and what to do."""


def check_out(repository: Repository, branch: Branch) -> None:
    """Switch HEAD, index and work tree to `branch`: all or nothing. Uncommitted changes elsewhere stay.

    Raises NotCheckedOut.
    """
    there = f"the branch {printable(branch.name)} was created but not checked out"
    try:
        _check_out(repository, branch, f"{repository.typed_git} checkout {shell(branch.name)}")
    except _Obstacle as obstacle:
        raise NotCheckedOut(f"{there}: {obstacle}") from None
    except Failed as failed:
        if failed.lost:
            restore = f"{repository.typed_git} checkout --force {branch.base[:12]} -- them"
            there += f", and {_some(failed.lost)} could not be restored: {restore}"
        raise NotCheckedOut(f"{there}: {failed.why}") from None
    except (GitFailed, OSError) as error:
        raise NotCheckedOut(f"{there}: {getattr(error, 'strerror', None) or error}") from None
    except NotCheckedOut:
        raise
    except Problem as problem:
        raise NotCheckedOut(f"{there}: {problem}") from None


def _check_out(repository: Repository, branch: Branch, command: str) -> None:
    if repository.work_tree is None:
        raise _Obstacle("there is no work tree")
    if repository.under_way:
        raise _Obstacle(f"a {repository.under_way} is under way; finish it, then {command}")
    head = read_regular(repository.git_dir, "HEAD").decode("utf-8", "surrogateescape")
    if repository.head() != branch.base:
        raise _Obstacle(f"HEAD moved while spawnfix was at work; {command} yourself")
    index = repository.index()
    if index is None:
        raise _Obstacle(f"there is no index; {command} yourself")
    if index.conflicts:
        raise _Obstacle(f"there are unresolved conflicts; resolve them, then {command}")
    old, new = (_blobs(repository, commit, branch.paths) for commit in (branch.base, branch.commits[-1]))
    entries = index.by_path()
    present = _present(repository, branch, entries, old, command)
    written = _written(repository, index, present, old, new, command)
    touched = [path for path in present if not _is_clean(repository, path, old[path], written[path][0])]
    if touched:
        raise _Obstacle(f"uncommitted changes are in the way ({_some(touched)}); commit or stash them, then {command}")
    folder = repository.ours.path / "checkout"
    folder.mkdir(exist_ok=True)
    files = {}
    for number, path in enumerate(present):
        source = folder / str(number)
        source.write_bytes(written[path][1])
        now = read_regular(repository.folder, path)
        if not _same(now, old[path], written[path][0], repository.digits):
            raise _Obstacle(f"uncommitted changes are in the way ({path}); commit or stash them, then {command}")
        files[path] = (str(source), hashlib.sha256(now).hexdigest())
    whole = folder / "index"
    whole.write_bytes(index.data)
    came_from = repository.branch() or branch.base
    job = {
        "kind": "checkout",
        "git_dir": str(repository.git_dir),
        "work_tree": str(repository.folder),
        "digits": repository.digits,
        "index": hashlib.sha256(read_regular(repository.git_dir, "index", 2**30)).hexdigest(),
        "whole_index": str(whole),
        "head": head,
        "ref": f"refs/heads/{branch.name}",
        "files": files,
        "entries": {path: (new[path], entries[path].at) for path in branch.paths},
        "log": log_line(
            branch.base, branch.commits[-1], branch.author, f"checkout: moving from {came_from} to {branch.name}"
        ),
    }
    with uninterrupted():
        try:
            finish(job)
        except Failed as failed:
            if failed.locked:
                lock = next((name for name in ("index.lock", "HEAD.lock") if name in failed.why), None)
                what = f"another git process holds {lock}" if lock else failed.why
                raise _Obstacle(f"{what}; when it is done, {command}") from None
            raise


def log_line(before: str, after: str, author: Person, message: str) -> str:
    """A line of git's log of a ref."""
    seconds = int(time.time())
    offset = time.localtime(seconds).tm_gmtoff // 60
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}{abs(offset) % 60:02}"
    return f"{before} {after} {author.name} <{author.email}> {seconds} {zone}\t{message}\n"


def _blobs(repository: Repository, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """The blob ids of `paths` in `commit`."""
    wanted, found = set(paths), {}
    for row in repository.ours.git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
        about, _, name = row.partition(b"\t")
        path = os.fsdecode(name)
        if path in wanted:
            found[path] = about.split(b" ")[2].decode()
    return found


def _present(
    repository: Repository, branch: Branch, entries: Mapping[str, IndexEntry], old: Mapping[str, str], command: str
) -> list[str]:
    """Those of the branch's files that are in the work tree, regular and where git put them. Raises _Obstacle."""
    present, deleted, staged = [], [], []
    for path in branch.paths:
        entry = entries.get(path)
        if entry is None or entry.oid != old[path]:
            staged.append(path)
            continue
        try:
            read_regular(repository.folder, path)
        except FileNotFoundError:
            if not entry.skipped:
                deleted.append(path)
            continue
        except OSError as error:
            raise _Obstacle(f"{path}: {error.strerror or error}; {command} yourself") from None
        present.append(path)
    if staged:
        raise _Obstacle(f"uncommitted changes are in the way ({_some(staged)}); commit or stash them, then {command}")
    if deleted:
        raise _Obstacle(f"you deleted {_some(deleted)}, which it fixes; commit that or restore it, then {command}")
    return present


def _is_clean(repository: Repository, path: str, oid: str, written: bytes) -> bool:
    return _same(read_regular(repository.folder, path), oid, written, repository.digits)


def _same(now: bytes, oid: str, written: bytes, digits: int) -> bool:
    """True when a file that holds `now` is the blob `oid`, as it is or as git wrote it."""
    return now == written or blob_id(now, digits) == oid


def _written(
    repository: Repository,
    index: Index,
    paths: Sequence[str],
    old: Mapping[str, str],
    new: Mapping[str, str],
    command: str,
) -> dict[str, tuple[bytes, bytes]]:
    """What git would write into each of `paths` for the old and the new blob. Raises _Obstacle, GitFailed."""
    tree = repository.ours.path / "attributes"
    sources = _attribute_files(repository, index, paths, tree)
    config = _line_endings(repository)
    attributes = _attributes(repository, paths, tree, config) if sources or config else {}
    known = {key for key, _ in (*repository.of_user, *repository.config)}
    filters = {key.split(".", 1)[1].rpartition(".")[0] for key in known if key.startswith("filter.")}
    unknown = any(key.startswith(("include.", "includeif.")) for key, _ in repository.config)  # what that may define
    drivers = {path: attributes.get(path, {}).get("filter", "unset") for path in paths}
    stuck = [path for path in paths if drivers[path] in filters or (unknown and drivers[path] not in _NOTHING)]
    if stuck:
        raise _Obstacle(
            f"{_some(stuck)} go through a filter ({printable(drivers[stuck[0]])}), and spawnfix runs no filter; "
            f"{command} yourself"
        )
    converted = [path for path in paths if _is_converted(attributes.get(path, {}), config)]
    plain = {path: (_blob(repository, old[path]), _blob(repository, new[path])) for path in paths
             if path not in set(converted)}  # fmt: skip
    if converted:
        before, after = (
            _converted(repository, tree, {path: oids[path] for path in converted}, sources, config, name)
            for oids, name in ((old, "old"), (new, "new"))
        )
        plain |= {path: (before[path], after[path]) for path in converted}
    return plain


def _blob(repository: Repository, oid: str) -> bytes:
    return repository.blobs.read(oid, oid)


def _attribute_files(repository: Repository, index: Index, paths: Iterable[str], tree: Path) -> dict[str, str]:
    """The `.gitattributes` that count for `paths`, by path, with their blob ids; copies of them are put into `tree`.

    The repository's own `info/attributes` goes into our git folder. Raises OSError.
    """
    tree.mkdir(exist_ok=True)
    entries = index.by_path()
    folders = {""} | {path[:at] + "/" for path in paths for at, letter in enumerate(path) if letter == "/"}
    found = {}
    for folder in sorted(folders):
        entry = entries.get(f"{folder}.gitattributes")
        if entry is not None and entry.mode in (0o100644, 0o100755):
            data = _blob(repository, entry.oid)
            if len(data) > _MAX_ATTRIBUTES:
                raise _Obstacle(f"{folder}.gitattributes is larger than {_MAX_ATTRIBUTES // 2**20} MiB")
            (tree / folder).mkdir(parents=True, exist_ok=True)
            (tree / entry.path).write_bytes(data)
            found[entry.path] = entry.oid
    try:
        data = read_regular(repository.common_dir, "info/attributes", _MAX_ATTRIBUTES)
    except FileNotFoundError:
        return found
    (repository.ours.path / "info").mkdir(exist_ok=True)
    (repository.ours.path / "info/attributes").write_bytes(data)
    return found | {"info/attributes": ""}


def _line_endings(repository: Repository) -> dict[str, str]:
    """The settings about line endings, and the user's own file of attributes; of values that git knows."""
    entries = [*repository.of_user, *repository.config]
    found = {}
    crlf, eol = ((last(entries, key) or "").lower() for key in ("core.autocrlf", "core.eol"))
    if crlf == "input" or is_true(crlf):
        found["core.autocrlf"] = crlf
    if eol in ("crlf", "lf", "native"):
        found["core.eol"] = eol
    file = of_users("core.attributesfile", "attributes", repository.of_user)
    if file is not None:
        found["core.attributesFile"] = file
    return found


def _attributes(
    repository: Repository, paths: Sequence[str], tree: Path, config: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    env = {"GIT_WORK_TREE": str(tree)}
    parts = repository.ours.git(
        "-C", str(tree), "check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=listed, env=env, config=config
    ).split(b"\0")
    found: dict[str, dict[str, str]] = {}
    for path, name, value in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        found.setdefault(os.fsdecode(path), {})[name.decode()] = os.fsdecode(value)
    return found


def _is_converted(attributes: Mapping[str, str], config: Mapping[str, str]) -> bool:
    """True when git may write other bytes than those of the blob. Filters are looked at elsewhere."""
    if any(attributes.get(name, "unspecified") not in _NOTHING for name in _ATTRIBUTES[1:]):
        return True
    return config.get("core.autocrlf") not in (None, "input") and attributes.get("text") != "unset"


def _converted(
    repository: Repository,
    tree: Path,
    oids: Mapping[str, str],
    attributes: Mapping[str, str],
    config: Mapping[str, str],
    name: str,
) -> dict[str, bytes]:
    """What git writes for these blobs, into a folder of ours."""
    ours = repository.ours
    env = {"GIT_WORK_TREE": str(tree), "GIT_INDEX_FILE": str(ours.path / f"{name}-index")}
    listed = {**{path: oid for path, oid in attributes.items() if oid}, **oids}
    rows = b"".join(b"100644 %s\t%s\0" % (oid.encode(), os.fsencode(path)) for path, oid in sorted(listed.items()))
    ours.git("update-index", "-z", "--add", "--index-info", stdin=rows, env=env)
    ours.git("-C", str(tree), "checkout-index", "--all", "--force", "--quiet", f"--prefix={ours.path / name}/", env=env,
             config=config)  # fmt: skip
    return {path: (ours.path / name / path).read_bytes() for path in oids}


def _some(paths: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(printable(path) for path in paths[:most])
    return f"{shown} and {len(paths) - most} more" if len(paths) > most else shown
