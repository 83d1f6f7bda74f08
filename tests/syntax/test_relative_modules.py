"""Relative imports stay inside the repository."""

from __future__ import annotations

import pytest

from codemods.syntax.modules import Modules


@pytest.mark.parametrize(
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
