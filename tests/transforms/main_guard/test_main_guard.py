"""The `main-guard` rule: what it wraps, what stays outside, what it refuses, and which scripts are fine."""

from __future__ import annotations

import textwrap

import pytest

from codemods.finding import Confidence, Finding
from codemods.project import Project
from codemods.transforms.main_guard import RULE
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row
from harness.small import migrated, reported

HEAD = "from concurrent.futures import ProcessPoolExecutor\n\n\ndef work(x):\n    return x\n\n\n"
GUARD = 'if __name__ == "__main__":\n    '
START = "ProcessPoolExecutor(2).submit(work, 1)\n"
TORCH = "from torch.utils.data import DataLoader\n"


def found(*files: str, bar: Confidence = Confidence.LIKELY) -> list[Finding]:
    """Findings in `a.py`, `b.py`... at or above `bar`."""
    contents = {f"{name}.py": text.encode() for name, text in zip("abcd", files, strict=False)}
    findings = sorted(RULE.find(Project(MemoryFiles(contents))), key=lambda finding: finding.sort_key)
    return [finding for finding in findings if finding.confidence.reaches(bar)]


def wrapped(text: str, *more: str) -> str:
    """`a.py` after the one fix."""
    (fix,) = {finding.fix for finding in found(text, *more) if finding.path == "a.py"}
    assert fix is not None
    return Source("a.py", text).apply(fix.edits)


def refusal(text: str, *more: str) -> str:
    (finding,) = found(text, *more)
    assert finding.fix is None and finding.reason is not None
    return finding.reason


@each_row(
    "text",
    [
        pytest.param(HEAD + "if __name__ == '__main__':\n    " + START, id="guarded"),
        pytest.param(HEAD + "def main():\n    " + START, id="only defined"),
        pytest.param(HEAD + "run = lambda: " + START, id="in a lambda"),
        pytest.param("from multiprocessing.pool import ThreadPool\nThreadPool(2).map(abs, [1])\n", id="threads"),
        pytest.param("from multiprocessing.dummy import Pool\nPool(2).map(abs, [1])\n", id="dummy"),
        pytest.param("from pathos.multiprocessing import Pool\nclass Pool: pass\nPool(2)\n", id="another Pool"),
        pytest.param("import multiprocessing as mp\nlock, queue = mp.Lock(), mp.Queue()\n", id="no process yet"),
        pytest.param("import multiprocessing as mp\nmp.set_start_method('fork')\nmp.Pool(2)\n", id="always forks"),
        pytest.param("import multiprocessing as mp\nmp.get_context('fork').Pool(2)\n", id="fork context"),
        pytest.param("import multiprocessing as mp\nmp.set_start_method('spawn', force=True)\n", id="forced"),
        pytest.param(
            "import multiprocessing as mp\nif mp.get_start_method(True) is None:\n    mp.set_start_method('spawn')\n",
            id="asked for",
        ),
        pytest.param(TORCH + "for b in DataLoader(d):\n    pass\n", id="no workers"),
        pytest.param(TORCH + "for b in DataLoader(d, num_workers=0):\n    pass\n", id="zero workers"),
        pytest.param(TORCH + "l = DataLoader(d, num_workers=2)\nprint(len(l))\n", id="not iterated"),
        pytest.param(
            TORCH + "p.add_argument('--jobs', type=int, default=0)\n"
            "for b in DataLoader(d, num_workers=args.jobs):\n    pass\n",
            id="an option that is 0 by default",
        ),
        pytest.param(
            TORCH + "def train(l):\n    for b in l: pass\ntrain([1])\nm = DataLoader(d, num_workers=2)\n",
            id="other loop",
        ),
        pytest.param("import subprocess\nsubprocess.Popen(['ls']).wait()\n# multiprocessing\n", id="subprocess"),
    ],
)
def test_fine(text: str) -> None:
    assert found(text) == []


FORKS = "import multiprocessing as mp\nmp.set_start_method('fork')\n"


@each_row(
    ("path", "text", "imported", "found"),
    [
        ("lib.py", FORKS, "import lib", False),
        ("lib.py", FORKS, "from lib import mp", False),
        ("lib.py", FORKS, "def f():\n    import lib", True),
        ("lib.py", FORKS, "import lib2", True),
        ("lib.py", FORKS, "import other", True),
        ("lib.py", FORKS.replace("fork", "spawn"), "import lib", True),
        ("lib.py", FORKS.replace("mp.set", "if x: mp.set"), "import lib", True),
        ("lib.py", FORKS.replace("mp.set", "def f(): mp.set"), "import lib", True),
        ("other/__init__.py", FORKS, "import other.rows", False),
        ("other/__init__.py", FORKS, "from other import rows", False),
        ("other/__init__.py", FORKS, "import lib", True),
        ("other/rows.py", FORKS, "import other", True),
        ("__init__.py", FORKS, "import lib", True),
    ],
)
def test_what_it_imports_sets_fork(path: str, text: str, imported: str, found: bool) -> None:
    files = {"lib.py": "", "lib2.py": "", "other/__init__.py": "", "other/rows.py": ""}
    files |= {path: text, "a.py": f"{imported}\n{HEAD}{START}"}
    assert bool(reported(files, "main-guard")) is found


@each_row(
    ("before", "after"),
    [
        pytest.param(START, GUARD + START, id="one line"),
        pytest.param("x = work(1)\n" + START, GUARD + "x = work(1)\n    " + START, id="prepares"),
        pytest.param("N = 3\n" + START, "N = 3\n\n" + GUARD + START, id="constants stay"),
        pytest.param("seed(0)\n" + START, "seed(0)\n\n" + GUARD + START, id="settings stay"),
        pytest.param(
            START + "\n# then\n\nprint(1)\n",
            GUARD + START + "\n    # then\n\n    print(1)\n",
            id="comments and blank lines",
        ),
        pytest.param(START + "import os\n", GUARD + START + "\nimport os\n", id="imports stay"),
    ],
)
def test_what_goes_under_the_guard(before: str, after: str) -> None:
    assert wrapped(HEAD + before) == HEAD + after


