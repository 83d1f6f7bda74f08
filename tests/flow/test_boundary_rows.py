"""Every row of flow/boundaries.toml, one small program each: what it says must be what a run over the program finds.

The programs are generated from the row, so that a new row is tested as soon as it is there.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
from importlib import resources
from typing import Any

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence, Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

try:
    import tomllib
except ImportError:
    import tomli as tomllib

TABLE: dict[str, Any] = tomllib.loads(resources.files("codemods.flow").joinpath("boundaries.toml").read_text("utf-8"))
VALUE = "lambda: 1"
RULES = ("lambdas", "dict-views", "unpicklable-attributes")
SETTINGS = Settings(select=RULES, confidence=Confidence.POSSIBLE)
MADE_AS = {  # how what `X[spawn]` stands for is made
    "lightning.pytorch.Trainer[spawn]()": "lightning.pytorch.Trainer(strategy='ddp_spawn')",
    "lightning.fabric.Fabric[spawn]()": "lightning.fabric.Fabric(strategy='ddp_spawn')",
}


MADE_WITH = {  # what else a call needs to be that of `X[workers]`
    "transformers.Trainer[workers]": "args=transformers.TrainingArguments('x', dataloader_num_workers=2)",
}


def rows(kind: str, key: str = "callable") -> list[Any]:
    return [pytest.param(row, id=f"{at} {row[key]}") for at, row in enumerate(TABLE[kind])]


@functools.cache  # aliases of one name are compared with the same
def findings(source: str) -> dict[int, Finding]:
    """The findings of a program, by the line that they stand in."""
    report = check(MemoryFiles({"a.py": source.encode()}), SETTINGS)
    assert not report.skipped
    return {finding.span.line: finding for finding in report.findings}


def imported(name: str) -> str:
    """`import` of the module that a dotted name of the table begins with."""
    plain = re.split(r"\(\)|\[", name)[0].split(".")
    module = [part for at, part in enumerate(plain) if at == 0 or (part[:1].islower() and at < len(plain) - 1)]
    return f"import {'.'.join(module)}"


def written(name: str) -> str:
    """A dotted name of the table as code."""
    for short, code in MADE_AS.items():
        name = name.replace(short, code)
    return name.partition("[")[0] if name in MADE_WITH else name


def call(row: dict[str, Any], *arguments: str) -> str:
    """A call of the row's callable that pickles, as far as `when` is about it."""
    needed = [f"{name}=2" for name in row.get("when", {}) if not any(text.startswith(f"{name}=") for text in arguments)]
    needed += [MADE_WITH[row["callable"]]] if row["callable"] in MADE_WITH else []
    return f"{written(row['callable'])}({', '.join([*arguments, *needed])})"


def pickled(row: dict[str, Any]) -> dict[str, str]:
    """Calls that hand over something unpicklable, by the parameter that the trace must name."""
    value, calls = VALUE, {}
    for each in row.get("pickles", ["*"]):
        if each in ("self", "result[]"):
            continue  # see below
        if each == "*":
            calls["`argument 1`" if not row.get("parameters") else f"`{row['parameters'][0]}`"] = call(row, value)
            calls["`extra`"] = call(row, f"extra={value}")
        elif each == "*[]":
            others = ["None"] * len(row["parameters"])
            calls[f"`argument {len(others) + 1}`"] = call(row, *others, f"[{value}]")
        elif each.endswith("[]"):
            calls[f"`{each[:-2]}`"] = call(row, f"{each[:-2]}=[{value}]")
        else:
            calls[f"`{each}`"] = call(row, f"{each}={value}")
    return calls


PLAIN = [row for row in rows("boundary") if "only" not in row.values[0]]


@each_row("row", PLAIN)
def test_what_a_boundary_pickles_is_found(row: dict[str, Any]) -> None:
    calls = pickled(row)
    found = findings("\n".join([imported(row["callable"]), *calls.values()]))
    assert sorted(found) == [*range(2, 2 + len(calls))]
    for finding, (parameter, code) in zip((found[line] for line in sorted(found)), calls.items(), strict=True):
        assert finding.confidence is Confidence.PROVEN, code
        last = finding.trace[-1].what
        if not row.get("says"):
            assert parameter in last, (code, last)
            assert ("under every start method" in last) == bool(row.get("always")), (code, last)
        assert row["callable"] in finding.message, code


