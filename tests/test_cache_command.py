"""`spawnfix cache`: what it says about what is kept between runs, and that it deletes that."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.tool import spawnfix


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The folder of a cache that a run has filled."""
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "rows.py").write_text("from multiprocessing import Process\nProcess(target=lambda: print(3)).start()\n")
    cache = tmp_path / "cache"
    assert spawnfix("check", str(folder), cache=cache).returncode == 1
    return cache


def test_it_says_what_is_there_and_deletes_it(cache: Path) -> None:
    shown = spawnfix("cache", cache=cache)
    assert spawnfix("cache", "--stats", cache=cache).stdout == shown.stdout
    place, *rows = shown.stdout.splitlines()
    assert place == f"folder   {cache}"
    assert [row.split()[0] for row in rows] == ["reports", "looks", "facts"]
    assert [row.split()[1] for row in rows] == ["1,", "1,", "1,"]
    cleared = spawnfix("cache", "--clear", cache=cache)
    assert [row.split()[1] for row in cleared.stdout.splitlines()[1:]] == ["0,", "0,", "0,"]
    assert spawnfix("cache", cache=cache).stdout == cleared.stdout
    (cache / "reports.sqlite").unlink()
    assert spawnfix("cache", cache=cache).stdout.splitlines()[1] == "reports  0, 0.0 MiB"


def test_cache_words_that_cannot_be(cache: Path) -> None:
    both = spawnfix("cache", "--stats", "--clear", cache=cache)
    assert (both.returncode, both.stdout) == (2, "") and "--stats or --clear, not both" in both.stderr
    (cache / "reports.sqlite").unlink()
    (cache / "reports.sqlite").mkdir()
    damaged = spawnfix("cache", cache=cache)
    assert damaged.returncode == 2 and f"{cache / 'reports.sqlite'}: it is no file of yours" in damaged.stderr
