"""Whatever happens to spawnfix on the way: tree, index, HEAD and branches are as before or as after, never between.

Faults are put before every step that it takes outside its own process: see harness/faults.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.torture import BODY, NEW, OLD, tree

ROOT = Path(__file__).resolve().parents[1]
EVERY = bool(os.environ.get("SPAWNFIX_EVERY_FAULT"))  # every step with every fault: minutes
FIXED = BODY.replace(OLD, NEW).encode()
SECONDS = 300


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *arguments], capture_output=True, check=True, timeout=SECONDS)
    return done.stdout.decode().strip()


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A repository with three files to repair, and work that is not committed yet."""
    repo = tmp_path / "template"
    (repo / "pkg").mkdir(parents=True)
    for name in ("a.py", "pkg/b.py", "pkg/c.py"):
        (repo / name).write_text(BODY)
    (repo / "pkg/c.py").chmod(0o755)
    (repo / "notes.txt").write_text("one\n")
    git(repo, "init", "-q")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "one")
    (repo / "notes.txt").write_text("two\n")
    (repo / "staged.txt").write_text("three\n")
    git(repo, "add", "staged.txt")
    return repo


def state(repo: Path) -> dict[str, object]:
    """What a person would miss; the objects that git keeps are not among it."""
    inside = repo / ".git"
    return {
        "tree": tree(repo),
        "index": git(repo, "ls-files", "--stage"),
        "head": (inside / "HEAD").read_text(),
        "refs": git(repo, "for-each-ref"),
        "names": sorted(path.name for path in inside.iterdir()),
        "locks": sorted(str(path) for path in inside.rglob("*.lock")),
    }


def digest(seen: dict[str, object], *leave_out: str) -> str:
    kept = {key: value for key, value in seen.items() if key not in leave_out}
    return hashlib.sha256(repr(kept).encode()).hexdigest()


def settled(repo: Path) -> dict[str, object]:
    """The state once a git that outlives us is done."""
    for _ in range(100):
        found = state(repo)
        if not found["locks"] and found == state(repo):
            return found
        time.sleep(0.05)
    return found


