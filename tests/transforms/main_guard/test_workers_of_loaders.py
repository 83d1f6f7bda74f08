"""main-guard: which loaders have workers, and what their workers read."""

from __future__ import annotations

from textwrap import dedent

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "main-guard"


@each_row(
    ("imports", "call"),
    [
        ("from torch_geometric.loader import NeighborLoader", "NeighborLoader(data, num_workers=4)"),
        ("from torch_geometric.loader import DataLoader", "DataLoader(data, num_workers=4)"),
        ("import dgl", "dgl.dataloading.GraphDataLoader(data, num_workers=4)"),
        ("from loaders import OurLoader", "OurLoader(data, num_workers=4)"),
        ("from loaders import Deeper", "Deeper(data, num_workers=4)"),
        ("from loaders import Fixed", "Fixed(data)"),
        ("from loaders import Module", "Module(data).train_loader()"),
        ("from loaders import make", "make(data)"),
        ("import torchnet as tnt", "tnt.dataset.ListDataset(data, str).parallel(num_workers=4)"),
        ("from timm.data import create_loader", "create_loader(data, 224, 4)"),
        ("import webdataset as wds", "wds.WebLoader(data, num_workers=4).unbatched().shuffle(9).with_length(3)"),
        ("from litdata import StreamingDataLoader", "StreamingDataLoader(data, num_workers=4)"),
    ],
)
def test_loaders_with_workers(imports: str, call: str) -> None:
    loaders = """\
from torch.utils.data import DataLoader

class OurLoader(DataLoader):
    pass

class Deeper(OurLoader):
    pass

class Fixed(DataLoader):
    def __init__(self, data):
        super().__init__(data, num_workers=2)

class Module:
    def __init__(self, data):
        self.data = data
    def train_loader(self):
        return OurLoader(self.data, num_workers=2)

def make(data):
    return Module(data).train_loader()
"""
    script = f"{imports}\ndata = [1]\nfor batch in {call}:\n    print(batch)\n"
    [finding] = reported({"a.py": script, "loaders.py": loaders}, RULE)
    assert finding.span.line == 3 and finding.fix is not None
    none = script.replace("num_workers=4", "num_workers=0")
    if none != script:
        assert not reported({"a.py": none, "loaders.py": loaders}, RULE)


@each_row(
    ("imports", "call"),
    [
        ("from litdata import optimize", "optimize(fn=str, inputs=data, output_dir='x', num_workers=2)"),
        ("import mmcv", "mmcv.track_parallel_progress(str, data, 4)"),
        ("from mmengine.utils import track_parallel_progress", "track_parallel_progress(str, data, 4)"),
        ("from tianshou.env import SubprocVectorEnv", "SubprocVectorEnv(data)"),
        ("from baselines.common.vec_env import SubprocVecEnv", "SubprocVecEnv(data)"),
        ("import p_tqdm", "p_tqdm.p_map(str, data)"),
        ("from pytorch_lightning import Trainer", "Trainer(strategy='ddp_spawn').fit(model)"),
    ],
)
def test_calls_of_libraries_that_start_processes(imports: str, call: str) -> None:
    [finding] = reported({"a.py": f"{imports}\ndata = [1]\nmodel = None\n{call}\n"}, RULE)
    assert finding.span.line == 4 and finding.fix is not None
    assert not reported({"a.py": f"{imports}\ndata = [1]\nif __name__ == '__main__':\n    {call}\n"}, RULE)


def test_number_of_workers_out_of_a_configuration() -> None:
    script = """\
from torch.utils.data import DataLoader
from settings import read

def loader(config):
    return DataLoader([1], num_workers=config["num_workers"])

for batch in loader(read()):
    print(batch)
"""
    settings = "import argparse\ndef read():\n    p = argparse.ArgumentParser()\n"
    settings += "    p.add_argument('--num_workers', type=int, default=8)\n    return vars(p.parse_args())\n"
    assert len(reported({"a.py": script, "settings.py": settings}, RULE)) == 1
    assert not reported({"a.py": script, "settings.py": settings.replace("=8", "=0")}, RULE)


@each_row("key", ["workers (max)", "workers(", "workers+", "[workers", "number of workers?"])
def test_a_key_of_a_configuration_may_be_any_text(key: str) -> None:
    script = f"""\
from torch.utils.data import DataLoader
from settings import read

config = {{"{key}": 4}}
for batch in DataLoader([1], num_workers=config["{key}"]):
    print(batch)
"""
    assert len(reported({"a.py": script}, RULE)) == 1


@pytest.mark.parametrize("read", ["cfg['training']['n_workers']", "cfg.training.n_workers"])
@pytest.mark.parametrize(
    ("settings", "reports"),
    [
        ("training:\n  n_workers: 8\n", 1),
        ("training:\n  n_workers: 0  # none\n", 0),
        ("training:\n  workers: 8\n", 1),  # nothing is said here: the user's own file may
    ],
)
def test_number_of_workers_out_of_a_yaml_file(read: str, settings: str, reports: int) -> None:
    script = f"""\
from torch.utils.data import DataLoader
from settings import load

cfg = load("default.yaml")
workers = {read}
for batch in DataLoader([1], num_workers=workers):
    print(batch)
"""
    files = {"a.py": script, "settings.py": "def load(path):\n    ...\n", "configs/default.yaml": settings}
    assert len(reported(files, RULE)) == reports


