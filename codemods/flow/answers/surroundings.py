"""What stands beside the Python files of a repository: packaging, notebooks, texts that name modules."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ...project import Project
from ...questions import asked
from ...syntax.named_modules import named_modules
from ..facts.records import PassedOn, project_facts


@asked
def compared_numbers(project: Project) -> tuple[int, ...]:
    """What parameters are compared with under which processes start: it counts then which number a call gives."""
    project.note_facts()
    found: set[int] = set()
    for facts in project_facts(project).values():
        passed = [value for call in facts.calls for value in call.literals.values() if value.__class__ is PassedOn]
        passed += [each for made in facts.functions for each in (made.processes_if, *(made.under or ())[1:])]
        found.update(each.than[1] for each in passed if isinstance(each, PassedOn) and each.than is not None)
        found.update(each for row in facts.branches for each in row.condition.values if type(each) is int)
    return tuple(sorted(found))


TEXTS = (named_modules.name,)  # the question whose answer depends on texts
NUMBERS = (compared_numbers.name,)
_PACKAGING = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})


@dataclass(frozen=True)
class Surroundings:
    """`packaged`: the folders whose packages are installed, and called by code that is not here.

    `named`: see `named_modules`.
    """

    packaged: frozenset[str] = frozenset()
    notebooks: bool = False
    python_files: int = 0
    named: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, project: Project) -> Surroundings:
        """Those of the files of `project`."""
        packaged = frozenset(path.rpartition("/")[0] for path in project.paths if path.rpartition("/")[2] in _PACKAGING)
        notebooks = any(path.endswith(".ipynb") for path in project.paths)
        return cls(packaged, notebooks, len(project.python_paths), named_modules(project))

    def is_installed(self, path: str) -> bool:
        """The file lies where a package is built from."""
        folder = path.rpartition("/")[0]
        while folder not in self.packaged:
            if not folder:
                return False
            folder = folder.rpartition("/")[0]
        return True

    def is_named(self, path: str, definitions: Collection[str]) -> bool:
        """A text names the module, or one of its `definitions`, for somebody to load."""
        return any((stem(path), name) in self.named for name in ("", *definitions))


def stem(path: str) -> str:
    """The last name of the module that lies there."""
    return path.removesuffix(".py").rpartition("/")[2]
