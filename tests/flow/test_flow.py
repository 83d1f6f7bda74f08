"""What the flow analysis says of small programs: which hazards cross, how sure it is, which look-alikes it leaves."""

from __future__ import annotations

import gc
import textwrap
import weakref

import pytest

from codemods.finding import Confidence
from codemods.flow.answers.crossing import Crossing
from codemods.flow.answers.crossings import flow_of
from codemods.flow.answers.explain import explain_line
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.review.sites import sites_text
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.marks import project_of

KINDS = frozenset(HazardKind) - {HazardKind.EVALUATED, HazardKind.LOADED, HazardKind.INSTANCE}


def crossings(files: dict[str, str], settings: Settings | None = None) -> list[Crossing]:
    """All crossings in a repo of these files."""
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    return flow_of(project_of(texts, settings)).crossings(KINDS)


def marked(files: dict[str, str], mark: str) -> set[tuple[str, int]]:
    """(path, line) of the lines that end with the comment `mark`."""
    return {
        (path, number)
        for path, text in files.items()
        for number, line in enumerate(textwrap.dedent(text).splitlines(), 1)
        if line.endswith(f"# {mark}")
    }


LOADER = "from torch.utils.data import DataLoader, Dataset\n"

# Every line that ends in `# proven`, `# likely` or `# possible` makes a hazard of that confidence; no other line does.
PROGRAMS = {
    "collate_fn": {
        "train.py": LOADER
        + """
def loader(dataset, args):
    return DataLoader(dataset, num_workers=args.workers, collate_fn=lambda batch: batch)  # proven
"""
    },
    "one of the many datasets that a builder makes": {
        "train.py": LOADER
        + "from torchvision import datasets\n\ndef build(name, where):\n"
        + "".join(f"    if name == {at}:\n        data = datasets.D{at}(where, where)\n" for at in range(30))
        + "    if name == 30:\n        data = datasets.D30(where, lambda y: y - 1)  # proven\n    return data\n"
        + "\nDataLoader(build(len(str()), str()), num_workers=2)\n"
    },
    "defaults of dataclasses": {
        "train.py": """
from dataclasses import dataclass, field
from multiprocessing import Pool
from typing import Callable

@dataclass
class A:
    f: Callable = lambda x: x  # proven

@dataclass(frozen=True)
class B:
    f: Callable = field(default=lambda x: x)  # proven
    g: Callable = field(default=lambda x: x)

@dataclass
class C:
    names: list = field(default_factory=lambda: [1])
    f: Callable = field(
        default_factory=lambda: (
            lambda x: x  # proven
        )
    )

class D:
    f: Callable = lambda x: x

def main(pool: Pool, items):
    Pool(2).map(len, [A(), B(g=len), C(), D()])
"""
    },
    "fields of a namedtuple": {
        "train.py": LOADER
        + """
from collections import namedtuple

Stage = namedtuple("Stage", "fn p")

class Data(Dataset):
    def __init__(self, stages):
        self.stages = stages

def loader(names):
    stages = [Stage(lambda x: x, 0.1), Stage(p=names.keys(), fn=len)]  # proven
    kept = Stage(lambda x: x, 1)
    return DataLoader(Data(stages), num_workers=2), kept
"""
    },
    "what a partial calls": {
        "train.py": LOADER
        + """
import pickle
from functools import partial

import torch

def tree_map(fn, tree, leaf_type):
    if isinstance(tree, list):
        return [tree_map(fn, each, leaf_type) for each in tree]
    return fn(tree)

tensor_tree_map = partial(tree_map, leaf_type=torch.Tensor)

def pair(first, second):
    return second

def main(batch, file):
    pickle.dump(tensor_tree_map(lambda x: x.cpu(), batch), file)
    second = partial(pair, lambda x: x)
    pickle.dump(second(lambda x: x + 1), file)  # proven
"""
    },
    "set on a foreign object that was given nothing": {
        "train.py": LOADER
        + """
from torchvision.datasets import Flowers102

def loader():
    data = Flowers102("x")
    data.target_transform = lambda y: y - 1  # proven
    other = Flowers102("y")
    other.target_transform = lambda y: y - 1
    return DataLoader(data, num_workers=2), other
"""
    },
    "module alias": {
        "train.py": """
            import torch.utils.data as data

            def loader(dataset):
                return data.DataLoader(dataset, 1, False, None, None, 4, lambda batch: batch)  # proven
            """
    },
    "what the loader keeps at home": {
        "train.py": LOADER
        + """
def loader(dataset, args):
    return DataLoader(dataset, num_workers=4, sampler=Sampler(key=lambda i: i), generator=(lambda: 1)())
"""
    },
    "no workers": {
        "train.py": LOADER
        + """
workers = 0

def loader(dataset):
    first = DataLoader(dataset, num_workers=0, collate_fn=lambda b: b)  # possible
    second = DataLoader(dataset, num_workers=workers, collate_fn=lambda b: b)  # possible
    return first, second, DataLoader(dataset, collate_fn=lambda b: b)  # possible
"""
    },
    "consumed on the spot": {
        "train.py": """
            from multiprocessing import Pool

            def work(items):
                items = sorted(items, key=lambda item: item.size)
                items = list(map(lambda item: item + 1, items))
                best = max(items, key=lambda item: item)
                with Pool() as pool:
                    return pool.map(abs, items), best
            """
    },
    "threads": {
        "train.py": """
            import threading
            from concurrent.futures import ThreadPoolExecutor
            from multiprocessing.dummy import Pool as DummyPool
            from multiprocessing.pool import ThreadPool

            def work(items):
                threading.Thread(target=lambda: None).start()
                with ThreadPool(2) as pool:
                    pool.map(lambda x: x, items)
                with DummyPool(2) as pool:
                    pool.map(lambda x: x, items)
                with ThreadPoolExecutor() as executor:
                    executor.submit(lambda: 1)
            """
    },
    "a thread pool and a process pool of one name": {
        "train.py": """
            from multiprocessing import Pool
            from multiprocessing.pool import ThreadPool

            def work(items):
                with ThreadPool(2) as pool:
                    pool.map(lambda x: x, items)
                with Pool(2) as pool:
                    pool.map(lambda x: x, items)  # proven
            """
    },
    "other picklers": {
        "train.py": """
            import dill, ray, joblib, submitit
            from datasets import load_dataset
            from joblib import Parallel, delayed
            from pathos.multiprocessing import ProcessingPool

            def work(name):
                data = load_dataset(name).map(lambda row: row).filter(lambda row: True)
                Parallel(n_jobs=2)(delayed(lambda x: x)(i) for i in range(3))
                ProcessingPool(2).map(lambda x: x, [1])
                dill.dumps(lambda: 1)
                ray.get(ray.remote(lambda: 1).remote())
                submitit.AutoExecutor("logs").submit(lambda: 1)
                return data
            """
    },
    "pools and executors": {
        "train.py": """
            import multiprocessing as mp
            import torch.multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            def work(items):
                mp.Process(target=lambda: None, args=(lambda: 1,)).start()  # proven
                context = mp.get_context("spawn")
                with context.Pool(2, initializer=lambda: None) as pool:  # proven
                    pool.apply_async(max, (1, 2), callback=lambda result: print(result))
                    pool.imap_unordered(lambda x: x, items)  # proven
                with ProcessPoolExecutor(2) as executor:
                    executor.map(lambda x: x, items)  # proven
                    executor.submit(lambda: 1).add_done_callback(lambda future: None)  # proven
                torch.multiprocessing.spawn(lambda rank: None, args=(), nprocs=2)  # proven
            """
    },
    "a process class": {
        "train.py": """
            import multiprocessing

            class Worker(multiprocessing.Process):
                def __init__(self, job):
                    super().__init__()
                    self.job = job

                def run(self):
                    self.job()

            def main():
                worker = Worker(lambda: print("hi"))  # proven
                worker.start()
            """
    },
    "returned by a helper": {
        "seeds.py": """
            def get_seed_worker(seed):
                def seed_worker(worker_id):  # proven
                    return seed + worker_id
                return seed_worker
            """,
        "train.py": """
            from torch.utils.data import DataLoader
            from seeds import get_seed_worker

            def loader(dataset):
                return DataLoader(dataset, num_workers=2, worker_init_fn=get_seed_worker(3))
            """,
    },
    "through an attribute, a list and another file": {
        "pkg/__init__.py": "from .data import Pairs\n",
        "pkg/data.py": """
            from .steps import Chain

            class Pairs:
                def __init__(self, size):
                    self.steps = Chain([lambda x: x + 1, lambda x: x * size])  # proven

                def __len__(self):
                    return 4
            """,
        "pkg/steps.py": """
            class Chain:
                def __init__(self, steps):
                    self.steps = steps
            """,
        "train.py": """
            import pkg
            from torch.utils.data import DataLoader

            def main(workers):
                data = pkg.Pairs(3)
                return DataLoader(data, num_workers=workers)
            """,
    },
    "inheritance across files": {
        "base.py": """
            class Base:
                def __init__(self, fn=None):
                    self.fn = fn or (lambda x: x)  # proven
            """,
        "data.py": """
            from base import Base
            from torch.utils.data import Dataset

            class Images(Base, Dataset):
                def __init__(self, root):
                    super().__init__()
                    self.root = root
            """,
        "train.py": """
            from data import Images
            from torch.utils.data import DataLoader

            loader = DataLoader(Images("x"), num_workers=1)
            """,
    },
    "a Dataset nobody loads": {
        "data.py": """
            from torch.utils.data import Dataset

            class Images(Dataset):
                def __init__(self, names):
                    self.fix = lambda x: x  # likely
                    self.names = names.keys()  # likely
                    best = sorted(names, key=lambda n: n)
            """
    },
    "a Dataset of an installed library": {
        "data.py": """
            from mmdet.datasets import CustomDataset

            class Images(CustomDataset):
                def __init__(self, *args, **kwargs):
                    super().__init__(*args, **kwargs)
                    self.fix = lambda x: x  # likely
            """
    },
    "modules that were not seen at a boundary": {
        "net.py": """
            import pytorch_lightning as pl
            import torch
            import torch.nn as nn

            class Net(nn.Module):
                act = staticmethod(lambda x: x)

                def __init__(self):
                    super().__init__()
                    self.pad = lambda x: x  # possible

            class Loss(nn.Module):
                def __init__(self, table):
                    super().__init__()
                    self.weights = table.values()  # possible

            class Task(pl.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.net = Net()
                    self.fn = lambda x: x  # possible

            class Exporter:
                def __init__(self, net):
                    self.net = net
                    self.fn = lambda x: x  # possible

            def main(args, table):
                net = Net()
                torch.save(net.state_dict(), args.out)
                pl.Trainer(strategy="ddp").fit(Task())
                return Exporter(net), Loss(table)
            """
    },
    "modules at a boundary": {
        "net.py": """
            import pytorch_lightning as pl
            import torch
            import torch.multiprocessing as mp
            import torch.nn as nn
            from torch.utils.data import DataLoader, Dataset

            class Saved(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.pad = lambda x: x  # proven

            class Spawned(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Sequential(nn.ReLU(), Inner())

            class Inner(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fn = lambda x: x  # proven

            class Encoder(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fn = lambda x: x  # proven

            class Features(Dataset):
                def __init__(self, encoder):
                    self.encoder = encoder

            class Task(pl.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.fn = lambda x: x  # proven

            class Tail(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fn = lambda x: x  # proven

            class Frozen(Dataset):
                def __init__(self):
                    self.net = nn.Sequential(nn.ReLU(), Tail()).eval()

            def work(rank, net):
                pass

            def main(args):
                torch.save(Saved(), args.out)
                DataLoader(Frozen(), num_workers=2)
                mp.spawn(work, args=(Spawned(),), nprocs=2)
                DataLoader(Features(Encoder()), num_workers=2)
                pl.Trainer(strategy="ddp_spawn").fit(Task())
            """
    },
    "given to classes that are not ours to see": {
        "net.py": """
            import torch.nn as nn
            import torchvision.transforms as T
            from timm.layers import Mlp
            from torch.utils.data import Dataset

            class Block(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.mlp = Mlp(act_layer=lambda: nn.GELU())  # possible
                    self.head = nn.Sequential(nn.ReLU(), Fn(lambda x: x))  # possible
                    self.heads = nn.ModuleList([Fn(lambda x: x)])  # possible

                def add(self, heads):
                    self.more = nn.ModuleList(heads.values())

            class Fn(nn.Module):
                def __init__(self, fn):
                    super().__init__()
                    self.fn = fn

            class Images(Dataset):
                def __init__(self):
                    self.transform = T.Compose([T.Lambda(lambda x: x)])  # likely
            """
    },
    "plain objects": {
        "config.py": """
            class Config:
                def __init__(self, table):
                    self.names = table.keys()  # possible
                    self.key = lambda name: name  # possible
            """
    },
    "made in the worker": {
        "data.py": """
            from torch.utils.data import Dataset

            class Images(Dataset):
                def __getitem__(self, index):
                    self._open()
                    self.last = lambda: index
                    return self.names

                def _open(self):
                    self.names = {}.keys()
            """
    },
    "dropped by __getstate__": {
        "data.py": """
            from torch.utils.data import DataLoader, Dataset

            class Images(Dataset):
                def __init__(self):
                    self.fix = lambda x: x  # possible
                    self.keep = lambda x: x  # proven

                def __getstate__(self):
                    state = self.__dict__.copy()
                    del state["fix"]
                    return state

            loader = DataLoader(Images(), num_workers=2)
            """
    },
    "keyword dict": {
        "train.py": """
            from torch.utils.data import DataLoader

            def main(dataset, args):
                options = dict(num_workers=args.workers, collate_fn=lambda b: b)  # proven
                options["worker_init_fn"] = lambda i: None  # proven
                options["sampler"] = lambda i: None
                return DataLoader(dataset, **options)
            """
    },
    "classmethod builder": {
        "loader.py": """
            from torch.utils.data import DataLoader

            class MyLoader(DataLoader):
                @classmethod
                def build(cls, dataset, workers):
                    return cls(dataset, num_workers=workers, collate_fn=lambda b: b)  # proven
            """
    },
    "loader subclass": {
        "loader.py": """
            import torch.utils.data

            class MyLoader(torch.utils.data.DataLoader):
                def __init__(self, dataset, workers):
                    super().__init__(dataset, num_workers=workers, collate_fn=lambda b: b)  # proven
            """
    },
    "webdataset chain": {
        "train.py": """
            import webdataset as wds
            from torch.utils.data import DataLoader

            def main(urls, names, workers):
                steps = [("jpg", lambda x: x), ("txt", lambda x: x)]  # proven
                data = wds.WebDataset(urls).select(lambda s: True).shuffle(10)  # proven
                data = data.map_tuple(*[s[1] for s in steps]).map(lambda x: {n: x for n in names})  # proven
                return DataLoader(data, num_workers=workers)
            """
    },
    "torchvision transforms": {
        "train.py": """
            import torchvision.transforms as T
            from torchvision.datasets import ImageFolder
            from torch.utils.data import DataLoader, random_split, Subset

            def main(root, workers):
                fix = T.Compose([T.ToTensor(), T.Lambda(lambda x: x * 2)])  # proven
                train, val = random_split(ImageFolder(root, transform=fix), [8, 2])
                return DataLoader(Subset(train, [1]), num_workers=workers)
            """
    },
    "set from outside": {
        "train.py": """
            from torch.utils.data import DataLoader, Dataset

            class Images(Dataset):
                transform = None

            def main(workers):
                data = Images()
                data.transform = lambda x: x  # proven
                setattr(data, "target_transform", lambda y: y)  # proven
                return DataLoader(data, num_workers=workers)
            """
    },
    "dataclass and NamedTuple": {
        "train.py": """
            from dataclasses import dataclass, field
            from multiprocessing import Process
            from typing import Callable, NamedTuple

            @dataclass
            class Job:
                name: str
                run: Callable
                names: list = field(default_factory=lambda: [])

            class Pair(NamedTuple):
                left: Callable
                right: Callable

            def work(job, pair):
                job.run()

            def main():
                Process(target=work, args=(Job("a", lambda: 1), Pair(lambda: 2, right=lambda: 3))).start()  # proven
            """
    },
    "partial": {
        "train.py": """
            import functools
            from functools import partial
            from multiprocessing import Pool

            def apply(fn, x):
                return fn(x)

            def main(items):
                step = partial(apply, lambda x: x)  # proven
                with Pool() as pool:
                    pool.map(step, items)
                    pool.map(functools.partial(apply, fn=lambda x: x), items)  # proven
            """
    },
    "bound method drags its object along": {
        "train.py": """
            from multiprocessing import Pool

            class Runner:
                def __init__(self):
                    self.log = lambda *a: None  # proven

                def step(self, x):
                    return x

                def main(self, items):
                    with Pool() as pool:
                        return pool.map(self.step, items)
            """
    },
    "local class and local dataset": {
        "train.py": """
            from torch.utils.data import DataLoader, Dataset

            def get_dataset(base):
                class Joined(Dataset):  # proven
                    def __len__(self):
                        return 1
                return Joined

            def unused():
                class Local(Dataset):
                    pass
                return len(Local())

            def main(workers):
                return DataLoader(get_dataset(object)(), num_workers=workers)
            """
    },
    "called on the spot by a helper": {
        "net.py": """
            from inspect import isfunction
            import torch.nn as nn

            def default(value, other):
                if value is not None:
                    return value
                return other() if callable(other) else other

            def default_too(value, other):
                if isfunction(other):
                    return other()
                return other

            class Net(nn.Module):
                def __init__(self, channels=None):
                    super().__init__()
                    self.channels = default(channels, lambda: 3)
                    self.width = default_too(channels, lambda: 3)
            """
    },
    "a property that calls what it was given, once": {
        "data.py": """
            from torch.utils.data import DataLoader

            class Parts:
                def __init__(self, train, query):
                    self._train = train
                    self._query = query

                @property
                def train(self):
                    if callable(self._train):
                        self._train = self._train()
                    return self._train

                @property
                def query(self):
                    if callable(self._query):
                        print("a function")
                    return self._query

                def read(self, fixed):
                    if callable(fixed):
                        fixed = fixed()
                    return fixed

            parts = Parts(
                lambda: [1],  # possible
                lambda: [2],  # proven
            )
            DataLoader(parts.train, num_workers=2)
            DataLoader(parts.query, num_workers=2)
            DataLoader(parts.read(lambda: [4]), num_workers=2)
            """
    },
    "a mapping that is spread is another dict": {
        "data.py": """
            import pickle
            from addict import Dict
            from collections import defaultdict

            class Kept:
                def __init__(self, **options):
                    self.options = options

            def note(**options):
                options["late"] = lambda: 1
                return len(options)

            counts = defaultdict(lambda: 0)
            given = {"first": lambda: 1}  # proven
            pickle.dumps(Kept(**counts, **given, **Dict(second=lambda: 2)))  # proven
            untouched = {"first": str.upper}
            note(**untouched)
            pickle.dumps(untouched)
            """
    },
    "the state of a loader": {
        "data.py": """
            import pickle
            from torchdata.stateful_dataloader import StatefulDataLoader

            class Stateful(StatefulDataLoader):
                def state_dict(self):
                    return pickle.dumps(super().state_dict())

            Stateful([1], num_workers=0, collate_fn=lambda rows: rows)  # possible
            """
    },
    "wrapped for cloudpickle": {
        "envs.py": """
            import multiprocessing as mp
            import cloudpickle

            class Wrapper:
                def __init__(self, fn):
                    self.fn = fn

                def __getstate__(self):
                    return cloudpickle.dumps(self.fn)

            def worker(remote, parent, wrapper):
                pass

            def make(env_fns):
                pipes = [mp.Pipe() for _ in env_fns]
                remotes, work_remotes = zip(*pipes)
                for work_remote, remote, env_fn in zip(work_remotes, remotes, env_fns):
                    mp.Process(target=worker, args=(work_remote, remote, Wrapper(env_fn))).start()

            def main():
                make([lambda: 1, lambda: 2])  # possible
            """
    },
    "one of several that are returned together": {
        "tools.py": """
            def setup():
                def register(cls):
                    return cls
                def build(name):  # proven
                    return name
                return build, register, {}
            """,
        "train.py": """
            from multiprocessing import Process
            from tools import setup

            build, register, table = setup()
            Process(target=build, args=(table,)).start()
            both = setup()
            register = both[1]
            """,
    },
    "the factory of a defaultdict is not in it": {
        "counts.py": """
            import pickle
            from collections import defaultdict

            def main(f):
                counts = defaultdict(lambda: 0)
                for i in range(3):
                    counts[i] += 1
                pickle.dump(counts["a"], f)

            def whole(f):
                counts = defaultdict(lambda: 0)  # proven
                pickle.dump(counts, f)
            """
    },
    "a defaultdict makes what is stored in": {
        "train.py": """
            import pickle
            from collections import defaultdict

            def nested(split):
                found = defaultdict(lambda: defaultdict(dict))
                found[split]["x"]["data"] = lambda x: x + 1  # proven
                found[split]["x"]["note"] = lambda x: x + 2
                pickle.dumps(found[split]["x"]["data"])

            def main(splits):
                sets = defaultdict(dict)
                for split in splits:
                    sets[split]["data"] = lambda x: x + 3  # proven
                    sets[split]["note"] = lambda x: x + 4
                    pickle.dumps(sets[split]["data"])

            def steps(name):
                found, plain = defaultdict(list), defaultdict(list)
                found[name].append(lambda x: x + 5)  # proven
                plain[name].append(lambda x: x + 6)
                for each in found.values():
                    pickle.dumps(each)
                pickle.dumps(len(plain[name]))

            def flat(name):
                by_name = defaultdict(lambda: None)
                by_name["one"] = lambda x: x + 7  # proven
                by_name["two"] = lambda x: x + 8
                pickle.dumps(by_name["one"])

            def default(name):
                made = defaultdict(lambda: lambda x: x + 9)  # proven
                pickle.dumps(made[name])
            """
    },
    "dicts by attribute have nothing in common": {
        "train.py": """
            import torch.multiprocessing as mp

            class EasyDict(dict):
                def __getattr__(self, name):
                    return self[name]

                def __setattr__(self, name, value):
                    self[name] = value

            TABLE = {"relu": EasyDict(func=lambda x: x, gain=1), "tanh": EasyDict(func=lambda x: x)}

            def main(rank, args):
                args.hook(rank)

            def launch():
                args = EasyDict(verbose=True, log=lambda text: None)  # proven
                args.hook = lambda rank: None  # proven
                mp.spawn(main, args=(args,), nprocs=2)

            launch()
            """
    },
    "hooks that nobody removes": {
        "train.py": """
            from multiprocessing import Process
            from torch import nn

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_forward_hook(lambda m, i, o: o)  # proven
                    self.handle = self.register_forward_hook(lambda m, i, o: o)  # proven

            def main(net):
                print(net)

            def launch():
                net = Net()
                net.register_full_backward_hook(lambda m, i, o: None)  # proven
                net.register_buffer("count", lambda: 1)
                with net.register_forward_pre_hook(lambda m, i: i):
                    net(1)
                Process(target=main, args=(net,)).start()

            launch()
            """
    },
    "hooks on a part of what is sent": {
        "train.py": """
            from multiprocessing import Process
            from torch import nn

            class Net(nn.Module):
                def __init__(self, dim):
                    super().__init__()
                    self.net = nn.Linear(dim, dim)
                    self.left_out = nn.Linear(dim, dim)
                    self.net.register_forward_hook(lambda m, i, o: o)  # proven
                    self.left_out.register_forward_hook(lambda m, i, o: o)  # possible

                def __getstate__(self):
                    state = self.__dict__.copy()
                    del state["left_out"]
                    return state

            def main(net, parts):
                print(net, parts)

            def launch():
                parts = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
                parts[0].register_forward_hook(lambda m, i, o: o)  # proven
                handle = parts[1].register_forward_hook(lambda m, i, o: o)
                handle.remove()
                Process(target=main, args=(Net(2), parts)).start()

            launch()
            """
    },
    "methods of the repo that are called like those for hooks": {
        "train.py": """
            from multiprocessing import Process
            from torch import nn

            class Recorder:
                def __init__(self):
                    self.names = []

                def register_forward_hook(self, hook):
                    self.names.append(hook.__name__)

                @staticmethod
                def count():
                    return len("ab")

            class Passing:
                def __init__(self, dim):
                    self.inner = nn.Linear(dim, dim)

                def register_forward_hook(self, hook):
                    return self.inner.register_forward_hook(hook)

            class Net(nn.Module):
                def __init__(self, dim):
                    super().__init__()
                    self.recorder, self.passing = Recorder(), Passing(dim)
                    self.recorder.register_forward_hook(lambda m, i, o: o)
                    self.passing.register_forward_hook(lambda m, i, o: o)  # proven

            def main(net, recorder):
                print(net, recorder)

            def launch():
                recorder = Recorder()
                recorder.register_forward_hook(lambda m, i, o: o)
                Process(target=main, args=(Net(2), recorder)).start()

            launch()
            """
    },
    "the initialiser that a dataclass gets, called by a class below it": {
        "train.py": """
            from dataclasses import dataclass
            from multiprocessing import Process
            from typing import Callable

            @dataclass
            class Group:
                key: Callable
                reduce: Callable = lambda values: values[0]  # proven
                last: Callable = lambda values: values[-1]

            class Counter(Group):
                def __init__(self, key=lambda row: row):  # proven
                    super().__init__(key, last=len)

            def main(group):
                print(group)

            def launch():
                Process(target=main, args=(Counter(),)).start()

            launch()
            """
    },
    "what a dict or list sets on itself": {
        "train.py": """
            from multiprocessing import Process

            class Table(dict):
                def __init__(self):
                    super().__init__()
                    self.default = lambda: 0  # proven
                    self.other = None

            class Steps(list):
                def __init__(self, at_end=None):
                    self.at_end = at_end or (lambda: 1)  # proven

            def main(table, steps):
                steps.append(1)

            def launch():
                one = Table()
                one.other = lambda: 2  # possible
                Process(target=main, args=(Table(), Steps())).start()

            launch()
            """
    },
    "dict of functions, iterated": {
        "metrics.py": 'METRICS = {"a": lambda x: x}  # proven\nNAMES = {"a": lambda x: x}\n',
        "train.py": """
            from multiprocessing import Pool
            from metrics import METRICS

            def main(items):
                with Pool() as pool:
                    for name, metric in METRICS.items():
                        pool.map(metric, items)
            """,
    },
    "wrapped functions are found by name": {
        "train.py": """
            import functools
            from multiprocessing import Pool

            def logged(fn):
                @functools.wraps(fn)
                def wrapper(x):
                    return fn(x)
                return wrapper

            @logged
            def work(x):
                return x

            def main(items):
                with Pool() as pool:
                    return pool.map(work, items)
            """
    },
    "one call does not answer for another": {
        "tools.py": """
            def same(x):
                return x
            """,
        "train.py": """
            from multiprocessing import Process
            from tools import same

            def local():
                return same(lambda: 1)()

            def main():
                Process(target=same(print)).start()
            """,
    },
    "relative and star imports": {
        "pkg/__init__.py": "",
        "pkg/collate.py": """
            def make():
                return lambda batch: batch  # proven
            """,
        "pkg/api.py": "from .collate import *\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/train.py": """
            from torch.utils.data import *
            from ..api import make

            def loader(dataset):
                return DataLoader(dataset, num_workers=2, collate_fn=make())
            """,
    },
    "packages under src": {
        "src/pkg/__init__.py": "",
        "src/pkg/images.py": """
            class Images:
                def __init__(self):
                    self.fix = lambda x: x  # proven
            """,
        "tools/train.py": """
            import pkg.images as images
            from torch.utils.data import DataLoader

            loader = DataLoader(images.Images(), num_workers=2)
            """,
    },
    "comprehensions, conditions, stars and a closure of a decorator": {
        "train.py": """
            from multiprocessing import Pool, Process

            def steps(names, flip):
                made = [lambda x: x for name in names]  # proven
                made += [(lambda x: x) if flip else (lambda x: -x)]  # proven
                return {name: step for name, step in zip(names, made)}

            def logged(fn):
                def wrapper(*args):  # proven
                    return fn(*args)
                return wrapper

            def work(x):
                return x

            def main(items, names):
                with Pool() as pool:
                    for step in steps(names, True).values():
                        pool.map(step, items)
                both = (print, lambda: 1)  # proven
                Process(None, *both).start()
                Process(target=logged(work)).start()
            """
    },
    "scripts that add folders to sys.path": {
        "tools/train.py": """
            import _init_paths
            from datasets.images import Images
            from torch.utils.data import DataLoader

            loader = DataLoader(Images(), num_workers=2)
            """,
        "lib/datasets/__init__.py": "",
        "lib/datasets/images.py": """
            class Images:
                def __init__(self):
                    self.fix = lambda x: x  # proven
            """,
    },
    "a file of the package that is called like something installed": {
        "pkg/__init__.py": "",
        "pkg/strategies/__init__.py": "",
        "pkg/strategies/torch.py": "def save(state):\n    pass\n",
        "pkg/strategies/load.py": """
            import torch

            def loader(dataset):
                return torch.utils.data.DataLoader(dataset, num_workers=2, collate_fn=lambda b: b)  # proven
            """,
        "train.py": """
            import torch

            def loader(dataset):
                return torch.utils.data.DataLoader(dataset, num_workers=2, collate_fn=lambda b: b)  # proven
            """,
    },
    "conditional imports": {
        "train.py": """
            try:
                from torch.utils.data import DataLoader
            except ImportError:
                DataLoader = None

            def loader(dataset):
                return DataLoader(dataset, num_workers=2, collate_fn=lambda b: b)  # proven
            """
    },
    "pickle and torch.save": {
        "save.py": """
            import pickle
            import torch

            class Box:
                def __init__(self):
                    self.fn = lambda: 1  # proven

            def main(model, f):
                torch.save({"box": Box(), "state": model.state_dict()}, f)
                pickle.dump([lambda: 2], f)  # proven
            """
    },
    "lightning hooks": {
        "module.py": """
            import pytorch_lightning as pl
            from torch.utils.data import DataLoader

            class Data(pl.LightningDataModule):
                def train_dataloader(self):
                    return DataLoader(self.data, num_workers=4, collate_fn=lambda b: b)  # proven
            """
    },
    "registry": {
        "registry.py": """
            class Registry:
                def __init__(self):
                    self.modules = {}

                def register_module(self):
                    def register(cls):
                        self.modules[cls.__name__] = cls
                        return cls
                    return register

                def build(self, cfg):
                    return self.modules[cfg.pop("type")](**cfg)

            DATASETS = Registry()
            """,
        "images.py": """
            from registry import DATASETS

            @DATASETS.register_module()
            class Images:
                def __init__(self, root):
                    self.fix = lambda x: x  # proven
            """,
        "train.py": """
            import images
            from registry import DATASETS
            from torch.utils.data import DataLoader

            def main(cfg, workers):
                return DataLoader(DATASETS.build(cfg), num_workers=workers)
            """,
    },
    "a registry larger than we follow, keys from YAML, names set by setattr": {
        "registry.py": """
            class Registry:
                table = {}

                @classmethod
                def register(cls, name):
                    def wrap(made):
                        cls.table[name] = made
                        return made
                    return wrap

                @classmethod
                def get(cls, name):
                    return cls.table.get(name)
            """,
        "steps.py": "from registry import Registry\n"
        + "".join(f"@Registry.register('s{i}')\nclass Step{i}:\n    pass\n" for i in range(40))
        + "@Registry.register('scale')\nclass Scale:\n    def __init__(self):\n"
        + "        self.scale = lambda x: x / 255  # possible\n",
        "train.py": """
            import yaml
            import steps
            from registry import Registry
            from torch.utils.data import DataLoader

            class Images:
                def prepare(self, config):
                    for name, entry in config.items():
                        setattr(self, name, Registry.get(entry["type"])())

            def main(path):
                data = Images()
                data.prepare(yaml.safe_load(open(path)))
                return DataLoader(data, num_workers=2)
            """,
    },
    "two objects of one class": {
        "train.py": LOADER
        + """
import pickle

class Pairs(Dataset):
    pass

class Steps:
    def __init__(self, fn):
        self.fn = fn

def main(file):
    stays = Steps(lambda x: x)  # possible
    goes = Steps(lambda x: x)  # proven
    pickle.dump(goes, file)
    return stays.fn(1)
"""
    },
    "two objects of a class with a base that keeps the argument": {
        "train.py": LOADER
        + """
class Base(Dataset):
    def __init__(self, fn=None):
        self.fn = fn

class Images(Base):
    def __init__(self, root, fn):
        super().__init__(fn=fn)
        self.root = root

def main(root):
    goes = Images(root, lambda x: x)  # proven
    return DataLoader(goes, num_workers=2)
"""
    },
    "a factory that makes anything": {
        "build.py": """
            class Config:
                def __init__(self, target):
                    self.target = target

                def setup(self):
                    return self.target(self)
            """,
        "parts.py": """
            class Data: pass
            class Viewer:
                def __init__(self, config):
                    self.draw = lambda: 1  # possible
            class Schedule: pass
            class Writer: pass
            """,
        "train.py": LOADER
        + """
from build import Config
from parts import Data, Schedule, Viewer, Writer

def main(kind):
    data = Config(Data)
    viewer = Config(Viewer).setup()
    schedule = Config(Schedule).setup()
    writer = Config(Writer).setup()
    loader = DataLoader(data.setup(), num_workers=2)
    return viewer, schedule, writer, loader
""",
    },
    "a registry of one kind of objects": {
        "data.py": """
            TABLE = {}

            def register(made):
                TABLE[made.__name__] = made
                return made

            def build(name, root):
                return TABLE[name](root)

            class Base:
                def __init__(self, root):
                    self.root = root

            @register
            class A(Base):
                def __init__(self, root):
                    super().__init__(root)
                    self.load = lambda path: path  # proven

            @register
            class B(Base): pass

            @register
            class C(Base): pass

            @register
            class D(Base): pass
            """,
        "train.py": LOADER
        + """
from data import build

def main(args):
    return DataLoader(build(args.name, args.root), num_workers=2), DataLoader(build("B", ""), num_workers=2)
""",
    },
    "threads or processes": {
        "run.py": """
            from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
            from multiprocessing import Pool
            from multiprocessing.pool import ThreadPool

            def main(items, use_process=False):
                pool = Pool(4) if use_process else ThreadPool(4)
                pool.map(lambda item: item, items)  # possible
                if use_process:
                    other = Pool(4)
                else:
                    other = ThreadPool(4)
                other.map(lambda item: item, items)  # possible
                kind = ProcessPoolExecutor if use_process else ThreadPoolExecutor
                with kind(4) as executor:
                    executor.submit(lambda: 1)  # possible
                with ProcessPoolExecutor(4) as executor:
                    executor.submit(lambda: 1)  # proven
            """
    },
    "threads or processes, by an import": {
        "run.py": """
            def run(work, items, threads=False):
                if threads:
                    from multiprocessing.dummy import Pool
                else:
                    from multiprocessing import Pool
                return Pool(2).map(work, items)

            def by_default(work, items, threads=True):
                if threads:
                    from multiprocessing.pool import ThreadPool as Pool
                else:
                    from multiprocessing import Pool
                return Pool(2).map(work, items)

            def as_told(work, items, threads):
                if threads:
                    from multiprocessing.dummy import Pool
                else:
                    from multiprocessing import Pool
                return Pool(2).map(work, items)

            def main(items):
                run(lambda item: item, items)  # proven
                by_default(lambda item: item, items)  # possible
                as_told(lambda item: item, items, True)  # possible
            """
    },
    "threads or processes, as calls say": {
        "run.py": """
            from multiprocessing import Pool
            from multiprocessing.pool import ThreadPool

            def by_default(work, items, parallel=True):
                kind = Pool if parallel and len(items) > 1 else ThreadPool
                with kind(4) as pool:
                    return list(pool.imap(work, items))

            def when_asked(work, items, in_threads):
                if in_threads:
                    pool = ThreadPool(4)
                else:
                    pool = Pool(4)
                return pool.map(work, items)

            def in_a_branch(work, items, parallel):
                return (Pool(2) if parallel else ThreadPool(2)).map(work, items)

            def passed_on(work, items, parallel=True):
                return (Pool(2) if parallel else ThreadPool(2)).map(work, items)

            def passes(items, parallel=False):
                return passed_on(lambda item: item, items, parallel)  # possible

            def of_an_option(work, items, parallel):
                return (Pool(2) if parallel else ThreadPool(2)).map(work, items)

            def main(items, args):
                by_default(lambda item: item, items)  # proven
                when_asked(lambda item: item, items, True)  # possible
                if len(items) > 9:
                    several = True
                else:
                    several = False
                in_a_branch(lambda item: item, items, several)  # proven
                passes(items)
                of_an_option(lambda item: item, items, args.parallel)  # possible
            """
    },
    "put in the copy of a dict": {
        "train.py": """
            import pickle

            def main(file, other):
                options = {"fn": lambda x: x}  # proven
                first = dict(options, more=2)
                first["first"] = lambda x: x
                second = options.copy()
                second["second"] = lambda x: x  # proven
                pickle.dump(options, file)
                pickle.dump(second["second"], file)
                third = second.copy()
                third.update(third=lambda x: x)  # proven
                fourth = dict(**third)
                pickle.dump(fourth["third"], other)
                fifth = {}.copy()
                fifth["fifth"] = lambda x: x  # proven
                pickle.dump(fifth, file)
            """
    },
    "kept on a module": {
        "train.py": LOADER
        + """
import torchvision
import lib
from data import Images

lib.transforms_train = [lambda x: x]  # proven
lib.unused_transforms = [lambda x: x]
torchvision.transforms_test = [lambda x: x]  # proven

def main():
    return DataLoader(Images(), num_workers=2)
""",
        "lib.py": "",
        "data.py": LOADER
        + """
import lib
import torchvision

class Images(Dataset):
    def __init__(self):
        self.transforms = lib.transforms_train + torchvision.transforms_test
""",
    },
    "kept in a dict on self": {
        "train.py": LOADER
        + """
class Column:
    def __init__(self, fn):
        self.fn = fn

class Table(Dataset):
    def __init__(self, names):
        self.columns = {}
        self.columns["k"] = Column(lambda row: row)  # proven
        for name in names:
            self.columns[name] = Column(lambda row: row)  # proven

def main(names):
    return DataLoader(Table(names), num_workers=2)
"""
    },
    "set by a class that derives from the one with the loader": {
        "base.py": """
            from functools import partial
            import torch

            REGISTRY = {None: torch.utils.data.DataLoader}

            class Base:
                @classmethod
                def _collate_fn(cls, batch):
                    return batch

                def train_dataloader(self, **options):
                    return self._loader(self.train, collate_fn=partial(self._collate_fn, size=1), **options)

                def _loader(self, data, **options):
                    return REGISTRY[self.kind](data, **options)
            """,
        "long.py": """
            from base import Base

            class Long(Base):
                def setup(self):
                    def collate_batch(batch):  # proven
                        return [len(self.vocab), batch]
                    self._collate_fn = collate_batch
                    self.other = lambda x: x  # possible
            """,
    },
    "set by code that runs in the worker": {
        "train.py": LOADER
        + """
from multiprocessing import Process

class Job(Process):
    def __init__(self, items):
        super().__init__()
        self.items = items

    def run(self):
        self.prepare()
        self.fn = lambda x: x

    def prepare(self):
        self.other = lambda x: x

class Collate:
    def __init__(self):
        self.cache = None
        self.fn = lambda x: x  # proven

    def __call__(self, batch):
        if self.cache is None:
            self.cache = lambda x: x
        return batch

def main(items):
    job = Job(items)
    job.start()
    return DataLoader(items, num_workers=2, collate_fn=Collate())
"""
    },
    "a dataset that only loaders without workers get": {
        "train.py": LOADER
        + """
class Here(Dataset):
    def __init__(self):
        self.fn = lambda x: x  # possible

class There(Dataset):
    def __init__(self):
        self.fn = lambda x: x  # proven

class Somewhere(Dataset):
    def __init__(self):
        self.fn = lambda x: x  # likely

def main(workers):
    DataLoader(Here(), num_workers=0)
    DataLoader(Here())
    DataLoader(There(), num_workers=0)
    DataLoader(There(), num_workers=workers)
    return Somewhere()
"""
    },
    "transforms of Hugging Face datasets": {
        "train.py": LOADER
        + """
import datasets
from datasets import load_dataset

def main(args, tokenizer):
    dataset = load_dataset(args.name, cache_dir=args.cache)
    mapped = dataset.map(lambda row: row, num_proc=4)

    def preprocess_train(rows):  # proven
        return tokenizer(rows)

    train = dataset["train"].shuffle(seed=1).select(range(9)).with_transform(preprocess_train)
    test = datasets.load_from_disk(args.test)
    test.set_transform(lambda row: row)  # proven
    other = datasets.load_from_disk(args.other)
    other.set_transform(lambda row: row)
    DataLoader(test, num_workers=2)
    DataLoader(mapped["train"], num_workers=2)
    return DataLoader(train, num_workers=args.workers), other
"""
    },
    "a class that can't be made": {
        "compat.py": """
            def missing(name):
                class Missing:
                    def __init__(self, *args):
                        "Says what to install."
                        raise ImportError(name)
                return Missing
            """,
        "net.py": """
            import torch.nn as nn
            from compat import missing

            try:
                from deform import Conv
            except ImportError:
                Conv = missing("deform")

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = Conv(3)
            """,
    },
    "an attribute put on one of many": {
        "build.py": """
            import torch
            import torch.nn as nn

            class A(nn.Module): pass
            class B(nn.Module): pass
            class C(nn.Module): pass
            class D(nn.Module): pass
            class E(nn.Module): pass

            class Loop:
                def __init__(self):
                    self.step = None

            TABLE = {"a": A, "b": B, "c": C, "d": D, "e": E, "loop": Loop}

            def main(name):
                made = TABLE[name]()
                made.step = lambda: 1  # possible
                net = A()
                net.hook = lambda: 1  # proven
                torch.save(net, "net.pt")
            """
    },
    "properties": {
        "train.py": """
            from multiprocessing import Process

            class Job:
                @property
                def target(self):
                    return lambda: 1  # proven

            Process(target=Job().target).start()
            """
    },
    "copied": {
        "train.py": """
            import copy

            copy.deepcopy(lambda: 1)
            """
    },
    "rebinding before use": {
        "config.py": """
            from torch.utils.data import Dataset

            class Names(Dataset):
                def __init__(self, table):
                    names = table.keys()
                    names = list(names)
                    self.names = names
                    kinds = table.values()
                    if len(kinds) > 3:
                        kinds = sorted(kinds)
                    self.kinds = kinds
            """.replace("kinds = table.values()", "kinds = table.values()  # likely")
    },
}


