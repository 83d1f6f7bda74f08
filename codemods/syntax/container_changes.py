"""Whether anything but the puts that are seen changes what a container holds, or what a class gives by a name."""

from __future__ import annotations

import ast

from .file_tree import Scope
from .outline import Outline
from .repo import Repo

_READS = frozenset(("get", "items", "keys", "values", "copy", "index", "count", "elements"))
_PUTS = frozenset(("append", "add"))
_PURE = frozenset(
    ("len", "list", "tuple", "dict", "set", "frozenset", "sorted", "reversed", "zip", "enumerate", "iter", "print",
     "str", "repr", "min", "max", "sum", "any", "all", "bool", "isinstance", "type", "id", "range", "deque",
     "OrderedDict")
)  # fmt: skip
_READING = (ast.For, ast.comprehension, ast.Compare, ast.If, ast.While, ast.Assert, ast.UnaryOp, ast.Starred, ast.BinOp,
            ast.FormattedValue, ast.Expr)  # fmt: skip
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)
Place = ast.Name | ast.Attribute


class Changes:
    """Answers for one run; what is not plainly a read counts as a change."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self._names: dict[tuple[Scope, str], bool] = {}
        self._attributes: dict[str, bool] = {}

    def of(self, outline: Outline, node: Place) -> bool:
        """Something may change what `node`, a container, holds: `locks.pop()`, `del TABLE[key]`."""
        if isinstance(node, ast.Name):
            scope, _ = outline.lookup(node, node.id)
            if (scope, node.id) not in self._names:
                self._names[scope, node.id] = self._of_name(outline, scope, node.id)
            return self._names[scope, node.id]
        if node.attr not in self._attributes:
            self._attributes[node.attr] = self._of_attribute(node.attr)
        return self._attributes[node.attr]

    def _of_name(self, outline: Outline, scope: Scope, name: str) -> bool:
        if len(outline.bindings(scope, name)) != 1:
            return True
        for use in outline.named.get(name, ()):
            if isinstance(use, ast.Name) and outline.lookup(use, name)[0] is scope:
                own = outline.scope(use) is scope
                if isinstance(use.ctx, ast.Del) or (isinstance(use.ctx, ast.Load) and not _is_read(outline, use, own)):
                    return True
        if not isinstance(scope, ast.Module):
            return False
        return bool(outline.made_global.get(name)) or any(
            not _is_read(other, use, False)
            for other in self.repo.mentioning(name)
            for use in other.named.get(name, ())
            if other is not outline or isinstance(use, ast.Attribute)
        )

    def _of_attribute(self, name: str) -> bool:
        """One place sets it, and the others read it."""
        given = 0
        for outline in self.repo.mentioning(name):
            for use in outline.attributes.get(name, ()):
                if isinstance(use.ctx, ast.Store):
                    given += 1
                elif isinstance(use.ctx, ast.Del) or not _is_read(outline, use, False):
                    return True
            given += sum(_in_class(outline, use) for use in outline.named.get(name, ()))
        return given > 1

    def of_class(self, name: str) -> bool:
        """More than one class, or a class and something else, give what objects have by that name."""
        outlines = list(self.repo.mentioning(name))
        given = sum(_in_class(outline, use) for outline in outlines for use in outline.named.get(name, ()))
        stored = (use for outline in outlines for use in outline.attributes.get(name, ()))
        return given > 1 or any(not isinstance(use.ctx, ast.Load) for use in stored)


def _in_class(outline: Outline, use: Place) -> bool:
    """The body of a class binds the name."""
    bound = isinstance(use, ast.Name) and not isinstance(use.ctx, ast.Load)
    return bound and isinstance(outline.parents[outline.statement(use)], ast.ClassDef)


def _is_read(outline: Outline, use: Place, own: bool) -> bool:
    """What is done with the container leaves it as it is, or (`own`: in the function that made it) is a plain put."""
    above = outline.parents[use]
    if isinstance(above, ast.Subscript):
        if isinstance(above.ctx, ast.Load) or above.value is not use:
            return True
        statement = outline.parents[above]
        put = (
            isinstance(statement, ast.Assign) and above in statement.targets and not isinstance(above.slice, ast.Slice)
        )
        return own and put and isinstance(above.ctx, ast.Store)
    if isinstance(above, ast.Attribute):
        call = outline.parents[above]
        called = isinstance(call, ast.Call) and call.func is above
        return called and (above.attr in _READS or (own and above.attr in _PUTS))
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Name) and above.func.id in _PURE and use in above.args
    if isinstance(above, _READING):
        return True
    while isinstance(above, _DISPLAYS):
        above = outline.parents[above]
    if isinstance(above, ast.Return):
        return own
    targets = above.targets if isinstance(above, ast.Assign) else [getattr(above, "target", None)]
    stores = isinstance(above, (ast.Assign, ast.AnnAssign))
    return stores and all(isinstance(each, (ast.Attribute, ast.Tuple, ast.List)) for each in targets)
