"""What is put into a dict that is kept in another one under a literal key, where nothing else in it is followed."""

from __future__ import annotations

from test_flow import crossings

from codemods.finding import Confidence
from harness.each_row import each_row

LOADER = """
from torch.utils.data import DataLoader
from installed import Options

ROWS, WORKERS = {"name"}, {"num_workers"}

class Rows:
    def __init__(self, name, transform=None):
        self.name, self.transform = name, transform

    def __getitem__(self, index):
        return self.transform(index)

class Data:
    def __init__(self, options):
        self.options = Options(options)

    def settings(self):
        given = self.options.given
        rows = {name: value for name, value in given.items() if name in ROWS}
        workers = {name: value for name, value in given.items() if name in WORKERS}
        return {"rows": rows, "loader": workers}

    def loader(self):
        settings = self.settings()
        settings[KEY]PUT
        return DataLoader(Rows(**settings["rows"]), **settings["loader"])

def main(options):
    for row in Data(options).loader():
        print(row)
"""


@each_row(
    ("key", "put", "found"),
    [
        ('"rows"', '.setdefault("transform", lambda x: 2 * x)', True),
        ('"rows"', '["transform"] = lambda x: 2 * x', True),
        ('"rows"', ".update(transform=lambda x: 2 * x)", True),
        ('"loader"', '.setdefault("sampler", lambda x: 2 * x)', False),
    ],
)
def test_a_dict_of_options_in_a_dict(key: str, put: str, found: bool) -> None:
    seen = crossings({"a.py": LOADER.replace("KEY", key).replace("PUT", put)})
    assert any(each.confidence is Confidence.PROVEN for each in seen) is found


@each_row(
    ("made", "put", "found"),
    [
        ("{}", '.setdefault("sampler", lambda x: 2 * x)', False),
        ('{"batch_size": 2}', '["sampler"] = lambda x: 2 * x', False),
        ("{name: value for name, value in given.items()}", '["sampler"] = lambda x: 2 * x', False),
        ("{name: value for name, value in given.items()}", '["collate_fn"] = lambda x: 2 * x', True),
        ("{}", "[given.name] = lambda x: 2 * x", True),
    ],
)
def test_what_an_unpacked_dict_holds_under_other_keys(made: str, put: str, found: bool) -> None:
    text = f"""
from torch.utils.data import DataLoader

def load(rows, given):
    options = {made}
    options{put}
    return DataLoader(rows, num_workers=2, **options)
"""
    assert any(each.confidence is Confidence.PROVEN for each in crossings({"a.py": text})) is found
