"""Values that a spawned worker would get anew, and others than the main process has: a time, a new folder, a draw."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from ...finding import Refused
from ...syntax.callees import Callees, Function
from ...syntax.names import dotted, last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.resolver import Class
from .counted import adds_to_environment, counts_in_environment
from .data import names
from .needed_by_workers import needed
from .own_nodes import own_nodes
from .shared_objects import made_anew
from .starts.process_starts import Starts
from .state.object_parts import OWN_METHOD
from .statements import LOG_METHODS, environment_read, names_bound, stays
from .worker_reads import WorkerReads

_DEPTH = 2  # functions of the repository that are looked into
GENERATORS = {
    "numpy": re.compile(r"numpy\.random\.(?!seed$|default_rng$|RandomState$|Generator$|get_state$)[a-z]\w*$"),
    "torch": re.compile(r"torch\.(rand|randn|randint|randperm|normal|bernoulli|multinomial)$"),
}
_SEEDS = {
    "numpy": re.compile(r"numpy\.random\.(seed|set_state)$"),
    "torch": re.compile(r"torch\.(manual_seed|seed|set_rng_state|random\.manual_seed)$"),
}


class RunAgain:
    """Answers for one script."""

    def __init__(self, starts: Starts, outline: Outline, reads: WorkerReads) -> None:
        self.starts, self.outline, self.reads = starts, outline, reads

    def why_not(self, moved: Collection[ast.stmt]) -> Refused | None:
        """What workers would have in another way when `moved` goes under a guard and the rest runs again, in words."""
        return (
            self._another_value(moved)
            or self._another_draw(moved)
            or self._added_again(moved)
            or made_anew(self.starts, self.outline, self.reads, moved)
        )

    def _another_value(self, moved: Collection[ast.stmt]) -> Refused | None:
        """A global that a worker reads is computed outside of the guard from what is another each time."""
        changing: dict[str, tuple[int, dict[str, str]]] = {}  # line, and by attribute what makes it another
        for statement in self.outline.module.body:
            if isinstance(statement, ast.ClassDef):
                changing.update(self._made_in_class(statement))
            if statement in moved or stays(statement):
                continue
            if (seeded := _seeds(statement)) is not None:
                changing.pop(seeded, None)  # what was drawn from it above stays
            bound = [*names_bound(statement), *self.reads.set_by_text(statement)]
            made = {
                part: what for what, part in self._each_time_another(self.outline, [statement], statement.lineno, 0)
            }
            if not made and (by_name := _by_own_name(statement)) is not None:
                made = {"": by_name}
            read = self._read_in(statement, changing)
            if bound and made:
                changing.update(dict.fromkeys(bound, (statement.lineno, made)))
            elif bound and read:
                line, parts = changing[min(read)]
                changing.update(dict.fromkeys(bound, (line, {"": next(iter(parts.values()))})))
        for name, (line, parts) in changing.items():
            reader = self.reads.reads.get((self.outline.path, name))
            what = self._read_of(name, parts) if reader is not None and not self._is_generator(name) else None
            if what is not None:
                reason = (
                    f"line {line} {what}, and a spawned worker would run it again and get another value: "
                    f"{reader} reads `{name}` in a worker. Pass it as an argument"
                )
                return needed(reason, name, self.outline.path, self.outline.path)
        return None

    def _made_in_class(self, node: ast.ClassDef) -> Iterator[tuple[str, tuple[int, dict[str, str]]]]:
        """What the body of a class, which stays as it is, computes from what is another each time."""
        for statement in own_nodes(node.body):
            around = next(each for each in self.outline.ancestors(statement) if isinstance(each, ast.ClassDef))
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and around is node:
                made = [*self._each_time_another(self.outline, [statement], statement.lineno, 0)]
                for name in names_bound(statement) if made else ():
                    yield f"{node.name}.{name}", (statement.lineno, {"": made[0][0]})

    def _read_in(self, statement: ast.stmt, changing: dict[str, tuple[int, dict[str, str]]]) -> set[str]:
        """The names of `changing` that the statement reads, and not only other attributes of them."""
        found = set[str]()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in changing:
                parts, above = changing[node.id][1], self.outline.parents[node]
                if "" in parts or not isinstance(above, ast.Attribute) or above.attr in parts:
                    found.add(node.id)
        return found

    def _read_of(self, name: str, parts: dict[str, str]) -> str | None:
        """The first of these parts of the global that a worker reads, by what it is made of."""
        read = self.reads.parts_read((self.outline.path, name))
        attributes = {part for part in read if part.isidentifier()}
        if "" in parts or not attributes or attributes | {OWN_METHOD} < read:
            return next(iter(parts.values()))
        return next((what for part, what in parts.items() if part in attributes), None)

    def _is_generator(self, name: str) -> bool:
        """It is a generator without a seed itself: nobody relies on what that draws next."""
        values = [binding.value for binding in self.outline.bindings(self.outline.module, name)]
        return bool(values) and all(
            isinstance(value, ast.Call) and makes_unseeded(qualified_name(self.outline, value.func), value)
            for value in values
        )

    def _each_time_another(
        self, outline: Outline, nodes: Sequence[ast.AST], line: int, depth: int
    ) -> Iterator[tuple[str, str]]:
        """What makes another value each time when the script's `line` runs the statements, in words.

        With the attribute of the object that they make, "" for what is no single one.
        """
        callees = self.starts.callees
        for node in own_nodes(nodes):
            if not isinstance(node, ast.Call):
                continue
            name = qualified_name(outline, node.func)
            drawn = any(pattern.match(name) for pattern in GENERATORS.values()) or name in names("draws")
            seeds_itself = makes_unseeded(name, node)
            if (
                name in names("each_time_another")
                or seeds_itself
                or (drawn and not self._is_seeded(outline, node, line))
            ):
                yield _calls(node), ""
            called = callees.called(outline, node) if depth < _DEPTH else None
            if called is not None and counts_in_environment(called[1]):
                yield _calls(node), ""
            if called is not None and _is_of_same_object(outline, node):
                yield from self._set_up(called[0], called[1], line, depth + 1)
            elif called is not None:
                yield from self._each_time_another(called[0], called[1].body, line, depth + 1)
            made = callees.made_class(outline, node) if called is None and depth < _DEPTH else None
            yield from self._fields(Class(*made), line, depth + 1) if made is not None else ()
            for method in ("__init__", "__post_init__") if made is not None else ():
                if made is not None and (found := callees.method_of(Class(*made), method)) is not None:
                    yield from self._set_up(*found, line, depth + 1)

    def _fields(self, cls: Class, line: int, depth: int) -> Iterator[tuple[str, str]]:
        """The same of the fields of a dataclass: `field(default_factory=random.random)`."""
        for at in self.starts.callees.resolver.lineage(cls):
            marked = any(map(_is_dataclass, at.node.decorator_list))
            for statement in at.node.body if marked else ():
                if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                    continue
                value = statement.value
                words = value.keywords if isinstance(value, ast.Call) and last_name(value.func) == "field" else []
                for factory in (word.value for word in words if word.arg == "default_factory"):
                    code: ast.expr = factory.body if isinstance(factory, ast.Lambda) else ast.Call(factory, [], [])
                    ast.copy_location(code, factory)
                    for what, _ in self._each_time_another(at.outline, [code], line, depth):
                        yield what, statement.target.id

    def _set_up(self, outline: Outline, function: Function, line: int, depth: int) -> Iterator[tuple[str, str]]:
        """The same of a method that sets up its object."""
        known: dict[str, str] = {}  # by variable, and by attribute with a dot: what makes it another
        for statement in (node for node in own_nodes(function.body) if isinstance(node, ast.stmt)):
            if _only_shows(statement):
                continue
            parts = _heads(statement)
            made = [each for part in parts for each in self._each_time_another(outline, [part], line, depth)]
            targets = _targets(outline, statement)
            read = {name for part in parts for name in _read(outline, part, self.starts.callees)} & known.keys()
            if isinstance(statement, ast.Expr) and (seeded := _seeded(outline, statement)) in known:
                del known[seeded]
                continue
            for what, attribute in made:
                if not targets:
                    yield what, attribute
                    known.update({f".{attribute}": what} if attribute else {})
            whats = [*(what for what, _ in made), *(known[name] for name in sorted(read))]
            for target in targets if whats else ():
                known[target] = whats[0]
                if target.startswith(".") and not _keeps_generator(outline, statement):
                    yield whats[0], target[1:]
            if read and not targets:
                yield whats[0], ""

    def _is_seeded(self, outline: Outline, draw: ast.Call, line: int) -> bool:
        """Something of the file seeds a generator above."""
        line = max(line, draw.lineno) if outline is self.outline else line
        return self._first_seed < line

    @cached_property
    def _first_seed(self) -> float:
        """The line of the file's first call that seeds something."""
        calls = (node for node in self.outline.nodes if isinstance(node, ast.Call))
        return min((node.lineno for node in calls if "seed" in ast.unparse(node.func)), default=math.inf)

    def _another_draw(self, moved: Collection[ast.stmt]) -> Refused | None:
        """The state of a generator of numpy or torch, which a forked worker has from its parent."""
        for outline, function in self.reads.not_of_loaders:
            calls = [qualified_name(outline, node.func) for node in ast.walk(function) if isinstance(node, ast.Call)]
            for library, draws in GENERATORS.items():
                if not any(map(draws.match, calls)) or any(map(_SEEDS[library].match, calls)):
                    continue
                for statement in moved:
                    for node in own_nodes([statement]):
                        name = qualified_name(self.outline, node.func) if isinstance(node, ast.Call) else ""
                        if draws.match(name) or _SEEDS[library].match(name):
                            return Refused(
                                f"line {node.lineno} calls `{name}`, and `{function.name}` draws from that generator "  # type: ignore[attr-defined]
                                "in a worker: a spawned one has a generator of its own. Seed it in the worker"
                            )
        return None

    def _added_again(self, moved: Collection[ast.stmt]) -> Refused | None:
        """A variable of the environment that gets something added to it outside of the guard; a worker reads it."""
        for statement in self.outline.module.body:
            if statement in moved or stays(statement) or not (added := adds_to_environment(statement)):
                continue
            for _, function in self.reads.not_of_loaders:
                parts = [part for part in getattr(function, "body", ()) if isinstance(part, ast.stmt)]
                for variable in sorted(added & {name for part in parts for name in environment_read(part)}):
                    reader = f"`{function.name}`"
                    return Refused(
                        f"line {statement.lineno} adds to the environment variable {variable}, which a spawned worker "
                        f"has from the main process: it would add once more, and {reader} reads it there. "
                        "Add only where it is not there yet"
                    )
        return None


