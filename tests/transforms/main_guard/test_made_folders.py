"""Folders that a script makes above its guard: which of them each worker would make again."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

PROGRAM = """\
import os
import time
from datetime import datetime
from pathlib import Path
from torch.utils.data import DataLoader

class Log:
    def __init__(self, path):
        self.file = open(path, "w")

def note(path):
    with open(path, "w") as file:
        print(path, file=file)
    return path

def folder():
    name = "runs/" + time.strftime("%H%M")
    os.makedirs(name, exist_ok=True)
    return name

{body}

def main():
    for row in DataLoader([1, 2], num_workers=2):
        print(row)

if __name__ == "__main__":
    main()
"""


def messages(body: str) -> list[str]:
    """What is said of the statements above the guard."""
    files = MemoryFiles({"train.py": PROGRAM.format(body=body).encode()})
    return [
        each.message.partition("runs it again: ")[2] for each in check(files, Settings(select=("main-guard",))).findings
    ]


@each_row(
    "body",
    [
        'out = os.path.join("runs", time.strftime("%H%M"))\nos.makedirs(out, exist_ok=True)',
        'now = datetime.now()\nout = f"runs/{now}"\nos.makedirs(out, exist_ok=True)',
        'out = Path("runs") / datetime.now().isoformat()\nout.mkdir(exist_ok=True)',
        'out = Path.home() / time.strftime("%H%M")\nout.mkdir(exist_ok=True)',
        'out = Path.cwd() / time.strftime("%H%M")\nout.mkdir(exist_ok=True)',
        "out = folder()",
        'os.mkdir(time.strftime("%H%M"))',
        'base = Path("runs")\nout = base / time.strftime("%H%M")\nout.mkdir(exist_ok=True)',
        'if time.daylight:\n    base = Path("a")\nelse:\n    base = Path("b")\n'
        'out = base / time.strftime("%H%M")\nout.mkdir(exist_ok=True)',
    ],
)
def test_a_folder_of_a_new_name(body: str) -> None:
    assert messages(body) == ["it makes a folder of a new name"]


@each_row(
    "body",
    [
        'os.makedirs("runs")',
        'Path("runs").mkdir()',
        'out = Path("runs")\nout.mkdir()',
        'if time.daylight:\n    out = Path("a")\nelse:\n    out = Path("b")\nout.mkdir()',
        'base = Path("runs")\nout = base / "a" / "b"\nout.mkdir(parents=True)',
    ],
)
def test_a_folder_that_exists_when_a_worker_makes_it(body: str) -> None:
    assert messages(body) == ["it makes a folder that exists by then"]


@each_row(
    "body",
    [
        'os.makedirs("runs", exist_ok=True)',
        'os.makedirs("runs", 7, True)',
        'Path("runs").mkdir(parents=True, exist_ok=True)',
        'options = {}\nos.makedirs("runs", **options)',
        'if not os.path.exists("runs"):\n    os.makedirs("runs")',
        'try:\n    Path("runs").mkdir()\nexcept FileExistsError:\n    pass',
        "from store import *\nout.mkdir()",
        'Path("runs").resolve()',
        "import store\nstore.mkdir()",
        "import store\nout = store.folder()\nout.mkdir()",
        'import store\nif time.daylight:\n    out = Path("a")\nelse:\n    out = store.folder()\nout.mkdir()',
        'for out in (Path("a"), Path("b")):\n    out.mkdir()',  # it may be any of them
        'noted = note("runs.txt")',  # a function that is called for its result notes it down
    ],
)
def test_look_alikes(body: str) -> None:
    assert messages(body) == []


def test_a_log_that_a_constructor_empties_and_keeps() -> None:
    assert messages('log = Log("log.txt")') == ["it opens a file for writing, and keeps it open"]
