"""Finds launch lines and their programs, and plans the swap of the launcher. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ...finding import Confidence, Edit, Finding, Fix, Hop
from ...launch import bash as shell
from ...launch import containers
from ...launch.hosts import Host
from ...launch.lines import LaunchLine, Starter, launch_lines, other_lines, unread
from ...launch.read_as_text import read_as_text
from ...project import Project
from ...syntax.statements import removed_statement
from ...tree.source import Source
from . import program as entries
from .decide import Decisions
from .declared_ranks import declared_ranks
from .in_python import launches_in_python
from .local_rank import first_of_each_node
from .rendezvous import local_as_world
from .screen import ID
from .shell_files import hosts
from .stale_comments import stale_comments
from .verdict import DEPRECATED, Verdict

_LOCAL_RANK = re.compile(r"--local[_-]rank\b")
_USE_ENV = re.compile(r"--use[_-]env\b")
_BUILT = re.compile(r"torch\.distributed\.launch\b")
_STARTED = re.compile(rf"{_BUILT.pattern}|{_LOCAL_RANK.pattern}")


def find(project: Project) -> Iterable[Finding]:
    """Findings of every place where a launch line lives, and of scripts whose launch line is elsewhere."""
    read = [(source, host) for path in project.paths for source, host in hosts(project, path)]
    scripts = [
        (source, script) for source, host in read for script in containers.scripts(source.path, source.text, host)
    ]
    for source, script in scripts:
        if script.tangled:
            project.skip(source.path, "too many pipes, redirections or here-documents for a script")
        elif script.unread is not None:
            number = source.position(script.unread)[0]
            project.skip(
                source.path, f"the launch line in line {number}: no shell reads the text around it", partly=True
            )
    lines = [launch_lines(script) for _, script in scripts]
    lines = _not_offered_both([script for _, script in scripts], lines)
    others = [other_lines(script) if script.host != Host.GUIDE else [] for _, script in scripts]
    decisions = Decisions(
        project, [line for found in lines for line in found], [line for found in others for line in found]
    )
    spawns: set[tuple[str, int]] = set()
    ranks: set[tuple[str, int]] = set()
    guides: dict[str, Source] = {}  # those whose commands change
    for (source, script), found, plain in zip(scripts, lines, others, strict=True):
        groups: dict[int, list[LaunchLine]] = {}
        for line in found:
            groups.setdefault(line.module.start, []).append(line)
        for group in groups.values():
            for finding in _launcher(decisions, source, script, group):
                edits = finding.fix.edits if finding.fix is not None else ()
                if script.host is Host.GUIDE and any(edit.path == source.path for edit in edits):
                    guides[source.path] = source
                yield finding
                if script.host is not Host.GUIDE and any(edit.path == source.path for edit in edits):
                    for start, end in stale_comments(source, group):
                        yield _reported(source, start, end, _ADAPT, _STALE)
            for line in group if script.host != Host.GUIDE else ():
                yield from _spawn_settings(decisions, source, line, spawns)
                yield from _world_ranks(decisions, source, line, ranks)
        for place in unread(script, found) if script.host != Host.GUIDE else ():
            what, todo, confidence = decisions.unread(source.path, _USE_ENV.search(place.text) is not None)
            yield _reported(source, place.start, place.end, f"{place.reason}: {todo}", what, confidence)
        yield from _other_lines(decisions, source, plain)
    for source, host in read:
        if host == Host.WINDOWS:
            for start, end in containers.windows(source.text):
                yield _reported(source, start, end, "batch and PowerShell files aren't rewritten: put torchrun there")
        elif host == Host.RECIPE:
            for start, end, name in containers.variables(source.text):
                yield _reported(source, start, end, f"{_HELD.format(name)}: rewrite it by hand")
    for guide in guides.values():
        for start, end in containers.prose(guide.text, guide.path.endswith(".rst")):
            what = "the text names `torch.distributed.launch`, which the commands of this guide no longer use"
            yield _reported(guide, start, end, "text is not rewritten: adapt it to the new commands", what)
    yield from _in_python(decisions)
    for path, field in declared_ranks(project):
        code = project.source(path)
        assert code is not None
        yield _reported(code, *code.range_of(field), _DECLARED, _NEVER_PASSED)


_NEVER_PASSED = "torchrun never passes --local_rank: every rank would keep the default -1 and train alone"
_DECLARED = (
    'its parser is not argparse alone: give it the default `int(os.environ.get("LOCAL_RANK", -1))`, and take '
    "--local-rank too where torch.distributed.launch of torch 2 starts it"
)


_STALE = "the comment speaks of the launcher that the line no longer uses once it is rewritten"
_ADAPT = "a comment is not rewritten: adapt it to the new line"


def _not_offered_both(scripts: list[shell.Script], lines: list[list[LaunchLine]]) -> list[list[LaunchLine]]:
    """The lines without those of guides that show the same command with torchrun as well, for a newer torch."""
    guides = [script.host is Host.GUIDE for script in scripts]
    every = [line for found, guide in zip(lines, guides, strict=True) if guide for line in found]
    shown = {_command(line) for line in every if line.starter in (Starter.RUN, Starter.TORCHRUN)}
    return [
        [line for line in found if not (guide and line.starter is Starter.LAUNCH and _command(line) in shown)]
        for found, guide in zip(lines, guides, strict=True)
    ]


def _command(line: LaunchLine) -> tuple[object, ...]:
    """The guide, what is started, with which arguments, on one node or on several."""
    several = line.flag("nnodes", "node-rank") is not None
    return line.path, line.entry and line.entry.text, *(word.text for word in line.arguments), several


_HELD = "the variable {} holds the launcher, and what is started with it can't be followed"


def _reported(
    source: Source, start: int, end: int, reason: str, what: str = DEPRECATED, sure: Confidence = Confidence.LIKELY
) -> Finding:
    return Finding(ID, source.path, source.span(start, end), what, sure, reason=reason)


def _in_python(decisions: Decisions) -> Iterator[Finding]:
    """Commands that Python builds, and scripts that no launch line of the repository starts."""
    project = decisions.project
    told: set[tuple[str, int]] = set()
    for source in project.matching(_STARTED, words=("launch", "local", "local_rank")):
        path = source.path
        tree = project.module(path) if _BUILT.search(source.text) else None
        if tree is not None:
            for node, what, said in launches_in_python(tree):
                start, end = source.range_of(node)
                use_env = _USE_ENV.search(source.text) is not None
                yield _reported(source, start, end, f"{what}: {decisions.built(path, said, use_env)}")
        if _LOCAL_RANK.search(source.text) and "add_argument" in source.text:
            verdict = _surest(decisions, path)
            if verdict is not None and (verdict.hops[0].path, verdict.hops[0].line) not in told:
                told.add((verdict.hops[0].path, verdict.hops[0].line))
                yield _script_only(decisions, verdict)


def _surest(decisions: Decisions, path: str) -> Verdict | None:
    """What the first of the programs with the option of `path` needs; one that joins others goes first."""
    found: Verdict | None = None
    for script in entries.starters(decisions.project, path):
        verdict = decisions.alone(script)
        if verdict is not None and (found is None or verdict.confidence.rank > found.confidence.rank):
            found = verdict
        if found is not None and found.confidence.reaches(Confidence.LIKELY):
            break
    return found


def _script_only(decisions: Decisions, verdict: Verdict) -> Finding:
    place = verdict.hops[0]
    source = decisions.project.source(place.path)
    assert source is not None
    text = source.line_text(place.line)
    start = source.line_starts[place.line - 1] + len(text) - len(text.lstrip())
    span = source.span(start, start + len(text.strip()))
    fix = None if verdict.reason else Fix(verdict.title, tuple(verdict.edits), verdict.imports)
    return Finding(ID, place.path, span, verdict.message, verdict.confidence, tuple(verdict.hops), fix, verdict.reason)


def _launcher(decisions: Decisions, source: Source, script: shell.Script, group: list[LaunchLine]) -> Iterator[Finding]:
    """The finding for one launcher as written: several lines when a variable that holds it is used often."""
    verdicts = [verdict for line in group if (verdict := decisions.verdict(source, line)).message]
    if not verdicts or (script.host == Host.GUIDE and any(verdict.reason for verdict in verdicts)):
        return  # what a guide shows can't always be rewritten, and is nothing to worry about by itself
    line = group[0]
    chosen = next((verdict for verdict in verdicts if verdict.reason), verdicts[0])
    reason = chosen.reason or _shared_variable(script, group, verdicts) or _counted(source, script)
    first = (
        line.interpreter if line.interpreter is not None and line.interpreter.via == line.module.via else line.module
    )
    span = source.span(first.start, line.module.end)
    said = " ".join(source.text[first.start : line.module.end].replace("\\", " ").split())
    hop = Hop(source.path, span.line, f"the launch line: {said}" + (f" ... {line.entry}" if line.entry else ""))
    edits = tuple(dict.fromkeys(edit for verdict in verdicts for edit in verdict.edits))
    if reason is None and _overlap(edits):
        reason = "the scripts that it starts need different launchers: write a line of its own for each of them"
    imports = tuple(dict.fromkeys(need for verdict in verdicts for need in verdict.imports))
    fix = None if reason else Fix(chosen.title, edits, imports)
    yield Finding(ID, source.path, span, chosen.message, chosen.confidence, (hop, *chosen.hops), fix, reason)


def _counted(source: Source, script: shell.Script) -> str | None:
    """Why the text of a here-document stays as it is; None where nothing depends on it."""
    if script.host is not Host.DOCUMENT:
        return None
    used = read_as_text(source.text, script.start, script.start + len(script.text))
    if used is None:
        return None
    line = source.position(used[0])[0]
    return f"line {line} passes the file that is written here to `{used[1]}`, which may read its words: change both"


def _overlap(edits: tuple[Edit, ...]) -> bool:
    """Do two different edits change the same characters?"""
    ordered = sorted(edits, key=lambda edit: (edit.path, edit.start, edit.end))
    return any(one.path == two.path and two.start < one.end for one, two in pairwise(ordered))


def _shared_variable(script: shell.Script, group: list[LaunchLine], verdicts: list[Verdict]) -> str | None:
    """Why edits inside variables can't be made; None when they can."""
    words = [word for line in group for word in (line.module, *(word for flag in line.flags for word in flag.words))]
    edited = {edit.start for verdict in verdicts for edit in verdict.edits if edit.path == script.path}
    for name in dict.fromkeys(word.via for word in words if word.via):
        touched = [
            assignment
            for assignment in script.assignments[name]
            if any(assignment.word.start <= offset <= assignment.word.end for offset in edited)
        ]
        if not touched:
            continue
        if any(assignment.exported for assignment in touched):
            return f"the variable {name} is exported, and other scripts may use it: rewrite it by hand"
        uses = [command for _, command in script.uses.get(name, ()) if command not in ("echo", "printf")]
        if len(uses) > len({line.command.start for line in group}) or len(verdicts) < len(group):
            return f"the variable {name} is used in other ways too: rewrite it by hand"
    return None


