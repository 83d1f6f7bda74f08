"""Unpicklable things that no plain `self.x = ...` sets: put into a container, or made by a field of a dataclass."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from ....finding import Refused
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.unpicklable import Made
from ....syntax.unpicklable_table import Remedy, canonical
from ..classes import Shape, Store
from ..data import names
from ..uses.by_text import may_be_read_by_text
from ..uses.elsewhere import lists_itself
from ..uses.mutation import named
from .parallel_dict import lines_of, parallel_dict
from .rebuild_expression import short
from .recreate import Recreation, Recreator
from .state_methods import Form, Treatment

_PUTS = {"append": 0, "appendleft": 0, "add": 0, "insert": 1, "setdefault": 1}
# lists of names or paths, as `sorted(os.listdir(root))`, and what may stand around the names there
_LISTS, _LIST_OF = ("os.listdir", "glob.glob"), ("sorted", "list")
_LOOKS = ("listdir", "glob", "iglob", "rglob", "iterdir")
_PARTS = ("join", "Path", "str", "int", "startswith", "endswith", "splitext", "basename")
_OF_NAMES = frozenset([*_LOOKS, *_LIST_OF, *_PARTS])
_EMPTY = (
    "{}", "[]", "dict()", "list()", "set()", "OrderedDict()", "collections.OrderedDict()", "deque()",
    "collections.deque()",
)  # fmt: skip


def fields(shape: Shape) -> dict[str, list[Store]]:
    """What a dataclass makes, by name, as if set in `__init__`: `lock: Lock = field(default_factory=Lock)`."""
    if not is_dataclass(shape):
        return {}
    found: dict[str, list[Store]] = {}
    for statement in shape.node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or len(targets) != 1 or value is None:
            continue
        name = targets[0]
        if not isinstance(name, ast.Name) or (made := _made_by_default(shape, value)) is None:
            continue
        found[name.id] = [_of_field(shape, statement, name, made, shared=made is value)]
    return found


def given_fields(shape: Shape) -> list[Store]:
    """Fields of a dataclass that whoever makes one may give."""
    return [
        _of_field(shape, statement, statement.target, statement.target)
        for statement in (shape.node.body if is_dataclass(shape) else ())
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def cached(shape: Shape) -> Iterator[Store]:
    """What each `@cached_property` gives, and so leaves on the object under its name."""
    for name, method in shape.methods.items():
        if any(shape.outline.home_name(mark) == "cached_property" for mark in method.decorator_list):
            for node in shape.outline.own(method):
                if isinstance(node, ast.Return) and node.value is not None:
                    target = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Store())
                    yield Store(shape, method, node, ast.copy_location(target, node.value), node.value, cached=True)


def is_dataclass(shape: Shape) -> bool:
    """Its constructor is made of its fields."""
    name = shape.outline.home_name
    marks = [name(mark.func if isinstance(mark, ast.Call) else mark) for mark in shape.node.decorator_list]
    return bool({"dataclass", "s", "attrs", "define"} & set(marks))


def _of_field(
    shape: Shape, statement: ast.Assign | ast.AnnAssign, name: ast.Name, value: ast.expr, shared: bool = False
) -> Store:
    """The field as if `__init__` set it."""
    target = ast.copy_location(ast.Attribute(ast.Name("self", ast.Load()), name.id, ast.Store()), name)
    init = ast.FunctionDef("__init__", ast.arguments([], [], None, [], [], None, []), [statement], [])
    return Store(shape, ast.copy_location(init, statement), statement, target, value, shared=shared)


def _made_by_default(shape: Shape, value: ast.expr) -> ast.expr | None:
    """What a new object gets: a call of the factory, or the one default."""
    if not isinstance(value, ast.Call):
        return None
    if shape.outline.home_name(value.func) not in ("field", "ib", "attrib"):
        return value
    return _call_of(
        next((keyword.value for keyword in value.keywords if keyword.arg in ("default_factory", "factory")), None)
    )


def set_by_text(shape: Shape) -> Iterator[tuple[str, Store]]:
    """`setattr(self, "lock", Lock())`, `object.__setattr__(...)`, `self.__dict__.update(...)`, `vars(self)[...] = `."""
    outline = shape.outline
    setters = [call for name in ("setattr", "__setattr__") for call in outline.calls_of(name)]
    dicts: list[ast.expr] = [node for _, node in shape.selves.get("__dict__", [])]
    dicts += [call for call in outline.calls_of("vars") if call.args and outline.is_self(call.args[0])]
    given: list[tuple[ast.expr, tuple[str, ast.expr]]] = []
    given += [(node, pair) for node in setters for pair in _named(_given_to_setter(outline, node))]
    given += [(node, pair) for node in dicts for pair in _named(_put_into(outline, node))]
    for node, (key, value) in given:
        method, statement = outline.method(node), outline.statement(node)
        if outline.owner(node) is shape.node and method is not None and isinstance(statement, ast.stmt):
            target = ast.copy_location(ast.Attribute(ast.Name("self", ast.Load()), key, ast.Store()), value)
            yield key, Store(shape, method, statement, target, value, by_text=True)


def _named(pairs: Iterable[tuple[ast.expr | None, ast.expr]]) -> Iterator[tuple[str, ast.expr]]:
    for key, value in pairs:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value


def _given_to_setter(outline: Outline, call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Name and value that `setattr(self, ...)`, `object.__setattr__(self, ...)` or `super().__setattr__(...)` gets."""
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_super = isinstance(holder, ast.Call) and last_name(holder.func) == "super"
    given = call.args if of_super else call.args[1:] if call.args and outline.is_self(call.args[0]) else []
    if len(given) == 2:
        yield given[0], given[1]


