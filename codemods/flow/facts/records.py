"""What one file contributes to the value-flow graph: ints and strings, small, picklable, cacheable.

Nodes are numbered from 0 within a file; `solve/program.py` lays the files of a repo side by side. Every other number
here is a node unless said otherwise, and -1 stands for "nothing that could matter" (a constant, a sum).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ...hazard_kind import HazardKind
from ..kinds import NAMELESS, FunctionKind, MethodBinding, ParameterKind
from .rows import Numbers, Rows

if TYPE_CHECKING:
    from ...project import Project

FACTS_VERSION = 67  # part of the cache key: raise it when the meaning of a field changes

_COMPARED = {"Gt": gt, "GtE": ge, "Lt": lt, "LtE": le, "NotEq": ne}  # by the name of the operator in `ast`
WHOLE_BODY = 2**31 - 1  # as the last line of a block: all that comes below in the function
_NO_ROWS: Rows[Any] = Rows.of(())
NO_LITERALS: Mapping[str | int, object] = {}  # of all calls without one; never filled

LINE, POSITION = "line", "position"
# Each place in the facts says that it is one: a comment above moves it, see `moved.py`.
Line = Annotated[int, LINE]
Position = Annotated[tuple[int, int, int, int], POSITION]  # as in `ast`: line, UTF-8 column, end line, end column


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A dotted name that is put together: what it begins and ends with, `f"configs.{name}"`. A literal of `Call`."""

    start: str
    end: str


class TakenFrom(NamedTuple):
    """A dict of classes that a call takes one of."""

    node: int  # holds the dict
    name: str
    line: Line  # where it is made


@dataclass(frozen=True, slots=True)
class PassedOn:
    """What a parameter of the function around a call gets, as it is. A literal of `Call`.

    With an `attribute` it is a parameter of the constructor, which keeps it as `self.attribute`.
    """

    parameter: str
    absent: bool  # a call that leaves it out means 0 or None
    starred: bool = False  # an item of the `**` parameter
    only_none: bool = False  # it is asked for by `is not None`: 0 is a value
    attribute: str = ""
    among: tuple[str, ...] = ()  # it is asked for by `== text`, or `in` several: another text leaves it off
    table: TakenFrom | None = None  # it is the key, and the texts are those of one class
    negated: bool = False  # it is asked for by `not`: what leaves it off asks
    than: tuple[str, int] | None = None  # it is asked for by `> 1`, as `("Gt", 1)`: another number leaves it off

    def is_off(self, value: object) -> bool:
        """A call that gives this literal leaves it off."""
        if self.than is None:
            return value is None or (value == 0 and not self.only_none)
        how, number = self.than
        return not _COMPARED[how](value, number) if isinstance(value, int) else value is None and how != "NotEq"


class Condition(NamedTuple):
    """What a test says of a parameter or, as `self.name`, of an attribute: that it is one of some constants, or not."""

    name: str
    how: str  # "true", "in", "is", or the name of an operator in `ast`
    values: tuple[object, ...]
    truth: bool

    def holds(self, value: object) -> bool | None:
        """Whether it is so where the name is this constant; None where that can't be compared."""
        if self.how == "true":
            return bool(value) is self.truth
        if self.how == "in":
            return (value in self.values) is self.truth
        if self.how == "is":
            return (value is self.values[0]) is self.truth if type(self.values[0]) in (bool, type(None)) else None
        number = self.values[0]
        if not (isinstance(value, int) and isinstance(number, int)):
            return None
        return _COMPARED[self.how](value, number) is self.truth


class Branch(NamedTuple):
    """Lines of a function that run only where a condition holds."""

    function: int  # index into `functions`
    first: Line
    last: Line
    condition: Condition


class TypeBranch(NamedTuple):
    """Lines that run only where a variable is, or is not, of one of some types."""

    node: int  # of the variable
    first: Line
    last: Line
    types: tuple[tuple[str, int], ...]  # the name of one that is built in, or the node of another
    truth: bool


