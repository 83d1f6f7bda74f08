"""The harness itself: a test bench that can't fail proves nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.case import BadCase, Case
from harness.programs import run
from harness.tool import tree_diff

LOCAL = """\
import multiprocessing as mp

def work(item):
    return item

def main():
    print(mp.get_start_method(allow_none=True))
    with mp.Pool(1, initializer=lambda: None) as pool:
        print(pool.map(work, [1, 2]))

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(LOCAL)
    return tmp_path


def test_start_method_comes_from_outside(program: Path) -> None:
    fork = run("python train.py", program, "fork")
    assert (fork.code, fork.stdout) == (0, "None\n[1, 2]\n"), str(fork)  # None: the program may still choose
    for method in ("spawn", "forkserver"):
        outcome = run("python train.py", program, method)
        assert outcome.code == 1
        assert "local object 'main.<locals>.<lambda>'" in outcome.stderr, str(outcome)


def test_program_that_chooses_keeps_its_choice(program: Path) -> None:
    (program / "train.py").write_text(LOCAL.replace("    print(mp", "    mp.set_start_method('fork')\n    print(mp"))
    assert run("python train.py", program, "spawn").stdout == "fork\n[1, 2]\n"


def test_ranks_are_joined_in_order_and_share_a_port(tmp_path: Path) -> None:
    (tmp_path / "rank.sh").write_text(
        "sleep 0.$((2 - RANK))\n"  # the last rank ends first
        'echo "$RANK/$WORLD_SIZE local $LOCAL_RANK at $MASTER_ADDR:$MASTER_PORT"\n'
        "exit $((RANK * 3))\n"
    )
    outcome = run("bash rank.sh", tmp_path, None, ranks=2)
    first, second = outcome.stdout.splitlines()
    assert (first[:24], second[:24]) == ("0/2 local 0 at 127.0.0.1", "1/2 local 1 at 127.0.0.1")
    assert first[24:] == second[24:]
    assert outcome.code == 3


def test_timeout_ends_descendants_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import subprocess, sys, time\n"
        "stray = \"import time; time.sleep(2); open('alive', 'w')\"\n"
        "subprocess.Popen([sys.executable, '-c', stray], start_new_session=True)\n"
        "time.sleep(60)\n"
    )
    outcome = run("python a.py", tmp_path, None, timeout=0.7)
    assert outcome.timed_out and outcome.code
    time.sleep(2)
    assert not (tmp_path / "alive").exists()


def test_environment_of_the_tester_does_not_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "7")
    assert run('echo "[$RANK]"', tmp_path, None).stdout == "[]\n"


def test_tree_diff_shows_what_a_terminal_hides() -> None:
    assert tree_diff({"a": (b"x\r\n", False)}, {"a": (b"x\r\n", False)}) == ""
    assert r"-'x\r\n'" in tree_diff({"a": (b"x\r\n", False)}, {"a": (b"x\n", False)})
    assert "executable" in tree_diff({"a": (b"x", True)}, {"a": (b"x", False)})
    assert "should not be there" in tree_diff({}, {"a": (b"", False)})


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("why = 'x'", "lacks"),
        ("why = 'x'\ncommand = 'y'\nfail = 'z'", "unknown"),
        ("why = 'x'\ncommand = 'y'\nreference = 'spawn'", "reference"),
    ],
)
def test_wrong_case_is_named(tmp_path: Path, toml: str, says: str) -> None:
    (tmp_path / "case.toml").write_text(toml)
    with pytest.raises(BadCase, match=says):
        Case.load(tmp_path)
