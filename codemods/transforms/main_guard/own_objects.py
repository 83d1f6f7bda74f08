"""Methods of objects that the code of workers makes itself, and then takes out of a container.

best = max(node.children, key=lambda child: child.score())
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from ...nodes import walk
from ...syntax.binding_rules import parameters, positional
from ...syntax.callees import FUNCTIONS, Callees, Function
from ...syntax.outline import Outline

_KEEPS = ("append", "add", "insert", "appendleft", "setdefault")  # the last argument goes into the container
_FILLS = ("extend", "update", "extendleft", "fromkeys", "__setitem__", "__iadd__")
_SAME = ("list", "tuple", "set", "sorted", "reversed", "iter", "filter")  # the elements are those of the last argument
_KEYED = ("max", "min", "sorted")
_ONLY_READ = ("len", "max", "min", "sum", "any", "all", "zip", "enumerate", "map", "print", *_SAME)
_EMPTY = {False: ("list", "set", "tuple", "deque"), True: ("dict", "OrderedDict")}  # by whether it is a mapping
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_LISTED = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_READ_BY = (ast.Subscript, ast.Starred, ast.If, ast.While, ast.UnaryOp, ast.Compare, ast.FormattedValue)
_MAX_DEPTH = 6
_Held = tuple[ast.expr, bool]  # a container, and whether its elements are the values of a mapping


def method_of_own(
    callees: Callees, outline: Outline, func: ast.expr, code: Container[ast.AST]
) -> tuple[Function, ast.ClassDef] | None:
    """The method that `func`, as `child.score`, is, and its class: `child` comes out of a container of its objects.

    Only where functions of `code` make objects of the class, so that these are not what the worker was sent.
    """
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or outline.is_self(func.value):
        return None
    found = callees.repo.methods(func.attr)
    owner = outline.parents.get(found[0][1]) if len(found) == 1 and found[0][0] is outline else None
    if not isinstance(owner, ast.ClassDef):
        return None
    made = (call for call in outline.calls.get(owner.name, ()) if outline.scope(call) in code)
    classes = (callees.made_class(outline, call) for call in made)
    if not any(each is not None and each[1] is owner for each in classes):
        return None
    return (found[0][1], owner) if _Objects(callees, owner).is_taken(outline, func.value) else None


class _Objects:
    """What is known to be an object of the class, or a container of such objects."""

    def __init__(self, callees: Callees, owner: ast.ClassDef) -> None:
        self.callees, self.owner = callees, owner
        self._seen: set[tuple[object, ...]] = set()  # containers: what is assumed of one that refers to itself

    def is_taken(self, outline: Outline, use: ast.Name) -> bool:
        """The name is that of a loop or lambda which goes over a container of such objects."""
        containers = [*_gone_over(outline, use)]
        return bool(containers) and all(held is not None and self._holds(outline, *held) for held in containers)

    def _is_object(self, outline: Outline, node: ast.expr, depth: int = 0) -> bool:
        if isinstance(node, ast.Call):
            made = self.callees.made_class(outline, node)
            return made is not None and made[1] is self.owner
        if not isinstance(node, ast.Name) or depth > _MAX_DEPTH:
            return False
        if outline.is_self(node):
            return outline.owner(node) is self.owner
        values = [binding.value for binding in outline.lookup(node, node.id)[1]]
        if values and all(value is not None and self._is_object(outline, value, depth + 1) for value in values):
            return True
        return self.is_taken(outline, node)

    def _holds(self, outline: Outline, node: ast.expr, mapping: bool) -> bool:
        """All that is in the container is such an object."""
        if isinstance(node, (ast.Dict, ast.DictComp)):
            values = node.values if isinstance(node, ast.Dict) else [node.value]
            return mapping and all(self._is_object(outline, value) for value in values)
        if isinstance(node, (*_DISPLAYS, *_LISTED)):
            items = [node.elt] if isinstance(node, _LISTED) else node.elts
            return not mapping and all(self._is_object(outline, item) for item in items)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._holds(outline, node.value, mapping)
        if isinstance(node, ast.Call):
            return self._gives(outline, node, mapping)
        if isinstance(node, ast.Name):
            scope, bindings = outline.lookup(node, node.id)
            named = (use for use in outline.named.get(node.id, ()) if isinstance(use, ast.Name))
            uses = [(outline, use) for use in named if outline.lookup(use, use.id)[0] is scope]
            plain = bool(bindings) and all(binding.value is not None for binding in bindings)
            return plain and self._filled((scope, node.id, mapping), uses, mapping)
        if isinstance(node, ast.Attribute):
            files = self.callees.repo.mentioning(node.attr)
            every = [(at, use) for at in files for use in at.attributes.get(node.attr, ())]
            return self._filled((None, node.attr, mapping), every, mapping)
        return False

    def _gives(self, outline: Outline, call: ast.Call, mapping: bool) -> bool:
        """The same of the result of a call: `list(nodes)`, `nodes.values()`, `dict()`."""
        if isinstance(call.func, ast.Attribute):
            of_values = call.func.attr == "values" and not call.args and not mapping
            return of_values and self._holds(outline, call.func.value, mapping=True)
        if not isinstance(call.func, ast.Name):
            return False
        if not call.args and not call.keywords:
            return call.func.id in _EMPTY[mapping]
        return (
            call.func.id in _SAME and not mapping and bool(call.args) and self._holds(outline, call.args[-1], mapping)
        )

    def _filled(
        self, key: tuple[object, ...], uses: Sequence[tuple[Outline, ast.Name | ast.Attribute]], mapping: bool
    ) -> bool:
        """All that is bound to the names or attributes holds such objects, and such alone are put into it."""
        if key in self._seen:
            return True
        self._seen.add(key)
        bound = any(not isinstance(use.ctx, ast.Load) for _, use in uses)
        return bound and all(self._stays(outline, use, mapping) for outline, use in uses)

    def _stays(self, outline: Outline, use: ast.Name | ast.Attribute, mapping: bool) -> bool:
        """What is done in the place leaves it a container of such objects, which nothing else refers to."""
        above = outline.parents[use]
        if not isinstance(use.ctx, ast.Load):
            value = above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None
            return value is not None and self._holds(outline, value, mapping)
        if isinstance(above, ast.Subscript) and above.value is use and isinstance(above.ctx, ast.Store):
            setting = outline.parents[above]
            return isinstance(setting, ast.Assign) and self._is_object(outline, setting.value)
        if isinstance(above, ast.Attribute):
            call = outline.parents[above]
            if not isinstance(call, ast.Call) or call.func is not above or above.attr in _FILLS:
                return False
            return above.attr not in _KEEPS or (bool(call.args) and self._is_object(outline, call.args[-1]))
        if isinstance(above, ast.Call):
            plain = isinstance(above.func, ast.Name) and above.func.id in _ONLY_READ
            return above.func is use or plain or self.callees.resolver.is_foreign(outline, above.func)
        return isinstance(above, _READ_BY) or (isinstance(above, (ast.For, ast.comprehension)) and above.iter is use)


def _gone_over(outline: Outline, use: ast.Name) -> Iterator[_Held | None]:
    """The containers whose elements the name is; None for one that can't be told."""
    for above in outline.ancestors(use):
        if isinstance(above, ast.Lambda) and use.id in parameters(above):
            yield _of_lambda(outline, above) if positional(above) == [use.id] else None
            return
        if isinstance(above, (*_LISTED, ast.DictComp)):
            for each in above.generators:
                if _binds(each.target, use.id):
                    yield _of_loop(each.target, each.iter, use.id)
                    return
        if isinstance(above, FUNCTIONS):
            break
    for binding in outline.lookup(use, use.id)[1]:
        loop = binding.statement
        over = isinstance(loop, ast.For) and binding.value is None and _binds(loop.target, use.id)
        yield _of_loop(loop.target, loop.iter, use.id) if isinstance(loop, ast.For) and over else None


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(target))


def _of_loop(target: ast.expr, over: ast.expr, name: str) -> _Held | None:
    """`for node in nodes`, `for key, node in nodes.items()`, `for i, node in enumerate(nodes)`."""
    if isinstance(target, ast.Name):
        return over, False
    second = isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(target.elts[1], ast.Name)
    if not second or not isinstance(target, ast.Tuple) or not _binds(target.elts[1], name):
        return None
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "items":
        return over.func.value, True
    by_number = isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate"
    return (over.args[0], False) if isinstance(over, ast.Call) and by_number and over.args else None


def _of_lambda(outline: Outline, function: ast.Lambda) -> _Held | None:
    """`max(nodes, key=lambda node: ...)`, `nodes.sort(key=...)`, `map(lambda node: ..., nodes)`."""
    above = outline.parents[function]
    call = outline.parents[above] if isinstance(above, ast.keyword) and above.arg == "key" else above
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Attribute):
        return (call.func.value, False) if call is not above and call.func.attr == "sort" else None
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if call is not above:
        return (call.args[0], False) if name in _KEYED and len(call.args) == 1 else None
    first = name in ("map", "filter") and len(call.args) == 2 and call.args[0] is function
    return (call.args[1], False) if first else None
