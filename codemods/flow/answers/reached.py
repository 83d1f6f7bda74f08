"""Whether any program of the repository runs a function, or makes objects of a class.

A loader class that is never instantiated shows no crossing. Only files are judged that some program of the repository
uses: not those of a package that is installed, whose users call what they find there, and not a lone file of
definitions. Nor are names judged that a program may look up while it runs.
"""

from __future__ import annotations

from functools import cached_property

from ..facts.records import Call, Function, NamePattern
from ..facts.test_code import is_test
from ..kinds import FunctionKind, MethodBinding
from ..solve.heap import CLASS, CONTAINER, FOREIGN, FUNCTION, MAX_VALUES, Value
from ..solve.paths import Paths
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .callers import Callers
from .dead_branches import DeadBranches
from .known_calls import FINDS_NAMES
from .never_imported import NeverImported
from .programs import Programs
from .surroundings import Surroundings
from .without_workers import WithoutWorkers

_IMPORTS = frozenset({"importlib.import_module", "import_module", "__import__"})
_BY_NAME = FINDS_NAMES | _IMPORTS | {"vars"}
_LOOKS_UP = _BY_NAME | {"getattr"}
_BY_PATH = frozenset(  # they run a file
    ["spec_from_file_location", "load_source", "SourceFileLoader", "run_module", "run_path", "fromfile", "import_file",
     "import_string", "load_object", "autodiscover_tasks"]
)  # fmt: skip
_LOOKS_AT_CLASS = frozenset({"super", "isinstance", "issubclass"})


