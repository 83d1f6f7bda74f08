"""main-guard: functions that Python itself calls in the process that passes them are no code of workers."""

from __future__ import annotations

import ast

import pytest

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.transforms.main_guard.called_here import Called, called_here
from codemods.tree.files import MemoryFiles
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
    "from torch.optim.lr_scheduler import LambdaLR\nLambdaLR(make(), handler)",
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


@each_row("line", CALLED)
def test_they_are_none(line: str) -> None:
    assert _fixed(line)
    inner = line.replace("\n", "\n    ")
    assert _fixed("start()", above=f"def start():\n    {inner}\n")
    assert not _fixed("", worker=inner)  # a worker does the same


@each_row("line", CALLED_TOO)
def test_more_of_them(line: str) -> None:
    assert _fixed(line)


@each_row(
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
        "rows = load()\nwhile rows:\n    rows = rows[0]\nrows.map(handler)",
        "rows = rows.next()\nrows.map(handler)",
    ],
)
def test_others_may_go_to_workers(line: str) -> None:
    assert not _fixed(line)


def test_what_the_import_sets_up_is_called_in_workers_too() -> None:
    line = CALLED[0]
    assert not _fixed("", above=line)
    assert not _fixed("", above=f"def start():\n    {line}\nstart()\n")


def test_a_schedule_is_set_up_under_the_guard() -> None:
    line = "from torch.optim.lr_scheduler import LambdaLR\nschedule = LambdaLR(make(), lr_lambda=handler)"
    script = SCRIPT.format(line=line, worker="pass", above="").replace(
        "import atexit, functools, json, signal, threading\n", ""
    )
    (finding,) = reported({"a.py": script}, RULE)
    assert finding.fix is not None
    (finding,) = reported({"a.py": script.replace("LambdaLR(make(), ", "Schedule(")}, RULE)
    assert "`handler` may run in a worker and reads `pool`" in (finding.reason or "")


def test_a_base_runs_where_its_heirs_do() -> None:
    classes = "class Base:\n    def show(self):\n        print(pool)\n\nclass Own(Base):\n    pass\n"
    assert _fixed("Own().show()", above=classes)
    assert not _fixed("print(pool.map(Own().show, [1]), Own)", above=classes)


ONCE, LATER = Called.AT_ONCE, Called.LATER
PLACES = [  # a function, where it takes what it calls, by which keyword, and when it calls that
    ("sorted", None, "key", ONCE), ("min", None, "key", ONCE), ("max", None, "key", ONCE),
    ("functools.reduce", 0, "function", ONCE), ("re.sub", 1, "repl", ONCE), ("json.dump", None, "default", ONCE),
    ("json.dumps", None, "default", ONCE), ("json.load", None, "object_hook", ONCE),
    ("json.loads", None, "object_hook", ONCE), ("map", 0, None, ONCE), ("filter", 0, None, ONCE),
    *((f"itertools.{name}", 0, None, ONCE) for name in ("starmap", "takewhile", "dropwhile", "filterfalse")),
    ("itertools.groupby", 1, "key", ONCE), ("itertools.accumulate", 1, "func", ONCE),
    ("signal.signal", 1, "handler", LATER), ("atexit.register", 0, "func", LATER),
    ("threading.Thread", 1, "target", LATER), ("threading.Timer", 1, "function", LATER),
    ("lr_scheduler.LambdaLR", 1, "lr_lambda", LATER),
    ("torch.optim.lr_scheduler.MultiplicativeLR", 1, "lr_lambda", LATER),
]  # fmt: skip


def _called(text: str) -> Called | None:
    imports = (
        "import atexit, functools, itertools, json, re, signal, threading, torch\nfrom torch.optim import lr_scheduler"
    )
    text = f"{imports}\n{text}\n"
    repo = Repo(Project(MemoryFiles({"a.py": text.encode()})))
    outline = repo.outline("a.py")
    assert outline is not None
    (node,) = (each for each in outline.named["handler"] if isinstance(each, ast.Name))
    return called_here(outline, node, repo.resolver)


