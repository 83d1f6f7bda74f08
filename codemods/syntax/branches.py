"""Which flags must be set where a line runs: two lines in opposite branches of one flag belong to no one run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ..nodes import end_place, index_at, walk
from .binding_rules import LOOPS
from .file_tree import Scope
from .names import last_name
from .outline import Outline
from .repo import Repo

Test = tuple[str, int]  # path and line of an `if` that runs once for its object
Flags = dict[str | Test, bool]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.IsNot: ast.Is, ast.NotEq: ast.Eq, ast.NotIn: ast.In}
# names, and what reads them without running the program's code
_PLAIN = (ast.Name, ast.Constant, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Tuple, ast.List)
_MARKS = (ast.expr_context, ast.boolop, ast.unaryop, ast.cmpop)

_POSITIVE = " > 0"  # behind a flag: it is more than 0

Place = tuple[str, int, int]  # path, line and column, -1 where it is not known
_Tests = dict[str, object]  # what is known of a test's text: true, false, or what a name equals


def exclude_each_other(repo: Repo, places: Iterable[tuple[str, int]]) -> bool:
    """True when two of the places (path and line) stand in opposite branches of tests of the same flag.

    Flags are attributes of options (`args.workers`, `self.opt.sp`) that neither file sets, whether they are more than
    0 where numbers are meant, and any test in an `__init__`, which runs once for its object.
    """
    known: Flags = {}
    outlines: dict[str, Outline] = {}
    for path, line in places:
        outline = repo.outline(path)
        if outline is None:
            continue
        outlines[path] = outline
        for flag, value in _flags(outline, line).items():
            if known.setdefault(flag, value) is value:
                continue
            if not isinstance(flag, str) or not any(_sets(item, flag) for item in outlines.values()):
                return True
    return False


def _down_to(outline: Outline, line: int) -> Iterator[tuple[list[ast.stmt], int, list[ast.stmt]]]:
    """Each block around the line from outside in, where its statement is in it, and which block of that goes on, or
    `[]`."""
    block: list[ast.stmt] = outline.module.body
    while (at := index_at(block, line)) >= 0:
        inside = block[at]
        blocks = [getattr(inside, name, None) or [] for name in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(inside, "handlers", ())]
        part = next((item for item in blocks if item and item[0].lineno <= line <= (item[-1].end_lineno or line)), [])
        yield block, at, part
        block = part


def _flags(outline: Outline, line: int) -> Flags:
    """The flags that are known where the innermost statement on the line runs."""
    found: Flags = {}
    once = False
    for around, at, block in _down_to(outline, line):
        inside = around[at]
        if isinstance(inside, _FUNCTIONS):
            once = inside.name == "__init__"
        elif isinstance(inside, LOOPS):
            once = False
        if isinstance(inside, ast.If) and block:
            value = block is inside.body
            if once:
                found[outline.path, inside.lineno] = value
            found |= _told(inside.test, value)
        elif isinstance(inside, ast.For) and block is inside.body and (times := _times(inside.iter)) is not None:
            found |= _told(ast.Compare(times, [ast.Gt()], [ast.Constant(0)]), True)
    return found


def _told(test: ast.expr, value: bool) -> Flags:
    """What is known of an option where the test of it is true, or false: that it is set, that it is more than 0."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, value = test.operand, not value
    asks: tuple[type[ast.cmpop], object] = (ast.NotEq, 0)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        asks = (type(test.ops[0]), test.comparators[0].value)
        test = test.left
    if not isinstance(test, ast.Attribute):
        return {}
    name = ast.unparse(test).removeprefix("self.")
    if asks in ((ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)):
        asks, value = ((ast.NotEq, 0) if asks[0] is ast.Eq else (ast.Gt, 0)), not value
    if asks == (ast.NotEq, 0):
        return {name: True} if value else {name: False, name + _POSITIVE: False}
    if asks in ((ast.Gt, 0), (ast.GtE, 1)):
        return {name + _POSITIVE: True, name: True} if value else {name + _POSITIVE: False}
    return {}


def _times(goes_over: ast.expr) -> ast.expr | None:
    """How often a loop over `range(n)` runs."""
    is_range = isinstance(goes_over, ast.Call) and last_name(goes_over.func) == "range" and len(goes_over.args) == 1
    return goes_over.args[0] if is_range and isinstance(goes_over, ast.Call) else None


def types_asked_for(outline: Outline, line: int) -> dict[str, frozenset[str]]:
    """By name the types of which one is given where the line runs: `if isinstance(rows, (list, tuple)):`."""
    found: dict[str, frozenset[str]] = {}
    for around, at, block in _down_to(outline, line):
        inside = around[at]
        if isinstance(inside, _FUNCTIONS) and block:
            found = {}
        elif isinstance(inside, ast.If) and block is inside.body:
            joined = isinstance(inside.test, ast.BoolOp) and isinstance(inside.test.op, ast.And)
            for test in getattr(inside.test, "values", ()) if joined else [inside.test]:
                if isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
                    name, kinds = test.args
                    listed = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                    if isinstance(name, ast.Name):
                        found[name.id] = frozenset(map(last_name, listed))
    return found


