"""Callables that call what they are given, in another process or thread: `Process(target=f, args=(x,))` is `f(x)`."""

from __future__ import annotations

from dataclasses import dataclass

ELSEWHERE = "<elsewhere>"  # the text of such a call: it stands nowhere


@dataclass(frozen=True, slots=True)
class Run:
    """Which arguments make the call; names are those of parameters, "" for none."""

    parameters: tuple[str, ...]  # in order, for positional use
    function: str
    stars: str = ""  # a tuple of arguments
    double_stars: str = ""  # a dict of arguments
    each: str = ""  # an iterable: one call for each element
    unpacked: bool = False  # each element is a tuple of arguments
    rest: bool = False  # all that stands behind the function
    first: int = 0  # arguments of its own that come before these


_TARGET = Run(("group", "target", "name", "args", "kwargs"), "target", "args", "kwargs")
_APPLY = Run(("func", "args", "kwds"), "func", "args", "kwds")
_MAP = Run(("func", "iterable"), "func", each="iterable")
_STARMAP = Run(("func", "iterable"), "func", each="iterable", unpacked=True)
_POOLS = ("multiprocessing.Pool", "multiprocessing.dummy.Pool")
_EXECUTORS = ("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.ThreadPoolExecutor")
_OF_POOLS = {
    **dict.fromkeys(("map", "imap", "imap_unordered", "map_async"), _MAP),
    **dict.fromkeys(("starmap", "starmap_async"), _STARMAP),
    **dict.fromkeys(("apply", "apply_async"), _APPLY),
}
RUNS = {
    "multiprocessing.Process": _TARGET,
    "threading.Thread": _TARGET,
    "multiprocessing.spawn": Run(("fn", "args"), "fn", "args", first=1),
    "multiprocessing.Pool": Run(("processes", "initializer", "initargs"), "initializer", "initargs"),
    _EXECUTORS[0]: Run(("max_workers", "mp_context", "initializer", "initargs"), "initializer", "initargs"),
    **{f"{pool}().{name}": run for pool in _POOLS for name, run in _OF_POOLS.items()},
    **{f"{executor}().submit": Run(("fn",), "fn", rest=True) for executor in _EXECUTORS},
    **{f"{executor}().map": Run(("fn", "iterable"), "fn", each="iterable") for executor in _EXECUTORS},
}  # by canonical name
