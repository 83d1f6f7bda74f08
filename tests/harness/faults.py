"""Runs `spawnfix` again and again, each time with one fault at the next step that it takes outside itself.

Usage: faults.py FAULT STRIDE TEMPLATE SCRATCH ARGUMENTS...
FAULT: kill, group (all processes of the group), soon (a kill a moment later), disk (full), denied or interrupt.

A step is what an audit hook sees: a program started, a file opened for writing, renamed, removed, a folder made... For
each a copy of TEMPLATE is made in SCRATCH and a child process, with all modules loaded, runs the command in it. Prints
one JSON row a run: {"step", "event", "status"}, then {"steps": how many there are}.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import codemods.deliver  # noqa: E402
import codemods.migrate  # noqa: E402
import codemods.tree.git_tree  # noqa: E402, F401
from codemods import commands  # noqa: E402
from codemods.transforms import rules  # noqa: E402

_STEPS = (
    "subprocess.Popen", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.link",
    "os.symlink", "os.truncate", "tempfile.mkstemp", "tempfile.mkdtemp", "shutil.rmtree",
)  # fmt: skip


def is_step(event: str, arguments: tuple[object, ...]) -> bool:
    """True for what changes something outside the process, or starts what may."""
    if event == "open":
        path, _, flags = (*arguments, None, 0)[:3]
        if str(path) == os.devnull or str(path).endswith(".pyc"):
            return False
        return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in _STEPS


def fail(fault: str) -> None:
    """What happens to the process at the chosen step."""
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "group":
        os.killpg(0, signal.SIGKILL)
    if fault == "soon":  # no handler: ends the process
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0003, 0.006))
        return
    if fault == "disk":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if fault == "denied":
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    os.kill(os.getpid(), signal.SIGINT)


def run(fault: str, chosen: int, folder: Path, arguments: list[str], report: int) -> None:
    """The command, in this process, which ends."""
    seen = 0
    busy = False

    def hook(event: str, about: tuple[object, ...]) -> None:
        nonlocal seen, busy
        if busy or not is_step(event, about):
            return
        seen += 1
        if seen == chosen:
            busy = True
            os.write(report, f"{event} {about[0] if about else ''}".encode("utf-8", "replace")[:200] + b"\n")
            try:
                fail(fault)
            finally:
                busy = False

    errors = os.open(folder.parent / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(errors, 2)
    os.dup2(errors, 1)
    os.environ["TMPDIR"] = str(folder.parent / "tmp")
    sys.argv = ["spawnfix", *(word.replace("FOLDER", str(folder)) for word in arguments)]
    sys.addaudithook(hook)
    status = 70
    try:
        commands.main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(report, f"steps {seen}\n".encode())
        os._exit(status)


def main() -> None:
    """All steps, one after the other."""
    fault, stride, template, scratch, *arguments = sys.argv[1:]
    rules()
    random.seed(1)
    chosen = 1
    while True:
        place = Path(scratch, f"{fault}-{chosen}")
        (place / "tmp").mkdir(parents=True)
        shutil.copytree(template, place / "repo", symlinks=True)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os.close(reading)
            run(fault, chosen, place / "repo", arguments, writing)
        os.close(writing)
        with os.fdopen(reading) as stream:
            lines = stream.read().splitlines()
        _, status = os.waitpid(child, 0)
        event = next((line for line in lines if not line.startswith("steps ")), None)
        if event is None:
            break
        code = os.waitstatus_to_exitcode(status)
        print(json.dumps({"step": chosen, "event": event, "status": code}), flush=True)
        chosen += int(stride)
    print(json.dumps({"steps": chosen - 1}))


if __name__ == "__main__":
    main()
