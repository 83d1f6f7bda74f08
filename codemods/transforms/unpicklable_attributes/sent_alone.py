"""Objects that can't be pickled and that no class keeps: arguments of a process, parts of a partial."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Confidence
from ...flow.answers.crossing import Crossing, only_in_children
from ...flow.answers.crossings import flow_of
from ...flow.answers.tried import handled
from ...hazard_kind import HazardKind
from ...nodes import at_place, end_line
from ...syntax.branches import chosen_at, exclude_each_other, no_one_run, types_asked_for
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.unpicklable import Made
from ...syntax.unpicklable_table import ObjectKind, Remedy, advice, starts_nothing
from .kept_whole import is_kept_whole
from .own_reducers import registered
from .search import Search
from .uses.taken_off import STORED, is_taken_off

_KINDS = frozenset((HazardKind.OBJECT, HazardKind.GENERATOR))
_POOL = "Pool()."  # in the name of a boundary: a method of a pool, which sends by a queue
_SOME_KEY = "put in a dict"  # under a key that is not known
_PARAMETER = re.compile(r"parameter `(\w+)` of ")
_PUT_ON = re.compile(r"stored as `(\w+)`")  # on an object whose class is not in the repository
_KEPT_ON = re.compile(r"stored as `(\w+)` on `(\w+)`")
_PLAIN_TYPES = frozenset({"list", "tuple", "set", "frozenset", "dict", "str", "bytes", "int", "float", "bool"})
_THERE = "send what it is made from, and create it in the process that uses it"
_KEEPS = re.compile(r"stored by `")  # an object of a library: models are looked at by another rule
_CHOOSE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Subscript)
_SHARE = "copy what is beside it alone, and let the copy share it, or make another one for the copy"
DEEPCOPY = "copy.deepcopy"


@dataclass(frozen=True)
class Sent:
    """`node` makes what crosses; `reason`: what a person could do."""

    outline: Outline
    node: ast.expr
    made: Made
    confidence: Confidence
    crossing: Crossing
    reason: str


def sent_alone(search: Search) -> Iterator[Sent]:
    """What boundaries get beside the objects of the repository's own classes, which other parts of the rule look at."""
    project = search.project
    for crossing in flow_of(project).crossings(_KINDS, Confidence.LIKELY):
        if not crossing.confidence.reaches(Confidence.LIKELY) or not (
            crossing.alone or _is_overlooked(search, crossing)
        ):
            continue
        outline = search.repo.outline(crossing.path) if crossing.boundary else None
        node = _at(outline, crossing) if outline is not None else None
        made = search.recogniser.made(outline, node)[:1] if outline is not None and node is not None else ()
        for each in made:
            assert outline is not None and node is not None
            if each.unsure or not search.counts(each.kind) or (each.kind.inherited and _POOL not in crossing.boundary):
                continue
            if each.kind.at_start and starts_nothing(crossing.boundary):
                continue
            if crossing.boundary == DEEPCOPY and not _stops_a_copy(search, crossing, each, node):
                continue
            places = [(crossing.path, crossing.line), *((hop.path, hop.line) for hop in crossing.trace)]
            if exclude_each_other(search.repo, places) or _is_asked_for_another(search, crossing):
                continue
            last = crossing.trace[-1]
            chosen = chosen_at(search.repo, last.path, last.line, crossing.boundary)
            if no_one_run(search.repo, [[(crossing.path, crossing.line, crossing.column)], *chosen]):
                continue
            if only_in_children(search.repo, crossing) or _is_kept_by_children(search, crossing):
                continue
            if not _may_be_another(search, crossing):
                sure = Confidence.LIKELY if crossing.guessed else crossing.confidence
                yield Sent(outline, node, each, sure, crossing, _taken_along(crossing) or _reason(crossing, each, node))


def _stops_a_copy(search: Search, crossing: Crossing, made: Made, node: ast.expr) -> bool:
    """`copy.deepcopy` stops at it, and the program does not go another way then."""
    last = crossing.trace[-1]
    outline = search.repo.outline(last.path)
    passed = made.kind.copied or made.kind.later or not _is_tried(made.kind)
    if passed or outline is None or any(_KEEPS.match(hop.what) for hop in crossing.trace):
        return False
    place = (crossing.path, crossing.line, crossing.column)
    calls = [each for each in outline.nodes if isinstance(each, ast.Call) and each.lineno == last.line]
    copies = [call for call in calls if last_name(call.func) == "deepcopy"]
    if not copies or not all(_is_plain_copy(call) and is_kept_whole(outline, call, node) for call in copies):
        return False
    return not handled(search.project, place, f"{last.path}:{last.line}", saves=True)


def _is_tried(kind: ObjectKind) -> bool:
    """Our tests copy objects of these; what other libraries make often has a copier of its own."""
    roots = {name.partition(".")[0] for name in kind.constructors}
    return roots <= sys.stdlib_module_names | vars(builtins).keys() | {"torch"}


def _is_plain_copy(call: ast.Call) -> bool:
    """A call without a memo."""
    return len(call.args) + len(call.keywords) == 1


