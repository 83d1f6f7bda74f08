"""unpicklable-attributes: containers of handles, what is done with their elements, and what else names them."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "unpicklable-attributes"
USE = (
    "\n\nif __name__ == '__main__':\n    from multiprocessing import Pool\n    print(Pool(2).map(Rows('a').run, [1]))\n"
)


def rows(init: str, more: str = "", head: str = "") -> dict[str, str]:
    """A class whose `__init__(self, path)` is `init`, with more methods, that crosses."""
    body = "".join(f"        {line}\n" for line in init.splitlines())
    return {"a.py": f"{head}class Rows:\n    def __init__(self, path):\n{body}\n    def run(self, n):\n"
                    f"        return n\n{more}{USE}"}  # fmt: skip


def refusal(files: dict[str, str]) -> str:
    (finding,) = reported(files, RULE)
    assert finding.fix is None
    return finding.reason or ""


FILES = "self.files = {k: open(k) for k in path}\n"


@pytest.mark.parametrize(
    "other", ["self.first = self.files['a']", "self.first = self.files.get('a')", "self.first = self.files.pop('a')"]
)
def test_an_element_that_another_attribute_keeps(other: str) -> None:
    container, *element = [finding.reason or "" for finding in reported(rows(FILES + other), RULE)]
    assert "keeps one of them under another name too" in container
    assert ["two copies would no longer be one object" in reason for reason in element] == [True] * ("pop" not in other)


def test_a_slice_keeps_what_its_new_value_holds() -> None:
    assert not list(reported(rows("self.names = []\nself.names[:] = (name for name in path)"), RULE))
    assert not list(reported(rows("self.lines = []\nself.lines[1:] = open(path)"), RULE))
    assert (
        "`self.files` holds an open file"
        in next(iter(reported(rows("self.files = []\nself.files[:] = [open(name) for name in path]"), RULE))).message
    )


@each_row(
    ("walk", "touched"),
    [
        ("for f in self.files:\n    f.readline()", True),
        ("for f in list(self.files):\n    f.readline()", True),
        ("for i, f in enumerate(self.files):\n    f.readline()", True),
        ("for f in reversed(self.files):\n    f.readline()", True),
        ("for f in iter(self.files):\n    f.readline()", True),
        ("for f, p in zip(self.files, path):\n    f.readline()", True),
        ("[f.readline() for f in self.files]", True),
        ("self.files[0].readline()", True),
        ("for f in path:\n    f.readline()", False),
        ("for f in len(self.files):\n    f.readline()", False),
    ],
)
def test_elements_that_init_reads_from(walk: str, touched: bool) -> None:
    """A file that was read from is not where a file that is opened anew is."""
    found = reported(rows("self.files = [open(p) for p in path]\n" + walk), RULE)
    said = [each.reason or (each.fix.unsafe if each.fix else "") or "" for each in found]
    assert any("line 4" in each or "line 5" in each for each in said) is touched, said


def test_a_module_under_a_name_that_a_method_uses_otherwise() -> None:
    plain = rows(
        "self.n = 1\nself.json = json", "\n    def dump(self):\n        return self.json.dumps(1)\n", "import json\n"
    )
    assert "return json.dumps(1)" in migrated(plain, RULE)["a.py"]
    taken = {"a.py": plain["a.py"].replace("def dump(self):", "def dump(self, json):")}
    assert "return json.dumps(1)" not in migrated(taken, RULE).get("a.py", "")


@pytest.mark.parametrize(
    "fill",
    [
        "self.files: dict = {}\nfor k in path:\n    self.files[k] = {}\n    self.files[k]['a'] = open(k)",
        "self.files = {'a': []}\nfor k in path:\n    self.files['a'].append(open(k))",
        "self.files = [[{}]]\nself.files[0][0]['a'] = open(path)",
    ],
)
def test_a_container_inside_of_another(fill: str) -> None:
    assert "it is in a container inside of another" in refusal(rows(fill))
    assert not reported(rows(fill.replace("open(", "str(")), RULE)


def test_a_handle_that_other_code_deletes() -> None:
    deleted = rows("self.path = path\nself.file = open(path)")
    deleted["a.py"] = deleted["a.py"].replace(
        "    print(Pool", "    first = Rows('b')\n    del first.file\n    print(Pool"
    )
    assert refusal(deleted).startswith("a.py:13 deletes it from outside, and a copy would have it again")


@each_row(
    ("keeps", "outside", "restored"),
    [
        ("self.file = open(path)", "first.file = None", 'open(self.path) if state["file"] else None'),
        ("self.file = open(path)", "rows = [first, first]; rows[1].file = None", 'if state["file"] else None'),
        ("self.file = open(path)", "first.file = None; first.file = path", ""),
        ("self.file = [open(path)]", "first.file = None", ""),
    ],
)
def test_a_handle_that_other_code_sets_to_none(keeps: str, outside: str, restored: str) -> None:
    files = rows(f"self.path = path\n{keeps}")
    files["a.py"] = files["a.py"].replace("    print(Pool", f"    first = Rows('b')\n    {outside}\n    print(Pool")
    (finding,) = reported(files, RULE)
    assert finding.confidence.value == "proven"
    if restored:
        assert restored in migrated(files, RULE)["a.py"]
    else:
        assert "a copy would have it again" in refusal(files) or "sets it from outside" in refusal(files)


@each_row(
    ("close", "restored"),
    [
        ("self.file.close()\n        del self.file", True),
        ("del self.file", True),
        ("self.file.close()", True),
        ("self.file.close()\n        if name:\n            del self.file", True),
        ("self.file = None\n        del self.file", False),
    ],
)
def test_a_handle_that_its_class_deletes(close: str, restored: bool) -> None:
    """Whoever has none gives none to the copy."""
    files = rows("self.path = path\nself.file = open(path)")
    files["a.py"] = files["a.py"].replace("    def run", f"    def end(self, name):\n        {close}\n\n    def run")
    if restored:
        after = migrated(files, RULE)["a.py"]
        assert "del self.file" not in close or 'if "file" in state:\n            self.file = open(self.path)' in after
    else:
        assert "deletes the attribute; set it to None instead" in refusal(files)


WALKED = """
from torch.utils.data import DataLoader, IterableDataset


def numbers(count):
    for at in range(count):
        yield at * at


class Numbers(IterableDataset):
    def __init__(self, count):
        self.stream = numbers(count)

    def kept(self):
        return self.stream

    @property
    def all(self):
        return self.stream

    def __iter__(self):
        {walk}


loader = DataLoader(Numbers(5), num_workers=1)
"""


@each_row(
    ("walk", "refused"),
    [
        ("return self.stream", True),  # itself
        ("return self.stream if self else self.other", True),  # one of two
        ("walk = self.stream\n        return walk", True),  # by a name
        ("return self.kept()", True),  # by a method
        ("return self.all", True),  # by a property
        ("return iter(self.stream)", False),  # an iterator of it
        ("return (2 * each for each in self.stream)", False),  # another generator
        ("yield from self.stream", False),  # its items
        ("rows = self.stream\n        for row in rows:\n            yield row", False),  # its items, by name
    ],
)
def test_a_generator_that_iter_returns_becomes_no_list(walk: str, refused: bool) -> None:
    (finding,) = reported({"train.py": WALKED.format(walk=walk)}, RULE)
    assert (finding.fix is None) is refused
    assert ("has to return an iterator" in (finding.reason or "")) is refused, finding
