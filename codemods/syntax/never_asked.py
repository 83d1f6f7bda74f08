"""Whether any call of a function runs the branch that a place in it stands in.

    class Rows(Dataset):
        def __init__(self, path, transform=None):
            self.transform = transform if transform else lambda row: row

    Rows("train", Compose([ToTensor()]))  # each call gives a transform: the lambda is never made

Only where every use of the function's name, or of that of the class that it initialises, is such a call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from ..project import Project
from ..questions import asked
from .binding_rules import FUNCTIONS
from .callees import Callees, Function, method
from .dead_branches import branches, literals_of
from .outline import Outline
from .repo import Repo
from .resolver import Class, Definition

_CHOICES = (ast.If, ast.IfExp, ast.BoolOp)
_SETTINGS = (".yaml", ".yml", ".toml", ".cfg", ".ini", ".gin")
_LOOKS = ("isinstance", "issubclass", "super", "type")
_DEPTH = 4

_Calls = list[tuple[Outline, ast.Call, int]]  # each with the number of parameters that are bound already


class NeverAsked:
    """Answers for one project. `counts`: the files whose calls count; not those of tests."""

    def __init__(self, repo: Repo, counts: Callable[[str], bool]) -> None:
        self.repo, self.counts = repo, counts
        self.callees = Callees(repo, repo.resolver.modules)
        self._known: dict[ast.AST, _Calls | None] = {}

    def never_runs(self, outline: Outline, node: ast.AST) -> bool:
        """Some branch of the function around `node` has to run for it, and no call of the function takes that."""
        function = self._around(outline, node)
        if function is None:
            return False
        if function not in self._known:
            self._known[function] = self._calls(outline, function)
        above = {node, *outline.ancestors(node)}
        calls = self._known[function]
        return bool(calls) and not any(
            above.isdisjoint(branches(outline, function, literals_of(outline, function, call, bound, where)).dead)
            for where, call, bound in calls or ()
        )

    def _around(self, outline: Outline, node: ast.AST) -> Function | None:
        """The function around, if what stands between is a choice."""
        chosen = False
        for above in outline.ancestors(node):
            if isinstance(above, FUNCTIONS):
                return above if chosen and above is not node else None
            if isinstance(above, (ast.Lambda, ast.ClassDef)):
                return None
            chosen = chosen or isinstance(above, _CHOICES)
        return None

    def _calls(self, outline: Outline, function: Function) -> _Calls | None:
        """All calls of a function; None where others may be hidden."""
        if function.decorator_list or not isinstance(outline.parents[function], (ast.Module, ast.ClassDef)):
            return None
        owner = outline.parents[function]
        if not isinstance(owner, ast.ClassDef):
            return self._of(Definition(outline, function), 0)
        return self._constructing(Class(outline, owner), 0) if function.name == "__init__" else None

    def _constructing(self, cls: Class, depth: int) -> _Calls | None:
        """The calls that run the `__init__` of a class, for its own objects and for those of classes below it."""
        if depth > _DEPTH or cls.node.decorator_list or cls.node.keywords:
            return None
        return self._of(Definition(cls.outline, cls.node), depth)

    def _of(self, definition: Definition, depth: int) -> _Calls | None:
        """What the uses of its name are: calls, or classes that derive from it; None where one is something else."""
        node, found = definition.node, list[tuple[Outline, ast.Call, int]]()
        if self._is_text(node.name):
            return None
        for outline in self.repo.mentioning(node.name):
            for use in [use for name in outline.names_of(node.name) for use in outline.named.get(name, ())]:
                if not isinstance(use.ctx, ast.Load):
                    continue
                meant = self.callees.resolver.definition(outline, use)
                if meant is None and isinstance(use, ast.Attribute) and not isinstance(use.value, ast.Name):
                    continue  # `self.model.name`
                if meant is not None and meant.node is not node:
                    continue
                calls = self._at(outline, use, node, depth) if meant is not None else None
                if calls is None:
                    return None
                found += [call for call in calls if self.counts(call[0].path)]
        return found

    def _at(self, outline: Outline, use: ast.expr, node: ast.AST, depth: int) -> _Calls | None:
        above = outline.parents[use]
        if isinstance(above, ast.Call) and above.func is use:
            return [(outline, above, int(isinstance(node, ast.ClassDef)))]
        if isinstance(above, ast.ClassDef) and use in above.bases:
            return self._below(Class(outline, above), depth)
        looked = isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id in _LOOKS
        around = [above, *outline.ancestors(above)]
        notes = [part.annotation for part in around if isinstance(part, (ast.arg, ast.AnnAssign))]
        notes += [part.returns for part in around if isinstance(part, FUNCTIONS)]
        return [] if looked or any(note in (use, *around) for note in notes if note is not None) else None

    def _below(self, cls: Class, depth: int) -> _Calls | None:
        """The calls of a class that derives from another, as they run the other's `__init__`."""
        own = method(cls.node, "__init__")
        if own is None:
            return self._constructing(cls, depth + 1)
        found: _Calls = []
        for call in cls.outline.calls_of("__init__"):
            if cls.outline.method(call) is own:
                called = self.callees.called(cls.outline, call)
                if called is None:
                    return None
                found.append((cls.outline, call, called[2]))
        return found

    def _is_text(self, name: str) -> bool:
        """The name stands in quotes, or in a text of settings: somebody may find it there."""
        quoted = re.compile(rf"['\"](?:[\w.]+\.)?{re.escape(name)}['\"]")
        project = self.repo.project
        return any(True for _ in project.matching(quoted, word=name)) or _stands_in_settings(project, name)


@asked
def _stands_in_settings(project: Project, name: str) -> bool:
    """A file of settings has the word, or there is a notebook, which may use anything."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    texts = (project.source(path) for path in project.paths if path.endswith(_SETTINGS))
    notebook = any(path.endswith(".ipynb") for path in project.paths)
    return notebook or any(source is not None and word.search(source.text) is not None for source in texts)
