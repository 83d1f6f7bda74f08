"""A pytest plugin: this machine, as near to Windows as Linux can be. `make portable` uses it.

In this process there are no fork, signals for groups, users, resource limits or file control; nobody may make symbolic
links; no bash is found; text that is read or written without naming its encoding is an error; and `operating_system`
takes its branches for Windows. Programs that tests start are not changed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
FUNCTIONS = ("chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getuid", "killpg", "lchown", "mkfifo",
             "sched_getaffinity", "setpgid", "setsid", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY")  # fmt: skip
SIGNALS = ("SIGALRM", "SIGHUP", "SIGXFSZ", "setitimer", "ITIMER_REAL")

NOT_HERE = (  # tests that make links, pipes or users themselves
    "test_no_git_rewrites_a_plain_folder",
    "test_commit_files_are_the_regular_blobs",
    "test_work_tree_files",
    "test_fifo_in_place_of_a_file_does_not_hang",
    "test_branch_has_one_commit_per_change_and_the_rest_is_untouched",
    "test_object_database_that_takes_nothing",
    "test_folder_that_is_a_link",
    "test_folder_that_the_user_replaced_by_a_link_stays_one",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out NOT_HERE."""
    left_out = [item for item in items if item.name.partition("[")[0] in NOT_HERE]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_configure(config: pytest.Config) -> None:
    """Take away what the other system lacks, after pytest itself has what it needs."""
    from codemods import operating_system

    if config.option.basetemp is None:  # pytest would ask for the user's number
        config.option.basetemp = tempfile.mkdtemp(prefix="spawnfix-tests-")
    operating_system.HERE = operating_system.System("nt", "win32")
    operating_system.apart = dict  # flags for new processes that only Windows takes
    operating_system._kernel32 = _Kernel
    ctypes.get_last_error = lambda: 87  # type: ignore[attr-defined]
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]
    for names, holder in ((FUNCTIONS, os), (SIGNALS, signal)):
        for name in names:
            if hasattr(holder, name):
                delattr(holder, name)
    os.symlink = _refused
    Path.symlink_to = _refused  # type: ignore[method-assign]
    which = shutil.which
    shutil.which = lambda name, *more, **most: None if str(name) == "bash" else which(name, *more, **most)  # type: ignore[assignment]
    config.addinivalue_line("filterwarnings", "error::EncodingWarning:codemods.*")
    if not sys.flags.warn_default_encoding:
        warnings.warn("start it with python -X warn_default_encoding", stacklevel=1)


class _Kernel:
    """What `operating_system` asks of kernel32.dll."""

    def OpenProcess(self, rights: int, inherit: bool, process: int) -> int:
        """A handle; 0 when there is no such process."""
        try:
            os.kill(process, 0)
        except OSError:
            return 0
        return 1

    def CloseHandle(self, handle: int) -> None:
        """Nothing to close."""


def _refused(*_: Any, **__: Any) -> None:
    raise OSError(1314, "A required privilege is not held by the client")
