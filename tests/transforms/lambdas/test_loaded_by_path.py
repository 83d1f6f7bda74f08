"""What is taken from a module that is loaded by its path: where it is reported, and where not."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles

PROGRAM = """\
import importlib.util
import multiprocessing


def register(module):
    multiprocessing.util.info(module)


def load(path, name):
    spec = {spec}
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    {more}
    return {taken}


if __name__ == "__main__":
    with {pool} as pool:
        print(pool.map(load("labels.py", "label"), [1, 2]))
"""
BY_PATH = 'importlib.util.spec_from_file_location("labels", path)'
POOL = "multiprocessing.Pool(2)"


def reasons(taken: str, more: str = "pass", pool: str = POOL, spec: str = BY_PATH) -> list[str]:
    """Messages about the program that takes this from the module."""
    text = PROGRAM.format(taken=taken, more=more, pool=pool, spec=spec)
    project = Project(MemoryFiles({"run.py": text.encode()}))
    return [finding.message for finding in find(project) if finding.confidence.value != "possible"]


@pytest.mark.parametrize("taken", ["module.label", "getattr(module, name)", "module.Label", "module.Label()"])
def test_what_a_pool_gets_is_reported(taken: str) -> None:
    (message,) = reasons(taken)
    assert "as `module` is loaded by its path" in message


@pytest.mark.parametrize(
    "more",
    [
        "import sys; sys.modules[spec.name] = module",
        "import sys; sys.modules.setdefault(spec.name, module)",
        "register(module)",
        "import labels as module",
    ],
)
def test_a_module_that_may_be_registered_is_not_reported(more: str) -> None:
    assert reasons("module.label", more) == []


def test_threads_need_no_import() -> None:
    assert reasons("module.label", pool="multiprocessing.pool.ThreadPool(2)") == []


def test_a_module_that_is_found_by_its_name_is_not_reported() -> None:
    assert reasons("module.label", spec='importlib.util.find_spec("labels")') == []
