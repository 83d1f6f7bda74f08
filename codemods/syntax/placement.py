"""Where new code goes and how much room the file gives it: attached comments, blank lines, indentation, block ends."""

from __future__ import annotations

import ast
import re
from collections import Counter

from ..nodes import end_line
from ..tree.source import Source
from .binding_rules import FUNCTIONS
from .scope_data import start_of
from .scopes import Scopes

CELL = re.compile(r"# ?%%|# ?In ?\[[\d ]*\]|# ?<codecell>|# COMMAND -{4}")  # editors; `jupyter nbconvert`; Databricks
_HEADING = re.compile(r"#+\s*(?:step\s*)?\d+\s*[.):]\s|#\s*type:", re.IGNORECASE)


def indentation_at(source: Source, line: int) -> str:
    """The whitespace that line `line` begins with."""
    text = source.line_text(line)
    return text[: len(text) - len(text.lstrip())]


def indentation_unit(source: Source, module: ast.Module) -> str:
    """What one level of indentation is in the file: that of most blocks, of the first where as many, or four spaces."""
    counts: Counter[str] = Counter()
    todo: list[ast.AST] = [module]
    for node in todo:  # it grows: outer blocks come before inner ones
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, name, None)
            if not isinstance(block, list) or not block:
                continue
            todo += block
            if isinstance(node, ast.stmt) and isinstance(block[0], ast.stmt) and block[0].lineno > node.lineno:
                outer, inner = indentation_at(source, node.lineno), indentation_at(source, block[0].lineno)
                if inner.startswith(outer) and len(inner) > len(outer):
                    counts[inner[len(outer) :]] += 1
    return counts.most_common(1)[0][0] if counts else "    "


def first_line(node: ast.stmt) -> int:
    """Line of the first decorator, else of the statement itself."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def first_attached_line(source: Source, node: ast.stmt) -> int:
    """Line of the first comment directly above the statement, at its indentation.

    A file's header stays out, the heading of a part of a longer block, `# 2. Data loader`, the mark of a cell, and
    `# type: (int) -> int`, which is about the function around.
    """
    line = top = first_line(node)
    indent = indentation_at(source, line)
    while line > 1:
        text = source.line_text(line - 1)
        if not text.startswith(indent + "#") or _HEADING.match(text.lstrip()) or CELL.match(text):
            return line
        line -= 1
    return top  # reaches the top of the file: shebang, licence, encoding


def last_line(source: Source, node: ast.stmt) -> int:
    """The statement's last line, with comments behind it that are indented as its body is."""
    end = end_line(node)
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return end
    width = len(indentation_at(source, node.lineno).expandtabs(8))
    line = end + 1
    while line <= len(source.line_starts):
        text = source.line_text(line)
        if text.strip():
            if not text.lstrip().startswith("#") or len(indentation_at(source, line).expandtabs(8)) <= width:
                break
            end = line
        line += 1
    return end


def blank_lines_above(source: Source, line: int) -> int:
    """How many blank lines stand directly above line `line`; a large number at the top of the file."""
    at = line - 1
    while at >= 1 and not source.line_text(at).strip():
        at -= 1
    return line - 1 - at if at >= 1 else 99


def blank_lines_below(source: Source, line: int) -> int:
    """How many blank lines follow line `line`."""
    at = line + 1
    while at <= len(source.line_starts) and not source.line_text(at).strip():
        at += 1
    return at - line - 1


def usual_gap(source: Source, module: ast.Module) -> int:
    """Blank lines that the file puts around its top-level functions and classes: 1 or 2."""
    gaps = Counter(
        min(2, max(1, blank_lines_above(source, first_attached_line(source, node))))
        for node in module.body[1:]
        if isinstance(node, (*FUNCTIONS, ast.ClassDef))
    )
    return 1 if gaps[1] > gaps[2] else 2


def place_above(source: Source, scopes: Scopes, node: ast.AST) -> int:
    """The line above which a definition goes to stand before the top-level statement that holds `node`.

    What shares a line with that statement (`x = 1; y = 2`, a string that ends before it) stays with it, and so does a
    text in quotes that stands directly above.
    """
    body = scopes.tree.body
    at = body.index(scopes.top_statement(node))
    while at and not _begins_line(source, body[at]):
        at -= 1
    above = first_attached_line(source, body[at])
    if at > 1 and _is_heading(source, body[at - 1]) and end_line(body[at - 1]) == above - 1:
        return first_attached_line(source, body[at - 1])
    return above


def _is_heading(source: Source, statement: ast.stmt) -> bool:
    """A text in quotes that nothing reads, below an empty line: it is about what stands directly below.

    Directly below a variable, it is about that.
    """
    value = statement.value if isinstance(statement, ast.Expr) else None
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str) and _begins_line(source, statement)
    return is_text and not source.line_text(first_attached_line(source, statement) - 1).strip()


def _begins_line(source: Source, node: ast.stmt) -> bool:
    """Nothing stands before the statement on its line, and no backslash joins the line to the one above."""
    line = first_line(node)
    return starts_line(source, node) and not (line > 1 and source.line_text(line - 1).endswith("\\"))


def end_of_line(source: Source, line: int) -> int:
    """Offset behind the last character of the line, before its newline."""
    return source.line_starts[line - 1] + len(source.line_text(line))


def removal(source: Source, scopes: Scopes, statement: ast.stmt, closing: bool = False) -> tuple[int, int]:
    """Offsets of what goes when the statement moves away: its lines, attached comments and one side's blank lines.

    `closing`: what follows may come close to what was above.
    """
    first, last = first_attached_line(source, statement), last_line(source, statement)
    block = scopes.block_of(statement)
    after = last + 1
    while after <= len(source.line_starts) and not source.line_text(after).strip():
        after += 1
    is_last = block[-1] is statement
    if is_last:
        above = blank_lines_above(source, first)
        first -= above if above < 99 else 0
        if first > 1:  # the newline of the line above goes, so that a method may be put behind this statement
            return end_of_line(source, first - 1), end_of_line(source, last)
        after = last + 1
    elif first > 1 and _HEADING.match(source.line_text(first - 1).lstrip()):
        pass  # what follows is the first of its part
    elif not closing and not blank_lines_above(source, first) and block[0] is not statement:
        after = last + 1 if after == last + 1 else after - 1  # keep one blank line where only the far side had some
    if block[0] is statement:  # what follows stands first now, with no blank line above it
        above = blank_lines_above(source, first)
        first -= above if above < 99 else 0
    start = source.line_starts[first - 1]
    end = source.line_starts[after - 1] if after <= len(source.line_starts) else len(source.text)
    return start, end


def starts_line(source: Source, node: ast.AST) -> bool:
    """True when nothing but whitespace stands before the node on its line."""
    offset = source.offset(*start_of(node))
    line, column = source.position(offset)
    return not source.line_text(line)[:column].strip()