def test_strings_keep_their_content() -> None:
    text = HEAD + START + "a = \"\"\"x\n  y\n\"\"\"\nb = f'''{1}\nz'''\nc = (1 +\n2)\n"
    result = wrapped(text)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(result.replace(START, "0\n"), "a.py", "exec"), names)
    assert (names["a"], names["b"], names["c"]) == ("x\n  y\n", "1\nz", 3)


def test_newlines_tabs_and_quotes_of_the_file() -> None:
    text = (HEAD.replace("    ", "\t") + "print('a', 'b')\nfor i in 'xy':\n\t" + START).replace("\n", "\r\n")
    result = wrapped(text)
    assert "\r\nif __name__ == '__main__':\r\n\tprint('a', 'b')\r\n\tfor i in 'xy':\r\n\t\tProcessPool" in result
    assert result.count("\n") == result.count("\r\n")


def test_start_that_is_far_away() -> None:
    helper = HEAD + "class Runner:\n    def run(self):\n        return self.go()\n    def go(self):\n        " + START
    text = "import b\nrunner = b.Runner()\nprint(runner.run())\n"
    (finding,) = found(text, helper)
    assert finding.confidence is Confidence.PROVEN
    assert [(hop.path, hop.line) for hop in finding.trace] == [("a.py", 3), ("b.py", 10), ("b.py", 12)]


@each_row(
    "loop",
    [
        pytest.param("for b in loader:\n    pass\n", id="for"),
        pytest.param("for i, b in enumerate(tqdm(loader)):\n    pass\n", id="enumerate and tqdm"),
        pytest.param("b = next(iter(loader))\n", id="next of iter"),
        pytest.param("n = sum(1 for b in loader)\n", id="generator"),
        pytest.param("def f(l):\n    for b in l:\n        pass\nf(loader)\n", id="in a function"),
        pytest.param("def f():\n    for b in loader:\n        pass\nf()\n", id="as a global"),
        pytest.param("loaders = {'a': loader}\nfor b in loaders['a']:\n    pass\n", id="in a dict"),
        pytest.param("trainer.fit(model, loader)\n", id="handed to a trainer"),
    ],
)
def test_loops_over_a_loader(loop: str) -> None:
    (finding,) = found(TORCH + "loader = DataLoader(d, num_workers=2)\n" + loop)
    assert finding.fix is not None


def test_workers_by_an_option() -> None:
    option = "p.add_argument('--workers', type=int, default=4)\n"
    (finding,) = found(TORCH + option + "for b in DataLoader(d, num_workers=int(p.workers)):\n    pass\n")
    assert finding.confidence is Confidence.LIKELY


def test_global_of_a_worker_is_refused() -> None:
    text = HEAD.replace("return x", "return x + table") + "table = load()\n" + START + "table = load()\n"
    assert "`work` may run in a worker and reads `table`" in refusal(text)


def test_global_of_a_function_for_the_parent_is_fine() -> None:
    text = HEAD + "def show():\n    print(result)\n\n\n" + "result = " + START + "show()\n"
    assert "    result = ProcessPoolExecutor(2).submit(work, 1)\n    show()\n" in wrapped(text)


IO = "import accelerate\nimport logging\nimport os\nimport shutil\nimport torch\nimport wandb\nfrom store import keep\n"
STORE = "import json\ndef keep(x):\n    with open('x', 'w') as f:\n        json.dump(x, f)\n"


@each_row(
    "line",
    [
        "keep([1])",
        "torch.save([1], 'x')",
        "os.remove('x')",
        "shutil.rmtree('x')",
        "run = wandb.init()",
        "sweep = wandb.sweep({}, project='x')",
        "torch.distributed.init_process_group('gloo')",
        "accelerator = accelerate.Accelerator()",
        "loss.backward()",
        "open('x', mode='a').write('1')",
        "frame.to_csv('x')",
        "for i in [1]:\n    loss.backward()",
        "logging.basicConfig(filename='x', filemode='w')",
        "handler = logging.FileHandler('x', 'w')",
    ],
)
def test_what_no_child_should_do_again_goes_under_the_guard(line: str) -> None:
    text = IO + HEAD + line + "\n\n\ndef other():\n    pass\n\n\n" + START
    guarded = "\n".join(f"    {each}" for each in line.splitlines())
    files = {"a.py": text, "store.py": STORE}
    (finding,) = RULE.find(Project(MemoryFiles({path: each.encode() for path, each in files.items()})))
    assert finding.fix is not None and finding.fix.unsafe is None
    after = Source("a.py", text).apply(finding.fix.edits).replace("'__main__'", '"__main__"')
    assert f'if __name__ == "__main__":\n{guarded}\n' in after and after.count(GUARD) == 1
    assert "\ndef other():\n    pass\n" in after[: after.index(GUARD)] and after.endswith("\n    " + START)


@each_row("line", ["net.cuda()", "torch.cuda.set_device(0)", "net = net.to(device)", 'if cuda:\n    net.to("cuda:0")'])
def test_a_model_on_the_gpu_goes_under_the_guard_where_it_can(line: str) -> None:
    between = "\n\n\ndef other():\n    pass\n\n\n"
    text = "import torch\ncuda = torch.cuda.is_available()\n" + HEAD + "net = make(3)\n" + line + between + START
    assert wrapped(text).count(GUARD) == 1 and GUARD + "net = make(3)\n    " in wrapped(text)
    (finding,) = found(text.replace("return x", "return net, x"))
    assert finding.fix is not None and finding.fix.unsafe is None
    assert Source("a.py", text).apply(finding.fix.edits).count(GUARD) == 1


