"""Definitions under the main guard that workers need: which of them may move above it."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

POOL = 'from multiprocessing import Pool\n\nif __name__ == "__main__":\n'
WORK = "    def work(x):\n        return x\n\n"
MAP = "    Pool(2).map(work, [1])\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(POOL + WORK + MAP + "\n    def work(x):\n        return -x\n", id="twice under the guard"),
        pytest.param(
            POOL
            + "    def twice(x):\n        return 2 * x\n\n    def work(x):\n        return twice(x)\n\n"
            + MAP
            + "\n\ndef twice(x):\n    return x + x\n",
            id="what it calls, below the guard as well",
        ),
    ],
)
def test_what_is_bound_twice_does_not_move(text: str) -> None:
    (reason,) = reasons({"a.py": text}, "main-guard")
    assert "is bound in other places as well" in reason


@each_row("change", ["Conf.rate = 2", "Conf.sizes['b'] = 4", "del Conf.rate", "shared.rate = 2"])
def test_an_attribute_that_workers_read_is_not_set_under_the_guard(change: str) -> None:
    text = (
        "import multiprocessing as mp\nimport shared\n\n\nclass Conf:\n    rate = 1\n    sizes = {}\n\n\n"
        "def work(n):\n    print(n, Conf.rate, Conf.sizes, shared.rate)\n\n\n"
        f"first = mp.Process(target=work, args=(1,))\nfirst.start()\n{change}\n"
        "second = mp.Process(target=work, args=(2,))\nsecond.start()\n"
    )
    (reason,) = reasons({"a.py": text, "shared.py": "rate = 1\n"}, "main-guard")
    assert "which a worker reads" in reason


MARKED = """\
import torch
from torch.utils.data import DataLoader
from helpers import *

model = torch.load("model.pt")
model.cuda()
loader = DataLoader([1, 2], num_workers=2)


@unscored
def step(row):
    return model(row)


if __name__ == "__main__":
    for row in loader:
        step(row)
"""
WRAPS = """\
import functools


def unscored(function):
    \"\"\"No gradients.\"\"\"

    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner
"""


@each_row(
    ("helpers", "guards"),
    [
        (WRAPS, 1),
        (WRAPS.replace("    @functools.wraps(function)\n", ""), 1),
        (WRAPS.replace("    return inner", "    KNOWN.append(inner)\n    return inner"), 2),
        (WRAPS.replace("*args, **kwargs):", "*args, seen=[], **kwargs):"), 2),
        (WRAPS.replace("    return inner", "    return register(inner)"), 2),
    ],
)
def test_a_function_moves_above_one_guard_where_its_decorator_only_wraps_it(helpers: str, guards: int) -> None:
    text = migrated({"a.py": MARKED, "helpers.py": helpers}, "main-guard")["a.py"]
    assert text.count("__main__") == guards
    assert ("import *\n\n\n@unscored\ndef step(row):\n    return model(row)\n\n\nif __name__" in text) is (guards == 1)


HEADER = """\
import argparse
from multiprocessing import Pool
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--noise", default="snow")
args = parser.parse_args()
net = torch.load("net.pt")
args.batch = 6


{mark}def distance(n, noisy="snow" in args.noise):
    return n if noisy else -n


"""


@pytest.mark.parametrize(
    ("mark", "last", "along"),
    [
        ("", "print(Pool(2).map(abs, [1]), distance(1))\n", True),
        ("", "print(Pool(2).map(distance, [1]))\n", False),
        ("@torch.no_grad()\n", "print(Pool(2).map(abs, [1]), distance(1))\n", True),
        ("@torch.register\n", "print(Pool(2).map(abs, [1]), distance(1))\n", False),
    ],
)
def test_a_function_that_can_not_move_goes_along_where_no_worker_needs_it(mark: str, last: str, along: bool) -> None:
    text = migrated({"a.py": HEADER.format(mark=mark) + last}, "main-guard")["a.py"]
    assert ("    def distance" in text) is along
    assert text.count("__main__") == (1 if along else 2)


ATTACK = """\
import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader

