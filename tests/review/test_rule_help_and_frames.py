"""Each rule's own documentation in SARIF, and how many lines of a long place are shown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from codemods.engine.migrate import Report, check
from codemods.review.documentation import _files
from codemods.review.sarif import to_sarif
from codemods.review.text import render_text
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles


def checked(text: str, rule: str) -> Report:
    return check(MemoryFiles({"a.py": text.encode()}), Settings(select=(rule,)))


def test_the_help_of_a_rule_is_its_own_documentation() -> None:
    rows = to_sarif(checked("", "main-guard"))["runs"][0]["tool"]["driver"]["rules"]
    assert {row["id"] for row in rows} == set(rules())
    for row in rows:
        assert row["help"]["text"] == row["help"]["markdown"] == rules()[row["id"]].documentation.strip()
        assert "What it finds" in row["help"]["text"]


@pytest.mark.parametrize(("lines", "shown", "more"), [(4, 4, ""), (6, 6, ""), (9, 6, "... 3 more lines")])
def test_a_long_place_is_cut(lines: int, shown: int, more: str) -> None:
    steps = "".join(f"        y{number} = x\n" for number in range(lines - 2))
    text = (
        "import pickle\n\n\ndef make():\n"
        f"    def work(x):\n{steps}        return x\n\n    return pickle.dumps(work)\n\n\nmake()\n"
    )
    out = io.StringIO()
    render_text(checked(text, "lambdas"), Console(file=out, width=100))
    numbered = [line for line in out.getvalue().splitlines() if line.split("|")[0].strip().isdecimal()]
    assert len(numbered) == shown
    assert (more in out.getvalue()) if more else "more line" not in out.getvalue()


def test_files_of_an_example_without_names_are_numbered_by_their_language() -> None:
    block = "```{}\n{}\n```\n\n"
    section = "".join(
        block.format(language, text)
        for language, text in [("python", "a = 1"), ("bash", "b"), ("python", "# file: named.py\nc = 1"),
                               ("python", "d = 1"), ("text", "said"), ("bash", "e")]
    )  # fmt: skip
    assert {path: text.strip() for path, text in _files(section).items()} == {
        "example.py": "a = 1", "example.sh": "b", "named.py": "c = 1", "example2.py": "d = 1", "example2.sh": "e",
    }  # fmt: skip
