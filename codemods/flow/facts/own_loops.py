"""Loaders that go over their samples themselves: `class Windows(DataLoader)` with its own `__iter__`."""

from __future__ import annotations

import builtins

from .records import FileFacts, self_nodes

_OF_TORCH = frozenset({"__iter__", "_get_iterator", "_iterator"})  # attributes by which torch's own loop is reached
_LOADER = "DataLoader"
_ITERATOR = "DataLoaderIter"  # how the names of torch's iterators end, the private ones of each release


def may_use_torchs_loop(facts: FileFacts) -> bool:
    """The classes of the file may leave the loop over a loader to torch, which starts workers for it.

    By `super().__iter__()`, by an iterator of torch's, or by handing themselves, or to a loader what they were given
    (`DataLoader(self.dataset, ...)`), to code of another file.
    """
    if any(attribute in _OF_TORCH for _, attribute, _ in facts.loads):
        return True
    if any(name.endswith(_ITERATOR) for made in facts.classes for name in made.base_names):
        return True
    own = {made.name for made in facts.classes} | {function.name for function in facts.functions}
    selves = self_nodes(facts).keys()
    kept = {result for base, _, result in facts.loads if base in selves}
    for call in facts.calls:
        given = {*call.arguments, *(node for _, node in call.keywords)}
        if call.text.endswith(_ITERATOR) or (not selves.isdisjoint(given) and not _stays_here(call.text, own)):
            return True
        if call.text.endswith(_LOADER) and not kept.isdisjoint(given):
            return True
    return False


def _stays_here(text: str, own: set[str]) -> bool:
    """What is called is of Python or of this file, or only sets up the object."""
    return text in own or hasattr(builtins, text) or text.endswith(".__init__")