@each_row(("default", "reports"), [("4", 1), ("0", 0), ("os.cpu_count()", 1), ("None", 0)])
def test_number_of_workers_out_of_options_of_another_file(default: str, reports: int) -> None:
    script = """\
from torch.utils.data import DataLoader
from options import options

args = options()
for batch in DataLoader([1], num_workers=args.workers):
    print(batch)
"""
    options = "import argparse, os\ndef options():\n    p = argparse.ArgumentParser()\n"
    options += f"    p.add_argument('-j', '--workers', type=int, default={default})\n    return p.parse_args()\n"
    assert len(reported({"a.py": script, "options.py": options}, RULE)) == reports


TRAINER = """\
from library import Settings, Tokens, Trainer, TrainerArgs
settings = Settings(batch_size=32, num_loader_workers={}, num_eval_loader_workers=0)
tokens, settings = Tokens.create(settings)
trainer = Trainer(TrainerArgs(), settings, "out")
trainer.fit()
"""


def test_a_trainer_of_a_library_makes_loaders_as_its_settings_say() -> None:
    [finding] = reported({"a.py": TRAINER.format(4)}, RULE)
    assert finding.span.line == 5 and finding.fix is not None
    assert not reported({"a.py": TRAINER.format(0)}, RULE)
    own = "class Trainer:\n    def __init__(self, *given):\n        ...\n    def fit(self):\n        ...\n"
    script = "from own import Trainer\n" + TRAINER.format(4).replace(" Trainer,", "")
    assert not reported({"a.py": script, "own.py": own}, RULE)


WORKER = """\
from concurrent.futures import ProcessPoolExecutor

def work(path):
    {}

def main(paths):
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(work, paths)))

if __name__ == "__main__":
    {}
    main(["a", "b"])
"""


@each_row(
    "reads",
    [
        "return path if flag else 0",
        "if flag: return path",
        "return flag == path",
        "return f'{path}{flag}'",
        "assert flag, path",
        "while flag > 2: pass",
    ],
)
def test_a_worker_reads_a_global_wherever_it_stands(reads: str) -> None:
    [finding] = reported({"a.py": WORKER.format(reads, "flag = open('x').read()")}, RULE)
    assert "reads `flag`" in finding.message and finding.fix is not None
    assert [edit.text for edit in finding.fix.edits if "initargs" in edit.text] == [
        ", initializer=_init_worker, initargs=(flag,)"
    ]


def test_a_literal_is_set_above_the_guard() -> None:
    before = WORKER.format("return path * scale", "scale = 2  # times")
    after = migrated({"a.py": before}, RULE)["a.py"]
    assert '\nscale = 2  # times\n\nif __name__ == "__main__":\n    main(["a", "b"])\n' in after
    assert not reported({"a.py": after}, RULE)


@each_row(
    "sets",
    [
        "scale = make()",
        "scale = []",
        "scale = 2; print(scale)",
        "scale = 2\n    print(scale)\n    scale = 3",
        "scale = other",
        "scale, size = 2, 3",
        "with open('x') as file:\n        scale = file.read()",
        "import sys\n    sys.path.insert(0, 'lib')\n    import scale",
        "clean()\n    import os\n    scale = os.path.exists('x')",
        "import os\n    scale = os.environ['SCALE']",
        "from omegaconf import OmegaConf\n    scale = OmegaConf.load('x.yaml')",
    ],
)
def test_what_may_change_or_depends_on_the_lines_before_stays(sets: str) -> None:
    before = WORKER.format("return path * scale", sets)
    after = migrated({"a.py": before}, RULE).get("a.py", before)  # some are handed over by the initializer of the pool
    assert f'\n\nif __name__ == "__main__":\n    {sets}\n    main(["a", "b"])\n' in after


@each_row(
    "sets",
    [
        "scale = 2\n    scale = 3",
        "half = 1\n    print('starts')\n    scale = 2 * half",
        "import os\n    os.makedirs('x', exist_ok=True)\n    scale = os.path.exists('x')",
        "import math as scale",
    ],
)
def test_what_a_value_is_computed_from_moves_along(sets: str) -> None:
    before = WORKER.format("return path * scale", sets)
    after = migrated({"a.py": before}, RULE)["a.py"]
    above, _, below = after.partition("if __name__")
    assert "scale" in above.rpartition("def ")[2] and "scale" not in below
    assert not reported({"a.py": after}, RULE)


