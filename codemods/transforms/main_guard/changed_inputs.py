"""What a run has changed by the time that a worker reads it: the arguments of the program, the files of the script."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .own_nodes import own_nodes
from .starts.process_starts import Starts
from .statements import names_bound, stays
from .worker_reads import WorkerReads

_DEPTH = 2  # functions of the repository that are looked into
_ARGUMENTS = "sys.argv"
_PARSES = frozenset(("parse_args", "parse_known_args"))
_CHANGES = frozenset(("pop", "remove", "insert", "append", "extend", "clear", "sort", "reverse"))
_WHETHER = frozenset(("os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists"))
_ASKS = _WHETHER | frozenset(
    ("os.listdir", "os.scandir", "os.stat", "os.path.getsize", "os.path.getmtime", "glob.glob", "glob.iglob", "open",
     "io.open")
)  # fmt: skip
_WHETHER_METHODS = frozenset(("exists", "is_file", "is_dir"))
_ASKING_METHODS = _WHETHER_METHODS | frozenset(("iterdir", "read_text", "read_bytes", "stat", "glob", "rglob"))
_MAKES = frozenset(
    ("os.mkdir", "os.makedirs", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree", "os.mknod")
)
_MAKING_METHODS = frozenset(("write_text", "write_bytes", "mkdir", "touch", "unlink", "rmdir"))
_Place = tuple[Outline, ast.AST]


class ChangedInputs:
    """Answers for one script."""

    def __init__(self, starts: Starts, outline: Outline, reads: WorkerReads) -> None:
        self.starts, self.outline, self.reads = starts, outline, reads
        self._known: dict[ast.stmt, list[_Place]] = {}

    def why_not(self, moved: Collection[ast.stmt]) -> str | None:
        """What workers would find changed when `moved` goes under a guard and the rest runs again, in words."""
        again = [item for item in self.outline.module.body if item not in moved and not stays(item)]
        return self._arguments(again, moved) or self._files(again)

    def _arguments(self, again: list[ast.stmt], moved: Collection[ast.stmt]) -> str | None:
        """Children get the list as it is when they start: who reads it again reads something else."""
        reader: ast.AST | None = None
        change: _Place | None = None
        for statement in self.outline.module.body:
            if statement not in again and statement not in moved:
                continue
            for outline, node in self._all(statement):
                anew = reader is None and statement in again and _sets_anew(outline, node)
                if change is None and not anew and _changes_arguments(outline, node):
                    change = outline, node
                if reader is None and statement in again and _reads_arguments(outline, node):
                    reader = node
        if reader is None or change is None:
            return None
        return (
            f"line {getattr(change[1], 'lineno', 0)} of {change[0].path} changes `{_ARGUMENTS}`, which a spawned "
            f"worker gets as it is then and line {getattr(reader, 'lineno', 0)} would read again: change a copy of it"
        )

    def _files(self, again: list[ast.stmt]) -> str | None:
        """A global that a worker reads comes from a file or folder that the script changes below."""
        asked: list[tuple[str, int, str]] = []
        for statement in self.outline.module.body:
            if stays(statement):
                continue
            change = self._change(statement, asked) if asked else None
            if change is not None:
                return change
            for name in (*names_bound(statement), *self.reads.set_by_text(statement)) if statement in again else ():
                if self.reads.reads.get((self.outline.path, name)) is not None:
                    asked += [
                        (ast.dump(path), statement.lineno, name)
                        for node in own_nodes([statement])
                        if isinstance(node, ast.Call) and (path := path_of(self.outline, node, False)) is not None
                    ]
        return None

    def _change(self, statement: ast.stmt, asked: list[tuple[str, int, str]]) -> str | None:
        """What `statement` does to one of the paths of `asked`, in words."""
        for outline, node in self._all(statement):
            written = path_of(outline, node, True) if isinstance(node, ast.Call) else None
            parts = {ast.dump(part) for part in self._parts(outline, written)} if written is not None else set()
            for path, line, name in asked:
                if path in parts:
                    return (
                        f"line {line} sets `{name}` by a file or folder that line {getattr(node, 'lineno', 0)} of "
                        f"{outline.path} changes, and a spawned worker would ask again: "
                        f"{self.reads.reads[self.outline.path, name]} reads `{name}` in a worker. Pass it as an "
                        "argument"
                    )
        return None

    def _parts(self, outline: Outline, path: ast.expr, depth: int = 0) -> Iterator[ast.AST]:
        """The parts of a path, also of the names in it."""
        for part in ast.walk(path):
            yield part
            if isinstance(part, ast.Name) and depth < _DEPTH:
                for binding in outline.lookup(part, part.id)[1]:
                    if isinstance(binding.statement, ast.Assign):
                        yield from self._parts(outline, binding.statement.value, depth + 1)

    def _all(self, statement: ast.stmt) -> list[_Place]:
        """What runs with one statement of the script."""
        if statement not in self._known:
            self._known[statement] = [*self._run([statement])]
        return self._known[statement]

    def _run(self, statements: Collection[ast.stmt], depth: int = 0, home: Outline | None = None) -> Iterator[_Place]:
        """All that runs with `statements`, in functions of the repository as well."""
        outline = home or self.outline
        for node in own_nodes(statements):
            yield outline, node
            called = self.starts.callees.called(outline, node) if isinstance(node, ast.Call) else None
            if called is not None and depth < _DEPTH:
                yield from self._run(called[1].body, depth + 1, called[0])


def _is_arguments(outline: Outline, node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and qualified_name(outline, node) == _ARGUMENTS


def _reads_arguments(outline: Outline, node: ast.AST) -> bool:
    """`sys.argv` as a value, or a parser that asks for it itself."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PARSES:
        return True
    return _is_arguments(outline, node) and isinstance(node.ctx, ast.Load)  # type: ignore[attr-defined]


