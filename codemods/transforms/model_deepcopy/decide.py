"""Which way a copy is written: built anew with `load_state_dict`, or deep-copied with its process groups shared."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from ...finding import Refused
from ...syntax.tried import WOULD_NOT_FAIL, tried_at
from .constructor_survey import Trait
from .file_view import targets
from .helper_functions import line_end
from .library import endings
from .model_copy import Construction, Copy, Evidence
from .models import Models, dotted
from .uses import Need, Wrapped

STAND_IN = "torch.optim.swa_utils.AveragedModel"  # keeps its copy as `.module`, and does no more with it
_UNSAVED_BUFFERS = re.compile(r"\bpersistent\s*=\s*False\b")
_FREEZES = endings("freezing_functions")


@dataclass(frozen=True)
class Shared:
    """The copy stays a deep copy that uses the same process groups."""

    copy: Copy
    unsafe: str | None = None


@dataclass(frozen=True)
class Rebuilt:
    """The copy is built by `construction` and gets the state dict and what `needs` says beyond it."""

    copy: Copy
    construction: Construction
    needs: frozenset[Need]
    unsafe: str | None = None


Rewrite = Shared | Rebuilt


def rewrite(models: Models, copy: Copy) -> Rewrite | Refused:
    """The way to write `copy`, or why there is none; a program that counts on its failure is not changed unasked."""
    found = _rewrite(models, copy)
    tried = tried_at(models.project, f"{copy.site.path}:{copy.site.call.lineno}")
    if tried is None:
        return found
    if isinstance(found, Refused):
        return Refused(tried)
    return replace(found, unsafe=f"{tried}: {WOULD_NOT_FAIL}")


def _rewrite(models: Models, copy: Copy) -> Rewrite | Refused:
    if copy.copying_class is not None:
        if copy.copying_class == STAND_IN and copy.seen.evidence is Evidence.GROUP and _plain_call(models, copy):
            return Shared(copy)
        return Refused(
            f"`{copy.copying_class}` deep-copies the model itself: build a second model with the same arguments, "
            "`load_state_dict` into it, and average the parameters into that one"
        )
    built, evidence = copy.history.construction, copy.seen.evidence
    refused = copy.history.refused or _shape(models, copy, built)
    if refused is None and built is not None:
        loads = built.survey.where(Trait.LOADS)
        if loads is None or evidence is not Evidence.GROUP:
            unsafe = loads and f"building the model loads weights ({loads}): they would be loaded twice"
            return Rebuilt(copy, built, _needs(models, copy, built), unsafe)
    groups = evidence is Evidence.GROUP or (evidence is None and copy.distributed)
    if groups and not isinstance(refused, Wrapped):
        return Shared(copy)
    assert refused is not None
    return refused


def _shape(models: Models, copy: Copy, built: Construction | None) -> Refused | None:
    """Why the statement of the copy can't become several that build it anew; None when it can."""
    if (refused := _own_line(models, copy)) is not None:
        return refused
    assert built is not None
    target = dotted(target_of(copy))
    if target in {dotted(inner) for part in (built.value, copy.site.call) for inner in ast.walk(part)}:
        return Refused(f"the copy takes the name `{target}`, which is still needed to make it: give it another name")
    segment = models.source(copy.site.path).text_of(built.value)
    if '"""' in segment or "'''" in segment:
        return Refused("the construction contains a string of several lines")
    return None


def _own_line(models: Models, copy: Copy) -> Refused | None:
    """Why the statement is not `target = copy...` on lines of its own; None when it is."""
    source = models.source(copy.site.path)
    statement = copy.site.statement
    larger = Refused("the copy is part of a larger expression: give it a variable of its own")
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or len(targets(statement)) != 1:
        return larger
    node: ast.expr | None = statement.value
    while isinstance(node, (ast.Call, ast.Attribute)) and node is not copy.site.call:
        node = node.func if isinstance(node, ast.Call) else node.value
    if dotted(target_of(copy)) is None or node is not copy.site.call:
        return larger
    start, end = source.range_of(statement)
    line_start = source.line_starts[statement.lineno - 1]
    rest = source.text[end : line_end(source, end)]
    if source.text[line_start:start].strip() or re.sub(r"#.*", "", rest).strip():
        return Refused("the copy shares its line with other statements: give it a line of its own")
    return None


def _plain_call(models: Models, copy: Copy) -> bool:
    """`target = AveragedModel(model, ...)` on a line of its own, with a device that may be written twice."""
    call = copy.site.call
    on_own_line = getattr(copy.site.statement, "value", None) is call and _own_line(models, copy) is None
    open_ended = any(isinstance(a, ast.Starred) for a in call.args) or any(kw.arg is None for kw in call.keywords)
    device = device_of(call)
    calls = [node for node in ast.walk(device) if isinstance(node, ast.Call)] if device else []
    return on_own_line and not open_ended and all(dotted(node.func) == "torch.device" for node in calls)


def device_of(call: ast.Call) -> ast.expr | None:
    """The device that an `AveragedModel` is put on."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == "device")
    return next(named, call.args[1] if len(call.args) > 1 else None)


def _needs(models: Models, copy: Copy, built: Construction) -> frozenset[Need]:
    """What has to be carried over, less what the following calls settle."""
    needs = set(copy.history.effects.needs)
    survey = built.survey
    unseen = survey.opaque or not survey.seen
    maybe = unseen and any(True for _ in models.project.matching(_UNSAVED_BUFFERS, word="persistent"))
    if survey.unsaved_buffers or built.external or maybe:
        needs.add(Need.BUFFERS)
    if later_call(copy, ("train", "eval")):
        needs.discard(Need.MODES)
    if later_call(copy, ("requires_grad_",)) or _next_settles_grads(copy):
        needs.discard(Need.GRADS)
    return frozenset(needs)


def later_call(copy: Copy, methods: tuple[str, ...]) -> ast.Call | None:
    """The last call of one of `methods` in the chain after the copy."""
    node = getattr(copy.site.statement, "value", None)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node is not copy.site.call:
        if node.func.attr in methods:
            return node
        node = node.func.value
    return None


def _next_settles_grads(copy: Copy) -> bool:
    """Whether the next statement sets `requires_grad` of all parameters of the copy."""
    target, statement = dotted(target_of(copy)), copy.site.statement
    blocks = (value for node in ast.walk(copy.site.scope) for _, value in ast.iter_fields(node))
    block = next((block for block in blocks if isinstance(block, list) and statement in block), [])
    following = block[block.index(statement) + 1] if statement in block[:-1] else None
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Call):
        call = following.value
        name = dotted(call.func) or ""
        on_target = bool(call.args) and dotted(call.args[0]) == target
        return bool(_FREEZES.search(name)) and (on_target or name == f"{target}.requires_grad_")
    if isinstance(following, ast.For) and isinstance(following.iter, ast.Call):
        body = following.body[0]
        return (
            dotted(following.iter.func) == f"{target}.parameters"
            and len(following.body) == 1
            and isinstance(body, (ast.Assign, ast.Expr))
            and "requires_grad" in ast.unparse(body)
        )
    return False


def target_of(copy: Copy) -> ast.expr:
    """The variable that the copy is assigned to."""
    return targets(copy.site.statement)[0]
