"""Definitions under the main guard that workers look for: in branches and loops too; not those that are only called."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

_HEAD = "import sys\nfrom multiprocessing import Pool\n\n\n"
_RUN = "def run_all(func, rows):\n    with Pool(2) as pool:\n        return list(pool.imap(func, rows))\n\n\n"
_LOADER = "from torch.utils.data import DataLoader\n\n\n"
_DATA = (
    "    class Data:\n        def __init__(self, rule=None):\n            self.rule = rule\n\n"
    "        def __len__(self):\n            return 2\n\n        def __getitem__(self, at):\n            return at\n"
)


def _found(text: str) -> list[tuple[int, str]]:
    found = reported({"main.py": text}, "main-guard")
    findings = [each for each in found if "is defined under the main guard" in each.message]
    return [(each.span.line, each.reason or "fixed") for each in findings]


def test_a_definition_in_a_branch_is_refused_with_what_to_do() -> None:
    text = (
        _HEAD
        + 'if __name__ == "__main__":\n    if len(sys.argv) > 1:\n        def work(x):\n            return x + 1\n'
        "        with Pool(2) as pool:\n            print(pool.map(work, [1, 2]))\n"
    )
    [(line, reason)] = _found(text)
    assert line == 7
    assert "in a branch or a loop under the guard: define `work` above the guard" in reason


def test_each_of_several_definitions_in_a_loop_is_told_of() -> None:
    text = (
        _HEAD + _RUN + 'if __name__ == "__main__":\n    for method in ["a", "b"]:\n        if method == "a":\n'
        "            def work(x):\n                return x + 1\n        else:\n            def work(x):\n"
        "                return x + 2\n        print(run_all(work, [1, 2]))\n"
    )
    found = _found(text)
    assert [line for line, _ in found] == [13, 16]
    assert all("in a branch or a loop" in reason for _, reason in found)


def test_one_in_a_branch_does_not_keep_another_from_its_fix() -> None:
    text = (
        _HEAD + _RUN + 'if __name__ == "__main__":\n    def twice(x):\n        return 2 * x\n\n'
        "    if len(sys.argv) > 1:\n        def work(x):\n            return x + 1\n"
        "        print(run_all(work, [1, 2]))\n    print(run_all(twice, [1, 2]))\n"
    )
    found = dict(_found(text))
    assert found[11] == "fixed"
    assert "in a branch" in found[15]


def test_threads_may_take_the_place_of_processes() -> None:
    """A branch that asks for threads defines what no worker looks for."""
    text = (
        "import sys\nfrom multiprocessing import Pool\nfrom multiprocessing.pool import ThreadPool\n\n\n"
        "def run_all(func, rows, parallel=True):\n"
        "    kind = Pool if parallel and len(rows) > 1 else ThreadPool\n"
        "    with kind(2) as pool:\n        return list(pool.imap(func, rows))\n\n\n"
        'if __name__ == "__main__":\n'
        '    if sys.argv[1] == "a":\n        parallel = True\n\n        def work(x):\n            return x + 1\n'
        "    else:\n        parallel = False\n\n        def work(x):\n            return x + 2\n"
        "    print(run_all(work, [1, 2], parallel=parallel))\n"
    )
    assert [line for line, _ in _found(text)] == [16]
    assert _found(text.replace("parallel = True", "parallel = False")) == []


@each_row(
    ("made", "lines"),
    [
        ("    def rule():\n        return abs\n\n    data = Data(rule())\n", [5]),  # the function goes nowhere
        ("    def rule():\n        return abs\n\n    data = Data(rule)\n", [5, 15]),
        ("    def make():\n        return Data()\n\n    data = make()\n", [5]),
        (
            "    def step(x):\n        return x\n\n    def rule():\n        return step\n\n    data = Data(rule())\n",
            [5, 15],
        ),
    ],
)
def test_of_a_function_that_is_called_only_what_it_gives_is_sent(made: str, lines: list[int]) -> None:
    text = (
        _LOADER + 'if __name__ == "__main__":\n' + _DATA + "\n" + made + "    list(DataLoader(data, num_workers=2))\n"
    )
    assert sorted(line for line, _ in _found(text)) == lines


@each_row(
    ("calls", "sent"),
    [
        (["run_all(work, Pool(2))"], True),
        (["run_all(work, pool=Pool(2))"], True),
        (["run_all(work, ThreadPool(2))"], False),
        (["run_all(work)"], False),
        (["run_all(work, Pool(2))", "run_all(work, Pool(3))"], True),
        (["run_all(work, Pool(2))", "run_all(work, ThreadPool(2))"], False),
        (["run_all(work, Pool(2))", "run_all(work)"], True),
    ],
)
def test_a_pool_that_every_call_passes(calls: list[str], sent: bool) -> None:
    text = (
        "from multiprocessing import Pool\nfrom multiprocessing.pool import ThreadPool\n\n\n"
        "def run_all(func, pool=None):\n    return pool.map(func, [1])\n\n\n"
        'if __name__ == "__main__":\n    def work(x):\n        return x\n\n'
    )
    found = _found(text + "".join(f"    print({call})\n" for call in calls))
    assert [line for line, _ in found] == [10] * sent


def test_functions_that_hand_it_on() -> None:
    last = "def run_5(func, rows):\n    return run_all(func, rows)\n\n\n"
    ways = "".join(f"def run_{n}(func, rows):\n    return run_{n + 1}(func, rows)\n\n\n" for n in range(5))
    main = 'if __name__ == "__main__":\n\n    def work(x):\n        return x + 1\n\n    print(run_0(work, [1, 2]))\n'
    for text in (_HEAD + _RUN + last + ways + main, _HEAD + ways + last + _RUN + main):
        assert [reason for _, reason in _found(text)] == ["fixed"], text
    again = ways.replace("run_1(func, rows)", "run_0(func, rows)", 1)  # it calls itself, and no process gets anything
    assert _found(_HEAD + again + main) == []
