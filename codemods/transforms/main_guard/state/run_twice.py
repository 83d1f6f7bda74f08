"""Functions that one run of the program comes to more than once: what they do last is done before they begin again."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import pairwise

from ....syntax.binding_rules import COMPREHENSIONS, LOOPS
from ....syntax.branches import no_one_run
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.repo import Repo

_REPEATS = (*LOOPS, *COMPREHENSIONS)


def is_run_twice(repo: Repo, calls: Iterable[tuple[Outline, ast.expr]]) -> bool:
    """One of the calls of a function stands in a loop, or two of them may be of one run."""
    found = {call: outline for outline, call in calls}
    if any(_in_loop(outline, call) for call, outline in found.items()):
        return True
    places = [(outline.path, call.lineno, -1) for call, outline in found.items()]
    return any(not no_one_run(repo, [[first], [second]]) for first, second in pairwise(places))


def _in_loop(outline: Outline, node: ast.AST) -> bool:
    for above in outline.ancestors(node):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, _REPEATS):
            return True
    return False
