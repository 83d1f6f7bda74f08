"""What a class keeps under literal keys: told apart by the key, and looked at once for all of them."""

from __future__ import annotations

import pytest
from test_flow import crossings

from codemods.finding import Confidence
from codemods.flow.solve import keyed_methods

CONFIG = """
from multiprocessing import Pool

class Config:
    def __init__(self):
        self.values = {{}}

    def __setitem__(self, key, value):
        self.values[key] = value

    def __getitem__(self, key):
        return self.values[key]

def main():
    config = Config()
    config["a"] = lambda x: x
    config["b"] = 3
    config["c"] = 4
    with Pool(2) as pool:
        print([pool.apply(print, (value,)) for value in ({sent})])

main()
"""


@pytest.mark.parametrize(
    ("sent", "confidence"),
    [("config['b'], config['c']", Confidence.POSSIBLE), ("config['c'], config['a']", Confidence.PROVEN)],
)
def test_keys_of_an_own_class(sent: str, confidence: Confidence) -> None:
    (found,) = crossings({"a.py": CONFIG.format(sent=sent)})
    assert found.confidence is confidence


def test_a_file_is_looked_through_once_for_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    sources, used = keyed_methods._sources, keyed_methods._used
    monkeypatch.setattr(keyed_methods, "_sources", lambda edges: looked.append("sources") or sources(edges))
    monkeypatch.setattr(keyed_methods, "_used", lambda *asked: looked.append("used") or used(*asked))
    crossings({"a.py": CONFIG.format(sent="config['a'], config['b'], config['c']")})
    assert sorted(looked) == ["sources", "used"]
