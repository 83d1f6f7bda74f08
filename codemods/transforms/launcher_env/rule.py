"""Finds reads of launcher variables that fail without a launcher. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ...finding import Answer, Confidence, Edit, Finding, Fix, Hop, Refused
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...launch.documented import plain_start, speaks_of_launcher
from ...launch.names import LOCAL, VARIABLES, names
from ...launch.reachability import Reach, Way, asks_for_variable, guard
from ...project import Project
from ...questions import asked
from ...syntax.file_tree import Scope, position
from ...syntax.modules import Modules
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...tree.source import Source
from .node_rank import unset_by_torchrun
from .parts import takes_part
from .reads import ONES, SIZES, Read, default_edits, is_int_of_unset, is_needed_instead, reads, torchrun_edits
from .screen import ID, READ

_ENVIRONMENT = re.compile(r"(?:environ|getenv)\b")
_TORCHRUN = ("LOCAL_RANK", "RANK", "WORLD_SIZE")
_SEVERAL = r"(?:{}) (?:> 1|>= 2|!= 1)"
_STARTS_RANKS = re.compile(r"\b(?:spawn|start_processes|Process|Popen)\(")
_JOINS = re.compile(  # any of these in any file
    r"distributed|init_dist|\bDDP\b|FSDP|deepspeed|accelerat|horovod|hvd|mpi4py|\bMPI\b|lightning|colossalai|megatron|"
    r"MASTER_ADDR|all_reduce|allreduce|barrier|xla|\bjax\b|\bray\b|transformers"
)
_SETTER = re.compile(r"SLURM_|OMPI_|MV2_|PMI_")
_ASK = 'Start it with a launcher, or test `if "{}" in os.environ` first'
_MOST = 500  # reads in one file; each is seen against all the others


def find(project: Project) -> Iterable[Finding]:
    """Findings file by file; fixes are independent of each other."""
    repo = Repo(project)
    reach = Reach(repo, Modules(project.python_paths))
    plainly = Reach(repo, reach.modules, is_plain=True)
    for source in project.matching(READ, words=VARIABLES):
        outline = repo.outline(source.path) if _ENVIRONMENT.search(source.text) else None
        every = list(reads(outline)) if outline is not None else []
        if len(every) > _MOST:
            project.skip(
                source.path, f"left out by launcher-env: more than {_MOST} reads of launcher variables", partly=True
            )
        elif outline is not None:
            found = [(read, reach.way(outline, read.node)) for read in every]
            told = set[ast.AST]()
            for read, way in found:
                if (start := _started_plainly(plainly, reach, read, way)) is not None:
                    scope = read.outline.scope(read.node)
                    if scope not in told:  # at the others no run arrives
                        yield _needs_launcher(source, read, *start)
                    told.add(scope)
                elif way is None and (unset := unset_by_torchrun(reach, source, read)) is not None:
                    yield unset
                elif way is not None or _needs_rank_anyway(reach, read, found):
                    yield _finding(reach, source, read, way, found)


def _started_plainly(plainly: Reach, reach: Reach, read: Read, way: Way | str | None) -> tuple[Way, str] | None:
    """How a run gets to the read that a document starts by plain `python`, though it needs a launcher; and where."""
    if isinstance(way, Way) and not reach.demands_launcher(way):
        return None
    found = plainly.way(read.outline, read.node)
    if not isinstance(found, Way) or is_test(read.outline.path, facts_lookup(reach.repo.project)):
        return None
    start = plain_start(reach.repo.project, found.scopes[-1][0].path)
    writers = reach.writing(read.variable, found) if start is not None else []
    unset = not writers or (writers == [read.outline.path] and _is_set_elsewhere(read))
    return (found, start) if start is not None and unset else None


def _is_set_elsewhere(read: Read) -> bool:
    """The file sets the variable in another branch of a test above the read alone: `if "SLURM_PROCID" in environ`."""
    outline, above = read.outline, [*read.outline.ancestors(read.node)]
    others = [part for part in above if isinstance(part, ast.If) and outline.statement(read.node) in part.orelse]
    stores = [
        node
        for node in outline.of_kind(ast.Subscript)
        if not isinstance(node.ctx, ast.Load) and getattr(node.slice, "value", None) == read.variable
    ]
    return bool(stores) and all(any(part in outline.ancestors(node) for part in others) for node in stores)


def _needs_launcher(source: Source, read: Read, way: Way, start: str) -> Finding:
    message = f"`{source.text_of(read.node)}` raises {read.error} where no launcher set it".replace("\n", " ")
    here = Hop(read.outline.path, read.node.lineno, f"`{read.variable}` is read without a default")
    reason = (
        f"{start} starts this by plain `python`, and it needs a launcher: start it with `torchrun` there, or test "
        f'`if "{read.variable}" in os.environ` first'
    )
    span = source.span_of(read.node)
    return Finding.answered(ID, source.path, span, message, Confidence.LIKELY, (here, *way.hops), Refused(reason))


def _finding(
    reach: Reach,
    source: Source,
    read: Read,
    way: Way | str | None,
    others: list[tuple[Read, Way | str | None]],
) -> Finding:
    confidence, answer = _judge(reach, source, read, way, others)
    message = f"`{source.text_of(read.node)}` raises {read.error} where no launcher set it".replace("\n", " ")
    hops = way.hops if isinstance(way, Way) else ()
    here = Hop(read.outline.path, read.node.lineno, f"`{read.variable}` is read without a default")
    return Finding.answered(ID, source.path, source.span_of(read.node), message, confidence, (here, *hops), answer)


def _judge(
    reach: Reach, source: Source, read: Read, way: Way | str | None, others: list[tuple[Read, Way | str | None]]
) -> tuple[Confidence, Answer]:
    possible = Confidence.POSSIBLE
    if way is None:
        return Confidence.LIKELY, _torchrun_path(source, read, others)
    if isinstance(way, str):
        return possible, Refused(f"nothing shows that a plain run gets here: {way}")
    setter = reach.written(read.variable, way)
    if setter is not None:
        return possible, Refused(f"{setter} sets {read.variable} itself: look whether it does so before this line")
    if is_test(source.path, facts_lookup(reach.repo.project)):
        return possible, Refused("a test; start it the way it is meant to be started")
    if reach.demands_launcher(way):
        alone = _is_started_by_nobody(reach, read, way, others)
        nobody = " No file here speaks of one." if alone else ""
        return Confidence.LIKELY if alone else possible, Refused(
            "this run joins a process group whatever happens, so it needs a launcher: start it with `torchrun`."
            f"{nobody} A default here would only hide that"
        )
    confidence = Confidence.PROVEN if way.certain else Confidence.LIKELY
    together = _size_is_tested(read, way, others)
    if together:
        return confidence, _alone(source, together)
    if any(other.variable not in LOCAL for other, _ in others):
        line = reach.launch_line(way)
        if line is not None:
            return possible, Refused(
                f"{line} starts this with a launcher, which sets {read.variable}: nothing to do for such a run"
            )
    if not _may_join(reach.repo.project):
        if parts := _reads_of_parts(read, others):
            sizes = [each.node for each in parts if each.variable in SIZES]
            ranks = [each for each in parts if each.variable not in SIZES]
            taken = next(((each, at) for each in ranks if (at := takes_part(each, sizes)) is not None), None)
            return confidence, _alone(source, parts) if taken is None else _alone_takes_part(*taken)
        if read.variable not in LOCAL | ONES:
            return confidence, Refused(
                f"{read.variable} may say which part of the work is this process's, and how many parts its "
                "launcher counts is not read beside it: with a default, a run without a launcher would silently do one "
                f"part alone. {_ASK.format(read.variable)}"
            )
        if read.variable not in LOCAL:
            return confidence, Refused(
                f"{read.variable} may say into how many parts the work is split, and which of them is this "
                "process's is not read beside it: with a default, a run without a launcher would silently do other "
                f"parts than meant. {_ASK.format(read.variable)}"
            )
    if read.variable not in LOCAL:
        by = "`srun`" if _is_of_slurm(read) else "`torchrun` (or srun)"
        return confidence, Refused(
            f"{read.variable} decides whether ranks wait for each other, so no default is safe. Started by "
            f"{by} the program is right; if it should also run as one process, test "
            f'`if "{read.variable}" in os.environ` first'
        )
    for other, its_way in others:
        if other.variable not in LOCAL and isinstance(its_way, Way) and _together(way, its_way):
            return confidence, Refused(
                f"line {other.node.lineno} needs {other.variable} from the launcher as well, so a default here alone "
                f"would not let the run start: start it with {_launcher(other)}"
            )
    if read.variable not in ONES and (at := takes_part(read)):
        return confidence, _alone_takes_part(read, at)
    return confidence, _fix(source, read)


def _alone_takes_part(read: Read, line: int) -> Refused:
    return Refused(
        f"line {line} takes this process's part of the work by {read.variable}: with a default, a run without a "
        f"launcher would silently do one part alone. {_ASK.format(read.variable)}"
    )


def _reads_of_parts(read: Read, others: list[tuple[Read, Way | str | None]]) -> list[Read]:
    """All reads of the file, where one function reads a rank and how many there are: `files[rank::world]`."""
    outline, every = read.outline, [other for other, way in others if isinstance(way, Way)]
    parts = [other for other in every if other.variable not in LOCAL]
    setters = {each.variable[: match.end()] if (match := _SETTER.match(each.variable)) else "" for each in parts}
    kinds: dict[Scope, set[bool]] = {}
    for each in parts:
        kinds.setdefault(outline.scope(each.node), set()).add(each.variable in SIZES)
    if len(every) != len(others) or {True, False} not in kinds.values() or len(setters) != 1:
        return []  # by two launchers: one alone would set a rank, and the number of parts would be a default
    plain = not any(is_needed_instead(outline, each.node) for each in every)
    scopes = {outline.scope(each.node) for each in every}
    return (
        every if plain and not any(is_int_of_unset(outline, node) for at in scopes for node in outline.own(at)) else []
    )


@asked
def _may_join(project: Project) -> bool:
    """Whether some code may let processes wait for each other."""
    return any(True for _ in project.matching(_JOINS))


def _is_started_by_nobody(reach: Reach, read: Read, way: Way, others: list[tuple[Read, Way | str | None]]) -> bool:
    """The first read of a program that does not start its ranks, in a repository that names no launcher anywhere."""
    scope = read.outline.scope(read.node)
    first = next(other for other, _ in others if read.outline.scope(other.node) is scope)
    program = way.scopes[-1][0]
    source = reach.repo.project.source(program.path)
    starts = source is None or _STARTS_RANKS.search(source.text) is not None
    own = first is read and program is read.outline and way.certain
    return own and not starts and not speaks_of_launcher(reach.repo.project)


def _is_of_slurm(read: Read) -> bool:
    return read.variable.startswith("SLURM_")


def _launcher(read: Read) -> str:
    """What starts programs with this variable set, and how it starts one process."""
    if _is_of_slurm(read):
        return "`srun`, also as one task (`-n 1`)"
    return "`torchrun`, also as one process (`--nproc_per_node=1`)"


def _together(one: Way, other: Way) -> bool:
    scopes = {id(scope) for _, scope in one.scopes}
    return any(id(scope) in scopes for _, scope in other.scopes)


def _needs_rank_anyway(reach: Reach, read: Read, others: list[tuple[Read, Way | str | None]]) -> bool:
    """SLURM's local rank, in a function that starts a process group and asks for a rank without default below it.

    Where a rank is asked for above it, a run without a launcher does not come so far.
    """
    if read.variable != "SLURM_LOCALID" or isinstance(read.node, ast.Subscript) or not read.numeric:
        return False
    outline = read.outline
    test = guard(outline, read.node)
    if (
        not isinstance(test, ast.expr)
        or asks_for_variable(test)
        or is_test(outline.path, facts_lookup(reach.repo.project))
    ):
        return False
    block = outline.parents.get(outline.statement(read.node))
    beside = [
        other.node
        for other, _ in others
        if other.variable not in LOCAL and outline.parents.get(outline.statement(other.node)) is block
    ]
    below = all(position(node) > position(read.node) for node in beside)
    return bool(beside) and below and reach.written(read.variable) is None


def _beside(read: Read, others: list[tuple[Read, Way | str | None]]) -> list[Read]:
    """The reads in the same block as `read`, itself too."""
    outline = read.outline
    block = outline.parents.get(outline.statement(read.node))
    return [other for other, _ in others if outline.parents.get(outline.statement(other.node)) is block]


def _torchrun_path(source: Source, read: Read, others: list[tuple[Read, Way | str | None]]) -> Answer:
    """Every variable of SLURM in the block takes torchrun's as second choice, or nothing changes."""
    edits: list[Edit] = []
    for other in _beside(read, others):
        edit = torchrun_edits(other, source)
        if edit is None:
            return Refused(
                f"line {other.node.lineno} also needs {other.variable}: with a second choice for {read.variable} alone "
                "the run would stop there. Read torchrun's variables (LOCAL_RANK, RANK, WORLD_SIZE) in all these lines"
            )
        edits += edit
    return Fix("Take torchrun's variables where SLURM's are not set", tuple(edits))


