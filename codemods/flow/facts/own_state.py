"""What a class says of how its objects are pickled: `__getstate__`, `__reduce__`."""

from __future__ import annotations

import ast
import builtins
from functools import partial

from ...nodes import walk
from ...syntax.pickled_state import StateFilter, constant, takes_all

_REDUCE = ("__reduce__", "__reduce_ex__")
_ASK = ("getattr", "hasattr")
_REACH_SELF = ("super", "__class__", "vars", "locals")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def dropped_attributes(node: ast.ClassDef) -> frozenset[str] | None:
    """Attributes that `__getstate__` leaves out or replaces; None where pickling is customised beyond reading."""
    dropped: set[str] = set()
    for statement in node.body:
        if not isinstance(statement, ast.FunctionDef):
            continue
        if statement.name in _REDUCE:
            return None
        if statement.name != "__getstate__":
            continue
        if _leaves_out_by_test(statement):
            return None
        for inner in walk(statement):
            if isinstance(inner, ast.Delete):
                targets: list[ast.expr] = inner.targets
            elif isinstance(inner, ast.Assign):
                targets = inner.targets
            elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "pop":
                dropped.update(
                    a.value for a in inner.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)
                )
                continue
            else:
                continue
            for target in targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                    dropped.add(str(target.slice.value))
        if not dropped:
            return None
    return frozenset(dropped)


def sent_in_spite_of_tests(node: ast.ClassDef) -> frozenset[str]:
    """The attributes that a `__getstate__` that leaves others out by a test is seen to take as they are.

    Of those that methods of the class set; none where pickling is customised in another way.
    """
    methods = _methods(node)
    method = methods.get("__getstate__")
    if method is None or not _leaves_out_by_test(method) or any(name in methods for name in _REDUCE):
        return frozenset()
    state, named = StateFilter(method, partial(constant, None, [node])), _texts(method)
    found = {
        inner.attr
        for inner in walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and isinstance(inner.value, ast.Name)
    }
    plain = (name for name in found - named if not name.startswith("__"))
    return frozenset(name for name in plain if state.leaves_out(name) is False) if takes_all(method) else frozenset()


def _texts(method: ast.FunctionDef) -> set[str]:
    return {inner.value for inner in walk(method) if isinstance(inner, ast.Constant) and isinstance(inner.value, str)}


def _leaves_out_by_test(method: ast.FunctionDef) -> bool:
    """`del state[key]` of a computed key; `{k: v for k, v in vars(self).items() if ...}`."""
    for inner in walk(method):
        match inner:
            case ast.Subscript(value=ast.Name(), slice=key, ctx=ast.Del()) if not isinstance(key, ast.Constant):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="pop"), args=[ast.Name(), *_]):
                return True
            case ast.DictComp(generators=[ast.comprehension(iter=over, ifs=[_, *_])]):
                parts = list(walk(over))
                if any(getattr(part, "attr", "") == "__dict__" or getattr(part, "id", "") == "vars" for part in parts):
                    return True
    return False


def kept_attributes(node: ast.ClassDef) -> frozenset[str] | None:
    """All attributes that a `__getstate__` of the class looks at; None without one, or where it may look at others."""
    method = _methods(node).get("__getstate__")
    read = _read(method, node) if method is not None else None
    return None if read is None or "__dict__" in read else read


def is_reduced_to_other(node: ast.ClassDef, around: ast.AST | None) -> bool:
    """A `__reduce__` of the class leads to something else: pickle does not look the class up for its objects.

    `around`: the function that the class is defined in. What is local there can't be looked up either.
    """
    methods = [method for name, method in _methods(node).items() if name in _REDUCE]
    bases = [base.id if isinstance(base, ast.Name) else "" for base in node.bases]
    if not methods or around is None or node.decorator_list or node.keywords:
        return False
    if not all(hasattr(builtins, base) for base in bases):  # others may have a `__reduce_ex__`, which comes first
        return False
    local = _local_definitions(around)
    for method in methods:
        read = _read(method, node)
        if read is None or "__class__" in read or method.decorator_list:
            return False
        results = [inner.value for inner in walk(method) if isinstance(inner, ast.Return)]
        if not results or not all(isinstance(value, ast.Tuple) and len(value.elts) > 1 for value in results):
            return False
        if any(
            (isinstance(inner, ast.Name) and inner.id in local)
            or (isinstance(inner, ast.Attribute) and inner.attr in local)
            or isinstance(inner, (*_DEFINITIONS, ast.Lambda))
            for statement in method.body
            for inner in walk(statement)
        ):
            return False
    return True


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {statement.name: statement for statement in node.body if isinstance(statement, ast.FunctionDef)}


def _read(method: ast.FunctionDef, node: ast.ClassDef) -> frozenset[str] | None:
    """The attributes of `self` that a method names; None where it calls methods, or hands `self` itself on."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments:
        return None
    me = arguments[0].arg
    computed = set(_methods(node))
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):  # of `property`
            computed.update(target.id for target in statement.targets if isinstance(target, ast.Name))
    called: set[int] = set()
    read: set[str] = set()
    looks = 0  # at `self`, each for one attribute
    mentions = 0
    for inner in walk(method):
        if isinstance(inner, ast.Call):
            called.add(id(inner.func))
            match inner:
                case ast.Call(ast.Name(name), [ast.Name(of), ast.Constant(str(attribute)), *_]) if of == me:
                    if name in _ASK:
                        read.add(attribute)
                        looks += 1
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == me:
            if id(inner) in called:  # a call comes before its parts
                return None
            read.add(inner.attr)
            looks += 1
        elif isinstance(inner, ast.Name):
            if inner.id in _REACH_SELF:
                return None
            mentions += inner.id == me
    return frozenset(read) if looks == mentions and computed.isdisjoint(read) else None


def _local_definitions(around: ast.AST) -> set[str]:
    """Functions and classes that a function defines, and variables and attributes that may hold one."""
    found = {inner.name for inner in walk(around) if isinstance(inner, _DEFINITIONS)}
    for inner in walk(around):
        if isinstance(inner, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and inner.value is not None:
            parts = list(walk(inner.value))
            if any(isinstance(part, ast.Lambda) or getattr(part, "id", "") in found for part in parts):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                kept = [target for target in targets if isinstance(target, ast.Attribute)]
                found.update(target.attr for target in kept)  # of `self`, of which nothing else is local
                others = [target for target in targets if target not in kept]
                found.update(part.id for target in others for part in walk(target) if isinstance(part, ast.Name))
    return found
