"""Code that goes through all names of a module: `for name in models.__dict__`, `inspect.getmembers(module)`.

A new function, class or import at module level is one name more there, unless the code leaves it out.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..project import Project
from .name_tests import Element, Test, always
from .names import is_own_module, last_name
from .outline import Outline
from .repo import Repo
from .resolver import FUNCTIONS

_TEXT = re.compile(r"\b(?:globals|locals|vars|dir|getmembers)\s*\(|\b__dict__\b")
_PARTS = ("globals", "locals", "vars", "dir", "getmembers", "__dict__")
_VIEWS = frozenset({"items", "keys", "values", "copy"})
_WHOLE = frozenset(
    {"sorted", "list", "tuple", "set", "frozenset", "dict", "iter", "enumerate", "reversed", "len", "print", "str"}
)
_OF_MODULE = frozenset({"globals", "locals", "vars", "dir"})  # without an argument, at module level
_STEPS = 4  # names and functions that are followed


@dataclass(frozen=True)
class Scan:
    """`text` at `path`:`line` goes through the names of a module; those that fail a test are left out."""

    path: str
    line: int
    text: str
    test: Test

    def finds(self, element: Element) -> bool:
        """True unless it is sure that a test leaves the new name out."""
        return self.test(element) is not False


def scans_of(project: Project) -> Mapping[str, list[Scan]]:
    """By path of a module: the places that go through its names; `project.derive(scans_of)` looks once."""
    found: dict[str, list[Scan]] = defaultdict(list)
    repo = Repo(project)
    for source in project.matching(_TEXT, words=_PARTS):
        outline = repo.outline(source.path)
        if outline is not None:
            for module, scan in _Finder(repo, outline).scans():
                if scan not in found[module]:
                    found[module].append(scan)
    return found


def found_by_scan(project: Project, path: str, elements: list[Element]) -> str | None:
    """Where code would find one of the new names of the module `path`, in words; None where none does."""
    scans = project.derive(scans_of)
    if not scans:
        return None
    for module in _namespaces(project, path):
        for scan in scans.get(module, ()):
            for element in elements:
                if (module == path or not element.name.startswith("_")) and scan.finds(element):
                    return (
                        f"`{scan.text}` ({scan.path}:{scan.line}) goes through all names of {module}, and would find "
                        f"`{element.name}` there too"
                    )
    return None


def _namespaces(project: Project, path: str) -> Iterator[str]:
    """The module, and those that import `*` from it: they have its public names too, where it has no `__all__`."""
    yield path
    source = project.source(path)
    if not project.star_imported or source is None or "__all__" in source.text:
        return
    repo, seen = Repo(project), {path}
    todo = [path]
    while todo:
        at = todo.pop()
        stem = at.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        if stem not in project.star_imported and not at.endswith("__init__.py"):
            continue
        for outline in repo.mentioning(stem):
            sources = (repo.resolver.star_source(outline, statement) for statement in outline.star_imports)
            if outline.path not in seen and any(other is not None and other.path == at for other in sources):
                seen.add(outline.path)
                todo.append(outline.path)
                yield outline.path


class _Finder:
    """Looks through one file."""

    def __init__(self, repo: Repo, outline: Outline) -> None:
        self.repo, self.outline = repo, outline

    def scans(self) -> Iterator[tuple[str, Scan]]:
        """Each module that is gone through, with the place."""
        for node in self.outline.nodes:
            module = self._names_of(node)
            if module is None:
                continue
            assert isinstance(node, ast.expr)
            text = ast.unparse(node)[:60]
            for test in self._uses(self.outline, node, _given_test(self.outline, node), 0):
                yield module, Scan(self.outline.path, node.lineno, text, test)

    def _names_of(self, node: ast.AST) -> str | None:
        """The module whose names the expression is."""
        outline = self.outline
        if isinstance(node, ast.Attribute) and node.attr == "__dict__" and isinstance(node.ctx, ast.Load):
            return self._module(node.value)
        if not isinstance(node, ast.Call):
            return None
        name = last_name(node.func)
        if isinstance(node.func, ast.Name) and outline.lookup(node, name)[1] and name != "getmembers":
            return None
        if name == "globals" or (name in _OF_MODULE and not node.args and _at_module_level(outline, node)):
            return outline.path if not node.args else None
        if name in ("vars", "dir", "getmembers") and node.args:
            return self._module(node.args[0])
        return None

    def _module(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            values = [binding.value for binding in self.outline.lookup(node, node.id)[1]]
            if any(map(is_own_module, values)):
                return self.outline.path
        if not isinstance(node, (ast.Name, ast.Attribute)) and not is_own_module(node):
            return None
        found = self.repo.resolver.module(self.outline, node)
        return found.path if found is not None else None

    # what is done with the names

    def _uses(self, outline: Outline, node: ast.expr, test: Test, depth: int) -> Iterator[Test]:
        """The tests that decide what is found, one per place that goes through `node`."""
        above = outline.parents[node]
        if isinstance(above, ast.Attribute) and above.attr in _VIEWS:
            call = outline.parents[above]
            if isinstance(call, ast.Call) and call.func is above:
                yield from self._uses(outline, call, _of_view(above.attr, test), depth)
        elif isinstance(above, (ast.comprehension, ast.For)) and above.iter is node:
            yield test.narrowed(above, outline)
        elif isinstance(above, ast.Call) and node in above.args:
            yield from self._passed(outline, above, node, test, depth)
        elif isinstance(above, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and above.value is node:
            yield from self._named(outline, above, test, depth)
        elif isinstance(above, (ast.Starred, ast.Return, ast.FormattedValue)) or (
            isinstance(above, ast.Dict) and node in above.values and above.keys[above.values.index(node)] is None
        ):
            yield test

    def _passed(self, outline: Outline, call: ast.Call, node: ast.expr, test: Test, depth: int) -> Iterator[Test]:
        name = last_name(call.func)
        if isinstance(call.func, ast.Name) and not outline.lookup(call, name)[1]:
            if name in ("sorted", "list", "tuple", "set", "frozenset", "iter", "reversed", "dict"):
                inner = [*self._uses(outline, call, test, depth)]
                yield from inner or [test]
            elif name in ("filter", "map") and len(call.args) == 2 and call.args[1] is node:
                yield test.filtered(call.args[0]) if name == "filter" else test
            elif name in _WHOLE:
                yield test
            return
        for where, function in self.repo.resolver.functions(outline, call.func) if depth < _STEPS else ():
            parameters = [*function.args.posonlyargs, *function.args.args]
            at = call.args.index(node)
            if at < len(parameters):
                yield from self._reads(where, function, parameters[at].arg, test, depth)

    def _named(
        self, outline: Outline, statement: ast.Assign | ast.AnnAssign | ast.NamedExpr, test: Test, depth: int
    ) -> Iterator[Test]:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets if depth < _STEPS else ():
            if isinstance(target, ast.Name):
                yield from self._reads(outline, outline.scope(statement), target.id, test, depth)

    def _reads(self, outline: Outline, scope: ast.AST, name: str, test: Test, depth: int) -> Iterator[Test]:
        for read in ast.walk(scope):
            if isinstance(read, ast.Name) and read.id == name and isinstance(read.ctx, ast.Load):
                yield from self._uses(outline, read, test, depth + 1)


def _at_module_level(outline: Outline, node: ast.AST) -> bool:
    return isinstance(outline.scope(node), ast.Module) and not any(
        isinstance(above, (*FUNCTIONS, ast.ClassDef)) for above in outline.ancestors(node)
    )


def _given_test(outline: Outline, node: ast.expr) -> Test:
    """That of `inspect.getmembers(module, inspect.isclass)`, whose elements are pairs."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "getmembers":
        return always("keys")
    pairs = always("items")
    return pairs.filtered(node.args[1], "values") if len(node.args) > 1 else pairs


def _of_view(method: str, test: Test) -> Test:
    return test.as_elements(method if method != "copy" else test.elements)
