"""A decorator decorates what is under it, and not what another call of the same registry was given."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from test_flow import crossings

from codemods.finding import Confidence
from codemods.flow.boundaries import table
from codemods.flow.facts.collector import facts_of
from codemods.flow.solve import decorators
from codemods.flow.solve.heap import FUNCTION, Heap, Value
from codemods.flow.solve.paths import Paths
from codemods.flow.solve.solver import solve
from harness.each_row import each_row

BOTH_WAYS = """
TABLE = {}

def _enter(kind, given, name):
    def enter(made):
        TABLE.setdefault(kind, {})[name or made.__name__] = made
        return made

    if given is None:
        return enter
    return enter(given)

def task(given=None, *, name=None):
    return _enter("task", given, name)

def trainer(given=None, *, name=None):
    return _enter("trainer", given, name)
"""

TRAINER = """
import torch
from registry import trainer

@trainer{mark}
class Trainer:
    def __init__(self, config=None):
        self.config = config

    def save(self):
        torch.save(self.config, "last.pt")
"""

TASK = """
from registry import task
import trainers

def missing(error):
    @task{mark}
    class MissingTask:
        def __init__(self):
            raise error

    return MissingTask

missing(ImportError())
{more}
"""


@pytest.mark.parametrize("mark", ["", "(name='x')"])
@pytest.mark.parametrize(
    ("more", "crosses"),
    [
        ("trainers.Trainer({}).save()", False),
        ("trainers.Trainer(missing(ValueError())).save()", True),
    ],
)
def test_a_registry_that_decorates_with_and_without_arguments(mark: str, more: str, crosses: bool) -> None:
    files = {
        "registry.py": BOTH_WAYS,
        "trainers.py": TRAINER.format(mark=mark),
        "a.py": TASK.format(mark=mark, more=more),
    }
    found = [each for each in crossings(files) if each.path == "a.py"]
    assert any(each.confidence is not Confidence.POSSIBLE for each in found) is crosses


@each_row(
    "decorator",
    [
        "Sent",
        "sent()",
        "(Sent if rows else Sent)",
        "pick(Sent)",
    ],
)
def test_a_class_that_decorates_gets_what_is_under_it(decorator: str) -> None:
    text = f"""
import torch

class Sent:
    def __init__(self, made):
        torch.save(made, "last.pt")

class Other:
    def __init__(self, made):
        self.made = made

def sent():
    return Sent

def pick(kind):
    return Other if rows else kind

def main():
    @{decorator}
    class Here:
        pass

rows = [1]
main()
"""
    assert any(each.confidence is not Confidence.POSSIBLE for each in crossings({"a.py": text}))


def test_no_path_is_followed_where_nothing_is_decorated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class without an initialiser gets nothing that could be forgotten, however many places may call it."""
    text = "class One: ...\nclass Two: ...\n\ndef chosen(flag):\n    return One if flag else Two\n"
    text += "".join(f"\n@chosen({at})\ndef f{at}(x): ...\n" for at in range(3))
    asked: list[int] = []

    def note(heap: Heap, number: int, *rest: object) -> None:
        asked.append(number)
        raise AssertionError

    monkeypatch.setattr(decorators, "Paths", note)
    solve({"a.py": facts_of("a.py", ast.parse(text))}, table([]))
    assert not asked


@pytest.mark.parametrize("calls", [1, 3])
def test_paths_that_are_too_many_are_followed_once(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Through functions that each call the next one, `calls` times, to nodes that other calls give it back to."""
    heap, depth, ends = Heap(lambda value: False), 9, 4
    heap.add_file(0, [1] * (depth + ends + 1), [""] * (depth + ends + 1))
    number = heap.number(Value(FUNCTION, 0))
    for node in range(depth + ends + 1):
        heap.add(node, number)
    sites = [[10 * node + call for call in range(1, calls + 1)] for node in range(depth)]
    for node in range(depth - 1):
        for site in sites[node]:
            heap.edge(node, node + 1, 1, site)
    for site in sites[depth - 2]:
        heap.edge(depth - 1, 0, 1, -site)
    for end in range(depth, depth + ends):
        heap.edge(depth - 1, end, 1, -1000 - end)
    made: list[Paths] = []

    def note(*arguments: Any) -> Paths:
        made.append(Paths(*arguments))
        return made[-1]

    monkeypatch.setattr(decorators, "Paths", note)
    ways = decorators._Ways(heap, number, 0)
    found = [ways.may_lead_to(end) for end in range(depth, depth + ends)]
    assert found == [calls > 1] * ends
    assert not ways.may_lead_to(depth + ends)
    assert [paths.complete for paths in made] == ([False, True] if calls > 1 else [True] * (ends + 1))


DECORATED = """
import functools, threading
import torch
from torch.utils.data import DataLoader
{imports}

class Task:
    def __init__(self):
        self.lock = threading.Lock()

    {mark}
    def collate(self, batch):
        return batch

def main(rows):
    DataLoader(rows, num_workers=2, collate_fn=Task().collate)
"""


@each_row(
    "mark, imports, sure",
    [
        ("", "", True),
        ("@wrapped", "from tools import wrapped", False),  # it may give something else
        ("@tools.wrapped(deep=True)", "import tools", False),
        ("@torch.no_grad()\n    @tools.wrapped", "import tools", False),
        ("@torch.no_grad()", "", True),
        ("@functools.lru_cache", "", True),
    ],
)
def test_a_method_with_a_decorator_of_other_code(mark: str, imports: str, sure: bool) -> None:
    found = crossings({"main.py": DECORATED.format(mark=mark, imports=imports)})
    assert [each.confidence for each in found] == [Confidence.PROVEN if sure else Confidence.LIKELY]
