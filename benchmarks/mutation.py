"""Would the tests notice? Small changes of the code, one at a time, and the tests that execute the changed line.

    python benchmarks/mutation.py record                        # once: which test executes which line (.coverage)
    python benchmarks/mutation.py run --seed 7 --count 150      # a sample over all packages
    python benchmarks/mutation.py run --changed main --count 12 --cpu 90  # only modules that differ from a revision
    python benchmarks/mutation.py run --only codemods/launch/bash.py --all  # every mutant of one module
    python benchmarks/mutation.py run --only codemods/launch/bash.py:12 --all  # of one line

`make coverage` records too, without the time of each test, and a value that is computed once for all tests counts for
the first of them. A mutant survives when all these tests pass (first the most specific, then more of them); it is
printed with its diff. Nothing in the checkout is written but `.coverage` and `.coverage.seconds`: mutants live in a
copy, each is tried in a fork of a process that has collected the tests (`preloaded.py`), or, for what runs on import,
of one that has imported what the tests need but the package. Tests in which only child processes execute the package
are not recorded; `--also PREFIX=TESTS` names tests, slow ones too, that mutants of modules below PREFIX must pass
before they survive. Where nothing was recorded, the tests are those of the module's folder that run in process.
The limit of a mutant is CPU time: four times what its tests needed when they were recorded, and 20 s.
What survives is shown to `mypy --strict`, which every change must pass: what it refuses (`isinstance(x)`, an attribute
of what may be None) is counted by itself, as killed by no test.
Mutants may write and remove whatever the user may: for root, nobody tries them, who owns nothing but the copy.
`run` ends with 1 when fewer than `--floor` of the mutants are killed by tests. Some mutants mean the same as the code,
so no share can be asked for that is near to 1.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import functools
import gc
import importlib
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from mutants import Mutant, mutants
from preloaded import Order, Preloaded, in_fork, quietly

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "codemods"
LEFT_OUT = ("codemods/demo_repo/",)
_PHASE = re.compile(r"\|(?:setup|run|teardown)$")  # what pytest-cov adds to the name of a test
DATA, SECONDS = ".coverage", ".coverage.seconds"
TEST_SECONDS = 6.0  # of CPU: the tests of one mutant take no more, the most specific first
AGAIN = 5  # times that: what survives is shown to more tests
USUAL = 0.04  # s that a test takes whose time was not recorded
WARM = (
    "coverage", "hypothesis", "jsonschema", "libcst", "libcst.matchers", "libcst.metadata", "pytest", "rich.console",
    "tree_sitter_bash", "typer", "xml.dom.minidom", "sqlite3", "multiprocessing.pool", "git",
)  # fmt: skip
MARKS = "not slow or in_process"
NOBODY = 65534


def _environment(folder: Path) -> dict[str, str]:
    paths = [str(folder), str(folder / "tests")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


def _git(command: str, *words: str) -> list[str]:
    """The paths that git prints."""
    done = subprocess.run(["git", command, "-z", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [path for path in done.stdout.split("\0") if path]


def _copy(folder: Path) -> None:
    """The checkout as it is, less what git does not track, and what was recorded."""
    for name in [*_git("ls-files", "-c", "-o", "--exclude-standard"), DATA, SECONDS]:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / PACKAGE)], check=False)


def _on_import(mutant: Mutant) -> bool:
    """It stands in no function: a constant or a table, which is made when the module is imported."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return not any(node.lineno <= mutant.lines[0] <= (node.end_lineno or 0) for node in functions)


