"""Small programs, in text files, that must print the same after everything in them that may move has moved.

A file has one program after each line `=== name`. `before_and_after` runs one as written and as `lambdas` leaves it,
with every lambda, nested function and local class taken to cross.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import types
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from codemods.engine.migrate import Plan, plan
from codemods.finding import Confidence
from codemods.flow.answers.crossing import Crossing
from codemods.project import Project
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

PATH = "program.py"


def programs(folder: Path) -> dict[str, str]:
    """Every program of the text files in the folder, by `file: name`."""
    found = {}
    for path in sorted(folder.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            name, _, text = part.partition("\n")
            assert f"{path.stem}: {name}" not in found, name
            found[f"{path.stem}: {name}"] = text.strip("\n") + "\n"
    return found


def printed(text: str) -> str:
    """What the program prints, the type of the error that ends it last."""
    namespace = {"__name__": "program"}
    module = types.ModuleType("program")
    module.__dict__.update(namespace)
    out = io.StringIO()
    known, real = set(sys.modules), sys.modules.get("program")
    sys.modules["program"] = module
    try:
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(text, PATH, "exec", dont_inherit=True), module.__dict__)
            except Exception as error:
                print(f"ended by {type(error).__name__}")
    finally:
        del sys.modules["program"]
        if real is not None:
            sys.modules["program"] = real
        for name in set(sys.modules) - known:
            if name.endswith("_of_mine"):
                del sys.modules[name]
    return out.getvalue()


def everything(path: str = PATH, left_out: Collection[str] = ()) -> Rule:
    """`lambdas` as if every lambda, nested function and local class of the file crossed, but those on a line whose text
    is in `left_out`. Imported late: other rules' tests need
    the rest of this module where that rule is gone."""
    from codemods.transforms.lambdas import RULE
    from codemods.transforms.lambdas.rule import findings
    from harness.every_target import every_target

    def every_crossing(project: Project) -> Iterator[Crossing]:
        source, module = project.source(path), project.module(path)
        assert source is not None and module is not None
        for target, node in every_target(module).items():
            if source.line_text(target.line) not in left_out:
                end = (node.end_lineno or target.line, node.end_col_offset or 0)
                yield Crossing(target.kind, path, target.line, target.column, *end, Confidence.PROVEN, (), "")

    return replace(RULE, find=lambda project: findings(project, every_crossing(project)))


@functools.cache  # some tests ask about one program
def rewritten(text: str) -> tuple[str, Plan]:
    """The program with all moved that may, and what the rule says."""
    files = MemoryFiles({PATH: text.encode()})
    result = plan(files, Settings(confidence=Confidence.POSSIBLE, select=("lambdas",)), rules={"lambdas": everything()})
    data = result.contents.get(PATH)
    return (text if data is None else data.decode()), result
