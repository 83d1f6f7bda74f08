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


def test_refused_where_an_older_python_is_named() -> None:
    text, reason = done(setup_py="setup(\n    classifiers=['Programming Language :: Python :: 3.7'],\n)\n")
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
