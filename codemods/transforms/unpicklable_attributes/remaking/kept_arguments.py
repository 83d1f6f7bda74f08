"""Which arguments of an opening call may be computed once, above it, and kept as attributes of the object.

`lmdb.open(path, readahead=not distributed())` can't call `distributed()` again in another process: the answer may be
another one there. Its result is kept, and both calls of `lmdb.open` get that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ....syntax.names import last_name
from ....syntax.unpicklable import Recogniser
from ..classes import Store
from ..family import Family

_ALWAYS_PLAIN = (ast.Compare, ast.JoinedStr)  # a bool or a str, whatever is called in it
_BUFFERS = frozenset({"io.StringIO", "io.BytesIO"})  # pickled with what is in them
_VERBS = ("get_", "make_", "build_", "find_", "create_", "compute_", "load_", "choose_")


def kept_arguments(
    family: Family, recogniser: Recogniser, store: Store, value: ast.expr, repeatable: Callable[[ast.Call], bool]
) -> Iterator[tuple[ast.expr, str]]:
    """Arguments of the call `value` that hold a call which is not `repeatable`, with a name for each.

    Only those that can be computed above the statement: nothing that is evaluated before them can change them or be
    changed by them, and their results can be pickled.
    """
    if not isinstance(value, ast.Call) or getattr(store.statement, "value", None) is not value:
        return
    if store.method.name != "__init__":
        return
    before: set[str] = set()  # names that are read before the argument is computed
    for argument, word in [*((item, "") for item in value.args), *((item.value, item.arg) for item in value.keywords)]:
        names = {node.id for node in ast.walk(argument) if isinstance(node, ast.Name)}
        unsure = [node for node in ast.walk(argument) if isinstance(node, ast.Call) and not repeatable(node)]
        if unsure:
            parents = [store.owner.outline.parents[call] for call in unsure]
            cut = any(isinstance(above, (ast.Attribute, ast.Subscript)) for above in parents)
            if word is None or isinstance(argument, ast.Starred) or before & names or cut:
                return
            if not _is_plain(argument) and not all(_gives_plain(family, recogniser, store, call) for call in unsure):
                return
            yield argument, word or _word(unsure[0])
        before |= names


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, _ALWAYS_PLAIN) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _gives_plain(family: Family, recogniser: Recogniser, store: Store, call: ast.Call) -> bool:
    """It makes a buffer, or calls functions of the repository that return nothing that can't be pickled."""
    if recogniser.origin(store.owner.outline, call.func) in _BUFFERS:
        return True
    functions = list(family.repo.called(store.owner.outline, call.func))
    for where, function in functions:
        for node in where.own(function):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                return False
            if isinstance(node, ast.Return) and node.value is not None:
                if isinstance(node.value, ast.Lambda) or list(recogniser.made(where, node.value)):
                    return False
                if isinstance(node.value, ast.Call) and last_name(node.value.func).endswith("open"):
                    return False
    return bool(functions)


def _word(call: ast.Call) -> str:
    """`index_path` of `get_index_path(...)`; a name of one word is mostly a verb."""
    name = last_name(call.func).strip("_")
    if name in ("StringIO", "BytesIO"):
        return "buffer"
    for verb in _VERBS:
        if name.startswith(verb):
            return name.removeprefix(verb)
    return name if "_" in name else "source"
