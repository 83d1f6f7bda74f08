"""Rules that users write: in a distribution, in a file of their repository, under LibCST's runner; their tests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods import transforms
from codemods.finding import Confidence, Edit, Finding, Fix
from codemods.rule import Rule
from codemods.testing import Invalid, Valid, check_case
from harness.case import ROOT
from harness.each_row import each_row
from harness.tool import spawnfix

LOCAL = """\
import re
from codemods import Confidence, Finding, Rule

open("it-ran", "w").close()


def find(project):
    for source in project.matching(re.compile("forbidden")):
        at = source.text.index("forbidden")
        yield Finding("no-forbidden", source.path, source.span(at, at + 9), "not here", Confidence.PROVEN, reason="why")


RULE = Rule(id="no-forbidden", summary="Forbid it", screen=re.compile(b"forbidden"), find=find)
"""


def python(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "SPAWNFIX_CACHE_DIR": str(where / ".cache")}
    env.pop("PYTEST_ADDOPTS", None)  # options of this run that another repository doesn't know
    return subprocess.run([sys.executable, *arguments], cwd=where, env=env, capture_output=True, text=True, check=False)


# A file of the repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    home = tmp_path / "repository"
    (home / "tools").mkdir(parents=True)
    (home / "tools" / "our_rules.py").write_text(LOCAL)
    (home / "pyproject.toml").write_text(
        '[tool.spawnfix]\nrules = ["tools/our_rules.py"]\nper-file-ignores = { "old.py" = ["no-forbidden"] }\n'
    )
    (home / "train.py").write_text("forbidden = 1\n")
    (home / "old.py").write_text("forbidden = 1\n")
    monkeypatch.chdir(tmp_path)
    yield home
    transforms._registered.clear()
    transforms.rules.cache_clear()


def test_a_local_file_of_rules_runs_only_where_the_user_allows_it(repository: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    done = spawnfix("check", "repository", "--format", "json", cache=cache)
    assert done.returncode == 0
    assert "not run: the rules in tools/our_rules.py (--allow-local-rules runs this code)" in done.stderr
    assert not (tmp_path / "it-ran").exists()

    done = spawnfix("check", "repository", "--format", "json", "--allow-local-rules", cache=cache)
    assert (tmp_path / "it-ran").exists()
    assert [
        (f["rule"], f["path"]) for f in json.loads(done.stdout)["findings"] if f["path"] != "tools/our_rules.py"
    ] == [("no-forbidden", "train.py")]
    assert done.returncode == 1


def test_migrate_never_runs_it_unasked(repository: Path, tmp_path: Path) -> None:
    done = spawnfix("migrate", "repository", "--no-git", cache=tmp_path / "cache")
    assert done.returncode == 0
    assert not (tmp_path / "it-ran").exists()
    done = spawnfix("migrate", "repository", "--no-git", "--allow-local-rules", cache=tmp_path / "cache")
    assert done.returncode == 0
    assert (tmp_path / "it-ran").exists()


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("../outside.py", "", "is not inside the repository"),
        ("missing.py", None, "no such file"),
        ("broken.py", "1 / 0", "ZeroDivisionError: division by zero"),
        ("leaves.py", "raise SystemExit(0)", "SystemExit"),
        ("empty.py", "", "defines no spawnfix.Rule"),
        ("data.txt", "", "is no Python file"),
    ],
)
def test_a_local_file_that_is_wrong_is_named(
    path: str, text: str | None, message: str, repository: Path, tmp_path: Path
) -> None:
    if text is not None:
        (repository / path).write_text(text)
    (repository / "pyproject.toml").write_text(f'[tool.spawnfix]\nrules = ["{path}"]\n')
    done = spawnfix("check", "repository", "--allow-local-rules", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert f"tool.spawnfix.rules: {path}: {message}" in done.stderr


def test_a_local_rule_can_not_take_the_place_of_another() -> None:
    rule = Rule(id="lambdas", summary="", screen=re.compile(b""), find=lambda project: [])
    with pytest.raises(transforms.Problem, match="two rules are called lambdas"):
        transforms.register([rule])


# A distribution to start from


@pytest.mark.slow
def test_the_distribution_of_new_rule_passes_its_own_test_and_registers(tmp_path: Path) -> None:
    done = python(tmp_path, "-m", "spawnfix", "new-rule", "no-globals")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "spawnfix-no-globals"
    tested = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout

    info = folder / "spawnfix_no_globals-0.1.0.dist-info"  # as an installer leaves it
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spawnfix-no-globals\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[spawnfix.rules]\nno-globals = spawnfix_no_globals:RULE\n")
    (tmp_path / "code.py").write_text("x = os.old_function(1)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "NO_COLOR": "1"}
    run: dict[str, Any] = {"cwd": tmp_path, "env": env, "capture_output": True, "text": True, "check": False}
    assert "no-globals" in subprocess.run([sys.executable, "-m", "spawnfix", "rules"], **run).stdout
    explained = subprocess.run([sys.executable, "-m", "spawnfix", "explain", "no-globals"], **run)
    assert "Use instead" in explained.stdout, explained.stderr
    done = subprocess.run([sys.executable, "-m", "spawnfix", "migrate", "code.py", "--no-git"], **run)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "code.py").read_text() == "x = os.new_function(1)\n"


@pytest.mark.parametrize("name", ["Name", "a_b", "", "-a", "a/../b"])
def test_new_rule_wants_the_name_of_a_rule(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = spawnfix("new-rule", "--", name, cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "a rule is called like dict-views" in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "cache"] or not list(tmp_path.iterdir())


def test_new_rule_does_not_take_the_name_of_another_rule(tmp_path: Path) -> None:
    done = spawnfix("new-rule", "lambdas", "--out", str(tmp_path / "out"), cache=tmp_path / "cache")
    assert done.returncode == 2
    assert done.stderr == "spawnfix: there is a rule called lambdas already; nothing was written\n"
    assert not (tmp_path / "out").exists()


def test_new_rule_overwrites_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spawnfix-mine").mkdir()
    done = spawnfix("new-rule", "mine", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "exists; nothing was written" in done.stderr
    assert not list((tmp_path / "spawnfix-mine").iterdir())


# The helper for tests


def _rule(title: str = "call it new", text: str = "new", **more: Any) -> Rule:
    def find(project: Any) -> Iterator[Finding]:
        for source in project.matching(re.compile("old")):
            for match in re.finditer(r"\bold\b", source.text):
                fix = Fix(title, (Edit(source.path, match.start(), match.end(), text),), **more)
                yield Finding("own", source.path, source.span(*match.span()), "old name", Confidence.LIKELY, fix=fix)

    return Rule(id="own", summary="", screen=re.compile(b"old"), find=find)


def test_cases_that_hold_pass() -> None:
    check_case(_rule(), Valid("x = 1"))
    check_case(_rule(), Valid("x = os.old", confidence=Confidence.PROVEN))
    check_case(_rule(), Invalid("x = os.old", "x = os.new", line=1, message="old name", count=1))
    check_case(
        _rule(),
        Invalid({"a.py": "x = os.old\n", "b.py": "y = 1\n"}, {"a.py": "x = os.new\n"}),
    )
    check_case(_rule(unsafe="it may differ"), Invalid("x = os.old", reason="it may differ"))
    check_case(_rule(unsafe="it may differ"), Invalid("x = os.old", "x = os.new", unsafe_fixes=True))


@each_row(
    ("case", "message"),
    [
        pytest.param(Valid("x = os.old"), r"finds something in code .*:\n  example.py:1: old name", id="valid"),
        pytest.param(Invalid("x = 1"), "own finds nothing", id="nothing"),
        pytest.param(Invalid("x = os.old", "x = os.other"), r"-x = os.other\n\+x = os.new", id="other text"),
        pytest.param(Invalid("x = os.old"), r"-x = os.old\n\+x = os.new", id="not expected to write"),
        pytest.param(Invalid("x = os.old", "x = os.new", line=2), "finds it in line 1, not 2", id="line"),
        pytest.param(
            Invalid("x = os.old", "x = os.new", message="young"), "not in the message: 'old name", id="message"
        ),
        pytest.param(Invalid("x = os.old", "x = os.new", reason="because"), "not in the reason: ''", id="reason"),
        pytest.param(Invalid("x = os.old", "x = os.new", count=2), "has 1 findings, not 2", id="count"),
    ],
)
def test_cases_that_do_not_hold_fail_and_say_why(case: Valid | Invalid, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_case(_rule(), case)


def test_a_file_that_is_not_looked_at_is_no_pass() -> None:
    rule = Rule("own", "", re.compile(b"x"), lambda project: (project.module("example.py") and []) or [])
    with pytest.raises(AssertionError, match="not looked at:\nexample"):
        check_case(rule, Valid("x = ("))


# LibCST's runner


@pytest.mark.slow
def test_the_runner_of_libcst_applies_a_rule(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from torch.utils.data import DataLoader\n\n\nclass Data:\n    def __init__(self, table):\n"
        "        self.names = table.keys()\n\n\ndef loader(table):\n    return DataLoader(Data(table), num_workers=2)\n"
    )
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    committed = [
        "git",
        "-C",
        str(tmp_path),
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "commit",
        "-qm",
        "x",
    ]
    subprocess.run(["git", "-C", str(tmp_path), "add", "-A"], check=True)
    subprocess.run(committed, check=True)
    with (tmp_path / "train.py").open("a") as file:
        file.write("# an edit that is not committed\n")
    done = python(tmp_path, "-m", "libcst.tool", "codemod", "-x", "--no-format", "spawnfix_libcst.DictViews", ".")
    assert "Transformed 1 files successfully" in done.stderr + done.stdout
    text = (tmp_path / "train.py").read_text()
    assert "list(table.keys())" in text
    assert text.endswith("# an edit that is not committed\n")


@pytest.mark.slow
def test_a_fix_of_several_files_is_left_to_migrate(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import argparse\n\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--local_rank", type=int, default=0)\nargs = parser.parse_args()\n'
        'dist.init_process_group("gloo")\nprint(args.local_rank)\n'
    )
    (tmp_path / "run.sh").write_text("python -m torch.distributed.launch --nproc_per_node=2 train.py\n")
    before = (tmp_path / "train.py").read_text()
    done = python(tmp_path, "-m", "spawnfix", "migrate", ".", "--no-git", "--dry-run")
    assert "run.sh" in done.stdout, done.stderr
    assert "train.py" in done.stdout
    done = python(tmp_path, "-m", "libcst.tool", "codemod", "-x", "--no-format", "spawnfix_libcst.DistLauncher", ".")
    assert "spawnfix migrate --select dist-launcher does them together" in done.stdout + done.stderr
    assert (tmp_path / "train.py").read_text() == before
