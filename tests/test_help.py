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
