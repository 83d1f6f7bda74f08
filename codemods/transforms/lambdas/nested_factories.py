"""`defaultdict(lambda: defaultdict(lambda: n))`: the inner dicts keep the inner lambda, so both have to move.

The outer one becomes `functools.partial(defaultdict, ...)`, the inner one moves as any other lambda does.
"""

from __future__ import annotations

import ast
from itertools import pairwise

from ...finding import Edit, Import, Refused
from ...syntax.scope_data import start_of
from .checks.identity import told_apart
from .file_state import FileRewrite
from .known import Known
from .stdlib_forms import inner_factory, is_factory


class Unfolded:
    """What stands around an inner factory that moves: edits that write each outer lambda as a partial."""

    def __init__(self, inner: ast.Lambda, edits: list[Edit], imports: list[Import]) -> None:
        self.inner, self.edits, self.imports = inner, edits, imports


def unfold(rewrite: FileRewrite, node: ast.AST, known: Known) -> Unfolded | None:
    """The innermost factory of a nest of them, of which `node` is the outermost; None where it is no such nest.

    The inner lambda was made by each call of the outer one, and is made once afterwards: so nothing may tell them
    apart, and what they read must not change.
    """
    if not isinstance(node, ast.Lambda) or not is_factory(rewrite.scopes, node):
        return None
    chain: list[ast.Lambda] = [node]
    while (inner := inner_factory(rewrite.scopes, chain[-1])) is not None:
        chain.append(inner)
    inner = chain[-1]
    if inner is node or rewrite.reads_factories:
        return None
    if any(told_apart(rewrite.project, known, rewrite.path, rewrite.scopes, item) for item in chain):
        return None
    unit = rewrite.units.of(inner)
    if unit.refused is not None or unit.frozen or unit.snapshots or unit.functions or unit.own_self is not None:
        return None
    if any(rewrite.scopes.why_not_once(variable, node) is not None for variable in unit.captures):
        return None
    edits: list[Edit] = []
    imports: list[Import] = []
    for outer, below in pairwise(chain):
        created = outer.body
        assert isinstance(created, ast.Call)
        try:
            written = rewrite.partial(ast.unparse(created.func), [""], node, imports)
        except Refused:
            return None
        start, end = rewrite.source.offset(*start_of(outer)), rewrite.source.offset(*start_of(below))
        if any(mark in rewrite.source.text[start:end] for mark in "#\n") or rewrite.source.text[end - 1] != "(":
            return None
        edits.append(Edit(rewrite.path, start, end, written.removesuffix(")")))
    return Unfolded(inner, edits, imports)
