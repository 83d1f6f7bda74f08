"""Classes that Python itself notes with a class, in the main process only: subclasses, and those of `ABC.register`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from .changed_settings import Place, Search
from .process_state import ChangedState, inherits, made_before, place_of
from .worker_functions import Worker

_SUBCLASSES, _REGISTER, _META = "__subclasses__", "register", "ABCMeta"
_CHECKS, _ABSTRACT = ("isinstance", "issubclass"), ("ABC", _META)


class _Noted(NamedTuple):
    owner: Class
    registers: bool  # else its subclasses


def class_registries(search: Search) -> Iterator[ChangedState]:
    """One per class and script, at the first place where a worker depends on it."""
    readers: dict[_Noted, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        nodes = worker.nodes if sent is not None else ()
        for node in nodes:
            for noted, place in _reads(search, worker.outline, node) if isinstance(node, ast.Call) else ():
                if sent is not None:
                    readers.setdefault(noted, []).append((Place(worker.outline, place, ""), sent))
    for noted, places in readers.items():
        changes = list(_registered(search, noted.owner) if noted.registers else _derived(search, noted.owner))
        what = "registered with" if noted.registers else "derived from"
        for change, changed in made_before(search, changes, places):
            name = noted.owner.node.name
            depends = (
                f"the classes {what} `{name}`, to which {place_of(change)} adds one in the main process only: a "
                "spawned worker lacks it"
            )
            advice = "do the same where workers import it: at module level, outside of the main guard"
            yield ChangedState(depends, advice, changed)


def _reads(search: Search, outline: Outline, call: ast.Call) -> Iterator[tuple[_Noted, ast.expr]]:
    if isinstance(call.func, ast.Name) and call.func.id in _CHECKS and len(call.args) == 2:
        for value in call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]:
            for owner in search.callees.resolver.classes(outline, value):
                if _is_abstract(search, owner):
                    yield _Noted(owner, registers=True), value
    elif isinstance(call.func, ast.Attribute) and call.func.attr == _SUBCLASSES:
        for owner in search.callees.resolver.classes(outline, call.func.value):
            yield _Noted(owner, registers=False), call.func


def _is_abstract(search: Search, owner: Class) -> bool:
    metas = (word.value for at in search.callees.resolver.lineage(owner) for word in at.node.keywords)
    bases = search.callees.resolver.base_names(owner)
    return any(last_name(meta) == _META for meta in metas) or any(
        base.rpartition(".")[2] in _ABSTRACT for base in bases
    )


def _registered(search: Search, owner: Class) -> Iterator[Place]:
    """`Shape.register(Box)`, `@Shape.register`, also of a class below it."""
    resolver = search.callees.resolver
    for outline in search.repo.mentioning(_REGISTER):
        for node in outline.attributes.get(_REGISTER, ()):
            if any(owner in resolver.lineage(cls) for cls in resolver.classes(outline, node.value)):
                yield Place(outline, node, "")


def _derived(search: Search, owner: Class) -> Iterator[Place]:
    """Classes below it, also by `type(name, bases, body)`."""
    for outline in search.repo.mentioning(owner.node.name):
        for nodes in outline.definitions.values():
            for node in nodes:
                if isinstance(node, ast.ClassDef) and node is not owner.node and node.bases:
                    yield from _below(search, outline, node, owner)
        for call in outline.calls.get("type", ()):
            bases = call.args[1] if len(call.args) == 3 else None
            for base in bases.elts if isinstance(bases, ast.Tuple) else ():
                if owner in search.callees.resolver.classes(outline, base):
                    yield Place(outline, base, "")


def _below(search: Search, outline: Outline, node: ast.ClassDef, owner: Class) -> Iterator[Place]:
    if owner in search.callees.resolver.lineage(Class(outline, node)):
        yield Place(outline, node.bases[0], "")
