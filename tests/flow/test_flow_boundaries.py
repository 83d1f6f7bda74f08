"""Boundaries of libraries, one small program each; `# proven` and so on as in test_flow.py."""

from __future__ import annotations

import ast

from test_flow import crossings, marked

from codemods.finding import Confidence
from codemods.flow.boundaries import table
from codemods.flow.facts.collector import facts_of
from codemods.flow.solve.solver import solve
from harness import marks
from harness.each_row import each_row

LOADERS = {
    "lightning strategies": {
        "train.py": """
            import lightning as L
            import pytorch_lightning as pl
            from lightning.pytorch.strategies import DDPSpawnStrategy, DDPStrategy
            from torch.utils.data import DataLoader

            class Net(pl.LightningModule):
                def __init__(self, act):
                    super().__init__()
                    self.act = act

            class Log(pl.Callback):
                def __init__(self, text):
                    self.text = text

            def spawned(data):
                trainer = pl.Trainer(strategy="ddp_spawn", devices=2, callbacks=[Log(lambda: "x")])  # proven
                trainer.fit(Net(None), DataLoader(data, collate_fn=lambda b: b))  # proven

            def by_object(hooks):
                trainer = L.Trainer(strategy=DDPSpawnStrategy(find_unused_parameters=False), devices=2)
                trainer.validate(None, hooks(lambda: 1), [lambda: 2])  # proven

            def by_start_method():
                L.Trainer(strategy=DDPStrategy(start_method="spawn")).predict(dataloaders=[lambda: 2])  # proven
                L.Trainer(strategy=DDPStrategy(start_method="fork")).predict(dataloaders=[lambda: 2])
                L.Trainer(strategy=DDPStrategy(), callbacks=[lambda: 2]).predict(dataloaders=[lambda: 2])

            def old_names(model):
                pl.Trainer(accelerator="ddp_spawn").fit(model, [lambda: 1])  # proven
                pl.Trainer(distributed_backend="ddp_cpu").test(test_dataloaders=[lambda: 1])  # proven

            def plain(model):
                for strategy in ("ddp", "auto"):
                    L.Trainer(strategy=strategy).fit(model, [lambda: 1])
                L.Trainer(strategy="ddp").fit(model, [lambda: 1])
                L.Trainer(strategy="ddp_notebook").fit(model, [lambda: 1])
                L.Trainer(strategy="ddp_fork").fit(model, [lambda: 1])
                L.Trainer(devices=2).fit(model, [lambda: 1])
            """
    },
    "contexts": {
        "a.py": """
            import multiprocessing as mp
            from torch.utils.data import DataLoader as Loader
            forked, spawned = mp.get_context("fork"), mp.get_context("spawn")

            class Runner:
                def __init__(self, method):
                    self.forked = mp.get_context(method="fork")
                    self.some = mp.get_context(method)
                    self.either = forked if method else spawned

                def run(self, rows):
                    self.forked.Process(target=lambda: 1).start()
                    self.some.Process(target=lambda: 1).start()  # proven
                    self.either.Process(target=lambda: 1).start()  # proven
                    with self.forked.Pool(2) as pool:
                        pool.map(lambda row: row, rows)  # proven
                    Loader(rows, num_workers=2, multiprocessing_context=self.forked, collate_fn=lambda b: 1)  # possible
                    Loader(rows, num_workers=2, multiprocessing_context=self.some, collate_fn=lambda b: b)  # proven
                    Loader(rows, num_workers=2, multiprocessing_context=self.either, collate_fn=lambda b: b)  # proven

            def run(context, rows):
                context.Process(target=work, args=(lambda: 1,))  # proven

            def work(fix):
                with mp.Pool(2) as pool:
                    pool.map(fix, [1])

            run(forked, [1])
            Runner("spawn").run([1])
            forked.Process(target=work, args=(lambda: 2,))  # proven
            """
    },
    "managers": {
        "own.py": """
            from multiprocessing.managers import BaseManager

            class Tables(BaseManager):
                pass

            class Own(BaseManager):
                @classmethod
                def register(cls, typeid, callable=None):
                    print(typeid, callable(1))

            def main(rows):
                Tables.register("rows", callable=lambda: rows)  # proven
                BaseManager.register("count", lambda: len(rows))  # proven
                Tables.register("other")
                Own.register("rows", callable=lambda at: rows[at])
                with Tables() as tables:
                    tables.rows().append(1)
            """,
        "server.py": """
            from multiprocessing.managers import BaseManager

            def main(rows):
                BaseManager.register("rows", callable=lambda: rows)
                BaseManager(address=("", 5000)).get_server().serve_forever()
            """,
    },
    "processes of torch": {
        "train.py": """
            import torch.multiprocessing as mp

            def main(work):
                mp.start_processes(fn=work, args=(lambda: 1,), nprocs=2, start_method="fork")  # possible
                mp.start_processes(work, (lambda: 1,), 2, True, False, "fork")  # possible
                mp.start_processes(work, (lambda: 1,), 2, start_method="forkserver")  # proven
                mp.start_processes(work, (lambda: 1,), 2)  # proven
            """
    },
    "fabric": {
        "train.py": """
            from lightning.fabric import Fabric

            def main():
                def run(fabric, table):  # proven
                    return table
                fabric = Fabric(strategy="ddp_spawn", devices=2)
                fabric.launch(run, {}, key=lambda: 1)  # proven
                Fabric(devices=2).launch(lambda fabric: 1)
                Fabric(strategy="ddp").launch(lambda fabric: 1)
            """
    },
    "accelerate, xla, elastic": {
        "train.py": """
            import torch_xla.distributed.xla_multiprocessing as xmp
            import torch_xla
            from accelerate import notebook_launcher, debug_launcher
            from torch.distributed.launcher.api import LaunchConfig, elastic_launch

            def main():
                notebook_launcher(lambda: 1, num_processes=2)
                debug_launcher(lambda: 1)
                xmp.spawn(lambda index: 1, args=(lambda: 2,))  # proven
                xmp.spawn(lambda index: 1, nprocs=1)  # possible
                torch_xla.launch(lambda index: 1)  # proven
                elastic_launch(LaunchConfig(1, 1, 2), lambda: 1)()  # proven
            """
    },
    "grain pickles with cloudpickle, tf.data does not pickle": {
        "train.py": """
            import grain
            import grain.python as pygrain
            import tensorflow as tf

            def main(source, sampler):
                loader = pygrain.DataLoader(
                    data_source=source, sampler=sampler, operations=[pygrain.Map(lambda x: x)], worker_count=4)
                data = grain.MapDataset.source(source).map(lambda x: x).to_iter_dataset().mp_prefetch()
                plain = tf.data.Dataset.from_generator(lambda: iter([1]), tf.int32).map(lambda x: x + 1)
                tf.keras.layers.Lambda(lambda x: x)
                return loader, data, plain.map(tf.function(lambda x: x))
            """
    },
    "loaders of other libraries": {
        "train.py": """
            from dgl.dataloading import DataLoader as NodeLoader
            from dgl.dataloading import GraphDataLoader
            from monai.data import DataLoader as MonaiLoader
            from monai.data import Dataset as MonaiDataset
            from monai.data import ThreadDataLoader
            from monai.transforms import Compose, Lambda
            from timm.data import create_loader
            from torch_geometric.loader import DataLoader as GraphLoader
            from torch_geometric.loader import NeighborLoader
            from torchdata.stateful_dataloader import StatefulDataLoader

            def main(data, graph, size):
                GraphLoader(data, 32, num_workers=2, worker_init_fn=lambda i: None)  # proven
                NeighborLoader(graph, [10], transform=lambda g: g, num_workers=2)  # proven
                GraphDataLoader(data, num_workers=2, collate_fn=lambda b: b)  # proven
                NodeLoader(graph, [1], None, num_workers=2, worker_init_fn=lambda i: None)  # proven
                MonaiLoader(MonaiDataset(data, Compose([Lambda(lambda x: x)])), num_workers=2)  # proven
                ThreadDataLoader(data, num_workers=2, use_thread_workers=True, collate_fn=lambda b: b)  # possible
                create_loader(data, size, 32, collate_fn=lambda b: b)  # proven
                StatefulDataLoader(data, num_workers=2, collate_fn=lambda b: b)  # proven
                GraphLoader(data, 32, collate_fn=lambda b: b)  # possible
            """
    },
    "mmcv, mmengine, detectron2": {
        "train.py": """
            import mmcv
            import mmengine
            from detectron2.data import build_detection_test_loader, build_detection_train_loader
            from detectron2.engine import launch
            from mmengine.dataset import BaseDataset
            from mmengine.runner import Runner

            class Images(BaseDataset):
                def __init__(self):
                    super().__init__()
                    self.fix = lambda x: x  # likely

            def main(cfg, tasks, name):
                mmcv.track_parallel_progress(lambda x: x, tasks, 4)  # proven
                mmengine.track_parallel_progress(lambda x: x, tasks, 4)  # proven
                build_detection_train_loader(cfg, mapper=lambda d: d)  # proven
                build_detection_test_loader(cfg, name, mapper=lambda d: d)  # proven
                launch(lambda: 1, 2)  # proven
                mmcv.track_progress(lambda x: x, tasks)
            """
    },
    "torchdata and webdataset": {
        "train.py": """
            import webdataset as wds
            from torch.utils.data import DataLoader
            from torchdata.datapipes.iter import FileLister, IterableWrapper

            def main(urls, root):
                pipe = FileLister(root).filter(lambda p: True).map(lambda p: p)  # proven
                shards = wds.DataPipeline(wds.SimpleShardList(urls), wds.map(lambda x: x))  # proven
                wds.WebLoader(shards, num_workers=4)
                return DataLoader(pipe.batch(4).collate(lambda b: b), num_workers=2)  # proven
            """
    },
    "classes that derive from webdataset's": {
        "train.py": """
            import torch.nn as nn
            import webdataset as wds
            from torch.utils.data import DataLoader

            class Shards(wds.DataPipeline):
                def __init__(self, urls, size):
                    super().__init__()
                    self.append(wds.SimpleShardList(urls))
                    self.append(wds.map_dict(jpg=lambda image: image.resize(size)))  # proven
                    self.append(wds.select(lambda sample: len(sample) == 2))  # proven

            class Tars(wds.WebDataset):
                def __init__(self, urls):
                    super().__init__(urls)
                    self.append(wds.map(lambda sample: sample["jpg"]))  # proven

            class Unused(wds.DataPipeline):
                def __init__(self):
                    super().__init__()
                    self.append(lambda sample: sample)  # possible

            class Layers(nn.Sequential):
                def __init__(self):
                    super().__init__()
                    self.apply(lambda layer: None)

            def main(urls):
                shards = Shards(urls, 64).with_epoch(1000).shuffle(10)
                wds.WebLoader(Tars(urls).shuffle(10), num_workers=4)
                layers = Layers().eval()
                return DataLoader(shards, batch_size=None, num_workers=2), DataLoader([layers], num_workers=2)
            """
    },
    "deepcopy takes functions, not views and generators": {
        "train.py": """
            import copy
            from copy import deepcopy

            class Config:
                def __init__(self, table):
                    self.names = table.keys()  # likely
                    self.key = lambda name: name  # possible

            class Own:
                def __init__(self, table):
                    self.names = table.keys()  # possible

                def __deepcopy__(self, memo):
                    return Own({})

            def main(table):
                config = Config(table)
                other = deepcopy({"config": config, "fn": lambda x: x})
                copy.deepcopy(lambda: table.keys())
                copy.deepcopy([table.values()])  # likely
                copy.deepcopy(Own(table))
                copy.deepcopy(list(table.keys()))
                return other
            """
    },
    "managers and queues": {
        "train.py": """
            import multiprocessing as mp
            from multiprocessing.managers import SyncManager

            def main():
                manager = mp.Manager()
                shared = manager.dict()
                shared["f"] = lambda: 1  # proven
                names = manager.list([lambda: 1])  # proven
                names.append(lambda: 2)  # proven
                manager.Queue().put(lambda: 3)  # proven
                mp.Queue().put(lambda: 4)  # proven
                ours, theirs = mp.Pipe()
                ours.send(lambda: 5)  # proven
                SyncManager().list([lambda: 5])  # proven
                local = {}
                local["f"] = lambda: 6
            """
    },
    "other picklers": {
        "train.py": """
            import threading
            import cloudpickle, dill, loky, ray
            import multiprocess as mp
            from joblib import Parallel, delayed
            from torch.utils.data import DataLoader

            def main(items, f, data):
                dill.dump(lambda: 1, f)
                cloudpickle.dump([lambda: 1], f)
                cloudpickle.dumps(lambda: 1)
                threading.Thread(target=lambda: 1).start()
                threading.Timer(1, lambda: 1).start()
                mp.Pool(2).map(lambda x: x, items)
                loky.get_reusable_executor().submit(lambda: 1)
                Parallel(2)(delayed(lambda x: x)(i) for i in items)
                ray.remote(lambda: 1).remote()
                return DataLoader(data, sampler=lambda: 1, num_workers=2)
            """
    },
}


