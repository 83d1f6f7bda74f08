"""What a spawned worker would do another way when it runs the top of the script: relative folders, counted calls."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

SCRIPT = """\
import multiprocessing
import os

os.chdir({folder})


def work(n):
    print(n, os.listdir("."))


worker = multiprocessing.Process(target=work, args=(1,))
worker.start()
"""
COUNTED = """\
import multiprocessing
import os


def load():
{body}


table = load()


def work(n):
    print(n, {read})


worker = multiprocessing.Process(target=work, args=(1,))
worker.start()
"""


@each_row("folder", ["'data'", "'..'", "os.path.join('data', 'x')", "f'runs/{os.sep}'", "'a' + os.sep"])
def test_a_relative_folder_is_entered_once(folder: str) -> None:
    after = migrated({"train.py": SCRIPT.format(folder=folder)}, "main-guard")["train.py"]
    assert f":\n    os.chdir({folder})\n" in after.partition("\nif __name__ == ")[2]


@each_row("folder", ["'/data'", "'.'", "os.path.dirname(__file__)", "os.environ['HOME']", "'C:/data'"])
def test_a_folder_that_may_be_entered_again(folder: str) -> None:
    after = migrated({"train.py": SCRIPT.format(folder=folder)}, "main-guard")["train.py"]
    assert f"\nos.chdir({folder})\n" in after and "__main__" in after


def counted(body: str, read: str = "table") -> dict[str, str]:
    lines = "\n".join("    " + line for line in body.splitlines())
    return {"train.py": COUNTED.format(body=lines, read=read)}


COUNT = "n = int(os.environ.get('N', '0')) + 1\nos.environ['N'] = str(n)\n"


@each_row(
    "body",
    [
        COUNT + "if n > 1:\n    raise RuntimeError('twice')\nreturn {}",
        COUNT + "return n",
        "before = os.getenv('N', '')\nos.environ['N'] = before + 'x'\nreturn os.environ['N']",
        "os.putenv('N', os.getenv('N', '') + 'x')\nreturn len(os.getenv('N'))",
    ],
)
def test_calls_counted_in_the_environment(body: str) -> None:
    (reason,) = reasons(counted(body), "main-guard")
    assert reason.startswith("line ") and "calls `load`, and a spawned worker would run it again" in reason
    assert "`work` reads `table` in a worker" in reason


@each_row(
    ("body", "read"),
    [
        (COUNT + "return n", "1"),
        (COUNT + "return {}", "table"),
        ("os.environ['N'] = '1'\nreturn os.environ['N']", "table"),
        ("if 'N' not in os.environ:\n    os.environ['N'] = '1'\nreturn 2", "table"),
        ("os.environ['PATH'] = '/x:' + os.environ['PATH']\nreturn 2", "table"),
    ],
)
def test_calls_that_may_be_repeated(body: str, read: str) -> None:
    assert "__main__" in migrated(counted(body, read), "main-guard")["train.py"]


@each_row(
    "generator", ["random.Random()", "random.Random(None)", "numpy.random.default_rng()", "numpy.random.RandomState()"]
)
def test_a_generator_without_a_seed_draws_something_else(generator: str) -> None:
    body = f"import numpy.random, random\nreturn {generator}.random()"
    (reason,) = reasons(counted(body), "main-guard")
    assert "and a spawned worker would run it again and get another value: `work` reads `table`" in reason


@each_row("generator", ["random.Random(3)", "numpy.random.default_rng(seed=0)", "torch.Generator()"])
def test_a_generator_with_a_seed_starts_with_the_same_draws(generator: str) -> None:
    body = f"import numpy.random, random, torch\nreturn {generator}"
    assert "__main__" in migrated(counted(body), "main-guard")["train.py"]


DRAWN = """\
import random
from multiprocessing import Pool

rng = random.Random()
rows = [rng.random() for _ in range(3)]


def work(n):
    return n, {read}


with Pool(2) as pool:
    print(pool.map(work, range(3)))
"""


def test_a_generator_without_a_seed_may_be_another_one_but_not_what_was_drawn() -> None:
    (reason,) = reasons({"train.py": DRAWN.format(read="rows")}, "main-guard")
    assert "line 4 calls `random.Random`" in reason and "`work` reads `rows` in a worker" in reason
    assert "__main__" in migrated({"train.py": DRAWN.format(read="rng.random()")}, "main-guard")["train.py"]


ADDED = """\
import multiprocessing
import os

{line}


def work():
    print({read})


worker = multiprocessing.Process(target=work)
worker.start()
"""


@pytest.mark.parametrize(
    "line",
    [
        "os.environ['N'] = os.environ.get('N', '') + 'x'",
        "os.environ['N'] += 'x'",
        "os.environ['N'] = f\"{os.getenv('N')}:x\"",
    ],
)
def test_a_variable_that_gets_longer_with_each_import(line: str) -> None:
    (reason,) = reasons({"train.py": ADDED.format(line=line, read="os.environ['N']")}, "main-guard")
    assert reason.startswith("line 4 adds to the environment variable 'N'") and "`work` reads it there" in reason


@each_row(
    ("line", "read"),
    [
        ("os.environ['N'] = os.environ.get('N', '0')", "os.environ['N']"),
        ("os.environ['N'] = '/x:' + os.environ['PATH']", "os.environ['N']"),
        ("os.environ['N'] += 'x'", "os.environ['HOME']"),
        ("length = 1\nlength += len(os.environ.setdefault('N', ''))", "os.environ['N']"),
    ],
)
def test_a_variable_that_an_import_may_set_again(line: str, read: str) -> None:
    assert "__main__" in migrated({"train.py": ADDED.format(line=line, read=read)}, "main-guard")["train.py"]


INPUT = """\
import json
import multiprocessing
import sys

