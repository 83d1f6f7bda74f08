"""Whether a script may run what starts workers: a function of a module that it imports need not be called by it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ....finding import Hop
from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....nodes import end_line
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.main_guard import is_main_guard
from ....syntax.names import last_name, root_of_chain
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ..importers import Importers
from .calls_of_functions import calls_of_any

_MAX_DEPTH = 5


class CallsOfScripts:
    """Answers for one project."""

    def __init__(self, repo: Repo, importers: Importers) -> None:
        self.repo, self.importers = repo, importers
        self._known: dict[tuple[str, str, int], bool] = {}
        self._by_name: dict[str, list[_Naming]] = {}
        self._in_texts: dict[str, bool] = {}
        self._facts = facts_lookup(repo.project)

    def imports(self, script: str, path: str) -> bool:
        """The script imports the file, directly or not, or may find it by its name where nothing else is seen to."""
        importing = self.importers.reaching(path)
        if script in importing:
            return True
        if is_test(path, self._facts) and not is_test(script, self._facts):
            return False  # which nothing looks for by its name
        known = (self.repo.outline(other) for other in importing)
        return self.importers.by_name(script) and not any(map(has_guard, filter(None, known)))

    def may_run(self, script: str, start: Hop) -> bool:
        """No where the start stands in a function, and nothing that the script imports names that where it runs."""
        key = script, start.path, start.line
        if key not in self._known:
            self._known[key] = self._may_run(*key, 0)
        return self._known[key]

    def _may_run(self, script: str, path: str, line: int, depth: int) -> bool:
        """What a decorator may register, and methods of a class that nothing names, may be run by anybody."""
        outline = self.repo.outline(path)
        around = [] if outline is None else [each for each in outline.module.body if _spans(each, line)]
        if outline is None or not around or depth > _MAX_DEPTH:
            return True
        top = around[0]
        if not isinstance(top, (*FUNCTIONS, ast.ClassDef)):
            return path == script or not is_main_guard(top)
        named = [(other, at) for other in self._naming(top.name) for at in _named(other, top, outline)]
        named += [(_naming(outline, top.name), call.lineno) for call in calls_of_any(outline)]
        if isinstance(top, ast.ClassDef) and (top.decorator_list or not named or self._is_in_texts(top.name)):
            return True  # a registry may have it
        if top.decorator_list and not named:
            return True  # who keeps it calls it
        return any(
            self.imports(script, other.outline.path) and self._may_run(script, other.outline.path, at, depth + 1)
            for other, at in named
        )

    def _is_in_texts(self, name: str) -> bool:
        """The name, or a dotted one that ends with it, is the value of a string somewhere, not in `__all__`."""
        if name not in self._in_texts:
            nodes = ((each, node) for each in self.repo.using(name) for node in each.of_kind(ast.Constant))
            self._in_texts[name] = any(
                isinstance(node.value, str) and node.value.rpartition(".")[2] == name and not _is_exported(each, node)
                for each, node in nodes
            )
        return self._in_texts[name]

    def _naming(self, name: str) -> list[_Naming]:
        """What the files have that hold the name; collected once: of a hundred scripts each has a `main`."""
        if name not in self._by_name:
            self._by_name[name] = [_naming(other, name) for other in self.repo.using(name)]
        return self._by_name[name]


def has_guard(outline: Outline) -> bool:
    return outline.has_guard


class _Naming(NamedTuple):
    """The lines of a file where a name stands that may be a function's: alone, and as part of something else."""

    outline: Outline
    modules: frozenset[str]  # last names of those that it imports `*` from, where the name stands alone
    alone: list[int]
    others: list[int]


def _naming(outline: Outline, name: str) -> _Naming:
    alone = [node.lineno for node in outline.named.get(name, ()) if isinstance(node, ast.Name)]
    stars = outline.star_imports if alone else ()
    attributes = outline.attributes.get(name, ())
    of_modules = [node for node in attributes if (root := root_of_chain(node)) and root.id in outline.imported]
    texts = (node for node in outline.of_kind(ast.Constant) if node.value == name)
    others = [node.lineno for node in (*of_modules, *(text for text in texts if _is_looked_up(outline, text)))]
    return _Naming(outline, frozenset((node.module or "").rpartition(".")[2] for node in stars), alone, others)


def _named(other: _Naming, function: Function | ast.ClassDef, home: Outline) -> list[int]:
    """The lines where a function or class of the file `home` is named in a file, but for its own."""
    if other.outline is home:
        return [line for line in (*other.alone, *other.others) if not _spans(function, line)]
    if not other.alone:
        return other.others
    module = home.path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    known = function.name in other.outline.imported or module in other.modules
    return [*other.alone, *other.others] if known else other.others


def _is_exported(outline: Outline, text: ast.Constant) -> bool:
    """An item of `__all__`: that makes no object and calls nothing."""
    statement = outline.statement(text)
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _is_looked_up(outline: Outline, text: ast.Constant) -> bool:
    """`getattr(module, "name")`, `globals()["name"]`."""
    above = outline.parents[text]
    return isinstance(above, ast.Subscript) or (isinstance(above, ast.Call) and last_name(above.func) == "getattr")


def _spans(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= end_line(statement)
