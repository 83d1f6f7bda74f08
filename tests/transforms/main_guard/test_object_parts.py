"""What the main process alone puts into an object of a module, in whatever way, and a worker reads."""

from __future__ import annotations

import ast

from codemods.syntax.outline import Outline
from codemods.transforms.main_guard.state.object_parts import fills
from harness.each_row import each_row
from harness.main_changes import is_reported
from harness.small import reported

CLASS = """

class Table:
    def __init__(self):
        self.size = 1
        self.rows = {}
        self.count = 0

    def configure(self, size):
        self.size = size

    def add(self, name, value):
        self.rows[name] = value

    def has(self, name):
        return name in self.rows

    def look(self):
        self.count += 1
        return self.count

    def register(self, function):
        self.rows[function.__name__] = function
        return function


    def note(self, x):
        self.count += 1
        return x


TABLE = Table()
"""
SETTINGS = """

class Settings(dict):
    size = 1

    def __init__(self):
        self.parts = {"size": 1}

    @property
    def length(self):
        return self.parts["size"]

    def parse(self, options):
        for name, value in options.items():
            setattr(self, name, value)

    def merge(self, options):
        for name in options:
            self[name] = options[name]

    def change(self, options):
        for name in options:
            self.parts[name] = options[name]

    def mark(self):
        setattr(self, "marked", True)


CONF = Settings()
"""
KEEPER = """

class Settings:
    size = 1


class Keeper:
    def __init__(self, conf):
        self.conf = conf

    def set(self):
        self.conf.size = 2


CONF = Settings()
"""


@each_row(
    ("made", "read", "change"),
    [
        ("LEVEL = [0]", "x + LEVEL[0]", "LEVEL[0] = 5"),
        ("STAGES = []", "len(STAGES)", "STAGES.append(1)"),
        ("STAGES = [1]", "sum(STAGES)", "STAGES.extend([1, 2])"),
        ("SEEN = set()", "x in SEEN", "SEEN.add(1)"),
        ("SEEN = {7}", "x in SEEN", "SEEN.discard(7)"),
        ("ROWS = defaultdict(list)", "len(ROWS['a'])", "ROWS['a'].append(3)"),
        (CLASS, "TABLE.size", "TABLE.configure(3)"),
        (CLASS, "TABLE.size", "setattr(TABLE, 'size', 3)"),
        (CLASS, "TABLE.size", "vars(TABLE).update(size=3)"),
        (CLASS, "TABLE.size", "TABLE.__dict__['size'] = 3"),
        (CLASS, "TABLE.has('a')", "TABLE.add('a', len)"),
        (CLASS, "TABLE.has('a')", "TABLE.rows.setdefault('a', 1)"),
        (CLASS, "TABLE.has('a')", "@TABLE.register\ndef a(x):\n    return x"),
        (CLASS, "TABLE.look()", "TABLE.look()"),  # it goes on where the main process left it
        ("STAGES = []", "STAGES.append(x) or len(STAGES)", "STAGES.append(1)"),  # under fork all are there
        ("NUMBERS = itertools.count()", "next(NUMBERS)", "next(NUMBERS)"),
        ("def ids():\n    yield 1\nIDS = ids()", "next(IDS)", "next(IDS)"),
        ("def ids():\n    def inner():\n        yield 1\n    return inner()\nIDS = ids()", "next(IDS)", "next(IDS)"),
        ("RNG = random.Random(3)", "RNG.random()", "RNG.random()"),
        ("RNG = random.Random(3)", "RNG.random()", "RNG.seed(5)"),
        ("RNG = random.Random(3)", "RNG.random()", "RNG.setstate(state)"),
        ("RNG = np.random.RandomState(3)", "RNG.rand()", "RNG.set_state(state)"),
        ("RNG = np.random.default_rng(3)", "RNG.random()", "RNG.permutation(4)"),
        ("USER = ContextVar('user', default=1)", "USER.get()", "USER.set(2)"),
        ("CONF = {'a': 1}", "CONF['a']", "conf = CONF\nconf['a'] = 2"),
        (KEEPER, "CONF.size", "Keeper(CONF).set()"),
        (SETTINGS, "CONF.size", "CONF.parse({'size': 2})"),
        (SETTINGS, "CONF['size']", "CONF.merge({'size': 2})"),
        (SETTINGS, "CONF.length", "CONF.change({'size': 2})"),
        ("BIAS = torch.zeros(3)", "x * BIAS", "BIAS.fill_(2)"),
    ],
)
def test_what_a_spawned_worker_lacks(made: str, read: str, change: str) -> None:
    assert is_reported(made, read, change)


