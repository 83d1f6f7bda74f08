"""Class attributes whose value is computed each time that a local class is made.

class Reader:                                 class _Reader:
    size = config.size                ->          def __init__(self, size):
    def read(self): ... self.size                     self.size = size

Such a value is taken where the class stood (`functools.partial(_Reader, config.size)`), and each object keeps it.
"""

from __future__ import annotations

import ast

from ....finding import Edit
from ....nodes import end_line, end_place
from ....syntax.binding_rules import FUNCTIONS, positional, takes_self
from ....syntax.names import last_name, whose_class
from ....syntax.outline import Outline
from ....syntax.placement import blank_lines_below, end_of_line
from ....syntax.repo import Repo
from ....syntax.scope_data import Use
from ....syntax.scopes import Scopes
from ....tree.source import Source
from ..candidate import Unit

_DATA = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.Tuple,
         ast.ListComp, ast.SetComp, ast.DictComp)  # fmt: skip
_TYPES = frozenset({"int", "float", "len", "str", "list", "dict", "set", "tuple", "range", "sum", "max", "min",
                    "sorted", "round", "abs", "bool", "next", "print", "enumerate", "zip"})  # fmt: skip
_DESCRIPTORS = frozenset({"property", "cached_property", "classmethod", "staticmethod", "partialmethod"})
_OF_DESCRIPTORS = frozenset({"__get__", "__set__", "__delete__", "__set_name__"})
_ASKING = frozenset({"getattr", "hasattr", "setattr", "delattr", "attrgetter"})
_LISTING = frozenset({"__dict__", "__getattribute__", "__slots__", "vars", "getmembers"})
_ON_THE_SPOT = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)


