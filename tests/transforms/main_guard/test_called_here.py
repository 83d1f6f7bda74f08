"""main-guard: functions that Python itself calls in the process that passes them are no code of workers."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

RULE = "main-guard"
SCRIPT = """\
import atexit, functools, json, signal, threading
from multiprocessing import Pool

def work(x):
    {worker}
    return x

def handler(*given):
    print(pool)

{above}
pool = Pool(2)
{line}
print(pool.map(work, [1]))
"""


def _fixed(line: str, worker: str = "pass", above: str = "") -> bool:
    [finding] = reported({"a.py": SCRIPT.format(line=line, worker=worker, above=above)}, RULE)
    return finding.fix is not None


CALLED = [
    "signal.signal(signal.SIGINT, handler)",
    "atexit.register(handler)",
    "threading.Thread(target=handler).start()",
    "threading.Timer(1, handler).start()",
    "print(sorted([1], key=handler))",
    "print(list(map(handler, [1])))",
    "print(functools.reduce(handler, [1, 2]))",
    "json.dumps([1], default=handler)",
    "import gradio as gr\nbutton = gr.Button('a')\nbutton.click(handler, [1]).then(handler)",
    "import tkinter\ntkinter.Button(command=handler)",
]
CALLED_TOO = [
    "print(min([1], key=handler), max([2], key=handler))",
    "import re\nprint(re.sub('a', handler, 'a'))",
    "json.dump([1], open('a'), default=handler)",
    "print(json.load(open('a'), object_hook=handler), json.loads('{}', object_hook=handler))",
    "print(tuple(filter(handler, [1])))",
    *(
        f"import itertools\nprint({around}(itertools.{name}(handler, [1])))"
        for name, around in [
            ("starmap", "set"),
            ("takewhile", "frozenset"),
            ("dropwhile", "sum"),
            ("filterfalse", "min"),
        ]
    ),
    "import itertools\nprint(dict(itertools.groupby([1], handler)), any(itertools.accumulate([1], handler)))",
    "print(sorted(map(handler, [1])), max(map(handler, [1])), all(map(handler, [1])))",
]


@pytest.mark.parametrize("line", CALLED)
def test_they_are_none(line: str) -> None:
    assert _fixed(line)
    inner = line.replace("\n", "\n    ")
    assert _fixed("start()", above=f"def start():\n    {inner}\n")
    assert not _fixed("", worker=inner)  # a worker does the same


@each_row("line", CALLED_TOO)
def test_more_of_them(line: str) -> None:
    assert _fixed(line)


@pytest.mark.parametrize(
    "line",
    [
        "pool.map(handler, [1])",
        "print(functools.partial(handler))",
        "print(map(handler, [1]))",
        "atexit.register(print, handler)",
        "threading.Thread(target=print, args=(handler,)).start()",
        "signal = load()\nsignal.signal(1, handler)",
        "def sorted(rows, key):\n    pool.map(key, rows)\nsorted([1], key=handler)",
        "library.register(handler)",
        "import datasets\nrows = datasets.load_dataset(1)\nwhile rows:\n    rows = rows[0]\nrows.map(handler)",
        "import datasets\nrows = datasets.load_dataset(1)\nwhile rows:\n    rows = rows.next()\nrows.map(handler)",
    ],
)
def test_others_may_go_to_workers(line: str) -> None:
    assert not _fixed(line)


def test_what_the_import_sets_up_is_called_in_workers_too() -> None:
    line = CALLED[0]
    assert not _fixed("", above=line)
    assert not _fixed("", above=f"def start():\n    {line}\nstart()\n")


def test_a_base_runs_where_its_heirs_do() -> None:
    classes = "class Base:\n    def show(self):\n        print(pool)\n\nclass Own(Base):\n    pass\n"
    assert _fixed("Own().show()", above=classes)
    assert not _fixed("print(pool.map(Own().show, [1]), Own)", above=classes)
