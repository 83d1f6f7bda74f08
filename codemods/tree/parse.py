"""Parses the text of a Python file, within bounds on its size and depth; says why where it does not."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass

from ..nodes import deeper_than, walk
from . import python2
from .newer_syntax import newer_syntax
from .old_names import tree_of
from .source import Source

_TOKEN = re.compile(r"\w+|[^\w\s]")  # each takes kilobytes as a syntax tree, whatever its length
_SCOPE = re.compile(r"\b(?:def|class|lambda|for)\b")
_BOUNDS = re.compile(r"too many|[Ee]xceeds|too deep|too complex|overflow")  # what Python 3 could read, but for its size
MAX_PYTHON = 1024 * 1024  # characters
MAX_TOKENS = 200_000  # names, numbers and signs of a Python file: 0.5 GB; code stays below 50 000, tables below 100 000
MAX_SCOPES = 10_000  # definitions and loops: Python's compiler takes time by the square of functions that look alike
MAX_NAME = 1000  # characters of one name: some patterns over names take time by its square
MAX_DEPTH = 250  # of a syntax tree; people's code stays below 60, LibCST's time and stack end some way above


@dataclass(frozen=True, slots=True)
class NotParsed:
    """Why a file has no syntax tree. `python2`: the Python 2 grammar reads it."""

    reason: str
    python2: bool = False


def parsed(source: Source) -> ast.Module | NotParsed:
    """The syntax tree of a Python file, or why there is none."""
    if len(source.text) > MAX_PYTHON:
        return NotParsed(f"larger than {MAX_PYTHON // 2**20} MiB, for Python")
    if (why := _too_much(source.text)) is not None:
        return NotParsed(why)
    try:
        tree = tree_of(source.text)
        if deeper_than(tree, MAX_DEPTH):
            return NotParsed("nested too deeply to be analysed")
        if max(map(len, source.text.split("\n"))) > MAX_NAME and (length := _longest_name(tree)) > MAX_NAME:
            return NotParsed(f"a name of {length} characters")
    except SyntaxError as error:
        old = None if _BOUNDS.search(error.msg) else _python2(source.text)
        return old or NotParsed(f"line {error.lineno}: {_newer(source.text, error.lineno) or error.msg}")
    except (RecursionError, MemoryError):
        return NotParsed("nested too deeply to be parsed")
    except ValueError as error:
        return NotParsed(f"can't be parsed: {error}")
    return tree


def _newer(text: str, number: int | None) -> str | None:
    lines = text.splitlines()
    return newer_syntax(lines[number - 1]) if number is not None and 0 < number <= len(lines) else None


def _python2(text: str) -> NotParsed | None:
    """The reason that goes with Python 2; None for other text."""
    if python2.reads(text):
        return NotParsed("Python 2: only a few plain patterns are looked for", python2=True)
    if not python2.installed() and python2.looks_old(text):
        return NotParsed("Python 2: pip install bowler to have it looked at")
    return None


def _too_much(text: str) -> str | None:
    """Why `text` is not parsed: time and memory follow the number of its parts, which is counted before."""
    if len(text) <= 4 * MAX_SCOPES:  # each word of a definition and what follows it take so many characters
        return None
    few = sum(map(text.count, ("def", "class", "lambda", "for"))) <= MAX_SCOPES or _count(_SCOPE, text) <= MAX_SCOPES
    if few and (len(text) <= MAX_TOKENS or _count(_TOKEN, text) <= MAX_TOKENS):
        return None
    tokens = scopes = 0  # those of strings and comments do not count
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline):
            if token.type == tokenize.STRING:
                code = token.string if "f" in token.string[:2].lower() else ""
                tokens, scopes = tokens + 1 + _count(_TOKEN, code), scopes + _count(_SCOPE, code)
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE):
                tokens, scopes = tokens + 1, scopes + (_SCOPE.fullmatch(token.string) is not None)
            if tokens > MAX_TOKENS:
                return f"more than {MAX_TOKENS} names, numbers and signs: generated code"
            if scopes > MAX_SCOPES:
                return f"more than {MAX_SCOPES} definitions and loops: generated code"
    except (tokenize.TokenError, SyntaxError):
        return "too large to be parsed, and no Python that can be cut into words"
    return None


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))


def _longest_name(tree: ast.Module) -> int:
    nodes = (node for node in walk(tree) if not isinstance(node, ast.Constant))
    return max(
        (len(iter_field) for node in nodes for _, iter_field in ast.iter_fields(node) if isinstance(iter_field, str)),
        default=0,
    )
