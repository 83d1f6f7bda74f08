"""Methods of what can't be pickled, kept on objects: `self.write = sys.stdout.write`."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import logging
import queue
import sys
import threading
from multiprocessing import Process


class Job:
    def __init__(self, path):
        lock = threading.Lock()
        plain = [3]
        self.kept = {kept}

    def run(self):
        print(3)


if __name__ == "__main__":
    Process(target=Job("a").run).start()
"""


@each_row(
    ("kept", "what"),
    [
        ("sys.stdout.write", "a method of a standard stream"),
        ("lock.acquire", "a method of a lock"),
        ("open(path).readline", "a method of an open file"),
        ("queue.Queue().put", "a method of a queue"),
        ("logging.getLogger('a').info", ""),
        ("plain.append", ""),
        ("sys.stdout.encoding", ""),
        ("lock.locked()", ""),
    ],
)
def test_what_is_kept(kept: str, what: str) -> None:
    findings = reported({"a.py": TEXT.format(kept=kept)}, "unpicklable-attributes")
    assert [each.message.partition("`self.kept` is ")[2].partition(";")[0] for each in findings] == [what] * bool(what)


def test_a_method_of_a_stream_is_looked_up_again() -> None:
    text = migrated({"a.py": TEXT.format(kept="sys.stdout.write")}, "unpicklable-attributes")["a.py"]
    assert text.count("self.kept = sys.stdout.write\n") == 2 and 'del state["kept"]' in text


def test_a_method_of_another_object_is_left_to_a_person() -> None:
    (finding,) = reported({"a.py": TEXT.format(kept="lock.acquire")}, "unpicklable-attributes")
    assert finding.fix is None and finding.reason is not None and "look the method up" in finding.reason
