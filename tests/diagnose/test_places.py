"""Lines that an error names, found by syntax; and that nothing unrelated is offered."""

from __future__ import annotations

import textwrap

import pytest

from codemods.diagnose.explain import Explanation
from harness.each_row import each_row
from harness.explained import explained_in

SERVER = """
    import os
    import threading


    class Server:
        def __init__(self):
            self.logger = make_logger()
            registry["f"] = lambda x: x  # which the flow doesn't follow

        def other(self):
            return sorted(self.rows, key=lambda row: row[0])

        def start(self):
            rank = int(os.environ["NODE_RANK"])
            os.environ["NODE_RANK"] = "1"
            return rank


    class Holder:
        def __init__(self):
            self.poller = make()
            self.guard = make()
"""


def explained(error: str, **files: str) -> Explanation:
    contents = {
        name.replace("__", "/") + ".py": textwrap.dedent(text).lstrip().encode() for name, text in files.items()
    }
    contents = contents or {"pkg/server.py": textwrap.dedent(SERVER).lstrip().encode()}
    return explained_in(error, contents)


def places(error: str) -> list[tuple[str, int]]:
    """Where a rule finds it, else the lines that the error names."""
    found = explained(error)
    findings = [(each.finding.path, each.finding.span.line) for each in found.candidates]
    return findings + [(spot.path, spot.line) for spot in found.spots]


@each_row(
    ("error", "lines"),
    [
        pytest.param("AttributeError: Can't pickle local object 'Server.__init__.<locals>.<lambda>'", [8], id="lambda"),
        pytest.param(
            "PicklingError: Can't pickle <class 'pkg.server.Holder'>: it's not the same object as pkg.server.Holder",
            [19],
            id="a class with its module",
        ),
        pytest.param("KeyError: 'NODE_RANK'", [14], id="a variable of the environment"),
        pytest.param(
            "TypeError: cannot pickle 'select.epoll' object\nwhen serializing dict item 'poller'\n"
            "when serializing pkg.server.Holder state\n",
            [21],
            id="an attribute of Python 3.14's notes",
        ),
        pytest.param(
            'File "/opt/conda/lib/python3.6/multiprocessing/process.py", line 105, in start\n'
            "TypeError: can't pickle _thread.RLock objects\n",
            [7],
            id="a logger before Python 3.7",
        ),
        pytest.param(
            'Traceback (most recent call last):\n  File "/other/machine/pkg/server.py", line 13, in start\n    x\n'
            "RuntimeError: Address already in use\n",
            [13],
            id="only a frame",
        ),
        pytest.param("RuntimeError: Address already in use\n", [], id="nothing"),
        pytest.param("KeyError: 'WORLD_SIZE'", [], id="a variable that is not read"),
    ],
)
def test_what_the_error_names(error: str, lines: list[int]) -> None:
    assert places(error) == [("pkg/server.py", line) for line in lines]


LOCKED = """
    import threading
    from torch.utils.data import DataLoader, Dataset


    class Rows(Dataset):
        def __init__(self):
            self.lock = threading.Lock()


    for row in DataLoader(Rows(), num_workers=2):
        pass
"""


@pytest.mark.parametrize(
    "error",
    [
        "TypeError: cannot pickle 'select.epoll' object",
        "TypeError: cannot pickle 'sqlite3.Connection' object",
        'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    x\n'
        "TypeError: cannot pickle 'sqlite3.Connection' object",
    ],
)
def test_a_place_that_does_not_fit_is_not_offered(error: str) -> None:
    found = explained(error, train=LOCKED)
    assert (found.candidates, found.others, found.command) == ((), 1, None)


def test_a_place_that_fits_is() -> None:
    found = explained("TypeError: cannot pickle '_thread.lock' object", train=LOCKED)
    assert [each.finding.span.line for each in found.candidates] == [7]
    assert found.command == "spawnfix migrate . --select unpicklable-attributes"


def test_without_type_and_name_a_frame_must_point_at_the_file() -> None:
    error = "RuntimeError: An attempt has been made to start a new process before the current process has finished"
    script = "from torch.utils.data import DataLoader\nfor row in DataLoader([1], num_workers=2):\n    print(row)\n"
    assert explained(error, train=script).candidates == ()
    frame = 'Traceback (most recent call last):\n  File "C:\\work\\train.py", line 2, in <module>\n    for row in x:\n'
    assert [each.finding.path for each in explained(frame + error, train=script).candidates] == ["train.py"]
    assert explained(frame.replace("train", "other") + error, train=script).candidates == ()


