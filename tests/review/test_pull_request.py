"""What others get to see: commits of the wanted size, the text of a pull request, SARIF, the GitHub action."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from test_decisions import CONFIG, accepted, migrate, repo, review

from codemods.engine.choices import Commits
from codemods.engine.migrate import plan
from codemods.engine.units import Units
from codemods.review.model import review_of
from codemods.review.pull_request import pull_request
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.case import ROOT
from harness.repositories import git, own_home
from harness.tool import spawnfix

__all__ = ["own_home", "repo"]


def tree_of(repo: Path) -> str:
    return git(repo, "rev-parse", "HEAD^{tree}")


def test_commits_per_rule_per_finding_and_one_end_in_the_same_files(repo: Path, tmp_path: Path) -> None:
    trees, subjects = set(), {}
    for how in ("per-rule", "per-finding", "one"):
        done = spawnfix("migrate", str(repo), "--commits", how, "--branch", how, cache=tmp_path / "cache")
        assert done.returncode == 0, done.stderr
        subjects[how] = git(repo, "log", "--reverse", "--format=%s", f"main..{how}").splitlines()
        for commit in git(repo, "rev-list", f"main..{how}").splitlines():
            for name in ("train.py", "config.py"):
                compile(git(repo, "show", f"{commit}:{name}"), name, "exec")
        trees.add(tree_of(repo))
        git(repo, "checkout", "-q", "main")
    assert len(trees) == 1
    assert [subject.partition(":")[0] for subject in subjects["per-rule"]] == ["dict-views", "lambdas"]
    assert subjects["per-finding"] == [
        "dict-views: Store `list(ranges.keys())`",
        "lambdas: fix train.py:9",
        "lambdas: fix train.py:13",
    ]
    assert subjects["one"] == ["spawnfix: fix 3 places of 2 rules"]
    trailers = git(repo, "log", "-1", "--format=%(trailers:key=Spawnfix-Rule,valueonly)", "one")
    assert trailers.split() == ["dict-views", "lambdas"]
    second = git(repo, "show", "--format=", "--unified=0", "per-finding~1", "--", "train.py")
    assert (
        "-    return DataLoader(data, num_workers=2, collate_fn=lambda rows" in second and "worker_init" not in second
    )


def test_commits_per_finding_of_what_was_accepted(repo: Path, tmp_path: Path) -> None:
    decisions = accepted(review(repo), "lambdas train.py evaluate", "dict-views config.py Config.__init__")
    code, _, said = migrate(repo, decisions, tmp_path, "--commits", "per-finding")
    assert code == 0, said
    assert git(repo, "log", "--format=%s", "main..").splitlines() == [
        "lambdas: fix train.py:13",
        "dict-views: Store `list(ranges.keys())`",
    ]
    assert "lambda rows" in (repo / "train.py").read_text()


def test_the_text_says_what_why_how_checked_and_how_to_undo(repo: Path, tmp_path: Path) -> None:
    body = tmp_path / "body.md"
    decisions = accepted(review(repo), "lambdas train.py build", "dict-views config.py Config.__init__")
    code, _, said = migrate(repo, decisions, tmp_path, "--pr-body", str(body))
    assert code == 0, said
    text = body.read_text()
    assert "spawnfix" in text and "changed 2 places in 2 files" in text
    assert "- `config.py:6` in `Config.__init__`: Store `list(ranges.keys())`\n  Why: `self.names` keeps a live" in text
    assert "<summary>trace (proven, 3 steps)</summary>" in text and "1. `config.py:6` a view of a dict is taken" in text
    assert "### What was checked" in text and "### How to undo it" in text and "commit for each rule" in text
    assert "worker\\_init" not in text and text.count("<details>") == text.count("</details>")
    assert "`train.py:13`" not in text


@pytest.mark.parametrize("command", [None, "true"])
def test_the_text_names_the_command_that_was_run(command: str | None, repo: Path, tmp_path: Path) -> None:
    body = tmp_path / "body.md"
    decisions = accepted(review(repo), "lambdas train.py build")
    verified = ("--verify", command) if command else ()
    code, _, said = migrate(repo, decisions, tmp_path, "--pr-body", str(body), *verified)
    assert code == 0, said
    text = body.read_text()
    named = ", but by this command, on copies, before the changes and after them: `true`." if command else "."
    assert f"- Nothing of this repository was imported or run{named}\n" in text


@pytest.mark.slow
@pytest.mark.in_process
def test_names_from_the_repository_are_no_markup_and_a_long_text_is_cut() -> None:
    evil = "class A:\n    def __init__(self, d: dict):\n        self.names = d.keys()\n\n\nimport pickle\n"
    files = {f"<b>@all{number}`.py": evil + "pickle.dumps(A({}))\n" for number in range(250)}
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    done = plan(contents, Settings())
    seen = review_of(Units(done), contents)
    assert len(seen.changes) == 250
    text = pull_request(seen, seen.changes, done, Commits.PER_RULE)
    assert len(text) < 65_000 and "The text is cut here" in text and "### How to undo it" in text
    assert text.count("<details>") == text.count("</details>")
    outside = re.sub(r"(`+) ?.*? ?\1(?!`)", "", text)
    assert "<b>" not in outside and "@all" not in outside


def test_what_is_unsafe_is_said() -> None:
    contents = MemoryFiles({"a.py": b"import pickle\n\n\ndef keep(d: dict):\n    pickle.dumps(d.keys())\n"})
    done = plan(contents, Settings())
    seen = review_of(Units(done), contents)
    [change] = seen.changes
    safe, unsafe = (
        pull_request(seen, [replace(change, unsafe=why)], done, Commits.PER_RULE) for why in (None, "the copy is later")
    )
    line = "  **Unsafe**, please look: the copy is later\n"
    assert line in unsafe and unsafe.replace(line, "") == safe


def test_sarif_has_what_code_scanning_asks_for(repo: Path, tmp_path: Path) -> None:
    done = spawnfix("check", str(repo), "--output-format", "sarif", "--exit-zero", cache=tmp_path / "cache")
    (run,) = json.loads(done.stdout)["runs"]
    driver = run["tool"]["driver"]
    assert driver["informationUri"].startswith("https://") and driver["semanticVersion"]
    assert "%SRCROOT%" in run["originalUriBaseIds"] and run["automationDetails"]["id"] == "spawnfix/"
    assert len(driver["rules"]) >= 7
    for rule in driver["rules"]:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", rule["name"])
        assert rule["shortDescription"]["text"].endswith(".") and len(rule["fullDescription"]["text"]) > 20
        assert re.fullmatch(r"https://[^\s<>()]+", rule["helpUri"]), rule["helpUri"]
        assert rule["name"] != rule["id"], "the two must differ (rule SARIF1001 of the format's own validator)"
        assert rule["help"]["markdown"] and rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place["uriBaseId"] == "%SRCROOT%" and not place["uri"].startswith("/")
        assert result["partialFingerprints"] and result["message"]["text"]


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """What a job's `RUNNER_TEMP` holds after the step that installs spawnfix."""
    programs = tmp_path / "runner" / "spawnfix" / "bin"
    programs.mkdir(parents=True)
    program = programs / "spawnfix"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "cli.py"}" "$@"\n')
    program.chmod(0o755)
    return tmp_path / "runner"


