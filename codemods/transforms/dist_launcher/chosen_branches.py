"""Branches that the options of a launch line decide: `--do eval` does not get to `if args.do == "train":`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import partial

from ...finding import Hop
from ...launch.bash import Word
from ...nodes import end_line
from ...syntax.names import last_name
from ...syntax.repo import Repo
from ...syntax.truth import truth


def avoided(repo: Repo, words: Iterable[Word], hops: Iterable[Hop]) -> bool:
    """Do the options among the words of a line choose another branch than one of the places on the way stands in?"""
    given = _given(words)
    for hop in hops if given else ():
        outline = repo.outline(hop.path)
        for test in outline.of_kind(ast.If) if outline is not None else ():
            inside, below = _spans(test.body, hop.line), _spans(test.orelse, hop.line)
            if (inside or below) and truth(test.test, partial(_said, given)) is below:
                return True
    return False


def _given(words: Iterable[Word]) -> dict[str, str]:
    """The values of the options, by the name that argparse gives them."""
    found: dict[str, str] = {}
    option = ""
    for word in words:
        name, equals, value = (word.value or "").partition("=")
        if option and word.value is not None and not word.value.startswith("-"):
            found[option] = word.value
        option = name.lstrip("-").replace("-", "_") if name.startswith("--") else ""
        if option and equals:
            found[option], option = value, ""
    return found


def _said(given: Mapping[str, str], part: ast.expr) -> bool | None:
    """`args.command == "train"`, or `args.command in ("train", "tune")`, for these options."""
    if not isinstance(part, ast.Compare) or len(part.ops) != 1 or not isinstance(part.left, (ast.Attribute, ast.Name)):
        return None
    operator, other = part.ops[0], part.comparators[0]
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        compared = [other]
    elif isinstance(operator, (ast.In, ast.NotIn)) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        compared = other.elts
    else:
        return None
    texts = [each.value for each in compared if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    value = given.get(last_name(part.left) or "")
    if value is None or not texts or len(texts) != len(compared):
        return None
    return (value in texts) is isinstance(operator, (ast.Eq, ast.In))


def _spans(body: list[ast.stmt], line: int) -> bool:
    return bool(body) and body[0].lineno <= line <= end_line(body[-1])
