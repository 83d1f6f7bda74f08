"""Whether a class itself opens what an attribute refers to again, wherever it is read and is None."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....syntax.names import last_name
from ..classes import Method, Shape, Store
from ..data import names
from ..uses.attribute_uses import AttributeUses

_SHOWS = frozenset(("print", "debug", "info", "warning", "error", "exception"))


def is_lazy(uses: AttributeUses, stores: list[Store]) -> bool:
    """Wherever it is read, the class first opens it in case it is None."""
    openers = {hazard.store.method.name for hazard in uses.hazards}
    opened_at_once = "__init__" in openers and not all(_is_guarded(uses, hazard.store) for hazard in uses.hazards)
    if not uses.on_demand or not uses.always_there(stores) or opened_at_once or _is_noticed(uses):
        return False
    return all(
        method.name == "__init__"
        or _is_looked_after(uses, shape, method, node, openers)
        or _is_never_called(uses, method)
        for shape, method, node in uses.reads
    )


def _is_noticed(uses: AttributeUses) -> bool:
    """Other code sees whether it is open, or the class does more than open it: once more, in a copy that is not."""
    if any(True for _ in uses.outside.reads(uses.attribute)):
        return True
    return any(_leaves_trace(uses, other) for other in _beside(uses))


def changed_beside(uses: AttributeUses) -> int | None:
    """The line that changes something besides the object as it is opened: a spawned worker lacks what that counted."""
    for other in _beside(uses):
        target = other.target if isinstance(other, ast.AugAssign) else None
        call = other.value if isinstance(other, ast.Expr) else None
        shows = isinstance(call, ast.Call) and last_name(call.func) in _SHOWS
        if _leaves_trace(uses, other) and not shows and not (isinstance(target, ast.Attribute) and _is_own(target)):
            return other.lineno
    return None


def _beside(uses: AttributeUses) -> Iterator[ast.stmt]:
    """What else stands under `if self.x is None:` where it is opened."""
    for hazard in uses.hazards:
        statement = hazard.store.statement
        branch = hazard.store.owner.outline.parents[statement]
        if isinstance(branch, ast.If) and _asks_none(uses, branch.test):
            yield from (other for other in branch.body if other is not statement)


def _leaves_trace(uses: AttributeUses, statement: ast.stmt) -> bool:
    """It prints, counts or sets something: no local variable, and nothing of what is opened."""
    if isinstance(statement, ast.AugAssign):
        return not isinstance(statement.target, ast.Name)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if any(not isinstance(target, ast.Name) and uses.text not in ast.unparse(target) for target in targets):
        return not all(isinstance(target, ast.Attribute) and _is_own(target) for target in targets)
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and uses.text not in ast.unparse(value.func)


def _is_own(target: ast.Attribute) -> bool:
    """`self.x`"""
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def left_closed(uses: AttributeUses, stores: list[Store]) -> int | None:
    """A line that closes it and leaves it there, so that the class does not open it again; a copy would."""
    for shape, method, node in uses.reads:
        called = uses.called(node, shape)
        if called is None or called[0] not in names("closing_methods") or method.name in ("__del__", "__exit__"):
            continue
        cleared = any(store.clears and store.method is method for store in stores)
        deleted = any(isinstance(item.ctx, ast.Del) for held, item in shape.selves[uses.attribute] if held is method)
        if not cleared and not deleted:
            return node.lineno
    return None


def _is_guarded(uses: AttributeUses, store: Store) -> bool:
    """It stands under `if uses.x is None:`."""
    for above in store.owner.outline.ancestors(store.statement):
        if isinstance(above, ast.If) and _asks_none(uses, above.test) and store.statement in above.body:
            return True
    return False


def _asks_none(uses: AttributeUses, test: ast.expr) -> bool:
    asked = ast.unparse(test)
    texts = [f"self.{name}" for name in (uses.attribute, *uses.companions)]
    return any(asked in (f"{text} is None", f"not {text}", f"{text} == None") for text in texts)


def _is_never_called(uses: AttributeUses, method: Method) -> bool:
    """A private method, such as one that closes it, whose name stands nowhere but in definitions."""
    name, project = method.name, uses.family.repo.project
    if not name.startswith("_") or name.endswith("__") or method.decorator_list:
        return False
    mentioned = re.compile(rf"(?<!def )\b{name}\b")
    return not any(True for _ in project.matching(mentioned, word=name))


def _is_looked_after(uses: AttributeUses, shape: Shape, method: Method, node: ast.Attribute, openers: set[str]) -> bool:
    """The read is part of the question, or comes after an opening in the same method, or only where it is open."""
    text = uses.text
    for above in shape.outline.ancestors(node):
        if isinstance(above, ast.Assert) and method.name in openers and _asks_none(uses, above.test):
            return True
        if isinstance(above, (ast.If, ast.IfExp)):
            if any(inner is node for inner in ast.walk(above.test)):
                return True
            if _is_where_open(above, node, text):
                # who uses it only where it is open would go without, if nobody opens it
                called = uses.called(node, shape)
                closes = called is not None and called[0] in names("closing_methods")
                return closes or all(_is_guarded(uses, hazard.store) for hazard in uses.hazards)
    for statement in method.body:
        if any(inner is node for inner in ast.walk(statement)):
            break
        if isinstance(statement, ast.If) and not _asks_none(uses, statement.test):
            continue  # what it asks is of something else
        for inner in ast.walk(statement):
            if not isinstance(inner, ast.Attribute) or not shape.outline.is_self(inner.value):
                continue
            if inner.attr in openers or (inner.attr == uses.attribute and isinstance(inner.ctx, ast.Store)):
                return True
    return False


def _is_where_open(above: ast.If | ast.IfExp, node: ast.Attribute, text: str) -> bool:
    """The node stands under `if text is not None`, perhaps with more conditions."""
    open_here = (f"{text} is not None", text)
    if not isinstance(above.test, ast.BoolOp) or not isinstance(above.test.op, ast.And):
        return ast.unparse(above.test) in open_here
    body = above.body if isinstance(above.body, list) else [above.body]
    return any(ast.unparse(part) in open_here for part in above.test.values) and any(
        inner is node for part in body for inner in ast.walk(part)
    )
