"""What the constructors of the repository's classes are called with: `Solver(loader, config)` for `self.loader`."""

from __future__ import annotations

import ast

from ....nodes import walk
from ....syntax.binding_rules import parameters, positional
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo

_MAX_CALLS = 12
_Given = list[tuple[Outline, ast.expr]]  # `ast.Starred` stands for what `**options` may say


class GivenToClasses:
    """Answers for one project."""

    def __init__(self, repo: Repo, callees: Callees) -> None:
        self.repo, self.callees = repo, callees
        self._known: dict[tuple[ast.AST, str], _Given] = {}

    def passed(self, outline: Outline, value: ast.expr) -> _Given:
        """What `value`, a parameter of an `__init__`, is in the calls of its class; nothing for all else."""
        return [each for each in self.kept(outline, value) if not isinstance(each[1], ast.Starred)]

    def kept(self, outline: Outline, value: ast.expr) -> _Given:
        """The same, and an `ast.Starred` for each call that unpacks a dict, which may say what it is."""
        function = outline.scope(value)
        if not isinstance(value, ast.Name) or not isinstance(function, FUNCTIONS) or function.name != "__init__":
            return []
        return self._of(outline, function, value.id)

    def saved(self, outline: Outline, owner: ast.ClassDef, name: str) -> _Given:
        """The same of `self.hparams.name`: `self.save_hyperparameters()` keeps all parameters."""
        initialiser = method(owner, "__init__")
        saves = initialiser is not None and any(
            isinstance(node, ast.Call) and last_name(node.func) == "save_hyperparameters" for node in walk(initialiser)
        )
        return self._of(outline, initialiser, name) if initialiser is not None and saves else []

    def _of(self, outline: Outline, function: Function, name: str) -> _Given:
        """The same of a parameter of an `__init__`, by its name."""
        owner = outline.parents[function]
        key = (function, name)
        if key not in self._known and isinstance(owner, ast.ClassDef):
            names = positional(function)[1:]
            mine = name in parameters(function)[1:] and len(outline.bindings(function, name)) == 1
            self._known[key] = self._calls(owner, names, name) if mine else []
        return self._known.get(key, [])

    def _calls(self, owner: ast.ClassDef, names: list[str], name: str) -> _Given:
        found: _Given = []
        for caller in self.repo.mentioning(owner.name):
            for call in caller.calls_of(owner.name):
                made = self.callees.made_class(caller, call)
                if made is None or made[1] is not owner or len(found) >= _MAX_CALLS:
                    continue
                given = dict(zip(names, call.args, strict=False))
                given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                if name in given and not isinstance(given[name], ast.Starred):
                    found.append((caller, given[name]))
                elif name not in given and any(keyword.arg is None for keyword in call.keywords):
                    found.append((caller, ast.Starred(call)))
        return found
