"""`spawnfix explain`: the whole page that it prints, with and without a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.tool import spawnfix

ROWS = """\
from multiprocessing import Process


class Rows:
    def __init__(self, table):
        self.ids = table.keys()
        self.sizes = table.keys()

    def both(self):
        return self.ids | {1}


class Boxes:
    def __init__(self, table):
        self.all = table.keys()


def work(rows):
    print(rows)


if __name__ == "__main__":
    Process(target=work, args=(Rows({1: 2}),)).start()
    Process(target=work, args=(Boxes({1: 2}),)).start()
"""
SENT = """\
Traceback (most recent call last):
  File "/home/me/rows.py", line 22, in <module>
    Process(target=work, args=(Rows({1: 2}),)).start()
  File "/usr/lib/python3.11/multiprocessing/reduction.py", line 60, in dump
    ForkingPickler(file, protocol).dump(obj)
"""
KEYS = "TypeError: cannot pickle 'dict_keys' object"
LOCAL = "AttributeError: Can't pickle local object 'f.<locals>.g'"


def shown(line: str) -> str:
    """The begin of a line, without blanks at its end."""
    return (line if len(line) <= 110 else f"{line[:107]}...").rstrip()


@pytest.mark.parametrize(
    ("text", "files", "page"),
    [
        pytest.param(
            KEYS,
            [],
            """\
TypeError: cannot pickle 'dict_keys' object

dict-views: a view of a dict (keys, values, items) is stored on something that is sent to a worker.
  store list(...) of it

find it in a repository: spawnfix explain "..." PATH, or spawnfix check PATH --select dict-views
""",
            id="no repository",
        ),
        pytest.param(
            KEYS,
            ["rows.py"],
            """\
TypeError: cannot pickle 'dict_keys' object

dict-views: a view of a dict (keys, values, items) is stored on something that is sent to a worker.
  store list(...) of it

it comes from one of these
  rows.py:6  `self.ids` keeps a live view of a dict; a worker process under spawn or forkserver stops with ...
    refused: line 10 uses it with `|`, which a list does not have. If the order does not matter, store `set...
  rows.py:7  `self.sizes` keeps a live view of a dict; a worker process under spawn or forkserver stops wit...
  rows.py:15  `self.all` keeps a live view of a dict; a worker process under spawn or forkserver stops with...

diff --git a/rows.py b/rows.py
--- a/rows.py
+++ b/rows.py
@@ -4,7 +4,7 @@
 class Rows:
     def __init__(self, table):
         self.ids = table.keys()
-        self.sizes = table.keys()
+        self.sizes = list(table.keys())

     def both(self):
         return self.ids | {1}

diff --git a/rows.py b/rows.py
--- a/rows.py
+++ b/rows.py
@@ -12,7 +12,7 @@

 class Boxes:
     def __init__(self, table):
-        self.all = table.keys()
+        self.all = list(table.keys())


 def work(rows):

apply it: spawnfix migrate . --select dict-views
""",
            id="places that fit, their reasons and fixes",
        ),
        pytest.param(
            SENT + "TypeError: cannot pickle 'dict_values' object",
            ["rows.py", "old0.py", "old1.py", "old2.py", "old3.py", "old4.py", "old5.py", "old6.py"],
            """\
TypeError: cannot pickle 'dict_values' object

dict-views: a view of a dict (keys, values, items) is stored on something that is sent to a worker.
  store list(...) of it
  it was sent from /home/me/rows.py:22

  rows.py:22  the innermost line of your code on the way to the error

dict-views finds 3 in ., and none of them fits this error: spawnfix check . --select dict-views --confidenc...
Look at the object itself: spawnfix diagnose your_module:your_dataset

not read, the cause may be there: old0.py (line 1: '(' was never closed), old1.py (line 1: '(' was never cl...
""",
            id="none that fits, and files that cannot be read",
        ),
        pytest.param(
            LOCAL,
            ["rows.py"],
            """\
AttributeError: Can't pickle local object 'f.<locals>.g'

lambdas: a lambda, or a function or class that is defined inside a function, has no name that a worker finds.
  give it a name at the top of a module; functools.partial carries the values that it uses; where the name ...

lambdas finds nothing in .: an installed package may make it, or the run itself.
Look at the object itself: spawnfix diagnose your_module:your_dataset
""",
            id="nothing found",
        ),
        pytest.param(
            f"[rank0]: {LOCAL}\n[rank1]: {LOCAL}\n{KEYS}\n{KEYS}\nTypeError: cannot pickle 'module' object",
            [],
            """\
TypeError: cannot pickle 'module' object

unpicklable-attributes: a module is stored as a value on something that is sent to a worker.
  import it where it is used

find it in a repository: spawnfix explain "..." PATH, or spawnfix check PATH --select unpicklable-attributes

also in this text:
  TypeError: cannot pickle 'dict_keys' object  (seen 2 times)
    dict-views: a view of a dict (keys, values, items) is stored on something that is sent to a worker; sto...
  AttributeError: Can't pickle local object 'f.<locals>.g'  (seen on ranks 0, 1)
    lambdas: a lambda, or a function or class that is defined inside a function, has no name that a worker ...
""",
            id="several errors, and which processes say so",
        ),
    ],
)
def test_the_page_of_an_error(
    text: str, files: list[str], page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in files:
        (tmp_path / file).write_text(ROWS if file == "rows.py" else "x = keys(\n")
    done = spawnfix("explain", text, *(["."] if files else []), cache=tmp_path.with_name("cache"))
    assert (done.returncode, done.stderr) == (0, "")
    assert [shown(line) for line in done.stdout.splitlines()] == page.splitlines()
