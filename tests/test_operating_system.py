"""What differs between systems: each branch, with a stand-in for the system that this machine does not run."""

from __future__ import annotations

import ctypes
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codemods import operating_system
from codemods.batch.child import Child
from codemods.batch.spec import Limits, Spec, Status
from codemods.diagnose.run import _interpreter as interpreter_of
from codemods.operating_system import (
    System,
    apart,
    cannot_be,
    cores,
    end_rest_of_group,
    end_tree,
    is_alive,
    is_link,
    is_link_status,
    link_or_file,
    memory_of,
    peak_memory,
    remove_folder,
    replace,
    spelling,
    temporary_folder,
)
from codemods.review import editor, keyboard
from codemods.tree.git_index import BadPath, check_path
from codemods.tree.guarded import read_regular
from codemods.tree.writing import clear, stage
from harness.each_row import each_row

ROOT = Path(__file__).resolve().parents[1]
WINDOWS, MAC, LINUX = System("nt", "win32"), System("posix", "darwin"), System("posix", "linux")
JUNCTION, CLOUD_FILE = 0xA0000003, 0x9000001A


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operating_system, "HERE", WINDOWS)


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The programs of Windows that were started; none is."""
    started: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        started.append(command)
        return subprocess.CompletedProcess(command, 0, b'"python.exe","42","Console","1","76,244 K"\r\n', b"")

    monkeypatch.setattr(operating_system.subprocess, "run", run)
    return started


def test_no_other_module_asks_for_the_system() -> None:
    """`os.name` as a part of a key is no question."""
    question = re.compile(r"os\.name [=!]=|sys\.platform|^\s*import (?:resource|fcntl)$", re.MULTILINE)
    asking = {
        path.relative_to(ROOT / "codemods").as_posix()
        for path in (ROOT / "codemods").rglob("*.py")
        if question.search(path.read_text(encoding="utf-8"))
    }
    assert asking - {"diagnose/probe.py"} == {"operating_system.py"}  # the probe is copied elsewhere, alone


def test_a_process_apart_is_not_reached_by_ctrl_c(windows: None) -> None:
    assert apart() == {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP


def test_windows_ends_a_tree_by_the_system_s_own_program(
    windows: None, programs: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYSTEMROOT", "/Windows")
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    end_tree(process)
    assert process.returncode is not None
    assert programs == [["/Windows/System32/taskkill.exe", "/F", "/T", "/PID", str(process.pid)]]
    end_rest_of_group(process)  # its number may be that of another process now
    assert len(programs) == 1


@pytest.mark.skipif(os.name == "nt", reason="groups of processes")
def test_a_group_is_ended_with_what_its_leader_left(tmp_path: Path) -> None:
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, **apart())
    assert process.stdout is not None
    left = int(process.stdout.readline())
    process.wait()
    assert is_alive(left)
    end_rest_of_group(process)
    deadline = time.monotonic() + 20
    while is_alive(left) and not _is_zombie(left) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(left) or _is_zombie(left)


def _is_zombie(process: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


@pytest.mark.parametrize(("handle", "error", "alive"), [(7, 0, True), (0, 87, False), (0, 5, True)])
def test_windows_is_asked_for_a_process_not_signalled(
    windows: None, monkeypatch: pytest.MonkeyPatch, handle: int, error: int, alive: bool
) -> None:
    closed: list[int] = []
    kernel = SimpleNamespace(OpenProcess=lambda *_: handle, CloseHandle=closed.append)
    monkeypatch.setattr(operating_system, "_kernel32", lambda: kernel)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: error, raising=False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("that ends a process on Windows"))
    assert is_alive(4711) is alive
    assert closed == ([handle] if handle else [])


def test_what_a_killed_run_left_goes_where_its_process_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / stage(tmp_path, "a.py", b"x = 1\n", 0o644)
    clear([tmp_path])
    assert left.exists(), "we are alive"
    monkeypatch.setattr("codemods.tree.writing.is_alive", lambda process: process != os.getpid())
    clear([tmp_path])
    assert not left.exists()


def status(mode: int, tag: int | None) -> Any:
    return SimpleNamespace(st_mode=mode, **({} if tag is None else {"st_reparse_tag": tag}))


@each_row(
    ("mode", "tag", "linked"),
    [
        (stat.S_IFDIR, JUNCTION, True),
        (stat.S_IFREG, CLOUD_FILE, False),
        (stat.S_IFDIR, 0, False),
        (stat.S_IFLNK, None, True),
        (stat.S_IFREG, None, False),
    ],
)
def test_junctions_are_links_and_files_in_the_cloud_are_not(mode: int, tag: int | None, linked: bool) -> None:
    assert is_link_status(status(mode, tag)) is linked


class JunctionEntry:
    """What `os.scandir` says of a junction: a folder, whose status has a tag."""

    name = "junction"

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return True

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        return status(stat.S_IFDIR, JUNCTION)


def test_a_junction_is_no_folder_to_walk_into(windows: None, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert not operating_system.is_plain_folder(JunctionEntry())  # type: ignore[arg-type]
    assert operating_system.is_plain_folder(next(iter(os.scandir(tmp_path))))


def test_nothing_is_read_through_a_junction(windows: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "junction"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_bytes(b"")
    real = Path.lstat

    def lstat(path: Path) -> Any:
        return status(stat.S_IFDIR, JUNCTION) if path.name == "junction" else real(path)

    monkeypatch.setattr(Path, "lstat", lstat)
    monkeypatch.setattr("codemods.tree.guarded.OPENS_FOLDERS", False)
    assert is_link(tmp_path / "junction") and not is_link(tmp_path / "here")
    with pytest.raises(OSError, match="symbolic link"):
        read_regular(tmp_path, "junction/a.py")
    assert read_regular(tmp_path, "here/a.py") == b""


@pytest.mark.parametrize("path", ["con", "a/NUL.py", "aux.tar.gz", "com1", "lpt\u00b9.txt", "dir./a.py", "a ", "a?b"])
def test_names_that_windows_cannot_have(path: str, windows: None, tmp_path: Path) -> None:
    assert cannot_be(path) is not None
    with pytest.raises(OSError, match="on Windows"):
        read_regular(tmp_path, path)


@pytest.mark.parametrize("path", ["console.py", "a/null.py", "com.py", "com10", "auxiliary/a.py", ".github/a b.yml"])
def test_names_that_windows_can_have(path: str, windows: None) -> None:
    assert cannot_be(path) is None


def test_elsewhere_these_are_names_as_any(tmp_path: Path) -> None:
    (tmp_path / "aux.py").write_bytes(b"x")
    assert cannot_be("aux.py") is None and read_regular(tmp_path, "aux.py") == b"x"


@pytest.mark.parametrize("path", ["a\\..\\..\\b", "c:b", ".GIT/config", "git~1/config"])
def test_paths_of_an_index_that_lead_out_on_windows(path: str, windows: None) -> None:
    with pytest.raises(BadPath):
        check_path(path)


class Busy:
    """A file whose target another program has open for some time."""

    def __init__(self, times: int) -> None:
        self.times, self.tried = times, 0

    def replace(self, target: Path) -> None:
        self.tried += 1
        if self.tried <= self.times:
            raise PermissionError(13, "used by another process")


def test_a_file_that_a_scanner_has_open_is_tried_again_on_windows(windows: None, tmp_path: Path) -> None:
    waited: list[float] = []
    busy = Busy(3)
    replace(busy, tmp_path / "a", waited.append)  # type: ignore[arg-type]
    assert busy.tried == 4 and sum(waited) < 0.1
    for_ever = Busy(10**6)
    with pytest.raises(PermissionError):
        replace(for_ever, tmp_path / "a", waited.append)  # type: ignore[arg-type]
    assert for_ever.tried < 20


def test_elsewhere_a_refusal_is_final(tmp_path: Path) -> None:
    busy = Busy(1)
    with pytest.raises(PermissionError):
        replace(busy, tmp_path / "a", lambda seconds: pytest.fail("no reason to wait"))  # type: ignore[arg-type]


def test_without_the_right_to_make_links_their_text_is_written(
    windows: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(1314, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refused)
    link_or_file(tmp_path / "link", "data/a.py")
    assert (tmp_path / "link").read_bytes() == b"data/a.py"
    monkeypatch.setattr(operating_system, "HERE", LINUX)
    with pytest.raises(OSError):
        link_or_file(tmp_path / "other", "data/a.py")


def test_read_only_files_are_removed_as_git_leaves_them_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There no file that is read-only can be removed; here the folder's permissions stand for that."""
    pack = tmp_path / "clone/objects/pack/a.pack"
    pack.parent.mkdir(parents=True)
    pack.write_bytes(b"")
    pack.chmod(0o400)
    real = os.unlink

    def unlink(path: Any, *arguments: Any, **more: Any) -> None:
        found = os.stat(path, follow_symlinks=False, dir_fd=more.get("dir_fd"))
        if not found.st_mode & stat.S_IWUSR:
            raise PermissionError(5, "Access is denied", path)
        real(path, *arguments, **more)

    monkeypatch.setattr(os, "unlink", unlink)
    remove_folder(tmp_path / "clone")
    assert not (tmp_path / "clone").exists()


