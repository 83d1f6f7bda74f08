"""How long spawnfix takes, as ratios to peers on the same files in the same run: `python benchmarks/run.py [FOLDER]`.

FOLDER is read, never written; without one, Python's own standard library (less its tests). How to read the table:
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_STDLIB = Path(sysconfig.get_paths()["stdlib"])
_LEFT_OUT = ("site-packages", "dist-packages", "__pycache__", ".git", "lib2to3", "bad_coding*", "badsyntax*")


@dataclass(frozen=True)
class Measured:
    """One command: wall seconds, peak resident memory in MiB (of the largest of its processes), files it changed."""

    name: str
    seconds: float
    mebibytes: float
    changed: int | None = None


def main() -> int:
    """Measure, print the table. Exits 1 when a command failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=_STDLIB)
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="take the fastest of N runs (default 1)")
    # the commands that are measured are this script's own, each in a process of its own
    parser.add_argument("--only", choices=["ast", "libcst"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        {"ast": _ast, "libcst": _libcst}[arguments.only](arguments.folder)
        return 0
    with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
        rows, files, lines = _measure(arguments.folder, Path(work), arguments.repeat)
    base = rows[0].seconds
    print(f"{files} Python files, {lines} lines, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    print(f"{'':<44}{'seconds':>9}{'× ast':>8}{'MiB':>7}{'changed':>9}")
    for row in rows:
        changed = "" if row.changed is None else str(row.changed)
        print(f"{row.name:<44}{row.seconds:>9.2f}{row.seconds / base:>8.2f}{row.mebibytes:>7.0f}{changed:>9}")
    by_name = {row.name: row.seconds for row in rows}
    print(
        f"\nthe equal rewrite: spawnfix takes {by_name[_MIGRATE] / by_name[_LIBCST]:.3f} × the time of LibCST's runner"
    )
    return 0


_LIBCST = "LibCST's codemod runner, stored views"
_MIGRATE = "spawnfix migrate, stored views, no cache"


def _measure(folder: Path, work: Path, repeat: int) -> tuple[list[Measured], int, int]:
    original = work / "original"
    left_out = (*_LEFT_OUT, "test", "tests") if folder == _STDLIB else _LEFT_OUT
    shutil.copytree(folder, original, ignore=shutil.ignore_patterns(*left_out), symlinks=True)
    paths = _python_files(original)
    lines = sum(path.read_bytes().count(b"\n") for path in paths)
    own = [sys.executable, str(Path(__file__).resolve())]
    tool = [sys.executable, str(ROOT / "cli.py")]
    equal = ["--select", "dict-views", "--confidence", "possible", "--unsafe-fixes"]
    check = ["check", "--exit-zero", "--format", "json"]

    def best(name: str, command: Sequence[str], *, rewrites: bool = False) -> Measured:
        runs = []
        for number in range(repeat):
            # a command that writes gets a copy of its own each time; the files are in the page cache by then
            target = work / f"copy{number}"
            if rewrites:
                shutil.copytree(original, target, symlinks=True)
            seconds, mebibytes = _timed([*command, str(target if rewrites else original)], work / "cache")
            changed = None
            if rewrites:
                changed = sum(path.read_bytes() != (target / path.relative_to(original)).read_bytes() for path in paths)
                shutil.rmtree(target)
            runs.append(Measured(name, seconds, mebibytes, changed))
        return min(runs, key=lambda run: run.seconds)

    # before there is a cache, every run is one without
    caches = "--no-cache" in subprocess.run([*tool, "check", "--help"], capture_output=True, text=True).stdout
    cold = ["--no-cache"] if caches else []
    rows = [
        best("ast.parse of every file", [*own, "--only", "ast"]),
        best("spawnfix check, all rules, no cache", [*tool, *check, *cold]),
    ]
    if caches:
        _timed([*tool, *check, str(original)], work / "cache")  # fills it
        rows.append(best("spawnfix check, all rules, warm cache", [*tool, *check]))
    rows += [
        best(_MIGRATE, [*tool, "migrate", "--no-git", *cold, *equal], rewrites=True),
        best(_LIBCST, [*own, "--only", "libcst"], rewrites=True),
    ]
    return rows, len(paths), lines


def _timed(command: Sequence[str], cache: Path) -> tuple[float, float]:
    """Wall seconds and peak MiB of a command. Raises SystemExit when it fails."""
    env = {**os.environ, "SPAWNFIX_CACHE_DIR": str(cache)}
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{errors.read().decode(errors='replace')[-4000:]}")
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts in bytes, others in KiB
    return seconds, usage.ru_maxrss / unit


def _python_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if path.is_file() and not path.is_symlink())


def _ast(folder: Path) -> None:
    warnings.simplefilter("ignore")
    for path in _python_files(folder):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue


def _libcst(folder: Path) -> None:
    from libcst.codemod import CodemodContext, parallel_exec_transform_with_prettyprint
    from libcst_views import ListStoredViews

    warnings.simplefilter("ignore", DeprecationWarning)  # newer versions would rather have the class
    files = [str(path) for path in _python_files(folder)]
    parallel_exec_transform_with_prettyprint(
        ListStoredViews(CodemodContext()), files, hide_progress=True, repo_root=str(folder)
    )


if __name__ == "__main__":
    sys.exit(main())
