"""Edits a copy of a repository at random and compares what a warm run says with a cold one: `... FOLDER [--edits 500]`.

Each round edits one file in one of many ways (or goes back to an earlier state), then asks twice: with the caches,
which have seen all earlier states, and without. Prints how many were answered from the cache, how many rules did not
have to run again, and each round that differs.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from codemods.delivery.target import to_check  # noqa: E402
from codemods.engine import look_cache  # noqa: E402
from codemods.engine.migrate import check  # noqa: E402
from codemods.engine.report_cache import ReportCache  # noqa: E402
from codemods.engine.results import Report  # noqa: E402
from codemods.finding import Confidence  # noqa: E402
from codemods.settings import Settings  # noqa: E402
from codemods.tree.suffixes import READ  # noqa: E402

COLD = Settings(confidence=Confidence.POSSIBLE)
WARM = Settings(confidence=Confidence.POSSIBLE, cache=True)

_KINDS = ["double", "less", "swap", "word", "back", "back", "touch", "gone", "same size", "number", "note"]
_KINDS += ["above"] * 3  # a line that says nothing, above another
_ABOVE = [b"\n", b"# a line\n", b"    # a line with words: train main Process\n"]


def main() -> int:
    """Edit, ask, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    recalled = different = 0
    with tempfile.TemporaryDirectory(prefix="spawnfix-benchmark-") as work:
        os.environ["SPAWNFIX_CACHE_DIR"] = str(Path(work, "cache"))
        target = Path(work, "repository")
        shutil.copytree(arguments.folder, target, symlinks=True)
        everything = (path for path in target.rglob("*") if path.is_file() and not path.is_symlink())
        files = sorted(path for path in everything if READ.search(path.name) and ".git" not in path.parts)
        states = {path: [path.read_bytes()] for path in files}
        for number in range(arguments.edits):
            _edit(target, states, dice)
            warm, known = _warm(target)
            recalled += known
            where = to_check(target)
            if warm != check(where.files, COLD):
                different += 1
                print(f"round {number}: the warm run differs from the cold one")
    good, asked = look_cache.STATS.hits, look_cache.STATS.lookups
    print(
        f"{arguments.edits} edits, {recalled} answered from the cache, "
        f"{good} of {asked} rules did not run again, {different} differ"
    )
    return 1 if different else 0


def _warm(target: Path) -> tuple[Report, bool]:
    cache = ReportCache(to_check(target).files, ("benchmark",))
    report = cache.recall()
    if report is not None:
        return report, True
    report = check(cache.files, WARM, memory=cache.looks(WARM))
    cache.keep(report)
    return report, False


def _edit(target: Path, states: dict[Path, list[bytes]], dice: random.Random) -> None:
    """One change of one file: a line doubled, taken away or moved, a word in place of another, an earlier state..."""
    path = dice.choice(sorted(states))
    data = path.read_bytes() if path.exists() else states[path][0]
    lines = data.splitlines(keepends=True) or [b"\n"]
    at = dice.randrange(len(lines))
    kind = dice.choice(_KINDS)
    if kind == "double":
        lines.insert(at, lines[at])
    elif kind == "less":
        del lines[at]
    elif kind == "swap":
        lines[at], lines[at - 1] = lines[at - 1], lines[at]
    elif kind in ("word", "same size"):
        words = sorted(set(re.findall(rb"[A-Za-z_]+", data))) or [b"x"]
        word = dice.choice(words)
        others = [other for other in words if len(other) == len(word)] if kind == "same size" else words
        lines = [data.replace(word, dice.choice(others), 1)]
    elif kind == "number":
        lines = [re.sub(rb"\b[0-9]\b", b"%d" % dice.randrange(10), data, count=dice.randrange(1, 4))]
    elif kind == "note":
        lines[at] = lines[at].rstrip(b"\r\n") + b"  # noted\n"
    elif kind == "above":
        lines.insert(at, dice.choice(_ABOVE))
    elif kind == "back":
        lines = [dice.choice(states[path])]
    elif kind == "gone" and path.exists():
        path.unlink()
        return
    times = path.stat() if path.exists() else None
    path.write_bytes(b"".join(lines))
    if kind == "same size" and times is not None:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    states[path].append(b"".join(lines))


if __name__ == "__main__":
    sys.exit(main())
