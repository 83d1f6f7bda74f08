"""Words in hints reach the program as they are in each shell, and nothing in them runs.

There is no cmd and no PowerShell on every machine: what they do with a line is written down here by their rules.
"""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Mapping

import pytest

from codemods.quoting import Shell, printable, shell, users_shell
from harness.each_row import each_row

NAMES = [
    "main",
    "spawnfix/migrate-2",
    "a b",
    "main;touch${IFS}x;#",
    "x&calc&y",
    "x|calc",
    "%PATH%",
    "100%",
    "%A%B%PATH%",
    "!PATH!",
    "a'b",
    "a'&calc&'b",
    "a\u2019;calc;\u2019",
    "\u201c;calc;\u201d",
    'a"b',
    'a"&calc&"b',
    'a\\"&calc&\\"b',
    "$(calc)",
    "`calc`",
    "a^b",
    "^&calc",
    "(calc)",
    "{calc}",
    "@args",
    "-x.y",
    "a,b",
    "C:\\my folder\\",
    "C:\\work\\repo",
    "~",
    "*",
    "\u2013x",
    "",
]
VARIABLES = {"PATH": "x&calc", "A": "&calc&", "ERRORLEVEL": "0"}


def cmd_line(line: str) -> str:
    """What cmd hands to a program for one typed `line`. Fails where it would start another, or write to a file."""
    line = re.sub(r"%([^%=]+)%", lambda found: VARIABLES.get(found[1], found[0]), line)
    out, quoted, at = "", False, 0
    while at < len(line):
        letter = line[at]
        if letter == "^" and not quoted:
            at += 1
            out += line[at : at + 1]
        else:
            quoted ^= letter == '"'
            assert quoted or letter not in "&|<>()", f"cmd acts on {letter} in {line}"
            out += letter
        at += 1
    return out


def arguments(line: str) -> list[str]:
    """The arguments in a command line, as programs on Windows read them."""
    found: list[str] = []
    word, quoted, begun, at = "", False, False, 0
    while at < len(line):
        slashes = len(line) - at - len(line[at:].lstrip("\\"))
        if slashes:
            at += slashes
            if line[at : at + 1] == '"':
                word += "\\" * (slashes // 2)
                if slashes % 2:
                    word, at = word + '"', at + 1
            else:
                word += "\\" * slashes
            begun = True
            continue
        letter = line[at]
        at += 1
        if letter == '"':
            quoted, begun = not quoted, True
        elif letter in " \t" and not quoted:
            if begun:
                found.append(word)
            word, begun = "", False
        else:
            word, begun = word + letter, True
    return [*found, word] if begun else found


def powershell_word(word: str) -> str:
    """The value of one word in PowerShell. Fails where it would expand, split or run something."""
    single, double = "'\u2018\u2019\u201a\u201b", '"\u201c\u201d\u201e'
    if word[:1] and word[0] in single:
        assert re.fullmatch(f"[{single}](?:[^{single}]|[{single}]{{2}})*[{single}]", word), word
        return re.sub(f"[{single}]([{single}])", r"\1", word[1:-1])
    if word[:1] == '"':
        inside = word[1:-1]
        assert word.endswith('"') and not re.search(f"[{double}$`]", inside), word
        return re.sub(r"(\\+)$", lambda found: found[1][: len(found[1]) // 2], inside)  # the program's reading
    assert re.fullmatch(r"[A-Za-z0-9_+:./\\][A-Za-z0-9_+:./\\@-]*", word), word
    return word


def random_names() -> list[str]:
    dice = random.Random(5)
    return ["".join(dice.choices("ab \\\"'%!^&|<>()$`;,@-\u2019\u201c=~", k=dice.randrange(1, 14))) for _ in range(400)]


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("name", [*NAMES, *random_names()])
def test_every_shell_hands_the_word_on_as_it_is(name: str) -> None:
    assert arguments(cmd_line(f"git switch {shell(name, Shell.CMD)} --")) == ["git", "switch", name, "--"]
    assert powershell_word(shell(name, Shell.POWERSHELL)) == name
    assert shlex.split(shell(name, Shell.POSIX)) == [name]


@pytest.mark.parametrize("kind", Shell)
def test_control_characters_are_no_part_of_a_line(kind: Shell) -> None:
    assert "\x1b" not in shell("a\x1b]0;x\x07\u202eb", kind) and printable("a\nb\x9b\u202e") == "a?b??"


WINDOWS = {"ProgramFiles": r"C:\Program Files", "SystemRoot": r"C:\Windows", "ComSpec": r"C:\Windows\system32\cmd.exe"}
ALL_USERS = r"C:\Program Files\WindowsPowerShell\Modules;C:\Windows\system32\WindowsPowerShell\v1.0\Modules"


@each_row(
    ("system", "environment", "kind"),
    [
        ("posix", {"SHELL": "/bin/zsh"}, Shell.POSIX),
        ("posix", {}, Shell.POSIX),
        ("posix", {"PSModulePath": "/home/ada/.local/share/powershell/Modules"}, Shell.POWERSHELL),
        ("nt", WINDOWS, Shell.CMD),
        ("nt", {**WINDOWS, "PSModulePath": ALL_USERS}, Shell.CMD),
        (
            "nt",
            {**WINDOWS, "PSModulePath": rf"C:\Users\Ada\Documents\WindowsPowerShell\Modules;{ALL_USERS}"},
            Shell.POWERSHELL,
        ),
        (
            "nt",
            {**WINDOWS, "PSModulePath": rf"C:\Users\Ada\OneDrive\Dokumente\PowerShell\Modules;{ALL_USERS}"},
            Shell.POWERSHELL,
        ),
        ("nt", {**WINDOWS, "PSModulePath": ALL_USERS, "MSYSTEM": "MINGW64"}, Shell.POSIX),
        ("nt", {**WINDOWS, "SHELL": r"C:\Program Files\Git\usr\bin\bash.exe"}, Shell.POSIX),
    ],
)
def test_the_shell_that_started_us(system: str, environment: Mapping[str, str], kind: Shell) -> None:
    assert users_shell(system, environment) is kind
