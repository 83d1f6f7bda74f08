"""Whether a copy that lacks an attribute is sure to fail: only what is plain throughout counts as shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Trace
from ...nodes import walk
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.file_tree import position
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .classes import WORKER, Method, Shape
from .existing_state import COPIES

CALLED = WORKER | {"__call__"}  # of an object that a worker got
_LEAVES = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Break, ast.Continue)
_SETTERS = frozenset(("setattr", "__setattr__", "exec", "vars", "update_wrapper"))
_CATCHING = frozenset(("AttributeError", "Exception", "BaseException"))
# fields of which each is evaluated whenever the node above is
_ALWAYS = {
    ast.BoolOp: (), ast.IfExp: ("test",), ast.If: ("test",), ast.While: ("test",), ast.For: ("iter",),
    ast.Compare: ("left",), ast.With: ("items",), ast.Try: ("body",), ast.Assert: ("test",),
    ast.Match: ("subject",),
    ast.Lambda: (), ast.ListComp: (), ast.SetComp: (), ast.DictComp: (), ast.GeneratorExp: (), ast.FunctionDef: (),
    ast.ClassDef: (), ast.AsyncFunctionDef: (), ast.AsyncFor: (), ast.AsyncWith: (),
}  # fmt: skip


def is_plain_state(state: Method) -> bool:
    """The body of a `__getstate__` copies the dict, takes out of the copy, and gives that back; no more."""
    body = [each for each in state.body if not _is_text(each)]
    if state.decorator_list or not body or not isinstance(last := body[-1], ast.Return) or last.value is None:
        return False
    if len(body) == 1:
        return _is_copy(last.value)
    first = body[0]
    if not (isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name)):
        return False
    name = first.targets[0].id
    return (
        _is_copy(first.value)
        and isinstance(last.value, ast.Name)
        and last.value.id == name
        and all(_takes_out(each, name) for each in body[1:-1])
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_copy(value: ast.expr) -> bool:
    """A copy of the dict, or what a test leaves of it."""
    if not isinstance(value, ast.DictComp):
        return ast.unparse(value) in COPIES
    return isinstance(value.key, ast.Name) and isinstance(value.value, ast.Name) and len(value.generators) == 1


def _takes_out(statement: ast.stmt, name: str) -> bool:
    """`del state["lock"]`, `state.pop("lock", None)`."""
    if isinstance(statement, ast.Delete):
        found = (each.value if isinstance(each, ast.Subscript) else each for each in statement.targets)
        return all(isinstance(each, ast.Name) and each.id == name for each in found)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "pop":
        return False
    return isinstance(call.func.value, ast.Name) and call.func.value.id == name


def surely_called(repo: Repo, shape: Shape, sent: set[str], trace: Trace) -> set[str]:
    """The methods that workers call, and those that these call whatever is asked there, with no handler around."""
    todo = [name for name in sorted(CALLED | sent) if name in shape.methods]
    if _is_set_unseen(repo, shape, trace):
        return set()
    found: set[str] = set()
    while todo:
        name = todo.pop()
        method = shape.methods.get(name)
        if method is None or name in found or not _is_plain(method) or _is_handled(repo, shape, name, trace):
            continue
        found.add(name)
        for other, uses in shape.selves.items():
            if other in shape.methods and any(_calls(shape, other, use) for where, use in uses if where is method):
                todo.append(other)
    return found


def is_unconditional(outline: Outline, method: Method, node: ast.AST) -> bool:
    """`node` is evaluated in each call of the method, and nothing that stands around it handles what it raises."""
    below: ast.AST = node
    for above in outline.ancestors(node):
        if above is method:
            break
        fields = _ALWAYS.get(type(above))
        if fields is not None and not any(_has(above, field, below) for field in fields):
            return False
        below = above
    return not any(isinstance(each, _LEAVES) and position(each) < position(node) for each in _own(method, node))


def _own(method: Method, node: ast.AST) -> Iterator[ast.AST]:
    """What may leave the method before `node`, which may stand in a `return` itself."""
    for each in walk(method):
        if not (isinstance(each, (ast.Return, ast.Yield, ast.YieldFrom)) and any(part is node for part in walk(each))):
            yield each


def _has(above: ast.AST, field: str, below: ast.AST) -> bool:
    value = getattr(above, field)
    return any(each is below for each in value) if isinstance(value, list) else value is below


def _is_plain(method: Method) -> bool:
    """No handler in it, no `finally` that may return, and nothing that wraps it."""
    wrapped = any(last_name(each) != "property" for each in method.decorator_list)
    handled = (
        isinstance(each, ast.ExceptHandler) or (isinstance(each, ast.Try) and each.finalbody) for each in walk(method)
    )
    return not wrapped and not any(handled)


def _calls(shape: Shape, name: str, use: ast.Attribute) -> bool:
    outline = shape.outline
    call = outline.parents[use]
    called = isinstance(call, ast.Call) and call.func is use
    method = outline.method(use)
    return (
        (called or bool(shape.methods[name].decorator_list))
        and method is not None
        and is_unconditional(outline, method, use)
    )


def _is_set_unseen(repo: Repo, shape: Shape, trace: Trace) -> bool:
    """Something may set attributes without their names: `self.__init__()`, `self.__dict__.update(...)`."""
    if shape.node.decorator_list or shape.node.keywords:
        return True
    for name, method in shape.methods.items():
        if name in ("__init__", "__getstate__"):
            continue
        for node in walk(method):
            if isinstance(node, ast.Attribute) and node.attr in ("__init__", "__dict__", "__class__"):
                return True
            if isinstance(node, ast.Call) and last_name(node.func) in _SETTERS:
                return True
    for outline in _outlines(repo, shape, trace):
        if any(_is_dict_changed(outline, node) for node in outline.attributes.get("__dict__", ())):
            return True
        for node in outline.attributes.get("__init__", ()):
            if (around := outline.scope(node)) and getattr(around, "name", "") not in ("__init__", "__new__"):
                return True
        if any(_is_dict_changed(outline, node) for node in outline.calls.get("vars", ())):
            return True
        if outline.calls.get("setattr"):
            return True
    return False


def _is_dict_changed(outline: Outline, node: ast.expr) -> bool:
    """`x.__dict__.update(...)`, `vars(x)["lock"] = ...`."""
    above = outline.parents[node]
    if isinstance(above, ast.Attribute):
        return above.attr in ("update", "setdefault")
    return not isinstance(getattr(above, "ctx", ast.Load()), ast.Load)


def _is_handled(repo: Repo, shape: Shape, name: str, trace: Trace) -> bool:
    """Code outside of the class handles what goes wrong in the method: `try: rows[0]`, `with suppress(...)`."""
    special = name.startswith("__")
    for outline in _outlines(repo, shape, trace) if special else repo.mentioning(name):
        uses: list[ast.AST] = [*outline.attributes.get(name, ())]
        if special:  # it is called by what is no name, in whatever a worker runs
            uses += [*outline.of_kind(ast.Subscript), *outline.of_kind(ast.Call), *outline.of_kind(ast.For)]
            uses = [use for use in uses if _runs_in_worker(outline, shape, use)]
        if any(_is_caught(outline, use) for use in uses):
            return True
    return False


def _runs_in_worker(outline: Outline, shape: Shape, use: ast.AST) -> bool:
    """It stands in a method of another class, which a worker may call."""
    method = outline.method(use)
    return method is not None and method.name in CALLED and outline.owner(use) is not shape.node


def _is_caught(outline: Outline, use: ast.AST) -> bool:
    below = use
    for above in outline.ancestors(use):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, ast.Try) and below in above.body and any(map(_catches, above.handlers)):
            return True
        if isinstance(above, (ast.With, ast.AsyncWith)) and below in above.body:
            calls = (each.context_expr for each in above.items)
            if any(isinstance(call, ast.Call) and last_name(call.func) == "suppress" for call in calls):
                return True
        below = above
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or last_name(kind) in _CATCHING for kind in kinds)


def _outlines(repo: Repo, shape: Shape, trace: Trace) -> Iterator[Outline]:
    """The files on the way of the object, its own first."""
    paths = dict.fromkeys((shape.outline.path, *(hop.path for hop in trace)))
    for path in paths:
        if (outline := repo.outline(path)) is not None:
            yield outline
