"""How an attribute may get another value though no line assigns to one of its name."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Protocol

from ....flow.answers.instance_uses import InstanceUse, places_of_dicts
from ....project import Project
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.set_again import constructed_again, set_again


class Uses(Protocol):
    """What is known of objects."""

    def instance_uses(self, path: str, class_line: int) -> Sequence[InstanceUse]:
        """What code does to instances of a class."""


def by_other_means(project: Project, repo: Repo, known: Uses, cls: Class, name: str, made: ast.AST) -> str | None:
    """In words, how `name` of an object of `cls` may have another value after `made` is evaluated; None if it can't."""
    uses = known.instance_uses(cls.outline.path, cls.node.lineno)
    if (place := set_again(project, repo, cls, name, made, places_of_dicts(uses))) is not None:
        return f"may be set again at {place}"
    constructors = [(use.path, use.line) for use in uses if use.attribute == "__init__"]
    if (place := constructed_again(repo, cls, constructors)) is not None:
        return f"is set again by the constructor, which {place} calls once more"
    for special in (name, "__getattribute__"):
        for outline, node in repo.methods(special):
            owner = outline.parents[node]
            if isinstance(owner, ast.ClassDef) and repo.resolver.may_be_related(Class(outline, owner), cls):
                return f"is what `{owner.name}.{special}` gives ({outline.path}:{node.lineno})"
    return None
