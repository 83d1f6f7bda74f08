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
