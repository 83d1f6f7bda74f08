"""How a stored dict view is used over the whole project: what would change if it were a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.binding_rules import FUNCTIONS, parameters, positional
from ...syntax.file_tree import Function
from ...syntax.names import last_name
from ...syntax.outline import Outline, pairs
from ...syntax.receivers import Receivers
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from ...syntax.tried import Tries
from .by_hash import asked_by_hash
from .getters import out_of_sight
from .given_functions import functions_given, is_open, is_operator, operator_elsewhere
from .holders import Difference, Holder, HolderKind
from .next_holders import holders_of
from .refused_by_views import WITHOUT_HASH, catches_unhashable, refused_by_encoders, refused_by_views

_STEPS = 60  # holders followed for one view; more means that nobody can say
_DATA = frozenset(("dataclass", "define", "attrs", "s", "NamedTuple", "BaseModel"))
_BY_TYPE = frozenset(("singledispatch", "singledispatchmethod", "dispatch", "multimethod"))


class ViewUses:
    """Follows a view from where it is made to all uses, through attributes, locals, arguments, returns."""

    def __init__(self, repo: Repo, receivers: Receivers) -> None:
        self.repo = repo
        self.receivers = receivers
        self.tries = Tries(repo)

    def problems(self, start: list[Holder], depth: int = 3, of_any: bool = True) -> list[Difference]:
        """Everything that a list would change for what `start` holds, the fatal ones first, each place once.

        `of_any`: also where an attribute of an object of unknown class holds it next (`model.names = config.names`).
        """
        todo = list(start)
        seen: set[Holder] = set()
        found: dict[tuple[str, int, str], Difference] = {}
        while todo:
            holder = todo.pop()
            if holder in seen or holder.hops > depth or len(seen) > _STEPS:
                continue
            seen.add(holder)
            if holder.kind is HolderKind.ATTRIBUTE and holder.owner is None and not of_any:
                continue
            differences: list[Difference] = []
            for outline, use, nested in [*self._uses(holder), *self._in_all_attributes(holder)]:
                at = holder.index if holder.kind is HolderKind.RESULT else None
                more, problems = holders_of(outline, use, nested, holder.hops + 1, widely=True, at=at)
                todo.extend(more)
                differences += [*problems, *self._other_way(outline, use, nested)]
            if holder.kind is HolderKind.ATTRIBUTE:
                differences += out_of_sight(self.repo, holder.name)
            if holder.kind is HolderKind.ARGUMENT:
                todo.extend(self.parameters(holder))
                differences += [*self._dispatched(holder), *self._operated(holder)]
            found.update({(problem.path, problem.line, problem.text): problem for problem in differences})
        return sorted(found.values(), key=lambda problem: (not problem.fatal, problem.path, problem.line))

    def _other_way(self, outline: Outline, use: ast.AST, nested: bool) -> Iterator[Difference]:
        """The program tries what a list can do, and goes on elsewhere because a view can't."""
        what = refused_by_encoders(outline, use) or (refused_by_views(outline, use) if not nested else None)
        handler = self.tries.caught(outline, use) if what is not None else None
        if not nested and (line := catches_unhashable(outline, use)) is not None:
            what, handler = WITHOUT_HASH, f"{outline.path}:{line}"
        if not nested and (asked := asked_by_hash(self.receivers, self.repo.resolver, outline, use)) is not None:
            yield Difference(outline.path, getattr(use, "lineno", 0), asked, fatal=True)
        if handler is not None:
            text = f"{what}, which a view refuses, and the program then goes on at {handler}"
            yield Difference(outline.path, getattr(use, "lineno", 0), text, fatal=True)

    def _dispatched(self, holder: Holder) -> Iterator[Difference]:
        """The function that takes it is one of several, chosen by the type of the first argument."""
        if holder.outline is None or holder.callee is None or holder.nested or holder.index != 0:
            return
        for _, function in self.repo.called(holder.outline, holder.callee):
            marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
            chosen = next((name for mark in marks if (name := last_name(mark)) in _BY_TYPE), None)
            if chosen is not None:
                text = f"passes it to `{function.name}`, where `@{chosen}` goes by its type"
                yield Difference(holder.outline.path, holder.callee.lineno, text, fatal=True)

    def _operated(self, holder: Holder) -> Iterator[Difference]:
        """What is called with it is a value that may be an operator: a parameter, an item of a table."""
        if holder.outline is None or holder.callee is None or holder.nested:
            return
        outline, func = holder.outline, holder.callee
        for where, given in functions_given(self.repo, outline, func):
            place = f"{where.path}:{given.lineno}" if is_operator(where, given) else None
            if place is None and is_open(where, given):
                place = operator_elsewhere(self.repo)
            if place is not None:
                text = f"passes it to a function that may be the operator of {place}, which a list may not have"
                yield Difference(outline.path, func.lineno, text, fatal=True)

    def looked_through(self, holder: Holder) -> bool:
        """Something looks at all attributes of the objects that store it."""
        return any(True for _ in self._in_all_attributes(holder))

    def _in_all_attributes(self, holder: Holder) -> Iterator[tuple[Outline, ast.AST, bool]]:
        """`vars(x)` and `x.__dict__` of objects that are known to store the view; an item by its name is a use."""
        owners = self._owners(holder) if holder.kind is HolderKind.ATTRIBUTE else []
        if not owners:
            return
        if isinstance(holder.owner, Class) and self._is_data(holder.owner):  # it is compared and written by its fields
            for outline in self.repo.mentioning(holder.owner.node.name):
                for node in outline.nodes:
                    if (
                        isinstance(node, ast.Name)
                        and isinstance(node.ctx, ast.Load)
                        and not isinstance(outline.parents[node], ast.Attribute)
                        and self._is_owner(outline, node, holder.owner)
                    ):
                        yield outline, node, True
                yield from ((outline, node, True) for node in self._compared(outline, holder.owner))
        for name in ("vars", "__dict__"):
            for outline in self.repo.mentioning(name):
                nodes: list[ast.Call | ast.Attribute] = (
                    [call for call in outline.calls.get(name, ()) if len(call.args) == 1]
                    if name == "vars"
                    else [*outline.attributes.get(name, ())]
                )
                for node in nodes:
                    value = node.args[0] if isinstance(node, ast.Call) else node.value
                    item = isinstance(outline.parents[node], ast.Subscript)
                    if not item and any(self._is_owner(outline, value, owner, is_likely=True) for owner in owners):
                        yield outline, node, True

    def _owners(self, holder: Holder) -> list[Class]:
        """The classes of the object that has the attribute, as far as they are seen."""
        if holder.owner is not None:
            return [holder.owner] if isinstance(holder.owner, Class) else []
        if holder.outline is None or not isinstance(holder.place, ast.Attribute):
            return []
        return self.receivers.instance_of(holder.outline, holder.place.value)

    def _compared(self, outline: Outline, owner: Class) -> Iterator[ast.Name]:
        """Names in comparisons whose values functions that make objects of the class return."""
        for node in outline.nodes:
            for name in [node.left, *node.comparators] if isinstance(node, ast.Compare) else ():
                if isinstance(name, ast.Name) and self._comes_from_maker(outline, name, owner):
                    yield name

    def _comes_from_maker(self, outline: Outline, name: ast.Name, owner: Class) -> bool:
        for binding in outline.lookup(name, name.id)[1]:
            given = binding.value
            if given is None and isinstance(binding.statement, ast.Assign):  # one, other = make(), make()
                targets = (pairs(target, binding.statement.value) for target in binding.statement.targets)
                parts = (part for found in targets for place, part in found if last_name(place) == name.id)
                given = next(parts, None)
            if not isinstance(given, ast.Call):
                continue
            for where, function in self.repo.called(outline, given.func):
                for node in where.own(function):
                    if isinstance(node, ast.Return) and node.value is not None:
                        made = self.receivers.instance_of(where, node.value)
                        if any(self._related(cls, owner) for cls in made):
                            return True
        return False

    def _is_data(self, cls: Class) -> bool:
        """A dataclass, whose `==` and text are made of its fields, or the like."""
        marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in cls.node.decorator_list)
        names = {last_name(mark) for mark in marks} | {last_name(base) for base in cls.node.bases}
        own = {"__eq__", "__repr__", "__str__"} & {getattr(part, "name", "") for part in cls.node.body}
        return not _DATA.isdisjoint(names) and not own

    def _field(self, cls: Class, index: int | str | None) -> str | None:
        """The field that an argument of the constructor becomes, where the class writes none."""
        names: dict[str, None] = {}
        for each in reversed(self.repo.resolver.lineage(cls)):
            if self._is_data(each):
                fields = (part.target for part in each.node.body if isinstance(part, ast.AnnAssign))
                names.update({target.id: None for target in fields if isinstance(target, ast.Name)})
        by_place = [*names]
        if isinstance(index, int):
            return by_place[index] if index < len(by_place) else None
        return index if index in names else None

    def _is_owner(self, outline: Outline, value: ast.expr, owner: Class, is_likely: bool = False) -> bool:
        """The value is an object of the class, as is seen; `is_likely`: or a parameter of code that knows the class."""
        if outline.is_self(value):
            here = outline.owner(value)
            return here is not None and self._related(Class(outline, here), owner)
        classes = self.receivers.instance_of(outline, value)
        if classes or not isinstance(value, ast.Name) or not is_likely:
            return any(self._related(cls, owner) for cls in classes)
        scope = outline.lookup(value, value.id)[0]
        given = isinstance(scope, FUNCTIONS) and value.id in parameters(scope)
        return given and outline in self.repo.mentioning(owner.node.name)

    def _uses(self, holder: Holder) -> Iterator[tuple[Outline, ast.AST, bool]]:
        return ((outline, use, holder.nested) for outline, use in self._places(holder))

    def _places(self, holder: Holder) -> Iterator[tuple[Outline, ast.AST]]:
        if holder.kind is HolderKind.ATTRIBUTE:
            yield from self.attribute_uses(holder.name, holder.owner)
        elif holder.kind is HolderKind.NAME and holder.outline is not None:
            outline = holder.outline
            for node in ast.walk(holder.scope or outline.module):
                if (
                    isinstance(node, ast.Name)
                    and node.id == holder.name
                    and isinstance(node.ctx, (ast.Load, ast.Store))
                ):
                    parent = outline.parents[node]
                    if isinstance(node.ctx, ast.Store):
                        if isinstance(parent, ast.AugAssign) and parent.target is node:
                            yield outline, node
                        continue
                    scope, bindings = outline.lookup(node, node.id)
                    if scope is not holder.scope:
                        continue
                    reaches = [binding.statement for binding in bindings]
                    if holder.statement is None or not reaches or holder.statement in reaches:
                        yield outline, node
            if isinstance(holder.scope, ast.Module):
                yield from self._elsewhere(holder.name, outline)
        elif holder.kind is HolderKind.RESULT:
            for outline in self.repo.mentioning(holder.name):
                for call in outline.calls.get(holder.name, ()):
                    yield outline, call

    def _elsewhere(self, name: str, home: Outline) -> Iterator[tuple[Outline, ast.AST]]:
        """Reads of a name of a module in other files: `from m import name`, `m.name`."""
        for outline in self.repo.mentioning(name):
            if outline is home:
                continue
            for node in outline.nodes:
                if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Name):
                    root: ast.Name | None = node.value
                else:
                    root = node if isinstance(node, ast.Name) and node.id == name else None
                if root is not None and isinstance(root.ctx, ast.Load):
                    _, bindings = outline.lookup(root, root.id)
                    if (
                        any(isinstance(binding.statement, (ast.Import, ast.ImportFrom)) for binding in bindings)
                        or not bindings
                    ):
                        yield outline, node  # without a binding: `from m import *` may give it

    def attribute_uses(self, name: str, owner: Class | str | None) -> Iterator[tuple[Outline, ast.AST]]:
        """Reads of `.name` of any object that may be the one that stores it, `getattr(x, "name")` too."""
        for outline in self.repo.mentioning(name):
            for node in outline.attributes.get(name, ()):
                augmented = isinstance(outline.parents[node], ast.AugAssign)
                if (isinstance(node.ctx, ast.Load) or augmented) and not self.foreign(outline, node, owner):
                    yield outline, node
            for call in outline.calls.get("getattr", ()):
                named = isinstance(call.func, ast.Name) and len(call.args) >= 2
                if named and isinstance(call.args[1], ast.Constant) and call.args[1].value == name:
                    yield outline, call
            for call in outline.calls.get("attrgetter", ()):
                given = call.args[0].value if len(call.args) == 1 and isinstance(call.args[0], ast.Constant) else None
                if isinstance(given, str) and given.rpartition(".")[2] == name:  # "table.names" reads it, too
                    yield outline, call
                    yield from self._calls_of_getter(outline, call)
            for node in [*outline.calls.get("vars", ()), *outline.attributes.get("__dict__", ())]:
                item = outline.parents[node]  # vars(x)["name"], x.__dict__["name"]
                read = isinstance(item, ast.Subscript) and item.value is node and isinstance(item.ctx, ast.Load)
                if read and isinstance(item.slice, ast.Constant) and item.slice.value == name:  # type: ignore[attr-defined]
                    yield outline, item

    def _calls_of_getter(self, outline: Outline, getter: ast.Call) -> Iterator[tuple[Outline, ast.AST]]:
        """Calls of what is kept under a name: `names_of = attrgetter("names")`, then `names_of(x)`."""
        statement = outline.parents[getter]
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is not getter:
            return
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for word in {last_name(target) for target in targets} - {""}:
            for other in self.repo.mentioning(word):
                for call in other.calls.get(word, ()):
                    yield other, call
                for call in other.calls.get("map", ()):
                    if call.args and last_name(call.args[0]) == word:
                        yield other, call.args[0]

    def foreign(self, outline: Outline, node: ast.Attribute, owner: Class | str | None) -> bool:
        """`node` is `.name` of something known to be no `owner`.

        That is: an instance of unrelated classes, or `self.name` in an unrelated class that stores its own.
        """
        if owner is None:
            return False
        if not outline.is_self(node.value):
            classes = self.receivers.instance_of(outline, node.value)
            return bool(classes) and not any(self._related(cls, owner) for cls in classes)
        here = outline.owner(node)
        if here is None or self._related(Class(outline, here), owner):
            return False
        if isinstance(owner, str):  # a class of an installed package, and this one is not derived from it
            return True
        for where, found in self.repo.resolver.lineage(Class(outline, here)):
            for part in ast.walk(found):
                if isinstance(part, ast.Attribute) and part.attr == node.attr and isinstance(part.ctx, ast.Store):
                    if where.is_self(part.value):
                        return True
                elif (
                    isinstance(part, ast.Name)
                    and part.id == node.attr
                    and where.parents[where.statement(part)] is found
                ):
                    return True
        return False

    def _related(self, cls: Class, owner: Class | str) -> bool:
        if isinstance(owner, str):
            return owner in self.repo.resolver.base_names(cls)
        return self.repo.resolver.may_be_related(cls, owner)

    def parameters(self, holder: Holder) -> Iterator[Holder]:
        """The parameters of the project's functions that an argument may become."""
        functions: list[tuple[Outline, Function, bool]] = []
        if holder.outline is None or holder.callee is None:
            return
        given_ones = [*functions_given(self.repo, holder.outline, holder.callee)]
        for where, given in given_ones:
            if isinstance(given, ast.Lambda) and isinstance(holder.index, int):
                for taking in positional(given)[holder.index : holder.index + 1]:
                    yield Holder(HolderKind.NAME, taking, None, where, given, given, holder.nested, holder.hops)
        others = [item for item in given_ones if isinstance(item[1], (ast.Name, ast.Attribute))]
        for where, given in dict.fromkeys([(holder.outline, holder.callee), *others]):
            for outline, found in self.repo.called(where, given):
                static = any(last_name(mark) == "staticmethod" for mark in found.decorator_list)
                functions.append((outline, found, isinstance(outline.parents[found], ast.ClassDef) and not static))
        for cls in self.repo.resolver.classes(holder.outline, holder.callee):
            inits = ((at.outline, method(at.node, "__init__")) for at in self.repo.resolver.lineage(cls))
            made = [(where, init, True) for where, init in inits if init is not None][:1]
            functions += made
            field = self._field(cls, holder.index) if not made else None
            if field is not None:
                yield Holder(HolderKind.ATTRIBUTE, field, cls, nested=holder.nested, hops=holder.hops)
        if len(functions) > 6:
            return
        for outline, function, bound in functions:
            name, nested = None, holder.nested
            if isinstance(holder.index, str):
                name = holder.index if holder.index in parameters(function) else None
            elif holder.index is not None:
                plain = positional(function)
                name = plain[holder.index + bound] if holder.index + bound < len(plain) else None
                rest = function.args.vararg
                if name is None and rest is not None:
                    name, nested = rest.arg, True
            if name is not None:
                yield Holder(
                    HolderKind.NAME,
                    name,
                    outline=outline,
                    scope=function,
                    statement=function,
                    nested=nested,
                    hops=holder.hops,
                )
