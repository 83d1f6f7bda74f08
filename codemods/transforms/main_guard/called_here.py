"""Functions that are passed to what calls them in the same process: Python, a library, code of the repository."""

from __future__ import annotations

import ast
import builtins
import enum
import re

from ...project import Project
from ...questions import asked
from ...syntax.binding_rules import parameters, positional
from ...syntax.callees import FUNCTIONS
from ...syntax.names import root_of_chain
from ...syntax.origins import origin
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.resolver import Function, Resolver
from .data import names


class Called(enum.Enum):
    """When that is."""

    AT_ONCE = "before the call returns, as if the function were called there"
    LATER = "by what the call sets up, in each process that runs the call"


_AT_ONCE = {  # where the function stands among the arguments, and the keyword for it
    "sorted": (None, "key"),
    "min": (None, "key"),
    "max": (None, "key"),
    "functools.reduce": (0, "function"),
    "re.sub": (1, "repl"),
    "json.dump": (None, "default"),
    "json.dumps": (None, "default"),
    "json.load": (None, "object_hook"),
    "json.loads": (None, "object_hook"),
}
_WHEN_ITERATED = {
    "map": (0, None),
    "filter": (0, None),
    "itertools.starmap": (0, None),
    "itertools.takewhile": (0, None),
    "itertools.dropwhile": (0, None),
    "itertools.filterfalse": (0, None),
    "itertools.groupby": (1, "key"),
    "itertools.accumulate": (1, "func"),
}
_LATER = {
    "signal.signal": (1, "handler"),
    "atexit.register": (0, "func"),
    "threading.Thread": (1, "target"),
    "threading.Timer": (1, "function"),
    "torch.optim.lr_scheduler.LambdaLR": (1, "lr_lambda"),  # by its `step`; a schedule stays with its optimizer
    "torch.optim.lr_scheduler.MultiplicativeLR": (1, "lr_lambda"),
}
_FURTHEST = 3  # functions of the repository that hand on what they are passed
_ITERATING = frozenset(["list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all"])


def called_here(outline: Outline, node: ast.expr, resolver: Resolver, depth: int = 0) -> Called | None:
    """When the function `node` is called by what it is passed to; None where it may go to another process.

    What such a function is passed is no part of it: `Thread(target=run, args=(work,))` says nothing of `work`.
    """
    above = outline.parents[node]
    if isinstance(above, ast.Tuple):  # `memory_usage((train, arguments))`
        return Called.AT_ONCE if above.elts[0] is node and _runs_arguments(outline, outline.parents[above]) else None
    call = outline.parents[above] if isinstance(above, ast.keyword) else above
    if not isinstance(call, ast.Call) or call.func is node or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    name = _name(outline, call.func)
    for calls, when in ((_AT_ONCE, Called.AT_ONCE), (_WHEN_ITERATED, Called.AT_ONCE), (_LATER, Called.LATER)):
        at, keyword = calls.get(name, (None, None))
        placed = (
            above.arg == keyword if isinstance(above, ast.keyword) else at is not None and call.args[at:][:1] == [node]
        )
        if name in calls and placed:
            return when if calls is not _WHEN_ITERATED or _is_iterated(outline, call) else None
    if _applies(outline, call, resolver):
        return Called.AT_ONCE
    passed = above if isinstance(above, ast.keyword) else node
    if _maps_a_table(outline, passed, call, resolver):
        return Called.AT_ONCE
    if _runs_arguments(outline, call) or (depth < _FURTHEST and _only_called(outline, passed, call, resolver, depth)):
        return Called.AT_ONCE
    made_of = origin(outline, call.func, lambda *_: None).partition(".")[0]  # `button.click(user)` of `gr.Button()`
    return Called.LATER if made_of.rstrip("()") in names("pages") else None


def _maps_a_table(outline: Outline, passed: ast.AST, call: ast.Call, resolver: Resolver) -> bool:
    """`rows.map(encode)` of Hugging Face's datasets, in this process: no number of them is asked for."""
    func = call.func
    is_function = passed.arg == "function" if isinstance(passed, ast.keyword) else passed in call.args[:1]
    if not (is_function and isinstance(func, ast.Attribute) and func.attr in ("map", "filter")):
        return False
    asked = any(keyword.arg in ("num_proc", None) for keyword in call.keywords)
    return not asked and _is_table(outline, func.value, resolver, set()) is True


