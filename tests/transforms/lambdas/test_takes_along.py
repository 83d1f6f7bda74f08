"""A function that would take along what can't be pickled gets no fix, as it would not be picklable after it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

PROGRAM = """\
import multiprocessing as mp

def scaled(size):
    def scale(x):
        {changes}
        return x * size
    return scale

def work(fn, queue):
    queue.put(fn({{"a": 2}}))

class Env:
    def __init__(self):
        scale = scaled(3)
        self.fn = lambda row: {{"a": scale(row["a"])}}

    def run(self, queue):
        mp.Process(target=work, args=(self.fn, queue)).start()
"""


@each_row(("changes", "fixed"), [("pass", True), ("nonlocal size; size += 1", False)])
def test_both_or_none(changes: str, fixed: bool) -> None:
    files = {"env.py": PROGRAM.format(changes=changes)}
    if fixed:
        assert "lambda" not in migrated(files, "lambdas")["env.py"]
    else:
        first, second = reasons(files, "lambdas")
        assert "nonlocal" in first and second.startswith("it takes along what env.py:4 defines")


LOADERS = """\
from torch.utils.data import DataLoader, Dataset

def counted(scale):
    count = 0
    def norm(x):
        nonlocal count
        count += 1
        return x * scale
    return norm

class Rows(Dataset):
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, at):
        return self.fn(at)

class Trainer:
    def __init__(self, scale):
        self.norm = counted(scale)
        self.scale = scale

    def loader(self, data):
        {method}

def train(data):
    norm, steps = counted(2), [counted(3), abs]
    def both(x):
        return steps[0](steps[1](x))
    {function}
"""


@each_row(
    ("function", "method"),
    [
        # the other function is shown with the way through the dataset
        ("DataLoader(Rows(norm), collate_fn=lambda rows: [norm(row) for row in rows], num_workers=2)", "pass"),
        ("DataLoader(Rows(steps[0]), collate_fn=lambda rows: [step(rows) for step in steps], num_workers=2)", "pass"),
        ("DataLoader(Rows(steps[0]), collate_fn=lambda rows: [both(row) for row in rows], num_workers=2)", "pass"),
        # nobody else is seen to send it
        ("pass", "return DataLoader(data, collate_fn=lambda rows: [self.norm(r) for r in rows], num_workers=2)"),
        ("pass", "return DataLoader(data, collate_fn=lambda rows: [self.scale for r in rows], num_workers=2)"),
    ],
)
def test_none_where_the_other_is_refused_whatever_way_is_shown(function: str, method: str) -> None:
    files = {"train.py": LOADERS.format(function=function, method=method)}
    mine = next(at for at, line in enumerate(files["train.py"].splitlines(), 1) if "lambda" in line)
    [finding] = [each for each in reported(files, "lambdas") if each.span.line == mine]
    assert finding.fix is None
    assert finding.reason is not None and finding.reason.startswith("it takes along what train.py:5 defines")
    assert "nonlocal" in finding.reason


def test_attributes_that_stay_behind_hold_nothing_back() -> None:
    method = "return DataLoader(data, collate_fn=lambda rows: [self.scale for r in rows], num_workers=2)"
    text = LOADERS.format(function="pass", method=method)
    files = {"train.py": text.replace("self.scale = scale", "self.scale, self.dataset = scale, Rows(abs)")}
    assert "partial(" in migrated(files, "lambdas")["train.py"]  # over the one attribute that it reads


PARTS = """\
from multiprocessing import Pool

def build(scale):
    def pad(x):
        return x + 1

    {imported}

    def work(x):
        return {body}

    return {given}

if __name__ == "__main__":
    print(Pool(2).map(build(2), [1, 2]))
"""
MODULE = "try:\n        import ujson as json\n    except ImportError:\n        import json"
VALUE = "try:\n        from fast import clip\n    except ImportError:\n        clip = None"


@each_row(
    ("imported", "body", "given", "fixed"),
    [
        (MODULE, "json.dumps(pad(x) * scale)", "work", 0),  # `pad` alone would help nobody
        (MODULE, "json.dumps(pad(x) * scale)", "work or pad", 1),
        ("import json", "json.dumps(pad(x) * scale)", "work", 2),
        (VALUE, "clip(pad(x)) if clip else scale", "work", 2),
        (VALUE, "clip.__name__ if clip else pad(scale)", "work", 0),  # it may be a module
    ],
)
def test_what_only_a_function_reads_that_stays(imported: str, body: str, given: str, fixed: int) -> None:
    text = PARTS.format(imported=imported, body=body, given=given)
    found = reported({"a.py": text}, "lambdas")
    assert len(found) == 2 and sum(each.fix is not None for each in found) == fixed
    part = next(each for each in found if each.span.line == 4)
    assert part.fix is not None or (part.reason or "").startswith("what takes it along (line ")


def test_values_of_two_imports_are_passed() -> None:
    text = PARTS.format(imported=VALUE, body="clip(x) if clip else scale", given="work")
    assert "functools.partial(_build_work, clip, scale)" in migrated({"a.py": text}, "lambdas")["a.py"]
