"""Flow: what a loop over a dict gives: its keys, and not what is under them."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

WALKED = """\
from multiprocessing import Pool


def work(item):
    return item


TABLE = {{"a": lambda x: x, "b": lambda x: 2 * x}}
OTHER = {{}}
OTHER["c"] = lambda x: 3 * x


def keys_of(table):
    return [key for key in table]


if __name__ == "__main__":
    found = []
    {walk}
    Pool(2).map(work, found)
"""


@each_row(
    ("walk", "lines"),
    [
        pytest.param("found = [(n, 1) for n in TABLE]", [], id="a comprehension"),
        pytest.param("found = [n for n in OTHER]", [], id="a dict that is filled"),
        pytest.param("found = keys_of(TABLE)", [], id="a parameter"),
        pytest.param("for n in TABLE: found.append(n)", [], id="a loop"),
        pytest.param("found = [TABLE[n] for n in TABLE]", [8, 8], id="what is under the keys"),
        pytest.param("found = [OTHER[n] for n in OTHER]", [10], id="of a dict that is filled"),
        pytest.param("found = [f for f in TABLE.values()]", [8, 8], id="the values"),
        pytest.param("found = [f for n, f in TABLE.items()]", [8, 8], id="the items"),
        pytest.param("for n in TABLE: found.append(TABLE.get(n))", [8, 8], id="looked up in a loop"),
        pytest.param("found = [n for n in {lambda x: x: 1}]", [19], id="functions as keys"),
        pytest.param("found = [n for n, _ in {lambda x: x: 1}.items()]", [19], id="keys among items"),
        pytest.param("OTHER[lambda x: x] = 1; found = [n for n, _ in OTHER.items()]", [19], id="keys of a filled dict"),
        pytest.param("found = [n for n in [lambda x: x]]", [19], id="a list"),
    ],
)
def test_a_loop_over_a_dict_gives_its_keys(walk: str, lines: list[int]) -> None:
    findings = reported({"a.py": WALKED.format(walk=walk)}, "lambdas")
    assert [each.span.line for each in findings] == lines
