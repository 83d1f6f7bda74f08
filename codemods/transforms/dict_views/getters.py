"""Functions that read an attribute by its name as text, where what they give can't be followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .holders import Difference

_BY_METHOD = ("__getattribute__", "__getattr__")


def out_of_sight(repo: Repo, name: str) -> Iterator[Difference]:
    """Each `attrgetter` of the attribute that is neither called, nor mapped, nor kept under a name for only that."""
    for outline in repo.mentioning(name):
        for call in outline.calls.get("attrgetter", ()):
            texts = [given.value for given in call.args if isinstance(given, ast.Constant)]
            names = [str(text).rpartition(".")[2] for text in texts]
            if name in names and (len(call.args) != 1 or not _is_followed(outline, call)):
                yield _passed_on(outline, call, name)
        for call in outline.calls.get("methodcaller", ()):
            first = [given.value for given in call.args[:2] if isinstance(given, ast.Constant)]
            if len(first) == 2 and first[0] in _BY_METHOD and first[1] == name:
                yield _passed_on(outline, call, name)


def _passed_on(outline: Outline, call: ast.Call, name: str) -> Difference:
    text = f"reads `{name}` by `{last_name(call.func)}`, and it can't be seen what is done with a view there"
    return Difference(outline.path, call.lineno, text, fatal=True)


def _is_followed(outline: Outline, getter: ast.Call) -> bool:
    """Its calls, or what it is mapped over, are found by `attribute_uses`."""
    above = outline.parents[getter]
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        return all(isinstance(target, (ast.Name, ast.Attribute)) for target in targets) and all(
            _is_called(outline, use)
            for target in targets
            if isinstance(target, ast.Name)
            for use in outline.named.get(target.id, ())
            if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load)
            if any(each.statement is above for each in outline.lookup(use, use.id)[1])
        )
    return _is_called(outline, getter)


def _is_called(outline: Outline, function: ast.expr) -> bool:
    call = outline.parents[function]
    if not isinstance(call, ast.Call):
        return False
    return call.func is function or (last_name(call.func) == "map" and call.args[0] is function)
