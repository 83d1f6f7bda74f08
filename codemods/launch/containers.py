"""Where shell text stands: whole scripts, Makefile recipes, Dockerfiles, YAML commands, guides, here-documents.

Each piece becomes a `Script` that knows where it stands; what is not shell is blanked, and what the host spells
otherwise (`$$` in a recipe) is replaced letter by letter. So every offset is an offset of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..tree.suffixes import CONTAINER_FILE, GUIDE_FILE, MAKEFILE, SHEBANG, SHELL_SCRIPT, WINDOWS_SCRIPT, YAML_FILE
from .bash import Command, Script, Word, read
from .hosts import Host
from .yaml import yaml_scripts

MENTIONS = re.compile(r"torch\.distributed\.(?:launch|run)\b|torchrun")
STARTS = re.compile(  # any way to start a program
    rf"{MENTIONS.pattern}|deepspeed(?<!\wdeepspeed)\b|python(?<!\wpython)|\$\{{?PY"
)
PARTS = ("torch", "deepspeed", "python", "PY")  # one of these stands in every match: found many times faster
_GUIDE_LANGUAGES = frozenset(
    ("", "bash", "sh", "shell", "zsh", "console", "shell-session", "bashrc", "cmd", "text", "none")
)
_DATA = frozenset(("json", "yaml", "yml", "toml", "xml", "html", "diff", "ini"))
_LONG_LINE = 2000  # characters; what stands before is not looked at
_LAUNCHER = r"(?:\w+=\S*[ \t]+)*(?:\S*python[\d.]*[ \t]+(?:-\w+[ \t]+)*-m[ \t]+torch\.distributed|torchrun[ \t]{})"
_SHELL = re.compile(  # a command, whatever the block says that it is: `python`, `eval`
    r"^[ \t>]{0,40}(?:[$%][ \t]+)?" + _LAUNCHER.format(""),
    re.MULTILINE,
)
_LINE = re.compile(  # a command that is a whole line of a sentence's text, of a list, a quotation or indented code
    r"^[ \t>]{0,40}(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:[$%][ \t]+)?(" + _LAUNCHER.format("+-") + r"(?:[^\n\\]|\\\r?\n|\\)*)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)", re.MULTILINE)
_INLINE = re.compile(  # code in a sentence, which may go on over several lines
    r"(?<!`)(`{1,2})(?!`)((?:[$%][ \t]+)?" + _LAUNCHER.format("") + r"(?:[^`\n]|\n(?![ \t]*\n))*)(?<!`)\1(?!`)"
)
_PREFORMATTED = re.compile(r"<pre\b[^>\n]*>\s*(?:<code\b[^>\n]*>)?([^<]*)<", re.IGNORECASE)
_DIRECTIVE = re.compile(
    r"^([ \t]*)(?![ \t])(?:\.\. (?:code-block|code|sourcecode|prompt)::[ \t]*(\w*).*|(?!\.\. ).*::)[ \t]*$",
    re.MULTILINE,
)
_BLANK_BEHIND = re.compile(r"\\([ \t]+)(?=\r?\n)")
_HEREDOC = re.compile(r"^(.*)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\2(.*)$", re.MULTILINE)
_RUNS_HEREDOC = re.compile(
    r"(?:^|[;&|(]\s*)(?:sbatch|qsub|bsub|(?:ba|z|k|da)?sh)\b|>>?[ \t]*[^\s;|>]+\.(?:sh|bash|sbatch|slurm|job|pbs)\b"
)


def host_of(path: str, start: str) -> Host | None:
    """What kind of file `path` is, by how its text starts; None for files without shell commands."""
    if SHELL_SCRIPT.search(path):
        return Host.SCRIPT
    if MAKEFILE.search(path):
        return Host.RECIPE
    if CONTAINER_FILE.search(path):
        return Host.IMAGE
    if YAML_FILE.search(path):
        return Host.WORKFLOW
    if GUIDE_FILE.search(path):
        return Host.GUIDE
    if WINDOWS_SCRIPT.search(path):
        return Host.WINDOWS
    if "." not in path.rpartition("/")[2] and SHEBANG.match(start):
        return Host.SCRIPT
    return None


def scripts(path: str, text: str, host: Host) -> Iterator[Script]:
    """The shell texts of `path` that may start a program; a script as a whole, the others piece by piece.

    Of guides those that mention a launcher: what else they start is for their readers to say.
    """
    if host == Host.SCRIPT:
        yield read(path, text)
        pieces = _documents(text)
        kind = Host.DOCUMENT
    elif host == Host.RECIPE:
        pieces, kind = _recipes(text), Host.RECIPE
    elif host == Host.GUIDE:
        pieces, kind = _blocks(text, path.endswith(".rst")), Host.GUIDE
    elif host == Host.IMAGE:
        yield from _image(path, text)
        return
    elif host == Host.WORKFLOW:
        yield from yaml_scripts(path, text, STARTS)
        return
    else:
        return
    for start, piece in pieces:
        if (MENTIONS if kind == Host.GUIDE else STARTS).search(piece):
            yield part(path, start, piece, kind)


def part(path: str, start: int, piece: str, host: Host) -> Script:
    """The shell text `piece` that stands at `start` of the file."""
    script = read(path, piece, start)
    script.host = host
    if host is Host.GUIDE:
        script.commands = list(_in_the_clone(script.commands))
    return script


def _in_the_clone(commands: list[Command]) -> Iterator[Command]:
    """The commands of a guide, where `cd NAME` after `git clone URL/NAME` enters the repository itself."""
    cloned: set[str] = set()
    for command in commands:
        values = [word.value or "" for word in command.words]
        if values[:2] == ["git", "clone"]:
            cloned |= {value.rstrip("/").rpartition("/")[2].removesuffix(".git") for value in values[2:]}
        folders = tuple("." if (step or "").rstrip("/") in cloned else step for step in command.folders)
        yield replace(command, folders=folders)


def variables(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, name) of Makefile variables that hold a launcher: what is started with them can't be followed."""
    for match in re.finditer(r"^(?:export[ \t]+)?([\w.-]+)[ \t]*(?:[:?+]{0,3}=)(.*)$", text, re.MULTILINE):
        place = re.search(r"torch\.distributed\.launch", match.group(2))
        if place is not None and not match.group(0).startswith("\t"):
            yield match.start(2) + place.start(), match.start(2) + place.end(), match.group(1)


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines of a batch or PowerShell file start the old launcher."""
    for match in re.finditer(r"^(?![ \t]*(?:@?rem\b|::|#)).*?(-m[ \t]+torch\.distributed\.launch)", text, re.M | re.I):
        yield match.start(1), match.end(1)


def prose(text: str, directives: bool) -> Iterator[tuple[int, int]]:
    """Where a guide names the old launcher outside of its blocks of shell: in sentences and other blocks."""
    blocks = list(_in_guide(text, directives))
    for match in re.finditer(r"torch\.distributed\.launch\b", text):
        line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - _LONG_LINE) : match.start()]
        sentence = re.search(r"[A-Za-z]{3,}", re.sub(r"^[ \t>$]*(?:\w+=\S*[ \t]+)*\S*python.*", "", line))
        inside = any(start <= match.start() < end for start, end in blocks)
        if sentence and not inside and not line.startswith(("    ", "\t")):
            yield match.start(), match.end()


def _recipes(text: str) -> Iterator[tuple[int, str]]:
    """Every recipe line, continued lines with it: each runs in a shell of its own."""
    for match in re.finditer(r"^\t(?:[^\n\\]|\\\n?|\\)*", text, re.MULTILINE):
        line = re.sub(r"^\t[ \t@+-]*", lambda head: " " * len(head.group()), match.group())
        line = re.sub(r"\$\((\w+)\)", r"${\1}", line)
        line = re.sub(r"\$\$", "_$", line)
        line = re.sub(r"\$[<^*%+?]", "$@", line)
        yield match.start(), re.sub(r"(?<=\n)\t", " ", line)


def _blocks(text: str, directives: bool) -> Iterator[tuple[int, str]]:
    """Every fenced block (Markdown) or literal block (reStructuredText) that may hold shell."""
    for start, end in _in_guide(text, directives):
        block = text[start:end]
        if text[start - 1 : start] == "`":  # in a sentence, where a line's end is a blank
            block = re.sub(r"[\\ ]?\r?\n", lambda found: " " * len(found.group()), block)
        block = re.sub(
            r"^[ \t>]*(?:[$#%>][ \t]+)?(?=[\w$./~\"-])", lambda head: _prompt(head.group()), block, flags=re.M
        )
        block = re.sub(r"^([ \t]*)(\([\w.-]+\)[ \t]+\$ )", lambda head: " " * len(head.group()), block, flags=re.M)
        block = _BLANK_BEHIND.sub(lambda found: f"{' ' * len(found[1])}\\", block)  # nobody means a word of one blank
        yield start, block


def _prompt(head: str) -> str:
    return head if "#" in head else " " * len(head)  # `# torchrun …` is a comment rather than a prompt of root


def _fenced(text: str) -> Iterator[tuple[int, int, bool]]:
    """The fenced blocks, and whether they may hold shell."""
    opened: tuple[str, str, int] | None = None
    for match in _FENCE.finditer(text):
        fence, language = match.group(2), match.group(3).lower()
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end + 1
        closed = text.find(fence, match.end(2), line_end) if fence[0] == "`" else -1
        if opened is None and closed >= 0:  # ```a command``` on one line
            yield match.end(2), closed, True
        elif opened is None:
            opened = (fence, language, line_end)
        elif fence.startswith(opened[0]) and not language:
            named = opened[1] not in _DATA and _SHELL.search(text, opened[2], match.start())
            yield opened[2], match.start(), opened[1] in _GUIDE_LANGUAGES or bool(named)
            opened = None


def _preformatted(text: str) -> Iterator[tuple[int, int]]:
    """Commands in HTML: `<pre><code>torchrun train.py</code></pre>`."""
    for match in _PREFORMATTED.finditer(text) if "<pre" in text else ():
        if _SHELL.search(match.group(1)):
            yield match.span(1)


def _inline(text: str) -> Iterator[tuple[int, int]]:
    """Whole commands as code in a sentence: main training: `torchrun --nproc_per_node=2 train.py`."""
    for match in _INLINE.finditer(text) if MENTIONS.search(text) else ():
        if ".py" in match.group(2):
            yield match.span(2)


def _lines(text: str, fenced: Sequence[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Commands in Markdown that stand on lines of their own outside of blocks, with the lines that go on with them."""
    if not MENTIONS.search(text):
        return
    others = [range(start, end) for start, end, _ in fenced]
    others += [range(*match.span()) for match in _COMMENT.finditer(text)]
    for match in _LINE.finditer(text):
        if ".py" in match.group(1) and "`" not in match.group(1) and not any(match.start() in part for part in others):
            yield match.span(1)


