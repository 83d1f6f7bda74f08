"""Functions with a cache of their own that are called before the object crosses: the copy's cache is empty."""

from __future__ import annotations

import ast

from ....finding import Refused
from ....syntax.callees import FUNCTIONS
from ..uses.attribute_uses import AttributeUses
from ..uses.called_before import early_uses
from .factories import leaves_trace

_CACHES = "functools.lru_cache"
_COUNTS = "cache_info"


def check_cached_calls(uses: AttributeUses) -> None:
    """Raises Refused where it shows that a copy calls the function once more, or counts its calls from zero."""
    if _CACHES not in uses.kind.constructors or (line := _called_before(uses)) is None:
        return
    counted = [shape.outline.parents[node] for shape, _, node in uses.reads]
    counted += [outline.parents[node] for outline, node in uses.outside.reads(uses.attribute)]
    for above in counted:
        if isinstance(above, ast.Attribute) and above.attr == _COUNTS:
            raise Refused(
                f"it is called before the object is sent (line {line}), and line {above.lineno} asks what its cache "
                "has done so far: that of a copy begins anew"
            )
    for hazard in uses.hazards:
        call = hazard.store.value
        wrapped = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if not isinstance(wrapped, ast.Attribute) or not hazard.made.outline.is_self(wrapped.value):
            continue
        for shape in uses.hierarchy:
            function = shape.methods.get(wrapped.attr)
            trace = leaves_trace(shape.outline, function) if isinstance(function, FUNCTIONS) else None
            if trace is not None:
                raise Refused(
                    f"it is called before the object is sent (line {line}), and a copy, whose cache is empty, would "
                    f"call `{wrapped.attr}` again, which {trace} each time"
                )


def _called_before(uses: AttributeUses) -> int | None:
    """The line of a call before the object is sent."""
    early = uses.pre_transfer_methods | uses.outside.called
    own = [node.lineno for _, method, node in uses.reads if method.name in early]
    return next(iter([*own, *(node.lineno for _, node in early_uses(uses))]), None)