def test_the_guard_begins_at_the_first_thing_that_happens_once() -> None:
    script = """\
import gdown
import os
import torch
from net import Net
from resize import resize_all

reply = input("[y]")
gdown.download("u", output="a.zip")

def late():
    return 1

model = Net()
resize_all("x")
"""
    net = "class Net:\n    def __init__(self):\n        self.layer = make().cuda()\n"
    resize = "from multiprocessing import Pool\ndef resize_all(x):\n    with Pool(2) as p:\n        p.map(len, [x])\n"
    files = {"a.py": script, "net.py": net, "resize.py": resize}
    after = migrated(files, RULE)["a.py"]
    assert after.count("__main__") == 1 and '":\n    reply = input("[y]")\n' in after
    later = script.replace('reply = input("[y]")\ngdown.download("u", output="a.zip")\n', "")
    after = migrated({**files, "a.py": later}, RULE)["a.py"]
    assert '":\n    model = Net()\n    resize_all("x")\n' in after


@pytest.mark.parametrize("number", ["4", "4 if late else 2", "config.eval_workers if late else config.workers"])
@pytest.mark.parametrize("fit", ["trainer = Trainer(model=model)\ntrainer.fit()\n", "Trainer().fit(model)\n"])
def test_a_trainer_of_a_library_asks_a_model_for_its_loaders(number: str, fit: str) -> None:
    models = f"""\
from torch.utils.data import DataLoader

class Base:
    eval_workers = 1
    def get_data_loader(self, config, data, late):
        loader = None
        if data:
            loader = DataLoader(data, num_workers={number})
        return loader

class Model(Base):
    workers = 4
"""
    script = f"from trainer import Trainer\nfrom models import Model\nmodel = Model()\n{fit}"
    [finding] = reported({"a.py": script, "models.py": models}, RULE)
    assert finding.path == "a.py" and finding.fix is not None
    for none in ("0", "0 if late else 0"):
        assert not reported({"a.py": script, "models.py": models.replace(number, none)}, RULE)


LOADERS = """\
from torch.utils.data import DataLoader

def train_rows(args):
    return DataLoader([1], num_workers=args.workers), 1

def test_rows(args):
    return DataLoader([1], num_workers=0), 1

LOADERS = {}
LOADERS["rows"] = {"train": train_rows, "test": test_rows}
"""
JOINED = """\
import argparse
import torch
from loaders import LOADERS

torch.distributed.init_process_group(backend="nccl")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    loader, length = LOADERS[args.name]["KEY"](args)
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("key", "reports"), [("train", 1), ("test", 0)])
def test_loaders_out_of_a_dict_of_functions(key: str, reports: int) -> None:
    found = reported({"a.py": JOINED.replace("KEY", key), "loaders.py": LOADERS}, RULE)
    assert [each.span.line for each in found] == [5] * reports


OBJECTS = """\
from torch.utils.data import DataLoader

class Base:
    def __init__(self, rows):
        self.plain = DataLoader(rows)
        self.train = DataLoader(rows, num_workers=2)

    @property
    def test(self):
        return DataLoader([1], num_workers=2)

class Data(Base):
    def show(self):
        for batch in self.plain:
            print(batch)

    def run(self):
        for batch in self.train:
            print(batch)
"""


@each_row(
    ("loop", "reports"),
    [
        ("for batch in data.train:\n    print(batch)", 1),
        ("for batch in data.test:\n    print(batch)", 1),
        ("for batch in data.plain:\n    print(batch)", 0),
        ("for batch in data.other:\n    print(batch)", 0),
        ("data.run()", 1),
        ("data.show()", 0),
    ],
)
def test_loaders_that_an_object_keeps(loop: str, reports: int) -> None:
    script = f"from objects import Data\ndata = Data([1])\n{loop}\n"
    assert len(reported({"a.py": script, "objects.py": OBJECTS}, RULE)) == reports


BY_CLASS_METHOD = """\
from torch.utils.data import DataLoader

class Loader(DataLoader):
    @classmethod
    def of(cls, rows, num_workers=6):
        loader = cls(dataset=rows, num_workers=num_workers)
        return loader

class Rows:
    @classmethod
    def of(cls, rows, num_workers=6):
        return cls(rows, num_workers=num_workers)
"""


@each_row(
    ("loop", "reports"),
    [
        ("for batch in Loader.of([1]):\n    print(batch)", 1),
        ("loader = Loader.of([1])\nfor at, batch in enumerate(timed(loader)):\n    print(batch)", 1),
        ("for batch in Rows.of([1]):\n    print(batch)", 0),
        ("loader = Loader.of([1])\nprint(len(loader))", 0),
    ],
)
def test_loader_that_a_class_method_makes(loop: str, reports: int) -> None:
    timed = "def timed(batches):\n    for batch in batches:\n        yield batch\n"
    files = {"a.py": f"from loaders import Loader, Rows, timed\n{loop}\n", "loaders.py": f"{BY_CLASS_METHOD}\n{timed}"}
    assert len(reported(files, RULE)) == reports
    none = {**files, "loaders.py": files["loaders.py"].replace("num_workers=6", "num_workers=0")}
    assert not reported(none, RULE)


FACTORIES = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    @classmethod
    def make(cls, other):
        return cls()

    def loader(self, train=True, **kwargs):
        settings = dict(shuffle=train)
        settings.update(kwargs)
        return DataLoader(self, **settings)

    def named(self, size, num_workers=0):
        return DataLoader(self, size, num_workers=num_workers)

def plain(rows, num_workers=0):
    return DataLoader(rows, num_workers=num_workers)

def outer(rows, count):
    return plain(rows, num_workers=count)

def packed(rows, workers=0):
    options = {"batch_size": 2, "num_workers": workers}
    return DataLoader(rows, **options)

def filled(rows, workers=0):
    options = {}
    options["num_workers"] = workers
    return DataLoader(rows, **options)

def called(rows, workers=0):
    return DataLoader(rows, **dict(batch_size=2, num_workers=workers))

def attribute(rows, args):
    options = {"num_workers": args.n_jobs}
    return DataLoader(rows, **options)

class Other(Rows):
    pass

def made(name):
    rows = Rows() if name else None
    return Rows()

def chosen(name):
    if name == "a":
        kind = Rows
    else:
        kind = Other
    rows = kind()
    return rows
"""


