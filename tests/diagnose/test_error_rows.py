"""Every family of errors is told by a message that Python or a library really gives, and by no other family."""

from __future__ import annotations

import pytest

from codemods.diagnose.causes import cause_of, known_errors
from codemods.diagnose.families import families
from codemods.transforms import rules

OLD = "lib/python3.6/multiprocessing/process.py"
MESSAGES: list[tuple[str | None, str, str, str]] = [  # (rule, family, message, lines around it)
    ("main-guard", "main-guard", "RuntimeError: context has already been set", "exitcode = spawn_main(fd)"),
    ("main-guard", "notebook", "AttributeError: Can't get attribute 'Net' on <module '__main__' (built-in)>", ""),
    ("unpicklable-attributes", "old-logger", "TypeError: can't pickle _thread.RLock objects", OLD),
    (None, "replaced", "_pickle.PicklingError: Can't pickle <function f at 0x7f>: it's not the same object as m.f", ""),
    (None, "not-found-by-name", "PicklingError: Can't pickle <class 'm.Row'>: attribute lookup Row on m failed", ""),
    (None, "not-found-in-module", "AttributeError: Can't get attribute 'Row' on <module 'm' from '/m.py'>", ""),
    (None, "private-method", "AttributeError: 'Crops' object has no attribute '__crop'", ""),
    (None, "loader-iterator", "NotImplementedError: ('{} cannot be pickled', '_SingleProcessDataLoaderIter')", ""),
    (None, "computed-tensor", "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support", ""),
    (None, "fsdp-copy", "AssertionError: FSDP does not support deepcopy. Please use state dict.", ""),
    (None, "graph-tensor", "RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad", ""),
    (None, "cuda-storage", "RuntimeError: Cannot pickle CUDA storage; try pickling a CUDA tensor instead", ""),
    (None, "mixed-contexts", "RuntimeError: A SemLock created in a fork context is being shared with a process", ""),
    (
        None,
        "by-inheritance",
        "RuntimeError: Queue objects should only be shared between processes through inheritance",
        "",
    ),
    (None, "by-inheritance", "NotImplementedError: pool objects cannot be passed between processes or pickled", ""),
    (None, "unregistered-logger", "_pickle.PicklingError: logger cannot be pickled", ""),
    (None, "interpreter-value", "TypeError: cannot pickle 'frame' object", ""),
    (None, "start-method-twice", "RuntimeError: context has already been set", 'File "train.py", line 3, in <module>'),
    (
        None,
        "cuda-in-notebook-launcher",
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess",
        "notebook_launcher(",
    ),
    (None, "cuda-after-fork", "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with", ""),
    (
        None,
        "cuda-producer-ended",
        "[W CudaIPCTypes.cpp:15] Producer process has been terminated before all shared CUDA tensors",
        "",
    ),
    (None, "guardless-getattr", "RecursionError: maximum recursion depth exceeded", "in __getattr__"),
    (None, "getattr-for-dunder", "KeyError: '__getstate__'", ""),
    (None, "frozen-slots", "dataclasses.FrozenInstanceError: cannot assign to field 'x'", ""),
    (None, "too-deep", "RecursionError: maximum recursion depth exceeded while pickling an object", ""),
    (None, "payload-too-large", "OverflowError: cannot serialize a bytes object larger than 4 GiB", ""),
    (None, "payload-too-large", "struct.error: 'i' format requires -2147483648 <= number <= 2147483647", ""),
    (None, "pipe-write", "OSError: [Errno 22] Invalid argument", "ForkingPickler(file, protocol).dump(obj)"),
    (None, "console-main", "OSError: [Errno 22] Invalid argument: 'C:\\\\work\\\\<input>'", ""),
    (None, "parent-ended", "PermissionError: [WinError 5] Access is denied", "return _winapi.DuplicateHandle("),
    (None, "paging-file", "OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein", ""),
    (None, "open-files", "RuntimeError: received 0 items of ancdata", ""),
    (None, "open-files", "OSError: [Errno 24] Too many open files", ""),
    (
        None,
        "shared-memory-object",
        "RuntimeError: unable to open shared memory object </torch_1_2> in read-write mode",
        "",
    ),
    (
        None,
        "shared-memory-object",
        "RuntimeError: unable to mmap 1048 bytes from file </torch_3>: Cannot allocate memory",
        "",
    ),
    (None, "shared-memory-full", "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.", ""),
    (None, "worker-out-of-memory", "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.", ""),
    (None, "worker-out-of-memory", "Killed", ""),
    (None, "worker-crashed", "RuntimeError: DataLoader worker (pid 7) is killed by signal: Segmentation fault.", ""),
    (None, "worker-terminated", "RuntimeError: DataLoader worker (pid 7) is killed by signal: Terminated.", ""),
    (None, "loader-timeout", "RuntimeError: DataLoader timed out after 120 seconds", ""),
    (
        None,
        "leaked-semaphores",
        "UserWarning: resource_tracker: There appear to be 6 leaked semaphore objects to clean up",
        "",
    ),
    (None, "daemon-children", "AssertionError: daemonic processes are not allowed to have children", ""),
    (None, "foreign-iterator", "AssertionError: can only test a child process", ""),
    (
        None,
        "broken-pool",
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated",
        "",
    ),
    (None, "task-not-restored", "BrokenProcessPool: A task has failed to un-serialize.", ""),
    (None, "task-not-sent", "_pickle.PicklingError: Could not pickle the task to send it to the workers.", ""),
    (None, "background-worker", "RuntimeError: One or more background workers are no longer alive. Exiting.", ""),
    (None, "worker-exited", "RuntimeError: DataLoader worker (pid(s) 12, 13) exited unexpectedly", ""),
    (None, "child-ended", "EOFError: Ran out of input", ""),
    (None, "child-ended", "BrokenPipeError: [Errno 32] Broken pipe", ""),
    (None, "port-in-use", "RuntimeError: Address already in use", ""),
    (None, "collective-timeout", "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8)", ""),
    (
        None,
        "peer-closed",
        "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:1234",
        "",
    ),
    (None, "rendezvous", "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", ""),
    (
        None,
        "collective-mismatch",
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running",
        "",
    ),
    (None, "worker-start-warning", "UserWarning: Got pickle error when attempting to start a worker Process.", ""),
    ("launcher-env", "launcher-env", "RuntimeError: Could not find 'RANK' in the torch environment", ""),
    ("lambdas", "lambdas", "Can't pickle local object 'get_dataset.<locals>.Dataset\"", ""),
    (None, "rank-failed", "RuntimeError: Rank[0] failed.", ""),
    (None, "worker-terminated", "torch.distributed.elastic...api.SignalException: Process 226 got signal: 15", ""),
    (None, "rank-setup", "ncclInvalidUsage: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000", ""),
    (None, "device-ordinal", "RuntimeError: CUDA error: invalid device ordinal", ""),
    (
        None,
        "no-process-group",
        "ValueError: Default process group has not been initialized, please make sure to call",
        "",
    ),
    (None, "rank-killed", "  exitcode  : -9 (pid: 14750)", ""),
    (
        None,
        "rank-crashed",
        "torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 0 (pid: 16)",
        "",
    ),
    (None, "rank-failed", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", ""),
]
MESSAGES += [(rule.id, rule.id, line, "") for rule in rules().values() for row in rule.errors for line in row.examples]


@pytest.mark.parametrize(("rule", "family", "message", "around"), MESSAGES)
def test_a_message_belongs_to_its_family(rule: str | None, family: str, message: str, around: str) -> None:
    cause = cause_of(message, around)
    assert cause is not None and (cause.rule, cause.family) == (rule, family)
    assert cause.known is not None and (cause.what, cause.advice) == (cause.known.cause, cause.known.advice)
    if message != "Killed":  # which stands alone, as a shell prints it
        assert cause_of(f"Traceback: {message} (in a worker)", around) == cause


@pytest.mark.parametrize(("rule", "family", "message", "around"), MESSAGES)
def test_case_and_curly_quotes_change_nothing(rule: str | None, family: str, message: str, around: str) -> None:
    if family == "launcher-env":  # the name of a variable has its case
        return
    cause = cause_of(message.lower(), around)
    assert cause is not None and (cause.rule, cause.family) == (rule, family)


def test_every_family_has_a_message() -> None:
    reached = {cause.known for _, _, message, around in MESSAGES if (cause := cause_of(message, around)) is not None}
    assert [error.pattern for error in known_errors() if error not in reached] == []


def test_every_row_has_what_a_reader_needs() -> None:
    for error in families():
        assert error.family and error.cause and error.advice, error
        assert error.reference.startswith("https://"), error
    names = [error.family for error in families()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "message",
    [
        "train.py: error: unrecognized arguments: --local_rank_offset 3",
        "train.py: error: unrecognized arguments: --lr 0.1",
        "torchrun: error: unrecognized arguments: --local_rank=0",
        "OSError: [WinError 87] The parameter is incorrect",
        "KeyError: 'rank'",
        "killed: 3 processes",
    ],
)
def test_what_looks_alike_and_is_not(message: str) -> None:
    assert cause_of(message) is None