def no_one_run(repo: Repo, steps: Sequence[Sequence[Place]]) -> bool:
    """True when a value would have to pass opposite branches of one test, in one run of a function or a module.

    Each step is one of several places, or none where another run may go on. Tests count whose names keep their value
    while the function runs.
    """
    known: dict[Scope, list[list[_Tests]]] = {}
    for step in steps:
        outline = repo.outline(step[0][0]) if step else None
        if outline is None:
            known = {} if not step else known
            continue
        found = [_tests_at(outline, line, column) for _, line, column in step]
        tests = [tests for _, tests in found]
        if not all(tests) or len({scope for scope, _ in found}) > 1:
            continue
        before = known.setdefault(found[0][0], [])
        if any(all(_differ(one, other) for one, other in product(tests, each)) for each in before):
            return True
        before.append(tests)
    return False


def chosen_at(repo: Repo, path: str, line: int, boundary: str) -> list[list[Place]]:
    """The step where the name that is called on a line gets the boundary: one branch says `Process`, another `Thread`.

    None where it is called by no name, or has the boundary in several ways.
    """
    outline, wanted = repo.outline(path), boundary.removesuffix("()").rpartition(".")[2]
    for call in outline.by_line.get(line, ()) if outline is not None else ():
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or outline is None:
            continue
        bound = outline.lookup(call.func, call.func.id)[1]
        given = [each for each in bound if each.value is not None and last_name(each.value) == wanted]
        if len(given) == 1 < len(bound):
            return [[(path, getattr(given[0].statement, "lineno", line), -1)]]
    return []


def _differ(one: _Tests, other: _Tests) -> bool:
    return any(text in other and other[text] != value for text, value in one.items())


def _tests_at(outline: Outline, line: int, column: int) -> tuple[Scope, _Tests]:
    """The innermost function around a place, and what is known there of the tests that it makes."""
    scope: Scope = outline.module
    found: list[tuple[ast.expr, bool]] = []
    for around, at, block in _down_to(outline, line):
        inside = around[at]
        for before in around[:at] if isinstance(scope, _FUNCTIONS) else ():
            if isinstance(before, ast.If) and not before.orelse and isinstance(before.body[-1], _LEAVES):
                found.append((before.test, False))
        if isinstance(inside, _FUNCTIONS) and block:
            scope, found = inside, []
        elif isinstance(inside, ast.If) and block:
            found.append((inside.test, block is inside.body))
        elif not block and column >= 0:
            found += _inside(inside, line, column)
    return scope, {
        text: value for test, holds in found if _keeps(outline, scope, test) for text, value in _said(test, holds)
    }


def _inside(statement: ast.stmt, line: int, column: int) -> Iterator[tuple[ast.expr, bool]]:
    """The tests of `a if test else b` around a place in the statement."""
    for node in walk(statement):
        if isinstance(node, ast.IfExp):
            for branch in (node.body, node.orelse):
                if (branch.lineno, branch.col_offset) <= (line, column) < end_place(branch):
                    yield node.test, branch is node.body


def _said(test: ast.expr, holds: bool) -> Iterator[tuple[str, object]]:
    """What is known where `test` is true, or false."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        for part in test.values:
            yield from _said(part, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, holds = type(test.ops[0]), holds is not (type(test.ops[0]) in _NEGATED)
        left, right = ast.unparse(test.left), test.comparators[0]
        yield f"{left} {_NEGATED.get(operator, operator).__name__} {ast.unparse(right)}", holds
        if holds and isinstance(right, ast.Constant) and operator in (ast.Eq, ast.NotEq):
            yield f"{left} is", right.value
    else:
        yield ast.unparse(test), holds


def _keeps(outline: Outline, scope: Scope, test: ast.expr) -> bool:
    """Nothing that the test reads changes while the function runs, or the module, as far as its own code tells."""
    whole = isinstance(scope, ast.Module)  # what its functions do counts as well
    declared = {name for each in outline.statements if whole and isinstance(each, ast.Global) for name in each.names}
    for node in walk(test):
        if isinstance(node, ast.Name):
            home, bound = outline.lookup(test, node.id)[0], outline.bindings(scope, node.id)
            bound = bound or outline.bindings(home, node.id)
            if (
                len(bound) > 1
                or node.id in declared
                or any(isinstance(at, LOOPS) for each in bound for at in _around(outline, each.statement))
            ):
                return False
        elif isinstance(node, ast.Attribute):
            if any(
                not isinstance(each.ctx, ast.Load)
                for each in outline.attributes.get(node.attr, ())
                if whole or outline.scope(each) is scope
            ):
                return False
        elif not isinstance(node, (*_PLAIN, *_MARKS)):
            return False
    return True


def _around(outline: Outline, node: ast.AST) -> Iterator[ast.AST]:
    """The statement and the blocks of its own function around it."""
    while not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.Module)):
        yield node
        node = outline.parents[node]


def _sets(outline: Outline, flag: str) -> bool:
    """The file assigns the flag's attribute on something else than an object's own `self`."""
    name = flag.removesuffix(_POSITIVE).rpartition(".")[2]
    return any(
        isinstance(node.ctx, ast.Store) and not (isinstance(node.value, ast.Name) and last_name(node.value) == "self")
        for node in outline.attributes.get(name, ())
    )
