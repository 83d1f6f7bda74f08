"""What each spawned worker makes again as it imports the script, and numbers of files that it does not have."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import io, logging, mmap, os, socket, threading
import multiprocessing as mp
from multiprocessing import Process, Queue, shared_memory

KEPT = {kept}
LEFT, RIGHT = os.pipe()


def begin(given):
    global SET
    SET = given


SET = Queue()


class Job:
    own = {kept}

    def __init__(self, number):
        self.number = number
        self.left, self.right = os.pipe()
        self.file = open("a")
        self.opened = self.file.fileno()

    def run(self, given):
        print({read})


def main():
    left, right = os.pipe()
    plain = 3
    print({used})
    process = Process(target=Job(3).run, args=({given},))
    process.start()


if __name__ == "__main__":
    {first}
    main()
"""


def told(**parts: str) -> list[str]:
    filled = {"kept": "3", "read": "3", "used": "3", "given": "3", "first": "pass", **parts}
    findings = reported({"train.py": TEXT.format(**filled)}, "main-guard")
    return [each.message.partition("depends on ")[2].partition(" line ")[0] for each in findings]


@each_row(
    ("kept", "read", "used", "found"),
    [
        ("Queue()", "KEPT.put(3)", "3", True),
        ("mp.Value('i', 0)", "KEPT.value", "3", True),
        ("mp.Lock()", "KEPT", "3", True),
        ("{'a': Queue()}", "KEPT['a'].put(3)", "3", True),
        ("Queue()", "self.own.put(3)", "3", True),
        ("Queue()", "Job.own.put(3)", "3", True),
        ("mmap.mmap(-1, 8)", "KEPT[0]", "3", True),
        ("mmap.mmap(3, 8)", "KEPT[0]", "3", False),
        ("shared_memory.SharedMemory(create=True, size=3)", "KEPT.buf", "3", True),
        ("shared_memory.SharedMemory(name='a')", "KEPT.buf", "3", False),
        ("socket.socketpair()", "KEPT[0]", "3", True),
        ("3", "LEFT", "3", True),
        ("open('a')", "KEPT.readline()", "KEPT.readline()", True),
        ("open('a')", "KEPT.readline()", "3", False),
        ("open('a').read()", "KEPT", "KEPT", False),
        ("threading.Lock()", "KEPT", "3", False),
        ("lambda: Queue()", "KEPT()", "3", False),
        ("Queue()", "3", "KEPT.get()", False),
    ],
)
def test_what_an_import_makes_for_all(kept: str, read: str, used: str, found: bool) -> None:
    assert told(kept=kept, read=read, used=used) == ["what"] * found


def test_what_an_initializer_sets() -> None:
    text = """\
from multiprocessing import Pool, Queue

QUEUE = Queue()


def begin(given):
    {body}


def work(x):
    QUEUE.put(x)


if __name__ == "__main__":
    with Pool(1, initializer=begin, initargs=(QUEUE,)) as pool:
        pool.map(work, [3])
"""
    for body, found in (("global QUEUE\n    QUEUE = given", False), ("print(given)", True)):
        findings = reported({"train.py": text.format(body=body)}, "main-guard")
        assert ["makes one of its own" in each.message for each in findings] == [True] * found


@each_row(
    ("read", "given", "found"),
    [
        ("os.write(given, b'a')", "right", True),
        ("os.read(given, 3)", "left", True),
        ("os.read(given, 3)", "plain", False),
        ("os.close(self.right)", "3", True),
        ("os.fstat(self.opened)", "3", True),
        ("os.fstat(self.number)", "3", False),
        ("print(given)", "right", False),
        ("os.listdir(given)", "right", False),
    ],
)
def test_numbers_of_files(read: str, given: str, found: bool) -> None:
    assert told(read=read, given=given) == ["a file that"] * found


LOG = """\
import logging
from multiprocessing import Process

import setup

{top}
log = logging.getLogger("a")


def work():
    {does}


if __name__ == "__main__":
    {guarded}
    Process(target=work).start()
"""
EMPTIES, INFO = "logging.basicConfig(filename='a', filemode='w')", "log.info('a')"


@each_row(
    ("top", "does", "guarded", "setup", "found"),
    [
        (EMPTIES, INFO, "pass", "", True),
        (EMPTIES, "logging.info('a')", "pass", "", True),
        ("pass", INFO, "pass", f"import logging\n{EMPTIES}\n", True),
        ("logging.getLogger().addHandler(logging.FileHandler('a', 'w'))", INFO, "pass", "", True),
        ("logging.getLogger().addHandler(logging.FileHandler('a', mode='w'))", INFO, "pass", "", True),
        ("logging.getLogger().addHandler(logging.FileHandler('a'))", INFO, "pass", "", False),
        ("logging.basicConfig(filename='a')", INFO, "pass", "", False),
        (EMPTIES, "print(3)", "pass", "", False),
        ("pass", INFO, EMPTIES, "", False),
        ("pass", INFO, "pass", f"import logging\ndef later():\n    {EMPTIES}\n", False),
    ],
)
def test_logs_that_are_emptied(top: str, does: str, guarded: str, setup: str, found: bool) -> None:
    files = {"train.py": LOG.format(top=top, does=does, guarded=guarded), "setup.py": setup}
    findings = reported(files, "main-guard")
    assert ["empties as it opens it" in each.message for each in findings].count(True) == found