def _seeds(statement: ast.stmt) -> str | None:
    """The generator that `rng.seed(1)` gives the same numbers each time."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.func, ast.Attribute):
        return None
    fixed = isinstance(call.args[0], ast.Constant) and call.args[0].value is not None
    is_variable = call.func.attr == "seed" and isinstance(call.func.value, ast.Name)
    return call.func.value.id if fixed and is_variable else None  # type: ignore[attr-defined]


def _is_dataclass(mark: ast.expr) -> bool:
    return last_name(mark.func if isinstance(mark, ast.Call) else mark) == "dataclass"


def _calls(call: ast.Call) -> str:
    return f"calls `{ast.unparse(call.func)[:60]}`"


def _is_of_same_object(outline: Outline, call: ast.Call) -> bool:
    """`super().__init__()`, `Base.__init__(self)`, `self._fill()`."""
    func = call.func
    return isinstance(func, ast.Attribute) and (func.attr == "__init__" or outline.is_self(func.value))


def _only_shows(statement: ast.stmt) -> bool:
    """`print(...)`, `log.info(...)`."""
    called = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return called is not None and last_name(called) in ("print", *LOG_METHODS)


def _heads(statement: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement, without those in its blocks."""
    parts = (part.context_expr if isinstance(part, ast.withitem) else part for part in ast.iter_child_nodes(statement))
    return [part for part in parts if isinstance(part, ast.expr)]