@each_row(
    "asked",
    [
        "wandb.Api().runs(path='team/runs')",
        "requests.get('https://example.org/runs').json()",
        "requests.post('https://example.org/runs', data={'all': 1}).json()",
        "json.load(urllib.request.urlopen('https://example.org/runs'))",
    ],
)
def test_no_worker_asks_the_server_again(asked: str) -> None:
    head = "import json\nimport requests\nimport urllib.request\nimport wandb\n" + HEAD
    filled = f"paths = []\nruns = {asked}\nfor run in runs:\n    paths.append(str(run))\n\n"
    after = wrapped(head + filled + START).replace("'__main__'", '"__main__"')
    assert after.count(GUARD) == 1 and f"    runs = {asked}\n    for run in runs:\n        paths.append" in after


def test_definitions_move_above_one_guard() -> None:
    text = HEAD + "import logging\nh = open('x', 'w')\ndef a(): pass\nn = len('a')\ndef b(): pass\n" + START
    after = wrapped(text).replace("'__main__'", '"__main__"')
    assert after.count(GUARD) == 1 and GUARD + "h = open('x', 'w')\n    n = len('a')\n    " in after
    assert "def a(): pass\n\n\ndef b(): pass\n\n\nif" in after


@each_row(
    "definition",
    [
        pytest.param("@register\ndef a(): pass\n", id="a decorator that may do anything"),
        pytest.param("def a(x=n): pass\n", id="a default that is bound under the guard"),
        pytest.param("class A(Base): x = make()\n", id="a class body that calls something"),
        pytest.param("class A(h.Base): pass\n", id="a base that is bound under the guard"),
        pytest.param("def len(x): return 0\n", id="it would hide a builtin from the lines before it"),
        pytest.param("def work(x): return 1\n", id="it is defined twice"),
    ],
)
def test_definitions_that_do_something_are_not_moved(definition: str) -> None:
    text = HEAD + "h = open('x', 'w')\nn = len([])\n" + definition + START
    [finding] = found(text)
    after = Source("a.py", text).apply(finding.fix.edits) if finding.fix is not None else text
    opened, defined = after.index("open("), after.rindex(definition.splitlines()[0])
    assert opened < defined


@pytest.mark.parametrize(
    ("between", "guarded"),
    [
        ("import time", True),  # no worker needs it
        ("import math", False),
        ("from sys import *", False),
    ],
)
def test_imports_that_no_worker_needs_go_along(between: str, guarded: bool) -> None:
    text = HEAD.replace("return x", "return math.sqrt(x)") + f"h = open('x', 'w')\n{between}\n" + START
    assert (f"\n    {between}\n" in wrapped(text)) is guarded


SHOW = "def show(x):\n    'Says it.'\n    print('==', x)\n\n\n"
BETWEEN = "size = len([1])\n\n\ndef other():\n    pass\n\n\n"


@each_row(
    ("line", "guarded"),
    [
        ("print('loading', len(sys.argv))", True),
        ("show('loading')", True),
        ("if size:\n    print('loading')", True),
        ("print('loading', file=log)", False),  # a file of the module
        ("print(fill(table))", False),  # it may do more
        ("print(n := 3)", False),
        ("n = 3; print(n)", False),
        ("if fill(table):\n    print(1)", False),
        ("setup('loading')", False),
    ],
)
def test_what_is_only_printed_is_printed_once(line: str, guarded: bool) -> None:
    text = "import sys\n" + HEAD + SHOW + line + "\n" + BETWEEN + START
    after = wrapped(text).replace("'__main__'", '"__main__"')
    assert (GUARD + line.replace("\n", "\n    ") + "\n" in after) is guarded
    assert after.count(GUARD) == 1 and after.endswith("\n    " + START)


def test_values_that_become_numbers_are_no_models() -> None:
    text = HEAD + "x = x.to(float)\n\n\ndef other():\n    pass\n\n\n" + START
    assert wrapped(text).count(GUARD) == 1


def test_unsafe_where_what_a_child_repeats_cannot_be_guarded() -> None:
    head = HEAD.replace("return x", "return size, x")
    text = 'import os\nos.remove("x")\nsize = len("abc")\n' + head + START
    (finding,) = found(text)
    assert finding.fix is not None
    assert finding.fix.unsafe == (
        "line 2 calls `os.remove`, and would do it again in every child: it should go under the guard as well, which "
        "is not done here: `work` may run in a worker and reads `size`, which line 3 sets: under the guard a spawned "
        "worker would not see it. Hand `size` over as an argument, or keep it in the object that is sent"
    )
    assert wrapped(text).endswith(GUARD + START)


def test_what_a_constructor_repeats_counts_as_if_it_stood_there() -> None:
    head = HEAD.replace("return x", "return size, x")
    for init, repeats in (("os.remove('x')", True), ("self.x = 1", False)):
        of_class = f"class Log:\n    def __init__(self):\n        {init}\n    def other(self):\n        os.rmdir('y')\n"
        (finding,) = found(f"import os\n{of_class}size = Log()\n{head}{START}")
        assert finding.fix is not None
        assert ("would do it again in every child" in (finding.fix.unsafe or "")) is repeats


def test_a_log_that_workers_write_is_set_up_in_them_too() -> None:
    setup = "import logging\nlogging.basicConfig(filename='x', filemode='w')\n\n\ndef other():\n    pass\n\n\n"
    text = HEAD.replace("    return x", "    logging.info(x)\n    return x") + setup + START
    (finding,) = found(text)
    assert finding.fix is not None and (finding.fix.unsafe or "").endswith("it should go under the guard as well")
    (finding,) = found(text.replace(", filemode='w'", ""))
    assert finding.fix is not None and finding.fix.unsafe is None


def test_imported_script_is_unsafe() -> None:
    (finding,) = found(HEAD + START, "from a import work\n")
    assert finding.fix is not None and "b.py imports this file" in (finding.fix.unsafe or "")


@pytest.mark.parametrize("importing", ["import a\n", "from a import *\n", "import a\na.work(1)\n"])
def test_script_imported_as_a_whole_is_refused(importing: str) -> None:
    assert "b.py imports this file" in refusal(HEAD + START, importing)


