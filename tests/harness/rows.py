"""Tables of small programs, each with what a rule answers: `rows/*.txt` beside the tests of the rule.

    %% tail                   what follows each program below, until the next such line (also: %% head)
    === what the row shows
    class Thing: ...          main.py; a line `# file: other.py` begins another file
    --- answer                nothing below: nothing is found
    3 likely: the reason      a finding in line 3 that is refused; ` ... ` in it, or `...` at its end, stands for any
    3 proven (unsafe: words)  a finding with a fix, and behind all findings
    - line                    what all fixes together take out
    + line                    and put in
    + [name]                  the lines that stand below `%% block name` further up

`python tests/harness/rows.py --update PREFIX` writes the answers of rows whose names begin so: read the difference.
A reason stands in full once in each table.
"""

from __future__ import annotations

import difflib
import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codemods.finding import Finding, Fix
from codemods.project import Project
from codemods.rule import Rule
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source

FIRST, LAST = 4, 8  # words of a reason that stands above in full


@dataclass(frozen=True)
class Row:
    """One program, file by file, and the lines of its answer."""

    files: dict[str, str]
    answer: list[str]


def tables(folder: Path) -> list[Path]:
    return sorted((folder / "rows").glob("*.txt"))


def rows(folder: Path) -> dict[str, Row]:
    """Every row of the tables, by table and name."""
    return {f"{table.stem}: {name}": row for table in tables(folder) for name, row in rows_of(table).items()}


def rows_of(table: Path) -> dict[str, Row]:
    """Every row of one table, by name."""
    found: dict[str, Row] = {}
    for name, program, wanted, _, blocks in _parts(table.read_text(encoding="utf-8")):
        assert name not in found, f"two rows of {table.stem} are called {name}"
        found[name] = Row(_files(program), _unfolded(wanted, blocks))
    return found


def _parts(text: str) -> Iterator[tuple[str, str, list[str], tuple[int, int], dict[str, list[str]]]]:
    """(name, program with head and tail, answer, span of the answer in `text`, blocks) of each row."""
    around, blocks = {"head": "", "tail": ""}, dict[str, list[str]]()
    for part in re.finditer(r"(?m)^(===|%%) (.+)\n((?:(?!===|%%).*\n)*)", text):
        mark, name, body = part.groups()
        if mark == "%%" and name.startswith("block "):
            blocks[f"+ [{name.removeprefix('block ')}]"] = body.splitlines()
            continue
        if mark == "%%":
            around[name] = body
            continue
        program, _, answer = body.partition("--- answer\n")
        span = (part.end() - len(answer), part.end())
        yield name, around["head"] + program + around["tail"], answer.splitlines(), span, blocks


def _unfolded(lines: list[str], blocks: dict[str, list[str]]) -> list[str]:
    return [line for each in lines for line in blocks.get(each, [each])]


def _folded(lines: list[str], blocks: dict[str, list[str]]) -> list[str]:
    for name, block in blocks.items():
        at = 0
        while at < len(lines):
            if lines[at : at + len(block)] == block:
                lines = [*lines[:at], name, *lines[at + len(block) :]]
            at += 1
    return lines


def _files(program: str) -> dict[str, str]:
    first, *more = re.split(r"(?m)^# file: (\S+)\n", program)
    return {"main.py": first, **dict(zip(more[::2], more[1::2], strict=True))}


def answer(rule: Rule, files: dict[str, str]) -> list[str]:
    """What the rule finds: a line for each finding, then what its fixes change."""
    project = Project(MemoryFiles({name: text.encode() for name, text in files.items()}))
    return lines_of(rule.find(project), files)


def lines_of(found: Iterable[Finding], files: dict[str, str]) -> list[str]:
    """`found` in the texts `files`, as rows show it."""
    findings = sorted(found, key=str)
    findings.sort(key=lambda finding: finding.sort_key)
    lines, fixes = [], dict[Fix, None]()
    for finding in findings:
        place = f"{finding.path}:".removeprefix("main.py:") + f"{finding.span.line} {finding.confidence.value}"
        if finding.fix is None:
            lines.append(f"{place}: {finding.reason}")
        else:
            fixes[finding.fix] = None
            lines.append(place + (f" (unsafe: {finding.fix.unsafe})" if finding.fix.unsafe else ""))
    return [" ".join(line.split()) for line in lines] + list(changes(files, list(fixes)))


def changes(files: dict[str, str], fixes: list[Fix]) -> Iterator[str]:
    """What all fixes together take out and put in."""
    for name, text in files.items():
        edits = dict.fromkeys(edit for fix in fixes for edit in fix.edits if edit.path == name)
        new = Source(name, text).apply(edits)
        for line in difflib.ndiff(text.splitlines(), new.splitlines()):
            if line[0] in "+-":
                yield f"{line[0]} {line[2:]}".rstrip()
        needed = {(need.module, need.name or "") for fix in fixes for need in fix.imports if need.path == name}
        yield from (f"+ import {module} {member}".rstrip() for module, member in sorted(needed))


def check_table(rule: Rule, table: Path, wanted: str = "") -> None:
    """Assert that each row of a table gets its answer; `wanted`: those alone whose names contain it.

    One test for a table: pytest would take a third of the time for a test of each row.
    """
    failed = []
    for name, row in rows_of(table).items():
        if wanted in name:
            try:
                found = answer(rule, row.files)
            except Exception:
                found = traceback.format_exc().splitlines()
            if not agrees(found, row.answer):
                failed.append("\n".join([f"=== {name}", *found]))
    assert not failed, "\n\n".join(failed)


def agrees(found: list[str], wanted: list[str]) -> bool:
    """`wanted` line by line; one with ` ... ` stands for all that begin and end so."""
    return len(found) == len(wanted) and all(map(_agrees, found, wanted))


def _agrees(line: str, want: str) -> bool:
    begin, *end = re.split(r" \.\.\. |\.\.\.$", want, maxsplit=1)
    return line.startswith(begin) and line.endswith(end[0]) if end else line == want


def shown(found: list[str], seen: set[str]) -> list[str]:
    """The lines to write down: reasons that are in `seen` are cut, but for what tells them apart at both ends."""
    lines = []
    for line in found:
        place, colon, reason = line.partition(": ")
        general = re.sub(r"`[^`]*`|\d+|\S+\.py:", "", reason)
        words = reason.split()
        if colon and not line.startswith(("+", "-")) and general in seen and len(words) > FIRST + LAST + 2:
            line = f"{place}: {' '.join(words[:FIRST])} ... {' '.join(words[-LAST:])}"
        seen.add(general)
        lines.append(line)
    return lines


def update(folder: Path, prefix: str) -> None:
    rule: Rule = importlib.import_module(f"codemods.transforms.{folder.name}").RULE
    for table in tables(folder):
        text, seen = table.read_text(encoding="utf-8"), set[str]()
        edits = []
        for name, program, wanted, (start, end), blocks in _parts(text):
            found = answer(rule, _files(program))
            lines = _folded(shown(found, seen), blocks)
            agreed = agrees(found, _unfolded(wanted, blocks)) and "--- answer\n" in text[:end].rpartition("===")[2]
            if f"{table.stem}: {name}".startswith(prefix) and not agreed:
                mark = "" if text[:start].endswith("--- answer\n") else "--- answer\n"
                edits.append((start, end, mark + "".join(f"{line}\n" for line in lines)))
        for start, end, words in reversed(edits):
            text = text[:start] + words + text[end:]
        table.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for found in sorted(Path(__file__).resolve().parents[1].glob("transforms/*/rows")):
        update(found.parent, sys.argv[2] if len(sys.argv) > 2 else "")
