"""Repositories with several attacks at once, drawn at random: nothing runs, nothing outside changes, all is said.

`benchmarks/hostile.py` draws as many as are wanted.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_foreign_git import (
    extension_of_the_users_lfs,
    helpers_of_every_kind,
    hooks_by_configuration,
    included_when_our_branch_is_there,
)
from test_foreign_git_again import ATTACKS, spawnfix, state

from harness.repositories import git, own_home
from harness.torture import BODY

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))

from test_hostile import BOMBS, MONSTERS

__all__ = ["own_home"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="pipes and links")]
CONFIGURED = (
    extension_of_the_users_lfs, helpers_of_every_kind, hooks_by_configuration, included_when_our_branch_is_there,
)  # fmt: skip
CODE = ("conftest.py", "setup.py", "sitecustomize.py", "spawnfix.py", "json.py", "torch/__init__.py", "rules.py")
SETTINGS = (
    '[tool.spawnfix]\nrules = ["rules.py", "../outside/secret.py"]\n',
    '[tool.spawnfix]\nexclude = ["../**", "/etc/*", "\\\\..\\\\*"]\n',
    '[build-system]\nbuild-backend = "rules"\nbackend-path = ["."]\n',
)


def drawn(seed: int, place: Path) -> tuple[Path, list[str]]:
    """A repository in `place` with two to six attacks, which are named."""
    chance = random.Random(seed)
    repo, outside = place / "repo", place / "outside"
    (repo / "pkg").mkdir(parents=True)
    outside.mkdir()
    (repo / "a.py").write_text(BODY)
    (repo / "pkg/b.py").write_text("x = 1\n")
    git(repo, "init", "-q")
    (outside / "secret.py").write_text(BODY)
    program = outside / "evil.sh"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {outside}/marker\ncat\n")
    program.chmod(0o755)
    for name in chance.sample(CODE, 2):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text(f"import os\nos.mkdir({str(outside / 'marker')!r})\nraise SystemExit(3)\n")
    if chance.random() < 0.3:
        bomb = chance.choice([*BOMBS.values(), *SETTINGS])
        (repo / "pyproject.toml").write_text(bomb)
    used = []
    if chance.random() < 0.2:
        used = [chance.choice([*MONSTERS])]
        (repo / used[0]).write_text(MONSTERS[used[0]], encoding="utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "one")
    chosen = chance.sample([*ATTACKS, *("configured",) * 20, *("noise",) * 20], chance.randint(2, 6))
    before = signal.signal(signal.SIGALRM, _too_slow)
    for name in sorted(chosen, key=lambda name: "pipe" in name):  # what makes them waits for a pipe
        signal.alarm(10)
        try:
            if name == "configured":
                chance.choice(CONFIGURED)(repo, program, Path(os.environ["HOME"]))
            elif name == "noise":
                _noise(chance, repo)
            else:
                ATTACKS[name](repo, outside)
            used.append(name)
        except (OSError, AssertionError, subprocess.CalledProcessError, ValueError, IndexError):
            continue  # it does not go with those before it
        finally:
            signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    return repo, used


def _too_slow(*_: object) -> None:
    raise OSError("waits for a pipe")


def _noise(chance: random.Random, repo: Path) -> None:
    """Some bytes of a file of the git folder are others."""
    files = [path for path in sorted((repo / ".git").rglob("*")) if path.is_file() and not path.is_symlink()]
    files = [path for path in files if path.suffix != ".sample" and path.stat().st_size < 2**20]
    file = chance.choice(files)
    data = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randint(0, 4)] = chance.choice(
            (b"\0", b"\xff" * 8, b"../", b"\n[core]\n\tfsmonitor = x\n", b"/etc/passwd", b"")
        )
    file.chmod(0o644)
    file.write_bytes(bytes(data))


def tried(seed: int, place: Path) -> tuple[list[str], list[int]]:
    """The attacks, and the exit codes of `check` and `migrate`. Raises AssertionError for anything that is wrong."""
    repo, used = drawn(seed, place)
    (place / "outside/marker").unlink(missing_ok=True)  # of the git that made the attacks
    before, home = state(place / "outside"), state(Path(os.environ["HOME"]))
    names = {path.name for path in place.iterdir()} | {"cache"}
    codes = []
    for arguments in (["check", repo], ["migrate", repo]):
        codes.append(spawnfix(*arguments).returncode)
        assert state(place / "outside") == before and not (place / "outside/marker").exists(), used
        now = {path: data for path, data in state(Path(os.environ["HOME"])).items() if "/cache/" not in path}
        changed = {path for path, _ in now.items() ^ home.items() if "/cache/" not in path}
        assert not changed, (used, changed)
        assert {path.name for path in place.iterdir()} <= names, used
    return used, codes


@pytest.mark.parametrize("seed", range(700, 712))
def test_attacks_together(tmp_path: Path, seed: int) -> None:
    tried(seed, tmp_path)
