"""Scripts that are shown as notebooks: a mark of a cell under the guard would be a comment like any other."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

HEAD = '''"""
A page
======
"""
from concurrent.futures import ProcessPoolExecutor


def work(x):
    return x


'''
RUN = "answer = ProcessPoolExecutor(2).submit(work, 1)\n"
GUARDED = f'if __name__ == "__main__":\n    {RUN}'
RULE = "main-guard"
GALLERY = {"doc/conf.py": "extensions = ['sphinx_gallery.gen_gallery']\n"}
LONG = "#" * 30


@each_row(
    "mark",
    [
        "# %%",
        "#%%",
        "# %% [markdown]",
        "# %% Train",
        "# In[3]:",
        "# In [ ]:",
        "# <codecell>",
        "# COMMAND ----------",
    ],
)
def test_a_cell_below_the_place_of_the_guard(mark: str) -> None:
    script = f"{HEAD}{RUN}\n{mark}\n# The next heading\n# ----------------\nprint(answer)\n"
    line = script.splitlines().index(mark) + 1
    (reason,) = reasons({"a.py": script}, RULE)
    assert reason.startswith(f"a.py:{line} begins a cell (`{mark[:20]}`)")
    assert "a.py" not in migrated({"a.py": script}, RULE)


def test_the_last_cell_keeps_its_mark_and_its_text_at_the_left_edge() -> None:
    cell = "# %%\n# The last heading\n# ----------------\n"
    assert migrated({"a.py": f"{HEAD}{cell}{RUN}"}, RULE) == {"a.py": f"{HEAD}{cell}\n{GUARDED}"}
    assert migrated({"a.py": f"{HEAD}{cell}\n{RUN}"}, RULE) == {"a.py": f"{HEAD}{cell}\n{GUARDED}"}


@each_row(
    "line", ["    # %% no mark", "text = '''\n# %%\n'''", "# 5 %% of them", "x = 7 # %%", "# Input[3]", "# COMMAND - x"]
)
def test_what_is_no_mark(line: str) -> None:
    script = f"{HEAD}{RUN}if answer:\n    print(1)\n{line}\nprint(answer)\n"
    assert f"\n{GUARDED}" in migrated({"a.py": script}, RULE)["a.py"]


def test_a_long_line_of_hashes_is_a_cell_for_sphinx_gallery_only() -> None:
    script = f"{HEAD}{RUN}\n{LONG}\n# The next heading\nprint(answer)\n"
    assert migrated({"examples/a.py": script}, RULE)["examples/a.py"].count(f"    {LONG}\n") == 1
    (reason,) = reasons({"examples/a.py": script, **GALLERY}, RULE)
    assert f"begins a cell (`{LONG[:20]}`)" in reason
    assert migrated({"scripts/a.py": script, **GALLERY}, RULE).keys() == {"scripts/a.py"}
    plain = script.removeprefix(HEAD[: HEAD.index("from")])  # without a docstring it is no page
    assert migrated({"examples/a.py": plain, **GALLERY}, RULE).keys() == {"examples/a.py"}
    short = script.replace(LONG, LONG[:19])
    assert migrated({"examples/a.py": short, **GALLERY}, RULE).keys() == {"examples/a.py"}


@pytest.mark.parametrize(
    "folders", ["'../pages'", "['../examples', '../pages/']", "[os.path.join(HERE, 'pages'), other]"]
)
def test_the_configuration_names_the_folders_of_the_gallery(folders: str) -> None:
    script = f"{HEAD}{RUN}\n{LONG}\n# The next heading\nprint(answer)\n"
    conf = f"extensions = ['sphinx_gallery.gen_gallery']\nsphinx_gallery_conf = {{'examples_dirs': {folders}}}\n"
    assert not migrated({"pages/one/a.py": script, "doc/conf.py": conf}, RULE)
    assert migrated({"scripts/a.py": script, "doc/conf.py": conf}, RULE).keys() == {"scripts/a.py"}


@pytest.mark.parametrize("kind", ["light", "nomarker"])
def test_a_block_of_comments_is_a_text_for_jupytext(kind: str) -> None:
    head = f"# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: {kind}\n# ---\n\n"
    body = HEAD[HEAD.index("from") :]
    below = f"{RUN}# about the answer\nprint(answer)\n"
    assert f"    {RUN}    # about the answer\n" in migrated({"a.py": f"{head}{body}{below}"}, RULE)["a.py"]
    (reason,) = reasons({"a.py": f"{head}{body}{RUN}\n# A text\n\nprint(answer)\n"}, RULE)
    assert "begins a cell (`# A text`)" in reason
    assert migrated({"a.py": f"{body}{RUN}\n# A text\n\nprint(answer)\n"}, RULE)
    percent = head.replace(kind, "percent")
    assert migrated({"a.py": f"{percent}{body}{RUN}\n# A text\n\nprint(answer)\n"}, RULE)


@pytest.mark.parametrize(("marks", "cells"), [("# +\nwaited = 1\n# -\n", True), ("# +\nwaited = 1\n", False)])
def test_jupytext_that_says_nothing_of_its_format(marks: str, cells: bool) -> None:
    script = f"{HEAD}{RUN}\n{marks}\nprint(answer)\n"
    if cells:
        (reason,) = reasons({"a.py": script}, RULE)
        assert "begins a cell (`# +`)" in reason
    else:
        assert f"\n{GUARDED}" in migrated({"a.py": script}, RULE)["a.py"]
