"""unpicklable-attributes: a path that may be set by its name is no longer what the file was opened with."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import multiprocessing as mp


class Lines:
    def __init__(self, path):
        self.path = path
        self.file = open({opened})
        self.file.readline()

    {method}


class Other:
    def load(self, values):
        self.__dict__.update(values)


def child(lines):
    print(lines.file.readline())


if __name__ == "__main__":
    lines = Lines("a.txt")
    {use}
    process = mp.Process(target=child, args=(lines,))
    process.start()
"""
SAME, OWN = "self.file = open(self.path)", "self.file = open(self._file_path)"


@each_row(
    ("method", "use", "again"),
    [
        ("", "vars(lines)['path'] = 'label'", OWN),
        ("", "lines.__dict__.update(path='label')", OWN),
        ("", "lines.__setattr__('path', 'label')", OWN),
        ("def load(self, **values): self.__dict__.update(values)", "lines.load(path='label')", OWN),
        ("def load(self, **values): vars(self).update(**values)", "lines.load(path='label')", OWN),
        ("", "pass", SAME),
        ("", "vars(lines)['label'] = 'label'", SAME),
        ("", "lines.__dict__.update(label='label')", SAME),
        ("", "Other().load({'path': 'label'})", SAME),
        ("def load(self, value): self.__dict__['label'] = value", "pass", SAME),
        ("def __setstate__(self, state):\n        self.__dict__.update(state)", "pass", SAME),
    ],
)
def test_opened_with_what_it_was_opened_with(method: str, use: str, again: str) -> None:
    assert again in migrated({"a.py": PROGRAM.format(opened="path", method=method, use=use)}, RULE)["a.py"]


def test_opened_from_the_attribute() -> None:
    method = "def load(self, **values): self.__dict__.update(values)"
    found = reasons({"a.py": PROGRAM.format(opened="self.path", method=method, use="lines.load(path='b')")}, RULE)
    assert "`self.path` may be set again by its name (a.py:10)" in (found[0] or "")
