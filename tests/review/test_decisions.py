"""`migrate --decisions FILE`: exactly what was accepted lands, and a decision about other code has no effect."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

from codemods.delivery import target
from codemods.engine.migrate import plan
from codemods.engine.units import Units
from codemods.problem import Problem
from codemods.review.decisions import Choice, Decisions, parse_decisions, read_decisions, rendered, write_decisions
from codemods.review.model import Review, review_of
from codemods.settings import Settings
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]

TRAIN = '''"""Train."""
from torch.utils.data import DataLoader

from config import Config


def build(data, scale):
    config = Config({"car": 1})
    return DataLoader(data, num_workers=2, collate_fn=lambda rows: [row * scale for row in rows])


def evaluate(data):
    return DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(number))
'''
CONFIG = """import pickle


class Config:
    def __init__(self, ranges):
        self.names = ranges.keys()


def save(ranges):
    return pickle.dumps(Config(dict(ranges)))


if __name__ == "__main__":
    save({"near": 1})
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    (folder / "config.py").write_text(CONFIG)
    commit_all(folder)
    return folder


def review(repo: Path) -> Review:
    where = target.to_preview(repo, False)
    done = plan(where.files, Settings(), where.scope)
    return review_of(Units(done), where.files)


def accepted(seen: Review, *places: str) -> Decisions:
    """Decisions that take the changes at `places` (`rule: path: scope`) and reject all others."""
    decisions = Decisions()
    for change in seen.changes:
        place = f"{change.rule} {change.path} {change.scope}"
        choice = Choice.ACCEPTED if place in places else Choice.REJECTED
        decisions = decisions.with_decision(change, choice)
    assert sum(row.choice is Choice.ACCEPTED for row in decisions.by_id.values()) == len(places)
    return decisions


def migrate(repo: Path, decisions: Decisions, tmp_path: Path, *more: str) -> tuple[int, str, str]:
    file = tmp_path / "decisions.json"
    write_decisions(file, decisions)
    done = spawnfix("migrate", str(repo), "--decisions", str(file), *more, cache=tmp_path / "cache")
    return done.returncode, done.stdout, done.stderr


def test_exactly_what_was_accepted_lands(repo: Path, tmp_path: Path) -> None:
    seen = review(repo)
    assert [(change.rule, change.scope) for change in seen.changes] == [
        ("dict-views", "Config.__init__"),
        ("lambdas", "build"),
        ("lambdas", "evaluate"),
    ]
    code, _, said = migrate(repo, accepted(seen, "lambdas train.py evaluate"), tmp_path)
    assert code == 0, said
    assert "decisions: 1 accepted, 2 rejected, 0 undecided" in said
    assert (repo / "config.py").read_text() == CONFIG
    text = (repo / "train.py").read_text()
    assert "collate_fn=lambda rows: [row * scale for row in rows]" in text and "import functools" not in text
    assert "lambda number" not in text and "worker_init_fn=_evaluate_worker_init_fn" in text
    assert git(repo, "log", "--format=%s", "main..").splitlines() == [git(repo, "log", "-1", "--format=%s")]
    assert git(repo, "log", "-1", "--format=%s").startswith("lambdas:")
    assert "dict-views: 0 fixed, 1 left as is" in said and "lambdas: 1 fixed, 1 left as is" in said


def test_all_accepted_is_what_migrate_does_without_decisions(repo: Path, tmp_path: Path) -> None:
    plain = spawnfix("migrate", str(repo), "--dry-run", cache=tmp_path / "cache").stdout
    decisions = Decisions()
    for change in review(repo).changes:
        decisions = decisions.with_decision(change, Choice.ACCEPTED)
    code, out, _ = migrate(repo, decisions, tmp_path, "--dry-run")
    assert code == 0 and out == plain and plain.count("diff --git") == 2


def test_nothing_accepted_makes_no_branch(repo: Path, tmp_path: Path) -> None:
    code, _, said = migrate(repo, accepted(review(repo)), tmp_path)
    assert code == 0 and "0 accepted, 3 rejected" in said
    assert git(repo, "branch", "--format=%(refname:short)") == "main"
    assert git(repo, "status", "--porcelain") == ""


