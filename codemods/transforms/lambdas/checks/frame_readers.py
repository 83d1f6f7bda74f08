"""Code that may read the names of the functions that call it, from their frames: `sys._getframe(1).f_code.co_name`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import product

from ....nodes import end_line, walk
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo

FRAMES = re.compile(
    r"co_name|_getframe|currentframe|inspect\.(?:stack|trace)|getframeinfo|get(?:outer|inner)frames"
    r"|extract_(?:stack|tb)|StackSummary"
)
_WORDS = ("co_name", "_getframe", "currentframe", "inspect", "getframeinfo", "getouterframes", "getinnerframes",
          "extract_stack", "extract_tb", "StackSummary")  # fmt: skip
_FRAME_MAKERS = ("_getframe", "currentframe", "getframeinfo")
_PLACES = frozenset({"f_lineno", "co_filename", "lineno", "filename"})
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__call__"})
_ERROR_WORDS = ("extract_tb", "walk_tb", "tb_frame", "inspect", "getinnerframes")
_OF_ERRORS = re.compile(r"extract_tb|walk_tb|tb_frame\.f_code\b|inspect\.trace\(|getinnerframes")


def read_by_callee(project: Project, path: str, node: ast.AST) -> str | None:
    """The call in `node` whose function, of another file by its name, may read the name of `node`; in words."""
    readers = project.derive(_readers)
    for call in walk(node) if readers else ():
        name = last_name(call.func) if isinstance(call, ast.Call) else None
        for where in readers.get(name, ()) if name is not None else ():
            if where.rpartition(":")[0] != path:
                return f"`{ast.unparse(call.func)}` (line {call.lineno}) may read the name of its caller ({where})"  # type: ignore[attr-defined]
    return None


def read_from_error(project: Project, path: str, callers: Callable[[], Collection[str]]) -> str | None:
    """What reads the names of the functions that an error came through, in a file that calls one; in words.

    `callers`: the files that call the function of the file `path`. There a function that reads them may be called, too.
    """
    readers = project.derive(_readers_of_errors)
    calling = callers() if readers else ()
    outlines = [Repo(project).outline(each) for each in sorted({path, *calling})] if readers else []
    for where, names in readers.items():
        if where.rpartition(":")[0] in calling:
            return f"the names in the traceback of an error are read ({where})"
        for outline, name in product(outlines, names):
            for call in outline.calls.get(name, ()) if outline is not None else ():
                what = f"`{ast.unparse(call.func)}` ({outline.path}:{call.lineno})" if outline is not None else name
                return f"{what} may read the names in the traceback of an error ({where})"
    return None


def _readers_of_errors(project: Project) -> Mapping[str, list[str]]:
    """By `path:line` of what reads the names in tracebacks: the functions that get there."""
    found: dict[str, list[str]] = {}
    for source in project.matching(_OF_ERRORS, words=_ERROR_WORDS):
        outline = Repo(project).outline(source.path)
        lines = {source.position(match.start())[0] for match in _OF_ERRORS.finditer(source.text)}
        if outline is not None:
            found.update({f"{source.path}:{line}": [*_in_file(outline, {line})] for line in sorted(lines)})
    return found


def _readers(project: Project) -> Mapping[str, list[str]]:
    """By name of a function, or of what calls one: `path:line` of the frames that are read."""
    found: dict[str, list[str]] = {}
    repo = Repo(project)
    for source in project.matching(FRAMES, words=_WORDS):
        outline = repo.outline(source.path)
        lines = Counter(source.position(match.start())[0] for match in FRAMES.finditer(source.text))
        if outline is not None:
            lines -= Counter(call.lineno for call in _asking_for_place(outline))
        for name, line in _in_file(outline, {*lines}).items() if outline is not None else ():
            found.setdefault(name, []).append(f"{source.path}:{line}")
    return found


def _asking_for_place(outline: Outline) -> Iterator[ast.Call]:
    """Frames of which only the file and the line are read: `sys._getframe(1).f_back.f_lineno`."""
    for name in _FRAME_MAKERS:
        for call in outline.calls.get(name, ()):
            part: ast.AST = call
            while isinstance(above := outline.parents[part], (ast.Attribute, ast.Call)):
                if isinstance(above, ast.Call) and last_name(above.func) != "getframeinfo":
                    break
                part = above
            if isinstance(part, ast.Attribute) and part.attr in _PLACES:
                yield call


def _in_file(outline: Outline, lines: set[int]) -> dict[str, int]:
    """The names of one file whose calls get to one of `lines`, with that line."""
    found: dict[str, int] = {}
    callers: dict[str, list[list[str]]] = {}  # by what they call: helper functions that ask for their callers
    todo: list[tuple[str, int]] = []
    for names, node in _definitions(outline):
        line = min((at for at in lines if node.lineno <= at <= end_line(node)), default=None)
        todo += [(name, line) for name in names] if line is not None else []
        called = (last_name(inner.func) for inner in walk(node) if isinstance(inner, ast.Call))
        for name in dict.fromkeys(name for name in called if name is not None):
            callers.setdefault(name, []).append(names)
    while todo:
        name, line = todo.pop()
        if name not in found:
            found[name] = line
            todo += [(each, line) for names in callers.get(name, ()) for each in names]
    return found


def _definitions(outline: Outline) -> Iterator[tuple[list[str], ast.stmt]]:
    """The functions, and what is assigned at module level (`say = lambda text: ...`, `log = Log()`)."""
    for node in outline.nodes:
        if isinstance(node, FUNCTIONS):
            owner = outline.parents[node]
            is_constructor = node.name in _CONSTRUCTORS and isinstance(owner, ast.ClassDef)
            yield [owner.name if is_constructor else node.name], node  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign) and isinstance(outline.parents[node], ast.Module):
            yield [target.id for target in node.targets if isinstance(target, ast.Name)], node
