"""Methods that other code calls before their object, or one that keeps it, is sent: `model.context.set(3)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.callees import FUNCTIONS
from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ..data import names
from ..family import Family
from .attribute_uses import AttributeUses
from .file_uses import loops_around, names_in
from .used_before import leading_to

_DEPTH = 4  # calls between a function and one that a process runs
_RUN_THERE = frozenset(("target", "initializer", "worker_init_fn", "collate_fn"))
_AFTERWARDS = frozenset(("join", "is_alive", "terminate", "kill", "close", "exitcode"))  # asked of a process that runs
_KEEPS = frozenset(("append", "add", "insert", "extend", "put", "update", "setdefault"))


def is_called_before(uses: AttributeUses, method: str) -> bool:
    """The method, or one that calls it, may be called from outside before an object crosses that is or keeps its own.

    What the value flow sees counts. A call in a function that processes run does not, and neither does one after which
    the function does no more with what keeps the object.
    """
    leading = leading_to(uses.family, uses.shape, method)
    return not leading.isdisjoint(uses.outside.called) or any(
        _is_early(uses, outline, node)
        for name in sorted(leading)
        for outline, node in uses.outside.elsewhere.reads(name)
    )


def early_uses(uses: AttributeUses) -> list[tuple[Outline, ast.Attribute]]:
    """Uses of the attribute from outside that may come before the object, or one that keeps it, is sent."""
    found = uses.outside.before(uses.attribute)
    known = set(found)
    reads = (each for each in uses.outside.elsewhere.reads(uses.attribute) if each not in known)
    return [*found, *(each for each in reads if _is_early(uses, *each))]


def _is_early(uses: AttributeUses, outline: Outline, node: ast.Attribute) -> bool:
    scope, root = outline.scope(node), _root(node)
    if _is_given_to_process(outline, node):
        return False
    if isinstance(scope, FUNCTIONS) and _runs_in_workers(uses.family, outline, scope, _DEPTH):
        return False
    home, bindings = outline.lookup(root, root.id) if root is not None else (None, [])
    if root is None or outline.is_self(root) or not bindings or any(each.parameter for each in bindings):
        return True
    if home is not scope:  # another function may send it, or this one once more
        return True
    named = names_in(outline, scope)
    keepers = _keepers(outline, named, root.id)
    loops = loops_around(outline, node, (each.statement for each in bindings))
    begin = position(loops[-1]) if loops else position(node)
    return any(
        use is not root and position(use) > begin and _sends(uses, outline, use, own=name == root.id)
        for name in keepers
        for use in named.get(name, ())
    )


def _root(node: ast.expr) -> ast.Name | None:
    """`model` of `model.parts[0].set`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _sends(uses: AttributeUses, outline: Outline, use: ast.Name, own: bool) -> bool:
    """The use may send what the name stands for, or what that keeps."""
    above = outline.parents[use]
    if not isinstance(use.ctx, ast.Load) or (isinstance(above, ast.Attribute) and above.attr in _AFTERWARDS):
        return False
    return uses.outside.passes_on(outline, use) if own else True


def _keepers(outline: Outline, named: dict[str, list[ast.Name]], name: str) -> list[str]:
    """The name, and those of what may keep the object: `model = Model(name)`, `models.append(name)`."""
    found = [name]
    for each in found:  # grows as it goes
        for use in named.get(each, ()):
            found += [other for other in _given(outline, use) if other not in found]
    return found


def _given(outline: Outline, use: ast.Name) -> Iterator[str]:
    """The names of what a statement gives the object to."""
    statement = outline.statement(use)
    if not isinstance(use.ctx, ast.Load):
        return
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        targets = [call.func] if last_name(call.func) in _KEEPS or last_name(call.func).startswith("set") else []
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            root = _root(part)
            if root is not None and root is not use:
                yield root.id


def _runs_in_workers(family: Family, outline: Outline, function: ast.AST, depth: int) -> bool:
    """Only other processes are seen to run it: it is given to one, is such a method, or such functions call it."""
    name, owner = getattr(function, "name", ""), outline.parents[function]
    if isinstance(owner, ast.ClassDef):
        if name in family.shape(outline, owner).worker_only_methods:
            return True
        if name == "run" and any(last_name(base).endswith("Process") for base in owner.bases):
            return True
    if any(
        _is_given_to_process(outline, node)
        for node in (*outline.named.get(name, ()), *outline.attributes.get(name, ()))
    ):
        return True
    callers = [outline.scope(call) for call in outline.calls.get(name, ())]
    return bool(callers and depth) and all(
        isinstance(each, FUNCTIONS) and each is not function and _runs_in_workers(family, outline, each, depth - 1)
        for each in callers
    )


def _is_given_to_process(outline: Outline, node: ast.AST) -> bool:
    """`target=work`, `pool.map(work, rows)`, `mp.spawn(work)`."""
    above = outline.parents.get(node)
    if isinstance(above, ast.keyword):
        return above.arg in _RUN_THERE
    return isinstance(above, ast.Call) and above.func is not node and last_name(above.func) in names("starting")
