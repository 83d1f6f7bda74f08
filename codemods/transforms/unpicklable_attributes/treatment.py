"""How an attribute that can't be pickled is used: written to, moved, closed, handed on, opened on demand."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...syntax.names import last_name
from ...syntax.outline import position
from ...syntax.unpicklable import Kind, Made, Recogniser
from .classes import Family, Method, Shape, Store
from .containers import Filling
from .mutation import elements, first_touch, named, touch
from .recreate import Again, Maker
from .reexpress import Refused
from .state_methods import Form, Treatment

_BOUND = frozenset(
    ("get", "read", "begin", "execute", "cursor", "acquire", "release", "fetchone", "readline", "seek", "put")
)
_WALKS = ("iter", "enumerate", "zip", "map", "filter", "reversed", "cycle", "chain", "islice")
_CLOSES = ("close", "release")
_SQL = ("insert", "update", "delete", "create", "drop", "alter", "replace", "vacuum")


@dataclass(frozen=True, eq=False)
class Hazard:
    """`store` keeps what `made` makes."""

    store: Store
    made: Made


class Uses:
    """Decides how one attribute of one class can cross."""

    def __init__(
        self, family: Family, recogniser: Recogniser, shape: Shape, attribute: str, hazards: list[Hazard]
    ) -> None:
        self.family, self.recogniser = family, recogniser
        self.shape, self.attribute, self.hazards = shape, attribute, hazards
        self.kind: Kind = hazards[0].made.kind
        self.circle = family.circle(shape)
        self.uses = [
            (each, method, node)
            for each in self.circle
            for method, node in each.selves.get(attribute, [])
            if isinstance(node.ctx, ast.Load)
        ]
        self.early = family.early(shape)
        self.outside = family.outside(shape)
        self.late = frozenset(name for each in self.circle for name in each.late) - self.early
        self.on_demand = True  # it may be left to the class to open it again
        self.companions: frozenset[str] = frozenset()  # what else is None whenever this is
        self.needed = False  # another attribute is made from it

    def treatment(self) -> Treatment:
        """Raises Refused."""
        kind = self.kind
        if kind.module and any(
            name.startswith("torch.nn") or "Module" in name for name in self.family.foreign(self.shape)
        ):
            raise Refused("it is one of the modules of a model, which keeps them apart; load it where it is used")
        stores = [store for each in self.circle for store in each.stores(self.attribute)]
        stores += [each.store for each in self.hazards if each.store.method not in self.shape.outline.parents]
        given = next((each.made.given for each in self.hazards if each.made.given), "")
        if given and kind.form != "named":
            raise Refused(
                f"it is given from outside ({given}), and others may share it; give what it is opened with, and open "
                "it in the class"
            )
        self._check_outside()
        if any(each.store.fills for each in self.hazards):
            return self._filled(stores)
        self._check_stores(stores)
        self._check_kept_elsewhere()
        first = min(self.hazards, key=lambda each: position(each.store.target))
        in_init = first.store.method.name in ("__init__", "__post_init__")
        whole = not self.outside.without_init
        only = len(stores) == 1 and first.store.always and in_init and not first.made.choice and whole
        sure = (only or self._always_there(stores)) and not self._skips_init()
        key = self.shape.key(self.attribute)
        line = first.store.target.lineno
        if first.store.cached and len(stores) == 0:
            if self._has_moved():
                raise Refused("what was read from it decides where a copy would have to go on; seek before each read")
            return Treatment(self.attribute, key, Form.DROP, line, False)
        if first.store.shared and len(stores) == 1:  # the class has it too
            return Treatment(self.attribute, key, Form.DROP, line, sure)
        if kind.form == "drop":
            for _, method, node in self.uses:
                if method.name in self.late:
                    raise Refused(f"line {node.lineno} uses it in the worker: {kind.advice}")
            return Treatment(self.attribute, key, Form.DROP, line, sure and only)
        if kind.form == "named":
            return self._named(stores, key, line)
        self._check_same([hazard.store for hazard in self.hazards])
        self._check_writes()
        if self._is_lazy(stores):
            if self._has_moved():
                raise Refused("what was read from it decides where a copy would have to go on; seek before each read")
            Maker(self.family, self.recogniser, self.shape, first.store, first.made).check()
            return Treatment(self.attribute, key, Form.LAZY, line, True)
        again = Maker(self.family, self.recogniser, self.shape, first.store, first.made).again()
        nested = any(hazard.made.nested for hazard in self.hazards)
        if nested:
            self.check_elements()
        carry = not nested and self._has_moved()
        closes = "" if nested else self._closed()
        never_none = only or (
            self._always_there(stores) and not first.made.choice and not any(store.clears for store in stores)
        )
        if (only or (never_none and not carry)) and not (closes and kind.is_open):
            return Treatment(self.attribute, key, Form.POSITION if carry else Form.ALWAYS, line, sure, again)
        if carry:
            raise Refused("what was read from it decides where a copy would have to go on; seek before each read")
        if asked := self._asked_for():
            raise Refused(
                f"line {asked} asks whether the attribute is there; set it to None in `__init__` and ask for that"
            )
        test = kind.is_open.format(f"self.{self.attribute}") if closes and kind.is_open else ""
        if never_none and test and (self.needed or self._needs_it()):
            return Treatment(self.attribute, key, Form.CLOSED, line, sure, again, test, closes=closes)
        return Treatment(self.attribute, key, Form.MAYBE, line, sure, again, test, only)

    def _filled(self, stores: list[Store]) -> Treatment:
        """A container that such things are put into."""
        filled = [(each.store, each.made) for each in self.hazards]
        if not all(store.fills for store, _ in filled) or self.kind.form not in ("anew", "reopen"):
            raise Refused(self.kind.advice or "it is filled in several ways; fill it in one method")
        if any(made.choice for _, made in filled):
            raise Refused("only some of what it holds is opened here; keep that in a container of its own")
        makers = [Maker(self.family, self.recogniser, self.shape, store, made) for store, made in filled]
        for maker in makers:
            maker.check()
        self._check_writes()
        self.check_elements()
        return Filling(makers[0], stores, filled).treatment()

    def _named(self, stores: list[Store], key: str, line: int) -> Treatment:
        """The copy asks for the logger of the same name, as newer Pythons do when they pickle one."""
        if not self._always_there(stores) or self._skips_init():
            raise Refused("not every object has it; set it in `__init__`, to None if there is none")
        if any(hazard.made.nested for hazard in self.hazards):
            raise Refused("it is one of several in a container; ask `logging.getLogger` for it where it is used")
        only = len(stores) == 1 and not self.hazards[0].made.choice
        outline = self.shape.outline
        known = [name for name, origin in outline.imported.items() if origin == "logging"]
        known = [name for name in known if outline.bindings(outline.module, name)]
        imports = () if known else ("import logging",)
        module = known[0] if known else "logging"
        again = Again((f"self.{self.attribute} = {module}.getLogger({{}})",), (), "", imports)
        return Treatment(self.attribute, key, Form.NAMED, line, True, again, never_none=only)

    def check_elements(self) -> None:
        """Raises Refused where what a container holds is changed before the object crosses."""
        for shape, method, node in self.uses:
            if method.name in self.early:
                changed = first_touch(shape.outline, elements(shape.outline, node), self.kind)
                if changed is not None:
                    raise Refused(f"{changed}, and a new one would not have that; do it where it is used")

    # what sets it

    def _check_stores(self, stores: list[Store]) -> None:
        known = {hazard.store.target for hazard in self.hazards}
        for store in stores:
            line = store.statement.lineno
            if store.target in known or store.clears:
                continue
            if isinstance(store.target.ctx, ast.Del):
                raise Refused(f"line {line} deletes the attribute; set it to None instead")
            if store.owner is not self.shape:
                place = f"{store.owner.outline.path}:{line}"
                raise Refused(f"`{store.owner.node.name}` ({place}) sets it too; open it in one place")
            if store.value is not None and self.recogniser.made(store.owner.outline, store.value):
                continue  # made in the worker
            raise Refused(f"line {line} sets it to something else; keep the two under different names")

    def _check_outside(self) -> None:
        """Raises Refused where code outside of the class has set or changed it by the time the object crosses."""
        place = self.outside.sets.get(self.attribute)
        if place is not None:
            raise Refused(f"{place} sets it from outside, and a new one would not be that; give it to the constructor")
        what = self.outside.touch(self.attribute, self.kind, self.recogniser)
        if what is not None:
            raise Refused(f"{what}, and a new one would not have that; do it in the process that uses it")

    def _check_same(self, mine: list[Store]) -> None:
        for store in mine:
            for target in store.statement.targets if isinstance(store.statement, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and target is not store.target:
                    raise Refused(f"line {target.lineno} keeps one thing under two names; set the second to the first")
                if isinstance(target, ast.Name):
                    Maker(self.family, self.recogniser, self.shape, store, self.hazards[0].made).check_local(target)
        if any(store.value is None for store in mine):
            raise Refused("it is set together with other things; assign it in a statement of its own")
        if len({ast.dump(store.value) for store in mine if store.value is not None}) > 1 and self._differ():
            lines = sorted(store.statement.lineno for store in mine)
            raise Refused(f"it is made in different ways (lines {lines[0]} and {lines[-1]}); open it in one method")

    def _differ(self) -> bool:
        """The statements that make it say different things, also in terms of what the copy knows."""
        if any(hazard.store.owner is not self.shape for hazard in self.hazards):
            return True
        makers = (Maker(self.family, self.recogniser, self.shape, each.store, each.made) for each in self.hazards)
        return len({maker.again().lines for maker in makers}) > 1

    def _always_there(self, stores: list[Store]) -> bool:
        """Every object has the attribute, if only as None."""
        return not self.outside.without_init and any(
            store.always and store.method.name == "__init__" and store.owner is self.shape for store in stores
        )

    def _skips_init(self) -> bool:
        """A class below has an `__init__` that never calls ours."""
        for each in self.family.derived(self.shape):
            init = each.methods.get("__init__")
            if init is not None and "__init__(" not in "".join(ast.unparse(part) for part in init.body):
                return True
        return False

    # what is done with it

    def _called(self, node: ast.Attribute, shape: Shape) -> tuple[str, ast.Call] | None:
        """The method called on it: `self.x.m(...)` gives ("m", the call)."""
        above = shape.outline.parents[node]
        call = shape.outline.parents.get(above)
        if isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
            return above.attr, call
        return None

    def _check_writes(self) -> None:
        kind = self.kind
        reopened = kind.form == "reopen"
        for shape, method, node in self.uses:
            above = shape.outline.parents[node]
            early = method.name in self.early or method.name in self.outside.called
            if (called := self._called(node, shape)) is not None:
                name, call = called
                repeated = name in kind.setup and self._is_repeated(call, shape)
                if name in kind.stands and (reopened or early) and not repeated:
                    what = "writes to it" if reopened else "fills or sets it"
                    raise Refused(f"line {node.lineno} {what} (`{name}`), which a new one would not have")
                given = [*call.args, *(each.value for each in call.keywords)]
                if name in ("execute", "executemany") and given:
                    words = str(getattr(given[0], "value", "")).lstrip().lower()
                    if words.startswith(_SQL):
                        raise Refused(f"line {node.lineno} writes to the database; connect in the process that writes")
                if any(each.arg == "write" and getattr(each.value, "value", True) for each in call.keywords):
                    raise Refused(f"line {node.lineno} writes to it; open it in the process that writes")
            puts = any(each.store.target is node for each in self.hazards)
            if early and (changed := self._changed_by_another_name(shape, method, node)) is not None:
                raise Refused(f"{changed}, and a new one would not have that; do it right after it is made")
            if isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load) and reopened and not puts:
                raise Refused(f"line {node.lineno} writes to it, which a new one would not have")
            sets = isinstance(above, ast.Attribute) and not isinstance(above.ctx, ast.Load)
            if sets and early and not self._is_repeated(above, shape) and not self._on_demand_inside(above):
                raise Refused(
                    f"line {node.lineno} sets an attribute on it, which a new one would not have; "
                    "do it right after it is made"
                )

    def _changed_by_another_name(self, shape: Shape, method: Method, node: ast.Attribute) -> str | None:
        """A local name for it, or the parameter of a function that gets it, is used to change it; in words."""
        outline, above = shape.outline, shape.outline.parents[node]
        if isinstance(above, ast.Assign) and above.value is node:
            names = [each.id for each in above.targets if isinstance(each, ast.Name)]
            uses = [each for name in names for each in named(outline, method, name)]
            return first_touch(outline, [each for each in uses if position(each) > position(node)], self.kind)
        if isinstance(above, ast.Call) and node in above.args:
            for where, function in self.recogniser.functions(outline, above):
                arguments = [*function.args.posonlyargs, *function.args.args]
                skipped = isinstance(above.func, ast.Attribute)
                at = above.args.index(node) + skipped
                if at < len(arguments):
                    return first_touch(where, named(where, function, arguments[at].arg), self.kind)
        return None

    def _is_repeated(self, target: ast.AST, shape: Shape) -> bool:
        """It stands among the statements right after the construction, which the copy repeats."""
        statement = shape.outline.statement(target)
        store = self.hazards[0].store
        return (
            not self.kind.filled
            and any(each is statement for each in shape.block(store.statement))
            and position(statement) > position(store.statement)
        )

    def _on_demand_inside(self, target: ast.AST) -> bool:
        """`self.local.x = ...` where each method that uses `self.local.x` first asks whether it is there."""
        if not self.kind.filled or not isinstance(target, ast.Attribute):
            return False
        whole = f"self.{self.attribute}"
        asks = (f"hasattr({whole}, '{target.attr}')", f"getattr({whole}, '{target.attr}', None) is None")
        users = {
            method
            for shape, method, node in self.uses
            if getattr(shape.outline.parents[node], "attr", None) == target.attr
        }
        return all(any(each in ast.unparse(method) for each in asks) for method in users)

    def _check_kept_elsewhere(self) -> None:
        """Another object, or a bound method, holds it as well."""
        for shape, _, node in self.uses:
            outline = shape.outline
            above = outline.parents[node]
            statement = outline.statement(node)
            if not isinstance(statement, ast.Assign):
                continue
            if not any(isinstance(each, ast.Attribute) for each in statement.targets):
                continue
            if isinstance(above, ast.Attribute) and above is statement.value and above.attr in _BOUND:
                raise Refused(f"line {node.lineno} keeps its method `{above.attr}` too; call it through the attribute")
            if _is_element(statement.value, node) and any(each.made.nested for each in self.hazards):
                raise Refused(f"line {node.lineno} keeps one of them under another name too; let the container own it")
            call = above
            while isinstance(call, (ast.keyword, ast.List, ast.Tuple, ast.Dict, ast.Starred)):
                call = outline.parents[call]
            if isinstance(call, ast.Call) and node is not call.func:
                name = last_name(call.func)
                walks = name in _WALKS and call is statement.value
                keeps = name[:1].isupper() or name == "partial" or walks
                if keeps and not self.recogniser.made(outline, call):
                    raise Refused(
                        f"line {node.lineno} hands it to `{name}`, which keeps it too; let one of them own it"
                    )

    def _has_moved(self) -> bool:
        """It is not at its beginning when it crosses, and that matters. Raises Refused where it is lost."""
        kind = self.kind
        before: list[tuple[ast.Attribute, bool]] = []
        readers: dict[tuple[ast.ClassDef, str], list[tuple[ast.Attribute, str]]] = {}
        for shape, method, node in self.uses:
            called = self._called(node, shape)
            name = called[0] if called is not None else ""
            handed_on = (touch(shape.outline, node, kind) or "").startswith("hands it on")
            walked = bool(kind.moves) and (self._walked(node, shape) or handed_on)
            if name not in kind.moves and not walked:
                continue
            if method.name not in self.early:
                readers.setdefault((shape.node, method.name), []).append((node, name))
                if method.name in self.outside.called:
                    before.append((node, walked))
            elif name == "seek" and called is not None and [ast.unparse(each) for each in called[1].args] == ["0"]:
                before = []
            else:
                before.append((node, walked))
        careless = [uses[0][0] for uses in readers.values() if uses[0][1] not in kind.seeks]
        if not before or not careless:
            return False
        if not kind.tell or any(walked for _, walked in before):
            raise Refused(
                f"line {before[0][0].lineno} has read from it before it crosses, and line {careless[0].lineno} goes on "
                "from there; go to the right place before each read"
            )
        return True

    def _walked(self, node: ast.Attribute, shape: Shape) -> bool:
        above = shape.outline.parents[node]
        if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
            return True
        if isinstance(above, (ast.Starred, ast.YieldFrom)):
            return True
        if isinstance(above, ast.Attribute) and above.attr in ("__next__", "__iter__"):
            return True
        names = ("next", "enumerate", "list", "iter")
        return isinstance(above, ast.Call) and node in above.args and last_name(above.func) in names

    def _closed(self) -> str:
        """The method that closes it while the object lives on; "" when none does."""
        for shape, method, node in self.uses:
            called = self._called(node, shape)
            if called is None or called[0] not in _CLOSES or self.kind.form != "reopen" or method.name == "__del__":
                continue
            if not self.kind.is_open and method.name in self.early:
                raise Refused(f"line {node.lineno} closes it again; open it with `with`, or where it is read")
            return called[0]
        return ""

    def closed_early(self) -> int | None:
        """The last line before the object crosses that closes it."""
        early = [(shape, node) for shape, method, node in self.uses if method.name in self.early]
        called = [(node.lineno, self._called(node, shape)) for shape, node in early]
        return max((line for line, each in called if each is not None and each[0] in _CLOSES), default=None)

    def _needs_it(self) -> bool:
        """Something after the constructor uses it without asking first whether there is one: None would not do."""
        asks = {f"self.{self.attribute}", f"self.{self.attribute} is not None"}
        return any(
            method.name not in self.early
            and not any(
                ast.unparse(part) in asks
                for above in shape.outline.ancestors(node)
                if isinstance(above, (ast.If, ast.IfExp))
                for part in (above.test, *getattr(above.test, "values", ()))
            )
            for shape, method, node in self.uses
        )

    def _asked_for(self) -> int | None:
        """A line that asks with `hasattr` or `getattr` for the attribute."""
        for each in self.circle:
            for method in each.methods.values():
                for node in ast.walk(method):
                    if (
                        isinstance(node, ast.Call)
                        and last_name(node.func) in ("hasattr", "getattr")
                        and len(node.args) > 1
                    ):
                        name = node.args[1]
                        if isinstance(name, ast.Constant) and name.value == self.attribute:
                            return node.lineno
        return None

    # opened on demand

    def _is_lazy(self, stores: list[Store]) -> bool:
        """Wherever it is read, the class first opens it in case it is None."""
        openers = {each.store.method.name for each in self.hazards}
        opened_at_once = "__init__" in openers and not all(self._guarded(each.store) for each in self.hazards)
        if not self.on_demand or not self._always_there(stores) or opened_at_once:
            return False
        return all(
            method.name == "__init__" or self._looked_after(shape, method, node, openers)
            for shape, method, node in self.uses
        )

    def _guarded(self, store: Store) -> bool:
        """It stands under `if self.x is None:`."""
        for above in store.owner.outline.ancestors(store.statement):
            if isinstance(above, ast.If) and self._asks_none(above.test) and store.statement in above.body:
                return True
        return False

    def _asks_none(self, test: ast.expr) -> bool:
        asked = ast.unparse(test)
        texts = [f"self.{name}" for name in (self.attribute, *self.companions)]
        return any(asked in (f"{text} is None", f"not {text}", f"{text} == None") for text in texts)

    def _looked_after(self, shape: Shape, method: Method, node: ast.Attribute, openers: set[str]) -> bool:
        """The read is part of the question, or comes after an opening in the same method, or only where it is open."""
        text = f"self.{self.attribute}"
        for above in shape.outline.ancestors(node):
            if isinstance(above, (ast.If, ast.IfExp)):
                if any(each is node for each in ast.walk(above.test)):
                    return True
                if ast.unparse(above.test) in (f"{text} is not None", text):
                    # who uses it only where it is open would go without, if nobody opens it
                    called = self._called(node, shape)
                    closes = called is not None and called[0] in _CLOSES
                    return closes or all(self._guarded(each.store) for each in self.hazards)
        for statement in method.body:
            if any(each is node for each in ast.walk(statement)):
                break
            if isinstance(statement, ast.If) and not self._asks_none(statement.test):
                continue  # what it asks is of something else
            for each in ast.walk(statement):
                if not isinstance(each, ast.Attribute) or not shape.outline.is_self(each.value):
                    continue
                if each.attr in openers or (each.attr == self.attribute and isinstance(each.ctx, ast.Store)):
                    return True
        return False


def _is_element(value: ast.expr, container: ast.expr) -> bool:
    """`container[k]` or `container.get(k)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("get", "pop"):
        return value.func.value is container
    return isinstance(value, ast.Subscript) and value.value is container
