"""Ordinary errors among the frames and words of processes: no cause is stated that has to do with processes.

What only passes an error on may be named (`raised-in-worker`), and a family may be asked about, never stated.
"""

from __future__ import annotations

import sys
from pathlib import Path

from codemods.diagnose.explain import unknown_error
from codemods.diagnose.tracebacks import read_log
from harness.each_row import each_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DATA = tomllib.loads(Path(__file__).with_name("ordinary_errors.toml").read_text("utf-8"))


def _text(case: dict[str, str]) -> str:
    if "text" in case:
        return case["text"]
    kind = case["error"].split(":")[0]
    return str(_DATA["templates"][case["template"]]).format(code=case["code"], error=case["error"], kind=kind)


CASES = {name: _text(case) for name, case in _DATA["cases"].items()}
ERRORS = {name: case["error"] for name, case in _DATA["cases"].items() if "error" in case}


@each_row("name", CASES)
def test_nothing_is_stated(name: str) -> None:
    text = CASES[name]
    log = read_log(text)
    for read in log.known:
        known = read.cause.known
        assert known is not None and (known.secondary or known.question or known.harmless), (known.family, read.error)
    if log.main is None:
        said = unknown_error(text, log)
        assert said.startswith(("no error", "the words of this error are not known"))
        assert "own line is missing" not in said


@each_row("name", ERRORS)
def test_the_error_itself_is_found(name: str) -> None:
    """As one that is not known, or as one that is asked about."""
    log = read_log(CASES[name])
    asked = [read.error for read in log.known if read.cause.known is not None and read.cause.known.question]
    assert ERRORS[name] in [*asked, *(item.error for item in log.unknown)]
