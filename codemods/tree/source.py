"""One file: bytes to text and back, nothing lost (encoding cookie, BOM, newlines, missing final newline)."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from ..finding import Edit, Span

_NEWLINE = re.compile(r"\r\n|\r|\n")
_DEFINITIONS = tuple(
    re.compile(rf"{word}(?=(?:\s|\\)+(\w+))") for word in ("def", "class")
)  # apart: each is a fast search
_BOM = codecs.BOM_UTF8
_LFS = b"version https://git-lfs.github.com/spec/"


# Encodings of text. Python has others, which run for long (punycode), or are no text (zlib), or read escapes.
# fmt: off
_CODECS = frozenset({
    "utf-8", "utf-8-sig", "ascii", "big5", "big5hkscs", "cp037", "cp437", "cp737", "cp775", "cp850", "cp852",
    "cp855", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863", "cp864", "cp865", "cp866", "cp869", "cp874",
    "cp932", "cp949", "cp950", "euc_jp", "euc_jis_2004", "euc_jisx0213", "euc_kr", "gb18030", "gb2312", "gbk", "hz",
    "iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_kr", "iso8859-1", "iso8859-2", "iso8859-3", "iso8859-4",
    "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-10", "iso8859-11", "iso8859-13",
    "iso8859-14", "iso8859-15", "iso8859-16", "johab", "koi8-r", "koi8-t", "koi8-u", "kz1048", "mac-cyrillic",
    "mac-greek", "mac-iceland", "mac-latin2", "mac-roman", "mac-turkish", "ptcp154", "shift_jis", "shift_jis_2004",
    "shift_jisx0213", "tis-620", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257",
    "cp1258", "cp1125", "cp720",
})
# fmt: on


# the package future-fstrings (f-strings before Python 3.6) registers this codec, which reads the bytes as UTF-8
_FUTURE_FSTRINGS = re.compile(rb"\A((?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*)future[-_]fstrings\b")


_COOKIE = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)


def may_hide(data: bytes) -> bool:
    """True for Python files in whose bytes words can't be looked for: they may not be text, or not the text itself."""
    return b"\0" in data or data.startswith(_LFS) or _COOKIE.match(data) is not None


def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return ""


class UnreadableSource(Exception):
    """The bytes are not text that can be written back unchanged; the message says why, for a person."""


@dataclass(frozen=True)
class Source:
    """The text of one file, without BOM, newlines as they stand in the file.

    `encoding` is a Python codec name; `encode(text)` gives the bytes back, for the original text the original bytes.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode `data` as Python would (BOM, PEP 263 cookie, else UTF-8); other files as UTF-8, else latin-1.

        Raises UnreadableSource when the bytes do not decode or would not come back the same.
        """
        if data.startswith(_LFS):
            raise UnreadableSource("a Git LFS pointer, the file itself is not here")
        if b"\0" in data:
            raise UnreadableSource("contains NUL bytes, not text")
        bom = data.startswith(_BOM)
        body = data[len(_BOM) :] if bom else data
        if path.endswith((".py", ".pyi", ".pyw")):
            try:
                plain = _FUTURE_FSTRINGS.sub(rb"\1utf-8", data, count=1)
                encoding = tokenize.detect_encoding(io.BytesIO(plain).readline)[0]
            except (SyntaxError, UnicodeError, LookupError) as error:  # 3.14 decodes with what is no text encoding
                raise UnreadableSource(f"encoding: {error}") from None
            if _codec(encoding) not in _CODECS:
                raise UnreadableSource(f"encoding: {encoding} is not one that source is written in")
            encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        else:
            encoding = "utf-8"
            try:
                body.decode("utf-8")
            except UnicodeDecodeError:
                encoding = "latin-1"
        try:
            text = body.decode(encoding)
            same = text.encode(encoding) == body
        except (UnicodeError, LookupError) as error:
            raise UnreadableSource(f"does not decode as {encoding}: {error}") from None
        if not same:
            raise UnreadableSource(f"does not survive a round trip through {encoding}")
        return cls(path, text, encoding, bom)

    @cached_property
    def may_define(self) -> frozenset[str]:
        """What stands after `def` and `class`: names of functions and classes, and words of comments and strings."""
        return frozenset(name for pattern in _DEFINITIONS for name in pattern.findall(self.text))

    def encode(self, text: str) -> bytes:
        """`text` as bytes of this file (its encoding and BOM).

        Raises UnicodeEncodeError when the encoding lacks a character.
        """
        return (_BOM if self.bom else b"") + text.encode(self.encoding)

    @cached_property
    def newline(self) -> str:
        """The newline used most in the file; "\\n" when there is none."""
        counts: dict[str, int] = {}
        for match in _NEWLINE.finditer(self.text):
            counts[match.group()] = counts.get(match.group(), 0) + 1
        return max(counts, key=lambda newline: counts[newline]) if counts else "\n"

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line (lines as Python's tokenizer counts them)."""
        if "\r" not in self.text:  # nearly all
            return [0, *accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])]
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def line_text(self, line: int) -> str:
        """Line `line` (1-based) without its newline."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """Character offset of an `ast` position: `line` 1-based, `column` 0-based in UTF-8 bytes."""
        start = self.line_starts[line - 1]
        text = self.line_text(line)
        if text.isascii():
            return start + column
        return start + len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character offset: line 1-based, column 0-based in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1]

    def span(self, start: int, end: int) -> Span:
        """The `Span` of the characters from offset `start` to `end`."""
        line, column = self.position(start)
        end_line, end_column = self.position(end)
        return Span(line, column + 1, end_line, end_column + 1)

    def range_of(self, node: ast.AST) -> tuple[int, int]:
        """Character offsets (start, end) of an `ast` node that has a position: an expression, statement, argument..."""
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def span_of(self, node: ast.AST) -> Span:
        """The `Span` of an `ast` node that has a position."""
        return self.span(*self.range_of(node))

    def text_of(self, node: ast.AST) -> str:
        """The source text of an `ast` node that has a position."""
        start, end = self.range_of(node)
        return self.text[start:end]

    def apply(self, edits: Iterable[Edit]) -> str:
        """The text after `edits` (offsets into the present text); insertions at one place keep the order of `edits`.

        Raises ValueError when edits overlap.
        """
        pieces: list[str] = []
        at = 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start < at:
                raise ValueError(f"overlapping edits in {self.path} at offset {edit.start}")
            pieces += [self.text[at : edit.start], _NEWLINE.sub(self.newline, edit.text)]
            at = edit.end
        return "".join([*pieces, self.text[at:]])
