"""What a run costs, as ratios to `ast.parse` of the same files in the same run: `python benchmarks/speed.py FOLDER...`.

Every row is a whole process, interpreter start included: CPU seconds (user and system, children too), peak memory.
FOLDERs are git repositories; each is copied, never written. `--against CHECKOUT` measures another checkout of spawnfix
beside this one, `--tools` the other tools that are installed. How to read the table: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import ast
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_CHECK = ("check", "--exit-zero", "--format", "json")


@dataclass(frozen=True)
class Cost:
    """One process: CPU seconds, wall seconds, peak MiB of the largest of its processes."""

    cpu: float
    wall: float
    mebibytes: float


def main() -> int:
    """Measure, print a table per folder. Exits with a message when a command failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="take the cheapest of N runs (default 1)")
    parser.add_argument("--rows", default="", metavar="WORD,..", help="only rows whose name has one of these words")
    parser.add_argument("--tools", action="store_true", help="also the other tools that are installed")
    parser.add_argument("--ast", type=Path, help=argparse.SUPPRESS)  # what one row runs
    arguments = parser.parse_args()
    if arguments.ast:
        _parse_all(arguments.ast)
        return 0
    checkouts = [ROOT] if arguments.against is None else [arguments.against.resolve(), ROOT]
    words = [word for word in arguments.rows.split(",") if word]
    for checkout in checkouts:
        _compile(checkout)
    with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
        _start_up(checkouts, Path(work), arguments.repeat)
        for folder in arguments.folders:
            _table(folder, checkouts, Path(work) / folder.resolve().name, arguments.repeat, words, arguments.tools)
    return 0


def _compile(checkout: Path) -> None:
    """Write the bytecode of a checkout, as an installation does: else each run may compile what it imports."""
    command = [sys.executable, "-m", "compileall", "-q", str(checkout / "spawnfix.py"), str(checkout / "codemods")]
    subprocess.run(command, check=True)


def _start_up(checkouts: Sequence[Path], work: Path, repeat: int) -> None:
    """What the smallest commands cost: seconds, no ratio."""
    tiny = work / "tiny"
    tiny.mkdir()
    (tiny / "train.py").write_text("from torch.utils.data import DataLoader\n\nDataLoader([], num_workers=2)\n")
    print(f"{'start':<34}" + "".join(f"{'CPU s':>9}{'MiB':>7}" for _ in checkouts))
    rows = {
        "python -c pass": None,
        "--version": ("--version",),
        "check, one small file, cold": (*_CHECK, "--no-cache", str(tiny)),
        "check, one small file, warm": (*_CHECK, str(tiny)),
    }
    for name, command in rows.items():
        costs = []
        for checkout in checkouts:
            run = [sys.executable, "-c", "pass"] if command is None else [*_tool(checkout), *command]
            costs.append(_best(run, work / "start", max(repeat, 3)))
        print(f"{name:<34}" + "".join(f"{cost.cpu:>9.3f}{cost.mebibytes:>7.0f}" for cost in costs))