@each_row("name", PROGRAMS)
def test_program(name: str) -> None:
    files = PROGRAMS[name]
    found = crossings(files)
    told = {
        bar.value: {(c.path, c.line) for c in found if c.confidence is bar and c.kind is not HazardKind.GENERATOR}
        for bar in Confidence
    }
    assert told == {bar.value: marked(files, bar.value) for bar in Confidence}


def test_trace_is_told_from_the_value_to_the_boundary() -> None:
    (found,) = crossings(PROGRAMS["returned by a helper"])
    assert [(hop.path, hop.line, hop.what) for hop in found.trace] == [
        ("seeds.py", 3, "a function is defined inside another here"),
        ("seeds.py", 3, "assigned to `seed_worker`"),
        ("seeds.py", 2, "returned by `get_seed_worker()`"),
        (
            "train.py",
            6,
            "`torch.utils.data.DataLoader` pickles its `worker_init_fn` for another process, under spawn and "
            "forkserver: on Windows and macOS today, on Linux from Python 3.14",
        ),
    ]
    assert found.boundary == "torch.utils.data.DataLoader"


@each_row(
    ("body", "words"),
    [
        ("DataLoader(d, num_workers=1, collate_fn=lambda b: b)", "on Linux from Python 3.14"),
        (
            "DataLoader(d, num_workers=1, multiprocessing_context='spawn', collate_fn=lambda b: b)",
            "as spawn is asked for here",
        ),
        ("mp.set_start_method('forkserver'); mp.Process(target=lambda: 1)", "as forkserver is set at a.py:5"),
        ("init_dist('pytorch'); mp.Process(target=lambda: 1)", "as spawn is set at a.py:5"),
        ("mp.Pool().map(lambda x: x, d)", "under every start method"),
    ],
)
def test_start_method_in_words(body: str, words: str) -> None:
    head = "import multiprocessing as mp\nfrom mmcv.runner import init_dist\nfrom torch.utils.data import DataLoader\n"
    (found,) = crossings({"a.py": f"{head}def main(d):\n    {body}\n"})
    assert found.trace[-1].what.endswith(words)


