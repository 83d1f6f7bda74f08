"""What is done to a handle, lock or queue that a new one would not have: read from, filled, set up, passed on."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import ObjectKind
from ..data import names


def touch(outline: Outline, node: ast.expr, kind: ObjectKind) -> str | None:
    """How `node`, which is something of `kind`, is changed right there, in words; None where it is not."""
    above = outline.parents[node]
    if isinstance(above, ast.Attribute):
        if not isinstance(above.ctx, ast.Load):
            return f"sets `{above.attr}` on it"
        call = outline.parents[above]
        if isinstance(call, ast.Call) and call.func is above:
            if above.attr in kind.moves | kind.stands | kind.setup:
                return f"calls `{above.attr}` on it"
            first = leading_words(call.args[0]) if call.args else ""
            if above.attr.startswith("execute") and first.startswith(
                tuple(names("sql_writes") | names("sql_settings"))
            ):
                return "changes the database"
        elif above.attr in kind.moves | kind.stands | kind.setup:
            return f"passes its `{above.attr}` on"
    elif isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.ctx, ast.Load):
        return "writes to it"
    elif isinstance(above, (ast.For, ast.comprehension)) and above.iter is node and kind.moves:
        return "reads from it"
    elif isinstance(above, (ast.Starred, ast.keyword)) or (
        isinstance(above, ast.Call) and node in above.args and last_name(above.func) not in names("looking")
    ):
        return "passes it on, so it may be read from" if kind.moves else None
    return None


def leading_words(text: ast.expr) -> str:
    """How a text begins, as far as that is written: in lower case, without blanks."""
    while isinstance(text, (ast.BinOp, ast.JoinedStr, ast.Call)):
        if isinstance(text, ast.JoinedStr):
            text = text.values[0] if text.values else ast.Constant("")
        elif isinstance(text, ast.BinOp):
            text = text.left
        elif isinstance(text.func, ast.Attribute):  # `"...".format(...)`
            text = text.func.value
        else:
            return ""
    return text.value.lstrip().lower() if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""


def sets_up(outline: Outline, node: ast.expr, kind: ObjectKind) -> str | None:
    """How `node`, a handle of `kind`, is made another one than a new one would be, in words."""
    above = outline.parents[node]
    if not isinstance(above, ast.Attribute) or above.attr in kind.moves:
        return None
    return touch(outline, node, kind)


def is_rewind(outline: Outline, node: ast.expr) -> bool:
    """`node.seek(0)`: whatever was read before does not matter."""
    above = outline.parents[node]
    call = outline.parents[above]
    return (
        isinstance(above, ast.Attribute)
        and above.attr == "seek"
        and isinstance(call, ast.Call)
        and [ast.unparse(argument) for argument in call.args] == ["0"]
    )


def first_touch(outline: Outline, nodes: Iterable[ast.expr], kind: ObjectKind) -> str | None:
    """The first change that still counts after all that is done to `nodes`, with its line, in words."""
    found: list[str] = []
    for node in sorted(nodes, key=position):
        if kind.tell and is_rewind(outline, node):
            found.clear()
        elif (what := touch(outline, node, kind)) is not None:
            found.append(f"line {node.lineno} {what}")
    return found[0] if found else None


def named(outline: Outline, scope: ast.AST, name: str) -> list[ast.expr]:
    """Reads of the name in a function."""
    return [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]


def elements(outline: Outline, container: ast.expr) -> list[ast.expr]:
    """Expressions that stand for what `container` (`self.files`) holds: subscripts, and names that walk over it."""
    above = outline.parents[container]
    if isinstance(above, ast.Subscript) and above.value is container:
        return [above] if isinstance(above.ctx, ast.Load) else []
    walked: ast.AST = container
    if isinstance(above, ast.Attribute) and above.attr in ("values", "items"):
        walked = outline.parents[above]
        above = outline.parents[walked]
    if isinstance(above, ast.Call) and last_name(above.func) in ("enumerate", "zip", "list", "iter", "reversed"):
        walked, above = above, outline.parents[above]
    if not isinstance(above, (ast.For, ast.comprehension)) or above.iter is not walked:
        return []
    names = {node.id for node in ast.walk(above.target) if isinstance(node, ast.Name)}
    whole = above if isinstance(above, ast.For) else outline.parents[above]
    return [
        node
        for node in ast.walk(whole)
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
    ]


def methods_called(statements: Iterable[ast.stmt], outline: Outline) -> list[str]:
    """The methods that `self.m()`, a statement of its own, calls there, in that order."""
    calls = (statement.value for statement in statements if isinstance(statement, ast.Expr))
    return [
        call.func.attr
        for call in calls
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and outline.is_self(call.func.value)
        if not call.args and not call.keywords
    ]