@each_row(
    ("loader", "found"),
    [
        ("Rows().loader(train=False, num_workers=2)", True),
        ("Rows().loader(train=False, num_workers=0)", False),
        ("Rows().loader(train=False)", False),
        ("Rows.make(1).loader(num_workers=2)", True),
        ("Rows().named(4, 2)", True),
        ("Rows().named(4, num_workers=2)", True),
        ("Rows().named(4)", False),
        ("plain(Rows(), 2)", True),
        ("plain(Rows(), num_workers=0)", False),
        ("plain(Rows())", False),
        ("outer(Rows(), 3)", True),
        ("outer(Rows(), 0)", False),
        ("packed(Rows(), 3)", True),
        ("packed(Rows(), 0)", False),
        ("packed(Rows())", False),
        ("filled(Rows(), 3)", True),
        ("filled(Rows(), workers=0)", False),
        ("called(Rows(), workers=3)", True),
        ("called(Rows(), workers=0)", False),
        ("attribute(Rows(), args)", True),
        ("made('a').loader(num_workers=3)", True),
        ("made('a').loader(num_workers=0)", False),
        ("chosen('a').named(4, num_workers=3)", True),
        ("chosen('a').named(4)", False),
    ],
)
def test_workers_that_a_call_passes(loader: str, found: bool) -> None:
    script = f"from rows import *\nfor row in {loader}:\n    print(row)\n"
    assert bool(reported({"a.py": script, "rows.py": FACTORIES}, RULE)) is found


def test_a_partial_of_a_function_that_iterates_a_loader() -> None:
    script = """\
from functools import partial
from torch.utils.data import DataLoader

def run(epoch, train):
    for row in DataLoader([1], num_workers=2):
        print(epoch, row, train)

def stay(epoch, train):
    print(epoch, train)

train = partial({function}, train=True)
train(0)
"""
    [finding] = reported({"a.py": script.replace("{function}", "run")}, RULE)
    assert finding.span.line == 12
    assert not reported({"a.py": script.replace("{function}", "stay")}, RULE)


def test_constants_of_a_partial_do_not_say_which_branch_runs() -> None:
    script = """\
from functools import partial
from torch.utils.data import DataLoader

def run(epoch, workers=False):
    if workers:
        for row in DataLoader([1], num_workers=2):
            print(epoch, row)

train = partial(run, workers=True)
train(0)
"""
    assert reported({"a.py": script}, RULE)
    assert not reported({"a.py": script.replace("train(0)", "run(0)")}, RULE)


@pytest.mark.parametrize(
    "branch", ["import sys\nif sys.argv[1:]:\n    {}\nelse:\n    {}\n", "try:\n    {}\nexcept ImportError:\n    {}\n"]
)
def test_one_of_several_classes_of_a_name(branch: str) -> None:
    files = {
        "a.py": branch.format("from one import Solver", "from two import Solver")
        + "solver = Solver()\nsolver.load()\nsolver.run()\n",
        "one.py": "class Solver:\n    def load(self):\n        pass\n    def run(self):\n        print(1)\n",
        "two.py": """\
from torch.utils.data import DataLoader

class Solver:
    def load(self):
        self.rows = DataLoader([1], num_workers=2)
    def run(self):
        for row in self.rows:
            print(row)
""",
    }
    [finding] = reported(files, RULE)
    assert finding.confidence.value == "likely" and finding.span.line == len(files["a.py"].splitlines())
    files["two.py"] = files["one.py"]
    assert not reported(files, RULE)


ROWS = """\
import itertools
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return index

class Solver:
    def __init__(self, loader, config=None):
        self.loader = loader
    def train(self):
        rows = iter(self.loader)
        print(next(rows))

class Data:
    def __init__(self, workers=4):
        self.loader = DataLoader(Rows(), num_workers=4)
        self.first = DataLoader(Rows(), num_workers=0)

class Own:
    def __init__(self):
        self.loader = DataLoader(Rows(), num_workers=4)
    def load(self):
        return self
    def __iter__(self):
        for row in self.loader:
            yield row

class Inner:
    def __init__(self, data):
        self.data = data
    def train(self):
        for row in self.data.loader:
            print(row)

def create():
    own = Own()
    rows = own.load()
    return rows

def main(size=3):
    for row in DataLoader(Rows(), num_workers=4):
        print(row)

def stay(size=3):
    print(size)

def loop(data):
    for row in data.loader:
        print(row)

def loop_first(data):
    for row in data.first:
        print(row)
"""