def test_boundaries_of_ones_own() -> None:
    files = {"a.py": "import grid\ngrid.submit(lambda: 1, name=lambda: 2)\n"}
    assert crossings(files) == []
    own: dict[str, object] = {"callable": "grid.submit", "parameters": ["job"], "pickles": ["job"]}
    (found,) = crossings(files, Settings(boundaries=(own,)))
    assert (found.line, found.column, found.confidence) == (2, 12, Confidence.PROVEN)
    assert found.trace[-1].what.startswith("`grid.submit` pickles its `job` for another process")
    (found,) = crossings(files, Settings(boundaries=({**own, "always": True, "says": "writes it to a journal"},)))
    assert found.trace[-1].what == "`grid.submit` writes it to a journal"


@pytest.mark.parametrize(("annotation", "found"), [("", 1), (": dict", 1), (": nn.Module", 0)])
def test_a_parameter_for_a_module_takes_no_configuration(annotation: str, found: int) -> None:
    code = (
        "import pickle\nimport torch.nn as nn\n\n\nclass Traced(nn.Module):\n"
        f"    def __init__(self, model{annotation}):\n        super().__init__()\n        self.model = model\n\n\n"
        "def build(config):\n    return Traced(config)\n\n\n"
        "pickle.dumps(build({'norm': lambda x: x}))\n"
    )
    assert len([c for c in crossings({"net.py": code}) if c.confidence is Confidence.PROVEN]) == found