class Choice:
    """Which tests can notice a mutant, the most specific first."""

    def __init__(self, also: list[str], room: float = TEST_SECONDS) -> None:
        import coverage

        self.data = coverage.CoverageData(str(ROOT / DATA))
        self.data.read()
        self.room = room
        self.recorded = any(self.data.measured_contexts())
        self.seconds: dict[str, float] = {}
        if (ROOT / SECONDS).is_file():
            self.seconds = json.loads((ROOT / SECONDS).read_text(encoding="utf-8"))
        self.also = [(prefix, tests.split(",")) for prefix, _, tests in (item.partition("=") for item in also)]
        self.by_path: dict[str, dict[int, list[str]]] = {}

    @functools.cached_property
    def modules(self) -> dict[str, int]:
        """How many modules a test executes: few is specific."""
        table = "arc" if self.data.has_arcs() else "line_bits"
        query = (
            f"SELECT context, COUNT(DISTINCT file_id) FROM {table} JOIN context ON context.id = context_id "
            "GROUP BY context_id"
        )
        with contextlib.closing(sqlite3.connect(ROOT / DATA)) as database:
            return {_PHASE.sub("", test): number for test, number in database.execute(query)}

    def _lines(self, path: str) -> dict[int, list[str]]:
        """The tests that execute each line of a module."""
        if path not in self.by_path:
            contexts = self.data.contexts_by_lineno(path)
            self.by_path[path] = {line: [_PHASE.sub("", test) for test in tests] for line, tests in contexts.items()}
        return self.by_path[path]

    def _of_modules(self, paths: Collection[str]) -> set[str]:
        return {test for path in paths for tests in self._lines(path).values() for test in tests if test}

    def tests(self, mutant: Mutant, times: int = 1) -> tuple[list[str], float]:
        """Test ids or folders, and the CPU seconds they took (a guess where nothing is recorded)."""
        most = self.room * times
        if not self.recorded:
            folder = Path("tests", *Path(mutant.path).parts[1:-1])
            while not any((ROOT / folder).glob("test_*.py")) and len(folder.parts) > 1:
                folder = folder.parent
            files = [folder.as_posix()] if len(folder.parts) > 1 else [p.as_posix() for p in folder.glob("test_*.py")]
            return files, 60.0
        by_line = self._lines(mutant.path)
        first, last = mutant.lines
        wanted = {test for line in range(first, last + 1) for test in by_line.get(line, ()) if test}
        everywhere = not wanted or _on_import(mutant)
        if everywhere:  # no test is recorded for what runs on import
            wanted = self._of_modules({mutant.path, *self._users[mutant.path]})
        if not wanted:  # a table for which others look by itself: who uses the same vocabulary
            used = {path for path, users in self._users.items() if mutant.path in users}
            wanted = self._of_modules({user for path in used for user in self._users[path]})
        beside = "tests" + str(Path(mutant.path).parent).removeprefix(PACKAGE)
        module = f" {Path(mutant.path).relative_to(PACKAGE).with_suffix('').as_posix()} "  # as kept programs name it
        naming = self._files_naming(mutant) if everywhere else frozenset()
        near = {
            test: 0
            if module in test
            else 1
            if test.partition("::")[0] in naming
            else 2
            if test.startswith(beside)
            else 3
            for test in wanted
        }
        order = sorted(wanted, key=lambda test: (near[test], self.modules.get(test, 0), self._time(test), test))
        chosen: dict[str, None] = {}
        total = 0.0
        seen: Counter[str] = Counter()
        spread = [test for _, test in sorted((_counted(seen, test), test) for test in order)] if everywhere else []
        for room, tests in ((most / (2 if everywhere else 1), order), (most, spread)):  # some of each file
            for test in tests:
                if test not in chosen and (not chosen or total + self._time(test) <= room):
                    chosen[test] = None
                    total += self._time(test)
        return list(chosen), total

    def _files_naming(self, mutant: Mutant) -> frozenset[str]:
        """The test files that have the word of a table which the mutant changes."""
        word = ast.literal_eval(mutant.text) if mutant.kind == "constant" else None
        if not isinstance(word, str) or len(word) < 4:
            return frozenset()
        return frozenset(path for path, text in self._test_files.items() if word[:-1] in text)

    @functools.cached_property
    def _test_files(self) -> dict[str, str]:
        paths = (ROOT / "tests").rglob("test_*.py")
        return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    @functools.cached_property
    def _users(self) -> dict[str, set[str]]:
        """For each module those that import it, and for a package what lies in it."""
        users: dict[str, set[str]] = defaultdict(set)
        for path in (ROOT / PACKAGE).rglob("*.py"):
            user = path.relative_to(ROOT)
            if user.name != "__init__.py":
                users[(user.parent / "__init__.py").as_posix()].add(user.as_posix())
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    base = ROOT.joinpath(*user.parts[: -node.level]) if node.level else ROOT
                    base = base.joinpath(*(node.module or "").split("."))
                    for module in [base, *(base / alias.name for alias in node.names)]:
                        if module.with_suffix(".py").is_file():
                            users[module.with_suffix(".py").relative_to(ROOT).as_posix()].add(user.as_posix())
        return users

    def more(self, mutant: Mutant) -> list[str]:
        """What `--also` names for it."""
        return [test for prefix, tests in self.also if mutant.path.startswith(prefix) for test in tests]

    def _time(self, test: str) -> float:
        return self.seconds.get(test, USUAL)


