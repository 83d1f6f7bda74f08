"""Generated programs with lambdas, nested functions and local classes print the same before and after `lambdas`.

Every program is made by `Writer` from a stream of small numbers, so that Hypothesis can shrink it. It runs in this
process, twice: as written, and as `codemods.engine.migrate.plan` leaves it, once with what the flow shows to cross at
confidence `possible`, once as if everything crossed.
"""

from __future__ import annotations

import functools
import random
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from codemods.engine.migrate import Plan, plan
from codemods.finding import Confidence
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.closures import HEADER, SUPPORT, Writer
from harness.meaning import everything

PATH = "program.py"


# running


@contextmanager
def imported(modules: dict[str, types.ModuleType]) -> Iterator[None]:
    """For a while, these are what `import` gives."""
    real = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in real.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def run(text: str) -> tuple[tuple[list[object], str], list[object]]:
    """((what the program shows, the error that ends it), the callables that it kept)."""
    namespace: dict[str, object] = {"__name__": "program"}
    code = compile(text, PATH, "exec", dont_inherit=True)
    support = types.ModuleType("support")
    exec(SUPPORT_CODE, support.__dict__)
    with imported({"support": support, "multiprocessing": support}):
        try:
            exec(code, namespace)
            end = ""
        except Exception as error:
            end = "NameError" if isinstance(error, NameError) else type(error).__name__
    kept = namespace.get("KEPT", [])
    assert isinstance(kept, list)
    return (support.OUT, end), kept


SUPPORT_CODE = compile(SUPPORT, "support.py", "exec")


HEADER_LINES = frozenset(line for line in HEADER.splitlines() if line.strip())


def migrated(text: str, rules: dict[str, Rule] | None) -> tuple[str, Plan]:
    files = MemoryFiles({PATH: text.encode()})
    result = plan(files, Settings(confidence=Confidence.POSSIBLE, select=("lambdas",)), rules=rules)
    data = result.contents.get(PATH)
    return (text if data is None else data.decode()), result


def check(text: str) -> tuple[int, int]:
    """Assert that the program means the same afterwards; (how many were rewritten, how many refused)."""
    expected, _ = run(text)
    rewritten = refused = 0
    for rules in (None, {"lambdas": everything(PATH, HEADER_LINES)}):
        after, result = migrated(text, rules)
        assert not result.skipped, result.skipped
        for finding in result.remaining:
            assert finding.fix is None or finding.fix.unsafe, "it says it can, and did not"
            assert "internal check" not in (finding.reason or ""), f"{finding.reason}\n{text}\n---\n{after}"
        rewritten += sum(len(change.findings) for change in result.changes)
        refused += len(result.remaining)
        if after == text:
            continue
        got, kept = run(after)
        assert got == expected or defines_more(expected, got), f"{text}\n--- became\n{after}"
        if rules is not None and not result.remaining:
            for each in kept:
                assert named(each), f"{each!r} is still local\n{text}\n--- became\n{after}"
        again, _ = migrated(after, rules)
        assert again == after, f"a second run changes it\n{after}\n--- became\n{again}"
    return rewritten, refused


def defines_more(expected: tuple[list[object], str], got: tuple[list[object], str]) -> bool:
    """True when a name was unbound before the first difference: moved code may be there earlier than it was."""
    shown = [*expected[0], expected[1]]
    same = [one == two for one, two in zip(shown, [*got[0], got[1]], strict=False)]
    return any("NameError" in str(each) for each in shown[: same.index(False) + 1]) if False in same else False


def named(value: object) -> bool:
    """True when pickle finds the function by its name."""
    if isinstance(value, functools.partial):
        return named(value.func) and all(named(each) for each in value.args)
    return not (isinstance(value, types.FunctionType) and "<" in value.__qualname__)


def check_generated(draw: Callable[[int], int]) -> None:
    text = Writer(draw).program()
    try:
        compile(text, PATH, "exec")
    except SyntaxError:
        return  # `nonlocal` of a parameter, `break` outside a loop and the like
    check(text)


def test_a_few_generated_programs_mean_the_same() -> None:
    """Without Hypothesis, whose first test takes a second."""
    pick = random.Random(101)  # of some seeds, the one whose programs go furthest for their time
    for _ in range(5):
        check_generated(pick.randrange)


@pytest.mark.slow
@seed(20)
@settings(max_examples=100)
@given(st.data())
def test_generated_programs_mean_the_same(data: st.DataObject) -> None:
    check_generated(lambda n: data.draw(st.integers(0, n - 1)))
