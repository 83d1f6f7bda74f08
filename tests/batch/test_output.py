"""The output folder of a batch: nothing of the user's is removed or replaced, whatever --out names."""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.batch.output import MARKER, claim
from codemods.batch.run import BatchOptions, run_batch
from codemods.operating_system import remove_folder
from codemods.problem import Problem
from harness.repositories import git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a repository, which has work that is not committed, and a list that names it."""
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    work = tmp_path / "work"
    (work / "repos/foo").mkdir(parents=True)
    (work / "repos/foo/a.py").write_text("x = 1\n")
    git(work / "repos/foo", "init", "-q")
    git(work / "repos/foo", "add", ".")
    git(work / "repos/foo", "commit", "-q", "-m", "one")
    (work / "repos/foo/notes.txt").write_text("not committed\n")
    (work / "list.txt").write_text("repos/*\n")
    return work


def batch(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`spawnfix batch` in this process; it starts one for each repository."""
    before = Path.cwd()
    os.chdir(cwd)
    try:
        return spawnfix("batch", *arguments, cache=Path(os.environ["SPAWNFIX_CACHE_DIR"]))
    finally:
        os.chdir(before)


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refused(place: Path, out: str, words: str) -> None:
    before = everything(place)
    done = batch(place, "list.txt", "--out", out)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("spawnfix: ") and words in done.stderr and done.stderr.count("\n") == 1
    assert everything(place) == before


def test_scratch_folder_of_the_user_stays(place: Path) -> None:
    (place / "scratch").mkdir()
    (place / "scratch/thesis.txt").write_text("years\n")
    refused(place, ".", "contains")


def test_folder_with_something_in_it(place: Path) -> None:
    for name, inside in (("mine", "scratch"), ("old", "ledger.sqlite3")):
        (place / name).mkdir()
        (place / name / inside).mkdir() if inside == "scratch" else (place / name / inside).write_bytes(b"")
        refused(place, name, "is not empty and was not made by spawnfix batch")


@pytest.mark.slow
@pytest.mark.parametrize("out", ["repos", "repos/foo", "repos/foo/out", "repos/foo/.git"])
def test_folder_around_or_in_a_repository_of_the_list(place: Path, out: str) -> None:
    refused(place, out, "a repository of the list")