def test_name_that_would_be_gone_is_refused() -> None:
    assert "b.py imports `done`" in refusal(HEAD + "done = " + START, "from a import done\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "import lightning as L\n" + TORCH + "class Data(L.LightningDataModule):\n    def train_dataloader(self):\n"
            "        return DataLoader([1], num_workers=2)\ndm = Data()\nL.Trainer().fit(None, datamodule=dm)\n",
            id="data module of Lightning",
        ),
        pytest.param(
            "from transformers import Trainer, TrainingArguments\n"
            "args = TrainingArguments('x', dataloader_num_workers=4)\n"
            "trainer = Trainer(None, args=args)\ntrainer.train()\n",
            id="trainer of transformers",
        ),
        pytest.param(
            "from multiprocessing import Pool\nclass Runner:\n    def __init__(self):\n        self.pool = Pool(2)\n"
            "    @classmethod\n    def make(cls):\n        return cls()\nrunner = Runner.make()\n",
            id="constructor in a class method",
        ),
    ],
)
def test_started_through_an_object(text: str) -> None:
    assert "__main__" in wrapped(text)
    assert not found(
        text.replace("num_workers=2", "num_workers=0").replace("num_workers=4", "num_workers=0").replace("Pool(2)", "2")
    )


def test_script_imported_by_name_is_refused() -> None:
    assert "b.py imports this file" in refusal(HEAD + START, "import importlib\nimportlib.import_module('a')\n")


COMPUTED = "import importlib, runpy, sys\nname = sys.argv[1]\n"


def tree_finding(script: str, importing: str, text: str) -> Finding:
    """The finding in `script`, where the file `importing` of the same repository has `text`."""
    files = {script: (HEAD + START).encode(), importing: (COMPUTED + text).encode()}
    (finding,) = RULE.find(Project(MemoryFiles(files)))
    return finding


@each_row(
    ("importing", "text"),
    [
        ("run.py", "job = importlib.import_module(f'jobs.{name}')\n"),
        ("run.py", "job = importlib.import_module('jobs.' + name)\n"),
        ("run.py", "job = importlib.import_module(f'jobs.job_{name}')\n"),
        ("run.py", "job = importlib.import_module('jobs.job_' + name)\n"),
        ("run.py", "job = importlib.import_module('jobs.%s' % name)\n"),
        ("run.py", "job = importlib.import_module('jobs.{}'.format(name))\n"),
        ("run.py", "job = importlib.import_module(\n    f'jobs.{name}'\n)\n"),
        ("run.py", "module = f'jobs.{name}'\njob = importlib.import_module(module)\n"),
        ("run.py", "job = __import__(f'jobs.{name}')\n"),
        ("run.py", "job = runpy.run_path(f'./jobs/{name}.py')\n"),
        ("run.py", "job = importlib.import_module(f'.jobs.{name}', __package__)\n"),
        ("run.py", "job = importlib.import_module(f'{__package__}.jobs.{name}')\n"),
        ("jobs/run.py", "job = importlib.import_module('.' + name, __package__)\n"),
        ("jobs/__init__.py", "job = importlib.import_module(f'{__name__}.{name}')\n"),
    ],
)
def test_script_imported_by_a_name_that_is_put_together_is_refused(importing: str, text: str) -> None:
    finding = tree_finding("jobs/a.py", importing, text)
    assert finding.fix is None and f"{importing} imports this file" in (finding.reason or "")


@each_row(
    "text",
    [
        "runpy.run_path(name)\n",
        "for each in sys.argv[1:] or ['a.py']:\n    runpy.run_path(each)\n",
        "for each in ['other', 'jobs.a']:\n    importlib.import_module(each)\n",
        "TABLE = {'x': 'jobs.a'}\ndef load(key):\n    return importlib.import_module(TABLE[key])\n",
        "def load(path):\n    return importlib.import_module(path)\nload('jobs.a')\n",
        "path = 'jobs/a.py'\nimportlib.util.spec_from_file_location('job', path)\n",
        "from importlib.machinery import SourceFileLoader\nSourceFileLoader('job', 'jobs/a.py').load_module()\n",
        "exec(open('jobs/a.py').read(), {'__name__': 'job'})\n",
        "space = {}\nfor each in ['jobs/a.py']:\n    exec(compile(open(each).read(), each, 'exec'), space)\n",
    ],
)
def test_a_script_that_is_run_by_a_name_in_a_variable_is_refused(text: str) -> None:
    finding = tree_finding("jobs/a.py", "run.py", text)
    assert finding.fix is None and "run.py imports this file" in (finding.reason or "")


@each_row(
    "text",
    [
        "runpy.run_path(name, run_name='__main__')\n",
        "runpy.run_path('jobs/a.py', run_name='__main__')\n",
        "LETTERS = ['a', 'b']\nimportlib.import_module(name)\n",
        "for each in ['other', 'jobs.b']:\n    importlib.import_module(each)\n",
        "exec(open('jobs/a.py').read(), {'__name__': '__main__'})\n",
        "exec(open('jobs/a.py').read(), globals())\n",
        "exec('x = 1', {'jobs/a.py': 1})\n",
    ],
)
def test_a_script_that_is_run_as_the_main_module(text: str) -> None:
    assert tree_finding("jobs/a.py", "run.py", text).fix is not None


@each_row(
    ("script", "text"),
    [
        ("jobs/a.py", "job = importlib.import_module(f'models.{name}')\n"),
        ("jobs/a.py", "job = importlib.import_module('.' + name, __package__)\n"),
        ("jobs/a.py", "print(f'jobs.{name}')\n"),
        ("old_jobs/a.py", "job = importlib.import_module(f'jobs.{name}')\n"),
        ("a.py", "job = importlib.import_module(f'jobs.{name}')\n"),
    ],
)
def test_names_of_other_packages_that_are_put_together_import_no_script(script: str, text: str) -> None:
    finding = tree_finding(script, "run.py", text)
    assert finding.fix is not None and finding.fix.unsafe is None


