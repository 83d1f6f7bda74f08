"""Where an attribute may be set without being named: `setattr(args, key, value)`, `vars(args).update(...)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from ..project import Project
from .binding_rules import FUNCTIONS, positional
from .names import last_name
from .outline import Outline
from .repo import Repo

WORDS = ("setattr", "delattr", "vars", "__dict__", "__setattr__")
_SETTERS = ("setattr", "delattr", "__setattr__")
SAYS = re.compile(rf"\b(?:{'|'.join(WORDS)})\b")
_READS = frozenset(["items", "keys", "values", "get", "copy", "__contains__"])
_BY_KEY = frozenset(["pop", "setdefault", "__setitem__", "__delitem__"])
_ITSELF = frozenset(["self", "cls"])


Is = Callable[[Outline, ast.expr], bool]


def written_by_name(project: Project, repo: Repo, attribute: str, is_other: Is, *, own: bool = False) -> bool:
    """Some code may set `attribute` of an object that is not its own, by a name that is computed.

    `is_other`: whether an expression is surely not the object that is asked about; `own`: also of its own object.
    """
    for source in project.matching(SAYS, words=WORDS):
        outline = repo.outline(source.path)
        if outline is None:
            return True
        for node in places_of_names(outline):
            target = written(repo, outline, node, attribute)
            if target is not None and (own or not _is_own(target)) and not is_other(outline, target):
                return True
    return False


def places_of_names(outline: Outline) -> Iterator[ast.expr]:
    """Each `setattr(...)`, `vars(...)`, `x.__dict__` and the like."""
    for name in (*_SETTERS, "vars"):
        yield from outline.calls.get(name, ())
    yield from outline.attributes.get("__dict__", ())


def written(repo: Repo, outline: Outline, node: ast.expr, attribute: str) -> ast.expr | None:
    """The object whose `attribute` the node may set."""
    target, writes = None, False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_bound(node):
        target, writes = node.func.value, _may_be(node.args[0], attribute)
    elif isinstance(node, ast.Call) and last_name(node.func) in _SETTERS:
        target = node.args[0] if len(node.args) > 1 else None
        writes = len(node.args) > 1 and _may_be(node.args[1], attribute)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        target = node.args[0] if node.args else None
        writes = _may_write_table(repo, outline, node, attribute)
    elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
        target = node.value
        writes = not isinstance(node.ctx, ast.Load) or _may_write_table(repo, outline, node, attribute)
    return target if writes else None


def _is_bound(call: ast.Call) -> bool:
    """`x.__setattr__("name", value)`, and not `object.__setattr__(x, "name", value)`."""
    return last_name(call.func) == "__setattr__" and len(call.args) == 2


def _is_own(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id in _ITSELF


def _may_be(key: ast.expr, attribute: str) -> bool:
    return not isinstance(key, ast.Constant) or key.value == attribute


def _may_write_table(repo: Repo, outline: Outline, table: ast.expr, attribute: str) -> bool:
    """The dictionary of an object, or a variable that is one, is changed; a library that gets it copies it."""
    parent = outline.parents[table]
    if _changes(outline, table, attribute):
        return True
    if isinstance(parent, ast.AnnAssign) and parent.value is table:
        return any(_changes(outline, use, attribute) for use in _uses(outline, parent.target))
    if isinstance(parent, ast.Assign):
        return any(_changes(outline, use, attribute) for target in parent.targets for use in _uses(outline, target))
    call = outline.parents[parent] if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call) and table is not call.func:
        return _is_changed_by(repo, outline, call, parent if isinstance(parent, ast.keyword) else table, attribute)
    return isinstance(parent, (ast.Return, ast.Yield, ast.NamedExpr, ast.IfExp, ast.BoolOp))


def _is_changed_by(
    repo: Repo, outline: Outline, call: ast.Call, passed: ast.expr | ast.keyword, attribute: str
) -> bool:
    """The function of the project that is called changes the dictionary which it gets."""
    found = repo.resolver.definition(outline, call.func)
    if found is None or not isinstance(found.node, FUNCTIONS):
        return False
    names = positional(found.node)
    if isinstance(passed, ast.keyword):
        name = passed.arg  # None for `**vars(args)`, which is a copy
    else:
        at = call.args.index(passed) if passed in call.args else len(names)
        name = names[at] if at < len(names) else None
    uses = (node for node in ast.walk(found.node) if isinstance(node, ast.Name) and node.id == name)
    return any(_changes(found.outline, use, attribute) for use in uses)


def _changes(outline: Outline, table: ast.expr, attribute: str) -> bool:
    """`table[key] = ...`, `table.update(...)`, `table |= ...`."""
    parent = outline.parents[table]
    if isinstance(parent, ast.Subscript) and parent.value is table:
        return not isinstance(parent.ctx, ast.Load) and _may_be(parent.slice, attribute)
    if isinstance(parent, ast.Attribute):
        above = outline.parents[parent]
        return isinstance(above, ast.Call) and above.func is parent and _call_changes(parent.attr, above, attribute)
    return isinstance(parent, ast.AugAssign) and parent.target is table


def _call_changes(name: str, call: ast.Call, attribute: str) -> bool:
    """`table.update(width=3)`, `table.setdefault("width", 3)`: not where it is known to change another key."""
    if name in _BY_KEY and call.args:
        return _may_be(call.args[0], attribute)
    if name != "update":
        return name not in _READS
    keys = [key for given in call.args for key in (given.keys if isinstance(given, ast.Dict) else [None])]
    return any(key is None or _may_be(key, attribute) for key in keys) or any(
        keyword.arg in (None, attribute) for keyword in call.keywords
    )


def _uses(outline: Outline, target: ast.expr) -> Iterator[ast.expr]:
    """What is written like `target` anywhere in the file."""
    text = ast.unparse(target)
    for node in outline.nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and node is not target and ast.unparse(node) == text:
            yield node
