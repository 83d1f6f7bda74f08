"""Random programs before and after `spawnfix migrate`: does each print the same?

    python benchmarks/same_meaning.py --first 50000 --count 684 --python ~/.pyenv/versions/3.13.0/bin/python

Prints a table by pattern (rewritten, refused, nothing found, different) and the smallest program of each difference.
`--python` runs the programs; the rewriting is done by this interpreter. `--real forkserver` runs what was rewritten
once more, with children that the interpreter starts in that way (`--real default`: as it does by default). Exits 1
where anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from harness.compositions import Program, composed, patterns  # noqa: E402
from harness.same_meaning import outcomes, real  # noqa: E402
from harness.scripts import script, script_patterns  # noqa: E402

_BATCH = 57


def main() -> int:
    """Run them and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=50_000, help="the first seed")
    parser.add_argument("--count", type=int, default=342)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the programs")
    parser.add_argument("--only", default="", help="patterns whose name holds this")
    parser.add_argument("--scripts", default="", choices=["", "main_guard", "model_deepcopy"], help="whole scripts")
    parser.add_argument(
        "--real", default="", choices=["", "default", "spawn", "forkserver"], help="run these for real too"
    )
    options = parser.parse_args()
    known = script_patterns(options.scripts) if options.scripts else patterns()
    names = [name for name in sorted(known) if options.only in name]

    def made(seed: int) -> Program:
        choose, name = random.Random(seed), names[seed % len(names)]
        return script(options.scripts, choose, name) if options.scripts else composed(choose, name)

    counts: dict[str, Counter[str]] = defaultdict(Counter)
    reported: set[tuple[str, str]] = set()
    for start in range(options.first, options.first + options.count, _BATCH):
        seeds = range(start, min(start + _BATCH, options.first + options.count))
        for each in outcomes([made(seed) for seed in seeds], options.python):
            group = counts[each.program.pattern.partition(":")[0]]
            group[each.what] += 1
            group["programs"] += 1
            group["different"] += bool(each.differs)
            if options.real and each.after != each.program.text and not each.program.reads_what_it_changed:
                group["real"] += 1
                printed = real(each.after, options.real.replace("default", ""), options.python)
                if printed != each.printed[0]:
                    group["really different"] += 1
                    print(
                        f"--- {each.program.pattern}\n{each.after}--- fork\n{each.printed[0]}--- real\n{printed}",
                        flush=True,
                    )
            group["unstable"] += each.unstable or bool(each.broken)
            if each.differs and (each.program.pattern, each.differs) not in reported:
                reported.add((each.program.pattern, each.differs))
                print(each.report(), flush=True)
    columns = ["programs", "fixed", "partly", "refused", "nothing", "different", "unstable", "real", "really different"]
    print(f"| patterns | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 1)}")
    for name, group in sorted(counts.items()):
        print(f"| {name} | {' | '.join(str(group[column]) for column in columns)} |")
    return int(any(group[bad] for group in counts.values() for bad in ("different", "unstable", "really different")))


if __name__ == "__main__":
    sys.exit(main())
