"""Calls that pass the number of workers on as a parameter of the function around them gave it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...nodes import walk
from ...syntax.binding_rules import defaults_of, positional
from ...syntax.names import dotted, last_name
from ...syntax.outline import pairs
from .records import PassedOn, TakenFrom
from .scope import Asked, FactsScope

if TYPE_CHECKING:
    from .builder import FactsBuilder

COUNT = "num_workers"
IN_STARS = f"**{COUNT}"  # the key of the literal where it comes by `**kwargs`
AT_TIMES = "at times "  # before a name or a place: the key of the literal True, where the variable is True in a branch
UNDER = "if"  # the key of the literal where the call stands under a parameter that is asked for: no argument's name
# last names of calls that start processes, or hand something to them
_STARTS = frozenset(
    ["Process", "Pool", "ProcessPoolExecutor", "spawn", "start_processes", "DataLoader", "map", "imap",
     "imap_unordered", "starmap", "map_async", "starmap_async", "apply", "apply_async", "submit"]
)  # fmt: skip
_CONTRARY = {"Eq": "NotEq", "LtE": "Gt", "Lt": "GtE"}
_LOOK = frozenset({"get", "setdefault", "items", "keys", "values", "copy"})


def passed_on(scope: FactsScope, call: ast.Call) -> tuple[str, PassedOn] | None:
    """The key and the literal by which `call`, in `scope`, says whose number of workers it uses."""
    function = scope.tree
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    stars: list[ast.expr] = []
    for keyword in call.keywords:
        if keyword.arg is None:
            stars.append(keyword.value)
        elif keyword.arg == COUNT:
            found = _given(scope, function, Asked(dotted(keyword.value)))
            return None if found is None else (COUNT, found)
    if len(stars) != 1 or not isinstance(stars[0], ast.Name):
        return None
    last = function.args.kwarg
    if last is None or stars[0].id != last.arg or COUNT in {part.arg for part in _plain(function.args)}:
        return None
    if scope.passes is None:  # a function may have any number of such calls: it is looked through once
        scope.passes = (_starred(function, last.arg),)
    found = scope.passes[0]
    return None if found is None else (IN_STARS, found)


def unpacks_no_workers(scope: FactsScope, module: ast.Module | None, call: ast.Call) -> bool:
    """Dicts that are written out are all that the call unpacks, and none has a number of workers but 0.

    `DataLoader(rows, **options)` after `options = {"num_workers": 0} if cpu else {}`, or `dict(num_workers=NONE)` of a
    variable of the module that is 0.
    """
    stars = [keyword.value for keyword in call.keywords if keyword.arg is None]
    named = last_name(call.func) or ""
    if not stars or COUNT in {keyword.arg for keyword in call.keywords} or not named.endswith("Loader"):
        return False
    return all(_has_no_workers(scope, _written(scope, module, star)) for star in stars)


def _written(scope: FactsScope, module: ast.Module | None, value: ast.expr) -> ast.expr | None:
    """The value of a variable that is bound once, and not changed; any other expression as it is."""
    if not isinstance(value, ast.Name):
        return value
    home = scope.binding(value.id)
    around = home.tree or module if home is not None else None
    if not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
        return None
    nodes = list(walk(around))
    bound = [each for each in nodes if isinstance(each, ast.Assign) and _binds(each, value.id)]
    unpacked = {each.value for each in nodes if isinstance(each, ast.keyword) and each.arg is None}
    known = {target for each in bound for target in each.targets} | unpacked
    named = [each for each in nodes if isinstance(each, ast.Name) and each.id == value.id]
    return bound[0].value if len(bound) == 1 and known.issuperset(named) else None


def _binds(statement: ast.Assign, name: str) -> bool:
    return len(statement.targets) == 1 and isinstance(target := statement.targets[0], ast.Name) and target.id == name


def _has_no_workers(scope: FactsScope, value: ast.expr | None) -> bool:
    if isinstance(value, ast.IfExp):
        return _has_no_workers(scope, value.body) and _has_no_workers(scope, value.orelse)
    if isinstance(value, ast.Dict):
        if not all(isinstance(key, ast.Constant) for key in value.keys):
            return False
        items = zip(value.keys, value.values, strict=True)
        numbers = [each for key, each in items if isinstance(key, ast.Constant) and key.value == COUNT]
    elif isinstance(value, ast.Call) and dotted(value.func) == "dict" and not value.args:
        if any(word.arg is None for word in value.keywords):
            return False
        numbers = [word.value for word in value.keywords if word.arg == COUNT]
    else:
        return False
    return all(_is_zero(scope, each) for each in numbers)


def _is_zero(scope: FactsScope, value: ast.expr) -> bool:
    known = scope.constant(value.id) if isinstance(value, ast.Name) else getattr(value, "value", None)
    return known == 0 and known is not False


def with_workers(call: ast.Call, value: ast.expr) -> ast.expr:
    """What an argument is where the call has workers: "fork" of `"fork" if workers > 0 else None`."""
    if type(value) is not ast.IfExp:
        return value
    number = next((keyword.value for keyword in call.keywords if keyword.arg == COUNT), None)
    if number is None:
        return value
    some = _some(value.test, ast.unparse(number))
    return value if some is None else value.body if some else value.orelse


def _some(test: ast.expr, number: str) -> bool | None:
    """True for a test that holds where `number` is more than 0, False for its contrary, None for others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _some(test.operand, number)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and ast.unparse(test.left) == number:
        said = f"{type(test.ops[0]).__name__} {ast.unparse(test.comparators[0])}"
        return True if said in ("Gt 0", "NotEq 0", "GtE 1") else False if said in ("Eq 0", "LtE 0", "Lt 1") else None
    return True if ast.unparse(test) == number else None


