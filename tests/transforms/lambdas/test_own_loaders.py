"""Lambdas that a class derived from torch's DataLoader gets: it hands on what it never names."""

from __future__ import annotations

import pytest

from harness.small import migrated

LOADER = """from torch.utils.data import DataLoader


class Endless(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        {more}


def main(rows):
    for row in Endless(rows, num_workers=2, collate_fn=lambda batch: batch[0]):
        print(row)


if __name__ == "__main__":
    main([1, 2])
"""


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ("self.steps = 0", True),
        ("self.first = self.collate_fn(batch=[1])", False),
        ("self.first = kwargs['collate_fn'](batch=[1])", False),
        ("self.steps = 0\n\n\nclass Other:\n    def __init__(self, collate_fn):\n        collate_fn(batch=[1])", True),
    ],
)
def test_a_loader_hands_on_what_it_never_names(more: str, known: bool) -> None:
    after = migrated({"a.py": LOADER.format(more=more)}, "lambdas")["a.py"]
    assert ("collate_fn=operator.itemgetter(0)" in after) == known


def test_another_class_may_do_anything_with_it() -> None:
    text = LOADER.format(more="self.steps = 0").replace("(DataLoader):", ":")
    text = text.replace("super().__init__(*args, **kwargs)", "self.loader = DataLoader(*args, **kwargs)")
    assert "itemgetter" not in migrated({"a.py": text}, "lambdas").get("a.py", "")
