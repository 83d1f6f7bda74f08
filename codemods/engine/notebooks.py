"""Jupyter notebooks: reported cell by cell, never rewritten.

All code cells of a notebook are read as one module, for names go from cell to cell. A finding's line is that of the
`.ipynb` file where the code stands; the message names the cell (counted from 1, over all cells) and the line in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..finding import Finding, Hop, Span
from ..tree.files import MemoryFiles

if TYPE_CHECKING:
    from ..project import Project
    from ..rule import Rule

REASON = (
    "in a notebook: a worker process can't import what cells define, so a function at the top of a cell doesn't help "
    "either; move this code to a .py module and import it"
)
MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.\[\]]+\?{1,2}[ \t]*)$")
_ASSIGNED_MAGIC = re.compile(r"^([ \t]*[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*[ \t]*=[ \t]*)[%!].*$")
_COMMAND = re.compile(r"^[ \t]*(?:[\w., \t]+=[ \t]*)?[%!]")
MAX_LOOKED = 64 * 2**20  # characters looked at for lines that are not found; later lines get the place before them
MAX_KEPT = 50  # notebooks whose trees and value flow are kept from rule to rule, and the characters of each
MAX_SHARED = 40_000
_KERNELS = ("python", "")


@dataclass(frozen=True)
class Notebook:
    """The code as one module, and for each of its lines: (cell, line in the cell, line in the file), all from 1."""

    text: str
    places: tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=64)
def read(text: str) -> Notebook | str:
    """The notebook whose JSON is `text`; a string says why it can't be read."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not a notebook: {error}" if isinstance(error, ValueError) else "nested too deeply to be parsed"
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list):
        return "not a notebook of format 4"
    meta = data.get("metadata")
    language = meta.get("language_info", {}) if isinstance(meta, dict) else {}
    if isinstance(language, dict) and str(language.get("name", "")).lower() not in _KERNELS:
        return "not in Python"
    lines: list[str] = []
    places: list[tuple[int, int, int]] = []
    at = looked = 0
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        parts = source if isinstance(source, list) else [source]
        code = "".join(part for part in parts if isinstance(part, str)).split("\n")
        foreign = code[0].startswith("%%") and not re.match(r"%%(?:time|timeit|capture|prun)\b", code[0])
        continued = False  # a command of the shell may go on in the next line
        for row, line in enumerate(code, start=1):
            if looked < MAX_LOOKED:
                place = _found(text, line, at)
                looked += len(text) - at if place is None else 0
                at = at if place is None else place
            lines.append("" if foreign or continued else _plain(line))
            continued = line.endswith("\\") and (continued or _COMMAND.match(line) is not None)
            places.append((number, row, at))
    return Notebook("\n".join(lines) + "\n", _numbered(text, places))


def _plain(line: str) -> str:
    """`line` without the syntax that only IPython knows, as long as before."""
    line = _ASSIGNED_MAGIC.sub(r"\1None", line.replace("\r", " ").replace("\f", " "))
    return MAGIC.sub(r"\1pass", line)


def _found(text: str, line: str, start: int) -> int | None:
    """Offset in the JSON where `line` stands at or after `start`; None when it is written in some other way."""
    if not line.strip():
        return start
    for ascii_only in (False, True):
        place = text.find(json.dumps(line, ensure_ascii=ascii_only)[1:-1], start)
        if place >= 0:
            return place
    return None


def _numbered(text: str, places: list[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """`places` with line numbers in place of offsets, which never go down."""
    line, done, numbered = 1, 0, []
    for cell, row, at in places:
        line += text.count("\n", done, at)
        done = at
        numbered.append((cell, row, line))
    return tuple(numbered)


def find(rule: Rule, project: Project) -> Iterator[Finding]:
    """What `rule` finds in the notebooks of `project`, every finding with the reason why it is not fixed."""
    if not rule.notebooks:
        return
    for path in project.paths:
        if not path.endswith(".ipynb"):
            continue
        source = project.source(path)
        notebook = read(source.text) if source is not None else "unreadable"
        if source is None or isinstance(notebook, str):
            if source is not None and notebook != "not in Python":
                project.skip(path, str(notebook))
            continue
        if not rule.screen.search(notebook.text.encode("utf-8", "replace")):
            continue
        name = path.removesuffix(".ipynb") + "_ipynb.py"
        inner = _alone(project, path, name, notebook)
        for finding in rule.find(inner):
            if finding.path == name:
                yield _placed(finding, path, name, notebook)
        inner.forget()
        if name in inner.skipped:
            cell, row, _ = _place(notebook, inner.skipped[name].reason)
            where = f"cell {cell}, line {row}: " if cell else ""
            project.skip(path, where + re.sub(r"^line \d+: ", "", inner.skipped[name].reason))


def _alone(project: Project, path: str, name: str, notebook: Notebook) -> Project:
    """The code of a notebook as a project of its own: the same one for every rule, so that its flow is solved once."""
    from ..project import Project

    known = project.by_text(Project)
    if path in known:
        return known[path]
    inner = Project(
        MemoryFiles({name: notebook.text.encode("utf-8", "replace")}), replace(project.settings, cache=False)
    )
    if len(known) < MAX_KEPT and len(notebook.text) < MAX_SHARED:
        known[path] = inner
    return inner


def _place(notebook: Notebook, reason: str) -> tuple[int, int, int]:
    match = re.match(r"line (\d+): ", reason)
    line = int(match[1]) if match else 0
    return notebook.places[line - 1] if 0 < line <= len(notebook.places) else (0, 0, 0)


def _placed(finding: Finding, path: str, name: str, notebook: Notebook) -> Finding:
    def of(line: int) -> tuple[int, int, int]:
        return notebook.places[min(max(line, 1), len(notebook.places)) - 1]

    cell, row, line = of(finding.span.line)
    trace = tuple(
        Hop(path, of(hop.line)[2], f"{hop.what} (cell {of(hop.line)[0]})") if hop.path == name else hop
        for hop in finding.trace
    )
    return replace(
        finding,
        path=path,
        span=Span(line, 1, line, 1),
        message=f"{finding.message} (cell {cell}, line {row})",
        trace=trace,
        fix=None,
        reason=REASON,
    )
