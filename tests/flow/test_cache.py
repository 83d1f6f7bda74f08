"""The cache of facts: whatever is the matter with it, a run finds what it would find without one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.flow.facts import cache
from codemods.flow.facts.cache import load, store
from codemods.flow.facts.records import FileFacts

ROOT = Path(__file__).resolve().parents[2]
FACTS = FileFacts(path="a.py")
PROGRAM = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def rows(folder: Path) -> list[bytes]:
    database = sqlite3.connect(folder / "facts.sqlite")
    found = [row[0] for row in database.execute("SELECT data FROM facts")]
    database.close()
    return found


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "unpacked", [None, "damaged", bytes(70 * 2**20), b"cos\nsystem\n"], ids=["empty", "damaged", "large", "code"]
)
def test_damaged_row_is_replaced(folder: Path, unpacked: bytes | str | None) -> None:
    data = zlib.compress(unpacked) if isinstance(unpacked, bytes) else (unpacked or "").encode()
    store({"1": FACTS})
    whole = rows(folder)
    database = sqlite3.connect(folder / "facts.sqlite")
    database.execute("UPDATE facts SET data = ?", (data,))
    database.commit()
    database.close()
    assert load(["1"]) == {}
    store({"1": FACTS})
    assert rows(folder) == whole and load(["1"]) == {"1": FACTS}


def test_row_of_another_version_of_the_program_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store({"1": FACTS})
    for name in ("flow", "syntax", "tree"):
        shutil.copytree(ROOT / "codemods" / name, tmp_path / "copy" / name)
    shutil.copy(ROOT / "codemods/nodes.py", tmp_path / "copy/nodes.py")
    with (tmp_path / "copy/flow/facts/collector.py").open("a") as file:
        file.write("# changed\n")
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "copy")
    cache._format.cache_clear()
    assert load(["1"]) == {}
    monkeypatch.undo()
    cache._format.cache_clear()


def test_full_cache_is_emptied_while_others_use_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store({str(number): FACTS for number in range(2000)})
    other = sqlite3.connect(folder / "facts.sqlite")
    assert other.execute("SELECT count(*) FROM facts").fetchone() == (2000,)
    before = (folder / "facts.sqlite").stat().st_ino
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 10_000)
    store({"new": FACTS})
    assert (folder / "facts.sqlite").stat().st_ino == before
    assert other.execute("SELECT count(*) FROM facts").fetchone() == (1,)
    other.close()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs permissions")
def test_folder_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPAWNFIX_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    store({"1": FACTS})
    assert stat.S_IMODE((tmp_path / "new/spawnfix").stat().st_mode) == 0o700
    (tmp_path / "new/spawnfix").chmod(0o777)
    assert load(["1"]) == {"1": FACTS}
    assert stat.S_IMODE((tmp_path / "new/spawnfix").stat().st_mode) == 0o700
    if os.geteuid() == 0:
        os.chown(tmp_path / "new/spawnfix", 65534, 65534)
        assert load(["1"]) == {}, "what another user may have written"


def test_contents_are_kept_beside_their_facts(tmp_path: Path) -> None:
    data = b"# \xe9\r\nx = 1"
    blob = cache.blob_id(data)
    store({blob: FACTS}, {blob: data})
    assert cache.content(blob) == data
    assert cache.content("1" * 40) is None
    other = cache.blob_id(b"other")
    store({}, {other: data})
    assert cache.content(other) is None  # it is not what it says


def unusable_file(place: Path) -> str:
    place.write_text("a file")
    return str(place / "cache")


def no_text(place: Path) -> str:
    return str(place) + "\udcff"


def too_long(place: Path) -> str:
    return str(place / ("x" * 5000))


def device(place: Path) -> str:
    return "/dev/null"


@pytest.mark.parametrize("where", [unusable_file, no_text, too_long, device], ids=lambda where: where.__name__)
def test_unusable_place_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Callable[[Path], str]
) -> None:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", where(tmp_path / "place"))
    store({"1": FACTS})
    assert load(["1"]) in ({}, {"1": FACTS})


@pytest.mark.slow
def test_user_without_a_home_gets_the_findings(tmp_path: Path) -> None:
    """Neither HOME nor an entry in the list of users, as in a container."""
    (tmp_path / "a.py").write_text(PROGRAM)
    code = (
        "import os, pwd, sys\n"
        "def nobody(_): raise KeyError('uid not found')\n"
        "pwd.getpwuid = nobody\n"
        f"sys.argv = ['spawnfix', 'check', {str(tmp_path)!r}]\n"
        "from codemods.commands import main\nmain()\n"
    )
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("HOME", "XDG_CACHE_HOME", "SPAWNFIX_CACHE_DIR")
    }
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "lambdas" in done.stdout and "Nothing found" not in done.stdout
