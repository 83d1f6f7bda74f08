"""Options of the test run."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("harness.check", "harness.repositories")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--forkserver",
        action="store_true",
        help="run every migrated before_after program under forkserver too, not only those that ask for it",
    )