def test_tests_do_not_speak_for_the_program() -> None:
    files = {
        "data.py": "class Pairs:\n    def __init__(self, fn):\n        self.fn = fn\n",
        "train.py": "from data import Pairs\nfrom torch.utils.data import DataLoader\n"
        "loader = DataLoader(Pairs(None), num_workers=2)\n",
        "tests/test_data.py": "from data import Pairs\n\ndef test_pairs():\n    assert Pairs(lambda: 1).fn() == 1\n",
    }
    assert [(c.path, c.confidence) for c in crossings(files)] == [("tests/test_data.py", Confidence.POSSIBLE)]


def test_two_objects_of_a_test_are_not_one() -> None:
    files = {
        "data.py": "class Pairs:\n    def __init__(self, fn):\n        self.fn = fn\n",
        "tests/test_data.py": "import pickle\nfrom data import Pairs\n\n"
        "def test_call():\n    assert Pairs(lambda: 1).fn()\n\n"
        "def test_pickle():\n    pickle.dumps(Pairs(len))\n    pickle.dumps(lambda: 2)\n",
    }
    assert [(c.line, c.confidence) for c in crossings(files)] == [(5, Confidence.POSSIBLE), (9, Confidence.PROVEN)]


def test_a_dataset_of_a_test_is_not_made_to_cross() -> None:
    code = f"{LOADER}\nclass Data(Dataset):\n    def __init__(self):\n        self.act = lambda x: x\n\nData()\n"
    assert [c.confidence for c in crossings({"tests/test_data.py": code})] == [Confidence.POSSIBLE]
    assert [c.confidence for c in crossings({"data.py": code})] == [Confidence.LIKELY]


