"""Every family of errors is told by a message that Python or a library really gives, and by no other family."""

from __future__ import annotations

import pytest

from codemods.diagnose.causes import _CAUSES, cause_of
from codemods.transforms import rules

MESSAGES: list[tuple[str | None, str]] = [  # (rule, message)
    ("dict-views", "TypeError: cannot pickle 'dict_keys' object"),
    ("dist-launcher", "train.py: error: unrecognized arguments: --local_rank=1"),
    ("dist-launcher", "ValueError: environment variable MASTER_ADDR expected, but not set"),
    ("lambdas", "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'"),
    ("lambdas", "AttributeError: Can't get local object 'main.<locals>.collate'"),
    (
        "lambdas",
        "_pickle.PicklingError: Can't pickle <function main.<locals>.f at 0x7f>: it's not found as m.<locals>.f",
    ),
    (
        "lambdas",
        "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f1>: attribute lookup <lambda> on m failed",
    ),
    ("lambdas", "pickle.PicklingError: Can't pickle <function <lambda> at 0x7f1>"),
    ("launcher-env", "KeyError: 'SLURM_LOCALID'"),
    ("main-guard", "        An attempt has been made to start a new process before the"),
    ("main-guard", "RuntimeError: context has already been set"),
    ("main-guard", "AttributeError: Can't get attribute 'work' on <module '__mp_main__' from 'train.py'>"),
    ("model-deepcopy", "TypeError: cannot pickle 'torch._C._distributed_c10d.ProcessGroup' object"),
    ("unpicklable-attributes", "TypeError: h5py objects cannot be pickled"),
    ("unpicklable-attributes", "TypeError: cannot pickle 'module' object"),
    ("unpicklable-attributes", "TypeError: cannot pickle 'async_generator' object"),
    ("unpicklable-attributes", "TypeError: cannot pickle 'itertools.count' object"),
    ("unpicklable-attributes", "TypeError: cannot pickle '_thread.lock' object"),
    ("unpicklable-attributes", "TypeError: no default __reduce__ due to non-trivial __cinit__"),
    (None, "_pickle.PicklingError: Can't pickle <function f at 0x7f>: it's not the same object as m.f"),
    (None, "_pickle.PicklingError: Can't pickle <class 'm.Row'>: attribute lookup Row on m failed"),
    (None, "AttributeError: Can't get attribute 'Row' on <module 'm' from '/m.py'>"),
    (None, "AttributeError: 'Crops' object has no attribute '__crop'"),
    (None, "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol"),
    (None, "AssertionError: FSDP does not support deepcopy. Please use state dict for serialization."),
    (None, "RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad"),
    (None, "RuntimeError: A SemLock created in a fork context is being shared with a process in a spawn context."),
    (None, "RuntimeError: Queue objects should only be shared between processes through inheritance"),
    (None, "NotImplementedError: pool objects cannot be passed between processes or pickled"),
    (None, "_pickle.PicklingError: logger cannot be pickled"),
    (None, "TypeError: cannot pickle 'frame' object"),
    (None, "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must"),
    (None, "RecursionError: maximum recursion depth exceeded while pickling an object"),
    (None, "EOFError: Ran out of input"),
]


@pytest.mark.parametrize(("rule", "message"), MESSAGES)
def test_a_message_belongs_to_its_family(rule: str | None, message: str) -> None:
    cause = cause_of(message)
    assert cause is not None and cause.rule == rule
    assert cause.known is not None and (cause.what, cause.advice) == (cause.known.cause, cause.known.advice)
    assert cause_of(f"Traceback: {message} (in a worker)") == cause


def test_every_family_has_a_message() -> None:
    reached = {cause.known for _, message in MESSAGES if (cause := cause_of(message)) is not None}
    rows = [*(error for rule in rules().values() for error in rule.errors), *_CAUSES]
    assert [error.pattern for error in rows if error not in reached] == []
