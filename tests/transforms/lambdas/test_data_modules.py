"""lambdas: a data module keeps its trainer, so that its functions get what they read of it, and not the module."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

TEXT = """\
from functools import partial

import lightning
from torch.utils.data import DataLoader


class Data({base}):
    def __init__(self, prior=False):
        super().__init__()
        {init}

    def train_dataloader(self):
        return DataLoader(range(4), num_workers=2, collate_fn=lambda rows: rows if {read} else [])


for batch in Data().train_dataloader():
    print(batch)
"""
_PARTIAL = "partial(_train_dataloader_collate_fn, {})"
SAVES = "self.save_hyperparameters()"


@each_row("base, init, read, expected", [
    ("lightning.LightningDataModule", "self.prior = prior", "self.prior", _PARTIAL.format("self.prior")),
    ("lightning.LightningModule", "self.prior = prior", "self.prior", _PARTIAL.format("self.prior")),
    ("object", "self.prior = prior", "self.prior", "self._train_dataloader_collate_fn"),
    ("lightning.LightningDataModule", SAVES, "self.hparams.prior", _PARTIAL.format("self.hparams")),
])  # fmt: skip
def test_a_function_of_a_data_module(base: str, init: str, read: str, expected: str) -> None:
    changed = migrated({"train.py": TEXT.format(base=base, init=init, read=read)}, "lambdas")["train.py"]
    assert f"num_workers=2, collate_fn={expected})" in changed


@each_row("init, read, says", [
    ("self.prior = prior", "self.trainer", "is not a plain attribute set in `__init__`"),
    ("if prior:\n            self.save_hyperparameters()", "self.hparams.prior", "is not a plain attribute"),
    ("self.save_hyperparameters", "self.hparams.prior", "is not a plain attribute"),
    (SAVES, "self.options.prior", "is not a plain attribute"),
])  # fmt: skip
def test_what_is_not_known_to_stay_is_not_handed_over(init: str, read: str, says: str) -> None:
    text = TEXT.format(base="lightning.LightningDataModule", init=init, read=read)
    [reason] = reasons({"train.py": text}, "lambdas")
    assert reason.startswith("a method would carry the whole `self` along, which is a data module with its trainer")
    assert says in reason
