"""Objects of own classes, which a base class of a library keeps from being pickled: what they keep themselves."""

from __future__ import annotations

import ast

from ...finding import Refused
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from .data import names


def check_keeps_nothing(repo: Repo, outline: Outline, value: ast.expr) -> None:
    """Raises Refused where the class changes its objects as they are used: a new one would be as at first."""
    for cls in repo.resolver.classes(outline, value.func) if isinstance(value, ast.Call) else ():
        for where, node in repo.resolver.lineage(cls):
            for function in node.body:
                line = _change(where, function) if isinstance(function, ast.FunctionDef) else None
                if line is not None and isinstance(function, ast.FunctionDef):
                    place = f"line {line}" if where is outline else f"{where.path}:{line}"
                    raise Refused(
                        f"`{node.name}.{function.name}` changes the object ({place}), and a new one would not have "
                        "that: say in a `__getstate__` of its class what a copy gets"
                    )


def _change(outline: Outline, function: ast.FunctionDef) -> int | None:
    """The first line of a method, other than the constructor, that changes what `self` keeps."""
    for node in outline.own(function) if function.name not in ("__init__", "__new__") else ():
        target: ast.AST = node
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            target = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target = node.func.value if node.func.attr in names("changing_methods") else node
        elif not (isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)):
            continue
        if isinstance(target, ast.Attribute) and outline.is_self(target.value):
            return target.lineno
    return None


_KEPT = ", which says where the value is kept: leave that out in a `__getstate__`"


def check_no_descriptor(repo: Repo, outline: Outline, owner: ast.ClassDef, attribute: str) -> None:
    """Raises Refused where the class has a descriptor of that name, which may keep the value under another one."""
    for where, node in repo.resolver.lineage(Class(outline, owner)):
        for item in node.body:
            if isinstance(item, FUNCTIONS) and item.name == attribute and any(map(_is_setter, item.decorator_list)):
                raise Refused(f"`{attribute}` is a property of the class (line {item.lineno}){_KEPT}")
            value = item.value if isinstance(item, (ast.Assign, ast.AnnAssign)) else None
            targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
            if not isinstance(value, ast.Call) or not any(getattr(t, "id", "") == attribute for t in targets):
                continue
            if last_name(value.func) == "property":
                raise Refused(f"`{attribute}` is a property of the class (line {item.lineno}){_KEPT}")
            for cls in repo.resolver.classes(where, value.func):
                if any(method(base.node, "__set__") is not None for base in repo.resolver.lineage(cls)):
                    raise Refused(f"`{attribute}` is a descriptor of the class (line {item.lineno}){_KEPT}")


def _is_setter(mark: ast.expr) -> bool:
    return isinstance(mark, ast.Attribute) and mark.attr == "setter"


def check_not_set_up(outline: Outline, owner: ast.ClassDef, attribute: str) -> None:
    """Raises Refused where a module that is kept is called for its effect: in a new process it would lack that."""
    for node in ast.walk(owner):
        call = node.value if isinstance(node, ast.Expr) else None
        kept = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        if isinstance(kept, ast.Attribute) and kept.attr == attribute and outline.is_self(kept.value):
            raise Refused(
                f"`{ast.unparse(node)[:60]}` (line {kept.lineno}) sets up the module, which a new process would not "
                "have: import it, and set it up, where it is used"
            )
