"""Launch lines: commands that start several ranks of one Python program. Independent of what should become of them."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .bash import Command, Script, Word, quoted_commands
from .hosts import Host
from .names import names

LAUNCH, RUN, TORCHRUN = "torch.distributed.launch", "torch.distributed.run", "torchrun"  # as written on a line


class Starter(enum.Enum):
    """What starts the script of a line; the last two are for `other_lines`."""

    LAUNCH = LAUNCH
    RUN = RUN
    TORCHRUN = TORCHRUN
    DEEPSPEED = "deepspeed"
    PYTHON = "python"


_INTERPRETER = re.compile(r"(?:.*/)?python[\d.]*(?:\.exe)?")
_JOINED_M = re.compile(r"-[bBdEhiIOqsSuvVx]*m")
_ARGUMENT = re.compile(r"\$(?:([1-9])|\{([1-9])\}|[@*]|\{[@*](?::([1-9]\d*))?\})")
_RENUMBERS = re.compile(  # the arguments may be others later on
    r"\b(?:while|for|until|set|function|getopts)\b|\(\)|\bshift[ \t]+[^\d\s;#&|]"
)
_NAMES_PROGRAM = re.compile(r"(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-p)\s")  # `$(which train)`: one word


@dataclass(frozen=True, slots=True)
class Flag:
    """One of the launcher's own flags: `name` without dashes and with `-` for `_`; `value` as Word.value; its words."""

    name: str
    value: str | None
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """One launch line. `wrappers` stand before the program (`srun`, `nohup`); `interpreter` is None for `torchrun`.

    `module` is the word that names the launcher: `torch.distributed.launch`, `torch.distributed.run` or `torchrun`.
    `entry` is the script or, with `entry_is_module`, the module; None, with `problem` in words, when it can't be told.
    """

    path: str
    starter: Starter
    command: Command
    wrappers: tuple[Word, ...]
    interpreter: Word | None
    interpreter_flags: tuple[Word, ...]
    module: Word
    flags: tuple[Flag, ...]
    entry: Word | None
    entry_is_module: bool
    entry_values: tuple[
        str, ...
    ]  # what the entry word can stand for (several in a loop over scripts); empty when unknown
    arguments: tuple[Word, ...]
    problem: str | None = None
    host: Host = Host.SCRIPT
    listed: bool = False  # its words are the items of a list
    parameter: int | None = None  # the script is what the shell script gets as its first, second... argument

    def flag(self, *names: str) -> Flag | None:
        """The last flag of one of these names."""
        found = [flag for flag in self.flags if flag.name in names]
        return found[-1] if found else None

    @property
    def ranked_by(self) -> str | None:
        """The wrapper (`srun`) that starts several processes of what follows."""
        return next((word.value for word in self.wrappers if word.value in names("rank_starters")), None)

    @property
    def nodes(self) -> str | None:
        """How many nodes take part, as the line says; None when that is only known when it runs."""
        flag = self.flag("nnodes")
        return "1" if flag is None or flag.value == "1:1" else flag.value

    @property
    def plain_interpreter(self) -> bool:
        """True for a bare `python` or `python3` without flags of its own: found on PATH, like `torchrun`."""
        return (
            self.interpreter is not None
            and self.interpreter.text in ("python", "python3")
            and not self.interpreter_flags
        )

    @property
    def extra_arguments(self) -> bool:
        """True when words that can't be known are passed on to the script (`"$@"`, `${ARGS}`)."""
        return any(word.value is None for word in self.arguments)

    def passes(self, option: str) -> bool:
        """True when the line itself gives `--option` to the script."""
        return any((word.value or word.text).partition("=")[0] == option for word in self.arguments)

    def argument(self, option: str) -> Word | None:
        """The word that follows the last `option` among the script's arguments (or the joined `option=value`)."""
        found = None
        for at, word in enumerate(self.arguments):
            name, equals, _ = (word.value or word.text).partition("=")
            if name == option and equals:
                found = replace(word, value=word.value.partition("=")[2] if word.value else None)
            elif name == option:
                found = self.arguments[at + 1] if at + 1 < len(self.arguments) else None
        return found

    def parsed(self, name: str) -> Word | None:
        """The word that argparse keeps as attribute `name`: of `--a_b` or `--a-b`."""
        return self.argument(f"--{name}") or self.argument(f"--{name.replace('_', '-')}")


@dataclass(frozen=True, slots=True)
class Unread:
    """A place that names the old launcher but could not be read as a launch line, and why."""

    start: int
    end: int
    reason: str
    text: str  # from there on, as far as the value or the quoted command goes


def launch_lines(script: Script) -> list[LaunchLine]:
    """Every launch line of `script`, in the order of the text; a variable holding the launcher gives one per use."""
    lines: list[LaunchLine] = []
    for command in script.commands:
        for words in _variants(script, command):
            line = _line(script, command, words)
            if line is not None:
                lines.append(line)
    return lines


