"""Whether statements of a script can go under guards: what workers need of them, and what stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from contextlib import suppress

from ....finding import Refused
from ....project import Project
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.placement import indentation_at, indentation_unit
from ....syntax.receivers import qualified_name
from ....syntax.repo import Repo
from ....tree.source import Source
from ..called_here import called_here
from ..needed_by_workers import NeededByWorkers
from ..own_nodes import own_nodes
from ..set_by_text import UNKNOWN, set_by_text
from ..settings import movable_setting, only_here, setting_of
from ..statements import (
    attributes_set,
    changed,
    dunder,
    environment_read,
    environment_set,
    is_guard,
    is_plain,
    is_plain_guard,
    is_print,
    is_text,
    leaves,
    line_of_change,
    method_root,
    names_bound,
    print_call,
    reads_on_import,
    stays,
)
from ..worker_code import code_of_workers
from .goes_along import constants, made_for
from .hoist import BUILTINS
from .one_guard import Run, is_pure, moves, one_run

_LOG_SETUP = re.compile(r"\bbasicConfig\(|FileHandler\(")
_LOGS = re.compile(  # names of some length: a text may be one long word, and is looked through from each of its `log`s
    r"\b\w{0,60}log\w{0,60}(?:\(\))?\.(?:debug|info|warn|warning|error|critical|exception)\(", re.IGNORECASE
)
_SETS_UP = re.compile(r"\b(?:signal|atexit|threading|LambdaLR|MultiplicativeLR)\b")
_MAX_GUARDS = 3
_DEVICES = ("torch.device", "torch.cuda.is_available", "torch.backends.mps.is_available")  # nothing is put on it yet
_LIGHT = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.unaryop, ast.expr_context,
)  # fmt: skip


class Splitter:
    """The statements of one script: which go under guards, and whether they can."""

    def __init__(
        self,
        project: Project,
        outline: Outline,
        source: Source,
        imported: Mapping[str, str],
        outside: frozenset[int] = frozenset(),
        late: frozenset[int] = frozenset(),
        spares: bool = False,
        handed: frozenset[str] = frozenset(),
    ) -> None:
        """`outside`: statements that stay; `late`, `handed`: see `split`; `spares`: a guard below starts the workers
        already, so that only what they should not repeat goes along, and what needs that: no constants, nothing above.
        """
        self.handed = handed
        self.imported, self.outside, self.late, self.spares = imported, outside, late, spares
        self.resolver = Repo(project).resolver
        self.outline, self.source, self.body = outline, source, outline.module.body
        self.binds = [frozenset(names_bound(statement)) for statement in self.body]
        self.project = project
        self.in_children = code_of_workers(project, outline, source)

    def sets_up_the_log(self, at: int) -> bool:
        """Under the guard, what workers log would go nowhere."""
        return _LOG_SETUP.search(ast.unparse(self.body[at])) is not None and self.children_log()

    def runs(self, first: int | None, alone: frozenset[int]) -> list[Run]:
        """The runs from `first` on with those of `alone`. Raises Refused."""
        inside = set(alone)
        if first is not None:
            start = first if self.spares else self._start(first)
            inside |= {at for at in range(start, len(self.body)) if not self._stays(self.body[at])}
            if self.spares:
                inside |= made_for(self.resolver, self.outline, inside, self.outside, self._prepares)
        inside -= self.outside
        inside -= constants(self.resolver, self.outline, inside) if self.spares else set()
        inside |= self._headings(inside)
        if _SETS_UP.search(self.source.text):  # what is called later in workers depends on what goes under the guard
            guarded = [self.body[at] for at in inside]
            self.in_children = code_of_workers(self.project, self.outline, self.source, guarded)
        while True:
            kept = self._leave_outside(inside)
            if not kept:
                break
            inside -= kept
        try:
            self._check(inside)
            whole = self._whole(inside)
        except Refused:
            whole = self._whole_with_functions(inside)
            if whole is None:
                raise
        if whole is None:
            with suppress(Refused):
                whole = self._whole_with_functions(inside)
        if whole is not None:
            return [whole]
        runs = _stretches(inside)
        if len(runs) > 1 and (fewer := inside - self._harmless(runs)) and fewer != inside:
            with suppress(Refused):
                self._check(fewer)
                runs = _stretches(fewer)
        if len(runs) > _MAX_GUARDS:
            raise Refused(
                f"definitions stand between the {len(runs)} stretches of code that must be guarded: move them to the "
                'top, the rest under one `if __name__ == "__main__":`'
            )
        return runs

    def _whole(self, inside: set[int]) -> Run | None:
        """All of `inside` under one guard, where that is possible."""
        for joined in (self._guard_below(inside), None):
            whole = one_run(self.resolver, self.outline, inside, self.needed(), joined) if inside else None
            if whole is not None:
                return whole
        return None

    def _whole_with_functions(self, inside: set[int]) -> Run | None:
        """The same, with functions and classes that only the main process uses, where they can't be moved above it."""
        for_workers = {*self.needed(), *self.in_children}
        between = range(min(inside, default=0), max(inside, default=0))
        along = {
            at
            for at in between
            if isinstance(statement := self.body[at], (*FUNCTIONS, ast.ClassDef))
            and all(is_pure(self.resolver, self.outline, mark) for mark in statement.decorator_list)
            and statement.name not in for_workers
            and not moves(self.resolver, self.outline, statement, [self.body[other] for other in between if other < at])
        }
        if not along:
            return None
        self._check(inside | along)
        return self._whole(inside | along)

    def _headings(self, inside: set[int]) -> set[int]:
        """Texts and prints right above the first of these statements say what follows: not that of the whole module."""
        first = above = min(inside, default=0)
        while above > 1 and (is_text(self.body[above - 1]) or _prints_text(self.body[above - 1])):
            above -= 1
        return {*range(above, first)}

    def _harmless(self, runs: list[Run]) -> set[int]:
        """What a worker may run again, in stretches of nothing else: seeds, and flags of a backend."""
        stretches = [range(run.first, run.last + 1) for run in runs]
        return {
            at for part in stretches if all(only_here(self.outline, self.body[each]) for each in part) for at in part
        }

    def _stays(self, statement: ast.stmt) -> bool:
        return stays(statement) or (movable_setting(self.outline, statement) and not self._set_before(statement))

    def _set_before(self, setting: ast.stmt) -> bool:
        """Something runs between it and an earlier statement that makes the same setting in another way."""
        at = self.body.index(setting)
        earlier = [
            other
            for other in range(at)
            if movable_setting(self.outline, self.body[other])
            and setting_of(self.body[other]) == setting_of(setting)
            and ast.unparse(self.body[other]) != ast.unparse(setting)
        ]
        between = self.body[min(earlier) : at] if earlier else []
        return any(not stays(each) and not movable_setting(self.outline, each) for each in between)

    def _guard_below(self, inside: set[int]) -> int | None:
        """The only main guard of the file, where it stands below all of `inside` and has the usual indentation."""
        guards = [(at, statement) for at, statement in enumerate(self.body) if is_plain_guard(statement)]
        if len(guards) != 1 or not inside or guards[0][0] < max(inside):
            return None
        at, guard = guards[0]
        first = guard.body[0] if isinstance(guard, ast.If) else guard
        indent = indentation_unit(self.source, self.outline.module)
        return at if first.lineno == guard.lineno or indentation_at(self.source, first.lineno) == indent else None

    # what children need

    def needed(self) -> dict[str, str]:
        """Globals that a child may read -> who reads them."""
        found: dict[str, str] = {}
        for name, reads in self.in_children.items():
            for read in reads:
                found.setdefault(read, name)
        return {**found, **self.imported}

    def _attributes_in_children(self) -> frozenset[tuple[str, str]]:
        """`("Config", "rate")` where what a child may run reads `Config.rate`."""
        run = [item for item in self.body if getattr(item, "name", "") in self.in_children]
        return frozenset(
            (node.value.id, node.attr)
            for item in run
            for node in ast.walk(item)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        )

    def children_log(self) -> bool:
        """A function or class of the file that a child may run writes to a log."""
        return any(
            _LOGS.search(ast.unparse(statement))
            for statement in self.body
            if getattr(statement, "name", "") in self.in_children
        )

    # where the guard begins

    def _start(self, first: int) -> int:
        """`first`, or an earlier statement of the same stretch: what only prepares for the start goes along."""
        needed, start = self.needed(), first
        names: set[str] = set()
        for at in range(first - 1, -1, -1):
            statement = self.body[at]
            if (self.binds[at] & needed.keys()) - self.handed or not self._prepares(statement):
                break
            start = at
        for at in range(start, first):  # not half of something: a call on what stays outside, constants at the top
            statement = self.body[at]
            root = method_root(statement)
            light = self._is_light(statement) or is_print(statement) or is_text(statement)
            if self.binds[at] & self.handed:
                break
            if light or (root is not None and root not in names):
                start = at + 1
                continue
            break
        for at in range(start, first):
            names |= self.binds[at]
        return start

    def _is_light(self, statement: ast.stmt) -> bool:
        """A constant, a setting that is only read from somewhere (`rate = args.rate`, `size = config["size"]`), or the
        device that there is."""
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        if value is None:
            return is_plain(statement)
        asked = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        if asked and all(qualified_name(self.outline, call.func) in _DEVICES for call in asked):
            return True
        if not all(isinstance(node, _LIGHT) for node in ast.walk(value)):
            return is_plain(statement)
        parts = [node.slice for node in ast.walk(value) if isinstance(node, ast.Subscript)]
        return all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)  # of no dataset

    def _prepares(self, statement: ast.stmt) -> bool:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            simple = all(isinstance(leave, ast.Name) for target in targets for leave in leaves(target))
            return simple and not stays(statement) and not dunder(targets)
        root = method_root(statement)
        if root is not None:
            found = self.outline.bindings(self.outline.module, root)
            return bool(found) and all(isinstance(item.statement, ast.Assign) for item in found)
        return is_print(statement) or is_text(statement)

    # what stays outside

    def _leave_outside(self, inside: set[int]) -> set[int]:
        """Plain constants among the guarded statements that a child needs."""
        needed = self.needed()
        for at in sorted(inside):
            statement = self.body[at]
            if self.binds[at] & needed.keys() and is_plain(statement):
                name = next(iter(self.binds[at]))
                reads = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {name}
                once = sum(name in bound for bound in self.binds) == 1
                late = any(reads & self.binds[other] for other in inside if not is_plain(self.body[other]))
                if once and not late:
                    plain = {other for other in inside if reads & self.binds[other]}
                    return {at, *plain}
        return set()

    def _check(self, inside: set[int]) -> None:
        needed, read_in_children = self.needed(), self._attributes_in_children()
        for at, statement in enumerate(self.body):
            above = not isinstance(statement, (*FUNCTIONS, ast.ClassDef)) and at < min(inside, default=0)
            unused = isinstance(statement, FUNCTIONS) and statement.name not in self.in_children
            if at not in inside and not above and not unused:
                lookup = next((node for node in ast.walk(statement) if self._looks_up_by_text(node)), None)
                if lookup is not None:
                    raise Refused(
                        f"`{ast.unparse(lookup)[:60]}` (line {lookup.lineno}) looks names up by text where a worker "  # type: ignore[attr-defined]
                        "may run it, so what it reads can't be seen: pass what it needs as arguments"
                    )
        for at in sorted(inside):
            statement = self.body[at]
            line = statement.lineno
            if movable_setting(self.outline, statement):
                raise Refused(
                    f"line {line} sets for the whole process what an earlier line sets in another way: a spawned "
                    "worker would have the earlier one. Set it in one place, or in the worker"
                )
            bound = self.binds[at] | self._bound_by_text(statement)
            if at in self.late and not bound & self.imported.keys():
                continue  # no worker is started any more that could see it
            for name in sorted((bound | self._filled(statement)) & needed.keys()):
                if name in self._defined() or name in self.handed:
                    continue
                line = line_of_change(statement, name)
                if name in self.imported and name in bound:
                    raise Refused(
                        f"{self.imported[name]} imports `{name}`, which line {line} sets: under the guard it would not "
                        'be there; move this code into a function, and call that under `if __name__ == "__main__":`'
                    )
                reason = (
                    f"`{needed[name]}` may run in a worker and reads `{name}`, which line {line} sets: under the guard "
                    f"a spawned worker would not see it. Hand `{name}` over as an argument, or keep it in the object "
                    "that is sent"
                )
                raise NeededByWorkers(reason, name)
            inherited = {("os", "environ")}  # which children have from their parent
            lost = sorted((attributes_set(statement) & read_in_children) - inherited)
            if lost:
                where = ".".join(lost[0])
                raise Refused(
                    f"line {line} sets `{where}`, which a worker reads: under the guard a spawned worker would see the "
                    "value of the import. Hand it over as an argument, or keep it in the object that is sent"
                )
            for node in ast.walk(statement):
                if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and self._is_handed_on(node):
                    raise Refused(
                        f"`{node.name}` (line {node.lineno}) is defined inside a statement that must be guarded, and a "
                        "worker would not find it there: define it at the top of the file"
                    )
        self._check_defined_again(inside)
        self._check_environment(inside)
        for at, statement in enumerate(self.body):
            if at in inside or not inside or at < min(inside):
                continue
            missing = frozenset(reads_on_import(statement)) & self._only_inside(inside)
            if missing:
                raise Refused(
                    f"line {statement.lineno} must stay outside the guard, but needs `{min(missing)}`, which is made "
                    "under it: move the definition to the top and pass the value"
                )

    def _filled(self, statement: ast.stmt) -> frozenset[str]:
        """The names whose objects it changes; `torch.cuda.empty_cache()` sets nothing of a module."""
        stored = {owner for owner, _ in attributes_set(statement)}
        return frozenset(name for name in changed(statement) if name in stored or name not in self.outline.imported)

    def _bound_by_text(self, statement: ast.stmt) -> frozenset[str]:
        """What it sets as `globals().update(...)` does; where the names are unknown, all that may be meant."""
        found: set[str] = set()
        for node in own_nodes([statement]):
            module, names = set_by_text(self.resolver, self.outline, node) or (None, ())
            found |= {*names} if module is self.outline else set()
        return frozenset(found | ({*self.needed()} - BUILTINS if UNKNOWN in found else set()))

    def _check_environment(self, inside: set[int]) -> None:
        """Raises Refused where a child sets a variable of the environment back to what it was before."""
        for at in sorted(inside):
            for name in environment_set(self.body[at]):
                for other, statement in enumerate(self.body):
                    again = () if other in inside or stays(statement) else set(environment_set(statement))
                    if _is_same_constant(self.body[at], statement):
                        continue
                    if name in again or (again and (not name or "" in again)):
                        line = self.body[at].lineno
                        raise Refused(
                            f"line {line} changes the environment, and every spawned worker would run line "
                            f"{statement.lineno} again, which sets the same: set it in one place"
                        )
        needed = self.needed()
        for at, statement in enumerate(self.body):
            read = set(environment_read(statement)) if self.binds[at] & needed.keys() and not stays(statement) else ()
            for later in self.body[at + 1 :] if read and at not in inside else ():
                if not stays(later) and any(name in read or not name for name in environment_set(later)):
                    raise Refused(
                        f"line {statement.lineno} reads the environment, which line {later.lineno} changes: run again "
                        f"in a worker it would give another value. Hand over what line {statement.lineno} reads"
                    )

    def _check_defined_again(self, inside: set[int]) -> None:
        """Raises Refused where a name means one thing for the first worker and another for a later one."""
        needed, defined = self.needed(), dict[str, int]()
        for at, statement in enumerate(self.body):
            is_definition = isinstance(statement, (*FUNCTIONS, ast.ClassDef))
            for name in self.binds[at] if stays(statement) and at not in inside else ():
                if self._imports_again(defined.get(name, at), at, name):
                    continue
                between = [self.body[other] for other in inside if defined.get(name, at) < other < at]
                sent = is_definition and any(_reads(part, name) for part in between)
                if between and (name in needed or sent):
                    who = f", which `{needed[name]}` reads" if name in needed else ""
                    raise Refused(
                        f"`{name}` is defined again (line {statement.lineno}) after code that must be guarded, and "
                        f"every spawned worker would have the last one{who}: give it another name"
                    )
                defined[name] = at
        self._check_set_again(inside)

    def _imports_again(self, first: int, again: int, name: str) -> bool:
        """The same `import a` stands twice, and nothing sets `a` in between. `from a import x` may give another one."""
        same = isinstance(self.body[again], ast.Import) and ast.dump(self.body[first]) == ast.dump(self.body[again])
        return first < again and same and not any(name in bound for bound in self.binds[first + 1 : again])

    def _check_set_again(self, inside: set[int]) -> None:
        """Raises Refused where a guard that is there sends a function, and a name that it reads is set again below."""
        first = dict[str, int]()
        for at, statement in enumerate(self.body):
            if at in inside or is_guard(statement) or stays(statement):
                continue
            for name in sorted((self.binds[at] | self._filled(statement)) & self.needed().keys()):
                who = self.needed()[name]
                guards = (other for other in self.body[first.setdefault(name, at) + 1 : at] if is_guard(other))
                if any(_reads(guard, who) for guard in guards):
                    raise Refused(
                        f"line {line_of_change(statement, name)} sets `{name}` after workers were started, and `{who}` "
                        f"reads it: every spawned worker would have the last value. Hand `{name}` over as an argument"
                    )

    def _defined(self) -> frozenset[str]:
        """Names of definitions and imports at module level."""
        return frozenset(
            name
            for statement, names in zip(self.body, self.binds, strict=True)
            if stays(statement) and not is_guard(statement)
            for name in names
        )

    def _only_inside(self, inside: set[int]) -> frozenset[str]:
        guards = {at for at, statement in enumerate(self.body) if is_guard(statement)}
        bound = frozenset().union(*(self.binds[at] for at in inside))
        return bound - frozenset().union(*(names for at, names in enumerate(self.binds) if at not in inside | guards))

    def _is_handed_on(self, node: ast.AST) -> bool:
        if isinstance(node, ast.ClassDef):
            return node not in self.body or node.name in self.in_children
        assert isinstance(node, FUNCTIONS)
        if isinstance(self.outline.parents[node], ast.ClassDef):
            return False  # a method goes where its class goes
        return any(
            isinstance(use, ast.Name)
            and use.id == node.name
            and isinstance(use.ctx, ast.Load)
            and not (isinstance(call := self.outline.parents[use], ast.Call) and call.func is use)
            and called_here(self.outline, use, self.resolver) is None
            for use in self.outline.nodes
        )

    def _looks_up_by_text(self, node: ast.AST) -> bool:
        """`globals()`, `vars()`, `eval(...)`, `exec(...)` of Python itself, and the module as an object."""
        if isinstance(node, ast.Import):
            return any(alias.name == "__main__" for alias in node.names)
        if isinstance(node, ast.Subscript):
            return ast.unparse(node) == "sys.modules[__name__]"
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            return False
        if node.func.id not in ("globals", "eval", "exec", "vars") or (node.func.id == "vars" and node.args):
            return False
        own = self.outline.lookup(node, node.func.id)[1] or self.resolver.definition(self.outline, node.func)
        return not own  # by a star import of the repository, too


def _stretches(inside: Collection[int]) -> list[Run]:
    """A run for each stretch of statements without another between."""
    runs: list[Run] = []
    for at in sorted(inside):
        if runs and runs[-1].last == at - 1:
            runs[-1] = Run(runs[-1].first, at)
        else:
            runs.append(Run(at, at))
    return runs


def _reads(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(statement)
    )


def _is_same_constant(one: ast.stmt, other: ast.stmt) -> bool:
    """Both are `os.environ["OMP_NUM_THREADS"] = "1"`: the second changes nothing, in whichever order they run."""
    constant = isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
    return constant and ast.unparse(one) == ast.unparse(other)


def _prints_text(statement: ast.stmt) -> bool:
    call = print_call(statement)
    return call is not None and all(isinstance(each, ast.Constant) for each in call.args)
