"""Getting at a repository's objects: a shallow bare clone of a URL, or a bare repository that borrows a local one's.

Either way git works in a repository that we made, so that no configuration, hook or attribute of anyone else counts,
and the local repository is only read.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote, unquote

from ..problem import Problem
from ..tree.git_folder import GitFailed, GitFolder
from ..tree.guarded import read_regular
from ..tree.reading import MAX_BYTES
from ..tree.repository import Repository
from .repos import without_secrets
from .spec import Spec

BASE = "refs/spawnfix/base"
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_XFSZ = int(getattr(signal, "SIGXFSZ", 25))
_TOO_LARGE = re.compile(rf"died of signal {_XFSZ}\b|File too large")


@dataclass(frozen=True)
class Base:
    """The commit to work on: `source` is the user's own repository where it is a local one, `branch` for people."""

    commit: str
    branch: str
    source: Repository | None = None


def resolve(spec: Spec, folder: Path) -> Base:
    """The commit that `spec` means now; a remote is only asked for its refs, from an empty repository made at `folder`.

    Raises Problem.
    """
    if spec.wrong is not None:
        raise Problem(spec.wrong)
    return _resolved_remote(spec, folder) if spec.remote else _resolved_local(spec)


def obtain(spec: Spec, base: Base, folder: Path) -> GitFolder:
    """A new bare repository at `folder` that has the files of `base` and nothing checked out. Raises Problem."""
    if base.source is None:
        return _cloned(spec, base, folder)
    source = base.source
    shallow = read_regular(source.common_dir, "shallow") if (source.common_dir / "shallow").is_file() else b""
    return GitFolder.create(folder, len(base.commit), source.common_dir / "objects", shallow)


class Call(TypedDict):
    """Arguments of `GitFolder.git`."""

    config: dict[str, str]
    env: dict[str, str]
    credentials: str | None
    seconds: float | None


def network(spec: Spec, location: str) -> Call:
    """Arguments of `GitFolder.git` for a call that talks to `location` as the remote "origin".

    A password is no part of the address, which git's helpers get as an argument for all to see. It is for the host of
    the address alone: where that redirects to another host, that one is not sent it.
    """
    address, credentials = split_credentials(location)
    config = {"remote.origin.url": address, "http.lowSpeedLimit": "1000", "http.lowSpeedTime": "60"}
    env = {
        "GIT_ALLOW_PROTOCOL": ":".join(spec.protocols),
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
    }
    if "HOME" in os.environ:  # a .netrc of the user
        env["HOME"] = os.environ["HOME"]
    return {"config": config, "env": env, "credentials": credentials, "seconds": None}


def split_credentials(location: str) -> tuple[str, str | None]:
    """(the address without a password, scheme://user:password@host for git's credential store or None)."""
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)@([^/@]*)(.*)", location, re.DOTALL)
    if match is None:
        return location, None
    scheme, about, host, path = match.groups()
    user, _, password = about.partition(":")
    if scheme.lower() not in ("http", "https"):
        return f"{scheme}://{user}@{host}{path}", None  # a key or an agent, no password
    pair = f"{quote(unquote(user), safe='')}:{quote(unquote(password), safe='')}"
    return f"{scheme}://{host}{path}", f"{scheme}://{pair}@{host}"


def why(error: GitFailed, spec: Spec) -> str:
    """git's words, without passwords and in terms of what the user wrote."""
    if _too_large(error):
        return f"larger than {spec.limits.disk} MiB on disk"
    text = str(error).replace(spec.location, spec.source)
    if text.startswith("Could not read from remote repository"):  # ssh has said why before
        said = [line.strip() for line in error.errors.splitlines() if line.strip() and "fatal:" not in line]
        text = said[0].replace(spec.location, spec.source) if said else text
    if match := re.search(r"transport '([\w+.-]+)' not allowed", text):
        return f"transport {match[1]!r} is off; --allow-protocol {match[1]} turns it on"
    return without_secrets(text)


def _too_large(error: GitFailed) -> bool:
    """git, or a program that it started, ran into the limit on the size of files."""
    return error.status in (-_XFSZ, 128 + _XFSZ) or bool(_TOO_LARGE.search(error.errors))


def _resolved_local(spec: Spec) -> Base:
    path = Path(spec.location)
    if not path.is_dir():
        raise Problem("no such folder")
    repository = Repository.find(path)
    if repository is None or repository.folder.resolve() not in (path, path / ".git"):
        raise Problem("not a git repository" if repository is None else "not the top folder of a git repository")
    if spec.ref is None:
        return Base(repository.head(), repository.branch() or "HEAD", repository)
    for wanted in (spec.ref, f"refs/remotes/origin/{spec.ref}"):
        try:
            found = repository.ours.git("rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}", "--")
            return Base(found.decode().split()[0], spec.ref, repository)
        except (GitFailed, ValueError, IndexError):
            continue
    raise Problem(f"no branch, tag or commit {spec.ref!r}")


def _resolved_remote(spec: Spec, folder: Path) -> Base:
    ref = spec.ref
    if ref is not None and _OBJECT.fullmatch(ref):
        return Base(ref, ref[:12])
    if ref is not None and re.search(r"^-|[\s*?\[:^~\\]|\.\.", ref):
        raise Problem(f"{ref!r} is no name of a branch or tag")
    wanted = ["HEAD"] if ref is None else [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}", ref]
    try:
        call = network(spec, spec.location)
        found = GitFolder.create(folder).git("ls-remote", "--symref", "origin", *wanted, **call)
    except GitFailed as error:
        raise Problem(f"the remote can't be read: {why(error, spec)}") from None
    rows = [line.partition("\t")[::2] for line in found.decode("utf-8", "replace").splitlines()]
    head = next((first.removeprefix("ref: refs/heads/") for first, name in rows if first.startswith("ref: ")), ref)
    ids = {name: first for first, name in rows if _OBJECT.fullmatch(first)}
    commit = next((ids[name] for name in wanted if name in ids), None)
    if commit is None:
        raise Problem("the remote has no commit" if ref is None else f"no branch, tag or full commit id {ref!r}")
    return Base(commit, ref or head or "HEAD")


def _cloned(spec: Spec, base: Base, folder: Path) -> GitFolder:
    repository = GitFolder.create(folder, len(base.commit))
    call = network(spec, spec.location)
    fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"]
    small = ["--depth=1", f"--filter=blob:limit={MAX_BYTES + 1}"]
    attempts = [[*small, "origin", f"+{base.commit}:{BASE}"]]
    if spec.ref is None or not _OBJECT.fullmatch(spec.ref):  # a server that gives no commit by its id, or no part
        wanted = "HEAD" if spec.ref is None else spec.ref
        attempts += [["--depth=1", "origin", f"+{wanted}:{BASE}"], ["origin", f"+{wanted}:{BASE}"]]
    failed: GitFailed | None = None
    for attempt in attempts:
        try:
            repository.git(*fetch, *attempt, **call)
            break
        except GitFailed as error:
            failed = failed or error
            if _too_large(error):
                break
    else:
        assert failed is not None
        raise Problem(f"can't be cloned: {why(failed, spec)}")
    if failed is not None and _too_large(failed):
        raise Problem(f"can't be cloned: {why(failed, spec)}")
    return repository
