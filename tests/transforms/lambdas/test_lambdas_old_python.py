"""lambdas: nothing is written that the Python of the repository does not read (`/` came with 3.8)."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import plan
from codemods.project import Project
from codemods.settings import Settings
from codemods.syntax.python_floor import old_python
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

CASTS = """\
from multiprocessing import Pool


def patched(func, kind):
    def new_forward(*args, **kwargs):
        return func(kind, *args, **kwargs)

    return new_forward


def main():
    with Pool(2) as pool:
        print(pool.map(patched(print, 1), [1, 2]))


if __name__ == "__main__":
    main()
"""


def done(**others: str) -> tuple[str, str | None]:
    """What becomes of the program beside the other files (`setup_py="..."`), and the reason where it stays."""
    files = {"model.py": CASTS, **{".".join(name.rsplit("_", 1)): text for name, text in others.items()}}
    made = plan(MemoryFiles({name: text.encode() for name, text in files.items()}), Settings(select=("lambdas",)))
    reason = made.remaining[0].reason if made.remaining else None
    return made.contents.get("model.py", b"").decode(), reason


def test_positional_only_where_python_has_it() -> None:
    text, reason = done(setup_py="setup(python_requires='>=3.8')\n")
    assert "def _patched_new_forward(func, kind, /, *args, **kwargs):" in text
    assert reason is None


OLD = "setup(\n    classifiers=['Programming Language :: Python :: 3.7'],\n)\n"


def test_captured_values_get_names_that_no_call_says_where_an_older_python_is_named() -> None:
    text, reason = done(setup_py=OLD)
    assert "def _patched_new_forward(_captured_func, _captured_kind, *args, **kwargs):\n    return " in text
    assert "    return _captured_func(_captured_kind, *args, **kwargs)\n" in text
    assert "return functools.partial(_patched_new_forward, func, kind)" in text
    assert reason is None


def test_a_name_that_some_file_has_is_not_chosen() -> None:
    text, reason = done(setup_py=OLD, other_py="def call(f):\n    return f(1, _captured_kind=2)\n")
    assert "def _patched_new_forward(_captured_func, _captured_kind_2, *args, **kwargs):\n    return " in text
    assert "    return _captured_func(_captured_kind_2, *args, **kwargs)\n" in text
    assert reason is None


METHOD = """\
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, feature):
        self.feature = feature

    def __getitem__(self, index):
        return self.feature(index, None)


class Task:
    def __init__(self, size):
        self.size = size

    def get_feature(self, length=512, mask=None):
        def to_feature(example, rng=None, **kwargs):
            return self.feature(example, length=length, mask=mask, size=self.size, rng=rng, **kwargs)
        return to_feature

    def feature(self, example, **kwargs):
        return example


if __name__ == "__main__":
    for row in DataLoader(Rows(Task(3).get_feature(5)), num_workers=2):
        print(row)
"""


def test_a_method_of_a_task_takes_any_keyword() -> None:
    text, reason = done(setup_py=OLD, model_py=METHOD)
    assert "def _get_feature_to_feature(self, _captured_length, _captured_mask, example, rng=None, **kwargs):" in text
    assert (
        "return self.feature(example, length=_captured_length, mask=_captured_mask, size=self.size, rng=rng, **kwargs)"
        in text
    )
    assert reason is None


REGISTERED = METHOD.replace("return self.feature(", "return feature(").replace(
    "class Task:",
    "def feature(example, **kwargs):\n    return example\n\n\n"
    "TASKS = {}\n\n\ndef task(cls):\n    TASKS[cls.__name__] = cls\n    return cls\n\n\n@task\nclass Task:",
)


def test_an_attribute_that_is_passed_gets_such_a_name_too() -> None:
    text, reason = done(setup_py=OLD, model_py=REGISTERED)
    assert "def _to_feature(_captured_size, _captured_length, _captured_mask, example, rng=None, **kwargs):" in text
    assert (
        "return feature(example, length=_captured_length, mask=_captured_mask, size=_captured_size, rng=rng, **kwargs)"
        in text
    )
    assert "return functools.partial(_to_feature, self.size, length, mask)" in text
    assert reason is None


@each_row(
    "call",
    ["f(1, self=2)", "f(1, **{'self': 2})", "f(**locals())", "f(**vars())", "f(**dict(row, self=1))"],
)
def test_refused_where_a_call_may_pass_the_name_that_its_object_has(call: str) -> None:
    other = f"class Other:\n    def call(self, f, row):\n        return {call}\n"
    text, reason = done(setup_py=OLD, model_py=METHOD, other_py=other)
    assert not text
    assert reason is not None and "setup.py:2 names a Python older than 3.8" in reason


@each_row(
    ("path", "text", "expected"),
    [
        pytest.param("setup.py", "python_requires='>=3.6'", True, id="lower bound"),
        pytest.param("pyproject.toml", 'requires-python = ">=3.7,<4"', True, id="pyproject"),
        pytest.param("pyproject.toml", 'requires-python = ">=3.8"', False, id="new enough"),
        pytest.param("README.md", "conda create -n env python=3.7 -y", True, id="guide"),
        pytest.param("README.md", "Python 3.10 and torch 1.3.6", False, id="other numbers"),
        pytest.param("docker/Dockerfile", "FROM python:3.6-slim", True, id="image"),
        pytest.param("environment.yml", "dependencies:\n  - python=3.7.9", True, id="environment"),
        pytest.param(".python-version", "3.7.9\n", True, id="pyenv"),
        pytest.param("other/README.md", "Python 3.6", False, id="another program's"),
        pytest.param("pkg/README.md", "Python 3.6", True, id="the program's own"),
        pytest.param("notes.md", "Python 3.6", False, id="any text"),
    ],
)
def test_where_a_python_is_named(path: str, text: str, expected: bool) -> None:
    project = Project(MemoryFiles({path: text.encode(), "pkg/model.py": b""}))
    assert (old_python(project, "pkg/model.py") is not None) is expected
