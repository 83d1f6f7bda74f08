"""One step of a dict view: who holds it next, and what is done with it on the spot that a list would not do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...syntax.names import last_name
from ...syntax.outline import Outline, pairs
from ...syntax.receivers import qualified_name
from ...syntax.resolver import Class

_SIGNS: dict[type[ast.AST], str] = {
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Sub: "-",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_SET_METHODS = frozenset(("isdisjoint", "mapping"))
_TEXT = frozenset(("print", "str", "repr", "format", "ascii"))
_LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "format"))
_AS_TEXT = "puts it into a text, which would read differently"
_SHOWING = frozenset(("print", "pprint", "warn")) | (_LOGGING - {"format"})
_TEXT_PARTS = (
    ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Tuple, ast.Attribute, ast.Call, ast.keyword, ast.Starred,
)  # fmt: skip
_TYPE_TESTS = frozenset(("isinstance", "type", "hasattr"))
_SAME_ANSWER = frozenset(  # a list is one of these where a view is one
    ["str", "bytes", "bytearray", "int", "float", "complex", "bool", "dict", "OrderedDict", "defaultdict", "Mapping",
     "Number", "ndarray", "Tensor", "Path", "Iterable", "Sized", "Container", "Collection", "object"]
)  # fmt: skip
_EQUALITY = frozenset(("assertEqual", "assertEquals", "assertNotEqual", "assertSetEqual"))
_APPENDING = frozenset(("append", "appendleft", "insert", "setdefault"))
_KEEPERS = frozenset(("dict", "OrderedDict", "SimpleNamespace", "Namespace"))  # f(name=x) holds x under `name`


@dataclass(frozen=True, slots=True)
class Problem:
    """What a list would do differently, at `path`:`line`; `fatal`: no fix, else an unsafe one."""

    path: str
    line: int
    text: str
    fatal: bool


@dataclass(frozen=True, slots=True)
class Held:
    """Something that holds the view: an attribute of any object, a local name, or what a function returns.

    `kind` is "attribute", "name", "result" or "argument" (of the call of `callee`; `index`: position or keyword there);
    `owner` the class that stores the attribute on itself, by its name where it is not of the repository; `statement`
    the binding of a local name;
    `nested`: the view sits inside a container that is held; `place`: the node that it is stored to.
    """

    kind: str
    name: str
    owner: Class | str | None = None
    outline: Outline | None = None
    scope: ast.AST | None = None
    statement: ast.AST | None = None
    nested: bool = False
    hops: int = 0
    index: int | str | None = None
    callee: ast.expr | None = None
    place: ast.AST | None = field(default=None, compare=False)


# One decision list over the kinds of node above a value; taken apart, its order could not be read any more.
def held_by(  # noqa: C901
    outline: Outline, value: ast.AST, nested: bool = False, hops: int = 0
) -> tuple[list[Held], list[Problem]]:
    """Who holds `value` next, and what is done with it on the spot."""
    node = value
    reached = not nested  # is `node` the view itself (or may it be)?
    held: list[Held] = []
    problems: list[Problem] = []

    def problem(text: str, fatal: bool) -> None:
        if text is _AS_TEXT and only_shown(outline, node):
            return
        problems.append(Problem(outline.path, getattr(node, "lineno", 0), text, fatal))

    while (parent := outline.parents.get(node)) is not None:
        if isinstance(parent, ast.NamedExpr):
            held.append(_name(outline, parent.target, nested, hops))
        elif isinstance(parent, (ast.BoolOp, ast.IfExp, ast.Await)):
            if isinstance(parent, ast.IfExp) and parent.test is node:
                break
        elif isinstance(parent, ast.Subscript) and parent.value is node and nested:
            reached = True
        elif isinstance(parent, ast.Attribute):
            call = outline.parents.get(parent)
            if nested and parent.attr in ("get", "pop", "values", "items", "copy") and isinstance(call, ast.Call):
                reached, node = reached or parent.attr in ("get", "pop"), call
                continue
            if reached and (parent.attr in _SET_METHODS or parent.attr in ("__and__", "__or__", "__sub__", "__xor__")):
                problem(f"uses `.{parent.attr}`, which a list does not have", True)
            break
        elif isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.ListComp, ast.DictComp)):
            grand = outline.parents.get(parent)
            if isinstance(parent, ast.Tuple) and isinstance(grand, ast.BinOp) and isinstance(grand.op, ast.Mod):
                problem(_AS_TEXT, False)
                break
            if isinstance(parent, ast.DictComp) and parent.value is not node:
                break
            nested = True
        elif isinstance(parent, ast.keyword):
            node = parent
            continue
        elif isinstance(parent, ast.BinOp):
            if type(parent.op) in _SIGNS and reached:
                problem(f"uses it with `{_SIGNS[type(parent.op)]}`, which a list does not have", True)
            elif isinstance(parent.op, ast.Mod) and parent.right is node:
                problem(_AS_TEXT, False)
            break
        elif isinstance(parent, ast.AugAssign):
            if type(parent.op) in _SIGNS and reached:
                problem(f"uses it with `{_SIGNS[type(parent.op)]}=`, which a list does not have", True)
            break
        elif isinstance(parent, ast.Compare):
            for left, sign, right in zip(
                [parent.left, *parent.comparators], parent.ops, parent.comparators, strict=False
            ):
                if node in (left, right) and type(sign) in _SIGNS:
                    problem(f"compares it with `{_SIGNS[type(sign)]}`: a list is equal to no set and no view", True)
            break
        elif isinstance(parent, ast.FormattedValue):
            problem(_AS_TEXT, False)
            break
        elif isinstance(parent, ast.Match):
            problem("matches it against patterns: a list is a sequence, a view is none", True)
            break
        elif isinstance(parent, ast.Assign):
            for target in parent.targets:
                for place, part in pairs(target, parent.value):
                    if part is node or (part is parent.value and node is parent.value):
                        held.extend(_stored(outline, place, nested, hops))
                    elif isinstance(target, ast.Tuple) and nested and _inside(outline, value, part):
                        # `self.a, self.b = x.keys(), y.keys()`: the tuple on the right is only punctuation
                        held.extend(
                            _stored(outline, place, value is not part and not _direct(outline, value, part), hops)
                        )
            break
        elif isinstance(parent, ast.AnnAssign):
            held.extend(_stored(outline, parent.target, nested, hops))
            break
        elif isinstance(parent, (ast.Return, ast.Lambda)):
            scope = outline.scope(node)
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(parent, ast.Return):
                marks = {getattr(mark, "attr", getattr(mark, "id", "")) for mark in scope.decorator_list}
                kind = "attribute" if marks & {"property", "cached_property"} else "result"
                held.append(Held(kind, scope.name, nested=nested, hops=hops + 1))
            break
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            if nested and parent.iter is node:
                held.extend(
                    _name(outline, name, False, hops, loose=isinstance(parent, ast.comprehension))
                    for name in ast.walk(parent.target)
                    if isinstance(name, ast.Name)
                )
            break
        elif isinstance(parent, ast.arguments):
            held.extend(_parameter(outline, parent, node, nested, hops))
            break
        elif isinstance(parent, ast.Call):
            if parent.func is node:
                break
            if _gives_back(parent, node):
                node = parent
                continue
            more, found = _argument(outline, parent, node, value, nested, reached, hops)
            problems.extend(found)
            held.extend(more)
            if not (isinstance(node, ast.keyword) and last_name(parent.func) in _KEEPERS):
                break
            nested = True
        else:
            break
        node = parent
    return held, problems


def only_shown(outline: Outline, node: ast.AST) -> bool:
    """The text that `node` becomes is printed, logged or said in an error, and goes nowhere else."""
    child = node
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.Raise, ast.Assert)):
            return True
        if isinstance(parent, ast.Call) and parent.func is not child:
            name = last_name(parent.func)
            if name in _SHOWING:
                return not any(keyword.arg == "file" for keyword in parent.keywords)
            error = isinstance(outline.parents.get(parent), ast.Raise)
            if not (error or name in _TEXT or name == "join"):
                return False
        elif not isinstance(parent, _TEXT_PARTS):
            return False
        child = parent
    return False


def _gives_back(call: ast.Call, default: ast.AST) -> bool:
    """`d.get(key, default)`, `getattr(x, "name", default)`"""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("get", "pop") and len(call.args) == 2 and call.args[1] is default
    return last_name(call.func) == "getattr" and len(call.args) == 3 and call.args[2] is default


def _inside(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    return node is part or part in outline.ancestors(node)


def _direct(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    """No container lies between `node` and `part`."""
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.Call, ast.ListComp, ast.DictComp)):
            return not _inside(outline, parent, part)
        if parent is part:
            return True
    return True


def _name(outline: Outline, name: ast.Name, nested: bool, hops: int, loose: bool = False) -> Held:
    statement = None if loose else outline.statement(name)
    return Held(
        "name", name.id, outline=outline, scope=outline.scope(name), statement=statement, nested=nested, hops=hops
    )


def _parameter(outline: Outline, args: ast.arguments, default: ast.AST, nested: bool, hops: int) -> Iterator[Held]:
    """The parameter whose default value is `default`."""
    function, positional = outline.parents[args], [*args.posonlyargs, *args.args]
    last = positional[len(positional) - len(args.defaults) :]
    for arg, value in [*zip(last, args.defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]:
        if value is default:
            yield Held("name", arg.arg, outline=outline, scope=function, statement=function, nested=nested, hops=hops)


def _stored(outline: Outline, place: ast.expr, nested: bool, hops: int) -> Iterator[Held]:
    while isinstance(place, ast.Subscript):
        place, nested = place.value, True
    if isinstance(place, ast.Name):
        yield _name(outline, place, nested, hops)
    elif isinstance(place, ast.Attribute):
        owner = outline.owner(place) if outline.is_self(place.value) else None
        cls = Class(outline, owner) if owner is not None else None
        yield Held("attribute", place.attr, cls, nested=nested, hops=hops, place=place)


def _argument(
    outline: Outline, call: ast.Call, argument: ast.AST, value: ast.AST, nested: bool, reached: bool, hops: int
) -> tuple[list[Held], list[Problem]]:
    """A view handed to a call: what that call makes of it."""
    line: int = getattr(argument, "lineno", call.lineno)
    func = call.func
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    if isinstance(func, ast.Name) and name in _TYPE_TESTS and reached and call.args and call.args[0] is argument:
        types = call.args[1].elts if len(call.args) > 1 and isinstance(call.args[1], ast.Tuple) else call.args[1:]
        same = bool(types) and all(last_name(item) in _SAME_ANSWER for item in types)
        return [], [] if same else [Problem(outline.path, line, "asks for its type", True)]
    if (isinstance(func, ast.Name) and name in _TEXT) or (isinstance(func, ast.Attribute) and name in _LOGGING):
        shown = only_shown(outline, argument)
        return [], [] if shown else [Problem(outline.path, line, _AS_TEXT, False)]
    if qualified_name(outline, func).startswith("numpy.") and reached:
        text = "hands it to NumPy, which takes a list for a row of values and a view for one object"
        return [], [Problem(outline.path, line, text, False)]
    if any(qualified_name(outline, argument).startswith("operator.") for argument in [func, *call.args]):
        return [], [Problem(outline.path, line, "hands it to an operator that a list may not have", True)]
    if name in _EQUALITY and reached:
        return [], [
            Problem(outline.path, line, f"compares it with `{name}`: a list is equal to no set and no view", True)
        ]
    if isinstance(func, ast.Attribute) and name in _APPENDING:
        return list(_stored(outline, func.value, True, hops)), []
    if (
        name == "setattr"
        and len(call.args) == 3
        and call.args[2] is argument
        and isinstance(call.args[1], ast.Constant)
    ):
        return [Held("attribute", str(call.args[1].value), nested=nested, hops=hops, place=call)], []
    if isinstance(argument, ast.keyword) and argument.arg is not None and argument.arg not in ("args", "kwargs"):
        return [_given(outline, func, argument.arg, nested, hops)], []
    target = next((item.value for item in call.keywords if item.arg == "target"), None)
    inner = argument.value if isinstance(argument, ast.keyword) else argument
    if (
        target is None
        and call.args
        and isinstance(call.args[0], (ast.Name, ast.Attribute))
        and call.args[0] is not argument
    ):
        target = call.args[0]
    held = []
    if isinstance(inner, ast.Tuple) and inner is not value and target is not None:  # Process(target=f, args=(view,))
        for at, item in enumerate(inner.elts):
            if _inside(outline, value, item):
                direct = _direct(outline, value, item)
                held.append(_given(outline, target, at, not direct, hops))
    index = next((at for at, item in enumerate(call.args) if item is argument), None)
    if index is None or any(isinstance(item, ast.Starred) for item in call.args[:index]):
        return held, []
    if target is not None and index > 0:  # executor.submit(f, view)
        held.append(_given(outline, target, index - 1, nested, hops))
    return [*held, _given(outline, func, index, nested, hops)], []


def _given(outline: Outline, callee: ast.expr, index: int | str, nested: bool, hops: int) -> Held:
    """An argument of a call of `callee`."""
    name = last_name(callee)
    return Held("argument", name, outline=outline, nested=nested, hops=hops + 1, index=index, callee=callee)
