"""unpicklable-attributes: where a file was read before it crosses, and is read on from there, nothing is left out."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path, skip):
        self.path = path
        self.file = open(path)
        {early}

    def __len__(self):
        return 100

    def __getitem__(self, index):
        {late}


def load(path):
    return DataLoader(Lines(path, 5), num_workers=2)
"""


def reason(early: str, late: str) -> str | None:
    """Why the file of `Lines` isn't left out of the pickle; None where it is."""
    text = PROGRAM.format(early=early, late=late)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    return finding.reason


@pytest.mark.parametrize(
    "early",
    [
        pytest.param("for _ in range(skip):\n            self.file.__next__()", id="the method of next()"),
        pytest.param("head = self.file.__iter__().__next__()", id="the method of iter()"),
        pytest.param("self.head, *rest = [*self.file]", id="star"),
        pytest.param("next(self.file)", id="next"),
    ],
)
@pytest.mark.parametrize(
    "late", ["return self.file.__next__()", "return next(self.file)", "return self.file.readline()"]
)
def test_lines_that_were_skipped_are_not_read_again(early: str, late: str) -> None:
    assert "reads from it before it is sent" in (reason(early, late) or "")


def test_a_method_that_is_passed_on_reads_on_from_the_position() -> None:
    text = PROGRAM.format(early="self.head = self.file.readline()", late="return [*iter(self.file.readline, '')]")
    changed = migrated({"train.py": text}, "unpicklable-attributes")["train.py"]
    assert 'state["file"] = self.file.tell()' in changed and 'self.file.seek(state["file"])' in changed


@pytest.mark.parametrize("late", ["return self.file.__next__()", "return next(self.file)"])
def test_a_file_at_its_start_is_opened_again(late: str) -> None:
    assert reason("self.skip = skip", late) is None


OUTSIDE = """
from multiprocessing import Process


class Lines:
    def __init__(self, path):
        self.path = path
        self.file = open(path)
        {early}


{helper}
def work(lines):
    {late}


if __name__ == "__main__":
    lines = Lines("a.txt")
    {between}
    process = Process(target=work, args=(lines,))
    process.start()
    process.join()
"""
SKIP = "def skip(reader):\n    next(reader.file)\n\n\n"
NONE = "def silence(reader):\n    reader.file = None\n\n\n"


@each_row(
    ("parts", "refused"),
    [
        pytest.param({"late": "print(lines.path)"}, False, id="nobody reads it"),
        pytest.param({"early": "self.head = next(self.file)", "late": "lines.file.readline()"}, True, id="by next"),
        pytest.param({"helper": SKIP, "between": "skip(lines)", "late": "lines.file.read()"}, True, id="by a function"),
        pytest.param({"helper": NONE, "between": "silence(lines)"}, False, id="replaced by a function"),
        pytest.param({"between": "for each in [lines]: each.file = None"}, False, id="replaced in a loop"),
        pytest.param({"between": "for each in [lines]: each.size = 1"}, False, id="another attribute"),
    ],
)
def test_what_functions_outside_do_to_it(parts: dict[str, str], refused: bool) -> None:
    text = OUTSIDE.format(**{"early": "pass", "helper": "", "late": "pass", "between": "pass"} | parts)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert (finding.reason is not None) is refused, finding


@pytest.mark.parametrize("special", ["__setattr__(self, name, value)", "__getattr__(self, name)"])
def test_a_class_that_answers_for_its_attributes_gets_no_new_one(special: str) -> None:
    text = OUTSIDE.format(early="pass", helper="", late="pass", between="pass").replace(
        "        self.path = path\n", ""
    )
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert finding.reason is None
    text = text.replace(
        "        pass\n", f"        pass\n\n    def {special}:\n        raise AttributeError(name)\n", 1
    )
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert special.partition("(")[0] in (finding.reason or "")


@each_row(
    ("opened", "late", "shared"),
    [
        pytest.param("open(path, 'rb', buffering=0)", "lines.file.read(4)", True, id="none"),
        pytest.param("open(path, 'rb', 0)", "lines.file.read(4)", True, id="none, by position"),
        pytest.param("open(path, 'rb', 0)", "lines.file.readall()", True, id="what only such a file has"),
        pytest.param("open(path, 'rb', 0)", "next(lines.file)", True, id="by next"),
        pytest.param("open(path, 'rb', buffering=SIZE)", "lines.file.read(4)", True, id="nobody can tell"),
        pytest.param("pathlib.Path(path).open('rb', 0)", "lines.file.read(4)", True, id="of a path"),
        pytest.param("open(path, 'rb', buffering=-1)", "lines.file.read(4)", False, id="the usual one"),
        pytest.param("open(path, encoding='utf-8')", "lines.file.read(4)", False, id="another argument by name"),
        pytest.param("open(path, 'rb', 8192)", "lines.file.read(4)", False, id="a large one"),
        pytest.param("open(path, 'rb', 0)", "print(lines.path)", False, id="nobody reads it"),
    ],
)
def test_a_file_without_a_buffer_has_one_position_in_all_forked_processes(opened: str, late: str, shared: bool) -> None:
    text = OUTSIDE.format(early="pass", helper="", late=late, between="pass").replace("open(path)", opened)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": f"import pathlib\n{text}".encode()})))
    assert ("forked processes share" in (finding.reason or "")) is shared, finding


def test_each_file_without_a_buffer_that_a_container_holds_counts() -> None:
    text = OUTSIDE.format(early="pass", helper="", late="lines.file[0].read(4)", between="pass").replace(
        "open(path)", "[open(path, 'rb', 0)]"
    )
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert finding.reason is not None


