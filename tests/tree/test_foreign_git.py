"""A `.git` folder made by somebody else: none of it is run, followed out of its folder, or printed for the shell.

Each attack would leave the file `marker`, or change a repository or a file that is none of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.tree.git_index import BadPath, check_path
from harness import tool
from harness.each_row import each_row
from harness.repositories import commit_all, git, own_home
from harness.torture import BODY, NEW, OLD

__all__ = ["own_home"]

ROOT = Path(__file__).resolve().parents[2]
FIXED = BODY.replace(OLD, NEW)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    return made(tmp_path / "repo")


def made(folder: Path) -> Path:
    (folder / "pkg").mkdir(parents=True)
    (folder / "a.py").write_text(BODY)
    (folder / "pkg/b.py").write_text("x = 1\n")
    commit_all(folder)
    return folder


def spawnfix(*arguments: str | Path, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """The command line, in this process; with `limit`, seconds, in one of its own that may hang."""
    words = [str(word) for word in arguments]
    if limit is None:
        done = tool.spawnfix(*words, cache=Path(os.environ["SPAWNFIX_CACHE_DIR"]))
    else:
        command = [sys.executable, ROOT / "cli.py", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, errors="replace")
    assert "Traceback" not in done.stderr, done.stderr
    return done


def each_command(repo: Path) -> list[subprocess.CompletedProcess[str]]:
    return [
        spawnfix("check", repo),
        spawnfix("migrate", "--dry-run", repo),
        spawnfix("migrate", "--no-checkout", repo),
        spawnfix("migrate", "--branch", "second", repo),
    ]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Programs


def evil(tmp_path: Path) -> tuple[Path, Path]:
    program, marker = tmp_path / "evil.sh", tmp_path / "marker"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {marker}\ncat\n")
    program.chmod(0o755)
    return program, marker


def hooks_by_configuration(repo: Path, program: Path, home: Path) -> None:
    """As git 2.54 and later run them."""
    with (repo / ".git/config").open("a") as config:
        for event in ("reference-transaction", "post-checkout", "post-index-change", "pre-commit", "post-commit"):
            config.write(f'[hook "{event}-x"]\nevent = {event}\ncommand = {program}\n')


def included_when_our_branch_is_there(repo: Path, program: Path, home: Path) -> None:
    (repo / ".git/more").write_text(
        f'[filter "x"]\nclean = {program}\nsmudge = {program}\nprocess = {program}\nrequired = true\n'
        f"[core]\nhooksPath = {repo}\nfsmonitor = {program}\n"
    )
    with (repo / ".git/config").open("a") as config:
        for pattern in ("spawnfix/**", "second", "**"):
            config.write(f'[includeIf "onbranch:{pattern}"]\npath = more\n')
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.py filter=x\n")
    (repo / "reference-transaction").write_bytes(program.read_bytes())
    (repo / "reference-transaction").chmod(0o755)


def extension_of_the_users_lfs(repo: Path, program: Path, home: Path) -> None:
    """The user's filter is a program that asks the repository's configuration what to start, as Git LFS does."""
    lfs = home / "lfs.sh"
    lfs.write_text("#!/bin/sh\n$(git config lfs.extension.x.clean) clean\n")
    lfs.chmod(0o755)
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[filter "lfs"]\nclean = {lfs}\nsmudge = {lfs}\nrequired = true\n')
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("* filter=lfs\n")
    with (repo / ".git/config").open("a") as config:
        config.write(f'[lfs "extension.x"]\nclean = {program}\nsmudge = {program}\npriority = 0\n')
    (repo / "pkg/b.py").write_text("y = 1\n")  # of the same size: git would have to look


def helpers_of_every_kind(repo: Path, program: Path, home: Path) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(
            f"[core]\nfsmonitor = {program}\nhooksPath = {repo}\nsshCommand = {program}\npager = {program}\n"
            f"alternateRefsCommand = {program}\ngitProxy = {program}\naskPass = {program}\nuntrackedCache = true\n"
            f'[diff]\nexternal = {program}\n[diff "x"]\ntextconv = {program}\n[merge "x"]\ndriver = {program}\n'
            f"[gpg]\nprogram = {program}\n[commit]\ngpgSign = true\n[credential]\nhelper = !{program}\n"
            f'[extensions]\npartialClone = origin\n[remote "origin"]\npromisor = true\nurl = ext::{program}\n'
            f"uploadpack = {program}\nvcs = x\n[protocol]\nallow = always\n"
            f"[gc]\nrecentObjectsHook = {program}\nauto = 1\n"
            f"[pager]\nstatus = {program}\ncheckout = {program}\n[maintenance]\nauto = true\n[uploadpack]\n"
            f"packObjectsHook = {program}\n[submodule]\nrecurse = true\n[core]\neditor = {program}\n"
        )
    oid = git(repo, "-c", "core.fsmonitor=false", "rev-parse", "HEAD:pkg/b.py")
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "attack",
    [hooks_by_configuration, included_when_our_branch_is_there, extension_of_the_users_lfs, helpers_of_every_kind],
    ids=lambda attack: attack.__name__,
)
def test_no_program_is_started(repo: Path, tmp_path: Path, attack: Callable[[Path, Path, Path], None]) -> None:
    program, marker = evil(tmp_path)
    attack(repo, program, tmp_path / "home")
    marker.unlink(missing_ok=True)
    for done in each_command(repo):
        assert done.returncode in (0, 1, 2)
        assert not marker.exists(), (done.args, marker.read_text())


def test_no_git_starts_with_the_repository_as_its_folder(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All calls of git are looked at: none gets the repository's folder, work tree or index."""
    log, real = tmp_path / "calls", subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True)
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\necho "$PWD|$GIT_DIR|$GIT_WORK_TREE|$GIT_INDEX_FILE|$*" >> {log}\nexec {real.stdout.strip()} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    with (tmp_path / "home/.gitconfig").open("a") as config:
        config.write("[core]\nautocrlf = input\n")
    (repo / "a.py").write_bytes(FIXED.encode().replace(NEW.encode(), OLD.encode()))
    assert spawnfix("migrate", repo).returncode == 0
    calls = [line for line in log.read_text().splitlines() if "version" not in line]
    assert len(calls) >= 5
    for call in calls:
        *places, words = call.split("|", 4)
        assert not any(place.startswith(str(repo)) for place in places[1:]), call
        assert f"-C {repo}" not in words and f"--git-dir={repo}" not in words, call


