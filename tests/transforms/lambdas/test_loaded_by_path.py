"""What is taken from a module that is loaded by its path: where it is reported, and where not."""

from __future__ import annotations

from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

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


@each_row("taken", ["module.label", "getattr(module, name)", "module.Label", "module.Label()"])
def test_what_a_pool_gets_is_reported(taken: str) -> None:
    (message,) = reasons(taken)
    assert "as `module` is loaded by its path" in message


@each_row(
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


HELPED = """\
import importlib.util
import multiprocessing


def load(path):
    spec = importlib.util.spec_from_file_location("labels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    {more}
    return module


def main(path):
    labels = load(path)
    with multiprocessing.Pool(2) as pool:
        print(pool.map({taken}, [1, 2]))


if __name__ == "__main__":
    main("labels.py")
"""


@each_row(
    ("taken", "more", "found"),
    [
        ("labels.label", "pass", True),
        ("labels.Label()", "pass", True),
        ("getattr(labels, 'Label')", "pass", True),
        ("labels.label", "import sys; sys.modules[spec.name] = module", False),
        ("labels.label", "register(module)", False),
        ("labels.label", "return multiprocessing", False),
    ],
)
def test_a_function_that_returns_the_module(taken: str, more: str, found: bool) -> None:
    project = Project(MemoryFiles({"run.py": HELPED.format(taken=taken, more=more).encode()}))
    sure = [each.message for each in find(project) if each.confidence.value != "possible"]
    assert bool(sure) is found and all("is loaded by its path" in message for message in sure)
