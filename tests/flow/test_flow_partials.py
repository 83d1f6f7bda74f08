"""Calls through partials: what a partial was given counts as an argument of the call."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

LOADERS = """
from functools import partial
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, load):
        self.load = load

    def __getitem__(self, index):
        return self.load(index)
"""

PROGRAMS = {
    "workers are given to a partial in a dict": f"""{LOADERS}
loaders = {{"train": partial(DataLoader, num_workers=2), "val": partial(DataLoader, num_workers=0)}}
for row in loaders["train"](Rows(lambda i: i)):  # proven
    print(row)
""",
    "workers are given to a partial on an object": f"""{LOADERS}
class Trainer:
    def __init__(self):
        self.loader = partial(DataLoader, num_workers=2, collate_fn=lambda rows: rows)  # proven

    def train(self):
        for row in self.loader(Rows(lambda i: i)):  # proven
            print(row)

Trainer().train()
""",
    "the call takes the workers back": f"""{LOADERS}
loader = partial(DataLoader, num_workers=2)
for row in loader(Rows(lambda i: i), num_workers=0):  # possible
    print(row)
""",
    "the partial says that there are none": f"""{LOADERS}
loader = partial(DataLoader, num_workers=0)
for row in loader(Rows(lambda i: i)):  # possible
    print(row)
""",
    "a positional argument is given first": """
from functools import partial
from multiprocessing import Process
start = partial(Process, None)
start(print, None, (lambda: 1,)).start()  # proven
""",
    "a partial of a partial": """
from functools import partial
from multiprocessing import Process
daemon = partial(partial(Process, daemon=True), target=print)
daemon(args=(lambda: 1,)).start()  # proven
""",
    "a function of the program": """
from functools import partial
from multiprocessing import Process

def start(job, extra):
    Process(target=print, args=(job, extra)).start()

run = partial(start, lambda: 1)  # proven
run(extra=lambda: 2)  # proven
""",
    "a partial of itself": """
from functools import partial
from multiprocessing import Process
start = Process
for name in "ab":
    start = partial(start, name=name)
start(target=print, args=(lambda: 1,)).start()  # proven
""",
}


@each_row("program", PROGRAMS.values(), ids=PROGRAMS)
def test_partials(program: str) -> None:
    files = {"main.py": program}
    assert crossing(files) == marked(files)


def test_a_partial_of_another_file() -> None:
    files = {
        "zoo.py": f"{LOADERS}\nmake = partial(DataLoader, num_workers=2, collate_fn=lambda rows: rows)  # proven\n",
        "a.py": "import zoo\nfor row in zoo.make(zoo.Rows(lambda i: i)):  # proven\n    print(row)\n",
    }
    assert crossing(files) == marked(files)
    swapped = {"a.py": files["zoo.py"], "zoo.py": files["a.py"].replace("zoo", "a")}
    assert crossing(swapped) == marked(swapped)


CONTEXTS = {
    "of a variable": ("CONTEXT = multiprocessing.get_context('spawn')", "CONTEXT.Process", "proven"),
    "of a call": ("", "multiprocessing.get_context('spawn').Process", "proven"),
    "of fork": ("", "multiprocessing.get_context('fork').Process", "possible"),
    "of the default": ("CONTEXT = multiprocessing.get_context()", "CONTEXT.Process", "proven"),
    "of something else": ("CONTEXT = multiprocessing.Manager()", "CONTEXT.Process", "possible"),
}


@each_row(("before", "base", "mark"), CONTEXTS.values(), ids=CONTEXTS)
def test_the_base_class_of_a_context(before: str, base: str, mark: str) -> None:
    program = f"""
import multiprocessing
{before}
class Worker({base}):
    def __init__(self, job):
        super().__init__()
        self.job = job

Worker(lambda: 1).start()  # {mark}
"""
    files = {"main.py": program}
    assert crossing(files) == marked(files)
