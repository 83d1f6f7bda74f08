"""Which files do more with dict views than to loop over them, by their facts: a look before their trees are read."""

from __future__ import annotations

from ...flow.facts.records import Call, FileFacts
from ...flow.facts.syntax import VIEW_METHODS
from ...hazard_kind import HazardKind

# builtins that have taken the elements, or looked at the view, when they return
_TAKE_ELEMENTS = frozenset(
    ("list", "sorted", "len", "tuple", "set", "frozenset", "sum", "max", "min", "any", "all", "print", "str")
)


def uses_views(facts: FileFacts) -> bool:
    """True where some view in the file may be kept, passed on or returned; False is sure."""
    views = {node for node, kind, _ in facts.hazards if kind is HazardKind.DICT_VIEW}
    if not views.isdisjoint(source for source, _, _ in facts.edges):
        return True
    if any(value in views for _, _, value, _, _ in facts.stores) or any(
        value in views for _, value, _, _ in facts.puts
    ):
        return True
    builtin = {name for name, _ in facts.unbound} if not facts.star_imports else set()
    return any(_takes_view(call, views, builtin) for call in facts.calls)


def _takes_view(call: Call, views: set[int], builtin: set[str]) -> bool:
    if len(call.arguments) == 1 and call.text.rpartition(".")[2] in VIEW_METHODS:  # `OrderedDict.keys(table)`
        return True
    passed = (*call.arguments, *(value for _, value in call.keywords), *call.double_stars)
    if views.isdisjoint(passed):
        return False
    return call.text not in _TAKE_ELEMENTS or call.text not in builtin
