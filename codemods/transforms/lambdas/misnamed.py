"""Functions and methods that have another name where pickle looks for them, on the way to a process."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Refused
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...nodes import statements, walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.scope_data import start_of
from .screen import ID


def misnamed(project: Project) -> Iterator[Finding]:
    """A finding for each that crosses, with what a person could do."""
    for crossing in flow_of(project).crossings(frozenset({HazardKind.MISNAMED}), project.lowest_bar):
        source, module = project.source(crossing.path), project.module(crossing.path)
        if source is None or module is None or not crossing.confidence.reaches(project.bar_of(crossing.path)):
            continue
        at = crossing.line, crossing.column
        node = next((each for each in statements(module) if isinstance(each, FUNCTIONS) and start_of(each) == at), None)
        if node is None:
            continue
        owner = next(
            (each for each in statements(module) if isinstance(each, ast.ClassDef) and node in each.body), None
        )
        if owner is not None and not _is_taken(owner, node.name):
            continue  # that of another class, which has a method of its own under the name
        if owner is not None:
            private = f"_{owner.name.lstrip('_')}{node.name}"
            found = f"pickle looks for `{node.name}` on the object, which has it as `{private}`"
            plain = _other_name(source.text, owner, node.name)
            reason = f"give the method a name that does not begin with two underscores: `{plain}`"
        else:
            decorator = ast.unparse(node.decorator_list[0])
            found = f"pickle finds the object that `@{decorator}` makes under that name, and not the function"
            reason = (
                f"give the function a name of its own (`def _{node.name}`, below it `{node.name} = "
                f"{decorator}(_{node.name})`); a worker then has a copy of the object"
            )
        what = "method" if owner is not None else "function"
        message = f"the {what} `{node.name}` {crossing.in_words}; {found}"
        span = source.span(source.offset(*at), source.offset(crossing.end_line, crossing.end_column))
        yield Finding.answered(ID, crossing.path, span, message, crossing.confidence, crossing.trace, Refused(reason))


def _is_taken(owner: ast.ClassDef, name: str) -> bool:
    """Code of the class takes the method without a call of it: `target=self.__run`."""
    nodes = list(walk(owner))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    return any(isinstance(node, ast.Attribute) and node.attr == name and node not in called for node in nodes)


def _other_name(text: str, owner: ast.ClassDef, name: str) -> str:
    """One that no other class of the file may have: methods with two underscores replace none of a base class."""
    plain = name[1:]
    others = len(re.findall(rf"\bdef {name}\b", text)) > 1 or re.search(rf"(?<!\w){plain}\b", text) is not None
    return f"_{owner.name.strip('_').lower()}{plain}" if others else plain
