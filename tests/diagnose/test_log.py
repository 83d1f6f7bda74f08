"""A log with several errors of several processes: which one matters, on which ranks, and what is only an echo."""

from __future__ import annotations

import io

from rich.console import Console

from codemods.diagnose.explain import Explanation, explain_log
from codemods.diagnose.show_explanation import show_explanation
from codemods.diagnose.tracebacks import read_log

VIEW = "TypeError: cannot pickle 'dict_keys' object"
LOCK = "TypeError: cannot pickle '_thread.lock' object"


def _trace(error: str, path: str = "/home/ada/train.py", prefix: str = "") -> str:
    rows = ["Traceback (most recent call last):", f'  File "{path}", line 3, in main', "    go()", error]
    return "".join(f"{prefix}{row}\n" for row in rows)


def _shown(explanation: Explanation) -> str:
    out = io.StringIO()
    show_explanation(explanation, Console(file=out, width=200))
    return out.getvalue()


def test_ranks_that_fail_alike_are_one_report() -> None:
    rows = zip(
        _trace(VIEW, prefix="[rank1]: ").splitlines(), _trace(VIEW, prefix="[rank0]: ").splitlines(), strict=True
    )
    log = read_log("\n".join(line for pair in rows for line in pair))  # line by line in turns
    (only,) = log.known
    assert (only.ranks, only.count) == ((0, 1), 2)
    assert [(frame.path, frame.line) for frame in only.frames] == [("/home/ada/train.py", 3)]
    assert "seen on ranks 0, 1" in _shown(explain_log(log, None, None))


def test_ranks_that_fail_otherwise_are_told_apart() -> None:
    log = read_log(_trace(VIEW, prefix="[rank1]: ") + _trace(LOCK, "/home/ada/other.py", prefix="[rank0]: "))
    assert [(each.cause.rule, each.ranks) for each in log.known] == [
        ("unpicklable-attributes", (0,)),
        ("dict-views", (1,)),
    ]
    assert log.others == log.known[1:]
    text = _shown(explain_log(log, None, None))
    assert "also in this text:" in text and "dict_keys" in text and "seen on rank 1" in text


def test_a_table_of_torchrun_is_the_echo_of_the_ranks_error() -> None:
    table = (
        "E0422 05:07:49.0 20 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 1\n"
        + _trace("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "/usr/bin/torchrun")
        + "train.py FAILED\nRoot Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n"
        "  exitcode  : 1 (pid: 240)\n"
    )
    alone = read_log(table)
    assert alone.main is not None and alone.main.cause.family == "rank-failed" and alone.main.cause.secondary
    for text in (_trace(VIEW) + table, table + _trace(VIEW)):
        log = read_log(text)
        assert log.main is not None and log.main.cause.rule == "dict-views" and log.others == ()


def test_an_echo_names_the_exception_that_may_be_the_true_one() -> None:
    own = _trace("ValueError: no samples in /data", "/home/ada/data.py")
    table = _trace("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "/usr/bin/torchrun")
    text = _shown(explain_log(read_log(own + table), None, None))
    assert "the error that matters may be: ValueError: no samples in /data, at /home/ada/data.py:3" in text


def test_a_signal_counts_less_than_a_cause() -> None:
    killed = "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed."
    warning = "UserWarning: resource_tracker: There appear to be 4 leaked semaphore objects to clean up at shutdown"
    log = read_log(f"{warning}\n{_trace(LOCK)}{_trace(killed)}{warning}\n")
    assert [each.cause.family for each in log.known] == [
        "unpicklable-attributes",
        "worker-out-of-memory",
        "leaked-semaphores",
    ]
    assert log.others == ()


def test_the_guard_is_only_meant_where_a_child_runs_the_script() -> None:
    error = "RuntimeError: context has already been set"
    assert read_log(_trace(error)).known[0].cause.rule is None
    child = 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n    spawn_main(tracker_fd=5)\n'
    (both,) = read_log(child + _trace(error).partition("\n")[2]).known
    assert both.cause.rule == "main-guard"


def test_a_quoted_source_line_is_not_an_error() -> None:
    frame = '  File "a.py", line 3, in f\n    raise TypeError("cannot pickle \'dict_keys\'")\n'
    text = "Traceback (most recent call last):\n" + frame
    log = read_log(text + "ValueError: other\n")
    assert [each.error for each in log.unknown] == ["ValueError: other"]
    assert [each.cause.rule for each in log.known] == ["dict-views"]  # better than nothing, where the end is lost
    log = read_log(text + LOCK + "\n")
    assert log.main is not None and log.main.cause.rule == "unpicklable-attributes"


def test_two_errors_that_are_not_ours() -> None:
    log = read_log(_trace("ValueError: a") + _trace("KeyboardInterrupt"))
    assert log.known == () and [each.is_interrupt for each in log.unknown] == [False, True]


def test_a_harmless_warning_explains_less_than_a_crash() -> None:
    warning = "UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects to clean up"
    log = read_log(f"Segmentation fault: 11\n{warning}\n")
    assert [each.cause.family for each in log.known] == ["native-crash", "leaked-semaphores"]


def test_an_error_of_many_lines_and_ranks_is_kept_once() -> None:
    text = "".join(_trace(VIEW, prefix=f"[rank{number % 3}]: ") for number in range(600))
    (only,) = read_log(text).known
    assert (only.count, only.ranks, only.line) == (600, (0, 1, 2), 600 * 4 - 1)
    assert len(read_log("Traceback (most recent call last):\n" + "ValueError: a\n" * 900).unknown) < 900


def test_a_traceback_that_ends_too_early_still_says_what_it_was_about() -> None:
    head = "Traceback (most recent call last):\n"
    child = head + '  File "lib/multiprocessing/spawn.py", line 236, in prepare\n    _fixup_main_from_path(path)\n'
    sender = (
        head
        + '  File "lib/multiprocessing/reduction.py", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\n'
    )
    group = head + '  File "distributed_c10d.py", line 688, in get_rank\n    default_pg = _get_default_group()\n'
    found = [read_log(text).main for text in (child, sender, group)]
    assert [(each.cause.rule, each.cause.family) for each in found if each] == [
        ("main-guard", "main-guard"),
        (None, "pickling-cut-off"),
        (None, "no-process-group"),
    ]
    whole = read_log(sender + VIEW + "\n")
    assert whole.main is not None and whole.main.cause.rule == "dict-views"


def test_an_exception_alone_is_an_error_and_a_line_that_speaks_of_one_is_not() -> None:
    (alone,) = read_log("ValueError: too many values to unpack").unknown
    assert alone.error == "ValueError: too many values to unpack"
    for text in ("step 3: ValueError: x was ignored", "  ValueError: x", "ValueError", "FutureWarning: x"):
        assert read_log(text).unknown == ()
