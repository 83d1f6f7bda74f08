"""What stays outside of a guard as workers read it, what it may do there, and which objects never leave."""

from __future__ import annotations

import pytest

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.main_guard import RULE
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row
from harness.small import migrated, reasons

START = "from concurrent.futures import ProcessPoolExecutor\n"
RUN = "ProcessPoolExecutor(2).submit(work, 1)\n"


def found(text: str) -> list[Finding]:
    return list(RULE.find(Project(MemoryFiles({"a.py": text.encode()}))))


def unsafe(text: str) -> str | None:
    (finding,) = found(text)
    assert finding.fix is not None, finding.reason
    return finding.fix.unsafe


def wrapped(text: str) -> str:
    (finding,) = found(text)
    assert finding.fix is not None, finding.reason
    return Source("a.py", text).apply(finding.fix.edits)


@each_row(
    ("lines", "safe"),
    [
        ("for f in 'ab':\n    print(f)\n    table.append(f)\n", True),
        ("for f in 'ab':\n    table.append(f)\n    print(\n        f,\n    )\n", True),
        ("for f in 'ab':\n    if f == 'a':\n        print(f)\n    table.append(f)\n", True),
        ("for f in 'ab':\n    if f == 'a': print(f)\n    table.append(f)\n", False),
        ("for f in 'ab':\n    print(f); table.append(f)\n", False),
        ("for f in 'ab':\n    table.append(f); print(f)\n", False),
        ("for f in 'ab':\n    print(table.pop())\n    table.append(f)\n", False),
        ("for f in 'ab':\n    show(f)\n    table.append(f)\n", False),
        ("import atexit\nfor f in 'ab':\n    atexit.register(len, f)\n    table.append(f)\n", False),
        ("for f in 'ab':\n    print(f)\n    print(f)\n    print(f)\n    print(f)\n    table.append(f)\n", False),
    ],
)
def test_a_print_in_a_loop_that_workers_need_gets_a_guard_of_its_own(lines: str, safe: bool) -> None:
    """Not where the line does more, or others print too; and never so often that the guards hide the code."""
    work = "\n\ndef show(f):\n    print(f)\n\n\ndef work(x):\n    return table[x]\n\n\n"
    text = START + work + "table = []\n" + lines + RUN
    assert (unsafe(text) is None) is safe
    if safe:
        after = wrapped(text)
        assert after.count("if __name__ == '__main__':\n") == 2
        assert found(after) == []
        assert "\n    table.append" in after


TRAINER = """
class Trainer:
    def step(self):
        return scale + self.rate

    def start(self):
        with ProcessPoolExecutor(2) as pool:
            return list(pool.map(abs, [1])){more}


scale = load()
trainer = Trainer()
{use}
"""


@each_row(
    ("more", "use", "stays"),
    [
        ("", "trainer.start()", True),
        ("", "print(trainer.rate)\ntrainer.start()", True),
        ("\n\n    def save(self):\n        keep(self)", "trainer.start()", False),
        ("\n\n    def save(self):\n        keep(self.step)", "trainer.start()", False),
        ("\n\n    def save(self):\n        keep(lambda: scale)", "trainer.start()", False),
        ("\n\n    def save(self):\n        return self", "trainer.start()", False),
        ("\n\n    other = keep(step)", "trainer.start()", False),
        ("", "keep(trainer)\ntrainer.start()", False),
        ("", "keep(trainer.step)\ntrainer.start()", False),
        ("", "trainers = [trainer]\ntrainer.start()", False),
        ("", "keep(Trainer)\ntrainer.start()", False),
        ("", "other = trainer\ntrainer.start()", False),
    ],
)
def test_methods_of_an_object_that_stays_read_globals_of_the_guard(more: str, use: str, stays: bool) -> None:
    text = START + "\n\ndef load():\n    return 1\n" + TRAINER.format(more=more, use=use)
    (finding,) = found(text)
    assert finding.fix is not None, finding.reason
    after = Source("a.py", text).apply(finding.fix.edits)
    assert ("    scale = load()\n" in after) is stays


def test_an_object_of_a_class_with_an_unknown_base_may_leave() -> None:
    text = START + "import lib\n\n\ndef load():\n    return 1\n" + TRAINER.format(more="", use="trainer.start()")
    after = wrapped(text.replace("class Trainer:", "class Trainer(lib.Base):"))
    assert "\nscale = load()\n" in after


