"""Stands in the place of `python` on a program's PATH: asks `warm.py` to run it, and is then its pid to the outside.

Imports as little as it can: it is started for each process of a program.
"""

import json
import os
import signal
import socket
import sys


def main() -> None:
    """Carry out `python ARGUMENTS`, or `torchrun ARGUMENTS`."""
    python, server, stand_in, *arguments = sys.argv[1:]
    if os.path.basename(stand_in) == "torchrun":  # noqa: PTH119
        stand_in = os.path.join(os.path.dirname(stand_in), "python")  # noqa: PTH118, PTH120
        script = os.path.join(os.path.dirname(python), "torchrun")  # noqa: PTH118, PTH120
        with open(script, "rb") as stream:  # noqa: PTH123
            ours = b"python" in stream.readline()
        if not ours:
            os.execv(script, [script, *arguments])
        arguments = [script, *arguments]
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(server)
    files = [int(number) for number in os.listdir("/proc/self/fd")]  # noqa: PTH208
    files = sorted(number for number in files if number != connection.fileno() and _open(number))
    request = {
        "argv": arguments,
        "cwd": os.getcwd(),  # noqa: PTH109
        "env": dict(os.environ),
        "files": files,
        "job": os.environ.get("HARNESS_JOB", ""),
        "executable": stand_in,
    }
    data = json.dumps(request).encode()
    socket.send_fds(connection, [b"x"], files)
    connection.sendall(len(data).to_bytes(4, "big") + data)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda number, _: connection.sendall(bytes([number])))
    answer = connection.recv(4, socket.MSG_WAITALL)
    if answer == b"cold":
        os.execv(python, [python, *arguments])
    if len(answer) < 4:
        os.kill(os.getpid(), signal.SIGKILL)
    code = os.waitstatus_to_exitcode(int.from_bytes(answer, "big"))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


def _open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:  # the folder that was listed
        return False
    return True


if __name__ == "__main__":
    main()