@each_row(
    ("made", "read", "change"),
    [
        ("STAGES = []", "x", "STAGES.append(1)"),
        ("STAGES = []", "STAGES.append(x)", "STAGES.append(1)"),  # the worker does so too, and reads nothing
        ("STAGES = []", "STAGES.clear() or len(STAGES)", "STAGES.append(1)"),  # it begins anew itself
        ("STAGES = [3]", "STAGES.remove(3) or len(STAGES)", "STAGES.remove(3)"),
        ("STAGES = []", "len(STAGES)", "print(STAGES.count(1))"),
        (CLASS, "TABLE.size", "TABLE.add('a', len)"),
        (CLASS, "TABLE.size", "TABLE.rows.setdefault('a', 1)"),
        (CLASS.replace("{}", "[]"), "TABLE.size", "TABLE.rows.append(1)"),
        (CLASS, "TABLE.has('a')", "TABLE.configure(3)"),
        (CLASS, "TABLE.note(x)", "TABLE.note(1)"),  # each process counts for itself, and reads nothing
        ("NUMBERS = itertools.count()", "x", "next(NUMBERS)"),
        ("NUMBERS = itertools.count()", "next(NUMBERS)", "print(NUMBERS)"),
        ("RNG = random.Random()", "RNG.random()", "RNG.random()"),  # it has no seed: another one each time
        ("RNG = random.Random(3)", "RNG.seed(x) or RNG.random()", "RNG.random()"),
        ("RNG = random.Random(3)", "RNG.random()", "RNG.getstate()"),
        ("USER = ContextVar('user', default=1)", "USER.get()", "USER.get()"),
        ("CONF = {'a': 1}", "CONF['a']", "conf = dict(CONF)\nconf['a'] = 2"),
        ("CONF = {'a': 1}", "CONF['a']", "conf = CONF\nconf = {}\nconf['a'] = 2"),
        (KEEPER, "CONF.size", "Keeper(Settings()).set()"),
        (SETTINGS, "CONF.size", "CONF.mark()"),
        (SETTINGS, "CONF.length", "CONF.mark()"),
        (CLASS, "TABLE.size", "setattr(TABLE, 'rows', 3)"),
        (CLASS, "TABLE.size", "print(vars(TABLE).update)"),
        (CLASS, "TABLE.size", "print(vars(TABLE)['size'])"),
        (CLASS, "TABLE.configure(x) or TABLE.size", "TABLE.configure(3)"),
        (CLASS, "TABLE.add('b', x) or TABLE.has('a')", "TABLE.register(main)"),
        ("BIAS = torch.zeros(3)", "x * BIAS", "print(BIAS.sum(), BIAS._shown_())"),
    ],
)
def test_look_alikes(made: str, read: str, change: str) -> None:
    assert not is_reported(made, read, change)


POOLED = """\
import multiprocessing as mp

rows = None


def sample(n):
    return rows[n]


def prepare(pool, n):
    return [pool.{send}(sample, {args}) for each in range(n)]


class Trainer:
    def __init__(self, n):
        self.n = n

    def fit(self, table):
        global rows
        rows = table
        {made}
        {jobs}


if __name__ == "__main__":
    Trainer(2).fit([1, 2, 3])
"""


@each_row(
    ("made", "jobs", "is_found"),
    [
        ("self.pool = mp.Pool(2)", "print(prepare(self.pool, 2))", True),
        ("pool = mp.Pool(2)", "print(prepare(pool, n=2))", True),
        ("", "print(mp.Pool(2).map(sample, [1]))", True),
        ("pool = mp.dummy.Pool(2)", "print(prepare(pool, 2))", False),
        ("pool = [mp.Pool(2)]", "print(prepare(pool, 2), prepare(self.n, 2))", False),
        ("", "print(rows)", False),
    ],
)
def test_a_global_that_a_method_sets_before_it_sends_work(made: str, jobs: str, is_found: bool) -> None:
    text = POOLED.format(send="apply_async", args="(each,)", made=made or "pass", jobs=jobs)
    found = [each for each in reported({"a.py": text}, "main-guard") if "by `fit` in the main process" in each.message]
    assert len(found) == is_found


@each_row(
    ("text", "fills_it"),
    [
        ("THIS[1] = 2", True),
        ("del THIS[1]", True),
        ("THIS.append(1)", True),
        ("THIS.part.append(1)", True),
        ("THIS.part[1] = 2", True),
        ("add = THIS.append", False),  # not called
        ("each(THIS.append)", False),
        ("THIS.index(1)", False),
        ("print(THIS[1])", False),
        ("rows.append(THIS)", False),
        ("THIS = 1", False),
    ],
)
def test_what_fills_an_object(text: str, fills_it: bool) -> None:
    outline = Outline("a.py", ast.parse(text))
    (node,) = (each for each in outline.nodes if isinstance(each, ast.Name) and each.id == "THIS")
    assert fills(outline, node) is fills_it