@each_row(
    ("text", "found"),
    [
        ("Solver(DataLoader(Rows(), num_workers=4)).train()", True),
        ("Solver(loader=DataLoader(Rows(), num_workers=4)).train()", True),
        ("Solver(DataLoader(Rows(), num_workers=0)).train()", False),
        ("Solver([1]).train()", False),
        ("loop(Data())", True),
        ("data = Data()\nloop(data)", True),
        ("loop_first(Data())", False),
        ("for row in Own():\n    print(row)", True),
        ("for at, row in enumerate(create()):\n    print(row)", True),
        ("print(create())", False),
        ("Inner(Data()).train()", True),
        ("rows = itertools.cycle(DataLoader(Rows(), num_workers=4))", True),
        ("rows = itertools.cycle(DataLoader(Rows(), num_workers=0))", False),
        ("import fire\nfire.Fire(main)", True),
        ("import fire\nfire.Fire(stay)", False),
        ("import typer\ntyper.run(main)", True),
        ("from absl import app\napp.run(main)", True),
        ("import wandb\nwandb.agent('a', function=main)", True),
        ("from ignite.engine import Engine\nEngine(print).run(DataLoader(Rows(), num_workers=4))", True),
        ("from ignite.engine import Engine\nEngine(print).run(DataLoader(Rows(), num_workers=0))", False),
        (
            "from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv\n"
            "from stable_baselines3.common.env_util import make_vec_env\n"
            "environments = make_vec_env('a', 4, vec_env_cls=SubprocVecEnv)",
            True,
        ),
        (
            "from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv\n"
            "from stable_baselines3.common.env_util import make_vec_env\n"
            "environments = make_vec_env('a', 4, vec_env_cls=DummyVecEnv)",
            False,
        ),
    ],
)
def test_loaders_that_objects_have(text: str, found: bool) -> None:
    files = {
        "a.py": f"from rows import *\nimport itertools\nfrom torch.utils.data import DataLoader\n{text}\n",
        "rows.py": ROWS,
    }
    assert bool(reported(files, RULE)) is found


BAR = """\
from torch.utils.data import DataLoader
rows = [1]
loader = DataLoader(rows, num_workers=2)
loaders = [loader, loader]
{}
"""


@each_row(
    ("loop", "found"),
    [
        ("from tqdm import tqdm as pb\nfor b in pb(loader):\n    print(b)", True),
        ("from progressbar import progressbar\nfor b in progressbar(loader, max_value=3):\n    print(b)", True),
        ("import fastprogress\nfor b in fastprogress.progress_bar(loader):\n    print(b)", True),
        ("import fastprogress\nfor i, b in enumerate(fastprogress.progress_bar(loader)):\n    print(b)", True),
        ("from bars import bar\nshown = bar(loader)\nfor b in shown:\n    print(b)", True),
        ("from bars import bar\nfor b in bar(loaders[0]):\n    print(b)", True),
        ("from bars import bar\nfor each in bar(loaders):\n    for b in each:\n        print(b)", True),
        ("from bars import bar\nfor each in bar(loaders):\n    print(len(each))", False),
        ("from bars import bar\nfor each in bar([loader, loader]):\n    print(len(each))", False),
        ("from bars import bar\nshown = bar([loader, loader])\nfor each in shown:\n    print(len(each))", False),
        ("from bars import bar\nfor at in bar(range(len(loader))):\n    print(at)", False),
        ("from bars import bar\nfor at in bar(len(loader)):\n    print(at)", False),
        ("from bars import bar\nfor row in bar(DataLoader(rows)):\n    print(row)", False),
        ("from bars import bar\nfor row in bar(rows, loader):\n    print(row)", False),
        ("from bars import bar\nfor b in bar(loader):\n    c = []\n    c = bar(c)\n    print(set(c))", True),
        ("from bars import bar\nshown = bar(loader)\nprint(len(shown))", False),
        ("import copy\nfor name in copy.copy(loader), 1:\n    print(name)", False),
        ("import inspect\nfor name in inspect.getmembers(loader):\n    print(name)", False),
        ("from own import names\nfor name in names(loader):\n    print(name)", False),
        ("for name in vars(loader):\n    print(name)", False),
    ],
)
def test_a_loop_through_what_a_library_makes_of_a_loader(loop: str, found: bool) -> None:
    own = "def names(loader):\n    return [loader.name]\n"
    assert bool(reported({"a.py": BAR.format(loop), "own.py": own}, RULE)) is found