@each_row("row", [row for row in PLAIN if row.values[0].get("parameters")])
def test_a_parameter_is_known_by_its_position(row: dict[str, Any]) -> None:
    """Those that are pickled are found there, and the others of the row are left alone."""
    value = VALUE
    names = row["parameters"]
    taken = {each.removesuffix("[]") for each in row.get("pickles", ["*"])}
    lines, expected = [imported(row["callable"])], []
    for at, name in enumerate(names):
        if name in row.get("when", {}) or name in row.get("unless", {}):
            continue
        needed = {names.index(each) for each in row.get("when", {}) if each in names}
        before = ["2" if place in needed else "None" for place in range(at)]
        decides, _, settings = MADE_WITH.get(row["callable"], "").partition("=")
        if decides in names[:at]:
            before[names.index(decides)] = settings
        element = f"[{value}]" if f"{name}[]" in row.get("pickles", ()) else value
        lines.append(f"{written(row['callable'])}({', '.join([*before, element])}" + _later(row, at) + ")")
        if name in taken or "*" in taken:
            expected.append(len(lines))
    found = findings("\n".join(lines))
    assert sorted(line for line, each in found.items() if each.confidence is Confidence.PROVEN) == expected


def _later(row: dict[str, Any], at: int) -> str:
    """Arguments by name that the call needs to pickle, where their positions are not reached."""
    names = row["parameters"]
    made_with = MADE_WITH.get(row["callable"], "")
    settings = f", {made_with}" if made_with and made_with.partition("=")[0] not in names[: at + 1] else ""
    later = (f", {name}=2" for name in row.get("when", {}) if name not in names or names.index(name) > at)
    return "".join(later) + settings


@each_row("row", [row for row in rows("boundary") if {"when", "unless"} & row.values[0].keys()])
def test_a_call_that_is_known_not_to_pickle(row: dict[str, Any]) -> None:
    """`when` an argument is 0, None or missing, and `unless` it has one of its values."""
    lines = [imported(row["callable"])]
    argument = f"{row['pickles'][0]}={VALUE}" if row["pickles"] != ["*"] else VALUE
    for name in row.get("when", {}):
        lines += [call(row, argument, f"{name}={value}") for value in (0, None)]
        lines.append(f"{written(row['callable'])}({argument})")
    for name, values in row.get("unless", {}).items():
        lines += [call(row, argument, f"{name}={value!r}") for value in values]
    found = findings("\n".join(lines))
    assert sorted(found) == [*range(2, len(lines) + 1)]
    assert {finding.confidence for finding in found.values()} == {Confidence.POSSIBLE}


OF_CLASS = ["class"]  # the `only` of what takes the class of an object, and not what that keeps


@each_row(
    "row",
    [
        row
        for row in rows("boundary")
        if "self" in row.values[0].get("pickles", ()) and row.values[0].get("only") != OF_CLASS
    ],
)
def test_the_object_itself_is_pickled(row: dict[str, Any]) -> None:
    """What it keeps goes with it."""
    receiver, _, method = row["callable"].rpartition(".")
    made = written(receiver)
    made = f"{made[:-1]}{', ' if made[-2] != '(' else ''}hook=lambda: 1)"
    if receiver == "multiprocessing.Process()":  # such an object keeps what a subclass sets on it
        source = (
            "import multiprocessing\nclass Worker(multiprocessing.Process):\n    def __init__(self, hook):\n"
            "        self.hook = hook\nWorker(lambda: 1).start()\n"
        )
        line = 5
    else:
        given = "".join(f", {name}=2" for name in row.get("when", {}))
        source, line = f"{imported(receiver)}\nmade = {made}\nmade.{method}(None{given})\n", 2
    found = findings(source)
    assert [*found] == [line]
    assert found[line].confidence is Confidence.PROVEN and row["callable"] in found[line].message


