"""What goes under a new guard is nothing that a worker reads, in whatever file it stands."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

SHARED = "OFFSET = 0\nTABLE = {}\nLEVEL = 1\n\n\ndef configure(level):\n    global LEVEL\n    LEVEL = level\n"
WORKER = "import shared\nfrom shared import TABLE as table\n\n\ndef work(n):\n    print(n, {read})\n"
TRAIN = """\
import multiprocessing
import shared
from worker import work

first = multiprocessing.Process(target=work, args=(1,))
first.start()
{change}
second = multiprocessing.Process(target=work, args=(2,))
second.start()
"""


def files(read: str, change: str) -> dict[str, str]:
    return {
        "shared.py": SHARED,
        "worker.py": WORKER.replace("{read}", read),
        "train.py": TRAIN.replace("{change}", change),
    }


CHANGES = [
    ("shared.TABLE", "shared.TABLE['a'] = 1", "`TABLE` of shared.py"),
    ("table['a']", "shared.TABLE.update(a=1)", "`TABLE` of shared.py"),
    ("shared.OFFSET", "shared.OFFSET = 5", "`OFFSET` of shared.py"),
    ("shared.OFFSET", "setattr(shared, 'OFFSET', 5)", "`OFFSET` of shared.py"),
    ("shared.LEVEL", "shared.configure(9)", "`LEVEL` of shared.py"),
    ("shared.TABLE", "del shared.TABLE['a']", "`TABLE` of shared.py"),
]


@each_row(("read", "change", "what"), CHANGES)
def test_what_another_file_reads_is_kept(read: str, change: str, what: str) -> None:
    (reason,) = reasons(files(read, change), "main-guard")
    assert reason.startswith(f"line 7 changes {what}, which `work` (worker.py:5) reads in a worker")


@each_row(("read", "change", "what"), CHANGES)
def test_what_nobody_reads_may_change(read: str, change: str, what: str) -> None:
    assert "__main__" in migrated(files("n", change), "main-guard")["train.py"]


@pytest.mark.parametrize("change", ["shared.TABLE.flush()", "shared.TABLE.warning('second')"])
def test_what_leaves_an_object_as_it_is(change: str) -> None:
    assert "__main__" in migrated(files("shared.TABLE", change), "main-guard")["train.py"]


def test_a_flush_of_a_class_of_the_repository_may_change_its_object() -> None:
    own = "class Table(dict):\n    def flush(self):\n        self.clear()\n\n\n"
    program = files("shared.TABLE", "shared.TABLE.flush()")
    program["shared.py"] = own + SHARED.replace("TABLE = {}", "TABLE = Table()")
    (reason,) = reasons(program, "main-guard")
    assert reason.startswith("line 7 changes `TABLE` of shared.py")


def test_objects_that_are_sent() -> None:
    data = """\
import shared


class Rows:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.value(i)

    def value(self, i):
        return i + shared.OFFSET


def build():
    return Rows()
"""
    train = """\
import shared
from torch.utils.data import DataLoader
from data import build

shared.OFFSET = 3
loader = DataLoader(build(), num_workers=2)
for rows in loader:
    print(rows)
"""
    found = migrated({"shared.py": SHARED, "data.py": data, "train.py": train}, "main-guard")
    # above the guard each worker sets it as well
    assert found["train.py"].index("shared.OFFSET = 3") < found["train.py"].index("__main__")
    late = train.replace("shared.OFFSET = 3\n", "")
    late += "shared.OFFSET = 3\nfor rows in loader:\n    print(rows)\n"
    (reason,) = reasons({"shared.py": SHARED, "data.py": data, "train.py": late}, "main-guard")
    assert "which `value` (data.py:11) reads in a worker" in reason


def test_a_second_definition() -> None:
    train = """\
import multiprocessing


def scale(x):
    return x


def work(x):
    print(scale(x))


multiprocessing.Process(target=work, args=(1,)).start()


def scale(x):
    return 2 * x


multiprocessing.Process(target=work, args=(1,)).start()
"""
    (reason,) = reasons({"train.py": train}, "main-guard")
    assert reason.startswith("`scale` is defined again (line 15)")


SET_AGAIN = """\
import multiprocessing


def work(x):
    print(x, LIMIT)


LIMIT = 10

if __name__ == "__main__":
    {guarded}

{between}
process = multiprocessing.Process(target=work, args=(2,))
process.start()
"""


MODULE = """\
import multiprocessing as mp
import os

