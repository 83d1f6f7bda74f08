"""What a registry gives is none of the classes that lack what the code reads of it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

TASKS = """
class Rows:
    def __init__(self, args):
        self.rows = [args]

class Graph:
    def __init__(self, args):
        self.norm = lambda x: x{graph}

TASKS = {{"rows": Rows, "graph": Graph}}

def build_task(args):
    return TASKS[args.task](args)
"""
TRAINER = """
from torch.utils.data import DataLoader
from tasks import build_task

class Trainer{base}:
    def __init__(self, args):
        {first}
        {then}
        self.loader = DataLoader([1, 2], num_workers=4, collate_fn=self.collate)

    def collate(self, rows):
        return rows
{more}
Trainer(args)
"""
BASE = """
class Flow:
    def __init__(self, args):
        self.task = build_task(args)
"""


def program(
    then: str = "self.rows = self.task.rows", graph: str = "", first: str = "", base: str = "", more: str = "",
    before: str = "",
) -> dict[str, str]:  # fmt: skip
    trainer = TRAINER.format(base=base, first=first or "self.task = build_task(args)", then=then, more=more)
    trainer = trainer.replace("\nclass Trainer", f"{before}\nclass Trainer", 1)
    return {"tasks.py": TASKS.format(graph=graph), "train.py": trainer}


def sure(files: dict[str, str]) -> dict[str, str]:
    return files | {"tasks.py": files["tasks.py"].replace("lambda x: x", "lambda x: x  # proven", 1)}


# what reads of one kind alone, or of what the attribute was before
KINDS_READ = [
    'if hasattr(self.task, "rows"):\n            self.rows = self.task.rows',
    "self.rows = self.task.rows if args.task == 'rows' else []",
    "self.rows = args.task == 'rows' and self.task.rows",
    "self.rows = lambda: self.task.rows  # proven",
    "self.rows = [self.task.rows for _ in args.steps]",
    "for _ in args.steps:\n            self.rows = self.task.rows",
    "try:\n            self.rows = self.task.rows\n        except AttributeError:\n            self.rows = []",
    "if args.task != 'rows':\n            return\n        self.rows = self.task.rows",
    "assert args.rows, self.task.rows",
    "self.rows = self.task.rows\n        self.task = build_task(args)",
]
PROGRAMS = {
    "it lacks what the constructor reads": program(),
    "its base class has it": program(first="super().__init__(args)", base="(Flow)", before=BASE),
    "nothing of it is read": sure(program("pass")),
    "what is read is something that both have": sure(program("print(self.task.norm)", graph="")),
    "it has that too": sure(program(graph="\n        self.rows = 3 * [args]")),
    "it gets that from outside": sure(
        program(first="self.task = build_task(args)\n        self.task.rows = args.rows")
    ),
    "it may get any": sure(program(graph="\n\n    def __getattr__(self, name):\n        return name")),
    "a method that sets it reads it": program(
        "pass", first="self.set(args)",
        more="\n    def set(self, args):\n        self.task = build_task(args)\n        self.rows = self.task.rows\n",
    ),
    "another method reads it": sure(program("pass", more="\n    def use(self):\n        return self.task.rows\n")),
} | {then: sure(program(then)) for then in KINDS_READ}  # fmt: skip


@each_row("name", PROGRAMS)
def test_what_lacks_what_is_read(name: str) -> None:
    files = PROGRAMS[name]
    assert {each for each in crossing(files) if each[2] != "possible"} == marked(files)
