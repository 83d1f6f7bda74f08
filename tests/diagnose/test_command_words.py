"""`diagnose` as it is called: which words go together, what it says of a text on stdin, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.diagnose import command
from codemods.diagnose.command import DiagnoseOptions, decoded, explained, run_diagnose
from codemods.problem import Problem
from harness.each_row import each_row

LOCK = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    p.start()
TypeError: cannot pickle '_thread.lock' object
"""
OTHER = LOCK[: LOCK.index("TypeError")] + "ZeroDivisionError: division by zero\n"
STOPPED = LOCK[: LOCK.index("TypeError")] + "KeyboardInterrupt\n"
PROGRAM = """\
import threading
from multiprocessing import Process

class Store:
    def __init__(self):
        self.lock = threading.Lock()

if __name__ == '__main__':
    Process(target=print, args=(Store(),)).start()
"""

Ask = Callable[..., int]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """`run_diagnose` with a text on stdin: from a pipe, or from a file; json goes to `json.txt`."""
    monkeypatch.chdir(tmp_path)

    def asked(text: str, *arguments: str, piped: bool = True, options: DiagnoseOptions | None = None) -> int:
        if piped:
            reading, writing = os.pipe()
            os.write(writing, text.encode())
            os.close(writing)
            stream = os.fdopen(reading, encoding="utf-8")
        else:
            (tmp_path / "log").write_text(text)
            stream = (tmp_path / "log").open(encoding="utf-8")
        with stream, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", stream)
            put = (tmp_path / "json.txt").write_bytes
            return run_diagnose(arguments, False, options or DiagnoseOptions(), lambda data: void(put(data)))

    return asked


def void(_: object) -> None:
    """Nothing."""


@pytest.mark.parametrize(
    ("arguments", "dashes", "options", "words"),
    [
        (["a.b:c"], False, DiagnoseOptions(quiet=True), "--quiet goes with a program's output: python train.py 2>&1 |"),
        (["python", "a.py"], False, DiagnoseOptions(), "give one TARGET, or a command after --: spawnfix diagnose --"),
        (
            ["python", "a.py"],
            True,
            DiagnoseOptions(python="python3"),
            "--python goes with a TARGET; a command names its",
        ),
        (["python"], True, DiagnoseOptions(python="python3"), "--python goes with a TARGET; a command names its"),
        (["a.b:c"], False, DiagnoseOptions(watch=True), "--watch goes with a command: spawnfix diagnose --watch --"),
        (
            ["a.b:c"],
            False,
            DiagnoseOptions(dry_run_fork=True),
            "--dry-run-fork goes with a command: spawnfix diagnose --dry-run-fork -- python train.py",
        ),
        (["train.py"], False, DiagnoseOptions(), "want pkg.mod:name, pkg.mod:factory() or script.py:factory(), not"),
        ([], False, DiagnoseOptions(watch=True), "--watch goes with a command: spawnfix diagnose --watch -- python"),
        (["-"], False, DiagnoseOptions(watch=True), "a traceback is only read: leave out --python, --watch and --dry"),
        ([], False, DiagnoseOptions(python="python3"), "a traceback is only read: leave out"),
        (["-"], False, DiagnoseOptions(dry_run_fork=True), "a traceback is only read: leave out"),
    ],
)
def test_words_that_do_not_go_together(
    arguments: list[str], dashes: bool, options: DiagnoseOptions, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull) as nothing:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(Problem) as caught:
            run_diagnose(arguments, dashes, options, void)
    assert str(caught.value).startswith(words)


def test_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(
        Problem, match=r"^give a TARGET like pkg\.mod:name, a command after --, or a traceback on stdin$"
    ):
        run_diagnose([], False, DiagnoseOptions(), void)


