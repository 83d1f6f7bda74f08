"""Whether a program imports `multiprocessing.managers`, after which processes get views of dicts as lists."""

from __future__ import annotations

from ...finding import Hop, Trace
from ...syntax.outline import Outline
from ...syntax.repo import Repo

_MANAGERS = "multiprocessing.managers"
# `Lib/multiprocessing/managers.py` registers views with the pickler of these; `pickle` itself knows nothing of it
_TAKES_LISTS = ("multiprocessing.", "torch.multiprocessing.", "torch.utils.data.", "concurrent.futures.")


def imports_managers(repo: Repo, boundary: str, trace: Trace) -> Hop | None:
    """Where a file on the way to `boundary` imports them, itself or by `Manager()`."""
    if not boundary.startswith(_TAKES_LISTS):
        return None
    for path in dict.fromkeys(hop.path for hop in trace):
        outline = repo.outline(path)
        line = _line(outline) if outline is not None else None
        if line is not None:
            return Hop(path, line, f"`{_MANAGERS}` is imported here: from then on a process gets a view as a list")
    return None


def _line(outline: Outline) -> int | None:
    named = (
        (node.lineno, f"{getattr(node, 'module', None) or ''}.{alias.name}".lstrip("."), getattr(node, "module", ""))
        for node in outline.imports
        for alias in node.names
    )
    lines = [line for line, name, module in named if _MANAGERS in (name, module)]
    lines += [call.lineno for call in outline.calls_of("Manager")]
    return min(lines, default=None)
