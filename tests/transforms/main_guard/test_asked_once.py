"""What many scripts ask of all texts is looked for once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from codemods.project import Project
from harness.small import reported

SCRIPT = """\
import multiprocessing as mp

import tools

def work():
    print(tools.NAME)

p = mp.Process(target=work)
p.start()
p.join()
"""
TOOLS = """\
import multiprocessing
import sys

NAME = getattr(sys.modules["__main__"], "NAME", "")


def choose(method="fork"):
    multiprocessing.set_start_method(method)
"""


def test_the_texts_are_searched_once_for_all_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    paths_matching = Project.paths_matching

    def counted(project: Project, pattern: Any, **kwargs: Any) -> Iterator[str]:
        counts[pattern.pattern] += 1
        return paths_matching(project, pattern, **kwargs)

    monkeypatch.setattr(Project, "paths_matching", counted)
    files = {"tools.py": TOOLS, **{f"script{at}.py": SCRIPT for at in range(5)}}
    assert {found.path for found in reported(files, "main-guard")} >= files.keys() - {"tools.py"}
    often = {pattern: count for pattern, count in counts.items() if count >= 5}
    assert not often
