"""Batches, run as people run them: real repositories, real processes, kills included."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods.batch.ledger import Ledger, State
from codemods.batch.obtain import network, obtain, resolve
from codemods.batch.report import write_files
from codemods.batch.repos import Repo, named, parse_list, safe_name, without_secrets
from codemods.batch.run import BatchOptions, only_one, run_batch
from codemods.batch.spec import Flags, Limits, Outcome, Spec, Status
from codemods.commands import main
from codemods.problem import Problem
from harness.tool import spawnfix

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user with a name, no git settings of the tester's, and a cache of one's own."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (ROOT, Path(__file__).parent, ROOT / "tests"))))


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "start")
    return folder


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, str(ROOT / "cli.py"), "batch", *map(str, arguments)]


def batch(*arguments: str | Path, cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command, in this process; its workers are processes of their own."""
    if stdin:
        return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=600, cwd=cwd, input=stdin)
    before = Path.cwd()
    os.chdir(cwd or before)
    try:
        return spawnfix("batch", *map(str, arguments), cache=Path(os.environ["SPAWNFIX_CACHE_DIR"]))
    finally:
        os.chdir(before)


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return found


def by_name(out: Path) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in summary(out)["repos"]}


def everything(repo: Path) -> dict[str, bytes]:
    """Every byte below `repo`."""
    return {str(path.relative_to(repo)): path.read_bytes() for path in repo.rglob("*") if path.is_file()}


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A list of a repository to migrate, a clean one, and a folder that is none."""
    make(tmp_path / "src/bad", {"train.py": PROGRAM})
    make(tmp_path / "src/good", {"train.py": "print(1)\n"})
    (tmp_path / "src/plain").mkdir()
    (tmp_path / "list.txt").write_text("# ours\nsrc/bad\n\nsrc/good\nsrc/plain\nsrc/bad\n")
    return tmp_path / "list.txt"


@pytest.mark.slow
@pytest.mark.in_process
def test_a_branch_a_patch_and_a_report_for_each_and_the_repository_untouched(three: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "src/bad", tmp_path / "out"
    before = everything(source)

    done = batch(three, "--out", out, "--jobs", "2")

    assert done.returncode == 1, done.stderr
    assert everything(source) == before
    rows = by_name(out)
    assert {name: row["status"] for name, row in rows.items()} == {
        "bad": "migrated",
        "good": "clean",
        "plain": "failed",
    }
    assert rows["bad"]["findings"] == {"lambdas": 1}
    assert (rows["bad"]["fixed"], rows["bad"]["refused"]) == (1, 0)
    assert rows["bad"]["commit"] == git(source, "rev-parse", "HEAD")
    assert rows["plain"]["reason"] == "not a git repository"
    totals = summary(out)["totals"]
    assert (totals["repos"], totals["migrated"], totals["clean"], totals["failed"]) == (3, 1, 1, 1)
    assert "failed plain: not a git repository" in done.stderr
    assert not list(out.glob("scratch*"))

    folder = out / "repos/bad"
    git(source, "fetch", "--quiet", str(folder / "branch.bundle"), "refs/heads/*:refs/heads/*")
    diff = git(source, "diff", "main", "spawnfix/migrate")
    assert "collate_fn=_loader_collate_fn" in diff
    git(source, "apply", "--check", str(folder / "changes.patch"))
    sarif = json.loads((folder / "findings.sarif").read_text())
    assert len(sarif["runs"][0]["results"]) == 1
    findings = json.loads((folder / "findings.json").read_text())
    assert findings["root"] == "bad"
    assert "lambdas" in (folder / "pull-request.md").read_text()
    with (out / "summary.csv").open(newline="") as file:
        assert [row["status"] for row in csv.DictReader(file)] == ["migrated", "clean", "failed"]
    told = batch("status", out)
    assert told.returncode == 1
    assert "1 migrated, 1 clean, 1 failed" in told.stdout


@pytest.mark.slow
@pytest.mark.in_process
def test_exit_0_when_no_repository_failed(three: Path, tmp_path: Path) -> None:
    three.write_text("src/good\n")
    assert batch(three, "--out", tmp_path / "out").returncode == 0
    assert batch("status", tmp_path / "out").returncode == 0


@pytest.mark.slow
@pytest.mark.in_process
def test_unchanged_costs_nothing_and_a_new_commit_is_looked_at(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    three.write_text("src/bad\nsrc/good\n")
    batch(three, "--out", out)
    first = by_name(out)
    stamp = (out / "repos/bad/changes.patch").stat().st_mtime_ns
    (tmp_path / "src/good/more.py").write_text(PROGRAM)
    git(tmp_path / "src/good", "add", ".")
    git(tmp_path / "src/good", "commit", "--quiet", "--message", "more")

    done = batch(three, "--out", out)

    assert done.returncode == 0, done.stderr
    assert "bad: unchanged" in done.stderr
    assert by_name(out)["bad"] == {**first["bad"], "attempts": 2}
    assert (out / "repos/bad/changes.patch").stat().st_mtime_ns == stamp
    assert by_name(out)["good"]["status"] == "migrated"
    # other flags are another question
    assert ": unchanged" not in batch(three, "--out", out, "--select", "dict-views").stderr
    assert by_name(out)["bad"]["status"] == "clean"
    # and the list of commits brings the first answer back
    lock = [json.loads(line) for line in (out / "repos.lock.jsonl").read_text().splitlines()]
    lock[1]["ref"] = first["good"]["commit"]
    (tmp_path / "lock.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lock))
    batch(tmp_path / "lock.jsonl", "--out", tmp_path / "again")
    again = by_name(tmp_path / "again")
    assert {name: (row["commit"], row["status"]) for name, row in again.items()} == {
        name: (row["commit"], row["status"]) for name, row in first.items()
    }


@pytest.mark.slow
@pytest.mark.in_process
def test_failed_ones_are_tried_again_when_asked(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch(three, "--out", out)
    (tmp_path / "src/plain").rmdir()
    make(tmp_path / "src/plain", {"a.py": "x = 1\n"})

    assert "0 of 3 repositories to do" in batch(three, "--out", out, "--resume").stderr
    done = batch(three, "--out", out, "--failed")

    assert done.returncode == 0, done.stderr
    assert "1 of 3 repositories to do" in done.stderr
    assert by_name(out)["plain"]["status"] == "clean"
    assert by_name(out)["bad"]["attempts"] == 1


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("words", [["run"], []], ids=["run", "short form"])
def test_run_and_status_are_commands_of_their_own(words: list[str], three: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert batch(*words, "--limit", "1", three, "--out", out).returncode == 0
    told = batch("status", out)
    assert told.returncode == 0 and "2 queued" in told.stdout


@pytest.mark.slow
@pytest.mark.in_process
def test_limit_leaves_the_rest_queued(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch(three, "--out", out, "--limit", "1")
    assert list(by_name(out)) == ["bad"]
    assert summary(out)["totals"]["queued"] == 2
    batch(three, "--out", out, "--resume")
    assert list(by_name(out)) == ["bad", "good", "plain"]


@pytest.mark.slow
@pytest.mark.in_process
def test_in_place_makes_the_branch_there_and_nothing_else(three: Path, tmp_path: Path) -> None:
    source = tmp_path / "src/bad"
    (source / "train.py").write_text(PROGRAM + "# at work\n")
    three.write_text("src/bad\n")
    assert batch(three, "--out", tmp_path / "out", "--in-place").returncode == 0
    assert git(source, "branch", "--show-current") == "main"
    assert (source / "train.py").read_text().endswith("# at work\n")
    assert "_loader_collate_fn" in git(source, "show", "spawnfix/migrate:train.py")
    assert batch(three, "--out", tmp_path / "again", "--in-place").returncode == 0
    assert by_name(tmp_path / "again")["bad"]["branch"] == "spawnfix/migrate"
    assert git(source, "branch", "--list", "spawnfix/*").split() == ["spawnfix/migrate"]


@pytest.mark.slow
@pytest.mark.in_process
def test_url_is_cloned_at_its_ref_and_the_branch_pushed(three: Path, tmp_path: Path) -> None:
    source, fork = tmp_path / "src/bad", tmp_path / "forks/src+bad.git"
    git(source, "tag", "v1")
    (source / "train.py").write_text("print(2)\n")
    git(source, "commit", "--quiet", "--all", "--message", "gone")
    git(tmp_path, "clone", "--quiet", "--bare", str(source), str(fork))
    three.write_text(f"file://{source}@v1\nfile://{source}@nowhere\n")
    url = f"file://{tmp_path}/forks/{{name}}.git"

    off = batch(three, "--out", tmp_path / "off")
    assert off.returncode == 1
    assert "transport 'file' is off; --allow-protocol file turns it on" in off.stderr
    done = batch(three, "--out", tmp_path / "out", "--allow-protocol", "file", "--push", "--push-remote", url)

    assert done.returncode == 1
    rows = by_name(tmp_path / "out")
    assert rows["src+bad"]["status"] == "migrated", rows
    assert rows["src+bad"]["commit"] == git(source, "rev-parse", "v1")
    assert rows["src+bad-2"]["reason"] == "no branch, tag or full commit id 'nowhere'"
    assert "_loader_collate_fn" in git(fork, "show", "spawnfix/migrate:train.py")
    # what is there already is never overwritten
    git(fork, "branch", "--force", "spawnfix/migrate", "main")
    again = batch(three, "--out", tmp_path / "again", "--allow-protocol", "file", "--push", "--push-remote", url)
    assert "can't be pushed: the branch is there already" in again.stderr
    assert git(fork, "rev-parse", "spawnfix/migrate") == git(fork, "rev-parse", "main")


@pytest.mark.slow
@pytest.mark.in_process
def test_killed_after_the_push_and_begun_again_is_no_failure(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose result was not noted does its work again, in a commit of another second."""
    fork = tmp_path / "fork.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "src/bad"), str(fork))
    three.write_text("src/bad\n")
    for year in ("2024", "2025"):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{year}-05-06T07:08:09+0000")
        options = ("--allow-protocol", "file", "--push", "--push-remote", f"file://{fork}")
        done = batch(three, "--out", tmp_path / year, *options)
        assert done.returncode == 0, done.stderr
    assert by_name(tmp_path / "2025")["bad"]["status"] == "migrated"
    assert git(fork, "log", "-1", "--format=%cd", "--date=format:%Y", "spawnfix/migrate") == "2024"


