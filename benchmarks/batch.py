"""Batches: does the machinery stay linear, and how many repositories a minute: `python benchmarks/batch.py [LIST]`.

Without LIST: a simulation with a task that does nothing, through list, ledger, engine and report, for growing numbers
of repositories. With LIST (of repositories, as `spawnfix batch` takes it): throughput with 1 and 2 processes, with a
full cache, and on a Dask cluster of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from codemods.batch.run import BatchOptions, run_batch  # noqa: E402
from codemods.batch.spec import Outcome, Spec, Status  # noqa: E402


def stub(spec: Spec, scratch: Path) -> Outcome:
    """A repository of no work: one in ten fails, one in three has findings."""
    number = int(spec.name.rpartition("-")[2])
    if number % 10 == 0:
        return Outcome(Status.FAILED, "it was told to", "analyse")
    found = {"lambdas": {"proven": number % 3, "likely": 1}} if number % 3 else {}
    return Outcome(
        Status.MIGRATED if found else Status.CLEAN,
        commit=f"{number:040x}",
        findings={rule: sum(numbers.values()) for rule, numbers in found.items()},
        confidence=found,
        fixed=number % 3,
        files={"findings.json": "{}", "changes.patch": ""},
    )


def main() -> int:
    """Measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 3000, 10000], metavar="N")
    parser.add_argument("--simulate", nargs=2, help=argparse.SUPPRESS)  # one size, in a process of its own
    arguments = parser.parse_args()
    if arguments.simulate:
        _simulate(Path(arguments.simulate[0]), int(arguments.simulate[1]))
    elif arguments.list:
        _throughput(arguments.list)
    else:
        print(f"{'repositories':>12}{'seconds':>10}{'ms each':>9}{'again, s':>10}{'report, s':>11}{'MiB':>6}")
        for size in arguments.sizes:
            with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
                own = [sys.executable, str(Path(__file__).resolve()), "--simulate", work, str(size)]
                subprocess.run(own, check=True, stderr=subprocess.DEVNULL)
    return 0


def _simulate(work: Path, size: int) -> None:
    from codemods.batch.ledger import Ledger
    from codemods.batch.report import write_report

    (work / "list.txt").write_text(
        "".join(f"https://example.org/o/r-{number}\n" for number in range(size)), encoding="utf-8"
    )
    asked = BatchOptions(str(work / "list.txt"), work / "out", jobs=2, task="batch:stub")
    start = time.perf_counter()
    run_batch(asked)
    first = time.perf_counter() - start
    start = time.perf_counter()
    run_batch(BatchOptions(asked.list, asked.out, jobs=2, task="batch:stub", resume=True))
    again = time.perf_counter() - start
    ledger = Ledger(asked.out)
    start = time.perf_counter()
    write_report(asked.out, ledger.rows(), ledger.about())
    report = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**10
    print(f"{size:>12}{first:>10.1f}{1000 * first / size:>9.2f}{again:>10.2f}{report:>11.2f}{peak:>6}", flush=True)


def _throughput(file: Path) -> None:
    tool = [sys.executable, str(ROOT / "cli.py"), "batch", str(file)]
    print(f"{'':<34}{'seconds':>9}{'repos/min':>11}{'MiB/s':>8}{'peak MiB':>10}{'known':>8}{'results':>9}")
    with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
        rows = {
            "1 process, no cache": ["--jobs", "1", "--no-cache"],
            "2 processes, no cache": ["--jobs", "2", "--no-cache"],
            "2 processes, empty cache": ["--jobs", "2"],
            "2 processes, full cache": ["--jobs", "2"],
        }
        results: list[object] = []
        for name, flags in rows.items():
            _row(name, [*tool, *flags], Path(work), results)
        try:
            from distributed import LocalCluster
        except ImportError:
            return
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)  # type: ignore[no-untyped-call]
        with cluster:
            address = cluster.scheduler_address
            _row("Dask, 2 workers, no cache", [*tool, "--dask", address, "--no-cache"], Path(work), results)


def _row(name: str, command: list[str], work: Path, results: list[object]) -> None:
    out = work / name.replace(" ", "-")
    env = {**os.environ, "SPAWNFIX_CACHE_DIR": str(work / "cache")}
    subprocess.run([*command, "--out", str(out)], env=env, stderr=subprocess.DEVNULL, check=False)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    totals = summary["totals"]
    measured = ("seconds", "memory_mib")
    results.append([{key: value for key, value in row.items() if key not in measured} for row in summary["repos"]])
    results.append([_text(file, out) for file in sorted(out.glob("repos/*/*")) if file.suffix in (".patch", ".json")])
    same = "same" if results[-2:] == results[:2] else "OTHER"
    seconds = totals["wall_seconds"]
    rate, speed = 60 * totals["repos"] / seconds, totals["bytes"] / 2**20 / seconds
    known = "" if totals["cache"]["rate"] is None else f"{totals['cache']['rate']:.0%}"
    numbers = f"{seconds:>9.1f}{rate:>11.1f}{speed:>8.2f}{totals['peak_memory_mib']:>10}{known:>8}{same:>9}"
    print(f"{name:<34}{numbers}", flush=True)


def _text(file: Path, out: Path) -> tuple[str, bytes]:
    return str(file.relative_to(out)), file.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