args = argparse.ArgumentParser().parse_args()
loader = DataLoader(torch.load("rows.pt"), num_workers=2{collate})
body = torch.load("net.pt")


{base}
    def refine(self, x, steps=args.steps):
        return self.logits(x)

    def logits(self, x):
        return x


net = {make}
for row in loader:
    logits = net.refine(row)
    print(logits)
"""


@pytest.mark.parametrize(
    ("base", "make", "collate", "along"),
    [
        pytest.param("class Refined(nn.Module):", "Refined()", "", True, id="a model of the main process"),
        pytest.param("@register\nclass Refined(nn.Module):", "Refined()", "", False, id="a decorator that may notice"),
        pytest.param("class Refined(list):", "Refined()", ", collate_fn=Refined", False, id="a worker calls it"),
    ],
)
def test_a_class_that_can_not_move_goes_along_where_no_worker_needs_it(
    base: str, make: str, collate: str, along: bool
) -> None:
    text = migrated({"a.py": ATTACK.format(base=base, make=make, collate=collate)}, "main-guard").get("a.py", "")
    assert ("    class Refined" in text and "    body = torch.load" in text) is along


@each_row(
    ("argument", "starts"),
    [("0", False), ("4", True), ("None", True), ("count", True)],
)
def test_a_constructor_makes_its_pool_only_where_the_argument_says_so(argument: str, starts: bool) -> None:
    reader = (
        "from multiprocessing import Pool\n\n\nclass Reader:\n    def __init__(self, workers=None):\n"
        "        if workers is None or workers > 0:\n            self.pool = Pool(workers)\n"
        "        else:\n            self.pool = None\n"
    )
    text = f"from reader import Reader\n\nreader = Reader(workers={argument})\n"
    assert bool(reported({"reader.py": reader, "a.py": text}, "main-guard")) is starts


@pytest.mark.parametrize(("line", "own"), [("def eval(x):", True), ("def score(x):", False)])
def test_a_function_called_eval_that_a_star_import_binds_is_not_the_builtin(line: str, own: bool) -> None:
    text = (
        "import torch\nfrom multiprocessing import Pool\nfrom metrics import *\n\n\n"
        "def work(x):\n    return eval(x)\n\n\nwith Pool(2) as pool:\n    print(pool.map(work, [1]))\n"
    )
    files = {"a.py": text, "metrics.py": f"{line}\n    return x + 1\n"}
    if own:
        assert "__main__" in migrated(files, "main-guard")["a.py"]
    else:
        (reason,) = reasons(files, "main-guard")
        assert "looks names up by text" in reason


SCRIPT = """\
import atexit
from multiprocessing import Pool


{above}


def work(n):
    return n{used}