def asked_for(test: ast.expr, negated: bool = False) -> tuple[Asked, ...]:
    """The names that are set where `test` is true, or false where `negated`: `parallel and workers > 0`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return asked_for(test.operand, not negated)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or if negated else ast.And):
        return tuple(name for value in test.values for name in asked_for(value, negated))
    if isinstance(test, ast.Compare) and _is_none(test.comparators[0]):
        left, how = test.left, test.ops[0]
        if isinstance(how, ast.Is if negated else ast.IsNot):
            return _asks(left, only_none=True) if _is_none(test.comparators[0], zero=False) else ()
        if isinstance(how, ast.Gt):
            return _asks(left) if not negated else ()
    if isinstance(test, ast.Compare):
        among = _texts(test) if not negated else ()
        than = _than(test, negated) if not among else None
        return _asks(test.left, among=among, than=than) if among or than is not None else ()
    return _asks(test) if not negated else ()


def _asks(node: ast.expr, **how: Any) -> tuple[Asked, ...]:
    """Of a name, or of an attribute of one."""
    name = dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    return (Asked(name, **how),) if name and name.count(".") < 2 else ()


def _than(test: ast.Compare, negated: bool) -> tuple[str, int] | None:
    """`("Gt", 1)` of `n > 1`, and of `n <= 1` where it is `negated`."""
    how, number = type(test.ops[0]).__name__, getattr(test.comparators[0], "value", None)
    how = _CONTRARY.get(how, "") if negated else how if how in _CONTRARY.values() else ""
    return (how, number) if len(test.ops) == 1 and how and type(number) is int else None


def _texts(test: ast.Compare) -> tuple[str, ...]:
    """`a` and `b` of `mode in ("a", "b")`, `a` of `mode == "a"`; none where it is compared with anything else."""
    if len(test.ops) > 1 or not isinstance(test.ops[0], (ast.Eq, ast.In)):
        return ()
    other, several = test.comparators[0], isinstance(test.ops[0], ast.In)
    if several and not isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        return ()
    values = [getattr(each, "value", None) for each in (getattr(other, "elts", ()) if several else [other])]
    texts = tuple(value for value in values if isinstance(value, str))
    return texts if len(texts) == len(values) else ()


def under(scope: FactsScope, call: ast.Call) -> PassedOn | None:
    """The parameter of the function around `call`, under which it stands.

    Of calls that start processes, or make objects: their names begin with a capital letter.
    """
    function, called = scope.tree, last_name(call.func) or ""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or not (
        called in _STARTS or called[:1].isupper()
    ):
        return None
    return _asked(scope, function)


def taken_by(
    scope: FactsScope, module: ast.Module, call: ast.Call, node_of: Callable[[ast.expr], int]
) -> dict[str | int, object]:
    """`self.KINDS[kind](...)`: by the name of each class of the table, in brackets, the keys that ask for it.

    `node_of` gives the node of an expression.
    """
    function, table = scope.tree, _table(scope, module, call.func)
    if table is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {}
    assert isinstance(call.func, ast.Subscript) and isinstance(call.func.slice, ast.Name)
    keys: dict[str, list[str]] = {}
    for key, value in zip(table.keys, table.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Name)):
            return {}
        keys.setdefault(value.id, []).append(key.value)
    found = {name: _named(function, Asked(call.func.slice.id, among=tuple(texts))) for name, texts in keys.items()}
    held = call.func.value
    source = TakenFrom(node_of(held), last_name(held) or "", table.lineno)
    if source.node < 0:
        return {}
    return {f"[{name}]": replace(asked, table=source) for name, asked in found.items() if asked is not None}


def _table(scope: FactsScope, module: ast.Module, called: ast.expr) -> ast.Dict | None:
    """The dict that `called` takes an item from: of the class around the function, of the module, or of both."""
    if not (isinstance(called, ast.Subscript) and isinstance(called.slice, ast.Name)):
        return None
    held, owner = called.value, scope.parent.tree if scope.parent is not None else None
    if isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and isinstance(owner, ast.ClassDef):
        body, name = owner.body, held.attr if held.value.id in ("self", "cls", owner.name) else ""
    else:
        body, name = module.body, held.id if isinstance(held, ast.Name) else ""
    bound = [each for each in body if isinstance(each, ast.Assign) and _binds(each, name)]
    value = bound[0].value if len(bound) == 1 else None
    filled = value is not None and any(_is_filled(node, name) for node in walk(module))
    return value if isinstance(value, ast.Dict) and not filled else None


def _is_filled(node: ast.AST, name: str) -> bool:
    """`name[key] = value`, `name.update(...)`, also of an object."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return last_name(node.value) == name
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr not in _LOOK and last_name(called.value) == name


