"""State of the whole process that the main process alone sets, and on which workers depend; look-alikes left alone."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.transforms.main_guard.state.process_state_table import states
from harness.each_row import each_row
from harness.small import migrated, reasons, reported

TEXT = """\
import asyncio, codecs, contextlib, csv, decimal, gc, io, json, locale, logging, mimetypes, os, signal, sys, threading
import time, types, warnings
from decimal import Decimal
from unittest import mock
import multiprocessing as mp
import horovod.torch as hvd
import numpy as np
import torch
from PIL import Image, ImageFile
from torch.utils.data._utils.collate import default_collate, default_collate_fn_map
{top}

def work(x):
    {read}


def main():
    {sets}
    {start}


if __name__ == "__main__":
    main()
"""
PROCESS = "mp.Process(target=work, args=(1,)).start()"


def places(sets: str, read: str, start: str = PROCESS, top: str = "") -> list[str]:
    """Where the state is said to be set, for each finding."""
    sets, read, start = (text.replace("\n", "\n    ") for text in (sets, read, start))
    text = TEXT.format(top=top, read=read, sets=sets, start=start)
    found = reported({"train.py": text}, "main-guard")
    assert all("depends on" in each.message and each.fix is None and each.reason for each in found)
    lines = text.splitlines()
    return [lines[each.trace[0].line - 1].strip() for each in found]


STATE = [
    ("np.random.seed(3)", "return np.random.rand()"),
    ("torch.manual_seed(3)", "return torch.randn(2)"),
    ("torch.set_default_dtype(torch.float64)", "return torch.zeros(2)"),
    ("torch.set_default_dtype(torch.float64)", "return torch.tensor([x, 0.5])"),
    ("torch.set_default_dtype(torch.float64)", "return torch.tensor([float(x)])"),
    ("decimal.getcontext().prec = 5", "return Decimal(1) / x"),
    ("context = decimal.getcontext()\ncontext.prec = 5", "return Decimal(1) / x"),
    ("decimal.getcontext().traps[decimal.Inexact] = True", "return Decimal(1) / x"),
    ("decimal.setcontext(decimal.BasicContext)", "return Decimal(1) / x"),
    ("warnings.simplefilter('error')", "try:\n    return old(x)\nexcept DeprecationWarning:\n    return 0"),
    ("warnings.filterwarnings('error', category=UserWarning)", "warnings.warn('odd')"),
    ("warnings.showwarning = print", "warnings.warn('odd')"),
    ("logging.setLoggerClass(logging.Logger)", "logging.getLogger('x')"),
    ("logging.setLogRecordFactory(logging.LogRecord)", "logging.getLogRecordFactory()"),
    ("warnings.simplefilter('error' if sys.argv else 'ignore')", "warnings.warn('odd')"),
    ("how = 'ignore' if sys.argv else 'error'\nwarnings.simplefilter(how)", "warnings.warn('odd')"),
    ("locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')", "return locale.currency(x)"),
    ("sys.setrecursionlimit(9000)", "return 1 + work(x - 1) if x else 0"),
    ("np.set_printoptions(precision=2)", "return str(np.arange(3) / x)"),
    ("np.set_printoptions(precision=2)", "rng = np.random.default_rng(x)\nprint(rng.standard_normal(3))"),
    ("np.set_printoptions(precision=2)", "rng = np.random.default_rng(x)\nprint(rng.normal(size=3))"),
    ("np.set_printoptions(precision=2)", "rng = np.random.default_rng(x)\nprint(rng.random(3))"),
    *(
        ("np.set_printoptions(precision=2)", f"rng = np.random.RandomState(x)\nprint(rng.{draws})")
        for draws in ("random_sample(3)", "rand(3)", "randn(3)", "permutation(3)", "normal(0, 1, 3)")
    ),
    ("np.set_printoptions(precision=2)", "row = np.arange(3)\nreturn f'{row.reshape(1, 3)}'"),
    ("np.seterr(all='raise')", "try:\n    return np.float64(1) / x\nexcept FloatingPointError:\n    return 0"),
    ("sys.stdout = open('log.txt', 'w')", "print(x)"),
    ("signal.signal(signal.SIGUSR1, print)", "os.kill(os.getpid(), signal.SIGUSR1)"),
    ("signal.signal(signal.SIGALRM, print)", "signal.alarm(1)"),
    ("codecs.register_error('dots', print)", "return x.encode('ascii', errors='dots')"),
    ("csv.register_dialect('pipes', delimiter='|')", "return list(csv.reader(x, 'pipes'))"),
    ("mimetypes.add_type('a/b', '.b')", "return mimetypes.guess_type(x)"),
    ("json.JSONEncoder.default = lambda self, x: str(x)", "return json.dumps({x})"),
    ("codecs.register(print)", "return codecs.lookup(x)"),
    ("default_collate_fn_map[set] = max", "return default_collate([x])"),
    ("default_collate_fn_map[set] = max", "return set in default_collate_fn_map"),
    ("ImageFile.LOAD_TRUNCATED_IMAGES = True", "return Image.open(x)"),
    ("threading.excepthook = print", "threading.Thread(target=print).start()"),
    ("sys.modules['fast'] = types.ModuleType('fast')", "import fast\nreturn fast"),
    ("logging.basicConfig(stream=sys.stdout)", "logging.info(x)"),
    ("logging.basicConfig(filename='a.log')", "logging.getLogger(__name__).info(x)"),
    ("handler = logging.FileHandler('a.log')\nlogging.getLogger().addHandler(handler)", "logging.info(x)"),
    ("logging.getLogger('jobs').addHandler(logging.FileHandler('a.log'))", "logging.getLogger('jobs.one').info(x)"),
    ("logging.getLogger().addHandler(logging.FileHandler('a.log'))", "logging.getLogger('jobs').info(x)"),
    ("logging.getLogger(__name__).addHandler(logging.FileHandler('a.log'))", "logging.getLogger(__name__).info(x)"),
    ("torch.distributed.init_process_group('gloo')", "return torch.distributed.get_rank()"),
    ("hvd.init()", "np.random.seed(hvd.rank() + x)"),
    ("json.dumps = len", "return json.dumps(x)"),
    ("setattr(json, 'dumps', len)", "return json.dumps(x)"),
]


@each_row(("sets", "read"), STATE)
def test_a_worker_depends_on_what_main_sets(sets: str, read: str) -> None:
    assert places(sets, read) == [sets.splitlines()[-1]]


def test_a_filter_that_may_stay_as_it_was_in_the_loop_before() -> None:
    sets = "for at in sys.argv:\n    how = 'error' if at else how\n    warnings.simplefilter(how)"
    assert places(sets, "warnings.warn('odd')") == ["warnings.simplefilter(how)"]


@each_row(
    ("sets", "read"),
    [
        pytest.param("np.random.seed(3)", "return x", id="it draws nothing"),
        pytest.param("np.random.seed(3)", "np.random.seed(x)\nreturn np.random.rand()", id="it seeds itself"),
        pytest.param("np.random.seed(3)", "return np.random.default_rng(x).random()", id="a generator of its own"),
        pytest.param("torch.manual_seed(3)", "return torch.randn(2, generator=x)", id="a generator that is passed"),
        pytest.param("torch.set_default_dtype(torch.float32)", "return torch.zeros(2)", id="the default itself"),
        pytest.param("torch.set_default_dtype(torch.float64)", "return torch.zeros(2, dtype=x)", id="it says which"),
        pytest.param("torch.set_default_dtype(torch.float64)", "return torch.tensor([1, 2])", id="whole numbers"),
        pytest.param("torch.set_default_dtype(torch.float64)", "return torch.tensor(x)", id="of what it is given"),
        pytest.param("torch.set_default_dtype(torch.float64)", "return isinstance(x, torch.Tensor)", id="a test"),
        pytest.param(
            "np.set_printoptions(precision=2)",
            "rng = np.random.default_rng(x)\nprint(rng.integers(1, 6), rng.random())",
            id="single numbers",
        ),
        pytest.param("np.set_printoptions(precision=2)", "row = np.ones(3)\nprint(row.mean(), row.shape)", id="a mean"),
        pytest.param("warnings.simplefilter('ignore')", "warnings.warn('odd')", id="seen on stderr only"),
        pytest.param(
            "warnings.simplefilter('once' if sys.argv else 'ignore')", "warnings.warn('odd')", id="both on stderr only"
        ),
        pytest.param("locale.setlocale(locale.LC_ALL)", "return locale.currency(x)", id="a question"),
        pytest.param("sys.setrecursionlimit(9000)", "return x", id="no recursion"),
        pytest.param("sys.stdout = open('log.txt', 'w')", "print(x, file=sys.stderr)", id="to another stream"),
        pytest.param("sys.stdout = sys.__stdout__", "print(x)", id="it is given back"),
        pytest.param("old = sys.stdout\nsys.stdout = io.StringIO()\nsys.stdout = old", "print(x)", id="set back"),
        pytest.param(
            "old = sys.stdout\ntry:\n    sys.stdout = io.StringIO()\nfinally:\n    sys.stdout = old",
            "print(x)",
            id="set back at the end",
        ),
        pytest.param("signal.signal(signal.SIGUSR1, print)", "os.kill(x, signal.SIGUSR2)", id="another signal"),
        pytest.param(
            "codecs.register_error('dots', print)", "return x.encode('ascii', 'ignore')", id="another handler"
        ),
        pytest.param("logging.basicConfig(level=logging.INFO)", "logging.info(x)", id="the log on stderr"),
        pytest.param("logging.basicConfig(filename='a.log')", "return torch.log(x)", id="a logarithm"),
        pytest.param(
            "logging.getLogger('jobs').addHandler(logging.FileHandler('a.log'))", "logging.info(x)", id="another logger"
        ),
        pytest.param(
            "logging.getLogger('jobs').addHandler(logging.FileHandler('a.log'))",
            "logging.getLogger('jobsite').info(x)",
            id="a logger that is not below it",
        ),
        pytest.param(
            "torch.distributed.init_process_group('gloo')",
            "torch.distributed.init_process_group('gloo')\nreturn torch.distributed.get_rank()",
            id="a rank that joins the group itself",
        ),
        pytest.param("hvd.init()", "hvd.init()\nreturn hvd.rank()", id="a worker that starts Horovod itself"),
        pytest.param("torch.distributed.is_available()", "return torch.distributed.get_rank()", id="nobody joins"),
        pytest.param("json.dumps = len", "return json.loads(x)", id="another function"),
        pytest.param("sys.argv = ['a']", "return sys.argv", id="a child gets the arguments of its parent"),
        pytest.param("os.chdir('a')", "return os.getcwd()", id="and its folder"),
        pytest.param("os.environ['A'] = 'b'", "return os.environ['A']", id="and its environment"),
    ],
)
def test_look_alikes(sets: str, read: str) -> None:
    assert places(sets, read) == []


@each_row(
    "shown",
    [
        *(f"{name}(row.cumsum())" for name in ("float", "int", "len", "sum", "max", "min", "round", "bool")),
        *(f"row.{name}()" for name in ("item", "sum", "mean", "max", "min", "tolist", "round", "dot")),
        "', '.join(row)",
        "str(row.item())",
    ],
)
def test_numbers_of_a_library_are_shown_as_those_of_python(shown: str) -> None:
    sets = "np.set_printoptions(precision=2)"
    assert places(sets, f"row = np.arange(x)\nprint({shown})") == []
    assert places(sets, f"row = np.arange(x)\nprint({shown}, row.cumsum())") == [sets]


@each_row(
    ("calls", "found"),
    [("self.depth(x - 1)", True), ("x.depth()", False), ("self.width(x)", False), ("depth(x)", False)],
)
def test_a_method_that_calls_itself(calls: str, found: bool) -> None:
    top = f"class Tree:\n    def depth(self, x):\n        return 1 + {calls}\n"
    sets = "sys.setrecursionlimit(9000)"
    assert places(sets, "return Tree().depth(x)", top=top) == [sets] * found


SEED, DRAW = "np.random.seed(3)", "return np.random.rand()"


@each_row(
    ("sets", "start", "top"),
    [
        pytest.param("pass", PROCESS, SEED, id="at the top, which an import repeats"),
        pytest.param("pass", f"{PROCESS}\n{SEED}", "", id="after the start"),
        pytest.param("pass", f"with mp.Pool(1) as pool:\n    {SEED}\n    pool.map(work, [1])", "", id="of a pool, too"),
        pytest.param(SEED, "mp.get_context('spawn').Process(target=work).start()", "", id="spawned today"),
        pytest.param("np.seterr(all='raise')", "torch.multiprocessing.spawn(work)", "", id="spawned by torch"),
    ],
)
def test_what_no_worker_has_today(sets: str, start: str, top: str) -> None:
    assert places(sets, f"np.float64(1) / 0\n{DRAW}", start, top) == []


RUNNER = """\
class Runner:
    def __init__(self):
        self.context = mp.get_context({method})
        self.pool = self.context.Pool(1)
    def run(self):
        return self.pool.map(work, [1])
