"""One attribute of parsed options instead of all: only where nothing can set it after the function is created."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted

SCRIPT = """\
import argparse


def crop(image, size):
    return image[:size]


def run(args, ds):
    ds.map(lambda image: crop(image, args.size))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int)
    args = parser
    args = args.parse_args()
    run(args, [])
"""
PARTIAL = "functools.partial(crop, size=args.size)"


@each_row(
    "more",
    [
        pytest.param("", id="only parsed"),
        pytest.param(
            "\n\ndef show(args, models):\n    print(vars(args), models.__dict__[args.arch])\n", id="looked at"
        ),
        pytest.param("\n\ndef prepare(args):\n    args.gpu = 0\n", id="another attribute is set"),
        pytest.param(
            "\n\nclass Net:\n    def __init__(self, size):\n        self.size = size\n", id="set on other objects"
        ),
        pytest.param("\n\ndef load(x):\n    setattr(x, 'other', 1)\n    del x.__dict__['more']\n", id="other names"),
        pytest.param("\n\ndef load(args):\n    cfg.arguments = vars(args)\n", id="the dict is kept and not changed"),
        pytest.param(
            "\n\ndef load(args):\n    print(vars(args))\n    options = copied(args)\n    options['size'] = 1\n",
            id="a dict of something else",
        ),
        pytest.param("\n\ndef load(args):\n    log(vars(args), more=args.__dict__)\n", id="the dict is passed on"),
        pytest.param("\n\ndef load(args):\n    put(**vars(args))\n\n\ndef put(**d):\n    d['size'] = 1\n", id="a copy"),
        pytest.param(
            "\n\ndef load(args):\n    put(vars(args))\n\n\ndef put(d):\n    print(d['size'])\n", id="only read"
        ),
        pytest.param(
            "\n\ndef load():\n    import lib\n    config = lib.Config()\n    config.size = 1\n",
            id="on an object of a library",
        ),
    ],
)
def test_one_option_is_handed_over(more: str) -> None:
    after, reasons = hoisted(SCRIPT + more)
    assert not reasons and PARTIAL in after


@each_row(
    "more",
    [
        pytest.param("\n\ndef resume(args):\n    args.size = 3\n", id="set elsewhere"),
        pytest.param("\n\ndef load(args, values):\n    for k in values:\n        setattr(args, k, 1)\n", id="by name"),
        pytest.param("\n\ndef load(args, values):\n    args.__dict__.update(values)\n", id="through the dict"),
        pytest.param("\n\ndef load(args, values):\n    vars(args).update(values)\n", id="through vars"),
        pytest.param("\n\ndef load(args):\n    options = vars(args)\n    options['size'] = 1\n", id="by another name"),
        pytest.param(
            "\n\ndef load(args):\n    cfg.all = vars(args)\n    cfg.all.update(size=1)\n", id="kept, then changed"
        ),
        pytest.param("\n\ndef load(args):\n    return vars(args)\n", id="the dict is returned"),
        pytest.param(
            "\n\ndef load(args):\n    put(vars(args))\n\n\ndef put(d):\n    d['size'] = 1\n", id="passed and changed"
        ),
        pytest.param(
            "\n\ndef load(args):\n    put(d=vars(args))\n\n\ndef put(d):\n    d.update(size=1)\n", id="by keyword"
        ),
        pytest.param("\n\ndef load(config):\n    config.size = 1\n", id="on whatever it is called with"),
        pytest.param("\n\ndef other(state, ds):\n    run(state, ds)\n", id="called with who knows what"),
        pytest.param("\n\nrunner = run\n", id="called by another name"),
    ],
)
def test_all_options_where_one_may_be_set_later(more: str) -> None:
    after, reasons = hoisted(SCRIPT + more)
    assert not reasons and PARTIAL not in after and "args" in after.partition("def run")[0]


@each_row(
    "parsed, one",
    [
        ("args.parse_args()", True),
        ("args.parse_args(['--size', '3'])", True),
        ("args.parse_args(args=['--size', '3'])", True),
        ("args.parse_args([], Settings())", False),  # an object that is no namespace may compute its attributes
        ("args.parse_args(namespace=Settings())", False),
        ("args.parse_args(**options)", False),
        ("args.parse_known_args()", False),
        ("Settings()", False),
        ("parse_args()", False),
    ],
)
def test_options_are_what_a_parser_gives(parsed: str, one: bool) -> None:
    after, _ = hoisted(SCRIPT.replace("args.parse_args()", parsed))
    assert (PARTIAL in after) == one
    after, _ = hoisted(SCRIPT.replace("args.parse_args()", parsed).replace("import argparse", "import other"))
    assert PARTIAL not in after


MODEL = """\
class Base:
    def __init__(self, length):
        self.length = length