def test_instances() -> None:
    files = PROGRAMS["through an attribute, a list and another file"]
    contents = {path: textwrap.dedent(text).encode() for path, text in files.items()}
    flow = flow_of(Project(MemoryFiles(contents)))
    crossing = flow.instances("pkg/steps.py", 2)
    assert crossing is not None and crossing.confidence is Confidence.PROVEN
    assert flow.instances("pkg/steps.py", 99) is None


def knot(size: int) -> str:
    """Functions that all call each other through one table: one strongly connected component of 10 x `size` nodes."""
    lines = ["TABLE = {}"]
    for i in range(size):
        after = (i * 7 + 1) % size
        lines += [
            f"def f{i}(x, **options):",
            f"    TABLE['k{i % 50}'] = x",
            f"    y = f{after}(x, **options)",
            f"    options['o{i % 20}'] = [y, TABLE.get('k{after % 50}')]",
            f"    return f{(i + 1) % size}(y, o=lambda: x, **options)",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_a_knot_of_calls_ends() -> None:
    """Four times the knot may not take sixteen times as long (a bound on the steps, not on the clock)."""
    steps = []
    for size in (500, 2000):
        project = Project(MemoryFiles({"knot.py": knot(size).encode()}))
        flow_of(project).crossings(KINDS)
        assert flow_of(project).solution.complete
        steps.append(flow_of(project).solution.steps)
    assert steps[1] < 8 * steps[0]


def test_partials_of_themselves_end() -> None:
    code = "from functools import partial\n\ndef build(f, n):\n    for i in range(n):\n        f = partial(f, i)\n"
    code += "    return f(n)\n"
    project = Project(MemoryFiles({"train.py": code.encode()}))
    assert flow_of(project).crossings(KINDS) == [] and flow_of(project).solution.complete


def test_partials_that_a_helper_makes_of_its_own_results_end() -> None:
    code = """
import functools

def bind(f, *args, **kwargs):
    return functools.partial(f, *args, **kwargs)

def build(mix):
    return bind(bind(mix, 1, 2), bias=3)()
"""
    project = Project(MemoryFiles({"train.py": code.encode()}))
    assert flow_of(project).crossings(KINDS) == [] and flow_of(project).solution.complete


def test_a_helper_for_threads_does_not_mix_its_callers() -> None:
    files = {
        "train.py": """
            from multiprocessing import Process
            from threading import Thread

            def in_thread(target, args):
                Thread(target=target, args=args).start()

            def read(transform):
                return transform(1)

            def train(command):
                Process(target=print, args=(command,)).start()

            def main():
                in_thread(read, (lambda x: x,))
                in_thread(train, ("ls",))
        """
    }
    assert crossings(files) == []


def test_cache_gives_the_same_and_never_fails(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    files = PROGRAMS["webdataset chain"]
    cold = crossings(files, Settings(cache=True))
    database = tmp_path / "cache" / "facts.sqlite"
    assert database.exists()
    assert crossings(files, Settings(cache=True)) == cold == crossings(files)
    database.write_bytes(b"not a database" * 100)
    assert crossings(files, Settings(cache=True)) == cold
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache" / "facts.sqlite" / "impossible"))
    assert crossings(files, Settings(cache=True)) == cold


NAME_OF_A_MODULE = "import importlib\ndef get(name):\n    return importlib.import_module(f'tasks.{name}')\n"


@pytest.mark.parametrize("more", [{}, {"tasks.py": NAME_OF_A_MODULE}], ids=["plain", "a name that is put together"])
def test_cache_is_used(tmp_path, monkeypatch, more) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path))
    files = PROGRAMS["webdataset chain"] | more
    cold = crossings(files, Settings(cache=True))

    def refuse(*_: object) -> None:
        raise AssertionError("analysed again")

    monkeypatch.setattr("codemods.flow.facts.collector.facts_of", refuse)
    assert crossings(files, Settings(cache=True)) == cold


