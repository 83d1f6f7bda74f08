"""How the cost of a check grows with one kind of code at a time: `python benchmarks/growth.py [NAME...]`.

Each generator writes a repository with `n` of something; it is checked for growing `n` in a process of its own, and the exponent of
the CPU time is fitted to the largest sizes: 1 is linear, 2 is quadratic. What stands above BAR is marked. `--list` names the generators.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

BAR = 1.15
_LOADER = "from torch.utils.data import DataLoader, Dataset\n"
Tree = dict[str, str]


def _lines(n: int, line: Callable[[int], str]) -> str:
    return "".join(line(i) for i in range(n))


def subclass_chain(n: int) -> Tree:
    """A chain of Datasets, each with one more lock."""
    first = "class C0(Dataset):\n    def __init__(self):\n        self.y0 = threading.Lock()\n\n"
    rest = _lines(
        n,
        lambda i: (
            f"class C{i + 1}(C{i}):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.y{i + 1} = threading.Lock()\n\n"
        ),
    )
    return {"a.py": f"import threading\n{_LOADER}\n{first}{rest}\nDataLoader(C{n}(), num_workers=2)\n"}


def kept_views(n: int) -> Tree:
    """One class that keeps n views."""
    body = _lines(n, lambda i: f"        self.v{i} = d.values()\n")
    return {
        "a.py": f"{_LOADER}\nclass D(Dataset):\n    def __init__(self):\n        d = {{1: 2}}\n{body}\n"
        "DataLoader(D(), num_workers=2)\n"
    }


def lambdas(n: int) -> Tree:
    """n loaders with a lambda each."""
    return {
        "a.py": _LOADER + _lines(n, lambda i: f"a{i} = DataLoader([], num_workers=2, collate_fn=lambda b: b[{i}])\n")
    }


def lambdas_in_functions(n: int) -> Tree:
    """n functions with a loader and a lambda each."""
    return {
        "a.py": _LOADER
        + _lines(n, lambda i: f"\ndef f{i}(d):\n    return DataLoader(d, num_workers=2, collate_fn=lambda b: b[{i}])\n")
    }


def lambdas_in_methods(n: int) -> Tree:
    """n methods of one class with a loader and a lambda each that reads `self`."""
    methods = _lines(
        n,
        lambda i: (
            f"\n    def f{i}(self, d):\n"
            f"        return DataLoader(d, num_workers=2, collate_fn=lambda b: (b, self.k, {i}))\n"
        ),
    )
    return {
        "a.py": f"{_LOADER}\nclass Runs:\n    def __init__(self, k):\n        self.k = k\n{methods}\nruns = Runs(3)\n"
    }


def local_classes(n: int) -> Tree:
    """n functions, each with a Dataset class of its own."""
    return {
        "a.py": _LOADER
        + _lines(
            n,
            lambda i: (
                f"\ndef f{i}():\n    class L{i}(Dataset):\n        def __len__(self):\n            return {i}\n\n"
                f"    return DataLoader(L{i}(), num_workers=2)\n"
            ),
        )
    }


def module_statements(n: int) -> Tree:
    """A script of n top-level statements around one loader."""
    return {
        "a.py": f"{_LOADER}\n"
        + _lines(n, lambda i: f"x{i} = compute({i})\n")
        + "for b in DataLoader(x0, num_workers=2):\n    print(b)\n"
    }


def loaders_in_script(n: int) -> Tree:
    """A script of n loaders that are looped over."""
    return {
        "a.py": f"{_LOADER}\n" + _lines(n, lambda i: f"for b in DataLoader(x, num_workers=2):\n    print(b, {i})\n")
    }


def guarded_scripts(n: int) -> Tree:
    """n scripts with a main guard each, one library."""
    tree = {"lib.py": f"{_LOADER}\ndef loader(d):\n    return DataLoader(d, num_workers=2)\n"}
    for i in range(n):
        tree[f"s{i}.py"] = (
            f"from lib import loader\n\nif __name__ == '__main__':\n    for b in loader([{i}]):\n        print(b)\n"
        )
    return tree


def unguarded_scripts(n: int) -> Tree:
    """n scripts without a guard that start workers, importing each other in a row."""
    tree = {}
    for i in range(n):
        before = f"import s{i - 1}\n" if i else ""
        tree[f"s{i}.py"] = f"{before}{_LOADER}\nfor b in DataLoader([{i}], num_workers=2):\n    print(b)\n"
    return tree


def calls_of_one_function(n: int) -> Tree:
    """n calls of one function that hands its argument on."""
    return {
        "a.py": f"{_LOADER}\ndef load(d, f):\n    return DataLoader(d, num_workers=2, collate_fn=f)\n\n\ndef key(b):\n    return b\n\n"
        + _lines(n, lambda i: f"r{i} = load([{i}], key)\n")
    }


def one_name_assigned(n: int) -> Tree:
    """One name assigned n times, and used as often."""
    return {
        "a.py": f"{_LOADER}\ndef run(d):\n"
        + _lines(n, lambda i: f"    x = d[{i}]\n    use(x)\n")
        + "    return DataLoader(x, num_workers=2)\n"
    }


def results_of_itself(n: int) -> Tree:
    """A function that calls itself n times, each time for the value that it returns, and an object that keeps that."""
    return {
        "a.py": "import threading\n\ndef adapt(v, n):\n"
        + _lines(n, lambda i: f"    if n == {i}:\n        v = adapt(v, {i})\n")
        + "    return v\n\nclass A:\n    def __init__(self, v):\n        self.lock = threading.Lock()\n        self.v = adapt(v, 0)\n"
    }


def one_attribute_assigned(n: int) -> Tree:
    """One attribute assigned n times."""
    return {
        "a.py": f"import threading\n{_LOADER}\nclass D(Dataset):\n    def __init__(self):\n        self.lock = threading.Lock()\n"
        + _lines(n, lambda i: f"        self.x = {i}\n")
        + "\nDataLoader(D(), num_workers=2)\n"
    }


def imports(n: int) -> Tree:
    """n modules that each import the one before."""
    tree = {"m0.py": f"{_LOADER}\ndef f0(d):\n    return DataLoader(d, num_workers=2, collate_fn=lambda b: b)\n"}
    for i in range(1, n):
        tree[f"m{i}.py"] = f"from m{i - 1} import f{i - 1}\n\n\ndef f{i}(d):\n    return f{i - 1}(d)\n"
    return tree


def star_imports(n: int) -> Tree:
    """n modules that import everything of the one before."""
    tree = {"m0.py": f"{_LOADER}\ndef f(d):\n    return DataLoader(d, num_workers=2, collate_fn=lambda b: b)\n"}
    for i in range(1, n):
        tree[f"m{i}.py"] = f"from m{i - 1} import *\n\n\ndef g{i}(d):\n    return f(d)\n"
    return tree


def launch_lines(n: int) -> Tree:
    """A shell script of n launches of one program."""
    program = (
        "import argparse\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--local_rank', type=int)\nargs = parser.parse_args()\ndist.init_process_group('nccl')\n"
    )
    line = "python -m torch.distributed.launch --nproc_per_node=8 train.py --lr {}\n"
    return {"train.py": program, "run.sh": "#!/bin/bash\n" + _lines(n, lambda i: line.format(i))}


def launched_programs(n: int) -> Tree:
    """n programs, each launched by a line of one shell script."""
    tree = {
        "run.sh": "#!/bin/bash\n"
        + _lines(n, lambda i: f"python -m torch.distributed.launch --nproc_per_node=8 t{i}.py\n")
    }
    for i in range(n):
        tree[f"t{i}.py"] = (
            "import argparse\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
            f"parser.add_argument('--local_rank', type=int, default={i})\nargs = parser.parse_args()\n"
            "dist.init_process_group('nccl')\n"
        )
    return tree


def parsers(n: int) -> Tree:
    """One program with n options, that joins a process group."""
    return {
        "train.py": "import argparse\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
        + _lines(n, lambda i: f"parser.add_argument('--o{i}', type=int)\n")
        + "parser.add_argument('--local_rank', type=int)\nargs = parser.parse_args()\n"
        "dist.init_process_group('nccl', init_method='tcp://127.0.0.1:' + str(args.o1))\n",
        "run.sh": "#!/bin/bash\npython -m torch.distributed.launch --nproc_per_node=8 train.py\n",
    }


def joins(n: int) -> Tree:
    """One program that joins n process groups with an address of its own."""
    return {
        "train.py": "import argparse\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--port')\nargs = parser.parse_args()\n"
        + _lines(
            n,
            lambda i: (
                f"\ndef j{i}():\n    dist.init_process_group('nccl', init_method='tcp://127.0.0.1:' + args.port)\n"
            ),
        )
    }


def nested_functions(n: int) -> Tree:
    """n functions in a function, each handed to a loader."""
    return {
        "a.py": f"{_LOADER}\ndef outer(d):\n"
        + _lines(
            n,
            lambda i: f"    def f{i}(b):\n        return b[{i}]\n\n    DataLoader(d, num_workers=2, collate_fn=f{i})\n",
        )
    }


def call_chain(n: int) -> Tree:
    """A value handed down through n functions."""
    return {
        "a.py": f"{_LOADER}\ndef f0(x):\n    return DataLoader([], num_workers=2, collate_fn=x)\n\n"
        + _lines(n, lambda i: f"\ndef f{i + 1}(x):\n    return f{i}(x)\n")
        + f"\nf{n}(lambda b: b)\n"
    }


def registry(n: int) -> Tree:
    """n Datasets in a registry, one of which is made by name."""
    return {
        "a.py": f"{_LOADER}\nKINDS = {{}}\n\ndef register(c):\n    KINDS[c.__name__] = c\n    return c\n\n"
        + _lines(
            n,
            lambda i: (
                f"\n@register\nclass D{i}(Dataset):\n    def __init__(self):\n        self.f = lambda x: x + {i}\n"
            ),
        )
        + "\ndef make(name):\n    return DataLoader(KINDS[name](), num_workers=2)\n"
    }


def subclasses_of_one(n: int) -> Tree:
    """n subclasses of one Dataset that keeps a lock."""
    return {
        "a.py": f"import threading\n{_LOADER}\nclass B(Dataset):\n    def __init__(self):\n        self.lock = threading.Lock()\n\n"
        + _lines(n, lambda i: f"\nclass D{i}(B):\n    def __getitem__(self, i):\n        return {i}\n")
        + "\nDataLoader(D0(), num_workers=2)\n"
    }


def handles(n: int) -> Tree:
    """n classes with an open file each."""
    return {
        "a.py": _LOADER
        + _lines(
            n,
            lambda i: (
                f"\nclass D{i}(Dataset):\n    def __init__(self, p):\n        self.f = open(p)\n\n"
                f"    def __getitem__(self, i):\n        return self.f.readline()\n\n\nDataLoader(D{i}('x'), num_workers=2)\n"
            ),
        )
    }


def filled_tables(n: int) -> Tree:
    """A dict that is filled with n things, each out of the one before."""
    fills = _lines(n, lambda i: f'        d["k{i + 1}"] = d["k{i}"]\n')
    return {
        "a.py": f"import threading\n{_LOADER}\nclass D(Dataset):\n    def __init__(self, w):\n        d = {{}}\n"
        f'        d["k0"] = w\n{fills}        self.d = d\n        self.lock = threading.Lock()\n\n'
        "DataLoader(D(3), num_workers=2)\n"
    }


def deepcopies(n: int) -> Tree:
    """n models, each copied."""
    return {
        "a.py": "import copy\nimport torch.nn as nn\n"
        + _lines(
            n,
            lambda i: (
                f"\nclass M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear({i + 1}, 2)\n"
                f"        self.act = lambda x: x\n\n\ndef c{i}():\n    m = M{i}()\n    return copy.deepcopy(m)\n"
            ),
        )
    }


def yaml_lines(n: int) -> Tree:
    """A workflow of n run lines."""
    steps = _lines(
        n, lambda i: f"      - run: python -m torch.distributed.launch --nproc_per_node=2 train.py --n {i}\n"
    )
    return {
        ".github/workflows/ci.yml": f"jobs:\n  a:\n    runs-on: x\n    steps:\n{steps}",
        "train.py": "import torch.distributed\n",
    }


def environment_reads(n: int) -> Tree:
    """n reads of LOCAL_RANK."""
    return {
        "a.py": "import os\nimport torch.distributed as dist\n"
        + _lines(
            n,
            lambda i: (
                f"\ndef f{i}():\n    dist.init_process_group('nccl')\n    return int(os.environ['LOCAL_RANK']) + {i}\n"
            ),
        )
    }


def files_without_hazard(n: int) -> Tree:
    """n files of which none has anything to find, and one that has."""
    tree = {
        f"m{i}.py": f"import math\n\n\nclass A{i}:\n    def run(self, x):\n        return math.sqrt(x) + {i}\n"
        for i in range(n)
    }
    return tree | {"a.py": f"{_LOADER}\nDataLoader([], num_workers=2, collate_fn=lambda b: b)\n"}


def many_names(n: int) -> Tree:
    """n files that each launch workers with a function of the next file."""
    tree = {}
    for i in range(n):
        tree[f"m{i}.py"] = (
            f"import torch.multiprocessing as mp\nfrom m{(i + 1) % n} import work{(i + 1) % n}\n\n\ndef work{i}(rank, f):\n    return f(rank)\n\n\n"
            f"def main{i}():\n    mp.spawn(work{(i + 1) % n}, args=(lambda x: x,), nprocs=2)\n"
        )
    return tree


def partials(n: int) -> Tree:
    """n partials of one attribute, each of what is there before: any of them may hold any other."""
    calls = "".join(
        f"        self.load = functools.partial(self.load, name{i % 7}=lambda: {i})\n        self.load({i})\n"
        for i in range(n)
    )
    rows = f"class Rows(Dataset):\n    def __init__(self):\n        self.load = print\n{calls}"
    return {
        "a.py": f"import functools\nfrom torch.utils.data import DataLoader, Dataset\n\n\n{rows}\n\nDataLoader(Rows(), num_workers=2)\n"
    }


def methods_of_one_name(n: int) -> Tree:
    """n classes whose method of one name calls it on another object, and a pool that one of them shuts down."""
    layers = "".join(
        f"class Layer{i}:\n    def forward(self, inner):\n        return inner.forward(inner)\n\n\n" for i in range(n)
    )
    rows = (
        "class Rows(Dataset):\n    def __init__(self):\n        self.threads = ThreadPoolExecutor(2)\n\n"
        "    def __getitem__(self, i):\n        return self.threads.submit(len, 'a').result()\n\n\n"
        "class Owner:\n    def forward(self, rows):\n        rows.threads.shutdown()\n        DataLoader(rows, num_workers=2)\n\n\n"
        "def main():\n    Owner().forward(Rows())\n\n\nmain()\n"
    )
    head = "from concurrent.futures import ThreadPoolExecutor\nfrom torch.utils.data import DataLoader, Dataset\n\n\n"
    return {"a.py": head + layers + rows}


def unpacked_keywords(n: int) -> Tree:
    """n calls in one function that unpack its `**` parameter."""
    calls = _lines(n, lambda i: f"    if name == 'net{i}':\n        return make_{i}(pretrained=True, **kwargs)\n")
    return {
        "nets.py": f"from makers import *\n\n\ndef build(name, **kwargs):\n{calls}",
        "train.py": f"{_LOADER}\nDataLoader([], num_workers=2, collate_fn=lambda b: b)\n",
    }


def processes_of_one_class(n: int) -> Tree:
    """n processes that one class starts by the context that it keeps."""
    starts = _lines(n, lambda i: f"\n    def start{i}(self):\n        self._context.Process(target=work{i}).start()\n")
    functions = _lines(n, lambda i: f"def work{i}():\n    return {i}\n\n\n")
    return {
        "a.py": f"import multiprocessing\n\n\n{functions}class Workers:\n    def __init__(self):\n"
        f"        self._context = multiprocessing.get_context('spawn')\n{starts}"
    }


def scripts_and_imports_by_name(n: int) -> Tree:
    """n scripts without a guard, and n files that import some module by its name."""
    tree = {}
    for i in range(n):
        tree[f"train{i}.py"] = (
            f"from torch.utils.data import DataLoader\n\nfor row in DataLoader([{i}], num_workers=2):\n    print(row)\n"
        )
        tree[f"plugins{i}.py"] = (
            f"import importlib\n\n\ndef load(name):\n    return importlib.import_module('plugins.of{i}.' + name)\n"
        )
    return tree


def settings_set_by_scripts(n: int) -> Tree:
    """n classes with a setting of one name, which workers read and a script each changes."""
    tree = {}
    for i in range(n):
        tree[f"rows{i}.py"] = (
            f"from torch.utils.data import Dataset\n\n\nclass Rows{i}(Dataset):\n    config = {i}\n\n"
            "    def __getitem__(self, i):\n        return self.config + i\n"
        )
        tree[f"train{i}.py"] = (
            f"from torch.utils.data import DataLoader\n\nfrom rows{i} import Rows{i}\n\n\ndef main():\n"
            f"    Rows{i}.config = 7\n    DataLoader(Rows{i}(), num_workers=2)\n\n\n"
            "if __name__ == '__main__':\n    main()\n"
        )
    return tree


GENERATORS: dict[str, tuple[Callable[[int], Tree], int]] = {
    make.__name__: (make, size)
    for make, size in (
        (subclass_chain, 24), (kept_views, 100), (lambdas, 100), (lambdas_in_functions, 100), (lambdas_in_methods, 40),
        (local_classes, 60),
        (module_statements, 1000), (loaders_in_script, 100), (guarded_scripts, 60), (unguarded_scripts, 30),
        (calls_of_one_function, 400), (one_name_assigned, 400), (results_of_itself, 100), (one_attribute_assigned, 400),
        (imports, 100), (star_imports, 100),
        (launch_lines, 100), (launched_programs, 40), (parsers, 300), (joins, 100), (nested_functions, 60), (call_chain, 200),
        (registry, 100), (subclasses_of_one, 150), (handles, 40), (filled_tables, 200), (deepcopies, 60), (yaml_lines, 100), (environment_reads, 200),
        (files_without_hazard, 300), (many_names, 60), (partials, 25), (methods_of_one_name, 100),
        (unpacked_keywords, 100), (processes_of_one_class, 100), (settings_set_by_scripts, 60),
        (scripts_and_imports_by_name, 60),
    )
}  # fmt: skip


def main() -> int:
    """Measure, print a line per generator. Exits 1 when one grows faster than BAR."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=60, help="give a size up after so long (default 60)")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)  # one size, in a process of its own
    arguments = parser.parse_args()
    if arguments.one:
        _one(arguments.one[0], int(arguments.one[1]))
        return 0
    if arguments.list:
        for name, (make, _) in GENERATORS.items():
            print(f"{name:<26}{(make.__doc__ or '').strip()}")
        return 0
    worst = 0.0
    print(f"{'':<26}{'n':>6}  CPU seconds for n, 2n, 4n{'exponent':>18}")
    for name in arguments.names or GENERATORS:
        size = GENERATORS[name][1]
        costs = [_cost(name, size * factor, arguments.seconds) for factor in (1, 2, 4)]
        if costs[2] is None or costs[1] is None:
            print(f"{name:<26}{size:>6}  {'  '.join('-' if c is None else f'{c:.2f}' for c in costs):<38} no end  <<<")
            worst = math.inf
            continue
        exponent = math.log2(costs[2] / costs[1])
        worst = max(worst, exponent)
        shown = "  ".join(f"{cost or 0:.2f}" for cost in costs)
        print(f"{name:<26}{size:>6}  {shown:<38}{exponent:>5.2f}{'  <<<' if exponent > BAR else ''}", flush=True)
    return 1 if worst > BAR else 0


def _cost(name: str, size: int, seconds: float) -> float | None:
    """CPU seconds of a check at this size, without start-up; None when it takes too long."""
    own = [sys.executable, str(Path(__file__).resolve()), "--one", name, str(size)]
    try:
        done = subprocess.run(own, capture_output=True, text=True, check=True, timeout=seconds * 3)
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout)


def _one(name: str, size: int) -> None:
    from codemods.engine.migrate import check
    from codemods.finding import Confidence
    from codemods.settings import Settings
    from codemods.tree.files import MemoryFiles

    settings = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True)
    files = MemoryFiles({path: text.encode() for path, text in GENERATORS[name][0](size).items()})
    small = MemoryFiles({path: text.encode() for path, text in GENERATORS[name][0](1).items()})
    check(small, settings)  # imports and tables
    start = time.process_time()
    check(files, settings)
    print(time.process_time() - start)


if __name__ == "__main__":
    sys.exit(main())
