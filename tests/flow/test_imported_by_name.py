"""The flow of values: a module that is imported by its name is one whose functions are known, and no object."""

from __future__ import annotations

import pytest

from codemods.syntax.unpicklable_table import makes_object
from harness.each_row import each_row
from harness.small import reported

TASK = """\
from torch.utils.data import Dataset
class Rows(Dataset):
    def __init__(self): self.f = lambda x: x
def load(): return Rows()
"""
MAIN = """\
import importlib, sys
from torch.utils.data import DataLoader
def call(function): return function()
if __name__ == "__main__":
    task = importlib.import_module({name})
    print(list(DataLoader({data}, num_workers=2)))
"""


@pytest.mark.parametrize("name", ["'tasks.one'", "'tasks.' + sys.argv[1]", "f'tasks.{sys.argv[1]}'"])
@pytest.mark.parametrize("data", ["task.load()", "call(task.load)", "task.Rows()"])
def test_what_the_functions_of_a_module_return(name: str, data: str) -> None:
    files = {"main.py": MAIN.format(name=name, data=data), "tasks/one.py": TASK, "tasks/__init__.py": ""}
    (found,) = reported(files, "lambdas")
    assert (found.path, found.span.line) == ("tasks/one.py", 3) and found.trace[-1].path == "main.py"


def test_a_module_is_no_hazard_of_the_flow() -> None:
    """Else each value of such a module would be one more for the solver, and what its functions return was lost."""
    assert not makes_object("importlib.import_module") and makes_object("threading.Lock")


@each_row(
    "name",
    [
        "'task_' + sys.argv[1]",
        "'task' + sys.argv[1]",
        "f'task{sys.argv[1]}'",
        "'Task%s' % sys.argv[1]",
        "'t{}e'.format(sys.argv[1])",
        "f'.{sys.argv[1]}', __package__",
        "'.task' + sys.argv[1], __package__",
    ],
)
def test_the_first_part_of_a_name_is_enough(name: str) -> None:
    home = "Task_one.py" if "Task" in name else "task_one.py"
    files = {
        f"jobs/{each}": text
        for each, text in {"main.py": MAIN.format(name=name, data="task.load()"), home: TASK}.items()
    }
    (found,) = reported({**files, "jobs/__init__.py": ""}, "lambdas")
    assert (found.path, found.span.line) == (f"jobs/{home}", 3) and found.trace[-1].path == "jobs/main.py"


def test_another_beginning() -> None:
    files = {"main.py": MAIN.format(name="f'job{sys.argv[1]}'", data="task.load()"), "task_one.py": TASK}
    (found,) = reported(files, "lambdas")
    assert found.trace[-1].path == "task_one.py"
