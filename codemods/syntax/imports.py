"""How a file already spells a name of a module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice, takewhile

from ..finding import Import
from ..nodes import end_line, index_at
from .binding_rules import FUNCTIONS, IMPORTS, FunctionNode, Meaning, imported
from .scopes import scopes_of

_RUNS = (ast.Call, ast.Subscript, ast.BinOp, ast.Compare, ast.JoinedStr, ast.comprehension)  # may run code of a class


def always_run(module: ast.Module, before: int | None) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports at the top level of the module that have run by line `before` (None: by the first definition)."""
    if before is None:
        yield from _first_imports(module)
    else:
        yield from takewhile(lambda statement: statement.lineno < before, top_imports(module))


@lru_cache(maxsize=4)  # as `scopes_of`: asked for each of many findings in one file
def top_imports(module: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports among the statements of the module."""
    return [statement for statement in module.body if isinstance(statement, IMPORTS)]


@lru_cache(maxsize=4)
def _first_imports(module: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Those of them that stand before all functions and classes."""
    first = takewhile(lambda statement: not isinstance(statement, (*FUNCTIONS, ast.ClassDef)), module.body)
    return [statement for statement in first if isinstance(statement, IMPORTS)]


def run_before_calls(module: ast.Module, line: int) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports behind the function of the module in whose body `line` stands, which have run when anything calls it.

    Between the two stands nothing that could call it: other plain functions, constants and the standard library.
    """
    at = index_at(module.body, line)
    around = module.body[at] if at >= 0 else None
    if not isinstance(around, FUNCTIONS) or around.decorator_list or not _is_in_body(around, line):
        return
    imports = top_imports(module)
    if not imports or imports[-1].lineno < around.lineno:
        return  # without a walk through all that is there
    for statement in islice(module.body, at + 1, None):
        if isinstance(statement, IMPORTS):
            names = [meaning[0] for _, meaning in imported(statement)]
            if not names or any(name.partition(".")[0] not in sys.stdlib_module_names for name in names):
                return
            yield statement
        elif not _calls_nothing(statement):
            return


def _is_in_body(function: FunctionNode, line: int) -> bool:
    if not function.body[0].lineno <= line <= end_line(function):
        return False
    header = [function.args, *function.decorator_list, *([function.returns] if function.returns else [])]
    ends = [getattr(node, "end_lineno", None) or 0 for item in header for node in ast.walk(item)]
    return max(ends, default=function.lineno) < line


def _calls_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, FUNCTIONS):
        header = [statement.args, *([statement.returns] if statement.returns else [])]
        nodes = (node for item in header for node in ast.walk(item))
        return not statement.decorator_list and not any(isinstance(node, _RUNS) for node in nodes)
    value = getattr(statement, "value", None)
    return isinstance(statement, (ast.Assign, ast.Expr)) and isinstance(value, ast.Constant)


def _only_means(module: ast.Module, name: str, meaning: Meaning, at: int | None) -> bool:
    return all(binding.meaning == meaning for binding in scopes_of(module).visible(name, at))


def reference(
    module: ast.Module, path: str, target: str, name: str, at: int | None = None, inside: int | None = None
) -> tuple[str, tuple[Import, ...]]:
    """The expression by which `path` can say `target.name`, and the import it still needs.

    `from functools import partial` in the file gives ("partial", ()), `import functools as ft` ("ft.partial", ()), and
    neither gives ("functools.partial", (Import(path, "functools"),)). Only imports that always run (top level of the
    module, not under `if` or `try`) and whose name nothing else in the module binds are trusted. `at` is the line where
    the expression will stand: then only the functions around that line can shadow a name, and the import must come
    before it. `inside` is that line too, and what the rest of the module binds still counts: the import must come
    before it, or behind the function around it where nothing can call that before. Raises ValueError when the plain
    name of the module is taken by something else.
    """
    parent, _, leaf = target.rpartition(".")
    spellings: list[tuple[int, str, str, Meaning]] = []  # (preference, expression, leading name, what that must mean)
    behind = run_before_calls(module, inside) if inside is not None else ()
    first = list(always_run(module, at))
    in_time = [statement for statement in first if inside is None or statement.lineno < inside]
    for statement in chain(in_time, behind):
        for local, meaning in imported(statement):
            if meaning == (target, name):
                spellings.append((0, local, local, meaning))
            elif meaning == (target, None) or (parent and meaning == (parent, leaf)):
                spellings.append((1, f"{local}.{name}", local, meaning))
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname is None and parent and (alias.name + ".").startswith(target + "."):
                    top = target.partition(".")[0]
                    spellings.append((2, f"{target}.{name}", top, (top, None)))
    for _, expression, local, meaning in sorted(spellings, key=lambda spelling: spelling[0]):
        if _only_means(module, local, meaning, at):
            return expression, ()
    top = target.partition(".")[0]
    # a new import: what other functions call by that name is no use of it
    if not _only_means(module, top, (top, None), at if at is not None else inside):
        raise ValueError(f"the name {top!r} stands for something else in {path}")
    return f"{target}.{name}", (Import(path, target, early=len(in_time) < len(first)),)