def _is_overlooked(search: Search, crossing: Crossing) -> bool:
    """Other code makes it, and it gets to an attribute in a way that the look at the class does not see."""
    kept = next((hop for hop in reversed(crossing.trace) if STORED.match(hop.what)), None)
    outline = search.repo.outline(kept.path) if kept is not None else None
    if kept is None or outline is None or crossing.confidence is not Confidence.PROVEN:
        return False
    if any(hop.what == _SOME_KEY for hop in crossing.trace):  # it may be another argument
        return False
    owner = outline.class_around(kept.line)
    name = STORED.match(kept.what)
    if owner is None or name is None or f"on `{owner.name}`" not in kept.what:
        return False
    if crossing.path == kept.path and owner.lineno <= crossing.line <= end_line(owner):
        return False
    shape = search.family.shape(outline, owner)
    related = [*search.family.line(shape), *search.family.derived(shape)]
    decides = search.decides(shape) or registered(search.family, shape) is not None
    if decides or any("__getstate__" in each.methods for each in related):
        return False
    return not any(name[1] in search.hazards_of(each) for each in related)


def _is_kept_by_children(search: Search, crossing: Crossing) -> bool:
    """An object on its way is made in children, and in the parent only where that starts none."""
    for hop in crossing.trace:
        outline = search.repo.outline(hop.path) if STORED.match(hop.what) else None
        owner = outline.class_around(hop.line) if outline is not None else None
        found = flow_of(search.project).instances(hop.path, owner.lineno) if owner is not None else None
        if found is not None and only_in_children(search.repo, found):
            return True
    return False


def _may_be_another(search: Search, crossing: Crossing) -> bool:
    """It is an attribute for a while, which gets another value elsewhere: which of them is sent, no order tells."""
    sent = crossing.trace[-1]
    for number, hop in enumerate(crossing.trace):
        stored = STORED.match(hop.what)
        if stored is not None and is_taken_off(search.repo, stored[1], crossing.trace[number + 1 :]):
            return True
        outline = search.repo.outline(hop.path) if stored is not None else None
        if stored is not None and outline is not None:
            if hop.path == sent.path and _follows(outline, hop.line, sent.line):
                return True
            if len(list(_later_stores(outline, stored[1], hop.line))) > 1:
                return True
    return False


def _later_stores(outline: Outline, name: str, line: int) -> Iterator[ast.Attribute]:
    """Where `name` may be set from the store at `line` on, that one among them: not in an unrelated class."""
    nodes = (node for node in outline.nodes if isinstance(node, ast.Attribute) and node.attr == name)
    stores = [node for node in nodes if not isinstance(node.ctx, ast.Load)]
    own = next((node for node in stores if node.lineno == line), None)
    for node in stores:
        if own is not None and outline.is_self(node.value) and outline.is_self(own.value):
            if outline.owner(node) is not outline.owner(own):
                continue
            if outline.scope(node) is outline.scope(own) and node.lineno < line:
                continue  # `self.file = None` before it
        yield node


def _is_asked_for_another(search: Search, crossing: Crossing) -> bool:
    """A parameter that has it is passed on only where it is a list or so: `if isinstance(rows, list): Data(rows)`."""
    taken = {name[1] for hop in crossing.trace if (name := _PARAMETER.match(hop.what)) is not None}
    outlines = [(search.repo.outline(path), line) for step in crossing.steps if len(step) == 1 for path, line in step]
    asked = (types_asked_for(outline, line) for outline, line in outlines if outline is not None)
    return any(name in taken and types <= _PLAIN_TYPES for each in asked for name, types in each.items())


def _follows(outline: Outline, line: int, sent: int) -> bool:
    """The statement at `line` runs after the one at `sent`, in the same function."""
    scopes = {outline.scope(node) for node in outline.statements if node.lineno in (line, sent)}
    return line > sent and len(scopes) == 1


def _at(outline: Outline, crossing: Crossing) -> ast.expr | None:
    """The expression at the place of the crossing."""
    return at_place((node for node in outline.nodes if isinstance(node, (ast.Call, ast.GeneratorExp))), crossing.place)


def _taken_along(crossing: Crossing) -> str:
    """What to do where code puts it on an object, options mostly, that another one keeps: "" elsewhere."""
    on_what: str | None = None
    for hop in crossing.trace:
        if (put := _PUT_ON.fullmatch(hop.what)) is not None:
            on_what = put[1]
        elif on_what is not None and (kept := _KEPT_ON.fullmatch(hop.what)) is not None:
            return (
                f"`{kept[2]}` keeps the object that it is an attribute of, as `{kept[1]}`, and takes `{on_what}` "
                f"along: hold it in a variable of its own, or give `{kept[2]}` only what it reads"
            )
    return ""


def _reason(crossing: Crossing, made: Made, node: ast.expr) -> str:
    if crossing.boundary == DEEPCOPY and made.kind.remedy is not Remedy.EXHAUST:
        return _SHARE
    if made.kind.remedy is Remedy.EXHAUST:
        return "send a list, or " + _THERE.removeprefix("send ")
    return advice(made.kind, ast.unparse(node)) or _THERE
