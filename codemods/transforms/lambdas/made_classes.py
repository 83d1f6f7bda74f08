"""Classes that a call makes (`namedtuple`, `type`) where pickle finds none of the name, on the way to a process."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Answer, Finding, Refused
from ...flow.answers.crossing import Crossing
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...nodes import statements, walk
from ...project import Project
from ...syntax.names import last_name
from ...syntax.scope_data import start_of
from .file_state import FileRewrite
from .moved_classes import moved_class
from .screen import ID

_BY_HAND = (
    'make it at the top of the module, and bind it there to its own name: `Row = namedtuple("Row", ...)`; a process '
    "that imports the module finds it then"
)
_OF_VALUES = "it is made from `{}`, which is known only when the program runs, so no module can have it by its name: {}"
_SEND_PLAIN = "send plain tuples or dicts, and make the class where they are used"
_REDUCE = "give its objects a `__reduce__` that names a function of the module, which makes the class anew"


def made_classes(project: Project) -> Iterator[Finding]:
    """A finding for each such class, or object of one, that crosses."""
    for crossing in flow_of(project).crossings(frozenset({HazardKind.MADE_CLASS}), project.lowest_bar):
        source = project.source(crossing.path)
        if source is None or not crossing.confidence.reaches(project.bar_of(crossing.path)):
            continue
        start = source.offset(crossing.line, crossing.column)
        end = source.offset(crossing.end_line, crossing.end_column)
        how = crossing.in_words
        message = f"the class that is made here, or an object of it, {how}; pickle can't import it by name"
        span, trace = source.span(start, end), crossing.trace
        if (hidden := _hidden(project, crossing)) is not None:
            message, reason = _in_place_of(hidden, how)
            yield Finding.answered(
                ID, crossing.path, source.span_of(hidden.decorator_list[0]), message, crossing.confidence, trace,
                Refused(reason),
            )  # fmt: skip
            continue
        yield Finding.answered(
            ID, crossing.path, span, message, crossing.confidence, trace, _moved_up(project, crossing)
        )


def _hidden(project: Project, crossing: Crossing) -> ast.ClassDef | None:
    """The class at this place: its decorator gives something else, which has its name."""
    module = project.module(crossing.path)
    at = crossing.line, crossing.column
    nodes = statements(module) if module is not None else ()
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and start_of(node) == at), None)


def _in_place_of(node: ast.ClassDef, how: str) -> tuple[str, str]:
    name, decorator = node.name, ast.unparse(node.decorator_list[0])
    message = f"an object of `{name}` {how}; pickle finds what `@{decorator}` gives under that name, and not the class"
    reason = (
        f"give the class a name of its own (`class _{name}` and `{name} = {decorator}(_{name})`), or let the decorator "
        "give the class back; each process then has an object of its own"
    )
    return message, reason


def _moved_up(project: Project, crossing: Crossing) -> Answer:
    """`Row = namedtuple("Row", "a b")` of a function, above the definition around it."""
    module = project.module(crossing.path)
    rewrite = FileRewrite(project, crossing.path, module) if module is not None else None
    at = crossing.line, crossing.column
    nodes = walk(rewrite.scopes.tree) if rewrite is not None else ()
    call = next((node for node in nodes if isinstance(node, ast.Call) and start_of(node) == at), None)
    fix = moved_class(rewrite, call) if rewrite is not None and call is not None else None
    return fix or Refused(_advice(rewrite, crossing))


def _advice(rewrite: FileRewrite | None, crossing: Crossing) -> str:
    """What to do by hand: the class can be made at the top only from what is known there."""
    at = crossing.line, crossing.column
    nodes = walk(rewrite.scopes.tree) if rewrite is not None else ()
    call = next((node for node in nodes if isinstance(node, ast.Call) and start_of(node) == at), None)
    if rewrite is None or call is None:
        return _BY_HAND
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        names = [part for part in walk(argument) if isinstance(part, ast.Name)]
        owners = [rewrite.scopes.owner(rewrite.scopes.around(name), name.id) for name in names]
        if any(owner is not None and owner.is_local for owner in owners):
            plain = last_name(call.func) in ("namedtuple", "NamedTuple", "make_dataclass", "TypedDict")
            return _OF_VALUES.format(ast.unparse(argument)[:60], _SEND_PLAIN if plain else _REDUCE)
    return _BY_HAND
