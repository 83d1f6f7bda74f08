"""Attributes that need not be attributes: a module kept on `self`, whose name the methods can say themselves."""

from __future__ import annotations

import ast
import re

from ..finding import Edit, Fix
from ..project import Project
from .attribute_classes import Family, Shape, Store

_REQUIRES = re.compile(r"(?:python_requires|requires-python)\s*=\s*[\"']?[^\"'\n]*?(?:>=|~=|==|>)\s*(\d+)\.(\d+)")
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+)\.(\d+)")
_DECLARING = re.compile(r"(?:setup\.py|setup\.cfg|pyproject\.toml)$")


def python_below(project: Project, version: tuple[int, int]) -> bool:
    """The repository says (at its root) that it runs on a Python 3 older than `version`."""
    declared: list[tuple[int, int]] = []
    classified: list[tuple[int, int]] = []
    for path in project.paths:
        if not _DECLARING.match(path):
            continue
        source = project.source(path)
        if source is not None:
            declared += [(int(major), int(minor)) for major, minor in _REQUIRES.findall(source.text)]
            classified += [(int(major), int(minor)) for major, minor in _CLASSIFIER.findall(source.text)]
    return any((3, 0) <= each < version for each in declared or classified)


def module_on_self(family: Family, shape: Shape, store: Store) -> Fix | None:
    """`self.np = np` goes, and `self.np.x` becomes `np.x`; None where not every use can be seen to mean that."""
    outline, value = shape.outline, store.value
    if not isinstance(value, ast.Name) or len(family.circle(shape)) != 1:
        return None
    statement, name = store.statement, store.target.attr
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or statement.targets[0] is not store.target:
        return None
    scope, bindings = outline.lookup(value, value.id)
    top = all(outline.parents[each.statement] is outline.module for each in bindings)
    if not isinstance(scope, ast.Module) or not top:
        return None
    if len(shape.stores(name)) != 1 or len(shape.block(statement)) < 2:
        return None
    source = family.repo.project.source(outline.path)
    assert source is not None
    line = source.line_text(statement.lineno)
    if line[: statement.col_offset].strip() or statement.end_lineno != statement.lineno or ";" in line:
        return None
    edits = []
    for _, node in shape.selves[name]:
        if node is store.target:
            continue
        if not isinstance(outline.lookup(node, value.id)[0], ast.Module):
            return None
        start = source.offset(node.lineno, node.col_offset)
        edits.append(Edit(outline.path, start, source.offset(node.end_lineno or 0, node.end_col_offset or 0), value.id))
    if _read_elsewhere(family, shape, name):
        return None
    last = statement.lineno == len(source.line_starts)
    end = len(source.text) if last else source.line_starts[statement.lineno]
    edits.append(Edit(outline.path, source.line_starts[statement.lineno - 1], end, ""))
    return Fix(f"Say `{value.id}` instead of `self.{name}`", tuple(sorted(edits, key=lambda edit: edit.start)))


def _read_elsewhere(family: Family, shape: Shape, name: str) -> bool:
    """Files that know the class may ask its objects for the attribute."""
    own = {id(node) for _, node in shape.selves[name]}
    known = {id(outline) for outline in family.repo.mentioning(shape.node.name)}
    for outline in family.repo.mentioning(name):
        if id(outline) not in known:
            continue
        for each in outline.nodes:
            of_other = isinstance(each, ast.Attribute) and each.attr == name and id(each) not in own
            if of_other and not outline.is_self(each.value):  # type: ignore[attr-defined]
                return True
            if isinstance(each, ast.Constant) and each.value == name:
                return True
    return False
