"""A function that starts no process for a small number: what calls with such a number give does not cross."""

from __future__ import annotations

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from harness.each_row import each_row
from harness.marks import project_of

HEAD = """\
from multiprocessing import Pool

def double(x):
    return 2 * x

"""
EARLY = (
    HEAD
    + """\
def spread(fn, rows, jobs{default}):
    if {test}:
        {here}
    with Pool(jobs) as pool:
        return pool.map(fn, rows)

spread(double, [1], 4)
{call}
"""
)
KEPT = (
    HEAD
    + """\
class Runner:
    def __init__(self, jobs=1):
        self.jobs = jobs

    def map(self, fn, rows):
        if {test}:
            pool = Pool(self.jobs)
            return pool.map(fn, rows)
        return [fn(row) for row in rows]

{call}
"""
)


def _crosses(text: str) -> bool:
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    return any(each.confidence is not Confidence.POSSIBLE for each in crossings)


@each_row("test, default, call, crosses", [
    ("jobs == 1", "=1", "spread(lambda x: x, [1])", False),
    ("jobs == 1", "=1", "spread(lambda x: x, [1], 1)", False),
    ("jobs == 1", "=1", "spread(lambda x: x, [1], 0)", True),
    ("jobs == 1", "=1", "spread(lambda x: x, [1], jobs=2)", True),
    ("jobs == 1", "=1", "spread(lambda x: x, [1], jobs=double(1))", True),
    ("jobs == 1", "=None", "spread(lambda x: x, [1])", True),
    ("jobs <= 1", "=2", "spread(lambda x: x, [1], 0)", False),
    ("jobs <= 1", "=2", "spread(lambda x: x, [1])", True),
    ("jobs <= 1", "=2", "spread(lambda x: x, [1], 1.5)", True),
    ("jobs < 2", "", "spread(lambda x: x, [1], 1)", False),
    ("not jobs", "=0", "spread(lambda x: x, [1], 0)", False),
    ("not jobs", "=0", "spread(lambda x: x, [1], 2)", True),
    ("jobs is None or jobs <= 1", "=None", "spread(lambda x: x, [1])", False),
    ("jobs is None or jobs <= 1", "=None", "spread(lambda x: x, [1], jobs=1)", False),
    ("jobs is None or jobs <= 1", "=None", "spread(lambda x: x, [1], jobs=3)", True),
    ("jobs == 1 and rows", "=1", "spread(lambda x: x, [1])", True),
    ("jobs > 1", "=1", "spread(lambda x: x, [1])", True),
    ("1 < jobs < 3", "=1", "spread(lambda x: x, [1])", True),
])  # fmt: skip
def test_a_function_that_returns_before_it_starts_one(test: str, default: str, call: str, crosses: bool) -> None:
    here = "return [fn(row) for row in rows]"
    assert _crosses(EARLY.format(test=test, default=default, here=here, call=call)) == crosses
    assert _crosses(EARLY.format(test=test, default=default, here="print(jobs)", call=call))


@each_row("test, call, crosses", [
    ("self.jobs > 1", "Runner().map(lambda x: x, [1])", False),
    ("self.jobs != 1", "Runner().map(lambda x: x, [1])", False),
    ("self.jobs >= 2", "Runner(jobs=1).map(lambda x: x, [1])", False),
    ("self.jobs > 1", "Runner(4).map(lambda x: x, [1])", True),
    ("self.jobs != 1", "Runner(0).map(lambda x: x, [1])", True),
    ("self.jobs > 1", "Runner().map(lambda x: x, [1])\nRunner(4).map(double, [1])", True),
    ("self.jobs > 1", "runner = Runner()\nrunner.jobs = 2\nrunner.map(lambda x: x, [1])", True),
    ("self.jobs.more > 1", "Runner().map(lambda x: x, [1])", True),
])  # fmt: skip
def test_an_object_that_keeps_the_number(test: str, call: str, crosses: bool) -> None:
    assert _crosses(KEPT.format(test=test, call=call)) == crosses


HEIR = "\nclass Heir(Runner):\n    def __init__(self, **options):\n        "
SETTER = (
    "\ndef change(runner, **options):\n    for name, value in options.items():\n        setattr(runner, name, value)\n"
)
OTHER = "\nclass Other:\n    pass\n"
CALLED = ".map(lambda x: x, [1])"


@each_row("code, crosses", [
    (f"{HEIR}super().__init__(**options)\n\nHeir(jobs=4){CALLED}", True),
    (f"{HEIR}Runner.__init__(self, **options)\n\nRunner(){CALLED}\nHeir(jobs=4){CALLED}", True),
    (f"{HEIR}super().__init__()\n        self.jobs = 4\n\nHeir(){CALLED}", True),
    (f"{HEIR}super().__init__()\n        self.jobs += 3\n\nHeir(){CALLED}", True),
    (f"\nclass Heir(Runner):\n    jobs = property(lambda self: 4)\n\nHeir(){CALLED}", True),
    (f"{SETTER}\nrunner = Runner()\nchange(runner, jobs=4)\nrunner{CALLED}", True),
    (f"runner = Runner()\nrunner.__dict__.update(jobs=4)\nrunner{CALLED}", True),
    (f"runner = Runner()\nvars(runner)['jobs'] = 4\nrunner{CALLED}", True),
    (f"runner = Runner()\nsetattr(runner, 'jobs', 4)\nrunner{CALLED}", True),
    (f"runner = Runner()\nobject.__setattr__(runner, 'jobs', 4)\nrunner{CALLED}", True),
    (f"runner = Runner()\nrunner.__setattr__('jobs', 4)\nrunner{CALLED}", True),
    (f"{HEIR}super().__init__()\n        self.tasks = 4\n\nHeir(){CALLED}", False),
    (f"runner = Runner()\nsetattr(runner, 'tasks', 4)\nrunner{CALLED}", False),
    (f"{OTHER}{SETTER}\nchange(Other(), jobs=4)\nRunner(){CALLED}", False),
    (f"{HEIR}super().__init__()\n\nHeir(){CALLED}", False),
])  # fmt: skip
def test_an_attribute_that_other_code_may_set(code: str, crosses: bool) -> None:
    assert _crosses(KEPT.format(test="self.jobs > 1", call=code)) == crosses


def test_what_stars_hand_on_is_no_number_of_another_name() -> None:
    early = EARLY.format(test="jobs <= 1", default="=1", here="return rows", call="deep(lambda x: x, [1], jobs=4)")
    deep = "def deep(fn, rows, **options):\n    return spread(fn, rows, **options)\n\n"
    assert _crosses(early.replace("spread(double, [1], 4)", deep))
