"""The command line: arguments in, exit codes out. Everything slow is imported by the command that needs it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..engine.time_limit import TimeIsUp
from ..problem import Problem
from ..version import __version__
from .output import say

if TYPE_CHECKING:
    import typer

    app: typer.Typer


def __getattr__(name: str) -> Any:
    """`app`, the program with all commands, made when it is first asked for: `--version` needs none of it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .application import application

    globals()["app"] = application()
    return globals()["app"]


def main() -> None:
    """The `spawnfix` program: exit codes as docs say, never a traceback unless SPAWNFIX_DEBUG is set."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except Problem as problem:
        say(f"spawnfix: {problem}")
        code = 2
    except TimeIsUp as late:
        say(f"spawnfix: {late}")
        code = 2
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # the reader has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        code = 141
    except Exception as error:
        code = _failed(error)
        if isinstance(error, OSError):  # Python would try once more to write what is left for stdout
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.exit(code if isinstance(code, int) else 0)


def _run(arguments: list[str]) -> object:
    """The exit code, None for 0. Typer takes longer to import than to print a version."""
    if arguments == ["--version"]:
        print(f"spawnfix {__version__}")
        return None
    run = globals().get("app")
    if run is None:
        from .quick import arguments as plain

        known = plain(arguments)
        if known is not None:
            from .checking import run_check

            return run_check(**known)
        from .application import application

        run = application(arguments[0] if arguments else None)
    return run(prog_name="spawnfix", standalone_mode=False)


def _failed(error: Exception) -> int:
    message = getattr(error, "format_message", None)
    if message is not None:  # Typer's usage errors
        context = getattr(error, "ctx", None)
        words = message().replace("Value error, ", "")
        say(f"spawnfix: {words} (see {context.command_path if context else 'spawnfix'} --help)")
        return 2
    if os.environ.get("SPAWNFIX_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.strerror:  # of the machine rather than ours: disk full, out of files...
        say(f"spawnfix: {error.filename or 'writing the output'}: {error.strerror}")
        return 2
    if isinstance(error, MemoryError):
        say("spawnfix: there is not enough memory; nothing more was done (check a part of it, or leave files out)")
        return 2
    first = str(error).partition("\n")[0]
    say(
        f"spawnfix: internal error, nothing more was done: {type(error).__name__}: {first} "
        "(please report it, with what SPAWNFIX_DEBUG=1 shows)"
    )
    return 2
