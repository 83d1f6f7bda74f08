"""The rule `lambdas` on code that is easy to get wrong: shared lines, type comments, hooks of base classes."""

from __future__ import annotations

import re

import pytest

from codemods.transforms.lambdas.writing.role_words import snake
from harness.each_row import each_row
from harness.hoisting import hoisted
from harness.small import reported


def test_a_line_that_two_statements_share_is_not_taken_apart() -> None:
    after, reasons = hoisted('DOC = """\ntext\n"""; step = keep(lambda n, k: n + k)\n')
    assert after.startswith("def _keep(n, k):\n    return n + k\n") and '"""\ntext\n"""; step = keep(_keep)' in after
    after, reasons = hoisted("import os\n\nfirst = 1; \\\nstep = keep(lambda n, k: n + k)\n")
    assert "\n\n\nfirst = 1; \\\nstep = keep(_keep)\n" in after
    assert not reasons


def test_parameters_of_their_own_lines_stay_so_and_type_comments_stay_right() -> None:
    after, reasons = hoisted(
        """\
def build(scale):
    def step(  # of the loader
        row,  # type: int
    ):
        # type: (...) -> int
        return row * scale

    def other(row):  # type: (int) -> int
        return row + scale

    return step, other
"""
    )
    assert not reasons
    assert (
        "def _build_step(  # of the loader\n    scale,\n    row,  # type: int\n):\n    # type: (...) -> int\n" in after
    )
    assert "def _build_other(scale, row):  # type: (...) -> int\n" in after


