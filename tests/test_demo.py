"""`spawnfix demo`: the first thing that a newcomer runs has to work."""

from __future__ import annotations

import importlib.util
import io
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from codemods.demo import run_demo
from codemods.problem import Problem
from harness.case import read_tree
from harness.programs import run


def demo(keep: Path | None = None) -> tuple[int, str]:
    console = Console(file=io.StringIO(), width=80, color_system=None)
    code = run_demo(keep, console)
    assert isinstance(console.file, io.StringIO)
    return code, console.file.getvalue()


def git(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo") / "repo"
    code, told = demo(folder)
    assert code == 0, told
    return folder, told


@pytest.mark.slow
@pytest.mark.in_process
def test_demo_shows_the_real_error_the_diff_and_the_program_running(kept: tuple[Path, str]) -> None:
    _, told = kept
    error = told.index("TypeError: cannot pickle 'dict_keys' object")
    diff = told.index("+        self.class_names = list(self.class_range.keys())")
    result = "pedestrian    156 in range"
    assert told.index(result) < error < diff < told.rindex(result)


@pytest.mark.slow
@pytest.mark.in_process
def test_long_lines_of_the_diff_are_whole(kept: tuple[Path, str]) -> None:
    repo, told = kept
    diff = git(repo, "diff", "main", "HEAD")
    assert max(map(len, diff.splitlines())) > 80
    assert diff in told
    assert f"yours to look at: {repo}\n" in told


@pytest.mark.slow
def test_demo_migrates_all_four_hazards(kept: tuple[Path, str]) -> None:
    repo, _ = kept
    assert git(repo, "branch", "--show-current").strip() == "spawnfix/migrate"
    rules = git(repo, "log", "--format=%(trailers:key=Spawnfix-Rule,valueonly,separator=)", "main..HEAD").split()
    assert sorted(rules) == ["dict-views", "dist-launcher", "lambdas", "model-deepcopy"]
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_training_that_the_demo_only_shows_runs_too(kept: tuple[Path, str], tmp_path: Path) -> None:
    repo, _ = kept
    git(repo, "worktree", "add", str(tmp_path / "before"), "main")
    before = run("PORT=$FREE_PORT bash scripts/train.sh", tmp_path / "before", None)
    assert before.code != 0 and "unrecognized arguments: --local-rank" in before.stderr, str(before)
    after = run("PORT=$FREE_PORT bash scripts/train.sh", repo, None)
    assert after.code == 0 and after.stdout.startswith("loss "), str(after)


@pytest.mark.slow
@pytest.mark.in_process
def test_demo_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", "elsewhere")  # as in a git hook
    code, told = demo()
    assert code == 0, told
    assert read_tree(tmp_path) == {}


def test_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(Problem, match="not an empty folder"):
        demo(tmp_path)
    assert read_tree(tmp_path) == {"mine": (b"x", False)}


def test_machine_without_git_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Problem, match="needs git"):
        demo()


def test_what_it_tells_goes_to_the_output_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def tell(repo: Path, console: Console, *, kept: bool) -> int:
        told.append(console)
        console.print("1 " * 200)
        return 0

    told: list[Console] = []
    monkeypatch.setattr("codemods.demo._tell", tell)
    monkeypatch.setenv("FORCE_COLOR", "1")  # numbers are not coloured; a pipe has no width
    assert run_demo(tmp_path) == 0
    assert capsys.readouterr().out == "1 " * 200 + "\n"
    given = Console(file=io.StringIO())
    assert run_demo(tmp_path, given) == 0 and told[1:] == [given]