"""


@each_row(
    ("start", "top", "found"),
    [
        ("with mp.Pool(1) as pool:\n    pool.map(work, [1])", "", True),
        ("with mp.get_context('fork').Pool(1) as pool:\n    pool.map(work, [1])", "", False),
        ("context = mp.get_context(method='fork')\ncontext.Pool(1).map(work, [1])", "", False),
        ("context = mp.get_context()\ncontext.Pool(1).map(work, [1])", "", True),
        ("context = mp.get_context('fork')\nmp.Pool(1).map(work, [1])", "", True),
        ("context = mp if x else mp.get_context('fork')\ncontext.Pool(1).map(work, [1])", "", True),
        ("pool = mp.get_context('fork').Pool(1)\npool = mp.Pool(1)\npool.map(work, [1])", "", True),
        ("Runner().run()", RUNNER.format(method="'fork'"), False),
        ("Runner().run()", RUNNER.format(method="method='fork'"), False),
        ("Runner().run()", RUNNER.format(method=""), True),
    ],
)
def test_a_pool_of_a_fork_context_has_the_seed(start: str, top: str, found: bool) -> None:
    assert places(SEED, DRAW, start, top) == [SEED] * found


def sure_of_seed(start: str) -> list[Confidence]:
    text = TEXT.format(top="", read=DRAW, sets=SEED, start=start)
    return [each.confidence for each in reported({"a.py": text}, "main-guard", confidence=Confidence.POSSIBLE)]


def test_a_seed_that_is_meant_for_ranks() -> None:
    """`mp.spawn` gives them none, under any start method: what is fixed for them is no loss."""
    start = "torch.multiprocessing.spawn(work, args=(lambda: 1,))"
    assert sure_of_seed(start) == [Confidence.POSSIBLE]  # nothing changes there
    assert sure_of_seed(PROCESS) == [Confidence.LIKELY]
    assert places(SEED, f"{SEED}\n{DRAW}", start) == []
    text = (
        f"import torch, numpy as np\n\n\ndef work(rank, x):\n    {DRAW}\n\n\ndef main():\n    {SEED}\n    {start}\n\n\n"
    )
    assert migrated({"a.py": text + 'if __name__ == "__main__":\n    main()\n'}, "lambdas")


def test_in_a_with_statement() -> None:
    inside = f"with contextlib.redirect_stdout(io.StringIO()):\n    {PROCESS}"
    assert places("pass", "print(x)", inside) == ["with contextlib.redirect_stdout(io.StringIO()):"]
    before = f"with contextlib.redirect_stdout(io.StringIO()):\n    pass\n{PROCESS}"
    assert places("pass", "print(x)", before) == []


LOADER = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __getitem__(self, index):
        return {read}

def main():
    {sets}
    for row in DataLoader(Rows(), num_workers=2):
        print(row)

if __name__ == "__main__":
    main()
"""


