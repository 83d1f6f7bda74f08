"""Decorators that can be applied where the function stood: `rows = takes("path")(_rows)`.

They run at the moment at which they ran, once for each call of the function around. What they give can be pickled once
the function can, as they keep it on an object of a class of the repository, put it in a table, or give it back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import yields
from ....syntax.binding_rules import FUNCTIONS, FunctionNode, positional
from ....syntax.names import last_name, root_of_chain
from ....syntax.outline import Outline, outline_of
from ....syntax.repo import Repo
from ....syntax.resolver import Class, Definition, method
from ..libraries import libraries
from .settled import Settled

_PUT = frozenset({"append", "appendleft", "insert", "add", "setdefault"})  # into a list, set or dict that an object has
_CONTAINERS = frozenset({"list", "set", "dict", "deque", "OrderedDict", "defaultdict", "WeakSet"})
_ASK = frozenset({"isinstance", "callable", "isgeneratorfunction", "iscoroutinefunction", "isasyncgenfunction"})


class KeptDecorators:
    """Answers for the decorators of one file."""

    def __init__(self, settled: Settled) -> None:
        self._settled = settled
        self._repo = Repo(settled.project)

    def applied(self, node: FunctionNode) -> list[ast.expr]:
        """The decorators that have to be applied where the function stood, outermost first; others may move with it.

        Empty where one of them may do more than keep the function, or gets a wrapper of what one below it gives.
        """
        known, decorators = libraries().pure_decorators, node.decorator_list
        staying = [each for each in decorators if not self._settled.pure_decorator(each, known)]
        outline = outline_of(self._settled.project, self._settled.path)
        if outline is None or staying != decorators[: len(staying)]:
            return []
        return staying if all(self._keeps(outline, each) for each in staying) else []

    def _keeps(self, outline: Outline, decorator: ast.expr) -> bool:
        """What `decorator` gives for a function is an object that keeps it, or the function."""
        is_factory = isinstance(decorator, ast.Call)
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if outline.qualified(ast.unparse(called)) in libraries().keeping_decorators:
            return True
        found = self._repo.resolver.definition(outline, called)
        if found is not None and isinstance(found.node, ast.ClassDef):
            return not is_factory and self._is_kept(Class(found.outline, found.node))
        makers = [found] if found is not None else [*map(Definition._make, self._repo.called(outline, called))]
        functions = [self._inner(each) if is_factory else each for each in makers]
        return bool(functions) and all(each is not None and self._only_keeps(each) for each in functions)

    def _inner(self, maker: Definition) -> Definition | None:
        """The one function that a function with arguments gives as the decorator."""
        assert isinstance(maker.node, FUNCTIONS)
        inner = [each for each in maker.node.body if isinstance(each, FUNCTIONS)]
        returned = [each.value for each in maker.outline.own(maker.node) if isinstance(each, ast.Return)]
        if len(inner) != 1 or not returned or inner[0].decorator_list:
            return None
        given = all(isinstance(each, ast.Name) and each.id == inner[0].name for each in returned)
        return Definition(maker.outline, inner[0]) if given else None

    def _only_keeps(self, decorator: Definition) -> bool:
        """Each way through the function gives the function back that it got, or an object that keeps it."""
        node, outline = decorator.node, decorator.outline
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            return False
        first = 1 if isinstance(outline.parents[node], ast.ClassDef) else 0
        name = next(iter(positional(node)[first:]), None)
        if name is None:
            return False
        every, own = [*ast.walk(node)], outline.own(node)
        uses = [each for each in every if isinstance(each, ast.Name) and each.id == name]
        kept = {name} | {
            each.targets[0].id
            for each in own
            if isinstance(each, ast.Assign)
            and len(each.targets) == 1
            and isinstance(each.targets[0], ast.Name)
            and self._makes_keeper(outline, each.value, name)
        }
        bound = [each.id for each in every if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)]
        returned = [each.value for each in own if isinstance(each, ast.Return)]
        return (
            isinstance(node.body[-1], (ast.Return, ast.If))
            and bool(returned)
            and name not in bound
            and all(bound.count(each) <= 1 for each in kept)
            and not yields(node.body)
            and len(uses) == sum(each in uses for each in own)
            and all(self._is_harmless(outline, use, name) for use in uses)
            and all(
                (isinstance(each, ast.Name) and each.id in kept) or self._makes_keeper(outline, each, name)
                for each in returned
            )
        )

    def _is_harmless(self, outline: Outline, use: ast.Name, name: str) -> bool:
        """A use of the parameter that keeps the function as it is."""
        parent = outline.parents[use]
        if isinstance(parent, ast.Return):
            return True
        if isinstance(parent, ast.Assign):
            return all(isinstance(each, (ast.Subscript, ast.Attribute)) for each in parent.targets)
        if isinstance(parent, ast.Attribute):
            return isinstance(parent.ctx, ast.Load) or self._is_of_class(outline, use, name)
        call = outline.parents[parent] if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and call.func is not use:
            if isinstance(call.func, ast.Attribute) and call.func.attr in _PUT:
                holder = call.func.value
                return isinstance(holder, (ast.Attribute, ast.Subscript, ast.Call)) or _is_container(outline, holder)
            return last_name(call.func) in _ASK or self._makes_keeper(outline, call, name)
        return False

    def _is_of_class(self, outline: Outline, use: ast.Name, name: str) -> bool:
        """It stands where `isinstance(name, Class)` is true, so that it is no function there."""
        below: ast.AST = use
        while not isinstance(below, FUNCTIONS):
            above = outline.parents[below]
            if isinstance(above, ast.If) and below in above.body and isinstance(above.test, ast.Call):
                arguments = above.test.args
                is_test = last_name(above.test.func) == "isinstance" and len(arguments) == 2
                if is_test and isinstance(arguments[0], ast.Name) and arguments[0].id == name:
                    return bool(self._repo.resolver.classes(outline, arguments[1]))
            below = above
        return False

    def _makes_keeper(self, outline: Outline, value: ast.expr | None, name: str) -> bool:
        """`Step(name, ...)`: an object of a class of the repository, which keeps what it gets."""
        if not isinstance(value, ast.Call):
            return False
        passed = [*value.args, *(keyword.value for keyword in value.keywords)]
        if not any(isinstance(each, ast.Name) and each.id == name for each in passed):
            return False
        classes = self._repo.resolver.classes(outline, value.func)
        return len(classes) == 1 and self._is_kept(classes[0])

    def _is_kept(self, cls: Class) -> bool:
        """The class is found by its name, and its constructor sets nothing on the functions that it gets."""
        if cls.outline.parents[cls.node] is not cls.outline.module or cls.node.decorator_list:
            return False
        lineage = self._repo.resolver.lineage(cls)
        makers = (method(each.node, name) for each in lineage for name in ("__init__", "__new__"))
        return not any(_marks(maker) for maker in makers if maker is not None)


def _is_container(outline: Outline, holder: ast.expr) -> bool:
    """A variable of the module that is a list, set or dict: `LIVE = weakref.WeakSet()`."""
    scope, bindings = outline.lookup(holder, holder.id) if isinstance(holder, ast.Name) else (None, ())
    value = bindings[0].value if len(bindings) == 1 and isinstance(scope, ast.Module) else None
    made = last_name(value.func) if isinstance(value, ast.Call) else ""
    return isinstance(value, (ast.List, ast.Dict, ast.Set)) or made in _CONTAINERS


def _marks(maker: FunctionNode) -> bool:
    """It sets an attribute on one of its arguments."""
    own = positional(maker)[:1]  # `self`
    every = [*maker.args.posonlyargs, *maker.args.args, *maker.args.kwonlyargs]
    return any(root in {each.arg for each in every if [each.arg] != own} for root in _set_on(maker))


def _set_on(maker: FunctionNode) -> Iterator[str]:
    for node in ast.walk(maker):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            root = root_of_chain(node)
            yield root.id if root is not None else ""
        elif isinstance(node, ast.Call) and last_name(node.func) == "setattr" and node.args:
            yield getattr(node.args[0], "id", "")