{middle}
print(Pool(2).map(work, [1, 2]))
"""
CHOOSE = "def choose(n):\n    {body}\n    return n"


def unsafe(above: str, middle: str, used: str = "") -> str:
    """Why the guard of the script is left to `--unsafe-fixes`; "" where it is not."""
    (finding,) = reported({"a.py": SCRIPT.format(above=above, middle=middle, used=used)}, "main-guard")
    assert finding.fix is not None
    return finding.fix.unsafe or ""


@pytest.mark.parametrize("mark", ["@atexit.register", "@other"])
def test_what_is_called_at_the_end(mark: str) -> None:
    """A forked child never calls it, a spawned one does."""
    why = unsafe(f"def other(f):\n    return f\n\n\n{mark}\ndef goodbye():\n    print('end')", "COUNT = 1")
    assert why.startswith("`goodbye` (line 10) is called at the end of the process") is (mark == "@atexit.register")
    assert bool(why) is (mark == "@atexit.register")


@each_row(
    ("body", "used", "again"),
    [
        ("print('choosing')", " + COUNT", True),
        ("print('choosing')", "", False),
        ("pass", " + COUNT", False),
        ("if n > 8:\n        print('many')", " + COUNT", False),
    ],
)
def test_a_value_of_a_function_that_prints(body: str, used: str, again: bool) -> None:
    """Where workers need the value, each prints once more."""
    why = unsafe(CHOOSE.format(body=body), "COUNT = choose(3)", used)
    assert ("prints or logs" in why) is again and bool(why) is again


MAIN = (
    "from multiprocessing import Pool\n\n\ndef work(x):\n    return x\n\n\n"
    "def main():\n    with Pool(2) as pool:\n        pool.map(work, [1])\n\n\n"
)


@each_row(
    ("last", "guarded"),
    [
        ('main() if __name__ == "__main__" else None\n', True),
        ('None if __name__ == "__main__" else main()\n', False),
        ('__name__ == "__main__" and main()\n', True),
        ('main() and __name__ == "__main__"\n', False),
        ('if not __name__ != "__main__":\n    main()\n', True),
        ('if __name__ != "__main__":\n    pass\nelse:\n    main()\n', True),
        ('if __name__ != "__main__":\n    main()\n', False),
        ('if __name__ in ("__main__",):\n    main()\n', True),
        ('if "__main__" == __name__:\n    main()\n', True),
        ('if __name__ in ("__main__", "__mp_main__"):\n    main()\n', False),
    ],
)
def test_other_ways_to_ask_for_the_main_process(last: str, guarded: bool) -> None:
    assert (reported({"a.py": MAIN + last}, "main-guard") == []) is guarded


METHOD = """\
import multiprocessing as mp

mp.set_start_method("spawn")
{above}

def square(n):
    return n * n


{below}
if __name__ == "__main__":
    with mp.Pool(2) as pool:
        print(pool.map(square, [3]))
