"""Branches that the options of a launch line decide: `--do eval` does not get to `if args.do == "train":`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial

from ...finding import Hop
from ...launch.lines import LaunchLine
from ...nodes import end_line
from ...syntax.names import dotted
from ...syntax.repo import Repo
from ...syntax.truth import truth


def avoided(repo: Repo, line: LaunchLine, hops: Iterable[Hop]) -> bool:
    """Do the options of a line choose another branch than one of the places on the way stands in?"""
    for hop in hops if line.arguments else ():
        outline = repo.outline(hop.path)
        for test in outline.of_kind(ast.If) if outline is not None else ():
            inside, below = _spans(test.body, hop.line), _spans(test.orelse, hop.line)
            if (inside or below) and truth(test.test, partial(_said, line)) is below:
                return True
    return False


def _said(line: LaunchLine, part: ast.expr) -> bool | None:
    """`args.command == "train"`, or `args.command in ("train", "tune")`, for the options of this line."""
    if not isinstance(part, ast.Compare) or len(part.ops) != 1 or not isinstance(part.left, ast.Attribute):
        return None  # a plain name may hold anything
    if dotted(part.left) == f"self.{part.left.attr}":
        return None  # as may an object's own attribute
    operator, other = part.ops[0], part.comparators[0]
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        compared = [other]
    elif isinstance(operator, (ast.In, ast.NotIn)) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        compared = other.elts
    else:
        return None
    texts = [each.value for each in compared if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    word = line.parsed(part.left.attr)
    if word is None or word.value is None or not texts or len(texts) != len(compared):
        return None
    if word.value not in texts and word.value.lower() in map(str.lower, texts):
        return None  # the parser may take either
    return (word.value in texts) is isinstance(operator, (ast.Eq, ast.In))


def _spans(body: list[ast.stmt], line: int) -> bool:
    return bool(body) and body[0].lineno <= line <= end_line(body[-1])
