"""Functions of which each call of the repository is seen, so that nothing else gives their parameters values.

That is so of a function of a module, and of the `__init__` of a class, whose name has three uses only: it is defined,
imported, and called; a class may be derived from too. Each call of that name must be understood, and no library may get
the function, or find it by its name. Methods are never meant: any object may be asked for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ..facts.records import Call, Class, self_nodes
from ..facts.test_code import is_test
from ..kinds import FunctionKind
from ..solve.heap import BOUND, CLASS, FOREIGN, FUNCTION, INSTANCE, MAX_VALUES, MODULE, Value
from ..solve.program import Program
from .callers import Callers
from .programs import Programs
from .surroundings import Surroundings

FINDS_NAMES = frozenset(  # they find functions and classes by their names
    [
        "eval", "exec", "globals", "locals", "pydoc.locate", "pkgutil.resolve_name", "runpy.run_path",
        "inspect.getmembers", "fire.Fire", "hydra.utils.instantiate", "hydra.utils.call", "hydra.utils.get_class",
        "hydra.utils.get_method", "hydra.utils.get_object", "importlib.metadata.entry_points",
        "pkg_resources.iter_entry_points",
    ]
)  # fmt: skip
_IMPORTS = frozenset({"importlib.import_module", "import_module", "__import__"})
_TAKES_NOTHING = ("super", "isinstance", "issubclass", "torch.no_grad", "torch.inference_mode", "torch.enable_grad")
_SETS_NOTHING = frozenset(  # bases that make no objects of the class, and set no attributes of them
    ["object", "abc.ABC", "typing.Generic", "typing.Protocol", "torch.utils.data.Dataset",
     "torch.utils.data.IterableDataset"]
)  # fmt: skip
_MAKES_NOTHING = _SETS_NOTHING | {"torch.nn.Module"}  # it sets `training`
_NAMED = re.compile(r"(?:[\w.]*[.:])?(\w+)|.*?\b(\w+)\(.*", re.DOTALL)  # `load`, `jobs:load`, `load('test')`


class KnownCalls:
    """Answers for the functions of one solution."""

    def __init__(self, callers: Callers, surroundings: Surroundings) -> None:
        self.solution, self.callers, self.surroundings = callers.solution, callers, surroundings
        self.program: Program = callers.solution.program
        self._all: dict[int, bool] = {}

    def all_of(self, function: int) -> bool:
        """True where `Callers.of` has every call of the function."""
        if function not in self._all:
            self._all[function] = self._has_all(function)
        return self._all[function]

    def only_sets(self, method: int, attribute: str, by_name: list[tuple[int, str]]) -> bool:
        """No base of the object of a method sets its attributes, nor code that has the object from elsewhere.

        `by_name`: objects whose attributes code sets by their names, see `WithoutWorkers`.
        """
        holds, hierarchy = self.solution.heap.holds, self.solution.hierarchy
        family = self._family(self.program.class_offset[self.program.functions[method][0]], method)
        if any(name == attribute or (not name and not holds[node]) for node, name in by_name):
            return False
        return all(_SETS_NOTHING.issuperset(hierarchy.all_foreign_bases(each)) for each in family)

    def may_set_global(self, name: str, by_name: list[tuple[int, str]]) -> bool:
        """Code may set the name of a module by text; `by_name` as above."""
        nodes = (node for node, set_name in by_name if set_name in ("", name))
        return any(not (held := self._held(node)) or any(value.kind == MODULE for value in held) for node in nodes)

    def _family(self, offset: int, method: int) -> list[int]:
        """The class of a method, and those that derive from it."""
        owner = offset + self.program.functions[method][1].owner
        return [owner, *self.solution.hierarchy.below.get(owner, ())]

    def _has_all(self, function: int) -> bool:
        file, made = self.program.functions[function]
        path = self.program.files[file]
        if made.decorators or self.surroundings.is_installed(path) or is_test(path, self.program.facts_of):
            return False  # others call it too, as a test runner does
        if not self._is_closed or file in self._looked_into:
            return False
        if made.kind is FunctionKind.TOP:
            return self._is_only_called(path, made.name, Value(FUNCTION, function))
        if made.kind is not FunctionKind.METHOD or made.name != "__init__":
            return False
        family = self._family(self.program.class_offset[file], function)
        return all(map(self._is_only_derived, family)) and self._names_no_other(set(family))

    @cached_property
    def _is_closed(self) -> bool:
        """All code of the repository is followed, and none finds functions by a name that can't be seen."""
        if self.surroundings.notebooks or self.surroundings.python_files > len(self.program.files):
            return False
        if not self.solution.complete or "sys.modules" in self._foreign or any(map(self._is_asked, FINDS_NAMES)):
            return False
        for node, loads in self.solution.constraints.loads.items():
            if any(name == "__subclasses__" or (name == "__dict__" and self._is_namespace(node)) for name, _ in loads):
                return False
        for offset, call in self._by_name.get("vars", ()):
            if call.arguments and (call.arguments[0] < 0 or self._is_namespace(call.arguments[0] + offset)):
                return False
        return not any(self._is_called(node) for node, kinds in self._looked_up if not kinds)

    def _is_asked(self, name: str) -> bool:
        """Code has the function of a library, or calls it; one that is built in has no value."""
        calls = self._by_name.get(name, ()) if "." not in name else ()
        return name in self._foreign or any(
            call.text == name and not self._held(call.function + offset) for offset, call in calls
        )

    @cached_property
    def _foreign(self) -> set[str]:
        return {str(value.a) for value in self.solution.heap.values if value.kind == FOREIGN}

    def _is_namespace(self, node: int) -> bool:
        """A module or a class, or what may be a module that is imported by a name."""
        held = self._held(node)
        return any(value.kind in (MODULE, CLASS) for value in held) or (not held and self._imports_by_name)

    @cached_property
    def _imports_by_name(self) -> bool:
        return any(map(self._is_asked, _IMPORTS))

    @cached_property
    def _looked_up(self) -> list[tuple[int, set[int]]]:
        """The results of `getattr(x, name)` with a name that can't be seen, each with the kinds of what `x` is."""
        found: list[tuple[int, set[int]]] = []
        for offset, call in self._by_name.get("getattr", ()):
            if call.looks_up and call.arguments and call.arguments[0] >= 0:
                kinds = {value.kind for value in self._held(call.arguments[0] + offset)}
                found.append((call.result + offset, kinds))
        return found

    def _is_called(self, node: int) -> bool:
        return not self.solution.heap.led_to([node]).isdisjoint(self.solution.constraints.calls)

    @cached_property
    def _looked_into(self) -> set[int]:
        """The modules of which some code takes a function by a name that can't be seen."""
        programs, found = Programs(self.solution), set[int]()
        for offset, call in self._by_name.get("getattr", ()):
            if call.looks_up and call.arguments and call.arguments[0] >= 0:
                found |= programs.modules_at(call.arguments[0] + offset)
        return found

    # what is done with a name

    def _is_only_called(self, path: str, name: str, meant: Value) -> bool:
        """The name of a function or class is nowhere used but in calls, and what these call is known."""
        if name in self._used or self.surroundings.is_named(path, (name,)):
            return False
        stem, number = path.rpartition("/")[2], self.solution.heap.numbers.get(meant, -1)
        if [each.rpartition("/")[2] for each in self._defining.get(name, ())].count(stem) > 1:
            return False  # either may be imported
        nodes = [(call.function + offset, call.text != name) for offset, call in self._by_name.get(name, ())]
        return all(self._is_clear(node, number, attribute) for node, attribute in nodes)

    def _is_clear(self, node: int, number: int, attribute: bool) -> bool:
        """What has the name here is the function, or surely another."""
        numbers = self.solution.heap.holds[node]
        if number in numbers:
            return True
        if not 0 < len(numbers) < MAX_VALUES or (attribute and self._imports_by_name):
            return False
        foreign = (str(value.a) for value in self._held(node) if value.kind == FOREIGN)
        return not any(name.partition(".")[0] in self._parts for name in foreign)

    def _held(self, node: int) -> list[Value]:
        heap = self.solution.heap
        return [heap.values[number] for number in heap.holds[node]]

    @cached_property
    def _parts(self) -> set[str]:
        """Names by which files of the repository may be imported; "" for those that are imported from beside."""
        return {part for path in self.program.files for part in path.removesuffix(".py").split("/")} | {""}

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[int, Call]]]:
        """All calls by the name of what is called, each with the offset of its file."""
        found: dict[str, list[tuple[int, Call]]] = {}
        for facts, offset in zip(self.program.facts, self.program.offsets, strict=True):
            for call in facts.calls:
                found.setdefault(call.text.rpartition(".")[2], []).append((offset, call))
        return found

    @cached_property
    def _defining(self) -> dict[str, list[str]]:
        """The files that define a function or class of a name for all to import, by that name."""
        found: dict[str, list[str]] = {}
        for facts in self.program.facts:
            names = {made.name for made in facts.functions if made.kind is FunctionKind.TOP}
            for name in names | {made.name for made in facts.classes if not made.nested}:
                found.setdefault(name, []).append(facts.path)
        return found

    @cached_property
    def _used(self) -> set[str]:
        """Names that code reads for more than a call, also as an attribute, or gives to others as a text."""
        found = set[str]()
        for facts, offset in zip(self.program.facts, self.program.offsets, strict=True):
            found.update(facts.used)
            own = self_nodes(facts)
            plain = {call.function for call in facts.calls}.union(*(made.bases for made in facts.classes))
            found.update(name for base, name, result in facts.loads if result not in plain and base not in own)
            for call in facts.calls:
                texts = [value for value in call.literals.values() if isinstance(value, str)]
                if texts and not self._is_ours(call.function + offset):
                    named = filter(None, map(_NAMED.fullmatch, texts))
                    found.update(name for match in named for name in match.groups() if name)
        return found

    def _is_ours(self, node: int) -> bool:
        held = self._held(node)
        return bool(held) and all(value.kind in (FUNCTION, BOUND, CLASS) for value in held)

    # what makes objects of a class

    def _is_only_derived(self, index: int) -> bool:
        """The name of the class is used in calls only, and for classes that derive from it; and nothing keeps it."""
        file, made = self.program.classes[index]
        order = self.solution.hierarchy.order(index)
        if made.nested or not all(map(self._is_plain, order)):
            return False
        if not _MAKES_NOTHING.issuperset(self.solution.hierarchy.all_foreign_bases(index)):
            return False
        if any(index not in self.solution.hierarchy.order(other) for other in self._derived.get(made.name, ())):
            return False
        return self._is_only_called(self.program.files[file], made.name, Value(CLASS, index))

    @cached_property
    def _derived(self) -> dict[str, list[int]]:
        """The classes that derive from one of a name."""
        found: dict[str, list[int]] = {}
        for index, (_, made) in enumerate(self.program.classes):
            for name in made.base_names:
                found.setdefault(name.rpartition(".")[2], []).append(index)
        return found

    def _is_plain(self, index: int) -> bool:
        """All bases are known, of which one is of the repository at most, so that `super()` means that one."""
        file, made = self.program.classes[index]
        bases = [self._held(node + self.program.offsets[file]) if node >= 0 else [] for node in made.bases]
        ours = sum(any(value.kind != FOREIGN for value in held) for held in bases)
        return all(bases) and ours < 2 and not self._is_made_otherwise(made)

    def _is_made_otherwise(self, made: Class) -> bool:
        return bool(made.decorators) or made.metaclass or made.made_by >= 0 or "__init_subclass__" in made.members

    def _names_no_other(self, family: set[int]) -> bool:
        """No code makes an object of one of the classes in a way that is not seen: `x.__class__()`, `x.__init__()`."""
        if any(self.callers.initialiser(each) in self._given_away for each in family):
            return False
        if not self._initialising.isdisjoint(family | {-1}):
            return False
        return not any(self._may_make(node, result, family) for node, result in self._types)

    @cached_property
    def _initialising(self) -> set[int]:
        """The classes in whose methods `super().__init__()` means what is not known; -1: code has `x.__init__()`."""
        found = set[int]()
        for offset, call in self._by_name.get("__init__", ()):
            if not self._held(call.function + offset):
                around = self.callers.around(offset, call)
                file, method = self.program.functions[around] if around >= 0 else (0, None)
                own = method is not None and method.owner >= 0 and call.text == "__init__"
                found.add(self.program.class_offset[file] + method.owner if own and method is not None else -1)
        return found

    def _may_make(self, node: int, result: int, family: set[int]) -> bool:
        """The class of the object in `node`, which `result` is, may be called where that is not seen."""
        heap, held = self.solution.heap, self._held(node)
        if held and not any(value.kind == INSTANCE and int(value.a) in family for value in held):
            return False
        if not heap.holds[result] and self._is_called(result):
            return True
        taken = (call.text for _, _, call in self.callers.taking(result))
        return bool(held) and (heap.targets[result] is not None or any(text not in _TAKES_NOTHING for text in taken))

    @cached_property
    def _types(self) -> list[tuple[int, int]]:
        """The nodes of `x` and of `x.__class__`, or `type(x)`."""
        loads = self.solution.constraints.loads.items()
        found = [(node, result) for node, each in loads for name, result in each if name == "__class__"]
        for offset, call in self._by_name.get("type", ()):
            if len(call.arguments) == 1 and call.arguments[0] >= 0:
                found.append((call.arguments[0] + offset, call.result + offset))
        return found

    @cached_property
    def _given_away(self) -> set[int]:
        """The functions that something which is not of the repository gets, and may call."""
        found = set[int]()
        for callee, calls in self.solution.constraints.calls.items():
            held = self._held(callee)
            foreign = [str(value.a) for value in held if value.kind == FOREIGN]
            if (held and not foreign) or any(name.startswith(_TAKES_NOTHING) for name in foreign):
                continue
            for offset, call in calls:
                if held or call.text not in _TAKES_NOTHING:
                    found.update(self._functions_in(offset, call))
        return found

    def _functions_in(self, offset: int, call: Call) -> Iterator[int]:
        arguments = (*call.arguments, *(value for _, value in call.keywords), *call.stars, *call.double_stars)
        for node in arguments:
            for value in self._held(node + offset) if node >= 0 else ():
                if value.kind in (FUNCTION, BOUND):
                    yield int(value.a)
                elif value.kind == CLASS and (made := self.callers.initialiser(int(value.a))) >= 0:
                    yield made
