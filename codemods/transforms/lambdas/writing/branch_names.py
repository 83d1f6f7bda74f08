"""Roles of functions that the branches of one `if` make: by what each compares with, `elif noise == "normal":`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....syntax.binding_rules import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.scopes import Scopes
from ..candidate import Movable
from .role_words import describe_lambda, role, snake

_LONGEST = 24
_SHORTEST = 3
_SWITCH = re.compile(r"(?:use|using|is|has|with|do|enable|enabled|should)_(?=\w)")
_VERBS = frozenset(
    {"apply", "build", "compute", "convert", "create", "encode", "filter", "get", "load", "make", "parse", "prepare"}
    | {"process", "read", "run", "set", "to", "transform", "update", "write"}
)
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
        is_same = isinstance(above, ast.If) and isinstance(below, ast.If) and above.orelse == [below]  # its `elif`
        if isinstance(above, ast.If) and below is not above.test and not is_same:
            own = above.body if below in above.body else above.orelse
            others = [block for block in _blocks(scopes, above) if block is not own]
            made = (inner for block in others for each in block for inner in ast.walk(each))
            if any(_alike(scopes, node, inner) for inner in made):
                word = _word(above.test, own is above.body)
                return _with_word(node, what, word, own is above.orelse)
        below = above
    return what


def _with_word(node: Movable, what: str, word: str, is_else: bool) -> str:
    """The word of the test stands before a noun and behind a verb: `get_features` of `args.use_degree` is
    `get_features_degree`."""
    said = what.split("_")
    left = [part for part in word.split("_") if part not in said]
    if not word or what.startswith(word) or not left:
        done = describe_lambda(node) if isinstance(node, ast.Lambda) and is_else else ""
        return f"{what}_{done}" if done else what
    if what in VAGUE:
        return word if not word[0].isdigit() else f"{what}_{word}"
    if len(left) < len(word.split("_")) or word[0].isdigit() or (len(said) > 1 and said[0] in _VERBS):
        return f"{what}_{'_'.join(left)}"
    return f"{word}_{what}"


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


def _word(test: ast.expr, is_body: bool) -> str:
    """`normal` of `self.noise == "normal"`, `cuda` of `args.use_cuda`, for the branch where that holds; or ""."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _word(test.operand, not is_body)
    word = ""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and is_body:
        word = "_".join(filter(None, (_word(part, is_body) for part in test.values)))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = [side.value for side in (test.left, *test.comparators) if isinstance(side, ast.Constant)]
        holds = isinstance(test.ops[0], (ast.Eq, ast.Is))
        if len(sides) != 1 or not (holds or isinstance(test.ops[0], (ast.NotEq, ast.IsNot))):
            return ""
        if isinstance(sides[0], str) and is_body is holds:
            word = snake(sides[0])
        elif (sides[0] is None or isinstance(sides[0], bool)) and isinstance(test.left, (ast.Name, ast.Attribute)):
            word = _flag(test.left) if is_body is (holds is (sides[0] is True)) else ""
    elif isinstance(test, (ast.Name, ast.Attribute)) and is_body:
        word = _flag(test)
    return word if f"_{word}".isidentifier() and len(word) <= _LONGEST else ""


def _flag(node: ast.expr) -> str:
    """`cuda` of `args.use_cuda`; "" for what is too short to say something."""
    word = _SWITCH.sub("", snake(last_name(node)), count=1)
    return word if len(word) >= _SHORTEST else ""


def _alike(scopes: Scopes, node: Movable, other: ast.AST) -> bool:
    """The same kind of thing for the same role."""
    if isinstance(node, ast.Lambda):
        return isinstance(other, ast.Lambda) and role(scopes, other) == role(scopes, node)
    return isinstance(other, type(node)) and other.name == node.name
