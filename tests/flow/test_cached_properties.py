"""A cached property leaves its value on the object: not where only processes that got the object read it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import functools
import multiprocessing


class Scorer:
    def __init__(self, scale):
        self.scale = scale

    @functools.cached_property
    def score(self):
        return lambda x: x * self.scale

    def run(self, queue):
        {run}

    def __call__(self, x):
        {call}


def main():
    scorer = Scorer(3)
    {main}


if __name__ == "__main__":
    main()
"""
POOL = "multiprocessing.Pool(2).map(scorer, [1, 2])"
PROCESS = "multiprocessing.Process(target=scorer.run, args=(multiprocessing.Queue(),)).start()"


@each_row(
    ("run", "call", "main", "count"),
    [
        ("pass", "return self.score(x)", POOL, 0),
        ("pass", "rule = self.score; return rule(x)", POOL, 0),
        ("queue.put(self.score(4))", "return x", PROCESS, 0),
        ("pass", "return self.score(x)", f"print(scorer.score(1)); {POOL}", 1),
        ("queue.put(self.score(4))", "return x", f"scorer.score; {PROCESS}", 1),
        ("queue = self.score", "return self.score(x)", f"scorer.run(None); {POOL}", 1),
    ],
)
def test_where_a_cached_property_is_read(run: str, call: str, main: str, count: int) -> None:
    text = PROGRAM.format(run=run, call=call, main=main)
    assert [each.span.line for each in reported({"a.py": text}, "lambdas")] == [11] * count


def test_a_cached_property_that_another_file_reads() -> None:
    text = PROGRAM.format(run="pass", call="return self.score(x)", main="pass")
    main = f"import multiprocessing\nfrom a import Scorer\n\nscorer = Scorer(2)\nscorer.score(1)\n{POOL}\n"
    (finding,) = reported({"a.py": text, "main.py": main}, "lambdas")
    assert (finding.path, finding.span.line) == ("a.py", 11)
