"""One test for a whole table, in place of one for each row: pytest takes a millisecond for a test.

    @each_row("text, value", [("1", 1), ("2", 2)])      as pytest.mark.parametrize, which it stands for
    def test_reads(text: str, value: int) -> None: ...

Every row is checked, whatever comes of those above it. A failure shows each row that fails as a test of its own would,
under the name that it would have; `pytest --row NAME` checks those rows alone whose names contain NAME.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

SHOWN = 20  # failures in full
_Named = type(pytest.param())


def each_row(
    names: str | Sequence[str], rows: Iterable[object], ids: Sequence[object] | Callable[[Any], object] | None = None
) -> Callable[[Callable[..., None]], Callable[[pytest.Config], None]]:
    """Makes one test of a check and its rows. The check takes no fixtures: rows would share them."""
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [_row(names, at, row, ids) for at, row in enumerate(rows)]

    def decorated(check: Callable[..., None]) -> Callable[[pytest.Config], None]:
        assert table, f"{check.__name__} has no rows"
        assert {*inspect.signature(check).parameters} == {*names}, f"{check.__name__} takes no fixtures, only rows"

        def test(pytestconfig: pytest.Config) -> None:
            wanted: str = pytestconfig.getoption("--row", "")
            failed = [
                f"{check.__name__}[{name}]\n{why}"
                for name, values in table
                if wanted in name and (why := _failure(check, dict(zip(names, values, strict=True)))) is not None
            ]
            if failed:
                more = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
                head = f"{len(failed)} of {len(table)} rows fail"
                pytest.fail("\n\n".join([head, *failed[:SHOWN], *more]), pytrace=False)

        test.__signature__ = inspect.signature(test)  # type: ignore[attr-defined]  # that of `check` is about rows
        test.__wrapped__ = check  # type: ignore[attr-defined]  # where the test stands
        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
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
        return str(given.id), values
    if callable(ids):
        return "-".join(str(ids(value)) for value in values), values
    return str(ids[at]) if ids is not None else f"{at}: {', '.join(map(repr, values))}", values


def _failure(check: Callable[..., None], values: dict[str, object]) -> str | None:
    """What pytest says of the check of a row, where it fails."""
    try:
        check(**values)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):  # a row is never skipped
        info = pytest.ExceptionInfo.from_current()
        info.traceback = info.traceback[1:]  # from the check on
        return str(info.getrepr(style="long"))
    return None
