"""What a text does not support is not stated: a source line is no error, a copy starts no process, words that fit
several causes are a question, and frames alone are a question where they fit several.
"""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from codemods.diagnose.causes import cause_of
from codemods.diagnose.explain import explain_log, unknown_error
from codemods.diagnose.families import frame_families
from codemods.diagnose.show_explanation import show_explanation
from codemods.diagnose.tracebacks import Log, read_log
from harness.each_row import each_row

SEND = (
    "Traceback (most recent call last):\n"
    '  File "/usr/lib/python3.11/multiprocessing/popen_spawn_posix.py", line 47, in _launch\n'
    "    reduction.dump(process_obj, fp)\n"
    '  File "/usr/lib/python3.11/multiprocessing/reduction.py", line 60, in dump\n'
    "    ForkingPickler(file, protocol).dump(obj)\n"
)
LOCK = "TypeError: cannot pickle '_thread.lock' object\n"


def shown(log: Log) -> str:
    out = io.StringIO()
    show_explanation(explain_log(log, None, None), Console(file=out, width=200))
    return out.getvalue()


def frames(*rows: str) -> str:
    return "".join(f'  File "{path}", line 9, in {name}\n' for path, _, name in (row.partition(":") for row in rows))


def test_a_source_line_counts_only_where_the_last_line_is_missing() -> None:
    cut = read_log(SEND).main
    assert cut is not None and cut.cause.family == "pickling-cut-off"
    ended = read_log(SEND + "OSError: the disk is on fire\n")
    assert ended.main is None
    said = unknown_error("", ended)
    assert "OSError: the disk is on fire" in said and "Is it this? something that is sent to a new process" in said
    broken = read_log(SEND + "BrokenPipeError: [Errno 32] Broken pipe\n")
    assert broken.main is not None and broken.main.cause.family == "child-ended" and not broken.others


@pytest.mark.parametrize(
    "text",
    [
        "    ForkingPickler(file, protocol).dump(obj)BrokenPipeError: [Errno 32] Broken pipe",
        "epoch 1 ForkingPickler(file, protocol).dump(obj)BrokenPipeError: [Errno 32] Broken pipe",
    ],
)
def test_an_error_glued_to_the_source_line_is_read(text: str) -> None:
    main = read_log(text).main
    assert main is not None and main.cause.family == "child-ended"
    assert main.error.startswith("BrokenPipeError")


def test_a_text_that_lost_its_line_breaks_is_read() -> None:
    one = (
        "loading:   0%|    | 0/2 [00:00<?, ?it/s]WARNING:torch.distributed.elastic:Sending process 7 closing signal "
        "SIGTERM   ERROR:torch.distributed.elastic.api:failed (exitcode: -9) local_rank: 4 (pid: 8) of binary: python"
    )
    main = read_log(one).main
    assert main is not None and main.cause.family == "rank-killed" and main.ranks == (4,)
    flat = " ".join(line.strip() for line in (SEND + LOCK).splitlines())
    found = read_log(flat).main
    assert found is not None and found.cause.type == "_thread.lock"
    assert [frame.line for frame in found.frames] == [47, 60]


def test_a_quoted_source_line_is_no_further_error() -> None:
    text = SEND.replace(
        "    reduction.dump(process_obj, fp)\n",
        "    110                'daemonic processes are not allowed to have children'\n",
    )
    log = read_log(text + LOCK)
    assert log.main is not None and log.main.cause.type == "_thread.lock"
    assert "daemon" not in shown(log)


