"""What calls of a shell script, in guides and other scripts, give as one of its arguments: `./launch.sh train.py 8`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ...launch import containers
from ...launch.hosts import Host
from ...project import Project

Texts: TypeAlias = Sequence[tuple[str, Host, str]]  # path, kind of file, text

_UNKNOWN = re.compile(r"[$`<>{}\[\]*]")
_END = re.compile(r"[;|&#)]")
_WORDS = r"((?:[ \t]|\\\r?\n|[^\s`])*)"  # up to the end of the line, or of code in a sentence


def given(project: Project, texts: Texts, script: str, number: int) -> list[str] | None:
    """The words that calls of `script`, in `texts`, give as its argument `number`, the first being 1.

    None where a script of the repository passes on what is not known; guides show such words to be filled in.
    """
    name = script.rpartition("/")[2]
    calls = re.compile(rf"(?<![\w.-])([\w./-]*(?<![\w.-]){re.escape(name)})(?=[ \t]){_WORDS}")
    found: dict[str, None] = {}
    for path, host, text in texts:
        for match in calls.finditer(text) if path != script and name in text else ():
            if not _names(project, match[1], script):
                continue
            words = _arguments(match[2])
            word = words[number - 1] if number <= len(words) else ""
            if not word or _UNKNOWN.search(word):
                if host is Host.GUIDE:
                    continue
                return None
            found[word.strip("\"'")] = None
    return list(found)


def shell_texts(project: Project) -> Iterator[tuple[str, Host, str]]:
    """The guides and scripts of a project that name a shell script."""
    for path in project.paths:
        host = containers.host_of(path, "#!sh") if not path.endswith((".py", ".pyi", ".ipynb")) else None
        if host is None or host is Host.WINDOWS:
            continue
        try:
            mentions = b"sh" in project.data(path)
        except OSError:
            continue
        if mentions and (source := project.source(path)) is not None:
            yield path, host, source.text


def _names(project: Project, called: str, script: str) -> bool:
    """`called`, as written, is this script and no other of its name."""
    tail = re.sub(r"^(?:\.{0,2}/)+", "", called)
    return [path for path in project.paths if path == tail or path.endswith(f"/{tail}")] == [script]


def _arguments(text: str) -> list[str]:
    words: list[str] = []
    for word in re.sub(r"\\\r?\n", " ", text).split():
        end = _END.search(word)
        if end is not None and not _UNKNOWN.search(word):
            return [*words, word[: end.start()]] if end.start() else words
        words.append(word)
    return words
