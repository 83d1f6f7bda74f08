"""Class methods of libraries that load an object: it is one of the class of the repository that inherits them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import diffusers
import lightning
import transformers
from torch.utils.data import DataLoader, Dataset


class Tower({base}):
    def __init__(self, config):
        super().__init__(config)
        self.read = lambda row: row + 1


class Rows(Dataset):
    def __init__(self, read):
        self.read = read

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return self.read(at)


tower = Tower.{method}("a")
for row in DataLoader(Rows(tower.read), num_workers=2):
    print(row)
"""


@each_row("base, method, found", [
    ("transformers.LlamaModel", "from_pretrained", True),
    ("transformers.PreTrainedModel", "_from_config", False),
    ("diffusers.ModelMixin", "from_config", True),
    ("lightning.LightningModule", "load_from_checkpoint", True),
    ("lightning.LightningModule", "from_pretrained", False),
    ("transformers.LlamaModel", "get_config_dict", False),
    ("object", "from_pretrained", False),
])  # fmt: skip
def test_what_a_class_loads_is_an_object_of_it(base: str, method: str, found: bool) -> None:
    findings = reported({"run.py": TEXT.format(base=base, method=method)}, "lambdas")
    assert [finding.span.line for finding in findings] == [10] * found
