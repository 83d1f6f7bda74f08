"""Words that a name is made of: what a function is for, what it does, and where it is defined."""

from __future__ import annotations

import ast
import re

from ....syntax.binding_rules import FUNCTIONS, ScopeKind
from ....syntax.names import last_name
from ....syntax.scope_data import Scope
from ....syntax.scopes import Scopes
from ..candidate import Movable

# `Conv3D` and `ReLU` are one word, `V2Block`, `DiTBlock` and `LoRALayer` are two
_CAMEL = re.compile(
    r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z])(?<!\b[A-Z][a-z])(?=[A-Z](?![A-Z][a-z]))|(?<=[A-Z0-9])(?=[A-Z](?!v\d)[a-z])"
)
_LONG = 36
_LONG_ROLE = 24
_MOST_NUMBERS = 3
_SHORT = 3  # `.t()` says nothing of what a function is for
_WRAPPERS = frozenset({"defaultdict", "partial", "Lambda", "staticmethod"})  # they say nothing about what it is for
_SAYS_NOTHING = frozenset({"func", "fn", "function", "f", "lambd", "op", "callable"})  # arguments that may do anything
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: "greater", ast.GtE: "at_least", ast.Lt: "less", ast.LtE: "at_most", ast.Eq: "equal", ast.NotEq: "not_equal",
}  # fmt: skip
_VERB = re.compile(
    r"_?(?:build|construct|create|define|gen|generate|get|init|initiali[sz]e|make|new|prepare|produce|set_?up)_(?=\w)"
)
_COLLECTS = frozenset({"stack", "cat", "concat", "concatenate", "array", "list", "tuple"})
_SAYS_LITTLE = ("_fn", "_func", "_function")  # at the end of the name of a function
_FILLS = frozenset({"append", "appendleft", "add", "extend", "insert"})  # what is filled says it


def snake(name: str) -> str:
    """`RandomCrop` -> `random_crop`; anything not allowed in an identifier becomes an underscore."""
    return re.sub(r"\W+|_+", "_", _CAMEL.sub("_", name)).strip("_").lower()


