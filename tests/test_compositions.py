"""Programs put together at random print the same after `migrate`: under fork, and under spawn what fork printed.

All rules run, with everything that is found taken as sure enough. `harness/compositions.py` says what the programs do.
Other interpreters run them with `python benchmarks/same_meaning.py --python /path/to/python3.13`.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from harness.compositions import Program, composed, patterns
from harness.same_meaning import Outcome, outcomes, real
from harness.scripts import script, script_patterns

SMALLEST = {"fixed": 0.5, "refused": 0.2}  # of all programs, at least


def _programs(seeds: range) -> list[Program]:
    """Each pattern in turn."""
    names = sorted(patterns())
    return [composed(random.Random(seed), names[seed % len(names)]) for seed in seeds]


def _scripts(kind: str, seeds: range) -> list[Program]:
    """Scripts of each pattern in turn."""
    names = sorted(script_patterns(kind))
    return [script(kind, random.Random(seed), names[seed % len(names)]) for seed in seeds]


def _check(programs: list[Program]) -> Counter[str]:
    found = outcomes(programs)
    for each in found:
        assert not each.differs, each.report()
        assert not each.unstable, f"a second run changes it:\n{each.after}"
        assert not each.broken, each.broken
    return Counter(each.what for each in found)


@pytest.mark.slow
def test_programs_print_the_same() -> None:
    counts = _check(_programs(range(0, 182, 15)))
    assert counts["fixed"] > 3 and counts["refused"] > 1


@pytest.mark.slow
def test_programs_print_the_same_at_length() -> None:
    counts = _check(_programs(range(60_000, 60_000 + len(patterns()))))
    total = sum(counts.values())
    assert total == len(patterns()) > 170
    assert all(counts[what] >= share * total for what, share in SMALLEST.items()), counts


@pytest.mark.slow
def test_scripts_without_a_guard_print_the_same() -> None:
    counts = _check(_scripts("main_guard", range(0, 64, 6)))
    assert counts["fixed"] > 3 and counts["refused"] > 0


@pytest.mark.slow
def test_scripts_without_a_guard_print_the_same_at_length() -> None:
    kinds = script_patterns("main_guard")
    counts = _check(_scripts("main_guard", range(70_000, 70_000 + 2 * len(kinds))))
    assert len(kinds) >= 50
    assert counts["fixed"] > len(kinds) and counts["refused"] > len(kinds) // 4, counts


@pytest.mark.slow
def test_copies_of_models_are_the_same() -> None:
    kinds = script_patterns("model_deepcopy")
    counts = _check(_scripts("model_deepcopy", range(80_000, 80_000 + 2 * len(kinds))))
    assert len(kinds) >= 25
    assert counts["fixed"] + counts["partly"] > len(kinds) // 4 and counts["refused"] > len(kinds) // 4, counts


@pytest.mark.slow
def test_the_fast_spawn_is_like_the_real_one() -> None:
    """Children that are forked from a clean process print what those of new interpreters print."""
    programs = [program for program in _programs(range(20_000, 20_400, 19)) if not program.reads_what_it_changed]
    for each in outcomes(programs):
        if each.what == "fixed":
            assert real(each.after) == each.printed[2], each.after


@pytest.mark.slow
def test_a_wrong_rewrite_is_seen_and_made_small() -> None:
    """The harness itself: one function for all calls, where a dict tells them apart."""
    text = "def make(n):\n    return lambda x: x + 1\n"
    steps = (
        "f = make(1)",
        "config.size += 4",
        "g = make(2)",
        "TABLE[f] = TABLE[g] = 1; print(len(TABLE))",
        "f = make(2)",
    )
    wrong = Outcome.of(Program("x", text, steps), rewrite=lambda text: text.replace("lambda x: x + 1", "_plus"))
    assert wrong.differs == "fork"
