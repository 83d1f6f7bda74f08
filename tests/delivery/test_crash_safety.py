"""Whatever happens to spawnfix on the way: tree, index, HEAD and branches are as before or as after, never between.

Faults are put before every step that it takes outside its own process: see harness/faults.py. What may be found after
one is in harness/fault_points.py; benchmarks/faults.py runs all of them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.fault_points import FIXED, JOBS, ROOT, SECONDS, digest, git, own_home, points, repository, state

EVERY = bool(os.environ.get("SPAWNFIX_EVERY_FAULT"))  # every step with every fault: minutes
STEPS = {  # that each job is known to take, at least
    "migrate": 44, "migrate --no-git": 11, "migrate --patch": 7, "diagnose --save": 17, "batch --in-place": 100,
}  # fmt: skip
STRIDES = {
    "migrate": {"kill": 3, "group": 8, "soon": 4, "interrupt": 7, "disk": 5, "io": 9, "denied": 7},
    "migrate --no-git": {"kill": 2, "soon": 5, "interrupt": 5, "disk": 4, "io": 5, "denied": 5},
    "migrate --patch": {"kill": 2, "soon": 3, "interrupt": 3, "disk": 2, "io": 3, "denied": 3},
    "diagnose --save": {"kill": 4, "disk": 5, "interrupt": 7},
    "batch --in-place": {
        "kill": 60, "interrupt": 70, "disk": 80, "child-kill": 54, "child-soon": 110, "child-disk": 81,
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in own_home(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    repository(tmp_path / "template")
    return tmp_path / "template"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("job", "fault"), [(job, fault) for job, faults in STRIDES.items() for fault in faults])
def test_a_fault_at_every_step(tmp_path: Path, job: str, fault: str) -> None:
    stride = 1 if EVERY else STRIDES[job][fault]
    judge = JOBS[job].build(tmp_path / "template")
    rows = []
    for place, row in points(fault, stride, tmp_path / "template", tmp_path / "runs", *JOBS[job].arguments):
        try:
            rows.append(judge(place, fault, row))
        except AssertionError as error:
            raise AssertionError(f"{row}: {error}") from error
    assert len(rows) >= STEPS[job] // stride
    if job == "migrate":
        assert "before" in rows and {"branch", "after"} & {*rows}, rows  # faults came early and late


def _may_mount() -> bool:
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(command, capture_output=True).returncode == 0


IN_A_NAMESPACE = """
import sys
from pathlib import Path
from harness.fault_points import JOBS, full_disk
place, job = Path(sys.argv[1]), sys.argv[2]
free, inodes, apart = map(int, sys.argv[3:])
judge, row = full_disk(JOBS[job], place, free, bool(inodes), bool(apart))
print(row["status"], judge(place, "full", row))
"""


@pytest.mark.slow
@pytest.mark.skipif(not _may_mount(), reason="needs to mount a file system in a namespace of its own")
@pytest.mark.parametrize("job", ["migrate", "migrate --no-git"])
@pytest.mark.parametrize(("free", "inodes"), [(0, False), (8, False), (40, False), (3, True), (3000, False)])
@pytest.mark.parametrize("apart", [False, True])
def test_a_disk_that_is_full(tmp_path: Path, job: str, free: int, inodes: bool, apart: bool) -> None:
    """Not a fault that we put there: a file system without room. The same with our own folder on another one."""
    (tmp_path / "disk").mkdir()
    words = [str(tmp_path / "disk"), job, str(free), str(int(inodes)), str(int(apart))]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", IN_A_NAMESPACE, *words],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"0 after\n|2 (before|branch|one file)\n", done.stdout), done.stdout
    assert free != 3000 or done.stdout.startswith("0"), done.stdout


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


@pytest.mark.slow
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
    assert re.search(f"was created but not checked out: {why}", done.stdout), done.stdout
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
    assert "was created but not checked out: can't write pkg/b.py, pkg/c.py: " in done.stderr
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
