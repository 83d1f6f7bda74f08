"""spawnfix: make PyTorch research code survive spawn, forkserver and distributed launchers.

What users import and run: `import spawnfix`, `python -m spawnfix`, the program `spawnfix`.

    import spawnfix

    for finding in spawnfix.check("./repo").findings:
        print(finding.path, finding.span.line, finding.message)

The code is in the package `codemods` beside this file. It is loaded from there as `spawnfix.*`, never as `codemods`:
the working directory, or the repository under test, may have a folder of that name.
"""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codemods.api import (
        Confidence,
        Diagnosis,
        Edit,
        Finding,
        Fix,
        Hop,
        Obstacle,
        Plan,
        Problem,
        Report,
        Rule,
        Settings,
        Span,
        check,
        diagnose,
        explain,
        migrate,
        plan,
        read_settings,
        rules,
    )
    from codemods.version import __version__

__all__ = [
    "Confidence",
    "Diagnosis",
    "Edit",
    "Finding",
    "Fix",
    "Hop",
    "Obstacle",
    "Plan",
    "Problem",
    "Report",
    "Rule",
    "Settings",
    "Span",
    "__version__",
    "check",
    "diagnose",
    "explain",
    "main",
    "migrate",
    "plan",
    "read_settings",
    "rules",
]

__path__ = [str(Path(__file__).resolve().with_name("codemods"))]
sys.modules.setdefault("spawnfix", sys.modules[__name__])  # with `python -m spawnfix` this module is __main__


class _Module(types.ModuleType):
    """This module. Its attribute `diagnose` is the function, also when the folder of that name has been imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__ or not isinstance(value, types.ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Module


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spawnfix' has no attribute {name!r}")
    home = "version" if name == "__version__" else "api"  # loaded when it is first asked for
    value = getattr(importlib.import_module(f"spawnfix.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def main() -> None:
    """The program `spawnfix`; raises SystemExit with its exit code."""
    importlib.import_module("spawnfix.commands").main()


def program() -> None:
    """As `main`, for a process that does nothing else: it ends without taking apart, object by object, what it built.

    That takes a tenth of the time of a run. What is registered with `atexit` runs all the same.
    """
    try:
        main()
    except SystemExit as end:
        others = (each for each in threading.enumerate() if each is not threading.main_thread())
        if isinstance(end.code, int) and all(each.daemon for each in others):  # Python ends these as abruptly
            _leave(end.code)
        raise


def _leave(code: int) -> None:
    """End the process; returns where output can't be written, which Python reports as it ends."""
    atexit._run_exitfuncs()  # none of them runs a second time
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


if __name__ == "__main__":
    program()
