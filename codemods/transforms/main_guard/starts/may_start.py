"""Which scripts may start processes at all, by the names that their statements lead to: a look before trees are read.

A statement can start processes only where a name that it mentions, followed through the definitions of such names, ends
at one of `_STARTS`, in a file that has a word of the rule, or in a call of what is looked up at run time. Where several
files define a name that is imported, all of them count. `process_starts.py` follows no more than these names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....flow.facts.records import FileFacts, Position, project_facts
from ....project import Project
from ....questions import asked
from ..screen import PARTS, WORDS
from .process_starts import SET_METHOD

_SAYS = re.compile(WORDS)
_SCRIPT = ("__main__", SET_METHOD.rpartition(".")[2])
STARTS, SPEAKS = "starts", "speaks"
_STARTS = re.compile(rf"{WORDS}|_spawn|{SET_METHOD.rpartition('.')[2]}|lightning|sentence_transformers")
_Statement = tuple[str, int]  # a file, and which of its statements


@asked
def spoken(project: Project, path: str) -> tuple[str, ...]:
    """Whether the text of a Python file has a word of the rule (STARTS), or that of a script that counts (SPEAKS)."""
    source = project.source(path)
    text = source.text if source is not None else ""
    if any(part in text for part in PARTS) and _SAYS.search(text):
        return STARTS, SPEAKS
    return (SPEAKS,) if any(part in text for part in _SCRIPT) else ()


@asked
def may_start(project: Project) -> tuple[str, ...]:
    """The Python files whose own statements may start processes, sorted."""
    if project.settings.boundaries:
        return tuple(project.python_paths)  # they may name anything
    project.note_facts()
    starting = _starting(project_facts(project), set(project.with_key(spoken, STARTS)))
    return tuple(path for path in project.python_paths if path in starting)


def _starting(facts: Mapping[str, FileFacts], speaking: set[str]) -> set[str]:
    """The files with a statement, definitions aside, that may; `speaking`: those with a word of the rule."""
    known: dict[str, bool] = {}  # whether a name is that of a start
    readers: dict[tuple[str, str], list[_Statement]] = {}  # by file and name, and by name alone (no file)
    todo: list[_Statement] = []
    for path, own in facts.items():
        bound = {name for statement in own.statements for name in statement.binds}
        looked_up = _looking_up(own)
        for at, statement in enumerate(own.statements):
            for name in (*statement.reads, *statement.others):
                if name not in known:
                    known[name] = _STARTS.search(name) is not None
            for name in statement.reads:
                if name in bound:
                    readers.setdefault((path, name), []).append((path, at))
                elif own.star_imports:
                    readers.setdefault(("", name), []).append((path, at))
            for name in statement.others:
                readers.setdefault(("", name), []).append((path, at))
            speaks = path in speaking and (statement.acts or statement.reads)  # no import
            if speaks or at in looked_up or any(known[name] for name in (*statement.reads, *statement.others)):
                todo.append((path, at))
    found = set(todo)
    for path, at in todo:  # grows as it goes
        for name in facts[path].statements[at].binds:
            for reader in (*readers.pop((path, name), ()), *readers.pop(("", name), ())):
                if reader not in found:
                    found.add(reader)
                    todo.append(reader)
    return {path for path, at in found if facts[path].statements[at].acts}


def _looking_up(facts: FileFacts) -> set[int]:
    """The statements that call what is looked up when they run, or define a function that does.

    What a script itself looks up by `getattr` may have a name of its own before it is called.
    """
    names: set[str] = set()
    decorated: set[Position] | None = None
    for call in facts.calls:
        named = call.text == "getattr" and call.scope < 0
        if call.text and not named and not call.text.endswith("import_module"):
            continue
        if decorated is None:
            decorated = {each.position for each in facts.functions} | {each.position for each in facts.classes}
        if call.position not in decorated:  # by a decorator, which is called too
            names.add(facts.functions[call.scope].qualname if call.scope >= 0 else "")
    acting = "" in names
    found = enumerate(facts.statements) if names else ()
    return {at for at, each in found if names.intersection(each.binds) or (acting and each.acts)}
