"""Kills, Ctrl-C, full and broken disks at every step of a run, and what it ends in: a table of all of them.

    python benchmarks/faults.py [--job "migrate --no-git"] [--fault disk] [--every N] [--no-disk] [--json FILE]

For each job and fault: at how many steps it was tried, how the runs ended (exit status, and the state of the user's
files after it), and how many ended in a way that they may not. `full` is no fault that we put there, but a tmpfs with
less and less room (or fewer and fewer files) left; it needs a Linux on which a file system may be mounted. `apart`: the
repository is on it, our own folder is not. Exits with 1 when a run ended as it may not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from harness.fault_points import JOBS, Row, full_disk, own_home, points  # noqa: E402

FAULTS = ("kill", "group", "soon", "interrupt", "disk", "io", "denied")
CHILD = ("child-kill", "child-soon", "child-disk", "child-io")
STRIDE = {"batch": 9, "batch --in-place": 9}  # each takes several hundred steps, and is begun again after each
DISKS = {  # (how much is left, of files instead of KiB, our own folder elsewhere)
    "full": [(free, False, False) for free in (*range(0, 240, 4), *range(240, 1200, 60))],
    "full, apart": [(free, False, True) for free in range(0, 96, 4)],
    "full of files": [(free, True, False) for free in range(0, 120, 3)],
    "full of files, apart": [(free, True, True) for free in range(0, 40, 2)],
}
BATCH_DISKS = {name: rows[::4] for name, rows in DISKS.items()}


def tried(job: str, fault: str, every: int, scratch: Path) -> Iterator[tuple[Row, str]]:
    """Every run of `job` with `fault`: its row, and the state it ended in, or what is wrong."""
    judge = JOBS[job].build(scratch / "template")
    stride = every * STRIDE.get(job, 1)
    for place, row in points(fault, stride, scratch / "template", scratch / "runs", *JOBS[job].arguments):
        try:
            found = judge(place, fault, row)
        except AssertionError as error:
            found = f"WRONG: {str(error)[:300]}"
        else:
            shutil.rmtree(place)
        yield row, found


def tried_on_disks(job: str, fault: str, every: int, scratch: Path) -> Iterator[tuple[Row, str]]:
    """The same for disks that are full. In a mount namespace."""
    rows = (BATCH_DISKS if job.startswith("batch") else DISKS)[fault]
    for number, (free, inodes, apart) in enumerate(rows[::every]):
        place = scratch / str(number)
        place.mkdir()
        judge, row = full_disk(JOBS[job], place, free, inodes, apart)
        try:
            found = judge(place, "full", row)
        except AssertionError as error:
            found = f"WRONG: {str(error)[:300]}"
        subprocess.run(["umount", str(place)], check=True)
        yield row, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", action="append", choices=JOBS)
    parser.add_argument("--fault", action="append", choices=(*FAULTS, *CHILD, *DISKS))
    parser.add_argument("--every", type=int, default=1, help="only each Nth step")
    parser.add_argument("--no-disk", action="store_true", help="leave the real full disks out")
    parser.add_argument("--json", type=Path, help="write each run to this file, a line each")
    options = parser.parse_args()
    if not options.no_disk and "SPAWNFIX_UNSHARED" not in os.environ:
        command = ["unshare", "--mount", sys.executable, *sys.argv]
        return subprocess.run(command, env={**os.environ, "SPAWNFIX_UNSHARED": "1"}).returncode
    total = wrong = 0
    print("| job | fault | points | exit status | outcome | wrong |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    for job in options.job or JOBS:
        kinds = (*FAULTS, *(CHILD if job.startswith("batch") else ()), *(() if options.no_disk else DISKS))
        for fault in options.fault or kinds:
            if fault not in kinds:
                continue
            with tempfile.TemporaryDirectory(prefix="faults-") as folder:
                os.environ.update(own_home(Path(folder)))
                run = tried_on_disks if fault in DISKS else tried
                rows = list(run(job, fault, options.every, Path(folder)))
            statuses = Counter(row["status"] for row, _ in rows)
            outcomes = Counter(found for _, found in rows)
            bad = sum(number for found, number in outcomes.items() if found.startswith("WRONG"))
            total, wrong = total + len(rows), wrong + bad
            cells = [", ".join(f"{key}: {number}" for key, number in each.items()) for each in (statuses, outcomes)]
            print(f"| {job} | {fault} | {len(rows)} | {cells[0]} | {cells[1]} | {bad} |", flush=True)
            if options.json is not None:
                with options.json.open("a") as stream:
                    for row, found in rows:
                        stream.write(json.dumps({"job": job, "fault": fault, **row, "outcome": found}) + "\n")
    print(f"\n{total} points, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