def _spawn_settings(
    decisions: Decisions, source: Source, line: LaunchLine, seen: set[tuple[str, int]]
) -> Iterator[Finding]:
    """`set_start_method("spawn")` where a launcher starts the ranks: it only spawns the workers of their loaders."""
    for program in decisions.started(line):
        for path, call in entries.spawn_settings(program):
            if (path, call.lineno) in seen:
                continue
            seen.add((path, call.lineno))
            code = decisions.project.source(path)
            assert code is not None
            hops = [Hop(source.path, source.position(line.module.start)[0], "the launcher starts the ranks")]
            hops.append(Hop(program.path, 1, "the script that it starts"))
            if path in program.via:
                importer = program.via[path]
                lines = entries.imports_with_lines(program.project, importer)
                number = next(line for line, target in lines if target == path)
                hops.append(Hop(importer, number, f"imports {path}"))
            gone = removed_statement(code, program.tree(path), call)
            unsafe = (
                "workers then start by fork (before Python 3.14): fast, and memory is shared, but a dataset that uses "
                "CUDA, or a lock that a thread of the rank holds, can hang in them"
            )
            yield Finding(
                ID,
                path,
                code.span_of(call),
                "a launcher starts the ranks, so spawn only starts the workers of each rank's DataLoaders: every one "
                "imports the whole program again and gets its own copy of the dataset (the first epoch seems stuck, "
                "memory grows)",
                Confidence.LIKELY,
                tuple(hops),
                Fix("Leave the start method alone", gone, unsafe=unsafe) if gone else None,
                None if gone else "the call is part of a larger statement: take it out by hand",
            )


