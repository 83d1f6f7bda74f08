"""Whether an object gives the same method whenever it is asked for it."""

from __future__ import annotations

import ast
from functools import partial

from ....project import Project
from ....syntax.binding_rules import FUNCTIONS, bound_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.written_by_name import written_by_name
from .parsed_options import ParsedOptions


def is_same_method(project: Project, repo: Repo, options: ParsedOptions, cls: Class, name: str) -> bool:
    """No object of the class, or of one below, has a property of the name, or anything put in its place."""
    for outline in repo.mentioning(name):
        if any(not isinstance(use.ctx, ast.Load) for use in outline.attributes.get(name, ())):
            return False
        if any(
            _may_meet(repo, Class(outline, owner), cls)
            for owner in outline.of_kind(ast.ClassDef)
            if any(_binds_otherwise(part, name) for part in owner.body)
        ):
            return False
    return not written_by_name(project, repo, name, partial(_is_other, repo, options, cls), own=True)


def _binds_otherwise(node: ast.AST, name: str) -> bool:
    """It makes the name of the class more than a plain method."""
    if bound_name(node) == name:
        return not isinstance(node, ast.FunctionDef) or bool(node.decorator_list)
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
        return False
    return any(_binds_otherwise(each, name) for each in ast.iter_child_nodes(node))


def _may_meet(repo: Repo, one: Class, other: Class) -> bool:
    """They may be related, or a class derives from both."""
    heirs = (Class(where, node) for where in repo.mentioning(one.node.name) for node in where.of_kind(ast.ClassDef))
    both = {one.node, other.node}
    return repo.resolver.may_be_related(one, other) or any(
        both.issubset(each.node for each in repo.resolver.lineage(heir)) for heir in heirs
    )


def _is_other(repo: Repo, options: ParsedOptions, cls: Class, outline: Outline, target: ast.expr) -> bool:
    """It is an object of another class, of a library, or parsed options; or what is set is part of a pickled object."""
    if outline.is_self(target):
        owner = outline.owner(target)
        is_state = getattr(outline.scope(target), "name", "") == "__setstate__"
        return is_state or (owner is not None and not repo.resolver.may_be_related(Class(outline, owner), cls))
    return options.is_other_object(outline, target)
