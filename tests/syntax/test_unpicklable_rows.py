"""Every row of the tables of unpicklable things: an object that keeps one is found, and fixed as the row says.

One small program for each constructor and each alias, generated from the row; all of them are files of one repository,
for a check of each by itself takes twice as long.
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import replace
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


PROGRAMS: dict[bool, dict[str, str]] = {False: {}, True: {}}  # file by program; those for an old Python alone are apart
NUMBERED = re.compile(r"\b(Kept|x)_\d+\b")


def planned(kind: dict[str, Any], source: str) -> str:
    """`source`, which some test asks about."""
    files = PROGRAMS["before" in kind]  # only where the repository runs under such a Python
    files.setdefault(source, f"a{len(files)}.py")
    return source


def found(kind: dict[str, Any], source: str) -> list[Finding]:
    """What is found in a program that is planned."""
    old = "before" in kind
    return _found(old).get(PROGRAMS[old][source], [])


@functools.cache
def _found(old: bool) -> dict[str, list[Finding]]:
    """The findings of all programs by file. Classes and attributes have a number each, so that none is of two files."""
    files = {
        path: re.sub(r"\b(Kept|(?<=self\.)x)\b", rf"\1_{path[1:-3]}", source).encode()
        for source, path in PROGRAMS[old].items()
    }
    if old:
        files["setup.py"] = b"from setuptools import setup\nsetup(python_requires='>=3.6')\n"
    report = check(MemoryFiles(files), SETTINGS)
    assert not report.skipped
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_path.setdefault(finding.path, []).append(_without_number(finding))
    return by_path


def _without_number(finding: Finding) -> Finding:
    fix, reason = finding.fix, finding.reason
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, text=NUMBERED.sub(r"\1", edit.text)) for edit in fix.edits))
    else:
        reason = NUMBERED.sub(r"\1", reason or "")
    return replace(finding, message=NUMBERED.sub(r"\1", finding.message), fix=fix, reason=reason)


def sent(kind: dict[str, Any]) -> str:
    """The line that sends an object which keeps one."""
    if kind.get("at_start"):
        return "multiprocessing.Process(target=len, args=(Kept('data'),)).start()"
    return (
        "multiprocessing.Pool().apply(len, (Kept('data'),))" if kind.get("inherited") else "pickle.dumps(Kept('data'))"
    )


ROWS = [
    pytest.param(kind, name, planned(kind, program(name, kind, sent=sent(kind))), id=name)
    for kind in KINDS
    for name in kind["constructors"]
]


@each_row(("kind", "name", "source"), ROWS)
def test_what_an_object_keeps_is_found(kind: dict[str, Any], name: str, source: str) -> None:
    [finding] = found(kind, source)
    assert finding.span.line == 6
    assert finding.confidence is (Confidence.POSSIBLE if kind.get("later") else Confidence.PROVEN)
    assert f"is {kind['what']}" in finding.message
    assert kind.get("running", kind["error"]) in finding.message  # it is saved, by `pickle.dumps`
    if "hidden" in kind:
        assert f"whose `{kind['hidden']}` can't be pickled" in finding.message


STARTED = "multiprocessing.Process(target=len, args=(Kept('data'),)).start()"
INHERITED = [
    (kind, name, planned(kind, program(name, kind, sent=STARTED)))
    for kind in KINDS
    for name in kind["constructors"]
    if kind.get("inherited")
]


def test_objects_of_multiprocessing_may_be_inherited() -> None:
    """A process that is started with them gets them; a pool that is running does not."""
    assert len(INHERITED) >= 10
    for kind, name, source in INHERITED:
        assert not found(kind, source), name


NOT_FIXED = {  # rows with a fix that these programs do not get, and why
    "torch.utils.data.DataLoader().__iter__": "may return another value the second time",  # the loader is not kept
}


@each_row(("kind", "name", "source"), ROWS)
def test_what_is_done_about_it(kind: dict[str, Any], name: str, source: str) -> None:
    [finding] = found(kind, source)
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


def _in_place(kind: dict[str, Any], source: str) -> Finding:
    """The finding about what is kept."""
    [finding] = [each for each in found(kind, source) if each.span.line == 6]
    return finding


def _fixed(key: str, works: bool = False) -> list[Any]:
    """Rows that have a fix, and one of the methods that a key names, which runs in `__init__`.

    `works`: as well in a method that workers call.
    """

    def source(kind: dict[str, Any], name: str, method: str) -> str:
        call = f"self.x.{method}(1)"
        more = f"    def work(self):\n        return {call}" if works else "    # methods"
        return planned(kind, program(name, kind).replace("# more", call).replace("    # methods", more))

    return [
        pytest.param(kind, method, source(kind, name, method), id=f"{name} {method}")
        for kind in KINDS
        if kind["remedy"] not in ("report", "generator")
        for name in kind["constructors"][:1]  # methods are those of the kind
        if name not in NOT_FIXED
        for method in kind.get(key, ())
    ]


@each_row(("kind", "method", "source"), _fixed("stands"))
def test_what_was_put_into_it_is_not_lost(kind: dict[str, Any], method: str, source: str) -> None:
    finding = _in_place(kind, source)
    if kind.get("carries"):
        assert finding.fix is not None and f"self.x.{kind['carries']}" in "".join(e.text for e in finding.fix.edits)
    elif method in kind.get("setup", ()):
        assert finding.fix is not None and f"self.x.{method}(1)" in "".join(edit.text for edit in finding.fix.edits)
    else:
        assert finding.reason is not None and f"(`{method}`)" in finding.reason


@each_row(("kind", "method", "source"), _fixed("setup"))
def test_how_it_was_set_up_is_repeated(kind: dict[str, Any], method: str, source: str) -> None:
    finding = _in_place(kind, source)
    assert finding.fix is not None, finding.reason
    assert f"self.x.{method}(1)" in "".join(edit.text for edit in finding.fix.edits)


@each_row(
    ("kind", "method", "source"),
    [row for row in _fixed("moves", works=True) if row.values[1] not in row.values[0].get("seeks", ())],
)
def test_a_position_is_kept_or_refused(kind: dict[str, Any], method: str, source: str) -> None:
    finding = _in_place(kind, source)
    if kind.get("tell"):
        assert finding.fix is not None and ".tell()" in "".join(edit.text for edit in finding.fix.edits)
    else:
        assert finding.reason is not None and "line 9 goes on from that position" in finding.reason


@each_row(("kind", "method", "source"), _fixed("seeks", works=True))
def test_a_position_that_is_set_first_does_not_matter(kind: dict[str, Any], method: str, source: str) -> None:
    finding = _in_place(kind, source)
    assert finding.fix is not None, finding.reason
    assert ".tell()" not in "".join(edit.text for edit in finding.fix.edits)


def _others(kind: dict[str, Any]) -> list[str]:
    """Modes that are not for reading."""
    return sorted({"True", "False"} - {*kind["reads"]} if {"True", "False"} & {*kind["reads"]} else {"w", "a+", "x"})


MODES = [
    pytest.param(kind, mode in kind["reads"], planned(kind, program(name, kind, mode)), id=f"{name} {mode}")
    for kind in KINDS
    if "mode" in kind
    for name in kind["constructors"]
    for mode in (*kind["reads"], *_others(kind))
]


@each_row(("kind", "reads", "source"), MODES)
def test_only_what_is_open_for_reading_is_opened_again(kind: dict[str, Any], reads: bool, source: str) -> None:
    [finding] = found(kind, source)
    if reads:
        assert finding.fix is not None, finding.reason
    else:
        assert finding.reason is not None and "open for writing" in finding.reason


CLOSES = "    def close(self):\n        self.x.close()"


@each_row(
    ("kind", "source"),
    [
        pytest.param(kind, planned(kind, program(name, kind).replace("    # methods", CLOSES)), id=name)
        for kind in KINDS
        if "is_open" in kind and kind["remedy"] == "reopen"
        for name in kind["constructors"]
    ],
)
def test_what_was_closed_stays_closed(kind: dict[str, Any], source: str) -> None:
    [finding] = found(kind, source)
    assert finding.fix is not None, finding.reason
    assert kind["is_open"].format("self.x") in "".join(edit.text for edit in finding.fix.edits)


def _by_another_name(alias: str) -> tuple[dict[str, Any], str]:
    """The row that an alias is about, and a program with the alias."""
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
    return kind, planned(kind, program(made.replace(name, alias, 1), kind, sent=sent(kind)))


@each_row(("kind", "source"), [pytest.param(*_by_another_name(alias), id=alias) for alias in ALIASES])
def test_another_name_for_the_same(kind: dict[str, Any], source: str) -> None:
    [finding] = found(kind, source)
    assert finding.span.line == 6 and f"is {kind['what']}" in finding.message
