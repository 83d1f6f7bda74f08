"""Objects with a `__del__` that changes something besides them: the copy in a worker does so too, when it ends.

A forked child leaves without it. Once such an object can be pickled, the child removes what the parent still needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from ...finding import Hop, Trace
from ...project import Project
from ...syntax.binding_rules import parameters
from ...syntax.callees import Callees, Function, method
from ...syntax.modules import modules_of
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.pickled_state import StateFilter, constant, named_by, takes_all
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from ...syntax.unpicklable import Recogniser
from .crossings import flow_of

_DEPTH = 3  # methods that call each other
_METHOD = "__del__"
_RUN = "run"  # of a class of processes
_OF_ITSELF = frozenset((
    "close", "release", "shutdown", "hasattr", "getattr", "isinstance", "super", "collect", "empty_cache", "clear",
    "values", "items", "keys", "list", "tuple", "len", "get", "pop", "str", "callable", "is_set", "closed", "suppress",
    "type", "id", "repr", "int", "float", "bool", "any", "all", "format", "issubclass", "is_alive", "is_initialized",
))  # fmt: skip
_ENDS = frozenset({"commit", "abort", "rollback"})  # of a transaction
_ONLY_HERE = "Let only the process do it that made the object (compare `os.getpid()`)"
_TO_FILES = frozenset({"save", "dump"})
_LOGS = frozenset(("debug", "info", "warning", "error", "exception"))


def ended_with(project: Project, trace: Trace, boundary: str = "") -> str | None:
    """In words, why what crosses by this trace had better not: an object that crosses there with it has such a method.

    None where there is none, or where `boundary` writes to a file: no process gets it.
    """
    if writes_a_file(boundary):
        return None
    flow = flow_of(project)
    for (path, line), reason in project.derive(_ended).items() if trace else ():
        crossing = flow.instances(path, line)
        if crossing is not None and crossing.trace[-1:] == trace[-1:]:
            holder = next((hop for hop in crossing.trace[1:-1] if hop.what.startswith("stored as")), None)
            return reason if holder is None or holder in trace else _held(reason, holder)
    return None


def writes_a_file(boundary: str) -> bool:
    """What it pickles goes to a file, and no copy of it is made."""
    return boundary.rpartition(".")[2] in _TO_FILES


def _ended(project: Project) -> dict[tuple[str, int], str]:
    """The classes with such a method whose objects cross."""
    if not project.with_words((_METHOD,)):
        return {}
    callees = Callees(Repo(project), project.derive(modules_of))
    found = {place: _reason_of(callees, *place) for place in flow_of(project).crossing_with_method(_METHOD)}
    return {place: reason for place, reason in found.items() if reason is not None}


def ended_copy(project: Project, path: str, line: int) -> str | None:
    """The same for objects of the class on this line."""
    if not project.with_words((_METHOD,)):
        return None
    return _reason_of(Callees(Repo(project), project.derive(modules_of)), path, line)


def _reason_of(callees: Callees, path: str, line: int) -> str | None:
    reason = _reason(callees, path, line)
    done = _done_by_workers(callees, path, line) if reason is not None else frozenset()
    return _reason(callees, path, line, done) if done else reason


def _done_by_workers(callees: Callees, path: str, line: int) -> frozenset[str]:
    """The methods of the object that a process which gets it calls in a `finally`: a forked one does so as well."""
    flow = flow_of(callees.repo.project)
    crossing = flow.instances(path, line)
    if crossing is None or not crossing.trace:
        return frozenset()
    last, found = crossing.trace[-1], set[str]()
    places = [(home, at) for home, at, hop in flow.sent() if (hop.path, hop.line) == (last.path, last.line)]
    for _, node in (each for place in places for each in callees.repo.defined_at(*place)):
        if not isinstance(node, ast.ClassDef):
            function: Function | None = node
        elif any(last_name(base).endswith("Process") for base in node.bases):
            function = method(node, _RUN)
        else:
            continue
        tries = [each for each in ast.walk(function) if isinstance(each, ast.Try)] if function is not None else []
        for call in (each for node in tries for part in node.finalbody for each in ast.walk(part)):
            match call:
                case ast.Call(func=ast.Attribute(ast.Name(name), attr)) if function is not None:
                    found |= {attr} if name in parameters(function) else set()
    return frozenset(found)


def _reason(callees: Callees, path: str, line: int, done: frozenset[str] = frozenset()) -> str | None:
    """`done`: methods of the object that workers call anyway when they end."""
    for outline, node in callees.repo.defined_at(path, line):
        lineage = callees.resolver.lineage(Class(outline, node)) if isinstance(node, ast.ClassDef) else []
        for at in lineage:
            ends = method(at.node, _METHOD)
            if ends is not None:
                changed = _changes(callees, at.outline, ends, 0, _Sent(lineage, done))
                return None if changed is None else _words(at, ends, changed)
    return None


def _words(at: Class, ends: Function, changed: ast.Call) -> str:
    return (
        f"`{at.node.name}.__del__` ({at.outline.path}:{ends.lineno}) calls `{ast.unparse(changed.func)}`: the copy in "
        f"a worker would do that too when it ends, which a forked one does not. {_ONLY_HERE}"
    )


def _held(reason: str, holder: Hop) -> str:
    """The same where the object only goes along: `holder` keeps it, or a method of it."""
    kept = f"It goes along, {holder.what} ({holder.path}:{holder.line}): keep there only what is needed of it"
    return f"{reason.removesuffix(_ONLY_HERE)}{kept}, or let only the process do it that made it"


class _Sent:
    """What the copy of an object has: the state that its class gives pickle, where it says so itself."""

    def __init__(self, lineage: Sequence[Class], done: frozenset[str]) -> None:
        self.done = done  # methods that the worker calls anyway
        self._classes = [at.node for at in lineage]
        found = ((at.outline, method(at.node, "__getstate__")) for at in lineage)
        self._gives = next(((outline, given) for outline, given in found if given is not None), None)

    def ends_before(self, outline: Outline, call: ast.Call) -> bool:
        """The state is taken after the same own method was called, whatever happens: `self.disconnect()`."""
        if self._gives is None or not isinstance(call.func, ast.Attribute):
            return False
        for statement in self._gives[1].body:
            if takes_all(statement) or isinstance(statement, ast.Return):
                return False
            match statement:
                case ast.Expr(ast.Call(func=ast.Attribute(value, name))) if outline.is_self(value):
                    if name == call.func.attr:
                        return True
        return False

    def lacks(self, name: str) -> bool:
        """The state leaves the attribute out, or has a constant in its place: a copy makes its own."""
        if self._gives is None:
            return False
        outline, given = self._gives
        put, nodes = list(_put(given, name)), list(ast.walk(given))
        if not all(isinstance(value, ast.Constant) for value in put):
            return False
        named = name in named_by(outline, given, self._classes)
        if takes_all(given):
            chosen = any(isinstance(node, ast.comprehension) and node.ifs for node in nodes)
            left_out = StateFilter(given, partial(constant, outline, self._classes)).leaves_out(name)
            return left_out is True or (named and not chosen)
        own = [node for node in nodes if isinstance(node, ast.Attribute) and outline.is_self(node.value)]
        called = (node.func for node in nodes if isinstance(node, ast.Call))
        return (
            not any(node.attr == name for node in own)
            and not any(each in own for each in called)
            and (bool(put) or not named)
        )


def _put(given: Function, name: str) -> Iterator[ast.expr]:
    """The values that it puts under the name: `state["path"] = path`, `{"path": path}`, `dict(path=path)`."""
    for node in ast.walk(given):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    for part in ast.walk(target):  # `state["path"], state["size"] = path, size`
                        if isinstance(part, ast.Subscript) and getattr(part.slice, "value", None) == name:
                            yield value
            case ast.Call(func=ast.Attribute(attr="setdefault" | "__setitem__"), args=[ast.Constant(key), value]) if (
                key == name
            ):
                yield value
            case ast.keyword(arg=key, value=value) if key == name:
                yield value
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name)


def _changes(callees: Callees, outline: Outline, function: Function, depth: int, sent: _Sent) -> ast.Call | None:
    """A call by which the method does more than to let go of what the object has."""
    if any(isinstance(node, ast.Attribute) and node.attr == "getpid" for node in ast.walk(function)):
        return None  # it asks whose object it is
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = last_name(node.func)
        own = isinstance(node.func, ast.Attribute) and outline.is_self(node.func.value)
        called = callees.called(outline, node) if own else None
        if (own and sent.ends_before(outline, node)) or _of_attribute(outline, node, sent):
            continue
        if called is not None and depth < _DEPTH:
            if called[1].name in sent.done and _does_it_once(*called[:2]):
                continue
            inner = _changes(callees, called[0], called[1], depth + 1, sent)
            if inner is not None:
                return inner
        elif (
            name not in _OF_ITSELF
            and name not in _LOGS
            and not own
            and not _ends_own_handle(callees, outline, node)
            and not _removes_own_hook(outline, node)
        ):
            return node
    return None


def _does_it_once(outline: Outline, function: Function) -> bool:
    """`if self.stopped: return`, and `self.stopped = True`: a second call does nothing."""
    own = {True: set[str](), False: set[str]()}
    for node in ast.walk(function):
        tested = isinstance(node, ast.If)
        parts = ast.walk(node.test) if isinstance(node, ast.If) else getattr(node, "targets", ())
        own[tested] |= {each.attr for each in parts if isinstance(each, ast.Attribute) and outline.is_self(each.value)}
    return not own[True].isdisjoint(own[False])


def _of_attribute(outline: Outline, call: ast.Call, sent: _Sent) -> bool:
    """A method of what the copy does not get: `self.client.disconnect()`."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(held, ast.Attribute) and outline.is_self(held.value) and sent.lacks(held.attr)


