"""Repositories with two to six attacks at once, drawn at random, through `check` and `migrate`.

    python benchmarks/hostile.py [--first 0] [--count 300]

None may leave a marker, change anything outside, or end in an internal error. Prints how the runs ended, and the seeds
of those that went wrong; exits with 1 then.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/tree")]

tried = importlib.import_module("test_hostile_combinations").tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0"}
    ended: Counter[str] = Counter()
    attacks: Counter[str] = Counter()
    wrong = []
    for seed in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as folder:
            os.environ["HOME"] = f"{folder}/home"
            Path(folder, "home").mkdir()
            Path(folder, "home/.gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
            try:
                used, codes = tried(seed, Path(folder))
            except AssertionError as error:
                wrong.append(seed)
                print(f"seed {seed}: {str(error)[:1500]}", flush=True)
                continue
            attacks.update(used)
            ended[f"check {codes[0]}, migrate {codes[1]}"] += 1
    print(f"{options.count} repositories with {attacks.total()} attacks of {len(attacks)} kinds; {len(wrong)} wrong")
    print("\n".join(f"  {number:4} {how}" for how, number in ended.most_common()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
