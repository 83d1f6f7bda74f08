"""Classes for what a partial can't say: functions that carry state or a name, local classes that read a variable.

count = lambda row: ...; count.seen = 0         class _Count:
                                          ->        def __call__(self, row): ...
class Local: reads `scale`                ->    class _Local: gets `scale` as the first argument of its constructor
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from ....finding import Edit
from ....nodes import walk
from ....syntax.binding_rules import FUNCTIONS, takes_self
from ....syntax.placement import first_attached_line, indentation_at
from ....syntax.repo import Repo
from ....syntax.scope_data import Use, Variable, end_of, line_of
from ....syntax.scopes import Scopes
from ....tree.source import Source
from ..candidate import Unit
from ..checks.settled import origin_in
from ..libraries import libraries
from .class_fields import field_edits, why_not_on_objects
from .def_text import lambda_as_def
from .fstrings import span
from .moved_text import moved
from .parameter_types import with_type

_DEPTH = 5
_SPECIAL = frozenset(
    {"__new__", "__slots__", "__setattr__", "__getattr__", "__getattribute__", "__init_subclass__", "__reduce__",
     "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__copy__",
     "__deepcopy__", "__post_init__"}
)  # fmt: skip
_ON_OBJECTS = frozenset({"__name__", "__doc__", "__dict__"})  # what objects that stand for functions have too


# Functions as objects


def keeps_state(scopes: Scopes, unit: Unit) -> bool:
    """Attributes are set on the function, or all that it has is asked for."""
    if unit.variable is None or isinstance(unit.node, ast.ClassDef):
        return False
    for use in unit.variable.scope.uses.get(unit.variable.name, []):
        parent = scopes.parents[use.node]
        if isinstance(parent, ast.Attribute) and (parent.attr == "__dict__" or not isinstance(parent.ctx, ast.Load)):
            return True
        is_first = isinstance(parent, ast.Call) and parent.args[:1] == [use.node]
        if isinstance(parent, ast.Call) and is_first and ast.unparse(parent.func) in ("setattr", "vars"):
            return True
    return False


def why_no_object(scopes: Scopes, unit: Unit, keeps_self: bool = False, keeps_defaults: bool = False) -> str | None:
    """None when an object with `__call__` can stand for the function; else what speaks against it, in words.

    `keeps_self`: it may keep the object whose method makes it; `keeps_defaults`: default values of that moment.
    """
    node = unit.node
    own_self = () if unit.own_self is None else [use.node for use in unit.self_uses]
    if isinstance(node, ast.ClassDef) or (own_self and not keeps_self) or unit.mangled:
        return "it takes more than values of its place"
    if unit.frozen and not keeps_defaults:
        return "it takes more than values of its place"
    if any(value is not unit for value in unit.functions.values()):
        return "it uses other local functions"
    if isinstance(node, ast.AsyncFunctionDef) or (
        isinstance(node, FUNCTIONS) and len(node.decorator_list) > len(unit.applied)
    ):
        return "it is no plain function"
    if any(isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Await)) for inner in walk(node)):
        return "it is no plain function"
    words = {inner.id for inner in walk(node) if isinstance(inner, ast.Name) and inner not in own_self}
    words |= {inner.arg for inner in walk(node) if isinstance(inner, ast.arg)}
    if "self" in words:
        return "it has a `self` of its own"
    words |= {inner.attr for inner in walk(node) if isinstance(inner, ast.Attribute)}
    if any(word.startswith("__") and not word.endswith("__") for word in words):
        return "it has names that a class changes (two leading underscores)"
    for use in unit.variable.scope.uses.get(unit.variable.name, []) if unit.variable is not None else ():
        parent = scopes.parents[use.node]
        if isinstance(parent, ast.Attribute) and parent.attr.startswith("__") and parent.attr not in _ON_OBJECTS:
            return f"`{use.name}.{parent.attr}` is used (line {parent.lineno})"
    return None


def object_edits(scopes: Scopes, source: Source, unit: Unit, kept: Mapping[str, str]) -> list[Edit]:
    """What changes in the body: captured values are attributes, called as `kept` says; the function is `self`."""
    captured = [*unit.self_uses, *(use for uses in unit.captures.values() for use in uses)]
    edits = [_spelled(scopes, source, use, f"self.{kept[use.name]}") for use in captured]
    return edits + [_spelled(scopes, source, use, "self") for uses in unit.uses.values() for use in uses]


def object_class(
    source: Source,
    unit: Unit,
    name: str,
    called: str | None,
    kept: Mapping[str, str],
    edits: Sequence[Edit],
    step: str,
    preamble: Sequence[str],
    is_bare: bool,
    has_slash: bool,
    documented: bool = False,
    unset: str = "",
) -> str:
    """The class `name`, whose objects are called like the function; `called`: the `__name__` that somebody reads.

    `documented`: so is the `__doc__`, which the class then has as well. `unset`: the attribute that stands for each
    default value that the object keeps.

    `is_bare`: the `__dict__` of its objects shows no captured values, as that of a function does not; `has_slash`: a
    call may pass a keyword `self`.
    """
    node, passed = unit.node, {variable.name: with_type(variable) for variable in unit.captures}
    assert not isinstance(node, ast.ClassDef)
    if unit.own_self is not None:
        owner = kept[unit.own_self[1]]  # for the constructor has a `self` of its own
        kept, passed = {**kept, owner: owner}, {owner: owner, **passed}
    passed.update({name: name for name in unit.frozen})
    preamble = [
        *(f"{name} = self.{kept[name]} if {name} is self.{unset} else {name}" for name in unit.frozen),
        *preamble,
    ]
    leading = ["self", "/"] if has_slash else ["self"]
    if isinstance(node, ast.Lambda):
        call = lambda_as_def(source, node, "__call__", leading, edits, step, step, preamble)
    else:
        call = moved(source, node, "__call__", leading, edits, step, preamble)
    parts = [call]
    if passed:
        stored = "".join(f"\n{step * 2}self.{kept[name]} = {name}" for name in passed)
        parts.insert(0, f"{step}def __init__(self, {', '.join(passed.values())}):{stored}")
    if is_bare and passed:
        slots = ", ".join(f'"{slot}"' for slot in [*(kept[name] for name in passed), "__dict__", "__weakref__"])
        parts.insert(0, f"{step}__slots__ = ({slots})")
    if unit.frozen:
        parts.insert(0, f"{step}{unset} = object()")
    if called is not None:
        parts.insert(0, f'{step}__name__ = "{called}"')
    if documented and not isinstance(node, ast.Lambda) and ast.get_docstring(node) is not None:
        parts.append(f"{step}__doc__ = __call__.__doc__")
    return f"class {name}:\n" + "\n\n".join(parts)


# Local classes that read variables


def why_no_arguments(scopes: Scopes, unit: Unit, captures: Iterable[Variable], repo: Repo, path: str) -> str | None:
    """None when the class can get what it reads as first arguments of its constructor; else why not, in words."""
    node, captures = unit.node, list(captures)
    assert isinstance(node, ast.ClassDef)
    if unit.variable is None or unit.snapshots:
        return "its name is bound again" if unit.variable is None else unit.snapshots[0].partition(":")[0]
    if unit.own_self is not None or not (captures or unit.fields):
        return "it reads the object around it"
    on_objects = why_not_on_objects(scopes, unit, repo, path) if unit.fields else None
    if on_objects is not None:
        return on_objects
    if node.decorator_list or node.keywords:
        return "a decorator or metaclass may have a say in that"
    init = _initialiser(node)
    for base in node.bases:
        if not _is_plain(scopes, base, init is not None):
            return f"its base `{ast.unparse(base)}` may have a say in that"
    special = [name for name in scopes.inner(node).bindings if name in _SPECIAL]
    if special:
        return f"it has a `{special[0]}`"
    if init is not None and not _can_take_more(init):
        return "its `__init__` has a decorator, nothing to do, or stands on one line"
    for inner in walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in ("__class__", "__dict__"):
            return f"it uses `{ast.unparse(inner)}` (line {inner.lineno})"
        if isinstance(inner, ast.Name) and inner.id in ("type", "vars"):
            return f"it uses `{inner.id}` (line {inner.lineno})"
    for use in unit.variable.scope.uses.get(unit.variable.name, []):
        call = scopes.parents[use.node]
        if not (isinstance(call, ast.Call) and call.func is use.node) or scopes.is_inside(use.scope, node):
            return f"it is used for more than to make objects (line {line_of(use.node)})"
        for variable in captures:
            if scopes.owner(use.scope, variable.name) is not variable.scope:
                return f"`{variable.name}` is something else where its objects are created (line {line_of(use.node)})"
    taken = ["self"] if init is None else scopes.inner(init).bindings
    for name in [*(variable.name for variable in captures), *unit.fields]:
        if name in taken:
            return f"`{name}` means something else in its `__init__`"
    twice = next((variable.name for variable in captures if variable.name in unit.fields), None)
    if twice is not None:
        return f"`{twice}` is also the name of what it keeps"
    for variable in captures:
        for use in unit.captures.get(variable, ()):
            if not (init is not None and scopes.is_inside(use.scope, init)) and _object_at(scopes, node, use) is None:
                return f"`{variable.name}` is not read by a method (line {line_of(use.node)})"
    return None


def constructor_edits(
    scopes: Scopes, source: Source, unit: Unit, attributes: Mapping[str, str], step: str
) -> list[Edit]:
    """What changes in the class: its `__init__` takes and keeps the values, methods read them from the object."""
    node, init = unit.node, None
    assert isinstance(node, ast.ClassDef)
    init = _initialiser(node)
    edits: list[Edit] = []
    kept: list[str] = []
    for variable, uses in unit.captures.items():
        outside = [use for use in uses if init is None or not scopes.is_inside(use.scope, init)]
        for use in outside:
            edits.append(_spelled(scopes, source, use, f"{_object_at(scopes, node, use)}.{attributes[variable.name]}"))
        if outside:
            kept.append(variable.name)
    passed = [*map(with_type, unit.captures), *unit.fields]
    kept += unit.fields
    attributes = {**attributes, **{name: name for name in unit.fields}}
    edits += field_edits(source, unit)
    if init is None:
        first = next(statement for statement in node.body if isinstance(statement, FUNCTIONS))
        indent = indentation_at(source, first.lineno)
        at = source.line_starts[first_attached_line(source, first) - 1]
        lines = [
            f"def __init__(self, {', '.join(passed)}):",
            *(f"{step}self.{attributes[name]} = {name}" for name in kept),
        ]
        return [*edits, Edit(source.path, at, at, "".join(f"{indent}{line}\n" for line in lines) + "\n")]
    me, body = [*init.args.posonlyargs, *init.args.args][0], _does(init)
    at = source.offset(*end_of(me))
    edits.append(Edit(source.path, at, at, "".join(f", {name}" for name in passed)))
    start = source.line_starts[first_attached_line(source, body[0]) - 1]
    indent = indentation_at(source, body[0].lineno)
    stored = "".join(f"{indent}{me.arg}.{attributes[name]} = {name}\n" for name in kept)
    return [*edits, Edit(source.path, start, start, stored)] if kept else edits


def _initialiser(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next(
        (
            statement
            for statement in node.body
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"
        ),
        None,
    )


def _does(init: ast.FunctionDef) -> list[ast.stmt]:
    """What stands behind the docstring."""
    return init.body[ast.get_docstring(init) is not None :]


def _can_take_more(init: ast.FunctionDef) -> bool:
    does = _does(init)
    positional = [*init.args.posonlyargs, *init.args.args]
    return bool(positional and does and not init.decorator_list) and does[0].lineno > positional[0].lineno


def _is_plain(scopes: Scopes, base: ast.expr, initialises: bool, depth: int = 0) -> bool:
    """The base leaves the constructor and the attributes of the class alone, which `initialises` its objects or not."""
    if origin_in(scopes, base) in libraries().plain_bases:
        return True
    found = scopes.module.bindings.get(base.id, []) if isinstance(base, ast.Name) else []
    if len(found) != 1 or not isinstance(found[0].node, ast.ClassDef) or depth > _DEPTH:
        return False
    node = found[0].node
    own = scopes.inner(node).bindings
    if node.decorator_list or node.keywords or any(name in _SPECIAL for name in own):
        return False
    return (initialises or "__init__" not in own) and all(
        _is_plain(scopes, base, initialises, depth + 1) for base in node.bases
    )


def _object_at(scopes: Scopes, node: ast.ClassDef, use: Use) -> str | None:
    """What the object is called where `use` stands, in a method of the class; None where it has no name."""
    inner = [above for above in scopes.ancestors(use.node) if isinstance(above, (*FUNCTIONS, ast.Lambda))]
    method = next((above for above in inner if scopes.parents[above] is node), None)
    if not isinstance(method, FUNCTIONS) or not takes_self(method):
        return None
    scope = scopes.inner(method)
    if not scopes.is_inside(use.scope, method):
        return None  # a default value, a decorator
    parameters = [*method.args.posonlyargs, *method.args.args]
    me = parameters[0].arg if parameters else ""
    fits = me and len(scope.bindings[me]) == 1 and scopes.owner(use.scope, me) is scope
    return me if fits else None


def is_attribute(scopes: Scopes, name: str) -> bool:
    """Something in the file has such an attribute, or asks for one by name."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.Constant) and node.value == name)
        for node in walk(scopes.tree)
    )


def _spelled(scopes: Scopes, source: Source, use: Use, text: str) -> Edit:
    start, end = span(scopes, source, use)
    return Edit(source.path, start, end, text)