def _removes_own_hook(outline: Outline, call: ast.Call) -> bool:
    """`handle.remove()` in a class that registers hooks of modules: the copy of a handle knows no other module."""
    if last_name(call.func) != "remove" or call.args or call.keywords or (owner := outline.owner(call)) is None:
        return False
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    mine = isinstance(held, ast.Name) or (isinstance(held, ast.Attribute) and outline.is_self(held.value))
    return mine and any(
        isinstance(node, ast.Attribute) and node.attr.startswith("register_") and node.attr.endswith("hook")
        for node in ast.walk(owner)
    )


def _ends_own_handle(callees: Callees, outline: Outline, call: ast.Call) -> bool:
    """`self.txn.commit()`, where that can't be pickled: a copy has none, or a new one, which it has not written to."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    if last_name(call.func) not in _ENDS or not isinstance(held, ast.Attribute) or not outline.is_self(held.value):
        return False
    values = _stores(outline, held)
    recogniser = Recogniser(callees.repo, _stores)
    return bool(values) and all(recogniser.made(*each) for each in values)


def _stores(outline: Outline, attribute: ast.Attribute) -> list[tuple[Outline, ast.expr]]:
    """What the class around sets the attribute to, `None` aside."""
    owner = outline.owner(attribute)
    assigned = (node for node in ast.walk(owner) if isinstance(node, ast.Assign)) if owner is not None else ()
    values = [
        node.value
        for node in assigned
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == attribute.attr and outline.is_self(target.value)
    ]
    return [(outline, value) for value in values if not (isinstance(value, ast.Constant) and value.value is None)]
