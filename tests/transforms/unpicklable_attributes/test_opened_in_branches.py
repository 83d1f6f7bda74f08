"""unpicklable-attributes: what one statement of the constructor opens, and a branch of it opens in another way."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles

PROGRAM = """
import mmap
from multiprocessing import Process

class Rows:
    def __init__(self, path, mapped):
        self.mapped = mapped
{opened}
    def read(self):
        self.file.seek(0)
        return self.file.read(1)

if __name__ == "__main__":
    Process(target=print, args=(Rows("a", True),)).start()
"""
MAPPED = "        self.file = {first}\n        {between}\n        if mapped:\n            self.file = {second}\n"
MAP = "mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)"


def reasons(opened: str) -> set[str | None]:
    """Why what is found has no fix."""
    found = RULE.find(Project(MemoryFiles({"a.py": PROGRAM.format(opened=opened).encode()})))
    assert found
    return {finding.reason for finding in found}


@pytest.mark.parametrize(
    ("opened", "reason"),
    [
        pytest.param(
            MAPPED.format(first="path", between="pass", second="open(self.file, 'rb')"),
            "it is made from what the attribute was before; use two attributes",
            id="a path before",
        ),
        pytest.param(
            MAPPED.format(first="open(path, 'rb')", between="self.head = self.file.read(4)", second=MAP),
            "line 9 uses what is replaced by line 11; use two attributes",
            id="used between",
        ),
        pytest.param(
            MAPPED.format(first="open(path, 'wb')", between="pass", second=MAP),
            "line 8 opens it for writing (`wb`), and several processes would write; open it where it is written",
            id="written before",
        ),
    ],
)
def test_refused(opened: str, reason: str) -> None:
    assert reasons(opened) == {reason}


def test_a_writer_in_the_other_branch_stays_as_it_is() -> None:
    opened = (
        "        if mapped:\n            self.file = open(path, 'rb')\n"
        "        else:\n            self.file = open(path, 'wb')\n"
    )
    (finding, _) = RULE.find(Project(MemoryFiles({"a.py": PROGRAM.format(opened=opened).encode()})))
    assert finding.fix is not None
    written = "".join(edit.text for edit in finding.fix.edits)
    assert "if self.mapped:\n            del state" in written and "else" not in written


@pytest.mark.parametrize(
    ("opened", "left_out"),
    [
        (
            "        if mapped:\n            self.file = open(path, 'rb')\n"
            "        else:\n            self.file = None\n",
            True,
        ),
        (
            "        if mapped:\n            self.file = open(path, 'rb')\n"
            "        else:\n            self.file = open(path, 'r')\n",
            False,
        ),
        (MAPPED.format(first="open(path, 'rb')", between="pass", second=MAP), False),
    ],
)
def test_what_is_made_in_each_case_is_left_out_in_each_case(opened: str, left_out: bool) -> None:
    (finding, *_) = RULE.find(Project(MemoryFiles({"a.py": PROGRAM.format(opened=opened).encode()})))
    assert finding.fix is not None
    written = "".join(edit.text for edit in finding.fix.edits)
    assert ("if self.mapped:\n            del state" in written) is left_out
    assert '\n        del state["file"]\n' in written or left_out
