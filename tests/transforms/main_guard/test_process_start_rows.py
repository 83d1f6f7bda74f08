"""Every callable that starts processes, and every loader: at module level each needs the guard."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence, Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def findings(source: str) -> list[Finding]:
    settings = Settings(select=("main-guard",), confidence=Confidence.POSSIBLE)
    report = check(MemoryFiles({"train.py": source.encode()}), settings)
    assert not report.skipped
    return list(report.findings)


@each_row("name", [
    "multiprocessing.Pool", "multiprocessing.Manager", "torch.multiprocessing.spawn",
    "torch.multiprocessing.start_processes",
    "tqdm.contrib.concurrent.process_map", "detectron2.engine.launch",
])  # fmt: skip
def test_what_starts_processes(name: str) -> None:
    module, _, last = name.rpartition(".")
    body = "def work(n):\n    return n\n"
    [finding] = findings(f"import {module}\n{body}{name}(work, [1])\n")
    assert finding.span.line == 4 and finding.confidence is Confidence.PROVEN
    [imported] = findings(f"from {module} import {last} as start\n{body}start(work, [1])\n")
    assert imported.span.line == 4 and imported.message == finding.message
    assert not findings(f"import {module}\n{body}if __name__ == '__main__':\n    {name}(work, [1])\n")
    assert not findings(f"import {module}\n{body}{module}.unknown(work, [1])\n")


@each_row("name", [
    "torch.utils.data.DataLoader", "torch_geometric.data.DataLoader", "monai.data.DataLoader", "webdataset.WebLoader",
    "torch_geometric.loader.ClusterLoader", "torch_geometric.loader.NeighborSampler", "torchio.SubjectsLoader",
    "torch_geometric.data.GraphSAINTRandomWalkSampler", "torch_geometric.loader.RandomNodeLoader",
])  # fmt: skip
def test_a_loader_with_workers_that_is_walked_over(name: str) -> None:
    module = name.rpartition(".")[0]
    source = f"import {module}\nloader = {name}([1], num_workers={{}})\nfor batch in loader:\n    print(batch)\n"
    [finding] = findings(source.format(2))
    assert finding.confidence is Confidence.PROVEN
    assert not findings(source.format(0))
    for walk in ("iter(loader)", "list(loader)", "[b for b in loader]", "sum(loader)", "next(iter(loader))"):
        [each] = findings(source.format(2).partition("for batch")[0] + f"print({walk})\n")
        assert each.confidence is Confidence.PROVEN, walk
    assert not findings(source.format(2).partition("for batch")[0] + "print(len(loader))\n")


@pytest.mark.parametrize("method", ["submit", "map"])
def test_an_executor_starts_processes_with_its_first_task(method: str) -> None:
    head = "from concurrent.futures import ProcessPoolExecutor as Executor\ndef work(n):\n    return n\n"
    assert not findings(head + "pool = Executor(2)\n")
    [finding] = findings(head + f"pool = Executor(2)\nprint(1)\npool.{method}(work, [1])\n")
    assert finding.span.line == 6 and finding.confidence is Confidence.PROVEN
    [inside] = findings(head + f"with Executor(2) as pool:\n    pool.{method}(work, [1])\n")
    assert inside.span.line == 5
    import_fork = "import multiprocessing as mp\n"
    assert not findings(
        import_fork + head + f"pool = Executor(2, mp_context=mp.get_context('fork'))\npool.{method}(work)\n"
    )


def test_an_executor_that_is_passed_on() -> None:
    text = "import asyncio\nfrom concurrent.futures import ProcessPoolExecutor\ndef work(n):\n    return n\n"
    text += "async def main():\n    loop = asyncio.get_running_loop()\n    with ProcessPoolExecutor(1) as pool:\n"
    text += "        print(await loop.run_in_executor(pool, work, 4))\nasyncio.run(main())\n"
    [finding] = findings(text)
    assert finding.span.line == 9 and finding.fix is not None


RIG = """
from multiprocessing import Process

def work(n):
    return n

class Rig:
    def __init__(self, sizes):
        self.all = [Process(target=work, args=(size,)) for size in sizes]
        for each in self.all:
            each.start()

class Other:
    pass

"""


@each_row(
    ("cls", "starts"),
    [
        ("class Fast(Rig):\n    def __init__(self, sizes):\n        super().__init__(sizes)\n", True),
        ("class Fast(Rig):\n    def __init__(self, sizes):\n        super(Fast, self).__init__(sizes)\n", True),
        ("class Fast(Rig):\n    def __init__(self, sizes):\n        Rig.__init__(self, sizes)\n", True),
        ("class Fast(Rig):\n    pass\n", True),
        (
            "class Mid(Rig):\n    pass\nclass Fast(Mid):\n    def __init__(self, s):\n        super().__init__(s)\n",
            True,
        ),
        ("class Fast(Rig):\n    def __init__(self, sizes):\n        self.sizes = sizes\n", False),
        ("class Fast(Other):\n    def __init__(self, sizes):\n        super().__init__()\n", False),
        ("class Fast(Rig):\n    def __init__(self, sizes):\n        super().other(sizes)\n", False),
    ],
)
def test_what_the_initialiser_of_a_base_starts(cls: str, starts: bool) -> None:
    found = findings(f"{RIG}{cls}rig = Fast([1, 2])\n")
    assert [each.confidence for each in found] == [Confidence.PROVEN] * starts


@each_row(
    ("test", "starts"),
    [
        ("__name__ == '__main2__'", False),
        ("'__off__' == __name__", False),
        ("__name__ == '__mp_main__'", True),
        ("__name__ == 'train'", True),
        ("__name__ != '__main2__'", True),
        ("NAME == '__main2__'", True),
    ],
)
def test_a_block_that_is_switched_off(test: str, starts: bool) -> None:
    text = f"from multiprocessing import Pool\nNAME = 'a'\nif {test}:\n    Pool(2).map(abs, [1])\n"
    assert len(findings(text)) == starts
