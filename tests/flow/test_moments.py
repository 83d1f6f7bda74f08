"""What an object keeps at the moment when it crosses: attributes set to None before, and what only a child makes."""

from __future__ import annotations

import pytest
from test_flow import crossings

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.marks import crossing, marked
from harness.small import reported

TRAINER = """
import multiprocessing as mp
import pickle

class Trainer:
    def __init__(self, name):
        self.name = name
        self.loss = lambda x: x

    def work(self, rank):
        print(self.name, rank)

    def reset(self):
        self.loss = None

    def build(self):
        self.loss = lambda x: x + 1

    def run(self, late=False):
        {before}
        mp.Process(target=self.work, args=(0,)).start()

    def maybe(self, late):
        if late:
            self.loss = None

if __name__ == "__main__":
    trainer = Trainer("a")
    trainer.run()
"""
CLEARED = [
    "self.loss = None",
    "del self.loss",
    "self.name, self.loss = 'b', None",
    "self.reset()",
    "with open(self.name): self.loss = 0",
]
KEPT = [
    "pass",
    "self.name = None",
    "if late: self.loss = None",
    "for _ in range(late): self.loss = None",
    "self.loss.scale = None",
    "if late: self.reset()",
    "other = mp.Queue(); other.loss = None",
    "lambda: self.reset()",
    "self.maybe(late)",
]
BUILT = ["self.loss = None; self.build()", "self.reset(); self.build()"]


def seen(files: dict[str, str]) -> set[tuple[str, int, str]]:
    return {each for each in crossing(files) if each[2] != "possible"}


@each_row(
    ("before", "kept", "again"),
    [
        *((line, False, False) for line in CLEARED),
        *((line, True, True) for line in [*KEPT, *BUILT]),
    ],
)
def test_an_attribute_that_is_set_to_none_before_the_start(before: str, kept: bool, again: bool) -> None:
    text = TRAINER.format(before="\n        ".join(before.split("; ")))
    lines = {line for _, line, _ in seen({"a.py": text})}
    assert (7 in lines) is kept
    assert (16 in lines) is again


def test_a_caller_may_clear_it() -> None:
    text = TRAINER.format(before="pass")
    cleared = text.replace("trainer.run()", "main(trainer)").replace(
        "if __name__", "def main(trainer):\n    trainer.loss = None\n    trainer.run()\n\nif __name__"
    )
    assert 7 in {line for _, line, _ in seen({"a.py": text})}
    assert 7 not in {line for _, line, _ in seen({"a.py": cleared})}
    other = cleared.replace("    main(trainer)", "    main(trainer)\n    Trainer('b').run()")
    assert 7 in {line for _, line, _ in seen({"a.py": other})}  # not every caller does


MODULE = """
import multiprocessing as mp

class Net:
    def __init__(self):
        self.hook = lambda x: x

    def detach(self):
        self.hook = None

def plain(x):
    return x

def strip(net):
    net.hook = plain

anonymous = lambda x: x

def work(net):
    print(net.hook)

if __name__ == "__main__":
    net = Net()
    {before}
    mp.Process(target=work, args=(net,)).start()
"""


@each_row(
    ("before", "kept"),
    [
        ("net.hook = None", False),
        ("del net.hook", False),
        ("net.hook = abs", False),
        ("net.hook = plain", False),
        ("net.detach()", False),
        ("strip(net)", False),
        ("net.hook = anonymous", True),
        ("if len('a'): net.detach()", True),
        ("other = Net(); other.hook = None", True),
        ("other = Net(); other.detach()", True),
        ("net.detach(); net.hook = anonymous", True),
    ],
)
def test_what_a_script_takes_off_before_the_start(before: str, kept: bool) -> None:
    text = MODULE.format(before="\n    ".join(before.split("; ")))
    assert bool(seen({"a.py": text})) is kept


FALSE = """
import multiprocessing as mp

def build(n, debug=False):
    keep = False
    job = {{"n": n}}
    {line}:
        job["fn"] = lambda x: x + n
    {below}
    return job

if __name__ == "__main__":
    mp.Process(target=print, args=(build(3),)).start()
"""


@each_row(
    ("line", "below", "found"),
    [
        ("if keep", "pass", False),
        ("if False", "pass", False),
        ("while 0", "pass", False),
        ("if n", "pass", True),
        ("for _ in (1, 2)", "keep = True", True),
        ("for keep in (0, 1)", "pass", True),
    ],
)
def test_a_branch_that_never_runs(line: str, below: str, found: bool) -> None:
    assert bool(seen({"a.py": FALSE.format(line=line, below=below)})) is found


