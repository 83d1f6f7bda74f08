"""`--bowler-query FILE`: somebody's own Bowler query as one more rule, behind our verification and on our branch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..finding import Confidence, Finding, Fix, Hop
from ..problem import Problem
from ..project import Project
from ..rule import Rule
from ..tree.python2 import edits_by, needed

ID = "bowler-query"


def _rule(name: str, query: Callable[[], Any]) -> Rule:
    """A rule with one finding for each Python file (2 or 3) that the query changes: all of its changes, or none."""
    summary = f"Apply the Bowler query {name}"

    def find(project: Project) -> Iterator[Finding]:
        for path in project.python_paths:
            source = project.source(path)
            if source is None or (project.module(path) is None and path not in project.python2_paths):
                continue
            try:
                edits = edits_by(source, query)
            except Exception as error:  # the query's own code
                what = f"the query failed: {type(error).__name__}: {error}".partition("\n")[0]
                hop = Hop(path, 1, "here")
                yield Finding(ID, path, source.span(0, 0), summary, Confidence.PROVEN, (hop,), reason=what)
                continue
            if edits:
                span = source.span(edits[0].start, edits[0].end)
                hop = Hop(path, span.line, "here")
                fix = Fix(summary, tuple(edits))
                yield Finding(ID, path, span, "the query matches here", Confidence.PROVEN, (hop,), fix)

    return Rule(ID, summary, screen=re.compile(rb""), find=find)


def own_query(file: Path) -> Rule:
    """The rule made of the Python file `file`, which is run: `query` in it is a bowler.Query or a function giving one.

    Raises Problem.
    """
    needed()
    from bowler import Query

    space: dict[str, Any] = {"__name__": "bowler_query", "__file__": str(file)}
    try:
        exec(compile(file.read_bytes(), str(file), "exec"), space)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}") from None
    except (Exception, SystemExit) as error:
        raise Problem(f"{file}: {type(error).__name__}: {error}") from None
    query = space.get("query")
    if isinstance(query, Query):
        fixed = query
        return _rule(file.name, lambda: fixed)
    if not callable(query):
        raise Problem(f"{file}: has no `query`, a bowler.Query or a function that gives one")
    created: Callable[[], Any] = query
    return _rule(file.name, created)