@each_row(
    ("sets", "read", "found"),
    [
        ("torch.manual_seed(3)", "torch.rand(1)", False),  # loaders seed their workers
        ("np.random.seed(3)", "np.random.rand()", False),
        ("torch.set_default_dtype(torch.float64)", "torch.linspace(0, 1, 3)", True),
        ("Rows.__getitem__ = None", "index", True),
    ],
)
def test_workers_of_loaders(sets: str, read: str, found: bool) -> None:
    assert bool(reported({"train.py": LOADER.format(sets=sets, read=read)}, "main-guard")) is found


def test_rows_are_whole() -> None:
    assert len(states()) > 20
    assert all(state.what and state.sets and state.reads for state in states())


def test_a_log_is_told_once_for_all_kinds_of_messages() -> None:
    sets = "logging.basicConfig(filename='a.log', level=logging.DEBUG)"
    assert places(sets, "logging.info(x)\nlogging.debug(x)\nlogging.error(x)") == [sets]


FLAGS = """\
import sys
from multiprocessing import Pool
from absl import app, flags
{top}

def work(x):
    {read}

def main(argv):
    {start}

if __name__ == "__main__":
    {run}
"""


@each_row(
    ("read", "found", "more"),
    [
        ("return FLAGS.out + x", True, {}),
        ("return flags.FLAGS.out + x", True, {}),
        ("return OUT.out + x", True, {"top": "from absl.flags import FLAGS as OUT"}),
        ("return FLAGS.out + x", True, {"run": "FLAGS(sys.argv)\n    main([])"}),
        ("return FLAGS.get_flag_value('out', None) + x", True, {}),
        ("return FLAGS.flag_values_dict()['out'] + x", True, {}),
        ("return len(FLAGS.flags_by_module_dict()) + x", False, {}),  # of modules, not of what was parsed
        ("FLAGS.set_default('out', x)", False, {}),
        ("FLAGS(sys.argv)\n    return FLAGS.out + x", False, {}),
        ("return FLAGS.out + x", False, {"start": "Pool(1, parse).map(work, 'ab')"}),
        ("return FLAGS.out + x", False, {"top": "FLAGS = flags.FLAGS\nFLAGS(sys.argv)"}),
        ("return FLAGS.out + x", False, {"top": "FLAGS = flags.FLAGS\nFLAGS.mark_as_parsed()"}),
        ("return FLAGS.out + x", False, {"start": "work('a')"}),
        ("return FLAGS.out + x", False, {"top": "import tensorflow as tf\nFLAGS = tf.compat.v1.flags.FLAGS"}),
        ("return FLAGS.out + x", False, {"top": "FLAGS = make(flags.FLAGS)"}),
        ("return FLAGS.out + x", False, {"run": "main([])"}),
        ("return x", False, {}),
    ],
)
def test_flags_of_absl_are_parsed_where_they_are_run(read: str, found: bool, more: dict[str, str]) -> None:
    top = "FLAGS = flags.FLAGS\n\ndef parse():\n    flags.FLAGS(sys.argv)\n"
    text = FLAGS.format(**{"top": top, "start": "Pool(1).map(work, 'ab')", "run": "app.run(main)", **more}, read=read)
    assert ["the flags of absl" in each.message for each in reported({"a.py": text}, "main-guard")] == [True] * found


