"""Syntax colours: the lines of a text as pieces, each with its kind, a letter that the style of the page knows."""

from __future__ import annotations

from functools import cached_property

from ...tree.suffixes import SHELL_SCRIPT

Piece = tuple[str, str]  # kind, text
MAX_TEXT = 400_000  # characters; a larger text has no colours
_SHOWN = {"Keyword": "k", "Name.Builtin": "b", "Name.Function": "f", "Name.Class": "f", "Name.Decorator": "d"}
_SHOWN |= {"Literal.String": "s", "Literal.Number": "m", "Comment": "c", "Operator.Word": "k"}


class Highlighter:
    """The text of the file `path`."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text

    @cached_property
    def lines(self) -> list[list[Piece]]:
        """The pieces of each line, without newlines. As many lines as there are between "\\n" characters."""
        if len(self._text) > MAX_TEXT:
            return [[("", line.rstrip("\r"))] for line in self._text.split("\n")]
        rows: list[list[Piece]] = [[]]
        for kind, text in self._tokens():
            first, *others = text.split("\n")
            rows[-1] = _with(rows[-1], kind, first)
            for line in others:
                rows.append(_with([], kind, line))
        return rows

    def _tokens(self) -> list[Piece]:
        from pygments.lexers.python import PythonLexer
        from pygments.lexers.shell import BashLexer
        from pygments.token import Token

        if self._path.endswith((".py", ".pyw", ".ipynb")):
            lexer = PythonLexer()
        elif SHELL_SCRIPT.search(self._path):
            lexer = BashLexer()
        else:
            return [("", self._text.replace("\r", ""))]
        kinds: dict[object, str] = {}
        found: list[Piece] = []
        for _, token, value in lexer.get_tokens_unprocessed(self._text.replace("\r", "")):
            if token not in kinds:
                names = [str(item).removeprefix("Token.") for item in token.split() if item is not Token]
                kinds[token] = next((_SHOWN[name] for name in reversed(names) if name in _SHOWN), "")
            found.append((kinds[token], value))
        return found


def _with(row: list[Piece], kind: str, text: str) -> list[Piece]:
    """`row` with `text` at its end, joined to a last piece of the same kind."""
    if not text:
        return row
    if row and row[-1][0] == kind:
        row[-1] = (kind, row[-1][1] + text)
        return row
    row.append((kind, text))
    return row
