"""Relative imports stay inside the repository."""

from __future__ import annotations

from codemods.syntax.modules import Modules
from harness.each_row import each_row


@each_row(
    ("importer", "level", "module", "wanted"),
    [
        ("pkg/sub/b.py", 1, "c", "pkg/sub/c.py"),
        ("pkg/sub/b.py", 2, "d", "pkg/d.py"),
        ("pkg/sub/b.py", 3, "a", "a.py"),
        ("pkg/sub/b.py", 4, "a", None),
        ("pkg/sub/b.py", 5, "a", None),
        ("a.py", 1, "top", "top.py"),
        ("a.py", 2, "top", None),
        ("pkg/sub/b.py", 2, "", "pkg/__init__.py"),
    ],
)
def test_levels(importer: str, level: int, module: str, wanted: str | None) -> None:
    paths = ("a.py", "top.py", "pkg/__init__.py", "pkg/d.py", "pkg/sub/b.py", "pkg/sub/c.py")
    assert Modules(paths).relative(importer, level, module) == wanted


@each_row(
    ("importer", "module", "wanted"),
    [
        ("one/train.py", "local.tables", "one/local/tables.py"),
        ("one/train.py", "local", None),  # the folder beside it, and not that of another program
        ("one/local/tables.py", "local", None),
        ("two/train.py", "local", "two/local/__init__.py"),
        ("three/train.py", "local", "two/local/__init__.py"),  # put on the path, as far as we know
    ],
)
def test_a_folder_beside_the_script_comes_first(importer: str, module: str, wanted: str | None) -> None:
    paths = ("one/train.py", "one/local/tables.py", "two/train.py", "two/local/__init__.py", "three/train.py")
    assert Modules(paths).absolute(importer, module) == wanted
