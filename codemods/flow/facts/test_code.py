"""Tells test code from programs."""

from __future__ import annotations

import re
from collections.abc import Callable

from .records import FileFacts

_TEST = re.compile(r"(?:^|/)(?:tests?|testing|unittests?)/|(?:^|/)(?:conftest|test_(?:utils?|helpers?))\.py$")
_PERHAPS_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")  # or a program that tests a model
_TESTS_WITH = frozenset({"unittest", "pytest", "testing"})
_COMMAND_LINE = frozenset({"argparse"})


def is_test(path: str, facts_of: Callable[[str], FileFacts | None]) -> bool:
    """True for test code by the conventions of pytest and unittest; `test/evaluate.py` with a parser is a program.

    A test builds the classes of the program with values of its own. We keep one abstract instance per class, so such a
    value seems to get wherever the program takes its instances; only a boundary in test code says anything about it.
    """
    if "test" not in path:  # most
        return False
    in_folder = _TEST.search(path) is not None
    if not in_folder and _PERHAPS_TEST.search(path) is None:
        return False
    facts = facts_of(path)
    if facts is None or _imports(facts, _TESTS_WITH):
        return True
    has_tests = any(function.name.startswith("test_") for function in facts.functions)
    if _imports(facts, _COMMAND_LINE):
        return in_folder and has_tests  # else a program that tests a model
    return in_folder or has_tests


def _imports(facts: FileFacts, names: frozenset[str]) -> bool:
    return any(names.intersection(f"{module}.{name}".split(".")) for _, module, _, name in facts.imports)