def _targets(outline: Outline, statement: ast.stmt) -> list[str]:
    """The variables, and the attributes of `self` with a dot, that an assignment sets; none where it sets others.

    `self.rows.append(1)` sets `.rows`.
    """
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        part: ast.AST = statement.value.func
        while isinstance(part, ast.Attribute) and not outline.is_self(part.value):
            part = part.value
        return [f".{part.attr}"] if isinstance(part, ast.Attribute) and part is not statement.value.func else []
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return []
    found: list[str] = []
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        if isinstance(target, ast.Attribute) and outline.is_self(target.value):
            found.append(f".{target.attr}")
        elif isinstance(target, ast.Name):
            found.append(target.id)
        else:
            return []
    return found


def _read(outline: Outline, node: ast.AST, callees: Callees) -> Iterator[str]:
    """The variables, and the attributes of `self` with a dot, that are read; also by methods that are called there."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.Attribute) and outline.is_self(inner.value) and isinstance(inner.ctx, ast.Load):
            yield f".{inner.attr}"
        if isinstance(inner, ast.Call) and _is_of_same_object(outline, inner):
            called = callees.called(outline, inner)
            for part in ast.walk(called[1]) if called is not None else ():
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                    yield f".{part.attr}"


def _seeded(outline: Outline, statement: ast.Expr) -> str:
    """`self.rng` as `.rng`, of `self.rng.seed(3)`."""
    func = statement.value.func if isinstance(statement.value, ast.Call) and statement.value.args else None
    if isinstance(func, ast.Attribute) and func.attr == "seed":
        owner = func.value
        return f".{owner.attr}" if isinstance(owner, ast.Attribute) and outline.is_self(owner.value) else dotted(owner)
    return ""


def _keeps_generator(outline: Outline, statement: ast.stmt) -> bool:
    """`self.rng = random.Random()`: nobody relies on what that draws next."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and makes_unseeded(qualified_name(outline, value.func), value)


def makes_unseeded(name: str, call: ast.Call) -> bool:
    """A generator without a seed, `random.Random()`. That of torch has the same one each time."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    no_seed = all(isinstance(each, ast.Constant) and each.value is None for each in given)
    return no_seed and name in names("generators") and not name.startswith("torch.")


def _by_own_name(statement: ast.stmt) -> str | None:
    """`IS_MAIN = __name__ == "__main__"`"""
    tests = (
        (node for node in ast.walk(statement) if isinstance(node, ast.Compare))
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        else ()
    )
    named = any(isinstance(node, ast.Name) and node.id == "__name__" for test in tests for node in ast.walk(test))
    return "asks for `__name__`" if named else None