@dataclass(slots=True)
class Parameter:
    """A parameter of a function."""

    name: str
    node: int
    kind: ParameterKind
    module: bool = False  # annotated as `nn.Module`, so that no plain dict or list is meant
    default: tuple[object, ...] = ()  # the constant that it is by default
    again: bool = False  # the function binds it anew


@dataclass(slots=True)
class Function:
    """A `def` or lambda."""

    kind: FunctionKind
    name: str
    qualname: str
    position: Position
    parameters: tuple[Parameter, ...]
    returns: int
    owner: int = -1  # index into `classes` for a method
    binding: MethodBinding = MethodBinding.INSTANCE
    generator: bool = False
    wraps: bool = False  # decorated with functools.wraps: pickled under the name of what it wraps
    decorators: tuple[int, ...] = ()
    gives_property: bool = False  # it returns a property, or a function that does: a decorator
    captures: tuple[int, ...] = ()  # nodes of variables of enclosing functions that it reads
    raises: bool = False  # it does nothing but raise: as an initialiser, there are no instances
    worker_side: bool = (
        False  # a method that runs in the worker: __getitem__, run of a Process, and what only these call
    )
    under: tuple[int, PassedOn] | None = None  # the function around it, with a parameter under which it is defined
    processes_if: PassedOn | None = None  # the parameter that is asked for processes where threads may take their place


@dataclass(slots=True)
class Class:
    """A class statement. `members` maps a name bound in the body to its node."""

    name: str
    qualname: str
    position: Position
    bases: tuple[int, ...]
    base_names: tuple[str, ...]  # as written, for classes whose bases can't be resolved
    nested: bool  # defined inside a function
    members: dict[str, int] = field(default_factory=dict)
    sets: set[str] = field(default_factory=set)  # attributes that its methods set on `self`, whatever they set them to
    sets_again: set[str] = field(default_factory=set)  # those of them that more than one statement sets
    fields: tuple[str, ...] = ()  # annotated names in order: parameters of a dataclass or NamedTuple
    record: bool = False  # one of these: an instance keeps the defaults that its class names
    dropped: frozenset[str] | None = (
        frozenset()
    )  # attributes that __getstate__ leaves out; None: can't tell, or __reduce__
    sent: frozenset[str] = frozenset()  # where `dropped` is None: what is surely pickled all the same
    kept: frozenset[str] | None = None  # all that its __getstate__ looks at; None: without one, or it can't be told
    reduced: bool = False  # nested, and by its __reduce__ pickle does without the class
    decorators: tuple[int, ...] = ()
    metaclass: bool = False  # of its own, so that a call of the class need not make an object
    made_by: int = -1  # node of the metaclass that it names


@dataclass(slots=True)
class Call:
    """A call: `function` is a node; a starred argument is in `stars`, a `**` one in `double_stars`."""

    function: int
    arguments: tuple[int, ...]
    keywords: tuple[tuple[str, int], ...]
    stars: tuple[int, ...]
    double_stars: tuple[int, ...]
    result: int
    position: Position
    text: str  # the callee as written, shortened
    # constant arguments by name or index
    literals: Mapping[str | int, object] = field(default_factory=lambda: NO_LITERALS)
    scope: int = -1  # index into `functions`
    conditional: bool = False  # it stands under an `if` or `while`, other than the main guard

    @property
    def looks_up(self) -> bool:
        """As a call of `getattr`, it asks for a name that is not known, or not all of it."""
        return not isinstance(self.literals.get(1), str)


class Late(NamedTuple):
    """An attribute that a method sets on its object below the start of processes that get the object."""

    function: int  # index into `functions`
    attribute: str
    line: Line
    sent: Line  # the line of the `Process(...)`, or of its `start()`


class Python2Lines(NamedTuple):
    """Lines of which only Python 2 comes to an end, as `name` at `line` is a name, module or method of Python 2."""

    first: Line
    last: Line
    line: Line
    name: str
    whole: bool = False  # the file can't even be imported