@each_row(
    ("name", "path", "line", "words"),
    [
        ("collate_fn", "train.py", 4, "crosses a process boundary"),
        ("a Dataset nobody loads", "data.py", 6, "stored on an object that is sent to other processes"),
        (
            "plain objects",
            "config.py",
            5,
            "stored on an object, or passed to a boundary that does not pickle it as called",
        ),
        ("threads", "train.py", 10, "passed to `pool.map`: harmless (threads)"),
        ("consumed on the spot", "train.py", 5, "passed to `sorted` as `key`: used in this process"),
        ("what the loader keeps at home", "train.py", 4, "harmless: not seen on the way"),
        ("threads", "train.py", 2, "nothing that pickle rejects"),
        ("copied", "train.py", 4, "copies it the way pickle would, functions and classes excepted"),
    ],
)
def test_explain_line(name: str, path: str, line: int, words: str) -> None:
    contents = {file: textwrap.dedent(text).encode() for file, text in PROGRAMS[name].items()}
    text = sites_text(path, line, explain_line(Project(MemoryFiles(contents)), path, line))
    assert words in text


LOADS = f"{LOADER}\n\ndef loader(data):\n    return DataLoader(data, num_workers=2, collate_fn=lambda batch: batch)\n"
SPAWNS = "import multiprocessing\n\n\ndef main():\n    multiprocessing.set_start_method('spawn')\n\n\nmain()\n"


