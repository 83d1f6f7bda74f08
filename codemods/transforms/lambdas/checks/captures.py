"""What speaks against handing over the value of a variable: it can't be pickled, or its changes are waited for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ....finding import Refused
from ....syntax.binding_rules import COMPREHENSIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.scope_data import Binding, Use, Variable, line_of
from ....syntax.scopes import Scopes
from ....syntax.unpicklable import Recogniser
from ....syntax.unpicklable_table import Remedy, starts_nothing
from ..candidate import Unit, is_after
from ..libraries import libraries

# they pickle when workers run already
_POOLS = re.compile(r"(?:Pool|Executor)\(\)|\.(?:i?map\w*|apply\w*|starmap\w*|submit)$")
_PICKLED_UNDER_FORK = re.compile(rf"{_POOLS.pattern}|pickle|save|dump|put|send|copy")
_FOR_THREADS = frozenset({"queue", "threading"})
_ALSO_FOR_PROCESSES = frozenset(
    {"Queue", "Event", "Condition", "Barrier", "Semaphore", "BoundedSemaphore", "Lock", "RLock"}
)
_PLAIN = frozenset({"list", "dict", "set", "defaultdict", "Counter", "OrderedDict", "deque", "bytearray"})
_SHARED = frozenset({"list", "dict", "set"})  # as attributes they are those of a manager, which workers share
_CHANGES = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "popleft", "remove", "discard",
     "clear", "sort", "reverse", "appendleft", "extendleft", "subtract"}
)  # fmt: skip
_CLASS_MAKERS = frozenset({"collections.namedtuple", "typing.NamedTuple", "dataclasses.make_dataclass"})
_OF_TYPE = 3  # arguments of `type` that make a class
_PROCESS = "a process, or holds some"
_SUPER = "what `super()` gives"
_PROCESSES = frozenset({"Process", "ForkProcess", "SpawnProcess", "ForkServerProcess"})


class _InFile(Recogniser):
    """Looks into functions of the same file only: for those of others all files would have to be read."""

    @cached_property
    def makers(self) -> frozenset[str]:
        return frozenset()


class Captured:
    """Questions about the variables of one file."""

    def __init__(self, repo: Repo, path: str, scopes: Scopes) -> None:
        self.scopes, self.repo = scopes, repo
        self.outline = repo.outline(path)
        self.recogniser = _InFile(repo, lambda outline, node: [])

    def check(self, variable: Variable, unit: Unit, group: Iterable[Unit], boundary: str) -> str | None:
        """Raises Refused where a worker may not get the value of `variable`, which `unit` reads.

        Returns what the fix should say of the changes that stay in the worker.
        """
        for binding in variable.bindings:
            for value in (_value(binding), *self._put_in(variable)):
                self._check_pickled(binding, value, boundary)
        return self._check_changes(variable, unit, group, boundary)

    def _put_in(self, variable: Variable) -> Iterator[ast.expr | None]:
        """What is appended to the list that the variable holds."""
        for use in variable.scope.uses.get(variable.name, ()):
            call = _changed_by(self.scopes, use.node)
            for argument in call.args if call is not None else ():
                yield argument
                if isinstance(argument, ast.Name) and argument.id in variable.scope.bindings:
                    yield from map(_value, variable.scope.bindings[argument.id])

    def _check_pickled(self, binding: Binding, value: ast.expr | None, boundary: str) -> None:
        if value is None or self.outline is None:
            return
        what, advice = _by_its_looks(value), "make it inside the function"
        if what is None and isinstance(value, ast.Call) and self._is_process(value):
            what = _PROCESS
        made = self._class_of(value) or value
        if what is None and self.makes_class(made):
            what = "a class that a call makes" if made is value else "an object of a class that a call makes"
            advice = "make the class at the top of the module, where pickle finds it by its name"
        if what == _PROCESS:
            advice = "a process that was started has no copy; hand over what the function needs of it"
        if what == _SUPER:
            advice = "make it a method of the class, which asks for it itself"
        for created in self.recogniser.made(self.outline, value) if what is None else ():
            kind = created.kind
            if kind.at_start and starts_nothing(boundary):
                continue
            if kind.before is None and not kind.later and (not kind.inherited or starts_nothing(boundary)):
                what = kind.what
                advice = _shared_instead(self.outline, value, boundary) or advice
                if kind.remedy is Remedy.REPORT and kind.advice and "__getstate__" not in kind.advice:
                    advice = kind.advice
                break
        if what is not None:
            raise Refused(f"`{binding.name}` is {what} (line {binding.line}), which can't be pickled either: {advice}")

    def makes_class(self, value: ast.expr) -> bool:
        """`namedtuple("Row", "a b")`, `type(name, bases, members)`: pickle looks for that name in the module."""
        assert self.outline is not None
        if not isinstance(value, ast.Call):
            return False
        name = self.outline.qualified(ast.unparse(value.func))
        return name in _CLASS_MAKERS or (name == "type" and len(value.args) == _OF_TYPE)

    def _class_of(self, value: ast.expr) -> ast.expr | None:
        """What made the local class that `value` calls."""
        if self.outline is None or not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return None
        scope, bindings = self.outline.lookup(value.func, value.func.id)
        return bindings[0].value if len(bindings) == 1 and not isinstance(scope, ast.Module) else None

    def _is_process(self, call: ast.Call) -> bool:
        """It makes an object of an own class that derives from `Process`."""
        assert self.outline is not None
        resolver = self.repo.resolver
        made = resolver.classes(self.outline, call.func)
        return any(not resolver.base_names(cls).isdisjoint(_PROCESSES) for cls in made)

    def _check_changes(self, variable: Variable, unit: Unit, group: Iterable[Unit], boundary: str) -> str | None:
        """What the function puts into a list or dict stays in the worker, under every start method.

        Refused where the function only fills it, so that the values are lost, and where it is pickled under fork as
        well, so that nobody has yet seen the list without the changes.
        """
        if not any(_is_plain(_value(binding)) for binding in variable.bindings):
            return None
        uses = unit.captures.get(variable, ())
        change = next((use for use in uses if self._is_change(use)), None)
        if change is None:
            return None
        is_lost = all(map(self._is_change, uses)) or not boundary or _PICKLED_UNDER_FORK.search(boundary)
        inside = {id(node) for member in group for node in ast.walk(member.node)}
        for use in variable.scope.uses[variable.name]:
            if id(use.node) not in inside and is_after(self.scopes, use, unit.node, variable.scope):
                what = f"it changes `{variable.name}` (line {line_of(change.node)}), which is read in line "
                if is_lost:
                    raise Refused(
                        f"{what}{line_of(use.node)}: a worker has a copy of its own, so return the values instead"
                    )
                return f"as under fork, `{variable.name}` is changed in the worker only"
        return None

    def _is_change(self, use: Use) -> bool:
        return is_change(self.scopes, use.node)


def is_change(scopes: Scopes, name: ast.AST) -> bool:
    """`rows[at] = x`, `rows.append(x)` of the list or dict `name`."""
    parent = scopes.parents[name]
    if isinstance(parent, ast.Subscript):
        return parent.value is name and not isinstance(parent.ctx, ast.Load)
    return _changed_by(scopes, name) is not None


def _changed_by(scopes: Scopes, name: ast.AST) -> ast.Call | None:
    """The call by which the list or dict is changed here: `rows.append(x)`."""
    parent = scopes.parents[name]
    if not isinstance(parent, ast.Attribute) or parent.attr not in _CHANGES:
        return None
    call = scopes.parents[parent]
    return call if isinstance(call, ast.Call) and call.func is parent else None


def _value(binding: Binding) -> ast.expr | None:
    """What the binding gives its variable, where the source says that in one expression."""
    statement = binding.statement
    if isinstance(statement, ast.withitem):
        return statement.context_expr if statement.optional_vars is binding.node else None
    if isinstance(statement, ast.Assign):
        return statement.value if binding.node in statement.targets else None
    if isinstance(statement, (ast.AnnAssign, ast.NamedExpr)):
        return statement.value
    return None


def _shared_instead(outline: Outline, value: ast.expr, boundary: str) -> str | None:
    """What processes share where threads share `value`: made in the worker, nobody else would see it."""
    called = outline.qualified(ast.unparse(value.func)) if isinstance(value, ast.Call) else ""
    module, _, name = called.rpartition(".")
    if module.partition(".")[0] not in _FOR_THREADS or name not in _ALSO_FOR_PROCESSES:
        return None
    maker = (
        "a `multiprocessing.Manager()`" if _POOLS.search(boundary) else "the `multiprocessing` context that starts it"
    )
    return f"`{module}.{name}` is for threads, so make it by `{name}` of {maker}, which processes share"


def _by_its_looks(value: ast.expr) -> str | None:
    """What the expression gives, in words, when that can't be pickled and the table of such things has it not."""
    if isinstance(value, (ast.ListComp, ast.SetComp)):
        return _by_its_looks(value.elt)
    if not isinstance(value, ast.Call):
        return None
    name = last_name(value.func)
    if name == "Process":
        return _PROCESS
    if name == "super" and isinstance(value.func, ast.Name):
        return _SUPER
    if name in ("keys", "values", "items") and isinstance(value.func, ast.Attribute) and not value.args:
        return f"a live view (`.{name}()`)"
    return libraries().handles.get(name or "")


def _is_plain(value: ast.expr | None) -> bool:
    if isinstance(value, (ast.List, ast.Dict, ast.Set, *COMPREHENSIONS)):
        return True
    if not isinstance(value, ast.Call) or isinstance(value.func, ast.Call):
        return False
    of_manager = isinstance(value.func, ast.Attribute) and value.func.attr in _SHARED  # `manager.list()`
    return last_name(value.func) in _PLAIN and not of_manager