if os.name:
    os.environ["LEVEL"] = "1"
    import math


def work(x):
    return math.exp(x)


pool = mp.Pool(2)
print(pool.map(work, [1, 2]))
{line}
"""


def test_a_call_of_a_function_of_a_module_sets_no_module() -> None:
    assert migrated({"train.py": MODULE.format(line="math.fsum([1])")}, "main-guard")
    (reason,) = reasons({"train.py": MODULE.format(line="math.pi = 3")}, "main-guard")
    assert "reads `math`, which line 15 sets" in reason


def test_a_value_that_is_set_again_below_a_guard_that_starts() -> None:
    start = "multiprocessing.Process(target=work, args=(1,)).start()"
    for between in ("LIMIT += 5", "LIMIT = 15"):
        (reason,) = reasons({"train.py": SET_AGAIN.format(guarded=start, between=between)}, "main-guard")
        assert reason.startswith("line 13 sets `LIMIT` after workers were started, and `work` reads it")
    for guarded, between in ((start, "print(LIMIT)"), ("print(LIMIT)", "LIMIT += 5")):
        found = reported({"train.py": SET_AGAIN.format(guarded=guarded, between=between)}, "main-guard")
        assert any(finding.fix is not None for finding in found)


AGAIN = """\
import multiprocessing


def launch(target):
    multiprocessing.Process(target=target, args=(1,)).start()


def work(x):
    print(x)


{first}


{second}


launch({last})
"""


def test_a_second_definition_of_what_is_sent() -> None:
    again = "def work(x):\n    print(2 * x)"
    (reason,) = reasons({"train.py": AGAIN.format(first="launch(work)", second=again, last="work")}, "main-guard")
    assert reason.startswith("`work` is defined again (line 15)") and "reads" not in reason


@pytest.mark.parametrize(
    ("first", "second", "last"),
    [
        ("launch(print)", "def work(x):\n    print(2 * x)", "print"),
        ("launch(work)", "def other(x):\n    print(2 * x)", "work"),
        ("LIMIT = 3", "def work(x):\n    print(2 * x)", "work"),
    ],
)
def test_definitions_that_are_one_for_all_workers(first: str, second: str, last: str) -> None:
    train = migrated({"train.py": AGAIN.format(first=first, second=second, last=last)}, "main-guard")["train.py"]
    assert f'if __name__ == "__main__":\n    launch({last})' in train


IMPORTED = """\
import multiprocessing
{first}


def work():
    print(os.getpid(), sys.argv)


multiprocessing.Process(target=work).start()
{between}{second}
multiprocessing.Process(target=work).start()
"""


def test_the_same_import_again() -> None:
    names = "import os, sys"
    train = migrated({"train.py": IMPORTED.format(first=names, between="", second=names)}, "main-guard")["train.py"]
    assert 'if __name__ == "__main__":\n    multiprocessing.Process(target=work).start()' in train


@pytest.mark.parametrize(
    ("first", "between", "second"),
    [
        ("import sys, os", "", "import posixpath as os"),
        ("import sys\nfrom shared import os", "", "from shared import os"),
        ("import sys, os", "os = print('start') or sys\n", "import sys, os"),
    ],
)
def test_an_import_that_may_give_another_object(first: str, between: str, second: str) -> None:
    texts = IMPORTED.format(first=first, between=between, second=second)
    (reason,) = reasons({"train.py": texts, "shared.py": "import os\n"}, "main-guard")
    assert reason.startswith("`os` is defined again")


def test_the_environment() -> None:
    train = """\
import multiprocessing
import os


def work():
    print(os.environ['MODE'])


os.environ['MODE'] = 'a'
print('start')
multiprocessing.Process(target=work).start()
{again}multiprocessing.Process(target=work).start()
"""
    once = migrated({"train.py": train.replace("{again}", "")}, "main-guard")["train.py"]
    assert "__main__" in once
    twice = {"train.py": train.replace("{again}", "os.environ['MODE'] = 'b'\n")}
    other = {"train.py": train.replace("{again}", "os.environ['LEVEL'] = 'b'\n")}
    (reason,) = reasons(twice, "main-guard")
    assert reason.startswith("line 12 changes the environment, and every spawned worker would run line 9 again")
    assert "__main__" in migrated(other, "main-guard")["train.py"]


SET_TWICE = """\
import multiprocessing
import os


def work():
    print(os.environ['MODE'])


