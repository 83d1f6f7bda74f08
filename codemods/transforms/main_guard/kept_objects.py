"""Classes whose objects can't be sent: nothing but their methods and attributes is used, of no base unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.outline import Outline
from ...syntax.resolver import Class, Resolver
from .called_here import Called, called_here

_BY_TEXT = frozenset(["globals", "eval", "exec", "vars", "locals"])
_AGAIN = frozenset(["__class__", "__dict__", "__self__", "__func__", "__reduce__", "__getstate__"])
_ROOTS = frozenset(["object", "ABC", "abc.ABC"])
_INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)


def only_called_methods(resolver: Resolver, outline: Outline, item: ast.ClassDef) -> bool:
    """No object of the class is an argument, a return value, or part of another object.

    `trainer = Trainer()` and `trainer.start()`: whatever `start` does, no other process has a way to its methods.
    Neither the class nor a base in the repository passes `self` on, a method as a value, or itself; and what it
    defines inside of a method, a lambda too, may be sent by itself if it is not only called there.
    """
    if any(node.id in _BY_TEXT for node in outline.of_kind(ast.Name)):
        return False
    inner = [node for node in ast.walk(item) if isinstance(node, _INNER) and outline.parents[node] is not item]
    if not all(_runs_in_place(resolver, outline, node) for node in inner if node is not item):
        return False
    lineage = resolver.lineage(Class(outline, item))
    known = {base.node for base in lineage}
    methods = {part.name for base in lineage for part in base.node.body if isinstance(part, FUNCTIONS)}
    return all(_keeps_itself(resolver, base, methods, known) for base in lineage) and all(
        _only_called(outline, node, methods)
        for node in outline.of_kind(ast.Name)
        if node.id == item.name and isinstance(node.ctx, ast.Load)
    )


def _runs_in_place(resolver: Resolver, outline: Outline, node: ast.AST) -> bool:
    """A lambda, or function of a function, that is called where it is defined, and goes nowhere else."""
    if isinstance(node, ast.Lambda):
        return called_here(outline, node, resolver) is Called.AT_ONCE
    if not isinstance(node, FUNCTIONS) or node.decorator_list:
        return False
    scope = outline.scope(node)
    return isinstance(scope, FUNCTIONS) and all(
        isinstance(call := outline.parents[use], ast.Call)
        and (call.func is use or called_here(outline, use, resolver) is Called.AT_ONCE)
        for use in outline.named.get(node.name, ())
        if isinstance(use, ast.Name) and outline.lookup(use, node.name)[0] is scope
    )


def _keeps_itself(resolver: Resolver, base: Class, methods: set[str], known: set[ast.ClassDef]) -> bool:
    """Its code uses `self` for attributes and calls of methods only, and every base is known."""
    outline, node = base
    if node.decorator_list or node.keywords:
        return False
    for written in node.bases:
        found = resolver.classes(outline, written)
        if ast.unparse(written) not in _ROOTS and not (len(found) == 1 and found[0].node in known):
            return False
    for part in node.body:
        if isinstance(part, FUNCTIONS):
            if not all(_uses_self_well(outline, part, inner, methods) for inner in ast.walk(part)):
                return False
        elif not (isinstance(part, ast.Pass) or isinstance(getattr(part, "value", None), ast.Constant)):
            return False
    return True


def _uses_self_well(
    outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.AST, methods: set[str]
) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _AGAIN:
        return False
    first = [*function.args.posonlyargs, *function.args.args][:1]
    if not (isinstance(node, ast.Name) and first and node.id == first[0].arg):
        return True
    parent = outline.parents[node]
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "super":
        return True
    return _reads_attribute(outline, node, methods)


def _reads_attribute(outline: Outline, node: ast.expr, methods: set[str]) -> bool:
    """`node.attribute`, or the call `node.method(...)`."""
    parent = outline.parents[node]
    if not isinstance(parent, ast.Attribute):
        return False
    above = outline.parents[parent]
    return parent.attr not in methods or (isinstance(above, ast.Call) and above.func is parent)


def _only_called(outline: Outline, node: ast.Name, methods: set[str]) -> bool:
    """The class is named as a base, in `super(Class, self)` or a test of types, or called for a name that stays."""
    if not isinstance(outline.lookup(node, node.id)[0], ast.Module):
        return True  # another name
    parent = outline.parents[node]
    if isinstance(parent, ast.ClassDef):
        return node in parent.bases
    if not isinstance(parent, ast.Call):
        return False
    if parent.func is not node:
        return isinstance(parent.func, ast.Name) and parent.func.id in ("super", "isinstance")
    above = outline.parents[parent]
    if isinstance(above, ast.Expr):
        return True
    if isinstance(above, ast.Attribute):
        return _reads_attribute(outline, parent, methods)
    if not (isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name)):
        return False
    return all(_reads_attribute(outline, use, methods) for use in _loads_of(outline, above.targets[0]))


def _loads_of(outline: Outline, target: ast.Name) -> Iterator[ast.Name | ast.Attribute]:
    scope = outline.lookup(target, target.id)[0]
    for node in outline.named.get(target.id, ()):
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if is_read and outline.lookup(node, target.id)[0] is scope:
            yield node
