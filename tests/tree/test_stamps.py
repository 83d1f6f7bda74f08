"""The stamps of files on disk: equal while nothing changed, and none for what lies behind a link."""

from __future__ import annotations

import os
from pathlib import Path

from codemods.tree.stamps import ABSENT, RACY, DiskStamps, settled


def test_a_stamp_shows_each_change(tmp_path: Path) -> None:
    file = tmp_path / "pkg/sub/a.py"
    file.parent.mkdir(parents=True)
    file.write_text("x = 1\n")
    first = DiskStamps(str(tmp_path))("pkg/sub/a.py")
    assert first is not None and first == DiskStamps(str(tmp_path))("pkg/sub/a.py")
    for change in (
        lambda: os.utime(file, ns=(1, 1)),
        lambda: file.chmod(0o755),
        lambda: (file.rename(tmp_path / "old"), file.write_text("x = 1\n"), os.utime(file, ns=(1, 1))),
        lambda: file.write_text("x = 12\n"),
    ):
        change()
        now = DiskStamps(str(tmp_path))("pkg/sub/a.py")
        assert now is not None and now != first
        first = now


def test_what_is_no_file_or_behind_a_link_has_none(tmp_path: Path) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "real/sub/a.py").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real/b.py").symlink_to(tmp_path / "real/sub/a.py")
    stamp = DiskStamps(str(tmp_path))
    assert stamp("real/sub/a.py") is not None
    assert stamp("link/sub/a.py") is None  # `sub` is a folder of its own, `link` is not
    assert stamp("link/none.py") is None
    assert stamp("real/b.py") is None and stamp("real/sub") is None
    assert stamp("real/none.py") == stamp("none/none.py") == ABSENT
    assert stamp("real/sub/a.py/b.py") is None


def test_what_was_touched_just_now_may_change_unseen() -> None:
    stamp = (1, 100, 200, 3, 4, 5, 6)
    assert settled(stamp, 200 + RACY + 1) and not settled(stamp, 200 + RACY) and not settled(stamp, 100 + RACY + 1)
    assert settled(ABSENT, 0)