@each_row("name, at, keyword, when", PLACES)
def test_where_each_takes_it(name: str, at: int | None, keyword: str | None, when: Called) -> None:
    for place in range(3):
        given = ", ".join(["other"] * place + ["handler"])
        assert _called(f"list({name}({given}))") is (when if place == at else None)
    assert _called(f"list({name}(*rows, handler))") is None
    for word in ("key", "function", "func", "repl", "default", "object_hook", "handler", "target", "lr_lambda", "args"):
        assert _called(f"list({name}(rows, {word}=handler))") is (when if word == keyword else None)
    assert _called(f"{name.rpartition('.')[2]} = load\n{name.rpartition('.')[2]}(handler, key=1)") is None


@each_row("around", ["list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all"])
def test_who_uses_an_iterator_up(around: str) -> None:
    assert _called(f"{around}(map(handler, rows))") is ONCE
    assert _called(f"{around} = load\n{around}(map(handler, rows))") is None


@each_row(
    "text, when",
    [
        ("for row in map(handler, rows): pass", ONCE),
        ("[row for row in map(handler, rows)]", ONCE),
        ("rows = map(handler, rows)", None),
        ("iter(map(handler, rows))", None),
        ("pool.map(handler, rows)", None),
        ("handler()", None),
    ],
)
def test_an_iterator_may_be_sent(text: str, when: Called | None) -> None:
    assert _called(text) is when


LOAD = "from datasets import Dataset, load_dataset\n"


@each_row(
    "text, when",
    [
        ("Dataset.from_pandas(rows).map(handler)", ONCE),
        ("data = load_dataset('x')['train']\ndata.map(handler, batched=True)", ONCE),
        ("data = load_dataset('x').shuffle(seed=1)\ndata.filter(function=handler)", ONCE),
        (
            "rows = load_dataset('x')\nrows = rows.filter(print)\nwhile rows:\n    rows = rows[0]\nrows.map(handler)",
            ONCE,
        ),
        ("rows = load_dataset('x')\nif rows:\n    rows = load()\nrows.map(handler)", None),
        ("load_dataset('x').map(handler, num_proc=4)", None),
        ("load_dataset('x').map(handler, **options)", None),
        ("load_dataset('x').map(print, handler)", None),
        ("load_dataset('x', streaming=True).map(handler)", None),
        ("load_dataset('x', **options).map(handler)", None),
        ("load_dataset('x').to_iterable_dataset().map(handler)", None),
        ("load_dataset('x').with_transform(handler)", None),
        ("load_dataset('x')['train'].imap(handler)", None),
        ("rows.map(handler)", None),
    ],
)
def test_a_table_that_is_mapped(text: str, when: Called | None) -> None:
    assert _called(LOAD + text) is when


def test_a_table_of_the_repository() -> None:
    files = {
        "datasets/__init__.py": b"def load_dataset(name):\n    return name\n",
        "a.py": b"from datasets import load_dataset\nload_dataset('x').map(handler)\n",
    }
    repo = Repo(Project(MemoryFiles(files)))
    outline = repo.outline("a.py")
    assert outline is not None
    (node,) = (each for each in outline.named["handler"] if isinstance(each, ast.Name))
    assert called_here(outline, node, repo.resolver) is None


@each_row(
    ("parameters", "call", "others", "when"),
    [
        ("part", "net.layers.apply(handler)", "", ONCE),
        ("part, gain=1", "load().apply(handler)", "", ONCE),
        pytest.param("part=None", "net.apply(handler)", "", None, id="a pool may call it so"),
        pytest.param("*parts", "net.apply(handler)", "", None, id="also this one"),
        pytest.param("part", "pool.apply(handler, (1,))", "", None, id="a pool, with an argument"),
        pytest.param("part", "pool.apply(handler, args=(1,))", "", None, id="by a keyword"),
        pytest.param("part", "pool.apply_async(handler)", "", None, id="another method"),
        pytest.param(
            "part",
            "net.apply(handler)",
            "class Net:\n    def apply(self, work):\n        send(work)\n",
            None,
            id="its own",
        ),
    ],
)
def test_what_is_applied_to_parts(parameters: str, call: str, others: str, when: Called | None) -> None:
    assert _called(f"def handler({parameters}):\n    pass\n{others}{call}") is when
