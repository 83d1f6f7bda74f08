"""What is looked for in Python 2 files. There is no flow in them: nothing is more than `possible`, and no fix safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..finding import Confidence, Finding, Fix, Hop
from ..syntax.python2 import edits_by

if TYPE_CHECKING:
    from ..project import Project

UNSAFE = "this file is Python 2: which values reach a process, and what else reads them, can't be followed in it"


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


_WHAT: dict[str, tuple[Callable[[], Any], str, str]] = {
    "dict-views": (
        _lists,
        "a list under Python 2, but under Python 3 a live view, which can't be pickled",
        "Store a list",
    )
}


def find(rule: str, project: Project) -> Iterator[Finding]:
    """Findings of `rule` in the Python 2 files of `project`, one for each place that its query changes."""
    if rule not in _WHAT:
        return
    make, message, title = _WHAT[rule]
    for path in project.python2_paths:
        source = project.source(path)
        if source is None:
            continue
        for edit in edits_by(source, make):
            span = source.span(edit.start, edit.end)
            fix = Fix(title, (edit,), unsafe=UNSAFE)
            yield Finding(rule, path, span, message, Confidence.POSSIBLE, (Hop(path, span.line, "stored here"),), fix)