@each_row(
    ("around", "words", "advice"),
    [
        (
            frames("/usr/lib/python3.11/copy.py:deepcopy", "/usr/lib/python3.11/copy.py:_reconstruct"),
            "copied",
            "deepco",
        ),
        (frames("/v/site-packages/torch/serialization.py:_save"), "saved to a file", "state_dict"),
        ("    copied = copy.deepcopy(model)\n", "copied", "deepcopy"),
        ("    pickle.dump(model, stream)\n", "saved to a file", "plain data"),
        (frames("/v/site-packages/datasets/fingerprint.py:hash"), "hashed for a cache", "key"),
        ("Traceback (most recent call last):\n    keeper.save_round(3, agent)\n", "saved to a file", "plain data"),
        ("    keeper.save_round(3, agent)\n    run(agent)\n", "sent to a worker", ""),
        ("    40     torch.save(model, path)\n--> 42     main()\n", "sent to a worker", ""),  # IPython shows it around
        ("--> 40     torch.save(model, path)\n    42     main()\n", "saved to a file", "plain data"),
        (SEND, "sent to a worker", "__getstate__"),
        ("", "sent to a worker", "__getstate__"),
        # in a worker, and yet a copy; and a copy around something that is sent
        (
            frames("/usr/lib/python3.11/multiprocessing/process.py:run", "/usr/lib/python3.11/copy.py:copy"),
            "copied",
            "",
        ),
        (frames("/usr/lib/python3.11/copy.py:copy") + SEND, "sent to a worker", ""),
    ],
)
def test_the_way_of_the_value_is_told_by_the_frames(around: str, words: str, advice: str) -> None:
    main = read_log(around + LOCK).main
    assert main is not None and words in main.cause.what and advice in main.cause.advice
    assert ("no process is started" in main.cause.advice) == (words != "sent to a worker")


def test_a_lock_that_asks_for_a_start_may_still_be_copied() -> None:
    text = frames(
        "/usr/lib/python3.11/copy.py:deepcopy",
        "/usr/lib/python3.11/multiprocessing/synchronize.py:__getstate__",
        "/usr/lib/python3.11/multiprocessing/context.py:assert_spawning",
    )
    main = read_log(
        text + "RuntimeError: Lock objects should only be shared between processes through inheritance"
    ).main
    assert main is not None and "no process is started here" in main.cause.advice


def test_what_does_not_come_back_is_told_from_what_is_sent() -> None:
    error = "multiprocessing.pool.MaybeEncodingError: Error sending result: '{}'. Reason: 'TypeError(\"cannot pickle "
    error += "'SwigPyObject' object\")'"
    returned, raised = (
        read_log(error.format(of)).main for of in ("<Job>", "<multiprocessing.pool.ExceptionWithTraceback>")
    )
    assert returned is not None and "sent back from a worker" in returned.cause.what
    assert "it is part of what the task returned" in returned.cause.advice
    assert raised is not None and "it is part of the exception that the task raised" in raised.cause.advice


def test_a_question_says_so_and_comes_after_what_is_certain() -> None:
    asked = "sqlite3.DatabaseError: file is not a database\n"
    log = read_log(asked)
    assert "its words fit several causes. Is it this?" in shown(log)
    both = read_log(asked + SEND + LOCK)
    assert both.main is not None and both.main.cause.type == "_thread.lock"
    assert "Is it this?" not in shown(both)


@each_row(
    ("message", "around"),
    [
        ("RecursionError: maximum recursion depth exceeded", "in walk\n    return walk(node.left)"),
        ("RecursionError: maximum recursion depth exceeded", "in __getattr__\n    return getattr(self.inner, name)"),
        ("dataclasses.FrozenInstanceError: cannot assign to field 'x'", "    options.x = 3"),
        ("KeyError: \"Unable to open object (object 'y' doesn't exist)\"", "in _worker_loop"),
        ("Namespace(world_size =4, local_rank =0)", ""),
        ("BlockingIOError: [Errno 11] Resource temporarily unavailable", "fcntl.flock(handle, fcntl.LOCK_EX)"),
        ("AssertionError", "    assert timeout == 0"),
        ("gymnasium.error.NameNotFound: Environment `Maze` doesn't exist.", "env = gymnasium.make(name)"),
        ("/a/lib/stream.py:60: PicklingError", "task = <function test_slow.<locals>.task at 0x7f10>"),
        ("triton.runtime.errors.OutOfResources: out of shared memory", ""),
        ("ModuleNotFoundError: No module named 'numpy'", 'File "train.py", line 1, in <module>\n    import numpy'),
    ],
)
def test_words_without_a_process_are_not_taken_for_one(message: str, around: str) -> None:
    assert cause_of(message, around) is None


