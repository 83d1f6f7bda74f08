"""Settings that only the main process changes, and that workers read: found across files, look-alikes left alone."""

from __future__ import annotations

from typing import Any

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.transforms.main_guard.state.worker_functions import WorkerFunctions
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import reported

CONFIG = """\
class Config(dict):
    pass

_base = Config(size=3, name="a")
cfg = _base

def merge(new, old):
    for key in new:
        old[key] = new[key]

def from_file(path):
    merge({"size": path}, _base)
"""
DATA = """\
from torch.utils.data import Dataset
from config import cfg

class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return scaled(index)

def scaled(index):
    return index * cfg["size"]
"""
TRAIN = """\
from torch.utils.data import DataLoader
from config import cfg, from_file
from data import Rows

def main():
    for row in DataLoader(Rows(), num_workers=2):
        print(row)

if __name__ == "__main__":
    from_file("a.yaml")
    main()
"""


HELPER = """\
from multiprocessing import Process

def work(todo, rows):
    [todo(row) for row in rows]

def run_all(todo, rows):
    Process(target=work, args=(todo, rows)).start()
"""


def reports(files: dict[str, str]) -> list[tuple[str, int, str]]:
    """Where workers are said to read what only the main process changes, and where that changes it."""
    contents = {path: text.encode() for path, text in files.items()}
    found = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    mine = [each for each in found if "has what" in each.message]
    assert all(each.confidence is Confidence.LIKELY and each.fix is None for each in mine)
    return [(each.path, each.span.line, f"{each.trace[0].path}:{each.trace[0].line}") for each in mine]


FILES = {"config.py": CONFIG, "data.py": DATA, "train.py": TRAIN}


def test_a_configuration_that_the_script_loads() -> None:
    assert reports(FILES) == [("data.py", 12, "config.py:12")]


@each_row(
    ("path", "old", "new"),
    [
        pytest.param("train.py", '    from_file("a.yaml")\n', "", id="nobody changes it"),
        pytest.param("train.py", "def main", 'from_file("a.yaml")\n\ndef main', id="each import changes it"),
        pytest.param("train.py", "num_workers=2", "num_workers=0", id="no workers"),
        pytest.param(
            "train.py",
            "for row in DataLoader(Rows(), num_workers=2):\n        print(row)",
            'import pickle\n    pickle.dump(Rows(), open("rows.pkl", "wb"))',
            id="saved in a file",
        ),
        pytest.param("data.py", "def scaled(index):\n", "def scaled(index, cfg={'size': 1}):\n", id="another one"),
        pytest.param(
            "data.py",
            "index):\n    return index * cfg",
            "index, n=cfg['size']):\n    return n * {'size': 2}",
            id="default",
        ),
        pytest.param("data.py", "import cfg\n", "import cfg, from_file\n", id="workers change it too"),
        pytest.param("data.py", 'cfg["size"]', "cfg.area()", id="a method, and another setting"),
        pytest.param("config.py", "old[key] = new[key]", "print(key)", id="it is only looked at"),
        pytest.param("config.py", '{"size": path}, _base', "{}, {}", id="something else is changed"),
    ],
)
def test_look_alikes(path: str, old: str, new: str) -> None:
    assert old in FILES[path]
    text = FILES[path].replace(old, new)
    if "from_file" in new and path == "data.py":
        text = text.replace("        return scaled", '        from_file("a.yaml")\n        return scaled')
    files = {**FILES, path: text}
    if "area" in new:
        files["train.py"] = TRAIN.replace('from_file("a.yaml")', "cfg.disabled = True")
    assert reports(files) == []


@each_row(
    ("change", "found"),
    [
        ("cfg.update(size=1)", True),
        ("cfg['size'] = 1", True),
        ("cfg['name'] = 'b'", False),
        ("cfg.setdefault('name', 'b')", False),
        ("cfg.get('size')", False),
        ("cfg['size']['x'] = 1", True),
        ("config._base.update(size=1)", False),  # by way of the module: not followed
        ("cfg = 3", False),
    ],
)
def test_what_changes_it(change: str, found: bool) -> None:
    train = TRAIN.replace('from_file("a.yaml")', change).replace("import cfg", "import cfg", 1)
    assert [place[2] for place in reports({**FILES, "train.py": train})] == ["train.py:10"] * found


RANKS = """\
import torch.multiprocessing as mp
from config import cfg

def rank(index, options):
    cfg.update(options)
    print(index, cfg["size"])

def launch():
    mp.spawn(rank, nprocs=2, args=(dict(cfg),))
"""


