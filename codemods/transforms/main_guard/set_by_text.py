"""Variables of modules that are set by their names as text: `globals().update(...)`, `setattr(module, name, value)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...project import Project
from ...syntax.names import last_name, written
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Resolver
from .main_module import is_main
from .statements import names_bound

UNKNOWN = ""  # a name that is not written there: what `written` gives
_WRITES = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"})
_SETTERS = {"setattr": 3, "delattr": 2}  # each with the number of its arguments
_MANY = 255
_IMPORTS = frozenset({"import_module", "__import__"})
_AS_TEXT = re.compile(  # each begins with a letter of its own: found many times faster than behind a boundary
    r"(?:globals|vars|locals|setattr|delattr)\s*\(|__dict__|import\s+__main__|import_module\(\s*__name__"
)
_WORDS = ("globals", "vars", "locals", "setattr", "delattr", "__dict__", "__main__", "import_module")
_IN_MODULES = re.compile(r"sys\.modules\[")  # apart from the others: many files name some modules
_DEPTH = 3  # variables that a namespace is followed through


def set_by_text(resolver: Resolver, outline: Outline, node: ast.AST) -> tuple[Outline, frozenset[str]] | None:
    """The module whose variables `node` sets by text, and their names: `UNKNOWN` for any."""
    found: Outline | None = None
    names: Iterator[str] = iter(())
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        found, names = _namespace(resolver, outline, node.value), iter((written(node.slice),))
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        found, names = outline if _is_itself(outline, node.value) else None, iter((node.attr,))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITES:
        found, names = _namespace(resolver, outline, node.func.value), _named_by(node, node.func.attr)
    elif isinstance(node, ast.Call) and len(node.args) >= _SETTERS.get(last_name(node.func), _MANY):
        found, names = _module(resolver, outline, node.args[0]), iter((written(node.args[1]),))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "exec" and node.args:
        found, names = _executed_in(resolver, outline, node), _bound_by(node.args[0])
    return None if found is None else (found, frozenset(names))


def set_in_project(project: Project) -> dict[tuple[Outline, str], list[tuple[Outline, ast.AST]]]:
    """The places that set variables of modules by text, by the module and the name, which may be `UNKNOWN`."""
    found: dict[tuple[Outline, str], list[tuple[Outline, ast.AST]]] = {}
    repo = Repo(project)
    as_text = {*project.paths_matching(_AS_TEXT, words=_WORDS)}
    for path in sorted(as_text.union(project.paths_matching(_IN_MODULES, word="modules", part="sys.modules["))):
        outline = repo.outline(path)
        for node in outline.nodes if outline is not None else ():
            assert outline is not None
            changed = set_by_text(repo.resolver, outline, node)
            for name in changed[1] if changed is not None else ():
                assert changed is not None
                found.setdefault((changed[0], name), []).append((outline, node))
    return found


def _named_by(call: ast.Call, method: str) -> Iterator[str]:
    if method in ("popitem", "clear"):
        yield UNKNOWN
    elif method != "update":
        yield from map(written, call.args[:1])
    else:
        yield from (keyword.arg or UNKNOWN for keyword in call.keywords)
        for given in call.args:
            keys = given.keys if isinstance(given, ast.Dict) else [None]
            yield from (written(key) if key is not None else UNKNOWN for key in keys)


def _executed_in(resolver: Resolver, outline: Outline, call: ast.Call) -> Outline | None:
    if len(call.args) > 1:
        return _namespace(resolver, outline, call.args[1])
    return outline if isinstance(outline.scope(call), ast.Module) and not call.keywords else None


def _bound_by(code: ast.expr) -> Iterator[str]:
    text = written(code)
    try:
        statements = ast.parse(text).body if text else None
    except SyntaxError:
        statements = None
    if statements is None:
        yield UNKNOWN
    for statement in statements or ():
        yield from names_bound(statement)


def _namespace(resolver: Resolver, outline: Outline, node: ast.expr, depth: int = 0) -> Outline | None:
    """The module whose dictionary of variables `node` is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "vars" and len(node.args) == 1:
            return _module(resolver, outline, node.args[0])
        own = node.func.id in ("vars", "locals") and isinstance(outline.scope(node), ast.Module)
        return outline if own or node.func.id == "globals" else None
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return _module(resolver, outline, node.value)
    if isinstance(node, ast.Name) and depth < _DEPTH:
        bound = outline.lookup(node, node.id)[1]
        values = [item.value for item in bound if item.value is not None and item.value is not node]
        found = [_namespace(resolver, outline, value, depth + 1) for value in values]
        return next((each for each in found if each is not None), None)
    return None


def _module(resolver: Resolver, outline: Outline, node: ast.expr) -> Outline | None:
    return outline if _is_itself(outline, node) else resolver.module(outline, node)


def _is_itself(outline: Outline, node: ast.expr, depth: int = 0) -> bool:
    """The module that the code stands in, as an object: by its own name, or as the main module."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node) == "sys.modules[__name__]" or is_main(outline, node)
    if isinstance(node, ast.Call):
        given = node.args[0] if node.args else None
        own = last_name(node.func) in _IMPORTS and isinstance(given, ast.Name) and given.id == "__name__"
        return own or is_main(outline, node)
    if not isinstance(node, ast.Name) or depth >= _DEPTH:
        return False
    bound = [item.value for item in outline.lookup(node, node.id)[1] if item.value is not None]
    return is_main(outline, node) or any(_is_itself(outline, value, depth + 1) for value in bound if value is not node)
