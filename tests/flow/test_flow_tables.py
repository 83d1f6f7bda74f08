"""Functions, methods and classes that the flow knows by name: each hands on what it is given, or calls it.

One row a name; the lambda must be found where its result is pickled, and not where a name that nobody knows stands.
"""

from __future__ import annotations

import pytest
from test_boundary_rows import findings

from codemods.finding import Confidence
from harness.each_row import each_row


def proven(source: str) -> list[int]:
    return [line for line, each in findings(source).items() if each.confidence is Confidence.PROVEN]


# What is taken out of a container


@each_row("code", [
    "kept.get('a')", "kept.pop('a')", "kept.popitem()", "kept.setdefault('a', 1)", "kept.__getitem__('a')", "kept['a']",
    "[*kept.values()][0]",
])  # fmt: skip
def test_an_element_is_what_was_put_in(code: str) -> None:
    assert proven(f"import pickle\nkept = {{'a': lambda: 1}}\npickle.dumps({code})\n") == [2]
    assert not findings(
        f"import pickle\nkept = {{'a': lambda: 1}}\npickle.dumps(len({code.replace('kept', 'str(kept)')}))\n"
    )


@each_row("method", ["append", "add", "insert", "appendleft", "put"])
def test_what_is_put_in_is_an_element(method: str) -> None:
    arguments = "0, lambda: 1" if method == "insert" else "lambda: 1"
    assert proven(f"import pickle\nkept = []\nkept.{method}({arguments})\npickle.dumps(kept)\n") == [3]
    assert not proven(f"import pickle\nkept = []\nkept.count({arguments})\npickle.dumps(kept)\n")


@pytest.mark.parametrize("method", ["extend", "update", "union"])
def test_containers_are_joined(method: str) -> None:
    assert proven(f"import pickle\nkept = set()\nkept.{method}([lambda: 1])\npickle.dumps([*kept][0])\n") == [3]


@each_row("name", [
    "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "itertools.chain", "collections.deque",
])  # fmt: skip
def test_elements_are_those_of_the_argument(name: str) -> None:
    module = f"import {name.partition('.')[0]}" if "." in name else ""
    assert proven(f"import pickle\n{module}\nfor each in {name}([lambda: 1]):\n    pickle.dumps(each)\n") == [3]


@pytest.mark.parametrize("name", ["dict", "collections.OrderedDict"])
def test_elements_of_a_dict_are_those_of_the_argument(name: str) -> None:
    assert proven(f"import collections, pickle\npickle.dumps({name}({{'a': lambda: 1}})['a'])\n") == [2]


@pytest.mark.parametrize("code", ["[lambda: 1] * count", "count * [lambda: 1]", "(0, lambda: 1) * count"])
def test_a_repeated_list_holds_its_elements_at_every_place(code: str) -> None:
    assert proven(f"import pickle, sys\ncount = len(sys.argv)\nkept = {code}\npickle.dumps(kept[1])\n") == [3]
    assert not findings(f"import pickle, sys\ncount = len(sys.argv)\nkept = {code}\npickle.dumps(len(kept))\n")


@each_row("module", [
    "gym.vector.utils", "gymnasium.vector.utils.misc", "stable_baselines3.common.vec_env",
    "baselines.common.vec_env.vec_env", "tianshou.env.utils",
])  # fmt: skip
def test_what_is_wrapped_for_cloudpickle_is_not_pickled_plainly(module: str) -> None:
    source = (
        "from multiprocessing import Process\n{}\ndef run(fns):\n    print(fns)\nif __name__ == '__main__':\n"
        "    fns = [lambda: 1] * 2\n    for fn in fns:\n"
        "        Process(target=run, args=(CloudpickleWrapper(fn),)).start()\n"
    )
    assert not findings(source.format(f"from {module} import CloudpickleWrapper"))
    assert list(findings(source.format("from own.utils import CloudpickleWrapper"))) == [6]


def test_what_a_list_is_repeated_by_is_not_in_it() -> None:
    assert not findings("import pickle\npickle.dumps([0] * min(2, 3, key=lambda x: x))\n")


def test_a_helper_may_repeat_what_is_no_list_yet() -> None:
    source = (
        "import pickle\ndef repeated(x, count, kind):\n    if isinstance(x, kind):\n        x = [x] * count\n"
        "    return x\nnames, fns = repeated('a', 2, str), repeated(lambda: 1, 2, object)\n"
    )
    assert proven(f"{source}for at in range(2):\n    pickle.dumps(fns[at])\n") == [6]


_OPTIONS = """
import pickle
class Data:
    def __init__(self, read=None, raw=None):
        self.raw = read() if raw is None else raw
def load(options):
    options = {COPY}
    pickle.dumps(Data(**options))
load({'NAME': lambda: 1})
"""


@pytest.mark.parametrize("copy", [
    "{key: value for key, value in options.items()}", "{k: v for k, v in options.items() if not k.startswith('_')}",
])  # fmt: skip
def test_a_part_of_a_dict_keeps_values_under_their_keys(copy: str) -> None:
    source = _OPTIONS.replace("{COPY}", copy)
    assert proven(source.replace("NAME", "raw")) == [9]
    assert not findings(source.replace("NAME", "read"))


def test_a_part_of_an_object_is_what_its_own_items_are() -> None:
    source = """
import pickle
class Own:
    def __init__(self, fn):
        self.fn = fn
    def items(self):
        return [("a", self.fn)]
def load(own):
    pickle.dumps({k: v for k, v in own.items()})
load(Own(lambda: 1))
"""
    assert proven(source) == [10]


