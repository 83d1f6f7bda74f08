"""Which loggers a handler serves: those below the one that it is added to, and the root serves all."""

from __future__ import annotations

import ast

from ....syntax.binding_rules import default_values
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name

_MAKES = "logging.getLogger"
_ADAPTER = "logging.LoggerAdapter"


def may_serve(setter: tuple[Outline, ast.AST], reader: tuple[Outline, ast.AST]) -> bool:
    """`setter` adds a handler to the logger that `reader` writes to, or to one above it, as far as that can be seen."""
    added = _logger_of(*setter)
    names = _names(setter[0], added)
    if names is None or "" in names:
        return True
    written = _logger_of(*reader)
    if written is None:
        return True
    if qualified_name(reader[0], written) == "logging":
        return False  # the root has handlers of its own only
    below = _names(reader[0], written)
    if below is None or not names or not below:
        return True
    return any(name == each or each.startswith(f"{name}.") for name in names for each in below)


def _logger_of(outline: Outline, node: ast.AST) -> ast.expr | None:
    """The logger of `logger.info`, or of `logger.addHandler(handler)`."""
    func = node.func if isinstance(node, ast.Call) else node
    return func.value if isinstance(func, ast.Attribute) else None


def _names(outline: Outline, logger: ast.expr | None) -> frozenset[str] | None:
    """The names that the logger may have, "" for the root; none for a name that is not seen; None: nothing is known."""
    made = outline.only_value(logger) if isinstance(logger, ast.Name) else logger
    if not isinstance(made, ast.Call):
        return None
    made_by = qualified_name(outline, made.func)
    if made_by == _ADAPTER and made.args:
        return _names(outline, made.args[0])
    if made_by != _MAKES:
        return None
    given = [*made.args, *(keyword.value for keyword in made.keywords)]
    if not given:
        return frozenset({""})
    if isinstance(given[0], ast.Constant):
        name = given[0].value
        return frozenset({name if isinstance(name, str) and name != "root" else ""})
    if not isinstance(given[0], ast.Name):
        return frozenset() if isinstance(given[0], ast.JoinedStr) else None
    if given[0].id == "__name__":
        parts = outline.path.removesuffix(".py").removesuffix("/__init__").split("/")
        return frozenset({"__main__", *(".".join(parts[at:]) for at in range(len(parts)))})
    around = outline.scope(given[0])
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        every = [*around.args.posonlyargs, *around.args.args, *around.args.kwonlyargs]
        if given[0].id in {each.arg for each in every} and given[0].id not in default_values(around):
            return frozenset()  # who calls it has to name one
    return None
