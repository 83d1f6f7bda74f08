"""Runs `spawnfix` again and again, each time with one fault at the next step that it takes outside itself.

Usage: faults.py FAULT STRIDE TEMPLATE SCRATCH ARGUMENTS...
FAULT: kill, group (all processes of the group), soon (a kill a moment later), disk (full), io (a broken one), denied or
interrupt; child-kill... for the same in the first process that `batch` starts, by way of faulty/sitecustomize.py.

A step is what an audit hook sees: a program started, a file opened for writing, renamed, removed, a folder made... For
each a copy of TEMPLATE is made in SCRATCH and a child process, with all modules loaded, runs the command in it. Prints
one JSON row a run: {"step", "event", "status"}, then {"steps": how many there are}.
"""

from __future__ import annotations

import atexit
import errno
import json
import os
import random
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTY = Path(__file__).with_name("faulty")

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
    if fault == "io":
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    if fault == "denied":
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    os.kill(os.getpid(), signal.SIGINT)


def fail_at(fault: str, chosen: int, report: int) -> None:
    """From now on: `fault` at step `chosen` of this process, which is written down to the descriptor `report`."""
    seen = 0

    def hook(event: str, about: tuple[object, ...]) -> None:
        nonlocal seen
        if seen >= chosen or not is_step(event, about):
            return
        seen += 1
        if seen == chosen:
            os.write(report, f"{event} {about[0] if about else ''}".encode("utf-8", "replace")[:200] + b"\n")
            fail(fault)

    sys.addaudithook(hook)


def run(fault: str, chosen: int, folder: Path, arguments: list[str], report: int) -> None:
    """The command, in this process, which ends."""
    from codemods import commands

    errors = os.open(folder.parent / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(errors, 2)
    os.dup2(errors, 1)
    os.environ["TMPDIR"] = str(folder.parent / "tmp")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is started without one
    sys.argv = ["spawnfix", *(word.replace("FOLDER", str(folder)) for word in arguments)]
    if fault.startswith("child-"):
        os.environ["PYTHONPATH"] = f"{FAULTY}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        os.environ["HARNESS_FAULT"] = f"{fault.removeprefix('child-')} {chosen} {folder.parent / 'fault'}"
    else:
        fail_at(fault, chosen, report)
    status = 70
    try:
        commands.main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()  # as a process does that ends by itself
        os._exit(status)


def main() -> None:
    """All steps, one after the other."""
    fault, stride, template, scratch, *arguments = sys.argv[1:]
    import codemods.batch.run
    import codemods.delivery.deliver
    import codemods.diagnose.command
    import codemods.engine.migrate
    import codemods.tree.git_tree  # noqa: F401
    from codemods.transforms import rules

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
        if fault.startswith("child-") and (place / "fault").exists():
            lines = (place / "fault").read_text().splitlines()
        event = next(iter(lines), None)
        if event is None:
            break
        code = os.waitstatus_to_exitcode(status)
        print(json.dumps({"step": chosen, "event": event, "status": code}), flush=True)
        chosen += int(stride)
    print(json.dumps({"steps": chosen - 1}))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
