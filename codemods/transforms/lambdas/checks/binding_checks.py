"""What forbids to move a function or class: it may be a method, its base registers it, its calls give by position."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from ....finding import Refused
from ....flow.answers.introspection import UNKNOWN
from ....nodes import statements, walk
from ....project import Project
from ....questions import asked
from ....syntax.binding_rules import FUNCTIONS, BindingKind, ScopeKind, positional
from ....syntax.names import last_name
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.scope_data import Scope, Variable, start_of
from ....syntax.scopes import Scopes
from ..candidate import Unit, assignment_targets
from ..known import Known, outside_uses
from .descriptors import binds_nothing
from .inspection_checks import CALLABLE, RENAMED, UNBOUND

_DECORATES = re.compile(r"[ \t]+@(?:\w+\.)*")  # a line in a block, up to the name of a decorator
_KEEPS = re.compile(r"[ \t]+\w+[ \t]*(?::.*)?=[ \t]*(?:\w+\.)*")  # such a line, up to what is called for a value


_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
_MEMBERS = frozenset({"member", "nonmember", "staticmethod"})
_BIND = ("types.MethodType", "__get__")


class BindingChecks:
    """Answers for one file."""

    def __init__(self, project: Project, path: str, scopes: Scopes, known: Known) -> None:
        self.project, self.path, self.scopes, self.known = project, path, scopes, known
        self.repo = Repo(project)

    def check_bases(self, unit: Unit, name: str) -> None:
        """Defining the class as `name` does nothing but define it, as far as the project shows its bases.

        Raises Refused where a base registers what derives from it, which would happen on import, and where it or a base
        asks for the name that it had.
        """
        if not isinstance(unit.node, ast.ClassDef):
            return
        outline = self.repo.outline(self.path)
        lineage = self.repo.resolver.lineage(Class(outline, unit.node)) if outline is not None else ()
        bases = [cls.node for cls in lineage if cls.node is not unit.node]
        family = [unit.node, *bases]
        names = {"__qualname__"} if name == unit.node.name else {"__name__", "__qualname__"}
        for node in (inner for cls in family for inner in ast.walk(cls)):
            if isinstance(node, ast.Attribute) and node.attr in names and _is_type(node.value):
                raise Refused(
                    f"`{ast.unparse(node)}` is read (line {node.lineno}), {RENAMED.replace('function', 'class')}"
                )
        for base in bases:
            hooks = [
                f"metaclass {ast.unparse(keyword.value)}" for keyword in base.keywords if keyword.arg == "metaclass"
            ]
            hooks = [hook for hook in hooks if not hook.endswith("ABCMeta")]
            methods = [statement.name for statement in base.body if isinstance(statement, FUNCTIONS)]
            hooks += [f"`{method}`" for method in methods if method == "__init_subclass__"]
            if hooks:
                what = f"its base `{base.name}` has a {hooks[0]}, which would see it on import"
                raise Refused(f"{what}: define it at module level, if it may be seen there")
        for listed in lineage[1:]:
            self._check_listed(listed)

    def _check_listed(self, base: Class) -> None:
        """Raises Refused where the classes that derive from `base` are listed, perhaps before the function runs."""
        for outline in self.repo.mentioning("__subclasses__"):
            for node in outline.attributes.get("__subclasses__", ()):
                listed = self.repo.resolver.classes(outline, node.value)
                if not listed or any(self.repo.resolver.may_be_related(cls, base) for cls in listed):
                    where = f"line {node.lineno}" if outline.path == self.path else f"{outline.path}:{node.lineno}"
                    raise Refused(
                        f"`{ast.unparse(node)}` ({where}) lists what derives from a class, and would see it from the "
                        "import on: define it at module level, if it may be seen there"
                    )

    def check_binding(self, unit: Unit) -> None:
        """A function that a class holds gets the object as first argument; a partial or bound method there does not.

        Raises Refused where the function is made for that or is put there.
        """
        if not isinstance(unit.node, ast.ClassDef):
            first = positional(unit.node)[:1]
            if first in (["self"], ["cls"]):
                raise Refused(f"it takes `{first[0]}` as a method does, and {UNBOUND}")
            if unit.home.kind is ScopeKind.CLASS and assignment_targets(self.scopes.statement_of(unit.node)):
                raise Refused(f"it may be a method of the class around it, and {UNBOUND}")
            for above in self.scopes.ancestors(unit.node):
                if isinstance(above, ast.Call) and len(above.args) == 3 and last_name(above.func) == "type":
                    raise Refused(
                        f"it may be a method of the class that `type` makes (line {above.lineno}), and {UNBOUND}"
                    )
            self._check_wrapper(unit)
        places = [use.node for use in outside_uses(unit, {unit})]
        for place in [*places, unit.node] if isinstance(unit.node, ast.Lambda) else places:
            parent = self.scopes.parents[place]
            holders = [target.value for target in assignment_targets(parent) if isinstance(target, ast.Attribute)]
            if isinstance(parent, ast.Call) and last_name(parent.func) in ("setattr", "object"):
                holders = parent.args[:1]  # also `monkeypatch.setattr` and `mock.patch.object`
            for holder in holders:
                if self._may_be_class(holder):
                    what = f"it is stored on `{ast.unparse(holder)}` (line {holder.lineno})"
                    raise Refused(f"{what}, which may be a class, and {UNBOUND}")

    def check_bound(self, unit: Unit) -> None:
        """Raises Refused where it becomes a method of one object: pickle looks that up in the class, by its name."""
        if isinstance(unit.node, ast.ClassDef):
            return
        named = (unit.node, *(use.node for use in outside_uses(unit, {unit})))
        calls = [(self.scopes.parents[place], place) for place in named]
        places = [
            (ast.unparse(call.func), f"line {call.lineno}")
            for call, place in calls
            if isinstance(call, ast.Call) and last_name(call.func) == "MethodType" and call.args[:1] == [place]
        ]
        asked = [each for each in self.known.asked(self.path, *start_of(unit.node)) if each.what in _BIND]
        places += [
            (at.what, f"line {at.line}" if at.path == self.path else f"{at.path}:{at.line}")
            for at in asked
            if not binds_nothing(self.project, at.path, at.line)
        ]
        for binds, where in places:
            raise Refused(
                f"`{binds}` ({where}) binds it to one object, and pickle looks for such a method in the class, by its "
                "name: use `functools.partial` with a function of the module and the object"
            )

    def check_member(self, unit: Unit) -> None:
        """Raises Refused where a call makes the value of an Enum's member of it: another one is not equal to that."""
        statement = self.scopes.statement_of(unit.node)
        owner = self.scopes.parents[statement]
        outline = self.repo.outline(self.path)
        if not (isinstance(unit.node, ast.Lambda) and isinstance(owner, ast.ClassDef) and outline is not None):
            return
        bases = self.repo.resolver.base_names(Class(outline, owner))
        if _ENUMS.isdisjoint(base.rpartition(".")[2] for base in bases):
            return
        for above in self.scopes.ancestors(unit.node):
            if above is statement:
                return
            if isinstance(above, ast.Call) and last_name(above.func) not in _MEMBERS:
                made = f"`{ast.unparse(above.func)}(...)`"
                raise Refused(
                    f"`{owner.name}` is an Enum: a member is pickled by its value, and no other {made} is equal to it. "
                    "Put a function of the module in a tuple instead"
                )

    def _check_wrapper(self, unit: Unit) -> None:
        """Raises Refused for what a decorator puts in the place of a function, which may be a method."""
        scope: Scope | None = unit.home
        while scope is not None and isinstance(scope.node, (*FUNCTIONS, ast.Lambda)):
            name = getattr(scope.node, "name", "")
            if name and _decorates_methods(self.project, name):
                raise Refused(f"`@{name}` may put it in the place of a method, and {UNBOUND}")
            where = _on_a_class(self.project, name) if name else None
            if where is not None:
                raise Refused(f"a class keeps what `{name}` gives ({where}), and {UNBOUND}")
            scope = scope.parent
        maker, node = unit.home.node, unit.node
        if not isinstance(maker, FUNCTIONS) or isinstance(node, ast.ClassDef) or node.args.vararg is None:
            return
        wrapped = [*maker.args.posonlyargs, *maker.args.args]
        for use in unit.captures.get(Variable(unit.home, wrapped[0].arg), ()) if len(wrapped) == 1 else ():
            call = self.scopes.parents[use.node]
            if isinstance(call, ast.Call) and call.func is use.node and self._gives_on(call, node.args.vararg.arg):
                what = f"it wraps `{use.name}` as a decorator does, which may be a method"
                raise Refused(f"{what}, and {UNBOUND}, or decorate it with `functools.wraps({use.name})`")

    def _gives_on(self, call: ast.Call, rest: str) -> bool:
        stars = (argument.value for argument in call.args if isinstance(argument, ast.Starred))
        return any(isinstance(star, ast.Name) and star.id == rest for star in stars)

    def check_calls(self, unit: Unit) -> None:
        """What a default value takes from a local variable is a keyword afterwards: no call here gives it by position.

        Raises Refused where one does.
        """
        if isinstance(unit.node, ast.ClassDef) or not unit.frozen:
            return
        names = positional(unit.node)
        first = min((names.index(name) for name in unit.frozen if name in names), default=len(names))
        if first == len(names):
            return
        for use in outside_uses(unit, {unit}):
            call = self.scopes.parents[use.node]
            if not (isinstance(call, ast.Call) and call.func is use.node):
                continue
            if len(call.args) > first or any(isinstance(argument, ast.Starred) for argument in call.args):
                self._refuse_call(names[first], f"line {call.lineno}")
        known = self.known.given(self.path, *start_of(unit.node))
        if unit.by_position and (not known or any(seen.what == UNKNOWN for seen in known)):
            raise unit.by_position
        for seen in known:
            if seen.what != UNKNOWN and (seen.what == "*" or int(seen.what) > first):
                where = f"line {seen.line}" if seen.path == self.path else f"{seen.path}:{seen.line}"
                self._refuse_call(names[first], where)
        if known and not self._is_key(unit.node):
            return
        for call in self._calls_of_what_is_given:
            if first < len(call.args) <= len(names):
                self._refuse_call(names[first], f"line {call.lineno}")

    def _is_key(self, node: ast.AST) -> bool:
        """A dict has it as a key: not all that loops over keys is known."""
        parent = self.scopes.parents[node]
        return isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Dict) and node in parent.keys)

    @cached_property
    def _calls_of_what_is_given(self) -> list[ast.Call]:
        calls = (node for node in walk(self.scopes.tree) if isinstance(node, ast.Call))
        return [call for call in calls if self._calls_what_is_given(call)]

    def _calls_what_is_given(self, call: ast.Call) -> bool:
        """It calls a parameter, the variable of a loop or an element: some function that nothing is known of."""
        called = call.func
        if not isinstance(called, ast.Name):
            return isinstance(called, ast.Subscript)
        owner = self.scopes.owner(self.scopes.around(called), called.id)
        kinds = {binding.kind for binding in owner.bindings[called.id]} if owner is not None else set()
        return not kinds.isdisjoint((BindingKind.PARAMETER, BindingKind.LOOP))

    def _refuse_call(self, name: str, where: str) -> None:
        raise Refused(f"`{name}` may be passed by position ({where}), which a partial does not allow: {CALLABLE}")

    def _may_be_class(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id == "type"
        if isinstance(value, ast.Attribute):
            return value.attr == "__class__" or value.attr[:1].isupper()
        if not isinstance(value, ast.Name):
            return False
        owner = self.scopes.owner(self.scopes.around(value), value.id)
        bound = owner.bindings[value.id] if owner is not None else []
        return value.id == "cls" or value.id[:1].isupper() or any(item.kind is BindingKind.CLASS for item in bound)


@asked
def _decorates_methods(project: Project, name: str) -> bool:
    """Some file has `@name` in a block."""
    lines = project.lines_with(name)
    return any(_DECORATES.fullmatch(before) and not after.startswith(".") for _, before, after in lines)


@asked
def _on_a_class(project: Project, maker: str) -> str | None:
    """Where a class body of the project has `name = maker(...)`."""
    lines = project.lines_with(maker)
    paths = (path for path, before, after in lines if after.startswith("(") and _KEEPS.fullmatch(before))
    for path in dict.fromkeys(paths):
        module = project.module(path)
        for cls in statements(module) if module is not None else ():
            for node in cls.body if isinstance(cls, ast.ClassDef) else ():
                value = getattr(node, "value", None) if assignment_targets(node) else None
                if isinstance(value, ast.Call) and last_name(value.func) == maker:
                    return f"{path}:{node.lineno}"
    return None


def _is_type(value: ast.expr) -> bool:
    """`type(self)`, `self.__class__` or `cls`."""
    text = ast.unparse(value)
    return text == "cls" or text.startswith("type(") or text.endswith(".__class__")
