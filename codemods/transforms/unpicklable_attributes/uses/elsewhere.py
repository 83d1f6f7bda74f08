"""What code does to objects of a class wherever the value flow sees them, in files that need not name the class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ....flow.answers.instance_uses import InstanceUse
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from .file_uses import file_uses, reads_by_line

if TYPE_CHECKING:
    from ..classes import Shape

_STATE_METHODS = frozenset(("__getstate__", "__setstate__", "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__"))


class Elsewhere:
    """The uses of one class, those through `self` left out."""

    def __init__(self, repo: Repo, uses: Iterable[InstanceUse]) -> None:
        self.repo, self.uses = repo, list(uses)

    @property
    def copied(self) -> bool:
        """`copy.copy` gets some object of the class."""
        return any(use.what == "copied" for use in self.uses)

    def sets(self) -> Iterator[tuple[str, str]]:
        """Attributes that are set or deleted, each with the place."""
        for use in self.uses:
            if use.what == "set":
                yield use.attribute, f"{use.path}:{use.line}"

    def reads(self, attribute: str) -> Iterator[tuple[Outline, ast.Attribute]]:
        """Reads of an attribute."""
        for use in self.uses:
            if use.what == "read" and use.attribute == attribute:
                outline = self.repo.outline(use.path)
                if outline is not None:
                    at = file_uses(self.repo.project, outline).once(reads_by_line, attribute)
                    yield from ((outline, node) for node in at.get(use.line, ()))

    def shown(self) -> str | None:
        """The place that reads all attributes at once: `vars(x)`, `x.__dict__`."""
        for use in self.uses:
            outline = self.repo.outline(use.path) if use.what == "shown" else None
            if outline is not None and any(_shows(outline, node, use.line) for node in outline.nodes):
                return f"{use.path}:{use.line}"
        return None


def lists_itself(hierarchy: Iterable[Shape]) -> str | None:
    """The place where these classes read all attributes of their objects at once: `vars(self)`."""
    return next((place for shape in hierarchy if (place := shape.once(_shown_by_itself)) is not None), None)


def _shown_by_itself(shape: Shape) -> str | None:
    for method in shape.methods.values():
        for node in ast.walk(method) if method.name not in _STATE_METHODS else ():
            if _shows(shape.outline, node, getattr(node, "lineno", 0), own=True):
                return f"{shape.outline.path}:{method.lineno} (`{method.name}`)"
    return None


def _shows(outline: Outline, node: ast.AST, line: int, own: bool = False) -> bool:
    """It reads all attributes of an object, the `own` one or another; filling `__dict__` is no reading."""
    if getattr(node, "lineno", 0) != line:
        return False
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        of, above = node.value, outline.parents[node]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("vars", "dir"):
        of, above = node.args[0] if node.args else node.func, outline.parents[node]
    else:
        return False
    fills = isinstance(above, ast.Subscript) or getattr(above, "attr", "") in ("update", "setdefault")
    return not fills and outline.is_self(of) is own