OWN_TRAINERS = """\
from transformers import Trainer, TrainingArguments
from torch.nn import Module

class Plain(Trainer):
    def compute_loss(self, model, inputs):
        return 1

class Deeper(Plain):
    pass

class Rest(Trainer):
    def __init__(self, *given, margin=1, **named):
        super().__init__(*given, **named)
        self.margin = margin

class Named(Trainer):
    def __init__(self, model, settings, margin=1):
        super().__init__(model, args=settings)

class Kept(Trainer):
    def __init__(self, settings):
        super().__init__(None, TrainingArguments("x"))
        self.settings = settings

class OwnLoaders(Trainer):
    def get_train_dataloader(self):
        return [1]

class OwnTrain(Trainer):
    def train(self):
        return 1

class Net(Module):
    def __init__(self, settings):
        super().__init__()

class Alone:
    def __init__(self, args):
        self.args = args
"""


@each_row(
    ("made", "found"),
    [
        ("Plain(args=args)", True),
        ("Deeper(None, args)", True),
        ("Rest(None, args)", True),
        ("Rest(args=args)", True),
        ("Rest(margin=args)", False),
        ("Named(None, args)", True),
        ("Named(None, settings=args)", True),
        ("Named(None, 1, args)", False),
        ("Kept(args)", False),
        ("OwnLoaders(args=args)", False),
        ("OwnTrain(args=args)", False),
        ("Net(args)", False),
        ("Alone(args)", False),
    ],
)
def test_a_class_of_the_repository_that_derives_from_a_trainer_of_a_library(made: str, found: bool) -> None:
    script = "from transformers import TrainingArguments\nfrom own import *\n"
    script += f"args = TrainingArguments('x', dataloader_num_workers=4)\ntrainer = {made}\ntrainer.train()\n"
    assert bool(reported({"a.py": script, "own.py": OWN_TRAINERS}, RULE)) is found
    assert not reported({"a.py": script.replace("=4", "=0"), "own.py": OWN_TRAINERS}, RULE)
    at_once = script.replace(f"trainer = {made}\ntrainer.train()", f"{made}.train()")
    assert bool(reported({"a.py": at_once, "own.py": OWN_TRAINERS}, RULE)) is found


def test_a_pair_handed_on_by_a_method_and_two_functions() -> None:
    data = """
    from torch.utils.data import DataLoader

    def provide(args, part):
        rows = list(range(9))
        loader = DataLoader(rows, num_workers=WORKERS)
        return rows, loader
    """
    experiment = """
    from data.provide import provide

    class Experiment:
        def __init__(self, args):
            self.args = args

        def get(self, part):
            rows, loader = provide(self.args, part)
            return rows, loader

        def train(self):
            rows, loader = self.get("train")
            for epoch in range(3):
                for number, batch in enumerate(loader):
                    print(batch)
    """
    run = "from exp.experiment import Experiment\n\nexperiment = Experiment(3)\nexperiment.train()\n"
    for workers, found in (("2", 1), ("0", 0)):
        files = {
            "run.py": run,
            "exp/experiment.py": dedent(experiment),
            "data/provide.py": dedent(data).replace("WORKERS", workers),
        }
        assert len(reported(files, RULE)) == found


@pytest.mark.parametrize(("workers", "found"), [("8 * (size > 1)", True), ("4", True), ("0", False)])
def test_a_part_of_what_a_function_gives(workers: str, found: bool) -> None:
    loaders = """\
from torch.utils.data import DataLoader

def loaders(rows, num_workers=0):
    return None, DataLoader(rows, num_workers=num_workers), 10
"""
    text = f"from loaders import loaders\nsize = 2\nheld_out, classes = loaders([1], num_workers={workers})[1:]\n"
    text += "for row in held_out:\n    print(row)\n"
    assert bool(reported({"a.py": text, "loaders.py": loaders}, RULE)) == found


def test_tasks_of_pebble() -> None:
    text = """\
from pebble import ProcessPool

def work(rows):
    return table[rows]

def main():
    global table
    table = {1: 2}
    with ProcessPool(max_workers=2) as pool:
        print(list(pool.map(work, [1]).result()))

if __name__ == "__main__":
    main()
"""
    [finding] = reported({"a.py": text}, RULE)
    assert "`work` runs in a worker and reads `table`" in finding.message
    [start] = reported({"a.py": text.replace("if __name__", "if __file__")}, RULE)
    assert start.message.startswith("Starts processes outside of the main guard")


def test_a_run_of_a_log_begins_under_the_guard() -> None:
    text = """\
from pytorch_lightning import Trainer
from pytorch_lightning.loggers import {logger}
from torch.utils.data import DataLoader

log = {logger}(project="a")
loader = DataLoader([1], num_workers=2)
for row in loader:
    log.log_metrics({{"a": row}})
"""
    done = migrated({"a.py": text.format(logger="WandbLogger")}, RULE)["a.py"]
    assert '__main__":\n    log = WandbLogger' in done


