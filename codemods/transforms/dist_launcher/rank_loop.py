"""The launcher written out: a loop that starts plain `python` once per rank, waits, and fails when one rank fails."""

from __future__ import annotations

import re
from itertools import pairwise

from ...finding import Edit, Refused
from ...launch.hosts import Host
from ...launch.lines import Flag, LaunchLine
from ...tree.source import Source

_KNOWN = frozenset(
    """nproc-per-node nnodes node-rank master-addr master-port rdzv-endpoint standalone use-env m module""".split()  # noqa: SIM905
)
_PORT = "${MASTER_PORT:-29500}"  # the launcher's own default


def rank_loop(source: Source, line: LaunchLine, extra: str) -> Edit:
    """The edit that puts the loop in the place of `line`; `extra` is passed to the script before its arguments.

    Raises Refused where a loop can't stand or can't do what the launcher did.
    """
    _can_stand(source, line)
    flags = _flags(line)
    count = flags.get("nproc-per-node", "1")
    if re.search(r"\b(gpu|cpu|auto)\b", count):
        raise Refused(f"the launcher counts the devices itself (`{count}`): name a number of ranks")
    address, port = flags.get("master-addr", "127.0.0.1"), flags.get("master-port", _PORT)
    if "rdzv-endpoint" in flags:
        host, colon, number = flags["rdzv-endpoint"].strip("\"'").rpartition(":")
        address, port = (host, number if number != "0" else _PORT) if colon else (number, _PORT)
    world, rank = count, "$rank"
    if flags.get("nnodes", "1") != "1":
        nodes, node = flags["nnodes"], flags.get("node-rank")
        if ":" in re.sub(r"\$\{[^}]*\}", "", nodes) or node is None or "127.0.0.1" in address:
            raise Refused("which node is which is only known to the launcher: pass --node_rank and --master_addr")
        world, rank = f"$(({_bare(nodes)} * {_bare(count)}))", f"$(({_bare(node)} * {_bare(count)} + rank))"
    last = f"$(({_bare(count)} - 1))" if not count.isdigit() else str(int(count) - 1)
    outer = _indentation(source, line)
    unit = "\t" if "\t" in outer else "    "
    one, two = outer + unit, outer + unit + unit
    shared = {"MASTER_ADDR": address, "MASTER_PORT": port, "WORLD_SIZE": world}
    program = _program(source, line, extra)
    _own_names(shared, f"{program} {count}")
    exports = " ".join(f"{name}={value}" for name, value in shared.items())
    text = (
        "(\n"
        f"{one}export {exports} OMP_NUM_THREADS=${{OMP_NUM_THREADS:-1}}\n"
        f"{one}ranks=()\n"
        f"{one}trap 'kill \"${{ranks[@]}}\" 2> /dev/null || :' EXIT  # no rank outlives the others\n"
        f"{one}for rank in $(seq 0 {last}); do\n"
        f"{two}RANK={rank} LOCAL_RANK=$rank {program} &\n"
        f"{two}ranks+=($!)\n"
        f"{one}done\n"
        f"{one}while wait -n; do :; done  # until one fails, or all are done\n"
        f'{one}for pid in "${{ranks[@]}}"; do kill "$pid" 2> /dev/null || wait "$pid" || exit; done\n'
        f"{outer})"
    )
    return Edit(line.path, _start(source, line), line.command.words[-1].end, text)


def _own_names(shared: dict[str, str], used: str) -> None:
    """Raises Refused when `used`, text of the line, reads a variable that the loop gives another value."""
    taken = [name for name, value in shared.items() if not re.match(rf"\$\{{?{name}\b", _bare(value))]
    for name in (*taken, "rank", "ranks"):
        if re.search(rf"\$\{{?{name}\b", used):
            raise Refused(f"the line reads ${name}, which the loop sets: rename that variable first")


def _can_stand(source: Source, line: LaunchLine) -> None:
    if line.host is not Host.SCRIPT or line.listed:
        raise Refused("a loop over the ranks needs a script of its own: move the line to one, or keep torchrun")
    shebang = re.match(r"#![^\n]*", source.text)
    if shebang is not None and not re.search(r"\bbash\b", shebang.group()):
        raise Refused("a loop that waits for its ranks needs bash, and the script names another shell")
    words = [*line.command.words]
    for what, word in (("launcher", line.module), ("script", line.entry)):
        if word is not None and word.via:
            raise Refused(f"the {what} stands in the variable {word.via}: spell it out")
    if _start(source, line) > 0 and source.text[_start(source, line) - 1] in "\"'`":
        raise Refused("the launch line stands inside a quoted command: move it to a script of its own")
    wrappers = [word.text for word in line.wrappers if word.text != "nohup"]
    if wrappers:
        raise Refused(f"`{wrappers[0]}` starts the launcher, and can't start a loop: drop it, or keep torchrun")
    gaps = [source.text[one.end : two.start] for one, two in pairwise(words)]
    if any(re.sub(r"\\\r?\n", "", gap).strip() for gap in gaps):
        raise Refused("a redirection stands in the middle of the line: move it to the end")


def _flags(line: LaunchLine) -> dict[str, str]:
    """The launcher's flags as written, by name. Raises Refused for those that no loop can honour."""
    found: dict[str, str] = {}
    for flag in line.flags:
        if flag.name in ("rdzv-backend", "rdzv-id") and "nnodes" not in {flag.name for flag in line.flags}:
            continue  # one node: who finds whom is settled by the address
        if via := flag.words[0].via:
            raise Refused(f"flags of the launcher stand in the variable {via}: spell them out on the line")
        if flag.name not in _KNOWN:
            raise Refused(f"a loop can't do what `{flag.words[0].text}` asks of the launcher: keep torchrun")
        found[flag.name] = _written(flag)
    return found


def _written(flag: Flag) -> str:
    text = flag.words[-1].text
    return text.partition("=")[2] if len(flag.words) == 1 else text


def _bare(text: str) -> str:
    return text.strip("\"'")


def _start(source: Source, line: LaunchLine) -> int:
    """Where the command starts. `A=1 B=2` on the line before is a command of its own, which the parser overlooks."""
    start, end = line.command.start, line.command.words[0].start
    breaks = [found.end() for found in re.finditer(r"(?<!\\)(?<!\\\r)\n[ \t]*", source.text[start:end])]
    return start + (breaks[-1] if breaks else 0)


def _indentation(source: Source, line: LaunchLine) -> str:
    start = source.text.rfind("\n", 0, _start(source, line)) + 1
    blank = re.match(r"[ \t]*", source.text[start:])
    return blank.group() if blank is not None else ""


def _program(source: Source, line: LaunchLine, extra: str) -> str:
    """One rank: the environment, the interpreter and the script as they were."""
    assert line.entry is not None
    head = source.text[_start(source, line) : line.command.words[0].start]
    head = re.sub(r"\s*\\\r?\n\s*", " ", head) + "".join(f"{word.text} " for word in line.wrappers)
    interpreter = "python" if line.interpreter is None else line.interpreter.text
    flags = [word.text for word in line.interpreter_flags]
    if line.interpreter is not None and flags and re.fullmatch(r"-[a-zA-Z]+m", flags[-1]):
        flags[-1] = flags[-1][:-1]
    module = ["-m"] if line.entry_is_module else []
    rest = source.text[line.entry.end : line.command.words[-1].end]
    return head + " ".join([interpreter, *flags, *module, line.entry.text, *([extra] if extra else [])]) + rest
