"""Lines on which a careless pattern takes time by the square or the cube of their length.

No clock is asked: with such a pattern these tests would not end.
"""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms import rules
from codemods.transforms.dist_launcher.torch_version import named_versions
from codemods.tree.files import MemoryFiles

LAUNCH = "python -m torch.distributed.launch train.py"
LINES = {
    "a list item of blanks": ("jobs.yml", f"command:\n- a{chr(9) * 400_000}x\n- {LAUNCH}\n"),
    "a quotation in a quotation": ("README.md", f"```python\n{'>' * 400_000}\n{LAUNCH}\n```\n"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_long_line_costs_no_more_than_its_length(name: str) -> None:
    path, text = LINES[name]
    project = Project(MemoryFiles({path: text.encode(), "train.py": b"x = 1\n"}))
    found = list(rules()["dist-launcher"].find(project))
    assert all(finding.path == path for finding in found)


def test_a_version_that_never_comes_costs_no_more_than_its_length() -> None:
    text = f"requires pytorch{'_' * 400_000}\nrequires PyTorch 1.7\n"
    found = named_versions(Project(MemoryFiles({"README.md": text.encode()})))
    assert [(named.line, named.oldest) for named in found] == [(2, (1, 7))]