@each_row("lookup", ["globals()['y']", "eval('y')", "vars()['y']", "sys.modules[__name__].y"])
def test_names_that_a_worker_looks_up_by_text_are_refused(lookup: str) -> None:
    head = "import sys\n" + HEAD.replace("return x", f"return {lookup}")
    assert "looks names up by text" in refusal(head + START)


@each_row(
    "other",
    [
        "print(globals()['work'])\n",  # in the main process, where every name is
        "net = net.eval()\n",
        "def eval(loader):\n    return loader\n",
        "print(vars(args))\n",
        "HEAD",  # what stands above the guard finds every name that it finds today
    ],
)
def test_lookups_that_no_worker_does(other: str) -> None:
    text = HEAD + "print(eval('work'))\n" + START if other == "HEAD" else HEAD + START + other
    assert GUARD in wrapped(text).replace("'__main__'", '"__main__"')


def test_a_parameter_is_not_the_function_of_its_name() -> None:
    text = "def pick(train):\n    return train\n\n\n" + HEAD
    text += "net = make().cuda()\n\n\ndef train():\n    return net\n\n\n" + START + "train()\n"
    assert GUARD + "net = make()" in wrapped(text).replace("'__main__'", '"__main__"')


def test_two_statements_on_a_line_are_refused() -> None:
    assert "several statements" in refusal(HEAD + "import os; " + START)


def test_definition_that_needs_a_result_is_refused() -> None:
    text = HEAD + "size = " + START + "def f(n=size):\n    return n\n\n\nProcessPoolExecutor(2).submit(f)\n"
    assert "must stay outside the guard, but needs `size`" in refusal(text)


def test_function_under_the_guard_is_moved_with_what_it_calls() -> None:
    guard = 'if __name__ == "__main__":\n    def a(x):\n        return x\n\n    def b(x):\n        return a(x)\n\n    '
    result = wrapped(HEAD + guard + "ProcessPoolExecutor(2).submit(b, 1)\n")
    moved = "def a(x):\n    return x\n\n\ndef b(x):\n    return a(x)\n\n\n"
    assert result == HEAD + moved + 'if __name__ == "__main__":\n    ProcessPoolExecutor(2).submit(b, 1)\n'


def test_function_under_the_guard_for_the_parent_stays() -> None:
    guard = 'if __name__ == "__main__":\n    def a(x):\n        return x\n\n    print(a(1))\n    '
    assert found(HEAD + guard + START) == []


READS = (
    "import multiprocessing as mp\n\n\ndef work(x):\n    return helper(x)\n\n\ndef helper(x):\n    return x * args.n\n"
)
SETS = """

if __name__ == "__main__":
    args = parse()
    with mp.Pool(2) as pool:
        pool.map(work, [1])
"""


def test_global_that_only_the_main_process_sets() -> None:
    (finding,) = found(READS + SETS)
    assert finding.confidence is Confidence.PROVEN and finding.fix is not None
    assert finding.fix.title == "Hand `args` to the workers by the initializer of their pool"
    assert finding.message.startswith("`helper` runs in a worker and reads `args`, which is set under the main guard")
    assert (finding.span.line, [hop.line for hop in finding.trace]) == (9, [13, 15])
    main = "\n\ndef main():\n    global args\n    args = 1\n    mp.Process(target=work, args=(2,)).start()\n\n\n"
    (finding,) = found(READS + "\nargs = None\n" + main + "if __name__ == '__main__':\n    main()\n")
    assert finding.confidence is Confidence.LIKELY and "set by `main` in the main process" in finding.message
    load = "\n\ndef load():\n    global args\n    args = 1\n"
    (finding,) = found(
        READS + load + main.replace("global args\n    args = 1", "load()") + "if __name__ == '__main__':\n    main()\n"
    )
    assert "set by `load` in the main process" in finding.message
    data = "class D:\n    def __getitem__(self, i):\n        return args.n\n\n"
    load = SETS.replace("with mp.Pool(2) as pool:\n        pool.map(work, [1])", "list(DataLoader(D(), num_workers=2))")
    assert ["reads `args`" in finding.message for finding in found(TORCH + data + load)] == [True]
    made = data + "def make():\n    return D()\n\n"
    assert found(TORCH + made + load.replace("D()", "make()")) == []  # what the call gives is not followed
    load = load.replace("list(DataLoader(D()", "d = D()\n    list(DataLoader(d")
    (finding,) = found(TORCH + data + load)
    assert "`__getitem__` runs in a worker and reads `args`" in finding.message


DECLARES = (
    "from functools import partial\nfrom multiprocessing import Pool\n\n\n"
    "def work(x, by):\n    global rows\n    {first}\n    return rows[x] * by\n\n\n"
    "def run(loaded):\n    global rows\n    rows = loaded\n    twice = partial(work, by=2)\n"
    "    with Pool(2) as pool:\n        return pool.map({sent}, [1])\n"
)


@pytest.mark.parametrize("sent", ["partial(work, by=2)", "twice"])
@pytest.mark.parametrize("start", ["", "\n\nif __name__ == '__main__':\n    run([1, 2])\n"])
def test_a_worker_that_declares_a_global_and_reads_it_does_not_set_it(sent: str, start: str) -> None:
    (finding,) = found(DECLARES.format(first="print(x)", sent=sent) + start)
    assert finding.confidence is Confidence.LIKELY and finding.fix is not None
    unsafe = None if start else "`rows` has to be pickled for it, and nothing shows that it can be"
    assert finding.fix.unsafe == unsafe  # what `run` is called with is seen
    assert "`work` runs in a worker and reads `rows`, which is set by `run` in the main process" in finding.message
    assert found(DECLARES.format(first="rows = [x, x]", sent=sent) + start) == []
    helper = "def more(loaded):\n    global rows\n    rows = loaded\n\n\n"  # but a script calls `run`
    beside = found(helper + DECLARES.format(first="print(x)", sent=sent) + start)
    assert ["`work` runs in a worker and reads `rows`" in f.message for f in beside] == [True] * bool(start)


