"""Functions under the main guard that read what it sets: above it, with these values as their first arguments.

def dump(name):                          def _dump(directory, name):
    return join(directory, name)     ->      return join(directory, name)
                                         ...
                                         dump = partial(_dump, directory)

Where one of the values is set only after the function, they are handed over where a pool gets it.
"""

from __future__ import annotations

import ast
import re

from ....finding import Edit, Fix, Import, Refused
from ....nodes import end_line, walk
from ....syntax.binding_rules import LOOPS, parameters
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.placement import indentation_at
from ....tree.source import Source
from ..settings import root_of
from ..starts.process_starts import Starts
from ..statements import LOG_METHODS, names_bound, reads_on_import
from .edits import blank_lines, moved_text
from .hoist import BUILTINS, Definition, global_reads
from .sendable import Sendable, Values

_MOST = 5  # values
_PARTIAL = "partial"
_POOL = "multiprocessing.Pool"
_BLOCKING = frozenset({"map", "starmap", "apply"})


class HandedOver:
    """Answers for one guard."""

    def __init__(self, starts: Starts, outline: Outline, source: Source, guard: ast.If, imported: bool) -> None:
        """`imported`: another file imports this one."""
        self.outline, self.source, self.guard = outline, source, guard
        self.values = Values(starts, imported)
        self._done: list[Definition] = []

    def fix(self, nodes: list[Definition]) -> tuple[list[Definition], Fix] | None:
        """The first of `nodes` and all others that can be handed what they read, and the fix for these."""
        done = self._done = []
        edits: list[Edit] = []
        listed: dict[str, None] = {}
        unsafe: str | None = None
        for node in sorted(nodes, key=lambda each: each.lineno):
            try:
                names = self._read(node)
                self._check_unchanged(node, names)
                try:
                    doubt = self._check_values(node, names)
                    self._check_uses(node)
                    edits += self._edits(node, names, not edits)
                except Refused:
                    found = self._blocking_call(node)
                    if found is None:
                        raise
                    doubt = self._check_values_at(*found, names)
                    edits += self._edits(node, names, not edits, found[0].args[0])
            except Refused:
                continue
            done.append(node)
            listed |= dict.fromkeys(f"`{name}`" for name in names)
            unsafe = unsafe or doubt
        if not done:
            return None
        what = ", ".join(f"`{node.name}`" for node in done)
        needs = (Import(self.source.path, "functools", _PARTIAL),)
        title = f"Define {what} above the main guard, and hand over {', '.join(listed)}"
        return done, Fix(title, tuple(edits), needs, unsafe)

    def _edits(
        self, node: Definition, names: list[str], is_first: bool, place: ast.expr | None = None
    ) -> tuple[Edit, ...]:
        """`place`: where its only use stands, which becomes the partial."""
        assert isinstance(node, ast.FunctionDef)
        new = node.name.lstrip("_") if node.name.startswith("_") else f"_{node.name}"
        if not new.isidentifier() or self._is_taken(new) or self._is_taken(_PARTIAL, imported="functools"):
            raise Refused(f"`{new}` or `{_PARTIAL}` means something else here")
        text, removal = moved_text(self.source, self.guard, node, [node])
        begins = re.search(rf"\bdef[ \t]+{re.escape(node.name)}[ \t]*\(([ \t]*\n[ \t]*)?", text)
        if begins is None:
            raise Refused("its first line is not understood")
        gap = begins.group(1) or ""
        between = f",{gap or ' '}"
        given = between.join(names) + (between if parameters(node) else "")
        text = f"{text[: begins.start()]}def {new}({gap}{given}{text[begins.end() :]}"
        line, starts = self.guard.lineno, self.source.line_starts
        indent = indentation_at(self.source, node.lineno)
        made = f"{_PARTIAL}({new}, {', '.join(names)})"
        end = starts[end_line(node)] if node is not self.guard.body[-1] else removal.end
        lead = blank_lines(self.source, line) if is_first else ""
        above = Edit(self.source.path, starts[line - 1], starts[line - 1], f"{lead}{text}\n\n\n")
        if place is not None:
            return above, removal, Edit(self.source.path, *self.source.range_of(place), made)
        return above, Edit(self.source.path, removal.start, end, f"{indent}{node.name} = {made}\n")

    def _blocking_call(self, node: Definition) -> tuple[ast.Call, ast.stmt] | None:
        """`pool.map(node, ...)`, its only use, which waits for the workers; and the statement that makes the pool."""
        outline = self.outline
        uses = [use for use in outline.named.get(node.name, ()) if isinstance(use, ast.Name)]
        call = outline.parents[uses[0]] if len(uses) == 1 else None
        if not isinstance(call, ast.Call) or call.args[:1] != uses or not isinstance(call.func, ast.Attribute):
            return None
        around = [*outline.ancestors(call)]
        inside = around[around.index(self.guard) - 1] if self.guard in around else None
        if inside not in self.guard.body or any(isinstance(item, (*LOOPS, *FUNCTIONS, ast.Lambda)) for item in around):
            return None
        pool, made = call.func.value, inside
        if isinstance(pool, ast.Name):
            bound = outline.lookup(pool, pool.id)[1]
            if len(bound) != 1 or bound[0].value is None or bound[0].statement not in self.guard.body:
                return None
            pool, made = bound[0].value, bound[0].statement
        is_pool = isinstance(pool, ast.Call) and self.values.starts.name(outline, pool.func) == _POOL
        return (call, made) if is_pool and call.func.attr in _BLOCKING and isinstance(made, ast.stmt) else None

    def _check_values_at(self, call: ast.Call, made: ast.stmt, names: list[str]) -> str | None:
        """Each has its value when the pool is `made`, and the same one at the call; else why the fix is unsafe."""
        outline, unsafe = self.outline, None
        own = {*ast.walk(outline.statement(call))}
        for name in names:
            bound = [each.statement for each in outline.bindings(outline.module, name)]
            before = [each for each in bound if outline.precedes(each, made)]
            if not any(isinstance(each, ast.Assign) and each in self.guard.body for each in before):
                raise Refused(f"`{name}` may not be set when the pool is made")
            for use in outline.named.get(name, ()):
                between = made.lineno <= use.lineno < call.lineno and use not in own
                if between and isinstance(use, ast.Name) and isinstance(outline.scope(use), ast.Module):
                    raise Refused(f"`{name}` may change between the pool and the call")
            known = self.values.of_name(outline, name, above=made)
            if known in (Sendable.NO, Sendable.LOGGER):
                raise Refused(f"`{name}` can't be sent to a worker as it is")
            if known is Sendable.UNKNOWN:
                unsafe = f"`{name}` has to be pickled for it, and nothing shows that it can be"
        return unsafe

    def _read(self, node: Definition) -> list[str]:
        """The names that it needs, in the order in which it reads them. Raises Refused."""
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node not in self.guard.body:
            raise Refused("it is no plain function")
        guarded = {name for item in self.guard.body for name in names_bound(item)}
        body = self.outline.module.body
        above = {name for item in body if item.lineno < self.guard.lineno for name in names_bound(item)}
        star = "*" in above  # which may bind any name
        uses = sorted(global_reads(self.outline, node), key=lambda use: (use.lineno, use.col_offset))
        reads = dict.fromkeys(use.id for use in uses)
        if any(isinstance(item, (ast.Global, ast.Nonlocal)) for item in walk(node)) or node.name in reads:
            raise Refused(f"`{node.name}` sets variables of the module, or calls itself")
        for name in sorted({*reads, *reads_on_import(node)}):
            if name in guarded and name not in above:
                continue
            if name not in above and name not in BUILTINS and not star:
                raise Refused(f"`{node.name}` reads `{name}`, which the module does not bind above the guard")
        found = [name for name in reads if name in guarded and name not in above]
        if not found or len(found) > _MOST or guarded.intersection(reads_on_import(node)):
            raise Refused(f"`{node.name}` needs {len(found)} values")
        return found

    def _check_unchanged(self, node: Definition, names: list[str]) -> None:
        """Raises Refused where the function changes what it is handed, or has names of its own for it."""
        own = {part.arg for part in walk(node) if isinstance(part, ast.arg)}
        own |= {part.id for part in walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
        for part in walk(node):
            changes = isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load)
            called = part.value.func if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) else None
            calls = isinstance(called, ast.Attribute) and called.attr not in LOG_METHODS
            root = (
                root_of(part)
                if isinstance(part, ast.expr) and changes
                else root_of(called)
                if called and calls
                else None
            )
            if root is not None and root.id in names:
                raise Refused(f"`{node.name}` changes `{root.id}`, which each task would then get anew")
        if own.intersection(names):
            raise Refused(f"`{node.name}` has names of its own for what it would be handed")

    def _check_values(self, node: Definition, names: list[str]) -> str | None:
        """Each is set once, before the function, and can be pickled; else why the fix is unsafe."""
        unsafe = None
        for name in names:
            if any(other.name == name for other in self._done):
                continue  # by now a partial that is set once
            statement = self._setting(name)
            if statement is None:
                raise Refused(f"`{name}` is set in more than one place, or in a block of its own")
            if statement.lineno > node.lineno:
                raise Refused(f"`{name}` is set after `{node.name}` is defined")
            known = self.values.of_name(self.outline, name)
            if known in (Sendable.NO, Sendable.LOGGER):
                raise Refused(f"`{name}` can't be sent to a worker as it is: make it there, when it is first used")
            if known is Sendable.UNKNOWN:
                unsafe = f"`{name}` has to be pickled for it, and nothing shows that it can be"
        return unsafe

    def _setting(self, name: str) -> ast.stmt | None:
        """The statement of the guard that sets it once, whatever branch of an `if` runs; None where there is none."""
        bound = [each.statement for each in self.outline.bindings(self.outline.module, name)]
        if any(not isinstance(each, ast.Assign) for each in bound):
            return None
        return next((each for each in self.guard.body if _assignments(each, bound) == len(bound)), None)

    def _check_uses(self, node: Definition) -> None:
        """It is only called and passed on: nothing asks it for its name, or compares it."""
        for use in self.outline.named.get(node.name, ()):
            above = self.outline.parents[use]
            if isinstance(use, ast.Attribute):  # of something else
                continue
            loads = isinstance(use.ctx, ast.Load)
            if not loads or not isinstance(above, (ast.Call, ast.keyword, ast.Tuple, ast.List)):
                raise Refused(f"line {use.lineno} does more with `{node.name}` than to call it")

    def _is_taken(self, name: str, imported: str = "") -> bool:
        if imported and self.outline.imported.get(name) == f"{imported}.{name}":
            return False
        return bool(self.outline.named.get(name)) or bool(self.outline.bindings(self.outline.module, name))


def _assignments(statement: ast.stmt, bound: list[ast.AST]) -> int:
    """How many of `bound` stand in the statement, where one of them runs whatever branch is taken; else 0."""
    if statement in bound:
        return 1
    if not isinstance(statement, ast.If) or not statement.orelse:
        return 0
    found = [[n for each in block if (n := _assignments(each, bound))] for block in (statement.body, statement.orelse)]
    return found[0][0] + found[1][0] if all(len(each) == 1 for each in found) else 0