@each_row(
    ("call", "asks"),
    [
        ("subprocess.check_output(['bash', '-c', 'source a.sh; echo $ROOT'])", True),
        ("subprocess.check_output(['git', 'rev-parse', 'HEAD'])", True),
        ("subprocess.check_output('git -C . describe --tags'.split())", True),
        ("subprocess.getoutput('hostname | cut -c 1-3 2> /dev/null')", True),
        ("subprocess.getstatusoutput('hostname')", True),
        ("os.popen('git rev-parse HEAD').read()", True),
        ("os.popen('rm a').read()", False),
        ("subprocess.run(['git', 'rev-parse', name], capture_output=True)", True),
        ("subprocess.check_output(['bash', '-c', 'source a.sh; rm -r $ROOT'])", False),
        ("subprocess.check_output(['bash', '-c', 'echo 1 > a.txt'])", False),
        ("subprocess.check_output(['bash', '-c', command])", False),
        ("subprocess.check_output(['bash', 'a.sh'])", False),
        ("subprocess.check_output(['git', command])", False),
        ("subprocess.check_output('echo `rm a`', shell=True)", False),
        ("subprocess.check_output(command)", False),
        ("subprocess.check_call(['echo', '1'])", False),  # it prints
    ],
)
def test_what_a_command_says_may_be_asked_again(call: str, asks: bool) -> None:
    work = "\n\ndef work(x):\n    return root\n\n\n"
    text = f"import os, subprocess\n{START}{work}name = command = 'x'\nroot = {call}\n{RUN}"
    assert (unsafe(text) is None) is asks


@each_row(
    ("line", "stays"),
    [
        pytest.param("rate = args.rate", True, id="an option"),
        pytest.param("size = config['size']", True, id="an item of a dict"),
        pytest.param("both = args.rate, -args.size", True, id="several"),
        pytest.param("rate: float = args.rate", True, id="annotated"),
        pytest.param("first = config[0]", False, id="an item of what may be a dataset"),
        pytest.param("rate = load(args)", False, id="a call"),
    ],
)
def test_settings_before_the_first_harm(line: str, stays: bool) -> None:
    """What is only read from somewhere may be read again: the guard begins behind it."""
    text = (
        "from options import args, config, load\nfrom torch.utils.data import DataLoader\n"
        f"{line}\nmodel = load(args).cuda()\n"
        "for batch in DataLoader([1], num_workers=2):\n    print(batch)\n"
    )
    after = migrated({"train.py": text, "options.py": "args = config = load = None\n"}, "main-guard")["train.py"]
    above, _, below = after.partition("if __name__")
    assert (line in above) is stays and (line in below) is not stays
    assert "    model = load(args).cuda()" in below


@each_row(
    ("before", "loop", "later", "refused"),
    [
        ("pass", True, "warnings.filterwarnings('ignore')", False),
        ("warnings.filterwarnings('default')", True, "warnings.filterwarnings('ignore')", True),
        ("warnings.filterwarnings('default')", False, "warnings.filterwarnings('ignore')", False),
        ("warnings.filterwarnings('ignore')", True, "warnings.filterwarnings('ignore')", False),
        ("warnings.warn('slow')", True, "warnings.filterwarnings('ignore')", False),
        ("logging.disable()", True, "warnings.filterwarnings('ignore')", False),
    ],
)
def test_a_setting_that_changes_between_two_starts(before: str, loop: bool, later: str, refused: bool) -> None:
    """Workers run the settings, not what stands between them: each would have the last one."""
    start = "for row in DataLoader([1], num_workers=1):\n    print(row)\n"
    head = "import logging\nimport warnings\nfrom torch.utils.data import DataLoader\n\n"
    files = {"a.py": f"{head}{before}\n{start if loop else ''}{later}\n{start}"}
    if refused:
        (reason,) = reasons(files, "main-guard")
        assert reason.startswith("line 8 sets for the whole process what an earlier line sets in another way: ")
    else:
        after = migrated(files, "main-guard")["a.py"]
        assert f"{before}\n{later}\n\nif __name__ == '__main__':\n    for row in" in after.replace('"', "'")


