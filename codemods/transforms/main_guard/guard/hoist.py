"""Functions and classes defined under the main guard that workers need: out of it, above it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....finding import Confidence, Edit, Hop, Refused
from ....flow.answers.crossings import flow_of
from ....flow.boundaries import Boundary
from ....nodes import walk
from ....syntax.binding_rules import COMPREHENSIONS, given_to, parameters, positional
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.main_guard import is_main_guard
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from ....tree.source import Source
from ..own_nodes import own_nodes
from ..starts.process_starts import POOL, Starts
from ..statements import names_bound, reads_on_import
from .edits import blank_lines, moved_text
from .guarded_values import GuardedValues, Value

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__"}
_IMPORTS = (ast.Import, ast.ImportFrom)
_OF_POOLS = frozenset(
    {"map", "starmap", "imap", "imap_unordered", "apply", "apply_async", "map_async", "starmap_async", "submit"}
)
_PICKLES_ITSELF = frozenset({"__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__"})
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Guarded:
    """`node`, defined under `guard`, is sent to a process by what `hop` says."""

    guard: ast.If
    node: Definition
    confidence: Confidence
    hop: Hop


def guarded_definitions(starts: Starts, outline: Outline) -> Iterator[Guarded]:
    """Definitions under a main guard, in its branches and loops too, that a worker must find in the module."""
    for guard in outline.module.body:
        if not is_main_guard(guard):
            continue
        nodes = list(own_nodes(guard.body))
        inside: dict[str, list[Definition]] = {}
        for node in nodes:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and isinstance(outline.scope(node), ast.Module):
                inside.setdefault(node.name, []).append(node)
        outside = {
            name for statement in outline.module.body if statement is not guard for name in names_bound(statement)
        }
        inside = {
            name: [each for each in definitions if each in guard.body][-1:] or definitions
            for name, definitions in inside.items()
            if name not in outside
        }
        found: dict[Definition, Guarded] = {}
        for node in nodes if inside else ():
            given = sent(starts, outline, node) if isinstance(node, ast.Call) else None
            if given is None:
                continue
            sure, hop, arguments = given
            for name in _mentioned(outline, inside, arguments):
                for definition in inside.get(name, ()):
                    found.setdefault(definition, Guarded(guard, definition, sure, hop))
        used = {node.id for node in nodes if isinstance(node, ast.Name)} if inside else set()
        others = [each for name in inside if name in used for each in inside[name] if each not in found]
        sent_ones = flow_of(starts.project).sent() if others else ()
        flows = {line: hop for path, line, hop in sent_ones if path == outline.path}
        for definition in others:  # what only the flow sees: `(Pool if parallel else ThreadPool)(4).map(work, names)`
            if definition.lineno in flows and not _left_off(outline, definition, nodes):
                found[definition] = Guarded(guard, definition, Confidence.PROVEN, flows[definition.lineno])
        yield from found.values()


def _left_off(outline: Outline, definition: Definition, nodes: Sequence[ast.AST]) -> bool:
    """Its branch sets to False what a call gets along with it: `parallel = False`."""
    above = outline.parents[definition]
    blocks: list[list[ast.stmt]] = [getattr(above, "body", []), getattr(above, "orelse", [])]
    off = {
        target.id
        for statement in next((block for block in blocks if definition in block), [])
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        if statement.value.value is False
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for call in nodes if off else ():
        if isinstance(call, ast.Call):
            given = (*call.args, *(keyword.value for keyword in call.keywords))
            names = {value.id for value in given if isinstance(value, ast.Name)}
            if definition.name in names and names & off:
                return True
    return False


Sent = tuple[Confidence, Hop, list[ast.expr]]


def sent(starts: Starts, outline: Outline, call: ast.Call) -> Sent | None:
    """What `call` pickles for another process, itself or in a function of the repository; how sure, and in words."""
    name = starts.name(outline, call.func)
    if starts.loaders.is_loader(outline, call.func):
        sure = starts.loaders.workers(outline, call)
        kept = [
            *call.args[:1],
            *(k.value for k in call.keywords if k.arg in ("dataset", "collate_fn", "worker_init_fn")),
        ]
        return None if sure is None else (sure, _sending(outline, call), kept)
    boundary = (
        starts.table.boundary(name) or _of_passed_pool(starts, outline, call) or _of_own_pool(starts, outline, call)
    )
    if boundary is None:
        return _sent_on(starts, outline, call)
    if name.startswith(("torch.save", "pickle.")) or not boundary.pickles:
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return Confidence.PROVEN, _sending(outline, call), arguments


def _of_passed_pool(starts: Starts, outline: Outline, call: ast.Call) -> Boundary | None:
    """What `pool.map(...)` is where `pool` is a parameter, and every call of the function passes a pool."""
    function, held = outline.scope(call), call.func.value if isinstance(call.func, ast.Attribute) else None
    if last_name(call.func) not in _OF_POOLS or not isinstance(held, ast.Name) or not isinstance(function, FUNCTIONS):
        return None
    if held.id not in positional(function) or len(outline.bindings(function, held.id)) != 1:
        return None
    at = positional(function).index(held.id)
    found: list[Boundary | None] = []
    for where, caller in starts.callees.repo.callers(function):
        given = {keyword.arg: keyword.value for keyword in caller.keywords}.get(held.id)
        value = given or (caller.args[at] if len(caller.args) > at else None)
        values = [(where, value)] if value is not None else []
        if isinstance(value, ast.Attribute):
            owners = starts.loaders.objects.owners(where, value.value)
            kept = [(cls.outline, starts.loaders.objects.attributes(cls.node).get(value.attr, [])) for cls in owners]
            values = [(outline, each) for outline, every in kept for each in every]
        names = {starts.name(*each) for each in values}
        found += [starts.table.boundary(f"{name}.{call.func.attr}") for name in names] or [None]  # type: ignore[attr-defined]
    return found[0] if found and None not in found else None


def _of_own_pool(starts: Starts, outline: Outline, call: ast.Call) -> Boundary | None:
    """What `pool.map(...)` is where the class of `pool` is one of the repository that derives from a pool."""
    function = call.func
    if last_name(function) not in _OF_POOLS or not isinstance(function, ast.Attribute):
        return None
    values = [function.value]
    if isinstance(function.value, ast.Name):
        values = [each.value for each in outline.lookup(function, function.value.id)[1] if each.value is not None]
    made = [starts.callees.made_class(outline, value) if isinstance(value, ast.Call) else None for value in values]
    pools = [each is not None and starts.is_pool(Class(*each)) is not None for each in made]
    return starts.table.boundary(f"{POOL}().{function.attr}") if pools and all(pools) else None


def _sending(outline: Outline, call: ast.Call) -> Hop:
    return Hop(outline.path, call.lineno, f"`{ast.unparse(call.func)[:60]}` sends it to another process")


def _sent_on(starts: Starts, outline: Outline, call: ast.Call) -> Sent | None:
    """What `call` passes to a function of the repository that sends its parameters to another process."""
    called = starts.callees.called(outline, call)
    if called is None:
        return None
    other, function, skip = called
    if function not in starts.sends:
        starts.sends[function] = None  # holds while a function that calls itself is looked into
        starts.sends[function] = _sent_parameters(starts, other, function)
    found = starts.sends[function]
    if found is None:
        return None
    sure, names = found
    if any(isinstance(value, ast.Starred) for value in call.args):
        return None
    given = given_to(positional(function)[skip:], call)
    arguments = [value for name, value in given.items() if name in names]
    hop = Hop(outline.path, call.lineno, f"`{function.name}` sends it to another process")
    return (sure, hop, arguments) if arguments else None


def _sent_parameters(starts: Starts, outline: Outline, function: Function) -> tuple[Confidence, frozenset[str]] | None:
    """The parameters that `function` pickles for another process, as they are."""
    names: set[str] = set()
    best: Confidence | None = None
    for inner in outline.own(function):
        given = sent(starts, outline, inner) if isinstance(inner, ast.Call) else None
        if given is None:
            continue
        passed = {
            value.id
            for whole in given[2]
            for value in (whole.elts if isinstance(whole, (ast.Tuple, ast.List)) else [whole])
            if isinstance(value, ast.Name) and value.id in parameters(function)
            if len(outline.bindings(function, value.id)) == 1
        }
        if passed and (best is None or given[0].rank > best.rank):
            best = given[0]
        names |= passed
    return None if best is None else (best, frozenset(names))


def _mentioned(outline: Outline, inside: Mapping[str, Sequence[Definition]], nodes: list[ast.expr]) -> Iterator[str]:
    """Names of definitions that are in the values `nodes`: named there, or what made the variable named there."""
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                yield from _kept(outline, inside, node)
                for binding in outline.bindings(outline.module, node.id):
                    made = ast.walk(binding.value) if isinstance(binding.value, ast.Call) else ()
                    for name in (each for each in made if isinstance(each, ast.Name)):
                        yield from _kept(outline, inside, name)


def _kept(
    outline: Outline, inside: Mapping[str, Sequence[Definition]], use: ast.Name, seen: tuple[Definition, ...] = ()
) -> Iterator[str]:
    """The name, or where it is that of a function that is called there and then, what its result may be made of.

    `seen`: the functions that are called, each by the one before it.
    """
    call, here = outline.parents[use], seen[-1] if seen else outline.module
    functions = [each for each in inside.get(use.id, ()) if isinstance(each, FUNCTIONS)]
    is_called = isinstance(call, ast.Call) and call.func is use and outline.scope(use) is here
    if not functions or not is_called:
        yield use.id
    for function in functions if is_called else ():
        for node in walk(function) if function not in seen else ():
            if isinstance(node, ast.Name) and node.id in inside and reads_global(outline, node):
                yield from _kept(outline, inside, node, (*seen, function))


def hoist_edits(
    outline: Outline, source: Source, guard: ast.If, wanted: list[Definition], values: GuardedValues
) -> tuple[Edit, ...]:
    """The edits that move `wanted`, and what they need of the guard, above it.

    Raises Refused.
    """
    inside = {
        statement.name: statement for statement in guard.body if isinstance(statement, (*FUNCTIONS, ast.ClassDef))
    }
    moved = _closure(outline, guard, inside, wanted, values)
    if len(moved) == len(guard.body):
        raise Refused("nothing but definitions stands under the guard")
    top = guard.lineno
    while top > 1 and source.line_text(top - 1).startswith("#"):
        top -= 1
    at = source.line_starts[top - 1]
    edits: list[Edit] = []
    before = next((item for item in reversed(outline.module.body) if item.lineno < guard.lineno), None)
    above = ""  # what the usual two blank lines above a definition still lack
    for node in moved:
        text, removal = moved_text(source, guard, node, moved)
        definition = isinstance(node, (*FUNCTIONS, ast.ClassDef))
        lead = blank_lines(source, top) if not edits else above if definition else ""
        if isinstance(node, _IMPORTS):
            joins = not edits and isinstance(before, _IMPORTS) and not source.line_text(top - 1).strip()
            lead, text = "" if joins else lead, text + "\n"
        edits += [Edit(source.path, at, at, lead + text + ("\n\n\n" if definition else "\n")), removal]
        above = "" if definition else "\n" if text.endswith("\n") else "\n\n"
    return tuple(edits)


def _closure(
    outline: Outline, guard: ast.If, inside: dict[str, Definition], wanted: list[Definition], values: GuardedValues
) -> list[ast.stmt]:
    """`wanted` with the definitions and values under the guard that they read, in order. Raises Refused."""
    outside = {
        name
        for statement in outline.module.body
        if statement is not guard and statement.lineno < guard.lineno
        for name in names_bound(statement)
    }
    star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in outline.module.body)
    guarded = {name for statement in guard.body for name in names_bound(statement)}
    chosen: dict[str, Definition] = {}
    needed: list[Value] = []
    todo = list(wanted)
    while todo:
        node = todo.pop()
        stuck: list[str] = []
        if node.name in chosen:
            continue
        if sum(node.name in names_bound(statement) for statement in outline.module.body if statement is not guard) or (
            sum(node.name in set(names_bound(statement)) for statement in guard.body) > 1
        ):
            raise Refused(f"`{node.name}` is bound in other places as well")
        chosen[node.name] = node
        reads = {use.id for use in _reads_of_a_worker(outline, guard, node)} | set(reads_on_import(node))
        for name in sorted(reads - {node.name}):
            if name in inside and name not in outside:
                todo.append(inside[name])
            elif name in guarded and name not in outside:
                setting = values.movable(name)
                stuck += [name] if setting is None else []
                needed += setting or []
            elif name not in outside and name not in BUILTINS and not star:
                raise Refused(f"`{node.name}` reads `{name}`, which the module does not bind above the guard")
        if stuck:
            raise Refused(_set_under_guard(outline, node, stuck))
    return [
        statement
        for statement in guard.body
        if statement in needed or (isinstance(statement, (*FUNCTIONS, ast.ClassDef)) and statement.name in chosen)
    ]


def _set_under_guard(outline: Outline, node: Definition, names: list[str]) -> str:
    """What is to be done about all that the guard sets for `node`."""
    several, listed = len(names) > 1, " and ".join(f"`{name}`" for name in names)
    late: list[str] = []
    for name in names:
        lines = [each.statement.lineno for each in outline.bindings(outline.module, name)]  # type: ignore[attr-defined]
        if lines and (len(lines) > 1 or lines[0] > node.lineno):
            *first, last = map(str, lines)
            where = f"lines {', '.join(first)} and {last}" if first else f"line {last}"
            late.append(f"`{name}` in {where}")
    cause = f" ({', '.join(late)})" if late else ""
    return (
        f"`{node.name}` reads {listed}, which {'are' if several else 'is'} set under the guard as well{cause}, so a "
        f"spawned worker would lack {'them' if several else 'it'}: hand {'these' if several else listed} over as "
        f"{'arguments' if several else 'an argument'} where it is sent, then define `{node.name}` above the guard"
    )


def _reads_of_a_worker(outline: Outline, guard: ast.If, node: Definition) -> Iterator[ast.Name]:
    """Where `node` reads names of the module in a worker: not in the `__init__` of a class that only the guard calls.

    Under the guard, that runs in the main process, which has all the names.
    """
    skipped: set[ast.AST] = set()
    if isinstance(node, ast.ClassDef):
        uses = [use for use in outline.nodes if isinstance(use, ast.Name) and use.id == node.name]
        own = {statement.name: statement for statement in node.body if isinstance(statement, FUNCTIONS)}
        if not _PICKLES_ITSELF & own.keys() and all(
            isinstance(outline.scope(use), ast.Module) and guard in outline.ancestors(use) for use in uses
        ):
            skipped = set(ast.walk(own["__init__"])) if "__init__" in own else set()
    for use in global_reads(outline, node):
        if use not in skipped:
            yield use


def global_reads(outline: Outline, top: Definition) -> Iterator[ast.Name]:
    """Where `top` reads names of the module."""
    for node in walk(top):
        if isinstance(node, ast.Name) and reads_global(outline, node):
            yield node


def reads_global(outline: Outline, node: ast.Name | ast.Attribute) -> bool:
    """It reads a name of the module."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    return isinstance(outline.lookup(node, node.id)[0], ast.Module) and not _is_local(outline, node)


def _is_local(outline: Outline, node: ast.Name) -> bool:
    """A variable of a comprehension around it, which `Outline` counts to the function (here: the module)."""
    return any(
        isinstance(target, ast.Name) and target.id == node.id
        for above in outline.ancestors(node)
        if isinstance(above, COMPREHENSIONS)
        for made in above.generators
        for target in ast.walk(made.target)
    )