def test_memory_of_another_process(monkeypatch: pytest.MonkeyPatch, programs: list[list[str]]) -> None:
    monkeypatch.setattr(operating_system, "HERE", WINDOWS)
    monkeypatch.setenv("SYSTEMROOT", "/Windows")
    assert memory_of(42) == 74
    assert programs == [["/Windows/System32/tasklist.exe", "/FI", "PID eq 42", "/FO", "CSV", "/NH"]]
    monkeypatch.delenv("SYSTEMROOT")
    assert memory_of(42) == 74 and programs[1][0] == str(Path(r"C:\Windows", "System32", "tasklist.exe"))
    monkeypatch.setattr(operating_system.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=b" 76244\n"))
    monkeypatch.setattr(operating_system, "HERE", MAC)
    assert memory_of(42) == 74
    monkeypatch.setattr(operating_system.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=b"INFO: none\n"))
    assert memory_of(42) is None


def test_processors_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0: {1, 3}}[process], raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS, Windows
    assert cores() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_no_module_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    operating_system.limit(1, 1)  # limits nothing, and says nothing
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "")
    assert peak_memory() == 0


FILL = "harness.limits:fill"
SWELL = "harness.limits:swell"


@pytest.mark.parametrize(
    ("task", "limits", "reason", "stage"),
    [
        (FILL, Limits(60, 0, 2), "larger than 2 MiB on disk", "clone"),
        (SWELL, Limits(60, 300, 0), "needs more than 300 MiB of memory", "memory"),
    ],
)
@pytest.mark.slow
def test_limits_are_watched_where_a_process_cannot_limit_itself(
    task: str, limits: Limits, reason: str, stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemods.batch.child.limits_work", lambda: False)
    monkeypatch.setattr("codemods.batch.child.WATCH_SECONDS", 0.05)
    monkeypatch.setattr("codemods.batch.child.memory_of", memory_of_linux)
    child = Child(tmp_path)
    try:
        outcome = child.ask(Spec("r", "here", "here", None, False, "1", limits=limits, task=task))
    finally:
        child.close()
    assert (outcome.status, outcome.reason, outcome.stage) == (Status.FAILED, reason, stage)
    assert list(tmp_path.iterdir()) == []


def memory_of_linux(process: int) -> int:
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmRSS:"))


def test_keys_of_a_windows_console(windows: None, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["y", "\xe0", "H", "\x03"])
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(getwch=lambda: next(typed)))
    with keyboard.single_keys(), keyboard.as_before():
        assert [keyboard.key(), keyboard.key()] == ["y", "\xe0H"]
        with pytest.raises(KeyboardInterrupt):
            keyboard.key()


