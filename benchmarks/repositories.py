"""Is what `migrate` makes of real repositories still good code?

Every FOLDER (a git work tree or not) is migrated in memory; nothing is written there. Told is what no rewrite may do:
a file that does not compile, a complaint of `ruff` that was not there before (undefined and unused names, imports and
variables, redefinitions, blanks at the end of a line), a line that is too long, a rewrite that a second run changes
again. With --out the diffs are kept, to be read. Exits 1 when there is anything to tell.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from test_suites import EVERYTHING  # noqa: E402

from codemods.delivery.target import to_preview  # noqa: E402
from codemods.engine.migrate import Plan, plan  # noqa: E402
from codemods.finding import Confidence  # noqa: E402
from codemods.settings import Settings  # noqa: E402
from codemods.tree.files import MemoryFiles  # noqa: E402

_COMPLAINTS = "E9,F401,F811,F821,F823,F841,W291,W293"
_LONG = 120


def main() -> int:
    """Print a line per repository and one per thing that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--select", default="lambdas", help="rules, separated by commas")
    parser.add_argument("--confidence", default="possible", choices=[each.value for each in Confidence])
    parser.add_argument("--everything", action="store_true", help="lambdas: as if all code without a name crossed")
    parser.add_argument("--out", type=Path, help="write NAME.diff and NAME.refused here")
    options = parser.parse_args()
    rules = {"lambdas": EVERYTHING} if options.everything else None
    settings = Settings(confidence=Confidence(options.confidence), select=tuple(options.select.split(",")))
    wrong = 0
    for folder in options.folders:
        files = to_preview(folder, no_git=False).files
        before = {each.path: files.read(each.path) for each in files.entries() if each.path.endswith(".py")}
        result = plan(files, settings, rules=rules)
        changed = {path: data for path, data in result.contents.items() if path in before}
        again = plan(MemoryFiles({**before, **changed}), settings, rules=rules)
        told = [*broken({path: before[path] for path in changed}, changed)]
        told += [f"{path}: a second run changes it" for path in again.contents if path in before]
        told += [f"{each.path}: {each.reason}" for each in result.skipped if "our bug" in each.reason]
        told += [f"{each.path}: {each.reason}" for each in result.remaining if "internal check" in (each.reason or "")]
        fixed = sum(len(each.findings) for each in result.changes)
        print(f"{folder.name}: {fixed} rewritten in {len(changed)} files, {len(result.remaining)} left", flush=True)
        for each in told:
            print(f"    {each}", flush=True)
        wrong += len(told)
        if options.out is not None:
            keep(options.out, folder.resolve().name, before, changed, result)
    return int(wrong > 0)


def broken(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    """What is wrong with the new text and was not with the old."""
    for path, data in after.items():
        try:
            compile(data, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            yield f"{path}: {error}"
        old = Counter(lines(before[path]))
        longest = max(_LONG, *map(len, old), 0)
        yield from (f"{path}: {len(line)} columns: {line.strip()}" for line in lines(data) if len(line) > longest)
    new = complaints(after)
    for (path, code, message), count in (new - complaints(before)).items():
        yield f"{path}: {code} {message} ({count} more)"


def complaints(contents: Mapping[str, bytes]) -> Counter[tuple[str, str, str]]:
    """(path, code, message) of what ruff says about the files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, data in contents.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", _COMPLAINTS]
        ran = subprocess.run([*command, "--output-format", "json", folder], capture_output=True, text=True, check=False)
        root = Path(folder).resolve()
        return Counter(
            (
                Path(each["filename"]).resolve().relative_to(root).as_posix(),
                str(each["code"]),
                re.sub(r"line \d+", "a line", each["message"]),
            )
            for each in json.loads(ran.stdout or "[]")
        )


def lines(data: bytes) -> list[str]:
    """The lines of a file, as far as they can be read as UTF-8."""
    return data.decode("utf-8", "replace").splitlines()


def keep(out: Path, name: str, before: Mapping[str, bytes], after: Mapping[str, bytes], result: Plan) -> None:
    """Write the diff, and the reasons for what was left."""
    out.mkdir(parents=True, exist_ok=True)
    diffs = [
        "\n".join(difflib.unified_diff(lines(before[path]), lines(data), f"a/{path}", f"b/{path}", lineterm=""))
        for path, data in sorted(after.items())
    ]
    left = [f"{each.path}:{each.span.line}: {each.confidence.value}: {each.reason}" for each in result.remaining]
    (out / f"{name}.diff").write_text("\n".join([*diffs, ""]), encoding="utf-8")
    (out / f"{name}.refused").write_text("\n".join([*left, ""]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