def _in_guide(text: str, directives: bool) -> Iterator[tuple[int, int]]:
    """The blocks of Markdown or reStructuredText that may hold shell, and commands outside of blocks."""
    fenced = [] if directives else list(_fenced(text))
    blocks = list(_literal(text)) if directives else [(start, end) for start, end, shell in fenced if shell]
    yield from blocks
    inside = [range(*block) for block in blocks]
    others = [*_inline(text), *(() if directives else [*_preformatted(text), *_lines(text, fenced)])]
    yield from (found for found in sorted(others) if not any(found[0] in block for block in inside))


def _literal(text: str) -> Iterator[tuple[int, int]]:
    for match in _DIRECTIVE.finditer(text):
        if (match.group(2) or "").lower() not in _GUIDE_LANGUAGES:
            continue
        body = re.compile(rf"(?:\n|[ \t]*\n|{match.group(1)}[ \t]+[^\n]*\n?)*").match(text, match.end())
        if body is not None and body.group().strip():
            yield body.start(), body.end()


def _documents(text: str) -> Iterator[tuple[int, str]]:
    """The bodies of here-documents that are written to a script or passed to a shell or a batch system."""
    if "<<" not in text:
        return
    words: dict[str, list[int]] = {}  # where lines of one word start
    for line in re.finditer(r"^\t*(\w+)[ \t\r]*$", text, re.MULTILINE):
        words.setdefault(line.group(1), []).append(line.start())
    left = 10 * len(text)  # here-documents in here-documents in...
    for match in _HEREDOC.finditer(text):
        start = match.end() + 1
        closing = words.get(match.group(3), [])
        close = closing[at] if (at := bisect_left(closing, start)) < len(closing) else None
        if close is None or match.group(1).lstrip().startswith("#"):
            continue
        left -= close - start
        if left < 0:
            return
        body = text[start:close]
        around = f"{match.group(1)} {match.group(4)}"
        if re.search(r"\b(?:ssh|pdsh|docker|kubectl|singularity)\b", around):
            continue
        if _RUNS_HEREDOC.search(around) or (SHEBANG.match(body) and ">" in around):
            yield start, body if match.group(2) else re.sub(r"\\(?=[$\\`])", "_", body).replace("_\\\n", " \\\n")


