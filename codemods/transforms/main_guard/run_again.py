"""Values that a spawned worker would get anew, and others than the main process has: a time, a new folder, a draw."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .counted import adds_to_environment, counts_in_environment
from .data import names
from .own_nodes import own_nodes
from .shared_objects import made_anew
from .starts.process_starts import Starts
from .statements import environment_read, names_bound, stays
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

    def why_not(self, moved: Collection[ast.stmt]) -> str | None:
        """What workers would have in another way when `moved` goes under a guard and the rest runs again, in words."""
        return (
            self._another_value(moved)
            or self._another_draw(moved)
            or self._added_again(moved)
            or made_anew(self.starts, self.outline, self.reads, moved)
        )

    def _another_value(self, moved: Collection[ast.stmt]) -> str | None:
        """A global that a worker reads is computed outside of the guard from what is another each time."""
        changing: dict[str, tuple[int, str]] = {}
        for statement in self.outline.module.body:
            if statement in moved or stays(statement):
                continue
            if (seeded := _seeds(statement)) is not None:
                changing.pop(seeded, None)  # what was drawn from it above stays
            bound = [*names_bound(statement), *self.reads.set_by_text(statement)]
            what = next(self._each_time_another(self.outline, [statement], 0), None) or _by_own_name(statement)
            read = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} & changing.keys()
            if bound and what is not None:
                changing.update(dict.fromkeys(bound, (statement.lineno, what)))
            elif bound and read:
                changing.update(dict.fromkeys(bound, changing[min(read)]))
        for name, (line, what) in changing.items():
            reader = self.reads.reads.get((self.outline.path, name))
            if reader is not None and not self._is_generator(name):
                return (
                    f"line {line} {what}, and a spawned worker would run it again and get another value: "
                    f"{reader} reads `{name}` in a worker. Pass it as an argument"
                )
        return None

    def _is_generator(self, name: str) -> bool:
        """It is a generator without a seed itself: nobody relies on what that draws next."""
        values = [binding.value for binding in self.outline.bindings(self.outline.module, name)]
        return bool(values) and all(
            isinstance(value, ast.Call) and makes_unseeded(qualified_name(self.outline, value.func), value)
            for value in values
        )

    def _each_time_another(self, outline: Outline, statements: list[ast.stmt], depth: int) -> Iterator[str]:
        for node in own_nodes(statements):
            if not isinstance(node, ast.Call):
                continue
            name = qualified_name(outline, node.func)
            drawn = any(pattern.match(name) for pattern in GENERATORS.values()) or name in names("draws")
            seeds_itself = makes_unseeded(name, node)
            if name in names("each_time_another") or seeds_itself or (drawn and not self._is_seeded(outline, node)):
                yield f"calls `{ast.unparse(node.func)[:60]}`"
            called = self.starts.callees.called(outline, node) if depth < _DEPTH else None
            if called is not None and counts_in_environment(called[1]):
                yield f"calls `{ast.unparse(node.func)[:60]}`"
            if called is not None:
                yield from self._each_time_another(called[0], called[1].body, depth + 1)

    def _is_seeded(self, outline: Outline, draw: ast.Call) -> bool:
        """Something of the file seeds a generator above."""
        return any(
            isinstance(node, ast.Call) and node.lineno < draw.lineno and "seed" in ast.unparse(node.func)
            for node in self.outline.nodes
        )

    def _another_draw(self, moved: Collection[ast.stmt]) -> str | None:
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
                            return (
                                f"line {node.lineno} calls `{name}`, and `{function.name}` draws from that generator "  # type: ignore[attr-defined]
                                "in a worker: a spawned one has a generator of its own. Seed it in the worker"
                            )
        return None

    def _added_again(self, moved: Collection[ast.stmt]) -> str | None:
        """A variable of the environment that gets something added to it outside of the guard; a worker reads it."""
        for statement in self.outline.module.body:
            if statement in moved or stays(statement) or not (added := adds_to_environment(statement)):
                continue
            for _, function in self.reads.not_of_loaders:
                parts = [part for part in getattr(function, "body", ()) if isinstance(part, ast.stmt)]
                for variable in sorted(added & {name for part in parts for name in environment_read(part)}):
                    reader = f"`{function.name}`"
                    return (
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