def _table(folder: Path, checkouts: Sequence[Path], work: Path, repeat: int, words: Sequence[str], tools: bool) -> None:
    target = work / "repository"
    shutil.copytree(folder, target, symlinks=True)
    files = sorted(path for path in target.rglob("*.py") if path.is_file() and not path.is_symlink())
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    unit = _best([sys.executable, str(Path(__file__).resolve()), "--ast", str(target)], work / "none", repeat)
    print(f"\n{folder.resolve().name}: {len(files)} Python files, {lines} lines; ast.parse {unit.cpu:.2f} s CPU")
    print(f"{'':<34}" + "".join(f"{'CPU s':>9}{'x ast':>8}{'wall s':>8}{'MiB/kLOC':>10}" for _ in checkouts))
    middle = sorted(files, key=lambda path: path.stat().st_size)[len(files) // 2] if files else target

    def row(name: str, costs: Sequence[Cost | None]) -> None:
        cells = []
        for cost in costs:
            if cost is None:
                cells.append(f"{'-':>35}")
                continue
            growth = cost.mebibytes / max(lines / 1000, 1)
            cells.append(f"{cost.cpu:>9.2f}{cost.cpu / unit.cpu:>8.1f}{cost.wall:>8.2f}{growth:>10.2f}")
        print(f"{name:<34}" + "".join(cells), flush=True)

    def wanted(name: str) -> bool:
        return not words or any(word in name for word in words)

    def ours(name: str, command: Sequence[str], *, edit: bool = False, cold: bool = False) -> None:
        if not wanted(name):
            return
        costs = []
        for number, checkout in enumerate(checkouts):
            cache = work / ("none" if cold else f"cache{number}")
            costs.append(
                _edited(middle, [*_tool(checkout), *command], cache, repeat)
                if edit
                else _best([*_tool(checkout), *command], cache, repeat)
            )
        row(name, costs)

    ours("check, cold", (*_CHECK, "--no-cache", str(target)), cold=True)
    for number, word in ((1, "one process"), (2, "two processes")) if any("process" in word for word in words) else ():
        ours(f"check, cold, {word}", (*_CHECK, "--no-cache", "--jobs", str(number), str(target)), cold=True)
    ours("migrate --dry-run, cold", ("migrate", "--dry-run", "--no-cache", str(target)), cold=True)
    for number, checkout in enumerate(checkouts):
        if wanted("warm") or wanted("changed") or wanted("one file"):
            _best([*_tool(checkout), *_CHECK, str(target)], work / f"cache{number}", 1)  # fills it
    ours("check, warm, nothing changed", (*_CHECK, str(target)))
    ours("check, warm, one file changed", (*_CHECK, str(target)), edit=True)
    ours("check of one file, warm", (*_CHECK, str(middle)))
    if tools:
        for name, command in _peers(target).items():
            if shutil.which(command[0]) and wanted(name):
                row(name, [_best(command, work / "none", repeat, fails=True), *[None] * (len(checkouts) - 1)])


def _peers(target: Path) -> dict[str, list[str]]:
    """Other tools over the same files, each without a cache."""
    return {
        "ruff, default rules": ["ruff", "check", "--no-cache", "--isolated", "--quiet", str(target)],
        "fixit, default rules": ["fixit", "--quiet", "lint", str(target)],
        "fixit, one rule": ["fixit", "--quiet", "--rules", "fixit.rules:NoRedundantLambda", "lint", str(target)],
        "torchfix": ["torchfix", str(target)],
        "ast-grep, one pattern": ["ast-grep", "run", "--pattern", "$A.values()", "--lang", "python", str(target)],
    }


def _tool(checkout: Path) -> list[str]:
    return [sys.executable, str(checkout / "cli.py")]


def _edited(file: Path, command: Sequence[str], cache: Path, repeat: int) -> Cost:
    """The cheapest of `repeat` runs, each after another edit of `file`, which is as it was in the end."""
    before = file.read_bytes()
    costs = []
    try:
        for number in range(repeat):
            file.write_bytes(before + b"\n\ndef _edited_%d(values):\n    return [v for v in values]\n" % number)
            costs.append(_run(command, cache))
    finally:
        file.write_bytes(before)
    return min(costs, key=lambda cost: cost.cpu)


def _best(command: Sequence[str], cache: Path, repeat: int, fails: bool = False) -> Cost:
    return min((_run(command, cache, fails) for _ in range(repeat)), key=lambda cost: cost.cpu)


def _run(command: Sequence[str], cache: Path, fails: bool = False) -> Cost:
    """What `command` costs. Raises SystemExit when it fails, unless it `fails` for what it finds."""
    env = {**os.environ, "SPAWNFIX_CACHE_DIR": str(cache)}
    start = os.times().elapsed
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode and not fails:
            errors.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{errors.read().decode(errors='replace')[-4000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts in bytes, others in KiB
    return Cost(cpu, os.times().elapsed - start, usage.ru_maxrss / unit)


def _parse_all(folder: Path) -> None:
    warnings.simplefilter("ignore")
    for path in sorted(path for path in folder.rglob("*.py") if path.is_file() and not path.is_symlink()):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue


if __name__ == "__main__":
    sys.exit(main())
