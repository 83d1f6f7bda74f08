"""Which file of the repo an import means. Research repos put folders on `sys.path`, so more than one root counts."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Container, Iterable, Iterator

from ..project import Project


class Modules:
    """Index of the Python files of a repo by dotted name."""

    def __init__(self, paths: Iterable[str], installed: Container[str] = ()) -> None:
        """`installed`: packages that a file of the same name inside a package of the repo does not stand for."""
        self.paths = set(paths)
        self.installed = installed
        self._by_last: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            parts = path[:-3].split("/")
            if parts[-1] == "__init__":
                parts.pop()
            if parts:
                self._by_last.setdefault(parts[-1], []).append(path)
        self._folders = {folder for path in self.paths for folder in _folders_above(path)}
        self._found: dict[tuple[str, str], str | None] = {}

    def relative(self, importer: str, level: int, module: str) -> str | None:
        """The file that `from <level dots><module>` in `importer` names."""
        folder = importer.split("/")[:-1]
        if level - 1 > len(folder):
            return None
        base = folder[: len(folder) - (level - 1)]
        return self._file("/".join([*base, *module.split(".")] if module else base))

    def absolute(self, importer: str, module: str) -> str | None:
        """The file that `import module` in `importer` names; None for what lies outside the repo."""
        key = (importer.rpartition("/")[0], module)
        if key not in self._found:
            self._found[key] = self._search(*key)
        return self._found[key]

    def namesakes(self, importer: str, module: str) -> Iterator[str]:
        """The files that `import module` in `importer` may name, in its folder and in those above it.

        The first is meant where the script is started by its path, another where a module is, from the folder of that.
        """
        relative = module.replace(".", "/")
        for folder in (*_folders_above(importer), ""):
            if (found := self._file(f"{folder}/{relative}" if folder else relative)) is not None:
                yield found

    def fitting(self, start: str, end: str, importer: str = "") -> list[str]:
        """The files with dotted names that begin with `start`, below any folder of `sys.path`, and end with `end`.

        A `start` with a dot is below the package of `importer`.
        """
        level = len(start) - len(start.lstrip("."))
        if level:
            start = ".".join([*importer.split("/")[:-level], start[level:]])
        before, behind = (re.escape(part.replace(".", "/")) for part in (start, end))
        wanted = re.compile(rf"(?:|.*/){before}[\w/]+{behind}\.py")
        return [path for path in sorted(self.paths) if wanted.fullmatch(path) and not path.endswith("/__init__.py")]

    def imported(self, importer: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        """The files of the repo that an import statement in `importer` names, in order: a module, then what of it."""
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            module = node.module or ""
            names = [module, *(f"{module}.{alias.name}" if module else alias.name for alias in node.names)]
        return self.named(importer, node.level if isinstance(node, ast.ImportFrom) else 0, names)

    def named(self, importer: str, level: int, names: Iterable[str]) -> Iterator[str]:
        """The files of the repo that these modules are, for an import of `level` dots in `importer`, in order."""
        for name in names:
            found = self.relative(importer, level, name) if level else self.absolute(importer, name)
            if found is not None:
                yield found

    def _file(self, stem: str) -> str | None:
        for candidate in (f"{stem}/__init__.py" if stem else "__init__.py", f"{stem}.py"):
            if candidate in self.paths:
                return candidate
        return None

    def _search(self, folder: str, module: str) -> str | None:
        relative = module.replace(".", "/")
        top = module.partition(".")[0]
        is_folder = False  # a package without `__init__.py`, which is what is meant where no other is in sight
        while True:  # the script's folder first, then the folders above it up to the root
            found = self._file(f"{folder}/{relative}" if folder else relative)
            if found is not None and (relative.count("/") > 1 or not self._inside(folder, top)):
                return found
            is_folder = is_folder or (f"{folder}/{relative}" if folder else relative) in self._folders
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        found = self._file(f"src/{relative}")
        if found is not None or is_folder or top in sys.stdlib_module_names:
            return found
        tails = (f"/{relative}.py", f"/{relative}/__init__.py")
        candidates = [
            path
            for path in self._by_last.get(relative.rpartition("/")[2], ())
            if path.endswith(tails) and not self._inside(path[: path.rindex("/" + relative)], top)
        ]
        return candidates[0] if len(candidates) == 1 else None

    def _inside(self, folder: str, top: str) -> bool:
        """`top` in `folder` is a part of a package, and something installed goes by the same name.

        A path of three names that is here is meant: the package may be where programs are started.
        """
        return top in self.installed and f"{folder}/__init__.py" in self.paths


def _folders_above(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def modules_of(project: Project) -> Modules:
    """The modules of a project; `project.derive(modules_of)` makes the index once."""
    return Modules(project.python_paths)
