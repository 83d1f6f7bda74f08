"""From the names in an error to lines of the repository, by syntax alone: where the flow finds nothing, or no rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..project import Project
from .frames import Frame
from .tracebacks import Traceback

MOST = 5
_LOGGER = re.compile(r"^\s*self\.\w*log(?:ger)?\s*=(?!=)", re.IGNORECASE)
_MODULE = re.compile(r"attribute lookup \S+ on (?P<on>[\w.]+) failed|it's not found as (?P<found>[\w.]+)\.[\w<]")
_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?:[^/]+\.egg/)?(?P<path>[^/]+/.+\.py)$")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")


@dataclass(frozen=True)
class Spot:
    """A line that has to do with an error: `path` is relative to the root of the files."""

    path: str
    line: int
    what: str
    named: bool = True  # by the error itself; False: only by a frame of its traceback


def find_spots(read: Traceback, project: Project) -> tuple[Spot, ...]:
    """The lines that the error names, then the innermost line of the user's own code on the way to it."""
    found: dict[tuple[str, int], Spot] = {}
    rows = (_named, _assigned, _globals, _from_frames)
    for spot in (spot for find in rows for spot in find(read, project)):
        found.setdefault((spot.path, spot.line), spot)
    spots = list(found.values())
    return (*[item for item in spots if item.named][:MOST], *[item for item in spots if not item.named][:1])


def module_of(read: Traceback) -> str:
    """The module that the error says to have looked in, as in `attribute lookup <lambda> on pkg.data failed`."""
    match = _MODULE.search(read.error)
    return "" if match is None else match["on"] or match["found"]


def path_of_frame(frame: Frame, paths: Sequence[str]) -> str | None:
    """The file of the repository that `frame` is in: the one whose path ends like the frame's, if there is only one."""
    parts = frame.path.replace("\\", "/").strip("./").split("/")
    for length in range(len(parts), 0, -1):
        end = "/".join(parts[-length:])
        same = [path for path in paths if path == end or path.endswith("/" + end)]
        exact = [path for path in same if path == end]
        if len(same) == 1 or len(exact) == 1:
            return (exact or same)[0]
        if same:
            return None
    return None


def own_path_of_frame(frame: Frame, paths: Sequence[str]) -> str | None:
    """The file of the repository that `frame` is in, also where an installed copy of that file ran."""
    if frame.user:
        return path_of_frame(frame, paths)
    installed = _INSTALLED.search(frame.path.replace("\\", "/"))
    if installed is None:
        return None
    return next((path for path in (installed["path"], f"src/{installed['path']}") if path in paths), None)


def _named(read: Traceback, project: Project) -> Iterator[Spot]:
    name = read.cause.name
    if not name:
        return
    if _VARIABLE.fullmatch(name):
        yield from _variable_reads(name, project)
        return
    module = module_of(read)
    own = name.rpartition(".")[2]
    words = [part for part in name.split(".") if part.isidentifier()]
    if not words and not module:
        return  # a bare <lambda>: any of them
    for path in project.python_paths:
        if module and module != "__main__" and not _is_module(path, module):
            continue
        source = project.source(path)
        if source is None or (words and words[-1] not in source.text):
            continue
        tree = project.module(path)
        if tree is None:
            continue
        for qualified, line in sorted(definitions(tree), key=lambda row: row[1]):
            if qualified in without_module(name, path) or (
                not module and own == name and qualified.endswith("." + own)
            ):
                yield Spot(path, line, f"{'the lambda' if own == '<lambda>' else own} that the error names")


def _variable_reads(name: str, project: Project) -> Iterator[Spot]:
    read = re.compile(rf"environ\[\s*['\"]{name}['\"]\s*\](?!\s*=[^=])")
    for path, number, _ in _matching_lines(project, read, name):
        yield Spot(path, number, f"{name} is read without a default")


def _assigned(read: Traceback, project: Project) -> Iterator[Spot]:
    """`self.attribute = ...` for the attributes of Python 3.14's notes, and loggers of objects for old Pythons."""
    if read.cause.family == "old-logger":
        for path, number, _ in _matching_lines(project, _LOGGER, "self."):
            yield Spot(path, number, "a logger stored on an object")
        return
    owners = [note.rpartition(" ")[0].rpartition(".")[2] for note in read.notes if note.endswith((" state", " object"))]
    for attribute in read.attributes[:1]:
        if attribute.startswith("_args") or attribute in ("_target", "_kwargs"):
            continue
        pattern = re.compile(rf"\bself\.{re.escape(attribute)}\s*(?::[^=]+)?=(?!=)")
        rows = list(_matching_lines(project, pattern, attribute))
        in_owner = [
            row for row in rows if any(re.search(rf"^class {re.escape(o)}\b", row[2], re.MULTILINE) for o in owners)
        ]
        for path, number, _ in in_owner or rows:
            yield Spot(path, number, f".{attribute} is assigned")


def _globals(read: Traceback, project: Project) -> Iterator[Spot]:
    """Where the global that a worker did not find is set, in the files of the traceback; by text, for any Python."""
    if read.cause.family != "global-in-worker":
        return
    name = re.escape(read.cause.name)
    pattern = re.compile(rf"^\s+global\b.*\b{name}\b|^\s+(?:\w+\s*,\s*)*{name}\s*=(?!=)")
    frames = (own_path_of_frame(frame, project.python_paths) for frame in read.frames)
    own = {path for path in frames if path is not None}
    for path, number, _ in _matching_lines(project, pattern, read.cause.name):
        if path in own:
            yield Spot(path, number, f"{read.cause.name} is set here, and a worker does not run this line")


def _matching_lines(project: Project, pattern: re.Pattern[str], word: str) -> Iterator[tuple[str, int, str]]:
    for path in project.python_paths:
        source = project.source(path)
        if source is None or word not in source.text:
            continue
        for number, line in enumerate(source.text.splitlines(), 1):
            if pattern.search(line) and not line.lstrip().startswith("#"):
                yield path, number, source.text


def _from_frames(read: Traceback, project: Project) -> Iterator[Spot]:
    for frame in reversed(read.frames):
        path = own_path_of_frame(frame, project.python_paths) if frame.line else None
        if path is not None:
            yield Spot(path, frame.line, "the innermost line of your code on the way to the error", named=False)
            return


def definitions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """(qualified name, line) of every function, class and lambda, as Python names them."""
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, prefix = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                own = "<lambda>" if isinstance(child, ast.Lambda) else child.name
                name = prefix + own
                yield name, child.lineno
                todo.append((child, name + (".<locals>." if isinstance(child, _FUNCTIONS) else ".")))
            else:
                todo.append((child, prefix))


def _is_module(path: str, module: str) -> bool:
    dotted = "." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return dotted.endswith("." + module)


def without_module(name: str, path: str) -> set[str]:
    """`name` as it is, and without the module of the file `path`, with which Python 3.14 names classes."""
    parts = name.split(".")
    return {name} | {".".join(parts[n:]) for n in range(1, len(parts)) if _is_module(path, ".".join(parts[:n]))}
