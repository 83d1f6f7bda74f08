"""Which statements import a module of the repo: what runs it, where it is no program of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow.facts.records import facts_lookup
from ..flow.facts.test_code import is_test
from ..syntax.main_guard import is_main_guard
from ..syntax.modules import Modules
from ..syntax.outline import Outline
from ..syntax.repo import Repo


def importers(repo: Repo, modules: Modules, outline: Outline) -> Iterator[tuple[Outline, ast.stmt]]:
    """Every import statement of the repo that runs the module of `outline`, tests left out."""
    folder, _, file = outline.path.rpartition("/")
    package = file == "__init__.py"
    stem = folder.rpartition("/")[2] if package else file.removesuffix(".py")
    for other in repo.mentioning(stem):
        if other is outline or is_test(other.path, facts_lookup(repo.project)):
            continue
        for node in other.imports:
            if any(
                path == outline.path or (package and path.startswith(f"{folder}/"))
                for path in modules.imported(other.path, node)
            ):
                yield other, node


def is_program(outline: Outline) -> bool:
    """True when the module tests whether it is run as a program."""
    return any(is_main_guard(node) for node in outline.module.body)