def other_lines(script: Script) -> list[LaunchLine]:
    """Lines that start a script with deepspeed's launcher, or with plain python."""
    lines: list[LaunchLine] = []
    for command in script.commands:
        words = _spelled_out(script, command.words)
        for at, word in enumerate(words):
            value = (word.value or "").rpartition("/")[2]
            if value == Starter.DEEPSPEED.value and _wrapped(words[:at]):
                lines.append(_read(script, command, words, None, at, Starter.DEEPSPEED))
                break
            named = word.value is None and "py" in (word.variable or "").lower()  # `$PYTHON`
            if (named or _INTERPRETER.fullmatch(value)) and _wrapped(words[:at]):
                lines += _plain(script, command, words, at)
                break
    return lines


def _wrapped(before: list[Word]) -> bool:
    return not before or before[0].value in names("shell_wrappers")


def _plain(script: Script, command: Command, words: list[Word], at: int) -> Iterator[LaunchLine]:
    """`python [flags] script.py ...`, unless it runs a launcher or no script at all."""
    index, module = at + 1, False
    while index < len(words) and words[index].text.startswith("-"):
        flag = words[index].value or ""
        module = _JOINED_M.fullmatch(flag) is not None
        if flag == "-c" or module:
            break
        index += 2 if flag in ("-W", "-X") else 1
    index += module
    entry = words[index] if index < len(words) else None
    if entry is None or entry.text.startswith("-") or entry.value in (LAUNCH, RUN):
        return
    values = _values(script, entry)
    if module or (values and all(value.endswith(".py") for value in values)):
        yield LaunchLine(
            script.path, Starter.PYTHON, command, tuple(words[:at]), words[at], tuple(words[at + 1 : index]), words[at],
            (), entry, module, values, tuple(words[index + 1 :]), None, script.host, script.listed,
        )  # fmt: skip


def unread(script: Script, lines: list[LaunchLine]) -> list[Unread]:
    """Variables and quoted commands that name the old launcher where no launch line was read."""
    covered = {line.module.start for line in lines}
    found: list[Unread] = []
    for name, assignments in script.assignments.items():
        for assignment in assignments:
            for match in re.finditer(re.escape(LAUNCH), assignment.word.text):
                start = assignment.word.start + match.start()
                if start not in covered:
                    reason = f"the variable {name} holds the launcher, and what is started with it can't be followed"
                    said = assignment.word.text[match.start() :]
                    found.append(Unread(start, start + len(LAUNCH), reason, said))
    for command in script.commands:
        handed = command.words[1:] if (command.words[0].value or "") in names("quoted_command") else ()
        for word in (*quoted_commands(command.words), *handed):
            place = re.search(re.escape(LAUNCH), word.text)
            quoted = place is not None and re.search("[\"']", word.text[: place.start()])
            if place and quoted and not any(word.start <= at < word.end for at in covered):
                start = word.start + place.start()
                reason, said = "the launch line stands inside a quoted command", word.text[place.start() :]
                found.append(Unread(start, start + len(LAUNCH), reason, said))
    return sorted(found, key=lambda place: place.start)


def _variants(script: Script, command: Command) -> Iterator[list[Word]]:
    """The words of a command, variables that hold several words spelled out; one variant per value of the first."""
    program = next((at for at, word in enumerate(command.words) if _expandable(script, word, launcher=True)), None)
    if program is None:
        yield _spelled_out(script, command.words)
        return
    variable = command.words[program].variable
    assert variable is not None
    for assignment in script.assignments[variable]:
        words = _via(assignment.inner or (), variable)
        yield _spelled_out(script, (*command.words[:program], *words, *command.words[program + 1 :]))


def _expandable(script: Script, word: Word, launcher: bool = False) -> bool:
    assigned = script.assignments.get(word.variable or "", [])
    if not word.many or not assigned or any(assignment.inner is None for assignment in assigned):
        return False
    if launcher:
        return any(LAUNCH in (assignment.word.text) or TORCHRUN in assignment.word.text for assignment in assigned)
    return len(assigned) == 1 and len(assigned[0].inner or ()) > 0


def _via(words: tuple[Word, ...], variable: str) -> tuple[Word, ...]:
    return tuple(replace(word, via=variable) for word in words)


def _spelled_out(script: Script, words: tuple[Word, ...], depth: int = 0) -> list[Word]:
    found: list[Word] = []
    for word in words:
        if depth < 4 and _expandable(script, word):
            assert word.variable is not None
            inner = script.assignments[word.variable][0].inner or ()
            if len(inner) == 1 and not inner[0].many:
                found.append(replace(word, value=inner[0].value, many=False))
            else:
                found += _spelled_out(script, _via(inner, word.variable), depth + 1)
        else:
            found.append(word)
    return found


