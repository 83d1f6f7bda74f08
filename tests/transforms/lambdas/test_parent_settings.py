"""What is set for the process that starts another one: a spawned child that gets a function goes on without it."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import logging
import multiprocessing as mp
import random

import torch


def worker(transform):
    {worker}


def main(scale):
    {setting}
    p = mp.Process(target=worker, args=(lambda x: {inside},))
    p.start()
    {later}


if __name__ == "__main__":
    main(3)
"""


def text(setting: str, worker: str, inside: str = "x * scale", later: str = "p.join()") -> dict[str, str]:
    return {"a.py": TEXT.format(setting=setting, worker=worker, inside=inside, later=later)}


@each_row(
    ("setting", "worker", "inside", "read"),
    [
        ("logging.basicConfig(level=10)", "logging.getLogger('a').info(transform(1))", "x * scale", "logging.info"),
        ("torch.set_default_dtype(torch.float64)", "transform(1)", "torch.full((x,), scale)", "torch.full"),
        ("torch.manual_seed(1)", "print(torch.rand(2))", "x * scale", "torch.rand"),
        ("random.seed(1)", "print(random.random())", "x * scale", "random.random"),
    ],
)
def test_a_setting_that_the_child_reads(setting: str, worker: str, inside: str, read: str) -> None:
    (finding,) = reported(text(setting, worker, inside), "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    called, _, _ = setting.partition("(")
    assert finding.fix.unsafe.startswith(f"`{called}` (line 13) is called in this process only, and a spawned one")
    assert f"calls `{read}`, would go on without it" in finding.fix.unsafe


CLASS = """\
class Reader:
    root = "a"

    def path(self):
        return self.root


"""


@pytest.mark.parametrize("setting", ["Reader.root = scale", "setattr(Reader, 'root', scale)"])
@pytest.mark.parametrize("inside", ["Reader().path() + x", "Reader.root + x"])
def test_an_attribute_that_is_set_on_the_class(setting: str, inside: str) -> None:
    files = {"a.py": text(setting, "transform(1)", inside)["a.py"].replace("def worker", CLASS + "def worker")}
    (finding,) = reported(files, "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert finding.fix.unsafe.startswith(
        "`Reader.root` (line 20) is set in this process only, and a spawned one, where"
    )


@pytest.mark.parametrize(
    ("setting", "worker", "inside", "what"),
    [
        ("mp.limit = scale", "print(mp.limit)", "x * scale", "mp.limit"),
        ("NAMES.append(scale)", "print(len(NAMES))", "x * scale", "NAMES"),
        ("NAMES[0] = scale", "transform(1)", "x * len(NAMES)", "NAMES"),
    ],
)
def test_what_is_put_into_a_module_or_a_list_of_the_file(setting: str, worker: str, inside: str, what: str) -> None:
    files = {"a.py": text(setting, worker, inside)["a.py"].replace("def worker", "NAMES = [1]\n\n\ndef worker")}
    (finding,) = reported(files, "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert finding.fix.unsafe.startswith(f"`{what}` (line 16) is set in this process only")


@each_row(
    "files",
    [
        text("logging.basicConfig(level=10)", "print(transform(1))"),
        text("torch.set_default_dtype(torch.float64)", "print(random.random())"),
        text("random.seed(1)", "random.seed(2)\n    print(random.random())"),
        text("print(scale)", "print(random.random())", later="random.seed(1)"),
        text("mp.limit = scale", "print(mp.freeze_support)"),
        {
            "a.py": text("NAMES = []\n    NAMES.append(scale)", "print(NAMES)")["a.py"].replace(
                "def worker", "NAMES = [1]\n\n\ndef worker"
            )
        },
        text("print(scale)", "print(random.random())", later="\n\ndef other():\n    random.seed(1)"),
        {
            "a.py": text("pass", "print(random.random())")["a.py"].replace(
                "def worker", "random.seed(1)\n\n\ndef worker"
            )
        },
    ],
)
def test_what_the_child_does_not_miss(files: dict[str, str]) -> None:
    assert "functools.partial(_main_args, scale)" in migrated(files, "lambdas")["a.py"]


TABLES = """\
import multiprocessing as mp

T = {{}}
SIZE = 1


class Conf:
    def __init__(self):
        self.n = 0

    def set(self, n):
        self.n = n

    def get(self):
        return self.n


CONF = Conf()


def register(name):
    def wrap(f):
        T[name] = f
        return f

    return wrap


def setup(n):
    global SIZE
    SIZE = n
    T["n"] = n


def count():
    return len(T)


def main():
    {fill}

    offset = 3

    def work(q):
        q.put({read} + offset)

    p = mp.Process(target=work, args=(mp.Queue(),))
    p.start()
    p.join()
    {after}


if __name__ == "__main__":
    main()
"""


@each_row(
    ("fill", "read"),
    [
        ("@register('a')\n    def a(x):\n        return x", "len(T)"),
        ("register('a')(print)", "count()"),
        ("setup(2)", "len(T)"),
        ("setup(2)", "count()"),
        ("CONF.set(4)", "CONF.n"),
    ],
)
def test_what_functions_set_that_are_called_before(fill: str, read: str) -> None:
    found = reported({"train.py": TABLES.format(fill=fill, read=read, after="pass")}, "lambdas")
    unsafe = [each.fix.unsafe for each in found if each.fix is not None]
    assert len(unsafe) == 1 and "is set in this process only" in (unsafe[0] or "")


@each_row(
    ("fill", "read", "after"),
    [
        ("setup(2)", "1", "pass"),
        ("print(count())", "count()", "pass"),
        ("pass", "count()", "setup(2)"),
        ("CONF.get()", "CONF.n", "pass"),
        ("setup(2)", "(setup(3) or count())", "pass"),  # the process sets it itself
    ],
)
def test_what_a_process_has_anyway(fill: str, read: str, after: str) -> None:
    assert (
        "_main_work, args=(offset, "
        in migrated({"train.py": TABLES.format(fill=fill, read=read, after=after)}, "lambdas")["train.py"]
    )


BETWEEN = """\
import multiprocessing as mp

ROWS = None


def look(key):
    return ROWS[key]


def main(scale):
    global ROWS

    def add(q):
        q.put(look(1) * scale)

    {made}
    {first}
    {start}
    {second}


if __name__ == "__main__":
    main(3)
"""
ONE = "p = mp.Process(target=add, args=(mp.Queue(),))"
MANY = "ps = [mp.Process(target=add, args=(mp.Queue(),)) for _ in range(2)]"
SET = "ROWS = {1: 2}"


def between(made: str, first: str, start: str, second: str) -> str | None:
    files = {"a.py": BETWEEN.format(made=made, first=first, start=start, second=second)}
    (finding,) = reported(files, "lambdas")
    assert finding.fix is not None
    return finding.fix.unsafe


@pytest.mark.parametrize(("made", "start"), [(ONE, "p.start()"), (MANY, "for p in ps:\n        p.start()")])
def test_what_is_set_between_a_process_and_its_start(made: str, start: str) -> None:
    unsafe = between(made, SET, start, "pass")
    assert unsafe is not None and unsafe.startswith("`ROWS` (line 17) is set in this process only")


@pytest.mark.parametrize(
    ("start", "second"), [("p.start()", SET), ("p.start()", f"{SET}\n    mp.managers.SyncManager().start()")]
)
def test_what_is_set_after_the_start(start: str, second: str) -> None:
    assert between(ONE, "pass", start, second) is None


ELSEWHERE = """\
import multiprocessing as mp
import time


class Watch:
    def __init__(self, start):
        self.read = lambda: time.time() - start


def child(watch):
    print(watch.read())


def check():
    {other}


def main():
    {before}
    p = mp.Process(target=child, args=(Watch(3),))
    p.start()
    {after}


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("before", ["time.time = lambda: 5", "setattr(time, 'time', lambda: 5)"])
def test_a_function_that_is_made_elsewhere_reads_what_is_set_where_the_process_starts(before: str) -> None:
    (finding,) = reported({"a.py": ELSEWHERE.format(before=before, after="p.join()", other="pass")}, "lambdas")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert finding.fix.unsafe.startswith("`time.time` (line 19) is set in this process only, and a spawned one, where")


@pytest.mark.parametrize(
    "parts",
    [{"after": "time.time = lambda: 5"}, {"other": "time.time = lambda: 5"}, {"before": "time.zone = 5"}],
)
def test_what_is_set_apart_from_where_the_process_starts(parts: dict[str, str]) -> None:
    texts = {"before": "pass", "after": "p.join()", "other": "pass"} | parts
    assert "functools.partial" in migrated({"a.py": ELSEWHERE.format(**texts)}, "lambdas")["a.py"]


@pytest.mark.parametrize(("parameter", "lost"), [("rows", False), ("given", True)])
def test_a_parameter_of_the_name_of_a_list(parameter: str, lost: bool) -> None:
    text = (
        f"from multiprocessing import Process\n\ndef work({parameter}):\n    print([row(2) for row in rows])\n\n"
        "if __name__ == '__main__':\n    rows = [len]\n    rows.append(lambda x: x)\n"
        "    Process(target=work, args=(rows,)).start()\n"
    )
    (found,) = reported({"run.py": text}, "lambdas")
    assert found.fix is not None
    assert ("is set in this process only" in (found.fix.unsafe or "")) is lost