os.environ['MODE'] = {first}
multiprocessing.Process(target=work).start()
{again}
multiprocessing.Process(target=work).start()
"""


@each_row(
    ("first", "again", "guarded"),
    [
        ("'a'", "os.environ['MODE'] = 'a'", True),
        ("'a'", "os.environ['MODE'] = 'b'", False),
        ("'a'", "os.environ['MODE'] = 'b'\nos.environ['MODE'] = 'a'", False),
        ("'a'", "os.environ.pop('MODE')\nos.environ['MODE'] = 'a'", False),
        ("os.getcwd()", "os.environ['MODE'] = os.getcwd()", False),
    ],
)
def test_the_environment_is_set_twice_to_the_same(first: str, again: str, guarded: bool) -> None:
    files = {"train.py": SET_TWICE.format(first=first, again=again)}
    assert ("train.py" in migrated(files, "main-guard")) is guarded


STARTED = "multiprocessing.Process(target=work, args=(1,)).start()\n"


def script(head: str, body: str, again: str = "") -> dict[str, str]:
    """A script that starts one process, and after `again` another."""
    return {
        "train.py": f"import multiprocessing\n{head}\n\ndef work(n):\n    {body}\n\n\n{STARTED}"
        + (f"{again}\n{STARTED}" if again else "")
    }


@each_row(
    "head",
    [
        "import uuid\nRUN = uuid.uuid4().hex\n",
        "import tempfile, os\nFOLDER = tempfile.mkdtemp()\nRUN = os.path.join(FOLDER, 'a')\n",
        "import time\nRUN = time.time()\n",
        "import random\nRUN = random.random()\n",
        "import uuid\n\n\ndef make():\n    return uuid.uuid1()\n\n\nRUN = make()\n",
    ],
)
def test_values_that_are_others_each_time(head: str) -> None:
    (reason,) = reasons(script(head, "print(RUN, n)"), "main-guard")
    assert "a spawned worker would run it again and get another value: `work` reads `RUN`" in reason
    assert "__main__" in migrated(script(head, "print(n)"), "main-guard")["train.py"]


OBJECT = """\
import random
import time
import uuid


class Base:
    def __init__(self):
        self.tag = uuid.uuid4().hex


class Run(Base):
    size = 3

    def __init__(self, rows=3):
        {code}
        self.rows = rows

    def _fill(self):
        self.order = [self.rng.random()]

    def name(self):
        return f"{self.made}-{self.rows}"