class Reached:
    """Answers for the functions and classes of one solution."""

    def __init__(
        self, solution: Solution, callers: Callers, surroundings: Surroundings, no_names: bool = False
    ) -> None:
        """`no_names`: as if nothing were looked up by its name."""
        self.solution, self.without_workers = solution, WithoutWorkers(solution, callers)
        self.callers, self.surroundings, self.no_names = callers, surroundings, no_names
        self.dead_branches = DeadBranches(callers, surroundings)
        self._functions: dict[int, bool] = {}
        self._classes: dict[int, bool] = {}
        self._by_qualname: dict[int, dict[str, list[tuple[int, Function]]]] = {}

    def boundary(self, sink: Sink) -> bool:
        """True unless the call of the boundary stands in a function that nothing is seen to run, or in its branch."""
        if sink.function < 0:
            return not self._never_imported(self.solution.program.file_index[sink.path])
        return self.function(sink.function) and not self._is_off(sink)

    def _is_off(self, sink: Sink) -> bool:
        file, _ = self.solution.program.functions[sink.function]
        if file in self._by_name:
            return False
        return self.without_workers.is_off(sink) or self.dead_branches.at(sink.path, sink.line)

    def function(self, index: int) -> bool:
        """True unless nothing is seen to call the function, or to make an object that it is a method of."""
        if index not in self._functions:
            self._functions[index] = False  # a function that only calls itself is not run
            self._functions[index] = self._runs(index)
        return self._functions[index]

    def instantiated(self, index: int) -> bool:
        """True unless nothing is seen to make objects of the class, or of one that derives from it."""
        if index not in self._classes:
            self._classes[index] = False
            self._classes[index] = self._is_instantiated(index)
        return self._classes[index]

    def made_itself(self, index: int) -> bool:
        """As `instantiated`, but for objects of classes below it, where these are seen."""
        below = [each for each in self._derived.get(index, ()) if self.instantiated(each)]
        if any(self.solution.number_of_instance(each) >= 0 for each in below):
            return self._is_made_itself(index)
        return self.instantiated(index)

    def _runs(self, index: int) -> bool:
        program = self.solution.program
        file, function = program.functions[index]
        if self._never_imported(file):
            return False
        if self._is_open(file):
            return True
        outer = self._outer(file, function)
        if outer is not None and not self.function(program.function_offset[file] + outer):
            return False
        if function.kind is FunctionKind.METHOD:
            return self._has_objects(program.class_offset[file] + function.owner, file, function)
        if function.kind is not FunctionKind.TOP:
            return True
        return self._is_used(file, program.facts[file].function_nodes[index - program.function_offset[file]])

    def _is_instantiated(self, index: int) -> bool:
        below = self._derived.get(index, ())
        return self._is_made_itself(index) or any(self.instantiated(derived) for derived in below)

    def _is_made_itself(self, index: int) -> bool:
        program = self.solution.program
        file, _ = program.classes[index]
        if self._never_imported(file):
            return False
        if self._is_open(file) or self._notes_subclasses(index):
            return True
        return self._is_used(file, program.facts[file].class_nodes[index - program.class_offset[file]])

    def _notes_subclasses(self, index: int) -> bool:
        """A base class is told of the class when it is defined, and may keep it in a table."""
        return bool(self._told_of_subclasses) and not self._told_of_subclasses.isdisjoint(
            self.solution.hierarchy.order(index)[1:]
        )

    @cached_property
    def _told_of_subclasses(self) -> frozenset[int]:
        classes = enumerate(self.solution.program.classes)
        return frozenset(at for at, (_, made) in classes if "__init_subclass__" in made.members)

    def _has_objects(self, owner: int, file: int, method: Function) -> bool:
        """Objects are made that have the method: of its class, or of one below that doesn't replace it."""
        if not self.instantiated(owner):
            return False
        if self._is_made_itself(owner) or not method.parameters or method.binding is not MethodBinding.INSTANCE:
            return True
        held = self.solution.heap.holds[method.parameters[0].node + self.solution.program.offsets[file]]
        return len(held) >= MAX_VALUES or any(
            self.solution.number_of_instance(below) in held or not self._replaces(below, owner, method.name)
            for below in self._derived.get(owner, ())
            if self.instantiated(below)
        )

    def _replaces(self, below: int, owner: int, name: str) -> bool:
        """A class between the two has a method of the name."""
        order = self.solution.hierarchy.order(below)
        nearer = order[: order.index(owner)] if owner in order else order
        return any(name in self.solution.program.classes[at][1].members for at in nearer)

    def _outer(self, file: int, function: Function) -> int | None:
        """The function of the file that `function`, or its class, is defined in."""
        around = function.qualname.rpartition(".<locals>.")[0]
        inside = function.position
        found = [
            (other.position, number)
            for number, other in self._functions_by_qualname(file).get(around, ())
            if other.position[:2] <= inside[:2] and inside[2:] <= other.position[2:]
        ]
        return max(found)[1] if found else None

    def _functions_by_qualname(self, file: int) -> dict[str, list[tuple[int, Function]]]:
        """The functions of a file, with their numbers, by qualified name."""
        if file not in self._by_qualname:
            found = self._by_qualname[file] = {}
            for number, function in enumerate(self.solution.program.facts[file].functions):
                found.setdefault(function.qualname, []).append((number, function))
        return self._by_qualname[file]

    def _is_open(self, file: int) -> bool:
        """The file belongs to a package or to tests, no program uses it, or one looks names up while it runs."""
        program = self.solution.program
        path = program.files[file]
        folder = path.rpartition("/")[0]
        package = f"{folder}/__init__.py" if folder else "__init__.py"
        if is_test(path, program.facts_of) or self._finds_names(file):
            return True
        if package in program.file_index and (self.surroundings.is_installed(path) or self.surroundings.notebooks):
            return True
        return file not in self.in_use

    @cached_property
    def in_use(self) -> set[int]:
        """Files of which another file calls a function or class, or they themselves as they are run; tests aside."""
        program, heap = self.solution.program, self.solution.heap
        found: set[int] = set()
        for file, facts in enumerate(program.facts):
            if is_test(facts.path, program.facts_of):
                continue
            for call in facts.calls:
                for number in heap.holds[call.function + program.offsets[file]]:
                    home = self._home_of(heap.values[number])
                    if home >= 0 and (home != file or call.scope < 0):
                        found.add(home)
        return found

    def _home_of(self, value: Value) -> int:
        """The file of a function or class that a module has by its name; -1 for other values."""
        if value.kind == CLASS:
            file, owner = self.solution.program.classes[int(value.a)]
            return -1 if owner.nested else file
        if value.kind == FUNCTION:
            file, function = self.solution.program.functions[int(value.a)]
            return file if function.kind is FunctionKind.TOP else -1
        return -1

    def _is_used(self, file: int, node: int) -> bool:
        """The function or class that the node defines is called, passed, stored, or an attribute of it is read."""
        heap, constraints = self.solution.heap, self.solution.constraints
        if node < 0:
            return True
        origin = node + self.solution.program.offsets[file]
        for number in tuple(heap.holds[origin]):
            paths = Paths(heap, number, (origin,))
            if paths.meet(self._stored) or not paths.complete:
                return True
            for at in paths.found:
                if any(self._counts(offset, call) for offset, call in constraints.calls.get(at, ())):
                    return True
                passed_to = self.callers.taking(at)
                if any(
                    call.text not in _LOOKS_AT_CLASS and self._counts(offset, call) for _, offset, call in passed_to
                ):
                    return True
                if any(not attribute.startswith("__") for attribute, _ in constraints.loads.get(at, ())):
                    return True
        return False

    def _counts(self, offset: int, call: Call) -> bool:
        """A program runs the call: it stands at module level or in a function that is run, and not in a test."""
        file = self.solution.heap.file_of[call.result + offset]
        program = self.solution.program
        if is_test(program.files[file], program.facts_of):
            return False
        return call.scope < 0 or self.function(program.function_offset[file] + call.scope)

    @cached_property
    def _derived(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index in range(len(self.solution.program.classes)):
            for base in self.solution.hierarchy.order(index)[1:]:
                found.setdefault(base, []).append(index)
        return found

    @property
    def scripts(self) -> frozenset[int]:
        """The files that only start programs; none where that can't be told."""
        return self._never_imported.scripts

    @cached_property
    def _never_imported(self) -> NeverImported:
        return NeverImported(self.solution, self.surroundings, self._by_name | ({-1} if self._loads_files else set()))

    @cached_property
    def _loads_files(self) -> bool:
        values, holds = self.solution.heap.values, self.solution.heap.holds
        return any(
            values[number].kind == FOREIGN and str(values[number].a).rpartition(".")[2] in _BY_PATH
            for callee in self.solution.constraints.calls
            for number in holds[callee]
        )

    def _finds_names(self, file: int) -> bool:
        return bool(self._by_name) and (-1 in self._by_name or file in self._by_name)

    @cached_property
    def _by_name(self) -> set[int]:
        """Files whose names are looked up by `getattr(module, name)`; -1: any file's may be."""
        found: set[int] = set()
        if self.no_names:
            return found
        plainly = Reached(self.solution, self.callers, self.surroundings, no_names=True)
        values, holds, programs = self.solution.heap.values, self.solution.heap.holds, Programs(self.solution)
        for callee, calls in self.solution.constraints.calls.items():
            held = [values[number] for number in holds[callee]]
            meant = {str(value.a) for value in held if value.kind == FOREIGN}
            for offset, call in calls if not held or not meant.isdisjoint(_LOOKS_UP) else ():
                names = meant if held else {call.text}
                if not names.isdisjoint(_BY_NAME):
                    if -1 not in found and plainly._counts(offset, call):
                        found |= self._imported_by(call) if names <= _IMPORTS else {-1}
                elif call.looks_up and "getattr" in names and call.arguments and call.arguments[0] >= 0:
                    found |= programs.modules_at(call.arguments[0] + offset)
        for node, loads in self.solution.constraints.loads.items():
            for attribute, _ in loads:
                if attribute == "__dict__":
                    found |= programs.modules_at(node)
                elif attribute == "__subclasses__":
                    found.add(-1)
        return found

    def _imported_by(self, call: Call) -> set[int]:
        """The files that a call of `import_module` may import, as far as its text tells; -1: any."""
        name, program = call.literals.get(0, call.literals.get("name")), self.solution.program
        if isinstance(name, NamePattern) and not name.start.startswith("."):
            return {program.file_index[path] for path in program.modules.fitting(name.start, name.end)}
        if not isinstance(name, str):
            return {-1}
        found = program.modules.absolute("", name)
        return {program.file_index[found]} if found is not None else set()

    @cached_property
    def _stored(self) -> set[int]:
        """Nodes of attributes, of the items of containers, and of what functions return."""
        heap, program = self.solution.heap, self.solution.program
        found = {node for nodes in self.solution.attributes.values() for node in nodes.values()}
        found |= {int(value.a) for value in heap.values if value.kind == CONTAINER}
        found |= {function.returns + program.offsets[file] for file, function in program.functions}
        return found.union(*(fields.values() for fields in heap.fields.values()))
