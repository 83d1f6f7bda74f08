"""How a value came to be pickled: sent to a process, sent back, copied or saved. An error's words don't tell; the
frames do, and what helps differs: nothing is started where an object is only copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .causes import Cause
from .frames import Frame

_RULES = {"lambdas", "unpicklable-attributes", "dict-views"}
_ADVICE_HOLDS = {"dict-views"}  # its advice is as good on every way
_FAMILIES = {
    "by-inheritance",
    "interpreter-value",
    "traceback-value",
    "torch-builtin",
    "replaced-method",
    "class-not-found-in-main",
    "keras-generator",
    "replaced",
    "replaced-in-main",
    "replaced-session",
    "not-found-by-name",
    "not-found-in-main",
    "unregistered-logger",
    "authentication-key",
    "script-object",
    "mixed-contexts",
}
_NEVER = "(?!)"
_SENT = "sent to a worker"
_FOUND = "that a worker finds"


@dataclass(frozen=True)
class _Road:
    """`frames`: of `path:function`; `source`: of lines of code, where no frame tells; `error`: of the error itself."""

    frames: str
    source: str
    words: str  # in place of "sent to a worker"
    advice: str
    error: str = ""


_BACK = (
    _Road(
        _NEVER,
        _NEVER,
        "sent back from a worker",
        "it is part of the exception that the task raised, and hides the true error: run the task once in the main "
        "process (one process, or call the function) to see it; in the task, catch it and raise a plain one: "
        "raise RuntimeError(str(error)); or drop the value in __getstate__ of its class",
        r"Error sending result:.*ExceptionWithTraceback",
    ),
    _Road(
        _NEVER,
        _NEVER,
        "sent back from a worker",
        "the task raised (or returned) {name}, and that is the true error; it can't be pickled on its way back. Run "
        "the task once in the main process (call the function) to see its message and line, and mend that "
        "first; then, in the task, catch it and raise a plain one: raise RuntimeError(str(error))",
        r"Error sending result: ['\"]?(?P<name>[\w.]*[A-Za-z]\w*(?:Error|Exception))\(",
    ),
    _Road(
        _NEVER,
        _NEVER,
        "sent back from a worker",
        "it is part of what the task returned: return plain data (numbers, arrays, list(...) of a map or generator, an "
        "id in place of an object), or drop the value in __getstate__ of its class; if the task raised an exception, "
        "run it once in the main process to see that",
        r"MaybeEncodingError|Error sending result",
    ),
)
_ROADS = (
    _Road(
        r"(?:^|/)copy\.py:(?:deepcopy|copy|_reconstruct|_deepcopy_\w+)$",
        r"\bcopy\.(?:deep)?copy\(|\bdeepcopy\(",
        "copied",
        "no process is started here: copy.deepcopy asks for the same as pickle. Keep the value off what is copied (set "
        "it after the copy), or drop it in __getstate__ and make it anew in __setstate__, or write __deepcopy__; "
        "of a whole `__dict__` (a module of settings), copy the plain values alone",
    ),
    _Road(
        r"/torch/serialization\.py:|/joblib/numpy_pickle\w*\.py:|/pandas/io/pickle\.py:",
        r"\btorch\.save\(|\b(?:c?pickle|dill|cloudpickle|joblib)\.dump\((?!obj, file, protocol)"
        r"|(?:^|\n)\s*(?:\w+ = )?\w[\w.]*\.save(?:_\w+)?\([^\n]*\s*\Z",  # a method that saves, right above the error
        "saved to a file",
        "no process is started here: save plain data (model.state_dict(), numbers, lists), or drop the value in "
        "__getstate__ and make it anew in __setstate__; functions need a name at the top of a module",
    ),
    _Road(
        r"/datasets/fingerprint\.py:|/streamlit/runtime/caching/",
        _NEVER,
        "hashed for a cache",
        "no process is started here: the cache pickles the function and all that it uses, to make a key of it. Keep "
        "the value out of that function: make it inside, or pass what is plain as an argument (datasets: fn_kwargs)",
    ),
)
_PROCESSES = re.compile(
    r"/(?:multiprocess(?:ing)?|billiard)/(?:reduction|forking|queues|connection|popen_\w+|process|context|pool|managers)\.py:"
    r"|/pyspark/(?:cloudpickle|serializers|rdd|context)\b|/(?:loky|joblib/externals)/|/concurrent/futures/process\.py:|/torch/multiprocessing/"
)
_SHOWN_AROUND = re.compile(r"\s*\d+\s")  # a line that IPython shows around the one that ran
_SOURCE_OF_PROCESSES = re.compile(
    r"ForkingPickler|reduction\.dump|multiprocess|\.start\(\)|popen_|_Popen\(|concurrent|\bPool\("
)


# What the frames add to the advice for a value that is sent.
_BESIDE = (
    (
        re.compile(r"multiprocessing/popen_forkserver\.py:"),
        "Python 3.14 starts processes by forkserver on Linux, and that pickles what fork inherited: "
        'multiprocessing.get_context("fork") works as before, as long as nothing hangs',
    ),
    (
        re.compile(r"/(?:pytorch_lightning|lightning(?:_fabric)?)/(?:.*/)?(?:ddp_spawn|multiprocessing)\.py:"),
        'Lightning starts the ranks by spawn here, and that pickles model, data and trainer: strategy="ddp" starts the '
        "script anew for each rank, and pickles nothing",
    ),
    (
        re.compile(r"/dask/(?:base|multiprocessing|local)\.py:"),
        'Dask computes bags in processes where nothing else is said: compute(scheduler="threads") (or '
        "dask.config.set(scheduler=...)) sends nothing, also where a library's own generator is at fault",
    ),
    (
        re.compile(r"/dill/_dill\.py:"),
        "dill takes along all globals of a function of the main script, a notebook or a console (a console keeps its "
        "history in a database): define the function in a module and import it from there",
    ),
    (
        re.compile(r"/cloudpickle(?:_fast)?(?:/\w+)?\.py:"),
        "cloudpickle takes along what a function of the main script uses, globals too: make the value inside of the "
        "function, or put both into a module that workers import",
    ),
)


def is_of_pickle(cause: Cause) -> bool:
    """True where `cause` is about a value that can't be pickled, or not be made again."""
    return cause.rule in _RULES or cause.rule == "main-guard" or cause.family in _FAMILIES


