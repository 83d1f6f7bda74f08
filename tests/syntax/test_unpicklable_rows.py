"""Every row of the tables of unpicklable things: an object that keeps one is found, and fixed as the row says.

One small program for each constructor and each alias, generated from the row.
"""

from __future__ import annotations

import functools
import re
import sys
from importlib import resources
from typing import Any

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence, Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLES: list[dict[str, Any]] = [
    tomllib.loads(resources.files("codemods.syntax").joinpath(name).read_text("utf-8"))
    for name in ("unpicklable.toml", "unpicklable_installed.toml")
]
KINDS = [kind for table in TABLES for kind in table["kind"]]
ALIASES = {alias: name for table in TABLES for alias, name in table["alias"].items()}
ROWS = [pytest.param(kind, name, id=name) for kind in KINDS for name in kind["constructors"]]
SETTINGS = Settings(select=("unpicklable-attributes",), confidence=Confidence.POSSIBLE)


def written(name: str, kind: dict[str, Any], mode: str | None = None) -> str:
    """An expression that makes one, as the table calls it: for reading, or in the `mode` that is asked for."""
    path = f"'data{kind['suffix']}'" if "suffix" in kind else "path"
    if name.endswith(").__iter__"):
        return f"iter({name.removesuffix('.__iter__').replace('()', '(path)')})"
    if name.startswith("functools."):
        return f"{name}(len)"
    inner = name.replace("()", "(path)", 1).replace("[]", "['part']")
    if kind.get("plain") or name.endswith("[]"):
        return inner
    arguments = [] if "(" in name or name.startswith(("threading.Condition", "logging.")) else [path]
    if mode is None and "mode" in kind and kind["mode"][2] not in kind["reads"]:
        mode = kind["reads"][0]
    if mode is not None:
        keyword = kind["mode"][1].partition("|")[0]
        arguments.append(f"{keyword}={mode if '.' in mode or mode in ('True', 'False', 'None') else repr(mode)}")
    return f"{inner}({', '.join(arguments)})"


def program(name: str, kind: dict[str, Any], mode: str | None = None, sent: str = "pickle.dumps(Kept('data'))") -> str:
    """A class that keeps one in line 6, and an object of it that is sent; `# more` and `# methods` mark places."""
    plain = re.split(r"\(\)|\[", name)[0]
    module = plain.rpartition(".")[0]
    if "." in module and module.rpartition(".")[2][:1].isupper():
        module = module.rpartition(".")[0]
    lines = [
        f"import {module}" if module else "",
        "import multiprocessing, pickle",
        "class Kept:",
        "    def __init__(self, path):",
        "        self.path = path",
        f"        self.x = {written(name, kind, mode)}",
        "        # more",
        "    # methods",
        sent,
        "",
    ]
    return "\n".join(lines)


def found(kind: dict[str, Any], source: str) -> list[Finding]:
    return _found(source, "before" in kind)  # only where the repository runs under such a Python


@functools.cache
def _found(source: str, old: bool) -> list[Finding]:
    """Several tests ask about the same program."""
    files = {"a.py": source.encode()}
    if old:
        files["setup.py"] = b"from setuptools import setup\nsetup(python_requires='>=3.6')\n"
    report = check(MemoryFiles(files), SETTINGS)
    assert not report.skipped
    return [finding for finding in report.findings if finding.path == "a.py"]


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_what_an_object_keeps_is_found(kind: dict[str, Any], name: str) -> None:
    sent = (
        "multiprocessing.Pool().apply(len, (Kept('data'),))" if kind.get("inherited") else "pickle.dumps(Kept('data'))"
    )
    [finding] = found(kind, program(name, kind, sent=sent))
    assert finding.span.line == 6
    assert finding.confidence is (Confidence.POSSIBLE if kind.get("later") else Confidence.PROVEN)
    assert f"is {kind['what']}" in finding.message
    assert kind["error"] in finding.message
    if "hidden" in kind:
        assert f"whose `{kind['hidden']}` can't be pickled" in finding.message


def test_objects_of_multiprocessing_may_be_inherited() -> None:
    """A process that is started with them gets them; a pool that is running does not."""
    sent = "multiprocessing.Process(target=len, args=(Kept('data'),)).start()"
    shared = [row.values for row in ROWS if row.values[0].get("inherited")]
    assert len(shared) >= 10
    for kind, name in shared:
        assert not found(kind, program(name, kind, sent=sent)), name


NOT_FIXED = {  # rows with a fix that these programs do not get, and why
    "torch.utils.data.DataLoader().__iter__": "may return another value the second time",  # the loader is not kept
}


@each_row(("kind", "name"), ROWS)
def test_what_is_done_about_it(kind: dict[str, Any], name: str) -> None:
    sent = (
        "multiprocessing.Pool().apply(len, (Kept('data'),))" if kind.get("inherited") else "pickle.dumps(Kept('data'))"
    )
    [finding] = found(kind, program(name, kind, sent=sent))
    if kind["remedy"] == "report":
        assert finding.fix is None and finding.reason is not None
        advice = kind["advice"] + (f": `{kind['line'].format('self.x')}`" if "line" in kind else "")
        assert finding.reason == advice
    elif name in NOT_FIXED:
        assert finding.reason is not None and NOT_FIXED[name] in finding.reason
    else:
        assert finding.fix is not None, finding.reason
        assert bool(finding.fix.unsafe) == (kind["remedy"] == "generator")
        text = "".join(edit.text for edit in finding.fix.edits)
        expected = {
            "recreate": [
                "__getstate__",
                "__setstate__",
                f"self.x = {written(name, kind).replace('path', 'self.path')}",
            ],
            "reopen": ["__getstate__", "__setstate__", "self.x = "],
            "named": ["logger = logging.getLogger("],
            "drop": ["__getstate__"],
            "generator": ["list("],
        }[kind["remedy"]]
        for part in expected:
            assert part in text, text
        assert ("__setstate__" in text) == (kind["remedy"] in ("recreate", "reopen"))