@each_row("name", LOADERS)
def test_library(name: str) -> None:
    files = LOADERS[name]
    found = crossings(files)
    told = {bar.value: {(c.path, c.line) for c in found if c.confidence is bar} for bar in Confidence}
    assert told == {bar.value: marked(files, bar.value) for bar in Confidence}


def test_every_entry_names_its_source() -> None:
    from codemods.flow.boundaries import _own_entries

    for kind, entries in _own_entries().items():
        for entry in entries if isinstance(entries, list) else ():
            assert entry.get("source") or kind == "burden", entry


TRAINER = """
from transformers import Trainer, TrainingArguments
{trainer}
def collate(pad):
    def join(rows):  # {mark}
        return rows + pad
    return join

arguments = TrainingArguments("x", {number})
{call}.train()
"""
OWN_TRAINER = """
class Own(Trainer):
    def __init__(self, *args, extra=None, **kwargs):
        super().__init__(*args, **kwargs)
"""


@each_row(
    ("number", "call", "trainer", "found"),
    [
        ("dataloader_num_workers=4", "Trainer(None, arguments, data_collator=collate([1]))", "", True),
        ("dataloader_num_workers=4", "Trainer(args=arguments, data_collator=collate([1]))", "", True),
        ("dataloader_num_workers=4", "Trainer(None, arguments, collate([1]))", "", True),
        ("dataloader_num_workers=4", "Own(args=arguments, data_collator=collate([1]))", OWN_TRAINER, True),
        (
            "dataloader_num_workers=4",
            "Own(args=arguments, data_collator=collate([1]))",
            "class Own(Trainer): pass",
            True,
        ),
        ("dataloader_num_workers=4", "Trainer(collate([1]), arguments)", "", False),  # the model stays
        ("dataloader_num_workers=0", "Trainer(None, arguments, data_collator=collate([1]))", "", False),
        ("seed=4", "Trainer(None, arguments, data_collator=collate([1]))", "", False),
    ],
)
def test_trainers_whose_settings_ask_for_workers(number: str, call: str, trainer: str, found: bool) -> None:
    text = TRAINER.format(number=number, call=call, trainer=trainer, mark="proven" if found else "nothing")
    files = {"train.py": text}
    seen = {each for each in marks.crossing(files) if each[2] != "possible"}
    assert seen == marks.marked(files)