def test_a_file_without_a_buffer_that_is_read_from_a_given_place_is_opened_again() -> None:
    late = "self.file.seek(4 * index)\n        return self.file.read(4)"
    text = PROGRAM.format(early="pass", late=late).replace("open(path)", "open(path, 'rb', buffering=0)")
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert finding.reason is None


HEADED = """\
import multiprocessing as mp


class Lines:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb"{buffering})
        self.header = self.line()

    def line(self):
        {read}

    def rows(self):
        return [{rows}]


def work(lines):
    lines.rows()


def main(path):
    mp.Process(target=work, args=(Lines(path),)).start()
"""


@each_row(
    ("buffering", "read", "rows", "reason"),
    [
        (", buffering=0", "return self.file.readline()", "self.line()", "forked processes share its position"),
        (", buffering=0", "return self.file.readline()", "self.header", ""),
        (", buffering=0", "self.file.seek(0)\n        return self.file.readline()", "self.line()", ""),
        ("", "return next(self.file)", "self.line()", ""),
        ("", "return next(self.file)", "self.header", ""),
    ],
)
def test_methods_that_run_before_and_after(buffering: str, read: str, rows: str, reason: str) -> None:
    text = HEADED.format(buffering=buffering, read=read, rows=rows)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert reason in (finding.reason or "") and bool(reason) is bool(finding.reason), finding


def test_a_method_that_runs_before_and_after_goes_on_from_the_same_position() -> None:
    text = HEADED.format(buffering="", read="return self.file.readline()", rows="self.line()")
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert finding.fix is not None and "self.file.tell()" in "".join(edit.text for edit in finding.fix.edits)


TABLE = """\
import csv
import multiprocessing as mp
from itertools import islice


class Table:
    def __init__(self, path):
        self.path = path
        self.file = open(path{mode})
        {early}

    def {method}(self):
        {late}


def work(table):
    {use}


def main(path):
    table = Table(path)
    {before}
    mp.Process(target=work, args=(table,)).start()
"""
NEXT = "next(table)"
HEAD = "self.head = self.file.readline()"
ITERATOR = "can't `tell` its position once it is used as an iterator, as line 13"
LOST = "line 13 reads from it before it is sent, and line 13 goes on from that position"
KEPT = 'state["file"] = self.file.tell()'


@each_row(
    ("mode", "early", "method", "late", "expected"),
    [
        ("", HEAD, "__next__", "return next(self.file)", ITERATOR),
        (", 'rt'", HEAD, "__next__", "return next(self.file)", ITERATOR),
        (", 'rb'", HEAD, "__next__", "return next(self.file)", KEPT),
        ("", HEAD, "__next__", "return self.file.readline()", KEPT),
        ("", "pass", "__next__", "return next(self.file)", LOST),
        (", 'rb'", "pass", "__next__", "return next(self.file)", KEPT),
        ("", "pass", "__next__", "return self.file.readline()", KEPT),
        ("", HEAD, "__next__", "self.file.seek(9)\n        return next(self.file)", ""),
    ],
)
def test_a_text_file_used_as_an_iterator_can_not_tell(
    mode: str, early: str, method: str, late: str, expected: str
) -> None:
    assert_position(TABLE.format(mode=mode, early=early, method=method, late=late, use=NEXT, before=NEXT), expected)


@each_row(
    "late",
    [
        "return [line for line in self.file]",
        "return list(self.file)",
        "yield from self.file",
        "return next(csv.reader(self.file))",
        "return list(islice(self.file, 2))",
        "return list(zip(range(2), self.file))",
        "return list(enumerate(self.file))",
        "first, second = self.file\n        return first",
        "file = self.file\n        return [next(file)]",
    ],
)
def test_each_way_to_use_a_file_as_an_iterator(late: str) -> None:
    text = TABLE.format(mode="", early=HEAD, method="rows", late=late, use="print(*table.rows())", before="pass")
    assert_position(text, ITERATOR)


def test_a_dataset_is_iterated_over_by_workers() -> None:
    text = PROGRAM.format(early=HEAD, late="return next(self.file)")
    assert_position(text, KEPT)


@each_row(
    ("look", "before"),
    [
        ("print(rows[0])", True),
        ("print([rows[at] for at in range(2)])", True),
        ("for row in rows:\n        break", True),
        ("print(next(iter(DataLoader(rows))))", True),
        ("print(first_of(rows))", True),
        ("rows[0] = 1", False),
        ("print(len(rows))", False),
        ("print(size_of(rows))", False),
        ("sent = DataLoader(rows, num_workers=2)", False),
    ],
)
def test_a_dataset_that_is_looked_at_before_it_is_sent_has_read_on(look: str, before: bool) -> None:
    sends = f"rows = Lines(path, 5)\n    {look}\n    return DataLoader(rows, num_workers=2)"
    text = PROGRAM.format(early="pass", late="return next(self.file)")
    text = text.replace("return DataLoader(Lines(path, 5), num_workers=2)", sends)
    text += "\n\ndef first_of(rows):\n    return rows[0]\n\n\ndef size_of(rows):\n    return len(rows)\n"
    assert_position(text, "line 15 reads from it before it is sent, and line 15 goes on" if before else "")


def assert_position(text: str, expected: str) -> None:
    """The reason is `expected`, or the fix has it; no position is kept where it is empty."""
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    if expected in (KEPT, ""):
        assert finding.fix is not None, finding.reason
        edits = "".join(edit.text for edit in finding.fix.edits)
        assert (KEPT in edits) is bool(expected), edits
    else:
        assert expected in (finding.reason or ""), finding