def test_files_that_could_not_be_read_are_named() -> None:
    found = explained("KeyError: 'LOCAL_RANK'", old="import os\nprint os.environ['LOCAL_RANK']\n", train="x = 1\n")
    assert [row.path for row in found.unread] == ["old.py"]
    odd = b"class Rows:\n    def make(self):\n        return lambda: '\0'\n"
    error = "AttributeError: Can't pickle local object 'Rows.make.<locals>.<lambda>'"
    found = explained_in(error, {"odd.py": odd, "even.py": odd.replace(b"\0", b"")})
    assert [spot.path for spot in found.spots] == ["even.py"] and [row.path for row in found.unread] == ["odd.py"]


POOLED = """
    from multiprocessing import Pool


    def work(i):
        return table[i]


    def main():
        global table
        table = [1, 2]
        with Pool(2) as pool:
            print(pool.map(work, [0, 1]))


    if __name__ == "__main__":
        main()
"""
NO_TABLE = (
    'Traceback (most recent call last):\n  File "lib/multiprocessing/pool.py", line 125, in worker\n'
    "  File \"/home/ada/train.py\", line 5, in work\n    return table[i]\nNameError: name 'table' is not defined\n"
)


@pytest.mark.parametrize("old", [False, True], ids=["Python 3", "Python 2"])
def test_a_global_that_a_worker_lacks_is_shown_where_it_is_set(old: bool) -> None:
    program = POOLED.replace("print(pool.map(work, [0, 1]))", "print pool.map(work, [0, 1])") if old else POOLED
    found = explained(NO_TABLE, train=program, other=program)
    named = {(spot.path, spot.line) for spot in found.spots if spot.named}
    assert {("train.py", 9), ("train.py", 10)} <= named
    assert {path for path, _ in named} == {"train.py"}


START = """
    from torch.utils.data import DataLoader

    for batch in DataLoader([1, 2], num_workers=2):
        print(batch)
"""
BOOTSTRAPPING = "RuntimeError: An attempt has been made to start a new process before the\n"


def test_a_script_that_the_text_shows_being_started_counts_as_its_place() -> None:
    alone = explained(BOOTSTRAPPING, train=START, other=START)
    assert alone.candidates == () and {each.path for each in alone.alike} == {"train.py", "other.py"}
    assert alone.command is None
    for start in (
        "$ python3 train.py --lr 0.1",
        "torchrun --nproc_per_node=2 ./train.py",
        "C:\\x> python.exe x\\train.py",
    ):
        found = explained(f"{start}\n{BOOTSTRAPPING}", train=START, other=START)
        assert [each.finding.path for each in found.candidates] == ["train.py"] and found.alike == ()
        assert found.command is not None
    for start in ("File python3.8/site-packages/train.py:3: UserWarning", "edit train.py"):
        assert explained(f"{start}\n{BOOTSTRAPPING}", train=START, other=START).candidates == ()


LAUNCH = b"python -m torch.distributed.launch --nproc_per_node=2 train.py\n"
TAKES = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    print(parser.parse_args().local_rank)
"""


def test_the_script_that_complains_names_its_launch() -> None:
    files = {
        "run.sh": LAUNCH,
        "other.sh": LAUNCH.replace(b"train", b"other"),
        "train.py": textwrap.dedent(TAKES).encode(),
        "other.py": textwrap.dedent(TAKES).encode(),
    }
    error = "train.py: error: unrecognized arguments: --local-rank=0"
    found = explained_in(error, files)
    assert [each.finding.path for each in found.candidates] == ["run.sh"]


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        ("/usr/lib/python3/dist-packages/server/core.py", 3),
        ("/home/me/.venv/lib/python3.11/site-packages/server-1.0-py3.11.egg/server/core.py", 3),
        ("/usr/lib/python3/dist-packages/other/core.py", None),
    ],
)
def test_an_installed_copy_of_a_file_is_the_file(frame: str, line: int | None) -> None:
    text = f"""Traceback (most recent call last):
  File "{frame}", line 3, in work
    pool.apply(self)
EOFError: Ran out of input
"""
    found = explained(
        text, src__server__core="class A:\n    def work(self):\n        pool.apply(self)\n", other="x = 1\n"
    )
    assert [spot.line for spot in found.spots] == ([] if line is None else [line])
