"""Tables of pandas copy the elements of a view; other objects keep it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

RULE = "dict-views"
PROGRAM = """\
import pandas as pd
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, names):
        self.loc = {{}}
        self.frame = pd.DataFrame(names)
        table = pd.concat([pd.DataFrame(names)]).copy()
        mixed = pd.DataFrame(names) if names else self.loc
        plain = table.to_dict()
        {store}
        self.table, self.mixed, self.plain = table, mixed, plain

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    for row in DataLoader(Rows({{"a": [1], "b": [2]}}), num_workers=2):
        print(row)
"""


@each_row(
    "store",
    [
        "self.frame.columns = names.keys()",
        "self.frame.index = names.values()",
        "self.frame['a'] = names.values()",
        "self.frame.loc[0, ['a', 'b']] = names.values()",
        "table.columns = names.keys()",
        "table['a'] = names.values()",
        "table.iloc[0] = names.values()",
        "table[['a', 'b']].columns = names.keys()",
        "named = names.keys(); table.columns = named",
        "mixed.loc[0] = names.values()",  # nothing else has `loc`
        "self.frame.loc[names == 0, 'a'] = names.values()",
        "table = pd.read_csv('a.csv').drop('a'); table.columns = names.keys()",
        "table = pd.DataFrame({'a': names.keys(), 'b': [0, 1]})",
        "table = pd.DataFrame(names.items(), columns=names.keys())",
        "table = pd.Series(names.values())",
    ],
)
def test_a_table_takes_the_elements(store: str) -> None:
    assert reported({"run.py": PROGRAM.format(store=store)}, RULE) == []


SAME = """
    append assign astype copy drop drop_duplicates dropna explode fillna head join merge query reindex rename replace
    reset_index sample set_index sort_index sort_values tail
"""


def test_methods_that_give_a_table() -> None:
    """All in one program, for they cost no more there."""
    stores = "; ".join(f"table.{name}()['a'] = names.keys()" for name in SAME.split())
    assert reported({"run.py": PROGRAM.format(store=stores)}, RULE) == []
    for maker in ("DataFrame", "GeoDataFrame", "concat", "merge", "json_normalize"):
        text = PROGRAM.format(store=f"made = pd.{maker}(names); made['a'] = names.keys(); self.made = made")
        assert reported({"run.py": text}, RULE) == [], maker


@each_row(
    "store",
    [
        "self.frame.to_dict()['a'] = names.keys(); self.made = self.frame.to_dict(); self.made['a'] = names.keys()",
        "self.names = names.keys()",
        "self.loc['a'] = names.keys()",
        "self.frame.attrs['a'] = names.keys()",
        "table.attrs['a'] = names.keys()",
        "plain['a'] = names.keys()",
        "mixed['a'] = names.keys()",
        "table.at[0, 'a'] = names.keys()",
        "table.named = names.keys()",
        "table = pd.read_pickle('a'); table['a'] = names.keys()",
        "table = pd.DataFrame({'a': [names.keys()]})",
    ],
)
def test_others_keep_the_view(store: str) -> None:
    (finding,) = reported({"run.py": PROGRAM.format(store=store)}, RULE)
    assert finding.fix is not None


def test_a_list_in_one_cell_would_be_spread() -> None:
    (finding,) = reported({"run.py": PROGRAM.format(store="table.loc[0, 'a'] = names.keys()")}, RULE)
    assert finding.fix is None
    assert "spread" in (finding.reason or "")


def test_a_table_keeps_functions_in_its_cells() -> None:
    (finding,) = reported({"run.py": PROGRAM.format(store="table = pd.DataFrame({'a': [lambda: 0]})")}, "lambdas")
    assert finding.fix is not None
