"""Programs whose comments say what the flow analysis must find: a hazard on each line that ends in `# proven`..."""

from __future__ import annotations

import re
import textwrap

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.tree.files import MemoryFiles

KINDS = frozenset(HazardKind) - {HazardKind.EVALUATED, HazardKind.LOADED, HazardKind.INSTANCE}
_MARK = re.compile(r"# (proven|likely|possible)$")


def dedented(files: dict[str, str]) -> dict[str, str]:
    """`files`, each without the indentation that all of its lines share."""
    return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}


def marked(files: dict[str, str]) -> set[tuple[str, int, str]]:
    """(path, line, confidence) of every comment that says so."""
    return {
        (path, number, match[1])
        for path, text in dedented(files).items()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := _MARK.search(line))
    }


def crossing(files: dict[str, str]) -> set[tuple[str, int, str]]:
    """(path, line, confidence) of every hazard that the flow analysis sees crossing, or that may."""
    contents = {path: text.encode() for path, text in dedented(files).items()}
    found = flow_of(Project(MemoryFiles(contents))).crossings(KINDS)
    assert all(isinstance(each.confidence, Confidence) for each in found)
    return {(each.path, each.line, each.confidence.value) for each in found}
