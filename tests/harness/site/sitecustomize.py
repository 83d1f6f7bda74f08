"""Chooses multiprocessing's default start method from outside, as another Python version or platform would.

On the PYTHONPATH of every program under test. The method is a default, not a choice: a program that calls
`set_start_method` itself still may, and a spawned child still takes what its parent says.
"""

import atexit
import os
import sys


def choose_start_method() -> None:
    """Make the method that HARNESS_START_METHOD names the default, when there is such a variable."""
    method = os.environ.get("HARNESS_START_METHOD")
    if method:
        from multiprocessing import context

        context._default_context._default_context = context._concrete_contexts[method]  # type: ignore[attr-defined]


choose_start_method()

# torchrun starts ranks with `python -u`, where each piece of a `print` is a write of its own: ranks that share an
# output would mix within a line. Whole lines, as when the output is a terminal.
for _stream in (sys.stdout, sys.stderr):
    if hasattr(_stream, "reconfigure"):
        _stream.reconfigure(line_buffering=True, write_through=False)


def _let_gloo_end() -> None:
    """Give gloo's threads time to let go of the last collective's tensors while the interpreter still runs.

    Nothing waits for them: a thread that releases a tensor's Python object after the interpreter began to end is itself
    ended in a destructor, and the process dies of "terminate called without an active exception" (torch 2.13 on
    Python 3.11, one run in twelve on two busy cores, whatever the program destroys first). Not what is tested here.
    """
    import contextlib
    import time
    from pathlib import Path

    names = ""
    for task in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            names += task.read_text()
    if "pt_gloo_runloop" in names:
        time.sleep(0.5)


atexit.register(_let_gloo_end)
