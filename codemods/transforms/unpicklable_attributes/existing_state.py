"""What a class and its base classes say about their state already: whether that is of a shape that can be added to."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...finding import Refused
from ...syntax.names import last_name
from ...syntax.pickled_state import set_in_body
from .classes import Method, Shape

COPIES = frozenset(
    [
        "self.__dict__.copy()", "dict(self.__dict__)", "copy.copy(self.__dict__)", "copy(self.__dict__)",
        "{**self.__dict__}", "vars(self).copy()", "dict(vars(self))",
        "super().__getstate__()", "super().__getstate__().copy()", "dict(super().__getstate__())",
    ]
)  # fmt: skip
_FILLED_BY = {  # what unpickling calls on subclasses of containers: pickle.Unpickler.load_setitems, load_appends
    **dict.fromkeys(("dict", "OrderedDict", "defaultdict"), ("__setitem__",)),
    **dict.fromkeys(("list", "deque"), ("extend", "append")),
}
CONTAINERS = (*_FILLED_BY, "Counter", "set", "frozenset", "tuple", "str", "bytes", "bytearray", "int", "float")
_UPDATES = ("self.__dict__.update({})", "vars(self).update({})", "super().__setstate__({})", "self.__dict__ = {}")


def _has_slots(shape: Shape) -> bool:
    """It has `__slots__` with something in them."""
    values = next(set_in_body(shape.node, "__slots__"), None)
    return values is not None and not (isinstance(values, (ast.Tuple, ast.List)) and not values.elts)


def check_bases(bases: Iterable[Shape], slotted: bool = False) -> None:
    """Raises Refused where a base class of the repository gives something else as its state than a copy of its dict.

    `slotted`: the objects have slots alone, which are known.
    """
    for base in bases:
        if slotted and {"__getstate__", "__setstate__"} & base.methods.keys():
            raise Refused(f"its base class `{base.node.name}` says how slots are pickled: leave it out there")
        if not slotted and base.once(_has_slots):
            raise Refused(f"its base class `{base.node.name}` has `__slots__`, so its state is no plain dict")
        for name, check in (("__getstate__", returned_state), ("__setstate__", updated_from)):
            method = base.methods.get(name)
            if method is None:
                continue
            last = method.body[-1]
            if isinstance(last, ast.Return) and last.value is not None and ast.unparse(last.value) in COPIES:
                continue
            try:
                check(method)
            except Refused:
                raise Refused(
                    f"its base class `{base.node.name}` ({base.outline.path}:{method.lineno}) has a `{name}` of no "
                    "plain shape; leave the attribute out there"
                ) from None


def holds_items(foreign: Iterable[str]) -> str | None:
    """The builtin container among the base classes outside of the repository: not all of its state is attributes."""
    return next((base for base in foreign if base.rpartition(".")[2] in CONTAINERS), None)


def check_filled_first(line: Iterable[Shape], foreign: Iterable[str]) -> None:
    """Raises Refused where pickle fills an object by methods that need attributes, which it sets only afterwards.

    `line`: the class and its base classes; `foreign`: those outside of the repository.
    """
    shapes = list(line)
    filling = {name for base in foreign for name in _FILLED_BY.get(base.rpartition(".")[2], ())}
    todo, seen = sorted(name for name in filling if any(name in shape.methods for shape in shapes)), set[str]()
    while todo:
        name = todo.pop()
        seen.add(name)
        for shape in shapes:
            for attribute, uses in shape.selves.items():
                node = next((node for method, node in uses if method.name == name), None)
                if node is None:
                    continue
                if any(other.stores(attribute) for other in shapes):
                    raise Refused(
                        f"pickle fills the object by `{name}` before it sets attributes, and line {node.lineno} needs "
                        f"`self.{attribute}` there; give the class a `__reduce__`, or let it have the container"
                    )
                if attribute not in seen and any(attribute in other.methods for other in shapes):
                    todo.append(attribute)


def check_slots_below(derived: Iterable[Shape]) -> None:
    """Raises Refused where objects of a class below have slots beside the dict, which its state would lack."""
    for below in derived:
        if below.once(_has_slots):
            raise Refused(
                f"`{below.node.name}` ({below.outline.path}:{below.node.lineno}) adds `__slots__`, which a state that "
                "is a plain dict would leave out; write the state methods yourself"
            )


def check_existing(shape: Shape, derived: Iterable[Shape], attributes: Iterable[str], slotted: bool = False) -> None:
    """Raises Refused where the state of the objects is not ours to change, or not in a shape that we can add to.

    `slotted`: they have slots alone, which are known.
    """
    methods = shape.methods
    if not isinstance(scope := shape.outline.scope(shape.node), ast.Module):
        name = getattr(scope, "name", "a function")
        raise Refused(f"pickle does not find classes that are defined inside of `{name}`; move the class to the module")
    if _has_slots(shape) and not (slotted and not {"__getstate__", "__setstate__"} & methods.keys()):
        raise Refused("the class has `__slots__`, so its state is no plain dict; write the state methods yourself")
    for place, node in shape.selves.get("__dict__", ()):
        if isinstance(node.ctx, ast.Store) and place.name != "__setstate__":
            raise Refused(
                f"line {node.lineno} puts another dict in the place of `self.__dict__`, which its copies would not "
                "share; write the state methods yourself"
            )
    for mark in shape.node.decorator_list:
        kind = last_name(mark.func if isinstance(mark, ast.Call) else mark)
        for keyword in mark.keywords if isinstance(mark, ast.Call) else ():
            attrs = keyword.arg == "frozen" and kind != "dataclass"
            if (keyword.arg == "slots" or attrs) and getattr(keyword.value, "value", True):
                raise Refused(
                    f"the class is defined with `{keyword.arg}`; write `__getstate__` and `__setstate__` by hand"
                )
        if kind in ("define", "frozen"):
            raise Refused("the class of attrs has slots; write `__getstate__` and `__setstate__` by hand")
    if "__getstate__" in methods:
        returned_state(methods["__getstate__"])
    if "__setstate__" in methods:
        updated_from(methods["__setstate__"])
    for below in derived:
        for name in ("__getstate__", "__setstate__", "__reduce__"):
            method = below.methods.get(name)
            if method is None or f"super().{name}" in ast.unparse(method):
                continue
            words = {node.value for node in ast.walk(method) if isinstance(node, ast.Constant)}
            if name != "__getstate__" or not set(attributes) <= words - _kept_by(method):
                raise Refused(
                    f"`{below.node.name}` ({below.outline.path}:{method.lineno}) has its own `{name}`, which would not "
                    "call a new one; call `super()` there first"
                )


def _kept_by(method: Method) -> set[str]:
    """The attributes that a state written as a dict has with their values: `{"rows": self.rows, "lock": None}`."""
    dicts = (node for node in ast.walk(method) if isinstance(node, ast.Dict))
    pairs = (pair for node in dicts for pair in zip(node.keys, node.values, strict=True))
    return {
        str(key.value)
        for key, value in pairs
        if isinstance(key, ast.Constant) and not (isinstance(value, ast.Constant) and value.value is None)
    }


def returned_state(method: Method) -> str:
    """The variable that a `__getstate__` of the plain shape fills and returns."""
    body = [
        statement
        for statement in method.body
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    returns = [node for node in ast.walk(method) if isinstance(node, ast.Return)]
    last, first = (body[-1], body[0]) if body else (None, None)
    if len(returns) == 1 and isinstance(last, ast.Return) and isinstance(last.value, ast.Name):
        name = last.value.id
        sets = [node for node in ast.walk(method) if isinstance(node, ast.Name) and node.id == name]
        sets = [item for item in sets if not isinstance(item.ctx, ast.Load)]
        copied = isinstance(first, ast.Assign) and first.targets[0] is sets[0] and ast.unparse(first.value) in COPIES
        if copied and len(sets) == 1:
            return name
    raise Refused(
        f"its `__getstate__` (line {method.lineno}) copies `__dict__` in a form that this "
        "rule doesn't know; leave the attribute out there"
    )


def updated_from(method: Method) -> str:
    """The parameter from which a `__setstate__` of the plain shape fills the object."""
    arguments = method.args.args
    if len(arguments) == 2 and not any(isinstance(node, ast.Return) for node in ast.walk(method)):
        name = arguments[1].arg
        known = {item.format(name) for item in _UPDATES}
        if any(ast.unparse(statement) in known for statement in method.body):
            return name
    raise Refused(
        f"its `__setstate__` (line {method.lineno}) fills `__dict__` in a form that this "
        "rule doesn't know; create the attribute there"
    )
