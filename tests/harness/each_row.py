"""One test for a whole table, in place of one for each row: pytest takes a millisecond for a test.

    @each_row("text, value", [("1", 1), ("2", 2)])      as pytest.mark.parametrize, which it stands for
    def test_reads(text: str, value: int) -> None: ...

Every row is checked, whatever comes of those above it. A failure shows each row that fails as a test of its own would,
under the name that it would have; `pytest --row NAME` checks those rows alone whose names contain NAME.
"""

from __future__ import annotations

import contextlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

import pytest

SHOWN = 20  # failures in full
LONG = 100  # characters of a value in the name of a row
_Named = type(pytest.param())
Around = Callable[[str], contextlib.AbstractContextManager[None]]  # what looks at a row, by its name


def each_row(
    names: str | Sequence[str], rows: Iterable[object], ids: Iterable[object] | Callable[[Any], object] | None = None
) -> Callable[[Callable[..., None]], Callable[[pytest.Config], None]]:
    """Makes one test of a check and its rows. The check takes no fixtures: rows would share them."""
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    ids = ids if ids is None or callable(ids) else [*ids]
    table = _told_apart([_row(names, at, row, ids) for at, row in enumerate(rows)])

    def decorated(check: Callable[..., None]) -> Callable[[pytest.Config], None]:
        assert table, f"{check.__name__} has no rows"
        assert {*inspect.signature(check).parameters} == {*names}, f"{check.__name__} takes no fixtures, only rows"

        around: list[Around] = []

        def test(pytestconfig: pytest.Config) -> None:
            wanted: str = pytestconfig.getoption("--row", "")
            failed = [
                f"{check.__name__}[{name}]\n{why}"
                for name, values in table
                if wanted in name
                and (why := _failure(check, dict(zip(names, values, strict=True)), name, around)) is not None
            ]
            if failed:
                more = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
                head = f"{len(failed)} of {len(table)} rows fail"
                pytest.fail("\n\n".join([head, *failed[:SHOWN], *more]), pytrace=False)

        test.__signature__ = inspect.signature(test)  # type: ignore[attr-defined]  # that of `check` is about rows
        test.__wrapped__ = check  # type: ignore[attr-defined]  # where the test stands
        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        test.around = around  # type: ignore[attr-defined]  # for plugins
        return test

    return decorated


def _row(
    names: Sequence[str], at: int, row: object, ids: Sequence[object] | Callable[[Any], object] | None
) -> tuple[str, tuple[object, ...]]:
    """The name and the values of a row, as parametrize reads it."""
    given: Any = row
    if not isinstance(row, _Named):
        given = pytest.param(row) if len(names) == 1 else pytest.param(*given)
    assert not given.marks, "a row with a mark needs a test of its own"
    values = tuple(given.values)
    if given.id is not None:
        return _escaped(str(given.id)), values
    if callable(ids):
        return "-".join(_escaped(str(ids(value))) for value in values), values
    if ids is not None:
        return _escaped(str(ids[at])), values
    shown = zip(names, map(_shown, values), strict=True)
    return "-".join(f"{name}{at}" if value is None else value for name, value in shown), values


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode()


def _shown(value: object) -> str | None:
    """A value in the name of a row, as pytest shows it; None: by its place."""
    if isinstance(value, str):
        return _escaped(value) if len(value) <= LONG else None
    if isinstance(value, bytes):
        return _shown(value.decode("latin-1"))
    if value is None or isinstance(value, (bool, int, float, Enum)):
        return str(value)
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else None


def _told_apart(table: list[tuple[str, tuple[object, ...]]]) -> list[tuple[str, tuple[object, ...]]]:
    """The rows, those of equal names with a number behind."""
    often, seen = Counter(name for name, _ in table), Counter[str]()
    told = []
    for name, values in table:
        told.append((f"{name}{seen[name]}" if often[name] > 1 else name, values))
        seen[name] += 1
    return told


def _failure(check: Callable[..., None], values: dict[str, object], name: str, around: Sequence[Around]) -> str | None:
    """What pytest says of the check of a row, where it fails."""
    try:
        with contextlib.ExitStack() as looking:
            for each in around:
                looking.enter_context(each(name))
            check(**values)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):  # a row is never skipped
        info = pytest.ExceptionInfo.from_current()
        info.traceback = info.traceback[1:]  # from the check on
        return str(info.getrepr(style="long"))
    return None
