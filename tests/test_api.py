"""What users import and run: the same in every working directory, also in one that has its own folder `codemods`."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codemods import api
from harness.case import ROOT

PROGRAM = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""
TEST = """\
from codemods.mine import ANSWER


def test_theirs():
    assert ANSWER == 42


def test_ours(assert_spawn_safe):
    assert_spawn_safe({"answer": ANSWER})
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that has a package `codemods` of its own, with the names of some of our modules."""
    home = tmp_path / "repository"
    for name in ("__init__.py", "version.py", "commands.py", "diagnose/__init__.py", "batch/__init__.py"):
        file = home / "codemods" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if name == "__init__.py" else "raise SystemExit('this module is not ours')\n")
    (home / "codemods" / "mine.py").write_text("ANSWER = 42\n")
    (home / "train.py").write_text(PROGRAM)
    (home / "test_mine.py").write_text(TEST)
    return home


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in `where`, which is on PYTHONPATH too, as many research repositories ask for."""
    path = os.pathsep.join([".", str(ROOT)])
    env = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "SPAWNFIX_CACHE_DIR": str(where.parent / "cache")}
    env.pop("PYTEST_ADDOPTS", None)  # options of this run that another repository doesn't know
    return subprocess.run([sys.executable, *arguments], cwd=where, env=env, capture_output=True, text=True, check=False)


def git(where: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(where), *who, *arguments], check=True, capture_output=True)


@pytest.mark.slow
def test_the_commands_run_where_a_folder_is_called_codemods(repository: Path) -> None:
    done = run(repository, "-m", "spawnfix", "check", ".", "--format", "json")
    assert done.returncode == 1, done.stderr
    assert [each["rule"] for each in json.loads(done.stdout)["findings"]] == ["lambdas"]

    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        git(repository, *arguments)
    (repository.parent / "list.txt").write_text(f"{repository}\n")
    batch = run(repository, "-m", "spawnfix", "batch", "../list.txt", "--out", "../out", "--jobs", "1")
    assert batch.returncode == 0, batch.stderr
    summary = json.loads((repository.parent / "out" / "summary.json").read_text())
    assert [each["status"] for each in summary["repos"]] == ["migrated"]

    done = run(repository, "-m", "spawnfix", "migrate", ".")
    assert done.returncode == 0, done.stderr
    assert "lambda" not in (repository / "train.py").read_text()


@pytest.mark.slow
def test_the_script_of_a_checkout_and_the_function_of_the_program(repository: Path) -> None:
    for arguments in (
        [str(ROOT / "cli.py"), "--version"],
        ["-c", "import sys, spawnfix; sys.argv = ['spawnfix', '--version']; spawnfix.main()"],
    ):
        done = run(repository, *arguments)
        assert (done.returncode, done.stdout) == (0, f"spawnfix {api_version()}\n"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["no-such-command"], 2), (["check", "."], 1)], ids=["0", "2", "1"]
)
def test_the_program_ends_with_its_code_when_all_is_written_and_exit_handlers_ran(
    arguments: list[str], code: int, repository: Path
) -> None:
    before = "import atexit, spawnfix; atexit.register(lambda: print('x' * 200_000 + 'handler')); spawnfix.program()"
    done = run(repository, "-c", before, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout.endswith("x" * 200_000 + "handler\n") and done.stdout.count("handler") == 1


def api_version() -> str:
    from codemods.version import __version__

    return __version__


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--spawnfix",)], ids=["plain", "watching loaders"])
def test_pytest_runs_the_tests_of_a_repository_with_a_package_codemods(
    options: tuple[str, ...], repository: Path
) -> None:
    done = run(repository, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


@pytest.mark.slow
def test_import_spawnfix_beside_a_package_codemods(repository: Path) -> None:
    code = """
import spawnfix
from spawnfix import Confidence, Settings
import spawnfix.diagnose.probe
from codemods.mine import ANSWER

assert ANSWER == 42
assert [found.rule for found in spawnfix.check(".").findings] == ["lambdas"]
assert spawnfix.check(".", Settings(select=("dict-views",))).findings == ()
assert spawnfix.diagnose({"a": 1}, child=False).obstacles == ()
assert set(spawnfix.__all__) <= set(dir(spawnfix))
assert all(getattr(spawnfix, name) is not None for name in spawnfix.__all__)
try:
    spawnfix.nothing
except AttributeError as error:
    print(error)
"""
    done = run(repository, "-c", code)
    assert done.stdout == "module 'spawnfix' has no attribute 'nothing'\n", done.stderr


@pytest.mark.slow
def test_import_is_light() -> None:
    code = "import sys, spawnfix; print(*(name for name in ('libcst', 'typer', 'rich', 'git') if name in sys.modules))"
    done = run(ROOT, "-c", code)
    assert done.stdout.split() == [], done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def test_check_plan_and_migrate(folder: Path) -> None:
    (found,) = api.check(folder).findings
    assert (found.rule, found.path, found.span.line, found.confidence) == (
        "lambdas",
        "train.py",
        5,
        api.Confidence.PROVEN,
    )
    planned = api.plan(folder, git=False)
    assert "lambda" not in planned.contents["train.py"].decode()
    assert api.migrate(folder, git=False, dry_run=True).contents == planned.contents
    assert (folder / "train.py").read_text() == PROGRAM
    assert api.migrate(folder, git=False).contents == planned.contents
    assert (folder / "train.py").read_bytes() == planned.contents["train.py"]
    assert api.check(folder).findings == ()


def test_settings_are_those_of_the_folder_unless_others_are_passed(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.spawnfix]\nignore = ["lambdas"]\n')
    assert api.read_settings(folder).ignore == ("lambdas",)
    assert api.check(folder).findings == ()
    assert len(api.check(folder, api.Settings()).findings) == 1


def test_what_a_user_got_wrong_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(api.Problem, match="no such file or folder"):
        api.check(tmp_path / "nowhere")
    with pytest.raises(api.Problem, match="no rule called 'lambda'"):
        api.explain("lambda")


def test_explain_gives_text(folder: Path) -> None:
    assert api.explain("dict-views").startswith("#")
    text = api.explain("AttributeError: Can't pickle local object 'loader.<locals>.<lambda>'", folder)
    assert "train.py:5" in text


def test_diagnose_names_the_path() -> None:
    class Dataset:
        def __init__(self) -> None:
            self.lock = threading.Lock()

    (first, *_) = api.diagnose(Dataset(), "dataset", child=False).obstacles
    assert first.path.startswith("dataset")
    assert api.diagnose([1, 2], child=False).obstacles == ()


def test_in_threads_and_in_an_event_loop(folder: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(api.check, [folder] * 4))
    assert [len(report.findings) for report in reports] == [1] * 4

    async def both() -> list[int]:
        done = await asyncio.gather(*(asyncio.to_thread(api.check, folder) for _ in range(2)))
        return [len(report.findings) for report in done]

    assert asyncio.run(both()) == [1, 1]


def test_the_module_its_types_and_the_api_have_the_same_names() -> None:
    text = (ROOT / "spawnfix.py").read_text(encoding="utf-8")
    lists = [
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    names = set(ast.literal_eval(lists[0]))
    stubs = set(re.findall(r" as (\w+)$", (ROOT / "spawnfix-stubs" / "__init__.pyi").read_text("utf-8"), re.MULTILINE))
    assert names == {*api.__all__, "main", "__version__"} == {*stubs, "main"}
