"""What a small run loads, and that a command line read without Typer means what Typer makes of it."""

from __future__ import annotations

import inspect
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codemods.commands import check as check_command
from codemods.commands.application import application
from codemods.commands.checking import run_check
from codemods.commands.quick import CHOICES, FLAGS, LISTS, arguments
from harness.each_row import each_row

ROOT = Path(__file__).resolve().parents[1]
SMALL = "from torch.utils.data import DataLoader\n\nfor batch in DataLoader([1], num_workers=2):\n    print(batch)\n"


def _loaded(folder: Path, *words: str, text: str = SMALL) -> tuple[set[str], dict[str, Any]]:
    """The modules that `spawnfix check` of one file has loaded at its end, and its report."""
    (folder / "train.py").write_text(text)
    code = (
        "import io, json, sys\nsys.path.insert(0, sys.argv.pop(1))\nimport spawnfix\n"
        "try:\n    spawnfix.main()\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, str(ROOT), "check", "--no-cache", "--format", "json", *words, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr)), json.loads(done.stdout)


@pytest.mark.slow
def test_a_small_check_loads_neither_typer_nor_rich_nor_libcst_nor_what_other_rules_need(tmp_path: Path) -> None:
    loaded, report = _loaded(tmp_path)
    assert [finding["rule"] for finding in report["findings"]] == ["main-guard"]
    heavy = {"typer", "rich", "libcst", "git", "packaging", "asyncio", "pydantic", "importlib.metadata"}
    assert not loaded & heavy
    assert "spawnfix.transforms.main_guard.rule" in loaded
    others = {name for name in loaded if name.startswith("spawnfix.transforms.") and name.endswith(".rule")}
    assert others == {"spawnfix.transforms.main_guard.rule"}


@pytest.mark.slow
def test_a_rule_is_loaded_once_its_screen_is_passed(tmp_path: Path) -> None:
    loaded, _ = _loaded(tmp_path, text=f"{SMALL}\nprint(lambda x: x)\n")
    assert "spawnfix.transforms.lambdas.rule" in loaded


def _typer(words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | None:
    """What Typer passes to `run_check` for a command line; None when it takes it for a mistake."""
    seen: list[dict[str, Any]] = []

    def note(*given: Any, **named: Any) -> int:
        bound = inspect.signature(run_check).bind(*given, **named)
        bound.apply_defaults()
        seen.append(dict(bound.arguments))
        return 0

    monkeypatch.setattr(check_command, "run_check", note)
    try:
        application("check")(words, prog_name="spawnfix", standalone_mode=False)
    except Exception:
        return None
    return seen[0] if seen else None


def _plain(words: list[str]) -> dict[str, Any] | None:
    found = arguments(words)
    if found is None:
        return None
    bound = inspect.signature(run_check).bind(**found)
    bound.apply_defaults()
    return dict(bound.arguments)


@pytest.mark.slow
@pytest.mark.in_process
def test_every_command_line_that_is_read_without_typer_means_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(18)
    values = ["text", "json", "likely", "possible", "nonsense", "dict-views", "a,b", "", "-", "--", "-v", "x=y"]
    words = [*FLAGS, *CHOICES, *LISTS, *values, "--baseline", "--timeout", "--jobs", "folder", "folder/train.py"]
    words += [f"{option}={value}" for option in (*CHOICES, *LISTS, "--exit-zero") for value in values]
    read = 0
    for _ in range(500):
        line = ["check", *dice.choices(words, k=dice.randrange(1, 5))]
        if dice.random() < 0.7:
            line.append("folder")
        plain = _plain(line)
        if plain is not None:
            read += 1
            assert plain == _typer(line, monkeypatch), line
    assert read > 30


@pytest.mark.parametrize("option", [*FLAGS, *CHOICES, *LISTS])
def test_each_option_that_is_read_without_typer_is_one_of_the_command(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = {"--confidence": ["likely"]}.get(
        option, ["json"] if option in CHOICES else ["x"] if option in LISTS else []
    )
    line = ["check", option, *value, "folder"]
    plain = _plain(line)
    assert plain is not None
    assert plain == _typer(line, monkeypatch)
    assert plain != _plain(["check", "folder"])


@each_row(
    "line",
    [["check"], ["check", "--help"], ["check", "--format", "xml", "x"], ["check", "--format"], ["migrate", "x"],
     ["check", "--format", "json", "--format", "text", "x"], ["check", "--", "x"], ["check", ""], []],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line: list[str]) -> None:
    assert arguments(line) is None
