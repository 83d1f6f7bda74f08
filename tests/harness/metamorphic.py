"""Changes of a program that keep its meaning: what spawnfix finds and writes must change with them, and no further.

Each transformation returns the changed files, or None where it has nothing to change. `same_result.py` compares.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .layout import in_other_layout
from .name_scopes import Function, Scope, scopes_of

Contents = dict[str, bytes]
_BY_TEXT = re.compile(r"\b(?:locals|globals|eval|exec|signature|co_varnames)\b|\bvars\(\)")  # names are read as text


@dataclass(frozen=True)
class Change:
    """What a transformation did: the new files, names that stand for others, and whether the order may differ."""

    contents: Contents
    names: dict[str, str] = field(default_factory=dict)  # new name -> old name
    any_order: bool = False  # statements moved: compare them as a multiset
    merged: bool = False  # a file was split: compare all files as one, without imports


Transformation = Callable[[Contents], Change | None]


def parsed(contents: Contents) -> dict[str, ast.Module]:
    """The Python files that parse."""
    trees = {}
    for path, data in contents.items():
        if path.endswith(".py"):
            try:
                trees[path] = ast.parse(data)
            except SyntaxError:
                continue
    return trees


def _unparsed(contents: Contents, trees: dict[str, ast.Module]) -> Contents:
    return {**contents, **{path: (ast.unparse(tree) + "\n").encode() for path, tree in trees.items()}}


def words_of(contents: Contents) -> set[str]:
    """Every word of the files, names and others."""
    return {word for data in contents.values() for word in re.findall(r"\w+", data.decode("latin-1"))}


def plain_layout(contents: Contents) -> Change:
    """As `ast.unparse` writes it: single quotes, four blanks, one line per statement, no comments."""
    return Change(_unparsed(contents, parsed(contents)))


# renaming


def rename_self(contents: Contents) -> Change | None:
    """The first parameter of methods is called `me`."""
    return _renamed(contents, {"self": "me"}, module_level=False)


def rename_common(contents: Contents) -> Change | None:
    """Variables and parameters `args` and `model` are called `opt` and `net`, globals too."""
    return _renamed(contents, {"args": "opt", "model": "net"}, module_level=True)


def rename_locals(contents: Contents) -> Change | None:
    """Every local variable and parameter but `self` and `cls` has another name."""
    words = words_of(contents)
    names = {name: f"{name}_q" for name in words - {"self", "cls"} if name.isidentifier() and not name.startswith("__")}
    return _renamed(contents, names, module_level=False)


def _renamed(contents: Contents, names: dict[str, str], module_level: bool) -> Change | None:
    trees = parsed(contents)
    fixed_words = _words_that_name_parameters(contents, trees)
    taken = words_of(contents)
    names = {old: new for old, new in names.items() if new not in taken}
    done: dict[str, str] = {}
    for tree in trees.values():
        if _BY_TEXT.search(ast.unparse(tree)):
            continue
        scopes = scopes_of(tree)
        for scope in scopes:
            if scope.is_class or (scope.parent is None and not module_level):
                continue
            for name in sorted(names.keys() & scope.nodes.keys()):
                if name in scope.other_bindings or (name in scope.parameters and name in fixed_words):
                    continue
                if scope.parent is None and name in _names_used_from_outside(trees):
                    continue
                for node in scope.nodes[name]:
                    if isinstance(node, ast.Name):
                        node.id = names[name]
                    else:
                        node.arg = names[name]
                done[names[name]] = name
    return Change(_unparsed(contents, trees), done) if done else None


def _words_that_name_parameters(contents: Contents, trees: dict[str, ast.Module]) -> set[str]:
    """Words that may name a parameter at a call: keywords, strings, and all words of other files."""
    words = {
        word
        for path, data in contents.items()
        if path not in trees
        for word in re.findall(r"\w+", data.decode("latin-1"))
    }
    modules = {part for path in trees for part in PurePosixPath(path).with_suffix("").parts}
    for tree in trees.values():
        foreign = {
            _bound_name(each)
            for node in tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_own(node, modules)
            for each in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and not _is_foreign(node.func, foreign):
                words |= {each.arg for each in node.keywords if each.arg is not None}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= {*re.findall(r"\w+", node.value)}
    return words


def _is_own(node: ast.Import | ast.ImportFrom, modules: set[str]) -> bool:
    """Does the import name a file of the program?"""
    if isinstance(node, ast.ImportFrom):
        return bool(node.level) or bool({*(node.module or "").split(".")} & modules)
    return any({*each.name.split(".")} & modules for each in node.names)


def _is_foreign(called: ast.expr, foreign: set[str]) -> bool:
    """Is `called` of another distribution, and does not hand its keywords on (`partial`)?"""
    root = called
    while isinstance(root, ast.Attribute):
        root = root.value
    last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return isinstance(root, ast.Name) and root.id in foreign and last != "partial"


def _names_used_from_outside(trees: dict[str, ast.Module]) -> set[str]:
    """Names that some file imports, and attributes: either may mean a global of another file."""
    names: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names |= {each.name for each in node.names}
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
    return names


# imports


def alias_imports(contents: Contents) -> Change | None:
    """`import torch` -> `import torch as torch_q`, `from x import y` -> `from x import y as y_q`."""
    trees = parsed(contents)
    done: dict[str, str] = {}
    for path, tree in trees.items():
        if _BY_TEXT.search(ast.unparse(tree)):
            continue
        outside = _taken_from(path, trees)
        scopes = {id(scope.node): scope for scope in scopes_of(tree)}
        for holder, statement in _imports(tree):
            scope = scopes[id(holder)]
            for alias in statement.names:
                name = alias.asname or alias.name
                if not _may_be_aliased(statement, alias, name, scope, outside):
                    continue
                alias.asname = f"{name}_q"
                for node in scope.nodes.get(name, []):
                    assert isinstance(node, ast.Name)
                    node.id = alias.asname
                done[alias.asname] = name
    return Change(_unparsed(contents, trees), done) if done else None


def _imports(tree: ast.Module) -> Iterable[tuple[ast.AST, ast.Import | ast.ImportFrom]]:
    """Imports directly in the module's body or in a function's; those under `if` or `try` are left alone."""
    for holder in ast.walk(tree):
        if isinstance(holder, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in holder.body:
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    yield holder, statement


def _may_be_aliased(
    statement: ast.Import | ast.ImportFrom, alias: ast.alias, name: str, scope: Scope, outside: set[str]
) -> bool:
    if isinstance(statement, ast.ImportFrom) and (statement.module == "__future__" or name == "*"):
        return False
    if "." in name or name not in scope.bound:
        return False
    if scope.parent is None and (name in outside or _again(scope, name)):
        return False
    return not _bound_twice(scope, name)


def _taken_from(path: str, trees: dict[str, ast.Module]) -> set[str]:
    """Names that other files take from the file `path`, by an import or as an attribute."""
    place = PurePosixPath(path)
    module = place.parent.name if place.name == "__init__.py" else place.stem
    names: set[str] = set()
    for other in trees.values():
        for node in ast.walk(other):
            if isinstance(node, ast.ImportFrom) and (node.module or module).rpartition(".")[2] == module:
                names |= {each.name for each in node.names}
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value).rpartition(".")[2] == module:
                names.add(node.attr)
    return names


def _again(scope: Scope, name: str) -> bool:
    """Do other statements of the module offer the name on (`__all__`)?"""
    return any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(scope.node))


def _bound_twice(scope: Scope, name: str) -> bool:
    aliases = [
        each
        for node in ast.walk(scope.node)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for each in node.names
        if (each.asname or each.name.partition(".")[0]) == name
    ]
    stores = [
        node for node in scope.nodes.get(name, []) if isinstance(node, ast.arg) or not isinstance(node.ctx, ast.Load)
    ]
    return len(aliases) > 1 or bool(stores)


# order


def reorder_definitions(contents: Contents) -> Change | None:
    """Functions and classes that follow each other, and methods, in the opposite order where Python allows it."""
    trees = parsed(contents)
    changed = False
    for tree in trees.values():
        for holder in ast.walk(tree):
            if isinstance(holder, (ast.Module, ast.ClassDef)):
                body = _reversed_runs(holder.body)
                changed |= body != holder.body
                holder.body = body
    return Change(_unparsed(contents, trees), any_order=True) if changed else None


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _reversed_runs(body: list[ast.stmt]) -> list[ast.stmt]:
    result: list[ast.stmt] = []
    run: list[Definition] = []
    for statement in [*body, None]:
        if isinstance(statement, Definition):
            run.append(statement)
            continue
        result += _backwards(run)
        run = []
        if statement is not None:
            result.append(statement)
    return result


def _backwards(run: list[Definition]) -> list[Definition]:
    """The last first, but for what another needs when it is defined."""
    names = Counter(each.name for each in run)
    if any(count > 1 for count in names.values()):
        return run  # a property and its setter
    needs = {each.name: {*_names_at_definition(each)} & names.keys() - {each.name} for each in run}
    left, ordered = [*reversed(run)], []
    while left:
        ready = next((each for each in left if not needs[each.name] & {other.name for other in left}), left[-1])
        ordered.append(ready)
        left.remove(ready)
    return ordered


def _names_at_definition(node: ast.AST) -> Iterable[str]:
    """Names that are looked up when the definition runs; those in the class's body may call anything, so all count."""
    if isinstance(node, ast.ClassDef):
        called = any(isinstance(part, ast.Call) for each in node.body for part in _outside_functions(each))
        for part in (
            ast.walk(node) if called else (p for c in ast.iter_child_nodes(node) for p in _outside_functions(c))
        ):
            if isinstance(part, ast.Name):
                yield part.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        returns = [node.returns] if node.returns is not None else []
        for top in (*node.decorator_list, node.args, *returns):
            for part in ast.walk(top):
                if isinstance(part, ast.Name):
                    yield part.id


