"""What a rule is. Each rule lives in a folder of its own below `transforms/`, or comes from another distribution."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .known_error import KnownError

if TYPE_CHECKING:
    from .finding import Finding
    from .project import Project


@dataclass(frozen=True)
class Python2Query:
    """What the rule looks for in Python 2 files, which only Bowler's grammar reads; its fixes are never safe."""

    query: Callable[[], Any]  # gives a bowler.Query
    message: str
    title: str  # of the fix


@dataclass(frozen=True)
class PerFile:
    """`find` of a rule in parts: what it finds in each of `paths`, which are looked at independently of each other.

    So the findings of a file are good until something changes that was read for them. The path "" stands for what is
    found in no file of its own.
    """

    paths: Callable[[Project], Iterable[str]]
    find: Callable[[Project, str], Iterable[Finding]]


class Loss(NamedTuple):
    """State of the main process that a spawned worker silently goes on without: no fix may let more come to it.

    `path` and `line` are the boundary, where the worker is started or gets its work. `only`: the rule whose fixes alone
    may not let it; the worker stops without the state, so others do no harm. `shown`: it does the same, but for what it
    prints, which the user may accept (`--unsafe-fixes`). `some`: there was no room to look at what all workers run, so
    which losses are seen hangs on how much other workers run.
    """

    path: str
    line: int
    message: str
    why: str = "the worker would run, and go on without what it needs"
    only: str = ""
    shown: bool = False
    some: bool = False


Place = tuple[str, int]  # a file and a line


class Losses(Protocol):
    """What workers of a project lose; those at other boundaries than `at` (None: all) may be left out."""

    def __call__(self, project: Project, at: frozenset[Place] | None = None, /) -> Iterable[Loss]:
        """In the order in which they count where several are at one boundary."""


@dataclass(frozen=True)
class Rule:
    """One kind of hazard.

    `find` gives all findings of a project, at every confidence, each with its fix or the reason for having none. Edits
    are offsets into the project's present text. Fixes are computed independently of each other: the pipeline applies
    those that do not overlap, then asks again.

    `documentation` is the docstring of the rule's package: Markdown with the headings What it finds / Why it breaks /
    Example / Use instead / Fix safety / References. The blocks of Example and Use instead are run as tests.
    """

    id: str
    summary: str  # one line, imperative
    screen: re.Pattern[bytes]  # a project no file of which matches has no finding of this rule
    find: Callable[[Project], Iterable[Finding]]
    documentation: str = ""
    errors: tuple[KnownError, ...] = ()  # that its hazards end in, for `diagnose`
    notebooks: bool = True  # whether cells of notebooks are looked at too
    python2: Python2Query | None = None
    follows_values: bool = False  # `find` asks for the value flow of the whole project
    per_file: PerFile | None = None
    losses: Losses | None = None  # asked for the fixes of all rules


def found_by(package: str) -> Callable[[Project], Iterable[Finding]]:
    """`find` of the module `rule` in `package`, imported when it is called: most runs have no work for most rules."""

    def find(project: Project) -> Iterable[Finding]:
        found: Iterable[Finding] = importlib.import_module(f"{package}.rule").find(project)
        return found

    return find


def losses_by(package: str) -> Losses:
    """`losses` of the module `rule` in `package`, imported when it is called."""

    def losses(project: Project, at: frozenset[Place] | None = None) -> Iterable[Loss]:
        found: Iterable[Loss] = importlib.import_module(f"{package}.rule").losses(project, at)
        return found

    return losses


def found_per_file(package: str) -> PerFile:
    """`paths` and `find_in` of the module `rule` in `package`, imported when one of them is called."""

    def paths(project: Project) -> Iterable[str]:
        named: Iterable[str] = importlib.import_module(f"{package}.rule").paths(project)
        return named

    def find(project: Project, path: str) -> Iterable[Finding]:
        found: Iterable[Finding] = importlib.import_module(f"{package}.rule").find_in(project, path)
        return found

    return PerFile(paths, find)
