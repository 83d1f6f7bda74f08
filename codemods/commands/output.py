"""What the commands print: lines for people on stderr, the product on stdout."""

from __future__ import annotations

import os
import sys

from ..quoting import for_terminal, no_command, printable


def say(line: str) -> None:
    """A line for people, on stderr, without the control characters that names from a repository may hold.

    Nobody may be there to read it (`2>&1 | head -1`, a full disk): the work goes on all the same.
    """
    try:
        print(no_command(printable(line)), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115


def put(data: bytes) -> None:
    """The product, on stdout, byte for byte; on a terminal without what could steer it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(for_terminal(data) if sys.stdout.isatty() else data)
    sys.stdout.buffer.flush()
