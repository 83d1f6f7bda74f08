"""The rule `lambdas`: findings, fixes of several functions, models that ride on `self`; forms are in test_lambdas_*."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from codemods.engine.migrate import check, plan
from codemods.finding import Fix
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.lambdas.plan import plan_hoist
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.hoisting import PATH, candidates, hoisted


@each_row(
    ("text", "burdens", "expected"),
    [
        pytest.param(
            """\
class Trainer:
    def __init__(self, net, scale):
        self.net = net
        self.scale = scale

    def run(self, rows):
        return rows.map(lambda row: row * self.scale)
""",
            ("the model `self.net` (train.py:3)",),
            """\
import functools


def _run_map(scale, row):
    return row * scale


class Trainer:
    def __init__(self, net, scale):
        self.net = net
        self.scale = scale

    def run(self, rows):
        return rows.map(functools.partial(_run_map, self.scale))
""",
            id="reads an attribute set once",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, n):
        return rows.map(lambda row: row * self.scale + n + self.scale)
""",
            ("the model `self.net` (train.py:3)",),
            """\
import functools


def _run_map(scale, n, row):
    return row * scale + n + scale


class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, n):
        return rows.map(functools.partial(_run_map, self.scale, n))
""",
            id="reads an attribute and a local",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows):
        found = rows.map(lambda row: row * self.scale)
        self.scale = 2
        return found
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="reads an attribute set again",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows):
        return rows.map(lambda row: self.step(row))

    def step(self, row):
        return row
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="calls a method",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, net):
        self.net = net

    def run(self, rows):
        return rows.map(lambda row: self.net(row))
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="reads the burden itself",
        ),
        pytest.param(
            """\
class Trainer:
    def run(self, rows):
        return rows.map(lambda row: step(self, row))
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="passes self on",
        ),
    ],
)
def test_self_that_carries_a_model(text: str, burdens: Sequence[str], expected: str | None) -> None:
    after, reasons = hoisted(text, burdens)
    assert after == (expected or text)
    if expected is None:
        assert [each for each in reasons if "along with the model `self.net`" in each], reasons


def test_windows_newlines_and_tabs_are_kept() -> None:
    text = "def build(ds):\r\n\tdef step(x):\r\n\t\treturn x\r\n\r\n\treturn ds.map(step, lambda x: x)"
    expected = (
        "def step(x):\r\n\treturn x\r\n\r\n\r\ndef _identity(x):\r\n\treturn x\r\n\r\n\r\n"
        "def build(ds):\r\n\treturn ds.map(step, _identity)"
    )
    assert hoisted(text)[0] == expected


def test_method_at_the_end_of_a_file_without_newline() -> None:
    text = "class Ds:\n    def build(self):\n        return self.map(lambda x: self.go(x))"
    expected = (
        "class Ds:\n    def build(self):\n        return self.map(self._build_map)\n\n"
        "    def _build_map(self, x):\n        return self.go(x)"
    )
    assert hoisted(text)[0] == expected


def test_method_name_taken_in_another_file() -> None:
    text = "class Ds:\n    def build(self):\n        return self.map(lambda x: self.go(x))\n"
    after, _ = hoisted(text, others={"sub.py": "class Sub(Ds):\n    def _build_map(self):\n        pass\n"})
    assert "return self.map(self._build_map_2)" in after


def test_name_is_private_where_the_file_is_star_imported() -> None:
    text = "def build(ds):\n    def step(x):\n        return x\n\n    return ds.map(step)\n"
    assert hoisted(text, others={"main.py": "import train\n"})[0].startswith("def step(x):")
    assert hoisted(text, others={"main.py": "from train import *\n"})[0].startswith("def _build_step(x):")


def test_two_functions_of_one_name_stay_two() -> None:
    """The shape of StableCascade: an `eval` may name the first."""
    text = """\
class Core:
    def preprocessors(self, config):
        def identity(x):
            return x.decode()

        def caption(x):
            return identity(x)

        return [("txt", identity), ("json", eval(config)), ("old", caption)]

    def setup(self, ds):
        filters = {name: eval(text) for name, text in ds.filters}

        def identity(x):
            return x

        return ds.select(filters).map(identity)
"""
    after, reasons = hoisted(text)
    assert not reasons
    assert "\ndef identity(x):\n    return x.decode()\n" in "\n" + after
    assert "\ndef caption(x):\n    return identity(x)\n" in after
    assert "\ndef _setup_identity(x):\n    return x\n" in after
    assert after.endswith("return ds.select(filters).map(_setup_identity)\n")


def test_group_has_one_fix() -> None:
    text = "def build(ds):\n    def a(x):\n        return x\n\n    return ds.map(a, lambda x: a(x))\n"
    project = Project(MemoryFiles({PATH: text.encode()}))
    answers = list(plan_hoist(project, PATH, candidates(project)).values())
    assert len(answers) == 2 and answers[0] == answers[1] and isinstance(answers[0], Fix)


def test_a_function_goes_with_the_lambda_that_uses_it() -> None:
    """Only the lambda crosses, what it names moves too; a function that merely uses those stays."""
    text = """\
def build(ds):
    def abc(x):
        return x

    def stays(x):
        return abc(x)

    stays(ds)
    return ds.map(lambda x: abc(x + 1))
"""
    project = Project(MemoryFiles({PATH: text.encode()}))
    target = next(each for each in candidates(project) if each.kind is HazardKind.LAMBDA)
    fix = plan_hoist(project, PATH, [target])[target]
    source = project.source(PATH)
    assert isinstance(fix, Fix) and source is not None
    assert (
        source.apply(fix.edits)
        == """\
def abc(x):
    return x


def _build_map(x):
    return abc(x + 1)


def build(ds):
    def stays(x):
        return abc(x)

    stays(ds)
    return ds.map(_build_map)
"""
    )


@each_row(
    "text",
    [
        pytest.param("rows = sorted([3, 1], key=lambda x: -x)\n", id="a sort key"),
        pytest.param("rows = list(map(lambda x: x + 1, [1]))\n", id="map in list"),
        pytest.param(
            "from concurrent.futures import ThreadPoolExecutor\n\n"
            "with ThreadPoolExecutor() as pool:\n    print(list(pool.map(lambda x: x, [1])))\n",
            id="a thread pool",
        ),
        pytest.param(
            "import threading\n\nthreading.Thread(target=lambda: print(1)).start()\n",
            id="a thread",
        ),
        pytest.param(
            "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Config:\n"
            "    names: list = field(default_factory=lambda: [1])\n",
            id="a default_factory",
        ),
        pytest.param("class Net:\n    act = lambda self, x: x\n", id="a class attribute"),
        pytest.param(
            "from torch.utils.data import DataLoader\n\n"
            "loader = DataLoader([1], num_workers=0, collate_fn=lambda b: b)\n",
            id="a loader without workers",
        ),
    ],
)
def test_look_alikes(text: str) -> None:
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    assert not done.changes and not done.remaining


def test_equal_lambdas_with_their_own_default_values_become_one_function() -> None:
    text = (
        "from torch.utils.data import DataLoader\n\n\ndef build(rows, others, labels):\n"
        "    first = DataLoader(rows, num_workers=2, collate_fn=lambda x, y=labels[0]: [x, y])\n"
        "    return first, DataLoader(others, num_workers=2, collate_fn=lambda x, y=labels[0]: [x, y])\n"
    )
    after = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",))).contents[PATH].decode()
    assert after.count("def ") == 2 and after.count("functools.partial(_build_collate_fn, y=labels[0])") == 2


def test_what_is_silenced_stays_when_its_twin_moves() -> None:
    text = (
        "from multiprocessing import Pool\n\n\ndef run(rows):\n    with Pool() as pool:\n"
        "        pool.map(lambda x: x + 1, rows)  # spawnfix: ignore[lambdas]\n"
        "        pool.map(lambda x: x + 1, rows)\n"
    )
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    after = done.contents[PATH].decode()
    assert "pool.map(lambda x: x + 1, rows)  # spawnfix" in after
    assert "pool.map(_run_map, rows)\n" in after


def test_finding_says_what_and_where() -> None:
    text = (
        "from multiprocessing import Pool\n\n\ndef run(rows):\n    with Pool() as pool:\n"
        "        for i in range(2):\n            pool.imap(lambda x: x + i, rows)\n"
    )
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    (finding,) = done.remaining
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (7, 23, 38)
    assert "multiprocessing" in finding.message
    late = "each function would keep the value from when it is defined, not see the last one"
    assert finding.fix is not None and finding.fix.unsafe == f"`i` is a loop variable (line 6): {late}"
    assert not done.changes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """\
from multiprocessing import Process


def run(rows):
    for i in range(3):
        Process(target=lambda row: row + i, args=rows)
""",
            """\
import functools
from multiprocessing import Process


def _run_target(i, row):
    return row + i


def run(rows):
    for i in range(3):
        Process(target=functools.partial(_run_target, i), args=rows)
""",
            id="a loop",
        ),
        pytest.param(
            """\
from functools import partial
from multiprocessing import Process


def run(rows):
    return [Process(target=lambda row: row[i], args=rows) for i in range(3)]
""",
            """\
from functools import partial
from multiprocessing import Process


def _run_target(i, row):
    return row[i]


def run(rows):
    return [Process(target=partial(_run_target, i), args=rows) for i in range(3)]
""",
            id="a comprehension",
        ),
        pytest.param(
            """\
from multiprocessing import Process


def run(rows):
    for i in range(3):
        def work(row):
            Process(target=lambda: row).start()
            return row + i

        work(rows)
""",
            """\
from multiprocessing import Process


def _work_target(row):
    return row


def run(rows):
    for i in range(3):
        def work(row):
            Process(target=_work_target, args=(row,)).start()
            return row + i

        work(rows)
""",
            id="one inside a function that stays",
        ),
    ],
)
def test_unsafe_fixes_take_the_value_of_a_loop_variable(text: str, expected: str) -> None:
    files = MemoryFiles({PATH: text.encode()})
    safe, unsafe = (plan(files, Settings(select=("lambdas",), unsafe_fixes=each)) for each in (False, True))
    assert unsafe.contents[PATH].decode() == expected
    assert safe.contents == ({} if "work" not in text else unsafe.contents)


def test_captured_names_and_keywords_do_not_meet() -> None:
    """A caller's keyword `scale` goes to `**options`, as it did."""
    text = "def build(ds, scale):\n    return ds.map(lambda x, **options: (x * scale, options))\n"
    after, _ = hoisted(text)
    space: dict[str, object] = {}
    exec(after, space)
    build = space["build"]
    assert callable(build)

    class Rows:
        def map(self, function):  # type: ignore[no-untyped-def]
            return function(2, scale=9)

    assert build(Rows(), 5) == (10, {"scale": 9})


COPIED = """import copy
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        inner = self.layer
        self.first = lambda x: inner(x)
        self.second = lambda x: x + 1


def main():
    net = Net(2)
    {line}
    torch.save(net, "net.pt")
"""


@each_row(
    ("value", "safe"),
    [
        ("10 if scale else int(scale / 2)", True),
        ("-len(str(scale)) * 2", True),
        ("str(scale)", True),
        ("scale * 2", False),
        ("[scale]", False),
    ],
)
def test_a_deep_copy_of_a_number_is_that_number(value: str, safe: bool) -> None:
    text = COPIED.replace("inner = self.layer", f"inner = {value}").replace("inner(x)", "x * k + inner")
    text = text.replace("lambda x: x * k", "lambda x, k=scale: x * k").format(line="ema = copy.deepcopy(net)")
    found = check(MemoryFiles({PATH: text.encode()}), Settings()).findings
    assert all(each.fix is not None and (each.fix.unsafe is None) == safe for each in found[:1])


def test_a_deep_copy_shares_functions_and_what_they_captured() -> None:
    files = MemoryFiles({PATH: COPIED.format(line="ema = copy.deepcopy(net)").encode()})
    after = plan(files, Settings()).contents[PATH].decode()
    assert after.count("def __deepcopy__(self, memo):") == 1 and "self.first = _NetFirst(inner)" in after
    text = COPIED.format(line="ema = copy.deepcopy(net)").replace("inner(x)", "self.add(inner(x))")
    (first, _) = check(MemoryFiles({PATH: text.encode()}), Settings()).findings
    shared = "gives the copy its own self here, where it shared that of the original"
    assert first.fix is not None and first.fix.unsafe == f"`copy.deepcopy` ({PATH}:17) {shared}"
    files = MemoryFiles({PATH: COPIED.format(line="ema = copy.deepcopy(3)").encode()})
    assert "functools.partial(_net_first, inner)" in plan(files, Settings()).contents[PATH].decode()


def test_what_crosses_aboard_the_model_that_made_it_may_be_its_method() -> None:
    body = COPIED.replace("lambda x: inner(x)", "lambda x: self.layer(x)").format(line="pass")
    first, _ = check(MemoryFiles({PATH: body.encode()}), Settings()).findings
    assert first.fix is not None and first.fix.title == "Move the lambda in line 11 as `self._net_first` to the class"
    handed = body.replace('torch.save(net, "net.pt")', "torch.multiprocessing.spawn(print, args=(net.first,))")
    first, *_ = check(MemoryFiles({PATH: handed.encode()}), Settings()).findings
    assert "a method would carry the whole `self` along" in (first.reason or "")


SHARED = """import copy
from torch.utils.data import DataLoader


def make(size{default}):
    return lambda rows: rows[:size]


def main(rows):
    collate = make(2)
    loader = DataLoader(rows, num_workers=2, collate_fn=collate)
    other = copy.deepcopy([collate])
"""


@each_row(("default", "same"), [("=1", True), ("='all'", True), ("=None", False), ("", False)])
def test_a_deep_copy_of_a_number_is_the_number(default: str, same: bool) -> None:
    files = MemoryFiles({PATH: SHARED.format(default=default).encode()})
    after = plan(files, Settings()).contents[PATH].decode()
    assert ("functools.partial(" in after, "__deepcopy__" in after) == (same, not same)


SCORE = """from multiprocessing import Pool
from torch import nn


class Score(nn.Module):
    def __init__(self, kind):
        self.net = nn.Linear(2, 2)
{sets}

    def run(self, rows):
        return Pool(2).map(lambda row: self.step(row), rows)
{more}"""
BRANCHES = "        if kind:\n            self.step = min\n        else:\n            self.step = max"


@each_row(
    ("sets", "more", "fits"),
    [
        pytest.param(BRANCHES, "", True, id="one of two branches"),
        pytest.param(
            "        self.step = min\n        if kind:\n            self.step = max", "", False, id="set twice"
        ),
        pytest.param(BRANCHES.replace("        else:\n    ", ""), "", False, id="set twice in a branch"),
        pytest.param(f"        self.run(kind)\n{BRANCHES}", "", False, id="made before it is set"),
        pytest.param("        for self.step in kind:\n            pass", "", False, id="set by a loop"),
        pytest.param(
            BRANCHES, "\nclass Other:\n    def __init__(self):\n        self.step = 1\n", True, id="other class"
        ),
        pytest.param(BRANCHES, "\nclass Sub(Score):\n    def go(self):\n        self.step = 1\n", False, id="derived"),
        pytest.param(BRANCHES, "\ndef change(score):\n    score.step = 1\n", False, id="from outside"),
    ],
)
def test_attributes_that_are_handed_over(sets: str, more: str, fits: bool) -> None:
    files = MemoryFiles({PATH: SCORE.format(sets=sets, more=more).encode()})
    (finding,) = [each for each in check(files, Settings()).findings if each.rule == "lambdas"]
    assert (finding.fix is not None) is fits
    assert fits or "set again" in (finding.reason or "")


def test_the_other_file_that_sets_the_attribute_is_named() -> None:
    contents = {
        PATH: SCORE.format(sets=BRANCHES, more="").encode(),
        "far.py": b"def change(score):\n    score.step = 1\n",
    }
    (finding,) = [each for each in check(MemoryFiles(contents), Settings()).findings if each.rule == "lambdas"]
    assert "`self.step` is set again in far.py:2" in (finding.reason or "")
    contents["far.py"] = b"class Far:\n    def change(self):\n        self.step = 1\n"
    (finding,) = [each for each in check(MemoryFiles(contents), Settings()).findings if each.rule == "lambdas"]
    assert finding.fix is not None
