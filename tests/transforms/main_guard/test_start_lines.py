"""Workers begin where a process is started or a loader is iterated: what is changed later, none of them lacks."""

from __future__ import annotations

import ast

import pytest

from harness.small import reported

SCRIPT = """\
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool, Process
from torch.utils.data import DataLoader, Dataset

SCALE = 1


def work(index):
    print(index * SCALE)


class Rows(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return index * SCALE


"""
IN_FUNCTION = SCRIPT + 'def main():\n    global SCALE\n{body}\n\n\nif __name__ == "__main__":\n    main()\n'
UNDER_GUARD = SCRIPT + 'if __name__ == "__main__":\n{body}\n'
CHANGE = "SCALE = 5"
FOUND = {
    "started below": ["process = Process(target=work, args=(1,))", CHANGE, "process.start()"],
    "all started below": [
        "every = [Process(target=work, args=(n,)) for n in range(2)]",
        CHANGE,
        "for process in every:",
        "    process.start()",
    ],
    "iterated below": ["loader = DataLoader(Rows(), num_workers=1)", CHANGE, "print(list(loader))"],
    "iterated again": [
        "loader = DataLoader(Rows(), num_workers=1)",
        "for epoch in range(2):",
        "    print(list(loader))",
        "    SCALE += 1",
    ],
    "iterated below as an attribute": [
        "work.rows = DataLoader(Rows(), num_workers=1)",
        CHANGE,
        "print(list(work.rows))",
    ],
    "workers that stay begin below": [
        "loader = DataLoader(Rows(), num_workers=1, persistent_workers=True)",
        "steps = len(loader) if loader is not None else loader.batch_size",
        CHANGE,
        "print(steps, list(loader))",
    ],
    "first task below": ["pool = ProcessPoolExecutor(1)", CHANGE, "print(list(pool.map(work, [1])))"],
    "another pool below": [
        "with Pool(1) as pool:",
        "    print(pool.map(work, [1]))",
        CHANGE,
        "with Pool(1) as pool:",
        "    print(pool.map(work, [1]))",
    ],
}
NOT_FOUND = {
    "started above": ["process = Process(target=work, args=(1,))", "process.start()", CHANGE, "process.join()"],
    "another process below": [
        "process = Process(target=work, args=(1,))",
        "process.start()",
        CHANGE,
        "other = Process(target=print, args=(1,))",
        "other.start()",
    ],
    "in a loop below": [
        "process = Process(target=work, args=(1,))",
        "process.start()",
        "while process.is_alive():",
        "    SCALE += 1",
    ],
    "workers that stay": [
        "loader = DataLoader(Rows(), num_workers=1, persistent_workers=True)",
        "for epoch in range(2):",
        "    print(list(loader))",
        "    SCALE += 1",
    ],
    "asked below": ["loader = DataLoader(Rows(), num_workers=1)", "print(list(loader))", CHANGE, "print(len(loader))"],
    "an attribute iterated above": [
        "work.rows = DataLoader(Rows(), num_workers=1)",
        "print(list(work.rows))",
        CHANGE,
        "print(work.rows.dataset)",
    ],
    "tasks of one pool": ["pool = Pool(1)", CHANGE, "print(pool.map(work, [1]))"],
    "tasks of one executor": [
        "pool = ProcessPoolExecutor(1)",
        "print(list(pool.map(work, [1])))",
        CHANGE,
        "print(list(pool.map(work, [1])))",
    ],
    "below all": ["with Pool(1) as pool:", "    print(pool.map(work, [1]))", CHANGE],
}