def _line(script: Script, command: Command, words: list[Word]) -> LaunchLine | None:
    head = (words[0].value or "").rpartition("/")[2]
    runs = head in ("conda", "mamba") and len(words) > 1 and words[1].value == "run"
    if (head in names("shell_text") and not runs) or any(word.value in names("other_launchers") for word in words[:3]):
        return None
    for at, word in enumerate(words):
        value = word.value or ""
        if value in (LAUNCH, RUN) and at > 0 and _JOINED_M.fullmatch(words[at - 1].value or ""):
            return _read(script, command, words, _interpreter(words, at), at, Starter(value))
        if value in ("-m" + LAUNCH, "-m" + RUN) and at > 0:
            return _read(script, command, words, _interpreter(words, at + 1), at, Starter(value[2:]))
        if value.rpartition("/")[2] == TORCHRUN and (value != word.text or "/" in value or _starts(words, at)):
            return _read(script, command, words, None, at, Starter.TORCHRUN)
    return None


def _starts(words: list[Word], at: int) -> bool:
    """Could a program's name stand here? Not after another Python or shell program whose argument it would be."""
    return not any(
        _INTERPRETER.fullmatch(word.value or "") or (word.value or "").endswith(".py") for word in words[:at]
    )


def _interpreter(words: list[Word], at: int) -> int:
    """Index of the interpreter before `-m` at `at - 1`: flags, and the values of -W and -X, stand between."""
    index = at - 2
    while index > 0 and ((words[index].value or "").startswith("-") or (words[index - 1].value or "") in ("-W", "-X")):
        index -= 1
    return index


def _read(
    script: Script, command: Command, words: list[Word], interpreter: int | None, at: int, starter: Starter
) -> LaunchLine:
    first = at if interpreter is None else interpreter
    flags, module_entry, rest = _flags(words[at + 1 :])
    entry = rest[0] if rest else None
    between = () if interpreter is None else tuple(words[interpreter + 1 : at])
    return LaunchLine(
        script.path,
        starter,
        command,
        tuple(words[:first]),
        None if interpreter is None else words[interpreter],
        tuple(word for word in between if word.value != "-m"),
        words[at],
        tuple(flags),
        entry,
        module_entry,
        () if entry is None else _values(script, entry),
        tuple(rest[1:]),
        "no script is named on the line" if entry is None else None,
        script.host,
        script.listed,
        None if entry is None or entry.value is not None else _parameter(script, entry),
    )


def _parameter(script: Script, word: Word) -> int | None:
    """Which argument of the shell script `word` is, the first being 1: `$1`, `"$@"`, `$NAME` after `NAME=$1`."""
    at, text = word.start, word.text  # where `$NAME` was given it, for that is spelled out by now
    match = _ARGUMENT.fullmatch(text.strip("\"'"))
    if match is None or _RENUMBERS.search(script.text):
        return None
    shifts = [other.words for other in script.commands if other.words[0].value == "shift" and other.start < at]
    steps = [words[1].text if words[1:] else "1" for words in shifts]
    if not all(step.isdecimal() for step in steps):
        return None
    return int(match[1] or match[2] or match[3] or 1) + sum(map(int, steps))


def _flags(words: list[Word]) -> tuple[list[Flag], bool, list[Word]]:
    """The launcher's own flags, whether the entry is a module, and the words from the entry on."""
    flags: list[Flag] = []
    module_entry = False
    index = 0
    while index < len(words):
        word = words[index]
        text = word.value if word.value is not None else word.text
        if text == "--":
            index += 1
            continue
        if not text.startswith("-"):
            if (
                word.value is None
                and word.many
                and not _NAMES_PROGRAM.match(text)
                and _script_follows(words[index + 1 :])
            ):
                index += 1  # a variable full of flags; the script is named further on
                flags.append(Flag("", None, (word,)))
                continue
            break
        name, equals, value = text.lstrip("-").partition("=")
        name = name.replace("_", "-")
        module_entry = module_entry or name in ("m", "module")
        if equals or name in names("launcher_switches"):
            flags.append(Flag(name, value if equals and word.value is not None else None, (word,)))
            index += 1
        else:
            passed = words[index + 1 : index + 2]
            flags.append(Flag(name, passed[0].value if passed else None, (word, *passed)))
            index += 2
    return flags, module_entry, words[index:]


def _values(script: Script, word: Word) -> tuple[str, ...]:
    if word.value is not None:
        return (word.value,)
    assigned = [assignment.word.value for assignment in script.assignments.get(word.variable or "", [])]
    known = [value for value in assigned if value is not None]
    return tuple(dict.fromkeys(known)) if len(known) == len(assigned) else ()


def _script_follows(words: list[Word]) -> bool:
    """Does a flag of the launcher or a Python file come next? Then the unknown word before stood for flags."""
    if not words:
        return False
    text = words[0].value if words[0].value is not None else words[0].text
    if text.startswith("-"):
        return _is_launchers(text)
    unknown = words[0].value is None and words[0].many
    return text.endswith(".py") or (unknown and (_script_follows(words[1:]) or _is_option(words[1:2])))


def _is_option(words: list[Word]) -> bool:
    return bool(words) and words[0].text.startswith("-")


def _is_launchers(option: str) -> bool:
    """The launcher's own, which may be cut short."""
    name = option.lstrip("-").partition("=")[0].replace("_", "-")
    return any(each.startswith(name) for each in names("launcher_options") | names("launcher_switches"))