def _size_is_tested(read: Read, way: Way, others: list[tuple[Read, Way | str | None]]) -> list[Read]:
    """The reads of LOCAL_RANK, RANK and WORLD_SIZE around `read`, where the program tests `WORLD_SIZE > 1` later on.

    Empty where it doesn't: then nothing shows that one process alone is meant to work. In a function they are all that
    the file reads, and what only ranks can do stands below the test.
    """
    outline = read.outline
    scope = outline.scope(read.node)
    reached = [other for other, its_way in others if isinstance(its_way, Way)]
    found = [other for other in reached if outline.scope(other.node) is scope]
    if not all(other.variable in _TORCHRUN for other in found):
        return []
    if any(outline.scope(other.node) is scope and is_needed_instead(outline, other.node) for other, _ in others):
        return []
    if any(is_int_of_unset(outline, node) for node in outline.own(scope)):
        return []
    inside = len(way.scopes) != 1
    if inside and (len(found) != len(reached) or _acts_as_rank(outline, scope)):
        return []
    sizes = {
        statement.targets[0].id
        for other in found
        if other.variable == "WORLD_SIZE" and isinstance(statement := outline.statement(other.node), ast.Assign)
        if isinstance(statement.targets[0], ast.Name)
    }
    tested = any(
        isinstance(node, (ast.If, ast.IfExp)) and re.fullmatch(_SEVERAL.format("|".join(sizes)), ast.unparse(node.test))
        for node in (() if not sizes else outline.own(scope) if inside else outline.nodes)
    )
    return found if tested else []


def _acts_as_rank(outline: Outline, scope: Scope) -> bool:
    """Does every run of the function do what only a process in a group can: wait for others, or wrap a model in DDP?"""
    calls = (node for node in outline.own(scope) if isinstance(node, ast.Call))
    return any(last_name(call.func) in names("needs_group") and guard(outline, call) is None for call in calls)


def _alone(source: Source, together: list[Read]) -> Answer:
    edits: list[Edit] = []
    for read in together:
        edit = default_edits(read, source)
        if edit is None:
            return Refused(f"line {read.node.lineno} reads {read.variable} in another form: give it a default by hand")
        edits += edit
    return Fix("Be rank 0 of 1 where no launcher set the ranks", tuple(edits))


def _fix(source: Source, read: Read) -> Answer:
    edits = default_edits(read, source)
    if edits is None:
        return Refused("the name of the variable is not a plain string here; give the read a default by hand")
    return Fix(f"Let `{read.variable}` be 0 where no launcher set it", edits)
