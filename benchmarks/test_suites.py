"""Do other people's tests still pass after `spawnfix migrate`?

A NAME is a project of the package index, whose sdist pip downloads, or a folder or archive of sources. Each is unpacked
into a temporary folder (or --work), its own tests are run with pytest, then it is migrated by all rules with
`--confidence possible`, then once more from scratch with `--unsafe-fixes` too, as if every lambda, nested function and
local class of its sources crossed, and its tests are run again each time. The table says how many findings were fixed
and refused, the outcomes of the tests, how many findings of ruff (its default rules) are new, and how many files
`ruff format` would change that it would not have changed before.
Exits 1 when any test that passed before does not pass afterwards, or ruff has something new.

What the tests need besides pytest must be installed, or be found through PYTHONPATH. This runs the code of those
projects: name ones that you trust.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from codemods.engine.migrate import Plan, plan  # noqa: E402
from codemods.finding import Confidence  # noqa: E402
from codemods.flow.answers.crossing import Crossing  # noqa: E402
from codemods.project import Project  # noqa: E402
from codemods.settings import Settings  # noqa: E402
from codemods.transforms import rules  # noqa: E402
from codemods.transforms.lambdas import RULE  # noqa: E402
from codemods.transforms.lambdas.rule import findings  # noqa: E402
from codemods.tree.files import MemoryFiles  # noqa: E402
from harness.every_target import every_target  # noqa: E402

_NOT_SOURCES = re.compile(
    r"(?:^|/)(?:tests?|testing|conftest\.py|test_[^/]*\.py|[^/]*_tests?\.py|docs?|setup\.py)(?:/|$)"
)

Outcomes = Counter[tuple[str, str]]  # (test without its parameters, outcome)


def every_crossing(project: Project) -> Iterator[Crossing]:
    """As if all code that pickle can't name crossed, except that of tests."""
    for path in sorted(project.paths):
        module = project.module(path) if path.endswith(".py") and not _NOT_SOURCES.search(path) else None
        for target, node in every_target(module).items() if module is not None else ():
            end = (node.end_lineno or target.line, node.end_col_offset or 0)
            yield Crossing(target.kind, path, target.line, target.column, *end, Confidence.PROVEN, (), "")


EVERYTHING = replace(RULE, find=lambda project: findings(project, every_crossing(project)))


@dataclass
class Row:
    """One line of the table."""

    name: str
    mode: str
    rewritten: int = 0
    refused: int = 0
    before: Outcomes = field(default_factory=Counter)
    after: Outcomes = field(default_factory=Counter)
    complaints: int = 0
    unformatted: int = 0
    note: str = ""

    @property
    def broken(self) -> list[str]:
        """Tests with fewer passes than before."""
        return [f"{test} {count}" for (test, how), count in (self.before - self.after).items() if how == "passed"]