@each_row(
    "text",
    [
        pytest.param(READS + "args = parse()\n" + SETS, id="set outside too, to the same"),
        pytest.param(READS.replace("x * args.n", "x * args.n if 'args' in globals() else x") + SETS, id="asked for"),
        pytest.param(
            READS.replace(
                "    return x * args.n", "    try:\n        return args\n    except NameError:\n        return 1"
            )
            + SETS,
            id="caught",
        ),
        pytest.param(
            READS + "\ndef init(a):\n    global args\n    args = a\n" + SETS.replace("Pool(2", "Pool(2, init, (3,)"),
            id="initializer",
        ),
        pytest.param(READS + "\ndef load():\n    global args\n    args = 1\n\n\nload()\n" + SETS, id="on import"),
        pytest.param(
            READS.replace("    return helper(x)", "    load()\n    return helper(x)")
            + "\ndef load():\n    global args\n    args = 1\n"
            + SETS.replace("args = parse()", "load()"),
            id="by the worker",
        ),
        pytest.param(READS + SETS.replace("pool.map(work, [1])", "list(map(work, [1]))"), id="not sent"),
        pytest.param(READS.replace("import multiprocessing", "import multiprocessing.dummy") + SETS, id="threads"),
        pytest.param(READS + SETS.replace("map(work, [1])", "apply_async(print, (), callback=work)"), id="callback"),
        pytest.param("from settings import *\n" + READS + SETS, id="star"),
    ],
)
def test_globals_that_a_worker_has(text: str) -> None:
    assert found(text) == []


def test_tests_are_not_reported_by_default() -> None:
    project = Project(MemoryFiles({"tests/test_a.py": (HEAD + START).encode()}))
    assert [finding.confidence for finding in RULE.find(project)] == [Confidence.POSSIBLE]


POOL = "from multiprocessing import Pool\n"
UNDER = 'if __name__ == "__main__":\n'


@each_row(
    ("text", "line"),
    [
        pytest.param(
            f"{POOL}def work(x):\n    try:\n        return x + step\n    except Exception:\n        return None\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            4,
            id="an error that is swallowed",
        ),
        pytest.param(
            f"{POOL}from tools import *\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            4,
            id="star import of the repository",
        ),
        pytest.param(
            f"{POOL}import step\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = step.read()\n    Pool(2).map(work, [1])\n",
            4,
            id="a module of that name",
        ),
        pytest.param(
            f"{POOL}step = None\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            4,
            id="None above",
        ),
        pytest.param(
            "from tools import *\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = int(input())\n    in_parallel([1], work)\n",
            3,
            id="sent by a function of the repository",
        ),
    ],
)
def test_globals_that_only_the_guard_sets(text: str, line: int) -> None:
    tools = (
        "from multiprocessing import Pool\ndef in_parallel(tasks, function):\n    return Pool(2).map(function, tasks)\n"
    )
    contents = {"a.py": text.encode(), "tools.py": tools.encode()}
    (finding,) = RULE.find(Project(MemoryFiles(contents)))
    assert finding.span.line == line and "`step`" in finding.message
    gets = "gets what line 2 binds" in finding.message
    assert gets == ("step = None" in text or "import step" in text) != ("NameError" in finding.message)


@each_row(
    "text",
    [
        pytest.param(
            f"{POOL}def work(x):\n    try:\n        return x + step\n    except NameError:\n        return x\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            id="it asks for the name",
        ),
        pytest.param(
            f"{POOL}from tools import *\ndef work(x):\n    return x + offset\n"
            f"{UNDER}    offset = int(input())\n    Pool(2).map(work, [1])\n",
            id="bound by the star import",
        ),
        pytest.param(
            f"{POOL}from numpy import *\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            id="a star import of a library may bind it",
        ),
        pytest.param(
            f"{POOL}step = None\ndef work(x):\n    if step is not None:\n        log.info(step)\n    return x\n"
            f"{UNDER}    step = int(input())\n    Pool(2).map(work, [1])\n",
            id="it only logs",
        ),
        pytest.param(
            "from tools import *\ndef work(x):\n    return x + step\n"
            f"{UNDER}    step = int(input())\n    at_once([1], work)\n",
            id="called in this process",
        ),
    ],
)
def test_globals_that_a_worker_can_do_without(text: str) -> None:
    tools = "offset = 1\ndef at_once(tasks, function):\n    return [function(task) for task in tasks]\n"
    assert not list(RULE.find(Project(MemoryFiles({"a.py": text.encode(), "tools.py": tools.encode()}))))


@pytest.mark.parametrize(
    ("reads", "role"),
    [
        ("return x if step is None else x + step", "step = int(input())"),
        ("if step:\n        x += 1\n    return x", "step = int(input())"),
        ("return x, step", "step = 3\nelse:\n    step = 4"),
    ],
)
def test_a_worker_that_asks_for_a_global_goes_another_way(reads: str, role: str) -> None:
    guarded = f"{POOL}step = None\ndef work(x):\n    {reads}\n{UNDER}    {role}\n{UNDER}    Pool(2).map(work, [1])\n"
    (found,) = RULE.find(Project(MemoryFiles({"a.py": guarded.encode()})))
    assert "reads `step`, which is set under the main guard" in found.message


@pytest.mark.parametrize(
    "method",
    ["def __reduce__(self):\n            return Rows, ()", "def __getitem__(self, at):\n            return Rows()"],
)
def test_a_class_under_the_guard_that_a_worker_makes_reads_the_options(method: str) -> None:
    text = (
        f"{TORCH}{UNDER}    rows = input()\n    class Rows:\n        def __init__(self):\n"
        f"            self.rows = rows\n        {method}\n    print(list(DataLoader(Rows(), num_workers=2)))\n"
    )
    assert "reads `rows`" in refusal(text)


