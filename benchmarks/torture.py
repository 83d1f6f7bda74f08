"""Whose rewrite keeps the other bytes? The torture folder of the tests through spawnfix and its peers.

    python benchmarks/torture.py [--peers PYTHON] [--only NAME,..] [--details]

`--peers` is the interpreter of an environment with the peers; one that is missing is left out. Each kind of file is a
run of its own, so that a crash costs a tool that kind only. Every tool is asked for one rewrite that it has, in its own
words: `set([1, 2])` -> `{1, 2}`, or `ranges.keys()` -> `list(ranges.keys())`. Prints a Markdown table: how many of a
kind were rewritten with no other byte changed, or left alone with their name in the output (or nothing was to be done);
then, in brackets, `n silent`: the rewrite is missing and nobody says so; `n damaged`: other bytes changed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from harness.torture import Case, build, cases, tree  # noqa: E402

SECONDS = 600  # for one kind of file
SETS = (b"set([1, 2])", b"{1, 2}")
VIEWS = (b"ranges.keys()", b"list(ranges.keys())")


@dataclass(frozen=True)
class Tool:
    """`command` rewrites a folder; `edit` is what it was asked for; `module` is where it is installed."""

    name: str
    module: str
    edit: tuple[bytes, bytes]
    command: Callable[[str, Path], list[str]]


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*.py") if not path.is_symlink())


def _ours(python: str, folder: Path) -> list[str]:
    return [sys.executable, str(ROOT / "cli.py"), "migrate", "--no-git", "--select", "dict-views", str(folder)]


def _bin(python: str, name: str) -> str:
    return str(Path(python).parent / name)


def _own(python: str, what: str, folder: Path) -> list[str]:
    return [python, str(Path(__file__).resolve()), "--run", what, str(folder)]


TOOLS = (
    Tool("spawnfix", "codemods", VIEWS, _ours),
    Tool("ast-grep", "ast_grep_cli", SETS, lambda python, folder: [
        _bin(python, "ast-grep"), "run", "-p", "set([$$$A])", "-r", "{$$$A}", "-l", "python", "-U", str(folder),
    ]),
    Tool("ruff", "ruff", SETS, lambda python, folder: [
        _bin(python, "ruff"), "check", "--isolated", "--no-cache", "--select", "C405", "--fix", "--unsafe-fixes",
        str(folder),
    ]),
    Tool("pyupgrade", "pyupgrade", SETS, lambda python, folder: [
        python, "-m", "pyupgrade", "--py3-plus", *_files(folder),
    ]),
    Tool("LibCST codemod", "libcst", VIEWS, lambda python, folder: _own(python, "libcst", folder)),
    Tool("Fixit", "fixit", SETS, lambda python, folder: [
        _bin(python, "fixit"), "--rules", "fixit.rules.rewrite_to_literal:RewriteToLiteral", "fix", "-a", str(folder),
    ]),
    Tool("codemodder", "codemodder", SETS, lambda python, folder: [
        _bin(python, "codemodder"), "--codemod-include=pixee:python/use-set-literal", "--output", os.devnull,
        str(folder),
    ]),
    Tool("Bowler", "bowler", SETS, lambda python, folder: _own(python, "bowler", folder)),
)  # fmt: skip


def grade(case: Case, edit: tuple[bytes, bytes], after: tuple[bytes, int] | None, said: str) -> str:
    """`good`, `silent` or `damaged`."""
    old, new = edit
    if after is None or after[1] & 0o111 != case.mode & 0o111:
        return "damaged"
    due = case.data.count(old) == 1
    if due and after[0] == case.data.replace(old, new):
        return "good"
    if after[0] != case.data:
        return "damaged"
    name = Path(case.path).name
    named = {case.path, name, ascii(name)[1:-1], "".join(letter if letter.isprintable() else "?" for letter in name)}
    passed_over = case.reason == "" or not due
    return "good" if passed_over or any(each in said for each in named) else "silent"


def run(tool: Tool, python: str, kind: str) -> tuple[list[tuple[str, str]], str]:
    """[(path, grade)] of the files of `kind`, or of links; and how the tool ended when that was no good end."""
    with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
        folder = Path(work).resolve() / "torture"
        chosen = [case for case in cases() if case.path.startswith(f"{kind}/")]
        build(folder, iter(chosen or [next(cases())]))
        if kind != "link":
            for link in (folder / "link").iterdir():
                link.unlink()
            (folder / "link").rmdir()
        before = tree(folder.parent)
        ended, said = "", ""
        try:
            env = {**os.environ, "SPAWNFIX_CACHE_DIR": f"{work}-cache", "PYTHONWARNINGS": "ignore", "TERM": "dumb"}
            done = subprocess.run(
                tool.command(python, folder), capture_output=True, timeout=SECONDS, check=False, cwd=folder, env=env
            )
            said = (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
            if done.returncode < 0 or "Traceback (most recent call last)" in said:
                ended = "crashed"
        except subprocess.TimeoutExpired:
            ended = f"not done after {SECONDS} s"
        after = tree(folder.parent)
        if kind == "link":
            names = [path for path in before if "link/" in path or "-outside/" in path]
            return [(path, "good" if after.get(path) == before[path] else "damaged") for path in names], ended
        rows = [(case.path, grade(case, tool.edit, after.get(f"torture/{case.path}"), said)) for case in chosen]
        extra = [(path, "damaged") for path in after if path not in before]
        return rows + extra, ended


def main() -> None:
    """Run all, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=sys.executable, help="the interpreter of an environment with the peers")
    parser.add_argument("--only", default="", metavar="NAME,..")
    parser.add_argument("--details", action="store_true", help="name the files that were not good")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        {"libcst": _libcst, "bowler": _bowler}[given.run[0]](Path(given.run[1]))
        return
    kinds = list(dict.fromkeys(case.path.partition("/")[0] for case in cases()))
    numbers = Counter(case.path.partition("/")[0] for case in cases())
    heads = [f"{kind} ({numbers[kind]})" for kind in kinds] + ["link"]
    print(f"| tool | {' | '.join(heads)} | all |\n| --- |{' --- |' * (len(heads) + 1)}", flush=True)
    for tool in TOOLS:
        if given.only and tool.name not in given.only.split(","):
            continue
        if tool.module != "codemods" and not _has(given.peers, tool.module):
            continue
        cells, total, details = [], Counter[str](), []
        for kind in [*kinds, "link"]:
            rows, ended = run(tool, given.peers, kind)
            count = Counter(each for _, each in rows)
            total += count
            cells.append(_cell(count) + (f", {ended}" if ended else ""))
            details += [f"  {each}: {path!a}" for path, each in rows if each != "good"]
        print(f"| {tool.name} | {' | '.join(cells)} | **{_cell(total)}** |", flush=True)
        if given.details:
            print("\n".join(details), file=sys.stderr, flush=True)


