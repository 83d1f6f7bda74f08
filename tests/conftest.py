"""Options of the test run, and what every test must leave as it was."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

pytest.register_assert_rewrite("harness.check", "harness.repositories")

gc.disable()  # till all tests are collected: there are ever more of them, and none of them is garbage

# Hundreds of interpreters that our tests start would each compile spawnfix anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts the tests in the background has them, and all programs that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# One profile for all machines: Hypothesis would else choose another where it finds the variable CI. Examples that
# failed are kept in .hypothesis/ and tried first in the next run; each test states its seed, so that runs are alike.
hypothesis.settings.register_profile(
    "spawnfix",
    deadline=None,
    database=DirectoryBasedExampleDatabase(Path(__file__).resolve().parents[1] / ".hypothesis" / "examples"),
    suppress_health_check=[
        hypothesis.HealthCheck.too_slow,
        hypothesis.HealthCheck.data_too_large,
        hypothesis.HealthCheck.large_base_example,
    ],
    print_blob=True,
)
hypothesis.settings.load_profile("spawnfix")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--forkserver",
        action="store_true",
        help="run every migrated before_after program under forkserver too, not only those that ask for it",
    )
    parser.addoption(
        "--cold",
        action="store_true",
        help="start a fresh interpreter for each process of every before_after program: see harness/warm.py",
    )
    parser.addoption("--row", default="", help="of tests by harness/each_row.py, only rows whose names contain this")
    parser.addoption(
        "--no-skips",
        action="store_true",
        help="fail when a test is skipped for another reason than those of ALLOWED_SKIPS in conftest.py",
    )


def pytest_configure(config: pytest.Config) -> None:
    from harness.whole_answers import Answers

    if not any(isinstance(plugin, Answers) for _, plugin in config.pluginmanager.list_name_plugin()):
        config.pluginmanager.register(Answers())


# Tests that the fast part can do without; benchmarks/fast_part.py writes the list, and says how it chooses.
DEAR = frozenset(Path(__file__).with_name("dear_tests.txt").read_text(encoding="utf-8").split())


@pytest.hookimpl(tryfirst=True)  # before `-m` is looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid in DEAR or item.nodeid.partition("[")[0] in DEAR:
            for mark in ("slow", "in_process", "dear"):
                item.add_marker(mark)


def pytest_collection_finish() -> None:
    """The garbage collector need not look at the tests themselves again and again, a sixth of the time."""
    gc.freeze()
    gc.set_threshold(1_000_000, 20, 50)
    gc.enable()


# What a test may be skipped for where all else runs, and who runs it then.
ALLOWED_SKIPS = {
    "needs to give a folder to another user": "needs root; runs where CI works in a container",
    "needs to give a file to another user": "needs root; runs where CI works in a container",
    "needs to mount a file system in a namespace of its own": "containers may forbid it; runs on a plain machine",
    "no fork by default": "Python 3.14 and macOS; runs on Linux with an older Python",
}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With --no-skips: a skipped test that is not allowed makes the run fail."""
    gc.freeze()  # pytest collects five times at the end, which takes seconds with all that the tests made
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not session.config.getoption("--no-skips"):
        return
    for report in reporter.stats.get("skipped", []):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if reason.removeprefix("Skipped: ") not in ALLOWED_SKIPS:
            reporter.write_line(f"\nskipped, but it should run here: {report.nodeid}: {reason}", red=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="session")
def no_unknown_styles() -> Iterator[None]:
    """rich leaves out a style that it does not know (`bald`), and says nothing: here it fails."""
    from rich.console import Console

    known = Console.get_style

    def strict(console: Console, name: Any, *, default: Any = None) -> Any:
        markup = isinstance(name, str) and ":" in name  # `[default: 3]` in a help text, which is no style
        return known(console, name, default=default) if markup else known(console, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Console, "get_style", strict)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After the last test of a module the environment is what it was before the first: variables and folder."""
    yield
    if nextitem is None or nextitem.path != item.path:
        changed = {name for name, _ in dict(os.environ).items() ^ _ENVIRONMENT.items()} - {"PYTEST_CURRENT_TEST"}
        assert not changed, f"{item.path.name} leaves environment variables changed: {sorted(changed)}"
        assert Path.cwd() == _FOLDER, f"{item.path.name} leaves another working directory"


_ENVIRONMENT = dict(os.environ)
_FOLDER = Path.cwd()
