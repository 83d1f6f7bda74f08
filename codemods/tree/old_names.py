"""Python 3.6 and older: `async` and `await` as names, as in `x.cuda(async=True)`.

Python reads such a file with another name of the same length there: all places stay as they are. The text itself is
never changed, and no rewrite may write the other name (`engine/verify.py` sees to it).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings

from ..nodes import walk

_NEWLINE = re.compile(r"\r\n|\r|\n")
STAND_INS = {"async": "asinc", "await": "avait"}
_USES = {
    "async": re.compile(r"\basync\b(?!\s+(?:def|for|with)\b)"),
    "await": re.compile(r"\bawait\b(?=\s*[=,.)\]:])"),
}


def tree_of(text: str) -> ast.Module:
    """The syntax tree of a Python text.

    Raises what `ast.parse` does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in their code are not our users' concern
        try:
            return ast.parse(text)
        except SyntaxError:
            today = modern(text)
            if today == text:
                raise
            return ast.parse(today)


def modern(text: str) -> str:
    """The text without keywords as names, where Python reads it so; else the text."""
    if stands_in(text) or not any(use.search(text) for use in _USES.values()) or _is_python(text):
        return text
    today = _renamed(text)
    return today if _is_python(today) else text


def stands_in(text: str) -> bool:
    """The text has a name that Python reads in the place of an old one."""
    return any(name in text for name in STAND_INS.values())


def has_old_names(tree: ast.AST) -> bool:
    """The code has a name that is a keyword today: its text can't be parsed by itself."""
    names = (getattr(node, field, None) for node in walk(tree) for field in ("id", "attr", "arg", "name"))
    return any(name in STAND_INS.values() for name in names)


def _renamed(text: str) -> str:
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
    pieces: list[str] = []
    at = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if (use := _USES.get(token.string)) is None:  # the end of a text may stand on a line behind the last
                continue
            start = starts[token.start[0] - 1] + token.start[1]
            if use.match(text, start):
                pieces += [text[at:start], STAND_INS[token.string]]
                at = start + len(token.string)
    except (tokenize.TokenError, SyntaxError):
        return text
    return "".join([*pieces, text[at:]])


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
