"""Marks of cells in scripts that are shown as notebooks, or were ones: they count at the left edge only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....project import Project
from ....syntax.outline import Outline
from ....syntax.placement import CELL
from ....tree.source import Source

_WORDS = ("%%", "In[", "In [", "<codecell>", "COMMAND")
_LIGHT = re.compile(r"#\s+format_name: (?:light|nomarker|bare)\b")  # Jupytext: every block of comments is a text
_OPENS, _CLOSES = "\n# +\n", "\n# -\n"  # the same, of a script that says nothing of its format
_RULED = re.compile(r"#{20}")  # a cell for sphinx-gallery, else a line for the eye
_FOLDERS = "examples_dirs"  # where the gallery finds its scripts


def cell_marks(project: Project, outline: Outline, source: Source) -> frozenset[int]:
    """The lines that begin a cell."""
    kinds = [CELL] if any(word in source.text for word in _WORDS) else []
    if "#" * 20 in source.text and _is_page(project, outline):
        kinds.append(_RULED)
    said = "jupytext:" in source.text and _LIGHT.search(source.text) is not None
    light = said or (_OPENS in (text := "\n" + source.text) and _CLOSES in text)
    lines = range(1, len(source.line_starts) + 1) if kinds or light else ()
    return frozenset(
        line
        for line in lines
        if any(kind.match(source.line_text(line)) for kind in kinds) or (light and _begins_block(source, line))
    )


def _begins_block(source: Source, line: int) -> bool:
    """A comment at the left edge with a blank line above it."""
    return source.line_text(line).startswith("#") and (line == 1 or not source.line_text(line - 1).strip())


def _is_page(project: Project, outline: Outline) -> bool:
    """Sphinx makes a page of the script: it begins with a docstring, in a folder that some `conf.py` names."""
    folders = set(outline.path.split("/")[:-1])
    if not folders or ast.get_docstring(outline.module) is None:
        return False
    configured = [path for path in project.python_paths if path.rpartition("/")[2] == "conf.py"]
    trees = [project.module(path) for path in configured if project.holds(path, "sphinx_gallery")]
    return any(tree is not None and not folders.isdisjoint(_folders(tree)) for tree in trees)


def _folders(configuration: ast.Module) -> Iterator[str]:
    """The last names of the folders: where the paths lead may be computed."""
    nodes = list(ast.walk(configuration))
    for node in nodes:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == _FOLDERS:
                    texts = (each.value for each in ast.walk(value) if isinstance(each, ast.Constant))
                    yield from (text.rstrip("/").rpartition("/")[2] for text in texts if isinstance(text, str))
    if not any(isinstance(node, ast.Constant) and node.value == _FOLDERS for node in nodes):
        yield "examples"
