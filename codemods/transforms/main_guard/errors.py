"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

_WHAT = "a worker imports the main script again, and there the code that starts processes runs a second time"
_ADVICE = 'put the code that starts processes under `if __name__ == "__main__":`, definitions above it'

_REFERENCE = "https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods"
_IN_WORKER = (
    r"multiprocess(?:ing)?[/\\](?:pool|process|spawn)\.py|RemoteTraceback|\bPool\(|ppworker|worker process|_worker_loop"
    r"|process_executor|futures[/\\]process\.py"
)
_IN_CHILD = r"spawn_main|__mp_main__|_fixup_main_from|in _serve_one"

ERRORS = (
    KnownError(
        r"(?:start a new process before the\b|(?<!multiprocessing\.)freeze_support\(\)|finished its bootstrapping phase"
        r"|parallel computing without protecting your import)",
        _WHAT,
        _ADVICE,
        examples=(
            "        An attempt has been made to start a new process before the",
            "ImportError: [joblib] Attempting to do parallel computing without protecting your import on a system",
        ),
        reference=_REFERENCE,
    ),
    KnownError(r"context has already been set", _WHAT, _ADVICE, context=_IN_CHILD, reference=_REFERENCE),
    KnownError(
        r"Can't get attribute '(?P<name>[^']+)' on <module '__main__' \(built-in\)>",
        "it is defined in a notebook or console, and a spawned worker can't import those",
        "move it into a .py file beside the notebook and import it from there; or num_workers=0",
        named_only=True,
        family="notebook",
        reference=_REFERENCE,
    ),
    KnownError(
        r"Can't get attribute '(?P<name>[^']+)' on <module '__(?:mp_)?main__'"
        r"|module '__(?:mp_)?main__' has no attribute '(?P<name2>(?!__spec__')[^']+)'",
        "the process that unpickles has another main script, or one that does not define it there: a worker, where it "
        "stands under the main guard, in a notebook or console; or another program than the one that wrote the file",
        "workers: define it at the top of the script, above the main guard, or in a module (a .py file that is "
        "imported); where a file is loaded (torch.load, pickle.load), starting processes is not the cause: define it "
        "in a module, import it in both programs and save again, or import it into the main script that loads",
        examples=("AttributeError: Can't get attribute 'w' on <module '__mp_main__' from 'a.py'>",),
        named_only=True,
        reference=_REFERENCE,
    ),
    KnownError(
        r"NameError\b.*\bname [`'](?P<name>\w+)[`'] (?:is )?not defined",
        "dill sent the function without what the main script imports or defines beside it",
        "import it inside the function, define the function in a module of its own, or dill.settings['recurse'] = True "
        "before the pool is made; where there is fork, multiprocess.get_context('fork')",
        named_only=True,
        family="global-that-dill-leaves",
        context=r"[/\\](?:multiprocess|pathos)[/\\]|\bmultiprocess\.pool",
        reference="https://dill.readthedocs.io/en/latest/dill.html",
    ),
    KnownError(
        r"NameError\b.*\bname [`'](?P<name>\w+)[`'] (?:is )?not defined",
        "a worker does not find a global that only the main process sets (under the main guard, or after the module "
        "was imported), or the name is misspelt",
        "pass it to the worker: as an argument of the task, or by Pool(initializer=..., initargs=...); import what the "
        "task uses inside its module",
        named_only=True,
        family="global-in-worker",
        question=True,
        context=_IN_WORKER,
        reference=_REFERENCE,
    ),
    KnownError(  # the parent's end of the pipe, beside frames of a child that runs the main script
        r"BrokenPipeError|\[Errno 32\]|\[WinError (?:109|232)\]",
        _WHAT,
        _ADVICE + "; if the child's traceback ends in an error of its own, that one matters",
        context=r"_fixup_main_from|__mp_main__",
        symptom=True,
        reference=_REFERENCE,
    ),
    KnownError(  # a source line of a traceback that ends too early
        r"_fixup_main_from_(?:path|name)\(",
        _WHAT,
        _ADVICE + "; the last line of the error is not in this text; if the import itself fails, that line says why",
        general=True,
        symptom=True,
        unfinished=True,
        reference=_REFERENCE,
    ),
)