def test_nothing_to_decide_is_no_count_of_decisions(repo: Path, tmp_path: Path) -> None:
    git(repo, "rm", "-q", "*.py")
    (repo / "plain.py").write_text("print(1)\n")
    git(repo, "add", "plain.py")
    git(repo, "commit", "-qm", "plain")
    code, _, said = migrate(repo, Decisions(), tmp_path)
    assert code == 0 and "nothing found in 1 file" in said
    assert "decisions:" not in said


def test_decisions_outlive_edits_elsewhere(repo: Path, tmp_path: Path) -> None:
    decisions = accepted(review(repo), "lambdas train.py build", "dict-views config.py Config.__init__")
    text = TRAIN.replace('"""Train."""', '"""Train."""\n# a comment\nimport functools\n').replace(
        "def evaluate(data):", "def report(data):\n    print(data)\n\n\ndef evaluate(data):"
    )
    (repo / "train.py").write_text(text)
    git(repo, "commit", "-qam", "two")
    code, _, said = migrate(repo, decisions, tmp_path)
    assert code == 0 and "2 accepted, 1 rejected, 0 undecided" in said and "stale" not in said
    assert "lambda rows" not in (repo / "train.py").read_text() and "lambda number" in (repo / "train.py").read_text()


def test_a_stale_decision_is_named_and_not_applied(repo: Path, tmp_path: Path) -> None:
    decisions = accepted(review(repo), "lambdas train.py build", "dict-views config.py Config.__init__")
    (repo / "train.py").write_text(TRAIN.replace("row * scale", "row + scale"))
    git(repo, "commit", "-qam", "two")
    code, _, said = migrate(repo, decisions, tmp_path)
    assert code == 0
    assert re.search(r"stale decision [0-9a-f]{12} \(lambdas at train.py: build\): no such change", said), said
    assert "1 accepted, 1 rejected, 1 undecided, 1 stale" in said
    assert "lambda rows: [row + scale for row in rows]" in (repo / "train.py").read_text()
    assert "list(ranges.keys())" in (repo / "config.py").read_text()


@pytest.mark.slow
def test_a_fix_of_several_files_is_one_change(tmp_path: Path, repo: Path) -> None:
    (repo / "run.sh").write_text("python -m torch.distributed.launch --nproc_per_node=2 main.py --lr 1\n")
    (repo / "main.py").write_text(
        "import argparse\n\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--local_rank", type=int, default=0)\nparser.add_argument("--lr", type=float)\n'
        "args = parser.parse_args()\ntorch.cuda.set_device(args.local_rank)\n"
        'torch.distributed.init_process_group("nccl")\nprint(args.lr)\n'
    )
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "two")
    seen = review(repo)
    [launcher] = [change for change in seen.changes if change.rule == "dist-launcher"]
    assert launcher.paths == ("main.py", "run.sh")
    before = {path: (repo / path).read_text() for path in launcher.paths}
    decisions = Decisions().with_decision(launcher, Choice.REJECTED)
    for change in seen.changes:
        if change is not launcher:
            decisions = decisions.with_decision(change, Choice.ACCEPTED)
    assert migrate(repo, decisions, tmp_path, "--select", "dist-launcher,lambdas")[0] == 0
    assert {path: (repo / path).read_text() for path in launcher.paths} == before
    git(repo, "checkout", "-q", "main")
    assert migrate(repo, Decisions().with_decision(launcher, Choice.ACCEPTED), tmp_path)[0] == 0
    assert "torchrun" in (repo / "run.sh").read_text() and "LOCAL_RANK" in (repo / "main.py").read_text()