def may_be_handed_over(statement: ast.Assign | ast.AnnAssign) -> str | None:
    """The name of the attribute, where its value may be an argument; None where it may not."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    value = statement.value
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or value is None:
        return None
    name = targets[0].id
    annotation = statement.annotation if isinstance(statement, ast.AnnAssign) else None
    if annotation is not None and any(isinstance(node, ast.Call) for node in ast.walk(annotation)):
        return None  # the annotation runs, too, and would be gone
    if name.startswith("__") or any(isinstance(node, _ON_THE_SPOT) for node in ast.walk(value)):
        return None
    return name


def within_fields(unit: Unit, use: Use) -> bool:
    """The name is read by the value of such an attribute."""
    return any(use.node is node for statement in unit.fields.values() for node in ast.walk(statement))


def why_not_on_objects(scopes: Scopes, unit: Unit, repo: Repo, path: str) -> str | None:
    """What forbids that objects keep what the class kept, in words."""
    node = unit.node
    assert isinstance(node, ast.ClassDef)
    if not any(isinstance(statement, FUNCTIONS) for statement in node.body):
        return "it has no method"
    inner = scopes.inner(node)
    names = unit.fields.keys()
    for use in scopes.uses:
        if use.scope is inner and use.name in names:
            return f"its body reads `{use.name}` (line {getattr(use.node, 'lineno', node.lineno)})"
    bound_twice = next((name for name in names if len(inner.bindings[name]) > 1), None)
    if bound_twice is not None:
        return f"`{bound_twice}` is bound more than once in it"
    for statement in unit.fields.values():
        value = statement.value
        if isinstance(value, ast.Call) and _may_be_descriptor(scopes, value):
            return f"`{ast.unparse(value)}` (line {value.lineno}) may be a descriptor, which works on a class only"
    values = {inner for statement in unit.fields.values() for inner in ast.walk(statement)}
    inside = set(ast.walk(node))
    compared = () if _asks_by_variable(scopes) else (ast.Compare, ast.Subscript)
    for found in ast.walk(scopes.tree):
        if found in values:
            continue
        if isinstance(found, ast.Constant) and found.value in names and not isinstance(scopes.parents[found], compared):
            return f"`{found.value}` may be asked for by name (line {found.lineno})"
        if not isinstance(found, ast.Attribute) or found.attr not in names:
            continue
        where = f"`{ast.unparse(found)}` (line {found.lineno})"
        if isinstance(found.ctx, ast.Del):
            return f"{where} is deleted"
        if found in inside and not _is_own_object(scopes, node, found):
            return f"{where} is read from the class"
        if isinstance(found.value, ast.Call) or whose_class(found.value) is not None:
            return f"{where} may be read from the class"
        value = unit.fields[found.attr].value
        if value is not None and not is_data(value) and not _is_used_as_data(scopes, found):
            return f"{where} may be a function, which a class makes a method of"
    return _asked_of_a_class_elsewhere(unit, repo, path)


def _asks_by_variable(scopes: Scopes) -> bool:
    """The file may ask for an attribute by a text that stands elsewhere in it: `getattr(x, key)`, `vars(x)`."""
    for node in ast.walk(scopes.tree):
        name = last_name(node) if isinstance(node, (ast.Attribute, ast.Name)) else ""
        if name in _LISTING:
            return True
        if name in _ASKING:
            call = scopes.parents[node]
            given = call.args if isinstance(call, ast.Call) and call.func is node else []
            texts = given if name == "attrgetter" else given[1:2]
            if not texts or not all(isinstance(text, ast.Constant) for text in texts):
                return True
    return False


def _asked_of_a_class_elsewhere(unit: Unit, repo: Repo, path: str) -> str | None:
    """`type(x).size` or `x.__class__.size` in another file."""
    for name in unit.fields:
        for outline in repo.mentioning(name):
            for found in outline.attributes.get(name, ()) if outline.path != path else ():
                if _is_class(outline, found.value):
                    return f"`{ast.unparse(found)}` ({outline.path}:{found.lineno}) may be read from the class"
            for call in (*outline.calls.get("getattr", ()), *outline.calls.get("hasattr", ())):
                asked = call.args[1] if len(call.args) > 1 else None
                if isinstance(asked, ast.Constant) and asked.value == name and _is_class(outline, call.args[0]):
                    return f"`{ast.unparse(call)}` ({outline.path}:{call.lineno}) may be read from the class"
    return None


def _is_class(outline: Outline, value: ast.expr) -> bool:
    """`type(x)`, `x.__class__`, or a name for one of them."""
    if isinstance(value, ast.Name):
        bound = [binding.value for binding in outline.lookup(value, value.id)[1]]
        return value.id == "cls" or any(
            each is not None and not isinstance(each, ast.Name) and _is_class(outline, each) for each in bound
        )
    return whose_class(value) is not None


def _may_be_descriptor(scopes: Scopes, call: ast.Call) -> bool:
    """It makes an object of a class that is not seen to be none."""
    name = last_name(call.func)
    if name in _DESCRIPTORS or not name[:1].isupper():
        return name in _DESCRIPTORS
    found = scopes.module.bindings.get(name, []) if isinstance(call.func, ast.Name) else []
    made = found[0].node if len(found) == 1 else None
    if not isinstance(made, ast.ClassDef) or made.bases or made.keywords:
        return True
    return any(isinstance(each, FUNCTIONS) and each.name in _OF_DESCRIPTORS for each in made.body)


def _is_own_object(scopes: Scopes, node: ast.ClassDef, found: ast.Attribute) -> bool:
    """It is an attribute of the first parameter of a plain method of the class."""
    if not isinstance(found.value, ast.Name):
        return False
    owner = scopes.owner(scopes.around(found), found.value.id)
    method = owner.node if owner is not None else None
    if not isinstance(method, FUNCTIONS) or scopes.parents[method] is not node:
        return False
    return takes_self(method) and positional(method)[:1] == [found.value.id]


def is_data(value: ast.expr) -> bool:
    """What the expression gives is no function, whatever it reads."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _TYPES
    return isinstance(value, _DATA)


def _is_used_as_data(scopes: Scopes, found: ast.Attribute) -> bool:
    around = scopes.parents[found]
    if not isinstance(found.ctx, ast.Load) or isinstance(
        around, (*_DATA, ast.FormattedValue, ast.Subscript, ast.Slice)
    ):
        return True
    if isinstance(around, ast.Call):
        return around.func is not found and isinstance(around.func, ast.Name) and around.func.id in _TYPES
    return isinstance(around, (ast.For, ast.comprehension, ast.Return, ast.If, ast.While, ast.Assert, ast.Attribute))


def field_edits(source: Source, unit: Unit) -> list[Edit]:
    """The statements go, with the blank lines below those that the class begins with."""
    assert isinstance(unit.node, ast.ClassDef)
    edits = []
    kept = [statement for statement in unit.node.body if statement not in unit.fields.values()]
    for statement in unit.fields.values():
        last = end_line(statement)
        if statement.lineno < kept[0].lineno:
            last += blank_lines_below(source, last)
        edits.append(Edit(source.path, source.line_starts[statement.lineno - 1], source.line_starts[last], ""))
    return edits


def is_alone(source: Source, statement: ast.stmt) -> bool:
    """No other statement and no comment shares its lines."""
    first, last = statement.lineno, end_place(statement)
    before = source.text[source.line_starts[first - 1] : source.offset(first, statement.col_offset)]
    after = source.text[source.offset(*last) : end_of_line(source, last[0])]
    return not before.strip() and not after.strip()
