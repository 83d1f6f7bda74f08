"""Whether what an attribute holds can be made again from the other attributes, and the statements that do it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ....finding import Refused
from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.unpicklable import Made, Recogniser
from ....syntax.unpicklable_table import MODULE, ObjectKind, Remedy, canonical, kinds
from ..classes import Shape, Store
from ..data import names
from ..family import Family
from ..own_classes import check_keeps_nothing, check_not_set_up
from ..uses.call_arguments import passed
from ..uses.mutation import first_touch, methods_called, named
from ..uses.removed_files import removed_before
from ..uses.surroundings import goes_elsewhere, is_absolute, is_plain, path_of
from .factories import leaves_trace, noted_for_workers, returned_constructor
from .rebuild_expression import ExpressionRebuilder, Stash, short

_IMPORT = "importlib.import_module"
_JOINS = "addHandler"


@dataclass(frozen=True)
class Recreation:
    """The statements that make `self.<attribute>` again, what they need stashed, and imports that were local."""

    lines: tuple[str, ...]
    stashes: tuple[Stash, ...]
    value: str  # the expression alone, where one line is all there is
    imports: tuple[str, ...] = ()
    path: str = ""  # the text of the path in the first line, where it is opened by one that is seen
    joins: str = ""  # a call that gives it to something else, which may get one more with each copy


class Recreator:
    """Builds the `Recreation` of one store of one attribute."""

    def __init__(self, family: Family, recogniser: Recogniser, shape: Shape, store: Store, made: Made) -> None:
        self.family, self.recogniser, self.shape, self.store, self.made = family, recogniser, shape, store, made
        self.outline = store.owner.outline
        self.rebuilder = ExpressionRebuilder(family, recogniser, shape, store)
        self.rebuilder.check_opened = self._check_opened
        self.joins = ""
        self.by_name: list[ast.Call] = []  # what sets it up by the local variable that has it

    def recreation(self) -> Recreation:
        """The statements. Raises Refused."""
        store, kind = self.store, self.made.kind
        if store.value is None:
            raise Refused("it is set together with other things; assign it in a statement of its own")
        if self.shape.in_loop(store.statement, store.method):
            raise Refused("it is set again and again in a loop; open what is needed where it is read")
        value = self._plain(store.value)
        self._refuse_choice(value)
        check_keeps_nothing(self.family.repo, self.outline, value)
        if _IMPORT in kind.constructors:
            check_not_set_up(self.outline, store.owner.node, store.target.attr)
        self._check_creation(kind)
        value = self._without_trace(value)
        path = self._keep_folder(value)
        text = self.rebuilder.aligned(self.rebuilder.text_of(value), value, f"self.{store.target.attr} = ")
        lines = [f"self.{store.target.attr} = {text}", *self._setup(kind)]
        alone = text if len(lines) == 1 else ""
        rebuilder = self.rebuilder
        path_text = rebuilder.text_of(path) if path is not None else ""
        return Recreation(
            tuple(lines),
            tuple(rebuilder.stashes.values()),
            alone,
            tuple(rebuilder.imports.values()),
            path_text if text.count(path_text) == 1 else "",
            self.joins,
        )

    def check(self) -> None:
        """Raises Refused where it must not be opened twice."""
        self._check_creation(self.made.kind)

    def has_known_mode(self) -> bool:
        """It is seen how it is opened."""
        mode = self.made.kind.mode
        if mode is None:
            return False
        place, names, _ = mode
        given = [
            value
            for call in self._creations()
            for value in (
                *(word.value for word in call.keywords if word.arg in names.split("|")),
                *call.args[place:][:1],
            )
        ]
        return bool(given) and all(self._modes(value) for value in given)

    def may_be_text(self) -> bool:
        """It may give lines of text, not bytes."""
        kind = self.made.kind
        if kind.mode is None or "rt" not in kind.reads:
            return False
        place, names, default = kind.mode
        creations = self._creations()
        for call in creations:
            words = [word.value for word in call.keywords if word.arg in (*names.split("|"), None)]
            given = [mode for value in (*words, *call.args[place:][:1]) for mode in self._modes(value) or ["rt"]]
            if any("t" in mode or "b" not in mode + default for mode in given or [default]):
                return True
        return not creations

    def is_unbuffered(self) -> bool:
        """It may have no buffer: then what reads from it moves the position that forked processes share."""
        return any(_may_be_unbuffered(self.made.kind, call) for call in self._creations())

    def _keep_folder(self, value: ast.expr) -> ast.expr | None:
        """The path that `value` opens; kept as an absolute one where the program goes to another folder."""
        opened = isinstance(value, ast.Call) and self.recogniser.origin(self.outline, value.func) in names(
            "opened_by_path"
        )
        path = path_of(value) if isinstance(value, ast.Call) and opened else None
        gone = removed_before(self.family, self.shape, self.store, path) if path is not None else None
        if gone is not None:
            raise Refused(
                f"{gone} removes or moves what it opens, and a copy could not open it again; keep its content, or "
                "remove it when the workers are done"
            )
        place = goes_elsewhere(self.family, self.shape) if self.made.kind.remedy is Remedy.REOPEN else None
        if place is None:
            return path
        paths = [each for call in self._creations() if (each := path_of(call)) is not None]
        if all(is_absolute(self.outline, each) for each in paths):
            return path
        if path is None or not is_plain(self.outline, path) or self.outline.imported.get("os") != "os":
            raise Refused(
                f"it may be opened by a relative path, and {place} goes to another folder, where a copy would not find "
                "it; open it by `os.path.abspath(...)`"
            )
        self.rebuilder.absolute = path
        return path

    def _without_trace(self, value: ast.expr) -> ast.expr:
        """`value`; where it calls a function of the file that does more than return an object, the object's call."""
        for where, function in self.recogniser.functions(self.outline, value) if isinstance(value, ast.Call) else ():
            noted = noted_for_workers(self.family.repo.project, where, function)
            if noted is not None:
                raise Refused(
                    f"`{function.name}` notes it in `{noted[0]}`, which line {noted[1]} reads in a worker: a spawned "
                    "one has none of that; pass the worker what it needs of it"
                )
            if where is self.outline and leaves_trace(where, function) is not None:
                return returned_constructor(where, function) or value
        return value

    def _plain(self, value: ast.expr) -> ast.expr:
        """The expression behind a local name."""
        for _ in range(4):
            if isinstance(value, ast.NamedExpr):
                value = value.value
            if not isinstance(value, ast.Name) or self._is_import(value):
                return value
            scope, bindings = self.outline.lookup(value, value.id)
            if isinstance(scope, ast.Module):
                return value
            held = self.outline.bindings(scope, value.id)
            if len(held) != 1 or len(bindings) != 1 or held[0].value is None:
                verb = "open" if self.made.kind.remedy is Remedy.REOPEN else "make"
                raise Refused(f"`{value.id}` has its value from several places; {verb} it in one statement")
            if isinstance(held[0].statement, (ast.With, ast.AsyncWith)):
                line = held[0].statement.lineno
                raise Refused(f"line {line} closes it again at the end of `with`; read what is needed there")
            self.check_local(value)
            value = held[0].value
        return value

    def check_local(self, name: ast.Name) -> None:
        """Raises Refused where what the local `name` stands for is changed, besides what is repeated."""
        uses = named(self.outline, self.store.method, name.id)
        setup = {use: call for use in uses if (call := self._sets_up(use)) is not None}
        self.by_name += setup.values()
        changed = first_touch(self.outline, [use for use in uses if use not in setup], self.made.kind)
        if changed is not None:
            raise Refused(f"{changed}, and a new one would not have that; do it to `self.{self.store.target.attr}`")
        for use in uses:
            above, statement = self.outline.parents[use], self.outline.statement(use)
            keeps = isinstance(statement, ast.Assign) and any(isinstance(t, ast.Attribute) for t in statement.targets)
            if keeps and statement is not self.store.statement and above is statement:
                raise Refused(f"line {use.lineno} keeps it as well; set that to `self.{self.store.target.attr}`")
            if isinstance(above, ast.Call) and self.family.repo.resolver.classes(self.outline, above.func):
                taker = last_name(above.func)
                raise Refused(
                    f"line {use.lineno} passes it to `{taker}`, which may keep it too; let one of them own it"
                )

    def _sets_up(self, use: ast.expr) -> ast.Call | None:
        """`handler.setLevel(...)`, a statement beside the one that stores it: the copy repeats that."""
        method = self.outline.parents[use]
        call = self.outline.parents[method]
        if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call) and call.func is method):
            return None
        statement = self.outline.parents[call]
        beside = isinstance(statement, ast.Expr) and statement in self.shape.block(self.store.statement)
        return call if beside and method.attr in self.made.kind.setup else None

    def _check_opened(self, name: ast.Name, made: Made) -> None:
        """Raises Refused where the file that the local `name` is may not be opened for a part of it alone."""
        Recreator(self.family, self.recogniser, self.shape, self.store, made).check()
        uses = named(self.outline, self.store.method, name.id)
        closing = [use for use in uses if getattr(self.outline.parents[use], "attr", "") in names("closing_methods")]
        if closing:
            raise Refused(f"line {closing[0].lineno} closes what it is a part of; read what is needed there")
        changed = first_touch(self.outline, uses, made.kind)
        if changed is not None:
            raise Refused(f"{changed}, and a new one would not have that; keep `{name.id}` as an attribute")

    def _is_import(self, name: ast.Name) -> bool:
        _, bindings = self.outline.lookup(name, name.id)
        return bool(bindings) and all(
            isinstance(binding.statement, (ast.Import, ast.ImportFrom)) for binding in bindings
        )

    def _refuse_choice(self, value: ast.expr) -> None:
        """`lock or Lock()`: what is passed from outside is shared with others, a new one would not be."""
        if not self.made.choice or chooses_modules(self.recogniser, self.outline, value):
            return
        for node in ast.walk(value):
            if isinstance(node, ast.BoolOp) or (isinstance(node, ast.IfExp) and not _or_none(node)):
                raise Refused(
                    "it may be passed in, and then other objects share it; "
                    "drop it in a `__getstate__` and decide what the copy gets"
                )

    # how it is made

    def _check_creation(self, kind: ObjectKind) -> None:
        self.check_place()
        for call in self._creations():
            if any(isinstance(argument, ast.Starred) for argument in call.args) and kind.mode is not None:
                raise Refused("its arguments are not visible here, so it may be open for writing")
            if kind.mode is not None:
                self._check_mode(kind, call)
            first = call.args[0] if call.args else None
            if kind.in_order:
                self._check_order()
            if kind.mode is not None and isinstance(first, ast.Constant) and isinstance(first.value, int):
                raise Refused("another process may have another file, or none, under that number; open it by its path")
            if kind.needs and not call.args and not call.keywords:
                raise Refused(kind.needs)
            if isinstance(first, ast.Name) and not names("around_a_lock").isdisjoint(kind.constructors):
                raise Refused(f"it uses `{first.id}`, which other objects share; a new one would use another")

    def check_place(self) -> None:
        """Raises Refused where it is in the memory of this process, so that nothing is there to be opened again."""
        for call in self._creations() if self.made.kind.memory else ():
            first = call.args[0] if call.args else None
            place = str(first.value) if isinstance(first, ast.Constant) else "?"
            if not place or place.endswith(tuple(names("databases_in_memory"))):
                raise Refused("a database in memory is gone in the copy; keep it in a file, or build it in the worker")

    def _creations(self) -> list[ast.Call]:
        """The calls that make it: here, or in the function that gives it back."""
        node = self.made.node
        if not isinstance(node, ast.Call):
            return []
        if kinds().get(canonical(self.recogniser.origin(self.outline, node))) is self.made.kind:
            return [node]
        return [
            inner
            for where, function in self.recogniser.functions(self.outline, node)
            for inner in where.own(function)
            if isinstance(inner, ast.Call)
            and any(made.kind is self.made.kind and made.node is inner for made in self.recogniser.made(where, inner))
        ]

    def _check_order(self) -> None:
        """Another walk over a DataLoader gives the same only when nothing is drawn and nobody works ahead."""
        loaders = self.outline.calls_of("DataLoader")
        own = [loader for loader in loaders if self.outline.owner(loader) is self.shape.node]
        for loader in own or loaders:
            for keyword in loader.keywords:
                if keyword.arg in (None, "shuffle", "sampler", "batch_sampler", "num_workers") and (
                    not isinstance(keyword.value, ast.Constant) or keyword.value.value
                ):
                    raise Refused(
                        f"line {loader.lineno} gives it `{keyword.arg or '**'}`, so the copy would walk over it in "
                        "another way; make the iterator in the process that walks"
                    )
            if len(loader.args) > 2:
                raise Refused(
                    f"line {loader.lineno} may shuffle; make the iterator in the process that walks over the loader"
                )

    def _check_mode(self, kind: ObjectKind, call: ast.Call) -> None:
        assert kind.mode is not None
        place, names, mode = kind.mode
        given = [keyword.value for keyword in call.keywords if keyword.arg in names.split("|")]
        given = given or list(call.args[place : place + 1])
        if not given and any(keyword.arg is None for keyword in call.keywords):
            raise Refused("its arguments are not visible here, so it may be open for writing")
        modes = self._modes(given[0]) if given else [mode]
        written = self._written() if not modes else None
        if written is not None:
            raise Refused(f"line {written} writes to it, and several processes would; open it where it is written")
        if not modes:
            raise Refused(
                f"its mode `{ast.unparse(given[0])}` is decided elsewhere, so it may be open for writing; "
                "pass the mode as a literal"
            )
        mode = next((mode for mode in modes if mode not in kind.reads), modes[0])
        if mode not in kind.reads:
            several = sum(not store.clears for store in self.shape.stores(self.store.target.attr)) > 1
            opened = f"line {call.lineno} opens it for writing" if several else "it is open for writing"
            how = f"{names}={mode}" if mode == "True" else mode
            raise Refused(f"{opened} (`{how}`), and several processes would write; open it where it is written")

    def _written(self) -> int | None:
        """A line of the class that writes to what it keeps there."""
        for _, use in self.shape.selves.get(self.store.target.attr, ()):
            above = self.shape.outline.parents[use]
            if isinstance(above, ast.Attribute) and above.attr in ("write", "writelines", "truncate"):
                return use.lineno
        return None

    def _modes(self, node: ast.expr) -> list[str]:
        """All that the mode may be; nothing where that can't be seen."""
        if isinstance(node, ast.Attribute) and self.outline.is_self(node.value):
            stores = [store for shape in self.family.hierarchy(self.shape) for store in shape.stores(node.attr)]
            node = stores[0].value if len(stores) == 1 and stores[0].value is not None else node
        if isinstance(node, ast.Name):
            method = self.store.method
            bindings = self.outline.bindings(method, node.id)
            if self.outline.lookup(node, node.id)[0] is not method or len(bindings) != 1 or not bindings[0].parameter:
                return []
            values = passed(self.family, self.shape, method, node.id)
        else:
            values = [node]
        own = any(isinstance(value, ast.Attribute) and self.outline.is_self(value.value) for value in values)
        if own or not all(isinstance(value, (ast.Constant, ast.Attribute)) for value in values):
            return []
        return [str(value.value) if isinstance(value, ast.Constant) else self._name(value) for value in values]

    def _name(self, node: ast.expr) -> str:
        """The dotted name, with the module's own in front."""
        root, _, tail = ast.unparse(node).partition(".")
        return f"{self.outline.imported.get(root, root)}.{tail}"

    # what is done to it right after

    def _setup(self, kind: ObjectKind) -> list[str]:
        """Statements after the construction that set it up: repeated in the copy."""
        block = self.shape.block(self.store.statement)
        after = block[next(i for i, statement in enumerate(block) if statement is self.store.statement) + 1 :]
        name = self.store.target.attr
        lines = [self._call_again(call) for call in self.by_name if self.outline.statement(call) not in after]
        for statement in after:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Attribute) and self._is_it(target.value, name):
                    lines.append(f"self.{name}.{target.attr} = {self.rebuilder.text_of(statement.value)}")
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                if not isinstance(call.func, ast.Attribute):
                    continue
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                for called in methods_called([statement], self.outline):
                    lines += [self._call_again(each) for each in self._set_up_by(called, kind)]
                if call in self.by_name:
                    lines.append(self._call_again(call))
                elif self._is_it(call.func.value, name):
                    words = ast.unparse(given[0]).lower().lstrip("(f\"'") if given else ""  # also `"PRAGMA x=%d" % n`
                    if call.func.attr in kind.setup or (call.func.attr == "execute" and words.startswith("pragma")):
                        lines.append(self._call_again(call))
                elif any(self._is_it(argument, name) for argument in given) and call.func.attr in kind.setup:
                    lines.append(self._call_again(call))
                    self.joins = lines[-1]
                    self._check_taken_off(name)
                    lines += [line for line in self._setup_of(call.func.value, block) if line not in lines]
        if not self.joins:
            self._check_joined_later(name)
        return lines

    def _set_up_by(self, name: str, kind: ObjectKind) -> Iterator[ast.Call]:
        """The calls by which the method sets it up."""
        for shape in self.family.hierarchy(self.shape):
            method = shape.methods.get(name)
            for statement in method.body if method is not None else ():
                call = statement.value if isinstance(statement, ast.Expr) else None
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in kind.setup:  # noqa: SIM102
                    if self._is_it(call.func.value, self.store.target.attr):
                        if shape.outline is not self.outline:
                            raise Refused(f"another file sets it up ({shape.outline.path}:{call.lineno})")
                        yield call

    def _check_joined_later(self, name: str) -> None:
        """Raises Refused where another method gives it to a logger that this one sets up."""
        for shape in self.family.hierarchy(self.shape):
            for _, node in shape.selves.get(name, ()):
                call = shape.outline.parents[node]
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == _JOINS:
                    self._setup_of(call.func.value, [])

    def _check_taken_off(self, name: str) -> None:
        """Raises Refused where a method that runs before the object crosses takes it off again."""
        for shape in self.family.hierarchy(self.shape):
            early = self.family.pre_transfer_methods(self.shape)
            for method, node in shape.selves.get(name, ()):
                call = shape.outline.parents[node]
                if isinstance(call, ast.Call) and last_name(call.func) == "removeHandler" and method.name in early:
                    raise Refused(f"line {node.lineno} takes it off again, where a copy would have it")

    def _setup_of(self, taker: ast.expr, block: list[ast.stmt]) -> list[str]:
        """What sets up the logger that gets the handler: a new process has the logger as `getLogger` makes it."""
        lines: list[str] = []
        whole = ast.unparse(taker)
        for node in ast.walk(self.store.method):
            call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
            targets = node.targets if isinstance(node, ast.Assign) else []
            sets = [item for item in targets if isinstance(item, ast.Attribute) and ast.unparse(item.value) == whole]
            calls = call is not None and isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == whole
            if not sets and not (calls and call is not None and last_name(call.func) in names("sets_up_a_logger")):
                continue
            assert isinstance(node, (ast.Expr, ast.Assign))
            if node not in block or (sets and len(targets) > 1):
                raise Refused(
                    f"line {node.lineno} sets up the logger `{whole}`, which another process would not have; do that "
                    f"right where `{short(taker)}` gets the handler"
                )
            if call is not None:
                lines.append(self._call_again(call))
            elif isinstance(node, ast.Assign):
                lines.append(f"{whole}.{sets[0].attr} = {self.rebuilder.text_of(node.value)}")
        return lines

    def _call_again(self, call: ast.Call) -> str:
        """The text of `call`, a method of it or of a logger, for the copy."""
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        for argument in given:
            check_keeps_nothing(self.family.repo, self.outline, argument)
        if call not in self.by_name and not self._locals_in(call):
            return self.rebuilder.repeated(call)
        if call not in self.by_name and self._locals_in(call.func):
            raise self._lacking(call)
        texts = [self._argument(call, argument) for argument in given]
        words = [f"{keyword.arg}=" if keyword.arg else "**" for keyword in call.keywords]
        written = [f"{word}{text}" for word, text in zip(["" for _ in call.args] + words, texts, strict=True)]
        here = call in self.by_name
        called = (
            f"self.{self.store.target.attr}.{last_name(call.func)}" if here else self.rebuilder.source_of(call.func)
        )
        return f"{called}({', '.join(written)})"

    def _lacking(self, call: ast.Call) -> Refused:
        return Refused(f"`{short(call)}` (line {call.lineno}) sets it up with something that the copy doesn't have")

    def _argument(self, call: ast.Call, argument: ast.expr) -> str:
        """The text of an argument of `call`; a local variable that is bound once is written out."""
        value, unknown = argument, self._locals_in(argument)
        bound: ast.AST = self.store.statement
        if unknown == [argument] and isinstance(argument, ast.Name):
            held = self.outline.bindings(self.store.method, argument.id)
            alone = len(named(self.outline, self.store.method, argument.id)) == 1  # used for this call, and not changed
            if alone and len(held) == 1 and held[0].value is not None:
                value, unknown = held[0].value, self._locals_in(held[0].value)
                bound = held[0].statement
        if unknown:
            raise self._lacking(call)
        before = dict(self.rebuilder.stashes)
        text = self.rebuilder.text_of(value)
        if self.rebuilder.stashes != before and position(bound) < position(self.store.statement):
            self.rebuilder.stashes = before  # a part of it may change: the local variable itself is kept
            return self.rebuilder.text_of(argument)
        return text

    def _locals_in(self, value: ast.expr) -> list[ast.Name]:
        """Names that mean nothing in another method."""
        names = (node for node in ast.walk(value) if isinstance(node, ast.Name) and not self.outline.is_self(node))
        return [name for name in names if not isinstance(self.outline.lookup(name, name.id)[0], ast.Module)]

    def _is_it(self, node: ast.expr, name: str) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == name and self.outline.is_self(node.value)


def _may_be_unbuffered(kind: ObjectKind, call: ast.Call) -> bool:
    if kind.buffering is None:
        return False
    place, name = kind.buffering
    given = [keyword.value for keyword in call.keywords if keyword.arg in (name, None)] + call.args[place : place + 1]
    sizes = [ast.unparse(value).lstrip("-") for value in given]
    return any(not size.isdigit() or int(size) == 0 for size in sizes)


def chooses_modules(recogniser: Recogniser, outline: Outline, value: ast.expr | None) -> bool:
    """`numpy if fast else math`: whatever is chosen is one of the modules, which everybody shares."""
    sides = [value.body, value.orelse] if isinstance(value, ast.IfExp) else []
    sides = value.values if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) else sides
    return bool(sides) and all(any(made.kind is MODULE for made in recogniser.made(outline, side)) for side in sides)


def _or_none(node: ast.IfExp) -> bool:
    return any(isinstance(side, ast.Constant) and side.value is None for side in (node.body, node.orelse))