TOOLS = """\
def helper(x):
    return x

def scale(x):
    return helper(x)

class Model:
    def run(self, x):
        return x
"""
POOL = """\
def work(x):
    return {read}

def main():
    {change}
    with Pool(1) as pool:
        pool.map(work, [1])

if __name__ == "__main__":
    main()
"""
RUN = f"""\
import tools
from tools import Model
from unittest import mock
from multiprocessing import Pool

{POOL}"""


@each_row(
    ("change", "read", "found"),
    [
        ("tools.scale = len", "tools.scale(x)", True),
        ("tools.helper = len", "tools.scale(x)", True),  # in what that calls
        ("setattr(tools, 'scale', len)", "tools.scale(x)", True),
        ("mock.patch('tools.scale', len).start()", "tools.scale(x)", True),
        ("mock.patch.object(tools, 'scale', len).start()", "tools.scale(x)", True),
        ("import unittest.mock\n    unittest.mock.patch('tools.scale', len).start()", "tools.scale(x)", True),
        ("import unittest.mock\n    unittest.mock.patch.object(tools, 'scale', len).start()", "tools.scale(x)", True),
        ("Model.run = len", "Model().run(x)", True),
        ("tools.Model.run = len", "Model().run(x)", True),
        ("work.factor = 3", "work.factor", True),
        ("tools.other = len", "tools.scale(x)", False),
        ("model = Model()\n    model.run = len", "Model().run(x)", False),  # of one object
        ("scale = len", "tools.scale(x)", False),
    ],
)
def test_what_is_replaced(change: str, read: str, found: bool) -> None:
    files = {"tools.py": TOOLS, "train.py": RUN.format(change=change, read=read)}
    assert bool(reported(files, "main-guard")) is found