def _outside_functions(node: ast.AST) -> Iterable[ast.AST]:
    yield node
    if isinstance(node, Function):
        inner: Iterable[ast.AST] = [node.args, *getattr(node, "decorator_list", [])]
    else:
        inner = ast.iter_child_nodes(node)
    for child in inner:
        yield from _outside_functions(child)


# files


def split_file(contents: Contents) -> Change | None:
    """Definitions that need nothing else of their file move to a new module, which the file imports them from."""
    trees = parsed(contents)
    done = False
    for path, tree in [*trees.items()]:
        if PurePosixPath(path).name in ("__init__.py", "setup.py") or _BY_TEXT.search(ast.unparse(tree)):
            continue
        moved = _movable(tree)
        if not moved:
            continue
        new_path = PurePosixPath(path).with_name(f"{PurePosixPath(path).stem}_parts.py")
        inside = str(PurePosixPath(path).with_name("__init__.py")) in contents
        imported = ast.ImportFrom(new_path.stem, [ast.alias(each.name) for each in moved], int(inside))
        words = {part.id for each in moved for part in ast.walk(each) if isinstance(part, ast.Name)}
        imports = [
            each
            for each in tree.body
            if isinstance(each, (ast.Import, ast.ImportFrom))
            and (_is_future(each) or any(_bound_name(alias) in words for alias in each.names))
        ]
        at = tree.body.index(moved[0])
        trees[str(new_path)] = ast.Module([*imports, *moved], [])
        trees[path] = ast.Module([*tree.body[:at], imported, *(s for s in tree.body[at:] if s not in moved)], [])
        done = True
    return Change(_unparsed(contents, trees), any_order=True, merged=True) if done else None


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _movable(tree: ast.Module) -> list[Definition]:
    """The first half of the definitions whose globals are imports, or definitions that move too."""
    scope = scopes_of(tree)[0]
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    imported = {_bound_name(each) for node in imports for each in node.names}
    if "*" in imported:
        return []
    definitions = [each for each in tree.body if isinstance(each, KINDS)]
    counts = Counter(each.name for each in definitions)
    chosen = [
        each
        for each in definitions[: max(1, len(definitions) // 2)]
        if counts[each.name] == 1 and not any(isinstance(part, ast.Global) for part in ast.walk(each))
    ]
    while True:
        known = imported | {each.name for each in chosen}
        kept = [each for each in chosen if _globals(each, scope) <= known]
        if kept == chosen:
            break
        chosen = kept
    return chosen


KINDS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _globals(node: ast.AST, module: Scope) -> set[str]:
    """Names of the module's own that are used in `node`; builtins are not among them."""
    inside = {id(part) for part in ast.walk(node)}
    found = {name for name, nodes in module.nodes.items() if any(id(each) in inside for each in nodes)}
    if any(isinstance(part, ast.Name) and part.id in ("__name__", "__file__") for part in ast.walk(node)):
        found.add("__name__")
    return found


# layout


def other_layout(contents: Contents) -> Change | None:
    """Tabs for blanks at the beginning of lines, and the other quotes; comments stay."""
    result = {}
    for path in parsed(contents):
        text = contents[path].decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n")
        if contents[path].startswith(b"\xef\xbb\xbf") or b"coding" in contents[path][:100] or "\r" in text:
            continue
        changed = in_other_layout(text)
        if changed != text:
            result[path] = changed.encode("utf-8", "surrogateescape")
    return Change({**contents, **result}) if result else None


TRANSFORMATIONS: dict[str, Transformation] = {
    "rename_self": rename_self,
    "rename_common": rename_common,
    "rename_locals": rename_locals,
    "alias_imports": alias_imports,
    "reorder_definitions": reorder_definitions,
    "split_file": split_file,
    "plain_layout": plain_layout,
    "other_layout": other_layout,
}
