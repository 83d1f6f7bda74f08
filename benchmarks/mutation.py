"""Would the tests notice? Small changes of the code, one at a time, and the tests that execute the changed line.

    python benchmarks/mutation.py record                        # once: which test executes which line (.coverage)
    python benchmarks/mutation.py run --seed 7 --count 150      # a sample over all packages
    python benchmarks/mutation.py run --changed main --count 12 --cpu 90  # only modules that differ from a revision

`make coverage` records too, without the time of each test. A mutant survives when all these tests pass; it is printed
with its diff. Nothing in the checkout is written but `.coverage` and `.coverage.seconds`: mutants live in a copy, each
is tried in a fork of a process that has imported what the tests need but the package. Tests in which only child
processes execute the package are not recorded; `--also PREFIX=TESTS` names tests, slow ones too, that mutants of
modules below PREFIX must pass before they survive. Where nothing was recorded, the tests are those of the module's
folder that run in process.
The limit of a mutant is CPU time: four times what its tests needed when they were recorded, and 20 s.
`run` ends with 1 when fewer than `--floor` of the mutants are killed. Some mutants mean the same as the code, so no
share can be asked for that is near to 1.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import gc
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "codemods"
LEFT_OUT = ("codemods/demo_repo/",)
_PHASE = re.compile(r"\|(?:setup|run|teardown)$")  # what pytest-cov adds to the name of a test
DATA, SECONDS = ".coverage", ".coverage.seconds"
TEST_SECONDS = 6.0  # of CPU: the tests of one mutant take no more, the most specific first
USUAL = 0.04  # s that a test takes whose time was not recorded
WARM = (
    "coverage", "hypothesis", "jsonschema", "libcst", "libcst.matchers", "libcst.metadata", "pytest", "rich.console",
    "tree_sitter_bash", "typer", "xml.dom.minidom", "sqlite3", "multiprocessing.pool", "git",
)  # fmt: skip
MARKS = "not slow or in_process"

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Mutant:
    """`path` with the characters `start:end` (of the file) replaced; `lines` is the statement around."""

    path: str
    start: int
    end: int
    text: str
    kind: str
    lines: tuple[int, int]

    def apply(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def _variants(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    """Every small change of one node: (the expression to replace, the text instead, its kind)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (other := COMPARED.get(type(node.ops[0]))):
        yield node, ast.unparse(ast.Compare(node.left, [other()], node.comparators)), "comparison"
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, ast.unparse(ast.BoolOp(swapped, node.values)), "and/or"
        for at in range(len(node.values)):
            rest = node.values[:at] + node.values[at + 1 :]
            yield node, ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)), "operand"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, ast.unparse(node.operand), "not"
    elif isinstance(node, ast.BinOp) and (op := OPERATORS.get(type(node.op))):
        yield node, ast.unparse(ast.BinOp(node.left, op(), node.right)), "operator"
    elif isinstance(node, ast.IfExp):
        yield node, ast.unparse(node.body), "branch"
        yield node, ast.unparse(node.orelse), "branch"
    elif isinstance(node, ast.If | ast.While):
        yield node.test, "False", "branch"
        if isinstance(node, ast.If):
            yield node.test, "True", "branch"
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True", "filter"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield node.value, "None", "return"
    elif isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield node, str(not value), "constant"
        elif isinstance(value, int):
            yield node, str(value + 1), "constant"
        elif isinstance(value, str) and value and " " not in value:  # with a blank it is a sentence for people
            yield node, repr(value + "_"), "constant"
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:  # the last may have a default; any other would be missed by every caller
            yield node, ast.unparse(ast.Call(node.func, node.args[:-1], node.keywords)), "argument"
        for at in range(len(node.keywords)):
            keywords = node.keywords[:at] + node.keywords[at + 1 :]
            yield node, ast.unparse(ast.Call(node.func, node.args, keywords)), "argument"


def _dropped(node: ast.AST) -> bool:
    """True for a statement that can be left out as a mutant."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Delete)


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Every node that runs, with its statement; annotations, docstrings, f-strings and what only types need are not."""
    todo: list[tuple[ast.AST, ast.stmt | None]] = [(tree, None)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert | ast.Global | ast.Nonlocal):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        inside = node if isinstance(node, ast.stmt) else inside
        if inside is not None:
            yield node, inside
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "bases"):
                todo += [(item, inside) for item in (value if isinstance(value, list) else [value])
                         if isinstance(item, ast.AST)]  # fmt: skip


