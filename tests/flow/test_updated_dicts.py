"""`d.update(other)`: what `other` holds under a key is in `d` under that key."""

from __future__ import annotations

from codemods.flow.solve.hierarchy import BAGS
from harness.each_row import each_row
from harness.marks import crossing, marked

RUN = """
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, steps, name=""):
        self.steps = steps

def more(**rest):
    return rest

options, own = {{"num_workers": 2}}, {{}}
{fill}
for batch in DataLoader(Rows(1), **options):
    print(batch)
"""


@each_row(
    "fill",
    [
        "own['log'] = lambda x: x\noptions.update(own)",  # no argument of a loader
        "own['log'] = lambda x: x\noptions.update(**own)",
        "options.update({'log': lambda x: x})",
        "options.update(log=lambda x: x)",
        "options.update(more(log=lambda x: x))",
        "own['collate_fn'] = lambda x: x  # proven\noptions.update(own)",
        "options.update({'collate_fn': lambda x: x})  # proven",
        "options.update(more(collate_fn=lambda x: x))  # proven",
        "options.update(own)\nown['collate_fn'] = lambda x: x  # proven",
        "own[name] = lambda x: x  # proven\noptions.update(own)",
    ],
)
def test_the_keys_are_kept(fill: str) -> None:
    program = {"run.py": RUN.format(fill=fill)}
    assert crossing(program) == marked(program)


OF_A_CLASS = """
import argparse, collections, types, addict, easydict, unknown
from torch.utils.data import DataLoader

class Options({kind}):
    pass

options = Options()
options.update(step=lambda row: row){found}
print(*DataLoader([options["step"]], num_workers=2))
"""


@each_row("kind, found", [*((kind, "  # proven") for kind in sorted(BAGS)), ("unknown.Dict", "")])
def test_classes_of_this_kind_hold_what_they_are_given(kind: str, found: str) -> None:
    files = {"a.py": OF_A_CLASS.format(kind=kind, found=found)}
    assert crossing(files) == marked(files)