@dataclass(slots=True)
class TopLevel:
    """A statement of the module itself with all that is in it: names alone, for a look at what it may lead to."""

    binds: tuple[str, ...]  # names of the module, also those in whose values it stores
    reads: tuple[str, ...]  # names of the module, or of nothing in the file
    others: tuple[str, ...]  # what it imports, modules with a dot at the end, and attributes of what the file imports
    acts: bool  # it is neither a definition nor an import


@dataclass(slots=True)
class FileFacts:
    """Everything that the solver needs to know of one file."""

    path: str
    lines: Annotated[Numbers, LINE] = field(default_factory=Numbers)  # per node: the line it stands on
    labels: list[str] = field(
        default_factory=list
    )  # per node: what happens to a value that gets here, "" if not worth telling
    edges: Rows[tuple[int, int, Line]] = _NO_ROWS  # (from, to, line)
    loads: Rows[tuple[int, str, int]] = _NO_ROWS  # (base, attribute, result)
    always_read: Numbers = field(default_factory=Numbers)  # results of loads of `self.x.y` under no condition
    stores: Rows[tuple[int, str, int, Line, int]] = _NO_ROWS  # (base, attribute, value, line, function)
    hooked: Rows[tuple[int, str, int, Line, int]] = _NO_ROWS  # the same of hooks that another file may remove again
    removes: bool = False  # it calls some `x.remove()`, as a hook is removed
    # (base, attribute, line, last line of the block or `WHOLE_BODY`, function) of `x.a = None`, `x.a = sorted(...)`,
    # `del x.a`
    cleared: Rows[tuple[int, str, Line, Line, int]] = _NO_ROWS
    late: list[Late] = field(default_factory=list)
    # (function, first and last line), of initialisers
    loops: list[tuple[int, Line, Line]] = field(default_factory=list)
    # (base, first and last line of the block) of `x.start = ...`, where a process is started by `x.start()`
    not_started: list[tuple[int, Line, Line]] = field(default_factory=list)
    elements: Rows[tuple[int, int, str]] = _NO_ROWS  # (container, result, key): iteration, subscript
    puts: Rows[tuple[int, int, Line, str]] = _NO_ROWS  # (container, value, line, key)
    # (container, result or value, parameter) of elements and puts whose key is a parameter that nothing binds anew
    by_parameter: Rows[tuple[int, int, int]] = _NO_ROWS
    # (x, result, what it is unless x is a container) of `{key: value for key, value in x.items()}`
    copies: list[tuple[int, int, int]] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)  # (result of a copy, key that it does not have)
    containers: list[tuple[int, int, tuple[tuple[str, int], ...]]] = field(default_factory=list)  # see below
    # (node, node of the contents, ((key, node), ...) for the values under a literal key). A key that isn't a literal
    # string is "".
    empty: list[int] = field(
        default_factory=list
    )  # nodes of containers that start empty: something may be put in later
    kept_empty: Rows[tuple[int, str]] = _NO_ROWS  # (node, `name`, `.attribute` or `[key]` that it is kept as)
    put_by_name: Rows[tuple[str, int]] = _NO_ROWS  # (`name`, `.attribute` or `[key]` that it is put into, node)
    calls: list[Call] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    function_nodes: list[int] = field(default_factory=list)  # node that holds functions[i]
    classes: list[Class] = field(default_factory=list)
    class_nodes: list[int] = field(default_factory=list)
    imports: list[tuple[int, str, int, str]] = field(default_factory=list)  # (node, module, level, name or "")
    star_imports: list[tuple[str, int, bool]] = field(
        default_factory=list
    )  # (module, level, it is one of several ways: under an `if`, a `try`)
    hazards: list[tuple[int, HazardKind, Position]] = field(default_factory=list)  # (node, kind, position)
    module_names: dict[str, int] = field(default_factory=dict)
    unbound: list[tuple[str, int]] = field(default_factory=list)  # names bound nowhere in the file
    distinguished: list[tuple[int, str, Line]] = field(
        default_factory=list
    )  # (node, what, line): compared, a key of a dict, in a set, or an attribute is set on it
    type_tests: list[tuple[int, int, Line]] = field(
        default_factory=list
    )  # (node of `type(x)`, node of a type that is named, or -1 where all are built in, line)
    # lines of blocks that don't run, or end in a NameError
    stops: list[tuple[Line, Line]] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    typed: list[TypeBranch] = field(default_factory=list)
    python2: list[Python2Lines] = field(default_factory=list)
    statements: list[TopLevel] = field(default_factory=list)
    used: tuple[str, ...] = ()  # names of the module, or imported, that are read for more than a call or a base
    runs: bool = False  # it does something by itself, beside definitions and assignments