SPEAKING: list[tuple[str, str]] = [
    (frames("/u/lib/python3.12/multiprocessing/spawn.py:_check_not_importing_main"), "main-again"),
    (frames("/u/lib/python3.12/multiprocessing/spawn.py:_fixup_main_from_path", "/a/t.py:go"), "main-not-imported"),
    (frames("/a/t.py:go", "/u/lib/python3.12/multiprocess/pool.py:_handle_tasks"), "task-for-pool"),
    (
        frames("/a/t.py:go", "/u/multiprocessing/pool.py:_handle_tasks", "/u/multiprocessing/connection.py:_send"),
        "sent-by-pool",
    ),
    (
        frames("/u/multiprocessing/spawn.py:spawn_main", "/u/multiprocessing/reduction.py:duplicate"),
        "handle-of-parent",
    ),
    (frames("/u/multiprocessing/queues.py:get", "/u/multiprocessing/reduction.py:recvfds"), "descriptors-asked"),
    (frames("/v/torch/distributed/rendezvous.py:_tcp_rendezvous_handler"), "ranks-meet"),
    (frames("/v/envs/subproc_vec_env.py:step_async", "/u/multiprocessing/connection.py:send"), "environment-gone"),
    (frames("/a/t.py:main", "/a/tools.py:init_distributed_mode"), "ranks-meet-asked"),
    (frames("/u/multiprocessing/pool.py:_handle_results", "/a/faults.py:__init__"), "result-not-made-again"),
    (frames("/u/multiprocessing/pool.py:_handle_workers"), "too-many-handles-asked"),
    (frames("/a/t.py:go", "/u/lib/python3.9/multiprocessing/context.py:get_context"), "start-method-asked"),
    (frames("/v/torch/multiprocessing/spawn.py:join"), "rank-of-spawn"),
    (frames("/u/multiprocessing/popen_spawn_win32.py:__init__"), "pickled-for-process"),
    (frames("/u/multiprocessing/spawn.py:_main", "/a/rows.py:__setstate__"), "read-by-process"),
    (frames("/u/multiprocessing/forking.py:main", "/a/rows.py:__setstate__"), "read-by-process"),
    (frames("/u/multiprocessing/process.py:start", "/u/multiprocessing/forking.py:dump"), "pickled-for-process"),
    (frames("/u/multiprocessing/forking.py:prepare", "/a/t.py:go"), "main-not-imported"),
    (frames("/v/torch/distributed/distributed_c10d.py:all_reduce"), "in-collective"),
    (frames("/u/multiprocessing/queues.py:_feed", "/a/rows.py:__getstate__"), "put-on-queue"),
    (frames("/v/torch/utils/data/dataloader.py:_try_get_data") + "KeyboardInterrupt\n", "stopped-in-loader"),
    (frames("/a/t.py:<module>", "/v/distributed/client.py:__init__") + "KeyboardInterrupt\n", "stopped-in-cluster"),
    (frames("/u/multiprocessing/pool.py:wait") + "KeyboardInterrupt\n", "stopped-in-pool"),
    (frames("/v/torch/distributed/distributed_c10d.py:barrier") + "KeyboardInterrupt\n", "stopped-in-collective"),
]


@each_row(("text", "family"), SPEAKING)
def test_frames_speak_where_the_words_are_missing(text: str, family: str) -> None:
    text = "Traceback (most recent call last):\n" + text
    row = next(row for row in frame_families() if row.family == family)
    said = unknown_error(text, read_log(text))
    assert row.cause in said and row.next in said
    assert ("Is it this?" in said) == (not row.certain)
    assert ("own line is missing" in said) == (not row.interrupted)