def _image(path: str, text: str) -> Iterator[Script]:
    """RUN, CMD and ENTRYPOINT of a Dockerfile, in both forms."""
    instruction = re.compile(
        r"^[ \t]*(?:HEALTHCHECK[ \t].*?)?(?:RUN|CMD|ENTRYPOINT)[ \t]+"
        r"((?:[^\n\\]|\\[ \t]*\r?\n(?:[ \t]*#[^\n]*\n)*|\\)*)",
        re.M | re.I,
    )
    for match in instruction.finditer(text):
        body, start = match.group(1), match.start(1)
        if not STARTS.search(body):
            continue
        if body.startswith("["):
            yield listed(path, text, _quoted(body, start), Host.IMAGE)
        else:
            body = re.sub(r"(?m)^[ \t]*#[^\n]*\n", lambda line: " " * len(line.group()), body)
            flags = re.match(r"(?:--\w+=\S+\s+)*", body)
            assert flags is not None
            yield part(path, start, " " * flags.end() + body[flags.end() :], Host.IMAGE)


def _quoted(body: str, start: int) -> list[Word]:
    """The strings of a JSON list (exec form) as words."""
    found = re.finditer(r'"([^"\\]*)"', body)
    return [Word(match.group(1), start + match.start(1), start + match.end(1), match.group(1)) for match in found]


def listed(path: str, text: str, words: list[Word], host: Host) -> Script:
    """A command whose words are a list: no shell reads them."""
    script = Script(path, text, host=host, listed=True)
    if words:
        script.commands.append(Command(tuple(words), (), words[0].start, words[-1].end, (), sound=True))
    return script