@each_row(
    ("files", "told"),
    [
        pytest.param({"train.py": f"import data\n{SPAWNS}"}, "as spawn is set at train.py:6", id="the script"),
        pytest.param(
            {"train.py": "import data\nimport setup\n", "setup.py": SPAWNS},
            "as spawn is set at setup.py:5",
            id="helper",
        ),
        pytest.param(
            {"train.py": "import data\n", "test.py": f"import data\n{SPAWNS}"},
            "as spawn is set at test.py:6",
            id="one of two scripts",
        ),
        pytest.param({"train.py": "import data\n", "other.py": SPAWNS}, "", id="another program"),
        pytest.param({"train.py": "import data\n", "vendored/tools/run.py": SPAWNS}, "", id="a vendored helper"),
        pytest.param(
            {"train.py": "import data\n", "eval.py": "import data\n", "examples/run.py": f"import data\n{SPAWNS}"},
            "",
            id="one of many scripts",
        ),
        pytest.param({"tests/test_data.py": f"import data\n{SPAWNS}"}, "", id="a test"),
        pytest.param(
            {
                "train.py": "import data\nimport tool\n",
                "tool.py": "import torch\n" + SPAWNS.replace("def main():", "if 1:"),
            },
            "",
            id="perhaps under the main guard of another script",
        ),
    ],
)
def test_the_line_that_sets_the_start_method_is_one_that_the_program_runs(files: dict[str, str], told: str) -> None:
    (found,) = crossings({"data.py": LOADS, **files})
    assert found.confidence is Confidence.PROVEN
    assert (told or "under spawn and forkserver: on Windows") in found.trace[-1].what


