"""What the code of one file does to objects, whichever their class: looked for once, and asked by each class."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from itertools import takewhile
from typing import Any, TypeVar

from ....project import Project
from ....syntax.binding_rules import LOOPS
from ....syntax.file_tree import Scope
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ..data import names

_Key = TypeVar("_Key", bound=Hashable)
_Found = TypeVar("_Found")
Made = frozenset[str] | None  # last names of calls that may have made an object; None: it may be any object


class FileUses:
    """Calls are known by where they are in the order of nodes."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.copies_itself: set[str] = set()  # classes with `copy.copy(self)`
        self.raw: dict[str, list[int]] = {}  # by class: calls of `__new__` that no `__init__` follows by itself
        self.makes: dict[str, list[int]] = {}  # by the name of what is called, or of what it is a method of
        self.makes_by_name: dict[str, list[int]] = {}  # by what is called without a dot
        self.assigned: dict[int, ast.Assign] = {}  # to which a call gives its value
        self._known: dict[tuple[object, object], Any] = {}
        self._reads: dict[str, list[tuple[ast.Attribute, Made]]] = {}
        for at, node in enumerate(outline.nodes):
            if isinstance(node, ast.Call):
                self._note(at, node)

    def _note(self, at: int, call: ast.Call) -> None:
        outline, called = self.outline, last_name(call.func)
        if copies(outline, call) and outline.is_self(call.args[0]):
            owner = outline.owner(call)
            self.copies_itself |= {owner.name} if owner is not None else set()
        if called == "__new__" and call.args:
            for name in _made_raw(outline, call):
                self.raw.setdefault(name, []).append(at)
        statement = outline.parents[call]
        if isinstance(statement, ast.Assign) and statement.value is call:
            self.assigned[at] = statement
            holder = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            for name in dict.fromkeys((called, holder)):
                self.makes.setdefault(name, []).append(at)
            if isinstance(call.func, ast.Name):
                self.makes_by_name.setdefault(called, []).append(at)

    @cached_property
    def sets(self) -> list[tuple[int, ast.Attribute, Made]]:
        """Attributes that are set or deleted on variables that may hold an object: each with its place among nodes."""
        found = []
        for at, node in enumerate(self.outline.nodes):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                made = self._held(node.value)
                if made is None or made:
                    found.append((at, node, made))
        return found

    def reads(self, attribute: str) -> list[tuple[ast.Attribute, Made]]:
        """Reads of an attribute of such variables."""
        if attribute not in self._reads:
            loads = (each for each in self.outline.attributes.get(attribute, ()) if isinstance(each.ctx, ast.Load))
            held = ((node, self._held(node.value)) for node in loads)
            self._reads[attribute] = [(node, made) for node, made in held if made is None or made]
        return self._reads[attribute]

    def _held(self, holder: ast.expr) -> Made:
        """What may have made the object in a variable: it is a parameter, one of a loop, or one of several that are
        assigned at once. Empty for anything else."""
        outline = self.outline
        if not isinstance(holder, ast.Name) or outline.is_self(holder):
            return frozenset()
        made: set[str] = set()
        for binding in outline.lookup(holder, holder.id)[1]:
            statement = binding.statement
            if binding.parameter or isinstance(statement, (ast.For, ast.AsyncFor)):
                return None
            if isinstance(statement, ast.Assign) and not any(isinstance(item, ast.Name) for item in statement.targets):
                made.update(last_name(call.func) for call in ast.walk(statement.value) if isinstance(call, ast.Call))
        return frozenset(made - {""})

    @cached_property
    def on_parts(self) -> dict[str, list[ast.Call]]:
        """Calls of methods of attributes of attributes, `self.reader.queue.put(item)`, by the last attribute."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.outline.of_kind(ast.Call):
            holder = call.func.value if isinstance(call.func, ast.Attribute) else None
            if isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Attribute):
                found.setdefault(holder.attr, []).append(call)
        return found

    def once(self, find: Callable[[Outline, _Key], _Found], key: _Key) -> _Found:
        """What `find` gives for the file and `key`, found once."""
        if (find, key) not in self._known:
            self._known[find, key] = find(self.outline, key)
        found: _Found = self._known[find, key]
        return found


def file_uses(project: Project, outline: Outline) -> FileUses:
    """The one of a file."""
    known = project.by_tree(FileUses)
    found = known.get(outline.path)
    if found is None or found.outline is not outline:
        found = known[outline.path] = FileUses(outline)
    return found


def names_in(outline: Outline, scope: Scope) -> dict[str, list[ast.Name]]:
    """Where names stand in a function or the module, in functions in it too, in the order of nodes."""
    found: dict[str, list[ast.Name]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
    return found


def loops_around(outline: Outline, node: ast.AST, made: Iterable[ast.AST]) -> list[ast.AST]:
    """The loops around `node`, innermost first, whose turns may share the object: not each of them has `made` it."""
    scope, anew = outline.scope(node), set[ast.AST]()
    for each in made:
        anew.update(takewhile(lambda above: not isinstance(above, ast.If), outline.ancestors(each)))
    around = (above for above in outline.ancestors(node) if isinstance(above, LOOPS) and outline.scope(above) is scope)
    return [loop for loop in around if loop not in anew]


def closed(outline: Outline, attribute: str) -> list[ast.Attribute]:
    """Where something of this name is closed: of anything but `self`."""
    nodes = outline.attributes.get(attribute, ())
    return [node for node in nodes if is_closed(outline, node) and not outline.is_self(node.value)]


def reads_by_line(outline: Outline, attribute: str) -> dict[int, list[ast.Attribute]]:
    """Where an attribute is read: of anything but `self`."""
    found: dict[int, list[ast.Attribute]] = {}
    for node in outline.attributes.get(attribute, ()):
        if isinstance(node.ctx, ast.Load) and not outline.is_self(node.value):
            found.setdefault(node.lineno, []).append(node)
    return found


def copies(outline: Outline, call: ast.Call) -> bool:
    """`copy.copy(x)`, by whatever name it is imported."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        name = f"{outline.imported.get(call.func.value.id, '')}.{call.func.attr}"
    else:
        name = outline.imported.get(getattr(call.func, "id", ""), "")
    return name == "copy.copy" and len(call.args) == 1


def is_closed(outline: Outline, handle: ast.Attribute) -> bool:
    """`x.f.close()`, `with x.f:`."""
    above = outline.parents[handle]
    if isinstance(above, ast.withitem):
        return above.context_expr is handle
    call = outline.parents[above]
    return (
        isinstance(above, ast.Attribute)
        and above.attr in names("closing_methods")
        and isinstance(call, ast.Call)
        and call.func is above
    )


def _made_raw(outline: Outline, call: ast.Call) -> set[str]:
    """The classes of which the call of `__new__` makes an object, unless it stands in a method `__new__`."""
    around = next((above for above in outline.ancestors(call) if isinstance(above, ast.FunctionDef)), None)
    if around is not None and around.name == "__new__":
        return set()
    first = last_name(call.args[0])
    owner = outline.owner(call) if first == "cls" else None
    return {first} if owner is None else {first, owner.name}