run = Run()
"""


@each_row("code, read, guarded", [
    ("self.order = [random.random()]", "run.order", False),
    ("self.order = [random.random()]", "run.rows", True),
    ("self.order = [random.random()]", "vars(run)", False),
    ("self.rng = random.Random()\n        self.order = [self.rng.random()]", "run.order", False),
    ("self.rng = random.Random()\n        self.order = [self.rng.random()]", "run.rng.random()", True),
    ("self.rng = random.Random()\n        self.rng.seed(1)\n        self.order = self.rng.random()", "run.order", True),
    ("self.rng = random.Random(1)\n        self.order = [self.rng.random()]", "run.order", True),
    ("self.rng = random.Random()\n        self._fill()", "run.order", False),
    ("self.rng = random.Random()", "run.rng.random()", True),
    ("self.order = []\n        self.order.append(random.random())", "run.order", False),
    ("self.order = []\n        self.order.append(random.random())", "run.rows", True),
    ("made = uuid.uuid4()\n        self.made = made", "run.made", False),
    ("made = uuid.uuid4()\n        self.made = made", "run.rows", True),
    ("self.made = time.time()\n        print(self.made)", "run.rows", True),
    ("self.made = time.time()", "run.name()", False),
    ("super().__init__()", "run.tag", False),
    ("super().__init__()", "run.size", True),
    ("if time.time() > 3:\n            rows = 4", "run.rows", False),
])  # fmt: skip
def test_what_a_constructor_draws(code: str, read: str, guarded: bool) -> None:
    files = script(OBJECT.replace("{code}", code), f"print({read}, n)")
    if guarded:
        assert "__main__" in migrated(files, "main-guard")["train.py"]
    else:
        assert "run it again and get another value: `work` reads `run`" in reasons(files, "main-guard")[0]


def test_what_a_script_takes_from_an_object_that_draws() -> None:
    head = OBJECT.replace("{code}", "self.made = time.time()")
    assert "reads `made`" in reasons(script(head + "made = run.made\n", "print(made, n)"), "main-guard")[0]
    assert "__main__" in migrated(script(head + "rows = run.rows\n", "print(rows, n)"), "main-guard")["train.py"]
    seeded = OBJECT.replace("{code}", "self.order = random.random()").replace("run = ", "random.seed(1)\nrun = ")
    assert "__main__" in migrated(script(seeded, "print(run.order, n)"), "main-guard")["train.py"]


def test_draws_after_a_seed_are_the_same() -> None:
    head = "import random\nrandom.seed(3)\nRUN = random.random()\n"
    assert "__main__" in migrated(script(head, "print(RUN, n)"), "main-guard")["train.py"]


def test_generators_that_workers_inherit() -> None:
    head = "import numpy as np\nnp.random.seed(3)\n"
    draws = "print(np.random.rand(), n)"
    assert "__main__" in migrated(script(head, draws), "main-guard")["train.py"]
    (reason,) = reasons(script(head, draws, "np.random.seed(4)"), "main-guard")
    assert reason.startswith("line 11 calls `numpy.random.seed`, and `work` draws from that generator in a worker")
    seeds = draws.replace("print", "np.random.seed(n); print")
    assert "__main__" in migrated(script(head, seeds, "np.random.seed(4)"), "main-guard")["train.py"]


def test_what_must_stay_and_would_be_done_again() -> None:
    logs = "import logging\nlogging.basicConfig(filename='a.log', filemode='w')\nprint('begin')\n"
    assert migrated(script(logs, "logging.info('%d', n)"), "main-guard") == {}
    appends = logs.replace(", filemode='w'", "")
    assert "__main__" in migrated(script(appends, "logging.info('%d', n)"), "main-guard")["train.py"]


def test_what_prints_has_a_guard_of_its_own() -> None:
    head = "import logging\nlog = logging.getLogger('a')\nprint('begin')\nrows = list(range(3))\nlog.info('rows')\n"
    after = migrated(script(head, "log.info('%d', rows[n])"), "main-guard")["train.py"]
    assert after.count('if __name__ == "__main__":') + after.count("if __name__ == '__main__':") <= 3
    for line in ("print('begin')", "log.info('rows')"):
        assert f"\n    {line}\n" in after and f"\n{line}\n" not in after


def test_an_import_that_may_fail_stays_where_it_is() -> None:
    head = "try:\n    import numpy\nexcept ImportError:\n    print('no numpy')\n\nsizes = []\nsizes.append(3)\n"
    after = migrated(script(head, "print(n)"), "main-guard")["train.py"]
    assert after.startswith(f"import multiprocessing\n{head}")


def test_a_choice_for_functions_stays_where_it_is() -> None:
    head = "import sys\nif sys.maxsize > 3:\n    print('large')\n    size = 8\nelse:\n    size = 4\n"
    after = migrated(script(head + "\n\ndef other():\n    return size\n", "print(n)"), "main-guard")["train.py"]
    assert after.startswith(f"import multiprocessing\n{head}")


AGENT = """\
import multiprocessing


class Agent:
    def __init__(self, reward):
        self.reward = reward

    def collect(self):
        rest = (self.reward, 1)
        process = multiprocessing.Process(target=run, args=rest)
        process.start()
        process.join()


def run(reward, state):
    print(reward(state))
"""
REINFORCE = """\
import torch
from agent import Agent

net = torch.nn.Linear(1, 1)
optimizer = torch.optim.{optimizer}
counts = [0]


def reward(state):
    return {read}


def other(state):
    return net, counts


agent = Agent({passed})


def loop():
    agent.collect()
    {change}