"""


@pytest.mark.parametrize(
    ("above", "below"),
    [
        pytest.param('print("starts")\n', "", id="beside the start method"),
        pytest.param("", 'print("defined")\n', id="below the functions"),
        pytest.param('print("starts")\n', 'print("defined")\n', id="both"),
    ],
)
def test_a_start_method_takes_what_is_printed_along(above: str, below: str) -> None:
    """So far a child stopped where the method is set again; one that goes on would print every line once more."""
    (after,) = migrated({"a.py": METHOD.format(above=above, below=below)}, "main-guard").values()
    tops = [line for line in after.splitlines() if line.startswith(("print", "mp."))]
    assert not tops, after
    assert after.count("print(") == 1 + bool(above) + bool(below)


def test_a_start_method_above_what_prints_and_is_needed() -> None:
    text = METHOD.format(above="", below="def offset():\n    print('asked')\n    return 1\n\n\nOFFSET = offset()\n")
    text = text.replace("n * n", "n * n + OFFSET")
    (finding,) = reported({"a.py": text}, "main-guard")
    assert finding.fix is not None and "prints" in (finding.fix.unsafe or "")


def test_comments_at_the_end_of_a_function_stay_in_it() -> None:
    text = (
        "import numpy\nfrom multiprocessing import Pool\n\nrows = numpy.load('a.npy')\n\n\ndef work(n):\n    return n\n"
        "    # debug(n)\n\n    # more\n\n\nlimit = 2\n\n\n"
        "def main():\n    Pool(limit).map(work, rows)\n    # show()\n\n\nmain()\n"
    )
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    assert "    return n\n    # debug(n)\n\n    # more\n\n\ndef main():\n" in after
    assert "Pool(limit).map(work, rows)\n    # show()\n\n\nif __name__" in after
    assert after.count("#") == text.count("#")


@pytest.mark.parametrize(
    ("handler", "goes"),
    [
        pytest.param("print('set before')", True, id="printed by each child"),
        pytest.param("pass", False, id="nothing to see"),
    ],
)
def test_a_start_method_that_is_tried(handler: str, goes: bool) -> None:
    """In a child it is set already, so the child runs the handler."""
    text = (
        f"import multiprocessing as mp\n\ntry:\n    mp.set_start_method('spawn')\nexcept RuntimeError:\n"
        f"    {handler}\n\n\ndef work(n):\n    return n\n\n\npool = mp.Pool(2)\nprint(pool.map(work, [1]))\n"
    )
    (after,) = migrated({"a.py": text}, "main-guard").values()
    assert ("    try:\n        mp.set_start_method('spawn')\n" in after) is goes


def test_comments_that_are_about_what_follows_do_not() -> None:
    text = (
        "import torch\nfrom torch.utils.data import DataLoader\n\nmodel = torch.nn.Linear(2, 2).cuda()\n\n\n"
        "def work(i):\n    print(i)\n    # debug(i)\n\n    # shape(i)\n\n\nlimit = 10\n\n\n"
        "def other(i):\n    return i\n    # the last\n# all of it\nfor b in DataLoader([1], num_workers=2):\n"
        "    print(work(b), limit)\n    # next\n"
    )
    done = migrated({"train.py": text}, "main-guard")["train.py"]
    assert done == (
        "import torch\nfrom torch.utils.data import DataLoader\n\n\n"
        "def work(i):\n    print(i)\n    # debug(i)\n\n    # shape(i)\n\n\n"
        'def other(i):\n    return i\n    # the last\n\n\nif __name__ == "__main__":\n'
        "    model = torch.nn.Linear(2, 2).cuda()\n\n    limit = 10\n\n    # all of it\n"
        "    for b in DataLoader([1], num_workers=2):\n        print(work(b), limit)\n        # next\n"
    )


def test_comments_at_the_end_of_a_function_leave_the_guard_with_it() -> None:
    text = (
        "import multiprocessing as mp\n\nif __name__ == '__main__':\n    print(1)\n\n    def work(i):\n"
        "        return i\n        # debug(i)\n    # go\n    with mp.Pool(2) as pool:\n        pool.map(work, [1])\n"
    )
    done = migrated({"train.py": text}, "main-guard")["train.py"]
    assert done == (
        "import multiprocessing as mp\n\n\ndef work(i):\n    return i\n    # debug(i)\n\n\n"
        "if __name__ == '__main__':\n    print(1)\n\n    # go\n    with mp.Pool(2) as pool:\n"
        "        pool.map(work, [1])\n"
    )


def test_blank_lines_between_what_moves_together_keep_their_blanks() -> None:
    text = (
        "import os\nfrom multiprocessing import Pool\n\nos.makedirs('out')\nKEPT = [1, 2]\n  \nMORE = [3]\n\n\n"
        "def work(x):\n    return x in KEPT, MORE\n\n\nPool(2).map(work, [1])\n"
    )
    assert "KEPT = [1, 2]\n  \nMORE = [3]\n" in migrated({"a.py": text}, "main-guard")["a.py"]


TRIED = """\
import torch
from torch.utils.data import DataLoader

gpus = False
{line}


def main():
    for row in DataLoader([1], num_workers=2):
        print(row)


if __name__ == "__main__":
    main()
