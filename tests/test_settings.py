"""`[tool.spawnfix]`, flags over it, and globs."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.globs import glob_pattern
from codemods.problem import Problem
from codemods.settings import Settings, read_settings, with_flags
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

RULES = ("dict-views", "dist-launcher", "lambdas")


def read(text: str) -> Settings:
    return read_settings(MemoryFiles({"pyproject.toml": text.encode()}), RULES)


def test_everything_that_can_be_set() -> None:
    settings = read(
        """
        [tool.spawnfix]
        select = ["lambdas", "dict-views"]
        ignore = ["dict-views"]
        exclude = ["legacy/**"]
        confidence = "proven"
        unsafe-fixes = true
        launcher = "torchrun"
        per-file-ignores = { "scripts/*.py" = ["lambdas"] }
        [[tool.spawnfix.boundaries]]
        callable = "ours.submit"
        pickles = ["job"]
        always = true
        says = "keeps it"
        """
    )
    assert settings == Settings(
        select=("lambdas", "dict-views"),
        ignore=("dict-views",),
        exclude=("legacy/**",),
        confidence=Confidence.PROVEN,
        unsafe_fixes=True,
        launcher="torchrun",
        per_file_ignores=(("scripts/*.py", ("lambdas",)),),
        boundaries=({"callable": "ours.submit", "pickles": ["job"], "always": True, "says": "keeps it"},),
    )
    assert settings.ignored_rules("scripts/a.py") == {"lambdas"}
    assert settings.ignored_rules("scripts/deep/a.py") == frozenset()


@each_row(
    "files",
    [
        pytest.param({}, id="no pyproject"),
        pytest.param({"pyproject.toml": b"[tool.ruff]\n"}, id="says nothing of us"),
        pytest.param({"pyproject.toml": b"<<<<<<< broken"}, id="broken, but not about us"),
        pytest.param({"pyproject.toml": b"\xef\xbb\xbf# spawnfix\r\n[tool]\r\n"}, id="BOM and CRLF"),
    ],
)
def test_defaults(files: dict[str, bytes]) -> None:
    assert read_settings(MemoryFiles(files), RULES) == Settings()


@each_row(
    ("text", "message"),
    [
        ("selct = []", r"unknown key 'selct' in \[tool\.spawnfix\] \(did you mean 'select'\?\)"),
        ("unsafe_fixes = true", "did you mean 'unsafe-fixes'"),
        ("zzz = 1", r"\(known: boundaries, confidence,"),
        ('select = "lambdas"', "select must be a list of strings, not 'lambdas'"),
        ("select = [1]", "select must be a list of strings"),
        ('ignore = ["lambda"]', r"ignore: no rule called 'lambda' \(did you mean 'lambdas'\?\)"),
        ('ignore = ["dict_views"]', "did you mean 'dict-views'"),
        ("exclude = [1]", "exclude must be a list of strings"),
        ('exclude = [""]', "an empty glob"),
        ('exclude = ["[z-a]"]', "is no glob"),
        ("per-file-ignores = []", "per-file-ignores must be a table"),
        ('per-file-ignores = { "a" = "lambdas" }', "must be a list of strings"),
        ('per-file-ignores = { "a" = ["x"] }', "no rule called 'x'"),
        ('confidence = "sure"', "confidence must be one of possible, likely, proven, not 'sure'"),
        ("confidence = []", "confidence must be one of"),
        ('unsafe-fixes = "yes"', "must be true or false"),
        ("unsafe-fixes = 1", "must be true or false"),
        ('launcher = "srun"', "launcher must be one of auto, torchrun, python"),
        ("boundaries = {}", "must be a list of tables"),
        ('boundaries = [{ pickles = ["x"] }]', "entry 1 names no callable"),
        ('boundaries = [{ callabel = "x" }]', "unknown key 'callabel' in entry 1 .*'callable'"),
        ('boundaries = [{ callable = "x", pickles = "y" }]', "'pickles' in entry 1 must be a list"),
        ("select = [", "not valid TOML"),
    ],
)
def test_what_is_not_understood_is_an_error(text: str, message: str) -> None:
    with pytest.raises(Problem, match=message) as caught:
        read(f"[tool.spawnfix]\n{text}\n")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("pyproject.toml: ")


def test_not_a_table() -> None:
    with pytest.raises(Problem, match=r"tool\.spawnfix must be a table"):
        read("[tool]\nspawnfix = 3\n")


def test_flags_win() -> None:
    base = read('[tool.spawnfix]\nselect = ["lambdas"]\nunsafe-fixes = true\nconfidence = "proven"\n')
    assert with_flags(base, RULES) == base
    after = with_flags(base, RULES, select=" dict-views,,lambdas ", unsafe_fixes=False, confidence="possible")
    assert after.select == ("dict-views", "lambdas")
    assert not after.unsafe_fixes
    assert after.confidence is Confidence.POSSIBLE


@each_row(
    ("flags", "message"),
    [
        ({"select": "lamdas"}, r"--select: no rule called 'lamdas' \(did you mean 'lambdas'\?\)"),
        ({"ignore": ","}, "--ignore: no rule named"),
        ({"confidence": "sure"}, "--confidence must be one of"),
        ({"start_method": "fork"}, "--start-method must be one of spawn, forkserver"),
    ],
)
def test_flags_are_checked(flags: dict[str, str], message: str) -> None:
    with pytest.raises(Problem, match=message):
        with_flags(Settings(), RULES, **flags)


@each_row(
    ("glob", "yes", "no"),
    [
        ("*.py", ["a.py", "deep/er/a.py"], ["a.pyi"]),
        ("legacy", ["legacy", "legacy/a.py", "x/legacy/a.py"], ["legacy2/a.py", "a/legacy.py"]),
        ("legacy/", ["legacy/a.py", "x/legacy/a.py"], ["legacy2"]),
        ("/legacy", ["legacy/a.py"], ["x/legacy/a.py"]),
        ("a/*.py", ["a/x.py"], ["a/b/x.py", "x/a/x.py"]),
        ("a/**/*.py", ["a/x.py", "a/b/c/x.py"], ["b/x.py"]),
        ("a/**", ["a/x", "a/b/c"], ["b/a"]),
        ("**/test_*.py", ["test_a.py", "x/test_a.py"], ["x/a_test_.py"]),
        ("a?.py", ["ab.py"], ["a/.py", "a.py"]),
        ("[ab].py", ["a.py"], ["c.py"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        ("a+(b).py", ["a+(b).py"], ["aab.py"]),
    ],
)
def test_globs(glob: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not glob_pattern(glob).match(path)] == []
    assert [path for path in no if glob_pattern(glob).match(path)] == []


def test_an_unknown_kind_of_hazard() -> None:
    with pytest.raises(Problem, match=r"unknown kind 'lamda' in 'only' of entry 1 \(did you mean 'lambda'\?\)"):
        read('[[tool.spawnfix.boundaries]]\ncallable = "a.send"\nonly = ["lamda"]\n')


def test_conditions_of_a_boundary() -> None:
    head = '[tool.spawnfix]\n[[tool.spawnfix.boundaries]]\ncallable = "ours.submit"\npickles = ["job"]\n'
    settings = read(f'{head}when = {{ workers = "nonzero" }}\nunless = {{ mode = ["inline", 0] }}\n')
    assert settings.boundaries[0]["when"] == {"workers": "nonzero"}
    assert settings.boundaries[0]["unless"] == {"mode": ["inline", 0]}
    with pytest.raises(Problem, match="'unless' in entry 1 needs a list of literals for each argument"):
        read(f'{head}unless = {{ mode = "inline" }}\n')
    with pytest.raises(Problem, match="'when' in entry 1 knows only"):
        read(f'{head}when = {{ workers = "zero" }}\n')
