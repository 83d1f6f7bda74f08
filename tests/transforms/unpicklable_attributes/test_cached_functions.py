"""unpicklable-attributes: what shows that the cache of a copy begins anew, and variables that change in between."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
CACHED = """\
import functools
import multiprocessing


class Area:
    def __init__(self, scale):
        self.scale = scale
        self.calls = 0
        self.get = functools.lru_cache(maxsize=8)(self._get)

    def _get(self, at):
        {does}
        return at * self.scale

    def look(self):
        return {look}


def work(area):
    return area.get(1)


if __name__ == "__main__":
    area = Area(2)
    {before}
    process = multiprocessing.Process(target=work, args=(area,))
    process.start()
"""


@pytest.mark.parametrize(
    ("does", "trace"), [("self.calls += 1", "changes `self` (line 12)"), ("print(at)", "prints (line 12)")]
)
@pytest.mark.parametrize("before", ["area.get(1)", "print(area.get(2))", "area.look()"])
def test_a_call_that_would_show_again(does: str, trace: str, before: str) -> None:
    look = "self.get(3)" if before == "area.look()" else "0"
    (reason,) = reasons({"run.py": CACHED.format(does=does, look=look, before=before)}, RULE)
    line = 16 if before == "area.look()" else 25
    assert reason == (
        f"it is called before the object is sent (line {line}), and a copy, whose cache is empty, would call `_get` "
        f"again, which {trace} each time"
    )


@pytest.mark.parametrize(
    ("look", "work", "line"), [("self.get.cache_info().hits", "0", 16), ("0", ".cache_info()", 20)]
)
def test_the_calls_are_counted(look: str, work: str, line: int) -> None:
    text = CACHED.format(does="pass", look=look, before="area.get(1)")
    (reason,) = reasons({"run.py": text.replace("get(1)", f"get{work}", 1) if line == 20 else text}, RULE)
    assert f"line {line} asks what its cache has done so far: that of a copy begins anew" in reason


@each_row(
    ("does", "look", "before"),
    [
        ("self.calls += 1", "0", "area.look()"),
        ("self.calls += 1", "self.get.cache_info()", "area.calls"),
        ("pass", "0", "area.get(1)"),
        ("local = at + 1", "self.get(2)", "area.look()"),
    ],
)
def test_nobody_sees_another_call(does: str, look: str, before: str) -> None:
    done = migrated({"run.py": CACHED.format(does=does, look=look, before=before)}, RULE)
    assert "self.get = functools.lru_cache(maxsize=8)(self._get)\n\n    def _get" in done["run.py"]


VARIABLE = """\
import multiprocessing
import os


class Rows:
    def __init__(self):
        self.file = open(os.path.join({path}, "a.txt"))


def work(rows):
    return rows.file.read()


if __name__ == "__main__":
    rows = Rows()
    {after}
    process = multiprocessing.Process(target=work, args=(rows,))
    process.start()
"""


def test_a_variable_that_is_set_is_kept() -> None:
    text = VARIABLE.format(path='os.environ["DATA"]', after='os.environ["DATA"] = "elsewhere"')
    done = migrated({"run.py": text}, RULE)["run.py"]
    assert '        self.data = os.environ["DATA"]\n        self.file' in done
    assert 'self.file = open(os.path.join(self.data, "a.txt"))\n' in done


@pytest.mark.parametrize("after", ["pass", 'os.environ["OTHER"] = "elsewhere"', 'print(os.environ["DATA"])'])
def test_a_variable_that_nobody_sets_is_read_again(after: str) -> None:
    text = VARIABLE.format(path='os.environ["DATA"]', after=after)
    assert migrated({"run.py": text}, RULE)["run.py"].count('open(os.path.join(os.environ["DATA"], "a.txt"))') == 2


def test_an_item_of_another_table_is_no_variable() -> None:
    text = VARIABLE.format(path='PLACES["DATA"]', after='os.environ.update(DATA="elsewhere")')
    done = migrated({"run.py": text.replace("class Rows", 'PLACES = {"DATA": "here"}\n\n\nclass Rows')}, RULE)["run.py"]
    assert done.count('open(os.path.join(PLACES["DATA"], "a.txt"))') == 2
