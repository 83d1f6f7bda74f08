"""Small changes of Python text: what `mutation.py` tries, one at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Mutant:
    """`path` with the characters `start:end` (of the file) replaced; `lines` is the statement around."""

    path: str
    start: int
    end: int
    text: str
    kind: str
    lines: tuple[int, int]

    def apply(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def _variants(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    """Every small change of one node: (the expression to replace, the text instead, its kind)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (other := COMPARED.get(type(node.ops[0]))):
        yield node, ast.unparse(ast.Compare(node.left, [other()], node.comparators)), "comparison"
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, ast.unparse(ast.BoolOp(swapped, node.values)), "and/or"
        for at in range(len(node.values)):
            rest = node.values[:at] + node.values[at + 1 :]
            yield node, ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)), "operand"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, ast.unparse(node.operand), "not"
    elif isinstance(node, ast.BinOp) and (op := OPERATORS.get(type(node.op))):
        yield node, ast.unparse(ast.BinOp(node.left, op(), node.right)), "operator"
    elif isinstance(node, ast.IfExp):
        yield node, ast.unparse(node.body), "branch"
        yield node, ast.unparse(node.orelse), "branch"
    elif isinstance(node, ast.If | ast.While):
        yield node.test, "False", "branch"
        if isinstance(node, ast.If) and not _fills(node):
            yield node.test, "True", "branch"
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True", "filter"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield node.value, "None", "return"
    elif isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield node, str(not value), "constant"
        elif isinstance(value, int):
            yield node, str(value + 1), "constant"
        elif isinstance(value, str) and value and " " not in value:  # with a blank it is a sentence for people
            yield node, repr(value + "_"), "constant"
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:  # the last may have a default; any other would be missed by every caller
            yield node, ast.unparse(ast.Call(node.func, node.args[:-1], node.keywords)), "argument"
        for at, keyword in enumerate(node.keywords):
            keywords = node.keywords[:at] + node.keywords[at + 1 :]
            if not _asserts(node, keyword):
                yield node, ast.unparse(ast.Call(node.func, node.args, keywords)), "argument"


def _asserts(call: ast.Call, keyword: ast.keyword) -> bool:
    """`zip(..., strict=True)` is the assertion that lengths are equal; `strict=False` is what holds without it."""
    return isinstance(call.func, ast.Name) and call.func.id == "zip" and keyword.arg == "strict"


def _fills(node: ast.If) -> bool:
    """`if key not in known: known[key] = value`: filled each time, it holds the same, so no test could notice."""
    match node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.NotIn()], comparators=[known]),
            body=[ast.Assign(targets=[ast.Subscript(value=filled, slice=at)], value=ast.Call())],
            orelse=[],
        ):
            return ast.dump(known) == ast.dump(filled).replace("Store()", "Load()") and ast.dump(key) == ast.dump(at)
    return False


def _dropped(node: ast.AST) -> bool:
    """True for a statement that can be left out as a mutant."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Delete)


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Every node that runs, with its statement, but for annotations, docstrings, f-strings, assertions and types."""
    todo: list[tuple[ast.AST, ast.stmt | None]] = [(tree, None)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert | ast.Global | ast.Nonlocal):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            continue  # a word to those who import; nobody imports a star here
        inside = node if isinstance(node, ast.stmt) else inside
        if inside is not None:
            yield node, inside
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "bases"):
                todo += [(item, inside) for item in (value if isinstance(value, list) else [value])
                         if isinstance(item, ast.AST) and not _strict(node, item)]  # fmt: skip


def _strict(node: ast.AST, item: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(item, ast.keyword) and _asserts(node, item) and (
        isinstance(item.value, ast.Constant) and item.value.value is True)  # fmt: skip


def mutants(path: str, source: str) -> list[Mutant]:
    """Every mutant of one module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def mutant(node: ast.expr | ast.stmt, text: str, kind: str, inside: ast.stmt) -> Mutant:
        start = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        header = isinstance(inside, ast.If | ast.While | ast.For | ast.With | ast.FunctionDef | ast.ClassDef | ast.Try)
        last = node.end_lineno if header else inside.end_lineno
        return Mutant(path, start, end, text, kind, (inside.lineno, last or inside.lineno))

    found = set()
    for node, inside in _nodes(ast.parse(source)):
        for target, text, kind in _variants(node):
            text = text if kind == "constant" or text in ("True", "False", "None") else f"({text})"
            found.add(mutant(target, text, kind, inside))
        if isinstance(node, ast.stmt) and _dropped(node):
            found.add(mutant(node, "pass", "statement", inside))
    return sorted(found)
