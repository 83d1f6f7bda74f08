"""main-guard: what starts processes is judged by what a function is given, call by call."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "main-guard"
HEAD = """\
import multiprocessing as mp
from torch.utils.data import DataLoader

def run(loader):
    for batch in loader:
        print(batch)

"""
WITH, WITHOUT = "DataLoader(rows, num_workers=2)", "DataLoader(rows)"


@each_row(
    ("calls", "line"),
    [
        pytest.param(f"run({WITHOUT})\nrun({WITH})\n", 2, id="the second"),
        pytest.param(f"run({WITH})\nrun({WITHOUT})\n", 1, id="the first"),
        pytest.param(f"run(loader={WITHOUT})\nrun(loader={WITH})\n", 2, id="by name"),
        pytest.param(f"run({WITHOUT})\nrun(other={WITH})\n", None, id="another name"),
        pytest.param(f"run({WITHOUT})\nrun({WITHOUT})\n", None, id="neither"),
        pytest.param(f"run({WITHOUT})\nrun(*{WITH})\n", None, id="starred"),
    ],
)
def test_one_function_called_twice(calls: str, line: int | None) -> None:
    found = reported({"a.py": HEAD + calls}, RULE)
    places = [hop.line for each in found for hop in each.trace if hop.what == "`run` is called here"]
    assert places == ([] if line is None else [HEAD.count("\n") + line])
    assert len(found) == (line is not None)


@each_row(
    ("workers", "certain"),
    [
        ("num_workers=2", ["proven"]),
        ("num_workers=os.cpu_count()", ["likely"]),
        ("num_workers=n", []),
        ("num_workers=0", []),
        ("1, False, None, None, 4", ["proven"]),  # batch_size, shuffle, sampler, batch_sampler, num_workers
        ("1, False, None, None, 0", []),
        ("1, False, None, 4", []),
        ("1, False, None, None, 4, None", ["proven"]),
        ("1, False, None, None, None, 4", []),
    ],
)
def test_the_number_of_workers(workers: str, certain: list[str]) -> None:
    text = HEAD + f"for batch in DataLoader(rows, {workers}):\n    print(batch)\n"
    assert [each.confidence.value for each in reported({"a.py": text}, RULE)] == certain


@each_row(
    "loop",
    [
        pytest.param("l = [DataLoader(rows, num_workers=2)]\nfor b in l[0]:\n    pass\n", id="from a list"),
        pytest.param("l = {1: DataLoader(rows, num_workers=2)}\nfor b in l[1]:\n    pass\n", id="from a dict"),
        pytest.param(
            "l = {k: DataLoader(rows, num_workers=2) for k in 'ab'}\nfor b in l['a']:\n    pass\n",
            id="from a dict comp",
        ),
        pytest.param(
            "for b in DataLoader(rows) if tiny else DataLoader(rows, num_workers=2):\n    pass\n", id="one of two"
        ),
        pytest.param("a, b = DataLoader(rows, num_workers=2), 1\nfor x in a:\n    pass\n", id="one of a pair"),
        pytest.param("for x, y in zip(DataLoader(rows, num_workers=2), rows):\n    pass\n", id="zipped"),
        pytest.param("print(list(DataLoader(rows, num_workers=2)))\n", id="listed"),
        pytest.param("print([b for b in DataLoader(rows, num_workers=2)])\n", id="in a comprehension"),
        pytest.param(
            "def make():\n    return DataLoader(rows, num_workers=2)\nfor b in make():\n    pass\n", id="made"
        ),
        pytest.param(
            "def make():\n    return 1, DataLoader(rows, num_workers=2)\na, b = make()\nfor x in b:\n    pass\n",
            id="made with another",
        ),
        pytest.param("cfg = dict(num_workers=2)\nfor b in DataLoader(rows, **cfg):\n    pass\n", id="by settings"),
        pytest.param(
            "import os\nstart = os.environ.get('START', 'fork')\n"
            "l = DataLoader(rows, num_workers=2, multiprocessing_context=os.environ.get('START', 'fork'))\n"
            "for b in l:\n    pass\n",
            id="fork only where nothing is asked for",
        ),
        pytest.param(
            "class T:\n    def __init__(self):\n        self.a, self.l = 1, None\n"
            "        self.l = DataLoader(rows, num_workers=2)\n        for b in self.l:\n            pass\nT()\n",
            id="an attribute",
        ),
    ],
)
def test_loaders_by_way_of(loop: str) -> None:
    assert len(reported({"a.py": HEAD + loop}, RULE)) == 1


@each_row(
    ("text", "starts"),
    [
        ("from data import *\nlist(loader)\n", True),
        ("import data\nlist(data.loader)\n", True),
        ("import data as d\nfor batch in d.loader:\n    pass\n", True),
        ("import data\nloader = data.loader\nfor batch in loader:\n    pass\n", True),
        ("import data\nlist(data.rows)\n", False),
        ("import data\nlist(data.made)\n", False),
    ],
)
def test_a_loader_of_another_module(text: str, starts: bool) -> None:
    files = {"data.py": f"{HEAD}rows = [1]\nloader = DataLoader(rows, num_workers=2)\n", "a.py": text}
    assert [finding.path for finding in reported(files, RULE)] == ["a.py"] * starts


@each_row(
    "text",
    [
        pytest.param("p = mp.Process(target=print)\n", id="a process that is not started"),
        pytest.param(
            "for b in DataLoader(rows, num_workers=2, multiprocessing_context='fork'):\n    pass\n", id="fork"
        ),
        pytest.param(
            "for b in DataLoader(rows, num_workers=2, multiprocessing_context='fork' if rows else None):\n    pass\n",
            id="fork or what is usual",
        ),
        pytest.param(
            "from concurrent.futures import ProcessPoolExecutor\n"
            "ProcessPoolExecutor(2, mp_context=mp.get_context('fork')).submit(print)\n",
            id="pool by fork",
        ),
        pytest.param("l = [DataLoader(rows), DataLoader(rows)]\nfor b in l[0]:\n    pass\n", id="none of a list"),
        pytest.param("cfg = dict(num_workers=0)\nfor b in DataLoader(rows, **cfg):\n    pass\n", id="settings say 0"),
        pytest.param(
            "class T:\n    def __init__(self):\n        self.l = DataLoader(rows, num_workers=2)\n"
            "        self.m = DataLoader(rows)\n        for b in self.m:\n            pass\nT()\n",
            id="another",
        ),
        pytest.param(
            "if __name__ == '__main2__':\n    for b in DataLoader(rows, num_workers=2):\n        pass\n",
            id="switched off by another name",
        ),
    ],
)
def test_what_starts_nothing(text: str) -> None:
    assert reported({"a.py": HEAD + text}, RULE) == []


def test_a_process_of_ones_own_class_is_one() -> None:
    own = "class Mine(mp.Process):\n    pass\n\np = Mine()\np.start()\n"
    done = migrated({"a.py": HEAD + own}, RULE)
    assert done["a.py"].endswith('if __name__ == "__main__":\n    p = Mine()\n    p.start()\n')
    below = own.replace("p = Mine()", "class Below(Mine):\n    pass\n\np = Below()")
    done = migrated({"a.py": HEAD + below}, RULE)
    assert done["a.py"].endswith('if __name__ == "__main__":\n    p = Below()\n    p.start()\n')
    assert reported({"a.py": HEAD + below.replace("mp.Process", "Thread")}, RULE) == []
    other = own.replace("mp.Process", "Thread")
    assert reported({"a.py": HEAD + other}, RULE) == []


@each_row(
    ("start", "found"),
    [
        ("    def start(self):\n        self.run()\n", 0),
        ("    def start(self):\n        if self.quick:\n            super().start()\n", 0),
        ("    def run(self):\n        pass\n\n    start = run\n", 0),
        ("    def start(self):\n        self.thread.start()\n", 0),
        ("    def start(self):\n        self.daemon = True\n        super().start()\n", 1),
        ("    def start(self):\n        with lock:\n            mp.Process.start(self)\n", 1),
        ("    def run(self):\n        self.clock.start()\n", 1),
    ],
)
def test_a_start_of_its_own_may_start_no_process(start: str, found: int) -> None:
    for made in ("Mine", "Below"):
        text = f"class Mine(mp.Process):\n{start}\nclass Below(Mine):\n    pass\n\np = {made}()\np.start()\n"
        assert len(reported({"a.py": HEAD + text}, RULE)) == found


BASES = """import multiprocessing as mp


