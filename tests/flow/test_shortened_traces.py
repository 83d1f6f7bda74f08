"""Long traces: what joins two objects or functions stays in sight, whatever the words for it are."""

from __future__ import annotations

from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.tree.files import MemoryFiles

STEPS = 14


def test_what_keeps_the_value_stays_in_a_long_trace() -> None:
    renamed = "\n".join(f"v{at + 1} = v{at}" for at in range(STEPS))
    kept = "\n".join(f"w{at + 1} = w{at}" for at in range(STEPS))
    text = (
        "import functools\nfrom multiprocessing import Process\n\n"
        f"v0 = lambda: 1\n{renamed}\nw0 = functools.partial(print, v{STEPS})\n{kept}\n"
        f"Process(target=w{STEPS}).start()\n"
    )
    flow = flow_of(Project(MemoryFiles({"train.py": text.encode()})))
    (crossing,) = flow.crossings(frozenset({HazardKind.LAMBDA}))
    words = [hop.what for hop in crossing.trace]
    assert any("more steps" in word for word in words)
    assert "stored by `functools.partial(...)`" in words