loop()
"""


@each_row(
    ("read", "change", "optimizer", "expected"),
    [
        ("counts[0] + state", "counts[0] += 1", "Adam", "line 25 changes `counts`, which `reward` reads in a worker"),
        (
            "net(state)",
            "net.to('cpu')",
            "Adam",
            "line 25 changes `net`, which `reward` reads in a worker (the change is in line 22)",
        ),
        ("net(state)", "optimizer.step()", "Adam(net.parameters())", "`reward` reads `net` in a worker, and the main"),
        ("net(state)", "optimizer.step()", "Adam(params=net.parameters())", "`reward` reads `net` in a worker"),
        ("other(state)", "optimizer.step()", "Adam(net.parameters())", "`other` reads `net` in a worker"),
    ],
)
def test_a_function_that_is_passed_on_reads_what_is_changed(
    read: str, change: str, optimizer: str, expected: str
) -> None:
    """How it comes to the worker is not seen: the agent keeps it, and sends it in a tuple."""
    train = REINFORCE.format(read=read, change=change, optimizer=optimizer, passed="reward")
    (reason,) = reasons({"agent.py": AGENT, "train.py": train}, "main-guard")
    assert reason.startswith(expected), reason


@each_row(
    ("read", "change", "optimizer", "passed"),
    [
        ("net(state)", "optimizer.step()", "Adam", "reward"),  # nothing gets the parameters
        ("counts[0]", "print(sum(p.numel() for p in net.parameters()))", "Adam(net.parameters())", "reward"),
        ("net(state)", "optimizer.step()", "Adam(net.parameters())", "sorted([1], key=reward)"),
        ("state", "counts[0] += 1", "Adam(net.parameters())", "reward"),
        ("counts", "counts[0] += reward(1)", "Adam", "None"),
    ],
)
def test_a_function_that_stays_may_read_what_is_changed(read: str, change: str, optimizer: str, passed: str) -> None:
    train = REINFORCE.format(read=read, change=change, optimizer=optimizer, passed=passed)
    assert "__main__" in migrated({"agent.py": AGENT, "train.py": train}, "main-guard")["train.py"]


PACKAGE = {
    "lib/__init__.py": "from . import utils\nfrom .utils import note\n",
    "lib/utils.py": "LEVEL = 1\nSEEN = []\n\n\ndef note(text):\n    print(text)\n\n\n"
    "def configure(level):\n    global LEVEL\n    LEVEL = level\n\n\ndef see(x):\n    SEEN.append(x)\n",
}
OF_PACKAGE = """\
import multiprocessing
{imports}


def work(n):
    {module}.note({module}.LEVEL)
    {module}.note({module}.SEEN)


{module}.{call}
process = multiprocessing.Process(target=work, args=(1,))
process.start()
{module}.{call}
"""
BY = [("import lib", "lib.utils"), ("from lib import utils", "utils"), ("import lib.utils as u", "u")]


@pytest.mark.parametrize(("imports", "module"), BY)
def test_call_of_a_module_in_a_package_changes_nothing_by_itself(imports: str, module: str) -> None:
    train = OF_PACKAGE.format(imports=imports, module=module, call="note('x')")
    assert "__main__" in migrated({**PACKAGE, "train.py": train}, "main-guard")["train.py"]


@pytest.mark.parametrize(("imports", "module"), BY)
@pytest.mark.parametrize(("call", "name"), [("configure(9)", "LEVEL"), ("see(1)", "SEEN")])
def test_functions_of_a_module_in_a_package_that_change_it(imports: str, module: str, call: str, name: str) -> None:
    train = OF_PACKAGE.format(imports=imports, module=module, call=call)
    train = train.replace(f"{module}.{call}\n", "", 1)
    (reason,) = reasons({**PACKAGE, "train.py": train}, "main-guard")
    assert f"changes `{name}` of lib/utils.py" in reason, reason


REGISTRIES = """\
import multiprocessing

KNOWN, MARKED = [], []


def handler(name):
    def note(function):
        KNOWN.append(function)
        return function

    return note


class Base:
    kinds = {{}}

    def __init_subclass__(cls):
        cls.kinds[cls.__name__] = cls


def mark(function):
    MARKED.append(function.__name__)
    return function


class Meta(type):
    made = []

    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        Meta.made.append(name)


class First(metaclass=Meta):
    pass


def work(n):
    print(n, {read})


