"""Functions, methods and names of libraries that the main process alone replaces, and that a worker uses."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.main_changes import program
from harness.small import reported

TOOLS = """\
limit = 3
def helper(x):
    return x
def scale(x):
    return helper(x)
async def later(x):
    return x
class Model:
    size = 1
    note: str = ""
    def __init__(self):
        self.own = 1
    def run(self, x):
        return x
    def other(self, x):
        return self.run(x)
class Small(Model):
    pass
"""
MADE = """\
import builtins, json, operator, os, tools
import unittest.mock
import tools as kit
from tools import Model, Small, scale
from unittest import mock
from unittest.mock import patch

def here(x):
    return x
twice = 3
twice = 4
"""


def told(read: str, change: str, path: str = "tools.py") -> bool:
    """Whether the worker is said to have the original of what the last line of the change sets."""
    made = MADE.replace("tools", path.removesuffix(".py").replace("/", "."))
    text = program(made, read, change)
    findings = reported({path: TOOLS, "train.py": text}, "main-guard")
    line = text[: text.index("def main")].count("\n") + 2 + change.count("\n")
    assert [each.trace[0].line for each in findings] == [line] * len(findings)
    assert all("a spawned worker has the original" in each.message for each in findings)
    return bool(findings)


@each_row(
    ("read", "change", "found"),
    [
        ("tools.scale(x)", "tools.scale = len", True),
        ("kit.scale(x)", "tools.scale = len", True),
        ("tools.scale(x)", "kit.scale = len", True),
        ("tools.scale(x)", "tools.helper = len", True),  # which that calls
        ("tools.later(x)", "tools.later = len", True),
        ("tools.Model(x)", "tools.Model = len", True),
        ("tools.missing", "tools.missing = len", True),
        ("tools.scale(x)", "tools.later = len", False),
        ("tools.scale(x)", "json.scale = len", False),
        ("tools.scale(x)", "print(tools.scale)", False),
        ("tools.scale(x)", "tools.scale == len", False),
        ("scale(x)", "tools.scale = len", False),  # imported before
        ("tools.scale.factor", "tools.scale.factor = 3", True),
        ("here.factor", "here.factor = 3", True),
        ("work.factor", "here.factor = 3", False),
        ("tools.scale(x)", "tools.__dict__['scale'] = len", True),
        ("tools.scale(x)", "vars(tools)['scale'] = len", True),
        ("tools.scale(x)", "tools.__dict__['later'] = len", False),
        ("tools.scale(x)", "x.__dict__['scale'] = len", False),
        ("tools.scale(x)", "tools.scale.__defaults__ = (3,)", True),
        ("tools.later(x)", "tools.later.__code__ = len.__code__", True),
        ("here(x)", "here.__kwdefaults__ = {'y': 3}", True),
        ("tools.later(x)", "tools.scale.__defaults__ = (3,)", False),
        ("tools.scale", "tools.helper.__kwdefaults__ = {}", False),
        ("x.scale", "tools.scale = len", False),
        ("[x for scale in x]", "tools.scale = len", False),
    ],
)
def test_of_modules(read: str, change: str, found: bool) -> None:
    assert told(read, change) is found


@each_row(
    ("read", "change", "found"),
    [
        ("here(x)", "import train\ntrain.here = len", True),
        ("twice(x)", "import train\ntrain.twice = len", False),  # no function
        ("len(x)", "builtins.len = max", True),
        ("max(x)", "builtins.len = max", False),
        ("len(x)", "operator.len = max", False),
        ("json.dumps(x)", "json.dumps = len", True),
        ("json.encoder.dumps(x)", "json.encoder.dumps = len", True),
        ("json.encoder.dumps(x)", "json.dumps = len", False),
        ("json.loads(x)", "json.dumps = len", False),
        ("sys.argv", "sys.argv = []", False),  # a spawned process gets these from its parent
        ("sys.path", "sys.path = []", False),
        ("os.environ", "os.environ = {}", False),
        ("getattr(tools, 'scale')(x)", "tools.scale = len", True),
        ("getattr(tools, 'helper')(x)", "tools.scale = len", False),
        ("getattr(json, 'scale')(x)", "tools.scale = len", False),
        ("hasattr(tools, 'extra')", "tools.extra = len", True),
        ("hasattr(tools, x)", "tools.extra = len", False),
        ("hasattr(tools)", "tools.extra = len", False),
        ("isinstance(tools, 'extra')", "tools.extra = len", False),
    ],
)
def test_of_libraries_and_by_text(read: str, change: str, found: bool) -> None:
    assert told(read, change) is found


@each_row(
    ("read", "change", "found"),
    [
        ("Model().run(x)", "Model.run = len", True),
        ("Model().run(x)", "tools.Model.run = len", True),
        ("Model.run(x)", "Model.run = len", True),
        ("Model().other(x)", "Model.other = len", True),
        ("Model().other(x)", "Model.run = len", True),  # which that calls
        ("Small().run(x)", "Model.run = len", True),
        ("Small().run(x)", "Small.run = len", True),
        ("Model().run(x)", "Small.run = len", False),
        ("Model().run(x)", "model = Model()\nmodel.run = len", False),
        ("Model().own", "Model.own = len", False),  # objects have one for themselves
        ("Model.missing", "Model.missing = len", True),
        ("Model().run(x)", "Model.other = len", False),
        ("Model().run(x)", "for cls in (Model, Small):\n    cls.run = len", True),
        ("Model().run(x)", "for cls in (Small, dict):\n    cls.run = len", False),
        ("Model().run(x)", "models = [Model]\nfor each in models:\n    each.run = len", True),
        ("Model().run(x)", "for cls in (Model, Small):\n    cls.other = len", False),
        ("Model().run(x)", "models = [Model()]\nfor each in models:\n    setattr(type(each), 'run', len)", True),
        ("Model().run(x)", "models = [3]\nfor each in models:\n    setattr(type(each), 'run', len)", False),
        ("Model().run(x)", "model = Model()\nsetattr(type(model), 'run', len)", True),
        ("Model().run(x)", "for each in (Model(),):\n    each.run = len", False),
    ],
)
def test_of_classes(read: str, change: str, found: bool) -> None:
    assert told(read, change) is found


@each_row(
    ("read", "call", "found"),
    [
        ("tools.scale(x)", "setattr(tools, 'scale', len)", True),
        ("tools.scale(x)", "setattr(kit, 'scale', len)", True),
        ("tools.scale(x)", "setattr(tools, 'later', len)", False),
        ("tools.scale(x)", "setattr(json, 'scale', len)", False),
        ("tools.scale(x)", "operator.setattr(tools, 'scale', len)", False),
        ("Model().run(x)", "setattr(Model, 'run', len)", True),
        ("Model().run(x)", "setattr(Small, 'run', len)", False),
        ("json.dumps(x)", "setattr(json, 'dumps', len)", True),
        ("json.dumps(x)", "setattr(tools, 'dumps', len)", False),
        ("tools.scale(x)", "patch('tools.scale', len).start()", True),
        ("tools.scale(x)", "mock.patch('tools.scale', len).start()", True),
        ("tools.scale(x)", "unittest.mock.patch('tools.scale', len).start()", True),
        ("tools.scale(x)", "patch('other.scale', len).start()", False),
        ("tools.scale(x)", "patch('tools.later', len).start()", False),
        ("tools.scale(x)", "patch(x, len).start()", False),
        ("tools.scale(x)", "operator.patch('tools.scale', len).start()", False),
        ("tools.scale(x)", "patch.object(tools, 'scale').start()", True),
        ("tools.scale(x)", "mock.patch.object(tools, 'scale').start()", True),
        ("tools.scale(x)", "unittest.mock.patch.object(tools, 'scale').start()", True),
        ("tools.scale(x)", "patch.object(json, 'scale').start()", False),
        ("tools.scale(x)", "patch.object(tools, 'later').start()", False),
        ("Model().run(x)", "patch('tools.Model.run').start()", True),
        ("Model().run(x)", "patch('tools.Small.run').start()", False),
        ("Model().run(x)", "patch('tools.Model.other').start()", False),
        ("Model().run(x)", "patch.object(Model, 'run').start()", True),
        ("json.dumps(x)", "patch('json.dumps', len).start()", True),
        ("json.dumps(x)", "patch('json.loads', len).start()", False),
        ("json.dumps(x)", "patch('tools.dumps', len).start()", False),
        ("json.dumps(x)", "patch.object(json, 'dumps').start()", True),
        ("json.dumps(x)", "patch.object(tools, 'dumps').start()", False),
    ],
)
def test_by_a_call(read: str, call: str, found: bool) -> None:
    assert told(read, call) is found


@each_row(
    ("path", "call", "found"),
    [
        ("lab/tools.py", "patch('lab.tools.scale', len).start()", True),
        ("lab/tools.py", "patch('tools.scale', len).start()", True),  # where `lab` is a folder of sources
        ("lab/tools.py", "patch('ab.tools.scale', len).start()", False),
        ("lab/__init__.py", "patch('lab.scale', len).start()", True),
    ],
)
def test_in_a_folder(path: str, call: str, found: bool) -> None:
    made = (
        "from unittest.mock import patch\nimport lab\nfrom lab import tools"
        if "tools" in path
        else ("from unittest.mock import patch\nimport lab")
    )
    read = "tools.scale(x)" if "tools" in path else "lab.scale(x)"
    files = {"lab/__init__.py": "", path: TOOLS, "train.py": program(made, read, call)}
    assert bool(reported(files, "main-guard")) is found


KEPT = """\
import multiprocessing as mp
import time


