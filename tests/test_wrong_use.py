"""What a person can get wrong, and what a machine can refuse: one clear line, exit code 2, never a traceback."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.globs import glob_pattern
from codemods.problem import Problem
from codemods.settings import BOUNDARY_KEYS, KEYS, Settings, read_settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles
from harness.torture import BODY

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 240
FULL = Path("/dev/full")  # what is written there never fits


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plain folder with something to find; home and cache of our own."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text(BODY)
    return tmp_path / "code"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`line` run by bash, SPAWNFIX in it being the program."""
    line = line.replace("SPAWNFIX", f"'{sys.executable}' '{ROOT / 'cli.py'}'")
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, timeout=SECONDS, cwd=folder,
        errors="replace",
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert "internal error" not in done.stderr, done.stderr
    return done


def told(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("spawnfix: ")]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["check .", "check --format json .", "migrate --dry-run .", "check --help"])
def test_closed_streams(folder: Path, arguments: str) -> None:
    wanted = 0 if arguments != "check ." and "json" not in arguments else 1
    for streams in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        assert shell(f"SPAWNFIX {arguments} {streams}", folder).returncode == wanted, streams


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", ["check .", "check --format json .", "migrate --dry-run .", "rules"])
def test_output_that_does_not_fit(folder: Path, arguments: str) -> None:
    done = shell(f"SPAWNFIX {arguments} > {FULL}", folder)
    assert done.returncode == 2
    assert len(told(done)) == 1 and "No space left" in told(done)[0], done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("SPAWNFIX diagnose - <&-", "traceback|understand|nothing|no error"),
        ("SPAWNFIX check ''; exit 2", ""),
        (f"SPAWNFIX check {'x' * 5000}", "File name too long"),
        (f"SPAWNFIX explain {'x' * 5000}:3", "no rule called"),
        (f"SPAWNFIX explain a.py:{'9' * 5000}", "no rule called"),
        ("SPAWNFIX demo --keep .", "not an empty folder"),
        ("SPAWNFIX migrate --dry-run --from deep.json .", "not written by spawnfix"),
        ("SPAWNFIX migrate --dry-run --bowler-query exits.py .", "SystemExit"),
        ("mkdir gone; cd gone; rmdir ../gone; SPAWNFIX check .", "No such file|no such file"),
        ("ln -s b a; ln -s a b; SPAWNFIX check a", "loop|Too many levels"),
        ("mkfifo pipe; SPAWNFIX check pipe", "neither a file nor a folder"),
        ("SPAWNFIX check /dev/null", "neither a file nor a folder"),
    ],
    ids=lambda value: value[:40],
)
def test_one_line(folder: Path, line: str, pattern: str) -> None:
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "exits.py").write_text("raise SystemExit(3)\n")
    done = shell(line, folder)
    assert done.returncode == 2, done.stderr
    if pattern:
        assert len(told(done)) == 1, done.stderr
        assert any(word in told(done)[0] for word in pattern.split("|")), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    ["COLUMNS=1", "COLUMNS=-5", "COLUMNS=x", "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0", "LC_ALL=xx_YY.foo",
     "PYTHONIOENCODING=ascii:strict", "TERM=dumb", "FORCE_COLOR=1", "-u HOME", "PATH="],
)  # fmt: skip
def test_odd_surroundings(folder: Path, environment: str) -> None:
    (folder / "é ü.py").write_text(BODY + "# ü\n")
    done = shell(f"env {environment} SPAWNFIX check .", folder)
    assert done.returncode == 1, done.stderr


def nonsense(pick: random.Random, depth: int = 0) -> object:
    """Anything that TOML can hold."""
    simple: list[object] = [
        "", "a", "lambdas", "likely", "*", "[z-a]", "**/" * 50, "a..b(", "\n", "\u2028", 0, -1, 10**30, 1.5, True,
    ]  # fmt: skip
    if depth > 2 or pick.random() < 0.5:
        return pick.choice(simple)
    if pick.random() < 0.5:
        return [nonsense(pick, depth + 1) for _ in range(pick.randint(0, 3))]
    keys = ["", "a", "callable", "*.py", *BOUNDARY_KEYS]
    return {pick.choice(keys): nonsense(pick, depth + 1) for _ in range(pick.randint(0, 3))}


def test_settings_that_make_no_sense() -> None:
    """What is taken does not fail later on either."""
    pick = random.Random(9)
    taken = 0
    for _ in range(500):
        table = {pick.choice(KEYS): nonsense(pick) for _ in range(pick.randint(1, 2))}
        if pick.random() < 0.4:
            table = {"boundaries": [{"callable": nonsense(pick, 3), pick.choice([*BOUNDARY_KEYS]): nonsense(pick)}]}
        text = "".join(f"{key} = {toml(value)}\n" for key, value in table.items())
        files = MemoryFiles({"pyproject.toml": f"[tool.spawnfix]\n{text}".encode(), "a.py": BODY.encode()})
        try:
            settings = read_settings(files, rules())
        except Problem as problem:
            assert "\n" not in str(problem) and "pyproject.toml" in str(problem)
            continue
        taken += 1
        try:
            report = check(files, settings)
        except Problem as problem:
            assert "\n" not in str(problem), text
        else:
            assert not [row for row in report.skipped if "our bug" in row.reason], (text, report.skipped)
    assert taken > 20


def toml(value: object) -> str:
    """`value` as TOML, inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def test_globs_of_a_hostile_repository_come_to_an_end() -> None:
    """With a pattern that backtracks these would take longer than anybody waits."""
    for glob in ("*a" * 40 + "b", "**/" * 1000 + "x", "**a" * 40 + "b", "[a]*" * 40 + "b", "a?*" * 40 + "b"):
        assert not glob_pattern(glob).match("a" * 3000 + "/" + "a" * 1000 + "c")
    files = MemoryFiles({f"{'a' * 200}{n}.py": BODY.encode() for n in range(3)})
    found = check(files, Settings(confidence=Confidence.POSSIBLE, exclude=("*a" * 40 + "b",)))
    assert found.files_seen == 3
