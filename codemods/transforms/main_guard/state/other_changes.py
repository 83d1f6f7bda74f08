"""Changes of an object that its name does not show: by an operator, a call, another name, a function of a library."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name, written
from ....syntax.outline import Outline, pairs
from ....syntax.receivers import qualified_name
from ..data import names

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or",
    ast.BitAnd: "and", ast.MatMult: "matmul", ast.Mod: "mod", ast.Div: "truediv",
}  # fmt: skip
_PARTS = ("values", "items", "get", "setdefault", "children", "modules", "parameters", "named_parameters", "buffers")
_COPIES = ("list", "tuple", "reversed", "enumerate", "zip", "sorted", "iter", "filter", "chain")
_AROUND = (*_COPIES, "next", "min", "max")
_SETATTR = 3  # its arguments
_SHOWS = ("print", "repr", "str", "callable", "type", "id")
_HEADS = (ast.For, ast.AsyncFor, ast.comprehension)


def by_syntax(node: ast.expr, whole: ast.AST, above: ast.AST) -> ast.Call | None:
    """The method that an operator, `with` or a call has Python call on the object: `chain << step`, `table(row)`."""
    name = ""
    if isinstance(above, ast.BinOp) and above.left is whole:
        name = _OPERATORS.get(type(above.op), "")
    elif isinstance(above, ast.withitem) and above.context_expr is whole:
        name = "enter"
    elif isinstance(above, ast.Call) and above.func is whole and whole is node:
        name = "call"
    elif isinstance(whole, ast.Subscript) and not isinstance(whole.ctx, ast.Load) and whole.value is node:
        name = "setitem"
    return ast.Call(ast.Attribute(node, f"__{name}__", ast.Load()), [], []) if name else None


def bound_method(node: ast.expr, above: ast.AST, made: ast.expr | None) -> ast.Call | None:
    """The call of a method by a name of its own: `note(row)` after `note = log.note`."""
    is_called = isinstance(above, ast.Call) and above.func is node
    return ast.Call(made, [], []) if is_called and isinstance(made, ast.Attribute) else None


def hands_on(whole: ast.Attribute, above: ast.AST) -> bool:
    """A method that changes the object goes to who calls it: `map(rows.append, names)`, `add = rows.append`."""
    is_called = isinstance(above, ast.Call) and above.func is whole
    return not is_called and whole.attr in names("filling") | names("changing")


def goes_over(node: ast.expr, above: ast.AST) -> bool:
    """Elements of an iterator are taken: `next(rows)`, `for row in rows`, `list(islice(rows, 3))`."""
    if isinstance(above, _HEADS):
        return above.iter is node
    takes = names("iterating") | names("wrapping") | {"next", "sum"}
    return isinstance(above, ast.Call) and node in above.args and last_name(above.func) in takes


def may_be_called(above: ast.AST) -> bool:
    """Of a function that stands below `above`: it is called, decorates something, or goes to who may call it."""
    if isinstance(above, ast.Call):
        return last_name(above.func) not in _SHOWS
    return isinstance(above, (ast.keyword, *FUNCTIONS, ast.ClassDef))


def by_function(outline: Outline, node: ast.expr) -> str | None:
    """The part that a function of a library changes of what it is passed, "" for any; None where it changes nothing.

    `setattr(options, "size", 3)`, `heapq.heappush(rows, 3)`, `dict.update(table, other)`, `numpy.add(a, 1, out=a)`.
    """
    above = outline.parents[node]
    if isinstance(above, ast.keyword):
        return "" if above.arg == "out" and isinstance(outline.parents[above], ast.Call) else None
    if not isinstance(above, ast.Call):
        return None
    func, given = above.func, above.args
    if given and qualified_name(outline, func) == "functools.partial":
        func, given = given[0], given[1:]
    if given[:1] != [node]:
        return None
    if isinstance(func, ast.Name) and isinstance(bound := outline.only_value(func), (ast.Name, ast.Attribute)):
        func = bound
    name = qualified_name(outline, func)
    if name in names("setting_functions"):
        return written(given[1]) if len(given) > 1 and (name != "setattr" or len(above.args) == _SETATTR) else None
    kind, _, method = name.rpartition(".")
    of_builtin = kind.rpartition(".")[2] in names("containers") and method in names("filling") | names("changing")
    in_place = name.startswith("torch.nn.init.") and name.endswith("_")
    return "" if of_builtin or in_place or name in names("changing_functions") or last_name(func) == "shuffle" else None


def by_method(outline: Outline, whole: ast.Attribute, made: ast.expr | None) -> bool:
    """A method whose result nobody wants changes its object: `log.write(text)`, `done.set()`, `net.weight.fill_(0)`.

    Not where that only tells somebody something, or starts or ends what the object does.
    """
    if whole.attr.endswith("_") and not whole.attr.startswith("_"):
        return True  # torch: in place
    if whole.attr in names("mutating"):
        kind = qualified_name(outline, made.func) if isinstance(made, ast.Call) else ""
        return not kind.startswith(("multiprocessing.", "torch.multiprocessing.", "logging."))
    return False


def other_names(outline: Outline, node: ast.expr) -> Iterator[tuple[ast.Name, bool]]:
    """Uses of the names that a function gives to parts of the object; whether they are views of an array.

    `part = table["a"]`, `for item in table.values()`, `for cls in (A, B)`, `with mode as m`.
    """
    at: ast.AST = node
    view = copied = False
    while True:
        above = outline.parents[at]
        if isinstance(above, (ast.Attribute, ast.Subscript, ast.Starred)) and above.value is at:
            view = isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Slice)
            copied = copied and (view or not isinstance(above, ast.Subscript))
        elif isinstance(above, ast.Call) and above.func is at:
            if not (isinstance(at, ast.Attribute) and at.attr in _PARTS):
                return
        elif isinstance(above, ast.Call):
            if last_name(above.func) not in _AROUND or not isinstance(above.func, (ast.Name, ast.Attribute)):
                return
            copied = last_name(above.func) in _COPIES
        elif not (isinstance(above, (ast.Tuple, ast.List)) and isinstance(outline.parents[above], _HEADS)):
            break
        at = above
    targets: list[ast.expr] = []
    statement = outline.parents[above] if isinstance(above, ast.Tuple) else above
    if isinstance(above, ast.Tuple) and isinstance(statement, ast.Assign):  # `rows, size = table["a"], 3`
        targets = [name for target in statement.targets for name, value in pairs(target, above) if value is at]
    elif isinstance(above, ast.Assign) and above.value is at and at is not node:
        targets = above.targets
    elif isinstance(above, _HEADS) and above.iter is at:
        targets, copied = [above.target], False
    elif isinstance(above, ast.withitem) and above.context_expr is at and above.optional_vars is not None:
        targets = [above.optional_vars]
    elif isinstance(above, ast.NamedExpr) and above.value is at:
        targets = [above.target]
    parts = (part for target in targets for part in walk(target) if isinstance(part, ast.Name))
    bound = {part.id: part for part in parts if isinstance(part.ctx, ast.Store)}
    for name, target in bound.items():
        for use in outline.named.get(name, ()):
            if not isinstance(use, ast.Name) or use is target or outline.scope(use) is not outline.scope(target):
                continue
            if copied and not _is_of_element(outline, use):
                continue
            if isinstance(outline.scope(target), FUNCTIONS) or use.lineno >= target.lineno:
                yield use, view


def _is_of_element(outline: Outline, use: ast.Name) -> bool:
    """`rows[0].size`, `for row in rows`: of what a list holds, which a copy of the list holds too."""
    above = outline.parents[use]
    if isinstance(above, _HEADS):
        return True
    part = outline.parents[above] if isinstance(above, ast.Subscript) else None
    return isinstance(part, (ast.Attribute, ast.Subscript)) and part.value is above


def changes_view(outline: Outline, use: ast.Name) -> bool:
    """`part += 1`, of an array that shares its memory."""
    above = outline.parents[use]
    return isinstance(above, ast.AugAssign) and above.target is use