def test_a_pool_whose_worker_left_no_message_is_asked_about_memory_first() -> None:
    text = "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly\n"
    said = shown(read_log(text))
    assert "Is it this?" in said and said.index("memory") < said.index("main guard")
    codes = "TerminatedWorkerError: The exit codes of the workers are "
    ended = shown(read_log(codes + "{SIGTERM(-15), SIGTERM(-15)}\n"))
    assert "somebody ended a worker" in ended and "Is it this?" not in ended and "main guard" not in ended
    assert "somebody ended a worker" not in shown(read_log(codes + "{SIGSEGV(-11), SIGTERM(-15)}\n"))


@pytest.mark.parametrize("place", ["/v/envs/subproc_vec_env.py:step_async", "/a/tools.py:init_distributed_mode"])
def test_frames_that_only_guess_are_silent_beside_an_error(place: str) -> None:
    text = "Traceback (most recent call last):\n" + frames(place) + "ZeroDivisionError: division by zero\n"
    said = unknown_error(text, read_log(text))
    assert "ZeroDivisionError" in said and "Is it this?" not in said


def test_a_terminal_that_shows_ctrl_c_was_interrupted() -> None:
    text = frames("/a/rows.py:main", "/v/site-packages/torch/utils/data/dataloader.py:__next__", "/v/queues.py:get")
    stopped = read_log("^CTraceback (most recent call last):\n" + text)
    assert unknown_error("", stopped).startswith("Ctrl-C came while the program waited for a batch")
    assert "Ctrl-C" not in unknown_error("", read_log("Traceback (most recent call last):\n" + text))
    failed = read_log("^CTraceback (most recent call last):\n" + text + "ValueError: 3\n")
    assert "ValueError: 3" in unknown_error("", failed) and "Ctrl-C" not in unknown_error("", failed)


def test_an_error_while_the_main_script_is_imported_comes_before_the_guard() -> None:
    text = frames("/u/lib/python3.12/multiprocessing/spawn.py:_fixup_main_from_path")
    text = text + "    _fixup_main_from_path(data['init_main_from_path'])\n"
    cut = read_log("Traceback (most recent call last):\n" + text)
    assert cut.main is not None and cut.main.cause.rule == "main-guard"
    ended = read_log("Traceback (most recent call last):\n" + text + "ValueError: no such mode\n")
    assert ended.main is None
    said = unknown_error("", ended)
    assert "ValueError: no such mode" in said
    assert said.index("mend the error itself") < said.index('under `if __name__ == "__main__":`')


def test_a_loop_that_was_left_early_is_no_failure_of_a_worker() -> None:
    thread = (
        "Exception in thread Thread-4:\nTraceback (most recent call last):\n"
        + frames("/v/site-packages/torch/utils/data/_utils/pin_memory.py:_pin_memory_loop")
        + "ConnectionResetError: [Errno 104] Connection reset by peer\n"
    )
    alone = read_log(thread).main
    assert alone is not None and alone.cause.known is not None and alone.cause.known.harmless
    killed = read_log(thread + "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.\n").main
    assert killed is not None and killed.cause.family == "worker-out-of-memory"


@pytest.mark.parametrize(
    "error",
    [
        "TypeError: main() takes 1 positional argument but 2 were given",
        "TypeError: main() missing 1 required positional argument: 'config'",
    ],
)
def test_a_function_of_mp_spawn_gets_the_rank_first(error: str) -> None:
    start = "Traceback (most recent call last):\n" + frames("/v/torch/multiprocessing/spawn.py:_wrap")
    said = unknown_error("", read_log(f"{start}{error}\n"))
    assert error in said and "calls the function with the rank first" in said and "Is it this?" not in said
    deeper = unknown_error("", read_log(f"{start}{frames('/a/train.py:main')}{error}\n"))
    assert "rank first" not in deeper
    assert "rank first" not in unknown_error("", read_log(f"{start}TypeError: 'int' object is not callable\n"))


