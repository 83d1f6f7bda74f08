"""`explain PATH:LINE`: what of the line crosses."""

from __future__ import annotations

from pathlib import Path

from harness.tool import spawnfix


def test_a_line_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("from multiprocessing import Process\n\nProcess(target=lambda: 1).start()\n", encoding="utf-8")
    done = spawnfix("explain", f"{path}:3", cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    assert "lambda" in done.stdout and "Process" in done.stdout