VALUES = f"""\
import os, random, sys, time, uuid
from multiprocessing import Pool

{{value}}

{POOL}"""


@each_row(
    ("value", "change", "found"),
    [
        ("RUN = uuid.uuid4().hex", "pass", True),
        ("RUN = [random.random() for _ in range(3)]", "pass", True),
        ("RUN = time.strftime('%H%M')", "pass", True),
        ("RUN = os.environ.get('RUN', 'a')", "os.environ['RUN'] = 'b'", True),
        ("RUN = os.environ['RUN']", "os.environ.setdefault('RUN', 'b')", True),
        ("RUN = os.getcwd()", "os.chdir('a')", True),
        ("RUN = os.getcwd()", "os.fchdir(3)", True),
        ("from pathlib import Path\nRUN = Path.cwd()", "os.chdir('a')", True),
        ("RUN = os.environb[b'RUN']", "os.environ['RUN'] = 'b'", True),
        ("RUN = os.getenv('RUN')", "os.environ['RUN'] = 'b'", True),
        ("RUN = sys.argv[1:]", "sys.argv.pop()", True),
        ("RUN = sys.argv[1:]", "sys.argv[1] = 'a'", True),
        ("random.seed(1)\nRUN = random.random()", "pass", False),
        ("RUN = os.environ.get('RUN', 'a')", "os.environ['OTHER'] = 'b'", False),
        ("RUN = os.environ.get('RUN', 'a')", "pass", False),
        ("RUN = os.path.abspath(__file__)", "os.chdir('a')", False),
        ("RUN = os.getcwd()", "pass", False),
        ("RUN = f'log_{os.getpid()}.txt'", "pass", False),
        ("RUN = sys.argv[1:]", "print(sys.argv)", False),
        ("RUN = lambda: time.time()", "pass", False),
    ],
)
def test_values_of_the_import(value: str, change: str, found: bool) -> None:
    assert bool(reported({"train.py": VALUES.format(value=value, change=change, read="RUN")}, "main-guard")) is found
    assert not reported({"train.py": VALUES.format(value=value, change=change, read="x")}, "main-guard")


