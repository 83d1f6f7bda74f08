"""`# spawnfix: ignore` and `# spawnfix: ignore[rule, rule]`: comments that silence findings on their line."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..finding import Edit, Finding
from ..tree.source import Source

_COMMENT = re.compile(r"#\s*spawnfix:\s*ignore\b(?:\s*\[([^\]]*)\])?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment on line `line` (1-based) of `path` that silences `rules`; all rules when empty.

    `covers` are the lines it speaks of: its own, and outside Python, when it stands alone, the next one too
    (a command continued over several lines has no room for a comment).
    """

    path: str
    line: int
    rules: tuple[str, ...]
    covers: tuple[int, ...]

    def silences(self, finding: Finding) -> bool:
        """True when `finding` starts or ends on a covered line and is of one of the rules."""
        if self.rules and finding.rule not in self.rules:
            return False
        return finding.span.line in self.covers or finding.span.end_line in self.covers


@lru_cache(maxsize=16)
def suppressions(source: Source) -> list[Suppression]:
    """All suppressions of a file, in order. Strings that look like one do not count."""
    if "spawnfix:" not in source.text:
        return []
    comments = _python_comments(source.text) if source.path.endswith(".py") else _hash_comments(source)
    found = []
    for line, comment, alone in comments:
        match = _COMMENT.search(comment)
        if match:
            rules = tuple(name.strip() for name in (match[1] or "").split(",") if name.strip())
            covers = (line, line + 1) if alone and not source.path.endswith(".py") else (line,)
            found.append(Suppression(source.path, line, rules, covers))
    return found


def ignored(source: Source, finding: Finding) -> Edit | None:
    """The edit that silences `finding` by a comment on its line; None where no comment can stand there."""
    for line in dict.fromkeys((finding.span.line, finding.span.end_line)):
        if source.line_text(line).endswith("\\"):
            continue  # the next line goes on with this one
        end = source.line_starts[line - 1] + len(source.line_text(line))
        present = _COMMENT.search(source.line_text(line))
        if present is not None and present[1] is not None:
            at = source.line_starts[line - 1] + present.end(1)
            edit = Edit(source.path, at, at, f", {finding.rule}" if present[1].strip() else finding.rule)
        else:
            edit = Edit(source.path, end, end, f"  # spawnfix: ignore[{finding.rule}]")
        after = Source(source.path, source.apply([edit]))
        if any(item.silences(finding) for item in suppressions(after)):
            return edit
    return None


def _python_comments(text: str) -> Iterator[tuple[int, str, bool]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string, not token.line[: token.start[1]].strip()
    except (tokenize.TokenError, SyntaxError):  # what came before the error counts
        return


def _hash_comments(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Comments of shell, Make, Docker and YAML: from a `#` that starts a word outside quotes to the line's end."""
    for number in range(1, len(source.line_starts) + 1):
        line = source.line_text(number)
        if "spawnfix:" not in line:
            continue
        quote = ""
        escaped = False
        for index, character in enumerate(line):
            if escaped:
                escaped = False
            elif character == "\\" and quote != "'":
                escaped = True
            elif quote:
                quote = "" if character == quote else quote
            elif character in "'\"":
                quote = character
            elif character == "#" and (index == 0 or line[index - 1] in " \t;&|()"):
                yield number, line[index:], not line[:index].strip()
                break
