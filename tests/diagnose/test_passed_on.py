"""An error that a DataLoader worker raised and the main process passes on: where the worker was is said."""

from __future__ import annotations

import pytest

from codemods.diagnose.explain import explain_log, place_of_worker
from codemods.diagnose.show_explanation import show_explanation
from codemods.diagnose.tracebacks import read_log, read_traceback
from harness.each_row import each_row

PASSED_ON = """\
Traceback (most recent call last):
  File "train.py", line 9, in <module>
    for batch in loader:
  File "/usr/lib/python3.11/site-packages/torch/_utils.py", line 394, in reraise
    raise self.exc_type(msg)
RuntimeError: Caught RuntimeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/torch/utils/data/_utils/fetch.py", line 44, in fetch
    data = [self.dataset[idx] for idx in possibly_batched_index]
"""


@each_row(
    ("below", "place"),
    [
        ('  File "/code/rows.py", line 12, in __getitem__\n', "/code/rows.py:12"),
        ('  File "/code/rows.py", line 12, in __getitem__\n  File "pandas/_libs/index.pyx", line 7, in get\n', None),
        ('  File "/code/rows.py" [...]\n', "/code/rows.py"),
        ('  File "/code/rows.py",\n', "/code/rows.py"),
    ],
)
def test_the_worker_s_own_place_is_named_where_its_error_is_cut_off(below: str, place: str | None) -> None:
    read = read_traceback(PASSED_ON + below)
    assert read is not None and place_of_worker(read) == (place or "/code/rows.py:12")


def test_without_code_of_the_user_the_innermost_frame_is_named() -> None:
    read = read_traceback(PASSED_ON)
    assert read is not None and place_of_worker(read).endswith("fetch.py:44")


def test_a_whole_traceback_speaks_for_itself() -> None:
    read = read_traceback(f"{PASSED_ON}ArithmeticError: no rows\n")
    assert read is not None and read.passed_on == ()


def test_frames_of_a_later_traceback_are_not_the_worker_s() -> None:
    later = 'Traceback (most recent call last):\n  File "/code/other.py", line 3, in main\n'
    read = read_traceback(f'{PASSED_ON}  File "/code/rows.py", line 12, in get\n{later}')
    assert read is not None and place_of_worker(read) == "/code/rows.py:12"


def test_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    log = read_log(f'{PASSED_ON}  File "/code/rows.py", line 12, in get\n')
    show_explanation(explain_log(log, None, None))
    assert "the worker was at /code/rows.py:12" in capsys.readouterr().out


@pytest.mark.parametrize("echo", ["queue.Full", "ray.tune.error.TuneError: ('Trials did not complete', [1])"])
def test_an_echo_is_not_offered_as_the_error_that_matters(echo: str, capsys: pytest.CaptureFixture[str]) -> None:
    frames = 'Traceback (most recent call last):\n  File "/code/run.py", line 2, in main\n'
    killed = "slurmstepd: error: Detected 1 oom-kill event(s) in step 5.0 cgroup."
    show_explanation(explain_log(read_log(f"{frames}{echo}\n{killed}\n"), None, None))
    assert "error that matters" not in capsys.readouterr().out


@pytest.mark.parametrize(("program", "shown"), [("blastn", True), ("/usr/bin/python', '-u", False)])
def test_a_program_that_failed_is_offered_and_a_launcher_is_not(
    program: str, shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = 'Traceback (most recent call last):\n  File "/code/run.py", line 2, in work\n'
    error = f"subprocess.CalledProcessError: Command '['{program}']' returned non-zero exit status 127."
    text = f'multiprocessing.pool.RemoteTraceback:\n"""\n{frames}{error}\n"""\n'
    show_explanation(explain_log(read_log(text), None, None))
    assert ("the error that matters may be: subprocess.CalledProcessError" in capsys.readouterr().out) is shown


def test_a_broken_pool_counts_more_than_its_full_queue() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/usr/lib/python3.6/concurrent/futures/process.py", line 253, in '
        "shutdown_worker\n    call_queue.put_nowait(None)\nqueue.Full\n\n"
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly\n"
    )
    read = read_traceback(text)
    assert read is not None and read.cause.family == "broken-pool"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/opt/env/lib/python3.6/site-packages/torch/distributed/rendezvous.py", True),
        ("/opt/env/lib/python3.9/site-packages/torch/distributed/launch.py", True),
        ("/opt/env/lib/python3.11/site-packages/torch/distributed/rendezvous.py", False),
    ],
)
def test_a_version_without_torchrun_gets_the_older_launcher(
    path: str, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'Traceback (most recent call last):\n  File "{path}", line 3, in f\nRuntimeError: Address already in use\n'
    show_explanation(explain_log(read_log(text), None, None))
    assert ("python -m torch.distributed.launch in place of torchrun" in capsys.readouterr().out) is named