@pytest.mark.parametrize(
    ("given", "config", "found"),
    [
        pytest.param("rows, workers=4", "workers: 0", True, id="by its name"),
        pytest.param("rows, 4", "workers: 0", True, id="by position"),
        pytest.param("rows", "workers: 4", False, id="the default"),
        pytest.param("rows, 0", "workers: 4", False, id="none"),
        pytest.param("**config", "workers: 4", True, id="out of a file that says some"),
        pytest.param("**config", "workers: 0", False, id="out of a file that says none"),
        pytest.param("rows, *model, **config", "workers: 4", True, id="behind a list that may be empty"),
    ],
)
@pytest.mark.parametrize(
    ("kept", "read"),
    [("self.workers = workers", "self.workers"), ("self.save_hyperparameters()", "self.hparams.workers")],
)
def test_a_data_module_that_keeps_its_number_of_workers(
    given: str, config: str, found: bool, kept: str, read: str
) -> None:
    module = f"""\
from pytorch_lightning import LightningDataModule
from torch.utils.data import DataLoader

class Module(LightningDataModule):
    def __init__(self, rows, workers: int = 0):
        self.rows = rows
        {kept}
    def train_dataloader(self):
        return DataLoader(self.rows, num_workers={read})
"""
    script = """\
from pytorch_lightning import Trainer
from module import Module
rows, model, config = load()
Trainer().fit(model, datamodule=Module({given}))
"""
    files = {"a.py": script.format(given=given), "module.py": module, "config.yaml": f"data:\n  {config}\n"}
    assert bool(reported(files, RULE)) == found


@pytest.mark.parametrize("name", ["self.rows", "rows"])
def test_values_that_are_made_of_each_other_take_no_time(name: str) -> None:
    rows = "\n        ".join(f"{name}['k{at}'] = {name}[{name}['k{at + 1}']]" for at in range(40))
    text = f"""\
from torch.utils.data import DataLoader

class Rows:
    def __init__(self, rows):
        {name} = {{}}
        {rows}
        for row in {name}["a"]:
            print(row)

Rows([1])
for row in DataLoader([1], num_workers=2):
    print(row)
"""
    assert len(reported({"a.py": text}, RULE)) == 1


def test_torch_comes_with_a_star_import() -> None:
    script = "from shared import *\nfor x in torch.utils.data.DataLoader([1], num_workers=2):\n    print(x)\n"
    assert reported({"shared.py": "import torch\n", "main.py": script}, RULE)


SCRIPT = """\
from torch.utils.data import DataLoader
from trainers import Session
def shown(rows):
    return rows
loader = DataLoader([1], num_workers={number})
{lines}
"""


@each_row(
    ("lines", "found"),
    [
        ("session = Session()\nsession.feed(train=loader).to('cuda')\nsession.run(10)", True),
        ("session = Session().feed(loader).to('cuda')\nsession.evaluate()", True),
        ("Session().feed(loader).run()", True),
        ("session = Session(loader)\nsession.fit()", True),
        ("session = Session(train=[loader])\nsession.run()", True),
        ("session = Session(len(loader))\nsession.run()", False),
        ("session = Session()\nsession.run()", False),
        ("session = Session()\nother = Session(loader)\nsession.run()", False),
        ("session = Session(loader)\nsession.describe()", False),
        ("session = Session()\nsession.run()\nsession.feed(loader)", False),
    ],
)
def test_trainers_of_libraries_that_get_their_loader_before_they_run(lines: str, found: bool) -> None:
    files = {"main.py": SCRIPT.format(number=4, lines=lines)}
    assert [each.confidence.value for each in reported(files, RULE)] == ["likely"] * found
    assert not reported({"main.py": SCRIPT.format(number=0, lines=lines)}, RULE)


def test_a_trainer_of_the_repository_is_read_for_what_it_does_with_its_loader() -> None:
    own = "class Session:\n    def __init__(self, loader):\n        self.size = len(loader)\n    def run(self): pass\n"
    files = {"main.py": SCRIPT.format(number=4, lines="session = Session(loader)\nsession.run()"), "trainers.py": own}
    assert not reported(files, RULE)


@each_row(
    ("number", "found"),
    [
        ("PER_GPU * GPUS", True),
        ("PER_GPU * 4 * GPUS", True),
        ("PER_GPU * int(GPUS)", True),
        ("NONE * GPUS", False),
        ("0 * GPUS", False),
    ],
)
def test_a_product_of_workers(number: str, found: bool) -> None:
    names = "from torch.utils.data import DataLoader\nPER_GPU = int(2)\nGPUS = 8\nNONE = 0\n"
    script = f"{names}for row in DataLoader([1], num_workers={number}):\n    print(row)\n"
    assert bool(reported({"main.py": script}, RULE)) is found


def test_a_product_of_jobs_with_one() -> None:
    script = (
        "from joblib import Parallel, delayed\nParallel(n_jobs=1 * {}, backend='multiprocessing')(delayed(print)(1))\n"
    )
    assert reported({"main.py": script.format(4)}, RULE)
    assert not reported({"main.py": script.format(0)}, RULE)


