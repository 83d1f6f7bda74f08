"""What the tool does today at places that were judged by reading, in repositories that it had not been tuned on.

    python benchmarks/unseen.py FOLDER [--half first|second|...] [--repository NAME] [--all]

FOLDER holds checkouts called owner/name or owner+name. `unseen_repositories.tsv` names their commits; a checkout that
does not hold its commit (a copy of the text files alone, say) is read at its HEAD. `unseen.tsv` holds the labels:

- kind `hunk`: a place that was rewritten by default when it was judged, as the maintainer would have judged the pull
  request: merge, ugly (right, but not as one would write it), needless (the value crosses nothing) or wrong;
- kind `report`: a place that was only reported, where nothing crosses: needless;
- kind `hazard`: a real hazard that was not rewritten: refused-true, refused-fixable, possible (seen, below the default
  bar) or missed; from the eighth part on also fixed or wrong, beside the rows of the hunks.

Prints every label that stands differently from what one would wish, then findings that no label knows (read them),
then the sums. Counts are not grades: a `wrong` place that is rewritten today has to be read again.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkouts import commit_files

from codemods.engine.migrate import Report, check
from codemods.finding import Confidence, Finding
from codemods.settings import Settings

HERE = Path(__file__).parent
REAL = frozenset({"merge", "ugly", "wrong", "refused-true", "refused-fixable", "possible", "missed", "fixed"})
STATES = ("rewritten", "refused", "possible", "nothing")
ANYWHERE = frozenset({"main-guard"})  # rules whose finding may rightly move within its file


@dataclass(frozen=True)
class Label:
    """One judged place: lines `first` to `last` of `path`."""

    repository: str
    path: str
    first: int
    last: int
    rule: str
    kind: str  # hunk | report | hazard
    grade: str
    why: str

    @property
    def real(self) -> bool:
        """True when something does cross there."""
        return self.grade in REAL

    def names(self, finding: Finding) -> bool:
        """True when `finding` is at this place."""
        return (finding.rule, finding.path) == (self.rule, self.path) and self.first <= finding.span.line <= self.last


@dataclass(frozen=True)
class Place:
    """A label, and what is said at its place today."""

    label: Label
    state: str
    reason: str

    @property
    def good(self) -> bool:
        """True when a real hazard is rewritten (or refused where that is right), and any other place left alone."""
        if self.label.grade == "refused-true":
            return self.state in ("rewritten", "refused")
        if self.label.grade == "wrong":  # a rewrite of today has to be read; a refusal breaks nothing
            return self.state == "refused"
        return self.state == "rewritten" if self.label.real else self.state in ("possible", "nothing")


def rows(name: str) -> Iterator[list[str]]:
    """The lines of a table beside this script."""
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def labels() -> list[Label]:
    """Every label, in the order of the file."""
    found = []
    for repository, path, lines, rule, kind, grade, why in rows("unseen.tsv"):
        first, _, last = lines.partition("-")
        found.append(Label(repository, path, int(first), int(last or first), rule, kind, grade, why))
    return found


def state_of(report: Report, finding: Finding) -> str:
    """What the default settings do about `finding`."""
    if not finding.confidence.reaches(Confidence.LIKELY):
        return "possible"
    return "rewritten" if report.why_not(finding) is None else "refused"


def places(report: Report, mine: Sequence[Label]) -> tuple[list[Place], list[Finding]]:
    """What is said today at each of `mine`, and the findings at the default bar that none of them names."""
    named = {id(finding) for finding in report.findings for label in mine if label.names(finding)}
    found: list[Place] = []
    for label in mine:
        here = [finding for finding in report.findings if label.names(finding)]
        if not here and label.rule in ANYWHERE:
            loose = (each for each in report.findings if (each.rule, each.path) == (label.rule, label.path))
            here = [finding for finding in loose if id(finding) not in named]
            named |= {id(finding) for finding in here}
        here.sort(key=lambda finding: STATES.index(state_of(report, finding)))
        if not here:
            found.append(Place(label, "nothing", ""))
            continue
        found.append(Place(label, state_of(report, here[0]), report.why_not(here[0]) or ""))
    rest = [each for each in report.findings if id(each) not in named and state_of(report, each) != "possible"]
    return found, rest


def sums(found: Sequence[Place], unknown: Counter[str]) -> Iterator[str]:
    """The table of labels by what is done today, and the shares that matter."""
    kinds = dict.fromkeys((place.label.kind, place.label.grade) for place in found)
    counts = Counter((place.label.kind, place.label.grade, place.state) for place in found)
    yield f"{'label':24}" + "".join(f"{state:>11}" for state in STATES)
    for kind, grade in sorted(kinds):
        yield f"{f'{kind} {grade}':24}" + "".join(f"{counts[kind, grade, state]:11}" for state in STATES)
    yield f"{'no label':24}" + "".join(f"{unknown[state]:11}" for state in STATES)
    rewritten = [place.label for place in found if place.state == "rewritten"]
    real = [place for place in found if place.label.real]
    said = [place for place in real if place.state in ("rewritten", "refused")]
    needless = sum(not label.real for label in rewritten)
    yield f"rewritten: {len(rewritten)} labelled places, {needless} of them needless"
    right = sum(place.good for place in real)
    yield f"hazards: {len(said)} of {len(real)} reported, {right} rewritten, or refused with a true reason"
    read = sum(label.grade == "wrong" for label in rewritten)
    if read:
        yield f"to read again: {read} places that were rewritten wrongly when they were judged, and are rewritten today"
    false = sum(not place.good for place in found if not place.label.real)
    yield f"false: {false} of {len(found) - len(real)} places where nothing crosses"


def main() -> int:
    """The command. Exit code 1 when no repository was found."""
    parser = argparse.ArgumentParser(description="what is done today at the places of unseen.tsv")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--half", choices=sorted({half for _, _, half in rows("unseen_repositories.tsv")}), metavar="PART"
    )
    parser.add_argument("--repository", help="only this one (owner/name)")
    parser.add_argument("--all", action="store_true", help="print every label")
    arguments = parser.parse_args()
    gc.disable()  # trees and facts have no cycles worth looking for, and are large
    known = labels()
    found: list[Place] = []
    unknown: Counter[str] = Counter()
    missing: list[str] = []
    for name, commit, half in rows("unseen_repositories.tsv"):
        if arguments.half not in (None, half) or arguments.repository not in (None, name):
            continue
        files = commit_files(arguments.folder, name, commit)
        if files is None:
            missing.append(name)
            continue
        gc.collect()
        report = check(files, Settings(confidence=Confidence.POSSIBLE))
        here, rest = places(report, [label for label in known if label.repository == name])
        found += here
        for place in here:
            if arguments.all or not place.good:
                label = place.label
                spot = f"{name} {label.path}:{label.first} {label.rule}"
                print(f"{place.state:9}  {label.kind} {label.grade}: {spot}: {label.why}", flush=True)
                if place.state == "refused":
                    print(f"           because {place.reason}")
        for finding in rest:
            state = state_of(report, finding)
            unknown[state] += 1
            spot = f"{name} {finding.path}:{finding.span.line} {finding.rule}"
            print(f"{state:9}  no label: {spot}: {finding.message}", flush=True)
    if missing:
        print(f"not in {arguments.folder}: {', '.join(missing)}")
    if not found:
        return 1
    print("", *sums(found, unknown), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
