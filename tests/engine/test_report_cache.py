"""Whole reports between runs: what is recalled is what a run would find, whatever happened to files or cache."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codemods import transforms
from codemods.engine import recorded, report_cache
from codemods.engine.migrate import check
from codemods.engine.report_cache import ReportCache, within
from codemods.engine.results import Report
from codemods.finding import Confidence, Skipped
from codemods.settings import Settings
from codemods.tree import stamps
from codemods.tree.directory import DirectoryFiles, Selected

SETTINGS = Settings(select=("lambdas", "dict-views"), confidence=Confidence.POSSIBLE)
LOADER = "from torch.utils.data import DataLoader\n"
FILES = {
    "train.py": f"{LOADER}from data import Data, key\n\nDataLoader(Data(), num_workers=2, collate_fn=key)\n",
    "data/__init__.py": "from .sets import Data\n\nkey = lambda b: b\n",
    "data/sets.py": "class Data:\n    def __init__(self):\n"
    "        self.names = {1: 2}.values()\n        self.f = lambda x: x\n",
    "notes.md": "no code\n",
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "repository"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def files(folder: Path) -> Selected:
    return Selected(DirectoryFiles(folder))


def recalled(folder: Path) -> Report | None:
    return ReportCache(files(folder), ("flags",)).recall()


def answer(folder: Path) -> Report:
    """As the command does it."""
    cache = ReportCache(files(folder), ("flags",))
    report = cache.recall()
    if report is None:
        report = check(cache.files, SETTINGS)
        cache.keep(report)
    return report


def rows(tmp_path: Path, change: str, *values: object) -> None:
    database = sqlite3.connect(tmp_path / "cache/reports.sqlite")
    database.execute(change, values)
    database.commit()
    database.close()


def test_what_did_not_change_is_not_looked_at_again(repository: Path) -> None:
    first = answer(repository)
    assert {finding.rule for finding in first.findings} == {"lambdas", "dict-views"}
    assert recalled(repository) == first


def test_other_question_has_another_answer(repository: Path) -> None:
    answer(repository)
    assert ReportCache(files(repository), ("other flags",)).recall() is None


def edits(folder: Path, dice: random.Random) -> None:
    """One change of any kind."""
    every = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    python = [path for path in every if path.suffix == ".py"]
    kind = dice.choice(["append", "same size", "new", "remove", "rename", "mode", "back", "touch", "link", "folder"])
    chosen = dice.choice(python) if python else None
    if kind == "new" or chosen is None:
        name = dice.choice(["extra.py", "data/more.py", "pyproject.toml", "run.sh", "build/x.py"])
        (folder / name).parent.mkdir(exist_ok=True)
        text = "[tool.spawnfix]\nexclude = ['data/**']\n" if name.endswith("toml") else FILES["train.py"]
        (folder / name).write_text(text)
    elif kind == "append":
        chosen.write_text(chosen.read_text() + dice.choice(["\nkey = 1\n", "\nh = lambda: 0\n", "\n# words\n"]))
    elif kind == "same size":  # and time: only the inode's own clock tells
        status, text = chosen.stat(), chosen.read_text()
        chosen.write_text(
            text.replace("lambda", "lambbb", 1) if dice.random() < 0.5 else text.replace("values", "valuez")
        )
        os.utime(chosen, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif kind == "remove":
        chosen.unlink()
    elif kind == "rename":
        chosen.rename(chosen.with_name("r" + chosen.name))
    elif kind == "mode":
        chosen.chmod(dice.choice([0o755, 0o644]))
    elif kind == "touch":
        os.utime(chosen)
    elif kind == "link" and chosen.parent != folder and not chosen.parent.is_symlink():
        chosen.parent.rename(folder.with_name(f"away{dice.random()}"))
        chosen.parent.symlink_to(sorted(folder.parent.glob("away*"))[-1])
    elif kind == "folder":
        shutil.copytree(folder / "data", folder / f"copy{dice.randrange(3)}", dirs_exist_ok=True, symlinks=True)
    else:
        for path, text in FILES.items():
            if not (folder / path).parent.is_symlink():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_text(text)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_any_edit_that_changes_the_answer_changes_what_is_recalled(repository: Path, seed: int) -> None:
    dice = random.Random(seed)
    known = 0
    for _ in range(25):
        if dice.random() < 0.8:
            edits(repository, dice)
        known += recalled(repository) is not None
        report = answer(repository)
        assert report == check(files(repository), SETTINGS)
    assert known > 2, "some runs had nothing new to look at"


def test_settled_files_are_not_read_and_fresh_ones_are(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in reads: a file that changed within the last tick may change again and keep its stamp."""
    read: list[str] = []
    real = DirectoryFiles.read
    monkeypatch.setattr(DirectoryFiles, "read", lambda self, path: read.append(path) or real(self, path))
    answer(repository)
    count = len({path for path in read if path.endswith((".py", ".md"))})
    read.clear()
    cache = ReportCache(files(repository), ("flags",))
    assert cache.recall() is not None and len(set(read)) >= count
    later = stamps.now() + 10**10
    monkeypatch.setattr(recorded, "now", lambda: later)
    assert recalled(repository) is not None  # reads them once more, and notes that they have settled
    read.clear()
    report = recalled(repository)
    assert report is not None and set(read) == set(report.sources), "only the files that findings show"


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "data",
    [b"", b"damaged", zlib.compress(b"cos\nsystem\n(S'exit 1'\ntR."), zlib.compress(pickle.dumps((1, 2, 3, 4, 5)))],
    ids=["empty", "damaged", "a call", "another shape"],
)
@pytest.mark.parametrize("table", ["reports", "questions", "stamps"])
def test_damaged_rows_are_replaced(repository: Path, tmp_path: Path, table: str, data: bytes) -> None:
    first = answer(repository)
    column = "paths" if table == "questions" else "data"
    rows(tmp_path, f"UPDATE {table} SET {column} = ?", data)
    assert recalled(repository) in (None, first)
    assert answer(repository) == first
    assert recalled(repository) == first, "whole again"


