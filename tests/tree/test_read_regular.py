"""What is read from a folder: regular files of a bounded size, and errors that name the file."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from codemods.tree.guarded import read_regular


def test_a_file_that_is_too_large_is_named(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_bytes(b"x" * 11)
    with pytest.raises(OSError) as raised:
        read_regular(tmp_path, "big.py", most=10)
    assert (raised.value.errno, raised.value.strerror) == (errno.EFBIG, "larger than 10 bytes")
    assert raised.value.filename == "big.py"


def test_a_file_of_just_that_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 10)
    assert read_regular(tmp_path, "a.py", most=10) == b"x" * 10