"""


@each_row(
    ("line", "moves"),
    [
        ("torch.cuda.set_device(0)", True),
        ("open('log', 'a').write('main' if __name__ == '__main__' else 'worker')", False),
        ("open('log', 'a').write(__name__)", True),
        ("try:\n    torch.cuda.set_device(gpus[0])\nexcept TypeError:\n    gpus = []", False),
        ("try:\n    torch.cuda.set_device(gpus[0])\nexcept TypeError:\n    raise", True),
        (
            "try:\n    try:\n        torch.cuda.set_device(gpus[0])\n    except TypeError:\n        raise\n"
            "except Exception:\n    gpus = []",
            False,
        ),
        ("try:\n    gpus = [0]\nfinally:\n    torch.cuda.set_device(gpus[0])", True),
    ],
)
def test_what_workers_would_do_again_moves(line: str, moves: bool) -> None:
    assert bool(migrated({"train.py": TRIED.format(line=line)}, "main-guard")) is moves


@pytest.mark.parametrize("gap", ["", "\n"])
def test_blank_lines_stay_where_a_line_between_moves(gap: str) -> None:
    text = (
        "import os\nfrom multiprocessing import Pool\n\nFOLDER = 'out'\nos.makedirs(FOLDER)\n"
        f"{gap}# what is kept\nKEPT = [1, 2]\n\n\ndef work(x):\n    return x in KEPT, FOLDER\n\n\n"
        "Pool(2).map(work, [1])\n"
    )
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    assert f"FOLDER = 'out'\n{gap}# what is kept\n" in after
    assert "    os.makedirs(FOLDER)\n" in after


WITH_IMPORT = """\
import multiprocessing as mp

if __name__ == "__main__":
    import math

    def work(x):
        return math.sqrt(x)

    with mp.Pool(2) as pool:
        print(pool.map(work, [4, 9]))
"""


def test_an_import_that_moves_up_leaves_no_blank_line_and_stands_with_the_others() -> None:
    after = migrated({"run.py": WITH_IMPORT}, "main-guard")["run.py"]
    assert after.startswith("import multiprocessing as mp\n\nimport math\n\n\ndef work(x):\n")
    assert 'if __name__ == "__main__":\n    with mp.Pool(2) as pool:\n' in after


BANNER = """\
import torch
from torch.utils.data import DataLoader

model = torch.load("model.pt")
model.cuda()

{heading}

def show(row):
    print(model(row))


for row in DataLoader([1, 2], num_workers=2):
    show(row)
"""


@pytest.mark.parametrize(
    ("heading", "moves"),
    [
        ("####### helpers #######", True),
        ("# ------------\n# helpers", True),
        ("# loader = DataLoader([3])", False),  # not about the function, for all that can be seen
    ],
)
def test_a_ruled_heading_stays_with_the_definition_below_it(heading: str, moves: bool) -> None:
    (after,) = migrated({"a.py": BANNER.format(heading=heading)}, "main-guard").values()
    assert (f"{heading}\n\ndef show" in after) == moves
    assert after.index("def show") < after.index("if __name__") < after.index("model = ")


LATE = """\
import torch
from torch.utils.data import DataLoader
rows = [1]
print(len(rows), "rows")
{model}
def main():
    for row in DataLoader(rows, num_workers=4):
        print(row)
if __name__ == "__main__":
    main()
"""


def test_a_late_guard_is_told_by_what_costs_most() -> None:
    model = "model = torch.nn.Linear(2, 2)\nmodel.cuda()"
    [finding] = reported({"main.py": LATE.format(model=model)}, "main-guard")
    assert finding.span.line == 6 and finding.message.endswith("it puts something on the GPU")
    assert not reported({"main.py": LATE.format(model="")}, "main-guard")  # a line more for each worker is no fault


@pytest.mark.parametrize("needed", ["", "def picked(batch):\n    return limit, batch\n\n\n"])
def test_an_import_by_star_goes_along_where_no_worker_needs_a_name_of_it(needed: str) -> None:
    collate = ", collate_fn=picked" if needed else ""
    text = (
        f"import torch\nfrom torch.utils.data import DataLoader\n\n\n{needed}model = torch.load('model.pt')\n"
        f"loader = DataLoader([1], num_workers=2{collate})\nfrom models import *\nfor row in loader:\n    print(row)\n"
    )
    files = {"a.py": text, "models.py": "limit = 1\n"}
    after = migrated(files, "main-guard")["a.py"]
    assert ("\n    from models import *\n    for row in loader:" in after) is not bool(needed)
    assert ("\nfrom models import *\n" in after) is bool(needed)
