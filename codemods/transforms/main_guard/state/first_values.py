"""What a spawned worker has of that to which only functions give a value, in words: mostly nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....syntax.callees import FUNCTIONS
from ....syntax.main_guard import is_main_process_block
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class, Resolver
from ..data import names
from .changed_settings import Changed, Place, Search


def with_first_value(
    search: Search, changed: Changed, changes: Sequence[Place], owner: Class | None, name: str
) -> Changed:
    """The same, with what a worker has of the attribute `name` of `owner`, or of a global."""
    first = _set_by_import(search, changed, changes)
    if first is not None:
        return replace(changed, home=first)
    inherits = owner is not None and _may_inherit(search.callees.resolver, owner)
    return replace(changed, has=f"at most what a base class gives `{name}`" if inherits else f"no `{name}`")


def _set_by_import(search: Search, changed: Changed, changes: Sequence[Place]) -> Outline | None:
    """The file that calls one of the functions that set it as it is imported, by a worker too."""
    paths = dict.fromkeys((changed.home.path, changed.worker.outline.path, changed.change.path, changed.sent.path))
    files = [outline for path in paths if (outline := search.repo.outline(path)) is not None]
    setters = {scope for change in changes if isinstance(scope := change.outline.scope(change.node), FUNCTIONS)}
    for outline in files:
        for call in (call for setter in setters for call in outline.calls_of(setter.name)):
            if not isinstance(outline.scope(call), ast.Module) or any(
                map(is_main_process_block, outline.ancestors(call))
            ):
                continue
            if any(node in setters for _, node in search.callees.resolver.functions(outline, call.func)):
                return outline
    return None


def _may_inherit(resolver: Resolver, owner: Class) -> bool:
    """A base class from outside the repository may have anything."""
    return any(
        not resolver.classes(at.outline, base) and qualified_name(at.outline, base) not in names("plain_bases")
        for at in resolver.lineage(owner)
        for base in at.node.bases
    )
