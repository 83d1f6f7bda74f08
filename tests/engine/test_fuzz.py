"""The whole pipeline on code that nobody wrote: no crash, valid output, nothing more to do in a second run.

Deterministic here. With SPAWNFIX_FUZZ_PROGRAMS=100000 it tries that many, from another seed each time.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source, UnreadableSource
from harness.each_row import each_row
from harness.torture import BODY

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = int(os.environ.get("SPAWNFIX_FUZZ_PROGRAMS", "0"))
SETTINGS = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True, cache=False)
CASES = sorted((ROOT / "tests/before_after").glob("*/*/before"))
TOKENS = """lambda: 0|lambda x, *a, y=1, **k: (x, y)|self|d.keys()|list|global x|nonlocal x|yield x|await x|x := 1|*a
|**k|...|f'{x!r:>{y}}'|r'\\'|# spawnfix: ignore|class C(B): pass|def f(): return lambda: f|with a as b:|match x:|async
|@dec|del x|import functools|if True:|else:|try:|except* E:|functools = 3|list = 4|é|0x|(|)|[|]|{|}|:|,|=|;
|copy.deepcopy(model)|--local_rank|exec(x)|__class__|python -m torch.distributed.launch train.py|'|"|`|$(|${x:-|&&"""
BREAKS = ("\\\n", "\f", "\r", "\t", "\n", "\n    ", "\0", "\u2028", "\U0001f600", "<<EOF\n", "EOF\n", "'''a\nb'''", "|")
WORDS = (*TOKENS.replace("\n", "").split("|"), *BREAKS)


def files_of(case: Path) -> dict[str, bytes]:
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in sorted(case.rglob("*")) if path.is_file()}


def mutated(text: str, pick: random.Random) -> str:
    """`text` after a few edits: of a token, a line, a stretch of lines, or its newlines."""
    for _ in range(pick.randint(1, 6)):
        lines = text.splitlines(keepends=True) or [""]
        at = pick.randrange(len(lines))
        what = pick.randrange(9)
        if what == 0:
            del lines[at]
        elif what == 1:
            lines.insert(at, pick.choice(lines))
        elif what == 2:
            other = pick.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif what == 3:
            lines[at] = pick.choice(("    ", "\t", " ")) + lines[at]
        elif what == 4:
            lines[at] = lines[at].lstrip()
        elif what == 5:
            lines[at] = lines[at].replace("\n", pick.choice(("\r\n", "\r", ";", "\\\n", "")))
        elif what == 6:
            low, high = sorted((at, min(len(lines), at + pick.randint(1, 8))))
            lines[low:high] = ["if True:\n", *("    " + line for line in lines[low:high])]
        else:
            line = lines[at]
            column = pick.randint(0, len(line))
            lines[at] = line[:column] + pick.choice(WORDS) + line[min(len(line), column + pick.choice((0, 0, 1, 5))) :]
        text = "".join(lines)
    return text


