"""Which files do more with views than to loop over them: the others are not looked at."""

from __future__ import annotations

import ast

from codemods.flow.facts.collector import facts_of
from codemods.transforms.dict_views.screen_facts import uses_views
from harness.each_row import each_row


def used(text: str) -> bool:
    return uses_views(facts_of("a.py", ast.parse(text)))


@each_row(
    "text",
    [
        "class A:\n    def __init__(self, d):\n        self.k = d.keys()\n",
        "class A:\n    def __init__(self, d):\n        self.k = {}\n        self.k['a'] = d.keys()\n",
        "def f(d):\n    keys = d.keys()\n",
        "def f(d):\n    return d.values()\n",
        "def f(d):\n    yield d.values()\n",
        "def f(d):\n    return [d.items()]\n",
        "def f(d, x=dict(a=1).items()):\n    pass\n",
        "def f(d, g):\n    g(d.keys())\n",
        "def f(d, g):\n    g(k=d.keys())\n",
        "def f(d, o):\n    setattr(o, 'k', d.keys())\n",
        "def f(d, o):\n    o.k = d.keys() if d else None\n",
        "from collections import OrderedDict as O\n\ndef f(d, o):\n    o.k = O.keys(d)\n",
        "def list(x):\n    return x\n\n\ndef f(d):\n    list(d.keys())\n",  # another list
        "from them import *\n\ndef f(d):\n    list(d.keys())\n",
        "def f(d):\n    if (k := d.keys()):\n        pass\n",
    ],
)
def test_kept_passed_or_returned(text: str) -> None:
    assert used(text)


@each_row(
    "text",
    [
        "def f(d):\n    for k in d.keys():\n        print(k)\n",
        "def f(d):\n    return [k for k, v in d.items()]\n",
        "def f(d):\n    return sorted(d.values()), len(d.keys()), list(d.items())\n",
        "def f(d):\n    return 'a' in d.keys()\n",
        "def f(d):\n    d.keys()\n",
        "KEYS = [1]\n",
    ],
)
def test_looped_over(text: str) -> None:
    assert not used(text)
