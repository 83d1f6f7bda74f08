"""What sets up a handler or connection at the beginning is done to the copy's own too, or the fix is refused."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import logging
import sqlite3
from multiprocessing import Pool

def plus(a, b):
    return a + b

class Job:
    def __init__(self, path, level):
        self.path = path
        self.level = level
        {}

    def configure(self):
        {}

    def run(self, n):
        return n

if __name__ == '__main__':
    print(Pool(2).map(Job('a', 'INFO').run, [1]))
"""
HANDLER = "self.log = logging.StreamHandler()"
LOCAL = "log = logging.StreamHandler()"


def program(first: str, second: str = "pass") -> dict[str, str]:
    indent = "\n        "
    return {"a.py": PROGRAM.format(first.replace("\n", indent), second.replace("\n", indent))}


@each_row(
    "first, second, again",
    [
        (f"{HANDLER}\nself.configure()", "self.log.setLevel(self.level)", "self.log.setLevel(self.level)"),
        (f"{HANDLER}\nself.level = 3\nself.log.setLevel(self.level)", "pass", "self.log.setLevel(self.level)"),
        (
            f"{HANDLER}\nself.configure()",
            "self.level = 3\nself.log.setLevel(self.level)",
            "self.log.setLevel(self.level)",
        ),
        (f"{LOCAL}\nlog.setLevel(logging.INFO)\nself.log = log", "pass", "self.log.setLevel(logging.INFO)"),
        (f"{LOCAL}\nlog.setLevel(self.level)\nself.log = log", "pass", "self.log.setLevel(self.level)"),
        (
            f"{LOCAL}\nform = logging.Formatter('%(msg)s')\nlog.setFormatter(fmt=form)\nself.log = log",
            "pass",
            "self.log.setFormatter(fmt=logging.Formatter('%(msg)s'))",
        ),
        (
            "db = sqlite3.connect(path)\ndb.create_function('plus', 2, plus)\nself.db = db",
            "pass",
            "self.db.create_function('plus', 2, plus)",
        ),
        (
            "self.db = sqlite3.connect(path)\nself.configure()",
            "self.db.create_function('plus', 2, plus)",
            "self.db.create_function('plus', 2, plus)",
        ),
        (
            f"{LOCAL}\nlog.setLevel(1)\nself.log = log\nself.configure()\nself.log.setLevel(3)\nlog.setLevel(4)",
            "self.log.setLevel(2)",
            "\n        ".join(f"self.log.setLevel({level})" for level in (1, 2, 3, 4)),  # the last one counts
        ),
    ],
)
def test_done_again(first: str, second: str, again: str) -> None:
    after = migrated(program(first, second), RULE)["a.py"]
    restored = after[after.index("def __setstate__") :]
    assert f"        {again}\n" in restored[: restored.index("\n    def ", 1)]


@each_row(
    "first, second, reason",
    [
        (f"{HANDLER}\nself.log.setLevel(self.level)", "self.level = 'ERROR'", "`self.level` may be another by then"),
        (f"{HANDLER}\nself.log.setLevel(self.level)\nself.level = 3", "pass", "`self.level` may be another by then"),
        (f"{LOCAL}\nlog.setLevel(self.level)\nself.log = log", "self.level = 3", "`self.level` may be another by then"),
        (f"{HANDLER}\nif path:\n    self.log.setLevel(10)", "pass", "sets it up"),
        (f"{HANDLER}\nif path:\n    self.configure()", "self.log.setLevel(10)", "sets it up"),
        (f"{HANDLER}\nself.configure()", "if self.path:\n    self.log.setLevel(10)", "sets it up"),
        (f"{HANDLER}\nself.configure()", "if self.path:\n    return\nself.log.setLevel(10)", "sets it up"),
        (f"{LOCAL}\nif path:\n    log.setLevel(10)\nself.log = log", "pass", "calls `setLevel` on it"),
        (f"{LOCAL}\nlog.setLevel(level)\nself.log = log", "pass", "something that the copy doesn't have"),
        (
            f"{LOCAL}\nform = logging.Formatter()\nform.converter = plus\nlog.setFormatter(form)\nself.log = log",
            "pass",
            "something that the copy doesn't have",
        ),
    ],
)
def test_refused(first: str, second: str, reason: str) -> None:
    assert any(reason in each for each in reasons(program(first, second), RULE))


READ = f"most = {{}}\n{LOCAL}\nlog.setLevel(most)\nself.log = log"


@each_row(
    "read, changed, kept",
    [
        ("os.environ.get('LEVEL', 'INFO')", "os.environ['LEVEL'] = 'DEBUG'", True),
        ("os.getenv('LEVEL')", "os.environ.update(LEVEL='DEBUG')", True),
        ("os.getenv('LEVEL')", "os.environ.update(more)", True),
        ("os.environ['LEVEL']", "os.environ.setdefault('LEVEL', 'DEBUG')", True),
        ("os.environ['LEVEL']", "for name in more:\n    del os.environ[name]", True),
        ("os.environ.get('LEVEL', 'INFO')", "os.environ['OTHER'] = 'DEBUG'", False),
        ("os.environ.get('LEVEL', 'INFO')", "os.environ.pop('OTHER')", False),
        ("os.environ.get('LEVEL', 'INFO')", "print(os.environ['LEVEL'])", False),
        ("logging.root.level", "logging.root.level = 10", True),
        ("logging.root.level", "logging.root.propagate = False", False),
    ],
)
def test_what_the_program_changes_in_between_is_kept(read: str, changed: str, kept: bool) -> None:
    text = program(READ.format(read))["a.py"].replace("import sqlite3", "import os\nmore = {}")
    files = {"a.py": f"{text}\n\ndef change():\n    " + changed.replace("\n", "\n    ") + "\n"}
    after = migrated(files, RULE)["a.py"]
    assert ("        self.most = most\n        self.log = log\n" in after) is kept
    assert f"        self.log.setLevel({'self.most' if kept else read})\n" in after


def test_what_is_read_from_the_environment_under_a_condition_is_not_read_again() -> None:
    files = program("self.log = logging.FileHandler('a' if path else os.getenv('LOG'))")
    text = files["a.py"].replace("import sqlite3", "import os")
    (reason,) = reasons({"a.py": text + "\n\ndef change():\n    os.environ['LOG'] = 'b'\n"}, RULE)
    assert reason == "`os.getenv('LOG')` is only looked at under a condition; keep it as an attribute"


def test_no_module_is_kept() -> None:
    text = program("self.log = logging.FileHandler(conf.paths.get('a'))")["a.py"].replace("sqlite3", "conf")
    files = {
        "a.py": f"{text}\n\ndef change(args):\n    args.paths = 1\n",
        "conf/__init__.py": "from . import paths\n",
        "conf/paths.py": "def get(name):\n    return name\n",
    }
    after = migrated(files, RULE)["a.py"]
    assert "self.paths" not in after and after.count("self.log = logging.FileHandler(conf.paths.get('a'))\n") == 2
