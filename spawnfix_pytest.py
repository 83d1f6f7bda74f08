"""For pytest: `assert_spawn_safe(obj)`, as a function and as a fixture, and `--spawnfix`.

With `--spawnfix` a test fails when a DataLoader that it (or a fixture) builds holds what can't be given to a worker.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import sys
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

import spawnfix  # noqa: F401  (finds our package, whatever the repository under test calls its folders)

if TYPE_CHECKING:
    from codemods.diagnose import causes, probe, report
else:
    causes, probe, report = (
        importlib.import_module(f"spawnfix.diagnose.{name}") for name in ("causes", "probe", "report")
    )


def assert_spawn_safe(obj: object, name: str = "obj", *, child: bool = True, seconds: float = 30.0) -> None:
    """Raise AssertionError, with every bad path in it, when `obj` can't be given to a spawned process.

    `child`: really start one, and let it make the object again. `name` is what paths begin with.
    """
    __tracebackhide__ = True
    problems = probe.diagnose(obj, name, seconds, child, forgiving=_forks(None))["problems"]
    if problems:
        raise AssertionError(_text(problems))


def _forks(context: Any) -> bool:
    """Locks are made for fork here, and for spawn where that is the default: no mistake of the program.

    `context` is one that a loader was given, if any.
    """
    if context is None:
        context = multiprocessing
    method = context.get_start_method(allow_none=True)  # without: a later set_start_method would fail
    return bool((method or multiprocessing.get_all_start_methods()[0]) == "fork")


@pytest.fixture(name="assert_spawn_safe")
def _assert_spawn_safe() -> Callable[..., None]:
    """The function of this name."""
    return assert_spawn_safe


def _text(problems: list[dict[str, Any]]) -> str:
    lines = ["a spawned worker can't be given this:"]
    for row in problems:
        where = _where(report.place_of(row["assigned_at"]) or report.place_of(row["defined_at"]))
        lines.append(f"  {row['path']}: {row['error']}{where}")
        cause = causes.cause_of(row["error"])
        if cause is not None:
            lines.append(f"    {cause.rule + ': ' if cause.rule else ''}{cause.advice}")
    return "\n".join(lines)


def _where(place: report.Place | None) -> str:
    return "" if place is None else f" ({report.near(place.path)}:{place.line})"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--spawnfix`."""
    parser.getgroup("spawnfix").addoption(
        "--spawnfix",
        action="store_true",
        help="fail tests that build a DataLoader whose dataset or functions can't be given to a spawned worker",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watch DataLoaders when asked to."""
    if config.getoption("--spawnfix"):
        config.pluginmanager.register(_Watch(), "spawnfix-watch")


class _Watch:
    """Looks at every DataLoader that is built, and fails the test that built it."""

    def __init__(self) -> None:
        self.problems: list[dict[str, Any]] = []
        self.seen: set[tuple[int, ...]] = set()
        self.alive: list[object] = []  # so that no id comes back
        module = sys.modules.get("torch.utils.data.dataloader")
        if module is not None:
            self.patch(module)
        else:
            sys.meta_path.insert(0, probe._Patcher({"torch.utils.data.dataloader": self.patch}))

    def patch(self, module: Any) -> None:
        """Have DataLoader tell us of each instance."""
        real = module.DataLoader.__init__

        @functools.wraps(real)
        def init(loader: Any, *args: Any, **more: Any) -> None:
            real(loader, *args, **more)
            self.look(loader)

        module.DataLoader.__init__ = init

    def look(self, loader: Any) -> None:
        """Note what can't be sent of what `loader` sends; without workers it sends nothing."""
        if not getattr(loader, "num_workers", 0):
            return
        for part, name in probe.crossing(loader, "DataLoader"):
            if part is not None and (id(part),) not in self.seen:
                self.seen.add((id(part),))
                self.alive.append(part)
                forgiving = _forks(getattr(loader, "multiprocessing_context", None))
                self.problems += probe.examine(part, name, 20.0, False, forgiving)[0]["problems"]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail the test that passed but built a bad loader, in its set-up or its body."""
        result = yield
        found, self.problems = self.problems, []
        self.seen.clear()
        self.alive.clear()
        if found:
            pytest.fail(_text(found), pytrace=False)
        return result
