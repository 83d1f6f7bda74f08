"""What workers take out of a table by `get`, what functions read of what they are passed, programs that only fork."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TABLES = """\
import multiprocessing as mp
from multiprocessing import Pool

table = {{}}


def load(path):
    for line in open(path):
        table[line] = line.strip()


def work(row):
    {work}


def main():
    load("words.txt")
    with {pool} as pool:
        print(pool.map(work, ["a"]))


if __name__ == "__main__":
    {first}main()
"""


def is_reported(work: str, pool: str = "Pool(2)", first: str = "") -> bool:
    text = TABLES.format(work=work.replace("\n", "\n    "), pool=pool, first=first)
    return bool(reported({"a.py": text}, "main-guard"))


@each_row(
    ("work", "found"),
    [
        ("return {'word': table.get(row)}", True),
        ("return table.get(row, 0)", True),
        ("return len(table.get(row, ''))", True),
        ("word = table.get(row)\nreturn word", True),
        ("return table.get(row)", False),  # who calls it may compute what a cache does not have
        ("word = table.get(row)\nif word is None:\n    word = row\nreturn word", False),
        ("return table.get(row) or row", False),
        ("if row in table:\n    return [table.get(row)]\nreturn row", False),
        ("found = table.get(row, 0)\nreturn found if found else len(row)", False),
        ("table[row] = row\nreturn [table.get(row)]", False),
        ("return row.get(table)", False),
    ],
)
def test_what_get_takes_out_of_a_table(work: str, found: bool) -> None:
    assert is_reported(work) is found


@each_row(
    ("pool", "first", "found"),
    [
        ("Pool(2)", "", True),
        ("Pool(2)", "mp.set_start_method('fork')\n    ", False),
        ("mp.Pool(2)", "mp.set_start_method('fork', force=True)\n    ", False),
        ("Pool(2)", "mp.set_start_method('spawn')\n    ", True),
        ("mp.get_context('spawn').Pool(2)", "mp.set_start_method('fork')\n    ", True),
        ("mp.get_context(METHOD).Pool(2)", "mp.set_start_method('fork')\n    ", True),
        ("mp.get_context('fork').Pool(2)", "mp.set_start_method('fork')\n    ", False),
        ("mp.get_context().Pool(2)", "mp.set_start_method('fork')\n    ", False),
        ("Pool(2)", "if table:\n        mp.set_start_method('fork')\n    ", True),
    ],
)
def test_a_program_that_chooses_fork_for_itself(pool: str, first: str, found: bool) -> None:
    assert is_reported("return table[row]", pool, first) is found


def test_a_context_that_another_file_takes_is_another_matter() -> None:
    first = "mp.set_start_method('fork')\n    "
    text = TABLES.format(work="return table[row]", pool="Pool(2)", first=first)
    other = "from multiprocessing import get_context\n\n\ndef context(method):\n    return get_context(method)\n"
    assert not reported({"a.py": text, "other.py": other}, "main-guard")


SETTINGS = """\
from argparse import Namespace
from multiprocessing import Pool

args = Namespace(size=1, warm=2)


class Model:
    def __init__(self, options, name="a"):
        self.size = options.size


def build(args):
    return {build}


def work(row):
    return {work}


def main():
    args.warm = 3
    with Pool(2) as pool:
        print(pool.map(work, ["a"]))


if __name__ == "__main__":
    main()
"""


@each_row(
    ("work", "build", "found"),
    [
        ("build(args)", "args.size", False),
        ("build(args=args)", "print(args.size, args.size)", False),
        ("Model(args)", "3", False),
        ("build(args)", "Model(args)", False),
        ("build(args)", "args.warm", True),
        ("build(args)", "args", True),
        ("build(args)", "vars(args)", True),
        ("build(args)", "print(args)", True),
        ("build(args)", "getattr(args, 'warm')", True),
        ("print(args)", "3", True),
        ("build(*[args])", "args.size", True),
    ],
)
def test_what_a_function_reads_of_what_it_is_passed(work: str, build: str, found: bool) -> None:
    files = {"a.py": SETTINGS.format(work=work, build=build)}
    assert bool(reported(files, "main-guard")) is found


LOADER = """\
from torch.utils.data import DataLoader, Dataset

hparams = {{}}


def longest(values):
    most = 0
    for each in values:
        most = max(most, each.size(0))
    return most


def with_last(values):
    for each in []:
        print(each)
    else:
        each = values
    return each.size(0)


def pad(values):
    return {pad}


class Rows(Dataset):
    def size(self, index):
        return min(index, hparams["max"])

    def __getitem__(self, index):
        return index

    def collate(self, samples):
        return pad({given})


def main():
    hparams["max"] = 3
    rows = Rows()
    print(*DataLoader(rows, num_workers=2, collate_fn=rows.collate))


if __name__ == "__main__":
    main()
"""


@each_row(
    ("pad", "given", "found"),
    [
        ("max(v.size(0) for v in values)", "samples", False),  # of tensors
        ("[v.size(0) for v in values]", "samples", False),
        ("longest(values)", "samples", False),
        ("with_last(values)", "self", True),
        ("values.size(0)", "self", True),
        ("max(values.size(v) for v in [1, 2])", "self", True),
    ],
)
def test_a_method_of_what_is_drawn_from_the_samples(pad: str, given: str, found: bool) -> None:
    assert bool(reported({"a.py": LOADER.format(pad=pad, given=given)}, "main-guard")) is found
