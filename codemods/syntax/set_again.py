"""Where an attribute of a class's objects may be set again by code that never says `x.name = value`.

`vars(x)["name"] = value`, `self.__dict__.update(options)`, `x.__setattr__("name", value)`, and a constructor that is
called once more. What gives an object its state, or another object the state of this one, sets nothing again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..project import Project
from .binding_rules import FUNCTIONS
from .file_tree import position
from .names import last_name
from .outline import Outline
from .repo import Repo
from .resolver import Class
from .written_by_name import SAYS, WORDS, places_of_names, written

_COPIES = frozenset({"__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__replace__", "__new__"})
_NO_CHANGES = _COPIES | {"__setstate__", "__getstate__", "__setattr__"}
_CONSTRUCTORS = frozenset({"__init__", "__post_init__"})


def set_again(
    project: Project, repo: Repo, cls: Class, attribute: str, made: ast.AST, places: Iterable[tuple[str, int]]
) -> str | None:
    """`path:line` where that may be, after `made` is evaluated, which stands in the class; None if nowhere.

    `places`: lines where an object of the class, which is not `self` there, is asked for its dict or a special method.
    """
    found = [(source.path, None) for source in project.matching(SAYS, words=WORDS)]
    for path, line in [*found, *places]:
        outline = repo.outline(path)
        if outline is None:
            continue
        for node in places_of_names(outline):
            if line is not None and node.lineno != line:
                continue
            target = _set_by(repo, outline, node, attribute)
            if target is None or _is_own(outline, target) is not (line is None) or _is_early(outline, node, made):
                continue
            owner = outline.owner(node)
            if line is not None:
                again = not _is_new(outline, target)
            else:
                again = owner is not None and repo.resolver.may_be_related(Class(outline, owner), cls)
            if again:
                return f"{path}:{node.lineno}"
    return None


def constructed_again(repo: Repo, cls: Class, places: Iterable[tuple[str, int]]) -> str | None:
    """`path:line` of `self.__init__(...)` or `x.__init__(...)`; a class whose state is given back may do that."""
    seen = set(places)
    for outline in repo.mentioning("__init__"):
        for node in outline.attributes.get("__init__", ()):
            call = outline.parents[node]
            if not isinstance(call, ast.Call) or call.func is not node or _of_copies(outline, node):
                continue
            if outline.is_self(node.value):
                owner = outline.owner(node)
                again = owner is not None and repo.resolver.may_be_related(Class(outline, owner), cls)
            else:
                again = (outline.path, node.lineno) in seen and isinstance(node.value, (ast.Name, ast.Attribute))
                again = again and not _is_new(outline, node.value)
            if again:
                return f"{outline.path}:{node.lineno}"
    return None


def _set_by(repo: Repo, outline: Outline, node: ast.expr, attribute: str) -> ast.expr | None:
    """The object whose attribute it sets; the copy of a state and what a function returns are no changes."""
    if isinstance(outline.parents[node], (ast.Return, ast.Yield)) or _of_copies(outline, node):
        return None
    return written(repo, outline, node, attribute)


def _is_own(outline: Outline, target: ast.expr) -> bool:
    return outline.is_self(target) or (isinstance(target, ast.Call) and last_name(target.func) == "super")


def _is_early(outline: Outline, node: ast.expr, made: ast.AST) -> bool:
    """A constructor does it, and not below `made`."""
    names = {function.name: function for function in _functions(outline, node)}
    constructor = next((names[name] for name in _CONSTRUCTORS if name in names), None)
    return constructor is not None and not (
        any(each is made for each in ast.walk(constructor)) and position(node) > position(made)
    )


def _of_copies(outline: Outline, node: ast.AST) -> bool:
    return any(function.name in _NO_CHANGES for function in _functions(outline, node))


def _functions(outline: Outline, node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (above for above in outline.ancestors(node) if isinstance(above, FUNCTIONS))


def _is_new(outline: Outline, target: ast.expr) -> bool:
    """`other = Rows.__new__(Rows)`: a second object that gets the attributes of the first."""
    bindings = outline.lookup(target, target.id)[1] if isinstance(target, ast.Name) else ()
    return bool(bindings) and all(
        isinstance(item.value, ast.Call) and last_name(item.value.func) == "__new__" for item in bindings
    )
