"""What is asked of a run with a fault: jobs, the states that they may end in, and with which exit status.

`points` puts a fault before every step (see faults.py), `full_disk` leaves less and less room on a real file system.
Used by tests/delivery/test_crash_safety.py and benchmarks/faults.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.torture import BODY, NEW, OLD, tree

ROOT = Path(__file__).resolve().parents[2]
FIXED = BODY.replace(OLD, NEW).encode()
MADE = "def build():\n    return lambda: 1\n"
SECONDS = 300
LIKE_DISK = ("disk", "io", "denied", "full")  # faults that a run goes on after, to undo and to say what happened
REMOVING = ("shutil.rmtree", "os.rmdir", "os.remove")
STATUS = {  # how a run may end, by what befell it (-9: killed, -14: by the alarm of `soon`); 0: all is done
    "kill": (-9,),
    "group": (-9,),
    "soon": (-14, 0),
    "interrupt": (130,),
    **dict.fromkeys(LIKE_DISK, (0, 2)),
}
BATCH_STATUS = {  # 1: a repository failed, and is named
    "kill": (-9,),
    "group": (-9,),
    "soon": (-14, 0),
    "interrupt": (130,),
    **dict.fromkeys(LIKE_DISK, (0, 1, 2)),
    "child-kill": (1,),
    "child-soon": (0, 1),
    "child-disk": (0, 1),
    "child-io": (0, 1),
}
Row = dict[str, Any]
Judge = Callable[[Path, str, Row], str]


@dataclass(frozen=True)
class Job:
    """`build` makes the folder that `arguments` (with FOLDER in its place) work on, and gives what judges a run."""

    build: Callable[[Path], Judge]
    arguments: tuple[str, ...]


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *arguments], capture_output=True, check=True, timeout=SECONDS)
    return done.stdout.decode().strip()


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


def repository(repo: Path) -> None:
    """A repository with three files to fix, and work that is not committed yet."""
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
    fixed = {"a.py": (FIXED, 0o644), "pkg/b.py": (FIXED, 0o644), "pkg/c.py": (FIXED, 0o755)}
    whole = after["tree"] == {**before["tree"], **fixed}  # type: ignore[dict-item]
    head = after["head"] == "ref: refs/heads/spawnfix/migrate\n"
    return "after" if whole and head and "staged.txt" in str(after["index"]) else "between"


def _allowed(fault: str, row: Row, table: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The exit codes of `table`, and 0 for Ctrl-C while our own folder is removed, at the end, when all is done."""
    leaving = fault == "interrupt" and str(row["event"]).startswith(REMOVING)
    return (*table[fault], 0) if leaving else table[fault]


def _said(place: Path) -> str:
    errors = (place / "stderr").read_text()
    assert "Traceback" not in errors, errors
    return errors


def in_git(folder: Path) -> Judge:
    """`migrate` in a repository: all as before, a branch more, or the branch checked out."""
    repository(folder)
    before = state(folder)

    def judged(place: Path, fault: str, row: Row) -> str:
        after = settled(place / "repo")
        found = outcome(before, after)
        assert found in ("before", "branch", "after"), (found, after)
        assert row["status"] in _allowed(fault, row, STATUS)
        assert row["status"] != 0 or found == "after", after
        assert git(place / "repo", "fsck", "--no-dangling", "--connectivity-only") == ""
        errors = _said(place)
        if fault in LIKE_DISK:
            assert row["status"] == 0 or len(re.findall("^spawnfix: ", errors, re.MULTILINE)) == 1, errors
            removing = "rmtree" in str(row["event"]) or "os.r" in str(row["event"])
            assert removing or not list((place / "tmp").iterdir())
        return found

    return judged