def _in_place(kind: dict[str, Any], name: str, early: str = "", method: str = "") -> Finding:
    """The finding where `early` runs in `__init__`, and `method` is the body of a method that workers call."""
    source = program(name, kind).replace("# more", early or "# more")
    if method:
        source = source.replace("    # methods", f"    def work(self):\n        return {method}")
    [finding] = [each for each in found(kind, source) if each.span.line == 6]
    return finding


def _fixed(*keys: str) -> list[Any]:
    """Rows that have a fix, and one of the methods that a key names."""
    return [
        pytest.param(kind, name, method, id=f"{name} {method}")
        for kind in KINDS
        if kind["remedy"] not in ("report", "generator")
        for name in kind["constructors"][:1]  # methods are those of the kind
        if name not in NOT_FIXED
        for key in keys
        for method in kind.get(key, ())
    ]


@pytest.mark.parametrize(("kind", "name", "method"), _fixed("stands"))
def test_what_was_put_into_it_is_not_lost(kind: dict[str, Any], name: str, method: str) -> None:
    finding = _in_place(kind, name, f"self.x.{method}(1)")
    if kind.get("carries"):
        assert finding.fix is not None and f"self.x.{kind['carries']}" in "".join(e.text for e in finding.fix.edits)
    elif method in kind.get("setup", ()):
        assert finding.fix is not None and f"self.x.{method}(1)" in "".join(edit.text for edit in finding.fix.edits)
    else:
        assert finding.reason is not None and f"(`{method}`)" in finding.reason


@pytest.mark.parametrize(("kind", "name", "method"), _fixed("setup"))
def test_how_it_was_set_up_is_repeated(kind: dict[str, Any], name: str, method: str) -> None:
    finding = _in_place(kind, name, f"self.x.{method}(1)")
    assert finding.fix is not None, finding.reason
    assert f"self.x.{method}(1)" in "".join(edit.text for edit in finding.fix.edits)


@pytest.mark.parametrize(
    ("kind", "name", "method"), [row for row in _fixed("moves") if row.values[2] not in row.values[0].get("seeks", ())]
)
def test_a_position_is_kept_or_refused(kind: dict[str, Any], name: str, method: str) -> None:
    finding = _in_place(kind, name, f"self.x.{method}(1)", f"self.x.{method}(1)")
    if kind.get("tell"):
        assert finding.fix is not None and ".tell()" in "".join(edit.text for edit in finding.fix.edits)
    else:
        assert finding.reason is not None and "line 9 goes on from that position" in finding.reason


@pytest.mark.parametrize(("kind", "name", "method"), _fixed("seeks"))
def test_a_position_that_is_set_first_does_not_matter(kind: dict[str, Any], name: str, method: str) -> None:
    finding = _in_place(kind, name, f"self.x.{method}(1)", f"self.x.{method}(1)")
    assert finding.fix is not None, finding.reason
    assert ".tell()" not in "".join(edit.text for edit in finding.fix.edits)


MODES = [pytest.param(kind, name, id=name) for kind in KINDS if "mode" in kind for name in kind["constructors"]]


@pytest.mark.parametrize(("kind", "name"), MODES)
def test_only_what_is_open_for_reading_is_opened_again(kind: dict[str, Any], name: str) -> None:
    for mode in kind["reads"]:
        [finding] = found(kind, program(name, kind, mode))
        assert finding.fix is not None, (mode, finding.reason)
    for mode in {"True", "False"} - {*kind["reads"]} if {"True", "False"} & {*kind["reads"]} else {"w", "a+", "x"}:
        [finding] = found(kind, program(name, kind, mode))
        assert finding.reason is not None and "open for writing" in finding.reason, mode


@pytest.mark.parametrize(
    ("kind", "name"), [row for row in ROWS if "is_open" in row.values[0] and row.values[0]["remedy"] == "reopen"]
)
def test_what_was_closed_stays_closed(kind: dict[str, Any], name: str) -> None:
    source = program(name, kind).replace("    # methods", "    def close(self):\n        self.x.close()")
    [finding] = found(kind, source)
    assert finding.fix is not None, finding.reason
    assert kind["is_open"].format("self.x") in "".join(edit.text for edit in finding.fix.edits)


@pytest.mark.parametrize("alias", ALIASES)
def test_another_name_for_the_same(alias: str) -> None:
    name = ALIASES[alias]
    while name in ALIASES:
        name = ALIASES[name]
    [kind, made] = next(
        (kind, made)
        for kind in KINDS
        for made in kind["constructors"]
        if made == name or made.startswith((f"{name}.", f"{name}(")) or name.startswith(f"{made}(")
    )
    if name.startswith(f"{made}("):  # what a method gives back
        alias, name = alias.removesuffix("()"), made
    other = made.replace(name, alias, 1)
    sent = (
        "multiprocessing.Pool().apply(len, (Kept('data'),))" if kind.get("inherited") else "pickle.dumps(Kept('data'))"
    )
    [finding] = found(kind, program(other, kind, sent=sent))
    assert finding.span.line == 6 and f"is {kind['what']}" in finding.message
