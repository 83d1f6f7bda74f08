"""Where code may read an attribute by its name as text: `getattr(self, "npz")`, `self.__dict__["npz"]`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.names import written
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ..classes import STATE

_ASK = {"getattr": 1, "__getattribute__": -1, "attrgetter": -1}  # each with the place of the name


def may_be_read_by_text(repo: Repo, own: Iterable[Outline], attribute: str) -> bool:
    """The text of the name stands where it may be a name of an attribute, or the `own` files ask for computed names."""
    return any(_says(outline, attribute) for outline in repo.mentioning(attribute)) or any(map(_computes, set(own)))


def _says(outline: Outline, attribute: str) -> bool:
    """It stands there for more than the key of an item (`rows["npz"]`, `{"npz": 1}`)."""
    texts = (node for node in outline.nodes if attribute in written(node).split("."))
    return any(not _is_key(outline.parents[text], text) for text in texts)


def _is_key(above: ast.AST, text: ast.AST) -> bool:
    if isinstance(above, ast.Subscript):
        return not _is_table(above.value)
    return isinstance(above, ast.Dict) and text in above.keys


def _is_table(node: ast.expr) -> bool:
    """`self.__dict__`, `vars(self)`"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def _computes(outline: Outline) -> bool:
    """`getattr(self, key)`, or all of `self.__dict__`, other than where the object is pickled."""
    for name, at in _ASK.items():
        if any(not all(map(written, call.args[at:][:1])) for call in outline.calls_of(name)):
            return True
    tables: list[tuple[ast.expr, ast.expr]] = [(node, node.value) for node in outline.attributes.get("__dict__", ())]
    tables += [(call, call.args[0]) for call in outline.calls_of("vars") if call.args]
    return any(
        outline.is_self(of)
        and getattr(outline.scope(table), "name", "") not in STATE
        and not _is_named(outline.parents[table], table)
        for table, of in tables
    )


def _is_named(above: ast.AST, table: ast.expr) -> bool:
    """`self.__dict__["npz"]`: `_says` looks at the text."""
    return isinstance(above, ast.Subscript) and above.value is table and bool(written(above.slice))