def self_nodes(facts: FileFacts) -> dict[int, int]:
    """The node of `self` (the first parameter) of each method, and the index of its class."""
    return {f.parameters[0].node: f.owner for f in facts.functions if f.kind is FunctionKind.METHOD and f.parameters}


def hazardous(facts: FileFacts) -> set[int]:
    """Classes of the file whose code stores on `self` what is, or seems to hold, a hazard made in the same file."""
    todo = [node for node, kind, _ in facts.hazards if kind is HazardKind.DICT_VIEW]
    made = zip(facts.function_nodes, facts.functions, strict=True)
    todo += [node for node, function in made if function.kind in NAMELESS]
    if not todo or not facts.stores:
        return set()
    leads: dict[int, list[int]] = {}
    for source, target, _ in facts.edges:
        leads.setdefault(source, []).append(target)
    for whole, contents, fields in facts.containers:
        for part in (contents, *(node for _, node in fields)):
            leads.setdefault(part, []).append(whole)
    for call in facts.calls:
        for given in (*call.arguments, *(value for _, value in call.keywords)):
            leads.setdefault(given, []).append(call.result)
    seen = set(todo)
    while todo:
        for target in leads.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    owners = self_nodes(facts)
    return {owners[base] for base, _, value, *_ in facts.stores if value in seen and base in owners}


def project_facts(project: Project) -> Mapping[str, FileFacts]:
    """Facts of every Python file of `project` that parses, by path; collected once.

    Not noted as read: who asks notes what it makes of them.
    """
    with project.noting(None):
        return project.derive(collect)


def facts_lookup(project: Project) -> Callable[[str], FileFacts | None]:
    """Gives the facts of one file; the first question costs those of all, but for a file that has just changed."""
    changed = project.by_text(FileFacts)

    def lookup(path: str) -> FileFacts | None:
        project.note_tree(path)
        if path in changed:
            return changed[path]
        with project.noting(None):
            return project_facts(project).get(path)

    return lookup


def collect(project: Project) -> Mapping[str, FileFacts]:
    """Facts of every Python file of `project` that parses, by path; from the cache where the settings allow it."""
    from ...project import MAX_NODES
    from . import cache
    from .collector import facts_of

    facts = project.by_text(FileFacts)
    missing = [path for path in project.python_paths if path not in facts]
    blobs: dict[str, str] = {}
    if project.settings.cache:
        for path in missing:
            source = project.source(path)
            if source is not None:
                blobs[path] = cache.blob_id(source.encode(source.text))
        known = cache.load(set(blobs.values()))
        for path, blob in blobs.items():
            if blob in known:
                facts[path] = replace(known[blob], path=path)
    made: dict[str, FileFacts] = {}
    contents: dict[str, bytes] = {}
    room = MAX_NODES
    for path in project.python_paths:
        if path not in facts and room >= 0:
            tree = project.module(path)
            if tree is not None:
                facts[path] = facts_of(path, tree)
                del tree
                source = project.source(path) if path in blobs else None
                if source is not None:
                    made[blobs[path]], contents[blobs[path]] = facts[path], source.encode(source.text)
                project.release()
        elif room < 0 and project.source(path) is not None:
            facts.pop(path, None)
            project.leave_out(path, "left out: more Python than one run can follow; `exclude` in the settings helps")
        room -= len(facts[path].lines) if path in facts else 0
    if made:
        cache.store(made, contents)
    return {path: facts[path] for path in project.python_paths if path in facts}
