"""Keys from a terminal, lines that are typed, the user's editor and pager: in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codemods.problem import Problem
from codemods.review import editor, keyboard

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")


class Input:
    """A standard input that is the file `number`."""

    def __init__(self, number: int) -> None:
        self.number = number

    def fileno(self) -> int:
        return self.number


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where to write what is typed."""
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, "stdin", Input(reading))
    yield writing
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"yn", ["y", "n"]),
        ("é√𝄞x".encode(), ["é", "√", "𝄞", "x"]),
        (b"\x1b[Ay", ["\x1b[Ay"]),  # keys without a character come at once, with what is there already
        (b"\x1b", ["\x1b"]),
        (b"\x1b" + b"[" * 20, ["\x1b" + "[" * 15, "[", "[", "[", "[", "["]),
        (b"\xff123", ["\ufffd123"]),
    ],
)
def test_keys(typed: int, data: bytes, keys: list[str]) -> None:
    os.write(typed, data)
    assert [keyboard.key() for _ in keys] == keys


@pytest.mark.parametrize(
    ("keys", "line", "shown"),
    [
        ("ab\r", "ab", "/ab\n"),
        ("ab\n", "ab", "/ab\n"),
        ("\r", None, "/\n"),
        ("ab\x1b", None, "/ab\n"),
        ("ab\x04", None, "/ab\n"),
        ("ab\x7fc\r", "ac", "/ab\b \bc\n"),
        ("ab\bc\r", "ac", "/ab\b \bc\n"),
        ("\x7fa\r", "a", "/a\n"),
        ("a\tb\r", "ab", "/ab\n"),
        (["a", "\x1b[A", "b", "\r"], "ab", "/ab\n"),
        (["a", ""], None, "/a\n"),
    ],
)
def test_lines(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keys: str | list[str],
    line: str | None,
    shown: str,
) -> None:
    left = list(keys)
    monkeypatch.setattr(keyboard, "key", lambda: left.pop(0))
    assert keyboard.line("/") == line
    assert capsys.readouterr().err == shown and not left


def test_the_terminal_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    main, terminal = pty.openpty()
    monkeypatch.setattr(sys, "stdin", Input(terminal))
    try:
        modes = lambda: termios.tcgetattr(terminal)[3]  # noqa: E731
        before = termios.tcgetattr(terminal)
        both = termios.ECHO | termios.ICANON
        assert modes() & both == both
        with keyboard.single_keys():
            assert modes() & both == 0 and modes() & termios.ISIG
            ours = termios.tcgetattr(terminal)
            with keyboard.as_before():
                assert modes() & both == both
                assert termios.tcgetattr(terminal)[0] & termios.ICRNL
            assert termios.tcgetattr(terminal) == ours
        assert termios.tcgetattr(terminal) == before
        with pytest.raises(KeyError), keyboard.single_keys():
            raise KeyError
        assert termios.tcgetattr(terminal) == before
    finally:
        os.close(main)
        os.close(terminal)


@pytest.mark.parametrize(
    ("visual", "other", "after"),
    [
        ("sed -i s/one/two/", "false", "two é\n"),
        ("", "sed -i s/one/three/", "three é\n"),
        (None, "sed -i -e s/one/four/ -e s/é/e/", "four e\n"),
        ("true", "false", "one é\n"),
        ("false", "true", None),
        ("no-such-editor-anywhere 2>/dev/null", "true", None),
    ],
)
def test_the_editor(monkeypatch: pytest.MonkeyPatch, visual: str | None, other: str, after: str | None) -> None:
    monkeypatch.setenv("EDITOR", other)
    if visual is None:
        monkeypatch.delenv("VISUAL", raising=False)
    else:
        monkeypatch.setenv("VISUAL", visual)
    assert editor.edited("one é\n", ".patch") == after


def test_the_editor_gets_a_file_of_that_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("VISUAL", f'f() {{ echo "$1" > {seen}; cat "$1" >> {seen}; }}; f')
    assert editor.edited("\udcff\r\n", ".patch") == "\udcff\n"
    name, _, data = seen.read_bytes().partition(b"\n")
    assert name.endswith(b"/change.patch") and data == b"\xff\r\n"
    assert not Path(os.fsdecode(name)).exists()


def test_an_editor_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object, **more: object) -> None:
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr(editor.subprocess, "run", fails)
    monkeypatch.setenv("VISUAL", "ed")
    with pytest.raises(Problem, match=r"^can't start the editor ed: No such file or directory$"):
        editor.edited("text", ".patch")


@pytest.mark.parametrize(
    ("git", "other", "shown", "written"),
    [
        ("cat > {}", "false", True, "text"),
        (None, "cat > {}", True, "text"),
        ("", "cat > {}", False, None),
        ("cat", "cat > {}", False, None),
        (" cat ", "cat > {}", False, None),
        ("no-such-pager-anywhere 2>/dev/null", "cat > {}", False, None),
        ("true", "cat > {}", True, None),
        ('sh -c \'printf "$LESS $LV" > "$0"\' {}', "false", True, "FRX -c"),
    ],
)
def test_the_pager(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, git: str | None, other: str, shown: bool, written: str | None
) -> None:
    file = tmp_path / "shown"
    for name in ("LESS", "LV", "GIT_PAGER"):
        monkeypatch.delenv(name, raising=False)
    if git is not None:
        monkeypatch.setenv("GIT_PAGER", git.format(file))
    monkeypatch.setenv("PAGER", other.format(file))
    assert editor.paged(b"text") is shown
    assert (file.read_text() if file.exists() else None) == written


def test_the_settings_of_the_user_go_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LESS", "own")
    monkeypatch.setenv("GIT_PAGER", f'sh -c \'printf "$LESS" > "$0"\' {tmp_path / "shown"}')
    assert editor.paged(b"x" * 1_000_000)  # nobody reads it all
    assert (tmp_path / "shown").read_text() == "own"
