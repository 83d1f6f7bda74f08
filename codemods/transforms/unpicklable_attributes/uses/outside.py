"""What is done to the objects of a class by code outside of the class, before they cross."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.unpicklable import Recogniser
from ....syntax.unpicklable_table import ObjectKind, Remedy
from .elsewhere import Elsewhere
from .mutation import first_touch, named

_SETS = ("setattr", "delattr")


class Outside:
    """Uses of objects of the classes `names` in `outlines`.

    `hands_out`: methods that pass their object, or a method of it, to other code; `elsewhere`: what the value flow
    knows of the objects.
    """

    def __init__(
        self, outlines: Iterable[Outline], names: frozenset[str], hands_out: frozenset[str], elsewhere: Elsewhere
    ) -> None:
        self.names, self.hands_out, self.elsewhere = names, hands_out, elsewhere
        self.outlines = list(outlines)
        self.without_init = False  # some object is made without its constructor
        self.sets: dict[str, str] = {}  # the place that sets or deletes an attribute, by attribute
        self.copied = False  # `copy.copy` makes another object that shares everything with the first
        self.called: set[str] = set()  # methods that are called before the object is passed on
        self._read: list[tuple[Outline, ast.Attribute]] = []  # attributes of such objects, before they are passed on
        self.makers = {outline: frozenset(_makers(outline, names)) for outline in self.outlines}
        for outline in self.outlines:
            self._look(outline)
        self.copied = self.copied or elsewhere.copied
        for attribute, place in elsewhere.sets():
            self.sets.setdefault(attribute, place)

    def deletes(self, attribute: str, place: str) -> bool:
        """What stands at `place` (of `sets`) is a `del` of the attribute."""
        path, _, line = place.rpartition(":")
        outline = self.elsewhere.repo.outline(path) if line.isdigit() else None
        return any(
            node.lineno == int(line) and isinstance(node.ctx, ast.Del)
            for node in (outline.attributes.get(attribute, ()) if outline is not None else ())
        )

    def touch(self, attribute: str, kind: ObjectKind, recogniser: Recogniser) -> str | None:
        """How the object in `attribute` is changed from outside, in words."""
        for outline, node in self.before(attribute):
            if (what := _touch(outline, node, kind, recogniser)) is not None:
                return f"{outline.path}:{node.lineno} {what}"
        if kind.remedy is not Remedy.RECREATE:
            return None
        for outline in self.outlines:  # objects that are attributes of others: `self.reader.queue.put(item)`
            for call in (call for name in kind.stands for call in outline.calls.get(name, [])):
                holder = call.func.value if isinstance(call.func, ast.Attribute) else None
                of_other = isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Attribute)
                if of_other and getattr(holder, "attr", "") == attribute:
                    return f"{outline.path}:{call.lineno} calls `{last_name(call.func)}` on it"
        return None

    def before(self, attribute: str) -> list[tuple[Outline, ast.Attribute]]:
        """Uses of the attribute of such an object before it is passed on."""
        return [each for each in self._read if each[1].attr == attribute]

    def reads(self, attribute: str) -> Iterator[tuple[Outline, ast.Attribute]]:
        """Reads of the attribute by functions that get such an object, or in a loop over some: before or after it is
        sent."""
        found = [
            (outline, node)
            for outline in self.outlines
            for node in outline.attributes.get(attribute, ())
            if isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and self._may_hold_one(outline, node.value)
        ]
        known = {outline.path for outline in self.outlines}
        found += [each for each in self.elsewhere.reads(attribute) if each[0].path not in known]
        yield from found

    def _look(self, outline: Outline) -> None:
        for node in outline.nodes:
            if (
                isinstance(node, ast.Attribute)
                and not isinstance(node.ctx, ast.Load)
                and isinstance(node.value, ast.Name)
                and self._may_hold_one(outline, node.value)
            ):
                self.sets.setdefault(node.attr, f"{outline.path}:{node.lineno}")
            if not isinstance(node, ast.Call):
                continue
            holder = node.func.value if isinstance(node.func, ast.Attribute) else None
            if _copies(outline, node) and outline.is_self(node.args[0]):
                owner = outline.owner(node)
                self.copied = self.copied or (owner is not None and owner.name in self.names)
            raw = last_name(node.func) == "__new__" and bool(node.args) and self._raw(outline, node)
            self.without_init = self.without_init or raw
            known = (
                raw or last_name(node.func) in self.names or (holder is not None and last_name(holder) in self.names)
            )
            if not known and not (isinstance(node.func, ast.Name) and node.func.id in self.makers[outline]):
                continue
            statement = outline.parents[node]
            if isinstance(statement, ast.Assign) and statement.value is node:
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self._follow(outline, statement, target.id)

    def _may_hold_one(self, outline: Outline, name: ast.Name) -> bool:
        """A parameter, a variable of a loop, or one of several that are assigned at once: it may be such an object."""
        if outline.is_self(name):
            return False
        for binding in outline.lookup(name, name.id)[1]:
            statement = binding.statement
            if binding.parameter or isinstance(statement, (ast.For, ast.AsyncFor)):
                return True
            if isinstance(statement, ast.Assign) and not any(isinstance(item, ast.Name) for item in statement.targets):
                made = {last_name(call.func) for call in ast.walk(statement.value) if isinstance(call, ast.Call)}
                if made & (self.names | self.makers[outline]):
                    return True
        return False

    def _raw(self, outline: Outline, call: ast.Call) -> bool:
        """It makes an object of the class, and no `__init__` follows by itself as after a method `__new__`."""
        around = next((above for above in outline.ancestors(call) if isinstance(above, ast.FunctionDef)), None)
        if around is not None and around.name == "__new__":
            return False
        first = last_name(call.args[0])
        owner = outline.owner(call)
        return first in self.names or (first == "cls" and owner is not None and owner.name in self.names)

    def _follow(self, outline: Outline, made: ast.Assign, name: str) -> None:
        """The uses of the local name for an object."""
        scope = outline.scope(made)
        uses = [
            node
            for node in ast.walk(scope)
            if isinstance(node, ast.Name) and node.id == name and position(node) > position(made)
        ]
        passed = [position(use) for use in uses if self.passes_on(outline, use)]
        last = max(passed, default=(0, 0))
        for use in uses:
            above = outline.parents[use]
            if isinstance(above, ast.Call) and _copies(outline, above):
                self.copied = True
            if isinstance(above, ast.Attribute):
                place = f"{outline.path}:{above.lineno}"
                if not isinstance(above.ctx, ast.Load):
                    self.sets.setdefault(above.attr, place)
                elif position(use) < last:
                    self._read.append((outline, above))
                    call = outline.parents[above]
                    if isinstance(call, ast.Call) and call.func is above:
                        self.called.add(above.attr)
            elif isinstance(above, ast.Call) and last_name(above.func) in _SETS and len(above.args) > 1:
                attribute = getattr(above.args[1], "value", None)
                if above.args[0] is use and isinstance(attribute, str):
                    self.sets.setdefault(attribute, f"{outline.path}:{above.lineno}")

    def passes_on(self, outline: Outline, use: ast.Name) -> bool:
        """The object itself goes somewhere, or a method of it does."""
        if not isinstance(use.ctx, ast.Load):
            return False
        above = outline.parents[use]
        if not isinstance(above, ast.Attribute):
            return True
        call = outline.parents[above]
        called = isinstance(call, ast.Call) and call.func is above
        return above.attr in self.hands_out if called else isinstance(call, (ast.Call, ast.keyword))


def _makers(outline: Outline, names: frozenset[str]) -> Iterator[str]:
    """Functions of the file that make an object of one of the classes and give it back."""
    for name in names:
        for call in outline.calls.get(name, []):
            statement, scope = outline.statement(call), outline.scope(call)
            if not isinstance(scope, ast.FunctionDef) or scope not in outline.module.body:
                continue
            given = {
                ast.unparse(node.value) for node in outline.own(scope) if isinstance(node, ast.Return) and node.value
            }
            bound = isinstance(statement, ast.Assign) and statement.value is call and ast.unparse(statement.targets[0])
            if ast.unparse(call) in given or (bound and bound in given):
                yield scope.name


def _copies(outline: Outline, call: ast.Call) -> bool:
    """`copy.copy(x)`, by whatever name it is imported."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        name = f"{outline.imported.get(call.func.value.id, '')}.{call.func.attr}"
    else:
        name = outline.imported.get(getattr(call.func, "id", ""), "")
    return name == "copy.copy" and len(call.args) == 1