def test_what_other_workers_set_for_themselves() -> None:
    assert [place[0] for place in reports({**FILES, "ranks.py": RANKS})] == ["data.py"]


@each_row(
    ("first", "found"),
    [
        pytest.param("cfg.update(options)", False, id="all of it"),
        pytest.param("cfg['size'] = options", False, id="the part"),
        pytest.param("cfg['name'] = options", True, id="another part"),
        pytest.param("print(options)", True, id="nothing"),
        pytest.param("from_file(options)", False, id="as main does"),
    ],
)
def test_what_workers_of_the_same_call_set_for_themselves(first: str, found: bool) -> None:
    train = TRAIN.replace("from data import Rows", "from ranks import launch").replace(
        "    for row in DataLoader(Rows(), num_workers=2):\n        print(row)", "    launch()"
    )
    ranks = RANKS.replace("cfg.update(options)", first).replace("import cfg", "import cfg, from_file")
    files = {"config.py": CONFIG, "ranks.py": ranks, "train.py": train}
    assert [place[0] for place in reports(files)] == ["ranks.py"] * found


@each_row(
    ("other", "found"),
    [
        pytest.param('from config import from_file\n\nfrom_file("b.yaml")\n', True, id="another script"),
        pytest.param('from config import from_file\n\nfrom_file("a.yaml")\n', True, id="as the script does"),
        pytest.param(
            'from config import from_file\n\ndef show():\n    from_file("a.yaml")\n\nshow()\n', True, id="a call"
        ),
    ],
)
def test_what_scripts_that_nobody_imports_do_at_once(other: str, found: bool) -> None:
    assert bool(reports({**FILES, "show.py": other})) is found
    imported = {**FILES, "show.py": other, "data.py": f"import show\n{DATA}"}
    assert reports(imported) == [] or "b.yaml" in other


FROM_TEXT = """\
settings = {}

def fill(text):
    settings.update(load(text))
    settings["name"] = text
    for part in text.split(","):
        key, value = part.split("=")
        settings[key] = eval(value)

def load(text):
    return {"size": 3}
"""


@each_row(
    ("old", "new", "found"),
    [
        pytest.param("", "", True, id="a table of settings"),
        pytest.param('    settings["name"] = text\n', "", False, id="it may be a table of results"),
        pytest.param("fill(text)\n    print", "print", True, id="the ranks don't fill it"),
    ],
)
def test_settings_from_a_text_that_ranks_fill_for_themselves(old: str, new: str, found: bool) -> None:
    """What a rank puts under names that it computes is no cache where it sets others by their names."""
    ranks = (
        "import torch.multiprocessing as mp\nfrom config import fill, settings\n\n\ndef rank(index, text):\n"
        "    fill(text)\n    print(settings)\n\n\ndef launch(text):\n    mp.spawn(rank, nprocs=2, args=(text,))\n"
    )
    data = DATA.replace("import cfg", "import settings").replace("cfg[", "settings[")
    train = TRAIN.replace("cfg, from_file", "fill").replace("from_file", "fill")
    files = {"config.py": FROM_TEXT, "data.py": data, "train.py": train, "ranks.py": ranks}
    changed = {path: text.replace(old, new) if old else text for path, text in files.items()}
    assert [place[0] for place in reports(changed)] == ["data.py"] * found


def test_a_function_that_main_calls_and_workers_of_another_call() -> None:
    """The same function fills the settings for the ranks and for the main process, whose other workers lack them."""
    ranks = RANKS.replace("cfg.update(options)", "from_file(options)").replace("import cfg", "import cfg, from_file")
    assert [(place[0], place[2]) for place in reports({**FILES, "ranks.py": ranks})] == [("data.py", "train.py:10")]


POOL = """\
from multiprocessing import Pool

options = {{"size": 1, "name": "a"}}

def work(given):
    {first}
    return helper(3)

def helper(row):
    return options["size"] * row

def fill(given):
    options.update(given)

def main():
    options["size"] = 5
    with Pool(2) as pool:
        {before}print(pool.map(work, [options, options]))

if __name__ == "__main__":
    main()
"""


@each_row(
    ("first", "before", "found"),
    [
        pytest.param("print(given)", "", True, id="nothing is set"),
        pytest.param("global options; options = given", "", False, id="bound anew first"),
        pytest.param("helper(1)\n    global options; options = given", "", True, id="bound anew, but read before"),
        pytest.param("options.update(given)", "", False, id="filled first"),
        pytest.param("print(given)", "pool.map(fill, [options]); ", False, id="another task of the pool fills it"),
    ],
)
def test_what_the_tasks_of_a_pool_set(first: str, before: str, found: bool) -> None:
    text = POOL.format(first=first.replace("; ", "\n    "), before=before.replace("; ", "\n        "))
    assert (
        bool(reports({"train.py": text, "ranks.py": RANKS.replace("config import", "train import options as")}))
        is found
    )