def _world_ranks(
    decisions: Decisions, source: Source, line: LaunchLine, seen: set[tuple[str, int]]
) -> Iterator[Finding]:
    """Where several nodes take part: the rank on the node taken for the rank among all."""
    if line.nodes == "1":
        return
    hop = Hop(source.path, source.position(line.module.start)[0], "the launch line, for several nodes")
    for program in decisions.started(line):
        for path, call, text in local_as_world(program):
            if (path, call.lineno) not in seen:
                seen.add((path, call.lineno))
                yield _at_node(
                    decisions,
                    path,
                    call,
                    f"`{text}` is the rank on the node, and the launch line can join several: two ranks get one number",
                    hop,
                    "which number is meant can't be seen: use int(os.environ['RANK']) for the rank among all",
                )
        for path, test, done in first_of_each_node(program):
            if (path, test.lineno) not in seen:
                seen.add((path, test.lineno))
                yield _at_node(
                    decisions,
                    path,
                    test.test,
                    f"`{ast.unparse(test.test)}` holds once on every node, and the launch line can join several: each "
                    f"of them comes to `{ast.unparse(done.func)}`",
                    hop,
                    "whether the nodes share their files can't be seen: ask for the rank among all "
                    "(int(os.environ['RANK']) == 0) where one process is to do it",
                )


def _at_node(decisions: Decisions, path: str, node: ast.expr, message: str, hop: Hop, reason: str) -> Finding:
    """A finding in a program, that only a person can decide about."""
    code = decisions.project.source(path)
    assert code is not None
    return Finding(ID, path, code.span_of(node), message, Confidence.LIKELY, (hop,), reason=reason)


def _other_lines(decisions: Decisions, source: Source, lines: list[LaunchLine]) -> Iterator[Finding]:
    """Lines with deepspeed's launcher or plain python whose script waits for something else."""
    for line in lines:
        verdict = decisions.other(source, line)
        if verdict.message:
            assert line.entry is not None
            hop = Hop(source.path, source.position(line.module.start)[0], f"starts {line.entry}")
            fix = None if verdict.reason else Fix(verdict.title, tuple(verdict.edits), verdict.imports)
            span = source.span(line.module.start, max(line.module.end, line.entry.end))
            yield Finding(
                ID, source.path, span, verdict.message, verdict.confidence, (hop, *verdict.hops), fix, verdict.reason
            )