def compiles(path: str, data: bytes) -> bool:
    """False for Python 2, which is read too, and for what is neither."""
    try:
        compile(Source.from_bytes(path, data).text, path, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def holds(contents: dict[str, bytes]) -> None:
    """What must be true of a run over `contents`."""
    done = plan(MemoryFiles(contents), SETTINGS)
    ours = [row for row in done.skipped if "our bug" in row.reason]
    assert not ours, ours
    for path, data in done.contents.items():
        assert data != contents[path], path
        if path.endswith(".py") and compiles(path, contents[path]):
            assert compiles(path, data), path
    again = plan(MemoryFiles({**contents, **done.contents}), SETTINGS)
    assert not again.contents, sorted(again.contents)


def programs(seed: int) -> Iterator[tuple[str, dict[str, bytes]]]:
    pick = random.Random(seed)
    while True:
        if CASES and pick.random() < 0.9:
            case = pick.choice(CASES)
            contents = files_of(case)
        else:
            contents = {"a.py": BODY.encode()}
        texts = [path for path in contents if path.endswith((".py", ".sh"))]
        if not texts:
            continue
        path = pick.choice(texts)
        try:
            source = Source.from_bytes(path, contents[path])
            contents[path] = source.encode(mutated(source.text, pick))
        except (UnreadableSource, UnicodeEncodeError):
            continue
        yield path, contents


def some_and_many(some: int, many: int) -> pytest.MarkDecorator:
    """How many programs a test tries: `some` in the fast part, `many` from another seed in the slow one."""
    slow = pytest.param(PROGRAMS or many, time.time_ns() if PROGRAMS else 21, marks=pytest.mark.slow, id="many")
    return pytest.mark.parametrize(("count", "seed"), [pytest.param(some, 20, id="some"), slow])


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@some_and_many(30, 300)
def test_mutated_programs(count: int, seed: int) -> None:
    for number, (path, contents) in enumerate(itertools.islice(programs(seed), count)):
        try:
            holds(contents)
        except BaseException as error:
            text = contents[path].decode("utf-8", "backslashreplace")
            raise AssertionError(f"seed {seed}, program {number}, {path}:\n{text}") from error
    assert number + 1 == count


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@some_and_many(40, 400)
def test_words_at_random(count: int, seed: int) -> None:
    pick = random.Random(seed)
    for _ in range(count):
        text = " ".join(pick.choice(WORDS) for _ in range(pick.randint(0, 40)))
        name = pick.choice(("a.py", "a.sh", "a.md", "Makefile", "Dockerfile", "a.yml", "a.ipynb", "a.bat", "a.rst"))
        extra = BODY + "self.f = lambda: ranges.keys()\n" if name == "a.py" and pick.random() < 0.7 else ""
        holds({name: (extra + text).encode(), "train.py": b"parser.add_argument('--local_rank', type=int)\n"})


@some_and_many(40, 400)
def test_bytes_at_random(count: int, seed: int) -> None:
    pick = random.Random(seed)
    for _ in range(count):
        data = bytearray(BODY.encode())
        for _ in range(pick.randint(1, 10)):
            data[pick.randrange(len(data))] = pick.randrange(256)
        holds({"a.py": bytes(data)})


COPIED = """from copy import deepcopy

import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 2)
        self.features = None

    def forward(self, x):
        self.features = self.head(x)
        return self.features


def main():
    model = Encoder(3)
    model(torch.randn(4, 3)).sum().backward()
    teacher = deepcopy(model).eval()
    for p in teacher.parameters():
\t        p.requires_grad = False
    print(teacher)
"""


def test_what_python_reads_and_libcst_does_not_is_no_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPAWNFIX_DEBUG", raising=False)
    assert compiles("a.py", COPIED.encode())
    done = plan(MemoryFiles({"a.py": COPIED.encode(), "b.py": BODY.encode()}), SETTINGS)
    assert done.skipped == () and list(done.contents) == ["b.py"]
    (left,) = [finding for finding in done.remaining if finding.path == "a.py"]
    assert "LibCST, the second opinion, does not" in (left.reason or "")


# what fuzzing found, as small as it gets
FOUND: dict[str, dict[str, bytes]] = {
    "launcher quoted in pieces": {
        "run.sh": b'-m t""orch.distributed.launch -use_env torch.distributed.launch',
        "train.py": b"import argparse\np = argparse.ArgumentParser()\np.add_argument('--local_rank')\n",
    },
    "a global that only the compiler refuses": {
        "a.py": b"import multiprocessing\n\n\ndef work(n):\n    work(n)\n    global work\n\n\n"
        b"p = multiprocessing.Process(target=work, args=(1,))\np.start()\n"
    },
    "what Python's parser takes and its tokenizer does not": {
        "a.py": b"from multiprocessing import Pool\n\n\ndef report(n):\n    if n:\n        print(n)\n\\\n\n"
        b"        n = 1\n    return n\n\n\nwith Pool(2) as pool:\n    print(pool.map(report, [1, 2]))\n"
    },
    "backslash on the last line of a definition": {
        "a.py": b"from torch.utils.data import DataLoader\n\n\ndef build(rows):\n    def collate(batch):\n"
        b"        return batch \\\n\n    return DataLoader(rows, collate_fn=collate, num_workers=2)\n"
    },
}


@each_row("name", FOUND)
def test_what_was_found_is_found_no_more(name: str) -> None:
    holds(FOUND[name])
