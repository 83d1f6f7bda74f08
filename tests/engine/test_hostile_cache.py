"""The cache folder is hostile: links, files of others, a cache that came with the repository.

Each attack would leave `marker`, change a file that is none of ours, or have a repository pass for clean.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods import store
from codemods.engine import look_cache, report_cache
from codemods.flow.facts import cache as facts_cache
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix
from harness.torture import BODY

__all__ = ["own_home"]
DATABASES = ("reports.sqlite", "looks.sqlite", "facts.sqlite")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.py").write_text(BODY)
    commit_all(folder)
    return folder


def found(place: Path, cache: Path) -> int:
    done = spawnfix("check", str(place), "--format", "json", cache=cache)
    assert "Traceback" not in done.stderr
    return len(json.loads(done.stdout)["findings"])


def test_databases_are_these(repo: Path, tmp_path: Path) -> None:
    assert found(repo, tmp_path / "cache") == 1
    assert {path.name.partition("-")[0] for path in (tmp_path / "cache").iterdir()} == {*DATABASES}


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.skipif(os.name == "nt", reason="links need rights")
@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_link_to_another_database(repo: Path, tmp_path: Path, name: str, ending: str) -> None:
    mine = tmp_path / "browser.sqlite"
    with sqlite3.connect(mine) as database:
        database.execute("CREATE TABLE passwords (text TEXT)")
    database.close()
    before = mine.read_bytes()
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / f"{name}{ending}").symlink_to(mine)
    assert found(repo, tmp_path / "cache") == 1
    assert mine.read_bytes() == before
    assert (tmp_path / "cache" / f"{name}{ending}").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
@pytest.mark.parametrize("name", DATABASES)
def test_a_pipe_in_the_place_of_a_database(repo: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "cache").mkdir()
    os.mkfifo(tmp_path / "cache" / name)
    assert found(repo, tmp_path / "cache") == 1


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to give a file to another user")
@pytest.mark.parametrize("name", DATABASES)
def test_a_database_of_another_user(repo: Path, tmp_path: Path, name: str) -> None:
    assert found(repo, tmp_path / "cache") == 1
    os.chown(tmp_path / "cache" / name, 65534, 65534)
    before = (tmp_path / "cache" / name).read_bytes()
    (repo / "a.py").write_text("# another\n" + BODY)
    assert found(repo, tmp_path / "cache") == 1
    assert (tmp_path / "cache" / name).read_bytes() == before


def emptied(cache: Path) -> None:
    """Have the reports of the cache say that nothing was found."""
    with sqlite3.connect(cache / "reports.sqlite") as database:
        (number,) = database.execute("SELECT count(*) FROM reports").fetchone()
        assert number
        columns = [row[1] for row in database.execute("PRAGMA table_info(reports)")]
        blob = next(name for name in columns if "data" in name or "report" in name)
        for rowid, data in database.execute(f"SELECT rowid, {blob} FROM reports").fetchall():
            values = list(store.unpacked(data, report_cache._CLASSES))  # type: ignore[call-overload]
            values[0] = ()
            database.execute(f"UPDATE reports SET {blob} = ? WHERE rowid = ?", (store.packed(tuple(values)), rowid))


@pytest.mark.parametrize("kind", ["git", "plain"])
def test_a_cache_that_comes_with_the_repository_says_nothing(repo: Path, kind: str) -> None:
    """As with SPAWNFIX_CACHE_DIR=.cache in a CI, which a commit may fill."""
    cache = repo / "cache"
    assert found(repo, cache) == 1
    emptied(cache)
    assert found(repo, cache) == 0  # the attack works where it is the user's own: nobody else can write there
    if kind == "git":
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "two")
    else:
        shutil.rmtree(repo / ".git")
    assert found(repo, cache) == 1
    done = spawnfix("migrate", "--dry-run", *(["--no-git"] if kind == "plain" else []), str(repo), cache=cache)
    assert done.stdout.startswith("diff --git")


class Evil:
    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.marker,)


def _evil(marker: str) -> bytes:
    return pickle.dumps(Evil(marker), 5)


def _evil_by_name(marker: str) -> bytes:
    return b"cposix\nsystem\n(S'mkdir " + marker.encode() + b"'\ntR."


def _evil_inside_ours(marker: str) -> bytes:
    return pickle.dumps((((Evil(marker),), (), 1, (), False, (), ())), 5)


def _evil_by_state(marker: str) -> bytes:
    """`codemods.finding.Hop` is one of ours; `codemods.finding.Hop.__init__.__globals__` must not be reached."""
    return b"ccodemods.finding\nHop.__init__.__globals__\n."


def _evil_extension(marker: str) -> bytes:
    return b"\x82\x01."


def _evil_persistent(marker: str) -> bytes:
    return b"Pmkdir " + marker.encode() + b"\n."


@pytest.mark.parametrize(
    "attack",
    [_evil, _evil_by_name, _evil_inside_ours, _evil_by_state, _evil_extension, _evil_persistent],
    ids=lambda attack: attack.__name__.strip("_"),
)
@pytest.mark.parametrize("classes", [report_cache._CLASSES, look_cache._CLASSES], ids=["reports", "looks"])
def test_pickles_make_nothing_but_our_classes(
    tmp_path: Path, attack: Callable[[str], bytes], classes: tuple[type, ...]
) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        store.unpacked(zlib.compress(attack(str(tmp_path / "marker"))), classes)
    assert not isinstance(caught.value, (SystemExit, KeyboardInterrupt))
    assert not (tmp_path / "marker").exists()


@pytest.mark.slow
@pytest.mark.in_process
def test_a_row_that_unpacks_to_gigabytes_is_cut() -> None:
    bomb = zlib.compress(zlib.compress(bytes(store.MAX_ROW_BYTES * 2)), 9)
    with pytest.raises(Exception, match=r"."):
        store.unpacked(zlib.decompress(bomb), ())


def test_all_stores_are_known() -> None:
    assert {report_cache.STORE.name, look_cache.STORE.name, facts_cache.STORE.name} == {*DATABASES}
