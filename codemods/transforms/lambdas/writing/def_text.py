"""Writing a lambda as a `def`: the same meaning, its comments kept, its lines indented for the new place."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....finding import Edit, Refused
from ....syntax.placement import indentation_at
from ....syntax.scope_data import end_of, start_of
from ....tree.source import Source

_DEF = re.compile(r"\s*(?:async\s+)?def\s+\w+\(")
_NEWLINES = re.compile(r"\r\n?")


@dataclass(frozen=True)
class _Token:
    kind: int
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    """Tokens of an expression, offsets into `text`; newlines inside it are legal."""
    wrapped = "(" + text + "\n)"
    starts = [0]
    for line in wrapped.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for token in tokenize.generate_tokens(io.StringIO(wrapped).readline):
        start = starts[token.start[0] - 1] + token.start[1] - 1
        end = starts[token.end[0] - 1] + token.end[1] - 1
        if 0 <= start < len(text) and token.string.strip():
            found.append(_Token(token.type, token.string, start, end))
    return found


def edited(source: Source, start: int, end: int, edits: Iterable[Edit]) -> str:
    """Characters `start`..`end` of the file after `edits`, all of which lie inside; newlines as "\\n"."""
    pieces: list[str] = []
    at = start
    for edit in sorted(edits, key=lambda item: (item.start, item.end)):
        pieces += [source.text[at : edit.start], edit.text]
        at = edit.end
    return _NEWLINES.sub("\n", "".join([*pieces, source.text[at:end]]))


def lambda_as_def(
    source: Source,
    node: ast.Lambda,
    name: str,
    leading: Sequence[str],
    edits: Sequence[Edit],
    indent: str,
    unit: str,
    preamble: Sequence[str] = (),
) -> str:
    """`def name(leading..., parameters):` that returns the lambda's body, indented by `indent`, without a last newline.

    Comments before the body stand above the definition; `preamble` are statements that come first in it.
    """
    start, end = source.offset(*start_of(node)), source.offset(*end_of(node))
    text = edited(source, start, end, edits)
    tokens = _tokens(text)
    colon = _colon(tokens)
    comments = [token for token in tokens[:colon] if token.kind == tokenize.COMMENT]
    body_at = colon + 1
    while tokens[body_at].kind == tokenize.COMMENT:
        comments.append(tokens[body_at])
        body_at += 1
    parameters = _one_line(text, tokens[1:colon], tokens[0].end, tokens[colon].start)
    body = text[tokens[body_at].start :]
    column = source.position(_body_start(source, node, start))[1]
    line_indent = indentation_at(source, source.position(_body_start(source, node, start))[0])
    inner = indent + unit
    lines = [indent + comment.text for comment in comments]
    lines.append(f"{indent}def {name}({', '.join([*leading, *([parameters] if parameters else [])])}):")
    lines += [inner + statement for statement in preamble]
    lines.append(_returned(body, inner, unit, column, line_indent))
    written = "\n".join(lines)
    _check(text, written, len([item for item in leading if item != "/"]))
    return written


def within(text: str, width: int, unit: str) -> str:
    """The definition with its parameters on lines of their own where its `def` line is longer than `width`."""
    lines = text.split("\n")
    at, head = next(((number, found) for number, line in enumerate(lines) if (found := _DEF.match(line))), (0, None))
    if head is None or len(lines[at]) <= width:
        return text
    indent, rest = indentation_of(lines[at]), lines[at][head.end() :]
    depth, start, parameters = 0, 0, list[str]()
    try:
        for token in tokenize.generate_tokens(io.StringIO("(" + rest).readline):
            depth += (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
            if depth == 0 or (depth == 1 and token.string == ","):
                parameters += filter(None, [rest[start : token.start[1] - 1].strip()])
                start = token.end[1] - 1
            if depth == 0:
                break
    except (tokenize.TokenError, SyntaxError):
        return text  # they are on several lines already
    if not parameters:
        return text
    inner = indent + unit
    together = inner + ", ".join(parameters)
    if len(together) > width:
        together = "\n".join(f"{inner}{parameter}," for parameter in parameters)
    lines[at] = f"{lines[at][: head.end()]}\n{together}\n{indent}{rest[start - 1 :]}"
    return "\n".join(lines)


def comments_above(text: str, width: int, before: str) -> str:
    """The code with comments above their lines where they no longer fit behind them; lines of `before` stay."""
    lines = text.split("\n")
    wide = {at + 1 for at, line in enumerate(lines) if len(line) > width}
    if not wide:
        return text
    kept = {line.strip() for line in before.split("\n")}
    wide = {number for number in wide if lines[number - 1].strip() not in kept}
    if not wide:
        return text
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(textwrap.dedent(text)).readline)]
    except (tokenize.TokenError, SyntaxError):
        return text
    for token in reversed(tokens):
        at = token.start[0]
        if token.type == tokenize.COMMENT and at in wide:
            line = lines[at - 1]
            code = line[: len(line) - len(token.string)].rstrip()
            if code.strip() and len(code) <= width:
                lines[at - 1 : at] = [indentation_of(line) + token.string, code]
    return "\n".join(lines)


def indentation_of(line: str) -> str:
    """The whitespace that the line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _colon(tokens: Sequence[_Token]) -> int:
    depth, pending = 0, 0
    for index, token in enumerate(tokens):
        if token.kind == tokenize.OP and token.text in "([{":
            depth += 1
        elif token.kind == tokenize.OP and token.text in ")]}":
            depth -= 1
        elif depth == 0 and token.kind == tokenize.NAME and token.text == "lambda":
            pending += 1
        elif depth == 0 and token.kind == tokenize.OP and token.text == ":":
            pending -= 1
            if pending == 0:
                return index
    raise Refused("its parameters can't be read: make it a function by hand")


