"""Keys that are taken out of a dict before it is handed on to a function, or to the constructor of a base class."""

from __future__ import annotations

import pytest

from harness.marks import crossing, marked

BASE = """
from torch.utils.data import DataLoader, Dataset

class Base(Dataset):
    def __init__(self, root, fix=None, **more):
        self.root, self.fix, self.more = root, fix, more

class Middle(Base):
    def __init__(self, root, **options):
        super().__init__(root, **options)

class Sub({base}):
    def __init__(self, **kwargs):
        {before}
        super().__init__(**kwargs)

def main(root):
    return DataLoader(Sub(root=root, fix=lambda x: x, other=lambda x: x), num_workers=2)  # proven
"""


def told(before: str, base: str = "Base") -> set[str]:
    """The names of the lambdas that are seen to cross: they stand on one line."""
    text = BASE.format(before=before, base=base).replace(", other=", ",\n        other=")
    found = crossing({"data.py": text})
    lines = text.lstrip("\n").splitlines()
    return {lines[line - 1].split("=lambda")[0].rpartition(" ")[2] for _, line, sure in found if sure == "proven"}


@pytest.mark.parametrize("base", ["Base", "Middle"])
@pytest.mark.parametrize(
    ("before", "names"),
    [
        ("pass", {"fix", "other"}),
        ("self.made = kwargs.pop('fix')(1)", {"other"}),
        ("self.made = kwargs['fix'](1); del kwargs['fix']", {"other"}),
        ("kwargs.pop('fix', None); kwargs.pop('other')", set()),
        ("if kwargs: kwargs.pop('fix')", {"fix", "other"}),
        ("if 'fix' in kwargs: del kwargs['fix']", {"other"}),
        ("if 'fix' in kwargs: del kwargs['other']", {"fix", "other"}),
        ("if 'fix' not in kwargs: kwargs.pop('fix')", {"fix", "other"}),
        ("if 'fix' in kwargs: del kwargs['fix']; kwargs['fix'] = str", {"fix", "other"}),
        ("del kwargs['fix']; kwargs['fix'] = print", {"fix", "other"}),
        ("del kwargs['fix']; kwargs.update(root=1)", {"fix", "other"}),
        ("del kwargs['fix']; kwargs = dict(kwargs)", {"fix", "other"}),
        ("kwargs.pop(str(1))", {"fix", "other"}),
        ("kwargs.get('fix')", {"fix", "other"}),
        ("self.kept = kwargs.pop('fix')", {"fix", "other"}),
    ],
)
def test_what_is_taken_out_is_not_handed_on(before: str, names: set[str], base: str) -> None:
    assert told(before, base) == names


def test_a_call_in_the_same_branch() -> None:
    text = """
    from torch.utils.data import DataLoader

    def loader(rows, **options):
        if options:
            options.pop("collate_fn")
            return DataLoader(rows, num_workers=2, **options)
        return DataLoader(rows, num_workers=2, **options)

    def plain(rows, **options):
        options.pop("collate_fn")
        return DataLoader(rows, num_workers=2, **options)

    loader([1], collate_fn=lambda rows: rows)  # proven
    plain([1], collate_fn=lambda rows: rows)
    plain([1], worker_init_fn=lambda rank: None)  # proven
    """
    assert crossing({"data.py": text}) == marked({"data.py": text})