def in_place(folder: Path) -> Judge:
    """`migrate --no-git`: each file whole; a kill may leave some to the next run, which clears up; nothing else may."""
    folder.mkdir()
    for name in ("a.py", "b.py"):
        (folder / name).write_text(BODY)
    before = tree(folder)

    def judged(place: Path, fault: str, row: Row) -> str:
        folder = place / "repo"
        after = {name: data for name, (data, _) in tree(folder).items()}
        both = [after["a.py"], after["b.py"]]
        assert set(both) <= {BODY.encode(), FIXED}
        assert row["status"] in STATUS[fault]
        assert row["status"] != 0 or both == [FIXED, FIXED]
        errors = _said(place)
        if fault not in ("kill", "group", "soon"):
            assert set(after) == set(before), after
            if row["status"] == 2:
                assert both == [BODY.encode()] * 2 or "os.rename" in str(row["event"]), errors
        elif set(after) != set(before):
            again = [sys.executable, str(ROOT / "cli.py"), "migrate", "--no-git", str(folder)]
            subprocess.run(again, check=True, capture_output=True, timeout=SECONDS)
            assert {name: data for name, (data, _) in tree(folder).items()} == dict.fromkeys(before, FIXED)
        return {0: "before", 1: "one file", 2: "after"}[both.count(FIXED)]

    return judged


PATCH = ("migrate", "--no-git", "--dry-run", "--patch", "FOLDER/report", "FOLDER")
SAVE = ("diagnose", "--no-child", "--save", "FOLDER/report", "FOLDER/made.py:build()")


def report(arguments: tuple[str, ...]) -> Callable[[Path], Judge]:
    """A report that a command writes: as before or whole; what a kill leaves beside it goes with the next run."""
    saves = arguments is SAVE
    done = 1 if saves else 0  # diagnose finds a problem

    def build(folder: Path) -> Judge:
        folder.mkdir()
        (folder / "a.py").write_text(BODY)
        (folder / "made.py").write_text(MADE)
        (folder / "report").write_text("old\n")
        return judged

    def names(place: Path) -> set[str]:
        return {path.name for path in (place / "repo").iterdir()} - {"__pycache__"}

    def judged(place: Path, fault: str, row: Row) -> str:
        text = (place / "repo/report").read_text()
        assert text == "old\n" or (json.loads(text)["problems"] if saves else NEW in text)
        assert row["status"] in {*STATUS[fault]} - {0} | ({done} if 0 in STATUS[fault] else set())
        assert (text != "old\n") == (row["status"] == done) or row["status"] not in (0, 1, 2)
        _said(place)
        if fault in ("kill", "group", "soon") and ".spawnfix" in str(names(place)):
            again = [sys.executable, str(ROOT / "cli.py"), *arguments]
            subprocess.run([word.replace("FOLDER", str(place / "repo")) for word in again], timeout=SECONDS)
        assert names(place) == {"a.py", "made.py", "report"}
        return "before" if text == "old\n" else "after"

    return build


