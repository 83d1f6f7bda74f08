"""What a script changes below all of its starts, no worker can see."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

SCRIPT = """\
from multiprocessing import Pool, Process

SETTINGS = {"scale": 1}


def probe(index):
    print(index, SETTINGS["scale"])


SETTINGS["scale"] = 10

for i in range(3):
    process = Process(target=probe, args=(i,))
    process.start()
    process.join()
SETTINGS["scale"] = 0
print(SETTINGS)
"""
AGAIN = SCRIPT.replace("print(SETTINGS)", "Process(target=probe, args=(4,)).start()")
OF_A_POOL = SCRIPT.replace('SETTINGS["scale"] = 10\n', 'SETTINGS["scale"] = 10\npool = Pool(2)\n').replace(
    "print(SETTINGS)", "print(pool.map(probe, [1, 2]))"
)
BY_A_LIBRARY = SCRIPT.replace("print(SETTINGS)", "from library import run_all\nrun_all(probe)")


@each_row(("script", "fixed"), [(SCRIPT, True), (AGAIN, False), (OF_A_POOL, False), (BY_A_LIBRARY, False)])
def test_what_is_changed_below_all_starts(script: str, fixed: bool) -> None:
    changed = migrated({"main.py": script}, "main-guard")
    assert bool(changed) is fixed
    if fixed:
        outside, _, inside = changed["main.py"].partition('if __name__ == "__main__":\n')
        assert 'SETTINGS["scale"] = 10' in outside and '    SETTINGS["scale"] = 0' in inside


DRAWS = """\
import random
from multiprocessing import Process

RNG = random.Random({seed})
{seeded}
WEIGHTS = [RNG.randint(1, 9) for _ in range(5)]


def probe(index):
    print(index, WEIGHTS, RNG.random())


{before}
process = Process(target=probe, args=(1,))
process.start()
process.join()
print("next", RNG.randint(0, 9))
"""


@each_row(
    ("seed", "seeded", "before", "fixed"),
    [
        ("13", "", "", True),
        ("", "RNG.seed(13)", "", True),
        ("", "RNG.seed(None)", "", False),
        ("", "random.seed(13)", "", False),
        ("13", "", "print(RNG.random())", False),  # a forked worker goes on from there
    ],
)
def test_draws_below_all_starts(seed: str, seeded: str, before: str, fixed: bool) -> None:
    changed = migrated({"main.py": DRAWS.format(seed=seed, seeded=seeded, before=before)}, "main-guard")
    assert bool(changed) is fixed
    if fixed:
        outside, _, inside = changed["main.py"].partition('if __name__ == "__main__":\n')
        assert "WEIGHTS =" in outside and seeded in outside and '    print("next"' in inside
