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
from functools import cached_property

from .binding_rules import FUNCTIONS
from .callees import Callees, Function, method
from .dead_branches import branches, literals_of
from .names import last_name, whose_class
from .never_named import stands_in_text
from .outline import Outline
from .repo import Repo
from .resolver import Class, Definition

_MAY_BE_FALSE = ("__len__", "__bool__")
_CHOICES = (ast.If, ast.IfExp, ast.BoolOp)
_MAY_BE_EMPTY = frozenset(  # classes of libraries whose objects may be false
    {
        "ChainMap", "Counter", "Decimal", "Fraction", "Index", "ModuleDict", "ModuleList", "OrderedDict",
        "ParameterDict", "ParameterList", "Sequential", "Series", "Tensor", "UserDict", "UserList", "UserString",
    }
)  # fmt: skip
_PLAIN_BASES = frozenset(("object", "ABC", "Protocol", "Generic", "Module", "Dataset"))
# what may find a class by a name that is computed, or given on a command line
_FINDS = re.compile(r"\bsys\.modules\b|\bimport_module\(|\b__import__\(|\blocate\(|__subclasses__")
_FINDS_HERE = re.compile(r"\bglobals\(\)|\blocals\(\)|(?<![\w.])eval\(|__dict__|\bvars\(")
_LOOKS = ("isinstance", "issubclass", "super", "type")
_DEPTH = 4

_Calls = list[tuple[Outline, ast.Call, int]]  # each with the number of parameters that are bound already


class NeverAsked:
    """Answers for one project. `counts`: the files whose calls count; not those of tests."""

    def __init__(self, repo: Repo, counts: Callable[[str], bool]) -> None:
        self.repo, self.counts = repo, counts
        self.callees = Callees(repo, repo.resolver.modules)
        self._dead: dict[ast.AST, list[frozenset[ast.AST]]] = {}  # of a function, by its calls

    def never_runs(self, outline: Outline, node: ast.AST) -> bool:
        """Some branch of the function around `node` has to run for it, and no call of the function takes that."""
        function = self._around(outline, node)
        if function is None:
            return False
        if function not in self._dead:
            given = (
                literals_of(outline, function, call, bound, where, is_object=self._is_object)
                for where, call, bound in self._calls(outline, function) or ()
            )
            self._dead[function] = [branches(outline, function, each).dead for each in given]
        above, dead = {node, *outline.ancestors(node)}, self._dead[function]
        return bool(dead) and not any(map(above.isdisjoint, dead))

    def _is_object(self, outline: Outline, value: ast.expr, depth: int = 0) -> bool:
        """It is surely true and no constant: a lambda, or an object that is made there, `Compose(steps)`, also by name.

        Not where its class may say by `__len__` or `__bool__` that it is false.
        """
        resolver = self.callees.resolver
        if isinstance(value, ast.Lambda):
            return True
        if isinstance(value, ast.Name):
            bound = outline.lookup(value, value.id)[1]
            if len(bound) != 1 or bound[0].parameter:
                return False
            if isinstance(bound[0].statement, (*FUNCTIONS, ast.ClassDef)):
                return True
            kept = bound[0].value
            return kept is not None and depth == 0 and self._is_object(outline, kept, 1)
        if not isinstance(value, ast.Call):
            return False
        found = resolver.definition(outline, value.func)
        if found is None:
            name = last_name(value.func) or ""
            return name[:1].isupper() and name not in _MAY_BE_EMPTY and resolver.is_foreign(outline, value.func)
        if not isinstance(found.node, ast.ClassDef) or found.node.keywords:
            return False
        lineage = resolver.lineage(Class(found.outline, found.node))
        outside = resolver.base_names(lineage[0]) - {each.node.name for each in lineage}
        return outside <= _PLAIN_BASES and not any(
            method(each.node, name) for each in lineage for name in _MAY_BE_FALSE
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
        if any(_makes_another(part) for each in self.callees.resolver.lineage(cls) for part in ast.walk(each.node)):
            return None
        return self._of(Definition(cls.outline, cls.node), depth)

    def _of(self, definition: Definition, depth: int) -> _Calls | None:
        """What the uses of its name are: calls, or classes that derive from it; None where one is something else."""
        node, found = definition.node, list[tuple[Outline, ast.Call, int]]()
        if self._is_text(node.name) or self._may_be_looked_up(definition):
            return None
        if any(self.repo.outline(path) is None for path in self.repo.project.with_words((node.name,))):
            return None
        for outline in self.repo.mentioning(node.name):
            if any(other != node.name and self._is_known_as(outline, other) for other in outline.names_of(node.name)):
                return None
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

    def _is_known_as(self, outline: Outline, name: str) -> bool:
        """Other files may import what this one calls `name`."""
        return any(other is not outline for other in self.repo.mentioning(name))

    def _is_text(self, name: str) -> bool:
        """The name stands in quotes, or in a text of settings: somebody may find it there."""
        quoted = re.compile(rf"['\"](?:[\w.]+\.)?{re.escape(name)}['\"]")
        project = self.repo.project
        return any(True for _ in project.matching(quoted, word=name)) or stands_in_text(project, name)

    def _may_be_looked_up(self, definition: Definition) -> bool:
        """Some code finds functions or classes by a name that nobody can see, and may find this one."""
        name, modules = definition.node.name, self._looked_into
        if modules is None or any(module.star_imports or module.bindings(module.module, name) for module in modules):
            return True
        places = {definition.outline.path, *(each.path for each in self.repo.mentioning(name))}
        sources = (self.repo.project.source(path) for path in sorted(places))
        return any(source is not None and _FINDS_HERE.search(source.text) is not None for source in sources)

    @cached_property
    def _looked_into(self) -> list[Outline] | None:
        """The modules of which `getattr` takes a name that nobody can see; None where these may be any."""
        if any(True for _ in self.repo.project.matching(_FINDS)):
            return None
        found: list[Outline] = []
        for outline in self.repo.mentioning("getattr"):
            for call in outline.calls_of("getattr"):
                if len(call.args) < 2 or isinstance(call.args[1], ast.Constant):
                    continue
                module = self.callees.resolver.module(outline, call.args[0])
                if module is not None:
                    found.append(module)
                elif not outline.is_self(call.args[0]) and _is_called(outline, call):
                    return None
        return found


def _is_called(outline: Outline, node: ast.expr) -> bool:
    """`getattr(module, name)(...)`, or what it gives is kept, and may be called later."""
    above = outline.parents[node]
    return isinstance(above, (ast.Assign, ast.Return)) or (isinstance(above, ast.Call) and above.func is node)


def _makes_another(node: ast.AST) -> bool:
    """`cls(...)`, `type(self)(...)`, `self.__class__(...)`: an object of a class that is not named."""
    if not isinstance(node, ast.Call):
        return False
    return whose_class(node.func) is not None or (isinstance(node.func, ast.Name) and node.func.id == "cls")