def _put_into(outline: Outline, variables: ast.expr) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """What is put into a dict, by key: `d[key] = value`, `d.setdefault(key, value)`, `d.update(...)`."""
    above = outline.parents[variables]
    call = outline.parents[above]
    if isinstance(above, ast.Subscript) and isinstance(call, ast.Assign) and above in call.targets:
        yield above.slice, call.value
    elif isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
        if above.attr == "setdefault" and len(call.args) == 2:
            yield call.args[0], call.args[1]
        elif above.attr == "update":
            yield from ((ast.Constant(keyword.arg), keyword.value) for keyword in call.keywords)
            for each in call.args:
                yield from zip(each.keys, each.values, strict=True) if isinstance(each, ast.Dict) else ()


def fillings(shape: Shape) -> Iterator[tuple[str, Store]]:
    """What is put into containers on `self`: `self.files[k] = v`, `self.files.append(v)`, `self.files[j][k] = v`.

    And what a `defaultdict` makes where it is read: `self.locks[k]`.
    """
    outline = shape.outline
    for name, uses in shape.selves.items():
        factory = _default_of(shape, name)
        for method, node in uses if name != "__dict__" else ():
            if not isinstance(node.ctx, ast.Load):
                continue
            inner = _innermost(outline, node)
            above = outline.parents[inner]
            if factory is not None and inner is not node:
                statement = outline.statement(node)
                assert isinstance(statement, ast.stmt)
                yield name, Store(shape, method, statement, node, factory, fills=True, default=True)
            if isinstance(above, ast.Subscript) and above.value is inner and isinstance(above.ctx, ast.Store):
                statement = outline.statement(above)
                if isinstance(statement, ast.Assign) and any(target is above for target in statement.targets):
                    yield name, Store(shape, method, statement, node, statement.value, fills=True)
            elif isinstance(above, ast.Attribute) and above.attr in _PUTS:
                call, statement = outline.parents[above], outline.statement(above)
                at = _PUTS[above.attr]
                if isinstance(call, ast.Call) and call.func is above and len(call.args) == at + 1:
                    assert isinstance(statement, ast.stmt)
                    yield name, Store(shape, method, statement, node, call.args[at], fills=True)