def work(rows):
    print(rows)


class Base:
    def __init__(self, rows):
        self.workers = [mp.Process(target=work, args=(row,)) for row in rows]
        for worker in self.workers:
            worker.start()


class Plain:
    def __init__(self, rows):
        self.rows = rows

    @staticmethod
    def count(rows):
        return [batch for batch in rows]
"""


@each_row(
    ("body", "starts"),
    [
        ("class Mine(Base):\n    def __init__(self, rows):\n        super().__init__(rows)\n", True),
        ("class Mine(Base):\n    def __init__(self, rows):\n        super(Mine, self).__init__(rows)\n", True),
        ("class Mine(Base):\n    def __init__(self, rows):\n        Base.__init__(self, rows)\n", True),
        ("class Mine(Base):\n    pass\n", True),
        ("class Middle(Base):\n    pass\n\n\nclass Mine(Middle):\n    pass\n", True),
        ("class Mine(Base):\n    def __init__(self, rows):\n        self.rows = rows\n", False),
        ("class Mine(Plain):\n    def __init__(self, rows):\n        super().__init__(rows)\n", False),
        ("class Mine(Base):\n    def __init__(self, rows):\n        super(Base, self).__init__()\n", False),
        (
            "class Mine(Plain, Base):\n    def __init__(self, rows):\n        super().__init__(rows)\n",
            False,  # the nearest base that has one
        ),
    ],
)
def test_constructors_of_bases(body: str, starts: bool) -> None:
    files = {"lib.py": BASES, "own.py": f"from lib import Base, Plain\n\n\n{body}", "train.py": ""}
    files["train.py"] = "import own\n\nrunner = own.Mine([1, 2])\nprint(runner)\n"
    assert [finding.path for finding in reported(files, RULE)] == (["train.py"] if starts else [])
    if starts:
        done = migrated(files, RULE)["train.py"]
        assert done.endswith('if __name__ == "__main__":\n    runner = own.Mine([1, 2])\n    print(runner)\n')


def test_the_arguments_of_a_static_method_and_of_a_base_that_is_named() -> None:
    loop = "loader = DataLoader(rows, num_workers=2)\n"
    assert (
        len(reported({"lib.py": BASES, "a.py": f"from lib import Plain\n{HEAD}{loop}Plain.count(loader)\n"}, RULE)) == 1
    )
    own = "class Mine(Plain):\n    def __init__(self, rows):\n        Plain.__init__(self, rows)\n        list(rows)\n"
    assert (
        len(reported({"lib.py": BASES, "a.py": f"from lib import Plain\n{HEAD}{own}{loop}Mine(loader)\n"}, RULE)) == 1
    )


@each_row(
    ("code", "sure"),
    [
        ("rows = load_dataset('a').map(len, num_proc=4)", "proven"),
        ("rows = load_dataset('a')\nrows = rows.map(len).filter(len, num_proc=2)", "proven"),
        ("rows = load_dataset('a')['train'].map(len, num_proc=os.cpu_count())", "likely"),
        ("def main():\n    load_dataset('a').map(len, num_proc=4)\nmain()", "proven"),
        ("rows = load_dataset('a').map(len, num_proc=1)", ""),
        ("rows = load_dataset('a').map(len, num_proc=None)", ""),
        ("rows = load_dataset('a').map(len, batched=True)", ""),
        ("rows = load_dataset('a').shuffle(num_proc=4)", ""),
        ("rows = rows_of('a').map(len, num_proc=4)", "likely"),  # no other map has that keyword
        ("rows = load_dataset('a')['train']\nrows = rows.map(len, num_proc=4)", "likely"),
        ("def main(rows):\n    rows.map(len, num_proc=4)\nmain(load_dataset('a'))", "likely"),
        ("rows = load_dataset('a', num_proc=4)", "likely"),
        ("class Rows:\n    def map(self, f, num_proc):\n        pass\nRows().map(len, num_proc=4)", ""),
        ("if __name__ == '__main__':\n    load_dataset('a').map(len, num_proc=4)", ""),
    ],
)
def test_a_dataset_that_is_mapped_by_processes(code: str, sure: str) -> None:
    text = f"import os\nfrom datasets import load_dataset\n{code}\n"
    assert [each.confidence.value for each in reported({"a.py": text}, RULE)] == ([sure] if sure else [])


@each_row(
    ("code", "sure"),
    [
        ("Parallel(n_jobs=-1, backend='multiprocessing')(delayed(len)(x) for x in data)", "proven"),
        ("Parallel(4, 'multiprocessing')(delayed(len)(x) for x in data)", "proven"),
        ("run = Parallel(n_jobs=args.jobs, backend='multiprocessing')\nrun(delayed(len)(x) for x in data)", "likely"),
        (
            "with Parallel(n_jobs=4, backend='multiprocessing') as run:\n    run(delayed(len)(x) for x in data)",
            "proven",
        ),
        ("with joblib.parallel_backend('multiprocessing'):\n    Parallel()(delayed(len)(x) for x in data)", "proven"),
        ("with joblib.parallel_config(backend='multiprocessing'):\n    compute()", "proven"),
        ("Parallel(n_jobs=4)(delayed(len)(x) for x in data)", ""),  # loky runs no script again
        ("Parallel(n_jobs=4, backend='threading')(delayed(len)(x) for x in data)", ""),
        ("Parallel(n_jobs=1, backend='multiprocessing')(delayed(len)(x) for x in data)", ""),
        ("Parallel(backend='multiprocessing')(delayed(len)(x) for x in data)", ""),
        ("run = Parallel(n_jobs=4, backend='multiprocessing')", ""),
    ],
)
def test_joblib_starts_processes_with_one_of_its_backends(code: str, sure: str) -> None:
    text = f"import joblib\nfrom joblib import Parallel, delayed\n\ndata = []\n{code}\n"
    assert [each.confidence.value for each in reported({"a.py": text}, RULE)] == ([sure] if sure else [])


@pytest.mark.parametrize(
    ("number", "sure"),
    [("args.workers", "possible"), ("options['workers']", "possible"), ("int(args.workers)", "possible"), ("0", "")],
)
@pytest.mark.parametrize("declared", ["'--workers', type=int, default=0", "'-workers', default=None"])
def test_an_option_can_ask_for_workers(number: str, sure: str, declared: str) -> None:
    files = {
        "options.py": f"import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument({declared})\n",
        "a.py": "from torch.utils.data import DataLoader\n\nfrom options import parser\n\n"
        "args = parser.parse_args()\noptions = vars(args)\n"
        f"for batch in DataLoader([1], num_workers={number}):\n    print(batch)\n",
    }
    found = reported(files, RULE, confidence=Confidence.POSSIBLE)
    assert [each.confidence.value for each in found] == ([sure] if sure else [])
    assert not sure or found[0].trace[-1].what == ("iterates a DataLoader with workers, where an option asks for them")


LOADER = "DataLoader([1], num_workers=2)"


@each_row(
    ("classes", "made"),
    [
        (f"class A:\n    def run(self):\n        self.loader = {LOADER}\n        self.loader.__iter__()\n", "A"),
        (
            f"class A:\n    def run(self):\n        self.parts = EasyDict()\n        self.parts.train = {LOADER}\n"
            "        return next(iter(self.parts.train))\n",
            "A",
        ),
        (
            f"class Rows:\n    def __init__(self):\n        self.parts.train = {LOADER}\n\n"
            "class Loop:\n    def run(self):\n        for batch in self.parts.train:\n            print(batch)\n\n"
            "class A(Rows, Loop):\n    pass\n",
            "A",
        ),
        (
            "class Loop:\n    def run(self):\n        self.epoch()\n\n"
            f"class A(Loop):\n    def epoch(self):\n        list({LOADER})\n",
            "A",
        ),
    ],
)
def test_loaders_among_the_parts_of_an_object(classes: str, made: str) -> None:
    text = f"from easydict import EasyDict\nfrom torch.utils.data import DataLoader\n\n{classes}\n\n{made}().run()\n"
    (found,) = reported({"a.py": text}, RULE)
    assert found.span.line == len(text.splitlines())
    assert not reported({"a.py": text.replace("num_workers=2", "num_workers=0")}, RULE)


def test_the_trace_leads_to_what_is_always_started() -> None:
    text = (
        "from multiprocessing import Process\n\nclass Log:\n    def __init__(self, server=None):\n"
        "        if server:\n            Process(target=print).start()\n        self.worker = Process(target=print)\n"
        "        self.worker.start()\n\nLog('here')\n"
    )
    (found,) = reported({"a.py": text}, RULE)
    assert [hop.line for hop in found.trace] == [10, 7]


TRAINER = """\
from concurrent.futures import ProcessPoolExecutor

