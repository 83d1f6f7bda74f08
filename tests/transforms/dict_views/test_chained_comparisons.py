"""A view in a chain of comparisons: only the signs next to it count."""

from __future__ import annotations

import pytest

from harness.small import reported


def reason(use: str) -> str | None:
    text = f"import pickle\n\n\nclass A:\n    def __init__(self, d):\n        self.n = d.keys()\n\n    def f(self, o):\n        return {use}\n\n\npickle.dumps(A({{}}))\n"  # fmt: skip  # noqa: E501
    (finding,) = reported({"a.py": text}, "dict-views")
    return finding.reason


@pytest.mark.parametrize("use", ["0 == o in self.n", "self.n in o == 3", "0 < o <= 3 in self.n"])
def test_another_pair_compares(use: str) -> None:
    assert reason(use) is None


@pytest.mark.parametrize("use", ["self.n == o", "o == self.n in [1]", "0 in self.n == o"])
def test_the_view_is_compared(use: str) -> None:
    assert "compares it with `==`" in (reason(use) or "")