def _one_line(text: str, tokens: Sequence[_Token], start: int, end: int) -> str:
    part = text[start:end]
    for token in reversed(tokens):
        if token.kind == tokenize.COMMENT:
            part = part[: token.start - start] + part[token.end - start :]
        elif "\n" in token.text:
            raise Refused("a default value of it spans several lines: make it a function by hand")
    return re.sub(r"(?<!\s)\s*\\?\n\s*", " ", part).strip()


def _body_start(source: Source, node: ast.Lambda, start: int) -> int:
    """Offset where the body begins in the file, its opening parentheses included."""
    text = source.text[start : source.offset(*end_of(node))]
    tokens = _tokens(text)
    index = _colon(tokens) + 1
    while tokens[index].kind == tokenize.COMMENT:
        index += 1
    return start + tokens[index].start


def _parses_as(text: str, expected: str) -> bool:
    try:
        return ast.dump(ast.parse(text, mode="eval")) == expected
    except SyntaxError:
        return False


def _returned(body: str, inner: str, unit: str, column: int, line_indent: str) -> str:
    """The return statement, every line indented; `column` and `line_indent` say how the body stood in the file."""
    meaning = ast.dump(ast.parse(f"({body}\n)", mode="eval"))
    if "\n" not in body:
        is_tuple = isinstance(ast.parse(f"({body}\n)", mode="eval").body, ast.Tuple)
        while not is_tuple and body.startswith("(") and body.endswith(")") and _parses_as(body[1:-1].strip(), meaning):
            body = body[1:-1].strip()
        return f"{inner}return {body}"
    lines = body.split("\n")
    strings = _string_lines(body)
    widths = [
        len(line) - len(line.lstrip())
        for number, line in enumerate(lines)
        if number and line.strip() and number not in strings
    ]
    if _parses_as(body, meaning):
        first = f"{inner}return {lines[0]}"
        aligned = bool(widths) and min(widths) > column
        base = column if aligned else len(line_indent)
        lead = " " * len(inner.expandtabs(4) + "return ") if aligned else inner
        last = ""
    else:
        first = f"{inner}return (\n{inner}{unit}{lines[0]}"
        base = min(widths, default=0)
        lead, last = inner + unit, f"\n{inner})"
    rest = [
        line if number in strings else lead + line[min(base, len(line) - len(line.lstrip())) :] if line.strip() else ""
        for number, line in enumerate(lines)
        if number
    ]
    return "\n".join([first, *rest]) + last


def _string_lines(body: str) -> set[int]:
    """Lines (0-based) that begin inside a string."""
    inside: set[int] = set()
    opened: list[int] = []
    for token in _tokens(body):
        first = body.count("\n", 0, token.start)
        last = body.count("\n", 0, min(token.end, len(body)))
        kind = tokenize.tok_name[token.kind]
        if kind == "FSTRING_START":  # Python 3.12
            opened.append(first)
        elif kind == "FSTRING_END" and opened:
            inside.update(range(opened.pop() + 1, last + 1))
        elif token.kind == tokenize.STRING:
            inside.update(range(first + 1, last + 1))
    return inside


def _check(text: str, written: str, leading: int) -> None:
    """The written function must be the lambda, parameters put in front aside."""
    before = ast.parse(f"({text}\n)", mode="eval").body
    assert isinstance(before, ast.Lambda)
    try:
        after = ast.parse(textwrap.dedent(written) if written[:1] in " \t" and "\n" in written else written).body[0]
    except SyntaxError as error:
        raise Refused(f"it can't be written as a function ({error.msg}): make it one by hand") from None
    assert isinstance(after, ast.FunctionDef) and isinstance(after.body[-1], ast.Return)
    value = after.body[-1].value
    assert value is not None
    arguments = after.args
    for group in (arguments.posonlyargs, arguments.args):
        taken = min(leading, len(group))
        del group[:taken]
        leading -= taken
    if ast.dump(value) != ast.dump(before.body) or ast.dump(arguments) != ast.dump(before.args):
        raise Refused("it can't be written as a function with the same meaning: move it by hand")
