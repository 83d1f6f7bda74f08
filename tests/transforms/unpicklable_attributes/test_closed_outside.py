"""unpicklable-attributes: a handle that other code closed before the object is sent stays closed in the worker."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
READER = """\
class Reader:
    def __init__(self, path):
        self.path = path
        self.f = open(path, "rb")

    def head(self):
        self.f.seek(0)
        return self.f.read(3)
"""
PROGRAM = """\
import multiprocessing as mp
from reader import Reader


class Log:
    def __init__(self):
        self.f = [].append

    def done(self):
        self.f.close()


def work(reader):
    print(reader.head())


def last(reader):
    print(reader.head())
    reader.f.close()


def close_all(readers):
    for reader in readers:
        reader.f.close()


def send(reader, target=work):
    process = mp.Process(target=target, args=(reader,))
    process.start()
    process.join()


def main():
    {lines}


if __name__ == "__main__":
    main()
"""
CLOSED = [
    pytest.param("a, b = Reader('a'), Reader('b')\n    b.f.close()\n    send(a)\n    send(b)", id="one of two"),
    pytest.param("a, b = Reader('a'), Reader('b')\n    b.f.close()\n    for x in (a, b): send(x)", id="in a loop"),
    pytest.param("rows = [Reader('a')]\n    rows[0].f.close()\n    send(rows[0])", id="an item"),
    pytest.param("rows = [Reader('a')]\n    for x in rows: x.f.close()\n    send(rows[0])", id="a loop over a list"),
    pytest.param("rows = [Reader('a')]\n    [x.f.close() for x in rows]\n    send(rows[0])", id="a comprehension"),
    pytest.param("a = Reader('a')\n    rows = [a]\n    a.f.close()\n    send(rows[0])", id="put in a list before"),
    pytest.param(
        "a, rows = Reader('a'), []\n    rows.append(a)\n    a.f.close()\n    send(rows[0])", id="added to a list before"
    ),
    pytest.param("rows = [Reader('a')]\n    close_all(rows)\n    send(rows[0])", id="by a function"),
    pytest.param("rows = {'a': Reader('a')}\n    with rows['a'].f: pass\n    send(rows['a'])", id="a with block"),
    pytest.param(
        "a, b = Reader('a'), Reader('b')\n    for _ in range(2):\n        send(b)\n        b.f.close()",
        id="in the round before",
    ),
]
OPEN = [
    pytest.param("a, b = Reader('a'), Reader('b')\n    send(a)\n    send(b)\n    b.f.close()", id="at the end"),
    pytest.param("rows = [Reader('a')]\n    send(rows[0])\n    for x in rows: x.f.close()", id="a loop at the end"),
    pytest.param(
        "for path in 'ab':\n        x = Reader(path)\n        send(x)\n        x.f.close()", id="of each round"
    ),
    pytest.param("send(Reader('a'))\n    log = Log()\n    log.f.close()\n    print(log)", id="another object"),
    pytest.param("send(Reader('a'), last)", id="the worker does"),
    pytest.param("a, b = Reader('a'), Reader('b')\n    print(b.f.closed)\n    send(b)", id="only asked"),
]


def files(lines: str) -> dict[str, str]:
    """The program, without the helpers that `lines` leave alone: these close what they are given."""
    text = PROGRAM.format(lines=lines)
    for name, following in (("last", "close_all"), ("close_all", "send")):
        if name not in lines:
            text = text[: text.index(f"def {name}(")] + text[text.index(f"def {following}(") :]
    return {"reader.py": READER, "main.py": text}


@each_row("lines", CLOSED)
def test_closed_before_it_is_sent(lines: str) -> None:
    (reason,) = reasons(files(lines), RULE)
    assert reason.startswith("main.py:") and "closes it, and a new one would " in reason


@each_row("lines", OPEN)
def test_open_when_it_is_sent(lines: str) -> None:
    assert "def __getstate__(self):" in migrated(files(lines), RULE)["reader.py"]