def _default_of(shape: Shape, name: str) -> ast.expr | None:
    """What the `defaultdict` that the attribute is makes where a key is missing."""
    for store in shape.stores(name):
        value = store.value
        if isinstance(value, ast.Call) and value.args and shape.outline.home_name(value.func) == "defaultdict":
            return _call_of(value.args[0])
    return None


def _call_of(factory: ast.expr | None) -> ast.expr | None:
    """What `factory` gives when it is called without arguments."""
    if isinstance(factory, ast.Lambda):
        return factory.body
    if isinstance(factory, (ast.Name, ast.Attribute)):
        return ast.copy_location(ast.Call(factory, [], []), factory)
    return None


def _lists_files(outline: Outline, value: ast.expr) -> bool:
    """It is a list of names or paths of files, made by a look at the disk."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    called = {last_name(call.func) for call in calls}
    if not isinstance(value, ast.Call) or not called <= _OF_NAMES or called.isdisjoint(_LOOKS):
        return False
    is_list = isinstance(value.func, ast.Name) and value.func.id in _LIST_OF
    return is_list or qualified_name(outline, value.func) in _LISTS


def _innermost(outline: Outline, node: ast.expr) -> ast.expr:
    """The container that `node[k]`, `node[j][k]`... takes out of `node`; `node` itself where nothing is taken out."""
    above = outline.parents[node]
    while isinstance(above, ast.Subscript) and above.value is node and isinstance(above.ctx, ast.Load):
        node, above = above, outline.parents[above]
    return node


def is_deep(store: Store) -> bool:
    """It fills a container that lies in the one on `self`: `self.files[j][k] = v`."""
    return not store.default and _innermost(store.owner.outline, store.target) is not store.target


def keeps_parts(store: Store) -> bool:
    """`self.files[:] = v` keeps what `v` holds, and not `v`."""
    outline = store.owner.outline
    above = outline.parents[_innermost(outline, store.target)] if store.fills else None
    return isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Slice)


def _more(call: ast.Call) -> list[ast.expr]:
    """What a call gets beside its first argument."""
    return [*call.args[1:], *(keyword.value for keyword in call.keywords)]


_BLOCKS = (ast.If, ast.Try, ast.With, ast.While, ast.For)
_ON_DEMAND = "keep what it is opened with, and open it where it is read"
_LOCKS = frozenset(
    ("threading.Lock", "threading.RLock", "threading.Condition")
)  # nothing tells a free one from another
_MADE_THERE = "keep what each is made from, and make it where it is used"


class Filling:
    """How a container that is filled with such things can cross. Everything raises Refused."""

    def __init__(self, recreator: Recreator, stores: Sequence[Store], filled: Sequence[tuple[Store, Made]]) -> None:
        self.recreator, self.filled = recreator, filled
        self.shape, self.outline = recreator.shape, recreator.outline
        self.name = filled[0][0].target.attr
        first = stores[0] if len(stores) == 1 and stores[0].method.name == "__init__" else None
        self.block = self._block_of(first) if first is not None else []
        if first is None or not self.block or first.value is None:
            raise Refused("it is not set to an empty container once, in `__init__`; fill it in one method")
        self.first = first
        self.empty = ast.unparse(first.value)
        if self.empty not in _EMPTY and last_name(getattr(first.value, "func", first.value)) != "defaultdict":
            raise Refused("it does not begin as an empty container; fill it in one method")
        if any(item.owner is not self.shape for item, _ in filled):
            raise Refused("classes above and below fill it; fill it in one method")

    def treatment(self) -> Treatment:
        """A cache begins empty in the copy; a container that `__init__` fills in a loop is filled again."""
        key, line = self.shape.key(self.name), self.first.target.lineno
        if any(store.default for store, _ in self.filled):
            self._check_defaults()
        if self.first.always and all(self._on_demand(store) for store, _ in self.filled):
            self._only_through_the_cache()
            return Treatment(self.name, key, Form.LAZY, line, True, empty=self._beginning())
        if len(self.filled) != 1:
            raise Refused(
                "it is filled in several places; fill it in one loop, or open what is needed where it is read"
            )
        store, made = self.filled[0]
        if (beside := self._beside(store, made)) is not None:
            return Treatment(self.name, key, Form.ALWAYS, line, True, beside)
        loop = self.outline.parents[store.statement]
        inside = loop if isinstance(loop, ast.For) and not loop.orelse and store.statement in loop.body else None
        if store.method is not self.first.method or (inside or store.statement) not in self.block:
            raise Refused(f"line {store.statement.lineno} fills it {self._place_of(store)}; {self._instead}")
        self._only_filled_here()
        lines = [f"self.{self.name} = {self._beginning()}", *self._again(store, inside)]
        rebuilder = self.recreator.rebuilder
        again = Recreation(tuple(lines), tuple(rebuilder.stashes.values()), "", tuple(rebuilder.imports.values()))
        if not self.first.always:
            return Treatment(self.name, key, Form.FILLED, line, False, again, empty=self._beginning())
        return Treatment(self.name, key, Form.ALWAYS, line, True, again)

    @property
    def _instead(self) -> str:
        return _ON_DEMAND if self.filled[0][1].kind.remedy is Remedy.REOPEN else _MADE_THERE

    def _place_of(self, store: Store) -> str:
        """Where else than in one loop of `__init__` it is filled, in words."""
        if store.method is not self.first.method:
            return f"in `{store.method.name}`"
        blocks = [each for each in self.outline.ancestors(store.statement) if isinstance(each, _BLOCKS)]
        named = {ast.If: "under a condition", ast.Try: "in a `try`", ast.With: "in a `with`", ast.While: "in a `while`"}
        known = [said for each in blocks for kind, said in named.items() if isinstance(each, kind)]
        return known[0] if known else "in a loop inside of another" if len(blocks) > 1 else "in a loop with an `else`"

    def _beside(self, store: Store, made: Made) -> Recreation | None:
        """As another dict of the object keeps what each was opened with."""
        family = self.recreator.family
        found = parallel_dict(family, self.shape, store, made.kind) if self.first.always else None
        if found is None or store.method is not self.first.method or self.empty not in _EMPTY:
            return None
        self._only_filled_here()
        rebuilder = self.recreator.rebuilder
        rebuilder.anchor = self.outline.statement(found.handle)  # type: ignore[assignment]
        opened = rebuilder.text_of(found.handle, {found.argument}) + found.then
        lines = lines_of(found, opened, self.name, self._beginning())
        return Recreation(tuple(lines), tuple(rebuilder.stashes.values()), "", tuple(rebuilder.imports.values()))

    def _block_of(self, store: Store) -> list[ast.stmt]:
        """The block that the statement stands in: that of its method, or a branch of an `if` there."""
        if store.always:
            return store.method.body
        above = self.outline.parents[store.statement]
        while isinstance(above, ast.If):
            above = self.outline.parents[above]
        return self.shape.block(store.statement) if above is store.method else []

    def _beginning(self) -> str:
        return self.empty if self.empty in _EMPTY else self.recreator.rebuilder.text_of(self.first.value)

    # filled in a loop

    def _only_filled_here(self) -> None:
        """Nothing else takes from it or adds to it before the object crosses."""
        for shape in self.recreator.family.hierarchy(self.shape):
            for method, node in shape.selves.get(self.name, []):
                above = shape.outline.parents[node]
                puts = isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.ctx, ast.Load)
                changes = isinstance(above, ast.Attribute) and above.attr in names("changing_methods")
                here = any(node is store.target for store, _ in self.filled)
                if (
                    (puts or changes)
                    and not here
                    and method.name not in {*shape.worker_only_methods, *names("closing_hooks")}
                ):
                    raise Refused(f"line {node.lineno} changes it too; fill it in one loop")

    def _again(self, store: Store, loop: ast.For | None) -> list[str]:
        recreator, rebuilder = self.recreator, self.recreator.rebuilder
        rebuilder.anchor = loop or store.statement
        if loop is None:
            return [self._statement(store.statement, set())]
        bound = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        needed = {node.id for node in ast.walk(store.statement) if isinstance(node, ast.Name)}
        body = [store.statement]
        for statement in reversed(loop.body[: loop.body.index(store.statement)]):
            names = {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            if not names & needed:
                if any(isinstance(node, (ast.Continue, ast.Break, ast.Return)) for node in ast.walk(statement)):
                    raise Refused(f"line {statement.lineno} leaves things out; open what is needed where it is read")
                continue
            if (
                not isinstance(statement, ast.Assign)
                or len(statement.targets) != 1
                or not isinstance(statement.targets[0], ast.Name)
            ):
                raise Refused(
                    f"line {statement.lineno} prepares it in more than one step; open what is needed in a method"
                )
            if recreator.recogniser.made(self.outline, statement.value) and self._kept_too(
                loop, statement.targets[0].id, store
            ):
                raise Refused(f"line {statement.lineno} opens what goes into two attributes; let one of them own it")
            if not self._is_repeated(statement.targets[0], [statement, *body]):
                recreator.check_local(statement.targets[0])
            needed |= {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
            bound |= names
            body.insert(0, statement)
        head = f"for {rebuilder.source_of(loop.target)} in {self._walked(loop)}:"
        again = (self._statement(statement, bound).replace("\n", "\n    ") for statement in body)
        return [head, *(f"    {text}" for text in again)]

    def _walked(self, loop: ast.For) -> str:
        """What the loop goes over; a list of files may be another the second time, and is kept."""
        rebuilder = self.recreator.rebuilder
        stashes, imports = dict(rebuilder.stashes), dict(rebuilder.imports)
        if self.recreator.recogniser.made(self.outline, loop.iter):
            raise Refused(f"`{short(loop.iter)}` can be walked only once; store a list of it as an attribute")
        try:
            return rebuilder.text_of(loop.iter)
        except Refused:
            if not isinstance(loop.target, ast.Name) or not _lists_files(self.outline, loop.iter):
                raise
        rebuilder.stashes, rebuilder.imports = stashes, imports
        word = loop.target.id
        return rebuilder.kept_whole(loop.iter, word if word.endswith("s") else f"{word}s")

    def _is_repeated(self, name: ast.Name, again: list[ast.stmt]) -> bool:
        """Whatever is done to the local of that name is done again in the copy."""
        uses = named(self.outline, self.first.method, name.id)
        return all(self.outline.statement(use) in again for use in uses)

    def _kept_too(self, loop: ast.For, name: str, store: Store) -> bool:
        """Another statement of the loop puts it somewhere else as well."""
        return any(
            statement is not store.statement
            and isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and isinstance(self.outline.parents[node], (ast.Call, ast.Assign, ast.Tuple))
            and "self." in ast.unparse(statement)
            and last_name(getattr(self.outline.parents[node], "func", node)) not in ("len", "list", "sorted")
            for statement in loop.body
            for node in ast.walk(statement)
        )

    def _statement(self, statement: ast.stmt, bound: set[str]) -> str:
        """A statement again, with attributes for the locals that it takes from outside the loop."""
        text = self.recreator.rebuilder.text_of
        if isinstance(statement, ast.Assign):
            target = next(
                (target for target in statement.targets if isinstance(target, ast.Subscript)), statement.targets[0]
            )
            if isinstance(target, ast.Subscript):
                return f"self.{self.name}[{text(target.slice, bound)}] = {text(statement.value, bound)}"
            return f"{ast.unparse(target)} = {text(statement.value, bound)}"
        assert isinstance(statement, ast.Expr)
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            raise Refused("it is filled in the middle of an expression; do it in a statement of its own")
        given = ", ".join(text(argument, bound) for argument in call.args)
        return f"self.{self.name}.{call.func.attr}({given})"

    # filled on demand

    def _on_demand(self, store: Store) -> bool:
        """A `defaultdict` makes it, or `if k not in self.files:` (`self.files.get(k) is None`) stands above it."""
        if store.default:
            return True
        whole = f"self.{self.name}"
        for above in self.outline.ancestors(store.statement):
            if above is store.method:
                return False
            if isinstance(above, ast.If) and any(
                node is store.statement for part in above.body for node in ast.walk(part)
            ):
                test = above.test
                missing = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)
                if missing and ast.unparse(test.comparators[0]) in (whole, f"{whole}.keys()"):  # type: ignore[attr-defined]
                    return True
                if ast.unparse(test).startswith(f"{whole}.get(") and ast.unparse(test).endswith("is None"):
                    return True
        return False

    def _check_defaults(self) -> None:
        """What a `defaultdict` makes are plain locks, and nobody can tell which of them are there."""
        for store, made in self.filled:
            locks = _LOCKS.intersection(made.kind.constructors)
            if not store.default or not locks:
                raise Refused(
                    f"a `defaultdict` keeps {made.kind.what} for each key, and a copy, which begins empty, would not "
                    f"have what was done to these; {_MADE_THERE}"
                )
            called = store.value.func if isinstance(store.value, ast.Call) else store.target
            by_lambda = store.value in self.outline.parents
            if by_lambda or canonical(qualified_name(self.outline, called)) not in locks:
                raise Refused(
                    "a function makes it for the `defaultdict`, with what may be lost in a copy, which begins empty; "
                    f"give that `{min(locks)}` itself, where it needs no more"
                )
        value = self.first.value
        if isinstance(value, ast.Call) and any(ast.unparse(given) not in _EMPTY for given in _more(value)):
            raise Refused(f"it does not begin empty (line {self.first.target.lineno}); {_MADE_THERE}")
        family = self.recreator.family
        repo, own = family.repo, family.hierarchy(self.shape)
        nodes = {shape.node for shape in own}
        for outline in repo.mentioning(self.name):
            for node in outline.attributes.get(self.name, ()):
                above, owner = outline.parents[node], outline.owner(node)
                reads = isinstance(above, ast.Subscript) and above.value is node and isinstance(above.ctx, ast.Load)
                others = owner not in nodes and outline.is_self(node.value)
                if not (reads or others or node is self.first.target):
                    raise Refused(
                        f"line {node.lineno} of {outline.path} may tell which keys it has, and a copy would begin with "
                        f"none; {_MADE_THERE}"
                    )
        outside = family.outside(self.shape)
        shown = outside.elsewhere.shown() or lists_itself(own)
        if shown is not None or may_be_read_by_text(repo, (shape.outline for shape in own), self.name):
            where = f"{shown} reads all attributes" if shown is not None else "it may be read by its name as text"
            raise Refused(f"{where}, and a copy would begin with no keys; {_MADE_THERE}")

    def _only_through_the_cache(self) -> None:
        fillers = {store.method.name for store, _ in self.filled}
        for shape in self.recreator.family.hierarchy(self.shape):
            for method, node in shape.selves.get(self.name, []):
                harmless = method.name in fillers or method.name in names("closing_hooks") or method.name == "__init__"
                above = shape.outline.parents[node]
                counted = isinstance(above, ast.Call) and last_name(above.func) == "len"
                if isinstance(node.ctx, ast.Load) and not harmless and not counted:
                    raise Refused(f"line {node.lineno} reads it without opening what is missing; go through one method")
