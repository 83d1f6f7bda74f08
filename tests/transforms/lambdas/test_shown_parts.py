"""What shows a function from outside: the arguments of its partial, and the names in log records."""

from __future__ import annotations

import pytest

from harness.small import migrated, reported

PARTIALS = """\
import functools
import pickle


def build(base):
    def mix(weight, x):
        return weight * x + base

    return functools.partial(mix, 2)


halved = build(1)
pickle.dumps(halved)
print(halved(3), {shown})
"""
LOGGED = """\
import logging
import pickle

{setup}


def build(path):
    def load(index):
        {code}

    return load


pickle.dumps(build("data.bin"))
"""


@pytest.mark.parametrize("shown", ["len(halved.args)", "halved.args", "halved.func", "halved.keywords"])
def test_a_partial_whose_parts_are_read(shown: str) -> None:
    after = migrated({"a.py": PARTIALS.format(shown=shown)}, "lambdas")["a.py"]
    assert "functools.partial(mix, 2)" in after and "_BuildMix(base)" in after


@pytest.mark.parametrize("shown", ["halved.arguments", "''.args if base else 0", "base"])
def test_parts_of_something_else(shown: str) -> None:
    text = "base = ''\n" + PARTIALS.format(shown=shown)
    assert "mix = functools.partial(_build_mix, base)" in migrated({"a.py": text}, "lambdas")["a.py"]


FORMAT = 'logging.basicConfig(format="%(funcName)s: %(message)s")'


@pytest.mark.parametrize("code", ["logging.info(path, index)", "logging.getLogger().log(10, path)"])
def test_a_log_that_shows_the_name_of_its_function(code: str) -> None:
    (finding,) = reported({"a.py": LOGGED.format(setup=FORMAT, code=code)}, "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe == "line 9 writes to a log, which shows the name of the function (`funcName`, line 4)"


def test_the_format_stands_in_another_file() -> None:
    files = {"a.py": LOGGED.format(setup="", code="logging.info(path)"), "logs.py": f"import logging\n\n{FORMAT}\n"}
    (finding,) = reported(files, "lambdas")
    assert finding.fix is not None and "(`funcName`, logs.py:3)" in (finding.fix.unsafe or "")


@pytest.mark.parametrize(
    ("setup", "code"), [(FORMAT, "return path + index"), ("logging.basicConfig()", "logging.info(path)")]
)
def test_a_log_that_does_not(setup: str, code: str) -> None:
    assert "_build_load" in migrated({"a.py": LOGGED.format(setup=setup, code=code)}, "lambdas")["a.py"]