def _cell(count: Counter[str]) -> str:
    rest = ", ".join(f"{count[each]} {each}" for each in ("silent", "damaged") if count[each])
    return f"{count['good']}" + (f" ({rest})" if rest else "")


def _has(python: str, module: str) -> bool:
    if module == "ast_grep_cli":  # a program and nothing to import
        return Path(_bin(python, "ast-grep")).exists()
    words = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", words], check=False).returncode == 0


def _libcst(folder: Path) -> None:
    from libcst.codemod import CodemodContext, parallel_exec_transform_with_prettyprint
    from libcst_views import ListStoredViews

    parallel_exec_transform_with_prettyprint(
        ListStoredViews(CodemodContext()), _files(folder), hide_progress=True, repo_root=str(folder)
    )


def _bowler(folder: Path) -> None:
    from bowler import Query
    from fissix.pytree import Leaf

    def literal(node: object, capture: dict[str, object], filename: object) -> object:
        return Leaf(1, "{1, 2}", prefix=getattr(node, "prefix", ""))

    query = Query([str(folder)]).select("power< 'set' trailer< '(' atom< '[' listmaker< '1' ',' '2' > ']' > ')' > >")
    query.modify(literal).execute(interactive=False, write=True, silent=True)


if __name__ == "__main__":
    main()
