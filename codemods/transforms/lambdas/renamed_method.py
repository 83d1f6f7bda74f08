"""Gives a method with two leading underscores a name that pickle finds: `_rows` in place of `__rows`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain, count

from ...finding import Answer, Edit, Fix, Refused
from ...nodes import walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS, FunctionNode, bound_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from ...tree.source import Source
from .libraries import libraries
from .writing.role_words import snake


def renamed_method(
    project: Project, outline: Outline, source: Source, owner: ast.ClassDef, method: FunctionNode
) -> Answer:
    """The fix that renames `method` of the class `owner` wherever the class names it.

    Refused where something else may look for it by a text, or sees the name elsewhere in the class.
    """
    name, plain = method.name, _free_name(project, outline, owner, method.name)
    advice = f"give the method a name that does not begin with two underscores: `{plain}`"
    uses = [node for node in walk(owner) if isinstance(node, ast.Attribute) and node.attr == name]
    defined = [node for node in owner.body if isinstance(node, FUNCTIONS) and node.name == name]
    inner = (node for node in walk(owner) if isinstance(node, ast.ClassDef) and node is not owner)
    start, end = source.range_of(owner)
    words = len(re.findall(rf"(?<!\w){name}\b", source.text[start:end]))
    private = f"_{owner.name.lstrip('_')}{name}"  # what the name is for all but the class
    by_text = next(project.matching(re.compile(rf"\b{private}\b"), word=private), None)
    if defined != [method] or words != len(uses) + 1 or next(inner, None) is not None or by_text is not None:
        return Refused(advice)
    begin = source.offset(method.lineno, method.col_offset)
    found = re.compile(rf"(?:async\s+)?def\s+({name})\b").match(source.text, begin)
    if found is None:
        return Refused(advice)
    ends = [found.end(1), *(source.range_of(node)[1] for node in uses)]
    edits = tuple(Edit(outline.path, at - len(name), at, plain) for at in sorted(ends))
    if any(source.text[edit.start : edit.end] != name for edit in edits):
        return Refused(advice)
    return Fix(f"Name the method `{plain}`, as which pickle finds it", edits)


def _free_name(project: Project, outline: Outline, owner: ast.ClassDef, name: str) -> str:
    """`_rows` of `__rows`, where no other class can have that; else with the name of the class in it, and a number."""
    plain, repo = name[1:], Repo(project)
    lineage = repo.resolver.lineage(Class(outline, owner))
    bases = (
        (at.outline, base) for at in lineage for base in at.node.bases if not repo.resolver.classes(at.outline, base)
    )
    known = all(
        where.qualified(ast.unparse(base).partition("[")[0]) in libraries().plain_bases for where, base in bases
    )
    if known and _is_free(project, repo, plain) and not any(_others(project, repo, Class(outline, owner), name)):
        return plain
    longer = f"_{snake(owner.name)}{plain}"
    numbered = (f"{longer}_{number}" for number in count(2))
    return next(each for each in chain([longer], numbered) if _is_free(project, repo, each))


def _is_free(project: Project, repo: Repo, name: str) -> bool:
    """No object has it as an attribute or method, no class binds it, and no text says it."""
    taken = re.compile(rf"(?:\.|\bdef\s+|[\"']){name}\b")
    for source in project.matching(re.compile(rf"(?<!\w){name}\b"), word=name):
        outline = None if taken.search(source.text) else repo.outline(source.path)
        if outline is None or any(_in_class(outline, node) for node in outline.nodes if bound_name(node) == name):
            return False
    return True


def _in_class(outline: Outline, node: ast.AST) -> bool:
    """It stands in the body of a class itself, and in no function there."""
    around = (above for above in outline.ancestors(node) if isinstance(above, (*FUNCTIONS, ast.Lambda, ast.ClassDef)))
    return isinstance(next(around, None), ast.ClassDef)


def _others(project: Project, repo: Repo, own: Class, name: str) -> Iterator[Class]:
    """Classes that may be related to `own`, with a method of that name, which may get the same new one."""
    for source in project.matching(re.compile(rf"\bdef\s+{name}\b"), word=name):
        outline = repo.outline(source.path)
        for node in outline.of_kind(ast.ClassDef) if outline is not None else ():
            has = any(isinstance(item, FUNCTIONS) and item.name == name for item in node.body)
            if outline is not None and has and node is not own.node:
                other = Class(outline, node)
                if repo.resolver.may_be_related(own, other):
                    yield other
