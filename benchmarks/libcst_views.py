"""The peer: `self.x = d.keys()` -> `list(...)`, written as LibCST's tutorial would have it, for its own runner."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
from libcst.codemod import VisitorBasedCodemodCommand

_VIEW = m.Call(func=m.Attribute(attr=m.Name("keys") | m.Name("values") | m.Name("items")), args=[])
_ON_SELF = m.AssignTarget(target=m.Attribute(value=m.Name("self")))


class ListStoredViews(VisitorBasedCodemodCommand):
    """Wraps every dict view that is assigned to an attribute of `self`, whether it crosses a boundary or not."""

    DESCRIPTION = "wrap stored dict views in list()"

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        """The rewrite itself."""
        if not (
            m.matches(updated_node.value, _VIEW) and any(m.matches(each, _ON_SELF) for each in updated_node.targets)
        ):
            return updated_node
        return updated_node.with_changes(value=cst.Call(cst.Name("list"), [cst.Arg(updated_node.value)]))
