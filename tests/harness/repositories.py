"""A git repository to try things on, and a user whose settings are ours."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from codemods.operating_system import link_or_file
from codemods.tree import finish

CLEAN = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "EMAIL"))},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
FILES = {
    "a.py": b"OLD = 1\r\nlast",
    "pkg/b.py": b"OLD = 2\n",
    "run.sh": b"echo OLD\n",
    "sp ace/\xc3\xa9 x.py".encode("latin-1").decode(): b"x = 1\n",
}


def git(repo: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", *arguments], cwd=repo, env=os.environ, capture_output=True, check=False)
    assert not check or done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def _in_this_process(command: list[str], *, input: bytes, **_: object) -> subprocess.CompletedProcess[bytes]:
    """What the process of `codemods/tree/finish.py` does, without its start, which takes longer than most tests."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(input), "utf-8")),
        mock.patch.object(sys, "stdout", out),
    ):
        finish.main()
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return subprocess.CompletedProcess(command, 0, out.buffer.getvalue(), b"")


def finish_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fast tests and dear ones take the last steps of a delivery in this process; slow ones as users do, in another."""
    if request.node.get_closest_marker("slow") is None or request.node.get_closest_marker("dear") is not None:
        here: Any = mock.Mock(run=_in_this_process)
        monkeypatch.setattr(finish, "subprocess", here)


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user with a name, and nothing of the tester's own git; for fast tests also `finish_here`."""
    finish_here(request, monkeypatch)
    for name in list(os.environ):
        if name.startswith("GIT_") or name == "EMAIL":
            monkeypatch.delenv(name)
    for name, value in CLEAN.items():
        if name.startswith("GIT_"):
            monkeypatch.setenv(name, value)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (home / ".gitconfig").write_text(
        "[user]\nname = Ada Lovelace\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
    )


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A clean repository with one commit on main."""
    folder = tmp_path / "repo"
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "run.sh").chmod(0o755)
    link_or_file(folder / "link.py", "a.py")
    commit_all(folder)
    return folder


_COMMITTED: dict[object, dict[str, tuple[int, bytes]]] = {}  # `.git` by what is committed, and whose settings count


def commit_all(folder: Path) -> None:
    """Make `folder` a repository with one commit of all its files; as copy of an earlier one where there is a like."""
    settings = Path(os.environ["HOME"], ".gitconfig").read_bytes()
    variables = tuple(sorted(item for item in os.environ.items() if item[0].startswith("GIT_")))
    like = (tuple(sorted(_files(folder).items())), settings, variables)
    if like not in _COMMITTED:
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "-c", "maintenance.auto=false", "commit", "-q", "-m", "one")  # else git starts a process more
        for sample in (folder / ".git" / "hooks").glob("*.sample"):
            sample.unlink()
        _COMMITTED[like] = _files(folder / ".git")
        return
    (folder / ".git").mkdir()
    for name, (mode, data) in _COMMITTED[like].items():
        path = folder / ".git" / name
        if stat.S_ISDIR(mode):
            path.mkdir()
        else:
            path.write_bytes(data)
        path.chmod(stat.S_IMODE(mode))
    git(folder, "update-index", "-q", "--refresh")


def _files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of everything below, each after the folder that it lies in; a link's content is its target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        data = b"" if stat.S_ISDIR(mode) else os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[path.relative_to(folder).as_posix()] = (mode, data)
    return found


def state(repo: Path) -> dict[str, object]:
    """Everything of a repository that a person would miss."""
    git_dir = Path(git(repo, "rev-parse", "--absolute-git-dir"))
    index = git_dir / "index"
    tree = {}
    for path in sorted(repo.rglob("*")):
        if ".git" not in path.relative_to(repo).parts and not path.is_dir():
            data = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            tree[str(path.relative_to(repo))] = (data, path.lstat().st_mode)
    return {
        "status": git(repo, "status", "--porcelain", check=False),
        "index": hashlib.sha256(index.read_bytes()).hexdigest() if index.exists() else None,
        "head": (git_dir / "HEAD").read_bytes(),
        "refs": git(repo, "for-each-ref"),
        "tree": tree,
        "in git": sorted(path.name for path in git_dir.iterdir()),
    }