def main() -> int:
    """Print the table; 1 when a test broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--work", type=Path, help="keep the unpacked and migrated trees here")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run of one project's tests")
    parser.add_argument("--quick", action="store_true", help="only as if everything crossed")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        for name in options.names:
            rows += project_rows(name, work, options.timeout, options.quick)
    print(table(rows))
    for row in rows:
        for line in row.broken:
            print(f"{row.name} ({row.mode}): {line}")
    return int(any(row.broken or row.note or row.complaints or row.unformatted for row in rows))


def project_rows(name: str, work: Path, timeout: float, quick: bool) -> list[Row]:
    """What happened to one project, in each mode."""
    tree = unpacked(name, work)
    if tree is None:
        return [Row(name, "-", note="no sources")]
    before = tested(tree, timeout)
    rows = []
    for mode in ("everything",) if quick else ("possible", "everything"):
        row = Row(tree.name, mode, before=before)
        rows.append(row)
        copy = work / f"{tree.name}.{mode}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tree, copy, symlinks=True)
        result = migrated(copy, mode)
        row.rewritten = sum(len(change.findings) for change in result.changes)
        row.refused = len(result.remaining)
        row.note = "; ".join(f"{each.path}: {each.reason}" for each in result.skipped if "our bug" in each.reason)
        row.after = tested(copy, timeout)
        row.complaints = sum((complaints(copy) - complaints(tree)).values())
        row.unformatted = len(unformatted(copy) - unformatted(tree))
        print(table([row]), flush=True)
    return rows


def unpacked(name: str, work: Path) -> Path | None:
    """A fresh copy of the sources below `work`; None when there are none."""
    given = Path(name)
    if given.is_dir():
        tree = work / given.name
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(given, tree, symlinks=True)
        return tree
    if not given.is_file():
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps"]
            subprocess.run([*pip, "--no-build-isolation", name, "-d", folder], capture_output=True, check=False)
            found = [each for each in Path(folder).iterdir() if each.suffix in (".gz", ".zip")]
            return extracted(found[0], work) if found else None
    return extracted(given, work)


def extracted(archive: Path, work: Path) -> Path:
    """The one folder that an sdist holds."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(folder)
        else:
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
        top = next(each for each in Path(folder).iterdir() if each.is_dir())
        target = work / top.name
        shutil.rmtree(target, ignore_errors=True)
        return top.rename(target)


def migrated(tree: Path, mode: str) -> Plan:
    """Rewrite `tree` in place."""
    contents = {path.relative_to(tree).as_posix(): path.read_bytes() for path in sorted(tree.rglob("*.py"))}
    wide = mode == "everything"
    settings = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=wide)
    result = plan(MemoryFiles(contents), settings, rules=rules() | {"lambdas": EVERYTHING} if wide else None)
    for path, data in result.contents.items():
        ast.parse(data)
        (tree / path).write_bytes(data)
    return result


def complaints(tree: Path) -> Counter[str]:
    """What ruff finds with its default rules: file, rule and message, without the line."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format=concise", "."]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    lines = (re.sub(r":\d+:\d+:", ":", line, count=1) for line in done.stdout.splitlines() if ".py:" in line)
    return Counter(re.sub(r"line \d+", "line", line) for line in lines)


def unformatted(tree: Path) -> set[str]:
    """Files that `ruff format` would change, with the settings of the project."""
    command = [sys.executable, "-m", "ruff", "format", "--check", "--no-cache", "."]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    return {line for line in done.stdout.splitlines() if line.startswith("Would reformat")}


def tested(tree: Path, timeout: float) -> Outcomes:
    """The outcomes of the project's own tests, run in a copy of it."""
    outcomes: Outcomes = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, symlinks=True)
        report = Path(folder) / "report.xml"
        source = copy / "src" if (copy / "src").is_dir() else copy
        paths = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += [
            "-o",
            "addopts=",
            "-o",
            "filterwarnings=",
            "--continue-on-collection-errors",
            f"--junitxml={report}",
        ]
        try:
            subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return Counter({("(all tests)", "timeout"): 1})
        if not report.exists():
            return outcomes
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname')}.{case.get('name')}".partition("[")[0]
            how = next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed")
            outcomes[name, how] += 1
    return outcomes


def table(rows: Sequence[Row]) -> str:
    """Markdown, a line per project and mode."""
    lines = [
        "| project | taken to cross | fixed | refused | tests before | tests after | new for ruff | not formatted |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        end = f" **{len(row.broken)} broken**" if row.broken else f" {row.note}" if row.note else ""
        cells = [row.name, row.mode, str(row.rewritten), str(row.refused), words(row.before), words(row.after) + end]
        cells += [str(row.complaints), str(row.unformatted)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def words(outcomes: Outcomes) -> str:
    """`120 passed, 2 failed`."""
    totals: Counter[str] = Counter()
    for (_, how), count in outcomes.items():
        totals[how] += count
    return (
        ", ".join(f"{totals[how]} {how}" for how in ("passed", *sorted(totals - Counter(passed=totals["passed"]))))
        or "none"
    )


if __name__ == "__main__":
    sys.exit(main())
