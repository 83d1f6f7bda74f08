"""Imports with several meanings: by a name that is put together, by one of two star imports, below a package."""

from __future__ import annotations

import pytest

from codemods.syntax.modules import Modules
from harness.each_row import each_row
from harness.marks import crossing, marked

RUN = """
import importlib
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, steps):
        self.steps = steps

def load(name, kind):
    {how}
    return DataLoader(Rows(settings.steps), num_workers=2)
"""
CROSSES = {
    "conf/tiny.py": "steps = [lambda x: x + 1]  # proven\n",
    "conf/large_v2.py": "steps = [lambda x: x]  # proven\n",
}
STAYS = {"conf/tiny.py": "steps = [lambda x: x + 1]\n", "conf/large_v2.py": "steps = [lambda x: x]\n"}
ONE = {"conf/tiny.py": "steps = [lambda x: x + 1]\n", "conf/large_v2.py": "steps = [lambda x: x]  # proven\n"}
DEEPER = {"conf/tiny.py": "steps = [lambda x: x + 1]\n", "conf/a/b.py": "steps = [lambda x: x]  # proven\n"}


@each_row(
    ("how", "files"),
    [
        ("settings = importlib.import_module(f'conf.{name}')", CROSSES),
        ("settings = importlib.import_module('conf.' + name)", CROSSES),
        ("settings = importlib.import_module('conf.{}'.format(name))", CROSSES),
        ("settings = importlib.import_module('conf.%s' % name)", CROSSES),
        ("path = f'conf.{name}'\n    settings = importlib.import_module(path)", CROSSES),
        ("settings = importlib.import_module('conf.' + name + '_v2')", ONE),
        ("settings = importlib.import_module('conf.large_v2')", ONE),
        ("settings = importlib.import_module(f'conf.{name}.{kind}')", {**CROSSES, **DEEPER}),
        ("settings = importlib.import_module(f'other.{name}')", STAYS),
        ("settings = importlib.import_module(f'{name}.conf')", STAYS),
        ("settings = importlib.import_module(name)", STAYS),
    ],
)
def test_a_module_that_is_imported_by_its_name(how: str, files: dict[str, str]) -> None:
    program = {"run.py": RUN.format(how=how), **files}
    if how.endswith("{kind}')"):  # `tiny` is no folder, but a name may be put together of anything
        program["conf/tiny.py"] = CROSSES["conf/tiny.py"]
    assert crossing(program) == marked(program)


def test_too_many_modules_are_not_told_apart() -> None:
    many = {f"conf/m{at}.py": "steps = [lambda x: x]\n" for at in range(41)}
    program = {"run.py": RUN.format(how="settings = importlib.import_module(f'conf.{name}')"), **many}
    assert not crossing(program)


SCORES = """
class Score:
    def maker(self):
        def rate(x):{mark}
            return x
        return rate
"""
MODEL = """
from torch.utils.data import DataLoader, Dataset
{imports}

class Rows(Dataset):
    def __init__(self):
        self.rate = Score().maker()

loader = DataLoader(Rows(), num_workers=2)
"""


@each_row(
    ("imports", "crosses"),
    [
        ("if FAST:\n    from first import *\nelse:\n    from second import *", "first second"),
        ("try:\n    from first import *\nexcept ImportError:\n    from second import *", "first second"),
        ("from first import *", "first"),
        ("if FAST:\n    from both import *", "first second"),
    ],
)
def test_one_of_two_star_imports(imports: str, crosses: str) -> None:
    program = {
        "run.py": MODEL.format(imports=imports),
        "both.py": "try:\n    from first import *\nexcept OSError:\n    from second import *\n",
    }
    for name in ("first", "second"):
        program[f"{name}.py"] = SCORES.format(mark="  # proven" if name in crosses else "")
    assert crossing(program) == marked(program)


@each_row(
    ("module", "found"),
    [
        ("datasets.shapes.cubes", "kit/datasets/shapes/cubes.py"),  # a program that is started in the package
        ("datasets.shapes", None),  # may be that of the installed package
        ("datasets", None),
        ("datasets.shapes.balls", None),
        ("kit.datasets.shapes.cubes", "kit/datasets/shapes/cubes.py"),
    ],
)
def test_a_package_where_programs_are_started(module: str, found: str | None) -> None:
    paths = ["kit/__init__.py", "kit/train/run.py", "kit/datasets/__init__.py"]
    paths += ["kit/datasets/shapes/__init__.py", "kit/datasets/shapes/cubes.py"]
    assert Modules(paths, {"datasets"}).absolute("kit/train/run.py", module) == found


CELLS = """\
from torch.utils.data import DataLoader, Dataset
{imported}

class Rows(Dataset):
    def __init__(self, steps):
        self.steps = steps

for batch in DataLoader(Rows({steps}), num_workers=2):
    print(batch)
"""


@pytest.mark.parametrize(
    ("imported", "steps"),
    [
        ("from transforms import steps", "steps"),
        ("from transforms import steps as made", "made"),
        ("from transforms import small", "[]"),  # its own
    ],
)
@pytest.mark.parametrize(
    "nearest", [{"cells/transforms.py": "small = 1\n"}, {"cells/transforms.py": "from transforms import steps\n"}, {}]
)
def test_a_module_of_a_package_that_has_the_name_of_one_above(
    imported: str, steps: str, nearest: dict[str, str]
) -> None:
    """`python -m cells.train` gets `transforms.py` from where it is started, `python cells/train.py` its own."""
    above = "steps = [lambda x: x + 1]" + ("  # proven\n" if steps != "[]" else "\n")
    program = {"cells/train.py": CELLS.format(imported=imported, steps=steps), "transforms.py": above, **nearest}
    assert crossing(program) == marked(program)


@pytest.mark.parametrize("nearest", ["steps = 1\n", "from more import *\n", "from transforms.more import *\n"])
def test_the_nearest_module_is_meant_where_it_may_give_the_name(nearest: str) -> None:
    program = {
        "cells/train.py": CELLS.format(imported="from transforms import steps", steps="steps"),
        "transforms.py": "steps = [lambda x: x + 1]\n",
        "cells/transforms.py": nearest,
        "cells/more.py": "steps = 2\n",
    }
    assert not crossing(program)
