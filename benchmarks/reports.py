"""Real reports from issue threads: does `diagnose -` give the right next step?

    python benchmarks/reports.py [--part PART] [--list] [--old FOLDER]

reports/*.txt holds the essential lines of each report, shortened, under the thread it comes from; reports/families.tsv
says which rule and which next step each family needs. Both were written before any answer was looked at. The halves are
split by the hash of the thread's name: `first` was worked on, `second` was not. `fresh` was looked for with other words
after the families were written, and `last` after the families that `fresh` showed to be missing; each was run once
before anything was mended by it. `third` and `fourth` are two halves of the next collection, split at random: `third`
was worked on, `fourth` was not. `fifth`, `sixth` and `seventh` were each collected when all before were mended.

right: the rule is the expected one, and the first cause and its advice name the next step (and the name, where the
message has one). vague: the name is missing, or only "the other process's error matters". nothing: no answer, or only a
question. wrong: the rest.
Of family `none`, which has nothing to do with starting processes, silence is right and any answer is wrong. In
families.tsv the rule `*` stands for any rule or none, and `silence` for that too, where silence is right as well.
`--old` reads another checkout of spawnfix, to compare.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "reports"


@dataclass(frozen=True)
class Report:
    """One report: the thread, the family that it belongs to, the name in its message, its text."""

    thread: str
    family: str
    name: str
    text: str
    file: str

    @property
    def part(self) -> str:
        """`first` was worked on; `second` was kept aside until the end; the others came after the families."""
        if self.file in PARTS:
            return self.file
        return "second" if hashlib.sha256(self.thread.encode()).digest()[0] % 2 else "first"


def read_reports() -> list[Report]:
    """All reports, in the order of the files."""
    found = []
    for file in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"(?m)^%% ", file.read_text(encoding="utf-8"))[1:]:
            head, _, text = part.partition("\n")
            thread, family, name = (word.strip() for word in head.split("|"))
            found.append(Report(thread, family, name, text, file.stem))
    return found


def read_families() -> dict[str, tuple[str, str]]:
    """Family -> (rule or "-", pattern of the next step)."""
    with (FOLDER / "families.tsv").open(encoding="utf-8", newline="") as file:
        return {row["family"]: (row["rule"], row["next step"]) for row in csv.DictReader(file, delimiter="\t")}


@dataclass(frozen=True)
class Answer:
    """What spawnfix says: the rule or "-", cause and advice, the name found, whether it only points elsewhere."""

    rule: str
    words: str
    name: str
    secondary: bool


def answer_of(text: str) -> Answer | None:
    """The first cause that `diagnose -` names for `text`; None when it names none, as for a warning that needs
    nothing, or one above an error of another kind.
    """
    from codemods.diagnose.tracebacks import read_log

    log = read_log(text)
    if log.main is None:
        return None
    cause = log.main.cause
    known = cause.known
    failed = any(not item.is_interrupt for item in log.unknown)
    if known is not None and (known.noise or (known.harmless and failed)):
        return None
    return Answer(cause.rule or "-", f"{cause.what}; {cause.advice}", cause.name, cause.secondary)


def grade(report: Report, answer: Answer | None, families: dict[str, tuple[str, str]]) -> str:
    """right, vague, nothing or wrong."""
    rule, step = families[report.family]
    if report.family == "none":
        return "right" if answer is None else "wrong"
    if answer is None:
        return "right" if rule == "silence" else "nothing"
    if rule in ("*", "silence", answer.rule) and re.search(step, answer.words):
        return "right" if report.name in answer.name else "vague"
    return "vague" if answer.secondary else "wrong"


def main() -> int:
    """Print the counts, and with --list each report that is not right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--old", type=Path, help="another checkout")
    given = parser.parse_args()
    sys.path.insert(0, str(given.old or HERE.parent))
    families = read_families()
    for part in given.part or PARTS:
        grades: Counter[str] = Counter()
        for report in (each for each in read_reports() if each.part == part):
            answer = answer_of(report.text)
            graded = grade(report, answer, families)
            grades[graded] += 1
            if given.list and graded != "right":
                words = "" if answer is None else f"{answer.rule}: {answer.words} [{answer.name}]"
                print(f"{graded:8} {report.family:18} {report.thread:50} {words}")
        count = grades.total()
        shown = ", ".join(f"{word} {grades[word]} ({grades[word] / count:.0%})" for word in GRADES)
        print(f"{part}: {count} reports: {shown}")
    return 0


PARTS = ("first", "second", "fresh", "last", "third", "fourth", "fifth", "sixth", "seventh")
GRADES = ("right", "vague", "nothing", "wrong")

if __name__ == "__main__":
    raise SystemExit(main())
