"""Moves whatever may move in a text, so that a test need not show that it crosses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from codemods.engine.apply import edits_of
from codemods.engine.verify import verify
from codemods.finding import Fix, Refused
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.syntax.binding_rules import FUNCTIONS
from codemods.syntax.scopes import Scopes
from codemods.transforms.lambdas.known import Unknown
from codemods.transforms.lambdas.plan import Target, plan_hoist
from codemods.tree.files import MemoryFiles

PATH = "train.py"


def candidates(project: Project, path: str = PATH) -> list[Target]:
    """Every lambda, nested function and local class of the file, as if all of them crossed."""
    module = project.module(path)
    assert module is not None
    scopes = Scopes(module)
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            found.append(Target(HazardKind.LAMBDA, node.lineno, node.col_offset))
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and any(
            isinstance(above, FUNCTIONS) for above in scopes.ancestors(node)
        ):
            kind = HazardKind.CLASS if isinstance(node, ast.ClassDef) else HazardKind.FUNCTION
            found.append(Target(kind, node.lineno, node.col_offset))
    return found


class Carrying(Unknown):
    """All that is known is what instances of any class hold."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        return self.words


def hoisted(
    text: str, burdens: Sequence[str] = (), others: dict[str, str] | None = None, path: str = PATH
) -> tuple[str, list[str]]:
    """The text with every candidate moved that may be, checked as the pipeline does, and the reasons for the rest."""
    contents = {path: text, **(others or {})}
    project = Project(MemoryFiles({name: each.encode() for name, each in contents.items()}))
    answers = plan_hoist(project, path, candidates(project, path), Carrying(burdens))
    fixes = list(dict.fromkeys(each for each in answers.values() if isinstance(each, Fix) and each.unsafe is None))
    edits = edits_of(fixes, project.source, project.module).get(path, [])
    source = project.source(path)
    assert source is not None
    after = source.apply(edits)
    if edits:
        assert verify(source, after, edits) is None
    reasons = [each.reason if isinstance(each, Refused) else each.unsafe for each in answers.values()]
    return after, [reason for reason in reasons if reason is not None]