SAMPLER = """\
from config import cfg

class Sampler:
    def sample(self, index):
        return index * cfg["size"]

SAMPLERS = {"even": Sampler}

def get_sampler(name):
    return SAMPLERS[name]()
"""
SAMPLED = """\
from torch.utils.data import Dataset
from sampler import get_sampler

class Rows(Dataset):
    def __init__(self, sampler):
        self.sampler = sampler

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.sampler.sample(index)

ROWS = {"rows": Rows}

def get_rows(name):
    return ROWS[name](get_sampler(name))
"""


def test_objects_whose_classes_are_in_tables() -> None:
    """The class of the attribute, and the calls that make the object which keeps it, by a key that is not known."""
    train = TRAIN.replace("Rows()", "get_rows('rows')").replace("import Rows", "import get_rows")
    files = {"config.py": CONFIG, "data.py": SAMPLED, "sampler.py": SAMPLER, "train.py": train}
    assert reports(files) == [("sampler.py", 5, "config.py:12")]
    assert reports({**files, "data.py": SAMPLED.replace("get_sampler(name)", "other(name)")}) == []


def test_a_worker_that_is_handed_through_a_helper() -> None:
    files = {
        "config.py": CONFIG,
        "helper.py": HELPER,
        "tasks.py": "from config import cfg\nfrom helper import run_all\n\n\nclass Task:\n    def one(self, row):\n"
        "        return cfg['size'] * row\n\n    def run(self):\n        run_all(self.one, [1])\n",
        "run.py": "import importlib\nfrom config import cfg\n\nif __name__ == '__main__':\n    cfg.update(size=2)\n"
        "    importlib.import_module(cfg['task']).Task().run()\n",
    }
    assert reports(files) == [("tasks.py", 7, "run.py:5")]
    own = files["tasks.py"] + "\nif __name__ == '__main__':\n    Task().run()\n"
    assert reports({**files, "tasks.py": own}) == []  # a program of its own, which changes nothing
    static = files["run.py"].replace("import importlib\n", "").replace("importlib.import_module(cfg['task']).", "")
    assert reports({**files, "run.py": static}) == []


def test_each_script_is_told_where_each_reads_at_a_place_of_its_own() -> None:
    other = TRAIN.replace('from_file("a.yaml")', "cfg['size'] = 5").replace("data import", "more import")
    more = DATA.replace("scaled", "resized")
    places = [place for *_, place in reports({**FILES, "evaluate.py": other, "more.py": more})]
    assert sorted(places) == ["config.py:12", "evaluate.py:10"]
    same = other.replace("more import", "data import")
    assert len(reports({**FILES, "evaluate.py": same})) == 1


def test_a_script_that_only_imports_another_does_not_run_its_loaders() -> None:
    imports = "from config import cfg\nfrom train import main\n\nif __name__ == '__main__':\n    cfg.update(size=9)\n"
    quiet = TRAIN.replace('    from_file("a.yaml")\n', "")
    assert reports({**FILES, "train.py": quiet, "draw.py": imports}) == []


@pytest.mark.parametrize(("begins", "found"), [("{}", False), ("dict()", False), ("{'rows': 1}", True)])
def test_what_a_program_collects_is_no_configuration(begins: str, found: bool) -> None:
    config = f"cfg = {begins}\n\ndef put(name, value):\n    cfg[name] = value\n"
    train = TRAIN.replace("from_file", "put").replace('"a.yaml"', '"size", 2')
    assert bool(reports({**FILES, "config.py": config, "train.py": train})) is found
    whole = config.replace("cfg[name] = value", "cfg.update({name: value})")
    assert reports({**FILES, "config.py": whole, "train.py": train})


def test_a_function_that_a_loader_is_given_in_a_partial() -> None:
    train = TRAIN.replace("DataLoader(Rows(),", "DataLoader([1, 2], collate_fn=partial(scaled, 1),")
    train = "from functools import partial\nfrom data import scaled\n" + train
    assert reports({**FILES, "train.py": train}) == [("data.py", 12, "config.py:12")]


OPTIONS = """\
import numpy as np
from torch.utils.data import DataLoader
from options import opt

def init(worker):
    np.random.seed(opt.seed + worker)

def work(rank, given):
    {change}
    for row in DataLoader([1], num_workers=2, worker_init_fn=init):
        print(row, rank)

def outer(options):
    work(0, options)

if __name__ == "__main__":
    {call}
"""


