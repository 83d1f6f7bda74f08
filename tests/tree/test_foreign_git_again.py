"""More `.git` folders and work trees made by somebody else: damaged, endless, pointing away, named to mislead.

Whatever is in them: no program runs, nothing outside changes, no internal error, one line says what is wrong.
"""

# ruff: noqa: E501  (a table of attacks)

from __future__ import annotations

import hashlib
import os
import re
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import tool
from harness.repositories import commit_all, git, own_home
from harness.torture import BODY, NEW, OLD

__all__ = ["own_home"]

FIXED = BODY.replace(OLD, NEW)
Attack = Callable[[Path, Path], object]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="pipes and links")]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "repo"
    (repo / "pkg").mkdir(parents=True)
    (repo / "a.py").write_text(BODY)
    (repo / "pkg/b.py").write_text("x = 1\n")
    commit_all(repo)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text(BODY)
    (outside / "evil.sh").write_text(f"#!/bin/sh\necho $0 $* >> {tmp_path}/outside/marker\ncat\n")
    (outside / "evil.sh").chmod(0o755)
    return repo


def spawnfix(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = tool.spawnfix(*map(str, arguments), cache=Path(os.environ["HOME"]) / "cache")
    words = done.stdout + done.stderr
    assert "Traceback" not in words and "internal error" not in words and "our bug" not in words, words
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stderr), done.stderr
    assert done.returncode in (0, 1, 2)
    assert done.returncode != 2 or re.search(r"^spawnfix: ", done.stderr, re.MULTILINE), words
    return done


def state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(repo: Path, name: str, data: bytes | str) -> None:
    path = repo / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.exists():
        path.unlink()
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def writes(name: str, data: bytes | str) -> Attack:
    return lambda repo, outside: write(
        repo, name, data.replace("OUTSIDE", str(outside)) if isinstance(data, str) else data
    )


def appends(name: str, data: str) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        path = repo / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(data.replace("OUTSIDE", str(outside)))

    return attack


def pipes(name: str) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return attack


def links(name: str, to: str) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(to.replace("OUTSIDE", str(outside)))

    return attack


def folders(name: str) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        (repo / name).unlink(missing_ok=True)
        (repo / name).mkdir(parents=True)

    return attack


def index_with(change: Callable[[bytes], bytes]) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        data = change((repo / ".git/index").read_bytes()[:-20])
        write(repo, "index", data + hashlib.sha1(data).digest())

    return attack


def extension(name: bytes, data: bytes) -> Attack:
    return index_with(lambda index: index + name + struct.pack(">I", len(data)) + data)


def loose(repo: Path, kind: bytes, body: bytes, header: bytes | None = None) -> str:
    """Store an object, whatever is in it."""
    data = (header or b"%s %d\0" % (kind, len(body))) + body
    oid = hashlib.sha1(data).hexdigest()
    write(repo, f"objects/{oid[:2]}/{oid[2:]}", zlib.compress(data))
    return oid


def tree_with(*entries: tuple[bytes, bytes]) -> Attack:
    """HEAD gets a tree with `entries` (mode, name), all with the content of a.py."""

    def attack(repo: Path, outside: Path) -> None:
        blob = bytes.fromhex(git(repo, "rev-parse", "HEAD:a.py"))
        tree = loose(repo, b"tree", b"".join(mode + b" " + name + b"\0" + blob for mode, name in entries))
        person = b"A <a@b> 1 +0000"
        commit = loose(repo, b"commit", b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (tree.encode(), person, person))
        write(repo, "refs/heads/main", f"{commit}\n")

    return attack


def head_is_of_another_kind(kind: str) -> Attack:
    return lambda repo, outside: write(repo, "HEAD", git(repo, "rev-parse", kind) + "\n")


def replaced_commit(repo: Path, outside: Path) -> None:
    (repo / "other.py").write_text(BODY)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "two")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    git(repo, "replace", "HEAD", "ORIG_HEAD")


def many_refs(repo: Path, outside: Path) -> None:
    oid = git(repo, "rev-parse", "HEAD")
    write(repo, "packed-refs", "".join(f"{oid} refs/heads/b{n}\n" for n in range(50_000)))


