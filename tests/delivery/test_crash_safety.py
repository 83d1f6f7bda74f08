"""Whatever happens to spawnfix on the way: tree, index, HEAD and branches are as before or as after, never between.

Faults are put before every step that it takes outside its own process: see harness/faults.py.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.torture import BODY, NEW, OLD, tree

ROOT = Path(__file__).resolve().parents[2]
EVERY = bool(os.environ.get("SPAWNFIX_EVERY_FAULT"))  # every step with every fault: minutes
FIXED = BODY.replace(OLD, NEW).encode()
SECONDS = 300
STEPS = {"git": 44, "place": 11, "patch": 7, "save": 17}  # that each job is known to take, at least
STATUS = {  # how a run may end, by what befell it (-9: killed, -14: by the alarm of `soon`); 0: all is done
    "kill": (-9,),
    "group": (-9,),
    "soon": (-14, 0),
    "interrupt": (130,),
    "disk": (0, 2),
    "denied": (0, 2),
}
BATCH_STEPS = {"own": 100, "child": 100}  # of a batch of two repositories, and of its first child
BATCH_STATUS = {  # 1: a repository failed, and is named
    "kill": (-9,),
    "interrupt": (130,),
    "disk": (0, 1, 2),
    "child-kill": (1,),
    "child-soon": (0, 1),
    "child-disk": (0, 1),
}


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


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("fault", "stride"), [("kill", 3), ("group", 8), ("soon", 4), ("interrupt", 7), ("disk", 5), ("denied", 7)]
)
def test_in_git(template: Path, tmp_path: Path, fault: str, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state(template)
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2024-05-06T07:08:09+0000")
    rows = faults(fault, 1 if EVERY else stride, template, tmp_path / "runs", "migrate", "FOLDER")
    assert len(rows) >= STEPS["git"] // (1 if EVERY else stride)
    seen = set()
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        after = settled(place / "repo")
        seen.add(outcome(before, after))
        assert outcome(before, after) in ("before", "branch", "after"), (row, after)
        removing = str(row["event"]).startswith(("shutil.rmtree", "os.rmdir", "os.remove"))
        leaving = fault == "interrupt" and removing  # our own folder goes at the end, when all is done
        assert row["status"] in ((*STATUS[fault], 0) if leaving else STATUS[fault]), row
        assert row["status"] != 0 or outcome(before, after) == "after", (row, after)
        assert git(place / "repo", "fsck", "--no-dangling", "--connectivity-only") == ""
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        if fault in ("disk", "denied"):
            assert row["status"] == 0 or len(re.findall("^spawnfix: ", errors, re.MULTILINE)) == 1, (row, errors)
            assert not list((place / "tmp").iterdir()) or "rmtree" in str(row["event"]) or "os.r" in str(row["event"])
    assert "before" in seen and seen & {"branch", "after"}, seen  # faults came early and late


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


@pytest.mark.slow
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
    assert len(rows) >= STEPS["place"] // (1 if EVERY else stride)
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        folder = place / "repo"
        after = {name: data for name, (data, _) in tree(folder).items()}
        assert {after["a.py"], after["b.py"]} <= {BODY.encode(), FIXED}
        assert row["status"] in STATUS[fault], row
        assert row["status"] != 0 or after["a.py"] == after["b.py"] == FIXED, row
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        if fault not in ("kill", "soon"):
            assert set(after) == set(before), row
            if row["status"] == 2:
                assert after["a.py"] == after["b.py"] == BODY.encode() or "os.rename" in str(row["event"]), (
                    row,
                    errors,
                )
        elif set(after) != set(before):
            again = [sys.executable, str(ROOT / "cli.py"), "migrate", "--no-git", str(folder)]
            subprocess.run(again, check=True, capture_output=True, timeout=SECONDS)
            assert {name: data for name, (data, _) in tree(folder).items()} == dict.fromkeys(before, FIXED)


MADE = "def build():\n    return lambda: 1\n"
PATCH = ("migrate", "--no-git", "--dry-run", "--patch", "FOLDER/report", "FOLDER")
SAVE = ("diagnose", "--no-child", "--save", "FOLDER/report", "FOLDER/made.py:build()")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("arguments", "fault", "stride"),
    [
        (PATCH, "kill", 2), (PATCH, "soon", 3), (PATCH, "interrupt", 3), (PATCH, "disk", 2), (PATCH, "denied", 3),
        (SAVE, "kill", 4), (SAVE, "disk", 5), (SAVE, "interrupt", 7),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else str(value),
)  # fmt: skip
def test_report_that_it_writes(tmp_path: Path, arguments: tuple[str, ...], fault: str, stride: int) -> None:
    """The file is as before or whole; what a kill leaves beside it goes with the next run."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text(BODY)
    (plain / "made.py").write_text(MADE)
    (plain / "report").write_text("old\n")
    rows = faults(fault, 1 if EVERY else stride, plain, tmp_path / "runs", *arguments)
    saves = arguments is SAVE
    assert len(rows) >= STEPS["save" if saves else "patch"] // (1 if EVERY else stride)
    done = 1 if saves else 0  # diagnose finds a problem
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        text = (place / "repo/report").read_text()
        assert text == "old\n" or (json.loads(text)["problems"] if saves else NEW in text), row
        assert row["status"] in {*STATUS[fault]} - {0} | ({done} if 0 in STATUS[fault] else set()), row
        assert (text != "old\n") == (row["status"] == done) or row["status"] not in (0, 1, 2), row
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        names = {path.name for path in (place / "repo").iterdir()} - {"__pycache__"}
        if fault not in ("kill", "soon"):
            assert names == {"a.py", "made.py", "report"}, row
        elif ".spawnfix" in str(names):
            again = [sys.executable, str(ROOT / "cli.py"), *arguments]
            subprocess.run([word.replace("FOLDER", str(place / "repo")) for word in again], timeout=SECONDS)
            names = {path.name for path in (place / "repo").iterdir()} - {"__pycache__"}
            assert names == {"a.py", "made.py", "report"}, row


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("fault", "stride"),
    [("kill", 60), ("interrupt", 70), ("disk", 80), ("child-kill", 54), ("child-soon", 110), ("child-disk", 81)],
)
def test_batch_in_place(tmp_path: Path, fault: str, stride: int) -> None:
    """Each repository has its branch or has not, and nothing else; begun again, the batch has all of it."""
    template = tmp_path / "template"
    names = {"one": "a.py", "two": "b.py"}
    for name, file in names.items():
        (template / name).mkdir(parents=True)
        (template / name / file).write_text(BODY)
        git(template / name, "init", "-q")
        git(template / name, "add", ".")
        git(template / name, "commit", "-q", "-m", "one")
        (template / name / file).write_text("work under way\n")
    (template / "list.txt").write_text("one\ntwo\n")
    before = {name: state(template / name) for name in names}
    arguments = ("batch", "FOLDER/list.txt", "--in-place", "--jobs", "1", "--out", "FOLDER/out")

    def branches(folder: Path) -> list[str]:
        found = []
        for name, file in names.items():
            after = settled(folder / name)
            assert digest(after, "refs") == digest(before[name], "refs"), name
            new = str(after["refs"]).replace(str(before[name]["refs"]), "").strip()
            if new:
                assert re.fullmatch(r"[0-9a-f]{40} commit\trefs/heads/spawnfix/migrate", new)
                assert git(folder / name, "show", f"spawnfix/migrate:{file}") == FIXED.decode().strip()
                found.append(name)
        return found

    rows = faults(fault, 1 if EVERY else stride, template, tmp_path / "runs", *arguments)
    assert len(rows) >= BATCH_STEPS["child" if fault.startswith("child-") else "own"] // (1 if EVERY else stride)
    for row in rows:
        place = tmp_path / "runs" / f"{fault}-{row['step']}"
        there = branches(place / "repo")
        leaving = fault == "interrupt" and str(row["event"]).startswith(("shutil.rmtree", "os.rmdir", "os.remove"))
        assert row["status"] in ((*BATCH_STATUS[fault], 0) if leaving else BATCH_STATUS[fault]), row
        assert row["status"] != 0 or there == list(names), (row, there)
        errors = (place / "stderr").read_text()
        assert "Traceback" not in errors, (row, errors)
        again = [word.replace("FOLDER", str(place / "repo")) for word in (*arguments, "--failed")]
        done = subprocess.run(
            [sys.executable, ROOT / "cli.py", *again], capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, (row, done.stderr)
        assert branches(place / "repo") == list(names), row
        out = place / "repo/out"
        report = json.loads((out / "summary.json").read_text())["repos"]
        assert [each["status"] for each in report] == ["migrated", "migrated"], row
        files = [file for each in report for file in each["report"].values()]
        assert all((out / file).is_file() for file in files) and len(files) >= 10, row
        assert not [path for path in out.rglob("*") if path.name.endswith(".new") or path.name.startswith("scratch")], (
            row
        )


# What git itself meets while it checks out

CHECK_OUT = """
import resource, sys
from pathlib import Path
from codemods.problem import Problem
from codemods.tree import checkout, git_tree
from codemods.tree.repository import Repository
repository = Repository.find(Path(sys.argv[1]))
files = git_tree.CommitFiles(repository, repository.head())
contents = {path: b"x = 1\\n" * 100_000 for path in ("a.py", "pkg/b.py")}
branch = git_tree.build_branch(files, [git_tree.Commit({**contents, "0.py": b"small"}, "m")], None)
if sys.argv[2] == "full":  # for the process that writes
    def limited(job, finish=checkout.finish):
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        finish(job)
    checkout.finish = limited
try:
    git_tree.check_out(repository, branch)
except Problem as problem:
    print(problem)
"""


@pytest.mark.skipif(importlib.util.find_spec("resource") is None, reason="needs resource limits")
@pytest.mark.parametrize("what", ["full", "HEAD.lock"])
def test_checkout_that_fails_half_way_is_undone(template: Path, what: str) -> None:
    (template / "0.py").write_text("first\n")
    git(template, "add", "0.py")
    git(template, "commit", "-q", "-m", "two", "0.py")
    if what != "full":
        (template / ".git" / what).touch()
    before = state(template)
    done = subprocess.run(
        [sys.executable, "-c", CHECK_OUT, template, what], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
    )
    after = state(template)
    assert (done.returncode, done.stderr) == (0, "")
    why = "can't write a.py, pkg/b.py: File too large" if what == "full" else r"another git process holds HEAD\.lock"
    assert re.search(f"is made but not checked out: {why}", done.stdout), done.stdout
    assert "could not be restored" not in done.stdout
    assert digest(after, "refs") == digest(before, "refs")
    assert "refs/heads/spawnfix/migrate" in str(after["refs"])


@pytest.mark.slow
@pytest.mark.parametrize("detached", [False, True])
def test_checkout_that_could_not_write_all_files_is_undone(template: Path, detached: bool) -> None:
    """Git itself goes on, and ends as if all were well."""
    may_not = [] if os.geteuid() else [shutil.which("setpriv"), "--bounding-set=-dac_override"]  # root may do anything
    if None in may_not:
        pytest.skip("needs setpriv, or not to be root")
    if detached:
        git(template, "checkout", "-q", "--detach")
    before = state(template)
    (template / "pkg").chmod(0o555)
    done = subprocess.run(
        [*map(str, may_not), sys.executable, ROOT / "cli.py", "migrate", template],
        capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    (template / "pkg").chmod(0o755)
    assert done.returncode == 2, done.stderr
    assert "is made but not checked out: can't write pkg/b.py, pkg/c.py: " in done.stderr
    assert "could not be restored" not in done.stderr
    assert digest(state(template), "refs", "names") == digest(before, "refs", "names")
    assert git(template, "status", "--porcelain") == "M notes.txt\nA  staged.txt"
    git(template, "checkout", "-q", "spawnfix/migrate")
    assert (template / "a.py").read_bytes() == (template / "pkg/b.py").read_bytes() == FIXED


@pytest.mark.slow
def test_ctrl_c_during_the_checkout_waits_for_it(template: Path, tmp_path: Path) -> None:
    """The terminal signals the whole group, before the process that writes starts and while it is at work."""
    process = subprocess.run(
        [sys.executable, "-c", CTRL_C, template], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS,
        start_new_session=True,
    )  # fmt: skip
    assert process.returncode == 130, process.stderr
    assert "Traceback" not in process.stderr
    assert (template / "a.py").read_bytes() == (template / "pkg/b.py").read_bytes() == FIXED
    assert (template / ".git/HEAD").read_text() == "ref: refs/heads/spawnfix/migrate\n"
    assert not list((template / ".git").rglob("*.lock"))


CTRL_C = """
import os, signal, subprocess, sys
from codemods import commands
from codemods.tree import checkout
def interrupted(job, finish=checkout.finish):
    def run(command, input, real=subprocess.run, **more):
        os.killpg(0, signal.SIGINT)
        process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
        os.killpg(0, signal.SIGINT)
        out, errors = process.communicate(input)
        return subprocess.CompletedProcess(command, process.returncode, out, errors)
    sys.modules[finish.__module__].subprocess.run = run
    finish(job)
checkout.finish = interrupted
sys.argv = ["spawnfix", "migrate", sys.argv[1]]
commands.main()
"""