@each_row(
    ("value", "stays"),
    [
        ("torch.device('cuda' if torch.cuda.is_available() else 'cpu')", True),
        ("'cuda' if torch.cuda.is_available() else 'cpu'", True),
        ("torch.zeros(1).to('cuda' if torch.cuda.is_available() else 'cpu')", False),
        ("pick(torch.cuda.is_available())", False),
    ],
)
def test_a_guard_begins_below_the_choice_of_a_device(value: str, stays: bool) -> None:
    setup = f"device = {value}\nrate = 0.1\nlog = open('log.txt', 'w')\n"
    text = f"import torch\n{START}\ndef work(x):\n    return x\n\n\ndef pick(x):\n    return x\n\n\n{setup}{RUN}"
    kept, _, guarded = wrapped(text).partition("if __name__ ==")
    assert ("\ndevice = " in kept, "\nrate = " in kept) == (stays, stays)
    assert "    log = open" in guarded


SETS_UP = """import common
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter

name = common.prepare("run")
writer = SummaryWriter(name)


class Rows:
    def __getitem__(self, i):
        return i

    def __len__(self):
        return 2


if __name__ == "__main__":
    for row in DataLoader(Rows(), num_workers=2, multiprocessing_context="spawn"):
        writer.add_scalar(name, row)
"""


@each_row(
    ("body", "stays"),
    [
        ("    print(name)\n", False),
        ("    torch.manual_seed(3)\n", False),
        ("    torch.zeros(1, dtype=torch.float64)\n", False),
        ("    torch.set_default_dtype(torch.float64)\n", True),
        ("    if name:\n        torch.set_default_device('cuda')\n", True),
        ("    sure(name)\n", True),
        ("    decimal.DefaultContext.prec = 4\n", True),
    ],
)
def test_what_a_function_of_another_file_sets_for_the_process_stays(body: str, stays: bool) -> None:
    """What is made for the statement that goes under the guard goes along, unless workers depend on what it sets."""
    sure = "def sure(name):\n    warnings.simplefilter('error')\n\n\n"
    common = f"import decimal\nimport warnings\nimport torch\n\n\n{sure}def prepare(name):\n{body}    return name\n"
    files = {"common.py": common, "main.py": SETS_UP}
    after = migrated(files, "main-guard")["main.py"]
    assert "    writer = SummaryWriter(name)\n" in after
    assert ('\nname = common.prepare("run")\n' in after) is stays
    assert ('    name = common.prepare("run")\n' in after) is not stays


WRITER = """\
import math, os
from math import sqrt
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(os.path.join("a", "b"))
args = {{"lr": {value}}}

def main():
    for at, row in enumerate(DataLoader([1, 2], num_workers=2)):
        writer.add_scalar("x", args["lr"], at)

if __name__ == "__main__":
    main()
"""


@each_row(
    ("value", "stays"),
    [
        ("1e-2 / sqrt(16 / 2)", True),
        ("math.floor(3.5) * [2]", True),
        ("sqrt(float('4'))", False),
        ("os.getpid()", False),
    ],
)
def test_numbers_stay_in_front_of_a_guard(value: str, stays: bool) -> None:
    after = migrated({"a.py": WRITER.format(value=value)}, "main-guard")["a.py"]
    assert (after.index("args = {") < after.index("def main")) is stays
    assert after.index("writer = Summary") > after.index("__main__")


FILLS = """\
import sys
import torch
from nets import Net, describe, start
from torch.utils.data import DataLoader, Dataset

cfg = dict(path=sys.argv[-1])
net = Net(3)
start({given})
net.cuda(){below}


class Rows(Dataset):
    def __getitem__(self, at):
        return at{reads}

    def __len__(self):
        return 2


if __name__ == "__main__":
    for row in DataLoader(Rows(), num_workers=2):
        net(row)
"""


@each_row(
    ("given", "below", "reads", "stays"),
    [
        ("net, cfg", "", "", False),
        ("net, path=cfg", "", "", False),
        ("cfg", "", "", True),
        ("net, cfg", "\ndescribe(cfg)", "", False),
        ("net, cfg", "", " + len(cfg)", True),
        ("3", "", "", True),
    ],
)
def test_a_call_that_fills_what_goes_under_the_guard_goes_along(
    given: str, below: str, reads: str, stays: bool
) -> None:
    nets = "def start(net, path=None):\n    if path:\n        net.load(path)\n\n\ndef describe(cfg):\n    open(cfg)\n"
    files = {"nets.py": nets, "a.py": FILLS.format(given=given, below=below, reads=reads)}
    after = migrated(files, "main-guard")["a.py"]
    assert "    net.cuda()" in after
    assert (f"\nstart({given})\n" in after, "\nnet = Net" in after) == (stays, stays)
