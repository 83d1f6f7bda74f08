"""`spawnfix demo`: a small repository that fails under spawn, migrated before the reader's eyes. Needs no torch."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax
from rich.text import Text

from .new_process import code_to_call
from .problem import Problem

_PROGRAM = ["evaluate.py", "--start-method"]
_TIMEOUT = 120
_REPOSITORY = Path(__file__).with_name("demo_repo")


def _environment(**more: str) -> dict[str, str]:
    """Ours, less git's: neither the reader's settings nor a GIT_DIR have a say in a throw-away repository."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {"NAME": "spawnfix demo", "EMAIL": "demo@localhost"}
    env |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    return {
        **env,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        **more,
    }


def run_demo(keep: Path | None = None, console: Console | None = None) -> int:
    """Write, run, migrate and run again the demo repository, in `keep` (a new or empty folder) if it shall stay.

    Returns 0 when the program that failed runs and prints what it should, else 2.
    Raises Problem when something is in the way.
    """
    console = console or Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    if shutil.which("git") is None:
        raise Problem("the demo needs git, and there is none on the PATH")
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise Problem(f"{keep} is not an empty folder")
    try:
        with _folder(keep) as repo:
            return _tell(repo, console, kept=keep is not None)
    except (OSError, subprocess.SubprocessError) as error:
        raise Problem(f"the demo could not be run: {error}") from None


def write_repository(target: Path) -> None:
    """Write the demo repository to `target`, with one commit."""
    shutil.copytree(_REPOSITORY, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for arguments in (["init", "--quiet"], ["symbolic-ref", "HEAD", "refs/heads/main"], ["add", "--all"]):
        _git(target, *arguments)
    _git(target, "commit", "--quiet", "--message", "Detector, evaluation and training")


def _tell(repo: Path, console: Console, *, kept: bool) -> int:
    write_repository(repo)
    files = _git(repo, "ls-files").split()
    console.print(
        f"A small research repository: {', '.join(name for name in files if not name.endswith('__init__.py'))}"
    )

    reference = None
    if hasattr(os, "fork"):
        _step(console, "Under fork, as it was written on Linux, it works")
        reference = _run(repo, "fork", console)

    _step(console, "Under spawn (macOS, Windows, CUDA in workers) it does not")
    broken = _run(repo, "spawn", console)
    if broken.returncode == 0:
        console.print("[red]the program should have failed; please report this[/]")
        return 2

    _step(console, "spawnfix migrate")
    migrated = _spawnfix(repo, "migrate", str(repo))
    console.print(Text((migrated.stdout + migrated.stderr).strip()))
    if migrated.returncode != 0:
        return 2
    diff = _git(repo, "diff", "main", "HEAD")
    coloured = Syntax("", "diff", theme="ansi_dark", background_color="default").highlight(diff.rstrip("\n"))
    console.print(coloured, soft_wrap=True)

    _step(console, "The same program, under spawn")
    mended = _run(repo, "spawn", console)
    if mended.returncode != 0 or (reference is not None and mended.stdout != reference.stdout):
        console.print("[red]the migrated program does not print what the original does; please report this[/]")
        return 2
    if reference is not None:
        console.print("The same output as under fork, byte for byte.")
    console.print(
        "\n[dim]train.py and scripts/train.sh are in the diff but were not run: they need torch and several processes"
        + (". Try `bash scripts/train.sh`, on branch main and on this one.[/]" if kept else ".[/]")
    )
    if kept:
        console.print(f"The repository is yours to look at: [bold]{escape(str(repo))}[/]", soft_wrap=True)
    else:
        console.print("[dim]The repository is gone; `spawnfix demo --keep FOLDER` leaves it to you.[/]")
    return 0


def _step(console: Console, title: str) -> None:
    console.print(f"\n[bold cyan]==> {title}[/]")


def _run(repo: Path, method: str, console: Console) -> subprocess.CompletedProcess[str]:
    """Run the program under a start method and show the command, what it printed, and of a traceback the end."""
    console.print(f"[bold]$ python {' '.join(_PROGRAM)} {method}[/]")
    done = _done(repo, [sys.executable, *_PROGRAM, method])
    if done.stdout:
        console.print(Text(done.stdout.rstrip("\n")))
    if done.returncode != 0:
        lines = done.stderr.rstrip("\n").splitlines()
        at = next((number for number, line in enumerate(lines) if "ForkingPickler(file" in line), len(lines) - 1)
        console.print(Text("\n".join(["Traceback (most recent call last):", "  ...", *lines[max(at - 1, 0) :]]), "red"))
    return done


def _spawnfix(repo: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The tool itself, as a command of its own; works from a checkout too."""
    return _done(repo, [sys.executable, "-c", code_to_call("commands", "main"), *arguments], NO_COLOR="1")


def _git(repo: Path, *arguments: str) -> str:
    done = _done(repo, ["git", *arguments])
    done.check_returncode()
    return done.stdout


def _done(repo: Path, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, run in the folder to its end."""
    return subprocess.run(
        command,
        cwd=repo,
        env=_environment(**environment),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_TIMEOUT,
        check=False,
    )


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="spawnfix-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder, "detector").resolve()
