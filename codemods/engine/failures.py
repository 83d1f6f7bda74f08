"""What is said of a file that a rule fails on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..finding import Skipped
from ..tree.old_names import modern
from .compiled import compiles, libcst_reads

if TYPE_CHECKING:
    from ..project import Project
    from ..rule import Rule
    from ..tree.source import Source


def left_out(rule: Rule, error: Exception, path: str | None, source: Source | None) -> Skipped:
    """Why `rule` left out the file `path` that `error` came from (None: it is not known which)."""
    if path is not None and source is not None:
        unread = isinstance(error, SyntaxError) or type(error).__name__ == "ParserSyntaxError"
        if unread and modern(source.text) != source.text:
            what = "it uses `async` or `await` as a name, which Python 3.7 refuses"
            return Skipped(path, f"left out by {rule.id}: {what}", partly=True)
        if type(error).__name__ == "ParserSyntaxError" and not libcst_reads(source.text):
            return Skipped(
                path, f"left out by {rule.id}: Python reads it, but LibCST, which rewrites it, does not", partly=True
            )
        if isinstance(error, SyntaxError) and not compiles(source.text):
            return Skipped(
                path, f"left out by {rule.id}: it does not compile: line {error.lineno}: {error.msg}", partly=True
            )
    what = f"{type(error).__name__}: {error}".partition("\n")[0]
    return Skipped(path or ".", f"rule {rule.id} failed here (our bug): {what}", rule.id)


def culprit(error: Exception, project: Project) -> str | None:
    """The file that code was busy with when it raised: the innermost variable on the stack that names one."""
    import traceback

    known = set(project.paths)
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        values = frame.f_locals
        for value in (values.get("path"), getattr(values.get("source"), "path", None)):
            if isinstance(value, str) and value in known:
                return value
    return None