def test_a_long_trace_shows_every_step_that_joins_two_objects() -> None:
    made = "\n".join(f"class C{i}:\n    def __init__(self, part):\n        self.part = part\n" for i in range(8))
    steps = "\n    ".join(f"x{i} = C{i}(x{i - 1})" for i in range(1, 8))
    code = f"import pickle\n{made}\ndef main(file):\n    x0 = C0(lambda: 1)\n    {steps}\n    pickle.dump(x7, file)\n"
    (found,) = [crossing for crossing in crossings({"train.py": code}) if crossing.kind is HazardKind.LAMBDA]
    told = [hop.what for hop in found.trace]
    assert len(told) > 12
    assert [what for what in told if what.startswith("stored")] == [f"stored as `part` on `C{i}`" for i in range(8)]
    assert told[0] == "a lambda is defined here" and told[-1].startswith("`pickle.dump`")
    assert any(what.startswith(("... ", "parameter")) for what in told[3:-3])


@pytest.mark.slow
@pytest.mark.in_process
def test_a_solved_graph_is_freed_without_a_garbage_collector() -> None:
    project = Project(MemoryFiles({"train.py": LOADS.encode()}))
    flow = flow_of(project)
    assert flow.crossings(KINDS)
    graph = weakref.ref(flow.solution.heap)
    gc.disable()
    try:
        del flow, project
        assert graph() is None
    finally:
        gc.enable()


FORK = "    torch.multiprocessing.set_start_method('fork', force=True)\n"
FORKS = f"import torch\ntry:\n{FORK}except ValueError:\n    raise\n"
IF, DEF = f"import torch\nif torch.cuda:\n{FORK}", f"import torch\ndef set_up():\n{FORK}"
TORCH, GET = "import torch\n", "torch.multiprocessing.get_context"
FORKING_SCRIPT = f"import data\n{SPAWNS.replace('spawn', 'fork')}"
CONTEXT = "num_workers=2, multiprocessing_context="
WORKERS = LOADS.replace("num_workers=2", "num_workers=n").replace("(data)", "(data, n=2)")


@each_row(
    ("files", "confidence"),
    [
        ({"lib/__init__.py": FORKS, "lib/data.py": LOADS}, Confidence.POSSIBLE),
        ({"lib/__init__.py": FORKS, "lib/parts/data.py": LOADS}, Confidence.POSSIBLE),
        ({"lib/__init__.py": FORKS, "lib/log.py": "", "data.py": f"import lib.log\n{LOADS}"}, Confidence.POSSIBLE),
        ({"lib/__init__.py": FORKS, "data.py": f"def later():\n    import lib\n\n{LOADS}"}, Confidence.PROVEN),
        ({"lib/__init__.py": FORKS, "data.py": LOADS}, Confidence.PROVEN),
        ({"lib/__init__.py": IF, "lib/data.py": LOADS}, Confidence.PROVEN),
        ({"lib/__init__.py": DEF, "lib/data.py": LOADS}, Confidence.PROVEN),
        ({"data.py": LOADS, "train.py": FORKING_SCRIPT}, Confidence.POSSIBLE),
        ({"data.py": LOADS, "train.py": FORKING_SCRIPT, "test.py": "import data"}, Confidence.PROVEN),
        ({"data.py": LOADS, "train.py": FORKING_SCRIPT, "test.py": f"import data\n{SPAWNS}"}, Confidence.PROVEN),
        ({"data.py": LOADS.replace("num_workers=2", f"{CONTEXT}'fork'")}, Confidence.POSSIBLE),
        ({"data.py": TORCH + LOADS.replace("num_workers=2", f"{CONTEXT}{GET}('fork')")}, Confidence.POSSIBLE),
        ({"data.py": TORCH + LOADS.replace("num_workers=2", f"{CONTEXT}{GET}('spawn')")}, Confidence.PROVEN),
        *(
            ({"data.py": WORKERS.replace("=n", f"=n, multiprocessing_context={context}")}, sure)
            for context, sure in (
                ("'fork' if n > 0 else None", Confidence.POSSIBLE),
                ("None if n == 0 else 'fork'", Confidence.POSSIBLE),
                ("'fork' if not n < 1 else None", Confidence.POSSIBLE),
                ("'fork' if n else None", Confidence.POSSIBLE),
                ("None if n else 'fork'", Confidence.PROVEN),
                ("'spawn' if n else 'fork'", Confidence.PROVEN),
                ("'fork' if data else None", Confidence.PROVEN),
                ("'fork' if n > 1 else None", Confidence.PROVEN),
            )
        ),
    ],
)  # fmt: skip
def test_nothing_is_pickled_where_fork_is_chosen(files: dict[str, str], confidence: Confidence) -> None:
    assert [crossing.confidence for crossing in crossings(files)] == [confidence]


def test_what_a_replaced_constructor_wraps_is_not_what_crosses() -> None:
    data = """
    class Reader:
        def __init__(self):
            self.read = lambda: 1

    class Arrays:
        pass

    class Batches:
        def __init__(self, part):
            self.part = part

    class Structures:
        def __init__(self):
            self.all = Batches(Reader())

    class ArrayStructures(Structures):
        def __init__(self):
            CALL
            self.all = Batches(Arrays())

    def loader():
        return DataLoader(ArrayStructures(), num_workers=2)
    """
    for call, confidence in (("pass", Confidence.POSSIBLE), ("super().__init__()", Confidence.PROVEN)):
        code = f"from torch.utils.data import DataLoader\n{textwrap.dedent(data).replace('CALL', call)}"
        (found,) = crossings({"data.py": code})
        assert found.confidence is confidence
