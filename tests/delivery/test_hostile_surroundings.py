"""What surrounds a run is hostile: variables, temporary folders, caches, files that are named, swapped folders.

Each attack would leave the file `marker`, change a file that is none of ours, hang, or end in an internal error.
"""

# ruff: noqa: E501  (a table of attacks)

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.batch.output import MARKER, claim, make_scratch
from codemods.problem import Problem
from codemods.tree.guarded import read_regular
from codemods.tree.writing import replace_files, stage
from harness.repositories import git, own_home
from harness.torture import BODY, NEW, OLD

__all__ = ["own_home"]

ROOT = Path(__file__).resolve().parents[2]
FIXED = BODY.replace(OLD, NEW)
SECONDS = 300
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="pipes and links")]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the repository `repo`, a stranger's repository `other`, and a program that leaves `marker`."""
    for name in ("repo", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.py").write_text(BODY)
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", name)
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {tmp_path}/marker\ncat\n")
    program.chmod(0o755)
    return tmp_path


def spawnfix(
    *arguments: str | Path, cwd: Path | None = None, **variables: str | None
) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own; a variable that is None is not set."""
    environment = {**os.environ, "NO_COLOR": "1", "SPAWNFIX_CACHE_DIR": f"{os.environ['HOME']}/own-cache", **variables}
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *map(str, arguments)],
        env={key: value for key, value in environment.items() if value is not None},
        cwd=cwd, capture_output=True, text=True, errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    words = done.stdout + done.stderr
    assert "Traceback" not in words and "internal error" not in words, words
    return done


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Variables

VARIABLES: dict[str, dict[str, str | None]] = {
    "git folder": {"GIT_DIR": "PLACE/other/.git"},
    "git folder and tree": {"GIT_DIR": "PLACE/other/.git", "GIT_WORK_TREE": "PLACE/other"},
    "common folder": {"GIT_COMMON_DIR": "PLACE/other/.git"},
    "index": {"GIT_INDEX_FILE": "PLACE/other/.git/index"},
    "objects": {"GIT_OBJECT_DIRECTORY": "PLACE/other/.git/objects"},
    "alternates": {"GIT_ALTERNATE_OBJECT_DIRECTORIES": "PLACE/other/.git/objects"},
    "settings by number": {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "PLACE/evil.sh",
        "GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": "PLACE",
    },
    "settings in one": {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor=PLACE/evil.sh' 'core.pager=PLACE/evil.sh'"},
    "programs": {"GIT_EXTERNAL_DIFF": "PLACE/evil.sh", "GIT_SSH": "PLACE/evil.sh", "GIT_PROXY_COMMAND": "PLACE/evil.sh"},
    "askers": {"GIT_ASKPASS": "PLACE/evil.sh", "SSH_ASKPASS": "PLACE/evil.sh", "GIT_EDITOR": "PLACE/evil.sh"},
    "namespace": {"GIT_NAMESPACE": "x"},
    "attributes": {"GIT_ATTR_SOURCE": "HEAD"},
    "templates": {"GIT_TEMPLATE_DIR": "PLACE/other"},
    "replaced objects": {"GIT_REPLACE_REF_BASE": "refs/heads/", "GIT_NO_REPLACE_OBJECTS": None},
    "shallow and grafts": {"GIT_SHALLOW_FILE": "PLACE/evil.sh", "GIT_GRAFT_FILE": "PLACE/evil.sh"},
    "pathspecs": {"GIT_LITERAL_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1"},
    "ceiling": {"GIT_CEILING_DIRECTORIES": "PLACE/repo", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0"},
    "hash": {"GIT_DEFAULT_HASH": "sha256", "GIT_DEFAULT_REF_FORMAT": "reftable"},
    "locks": {"GIT_OPTIONAL_LOCKS": "1", "GIT_QUARANTINE_PATH": "PLACE/other/.git/objects"},
    "pager": {"PAGER": "PLACE/evil.sh", "GIT_PAGER": "PLACE/evil.sh", "LESS": "-o PLACE/marker", "EDITOR": "PLACE/evil.sh"},
    "no home": {"HOME": None, "XDG_CONFIG_HOME": None},
    "home of nobody": {"HOME": "/nonexistent"},
    "relative home": {"HOME": "."},
    "settings of a folder": {"XDG_CONFIG_HOME": "."},
    "no temporary folder": {"TMPDIR": "/nonexistent"},
    "temporary folder in the repository": {"TMPDIR": "PLACE/repo"},
    "trace of Python's git": {"GIT_PYTHON_TRACE": "full"},
    "language": {"LANG": "xx_YY.nonsense", "LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "../../x"},
    "width of the terminal": {"COLUMNS": "99999999999999999999", "LINES": "-1", "TERM": "../x"},
    "hash seed": {"PYTHONHASHSEED": "12345", "PYTHONOPTIMIZE": "2", "PYTHONUTF8": "0"},
    "warnings": {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"},
    "user for the commits": {"GIT_AUTHOR_NAME": "a\n\x1b]0;x\x07<>", "GIT_COMMITTER_EMAIL": "x> 0 +0000\ntree 0"},
    "date of the commits": {"GIT_AUTHOR_DATE": "99999999999999999999 +9999", "GIT_COMMITTER_DATE": "not a date"},
}  # fmt: skip


@pytest.mark.parametrize("name", VARIABLES)
def test_variables_lead_nowhere(place: Path, name: str) -> None:
    """The other repository stays as it is, nothing runs; the commits are made, or one line says why not."""
    before = contents(place / "other")
    known = {key: value and value.replace("PLACE", str(place)) for key, value in VARIABLES[name].items()}
    for arguments in (["check"], ["migrate", "--dry-run"], ["migrate"]):
        done = spawnfix(*arguments, place / "repo", **known)
        assert done.returncode in (0, 1) or re.search("^spawnfix: ", done.stderr, re.MULTILINE), done
        assert done.returncode != 2 or name == "date of the commits", done
        assert not (place / "marker").exists(), arguments
        assert contents(place / "other") == before
    if name != "date of the commits":
        assert (place / "repo/a.py").read_text() == FIXED
    heads = git(place / "repo", "log", "--format=%an%n%ae%n%cn%n%ce", "--branches").splitlines()
    assert all(word.isprintable() and "<" not in word for word in heads)
    assert git(place / "repo", "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(
    "name", ["git.py", "typer.py", "json.py", "sitecustomize.py", "codemods/__init__.py", "tomllib.py", "libcst.py"]
)
def test_modules_in_the_working_directory_are_not_imported(place: Path, name: str) -> None:
    repo = place / "repo"
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(f"open({str(place / 'marker')!r}, 'w')\nraise SystemExit(3)\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "more")
    for arguments in (["check", "."], ["migrate", "."]):
        assert spawnfix(*arguments, cwd=repo).returncode in (0, 1)
    (place / "list").write_text("./repo\n")
    assert spawnfix("batch", "run", place / "list", "--out", place / "out", cwd=repo).returncode == 0
    assert not (place / "marker").exists()


# The cache


def test_a_relative_cache_folder_of_the_environment_is_not_used(place: Path) -> None:
    """The XDG standard says so: else the cache would be what lies in the folder that we are started in."""
    done = spawnfix("check", ".", cwd=place / "repo", XDG_CACHE_HOME=".", SPAWNFIX_CACHE_DIR=None)
    assert done.returncode == 1
    assert [path.name for path in (place / "repo").iterdir() if path.name != ".git"] == ["a.py"]


def poisoned_rows(cache: Path) -> None:
    for file in cache.glob("*"):
        with sqlite3.connect(file) as database:
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                rows = database.execute(f"PRAGMA table_info({table})").fetchall()
                for name in [row[1] for row in rows if not row[5]]:
                    database.execute(f"UPDATE {table} SET {name} = ?", (b"cos\nsystem\n(S'touch marker'\ntR.",))


def rubbish(cache: Path) -> None:
    for file in cache.glob("*"):
        file.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)


def folders_in_place_of_files(cache: Path) -> None:
    for file in list(cache.glob("*")):
        file.unlink()
        file.mkdir()


def pipes_in_place_of_files(cache: Path) -> None:
    for file in list(cache.glob("*")):
        file.unlink()
        os.symlink("/dev/null", file)  # noqa: PTH211


def read_only(cache: Path) -> None:
    for file in cache.glob("*"):
        file.chmod(0o444)
    cache.chmod(0o555)


@pytest.mark.parametrize(
    "damage", [poisoned_rows, rubbish, folders_in_place_of_files, pipes_in_place_of_files, read_only]
)
def test_a_spoilt_cache_changes_no_answer(place: Path, damage: Callable[[Path], None]) -> None:
    cache = Path(os.environ["HOME"]) / "own-cache"
    first = spawnfix("check", place / "repo", "--output-format", "json")
    damage(cache)
    again = spawnfix("check", place / "repo", "--output-format", "json", cwd=place)
    cache.chmod(0o755)
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert not (place / "marker").exists()


# Files that the user names, which the repository may have put there


@pytest.mark.parametrize("option", ["--output-file", "--write-baseline"])
def test_what_check_writes_does_not_go_through_a_link(place: Path, option: str) -> None:
    (place / "profile").write_text("mine\n")
    (place / "repo/report").symlink_to(place / "profile")
    done = spawnfix("check", place / "repo", option, place / "repo/report")
    assert done.returncode == 2 and "symbolic link" in done.stderr
    assert (place / "profile").read_text() == "mine\n"


@pytest.mark.parametrize("option", ["--html", "--patch"])
def test_what_migrate_writes_does_not_go_through_a_link(place: Path, option: str) -> None:
    (place / "repo/report").symlink_to(place / "new")
    done = spawnfix("migrate", "--dry-run", place / "repo", option, place / "repo/report")
    assert done.returncode == 2 and "symbolic link" in done.stderr
    assert not (place / "new").exists()


def test_reports_still_go_to_the_streams_of_the_shell(place: Path) -> None:
    done = spawnfix("check", place / "repo", "--output-format", "json", "--output-file", "/dev/stdout")
    assert json.loads(done.stdout)["findings"]


def a_pipe(file: Path) -> None:
    os.mkfifo(file)


def a_device_without_an_end(file: Path) -> None:
    file.symlink_to("/dev/zero")


def a_folder(file: Path) -> None:
    file.mkdir()


def deep_json(file: Path) -> None:
    file.write_text('{"spawnfix-baseline": 1, "findings": ' + "[" * 200_000)


def no_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00" * 100)


def huge(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(2**40)


@pytest.mark.parametrize("make", [a_pipe, a_device_without_an_end, a_folder, deep_json, no_text, huge])
@pytest.mark.parametrize("option", ["--baseline", "--decisions", "--from"])
def test_a_file_that_is_named_is_read_within_bounds(place: Path, option: str, make: Callable[[Path], None]) -> None:
    file = place / "repo/named"
    make(file)
    done = spawnfix("migrate", "--dry-run", option, file, place / "repo")
    assert done.returncode == 2
    assert str(file) in done.stderr and re.search("^spawnfix: ", done.stderr, re.MULTILINE)


# An output folder of a batch that somebody else made


def forged(place: Path, scratch: str) -> Path:
    """A folder with our marker, as it may come with a clone, whose ledger names `scratch` as ours to be removed."""
    (place / "list").write_text("./repo\n")
    assert spawnfix("batch", "run", place / "list", "--out", place / "made").returncode == 0
    with sqlite3.connect(place / "made/ledger.sqlite3") as database:
        database.execute("INSERT OR REPLACE INTO about VALUES ('scratch', ?)", (scratch,))
    return place / "made"


@pytest.mark.parametrize("scratch", ["../precious", "ABSOLUTE", "repos", ".", "scratch-0/../../precious"])
def test_a_ledger_does_not_name_what_is_removed(place: Path, scratch: str) -> None:
    (place / "precious").mkdir()
    (place / "precious/notes.txt").write_text("mine")
    out = forged(place, str(place / "precious") if scratch == "ABSOLUTE" else scratch)
    done = spawnfix("batch", "run", place / "list", "--out", out)
    assert done.returncode == 0
    assert (place / "precious/notes.txt").read_text() == "mine"
    assert (out / "repos/repo").is_dir()


def test_a_copied_output_folder_is_not_taken_for_ours(place: Path) -> None:
    shutil.copytree(forged(place, "scratch-0123456789abcdef"), place / "copy")
    before = contents(place / "copy")
    done = spawnfix("batch", "run", place / "list", "--out", place / "copy")
    assert done.returncode == 2 and "copied or moved" in done.stderr
    assert contents(place / "copy") == before
    with pytest.raises(Problem, match="copied or moved"):
        claim(place / "copy", [])
    assert (place / "made" / MARKER).is_file() and make_scratch is not None


# Folders that are swapped while we work


@pytest.mark.parametrize("seconds", [2.0])
def test_a_folder_that_turns_into_a_link_is_not_read_through(tmp_path: Path, seconds: float) -> None:
    """Somebody swaps `inside/pkg` for a link to `outside` and back as fast as they can."""
    for name, text in (("inside/pkg", "mine"), ("outside", "secret")):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.py").write_text(text)
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    stop = threading.Event()
    swapper = threading.Thread(target=swap, args=(tmp_path, stop))
    swapper.start()
    read = refused = 0
    try:
        while read < 300 or refused < 300:
            try:
                assert read_regular(tmp_path / "inside", "pkg/a.py") == b"mine"
                read += 1
            except OSError:
                refused += 1
    finally:
        stop.set()
        swapper.join()


def test_a_folder_that_turns_into_a_link_is_not_written_through(tmp_path: Path) -> None:
    for name in ("inside/pkg", "outside"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.py").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    before = contents(tmp_path / "outside")
    stop = threading.Event()
    swapper = threading.Thread(target=swap, args=(tmp_path, stop))
    swapper.start()
    done = refused = 0
    try:
        while done < 100 or refused < 100:
            now = b"old" if done % 2 == 0 else b"new"
            try:
                replace_files(tmp_path / "inside", {"pkg/a.py": now}, {"pkg/a.py": b"new" if now == b"old" else b"old"})
                done += 1
            except (Problem, OSError):
                refused += 1
    finally:
        stop.set()
        swapper.join()
    assert contents(tmp_path / "outside") == before
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["a.py"]


def swap(place: Path, stop: threading.Event) -> None:
    """Puts the link in the place of the folder, and the folder back, until `stop`."""
    folder, aside, link = place / "inside/pkg", place / "aside", place / "link"
    while not stop.is_set():
        folder.rename(aside)
        link.rename(folder)
        folder.rename(link)
        aside.rename(folder)


def test_what_was_staged_lies_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/a.py").write_text("old")
    name = stage(tmp_path, "pkg/a.py", b"new", 0o640)
    assert (tmp_path / name).parent == tmp_path / "pkg"
    assert (tmp_path / name).read_bytes() == b"new"
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640
