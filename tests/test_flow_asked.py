"""Where the flow sees a function asked for what only functions have."""

from __future__ import annotations

from codemods.project import Project
from codemods.tree.files import MemoryFiles

MAKER = b"""\
import functools
import types
from show import show


def build(scale):
    seen = lambda x: x * scale
    show(seen)
    quiet = lambda x: x * scale
    wrapped = lambda x: x * scale
    functools.wraps(wrapped)
    looked_at = lambda x: x * scale
    isinstance(looked_at, (int, types.LambdaType))
    isinstance(quiet, int)
    return [quiet]
"""


def test_questions_are_followed_across_files() -> None:
    project = Project(MemoryFiles({"maker.py": MAKER, "show.py": b"def show(fn):\n    print(fn.__name__)\n"}))
    flow = project.flow
    lambdas = {fact.position[0]: fact.position[1] for fact in project.facts["maker.py"].functions}
    seen = flow.asked("maker.py", 7, lambdas[7])
    assert [(q.what, q.path, q.line) for q in seen] == [("__name__", "show.py", 2)]
    assert [q.what for q in flow.asked("maker.py", 10, lambdas[10])] == ["functools.wraps"]
    assert [q.what for q in flow.asked("maker.py", 12, lambdas[12])] == ["isinstance"]
    assert flow.asked("maker.py", 9, lambdas[9]) == []
