"""Definitions under the main guard that workers need: which of them may move above it."""

from __future__ import annotations

import pytest

from harness.small import reasons

POOL = 'from multiprocessing import Pool\n\nif __name__ == "__main__":\n'
WORK = "    def work(x):\n        return x\n\n"
MAP = "    Pool(2).map(work, [1])\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(POOL + WORK + MAP + "\n    def work(x):\n        return -x\n", id="twice under the guard"),
        pytest.param(
            POOL
            + "    def twice(x):\n        return 2 * x\n\n    def work(x):\n        return twice(x)\n\n"
            + MAP
            + "\n\ndef twice(x):\n    return x + x\n",
            id="what it calls, below the guard as well",
        ),
    ],
)
def test_what_is_bound_twice_does_not_move(text: str) -> None:
    (reason,) = reasons({"a.py": text}, "main-guard")
    assert "is bound in other places as well" in reason


@pytest.mark.parametrize("change", ["Conf.rate = 2", "Conf.sizes['b'] = 4", "del Conf.rate", "shared.rate = 2"])
def test_an_attribute_that_workers_read_is_not_set_under_the_guard(change: str) -> None:
    text = (
        "import multiprocessing as mp\nimport shared\n\n\nclass Conf:\n    rate = 1\n    sizes = {}\n\n\n"
        "def work(n):\n    print(n, Conf.rate, Conf.sizes, shared.rate)\n\n\n"
        f"first = mp.Process(target=work, args=(1,))\nfirst.start()\n{change}\n"
        "second = mp.Process(target=work, args=(2,))\nsecond.start()\n"
    )
    (reason,) = reasons({"a.py": text, "shared.py": "rate = 1\n"}, "main-guard")
    assert "which a worker reads" in reason
