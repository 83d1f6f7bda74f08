"""Texts of one long word, or of endless near-matches, are looked through once, not from each letter anew."""

from __future__ import annotations

import subprocess
import sys

import pytest

from codemods.transforms.dist_launcher.in_python import _starts_launcher
from codemods.transforms.main_guard.guard import splitter
from harness.case import ROOT
from harness.each_row import each_row

SIZE = 400_000
PUMPS = {
    "a handler that is none": ("splitter._LOG_SETUP.search", "a" * SIZE),
    "handlers that are none": ("splitter._LOG_SETUP.search", "FileHandler" * (SIZE // 11)),
    "a log of logs": ("splitter._LOGS.search", "log" * (SIZE // 3)),
    "a log of logs with dots": ("splitter._LOGS.search", "log.logs().infos " * (SIZE // 16)),
    "a name with a log at its end": ("splitter._LOGS.search", ("a" * 997 + "log") * (SIZE // 1000)),
    "flags without an end": ("_starts_launcher", "python " + "-m " * (SIZE // 3) + "torch.distributed.launch"),
    "pythons": ("_starts_launcher", "python" * (SIZE // 6) + " torch.distributed.launch"),
    "one line that sets attributes": ("search._LISTS.search", "self.a = 1;" * (SIZE // 11)),
    "calls of setattr": ("[*patching._patching(text)].count", "    setattr(owner, name, value)\n" * (SIZE // 30)),
    "blanks": ("_starts_launcher", "python" + " " * SIZE + "-m" + " " * SIZE + "x torch.distributed.launch"),
}
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # a quadratic pattern takes minutes
from codemods.transforms.dist_launcher.in_python import _starts_launcher
from codemods.transforms.main_guard.guard import splitter
from codemods.transforms.main_guard.state import patching
from codemods.transforms.unpicklable_attributes import search
from transforms.test_long_words import PUMPS
name, text = PUMPS[sys.argv[1]]
assert not eval(name)(text)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", PUMPS)
def test_a_long_word_is_read_once(name: str) -> None:
    pytest.importorskip("resource")
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests')!r}]\n{PROGRAM}"
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@each_row(
    ("text", "starts"),
    [
        ("python -m torch.distributed.launch train.py", True),
        ("  /usr/bin/python3 -u -W -m torch.distributed.launch --nproc 2 train.py", True),
        ("python -m torch.distributed.launcher train.py", False),
        ("python train.py -m torch.distributed.launch", False),
        ("echo -m torch.distributed.launch", False),
        ("see torch.distributed.launch", False),
        ("", False),
    ],
)
def test_commands(text: str, starts: bool) -> None:
    assert _starts_launcher(text) is starts


@each_row("text", ["logger.info('x')", "get_logger().warning(1)", "self.my_log.error(e)", "LOG.debug(1)"])
def test_what_writes_to_a_log(text: str) -> None:
    assert splitter._LOGS.search(text)
    assert not splitter._LOG_SETUP.search(text)


@pytest.mark.parametrize("text", ["logging.basicConfig()", "RotatingFileHandler('x')", "h = logging.FileHandler('x')"])
def test_what_sets_a_log_up(text: str) -> None:
    assert splitter._LOG_SETUP.search(text)
