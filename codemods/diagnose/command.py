"""What `diagnose` and the error form of `explain` do, from arguments to an exit code."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..delivery.target import Target, to_check
from ..problem import Problem
from ..quoting import shell
from ..settings import Settings, read_settings
from ..transforms import rules
from .causes import cause_of
from .explain import Explanation, explain_log, said_by_frames, unknown_error
from .nearest import described_by, nearest_family
from .report import Diagnosis, Obstacle, Place
from .stream import read_stream
from .tracebacks import Log, Traceback, read_log

SHORT = 1000  # characters of a text that somebody typed or pasted, and of no program's output
INTERRUPTED = 130  # as a shell says it of Ctrl-C


@dataclass(frozen=True)
class DiagnoseOptions:
    """The options of `diagnose`."""

    python: str | None = None  # the interpreter for a TARGET
    dry_run_fork: bool = False
    as_json: bool = False
    save: Path | None = None
    seconds: float = 30.0  # for the parts of an object
    child: bool = True  # a fresh process tries to read it
    quiet: bool = False
    watch: bool = False


def run_diagnose(arguments: Sequence[str], dashes: bool, options: DiagnoseOptions, put: Callable[[bytes], None]) -> int:
    """The exit code of `diagnose`: 0 nothing is in the way, 1 problems. `dashes`: there was a `--` before a command.

    Raises Problem.
    """
    if _is_text(arguments):
        return _diagnose_text(arguments, options, put)
    if options.quiet:
        raise Problem("--quiet goes with a program's output: python train.py 2>&1 | spawnfix diagnose --quiet -")
    save, again = options.save, None
    if len(arguments) > 1 or (dashes and not _is_target(arguments[0])):
        done = _diagnose_program(arguments, dashes, options)
        if options.watch and save is None and done.obstacles:
            save = _own_file()
    else:
        done = _diagnose_object(arguments[0], options)
    if options.watch:
        again = " ".join(map(shell, ["spawnfix", "diagnose", "--watch", "--", *arguments]))
    _report(done, options.as_json, save, put, again)
    if done.obstacles:
        return 1
    if done.exit_code:
        raise Problem(_ended(done.exit_code))
    return 0


def _diagnose_text(arguments: Sequence[str], options: DiagnoseOptions, put: Callable[[bytes], None]) -> int:
    """A traceback or log on stdin. Raises Problem."""
    if options.python is not None or options.dry_run_fork or options.watch:
        if not arguments and options.watch:
            raise Problem("--watch goes with a command: spawnfix diagnose --watch -- python train.py")
        raise Problem("a traceback is only read: leave out --python, --watch and --dry-run-fork")
    return _read(options.as_json, options.save, put, pass_on=bool(arguments) and not options.quiet)


def _diagnose_program(arguments: Sequence[str], dashes: bool, options: DiagnoseOptions) -> Diagnosis:
    """A command that is run. Raises Problem."""
    from .run import diagnose_run

    if not dashes:
        raise Problem("give one TARGET, or a command after --: spawnfix diagnose -- python train.py")
    if options.python is not None:
        raise Problem("--python goes with a TARGET; a command names its own interpreter")
    fork = options.dry_run_fork or options.watch
    return diagnose_run(arguments, fork, options.seconds, stop=options.watch)


def _diagnose_object(target: str, options: DiagnoseOptions) -> Diagnosis:
    """An object that is named: `pkg.mod:name`. Raises Problem."""
    from .run import diagnose_target

    if options.dry_run_fork or options.watch:
        option = "--watch" if options.watch else "--dry-run-fork"
        raise Problem(f"{option} goes with a command: spawnfix diagnose {option} -- python train.py")
    if not _is_target(target):
        raise Problem(f"want pkg.mod:name, pkg.mod:factory() or script.py:factory(), not {target!r}")
    return diagnose_target(target, options.python, options.seconds, options.child)


def _ended(code: int) -> str:
    """What to say of a program that failed for another reason than what it sent."""
    if code in (INTERRUPTED, -signal.SIGINT):
        return "the program was interrupted; until then nothing that it sent to other processes failed"
    said = f"the program ended with exit code {code}, but not for what it sent to other processes"
    if code < 0:
        with contextlib.suppress(ValueError):
            cause = cause_of(f"terminated with signal {signal.Signals(-code).name}")
            if cause is not None:
                said += f": {cause.what}; {cause.advice}"
    return said


def _own_file() -> Path | None:
    """Where `--watch` saves what it found in the current folder: beside the cache."""
    from ..store import Unusable, usable_folder

    name = hashlib.sha256(os.fsencode(Path.cwd())).hexdigest()[:12]
    try:
        return usable_folder() / f"diagnosis-{name}.json"
    except (OSError, Unusable):
        return None


def _is_target(word: str) -> bool:
    return ":" in word


def _is_text(arguments: Sequence[str]) -> bool:
    if list(arguments) == ["-"]:
        return True
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            raise Problem("give a TARGET like pkg.mod:name, a command after --, or a traceback on stdin")
        return True
    return False


def _report(
    done: Diagnosis, as_json: bool, save: Path | None, put: Callable[[bytes], None], again: str | None = None
) -> None:
    if save is not None:
        from .saved import save as write

        write(done, save)
    if as_json:
        put(json.dumps(done.to_json(), indent=2).encode() + b"\n")
    else:
        from .show import show_diagnosis

        show_diagnosis(done, None if save is None else str(save), again=again)


def _read(as_json: bool, save: Path | None, put: Callable[[bytes], None], pass_on: bool) -> int:
    """Explain the text on stdin. `pass_on`: it is a program's output, which goes on to our own as it comes."""
    out = sys.stderr.buffer if as_json else sys.stdout.buffer

    def hand_on(piece: bytes) -> None:
        with contextlib.suppress(OSError):  # whoever read our output is gone; the program must not die of it
            out.write(piece)
            out.flush()

    piped = _is_pipe(sys.stdin.buffer)
    kept = read_stream(sys.stdin.buffer, hand_on if pass_on and piped else None)
    text = decoded(kept.data())
    log = read_log(text)
    harmless = log.main is not None and log.main.cause.known is not None and log.main.cause.known.harmless
    if log.main is None or (harmless and _failed(log)) or _is_noise(log, text):
        return _nothing_known(text, log, piped, as_json, save, put)
    explanation = explain_log(log, *_where(None, log))
    if save is not None or as_json:
        _report(_as_diagnosis(explanation), as_json, save, put)
    if not as_json:
        from .show_explanation import show_explanation

        alone = pass_on and piped and text.strip() == explanation.traceback.error  # it stands above the answer already
        show_explanation(explanation, headline=not alone)
    return 0 if harmless else 1