def test_a_name_that_is_bound_again_is_not_always_false() -> None:
    text = FALSE.format(line="while True:\n      if keep", below="  keep = True")
    assert seen({"a.py": text})


PROGRAMS = {
    "one boundary of two": """
import pickle

class Agent:
    def __init__(self):
        self.rule = lambda x: x  # proven

    def save(self):
        self.rule = None
        return pickle.dumps(self)

    def send(self):
        return pickle.dumps(self)

agent = Agent()
agent.send()
agent.save()
""",
    "another attribute holds it too": """
import pickle

class Agent:
    def __init__(self):
        self.rule = lambda x: x  # proven
        self.same = self.rule

    def save(self):
        self.rule = None
        return pickle.dumps(self)

Agent().save()
""",
    "put aside while it is saved": """
import pickle

class Agent:
    def __init__(self):
        self.rule = lambda x: x

    def save(self):
        rule, self.rule = self.rule, None
        with open("a", "wb") as file:
            pickle.dump(self, file)
        self.rule = rule

Agent().save()
""",
    "of an object inside": """
import pickle

class Rules:
    def __init__(self):
        self.rule = lambda x: x

class Agent:
    def __init__(self):
        self.rules = Rules()

    def save(self):
        self.rules.rule = None
        return pickle.dumps(self)

Agent().save()
""",
    "a variable": """
import pickle

def save(agent):
    rule = lambda x: x
    agent(rule)
    rule = None
    return pickle.dumps(rule)

save(print)
""",
    "a variable that only a branch clears": """
import pickle

def save(agent):
    rule = lambda x: x  # proven
    if agent:
        rule = None
    return pickle.dumps(rule)

save(print)
""",
    "made by the target": """
import multiprocessing as mp

class Runner:
    def __init__(self):
        self.rule = None

    def loop(self, queue):
        self.set_up()
        queue(1)

    def set_up(self):
        self.rule = lambda x: x

    def start(self):
        mp.Process(target=self.loop, args=(print,)).start()

if __name__ == "__main__":
    Runner().start()
""",
    "made by a method that a thread runs too": """
import multiprocessing as mp
import threading

class Runner:
    def __init__(self):
        self.rule = None

    def loop(self):
        self.rule = lambda x: x  # proven

    def start(self):
        mp.Process(target=self.loop).start()
        threading.Thread(target=self.loop).start()

if __name__ == "__main__":
    Runner().start()
""",
    "made by a method that the parent may run": """
import multiprocessing as mp

class Runner:
    def loop(self):
        self.rule = lambda x: x  # proven

    def start(self, processes):
        if processes:
            mp.Process(target=self.loop).start()
        else:
            self.loop()

if __name__ == "__main__":
    Runner().start(2)
""",
    "made by a rank, on what it got": """
import torch.multiprocessing as mp

class Trainer:
    def __init__(self):
        self.rule = None

    def set_up(self):
        self.rule = lambda x: x

    def train(self):
        self.set_up()

def work(rank, trainer):
    trainer.train()

if __name__ == "__main__":
    mp.spawn(work, args=(Trainer(),), nprocs=2)
""",
    "sent on by a rank": """
import torch.multiprocessing as mp
from torch.utils.data import DataLoader

def work(rank, rows):
    for batch in DataLoader(rows, num_workers=2, collate_fn=lambda rows: rows):  # proven
        print(batch)

if __name__ == "__main__":
    mp.spawn(work, args=([1, 2],), nprocs=2)
""",
}


@each_row("name", PROGRAMS)
def test_what_is_there(name: str) -> None:
    files = {"a.py": PROGRAMS[name]}
    assert seen(files) == marked(files)


@pytest.mark.parametrize(("before", "kept"), [("self.log = None", False), ("del self.log", False), ("pass", True)])
def test_a_file_that_is_let_go(before: str, kept: bool) -> None:
    text = TRAINER.replace("lambda x: x\n\n", "None\n        self.log = open(name)\n\n", 1).format(before=before)
    found = [each.span.line for each in reported({"a.py": text}, "unpicklable-attributes")]
    assert (9 in found) is kept


