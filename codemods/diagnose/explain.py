"""From an error message to the place in the repository and the fix."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..delivery.target import Target
from ..engine.migrate import Report, check
from ..finding import Confidence, Finding, Skipped
from ..project import Project
from ..quoting import shell
from ..review.json_report import fix_diff
from ..settings import Settings
from ..transforms import rules
from .families import frame_families
from .frames import Frame
from .nearest import described_by, nearest_family
from .places import Spot, find_spots, module_of, own_path_of_frame, path_of_frame, without_module
from .report import near
from .tracebacks import Log, Traceback

MAX_SHOWN = 8
_PROCESSES = re.compile(
    r"/(?:multiprocess(?:ing)?|concurrent/futures|joblib|loky|ray|torch/(?:distributed|multiprocessing|utils/data)"
    r"|accelerate|lightning|pytorch_lightning|deepspeed)/"
)
_STARTS_THEM = re.compile(  # frames of pickle alone say nothing: as a rule a file is read
    r"(?:^|/)((?:multiprocess(?:ing)?|billiard|loky|joblib/externals/loky|torch/multiprocessing|torch/distributed)/[\w/]+\.py"
    r"|concurrent/futures/process\.py|torch/utils/data/_utils/\w+\.py)$"
)
_WORDS_OF_PROCESSES = re.compile(
    r"\b(?:multiprocessing|freeze_support|ProcessPoolExecutor|ForkProcess|RemoteError"
    r"|[Pp]ool\.(?:map|imap|starmap|apply)\w*|Pool(?=\()|fork(?=\(\))|forked|DataLoader worker)\b"
)
_NONE_KNOWN = "no error in this text that has to do with starting processes, as far as is known"
_BEFORE_TORCHRUN = re.compile(r"python(?:2\.\d|3\.[3-6])(?!\d)|torch[/\\]distributed[/\\]launch\.py$")
_PACKAGE = re.compile(r"(?:site|dist)-packages/(?P<name>\w+)(?P<rest>/[\w./-]+\.pyx?)$")
_CARRIERS = {
    "torch",
    "torchvision",
    "torchaudio",
    "numpy",
    "multiprocess",
    "billiard",
    "joblib",
    "loky",
    "cloudpickle",
    "dill",
    "IPython",
}
_SHORT = 1000  # characters of a text that is about one error
_TYPE_ALONE = 2  # the score of a finding that only the type of the value speaks for
_MOST_BY_TYPE = 3  # files with such findings; more are a question, no answer
_SAME_LINE = 4  # a frame of the traceback is the very line of a finding


@dataclass(frozen=True)
class Candidate:
    """A finding that may be where the error comes from. `score`: how much of the error speaks for it, at least 1."""

    finding: Finding
    score: int


@dataclass(frozen=True)
class Explanation:
    """What an error means, and where it may come from. `report` holds the text that the findings speak of."""

    traceback: Traceback
    candidates: tuple[Candidate, ...] = ()
    others: int = 0  # findings of the rule that match less well, or not at all
    report: Report | None = None
    where: str = ""  # as typed
    spots: tuple[Spot, ...] = ()  # lines that the error names, found by syntax
    unread: tuple[Skipped, ...] = ()  # files that could not be read: the cause may be there
    log: Log = field(default_factory=Log)
    root: str = ""  # of the files that were looked at
    alike: tuple[Finding, ...] = ()  # where the error names nothing: what it may come from, as a question

    @property
    def command(self) -> str | None:
        """The command that applies the fix; None when there is none."""
        rule = self.traceback.cause.rule
        fixable = [c.finding for c in self.candidates if c.finding.fix is not None]
        if rule is None or not fixable:
            return None
        lowest = min((finding.confidence for finding in fixable), key=lambda item: item.rank)
        words = ["spawnfix", "migrate", self.where or ".", "--select", rule]
        if not lowest.reaches(Confidence.LIKELY):
            words += ["--confidence", lowest.value]
        if all(finding.fix is not None and finding.fix.unsafe for finding in fixable):
            words.append("--unsafe-fixes")
        return " ".join(map(shell, words))

    def diff(self, finding: Finding) -> str:
        """The fix of `finding` as a patch; "" when it has none."""
        return "" if finding.fix is None or self.report is None else fix_diff(finding.fix, self.report.sources)


def explain_log(log: Log, where: Target | None, settings: Settings | None, typed: str = "") -> Explanation:
    """What the main error of `log` means, and where in `where` it may come from. `log` has one."""
    read = log.main
    if read is None:
        raise ValueError("a log without a known error")
    if where is None or settings is None:
        return Explanation(read, where=typed, log=log)
    rule = read.cause.rule
    project = Project(where.files, settings)
    spots = find_spots(read, project)
    if rule not in rules():
        return Explanation(
            read, where=typed, spots=spots, unread=_unread(project.skipped.values()), log=log, root=where.files.root
        )
    wanted = replace(settings, select=(rule,), ignore=(), confidence=Confidence.POSSIBLE)
    report = check(where.files, wanted, where.scope)
    named = {(spot.path, spot.line) for spot in spots if spot.named}
    programs = tuple(item.replace("\\", "/") for item in log.programs)
    scored = [Candidate(item, _score(item, read, report, named, programs)) for item in report.findings]
    ranked = sorted(
        (item for item in scored if item.score > 0),
        key=lambda item: (-item.score, -item.finding.confidence.rank, item.finding.sort_key),
    )
    best = [item for item in ranked if item.score == ranked[0].score]
    foreign = _is_foreign(log, read, sorted(report.sources))
    by_type = all(item.score <= _TYPE_ALONE for item in best)
    if by_type and (foreign or len({item.finding.path for item in best}) > _MOST_BY_TYPE):
        alike, best = tuple(item.finding for item in best), []
    else:
        alike = () if best or says_what(read) else tuple(finding for finding in report.findings if _is_seen(finding))
    covered = {(item.finding.path, item.finding.span.line) for item in best}
    return Explanation(
        read,
        tuple(best[:MAX_SHOWN]),
        len(scored) - len(best[:MAX_SHOWN]),
        report,
        typed,
        tuple(spot for spot in spots if (spot.path, spot.line) not in covered),
        _unread(report.skipped),
        log,
        report.root,
        alike[:MAX_SHOWN],
    )


def _is_foreign(log: Log, read: Traceback, paths: Sequence[str]) -> bool:
    """True where the text names files, and none of them is among `paths`: it may be another program's."""
    frames = [*read.frames, *(Frame(item.replace("\\", "/"), 0, "<module>", True) for item in log.programs)]
    return bool(frames) and not any(own_path_of_frame(frame, paths) for frame in frames)


