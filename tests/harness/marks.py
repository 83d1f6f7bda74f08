"""Programs whose comments say what the flow analysis must find: a hazard on each line that ends in `# proven`..."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

KINDS = frozenset(HazardKind) - {HazardKind.EVALUATED, HazardKind.LOADED, HazardKind.INSTANCE}
# Stands before all other files, whose nodes, functions and classes so have numbers that begin with none.
_FIRST = """\
import json

class FirstOfAll:
    def __init__(self, first_given):
        self.first_kept = [json.loads(each) for each in first_given]

def first_made(first_given):
    return FirstOfAll(first_given)
"""
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


def project_of(files: Mapping[str, str], settings: Settings | None = None) -> Project:
    """A repository of these files and one before them that has nothing to do with them."""
    return Project(MemoryFiles({path: text.encode() for path, text in {"0.py": _FIRST, **files}.items()}), settings)


def crossing(files: dict[str, str]) -> set[tuple[str, int, str]]:
    """(path, line, confidence) of every hazard that the flow analysis sees crossing, or that may."""
    found = flow_of(project_of(dedented(files))).crossings(KINDS)
    assert all(isinstance(each.confidence, Confidence) for each in found)
    return {(each.path, each.line, each.confidence.value) for each in found}
