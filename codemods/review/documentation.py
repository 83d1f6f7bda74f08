"""A rule's documentation, read from its module's docstring: for `explain`, docs/rules, and the tests of its examples.

The docstring is Markdown with the headings of `HEADINGS`, in that order. Fenced blocks below Example are files before,
those below Use instead the files that differ after. A block's first line may name its file (`# file: tools/train.sh`);
without, the n-th Python block is `example.py`, `example2.py`...
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from ..rule import Rule

HEADINGS = ("What it finds", "Why it breaks", "Example", "Use instead", "Fix safety", "References")
_HEADING = re.compile(rf"^(?:#+[ ]*)?({'|'.join(HEADINGS)}):?[ ]*$(?:\n[-=~]{{3,}}[ ]*$)?", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"#[ ]*file:[ ]*(\S+)[ ]*\n")
_SUFFIXES = {"python": "py", "py": "py", "bash": "sh", "sh": "sh", "shell": "sh"}


class BadDocumentation(ValueError):
    """A rule's docstring lacks something; the message says what."""


@dataclass(frozen=True)
class Documentation:
    """`title` is the docstring's first sentence, `sections` the Markdown below each heading, in order."""

    rule: str
    summary: str
    title: str
    sections: dict[str, str]

    @property
    def before(self) -> dict[str, str]:
        """Text of each file of the example, by path."""
        return _files(self.sections["Example"])

    @property
    def after(self) -> dict[str, str]:
        """Text of the files that the rule's fix changes, by path."""
        return _files(self.sections["Use instead"])

    @property
    def markdown(self) -> str:
        """The whole text, as `docs/rules/<rule>.md` shows it."""
        parts = [f"# {self.rule}", self.title]
        for heading, text in self.sections.items():
            parts += [f"## {heading}", text]
        return "\n\n".join(parts) + "\n"


def documentation(rule: Rule) -> Documentation:
    """Read the documentation of `rule`. Raises BadDocumentation when a heading is missing or empty."""
    text = inspect.cleandoc(rule.documentation)
    found = list(_HEADING.finditer(_BLOCK.sub(lambda block: "\0" * len(block.group()), text)))
    names = tuple(match.group(1) for match in found)
    if names != HEADINGS:
        raise BadDocumentation(f"{rule.id}: the docstring's headings are {list(names)}, not {list(HEADINGS)}")
    ends = [match.start() for match in found[1:]] + [len(text)]
    sections = {match.group(1): text[match.end() : end].strip() for match, end in zip(found, ends, strict=True)}
    if empty := [name for name, section in sections.items() if not section]:
        raise BadDocumentation(f"{rule.id}: nothing below {empty}")
    return Documentation(rule.id, rule.summary, text[: found[0].start()].strip(), sections)


def _files(section: str) -> dict[str, str]:
    files: dict[str, str] = {}
    for language, body in _BLOCK.findall(section):
        if language not in _SUFFIXES:
            continue  # a message or a command, shown to people
        named = _FILE.match(body)
        count = sum(path.startswith("example") and path.endswith(_SUFFIXES[language]) for path in files) + 1
        path = named.group(1) if named else f"example{count if count > 1 else ''}.{_SUFFIXES[language]}"
        files[path] = body[named.end() :] if named else body
    return files
