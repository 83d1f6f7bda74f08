"""Which test executes which line, and how long each takes: what `mutation.py record` writes.

From Python 3.12 on `sys.monitoring` tells of each line once in a test, at half the price of the test; before, a tracer
is told each time, at three to five times the price.
"""

from __future__ import annotations

import functools
import gc
import json
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import CodeType

import coverage
import pytest

Switch = Callable[[str], object]  # to a test, or to none ("")


class Recorder:
    """The plugin: one coverage context a test."""

    def __init__(self, package: str, switch: Switch) -> None:
        self.package, self.switch, self.seconds = package, switch, dict[str, float]()
        self.caches: list[functools._lru_cache_wrapper[object]] = []
        self.path: Path | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if item.path != self.path:  # what is cached counts for the first test of each file that needs it
            self.path = item.path
            for cached in gc.get_objects() if not self.caches else ():
                if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.startswith(self.package):
                    self.caches.append(cached)
            for function in self.caches:
                function.cache_clear()
        self.switch(item.nodeid)
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = round(time.process_time() - start, 3)
        self.switch("")
        return result


def record(root: Path, package: str, files: tuple[str, str], pytest_arguments: list[str], more: bool) -> int:
    """Run the tests once; `files`: for lines and seconds, below `root`, `more`: what is in them stays."""
    data, seconds = root / files[0], root / files[1]
    known = json.loads(seconds.read_text(encoding="utf-8")) if more else {}
    if sys.version_info >= (3, 12):
        status, found = _monitored(root, package, data, pytest_arguments, more)
    else:
        status, found = _traced(root, package, data, pytest_arguments, more)
    seconds.write_text(json.dumps(known | found), encoding="utf-8")
    return status


def _traced(root: Path, package: str, data: Path, arguments: list[str], more: bool) -> tuple[int, dict[str, float]]:
    running = coverage.Coverage(data_file=str(data), branch=False, source=[package])
    running.set_option("run:relative_files", True)
    if more:
        running.load()
    else:
        running.erase()
    recorder = Recorder(package, running.switch_context)
    running.start()
    status = pytest.main(arguments, plugins=[recorder])
    running.stop()
    running.save()
    return int(status), recorder.seconds


if sys.version_info >= (3, 12):

    def _monitored(
        root: Path, package: str, data: Path, arguments: list[str], more: bool
    ) -> tuple[int, dict[str, float]]:
        monitoring, tool = sys.monitoring, sys.monitoring.COVERAGE_ID
        below, lines = f"{root / package}/", dict[str, set[int]]()
        executed = list[tuple[str, dict[str, set[int]]]]()

        def line(code: CodeType, number: int) -> object:
            if code.co_filename.startswith(below):
                lines.setdefault(code.co_filename, set()).add(number)
            return monitoring.DISABLE  # until the next test

        def switch(test: str) -> None:
            nonlocal lines
            if test:
                lines = {}
                executed.append((test, lines))
                monitoring.restart_events()

        monitoring.use_tool_id(tool, "mutation.py")
        monitoring.register_callback(tool, monitoring.events.LINE, line)
        monitoring.set_events(tool, monitoring.events.LINE)
        recorder = Recorder(package, switch)
        status = pytest.main(arguments, plugins=[recorder])
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
        found = coverage.CoverageData(str(data))
        if more:
            found.read()
        else:
            found.erase()
        for test, by_file in executed:
            found.set_context(test)
            found.add_lines({Path(file).relative_to(root).as_posix(): each for file, each in by_file.items()})
        found.write()
        return int(status), recorder.seconds