def test_every_row_of_frames_has_a_text() -> None:
    families = {family for _, family in SPEAKING} | {
        "forwarding-asked",
        "frozen-main-not-found",
        "spawn-passes-the-rank",
        "too-deep-to-send",
    }
    assert {row.family for row in frame_families()} == families


@pytest.mark.parametrize("above", [True, False])
def test_an_attribute_that_is_forwarded_without_end_is_asked_about(above: bool) -> None:
    places = frames("/a/split.py:__getattr__", "/a/split.py:__getattr__")
    error = "RecursionError: maximum recursion depth exceeded\n"
    said = unknown_error("", read_log(error + places if above else places + error))
    assert error.strip() in said and "Is it this? __getattr__ of a class forwards" in said
    walk = places.replace("__getattr__", "walk") + error
    assert "__getattr__" not in unknown_error("", read_log(walk))
    other = places + "KeyError: 'split'\n"
    assert "__getattr__" not in unknown_error("", read_log(other))


def test_linked_objects_that_are_sent_are_too_deep() -> None:
    error = "RecursionError: maximum recursion depth exceeded while calling a Python object\n"
    start = "Traceback (most recent call last):\n" + frames("/a/t.py:go", "/u/multiprocessing/context.py:_Popen")
    said = unknown_error("", read_log(start + error))
    assert error.strip() in said and "over many levels" in said and "Is it this?" not in said
    assert "over many levels" not in unknown_error("", read_log(start + frames("/a/t.py:walk") + error))
    assert "over many levels" not in unknown_error("", read_log(start + "ValueError: no\n"))


def test_frames_of_other_code_say_nothing() -> None:
    text = "Traceback (most recent call last):\n" + frames("/a/t.py:go") + "ValueError: no\n"
    assert unknown_error(text, read_log(text)).startswith("no error in this text that has to do with")
    stopped = "Traceback (most recent call last):\n" + frames("/a/t.py:go") + "KeyboardInterrupt\n"
    assert "Ctrl-C" not in unknown_error(stopped, read_log(stopped))


def test_a_consequence_points_at_the_error_that_is_not_known() -> None:
    text = (
        "Traceback (most recent call last):\n"
        + frames("/a/job.py:work")
        + "ValueError: no such row\n"
        + "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly\n"
    )
    assert "the error that matters may be: ValueError: no such row, at /a/job.py:9" in shown(read_log(text))


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (
            "it stops with: RuntimeError: DataLoader worker (pid 47) is killed by signal: Bus\nerror. Why?",
            "shared-memory-full",
        ),
        (
            "_pickle.PicklingError: Can't pickle <class 'dict_keys'>: attribute lookup dict_k\neys on builtins failed",
            "dict-views",
        ),
    ],
)
def test_a_message_that_a_terminal_broke_in_two(text: str, family: str) -> None:
    main = read_log(text).main
    assert main is not None and main.cause.family == family


def test_two_lines_are_two_messages() -> None:
    short = "the signal: Bus\nerror in the table\n"
    other = "RuntimeError: the worker (pid 47) that reads the table is killed by signal: Bus\nError: x\n"
    assert read_log(short).main is None and read_log(other).main is None


