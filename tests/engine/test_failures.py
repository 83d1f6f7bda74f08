"""What is said of a file that a rule fails on, and which file that is."""

from __future__ import annotations

import pytest

from codemods.engine.failures import culprit, left_out
from codemods.project import Project
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row

RULE = rules()["lambdas"]


class ParserSyntaxError(Exception):
    """Named as LibCST's."""


@each_row(
    ("error", "text", "reason", "partly"),
    [
        (SyntaxError("no such thing", ("a.py", 3, 1, "")), "x = (\n", "left out by lambdas: it does not compile", True),
        (SyntaxError("no such thing"), "x = 1\n", "rule lambdas failed here (our bug): SyntaxError: no such", False),
        (ValueError("x = (\nmore"), "x = (\n", "rule lambdas failed here (our bug): ValueError: x = (", False),
        (ParserSyntaxError("odd"), "x = 1\n", "rule lambdas failed here (our bug): ParserSyntaxError: odd", False),
        (ParserSyntaxError("odd"), "x = (\n", "left out by lambdas: Python reads it, but LibCST", True),
    ],
)
def test_why_a_file_is_left_out(error: Exception, text: str, reason: str, partly: bool) -> None:
    skipped = left_out(RULE, error, "a.py", Source("a.py", text))
    assert skipped.path == "a.py" and skipped.reason.startswith(reason) and skipped.partly is partly
    assert "\n" not in skipped.reason
    if isinstance(error, SyntaxError) and partly:
        assert skipped.reason.endswith("line 3: no such thing")


@pytest.mark.parametrize(("path", "named"), [(None, "."), ("a.py", "a.py")])
def test_a_file_that_is_not_known_is_the_whole(path: str | None, named: str) -> None:
    skipped = left_out(RULE, SyntaxError("odd"), path, None)
    assert (skipped.path, skipped.partly) == (named, False) and "our bug" in skipped.reason


def test_the_file_that_the_code_was_busy_with() -> None:
    project = Project(MemoryFiles({"a.py": b"", "b.py": b"", "c.py": b""}))

    def outer(path: str, then: object) -> None:
        inner(then)

    def inner(source: object) -> None:
        raise ValueError

    def named(path: str, source: object) -> str | None:
        with pytest.raises(ValueError) as caught:
            outer(path, source)
        return culprit(caught.value, project)

    assert named("a.py", None) == "a.py"
    assert named("a.py", Source("b.py", "")) == "b.py"  # the innermost
    assert named("a.py", Source("z.py", "")) == "a.py"  # a file that is not there
    assert named("z.py", 3) is None
