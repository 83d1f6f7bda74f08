"""Stored views in Python 2 files: lists there, but views when the file is moved to Python 3."""

from __future__ import annotations

from typing import Any

from ...rule import Python2Query


def _lists() -> Any:
    """`self.x = d.keys()` -> `self.x = list(d.keys())`: a list already, and still one under Python 3."""
    from bowler import Query
    from fissix.fixer_util import Call, Name

    def listed(node: Any, capture: dict[str, Any], filename: str) -> Any:
        value = capture["value"]
        call = Call(Name("list"), [value.clone()], prefix=value.prefix)
        call.children[1].children[1].prefix = ""
        value.replace(call)
        return node

    return (
        Query([])
        .select(
            "expr_stmt< power< 'self' trailer< '.' NAME > > '=' "
            "value=power< any+ trailer< '.' ('keys' | 'values' | 'items') > trailer< '(' ')' > > >"
        )
        .modify(listed)
    )


PYTHON2 = Python2Query(
    _lists, "a list under Python 2, but under Python 3 a live view, which can't be pickled", "Store a list"
)
