"""Files that are removed, moved or replaced after they were opened: opened again, that is no file or another one."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

from ....nodes import end_line, walk
from ....syntax.binding_rules import given_to, positional
from ....syntax.file_tree import Scope, position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ..classes import Shape, Store
from ..data import names
from ..family import Family
from .file_uses import file_uses

_METHODS_OF_PATHS = frozenset(("unlink", "rename", "replace", "rmdir", "cleanup"))
_NO_PATHS = frozenset(("self", "os", "os.path", "os.path.join", "open", "tempfile", "str"))
_DEPTH = 3  # local names that stand for each other


def removed_before(family: Family, shape: Shape, store: Store, path: ast.expr) -> str | None:
    """`path:line` of what removes the file that `store` opens, before the object may be sent."""
    outline = store.owner.outline
    kept = list(_keeping(store, path))
    parts = _parts(outline, path) | {ast.unparse(each.target) for each in kept}
    parts |= {part for each in kept if each.value is not None for part in _parts(outline, each.value)}
    around = [above for above in outline.ancestors(store.statement) if isinstance(above, (ast.With, ast.AsyncWith))]
    for block in around:
        if not parts.isdisjoint(_temporary(outline, block)):
            return f"{outline.path}:{block.lineno}"
    early = family.pre_transfer_methods(shape)
    for method in {store.method, *(each for name, each in shape.methods.items() if name in early)}:
        for call in _removing(outline, method):
            if not parts.isdisjoint(_named(call)) and (method is not store.method or _follows(call, store.statement)):
                return f"{outline.path}:{call.lineno}"
    own = (node for node in walk(path) if isinstance(node, ast.Attribute) and outline.is_self(node.value))
    return _removed_outside(family, shape, {node.attr for node in own} | {each.target.attr for each in kept})


def _keeping(store: Store, path: ast.expr) -> Iterator[Store]:
    """`self.path = path`, in the method that opens it, by whichever of the two."""
    parts = _parts(store.owner.outline, path)
    for name in store.owner.selves:
        for other in store.owner.stores(name):
            beside = other.method is store.method and other is not store
            if beside and other.value and not parts.isdisjoint((ast.unparse(other.value), ast.unparse(other.target))):
                yield other


def _parts(outline: Outline, path: ast.expr, depth: int = 0) -> set[str]:
    """The texts of the path, of the names and attributes in it, and of what local names stand for."""
    found = {ast.unparse(path)}
    for node in walk(path):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            found.add(ast.unparse(node))
        for binding in outline.lookup(node, node.id)[1] if isinstance(node, ast.Name) and depth < _DEPTH else ():
            if binding.value is not None and binding.value is not node:
                found |= _parts(outline, binding.value, depth + 1)
    return found - _NO_PATHS


def _temporary(outline: Outline, block: ast.With | ast.AsyncWith) -> Iterator[str]:
    """The name of a folder or file that is gone at the end of the block."""
    for item in block.items:
        made, target = item.context_expr, item.optional_vars
        is_temporary = isinstance(made, ast.Call) and qualified_name(outline, made.func) in names("gone_after_with")
        if is_temporary and isinstance(target, ast.Name):
            yield target.id


def _removing(outline: Outline, within: ast.AST) -> Iterator[ast.Call]:
    for node in walk(within):
        if isinstance(node, ast.Call) and (
            qualified_name(outline, node.func) in names("removes_files") or _is_method_of_path(node)
        ):
            yield node


def _is_method_of_path(call: ast.Call) -> bool:
    """`path.unlink()`, and no `text.replace("a", "b")`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS_OF_PATHS and len(call.args) < 2


def _named(call: ast.Call) -> set[str]:
    """What the call removes, as text: its first arguments, or the path whose method it is."""
    given = [*call.args[:2], *(word.value for word in call.keywords)]
    if isinstance(call.func, ast.Attribute) and last_name(call.func) in _METHODS_OF_PATHS:
        given.append(call.func.value)
    found = {ast.unparse(each) for each in given}
    inner = (each.args[0] for each in given if isinstance(each, ast.Call) and each.args)  # `Path(path).unlink()`
    return found | {ast.unparse(each) for each in inner}


def _follows(call: ast.Call, statement: ast.stmt) -> bool:
    return position(call) > position(statement)


def _removed_outside(family: Family, shape: Shape, attributes: set[str]) -> str | None:
    """By code that makes an object of the class, between that and what sends it."""
    classes = {shape.node.name, *(each.node.name for each in family.derived(shape))}
    for outline in dict.fromkeys(each for name in sorted(classes) for each in family.repo.mentioning(name)):
        file = file_uses(family.repo.project, outline)
        for made in (call for name in sorted(classes) for call in outline.calls.get(name, ())):
            scope = outline.scope(made)
            starts = file.once(_starts, scope)
            after = bisect_right(starts, position(made))
            if after == len(starts):
                continue
            first, last = starts[after], starts[-1]
            given = [*made.args, *(word.value for word in made.keywords)]
            parts = {part for value in given for part in _parts(outline, value)}
            for block in (above for above in outline.ancestors(made) if isinstance(above, (ast.With, ast.AsyncWith))):
                ends = end_line(block)
                if not parts.isdisjoint(_temporary(outline, block)) and first[0] > ends:
                    return f"{outline.path}:{block.lineno}"
            removing = [(call, _named(call)) for call in file.once(_removed_in, scope)]
            for call, named in (*removing, *_removed_by_called(family, outline, scope)):
                of_object = {name.rpartition(".")[2] for name in named if "." in name}
                gone = not parts.isdisjoint(named) or not attributes.isdisjoint(of_object)
                if not gone or outline.scope(call) is not scope or not position(made) < position(call) < last:
                    continue
                ends_use = file.once(_closing, scope)
                if not any(position(made) < each < position(call) for each in ends_use):
                    return f"{outline.path}:{call.lineno}"
    return None


def _removed_by_called(family: Family, outline: Outline, scope: Scope) -> Iterator[tuple[ast.Call, set[str]]]:
    """Calls of functions of the repository that remove what they get, with that as text: `publish(path, rows)`."""
    for call in (node for node in outline.own(scope) if isinstance(node, ast.Call)):
        functions = family.repo.resolver.functions(outline, call.func) if isinstance(call.func, ast.Name) else []
        for other, function in functions:
            named = {name for inner in _removing(other, function) for name in _named(inner)}
            given = given_to(positional(function), call)
            removed = {ast.unparse(value) for name, value in given.items() if name in named}
            if removed:
                yield call, removed


def _starts(outline: Outline, scope: Scope) -> list[tuple[int, int]]:
    """Where a function, or the module, starts processes, in order."""
    return _calls(outline, scope, names("starting"))


def _closing(outline: Outline, scope: Scope) -> list[tuple[int, int]]:
    return _calls(outline, scope, names("closing_hooks"))


def _calls(outline: Outline, scope: Scope, called: frozenset[str]) -> list[tuple[int, int]]:
    own = (node for node in outline.own(scope) if isinstance(node, ast.Call))
    return sorted(position(call) for call in own if last_name(call.func) in called)


def _removed_in(outline: Outline, scope: Scope) -> list[ast.Call]:
    return list(_removing(outline, scope))
