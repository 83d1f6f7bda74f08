"""Shell commands in YAML: the `run:`, `script:`, `command:`... of workflows, pods and job descriptions.

Read line by line rather than as YAML: what matters is where the letters stand, and templates need not be valid YAML.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from .bash import Command, Script, Word, read
from .hosts import Host

_KEYS = frozenset(
    """run script before_script after_script command commands cmd cmds args entrypoint source inline inlineScript
    bash shell setup exec""".split()  # noqa: SIM905
)
_ENTRY = re.compile(
    r"^(?P<lead>[ \t]*(?:- +)*)(?:(?P<quote>['\"]?)(?P<key>[\w.-]+)(?P=quote):(?:[ \t]+|$))?(?P<value>.*)$"
)
_BLOCK = re.compile(r"^([|>])[+-]?\d*[+-]?[ \t]*(?:#.*)?$")
_TEMPLATE = re.compile(r"\$\{\{.{0,999}?\}\}|\{\{.{0,999}?\}\}")


def yaml_scripts(path: str, text: str, mentions: re.Pattern[str]) -> Iterator[Script]:
    """The commands in `text` that mention a launcher."""
    return _Reader(path, text, mentions).scripts()


class _Reader:
    """Goes through the lines of a file; `parents`: (indentation, key) of the mappings around the line."""

    def __init__(self, path: str, text: str, mentions: re.Pattern[str]) -> None:
        self.path, self.text, self.mentions = path, text, mentions
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.parents: list[tuple[int, str]] = []

    def scripts(self) -> Iterator[Script]:
        at = 0
        while at < len(self.lines):
            match = _ENTRY.match(self.lines[at].rstrip("\r\n"))
            content = self.lines[at].strip()
            if match is None or not content or content.startswith("#"):
                at += 1
                continue
            lead, key, value = len(match["lead"]), match["key"], match["value"]
            bare = self._indentation(at)
            owner = self._owner(lead, key, bare)
            end = self._end(at, lead if key and match["lead"].strip() else bare)
            if key and not value.strip():
                self.parents.append((lead, key))
                items = _items(self.lines, self.starts, at + 1, lead) if key in _KEYS else None
                if items is not None and self.mentions.search(self.text[items[0].start : items[-1].end]):
                    yield _listed(self.path, self.text, items)
                    at = min(bisect_right(self.starts, items[-1].end), len(self.starts) - 1)
                else:
                    at += 1
                continue
            body = self.text[self.starts[at + 1] : self.starts[end]]
            block = _BLOCK.match(value.strip())
            if owner in _KEYS and (self.mentions.search(value) or self.mentions.search(body)):
                yield from self._command(at, end, self.starts[at] + match.start("value"), value, block)
                at = end
            else:
                at = end if block is not None else at + 1

    def _indentation(self, at: int) -> int:
        return len(self.lines[at]) - len(self.lines[at].lstrip())

    def _owner(self, lead: int, key: str | None, bare: int) -> str:
        """The key that the line's value belongs to; mappings that end above the line are parents no more."""
        while self.parents and self.parents[-1][0] >= (lead if key else bare):
            if not key and self.parents[-1][0] == bare:  # `key:` and its `- item` may start in the same column
                break
            self.parents.pop()
        return key or (self.parents[-1][1] if self.parents else "")

    def _end(self, at: int, inner: int) -> int:
        """The first line below that is not indented deeper than `inner`."""
        end = at + 1
        while end < len(self.lines) and (not self.lines[end].strip() or self._indentation(end) > inner):
            end += 1
        return end

    def _command(self, at: int, end: int, place: int, value: str, block: re.Match[str] | None) -> Iterator[Script]:
        """The value that begins at the offset `place` of line `at` and ends above line `end`."""
        if block is not None:
            body = self.text[self.starts[at + 1] : self.starts[end]]
            yield _part(self.path, self.starts[at + 1], body.replace("\n", " ") if block.group(1) == ">" else body)
        elif value.startswith("["):
            piece = self.text[place : self.starts[end]].partition("]")[0]
            yield _listed(self.path, self.text, _flow(piece, place))
        elif value[:1] in ("'", '"'):
            close = value.rfind(value[0])
            if close > 0 and "\\" not in value and value[0] * 2 not in value:
                yield _part(self.path, place + 1, value[1:close])
        else:
            folded = self.text[place : self.starts[end]] if end > at + 1 else value
            yield _part(self.path, place, re.sub(r"\r?\n", lambda found: " " * len(found.group()), folded.rstrip()))


def _part(path: str, start: int, piece: str) -> Script:
    piece = _TEMPLATE.sub(lambda found: "$" + "_" * (len(found.group()) - 1), piece)
    script = read(path, piece, start)
    script.host = Host.WORKFLOW
    return script


def _items(lines: list[str], starts: list[int], first: int, indent: int) -> list[Word] | None:
    """The words of a `command:` whose items stand below it, one word each, with those of `args:` after it."""
    words: list[Word] = []
    for at in range(first, len(lines)):
        line = lines[at].rstrip("\r\n")
        item = re.match(r"^([ \t]*)- +(.*)$", line.rstrip(" \t"))
        if not line.strip():
            continue
        if item is None or len(item.group(1)) < indent:
            if words and re.fullmatch(rf"[ ]{{{indent}}}args:[ \t]*", line):
                continue
            break
        value, place = item.group(2), starts[at] + item.start(2)
        if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1:
            value, place = value[1:-1], place + 1
        if re.search(r"\s|^[|>\[{&*!]|: ", value):
            return None  # items that are commands of their own
        template = "{{" in value or "$(" in value or "${" in value
        words.append(Word(value, place, place + len(value), None if template else value))
    return words if len(words) > 1 else None


def _flow(piece: str, start: int) -> list[Word]:
    """The words of a flow list: `["python", -m, 'x']`."""
    found: list[Word] = []
    inside = piece[1:]
    for match in re.finditer(r"\"([^\"\\]*)\"|'([^']*)'|([^\s,\[\]'\"#][^,\[\]]*)", inside):
        group = next(number for number in (1, 2, 3) if match.group(number) is not None)
        if group == 3 and inside[match.end() : match.end() + 1] == "[":
            continue
        value, place = match.group(group).rstrip() if group == 3 else match.group(group), start + 1 + match.start(group)
        found.append(Word(value, place, place + len(value), None if "{{" in value or "$(" in value else value))
    return found


def _listed(path: str, text: str, words: list[Word]) -> Script:
    script = Script(path, text, host=Host.WORKFLOW, listed=True)
    if words:
        script.commands.append(Command(tuple(words), (), words[0].start, words[-1].end, (), sound=True))
    return script