{read}


def work(n):
    print(n, {used})


worker = multiprocessing.Process(target=work, args=(1,))
worker.start()
"""


@pytest.mark.parametrize("read", ["options = json.load(sys.stdin)", "options = list(sys.stdin)"])
def test_the_standard_input_is_read_once(read: str) -> None:
    after = migrated({"train.py": INPUT.format(read=read, used="1")}, "main-guard")["train.py"]
    assert f":\n    {read}\n" in after.partition("\nif __name__ == ")[2]


def test_a_worker_reads_what_came_from_the_standard_input() -> None:
    (finding,) = reported(
        {"train.py": INPUT.format(read="options = json.load(sys.stdin)", used="options")}, "main-guard"
    )
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert finding.fix.unsafe.startswith("line 5 reads the standard input, which no child has")


@pytest.mark.parametrize("read", ["options = sys.stdin.isatty()", "options = sys.stdout.fileno()", "sys.stdin = None"])
def test_what_is_asked_of_it_may_be_asked_again(read: str) -> None:
    after = migrated({"train.py": INPUT.format(read=read, used="1")}, "main-guard")["train.py"]
    assert f"\n{read}\n" in after.partition("\nif __name__ == ")[0]


def test_the_main_module_of_a_package_is_not_run_again() -> None:
    text = SCRIPT.format(folder="'data'")
    assert reported({"tool/__init__.py": "", "tool/__main__.py": text}, "main-guard") == []
    assert len(reported({"tool/__init__.py": "", "tool/main.py": text}, "main-guard")) == 1


BODIES = """\
import random
import uuid
from dataclasses import dataclass, field
from multiprocessing import Process


def draw():
    return random.random()


{code}


def work(given=None):
    print({read})


p = Process(target=work)
p.start()
p.join()
"""
FIELDS = "@dataclass\nclass Conf:\n    size: int = 3\n    key: object = field(default_factory={})\n\n\nCONF = Conf()"


@each_row(
    ("code", "read", "called"),
    [
        ("class Aug:\n    size = 3\n    strength = random.random()", "Aug.strength", "random.random"),
        ("class Aug:\n    size = 3\n    strength = draw()", "Aug.strength", "random.random"),
        ("class Aug:\n    if True:\n        strength = random.random()", "Aug.strength", "random.random"),
        ("class Aug:\n    class Own:\n        size = random.random()\n    size = 3", "Aug.size", ""),
        ("class Aug:\n    size = 3\n    strength = random.random()", "Aug.size", ""),
        ("class Aug:\n    def get(self):\n        return random.random()", "Aug().get()", ""),
        (FIELDS.format("random.random"), "CONF.key", "random.random"),
        (FIELDS.format("draw"), "CONF.key", "random.random"),
        (FIELDS.format("lambda: uuid.uuid4().hex"), "CONF.key", "uuid.uuid4"),
        (FIELDS.format("random.random"), "CONF.size", ""),
        (FIELDS.format("list"), "CONF.key", ""),
        (FIELDS.format("draw").replace("@dataclass\n", ""), "CONF.key", ""),
    ],
)
def test_what_a_class_body_or_a_field_draws(code: str, read: str, called: str) -> None:
    files = {"run.py": BODIES.format(code=code, read=read)}
    if called:
        (reason,) = reasons(files, "main-guard")
        assert f"calls `{called}`, and a spawned worker would run it again and get another value" in reason
    else:
        assert 'if __name__ == "__main__":' in migrated(files, "main-guard")["run.py"]


OBJECT = """\
import multiprocessing
import time

class Run:
    def __init__(self):
        self.rows = [3]
        {line}

RUN = Run()

def work():
    print(RUN.rows)

worker = multiprocessing.Process(target=work)
worker.start()
"""


@each_row(
    ("line", "again"),
    [
        ("if self.rows:\n            print(time.time())", False),
        ("if self.rows:\n            begin = time.time()", False),
        ("if self.rows:\n            self.rows = [time.time()]", True),
        ("if time.time() > 3:\n            self.rows = []", True),
        ("begin = time.time()\n        if begin > 3:\n            self.rows = []", True),
        ("with open(str(time.time())):\n            self.rows = []", True),
    ],
)
def test_what_an_object_gets_as_it_is_set_up(line: str, again: bool) -> None:
    (finding,) = reported({"train.py": OBJECT.format(line=line)}, "main-guard")
    assert (finding.fix is None) is again and ("calls `time.time`" in (finding.reason or "")) is again
