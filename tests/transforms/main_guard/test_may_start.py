"""Which scripts may start processes, by the names that their statements lead to."""

from __future__ import annotations

from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.main_guard.starts.may_start import may_start
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

LOADERS = "from torch.utils.data import DataLoader\n\n\ndef make(rows):\n    return DataLoader(rows, num_workers=2)\n"
OTHER = "def keep(rows):\n    return rows\n"


def starting(**texts: str) -> list[str]:
    files = {f"{name}.py": text.encode() for name, text in {"loaders": LOADERS, "plain": OTHER, **texts}.items()}
    return [*may_start(Project(MemoryFiles(files)))]


@each_row(
    "script",
    [
        "from loaders import make\n\nfor row in make([1]):\n    print(row)\n",
        "from loaders import make as build\n\nfor row in build([1]):\n    print(row)\n",
        "from loaders import *\n\nfor row in make([1]):\n    print(row)\n",
        "import loaders\n\nfor row in loaders.make([1]):\n    print(row)\n",
        "from middle import build\n\nbuild()\n",
        "import loaders\n\n\nclass Runner:\n    def run(self):\n        return loaders.make([])\n\n\nRunner().run()\n",
        "def run():\n    from loaders import make as build\n\n    return build([])\n\n\nrun()\n",
        "import loaders\n\nTABLE = {}\nTABLE['a'] = loaders.make\nTABLE['a']([1])\n",
        "def set_up():\n    global build\n    import loaders\n    build = loaders.make\n\n\nset_up()\nbuild([1])\n",
        "try:\n    from loaders import make\nexcept ImportError:\n    make = None\nmake([1])\n",
        "import torch.multiprocessing as mp\n\nmp.spawn(print, nprocs=2)\n",
        "from pytorch_lightning import Trainer\n\nTrainer(strategy='ddp_cpu').fit(1)\n",
    ],
)
def test_what_leads_to_a_start_is_looked_at(script: str) -> None:
    assert "script.py" in starting(script=script, middle="from loaders import make as build\n")


@each_row(
    "script",
    [
        "from plain import keep as build\n\nbuild([1])\n",
        "from loaders import make\n\n\ndef main():\n    make([1])\n",  # nothing runs it
        "import numpy\n\nprint(numpy.make([1]).mean())\n".replace("make", "array"),
        "def make(rows):\n    return rows\n\n\nmake([1])\n",  # its own
        "SIZE = 10\n",
        "def broken(:\n",
    ],
)
def test_what_leads_nowhere_is_not(script: str) -> None:
    assert "script.py" not in starting(script=script)


def test_boundaries_of_the_user_may_have_any_name() -> None:
    files = MemoryFiles({"script.py": b"from mine import Feed\n\nFeed(1)\n"})
    boundary = {"callable": "mine.Feed", "pickles": ["rows"], "when": {"num_workers": "nonzero"}}
    assert may_start(Project(files)) == ()
    assert may_start(Project(files, Settings(boundaries=(boundary,)))) == ("script.py",)
