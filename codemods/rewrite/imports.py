"""How a file already spells a name of a module, and where a missing import goes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..finding import Edit, Import
from ..tree.source import Source


def reference(module: ast.Module, path: str, target: str, name: str) -> tuple[str, tuple[Import, ...]]:
    """The expression by which `path` can say `target.name` at module level, and the import it still needs.

    `from functools import partial` in the file gives ("partial", ()); `import functools as ft` gives ("ft.partial", ());
    neither gives ("functools.partial", (Import(path, "functools"),)). Only imports that always run (top level of the
    module, not under `if` or `try`) and whose name nothing else in the module binds are trusted. Where the plain name
    of the module is taken by something else, `from target import name as _name` form is NOT tried: ValueError is raised.
    """
    raise NotImplementedError


def import_edits(source: Source, module: ast.Module, needs: Iterable[Import]) -> list[Edit]:
    """Insertions that add the imports of `needs` which the file lacks, in the file's own style.

    After the module docstring and `from __future__` lines, beside the first imports of its group (standard library before
    others), never inside `try`/`if` blocks, between `__future__` lines or above a docstring, shebang or licence comment.
    """
    raise NotImplementedError
