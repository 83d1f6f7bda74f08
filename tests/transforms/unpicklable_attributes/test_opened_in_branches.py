"""unpicklable-attributes: what one statement of the constructor opens, and a branch of it opens in another way."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

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


ASKED = """
from multiprocessing import Process

class Rows:
    def __init__(self, path, {parameter}):
        self.path = path
        self.asked = {kept}
        if {test}:
            self.file = open(path, 'rb')
        else:
            self.file = None
    def read(self):
        self.file.seek(0)
        return self.file.read(1)

if __name__ == "__main__":
    names = []
    rows = Rows("a", {given})
    {then}
    Process(target=print, args=(rows,)).start()
"""


def _by_asking_again(**parts: str) -> bool:
    """The copy asks what the constructor asked, and not what the attribute was."""
    parts = {"parameter": "asked", "kept": "asked", "test": "asked", "given": "True", "then": "pass", **parts}
    (finding, *_) = RULE.find(Project(MemoryFiles({"a.py": ASKED.format(**parts).encode()})))
    assert finding.fix is not None
    written = "".join(edit.text for edit in finding.fix.edits)
    again, by_value = "self.asked:\n" in written, "] = self.file is not None" in written
    assert again is not by_value
    return again


@each_row(
    ("parameter", "kept", "test", "given", "then"),
    [
        ("asked", "asked", "asked", "[]", "pass"),
        ("asked", "asked", "not asked", "names", "names.append('x')"),
        ("asked", "asked", "not asked", "None", "rows.asked.append('x')"),
        ("asked=None", "asked", "asked", "asked={}", "pass"),
        ("asked", "asked", "asked", "None", "print(len(rows.asked))"),
        ("asked", "asked", "asked", "None", "rows.asked[0] = 1"),
        ("asked", "asked", "asked", "None", "print('x' in rows.asked)"),
        ("*asked", "asked", "asked", "1", "pass"),
        ("asked: list", "asked", "asked", "None", "print([each for each in rows.asked])"),
        ("asked", "list(asked)", "self.asked", "names", "pass"),
        ("asked", "asked or []", "self.asked", "None", "pass"),
        ("asked", "path.split(asked)", "self.asked", "None", "rows.asked.pop()"),
    ],
)
def test_a_list_may_get_its_first_item_later(parameter: str, kept: str, test: str, given: str, then: str) -> None:
    assert not _by_asking_again(parameter=parameter, kept=kept, test=test, given=given, then=then)


@each_row(
    ("parameter", "kept", "test", "given", "then"),
    [
        ("asked", "asked", "asked", "True", "pass"),
        ("asked=True", "asked", "not asked", "False", "print(rows.asked)"),
        ("asked", "asked", "asked", "True", "print(True == rows.asked)"),
        ("asked: bool", "asked", "self.asked", "1", "pass"),
        ("asked: str | None = None", "asked", "asked", "'x'", "print(len(rows.asked))"),
        ("asked=''", "asked", "asked", "'x'", "print(rows.asked[0])"),
        ("asked=None", "asked", "asked", "'x'", "print(rows.asked.lower())"),
        ("given", "given is not None", "self.asked", "names", "pass"),
        ("given", "bool(given)", "self.asked", "names", "pass"),
        ("given", "not given", "self.asked", "names", "pass"),
        ("given", "given.endswith('h5')", "self.asked", "'x'", "pass"),
    ],
)
def test_a_flag_stays_as_it_is(parameter: str, kept: str, test: str, given: str, then: str) -> None:
    assert _by_asking_again(parameter=parameter, kept=kept, test=test, given=given, then=then)


def test_a_list_tells_no_two_ways_to_open_apart() -> None:
    program = ASKED.format(parameter="asked", kept="asked", test="asked", given="names", then="names.append('x')")
    program = program.replace("self.file = None", "self.file = open(path)")
    found = RULE.find(Project(MemoryFiles({"a.py": program.encode()})))
    assert {each.reason for each in found} == {
        "it is created in different ways (lines 9 and 11); open it in one method"
    }


def test_a_lock_is_made_and_not_opened() -> None:
    program = (
        "import threading\nfrom multiprocessing import Process\n\n\nclass Locks:\n    def __init__(self):\n"
        "        locks = [threading.Lock() for _ in range(3)]\n        locks = tuple(locks)\n"
        "        self.locks = locks\n"
        "\n\nif __name__ == '__main__':\n    Process(target=print, args=(Locks(),)).start()\n"
    )
    (finding,) = RULE.find(Project(MemoryFiles({"a.py": program.encode()})))
    assert finding.reason == "`locks` has its value from several places; make it in one statement"


BY_TYPE = """
{list}from multiprocessing import Process

class Rows:
    def __init__(self, path):
        self.path = path
        if {test}:
            self.files = [open(each, "rb") for each in path]
        else:
            self.files = open(path, "rb")
    def read(self):
        return self.files if isinstance(self.files, list) else [self.files]

if __name__ == "__main__":
    Process(target=print, args=(Rows("a"),)).start()
"""
AGAIN = """\
        if {test}:
            self.files = [open(each, "rb") for each in self.path]
        else:
            self.files = open(self.path, "rb")
"""


@each_row(
    ("test", "again"),
    [
        ("isinstance(path, list)", "isinstance(self.path, list)"),
        ("isinstance(self.path, (list, tuple))", "isinstance(self.path, (list, tuple))"),
    ],
)
def test_one_file_or_a_list_of_them_by_the_type_of_the_path(test: str, again: str) -> None:
    program = BY_TYPE.format(list="", test=test)
    (finding, _) = RULE.find(Project(MemoryFiles({"a.py": program.encode()})))
    assert finding.fix is not None
    assert AGAIN.format(test=again) in "".join(edit.text for edit in finding.fix.edits)


@each_row(
    ("own", "test"),
    [
        ("from own import list\n", "isinstance(path, list)"),
        ("from own import isinstance\n", "isinstance(path, list)"),
        ("", "isinstance(path, Rows)"),
        ("", "callable(path)"),
    ],
)
def test_what_else_a_call_may_say(own: str, test: str) -> None:
    program = BY_TYPE.format(list=own, test=test)
    found = RULE.find(Project(MemoryFiles({"a.py": program.encode()})))
    assert len(found) == 2 and all((each.reason or "").startswith("it is created in different ways") for each in found)
