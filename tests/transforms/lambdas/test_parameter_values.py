"""lambdas: a parameter whose `__qualname__` is read forbids a partial only where the function may get there."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "lambdas"
PROGRAM = """\
import huggingface_hub
from functools import reduce
from torch.utils.data import DataLoader
def padder(n):
    def _padder(batch):
        return batch[:n]
    return _padder
def known(batch):
    return batch
{wrap}
    def new(*a, **k):
        print(old.__qualname__)
        return old(*a, **k)
    return new
{uses}
if __name__ == "__main__":
    for b in DataLoader(list(range(9)), num_workers=2, collate_fn=padder(2)):
        print(b)
"""


@each_row(
    ("wrap", "uses"),
    [
        ("def wrap(old):", "huggingface_hub.download = wrap(huggingface_hub.download)"),
        ("def wrap(old):", "known = wrap(reduce)"),
        ("def wrap(old):", "known = wrap(known)"),
        ("def wrap(name, *, old):", "huggingface_hub.download = wrap('x', old=huggingface_hub.a.download)"),
    ],
)
def test_gets_named_functions_only(wrap: str, uses: str) -> None:
    text = PROGRAM.format(wrap=wrap, uses=uses)
    if "known = wrap(known)" in uses:
        text = text.replace("known = wrap", "other = wrap")
    assert "return functools.partial(_padder, n)" in migrated({"a.py": text}, RULE)["a.py"]


@each_row(
    ("wrap", "uses"),
    [
        pytest.param("def wrap(old):", "huggingface_hub.a = wrap(huggingface_hub.TABLE['a'])", id="an item"),
        pytest.param("def wrap(old):", "print(wrap(huggingface_hub.a), wrap)", id="used as a value"),
        pytest.param("def wrap(old):", "wrap(reduce); print([wrap(f) for f in (reduce,)])", id="a variable"),
        pytest.param("def wrap(old):", "pass", id="no call"),
        pytest.param("def wrap(old):", "wrap(*[reduce])", id="a star"),
        pytest.param("def wrap(old):", "wrap(**{'old': reduce})", id="two stars"),
        pytest.param("def wrap(old=None):", "wrap()", id="left out"),
        pytest.param("def wrap(old):\n    old = old or known", "wrap(reduce)", id="bound again"),
        pytest.param("@reduce\ndef wrap(old):", "wrap(reduce)", id="decorated"),
        pytest.param("class A: f = None\ndef wrap(old):", "wrap(A.f)", id="kept on a class of the file"),
        pytest.param("def wrap(old):", "wrap(reduce)\ndef wrap(old): return old", id="two functions"),
    ],
)
def test_may_get_others(wrap: str, uses: str) -> None:
    (reason,) = reasons({"a.py": PROGRAM.format(wrap=wrap, uses=uses)}, RULE)
    assert "`old.__qualname__` is read" in reason


def test_taken_by_another_file() -> None:
    files = {"a.py": PROGRAM.format(wrap="def wrap(old):", uses="wrap(reduce)")}
    assert migrated(files | {"b.py": "# wrap is not used here\nwrap = 1\n"}, RULE)
    for text in ("from a import wrap\nwrap(print)\n", "import a\na.wrap(print)\n"):
        (reason,) = reasons(files | {"b.py": text}, RULE)
        assert "`old.__qualname__` is read" in reason
