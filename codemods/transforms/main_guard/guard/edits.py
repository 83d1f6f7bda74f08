"""The edits that put statements of a script under `if __name__ == "__main__":`."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....finding import Edit, Refused
from ....nodes import end_line
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.placement import indentation_at, indentation_unit
from ....tree.source import Source
from .one_guard import Run

_MOST_WORDS = 3  # lines of a heading without a rule
_RULED = re.compile(r"#\s*[#=*~_-]{4}")


def guard_edits(outline: Outline, source: Source, runs: Iterable[Run], cells: Collection[int] = ()) -> tuple[Edit, ...]:
    """The edits that put each run under a guard of its own; `cells`: lines that begin a cell. Raises Refused."""
    indent = indentation_unit(source, outline.module)
    strings = inside_strings(source)
    edits: list[Edit] = []
    body = outline.module.body
    for run in runs:
        _check_lines(body, run)
        low = _first_line(source, body[run.first], 1)
        low = _with_heading(source, low) if run.first else low
        high = end_line(body[run.last])
        if any(low <= line < body[run.first].lineno for line in cells):
            low = body[run.first].lineno  # the comments there are the text of the cell
        moved = [_Moved.of(source, body[at]) for at in run.above]
        at = source.line_starts[low - 1]
        if moved:
            edits.append(Edit(source.path, at, at, _definitions(source, low, body, run, moved)))
        gap = "\n" if low > 1 and not moved and source.line_text(low - 1).strip() else ""
        gone = {line for item in moved for line in range(item.cut, item.end + 1)}
        guard, line_of_guard = body[run.last] if run.joined else None, guard_line(source)
        if isinstance(guard, ast.If):
            written = source.line_text(guard.lineno)
            line_of_guard = written if written.endswith(":") else line_of_guard
            edits += _without_its_line(source, guard, indent, gone)
            high = guard.lineno - 1
        else:
            high = _with_comments(source, high)
        _check_cells(source, cells, range(low, high + 1), strings)
        for line in range(low, high + 1):
            if line in gone or line in strings or not source.line_text(line).strip():
                continue
            lead = f"{gap}{line_of_guard}\n" if line == low else ""
            at = source.line_starts[line - 1]
            edits.append(Edit(source.path, at, at, lead + indent))
        if guard is None and high < len(source.line_starts) and source.line_text(high + 1).strip():
            at = source.line_starts[high]
            edits.append(Edit(source.path, at, at, "\n"))  # what follows is no part of the guard
        for line in sorted(gone):
            stop = source.line_starts[line] if line < len(source.line_starts) else len(source.text)
            edits.append(Edit(source.path, source.line_starts[line - 1], stop, ""))
    return tuple(edits)


def guard_line(source: Source) -> str:
    """`if __name__ == "__main__":` in the quotes of the file."""
    quote = "'" if source.text.count("'") > source.text.count('"') else '"'
    return f"if __name__ == {quote}__main__{quote}:"


def _with_comments(source: Source, high: int) -> int:
    """The last line of a statement that ends in line `high`, with the comments of its block below it."""
    line = high + 1
    while line <= len(source.line_starts) and (text := source.line_text(line)).lstrip()[:1] in ("", "#"):
        high = line if text.lstrip().startswith("#") and text[:1].isspace() else high
        line += 1
    return high


def _end_of_block(source: Source, statement: ast.stmt) -> int:
    """The last line of a statement, with the comments below it that are indented as its block is."""
    last = line = end_line(statement)
    own = indentation_at(source, statement.lineno)
    while line < len(source.line_starts) and (text := source.line_text(line + 1)).lstrip()[:1] in ("", "#"):
        line += 1
        at = indentation_at(source, line)
        if text.strip() and not (at.startswith(own) and len(at) > len(own)):
            break  # it is about what follows
        last = line if text.strip() else last
    return last


def _without_its_line(source: Source, guard: ast.If, indent: str, gone: Collection[int]) -> Iterator[Edit]:
    """The edits that leave only the block of `guard`, and one blank line above it. `gone`: lines that go anyway."""
    top, first = guard.lineno, guard.body[0]
    while not source.line_text(top - 1).strip() and not source.line_text(top - 2).strip() and top - 1 not in gone:
        top -= 1
    start = source.line_starts[top - 1]
    if first.lineno > guard.lineno:
        yield Edit(source.path, start, source.line_starts[guard.test.end_lineno or guard.lineno], "")
    else:
        yield Edit(source.path, start, source.range_of(first)[0], indent)


@dataclass(frozen=True)
class _Moved:
    """A statement with its comments on lines `first`..`last`; lines `cut`..`end` go where it stood."""

    first: int
    last: int
    cut: int
    end: int

    @classmethod
    def of(cls, source: Source, statement: ast.stmt) -> _Moved:
        """Comments at the end of its block and blank lines after it go with it, and blank lines before it but one."""
        marks = statement.decorator_list if isinstance(statement, (*FUNCTIONS, ast.ClassDef)) else []
        first = min([statement.lineno, *(mark.lineno for mark in marks)])
        while first > 1 and source.line_text(first - 1).startswith("#"):
            first -= 1
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            first = _with_banner(source, first)
        last = end = _end_of_block(source, statement)
        while not source.line_text(end + 1).strip():
            end += 1
        cut = first
        while cut > 2 and not source.line_text(cut - 1).strip() and not source.line_text(cut - 2).strip():
            cut -= 1
        return cls(first, last, cut, end)


def _with_banner(source: Source, first: int) -> int:
    """The first line of a definition, with a ruled heading above it that stands apart: `##### helpers #####`."""
    low, heading = _comments_apart(source, first)
    return low if any(_RULED.match(text) for text in heading) else first


def _with_heading(source: Source, first: int) -> int:
    """The first line of what goes under a guard, with a heading above it: ruled, or a few words, but no old code."""
    low, heading = _comments_apart(source, first)
    is_short = 0 < len(heading) <= _MOST_WORDS and not _is_code(heading)
    return low if is_short or any(_RULED.match(text) for text in heading) else first


def _comments_apart(source: Source, first: int) -> tuple[int, list[str]]:
    """The comments above line `first`, blank lines above and below them, with their first line."""
    line = first - 1
    while line > 1 and not source.line_text(line).strip():
        line -= 1
    low = line + 1
    while low > 1 and source.line_text(low - 1).startswith("#"):
        low -= 1
    if low <= 2 or source.line_text(low - 1).strip():
        return first, []
    return low, [source.line_text(at) for at in range(low, line + 1)]


def _is_code(comments: Iterable[str]) -> bool:
    """`# model.train()`"""
    try:
        tree = ast.parse("\n".join(text.lstrip("#").removeprefix(" ") for text in comments))
    except (SyntaxError, ValueError):
        return False
    return not all(
        isinstance(each, ast.Expr) and isinstance(each.value, (ast.Name, ast.Constant)) for each in tree.body
    )


def _definitions(source: Source, low: int, body: list[ast.stmt], run: Run, moved: list[_Moved]) -> str:
    """What stands in front of the guard, with the blank lines that are usual around definitions."""
    text, after_definition, last = "", False, 0
    for at, item in zip(run.above, moved, strict=True):
        lines = "\n".join(source.line_text(line) for line in range(item.first, item.last + 1))
        definition = isinstance(body[at], (*FUNCTIONS, ast.ClassDef))
        between = range(last + 1, item.first)
        if last and at - 1 in run.above and not any(source.line_text(line).strip() for line in between):
            text += "".join(f"{source.line_text(line)}\n" for line in between)  # they stand together as they did
        elif definition or after_definition:
            text += blank_lines(source, low) if not text else "\n\n"
        elif (
            not text and low > 1 and source.line_text(low - 1).strip() and not source.line_text(item.first - 1).strip()
        ):
            text += "\n"  # they stay apart from what is above the guarded lines
        text += f"{lines}\n"
        after_definition, last = definition, item.last
    return text + ("\n\n" if after_definition else "\n")


def blank_lines(source: Source, line: int) -> str:
    """What is missing to two blank lines above `line`."""
    above = [source.line_text(item).strip() for item in range(max(1, line - 2), line)]
    blank = 0
    while above and not above.pop():
        blank += 1
    return "\n" * (2 - blank) if line > 1 else ""


def value_edits(source: Source, guard: ast.If, statements: Sequence[ast.stmt]) -> tuple[Edit, ...]:
    """The edits that move `statements`, which stand directly in `guard`, above it. Raises Refused."""
    if len(guard.body) == len(statements) or guard.body[0].lineno == guard.lineno:
        raise Refused("nothing but these lines stands under the guard, or it is one line: move them by hand")
    top = _first_line(source, guard, 1)
    at = source.line_starts[top - 1]
    texts, edits = zip(*(moved_text(source, guard, statement, statements) for statement in statements), strict=True)
    return (Edit(source.path, at, at, "\n".join(texts) + "\n\n"), *edits)


def _attached_lines(source: Source, guard: ast.If, statement: ast.stmt) -> tuple[int, int]:
    """The first and last line of a statement of `guard`, with decorators, and comments right above it."""
    first = min([statement.lineno, *(mark.lineno for mark in getattr(statement, "decorator_list", ()))])
    while first - 1 > guard.lineno and source.line_text(first - 1).lstrip().startswith("#"):
        first -= 1
    return first, _end_of_block(source, statement)


def moved_text(source: Source, guard: ast.If, statement: ast.stmt, moved: Iterable[ast.stmt] = ()) -> tuple[str, Edit]:
    """The lines of a statement of `guard` as they are at module level, and the edit that removes them.

    `moved`: all statements that are moved. Comments right above it go along. Raises Refused.
    """
    at = guard.body.index(statement)
    first, last = _attached_lines(source, guard, statement)
    for beside in (guard.body[at - 1 : at] if at else []) + guard.body[at + 1 : at + 2]:
        if end_line(beside) >= first and beside.lineno <= last:
            raise Refused(f"line {first} holds several statements (`;`): put each on a line of its own")
    if first <= guard.lineno:
        raise Refused("the guard and what it holds stand on one line")
    strings, indent = inside_strings(source), guard.body[0].col_offset
    lines = [source.line_text(line) for line in range(first, last + 1)]
    lines = [
        text if line in strings or text[:indent].strip() else text[indent:]
        for line, text in zip(range(first, last + 1), lines, strict=True)
    ]
    end = last + 1
    definition = isinstance(statement, (*FUNCTIONS, ast.ClassDef))
    above = first - 1
    gone = {high: low for low, high in (_attached_lines(source, guard, item) for item in moved)}
    while above in gone:
        above = gone[above] - 1
    begins = above <= (guard.test.end_lineno or guard.lineno)
    closes_up = definition or begins or not source.line_text(above).strip()
    while closes_up and at + 1 < len(guard.body) and not source.line_text(end).strip():
        end += 1
    stop = source.line_starts[end - 1] if end <= len(source.line_starts) else len(source.text)
    return "\n".join(lines), Edit(source.path, source.line_starts[first - 1], stop, "")


def _check_lines(body: list[ast.stmt], run: Run) -> None:
    for at in {run.first, run.last + 1, *run.above, *(at + 1 for at in run.above)}:
        if 0 < at < len(body) and end_line(body[at - 1]) >= body[at].lineno:
            line = body[at].lineno
            raise Refused(f"line {line} holds several statements (`;`): put each on a line of its own")


def _check_cells(source: Source, cells: Collection[int], lines: range, strings: Collection[int]) -> None:
    for line in sorted(cells):
        if line in lines and line not in strings:
            raise Refused(
                f"{source.path}:{line} begins a cell (`{source.line_text(line)[:20].strip()}`), which it does at the "
                "left edge only, not under a guard: start no process here (a loader: num_workers=0), or put what "
                "starts them into a file of its own"
            )


def _first_line(source: Source, statement: ast.stmt, top: int) -> int:
    """The line where the statement begins, with the comments above it."""
    low = statement.lineno
    while low > top and source.line_text(low - 1).startswith("#") and not _is_head(source, low - 1):
        low -= 1
    return low


def _is_head(source: Source, line: int) -> bool:
    """A shebang or encoding line."""
    return line <= 2 and re.match(r"#!|#.*coding[:=]", source.line_text(line)) is not None


def inside_strings(source: Source) -> frozenset[int]:
    """Lines that begin inside a string literal: their leading whitespace is content. Raises Refused.

    Not those of a string that is a comment, a statement of its own: it goes as a whole.
    """
    lines: set[int] = set()
    text = re.sub(r"\r\n|\r", "\n", source.text)
    opened: list[int] = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):  # it is stricter than the parser
        raise Refused("its lines are continued or indented in an odd way: lay them out as usual") from None
    said = [token for token in tokens if token.type not in (tokenize.NL, tokenize.COMMENT)]
    alone = {
        token
        for before, token, behind in zip(said, said[1:], said[2:], strict=False)
        if before.type in (tokenize.NEWLINE, tokenize.DEDENT)
        and behind.type == tokenize.NEWLINE
        and token.type == tokenize.STRING
        and "f" not in token.string[: token.string.index(token.string[-1])].lower()
    }
    for token in tokens:
        kind = "" if token in alone else tokenize.tok_name[token.type]
        if kind in ("FSTRING_START", "TSTRING_START"):
            opened.append(token.start[0])
        elif kind in ("FSTRING_END", "TSTRING_END"):
            lines.update(range(opened.pop() + 1, token.end[0] + 1))
        elif kind == "STRING":
            lines.update(range(token.start[0] + 1, token.end[0] + 1))
    return frozenset(lines)