def run_action(repo: Path, runner: Path, **inputs: str) -> tuple[int, str, str, str]:
    """The step of the action that checks: (exit code, stdout, outputs, summary)."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: row["default"] for name, row in action["inputs"].items()} | inputs
    assert values.keys() == action["inputs"].keys()
    install, check = action["runs"]["steps"]
    assert '/bin/pip" install --quiet "$ACTION_PATH"' in install["run"] and "${{" not in install["run"]
    assert "${{" not in check["run"]  # what a caller passes is never part of the script
    names = {variable: re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value) for variable, value in check["env"].items()}
    environment = {variable: values[match[1]] for variable, match in names.items() if match}
    assert len(environment) == len(values)
    files = {name: runner / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]],
        cwd=repo,
        env={
            **os.environ,
            **environment,
            **{name: str(file) for name, file in files.items()},
            "RUNNER_TEMP": str(runner),
            "SPAWNFIX_CACHE_DIR": str(runner / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, files["GITHUB_OUTPUT"].read_text(), files["GITHUB_STEP_SUMMARY"].read_text()


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
@pytest.mark.slow
def test_the_action_annotates_counts_and_summarises(repo: Path, runner: Path) -> None:
    sarif = runner / "out.sarif"
    code, out, outputs, summary = run_action(repo, runner, sarif=str(sarif))
    assert code == 1 and out.count("::error file=") == 3 and "%0AFix: " in out
    assert outputs == "findings=3\n" and "### `lambdas`: 2 fixable" in summary
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == 3
    code, _, outputs, _ = run_action(repo, runner, fail="false")
    assert code == 0 and outputs == "findings=3\n"
    code, out, outputs, _ = run_action(repo, runner, since="HEAD")
    assert code == 0 and out == "" and outputs == "findings=0\n"
    (repo / "config.py").write_text(CONFIG + "\n")
    code, _, outputs, _ = run_action(repo, runner, since="HEAD")
    assert code == 1 and outputs == "findings=1\n"
    baseline = runner / "base line.json"
    assert spawnfix("check", str(repo), "--write-baseline", str(baseline), cache=runner / "cache").returncode == 0
    assert run_action(repo, runner, baseline=str(baseline))[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
@pytest.mark.slow
def test_the_action_fails_when_it_could_not_look(repo: Path, runner: Path) -> None:
    for inputs in ({"path": "no such"}, {"since": "$(touch hacked)"}, {"confidence": "very"}):
        assert run_action(repo, runner, **inputs)[0] == 2, inputs
    assert not (repo / "hacked").exists()
