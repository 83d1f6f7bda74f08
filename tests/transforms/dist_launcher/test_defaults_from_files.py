"""dist-launcher: a `set_defaults(**options)` behind `--local_rank` may say another rank, LOCAL_RANK is said again."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "dist-launcher"
RUN = "torchrun --nproc_per_node=2 train.py\n"
SCRIPT = """\
import argparse

config_parser = argparse.ArgumentParser(add_help=False)
config_parser.add_argument("--config")
parser = argparse.ArgumentParser()
group = parser.add_argument_group("ranks")
group.add_argument("--local-rank", "--local_rank", type=int, default=0)


def parse_args():
    given, rest = config_parser.parse_known_args()
    if given.config:
        options = {"local_rank": int(given.config)}
        OVERWRITE
    return parser.parse_args(rest)


rank = parse_args().local_rank
print(rank)
"""
AGAIN = '        parser.set_defaults(local_rank=os.environ.get("LOCAL_RANK", parser.get_default("local_rank")))\n'


def output(monkeypatch: pytest.MonkeyPatch, script: str, *arguments: str, rank: str = "") -> object:
    """The rank that the script parses, with LOCAL_RANK where a launcher sets it."""
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    if rank:
        monkeypatch.setenv("LOCAL_RANK", rank)
    monkeypatch.setattr("sys.argv", ["train.py", *arguments])
    names: dict[str, object] = {}
    exec(script, names)
    return names["rank"]


def test_what_a_file_says_gives_way_to_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SCRIPT.replace("OVERWRITE", "parser.set_defaults(**options)")
    done = migrated({"run.sh": RUN, "train.py": text}, RULE)["train.py"]
    assert f"        parser.set_defaults(**options)\n{AGAIN}" in done
    assert output(monkeypatch, done, rank="3") == output(monkeypatch, done, "--config", "7", rank="3") == 3
    assert output(monkeypatch, done, "--config", "7") == output(monkeypatch, text, "--config", "7") == 7
    assert output(monkeypatch, done) == output(monkeypatch, text) == 0
    assert output(monkeypatch, done, "--config", "7", "--local-rank", "5", rank="3") == 5


@each_row(
    "overwrite",
    [
        "vars(parser).update(options)",
        "config_parser.set_defaults(**options)",
        "print(parser.set_defaults(**options))",
        "parser.set_defaults(**options); print(options)",
    ],
)
def test_what_else_overwrites_a_default_is_refused(overwrite: str) -> None:
    text = SCRIPT.replace("OVERWRITE", overwrite)
    [reason] = reasons({"run.sh": RUN, "train.py": text}, RULE)
    assert reason is not None and "can overwrite the default" in reason