def defined_under(scope: FactsScope) -> tuple[int, PassedOn] | None:
    """The function of `scope`, with its parameter under which what is defined now stands."""
    function = scope.tree if scope.asked_for else None
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    found = _asked(scope, function)
    return None if found is None or found.attribute else (scope.function, found)


def note_choice(builder: FactsBuilder, test: ast.expr, taken: ast.AST, left: ast.AST) -> None:
    """`Pool(4) if parallel else ThreadPool(4)`: the function says which of its parameters chooses processes.

    Also by an import: `if threads: from multiprocessing.dummy import Pool`, and from multiprocessing otherwise.
    """
    scope, function = builder.scope, builder.scope.tree
    threads, chosen = _are_threads(taken), _starting(left if _are_threads(taken) else taken)
    if threads == _are_threads(left) or not chosen:
        return
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        asked = asked_for(test, negated=threads)
        found = next(filter(None, (_named(function, each) for each in asked)), None)
        if found is None and threads and isinstance(test, ast.Name):
            plain = _named(function, Asked(test.id))
            found = None if plain is None else replace(plain, negated=True)
        builder.facts.functions[scope.function].processes_if = found


def _are_threads(node: ast.AST) -> bool:
    """A class of threads, a call of one, or an import of one."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "multiprocessing.dummy" or any(alias.name.startswith("Thread") for alias in node.names)
    return _called(node).startswith("Thread")


def _starting(node: ast.AST) -> bool:
    """The same of what starts processes."""
    if isinstance(node, ast.ImportFrom):
        return any(alias.name in _STARTS for alias in node.names)
    return _called(node) in _STARTS


def _called(node: ast.AST) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node) or ""


def _asked(scope: FactsScope, function: ast.FunctionDef | ast.AsyncFunctionDef) -> PassedOn | None:
    best: PassedOn | None = None
    for asked in scope.asked_for:
        if asked not in scope.asks:  # a function may have any number of calls under one test
            scope.asks[asked] = _given(scope, function, asked)
        found = scope.asks[asked]
        if found is not None and (best is None or (found.than is not None and best.than is None)):
            best = found  # of `n is None or n <= 1` the second
    return best


def _given(scope: FactsScope, function: ast.FunctionDef | ast.AsyncFunctionDef, asked: Asked) -> PassedOn | None:
    return _kept(scope, function, asked) if "." in asked.name else _named(function, asked)


def _plain(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _named(function: ast.FunctionDef | ast.AsyncFunctionDef, asked: Asked) -> PassedOn | None:
    """A parameter that is not bound again."""
    name = asked.name
    if name not in {part.arg for part in _plain(function.args)}:
        return None
    for node in walk(function):
        kind = node.__class__
        if kind is ast.Name:
            if node.id == name and node.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                return None
        elif (kind is ast.Global or kind is ast.Nonlocal) and name in node.names:  # type: ignore[attr-defined]
            return None
    default = next((value for part, value in defaults_of(function) if part.arg == name), None)
    found = PassedOn(name, False, only_none=asked.only_none, among=asked.among, than=asked.than)
    if not isinstance(default, ast.Constant):
        return found
    return replace(found, absent=default.value not in asked.among if asked.among else found.is_off(default.value))


def _kept(scope: FactsScope, function: ast.FunctionDef | ast.AsyncFunctionDef, asked: Asked) -> PassedOn | None:
    """`self.num_workers`, which the constructor sets to a parameter, and nothing else in the class sets."""
    owner = scope.parent.tree if scope.parent is not None else None
    me, _, attribute = asked.name.partition(".")
    if not isinstance(owner, ast.ClassDef) or positional(function)[:1] != [me]:
        return None
    stores = [
        node
        for node in walk(owner)
        if isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load)
    ]
    made = next((item for item in owner.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    for statement in made.body if made is not None else ():
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        for target, kept in pairs(statement.targets[0], statement.value):
            if [target] == stores and isinstance(kept, ast.Name) and made is not None:
                found = _named(made, asked._replace(name=kept.id))
                return None if found is None else replace(found, attribute=attribute)
    return None


def _starred(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> PassedOn | None:
    """A `**` parameter in which the number stays what a call gives; a function may say what it is otherwise."""
    known, absent = set[ast.AST](), True
    nodes = [*walk(function)]
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg is None:
            known.add(node.value)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            known.add(node.comparators[0])
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.ctx, ast.Load) or node.slice.value != COUNT:
                known.add(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _looks(node, node.func.attr):
            known.add(node.func.value)
            if node.func.attr == "setdefault" and _is_about(node.args[0]):
                absent = absent and len(node.args) > 1 and _is_none(node.args[1])
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and _keeps(node.targets[0], node.value, name):
            known.add(_container(node.targets[0]))
            absent = False
        elif isinstance(node, ast.If) and _asks_whether_absent(node.test, name):
            for part in node.body:
                if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == f"{name}['{COUNT}']":
                    known.add(_container(part.targets[0]))
                    absent = absent and _is_none(part.value)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name and node not in known:
            return None
    return PassedOn(name, absent, starred=True)


def _asks_whether_absent(test: ast.expr, name: str) -> bool:
    """`"num_workers" not in kwargs`"""
    return type(test) is ast.Compare and ast.unparse(test) == f"'{COUNT}' not in {name}"


def _container(target: ast.expr) -> ast.expr:
    assert isinstance(target, ast.Subscript)
    return target.value


def _keeps(target: ast.expr, value: ast.expr, name: str) -> bool:
    """`kwargs["num_workers"] = ...` that leaves what is there already as it is."""
    item = f"{name}['{COUNT}']"
    if type(target) is not ast.Subscript or ast.unparse(target) != item:
        return False
    if isinstance(value, ast.IfExp):
        test = ast.unparse(value.test)
        kept = value.orelse if test == f"'{COUNT}' not in {name}" else value.body
        return test in (f"'{COUNT}' not in {name}", f"'{COUNT}' in {name}") and ast.unparse(kept) == item
    return isinstance(value, ast.Call) and ast.unparse(value).startswith(f"{name}.get('{COUNT}'")


def _looks(call: ast.Call, method: str) -> bool:
    if method == "pop":
        return bool(call.args) and isinstance(call.args[0], ast.Constant) and not _is_about(call.args[0])
    if method == "update":
        return not call.args and all(keyword.arg not in (None, COUNT) for keyword in call.keywords)
    return method in _LOOK and (method != "setdefault" or bool(call.args))


def _is_about(key: ast.expr) -> bool:
    return not isinstance(key, ast.Constant) or key.value == COUNT


def _is_none(value: ast.expr | None, zero: bool = True) -> bool:
    """No workers: None, or 0 where `zero`."""
    return isinstance(value, ast.Constant) and (value.value is None or (zero and value.value == 0))
