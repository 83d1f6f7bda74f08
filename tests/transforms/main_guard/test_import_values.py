"""Values that a module computes when it is imported, which a spawned worker computes anew with another result."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import program
from harness.small import reported

MADE = """\
import os, time, uuid, secrets, datetime, numpy
from os import environ, getenv
from random import random as draw
from pathlib import Path
import conf
from conf import TOKEN as OTHER
"""
CONF = """\
import os, time
TOKEN = time.time()
FOLDER = os.getcwd()
HOME = os.environ['HOME']
PLAIN = 3
def late():
    return 3
"""


def told(value: str, read: str, change: str) -> bool:
    files = {"train.py": program(MADE + value, read, change), "conf.py": CONF}
    findings = reported(files, "main-guard")
    assert all("computes at import" in each.message and "pass it" in (each.reason or "") for each in findings)
    return bool(findings)


@each_row(
    ("value", "read", "changes"),
    [
        ("RUN = time.time()", "RUN", ["pass"]),
        ("RUN: float = time.time()", "RUN", ["pass"]),
        ("RUN = draw()", "RUN", ["pass"]),
        ("RUN = random.random()", "RUN", ["pass"]),
        ("RUN = uuid.uuid4().hex[:3]", "RUN", ["pass"]),
        ("RUN = numpy.random.rand()", "RUN", ["pass"]),
        ("RUN = numpy.random.rand()\nnumpy.random.seed(3)", "RUN", ["pass"]),
        ("", "conf.TOKEN", ["pass"]),
        ("", "OTHER", ["pass"]),
        ("", "conf.HOME", ["os.environ['HOME'] = 'a'"]),
        ("", "conf.FOLDER", ["os.chdir('a')"]),
        ("RUN = os.environ['A']", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.environ.get('A')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.environ.get('A', 'b')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.getenv('A')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = environ['A']", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = environ.get('A')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = getenv('A')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = int(os.environ['A'])", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.environb[b'A']", "RUN", ["os.environ['A'] = 'b'"]),
        (
            "RUN = os.environ['A']",
            "RUN",
            [
                "del os.environ['A']",
                "environ['A'] = 'b'",
                "os.putenv('A', 'b')",
                "os.unsetenv('A')",
                "os.environ.setdefault('A', 'b')",
                "os.environ.pop('A')",
            ],
        ),
        ("RUN = os.getcwd()", "RUN", ["os.chdir('a')", "os.fchdir(3)"]),
        ("RUN = Path.cwd()", "RUN", ["os.chdir('a')", "os.fchdir(3)"]),
        ("RUN = os.path.abspath('a')", "RUN", ["os.chdir('a')", "os.fchdir(3)"]),
        ("RUN = os.path.realpath('a')", "RUN", ["os.chdir('a')", "os.fchdir(3)"]),
        (
            "RUN = sys.argv[1]",
            "RUN",
            [
                "sys.argv.pop()",
                "sys.argv.remove(1)",
                "sys.argv.insert(0, 1)",
                "sys.argv.append(1)",
                "sys.argv.extend([1])",
                "sys.argv.clear()",
                "sys.argv.sort()",
                "sys.argv.reverse()",
                "sys.argv[1] = 'a'",
                "del sys.argv[1]",
                "sys.argv = []",
                "sys.argv += [1]",
                "sys.argv[1:] = []",
            ],
        ),
        ("RUN = len(sys.argv)", "RUN", ["sys.argv.pop()"]),
        ("RUN = os.getpid()", "RUN == os.getpid()", ["pass"]),
        ("RUN = os.getppid()", "RUN", ["pass"]),
        ("RUN = mp.current_process().name == 'MainProcess'", "RUN", ["pass"]),
        ("RUN = mp.parent_process() is None", "RUN", ["pass"]),
        ("RUN = __name__ == '__main__'", "RUN", ["pass"]),
        ("class Job:\n    made = time.time()", "Job.made", ["pass"]),
        ("class Job:\n    made: float = time.time()", "Job.made", ["pass"]),
        ("class Job:\n    home = os.environ['A']", "Job.home", ["os.environ['A'] = 'b'"]),
        ("class Job:\n    made = time.time()\n    def run(self):\n        return self.made", "Job().run()", ["pass"]),
        ("def f(x, at=time.time()):\n    return at", "f(x)", ["pass"]),
        ("def f(x, *, at=time.time()):\n    return at", "f(x)", ["pass"]),
        ("def f(x, home=os.environ['A']):\n    return home", "f(x)", ["os.environ['A'] = 'b'"]),
    ],
)
def test_another_value_in_the_worker(value: str, read: str, changes: list[str]) -> None:
    assert [change for change in changes if not told(value, read, change)] == []


@each_row(
    ("value", "read", "changes"),
    [
        ("RUN = uuid.uuid5(1, 'a')", "RUN", ["pass"]),
        ("numpy.random.seed(3)\nRUN = numpy.random.rand()", "RUN", ["pass"]),
        ("RUN = 3", "RUN", ["pass"]),
        ("RUN = os.sep", "RUN", ["pass"]),
        ("RUN = time.time()\nRUN = 3", "RUN", ["pass"]),
        ("def f():\n    RUN = time.time()\n    return RUN", "RUN", ["pass"]),
        ("if x:\n    RUN = time.time()", "RUN", ["pass"]),
        ("RUN = os.getpid()", "RUN", ["pass"]),
        ("RUN = __name__", "RUN", ["pass"]),
        ("class Job:\n    made = 3", "Job.made", ["pass"]),
        ("class Job:\n    made = time.time()", "Job.other", ["pass"]),
        ("class Job:\n    made = time.time()\n    def f(self):\n        self.made = 3", "Job.made", ["pass"]),
        ("def f(x, at=time.time()):\n    return x", "f(x)", ["pass"]),
        ("def f(x, at=time.time):\n    return at", "f(x)", ["pass"]),
        ("def f(x, at=time.time()):\n    at = 3\n    return at", "f(x)", ["pass"]),
        ("", "conf.PLAIN", ["pass"]),
        ("", "conf.MISSING", ["pass"]),
        (
            "",
            "conf.HOME",
            ["os.environ['OTHER'] = 'a'", "print(os.environ['HOME'])", "os.environ.get('HOME')", "os.environ[x] = 'a'"],
        ),
        ("", "conf.FOLDER", ["os.listdir('a')", "conf.chdir('a')"]),
        ("RUN = os.environ['A']", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = os.environ.get('A')", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = os.environ.get('A', 'b')", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = os.getenv('A')", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = environ['A']", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = environ.get('A')", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = getenv('A')", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = int(os.environ['A'])", "RUN", ["os.environ['B'] = 'b'"]),
        ("RUN = os.environb[b'A']", "RUN", ["os.environ['B'] = 'b'"]),
        (
            "RUN = os.environ['A']",
            "RUN",
            [
                "os.environ.setdefault('B', 'b')",
                "os.putenv('B', 'b')",
                "os.environ.pop('B')",
                "os.environ.copy()",
                "conf.environ['A'] = 3",
                "os.environ['A']",
                "os.putenv()",
            ],
        ),
        ("RUN = os.environ[x]", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.environ", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = lambda: os.environ['A']", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.getcwd()", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = Path.cwd()", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.path.abspath('a')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.path.realpath('a')", "RUN", ["os.environ['A'] = 'b'"]),
        ("RUN = os.path.basename('a')", "RUN", ["os.chdir('a')"]),
        ("RUN = os.path.abspath(__file__)", "RUN", ["os.chdir('a')"]),
        (
            "RUN = sys.argv[1]",
            "RUN",
            [
                "sys.argv.index(1)",
                "sys.argv.count(1)",
                "sys.argv[1]",
                "print(sys.argv)",
                "conf.argv.pop()",
                "len(sys.argv)",
            ],
        ),
        ("RUN = sys.path[0]", "RUN", ["sys.argv.pop()"]),
    ],
)
def test_the_same_value(value: str, read: str, changes: list[str]) -> None:
    assert [change for change in changes if told(value, read, change)] == []


INSIDE = """\
import os
from contextlib import contextmanager
from multiprocessing import Process