def test_what_frames_add_for_a_value_that_is_sent() -> None:
    error = "TypeError: cannot pickle 'weakref.ReferenceType' object\n"
    fork = frames("/a/t.py:main", "/usr/lib/python3.14/multiprocessing/popen_forkserver.py:__init__")
    below = read_log(error + "Traceback (most recent call last):\n" + fork).main
    above = read_log("Traceback (most recent call last):\n" + fork + error).main
    for main in (below, above):
        assert main is not None and 'get_context("fork")' in main.cause.advice
    other = read_log(error + "Traceback (most recent call last):\n" + fork + "ValueError: 3\n").main
    assert other is not None and 'get_context("fork")' not in other.cause.advice
    by_value = frames("/a/t.py:main", "/v/ray/cloudpickle/cloudpickle_fast.py:dump")
    task = read_log("Traceback (most recent call last):\n" + by_value + error).main
    assert task is not None and "globals too" in task.cause.advice
    ranks = frames("/v/lightning/pytorch/strategies/launchers/multiprocessing.py:launch")
    spawned = read_log("Traceback (most recent call last):\n" + ranks + error).main
    assert spawned is not None and 'strategy="ddp"' in spawned.cause.advice
    console = "Traceback (most recent call last):\n" + frames("/a/t.py:main", "/v/dill/_dill.py:dumps") + error
    dilled = read_log(console).main
    assert dilled is not None and "define the function in a module" in dilled.cause.advice
    assert "no process is started" not in dilled.cause.advice and "globals too" not in dilled.cause.advice


def test_a_handle_that_a_function_takes_along_is_advised_on_beside_one_of_an_object() -> None:
    main = read_log("TypeError: cannot pickle 'socket' object\n").main
    assert main is not None
    said = main.cause.advice
    assert said.index("make it in the worker") < said.index("__getstate__") < said.index("closure")


def test_a_variable_is_not_sent() -> None:
    text = "Traceback (most recent call last):\n" + frames("/a/t.py:main", "...site-packages/x/y.py:go")
    said = shown(read_log(text + "KeyError: 'LOCAL_RANK'\n"))
    assert "it happened at /a/t.py:9\n" in said and "it was sent" not in said
    assert "it was sent from /a/t.py:9\n" in shown(read_log(text + "TypeError: cannot pickle 'weakref' object\n"))


def test_an_error_that_an_environment_passes_on() -> None:
    log = read_log(
        "ERROR: Received the following error from Worker-2: TypeError: no such action\nERROR: Shutting down\n"
    )
    assert log.main is None and [item.error for item in log.unknown] == ["TypeError: no such action"]


def test_a_frozen_program_that_looks_for_its_script_is_not_told_of_the_guard() -> None:
    spawn = "/app/multiprocessing/spawn.py"
    text = frames("/app/main.py:<module>", f"{spawn}:freeze_support", f"{spawn}:_fixup_main_from_path")
    missing = text + "FileNotFoundError: [Errno 2] No such file or directory: '/build/app/main.py'\n"
    said = unknown_error("", read_log("Traceback (most recent call last):\n" + missing))
    assert "a frozen program (PyInstaller" in said and "PyInstaller (its own start-up code" in said
    assert "mend the error itself" not in said
    other = unknown_error("", read_log("Traceback (most recent call last):\n" + text + "ValueError: no such mode\n"))
    assert "a frozen program" not in other and "mend the error itself" in other


def test_the_error_that_hides_in_a_result_comes_first() -> None:
    error = "multiprocessing.pool.MaybeEncodingError: Error sending result: '{}'. Reason: 'PicklingError("
    error += "\"Can't pickle <class 'module'>: attribute lookup module on builtins failed\")'\n"
    read = read_log(error.format("RowMissingError()")).main
    assert read is not None and read.cause.advice.startswith("the task raised (or returned) RowMissingError, and that")
    plain = read_log(error.format("[<Rows object at 0x7f>]")).main
    assert plain is not None and plain.cause.advice.startswith("it is part of what the task returned")