def _touch(outline: Outline, node: ast.Attribute, kind: ObjectKind, recogniser: Recogniser) -> str | None:
    call = outline.parents[node]
    if isinstance(call, ast.Call) and node in call.args:
        for where, function in recogniser.functions(outline, call):
            arguments = [*function.args.posonlyargs, *function.args.args]
            at = call.args.index(node) + isinstance(call.func, ast.Attribute)
            if at < len(arguments):
                return first_touch(where, named(where, function, arguments[at].arg), kind)
    if isinstance(call, ast.Call) and node in call.args and last_name(call.func) == "removeHandler":
        return "takes it off its logger"
    if getattr(call, "attr", "") in ("close", "release") and kind.remedy is Remedy.REOPEN:
        return "closes it"
    what = first_touch(outline, [node], kind)
    return what.partition(" ")[2].partition(" ")[2] if what is not None else None


def hands_out(methods: Iterable[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]]) -> Iterator[str]:
    """Names of the methods that use their object for more than its attributes, or a method of it uncalled."""
    several = list(methods)
    names = {method.name for _, method in several}
    for outline, method in several:
        for node in ast.walk(method):
            if isinstance(node, ast.Name) and outline.is_self(node):
                above = outline.parents[node]
                call = outline.parents[above] if isinstance(above, ast.Attribute) else None
                called = isinstance(call, ast.Call) and call.func is above
                if not isinstance(above, ast.Attribute) or (above.attr in names and not called):
                    yield method.name
                    break
