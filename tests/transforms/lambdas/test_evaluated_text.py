"""Texts of settings that `eval` makes lambdas of, with names of its own or those around it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import multiprocessing as mp

import yaml


def work(rows, keep):
    print([row for row in rows if keep(row)])


def main():
    longest = lambda row: len(row) > 3
    with open("filters.yaml") as file:
        filters = yaml.safe_load(file)
    keep = EVAL
    process = mp.Process(target=work, args=(["a", "bcde"], keep))
    process.start()
    process.join()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("evaluated", "text", "found"),
    [
        ("eval(filters['keep'])", "'lambda row: len(row) > 3'", True),
        ("eval(filters['keep'], {'len': len})", "'lambda row: len(row) > 3'", True),
        ("eval(filters['keep'], {}, {'len': len})", "'lambda row: len(row) > 3'", True),
        ("eval(filters['keep'])", "longest", True),
        ("eval(filters['keep'], {'longest': max})", "longest", False),  # it does not see the local one
        ("eval(filters['keep'], {'len': len})", "len", False),
    ],
)
def test_a_text_of_a_lambda(evaluated: str, text: str, found: bool) -> None:
    files = {"run.py": PROGRAM.replace("EVAL", evaluated), "filters.yaml": f"keep: {text}\n"}
    assert [each.span.line for each in reported(files, "lambdas")] == [14] * found
