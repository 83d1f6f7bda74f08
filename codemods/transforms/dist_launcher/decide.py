"""What should become of a launch line, by the script that it starts. Knows nothing of where the line stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Confidence, Hop, Refused
from ...launch.hosts import Host
from ...launch.lines import LaunchLine, Starter
from ...project import Project
from ...syntax.argparse_options import Option
from ...syntax.repo import Repo
from ...tree.source import Source
from . import program as entries
from .chosen_branches import avoided
from .edits import divided, drop_flag, swap_launcher
from .in_python import script_of
from .local_rank import (
    kept_default,
    overwritten_defaults,
    plain,
    spelling,
)
from .rendezvous import (
    Address,
    asks_the_environment,
    fixed_address,
    joins_alone,
    joins_others,
    met_by_environment,
    ranks_by_option,
)
from .scripts import Scripts, local_rank_in_shell
from .teach import missing_spellings, teach
from .torch_version import Named, Version, agree_on_older, depth, held_below, is_about, named_versions, oldest_for
from .unseen_parser import unseen_parser
from .verdict import (
    DEPRECATED,
    Verdict,
    no_option,
    pass_launcher,
    without_launcher,
    write_loop,
)

_SETS_RANKS = re.compile(r"\b(?:RANK|WORLD_SIZE|MASTER_ADDR)[ \t]*=")  # a shell that does what a launcher does
_FIRST_DASHED: Version = (2, 0)  # the launcher passes --local-rank from there on
_NOT_NAMED: Version = (99, 0)
_RENAMED = "`torch.distributed.launch` is deprecated; torchrun does the same without passing --local_rank"
_BOTH = "Take both spellings of --local_rank"
_BEFORE_TORCHRUN: Version = (1, 8)
_OLDEST_RUN, _OLDEST_TORCHRUN = (1, 9), (1, 10)  # torch versions that have them


class Decisions:
    """Decides on the launch lines of one project; programs and pins are read once."""

    def __init__(self, project: Project, lines: list[LaunchLine], others: list[LaunchLine]) -> None:
        self.project, self.scripts = project, Scripts(project)
        self.others = others  # lines without torch's launchers
        self._torchrun = {line.path for line in lines if line.starter is Starter.TORCHRUN}  # files that run it
        self.launcher = project.settings.launcher  # what the user wants: torchrun, python, or what the script needs
        self.settled: set[str] = set()  # scripts whose `--local_rank` a launch line has decided about
        self._torch: list[Named] | None = None
        self._alone: dict[str, tuple[Hop, list[str], tuple[Hop, ...]] | None] = {}

    def verdict(self, source: Source, line: LaunchLine) -> Verdict:
        """What to do about `line` of the file `source`, for every script that it can start."""
        targets = self.scripts.targets(line)
        if isinstance(targets, Refused):
            return self._without_entry(source, line, targets.reason)
        merged = Verdict()
        for target in targets:
            verdict = self._decide(source, line, target)
            if merged.message and verdict.reason is None:
                merged.edits += verdict.edits
                merged.imports += verdict.imports
            else:
                verdict.edits[:0] = merged.edits
                verdict.imports = (*merged.imports, *verdict.imports)
                merged = verdict
            if merged.reason is not None:
                break
        return merged

    def other(self, source: Source, line: LaunchLine) -> Verdict:
        """What to say about a line that starts its script with deepspeed's launcher, or with plain python."""
        merged = Verdict()
        for target in self.scripts.seen_targets(line):
            program = self.scripts.program(target)
            if program is not None and not merged.message:
                merged = (
                    self._deepspeed(program, line)
                    if line.starter is Starter.DEEPSPEED
                    else self._plain(source, line, program)
                )
        return merged

    def _plain(self, source: Source, line: LaunchLine, program: entries.Program) -> Verdict:
        """Plain python, or one process per task: does the script wait for what only torch's launchers set?"""
        target = program.path
        if (
            line.host in (Host.IMAGE, Host.WORKFLOW)
            or _SETS_RANKS.search(source.text)
            or self.scripts.starts_ranks(program) is not None
        ):
            return Verdict()  # what starts containers may tell them who they are
        if target not in self._alone:
            self._alone[target] = asks_the_environment(self.project, self.scripts.modules, program)
        waits = self._alone[target]
        if waits is None:
            return Verdict()
        hop, needed, way = waits
        if avoided(Repo(self.project), line, (hop, *way)):
            return Verdict()
        listed = " and ".join(filter(None, (", ".join(needed[:-1]), needed[-1])))
        by = f"`{line.ranked_by}` sets none of these" if line.ranked_by else "plain python starts one process without"
        return Verdict(
            f"`{target}` waits for {listed}, and {by}: it stops with `{needed[0]} expected`",
            hops=[Hop(target, 1, "the script that it starts"), hop],
            reason="how many ranks it is meant for can't be seen: start it with `torchrun --nproc_per_node=N`",
            confidence=Confidence.LIKELY,
        )

    def _deepspeed(self, program: entries.Program, line: LaunchLine) -> Verdict:
        """Its launcher sets the environment and passes `--local_rank=N`: does the script take that?"""
        if line.flag("no-local-rank") is not None:
            return Verdict()
        found = self.scripts.rank_options(program)
        verdict = Verdict(
            f"deepspeed passes --local_rank=N, which `{program.path}` does not take: every rank stops with "
            "`unrecognized arguments`",
            hops=[Hop(program.path, 1, "the script that it starts")],
            confidence=Confidence.LIKELY,
        )
        if not found and (
            entries.uses_hydra(program) or (entries.rejects_unknown_arguments(program) and not unseen_parser(program))
        ):
            verdict.reason = "give the script an option --local_rank, or start it with `deepspeed --no_local_rank`"
            return verdict
        if not found or "--local_rank" in found[0].names:
            return Verdict()
        verdict.title = "Take --local_rank too"
        verdict.hops.append(Hop(found[0].path, found[0].line, f"its {spelling(found[0])}"))
        try:
            verdict.edits, verdict.imports = teach(self.project, program, found)
        except Refused as refusal:
            verdict.reason = refusal.reason
        return verdict

    def started(self, line: LaunchLine) -> Iterator[entries.Program]:
        """The programs whose ranks `line` starts; those that start their own are left out."""
        for target in self.scripts.seen_targets(line):
            program = self.scripts.program(target)
            if program is not None and self.scripts.own_ranks(line, program) is None:
                yield program

    def _without_entry(self, source: Source, line: LaunchLine, problem: str) -> Verdict:
        """The script is unknown: only what holds for every script can be done."""
        if line.host == Host.GUIDE:
            return Verdict()  # an example for people, whose script is theirs
        if line.flag("use-env") is not None and self.launcher != "python":
            verdict = self._renamed(source, line, line.path)
            verdict.reason = verdict.reason or verdict.line_stays
            verdict.confidence = Confidence.LIKELY
            return verdict
        if line.starter is not Starter.LAUNCH:
            return Verdict()
        reason = f"{problem}: whether it needs the --local_rank that torchrun does not pass can't be seen"
        sure = Confidence.POSSIBLE if self.scripts.is_gone(line) else Confidence.LIKELY
        return Verdict(DEPRECATED, reason=f"{reason}. Rename the launcher by hand", confidence=sure)

    def _decide(self, source: Source, line: LaunchLine, target: str) -> Verdict:
        """The decision for one line and the script `target` that it starts."""
        program = self.scripts.program(target)
        if program is None:
            return self._without_entry(source, line, f"`{target}` can't be read as Python")
        own = self.scripts.own_ranks(line, program)
        if any(wrapper.value == "ssh" for wrapper in line.wrappers):
            reason = "it runs on another machine, whose checkout and torch can't be seen: rename the launcher by hand"
            return Verdict(DEPRECATED, reason=reason) if line.starter is Starter.LAUNCH else Verdict()
        if own is not None:
            self.settled.add(target)
            verdict = without_launcher(line, program, own)
            if divided(source, line, line.command.start, line.command.end):
                verdict.reason = "the launcher's words stand in several lists: start the script with plain python there"
            if self.launcher == "torchrun" and verdict.reason is None:
                verdict.reason = "torchrun is asked for, but would start the script's ranks several times: take those "
                verdict.reason += "out of the script first, or allow --launcher auto"
        elif self.launcher != "python" and (address := fixed_address(program, line.passes)) is not None:
            verdict = self._meeting(program, address, one_node=line.nodes == "1")
            if verdict.reason is None:
                verdict = verdict.and_then(self._ranks(source, line, program))
            elif line.host != Host.GUIDE:  # whose refusals nobody sees
                self.settled.add(target)
        else:
            verdict = self._ranks(source, line, program)
        verdict.hops.insert(0, Hop(target, 1, "the script that it starts"))
        return verdict

    def _ranks(self, source: Source, line: LaunchLine, program: entries.Program) -> Verdict:
        """Renames the launcher, and lets the script read its rank where torchrun would not pass it."""
        found = self.scripts.rank_options(program)
        asks = entries.asked_by_version(program, found[0]) if found else None
        if asks is not None:
            self.settled.add(program.path)
            return self._by_version(line, program, found[0], asks)
        verdict = self._renamed(source, line, program.path)
        loop = self.launcher == "python"
        try:
            self._local_rank(line, program, verdict)
        except Refused as refusal:
            verdict.message = verdict.message or DEPRECATED
            verdict.reason = refusal.reason
        if verdict.line_stays is not None and not verdict.edits:
            if verdict.reason is None:
                self.settled.add(program.path)  # the line goes on passing what the script takes
            verdict.reason = verdict.reason or verdict.line_stays
        elif verdict.reason is None and not (loop and line.host == Host.GUIDE):  # else the line stays: see `alone`
            self.settled.add(program.path)
        option = entries.launcher_option(program)
        per_node = line.flag("nproc-per-node")
        if option is not None and not line.passes("--launcher") and per_node is not None and per_node.value != "1":
            pass_launcher(source, line, option, verdict)
        if loop and verdict.reason is None:
            write_loop(source, line, verdict)
        return verdict

    def unread(self, path: str, use_env: bool) -> tuple[str, str, Confidence]:
        """What to say of a command in a text of the file `path` that can't be read: a message, what to do, how sure."""
        what, todo = (
            (_RENAMED, "rewrite it by hand, without --use_env") if use_env else (DEPRECATED, "rewrite it by hand")
        )
        oldest, where = self._oldest_for(path)
        if oldest < _OLDEST_RUN:
            todo += f" when 1.10, which has torchrun, is the oldest torch that you support ({where})"
        return what, todo, Confidence.POSSIBLE if use_env and oldest < _OLDEST_RUN else Confidence.LIKELY

    def built(self, path: str, said: str, use_env: bool) -> str:
        """What to do about the command `said` that the Python file `path` builds, in words."""
        script = script_of(said, self.scripts.files)
        program = self.scripts.program(script) if script is not None else None
        oldest, where = self._oldest_for(script or path)
        if oldest < _OLDEST_RUN:
            return f"{where}, which has no torchrun: leave it until torch 1.10 is the oldest that you support"
        use = "use `-m torch.distributed.run`"
        if use_env:
            return f"{use} without --use_env, which it does not take"
        found = self.scripts.rank_options(program) if program is not None else []
        if program is None or not found:
            return f"{use}, and LOCAL_RANK in what it starts"
        option, told = found[0], self.scripts.rank_option(program, found[0])
        if told.settled:
            return f"{use}: `{program.path}` reads LOCAL_RANK"
        if not (told.reads or told.escapes or option.required):
            return f"{use}: `{program.path}` does nothing with its {spelling(option)}"
        return f"{use}, and take LOCAL_RANK as the default of {spelling(option)} ({option.path}:{option.line})"

    def _by_version(self, line: LaunchLine, program: entries.Program, option: Option, asks: int) -> Verdict:
        """The script takes its `--local_rank` under some versions only: under others it stops, or it is right."""
        passed = line.starter is Starter.LAUNCH and line.flag("use-env") is None
        if not passed or not entries.rejects_unknown_arguments(program):
            return Verdict()
        return Verdict(
            f"torch.distributed.launch passes its local rank as an argument, and `{option.path}` takes that only under "
            "the version that it tests for: else every rank stops with `unrecognized arguments`",
            hops=[Hop(option.path, asks, "the test of a version"), Hop(option.path, option.line, spelling(option))],
            reason=f"take {spelling(option)} under every version, with LOCAL_RANK of the environment as its default, "
            "and start the script with torchrun",
        )

    def _meeting(self, program: entries.Program, at: Address, one_node: bool) -> Verdict:
        """A fixed tcp:// address under a launcher: nobody opens it."""
        verdict = Verdict(
            f"the ranks meet at {ast.unparse(at.value)}, but under a launcher nobody opens that port: they wait until "
            "the timeout, unless it is the launcher's own by chance",
            "Meet at env://",
            hops=[at.hop],
        )
        try:
            if self.scripts.starts_ranks(program) is not None:
                raise Refused("the script can start its ranks itself, too")
            if (line := self._by_hand(program.path)) is not None:
                raise Refused(f"{line.path} starts its ranks without torch's launchers")
            verdict.edits = met_by_environment(self.project, self.scripts.modules, program, at, one_node)
            unread = entries.read_only_in(program, at.value)
            verdict.title += f" (nothing reads `{unread}` any more)" if unread else ""
        except Refused as refusal:
            verdict.reason = f"{refusal.reason}: use init_method='env://' (without rank and world_size) in the script"
        return verdict

    def _by_hand(self, path: str) -> LaunchLine | None:
        """A line that starts one rank of the script, or lets `srun` start them."""
        for line in self.others:
            told = any(line.passes(name) for name in (*entries.SPELLINGS, "--rank"))
            told = told or line.ranked_by is not None or "RANK" in dict(line.command.environment)
            if told and line.starter is Starter.PYTHON and path in self.scripts.seen_targets(line):
                return line
        return None

    def _renamed(self, source: Source, line: LaunchLine, path: str) -> Verdict:
        """The launcher under its present name, `--use_env` dropped. Empty when the line is as it should be."""
        use_env = line.flag("use-env")
        if line.starter is not Starter.LAUNCH:
            if use_env is None:
                return Verdict()
            message = (
                "torchrun has no --use_env (it always sets the environment): it stops with `unrecognized arguments`"
            )
            return Verdict(message, "Drop --use_env", drop_flag(source, line, use_env))
        verdict = Verdict(_RENAMED)
        unknown = next((flag.words[0].text for flag in line.flags if not flag.name), None)
        if unknown is not None and re.search(r"--use[_-]env", source.text) and use_env is None:
            verdict.reason = (
                f"`{unknown}` may hold --use_env, which torchrun does not take: rename the launcher by hand"
            )
        oldest, where = self._oldest_torch(line, path)
        if oldest < _OLDEST_RUN and self.launcher != "python":
            also = " and drop --use_env" if use_env is not None else ""
            verdict.line_stays = (
                f"{where}, and torchrun came with 1.10. Rename the launcher{also} when "
                "1.10 is the oldest torch that you support"
            )
            if use_env is not None:  # with that, it works in each torch that has it
                verdict.confidence = Confidence.POSSIBLE
            return verdict
        verdict.edits, name = swap_launcher(source, line, module_only=oldest < _OLDEST_TORCHRUN)
        verdict.title = f"Start the ranks with {name}"
        if use_env is not None:
            verdict.edits += drop_flag(source, line, use_env)
        return verdict

    def _named_versions(self) -> list[Named]:
        if self._torch is None:
            self._torch = named_versions(self.project)
        return self._torch

    def _oldest_torch(self, line: LaunchLine, path: str) -> tuple[Version, str]:
        """The oldest torch that is named for the script `path`, which `line` starts, and where, in words."""
        oldest, where = self._oldest_for(path)
        uses_rendezvous = any(flag.name.startswith("rdzv-") for flag in line.flags)  # such flags came with 1.9
        return max(oldest, _OLDEST_RUN) if uses_rendezvous else oldest, where

    def _oldest_for(self, path: str) -> tuple[Version, str]:
        """The oldest torch that the repository names for `path`, or its code can do with, and where, in words."""
        program = self.scripts.program(path) if path.endswith(".py") else None
        if program is not None and (held := entries.needs_torch_1_8(program)):
            return _BEFORE_TORCHRUN, held
        named = oldest_for(self._named_versions(), path)
        runs = [depth(other) for other in self._torchrun if is_about(other, path)]
        if named is None:
            return _NOT_NAMED, ""
        runs_it = self._torchrun and max(runs, default=0) >= depth(named.path)
        if runs_it and not agree_on_older(self._named_versions(), path, _OLDEST_TORCHRUN):
            return _NOT_NAMED, ""  # a line that runs torchrun says more than an old Dockerfile of the same folder
        if not is_about(named.path, path) and (self._torchrun or named.oldest >= _OLDEST_TORCHRUN):
            return _NOT_NAMED, ""  # what another part of the repository needs can only hold the launcher back
        return named.oldest, named.says

    def _local_rank(self, line: LaunchLine, program: entries.Program, verdict: Verdict) -> None:
        """Adds to `verdict` what the script's `--local_rank` needs; raises Refused."""
        passed = line.starter is Starter.LAUNCH and line.flag("use-env") is None
        found = self.scripts.rank_options(program)
        if not found:
            if passed:
                no_option(program, self.scripts.unseen_option(program), verdict)
            return
        option = found[0]
        told = self.scripts.rank_option(program, option, line)
        hops = [Hop(option.path, option.line, f"its {spelling(option)}")]
        hops += [Hop(path, number, "uses the value") for path, number in told.reads[:1]]
        missing = missing_spellings(program, found, option) if passed else []
        if entries.needs_torch_1(program):
            missing = [name for name in missing if name != "--local-rank"]
        if _FIRST_DASHED <= self._oldest_torch(line, program.path)[0] < _NOT_NAMED:
            missing = [name for name in missing if name == "--local-rank"]
        if told.settled and entries.skips_unknown_arguments(program, option):
            missing = []  # the script has its rank all the same
        if missing:
            dashed = missing[0] == "--local-rank"
            held = held_below(self._named_versions(), program.path, _FIRST_DASHED) if dashed else None
            ignored = entries.skips_unknown_arguments(program, option)
            then = kept_default(program, option) if ignored else "every rank stops with `unrecognized arguments`"
            when = f" ({'since' if dashed else 'before'} torch 2.0)"
            if held is not None:
                when, then = " from torch 2.0 on", f"{then} there ({held.says})"
                verdict.confidence = Confidence.LIKELY  # the torch that they use passes what the script takes
            verdict.message = (
                f"torch.distributed.launch passes {missing[0]}=N{when}, and `{option.path}` only takes "
                f"{spelling(option)}: {then}"
            )
        used = option.required or bool(told.reads) or (passed and told.escapes)
        deaf = (
            not told.settled and used and (line.starter is Starter.LAUNCH or option.required or plain(option.default))
        )
        if verdict.line_stays is not None:  # the script learns what old and new launchers pass
            deaf = bool(missing)
        if not deaf:
            verdict.hops += hops[:1] if verdict.message else []
            return
        default = used and not told.settled
        if missing and default and self.launcher == "auto" and overwritten_defaults(program) is not None:
            verdict.edits, verdict.title = [], _BOTH  # the launcher goes on passing it, which beats any default
            verdict.hops += hops
            edits, imports = teach(self.project, program, found, default=False)
            verdict.edits += edits
            verdict.imports += imports
            return
        if verdict.line_stays is None:
            hazard = f"orchrun never passes --local_rank: {kept_default(program, option)}"
            verdict.message = f"{verdict.message}. T{hazard}" if verdict.message else f"t{hazard}"
        does = _BOTH if verdict.line_stays else "Read LOCAL_RANK in the script"
        verdict.title = f"{verdict.title}, and {does[0].lower()}{does[1:]}" if verdict.title else does
        verdict.hops += hops
        edits, imports = teach(self.project, program, found, default=default)
        verdict.edits += edits
        verdict.imports += imports

    def alone(self, path: str) -> Verdict | None:
        """What the script `path` needs when no launch line of it is in sight; None when it isn't started by one."""
        program = self.scripts.program(path)
        if program is None or path in self.settled or self.scripts.starts_ranks(program) is not None:
            return None
        found = self.scripts.rank_options(program)
        if not found or not entries.is_script(program) or not program.says("torch"):
            return None
        option = found[0]
        if entries.asked_by_version(program, option) is not None:
            return None
        told = self.scripts.rank_option(program, option)
        deaf = not told.settled and (option.required or bool(told.reads)) and plain(option.default)
        joins = joins_others(program) and not program.says("deepspeed") and not ranks_by_option(program)
        address = fixed_address(program, lambda name: False)
        met = self._meeting(program, address, address.one_machine) if address is not None else None
        if met is not None and address is not None and met.reason is None and joins_alone(program, address):
            met.reason = (
                "started by plain python it joins there as the only rank, and no line of the repository starts it "
                "under a launcher: where one does, use init_method='env://' (without rank and world_size) in the script"
            )
            met.edits = []
        if not deaf or (met is not None and met.reason is not None):
            if met is not None:
                met.confidence = Confidence.LIKELY
            return met
        verdict = Verdict(
            f"torchrun never passes --local_rank: {kept_default(program, option)}; torch.distributed.launch passes "
            "--local-rank=N since torch 2.0, --local_rank=N before",
            "Read LOCAL_RANK in the script",
            hops=[Hop(option.path, option.line, f"its {spelling(option)}")],
            confidence=Confidence.LIKELY if joins else Confidence.POSSIBLE,
        )
        verdict.hops += [Hop(where, number, "uses the value") for where, number in told.reads[:1]]
        left_over = local_rank_in_shell(self.project, path)
        try:
            if left_over is not None:
                raise Refused(
                    f"{left_over} sets LOCAL_RANK in a shell that starts {path} without a launcher, and the script "
                    "would take it: unset it there first"
                )
            verdict.edits, verdict.imports = teach(self.project, program, found)
        except Refused as refusal:
            verdict.reason = refusal.reason
        return verdict if met is None else met.and_then(verdict)
