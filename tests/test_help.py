"""What the command line says of itself: help, completion, the list of rules."""

from __future__ import annotations

import json
from pathlib import Path

from codemods import transforms
from codemods.commands.options import _completed
from harness.tool import spawnfix


def test_rules_as_json(tmp_path: Path) -> None:
    done = spawnfix("rules", "--format", "json", cache=tmp_path)
    listed = json.loads(done.stdout)["rules"]
    assert [row["id"] for row in listed] == list(transforms.rules())
    assert all(row["summary"] and isinstance(row["notebooks"], bool) for row in listed)


def test_help_names_no_type_beside_a_switch(tmp_path: Path) -> None:
    for words in (["check"], ["migrate"], ["batch"], ["batch", "run"], ["diagnose"], ["review"]):
        done = spawnfix(*words, "--help", cache=tmp_path)
        assert done.returncode == 0
        assert "<bool>" not in done.stdout


def test_a_shell_completes_the_rules_of_a_list() -> None:
    assert _completed("lam") == ["lambdas"]
    assert _completed("lambdas,mo") == ["lambdas,model-deepcopy"]
    assert _completed("x") == []


def test_help_shows_the_whole_name_of_each_option_at_80_columns(tmp_path: Path) -> None:
    for words in (["check"], ["migrate"], ["batch", "run"], ["diagnose"], ["review"], ["explain"], ["lsp"], ["cache"]):
        shown = spawnfix(*words, "--help", cache=tmp_path, environment={"COLUMNS": "80", "TERM": "xterm"}).stdout
        assert max(map(len, shown.splitlines())) == 80
        assert "…" not in shown


def test_an_option_keeps_the_second_name_that_help_leaves_out(tmp_path: Path) -> None:
    shown = spawnfix("check", "--help", cache=tmp_path).stdout
    assert "--output-format" in shown and "--format" not in shown.replace("--output-format", "")
    done = spawnfix("check", str(tmp_path), "--format", "json", "--exit-zero", cache=tmp_path / "cache")
    assert done.returncode == 0 and json.loads(done.stdout)["findings"] == []