def mutants(path: str, source: str) -> list[Mutant]:
    """Every mutant of one module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def mutant(node: ast.expr | ast.stmt, text: str, kind: str, inside: ast.stmt) -> Mutant:
        start = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        header = isinstance(inside, ast.If | ast.While | ast.For | ast.With | ast.FunctionDef | ast.ClassDef | ast.Try)
        last = node.end_lineno if header else inside.end_lineno
        return Mutant(path, start, end, text, kind, (inside.lineno, last or inside.lineno))

    found = set()
    for node, inside in _nodes(ast.parse(source)):
        for target, text, kind in _variants(node):
            text = text if kind == "constant" or text in ("True", "False", "None") else f"({text})"
            found.add(mutant(target, text, kind, inside))
        if isinstance(node, ast.stmt) and _dropped(node):
            found.add(mutant(node, "pass", "statement", inside))
    return sorted(found)


def _environment(folder: Path) -> dict[str, str]:
    paths = [str(folder), str(folder / "tests")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


def _copy(folder: Path) -> None:
    """The checkout as it is, less what git does not track."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT, capture_output=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / PACKAGE)], check=False)


def record(tests: list[str], marks: str, more: bool) -> int:
    """Run the tests once and write which of them executes which line."""
    import coverage
    import pytest

    class Recorder:
        """One coverage context a test."""

        def __init__(self, running: coverage.Coverage) -> None:
            self.running, self.seconds = running, dict[str, float]()

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
            self.running.switch_context(item.nodeid)
            start = time.process_time()
            result = yield
            self.seconds[item.nodeid] = round(time.process_time() - start, 3)
            self.running.switch_context("")
            return result

    os.chdir(ROOT)
    running = coverage.Coverage(data_file=DATA, branch=False, source=[PACKAGE])
    running.set_option("run:relative_files", True)
    recorder = Recorder(running)
    if more:
        running.load()
        recorder.seconds.update(json.loads(Path(SECONDS).read_text(encoding="utf-8")))
    else:
        running.erase()
    running.start()
    status = pytest.main(["-q", "-p", "no:cacheprovider", "-m", marks, *tests], plugins=[recorder])
    running.stop()
    running.save()
    Path(SECONDS).write_text(json.dumps(recorder.seconds), encoding="utf-8")
    return int(status)


def _on_import(mutant: Mutant) -> bool:
    """It stands in no function: a constant or a table, which is made when the module is imported."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return not any(node.lineno <= mutant.lines[0] <= (node.end_lineno or 0) for node in functions)


class Choice:
    """Which tests can notice a mutant, the most specific first."""

    def __init__(self, also: list[str], paths: Collection[str]) -> None:
        import coverage

        self.data = coverage.CoverageData(str(ROOT / DATA))
        self.data.read()
        self.recorded = any(self.data.measured_contexts())
        self.seconds: dict[str, float] = {}
        if (ROOT / SECONDS).is_file():
            self.seconds = json.loads((ROOT / SECONDS).read_text(encoding="utf-8"))
        self.also = [(prefix, tests.split(",")) for prefix, _, tests in (item.partition("=") for item in also)]
        self.modules: Counter[str] = Counter()  # how many modules a test executes: few is specific
        self.by_path: dict[str, dict[int, list[str]]] = {}
        for path in self.data.measured_files() & set(paths) if self.recorded else ():
            contexts = self.data.contexts_by_lineno(path)
            by_line = {line: [_PHASE.sub("", test) for test in tests] for line, tests in contexts.items()}
            self.by_path[path] = by_line
            self.modules.update({test for line in by_line.values() for test in line if test})

    def tests(self, mutant: Mutant) -> tuple[list[str], float]:
        """Test ids or folders, and the CPU seconds they took (a guess where nothing is recorded)."""
        if not self.recorded:
            folder = Path("tests", *Path(mutant.path).parts[1:-1])
            while not any((ROOT / folder).glob("test_*.py")) and len(folder.parts) > 1:
                folder = folder.parent
            files = [folder.as_posix()] if len(folder.parts) > 1 else [p.as_posix() for p in folder.glob("test_*.py")]
            return files, 60.0
        by_line = self.by_path.get(mutant.path, {})
        first, last = mutant.lines
        wanted = {test for line in range(first, last + 1) for test in by_line.get(line, ()) if test}
        if not wanted or _on_import(mutant):  # then whichever test came first is recorded
            wanted = {test for tests in by_line.values() for test in tests if test}
        chosen: list[str] = []
        total = 0.0
        room = "tests" + str(Path(mutant.path).parent).removeprefix(PACKAGE)
        near = {test: not test.startswith(room) for test in wanted}
        for test in sorted(wanted, key=lambda test: (near[test], self.modules[test], self._time(test), test)):
            if not chosen or total + self._time(test) <= TEST_SECONDS:
                chosen.append(test)
                total += self._time(test)
        return chosen, total

    def more(self, mutant: Mutant) -> list[str]:
        """What `--also` names for it."""
        return [test for prefix, tests in self.also if mutant.path.startswith(prefix) for test in tests]

    def _time(self, test: str) -> float:
        return self.seconds.get(test, USUAL)


def _status(folder: Path, tests: list[str], marks: str, limit: int, cache: str, log: Path) -> int:
    """Run `tests` in a fork of this process: the status they end with; -1 for one that is stopped by its limit."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for stream in (1, 2):
                os.dup2(output, stream)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update({**_environment(folder), "SPAWNFIX_CACHE_DIR": cache})
            sys.path[:0] = [str(folder), str(folder / "tests")]
            import pytest

            code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", marks, *tests]))
        finally:
            sys.stdout.flush()
            os._exit(code)
    ends = time.monotonic() + 20 * limit  # for one that waits for ever; the limit is CPU time
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # and what it started
    _, status = os.waitpid(child, 0)
    return max(os.waitstatus_to_exitcode(status), -1)