def test_stamps_of_somebody_else_do_no_more_than_miss(repository: Path, tmp_path: Path) -> None:
    first = answer(repository)
    value = zlib.compress(pickle.dumps({"train.py": ((1, 2), ["no digest"]), 5: 6}))
    rows(tmp_path, "UPDATE stamps SET data = ?", value)
    assert answer(repository) == first


def test_no_database_is_as_good_as_none(repository: Path, tmp_path: Path) -> None:
    first = answer(repository)
    (tmp_path / "cache/reports.sqlite").write_bytes(b"no database at all" * 1000)
    assert recalled(repository) is None
    assert answer(repository) == first == recalled(repository)


def test_full_disk(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, database: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(ReportCache, "_save_stamps", full)
    first = answer(repository)
    assert recalled(repository) is None
    assert answer(repository) == first


def test_large_database_is_emptied(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(repository)
    monkeypatch.setattr(report_cache, "MAX_BYTES", 1000)
    assert recalled(repository) is None
    assert report_cache.STORE.counts() == {"reports": 0, "questions": 0, "stamps": 0}


def test_two_versions_side_by_side(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = answer(repository)
    with monkeypatch.context() as patch:
        patch.setattr(report_cache, "__version__", "another")
        assert recalled(repository) is None
        answer(repository)
        assert recalled(repository) is not None
    for name in ("_program", "_installed"):
        with monkeypatch.context() as patch:
            patch.setattr(report_cache, name, lambda: ["another"])
            assert recalled(repository) == one, "this process goes on with what it has read"
            report_cache._running.cache_clear()  # as in a new one
            assert recalled(repository) is None
        report_cache._running.cache_clear()
        assert recalled(repository) == one


def test_our_own_files_and_what_is_installed_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    shutil.copytree(Path(report_cache.__file__).parent, package)
    monkeypatch.setattr(report_cache, "_PACKAGE", package)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    program, installed = report_cache._program(), report_cache._installed()
    assert program == report_cache._program() and installed == []
    (package / "migrate.py").write_text("# edited\n")
    (tmp_path / "bowler-1.dist-info").mkdir()
    assert program != report_cache._program() and installed != report_cache._installed()


@pytest.mark.parametrize("why", ["unreadable", "changing", "failed", "foreign"])
def test_what_may_be_otherwise_next_time_is_not_kept(
    repository: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    cache = ReportCache(files(repository), ("flags",))
    report = check(cache.files, SETTINGS)
    if why == "unreadable":
        monkeypatch.setattr(DirectoryFiles, "read", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(OSError, match="Input"):
            cache.files.read("train.py")
    elif why == "changing":
        (repository / "train.py").write_text("x = 1\n")
        cache.files.read("train.py")
    elif why == "failed":
        report = replace(report, skipped=(Skipped("train.py", "our bug", "lambdas"),))
    else:
        rule = replace(transforms.rules()["lambdas"], id="theirs", find=lambda project: [])
        monkeypatch.setattr(transforms, "rules", lambda: {"theirs": rule})
    cache.keep(report)
    monkeypatch.undo()
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(repository.parent / "cache"))
    assert recalled(repository) is None


def test_file_that_a_run_did_not_find_counts_when_it_appears(repository: Path) -> None:
    """Settings are read from a file that may not be there."""
    cache = ReportCache(files(repository), ("flags",))
    with pytest.raises(FileNotFoundError):
        cache.files.read("pyproject.toml")
    cache.keep(check(cache.files, SETTINGS))
    assert recalled(repository) is not None
    (repository / "pyproject.toml").write_text("")
    assert recalled(repository) is None


def test_command_asks_the_engine_once(
    repository: Path, monkeypatch: pytest.MonkeyPatch, run_check: Callable[..., tuple[int, str]]
) -> None:
    """A whole report answers for each file of it; `--no-cache` neither takes nor leaves one."""
    runs: list[str] = []
    real = check

    def counting(*arguments: Any, **named: Any) -> Report:
        runs.append("run")
        return real(*arguments, **named)

    monkeypatch.setattr("codemods.engine.migrate.check", counting)
    whole = run_check(str(repository), "--confidence", "possible")
    assert run_check(str(repository), "--confidence", "possible") == whole and len(runs) == 1
    assert run_check(str(repository), "--confidence", "possible", "--no-cache") == whole and len(runs) == 2
    assert run_check(str(repository), "--select", "lambdas") != whole and len(runs) == 3


@pytest.fixture
def run_check(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., tuple[int, str]]:
    import typer

    from codemods.commands.application import application

    def run(*arguments: str) -> tuple[int, str]:
        code = typer.main.get_command(application("check"))(
            ["check", "--format", "json", *arguments], prog_name="spawnfix", standalone_mode=False
        )
        return int(code or 0), capsysbinary.readouterr().out.decode()

    return run


def test_part_of_a_report() -> None:
    report = answer(Path(os.environ["SPAWNFIX_CACHE_DIR"]).parent / "repository")
    part = within(report, "data/sets.py")
    assert {finding.path for finding in part.findings} == {"data/sets.py"}
    assert within(report, "") is report and within(report, "data/set").findings == ()
