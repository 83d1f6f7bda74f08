"""What must hold of every rewritten file before it is accepted: of its bytes, of its other text, and that it parses."""

from __future__ import annotations

from collections.abc import Sequence

from ..finding import Edit
from ..tree.old_names import stands_in
from ..tree.source import Source, UnreadableSource
from ..tree.suffixes import is_shell
from .apply import regions, written
from .compiled import compiled, parses, survives_libcst
from .name_checks import wrong_names


def verify(before: Source, after: str, edits: Sequence[Edit], thorough: bool = True) -> str | None:
    """None when `after`, the text of `before` with `edits` applied, may replace it; else what is wrong, in words.

    Not `thorough`: without LibCST, which takes most of the time.
    """
    why = _bytes(before, after) or _elsewhere(before, after, edits)
    if why is None and before.path.endswith(".py"):
        return _python(before, after, edits, thorough)
    if why is None and is_shell(before.path, before.text):
        return _shell(before.text, after)
    return why


# Any file


def _bytes(before: Source, after: str) -> str | None:
    """The new text must come back from its bytes unchanged."""
    try:
        data = before.encode(after)
        again = Source.from_bytes(before.path, data)
    except UnicodeEncodeError as error:
        return f"the new text has a character that {before.encoding} can't write: {error.object[error.start]!r}"
    except UnreadableSource as error:
        return f"the result can't be read back: {error}"
    return None if again.text == after and again.bom == before.bom else "the result reads back differently"


def _elsewhere(before: Source, after: str, edits: Sequence[Edit]) -> str | None:
    """Outside the edited spans every character must be where it was."""
    at = new_at = 0
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit, (start, end) in zip(ordered, regions(before, edits), strict=True):
        if not at <= edit.start <= edit.end <= len(before.text):
            return "two edits overlap, or one lies outside the file"
        if before.text[at : edit.start] != after[new_at:start] or after[start:end] != written(before, edit):
            return "text outside the edited places changed"
        at, new_at = edit.end, end
    return None if before.text[at:] == after[new_at:] else "text outside the edited places changed"


# Shell


def _shell(before: str, after: str) -> str | None:
    return "the result is not valid shell any more" if _shell_errors(after) > _shell_errors(before) else None


def _shell_errors(text: str) -> int:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(text.encode("utf-8", "surrogatepass")).root_node
    errors, nodes = 0, [root] if root.has_error else []
    while nodes:
        node = nodes.pop()
        errors += node.is_error or node.is_missing
        nodes += [child for child in node.children if child.has_error or child.is_missing]
    return errors


# Python


def _python(before: Source, after: str, edits: Sequence[Edit], thorough: bool) -> str | None:
    try:
        compiled(before.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        from ..tree.python2 import reads

        if isinstance(error, SyntaxError) and not parses(before.text) and reads(before.text):
            return None if reads(after) else "the result is not Python 2 any more"
        return f"the file does not compile as it is: {_words(error)}"
    if any(stands_in(edit.text) for edit in edits) and not stands_in(before.text):
        return "it would write the name by which a keyword of Python 3.7 is read"
    try:
        compiled(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the result does not compile: {_words(error)}"
    if thorough and not survives_libcst(after):
        what = "result" if survives_libcst(before.text) else "file"
        return f"Python reads the {what}, but LibCST, the second opinion, does not"
    return wrong_names(before, after, tuple(edits))


def _words(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    return f"{type(error).__name__} {error}".rstrip()