def role(scopes: Scopes, node: ast.AST) -> str:
    """What the value is for, from where it stands: the argument's, variable's or key's name; "fn" when nothing says.

    Where it is one of several it is called by what it does, as far as that has a name: "reshape", "identity".
    """
    done = describe_lambda(node) if isinstance(node, ast.Lambda) and _is_one_of_several(scopes, node) else ""
    vague = isinstance(node, ast.Lambda) and done == _describe_operation(node.body) and _has_own_name(scopes, node)
    if done and not vague:
        return done
    parent = scopes.parents[node]
    if is_identity(node) and isinstance(parent, (ast.List, ast.Tuple, ast.Set, ast.IfExp, ast.BoolOp)):
        return "identity"
    if is_identity(node) and isinstance(parent, ast.Call):
        called = last_name(parent.func)
        one_of_several = len(parent.args) > 1 and called not in _FILLS and called != "setattr"
        if called in _WRAPPERS or (one_of_several and not _named_by_text(parent, node)):
            return "identity"
    below, second_best = node, ""
    for above in scopes.ancestors(node):
        if isinstance(above, ast.keyword) and above.arg:
            beside = _words_beside(scopes.parents[above]) if above.arg in _SAYS_NOTHING else ""
            return beside or "_".join(filter(None, [_key_above(scopes, above), snake(above.arg)]))
        if isinstance(above, ast.Dict):
            keys = [key for key, value in zip(above.keys, above.values, strict=True) if value is below]
            if keys and isinstance(keys[0], ast.Constant) and isinstance(keys[0].value, str) and snake(keys[0].value):
                return _usable("_".join(filter(None, [_table_above(scopes, above), snake(keys[0].value)])))
        if isinstance(above, ast.Call) and below is not above.func:
            called = last_name(above.func)
            if called == "setattr" and len(above.args) == 3 and isinstance(above.args[1], ast.Constant):
                return _usable(snake(str(above.args[1].value)))
            if called in _FILLS and isinstance(above.func, ast.Attribute) and last_name(above.func.value):
                return _usable(snake(last_name(above.func.value)))
            named = _named_by_text(above, below)
            if named or (called not in _WRAPPERS and not called[:1].isupper()):
                return named or _usable(snake(called))
            if second_best == "":
                second_best = "fn" if called in _WRAPPERS else _usable(snake(called))
        if isinstance(above, ast.arguments):
            return _parameter_of(above, below)
        if isinstance(above, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            target = above.targets[0] if isinstance(above, ast.Assign) else above.target
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                return _usable(snake(str(target.slice.value)))
            return _usable(snake(last_name(target)))
        if isinstance(above, ast.stmt):
            break
        below = above
    return second_best or ("identity" if is_identity(node) else "fn")


def _has_own_name(scopes: Scopes, node: ast.Lambda) -> bool:
    """It belongs to a key of a dict, or is the only one of its list."""
    lists = (above for above in scopes.ancestors(node) if isinstance(above, (ast.List, ast.Tuple, ast.Set)))
    nearest = next(lists, None)
    return bool(_key_above(scopes, node)) or (nearest is not None and len(nearest.elts) == 1)


def _is_one_of_several(scopes: Scopes, node: ast.Lambda) -> bool:
    """It stands in a list, among the arguments of a class, or fills a list."""
    below: ast.AST = node
    for above in scopes.ancestors(node):
        if isinstance(above, (ast.List, ast.Tuple, ast.Set)):
            return True
        if not isinstance(above, (ast.Call, ast.IfExp, ast.BoolOp, ast.Starred)):
            return False
        if isinstance(above, ast.Call):
            called = last_name(above.func)
            if below is above.func or _named_by_text(above, below):
                return False
            if called in _FILLS or (called[:1].isupper() and len(above.args) > 1):
                return True
        below = above
    return False


def holder_of(scopes: Scopes, node: ast.Lambda) -> str:
    """The name of the variable, attribute or argument that gets the list in which it stands; "" for none."""
    for above in scopes.ancestors(node):
        if isinstance(above, ast.keyword):
            return snake(above.arg or "")
        if isinstance(above, (ast.Assign, ast.AnnAssign)):
            target = above.targets[0] if isinstance(above, ast.Assign) else above.target
            return snake(last_name(target))
        if isinstance(above, ast.stmt):
            break
    return ""


def describe_lambda(node: ast.Lambda) -> str:
    """What a lambda does, by the last thing that it calls: `max` for `lambda x: x.max(dim=0).values`; or ""."""
    if is_identity(node):
        return "identity"
    return _describe_value(node.body)


def describe_function(node: Movable) -> str:
    """What a function does whose only statement gives a value, as `describe_lambda` would say; or ""."""
    if isinstance(node, ast.Lambda):
        return describe_lambda(node)
    only = node.body[0]
    if len(node.body) > 1 or not isinstance(only, ast.Return) or only.value is None:
        return ""
    return _describe_value(only.value)


def _describe_value(value: ast.expr) -> str:
    at = value
    while True:
        while isinstance(at, (ast.Attribute, ast.Subscript)) or (
            isinstance(at, ast.Call) and isinstance(at.func, ast.Call)
        ):
            at = at.func if isinstance(at, ast.Call) else at.value
        if not isinstance(at, ast.Call):
            return _describe_operation(value)
        if inner := _describe_collected(at):
            return inner
        name = snake(last_name(at.func))
        if name.isidentifier() and _SHORT <= len(name) <= _LONG_ROLE:
            return name
        if not isinstance(at.func, ast.Attribute):
            return ""
        at = at.func.value


def _describe_collected(call: ast.Call) -> str:
    """`normalize` for `torch.stack([normalize(crop) for crop in crops])`: what is done to each; or ""."""
    first = call.args[0] if call.args else None
    if last_name(call.func) not in _COLLECTS or not isinstance(first, (ast.ListComp, ast.GeneratorExp)):
        return ""
    return _describe_value(first.elt) if isinstance(first.elt, ast.Call) else ""


def numbers_of(node: ast.Lambda) -> str:
    """`3_1024` for `lambda x: x.view(3, 1024)`: all whole numbers in it, where they are few; or ""."""
    constants = [inner.value for inner in ast.walk(node.body) if isinstance(inner, ast.Constant)]
    numbers = [str(value) for value in constants if type(value) is int and value >= 0]
    return "_".join(numbers) if len(numbers) == len(constants) <= _MOST_NUMBERS else ""


def _describe_operation(body: ast.expr) -> str:
    """`scale` for `x * 2`, `rescale` for `x * 2 - 1`, `greater` for `x > 0`; "" for what has no such word."""
    if isinstance(body, ast.Constant):
        return "zero" if body.value == 0 and body.value is not False else "constant"
    if isinstance(body, ast.Compare) and len(body.ops) == 1:
        return _COMPARISONS.get(type(body.ops[0]), "")
    if isinstance(body, ast.Subscript) and isinstance(body.value, ast.Name):
        return "" if isinstance(body.slice, ast.Constant) else "index"
    if not isinstance(body, ast.BinOp):
        return ""
    other = [side for side in (body.left, body.right) if not isinstance(side, ast.Constant)]
    if len(other) != 1:
        return ""
    inner = _describe_operation(other[0]) if isinstance(other[0], ast.BinOp) else ""
    if isinstance(body.op, (ast.Mult, ast.Div)):
        return "rescale" if inner else "scale"
    return ("rescale" if inner else "shift") if isinstance(body.op, (ast.Add, ast.Sub)) else ""


def _named_by_text(call: ast.Call, argument: ast.AST) -> str:
    """`accuracy` for the lambda of `log("accuracy", lambda ...)`; or ""."""
    before = call.args[: call.args.index(argument)] if argument in call.args else []
    texts = [item.value for item in before if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    if not texts or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_/.:-]*", texts[-1]):
        return ""
    name = snake(texts[-1].removeprefix("self."))
    return name if len(name) <= _LONG_ROLE else ""


def _words_beside(call: ast.AST) -> str:
    """`spacing` for `Lambdad(keys="spacing", func=...)`: the first argument that is a word, or words; or ""."""
    for value in [*call.args, *(named.value for named in call.keywords)] if isinstance(call, ast.Call) else ():
        items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
        words = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if words and len(words) == len(items):
            name = "_".join(snake(word) for word in words)
            return name if name.isidentifier() and len(name) <= _LONG_ROLE else ""
    return ""


def is_identity(node: ast.AST) -> bool:
    """True for `lambda x: x`, and for what gives the first of its arguments."""
    if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.Name):
        return False
    given = [*node.args.posonlyargs, *node.args.args]
    return bool(given) and not (node.args.defaults or node.args.vararg) and given[0].arg == node.body.id


