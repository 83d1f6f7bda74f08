"""dict-views: a program that imports managers sends views as lists, so that nothing is sure to stop."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "dict-views"
PROGRAM = """\
import multiprocessing
import pickle
{imports}

class Names:
    def __init__(self, table: dict):
        self.names = table.keys()


if __name__ == "__main__":
    {send}
"""
PROCESS = "multiprocessing.Process(target=print, args=(Names({'a': 1}),)).start()"
DUMPED = "pickle.dumps(Names({'a': 1}))"


@each_row(
    ("imports", "send", "confidence"),
    [
        pytest.param("", PROCESS, "proven", id="none"),
        pytest.param("import multiprocessing.managers", PROCESS, "likely", id="imported"),
        pytest.param("from multiprocessing import managers", PROCESS, "likely", id="from the package"),
        pytest.param("from multiprocessing.managers import BaseManager", PROCESS, "likely", id="a class of it"),
        pytest.param("kept = multiprocessing.Manager()", PROCESS, "likely", id="one is made"),
        pytest.param("import multiprocessing.pool", PROCESS, "proven", id="another part"),
        pytest.param("import multiprocessing.managers", DUMPED, "proven", id="plain pickle"),
    ],
)
def test_managers_send_views_as_lists(imports: str, send: str, confidence: str) -> None:
    files = {"a.py": PROGRAM.format(imports=imports, send=send)}
    (finding,) = reported(files, RULE)
    assert finding.confidence.value == confidence
    assert any("gets a view as a list" in hop.what for hop in finding.trace) is (confidence == "likely")
    assert "pickle" in finding.trace[-1].what
    assert "self.names = list(table.keys())" in migrated(files, RULE)["a.py"]


@pytest.mark.slow
@pytest.mark.parametrize(("imports", "sent"), [("", False), ("import multiprocessing.managers", True)])
def test_python_does_that(imports: str, sent: bool) -> None:
    code = f"{imports}\nfrom multiprocessing.reduction import ForkingPickler\nForkingPickler.dumps({{}}.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is sent, done.stderr
    with pytest.raises(TypeError):
        pickle.dumps({}.keys())
