"""Where a missing import goes, in the file's own style."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..finding import Edit, Import
from ..nodes import end_place
from ..tree.source import Source
from .binding_rules import FUNCTIONS, IMPORTS, imported
from .imports import always_run


@dataclass(frozen=True, slots=True)
class _Line:
    """One import line of the top block: its statements (several with semicolons), and the lines it covers."""

    statements: tuple[ast.Import | ast.ImportFrom, ...]
    first: int
    last: int

    @property
    def group(self) -> int:
        return max(_group(module) for module in self._modules)

    @property
    def _modules(self) -> Iterator[str]:
        for statement in self.statements:
            if isinstance(statement, ast.ImportFrom):
                yield "." * statement.level + (statement.module or "")
            else:
                yield from (alias.name for alias in statement.names)

    @property
    def is_from(self) -> bool:
        return isinstance(self.statements[0], ast.ImportFrom)

    @property
    def module(self) -> str:
        return next(self._modules).lower()


def _group(module: str) -> int:
    """0 standard library, 1 other packages, 2 relative."""
    if module.startswith("."):
        return 2
    return 0 if module.partition(".")[0] in sys.stdlib_module_names else 1


def _first_line(statement: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _is_header(index: int, statement: ast.stmt) -> bool:
    """The module docstring, or a `from __future__` import."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__" and not statement.level
    return (
        index == 0
        and isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _top_block(module: ast.Module) -> tuple[int, list[_Line], ast.stmt | None]:
    """(last line of the header, 0 for none; the first run of import lines; the first statement after the header)."""
    units: list[list[tuple[int, ast.stmt]]] = []
    for index, statement in enumerate(module.body):
        if units and _first_line(statement) == units[-1][-1][1].end_lineno:
            units[-1].append((index, statement))
        else:
            units.append([(index, statement)])
    header, run, first = 0, list[_Line](), None
    for unit in units:
        last = unit[-1][1].end_lineno or 0
        if any(_is_header(*pair) for pair in unit):
            header = last
            continue
        first = first or unit[0][1]
        imports = tuple(statement for _, statement in unit if isinstance(statement, IMPORTS))
        if len(imports) == len(unit):
            run.append(_Line(imports, imports[0].lineno, last))
        elif run or isinstance(unit[0][1], (*FUNCTIONS, ast.ClassDef)):
            break
    return header, run, first


def _paragraphs(run: Iterable[_Line]) -> list[list[_Line]]:
    """`run` cut where a blank line or a comment stands between two imports."""
    found: list[list[_Line]] = []
    for line in run:
        if found and found[-1][-1].last + 1 == line.first:
            found[-1].append(line)
        else:
            found.append([line])
    return found


_Key = tuple[bool, str]


def _order(paragraph: list[_Line], need: Import) -> int | None:
    """Index in `paragraph` before which `need` goes when it is sorted, as isort does it or by module alone."""
    wanted = (need.name is not None, need.module.lower())
    for by_kind in (True, False):
        keys: list[_Key] = [(line.is_from and by_kind, line.module) for line in paragraph]
        if keys == sorted(keys):
            key = (wanted[0] and by_kind, wanted[1])
            return sum(other <= key for other in keys)
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    """Insert `before` + imports + `after` at the start of line `line` (1-based; past the last: at the end)."""

    line: int
    before: str = ""
    after: str = ""


def _is_comment(text: str) -> bool:
    return text.lstrip().startswith("#")


def _above(source: Source, line: int) -> int:
    """The line above which something goes that comes before `line`: over its comment, not over the file's head."""
    start = line
    while start > 1 and _is_comment(source.line_text(start - 1)):
        start -= 1
    return line if start == 1 else start


def _place_in_run(source: Source, run: list[_Line], need: Import) -> _Place:
    group = _group(need.module)
    paragraphs = _paragraphs(run)
    tidy = all(_order(paragraph, need) is not None for paragraph in paragraphs)
    same = [paragraph for paragraph in paragraphs if {line.group for line in paragraph} == {group}]
    mixed = [paragraph for paragraph in paragraphs if any(line.group == group for line in paragraph)]
    # what a comment of its own introduces is no place to begin with something else
    inside = [item for item in same if _order(item, need) or _above(source, item[0].first) == item[0].first]
    for paragraph in [*(inside or same)[-1:], *mixed[:1]]:
        index = _order(paragraph, need)
        if index is not None:
            if index == 0:
                return _Place(
                    _above(source, paragraph[0].first) if paragraph is not paragraphs[0] else paragraph[0].first
                )
            return _Place(paragraph[index - 1].last + 1)
    alike = [line for line in run if line.group == group]
    if alike:
        same_kind = [line for line in alike if line.is_from == (need.name is not None)]
        return _Place((same_kind or alike)[-1].last + 1)
    later = next((paragraph for paragraph in paragraphs if paragraph[0].group > group), None)
    blank = "\n" if tidy or len(paragraphs) > 1 else ""
    if later is not None:
        return _Place(_above(source, later[0].first), after=blank)
    return _Place(run[-1].last + 1, before=blank)


def _place_alone(source: Source, header: int, first: ast.stmt | None) -> _Place:
    """Where an import goes in a file without a block of imports."""
    lines = len(source.line_starts)
    following = _first_line(first) if first is not None else lines + 1
    line = header + 1
    while line < following and line <= lines and _is_comment(source.line_text(line)):
        line += 1
    if not header:  # the last comment that stands free of the code is still the head of the file
        for number in range(line, min(following, lines + 1)):
            if _is_comment(source.line_text(number)) and not source.line_text(number + 1).strip():
                line = number + 1
    elif line == following:
        line = header + 1  # a comment between header and code belongs to the code
    line = min(line, following)
    before = "\n" if line > 1 and source.line_text(line - 1).strip() else ""
    after = ""
    if line <= lines and source.line_text(line).strip():
        after = "\n\n" if isinstance(first, (*FUNCTIONS, ast.ClassDef)) else "\n"
    if before and line - 1 != header and re.match(r"#!|#.*coding[:=]", source.line_text(line - 1)):
        before = ""
    return _Place(line, before, after)


def _place(source: Source, module: ast.Module, need: Import) -> _Place:
    header, run, first = _top_block(module)
    return _place_in_run(source, run, need) if run else _place_alone(source, header, first)


def _spelled(need: Import) -> str:
    return f"import {need.module}" if need.name is None else f"from {need.module} import {need.name}"


def _extension(source: Source, module: ast.Module, path: str, names: list[str]) -> dict[str, list[Edit]]:
    """Edits that add `names` to `from path import a, b` of the top block, by name; {} when there is no such line."""
    _, run, _ = _top_block(module)
    for line in run:
        for statement in line.statements:
            if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module == path:
                if any(alias.name == "*" for alias in statement.names):
                    continue
                return {name: [_extended(source, statement, name)] for name in names}
    return {}


def _extended(source: Source, statement: ast.ImportFrom, name: str) -> Edit:
    aliases = statement.names
    present = [alias.name for alias in aliases]
    index = sum(other.lower() < name.lower() for other in present) if present == sorted(present, key=str.lower) else -1
    own_lines = len({alias.lineno for alias in aliases}) == len(aliases) and statement.lineno != aliases[0].lineno
    if 0 <= index < len(aliases):
        at = source.offset(aliases[index].lineno, aliases[index].col_offset)
        column = source.position(at)[1]
        indent = source.line_text(aliases[index].lineno)[:column]
        return Edit(source.path, at, at, f"{name},\n{indent}" if own_lines else f"{name}, ")
    last = aliases[-1]
    at = source.offset(*end_place(last))
    start = source.offset(last.lineno, last.col_offset)
    indent = source.line_text(last.lineno)[: source.position(start)[1]]
    return Edit(source.path, at, at, f",\n{indent}{name}" if own_lines else f", {name}")


def import_edits(source: Source, module: ast.Module, needs: Iterable[Import]) -> list[Edit]:
    """Insertions that add the imports of `needs` which the file lacks, in the file's own style.

    After the module docstring and `from __future__` lines, beside the first imports of its group (standard library
    before others), never inside `try`/`if` blocks, between `__future__` lines or above a docstring, shebang or licence.
    """
    lacking = {need for need in set(needs) if not _has(module, need)}
    missing = sorted(
        {need for need in lacking if need.early or replace(need, early=True) not in lacking},
        key=lambda need: (_group(need.module), need.name is not None, need.module.lower(), need.name or ""),
    )
    edits: list[Edit] = []
    places: dict[_Place, list[str]] = {}
    for need in missing:
        if need.name is not None:
            names = [other.name for other in missing if other.module == need.module and other.name]
            extension = _extension(source, module, need.module, names)
            if extension:
                edits += extension[need.name]
                continue
        places.setdefault(_place(source, module, need), []).append(_spelled(need))
    for place, lines in places.items():
        block = "\n".join(lines)
        if place.line <= len(source.line_starts):
            offset, text = source.line_starts[place.line - 1], f"{place.before}{block}\n{place.after}"
            if offset == len(source.text) and not place.before and _unfinished(source):
                text = f"\n{block}"
        else:
            offset, text = len(source.text), f"\n{place.before}{block}"
        edits.append(Edit(source.path, offset, offset, text))
    return edits


def _unfinished(source: Source) -> bool:
    return bool(source.text) and not source.text.endswith(("\n", "\r"))


def _has(module: ast.Module, need: Import) -> bool:
    """True when an import that always runs, among the first of the file, provides `need`."""
    _, run, _ = _top_block(module)
    first = [statement for line in run for statement in line.statements]
    for statement in first if need.early else always_run(module, None):
        if need.name is not None:
            if (need.name, (need.module, need.name)) in imported(statement):
                return True
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname is None and (alias.name + ".").startswith(need.module + "."):
                    return True
    return False
