"""unpicklable-attributes: where the value that a handle is opened with comes from."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
RUN = "\n        def run(self, n):\n            return n\n"
USE = "\n\nif __name__ == '__main__':\n    from multiprocessing import Pool\n\n    print(Pool(2).map({}.run, [1]))\n"
LIST = "class Rows:\n    def __init__(self, paths):\n        self.files = [open(p) for p in paths]\n\n"
LIST += "    def run(self, n):\n        return n\n"


def test_a_variable_of_the_function_around_the_class() -> None:
    head = "def make(path):\n    class Rows:\n        def __init__(self):\n            self.file = open(path)\n"
    text = head + RUN + "\n    return Rows()\n" + USE.format("make('a')")
    assert reasons({"a.py": text}, RULE) == ["`path` belongs to an inner function; open it in the method itself"]


@pytest.mark.parametrize("paths", ["(p for p in ['a'])", "iter(['a'])", "map(str, ['a'])"])
def test_what_can_be_walked_once(paths: str) -> None:
    (reason,) = reasons({"a.py": LIST + USE.format(f"Rows({paths})")}, RULE)
    assert "`paths` can be walked only once (a.py:" in reason


@pytest.mark.parametrize("paths", ["['a']", "[p for p in ['a']]", "sorted(['a'])"])
def test_what_can_be_walked_again(paths: str) -> None:
    after = migrated({"a.py": LIST + USE.format(f"Rows({paths})")}, RULE)["a.py"]
    assert "        self.files = [open(p) for p in self.paths]" in after
