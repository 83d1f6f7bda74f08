"""The output of a program, read to its end: what goes on, what is kept, and what it means."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from codemods.diagnose import stream
from codemods.diagnose.command import DiagnoseOptions, run_diagnose
from codemods.diagnose.stream import BEFORE, HEAD, read_stream
from codemods.problem import Problem
from harness.case import ROOT

ERROR = b"""\
Traceback (most recent call last):
  File "/home/ada/train.py", line 3, in <module>
    main()
TypeError: cannot pickle 'dict_keys' object
"""


class Pipe(io.RawIOBase):
    """A stream that gives `size` bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size, self.at = data, size, 0

    def read(self, size: int = -1) -> bytes:
        piece = self.data[self.at : self.at + self.size]
        self.at += len(piece)
        return piece


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_everything_goes_on_unchanged(size: int) -> None:
    data = b"caf\xe9 \xff\r\nline\n\x1b[31mred\x1b[0m\nlast"
    seen: list[bytes] = []
    kept = read_stream(Pipe(data, size), seen.append)  # type: ignore[arg-type]
    assert b"".join(seen) == data == kept.data()
    assert kept.lines == 4


def test_of_many_errors_the_first_and_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_KEPT", 400)
    steps = [b"step %d\n" % n for n in range(HEAD)]
    errors = [b"error %03d\n" % n for n in range(100)]
    kept = read_stream(io.BytesIO(b"".join([*steps, *errors])), None)
    assert kept.data() == b"".join([*steps, *errors[:20], *errors[-20:]])
    assert kept.lines == HEAD + 100 and kept.suspects == 100


def test_what_stands_before_an_error_is_kept_with_it() -> None:
    """And the end of the output, where it says nothing of an error."""
    steps = [b"step %d\n" % n for n in range(HEAD + 2 * BEFORE)]
    before = read_stream(io.BytesIO(b"".join([*steps, ERROR])), None).data()
    assert before == b"".join([*steps[:HEAD], *steps[-BEFORE:], ERROR])
    assert read_stream(io.BytesIO(b"".join(steps)), None).data() == b"".join([*steps[:HEAD], *steps[-BEFORE:]])


