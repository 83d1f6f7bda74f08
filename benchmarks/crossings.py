"""Precision and recall of what is said to cross, against hand-labelled places in public repositories.

    python benchmarks/crossings.py FOLDER [--confidence proven|likely|possible] [--repository NAME] [--all]

FOLDER holds clones called owner/name or owner+name; the commits that crossings.tsv names are read from git's objects,
so it does not matter what is checked out (a clone without that commit is read at its HEAD). Prints one line per
repository, then every miss and every false alarm with the label's reason (with --all every label), then the sums.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkouts import commit_files

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.transforms.dict_views import RULE as DICT_VIEWS
from codemods.tree.directory import Selected

LABELS = Path(__file__).with_name("crossings.tsv")
CODE = frozenset({HazardKind.LAMBDA, HazardKind.FUNCTION, HazardKind.CLASS})


@dataclass(frozen=True)
class Label:
    """One hand-labelled place: what is made there, whether it crosses, and why."""

    repository: str
    commit: str
    path: str
    line: int
    kind: str  # lambda | function | class | dict-view
    crosses: bool
    why: str


def labels() -> list[Label]:
    """Every label, in the order of the file."""
    rows = (line.split("\t") for line in LABELS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return [Label(r[0], r[1], r[2], int(r[3]), r[4], r[5] == "yes", r[6]) for r in rows]


def reported(project: Project, kinds: set[str], bar: Confidence) -> Iterator[tuple[str, int, str]]:
    """Path, line and kind of what spawnfix reports at `bar`."""
    for crossing in flow_of(project).crossings(CODE):
        if crossing.confidence.reaches(bar):
            yield crossing.path, crossing.line, crossing.kind.value
    if "dict-view" in kinds:
        for finding in DICT_VIEWS.find(project):
            if finding.confidence.reaches(bar):
                yield finding.path, finding.span.line, "dict-view"


def main() -> int:
    """The command. Exit code 1 when no repository was found."""
    parser = argparse.ArgumentParser(description="precision and recall against crossings.tsv")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--confidence", default="likely", choices=[bar.value for bar in Confidence])
    parser.add_argument("--repository", help="only this one (owner/name)")
    parser.add_argument("--all", action="store_true", help="print every label, not only those that we are wrong about")
    arguments = parser.parse_args()
    bar = Confidence(arguments.confidence)
    gc.disable()  # trees and facts have no circles worth looking for, and are large
    by_repository: dict[tuple[str, str], list[Label]] = {}
    for label in labels():
        if arguments.repository in (None, label.repository):
            by_repository.setdefault((label.repository, label.commit), []).append(label)
    counts = {"hit": 0, "miss": 0, "left alone": 0, "false alarm": 0}
    told: list[str] = []
    missing: list[str] = []
    for (name, commit), mine in by_repository.items():
        files = commit_files(arguments.folder, name, commit)
        if files is None:
            missing.append(name)
            continue
        gc.collect()
        project = Project(Selected(files))
        found = set(reported(project, {label.kind for label in mine}, bar))
        for label in mine:
            seen = (label.path, label.line, label.kind) in found
            verdict = ("hit" if seen else "miss") if label.crosses else ("false alarm" if seen else "left alone")
            counts[verdict] += 1
            if arguments.all or verdict in ("miss", "false alarm"):
                told.append(f"{verdict:11}  {name}  {label.path}:{label.line}  {label.kind}: {label.why}")
        print(f"{name}: {len(mine)} labels", flush=True)
    print("\n".join(["", *told, ""]))
    if missing:
        print(f"not in {arguments.folder}: {', '.join(missing)}")
    hits, misses, alarms = counts["hit"], counts["miss"], counts["false alarm"]
    if not sum(counts.values()):
        return 1
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    print(f"recall {hits / max(1, hits + misses):.1%}, precision {hits / max(1, hits + alarms):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
