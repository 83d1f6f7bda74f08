"""What can become of a launch line, as a message, edits and the reason where there are none."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ...finding import Confidence, Edit, Hop, Import, Refused
from ...launch.lines import LaunchLine
from ...syntax.argparse_options import Option
from ...tree.source import Source
from . import program as entries
from .edits import drop_launcher, new_argument
from .rank_loop import rank_loop
from .self_spawning import OwnRanks, same_count
from .training_arguments import reads_environment
from .unseen_parser import unseen_parser

DEPRECATED = (
    "`torch.distributed.launch` is deprecated: it passes the local rank as an argument, torchrun sets LOCAL_RANK"
)


@dataclass
class Verdict:
    """What is to be done about one launch line: nothing when `message` is empty, nothing safe when `reason` is set."""

    message: str = ""
    title: str = ""
    edits: list[Edit] = field(default_factory=list)
    imports: tuple[Import, ...] = ()
    hops: list[Hop] = field(default_factory=list)
    reason: str | None = None
    confidence: Confidence = Confidence.PROVEN
    line_stays: str | None = None  # why the line itself can't change

    def and_then(self, other: Verdict) -> Verdict:
        """Both in one: what `other` says after this, its reason and confidence."""
        other.message = ". ".join(part for part in (self.message, other.message) if part)
        other.title = ", and ".join(part for part in (other.title, self.title) if part)
        other.edits += self.edits
        other.hops += self.hops
        return other


def without_launcher(line: LaunchLine, program: entries.Program, own: OwnRanks) -> Verdict:
    """The script starts its ranks itself: the launcher goes, when as many ranks are left."""
    verdict = Verdict(
        f"`{program.path}` starts its ranks itself, and the launcher starts it several times: the ranks wait for each "
        "other until the timeout, or train in sets of their own",
        "Start the script with plain python",
        hops=[Hop(own.path, own.line, f"it starts the ranks itself (`{own.call}`)")],
    )
    per_node = line.flag("nproc-per-node")
    if own.conditions:
        test = ast.unparse(own.conditions[-1])
        verdict.reason = (
            f"it starts ranks only if `{test}`: say which way is meant, then drop the launcher or that branch"
        )
    elif line.nodes != "1":
        verdict.reason = (
            "the launcher joins several nodes, plain python would not: let torchrun start the ranks by hand"
        )
    elif not own.rendezvous:
        verdict.reason = "its ranks meet at the MASTER_ADDR that only the launcher sets: set it in the script first"
    elif per_node is not None and per_node.value != "1" and (same := same_count(line, own, program)) is not True:
        count = f"`{ast.unparse(own.count)}`" if own.count is not None else "its own number"
        asked = per_node.value or per_node.words[-1].text
        verdict.reason = f"the launcher is asked for {asked} ranks, the script starts {count}: make them agree first"
        if same is None:
            verdict.reason = (
                f"the launcher is asked for {asked} ranks, and how many the script starts ({count}) can't be told "
                "here: see that they agree, then drop the launcher"
            )
    else:
        verdict.edits = drop_launcher(line)
    return verdict


def write_loop(source: Source, line: LaunchLine, verdict: Verdict) -> None:
    """Turns `verdict`, which keeps a launcher, into one that starts plain python once per rank."""
    shell = [edit for edit in verdict.edits if edit.path == line.path]
    verdict.edits = [edit for edit in verdict.edits if edit.path != line.path]
    extra = "".join(edit.text.strip() for edit in shell if edit.start == edit.end)
    verdict.message = verdict.message or "a launcher starts the ranks, and plain python is asked for"
    verdict.title = "Start the ranks with plain python, one by one"
    if verdict.edits:
        verdict.title += ", and read LOCAL_RANK in the script"
    try:
        verdict.edits.insert(0, rank_loop(source, line, extra))
    except Refused as refusal:
        verdict.reason = refusal.reason


def pass_launcher(source: Source, line: LaunchLine, option: Option, verdict: Verdict) -> None:
    """Adds `--launcher pytorch`, which the line forgot, to `verdict`."""
    unless = ", unless the caller adds one" if line.extra_arguments else ""
    said = f"`{option.path}` gets no --launcher, and its default `none` uses one GPU: each rank trains alone{unless}"
    verdict.message = f"{said}; {verdict.message}" if verdict.message else said
    verdict.title = f"{verdict.title}, and pass --launcher pytorch" if verdict.title else "Pass --launcher pytorch"
    verdict.hops.append(Hop(option.path, option.line, "--launcher, default none"))
    verdict.edits.append(new_argument(source, line, "--launcher pytorch"))
    if line.extra_arguments:
        verdict.confidence = Confidence.LIKELY


def no_option(program: entries.Program, unseen: tuple[str, int] | None, verdict: Verdict) -> None:
    """The script has no `--local_rank` in sight, and the launcher passes one; raises Refused.

    `unseen`: the place where one of its modules names the option all the same.
    """
    why = None if reads_environment(program) else unseen_parser(program)
    if why is None and unseen is not None:
        why = f"it may get its --local_rank from {unseen[0]}:{unseen[1]}, which can't be followed"
    if why is not None:
        raise Refused(f"{why}: check how it takes its local rank, then rename the launcher")
    if entries.uses_hydra(program):
        verdict.message = (
            f"torch.distributed.launch passes --local-rank=N, which the Hydra program `{program.path}` takes for an "
            "override: every rank stops. torchrun passes nothing"
        )
    elif entries.rejects_unknown_arguments(program):
        verdict.message = (
            f"torch.distributed.launch passes --local-rank=N, which `{program.path}` does not take: every rank stops "
            "with `unrecognized arguments`"
        )