def test_what_unpacked_keywords_hold_crosses_in_the_same_order_in_each_run() -> None:
    names = ("torch.utils.data.DataLoader", "multiprocessing.Process", "multiprocessing.Pool")
    made = "".join(f"    {name}(**options)\n" for name in names)
    text = f"import multiprocessing\nimport torch.utils.data\n\ndef start(**options):\n{made}"
    solution = solve({"a.py": facts_of("a.py", ast.parse(text))}, table())
    for name in names:
        arguments = [sink.argument for sink in solution.sinks if sink.boundary == name]
        assert len(arguments) > 1
        assert arguments == sorted(arguments)


@each_row(
    ("call", "hazards"),
    [
        ("every(2)(len, (row for row in rows))", 0),  # the items are sent, not what gives them
        ("every(2)(lambda row: row, (row for row in rows))", 1),
        ("every(2)(len, [lambda: 1])", 1),
        ("every(2)(functools.partial(lambda row: row), rows)", 1),
        ("every(2)(Each(lambda row: row), rows)", 1),
        ("every(2)(*[lambda row: row, rows])", 1),
        ("every(2)(*given(lambda row: row, rows))", 1),
    ],
)
def test_places_of_arguments_that_are_passed_on(call: str, hazards: int) -> None:
    text = f"""
import functools
from multiprocessing import Pool

class Each:
    def __init__(self, work):
        self.work = work

    def __call__(self, row):
        return self.work(row)

def every(number):
    pool = Pool(number)
    def run(*args):
        return pool.map(*args)
    return run

def given(*parts):
    return parts

def main(rows):
    {call}
"""
    found = [each for each in crossings({"a.py": text}) if each.confidence is not Confidence.POSSIBLE]
    assert len(found) == hazards