def _is_noise(log: Log, text: str) -> bool:
    """True where a warning is all that is known, and the text has frames of a fault, or describes one."""
    known = log.main.cause.known if log.main is not None else None
    return known is not None and known.noise and (bool(log.frames) or described_by(text) is not None)


def _failed(log: Log) -> bool:
    """True where an exception of another kind ended the program."""
    return any(not item.is_interrupt for item in log.unknown)


def _nothing_known(
    text: str, log: Log, piped: bool, as_json: bool, save: Path | None, put: Callable[[bytes], None]
) -> int:
    """The exit code for a text without an error that is known. Raises Problem when it has another error."""
    if _failed(log) or not piped:
        raise Problem(unknown_error(text, log))
    interrupted = bool(log.unknown) or log.stopped
    said = (
        "the program was interrupted, and shows no other error"
        if interrupted
        else "no error in what the program printed"
    )
    by_frames = said_by_frames(log) if interrupted else ""
    if by_frames:
        said += f". {by_frames}"
    guess = nearest_family(text) if len(text) < SHORT and not interrupted else None
    if guess is not None:
        said += f". Is it this? {guess.cause}: {guess.advice}"
    print(said, file=sys.stderr)
    if as_json or save is not None:
        _report(Diagnosis("-", ()), as_json, save, put)
    return INTERRUPTED if interrupted else 0


def _is_pipe(stream: BinaryIO) -> bool:
    """True where another program writes; what is typed or read from a file is there already."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    except (OSError, ValueError):
        return False


def decoded(data: bytes) -> str:
    """Text that was pasted or redirected: UTF-8, or UTF-16, which PowerShell's `>` writes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if data[1:400:2].count(0) > len(data[1:400:2]) * 0.6:  # its mark was cut off
        return data.decode("utf-16-le", "replace")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _as_diagnosis(explanation: Explanation) -> Diagnosis:
    """A traceback's explanation in the form that a look at the object has; its places are those that match best."""
    read = explanation.traceback
    root = Path(explanation.root) if explanation.root else Path.cwd()
    places = [Place(str(root / c.finding.path), c.finding.span.line) for c in explanation.candidates]
    if not places:
        places = [Place(str(root / spot.path), spot.line) for spot in explanation.spots if spot.named]
    found = [_obstacle(read, place) for place in places] or [_obstacle(read, None)]
    return Diagnosis("-", (*found, *(_obstacle(other, None) for other in explanation.log.others)))


def _obstacle(read: Traceback, place: Place | None) -> Obstacle:
    kind = read.cause.type or ("function" if read.cause.name else "")
    path = read.path or read.cause.name or ".".join(reversed(read.attributes))
    return Obstacle(path, kind, read.error, place, more=read.count - 1, read_cause=read.cause, ranks=read.ranks)


def explain_text(text: str, path: Path | None) -> None:
    """Print what the error `text` means and where in `path` it comes from. Raises Problem when that is not known."""
    from .show_explanation import show_explanation

    show_explanation(explained(text, path))


def explained(text: str, path: Path | None) -> Explanation:
    """What the error `text` means and where in `path` it comes from. Raises Problem when that is not known."""
    log = read_log(text)
    if log.main is None:
        raise Problem(unknown_error(text, log))
    return explain_log(log, *_where(path, log), "" if path is None else str(path))


def _where(path: Path | None, log: Log) -> tuple[Target | None, Settings | None]:
    """The files at `path`; without it, those of the repository around the current folder, or around the program."""
    if path is None:
        here = Path.cwd()
        in_repository = any((folder / ".git").exists() for folder in (here, *here.parents))
        found = here if in_repository else _program_folder(log)
        if found is None:
            return None, None
        try:
            where = to_check(found)
        except Problem:  # a damaged repository; what the error means can be said all the same
            return None, None
    else:
        where = to_check(path)
    return where, read_settings(where.files, rules())


def _program_folder(log: Log) -> Path | None:
    """The folder that holds the user's own files in the traceback, outside of any repository."""
    frames = log.main.frames if log.main is not None else ()
    files = [Path(frame.path).absolute() for frame in frames if frame.user and Path(frame.path).is_file()]
    if not files:
        return None
    folder = Path(os.path.commonpath([file.parent for file in files]))
    return None if folder in (Path.home(), Path(folder.anchor)) else folder