@each_row("copy", [
    "{'raw': value for _, value in options.items()}", "{other: v for (k, v), other in zip(options.items(), ['raw'])}",
    "{k.lower(): v for k, v in options.items()}", "{k: v for k in ['raw'] for _, v in options.items()}",
])  # fmt: skip
def test_a_dict_with_other_keys_may_hold_a_value_under_any(copy: str) -> None:
    assert list(findings(_OPTIONS.replace("{COPY}", copy).replace("NAME", "read"))) == [9]


def test_elements_of_a_dict_may_be_given_by_name() -> None:
    assert proven("import pickle\npickle.dumps(dict(a=lambda: 1)['a'])\n") == [2]


def test_filter_hands_on_its_second_argument() -> None:
    source = "import pickle\nfor each in filter(lambda f: f, [lambda: 1]):\n    pickle.dumps(each)\n"
    assert [each.span.column for each in findings(source).values()] == [
        source.index("lambda: 1") - source.index("for") + 1
    ]


@pytest.mark.parametrize(("name", "unpacked"), [("zip", "[0]"), ("enumerate", "[1]")])
def test_pairs_hold_the_elements(name: str, unpacked: str) -> None:
    assert proven(f"import pickle\nfor pair in {name}([lambda: 1]):\n    pickle.dumps(pair{unpacked})\n") == [2]


# Records


@pytest.mark.parametrize("name", ["dataclasses.replace", "attr.evolve", "attrs.evolve"])
def test_a_copy_with_other_values_keeps_them(name: str) -> None:
    source = (
        f"import {name.partition('.')[0]}, dataclasses, pickle\n"
        "@dataclasses.dataclass\nclass Row:\n    fn: object = None\n"
        f"pickle.dumps({name}(Row(), fn=lambda: 1))\n"
    )
    assert proven(source) == [5]


@pytest.mark.parametrize("name", ["dataclasses.replace", "attr.evolve", "attrs.evolve"])
def test_a_copy_with_other_values_has_what_the_first_has(name: str) -> None:
    source = (
        f"import {name.partition('.')[0]}, dataclasses, pickle\n"
        "@dataclasses.dataclass\nclass Row:\n    fn: object = None\n    size: int = 0\n"
        f"pickle.dumps({name}(Row(fn=lambda: 1), size=3))\n"
    )
    assert proven(source) == [6]


@pytest.mark.parametrize(("module", "mark", "field"), [
    ("dataclasses", "dataclass", "field"), ("attr", "s", "ib"), ("attr", "define", "field"),
    ("attrs", "define", "field"),
    ("attrs", "frozen", "field"), ("attrs", "mutable", "field"),
])  # fmt: skip
def test_fields_keep_their_default(module: str, mark: str, field: str) -> None:
    source = (
        f"import {module}, pickle\n@{module}.{mark}\nclass Row:\n    fn = {module}.{field}(default=lambda: 1)\n"
        f"    other: object = {module}.{field}(default=lambda: 2)\npickle.dumps(Row())\n"
    )
    assert 5 in proven(source)


# What calls what it is given


@each_row("code", [
    "multiprocessing.Process(target=work, args=(lambda: 1,))",
    "multiprocessing.Process(target=work, kwargs={'x': lambda: 1})",
    "threading.Thread(target=work, args=(lambda: 1,))",
    "torch.multiprocessing.spawn(rank_work, args=(lambda: 1,))",
    "multiprocessing.Pool(2, work, (lambda: 1,))",
    "concurrent.futures.ProcessPoolExecutor(2, None, work, (lambda: 1,))",
    "concurrent.futures.ProcessPoolExecutor().submit(work, lambda: 1)",
    "concurrent.futures.ThreadPoolExecutor().submit(work, lambda: 1)",
    "concurrent.futures.ProcessPoolExecutor().map(work, [lambda: 1])",
    "concurrent.futures.ThreadPoolExecutor().map(work, [lambda: 1])",
    *(f"{pool}.{method}(work, [lambda: 1])" for pool in ("multiprocessing.Pool()", "multiprocessing.dummy.Pool()")
      for method in ("map", "imap", "imap_unordered", "map_async")),
    *(f"{pool}.{method}(work, [(lambda: 1,)])" for pool in ("multiprocessing.Pool()", "multiprocessing.dummy.Pool()")
      for method in ("starmap", "starmap_async")),
    *(f"{pool}.{method}(work, (lambda: 1,))" for pool in ("multiprocessing.Pool()", "multiprocessing.dummy.Pool()")
      for method in ("apply", "apply_async")),
])  # fmt: skip
def test_the_function_is_called_with_the_arguments(code: str) -> None:
    """The trace of what `work` saves begins at the argument."""
    source = (
        "import concurrent.futures, multiprocessing.dummy, pickle, threading, torch.multiprocessing\n"
        "def work(x):\n    pickle.dumps(x)\ndef rank_work(rank, x):\n    pickle.dumps(x)\n"
    )
    thread = "Thread" in code or "dummy" in code
    found = findings(f"{source}{code}\n")
    assert [*found] == [6] and found[6].confidence is Confidence.PROVEN
    assert ("pickle.dumps" in found[6].message) or not thread
    silent = code.replace("work,", "len,").replace("work)", "len)").replace("target=work", "target=len")
    assert not thread or not findings(f"{source}{silent.replace('rank_len', 'len')}\n")


@each_row("attribute", [
    "dataset", "datasets", "transform", "transforms", "target_transform", "module", "func", "args", "keywords",
    "collate_fn", "pipeline", "source", "fn", "config", "cfg",
])  # fmt: skip
def test_what_a_foreign_object_gives_back_under_its_usual_name(attribute: str) -> None:
    source = (
        "import pickle, torchvision.datasets\nmade = torchvision.datasets.Thing(lambda: 1)\npickle.dumps(made.{})\n"
    )
    assert proven(source.format(attribute)) == [2]
    assert not proven(source.format("length"))