@pytest.mark.parametrize("call", ["work(0, opt)", "work(0, given=opt)", "outer(opt)"])
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("given.seed = 3", True),
        ("given.seed += rank", True),
        ("given.gpu = rank", False),
        ("given.gpu, given.seed = rank, 3", True),
        ("given.gpu = rank; given.world = given.seed", False),
        ("given.update(seed=3)", True),
    ],
)
def test_parts_that_a_function_changes_in_its_argument(change: str, found: bool, call: str) -> None:
    files = {
        "run.py": OPTIONS.format(change=change, call=call),
        "options.py": "import argparse\nparser = argparse.ArgumentParser()\nopt = parser.parse_args()\n",
    }
    contents = {path: text.encode() for path, text in files.items()}
    report = check(MemoryFiles(contents), Settings(select=("main-guard",), confidence=Confidence.LIKELY))
    assert [finding.span.line for finding in report.findings] == [6] * found


def test_what_workers_run_is_collected_once_for_all_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    script = """\
from torch.utils.data import DataLoader
import config
from data import Rows

for row in DataLoader(Rows(), num_workers=2):
    print(row)
config.label = "done"
"""
    added: list[str] = []
    add = WorkerFunctions._add

    def noted(self: WorkerFunctions, outline: Any, function: Any, *rest: Any) -> None:
        added.append(function.name)
        add(self, outline, function, *rest)

    monkeypatch.setattr(WorkerFunctions, "_add", noted)
    reports({**FILES, "run.py": script})
    one = len(added)
    added.clear()
    reports({**FILES, **{f"run_{number}.py": script for number in range(4)}})
    assert one
    assert len(added) == one + 3  # one more for each loader: for the scripts and for what workers lose at once


@each_row(
    ("script", "found"),
    [
        ("    Pool(1).map(use, [1])\n    cfg.update(size=1)\n", False),
        ("    cfg.update(size=1)\n    Pool(1).map(use, [1])\n", True),
        ("    for _ in 'ab':\n        Pool(1).map(use, [1])\n        cfg.update(size=1)\n", True),
        ("    cfg.update(size=1)\n    start()\n", True),
    ],
)
def test_what_the_script_changes_below_the_start(script: str, found: bool) -> None:
    """Workers are started from the same block, line by line: what comes later they would not have under fork either."""
    text = (
        "from multiprocessing import Pool\nimport settings\nfrom settings import cfg\n\ndef use(x):\n"
        "    return cfg['size'] + x\n\n{}if __name__ == '__main__':\n"
    ).format("def start():\n    Pool(1).map(use, [1])\n\n" if "start()" in script else "")
    assert bool(reports({"run.py": text + script, "settings.py": "cfg = dict(size=2)\n"})) is found


@each_row(
    ("change", "found"),
    [
        ("store.ROWS.grow()", True),
        ("store.ROWS.twice()", True),
        ("ROWS.grow()", True),
        ("store.ROWS.show()", False),
        ("store.OTHER.grow()", False),
    ],
)
def test_a_method_of_an_object_of_a_module_that_is_imported(change: str, found: bool) -> None:
    files = {
        "store.py": "class Rows:\n    def __init__(self):\n        self.size = 1\n\n    def grow(self):\n"
        "        self.size += 1\n\n    def twice(self):\n        self.grow()\n\n    def show(self):\n"
        "        print(self.size)\n\n\nROWS = Rows()\nOTHER = Rows()\n",
        "train.py": "from multiprocessing import Process\n\nimport store\nfrom store import ROWS\n\n\ndef work():\n"
        f"    print(store.ROWS.size)\n\n\ndef main():\n    {change}\n    Process(target=work).start()\n\n\n"
        "if __name__ == '__main__':\n    main()\n",
    }
    assert reports(files) == ([("train.py", 8, "train.py:12")] if found else [])


@each_row(
    ("inside", "found"),
    [
        ("print(size)", False),
        ("for row in DataLoader(Rows(), num_workers=2):\n            print(row)", True),
        ("Runner(WAYS[size]).run()", True),
        ("Runner(print).run()", True),  # another runner may be meant
        ("Runner(print)", False),
    ],
)
def test_what_is_put_back(inside: str, found: bool) -> None:
    test = f"""
class Runner:
    def __init__(self, way):
        self.way = way

    def run(self):
        self.way()

def load():
    print(*DataLoader(Rows(), num_workers=2))

WAYS = {{1: load}}
Runner(WAYS[1])

def test_sizes(sizes):
    for size in sizes:
        old = cfg["size"]
        cfg["size"] = size
        {inside}
        cfg["size"] = old
"""
    script = TRAIN.replace("\ndef main", f"{test}\ndef main").replace('from_file("a.yaml")', "test_sizes([1])")
    assert bool(reports({**FILES, "train.py": script})) is found
    other = script.replace('cfg["size"] = old', 'cfg["size"] = 2')
    assert reports({**FILES, "train.py": other})


