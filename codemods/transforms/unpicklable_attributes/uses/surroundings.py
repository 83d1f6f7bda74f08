"""What programs do to the file system while objects of a class live: they go to another folder, they remove files."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.repo import Repo
from ..classes import Shape
from ..data import names
from ..family import Family

_PATH_WORDS = frozenset(("file", "filename", "name", "path", "database", "fileobj"))
_ABSOLUTE = ("abspath", "realpath", "resolve", "absolute", "getcwd", "cwd", "expanduser", "gettempdir", "mkdtemp")
_PLAIN = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Add,
    ast.Div, ast.Mod, ast.Call, ast.Load,
)  # fmt: skip
_PURE = ("os.path.", "pathlib.", "str", "os.fspath")


def goes_elsewhere(family: Family, shape: Shape) -> str | None:
    """`path:line` of a call that changes the working folder in a program that uses the class."""
    return _called(family, shape, names("goes_to_a_folder"))


def removes(family: Family, shape: Shape) -> str | None:
    """`path:line` of a call that removes or renames files in a program that uses the class."""
    return _called(family, shape, names("removes_files"))


def redirects(family: Family, shape: Shape) -> str | None:
    """`path:line` of what puts another stream in the place of a standard one in a program that uses the class."""
    for outline in _around(family, shape):
        for name in ("redirect_stdout", "redirect_stderr"):
            for call in outline.calls.get(name, ()):
                return f"{outline.path}:{call.lineno}"
        for name in ("stdout", "stderr"):
            for target in outline.attributes.get(name, ()):
                statement = outline.statement(target)
                if qualified_name(outline, target) != f"sys.{name}" or not isinstance(target.ctx, ast.Store):
                    continue
                if isinstance(statement, ast.Assign) and not _puts_back(family, shape, outline, statement.value):
                    return f"{outline.path}:{target.lineno}"
    return None


def _puts_back(family: Family, shape: Shape, outline: Outline, value: ast.expr) -> bool:
    """The stream as it was before, or an object of the class itself, which was made before."""
    if isinstance(value, ast.Name):
        found = outline.lookup(value, value.id)[1]
        values = [item.value for item in found]
        return bool(values) and all(item is not None and _puts_back(family, shape, outline, item) for item in values)
    if isinstance(value, ast.Call):
        own = {other.node.name for other in family.hierarchy(shape)}
        return last_name(value.func) in own
    return isinstance(value, ast.Attribute)


def _called(family: Family, shape: Shape, wanted: frozenset[str]) -> str | None:
    last = {name.rpartition(".")[2] for name in wanted}
    for outline in _around(family, shape):
        for word in sorted(last):
            for call in outline.calls.get(word, ()):
                method = isinstance(call.func, ast.Attribute) and f".{word}" in wanted
                if method or qualified_name(outline, call.func) in wanted:
                    return f"{outline.path}:{call.lineno}"
    return None


def _around(family: Family, shape: Shape) -> Iterable[Outline]:
    """The files of the classes, and those that name one of them."""
    found: dict[Outline, None] = {}
    for other in family.hierarchy(shape):
        found[other.outline] = None
        found.update(dict.fromkeys(family.repo.mentioning(other.node.name)))
    return found


def part_may_change(repo: Repo, node: ast.expr) -> bool:
    """`cfg.path`, `cfg["path"]`: some code sets an attribute or item of that name, not of its own object."""
    leaf = node.attr if isinstance(node, ast.Attribute) else getattr(getattr(node, "slice", None), "value", None)
    for outline in repo.mentioning(leaf) if isinstance(leaf, str) and leaf.isidentifier() else ():
        for attribute in outline.attributes.get(str(leaf), ()):
            if not isinstance(attribute.ctx, ast.Load) and not outline.is_self(attribute.value):
                return True
        for item in outline.nodes:
            sets = isinstance(item, ast.Subscript) and not isinstance(item.ctx, ast.Load)
            if sets and getattr(getattr(item, "slice", None), "value", None) == leaf:
                return True
    return False


def variable_may_change(repo: Repo, name: ast.expr) -> bool:
    """Some code sets or deletes the environment variable of that name, or one whose name is not seen."""
    for outline in repo.mentioning("environ"):
        for node in (*outline.attributes.get("environ", ()), *outline.named.get("environ", ())):
            if isinstance(node, ast.expr) and qualified_name(outline, node) == "os.environ":
                changed = _changed_keys(outline, node)
                if changed is None or any(_may_be_same(each, name) for each in changed):
                    return True
    return False


def _changed_keys(outline: Outline, variables: ast.expr) -> list[ast.expr] | None:
    """The keys that a use of `os.environ` sets or deletes; None where it can't be seen which."""
    above = outline.parents[variables]
    call = outline.parents.get(above)
    if isinstance(above, ast.Subscript) and above.value is variables:
        return [] if isinstance(above.ctx, ast.Load) else [above.slice]
    if isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
        if above.attr in ("setdefault", "pop", "__setitem__"):
            return call.args[:1]
        if above.attr in ("update", "clear", "popitem"):
            given = [key for each in call.args if isinstance(each, ast.Dict) for key in each.keys]
            known = all(isinstance(each, ast.Dict) for each in call.args) and above.attr == "update"
            keys = [*given, *(ast.Constant(word.arg) if word.arg else None for word in call.keywords)]
            return [key for key in keys if key is not None] if known and None not in keys else None
    changes = isinstance(above, ast.AugAssign) or not isinstance(getattr(variables, "ctx", None), ast.Load)
    return None if changes else []


def _may_be_same(one: ast.expr, other: ast.expr) -> bool:
    both = isinstance(one, ast.Constant) and isinstance(other, ast.Constant)
    return not both or getattr(one, "value", None) == getattr(other, "value", None)


def path_of(call: ast.Call) -> ast.expr | None:
    """The argument that says which file is opened."""
    named = (keyword.value for keyword in call.keywords if keyword.arg in _PATH_WORDS)
    return call.args[0] if call.args else next(named, None)


def is_absolute(outline: Outline, path: ast.expr) -> bool:
    """The path means the same file wherever the process is."""
    for node in ast.walk(path):
        if isinstance(node, ast.Name) and node.id == "__file__":
            return True
        if isinstance(node, ast.Call) and last_name(node.func) in _ABSOLUTE:
            return True
    first = path
    while isinstance(first, (ast.BinOp, ast.JoinedStr, ast.Call)):
        parts = first.values if isinstance(first, ast.JoinedStr) else getattr(first, "args", [])
        first = first.left if isinstance(first, ast.BinOp) else parts[0] if parts else ast.Constant(None)
    value = first.value if isinstance(first, ast.Constant) else None
    return isinstance(value, str) and (value.startswith(("/", "\\\\")) or "://" in value or value == ":memory:")


def is_plain(outline: Outline, path: ast.expr) -> bool:
    """It may be evaluated twice."""
    return all(isinstance(node, (_PLAIN)) for node in ast.walk(path)) and all(
        (qualified_name(outline, node.func) + ".").startswith(_PURE)
        for node in ast.walk(path)
        if isinstance(node, ast.Call)
    )
