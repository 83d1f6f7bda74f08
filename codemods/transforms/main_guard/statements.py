"""What single statements of a module do: what they bind, read and change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from ...nodes import children, walk
from ...syntax.binding_rules import COMPREHENSIONS
from ...syntax.callees import FUNCTIONS
from ...syntax.main_guard import is_main_name_test, is_main_process_block
from ...syntax.names import last_name, root_of_place

_DEFINERS = frozenset(
    {"namedtuple", "NamedTuple", "TypedDict", "NewType", "TypeVar", "make_dataclass", "Enum", "IntEnum", "type"}
)
LOG_METHODS = frozenset(["debug", "info", "warn", "warning", "error", "critical", "exception", "log"])
_ENVIRONMENT, _PUTS = ("os.environ", "environ"), ("putenv", "unsetenv")
_READS = ("os.getenv", "getenv", "os.environ.get", "environ.get", "os.environ.setdefault", "os.environ.copy")
_PURE = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Compare, ast.BoolOp,
    ast.IfExp, ast.JoinedStr, ast.FormattedValue,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def stays(statement: ast.stmt) -> bool:
    """Definitions, imports, and guards that are there already."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return True
    if is_main_process_block(statement):
        return True
    if isinstance(statement, ast.Try):
        inner = [*statement.body, *statement.orelse, *(part for h in statement.handlers for part in h.body)]
        return any(isinstance(part, (ast.Import, ast.ImportFrom)) for part in statement.body) and all(
            isinstance(item, (ast.Import, ast.ImportFrom, ast.Pass)) or is_plain(item) for item in inner
        )
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    return isinstance(value, ast.Call) and last_name(value.func) in _DEFINERS and len(value.args) > 1


def is_plain(statement: ast.stmt, same: Callable[[ast.Call], bool] = lambda call: False) -> bool:
    """`NAME = ` constants and arithmetic. `same`: a call that gives the same for the same numbers."""
    if isinstance(statement, ast.Assign):
        names = len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    else:
        names = isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    value = getattr(statement, "value", None)
    return names and value is not None and _is_arithmetic(value, same)


def _is_arithmetic(node: ast.AST, same: Callable[[ast.Call], bool]) -> bool:
    if isinstance(node, ast.Call):
        return not node.keywords and same(node) and all(_is_arithmetic(each, same) for each in node.args)
    return isinstance(node, _PURE) and all(_is_arithmetic(each, same) for each in ast.iter_child_nodes(node))


def is_print(statement: ast.stmt) -> bool:
    return print_call(statement) is not None


def is_text(statement: ast.stmt) -> bool:
    """A text that nothing reads: a heading in quotes."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def print_call(statement: ast.stmt) -> ast.Call | None:
    """The call, where the statement is a `print(...)` and nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    return call if is_call and isinstance(call, ast.Call) else None


def only_logs(statement: ast.stmt) -> bool:
    """`log.info(...)`, `bar.update(...)`, `pass`, or a `raise`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call.func.attr in LOG_METHODS
    return isinstance(statement, (ast.Pass, ast.Raise))


def method_root(statement: ast.stmt) -> str | None:
    """`parser` of the statement `parser.add_argument(...)`."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return None
    func = statement.value.func
    root = root_of_place(func) if isinstance(func, ast.Attribute) else None
    return root.id if root is not None else None


def dunder(targets: Iterable[ast.expr]) -> bool:
    return any(isinstance(target, ast.Name) and target.id.startswith("__") for target in targets)


def leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from leaves(element)
    else:
        yield target


def names_bound(statement: ast.stmt) -> Iterator[str]:
    """Names that running the statement binds at module level."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, COMPREHENSIONS):  # their own names are theirs; `name := value` binds outside
            todo += [each.target for each in walk(node) if isinstance(each, ast.NamedExpr)]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        todo.extend(children(node))


def changed(statement: ast.stmt) -> Iterator[str]:
    """Names of objects that the statement changes in place, as far as can be seen."""
    for node in ast.walk(statement):
        target: ast.AST | None = None
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            target = node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            target = func if isinstance(func, ast.Attribute) and func.attr not in LOG_METHODS else None
        root = root_of_place(target)
        if root is not None:
            yield root.id


def line_of_change(statement: ast.stmt, name: str) -> int:
    """The line of the first simple statement in it that binds the name, or changes its object."""
    simple = [node for node in ast.walk(statement) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    lines = [node.lineno for node in simple if name in names_bound(node) or name in changed(node)]
    return min(lines, default=statement.lineno)


def attributes_set(statement: ast.stmt) -> frozenset[tuple[str, str]]:
    """`("Config", "rate")` where the statement sets `Config.rate` or an item of it."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            inner: ast.expr = node
            while isinstance(inner, (ast.Attribute, ast.Subscript)):
                if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                    found.add((inner.value.id, inner.attr))
                inner = inner.value
    return frozenset(found)


def environment_set(statement: ast.stmt) -> Iterator[str]:
    """The variables of `os.environ` that the statement sets, as written; "" for any."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in _ENVIRONMENT:
            if not isinstance(node.ctx, ast.Load):
                yield ast.unparse(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of, name = ast.unparse(node.func.value), node.func.attr
            if (of in _ENVIRONMENT and name in ("setdefault", "pop")) or (of == "os" and name in _PUTS):
                yield ast.unparse(node.args[0]) if node.args else ""
            elif of in _ENVIRONMENT and name in ("update", "clear"):
                yield ""


def environment_read(statement: ast.stmt) -> Iterator[str]:
    """The variables of `os.environ` that the statement reads, as written; "" for any."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _READS:
            yield ast.unparse(node.args[0]) if node.args else ""
        of_environment = isinstance(node, ast.Subscript) and ast.unparse(node.value) in _ENVIRONMENT
        if of_environment and isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield ast.unparse(node.slice)


def reads_on_import(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement outside the guard reads when the module is imported."""
    if is_main_process_block(statement):
        return
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        if isinstance(node, FUNCTIONS):
            todo += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        elif not isinstance(node, ast.Lambda):
            todo += children(node)


def is_guard(statement: ast.stmt) -> bool:
    """What it binds, a child lacks: `if __name__ == "__main__":` and kin."""
    return is_main_process_block(statement) and not statement.orelse


def is_plain_guard(statement: ast.stmt) -> bool:
    """`if __name__ == "__main__":` with nothing else in its test, and no `else`."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and is_main_name_test(statement.test)
        and not statement.orelse
    )
