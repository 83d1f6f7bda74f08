"""Tests that are imported and collected once, and run in a fork for each mutant.

A mutant of a function is put into the functions that are there; one of what runs on import (a table, a default value,
a decorator) cannot be, and needs a process that has not imported the package.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import CodeType, FunctionType

import pytest

Place = tuple[tuple[str, int], ...]  # of a code object: (name, which of that name) from the module downwards


@dataclass(frozen=True)
class Order:
    """The text of one module instead of that on disk, and the tests to run; None: as it is on disk."""

    path: str
    text: str | None
    tests: list[str]
    limit: int  # s of CPU


@dataclass(frozen=True)
class Outcome:
    """`fits`: the mutant could be put in, else `tests` are to be run afresh: those that there are.

    `ends`: why the mutant survives, None when a test fails, the first of which is `failed`.
    """

    fits: bool
    ends: str | None = None
    failed: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def codes(code: CodeType, place: Place = ()) -> Iterator[tuple[Place, CodeType]]:
    """A code object and all inside."""
    yield place, code
    seen: dict[str, int] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            number = seen[constant.co_name] = seen.get(constant.co_name, -1) + 1
            yield from codes(constant, (*place, (constant.co_name, number)))


def _itself(code: CodeType) -> tuple[object, ...]:
    """What `code` does, without the code inside."""
    constants = [repr(item) for item in code.co_consts if not isinstance(item, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars


def _live() -> dict[str, list[FunctionType]]:
    """Every function there is, by its file."""
    gc.unfreeze()
    found: dict[str, list[FunctionType]] = {}
    for item in gc.get_objects():
        if isinstance(item, FunctionType):
            found.setdefault(item.__code__.co_filename, []).append(item)
    gc.freeze()
    return found


def put_in(old: str, new: str, file: str, functions: list[FunctionType]) -> bool:
    """Let the functions of `file` do what `new` says; False where code differs that no function runs."""
    before = dict(codes(compile(old, file, "exec", dont_inherit=True)))
    after = dict(codes(compile(new, file, "exec", dont_inherit=True)))
    differ = {place for place, code in before.items() if place not in after or _itself(code) != _itself(after[place])}
    differ |= after.keys() - before.keys()
    places: dict[tuple[str, int], list[Place]] = {}
    for place, code in before.items():
        places.setdefault((code.co_qualname, code.co_firstlineno), []).append(place)
    changes = []
    for function in functions:
        inside = places.get((function.__code__.co_qualname, function.__code__.co_firstlineno), [])
        if len(inside) != 1 or inside[0] not in after:
            continue
        (place,) = inside
        changed = {other for other in differ if other[: len(place)] == place}
        if changed and function.__code__.co_freevars == after[place].co_freevars:
            changes.append((function, after[place], changed))
    if differ - {place for _, _, changed in changes for place in changed}:
        return False
    for function, code, _ in changes:
        function.__code__ = code
    return True


@dataclass
class _Loop:
    """The plugin that runs orders in place of the tests."""

    orders: Connection
    folder: Path
    package: str
    cache: Path
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for module in sorted((self.folder / self.package).rglob("*.py")):
            name = module.relative_to(self.folder).with_suffix("").as_posix().replace("/", ".")
            if "demo_repo" not in name and not name.endswith("__main__"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name.removesuffix(".__init__"))
        functions = _live()
        while (order := self.orders.recv()) is not None:
            outcome = self._obey(order, items, functions)
            self.orders.send((outcome, time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])))
        return True

    def _obey(self, order: Order, items: dict[str, pytest.Item], functions: dict[str, list[FunctionType]]) -> Outcome:
        tests = [items[test] for test in order.tests if test in items]
        for folder in (test for test in order.tests if "::" not in test):
            tests += [item for name, item in items.items() if name.startswith((f"{folder}/", f"{folder}::"))]
        if not tests:
            return Outcome(True, "record again: none of its tests was collected")
        shutil.rmtree(self.cache, ignore_errors=True)
        receiving, sending = Pipe(duplex=False)

        def run() -> int:
            file = self.folder / order.path
            old = file.read_text(encoding="utf-8") if order.text is not None else ""
            if order.text is not None and not put_in(old, order.text, str(file), functions.get(str(file), [])):
                sending.send(Outcome(False))
                return 0
            resource.setrlimit(resource.RLIMIT_CPU, (order.limit, order.limit))
            for test, then in zip(tests, [*tests[1:], None], strict=True):
                test.config.hook.pytest_runtest_protocol(item=test, nextitem=then)
                if self.failed and order.text is not None:
                    break
            passed = None if self.failed else "all its tests pass"
            sending.send(Outcome(True, passed, tuple(self.failed)))
            return 0

        in_fork(run, order.limit)
        sending.close()
        with contextlib.suppress(EOFError):
            answer: Outcome = receiving.recv()  # after its end: it is short enough for a pipe
            return answer if answer.fits else Outcome(False, tests=tuple(test.nodeid for test in tests))
        return Outcome(True)  # it was stopped by its limit


def in_fork(run: Callable[[], int], limit: int) -> int:
    """What `run` returns in a fork of this process; -1 for one that is stopped."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            os.setsid()
            code = run()
        finally:
            sys.stdout.flush()
            os._exit(code)
    ends = time.monotonic() + 20 * limit  # for one that waits for ever; the limit is CPU time
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # and what it started
    _, status = os.waitpid(child, 0)
    return max(os.waitstatus_to_exitcode(status), -1)


def quietly(folder: Path, log: Path, environment: dict[str, str]) -> None:
    """This process works in `folder`, and what it prints goes to `log`."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [str(folder), str(folder / "tests")]


class Preloaded:
    """A process that has imported the package of `folder` and collected `files`."""

    def __init__(self, folder: Path, package: str, environment: dict[str, str], marks: str, files: list[str]) -> None:
        self._orders, theirs = Pipe()
        self._log = folder / "preloaded.log"
        cache = folder / "cache"
        self.spent = 0.0
        self._process = os.fork()
        if self._process == 0:
            try:
                self._orders.close()
                quietly(folder, self._log, {**environment, "SPAWNFIX_CACHE_DIR": str(cache)})
                basetemp = folder.with_name(folder.name + "-tests")
                arguments = ["-q", "-p", "no:cacheprovider", f"--basetemp={basetemp}", "-m", marks, *files]
                pytest.main(arguments, plugins=[_Loop(theirs, folder, package, cache)])
                shutil.rmtree(basetemp, ignore_errors=True)
            finally:
                sys.stdout.flush()
                os._exit(0)
        theirs.close()

    def run(self, order: Order) -> Outcome:
        try:
            self._orders.send(order)
            outcome: Outcome
            outcome, self.spent = self._orders.recv()
        except (EOFError, OSError) as error:
            raise RuntimeError(f"the tests were not collected: {self._log.read_text()[-2000:]}") from error
        return outcome

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._orders.send(None)
        os.waitpid(self._process, 0)
