"""unpicklable-attributes: what several attributes are opened with is kept where every copy comes to have it."""

from __future__ import annotations

import pickle
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """\
import sys
from multiprocessing import Pool

class Rows:
    def __init__(self, path, other, coding, which):
        self.path = path
        self.other = other
        self.which = which
{body}

    def run(self, n):
        return n

if __name__ == '__main__':
    print(Pool(2).map(Rows('a', 'b', 'utf-8', len(sys.argv)).run, [1]))
"""
KEPT, CODE = "self.coding = coding\n", "self.code = code\n"
FIRST, SECOND = "self.f = open(self.path, encoding=coding)", "self.g = open(self.other, encoding=coding)"

LOWER, BY_CODE = "code = coding.lower()", FIRST.replace("coding)", "code)")
OTHER_BY_CODE = SECOND.replace("coding)", "code)")


@each_row(
    ("body", "kept"),
    [
        (f"{FIRST}\n{SECOND}", f"{KEPT}{FIRST}\n{SECOND}"),
        (f"pass\n# all rows\n{FIRST}", f"pass\n{KEPT}# all rows\n{FIRST}"),
        (f"if which:\n    {FIRST}\n    {SECOND}", f"if which:\n    {KEPT}    {FIRST}\n    {SECOND}"),
        (f"if which:\n    {FIRST}\n{SECOND}", f"{KEPT}if which:\n    {FIRST}\n{SECOND}"),
        (f"{FIRST}\nif which:\n    {SECOND}", f"{KEPT}{FIRST}\nif which:\n    {SECOND}"),
        (f"if which:\n    {FIRST}\nelse:\n    {SECOND}", f"{KEPT}if which:\n    {FIRST}\nelse:\n    {SECOND}"),
        (
            f"if which < 0:\n    pass\nelif which:\n    {FIRST}\nelse:\n    {SECOND}",
            f"{KEPT}if which < 0:\n    pass\nelif which:\n    {FIRST}\nelse:\n    {SECOND}",
        ),
        (
            f"if which > 0:\n    {FIRST}\nif which < 1:\n    {SECOND}",
            f"{KEPT}if which > 0:\n    {FIRST}\nif which < 1:\n    {SECOND}",
        ),
        (f"{LOWER}\n{BY_CODE}\n{OTHER_BY_CODE}", f"{LOWER}\n{CODE}{BY_CODE}\n{OTHER_BY_CODE}"),
        (
            f"{LOWER}\nif which > 0:\n    {BY_CODE}\nif which < 1:\n    {OTHER_BY_CODE}",
            f"if which > 0:\n    {CODE}    {BY_CODE}\nif which < 1:\n    {CODE}    {OTHER_BY_CODE}",
        ),
    ],
)
def test_places(body: str, kept: str) -> None:
    """Each object is copied with the files that it has, in whatever branch they were opened."""
    before = PROGRAM.format(body=textwrap.indent(body, 8 * " "))
    after = migrated({"a.py": before}, "unpicklable-attributes")["a.py"]
    assert textwrap.indent(kept, 8 * " ") in after
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a", "b")]
        for path in paths:
            path.write_text(path.name, encoding="utf-8")
        for which in (-1, 0, 1):
            made: dict[str, Any] = {"__name__": "rows_of_a_test"}
            exec(after, made)
            rows, copy = made["Rows"](*map(str, paths), "utf-8", which), object.__new__(made["Rows"])
            copy.__setstate__(pickle.loads(pickle.dumps(rows.__getstate__())))
            for name in ("f", "g"):
                assert hasattr(rows, name) == hasattr(copy, name)
                if hasattr(rows, name):
                    with getattr(rows, name) as own, getattr(copy, name) as other:
                        assert own.read() == other.read()
