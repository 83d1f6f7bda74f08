"""Which files a name may be used or called in, by their text: the others are not looked at."""

from __future__ import annotations

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


@each_row(
    ("text", "is_used", "is_called"),
    [
        ("from m import f\n", False, False),
        ("import m.f\nf_ = f1 = 3\n", False, False),
        ("def f(x):\n    pass\n", False, False),
        ("class f:\n    pass\n", False, False),
        ("    async def f(x): pass\n", False, False),
        ("from m import f\nf(3)\n", True, True),
        ("from m import f as g\ng(3)\n", True, True),
        ("from m import f \\\n    as g\ng(3)\n", True, True),
        ("import m; m.f(3)\n", True, True),
        ("import m\rm.f(3)\r", True, True),
        ("from m import f\nx = [f]\n", True, False),
        ("x = (f)(3)\n", True, True),
        ("x = f [int] (3)\n", True, True),
        ("x = (f # of m\n  (3))\n", True, True),
        ("x = f \\\n  (3)\n", True, True),
        ("x.f = 3\n", True, False),
        ("def g(): f(3)\n", True, True),
        ("from m import (\n    f,\n)\n", True, False),  # it may be anything that goes over lines
    ],
)
def test_a_file_that_uses_a_name(text: str, is_used: bool, is_called: bool) -> None:
    repo = Repo(Project(MemoryFiles({"a.py": text.encode(), "b.py": b"f1(3)\n"})))
    assert [outline.path for outline in repo.using("f")] == ["a.py"] * is_used
    assert [outline.path for outline in repo.calling("f")] == ["a.py"] * is_called