@pytest.mark.slow
@pytest.mark.in_process
def test_who_is_larger_than_the_disk_limit_is_one_failed_row(tmp_path: Path) -> None:
    big = make(tmp_path / "src/big", {"train.py": PROGRAM})
    for number in range(3):  # each small enough to be asked for, together too much
        (big / f"weights{number}.bin").write_bytes(os.urandom(3 << 20))
    git(big, "config", "uploadpack.allowFilter", "true")
    git(big, "add", "--all")
    git(big, "commit", "--quiet", "--message", "weights")
    make(tmp_path / "src/small", {"train.py": PROGRAM})
    (tmp_path / "list.txt").write_text(f"file://{big}\nfile://{tmp_path}/src/small\n")

    done = batch(tmp_path / "list.txt", "--out", tmp_path / "out", "--allow-protocol", "file", "--disk-limit", "4")

    assert done.returncode == 1
    rows = by_name(tmp_path / "out")
    assert rows["src+big"]["reason"] == "can't be cloned: larger than 4 MiB on disk"
    assert rows["src+big"]["stage"] == "obtain" and rows["src+small"]["status"] == "migrated"
    enough = batch(tmp_path / "list.txt", "--out", tmp_path / "out", "--allow-protocol", "file", "--failed")
    assert enough.returncode == 0, enough.stderr
    assert by_name(tmp_path / "out")["src+big"]["status"] == "migrated"


