"""Edits of a launch line: each touches only the words that it is about, and the blanks or continuation before them."""

from __future__ import annotations

import re
from itertools import pairwise

from ...finding import Edit
from ...launch.bash import Word
from ...launch.lines import LAUNCH, RUN, TORCHRUN, Flag, LaunchLine
from ...tree.source import Source


def swap_launcher(source: Source, line: LaunchLine, module_only: bool) -> tuple[list[Edit], str]:
    """`python -m torch.distributed.launch` under its present name, and that name.

    `torchrun` for a bare interpreter unless `module_only`, else the module alone is renamed.
    """
    program = line.interpreter
    if program is not None and divided(source, line, program.start, line.module.end):
        module_only = True
    if program is not None and line.plain_interpreter and program.via == line.module.via and not module_only:
        return [Edit(line.path, program.start, line.module.end, TORCHRUN)], TORCHRUN
    if LAUNCH not in line.module.text:  # quoted in pieces
        word = (line.module.value or LAUNCH).replace(LAUNCH, RUN)
        return [Edit(line.path, line.module.start, line.module.end, word)], f"-m {RUN}"
    start = line.module.start + line.module.text.index(LAUNCH)
    return [Edit(line.path, start, start + len(LAUNCH), RUN)], f"-m {RUN}"


def drop_flag(source: Source, line: LaunchLine, flag: Flag) -> list[Edit]:
    """Without `flag`, and without the blanks (or the continued line) that led to it."""
    first, last = flag.words[0], flag.words[-1]
    around = [*_head(line), *(word for flag in line.flags for word in flag.words)] if first.via else line.command.words
    before = [word for word in around if word.via == first.via and word.end <= first.start]
    if line.listed and before and _named(source, before[-1].end, first.start):  # `args:` stands before it
        after = [word for word in line.command.words if word.start >= last.end]
        if after:
            return [Edit(line.path, first.start, after[0].start, "")]
    if before:
        return [Edit(line.path, max(word.end for word in before), last.end, "")]
    end = last.end
    while end < len(source.text) and source.text[end] == " ":  # first in its variable: the blanks after it go
        end += 1
    return [Edit(line.path, first.start, end, "")]


def drop_launcher(line: LaunchLine) -> list[Edit]:
    """Plain python: the launcher and its own flags go, the interpreter and its flags stay.

    `torchrun` becomes `python`.
    """
    flags = [flag for flag in line.flags if not (line.entry_is_module and flag.name in ("m", "module"))]
    keep_module = [flag for flag in line.flags if flag not in flags]
    words = [word for flag in flags for word in flag.words]
    edits: list[Edit] = []
    if line.interpreter is None:
        edits.append(Edit(line.path, line.module.start, line.module.end, "python"))
        previous: Word = line.module
    else:
        previous = line.interpreter_flags[-1] if line.interpreter_flags else line.interpreter
        if (
            previous.value is not None and previous is not line.interpreter and previous.value.endswith("m")
        ):  # `-um module`
            edits.append(Edit(line.path, previous.end - 1, line.module.end, ""))
        else:
            edits.append(Edit(line.path, previous.end, line.module.end, ""))
        previous = line.module
    for word in sorted([*words, *(word for flag in keep_module for word in flag.words)], key=lambda word: word.start):
        if word in words:
            edits.append(Edit(line.path, previous.end, word.end, ""))
        previous = word
    return _joined(edits)


def new_argument(source: Source, line: LaunchLine, text: str) -> Edit:
    """`text` as the first argument of the script, on a line of its own where the next argument has one."""
    assert line.entry is not None
    if line.listed:  # as the words before are divided: `", "`, or a new item
        one, two = line.command.words[:2]
        between = source.text[one.end : two.start]
        return Edit(line.path, line.entry.end, line.entry.end, between + text.replace(" ", between))
    following = [word for word in line.command.words if word.start > line.entry.end]
    between = source.text[line.entry.end : following[0].start] if following and line.entry.via is None else ""
    blank = between if "\n" in between else " "
    return Edit(line.path, line.entry.end, line.entry.end, f"{blank}{text}")


def divided(source: Source, line: LaunchLine, start: int, end: int) -> bool:
    """Do the words between two offsets belong to several lists (`command:` and `args:`)?"""
    words = [word for word in line.command.words if start <= word.start and word.end <= end]
    return line.listed and any(_named(source, one.end, two.start) for one, two in pairwise(words))


def _named(source: Source, start: int, end: int) -> bool:
    return re.search(r"\w+:", source.text[start:end]) is not None


def _head(line: LaunchLine) -> list[Word]:
    return [*([line.interpreter] if line.interpreter else []), *line.interpreter_flags, line.module]


def _joined(edits: list[Edit]) -> list[Edit]:
    """Deletions that touch, as one."""
    found: list[Edit] = []
    for edit in edits:
        if found and found[-1].end == edit.start and not found[-1].text and not edit.text:
            found[-1] = Edit(edit.path, found[-1].start, edit.end, "")
        else:
            found.append(edit)
    return found