@pytest.mark.parametrize(
    "load", ["Net.from_pretrained(path)", "models.resnet18(pretrained=True)", "registry[0](checkpoint=path)"]
)
def test_the_guard_begins_before_weights_are_loaded(load: str) -> None:
    text = f"{HEAD}net = {load}\n\n\ndef late(size=(2, 2)):\n    return size\n\n\n{START}"
    after = wrapped(f"import models\nfrom nets import Net, path, registry\n{text}")
    assert f"{GUARD}net = {load}\n" in after and after.index("def late") < after.index(GUARD)


@pytest.mark.parametrize(
    "setting",
    [
        "models.resnet18(pretrained=False)",
        "dict(checkpoint=path)",
        "fastargs.Section('model').params(pretrained=fastargs.Param(int))",
        "parser.set_defaults(checkpoint=path)",
    ],
)
def test_settings_stay_where_they_are(setting: str) -> None:
    late = "@path\ndef late():\n    return net\n"
    text = f"import models\nfrom nets import path\n{HEAD}net = {setting}\n\n\n{late}\n\n{START}"
    assert f"\n\n\nnet = {setting}" in wrapped(text)


MAPPED = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from torch.utils.data import DataLoader

rows = load_dataset("rows")["train"]
tokenizer = AutoTokenizer.from_pretrained("words")


def encode(row):
    return tokenizer(row["text"])


encoded = rows.map(encode)
for row in DataLoader(encoded, num_workers=2):
    print(row)
"""


def test_a_data_set_is_mapped_in_this_process() -> None:
    head, guarded = wrapped(MAPPED).split(GUARD)
    assert "tokenizer =" not in head and guarded.startswith('rows = load_dataset("rows")["train"]\n')


@pytest.mark.parametrize("call", ["rows.map(encode, num_proc=2)", "other(encode)"])
def test_a_function_that_is_handed_on_may_run_in_a_worker(call: str) -> None:
    head, _ = wrapped(MAPPED.replace("rows.map(encode)", call)).split(GUARD)
    assert "tokenizer =" in head


ENVIRONMENTS = """\
from baselines.common.vec_env import DummyVecEnv, SubprocVecEnv


def make_envs(name, count, render=False):
    envs = [lambda: (name, i) for i in range(count)]
    if len(envs) > 1 and not render:
        envs = SubprocVecEnv(envs)
    else:
        envs = DummyVecEnv(envs)
    return envs


"""


@each_row(
    ("call", "starts"),
    [
        pytest.param("make_envs('a', 1)", False, id="one"),
        pytest.param("make_envs('a', count=1)", False, id="one, by keyword"),
        pytest.param("make_envs('a', 4)", True, id="several"),
        pytest.param("make_envs('a', 4, render=True)", False, id="several, shown"),
        pytest.param("make_envs('a', number)", True, id="who knows"),
        pytest.param("make_envs(*arguments)", True, id="who knows what"),
    ],
)
def test_a_branch_that_the_call_does_not_take_starts_nothing(call: str, starts: bool) -> None:
    assert bool(found(ENVIRONMENTS + f"envs = {call}\n")) is starts


def test_a_list_that_grows_may_have_any_length() -> None:
    grows = ENVIRONMENTS.replace("    if len", "    envs.append(envs[0])\n    if len")
    assert found(grows + "envs = make_envs('a', 1)\n")


def test_definitions_that_move_together_keep_their_distance() -> None:
    classes = "class A:\n    pass\n\nclass B:\n    pass\n\n\n"
    loop = "for row in DataLoader(rows, num_workers=1):\n    pass\n"
    text = f'import numpy as np\n{TORCH}\nrows = np.load("r")\n\n\n{classes}{loop}'
    assert f'\n\n{classes}{GUARD}rows = np.load("r")\n' in wrapped(text)


SETTING = """\
import numpy as np
import torch
from torch.utils.data import DataLoader

rows = np.load("rows")
torch.backends.cudnn.benchmark = True


@torch.no_grad()
def test(batch=DEFAULT):
    print(batch)


for row in DataLoader(rows, num_workers=1):
    test(row)
"""


def test_a_setting_of_a_module_does_not_hold_back_a_decorator_of_it() -> None:
    after = wrapped(SETTING.replace("DEFAULT", "None"))
    assert after.count(GUARD) == 1 and GUARD + 'rows = np.load("rows")\n' in after
    apart = wrapped(SETTING.replace("DEFAULT", "torch.backends.cudnn.benchmark"))
    assert apart.index("def test") > apart.index("rows = ")


def test_values_that_are_put_together_from_ever_more_functions_take_no_time() -> None:
    calls = "".join(f"def f{n}(x):\n    return [{', '.join([f'f{n + 1}(x)'] * 8)}]\n\n\n" for n in range(12))
    head = "from multiprocessing import Pool\n\n\ndef f12(x):\n    return x\n\n\n"
    start = "if __name__ == '__main__':\n    rows = f0(1)\n    Pool(2).map(work, [1])\n"
    (finding,) = found(head + calls + "def work(x):\n    return rows[x]\n\n\n" + start)  # 8**12 calls
    assert finding.fix is not None and "nothing shows that it can be" in (finding.fix.unsafe or "")


NUMBERED = """\
from multiprocessing import Pool


def number(words):
    found = sorted(words)
    return {made}


def work(word):
    return table[word]


if __name__ == "__main__":
    table = number(["b", "a"])
    with Pool(2) as pool:
        print(pool.map(work, ["a"]))