@pytest.mark.slow
def test_local_repository_at_a_ref(three: Path, tmp_path: Path) -> None:
    git(tmp_path / "src/good", "branch", "old")
    first = git(tmp_path / "src/good", "rev-parse", "HEAD")
    git(tmp_path / "src/good", "commit", "--quiet", "--allow-empty", "--message", "next")
    batch("-", "--out", tmp_path / "out", cwd=tmp_path, stdin="src/good@old\nsrc/g*\n")
    rows = summary(tmp_path / "out")["repos"]
    assert [row["commit"] == first for row in rows] == [True, False]


@pytest.mark.slow
@pytest.mark.in_process
def test_hostile_repositories_are_read_and_nothing_of_theirs_runs(tmp_path: Path) -> None:
    hooked = make(tmp_path / "src/hooked", {"train.py": PROGRAM, ".gitattributes": "*.py filter=evil diff=evil\n"})
    for hook in ("post-checkout", "reference-transaction", "pre-push", "post-index-change"):
        path = hooked / ".git/hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n")
        path.chmod(0o755)
    with (hooked / ".git/config").open("a") as config:
        evil = f"touch {tmp_path}/owned"
        config.write(f'[core]\nfsmonitor = "{evil}"\nsshCommand = "{evil}"\n[filter "evil"]\nsmudge = "{evil}"\n')
        config.write(f'clean = "{evil}"\nrequired = true\n[uploadpack]\npackObjectsHook = "{evil}"\n')
    linked = make(tmp_path / "src/linked", {"good.py": PROGRAM})
    (tmp_path / "secret.py").write_text(PROGRAM)
    (linked / "leak.py").symlink_to(tmp_path / "secret.py")
    (linked / "up").symlink_to("../../..")
    git(linked, "add", ".")
    git(linked, "commit", "--quiet", "--message", "links")
    huge = make(tmp_path / "src/huge", {"train.py": PROGRAM})
    (huge / "generated.py").write_bytes(b"X = [\n" + b"0, " * (48 * 2**20 // 3) + b"]\n")
    git(huge, "add", ".")
    git(huge, "commit", "--quiet", "--message", "data")
    named_ = make(tmp_path / "src/<img src=x onerror=alert(1)>", {"train.py": PROGRAM.replace("loader", "load")})
    (tmp_path / "list.txt").write_text("src/*\n")

    done = batch("list.txt", "--out", "out", "--memory-limit", "2048", cwd=tmp_path)

    assert not (tmp_path / "owned").exists()
    rows = by_name(tmp_path / "out")
    assert {row["status"] for row in rows.values()} == {"migrated"}, done.stderr
    assert len(rows) == 4
    assert rows["linked"]["findings"] == {"lambdas": 1}
    assert rows["huge"]["skipped"] == 1
    assert rows["huge"]["memory_mib"] < 300
    page = (tmp_path / "out/index.html").read_text()
    assert "<img" not in page
    assert named_.is_dir()
    assert "<img" not in (tmp_path / f"out/repos/{next(n for n in rows if 'img' in n)}/index.html").read_text()


# Tasks that stand for repositories which behave badly; children import them from this very file.


def _sleepy(spec: Any, scratch: Path) -> Outcome:
    with (Path(spec.location).parent / "started.txt").open("a") as file:
        file.write(f"{spec.name} {os.getpid()}\n")
    time.sleep(0.25)
    return Outcome(Status.CLEAN, commit="0" * 40)


def _monster(spec: Any, scratch: Path) -> Outcome:
    if spec.name == "hangs":
        subprocess.run(["sleep", "600"], check=False)
    if spec.name == "eats":
        return Outcome(Status.CLEAN, reason=str(len(b"x" * (8 * 2**30))))
    if spec.name == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if spec.name == "raises":
        raise ValueError("https://user:hunter2@example.org/x is odd")
    print("noise on stdout")
    return Outcome(Status.CLEAN, commit="0" * 40, files={"log.txt": "fine"})


RUN = "import sys; from codemods.batch.run import *; from pathlib import Path; "


def _stub(tmp_path: Path, task: str, names: list[str], **more: object) -> list[str]:
    for name in names:
        (tmp_path / "src" / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "list.txt").write_text("".join(f"src/{name}\n" for name in names))
    asked = {"list": str(tmp_path / "list.txt"), "task": f"test_batch:{task}", **more}
    given = ", ".join(f"{key}={value!r}" for key, value in asked.items())
    return [
        sys.executable,
        "-c",
        f"{RUN}sys.exit(run_batch(BatchOptions(out=Path({str(tmp_path / 'out')!r}), {given})))",
    ]


@pytest.mark.slow
def test_who_hangs_eats_all_memory_or_dies_is_one_failed_row(tmp_path: Path) -> None:
    names = ["hangs", "eats", "dies", "raises", "fine"]
    run = _stub(tmp_path, "_monster", names, limits=Limits(15, 1024, 100), jobs=2)  # a busy machine starts slowly
    done = subprocess.run(run, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    rows = by_name(tmp_path / "out")
    assert list(rows) == names
    assert rows["hangs"]["reason"] == "took longer than 15 seconds"
    assert rows["eats"]["reason"] == "needs more than 1024 MiB of memory"
    assert rows["dies"]["reason"] == "the process that worked on it died (signal 11)"
    assert "Fatal Python error: Segmentation fault" in (tmp_path / "out/repos/dies/log.txt").read_text()
    assert rows["raises"]["reason"].startswith("internal error (please report it): ValueError")
    assert rows["fine"]["status"] == "clean"
    left = b"".join(everything(tmp_path / "out").values())
    assert b"hunter2" not in left
    assert not [line for line in _processes() if line.endswith("sleep 600")]


def _processes() -> list[str]:
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
def test_killed_in_the_middle_and_resumed_does_nothing_twice(tmp_path: Path) -> None:
    names = [f"r{number:02}" for number in range(24)]
    run = _stub(tmp_path, "_sleepy", names, jobs=2)
    process = subprocess.Popen(run, stderr=subprocess.DEVNULL)
    started = tmp_path / "src/started.txt"
    while not started.exists() or len(started.read_text().splitlines()) < 8:
        assert process.poll() is None
        time.sleep(0.02)
    with pytest.raises(Problem, match="another batch is at work there"), only_one(tmp_path / "out"):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    ledger = Ledger(tmp_path / "out")
    before = [row.name for row in ledger.rows() if row.state is State.DONE]
    ledger.close()
    assert 4 <= len(before) < 24

    run = _stub(tmp_path, "_sleepy", names, jobs=2, resume=True)
    done = subprocess.run(run, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stderr
    assert list(by_name(tmp_path / "out")) == names
    times = [line.split()[0] for line in started.read_text().splitlines()]
    assert all(times.count(name) == 1 for name in before)
    assert set(times) == set(names)
    assert len(times) <= len(names) + 6  # again: two at work when it died, and what was not yet in the ledger
    pids = {int(line.split()[1]) for line in started.read_text().splitlines()}
    deadline = time.monotonic() + 300  # one that lives on fails the test; a busy machine does not
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_alive(pid) for pid in pids)


@pytest.mark.slow
def test_killed_between_the_files_of_a_result_and_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other flags: what the ledger knows from before no longer speaks of the files that are there."""
    make(tmp_path / "one", {"a.py": PROGRAM})
    (tmp_path / "repos.txt").write_text("one\n")
    patch = tmp_path / "out/repos/one/changes.patch"
    everything_asked = BatchOptions(str(tmp_path / "repos.txt"), tmp_path / "out", jobs=1)
    assert run_batch(everything_asked) == 0
    whole = patch.read_bytes()

    def killed(*given: Any) -> None:
        write_files(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("codemods.batch.run.write_files", killed)
        with pytest.raises(KeyboardInterrupt):
            run_batch(dataclasses.replace(everything_asked, flags=Flags(ignore="lambdas")))
    assert not patch.exists()
    assert run_batch(everything_asked) == 0
    assert patch.read_bytes() == whole


def _alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self").exists():
        return status.exists() and ") Z " not in status.read_text()
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def test_one_row_even_when_a_result_comes_twice(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enlist([Repo("a", "/a", "/a")], {})
    ledger.start("a")
    assert ledger.finish("a", Outcome(Status.CLEAN, commit="1"), "s", "v")
    assert not ledger.finish("a", Outcome(Status.FAILED, commit="2"), "s", "v")
    assert [row.outcome.status for row in ledger.rows() if row.outcome] == ["clean"]
    ledger.close()


@pytest.mark.parametrize(
    ("line", "name", "source", "ref"),
    [
        pytest.param("https://h.org/o/n.git", "o+n", "https://h.org/o/n.git", None, id="plain"),
        pytest.param("https://h.org/o/n@v1/x", "o+n", "https://h.org/o/n", "v1/x", id="ref with a slash"),
        pytest.param("git@h.org:o/n.git@main", "o+n", "git@h.org:o/n.git", "main", id="scp form"),
        pytest.param("ssh://git@h.org:22/o/n", "o+n", "ssh://h.org:22/o/n", None, id="a user is no ref"),
        pytest.param("https://u:p@h.org/o/n@v1", "o+n", "https://h.org/o/n", "v1", id="a password stays ours"),
        pytest.param("https://h.org/o/n?private_token=abc", "o+n", "https://h.org/o/n", None, id="token"),
        pytest.param("ext::sh -c evil", "repo", "ext::sh -c evil", None, id="a program as transport is a remote"),
    ],
)
def test_urls(line: str, name: str, source: str, ref: str | None, tmp_path: Path) -> None:
    (repo,) = parse_list(line, tmp_path, "list")
    assert (repo.source, repo.ref, repo.remote) == (source, ref, True)
    assert repo.name == name or line.startswith("ext")


def test_columns_of_csv_and_json_lines(tmp_path: Path) -> None:
    for text in (
        'stars,url,ref\n5,https://h.org/o/n,v1\n1,"https://h.org/o/m",\n',
        '{"repo": "https://h.org/o/n", "ref": "v1", "stars": 5}\n{"repo": "https://h.org/o/m", "ref": null}\n',
    ):
        found = named(parse_list(text, tmp_path, "list"))
        assert [(repo.name, repo.ref) for repo in found] == [("o+n", "v1"), ("o+m", None)]


def test_names_lead_nowhere_else(tmp_path: Path) -> None:
    for wild in ("../../etc/passwd", "..", "-rf", "a/b\\c:d", "con", "nul.txt", "", "x" * 300, "a\nb", "é"):
        name = safe_name(wild)
        assert name and len(name) <= 105
        assert (tmp_path / name).parent == tmp_path
        assert name[0] not in ".-" and name == Path(name).name
    same = named([Repo("A", "1", "1"), Repo("a", "2", "2"), Repo("A", "1", "1"), Repo("a-2", "3", "3")])
    assert [repo.name for repo in same] == ["A", "a-2", "a-2-2"]


def test_passwords_are_no_arguments_of_git() -> None:
    spec = Spec("n", "https://me:s%40cret@h.org/x", "https://h.org/x", None, True, "v", protocols=("https",))
    call = network(spec, spec.location)
    assert call["config"]["remote.origin.url"] == "https://h.org/x"
    assert call["credentials"] == "https://me:s%40cret@h.org"
    assert "cret" not in str({**call, "credentials": None})


def test_secrets_of_urls() -> None:
    for url in (
        "https://me:s3cret@h.org/x?access_token=s3cret&a=1",
        "https://me:s3cret@s3cret@h.org/x",
        "https://me:s3cret/s3cret@h.org/x",
        "https://s3cret@h.org:8080/x#s3cret",
        "ssh://me:s3cret@h.org/x",
    ):
        shown = without_secrets(f"fatal: '{url}' not found")
        assert "s3cret" not in shown and "h.org" in shown and shown.endswith("' not found")
    for plain in ("https://h.org:8080/o/n@v1", "https://h.org/o/n@v1/x", "git@h.org:o/n"):
        assert without_secrets(plain) == plain


@pytest.mark.slow
@pytest.mark.in_process
def test_wrong_use_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("# nothing\n")
    for arguments, words in (
        (("nowhere.txt",), "No such file"),
        (("empty.txt",), "lists no repository"),
        (("status", "nowhere"), "no batch was run there"),
        (("a.txt", "b.txt"), "unexpected extra argument"),
        (("run", "a.txt", "b.txt"), "unexpected extra argument"),
        (("--out", "o"), "Missing argument 'REPOS_FILE'"),
        ((), "Missing argument 'REPOS_FILE'"),
        (("empty.txt", "--push-remote", "x"), "--push-remote goes with --push"),
        (("empty.txt", "--select", "lamdas"), "did you mean 'lambdas'"),
    ):
        monkeypatch.setattr(sys, "argv", ["spawnfix", "batch", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert words in capsys.readouterr().err


def test_flags_and_limits_survive_the_way_to_another_process() -> None:
    spec = Spec(
        "n", "l", "s", "r", True, "v", flags=Flags(select="lambdas"), limits=Limits(1, 2, 3), protocols=("https",)
    )
    assert Spec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


# a remote that is no local path: git's own HTTP backend on loopback, behind a password


class _Backend(http.server.BaseHTTPRequestHandler):
    """Hands requests to `git http-backend`, as a web server does by CGI."""

    root: Path
    password = "Basic " + b64encode(b"ada:hunter2").decode()

    def _serve(self) -> None:
        if self.headers.get("Authorization") != self.password:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        env = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type") or "",
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": "ada",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _serve

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server for the repositories in tmp_path/web, with the password in it."""
    if subprocess.run(["git", "http-backend"], capture_output=True, check=False).returncode == 1:
        pytest.skip("git comes without http-backend here")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    handler = type("Handler", (_Backend,), {"root": tmp_path / "web"})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://ada:hunter2@127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _published(folder: Path, filters: bool) -> Path:
    """A bare repository with two commits, the first one tagged, and a file too large to be read, as a server has it."""
    work = make(folder.with_name(f"{folder.stem}-work"), {"train.py": PROGRAM, "old.py": "x = 1\n"})
    git(work, "tag", "v1")
    (work / "weights.bin").write_bytes(os.urandom(5 << 20))
    (work / "old.py").unlink()
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "weights")
    git(folder.parent, "clone", "--quiet", "--bare", str(work), str(folder))
    git(folder, "config", "uploadpack.allowFilter", str(filters).lower())
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(folder, "config", "http.receivepack", "true")
    return folder


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("filters", [True, False])
def test_clones_from_a_server_are_shallow_and_the_password_is_kept_nowhere(
    tmp_path: Path, web: str, filters: bool
) -> None:
    (tmp_path / "web/me").mkdir(parents=True)
    bare = _published(tmp_path / "web/me/tool.git", filters)
    commit = git(bare, "rev-parse", "HEAD")
    first = git(bare, "rev-parse", "v1")
    base = web.replace("ada:hunter2@", "")
    (tmp_path / "list.txt").write_text(
        f"{web}/me/tool.git\n{web}/me/tool.git@v1\n{web}/me/tool.git@{first}\n{base}/me/tool\n{web}/me/none.git\n"
    )

    done = batch(tmp_path / "list.txt", "--out", tmp_path / "out", "--push", "--jobs", "1")

    rows = by_name(tmp_path / "out")
    assert {name: row["status"] for name, row in rows.items()} == {
        "me+tool": "migrated",
        "me+tool-2": "failed",  # the branch is there by then, from another commit
        "me+tool-3": "failed",
        "me+tool-4": "failed",
        "me+none": "failed",
    }, done.stderr
    assert rows["me+tool"]["pushed"] == f"{base}/me/tool.git" and rows["me+tool"]["commit"] == commit
    assert "_loader_collate_fn" in git(bare, "show", "spawnfix/migrate:train.py")
    assert "the branch is there already" in rows["me+tool-2"]["reason"]
    assert "the branch is there already" in rows["me+tool-3"]["reason"]
    assert "could not read" in rows["me+tool-4"]["reason"]  # no password, and nobody is asked for one
    assert "not found" in rows["me+none"]["reason"]
    left = b"".join(everything(tmp_path / "out").values()) + done.stderr.encode() + done.stdout.encode()
    assert b"hunter2" not in left and b64encode(b"ada:hunter2") not in left and b"hunter2" not in left.lower()


def test_a_clone_from_a_server_has_neither_history_nor_large_files(tmp_path: Path, web: str) -> None:
    (tmp_path / "web/me").mkdir(parents=True)
    bare = _published(tmp_path / "web/me/tool.git", True)
    spec = Spec("me+tool", f"{web}/me/tool.git", "x", None, True, "1", protocols=("http",))
    clone = obtain(spec, resolve(spec, tmp_path / "asked"), tmp_path / "clone")
    shown = clone.git("cat-file", "--batch-check=%(objecttype) %(objectsize)", "--batch-all-objects").decode()
    objects = [line.split() for line in shown.splitlines()]
    assert [kind for kind, _ in objects].count("commit") == 1
    assert max(int(size) for _, size in objects) < 1 << 20
    assert git(bare, "rev-parse", "HEAD") in clone.git("rev-parse", "refs/spawnfix/base").decode()
    assert b"hunter2" not in b"".join(everything(tmp_path / "clone").values())


@pytest.mark.slow
@pytest.mark.in_process
def test_a_redirect_does_not_get_the_password(tmp_path: Path, web: str) -> None:
    """The host in the address sends us on to another one, which asks for a password too."""
    (tmp_path / "web/me").mkdir(parents=True)
    _published(tmp_path / "web/me/tool.git", True)
    seen: dict[str, list[str | None]] = {"Thief": [], "Friend": []}

    class Thief(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen[type(self).__name__].append(self.headers.get("Authorization"))
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Thief) as thief:
        thread = threading.Thread(target=thief.serve_forever, daemon=True)
        thread.start()

        class Friend(Thief):
            def do_GET(self) -> None:
                if self.headers.get("Authorization") != _Backend.password:
                    super().do_GET()
                    return
                self.send_response(302)
                self.send_header("Location", f"http://localhost:{thief.server_port}{self.path}")
                self.send_header("Content-Length", "0")
                self.end_headers()

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Friend) as friend:
            other = threading.Thread(target=friend.serve_forever, daemon=True)
            other.start()
            (tmp_path / "list.txt").write_text(f"http://ada:hunter2@127.0.0.1:{friend.server_port}/me/tool.git\n")
            done = batch(tmp_path / "list.txt", "--out", tmp_path / "out")
            friend.shutdown()
        thief.shutdown()
    assert done.returncode == 1, done.stderr
    assert seen["Friend"] and seen["Thief"], "both were asked"
    assert set(seen["Thief"]) == {None}
    assert "hunter2" not in done.stderr