ACTOR = """
from multiprocessing import Process

class Actor(Process):
    def __init__(self, config):
        super().__init__()
        self.rule = None
        if config.local:
            self.close = lambda: None
            {start}
            self.rule = lambda: 1
        {late}

    def run(self):
        print(self.rule)

class Sub(Actor):
    def __init__(self, config):
        super().__init__(config)
        self.start()

def main(config):
    Sub(config)
"""


def test_an_object_whose_start_is_replaced_is_not_started() -> None:
    text = ACTOR.format(start="self.start = lambda: None", late="pass")
    assert seen({"a.py": text}) == set()
    text = ACTOR.format(start="self.start = self.run", late="self.last = lambda: 2")
    assert seen({"a.py": text}) == {("a.py", 11, "proven")}


def test_another_object_of_which_start_is_set_says_nothing() -> None:
    text = ACTOR.format(start="config.start = lambda: None", late="pass")
    assert seen({"a.py": text}) == {("a.py", 8, "proven"), ("a.py", 10, "proven")}


@each_row(
    ("method", "start", "sent"),
    [
        ("def __getitem__(self, at):\n        self.files[at] = FILE", "", False),
        (
            "def __getitem__(self, at):\n        self.get(at)\n\n    def get(self, at):\n        self.files[at] = FILE",
            "",
            False,
        ),
        ("def get(self, at):\n        self.files[at] = FILE", "rows.get(0)", True),
        ("def get(self, other, at):\n        other.files[at] = FILE", "rows.get(rows, 0)", True),
    ],
)
def test_what_workers_put_into_a_container_of_their_object(method: str, start: str, sent: bool) -> None:
    text = f"""
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, paths):
        self.files = [None for _ in paths]

    {method.replace("FILE", "lambda: at")}

def main(paths):
    rows = Rows(paths)
    {start}
    return DataLoader(rows, num_workers=2)
"""
    found = [each for each in crossings({"a.py": text}) if each.confidence is not Confidence.POSSIBLE]
    assert bool(found) is sent


BESIDE = """
import multiprocessing as mp

class Bench:
    def __init__(self, jobs):
        self.jobs = jobs

    def prepare(self):
        self.pick = lambda x: x + self.jobs

    def work(self, at):
        self.prepare()
        return self.pick(at)

    def run(self):
        {first}
        with mp.Pool(self.jobs) as pool:
            return pool.map(self.work, range(2))

if __name__ == "__main__":
    bench = Bench(2)
    {early}
    print(bench.run())
"""


@each_row(
    ("first", "early", "found"),
    [
        ("if self.jobs == 1:\n            return [self.work(0)]", "", False),
        ("if self.jobs == 1:\n            self.prepare()\n            return []", "", False),
        ("if self.jobs == 1:\n            print(self.work(0))", "", True),
        ("self.work(0)", "", True),
        ("self.jobs += 1\n        if self.jobs == 1:\n            return [self.work(0)]", "", True),
        ("if self.jobs == 1:\n            return [self.work(0)]", "bench.prepare()", True),
        ("if self.jobs == 1:\n            return [self.work(0)]", "bench.work(1)", True),
    ],
)
def test_what_the_parent_makes_only_where_it_starts_no_children(first: str, early: str, found: bool) -> None:
    assert bool(reported({"a.py": BESIDE.format(first=first, early=early)}, "lambdas")) is found


SEVERAL = """
from multiprocessing import Process

class Reader:
    def __init__(self, path):
        self.path = path
        self.log = open(path, "a")

def show(reader):
    print(reader.path)

def make(path):
    return Reader(path)

def main():
    first = make("a.txt")
    {second}
    first.log = None
    Process(target=show, args=({sent},)).start()

if __name__ == "__main__":
    main()
"""


@each_row(
    ("second", "sent", "found"),
    [
        ("second = make('b.txt')", "second", ["proven"]),  # another object than that whose file is gone
        ("second = first", "second", ["possible"]),
    ],
)
def test_objects_of_one_maker_are_several_where_it_is_called_twice(second: str, sent: str, found: list[str]) -> None:
    text = SEVERAL.format(second=second, sent=sent)
    seen = reported({"a.py": text}, "unpicklable-attributes", confidence=Confidence.POSSIBLE)
    assert [each.confidence.value for each in seen] == found


