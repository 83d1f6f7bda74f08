"""Modules that other files than Python code name: entry points of the packaging, settings, code in shell commands."""

from __future__ import annotations

import ast
import re

from ..project import Project
from ..questions import asked

SHELL = (".sh", ".bash", "Makefile", "Dockerfile", ".mk")
_NAMING = (*SHELL, ".yaml", ".yml", ".toml", ".cfg", ".ini", "setup.py")
_ATTRIBUTE = re.compile(r"(?<![\w/-])(\w+)[.:](?=(\w+))")  # `jobs.train:main`, `_target_: jobs.train.main`
_IMPORT = re.compile(r"\b(?:import|from)\s+\w")
_GIVEN = re.compile(r"""-c\s+(["'])(.*?)\1""", re.DOTALL)  # `python -c "import job"`


@asked
def named_modules(project: Project) -> frozenset[tuple[str, str]]:
    """Last names of modules of the repository that texts name, with what of them; "" where code imports the module."""
    modules = {path.removesuffix(".py").rpartition("/")[2] for path in project.python_paths}
    texts = (project.source(path) for path in project.paths if path.endswith(_NAMING))
    found: set[tuple[str, str]] = set()
    for source in texts:
        if source is not None:
            found |= {(module, name) for module, name in _ATTRIBUTE.findall(source.text) if module in modules}
            found |= {(module, "") for module in imported_in_commands(source.text) & modules}
    return frozenset(found)


def imported_in_commands(text: str) -> frozenset[str]:
    """Last names of the modules that the code of `python -c "..."` imports."""
    return frozenset(name for _, code in _GIVEN.findall(text) for name in imported_in_code(code))


def imported_in_code(text: str) -> frozenset[str]:
    """Last names of the modules that code in a text imports; none where it is no code."""
    try:
        nodes = [*ast.walk(ast.parse(text.strip()))] if _IMPORT.search(text) else []
    except (SyntaxError, ValueError):
        return frozenset()
    found: set[str] = set()
    for node in nodes:
        found |= {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
        found |= {alias.name for alias in node.names} if isinstance(node, (ast.Import, ast.ImportFrom)) else set()
    return frozenset(name.rpartition(".")[2] for name in found)
