"""What may stand for `self` when a function moves: a method of its class, or the attributes that it reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from ...finding import Refused
from ...project import Project
from ...syntax.binding_rules import COMPREHENSIONS, FUNCTIONS, LOOPS, BindingKind
from ...syntax.names import root_of_chain
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from ...syntax.scope_data import Scope, end_of, start_of
from ...syntax.scopes import Scopes
from ...tree.source import Source
from .candidate import Unit, assignment_targets
from .checks.other_means import by_other_means
from .checks.settled import origin_in
from .known import Known
from .libraries import libraries

_PASS = "pass what it needs as arguments"
_PASS_IT = f": {_PASS}"
_OWN_OBJECT = "keep that in an object of its own, and pass the object"  # in which it may still change
_INHERITED = "a multiprocessing object "
_OPTIONS = "hparams"
_MADE_ANEW = (
    "__new__",
    "__getstate__",
    "__setstate__",
    "__reduce__",
    "__reduce_ex__",
    "__getnewargs__",
    "__getnewargs_ex__",
)
_LARGE = frozenset({"dataset", "datasets", "dataloader", "dataloaders"})

Me: TypeAlias = "tuple[Scope, str, ast.ClassDef]"  # a method's scope, its first parameter, its class


class Handover:
    """Answers for one file."""

    def __init__(self, project: Project, source: Source, scopes: Scopes, known: Known) -> None:
        self.project, self.source, self.scopes, self.known = project, source, scopes, known
        self.path = source.path
        self.repo = Repo(project)
        self._kept: dict[ast.ClassDef, tuple[str, ...]] = {}  # of classes, as of `_kept_by`

    def why_not_kept(self, me: Me, stays: bool, inherited: bool) -> str | None:
        """Why no object with `__call__` can keep `self`: as for a method, or it would get another one in a worker."""
        mine, maker = self._class(me[2]), "a class with `__call__`"
        for base in self.repo.resolver.lineage(mine) if mine is not None else ():
            own = next((name for name in _MADE_ANEW if method(base.node, name) is not None), None)
            if own is not None:
                where = f"{base.outline.path}:{base.node.lineno}"
                return f"{maker} would keep `{me[1]}`, and `{base.node.name}` ({where}) has a `{own}`: {_PASS}"
        return self.why_no_method(me, stays, inherited, maker)

    def why_no_method(self, me: Me, stays: bool = False, inherited: bool = False, what: str = "a method") -> str | None:
        """Why no method can take the place of what reads `self`. `stays`: only `self` itself keeps it.

        `inherited`: a process that starts gets it, and with it queues and locks of `multiprocessing`; `what`: what
        takes its place.
        """
        cls, carry = me[2], f"{what} would carry the whole `{me[1]}` along"
        scope: Scope | None = self.scopes.around(cls)
        while scope is not None:
            if scope.is_local:
                return f"the class `{cls.name}` is itself defined inside a function: move it to module level"
            scope = scope.parent
        for special in ("__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__"):
            if special in self.scopes.inner(cls).bindings:
                return f"{carry}, and `{cls.name}` defines `{special}`: {_PASS}"
        if not stays and cls not in self._kept:
            self._kept[cls] = tuple(self._kept_by(cls))
        burdens = [] if stays else [*self.known.burdens(self.path, cls.lineno), *self._kept[cls]]
        burdens = [burden for burden in burdens if not (inherited and burden.startswith(_INHERITED))]
        own = next((burden.partition(" itself, ")[2] for burden in burdens if " itself, " in burden), "")
        burdens = [burden for burden in burdens if " itself, " not in burden]
        if own:
            carry += f", which is {own}"
        if burdens:
            more = f" and {len(burdens) - 2} more" if len(burdens) > 3 else ""
            named = ", ".join(burdens[:2] if more else burdens)
            return f"{carry}{',' if own else ''} with {named}{more}: {_PASS}"
        return f"{carry}: {_PASS}" if own else None

    def _kept_by(self, cls: ast.ClassDef) -> Iterator[str]:
        """Modules and datasets that the methods of a class put on its objects, in words."""
        for node in ast.walk(cls):
            whole = assignment_targets(node)
            parts = [part for target in whole if isinstance(target, (ast.Tuple, ast.List)) for part in target.elts]
            targets = [target for target in (*whole, *parts) if isinstance(target, ast.Attribute)]
            value = getattr(node, "value", None) if not parts else None
            for target in targets:
                where = f"`{ast.unparse(target)}` ({self.path}:{target.lineno})"
                words = target.attr.lower().strip("_").split("_")
                if isinstance(value, ast.Name):
                    owner = self.scopes.owner(self.scopes.around(value), value.id)
                    bindings = owner.bindings[value.id] if owner is not None else []
                    if bindings and all(isinstance(binding.statement, ast.Import) for binding in bindings):
                        yield f"a module {where}"
                        continue
                elif isinstance(value, ast.Call) and origin_in(self.scopes, value.func).startswith(
                    libraries().datasets
                ):
                    yield f"a dataset {where}"
                    continue
                if not isinstance(value, ast.Constant) and not _LARGE.isdisjoint(words):
                    yield where  # what it is called is only a reason not to send it

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
                node for node in self._stores(self.path, name) if not self.is_of_another_class(self.path, node, cls)
            ]
            inherited = [node for node in stores if self._is_set_by_base(self.path, node, unit, me)]
            own = [node for node in stores if node not in inherited]
            late = [node for node in own if not self._is_set_before(node, unit, init)]
            elsewhere, from_base = self._elsewhere(name, unit, me)
            constant = not (stores or from_base) and self._is_constant(name, cls)
            plain = stores or from_base or self._is_set_by_name(name, unit, me) or _keeps_options(name, init)
            own_method = next((s for s in cls.body if isinstance(s, FUNCTIONS) and s.name == name), None)
            if why and own_method is not None and not own_method.decorator_list and not stores:
                stays = why.removesuffix(_PASS_IT)
                uses = f"it uses the method `{name}` (line {own_method.lineno})"
                raise Refused(f"{stays}. And {uses}: make that a function as well, and pass both what they need")
            if not constant and (name in scopes.inner(cls).bindings or not plain):
                raise Refused(f"{why} (`{me[1]}.{name}` is not a plain attribute set in `__init__`)")
            above = [node for node in own if self._is_set_above(node, unit, me)]
            if above and self._are_in_init([node for node in own if node not in above], unit, init):
                late, own = [], above
            if late or (len(own) > 1 and not self._is_branched(own)) or elsewhere is not None:
                line = f" at line {late[0].lineno}" if late else f" in {elsewhere}" if elsewhere else ""
                first = [node for node in own if any(above is init for above in scopes.ancestors(node))]
                again = "again" if elsewhere or first or inherited or from_base else "later than in `__init__`,"
                changed = f"`{me[1]}.{name}` is set {again}{line}"
                raise Refused(f"{why.removesuffix(_PASS_IT)}, and {changed}: {_OWN_OBJECT}" if why else changed)
            mine = self._class(cls) if not constant else None
            other = by_other_means(self.project, self.repo, self.known, mine, name, unit.node) if mine else None
            if other is not None:
                raise Refused(f"{why} (`{me[1]}.{name}` {other})")
            perhaps = [node for node in own if not (inherited or from_base or self._is_set_anyway(node, unit))]
            if perhaps:
                raise Refused(f"{why} (`{me[1]}.{name}` is set under a condition only, at line {perhaps[0].lineno})")
            if any(f"{me[1]}.{name}`" in burden for burden in self.known.burdens(self.path, cls.lineno)):
                raise Refused(why)
            if name in words or name.startswith("__"):
                raise Refused(f"{why} (`{name}` means something else in it)")
        return tuple(names)

    def _is_set_before(self, store: ast.Attribute, unit: Unit, init: ast.FunctionDef | None) -> bool:
        """`self.x = ...` stands in `__init__`, and is done before the function is made, in whichever method that is."""
        statement = self.scopes.statement_of(store)
        outer = self._done_with(statement, unit, init) if init is not None else None
        if init is None or outer is None or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return False
        if self._is_made_in(unit, init):
            return end_of(outer) <= start_of(self.scopes.anchor(unit.node, self.scopes.inner(init)))
        makers = {above.name for above in self.scopes.ancestors(unit.node) if isinstance(above, ast.FunctionDef)}
        calls = [node for node in ast.walk(init) if isinstance(node, ast.Attribute) and node.attr in makers]
        return all(end_of(outer) <= start_of(call) for call in calls)  # else it may be made before that is set

    def _done_with(self, statement: ast.AST, unit: Unit, maker: ast.FunctionDef) -> ast.AST | None:
        """What holds the statement in the block, of `maker` or one in it, that the function is made in further down.

        None where the statement may run again, or not before that.
        """
        around = [unit.node, *self.scopes.ancestors(unit.node)]
        outer = statement
        while (above := self.scopes.parents[outer]) is not maker:
            if not isinstance(above, (ast.If, ast.With)):
                return None
            if above in around:
                block = above.body if outer in above.body else above.orelse if isinstance(above, ast.If) else ()
                inside = around[: around.index(maker)] if maker in around else around
                again = any(isinstance(each, (*LOOPS, ast.Try)) for each in inside[inside.index(above) :])
                return None if again or not any(each in block for each in around) else outer
            if isinstance(above, ast.With) and not all(map(self._lets_through, above.items)):
                return None  # it may swallow an exception, and then the statement was not reached
            outer = above
        return outer

    def _is_set_anyway(self, store: ast.Attribute, unit: Unit) -> bool:
        """By no `if` that does not hold the function as well, or in both of its branches."""
        around = list(self.scopes.ancestors(unit.node))
        for above in self.scopes.ancestors(store):
            if above in around:
                break
            if isinstance(above, ast.If) and not _sets([above], store):
                return False
        return True

    def _lets_through(self, item: ast.withitem) -> bool:
        """It is known to swallow no exception of its block: `open(path)`, `torch.no_grad()`."""
        call = item.context_expr
        root = root_of_chain(call.func) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or root is None:
            return False
        owner = self.scopes.owner(self.scopes.around(call), root.id)
        bindings = owner.bindings[root.id] if owner is not None else []
        imported = all(binding.kind is BindingKind.IMPORT for binding in bindings)
        return imported and origin_in(self.scopes, call.func) in libraries().lets_through

    def _is_set_above(self, store: ast.Attribute, unit: Unit, me: Me) -> bool:
        """The method that makes the function sets it first, whenever it runs."""
        maker, statement = me[0].node, self.scopes.statement_of(store)
        if not isinstance(maker, ast.FunctionDef) or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return False
        above = self.scopes.parents[statement]
        both = isinstance(above, ast.If) and statement in (*above.body, *above.orelse) and bool(above.orelse)
        outer = above if both else statement
        return outer in maker.body and end_of(outer) <= start_of(self.scopes.anchor(unit.node, me[0]))

    def _are_in_init(self, stores: list[ast.Attribute], unit: Unit, init: ast.FunctionDef | None) -> bool:
        """`__init__` sets it with these, and with these alone, and does not make the function."""
        if any(init is None or init not in self.scopes.ancestors(store) for store in stores):
            return False
        return not (stores and init is not None) or not self._may_make(unit, [init])

    def _may_make(self, unit: Unit, inits: Iterable[ast.AST]) -> bool:
        """One of these constructors may call the method that makes the function, or is it."""
        around = list(self.scopes.ancestors(unit.node))
        makers = {above.name for above in around if isinstance(above, ast.FunctionDef)}
        mentioned = {node.attr for init in inits for node in ast.walk(init) if isinstance(node, ast.Attribute)}
        return bool(makers & mentioned) or any(init in around for init in inits)

    def _is_constant(self, name: str, cls: ast.ClassDef) -> bool:
        """It is a literal in the body of the class, or of a base, and no class of the family defines it as a method."""
        mine = self._class(cls)
        if mine is None:
            return False
        values = [value for base in self.repo.resolver.lineage(mine) for value in _values_in_body(base.node, name)]
        return all(map(_is_literal, values)) and bool(values) and not self._is_a_method(name, mine)

    def _is_a_method(self, name: str, mine: Class) -> bool:
        """A class that may be related to this one has a method, or a property, of the name."""
        for outline, node in self.repo.methods(name):
            owner = outline.parents[node]
            if isinstance(owner, ast.ClassDef) and self.repo.resolver.may_be_related(Class(outline, owner), mine):
                return True
        return False

    def _is_set_by_name(self, name: str, unit: Unit, me: Me) -> bool:
        """The constructor sets all of its arguments (`setattr(self, key, value)`), before the function is defined."""
        mine = self._class(me[2])
        if mine is None or self._is_a_method(name, mine):
            return False
        inits = [
            init for base in self.repo.resolver.lineage(mine) if (init := method(base.node, "__init__")) is not None
        ]
        if not any(map(_sets_by_name, inits)) or self._may_make(unit, inits):
            return False
        uses = [self.scopes.parents[use.node] for use in unit.self_uses]
        return any(getattr(use, "attr", "") == name and self._is_surely_read(use, unit) for use in uses)

    def _is_surely_read(self, use: ast.AST, unit: Unit) -> bool:
        """Each call of the function reads it: an object that lacks it would fail there, and so may fail earlier."""
        node = use
        for above in self.scopes.ancestors(use):
            if above is unit.node:
                return True
            kept = {
                ast.IfExp: lambda part: part.test,
                ast.BoolOp: lambda part: part.values[0],
                ast.If: lambda part: part.test,
                ast.While: lambda part: part.test,
                ast.For: lambda part: part.iter,
            }.get(type(above))
            if kept is not None and kept(above) is not node:
                return False
            if isinstance(above, (ast.comprehension, ast.Lambda, ast.FunctionDef, ast.Try)):
                return False
            if isinstance(above, COMPREHENSIONS):
                return False
            node = above
        return False

    def _is_branched(self, stores: list[ast.Attribute]) -> bool:
        """Each is the one of its branch, so that a run does one of them."""
        statements = [self.scopes.statement_of(store) for store in stores]
        tests = {id(self.scopes.parents[statement]) for statement in statements}
        above = self.scopes.parents[statements[0]]
        return (
            len(stores) == 2
            and len(tests) == 1
            and isinstance(above, ast.If)
            and sum(statement in above.body for statement in statements) == 1
        )

    def _is_made_in(self, unit: Unit, init: ast.FunctionDef) -> bool:
        return any(above is init for above in self.scopes.ancestors(unit.node))

    def set_elsewhere(self, name: str) -> str | None:
        """Where another file sets such an attribute of any object, or by name."""
        return self._set_elsewhere(name, lambda path, store: True)

    def _elsewhere(self, name: str, unit: Unit, me: Me) -> tuple[str | None, bool]:
        """Where another file may set it later on an object of this class, and whether a base there sets it before."""
        before: list[ast.Attribute] = []

        def counts(path: str, store: ast.Attribute) -> bool:
            if self.is_of_another_class(path, store, me[2]):
                return False
            if self._is_set_by_base(path, store, unit, me):
                before.append(store)
                return False
            return True

        return self._set_elsewhere(name, counts), bool(before)

    def _set_elsewhere(self, name: str, counts: Callable[[str, ast.Attribute], bool]) -> str | None:
        if "setattr(" in self.source.text:
            return self.path
        plain = re.compile(rf"\.{re.escape(name)}\s*(?::[^=\n]+)?(?:=(?!=)|[-+*/%&|^@]=|//=|\*\*=)")
        by_name = re.compile(rf"setattr\([^)]{{0,999}}[\"']{re.escape(name)}[\"']")
        for source in self.project.matching(plain, word=name):
            if source.path != self.path:
                stores = self._stores(source.path, name)
                mine = [store for store in stores if counts(source.path, store)]
                if mine or self.repo.outline(source.path) is None:  # else a comment may say so
                    return f"{source.path}:{mine[0].lineno}" if mine else source.path
        others = (source.path for source in self.project.matching(by_name, word=name) if source.path != self.path)
        return next(others, None)

    def _is_set_by_base(self, path: str, store: ast.Attribute, unit: Unit, me: Me) -> bool:
        """The `__init__` of a base class sets it, and is done before the function is made."""
        outline, mine = self.repo.outline(path), self._class(me[2])
        owner = outline.owner(store) if outline is not None and outline.is_self(store.value) else None
        if outline is None or mine is None or owner is None:
            return False
        lineage = self.repo.resolver.lineage(mine)
        init = method(owner, "__init__")
        if not any(base.node is owner for base in lineage[1:]) or init is None or store not in ast.walk(init):
            return False
        inits = [found for base in lineage if (found := method(base.node, "__init__")) is not None]
        own = method(me[2], "__init__")
        if isinstance(own, ast.FunctionDef) and self._is_made_in(unit, own):
            anchor = start_of(self.scopes.anchor(unit.node, self.scopes.inner(own)))
            calls = [statement for statement in own.body if _initialises_base(statement)]
            return len(calls) == 1 and end_of(calls[0]) <= anchor
        return not self._may_make(unit, inits)  # else an `__init__` may make it before it sets the attribute

    def _stores(self, path: str, name: str) -> list[ast.Attribute]:
        """Where the file sets or deletes such an attribute."""
        outline = self.repo.outline(path)
        found = outline.attributes.get(name, []) if outline is not None else []
        return [node for node in found if not isinstance(node.ctx, ast.Load)]

    def is_of_another_class(self, path: str, store: ast.Attribute, cls: ast.ClassDef | None) -> bool:
        """It is an attribute of the `self` of a class that neither derives from `cls`, nor `cls` from it."""
        outline = self.repo.outline(path)
        owner = outline.owner(store) if outline is not None and outline.is_self(store.value) else None
        if outline is None or owner is None or cls is None:
            return False
        same = self._class(cls)
        if same is None or owner is same.node:
            return False
        return not self.repo.resolver.may_be_related(Class(outline, owner), same)

    def _class(self, cls: ast.ClassDef) -> Class | None:
        """The class statement as the resolver knows it."""
        mine = self.repo.outline(self.path)
        found = mine.definitions.get(cls.name, ()) if mine is not None else ()
        same = next((definition for definition in found if definition.lineno == cls.lineno), None)
        return Class(mine, same) if mine is not None and isinstance(same, ast.ClassDef) else None


def _values_in_body(cls: ast.ClassDef, name: str) -> Iterator[ast.AST]:
    """What the body of a class binds a name to; the statement where that is no plain assignment."""
    for statement in cls.body:
        targets = assignment_targets(statement)
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(statement, "value", None)
            yield value if value is not None and not isinstance(statement, ast.AugAssign) else statement
        elif getattr(statement, "name", None) == name or any(
            isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
            for node in ast.walk(statement)
            if not isinstance(statement, (*FUNCTIONS, ast.ClassDef))
        ):
            yield statement


def _sets(block: list[ast.stmt], store: ast.Attribute) -> bool:
    """Below the block the attribute is set: at its end, where that is reached."""
    for statement in block:
        set_here = isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        targets = assignment_targets(statement) if set_here else ()
        parts = [part for target in targets for part in ast.walk(target)]
        if any(isinstance(part, ast.Attribute) and ast.unparse(part) == ast.unparse(store) for part in parts):
            return True
        if isinstance(statement, (ast.Raise, ast.Return)):
            return True
        if isinstance(statement, ast.With) and _sets(statement.body, store):
            return True
        if isinstance(statement, ast.If) and _sets(statement.body, store) and _sets(statement.orelse, store):
            return True
    return False


def _is_literal(value: ast.AST) -> bool:
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    if isinstance(value, ast.Tuple):
        return all(isinstance(part, ast.Constant) for part in value.elts)
    return isinstance(value, ast.Constant)


def _sets_by_name(init: ast.AST) -> bool:
    """`setattr(self, key, value)` with names that are not written there."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "setattr"
        and len(node.args) == 3
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id == "self"
        and not isinstance(node.args[1], ast.Constant)
        for node in ast.walk(init)
    )


def _keeps_options(name: str, init: ast.FunctionDef | None) -> bool:
    """`self.hparams` of Lightning, which `self.save_hyperparameters()` fills in the constructor."""
    statements = init.body if init is not None and name == _OPTIONS else ()
    calls = (statement.value for statement in statements if isinstance(statement, ast.Expr))
    return any(isinstance(call, ast.Call) and ast.unparse(call.func) == "self.save_hyperparameters" for call in calls)


def _initialises_base(statement: ast.stmt) -> bool:
    """`super().__init__(...)` or `Base.__init__(self, ...)`"""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