@pytest.mark.parametrize("number", ["4", "0"])
@pytest.mark.parametrize(
    "between",
    [
        "def build(kind, n):\n    return make(kind, n)\n",
        "def build(kind, n):\n    return make(kind, workers=n), make('test', workers=n)\n",
        "def build(kind, n):\n    return middle(n, kind)\n\ndef middle(count, kind):\n    return make(kind, count)\n",
        "def build(kind, n):\n    return make(kind, **{'workers': n}) if kind is None else make(kind, n)\n",
    ],
)
def test_a_number_that_functions_hand_on(between: str, number: str) -> None:
    loaders = f"""\
from torch.utils.data import DataLoader

def make(kind, workers):
    return DataLoader([kind], num_workers=workers)

{between}"""
    script = f"import loaders\nrows = loaders.build('train', {number})\nfor row in rows:\n    print(row)\n"
    found = reported({"a.py": script, "loaders.py": loaders}, RULE)
    assert [each.span.line for each in found] == ([3] if number == "4" else [])


def test_a_number_that_the_function_between_has_of_its_own() -> None:
    loaders = """\
from torch.utils.data import DataLoader

def make(kind, workers):
    return DataLoader([kind], num_workers=workers)

def build(kind, n):
    workers = 0
    return make(kind, workers)
"""
    script = "import loaders\nrows = loaders.build('train', 4)\nfor row in rows:\n    print(row)\n"
    assert not reported({"a.py": script, "loaders.py": loaders}, RULE)


@pytest.mark.parametrize(
    ("loop", "starts"),
    [
        ("yield from (self.dataset[at] for at in range(9))", False),
        ("yield from super().__iter__()", True),
        ("yield from DataLoader(self.dataset, num_workers=2)", True),
    ],
)
def test_a_loader_that_goes_over_its_samples_itself_starts_what_its_loop_starts(loop: str, starts: bool) -> None:
    text = f"""\
from torch.utils.data import DataLoader

class Own(DataLoader):
    def __iter__(self):
        {loop}

for batch in Own([1], num_workers=4):
    print(batch)
"""
    assert bool(reported({"a.py": text}, RULE)) is starts


RUNNERS = """\
from torch.utils.data import DataLoader

class Runner:
    def __init__(self, rows, workers=0):
        self.rows = rows
        self.workers = workers
    def run(self):
        for row in DataLoader(self.rows, num_workers=self.workers):
            print(row)

class Whole(Runner):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

class Named(Runner):
    def __init__(self, rows, **options):
        super().__init__(rows, **options)

class Deeper(Whole):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

class Others(Runner):
    def __init__(self, rows, **options):
        super().__init__(rows, **{})
"""


@each_row(
    ("made", "found"),
    [
        ("Whole([1], 4)", True),
        ("Whole([1], workers=4)", True),
        ("Named([1], workers=4)", True),
        ("Deeper([1], 4)", True),
        ("Whole([1], 0)", False),
        ("Whole([4])", False),
        ("Others([1], workers=4)", False),
    ],
)
def test_a_number_that_constructors_of_heirs_pass_on(made: str, found: bool) -> None:
    files = {"a.py": f"from runners import *\n{made}.run()\n", "runners.py": RUNNERS}
    assert bool(reported(files, RULE)) is found


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("lambda rows: loader(rows, 4)", True),
        ("lambda rows: loader(rows, 0)", False),
        ("lambda rows: len(rows)", False),
    ],
)
def test_a_lambda_that_makes_a_loader(made: str, found: bool) -> None:
    text = f"""\
from torch.utils.data import DataLoader

def loader(rows, workers):
    return DataLoader(rows, num_workers=workers)

def both(rows):
    make = {made}
    train = test = None
    if rows:
        train, test = make(rows), make(rows)
    return train, test

class Trainer:
    def __init__(self, rows):
        self.train, self.test = both(rows)
    def run(self):
        for batch in self.train:
            print(batch)

Trainer([1]).run()
"""
    assert bool(reported({"a.py": text}, RULE)) is found


@each_row(
    ("bar", "starts"),
    [
        ("def bar(rows, n=1):\n    return tqdm.tqdm(rows)", True),
        ("def bar(rows, n=1):\n    return enumerate(rows), n", True),
        ("bar = lambda rows, n=1: tqdm.tqdm(rows, ncols=n)", True),
        ("def bar(rows, n=1):\n    return tqdm.tqdm(range(n))", False),
        ("def bar(rows, n=1):\n    return range(len(rows))", False),
        ("def bar(rows, n=1):\n    return [len(rows)]", False),
        ("def bar(rows, n=1):\n    rows = [1]\n    return rows", False),
        ("bar = lambda rows, n=1: range(n)", False),
    ],
)
def test_a_function_that_gives_back_the_loader_that_it_is_passed(bar: str, starts: bool) -> None:
    head = "import tqdm\nfrom torch.utils.data import DataLoader\n"
    text = f"{head}{bar}\nloader = DataLoader([1], num_workers=4)\nfor row in bar(loader, 2):\n    print(row)\n"
    assert bool(reported({"a.py": text}, RULE)) is starts