def on_its_road(cause: Cause, error: str, frames: Sequence[Frame], lines: Iterable[str]) -> Cause:
    """`cause` in the words of the way that the value took; as it is where it is sent to a worker, or nothing tells."""
    if cause.rule not in _RULES and cause.family not in _FAMILIES:
        return cause
    road = _road(error, frames, lines)
    if road is None:
        return _with_more_advice(cause, frames)
    what = cause.what.replace(_SENT, road.words).replace(_FOUND, "that pickle finds")
    advice = f"{cause.advice}; {road.advice}" if cause.rule in _ADVICE_HOLDS else road.advice
    return replace(cause, what=what, advice=advice)


def _with_more_advice(cause: Cause, frames: Sequence[Frame]) -> Cause:
    if not frames or cause.rule not in _RULES:
        return cause
    places = [f"{frame.path.replace(chr(92), '/')}:" for frame in frames]
    more = [advice for path, advice in _BESIDE if any(map(path.search, places))]
    return replace(cause, advice="; ".join((cause.advice, *more))) if more else cause


def _road(error: str, frames: Sequence[Frame], lines: Iterable[str]) -> _Road | None:
    for back in _BACK:
        match = re.search(back.error, error)
        if match is not None:
            name = match.groupdict().get("name") or ""
            return replace(back, advice=back.advice.replace("{name}", name))
    for frame in reversed(frames):  # the innermost way is the one that failed
        road, sent = _of_frame(frame.path, frame.name)
        if road is not None or sent:
            return road
    shown = "\n".join(line for line in lines if not _SHOWN_AROUND.match(line))
    if _SOURCE_OF_PROCESSES.search(shown):
        return None
    return next((road for road in _ROADS if re.search(road.source, shown)), None)


@lru_cache(maxsize=4096)  # tracebacks repeat their frames, by the thousand where recursion ends them
def _of_frame(path: str, name: str) -> tuple[_Road | None, bool]:
    """The way that a frame stands for, and whether it sends to a process."""
    text = f"{path.replace(chr(92), '/')}:{name}"
    road = next((road for road in _ROADS if re.search(road.frames, text)), None)
    # locks ask for the start of a process themselves, however they are pickled
    sends = name not in ("assert_spawning", "__getstate__", "__reduce__") and _PROCESSES.search(text) is not None
    return road, sends
