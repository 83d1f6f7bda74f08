"""From the words of an error to its cause: which rule repairs it, what went wrong, what a person can do.

The words drift: `can't pickle X objects` (Python 3.6, 3.7), `cannot pickle 'X' object` (3.8), `cannot pickle 'X'
instances` (3.12), `Can't get local object` (3.13), `Can't pickle local object <function ...>` (3.14). What a child does
not find: `Can't get attribute 'X' on <module ...>`, in 3.14 `module '__mp_main__' has no attribute 'X'`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """Why a value does not reach a worker. `secondary`: the error that matters is another one, elsewhere."""

    rule: str | None
    what: str
    advice: str
    secondary: bool = False
    type: str = ""  # of the value, normalised; "" when the message does not say
    name: str = ""  # qualified name of a function or class, as in `DataCore.setup_data.<locals>.<lambda>`


_TYPE = r"(?:_io\.)?(?P<type>[\w.<>]+)"
_NAME = r"(?:'(?P<name>[^']+)'|<function (?P<name2>\S+) at 0x\w+>|<class '(?P<name3>[^']+)'>)"
_LAMBDAS = (
    "a function or class made inside a function (lambda, nested def, local class) has no name that a worker finds",
    "give it a name at the top of a module; functools.partial carries the values that it uses",
)
_GUARD = (
    "a worker imports the main script again, and there the code that starts processes runs a second time",
    'put the code that starts processes under `if __name__ == "__main__":`, definitions above it',
)

# (pattern, rule, what, advice, secondary), the first that matches counts
_KNOWN: tuple[tuple[str, str | None, str, str, bool], ...] = (
    (rf"Can't (?:pickle|get) local object {_NAME}", "lambdas", *_LAMBDAS, False),
    (
        rf"Can't pickle {_NAME}: (?:attribute lookup \S*<lambda>|it's not found as \S*<(?:lambda|locals)>)",
        "lambdas",
        *_LAMBDAS,
        False,
    ),
    (r"Can't pickle <function (?P<name><lambda>) at", "lambdas", *_LAMBDAS, False),
    (
        rf"Can't pickle {_NAME}: it's not the same object as",
        None,
        "under its name a worker finds another object: a decorator, a reload or a later definition replaced it",
        "give the replaced one a name of its own, or send the one that the name leads to",
        False,
    ),
    (
        r"Can't pickle .*: (?:attribute lookup|it's not found as|import of module)",
        None,
        "a worker looks it up by module and name, and it is not there",
        "define it at the top of a module that workers can import",
        False,
    ),
    (
        r"(?:start a new process before the\b|freeze_support\(\)|finished its bootstrapping phase)",
        "main-guard",
        *_GUARD,
        False,
    ),
    (r"context has already been set", "main-guard", *_GUARD, False),
    (
        r"Can't get attribute '(?P<name>[^']+)' on <module '__(?:mp_)?main__'"
        r"|module '__(?:mp_)?main__' has no attribute '(?P<name2>[^']+)'",
        "main-guard",
        "the main script defines it where workers don't look: under the main guard, in a notebook or console",
        "define it at the top of the script, above the main guard, or in a module",
        False,
    ),
    (
        r"Can't get attribute '(?P<name>[^']+)' on ",
        None,
        "a worker looks it up by module and name, and it is not there: it was put there while the program ran",
        "define it at the top of the module",
        False,
    ),
    (
        r"object has no attribute '(?P<name>__\w+?(?<!__))'",
        None,
        "a method whose name starts with two underscores pickles under a name that it doesn't have in a worker",
        "rename the method: one underscore is enough",
        False,
    ),
    (
        r"can(?:not|'t) pickle '?(?P<type>(?:odict|dict)_(?:keys|values|items))'?",
        "dict-views",
        "a view of a dict (keys, values, items) is kept on something that is sent to a worker",
        "store list(...) of it",
        False,
    ),
    (
        r"can(?:not|'t) pickle '?(?P<type>[\w.]*(?:ProcessGroup|_c10d)[\w.]*)'?",
        "model-deepcopy",
        "the model holds a process group, which can be neither copied nor sent",
        "build a second model and load_state_dict into it; send a state dict instead of the model",
        False,
    ),
    (
        r"Only Tensors created explicitly by the user",
        None,
        "a tensor that was computed from parameters is kept on the model, and such tensors can't be copied",
        "use a local variable, or store .detach() of it; for weight_norm torch.nn.utils.parametrizations.weight_norm",
        False,
    ),
    (
        r"FSDP does not support deepcopy",
        None,
        "a model that FSDP shards can't be deep-copied",
        "make the copy before wrapping it, or go by state dicts",
        False,
    ),
    (
        r"Cowardly refusing to serialize non-leaf tensor",
        None,
        "a tensor that belongs to a graph of gradients is sent to a worker",
        "store .detach() of it",
        False,
    ),
    (
        r"SemLock created in a fork context",
        None,
        "a lock, queue or event of multiprocessing was made for another start method than the process has",
        "make it from the same context as the process: context = multiprocessing.get_context('spawn'); context.Lock()",
        False,
    ),
    (
        r"should only be shared between processes through inheritance|[Pp]ool objects cannot be passed",
        None,
        "multiprocessing's own locks, queues and pools can only be handed over when a process starts",
        "hand it over as an argument of Process or by Pool(initializer=..., initargs=...), not with each task",
        False,
    ),
    (
        r"PicklingError: (?P<type>logger) cannot be pickled",
        None,
        "a logger that logging.getLogger does not give for its name is kept on something that is sent to a worker",
        "get it where it is used, by its name; or leave it out in __getstate__ and make it anew in __setstate__",
        False,
    ),
    (
        r"(?P<type>h5py) objects cannot be (?:pickled|serialized)",
        "unpicklable-attributes",
        "an open HDF5 file is kept on something that is sent to a worker",
        "keep the path, and open the file in the worker when it is first read",
        False,
    ),
    (
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>module)'?",
        "unpicklable-attributes",
        "a module is kept as a value on something that is sent to a worker",
        "import it where it is used",
        False,
    ),
    (
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>(?:async_)?generator)'?",
        "unpicklable-attributes",
        "a generator is kept on something that is sent to a worker",
        "store a list of it when it is finite, else make it in the worker",
        False,
    ),
    (
        r"can(?:not|'t) pickle '?(?P<type>itertools\.\w+)'?",
        "unpicklable-attributes",
        "an iterator of itertools, which Python 3.14 can't pickle any more, is kept on something sent to a worker",
        "store a list of it when it is finite, else make it in the worker",
        False,
    ),
    (
        r"can(?:not|'t) pickle '?(?P<type>code|frame|traceback|builtin_function_or_method)'?\b",
        None,
        "a value that belongs to the running interpreter is kept on something that is sent to a worker",
        "leave it out in __getstate__",
        False,
    ),
    (
        rf"can(?:not|'t) (?:pickle|serialize) '?{_TYPE}'?(?: object| instance)",
        "unpicklable-attributes",
        "a lock, file, handle or client, which belongs to this process, is kept on something that is sent to a worker",
        "drop it in __getstate__, and make it anew in the worker: in __setstate__ or when it is first used",
        False,
    ),
    (
        r"self\.(?P<type>[\w.]+) cannot be converted to a Python object for pickling|no default __reduce__ due to",
        "unpicklable-attributes",
        "an object of a compiled library is kept on something that is sent to a worker",
        "drop it in __getstate__, and make it anew in the worker",
        False,
    ),
    (
        r"Cannot re-initialize CUDA in forked subprocess",
        None,
        "a forked worker uses CUDA, which its parent used before",
        "leave CUDA to the main process (dataset and collate functions on the CPU), or start workers with spawn",
        False,
    ),
    (
        r"unrecognized arguments: .*--local[-_]rank",
        "dist-launcher",
        "torch.distributed.launch gives the script an option that it does not know",
        "start it with torchrun, and read LOCAL_RANK from the environment",
        False,
    ),
    (
        r"environment variable (?P<name>RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT) expected",
        "dist-launcher",
        "the script is started without a launcher, and expects one",
        "start it with torchrun --nproc_per_node=N",
        False,
    ),
    (
        r"KeyError: '(?P<name>(?:LOCAL_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_\w+|SLURM_\w+)'",
        "launcher-env",
        "the script reads a variable that only a launcher sets",
        "start it with the launcher, or give the variable a default",
        False,
    ),
    (
        r"RecursionError|maximum recursion depth exceeded while pickling",
        None,
        "objects hold each other many levels deep, deeper than pickle can follow",
        "keep them in a list and refer to them by number, or drop the links in __getstate__",
        False,
    ),
    (
        r"EOFError: Ran out of input|pickle data was truncated|BrokenPipeError"
        r"|DataLoader worker \(pid\S* [\d, ]+\) exited unexpectedly",
        None,
        "a worker got no whole message: the error that matters is the other process's",
        "look further up for the traceback with `ForkingPickler(file, protocol).dump(obj)`, and give that one",
        True,
    ),
)
_PATTERNS = tuple((re.compile(row[0]), *row[1:]) for row in _KNOWN)


def cause_of(error: str) -> Cause | None:
    """The cause that `error` ("TypeError: cannot pickle ..."), or a line that holds it, speaks of; None: not known."""
    for pattern, rule, what, advice, secondary in _PATTERNS:
        match = pattern.search(error)
        if match:
            groups = match.groupdict()
            name = groups.get("name") or groups.get("name2") or groups.get("name3") or ""
            return Cause(
                rule,
                what,
                advice,
                secondary,
                (groups.get("type") or "").removeprefix("_io."),
                name.removeprefix("__main__."),
            )
    return None
