"""What shows that a model holds something that can't be copied, or that its script trains distributed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Confidence, Hop
from ...nodes import walk
from ...project import Project
from ...syntax.outline import Outline
from ...syntax.resolver import FinalValue
from .constructor_survey import Survey, Trait, called_from
from .file_view import FileView, arguments_of, spelled, walk_scope
from .group_flow import group_origin, scope_of, short
from .model_copy import Evidence, Seen, Site
from .models import Models, dotted
from .process_groups import (
    MAKES_GROUPS,
    MAKING_WORDS,
    has_group_name,
    is_group,
    puts_group,
    speaks_of_groups,
    takes_group,
)
from .uses import DATA_PARALLEL, SHARDED

_DISTRIBUTED = re.compile(
    r"\b(init_process_group|DistributedDataParallel|DDP|FullyShardedDataParallel|FSDP|init_distributed_mode|init_dist|"
    r"Accelerator|deepspeed|colossalai|torch\.distributed)\b"
)
_CALLS = 2  # of functions of the repository, one inside the other, that are looked into


@dataclass(frozen=True)
class _Group:
    """A process group that the model gets, and where; `certain` False: what is only called so, and may be None."""

    certain: bool
    hops: tuple[Hop, ...]


def seen_in(view: FileView, site: Site, call: ast.Call, statement: ast.stmt, inside: Survey) -> Seen:
    """What the model that `call` builds is seen to hold that can't be copied, how sure that is, and the steps.

    A group that is seen being made is proof. A mere name (`self.group = group`) is not: it may be None.
    """
    steps = (Hop(view.path, statement.lineno, f"the model is built: {short(ast.unparse(call))}"),)
    is_asked = inside.where(Trait.STATE) is not None  # then it may leave out what it got, and was read above
    argument = _group_argument(view, site, call, statement) if not is_asked else None
    later = _group_set_later(view, site, statement) if not is_asked else None
    kept = _step(inside, Trait.GROUP, "a process group is stored on a layer")
    named = _step(inside, Trait.NAMED_GROUP, "what is called a group is stored on a layer")
    got = _got_by_a_layer(view.models, inside)
    for confidence, found in (
        (Confidence.PROVEN, argument.hops if argument and argument.certain else ()),
        (Confidence.PROVEN, (kept,) if kept else ()),
        (Confidence.PROVEN, later.hops if later and later.certain else ()),
        (Confidence.LIKELY, got),
        (Confidence.POSSIBLE, argument.hops if argument else ()),
        (Confidence.POSSIBLE, later.hops if later else ()),
        (Confidence.POSSIBLE, (named,) if named else ()),
    ):
        if found:
            return Seen(Evidence.GROUP, confidence, (*steps, *found))
    if (lock := _step(inside, Trait.LOCK, "a lock is stored on a layer")) is not None:
        return Seen(Evidence.LOCK, Confidence.PROVEN, (*steps, lock))
    return Seen(steps=steps)


def _got_by_a_layer(models: Models, inside: Survey) -> tuple[Hop, ...]:
    """A layer keeps what is called a group, and some code of the repository is seen to give it one."""
    where = inside.where(Trait.NAMED_GROUP)
    if where is None:
        return ()
    path, _, line = where.rpartition(":")
    outline = models.outline(path)
    if outline is None:
        return ()
    view = FileView(models, outline)
    for node in walk(outline.module):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno == int(line) and node.value is not None:
            scope = scope_of(view, node)
            for value in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
                if (made := group_origin(view, scope, value, node)) is not None:
                    return made, hop(where, "it is stored on a layer")
    return ()


def _step(inside: Survey, trait: Trait, what: str) -> Hop | None:
    where = inside.where(trait)
    return None if where is None else hop(where, what)


def _group_set_later(view: FileView, site: Site, statement: ast.stmt) -> _Group | None:
    """The process group that is put on the model or its layers between `statement` and `site`."""
    for node in walk_scope(view.between(site.scope, statement, site.statement)):
        if isinstance(node, ast.Assign):
            if puts_group(node, site.variable) and speaks_of_groups(view.models, view.path):
                return _put(view, node)
            on_model = any((dotted(target) or "").startswith(f"{site.variable}.") for target in node.targets)
            if on_model and isinstance(node.value, ast.Call) and takes_group(node.value):
                return _Group(True, (Hop(view.path, node.lineno, "a layer gets a process group"),))
        elif isinstance(node, ast.Call) and (found := _group_set_by_call(view, site, node)) is not None:
            return found
    return None


def _group_set_by_call(view: FileView, site: Site, call: ast.Call) -> _Group | None:
    """The process group that a method of the model, or a function that gets the model, is called with or puts on it."""
    name = dotted(call.func) or ""
    if name.startswith(f"{site.variable}."):
        return _group_argument(view, site, call, site.statement)
    if not any(spelled(argument, site.variable) for argument in arguments_of(call)):
        return None
    if takes_group(call):
        return _Group(True, (Hop(view.path, call.lineno, "its layers get a process group"),))
    if view.qualified(name).startswith("torch.") or DATA_PARALLEL.search(name):
        return None  # the wrapper keeps the group, or it is used for this call alone: no layer gets it
    beside = _group_argument(view, site, call, site.statement)
    found = view.models.resolve(view.path, name)
    if not isinstance(found, FinalValue) or not isinstance(found.node, (ast.FunctionDef, ast.ClassDef)):
        return beside if beside is not None and beside.certain else None
    if (put := _put_inside(FileView(view.models, found.outline), found.node, _CALLS)) is None:
        return None
    return beside if beside is not None and beside.certain else put


def _put_inside(view: FileView, body: ast.FunctionDef | ast.ClassDef, depth: int) -> _Group | None:
    """The process group that a function, a constructor or what they call puts on layers."""
    calls: list[ast.Call] = []
    for node in walk(body):
        if puts_group(node) and speaks_of_groups(view.models, view.path):
            return _put(view, node)
        if isinstance(node, ast.Call):
            if takes_group(node):
                return _Group(True, (Hop(view.path, node.lineno, "a layer gets a process group"),))
            calls.append(node)
    for call in calls:
        name = dotted(call.func) or ""
        found = view.models.resolve(view.path, name)
        if depth and isinstance(found, FinalValue) and isinstance(found.node, (ast.FunctionDef, ast.ClassDef)):
            inner = _put_inside(FileView(view.models, found.outline), found.node, depth - 1)
            if inner is not None:
                return inner
        elif _hands_on_group(call) and not view.qualified(name).startswith("torch."):
            return _Group(False, (Hop(view.path, call.lineno, f"`{short(ast.unparse(call))}` gets a process group"),))
    return None


def _hands_on_group(call: ast.Call) -> bool:
    """`layer.set_group(group)`, `setattr(layer, "group", group)`."""
    given = [("", value) for value in call.args] + [(word.arg or "", word.value) for word in call.keywords]
    return any(has_group_name(keyword, value) for keyword, value in given)


def _put(view: FileView, statement: ast.Assign) -> _Group:
    put = Hop(view.path, statement.lineno, "a process group is put on a layer")
    if is_group(statement.value, view.outline):
        return _Group(True, (put,))
    made = group_origin(view, scope_of(view, statement), statement.value, statement)
    return _Group(made is not None, (made, put) if made is not None else (put,))


def group_keepers(project: Project) -> list[tuple[str, int, str]]:
    """(path, line, name) of the layers whose constructor keeps a process group and that the repository builds."""
    models = Models(project)
    found: list[tuple[str, int, str]] = []
    for source in project.matching(MAKES_GROUPS, like=MAKING_WORDS):
        outline = models.outline(source.path)
        for node in walk(outline.module) if outline is not None else ():
            if isinstance(node, ast.ClassDef) and models.is_model_class(source.path, node.name):
                kept = _kept_by_constructor(outline, node)
                if kept is not None and (node.decorator_list or _is_built(project, node.name)):  # registered: by name
                    found.append((source.path, kept.lineno, node.name))
    return found


def _kept_by_constructor(names: Outline | None, layer: ast.ClassDef) -> ast.Assign | None:
    """Where the constructor, not a method that is called later, keeps a process group."""
    methods = [node for node in layer.body if isinstance(node, ast.FunctionDef)]
    nodes = (node for method in called_from(methods, "__init__") for node in walk(method))
    for node in nodes:
        if isinstance(node, ast.Assign) and is_group(node.value, names):  # noqa: SIM102
            if any(isinstance(target, ast.Attribute) for target in node.targets):
                return node
    return None


def _is_built(project: Project, name: str) -> bool:
    call = re.compile(rf"(?<!class )\b{re.escape(name)}\s*\(")
    return any(call.search(source.text) for source in project.matching(call, word=name))


def shards(view: FileView, node: ast.AST, key: str) -> ast.Call | None:
    """The call by which FSDP or DeepSpeed takes the model under `node`."""
    for call in walk_scope([node]):
        if isinstance(call, ast.Call) and SHARDED.search(view.qualified(dotted(call.func) or "")):
            inside = [inner for value in arguments_of(call) for inner in walk(value)]
            if call is node or any(spelled(inner, key) for inner in inside):
                return call
    return None


def _group_argument(view: FileView, site: Site, call: ast.Call, statement: ast.stmt) -> _Group | None:
    """The process group among the arguments of `call`."""
    named: _Group | None = None
    names = view.outline
    for keyword, value in _arguments(view, site, call, statement):
        if isinstance(value, ast.Constant):
            continue
        passed = Hop(view.path, value.lineno, f"it gets the process group `{short(ast.unparse(value))}`")
        if is_group(value, names):
            return _Group(True, (passed,))
        if (made := group_origin(view, site.scope, value, statement)) is not None:
            return _Group(True, (made, passed))
        name = dotted(value)
        if name and named is None and has_group_name(keyword, value) and speaks_of_groups(view.models, view.path):
            named = _Group(False, (Hop(view.path, value.lineno, f"it gets what is called a group, `{name}`"),))
    return named


def _arguments(view: FileView, site: Site, call: ast.Call, statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of `call` by keyword ("" for positional ones), those of a `**kwargs` bound here as well."""
    yield from (("", value) for value in call.args)
    for word in call.keywords:
        if word.arg is not None:
            yield word.arg, word.value
            continue
        for binding in view.bindings(site.scope, dotted(word.value) or "", statement):
            table = getattr(binding, "value", None)
            if isinstance(table, ast.Call) and dotted(table.func) == "dict":
                yield from ((inner.arg or "", inner.value) for inner in table.keywords)
            elif isinstance(table, ast.Dict):
                for key, value in zip(table.keys, table.values, strict=True):
                    yield str(key.value) if isinstance(key, ast.Constant) else "", value


def distributed(view: FileView) -> bool:
    """Whether the script, or a file that imports it, trains distributed."""
    known = view.models.distributed.get(view.path)
    if known is None:
        known = view.models.distributed[view.path] = _distributed(view)
    return known


def _distributed(view: FileView) -> bool:
    stem = view.path[:-3].rpartition("/")[2]
    imported = re.compile(rf"^[ \t]*(from|import)\b.*\b{re.escape(stem)}\b", re.MULTILINE)
    importers = view.models.project.matching(imported, word=stem) if stem != "__init__" else ()
    others = (source for source in importers if source.path != view.path)
    return any(_DISTRIBUTED.search(source.text) for source in (view.source, *others))


def hop(where: str, what: str) -> Hop:
    """A step at `path:line`."""
    path, _, line = where.rpartition(":")
    return Hop(path, int(line), what)