def _counted(seen: Counter[str], test: str) -> int:
    """How many tests of the same file came before."""
    seen[test.partition("::")[0]] += 1
    return seen[test.partition("::")[0]]


def _status(folder: Path, tests: list[str], marks: str, limit: int, log: Path) -> int:
    """Run `tests` in a fork of this process: the status they end with; -1 for one that is stopped by its limit."""

    def run() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        quietly(folder, log, {**_environment(folder), "SPAWNFIX_CACHE_DIR": str(log.parent)})
        import pytest

        return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", marks, *tests]))

    return in_fork(run, limit)


def afresh(folder: Path, mutant: Mutant, source: str, tests: list[str], seconds: float, marks: str) -> str | None:
    """None when the tests notice the mutant in a process that has not imported the package, else why not."""
    target = folder / mutant.path
    before = target.stat()
    target.write_text(mutant.apply(source), encoding="utf-8")
    os.utime(target, (before.st_atime, before.st_mtime + 10 + mutant.start))  # never the time of compiled code
    cache = tempfile.mkdtemp(dir=folder)
    log = Path(cache, "log")
    try:
        status = _status(folder, tests, marks, int(20 + 4 * seconds), log)
        words = log.read_text(encoding="utf-8", errors="replace")
    finally:
        target.write_text(source, encoding="utf-8")
        os.utime(target, (before.st_atime, before.st_mtime))
        shutil.rmtree(cache, ignore_errors=True)
    if status in (4, 5) and "not found" in words:
        return f"record again: {words[-300:]}"
    return "all its tests pass" if status == 0 else None


@dataclass
class Trial:
    """A copy of the checkout, and a process that has collected the tests of all mutants to try."""

    folder: Path
    preloaded: Preloaded
    killers: dict[str, list[Mutant]] = field(default_factory=dict)  # by test
    typed: dict[str, bool] = field(default_factory=dict)  # modules that mypy was asked about: whether it accepts them

    def survives(self, mutant: Mutant, source: str, tests: list[str], seconds: float) -> str | None:
        """None when the tests notice the mutant, else why not."""
        if not tests:
            return "no test executes it"
        outcome = self.preloaded.run(Order(mutant.path, mutant.apply(source), tests, int(20 + 4 * seconds)))
        if not outcome.fits:
            return afresh(self.folder, mutant, source, list(outcome.tests), seconds, MARKS)
        for test in outcome.failed:
            self.killers.setdefault(test, []).append(mutant)
        return outcome.ends

    def refused_by_types(self, mutant: Mutant, source: str) -> bool:
        """`mypy --strict` accepts the module as it is, and not the mutant."""
        if mutant.path not in self.typed:
            self.typed[mutant.path] = self._mypy(mutant.path) == 0
        if not self.typed[mutant.path]:
            return False
        target = self.folder / mutant.path
        before = target.stat()
        try:
            target.write_text(mutant.apply(source), encoding="utf-8")
            return self._mypy(mutant.path) == 1
        finally:
            target.write_text(source, encoding="utf-8")
            os.utime(target, (before.st_atime, before.st_mtime))

    def _mypy(self, path: str) -> int:
        command = [sys.executable, "-m", "mypy", "--strict", path]
        return subprocess.run(command, cwd=self.folder, capture_output=True).returncode

    def fail_anyway(self) -> dict[str, list[Mutant]]:
        """Tests that fail without any mutant too, and what they are said to have noticed."""
        outcome = self.preloaded.run(Order(PACKAGE, None, sorted(self.killers), 600))
        return {test: self.killers.get(test, []) for test in outcome.failed}


