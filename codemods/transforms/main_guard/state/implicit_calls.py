"""Functions that Python itself calls for a piece of code: properties, operators, `len(x)`, a module's `__getattr__`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from ....flow.facts.records import facts_lookup
from ....flow.kinds import MethodBinding
from ....project import Project
from ....questions import asked
from ....syntax.callees import Callees, Function, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class

_PROPERTIES = ("property", "cached_property")
_GETATTR = "__getattr__"
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or",
    ast.BitAnd: "and", ast.BitXor: "xor", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt",
    ast.GtE: "ge", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip
_BUILTINS = {
    "len": ("len",), "str": ("str", "repr"), "repr": ("repr",), "print": ("str", "repr"), "format": ("format", "str"),
    "iter": ("iter",), "next": ("next",), "list": ("iter",), "tuple": ("iter",), "set": ("iter",), "sum": ("iter",),
    "enumerate": ("iter",), "sorted": ("iter",), "int": ("int", "index"), "float": ("float",), "bool": ("bool", "len"),
    "hash": ("hash",), "abs": ("abs",), "round": ("round",), "reversed": ("reversed",), "dict": ("iter",),
}  # fmt: skip
_WITH_OPERANDS = frozenset(
    [ast.BinOp, ast.AugAssign, ast.UnaryOp, ast.Compare, ast.Subscript, ast.For, ast.AsyncFor, ast.comprehension,
     ast.withitem, ast.FormattedValue, ast.If, ast.While, ast.IfExp, ast.Call]
)  # fmt: skip
_Found = tuple[Outline, Function]
_ClassesOf = Callable[[ast.expr], Sequence[Class]]


def implicit_calls(callees: Callees, outline: Outline, node: ast.AST, classes_of: _ClassesOf) -> Iterator[_Found]:
    """What the node has Python call; `classes_of` says of what classes an operand may be an object."""
    if isinstance(node, ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            yield from _by_attribute(callees, outline, node, classes_of)
        return
    if node.__class__ not in _WITH_OPERANDS:
        return
    for operand, names in _operands(node):
        for name in names:
            if callees.repo.methods(f"__{name}__"):
                found = (callees.method_of(cls, f"__{name}__") for cls in classes_of(operand))
                yield from (each for each in found if each is not None)


@asked
def properties(project: Project, path: str) -> tuple[str, ...]:
    """The names of the functions of a file that may be properties."""
    facts = facts_lookup(project)(path)
    functions = facts.functions if facts is not None else ()
    found = {each.name for each in functions if each.binding is MethodBinding.PROPERTY or len(each.decorators) > 1}
    return tuple(sorted(found))


def _by_attribute(callees: Callees, outline: Outline, node: ast.Attribute, classes_of: _ClassesOf) -> Iterator[_Found]:
    """A property, a descriptor, or the `__getattr__` of a module that has no such name."""
    project = callees.repo.project
    if isinstance(node.value, ast.Name) and node.value.id in outline.imported:
        home = callees.resolver.module(outline, node.value) if project.may_define(_GETATTR) else None
        if home is not None and not home.bindings(home.module, node.attr):
            found = (each for each in home.module.body if isinstance(each, ast.FunctionDef) and each.name == _GETATTR)
            yield from ((home, each) for each in found)
        return
    if not project.with_key(properties, node.attr) and not callees.repo.methods("__get__"):
        return
    for cls in classes_of(node.value):
        for at in callees.resolver.lineage(cls):
            found_method = method(at.node, node.attr)
            if found_method is not None:
                if any(last_name(mark) in _PROPERTIES for mark in found_method.decorator_list):
                    yield at.outline, found_method
                break
            if (made := descriptor(callees, at, node.attr)) is not None:
                got = callees.method_of(made, "__get__")
                yield from [got] if got is not None else ()
                break


def descriptor(callees: Callees, cls: Class, name: str) -> Class | None:
    """The class of the repository whose object the class body binds to the name: `rate = Kept()`."""
    for statement in cls.node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(statement, "value", None)
            made = callees.made_class(cls.outline, value) if isinstance(value, ast.Call) else None
            return Class(*made) if made is not None else None
    return None


def _operands(node: ast.AST) -> Iterator[tuple[ast.expr, tuple[str, ...]]]:
    """The operands whose classes may define what happens, and the special methods that are called."""
    if isinstance(node, ast.BinOp):
        name = _OPERATORS[type(node.op)]
        yield node.left, (name,)
        yield node.right, (f"r{name}",)
    elif isinstance(node, ast.AugAssign):
        name = _OPERATORS[type(node.op)]
        yield node.target, (f"i{name}", name)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand, ("bool", "len") if isinstance(node.op, ast.Not) else (_OPERATORS[type(node.op)],)
    elif isinstance(node, ast.Compare):
        for left, operator, right in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
            if isinstance(operator, (ast.In, ast.NotIn)):
                yield right, ("contains",)
            elif type(operator) in _OPERATORS:
                yield left, (_OPERATORS[type(operator)],)
    elif isinstance(node, ast.Subscript):
        name = {ast.Load: "getitem", ast.Store: "setitem", ast.Del: "delitem"}[type(node.ctx)]
        yield node.value, (name,)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.iter, ("iter",)
    elif isinstance(node, ast.withitem):
        yield node.context_expr, ("enter", "exit")
    elif isinstance(node, ast.FormattedValue):
        yield node.value, ("format", "str", "repr")
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield node.test, ("bool", "len")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BUILTINS:
        for operand in node.args:
            yield operand, _BUILTINS[node.func.id]
