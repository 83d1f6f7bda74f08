"""The files that the imports of a file name: relative ones, modules out of a package, and stars."""

from __future__ import annotations

from codemods.flow.answers.crossings import flow_of
from codemods.flow.answers.programs import Programs
from codemods.project import Project
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

FILES = ["lib/__init__.py", "lib/rows.py", "lib/deep/__init__.py", "lib/deep/rows.py", "rows.py"]


@each_row(
    ("line", "files"),
    [
        ("import rows", ["lib/deep/rows.py"]),  # beside it: the file may be run as a script
        ("import lib", ["lib/__init__.py"]),
        ("import lib.rows", ["lib/rows.py"]),
        ("from lib import rows", ["lib/__init__.py", "lib/rows.py"]),
        ("from lib import deep", ["lib/__init__.py", "lib/deep/__init__.py"]),
        ("from lib.rows import first", ["lib/rows.py"]),
        ("from lib.rows import *", ["lib/rows.py"]),
        ("from lib import *", ["lib/__init__.py"]),
        ("from . import rows", ["lib/deep/__init__.py", "lib/deep/rows.py"]),
        ("from .rows import first", ["lib/deep/rows.py"]),
        ("from .rows import *", ["lib/deep/rows.py"]),
        ("from .. import rows", ["lib/__init__.py", "lib/rows.py"]),
        ("from ..rows import first", ["lib/rows.py"]),
        ("from ..rows import *", ["lib/rows.py"]),
        ("from . import use", ["lib/deep/__init__.py"]),  # itself
        ("import other", []),
        ("from other import *", []),
    ],
)
def test_what_an_import_names(line: str, files: list[str]) -> None:
    path = "lib/deep/use.py"
    project = Project(MemoryFiles({**dict.fromkeys(FILES, b"x = 1\n"), path: f"{line}\n".encode()}))
    solution = flow_of(project).solution
    found = Programs(solution).imported(solution.program.facts_of(path))
    assert sorted({*found}) == files
