"""Conditions that the tests see one way only: operands of `and` and `or`, and tests of `if`, that never decide.

    python benchmarks/conditions.py -m "not slow"                  # all modules; a fifth more than the tests take
    python benchmarks/conditions.py tests/launch --only codemods/launch/

Each is a change that no test would notice (`mutation.py` tries a sample of them), or a condition that is not needed.
What a type checker needs (`isinstance`, `is not None`) is left out unless `--all` asks for it. The package is
rewritten in a copy, so that each condition notes what it gave; processes that tests start note it too.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "codemods"
LEFT_OUT = ("codemods/demo_repo/", "codemods/diagnose/probe.py")  # the probe runs as text, in any interpreter
_TYPES = re.compile(r"isinstance\(|is (not )?None|sys\.version_info|TYPE_CHECKING")
_NOTES = """\
import atexit, builtins, os
_true, _false = bytearray({count}), bytearray({count})
def _seen(number, value):
    (_true if value else _false)[number] = 1
    return value
builtins._seen = _seen
@atexit.register
def _write():
    with open(os.path.join({folder!r}, f"{{os.getpid()}}.notes"), "wb") as file:
        file.write(_true + _false)
"""


@dataclass(frozen=True)
class Condition:
    """`kind`: `if`, or `and`, `or` with the number of the operand. `start`, `end`: bytes."""

    line: int
    kind: str
    start: int
    end: int
    words: str


def conditions(data: bytes) -> Iterator[Condition]:
    """Each condition of a file that is no constant."""
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(data)):
        found: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.BoolOp):
            kind = "and" if isinstance(node.op, ast.And) else "or"
            found = [(f"{kind} {number}", value) for number, value in enumerate(node.values, 1)]
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            found = [("if", node.test)]
        elif isinstance(node, ast.comprehension):
            found = [("if", test) for test in node.ifs]
        for kind, each in found:
            if isinstance(each, ast.Constant) or (kind == "if" and isinstance(each, ast.BoolOp)):
                continue
            start, end = starts[each.lineno - 1] + each.col_offset, starts[each.end_lineno - 1] + each.end_col_offset  # type: ignore[operator]
            yield Condition(each.lineno, kind, start, end, " ".join(data[start:end].decode().split()))


def noting(data: bytes, found: list[Condition], first: int) -> bytes:
    """The file with each condition `x` as `_seen(number, x)`; numbers begin at `first`."""
    opened = [(each.start, 1, -each.end, f"_seen({number}, ") for number, each in enumerate(found, first)]
    closed = [(each.end, 0, -each.start, ")") for each in found]
    parts, at = [], 0
    for place, _, _, text in sorted([*opened, *closed]):
        parts += [data[at:place], text.encode()]
        at = place
    return b"".join([*parts, data[at:]])


def _copied(folder: Path) -> list[tuple[str, Condition]]:
    """The checkout in `folder`, its package rewritten: all conditions, by number."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT, capture_output=True)
    every: list[tuple[str, Condition]] = []
    for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
        if not (ROOT / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
        if name.startswith(f"{PACKAGE}/") and name.endswith(".py") and not name.startswith(LEFT_OUT):
            data = (ROOT / name).read_bytes()
            found = [*conditions(data)]
            (folder / name).write_bytes(noting(data, found, len(every)))
            every += [(name, each) for each in found]
    return every


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tests", nargs="*")
    parser.add_argument("-m", dest="marks", default="not slow", help="pytest's -m")
    parser.add_argument("--only", default="", metavar="PREFIX", help="print those of modules below this path")
    parser.add_argument("--all", action="store_true", help="print also what types need")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conditions-") as kept:
        folder, notes = Path(kept, "checkout"), Path(kept, "notes")
        folder.mkdir()
        notes.mkdir()
        every = _copied(folder)
        (folder / "sitecustomize.py").write_text(_NOTES.format(count=len(every), folder=str(notes)), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", options.marks]
        subprocess.run([*command, *options.tests], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})
        seen: list[set[bool]] = [set() for _ in every]
        for file in notes.glob("*.notes"):
            data = file.read_bytes()
            for number in range(len(every)):
                seen[number] |= {True} if data[number] else set()
                seen[number] |= {False} if data[len(every) + number] else set()
    one_sided = [(path, each, values) for (path, each), values in zip(every, seen, strict=True) if len(values) == 1]
    for path, each, values in one_sided:
        if path.startswith(options.only) and (options.all or not _TYPES.search(each.words)):
            print(f"{path}:{each.line} {each.kind} always {str(*values).lower()}: {each.words}")
    never = sum(not values for values in seen)
    print(f"{len(every)} conditions, {len(one_sided)} seen one way only, {never} never")
    return 0


if __name__ == "__main__":
    sys.exit(main())
