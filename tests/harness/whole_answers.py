"""The whole answer of the rules to the programs of chosen tests: `answers/test_x.txt` beside `test_x.py`.

    === test_name[row]       the test
    lambdas                  a rule, and below what it finds in a program that the test hands to it
    3 likely: the reason     as in a row of a table: see `rows.py`
    + line
    flow                     what the flow analysis finds, where the test asks it and no rule
    a.py:3 proven lambda torch.utils.data.DataLoader
      a.py:7 stored as `x`   a step of the trace

A test that looks at one word of a reason, or at one line of a fix, would not notice a change of the rest: here it does.
`python tests/harness/whole_answers.py --update [TEST ...]` writes the answers of all that are listed, and lists the
tests, files or folders that it is given: read the difference.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

if __name__ == "__main__":  # run as a script from anywhere
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

import pytest

from codemods import transforms
from codemods.finding import Confidence, Finding
from codemods.flow.answers.crossing import Crossing
from codemods.flow.answers.crossings import Flow
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from harness.each_row import Around
from harness.rows import lines_of
from harness.tool import text_diff

TESTS = Path(__file__).resolve().parents[1]
FOLDER = "answers"
Find = Callable[[Project], Iterable[Finding]]
Ask = Callable[..., list[Crossing]]


def file_of(module: Path) -> Path:
    """The answers of the tests of a module."""
    return module.parent / FOLDER / f"{module.stem}.txt"


@functools.cache
def stored(module: Path) -> dict[str, str]:
    """What is kept of each test of a module."""
    file = file_of(module)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return {part[1]: part[2] for part in re.finditer(r"(?m)^=== (.+)\n((?:(?!===).*\n)*)", text)}


def modules() -> list[Path]:
    """Every module with answers."""
    return sorted(file.parents[1] / f"{file.stem}.py" for file in TESTS.rglob(f"{FOLDER}/test_*.txt"))


@functools.cache
def _rules() -> list[tuple[str, ModuleType]]:
    """The module of each rule that finds, by the name of its package."""
    names = [package.name for package in pkgutil.iter_modules(transforms.__path__)]
    return [(name, importlib.import_module(f"{transforms.__name__}.{name}.rule")) for name in names]


@contextlib.contextmanager
def answers() -> Iterator[list[str]]:
    """What each rule finds, meanwhile, in projects as they were handed to it: for each a rule's name and its lines."""
    found: list[str] = []
    with contextlib.ExitStack() as patches:
        asked_by = list[str]()
        for name, rule in _rules():
            patches.enter_context(mock.patch.object(rule, "find", _noted(rule.find, name, asked_by, found)))
        patches.enter_context(mock.patch.object(Flow, "crossings", _noted_flow(Flow.crossings, asked_by, found)))
        yield found


def _noted(find: Find, name: str, asked_by: list[str], found: list[str]) -> Find:
    def noted(project: Project) -> list[Finding]:
        asked_by.append(name)
        try:
            findings = list(find(project))
        finally:
            asked_by.pop()
        if not project.written:
            files = {entry.path: project.files.read(entry.path).decode() for entry in project.files.entries()}
            _note(found, name.replace("_", "-"), *lines_of(findings, files))
        return findings

    return noted


def _noted_flow(crossings: Ask, asked_by: list[str], found: list[str]) -> Ask:
    def noted(flow: Flow, kinds: frozenset[HazardKind], bar: Confidence = Confidence.POSSIBLE) -> list[Crossing]:
        answer = crossings(flow, kinds, bar)
        if not asked_by:
            _note(found, "flow", *(line for crossing in answer for line in _shown(crossing)))
        return answer

    return noted


def _shown(crossing: Crossing) -> Iterator[str]:
    """A crossing, and the steps of its trace."""
    yes = [name for name in ("aboard", "alone", "guessed") if getattr(crossing, name)]
    place = f"{crossing.path}:{crossing.line}"
    yield " ".join([place, crossing.confidence.value, crossing.kind.value, crossing.boundary or "-", *yes])
    yield from (f"  {hop.path}:{hop.line} {hop.what}" for hop in crossing.trace)


def _note(found: list[str], *lines: str) -> None:
    answer = "".join(f"{line}\n" for line in lines)
    if answer not in found:
        found.append(answer)


class Answers:
    """The plugin: a test that is listed fails where the rules answer something else. `written`: it is noted instead."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self.more = tuple(more)
        self.written: dict[Path, dict[str, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        module, test = pyfuncitem.path, pyfuncitem.nodeid.partition("::")[2]
        kept = stored(module).get(test)
        around: list[Around] | None = getattr(pyfuncitem.function, "around", None)
        if around is not None:  # a test by `each_row`: each row has an answer
            around[:] = [functools.partial(self.looking_at_row, pyfuncitem)]
            try:
                return (yield)
            finally:
                around.clear()
        if kept is None and not pyfuncitem.nodeid.startswith(self.more):
            return (yield)
        with answers() as found:
            result: object = yield
        self.judge(module, test, kept, "".join(found))
        return result

    @contextlib.contextmanager
    def looking_at_row(self, test: pytest.Function, row: str) -> Iterator[None]:
        name = f"{test.nodeid.partition('::')[2]}[{row}]"
        kept = stored(test.path).get(name)
        if kept is None and not f"{test.nodeid}[{row}]".startswith(self.more):
            yield
            return
        with answers() as found:
            yield
        self.judge(test.path, name, kept, "".join(found))

    def judge(self, module: Path, test: str, kept: str | None, now: str) -> None:
        difference = text_diff(kept or "", now, (f"{FOLDER}/{module.stem}.txt", "now"))
        assert not difference, f"`make snapshots` writes this; is it what you meant?\n{difference}"


class Update(Answers):
    """Notes what the rules answer."""

    def judge(self, module: Path, test: str, kept: str | None, now: str) -> None:
        if now:
            self.written.setdefault(module, {})[test] = now


def update(more: list[str]) -> int:
    """Run the modules of the tests that are listed, and `more`, and write the answers."""
    plugin = Update(more)
    listed = map(str, modules())
    status = pytest.main(["-q", "-p", "no:cacheprovider", *listed, *more], plugins=[plugin])
    for module, written in plugin.written.items():
        text = "".join(f"=== {test}\n{answer}" for test, answer in sorted(written.items()))
        file_of(module).parent.mkdir(exist_ok=True)
        file_of(module).write_text(text, encoding="utf-8", newline="\n")
    return int(status)


if __name__ == "__main__":
    from harness import whole_answers  # the module that conftest.py imports too

    sys.exit(whole_answers.update([name for name in sys.argv[1:] if name != "--update"]))