def now():
    return time.time()


class Watch:
    def __init__(self, start):
        self.start = start
        self.read = {kept}

    def _read(self):
        return time.time() - self.start

    def quiet(self):
        return self.start


def child(watch):
    print(watch.read())


def main():
    time.time = {set}
    mp.Process(target=child, args=(Watch(3),)).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("kept", "found"),
    [
        ("self._read", True),
        ("now", True),
        ("lambda: time.time()", True),
        ("self.quiet", False),
        ("lambda: start", False),
        ("start", False),
    ],
)
def test_a_worker_calls_what_the_object_keeps_in_an_attribute(kept: str, found: bool) -> None:
    findings = reported({"train.py": KEPT.format(kept=kept, set="lambda: 5")}, "main-guard")
    assert ["`time.time` there depends on what" in each.message for each in findings] == [True] * found


@each_row(("kept", "found"), [("now", True), ("lambda: time.time()", True), ("start", False)])
def test_a_method_that_workers_run_calls_what_its_object_keeps(kept: str, found: bool) -> None:
    text = KEPT.format(kept=kept, set="lambda: 5").replace("Watch(3),", "Watch(3).run,").replace("watch.read", "watch")
    text = text.replace("def quiet(self):", "def run(self):\n        return self.read()\n\n    def quiet(self):")
    findings = reported({"train.py": text}, "main-guard")
    assert ["`time.time` there depends on what" in each.message for each in findings] == [True] * found


