"""What a call of an `async def` gives where nobody awaits it: pickle takes neither coroutines nor their generators."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

JOB = """\
import asyncio
from multiprocessing import Process


class Job:
    def __init__(self):
        self.kept = {value}

    async def run(self):
        return open("a.txt")

    async def rows(self):
        yield 1

    async def wait(self):
        self.rows_seen = [row async for row in self.rows()]
        self.done = await self.run()

    def make(self):
        return self.run()


def work(job):
    print(job)


if __name__ == "__main__":
    Process(target=work, args=(Job(),)).start()
"""


@each_row(
    ("value", "what"),
    [
        ("self.run()", "a coroutine"),
        ("self.make()", "a coroutine"),
        ("self.rows()", "an asynchronous generator"),
        ("asyncio.run(self.wait())", ""),
        ("self.run", ""),
    ],
)
def test_what_nobody_awaits(value: str, what: str) -> None:
    found = reported({"jobs.py": JOB.format(value=value)}, "unpicklable-attributes")
    assert [finding.message.split(" is ")[1].split(";")[0] for finding in found] == [what] * bool(what)
    assert all(finding.fix is None for finding in found)