def test_a_module_that_is_imported_after_the_change() -> None:
    files = {
        "conf.py": "import os\nRUN = os.environ.get('RUN', 'a')\n",
        "train.py": VALUES.format(value="", change="os.environ['RUN'] = 'b'", read="late(x)").replace(
            "def work", "def late(x):\n    import conf\n    return conf.RUN\n\ndef work"
        ),
    }
    assert not reported(files, "main-guard")


@each_row(
    ("hook", "found"),
    [
        ("os.register_at_fork(after_in_child=print)", True),
        ("import multiprocessing.util\nmultiprocessing.util.register_after_fork(RUN, print)", True),
        ("os.register_at_fork(after_in_parent=print)", False),
        ("KEPT = {}\nos.register_at_fork(after_in_child=lambda: KEPT.clear())", False),
        ("KEPT = []\nos.register_at_fork(after_in_child=KEPT.clear)", False),
        ("KEPT = {'a': 1}\nos.register_at_fork(after_in_child=KEPT.clear)", True),
        ("KEPT = {}\nKEPT['a'] = 1\nos.register_at_fork(after_in_child=KEPT.clear)", True),
        ("KEPT = dict()\ndef again():\n    KEPT.clear()\nos.register_at_fork(after_in_child=again)", False),
        (
            "KEPT = None\ndef again():\n    global KEPT\n    KEPT = None\nos.register_at_fork(after_in_child=again)",
            False,
        ),
        ("KEPT = 0\ndef again():\n    global KEPT\n    KEPT = 1\nos.register_at_fork(after_in_child=again)", True),
        ("KEPT = {}\ndef again():\n    KEPT.clear()\n    seed()\nos.register_at_fork(after_in_child=again)", True),
        ("len('a')", False),
    ],
)
def test_hooks_of_forked_children(hook: str, found: bool) -> None:
    text = VALUES.format(value="RUN = 1", change="pass", read="RUN").replace("def main", f"{hook}\n\ndef main")
    assert bool(reported({"train.py": text}, "main-guard")) is found


