"""Records `docs/images/demo.svg`, the picture in README.md, from real commands: `python docs/images/record.py`."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from codemods.demo import write_repository  # noqa: E402

WIDTH = 104
_STDLIB = sysconfig.get_paths()["stdlib"]
_EVALUATE = [sys.executable, "evaluate.py", "--start-method", "spawn"]
_TOOL = [sys.executable, str(ROOT / "cli.py")]
_STORY: list[
    tuple[str, list[str], int, int]
] = [  # what is shown, what is run, its exit code, lines shown (from the end)
    ("python evaluate.py --start-method spawn", _EVALUATE, 1, 3),
    ("spawnfix check . --select dict-views", [*_TOOL, "check", ".", "--select", "dict-views"], 1, 40),
    ("spawnfix migrate .", [*_TOOL, "migrate", "."], 0, 40),
    ("git diff -U0 main -- evaluate.py", ["git", "diff", "--color=always", "-U0", "main", "--", "evaluate.py"], 0, 40),
    ("python evaluate.py --start-method spawn", _EVALUATE, 0, 10),
]


def main() -> None:
    """Run the story and write the picture."""
    console = Console(record=True, width=WIDTH, force_terminal=True, color_system="truecolor", file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder, "detector")
        write_repository(repo)
        for shown, command, code, most in _STORY:
            console.print(Text.assemble(("$ ", "bold green"), (shown, "bold")))
            lines = _run(command, repo, code)
            for line in (["  ..."] if len(lines) > most else []) + lines[-most:]:
                console.print(Text.from_ansi(line))
            console.print()
    # without the web fonts that Rich would have every reader fetch
    # (and with blanks kept by viewers that take a no-break space for white space)
    style = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    style = style.replace("<svg ", '<svg xml:space="preserve" ', 1)
    target = ROOT / "docs" / "images" / "demo.svg"
    target.write_text(console.export_svg(title="spawnfix", code_format=style), encoding="utf-8", newline="\n")
    print(f"wrote {target.relative_to(ROOT)}")


def _run(command: list[str], folder: Path, code: int) -> list[str]:
    """What a command prints, in colour. Raises SystemExit when it does not end with `code`."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    env |= {"GIT_AUTHOR_NAME": "demo", "GIT_AUTHOR_EMAIL": "demo@localhost"}
    env |= {"GIT_COMMITTER_NAME": "demo", "GIT_COMMITTER_EMAIL": "demo@localhost", "GIT_PAGER": "cat"}
    done = subprocess.run(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    if done.returncode != code:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, not {code}:\n{done.stdout}")
    return done.stdout.rstrip("\n").replace(str(folder), "detector").replace(_STDLIB, "lib").splitlines()


if __name__ == "__main__":
    main()
