"""Getting at a repository's objects: a shallow bare clone of a URL, or a bare repository that borrows a local one's.

Either way git works in a repository that we made, so that no configuration, hook or attribute of anyone else counts,
and the local repository is only read.
"""

from __future__ import annotations

import base64
import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from ..problem import Problem
from ..tree.reading import MAX_BYTES
from ..tree.repository import GitFailed, Repository
from .repos import without_secrets
from .spec import Spec

BASE = "refs/spawnfix/base"
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_XFSZ = int(getattr(signal, "SIGXFSZ", 25))
_TOO_LARGE = re.compile(rf"died of signal {_XFSZ}\b|File too large")
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\tlogAllRefUpdates = false
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
[gc]
\tauto = 0
"""


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


def obtain(spec: Spec, base: Base, folder: Path) -> Repository:
    """A new bare repository at `folder` that has the files of `base` and nothing checked out. Raises Problem."""
    if base.source is None:
        return _cloned(spec, base, folder)
    objects = base.source.common_dir / "objects"
    if any(letter in str(objects) for letter in '\n"#'):
        raise Problem("git can't borrow from a folder with such a name")
    repository = _empty(folder, len(base.commit))
    (folder / "objects/info/alternates").write_bytes(os.fsencode(objects) + b"\n")
    shallow = base.source.common_dir / "shallow"
    if shallow.is_file():
        (folder / "shallow").write_bytes(shallow.read_bytes())
    return repository


def network(spec: Spec, location: str) -> dict[str, dict[str, str]]:
    """Arguments of `Repository.git` for a call that talks to `location` as the remote "origin".

    A password goes through the environment, as a header: git's helpers get the address as an argument, for all to see.
    """
    config = {"remote.origin.url": location, "http.lowSpeedLimit": "1000", "http.lowSpeedTime": "60"}
    if match := re.match(r"(https?://)([^/@]+)@(.*)", location, re.DOTALL):
        user, _, password = match[2].partition(":")
        pair = base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
        config |= {"remote.origin.url": match[1] + match[3], "http.extraHeader": f"Authorization: Basic {pair}"}
    return {
        "config": config,
        "env": {
            "GIT_ALLOW_PROTOCOL": ":".join(spec.protocols),
            "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
        },
    }


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


def _empty(folder: Path, digits: int) -> Repository:
    """A bare repository without a commit, for object ids of `digits` digits."""
    for name in ("objects/info", "objects/pack", "refs/heads"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    wide = digits == 64
    extensions = "[extensions]\n\tobjectFormat = sha256\n" if wide else ""
    (folder / "config").write_text(_CONFIG.format(version=int(wide)) + extensions)
    return Repository(folder, folder, None)


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
            found = repository.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
            return Base(found.decode().strip(), spec.ref, repository)
        except (GitFailed, ValueError):
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
        found = _empty(folder, 40).git("ls-remote", "--symref", "origin", *wanted, **call)  # type: ignore[arg-type]
    except GitFailed as error:
        raise Problem(f"the remote can't be read: {why(error, spec)}") from None
    rows = [line.partition("\t")[::2] for line in found.decode("utf-8", "replace").splitlines()]
    head = next((first.removeprefix("ref: refs/heads/") for first, name in rows if first.startswith("ref: ")), ref)
    ids = {name: first for first, name in rows if _OBJECT.fullmatch(first)}
    commit = next((ids[name] for name in wanted if name in ids), None)
    if commit is None:
        raise Problem("the remote has no commit" if ref is None else f"no branch, tag or full commit id {ref!r}")
    return Base(commit, ref or head or "HEAD")


def _cloned(spec: Spec, base: Base, folder: Path) -> Repository:
    repository = _empty(folder, len(base.commit))
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
            repository.git(*fetch, *attempt, **call)  # type: ignore[arg-type]
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
