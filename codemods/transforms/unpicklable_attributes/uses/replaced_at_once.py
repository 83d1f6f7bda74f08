"""What an attribute holds for some statements only: `self.rows = file["rows"]; self.rows = np.asarray(self.rows)`.

It does not cross, where nothing can see the object in between.
"""

from __future__ import annotations

import ast

from ....nodes import walk
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.unpicklable import Made, Recogniser
from ....syntax.unpicklable_table import Remedy
from ..classes import Store
from ..data import names

_WALKED_AT_ONCE = frozenset(("list", "tuple", "set", "frozenset", "sorted", "dict", "sum", "max", "min", "any", "all"))
LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)


def is_replaced_at_once(recogniser: Recogniser, store: Store, made: Made) -> bool:
    """A later statement of the same block always gives the attribute something else, which does not hold `made`."""
    if made.nested or store.fills or store.cached or _may_stop(recogniser, store):
        return False
    outline, name = store.owner.outline, store.target.attr
    block = store.owner.block(store.statement)
    behind = block[block.index(store.statement) + 1 :] if store.statement in block else []
    for statement in behind:
        used = list(walk(statement))
        if any(isinstance(node, LEAVES) for node in used) or not is_hidden(outline, used):
            return False
        mentions = [node for node in used if isinstance(node, ast.Attribute) and _is_own(outline, node, name)]
        reads = [node for node in mentions if isinstance(node.ctx, ast.Load)]
        if not all(_is_let_go(recogniser, outline, node, made) for node in reads):
            return False
        if len(mentions) > len(reads):
            value = statement.value if isinstance(statement, ast.Assign) and statement.targets == mentions[:1] else None
            return value is not None and not recogniser.made(outline, value)
    return False


def _may_stop(recogniser: Recogniser, store: Store) -> bool:
    """The method may go on without the later statements of the block: a `try` or a `with` may catch what they raise."""
    outline = store.owner.outline
    for above in outline.ancestors(store.statement):
        if above is store.method:
            return False
        if isinstance(above, (ast.With, ast.AsyncWith)):
            if not all(recogniser.made(outline, item.context_expr) for item in above.items):  # a file catches nothing
                return True
        elif isinstance(above, ast.Try):
            return True
    return True  # of a field: no method around it


def is_hidden(outline: Outline, used: list[ast.AST]) -> bool:
    """Of the object only attributes are asked for: none is called, and it is not passed on."""
    for node in used:
        if isinstance(node, ast.Name) and (node.id in ("super", "vars", "locals") or outline.is_self(node)):
            above = outline.parents[node]
            call = outline.parents[above]
            if not isinstance(above, ast.Attribute) or (isinstance(call, ast.Call) and call.func is above):
                return False
    return True


def _is_own(outline: Outline, node: ast.Attribute, name: str) -> bool:
    return node.attr == name and outline.is_self(node.value)


def _is_let_go(recogniser: Recogniser, outline: Outline, node: ast.expr, made: Made) -> bool:
    """What is done with `node`, which is `made` or a part of it, gives nothing that refers to it."""
    above = outline.parents[node]
    if isinstance(above, ast.Subscript) and above.value is node:
        named = made.kind.parts and not isinstance(above.slice, (ast.Slice, ast.Tuple)) and not _is_number(above.slice)
        is_part = named or bool(recogniser.made(outline, above))
        return not is_part or _is_let_go(recogniser, outline, above, made)
    if isinstance(above, ast.Attribute):
        call = outline.parents[above]
        if isinstance(call, ast.Call) and call.func is above:
            return above.attr in made.kind.moves | names("closing_methods")
        return above.attr in names("says_of_arrays")
    if not isinstance(above, ast.Call) or node not in above.args:
        return False
    taken = _WALKED_AT_ONCE if made.kind.remedy is Remedy.EXHAUST else names("copies_arrays")
    return qualified_name(outline, above.func) in taken


def _is_number(node: ast.expr) -> bool:
    """A number, or `...`: it takes values out of an array."""
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)
