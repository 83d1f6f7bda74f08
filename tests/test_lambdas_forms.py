"""The less plain forms of the rule `lambdas`: names of the standard library, callable classes, local classes."""

from __future__ import annotations

from test_lambdas import hoisted


def test_a_builtin_only_where_nothing_is_passed() -> None:
    after, reasons = hoisted("""\
import dataclasses
from collections import defaultdict


def build(ds, rows):
    from typing import DefaultDict

    ds.rows = sorted(rows, key=lambda: 0)
    ds.kept = lambda: []
    ds.counts = defaultdict(lambda: 0)
    ds.places = DefaultDict(lambda: [])
    ds.field = dataclasses.field(default_factory=lambda: {})
""")
    assert not reasons
    assert after.endswith("""\
    ds.rows = sorted(rows, key=_build_key)
    ds.kept = _build_kept
    ds.counts = defaultdict(int)
    ds.places = DefaultDict(list)
    ds.field = dataclasses.field(default_factory=dict)
""")


def test_an_item_getter_only_where_the_project_does_not_call_it() -> None:
    after, reasons = hoisted(
        """\
from ours import keep


def build(ds):
    setattr(ds, "first", lambda x: x[0])
    keep(lambda x: x[1])
    ds.map(lambda x: x[2])
""",
        others={"ours.py": "def keep(fn):\n    return fn(x=[1, 2])\n"},
    )
    assert not reasons
    assert after.endswith("""\
    setattr(ds, "first", _build_first)
    keep(_build_keep)
    ds.map(operator.itemgetter(2))
""")