@contextmanager
def rank(number):
    os.environ["RANK"] = str(number)
    yield
    del os.environ["RANK"]


@contextmanager
def other(number):
    os.environ["OTHER"] = str(number)
    yield


def main():
    {imports}
    Process(target=worker.run).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("imports", "found"),
    [
        ("with rank(3):\n        import worker", True),
        ("with rank(3), other(3):\n        import worker", True),
        ("with other(3):\n        import worker", False),
        ("with open('a'):\n        import worker", False),
        ("os.environ['RANK'] = '3'\n    import worker\n    os.environ.pop('RANK')", True),
        ("os.environ['RANK'] = '3'\n    import worker", False),
    ],
)
def test_imported_while_something_is_set(imports: str, found: bool) -> None:
    worker = "import os\n\nRANK = os.environ['RANK']\n\n\ndef run():\n    print(RANK)\n"
    findings = reported({"train.py": INSIDE.format(imports=imports), "worker.py": worker}, "main-guard")
    assert ["computes at import" in each.message for each in findings] == [True] * found


MAKES = "os.makedirs('out', exist_ok=True)"


@each_row(
    ("value", "found"),
    [
        (f"if not os.path.isdir('out'):\n    {MAKES}\n    RUN = True\nelse:\n    RUN = False", True),
        (f"RUN = not os.path.exists('out')\n{MAKES}", True),
        (f"RUN = Path('out').is_dir() and True\n{MAKES}", True),
        ("OUT = 'out'\nRUN = os.path.exists(OUT)\nif not RUN:\n    os.makedirs(OUT, exist_ok=True)", True),
        (f"{MAKES}\nRUN = not os.path.exists('out')", False),  # then it is there for both
        ("RUN = not os.path.exists('out')\nos.makedirs('other', exist_ok=True)", False),
        ("RUN = not os.path.exists('out')\ndef make():\n    os.makedirs('out', exist_ok=True)", False),
        (f"if not os.path.isdir('out'):\n    {MAKES}\n    RUN = 1\nelse:\n    RUN = 1", False),
        (f"if not os.path.isdir('out'):\n    {MAKES}\n    RUN = late()\nelse:\n    RUN = load('out')", False),
        (f"RUN = late() if os.path.exists('out') else 'b'\n{MAKES}", False),
        (f"RUN = 'a' if os.path.exists('out') else 'b'\n{MAKES}", True),
    ],
)
def test_a_folder_that_the_import_makes_itself(value: str, found: bool) -> None:
    """The worker finds it there, where the main process did not."""
    assert told(value, "RUN", "pass") is found
