"""`--timeout`: a run that takes too long ends with the reason, and leaves the alarm of the process as it was."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from codemods.engine import time_limit as limits
from codemods.engine.time_limit import TimeIsUp, time_limit
from harness.tool import spawnfix

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs alarms")


def _wait() -> None:
    while True:
        time.sleep(0.01)


def test_a_block_that_takes_too_long_is_stopped() -> None:
    before = signal.getsignal(signal.SIGALRM)
    said = r"^took longer than 0\.02 seconds \(--timeout\); nothing was changed$"
    with pytest.raises(TimeIsUp, match=said), time_limit(0.02):
        _wait()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_one_that_ends_in_time_is_left_alone() -> None:
    before, others = signal.getsignal(signal.SIGALRM), {*threading.enumerate()}  # threads of other tests may end
    with time_limit(300):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 200
        (late,) = {*threading.enumerate()} - others
        assert isinstance(late, threading.Timer) and late.daemon
        assert late.interval == 310  # seconds for it to end by itself
    late.join(60)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0) and not late.is_alive()
    with time_limit(0):
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0) and {*threading.enumerate()} <= others


def test_where_it_is_not_heeded_the_process_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, codes = threading.Event(), list[int]()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(limits, "GRACE", 0.01)
    monkeypatch.setattr(os, "_exit", end)

    def work() -> None:
        with time_limit(0.01):  # no alarm: it is not the main thread
            ended.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert codes == [2]
    assert capsys.readouterr().err == "spawnfix: took longer than 0.01 seconds (--timeout); nothing was changed\n"


def test_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("from multiprocessing import Process\nProcess(target=lambda: 1).start()\n")
    monkeypatch.setattr("codemods.engine.migrate.plan", lambda *words: _wait())
    done = spawnfix("migrate", str(tmp_path), "--no-git", "--timeout", "0.02", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "took longer than 0.02 seconds (--timeout); nothing was changed" in done.stderr
