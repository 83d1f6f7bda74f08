"""names.toml is loaded and checked."""

from __future__ import annotations

import pytest

from codemods.launch.names import names
from harness.each_row import each_row


@each_row(
    ("table", "member", "other"),
    [
        ("local_rank", "LOCAL_RANK", "RANK"),
        ("world", "WORLD_SIZE", "LOCAL_RANK"),
        ("joins_group", "init_process_group", "destroy_process_group"),
        ("shell_text", "echo", "python"),
    ],
)
def test_tables(table: str, member: str, other: str) -> None:
    assert member in names(table) and other not in names(table)


def test_unknown_table() -> None:
    with pytest.raises(KeyError):
        names("no_such_table")
