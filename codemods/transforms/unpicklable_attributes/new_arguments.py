"""Classes whose `__new__` must get arguments: pickle calls it without any in the process that unpickles an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...finding import Finding, Hop, Refused
from ...flow.answers.crossings import flow_of
from .classes import Shape
from .family import Family
from .own_reducers import registered
from .screen import ID

if TYPE_CHECKING:
    from .search import Search

_GIVES = frozenset({"__getnewargs__", "__getnewargs_ex__", "__reduce__", "__reduce_ex__"})
_BY_HAND = "let `__getnewargs__` of the class return what `__new__` needs, or do in `__init__` what it does"


def made_without_arguments(search: Search, path: str) -> Iterator[Finding]:
    """One per such class whose objects cross."""
    for shape, needed in search.needing(path):
        method, name = shape.methods["__new__"], shape.node.name
        source = search.project.source(path)
        found = flow_of(search.project).instances(path, shape.node.lineno)
        if source is None or found is None or not found.confidence.reaches(search.project.bar_of(path)):
            continue
        words = ", ".join(f"`{each}`" for each in needed)
        message = (
            f"`__new__` of `{name}` must be given {words}, and pickle gives it nothing: a worker process under spawn "
            "or forkserver stops with `TypeError`"
        )
        hop = Hop(path, method.lineno, "pickle makes the copy here")
        span = source.span_of([*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs][-1])
        yield Finding.answered(ID, path, span, message, found.confidence, (hop, *found.trace), Refused(_BY_HAND))


def required(family: Family, shape: Shape) -> list[str]:
    """What the class's own `__new__` must be given beside the class, where nothing says what it gets."""
    method = shape.methods.get("__new__")
    if method is None or method.decorator_list:
        return []
    arguments = method.args
    named = [*arguments.posonlyargs, *arguments.args]
    placed = named[1 : len(named) - len(arguments.defaults)]
    only = [each for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is None]
    line = [*family.line(shape)]
    foreign = {name.rpartition(".")[2] for name in family.foreign(shape)} - {"object"}
    if foreign or any(each.node.keywords or _GIVES & each.methods.keys() for each in line):
        return []
    return [each.arg for each in (*placed, *only)] if registered(family, shape) is None else []