def _table_above(scopes: Scopes, table: ast.Dict) -> str:
    """The name that a dict outside of functions has: no function's name says what its entries are about."""
    parent = scopes.parents[table]
    outside = scopes.around(table).kind is ScopeKind.MODULE and isinstance(parent, ast.Assign)
    return snake(last_name(parent.targets[0])) if outside and isinstance(parent, ast.Assign) else ""


def _key_above(scopes: Scopes, node: ast.AST) -> str:
    """The key of the dict entry that the node belongs to, in the same expression and the same function; or ""."""
    below = node
    for above in scopes.ancestors(node):
        if isinstance(above, (ast.stmt, ast.Lambda)):
            break
        if isinstance(above, ast.Dict):
            keys = [key for key, value in zip(above.keys, above.values, strict=True) if value is below]
            if keys and isinstance(keys[0], ast.Constant) and isinstance(keys[0].value, str):
                key = snake(keys[0].value)
                return key if key.isidentifier() and len(key) <= _LONG_ROLE else ""
        below = above
    return ""


def _usable(name: str) -> str:
    return name if name and not name[0].isdigit() else "fn"


def _parameter_of(arguments: ast.arguments, default: ast.AST) -> str:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
    pairs += [
        (argument, value) for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    ]
    return next((snake(argument.arg) for argument, value in pairs if value is default), "fn")


def is_own_attribute(scopes: Scopes, node: ast.AST) -> bool:
    """It is what a method sets an attribute of its object to: `self.load = lambda row: ...`."""
    above = scopes.parents[node]
    while isinstance(above, (ast.IfExp, ast.BoolOp)):
        above = scopes.parents[above]
    targets = above.targets if isinstance(above, ast.Assign) else []
    target = targets[0] if len(targets) == 1 else None
    method = scopes.around(node).node
    if not isinstance(target, ast.Attribute) or not isinstance(method, FUNCTIONS):
        return False
    first = [*method.args.posonlyargs, *method.args.args][:1]
    named = isinstance(target.value, ast.Name) and [target.value.id] == [part.arg for part in first]
    return named and isinstance(scopes.parents[method], ast.ClassDef)


def home_name(scopes: Scopes, node: ast.AST) -> str:
    """The function that makes the node, in snake case; its class for `__init__` and kin, and for what a method keeps
    on its object; "" at module level."""
    if is_own_attribute(scopes, node):
        return class_of(scopes, node)
    scope: Scope | None = scopes.around(node)
    while scope is not None:
        if isinstance(scope.node, FUNCTIONS):
            name = scope.node.name
            if not (name.startswith("__") and name.endswith("__")):
                return snake(name)
            parent = scope.parent
            if parent is not None and isinstance(parent.node, ast.ClassDef):
                return snake(parent.node.name)
        elif isinstance(scope.node, ast.ClassDef):
            return snake(scope.node.name)
        scope = scope.parent
    return ""


def class_of(scopes: Scopes, node: ast.AST) -> str:
    """The class whose method makes the node, in snake case; "" outside of classes."""
    scope: Scope | None = scopes.around(node)
    while scope is not None:
        if isinstance(scope.node, ast.ClassDef):
            return snake(scope.node.name)
        scope = scope.parent
    return ""


def private_name(home: str, what: str) -> str:
    """`_build_loader_collate_fn` from "build_loader" and "collate_fn"; a shared word is not said twice.

    Where that gets longer than anybody wants to read, what it is for has to do.
    """
    known = next((home.removesuffix(end) for end in _SAYS_LITTLE if home.endswith(end)), home)
    repeats = what == known or what.startswith(home if len(home) > _SHORT else home + "_")
    if not home or repeats or len(home) + len(what) > _LONG:
        return "_" + what
    words = what.split("_")
    for count in range(len(words), 0, -1):
        if home.split("_")[-count:] == words[:count]:
            words = words[count:]
            break
    return "_" + "_".join([home, *words])


def without_verb(name: str) -> str:
    """`_activation_fn` for `_get_activation_fn`, whose verb says what its maker does."""
    return _VERB.sub("_", name, count=1) if _VERB.match(name) else name
