"""Every family of errors is told by a message that Python or a library really gives, and by no other family."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from codemods.diagnose import families as error_families
from codemods.diagnose.causes import cause_of, known_rows
from codemods.diagnose.families import FILES, families
from codemods.diagnose.nearest import nearest_family
from codemods.diagnose.tracebacks import read_traceback
from codemods.known_error import NAME_IN_ERROR
from codemods.transforms import rules
from harness.each_row import each_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OLD = "lib/python3.6/multiprocessing/process.py"
MESSAGES: list[tuple[str | None, str, str, str]] = [  # (rule, family, message, lines around it)
    ("main-guard", "main-guard", "RuntimeError: context has already been set", "exitcode = spawn_main(fd)"),
    ("main-guard", "notebook", "AttributeError: Can't get attribute 'Net' on <module '__main__' (built-in)>", ""),
    ("unpicklable-attributes", "old-logger", "TypeError: can't pickle _thread.RLock objects", OLD),
    (None, "replaced", "_pickle.PicklingError: Can't pickle <function f at 0x7f>: it's not the same object as m.f", ""),
    (None, "not-found-by-name", "PicklingError: Can't pickle <class 'm.Row'>: attribute lookup Row on m failed", ""),
    (None, "not-found-in-module", "AttributeError: Can't get attribute 'Row' on <module 'm' from '/m.py'>", ""),
    (None, "private-method", "AttributeError: 'Crops' object has no attribute '__crop'", "pool.map(self.__crop, x)"),
    (None, "private-method-asked", "AttributeError: 'Crops' object has no attribute '__crop'", ""),
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
    (None, "guardless-getattr", "RecursionError: maximum recursion depth exceeded", "pickle.load\nin __getattr__"),
    (None, "getattr-for-dunder", "KeyError: '__getstate__'", ""),
    (None, "frozen-slots", "dataclasses.FrozenInstanceError: cannot assign to field 'x'", "pickle.load(f)"),
    (None, "too-deep", "RecursionError: maximum recursion depth exceeded while pickling an object", ""),
    (None, "payload-too-large", "OverflowError: cannot serialize a bytes object larger than 4 GiB", ""),
    (None, "payload-too-large", "struct.error: 'i' format requires -2147483648 <= number <= 2147483647", ""),
    (None, "pipe-write", "OSError: [Errno 22] Invalid argument", "ForkingPickler(file, protocol).dump(obj)"),
    (None, "console-main", "OSError: [Errno 22] Invalid argument: 'C:\\\\work\\\\<input>'", ""),
    (None, "parent-ended", "PermissionError: [WinError 5] Access is denied", "return _winapi.DuplicateHandle("),
    (None, "paging-file", "OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein", ""),
    (None, "open-files", "RuntimeError: received 0 items of ancdata", ""),
    (None, "open-files-anywhere", "OSError: [Errno 24] Too many open files", ""),
    (
        None,
        "shared-memory-object",
        "RuntimeError: unable to open shared memory object </torch_1_2> in read-write mode",
        "",
    ),
    (
        None,
        "shared-memory-object",
        "RuntimeError: unable to mmap 1048 bytes from file </torch_3>",
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
    (None, "child-ended", "EOFError: Ran out of input", "exitcode = spawn_main(parent_pid=1)"),
    (None, "pickle-ended", "EOFError: Ran out of input", ""),
    (None, "child-ended", "BrokenPipeError: [Errno 32] Broken pipe", ""),
    (None, "port-in-use", "RuntimeError: Address already in use", "torch/distributed/rendezvous.py"),
    (None, "port-in-use-anywhere", "OSError: [Errno 98] Address already in use", ""),
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
        "rank-aborted",
        "torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 0 (pid: 16)",
        "",
    ),
    (None, "rank-failed", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", ""),
    ("launcher-env", "launcher-env", "KeyError: 'WORLD_SIZE", ""),  # the paste ends before the quote
    (
        None,
        "pinning-at-exit",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        'Exception in thread Thread-4:\nTraceback (most recent call last):\n  File "threading.py", line 9, in run\n'
        '  File "torch/utils/data/_utils/pin_memory.py", line 28, in _pin_memory_loop\n    r = in_queue.get()',
    ),
    (
        None,
        "pipe-of-parent",
        "EOFError",
        'Process Writer:\n  File "multiprocessing/process.py", line 9, in _bootstrap\n    self.run()\n'
        '  File "run.py", line 4, in write\n    kind, row = self.pipe.recv()\nEOFError',
    ),
    (
        None,
        "main-name-unknown",
        "ImportError: No module named job_main",
        'File "spawn.py", line 9, in _fixup_main_from_name\n    alter_sys=True)\n  File "runpy.py", line 9, in '
        '_get_module_details\n    raise error("No module named %s" % mod_name)',
    ),
    (
        None,
        "cuda-initialization-in-launcher",
        "RuntimeError: CUDA error: initialization error",
        "failed (exitcode: 1) local_rank: 1 (pid: 7) of fn: main (start_method: fork)",
    ),
    (None, "cuda-initialization", "RuntimeError: CUDA error: initialization error", "(start_method: forkserver)"),
    (None, "paging-file-model", "OSError: not enough memory (os error 1455)", ""),
    (None, "open-file-by-cloudpickle", "PicklingError: Cannot pickle files that are not opened for reading: w", ""),
    (None, "open-file-by-cloudpickle", "_pickle.PicklingError: Cannot pickle closed files", ""),
    (None, "pickling-error-alone", "stopped by <class '_pickle.PicklingError'>", ""),
    (
        "unpicklable-attributes",
        "test-object",
        "TypeError: cannot pickle 'module' object",
        "when serializing dict item 'session'\nwhen serializing _pytest.main.Session state",
    ),
    (
        "unpicklable-attributes",
        "unpicklable-attributes",
        "TypeError: cannot pickle 'module' object",
        "when serializing dict item 'np'\nwhen serializing rows.Rows state",
    ),
    (
        None,
        "unused-outputs",
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
        "Since `find_unused_parameters=True` is enabled, this likely means that not all `forward` outputs",
    ),
    (
        None,
        "collective-timeout-short",
        "Watchdog caught collective operation timeout: WorkNCCL(Timeout(ms)=50) ran",
        "",
    ),
    (None, "collective-timeout", "Watchdog caught collective operation timeout: Work(Timeout(ms)=600000) ran", ""),
    (None, "nccl-invalid-usage", "RuntimeError: ncclCommInitAll failed: invalid usage", ""),
    (
        None,
        "nccl-system-network",
        "RuntimeError: NCCL error in: x.cpp:9, unhandled system error",
        "[1] NCCL INFO misc/socket.cc:48 -> 2",
    ),
    (
        None,
        "nccl-system",
        "RuntimeError: NCCL error in: x.cpp:9, unhandled system error",
        "[1] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.3<0>",
    ),
    (
        None,
        "pool-worker-terminated",
        "TerminatedWorkerError: A worker process was unexpectedly terminated. The exit codes of the workers are "
        "{SIGTERM(-15), SIGTERM(-15)}",
        "",
    ),
    (
        None,
        "pool-worker-killed",
        "TerminatedWorkerError: A worker process was unexpectedly terminated. The exit codes of the workers are "
        "{SIGTERM(-15), SIGKILL(-9)}",
        "",
    ),
    (
        None,
        "pool-initializer",
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly",
        "Exception in initializer:\nTraceback (most recent call last):",
    ),
    (
        None,
        "local-in-test",
        "/usr/lib/python3.14/multiprocessing/reduction.py:60: PicklingError",
        "task = <function test_slow_task.<locals>.task at 0x7f10>",
    ),
    (
        None,
        "registered-in-parent",
        "gymnasium.error.NameNotFound: Environment `Maze` doesn't exist.",
        "Process Worker<AsyncVectorEnv>-2:",
    ),
    (None, "loader-timeout-alone", "AssertionError", "    assert self._timeout == 0"),
    (None, "manager-result", "Unserializable message: ('#RETURN', <Index object at 0x7f>)", ""),
    (None, "native-crash", "run.sh: line 12:  4711 Floating point exception(core dumped) python train.py", ""),
    (
        None,
        "shared-memory-tracked",
        "UserWarning: resource_tracker: There appear to be 2 leaked shared_memory objects to clean up at shutdown",
        "UserWarning: resource_tracker: '/psm_1f2e': [Errno 2] No such file or directory: '/psm_1f2e'",
    ),
    (
        None,
        "leaked-shared-memory",
        "UserWarning: resource_tracker: There appear to be 2 leaked shared_memory objects to clean up at shutdown",
        "",
    ),
    (
        None,
        "worker-exited-on-windows",
        "RuntimeError: DataLoader worker (pid(s) 12, 13) exited unexpectedly",
        'File "D:\\work\\fit.py", line 9, in <module>\n    for batch in loader:',
    ),
    (
        None,
        "worker-exited",
        "RuntimeError: DataLoader worker (pid(s) 12, 13) exited unexpectedly",
        'File "/code/fit.py", line 9, in <module>\n    for batch in loader:',
    ),
    (
        None,
        "shared-memory-on-macos",
        "RuntimeError: unable to open shared memory object </torch_1_2> in read-write mode",
        'File "/Users/ann/fit.py", line 3, in <module>',
    ),
    (None, "endpoint-not-reached", "RuntimeError: connect() timed out. Original timeout was 30000 ms.", ""),
    (None, "pipe-write", "OSError: [Errno 22] Invalid argument", "UnpicklingError: pickle data was truncated"),
    (
        None,
        "replaced-session",
        "Can't pickle <class 'orm.session.AsyncSession'>: it's not the same object as orm.session.AsyncSession",
        "",
    ),
    (None, "replaced-in-main", "Can't pickle <function g at 0x7f>: it's not the same object as __main__.g", ""),
    (None, "gloo-mesh", "Gloo connectFullMesh failed with [pair.cc:9] no error", ""),
    (None, "payload-too-large-sent", "OverflowError: cannot serialize a bytes object larger than 4 GiB", "in _feed"),
    (
        None,
        "broken-pool-on-windows",
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly",
        'File "C:\\work\\fit.py", line 9, in <module>\n    rows = list(pool.map(read, names))',
    ),
    (
        None,
        "broken-pool",
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly",
        'File "/code/fit.py", line 9, in <module>\n    rows = list(pool.map(read, names))',
    ),
]
LOADER = "in _worker_loop samples = collate_fn([dataset[i] for i in batch_indices])"
POOL = 'File "lib/python3.11/multiprocessing/pool.py", line 125, in worker'
MESSAGES += [
    ("main-guard", "global-in-worker", "NameError: name 'data' is not defined", POOL),
    ("unpicklable-attributes", "unpicklable-attributes", "Can't pickle thread.lock", ""),
    ("unpicklable-attributes", "unpicklable-attributes", "cannot pickle _io.BufferedWriter", ""),
    (
        "main-guard",
        "global-that-dill-leaves",
        "NameError: name 'math' is not defined",
        "/v/multiprocess/pool.py, worker",
    ),
    ("main-guard", "global-in-worker", "NameError: global name 'args' is not defined", "Process Process-2:\n" + POOL),
    ("main-guard", "main-guard", "_fixup_main_from_path(data['init_main_from_path'])", ""),
    ("unpicklable-attributes", "unpicklable-attributes", "ctypes objects containing pointers cannot be pickled", ""),
    (None, "file-opened-before-fork", "KeyError: 'Unable to open object (bad object header version number)'", LOADER),
    (
        "unpicklable-attributes",
        "unpicklable-attributes",
        "Can't pickle <class 'module'>: attribute lookup module on builtins failed",
        "",
    ),
    ("dict-views", "dict-views", "Can't pickle <class 'dict_keys'>: attribute lookup dict_keys on builtins failed", ""),
    (None, "worker-exited", "RuntimeError('DataLoader worker (pid(s) {}) exited unexpectedly'.format(", ""),
    (None, "worker-out-of-memory", "RuntimeError:Dataloader worker (pid 6479) is killed by signal:killed", ""),
    (None, "worker-out-of-memory", "the task exited with status code 137", ""),
    (None, "payload-too-large", "i' format requires -2147483648 <= number <= 2147483647", ""),
    (None, "native-crash", "ProcessExitedException: process 0 terminated with exit code 3221225620", ""),
    (None, "rank-failed", "Exception: process 2 terminated with exit code 1", ""),
    (None, "rank-failed", '{"name": "torchelastic.worker.status.FAILED", "source": "WORKER"}', ""),
    (None, "rendezvous", "mesh_service.cc:243 : Failed to meet rendezvous 'init': Socket closed (14)", ""),
    (None, "rendezvous", "[W socket.cpp:601] [c10d] The client socket has failed to connect to [host]:29500", ""),
    (
        None,
        "address-not-valid-here",
        "[W socket.cpp:697] [c10d] The client socket has failed to connect to [h]:29500 (system error: 10049)",
        "",
    ),
    (None, "guardless-getattr", "  [Previous line repeated 990 more times]", "copy.py\nin __getattr__"),
    (None, "background-worker", "RuntimeError: Background workers died. Look for the error message further up!", ""),
    (None, "replaced", "_pickle.PicklingError: args[0] from __newobj__ args has the wrong class", ""),
    (
        None,
        "super-object",
        "PicklingError: first argument to __newobj__() must be <class 'super'>, not <class 'X'>",
        "",
    ),
    (None, "sender-and-receiver-differ", "TypeError: 'buffers' is an invalid keyword argument for this function", ""),
    (None, "sender-and-receiver-differ", "ValueError: unsupported pickle protocol: 5", "distributed/core.py"),
    (None, "pickle-protocol", "ValueError: unsupported pickle protocol: 5", "pickle.load(stream)"),
    (None, "pickler-too-old", "TypeError: code() argument 13 must be str, not int", "site-packages/dill/_dill.py"),
    (None, "task-not-deserialized", "distributed.worker - WARNING - Could not deserialize task", ""),
    (None, "pickling-cut-off", "    ForkingPickler(file, protocol).dump(obj)", ""),
    (None, "parametrized-module", "RuntimeError: Serialization of parametrized modules is only supported through", ""),
    (None, "script-object", "RuntimeError: Tried to serialize object __torch__.Net which does not have a", ""),
    (None, "cuda-resend", "RuntimeError: Attempted to send CUDA tensor received from another process", ""),
    (None, "exception-not-restored", "BrokenProcessPool: A result has failed to un-serialize.", ""),
    (None, "no-fork-here", "ValueError: cannot find context for 'fork'", ""),
    (None, "cuda-before-launch", "Lightning can't create new processes if CUDA is already initialized.", ""),
    (None, "cuda-initialization", "RuntimeError: CUDA error: initialization error", ""),
    (None, "xla-before-spawn", "RuntimeError: Cannot replicate if number of devices (1) is different from 8", ""),
    (
        None,
        "fork-with-threads",
        "DeprecationWarning: This process (pid=7) is multi-threaded, use of fork() may lead to deadlocks in the child.",
        "",
    ),
    (
        None,
        "tokenizers-forked",
        "huggingface/tokenizers: The current process just got forked, after parallelism has already been used.",
        "",
    ),
    (
        None,
        "objc-fork",
        "objc[7]: +[NSResponder initialize] may have been in progress in another thread when fork() was called.",
        "",
    ),
    (None, "frozen-program", "/app/main -B -s -S -E -c from multiprocessing.semaphore_tracker import main;main(8)", ""),
    (
        None,
        "not-in-a-notebook",
        "`Trainer(strategy='ddp_spawn')` is not compatible with an interactive environment.",
        "",
    ),
    (None, "main-without-spec", "AttributeError: module '__main__' has no attribute '__spec__'", ""),
    (None, "fork-memory", "OSError: [Errno 12] Cannot allocate memory", "    self.pid = os.fork()"),
    (
        None,
        "shared-memory-gone",
        "unable to open shared memory object </torch_1_2> in read-write mode: No such file or directory (2)",
        "",
    ),
    (None, "paging-file", "RuntimeError: Couldn't open shared file mapping: <torch_1_2>, error code: <1455>", ""),
    (None, "process-limit", "BlockingIOError: [Errno 11] Resource temporarily unavailable", ""),
    (
        None,
        "no-semaphores",
        "PermissionError: [Errno 13] Permission denied",
        "in __init__ sl = self._semlock = _multiprocessing.SemLock(",
    ),
    (None, "too-many-handles", "ValueError: need at most 63 handles, got a sequence of length 65", ""),
    (None, "no-space", "OSError: [Errno 28] No space left on device", "joblib/numpy_pickle.py"),
    (None, "payload-memory", "MemoryError", "ForkingPickler(file, protocol).dump(obj)"),
    (None, "worker-out-of-memory", "command terminated with exit code 137", ""),
    (
        None,
        "worker-terminated",
        "slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2024-05-01T01:00:00 DUE TO PREEMPTION ***",
        "",
    ),
    (
        None,
        "worker-terminated",
        "*** SIGTERM received by PID 7636 (TID 7636) on cpu 6 from PID 7408; stack trace: ***",
        "",
    ),
    (None, "connection-lost", "ConnectionResetError: [Errno 104] Connection reset by peer", "SubprocVecEnv"),
    (None, "raised-in-worker", "RuntimeError: Caught RuntimeError in DataLoader worker process 0.", ""),
    (None, "raised-in-worker", "cv2.error: Caught error in DataLoader worker process 0.", ""),
    (None, "result-not-sent", "multiprocessing.pool.MaybeEncodingError: Error sending result: '<X>'. Reason: 'x'", ""),
    (None, "map-process-died", "RuntimeError: One of the subprocesses has abruptly died during map operation.", ""),
    (
        None,
        "engine-failed",
        "Exception: WorkerProc initialization failed due to an exception in a background process.",
        "",
    ),
    (None, "native-crash", "Segmentation fault (core dumped)", ""),
    (None, "native-crash", "Process finished with exit code -1073741819 (0xC0000005)", ""),
    (None, "pin-memory-thread", "RuntimeError: Pin memory thread exited unexpectedly", ""),
    (None, "loky-worker-stopped", "UserWarning: A worker stopped while some jobs were given to the executor.", ""),
    (
        None,
        "cluster-worker-died",
        "ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.",
        "",
    ),
    (None, "fds-to-keep", "ValueError: bad value(s) in fds_to_keep", ""),
    (None, "watchdog-stuck", "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress", ""),
    (None, "unused-parameters", "RuntimeError: Expected to have finished reduction in the prior iteration before", ""),
    (None, "nccl-system", "RuntimeError: NCCL Error 2: unhandled system error", ""),
    (None, "nccl-error", "ncclUnhandledCudaError: Call to CUDA function failed.", ""),
    (None, "group-twice", "RuntimeError: trying to initialize the default process group twice!", ""),
    (None, "no-nccl", "RuntimeError: Distributed package doesn't have NCCL built in", ""),
    (None, "ready-twice", "RuntimeError: Expected to mark a variable ready only once.", ""),
    (
        None,
        "ranks-differ",
        "RuntimeError: params[0] in this process with sizes [8] appears not to match sizes of the same param in",
        "",
    ),
    (
        None,
        "master-not-found",
        "socket.gaierror: [Errno -2] Name or service not known",
        "torch/distributed/rendezvous.py",
    ),
    (
        None,
        "address-not-valid-here",
        "[W socket.cpp:601] failed to connect to [host]:29500 (system error: 10049 - x)",
        "",
    ),
    (
        None,
        "rank-killed",
        "[ERROR] [launch.py:434:sigkill_handler] ['python', 'main.py'] exits with return code = -9",
        "",
    ),
    (None, "rank-segfault", "mpirun noticed that process rank 1 with PID 0 on node n exited on signal 11", ""),
    (None, "rank-crashed", "  exitcode  : -4 (pid: 7)", ""),
    (
        None,
        "rank-bus-error",
        "[ERROR] [launch.py:9:sigkill_handler] ['python', 'a.py'] exits with return code = -7",
        "",
    ),
    (None, "rank-aborted", "ProcessExitedException: process 1 terminated with signal SIGABRT", ""),
    (None, "rank-failed-deepspeed", "[ERROR] [launch.py:9] ['python', 'a.py'] exits with return code = 1", ""),
    (None, "rendezvous", "RuntimeError: Socket Timeout", ""),
    (None, "paging-file-model", "OSError: paging file is too small (os error 1455)", "with safe_open(path) as file:"),
    (None, "frozen-program", "tool.exe: error: unrecognized arguments: --multiprocessing-fork pipe_handle=9", ""),
    (None, "frozen-program", "tool.exe: error: no such option: --multiprocessing-fork", ""),
    (None, "file-locked", "BlockingIOError: [Errno 11] Unable to open file (unable to lock file, errno = 11)", ""),
    (None, "connection-over-fork", "OperationalError: SSL error: decryption failed or bad record mac", ""),
    (None, "connection-over-fork", "InternalError: Packet sequence number wrong - got 4 expected 1", ""),
    (None, "sqlite-over-fork", "sqlite3.DatabaseError: database disk image is malformed", "with Pool(4) as pool:"),
    (None, "sqlite-asked", "sqlite3.DatabaseError: file is not a database", ""),
    (
        None,
        "other-interpreter",
        "ModuleNotFoundError: No module named 'joblib'",
        'File "<string>", line 1, in <module>',
    ),
    (None, "pipe-of-parent", "BrokenPipeError: [Errno 32] Broken pipe", POOL + "\n    put((job, i, result))"),
    (
        None,
        "other-interpreter-asked",
        "ModuleNotFoundError: No module named 'numpy'",
        'File "<string>", line 1, in <module>\nModuleNotFoundError: No module named',
    ),
    (
        None,
        "class-of-a-file",
        "AttributeError: Can't get attribute 'Net' on <module '__main__' from '/b/gunicorn'>",
        "",
    ),
    (None, "connection-asked", "(2006, 'MySQL server has gone away')", ""),
    (None, "torch-too-old", "AttributeError: module 'torch.multiprocessing' has no attribute 'spawn'", ""),
    (None, "worker-out-of-memory", "zsh: killed     python train.py", ""),
    (None, "worker-out-of-memory", "srun: error: node1: task 3: Killed", ""),
    (None, "native-crash", "zsh: bus error  python train.py", ""),
    (None, "shared-memory-of-ended", "Couldn't open shared event: <torch_1_event>, error code: <2>", ""),
    (None, "paging-file", "RuntimeError: Couldn't open shared file mapping: <torch_1>, error code: <1455>", ""),
    (None, "launcher-foreign-option", "deepspeed: error: unrecognized arguments: --nproc_per_node=2", ""),
    (None, "launcher-foreign-option", "accelerate launch: error: unrecognized arguments: --nproc_per_node=2", ""),
    (None, "launcher-foreign-option", "torchrun: error: unrecognized arguments: --local_rank=0", ""),
    (None, "rank-failed", "  exitcode  : 1 (pid: 77)", ""),
    (None, "local-rank-required", "t.py: error: the following arguments are required: --local_rank", ""),
    (None, "no-process-group", "AssertionError: Default process group is not initialized", ""),
    (None, "executor-at-exit", "OSError: handle is closed", "line 567, in weakref_cb"),
    (None, "exception-not-restored", "ray.exceptions.RaySystemError: Failed to unpickle serialized exception", ""),
    (
        None,
        "exception-needs-arguments",
        "TypeError: Denied.__init__() missing 2 required positional arguments: 'url' and 'code'",
        "in _handle_results\n    task = get()",
    ),
    (None, "typing-alias", "PicklingError: Can't pickle typing.Union[int, NoneType]: it's not the same object as", ""),
    (
        None,
        "rank-failed",
        "subprocess.CalledProcessError: Command '['python', '--local_rank=1']' returned non-zero",
        "",
    ),
    (None, "rank-setup", "world size is 32 but have 4 available devices", ""),
]
MESSAGES += [
    (None, "state-not-restored", "AttributeError: 'Rows' object has no attribute 'get'", "pickle.load(from_parent)"),
    (None, "typing-alias", "Can't pickle typing.List[str]: it's not the same object as typing.List", ""),
    (None, "authentication-key", "TypeError: Pickling an AuthenticationString object is disallowed for security", ""),
    (None, "arena-forked", "ValueError: Arena is unpicklable because forking was enabled when it was created", ""),
    (None, "started-twice", "AssertionError: cannot start a process twice", ""),
    (None, "started-twice", "AssertionError: can only start a process object created by current process", ""),
    (None, "no-mpi-launcher", "ModuleNotFoundError: No module named 'mpi4py'", "in mpi_discovery"),
    (None, "pool-closed", "ValueError: Pool not running", ""),
    (None, "pool-closed", "RuntimeError: cannot schedule new futures after interpreter shutdown", ""),
    (None, "queue-closed", "ValueError: Queue <multiprocessing.queues.Queue object at 0x7f> is closed", ""),
    (None, "manager-gone", "OSError: got end of file during message", ""),
    (None, "forkserver-gone", "UserWarning: resource_tracker: process died unexpectedly, relaunching", ""),
    (None, "worker-lost", "DataLoader worker killed", ""),
    (None, "native-crash", "terminate called after throwing an instance of 'std::system_error'", ""),
    (None, "fork-with-threads", "multiprocessing can interact badly with TensorFlow, causing deadlocks", ""),
    (None, "launcher-stopped", "Received Signals.SIGHUP death signal, shutting down workers", ""),
    (None, "launcher-stopped", "Received 15 death signal, shutting down workers", ""),
    (None, "ranks-closed", "Sending process 46807 closing signal SIGTERM", ""),
    (None, "exit-barrier", "Error waiting on exit barrier. Elapsed: 300.1 seconds", ""),
    (None, "too-many-ranks", "ValueError: Unsupported nproc_per_node value: gpus", ""),
    (None, "native-crash", "malloc_consolidate(): unaligned fastbin chunk detected", ""),
    (None, "native-crash", "double free or corruption (!prev)", ""),
    (None, "native-crash", "Error: transcription failed (code 3221225501):", ""),
    (None, "getattr-for-dunder", "INFO - Exiting due to exception: '__getstate__'", ""),
    (None, "peer-closed", "torch.distributed.DistNetworkError: Connection reset by peer", ""),
    (None, "rendezvous", "errno: 110 - Connection timed out", ""),
    (None, "rendezvous", "[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0]", ""),
    (None, "cuda-sharing-unsupported", "runtime error (801) : operation not supported at StorageSharing.cpp:245", ""),
    (None, "none-in-worker", "AttributeError: 'NoneType' object has no attribute 'pipeline'", "RemoteTraceback:"),
    (None, "backend-not-built", "RuntimeError: Distributed package doesn't have MPI built in", ""),
]
_CHILD = 'File "spawn.py", line 225, in prepare\n    _fixup_main_from_path(data["init_main_from_path"])'
_FORKED = "RuntimeError: Cannot re-initialize CUDA in forked subprocess"
_POOL = "BrokenProcessPool: A process in the process pool was terminated abruptly"
_NET = "AttributeError: Can't get attribute 'Net' on <module '__main__' from 'a.py'>"
_LAMBDA = "Can't pickle <function <lambda> at 0x7f1>: attribute lookup <lambda> on __main__ failed"
_KEEPS = "unpicklable-attributes"
MESSAGES += [
    (None, "class-of-a-file", _NET, "torch.load(path)"),
    ("main-guard", "main-guard", _NET, "in spawn_main"),
    ("main-guard", "main-guard", "BrokenPipeError: [Errno 32] Broken pipe", _CHILD),
    ("lambdas", "lambdas", _LAMBDA, "Cell In[3], line 1"),
    (
        _KEEPS,
        _KEEPS,
        "ProcessRaisedException: & TypeError: cannot pickle '_io.BufferedReader' object",
        "torch.multiprocessing.spawn",
    ),
    (None, "cuda-in-vllm-worker", _FORKED, "in vllm.worker"),
    (None, "cuda-forked-all-the-same", _FORKED, "mp.set_start_method('spawn', True)"),
    (None, "pool-in-notebook", _POOL, "I run it in Jupyter"),
    (None, "pool-worker-killed", _POOL, "The exit codes of the workers are {SIGKILL(-9)}"),
    (None, "semaphore-gone", "FileNotFoundError: [Errno 2] No such file or directory", "    sem_unlink(name)"),
    (None, "child-ended", "error:Ran out of input", "self = reduction.pickle.load(from_parent)"),
    (
        "launcher-env",
        "launcher-env",
        "TypeError: int() argument must be a string, not 'NoneType'",
        'environ.get("RANK")',
    ),
    (None, "notebook-launcher-number", "ValueError: You have to specify the number of GPUs you would like to use", ""),
    (None, "peer-closed", "[c10d] sendBytes failed on SocketImpl(fd=67): Broken pipe", ""),
    (
        None,
        "task-not-pickled",
        "joblib.externals.loky.process_executor._RemoteTraceback:",
        'queues.py", line 125, in _feed',
    ),
    (None, "pool-worker-exited", _POOL, "The exit codes of the workers are {EXIT(1), EXIT(1)}"),
    (None, "pipe-in-notebook", "BrokenPipeError: [Errno 32] Broken pipe", "<ipython-input-3-5d2b> in <module>"),
    (None, "launcher-too-old", "torchrun: error: unrecognized arguments: --nproc-per-node=1", ""),
    (None, "worker-exited", "RuntimeError: DataLoader 1 workers exit unexpectedly, pids: 4706", ""),
    (None, "not-found-in-main", "Can't pickle <function work at 0x7f>: attribute lookup work on __main__ failed", ""),
    (None, "launcher-behind-script", "error: unrecognized arguments: -m torch.distributed.launch", ""),
    (None, "cuda-error-abort", "terminate called after throwing an instance of 'c10::Error'", "what():  CUDA error: x"),
    (None, "torch-builtin", "Can't pickle <class 'torch._C._VariableFunctions'>: it's not the same object as", ""),
    (None, "replaced-method", "Can't pickle <function Net.step at 0x7f>: it's not the same object as m.Net.step", ""),
    (
        None,
        "class-not-found-in-main",
        "Can't pickle <class '__main__.Row'>: attribute lookup Row on __main__ failed",
        "",
    ),
    (None, "traceback-value", "PicklingError: Can't pickle <class 'traceback'>", ""),
    (None, "traceback-value", "TypeError: cannot pickle 'traceback' object", ""),
    (None, "keras-generator", "TypeError: can't pickle generator objects", "model.fit_generator(rows(), workers=2)"),
    (None, "keras-generator-asked", "TypeError: cannot pickle 'generator' object", "on Windows with Keras 2.7"),
    (None, "nccl-shared-memory", "NCCL WARN Call to posix_fallocate failed : No space left on device", ""),
    (None, "nccl-shared-memory", "NCCL WARN Error while creating shared memory segment nccl-shm-send-1", ""),
    (None, "leaked-shared-memory", "There appear to be 2 leaked shared_memory objects to clean up at shutdown", ""),
    (None, "test-worker-crashed", "worker 'gw3' crashed while running 'tests/test_rows.py::test_all'", ""),
    (None, "pipe-in-del", "BrokenPipeError: [Errno 32] Broken pipe", "Exception ignored in: <function Envs.__del__ at"),
    (None, "gluon-timeout", "Worker timed out after 120 seconds. This might be caused by", ""),
    (
        None,
        "library-asks-for-fork",
        "ValueError: cannot find context for 'fork'",
        'File "C:\\lib\\site-packages\\jobs.py", line 21, in <module>\n    context = mp.get_context("fork")',
    ),
    (None, "module-of-parent-asked", "ModuleNotFoundError: No module named 'rows'", "/lib/multiprocessing/spawn.py"),
]
MESSAGES += [
    (None, family, message[0], message[1] if len(message) > 1 else "")
    for family, messages in tomllib.loads(Path(__file__).with_name("messages.toml").read_text("utf-8")).items()
    for message in messages
]
MESSAGES += [(rule.id, rule.id, line, "") for rule in rules().values() for row in rule.errors for line in row.examples]


@each_row(("rule", "family", "message", "around"), MESSAGES)
def test_a_message_belongs_to_its_family(rule: str | None, family: str, message: str, around: str) -> None:
    cause = cause_of(message, around)
    assert cause is not None and (cause.rule, cause.family) == (rule, family)
    assert cause.known is not None and (cause.what, cause.advice) == (cause.known.cause, cause.known.advice)
    if message != "Killed":  # which stands alone, as a shell prints it
        assert cause_of(f"Traceback: {message} (as it was printed)", around) == cause


@each_row(("rule", "family", "message", "around"), MESSAGES)
def test_case_and_curly_quotes_change_nothing(rule: str | None, family: str, message: str, around: str) -> None:
    if family == "launcher-env":  # the name of a variable has its case
        return
    cause = cause_of(message.lower(), around)
    assert cause is not None and (cause.rule, cause.family) == (rule, family)


def test_every_family_has_a_message() -> None:
    reached = {cause.known for _, _, message, around in MESSAGES if (cause := cause_of(message, around)) is not None}
    assert [row.error.pattern for row in known_rows() if row.error not in reached] == []


def test_what_an_old_logger_keeps_is_told_from_its_line() -> None:
    (row,) = {row.error for row in known_rows() if row.error.family == "old-logger"}
    for kind in ("_thread.lock", "_thread.RLock", "TextIOWrapper"):
        assert any(re.search(made, kind) and re.search(line, "getLogger()") for made, line in row.source), kind


def test_every_row_has_what_a_reader_needs() -> None:
    for error in families():
        assert error.family and error.cause and error.advice, error
        assert error.reference.startswith("https://"), error
    names = [error.family for error in families()]
    assert len(set(names)) == len(names)


@each_row("name", FILES)
def test_a_row_is_what_its_file_says(name: str) -> None:
    entries = tomllib.loads(Path(error_families.__file__).with_name(f"{name}.toml").read_text("utf-8"))
    rows = {error.family: error for error in families()}
    for family, entry in entries.items():
        row, noise = rows[family], entry.get("noise", False)
        for flag in ("general", "secondary", "noise", "question", "unfinished", "exact", "own"):
            assert getattr(row, flag) is entry.get(flag, False), (family, flag)
        assert (row.symptom, row.harmless) == (entry.get("symptom", noise), entry.get("harmless", noise)), family
        said = (row.cause, row.advice, row.context, row.unless, row.reference)
        assert said == tuple(entry.get(key, "") for key in ("cause", "next", "context", "unless", "reference")), family
        assert row.pattern == "|".join(entry["patterns"]).replace("{NAME}", NAME_IN_ERROR), family


@each_row(
    "message",
    [
        "train.py: error: unrecognized arguments: --local_rank_offset 3",
        "train.py: error: unrecognized arguments: --lr 0.1",
        "OSError: [WinError 87] The parameter is incorrect",
        "KeyError: 'rank'",
        "KeyError: 'RANK of the node'",
        "killed: 3 processes",
        "NameError: name 'data' is not defined",  # not in a worker
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "EOFError: EOF when reading a line",
        "OSError: [Errno 12] Cannot allocate memory",
        "OSError: [Errno 28] No space left on device",
        "MemoryError",
        "Exited with code 1",
        "subprocess.CalledProcessError: Command '['ffmpeg', '-i', 'a.mp4']' returned non-zero exit status 1.",
        "socket.gaierror: [Errno -2] Name or service not known",
        "RuntimeError: CUDA out of memory. Tried to allocate 1.31 GiB (GPU 0; 11.78 GiB total capacity)",
        "_pickle.UnpicklingError: invalid load key, '<'.",
        "ImportError: DLL load failed: The specified module could not be found.",
        "[--local_rank LOCAL_RANK]",
        "AttributeError: 'Rows' object has no attribute 'get'",  # not while a worker takes it over
        "ModuleNotFoundError: No module named 'mpi4py'",
        "AttributeError: 'NoneType' object has no attribute 'shape'",
        "ConnectionResetError: [Errno 104] Connection reset by peer (requests)",
        "ValueError: I/O operation on closed file",
        "terminate called by the user",
    ],
)
def test_what_looks_alike_and_is_not(message: str) -> None:
    assert cause_of(message) is None


@each_row(
    ("message", "around"),
    [
        ("EOFError: Ran out of input", "obj = pickle.load(stream)"),
        ("socket.error: [Errno 98] Address already in use: ('127.0.0.1', 5000)", ""),
        ("ModuleNotFoundError: No module named 'torch._six'", ""),
        ("KeyError: 'beef'", 'File "/usr/lib/python3.9/multiprocessing/managers.py", line 827, in _callmethod'),
        ("ValueError: not enough values to unpack (expected 2, got 1)", 'File "/code/train.py", line 4, in main'),
        (
            "TypeError: __init__() takes 2 positional arguments but 3 were given",
            'File "rows.py", line 7, in load',
        ),
    ],
)
def test_what_has_nothing_to_do_with_processes_is_left_alone(message: str, around: str) -> None:
    assert cause_of(message, around) is None
    assert nearest_family(f"{message}\n{around}") is None


def test_a_title_is_read_with_the_traceback_below_it() -> None:
    frames = "\n".join(
        f'  File "/usr/lib/python3.9/multiprocessing/x{n}.py", line {n}, in spawn_main' for n in range(9)
    )
    text = f"RuntimeError: context has already been set\n{'prose' * 20}\nTraceback (most recent call last):\n{frames}"
    found = read_traceback(text)
    assert found is not None and found.cause.rule == "main-guard"


FLAGS = ("general", "secondary", "symptom", "harmless", "noise", "question", "unfinished", "exact", "own")


def test_rows_mean_what_their_files_say() -> None:
    folder = Path(error_families.__file__).parent
    entries = [item for name in FILES for item in tomllib.loads((folder / f"{name}.toml").read_text("utf-8")).items()]
    assert {flag for flag in FLAGS for _, entry in entries if entry.get(flag)} == set(FLAGS)
    for (family, entry), row in zip(entries, families(), strict=True):
        implied = {"symptom", "harmless"} if entry.get("noise") else set[str]()
        for flag in FLAGS:
            assert getattr(row, flag) is (bool(entry.get(flag)) or flag in implied), (family, flag)
        assert (row.family, row.cause, row.advice) == (family, entry["cause"], entry["next"])
        assert (row.context, row.unless) == (entry.get("context", ""), entry.get("unless", "")), family
        assert row.reference == entry["reference"]
