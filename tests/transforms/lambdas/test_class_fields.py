"""lambdas: values of a class body that objects keep afterwards are not there for who asks the class."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

PIECES = """\
import types

config = types.SimpleNamespace(size=32)


def make():
    class Grid:
        size = config.size

        def run(self):
            print(self.size)

    return Grid()
"""
RUN = """\
from multiprocessing import Process

from pieces import config, make

if __name__ == "__main__":
    grid = make()
    config.size = 224
    {use}
    Process(target=grid.run).start()
"""


@each_row(
    "use",
    [
        "print(type(grid).size)",
        "print(grid.__class__.size)",
        "print(getattr(type(grid), 'size'))",
        "kind = type(grid)\n    print(kind.size)",
    ],
)
def test_asked_of_the_class_in_another_file(use: str) -> None:
    (reason,) = reasons({"pieces.py": PIECES, "run.py": RUN.format(use=use)}, "lambdas")
    assert "(run.py:" in reason and "may be read from the class" in reason


@pytest.mark.parametrize("use", ["print(grid.size)", "print(type(grid).run)", "print(getattr(grid, 'size'))"])
def test_asked_of_the_object(use: str) -> None:
    changed = migrated({"pieces.py": PIECES, "run.py": RUN.format(use=use)}, "lambdas")
    assert "self.size = size" in changed["pieces.py"]