class Uploader:
    def __init__(self, folder, several=2):
        self.executor = ProcessPoolExecutor(several)

class Saver:
    def __init__(self, folder, workers=0):
        scheme, _ = split(str(folder))
        if scheme != "":
            Uploader(folder)
        self.pool = ProcessPoolExecutor(workers) if workers > 0 else None

def split(text):
    return text.split("://")

class Trainer:
    def __init__(self, rows, *, folder=None, callbacks=(), workers=0):
        if callbacks:
            folder = callbacks[0].folder
        if folder is not None:
            Saver(folder, workers)

def plain(rows, parallel=False):
    if not parallel:
        return [row for row in rows]
    with ProcessPoolExecutor() as pool:
        return list(pool.map(str, rows))
"""


@each_row(
    ("call", "certain"),
    [
        pytest.param("Trainer(rows)", ["possible"], id="its default, unless a branch says otherwise"),
        pytest.param("Trainer(rows, folder=None)", ["possible"], id="the same in words"),
        pytest.param("Trainer(rows, folder='out')", ["possible"], id="what the text comes to decides, two calls away"),
        pytest.param("Trainer(rows, folder=out)", ["proven"], id="a name"),
        pytest.param("Trainer(rows, folder='out', workers=2)", ["proven"], id="another branch"),
        pytest.param("Trainer(**options)", ["proven"], id="not known"),
        pytest.param("Saver(out)", ["proven"], id="a test of what is not known"),
        pytest.param("plain(rows)", [], id="what leaves before"),
        pytest.param("plain(rows, parallel=True)", ["proven"], id="what goes on"),
        pytest.param("plain(rows, parallel=flag)", ["proven"], id="either"),
    ],
)
def test_branches_that_constants_decide_on_the_way(call: str, certain: list[str]) -> None:
    text = f"import trainer\nfrom trainer import *\nrows, out, flag, options = load()\n{call}\n"
    found = reported({"a.py": text, "trainer.py": TRAINER}, RULE, confidence=Confidence.POSSIBLE)
    assert [each.confidence.value for each in found if each.path == "a.py"] == certain


@each_row(
    ("importing", "loop", "found"),
    [
        ("from made import *", "for row in loader:\n    print(row)\n", True),
        ("from made import loader", "for row in loader:\n    print(row)\n", True),
        ("from made import loader as rows", "for row in rows:\n    print(row)\n", True),
        ("from again import *", "for row in loader:\n    print(row)\n", True),
        ("from again import loader\nfrom use import run", "run(loader)\n", True),
        ("from made import *", "for row in plain:\n    print(row)\n", False),
        ("from made import *\nloader = [1]", "for row in loader:\n    print(row)\n", False),
        ("from elsewhere import *", "for row in loader:\n    print(row)\n", False),
    ],
)
def test_loaders_that_another_module_made(importing: str, loop: str, found: bool) -> None:
    made = (
        "from torch.utils.data import DataLoader\nimport sys\n"
        "if len(sys.argv) > 1:\n    loader = DataLoader([1], num_workers=2)\n"
        "else:\n    loader = DataLoader([1, 2], shuffle=True, num_workers=2)\nplain = DataLoader([1])\n"
    )
    files = {"made.py": made, "again.py": "from made import *\n", "use.py": HEAD, "a.py": f"{importing}\n\n{loop}"}
    assert [each.path for each in reported(files, RULE)] == (["a.py"] if found else [])