PATCHING = """
from multiprocessing import Process
import ops

def profile(module, name):
    original = getattr(module, name)

    def timed(*args):
        return original(*args) + 1

    setattr({base}, name, timed)

def work():
    print(ops.twice(2))

def main():
    profile(ops, {name})
    Process(target=work).start()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("base", "name", "found"), [("module", '"add"', True), ("module", '"other"', False), ("timed", '"add"', False)]
)
def test_a_function_that_replaces_what_it_is_told_to(base: str, name: str, found: bool) -> None:
    ops = "def add(a, b):\n    return a + b\n\n\ndef other():\n    return 1\n\n\ndef twice(a):\n    return add(a, a)\n"
    files = {"main.py": PATCHING.format(base=base, name=name), "ops.py": ops}
    assert bool(reported(files, "main-guard")) is found


PUT_BACK = """
from multiprocessing import Process
import tools

def patch(owner, name, new):
    old = getattr(owner, name)
    setattr(owner, name, new)
    return old

def work():
    print(tools.scale(1))

def main():
    {lines}
    Process(target=work).start()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("old = patch(tools, 'scale', abs); tools.scale(-1); patch(tools, 'scale', old)", False),
        ("old = patch(tools, 'scale', abs); patch(tools, 'scale', len)", True),
        ("old = patch(tools, 'scale', abs); Process(target=work).start(); patch(tools, 'scale', old)", True),
        ("old = patch(tools, 'scale', abs)", True),
    ],
)
def test_what_is_put_back_before_the_start(lines: str, found: bool) -> None:
    files = {"main.py": PUT_BACK.format(lines=lines), "tools.py": "def scale(x):\n    return x\n"}
    assert bool(reported(files, "main-guard")) is found
