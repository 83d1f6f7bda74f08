"""Code that reads variables of the script that is run, through `__main__`: in a spawned child these come late.

Also `getattr(sys.modules["__main__"], "options")`, `vars(main)["options"]`, and what `from __main__ import` gives.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...project import Project
from ...questions import asked
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .importers import Importers

_MAIN = "__main__"
_NAMES_MAIN = re.compile(
    rf"(?:import|from)\s+{_MAIN}\b|modules\b[^\n]*{_MAIN}|(?:import_module|__import__)\s*\(\s*[\"']{_MAIN}"
)
_BY_TEXT = ("getattr", "hasattr")
_DEPTH = 3  # variables that the module is followed through


def reads_main(project: Project, importers: Importers, path: str) -> str | None:
    """`path:line` in another file, which the script at `path` imports, that reads a variable of the main module."""
    for other in _naming_main(project):
        if other != path and path in importers.reaching(other):
            for node in variables_of_main(importers.repo, other):
                return f"{other}:{node.lineno}"
    return None


@asked
def _naming_main(project: Project) -> tuple[str, ...]:
    """The files that name the main module, as one that may be asked for its variables."""
    return tuple(project.paths_matching(_NAMES_MAIN, word=_MAIN))


def variables_of_main(repo: Repo, path: str) -> dict[ast.expr, str]:
    """The places in a file that read a variable of the main module, with its name."""
    names_it = repo.project.holds(path, _MAIN) and repo.project.holds(path, _NAMES_MAIN)
    outline = repo.outline(path) if names_it else None
    return dict(_reads(outline)) if outline is not None else {}


def _reads(outline: Outline) -> Iterator[tuple[ast.expr, str]]:
    for node in outline.nodes:
        name: str | None = None
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and is_main(outline, node.value):
            name = node.attr
        elif isinstance(node, ast.Call) and len(node.args) > 1 and last_name(node.func) in _BY_TEXT:
            name = _text(node.args[1]) if is_main(outline, node.args[0]) else None
        elif isinstance(node, ast.Call) and node.args and last_name(node.func) == "get":
            whole = node.func.value if isinstance(node.func, ast.Attribute) else None
            name = _text(node.args[0]) if whole is not None and _is_namespace(outline, whole) else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            name = _text(node.slice) if _is_namespace(outline, node.value) else None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            name = _imported_from_main(outline, node)
        if name is not None and not name.startswith("__") and isinstance(node, ast.expr):
            yield node, name


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _imported_from_main(outline: Outline, node: ast.Name) -> str | None:
    """The variable for which the name stands by `from __main__ import ...`."""
    for binding in outline.lookup(node, node.id)[1] if node.id in outline.imported else ():
        statement = binding.statement
        if isinstance(statement, ast.ImportFrom) and statement.module == _MAIN:
            return next((each.name for each in statement.names if (each.asname or each.name) == node.id), None)
    return None


def _is_namespace(outline: Outline, node: ast.expr) -> bool:
    """The variables of the main module, as a dict."""
    if isinstance(node, ast.Call):
        return last_name(node.func) == "vars" and len(node.args) == 1 and is_main(outline, node.args[0])
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and is_main(outline, node.value)


def is_main(outline: Outline, node: ast.expr, depth: int = 0) -> bool:
    """The main module, as an object."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node) == f"sys.modules['{_MAIN}']"
    if isinstance(node, ast.Call):
        given = _text(node.args[0]) if node.args else None
        by_name = last_name(node.func) in ("import_module", "__import__")
        return given == _MAIN and (by_name or ast.unparse(node.func) == "sys.modules.get")
    if not isinstance(node, ast.Name) or depth >= _DEPTH:
        return False
    return any(
        is_main(outline, item.value, depth + 1)
        if item.value is not None and item.value is not node
        else isinstance(item.statement, ast.Import) and _imports_main(item.statement, node.id)
        for item in outline.lookup(node, node.id)[1]
    )


def _imports_main(statement: ast.Import, name: str) -> bool:
    return any(alias.name == _MAIN and (alias.asname or alias.name) == name for alias in statement.names)
