"""Views that simulations keep: each process makes its own environment, so that none is sent."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

BASE = """\
class Env:
    def reset(self):
        return 0
{step}
class Table(Env):
    def __init__(self, model):
        self.names = model._by_name.keys()
"""
STEP = "    def step(self, action):\n        return 0\n"
MORE = STEP + "    def close(self):\n        pass\n"
SENT = "import pickle\n\npickle.dumps(Table(3))\n"


@each_row(
    ("step", "use", "count"),
    [
        (STEP, "", 0),
        (MORE, "", 0),
        ("", "", 0),  # nothing is seen to send its objects, as of the others
        (STEP, SENT, 1),
        ("", SENT, 1),
    ],
)
def test_a_view_on_an_environment(step: str, use: str, count: int) -> None:
    found = reported({"env.py": BASE.format(step=step) + "\n\n" + use}, "dict-views")
    assert len(found) == count
