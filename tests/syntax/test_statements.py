"""Statements that a fix takes out, with the import that only they used."""

from __future__ import annotations

import ast

from codemods.syntax.statements import removed_statement
from codemods.tree.source import Source
from harness.each_row import each_row


@each_row(
    ("before", "after"),
    [
        ("import tasks\nimport os\ntasks.gone()\nprint(1)\n", "import os\nprint(1)\n"),  # os was idle before
        ("import os\nimport tasks\ntasks.gone()\n", "import os\n"),
        ("import tasks\ntasks.gone()\ntasks.stays()\n", "import tasks\ntasks.stays()\n"),
        ("import tasks\n__all__ = ['tasks']\ntasks.gone()\n", "import tasks\n__all__ = ['tasks']\n"),
        ("import tasks.more\ntasks.gone()\n", "import tasks.more\n"),  # it loads a module
        ("import tasks, os\ntasks.gone()\n", "import tasks, os\n"),
        ("from __future__ import annotations\nannotations.gone()\n", "from __future__ import annotations\n"),
        ("import tasks\nx = tasks.gone()\n", "import tasks\nx = tasks.gone()\n"),
    ],
)
def test_what_goes_with_a_statement(before: str, after: str) -> None:
    module = ast.parse(before)
    (call,) = (n for n in ast.walk(module) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "gone")
    source = Source("a.py", before)
    assert source.apply(removed_statement(source, module, call)) == after