def _in_copy(options: argparse.Namespace, arguments: list[str]) -> int:
    """Let a copy of the checkout try the mutants that lie in it: the same command, and what git says of `--changed`.

    A mutant whose check is gone replaces `/dev/stdout` by a file, or removes a folder that is not its own: where we are
    root, a user tries them who may read everything (the interpreter, say), and owns nothing but the copy.
    """
    changed = []
    if options.changed:
        ours = ["git", "merge-base", "HEAD", options.changed]
        base = subprocess.run(ours, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        changed = _git("diff", "--name-only", base, "--", PACKAGE)
    with tempfile.TemporaryDirectory(prefix="mutants-") as work:
        folder = Path(work, "checkout")
        _copy(folder)
        command = [sys.executable, str(folder / "benchmarks/mutation.py"), *arguments, "--here", *changed]
        if sys.platform != "win32" and os.geteuid() == 0:
            command = [*_as_nobody(), *command]
            for path in [Path(work), *Path(work).rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        return subprocess.run(command, cwd=folder).returncode


def _as_nobody() -> list[str]:
    """What comes before a command."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        print("no setpriv here: mutants run as root, and may write and remove anything", file=sys.stderr)
        return []
    reads = "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"
    return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", *reads]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run the tests once and write which executes which line")
    recording.add_argument("tests", nargs="*", default=[])
    recording.add_argument("-m", dest="marks", default=MARKS, help="pytest's -m")
    recording.add_argument("--more", action="store_true", help="keep what earlier runs recorded")
    running = commands.add_parser("run", help="try a sample of mutants")
    running.add_argument("--seed", type=int, default=None)
    running.add_argument("--count", type=int, default=20)
    running.add_argument("--all", action="store_true", help="every mutant, not a sample")
    running.add_argument("--seconds", type=float, default=TEST_SECONDS, help="of tests for one mutant, as recorded")
    running.add_argument(
        "--cpu", type=float, default=float("inf"), metavar="SECONDS", help="begin no mutant after that"
    )
    running.add_argument(
        "--changed", metavar="REV", help="only modules that differ from this revision; all if none does"
    )
    running.add_argument("--floor", type=float, default=0.0, help="the share that must be killed, 0 to 1")
    running.add_argument(
        "--only", action="append", default=[], metavar="PREFIX", help="only modules below it; FILE:LINE, that line"
    )
    running.add_argument("--also", action="append", default=[], metavar="PREFIX=TESTS", help="more tests for these")
    running.add_argument("--here", nargs="*", metavar="PATH", help="(this is the copy; what differs)")
    options = parser.parse_args()
    if options.command == "record":
        from executed import record

        os.chdir(ROOT)
        arguments = ["-q", "-p", "no:cacheprovider", "-m", options.marks, *options.tests]
        return record(ROOT, PACKAGE, (DATA, SECONDS), arguments, options.more)

    if options.here is None:
        return _in_copy(options, sys.argv[1:])
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    paths = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / PACKAGE).rglob("*.py"))
    paths = [path for path in paths if not path.startswith(LEFT_OUT)]
    paths = sorted(set(paths).intersection(options.here)) or paths
    only = [word.partition(":") for word in options.only]
    if only:
        paths = [path for path in paths if path.startswith(tuple(prefix for prefix, _, _ in only))]
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}
    everything = [mutant for path in paths for mutant in mutants(path, sources[path])]
    if only:
        everything = [mutant for mutant in everything if any(_stands_in(mutant, sources, *word) for word in only)]
    count = len(everything) if options.all else min(options.count, len(everything))
    sample = random.Random(seed).sample(everything, count)
    if options.all:
        sample.sort()
    print(f"seed {seed}: {len(sample)} of {len(everything)} mutants in {len(paths)} modules", flush=True)
    return try_all(sample, sources, Choice(options.also, options.seconds), options)


def try_all(sample: list[Mutant], sources: dict[str, str], choice: Choice, options: argparse.Namespace) -> int:
    for name in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # what forks don't touch is not copied
    assert PACKAGE not in sys.modules, "the forks would not import the mutant"
    tried: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    chosen = [choice.tests(mutant) for mutant in sample]
    others = [choice.tests(mutant, AGAIN) for mutant in sample]
    files = sorted({test.partition("::")[0] for tests, _ in (*chosen, *others) for test in tests})
    with contextlib.closing(Preloaded(ROOT, PACKAGE, _environment(ROOT), MARKS, files)) as preloaded:
        trial = Trial(ROOT, preloaded)
        for number, (mutant, first, wider) in enumerate(zip(sample, chosen, others, strict=True)):
            if _spent() + preloaded.spent > options.cpu:
                print(f"{options.cpu:.0f} s of CPU are spent: {len(sample) - number} mutants were not tried")
                break
            source = sources[mutant.path]
            why = trial.survives(mutant, source, *first)
            rest = [test for test in wider[0] if test not in first[0]]
            if why is not None and rest:
                why = trial.survives(mutant, source, rest, wider[1])
            if why is not None and (more := choice.more(mutant)):
                why = afresh(ROOT, mutant, source, more, 60, "slow or not slow")
            room = _room(mutant)
            tried[room] += 1
            killed[room] += why is None
            types = why is not None and trial.refused_by_types(mutant, source)
            refused[room] += types
            outcome = "killed  " if why is None else "types   " if types else "SURVIVED"
            print(f"{outcome} {_place(mutant, source)} {mutant.kind}", flush=True)
            if why is not None:
                print(_shown(mutant, source, why), flush=True)
        for test, noticed in trial.fail_anyway().items():
            print(f"{test} fails without a mutant too; so these count as survivors:")
            for mutant in noticed:
                killed[_room(mutant)] -= 1
                print(_shown(mutant, sources[mutant.path], "noticed by that test alone"))
    for room in sorted(tried):
        print(f"{room:40} {killed[room]:4} of {tried[room]:4} killed, {refused[room]:3} refused by mypy")
    print(f"{killed.total()} of {tried.total()} killed, {refused.total()} refused by mypy; {_spent():.0f} s of CPU")
    return 1 if killed.total() < options.floor * tried.total() else 0


def _room(mutant: Mutant) -> str:
    return "/".join(Path(mutant.path).parts[1:-1][:2]) or "."


def _place(mutant: Mutant, source: str) -> str:
    line = source.count("\n", 0, mutant.start) + 1
    return f"{mutant.path}:{line}"


def _stands_in(mutant: Mutant, sources: dict[str, str], prefix: str, _: str, line: str) -> bool:
    """It begins in that line of the file; without a line, it lies below the path."""
    return mutant.path.startswith(prefix) and (not line or _place(mutant, sources[mutant.path]).endswith(f":{line}"))


def _shown(mutant: Mutant, source: str, why: str) -> str:
    diff = difflib.unified_diff(source.splitlines(), mutant.apply(source).splitlines(), lineterm="", n=2)
    return f"{_place(mutant, source)} ({mutant.kind}; {why})\n" + "\n".join(list(diff)[2:])


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
