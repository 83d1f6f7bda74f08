"""Callables that call their arguments: `Process(target=f, args=(x,))` and `partial(f, x)()` call `f(x)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..facts.records import Call
from .containers import DEFAULT_DICT, Containers
from .heap import CONTAINER, Heap, Value
from .program import Program

ELSEWHERE = "<elsewhere>"  # the text of such a call, which stands nowhere: another process makes it
IN_THREAD = "<thread>"  # as `ELSEWHERE`, in the same process
STANDS_NOWHERE = frozenset({ELSEWHERE, IN_THREAD})
_OF_THREADS = ("threading.", "multiprocessing.dummy.", "concurrent.futures.ThreadPool")


_FIELDS = frozenset({"dataclasses.field", "attr.ib", "attr.field", "attrs.field", "pydantic.Field"})


@dataclass(frozen=True, slots=True)
class Run:
    """Which arguments make the call; names are those of parameters, "" for none."""

    parameters: tuple[str, ...]  # in order, for positional use
    function: str
    stars: str = ""  # a tuple of arguments
    double_stars: str = ""  # a dict of arguments
    per_element: str = ""  # an iterable: one call for each element
    unpacked: bool = False  # each element is a tuple of arguments
    rest: bool = False  # all that stands behind the function
    first: int = 0  # arguments of its own that come before these


_TARGET = Run(("group", "target", "name", "args", "kwargs"), "target", "args", "kwargs")
_APPLY = Run(("func", "args", "kwds"), "func", "args", "kwds")
_MAP = Run(("func", "iterable"), "func", per_element="iterable")
_STARMAP = Run(("func", "iterable"), "func", per_element="iterable", unpacked=True)
_POOLS = ("multiprocessing.Pool", "multiprocessing.dummy.Pool")
_EXECUTORS = ("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.ThreadPoolExecutor")
_OF_POOLS = {
    **dict.fromkeys(("map", "imap", "imap_unordered", "map_async"), _MAP),
    **dict.fromkeys(("starmap", "starmap_async"), _STARMAP),
    **dict.fromkeys(("apply", "apply_async"), _APPLY),
}
RUNS = {
    "multiprocessing.Process": _TARGET,
    "multiprocessing.fork_context().Process": _TARGET,
    "threading.Thread": _TARGET,
    "multiprocessing.spawn": Run(("fn", "args"), "fn", "args", first=1),
    "multiprocessing.Pool": Run(("processes", "initializer", "initargs"), "initializer", "initargs"),
    _EXECUTORS[0]: Run(("max_workers", "mp_context", "initializer", "initargs"), "initializer", "initargs"),
    **{f"{pool}().{name}": run for pool in _POOLS for name, run in _OF_POOLS.items()},
    **{f"{executor}().submit": Run(("fn",), "fn", rest=True) for executor in _EXECUTORS},
    **{f"{executor}().map": Run(("fn", "iterable"), "fn", per_element="iterable") for executor in _EXECUTORS},
}  # by canonical name


class DeferredCalls:
    """Finds these calls: pairs of a node and a `Call` of whatever gets to that node, in the file of the outer call."""

    def __init__(self, program: Program, heap: Heap, containers: Containers) -> None:
        self.program, self.heap, self.containers = program, heap, containers
        self._runs: set[tuple[str, int]] = set()  # calls that start something elsewhere: name, result
        self._by_default: dict[int, int] = {}  # result of `defaultdict(f)` -> what `f()` gives
        self._from_outside: dict[int, set[int]] = {}  # file -> its nodes that have what its functions get

    def started(self, name: str, offset: int, call: Call) -> tuple[int, Call] | None:
        """What runs in another process or thread by a call of `name` (canonical)."""
        run, key = RUNS.get(name), (name, call.result + offset)
        if run is None or key in self._runs:
            return None
        self._runs.add(key)
        given = {**({} if run.rest else dict(call.keywords)), **dict(zip(run.parameters, call.arguments, strict=False))}
        function, file, line = given.get(run.function, -1), self.heap.file_of[key[1]], call.position[0]
        if function < 0 or function in self._given_to_functions(file):
            return None  # `def in_thread(target, args)`: which function goes with which arguments is not known here
        text = IN_THREAD if name.startswith(_OF_THREADS) else ELSEWHERE
        made = Call(function, (), (), (), (), self.heap.node("", file, line) - offset, call.position, text)
        if run.rest:
            made = replace(
                call, function=function, arguments=call.arguments[1:], result=made.result, text=text, literals={}
            )
        elif run.per_element:
            element = self.heap.node("", file, line)
            if given.get(run.per_element, -1) >= 0:
                self.containers.pass_elements(given[run.per_element] + offset, element)
            inside = (element - offset,)
            made = replace(made, stars=inside) if run.unpacked else replace(made, arguments=inside)
        else:
            stars, double_stars = ((given[name],) if name in given else () for name in (run.stars, run.double_stars))
            made = replace(made, arguments=(-1,) * run.first, stars=stars, double_stars=double_stars)
        return function + offset, made

    def _given_to_functions(self, file: int) -> set[int]:
        """The file's nodes that have what functions get, as far as variables say."""
        known = self._from_outside.get(file)
        if known is None:
            facts, leads = self.program.facts[file], dict[int, list[int]]()
            for source, target, _ in facts.edges:
                leads.setdefault(source, []).append(target)
            todo = [parameter.node for function in facts.functions for parameter in function.parameters]
            known = self._from_outside[file] = set(todo)
            while todo:
                new = set(leads.get(todo.pop(), ())) - known
                known |= new
                todo += new
        return known

    def made_by(self, name: str, offset: int, call: Call) -> list[tuple[int, Call]] | None:
        """What Python's own function `name` calls at once, in this process; None where it is none of these."""
        first = call.arguments[0] if call.arguments and call.arguments[0] >= 0 else -1
        if name in _FIELDS:
            return list(self._defaults(offset, call))
        if name == DEFAULT_DICT:
            return self._values_by_default(first, offset, call)
        if name == "functools.reduce" and first >= 0 and len(call.arguments) > 1:
            return [(first + offset, self._reduce(first, offset, call))]
        if name == "map" and first >= 0 and len(call.arguments) > 1:
            contents = self.containers.contents_of(call.result + offset, call.position[0])
            elements = tuple(self._element(argument, offset, call) for argument in call.arguments[1:])
            return [(first + offset, Call(first, elements, (), (), (), contents - offset, call.position, "map"))]
        return None

    def _values_by_default(self, function: int, offset: int, call: Call) -> list[tuple[int, Call]]:
        """`defaultdict(f)` is a dict that gets what `f()` gives, under the keys that somebody asks for."""
        result, heap = call.result + offset, self.heap
        made = self._by_default.get(result, -1)
        if made < 0:
            file, line = heap.file_of[result], call.position[0]
            contents, made = heap.node("", file, line), heap.node("", file, line)
            self._by_default[result] = self.containers.by_default[contents] = made
            heap.add(result, heap.number(Value(CONTAINER, contents)))
        inner = Call(function, (), (), (), (), made - offset, call.position, call.text)
        return [(function + offset, inner)] if function >= 0 else []

    def _element(self, argument: int, offset: int, call: Call) -> int:
        """A node for the elements of what the argument holds."""
        element = self.heap.node("", self.heap.file_of[call.result + offset], call.position[0])
        if argument >= 0:
            self.containers.pass_elements(argument + offset, element)
        return element - offset

    def _defaults(self, offset: int, call: Call) -> Iterator[tuple[int, Call]]:
        """`field(default_factory=f)` is what `f()` gives."""
        for key, argument in call.keywords:
            if argument >= 0 and key == "default":
                self.heap.edge(argument + offset, call.result + offset, call.position[0])
            elif argument >= 0 and key in ("default_factory", "factory"):
                yield argument + offset, Call(argument, (), (), (), (), call.result, call.position, call.text)

    def _reduce(self, function: int, offset: int, call: Call) -> Call:
        """`reduce(f, xs, x)` calls `f` with its own results and elements of `xs`."""
        result, line = call.result + offset, call.position[0]
        element = self.heap.node("", self.heap.file_of[result], line)
        if call.arguments[1] >= 0:
            self.containers.pass_elements(call.arguments[1] + offset, element)
        if len(call.arguments) > 2 and call.arguments[2] >= 0:
            self.heap.edge(call.arguments[2] + offset, result, line)
        self.heap.edge(element, result, line)
        both = (call.result, element - offset)
        return Call(function, both, (), (), (), call.result, call.position, "functools.reduce")