FIRE = """
import fire
from torch.utils.data import DataLoader
from data import Rows, opt

def train(size):
    opt["size"] = size
    print(*DataLoader(Rows(), num_workers=2))

if __name__ == "__main__":
    {run}
"""
READS = """
from torch.utils.data import Dataset

opt = {"size": 1}

class Rows(Dataset):
    def __getitem__(self, at):
        return at * opt["size"]
"""


@pytest.mark.parametrize(("run", "found"), [("fire.Fire()", True), ("fire.Fire(len)", False), ("fire.Core()", False)])
def test_a_function_that_the_command_line_names(run: str, found: bool) -> None:
    assert bool(reported({"train.py": FIRE.format(run=run), "data.py": READS}, "main-guard")) is found


SENT_OBJECTS = """
from multiprocessing import Process
import shared

class Left:
    def area(self):
        return 1

class Right:
    def area(self):
        return shared.TABLE.get("k", 0)

def work(left, right):
    print({called})

def main():
    shared.TABLE["k"] = 5
    Process(target=work, args=(Left(), Right())).start()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("called", "found"), [("left.area()", False), ("right.area()", True)])
def test_each_argument_of_a_worker_is_what_it_was_given(called: str, found: bool) -> None:
    files = {"train.py": SENT_OBJECTS.format(called=called), "shared.py": "TABLE = {}\n"}
    assert bool(reported(files, "main-guard")) is found


OF_CLASSES = """
from multiprocessing import Process

class Left:
    def __init__(self):
        self.size = 1

class Right:
    size = 1

def work(left, right):
    print({read})

def main():
    Right.size = 5
    Process(target=work, args=(Left(), Right())).start()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("read", "found"), [("left.size", False), ("right.size", True)])
def test_each_parameter_of_a_worker_has_its_own_class(read: str, found: bool) -> None:
    assert bool(reported({"train.py": OF_CLASSES.format(read=read)}, "main-guard")) is found


LATE = """\
from torch.utils.data import DataLoader

def main():
    import rows
    {late}
    print(*DataLoader(rows.Rows(), num_workers=2))

if __name__ == "__main__":
    main()
"""


@each_row(
    ("late", "path", "found"),
    [
        pytest.param("pass", "rows.py", False, id="the module that reads it"),
        pytest.param("import names", "words.py", False, id="the module that it is in"),
        pytest.param("import names", "names.py", True, id="a module that workers do not import"),
    ],
)
def test_what_a_module_does_that_main_imports_late(late: str, path: str, found: bool) -> None:
    """A worker imports what it needs to read its data set, and runs the statements of that as well."""
    files = {
        "words.py": "words = ['none']\n",
        "rows.py": "from torch.utils.data import Dataset\nfrom words import words\n\n\nclass Rows(Dataset):\n"
        "    def __getitem__(self, at):\n        return words[at]\n",
        "names.py": "from words import words\n",
        "train.py": LATE.format(late=late),
    }
    files[path] += "\nfor line in open('words.txt'):\n    words.append(line)\n"
    assert bool(reports(files)) is found


def test_the_trace_names_the_calls_that_lead_to_the_read() -> None:
    """From what the boundary sends; by the shortest way, and none for a function that is sent itself."""
    data = DATA.replace("return scaled(index)", "return Rows.one(index)").replace(
        "def scaled", "    @staticmethod\n    def one(index):\n        return scaled(index)\n\ndef scaled"
    )
    contents = {path: text.encode() for path, text in {**FILES, "data.py": data}.items()}
    (found,) = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert [(hop.path, hop.line) for hop in found.trace] == [
        ("config.py", 12), ("train.py", 6), ("data.py", 9), ("data.py", 13),
    ]  # fmt: skip
    assert [hop.what for hop in found.trace[2:]] == ["`__getitem__` calls `one`", "`one` calls `scaled`"]
    sent = TRAIN.replace("DataLoader(Rows(),", "DataLoader([1, 2], collate_fn=scaled,").replace("Rows", "scaled")
    contents |= {
        "train.py": sent.encode(),
        "data.py": f"from config import cfg\n\n{data[data.index('def scaled') :]}".encode(),
    }
    (found,) = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert [(hop.path, hop.line) for hop in found.trace] == [("config.py", 12), ("train.py", 6)]