@pytest.mark.parametrize("before", [0, HEAD, 5 * BEFORE])
@pytest.mark.parametrize("after", [0, 5 * BEFORE])
def test_an_error_is_kept_wherever_it_stands(before: int, after: int) -> None:
    noise = b"step %d loss 0.1\n"
    data = b"".join(noise % n for n in range(before)) + ERROR + b"".join(noise % n for n in range(after))
    kept = read_stream(io.BytesIO(data), None)
    assert ERROR in kept.data()
    assert kept.suspects


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_KEPT", 100_000)
    line = b"RuntimeError: " + b"x" * 986 + b"\n"
    data = ERROR + line * 3000 + ERROR
    tracemalloc.start()
    kept = read_stream(io.BytesIO(data), None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert kept.data().startswith(ERROR) and kept.data().endswith(ERROR)
    long = read_stream(Pipe(b"y" * 3_000_000, 65536), None)  # type: ignore[arg-type]
    assert len(long.data()) < 2 * stream.LINE


def diagnose(folder: Path, *arguments: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(ROOT / "cli.py"), "diagnose", *arguments, "-"]
    return subprocess.run(command, input=data, cwd=folder, env=env, capture_output=True, check=False)


@pytest.mark.slow
def test_a_pipeline(tmp_path: Path) -> None:
    noise = b"".join(b"step %d\n" % n for n in range(300_000))  # beyond any pipe's buffer
    done = diagnose(tmp_path, data=noise + ERROR)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(noise + ERROR)
    assert b"dict-views: a view of a dict" in done.stdout[len(noise + ERROR) :]
    quiet = diagnose(tmp_path, "--quiet", data=noise + ERROR)
    assert quiet.returncode == 1 and b"step 1\n" not in quiet.stdout and b"dict-views" in quiet.stdout
    data = diagnose(tmp_path, "--format", "json", data=noise + ERROR)
    assert json.loads(data.stdout)["problems"][0]["rule"] == "dict-views"
    assert data.stderr.startswith(noise + ERROR)


@pytest.mark.slow
def test_a_program_without_an_error(tmp_path: Path) -> None:
    done = diagnose(tmp_path, data=b"epoch 1\nepoch 2\n")
    assert done.returncode == 0
    assert done.stdout == b"epoch 1\nepoch 2\n"
    assert b"no error" in done.stderr


@pytest.mark.slow
def test_an_error_that_is_not_known(tmp_path: Path) -> None:
    done = diagnose(tmp_path, data=b"Traceback (most recent call last):\nZeroDivisionError: division by zero\n")
    assert done.returncode == 2
    assert b"no error in this text that has to do with starting processes" in done.stderr


HEALTHY = b"epoch 1 val_error 0.12\nno errors so far\ntimed out 0 times\n"
WARNING = b"UserWarning: resource_tracker: There appear to be 4 leaked semaphore objects to clean up at shutdown\n"
NOTE = b"Setting OMP_NUM_THREADS environment variable for each process to be 1 in default\n"
FAMILY = b"RuntimeError: received 0 items of ancdata\n"
OTHER = b'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nValueError: no samples\n'
INTERRUPT = b'^CTraceback (most recent call last):\n  File "train.py", line 3, in <module>\nKeyboardInterrupt\n'


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        pytest.param(HEALTHY, 0, "no error in what the program printed", id="words that only look like errors"),
        pytest.param(HEALTHY + WARNING, 0, "harmless", id="a warning"),
        pytest.param(HEALTHY + NOTE, 0, "a note of the launcher", id="a note"),
        pytest.param(NOTE + FAMILY, 1, "set_sharing_strategy", id="a note above a known error"),
        pytest.param(NOTE + OTHER, 2, "it failed with: ValueError", id="a note above an error of another kind"),
        pytest.param(HEALTHY + FAMILY, 1, "set_sharing_strategy", id="a known error"),
        pytest.param(ERROR.decode().encode("utf-16"), 1, "dict-views", id="UTF-16"),
        pytest.param(OTHER, 2, "it failed with: ValueError: no samples, at train.py:3", id="an error of another kind"),
        pytest.param(OTHER + WARNING, 2, "it failed with: ValueError", id="a warning beside an error of another kind"),
        pytest.param(INTERRUPT, 130, "was interrupted", id="Ctrl-C"),
        pytest.param(ERROR + INTERRUPT, 1, "dict-views", id="Ctrl-C after an error"),
        pytest.param(INTERRUPT[: INTERRUPT.index(b"Keyb")], 130, "was interrupted", id="Ctrl-C, its last line cut off"),
        pytest.param(HEALTHY + b"^C\nsaved\n", 0, "no error", id="Ctrl-C that the program handled"),
        pytest.param(b"", 0, "no error", id="nothing"),
    ],
)
def test_exit_codes(
    data: bytes,
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As the program's output comes through a pipe."""
    monkeypatch.chdir(tmp_path)
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    said = ""
    with os.fdopen(reader, "r") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        try:
            ended = run_diagnose(["-"], False, DiagnoseOptions(quiet=True), lambda data: None)
        except Problem as problem:
            ended, said = 2, str(problem)
    out, err = capfd.readouterr()
    assert ended == code, out + err
    assert words in out + err + said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("With torchrun on 4 GPUs it hangs at the first step\n", "Is it this? a rank waits for one that does not come"),
        (
            'Traceback (most recent call last):\n  File "/u/multiprocessing/spawn.py", line 9, in spawn_main\n'
            '  File "/u/multiprocessing/reduction.py", line 79, in duplicate\n',
            "could not take over the pipe of the one that started it",
        ),
        (
            'Traceback (most recent call last):\n  File "train.py", line 3, in main\n    step()\n',
            "give the last lines of the traceback too",
        ),
    ],
)
def test_a_note_gives_way_to_what_a_text_describes(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report.txt").write_bytes(NOTE + text.encode())
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "report.txt").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(Problem, match=re.escape(words)):
            run_diagnose(["-"], False, DiagnoseOptions(), lambda data: None)


@pytest.mark.parametrize(
    ("data", "times"), [(b"KeyError: 'LOCAL_RANK'\n", 1), (b"step 1\nKeyError: 'LOCAL_RANK'\n", 2)]
)
def test_an_error_alone_is_shown_once(
    data: bytes, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As the program's output, which passes; below other output the error is named again."""
    monkeypatch.chdir(tmp_path)
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    with os.fdopen(reader, "r") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert run_diagnose(["-"], False, DiagnoseOptions(), lambda data: None) == 1
    out = capfd.readouterr().out
    assert out.count("KeyError: 'LOCAL_RANK'") == times
    assert "launcher-env: " in out


def test_utf_16_is_kept_as_text() -> None:
    text = "step\n" * 5000 + ERROR.decode() + "step\n" * 5000
    kept = read_stream(Pipe(text.encode("utf-16"), 4097), None)  # type: ignore[arg-type]
    assert ERROR in kept.data()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no signals of a terminal there")
def test_an_interrupt_ends_the_program_and_not_the_report(tmp_path: Path) -> None:
    """Ctrl-C goes to both ends of the pipe."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, str(ROOT / "cli.py"), "diagnose", "-"]
    reader = subprocess.Popen(command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert reader.stdin is not None and reader.stdout is not None
    reader.stdin.write(b"ready\n")
    reader.stdin.flush()
    assert reader.stdout.readline() == b"ready\n"  # it reads, and hands on at once
    reader.send_signal(signal.SIGINT)
    time.sleep(0.2)
    out, _ = reader.communicate(ERROR)
    assert reader.returncode == 1
    assert b"dict-views: a view of a dict" in out
