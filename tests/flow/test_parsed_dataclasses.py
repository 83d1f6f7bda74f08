"""The parser of transformers gives objects of its dataclasses: what is put on one of them later goes where it goes."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from dataclasses import dataclass

from torch.utils.data import Dataset
from transformers import HfArgumentParser, Trainer, TrainingArguments


@dataclass
class DataOptions:
    path: str = "a"


@dataclass
class ModelOptions:
    name: str = "b"


class Processor:
    def __init__(self):
        self.scale = lambda row: row / 255


class Rows(Dataset):
    def __init__(self, options):
        self.options = options

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return self.options.processor.scale(at)


def main():
    {parse}
    {store}.processor = Processor()
    trainer = Trainer(train_dataset=Rows(data))
    trainer.train()


main()
"""
SEVERAL = "parser = HfArgumentParser(({}))\n    {} = parser.parse_args_into_dataclasses()"


@each_row("parse, store, keeper", [
    (SEVERAL.format("DataOptions, TrainingArguments", "data, training"), "data", "DataOptions"),
    (SEVERAL.format("DataOptions,", "[data]"), "data", "DataOptions"),
    ('data = HfArgumentParser(DataOptions).parse_json_file("a.json")[0]', "data", "DataOptions"),
    ("data, = HfArgumentParser(dataclass_types=[DataOptions]).parse_dict({})", "data", "DataOptions"),
    (SEVERAL.format("ModelOptions, DataOptions", "model, data"), "data", "DataOptions"),
    (SEVERAL.format("ModelOptions, DataOptions", "model, data"), "model", ""),
    (SEVERAL.format("ModelOptions,", "model,") + "\n    data = DataOptions()", "model", ""),
    ("data, = HfArgumentParser(DataOptions).parse_known_args()", "data", ""),
])  # fmt: skip
def test_what_is_put_on_parsed_options(parse: str, store: str, keeper: str) -> None:
    findings = reported({"run.py": TEXT.format(parse=parse, store=store)}, "lambdas")
    assert [finding.span.line for finding in findings] == [19] * bool(keeper)
    whats = [hop.what for finding in findings for hop in finding.trace]
    assert (f"stored as `processor` on `{keeper}`" in whats) == bool(keeper)
