"""`eval` of the text of a lambda gives a function without a name that pickle finds."""

from __future__ import annotations

import pytest

from harness.small import reported

PROGRAM = """\
import sys
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, text, clean="3"):
        {kept}

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.clean(index)


print(list(DataLoader({rows}, num_workers=1)))
"""
EVALUATED = "self.clean = eval(text)"


@pytest.mark.parametrize(
    ("kept", "rows"),
    [
        ('self.clean = eval("lambda x: x")', 'Rows("")'),
        ('self.clean = eval("lambda x: x", {})', 'Rows("")'),
        ('self.clean = eval("lambda x: " + text)', 'Rows("x")'),
        ('self.clean = eval(f"lambda x: {text}")', 'Rows("x")'),
        ('self.clean = eval("lambda x: %s" % text)', 'Rows("x")'),
        ('self.clean = eval("lambda x: {}".format(text))', 'Rows("x")'),
        ('written = f"lambda x: {text}"\n        self.clean = eval(written)', 'Rows("x")'),
        (EVALUATED, 'Rows("lambda x: x")'),
        (EVALUATED, 'Rows(text="lambda x: x")'),
    ],
)
def test_the_text_of_a_lambda_is_reported(kept: str, rows: str) -> None:
    (finding,) = reported({"main.py": PROGRAM.format(kept=kept, rows=rows)}, "lambdas")
    assert finding.fix is None and "the lambda is text in main.py, line " in (finding.reason or "")


@pytest.mark.parametrize(
    ("kept", "rows"),
    [
        ('self.clean = eval("len")', 'Rows("lambda")'),
        ('self.clean = eval("lambdas." + text)', 'Rows("x")'),
        ('self.clean = eval("(lambda x: x)(3)") if False else len', 'Rows("x")'),
        ('self.width = eval("lambda x: x")(3)', 'Rows("x")'),
        (EVALUATED, 'Rows("len")'),
        (EVALUATED, "Rows(sys.argv[1])"),
        ("self.clean = len", 'Rows("lambda x: x")'),
        ("self.clean = eval(clean)", 'Rows("lambda x: x")'),
    ],
)
def test_other_texts_are_not(kept: str, rows: str) -> None:
    assert not reported({"main.py": PROGRAM.format(kept=kept, rows=rows)}, "lambdas")


GIVEN = """\
from torch.utils.data import DataLoader, Dataset


def made(text{default}):
    return eval(text)


class Rows(Dataset):
    def __init__(self, clean):
        self.clean = clean


print({first})
print(list(DataLoader(Rows({sent}), num_workers=1)))
"""


@pytest.mark.parametrize(
    ("default", "first", "sent", "proven"),
    [
        ("", "1", "made('lambda x: x')", True),
        ("", "made('lambda x: 1')", "made('lambda x: x')", True),
        ("='len'", "1", "made('lambda x: x')", True),
        ("='lambda x: x'", "1", "made()", True),
        ("", "made('lambda x: 1')", "made('len')", False),
        ("", "made('lambda x: 1')", "made(input())", False),
        ("='len'", "made('lambda x: 1')", "made()", False),
        ("='lambda x: 1'", "made()", "made('len')", False),
        ("", "made('lambda x: 1')", "made(*['len'])", False),
    ],
)
def test_where_calls_give_other_texts(default: str, first: str, sent: str, proven: bool) -> None:
    text = GIVEN.format(default=default, first=first, sent=sent)
    assert bool(reported({"main.py": text}, "lambdas")) == proven