def batch(in_place: bool) -> Callable[[Path], Judge]:
    """A batch of two repositories: each has its branch or has not, nothing else; begun again, it has all of it."""
    names = {"one": "a.py", "two": "b.py"}
    before: dict[str, dict[str, object]] = {}
    arguments = _BATCH_IN_PLACE if in_place else _BATCH

    def build(template: Path) -> Judge:
        for name, file in names.items():
            (template / name).mkdir(parents=True)
            (template / name / file).write_text(BODY)
            git(template / name, "init", "-q")
            git(template / name, "add", ".")
            git(template / name, "commit", "-q", "-m", "one")
            (template / name / file).write_text("work under way\n")
        (template / "list.txt").write_text("one\ntwo\n")
        before.update({name: state(template / name) for name in names})
        return judged

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

    def judged(place: Path, fault: str, row: Row) -> str:
        all_of_it = list(names) if in_place else []
        there = branches(place / "repo")
        assert set(there) <= set(all_of_it)
        assert row["status"] in _allowed(fault, row, BATCH_STATUS)
        assert row["status"] != 0 or there == all_of_it, there
        _said(place)
        again = [word.replace("FOLDER", str(place / "repo")) for word in (*arguments, "--failed")]
        done = subprocess.run(
            [sys.executable, ROOT / "cli.py", *again], capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr
        assert branches(place / "repo") == all_of_it
        out = place / "repo/out"
        rows = json.loads((out / "summary.json").read_text())["repos"]
        assert [each["status"] for each in rows] == ["migrated", "migrated"]
        files = [file for each in rows for file in each["report"].values()]
        assert all((out / file).is_file() for file in files) and len(files) >= 10
        assert not [path for path in out.rglob("*") if path.name.endswith(".new") or path.name.startswith("scratch")]
        return f"{len(there)} of {len(all_of_it)} branches" if in_place else "untouched"

    return build


_BATCH = ("batch", "FOLDER/list.txt", "--jobs", "1", "--out", "FOLDER/out")
_BATCH_IN_PLACE = ("batch", "FOLDER/list.txt", "--in-place", "--jobs", "1", "--out", "FOLDER/out")
JOBS = {
    "migrate": Job(in_git, ("migrate", "FOLDER")),
    "migrate --no-git": Job(in_place, ("migrate", "--no-git", "FOLDER")),
    "migrate --patch": Job(report(PATCH), PATCH),
    "diagnose --save": Job(report(SAVE), SAVE),
    "batch": Job(batch(False), _BATCH),
    "batch --in-place": Job(batch(True), _BATCH_IN_PLACE),
}


def own_home(folder: Path) -> dict[str, str]:
    """The environment of a user with a name, and nothing of the tester's own."""
    (folder / "home").mkdir()
    (folder / "home/.gitconfig").write_text(
        "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept, "HOME": str(folder / "home"), "GIT_CONFIG_NOSYSTEM": "1", "SPAWNFIX_CACHE_DIR": str(folder / "cache"),
        "GIT_AUTHOR_DATE": "2024-05-06T07:08:09+0000", "GIT_COMMITTER_DATE": "2024-05-06T07:08:09+0000",
    }  # fmt: skip


def points(fault: str, stride: int, template: Path, scratch: Path, *arguments: str) -> Iterator[tuple[Path, Row]]:
    """One place and row a run, as it is over: at least as many as the job is known to take."""
    program = str(ROOT / "tests/harness/faults.py")
    command = [sys.executable, program, fault, str(stride), str(template), str(scratch), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            for line in process.stdout:
                row = json.loads(line)
                if "step" in row:
                    yield scratch / f"{fault}-{row['step']}", row
            assert process.wait(SECONDS) == 0, process.stderr.read()
        finally:
            process.kill()


def full_disk(job: Job, place: Path, free: int, inodes: bool, separate_tmp: bool) -> tuple[Judge, Row]:
    """The job on a real file system, mounted at `place`, with room for `free` KiB more, or for `free` more files.

    For who may mount one, in a mount namespace of its own. The file system stays mounted, with what filled it removed.
    """
    options = "size=64m,nr_inodes=4000" if inodes else "size=4m,nr_inodes=4000"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "spawnfix", str(place)], check=True)
    judge = job.build(place / "repo")
    (place / "tmp").mkdir()
    fill = _files_that_fill if inodes else _bytes_that_fill
    remove = fill(place, free)
    tmp = Path(f"{place}-tmp") if separate_tmp else place / "tmp"
    tmp.mkdir(exist_ok=True)
    cache = Path(f"{place}-cache") if separate_tmp else place / "cache"
    environment = {**os.environ, "TMPDIR": str(tmp), "SPAWNFIX_CACHE_DIR": str(cache)}
    words = [word.replace("FOLDER", str(place / "repo")) for word in job.arguments]
    command = [sys.executable, str(ROOT / "cli.py"), *words]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS)
    remove()
    (place / "stderr").write_bytes(done.stdout + done.stderr)
    return judge, {"step": free, "event": f"{free} {'files' if inodes else 'KiB'} free", "status": done.returncode}


def _bytes_that_fill(place: Path, free: int) -> Callable[[], None]:
    filler, room = place / "filler", os.statvfs(place)
    filler.write_bytes(bytes(max(0, room.f_bfree * room.f_frsize - free * 1024)))
    return filler.unlink


def _files_that_fill(place: Path, free: int) -> Callable[[], None]:
    folder = place / "filler"
    folder.mkdir()
    for number in range(max(0, os.statvfs(place).f_ffree - free)):
        (folder / str(number)).touch()
    return lambda: shutil.rmtree(folder)
