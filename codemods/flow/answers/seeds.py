"""What starts to cross, by how sure that is: what boundaries get, what is meant to cross, what may."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Hop
from ...hazard_kind import HazardKind
from ..facts.syntax import IN_A_DICT, IN_A_TUPLE, KEYS
from ..facts.test_code import is_test
from ..solve.heap import BOUND, CLASS, CONTAINER, FOREIGN, FUNCTION, HAZARD, INSTANCE, MAX_HAZARDS, OBJECT, Value
from ..solve.sinks import STARRED, Sink
from ..solve.solution import Solution
from .at_home import AtHome
from .programs import Programs
from .reached import Reached
from .surroundings import stem
from .trace import Reason
from .without_workers import WithoutWorkers

_FORK_CONTEXT = "multiprocessing.fork_context"  # what `get_context("fork")` gives, see [[variant]] of boundaries.toml
_OF_FORK_CONTEXT = f"{_FORK_CONTEXT}()."
_PARTIAL = "functools.partial"
DATASET = "dataset"  # what a loader calls the argument that it takes samples from
_OF_DATASETS = tuple(map(frozenset, (("__getitem__",), ("__getitems__",), ("__getattr__",))))
_NUMBERED = frozenset(("__getitem__", "__len__"))
_ITERATES = frozenset(("__iter__",))
_OF_LOADERS = ("Iterator", "DataLoader")  # the classes of libraries that give batches
_LOADED = "datasets.load_dataset"  # of Hugging Face
_THREAD = "threading.Thread"
_PLAIN = frozenset(  # bases by which objects give no samples
    ["object", "abc.ABC", "torch.nn.Module", "torch.utils.data.Sampler", "torch.utils.data.sampler.Sampler",
     "torch.utils.data.BatchSampler", "torch.utils.data.DistributedSampler",
     "torch.utils.data.distributed.DistributedSampler"]
)  # fmt: skip
EVERY: frozenset[HazardKind] = frozenset()  # as `only`: no kind is left out


def proven_seeds(
    solution: Solution, reached: Reached, only: frozenset[HazardKind] = EVERY, files: bool | None = None
) -> Iterator[tuple[int, Reason]]:
    """What the boundaries get that can't take values of the kinds `only` (none named: what pickle can't).

    `files`: only those that pickle for something else than another process (True), or none of these (False).
    """
    programs = Programs(solution)
    for sink in solution.sinks:
        if not reached.boundary(sink) or not sink.crosses or sink.only != only or files not in (None, bool(sink.says)):
            continue
        if not may_be_threads(solution, sink, reached.without_workers) and not _forks(solution, programs, sink):
            name = sink.boundary.replace("()", "")
            argument = "the object" if sink.argument == "self" else f"its `{sink.argument}`"
            what = f"`{name}` pickles {argument} for another process, {start_words(programs, sink)}"
            if sink.says:
                what = f"`{name}` {sink.says}"
            hop = Hop(sink.path, sink.line, what)
            reason = Reason(sink.node, -1, hop, sink.boundary, "" if sink.says else sink.argument)
            stays = reached.without_workers.stays(sink)
            for number in solution.heap.holds[sink.node]:
                if number not in stays and _may_be_sent(solution, sink, number):
                    yield number, reason


def _may_be_sent(solution: Solution, sink: Sink, number: int) -> bool:
    """Of `pool.map(*arguments)` the function is sent as it is, and of the rest what it gives.

    Of the classes that a registry or a computed name may mean for a loader, those that give samples, where some do. A
    tuple, or a dict with names, comes from another call of the same function, where anything else does.
    """
    value = solution.heap.values[number]
    if sink.argument == DATASET and _is_record(solution, value):
        others = (solution.heap.values[each] for each in solution.heap.holds[sink.node])
        return all(_is_record(solution, each) for each in others)
    if sink.argument == DATASET and value.kind == INSTANCE and not _is_dataset(solution, int(value.a)):
        others = (solution.heap.values[each] for each in solution.heap.holds[sink.node])
        return not any(each.kind == INSTANCE and _is_dataset(solution, int(each.a)) for each in others)
    if sink.argument != STARRED or not solution.program.table.boundaries[sink.boundary].by_items:
        return True
    return value.kind in (FUNCTION, BOUND, CLASS, INSTANCE) or value.a == _PARTIAL


def _is_record(solution: Solution, value: Value) -> bool:
    """`train, valid, test` or `{"train": train, "test": test}`, in brackets: no samples, which go by numbers."""
    heap = solution.heap
    if value.kind != CONTAINER:
        return False
    label, keys = heap.labels[int(value.a)], heap.fields.get(int(value.a), {}).keys() - {KEYS}
    named = bool(keys) and not any(key.startswith("#") for key in keys)
    return label == IN_A_TUPLE or (label == IN_A_DICT and named)


def gives_samples(solution: Solution, index: int) -> bool:
    """Objects of the class may be what a loader asks for samples."""
    hierarchy = solution.hierarchy
    bases = set(hierarchy.all_foreign_bases(index)) - _PLAIN
    return _THREAD not in bases and (
        bool(bases) or any(hierarchy.defines(index, names) for names in (*_OF_DATASETS, _ITERATES))
    )


def _is_dataset(solution: Solution, index: int) -> bool:
    """The same, and they do not only give batches in a loop: `class Batches(data.BucketIterator)`, with `__iter__`."""
    hierarchy = solution.hierarchy
    bases = set(hierarchy.all_foreign_bases(index)) - _PLAIN
    samples = any(hierarchy.defines(index, names) for names in _OF_DATASETS)
    return gives_samples(solution, index) and (samples or any(not base.endswith(_OF_LOADERS) for base in bases))


def _forks(solution: Solution, programs: Programs, sink: Sink) -> str:
    """Where fork is chosen for the programs that call the boundary, which then pickles nothing; "" where it does."""
    if _asks_for_fork(solution, sink):
        return f"{sink.path}:{sink.line}"
    called = solution.heap.holds[sink.callee] if sink.callee >= 0 and not sink.always else ()
    if called and all(str(solution.heap.values[number].a).startswith(_OF_FORK_CONTEXT) for number in called):
        return f"{sink.path}:{sink.line}"
    if sink.always or sink.says or sink.only or sink.method not in ("", "fork"):
        return ""
    return programs.forks(sink.path)


def _asks_for_fork(solution: Solution, sink: Sink) -> bool:
    """The call says so itself: `multiprocessing_context=get_context("fork")`, or "fork"."""
    contexts = solution.heap.holds[sink.context] if sink.context >= 0 else ()
    in_objects = bool(contexts) and all(solution.heap.values[number].a == _FORK_CONTEXT for number in contexts)
    return not sink.always and (sink.method == "fork" or in_objects)


def _all_loaders_fork(solution: Solution) -> bool:
    """There are loaders, tests aside, and each asks for fork: one that is not seen to get a dataset does as well."""
    program = solution.program
    loaders = [sink for sink in solution.sinks if DATASET in program.table.boundaries[sink.boundary].pickles]
    loaders = [sink for sink in loaders if not is_test(sink.path, program.facts_of)]
    return bool(loaders) and all(_asks_for_fork(solution, sink) for sink in loaders)


def start_words(programs: Programs, sink: Sink) -> str:
    """Under which start methods, and so where, the arguments of a boundary call are pickled."""
    if sink.always:
        return "under every start method"
    if sink.method:
        return f"as {sink.method} is asked for here"
    start = programs.start_method(sink.path)
    if start is not None:
        return f"as {start[0]} is set at {start[1]}"
    return "under spawn and forkserver: on Windows and macOS today, on Linux from Python 3.14"


def likely_seeds(solution: Solution, reached: Reached, home: AtHome) -> Iterator[tuple[int, Reason]]:
    """Objects of classes that nearly every program sends: datasets and data pipes, but for those that only stay."""
    at_home, sent = set[int](), set[int]()
    programs, all_fork = Programs(solution), _all_loaders_fork(solution)
    for sink in solution.sinks:
        if not sink.says:
            sends = sink.crosses and not _forks(solution, programs, sink)
            held = frozenset(solution.heap.holds[sink.node])
            kept = reached.without_workers.stays(sink) if sends else held
            sent.update(held - kept)
            at_home.update(kept)
    for index, (file, made) in enumerate(solution.program.classes):
        for base in solution.hierarchy.all_foreign_bases(index):
            what = solution.program.table.carried(base)
            if what is not None and not solution.program.table.needs_boundary(base):
                hop = Hop(
                    solution.program.files[file],
                    made.position[0],
                    f"`{made.name}` is a `{base.rpartition('.')[2]}`: {what}",
                )
                number = solution.number_of_instance(index)
                stays = number not in sent and (number in at_home or home.whole_class(index))
                forks = number not in sent and (all_fork or programs.forks(solution.program.files[file]))
                if number >= 0 and not stays and not forks and reached.made_itself(index):
                    yield number, Reason(-1, -1, hop, "")
                break


def evaluated_seeds(solution: Solution, reached: Reached) -> Iterator[tuple[int, Reason]]:
    """Objects that `eval` may make of a text that a loader gets: of classes of its file that give samples by number."""
    program, heap, programs = solution.program, solution.heap, Programs(solution)
    for sink in solution.sinks:
        if sink.argument != DATASET or not sink.crosses or sink.says or _forks(solution, programs, sink):
            continue
        found = (heap.values[number] for number in heap.holds[sink.node])
        texts = [program.hazards[int(value.a)] for value in found if value.kind == HAZARD]
        for text in [text for text in texts if text.kind is HazardKind.EVALUATED]:
            file = program.file_index[text.path]
            made: dict[str, int] = {}
            for name, node in program.facts[file].module_names.items():
                held = (heap.values[number] for number in heap.holds[node + program.offsets[file]])
                for index in [int(value.a) for value in held if value.kind == CLASS]:
                    if solution.hierarchy.defines(index, _NUMBERED) and reached.made_itself(index):
                        made[name] = index
            named = {name: index for name, index in made.items() if solution.hierarchy.all_foreign_bases(index)}
            for name, index in (named or made).items():  # a class of torch's, where some are
                if (number := solution.number_of_instance(index)) >= 0:
                    what = f"`eval` may make a `{name}` here, which a DataLoader gets in {sink.path}:{sink.line}"
                    yield number, Reason(-1, -1, Hop(text.path, text.position[0], what), "")


def named_seeds(solution: Solution, reached: Reached) -> Iterator[tuple[int, Reason]]:
    """Datasets of libraries that functions give which a text names (`target: data.rows.load`), where there are loaders.

    Those of the repository's own classes are among `likely_seeds`.
    """
    program, heap, named = solution.program, solution.heap, reached.surroundings.named
    functions = [
        (file, function)
        for file, function in (program.functions if named else ())
        if (stem(program.files[file]), function.name) in named and function.qualname == function.name
    ]
    loader = next((sink for sink in solution.sinks if _takes_samples(solution, reached, sink)), None)
    if loader is None:
        return
    for file, function in functions:
        for number in heap.holds[function.returns + program.offsets[file]]:
            value = heap.values[number]
            if value.kind == OBJECT and (heap.most[number] == MAX_HAZARDS or str(value.a).startswith(_LOADED)):
                what = f"a text names `{function.name}`: a dataset for loaders, as in {loader.path}:{loader.line}"
                yield number, Reason(-1, -1, Hop(program.files[file], function.position[0], what), "")


def _takes_samples(solution: Solution, reached: Reached, sink: Sink) -> bool:
    """The sink is what a loader with workers gets, in no test."""
    if sink.argument != DATASET or not sink.crosses or sink.says or is_test(sink.path, solution.program.facts_of):
        return False
    return reached.boundary(sink) and not _forks(solution, Programs(solution), sink)


def possible_seeds(solution: Solution, reached: Reached) -> Iterator[tuple[int, Reason]]:
    programs = Programs(solution)
    for sink in solution.sinks:
        why = _doubt(solution, reached, programs, sink)
        stays = reached.without_workers.stays(sink) if not why else solution.heap.holds[sink.node]
        if stays and not sink.only:
            why = why or "but the calls that bring it there ask for no workers"
            hop = Hop(sink.path, sink.line, f"`{sink.boundary}` would pickle its `{sink.argument}`, {why}")
            for number in stays:
                yield number, Reason(sink.node, -1, hop, sink.boundary)
    for owner, attributes in list(solution.attributes.items()):
        file, made = solution.program.classes[owner]
        carried = (solution.program.table.carried(base) for base in solution.hierarchy.all_foreign_bases(owner))
        why = next((f": {what}" for what in carried if what is not None), "")
        text = f"`{made.name}` objects were not seen to cross a process boundary{why}"
        hop = Hop(solution.program.files[file], made.position[0], text)
        for node in attributes.values():
            for number in solution.heap.holds[node]:
                yield number, Reason(node, -1, hop, "")


def _doubt(solution: Solution, reached: Reached, programs: Programs, sink: Sink) -> str:
    """Why the boundary call may pickle nothing; "" when there is no doubt."""
    if may_be_threads(solution, sink, reached.without_workers):
        return "but threads may take its place here"
    if not sink.crosses:
        return "but not as called here"
    if place := _forks(solution, programs, sink):
        return f"but not as fork is set at {place}"
    return "" if reached.boundary(sink) else "but nothing in the repository runs that"


def may_be_threads(solution: Solution, sink: Sink, without_workers: WithoutWorkers) -> bool:
    """What is called may also be a method of a pool of threads: `Pool(4) if flag else ThreadPool(4)`.

    Not where a call sets the flag, a parameter, or its default does.
    """
    table, heap = solution.program.table, solution.heap
    held = (heap.values[number] for number in heap.holds[sink.callee])
    names = (table.canonical(str(value.a)) for value in held if value.kind == FOREIGN)
    if not any(table.why_harmless(name) is not None and table.boundary(name) is None for name in names):
        return False
    flag = solution.program.functions[sink.function][1].processes_if if sink.function >= 0 else None
    return flag is None or not without_workers.is_asked(sink.function, flag)
