"""One attribute of parsed options instead of all: only where nothing can set it after the function is created."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
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
    ],
)
def test_one_option_is_handed_over(more: str) -> None:
    after, reasons = hoisted(SCRIPT + more)
    assert not reasons and PARTIAL in after


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("\n\ndef resume(args):\n    args.size = 3\n", id="set elsewhere"),
        pytest.param("\n\ndef load(args, values):\n    for k in values:\n        setattr(args, k, 1)\n", id="by name"),
        pytest.param("\n\ndef load(args, values):\n    args.__dict__.update(values)\n", id="through the dict"),
        pytest.param("\n\ndef load(args, values):\n    vars(args).update(values)\n", id="through vars"),
        pytest.param("\n\ndef load(args):\n    options = vars(args)\n    options['size'] = 1\n", id="by another name"),
        pytest.param("\n\ndef other(state, ds):\n    run(state, ds)\n", id="called with who knows what"),
        pytest.param("\n\nrunner = run\n", id="called by another name"),
    ],
)
def test_all_options_where_one_may_be_set_later(more: str) -> None:
    after, reasons = hoisted(SCRIPT + more)
    assert not reasons and PARTIAL not in after and "args" in after.partition("def run")[0]


def test_an_object_that_is_no_namespace_may_compute_its_attributes() -> None:
    after, _ = hoisted(SCRIPT.replace("args.parse_args()", "Settings()"))
    assert PARTIAL not in after
    after, _ = hoisted(SCRIPT.replace("args.parse_args()", "args.parse_args(namespace=Settings())"))
    assert PARTIAL not in after