LOOP = """
import multiprocessing as mp

class Loop:
    def __init__(self, count):
        self.count = count
        {first}

    def begin(self):
        {body}

    def work(self, rank):
        print(rank)

if __name__ == "__main__":
    {main}
"""
LATE = "self.found = lambda x: x; self.seen = {1: 2}.keys()"
MADE = "self.process = mp.Process(target=self.work, args=(0,))"
OTHER = MADE.replace("process =", "other =")
IN_TURN = """processes = []
for rank in range(self.count):
    process = mp.Process(target=self.work, args=(rank,))
    process.start()
    processes.append(process)"""
LISTED = "workers = [mp.Process(target=self.work, args=(rank,)) for rank in range(2)]"
EACH = "for worker in workers: worker.start()"
ASKED = "jobs = list(self.others)\njobs.count(self.process)\nfor job in jobs: job.start()"
ONCE = "Loop(2)"


@each_row(
    ("first", "body", "main", "kept"),
    [
        ("self.begin()", f"{IN_TURN}\n{LATE}", ONCE, False),
        (f"{MADE}\nself.process.start()\n{LATE}", "pass", ONCE, False),
        (f"{LISTED}\n{EACH}\n{LATE}", "pass", ONCE, False),
        (f"mp.Process(target=self.work, args=(0,)).start()\n{LATE}", "pass", ONCE, False),
        (f"{MADE}\n{LATE}\nself.process.start()", "pass", ONCE, True),
        (f"{LISTED}\n{LATE}\n{EACH}", "pass", ONCE, True),
        (f"{MADE}\nself.process.start()\n{LATE}", "mp.Process(target=self.work, args=(1,)).start()", ONCE, True),
        ("self.begin()", f"{IN_TURN}\n{LATE}", "Loop(2).begin()", True),
        ("self.begin()\nself.begin()", f"{IN_TURN}\n{LATE}", ONCE, True),
        ("self.begin()", f"{IN_TURN}\n    {LATE}", ONCE, True),
        (f"{LATE}\nself.begin()", f"{IN_TURN}\n{LATE}", ONCE, True),
        (f"{MADE}\n{OTHER}\nself.other.start()\n{LATE}\nself.process.start()", "pass", ONCE, True),
        (f"{MADE}\n{ASKED}\n{LATE}", "pass", ONCE, True),  # it may be started elsewhere
        (f"{MADE}\n{ASKED.replace('count', 'append')}\n{LATE}", "pass", ONCE, False),
    ],
)
def test_what_is_set_below_the_start_of_processes_that_get_the_object(
    first: str, body: str, main: str, kept: bool
) -> None:
    text = LOOP.format(first=first.replace("\n", "\n        "), body=body.replace("\n", "\n        "), main=main)
    rules = ("lambdas", "dict-views")
    assert [rule for rule in rules if reported({"a.py": text}, rule)] == (list(rules) if kept else [])


BUILDER = """
from multiprocessing import Pool

class Weights:
    def __init__(self, counts, more=()):
        self.names = counts.keys()
        {body}

    def again(self, counts):
        {again}

    def __call__(self, name):
        return name

if __name__ == "__main__":
    print(Pool(2).map(Weights({{"a": 1}}), ["a"]), Weights({{"b": 2}}))
"""


@each_row(
    ("body", "again", "count"),
    [
        ("self.names = sorted(self.names)", "pass", 0),
        ("self.first = min(self.names)\n        del self.names", "pass", 0),
        ("self.names = None", "return self.names", 0),
        ("pass", "self.names = sorted(self.names)", 1),
        ("if more: self.names = None", "pass", 1),
        ("if more: return\n        self.names = None", "pass", 1),
        ("for each in more:\n            if each: return\n        self.names = None", "pass", 1),
        ("if more: raise ValueError(more)\n        self.names = None", "pass", 0),
        ("with more:\n            self.names = None", "pass", 1),
        ("with more:\n            print(more)\n        self.names = None", "pass", 0),
        ("def first():\n            if more: return 1\n        self.names = None", "pass", 0),
        ("self.names = None", "self.names = counts.keys()", 1),
        ("self.names = None\n        self.names = counts.keys()", "pass", 1),
        ("print(Pool(2).map(self, 'a'))\n        self.names = None", "pass", 1),
    ],
)
def test_an_attribute_that_the_initialiser_itself_clears(body: str, again: str, count: int) -> None:
    found = reported({"a.py": BUILDER.format(body=body, again=again)}, "dict-views")
    assert len([each for each in found if each.span.line == 6]) == count
