"""The rule `lambdas`: what travels with a function that moved, and when the worker needs it."""

from __future__ import annotations

from codemods.engine.migrate import plan
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.hoisting import hoisted

DATA = """\
from torchvision.datasets import ImageFolder


class Data:
    def __init__(self, width):
        self.width = width

    def setup(self):
        import json

        self.KEPT
        return lambda row: row.view(self.width)

    def loader(self):
        return lambda rows: self.join(rows)

    def join(self, rows):
        return rows
"""


def test_no_method_takes_a_module_or_a_dataset_along() -> None:
    for kept, what in (("json = json", "a module `self.json`"), ("train = ImageFolder('x')", "a dataset `self.train`")):
        after, reasons = hoisted(DATA.replace("KEPT", kept))
        assert "def _setup_fn(width, row):\n    return row.view(width)\n" in after
        assert "return functools.partial(_setup_fn, self.width)\n" in after
        assert len(reasons) == 1 and what in reasons[0], reasons
    after, reasons = hoisted(DATA.replace("KEPT", "kind = 'plain'"))
    assert not reasons
    assert "return self._setup_fn\n" in after


LOOP = """\
from multiprocessing import Pool


def run(rows):
    found = []
    with Pool(2) as pool:
        for scale in rows:
            found += pool.METHOD(lambda row: row * scale, rows)
    return found


if __name__ == "__main__":
    print(run([1, 2]))
"""


def migrated(text: str) -> str:
    result = plan(MemoryFiles({"a.py": text.encode()}), Settings(select=("lambdas",)))
    return result.contents.get("a.py", text.encode()).decode()


def test_a_loop_variable_is_handed_to_a_call_that_waits() -> None:
    assert "found += pool.map(functools.partial(_run_map, scale), rows)\n" in migrated(LOOP.replace("METHOD", "map"))
    later = LOOP.replace("METHOD", "map_async")
    assert migrated(later) == later


def test_a_function_that_is_kept_for_the_next_round_stays() -> None:
    text = LOOP.replace(
        "            found += pool.METHOD(lambda row: row * scale, rows)\n",
        "            found.append(lambda row: row * scale)\n            pool.map(found[-1], rows)\n",
    )
    assert migrated(text) == text


def test_many_values_are_kept_by_an_object() -> None:
    after, _ = hoisted("def build(ds, a, b, c, d, e):\n    return ds.map(lambda x: (x, a, b, c, d, e))\n")
    assert "functools.partial(_build_map, a, b, c, d, e)" in after
    after, _ = hoisted("def build(ds, a, b, c, d, e, f):\n    return ds.map(lambda x: (x, a, b, c, d, e, f))\n")
    assert "return ds.map(_BuildMap(a, b, c, d, e, f))\n" in after
    assert "    def __call__(self, x):\n        return (x, self.a, self.b, self.c, self.d, self.e, self.f)\n" in after


def test_a_call_with_a_short_name_gives_none() -> None:
    after, _ = hoisted("def build(ds):\n    return ds.map([lambda x: x.t(), lambda x: x.flip(0)])\n")
    assert "_build_t" not in after
    assert "def _build_flip(x):" in after


PARTS = """\
import torchvision
from base import Base
{before}

class Parts(Base):
    {constant}

    def setup(self, kind):
        {above}
        transform = torchvision.transforms.Lambda(lambda x: x.view(self.width))
        {below}
        self.train_set = torchvision.datasets.MNIST("x", transform=transform)
        return torch.utils.data.DataLoader(self.train_set, num_workers=2)
{after}
"""
BY_NAME = """\
class Base:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)
"""


def handed(base: str = "class Base:\n    pass\n", **parts: str) -> bool:
    """Whether `self.width` is handed to a function, in a class with these parts."""
    names = ("before", "constant", "above", "below", "after")
    text = PARTS.format(
        **{name: parts.get(name, "pass" if name in ("constant", "above", "below") else "") for name in names}
    )
    text = "import torch\n" + text
    files = MemoryFiles({"a.py": text.encode(), "base.py": base.encode()})
    after = plan(files, Settings(select=("lambdas",))).contents.get("a.py", b"").decode()
    assert ("functools.partial(_setup_transform, self.width)" in after) is bool(after)
    return bool(after)


def test_a_constant_of_the_class_is_handed_over() -> None:
    assert handed(constant="width = 28")
    assert handed(base="class Base:\n    width = -1\n")
    assert not handed(constant="width = []")
    assert not handed(constant="width = 28", after="\nParts.width = 3")
    assert not handed(constant="width = 28", below="self.width = 3")
    prop = "\nclass Wide(Parts):\n    @property\n    def width(self):\n        return 1"
    assert not handed(constant="width = 28", after=prop)
    assert handed(constant="width = 28", after=prop.replace("(Parts)", ""))


def test_an_attribute_that_the_same_method_sets_first_is_handed_over() -> None:
    assert handed(above="_, self.width = kind")
    assert handed(above="self.width = kind", base="class Base:\n    def other(self):\n        self.depth = 1\n")
    assert handed(above="if kind:\n            self.width = 1\n        else:\n            self.width = 2")
    assert not handed(above="if kind:\n            self.width = 1")
    assert not handed(above="for self.width in kind:\n            pass")
    assert not handed(below="self.width = kind")
    assert not handed(above="self.width = kind", below="self.width += 1")
    assert not handed(above="self.width = kind", after="\n    def more(self):\n        self.width = 2")
    assert handed(above="self.width = kind", after="\n    def __init__(self):\n        self.width = None")
    made_first = "\n    def __init__(self):\n        self.setup(1)\n        self.width = None"
    assert not handed(above="self.width = kind", after=made_first)


def test_an_attribute_that_the_constructor_sets_by_name_is_handed_over() -> None:
    assert handed(base=BY_NAME)
    assert not handed(base=BY_NAME + "        self.setup(1)\n")
    assert not handed(base=BY_NAME.replace("__init__", "take"))
    assert not handed(base=BY_NAME + "\n    @property\n    def width(self):\n        return 1\n")
    assert not handed(base=BY_NAME, below="self.width = 3")


def test_an_attribute_that_may_be_missing_is_read_no_sooner() -> None:
    for read, found in (("x if x else self.width", False), ("x or self.width", False), ("self.width or x", True)):
        text = PARTS.replace("x.view(self.width)", read)
        text = text.format(before="", constant="pass", above="pass", below="pass", after="")
        files = MemoryFiles({"a.py": f"import torch\n{text}".encode(), "base.py": BY_NAME.encode()})
        result = plan(files, Settings(select=("lambdas",))).contents.get("a.py", b"")
        assert (b"self.width)" in result) is found


def test_a_comment_sets_no_attribute() -> None:
    base = "class Base:\n    pass\n\n\ndef build(self):\n    # self.width = 2\n    return 1\n"
    assert handed(constant="width = 28", base=base)
    assert not handed(constant="width = 28", base=base.replace("# ", ""))