def test_an_error_that_is_known(ask: Ask, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert ask(LOCK) == 1
    said = capsys.readouterr().out
    assert said.startswith("TypeError: cannot pickle '_thread.lock' object\n\nunpicklable-attributes: ")
    assert ask(LOCK, piped=False) == 1
    assert capsys.readouterr().out == said and not (tmp_path / "json.txt").exists()


def test_what_a_program_prints_goes_on(ask: Ask, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert ask("step 1\n" + LOCK, "-") == 1
    assert capfdbinary.readouterr().out.startswith(b"step 1\nTraceback (most recent call last):\n")
    assert ask("step 1\n" + LOCK, "-", options=DiagnoseOptions(quiet=True)) == 1
    assert capfdbinary.readouterr().out.startswith(b"TypeError: cannot pickle '_thread.lock' object\n")
    assert ask("step 1\n" + LOCK, "-", piped=False) == 1  # a file can be read again
    assert capfdbinary.readouterr().out.startswith(b"TypeError: cannot pickle '_thread.lock' object\n")
    assert ask("TypeError: cannot pickle '_thread.lock' object\n", "-") == 1  # it is not said twice
    assert capfdbinary.readouterr().out.count(b"_thread.lock") == 1


def test_the_same_as_json(ask: Ask, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    assert ask("step 1\n" + LOCK, "-", options=DiagnoseOptions(as_json=True, save=tmp_path / "saved.json")) == 1
    captured = capfdbinary.readouterr()
    assert captured.out == b"" and captured.err.startswith(b"step 1\n")
    (problem,) = json.loads((tmp_path / "json.txt").read_text())["problems"]
    assert (problem["error"], problem["rule"]) == (
        "TypeError: cannot pickle '_thread.lock' object",
        "unpicklable-attributes",
    )
    assert json.loads((tmp_path / "saved.json").read_text())["problems"] == [problem]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("step 1\nstep 2\n", 0, "no error in what the program printed\n"),
        ("", 0, "no error in what the program printed\n"),
        (STOPPED, 130, "the program was interrupted, and shows no other error"),
    ],
)
def test_output_without_an_error(
    text: str, code: int, words: str, ask: Ask, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ask(text) == code
    captured = capsys.readouterr()
    assert captured.err.startswith(words) and captured.out == "" and not (tmp_path / "json.txt").exists()
    assert ask(text, options=DiagnoseOptions(as_json=True)) == code
    assert json.loads((tmp_path / "json.txt").read_text())["problems"] == []


@pytest.mark.parametrize(("text", "piped"), [(OTHER, True), (OTHER, False), ("step 1\n", False)])
def test_a_text_that_says_nothing_known(text: str, piped: bool, ask: Ask) -> None:
    with pytest.raises(Problem):
        ask(text, piped=piped)


@each_row(
    ("code", "words"),
    [
        (130, "the program was interrupted; until then nothing that it sent to other processes failed"),
        (-signal.SIGINT, "the program was interrupted; until then nothing that it sent to other processes failed"),
        (3, "the program ended with exit code 3, but not for what it sent to other processes"),
        (-99, "the program ended with exit code -99, but not for what it sent to other processes"),
    ],
)
def test_how_a_program_ended(code: int, words: str) -> None:
    assert command._ended(code) == words


def test_a_signal_that_ended_a_program_is_explained() -> None:
    said = command._ended(-signal.SIGSEGV)
    assert said.startswith("the program ended with exit code -11, but not for what it sent to other processes: ")
    assert said.count("; ") >= 1


@each_row(
    ("data", "text"),
    [
        ("é\n".encode(), "é\n"),
        (b"\xef\xbb\xbfa", "a"),
        (b"a\xff", "a\ufffd"),
        ("ab é".encode("utf-16"), "ab é"),
        ("ab é".encode("utf-16-be").join([b"\xfe\xff", b""]), "ab é"),
        ("abc abc".encode("utf-16-le"), "abc abc"),
        (b"a\0b\0cdefghij", "a\0b\0cdefghij"),
        (b"", ""),
    ],
)
def test_encodings_of_a_text(data: bytes, text: str) -> None:
    assert decoded(data) == text


def test_the_files_are_those_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code/pkg").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "code/train.py").write_text(PROGRAM)
    (tmp_path / "code/pkg/data.py").write_text("x = 1\n")
    text = (
        f'Traceback (most recent call last):\n  File "{tmp_path}/code/train.py", line 9, in <module>\n    start()\n'
        f'  File "{tmp_path}/code/pkg/data.py", line 1, in f\n    x\n'
        "TypeError: cannot pickle '_thread.lock' object\n"
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = explained(text, None)
    assert found.root == str(tmp_path / "code")
    assert [(item.finding.path, item.finding.span.line) for item in found.candidates] == [("train.py", 6)]
    nothing = explained(text.replace(str(tmp_path), "/none"), None)
    assert not nothing.candidates and nothing.report is None
    asked = explained(text, tmp_path / "code/pkg")
    assert not asked.candidates
    with pytest.raises(Problem):
        explained("step 1\n", None)


def test_own_file_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    first = command._own_file()
    monkeypatch.chdir(tmp_path)
    second = command._own_file()
    assert first is not None and second is not None and first != second and first.parent == second.parent
    assert first.name.startswith("diagnosis-") and first.suffix == ".json" and len(first.stem) == 22
