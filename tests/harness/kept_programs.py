"""Programs found by chance, each with all that a rule says about it: `kept/RULE.txt` beside the tests of the rules.

    === 17                   a row of `rows.py`: main.py, and what follows `# file: other.py`
    class Thing: ...
    --- answer
    3:9-3:20 likely          a finding, whole: its span, the message, each step of the trace, then what is done about it
      message
      @ main.py:7 what happens to the value there
      ! the reason for leaving it, or `= ` and the title of the fix, `~ ` and why the fix may change the meaning
    - line                   what all fixes together take out
    + line                   and put in

A name is `MODULE... NUMBER`, the modules for whose sake the program is kept (for their mutants `benchmarks/mutation.py`
tries it first), or `MODULE... NUMBER = WORD WORD...`: WORD in the program and its answer stands for each of the words,
which are in one vocabulary of the module, and the answer is another one for a word that nobody knows.

Such a program is small changes away from one of another test, and was kept because it takes a branch, or lets a part
of a condition decide, as no program of the other tests does. None was written for a reader, and none is there to stay:
where an answer should change, `python tests/harness/kept_programs.py --update` writes the new one; read the difference.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":  # run as a script from anywhere
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from codemods.finding import Finding
from codemods.project import Project
from codemods.rule import Rule
from codemods.tree.files import MemoryFiles
from harness.rows import Row, changes, rows_of

WORD, UNKNOWN = "WORD", "unheard_of"
FOLDER = Path(__file__).resolve().parents[1] / "transforms" / "kept"


def tables() -> list[Path]:
    return sorted(FOLDER.glob("*.txt"))


def kept(table: Path) -> dict[str, Row]:
    """The programs of one rule, by name."""
    return {
        name: Row({path: text for path, text in row.files.items() if text or path != "main.py"}, row.answer)
        for name, row in rows_of(table).items()
    }


def words_of(name: str) -> list[str]:
    """The words that stand for WORD in the program of that name."""
    return name.partition(" = ")[2].split()


def worded(row: Row, word: str) -> Row:
    """The program with `word` in it, and its answer."""
    files = {path: text.replace(WORD, word) for path, text in row.files.items()}
    return Row(files, [line.replace(WORD, word) for line in row.answer])


def rule_of(table: Path) -> Rule:
    rule: Rule = importlib.import_module(f"codemods.transforms.{table.stem}").RULE
    return rule


def whole_answer(rule: Rule, files: dict[str, str]) -> list[str]:
    """Every line that `rule` has to say about `files`."""
    project = Project(MemoryFiles({name: text.encode() for name, text in files.items()}))
    findings = sorted(rule.find(project), key=lambda finding: (finding.sort_key, repr(finding)))
    fixes = list(dict.fromkeys(finding.fix for finding in findings if finding.fix is not None))
    return [line for finding in findings for line in _lines(finding)] + list(changes(files, fixes))


def _lines(finding: Finding) -> Iterator[str]:
    span = finding.span
    path = f"{finding.path}:".removeprefix("main.py:")
    yield f"{path}{span.line}:{span.column}-{span.end_line}:{span.end_column} {finding.confidence.value}"
    yield f"  {_one_line(finding.message)}"
    yield from (f"  @ {hop.path}:{hop.line} {_one_line(hop.what)}" for hop in finding.trace)
    if finding.fix is None:
        yield f"  ! {_one_line(finding.reason or '')}"
    else:
        yield f"  = {_one_line(finding.fix.title)}"
        if finding.fix.unsafe:
            yield f"  ~ {_one_line(finding.fix.unsafe)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def write(table: Path, programs: dict[str, dict[str, str]]) -> None:
    """The programs with their answers of now."""
    rule = rule_of(table)
    parts = []
    for name, files in programs.items():
        others = "".join(f"# file: {path}\n{text}" for path, text in files.items() if path != "main.py")
        word = (words_of(name) or [WORD])[0]
        answer = whole_answer(rule, worded(Row(files, []), word).files)
        lines = "".join(f"{line}\n".replace(word, WORD) for line in answer)
        parts.append(f"=== {name}\n{files.get('main.py', '')}{others}--- answer\n{lines}")
    table.write_text("".join(parts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for each in tables():
        write(each, {name: row.files for name, row in kept(each).items()})
