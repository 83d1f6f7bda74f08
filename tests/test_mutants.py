"""The small changes that `benchmarks/mutation.py` tries: of what is there, and not of what no test could notice."""

from __future__ import annotations

from types import ModuleType

import pytest

from harness.tools import benchmark


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return benchmark("mutants")


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (
            "if a < b:\n    f()",
            {"if False:\n    f()", "if True:\n    f()", "if (a <= b):\n    f()", "if a < b:\n    pass"},
        ),
        ("x = not a", {"x = (a)"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if True]"}),
        ("x = a and b", {"x = (a or b)", "x = (a)", "x = (b)"}),
        ("x = 'two words'", set()),
        ("x = 'é' + f('one')", {"x = ('é' - f('one'))", "x = 'é_' + f('one')", "x = 'é' + f('one_')"}),
        ("known[a] = f(a)", {"pass"}),
        ("__all__ = ['one']\nx = 1", {"__all__ = ['one']\nx = 2"}),
        ("x = zip(a, b, strict=True)", {"x = (zip(a, strict=True))"}),
        ("x = zip(a, strict=False)", {"x = zip(a, strict=True)"}),
        ("x = f(a, strict=True)", {"x = (f(a))", "x = f(a, strict=False)"}),
    ],
)
def test_every_small_change(tool: ModuleType, code: str, changed: set[str]) -> None:
    assert {mutant.apply(code) for mutant in tool.mutants("a.py", code)} == changed


@pytest.mark.parametrize(
    ("code", "noticed"),
    [
        ("if key not in self.known:\n    self.known[key] = made(key)", False),
        ("if key not in known:\n    known[key] = 0", True),
        ("if key not in known:\n    known[other] = made(key)", True),
        ("if key not in known:\n    others[key] = made(key)", True),
        ("if key in known:\n    known[key] = made(key)", True),
        ("if key not in known:\n    known[key] = made(key)\n    count()", True),
        ("if key not in known:\n    known[key] = made(key)\nelse:\n    count()", True),
    ],
)
def test_what_is_computed_once_may_be_computed_again(tool: ModuleType, code: str, noticed: bool) -> None:
    texts = {mutant.apply(code).partition("\n")[0] for mutant in tool.mutants("a.py", code)}
    assert "if False:" in texts and ("if True:" in texts) is noticed