# Folders and files elsewhere


def stranger(tmp_path: Path) -> Path:
    other = made(tmp_path / "other")
    (other / "secret.py").write_text(BODY)
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "two")
    return other


def log_that_is_a_shell_file(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "home/.bashrc"
    target.write_text("# mine\n")
    (repo / ".git/logs/HEAD").unlink()
    (repo / ".git/logs/HEAD").symlink_to(target)
    return target


def log_folder_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "elsewhere"
    (target / "refs/heads").mkdir(parents=True)
    subprocess.run(["rm", "-r", repo / ".git/logs"], check=True)
    (repo / ".git/logs").symlink_to(target)
    return target


def refs_elsewhere(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    subprocess.run(["rm", "-r", repo / ".git/refs"], check=True)
    (repo / ".git/refs").symlink_to(other / ".git/refs")
    return other


def one_branch_folder_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (repo / ".git/refs/heads/spawnfix").symlink_to(target)
    return target


def objects_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "elsewhere"
    (repo / ".git/objects").rename(target)
    (repo / ".git/objects").symlink_to(target)
    return target


def object_folders_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "elsewhere"
    target.mkdir()
    for number in range(256):
        folder = repo / f".git/objects/{number:02x}"
        if not folder.exists():
            folder.symlink_to(target)
    return target


def head_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "home/HEAD"
    target.write_bytes((repo / ".git/HEAD").read_bytes())
    (repo / ".git/HEAD").unlink()
    (repo / ".git/HEAD").symlink_to(target)
    return target


def index_elsewhere(repo: Path, tmp_path: Path) -> Path:
    target = tmp_path / "home/index"
    (repo / ".git/index").rename(target)
    (repo / ".git/index").symlink_to(target)
    return target


def git_folder_is_a_link(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    subprocess.run(["rm", "-r", repo / ".git"], check=True)
    (repo / ".git").symlink_to(other / ".git")
    return other


def common_folder_of_another(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    (repo / ".git/commondir").write_text(f"{other / '.git'}\n")
    return other


def git_file_without_a_backlink(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    subprocess.run(["rm", "-r", repo / ".git"], check=True)
    (repo / ".git").write_text(f"gitdir: {other / '.git'}\n")
    return other


def linked_tree_of_another(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    git(other, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    subprocess.run(["rm", "-r", repo / ".git"], check=True)
    (repo / ".git").write_bytes((tmp_path / "linked/.git").read_bytes())
    return other


def own_linked_folder_of_anothers_common_folder(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    fake = repo / "fake/worktrees/x"
    fake.mkdir(parents=True)
    (fake / "HEAD").write_text("ref: refs/heads/main\n")
    (fake / "commondir").write_text(f"{other / '.git'}\n")
    (fake / "gitdir").write_text(f"{repo / '.git'}\n")
    subprocess.run(["rm", "-r", repo / ".git"], check=True)
    (repo / ".git").write_text(f"gitdir: {fake}\n")
    return other


def work_tree_of_another(repo: Path, tmp_path: Path) -> Path:
    other = stranger(tmp_path)
    git(repo, "config", "core.worktree", str(other))
    return other


def folder_of_files_elsewhere(repo: Path, tmp_path: Path) -> Path:
    """Tracked as a folder, on disk a link to one outside."""
    (repo / "pkg/b.py").write_text(BODY)
    git(repo, "commit", "-q", "-a", "-m", "two")
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "b.py").write_text(BODY)
    subprocess.run(["rm", "-r", repo / "pkg"], check=True)
    (repo / "pkg").symlink_to(target)
    return target


ELSEWHERE = [
    log_that_is_a_shell_file, log_folder_elsewhere, refs_elsewhere, one_branch_folder_elsewhere, objects_elsewhere,
    object_folders_elsewhere, head_elsewhere, index_elsewhere, git_folder_is_a_link, common_folder_of_another,
    git_file_without_a_backlink, linked_tree_of_another, own_linked_folder_of_anothers_common_folder,
    work_tree_of_another, folder_of_files_elsewhere,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("attack", ELSEWHERE, ids=lambda attack: attack.__name__)
def test_nothing_outside_is_written_or_shown(repo: Path, tmp_path: Path, attack: Callable[[Path, Path], Path]) -> None:
    target = attack(repo, tmp_path)
    before = bytes_of(target) if target.is_dir() else {"": target.read_bytes()}
    for done in each_command(repo):
        assert (bytes_of(target) if target.is_dir() else {"": target.read_bytes()}) == before, done.args
        assert "secret.py" not in done.stdout + done.stderr
        assert done.returncode != 2 or done.stderr
    if attack is folder_of_files_elsewhere:
        assert (repo / "pkg").is_symlink()


def rewritten_index(repo: Path, old: bytes, new: bytes) -> None:
    data = (repo / ".git/index").read_bytes()[:-20]
    assert old in data and len(old) == len(new)
    data = data.replace(old, new)
    (repo / ".git/index").write_bytes(data + hashlib.sha1(data).digest())


@pytest.mark.parametrize("path", [b"../aa.py", b"/tmp/x.y", b"a//bc.py", b"./abc.py", b".git/x.y", b".GIT/x.y"])
def test_index_that_leads_outside(repo: Path, tmp_path: Path, path: bytes) -> None:
    (tmp_path / "aa.py").write_text(BODY)
    (repo / "q").mkdir()
    (repo / "q/abc.py").write_text(BODY)
    git(repo, "add", ".")
    rewritten_index(repo, b"q/abc.py", path)
    done = spawnfix("check", repo)
    assert done.returncode == 2
    assert "no path inside the repository" in done.stderr and done.stdout == ""


@each_row("name", [".git", ".GIT", "git~1", "GIT~1", ".git.", ".git ", ".g\u200cit", "\ufeff.git"])
def test_names_that_are_the_git_folder_on_some_system(name: str) -> None:
    for path in (name, f"pkg/{name}", f"{name}/config"):
        with pytest.raises(BadPath):
            check_path(path)


@each_row("path", [".gitignore", "git", "git~2", "x.git", ".github/a.py", "a/.gitattributes", "é.py"])
def test_names_that_only_look_like_it(path: str) -> None:
    assert check_path(path) == path


def test_tree_that_leads_outside(repo: Path, tmp_path: Path) -> None:
    blob = git(repo, "rev-parse", "HEAD:a.py")
    (tmp_path / "marker").write_text("x")
    entry = b"100644 ..\0" + bytes.fromhex(blob)
    inner = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=repo, input=b"100644 s.py\0" + bytes.fromhex(blob), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    entry = b"40000 ..\0" + bytes.fromhex(inner)
    tree = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=repo, input=entry, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    commit = git(repo, "commit-tree", tree, "-m", "x")
    (repo / ".git/refs/heads/main").write_text(f"{commit}\n")
    (tmp_path / "s.py").write_text("mine\n")
    done = spawnfix("migrate", repo)
    assert done.returncode == 2 and "no path inside it" in done.stderr
    assert (tmp_path / "s.py").read_text() == "mine\n"


# Pipes, damage, size


def pipe(repo: Path, name: str) -> None:
    path = repo / ".git" / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True, parents=True)
    os.mkfifo(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["config", "HEAD", "index", "packed-refs", "info/attributes", "objects/info/alternates", "refs/heads/other",
     "logs/HEAD", "shallow", "included"],
)  # fmt: skip
def test_pipes_do_not_stop_us(repo: Path, name: str) -> None:
    if name == "included":
        git(repo, "config", "include.path", "included")
    pipe(repo, name)
    for done in (spawnfix("check", repo, limit=60), spawnfix("migrate", repo, limit=60)):
        assert done.returncode in (0, 1, 2)
    for path in ("a.py", "pkg/b.py"):
        assert stat.S_ISREG((repo / path).lstat().st_mode)


@pytest.mark.slow
def test_pipe_as_attributes_of_the_work_tree(repo: Path) -> None:
    os.mkfifo(repo / ".gitattributes")
    os.mkfifo(repo / "pkg/.gitattributes")
    assert spawnfix("migrate", repo, limit=60).returncode == 0
    assert (repo / "a.py").read_text() == FIXED


@pytest.mark.parametrize("damage", [b"", b"\0" * 100, b"DIRC\0\0\0\2\xff\xff\xff\xff", b"x" * 10**6])
def test_damaged_index_is_one_line(repo: Path, damage: bytes) -> None:
    (repo / ".git/index").write_bytes(damage)
    done = spawnfix("check", repo)
    assert done.returncode == 2 and "damaged" in done.stderr and done.stderr.count("\n") == 1


# What is printed to be pasted


def words_of(hint: str) -> list[list[str]]:
    return [shlex.split(part) for part in re.findall(r"git (?:-C \S+ )?(?:checkout|diff|branch) .*", hint)]


def test_names_of_branches_are_quoted_for_the_shell(repo: Path, tmp_path: Path) -> None:
    name = "main;touch${IFS}marker;#"
    git(repo, "branch", "-m", name)
    done = spawnfix("migrate", repo)
    assert done.returncode == 0
    for line in done.stderr.splitlines():
        _, found, command = line.partition(":  ")
        if found:
            subprocess.run(["bash", "-c", command.partition("  (")[0]], cwd=tmp_path, capture_output=True, check=False)
    assert not list(tmp_path.rglob("marker*"))
    switch = [words for words in words_of(done.stderr) if words[3:] == ["checkout", name]]
    assert [Path(words[2]).resolve() for words in switch] == [repo]


def test_name_of_the_folder_is_quoted_for_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "geteuid") or os.geteuid():
        pytest.skip("needs to give a folder to another user")
    repo = made(tmp_path / "a;touch marker;")
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    for path in (repo, repo / ".git"):
        os.chown(path, 65534, 65534)
    done = spawnfix("migrate", repo)
    command = done.stderr.partition("run ")[2]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert "safe.directory" in command and not (tmp_path / "marker").exists()
    assert spawnfix("migrate", repo).returncode == 0, "the hint is what helps"
