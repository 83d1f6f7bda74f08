"""How Python itself is set while we work: a deeper stack, and no cyclic garbage collector."""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
FRAMES = 5000  # of Python's stack while we work


@contextlib.contextmanager
def raised_recursion_limit() -> Iterator[None]:
    """Recursion enough for trees of MAX_DEPTH, here and in LibCST: some ten frames a level."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def without_collector(job: Callable[P, T]) -> Callable[P, T]:
    """`job` without the cyclic garbage collector: our trees have no cycles, and looking for some doubles the time."""

    @functools.wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return job(*args, **kwargs)
        gc.disable()
        try:
            return job(*args, **kwargs)
        finally:
            gc.enable()

    return run
