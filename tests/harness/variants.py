"""The programs of `before_after/`, each with one small change: what `check` says about them, kept as text.

    python tests/harness/variants.py             # the cases whose answers have changed; exit 1 if any has
    python tests/harness/variants.py --update    # write them (`make snapshots` does so too); read the diff
    python tests/harness/variants.py --choose RULE...   # choose the changes of a rule's cases anew, which takes minutes

A case shows the shape that people write; what a rule must tell apart from it differs in a word: the name is read once
more, a statement stands under an `if`, a keyword is missing. `tests/data/variants/<rule>.txt` has a line for each
variant and one for each of its findings, with checksums of message, trace and answer, so each word of these counts.
Chosen were the changes (of about a hundred for each case) whose findings are of another kind than those seen before.
"""

from __future__ import annotations

import random
import re
import sys
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":  # run as a script from anywhere
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from codemods.engine.migrate import check
from codemods.finding import Confidence, Finding
from codemods.tree.files import MemoryFiles
from harness.case import ROOT, Case, folders
from harness.small_changes import Variant, variants_of
from harness.tool import text_diff

STORED = ROOT / "tests" / "data" / "variants"
TRIES, MOST, ALIKE = 110, 40, 3  # changes tried and kept of a case; how often findings of one kind are kept
_UPDATE, _CHOOSE = "--update", "--choose"


def named(case: Case) -> dict[str, Variant]:
    """Every variant of a case by its name: place, kind, and a number where that is not enough."""
    seen: Counter[str] = Counter()
    found: dict[str, Variant] = {}
    for path, data in sorted(case.contents().items()):
        for variant in variants_of(path, data.decode()) if path.endswith(".py") else ():
            seen[variant.name] += 1
            found[f"{variant.name} #{seen[variant.name]}" if seen[variant.name] > 1 else variant.name] = variant
    return found


def findings(case: Case, variant: Variant | None = None) -> list[Finding]:
    """What `check` finds in a variant, or in the case as it is, at the widest settings."""
    contents = case.contents()
    if variant is not None:
        contents[variant.path] = variant.apply(contents[variant.path].decode()).encode()
    settings = replace(case.settings(), confidence=Confidence.POSSIBLE, unsafe_fixes=True)
    return list(check(MemoryFiles(contents), settings).findings)


def row(finding: Finding) -> str:
    """One finding as it is stored."""
    answered = "refused" if finding.fix is None else "unsafe" if finding.fix.unsafe else "fix"
    parts = (finding.message, (finding.span, finding.trace), (finding.reason, finding.fix))
    sums = " ".join(f"{zlib.crc32(repr(part).encode()):08x}"[:5] for part in parts)
    return f"    {finding.path}:{finding.span.line} {finding.rule} {finding.confidence.value} {answered} {sums}"


def stored(case: Case) -> list[str]:
    """The lines of a case in the file of its rule; none where it has none."""
    path = STORED / f"{case.rule}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, *lines = part.splitlines()
        if name == case.folder.name:
            return lines
    return []


def names_of(lines: list[str]) -> list[str]:
    """The variants that stored lines are about."""
    return [line for line in lines if not line.startswith(" ")]


def answers(case: Case, names: list[str]) -> list[str]:
    """What is to be stored of these variants. A name that the case has no more is left out."""
    known = named(case)
    lines: list[str] = []
    for name in names:
        if name in known:
            lines += [name, *map(row, findings(case, known[name]))]
    return lines


def difference(case: Case) -> str:
    """What has changed since it was stored, with the findings in words; "" when nothing has."""
    before = stored(case)
    after = answers(case, names_of(before))
    if before == after:
        return ""
    texts = ["".join(f"{line}\n" for line in lines) for lines in (before, after)]
    changed = text_diff(texts[0], texts[1], (case.id, f"{case.id} now"))
    known = named(case)
    shown: list[str] = []
    for name, old, new in _blocks(before, after):
        if old != new and name in known and len(shown) < 3:
            shown += [
                f"{name}:",
                *(f"    {each.message} / {each.reason or each.fix}" for each in findings(case, known[name])),
            ]
    return "\n".join([changed, *shown])


def _blocks(before: list[str], after: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    tables: list[dict[str, list[str]]] = []
    for lines in (before, after):
        table: dict[str, list[str]] = {}
        for line in lines:
            if line.startswith(" "):
                table[next(reversed(table))].append(line)
            else:
                table[line] = []
        tables.append(table)
    for name, old in tables[0].items():
        yield name, old, tables[1].get(name, [])


def choose(rule: str) -> dict[str, list[str]]:
    """Names of variants for each case of a rule: those whose findings differ in kind from what others have shown."""
    seen: Counter[object] = Counter()
    chosen: dict[str, list[str]] = {}
    for folder in folders():
        if folder.parent.name != rule:
            continue
        case = Case.load(folder)
        before = Counter(map(_kind, findings(case)))
        kept = chosen[folder.name] = []
        for name, variant in _mixed(case):
            now = Counter(map(_kind, findings(case, variant)))
            gone = [("gone", variant.kind, kind) for kind in before - now]
            news: list[object] = [*(now - before), *gone] or [("same", variant.kind)]
            if len(kept) < MOST and any(seen[new] < ALIKE for new in news):
                seen.update(set(news))
                kept.append(name)
    return chosen


def _mixed(case: Case) -> list[tuple[str, Variant]]:
    """Some variants of a case that are Python, of as many kinds as there are; always the same."""
    order = random.Random(case.id)
    every = [*named(case).items()]
    order.shuffle(every)
    kinds: dict[str, list[tuple[str, Variant]]] = defaultdict(list)
    for name, variant in every:
        kinds[variant.kind].append((name, variant))
    texts = {path: data.decode() for path, data in case.contents().items() if path.endswith(".py")}
    ranked = sorted(every, key=lambda item: kinds[item[1].kind].index(item))
    return [item for item in ranked[: 2 * TRIES] if _compiles(item[1], texts)][:TRIES]


def _compiles(variant: Variant, texts: dict[str, str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            compile(variant.apply(texts[variant.path]), variant.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _kind(finding: Finding) -> object:
    """What sort of finding it is: words without names and numbers."""
    fix = finding.fix
    words = [re.sub(r"`[^`]*`|\d+", "`", text or "") for text in (finding.message, finding.reason)]
    return finding.rule, finding.confidence, *words, fix and (fix.title[:12], bool(fix.unsafe), min(len(fix.edits), 4))


def write(rule: str, lines_of: dict[str, list[str]]) -> bool:
    """Write the file of a rule; True when it has changed."""
    text = "".join(f"## {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in lines_of.items() if lines)
    path = STORED / f"{rule}.txt"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def update() -> list[str]:
    """Write what is found now, for the variants that are there; the rules whose file has changed."""
    lines_of: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for folder in folders():
        case = Case.load(folder)
        lines_of[case.rule][folder.name] = answers(case, names_of(stored(case)))
    return [rule for rule, lines in lines_of.items() if write(rule, lines)]


def main(arguments: list[str]) -> int:
    if arguments == [_UPDATE]:
        print("written: " + (", ".join(update()) or "nothing, all is as it was"))
        return 0
    if arguments[:1] == [_CHOOSE]:
        for rule in arguments[1:]:
            write(rule, {name: answers(Case.load(ROOT / "tests" / "before_after" / rule / name), names)
                         for name, names in choose(rule).items()})  # fmt: skip
        return 0
    if arguments:
        print(__doc__)
        return 2
    changed = [text for text in (difference(Case.load(folder)) for folder in folders()) if text]
    print("\n".join(changed) or "nothing has changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
