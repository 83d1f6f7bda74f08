"""What may stand for `self` when a function moves: a method, its attributes, or nothing; and what forbids a partial."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Protocol, TypeAlias

from ...finding import Refused
from ...flow.answers.introspection import ON_A_CLASS, Question
from ...nodes import walk
from ...project import Project
from ...syntax.names import last_name
from ...syntax.outline import Repo
from ...syntax.scopes import (
    FUNCTIONS,
    Kind,
    Scope,
    Scopes,
    Use,
    Variable,
    end_of,
    start_of,
)
from ...tree.source import Source
from .candidate import Unit, assignment_targets
from .identity import Identities
from .libraries import libraries
from .settled import origin_in

Me: TypeAlias = "tuple[Scope, str, ast.ClassDef]"  # a method's scope, its first parameter, its class

_ASKS_FOR_FUNCTIONS = frozenset({"isfunction", "FunctionType", "LambdaType", "isroutine"})
_OF_FUNCTIONS = frozenset({"__name__", "__qualname__", "__code__"})
CALLABLE = "use a class with `__call__`"
_SEES_THROUGH = frozenset(
    {"inspect.ismethod", "inspect.signature", "inspect.getfullargspec", "__self__", "__func__"}
)  # of a partial that gives values by position they say the same as of a function
_FRAMES = re.compile(r"co_name|_getframe|currentframe|inspect\.stack|getframeinfo|getouterframes|extract_stack")
_OF_PARTIALS = frozenset({"args", "func", "keywords"})
_PLAIN = "pass the values as arguments instead"
_RENAMED = "and the function would get another name: move it to module level by hand"
_UNBOUND = "what would stand for it there is not bound to objects: hand the object over yourself"


class Known(Identities, Protocol):
    """What is known of values beyond their file: `flow.graph.Flow`. Positions are those of `ast`."""

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        """What instances of a class hold that should not be pickled along, in words."""

    def asked(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where a function is asked for what only functions have."""

    def carried(self, path: str, line: int, column: int) -> Sequence[str]:
        """What heavy things a function reads, in words."""

    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """`path:line` of a `copy.deepcopy` of what holds a function."""

    def given(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Calls of a function, each with how many arguments it gives by position ("*" for who knows how many)."""

    def called(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Names at module level that hold a function."""


class Unknown:
    """Nothing is known."""

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        """None."""
        return ()

    def asked(self, path: str, line: int, column: int) -> Sequence[Question]:
        """None."""
        return ()

    def carried(self, path: str, line: int, column: int) -> Sequence[str]:
        """None."""
        return ()

    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """None."""
        return None

    given = called = identities = class_identities = instance_identities = asked


def outside_uses(unit: Unit, moving: Iterable[Unit]) -> list[Use]:
    """Where the unit's name is read by code that stays."""
    if unit.variable is None:
        return []
    inside = {id(node) for other in moving for node in ast.walk(other.node)}
    return [use for use in unit.variable.scope.uses.get(unit.variable.name, []) if id(use.node) not in inside]


class Handover:
    """Questions about one file."""

    def __init__(self, project: Project, source: Source, scopes: Scopes, known: Known) -> None:
        self.project, self.source, self.scopes, self.known = project, source, scopes, known
        self.path = source.path
        self.repo = Repo(project)

    def why_no_method(self, me: Me, stays: bool = False) -> str | None:
        """Why no method can take the place of what reads `self`. `stays`: only `self` itself keeps it."""
        cls, carry = me[2], f"a method would carry the whole `{me[1]}` along"
        scope: Scope | None = self.scopes.around(cls)
        while scope is not None:
            if scope.is_local:
                return f"the class `{cls.name}` is itself made inside a function: move it to module level"
            scope = scope.parent
        for special in ("__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__"):
            if special in self.scopes.inner(cls).bindings:
                return f"{carry}, and `{cls.name}` defines `{special}`: pass what it needs as arguments"
        burdens = [] if stays else [*self.known.burdens(self.path, cls.lineno), *self._kept_by(cls)]
        if burdens:
            more = f" and {len(burdens) - 2} more" if len(burdens) > 3 else ""
            named = ", ".join(burdens[:2] if more else burdens)
            return f"{carry} with {named}{more}: pass what it needs as arguments"
        return None

    def _kept_by(self, cls: ast.ClassDef) -> Iterator[str]:
        """Modules and datasets that the methods of a class put on its objects, in words."""
        for node in ast.walk(cls):
            targets = [each for each in assignment_targets(node) if isinstance(each, ast.Attribute)]
            value = getattr(node, "value", None)
            for target in targets:
                where = f"`{ast.unparse(target)}` ({self.path}:{target.lineno})"
                if isinstance(value, ast.Name):
                    owner = self.scopes.owner(self.scopes.around(value), value.id)
                    bindings = owner.bindings[value.id] if owner is not None else []
                    if bindings and all(isinstance(each.statement, ast.Import) for each in bindings):
                        yield f"a module {where}"
                elif isinstance(value, ast.Call):
                    origin = origin_in(self.scopes, value.func)
                    if origin.startswith(libraries().datasets):
                        yield f"a dataset {where}"

    def attributes(self, unit: Unit, me: Me, why: str) -> tuple[str, ...]:
        """The attributes of self that the body reads, when handing over their present values is the same thing."""
        scopes, cls = self.scopes, me[2]
        names: dict[str, None] = {}
        for use in unit.self_uses:
            parent = scopes.parents[use.node]
            if not (isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load)):
                raise Refused(why)
            names[parent.attr] = None
        init = next((s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)
        words = {node.id for node in ast.walk(unit.node) if isinstance(node, ast.Name)}
        words |= {node.arg for node in ast.walk(unit.node) if isinstance(node, ast.arg)}
        for name in names:
            stores = [
                node
                for node in ast.walk(scopes.tree)
                if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load)
            ]
            inside = {id(node) for node in ast.walk(init)} if init is not None else set()
            if name in scopes.inner(cls).bindings or not stores:
                raise Refused(f"{why} (`{me[1]}.{name}` is not a plain attribute set in `__init__`)")
            late = [node for node in stores if id(node) not in inside or not self._is_set_before(node, unit, init)]
            if late or len(stores) > 1 or self.is_set_elsewhere(name):
                line = f" at line {late[0].lineno}" if late else ""
                raise Refused(f"{why} (`{me[1]}.{name}` is set again{line})")
            if any(f"{me[1]}.{name}`" in burden for burden in self.known.burdens(self.path, cls.lineno)):
                raise Refused(why)
            if name in words or name.startswith("__"):
                raise Refused(f"{why} (`{name}` means something else in it)")
        return tuple(names)

    def _is_set_before(self, store: ast.Attribute, unit: Unit, init: ast.FunctionDef | None) -> bool:
        """`self.x = ...` stands directly in `__init__`, before the function is made if that is in `__init__` too."""
        statement = self.scopes.statement_of(store)
        if init is None or statement not in init.body or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return False
        maker = self.scopes.anchor(unit.node, self.scopes.inner(init)) if self._is_made_in(unit, init) else None
        return maker is None or end_of(statement) <= start_of(maker)

    def _is_made_in(self, unit: Unit, init: ast.FunctionDef) -> bool:
        return any(above is init for above in self.scopes.ancestors(unit.node))

    def is_set_elsewhere(self, name: str) -> bool:
        """Another file sets such an attribute of something, or this one may do so by name."""
        pattern = re.compile(
            rf"\.{re.escape(name)}\s*(?:=(?!=)|[-+*/%&|^@]=|//=|\*\*=)|setattr\([^)]{{0,999}}[\"']{re.escape(name)}[\"']"
        )
        return (
            any(source.path != self.path for source in self.project.matching(pattern, word=name))
            or "setattr(" in self.source.text
        )

    def check_identity(self, unit: Unit, form: str, renamed: bool = False) -> str | None:
        """A partial has no `__name__` and is no function, nor is an object; a function's attributes stay behind.

        `form` is what the function becomes: "function", "partial" or "object". What gets another name has another
        `__name__`. Gives the words for a place that reads its `__name__`, which an object may have, and nothing else.

        Raises Refused where the project relies on any of the rest.
        """
        if isinstance(unit.node, ast.Lambda) and "<lambda>" in self.source.text:
            raise Refused("the file asks for functions called `<lambda>`: give it a name by hand")
        frames = _FRAMES.search(self.source.text) if renamed or isinstance(unit.node, ast.Lambda) else None
        if frames is not None:
            line = self.source.position(frames.start())[0]
            raise Refused(f"`{frames[0]}` (line {line}) may read the name of its code, {_RENAMED}")
        wrapped = form != "function"
        lacking = f"which {'a partial' if form == 'partial' else 'an object'} lacks: {CALLABLE}"
        places: list[ast.AST] = [use.node for use in outside_uses(unit, {unit})]
        for place in [*places, unit.node] if wrapped else ():
            call = self.scopes.parents[place]
            if (
                isinstance(call, ast.Call)
                and call.args[:1] == [place]
                and last_name(call.func) in libraries().compilers
            ):
                raise Refused(f"`{ast.unparse(call.func)}` (line {call.lineno}) compiles functions only: {_PLAIN}")
        for held in self.known.called(self.path, *start_of(unit.node)) if wrapped else ():
            if held.what in self._listed(held.path):
                what = f"it is `{held.what}` of `__all__` ({held.path}:{held.line}), whose users see a function"
                raise Refused(f"{what} with a name: write it with `def`")
        asks_name = self._asks_by_name(unit, form) or self._asks_elsewhere(unit, wrapped, renamed, lacking)
        for name, node in self._asking if wrapped or renamed else ():
            if wrapped and name in _ASKS_FOR_FUNCTIONS:
                raise Refused(f"`{name}` is used (line {node.lineno}), and a partial is no function: {_PLAIN}")
            of_functions = _OF_FUNCTIONS if wrapped else {"__name__"}
            if name not in of_functions or not isinstance(node, ast.Attribute) or (name == "__name__" and asks_name):
                continue
            if self._may_be_function(node.value):
                what = f"`{ast.unparse(node)}` is read (line {node.lineno})"
                raise Refused(f"{what}, {lacking}" if wrapped else f"{what}, {_RENAMED}")
        return asks_name

    @cached_property
    def _asking(self) -> list[tuple[str, ast.Attribute | ast.Name]]:
        """The names in the file that ask something of functions."""
        names = (
            (node.attr if isinstance(node, ast.Attribute) else node.id, node)
            for node in ast.walk(self.scopes.tree)
            if isinstance(node, (ast.Attribute, ast.Name))
        )
        return [(name, node) for name, node in names if name in _ASKS_FOR_FUNCTIONS | _OF_FUNCTIONS]

    def _listed(self, path: str) -> frozenset[str]:
        """The names in a file's `__all__`."""
        module = self.project.module(path)
        found: set[str] = set()
        for each in module.body if module is not None else ():
            if isinstance(each, (ast.Assign, ast.AugAssign)) and "__all__" in ast.unparse(each).partition("=")[0]:
                constants = (node.value for node in ast.walk(each) if isinstance(node, ast.Constant))
                found |= {value for value in constants if isinstance(value, str)}
        return frozenset(found)

    def _asks_by_name(self, unit: Unit, form: str) -> str | None:
        unseen = f"which a worker does not see: {CALLABLE}"
        asks_name = None
        for use in outside_uses(unit, {unit}) if form != "object" else ():
            parent = self.scopes.parents[use.node]
            if isinstance(parent, ast.Attribute):
                what = f"`{use.name}.{parent.attr}`"
                if form == "partial" and parent.attr in _OF_PARTIALS:
                    raise Refused(f"{what} is used (line {parent.lineno}), which is something else of a partial")
                if form == "partial" and (parent.attr == "__dict__" or not parent.attr.startswith("__")):
                    continue  # a partial keeps attributes, and takes them to a worker
                if not isinstance(parent.ctx, ast.Load):
                    raise Refused(f"{what} is set (line {parent.lineno}), {unseen}")
                if form == "partial" and parent.attr == "__name__":
                    asks_name = f"{what} is read (line {parent.lineno}), which a partial lacks"
                elif form == "partial":
                    raise Refused(f"{what} is read (line {parent.lineno}), which a partial lacks: {CALLABLE}")
            if form != "partial" and isinstance(parent, ast.Call) and ast.unparse(parent.func) == "setattr":
                raise Refused(f"an attribute is set on `{use.name}` (line {parent.lineno}), {unseen}")
        return asks_name

    def _asks_elsewhere(self, unit: Unit, wrapped: bool, renamed: bool, lacking: str) -> str | None:
        """What the flow knows of places that get the function as a value."""
        asks_name = None
        for question in self.known.asked(self.path, *start_of(unit.node)) if wrapped or renamed else ():
            where = f"line {question.line}" if question.path == self.path else f"{question.path}:{question.line}"
            read = f"its `{question.what}` is read ({where})"
            if question.what == "__name__" and wrapped:
                asks_name = asks_name or f"{read}, {lacking.partition(':')[0]}"
            elif question.what == "__name__":
                raise Refused(f"{read}, {_RENAMED}")
            elif wrapped and question.what.startswith("__") and question.what not in _SEES_THROUGH:
                raise Refused(f"{read}, {lacking}")
            elif wrapped and question.what == ON_A_CLASS:
                raise Refused(f"it is kept on a class ({where}), and {_UNBOUND}")
            elif wrapped and question.what not in _SEES_THROUGH:
                raise Refused(f"`{question.what}` looks at it ({where}), and a partial is no function: {_PLAIN}")
        return asks_name

    def check_bases(self, unit: Unit, name: str) -> None:
        """Defining the class as `name` does nothing but define it, as far as the project shows its bases.

        Raises Refused where a base registers what derives from it, which would happen on import, and where it or a base
        asks for the name that it had.
        """
        if not isinstance(unit.node, ast.ClassDef):
            return
        ancestors = {each for base in unit.node.bases for each in self.repo.ancestors(last_name(base))}
        bases = {each: [base for _, base in self.repo.classes(each)] for each in sorted(ancestors)}
        family = [unit.node, *(base for found in bases.values() for base in found)]
        for node in (inner for each in family for inner in ast.walk(each)) if name != unit.node.name else ():
            if isinstance(node, ast.Attribute) and node.attr in ("__name__", "__qualname__") and _is_type(node.value):
                raise Refused(
                    f"`{ast.unparse(node)}` is read (line {node.lineno}), {_RENAMED.replace('function', 'class')}"
                )
        for name, found in bases.items():
            for base in found:
                hooks = [f"metaclass {ast.unparse(each.value)}" for each in base.keywords if each.arg == "metaclass"]
                hooks = [each for each in hooks if not each.endswith("ABCMeta")]
                methods = [each.name for each in base.body if isinstance(each, FUNCTIONS)]
                hooks += [f"`{each}`" for each in methods if each == "__init_subclass__"]
                if hooks:
                    what = f"its base `{name}` has a {hooks[0]}, which would see it on import"
                    raise Refused(f"{what}: move it to module level by hand")

    def check_binding(self, unit: Unit) -> None:
        """A function that a class holds gets the object as first argument; a partial or bound method there does not.

        Raises Refused where the function is made for that or is put there.
        """
        if not isinstance(unit.node, ast.ClassDef):
            first = [each.arg for each in [*unit.node.args.posonlyargs, *unit.node.args.args]][:1]
            if first in (["self"], ["cls"]):
                raise Refused(f"it takes `{first[0]}` as a method does, and {_UNBOUND}")
            if unit.home.kind is Kind.CLASS and assignment_targets(self.scopes.statement_of(unit.node)):
                raise Refused(f"it may be a method of the class around it, and {_UNBOUND}")
            for above in self.scopes.ancestors(unit.node):
                if isinstance(above, ast.Call) and len(above.args) == 3 and last_name(above.func) == "type":
                    raise Refused(
                        f"it may be a method of the class that `type` makes (line {above.lineno}), and {_UNBOUND}"
                    )
            self._check_wrapper(unit)
        places = [use.node for use in outside_uses(unit, {unit})]
        for place in [*places, unit.node] if isinstance(unit.node, ast.Lambda) else places:
            parent = self.scopes.parents[place]
            holders = [each.value for each in assignment_targets(parent) if isinstance(each, ast.Attribute)]
            if isinstance(parent, ast.Call) and last_name(parent.func) in ("setattr", "object"):
                holders = parent.args[:1]  # also `monkeypatch.setattr` and `mock.patch.object`
            for holder in holders:
                if self._may_be_class(holder):
                    what = f"it is kept on `{ast.unparse(holder)}` (line {holder.lineno})"
                    raise Refused(f"{what}, which may be a class, and {_UNBOUND}")

    def _check_wrapper(self, unit: Unit) -> None:
        """Raises Refused for what a decorator puts in the place of a function, which may be a method."""
        scope: Scope | None = unit.home
        while scope is not None and isinstance(scope.node, (*FUNCTIONS, ast.Lambda)):
            name = getattr(scope.node, "name", "")
            pattern = re.compile(rf"^[ \t]+@(?:\w+\.)*{re.escape(name)}\b(?!\.)", re.MULTILINE)
            if name and next(iter(self.project.matching(pattern, word=name)), None) is not None:
                raise Refused(f"`@{name}` may put it in the place of a method, and {_UNBOUND}")
            where = self._on_a_class(name) if name else None
            if where is not None:
                raise Refused(f"a class keeps what `{name}` gives ({where}), and {_UNBOUND}")
            scope = scope.parent
        maker, node = unit.home.node, unit.node
        if not isinstance(maker, FUNCTIONS) or isinstance(node, ast.ClassDef) or node.args.vararg is None:
            return
        wrapped = [*maker.args.posonlyargs, *maker.args.args]
        for use in unit.captures.get(Variable(unit.home, wrapped[0].arg), ()) if len(wrapped) == 1 else ():
            call = self.scopes.parents[use.node]
            if isinstance(call, ast.Call) and call.func is use.node and self._gives_on(call, node.args.vararg.arg):
                what = f"it wraps `{use.name}` as a decorator does, which may be a method"
                raise Refused(f"{what}, and {_UNBOUND}, or decorate it with `functools.wraps({use.name})`")

    def _on_a_class(self, maker: str) -> str | None:
        """Where a class body of the project has `name = maker(...)`."""
        pattern = re.compile(rf"^[ \t]+\w+[ \t]*(?::.*)?=[ \t]*(?:\w+\.)*{re.escape(maker)}\(", re.MULTILINE)
        for source in self.project.matching(pattern, word=maker):
            module = self.project.module(source.path)
            for cls in walk(module) if module is not None else ():
                for node in cls.body if isinstance(cls, ast.ClassDef) else ():
                    value = getattr(node, "value", None) if assignment_targets(node) else None
                    if isinstance(value, ast.Call) and last_name(value.func) == maker:
                        return f"{source.path}:{node.lineno}"
        return None

    def _gives_on(self, call: ast.Call, rest: str) -> bool:
        stars = (each.value for each in call.args if isinstance(each, ast.Starred))
        return any(isinstance(each, ast.Name) and each.id == rest for each in stars)

    def check_calls(self, unit: Unit) -> None:
        """What a default value takes from a local variable is a keyword afterwards: no call here gives it by position.

        Raises Refused where one does.
        """
        if isinstance(unit.node, ast.ClassDef) or not unit.frozen:
            return
        positional = [each.arg for each in [*unit.node.args.posonlyargs, *unit.node.args.args]]
        first = min((positional.index(name) for name in unit.frozen if name in positional), default=len(positional))
        if first == len(positional):
            return
        for use in outside_uses(unit, {unit}):
            call = self.scopes.parents[use.node]
            if not (isinstance(call, ast.Call) and call.func is use.node):
                continue
            if len(call.args) > first or any(isinstance(each, ast.Starred) for each in call.args):
                self._refuse_call(positional[first], f"line {call.lineno}")
        for seen in self.known.given(self.path, *start_of(unit.node)):
            if seen.what == "*" or int(seen.what) > first:
                where = f"line {seen.line}" if seen.path == self.path else f"{seen.path}:{seen.line}"
                self._refuse_call(positional[first], where)

    def _refuse_call(self, name: str, where: str) -> None:
        raise Refused(f"`{name}` may be given by position ({where}), which a partial does not allow: {CALLABLE}")

    def _may_be_class(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id == "type"
        if isinstance(value, ast.Attribute):
            return value.attr == "__class__" or value.attr[:1].isupper()
        if not isinstance(value, ast.Name):
            return False
        owner = self.scopes.owner(self.scopes.around(value), value.id)
        bound = owner.bindings[value.id] if owner is not None else []
        return value.id == "cls" or value.id[:1].isupper() or any(each.kind == "class" for each in bound)

    def _may_be_function(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Attribute):
            return value.attr != "__class__"
        if isinstance(value, ast.Name):
            if value.id == "cls" or value.id[:1].isupper():
                return False
            owner = self.scopes.owner(self.scopes.around(value), value.id)
            return owner is not None and all(
                each.kind not in ("import", "def", "class") for each in owner.bindings[value.id]
            )
        return isinstance(value, ast.Subscript)


def _is_type(value: ast.expr) -> bool:
    """`type(self)`, `self.__class__` or `cls`."""
    text = ast.unparse(value)
    return text == "cls" or text.startswith("type(") or text.endswith(".__class__")
