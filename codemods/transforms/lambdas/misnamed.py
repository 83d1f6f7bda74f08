"""Functions and methods that have another name where pickle looks for them, on the way to a process."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Hop, Refused
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...nodes import statements, walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline, outline_of
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from ...syntax.scope_data import start_of
from .renamed_method import renamed_method
from .screen import ID

_REDUCERS = ("__getstate__", "__reduce__", "__reduce_ex__")
_OF_SUPER = re.compile(r"=[ \t]*super\([^()\n]*\)\.\w+[ \t]*(?:#.*)?$", re.MULTILINE)


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
            outline = outline_of(project, crossing.path)
            answer = renamed_method(project, outline, source, owner, node) if outline is not None else None
        else:
            decorator = ast.unparse(node.decorator_list[0])
            wrapped = flow_of(project).stands_for_wrapper(crossing.path, *at)
            made = "wrapper" if wrapped else "object"
            found = f"pickle finds the {made} that `@{decorator}` makes under that name, and not the function"
            named = f"give the function a name of its own (`def _{node.name}`, below it `{node.name} = "
            reason = f"{named}{decorator}(_{node.name})`)"
            if not wrapped:
                reason += "; a worker then has a copy of the object"
            answer = Refused(reason)
        if answer is None:
            continue
        what = "method" if owner is not None else "function"
        message = f"the {what} `{node.name}` {crossing.in_words}; {found}"
        span = source.span(source.offset(*at), source.offset(crossing.end_line, crossing.end_column))
        yield Finding.answered(ID, crossing.path, span, message, crossing.confidence, crossing.trace, answer)


def kept_from_above(project: Project) -> Iterator[Finding]:
    """`self.load = super().__call__` in a class with a `__call__` of its own: pickle sends the name alone."""
    for source in project.matching(_OF_SUPER, words=("super",)):
        outline = outline_of(project, source.path)
        if outline is None:
            continue
        for node in outline.of_kind(ast.Assign):
            owner = outline.owner(node)
            name = node.value.attr if isinstance(node.value, ast.Attribute) else ""
            if owner is None or method(owner, name) is None or not _is_kept(outline, node):
                continue
            lineage = Repo(project).resolver.lineage(Class(outline, owner))
            if not _is_sent_by_name([each.node for each in lineage], name):
                continue
            crossing = flow_of(project).instances(source.path, owner.lineno)
            if crossing is None or not crossing.confidence.reaches(project.bar_of(source.path)):
                continue
            message = (
                f"`{ast.unparse(node.targets[0])}` is `{name}` of a class above `{owner.name}`, objects of which are "
                f"sent: pickle sends the name alone, and a worker gets the `{name}` of `{owner.name}`"
            )
            trace = (Hop(source.path, node.lineno, f"`super().{name}` is kept on the object"), *crossing.trace)
            reason = f"call `super().{name}(...)` where it is used"
            span = source.span_of(node.value)
            yield Finding.answered(ID, source.path, span, message, crossing.confidence, trace, Refused(reason))


def _is_kept(outline: Outline, node: ast.Assign) -> bool:
    """`self.x = super().method`, also of `super(Class, self)`, for good."""
    target, value = node.targets[0], node.value
    held = value.value if isinstance(value, ast.Attribute) else None
    of_super = isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id == "super"
    if not of_super or not isinstance(target, ast.Attribute) or not outline.is_self(target.value):
        return False
    others = (use for use in outline.attributes.get(target.attr, ()) if use is not target)
    return all(isinstance(use.ctx, ast.Load) for use in others)


def _is_sent_by_name(classes: list[ast.ClassDef], name: str) -> bool:
    """The objects are pickled with all they keep, and the name is a method in each class that has it.

    Not a property, which gives a value, nor a static method, which is a plain function.
    """
    found = (method(each, name) for each in classes)
    plain = all(last_name(mark) == "classmethod" for each in found if each is not None for mark in each.decorator_list)
    return plain and not any(method(each, reducer) for each in classes for reducer in _REDUCERS)


def _is_taken(owner: ast.ClassDef, name: str) -> bool:
    """Code of the class takes the method without a call of it: `target=self.__run`."""
    nodes = list(walk(owner))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    return any(isinstance(node, ast.Attribute) and node.attr == name and node not in called for node in nodes)
