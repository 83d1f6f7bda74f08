"""Which objects keep what a method of a base class makes: those of classes that run the method."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HANDLERS = """\
from multiprocessing import Process
from threading import Lock


class Handler:
    def __init__(self):
        self.lock = Lock()


class Remote(Handler):
    {init}

    def work(self):
        pass


if __name__ == "__main__":
    Process(target=Remote().work).start()
"""


@each_row(
    ("init", "found"),
    [
        ("name = 'remote'", True),
        ("def __init__(self):\n        self.name = 'remote'", False),
        ("def __init__(self):\n        super().__init__()", True),
        ("def __init__(self):\n        Handler.__init__(self)", True),
    ],
)
def test_a_constructor_that_does_not_run(init: str, found: bool) -> None:
    files = MemoryFiles({"a.py": HANDLERS.format(init=init).encode()})
    lines = [each.span.line for each in check(files, Settings(select=("unpicklable-attributes",))).findings]
    assert lines == [7] * found
