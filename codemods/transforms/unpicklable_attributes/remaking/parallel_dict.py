"""Dicts of handles beside a dict with the same keys that keeps what each was opened with.

self.envs[key] = env  # env = lmdb.open(path)
self.paths[key] = path
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....syntax.unpicklable_table import ObjectKind
from ..classes import Shape, Store
from ..family import Family
from ..uses.surroundings import goes_elsewhere

_DICTS = ("{}", "dict()", "OrderedDict()", "collections.OrderedDict()")

_OWN_NAMES = frozenset({"state", "opened", "key"})  # of the statements that are written


@dataclass(frozen=True)
class Parallel:
    """`handle`: what opens one, in terms of the name `argument`; `beside`: the attribute that keeps that by key.

    `then`: what is called on that, as text: `.begin(write=False)`.
    """

    handle: ast.expr
    argument: str
    beside: str
    then: str = ""


def parallel_dict(family: Family, shape: Shape, store: Store, kind: ObjectKind) -> Parallel | None:
    """What `store`, `self.envs[key] = env` in a loop, can be repeated from; None where nothing keeps the arguments."""
    put, value = store.statement, store.value
    place = put.targets[0] if isinstance(put, ast.Assign) and len(put.targets) == 1 else None
    handle = _bound_once(store, value.id) if isinstance(value, ast.Name) else None
    if not isinstance(place, ast.Subscript) or not isinstance(handle, ast.Assign) or kind.moves or kind.tell:
        return None
    then = ""
    if (opened := _opened_before(store, shape, handle)) is not None:
        handle, then = opened
    reads = {node.id for node in ast.walk(handle.value) if isinstance(node, ast.Name)}
    if reads & _OWN_NAMES or goes_elsewhere(family, shape) is not None:
        return None  # where a relative path means another file
    if any(isinstance(node, (ast.Call, ast.NamedExpr)) for node in ast.walk(place.slice)):
        return None  # `len(self.paths)`, `next(numbers)`: another key each time
    for statement in shape.block(put):
        other = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        given = statement.value if isinstance(statement, ast.Assign) else None
        if not isinstance(other, ast.Subscript) or not isinstance(given, ast.Name) or given.id not in reads:
            continue
        kept = other.value
        same = ast.dump(other.slice) == ast.dump(place.slice) and statement is not put
        if same and isinstance(kept, ast.Attribute) and shape.outline.is_self(kept.value):
            loop = _bound_once(store, given.id)
            inside = isinstance(loop, ast.For) and loop in shape.outline.ancestors(handle)
            if inside and _only_filled_by(family, shape, kept):
                return Parallel(handle.value, given.id, kept.attr, then)
    return None


def _opened_before(store: Store, shape: Shape, handle: ast.Assign) -> tuple[ast.Assign, str] | None:
    """`env = lmdb.open(path)` before `txn = env.begin()`, which is all that is made of it, and `.begin()`."""
    called = handle.value
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Attribute):
        return None
    root = called.func.value
    names = [node.id for node in ast.walk(called) if isinstance(node, ast.Name)]
    if not isinstance(root, ast.Name) or names != [root.id]:
        return None
    made, block = _bound_once(store, root.id), shape.block(handle)
    uses = [node for node in ast.walk(store.method) if isinstance(node, ast.Name) and node.id == root.id]
    if (
        not isinstance(made, ast.Assign)
        or made not in block
        or block.index(made) > block.index(handle)
        or len(uses) != 2
    ):
        return None
    return made, ast.unparse(called)[len(root.id) :]


def lines_of(found: Parallel, opened: str, attribute: str, beginning: str) -> list[str]:
    """Statements that open each once more and fill `attribute`; `opened`: the text of what opens one."""
    return [
        f"self.{attribute} = {beginning}",
        "opened = {}",
        f"for key, {found.argument} in self.{found.beside}.items():",
        f"    if {found.argument} not in opened:",
        *(f"        {line}" for line in _aligned(f"opened[{found.argument}] = {opened}")),
        f"    self.{attribute}[key] = opened[{found.argument}]",
    ]


def _aligned(text: str) -> list[str]:
    """The lines, those behind the first one level deeper, but for a bracket that closes at the level of the first."""
    head, *more = text.split("\n")
    least = min((len(line) - len(line.lstrip(" ")) for line in more), default=0)
    closes = any(line[least : least + 1] in (")", "]", "}") for line in more)
    return [head, *(f"{'' if closes else '    '}{line[least:]}" for line in more)]


def _bound_once(store: Store, name: str) -> ast.stmt | None:
    """The statement of the method that alone binds the local, as its one target."""
    outline = store.owner.outline
    found = [
        outline.statement(node)
        for node in ast.walk(store.method)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    statement = found[0] if len(found) == 1 else None
    if isinstance(statement, ast.Assign):
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.For):
        target = statement.target
    else:
        return None
    return statement if isinstance(target, ast.Name) and target.id == name else None


def _only_filled_by(family: Family, shape: Shape, put: ast.Attribute) -> bool:
    """`__init__` sets it to an empty dict, the statement of `put` alone fills it, and nothing changes it."""
    begins = 0
    for each in family.hierarchy(shape):
        for method, node in each.selves.get(put.attr, []):
            above = each.outline.parents[node]
            if not isinstance(node.ctx, ast.Load):
                value = above.value if isinstance(above, ast.Assign) else None
                begins += 1
                if method.name != "__init__" or value is None or ast.unparse(value) not in _DICTS:
                    return False
            elif isinstance(above, ast.Subscript) and above.value is node:
                if not isinstance(above.ctx, ast.Load) and node is not put:
                    return False
            elif isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "len":
                continue
            elif not (isinstance(above, ast.Attribute) and above.attr in ("items", "keys", "values", "get")):
                return False
    elsewhere = family.outside(shape).elsewhere
    return (
        begins == 1 and not any(name == put.attr for name, _ in elsewhere.sets()) and not any(elsewhere.reads(put.attr))
    )
