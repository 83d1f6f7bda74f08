"""Roles of functions that the branches of one `if` make: by what each compares with, `elif noise == "normal":`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.binding_rules import FUNCTIONS
from ....syntax.scopes import Scopes
from ..candidate import Movable
from .role_words import describe_lambda, role, snake

_LONGEST = 24
VAGUE = frozenset(
    {"f", "fn", "fun", "func", "function", "inner", "wrapper", "wrapped", "helper", "my", "new", "the", "do", "get"}
)


def branch_role(scopes: Scopes, node: Movable, what: str) -> str:
    """`normal_noise` for the `noise` that one of several branches makes; `what` where no other branch makes the like.

    The branch of `else` says what it does.
    """
    below: ast.AST = node
    for above in scopes.ancestors(node):
        if isinstance(above, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            break
        if isinstance(above, ast.If) and below is not above.test:
            own = above.body if below in above.body else above.orelse
            others = [block for block in _blocks(scopes, above) if block is not own]
            made = (inner for block in others for each in block for inner in ast.walk(each))
            if not any(_alike(scopes, node, inner) for inner in made):
                return what
            word = _word(above.test) if own is above.body else ""
            if not word or what.startswith(word):
                done = describe_lambda(node) if isinstance(node, ast.Lambda) and own is above.orelse else ""
                return f"{what}_{done}" if done else what
            return word if what in VAGUE else f"{word}_{what}"
        below = above
    return what


def _blocks(scopes: Scopes, branch: ast.If) -> Iterator[list[ast.stmt]]:
    """What each `if`, `elif` and `else` of the statement holds that `branch` is a part of."""
    top = branch
    while isinstance(above := scopes.parents[top], ast.If) and above.orelse == [top]:
        top = above
    while True:
        yield top.body
        if len(top.orelse) != 1 or not isinstance(top.orelse[0], ast.If):
            break
        top = top.orelse[0]
    yield top.orelse


def _word(test: ast.expr) -> str:
    """`normal` of `self.noise == "normal"`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return ""
    sides = [side.value for side in (test.left, *test.comparators) if isinstance(side, ast.Constant)]
    word = snake(sides[0]) if len(sides) == 1 and isinstance(sides[0], str) else ""
    return word if word.isidentifier() and len(word) <= _LONGEST else ""


def _alike(scopes: Scopes, node: Movable, other: ast.AST) -> bool:
    """The same kind of thing for the same role."""
    if isinstance(node, ast.Lambda):
        return isinstance(other, ast.Lambda) and role(scopes, other) == role(scopes, node)
    return isinstance(other, type(node)) and other.name == node.name