def test_no_pager_on_windows_means_that_nothing_was_shown(windows: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_PAGER", raising=False)
    monkeypatch.setenv("PAGER", "no-such-pager -R")
    monkeypatch.setattr(editor.subprocess, "Popen", lambda *_, **__: pytest.fail("cmd would end with 1, not with 127"))
    assert editor.paged(b"text\n") is False


def test_the_python_of_an_environment(windows: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "Scripts/python.exe"
    python.parent.mkdir()
    python.write_bytes(b"")
    python.chmod(0o755)
    assert interpreter_of(str(tmp_path)) == str(python)


def test_one_key_for_names_that_a_file_system_takes_for_one() -> None:
    assert (
        spelling("Re\u0301sume\u0301/Train.PY") == spelling("R\u00e9sum\u00e9/train.py") != spelling("resume/train.py")
    )


def test_what_is_printed_to_be_pasted_is_quoted_for_the_user_s_shell() -> None:
    """`shlex.quote` is for a POSIX shell: git's own, and the script for one."""
    using = {
        path.relative_to(ROOT / "codemods").as_posix()
        for path in (ROOT / "codemods").rglob("*.py")
        if "shlex.quote" in path.read_text(encoding="utf-8")
    }
    assert using == {"quoting.py", "tree/git_folder.py", "batch/open_prs.py"}


def test_temporary_folders_of_killed_runs_go_after_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = {name: temporary_folder() for name in ("old", "young", "alive", "unmarked")}
    for name in ("old", "young", "unmarked"):
        left[name] = left[name].rename(tmp_path / f"spawnfix-{gone.pid}-{name:_<8}")
        (left[name] / "git").mkdir()
    (left["unmarked"] / ".spawnfix-temporary").unlink()
    users = tmp_path / "spawnfix-notes"
    users.mkdir()
    (users / ".spawnfix-temporary").touch()
    ago = time.time() - 8 * 86_400
    for folder in (*left.values(), users):
        if folder != left["young"]:
            for path in (folder, folder / ".spawnfix-temporary"):
                if path.exists():
                    os.utime(path, (ago, ago))
    fresh = {temporary_folder()}
    assert left["old"].exists(), "this process has looked before"
    operating_system._remove_left_over.cache_clear()  # as in a new one
    fresh.add(temporary_folder())
    stay = {left["young"], left["alive"], left["unmarked"], users, *fresh}
    assert set(tmp_path.iterdir()) == stay
