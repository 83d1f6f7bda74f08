"""Bytes that others lose: every file is fixed with nothing else changed, or skipped with its reason."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codemods.tree.directory import DirectoryFiles
from harness import tool
from harness.repositories import finish_here
from harness.torture import BODY, LINKS, NEW, OLD, Case, build, cases, tree

ROOT = Path(__file__).resolve().parents[2]
CASES = {case.path: case for case in cases()}
SECONDS = 300  # the machine may be busy; alone it takes a tenth


@pytest.fixture(autouse=True)
def _finish_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    finish_here(request, monkeypatch)


class Outcome(NamedTuple):
    folder: Path
    before: dict[str, tuple[bytes, int]]
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user with a name whose git converts line endings as far as git lets a user ask for it."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    return home


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "SPAWNFIX_CACHE_DIR": str(home / "cache")}


def git(folder: Path, home: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environment(home), capture_output=True, check=True, timeout=SECONDS
    ).stdout


def spawnfix(home: Path, *arguments: str | Path) -> tuple[int, str, str]:
    done = tool.spawnfix(*map(str, arguments), cache=home / "cache", environment=environment(home))
    return done.returncode, done.stdout, done.stderr


def committed(folder: Path, home: Path) -> Path:
    git(folder, home, "init", "-q")
    git(folder, home, "add", "-A", ".")
    git(folder, home, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture(scope="module")
def in_git(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Outcome:
    folder = tmp_path_factory.mktemp("torture") / "repo"
    build(folder)
    committed(folder, home)
    before = tree(folder)
    return Outcome(folder, before, *spawnfix(home, "migrate", folder))


@pytest.fixture(scope="module")
def in_place(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Outcome:
    folder = tmp_path_factory.mktemp("torture") / "plain"
    build(folder)
    before = tree(folder)
    return Outcome(folder, before, *spawnfix(home, "migrate", "--no-git", folder))


@pytest.fixture(
    params=[
        pytest.param("in_git", marks=pytest.mark.slow),
        pytest.param("in_place", marks=[pytest.mark.slow, pytest.mark.in_process]),
    ]
)
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return request.getfixturevalue(request.param)


def shown(path: str) -> str:
    """`path` as it stands in our messages."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in path)
    return printable.encode("utf-8", "backslashreplace").decode()


def skipped(errors: str) -> dict[str, str]:
    rows = (line.removeprefix("skipped ") for line in errors.splitlines() if line.startswith("skipped "))
    return {path: reason for path, _, reason in (row.partition(": ") for row in rows)}


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("case", CASES.values(), ids=[path[:60].encode("unicode_escape").decode() for path in CASES])
def test_repaired_exactly_or_skipped_with_a_reason(outcome: Outcome, case: Case) -> None:
    target = outcome.folder / case.path
    assert target.read_bytes() == case.fixed
    kept = 0o100 if (outcome.folder / ".git").exists() else 0o777  # git keeps the x bit alone
    assert target.lstat().st_mode & kept == outcome.before[case.path][1] & kept
    reasons = skipped(outcome.err)
    if not case.reason:
        assert shown(case.path) not in reasons
    else:
        assert re.search(case.reason, reasons[shown(case.path)])


@pytest.mark.slow
@pytest.mark.in_process
def test_nothing_else_is_there_and_nothing_else_changed(outcome: Outcome) -> None:
    after = tree(outcome.folder)
    assert outcome.code == 0, outcome.err
    assert sorted(after) == sorted(outcome.before)
    changed = {path for path in after if after[path][0] != outcome.before[path][0]}
    assert changed == {case.path for case in CASES.values() if case.reason is None}
    assert set(LINKS) == {path.name for path in (outcome.folder / "link").iterdir()}
    victim = outcome.folder.parent / f"{outcome.folder.name}-outside" / "victim.py"
    assert victim.read_text() == BODY
    assert "Traceback" not in outcome.err and not outcome.out


def test_each_skipped_file_is_one_line(outcome: Outcome) -> None:
    lines = [line for line in outcome.err.splitlines() if line.startswith("skipped ")]
    assert len(lines) == sum(bool(case.reason) for case in CASES.values())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e\u2066]", outcome.err)


@pytest.mark.slow
def test_the_branch_holds_the_same_bytes(in_git: Outcome, home: Path) -> None:
    """Also read back through git, not through the work tree."""
    for case in CASES.values():
        blob = git(in_git.folder, home, "cat-file", "blob", f"HEAD:{case.path}")
        assert blob == case.fixed, case.path
    assert not git(in_git.folder, home, "status", "--porcelain")


@pytest.mark.slow
def test_a_second_run_changes_nothing(outcome: Outcome, home: Path) -> None:
    flags = [] if (outcome.folder / ".git").exists() else ["--no-git"]
    code, out, err = spawnfix(home, "migrate", outcome.folder, "--dry-run", "--exit-code", *flags)
    assert (code, out) == (0, ""), err