FAR = {
    "lab/__init__.py": "",
    "lab/jobs.py": "import multiprocessing as mp\nimport numpy as np\n\ndef work(x):\n    return np.random.rand()\n\n\n"
    "def start():\n    mp.Process(target=work, args=(1,)).start()\n",
    "lab/train.py": "from lab.jobs import start\n\ndef train():\n    start()\n",
    "main.py": "from lab.train import train\nfrom lab import seeds\n\n"
    'if __name__ == "__main__":\n    seeds.seed()\n    train()\n',
    "lab/seeds.py": "import numpy as np\n\ndef seed():\n    np.random.seed(3)\n",
}


def test_a_state_that_a_file_sets_which_nothing_near_the_start_imports() -> None:
    assert not reported(FAR, "main-guard")
    near = {**FAR, "lab/train.py": FAR["lab/train.py"] + "\nfrom lab import seeds\n"}
    assert [each.trace[0].path for each in reported(near, "main-guard")] == ["lab/seeds.py"]


def test_a_state_that_the_same_function_sets_back() -> None:
    sets = "torch.set_default_dtype(torch.float64)\nbuild()\ntorch.set_default_dtype(torch.float32)"
    assert not places(sets, "return torch.zeros(2)")


@pytest.mark.parametrize(
    ("sets", "read", "held"),
    [
        ("sys.stdout = open('log.txt', 'w')", "print(x)", False),
        ("torch.set_default_dtype(torch.float64)", "return torch.zeros(2)", True),
    ],
)
def test_a_fix_is_held_back_by_what_changes_results_alone(sets: str, read: str, held: bool) -> None:
    start = "mp.Process(target=work, args=(lambda: 1,)).start()"
    text = TEXT.format(top="", read=read, sets=sets, start=start)
    (found,) = reported({"train.py": text}, "lambdas")
    assert found.fix is not None
    assert (found.fix.unsafe is not None) is held


BESIDE = """\
class Trainer{base}:
    def __init__(self):
        self.reporter = Reporter(self)

    def run(self):
        return np.random.rand()

class Reporter:
    def __init__(self, trainer):
        self.trainer = trainer
        mp.Process(target=self.report).start()

    def report(self):
        print("done")
"""


@each_row(
    ("base", "found"), [("", False), ("(object)", False), ("(mp.Process)", True), ("(mp.get_context().Process)", True)]
)
def test_run_of_what_goes_along_with_the_target_of_a_process(base: str, found: bool) -> None:
    assert bool(places("np.random.seed(3)", "pass", "Trainer().run()", BESIDE.format(base=base))) is found


GROUP = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset

class Share:
    def update(self):
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        return self.rank

class Rows(IterableDataset):
    def __init__(self):
        self.share = Share()
        {early}

    def __iter__(self):
        {late}

def main(backend):
    if backend:
        dist.init_process_group(backend)
    else:
        dist.init_process_group("gloo")
    for row in DataLoader(Rows(), num_workers=2):
        print(row)

if __name__ == "__main__":
    main("nccl")
