"""Folders with other people's code are left out: said where code that is looked at imports from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.delivery.target import to_check
from harness.repositories import git, own_home, repo

__all__ = ["own_home", "repo"]

READER = "class Reader:\n    def __init__(self):\n        self.parse = lambda text: text\n"


@pytest.mark.parametrize("tracked", [True, False], ids=["git", "plain"])
@pytest.mark.parametrize(
    "line, folder, files, told",
    [
        ("from thirdparty.lib.data import Reader", "thirdparty", ("__init__.py", "lib/data.py"), "2 Python files"),
        ("import os, third_party.data as data", "third_party", ("data.py",), "a Python file"),
        ("    from lib.data import Reader", "third-party", ("lib/__init__.py", "lib/data.py"), "2 Python files"),
        ("from lib.data import Reader", "3rdparty", ("project/lib/data.py",), "a Python file"),
        ("from pkg.thirdparty.data import Reader", "pkg/thirdparty", ("data.py",), "a Python file"),
        ("import os", "thirdparty", ("lib/data.py",), ""),
        ("from data.lib import Reader", "thirdparty", ("lib/data.py",), ""),
        ("from pkg.data import Reader", "thirdparty", ("pkg/data.py",), ""),  # there is one of ours
        ("x = 'from thirdparty.lib import Reader'", "thirdparty", ("lib/data.py",), ""),
        ("import data", ".venv", ("data.py",), ""),
    ],
)
def test_vendored(
    repo: Path, tmp_path: Path, tracked: bool, line: str, folder: str, files: tuple[str, ...], told: str
) -> None:
    root = repo if tracked else tmp_path / "plain"
    for name in files:
        (root / folder / name).parent.mkdir(parents=True, exist_ok=True)
        (root / folder / name).write_text(READER)
    (root / "pkg").mkdir(exist_ok=True)
    (root / "pkg/__init__.py").write_text("")
    (root / "train.py").write_text(f"if True:\n    pass\n{line}\n" if line[0] != " " else f"if True:\n{line}\n")
    if tracked:
        git(repo, "add", "-A", "-f")
    found = to_check(root).vendored()
    assert [row.path for row in found] == [folder] * bool(told)
    assert all(row.reason.startswith(told) and "though train.py imports from there" in row.reason for row in found)
    if tracked and told:
        assert to_check(root / folder).vendored() == ()
