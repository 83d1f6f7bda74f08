"""Whether a class of processes has a `start` of its own, which may start no process.

class Base(mp.Process):
    def start(self):  # for a debugger
        self.run()
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....nodes import walk
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from ..statements import names_bound

_START = "start"


def starts_itself(lineage: Iterable[Class]) -> bool:
    """No class of these, but those that always call it of their base, has a `start` of its own."""
    for at in lineage:
        own = [part for part in at.node.body if _START in names_bound(part)]
        if own and not all(isinstance(part, FUNCTIONS) and _calls_base(at.outline, part) for part in own):
            return False
    return True


def _calls_base(outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """`super().start()` or `Process.start(self)` is a statement of its body, or of a `with` or `try` in it."""
    return any(_is_of_base(outline, node) and _is_plain(outline, node, function) for node in walk(function))


def _is_of_base(outline: Outline, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != _START:
        return False
    held = node.func.value
    by_super = isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id == "super"
    return by_super or (bool(node.args) and outline.is_self(node.args[0]))


def _is_plain(outline: Outline, node: ast.AST, function: ast.AST) -> bool:
    """No branch or loop decides whether it runs."""
    child = node
    for above in outline.ancestors(node):
        if above is function:
            return True
        in_try = isinstance(above, ast.Try) and child in (*above.body, *above.finalbody)
        if not in_try and not isinstance(above, (ast.Expr, ast.With, ast.Assign, ast.AnnAssign, ast.Return)):
            return False
        child = above
    return False
