"""A process that runs rules for another one, which sends it the files. It ends when that one does.

Messages are pickles, each after its length, on stdin and stdout: first a `Job`, then the id of one rule after the
other; each is answered by its `Look`. Before that, other files may be `Wanted`: their bytes are sent, or the OSError.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Any

from ..project import Project
from ..settings import Settings
from ..tree.files import Entry

_LENGTH = 8  # bytes


@dataclass(frozen=True)
class Job:
    """What a run looks at: all that its process has read of the files, the settings, and whether fixes are tried."""

    root: str
    entries: tuple[Entry, ...]
    contents: dict[str, bytes]
    settings: Settings
    scope: str
    careful: frozenset[str]  # see Project
    proven_texts: dict[str, str]
    test: bool


@dataclass(frozen=True)
class Wanted:
    """A question for a file that was not sent."""

    path: str


@dataclass(frozen=True)
class _SentFiles:
    """The files of a job, and `ask` for those that were not sent."""

    job: Job
    ask: Callable[[Wanted], Any]

    @property
    def root(self) -> str:
        return self.job.root

    def entries(self) -> Sequence[Entry]:
        return self.job.entries

    def read(self, path: str) -> bytes:
        if path not in self.job.contents:
            data: bytes | OSError = self.ask(Wanted(path))
            if isinstance(data, OSError):
                raise data
            return data
        return self.job.contents[path]


def send(stream: IO[bytes], message: object) -> None:
    """Write one message. Raises OSError."""
    data = pickle.dumps(message, 5)
    stream.write(len(data).to_bytes(_LENGTH, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message of a process of ours. Raises EOFError when there is none any more, OSError."""
    length = stream.read(_LENGTH)
    data = stream.read(int.from_bytes(length, "big")) if len(length) == _LENGTH else b""
    if not data or len(data) != int.from_bytes(length, "big"):
        raise EOFError
    return pickle.loads(data)


def serve() -> None:
    """Answer what comes on stdin until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process has it too, and ends us
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may be written between the answers
    requests: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    gc.disable()

    def ask(question: Wanted) -> Any:
        send(answers, question)
        return requests.get()

    work = _Worker(requests.get(), ask)
    while True:
        send(answers, work.look(requests.get()))


def _read(stream: IO[bytes], requests: SimpleQueue[Any]) -> None:
    """Take in requests beside the work, so that the end of the other process is the end of ours."""
    try:
        while True:
            requests.put(receive(stream))
    finally:  # a request that can't be read ends us too: the other process would wait for its answer forever
        os._exit(0)


class _Worker:
    def __init__(self, job: Job, ask: Callable[[Wanted], Any]) -> None:
        from ..transforms import rules
        from .run import Run

        self._test = job.test
        self._rules = rules()
        files = _SentFiles(job, ask)
        self._run = Run(files, job.settings, job.scope, self._rules)
        self._run.proven_texts = job.proven_texts
        self._project = Project(files, job.settings, job.settings.confidence, job.careful)

    def look(self, rule: str) -> object:
        from .interpreter import raised_recursion_limit

        with raised_recursion_limit():
            return self._run.look(self._rules[rule], self._project, self._test)
