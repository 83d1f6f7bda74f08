"""What the main guard sets only below the start of all workers that read it: under fork, they don't get it either."""

from __future__ import annotations

import ast

from ....finding import Hop
from ....syntax.callees import FUNCTIONS
from ....syntax.main_guard import is_main_process_block
from ....syntax.outline import Outline
from ..set_before import plain_calls
from ..state.changed_settings import Place, Search, is_set_before
from .missing_globals import MissingGlobal

_DEPTH = 4


def is_set_late(search: Search, outline: Outline, missing: MissingGlobal) -> bool:
    """Workers have what the module gives the name, whether they are forked or spawned."""
    if missing.instead is None:
        return False
    stores = [use for use in outline.named.get(missing.read.id, ()) if not isinstance(use.ctx, ast.Load)]
    stores = [use for use in stores if any(map(is_main_process_block, outline.ancestors(use)))]
    begins = [in_script(outline, call) for call in missing.calls]
    if not stores or not begins or not all(begins):
        return False
    hops = [Hop(outline.path, call.lineno, "") for calls in begins for call in calls]
    return not any(is_set_before(search, Place(outline, store, ""), hop) for store in stores for hop in hops)


def in_script(outline: Outline, call: ast.Call, depth: int = 0) -> list[ast.Call]:
    """The calls of the script itself that come to `call`; none where they are not all seen."""
    scope = outline.scope(call)
    if isinstance(scope, ast.Module):
        return [call]
    if not isinstance(scope, FUNCTIONS) or scope not in outline.module.body or depth > _DEPTH:
        return []
    uses = [use for use in outline.named.get(scope.name, ()) if isinstance(use, ast.Name)]
    found = [in_script(outline, each, depth + 1) for each in plain_calls(outline, scope.name, uses)]
    return [each for calls in found for each in calls] if all(found) else []