def body(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


@pytest.mark.parametrize("program", [IN_FUNCTION, UNDER_GUARD], ids=["function", "guard"])
@pytest.mark.parametrize("lines", FOUND.values(), ids=FOUND)
def test_what_is_set_before_workers_begin_is_reported(program: str, lines: list[str]) -> None:
    assert reported({"main.py": program.format(body=body(lines))}, "main-guard")


@pytest.mark.parametrize("program", [IN_FUNCTION, UNDER_GUARD], ids=["function", "guard"])
@pytest.mark.parametrize("lines", NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_is_set_later_is_not(program: str, lines: list[str]) -> None:
    assert not reported({"main.py": program.format(body=body(lines))}, "main-guard")


def test_the_start_is_in_a_function_that_the_guard_calls() -> None:
    run = "def run():\n    with Pool(1) as pool:\n        print(pool.map(work, [1]))\n\n\n"
    program = SCRIPT + run + 'if __name__ == "__main__":\n{body}\n'
    assert not reported({"main.py": program.format(body=body(["run()", CHANGE, "print(SCALE)"]))}, "main-guard")
    assert reported({"main.py": program.format(body=body(["run()", CHANGE, "run()"]))}, "main-guard")


def test_a_lambda_that_sets_the_global_in_each_worker() -> None:
    script = (
        "from multiprocessing import Pool\n\nWORDS = None\n\n\n"
        "def load(path):\n    global WORDS\n    WORDS = open(path).read().split()\n\n\n"
        "def nth(index):\n    return WORDS[index]\n\n\n"
        "def run(path):\n    with Pool(1{how}) as pool:\n        print(pool.map(nth, [0]))\n\n\n"
        'if __name__ == "__main__":\n    run("a")\n'
    )
    assert not reported({"main.py": script.format(how=", initializer=lambda: load(path)")}, "main-guard")
    assert reported({"main.py": script.replace("    with", "    load(path)\n    with").format(how="")}, "main-guard")


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("main()", False),
        ("main()\n    main()", True),
        ("for epoch in range(2):\n        main()", True),
        ("if WORDS:\n        main()\n    else:\n        main()", False),
        ("print([main() for epoch in range(2)])", True),
    ],
)
@pytest.mark.parametrize(
    "lines",
    [
        NOT_FOUND["below all"],
        NOT_FOUND["started above"],
        ["with Pool(1) as pool:", "    SCALE = len(pool.map(work, [1]))"],
    ],
)
def test_a_function_that_is_run_again(lines: list[str], run: str, found: bool) -> None:
    program = IN_FUNCTION.replace("    main()\n", f"    {run}\n").replace("SCALE = 1\n", "SCALE = 1\nWORDS = []\n")
    assert bool(reported({"main.py": program.format(body=body(lines))}, "main-guard")) is found


@pytest.mark.parametrize(
    ("run", "found"),
    [("setup()\n    run()", True), ("run()\n    setup()", False), ("run()\n    setup()\n    run()", True)],
)
def test_a_function_that_sets_it(run: str, found: bool) -> None:
    script = (
        "from multiprocessing import Pool\n\nTABLE = None\n\n\ndef setup():\n    global TABLE\n    TABLE = [3]\n\n\n"
        "def work(index):\n    return TABLE, index\n\n\n"
        "def run():\n    with Pool(1) as pool:\n        print(pool.map(work, [1]))\n\n\n"
        f'if __name__ == "__main__":\n    {run}\n'
    )
    assert bool(reported({"main.py": script}, "main-guard")) is found


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("setup(); run()", True),
        ("run(); setup()", False),
        ("run(); setup(); run()", True),
        ("outer(); setup()", False),
        ("setup(); outer()", True),
        ("for turn in range(2): run(); setup()", True),
    ],
)
@pytest.mark.parametrize("within", [False, True])
def test_a_function_that_sets_it_to_another_value(run: str, found: bool, within: bool) -> None:
    outer = "def outer():\n    run()\n\n\n" if "outer" in run else ""
    main = f"def main():\n    {run}\n\n\n" if within else ""
    script = (
        "from multiprocessing import Pool\n\nLEVEL = 1\n\n\ndef setup():\n    global LEVEL\n    LEVEL = 3\n\n\n"
        "def work(index):\n    return LEVEL, index\n\n\n"
        f"def run():\n    with Pool(1) as pool:\n        print(pool.map(work, [1]))\n\n\n{outer}{main}"
        f'if __name__ == "__main__":\n    {"main()" if within else run}\n'
    )
    assert bool(reported({"main.py": ast.unparse(ast.parse(script))}, "main-guard")) is found


@pytest.mark.parametrize(
    ("second", "found"), [("work, items", True), ("print, items", False), ("len, [work(1)]", False)]
)
def test_another_function_that_gets_the_same(second: str, found: bool) -> None:
    lines = ["items = [1]", "with Pool(1) as pool:", "    pool.map(work, items)", CHANGE, "with Pool(1) as pool:"]
    program = IN_FUNCTION.format(body=body([*lines, f"    pool.map({second})"]))
    assert bool(reported({"main.py": program}, "main-guard")) is found
