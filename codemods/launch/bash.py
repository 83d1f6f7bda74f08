"""One shell text through tree-sitter: its commands as words with character offsets, its variables, its folders."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from .hosts import Host
from .recovery import filled_in, recovered

HERE = (
    "\ue000"  # stands for the folder of the script itself in a value: `$(dirname "$0")/train.py` -> HERE + "/train.py"
)
_BETWEEN_WORDS = re.compile(r"(?<=\s)\"|\"(?=\s)")
_CONTINUATION = re.compile(r"\\\r?\n")
_LAST_CONTINUATION = re.compile(r"\\\r?\n(?=\s*\Z)")  # the end of the text comes next
_PIPED = re.compile(r"\s(?:\||&?>>?|\d>>?)")  # ` | tee -a log`, where nothing else than words follows
_ENDS_WORDS = re.compile(r".*[;()#`\"']", re.DOTALL)
_NESTED_LIMIT = 8  # how deep `A=$B`, `B=$C`... are followed
_WRAPPING_STRINGS = {"string", "raw_string"}
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_MAX_MARKS = 2000  # of those below; the parser's time grows with the square of how many follow each other
_MARKS = ("|", ">", "=(", "<<")
_MAX_DEPTH = 400  # deeper trees are not written by people


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command: as written (`text`), its offsets, and what it stands for.

    `value` is the text after expansion, with HERE for the script's folder; None when that can't be known.
    `via` names the variable in whose assignment the word stands, when the command only says `$NAME`.
    `variable` is the name when the word is nothing but `$NAME` or `${NAME...}`; `many` when it can be several words.
    """

    text: str
    start: int
    end: int
    value: str | None
    via: str | None = None
    variable: str | None = None
    many: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command: `environment` are the assignments before it, `folders` the `cd` that hold where it stands.

    A folder that can't be known is None. `sound` is False where the parser had to guess.
    """

    words: tuple[Word, ...]
    environment: tuple[tuple[str, str], ...]
    start: int
    end: int
    folders: tuple[str | None, ...]
    sound: bool


@dataclass(slots=True)
class Assignment:
    """`NAME=value` somewhere in the text; `word` is the value as a whole, `inner` its words where it can be split."""

    name: str
    word: Word
    inner: tuple[Word, ...] | None
    exported: bool
    start: int


@dataclass(slots=True)
class Script:
    """A shell text, read. `assignments` in the order they stand; `uses` are the offsets of `$NAME` by name."""

    path: str
    text: str
    start: int = 0  # of `text` in the file; all other offsets are the file's
    commands: list[Command] = field(default_factory=list)
    assignments: dict[str, list[Assignment]] = field(default_factory=dict)
    uses: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)  # (offset, first word of its command)
    host: Host = Host.SCRIPT  # where the text stands
    tangled: bool = False  # not read, because that would take too long
    unread: int | None = None  # where a launch line stands which the parser can't tell from what stands around it
    listed: bool = False  # the words are a list: `["torchrun", "train.py"]`


def read(path: str, text: str, start: int = 0) -> Script:
    """Everything that a shell would run in `text`, which stands at `start` of the file.

    Comments, echoed strings and here-documents are not commands.
    """
    if sum(text.count(mark) for mark in _MARKS) > _MAX_MARKS:
        return Script(path, text, start, tangled=True)
    return _Reader(path, filled_in(text), start).read()


class _Reader:
    def __init__(self, path: str, text: str, start: int, outer: _Reader | None = None) -> None:
        self.script = Script(path, text, start)
        self.data = text.encode("utf-8")
        wide = len(self.data) > len(text)
        self.inside_letters = [at for at, byte in enumerate(self.data) if byte & 0xC0 == 0x80] if wide else []
        self.outer = outer  # the reader of the text that a quoted command stands in: it knows the variables
        self.assigned: dict[str, list[Node]] = {}  # values by name
        self.entries: list[tuple[str, Node, Node]] = []  # (name, value, the node that assigns)

    def read(self) -> Script:
        self.data, root, unread = recovered(self.data, lambda data: _parser().parse(data).root_node)
        self.script.unread = None if unread is None else self._at(unread)
        self._names(root, None, 0)
        for name, value, node in self.entries:  # only now: a value may name a variable that is assigned further down
            self._assign(name, value, node)
        self._commands(root, (), 0)
        return self.script

    def _at(self, byte: int) -> int:
        return self.script.start + byte - bisect_left(self.inside_letters, byte)

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8")

    # variables, first: a value may be used above its assignment (functions)

    def _names(self, node: Node, command: str | None, depth: int) -> None:
        if depth > _MAX_DEPTH or node.type in ("heredoc_body", "comment"):
            return
        if node.type == "command":
            name = node.child_by_field_name("name")
            command = self._text(name) if name is not None else None
        if node.type in ("simple_expansion", "expansion"):
            name = _expanded_name(node)
            if name is not None:
                self.script.uses.setdefault(self._text(name), []).append((self._at(node.start_byte), command))
        for child in node.children:
            self._names(child, command, depth + 1)
        if node.type == "variable_assignment" and (node.parent is None or node.parent.type != "command"):
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None and name.type == "variable_name":
                self._remember(self._text(name), value, node)
        if node.type == "for_statement" and (name := node.child_by_field_name("variable")) is not None:
            for value in node.children_by_field_name("value"):
                if value.is_named:
                    self._remember(self._text(name), value, node)

    def _remember(self, name: str, value: Node, node: Node) -> None:
        self.assigned.setdefault(name, []).append(value)
        self.entries.append((name, value, node))

    def _assign(self, name: str, value: Node, node: Node) -> None:
        word = self.word(value)
        if node.type == "for_statement":
            entry = Assignment(name, word, (word,), False, word.start)
        elif any(child.type == "+=" for child in node.children):
            entry = Assignment(name, replace(word, value=None), None, False, word.start)
        else:
            outer = node.parent
            exported = (
                outer is not None and outer.type == "declaration_command" and self._text(outer).startswith("export")
            )
            entry = Assignment(name, word, self._inner(value), exported, word.start)
        self.script.assignments.setdefault(name, []).append(entry)

    def _inner(self, value: Node) -> tuple[Word, ...] | None:
        """The words inside a quoted or array value; None when they can't be told apart with certainty."""
        if value.type == "array":
            return tuple(self.word(child) for child in value.named_children if child.type != "comment")
        joined = value.type == "concatenation" and re.fullmatch('"(?s:.*)"', self._text(value)) is not None
        if not joined and value.type not in _WRAPPING_STRINGS:
            return (self.word(value),)
        return self.inside(value)

    def inside(self, value: Node) -> tuple[Word, ...] | None:
        """The words of a quoted string that is read again as a command; None when quoting gets in the way."""
        body = _without_log(self._text(value)[1:-1])
        if value.type == "concatenation":  # "run "$OPTION" now": such quotes end a string, and begin another one
            body = _BETWEEN_WORDS.sub(" ", body)
        body = _LAST_CONTINUATION.sub(lambda found: " " * len(found.group()), body)
        if "\\" in _CONTINUATION.sub("", body) or (value.type == "string" and "`" in body):
            return None
        if any(quote in body for quote in "\"'") or re.search(
            r"[;&|<>()#]", re.sub(r"\$\([^()]*\)|\$\{[^}]{0,999}\}", "", body)
        ):
            return None
        inner = _Reader(self.script.path, body, 0, self)
        root = _parser().parse(inner.data).root_node
        shift = self._at(value.start_byte) + 1
        words: list[Word] = []
        for node in root.children:
            if node.type != "command" or node.has_error:
                return (
                    tuple(
                        Word(match.group(), shift + match.start(), shift + match.end(), match.group())
                        for match in re.finditer(r"[^\s\\]+", body)
                    )
                    if "$" not in body
                    else None
                )
            words += [replace(word, start=word.start + shift, end=word.end + shift) for word in inner.words(node)]
        return tuple(words)

    # commands

    def _commands(self, node: Node, folders: tuple[str | None, ...], depth: int) -> tuple[str | None, ...]:
        """Collects the commands below `node`; gives the folders that hold after it."""
        if depth > _MAX_DEPTH or node.type in ("heredoc_body", "comment"):
            return folders
        if node.type == "command":
            return self._command(node, folders, depth)
        inner = folders
        for child in node.children:
            inner = self._commands(child, inner, depth + 1)
        closed = node.type in (
            "subshell",
            "command_substitution",
            "process_substitution",
            "function_definition",
            "pipeline",
        )
        return folders if closed else inner

    def _command(self, node: Node, folders: tuple[str | None, ...], depth: int) -> tuple[str | None, ...]:
        words = self.words(node)
        outer = node.parent
        if outer is not None and outer.type == "redirected_statement":
            for redirect in outer.children_by_field_name("redirect"):
                if redirect.type == "file_redirect":  # `cmd > log more words`: what follows the target belongs to cmd
                    targets = redirect.children_by_field_name("destination")
                    words += [self.word(extra) for extra in targets[1:]]
        environment = tuple(
            (self._text(child).partition("=")[0], self._text(child).partition("=")[2])
            for child in node.children
            if child.type == "variable_assignment"
        )
        for child in node.children:  # $(…) inside the words is run too
            self._commands(child, folders, depth + 1)
        if not words:
            return folders
        command = Command(
            tuple(words), environment, self._at(node.start_byte), words[-1].end, folders, sound=not node.has_error
        )
        self.script.commands.append(command)
        if words[0].value == "popd" or (words[0].value == "cd" and len(words) > 1 and words[1].value == "-"):
            return folders[:-1]
        if words[0].value in ("cd", "pushd") and len(words) > 1:
            return (*folders, words[-1].value)
        self._again(node, command, folders)
        return folders

    def _again(self, node: Node, command: Command, folders: tuple[str | None, ...]) -> None:
        """`bash -c "…"` and `eval "…"`: the quoted string is a command of its own."""
        strings = {self._at(child.start_byte): child for child in node.children if child.type in _WRAPPING_STRINGS}
        for word in quoted_commands(command.words):
            if word.start in strings and (words := self.inside(strings[word.start])):
                start, end = words[0].start, words[-1].end
                self.script.commands.append(Command(words, command.environment, start, end, folders, command.sound))

    def words(self, node: Node) -> list[Word]:
        """The words of a command node, its name first; assignments before it and redirections left out."""
        found: list[Word] = []
        for child in node.children:
            if child.type == "command_name":
                found += [self.word(child.children[0])] if child.children else []
            elif child.is_named and child.type != "variable_assignment" and not child.type.endswith("redirect"):
                found.append(self.word(child))
        return found

    def word(self, node: Node) -> Word:
        """`node` as a word."""
        text = self._text(node)
        start, end = self._at(node.start_byte), self._at(node.end_byte)
        bare = node.named_children[0] if node.type == "string" and len(node.named_children) == 1 else node
        variable = None
        if bare.type in ("simple_expansion", "expansion"):
            name = _expanded_name(bare)
            variable = self._text(name) if name is not None else None
        unquoted = node.type in ("simple_expansion", "expansion", "command_substitution")
        many = unquoted or (bare.type == "expansion" and "[@]" in text) or text in ('"$@"', '"${@}"')
        return Word(text, start, end, self.value(node), variable=variable, many=many)

    # what a word stands for

    def value(self, node: Node, depth: int = 0) -> str | None:
        """The text that `node` expands to, HERE for the script's folder; None when it depends on something outside."""
        if depth > _NESTED_LIMIT:
            return None
        kind = node.type
        if kind == "raw_string":
            return self._text(node)[1:-1]
        if kind in ("word", "number", "variable_name", "special_variable_name", "string_content"):
            return re.sub(r"\\(.)", r"\1", self._text(node))
        if kind in ("string", "concatenation"):
            return self._joined(node, depth)
        if kind in ("simple_expansion", "expansion"):
            return self._expansion(node, depth)
        if kind == "command_substitution":
            return self._substitution(node, depth)
        return None

    def _joined(self, node: Node, depth: int) -> str | None:
        pieces: list[str] = []
        at = node.start_byte + (1 if node.type == "string" else 0)
        end = node.end_byte - (1 if node.type == "string" else 0)
        for child in node.children:
            if child.type == '"':
                continue
            pieces.append(self.data[at : child.start_byte].decode("utf-8"))  # blanks between pieces are no nodes
            value = self.value(child, depth) if child.is_named else self._text(child)
            if value is None:
                return None
            pieces.append(value)
            at = child.end_byte
        return "".join([*pieces, self.data[at:end].decode("utf-8")])

    def _expansion(self, node: Node, depth: int) -> str | None:
        name = _expanded_name(node)
        if name is None:
            return None
        text, known = self._text(node), self._text(name)
        plain = re.fullmatch(r"\$\w+|\$\{\w+(\[0\])?(:?-.*)?\}", text, re.DOTALL)
        if known in ("0", "BASH_SOURCE", "PWD"):  # they have a value
            if known == "PWD":
                return "." if plain else None
            folder = HERE if text.endswith("%/*}") else None
            return f"{HERE}/{posixpath.basename(self.script.path)}" if plain else folder
        reader, assigned = self._lookup(known)
        if len(assigned) == 1 and plain and "[" not in text:
            return reader.value(assigned[0], depth + 1)
        if not assigned and node.type == "expansion" and re.match(r"\$\{\w+:?-", text):
            default = [child for child in node.named_children if child.id != name.id]
            return self.value(default[0], depth + 1) if len(default) == 1 else None
        return None

    def _lookup(self, name: str) -> tuple[_Reader, list[Node]]:
        if name in self.assigned or self.outer is None:
            return self, self.assigned.get(name, [])
        return self.outer._lookup(name)

    def _substitution(self, node: Node, depth: int) -> str | None:
        """`$(dirname X)`, `$(cd X && pwd)`, `$(realpath X)`, `$(pwd)`: folders. Everything else is unknown."""
        outer = list(_own_commands(node))
        read = [[child for child in (command.children) if child.is_named] for command in outer]
        names = [self._text(words[0]) if words else "" for words in read]
        arguments = [[word for word in words[1:] if not self._text(word).startswith("-")] for words in read]
        if names == ["pwd"]:
            return "."
        if names in (["cd", "pwd"], ["realpath"], ["readlink"]) and len(arguments[0]) == 1:
            return self.value(arguments[0][0], depth + 1)
        if names == ["dirname"] and len(arguments[0]) == 1:
            value = self.value(arguments[0][0], depth + 1)
            return posixpath.dirname(value) if value and value != HERE else (f"{HERE}/.." if value else None)
        return None


def _without_log(command: str) -> str:
    """`command` without ` | tee -a log` or a redirection at its end."""
    last = _ENDS_WORDS.match(command)
    log = _PIPED.search(command, last.end() if last else 0)
    return command[: log.start()] if log else command


def quoted_commands(words: tuple[Word, ...]) -> list[Word]:
    """The arguments of a command that a shell reads again: of `eval`, and after `bash -c` wherever it stands."""
    if words[0].value == "eval":
        return list(words[1:])
    for shell, flag, text in zip(words, words[1:], words[2:], strict=False):
        if (shell.value or "").rpartition("/")[2] in _SHELLS and re.fullmatch(r"-[a-z]*c", flag.value or ""):
            return [text]
    return []


def _expanded_name(node: Node) -> Node | None:
    for child in node.named_children:
        if child.type in ("variable_name", "special_variable_name"):
            return child
        if child.type == "subscript":
            return _expanded_name(child)
    return None


def _own_commands(node: Node) -> Iterator[Node]:
    """The commands below a substitution, without those of substitutions inside it."""
    todo = list(reversed(node.children))
    while todo:
        child = todo.pop()
        if child.type == "command":
            yield child
        if child.type != "command_substitution":
            todo.extend(reversed(child.children))
