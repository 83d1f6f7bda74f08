"""Which tests the fast part can do without: it writes `tests/dear_tests.txt`, whose tests are slow ones, `in_process`.

    python benchmarks/mutation.py record -m "not slow"      # which test executes which line, and how long it takes
    python benchmarks/fast_part.py --save 30                # list tests for 30 s of CPU more, as recorded
    python benchmarks/fast_part.py --back 5                 # take the cheapest off the list, for 5 s; see below

The dearest come first. A test goes only where each line that it executes is executed by another one that stays: no
line of the package loses its last fast test. Tests of a function go together, but for
dear ones, as of a table of rows. What is listed already stays listed (it was not recorded); remove the file to begin
anew. To take some back, record listed tests too, without `-m`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sqlite3
import sys
from collections import Counter, defaultdict
from pathlib import Path

from coverage.numbits import numbits_to_nums

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "dear_tests.txt"
BY_ITSELF = 0.05  # s: the tests of a function are told apart where one of them takes so long
STAYS = ("tests/test_before_after.py",)  # every case, in process: the fast part is there for it
_PHASE = re.compile(r"\|(?:setup|run|teardown)$")
_PARAMETERS = re.compile(r"\[.*\]$", re.DOTALL)
Line = tuple[int, int]  # a file, by its number, and a line of it


def function_of(test: str) -> str:
    """The id of a test without what stands in brackets."""
    return _PARAMETERS.sub("", test)


def grouped(seconds: dict[str, float]) -> dict[str, str]:
    """For each test what it goes with: its function, or itself."""
    slowest = defaultdict[str, float](float)
    for test, time in seconds.items():
        slowest[function_of(test)] = max(slowest[function_of(test)], time)
    apart = {function for function, time in slowest.items() if time >= BY_ITSELF}
    apart -= {function_of(test) for test in seconds if test != "".join(test.split())}  # ids with blanks are for people
    return {test: test if function_of(test) in apart else function_of(test) for test in seconds}


def executed(data: Path, group: dict[str, str]) -> dict[str, set[Line]]:
    """The lines that the tests of each group execute, as recorded in a file of coverage."""
    found = defaultdict[str, set[Line]](set)
    with contextlib.closing(sqlite3.connect(data)) as database:
        query = "SELECT context, file_id, numbits FROM line_bits JOIN context ON context.id = context_id"
        for context, file, bits in database.execute(query):
            test = group.get(_PHASE.sub("", context))
            if test is not None:
                found[test].update((file, line) for line in numbits_to_nums(bits))
    return dict(found)


def dispensable(lines: dict[str, set[Line]], seconds: dict[str, float], save: float) -> list[str]:
    """The dearest tests without which each line is still executed."""
    left = Counter(line for each in lines.values() for line in each)
    chosen: list[str] = []
    for test in sorted(lines, key=lambda each: (-seconds.get(each, 0.0), each)):
        if save <= 0:
            break
        if all(left[line] > 1 for line in lines[test]):
            left.subtract(lines[test])
            chosen.append(test)
            save -= seconds.get(test, 0.0)
    return chosen


def cheapest(listed: list[str], recorded: dict[str, float], room: float) -> list[str]:
    """Those of the listed tests and functions that are the cheapest, and together take no longer than `room`."""
    known, seconds = {*listed}, defaultdict[str, float](float)
    for test, time in recorded.items():
        name = test if test in known else function_of(test)
        if name in known:
            seconds[name] += time
    chosen: list[str] = []
    for name in sorted(seconds, key=lambda each: (seconds[each], each)):
        room -= seconds[name]
        if room < 0:
            break
        chosen.append(name)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--save", type=float, metavar="SECONDS", help="of CPU, as recorded")
    wanted.add_argument("--back", type=float, metavar="SECONDS", help="of CPU, as recorded")
    options = parser.parse_args()
    recorded = json.loads((ROOT / ".coverage.seconds").read_text(encoding="utf-8"))
    listed = LIST.read_text(encoding="utf-8").split() if LIST.exists() else []
    if options.back is not None:
        back = {*cheapest(listed, recorded, options.back)}
        LIST.write_text("".join(f"{test}\n" for test in sorted({*listed} - back)), encoding="utf-8")
        print(f"{len(back)} of {len(listed)} tests and functions are fast ones again")
        return 0
    group, seconds = grouped(recorded), defaultdict[str, float](float)
    for test, time in recorded.items():
        seconds[group[test]] += time
    known = executed(ROOT / ".coverage", group)
    lines = {test: found for test, found in known.items() if not test.startswith(STAYS)}
    kept = {f"stays {test}": found for test, found in known.items() if test not in lines}
    chosen = [test for test in dispensable(lines | kept, seconds, options.save) if test in lines]
    LIST.write_text("".join(f"{test}\n" for test in sorted({*listed, *chosen})), encoding="utf-8")
    spared, all_of_them = sum(seconds[test] for test in chosen), sum(seconds.values())
    print(f"{len(chosen)} of {len(lines)} tests listed, {spared:.1f} of {all_of_them:.1f} s of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