def survives(
    folder: Path, mutant: Mutant, source: str, tests: list[str], seconds: float, number: int, marks: str = MARKS
) -> str | None:
    """None when the tests notice the mutant, else why not."""
    if not tests:
        return "no test executes it"
    limit = int(20 + 4 * seconds)
    target = folder / mutant.path
    before = target.stat()
    target.write_text(mutant.apply(source), encoding="utf-8")
    os.utime(target, (before.st_atime, before.st_mtime + 10 + number))  # never the time of compiled code
    cache = tempfile.mkdtemp(dir=folder)
    log = Path(cache, "log")
    try:
        status = _status(folder, tests, marks, limit, cache, log)
        words = log.read_text(encoding="utf-8", errors="replace")
    finally:
        target.write_text(source, encoding="utf-8")
        os.utime(target, (before.st_atime, before.st_mtime))
        shutil.rmtree(cache, ignore_errors=True)
    if status in (4, 5) and "not found" in words:
        return f"record again: {words[-300:]}"
    return "all its tests pass" if status == 0 else None


def _changed(revision: str) -> set[str]:
    """Paths that differ from `revision`, or from its newest ancestor that we share."""
    base = subprocess.run(["git", "merge-base", "HEAD", revision], cwd=ROOT, capture_output=True, text=True, check=True)
    command = ["git", "diff", "--name-only", base.stdout.strip(), "--", PACKAGE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


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
    running.add_argument(
        "--cpu", type=float, default=float("inf"), metavar="SECONDS", help="begin no mutant after that"
    )
    running.add_argument(
        "--changed", metavar="REV", help="only modules that differ from this revision; all if none does"
    )
    running.add_argument("--floor", type=float, default=0.0, help="the share that must be killed, 0 to 1")
    running.add_argument("--only", action="append", default=[], metavar="PREFIX", help="only modules below this path")
    running.add_argument("--also", action="append", default=[], metavar="PREFIX=TESTS", help="more tests for these")
    options = parser.parse_args()
    if options.command == "record":
        return record(options.tests, options.marks, options.more)

    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    paths = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / PACKAGE).rglob("*.py"))
    paths = [path for path in paths if not path.startswith(LEFT_OUT)]
    if options.changed and (changed := _changed(options.changed).intersection(paths)):
        paths = sorted(changed)
    if options.only:
        paths = [path for path in paths if path.startswith(tuple(options.only))]
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}
    everything = [mutant for path in paths for mutant in mutants(path, sources[path])]
    sample = random.Random(seed).sample(everything, min(options.count, len(everything)))
    print(f"seed {seed}: {len(sample)} of {len(everything)} mutants in {len(paths)} modules", flush=True)

    choice = Choice(options.also, {mutant.path for mutant in sample})
    for name in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # what forks don't touch is not copied
    assert PACKAGE not in sys.modules, "the forks would not import the mutant"
    tried: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    survivors: dict[str, list[str]] = defaultdict(list)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mutants-")))
        _copy(folder)
        for number, mutant in enumerate(sample):
            if _spent() > options.cpu:
                print(f"{options.cpu:.0f} s of CPU are spent: {len(sample) - number} mutants were not tried")
                break
            source = sources[mutant.path]
            tests, seconds = choice.tests(mutant)
            room = "/".join(Path(mutant.path).parts[1:-1][:2]) or "."
            why = survives(folder, mutant, source, tests, seconds, number)
            if why is not None and (more := choice.more(mutant)):
                why = survives(folder, mutant, source, more, 60, len(sample) + number, "slow or not slow")
            tried[room] += 1
            killed[room] += why is None
            line = source.count("\n", 0, mutant.start) + 1
            print(f"{'killed  ' if why is None else 'SURVIVED'} {mutant.path}:{line} {mutant.kind}", flush=True)
            if why is not None:
                after = mutant.apply(source)
                diff = difflib.unified_diff(source.splitlines(), after.splitlines(), lineterm="", n=2)
                survivors[room].append(f"{mutant.path}:{line} ({mutant.kind}; {why})\n" + "\n".join(list(diff)[2:]))
                print(survivors[room][-1], flush=True)
    for room in sorted(tried):
        print(f"{room:40} {killed[room]:4} of {tried[room]:4} killed")
    print(f"{killed.total()} of {tried.total()} killed; seed {seed}; {_spent():.0f} s of CPU")
    return 1 if killed.total() < options.floor * tried.total() else 0


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
