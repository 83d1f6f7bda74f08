"""What goes into a main guard that begins too late, with the statements that no worker should repeat; what stays above.

The guard starts the workers already, so all that stands above it may stay: only what is made for these statements goes
along, and what stands below them and may need them; not a constant.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from ....nodes import children
from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name, root_of_chain
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Resolver
from ..data import names
from ..settings import movable_setting
from ..statements import is_guard, is_plain, method_root, names_bound, stays
from .one_guard import is_constant, is_noticed, is_pure, moves

_NO_EFFECT = ("os.path.", "time.", "datetime.", "argparse.")  # what the calls do is their result
_CONSUME = frozenset({"tuple", "frozenset", "min", "max"})  # an iterator that others may go on with


def constants(resolver: Resolver, outline: Outline, inside: Collection[int]) -> set[int]:
    """Those of the statements `inside` (indices into the module) that are the same constants in front of all others."""
    body, found = outline.module.body, set[int]()
    for at in sorted(inside):
        over = [body[other] for other in sorted(inside) if other < at and other not in found]
        if is_constant(outline, body[at]) and moves(resolver, outline, body[at], over):
            found.add(at)
    return found


def made_for(
    resolver: Resolver,
    outline: Outline,
    inside: Collection[int],
    outside: Collection[int],
    prepares: Callable[[ast.stmt], bool],
) -> set[int]:
    """What stands above the statements `inside` and is made for them: no constants, and nothing that others read, too.

    Nor what does more than to make a value (it draws a number), where something stays below that may notice that.
    `outside`: statements that stay; `prepares`: it binds variables, or calls a method of one.
    """
    body, found = outline.module.body, set[int]()
    left = [at for at in {*range(len(body))} - set(inside) | set(outside) if _runs_code(resolver, outline, body[at])]
    for at in range(min(inside, default=0) - 1, -1, -1):
        noticed = any(other > at and other not in found for other in left) and _has_effects(outline, body[at])
        may_go = at not in outside and not noticed
        others = found | set(inside)
        if may_go and ((prepares(body[at]) and _is_for(outline, at, others)) or _fills(outline, at, others)):
            found.add(at)
        elif not stays(body[at]) and not is_plain(body[at]):
            break
    bound = {name for at in found for name in names_bound(body[at])}
    roots = {method_root(body[at]) for at in found} - {None}
    return found if roots <= bound else set()


def _is_for(outline: Outline, at: int, others: Collection[int]) -> bool:
    """The statement binds or changes what `others` read, and beside them only a guard below."""
    statement = outline.module.body[at]
    value = getattr(statement, "value", None)
    if is_plain(statement) and not any(isinstance(node, ast.Name) for node in ast.walk(value or statement)):
        return False
    root = method_root(statement)
    names = set(names_bound(statement)) if root is None else {root}
    readers = {reader for name in names for reader in _readers(outline, name)} - {at}
    guards = {reader for reader in readers if at < reader and is_guard(outline.module.body[reader])}
    return not readers.isdisjoint(others) and readers <= {*others, *guards}


def _fills(outline: Outline, at: int, others: Collection[int]) -> bool:
    """`load(net, args.resume)`: a function gets an object that only `others` use, and no object that stays."""
    statement = outline.module.body[at]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    given = {each.id for each in (*call.args, *(item.value for item in call.keywords)) if isinstance(each, ast.Name)}
    bound = {name: outline.bindings(outline.module, name) for name in given}
    body, allowed, own = outline.module.body, {*others, at}, False
    for name, found in bound.items():
        if not found or not all(isinstance(item.statement, ast.Assign) for item in found):
            continue
        readers = {each for each in _readers(outline, name) if not is_guard(body[each])}
        if not {each for each in readers if each > at or stays(body[each])} <= allowed:
            return False
        own = own or (len(readers) > 1 and readers <= allowed)
    return own


def _has_effects(outline: Outline, statement: ast.stmt) -> bool:
    """It calls what may do more than to give a result."""
    return any(isinstance(node, ast.Call) and not _only_gives(outline, node) for node in ast.walk(statement))


def _only_gives(outline: Outline, call: ast.Call) -> bool:
    """A lookup, a path, a time, what an `argparse` parser takes and gives."""
    name = qualified_name(outline, call.func)
    if name in names("lookups") - _CONSUME or name.startswith(_NO_EFFECT):
        return True
    root = root_of_chain(call.func) if isinstance(call.func, ast.Attribute) else None
    found = outline.bindings(outline.module, root.id) if root is not None else []
    values = [getattr(item.statement, "value", None) for item in found]
    made = [qualified_name(outline, value.func) if isinstance(value, ast.Call) else "" for value in values]
    return bool(made) and all(each.startswith("argparse.") for each in made)


def _runs_code(resolver: Resolver, outline: Outline, statement: ast.stmt) -> bool:
    """Run in a worker, it calls something that may give another result there: in a class body, a default, an import."""
    if is_guard(statement) or movable_setting(outline, statement):
        return False
    if isinstance(statement, ast.ClassDef) and (
        any(last_name(keyword.value) != "ABCMeta" for keyword in statement.keywords)
        or is_noticed(resolver, outline, statement)
    ):
        return True
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.With)):
            return True
        if isinstance(node, ast.Call) and qualified_name(outline, node.func) not in names("lookups"):
            return True
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            if not all(is_pure(resolver, outline, mark) for mark in node.decorator_list):
                return True
            todo += node.body if isinstance(node, ast.ClassDef) else [node.args]
        elif not isinstance(node, ast.Lambda):
            todo += children(node)
    return False


def _readers(outline: Outline, name: str) -> set[int]:
    """The statements of the module that read the name, or in which something does."""
    tops = {statement: at for at, statement in enumerate(outline.module.body)}
    named = (use for use in outline.named.get(name, ()) if isinstance(use, ast.Name))
    uses = [use for use in named if not isinstance(use.ctx, ast.Store)]
    return {tops[above] for use in uses for above in (use, *outline.ancestors(use)) if above in tops}