@pytest.mark.slow
def test_the_diff_applies_with_git_and_gives_the_same_bytes(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "repo"
    build(folder)
    committed(folder, home)
    patch = tmp_path / "all.patch"
    code, _, err = spawnfix(home, "migrate", folder, "--dry-run", "--patch", patch)
    assert code == 0, err
    git(folder, home, "apply", "--whitespace=nowarn", str(patch))
    for case in CASES.values():
        assert (folder / case.path).read_bytes() == case.fixed, case.path


# What git itself converts


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("setting", ["true", "input"])
def test_autocrlf(tmp_path: Path, home: Path, setting: str) -> None:
    """Blobs with LF stay so; what lies on disk comes out as git's own checkout of the branch makes it."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.py").write_bytes(BODY.replace("\n", "\r\n").encode() if setting == "true" else BODY.encode())
    git(folder, home, "init", "-q")
    git(folder, home, "config", "core.autocrlf", setting)
    git(folder, home, "add", "-A", ".")
    git(folder, home, "commit", "-q", "-m", "one")
    code, _, err = spawnfix(home, "migrate", folder)
    assert code == 0, err
    assert git(folder, home, "cat-file", "blob", "HEAD:a.py") == BODY.replace(OLD, NEW).encode()
    ending = "\r\n" if setting == "true" else "\n"
    assert (folder / "a.py").read_bytes() == BODY.replace(OLD, NEW).replace("\n", ending).encode()
    assert not git(folder, home, "status", "--porcelain")


@pytest.mark.slow
@pytest.mark.in_process
def test_working_tree_encoding(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / ".gitattributes").write_text("wide.py working-tree-encoding=UTF-16\n*.py text eol=crlf\n")
    (folder / "wide.py").write_text(BODY.replace("\n", "\r\n"), encoding="utf-16", newline="")
    (folder / "a.py").write_text(BODY.replace("\n", "\r\n"), newline="")
    committed(folder, home)
    assert git(folder, home, "cat-file", "blob", "HEAD:wide.py") == BODY.encode()
    code, _, err = spawnfix(home, "migrate", folder)
    assert code == 0, err
    fixed = BODY.replace(OLD, NEW)
    assert git(folder, home, "cat-file", "blob", "HEAD:wide.py") == fixed.encode()
    assert (folder / "wide.py").read_bytes().decode("utf-16") == fixed.replace("\n", "\r\n")
    assert (folder / "a.py").read_bytes() == fixed.replace("\n", "\r\n").encode()
    assert not git(folder, home, "status", "--porcelain")


@pytest.mark.slow
@pytest.mark.in_process
def test_submodules_keep_their_commit_and_their_files(tmp_path: Path, home: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.py").write_text(BODY)
    committed(inner, home)
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / "b.py").write_text(BODY)
    git(outer, home, "init", "-q")
    git(outer, home, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(outer, home, "add", "-A", ".")
    git(outer, home, "commit", "-q", "-m", "one")
    was = git(outer, home, "rev-parse", "HEAD:sub")
    code, _, err = spawnfix(home, "migrate", outer)
    assert code == 0, err
    assert (outer / "b.py").read_text() == BODY.replace(OLD, NEW)
    assert (outer / "sub" / "a.py").read_text() == BODY
    assert git(outer, home, "rev-parse", "HEAD:sub") == was
    assert not git(outer, home, "status", "--porcelain")


def as_who_may_not(*arguments: str | Path) -> list[str | Path]:
    """The command for `cli.py ARGUMENTS` without the power of root to read and write everything."""
    command = [sys.executable, ROOT / "cli.py", *arguments]
    if not hasattr(os, "geteuid"):
        pytest.skip("no permissions as on POSIX")
    if os.geteuid():
        return command
    if shutil.which("setpriv") is None:
        pytest.skip("needs setpriv, or not to be root")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]


@pytest.mark.slow
def test_folder_that_may_not_be_written_is_one_line(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text(BODY)
    folder.chmod(0o555)
    try:
        command = as_who_may_not("migrate", "--no-git", folder)
        done = subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=SECONDS)
    finally:
        folder.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"^spawnfix: can't write .*: Permission denied$", done.stderr, re.MULTILINE)
    assert [path.name for path in folder.iterdir()] == ["a.py"]
    assert (folder / "a.py").read_text() == BODY


@pytest.mark.slow
def test_folder_that_may_not_be_read_is_one_line(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "plain"
    for name in ("a.py", "closed/b.py", "listed/c.py", "open/d.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(BODY)
    committed(folder, home)
    (folder / "closed").chmod(0)
    (folder / "listed").chmod(0o400)
    try:
        seen, done = (
            subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=SECONDS)
            for command in (as_who_may_not("check", folder), as_who_may_not("migrate", "--no-git", folder))
        )
    finally:
        for name in ("closed", "listed"):
            (folder / name).chmod(0o755)
    assert (seen.returncode, done.returncode) == (2, 0), done.stderr
    assert skipped(done.stderr) == {"closed": "Permission denied", "listed/c.py": "Permission denied"}
    assert "rewrote 2 files" in done.stderr
    for path in ("closed/b.py", "listed/c.py"):
        assert re.search(f"{path}.*Permission denied", seen.stdout + seen.stderr), seen
    assert re.search(r"^spawnfix: not looked at: closed/b.py: Permission denied \(and 1 more\)$", seen.stderr, re.M), (
        seen
    )


def test_file_that_vanishes_while_the_folder_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are still seen."""
    for name in ("a.py", "b.py", "pkg/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BODY)
    real = os.scandir

    @contextlib.contextmanager
    def slow(folder: Path) -> Iterator[list[os.DirEntry[str]]]:
        with real(folder) as scan:
            items = sorted(scan, key=lambda item: item.name)
        (tmp_path / "a.py").unlink(missing_ok=True)
        yield items

    monkeypatch.setattr(os, "scandir", slow)
    files = DirectoryFiles(tmp_path)
    assert [entry.path for entry in files.entries()] == ["b.py", "pkg/c.py"]
