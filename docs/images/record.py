"""Records the pictures of the documentation from real commands: `python docs/images/record.py [NAME...]`.

Each picture is a story: commands, run in turn in the repository of `spawnfix demo`, with what they print. What is shown
is what is run. Needs a POSIX shell.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from codemods.demo import write_repository  # noqa: E402

WIDTH = 104
_STDLIB = sysconfig.get_paths()["stdlib"]
_FAILS = "python evaluate.py --start-method spawn"


@dataclass(frozen=True)
class Step:
    """A command, the exit code that it must end with, and how many of its last lines are shown."""

    command: str
    code: int = 0
    most: int = 40
    hidden: bool = False


PICTURES: dict[str, tuple[Step, ...]] = {
    "demo": (
        Step(_FAILS, 1, 3),
        Step("spawnfix check . --select dict-views", 1),
        Step("spawnfix migrate ."),
        Step("git diff -U0 main -- evaluate.py"),
        Step(_FAILS, 0, 10),
    ),
    "tutorial-1-error": (Step(_FAILS, 1, 6), Step(f"{_FAILS} 2>&1 | spawnfix diagnose - --quiet", 1)),
    "tutorial-2-check": (Step("spawnfix check .", 1, 60),),
    "tutorial-3-migrate": (Step("spawnfix migrate ."),),
    "tutorial-4-review": (
        Step("spawnfix migrate .", hidden=True),
        Step("git log --oneline --stat main..", most=30),
        Step("git show --stat --format=%B HEAD", most=40),
    ),
    "tutorial-5-run": (
        Step("spawnfix migrate .", hidden=True),
        Step(_FAILS, 0, 10),
        Step("spawnfix migrate ."),
    ),
}


def main(names: list[str]) -> None:
    """Record the pictures `names` (none: all)."""
    for name in names or PICTURES:
        target = HERE / f"{name}.svg"
        target.write_text(recorded(PICTURES[name]), encoding="utf-8", newline="\n")
        print(f"wrote {target.relative_to(ROOT)}")


def recorded(story: tuple[Step, ...]) -> str:
    """The picture of one story, as SVG. Raises SystemExit when a command ends as it must not."""
    console = Console(record=True, width=WIDTH, force_terminal=True, color_system="truecolor", file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        repo, programs = Path(folder, "detector"), Path(folder, "bin")
        write_repository(repo)
        _programs(programs)
        for step in story:
            lines = _run(step, repo, programs)
            if step.hidden:
                continue
            console.print(Text.assemble(("$ ", "bold green"), (step.command, "bold")))
            for line in (["  ..."] if len(lines) > step.most else []) + lines[-step.most :]:
                console.print(Text.from_ansi(line))
            console.print()
    # without the web fonts that Rich would have every reader fetch
    # (and with blanks kept by viewers that take a no-break space for white space)
    style = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    style = style.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return console.export_svg(title="spawnfix", code_format=style)


def _programs(folder: Path) -> None:
    """`python` and `spawnfix`, as the commands call them."""
    folder.mkdir()
    for name, arguments in (("python", ""), ("spawnfix", f' "{ROOT / "cli.py"}"')):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', encoding="utf-8")
        program.chmod(0o755)


def _run(step: Step, folder: Path, programs: Path) -> list[str]:
    """What a command prints, in colour."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    env |= {"GIT_AUTHOR_NAME": "demo", "GIT_AUTHOR_EMAIL": "demo@localhost", "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"GIT_COMMITTER_NAME": "demo", "GIT_COMMITTER_EMAIL": "demo@localhost", "GIT_PAGER": "cat"}
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "color.ui", "GIT_CONFIG_VALUE_0": "always"}
    env |= {"PATH": os.pathsep.join((str(programs), env["PATH"])), "SPAWNFIX_CACHE_DIR": str(programs.parent / "cache")}
    done = subprocess.run(
        ["sh", "-c", step.command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != step.code:
        sys.exit(f"{step.command} ended with {done.returncode}, not {step.code}:\n{done.stdout}")
    return done.stdout.rstrip("\n").replace(str(folder), "detector").replace(_STDLIB, "lib").splitlines()


if __name__ == "__main__":
    main(sys.argv[1:])