def hard_link(repo: Path, outside: Path) -> None:
    (repo / "a.py").unlink()
    os.link(outside / "secret.py", repo / "a.py")


def linked_tree(text: str, common: str = "../..\n", back: str = "REPO/.git\n") -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        own = outside.parent / "own"
        (repo / ".git").rename(own)
        (own / "worktrees/x").mkdir(parents=True)
        (own / "worktrees/x/HEAD").write_text("ref: refs/heads/main\n")
        (own / "worktrees/x/commondir").write_text(common)
        (own / "worktrees/x/gitdir").write_text(back.replace("REPO", str(repo)))
        (repo / ".git").write_text(text.replace("OWN", str(own)))

    return attack


def names(*found: bytes) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        for name in found:
            (repo / os.fsdecode(name)).write_text(BODY)
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", "names")

    return attack


def committed(name: str, text: str) -> Attack:
    def attack(repo: Path, outside: Path) -> None:
        (repo / name).write_text(text.replace("OUTSIDE", str(outside)))
        git(repo, "add", "-f", name)
        git(repo, "commit", "-q", "-m", "more")

    return attack


EVIL = "OUTSIDE/evil.sh"
MACRO = f'[filter "m"]\nclean = {EVIL}\nsmudge = {EVIL}\nprocess = {EVIL}\n'
ZEROS = "0" * 40
ATTACKS: dict[str, Attack] = {
    # HEAD, refs
    "HEAD leads up": writes("HEAD", "ref: refs/heads/../../../outside/secret.py\n"),
    "HEAD is absolute": writes("HEAD", "ref: /etc/passwd\n"),
    "HEAD of many lines": writes("HEAD", "ref: refs/heads/main\nref: refs/heads/x\n"),
    "HEAD with a NUL": writes("HEAD", b"ref: refs/heads/ma\0in\n"),
    "HEAD is empty": writes("HEAD", ""),
    "HEAD is huge": writes("HEAD", "ref: refs/heads/" + "x" * 10**6),
    "HEAD is a pipe": pipes(".git/HEAD"),
    "HEAD is a tree": head_is_of_another_kind("HEAD^{tree}"),
    "HEAD is a blob": head_is_of_another_kind("HEAD:a.py"),
    "HEAD is nothing": writes("HEAD", f"{ZEROS}\n"),
    "HEAD with an escape": writes("HEAD", "ref: refs/heads/\x1b]0;x\x07\n"),
    "branch names itself": writes("refs/heads/main", "ref: refs/heads/main\n"),
    "branch names two in turn": lambda repo, outside: [
        write(repo, "refs/heads/main", "ref: refs/heads/x\n"), write(repo, "refs/heads/x", "ref: refs/heads/main\n")
    ],
    "branch is a pipe": pipes(".git/refs/heads/main"),
    "another branch is a pipe": pipes(".git/refs/heads/other"),
    "another branch is a link": links(".git/refs/heads/other", "OUTSIDE/secret.py"),
    "our folder of branches is a link": links(".git/refs/heads/spawnfix", "OUTSIDE"),
    "our folder of branches is a pipe": pipes(".git/refs/heads/spawnfix"),
    "our folder of logs is a link": links(".git/logs/refs/heads/spawnfix", "OUTSIDE"),
    "log is a pipe": pipes(".git/logs/HEAD"),
    "log is a folder": folders(".git/logs/HEAD"),
    "packed refs lead up": appends("packed-refs", f"{'1' * 40} refs/heads/../../../outside/x\n{'1' * 40} HEAD\n"),
    "packed refs are no text": writes("packed-refs", os.urandom(10_000)),
    "packed refs are a pipe": pipes(".git/packed-refs"),
    "packed refs name nothing": writes("packed-refs", f"{'1' * 40} refs/heads/gone\n^{'2' * 40}\n"),
    "fifty thousand refs": many_refs,
    "commit is replaced": replaced_commit,
    "commit is grafted": writes("info/grafts", f"{ZEROS}\n" * 1000),
    # locks
    "lock of the index is a link": links(".git/index.lock", "OUTSIDE/marker"),
    "lock of HEAD is a link": links(".git/HEAD.lock", "OUTSIDE/marker"),
    "lock of our branch is a link": links(".git/refs/heads/second.lock", "OUTSIDE/marker"),
    # index
    "index is a pipe": pipes(".git/index"),
    "index is a folder": folders(".git/index"),
    "index counts too far": index_with(lambda index: index[:8] + b"\x7f\xff\xff\xff" + index[12:]),
    "index of an unknown version": index_with(lambda index: index[:4] + struct.pack(">I", 9) + index[8:]),
    "index with an endless number": index_with(lambda index: index[:4] + struct.pack(">I", 4) + index[8:12] + b"\xff" * 9000),
    "index is split, without the rest": extension(b"link", b"\x11" * 20),
    "index is split, with nothing": extension(b"link", b"\0" * 20),
    "index is split, cut short": extension(b"link", b"\x11"),
    "file monitor in the index": extension(b"FSMN", b"\0\0\0\2" + b"x" * 30),
    "untracked cache in the index": extension(b"UNTR", b"\xff" * 400),
    "resolve-undo in the index": extension(b"REUC", b"../../outside/secret.py\0" + b"7" * 60),
    "sparse folders in the index": extension(b"sdir", b""),
    "required extension nobody knows": extension(b"evil", b"x"),
    "offset table that lies": extension(b"IEOT", b"\0\0\0\1" + b"\xff" * 8),
    "end of entries that lies": extension(b"EOIE", b"\xff" * 24),
    "shared index is a pipe": pipes(f".git/sharedindex.{'1' * 40}"),
    "shared index is a link": links(f".git/sharedindex.{'1' * 40}", "OUTSIDE/secret.py"),
    # objects
    "alternates of itself": writes("objects/info/alternates", "../objects\n.\n"),
    "alternates are a pipe": pipes(".git/objects/info/alternates"),
    "alternates name a pipe": lambda repo, outside: [
        os.mkfifo(repo / ".git/p"), write(repo, "objects/info/alternates", f"{repo}/.git/p\n")
    ],
    "alternates without an end": writes("objects/info/alternates", "/\n" * 10_000),
    "alternates over http": writes("objects/info/http-alternates", "http://localhost:1/\n"),
    "graph of commits": writes("objects/info/commit-graph", b"CGPH\1\1\4\0" + b"\xff" * 4000),
    "index of packs": writes("objects/pack/multi-pack-index", b"MIDX\1\1\xff\0" + b"\xff" * 4000),
    "index of a pack": writes("objects/pack/pack-" + "1" * 40 + ".idx", b"\xfftOc\0\0\0\2" + b"\xff" * 4000),
    "pack is a pipe": lambda repo, outside: [
        write(repo, f"objects/pack/pack-{'1' * 40}.idx", b"\xfftOc\0\0\0\2" + b"\0" * 1064),
        os.mkfifo(repo / f".git/objects/pack/pack-{'1' * 40}.pack"),
    ],
    "shallow is no list": writes("shallow", b"\xff" * 1000),
    "shallow is a pipe": pipes(".git/shallow"),
    "promisor remote": appends("config", f'[extensions]\npartialClone = o\n[remote "o"]\nurl = ext::{EVIL}\npromisor = true\n'),
    # trees
    "tree with .git": tree_with((b"100644", b".GiT")),
    "tree with git~1": tree_with((b"100644", b"git~1")),
    "tree with .git of HFS": tree_with((b"100644", ".g\u200cit".encode())),
    "tree with dots": tree_with((b"100644", b"..")),
    "tree with a slash": tree_with((b"100644", b"../outside/secret.py")),
    "tree with nothing for a name": tree_with((b"100644", b"")),
    "tree with one name twice": tree_with((b"100644", b"a.py"), (b"120000", b"a.py")),
    "tree with strange modes": tree_with((b"777", b"a.py"), (b"0", b"b.py"), (b"99999999999", b"c.py")),
    "tree with a submodule for a file": tree_with((b"160000", b"a.py")),
    "tree with attributes that are a link": tree_with((b"120000", b".gitattributes"), (b"100644", b"a.py")),
    # configuration
    "configuration of a megabyte": appends("config", "[x]\n" + "y = z\n" * 200_000),
    "configuration with a NUL": appends("config", "[core]\n\thooksPath = \0x\n"),
    "configuration is a pipe": pipes(".git/config"),
    "configuration of a later version": appends("config", "[core]\nrepositoryformatversion = 99\n"),
    "refs in tables": appends("config", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable\n"),
    "ids of the other kind": appends("config", "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n"),
    "work tree elsewhere": appends("config", "[core]\nworktree = OUTSIDE\n"),
    "own configuration of a work tree": lambda repo, outside: [
        appends("config", "[extensions]\nworktreeConfig = true\n")(repo, outside),
        write(repo, "config.worktree", f"[core]\nworktree = {outside}\nhooksPath = {outside}\n"),
    ],
    "attributes file is a pipe": lambda repo, outside: [
        os.mkfifo(repo / ".git/p"), appends("config", f"[core]\nattributesFile = {repo}/.git/p\nexcludesFile = {repo}/.git/p\n")(repo, outside)
    ],
    "includes itself": appends("config", "[include]\npath = config\n" * 100),
    # a `.git` file
    "git file with CRLF": linked_tree("gitdir: OWN/worktrees/x\r\n"),
    "git file with two lines": linked_tree("gitdir: OWN/worktrees/x\ngitdir: /\n"),
    "common folder is the root": linked_tree("gitdir: OWN/worktrees/x\n", common="/\n"),
    "common folder leads away": linked_tree("gitdir: OWN/worktrees/x\n", common="../../../outside\n"),
    "backlink to another": linked_tree("gitdir: OWN/worktrees/x\n", back="OUTSIDE/.git\n"),
    # attributes, ignored files
    "filter by a macro": lambda repo, outside: [
        committed(".gitattributes", "[attr]mac filter=m\n*.py mac\n")(repo, outside), appends("config", MACRO)(repo, outside)
    ],
    "macro of itself": committed(".gitattributes", "[attr]a b\n[attr]b a\n*.py a\n"),
    "encoding that nobody has": committed(".gitattributes", "*.py working-tree-encoding=evil$(id)\n"),
    "encoding with shifts": committed(".gitattributes", "*.py working-tree-encoding=UTF-7\n"),
    "attributes of long lines": committed(".gitattributes", "*.py " + "a=b " * 200_000 + "\n"),
    "attributes full of stars": committed(".gitattributes", ("*a" * 40 + "b ident\n") * 300),
    "ignored by stars": committed(".gitignore", ("*a" * 40 + "b\n") * 300),
    "attributes are a pipe": pipes(".gitattributes"),
    "ignored names are a pipe": pipes(".gitignore"),
    "submodules lead up": committed(".gitmodules", '[submodule "x"]\npath = ../outside\nurl = ext::OUTSIDE/evil.sh\nupdate = !OUTSIDE/evil.sh\n'),
    # work tree
    "file has a second name outside": hard_link,
    "settings are a link": links("pyproject.toml", "OUTSIDE/secret.py"),
    "settings are a pipe": pipes("pyproject.toml"),
    "names that mislead": names("\u202eyp.x.py".encode(), "a\x9b31m.py".encode(), b"\x1b]8;;http:x\x1b\\b.py", b"-rf.py", b"'$(id)'.py"),
    "names that are commands": names(b";touch marker;.py", b"a b.py", b"::error::x.py", b"%0A::set-output.py", b"a\n::error::b.py"),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_runs_nothing_outside_changes_and_all_is_said(repo: Path, tmp_path: Path, attack: Attack) -> None:
    outside = tmp_path / "outside"
    attack(repo, outside)
    before = state(outside)
    for form in ("text", "github"):
        spawnfix("check", "--format", form, repo)
    done = spawnfix("migrate", repo)
    assert state(outside) == before
    if done.returncode == 0 and (repo / "a.py").is_file() and "1 changed" in done.stderr:
        assert (repo / "a.py").read_text() == FIXED