def test_folder_that_is_a_link(place: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/scratch").mkdir()
    (tmp_path / "elsewhere/scratch/a.txt").write_text("mine\n")
    (place / "spawnfix-batch").symlink_to(tmp_path / "elsewhere")
    refused(place, "spawnfix-batch", "is a symbolic link")
    assert (tmp_path / "elsewhere/scratch/a.txt").exists()


@pytest.mark.slow
def test_links_that_a_stranger_put_into_an_output_folder(place: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere/foo").mkdir(parents=True)
    (tmp_path / "elsewhere/foo/index.html").write_text("mine\n")
    (place / "out").mkdir()
    (place / "out" / MARKER).write_text("")
    (place / "out/repos").symlink_to(tmp_path / "elsewhere")
    refused(place, "out", "is a symbolic link")
    (place / "out/repos").unlink()
    (place / "out/repos").mkdir()
    (place / "out/repos/foo").symlink_to(tmp_path / "elsewhere/foo")
    done = batch(place, "list.txt", "--out", "out")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert (tmp_path / "elsewhere/foo/index.html").read_text() == "mine\n"
    assert [path.name for path in (tmp_path / "elsewhere/foo").iterdir()] == ["index.html"]


@pytest.mark.slow
def test_what_people_put_beside_the_report_stays(place: Path) -> None:
    assert batch(place, "list.txt", "--out", "out").returncode == 0
    (place / "out/repos/foo/review.txt").write_text("looks good\n")
    (place / "out/scratch").mkdir()
    (place / "out/scratch/mine.txt").write_text("mine\n")
    assert batch(place, "list.txt", "--out", "out", "--ignore", "lambdas").returncode == 0
    assert (place / "out/repos/foo/review.txt").read_text() == "looks good\n"
    assert (place / "out/scratch/mine.txt").exists()
    assert not list((place / "out").glob("scratch-*"))


@pytest.mark.slow
def test_another_list_does_not_replace_the_report_of_the_first(place: Path) -> None:
    assert batch(place, "list.txt", "--out", "out").returncode == 0
    report = (place / "out/summary.json").read_bytes()
    (place / "bar").mkdir()
    git(place / "bar", "init", "-q")
    git(place / "bar", "commit", "-q", "--allow-empty", "-m", "one")
    (place / "other.txt").write_text("bar\n")
    done = batch(place, "other.txt", "--out", "out")
    assert done.returncode == 2 and "has the batch of another list, list.txt" in done.stderr
    assert (place / "out/summary.json").read_bytes() == report
    (place / "other.txt").write_text("bar\nrepos/foo\n")
    assert batch(place, "other.txt", "--out", "out").returncode == 0, "a longer list is a batch that grows"


def test_push_of_what_has_no_remote_is_refused_before_the_work(place: Path) -> None:
    done = batch(place, "list.txt", "--out", "out", "--push")
    assert done.returncode == 2 and "--push-remote" in done.stderr
    assert not (place / "out").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs permissions")
def test_read_only_files_and_folders_are_removed_and_links_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a").write_text("mine\n")
    ours = tmp_path / "ours"
    (ours / "pack").mkdir(parents=True)
    (ours / "pack/a.pack").write_bytes(b"")
    (ours / "pack/link").symlink_to(tmp_path / "mine")
    (ours / "pack/a.pack").chmod(0o400)
    (ours / "pack").chmod(0o500)
    may_not = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override"]  # root may do anything
    code = f"import pathlib, codemods.operating_system as system; system.remove_folder(pathlib.Path({str(ours)!r}))"
    subprocess.run([*may_not, sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)
    assert not ours.exists()
    assert (tmp_path / "mine/a").read_text() == "mine\n"
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    remove_folder(tmp_path / "link")
    assert (tmp_path / "mine/a").exists()


@pytest.mark.slow
def test_interrupted_batch_says_how_to_go_on(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(place)
    (place / "my list.txt").write_text("repos/foo\n")
    asked = BatchOptions("my list.txt", Path("out"), jobs=1)
    with monkeypatch.context() as patched:
        patched.setattr("codemods.batch.run.write_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_batch(asked)
    hint = capsys.readouterr().err.partition("go on with:  ")[2].splitlines()[0]
    assert shlex.split(hint) == ["spawnfix", "batch", "my list.txt", "--out", "out", "--resume"]
    assert not list((place / "out").glob("scratch-*"))
    assert batch(place, *shlex.split(hint)[2:]).returncode == 0
    assert (place / "out/repos/foo/findings.json").exists()


@pytest.mark.slow
def test_full_disk_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.chdir(place)
    monkeypatch.setattr("codemods.batch.ledger.Ledger.finish", full)
    with pytest.raises(Problem, match=r"^out: the ledger can't be written: database or disk is full$"):
        run_batch(BatchOptions("list.txt", Path("out"), jobs=1))


@pytest.mark.parametrize("part", [0, 20])
def test_a_marker_that_was_cut_as_it_was_written_is_written_again(part: int, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    claim(folder, ())
    whole = (folder / MARKER).read_bytes()
    (folder / MARKER).write_bytes(whole[:part])
    claim(folder, ())
    assert (folder / MARKER).read_bytes() == whole
    (folder / MARKER).write_bytes(whole[:part])
    (folder / "report.md").write_text("somebody's")
    with pytest.raises(Problem, match="use another --out"):
        claim(folder, ())


def test_run_is_what_is_meant_without_a_sub_command(place: Path) -> None:
    named, short = batch(place, "run", "none.txt"), batch(place, "none.txt")
    assert named.returncode == short.returncode == 2
    assert "none.txt" in short.stderr and named.stderr == short.stderr
