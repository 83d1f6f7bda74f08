"""Every command in the documentation is run, or the table below says where else it is tried and why not here.

Lines of one block are run in turn, by a POSIX shell, in a repository with the files that the guides speak of; the
tutorial is one story. Lines for PowerShell are taken apart and given to the parser of the command line.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from typer.main import get_command

from codemods.commands import app
from codemods.demo import write_repository
from harness.case import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "editors/vscode/README.md",
    *(page for page in sorted((ROOT / "docs/guides").glob("*.md")) if page.name != "cookbook.md"),
]
_BLOCK = re.compile(r"^```(console|powershell)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"(?:\S*[\\/])?(?:bin|Scripts)[\\/](?=(?:spawnfix|python|pip)\b)")

# Begins of lines that are not run here, and why.
ELSEWHERE = {
    "git clone URL-OF-SPAWNFIX": "needs the network",
    "python3 -m venv": "release/check_wheel.sh and .ci/run install into a fresh environment",
    "pip ": "release/check_wheel.sh installs",
    "pipx ": "needs the network",
    "uvx ": "needs the network",
    "uv ": "needs the network",
    "docker ": "needs a Docker daemon",
    "npm ": "needs the network",
    "npx ": "needs the network",
    "cd editors/vscode": "the two lines after it need the network",
    "python -c": "only fails as it says: tests/test_demo.py shows a program before and after",
    "python -m libcst.tool": "LibCST's real runner: tests/test_own_rules.py",
    "spawnfix review": "serves until Ctrl-C: tests/review/test_check_page.py",
    "spawnfix migrate ../your-repo -i": "asks at a terminal: tests/review/test_interactive.py",
    "spawnfix migrate --interactive": "asks at a terminal: tests/review/test_interactive.py",
    "spawnfix migrate . --from ~/.cache": "the name differs: tests/diagnose/test_watch.py",
}
DASK = re.compile(r"--dask (?:tcp://\S+|\S+\.json|\S+\.yml)")  # tests/batch/test_batch_dask.py

TRAIN = """\
import multiprocessing


class Config:
    def __init__(self, ranges):
        self.ranges = ranges
        self.names = self.ranges.keys()


class Dataset:
    def __init__(self, config, scale):
        self.config = config
        self.scale = scale

    def __len__(self):
        return len(self.config.ranges)


def build_dataset():
    factor = 2
    return Dataset(Config({"car": 50, "truck": 40}), lambda x: x * factor)


def show(dataset):
    print(len(dataset), dataset.scale(2))


# The worker gets the dataset by spawn.
def main():
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=show, args=(build_dataset(),))
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()

