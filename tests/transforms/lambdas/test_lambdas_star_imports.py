"""lambdas: a function keeps its name at module level only where no star import can carry that name elsewhere."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated

RULE = "lambdas"
MODULE = """\
from torch.utils.data import DataLoader


def load(rows):
    def collate(batch):
        return batch

    return DataLoader(rows, num_workers=2, collate_fn=collate)
"""


@each_row(
    ("path", "others", "name"),
    [
        pytest.param("data.py", {}, "collate", id="alone"),
        pytest.param("data.py", {"a.py": "import data\n"}, "collate", id="imported by name"),
        pytest.param("data.py", {"a.py": "from other import *\n", "other.py": ""}, "collate", id="another star"),
        pytest.param("data.py", {"a.py": "from data import *\n"}, "_load_collate", id="star"),
        pytest.param("pkg/data.py", {"pkg/__init__.py": "from .data import *\n"}, "_load_collate", id="relative star"),
        pytest.param("pkg/data.py", {"a.py": "from pkg.data import *\n"}, "_load_collate", id="dotted star"),
        pytest.param("pkg/__init__.py", {"a.py": "from pkg import *\n"}, "_load_collate", id="star of a package"),
        pytest.param("data.py", {"a.py": "# from data import name\n"}, "collate", id="no star"),
    ],
)
def test_the_name_of_a_function_that_moves(path: str, others: dict[str, str], name: str) -> None:
    after = migrated({path: MODULE, **others}, RULE)[path]
    assert f"\ndef {name}(batch):\n" in after
    assert f"collate_fn={name})" in after


def test_a_module_that_imports_a_star_keeps_it_apart() -> None:
    after = migrated({"data.py": "from other import *\n" + MODULE, "other.py": "x = 1\n"}, RULE)["data.py"]
    assert "\ndef _load_collate(batch):\n" in after


@pytest.mark.parametrize(
    ("path", "others"),
    [
        pytest.param("data.py", {"other.py": "x = 1\n"}, id="imports a star"),
        pytest.param("data.py", {"other.py": "from data import *\n"}, id="is imported by one"),
    ],
)
def test_a_private_name_stays_out_of_star_imports(path: str, others: dict[str, str]) -> None:
    after = migrated(
        {
            path: "from other import *\n" + MODULE.replace("collate(", "_collate(").replace("=collate", "=_collate"),
            **others,
        },
        RULE,
    )[path]
    assert "\ndef _collate(batch):\n" in after and "num_workers=2, collate_fn=_collate)" in after


def test_a_private_name_that_the_file_gets_by_a_star() -> None:
    """`__all__` may list it: it is read at module level, so it is taken."""
    text = (
        "from other import *\n"
        + MODULE.replace("collate(", "_collate(").replace("=collate", "=_collate")
        + "\nprint(_collate)\n"
    )
    after = migrated({"data.py": text, "other.py": "__all__ = ['_collate']\n_collate = 1\n"}, RULE)["data.py"]
    assert "\ndef _collate(" not in after and "\nprint(_collate)\n" in after
