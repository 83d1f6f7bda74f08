"""What a batch does with one repository, in this process: outcome, files, branch and push."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.batch import task
from codemods.batch.spec import Flags, Limits, Outcome, Spec
from codemods.batch.task import migrate_repository, push_address
from codemods.finding import Finding
from codemods.problem import Problem
from codemods.project import Project
from codemods.transforms import rules
from harness.repositories import commit_all, git, own_home

__all__ = ["own_home"]

HEAD = "from torch.utils.data import DataLoader\n\n\n"
PROGRAM = f"{HEAD}def loader(data):\n    return DataLoader(data, num_workers=2, collate_fn=lambda batch: batch)\n"
FIXED = "collate_fn=_loader_collate_fn"
MIXED = f"""{HEAD}class Names:
    def __init__(self, table):
        self.names = table.keys()
        table["more"] = 1


def loader(data, table):
    data.names = Names(table)
    return DataLoader(data, num_workers=2, collate_fn=lambda batch: batch)
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))


def repository(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    commit_all(folder)
    return folder


def spec_of(repo: Path, **more: object) -> Spec:
    spec = Spec("me+tool", str(repo), "tool", None, False, "1", protocols=("file",))
    return replace(spec, **more)  # type: ignore[arg-type]


def done_with(spec: Spec, tmp_path: Path) -> Outcome:
    scratch = tmp_path / f"scratch{len(list(tmp_path.glob('scratch*')))}"
    scratch.mkdir()
    return migrate_repository(spec, scratch)


@pytest.mark.slow
def test_what_is_handed_over(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM, b="x = 1\n", c="def f(:\n")
    refs = git(repo, "for-each-ref")
    outcome = done_with(spec_of(repo), tmp_path)
    assert (outcome.status, outcome.reason, outcome.stage) == ("migrated", None, None)
    assert outcome.commit == git(repo, "rev-parse", "HEAD")
    assert (outcome.findings, outcome.confidence) == ({"lambdas": 1}, {"lambdas": {"proven": 1}})
    assert (outcome.fixed, outcome.refused, outcome.skipped, outcome.files_seen) == (1, 0, 1, 2)
    assert outcome.crashes == [] and outcome.pushed is None and outcome.branch == "spawnfix/migrate"
    assert outcome.size >= len(PROGRAM)
    assert sorted(outcome.files) == [
        "branch.bundle", "changes.patch", "findings.json", "findings.sarif", "index.html", "pull-request.md",
        "review.html",
    ]  # fmt: skip
    assert git(repo, "for-each-ref") == refs, "the repository of the user is as it was"

    found = json.loads(outcome.files["findings.json"])
    assert (found["root"], [row["rule"] for row in found["findings"]]) == ("me+tool", ["lambdas"])
    assert len(json.loads(outcome.files["findings.sarif"])["runs"][0]["results"]) == 1
    page = outcome.files["index.html"]
    assert page.startswith("<!DOCTYPE html>") and "me+tool" in page and "a.py" in page and "collate_fn" in page
    assert "lambdas" in outcome.files["pull-request.md"] and "a.py" in outcome.files["pull-request.md"]
    patch = base64.b64decode(outcome.files["changes.patch"])
    subprocess.run(["git", "apply"], cwd=repo, input=patch, check=True)
    assert FIXED in (repo / "a.py").read_text()
    git(repo, "checkout", "-q", ".")
    (tmp_path / "bundle").write_bytes(base64.b64decode(outcome.files["branch.bundle"]))
    git(repo, "fetch", "-q", str(tmp_path / "bundle"), "refs/heads/*:refs/heads/*")
    assert FIXED in git(repo, "show", "spawnfix/migrate:a.py")
    assert git(repo, "rev-parse", "spawnfix/migrate~1") == outcome.commit


@pytest.mark.slow
@pytest.mark.in_process
def test_what_is_refused_is_counted_and_clean_has_no_branch(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=MIXED)
    outcome = done_with(spec_of(repo), tmp_path)
    assert (outcome.status, outcome.fixed, outcome.refused) == ("migrated", 1, 1)
    assert outcome.findings == {"dict-views": 1, "lambdas": 1}
    outcome = done_with(spec_of(repo, flags=Flags(ignore="lambdas")), tmp_path)
    assert (outcome.status, outcome.stage, outcome.fixed, outcome.refused) == ("clean", None, 0, 1)
    assert outcome.branch is None and sorted(outcome.files) == ["findings.json", "findings.sarif", "index.html"]
    outcome = done_with(spec_of(repo, flags=Flags(select="main-guard")), tmp_path)
    assert (outcome.status, outcome.findings, outcome.refused) == ("clean", {}, 0)


def test_facts_of_files_are_kept_and_counted(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM)
    assert [done_with(spec_of(repo), tmp_path).cache for _ in range(2)] == [[0, 1], [1, 1]]
    assert done_with(spec_of(repo, no_cache=True), tmp_path).cache == [0, 0]


@pytest.mark.slow
def test_the_ref_that_was_asked_for(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM)
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1")
    (repo / "a.py").write_text("x = 1\n")
    git(repo, "commit", "-q", "-a", "-m", "two")
    assert done_with(spec_of(repo), tmp_path).status == "clean"
    for ref in ("v1", first, "main~1"):
        outcome = done_with(spec_of(repo, ref=ref), tmp_path)
        assert (outcome.status, outcome.commit) == ("migrated", first), (ref, outcome.reason)
    outcome = done_with(spec_of(repo, ref="v1", known=first), tmp_path)
    assert (outcome.status, outcome.stage, outcome.files, outcome.commit) == ("unchanged", None, {}, first)
    outcome = done_with(spec_of(repo, ref="v2"), tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "resolve") and "v2" in str(outcome.reason)
    outcome = done_with(spec_of(tmp_path / "none"), tmp_path)
    assert (outcome.status, outcome.stage, outcome.commit) == ("failed", "resolve", None)
    assert outcome.reason == "no such folder" or "not a git repository" in str(outcome.reason)


@pytest.mark.slow
@pytest.mark.in_process
def test_in_place_makes_one_branch_however_often(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM)
    for _ in range(2):
        assert done_with(spec_of(repo, in_place=True), tmp_path).branch == "spawnfix/migrate"
        assert git(repo, "branch", "--list", "spawnfix/*").split() == ["spawnfix/migrate"]
    assert FIXED in git(repo, "show", "spawnfix/migrate:a.py")
    git(repo, "branch", "-m", "spawnfix/migrate", "mine")  # no branch of ours has these files any more
    assert done_with(spec_of(repo, in_place=True), tmp_path).branch == "spawnfix/migrate"
    (repo / "b.py").write_text(PROGRAM)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "two")
    assert done_with(spec_of(repo, in_place=True), tmp_path).branch == "spawnfix/migrate-2"