@pytest.mark.slow
def test_an_edited_patch_is_checked_and_lands_in_place_of_the_change(repo: Path, tmp_path: Path) -> None:
    seen = review(repo)
    change = next(change for change in seen.changes if change.scope == "Config.__init__")
    from codemods.review.patch_text import patch_text

    patch = patch_text(change.hunks)
    good = patch.replace("list(ranges.keys())", "sorted(ranges)  # by name")
    decisions = Decisions().with_decision(change, Choice.ACCEPTED, edit=good)
    other = next(change for change in seen.changes if change.scope == "build")
    code, _, said = migrate(repo, decisions.with_decision(other, Choice.ACCEPTED), tmp_path)
    assert code == 0 and "2 accepted" in said, said
    assert (repo / "config.py").read_text() == CONFIG.replace("ranges.keys()", "sorted(ranges)  # by name")
    assert "functools.partial(_build_collate_fn, scale)" in (repo / "train.py").read_text()
    git(repo, "checkout", "-q", "main")
    for wrong, why in (
        (patch.replace("list(ranges.keys())", "ranges.keys() or ()["), "does not compile"),
        (patch.replace("list(ranges.keys())", "unknown_name(ranges)"), "'unknown_name' would not be found"),
        (patch.replace("list(ranges.keys())", "ranges.keys()  # it is fine"), "its rule finds a hazard"),
        (patch.replace(" class Config:", " class Other:"), "is not line 4 of config.py"),
        (patch.replace("b/config.py", "b/train.py").replace("a/config.py", "a/train.py"), "has no file train.py"),
    ):
        assert wrong != patch
        code, _, said = migrate(repo, Decisions().with_decision(change, Choice.ACCEPTED, edit=wrong), tmp_path)
        assert code == 0 and why in said and "0 accepted" in said, (why, said)
        assert git(repo, "status", "--porcelain") == "" and git(repo, "branch", "--show-current") == "main"


def test_the_file_has_a_line_per_decision_and_reads_back(repo: Path, tmp_path: Path) -> None:
    seen = review(repo)
    decisions = accepted(seen, "lambdas train.py build")
    first = seen.changes[0]
    decisions = decisions.with_decision(first, Choice.REJECTED, note='is never pickled: "see" #12\n\u2028')
    text = rendered(decisions)
    assert len(text.splitlines()) >= 7 and parse_decisions(text, "x") == decisions
    changed = rendered(decisions.with_decision(seen.changes[1], Choice.REJECTED)).split("\n")
    assert sum(one != other for one, other in zip(text.split("\n"), changed, strict=True)) == 1
    assert {row["id"] for row in json.loads(text)["decisions"]} == {change.id for change in seen.changes}
    assert pickle.loads(pickle.dumps(seen)) == seen
    file = tmp_path / "d.json"
    write_decisions(file, decisions)
    assert read_decisions(file) == decisions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a file of decisions"),
        ('{"spawnfix-decisions": 2, "decisions": []}', "format 2"),
        ('{"spawnfix-decisions": 1, "decisions": {}}', "not a list"),
        ('{"spawnfix-decisions": 1, "decisions": [{"id": "a", "decision": "yes"}]}', "must be one of accepted"),
        ('{"spawnfix-decisions": 1, "decisions": [{"decision": "accepted"}]}', 'has no "id"'),
        ('{"spawnfix-decisions": 1, "decisions": [{"id": 3, "decision": "accepted"}]}', '"id" is not a string'),
        ('{"spawnfix-decisions": 1, "decisions": [3]}', "decision 1 is not an object"),
        (
            '{"spawnfix-decisions": 1, "decisions": [{"id": "a", "decision": "accepted"},'
            '{"id": "a", "decision": "rejected"}]}',
            "was decided before",
        ),
    ],
)
def test_a_file_that_is_not_understood_stops_the_run(text: str, why: str, repo: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=re.escape(why)):
        parse_decisions(text, "decisions.json")
    file = tmp_path / "decisions.json"
    file.write_text(text)
    done = spawnfix("migrate", str(repo), "--decisions", str(file), cache=tmp_path / "cache")
    assert done.returncode == 2 and why in done.stderr and git(repo, "branch", "--show-current") == "main"


def test_a_file_that_is_not_there_stops_the_run(repo: Path, tmp_path: Path) -> None:
    done = spawnfix("migrate", str(repo), "--decisions", str(tmp_path / "none.json"), cache=tmp_path / "cache")
    assert done.returncode == 2 and "can't read the decisions" in done.stderr