def _is_seen(finding: Finding) -> bool:
    return finding.confidence.reaches(Confidence.LIKELY)


def _unread(skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
    return tuple(row for row in skipped if row.path.endswith((".py", ".ipynb")))


def unknown_error(text: str, log: Log) -> str:
    """What to say of a text without an error that we know: its last exception, what its frames say, or the nearest
    family as a question.
    """
    last = next((item for item in reversed(log.unknown) if not item.is_interrupt), None)
    by_frames = said_by_frames(log)
    if last is not None:
        frame = next((item for item in reversed(last.frames) if item.user), None)
        at = "" if frame is None else f", at {near(frame.path)}:{frame.line}"
        error = f"{last.error}{at}"
        if by_frames:
            return f"the words of this error are not known: {error}. {by_frames}"
        # frames tell more than words: without one that has to do with processes it is something else
        guess = nearest_family(last.error) if not last.frames or any(map(_of_processes, last.frames)) else None
        sign = _sign_of_processes(text, last.error, last.frames)
        if not sign:
            words = f"{_NONE_KNOWN}; it failed with: {error}"
        elif guess is not None:
            words = f"the words of this error are not known: {error}"
        else:
            words = f"the words of this error are not known: {error}. {_what_to_look_at(sign, frame)}"
    elif by_frames:
        interrupted = log.stopped or any(item.is_interrupt for item in log.unknown)
        missing = "" if interrupted else "the error's own line is missing, or not known. "
        return f"{missing}{by_frames}"
    else:
        described = described_by(text)
        if described is not None:
            asked = f"{described.cause}: {described.next}"
            return f"no error line in this text that is known, only a description. Is it this? {asked}"
        guess = nearest_family(text)
        sign = _sign_of_processes(text, "", log.frames)
        words = (
            f"no error in this text that is known, though it has {sign}: give the last lines of the traceback too"
            if sign
            else f"{_NONE_KNOWN} (give the last lines of the traceback too)"
        )
    if guess is not None:
        words += f". Is it this? {guess.cause}: {guess.advice}"
    return words


def _sign_of_processes(text: str, error: str, frames: Sequence[Frame]) -> str:
    """What shows that an error which is not known may have to do with processes; "" where nothing does."""
    for frame in reversed(frames):
        match = _STARTS_THEM.search(frame.path.replace("\\", "/"))
        if match is not None:
            return f"a frame of {match[1]}" + (f" ({frame.name})" if frame.name != "<module>" else "")
    word = _WORDS_OF_PROCESSES.search(error) or (_WORDS_OF_PROCESSES.search(text) if len(text) < _SHORT else None)
    return "" if word is None else f"the word `{word[0]}`"


def _what_to_look_at(sign: str, frame: Frame | None) -> str:
    at = "" if frame is None else f" ({near(frame.path)}:{frame.line})"
    return (
        f"The text has {sign}, so it may have to do with processes: look first at the innermost frame of your own "
        f"code{at}, and where a worker passes its error on, at the worker's own traceback; the same call in one "
        "process (no pool, num_workers=0, n_jobs=1) tells whether processes matter at all"
    )


def said_by_frames(log: Log) -> str:
    """What the frames of the last exception, of any Ctrl-C where there is no other, say; "" when they say nothing."""
    errors = [item for item in log.unknown if not item.is_interrupt]
    interrupted = not errors and (bool(log.unknown) or log.stopped)
    if errors:
        stacks = [errors[-1].frames]
    else:
        stacks = [item.frames for item in log.unknown] or [log.frames]
    for row in frame_families():
        if row.interrupted != interrupted or (row.unfinished and errors):
            continue
        if row.error is not None and not (errors and row.error.search(errors[-1].error)):
            continue
        for frame in (frame for stack in stacks for frame in reversed(stack[-1:] if row.last else stack)):
            if row.pattern.search(f"{frame.path}:{frame.name}".replace("\\", "/")):
                return f"{'' if row.certain else 'Is it this? '}{row.cause}: {row.next}"
    return ""


def _of_processes(frame: Frame) -> bool:
    return _PROCESSES.search(frame.path.replace("\\", "/")) is not None


def says_what(read: Traceback) -> bool:
    """True where the error names a type, or a function, class or variable."""
    return bool(read.cause.type) or (bool(read.cause.name) and read.cause.name != "<lambda>")


def _score(
    finding: Finding, read: Traceback, report: Report, named: set[tuple[str, int]], programs: Sequence[str]
) -> int:
    """How much of the error speaks for `finding`; 0: nothing, or something speaks against it."""
    source = report.sources.get(finding.path)
    if source is None:
        return 0
    line = source.line_text(finding.span.line)
    by_name = _by_name(finding, read, line, source.text)
    by_attribute = sum(4 for attribute in read.attributes if re.search(rf"\b{re.escape(attribute)}\b", line))
    if (finding.path, finding.span.line) in named and not by_attribute:
        by_name = max(by_name, 8)
    by_type = _by_type(finding, read, line)
    if says_what(read) and not (by_name or by_attribute or by_type):
        return 0  # the error names something else
    by_program = _by_program(finding, programs, report)
    return by_name + by_attribute + by_type + by_program + _by_frames(finding, read, report)


def _by_program(finding: Finding, programs: Sequence[str], report: Report) -> int:
    """1 where the finding is in a script that the text shows being started, or its line starts that script."""
    paths = sorted(report.sources)
    for program in programs:
        frame = Frame(program, 0, "<module>", True)
        if path_of_frame(frame, paths) == finding.path:
            return 1
        own = re.compile(rf"(?<![\w-]){re.escape(program.rpartition('/')[2])}(?!\w)")
        if own.search(finding.message):
            return 1
    return 0


def _by_name(finding: Finding, read: Traceback, line: str, text: str) -> int:
    name = read.cause.name
    if not name:
        return 0
    if "<locals>" in name and finding.path.endswith(".py"):
        holder, _, own = name.replace(".<locals>", "").rpartition(".")
        scopes = _scopes(text, finding.span.line)
        holders = without_module(holder, finding.path)
        if any(scope in (item, f"{item}.{own}") for scope in scopes for item in holders):
            is_lambda = "lambda" in line
            return 8 if (own == "<lambda>") == is_lambda or own in line else 4
        return 0
    if name == "<lambda>":
        module = module_of(read)
        dotted = "." + finding.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return 4 if module and dotted.endswith("." + module) and "lambda" in line else 0
    return 8 if re.search(rf"\b{re.escape(name)}\b", line) else 0


def _by_type(finding: Finding, read: Traceback, line: str) -> int:
    rows = read.cause.known.source if read.cause.known and read.cause.type else ()
    for kind, text in rows:
        if re.search(kind, read.cause.type) and re.search(text, line + finding.message):
            return _TYPE_ALONE
    return 0


def _by_frames(finding: Finding, read: Traceback, report: Report) -> int:
    paths = sorted(report.sources)
    score = 0
    for frame in read.frames:
        if own_path_of_frame(frame, paths) == finding.path:
            score = max(score, _SAME_LINE if frame.line == finding.span.line else 1)
    return score


def _scopes(text: str, line: int) -> list[str]:
    """Dotted names of the functions and classes around `line`, the outermost first: `A`, `A.method`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    body: Iterable[ast.AST] = ast.iter_child_nodes(tree)
    while True:
        inside = None
        for node in body:
            last = getattr(node, "end_lineno", None)
            if last is not None and getattr(node, "lineno", 0) <= line <= last:
                inside = node
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    break
        if inside is None:
            return [".".join(names[: n + 1]) for n in range(len(names))]
        if isinstance(inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(inside.name)
        body = ast.iter_child_nodes(inside)


def user_frames(read: Traceback) -> list[str]:
    """`file:line` of the frames in code of the user, the innermost first."""
    return [_place(frame) for frame in reversed(read.frames) if frame.user]


def advice_for(read: Traceback, programs: Sequence[str] = ()) -> str:
    """What to do, with the older name of what the versions that the frames show do not have yet."""
    advice = read.cause.advice
    paths = (*(frame.path for frame in read.frames), *programs)
    if "torchrun" in advice and "torch.distributed.launch" not in advice and any(map(_BEFORE_TORCHRUN.search, paths)):
        return f"{advice}; before torch 1.10, python -m torch.distributed.launch in place of torchrun"
    return advice


def place_of_worker(read: Traceback) -> str:
    """Where the worker was, as far as the text goes: the innermost frame in code of the user, or of all."""
    frames = [frame for frame in read.passed_on if frame.user] or read.passed_on
    return _place(frames[-1])


def package_at_fault(read: Traceback) -> tuple[str, str] | None:
    """(package, `file:line`) of the line that failed, where it is in an installed package and the advice is for one's
    own code; else None.
    """
    if read.cause.known is None or not read.cause.known.own:
        return None
    inner = next((frame for frame in reversed(read.frames) if not _of_python(frame)), None)
    match = None if inner is None else _PACKAGE.search(inner.path.replace("\\", "/"))
    if inner is None or match is None or match["name"] in _CARRIERS:
        return None
    return match["name"], f"{match['name']}{match['rest']}:{inner.line}"


def _of_python(frame: Frame) -> bool:
    path = frame.path.replace("\\", "/")
    return not frame.user and _PACKAGE.search(path) is None


def _place(frame: Frame) -> str:
    return f"{near(frame.path)}:{frame.line}" if frame.line else near(frame.path)
