"""Real tracebacks of known origin: does `diagnose -` name the line that a rule mends, and offer the right fix?

    python benchmarks/report_places.py [--every N] [--list]

Runs each (or every Nth) case of tests/before_after/ as it is before the migration, with spawn as the default start,
and explains what it printed with the case's folder at hand. The true places are those of the case's findings.txt.

named: one of the places shown is a true one. fix: a diff is offered for a true place. unrelated: diffs are offered, and
for none. Silent cases, and those whose error is not of the rule's own family, are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]
SITE = "import multiprocessing.context as c\nc._default_context._default_context = c._concrete_contexts['spawn']\n"
RULES = ("dict-views", "lambdas", "unpicklable-attributes", "main-guard", "launcher-env")


def true_places(folder: Path, rule: str) -> set[tuple[str, int]]:
    """(path, line) of the findings of the case, which its test holds to."""
    text = (folder / "findings.txt").read_text(encoding="utf-8")
    rows = re.findall(rf"^(\S+?):(\d+):\d+\S* {re.escape(rule)}\b", text, re.MULTILINE)
    return {(path, int(line)) for path, line in rows}


def output_of(folder: Path, command: str) -> str:
    """What the program prints under spawn."""
    with tempfile.TemporaryDirectory() as site:
        (Path(site) / "sitecustomize.py").write_text(SITE, encoding="utf-8")
        words = [sys.executable if word == "python" else word for word in shlex.split(command)]
        env = {**os.environ, "PYTHONPATH": site, "OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return done.stderr if done.returncode else ""


def main() -> int:
    """Print the counts, and with --list each case that is not right."""
    from codemods.delivery.target import Target
    from codemods.diagnose.explain import explain_log
    from codemods.diagnose.tracebacks import read_log
    from codemods.settings import Settings
    from codemods.tree.directory import DirectoryFiles
    from harness.case import CASES, BadCase, Case

    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    folders = [folder for rule in RULES for folder in sorted((CASES / rule).iterdir()) if (folder / "after").is_dir()]
    for folder in folders[:: given.every]:
        try:
            case = Case.load(folder)
        except BadCase:
            continue
        text = output_of(folder / "before", case.command) if not case.ranks and not case.silent else ""
        log = read_log(text)
        if log.main is None or log.main.cause.rule != folder.parent.name:
            counts["left out"] += 1
            continue
        true = true_places(folder, folder.parent.name)
        found = explain_log(log, Target(DirectoryFiles(folder / "before"), ""), Settings())
        places = [(each.finding.path, each.finding.span.line) for each in found.candidates]
        places += [(spot.path, spot.line) for spot in found.spots if spot.named]
        named = any(place in true for place in places)
        fixes = [each.finding for each in found.candidates if each.finding.fix is not None]
        fix = any((each.path, each.span.line) in true for each in fixes)
        counts["cases"] += 1
        counts["named"] += named
        counts["fix"] += fix
        counts["unrelated"] += bool(fixes) and not fix
        if given.list and not (named and fix):
            print(f"{folder.parent.name}/{folder.name}: {log.main.error[:100]} -> {places} of {sorted(true)[:6]}")
    total = max(counts["cases"], 1)
    shown = ", ".join(f"{word} {counts[word]} ({counts[word] / total:.0%})" for word in ("named", "fix", "unrelated"))
    print(f"{counts['cases']} tracebacks ({counts['left out']} cases left out): {shown}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
