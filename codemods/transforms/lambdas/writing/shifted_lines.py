"""Moving a `def` or `class` line by line, where every line belongs to the block that it is indented for."""

from __future__ import annotations

import ast
import io
import re
import tokenize

_ODD = re.compile(  # what LibCST treats in a way of its own, or does not read
    r"\\\n|\"\"\"|\'\'\'|[\t\f\r]|\b(?:return|yield|in|is|not|and|or|if|else|elif|lambda|await|assert|del|raise|from|while|with"
    r"|for|as|except|import)\(|^[ ]*(?:match|case|type)\b|[ ]+$",
    re.M,
)
_MARKS = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.ENDMARKER)


def shifted_lines(text: str, old: str, new: str) -> str | None:
    """The definition `text`, whose lines begin with `old`, with `new` in its place; None where that may not be all."""
    if _ODD.search(text) or not _is_one_definition(text) or not _is_regular(text):
        return None
    lines = text.split("\n")
    if any(line and not line.startswith(old) for line in lines):
        return None
    return "\n".join(new + line[len(old) :] if line else "" for line in lines).rstrip("\n")


def _is_one_definition(text: str) -> bool:
    try:
        block = ast.parse(f"if 1:\n{text}\n").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    body = block.body if isinstance(block, ast.If) else []
    return len(body) == 1 and isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _is_regular(text: str) -> bool:
    """Lines within brackets, and comments, are indented at least as far as the block that they stand in."""
    blocks = [""]
    comments: list[str] = []  # what stands before the comments of which the block is not known yet
    in_statement = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"if 1:\n{text}\n").readline):
            before = token.line[: token.start[1]]
            if token.type == tokenize.INDENT:
                blocks.append(token.string)
            elif token.type == tokenize.DEDENT:
                blocks.pop()
            elif token.type == tokenize.COMMENT and not in_statement and not before.strip():
                comments.append(before)
            elif token.type not in _MARKS or token.type == tokenize.COMMENT:
                if not before.strip() and not before.startswith(blocks[-1]):
                    return False
                if not in_statement and any(not comment.startswith(blocks[-1]) for comment in comments):
                    return False
                comments, in_statement = [], True
            elif token.type == tokenize.NEWLINE:
                in_statement = False
    except (tokenize.TokenError, SyntaxError, IndexError):
        return False
    return not comments
