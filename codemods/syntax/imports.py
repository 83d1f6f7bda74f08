"""How a file already spells a name of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..finding import Import
from .binding_rules import FUNCTIONS, IMPORTS, Meaning, imported
from .scopes import scopes_of


def always_run(module: ast.Module, before: int | None) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports at the top level of the module that have run by line `before` (None: by the first definition)."""
    for statement in module.body:
        if before is not None and statement.lineno >= before:
            return
        if before is None and isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return
        if isinstance(statement, IMPORTS):
            yield statement


def _only_means(module: ast.Module, name: str, meaning: Meaning, at: int | None) -> bool:
    return all(binding.meaning == meaning for binding in scopes_of(module).visible(name, at))


def reference(
    module: ast.Module, path: str, target: str, name: str, at: int | None = None
) -> tuple[str, tuple[Import, ...]]:
    """The expression by which `path` can say `target.name`, and the import it still needs.

    `from functools import partial` in the file gives ("partial", ()), `import functools as ft` ("ft.partial", ()), and
    neither gives ("functools.partial", (Import(path, "functools"),)). Only imports that always run (top level of the
    module, not under `if` or `try`) and whose name nothing else in the module binds are trusted. `at` is the line where
    the expression will stand: then only the functions around that line can shadow a name, and the import must come
    before it. Raises ValueError when the plain name of the module is taken by something else.
    """
    parent, _, leaf = target.rpartition(".")
    spellings: list[tuple[int, str, str, Meaning]] = []  # (preference, expression, leading name, what that must mean)
    for statement in always_run(module, at):
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
    if not _only_means(module, top, (top, None), at):
        raise ValueError(f"the name {top!r} stands for something else in {path}")
    return f"{target}.{name}", (Import(path, target),)