@each_row(
    ("text", "reason"),
    [
        pytest.param(
            """\
class Base:
    def __init_subclass__(cls):
        KNOWN.append(cls)

class Middle(Base):
    pass

def build():
    class Local(Middle):
        pass
    return Local
""",
            "its base `Base` has a `__init_subclass__`, which would see it on import",
            id="a base that registers",
        ),
        pytest.param(
            """\
from registry import Entry

def build():
    class Local(Entry):
        pass
    return Local
""",
            "its base `Entry` has a metaclass Registered, which would see it on import",
            id="a metaclass in another file",
        ),
        pytest.param(
            """\
import sizes

class Table:
    width = sizes.read()
    grow = lambda row, n, k=width: n + k
""",
            "it may be a method of the class around it",
            id="a partial would not be bound",
        ),
        pytest.param(
            """\
import numpy as np

def build():
    def cast(rows, dtype=np.float):
        return np.asarray(rows, dtype)
    return cast
""",
            "`np.float` (line 4) is gone from newer versions",
            id="gone from numpy",
        ),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    registry = "class Registered(type):\n    pass\n\nclass Entry(metaclass=Registered):\n    pass\n"
    after, reasons = hoisted(text, others={"registry.py": registry})
    assert after == text
    assert any(reason in each for each in reasons), reasons


def test_a_name_that_the_file_may_offer_to_others_is_not_taken() -> None:
    text = "def build():\n    def loader(rows):\n        return rows\n    return [loader]\n"
    after, _ = hoisted(text)
    assert after.startswith("def loader(rows):")
    after, _ = hoisted("from impl import *\n\n\n" + text)
    assert "def _build_loader(rows):" in after


def test_a_shorter_name_where_the_line_would_get_too_long() -> None:
    more = "aspect_ratio_grouping=False, persistent=True, num_workers=3"
    call = f"    return build_loader(rows, {{}}=lambda row: row + 1, {more})\n"
    after, _ = hoisted("def test_build_iterable_loader(rows):\n" + call.format("mapper"))
    assert "mapper=_mapper, aspect" in after
    after, _ = hoisted("def test_build(rows):\n" + call.format("mapper"))
    assert "mapper=_test_build_mapper, aspect" in after
    after, _ = hoisted("_mapper = 3\n\n\ndef test_build_iterable_loader(rows):\n" + call.format("mapper"))
    assert "mapper=_test_build_iterable_loader_mapper, aspect" in after


def test_what_is_compiled_becomes_no_partial() -> None:
    text = (
        "import torch\n\n\ndef build(net):\n    step = lambda row: net(row)\n    return torch.jit.trace(step, rows)\n"
    )
    after, reasons = hoisted(text)
    assert after == text
    assert reasons[0].startswith("`torch.jit.trace` (line 6) compiles functions only: ")


def test_parameters_on_lines_of_their_own_where_the_line_would_get_too_long() -> None:
    names = [f"my_setting_number{number}" for number in range(5)]
    text = f"def build({', '.join(names)}):\n    return [lambda row, *rest: (row, {', '.join(names)})]\n"
    after, _ = hoisted(text)
    assert "def _build_fn(\n    " + ", ".join([*names, "row", "*rest"]) + "\n):\n    return (row," in after
    names = [f"setting_with_a_really_long_name_number{number}" for number in range(5)]
    text = f"def build({', '.join(names)}):\n    return [lambda row, *rest: (row, {', '.join(names)})]\n"
    after, _ = hoisted(text)
    assert f"def _build_fn(\n    {names[0]},\n    {names[1]},\n" in after
    assert f"    {names[4]},\n    row,\n    *rest,\n):\n    return (row," in after


def test_names_from_the_text_that_comes_with_the_function() -> None:
    after, _ = hoisted(
        'def report(log, re):\n    log("val/acc", lambda row: row[1:])\n    re.sub("[a-z]+", lambda row: row[2:])\n'
        "    log(rows, 'png', lambda row: row[3:])\n    return [lambda row: row]\n"
    )
    assert "def _report_png(row):" in after
    assert "def _report_val_acc(row):" in after and "def _report_sub(row):" in after
    assert "def _identity(row):" in after
    after, _ = hoisted('def report(hook):\n    hook("self.model.encoder", lambda row: row[1:])\n')
    assert "def _report_model_encoder(row):" in after


def test_a_class_that_asks_for_its_name_keeps_it() -> None:
    text = """\
import base


class Other:
    pass


def build():
    class Other(base.Base):
        def show(self):
            return 1
    return Other
"""
    asking = "class Base:\n    def folder(self):\n        return self.__class__.__name__\n"
    after, reasons = hoisted(text, others={"base.py": asking})
    assert after == text
    reason = "`self.__class__.__name__` is read (line 3), and the class would get another name"
    assert any(each.startswith(reason) for each in reasons), reasons
    after, reasons = hoisted(text, others={"base.py": asking.replace("__name__", "__doc__")})
    assert "class _BuildOther(base.Base):" in after
    after, reasons = hoisted(text.replace("class Other:\n    pass\n\n\n", ""), others={"base.py": asking})
    assert "\nclass Other(base.Base):" in after


def test_no_partial_where_a_class_keeps_what_the_maker_gives() -> None:
    text = "def scaled(factor):\n    def step(row, *more):\n        return row * factor\n    return step\n"
    user = "import train\n\n\nclass Table:\n    double = train.scaled(2)\n"
    after, reasons = hoisted(text, others={"user.py": user})
    assert after == text
    assert reasons[0].startswith("a class keeps what `scaled` gives (user.py:5), and a partial there would not")
    after, _ = hoisted(text, others={"user.py": user.replace("class Table:", "def table():")})
    assert "functools.partial(_scaled_step, factor)" in after


@each_row(
    ("maker", "own", "name"),
    [
        ("make_step", "step", "_step"),
        ("make_collate_fn", "collate_fn", "_collate_fn"),
        ("build_train_collate", "collate_fn", "_train_collate_fn"),
        ("initialize_bert_transform", "transform", "_bert_transform"),
        ("set_up_rows", "rows", "_rows"),
        ("make_step", "make_step", "_make_step"),  # it makes one too
        ("get_loader", "step", "_get_loader_step"),
        ("init_fn", "fn", "_init_fn"),  # `_fn` says nothing
        ("makes_step", "step", "_makes_step"),
    ],
)
def test_a_name_that_the_maker_swallows(maker: str, own: str, name: str) -> None:
    """The function that a maker gives makes nothing."""
    text = f"def {maker}(scale):\n    def {own}(row):\n        return row * scale\n    return {own}\n"
    assert f"def {name}(scale, row):" in hoisted(text)[0]


def test_a_name_that_the_maker_swallows_is_there_already() -> None:
    text = "def make_step(scale):\n    def step(row):\n        return row * scale\n    return step\n"
    assert "def _make_step(scale, row):" in hoisted("_step = 1\n\n\n" + text)[0]
    assert "def _step(scale, row):" in hoisted("_make_step = 1\n\n\n" + text)[0]


def test_a_lambda_that_a_maker_gives() -> None:
    after, _ = hoisted("def build_collate(size):\n    return lambda items: items[:size]\n")
    assert "def _collate_fn(size, items):" in after


@each_row(
    ("name", "path", "kept"),
    [
        ("setup", "test_rows.py", False),
        ("teardown_module", "tests/rows.py", False),
        ("TestRows", "rows_test.py", False),
        ("pytest_configure", "rows.py", False),
        ("__getattr__", "rows.py", False),
        ("TestRows", "rows.py", True),  # the rows to test on: runners look into files of tests only
        ("setup", "rows.py", True),
        ("test_collate", "train.py", True),
    ],
)
def test_names_that_are_looked_for_in_modules_are_not_kept(name: str, path: str, kept: bool) -> None:
    keyword = "class" if name[0] == "T" else "def"
    text = f"def build():\n    {keyword} {name}(object):\n        pass\n    return {name}\n"
    after, _ = hoisted(text, path=path)
    assert after.startswith(f"{keyword} {name}(" if kept else f"{keyword} _")


def test_what_is_not_written_takes_no_name_and_no_room() -> None:
    text = """\
import os


def build(rows):
    for row in rows:
        keep(lambda: row)
    keep(lambda n: n * 2)
    return 1


x = 1
def other(rows):
    for row in rows:
        keep(lambda: row)
    keep(lambda n: n * 3)
"""
    after, _ = hoisted(text)
    assert "import os\n\n\ndef _build_keep(n):\n    return n * 2\n\n\ndef build" in after
    assert "x = 1\n\n\ndef _other_keep(n):\n    return n * 3\n\n\ndef other" in after


def test_a_class_that_reads_a_name_before_it_binds_it() -> None:
    text = "def build(scale):\n    class Rows:\n        scale = scale\n    return Rows\n"
    after, reasons = hoisted(text)
    assert after == text and reasons == ["`scale` (line 3) is nowhere defined in this file"]
    after, _ = hoisted("scale = 3\n\n\n" + text)
    assert "class Rows:\n    scale = scale\n" in after
    after, _ = hoisted(text.replace("scale = scale", "scale = 3\n        twice = 2 * scale"))
    assert "class Rows:\n    scale = 3\n    twice = 2 * scale\n" in after


def test_one_blank_line_between_methods_that_had_none() -> None:
    text = "class A:\n    def go(self):\n        keep(lambda: self.x)\n        keep(lambda: self.y)\n"
    after, _ = hoisted(text + "    def other(self):\n        return 1\n")
    first = "    def _go_keep(self):\n        return self.x\n"
    second = "    def _go_keep_2(self):\n        return self.y\n"
    assert f"        keep(self._go_keep_2)\n\n{first}\n{second}\n    def other(self):\n" in after


@pytest.mark.parametrize(
    "place",
    [
        'monkeypatch.setattr(Rows, "shift", {})',
        'mock.patch.object(Rows, "shift", {})',
        'type("Rows", (), {{"shift": {}}})',
    ],
)
def test_no_partial_where_a_class_gets_a_method(place: str) -> None:
    text = f"def build(scale):\n    {place.format('lambda row: row * scale')}\n"
    after, reasons = hoisted(text)
    assert after == text and "would not get the object as its first argument" in reasons[0]
    after, _ = hoisted(text.replace("Rows", "rows").replace("type(", "make("))
    assert "functools.partial(_build_shift, scale)" in after


def test_entries_of_a_table_are_called_after_it() -> None:
    after, _ = hoisted('DECODERS = {"txt": lambda data: data.decode()}\n')
    assert "def _decoders_txt(data):" in after
    after, _ = hoisted('def build():\n    table = {"txt": lambda data: data.decode()}\n    return table\n')
    assert "def _build_txt(data):" in after


def test_captured_values_stand_among_arguments_on_lines_of_their_own() -> None:
    text = """\
def build(scale):
    def step(row):
        return row * scale

    def other(row):
        return step(
            row,
        )

    return step, other
"""
    after, _ = hoisted(text)
    assert "    return _build_step(\n        scale, row,\n    )\n" in after
    name = "row_of_the_batch" * 5
    long = text.replace("            row,", f"            {name},").replace("other(row)", f"other({name})")
    after, _ = hoisted(long)
    assert f"    return _build_step(\n        scale,\n        {name},\n    )\n" in after
    after, _ = hoisted(text.replace("step(\n", "step(  # why\n"))
    assert "    return _build_step(scale,  # why\n        row,\n    )\n" in after


def test_an_import_under_a_condition_goes_with_what_used_it_and_one_in_a_try_stays() -> None:
    text = """\
def build(model, fast):
    if fast:
        from layers import Norm
        model.half()

        def convert(module):
            return isinstance(module, Norm)

        model.apply(convert)
"""
    layers = {"layers.py": "class Norm:\n    pass\n"}
    after, _ = hoisted(text, others=layers)
    assert after.count("import Norm") == 1 and "    if fast:\n        model.half()\n" in after
    after, _ = hoisted(text.replace("    if fast:", "    try:") + "    finally:\n        pass\n", others=layers)
    assert after.count("import Norm") == 2


def test_imports_go_where_an_assignment_stays_in_their_block() -> None:
    text = """\
def build(ds, kind, indent):
    if kind:
        import json
        from collections import OrderedDict

        def write(row):
            return json.dumps(OrderedDict(row), indent=indent)
    else:
        import textwrap

        def write(row):
            return textwrap.dedent(row)
    return ds.map(write)
"""
    after, reasons = hoisted(text)
    assert not reasons
    assert after.endswith("""\
def build(ds, kind, indent):
    if kind:
        write = functools.partial(_build_kind_write, indent)
    else:
        write = _build_write
    return ds.map(write)
""")


def test_an_import_that_may_fail_stays_where_it_fails() -> None:
    text = """\
def build(ds):
    import cv2  # of the extras

    return ds.map(lambda row: cv2.resize(row, (2, 2)))
"""
    after, _ = hoisted(text)
    assert "def _build_map(row):\n    import cv2\n    return cv2" in after
    assert "def build(ds):\n    import cv2  # noqa: F401  # of the extras\n\n    return ds.map(_build_map)\n" in after
    after, _ = hoisted("import cv2.data\n" + text)
    assert "noqa" not in after and after.count("import cv2\n") == 1


def test_an_import_that_fails_on_other_systems_stays_where_it_fails() -> None:
    text = """\
def build(ds):
    import {0}

    return ds.map(lambda row: {0}.of(row))
"""
    for module in ("termios", "msvcrt", "tkinter", "tomllib", "distutils"):
        after, _ = hoisted(text.format(module))
        assert f"def build(ds):\n    import {module}  # noqa: F401\n\n    return ds.map(_build_map)\n" in after
    after, _ = hoisted(text.format("json"))
    assert "def build(ds):\n    return ds.map(_build_map)\n" in after


def test_an_import_below_a_comment_stays_and_linters_are_told() -> None:
    after, _ = hoisted("""\
def build(ds):
    # only needed here
    import json

    return ds.map(lambda row: json.loads(row))
""")
    assert "def _build_map(row):\n    import json\n    return json.loads(row)" in after
    assert "    # only needed here\n    import json  # noqa: F401\n\n    return ds.map(_build_map)\n" in after


def test_the_whole_partial_counts_for_the_width_of_a_line() -> None:
    line = "    layer = " + "norm if norm else " * 3 + "(lambda row: row * settings.eps)\n"
    after, _ = hoisted("def build_attention_with_a_name(norm, settings):\n" + line + "    return layer\n")
    assert "functools.partial(_layer, settings)" in after


def test_a_captured_name_that_means_something_else_where_the_function_is_used() -> None:
    text = """\
def build(b):
    scale = lambda row: row * b
    return lambda rows: [lambda row, *, b=b: (scale(row), b) for row in rows]
"""
    after, reasons = hoisted(text)
    assert "_build_scale(b, row)" not in after
    assert any("reads another `b` than its own: rename one of them" in reason for reason in reasons), reasons


def test_what_gets_an_attribute_becomes_no_method() -> None:
    text = """\
class Box:
    def __init__(self, size):
        self.size = size
        step = lambda row: (self.size, row)
        step.tag = 1
        self.steps = [step]
        step = None
"""
    after, reasons = hoisted(text)
    assert not reasons
    assert "def _box_step(size, row):\n    return (size, row)\n" in after
    assert "        step = functools.partial(_box_step, self.size)\n        step.tag = 1\n" in after
    after, _ = hoisted(f"{text}        self.size = 2\n")  # the object has to go along
    assert "def _box_step(self, row):\n    return (self.size, row)\n" in after
    assert "        step = functools.partial(_box_step, self)\n        step.tag = 1\n" in after


@each_row(
    ("said", "kept"),
    [
        ("size: int", "size: int"),
        ("size: 'int'", "size"),
        ("size: Size", "size: Size"),
        ("size: list[int]", "size: list[int]"),
        ("size", "size"),
    ],
)
def test_what_is_captured_keeps_its_type_where_that_means_the_same_everywhere(said: str, kept: str) -> None:
    after, _ = hoisted(f"from sizes import Size\n\ndef build({said}):\n    return keep(lambda row: row * size)\n")
    assert f"def _build_keep({kept}, row):\n" in after


def test_one_identity_is_enough() -> None:
    text = """\
class Block:
    def __init__(self, ds, norm):
        self.norm = norm or (lambda x: x)
        self.drop = lambda x: x


def build(ds):
    return ds.map([lambda x: x, lambda image: image])
"""
    after, _ = hoisted(text)
    assert after.count("def _identity(x):\n    return x\n\n\nclass Block:") == after.count("(x)") == 1
    assert "self.norm = norm or _identity\n" in after and "self.drop = _identity\n" in after
    assert "def _build_identity(image):" in after and "ds.map([_identity, _build_identity])" in after
    ours = 'def same(x):\n    """What it gets."""\n    return x\n\n\n'
    after, _ = hoisted(ours + text)
    assert "self.drop = same\n" in after and "ds.map([same, _identity])" in after and "def _identity(x)" not in after
    after, _ = hoisted(ours + "same = None\n\n\n" + text)
    assert "self.drop = _identity\n" in after


def test_an_identity_that_stays_keeps_no_other() -> None:
    text = "def build(ds):\n    ds.map(lambda x: x)\n    ds.keep(name='<lambda>')\n    return lambda x: x\n"
    after, reasons = hoisted(text)
    assert after == text and len(reasons) == 2
    text = (
        "class Rows:\n    keep = lambda self: self\n\n    def __init__(self, ds):\n        ds.map(lambda self: self)\n"
    )
    after, reasons = hoisted(text)
    assert "keep = lambda self: self" in after or "def keep(self)" in after, after
    assert "ds.map(lambda self: self)" not in after, reasons


@each_row(
    ("body", "name"),
    [("[row]", "steps"), ("row * 2", "scale"), ("row / 127.5 - 1", "rescale"), ("row > 0", "greater"), ("0", "zero")],
)
def test_what_fills_a_list_is_called_after_what_it_does_or_after_the_list(body: str, name: str) -> None:
    after, _ = hoisted(
        f"def get_transform(opt, steps):\n    steps.append(Lambda(lambda row: {body}))\n    return steps\n"
    )
    assert f"def _get_transform_{name}(row):" in after


@each_row(
    ("name", "expected"),
    [
        ("LoRALayer", "lora_layer"),
        ("ReLU", "relu"),
        ("IoULoss", "iou_loss"),
        ("ViTModel", "vit_model"),
        ("YOLOv5", "yolov5"),
        ("DiTBlock", "dit_block"),
        ("BytesIO", "bytes_io"),
        ("toPIL", "to_pil"),
        ("Conv3D", "conv3d"),
    ],
)
def test_words_of_a_name(name: str, expected: str) -> None:
    assert snake(name) == expected


def test_blank_lines_are_those_of_the_place() -> None:
    close = "def a():\n    pass\n\ndef b():\n    pass\n\ndef c():\n    pass\n"
    after, _ = hoisted(close + "\n\ndef build(ds):\n    ds.map(lambda row: row * 2)\n")
    assert "    pass\n\n\ndef _build_map(row):\n    return row * 2\n\n\ndef build(ds):\n" in after


def test_a_function_that_is_only_given_back() -> None:
    text = """\
def make_env(name, seed):
    def _make_env():
        return name, seed

    return _make_env  # a thunk


def make_both(name, ds):
    def both():
        return name

    return ds, both
"""
    after, _ = hoisted(text)
    assert "def _make_env(name, seed):\n    return name, seed\n" in after
    assert "    return functools.partial(_make_env, name, seed)  # a thunk\n" in after
    assert "    both = functools.partial(_both, name)\n\n    return ds, both\n" in after


def test_what_a_lambda_is_for_may_be_what_its_maker_gives() -> None:
    after, _ = hoisted("def get_activation_fn(kind):\n    return lambda x: x * kind\n\n\nKEPT = '_get_activation_fn'\n")
    assert "return functools.partial(_activation_fn, kind)" in after


def test_what_a_model_keeps_of_its_own_is_a_method() -> None:
    text = """\
class Model:
    def __init__(self, size):
        self.size = size
        self.embed = lambda x: x * self.size

    def grow(self, ds):
        self.size += 1
        ds.map(lambda x: x + self.size)
"""
    after, reasons = hoisted(text, [f"a model `self.part{n}`" for n in range(9)])
    assert "self.embed = self._init_embed\n" in after or "self.embed = self._embed\n" in after, after
    assert "ds.map(lambda x: x + self.size)" in after
    assert any(
        "a model `self.part0`, a model `self.part1` and 7 more, and `self.size` is set again" in reason
        for reason in reasons
    ), reasons


def test_parentheses_that_were_there_for_the_lambda() -> None:
    text = """\
class Fusion:
    def __init__(self, mode):
        if mode:
            self.fuse = (
                lambda x: x.chunk(2).max(dim=0).values.squeeze(1).contiguous().float()
            )
        self.norm = (  # none
            lambda x: x * 2
        )
        self.pair = (
            lambda x: x * 3,
        )
"""
    after, _ = hoisted(text)
    assert (
        "            self.fuse = _fusion_fuse\n        self.norm = (  # none\n            _fusion_norm\n        )\n"
        in after
    )
    assert "        self.pair = (\n            _fusion_pair,\n        )\n" in after


def test_the_same_function_in_several_methods_is_written_once() -> None:
    part = """\
class {}:
    def prepare(self, flip):
        if flip:
            def swap(a, b=1):
                return b, a
            return swap
        else:
            def scale(a):
                return a * {}
            return scale
"""
    after, _ = hoisted("\n\n".join(part.format(*each) for each in (("Dist", 1), ("Rotate", 2))))
    assert after.count("def _prepare_swap(a, b=1):\n    return b, a\n") == after.count("return b, a") == 1
    assert after.count("            return _prepare_swap\n") == 2
    assert "def _prepare_scale(a):\n    return a * 1\n" in after or "def scale(a):\n    return a * 1\n" in after
    assert "def _prepare_scale(a):\n    return a * 2\n" in after or "def _rotate_prepare_scale(a):" in after


def test_names_that_are_taken_get_the_numbers_that_tell_them_apart() -> None:
    after, _ = hoisted("""\
steps = [Lambda(lambda x: x.view(1, 64).t()), Lambda(lambda x: x.view(3, 64).t())]
""")
    assert "steps = [Lambda(_view), Lambda(_view_3_64)]" in after


def test_names_that_are_taken_get_what_it_does() -> None:
    after, _ = hoisted("""\
class Fusion:
    def __init__(self, mode):
        if mode == "max":
            self.fuse = lambda x: x.max(dim=0).values
        elif mode == "min":
            self.fuse = lambda x: x.min(dim=0).values
        else:
            self.fuse = lambda x: x
        self.steps = [lambda x: x.sum(0), lambda x: x + 1]
""")
    assert "def _fusion_max_fuse(x):\n    return x.max" in after and "def _fusion_min_fuse(x):" in after
    assert "def _fusion_fuse_identity(x):" in after
    assert "self.steps = [_fusion_sum, _fusion_shift]" in after


@each_row(
    ("text", "names"),
    [
        ("t = []\nif kind == 'five':\n    t += [Lambda(lambda c: c + a())]\nelif kind == 'ten':\n"
         "    t += [Lambda(lambda c: b())]\n",
         ["_make_five", "_make_ten"]),
        ("if kind == 'a':\n    f = lambda c: c + 1\nelif kind == 'b':\n    f = lambda c: c + 2\n"
         "else:\n    f = lambda c: 0\nt = Lambda(f)\n", ["_make_a", "_make_b", "_make_f_zero"]),
        ("if 'near' == kind:\n    t = run(lambda c: c + 1)\nelse:\n    t = run(lambda c: c + 2)\n",
         ["_make_near_run", "_make_run_shift"]),
        ("if kind == 'near':\n    def hop(c):\n        pass\nelse:\n    def hop(c):\n        pass\n"
         "t = Lambda(hop)\n",
         ["_make_hop"]),  # one for both
        # nothing to tell apart, or no word for it
        ("if kind == 'near':\n    t = run(lambda c: c + 1)\nelse:\n    t = None\n", ["_make_run"]),
        ("if kind == 'a':\n    t = run(lambda c: c + 1)\nif kind == 'b':\n    t = other(lambda c: c + 2)\n",
         ["_make_run", "_make_other"]),
        ("if kind > 3:\n    t = run(lambda c: c + 1)\nelse:\n    t = run(lambda c: c * 2)\n",
         ["_make_run", "_make_run_scale"]),
    ],
)  # fmt: skip
def test_functions_of_branches_are_called_by_what_these_compare(text: str, names: list[str]) -> None:
    body = "".join(f"    {line}\n" for line in text.splitlines())
    after, _ = hoisted(f"def make(kind):\n{body}    return t\n")
    assert re.findall(r"^def (\w+)\(", after, re.MULTILINE)[:-1] == names


@each_row(
    ("bases", "name"),
    [
        ("", "_step"),
        ("(torch.utils.data.Dataset)", "_step"),
        ("(Base)", "_step"),
        ("(Derived)", "_rows_step"),
        ("(torch.nn.Module)", "_rows_step"),
    ],
)
def test_a_method_has_the_name_of_its_class_where_a_base_could_have_that_name(bases: str, name: str) -> None:
    after, _ = hoisted(
        "import torch\n\nclass Base:\n    pass\n\nclass Derived(torch.nn.Module):\n    pass\n\n"
        f"class Rows{bases}:\n    def __init__(self, n):\n        self.n = n\n"
        "        self.step = lambda row: row + self.n\n"
    )
    assert f"self.step = self.{name}\n" in after


def test_a_function_whose_own_name_its_class_changes() -> None:
    text = (
        "class Log:\n    def save(self, name):\n        def __save(name):\n            print(name)\n\n"
        "        Process(target=__save, args=(name,)).start()\n"
    )
    after, _ = hoisted(text)
    assert after.startswith("def _save(name):") and "Process(target=_save, args" in after
    used = text.replace("print(name)", "print(self.__name)")
    assert "self.__name" in hoisted(used)[0]


@each_row(
    ("default", "use", "moves"),
    [
        ("lambda x, *y, **z: None", "done(x)", True),
        ("lambda x: x + one", "done(x)", True),
        ("lambda x, n=2: x * n", "print(done(x), done(1))", True),
        ("lambda x: x + size", "done(x)", False),  # a variable of this call
        ("lambda x, n=[]: n", "done(x)", False),
        ("lambda x: x", "keep(done)", False),  # another one each time
        ("lambda x: x", "print(done is None)", False),
    ],
)
def test_a_default_that_is_a_lambda_goes_along(default: str, use: str, moves: bool) -> None:
    text = (
        "one = 1\n\ndef outer(size):\n"
        f"    def inner(x, done={default}):\n        {use}\n\n    Process(target=inner, args=(1,)).start()\n"
    )
    after, _ = hoisted(text)
    assert (f"\ndef inner(x, done={default}):\n    {use}\n" in after) == moves


def test_a_comment_that_no_longer_fits_goes_above_its_line() -> None:
    comment = "# what is skipped is handled by the wrapper around"
    text = (
        "def build(one, two, three, four, five, several, skipped):\n    def make(player, **more):\n"
        "        return run(\n            one, two, three, four, five,\n"
        f"            skip=1 if several else skipped,  {comment}\n            more=more,\n        )\n\n"
        "    return wrap(make)\n"
    )
    width = max(map(len, text.splitlines()))
    after, _ = hoisted(text)
    assert f"            {comment}\n            skip=1 if self.several else self.skipped,\n" in after
    assert max(map(len, after.splitlines())) <= width


@pytest.mark.parametrize(
    ("result", "moves"), [('(eval, ("1",))', True), ('eval, ("1",)', True), ('(int, (eval("1"),))', False)]
)
def test_a_reducer_that_names_eval_does_not_call_it(result: str, moves: bool) -> None:
    files = {
        "a.py": "import pickle\n\n\ndef save():\n    class Row:\n        def __reduce__(self):\n"
        f"            return {result}\n\n    return pickle.dumps(Row)\n\n\nsave()\n"
    }
    (finding,) = reported(files, "lambdas")
    assert ("it calls `eval`" in (finding.reason or "")) is not moves and (finding.fix is not None) is moves
