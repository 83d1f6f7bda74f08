"""Tells test code from programs."""

from __future__ import annotations

import re
from collections.abc import Callable

from .records import FileFacts

_TEST = re.compile(r"(?:^|/)(?:tests?|testing|unittests?)/|(?:^|/)(?:conftest|test_(?:utils?|helpers?))\.py$")
_PERHAPS_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")  # or a program that tests a model
_TESTS_WITH = frozenset({"unittest", "pytest", "testing"})


def is_test(path: str, facts_of: Callable[[str], FileFacts | None]) -> bool:
    """True for test code by the conventions of pytest and unittest.

    A test builds the classes of the program with values of its own. We keep one abstract instance per class, so such a
    value seems to get wherever the program takes its instances; only a boundary in test code says anything about it.
    """
    if _TEST.search(path) is not None:
        return True
    return _PERHAPS_TEST.search(path) is not None and ((facts := facts_of(path)) is None or _has_tests(facts))


def _has_tests(facts: FileFacts) -> bool:
    """The file imports what tests are written with, or has functions called `test_...` and is no command line."""
    modules = [f"{module}.{name}".split(".") for _, module, _, name in facts.imports]
    if any(_TESTS_WITH.intersection(module) for module in modules):
        return True
    takes_arguments = any(module[0] == "argparse" for module in modules)
    return not takes_arguments and any(function.name.startswith("test_") for function in facts.functions)
