"""What a name of a module is after it is bound again, in code that goes straight on."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import argparse
import multiprocessing as mp

class Rows:
    def __init__(self):
        self.parse = lambda text: text
    def parts(self):
        return [1, 2]

def work(rows):
    print(rows)

def later():
    {later}

{main}
    rows = Rows()
    {again}
    mp.Process(target=work, args=(rows,)).start()
"""
GUARD = 'if __name__ == "__main__":'


@pytest.mark.parametrize("main", [GUARD, "def main():"])
@pytest.mark.parametrize(
    ("again", "found"),
    [
        pytest.param("rows = rows.parts()", False, id="bound again to something else"),
        pytest.param("rows = [rows]", True, id="to what holds it"),
        pytest.param("if later:\n        rows = rows.parts()", True, id="in a branch only"),
        pytest.param("for _ in range(2):\n        rows = rows.parts()", True, id="in a loop"),
        pytest.param("pass", True, id="once"),
    ],
)
def test_bound_again(main: str, again: str, found: bool) -> None:
    text = TEXT.format(main=main, again=again, later="pass")
    assert bool(reported({"a.py": text}, "lambdas")) == found


NO_ROWS = "rows = rows.parts()"


@each_row(
    ("again", "found"),
    [
        (f"{NO_ROWS}\nif later:\n    rows = [rows]", False),
        (f"if later:\n    {NO_ROWS}\nelse:\n    rows = []", False),
        (f"if later:\n    {NO_ROWS}\nelse:\n    raise ValueError", False),
        (f"if not later:\n    raise ValueError\nelif later > 1:\n    {NO_ROWS}\nelse:\n    rows = [1]", False),
        (f"if later:\n    {NO_ROWS}\n    if later > 1:\n        rows = 2\nelse:\n    rows = [1]", False),
        (f"if later:\n    {NO_ROWS}\nelif later > 1:\n    rows = [rows]\nelse:\n    rows = []", True),
        (f"other = rows\n{NO_ROWS}\nif later:\n    rows = other", True),
        (f"other = rows\n{NO_ROWS}\nfor _ in [1]:\n    if later:\n        rows = other\n        break", True),
        (f"other = rows\n{NO_ROWS}\nwhile later:\n    if later:\n        rows = other\n        continue", True),
        (
            f"other = rows\n{NO_ROWS}\ntry:\n    if later:\n        rows = other\n        raise\nexcept: pass",
            True,
        ),
    ],
)
def test_bound_in_branches(again: str, found: bool) -> None:
    """What it is behind a branch is what it was before, or what the branch makes it: nothing that was there earlier."""
    text = TEXT.format(main="def main():", again=again.replace("\n", "\n    "), later="pass")
    assert bool(reported({"a.py": text}, "lambdas")) == found


def test_a_function_may_bind_a_global() -> None:
    text = TEXT.format(main=GUARD, again="rows = rows.parts()\n    later()", later="global rows\n    rows = Rows()")
    assert reported({"a.py": text}, "lambdas")


def test_functions_may_read_what_was_there_before() -> None:
    text = TEXT.format(
        main=GUARD, again="later()\n    rows = rows.parts()", later="mp.Process(target=work, args=(rows,))"
    )
    assert reported({"a.py": text}, "lambdas")


SENT = """\
import multiprocessing as mp

def work(names):
    print(names)

def start(names):
    {convert}
    mp.Process(target=work, args=(names,)).start()

def main(tables):
    start({{"a": 1}}.keys())
    start([lambda: 1])
"""


@each_row(
    ("convert", "found"),
    [
        ("if not isinstance(names, list):\n        names = list(names)", False),
        ("if not isinstance(names, (list, tuple)):\n        names = tuple(names)", False),
        ("if not isinstance(names, (list, Names)):\n        names = list(names)", True),
        ("if isinstance(names, list):\n        names = list(names)", True),
        ("if not isinstance(names, list):\n        names = [names]", True),
        ("if not isinstance(names, list):\n        names = list(names)\n    else:\n        return", False),
    ],
)
def test_what_is_no_list_becomes_one(convert: str, found: bool) -> None:
    """What it holds crosses all the same."""
    text = SENT.format(convert=convert)
    assert bool(reported({"a.py": text}, "dict-views")) is found
    assert reported({"a.py": text}, "lambdas")