@pytest.mark.slow
@pytest.mark.in_process
def test_push(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM)
    git(tmp_path, "clone", "-q", "--bare", str(repo), "me-tool.git")
    spec = spec_of(repo, push=True, push_remote=f"file://{tmp_path}/{{owner}}-{{repo}}.git")
    for _ in range(2):  # the second run finds the same files there
        outcome = done_with(spec, tmp_path)
        assert (outcome.status, outcome.pushed) == ("migrated", f"file://{tmp_path}/me-tool.git"), outcome.reason
        assert FIXED in git(tmp_path / "me-tool.git", "show", "spawnfix/migrate:a.py")
    (repo / "a.py").write_text(PROGRAM + "x = 1\n")
    git(repo, "commit", "-q", "-a", "-m", "two")
    outcome = done_with(spec, tmp_path)
    assert (outcome.status, outcome.stage, outcome.pushed) == ("failed", "push", None)
    assert outcome.reason == "can't be pushed: the branch is there already, with other commits"
    outcome = done_with(replace(spec, push_remote=f"file://{tmp_path}/none.git"), tmp_path)
    assert outcome.status == "failed" and str(outcome.reason).startswith("can't be pushed: ")
    assert "other commits" not in str(outcome.reason)


def test_where_to_push() -> None:
    spec = spec_of(Path("/repo"), name="me+lab+tool")
    filled = replace(spec, push_remote="ssh://git@host/{owner}/{repo}/{name}")
    assert push_address(filled) == "ssh://git@host/me+lab/tool/me+lab+tool"
    assert push_address(replace(spec, remote=True, location="https://host/x")) == "https://host/x"
    with pytest.raises(Problem, match="a local repository needs --push-remote"):
        push_address(spec)


@pytest.mark.parametrize(
    ("error", "status", "stage", "reason"),
    [
        (ValueError("of ours"), "migrated", None, None),
        (MemoryError("none left"), "failed", "memory", "needs more than 4096 MiB of memory (a.py)"),
    ],
)
def test_a_rule_that_fails_on_one_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: str,
    stage: str | None,
    reason: str | None,
) -> None:
    """The rest is done, and the file is named; memory that ran out is no result."""
    repo = repository(tmp_path / "repo", a=PROGRAM.replace("lambda batch: batch", "{}.keys()"), b=PROGRAM)
    known = dict(rules())

    def find(project: Project) -> Iterator[Finding]:
        for source in project.matching(re.compile("keys")):
            if source.path == "a.py":
                raise error
        yield from ()

    known["dict-views"] = replace(known["dict-views"], find=find)
    monkeypatch.setattr(task, "all_rules", lambda: known)
    monkeypatch.setattr("codemods.engine.migrate.all_rules", lambda: known)
    outcome = done_with(spec_of(repo), tmp_path)
    assert [path for path, _ in outcome.crashes] == ["a.py"] and outcome.skipped == 1
    assert (outcome.status, outcome.stage, outcome.reason) == (status, stage, reason)
    assert outcome.fixed == 1


def test_a_password_is_in_no_reason(tmp_path: Path) -> None:
    spec = Spec("me+x", "ftp://ada:hunter2@host/x", "ftp://host/x", None, True, "1", limits=Limits(5))
    outcome = done_with(spec, tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "resolve")
    assert "hunter2" not in str(outcome) and "ftp" in str(outcome.reason)


def test_a_commit_whose_result_is_known_is_left_alone(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", a=PROGRAM)
    commit = git(repo, "rev-parse", "HEAD")
    outcome = done_with(spec_of(repo, known=commit), tmp_path)
    assert (outcome.status, outcome.stage, outcome.commit, outcome.files) == ("unchanged", None, commit, {})
