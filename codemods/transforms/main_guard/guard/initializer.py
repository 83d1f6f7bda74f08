"""Globals that only the main process sets: handed to the workers of a pool or loader that sets them up, or a process.

Under fork a worker has the value of the moment when its pool was made. `Pool(..., initializer=_init_worker,
initargs=(args,))` gives it that value under every start method, and so does `DataLoader(...,
worker_init_fn=partial(_init_worker, args))`. A process gets it with the arguments of its target, which we replace by
a function that sets it and calls the target.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....finding import Edit, Fix, Import, Refused
from ....nodes import end_line, end_place
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.file_tree import position
from ....syntax.line_width import line_width
from ....syntax.main_guard import is_main_process_block
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.placement import blank_lines_above, first_attached_line, indentation_at, indentation_unit, usual_gap
from ....syntax.python_floor import old_python
from ....tree.source import Source
from ..set_before import SetBefore, declares
from ..set_later import SetLater
from ..settings import root_of
from ..starts.process_starts import EXECUTOR, Starts
from ..statements import names_bound
from .sendable import Sendable, Values

POOL = "multiprocessing.Pool"
LOADER = "torch.utils.data.DataLoader"
PROCESS = "multiprocessing.Process"
_PLACES = {POOL: 1, EXECUTOR: 2, LOADER: 10, PROCESS: 0}  # where the function stands among the positional arguments
_KEYWORDS = frozenset(["initializer", "initargs"])
_OF_PROCESS = frozenset(["target", "args", "name", "daemon"])
_OF_LOADER = "worker_init_fn"
_NAMES = {
    POOL: ("_init_worker", "_init_pool_worker"),
    LOADER: ("_init_worker", "_init_loader_worker"),
    PROCESS: ("_start_worker", "_start_process"),
}
_WHILE_LOADED = frozenset(("__setstate__", "__new__", "__setattr__"))
_MOST = 6  # values
_DEPTH = 4  # functions between the guard and the pool
_OWN = "the {} of line {} has {}, which could set it too"
_TASKS = "maxtasksperchild"


class NotDone(Refused):
    """The values could be handed over by the initializer, but not by us."""


@dataclass(frozen=True)
class _Pool:
    call: ast.Call
    kind: str

    @property
    def argument(self) -> str:
        """What is called in each worker."""
        return {LOADER: _OF_LOADER, PROCESS: "target"}.get(self.kind, "initializer")

    @property
    def words(self) -> tuple[str, int, str]:
        """What it is, its line, and that argument."""
        what = {LOADER: "loader", PROCESS: "process"}.get(self.kind, "pool")
        return what, self.call.lineno, f"{'an' if what == 'pool' else 'a'} `{self.argument}`"


class HandOver:
    """Answers for one file."""

    def __init__(self, starts: Starts, outline: Outline, source: Source, imported: bool) -> None:
        """`imported`: another file imports this one."""
        self.starts, self.outline, self.source, self.imported = starts, outline, source, imported
        self.values, self.order = Values(starts, imported), SetBefore(outline, imported)
        self.later = SetLater(outline, self.order)
        self._names: dict[tuple[str, ...], str] = {}  # of the functions that fixes add, by what each sets

    def fix(self, names: Sequence[str], calls: Iterable[ast.Call], readers: Sequence[Function]) -> Fix:
        """Hands `names` to the pools that get `calls`, whose workers run `readers`. Raises Refused, or NotDone."""
        if len(names) > _MOST:
            raise NotDone(f"workers read {len(names)} names that are set there: keep them in one object")
        pools = self._pools(calls)
        loaders = [pool.call for pool in pools.values() if pool.kind == LOADER]
        kind = next((pool.kind for pool in pools.values() if pool.kind in (LOADER, PROCESS)), POOL)
        if kind != POOL and any(pool.kind != kind for pool in pools.values()):
            raise NotDone("")
        own = self._own_initializer([*pools.values()], names)
        if loaders and (later := self._set_later()) is not None:
            raise NotDone(f"line {later} sets `{_OF_LOADER}` of a loader that is made already")
        for name in names:
            for pool in pools.values():
                self._check(name, pool)
        if any(pool.kind == EXECUTOR for pool in pools.values()):
            old = old_python(self.starts.project, self.outline.path, below=7)
            if old is not None:
                raise NotDone(f"{old} names a Python whose executors have no `initializer`; 3.7 is the first")
        unsafe = self._unsafe(names, [*pools.values()])
        listed = ", ".join(f"`{name}`" for name in names)
        definition = self._definition(names, readers, own, kind)
        if loaders:
            self._check_loading(names)
            partial, imports = self._partial(loaders)
            values = names[0] if len(names) == 1 else f"({', '.join(names)})"
            handed = f"{partial}({self._name(names, LOADER)}, {values})"
            edits = (definition, *(self._for_loader(call, handed) for call in loaders))
            title = f"Hand {listed} to the workers by the `{_OF_LOADER}` of their loader"
            return Fix(title, edits, imports, unsafe)
        if own:
            changed_calls = [edit for pool in pools.values() for edit in self._wrapped(pool, names)]
        else:
            changed_calls = [self._call(pool.call, self._arguments(names)) for pool in pools.values()]
        edits = (definition, *changed_calls)
        how = "with the arguments of their process" if kind == PROCESS else "by the initializer of their pool"
        return Fix(f"Hand {listed} to the workers {how}", edits, unsafe=unsafe)

    # the pools

    def pools_of(self, call: ast.Call) -> list[ast.Call]:
        """The calls that make the pool which `call` sends something to; the call itself where that can't be told."""
        made = self._made(call.func.value) if isinstance(call.func, ast.Attribute) else []
        return [pool.call for pool in made] or [call]

    def _pools(self, calls: Iterable[ast.Call]) -> dict[ast.Call, _Pool]:
        found: dict[ast.Call, _Pool] = {}
        for call in calls:
            function = call.func
            made = self._made(function.value) if isinstance(function, ast.Attribute) else []
            own = self.starts.name(self.outline, function)
            made = [_Pool(call, own)] if own in (LOADER, PROCESS) else made
            if not made:
                raise NotDone("")
            for pool in made:
                self._check_arguments(pool)
                found[pool.call] = pool
        return found

    def _made(self, receiver: ast.expr) -> list[_Pool]:
        """The calls that make the pool; none where that is no pool, or can't be told."""
        if isinstance(receiver, ast.Call):
            kind = self.starts.name(self.outline, receiver.func)
            return [_Pool(receiver, kind)] if kind in (POOL, EXECUTOR) else []
        if not isinstance(receiver, ast.Name):
            return []
        found: list[_Pool] = []
        for binding in self.outline.lookup(receiver, receiver.id)[1]:
            inner = self._made(binding.value) if isinstance(binding.value, ast.Call) else []
            if not inner:
                return []
            found += inner
        return found

    def _check_arguments(self, pool: _Pool) -> None:
        call, (what, line, argument) = pool.call, pool.words
        given = {keyword.arg for keyword in call.keywords}
        if pool.kind == PROCESS and (call.args or "target" not in given or given - _OF_PROCESS):
            raise NotDone("")
        if len(call.args) > _PLACES[pool.kind] or given & _KEYWORDS == {"initargs"}:
            raise NotDone(_OWN.format(*pool.words))
        if None in given or any(isinstance(value, ast.Starred) for value in call.args):
            raise NotDone(f"the {what} of line {line} may have {argument} among its `*` arguments")

    def _own_initializer(self, pools: Sequence[_Pool], names: Sequence[str]) -> str:
        """The function that initialises the workers of all these pools already, by its name; "" where none does."""
        calls = [pool.call for pool in pools]
        given = [next((k.value for k in pool.call.keywords if k.arg == pool.argument), None) for pool in pools]
        found = {value.id if isinstance(value, ast.Name) else "" for value in given if value is not None}
        if not found:
            return ""
        refused = NotDone(_OWN.format(*pools[0].words))
        if len(found) > 1 or None in given:
            raise refused
        (own,) = found
        bindings = self.outline.bindings(self.outline.module, own)
        function = bindings[0].statement if len(bindings) == 1 else None
        is_there = function in self.outline.module.body and isinstance(function, (*FUNCTIONS, ast.ImportFrom))
        if not is_there or any(not isinstance(self.outline.lookup(call, own)[0], ast.Module) for call in calls):
            raise refused
        assert function is not None
        if any(isinstance(node, ast.Global) and {*node.names} & {*names} for node in ast.walk(function)):
            raise refused
        return own

    # what the name stands for where the pool is made

    def _check(self, name: str, pool: _Pool) -> None:
        call, (what, line, _) = pool.call, pool.words
        if not (self._is_bound_on_import(call, name) or self.order.bound_before(call, name)):
            raise NotDone(f"it is not sure that `{name}` has its value where line {line} makes the {what}")
        if not self._is_the_global(call, name, 0):
            raise NotDone(f"where line {line} makes the {what}, `{name}` is another variable")
        if self.values.is_shared(self.outline, name) and not self._is_imported(call.func):
            raise NotDone(f"line {line} makes the {what} by a context, and `{name}` may be of another")
        if pool.kind == PROCESS and (turn := self.later.in_turn(call, name)) is not None:
            raise NotDone(f"line {turn} changes `{name}` in the loop that makes the {what}, which may start later")
        late = pool.kind != POOL or any(keyword.arg == _TASKS for keyword in call.keywords) or len(call.args) > 3
        if late and (after := self.later.below(call, name)) is not None:
            raise NotDone(
                f"line {after} changes `{name}` after line {line} makes the {what}, which starts workers later"
            )

    def _is_bound_on_import(self, call: ast.Call, name: str) -> bool:
        """The module gives it a value above the code that makes the pool: what it has later is what a fork sees."""
        top = self.outline.module.body
        above = (each for each in top if each.lineno < call.lineno and isinstance(each, (ast.Assign, ast.AnnAssign)))
        return any(each.value is not None and name in names_bound(each) for each in above)

    def _is_imported(self, function: ast.expr) -> bool:
        """`Pool` or `mp.Pool`, and not `context.Pool`."""
        root = root_of(function)
        bindings = self.outline.lookup(root, root.id)[1] if root is not None else []
        by_call = any(isinstance(node, ast.Call) for node in ast.walk(function))
        imports = all(isinstance(item.statement, (ast.Import, ast.ImportFrom)) for item in bindings)
        return bool(bindings) and imports and not by_call

    def _is_the_global(self, node: ast.AST, name: str, depth: int) -> bool:
        """`name` means the global there, or a parameter that always gets it."""
        scope = self.outline.scope(node)
        if self.outline.comprehends(scope, node, name):
            return False
        if isinstance(scope, ast.Module) or isinstance(self.outline.lookup(node, name)[0], ast.Module):
            return True
        bindings = self.outline.bindings(scope, name)
        if not isinstance(scope, FUNCTIONS) or depth > _DEPTH:
            return False
        if declares(self.outline, scope, name):
            return True
        order = positional(scope)
        if len(bindings) != 1 or name not in order:
            return False
        if not any(isinstance(node, ast.Name) and node.id == name for node in self.outline.own(scope)):
            return False  # nothing there says what it is for
        for call in self.order.calls(scope):
            at = order.index(name)
            given = [*call.args[at : at + 1], *(k.value for k in call.keywords if k.arg == name)]
            if any(isinstance(value, ast.Starred) for value in call.args) or len(given) != 1:
                return False
            value = given[0]
            if not isinstance(value, ast.Name) or value.id != name or not self._is_the_global(call, name, depth + 1):
                return False
        return True

    def _unsafe(self, names: Sequence[str], pools: Sequence[_Pool]) -> str | None:
        """Why the fix needs a look, in words; raises Refused where a value can't be pickled."""
        unsafe, above = None, self._made_at(pools)
        for name in names:
            known = self.values.of_name(self.outline, name, above=above)
            if known is Sendable.NO:
                raise Refused(
                    f"`{name}` can't be pickled, so it can't be handed over: make it in each worker, for one in the "
                    "`initializer` of the pool"
                )
            if known is Sendable.LOGGER:
                raise Refused(
                    f"`{name}` is a logger, of which only the name is pickled: a spawned worker lacks its handlers and "
                    "its level; set it up in the `initializer` of the pool"
                )
            if known is Sendable.UNKNOWN and unsafe is None:
                unsafe = f"`{name}` has to be pickled for it, and nothing shows that it can be"
        return unsafe

    def _made_at(self, pools: Sequence[_Pool]) -> ast.stmt | None:
        """The last statement that makes one of the pools: what names get below it is not sent. None: it may be."""
        made = [self.outline.statement(pool.call) for pool in pools]
        once = all(
            isinstance(self.outline.scope(pool.call), ast.Module)
            and not any(isinstance(above, (ast.For, ast.While)) for above in self.outline.ancestors(pool.call))
            for pool in pools
        )
        last = max(made, key=position)
        return last if once and isinstance(last, ast.stmt) else None

    # the edits

    def _definition(self, names: Sequence[str], readers: Sequence[Function], own: str, kind: str) -> Edit:
        """The function, above the first of `readers`; it calls the initialiser or target `own`, if there is one.

        A loader calls it with the values in one argument and the number of the worker.
        """
        loads = kind == LOADER
        source, module = self.source, self.outline.module
        tops = [statement for statement in module.body if any(reader in ast.walk(statement) for reader in readers)]
        first = min(tops, key=lambda statement: statement.lineno)
        upto = [each for each in module.body if each.lineno <= first.lineno]
        if any(map(is_main_process_block, upto)):
            raise NotDone(f"what the workers run is defined below the guard (line {first.lineno})")
        line = first_attached_line(source, first)
        unit = indentation_unit(source, module)
        one, taken = len(names) == 1, {*names, own}
        value = next(name for name in (("value", "given") if one else ("values", "given")) if name not in taken)
        rest = next(
            name for name in ("args" if kind == PROCESS else "initargs", "others", "further") if name not in taken
        )
        parameters = f"{value}, *{rest}" if own else value if one else f"*{value}"
        if loads:
            rest = next(name for name in ("worker_id", "worker") if name not in taken)
            parameters = f"{value}, {rest}"
        lines = [
            f"def {self._name(names, kind)}({parameters}):",
            f"{unit}global {', '.join(names)}",
            f"{unit}{', '.join(names)} = {value}",
            *([f"{unit}{own}({rest if loads else f'*{rest}'})"] if own else ()),
        ]
        above = min(blank_lines_above(source, line), 2)
        gap = max(usual_gap(source, module), above)
        lead = "\n" * (gap - above)
        at = source.line_starts[line - 1]
        return Edit(source.path, at, at, lead + "\n".join(lines) + "\n" * (gap + 1))

    def _name(self, values: Sequence[str], kind: str = POOL) -> str:
        taken = set(self.outline.named) | {name for item in self.outline.module.body for name in names_bound(item)}
        taken |= {name for of, name in self._names.items() if of != tuple(values)}
        names = (*_NAMES[kind], *(f"{_NAMES[kind][0]}_{number}" for number in range(2, 99)))
        return self._names.setdefault(tuple(values), next(name for name in names if name not in taken))

    def _set_later(self) -> int | None:
        """A line that gives a loader, of this file or another, another function for its workers."""
        for node in ast.walk(self.outline.module):
            if isinstance(node, ast.Attribute) and node.attr == _OF_LOADER and isinstance(node.ctx, ast.Store):
                return node.lineno
        return None

    def _check_loading(self, names: Sequence[str]) -> None:
        """Raises NotDone where an object reads a name while it is unpickled: a loader calls nothing before that."""
        running = self._while_loaded()
        for name in names:
            for use in self.outline.named.get(name, ()):
                if any(getattr(each, "name", "") in running for each in self.outline.ancestors(use)):
                    raise NotDone(f"line {use.lineno} reads `{name}` while the object is unpickled")

    def _while_loaded(self) -> set[str]:
        """The names of the methods that run while an object is unpickled, and of what they call."""
        definitions = self.outline.definitions
        todo = [name for name in _WHILE_LOADED if name in definitions]
        found = set(todo)
        while todo:
            for definition in definitions[todo.pop()]:
                calls = (node for node in ast.walk(definition) if isinstance(node, ast.Call))
                new = {last_name(call.func) for call in calls} - found
                todo += [name for name in new if name in definitions]
                found |= new
        return found

    def _partial(self, calls: Sequence[ast.Call]) -> tuple[str, tuple[Import, ...]]:
        """`functools.partial` as the file calls it where these `calls` stand, and the import that it needs for that."""
        module = self.outline.module
        for name, kind in (("partial", ast.ImportFrom), ("functools", ast.Import)):
            bound = [binding.statement for binding in self.outline.bindings(module, name)]
            homes = {getattr(each, "module", "functools") for each in bound}
            there = all(isinstance(each, kind) and each in module.body for each in bound)
            if homes == {"functools"} and there and self._is_free(name, calls):
                return ("partial" if kind is ast.ImportFrom else "functools.partial"), ()
        if self.outline.bindings(module, "functools") or not self._is_free("functools", calls):
            raise NotDone("")
        return "functools.partial", (Import(self.source.path, "functools"),)

    def _is_free(self, name: str, calls: Sequence[ast.Call]) -> bool:
        """No function around the calls has a variable of that name."""
        return all(isinstance(self.outline.lookup(call, name)[0], ast.Module) for call in calls)

    def _for_loader(self, call: ast.Call, handed: str) -> Edit:
        own = next((keyword.value for keyword in call.keywords if keyword.arg == _OF_LOADER), None)
        if own is None:
            return self._call(call, [f"{_OF_LOADER}={handed}"])
        return Edit(self.source.path, self.source.offset(own.lineno, own.col_offset), self._end(own), handed)

    def _arguments(self, names: Sequence[str]) -> list[str]:
        """What a call that makes a pool gets."""
        return [f"initializer={self._name(names)}", f"initargs=({', '.join(names)}{',' if len(names) == 1 else ''})"]

    def _call(self, call: ast.Call, added: Sequence[str]) -> Edit:
        """The arguments that are added to the call which makes a pool, or a loader."""
        source = self.source
        start = max(self._end(node) for node in [call.func, *call.args, *(k.value for k in call.keywords)])
        end = self._end(call) - 1
        if "#" in (gap := source.text[start:end]):
            raise NotDone(f"a comment stands at the end of line {call.end_lineno}: move it above the call")
        behind = end - (len(gap) - len(gap.rstrip()))
        has_arguments = bool(call.args or call.keywords)
        comma = gap.rstrip().endswith(",")
        if has_arguments and comma and "\n" in gap:  # one argument a line
            indent = indentation_at(source, source.position(start)[0])
            return Edit(source.path, behind, behind, "".join(f"\n{indent}{part}," for part in added))
        more = ("" if not has_arguments else " " if comma else ", ") + ", ".join(added)
        line = source.line_text(end_line(call))
        if len(line) + len(more) <= line_width(source.text) or call.lineno != call.end_lineno:
            return Edit(source.path, behind, behind, more)
        opened = source.text.index("(", self._end(call.func))
        outer = indentation_at(source, call.lineno)
        inner = outer + indentation_unit(source, self.outline.module)
        text = source.text[opened + 1 : behind].strip()
        if len(f"{inner}{text}{more}") <= line_width(source.text):
            return Edit(source.path, opened + 1, end, f"\n{inner}{text}{more}\n{outer}")
        each = [ast.get_source_segment(source.text, node) for node in (*call.args, *call.keywords)]
        lines = "".join(f"{inner}{part},\n" for part in [*filter(None, each), *added])
        return Edit(source.path, opened + 1, end, f"\n{lines}{outer}")

    def _wrapped(self, pool: _Pool, names: Sequence[str]) -> list[Edit]:
        """The edits of a call with an `initializer` or target: it gets ours, which calls that with the rest."""
        call, kind = pool.call, PROCESS if pool.kind == PROCESS else POOL
        source, given = self.source, {keyword.arg: keyword.value for keyword in call.keywords}
        name, passed = self._name(names, kind), "args" if kind == PROCESS else "initargs"
        handed = ", ".join(names) if len(names) == 1 else f"({', '.join(names)})"
        own, arguments = given[pool.argument], given.get(passed)
        start, end = source.offset(own.lineno, own.col_offset), self._end(own)
        if arguments is None:
            edits = [Edit(source.path, start, end, f"{name}, {passed}=({handed},)")]
        elif isinstance(arguments, (ast.Tuple, ast.List)) and self._opens(arguments):
            first = source.offset(arguments.lineno, arguments.col_offset) + 1
            close = ", " if arguments.elts else "," if isinstance(arguments, ast.Tuple) else ""
            at, text = first, handed + close
            if arguments.elts and arguments.elts[0].lineno > arguments.lineno:  # one argument a line
                below = arguments.elts[0].lineno
                at, text = source.line_starts[below - 1], f"{indentation_at(source, below)}{handed},\n"
            edits = [Edit(source.path, start, end, name), Edit(source.path, at, at, text)]
            last, behind = (
                (self._end(arguments.elts[-1]), self._end(arguments) - 1) if arguments.elts else (first, first)
            )
            if len(arguments.elts) == 1 and source.text[last:behind].strip() == "," and call.lineno == call.end_lineno:
                edits.append(Edit(source.path, last, behind, ""))  # `(3,)` becomes `(table, 3)`
        else:
            raise NotDone(_OWN.format(*pool.words))
        for edit in edits:
            line = source.line_text(source.position(edit.start)[0])
            added = sum(len(each.text) - (each.end - each.start) for each in edits)
            if len(line) + added > line_width(source.text) and call.lineno == call.end_lineno:
                return [self._broken(call, edits)]
        return edits

    def _broken(self, call: ast.Call, edits: Sequence[Edit]) -> Edit:
        """The edits of a call, whose arguments go on a line of their own, or on one each."""
        source, parts = self.source, list[str]()
        places = [(node.lineno, node.col_offset, node) for node in call.args]
        places += [(node.lineno, node.col_offset, node.value) for node in call.keywords]
        for line, column, value in places:
            low = source.offset(line, column)
            part = source.text[low : self._end(value)]
            for edit in sorted(edits, key=lambda each: each.start, reverse=True):
                if low <= edit.start and edit.end <= low + len(part):
                    part = part[: edit.start - low] + edit.text + part[edit.end - low :]
            parts.append(part)
        outer = indentation_at(source, call.lineno)
        inner = outer + indentation_unit(source, self.outline.module)
        text = f"{inner}{', '.join(parts)}\n"
        if len(text) > line_width(source.text) + 1:
            text = "".join(f"{inner}{part},\n" for part in parts)
        opened = source.text.index("(", self._end(call.func))
        return Edit(source.path, opened + 1, self._end(call) - 1, f"\n{text}{outer}")

    def _opens(self, node: ast.expr) -> bool:
        """It begins with its bracket."""
        return self.source.text[self.source.offset(node.lineno, node.col_offset)] in "(["

    def _end(self, node: ast.expr) -> int:
        return self.source.offset(*end_place(node))
