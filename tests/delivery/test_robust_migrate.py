"""`migrate` in an environment that fails it: all or nothing, and nobody's files but ours are touched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness import tool
from harness.repositories import commit_all, git, own_home
from harness.torture import BODY, NEW, OLD

__all__ = ["own_home"]

ROOT = Path(__file__).resolve().parents[2]
FIXED = BODY.replace(OLD, NEW)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "repo"
    (folder / "pkg").mkdir(parents=True)
    (folder / "a.py").write_text(BODY)
    (folder / "pkg/b.py").write_text(BODY)
    commit_all(folder)
    return folder


def shell(line: str) -> subprocess.CompletedProcess[str]:
    line = line.replace("SPAWNFIX", f"'{sys.executable}' '{ROOT}/cli.py'")
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=300)


def spawnfix(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return tool.spawnfix(*map(str, arguments), cache=Path(os.environ["SPAWNFIX_CACHE_DIR"]))


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "2>&1 | head -1", "2>&1 | true"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.slow
def test_nobody_reads_what_it_says(repo: Path, stderr: str) -> None:
    done = shell(f"SPAWNFIX migrate '{repo}' {stderr}")
    assert done.returncode == 0, done
    assert (repo / "a.py").read_text() == (repo / "pkg/b.py").read_text() == FIXED
    assert git(repo, "status", "--porcelain", "--branch") == "## spawnfix/migrate"


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.slow
def test_nobody_reads_why_it_failed(repo: Path, stderr: str) -> None:
    (repo / "a.py").write_text("mine\n")
    assert shell(f"SPAWNFIX migrate '{repo}' {stderr}").returncode == 2
    assert (repo / "a.py").read_text() == "mine\n"
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/main"


def test_file_that_is_not_checked_out_and_was_removed_stays_removed(repo: Path) -> None:
    git(repo, "update-index", "--skip-worktree", "a.py")
    (repo / "a.py").unlink()
    assert spawnfix("migrate", repo).returncode == 0
    assert not (repo / "a.py").exists()
    assert (repo / "pkg/b.py").read_text() == FIXED
    assert git(repo, "ls-files", "-v", "a.py") == "S a.py"
    assert git(repo, "status", "--porcelain") == ""


def test_folder_that_the_user_replaced_by_a_link_stays_one(repo: Path, tmp_path: Path) -> None:
    (repo / "pkg").rename(tmp_path / "moved")
    (repo / "pkg").symlink_to(tmp_path / "moved")
    done = spawnfix("migrate", repo)
    assert done.returncode == 2 and "symbolic link" in done.stderr
    assert (repo / "pkg").is_symlink() and (tmp_path / "moved/b.py").read_text() == BODY
    assert (repo / "a.py").read_text() == BODY and git(repo, "symbolic-ref", "HEAD") == "refs/heads/main"


@pytest.mark.slow
def test_index_in_every_form_is_updated_as_git_would(repo: Path) -> None:
    for number, form in enumerate((("--index-version", "4"), ("--index-version", "2"), ("--split-index",))):
        git(repo, "checkout", "-q", "-f", "main")
        git(repo, "update-index", *form)
        (repo / "staged.txt").write_text(f"{number}\n")
        git(repo, "add", "staged.txt")
        assert spawnfix("migrate", repo).returncode == 0
        assert git(repo, "diff-files", "--name-only") == "", "what is on disk is noted"
        assert git(repo, "diff-index", "--cached", "--name-only", "HEAD") == "staged.txt"
        assert git(repo, "write-tree") != git(repo, "rev-parse", "HEAD^{tree}")
        git(repo, "rm", "-q", "--cached", "-f", "staged.txt")
        assert git(repo, "write-tree") == git(repo, "rev-parse", "HEAD^{tree}"), "no stale tree is written"
        git(repo, "fsck", "--strict")
    assert git(repo, "rev-parse", "--abbrev-ref", "@{-1}") == "main", "git checkout - goes back"


CONVERSIONS = [
    ("core.autocrlf=true", ""),
    ("core.autocrlf=true", "*.py -text\n"),
    ("core.autocrlf=input", ""),
    ("core.eol=crlf", "* text=auto\n"),
    ("core.autocrlf=false", "*.py text eol=crlf\n"),
    ("core.autocrlf=false", "*.py ident\n"),
    ("core.autocrlf=false", "*.py text working-tree-encoding=UTF-16LE\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("config", "attributes"), CONVERSIONS)
def test_line_endings_and_encodings_are_those_that_git_writes(repo: Path, config: str, attributes: str) -> None:
    (repo / ".gitattributes").write_text(attributes)
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-q", "-m", "attributes")
    git(repo, "config", *config.split("="))
    git(repo, "rm", "-r", "-q", "--cached", ".")
    git(repo, "reset", "-q", "--hard")
    assert git(repo, "status", "--porcelain") == ""
    done = spawnfix("migrate", repo)
    assert done.returncode == 0, done.stderr
    assert git(repo, "status", "--porcelain", "--branch") == "## spawnfix/migrate"
    ours = (repo / "a.py").read_bytes()
    assert NEW.encode() in ours.replace(b"\0", b"")
    (repo / "a.py").unlink()
    git(repo, "checkout", "-q", "a.py")
    assert (repo / "a.py").read_bytes() == ours


def test_untracked_file_with_a_hazard_is_named(repo: Path) -> None:
    (repo / "new.py").write_text(BODY)
    for command in (["check", "--exit-zero"], ["check", "--exit-zero", "--format", "json"], ["migrate"]):
        done = spawnfix(*command, repo)
        assert done.returncode == 0, done.stderr
        assert "new.py" in done.stdout + done.stderr and "untracked" in done.stdout + done.stderr
    assert (repo / "new.py").read_text() == BODY


def test_a_committed_file_that_left_the_index_is_rewritten_and_not_called_untracked(repo: Path) -> None:
    (repo / "other.py").write_text("x = 1\n")
    git(repo, "add", "other.py")
    git(repo, "rm", "-q", "--cached", "a.py")
    done = spawnfix("migrate", "--dry-run", repo)
    assert "+++ b/a.py" in done.stdout and "untracked" not in done.stdout + done.stderr
    assert "a.py: untracked" in spawnfix("check", repo).stdout


def test_an_index_without_files_hides_nothing(repo: Path) -> None:
    git(repo, "rm", "-r", "-q", "--cached", ".")
    done = spawnfix("migrate", "--dry-run", repo)
    assert "+++ b/a.py" in done.stdout and "untracked" not in done.stdout + done.stderr
    assert "untracked" not in (shown := spawnfix("check", repo).stdout) and "a.py:8:22  dict-views" in shown


@pytest.mark.slow
def test_in_place_removes_its_own_temporary_files_alone(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text(BODY)
    mine = (".a.py.99999999-abcdefgh.spawnfix", ".notes.1-00000000-0123456789abcdef.spawnfix", ".x.spawnfix")
    for name in mine:
        (plain / name).write_text("mine\n")
    kill = (
        "import os, signal, sys; from pathlib import Path; from codemods.tree import writing\n"
        f"writing.stage(Path({str(plain)!r}), 'a.py', b'x', 0o600); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", kill], cwd=ROOT, check=False)
    assert len(list(plain.iterdir())) == 5
    assert shell(f"SPAWNFIX migrate --no-git '{plain}'").returncode == 0
    assert sorted(path.name for path in plain.iterdir()) == sorted([*mine, "a.py"])


@pytest.mark.parametrize("command", ["check", "migrate"])
@pytest.mark.slow
def test_time_limit_ends_the_run_and_changes_nothing(repo: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "sitecustomize.py").write_text("")
    code = (
        "import sys, time\n"
        "from codemods import transforms\n"
        "from dataclasses import replace\n"
        "rule = dict(transforms.rules())['dict-views']\n"
        "def find(project):\n"
        "    while True:\n"
        "        try: time.sleep(60)\n"
        "        except Exception: pass\n"
        "transforms.rules = lambda: {'dict-views': replace(rule, find=find)}\n"
        f"sys.argv = ['spawnfix', {command!r}, '--timeout', '1', {str(repo)!r}]\n"
        "from codemods.commands import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("spawnfix: took longer than 1 seconds")
    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.slow
def test_control_characters_of_file_contents_do_not_reach_a_terminal(repo: Path) -> None:
    pty = pytest.importorskip("pty")
    (repo / "a.py").write_text(BODY.replace(OLD, f"{OLD}  # \x1b]0;owned\x07\x1b[2J \x9b \u202e"))
    git(repo, "commit", "-q", "-a", "-m", "two")
    main, terminal = pty.openpty()
    command = [sys.executable, str(ROOT / "cli.py"), "migrate", "--dry-run", "--no-pager", str(repo)]
    process = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert process.wait(timeout=120) == 0
    text = re.sub("\x1b\\[[0-9;]*m", "", shown.decode())  # our colours
    assert NEW in text and "\\x1b]0;owned" in text
    assert not any(not letter.isprintable() and letter not in "\r\n\t" for letter in text)
