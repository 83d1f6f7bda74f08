"""Starting in a repository that has findings: only what is new, a baseline, comments that suppress."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_decisions import CONFIG, TRAIN, repo

from harness.repositories import git, own_home
from harness.tool import spawnfix

__all__ = ["own_home", "repo"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def found(repo: Path, cache: Path, *more: str) -> list[tuple[str, str]]:
    done = spawnfix("check", str(repo), "--format", "json", "--exit-zero", *more, cache=cache)
    assert done.returncode == 0, done.stderr
    return [(row["rule"], row["path"]) for row in json.loads(done.stdout)["findings"]]


@pytest.mark.slow
@pytest.mark.in_process
def test_since_reports_what_is_in_changed_files_or_reached_from_them(repo: Path, cache: Path) -> None:
    everything = found(repo, cache)
    assert everything == [("dict-views", "config.py"), ("lambdas", "train.py"), ("lambdas", "train.py")]
    assert found(repo, cache, "--since", "HEAD") == []
    (repo / "train.py").write_text(f"{TRAIN}\n# more\n")
    assert found(repo, cache, "--since", "HEAD") == everything[1:]
    git(repo, "commit", "-qam", "two")
    assert found(repo, cache, "--since", "HEAD") == []
    assert found(repo, cache, "--since", "HEAD~1") == everything[1:]
    assert found(repo / "train.py", cache, "--since", "HEAD~1") == everything[1:]
    done = spawnfix("check", str(repo), "--since", "HEAD~1", cache=cache)
    assert "Not counted: 1 that have nothing to do with what changed since HEAD~1." in done.stdout
    # the view is taken in config.py; the call that pickles it is in a file that changed
    (repo / "config.py").write_text(CONFIG.partition("\n\ndef save")[0] + "\n")
    (repo / "use.py").write_text("import pickle\n\nfrom config import Config\n\nprint(pickle.dumps(Config({})))\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qam", "three")
    (repo / "use.py").write_text((repo / "use.py").read_text() + "# more\n")
    assert found(repo, cache, "--since", "HEAD") == [("dict-views", "config.py")]


def test_since_is_where_the_branch_left(repo: Path, cache: Path) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    (repo / "config.py").write_text(f"{CONFIG}\n# mine\n")
    git(repo, "commit", "-qam", "mine")
    git(repo, "checkout", "-q", "main")
    (repo / "train.py").write_text(f"{TRAIN}\n# theirs\n")
    git(repo, "commit", "-qam", "theirs")
    git(repo, "checkout", "-q", "feature")
    assert found(repo, cache, "--since", "main") == [("dict-views", "config.py")]


def test_since_fixes_only_what_is_new(repo: Path, cache: Path) -> None:
    (repo / "config.py").write_text(f"{CONFIG}\n# more\n")
    git(repo, "commit", "-qam", "two")
    done = spawnfix("migrate", str(repo), "--since", "HEAD~1", cache=cache)
    assert done.returncode == 0 and "lambdas: 0 fixed, 2 left as is" in done.stderr, done.stderr
    assert "list(ranges.keys())" in (repo / "config.py").read_text() and (repo / "train.py").read_text() == TRAIN


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "migrate"])
@pytest.mark.parametrize("revision", ["no-such-branch", "--help", ""])
def test_an_unknown_revision_stops_the_run(command: str, revision: str, repo: Path, cache: Path) -> None:
    done = spawnfix(command, str(repo), f"--since={revision}", cache=cache)
    assert done.returncode == 2 and "no such commit here" in done.stderr
    assert git(repo, "branch", "--show-current") == "main"


def test_a_baseline_leaves_out_what_it_lists_and_no_more(repo: Path, cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    done = spawnfix("check", str(repo), "--write-baseline", str(file), cache=cache)
    assert done.returncode == 0 and "3 findings" in done.stderr
    rows = json.loads(file.read_text())["findings"]
    assert {"rule": "dict-views", "path": "config.py", "code": "self.names = ranges.keys()"} in rows and len(rows) == 3
    done = spawnfix("check", str(repo), "--baseline", str(file), cache=cache)
    assert done.returncode == 0 and "Nothing found in 2 files." in done.stdout
    assert f"Not counted: 3 in the baseline {file}." in done.stdout
    more = TRAIN.replace("import DataLoader", "import DataLoader\n\nA = 1") + (
        "\n\ndef again(data):\n"
        "    return DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(number))\n"
    )
    (repo / "train.py").write_text(more)  # the same line once more, and all others moved
    assert found(repo, cache, "--baseline", str(file)) == [("lambdas", "train.py")]
    git(repo, "commit", "-qam", "two")
    done = spawnfix("migrate", str(repo), "--baseline", str(file), cache=cache)
    assert done.returncode == 0 and "lambdas: 2 fixed, 1 left as is" in done.stderr, done.stderr
    # equal functions become one: that of the new line, and so that of the listed line with the same text
    assert (repo / "train.py").read_text().count("lambda") == 1 and (repo / "config.py").read_text() == CONFIG
    git(repo, "checkout", "-q", "main")
    (repo / "config.py").write_text("")
    done = spawnfix("check", str(repo), "--baseline", str(file), cache=cache)
    assert "1 of its findings are not there any more" in done.stderr


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"spawnfix-baseline": 2, "findings": []}', '{"spawnfix-baseline": 1, "findings": [{"rule": 1}]}'],
)
def test_a_baseline_that_is_not_understood_stops_the_run(text: str, repo: Path, cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text)
    for command in ("check", "migrate"):
        done = spawnfix(command, str(repo), "--baseline", str(file), cache=cache)
        assert done.returncode == 2 and str(file) in done.stderr
    done = spawnfix("check", str(repo), "--baseline", str(tmp_path / "none"), cache=cache)
    assert done.returncode == 2 and "--write-baseline writes one" in done.stderr


def test_suppressions_are_counted_and_those_without_effect_are_named(repo: Path, cache: Path) -> None:
    text = TRAIN.replace("for row in rows])", "for row in rows])  # spawnfix: ignore[lambdas]")
    text = text.replace("import Config\n", "import Config  # spawnfix: ignore\n")
    text = text.replace("import DataLoader\n", "import DataLoader  # spawnfix: ignore[lambda]\n")
    (repo / "train.py").write_text(text + 'X = "# spawnfix: ignore"\n')
    for _ in range(2):  # made now, and out of the cache
        done = spawnfix("check", str(repo), cache=cache)
        assert "Not counted: 1 suppressed by comments." in done.stdout
        assert "train.py:2  suppression  no rule called 'lambda' (did you mean 'lambdas'?)\n" in done.stdout
        assert "train.py:4  suppression  nothing is found here that this comment could suppress\n" in done.stdout
        assert done.stdout.count("  suppression  ") == 2
    done = spawnfix("check", str(repo), "--select", "dict-views", cache=cache)
    assert "train.py:4" not in done.stdout  # other rules, which did not run, may need it


def test_add_ignores_writes_comments_that_suppress_and_change_no_code(repo: Path, cache: Path) -> None:
    (repo / "run.sh").write_text("python -m torch.distributed.launch \\\n  --nproc_per_node=2 \\\n  train.py\n")
    (repo / "crlf.py").write_bytes(CONFIG.replace("keys()", "keys()  # old").replace("\n", "\r\n").encode())
    git(repo, "add", ".")
    before = found(repo, cache)
    assert len(before) >= 4
    done = spawnfix("check", str(repo), "--select", "lambdas,dict-views", "--add-ignores", cache=cache)
    assert done.returncode == 0 and "suppressed 4 findings in 3 files" in done.stderr, done.stderr
    assert "        self.names = ranges.keys()  # spawnfix: ignore[dict-views]\n" in (repo / "config.py").read_text()
    data = (repo / "crlf.py").read_bytes()
    assert b"keys()  # old  # spawnfix: ignore[dict-views]\r\n" in data and data.count(b"\n") == data.count(b"\r\n")
    assert found(repo, cache, "--select", "lambdas,dict-views") == []
    text = (repo / "train.py").read_text()
    assert "".join(part.partition("  # spawnfix")[0] + "\n" for part in text.splitlines()) == TRAIN
    again = spawnfix("check", str(repo), "--select", "lambdas,dict-views", "--add-ignores", cache=cache)
    assert "suppressed 0 findings in 0 files" in again.stderr and (repo / "train.py").read_text() == text