@pytest.mark.parametrize(
    ("path", "sign"),
    [
        ("/usr/lib/python3.9/multiprocessing/pool.py:get", "a frame of multiprocessing/pool.py (get)"),
        (
            "/usr/lib/python3.9/concurrent/futures/process.py:_process_worker",
            "concurrent/futures/process.py",
        ),
        ("/v/site-packages/torch/distributed/distributed_c10d.py:new_group", "torch/distributed/distributed_c10d.py"),
    ],
)
def test_an_unknown_error_among_frames_of_processes_is_not_said_to_be_none(path: str, sign: str) -> None:
    text = "Traceback (most recent call last):\n" + frames("/code/rows.py:load", path) + "RowError: 3 of 4 rows\n"
    said = unknown_error(text, read_log(text))
    assert said.startswith("the words of this error are not known: RowError: 3 of 4 rows")
    assert sign in said and "innermost frame of your own code (rows.py:" in said.replace("/code/", "")
    assert "no error" not in said


def test_a_word_of_processes_counts_in_the_error_and_in_a_short_text() -> None:
    for text in ("RowError: freeze_support is not there\n", "it stops in pool.map(work, rows)\nRowError: 3\n"):
        said = unknown_error(text, read_log(text))
        assert said.startswith("the words of this error are not known: RowError") and "has the word `" in said
    log = "config: {pool: multiprocessing}\n" + "epoch\n" * 400 + "RowError: 3\n"
    assert unknown_error(log, read_log(log)).startswith("no error in this text that has to do with")
    words = "it hung in freeze_support once"
    assert unknown_error(words, read_log(words)).startswith(
        "no error in this text that is known, though it has the word"
    )


def test_a_file_that_pickle_reads_has_nothing_to_do_with_processes() -> None:
    text = frames("/code/rows.py:load", "/usr/lib/python3.9/pickle.py:load") + "RowError: pickle of another version\n"
    text = "Traceback (most recent call last):\n" + text
    assert unknown_error(text, read_log(text)).startswith("no error in this text that has to do with")


@each_row(
    ("frames", "package"),
    [
        (
            '  File "/venv/lib/python3.10/site-packages/modelkit/parallel.py", line 59, in split',
            "modelkit/parallel.py:59",
        ),
        ('  /envs/a/lib/python3.10/site-packages/modelkit/parallel.py", line 59, in split', "modelkit/parallel.py:59"),
        (
            '  File "/a/train.py", line 3, in <module>\n'
            '  File "/venv/lib/python3.10/site-packages/modelkit/parallel.py", line 59, in split\n'
            '  File "/usr/lib/python3.10/os.py", line 680, in __getitem__',
            "modelkit/parallel.py:59",
        ),
        (
            '  File "/venv/lib/python3.10/site-packages/modelkit/parallel.py", line 59, in split\n'
            '  File "/a/train.py", line 3, in setup',
            "",
        ),
        (
            '  File "C:\\venv\\Lib\\site-packages\\modelkit\\parallel.py", line 59, in split',
            "modelkit/parallel.py:59",
        ),
        *[
            (f'  File "/venv/lib/python3.10/site-packages/{carrier}/run.py", line 59, in main', "")
            for carrier in (
                "torch",
                "torchvision",
                "torchaudio",
                "numpy",
                "multiprocess",
                "billiard",
                "joblib",
                "loky",
                "cloudpickle",
                "dill",
                "IPython",
            )
        ],  # what is theirs is about the code that called them
    ],
)
def test_a_line_of_an_installed_package_is_named(frames: str, package: str) -> None:
    said = shown(read_log(f"Traceback (most recent call last):\n{frames}\nKeyError: 'LOCAL_RANK'\n"))
    assert ("the line that failed is in the installed package" in said) == bool(package)
    assert f"modelkit ({package}), not in your code" in said or not package


def test_what_a_package_holds_is_not_to_blame_for_what_is_sent() -> None:
    frame = '  File "/venv/lib/python3.10/site-packages/modelkit/run.py", line 5, in start'
    said = shown(
        read_log(f"Traceback (most recent call last):\n{frame}\nTypeError: cannot pickle 'generator' object\n")
    )
    assert "generator" in said and "installed package" not in said