def _is_table(outline: Outline, value: ast.expr | None, resolver: Resolver, seen: set[ast.AST]) -> bool | None:
    """It comes from the library `datasets`, in whatever way: `load_dataset(...)["train"].shuffle()`.

    None where it only comes from what has been `seen`: `rows = rows.filter(...)`.
    """
    if isinstance(value, ast.Name):
        found = [item.value for item in outline.lookup(value, value.id)[1]]
        new = [each for each in found if each is None or each not in seen]
        seen.update(each for each in new if each is not None)
        answers = {_is_table(outline, each, resolver, seen) for each in new}
        return False if False in answers or not found else (True if True in answers else None)
    if isinstance(value, ast.Subscript):
        return _is_table(outline, value.value, resolver, seen)
    if not isinstance(value, ast.Call) or any(keyword.arg in ("streaming", None) for keyword in value.keywords):
        return False  # a stream is mapped later, maybe by a worker
    if qualified_name(outline, value.func).startswith("datasets."):
        root = root_of_chain(value.func)
        return root is None or (resolver.module(outline, root) or resolver.definition(outline, root)) is None
    if not isinstance(value.func, ast.Attribute) or value.func.attr == "to_iterable_dataset":
        return False
    return _is_table(outline, value.func.value, resolver, seen)


def _applies(outline: Outline, call: ast.Call, resolver: Resolver) -> bool:
    """`net.apply(init_weights)`, `table.apply(clean)`: a function that needs an argument, and gets none there.

    A pool's `apply` would call it without one. What `apply` of a class of the repository does is not known.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "apply" or len(call.args) != 1 or call.keywords:
        return False
    found = resolver.definition(outline, call.args[0])
    if found is None or isinstance(found.node, ast.ClassDef):
        return False
    needs = len(positional(found.node)) > len(found.node.args.defaults)
    return needs and not found.node.decorator_list and not _has_apply(resolver.project)


@asked
def _has_apply(project: Project) -> bool:
    """Some class of the repository has a method of that name."""
    return any(project.paths_matching(re.compile(r"^[ \t]+(?:async )?def apply\(", re.MULTILINE), part="def apply("))


def _runs_arguments(outline: Outline, call: ast.AST) -> bool:
    """A library's function that calls what it is passed, in this process."""
    return isinstance(call, ast.Call) and origin(outline, call.func, lambda *_: None) in names("runs_arguments")


def _only_called(outline: Outline, passed: ast.AST, call: ast.Call, resolver: Resolver, depth: int) -> bool:
    """A function of the repository gets `passed`, and does nothing with it but to call it."""
    found = resolver.definition(outline, call.func)
    if found is None or isinstance(found.node, ast.ClassDef):
        return False
    where, function = found.outline, found.node
    if isinstance(passed, ast.keyword):
        name = passed.arg
    else:
        order, at = positional(function), next((at for at, each in enumerate(call.args) if each is passed), None)
        name = order[at] if at is not None and at < len(order) else None
    if name is None or name not in parameters(function) or function.decorator_list or _is_method(where, function):
        return False
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]
    return bool(uses) and all(_is_call_of(where, function, use, resolver, depth) for use in uses)


def _is_method(outline: Outline, function: Function) -> bool:
    return isinstance(outline.parents[function], ast.ClassDef)


def _is_call_of(outline: Outline, function: Function, use: ast.Name, resolver: Resolver, depth: int) -> bool:
    """It is called, compared, or handed on to what only calls it; code of a nested function may run elsewhere."""
    above = outline.parents[use]
    code = (each for each in outline.ancestors(use) if isinstance(each, (*FUNCTIONS, ast.Lambda)))
    if next(code, None) is not function:
        return False
    if isinstance(above, ast.Call) and above.func is use:
        return True
    if isinstance(above, (ast.Compare, ast.If)) or (isinstance(above, ast.Attribute) and above.attr == "__name__"):
        return True
    return called_here(outline, use, resolver, depth + 1) is Called.AT_ONCE


def _name(outline: Outline, func: ast.expr) -> str:
    """The dotted name of a function of a module, or of a builtin that nothing replaces."""
    root = root_of_chain(func)
    if root is None:
        return ""
    bindings = outline.lookup(root, root.id)[1]
    if isinstance(func, ast.Name) and hasattr(builtins, func.id):
        return func.id if not bindings and not outline.star_imports else ""
    imported = all(isinstance(each.statement, (ast.Import, ast.ImportFrom)) for each in bindings)
    return qualified_name(outline, func) if len(bindings) == 1 and imported else ""


def _is_iterated(outline: Outline, call: ast.Call) -> bool:
    """The iterator is used up where it is made: else it may be pickled, with the function."""
    above = outline.parents[call]
    if isinstance(above, (ast.For, ast.comprehension)):
        return above.iter is call
    return isinstance(above, ast.Call) and call in above.args and _name(outline, above.func) in _ITERATING