"""


@pytest.mark.parametrize(
    ("early", "late", "found"),
    [
        pytest.param("pass", "yield self.share.update()", 1, id="a worker asks, by what the dataset keeps"),
        pytest.param("pass", "yield dist.get_world_size()", 1, id="a worker asks"),
        pytest.param("self.rank = self.share.update()", "yield self.rank", 0, id="main asks"),
    ],
)
def test_a_loaders_worker_has_no_process_group(early: str, late: str, found: int) -> None:
    rows = reported({"train.py": GROUP.format(early=early, late=late)}, "main-guard")
    assert ["process group" in row.message and "__init__" in (row.reason or "") for row in rows] == [True] * found


@each_row(
    ("level", "call", "found"),
    [
        ("level=logging.INFO, ", "debug", False),
        ("level='WARNING', ", "debug", False),
        ("", "debug", False),
        ("level=logging.DEBUG, ", "debug", True),
        ("level=LEVEL, ", "debug", True),
        ("level=logging.INFO, ", "info", True),
        ("", "info", True),  # a logger may have a level of its own
        ("level=logging.WARNING, ", "info", False),
        ("level=logging.WARNING, ", "warning", True),
    ],
)
def test_details_that_the_log_leaves_out(level: str, call: str, found: bool) -> None:
    sets = f"logging.basicConfig({level}filename='a.log')"
    assert bool(places(sets, f"logging.{call}('at %s', x)")) == found


JOBS = {
    "jobs.py": "import multiprocessing as mp\nimport numpy as np\n\ndef work(x):\n    return np.random.rand()\n\n\n"
    "def start():\n    mp.Process(target=work, args=(1,)).start()\n\n\ndef rows():\n    return [1]\n",
    "train.py": "import jobs\n\ndef plot():\n    jobs.start()\n\ndef size():\n    return 3\n\n"
    'if __name__ == "__main__":\n    plot()\n',
}


@each_row(
    ("imports", "does", "found"),
    [
        ("from jobs import rows", "rows()", False),  # another function
        ("from jobs import rows, start", "start()", True),  # the function
        ("import jobs", "jobs.start()", True),  # by its module
        ("import jobs", "getattr(jobs, 'start')()", True),  # by its name
        ("from jobs import *", "start()", True),  # by a star
        ("from typing import *\nimport jobs", "(start := 1)", False),  # a star of something else
        ("import jobs\nfrom train import size", "size()", False),  # a script that calls it under its guard
        ("import jobs\nfrom train import plot", "plot()", True),  # a function that calls it
    ],
)
def test_a_script_that_never_starts_the_workers(imports: str, does: str, found: bool) -> None:
    script = f"import numpy as np\n{imports}\n\nif __name__ == '__main__':\n    np.random.seed(3)\n    {does}\n"
    assert bool(reported({**JOBS, "sample.py": script}, "main-guard")) == found


JOB = """\
import logging
import multiprocessing as mp


class Job:
    def __init__(self, log):
        self.log = {made}

    def run(self):
        self.log.info("ran")


if __name__ == "__main__":
    logging.basicConfig(filename="a.log", level=logging.INFO)
    mp.Process(target=Job(print).run).start()
"""


@each_row(
    ("made", "found"),
    [
        ("logging.getLogger('jobs')", True),
        ("logging.LoggerAdapter(logging.getLogger('jobs'), {})", True),
        ("log", False),
        ("Log('jobs')", False),
    ],
)
def test_a_logger_that_an_object_keeps(made: str, found: bool) -> None:
    findings = reported({"a.py": JOB.format(made=made)}, "main-guard")
    assert ["`self.log.info`" in each.message for each in findings] == [True] * found


@pytest.mark.parametrize("keyword", ["worker_init_fn", "initializer"])
@pytest.mark.parametrize(
    "sets",
    [
        "seed = lambda n: np.random.seed(n)\nmake(2, {}=seed)",
        "make(2, {}=lambda n: np.random.seed(n))",
    ],
)
def test_what_workers_begin_with(keyword: str, sets: str) -> None:
    read, top = "return np.random.rand()", "from loaders import make"
    assert places(sets.format(keyword), read, top=top) == []
    assert places(sets.format("seed"), read, top=top)


STARTED = """\
import horovod.torch as hvd
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

hvd.init()


def seed(index):
    np.random.seed({seed})


def main():
    for batch in DataLoader(TensorDataset(torch.arange(8)), num_workers=2, worker_init_fn=seed):
        print(batch)


if __name__ == "__main__":
    main()
"""


def test_no_guard_around_what_workers_ask() -> None:
    """Each worker that runs the script again starts Horovod again, and `hvd.rank()` fails in one that does not."""
    (reason,) = reasons({"train.py": STARTED.format(seed="hvd.rank() + index")}, "main-guard")
    assert "`hvd.rank`" in reason and "sets in the main process only" in reason
    assert migrated({"train.py": STARTED.format(seed="index")}, "main-guard")
