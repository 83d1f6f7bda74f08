"""What stands beside the Python files of a repository, by the names of its files alone."""

from __future__ import annotations

from dataclasses import dataclass

from ...project import Project

_PACKAGING = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})


@dataclass(frozen=True)
class Surroundings:
    """`packaged`: the folders whose packages are installed, and called by code that is not here."""

    packaged: frozenset[str] = frozenset()
    notebooks: bool = False
    python_files: int = 0

    @classmethod
    def of(cls, project: Project) -> Surroundings:
        """Those of the files of `project`."""
        packaged = frozenset(path.rpartition("/")[0] for path in project.paths if path.rpartition("/")[2] in _PACKAGING)
        notebooks = any(path.endswith(".ipynb") for path in project.paths)
        return cls(packaged, notebooks, len(project.python_paths))

    def is_installed(self, path: str) -> bool:
        """The file lies where a package is built from."""
        folder = path.rpartition("/")[0]
        while folder not in self.packaged:
            if not folder:
                return False
            folder = folder.rpartition("/")[0]
        return True
