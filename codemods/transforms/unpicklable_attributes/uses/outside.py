"""What is done to the objects of a class by code outside of the class, before they cross."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.unpicklable import Recogniser
from ....syntax.unpicklable_table import ObjectKind, Remedy
from ..data import names as names_of
from .elsewhere import Elsewhere
from .file_uses import FileUses, Made, copies, file_uses, loops_around, names_in
from .mutation import first_touch, named

if TYPE_CHECKING:
    from ..classes import Shape

SETS_TO_NONE = "sets it to None"
_ASKS = frozenset(("print", "len", "str", "repr", "type", "isinstance"))  # sends nothing of what it gets
_SETS = ("setattr", "delattr")
_AT = "__getitem__"
_WALK = ("__iter__", "__next__", _AT)  # the last where the class has no `__iter__`, and by samplers


class Outside:
    """Uses of objects of the classes `names` in `outlines`.

    `hands_out`: methods that pass their object, or a method of it, to other code; `elsewhere`: what the value flow
    knows of the objects.
    """

    def __init__(
        self, outlines: Iterable[Outline], names: frozenset[str], hands_out: frozenset[str], elsewhere: Elsewhere
    ) -> None:
        self.names, self.hands_out, self.elsewhere = names, hands_out, elsewhere
        self.files = [file_uses(elsewhere.repo.project, outline) for outline in outlines]
        self.outlines = [file.outline for file in self.files]
        self.without_init = False  # some object is made without its constructor
        self._sets: dict[str, list[str]] = {}  # the places that set or delete an attribute, by attribute
        self.copied = False  # `copy.copy` makes another object that shares everything with the first
        self.called: set[str] = set()  # methods that are called before the object is passed on
        self._read: list[tuple[Outline, ast.Attribute]] = []  # attributes of such objects, before they are passed on
        self.makers = {file.outline: frozenset(_makers(file, names)) for file in self.files}
        for file in self.files:
            self._look(file)
        self.copied = self.copied or elsewhere.copied
        for attribute, place in elsewhere.sets():
            self._sets.setdefault(attribute, []).append(place)
        self.sets = {attribute: places[0] for attribute, places in self._sets.items()}  # the first place

    def only_clears(self, attribute: str) -> bool:
        """Code outside of the class sets it to None, and to nothing else."""
        places = self._sets.get(attribute, [])
        return bool(places) and all(self.takes_away(attribute, place) == SETS_TO_NONE for place in places)

    def takes_away(self, attribute: str, place: str) -> str:
        """What is done at `place` (of `sets`), in words: a `del` of the attribute, or None takes its place; else ""."""
        path, _, line = place.rpartition(":")
        outline = self.elsewhere.repo.outline(path) if line.isdigit() else None
        if outline is None:
            return ""
        nodes = [node for node in outline.attributes.get(attribute, ()) if node.lineno == int(line)]
        found = {_takes_away(outline, node) for node in nodes if not isinstance(node.ctx, ast.Load)}
        return found.pop() if len(found) == 1 else ""

    def touch(
        self, attribute: str, kind: ObjectKind, recogniser: Recogniser, early: Iterable[tuple[Outline, ast.Attribute]]
    ) -> str | None:
        """How the object in `attribute` is changed from outside, in words. `early`: its uses before it is sent."""
        for outline, node in early:
            if (what := _touch(outline, node, kind, recogniser)) is not None:
                return f"{outline.path}:{node.lineno} {what}"
        if kind.remedy is not Remedy.RECREATE:
            return None
        for file in self.files:  # objects that are attributes of others: `self.reader.queue.put(item)`
            for call in file.on_parts.get(attribute, ()):
                if (called := last_name(call.func)) in kind.stands:
                    return f"{file.outline.path}:{call.lineno} calls `{called}` on it"
        return None

    def before(self, attribute: str) -> list[tuple[Outline, ast.Attribute]]:
        """Uses of the attribute of such an object before it is passed on."""
        return [each for each in self._read if each[1].attr == attribute]

    def reads(self, attribute: str) -> Iterator[tuple[Outline, ast.Attribute]]:
        """Reads of the attribute by functions that get such an object, or in a loop over some: before or after it is
        sent."""
        found = [
            (file.outline, node)
            for file in self.files
            for node, made in file.reads(attribute)
            if self._may_hold_one(file.outline, made)
        ]
        known = {outline.path for outline in self.outlines}
        found += [each for each in self.elsewhere.reads(attribute) if each[0].path not in known]
        yield from found

    def _look(self, file: FileUses) -> None:
        outline = file.outline
        sets: list[tuple[int, str, str]] = []  # where in the order of nodes, the attribute, the place
        for at, node, made in file.sets:
            if self._may_hold_one(outline, made):
                sets.append((at, node.attr, f"{outline.path}:{node.lineno}"))
        self.copied = self.copied or not file.copies_itself.isdisjoint(self.names)
        raw = {at for name in self.names for at in file.raw.get(name, ())}
        self.without_init = self.without_init or bool(raw)
        known = raw | {at for name in self.names for at in file.makes.get(name, ())}
        known |= {at for name in self.makers[outline] for at in file.makes_by_name.get(name, ())}
        for at in sorted(known & file.assigned.keys()):
            statement = file.assigned[at]
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    sets += ((at, *found) for found in self._follow(file, statement, target.id))
        for _, attribute, place in sorted(sets, key=lambda each: each[0]):
            self._sets.setdefault(attribute, []).append(place)

    def _may_hold_one(self, outline: Outline, made: Made) -> bool:
        """A variable that may hold what is `made` may hold an object of these classes."""
        return made is None or not (made.isdisjoint(self.names) and made.isdisjoint(self.makers[outline]))

    def _follow(self, file: FileUses, made: ast.Assign, name: str) -> Iterator[tuple[str, str]]:
        """The attributes that are set through the local name for an object, with the place; notes other uses of it."""
        outline = file.outline
        named = file.once(names_in, outline.scope(made)).get(name, ())
        uses = [use for use in named if position(use) > position(made)]
        passed = [use for use in uses if self.passes_on(outline, use)]
        last = max(map(position, passed), default=(0, 0))
        sent = max((position(use) for use in passed if not _walking(outline, use)), default=(0, 0))
        again = {loop for use in passed for loop in loops_around(outline, use, [made])}
        for use in uses:
            above = outline.parents[use]
            if isinstance(above, ast.Call) and copies(outline, above):
                self.copied = True
            if isinstance(above, ast.Attribute):
                if not isinstance(above.ctx, ast.Load):
                    yield above.attr, f"{outline.path}:{above.lineno}"
                elif position(use) < last or not again.isdisjoint(outline.ancestors(use)):
                    self._read.append((outline, above))
                    call = outline.parents[above]
                    if isinstance(call, ast.Call) and call.func is above:
                        self.called.add(above.attr)
            elif methods := _walking(outline, use):
                if position(use) < sent:
                    self.called.update(methods)
            elif isinstance(above, ast.Call) and use in above.args and position(use) < sent:
                self.called.update(self._walked_by(outline, above, above.args.index(use)))
            elif isinstance(above, ast.Call) and last_name(above.func) in _SETS and len(above.args) > 1:
                attribute = getattr(above.args[1], "value", None)
                if above.args[0] is use and isinstance(attribute, str):
                    yield attribute, f"{outline.path}:{above.lineno}"

    def _walked_by(self, outline: Outline, call: ast.Call, at: int) -> Iterator[str]:
        """The methods that Python calls where functions of the repository walk over what a call of them passes."""
        for where, function in self.elsewhere.repo.called(outline, call.func):
            parameters = [*function.args.posonlyargs, *function.args.args]
            for use in named(where, function, parameters[at].arg) if at < len(parameters) else ():
                yield from _walking(where, use) if isinstance(use, ast.Name) else ()

    def passes_on(self, outline: Outline, use: ast.Name) -> bool:
        """The object itself goes somewhere, or a method of it does."""
        if not isinstance(use.ctx, ast.Load):
            return False
        above = outline.parents[use]
        if not isinstance(above, ast.Attribute):
            return True
        call = outline.parents[above]
        if isinstance(call, ast.Call) and call.func is above:
            return above.attr in self.hands_out
        return isinstance(call, (ast.Call, ast.keyword)) and last_name(getattr(call, "func", call)) not in _ASKS


def _takes_away(outline: Outline, node: ast.Attribute) -> str:
    assigned = outline.parents[node]
    if isinstance(node.ctx, ast.Del):
        return "deletes it"
    value = assigned.value if isinstance(assigned, ast.Assign) and node in assigned.targets else None
    return SETS_TO_NONE if isinstance(value, ast.Constant) and value.value is None else ""


def _walking(outline: Outline, use: ast.Name) -> tuple[str, ...]:
    """The methods that Python calls where the object is walked over: `next(rows)`, `for row in rows`, `rows[0]`.

    A loader without workers does so in the same process.
    """
    above = outline.parents[use]
    if isinstance(above, ast.Subscript) and above.value is use:
        return (_AT,) if isinstance(above.ctx, ast.Load) else ()
    if isinstance(above, ast.Call) and use in above.args:
        name = last_name(above.func)
        if name == "next":
            return ("__next__",)
        if name == "DataLoader" and not any(keyword.arg in ("num_workers", None) for keyword in above.keywords):
            return _WALK
        return _WALK if name in names_of("iterators") | names_of("takes_all") else ()
    walked = isinstance(above, (ast.For, ast.comprehension)) and above.iter is use
    return _WALK if walked or isinstance(above, (ast.Starred, ast.YieldFrom)) else ()


def _makers(file: FileUses, names: frozenset[str]) -> Iterator[str]:
    """Functions of the file that make an object of one of the classes and give it back."""
    outline = file.outline
    for name in names:
        for call in outline.calls.get(name, []):
            statement, scope = outline.statement(call), outline.scope(call)
            if not isinstance(scope, ast.FunctionDef) or not isinstance(outline.parents[scope], ast.Module):
                continue
            given = file.once(_returned, scope)
            bound = isinstance(statement, ast.Assign) and statement.value is call and ast.unparse(statement.targets[0])
            if ast.unparse(call) in given or (bound and bound in given):
                yield scope.name


def _returned(outline: Outline, function: ast.FunctionDef) -> frozenset[str]:
    """What a function gives back, as text."""
    own = (node.value for node in outline.own(function) if isinstance(node, ast.Return))
    return frozenset(ast.unparse(value) for value in own if value is not None)


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


def hands_out(hierarchy: Iterable[Shape]) -> Iterator[str]:
    """Names of the methods that use their object for more than its attributes, or a method of it uncalled."""
    shapes = list(hierarchy)
    names = {method.name for shape in shapes for method in shape.methods.values()}
    for shape in shapes:
        yield from (name for name, taken in shape.once(_taken).items() if taken is None or not taken.isdisjoint(names))


def _taken(shape: Shape) -> dict[str, set[str] | None]:
    """By method the attributes of its object that it takes and does not call; None where it takes the object itself."""
    found: dict[str, set[str] | None] = {}
    for method in shape.methods.values():
        taken: set[str] | None = set()
        for node in ast.walk(method):
            if not isinstance(node, ast.Name) or not shape.outline.is_self(node):
                continue
            above = shape.outline.parents[node]
            if not isinstance(above, ast.Attribute):
                taken = None
                break
            call = shape.outline.parents[above]
            if taken is not None and not (isinstance(call, ast.Call) and call.func is above):
                taken.add(above.attr)
        found[method.name] = taken
    return found
