"""Copies of one of several models, of a layer, of a snapshot: where what is copied is built, and what it holds.

Such copies are made everywhere and work; only those that are seen to hold a process group count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.resolver import FinalValue
from .callers import Built, built_by, calls_in, chain_of, elements_of
from .file_view import FileView, spelled
from .model_copy import Site
from .models import dotted


def constructions(view: FileView, site: Site, value: ast.expr) -> Iterator[Built]:
    """Where the models are built that `value`, seen at `site`, may be: an element `nets[0]`, a layer `net.head`..."""
    value = elements_of(view, site.call, value)
    if (parts := chain_of(value)) is None:
        return
    for length in range(len(parts), 0, -1):
        found = list(built_by(view, site, ".".join(parts[:length]), value))
        for attribute in parts[length:]:
            found = [inner for built in found for inner in _attribute(built, attribute)]
        if found:
            yield from found
            return


def _attribute(built: Built, attribute: str) -> Iterator[Built]:
    """What the class that `built` makes an object of builds for its `self.attribute`."""
    models = built.view.models
    found = models.resolve(built.view.path, dotted(built.call.func) or "")
    if not isinstance(found, FinalValue) or not isinstance(found.node, ast.ClassDef):
        return
    inside = FileView(models, found.outline)
    for node in ast.walk(found.node):
        if isinstance(node, ast.Assign) and any(spelled(target, f"self.{attribute}") for target in node.targets):
            for call in calls_in(inside, node.value):
                yield Built(inside, Site.of(inside, call), node, call, built.hops)