def faults(fault: str, stride: int, template: Path, scratch: Path, *arguments: str) -> list[dict[str, object]]:
    """One row a run; at least as many as migrate is known to take."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests/harness/faults.py", fault, str(stride), template, scratch, *arguments],
        capture_output=True, text=True, timeout=SECONDS, check=False, start_new_session=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()][:-1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("fault", "stride"), [("kill", 3), ("group", 8), ("soon", 4), ("interrupt", 7), ("disk", 5), ("denied", 7)]
)
def test_in_git(template: Path, tmp_path: Path, fault: str, stride: int) -> None:
    before = state(template)
    author = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2024-05-06T07:08:09+0000")
    os.environ.update(author)
    rows = faults(fault, 1 if EVERY else stride, template, tmp_path / "runs", "migrate", "FOLDER")
    for name in author:
        del os.environ[name]
    assert len(rows) >= 30 // (1 if EVERY else stride)
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        after = settled(place / "repo")
        assert outcome(before, after) in ("before", "branch", "after"), (row, after)
        assert git(place / "repo", "fsck", "--no-dangling", "--connectivity-only") == ""
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        if fault in ("disk", "denied"):
            assert row["status"] in (0, 2), (row, errors)
            assert row["status"] == 0 or len(re.findall("^spawnfix: ", errors, re.MULTILINE)) == 1, (row, errors)
            assert not list((place / "tmp").iterdir()) or "rmtree" in str(row["event"]) or "os.r" in str(row["event"])
        if fault == "interrupt":
            assert row["status"] == 130, (row, errors)


def outcome(before: dict[str, object], after: dict[str, object]) -> str:
    """Which of the allowed states `after` is, else what is wrong."""
    if after["locks"] or set(after["names"]) - set(before["names"]):  # type: ignore[call-overload]
        return "something was left behind"
    if after == before:
        return "before"
    new = str(after["refs"]).replace(str(before["refs"]), "").strip()
    if not re.fullmatch(r"[0-9a-f]{40} commit\trefs/heads/spawnfix/migrate", new):
        return "other branches"
    if digest(after, "refs", "names") == digest(before, "refs", "names"):
        return "branch"
    repaired = {"a.py": (FIXED, 0o644), "pkg/b.py": (FIXED, 0o644), "pkg/c.py": (FIXED, 0o755)}
    whole = after["tree"] == {**before["tree"], **repaired}  # type: ignore[dict-item]
    head = after["head"] == "ref: refs/heads/spawnfix/migrate\n"
    return "after" if whole and head and "staged.txt" in str(after["index"]) else "between"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("fault", "stride"), [("kill", 2), ("soon", 5), ("interrupt", 5), ("disk", 4), ("denied", 5)])
def test_in_place(tmp_path: Path, fault: str, stride: int) -> None:
    """Each file is whole; a kill may leave some to the next run, which also clears what it left; nothing else may."""
    plain = tmp_path / "plain"
    plain.mkdir()
    for name in ("a.py", "b.py"):
        (plain / name).write_text(BODY)
    before = tree(plain)
    rows = faults(fault, 1 if EVERY else stride, plain, tmp_path / "runs", "migrate", "--no-git", "FOLDER")
    assert len(rows) >= 8 // (1 if EVERY else stride)
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        folder = place / "repo"
        after = {name: data for name, (data, _) in tree(folder).items()}
        assert {after["a.py"], after["b.py"]} <= {BODY.encode(), FIXED}
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        if fault not in ("kill", "soon"):
            assert set(after) == set(before), row
            assert fault == "interrupt" or row["status"] in (0, 2), (row, errors)
            if row["status"] == 2:
                assert after["a.py"] == after["b.py"] == BODY.encode() or "os.rename" in str(row["event"]), (
                    row,
                    errors,
                )
        elif set(after) != set(before):
            again = [sys.executable, str(ROOT / "cli.py"), "migrate", "--no-git", str(folder)]
            subprocess.run(again, check=True, capture_output=True, timeout=SECONDS)
            assert {name: data for name, (data, _) in tree(folder).items()} == dict.fromkeys(before, FIXED)


# What git itself meets while it checks out

CHECK_OUT = """
import resource, signal, sys
from pathlib import Path
from codemods.problem import Problem
from codemods.tree import git_tree
from codemods.tree.repository import Repository
repository = Repository.find(Path(sys.argv[1]))
files = git_tree.CommitFiles(repository, repository.head())
contents = {path: b"x = 1\\n" * 100_000 for path in ("a.py", "pkg/b.py")}
branch = git_tree.build_branch(files, [git_tree.Commit({**contents, "0.py": b"small"}, "m")], None)
if sys.argv[2] == "killed":  # by the system, when git writes the first large file
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # for us; git has the default
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    git_tree.check_out(repository, branch)
except Problem as problem:
    print(problem)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs resource limits")
@pytest.mark.parametrize("what", ["killed", "HEAD.lock"])
def test_checkout_that_fails_half_way_is_undone(template: Path, what: str) -> None:
    (template / "0.py").write_text("first\n")
    git(template, "add", "0.py")
    git(template, "commit", "-q", "-m", "two", "0.py")
    if what != "killed":
        (template / ".git" / what).touch()
    before = state(template)
    done = subprocess.run(
        [sys.executable, "-c", CHECK_OUT, template, what], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
    )
    after = state(template)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("is made but not checked out: git says: ", done.stdout), done.stdout
    assert "could not be restored" not in done.stdout
    assert digest(after, "refs") == digest(before, "refs")
    assert "refs/heads/spawnfix/migrate" in str(after["refs"])


def test_ctrl_c_during_the_checkout_waits_for_it(template: Path, tmp_path: Path) -> None:
    """A smudge filter of the user's own makes the checkout slow; the terminal signals the whole group."""
    home = Path(os.environ["HOME"])
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[filter "slow"]\nsmudge = "touch {tmp_path / "slow"}; sleep 1; cat"\nclean = cat\n')
    (template / ".gitattributes").write_text("*.py filter=slow\n")
    git(template, "add", ".gitattributes")
    git(template, "commit", "-q", "-m", "two", ".gitattributes")
    command = [sys.executable, ROOT / "cli.py", "migrate", template]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if (tmp_path / "slow").exists():
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert (template / "a.py").read_bytes() == (template / "pkg/b.py").read_bytes() == FIXED
    assert (template / ".git/HEAD").read_text() == "ref: refs/heads/spawnfix/migrate\n"
    assert not list((template / ".git").rglob("*.lock"))
