"""`{key: given[key] for key in ("path", "log")}` takes these keys and no others."""

from __future__ import annotations

import pytest

from harness.small import reported

PROGRAM = """\
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, clean, log):
        given = {given}
        self.options = {taken}

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


print(list(DataLoader(Rows("a", lambda x: x, 3), num_workers=1)))
"""
GIVEN = ["locals()", "{'path': path, 'clean': clean, 'log': log}"]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    ("taken", "found"),
    [
        ("{key: given[key] for key in ('path', 'log')}", False),
        ("[given[key] for key in ['path', 'log']]", False),
        ("{key: given[key] for key in ('path', 'clean')}", True),
        ("{key: given[key] for key in ('path', log)}", True),
        ("{key: given[key] for key in path}", True),
        ("[[given[key] for key in path] for key in ('path', 'log')]", True),
        ("[given[key] for key, _ in ('path', 'log')]", True),
        ("[given[key] for row in path for key in ('path', 'log')]", False),
    ],
)
def test_only_the_keys_that_are_written(given: str, taken: str, found: bool) -> None:
    program = PROGRAM.format(given=given, taken=taken)
    assert bool(reported({"main.py": program}, "lambdas")) is found
