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
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    parents: list[tuple[int, str]] = []  # (indentation, key) of the mappings around the line
    at = 0
    while at < len(lines):
        match = _ENTRY.match(lines[at].rstrip("\r\n"))
        content = lines[at].strip()
        if match is None or not content or content.startswith("#"):
            at += 1
            continue
        lead, key, value = len(match["lead"]), match["key"], match["value"]
        bare = len(lines[at]) - len(lines[at].lstrip())
        while parents and parents[-1][0] >= (lead if key else bare):
            if not key and parents[-1][0] == bare:  # `key:` and its `- item` may start in the same column
                break
            parents.pop()
        owner = key if key else (parents[-1][1] if parents else "")
        end = at + 1
        inner = bare if not key else (lead if match["lead"].strip() else bare)
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > inner):
            end += 1
        body = text[starts[at + 1] : starts[end]] if end > at + 1 else ""
        if key and not value.strip():
            parents.append((lead, key))
            items = _items(lines, starts, at + 1, lead) if key in _KEYS else None
            if items is not None and mentions.search(text[items[0].start : items[-1].end]):
                yield _listed(path, text, items)
                at = min(bisect_right(starts, items[-1].end), len(starts) - 1)
                continue
            at += 1
            continue
        if owner not in _KEYS or not (mentions.search(value) or mentions.search(body)):
            block = _BLOCK.match(value.strip())
            at = end if block is not None else at + 1
            continue
        place = starts[at] + match.start("value")
        block = _BLOCK.match(value.strip())
        if block is not None:
            yield _part(path, starts[at + 1], body.replace("\n", " ") if block.group(1) == ">" else body)
        elif value.startswith("["):
            piece = text[place : starts[end]].partition("]")[0]
            yield _listed(path, text, _flow(piece, place))
        elif value[:1] in ("'", '"'):
            close = value.rfind(value[0])
            if close > 0 and "\\" not in value and value[0] * 2 not in value:
                yield _part(path, place + 1, value[1:close])
        else:
            folded = text[place : starts[end]] if end > at + 1 else value
            yield _part(path, place, re.sub(r"\r?\n", lambda found: " " * len(found.group()), folded.rstrip()))
        at = end


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
