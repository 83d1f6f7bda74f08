"""What the main guard sets only below the start of all workers that read it: under fork, they don't get it either."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop
from ....syntax.callees import FUNCTIONS
from ....syntax.main_guard import is_main_process_block
from ....syntax.outline import Outline
from ..set_before import declares, plain_calls
from ..state.before_start import is_set_before, precedes
from ..state.changed_settings import Place, Search
from .missing_globals import MissingGlobal

_DEPTH = 4


def is_set_late(search: Search, outline: Outline, missing: MissingGlobal) -> bool:
    """Workers have what the module gives the name, whether they are forked or spawned."""
    if not missing.guarded:
        begins = [Hop(outline.path, call.lineno, "") for call in missing.calls]
        stores = [Place(outline, store, "") for store in _declared(outline, missing.read.id)]
        return not any(precedes(search, store, begin) for store in stores for begin in begins)
    if missing.instead is None:
        return False
    guarded = [use for use in outline.named.get(missing.read.id, ()) if not isinstance(use.ctx, ast.Load)]
    guarded = [use for use in guarded if any(map(is_main_process_block, outline.ancestors(use)))]
    calls = [in_script(outline, call) for call in missing.calls]
    if not guarded or not calls or not all(calls):
        return False
    hops = [Hop(outline.path, call.lineno, "") for found in calls for call in found]
    return not any(is_set_before(search, Place(outline, store, ""), hop) for store in guarded for hop in hops)


def _declared(outline: Outline, name: str) -> Iterator[ast.expr]:
    """Where functions set it as a `global`."""
    for use in outline.named.get(name, ()):
        scope = outline.scope(use)
        if not isinstance(use.ctx, ast.Load) and isinstance(scope, FUNCTIONS) and declares(outline, scope, name):
            yield use


def in_script(outline: Outline, call: ast.Call, depth: int = 0) -> list[ast.Call]:
    """The calls of the script itself that come to `call`; none where they are not all seen."""
    scope = outline.scope(call)
    if isinstance(scope, ast.Module):
        return [call]
    if not isinstance(scope, FUNCTIONS) or scope not in outline.module.body or depth > _DEPTH:
        return []
    uses = [use for use in outline.named.get(scope.name, ()) if isinstance(use, ast.Name)]
    found = [in_script(outline, each, depth + 1) for each in plain_calls(outline, outline.module, scope.name, uses)]
    return [each for calls in found for each in calls] if all(found) else []