class Net(Base):
    pass


def build(kind):
    if kind:
        return Net(3)
    return Base(4)


def collate_of(kind):
    return cut if kind else keep


def run(ds):
    model = build(True)
    collate = collate_of(True)
    ds.map(lambda rows: collate(rows, length=model.length))


def cut(rows, length):
    return rows[:length]


def keep(rows, length):
    return rows
"""
TAKEN = "ds.map(functools.partial(collate, length=model.length))"


def test_a_number_of_a_model_is_sent_instead_of_the_model() -> None:
    after, reasons = hoisted(MODEL)
    assert not reasons and TAKEN in after


@each_row(
    ("old", "new"),
    [
        pytest.param("model = build(True)", "model = next(ds)", id="of an unknown class"),
        pytest.param("return Base(4)", "return next(kind)", id="made by who knows what"),
        pytest.param(
            "        self.length = length\n", "        if length:\n            self.length = length\n", id="perhaps"
        ),
        pytest.param("    pass\n", "    def grow(self):\n        self.length += 1\n", id="changed by a method"),
        pytest.param("    pass\n", "    @property\n    def length(self):\n        return 1\n", id="computed"),
        pytest.param("def cut(", "def grow(model):\n    model.length = 9\n\n\ndef cut(", id="set from outside"),
        pytest.param("def cut(", "def grow(x, k):\n    setattr(x, k, 9)\n\n\ndef cut(", id="set by name"),
    ],
)
def test_the_object_itself_is_sent_where_its_attribute_may_change(old: str, new: str) -> None:
    after, reasons = hoisted(MODEL.replace(old, new))
    assert not reasons and TAKEN not in after and ", model)" in after


@each_row(
    ("returned", "same"),
    [("model, 1", True), ("1, model", False), ("load(), 1", False), ("Net(3), model", False)],
)
def test_a_function_that_returns_the_object_that_it_got_changes_no_variable(returned: str, same: bool) -> None:
    text = MODEL.replace("    collate = ", "    model, epoch = resume(model, 3)\n    collate = ")
    text += f"\n\ndef resume(model, path):\n    return {returned}\n"
    after, reasons = hoisted(text)
    assert not reasons and (TAKEN in after) is same


@each_row(
    ("call", "expected"),
    [
        ("collate(rows, length=3)", "functools.partial(collate, length=3)"),
        ("collate(rows, 3)", None),  # what its second parameter is called is not known
        ("collate(length=3, rows=rows)", None),
        ("collate(rows, rows, length=3)", None),
        ("collate(rows, **{})", None),
    ],
)
def test_keywords_are_added_to_a_local_function_whatever_it_is(call: str, expected: str | None) -> None:
    after, reasons = hoisted(MODEL.replace("collate(rows, length=model.length)", call))
    assert not reasons
    assert expected in after if expected else "ds.map(functools.partial(collate" not in after


@each_row(
    ("between", "partial"),
    [
        ("", True),
        ("import os\n\nLIMIT = 3\n\n\nclass A:\n    def b(self):\n        pass\n\n\n", True),
        ("run([])\n\n\n", False),
        ("LIMIT = limit()\n\n\n", False),
        ("@register(1)\ndef other():\n    pass\n\n\n", False),
        ("class A(make()):\n    pass\n\n\n", False),
    ],
)
def test_a_function_below_is_there_where_nothing_runs_in_between(between: str, partial: bool) -> None:
    text = f"def run(ds):\n    ds.map(lambda row: cut(row, 2))\n\n\n{between}def cut(row, end):\n    return row[:end]\n"
    after, reasons = hoisted(text)
    assert not reasons and ("functools.partial(cut, end=2)" in after) is partial


PARSE = """

def parse(parser, given):
    if given is not None:
        args = {first}
    else:
        args = parser.parse_args()
    return args
"""


@pytest.mark.parametrize(("first", "one"), [("parser.parse_args(given)", True), ("load(given)", False)])
def test_options_that_each_branch_parses(first: str, one: bool) -> None:
    text = SCRIPT.replace("args = parser\n", "args = parse(parser, None)\n").replace(
        "    args = args.parse_args()\n", ""
    )
    after, reasons = hoisted(text + PARSE.format(first=first))
    assert not reasons and (PARTIAL in after) is one
