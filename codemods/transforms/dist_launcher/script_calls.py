"""What calls of a shell script, in guides and other scripts, give as one of its arguments: `./launch.sh train.py 8`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from ...launch.entry_places import ending
from ...launch.hosts import Host
from ...project import Project
from ...tree.source import Source

Files: TypeAlias = Sequence[tuple[Source, Host]]

_UNKNOWN = re.compile(r"[$`<>{}\[\]*]")
_STEPS = re.compile(r"^(?:\.{0,2}/)+")  # at the beginning of a path
_END = re.compile(r"[;|&#)]")
_WORDS = r"((?:[ \t]|\\\r?\n|[^\s`])*)"  # up to the end of the line, or of code in a sentence


def given(project: Project, files: Files, script: str, number: int) -> list[str] | None:
    """The words that calls of `script`, in `files`, give as its argument `number`, the first being 1.

    None where a script of the repository passes on what is not known; guides show such words to be filled in.
    """
    name = script.rpartition("/")[2]
    calls = re.compile(rf"(?<![\w.-])([\w./-]*(?<![\w.-]){re.escape(name)})(?=[ \t]){_WORDS}")
    found: dict[str, None] = {}
    same = [path for path in project.paths if path.rpartition("/")[2] == name]
    for source, host in files:
        for match in calls.finditer(source.text) if source.path != script and name in source.text else ():
            tail = _STEPS.sub("", match[1])
            if ending(same, tail) != [script]:
                continue
            words = _arguments(match[2])
            word = words[number - 1] if number <= len(words) else ""
            if not word or _UNKNOWN.search(word):
                if host is Host.GUIDE:
                    continue
                return None
            found[word.strip("\"'")] = None
    return list(found)


def _arguments(text: str) -> list[str]:
    words: list[str] = []
    for word in re.sub(r"\\\r?\n", " ", text).split():
        end = _END.search(word)
        if end is not None and not _UNKNOWN.search(word):
            return [*words, word[: end.start()]] if end.start() else words
        words.append(word)
    return words
