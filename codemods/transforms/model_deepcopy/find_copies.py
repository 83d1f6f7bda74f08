"""Finds `deepcopy(model)`: where the model was built, what happened to it since, how sure it is that the copy fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ...finding import Confidence, Hop, Refused
from ...nodes import walk
from ...syntax.binding_rules import LOOPS
from ...syntax.resolver import FinalValue
from .binding import ModelBinding, binding_of
from .callers import Built, built_elsewhere
from .constructor_survey import Trait, survey
from .evidence import distributed, group_keepers, hop, seen_in
from .file_view import FileView, spelled, targets, walk_scope
from .group_flow import short
from .history import Copied, history_of
from .is_model import USED_AS_MODEL, is_model, only_torch, own_method
from .library import COPYING_CLASSES, endings, whole
from .model_copy import Copy, Evidence, History, Seen, Site
from .models import Models, dotted
from .process_groups import CONFIGURATION
from .submodules import constructions
from .uses import DATA_PARALLEL

_SNAPSHOT_NAME = re.compile(whole("snapshot_variables").pattern, re.IGNORECASE)
_MODULE_TYPE = re.compile(r"(Optional\[)?([\w.]+\.)?Module\]?( \| None)?$")
_UNWRAPS = endings("unwrapping")
_COLLECTS = endings("collecting")
_SPEAKS_OF_MODELS = re.compile(r"torch|\.(?:named_)?(?:parameters|modules|buffers)\(|\.(?:eval|train|state_dict)\(")
_ON_COPY = ("eval", "train", "requires_grad_")


def copies_in(models: Models, path: str) -> list[Copy]:
    """The copies of models in `path`, in the order of the text."""
    outline = models.outline(path)
    source = models.project.source(path)
    if outline is None or source is None or not _SPEAKS_OF_MODELS.search(source.text):
        return []
    calls = [
        node
        for node in walk(outline.module)
        if isinstance(node, ast.Call) and node.args and _copies(outline.qualified(dotted(node.func) or ""), node)
    ]
    if not calls:
        return []
    view = FileView(models, outline)
    ordered = sorted(calls, key=lambda call: (call.lineno, call.col_offset))
    found = [_model_copy(view, call) or _part_copy(view, call) for call in ordered]
    return [copy for copy in found if copy is not None]


def _copies(called: str, call: ast.Call) -> bool:
    """`copy.deepcopy` of one argument, or a class that copies the model that it gets."""
    alone = len(call.args) == 1 and not call.keywords
    return called in COPYING_CLASSES or (called == "copy.deepcopy" and alone)


def _model_copy(view: FileView, call: ast.Call) -> Copy | None:
    """The copy at `call`; None when what is copied is no model, or is a snapshot or a cloned layer."""
    argument = call.args[0]
    copied = _copied(argument)
    if isinstance(argument, ast.Call) and not _only_unwraps(view, argument):
        return None
    if copied is None or copied.key in ("self", "cls"):
        return None
    site = Site.of(view, call).of_variable(copied.variable)
    binding = binding_of(view, site, site.variable)
    if _is_set_aside(view, site, binding if isinstance(binding, ModelBinding) else None):
        return None
    if not _is_copied_model(view, site, binding):
        return None
    if isinstance(binding, ModelBinding):
        history = history_of(view, site, binding, copied)
    else:
        history = History(refused=binding or _built_out_of_sight(copied.key))
    qualified = view.qualified(dotted(call.func) or "")
    copying_class = qualified if qualified in COPYING_CLASSES else None
    copy = _judged(view, site, history, copying_class)
    built = history.construction
    harmless = built is not None and only_torch(view, built.value)
    if built is not None and built.survey.where(Trait.COPIES) is not None:
        return None
    if copy.seen.evidence is None and (copying_class is not None or harmless):
        return None
    return copy


def _built_out_of_sight(key: str) -> Refused:
    return Refused(
        f"where `{key}` is built can't be seen here: build the copy where the model is built, with the same "
        "arguments, and give it the model's `state_dict()`"
    )


def _is_copied_model(view: FileView, site: Site, binding: ModelBinding | Refused | None) -> bool:
    """Whether a model is copied at `site`: by what builds it, else by how the function uses it."""
    known: bool | None = None
    if isinstance(binding, ModelBinding):
        known = is_model(view, binding.value)
    elif not CONFIGURATION.match(site.variable):
        elsewhere = built_elsewhere(view, site, site.variable)
        known = any(is_model(built.view, built.call) for built in elsewhere) or None
    return _used_as_model(view, site) if known is None else known


def _part_copy(view: FileView, call: ast.Call) -> Copy | None:
    """The copy at `call` of a layer, of one of several models, of a snapshot: where it is seen to hold a group."""
    if any(isinstance(node, ast.Dict) or _called_by_name(node, "save") for node in view.ancestors(call)):
        return None  # it is pickled next, which fails just as well
    site = Site.of(view, call)
    for built in constructions(view, site, call.args[0]):
        if not is_model(built.view, built.call):
            continue
        inside = survey(view.models, built.view.path, built.call)
        seen = seen_in(built.view, built.site, built.call, built.statement, inside)
        sure = seen.confidence.reaches(Confidence.LIKELY)
        if seen.evidence is Evidence.GROUP and sure and inside.where(Trait.COPIES) is None:
            history = History(
                refused=Refused(
                    "only a part of a model, or a snapshot, is copied: build that part a second time "
                    "and load its `state_dict()`"
                )
            )
            return _copy_of(view, site, replace(seen, steps=(*seen.steps, *built.hops)), history)
    return None


def _copy_of(view: FileView, site: Site, seen: Seen, history: History) -> Copy:
    start, end = view.source.range_of(site.call)
    text = view.source.text[start:end]
    trace = (*seen.steps, Hop(view.path, site.call.lineno, f"it is copied: {short(text)}"))
    return Copy(site, text, view.source.span(start, end), seen, trace, history)


def _judged(view: FileView, site: Site, history: History, copying_class: str | None) -> Copy:
    """The copy, with what is seen in the model, and how sure that is."""
    built, spread = history.construction, False
    if built is not None:
        seen = seen_in(view, site, built.value, built.statement, built.survey)
    else:
        seen, spread = _seen_elsewhere(view, site)
    keeps = built.survey.where(Trait.KEEPS) if built is not None else None
    if seen.evidence is None and keeps is not None and history.effects.ran:
        steps = (
            *seen.steps,
            hop(keeps, "running the model keeps a tensor with its gradient history on it"),
            Hop(view.path, history.effects.ran, "the model runs"),
        )
        seen = Seen(Evidence.CACHE, Confidence.PROVEN, steps)
    if seen.evidence is None and history.sharded:
        step = Hop(view.path, site.statement.lineno, "it is sharded by then")
        seen = Seen(Evidence.SHARDED, Confidence.PROVEN, (*seen.steps, step))
    if seen.evidence is None:
        spread = spread or distributed(view)
        unknown = built is None or built.survey.opaque or not built.survey.module
        if unknown and (keepers := view.models.project.derive(group_keepers)):
            path, line, name = keepers[0]
            step = Hop(path, line, f"a process group is stored on a layer, `{name}`, which this model may hold")
            seen = Seen(None, Confidence.LIKELY, (*seen.steps, step))
    return replace(_copy_of(view, site, seen, history), distributed=spread, copying_class=copying_class)


def _seen_elsewhere(view: FileView, site: Site) -> tuple[Seen, bool]:
    """What is seen where the model is built, when that is another function; and whether training is distributed."""
    spread = False
    for built in [*_unpacked(view, site), *built_elsewhere(view, site, site.variable)]:
        method = own_method(built.view, built.call)
        inside = survey(view.models, built.view.path, built.call, method.body if method else ())
        seen = seen_in(built.view, built.site, built.call, built.statement, inside)
        spread = spread or distributed(built.view)
        if seen.evidence is not None:
            return replace(seen, steps=(*seen.steps, *built.hops)), spread
    return Seen(), spread


def _unpacked(view: FileView, site: Site) -> Iterator[Built]:
    """`model, tokenizer = build(...)`"""
    for statement in reversed(view.bindings(site.scope, site.variable, site.statement)):
        call = statement.value if isinstance(statement, ast.Assign) else None
        if call is not None and any(spelled(node, site.variable) for node in walk(call)):
            continue  # model = model.to(device)
        if isinstance(call, ast.Call) and isinstance(targets(statement)[0], ast.Tuple):
            yield Built(view, site, statement, call, ())
        return


def _copied(argument: ast.expr) -> Copied | None:
    """The variable that is copied, a wrapper around the model taken off."""
    if isinstance(argument, ast.IfExp):  # deepcopy(model.module if is_parallel(model) else model)
        sides = {(dotted(side) or "?").removesuffix(".module") for side in (argument.orelse, argument.body)}
        return Copied(sides.pop(), either=True) if len(sides) == 1 and "?" not in sides else None
    key, either = dotted(argument), False
    if isinstance(argument, ast.Call) and argument.args:
        name, last = dotted(argument.func) or "", dotted(argument.args[-1])
        default = name == "getattr" and len(argument.args) == 3 and last == dotted(argument.args[0])
        if default or (_UNWRAPS.search(name) and len(argument.args) == 1):
            key, either = last, True
    return Copied(key, either) if key is not None else None


def _only_unwraps(view: FileView, call: ast.Call) -> bool:
    """As far as the function is in sight, it returns its argument or what that wraps."""
    found = view.models.resolve(view.path, dotted(call.func) or "")
    if not isinstance(found, FinalValue):
        return True
    if not isinstance(found.node, ast.FunctionDef) or not found.node.args.args:
        return False
    own = found.node.args.args[0].arg
    for node in walk_scope(found.node.body):
        if isinstance(node, ast.Return):
            value = node.value
            if isinstance(value, ast.Call) and dotted(value.func) == "getattr" and len(value.args) == 3:
                value = value.args[0]
            sides = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            if any(side is None or (dotted(side) or "").removesuffix(".module") != own for side in sides):
                return False
    return True


def _is_set_aside(view: FileView, site: Site, binding: ModelBinding | None) -> bool:
    """Snapshots, cloned layers, and copies made over and over."""
    around_model = set(view.ancestors(binding.statement)) if binding else set()
    for node in view.ancestors(site.call):
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Dict)):
            return True
        if isinstance(node, ast.Call) and _COLLECTS.search(dotted(node.func) or ""):
            return True
        if isinstance(node, LOOPS) and node not in around_model:
            return True
        if node is site.scope:
            break
    parts = [part for target in targets(site.statement) for part in (dotted(target) or "").split(".")]
    return any(_SNAPSHOT_NAME.search(part) for part in parts)


def _used_as_model(view: FileView, site: Site) -> bool:
    """Whether the function uses what is copied, or the copy, as only modules are used."""
    chain = list(view.chain(site.call))
    whole_value = getattr(site.statement, "value", None) is (chain[-1] if chain else site.call)
    keys = {site.variable, *(dotted(target) for target in targets(site.statement) if whole_value)} - {None}
    for node in walk(site.scope):
        if isinstance(node, ast.Attribute) and node.attr in USED_AS_MODEL and dotted(node.value) in keys:
            return True
        if isinstance(node, ast.Call) and DATA_PARALLEL.search(dotted(node.func) or ""):  # noqa: SIM102
            if any(dotted(inner) in keys for argument in node.args for inner in walk(argument)):
                return True
        if isinstance(node, ast.arg) and node.arg == site.variable and node.annotation:  # noqa: SIM102
            if _MODULE_TYPE.match(ast.unparse(node.annotation)):
                return True
    return any(isinstance(node, ast.Attribute) and node.attr in _ON_COPY for node in chain)


def _called_by_name(node: ast.AST, name: str) -> bool:
    """`torch.save(...)`, for the name `save`."""
    return isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == name