{above}
pool = multiprocessing.Pool(2)
pool.map(work, [1])
{below}
pool.map(work, [2])
"""
DECORATED = "@handler('second')\ndef second(n):\n    return n\n"
SUBCLASS = "class Second(Base):\n    pass\n"
OF_META = "class Second(metaclass=Meta):\n    pass\n"
BELOW_META = "class Second(First):\n    pass\n"


@each_row(
    ("read", "below", "name", "changed"),
    [
        ("len(KNOWN)", DECORATED, "second", "KNOWN"),
        ("len(MARKED)", "@mark\ndef second(n):\n    return n\n", "second", "MARKED"),
        ("Base.kinds", SUBCLASS, "Second", "Base.kinds"),
        ("Meta.made", OF_META, "Second", "Meta.made"),
        ("Meta.made", BELOW_META, "Second", "Meta.made"),
    ],
)
def test_what_a_definition_below_the_start_registers_is_not_there_too_early(
    read: str, below: str, name: str, changed: str
) -> None:
    late = {"train.py": REGISTRIES.format(read=read, above="", below=below)}
    (reason,) = reasons(late, "main-guard")
    assert f"defines `{name}`, which changes `{changed}`, and `work` reads that in a worker" in reason
    early = {"train.py": REGISTRIES.format(read=read, above=below, below="")}
    assert "__main__" in migrated(early, "main-guard")["train.py"]
    unread = {"train.py": REGISTRIES.format(read="n", above="", below=below)}
    assert "__main__" in migrated(unread, "main-guard")["train.py"]


def test_a_process_that_another_statement_starts() -> None:
    text = REGISTRIES.replace(
        "pool = multiprocessing.Pool(2)\n", "child = multiprocessing.Process(target=work, args=(1,))\n"
    )
    text = text.replace("pool.map(work, [1])", "child.start()").replace("pool.map(work, [2])", "child.join()")
    (reason,) = reasons({"train.py": text.format(read="Base.kinds", above="", below=SUBCLASS)}, "main-guard")
    assert "defines `Second`, which changes `Base.kinds`, and `work` reads that in a worker" in reason
    between = text.replace("child.start()", "").replace("child.join()", "child.start()")
    before = {"train.py": between.format(read="Base.kinds", above="", below=SUBCLASS)}
    assert "__main__" in migrated(before, "main-guard")["train.py"]


OPTIONS = """\
class Options(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class Fixed:
    run = ""

    @property
    def size(self):
        return len(self.run)


def rename(options):
    options.data["size"] = 5
    return "a"


options = Options(train=Options(run=""), data=Options(size=3))
fixed = Fixed()
"""
USES = """\
import multiprocessing
from options import fixed, options, rename


def work(n):
    print(n, {read})


first = multiprocessing.Process(target=work, args=(1,))
first.start()
{change}
second = multiprocessing.Process(target=work, args=(2,))
second.start()
"""


@each_row(
    ("read", "change", "kept"),
    [
        ("options.data.size", "options.train.run = str(4)", True),
        ("options['data']['size']", "options.train.run = 'a'", True),
        ("options.data.size", "options['train'].run = options.other = 'a'", True),
        ("options.data.size", "options.data.size = 4", False),
        ("options.data.size", "options.train.run, options.data.size = 'a', 4", False),
        ("options.data.size", "options.train.run = rename(options)", False),  # what gives the value changes more
        ("options.data.size", "options[first.name] = 'a'", False),
        ("options", "options.train.run = 'a'", False),
        ("options.get('data')", "options.train.run = 'a'", True),
        ("options[str(n)]", "options.train.run = 'a'", False),
        ("fixed.size", "fixed.run = 'a'", False),  # a property reads it
        ("fixed.size", "fixed.other = 'a'", True),
        ("options.data.size", "if first.name:\n    options.train.run = 'a'", True),
        ("options.data.size", "if first.name:\n    print(1)\nelse:\n    options.data.size = 4", False),
        ("options.data.size", "if rename(options):\n    options.train.run = 'a'", False),
    ],
)
def test_parts_that_no_worker_reads_may_change(read: str, change: str, kept: bool) -> None:
    script = USES.replace("{read}", read).replace("{change}", change)
    found = {"options.py": OPTIONS, "train.py": script}
    assert ("train.py" in migrated(found, "main-guard")) is kept


@each_row(
    ("body", "kept"),
    [
        ("seed = given\n    return seed + 1", True),
        ("if given:\n        seed = given\n    else:\n        seed = 1\n    return seed + 1", True),
        ("if given:\n        seed = given\n    return seed + 1", False),
        ("seed += given\n    return seed + 1", False),
        ("seed = seed + given\n    return seed", False),
        ("before = seed\n    seed = given\n    return before", False),
    ],
)
def test_a_global_that_a_function_of_the_worker_sets_first(body: str, kept: bool) -> None:
    seeds = f"seed = 0\n\n\ndef start(given):\n    global seed\n    {body}\n"
    worker = "import seeds\n\n\ndef work(n):\n    print(seeds.start(n))\n"
    program = {"seeds.py": seeds, "worker.py": worker, "train.py": TRAIN.replace("{change}", "seeds.start(3)")}
    program["train.py"] = program["train.py"].replace("import shared", "import seeds")
    if kept:
        assert "__main__" in migrated(program, "main-guard")["train.py"]
    else:
        (reason,) = reasons(program, "main-guard")
        assert reason.startswith("line 7 changes `seed` of seeds.py, which `start` (seeds.py:4) reads in a worker")