def _sets_anew(outline: Outline, node: ast.AST) -> bool:
    """`sys.argv = [...]`, where nothing comes from the list as it was."""
    statement = outline.statement(node)
    return (
        isinstance(statement, ast.Assign)
        and node in statement.targets
        and not isinstance(node, ast.Subscript)
        and not any(_is_arguments(outline, part) for part in ast.walk(statement.value))
    )


def _changes_arguments(outline: Outline, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        func = node.func
        return isinstance(func, ast.Attribute) and func.attr in _CHANGES and _is_arguments(outline, func.value)
    target = node.value if isinstance(node, ast.Subscript) else node
    context = getattr(node, "ctx", None)
    return isinstance(context, (ast.Store, ast.Del)) and _is_arguments(outline, target)


def is_there(outline: Outline, call: ast.Call) -> bool:
    """It asks whether a file or folder is there: `os.path.isdir(out)`, `out.exists()`."""
    func = call.func
    return qualified_name(outline, func) in _WHETHER or (
        isinstance(func, ast.Attribute) and func.attr in _WHETHER_METHODS
    )


def path_of(outline: Outline, call: ast.Call, writes: bool) -> ast.expr | None:
    """The path that a call reads or asks for, or the one that it writes, makes or deletes."""
    name, func = qualified_name(outline, call.func), call.func
    first = call.args[0] if call.args else None
    if name in ("open", "io.open"):
        modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        plain = all(isinstance(mode, ast.Constant) and not set(str(mode.value)) & set("wax+") for mode in modes)
        path = first if plain is not writes else None
    elif name in (_MAKES if writes else _ASKS):
        path = first
    elif isinstance(func, ast.Attribute) and func.attr in (_MAKING_METHODS if writes else _ASKING_METHODS):
        path = func.value
    else:
        return None
    while isinstance(path, ast.Call) and last_name(path.func) in ("Path", "str") and len(path.args) == 1:
        path = path.args[0]
    if name in ("glob.glob", "glob.iglob") and isinstance(path, ast.Call) and last_name(path.func) == "join":
        return path.args[0] if path.args else None
    return path
