"""A warm start must be a start: what a program prints, how it ends and what its children see is as without."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness import warm, warm_start
from harness.programs import Outcome, environment, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not warm_start.possible(), reason="warm starts need Linux"),
]

STATE = """\
import json, multiprocessing as mp, os, sys, threading


def state():
    main = sys.modules["__main__"].__dict__
    return {
        "main": {name: str(main[name]) for name in main if name.startswith("__") and name not in LEFT_OUT},
        "name": __name__,
        "argv": sys.argv,
        "path": sys.path,
        "flags": str(sys.flags),
        "folder": os.getcwd(),
        "variables": {name: value for name, value in os.environ.items() if name not in LEFT_OUT},
        "files": sorted(int(number) for number in os.listdir("/proc/self/fd"))[:4],
        "method": mp.get_start_method(allow_none=True),
        "process": mp.current_process().name,
        "threads": threading.active_count(),
        "modules": sorted(name for name in sys.modules if name in ("program", "helper", "colorsys")),
        "stdout": [sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.write_through],
    }


LEFT_OUT = {"__builtins__", "__loader__", "__spec__", "PATH", "FREE_PORT", "HARNESS_JOB", "_"}


def show(queue):
    queue.put(state())


if __name__ == "__main__":
    import torch
    import colorsys  # a child must not have it

    print(json.dumps(state(), indent=1))
    queue = mp.Queue()
    child = mp.Process(target=show, args=(queue,))
    child.start()
    print(json.dumps(queue.get(), indent=1))
    child.join()
    print(child.exitcode)
"""

END = """\
import atexit, multiprocessing as mp, os, signal, sys, threading, time


def fail(*args):
    raise ValueError("no luck")


def wait(*args):
    time.sleep(60)


def ended(stop):
    child = mp.Process(target=wait)
    child.start()
    time.sleep(0.3)
    getattr(child, stop)()
    child.join()
    return child.exitcode


if __name__ == "__main__":
    atexit.register(print, "at exit")
    threading.Thread(target=lambda: (threading.main_thread().join(), print("thread done"))).start()
    match sys.argv[1]:
        case "raises":
            fail()
        case "exits":
            sys.exit(3)
        case "says":
            sys.exit("a message")
        case "aborts":
            os.abort()
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "terminated":
            os.kill(os.getpid(), signal.SIGTERM)
        case "leaves":
            os._exit(7)
        case "child-raises":
            child = mp.Process(target=fail)
            child.start()
            child.join()
            print(child.exitcode)
        case "child-ended":
            print(ended("terminate"), ended("kill"))
        case "unpicklable":
            mp.Process(target=fail, args=(lambda: 0,)).start()
        case "pool":
            with mp.Pool(2) as pool:
                print(pool.map(abs, [-1, 2]))
"""


def both(command: str, folder: Path, method: str | None = "spawn") -> tuple[Outcome, Outcome]:
    cold, warm = (run(command, folder, method, warm=warm, timeout=300) for warm in (False, True))
    return cold, warm


def shown(outcome: Outcome) -> str:
    """What is printed, without addresses, and with one name for `python`."""
    text = re.sub(r"\bat 0x[0-9a-f]+", "at 0x", str(outcome))
    return re.sub(
        rf"/\S*/spawnfix-warm-[^/]+/bin/python|{re.escape(str(Path(sys.executable).parent))}/python[\d.]*|^python(?=:)",
        "python",
        text,
        flags=re.M,
    )


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
@pytest.mark.parametrize(
    "command", ["python program.py a -u", "python -m program a", "cd .. && python -u x/program.py"]
)
def test_programs_and_their_children_see_the_same(tmp_path: Path, command: str, method: str) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "program.py").write_text(STATE)
    cold, warm = both(command, folder, method)
    assert cold.code == 0 and shown(warm) == shown(cold)


@pytest.mark.parametrize("how", re.findall(r'case "(.*)":', END))
def test_programs_end_the_same_way(tmp_path: Path, how: str) -> None:
    (tmp_path / "program.py").write_text(END)
    cold, warm = both(f"python program.py {how}", tmp_path)
    assert shown(warm) == shown(cold)


@pytest.mark.parametrize(
    "command",
    [
        "python missing.py",
        "python -m missing",
        "python broken.py",
        "echo 3 | python reads.py",
        "echo 'print(5)' | python",
        "python -c 'print(7)'",
        "python -V",
        "timeout 1 python -c 'import time; time.sleep(60)'",
    ],
)
def test_other_ways_to_start(tmp_path: Path, command: str) -> None:
    (tmp_path / "broken.py").write_text("x = (\n")
    (tmp_path / "reads.py").write_text("import sys\nprint(sys.stdin.read())\nimport missing\n")
    cold, warm = both(command, tmp_path)
    assert shown(warm) == shown(cold)


def test_modules_named_like_loaded_ones_are_the_programs_own(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("print('own queue')\n")
    (tmp_path / "program.py").write_text("import queue\n")
    assert run("python program.py", tmp_path, None, warm=True).stdout == "own queue\n"


def test_what_a_program_leaves_behind_is_ended(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import multiprocessing as mp, os, time\n"
        "def stay():\n"
        "    open('here', 'w').close()\n"
        "    time.sleep(3)\n"
        "    open('alive', 'w').close()\n"
        "if __name__ == '__main__':\n"
        "    mp.Process(target=stay).start()\n"
        "    while not os.path.exists('here'):\n"
        "        time.sleep(0.01)\n"
        "    os._exit(0)\n"
    )
    assert run("python program.py", tmp_path, "spawn", warm=True).code == 0
    time.sleep(3.5)
    assert (tmp_path / "here").exists() and not (tmp_path / "alive").exists()


@pytest.mark.parametrize("sent", [b"", b"x", b"x\0\0", b"x\0\0\0\x09{"])
def test_who_is_killed_while_it_asks_stops_nobody_else(tmp_path: Path, sent: bytes) -> None:
    (tmp_path / "program.py").write_text("print(5)\n")
    start = warm_start.warm_start(tuple(environment(None).items()))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(start.socket))
        connection.sendall(sent)
    assert run("python program.py", tmp_path, None, warm=True).stdout == "5\n"


def test_a_child_that_is_no_leader_of_a_group_yet_is_ended_with_its_job() -> None:
    """On a busy machine the end of a job comes before the child that was forked for it has run at all."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    ours, theirs = socket.socketpair()
    held = socket.socketpair()
    listener = socket.socket(socket.AF_UNIX)
    server = warm.Server(listener, {})
    server.children[held[0].fileno()] = warm._Child(child.pid, "7", held[0])
    server.groups["7"] = [child.pid]
    data = b'{"end": "7"}'
    with listener, ours, theirs, held[0], held[1]:
        theirs.sendall(b"x" + len(data).to_bytes(4, "big") + data)
        waited_in_vain = threading.Event()
        timer = threading.Timer(60, lambda: (waited_in_vain.set(), child.kill()))
        timer.start()
        server._answer(ours)
        timer.cancel()
        assert theirs.recv(4) == b"done" and not server.children and not waited_in_vain.is_set()
    child.returncode = 0  # the server has waited for it
