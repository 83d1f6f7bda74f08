"""Work grows with what is looked at: counted in calls, for constructs that once took their square or more."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.case import ROOT

SETTINGS = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True)
MOST = 1.2  # the exponent


@pytest.fixture(scope="module")
def generators() -> dict[str, tuple[Callable[[int], dict[str, str]], int]]:
    spec = importlib.util.spec_from_file_location("growth", ROOT / "benchmarks/growth.py")
    assert spec and spec.loader
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, tuple[Callable[[int], dict[str, str]], int]] = module.GENERATORS
    return found


def calls(files: MemoryFiles) -> int:
    """How often a check of `files` calls something, functions of C among it."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        check(files, SETTINGS)
    finally:
        sys.setprofile(None)
    return count


def _slow(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "name",
    [
        "lambdas",
        _slow("lambdas_in_functions"),
        _slow("registry"),
        _slow("deepcopies"),
        "kept_views",
        _slow("local_classes"),
        "loaders_in_script",
        "guarded_scripts",
        "calls_of_one_function",
        "one_name_assigned",
        "results_of_itself",
        "launch_lines",
        "joins",
        _slow("nested_functions"),
        "files_without_hazard",
        _slow("many_names"),
        _slow("partials"),
        "methods_of_one_name",
        "unpacked_keywords",
    ],
)
def test_calls_grow_as_the_code(generators: dict[str, tuple[Callable[[int], dict[str, str]], int]], name: str) -> None:
    make, _ = generators[name]
    trees = [MemoryFiles({path: text.encode() for path, text in make(size).items()}) for size in (3, 12, 48)]
    check(trees[0], SETTINGS)  # for what is made once
    small, large = calls(trees[1]), calls(trees[2])
    exponent = math.log(large / small, 4)
    assert exponent < MOST, f"{small} calls for 12, {large} for 48: n to the power of {exponent:.2f}"
