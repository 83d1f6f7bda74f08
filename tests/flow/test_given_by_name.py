"""An attribute of a foreign object is the argument of that name, and none of the others that the object keeps."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

PROGRAM = """
from torch.utils.data import DataLoader, Dataset, Subset

class Scan:
    def __init__(self, key):
        self.key = key

    def __iter__(self):
        yield from sorted([[1], [0]], key=self.key)

class Rows(Dataset):
    def __init__(self, change):
        self.change = change

class Other:
    pass

def run(options):
    {body}
"""
BODIES = {
    "the data set without the order": """
    loader = DataLoader([1], batch_sampler=Scan(lambda at: -at[0]))
    DataLoader(loader.dataset, num_workers=2)
""",
    "the order without the data set": """
    loader = DataLoader(Rows(lambda x: x), batch_sampler=Scan(lambda at: -at[0]))  # proven
    DataLoader(loader.dataset, batch_sampler=loader.batch_sampler, num_workers=2)
""",
    "by position": """
    rows = Rows(lambda x: x)  # proven
    loader = DataLoader(rows, 4, False, Scan(lambda at: at))
    DataLoader(loader.dataset, sampler=loader.sampler, num_workers=2)
""",
    "the sampler is sent by itself": """
    loader = DataLoader([1], batch_sampler=Scan(lambda at: -at[0]))  # proven
    DataLoader(loader.batch_sampler, num_workers=2)
""",
    "what collates": """
    loader = DataLoader([1], collate_fn=lambda x: x, batch_sampler=Scan(lambda at: at))  # proven
    DataLoader([1], collate_fn=loader.collate_fn, num_workers=2)
""",
    "what was left out": """
    loader = DataLoader(Rows(lambda x: x))
    DataLoader([1], collate_fn=loader.collate_fn, num_workers=2)
""",
    "by a dict": """
    names = {
        "dataset": Rows(lambda x: x),  # proven
        "batch_sampler": Scan(lambda at: at),
    }
    loader = DataLoader(**names)
    DataLoader(loader.dataset, num_workers=2)
""",
    "by a tuple": """
    loader = DataLoader(*[Rows(lambda x: x), 4])  # proven
    DataLoader(loader.dataset, num_workers=2)
""",
    "stored later": """
    loader = DataLoader([1])
    loader.collate_fn = lambda x: x  # proven
    DataLoader([1], collate_fn=loader.collate_fn, num_workers=2)
""",
    "a part": """
    part = Subset(dataset=Rows(lambda x: x), indices=[0])  # proven
    DataLoader(part.dataset, num_workers=2)
""",
    "a part by position": """
    part = Subset(Rows(lambda x: x), [0])  # proven
    DataLoader(part.dataset, num_workers=2)
""",
}


@each_row("name", BODIES)
def test_the_argument_of_that_name(name: str) -> None:
    files = {"train.py": PROGRAM.format(body=BODIES[name].strip())}
    found = {each for each in crossing(files) if each[2] != "possible"}
    assert found == marked(files)
