"""From the words of an error to its cause: which rule repairs it, what went wrong, what a person can do.

The words drift: `can't pickle X objects` (Python 3.6, 3.7), `cannot pickle 'X' object` (3.8), `cannot pickle 'X'
instances` (3.12), `Can't get local object` (3.13), `Can't pickle local object <function ...>` (3.14). What a child does
not find: `Can't get attribute 'X' on <module ...>`, in 3.14 `module '__mp_main__' has no attribute 'X'`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..known_error import NAME_IN_ERROR, KnownError
from ..transforms import rules


@dataclass(frozen=True)
class Cause:
    """Why a value does not reach a worker. `secondary`: the error that matters is another one, elsewhere."""

    rule: str | None
    what: str
    advice: str
    secondary: bool = False
    type: str = ""  # of the value, normalised; "" when the message does not say
    name: str = ""  # qualified name of a function or class, as in `DataCore.setup_data.<locals>.<lambda>`
    known: KnownError | None = None  # the row that it comes from


_CAUSES = (  # of errors that no rule repairs
    KnownError(
        rf"Can't pickle {NAME_IN_ERROR}: it's not the same object as",
        "under its name a worker finds another object: a decorator, a reload or a later definition replaced it",
        "give the replaced one a name of its own, or send the one that the name leads to",
    ),
    KnownError(
        r"Can't pickle .*: (?:attribute lookup|it's not found as|import of module)",
        "a worker looks it up by module and name, and it is not there",
        "define it at the top of a module that workers can import",
        general=True,
    ),
    KnownError(
        r"Can't get attribute '(?P<name>[^']+)' on ",
        "a worker looks it up by module and name, and it is not there: it was put there while the program ran",
        "define it at the top of the module",
        general=True,
    ),
    KnownError(
        r"object has no attribute '(?P<name>__\w+?(?<!__))'",
        "a method whose name starts with two underscores pickles under a name that it doesn't have in a worker",
        "rename the method: one underscore is enough",
    ),
    KnownError(
        r"Only Tensors created explicitly by the user",
        "a tensor that was computed from parameters is kept on the model, and such tensors can't be copied",
        "use a local variable, or store .detach() of it; for weight_norm torch.nn.utils.parametrizations.weight_norm",
    ),
    KnownError(
        r"FSDP does not support deepcopy",
        "a model that FSDP shards can't be deep-copied",
        "make the copy before wrapping it, or go by state dicts",
    ),
    KnownError(
        r"Cowardly refusing to serialize non-leaf tensor",
        "a tensor that belongs to a graph of gradients is sent to a worker",
        "store .detach() of it",
    ),
    KnownError(
        r"SemLock created in a fork context",
        "a lock, queue or event of multiprocessing was made for another start method than the process has",
        "make it from the same context as the process: context = multiprocessing.get_context('spawn'); context.Lock()",
    ),
    KnownError(
        r"should only be shared between processes through inheritance|[Pp]ool objects cannot be passed",
        "multiprocessing's own locks, queues and pools can only be handed over when a process starts",
        "hand it over as an argument of Process or by Pool(initializer=..., initargs=...), not with each task",
    ),
    KnownError(
        r"PicklingError: (?P<type>logger) cannot be pickled",
        "a logger that logging.getLogger does not give for its name is kept on something that is sent to a worker",
        "get it where it is used, by its name; or leave it out in __getstate__ and make it anew in __setstate__",
    ),
    KnownError(
        r"can(?:not|'t) pickle '?(?P<type>code|frame|traceback|builtin_function_or_method)'?\b",
        "a value that belongs to the running interpreter is kept on something that is sent to a worker",
        "leave it out in __getstate__",
    ),
    KnownError(
        r"Cannot re-initialize CUDA in forked subprocess",
        "a forked worker uses CUDA, which its parent used before",
        "leave CUDA to the main process (dataset and collate functions on the CPU), or start workers with spawn",
    ),
    KnownError(
        r"RecursionError|maximum recursion depth exceeded while pickling",
        "objects hold each other many levels deep, deeper than pickle can follow",
        "keep them in a list and refer to them by number, or drop the links in __getstate__",
        general=True,
    ),
    KnownError(
        r"EOFError: Ran out of input|pickle data was truncated|BrokenPipeError"
        r"|DataLoader worker \(pid\S* [\d, ]+\) exited unexpectedly",
        "a worker got no whole message: the error that matters is the other process's",
        "look further up for the traceback with `ForkingPickler(file, protocol).dump(obj)`, and give that one",
        general=True,
        secondary=True,
    ),
)


@cache
def _known() -> tuple[tuple[re.Pattern[str], str | None, KnownError], ...]:
    """(pattern, rule, error) in the order in which they are tried; loads the rules."""
    rows = [(rule.id, error) for rule in rules().values() for error in rule.errors]
    every: list[tuple[str | None, KnownError]] = [*rows, *((None, error) for error in _CAUSES)]
    every.sort(key=lambda row: row[1].general)
    return tuple((re.compile(error.pattern), rule, error) for rule, error in every)


def cause_of(error: str) -> Cause | None:
    """The cause that `error` ("TypeError: cannot pickle ..."), or a line that holds it, speaks of; None: not known."""
    for pattern, rule, known in _known():
        match = pattern.search(error)
        if match:
            groups = match.groupdict()
            name = groups.get("name") or groups.get("name2") or groups.get("name3") or ""
            return Cause(
                rule,
                known.cause,
                known.advice,
                known.secondary,
                (groups.get("type") or "").removeprefix("_io."),
                name.removeprefix("__main__."),
                known,
            )
    return None
