"""What the constructors of the repository's classes are called with: `Solver(loader, config)` for `self.loader`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from ....nodes import walk
from ....syntax.binding_rules import given_to, parameters, positional
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ..statements import names_bound

_MAX_CALLS = 12
_Given = list[tuple[Outline, ast.expr]]  # `ast.Starred` stands for what is not seen, as in `**options`


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
            self._known[key] = []  # while it is looked for
            self._known[key] = self._calls(outline, owner, names, name) if mine else []
        return self._known.get(key, [])

    def to_function(self, outline: Outline, value: ast.expr) -> _Given:
        """As `kept`, of a parameter of another function than an `__init__`."""
        function = outline.scope(value)
        if not isinstance(value, ast.Name) or not isinstance(function, FUNCTIONS) or function.name == "__init__":
            return []
        key = (function, value.id)
        if key not in self._known:
            self._known[key] = []  # while it is looked for
            mine = value.id in parameters(function) and len(outline.bindings(function, value.id)) == 1
            self._known[key] = self._by_calls(outline, function, value.id) if mine else []
        return self._known[key]

    def _by_calls(self, outline: Outline, function: Function, name: str) -> _Given:
        names = positional(function)[int(isinstance(outline.parents[function], ast.ClassDef)) :]
        calls = (
            (caller, given_to(names, call).get(name))
            for caller in self.repo.calling(function.name)
            for call in self.callees.calls_in(caller, function)
        )
        found = [*islice(((caller, given) for caller, given in calls if given is not None), _MAX_CALLS + 1)]
        return found if len(found) <= _MAX_CALLS else [*found[:-1], (outline, ast.Starred(found[-1][1]))]

    def _calls(self, outline: Outline, owner: ast.ClassDef, names: list[str], name: str) -> _Given:
        found: _Given = []
        for caller, call in self._calls_of(outline, owner):
            if len(found) >= _MAX_CALLS:
                return [*found, (caller, ast.Starred(call))]
            given = given_to(names, call)
            if name in given and not isinstance(given[name], ast.Starred):
                found += self.kept(caller, given[name]) or [(caller, given[name])]
            elif any(keyword.arg is None for keyword in call.keywords):
                found += self._passed_on(caller, call, names, name) or [(caller, ast.Starred(call))]
        return found

    def _passed_on(self, outline: Outline, call: ast.Call, names: list[str], name: str) -> _Given:
        """What the calls of an heir say, whose `__init__(self, *args, **kwargs)` passes all of it on by `call`."""
        function = outline.scope(call)
        owner = outline.parents.get(function)
        if not isinstance(owner, ast.ClassDef) or not isinstance(function, FUNCTIONS) or function.name != "__init__":
            return []
        rest, more = function.args.kwarg, function.args.vararg
        unpacked = [last_name(keyword.value) for keyword in call.keywords if keyword.arg is None]
        if rest is None or unpacked != [rest.arg] or name in parameters(function):
            return []
        first = call.args[0] if call.args and not positional(function)[1:] else None
        in_order = isinstance(first, ast.Starred) and more is not None and last_name(first.value) == more.arg
        return self._calls(outline, owner, names if in_order else [], name)

    def _calls_of(self, outline: Outline, owner: ast.ClassDef) -> Iterator[tuple[Outline, ast.Call]]:
        """Those that make an object of the class, or of one that derives from it, and `super().__init__(config)`."""
        yield from self._made(owner)
        for heir in self.callees.heirs(Class(outline, owner)):
            initialiser = self.callees.initialiser(heir.outline, heir.node)
            if initialiser is None:
                continue
            if initialiser[1] is method(owner, "__init__"):
                yield from self._made(heir.node)
            for node in walk(initialiser[1]) if initialiser[1] in heir.node.body else ():
                if isinstance(node, ast.Call) and last_name(node.func) == "__init__":
                    called = self.callees.called(heir.outline, node)
                    if called is not None and called[1] is method(owner, "__init__") and called[2]:
                        yield heir.outline, node

    def _made(self, owner: ast.ClassDef) -> Iterator[tuple[Outline, ast.Call]]:
        """Those that make an object of this very class, also out of a dict of classes: `DATASETS[name](config)`."""
        tables: dict[str, None] = {}
        for caller in self.repo.calling(owner.name):
            for call in caller.calls_of(owner.name):
                made = self.callees.made_class(caller, call)
                if made is not None and made[1] is owner:
                    yield caller, call
        for caller in self.repo.using(owner.name):
            tables |= dict.fromkeys(_tables_with(caller, owner.name))
        for table in tables:
            for caller in self.repo.calling(table):
                for call in caller.calls_of(table):
                    made_here = self.callees.resolver.classes(caller, call.func)
                    if isinstance(call.func, ast.Subscript) and any(cls.node is owner for cls in made_here):
                        yield caller, call


def _tables_with(outline: Outline, name: str) -> Iterator[str]:
    """The dicts at the top of the file that have what is called `name` as a value."""
    for statement in outline.module.body:
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        for part in (*value.keys, *value.values) if isinstance(value, ast.Dict) else ():
            root = part.value if isinstance(part, ast.Attribute) else part
            if part is not None and isinstance(root, ast.Name) and last_name(part) == name:
                yield from names_bound(statement)
