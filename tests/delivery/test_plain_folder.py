"""`migrate --no-git`: the files of a plain folder are rewritten in place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codemods import commands
from codemods.problem import Problem
from codemods.tree import writing
from codemods.tree.writing import replace_files, stage, written

BEFORE = b"class A:\r\n    def __init__(self, d: dict):\r\n        self.names = d.keys()\r\n"
AFTER = BEFORE.replace(b"d.keys()", b"list(d.keys())")
USE = b"import pickle\n\nfrom a import A\n\npickle.dumps(A({}))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    where = tmp_path / "plain"
    (where / "sub").mkdir(parents=True)
    (where / "a.py").write_bytes(BEFORE)
    (where / "sub/run.py").write_bytes(USE)
    (where / "a.py").chmod(0o755)
    monkeypatch.chdir(where)
    return where


def migrate(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["spawnfix", "migrate", *arguments])
    with pytest.raises(SystemExit) as done:
        commands.main()
    assert isinstance(done.value.code, int)
    return done.value.code


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_writes_what_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate(monkeypatch, "--no-git", ".") == 0
    assert contents(folder) == {"a.py": AFTER, "sub/run.py": USE}
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o755
    said = capsys.readouterr().err
    assert "dict-views: 1 fixed" in said
    assert "rewrote 1 file in" in said
    assert migrate(monkeypatch, "--no-git", ".") == 0
    assert contents(folder) == {"a.py": AFTER, "sub/run.py": USE}
    said = capsys.readouterr().err
    assert "nothing found in 2 files" in said and "rewrote" not in said


def test_a_dry_run_writes_nothing_and_prints_the_change(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(monkeypatch, "--no-git", "--dry-run", ".") == 0
    assert contents(folder) == {"a.py": BEFORE, "sub/run.py": USE}
    out = capsys.readouterr().out
    assert "-        self.names = d.keys()" in out and "+        self.names = list(d.keys())" in out


def test_one_file_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "b.py").write_bytes(BEFORE)
    (folder / "sub/run.py").write_bytes(USE + b"from b import A as B\npickle.dumps(B({}))\n")
    assert migrate(monkeypatch, "--no-git", "b.py") == 0
    assert contents(folder)["a.py"] == BEFORE
    assert migrate(monkeypatch, "--no-git", ".") == 0
    assert contents(folder)["a.py"] == AFTER


def test_what_a_killed_run_left_is_removed_and_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("old")
    left = stage(tmp_path, "a.py", b"half", 0o600)
    (tmp_path / left.replace(".a.py.", ".b.py.")).write_text("not ours: a name of ours has its own sum")
    replace_files(tmp_path, {"a.py": b"old"}, {"a.py": b"new"})
    assert (tmp_path / left).exists(), "its run is still at work"
    monkeypatch.setattr(writing, "is_alive", lambda process: False)
    replace_files(tmp_path, {"a.py": b"new"}, {"a.py": b"newer"})
    assert {path.name for path in tmp_path.iterdir()} == {"a.py", left.replace(".a.py.", ".b.py.")}


def test_a_file_that_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("theirs" if name == "b.py" else "old")
    with pytest.raises(Problem, match=r"b\.py changed while spawnfix was at work; nothing was written"):
        replace_files(tmp_path, {"a.py": b"old", "b.py": b"old"}, {"a.py": b"new", "b.py": b"new"})
    assert contents(tmp_path) == {"a.py": b"old", "b.py": b"theirs"}


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_file_of_two_names_stays_one_and_a_link_is_not_followed(tmp_path: Path) -> None:
    for name in ("alone", "one"):
        (tmp_path / name).write_bytes(b"old")
    os.link(tmp_path / "one", tmp_path / "two")
    (tmp_path / "link").symlink_to("one")
    for name in ("alone", "one"):
        written(tmp_path / name, b"new")
    assert (tmp_path / "two").read_bytes() == b"new" == (tmp_path / "alone").read_bytes()
    with pytest.raises(OSError, match="a symbolic link, not followed"):
        written(tmp_path / "link", b"newer")
    assert (tmp_path / "one").read_bytes() == b"new" and (tmp_path / "link").is_symlink()
