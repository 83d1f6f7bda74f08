"""lambdas: a method stands for the lambda that calls it where asking the object for it gives the same at any time."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """\
import multiprocessing as mp

from other import patch


class Rows:
    def crop(self, row):
        return row * 2

    def run(self):
        function = lambda row: self.crop(row)
        patch(self)
        with mp.Pool(1) as pool:
            return pool.map(function, [1, 2])


if __name__ == "__main__":
    print(Rows().run())
"""
PATCH = "def patch(thing):\n    for name in ['crop']:\n        {}\n"
CLASS = "from main import Rows\n\n\nclass {}:\n    size = 3\n\n    {}\n"


@each_row(
    ("other", "same"),
    [
        ("def patch(thing):\n    pass\n", True),
        (PATCH.format("setattr(thing, name, abs)"), False),
        (PATCH.format("thing.__dict__[name] = abs"), False),
        (PATCH.format("vars(thing).update({name: abs})"), False),
        ("def patch(thing):\n    setattr(thing, 'crop', abs)\n", False),
        ("def patch(thing):\n    setattr(thing, 'size', abs)\n", True),
        ("import lib\n\n\ndef patch(thing):\n    made = lib.Made()\n    setattr(made, thing.name, abs)\n", True),
        (CLASS.format("Child(Rows)", "@property\n    def crop(self): return abs"), False),
        (CLASS.format("Child(Rows)", "crop = property(abs)"), False),
        (CLASS.format("Child(Rows)", "def crop(self, row): return row"), True),
        (CLASS.format("Mixed", "@property\n    def crop(self): return abs"), True),
        (CLASS.format("Mixed", "@property\n    def crop(self): return abs\n\n\nclass Both(Mixed, Rows): pass"), False),
        (CLASS.format("Child(Rows)", "def set(self, name): setattr(self, name, abs)"), False),
        (CLASS.format("Child(Rows)", "def __setstate__(self, state): self.__dict__.update(state)"), True),
        (CLASS.format("Mixed", "def set(self, name): setattr(self, name, abs)"), True),
    ],
)
def test_asked_at_another_moment(other: str, same: bool) -> None:
    after = migrated({"main.py": PROGRAM, "other.py": other}, "lambdas")["main.py"]
    assert "lambda" not in after
    assert ("function = self.crop\n" in after) is same
