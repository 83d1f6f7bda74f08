"""Which flags must be set where a line runs: two lines in opposite branches of one flag belong to no one run."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .names import last_name
from .outline import Outline
from .repo import Repo

Test = tuple[str, int]  # path and line of an `if` that runs once for its object
Flags = dict[str | Test, bool]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def exclude_each_other(repo: Repo, places: Iterable[tuple[str, int]]) -> bool:
    """True when two of the places (path and line) stand in opposite branches of tests of the same flag.

    Flags are attributes of options (`args.workers`, `self.opt.sp`) that neither file sets, and any test in an
    `__init__`, which runs once for its object.
    """
    known: Flags = {}
    outlines: dict[str, Outline] = {}
    for path, line in places:
        outline = repo.outline(path)
        if outline is None:
            continue
        outlines[path] = outline
        for flag, value in _flags(outline, line).items():
            if known.setdefault(flag, value) is value:
                continue
            if not isinstance(flag, str) or not any(_sets(item, flag) for item in outlines.values()):
                return True
    return False


def _flags(outline: Outline, line: int) -> Flags:
    """The flags that are known where the innermost statement on the line runs."""
    found: Flags = {}
    once = False
    block: list[ast.stmt] = outline.module.body
    while (
        inside := next((item for item in block if item.lineno <= line <= (item.end_lineno or line)), None)
    ) is not None:
        blocks = [getattr(inside, name, None) or [] for name in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(inside, "handlers", ())]
        block = next((item for item in blocks if item and item[0].lineno <= line <= (item[-1].end_lineno or line)), [])
        if isinstance(inside, _FUNCTIONS):
            once = inside.name == "__init__"
        elif isinstance(inside, _LOOPS):
            once = False
        if isinstance(inside, ast.If) and block:
            test, value = inside.test, block is inside.body
            if once:
                found[outline.path, inside.lineno] = value
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, value = test.operand, not value
            if isinstance(test, ast.Attribute):
                found[ast.unparse(test).removeprefix("self.")] = value
    return found


def _sets(outline: Outline, flag: str) -> bool:
    """The file assigns the flag's attribute on something else than an object's own `self`."""
    name = flag.rpartition(".")[2]
    return any(
        isinstance(node.ctx, ast.Store) and not (isinstance(node.value, ast.Name) and last_name(node.value) == "self")
        for node in outline.attributes.get(name, ())
    )
