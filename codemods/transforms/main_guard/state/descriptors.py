"""Values that a descriptor keeps beside the objects: `self.values[obj] = value` in its `__set__`.

What is sent takes nothing of them along, and a spawned worker has a descriptor that keeps nothing yet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Function, method
from ....syntax.names import root_of_place
from ....syntax.outline import Outline
from .changed_settings import Place, Search
from .object_parts import fills
from .process_state import ChangedState, inherits, made_before, place_of

_GET, _SET = "__get__", "__set__"


def descriptors(search: Search) -> Iterator[ChangedState]:
    """One per descriptor, where a worker asks for a value."""
    for worker in search.workers.values():
        outline, function = worker.outline, worker.function
        owner = outline.parents.get(function)
        setter = method(owner, _SET) if function.name == _GET and isinstance(owner, ast.ClassDef) else None
        sent = inherits(search, worker) if setter is not None and _keeps_beside(outline, setter) else None
        place = _reads(function) if sent is not None else None
        if sent is None or place is None or not isinstance(owner, ast.ClassDef):
            continue
        changes = list(_set(search, outline, owner))
        for change, changed in made_before(search, changes, [(Place(outline, place, ""), sent)]):
            depends = (
                f"what `{owner.name}` keeps beside the objects, as {place_of(change)} sets it in the main process: "
                "pickle takes none of that along"
            )
            advice = "keep the value on the object itself, `obj.__dict__[name] = value`: it is sent along with it"
            yield ChangedState(depends, advice, changed)


def _keeps_beside(outline: Outline, setter: Function) -> bool:
    """It stores something, and nothing on the object that it is given."""
    own = positional(setter)
    given = own[1] if len(own) > 1 else ""
    stores = False
    for node in walk(setter):
        is_part = isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        is_filled = isinstance(node, (ast.Name, ast.Attribute)) and not is_part and fills(outline, node)
        root = root_of_place(node) if (is_part or is_filled) and isinstance(node, ast.expr) else None
        if root is not None and root.id == given:
            return False
        stores = stores or root is not None
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "object.__setattr__"):
            return False
    return stores


def _reads(function: Function) -> ast.Attribute | None:
    """Where `__get__` takes something of the descriptor."""
    own = positional(function)[:1]
    found = (node for node in walk(function) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return next((node for node in found if isinstance(node.value, ast.Name) and node.value.id in own), None)


def _set(search: Search, home: Outline, owner: ast.ClassDef) -> Iterator[Place]:
    """Where attributes that are such descriptors are set."""
    attributes = {
        target.id
        for outline in search.repo.mentioning(owner.name)
        for call in outline.calls_of(owner.name)
        if isinstance(statement := outline.parents[call], ast.Assign)
        and isinstance(outline.parents[statement], ast.ClassDef)
        and search.callees.made_class(outline, call) == (home, owner)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for name in sorted(attributes):
        for outline in search.repo.mentioning(name):
            for node in outline.attributes.get(name, ()):
                if isinstance(node.ctx, ast.Store) and isinstance(outline.scope(node), (*FUNCTIONS, ast.Module)):
                    yield Place(outline, node, "")