"""


@each_row(
    ("made", "known"),
    [
        ("{word: at for at, word in enumerate(found)}", True),
        ("{word: len(word) for word, _ in zip(found, reversed(words))}", True),
        ("{a: b for a, b in {'a': 'b'}.items()}", True),
        ("{file.name: file for _, file in enumerate(open(word) for word in found)}", False),
        ("{word: at for at, word in rank(found)}", False),
    ],
)
def test_what_a_comprehension_counts_can_be_pickled(made: str, known: bool) -> None:
    (finding,) = found(NUMBERED.format(made=made))
    assert finding.fix is None or (finding.fix.unsafe is None) is known
    assert finding.fix is not None or not known


PLAYER = (
    "import multiprocessing as mp\n\n\nclass Player(mp.Process):\n    def __init__(self, pipe):\n"
    "        super().__init__()\n        self.pipe = pipe\n\n    def run(self):\n        self.pipe.send(steps)\n\n\n"
    f"{UNDER}    ours, theirs = mp.Pipe()\n    steps = int(input())\n    player = Player(theirs)\n"
    "    player.start()\n    print(ours.recv())\n"
)
PLAYERS = (
    "from multiprocessing import Process\n\n\nclass Player(Process):\n    def run(self):\n        self.play()\n\n"
    "    def play(self):\n        print(steps)\n\n\nclass Other(Player):\n    pass\n\n\n"
    f"{UNDER}    steps = 3\n    others = [Other() for _ in range(2)]\n    for other in others:\n        other.start()\n"
)
LOADED = (
    "from torch.utils.data import DataLoader, Dataset\n\n\nclass Rows(Dataset):\n    def __init__(self):\n"
    "        self.n = 2\n\n    def __len__(self):\n        return 2\n\n    def __getitem__(self, i):\n"
    "        return self.load(i)\n\n    def load(self, i):\n        return i * steps\n\n\n"
    f"{UNDER}    steps = int(input())\n    rows = Rows()\n    for row in DataLoader(rows, num_workers=2):\n"
    "        print(row)\n"
)
BESIDE = "class Other:\n    def __init__(self, load):\n        self.load = load\n"


@pytest.mark.parametrize(
    ("text", "line", "fixed"),
    [
        pytest.param(PLAYER, 10, "self.steps = steps", id="run of a process"),
        pytest.param(PLAYERS, 9, f"steps = 3\n\n{UNDER}", id="what run of the base class calls"),
        pytest.param(LOADED, 15, "self.steps = steps", id="what a method of the dataset calls"),
        pytest.param(f"{LOADED}\n\n{BESIDE}", 15, "self.steps = steps", id="another class sets the name"),
    ],
)
def test_globals_that_methods_read_in_a_worker(text: str, line: int, fixed: str) -> None:
    (finding,) = found(text)
    assert finding.span.line == line and "reads `steps`" in finding.message
    assert finding.fix is not None and finding.fix.unsafe is None
    assert fixed in migrated({"a.py": text}, "main-guard")["a.py"]


@each_row(
    "text",
    [
        pytest.param(PLAYER.replace("mp.Process", "threading.Thread"), id="a thread"),
        pytest.param(PLAYER.replace("player.start()", "player.run()"), id="it runs here"),
        pytest.param(PLAYER.replace("send(steps)", "send(1)").replace("Player(theirs)", "Player(steps)"), id="no read"),
        pytest.param(LOADED.replace("return self.load(i)", "return i"), id="no worker calls it"),
        pytest.param(PLAYERS.replace("    pass\n", "    def play(self):\n        pass\n"), id="another method"),
        pytest.param(PLAYERS.replace("    pass\n", "    play = print\n"), id="no method"),
        pytest.param(
            PLAYERS.replace("    pass\n", "    def __init__(self, play):\n        self.play = play\n"), id="hidden"
        ),
        pytest.param(PLAYERS.replace("other.start()", "other.play = print\n        other.start()"), id="set outside"),
        pytest.param(
            LOADED.replace("self.n = 2", 'self.n = 2\n        setattr(self, "load", max)'), id="hidden by text"
        ),
    ],
)
def test_globals_that_methods_read_in_no_worker(text: str) -> None:
    assert found(text) == []


TEAM = """\
class Team:
    def __init__(self):
        self.one = {}
    def set(self, other):
        {}
    def go(self, other):
        {}.start()
"""


@each_row(
    ("begun", "sure"),
    [
        ("Player().start()", "proven"),
        ("one = Player()\none.start()", "proven"),
        ("(one := Player()).start()", "proven"),
        ("some = {}\nsome[0] = Player()\nsome[0].start()", "proven"),
        ("some = []\nfor _ in '12':\n    some.append(Player())\n[one.start() for one in some]", "proven"),
        ("some = list(Player() for _ in '12')\nfor i, one in enumerate(some):\n    one.start()", "proven"),
        ("some = {i: Player() for i in '12'}\nfor one in some.values():\n    one.start()", "proven"),
        ("one = Player()\none.launch()", "proven"),
        (TEAM.format("Player()", "pass", "self.one"), "proven"),
        (TEAM.format("None", "self.one = Player()", "self.one"), "proven"),
        (TEAM.format("[Player()]", "self.one = []", "self.one[0]"), "proven"),
        (TEAM.format("[]", "self.one.append(Player())", "[*self.one][0]"), "proven"),
        (TEAM.format("Player()", "self.one = steps", "self.one"), "possible"),  # it may be that
        (TEAM.format("Player()", "other.one = Player", "other.one"), "possible"),
        ("begin(Player())", "proven"),
        ("(begin if steps else print)(Player())", "possible"),
        ("begin(Timer(1, print))\nPlayer().run()", None),
        ("clock = Timer(1, print)\nclock.start()\none = Player()\none.run()", "possible"),
        ("one = Player()\none.run()\none = Timer(1, print)\none.start()", "possible"),
    ],
)
def test_which_object_is_started(begun: str, sure: str | None) -> None:
    text = (
        "from multiprocessing import Process\nfrom threading import Timer\n\n\nclass Player(Process):\n"
        "    def run(self):\n        print(steps)\n\n    def launch(self):\n        self.start()\n\n\n"
        "def begin(one):\n    one.start()\n\n\n"
        f"{UNDER}    steps = 3\n{textwrap.indent(begun, '    ')}\n"
    )
    all_found = found(text, bar=Confidence.POSSIBLE)
    assert [each.confidence.value for each in all_found] == ([] if sure is None else [sure])
