"""`async` and `await` as names: files of Python 3.6 and older are read as all others, and keep their text."""

from __future__ import annotations

import ast

import pytest

from codemods.engine.migrate import check, plan
from codemods.engine.verify import verify
from codemods.finding import Edit
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from codemods.tree.old_names import has_old_names, modern, tree_of
from codemods.tree.source import Source
from harness.each_row import each_row

LINES = [
    "run(async=True)",
    "run(1, async = False)",
    "job.async(1)",
    "def run(x, async=False): pass",
    "run(await=True)",
    "x = async",
    "run(async=True, await=False)",
    'run("é", async=True)  # async',
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_it_is_read_at_the_same_places(line: str, newline: str) -> None:
    text = f'x = "async"\nasync def f(x):\n    await x\n{line}\ny = f"{{x}}"\n'.replace("\n", newline)
    assert len(modern(text)) == len(text)
    first, *_, last = tree_of(text).body
    assert isinstance(first, ast.Assign) and isinstance(first.value, ast.Constant) and first.value.value == "async"
    assert last.lineno == 5
    assert [line.strip() for line in modern(text).splitlines()][1:3] == ["async def f(x):", "await x"]


@pytest.mark.parametrize(
    "text", ["f(:\nrun(async=True)\n", "print 1\nrun(async=True)\n", "asinc = 1\nrun(async=True)\n"]
)
def test_what_no_python_3_reads(text: str) -> None:
    assert modern(text) == text
    with pytest.raises(SyntaxError):
        tree_of(text)


def test_text_that_python_reads_stays() -> None:
    text = "async def f(x):\n    return [y async for y in x]\n"
    assert modern(text) is text


@each_row(
    ("text", "old"),
    [
        ("x = async", True),
        ("x.async", True),
        ("f(async=1)", True),
        ("def f(async): pass", True),
        ("def async(x): pass", True),
        ("class async: pass", True),
        ("import async", True),
        ("x = 'async'", False),
        ("async def f(x): await x", False),
    ],
)
def test_names_that_are_keywords_today(text: str, old: bool) -> None:
    assert has_old_names(tree_of(text)) is old


TRAIN = """\
from torch.utils.data import DataLoader

def main(rows, model):
    loader = DataLoader(rows, num_workers=4, collate_fn=lambda b: b[0])
    for x in loader:
        model(x.cuda(async=True))
"""


def planned(files: MemoryFiles) -> str:
    (change,) = plan(files, Settings(cache=False)).changes
    (after,) = change.contents.values()
    return after.decode()


def test_it_is_rewritten_around_the_name() -> None:
    files = MemoryFiles({"train.py": TRAIN.encode()})
    report = check(files, Settings(cache=False))
    assert [finding.rule for finding in report.findings] == ["lambdas"]
    assert not report.skipped
    text = planned(files)
    assert "x.cuda(async=True)" in text and "lambda" not in text
    assert tree_of(text)


def test_a_lambda_with_the_name() -> None:
    text = TRAIN.replace("b[0]", "b[0].cuda(async=True)")
    files = MemoryFiles({"train.py": text.encode()})
    (finding,) = check(files, Settings(cache=False)).findings
    assert finding.fix is None and "rename it first" in (finding.reason or "")


def test_the_stand_in_is_never_written() -> None:
    source = Source("train.py", TRAIN)
    at = TRAIN.index("        model(")
    edit = Edit("train.py", at, at, "        x.cuda(asinc=True)\n")
    assert verify(source, source.apply([edit]), [edit]) is not None
    assert verify(source, source.apply([plain := Edit("train.py", at, at, "        x.cpu()\n")]), [plain]) is None