@pytest.mark.parametrize("row", [row for row in rows("boundary") if "result[]" in row.values[0].get("pickles", ())])
def test_what_is_put_into_the_result_is_pickled(row: dict[str, Any]) -> None:
    found = findings(f"{imported(row['callable'])}\nshared = {row['callable']}()\nshared[0] = lambda: 1\n")
    assert [*found] == [3]
    assert found[3].confidence is Confidence.PROVEN and row["callable"] in found[3].message


ONLY = {  # an object that keeps what a boundary with `only` takes, and what it does not take
    "dict-view": ("{}.keys()", "{}"),
    "generator": ("(x for x in ())", "[]"),
    "object": ("threading.Lock()", "lambda: 1"),
    "instance": ("threading.Lock()", "lambda: 1"),
}


@pytest.mark.parametrize("row", [row for row in rows("boundary") if row.values[0].get("only", OF_CLASS) != OF_CLASS])
def test_some_kinds_alone(row: dict[str, Any]) -> None:
    """Objects that keep one of these kinds are found; a function that it takes by reference is not."""
    for kind in row["only"]:
        source = "{}\nimport threading\nclass Kept:\n    def __init__(self):\n        self.x = {}\n{}\n"
        code = f"{row['callable']}({row['pickles'][0]}=Kept())"
        crossing, passing = (findings(source.format(imported(row["callable"]), x, code)) for x in ONLY[kind])
        assert [*crossing] == [5] and crossing[5].confidence.reaches(Confidence.LIKELY), kind
        assert row["says"] in crossing[5].trace[-1].what
        assert not [each for each in passing.values() if each.confidence.reaches(Confidence.LIKELY)], kind
    assert not findings(f"{imported(row['callable'])}\n{row['callable']}(lambda: 1)\n")


# The libraries themselves

REAL = {  # where the class is whose objects the row is about
    "multiprocessing.Process": "multiprocessing.process.BaseProcess",
    "multiprocessing.Pool": "multiprocessing.pool.Pool",
    "multiprocessing.Queue": "multiprocessing.queues.Queue",
    "multiprocessing.SimpleQueue": "multiprocessing.queues.SimpleQueue",
    "multiprocessing.JoinableQueue": "multiprocessing.queues.JoinableQueue",
    "multiprocessing.Pipe": "multiprocessing.connection.Connection",
    "multiprocessing.Manager().Queue": "queue.Queue",
    "multiprocessing.spawn": "torch.multiprocessing.spawn",
    "multiprocessing.start_processes": "torch.multiprocessing.start_processes",
}
_METHODS_OF_A_SERVER = ("multiprocessing.Manager().dict", "multiprocessing.Manager().list")  # no signature to read


def real_name(row: dict[str, Any]) -> str:
    name = row["callable"]
    for ours in sorted(REAL, key=len, reverse=True):
        if re.match(rf"{re.escape(ours)}(?:\(\))?(?:\.|$)", name):
            return re.sub(rf"^{re.escape(ours)}(?:\(\))?", REAL[ours], name)
    return str(name.replace("()", ""))


def installed(row: Any, *modules: str) -> bool:
    name = real_name(row.values[0])
    return name.partition(".")[0] in modules and not row.values[0]["callable"].startswith(_METHODS_OF_A_SERVER)


STDLIB = [row for row in rows("boundary") if installed(row, *sys.stdlib_module_names)]
TORCH = [row for row in rows("boundary") if installed(row, "torch")]


@pytest.mark.parametrize(
    "row", [*STDLIB, *(pytest.param(*row.values, id=row.id, marks=pytest.mark.slow) for row in TORCH)]
)
def test_parameters_are_those_of_the_library(row: dict[str, Any]) -> None:
    module, _, last = real_name(row).rpartition(".")
    try:
        real = getattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        module, _, holder = module.rpartition(".")
        real = getattr(getattr(importlib.import_module(module), holder), last)
    names = [name for name in inspect.signature(real).parameters if name != "self"]
    parameters = row.get("parameters", [])
    assert names[: len(parameters)] == parameters
    taken = {name.removesuffix("[]") for name in row.get("pickles", ["*"])} - {"*", "self", "result"}
    assert taken <= {*names}


def test_enough_rows_are_compared_with_their_library() -> None:
    assert len(STDLIB) >= 20 and len(TORCH) >= 5