#
#
#
"""
FILES = {
    "train.py": TRAIN,
    "pkg/__init__.py": "",
    "pkg/data.py": "class Loader:\n    dataset = [1, 2]\n\n\nloader = Loader()\n",
    "data.py": "from multiprocessing.pool import ThreadPool\n\n\ndef run(items):\n    with ThreadPool(2) as pool:\n"
    "        return pool.map(\n            # a thread\n            # needs\n            # no\n            # pickle\n"
    "            #\n            lambda x: x + 1, items)\n",
    "tests/test_train.py": "import train\n\n\ndef test_size():\n    assert len(train.build_dataset()) == 2\n",
    "Makefile": "test:\n\tpython -m pytest -q -p no:cacheprovider --junitxml=report.xml\n",
    "slurm-4711.out": "Traceback (most recent call last):\nTypeError: cannot pickle 'dict_keys' object\n",
    "repos.txt": "../your-repo\n",
    "spawnfix-decisions.json": '{"spawnfix-decisions": 1, "decisions": []}\n',
    ".gitignore": "report*\n.spawnfix*\n__pycache__\n",
}


def blocks(language: str) -> list[object]:
    found = []
    for page in PAGES:
        rows = [
            (page.read_text(encoding="utf-8")[: match.start()].count("\n") + 1, commands(match[2]))
            for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))
            if match[1] == language
        ]
        if page.name == "tutorial.md":
            rows = [(1, [line for _, lines in rows for line in lines])]
        found += [pytest.param(lines, id=f"{page.stem}-{at}") for at, lines in rows]
    return found


def commands(block: str) -> list[str]:
    """The commands in a block; where some lines begin with "$ ", the others are what these print."""
    lines = [line for line in block.splitlines() if line.strip()]
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    return [_PROGRAM.sub("", line).strip() for line in lines]


def is_elsewhere(line: str) -> bool:
    return any(line.startswith(begin) for begin in ELSEWHERE) or bool(DASK.search(line))


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository `work` with the files of the guides, `your-repo` beside it, and the programs that are called."""
    top = tmp_path_factory.mktemp("docs")
    for name in ("work", "your-repo"):
        repo = top / name
        write_repository(repo)
        for path, text in FILES.items():
            (repo / path).parent.mkdir(exist_ok=True)
            (repo / path).write_text(text, encoding="utf-8", newline="\n")
        for arguments in (["add", "--all"], ["commit", "--quiet", "--message", "More"],
                          ["update-ref", "refs/remotes/origin/main", "HEAD"]):  # fmt: skip
            git = ["git", "-c", "user.name=docs", "-c", "user.email=docs@localhost", *arguments]
            subprocess.run(git, cwd=repo, check=True)
    (top / "work/cli.py").write_text(f"import runpy\n\nrunpy.run_path({str(ROOT / 'cli.py')!r}, run_name='__main__')\n")
    (top / "bin").mkdir()
    for name, words in (
        ("python", ""),
        ("spawnfix", f' "{ROOT / "cli.py"}"'),
        ("pytest", " -m pytest -p no:cacheprovider"),
    ):
        (top / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        (top / "bin" / name).chmod(0o755)
    return top


@pytest.mark.slow
@pytest.mark.parametrize("lines", blocks("console"))
def test_commands_do_what_they_say(lines: list[str], playground: Path, tmp_path: Path) -> None:
    here = [line for line in lines if not is_elsewhere(line)]
    unknown = [line for line in here if not re.match(r"(?:spawnfix|python [a-z]+\.py|git|cd) ?", line)]
    assert not unknown, f"say in ELSEWHERE where these are tried: {unknown}"
    if not here:
        return
    for name in ("work", "your-repo"):
        shutil.copytree(playground / name, tmp_path / name, symlinks=True)
    script = "".join(f"{line}\nprintf '%s\\n' $? >>\"$CODES\"\n" for line in here)
    codes = tmp_path / "codes"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_"))},
        "PATH": os.pathsep.join((str(playground / "bin"), os.environ["PATH"])),
        "CODES": str(codes),
        "SPAWNFIX_CACHE_DIR": str(tmp_path / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PAGER": "cat",
        **{f"GIT_{role}_{what}": "docs" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(
        ["sh"],
        input=script,
        cwd=tmp_path if here[0].startswith("spawnfix demo --keep") else tmp_path / "work",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    ended = dict(zip(here, map(int, codes.read_text().split()), strict=True))
    fails = "--start-method spawn" in " ".join(here)  # programs that fail before they are migrated
    wrong = {
        line: code
        for line, code in ended.items()
        if code not in ((0, 1) if line.startswith(("spawnfix check", "spawnfix diagnose", "spawnfix explain"))
                        or "| spawnfix" in line or (fails and line.startswith("python")) else (0,))
    }  # fmt: skip
    assert not wrong, f"{wrong}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def test_the_powershell_lines_are_understood() -> None:
    """What stands before a `;` or a `|` is one command. Paths have backslashes there."""
    seen = 0
    for parameters in blocks("powershell"):
        for line in parameters.values[0]:  # type: ignore[attr-defined]
            for part in re.split(r"[;|]", line):
                words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', part.replace("2>&1", ""))]
                words = words[1:] if words[:1] == ["&"] else words
                if not words or words[0] != "spawnfix":
                    known = ("git", "py", "pip", "docker", "python", "Get-Content", "spawnfix")
                    assert words[0] in known, line
                    continue
                assert "/" not in part.replace("http://", ""), f"{line}: backslashes, on Windows"
                parsed(words[1:])
                seen += 1
    assert seen >= 3


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("lines", blocks("console"))
def test_options_and_arguments_are_those_of_the_command(lines: list[str]) -> None:
    """Also of commands that are not run here. `spawnfix` may stand anywhere in a line."""
    for line in lines:
        text = re.sub(r"\s#\s.*", "", line)
        if "spawnfix " not in text or text.startswith(("docker", "git clone", "pip", "uv", "cd ", "python3")):
            continue
        for part in re.split(r"[|;]|&&", text):
            words = shlex.split(re.sub(r"\d?[<>]&?\S*|<\s*\S+", "", part)) if "spawnfix" in part else []
            if words and words[0] == "spawnfix":
                parsed(words[1:])


def parsed(words: list[str]) -> None:
    """Let the parser of the command line read `words`; nothing is run."""
    command: click.Command = get_command(app)
    context = click.Context(command, info_name="spawnfix")
    while isinstance(command, click.Group):
        if words and words[0].startswith("-") and words[0] == "--version":
            return
        context.args = []
        rest = command.make_context(command.name or "", list(words), parent=context, resilient_parsing=False)
        name, found, words = command.resolve_command(rest, [*rest._protected_args, *rest.args])
        assert found is not None, name
        command, context = found, rest
    command.make_context(command.name or "", list(words), parent=context)


def test_nothing_is_said_to_be_elsewhere_that_is_not_there() -> None:
    lines = [line for parameters in blocks("console") for line in parameters.values[0]]  # type: ignore[attr-defined]
    unused = [begin for begin in ELSEWHERE if not any(line.startswith(begin) for line in lines)]
    assert not unused
    named = {path for reason in ELSEWHERE.values() for path in re.findall(r"tests/[\w/]+\.py|release/\w+\.sh", reason)}
    assert all((ROOT / path).exists() for path in named), json.dumps(sorted(named))
