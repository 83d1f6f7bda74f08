"""Work grows with what is looked at: counted in calls, for constructs that once took their square or more."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, cast

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.case import ROOT

Generators = dict[str, tuple[Callable[[int], dict[str, str]], int]]
SETTINGS = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True)
MOST = 1.2  # the exponent
MOST_OF_MANY = 1.15  # with four times as many: the square of a little shows only there


@pytest.fixture(scope="module")
def generators() -> Generators:
    spec = importlib.util.spec_from_file_location("growth", ROOT / "benchmarks/growth.py")
    assert spec and spec.loader
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Generators = module.GENERATORS
    return found


class Forgetful:
    """A cache of which nothing comes back: a first run whose answers are kept, file by file."""

    def recall(self, *of: object) -> dict[str, object]:
        return {}

    def keep(self, *looks: object) -> None:
        pass


def calls(files: MemoryFiles, is_kept: bool = False) -> int:
    """How often a check of `files` calls something, functions of C among it. `is_kept`: as a run that fills a cache."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        check(files, SETTINGS, memory=cast(Any, Forgetful()) if is_kept else None)
    finally:
        sys.setprofile(None)
    return count


def check_growth(make: Callable[[int], dict[str, str]], size: int, most: float, is_kept: bool = False) -> None:
    """The calls grow from so many to four times as many by no larger exponent than `most`."""
    first, small, large = (
        MemoryFiles({path: text.encode() for path, text in make(number).items()}) for number in (3, size, 4 * size)
    )
    check(first, SETTINGS)  # for what is made once
    few, many = calls(small, is_kept), calls(large, is_kept)
    exponent = math.log(many / few, 4)
    assert exponent < most, f"{few} calls for {size}, {many} for {4 * size}: n to the power of {exponent:.2f}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "lambdas",
        "lambdas_in_methods",
        "kept_views",
        "local_classes",
        "loaders_in_script",
        "guarded_scripts",
        "calls_of_one_function",
        "one_name_assigned",
        "results_of_itself",
        "launch_lines",
        "joins",
        "nested_functions",
        "files_without_hazard",
        "many_names",
        "partials",
        "methods_of_one_name",
        "unpacked_keywords",
        "star_imports",
        "subclass_chain",
        "processes_of_one_class",
    ],
)
def test_calls_grow_as_the_code(generators: Generators, name: str) -> None:
    check_growth(generators[name][0], 12, MOST)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["deepcopies", "filled_tables", "handles", "lambdas", "lambdas_in_functions", "local_classes", "registry"]
)
def test_calls_of_many_grow_as_the_code(generators: Generators, name: str) -> None:
    check_growth(generators[name][0], 50, MOST_OF_MANY)  # none of the sizes above, whose texts are compiled by now


@pytest.mark.slow
@pytest.mark.parametrize("name", ["guarded_scripts", "scripts_and_imports_by_name"])
def test_calls_of_a_run_that_is_kept_grow_as_the_code(generators: Generators, name: str) -> None:
    check_growth(generators[name][0], 20, MOST, is_kept=True)
