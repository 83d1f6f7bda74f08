"""Settings of another module that go under a guard: fine where no code of a worker has to do with that module."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RUN = """\
import torch
from options import {names}
from rows import Rows

torch.distributed.init_process_group('gloo')
{change}


def train():
    for batch in torch.utils.data.DataLoader(Rows(), num_workers=2):
        print(batch, options.rank)


if __name__ == '__main__':
    train()
"""
OPTIONS = "class Options:\n    rank = 0\n\n    def freeze(self):\n        pass\n\n\noptions = Options()\n\n\n"
OPTIONS += "def setup():\n    pass\n"
ROWS = "{}class Rows:\n    def __len__(self):\n        return 4\n\n    def __getitem__(self, at):\n        return {}\n"
ALONE = {"rows.py": ROWS.format("", "at")}


@each_row(
    ("change", "others", "safe"),
    [
        ("options.rank = 1", ALONE, True),
        ("options.freeze()", ALONE, True),
        ("options.rank = 1", {"rows.py": ROWS.format("from options import options\n\n\n", "options.rank")}, False),
        (
            "options.rank = 1",
            {"rows.py": ROWS.format("import tools\n\n\n", "tools.f(at)"), "tools.py": "import options\nf = len\n"},
            False,
        ),
        ("options.rank = 1", {**ALONE, "more.py": "import options\n" + ROWS.format("", "options.rank")}, False),
        ("options.rank = 1", {**ALONE, "more.py": "import options\nprint(options.options.rank)\n"}, True),
        ("setup()", ALONE, True),
        ("setup(options)", ALONE, False),
        ("setup.rate = 2", ALONE, False),
    ],
)
def test_what_is_set_on_an_object_of_another_module(change: str, others: dict[str, str], safe: bool) -> None:
    names = "options, setup" if "setup" in change else "options"
    files = {"run.py": RUN.format(names=names, change=change), "options.py": OPTIONS, **others}
    [finding] = [each for each in reported(files, "main-guard") if each.path == "run.py"]
    assert finding.fix is not None
    assert (finding.fix.unsafe is None) is safe
    if safe:
        after = migrated(files, "main-guard")["run.py"]
        assert f"    torch.distributed.init_process_group('gloo')\n    {change}\n" in after


def test_an_object_that_a_package_hands_on() -> None:
    files = {"run.py": RUN.format(names="options", change="options.rank = 1"), **ALONE}
    files |= {"options/__init__.py": "from .base import _options as options\n"}
    files |= {"options/base.py": OPTIONS.replace("options = ", "made = ") + "\n\n_options = made\n"}
    [finding] = [each for each in reported(files, "main-guard") if each.path == "run.py"]
    assert finding.fix is not None and finding.fix.unsafe is None
    files["rows.py"] = ROWS.format("from options import options\n\n\n", "options.rank")
    [finding] = [each for each in reported(files, "main-guard") if each.path == "run.py"]
    assert finding.fix is None or finding.fix.unsafe is not None


LOADED = """\
import torch
import state
from rows import Rows
from state import settings

args = {made}
torch.distributed.init_process_group('gloo')
state.load({passed})


def train():
    for batch in torch.utils.data.DataLoader(Rows(), num_workers=2):
        print(batch, args.size)


if __name__ == '__main__':
    train()
"""
STATE = """\
import argparse
import torch

settings = argparse.Namespace(size=1, rate=2)


def parsed():
    args = argparse.ArgumentParser().parse_args()
    return args


def shared():
    return settings


def load(args):
    {body}
"""
SIZE = "args.size = torch.load('a')['size']"
OF_STATE = {"rows.py": ROWS.format("import state\n\n\n", "state.settings.size")}


@each_row(
    ("made", "passed", "body", "safe"),
    [
        ("state.parsed()", "args", SIZE, True),
        ("torch.nn.Linear(3, 3)", "args", "args.load_state_dict(torch.load('a'))", True),
        pytest.param("state.shared()", "args", SIZE, False, id="an object of the module"),
        pytest.param("settings", "args", SIZE, False, id="under another name"),
        pytest.param("state.settings", "args", SIZE, False, id="by its attribute"),
        pytest.param("state.parsed()", "settings", SIZE, False, id="it is passed"),
        pytest.param("state.parsed()", "args if args.size else settings", SIZE, False, id="it may be passed"),
        pytest.param("state.parsed()", "args", "settings.size = args.size", False, id="it is set there"),
        pytest.param("state.parsed()", "args", "global settings\n    settings = args", False, id="the name is"),
        pytest.param("state.parsed()", "args", "torch.set_num_threads(args.size)", False, id="a library is set up"),
    ],
)
def test_a_function_of_another_file_that_sets_nothing(made: str, passed: str, body: str, safe: bool) -> None:
    """It changes what it is passed, and that is no object which another module keeps, where workers read it."""
    files = {"run.py": LOADED.format(made=made, passed=passed), "state.py": STATE.format(body=body), **OF_STATE}
    [finding] = [each for each in reported(files, "main-guard") if each.path == "run.py"]
    assert (finding.fix is not None and finding.fix.unsafe is None) is safe


METHODS = """\
import argparse
from multiprocessing.pool import Pool


class Rows:
    def __init__(self):
        self.size = 3

    MARK
    def clean(OWNname):
        print(f"{options.path}/{name}")

    def run(self, size):
        print(size, options)
        with Pool(2) as pool:
            pool.map(SENT, ["a"])


if __name__ == "__main__":
    options = argparse.ArgumentParser().parse_args()
    Rows().run(options.size)
"""


@each_row(
    ("mark", "own", "sent", "answer"),
    [
        pytest.param("", "self, ", "self.clean", "self.options = options", id="a bound method"),
        pytest.param("@staticmethod", "", "Rows.clean", "pass `options`", id="a static method"),
        pytest.param("@staticmethod", "", "self.clean", "pass `options`", id="a static method by its object"),
        pytest.param("@classmethod", "cls, ", "Rows.clean", "pass `options`", id="a class method"),
        pytest.param("", "self, ", "self.size", "", id="no method"),
    ],
)
def test_methods_that_are_sent_by_themselves(mark: str, own: str, sent: str, answer: str) -> None:
    text = METHODS.replace("    MARK\n", f"    {mark}\n" if mark else "").replace("OWN", own).replace("SENT", sent)
    found = reported({"a.py": text}, "main-guard")
    after = migrated({"a.py": text}, "main-guard").get("a.py", "")
    assert len(found) == bool(answer)
    assert all(answer in (after or each.reason or "") for each in found)
