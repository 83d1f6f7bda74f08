"""What Python itself shows of a function: the name of its thread, the text of an error, the line it stands on."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import logging
import multiprocessing as mp
import threading


def make(factor):
    def scale(x, y=1):
        return x * y * factor

    return scale


def child(scale, *rest):
{child}


if __name__ == "__main__":
    mp.Process(target=child, args=(make(3),)).start()
"""
FIXED = "functools.partial(_make_scale, factor)"


def files(child: str) -> dict[str, str]:
    lines = "".join(f"    {line}\n" for line in child.splitlines()).rstrip("\n")
    return {"a.py": TEXT.format(child=lines)}


def unsafe(child: str) -> str:
    """Why the one fix has to be asked for."""
    (finding,) = reported(files(child), "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    return finding.fix.unsafe


THREADS = [
    ("t = threading.Thread(target=scale)\nprint(t.name)", 15),
    ("threading.Thread(target=scale).start()\nprint(threading.current_thread().name)", 15),
    ("rest[0].t = threading.Thread(None, scale)\nprint(rest[0].t.getName())", 15),
    ("threading.Thread(target=scale).start()\nlogging.basicConfig(format='%(threadName)s')", 15),
]


@each_row(("child", "line"), THREADS)
def test_the_name_of_its_thread_is_read(child: str, line: int) -> None:
    assert unsafe(child) == f"a thread (line 14) is called after it, and line {line} reads the names of threads"


@each_row(
    "child",
    [
        "t = threading.Thread(target=scale, name='load')\nprint(t.name)",
        "t = threading.Thread(None, scale, 'load')\nprint(t.name)",
        "t = threading.Thread(target=scale)\nprint(t.ident, rest[0].name)",
        "t = threading.Thread(target=print)\nprint(t.name, scale(1))",
    ],
)
def test_a_thread_that_shows_no_name_of_it(child: str) -> None:
    assert FIXED in migrated(files(child), "lambdas")["a.py"]


CALLS = ["scale()", "scale(1, 2, 3)", "scale(1, z=2)", "scale(1, x=2)", "scale(*rest)", "scale(1, **rest[0])"]


@each_row("call", CALLS)
def test_the_error_of_a_call_is_shown(call: str) -> None:
    for handler in ("TypeError", "(ValueError, TypeError)", "Exception")[: 1 if "*" in call else 3]:
        child = f"try:\n    print({call})\nexcept {handler} as error:\n    print(error)"
        assert unsafe(child) == (
            "the error of a call with other arguments, which names the function, is shown (line 16)"
        )


@each_row(
    "child",
    [
        "try:\n    scale()\nexcept TypeError:\n    print('other')",
        "try:\n    scale()\nexcept TypeError as error:\n    raise ValueError('other') from error",
        "try:\n    scale()\nexcept ValueError as error:\n    print(error)",
        "try:\n    scale(1, y=2)\nexcept TypeError as error:\n    print(error)",
        "try:\n    scale(*rest)\nexcept Exception as error:\n    print(error)",
        "try:\n    scale(1, 2)\nexcept Exception as error:\n    print(error)",
        "scale()\ntry:\n    print(1)\nexcept TypeError as error:\n    print(error)",
    ],
)
def test_an_error_that_is_not_shown(child: str) -> None:
    assert FIXED in migrated(files(child), "lambdas")["a.py"]


def test_the_line_on_which_it_stands() -> None:
    text = files("print(scale.__code__.{})")["a.py"].replace(" * factor", "")
    (finding,) = reported({"a.py": text.format("co_firstlineno")}, "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe == "its `__code__` is read (line 14), and its `co_firstlineno` says where it stands"
    assert "\ndef scale(x, y=1):" in migrated({"a.py": text.format("co_argcount")}, "lambdas")["a.py"]


RECORDS = """\
import multiprocessing as mp
from dataclasses import dataclass


def build(costs):
    @dataclass{options}
    class Entry:
        cost: float
        {more}

    return [Entry(cost) for cost in costs]


def child(heap):
    print(len(heap), heap[0].cost)


if __name__ == "__main__":
    heap = build([3.0, 1.0])
    other = build([2.0])
    {shows}
    mp.Process(target=child, args=(heap,)).start()
"""


def records(shows: str, more: str = "pass", options: str = "") -> dict[str, str]:
    return {"a.py": RECORDS.format(shows=shows, more=more, options=options)}


@pytest.mark.parametrize("shows", ["print(heap)", "text = str(heap[0])", "print('a', repr(heap[1]))"])
def test_the_text_of_a_local_dataclass(shows: str) -> None:
    (finding,) = reported(records(shows), "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert finding.fix.unsafe.endswith("(line 21) shows its name, with that of the function around it")


@pytest.mark.parametrize(
    "files",
    [
        records("print(heap[0].cost, len(heap))"),
        records("print(heap)", more="def __repr__(self): return 'entry'"),
        records("print([entry.cost for entry in heap])", options="(frozen=True)"),
    ],
)
def test_no_text_of_a_local_dataclass(files: dict[str, str]) -> None:
    assert "\n@dataclass" in migrated(files, "lambdas")["a.py"]


@each_row("name", ["__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__"])
def test_a_local_class_that_says_what_a_worker_gets(name: str) -> None:
    (finding,) = reported(records("pass", more=f"def {name}(self, *rest): return {{}}"), "lambdas")
    assert finding.fix is not None
    assert (
        finding.fix.unsafe
        == f"its `{name}` (line 9) says what a worker gets, where a forked one has the object as it is"
    )


@pytest.mark.parametrize(("other", "once"), [("other = heap", True), ("other = build([2.0])", False)])
def test_objects_that_are_compared_are_of_one_class(other: str, once: bool) -> None:
    text = records("print(heap[0] == other[0])")["a.py"].replace("other = build([2.0])", other)
    (finding,) = reported({"a.py": text}, "lambdas")
    assert (finding.fix is not None) is once
    assert (
        once
        or "each call makes a class of its own" in (finding.reason or "")
        or "equal to those of" in (finding.reason or "")
    )


@pytest.mark.parametrize(
    ("key", "shown"),
    [("f.__code__.co_firstlineno", True), ("f.__code__.co_argcount", False), ("f.lines", False)],
)
def test_the_order_in_which_functions_stand(key: str, shown: bool) -> None:
    """Who sorts them by their lines would find them in another order."""
    child = f"print([f for f in sorted([scale], key=lambda f: {key})])"
    text = files(child)["a.py"].replace(" * factor", "")
    (finding,) = reported({"a.py": text}, "lambdas")
    assert finding.fix is not None
    assert ("says where it stands" in (finding.fix.unsafe or "")) is shown
