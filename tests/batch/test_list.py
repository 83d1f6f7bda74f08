"""Lists of repositories with lines that nobody meant well: each is one failed row, and the batch goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from codemods.batch.ledger import Ledger
from codemods.batch.repos import named, parse_list
from harness.repositories import git, own_home

__all__ = ["own_home"]

ROOT = Path(__file__).resolve().parents[2]
LINES = {
    "user that is not there": "~nosuchuser/x",
    "too long": "x" * 5000,
    "name too long for the file system": "a/" + "x" * 300,
    "stars": "*" * 300,
    "folders of stars": "*/" * 150,
    "sets": "[" * 200 + "a" + "]" * 200,
    "stars between letters": "*a" * 16,
    "NUL": "a\0b",
    "control characters": "\x1b]0;owned\x07",
    "bidirectional": "abc\u202edef",
    "option": "--upload-pack=touch marker",
    "program as transport": "ext::sh -c touch% marker",
    "nothing but a scheme": "https://",
    "query": "https://h.org/o/n?token=s3cret",
    "raw slash in a password": "https://me:s3cret/s3cret@h.org/o/n",
    "deep folder": "a/" * 1500,
}
JSON_LINES = {
    "deep": "[" * 100_000,
    "deep object": '{"a":' * 50_000,
    "surrogate": '{"repo": "\\ud800"}',
    "huge number": '{"repo": ' + "9" * 10_000 + "}",
    "list": "[1]",
    "NUL in the ref": '{"repo": "fine", "ref": "a\\u0000b"}',
    "no repository": '{"ref": "x"}',
    "not JSON": "nonsense",
    "name that leads away": '{"repo": "nowhere", "name": "../../../etc"}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_bad_line_is_one_failed_row(tmp_path: Path, line: str) -> None:
    tracemalloc.start()
    (tmp_path / "fine").mkdir()
    found = named(parse_list(f"{line}\nfine\n", tmp_path, "list.txt"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 2 and found[1].wrong is None
    assert found[0].wrong or found[0].remote
    assert "s3cret" not in found[0].source + found[0].name + (found[0].wrong or "") + found[0].location
    assert peak < 50 * 2**20
    stored(tmp_path, found)


@pytest.mark.parametrize("line", JSON_LINES.values(), ids=JSON_LINES)
def test_bad_line_of_json_is_one_failed_row(tmp_path: Path, line: str) -> None:
    (tmp_path / "fine").mkdir()
    found = named(parse_list(f'{{"repo": "fine"}}\n{line}\n', tmp_path, "list.txt"))
    assert len(found) == 2 and found[0].wrong is None and found[1].wrong
    stored(tmp_path, found)


def test_every_name_of_a_column(tmp_path: Path) -> None:
    url = "https://h.org/o/n"
    for column in ("repo", "url", "path", "repository"):
        for ref in ("ref", "commit"):
            texts = (f"{ref},{column.upper()}\nv1,{url}\n", json.dumps({column: url, ref: "v1"}))
            for text in texts:
                (found,) = named(parse_list(text, tmp_path, "list.txt"))
                assert (found.location, found.ref, found.remote, found.wrong) == (url, "v1", True, None), text
    for column in ("ref", "Commit"):
        (lacking,) = named(parse_list(f"{column},name\nv1,x\n", tmp_path, "list.txt"))
        assert lacking.wrong == "names no repository: it needs a column repo, url or path"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://h.org/o/n#v1", [("https://h.org/o/n", None, "a URL with ? or # in it is none of git's")]),
        ("https://[::1]:8080/o/n", [("https://[::1]:8080/o/n", None, None)]),
        ("https://h.org/@o/n", [("https://h.org/@o/n", None, None)]),
        ("https://h.org/o/n@v1", [("https://h.org/o/n", "v1", None)]),
        ("C://data/n", [("C:/data/n" if os.name == "nt" else "HERE/C:/data/n", None, "no such folder")]),
        ("https://me:word@h.org/o/n", [("https://me:word@h.org/o/n", None, None)]),
        ("fine@v1", [("HERE/fine", "v1", None)]),
        ("gone@v1", [("HERE/gone@v1", None, "no such folder")]),
        ("fi*", [("HERE/fine", None, None), ("HERE/fine2", None, None)]),
        ("fil*", [("HERE/fil*", None, "no folder matches")]),
        ("\n# comment\n\n  fine \n", [("HERE/fine", None, None)]),
        ("\n  # comment\nrepo,ref\nfine,v1\n", [("HERE/fine", "v1", None)]),
        ("repo,ref\nfine\nfine2,v1,more,and more\n", [("HERE/fine", None, None), ("HERE/fine2", "v1", None)]),
        ('\n{"repo": "fine"}\n \n{"repo": "fine2"}\n', [("HERE/fine", None, None), ("HERE/fine2", None, None)]),
        (f"repo,ref\nfine,{'v' * 5000}\n", [("fine", None, "the line is longer than 4096 characters")]),
    ],
)
def test_what_a_line_names(text: str, found: list[tuple[str, str | None, str | None]], tmp_path: Path) -> None:
    for name in ("fine", "fine2"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("")
    repos = named(parse_list(text, tmp_path, "list.txt"))
    got = [(repo.location.replace(os.sep, "/"), repo.ref, repo.wrong) for repo in repos]
    expected = [(place.replace("HERE", tmp_path.resolve().as_posix()), ref, wrong) for place, ref, wrong in found]
    assert [each[:2] for each in got] == [each[:2] for each in expected]
    for (*_, why), (*_, wrong) in zip(got, expected, strict=True):
        assert (why or "").startswith(wrong or "") and bool(why) == bool(wrong)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,repo\nmine,fi*\n", ["fine", "fine2"]),
        ("name,repo\nmine,fine\n", ["mine"]),
        ("name,repo\nmine,fine\nMine,fine2\n", ["mine", "Mine-2"]),
        ("fine\nfine\nfine@v1\n", ["fine", "fine-2"]),
    ],
)
def test_names_of_rows(text: str, names: list[str], tmp_path: Path) -> None:
    for name in ("fine", "fine2"):
        (tmp_path / name).mkdir()
    assert [repo.name for repo in named(parse_list(text, tmp_path, "list.txt"))] == names


def stored(folder: Path, repos: list) -> None:  # type: ignore[type-arg]
    """The rows go into a ledger, and their names are names of folders in it."""
    ledger = Ledger(folder / "out")
    ledger.enlist(repos, {})
    assert [row.name for row in ledger.rows()] == [repo.name for repo in repos]
    ledger.close()
    for repo in repos:
        (folder / "out" / repo.name).mkdir()
        assert (folder / "out" / repo.name).resolve().parent == (folder / "out").resolve()


def test_csv_with_a_huge_field_and_a_row_without_a_repository(tmp_path: Path) -> None:
    (tmp_path / "fine").mkdir()
    text = f"name,repo\nx,\ny,{'z' * 200_000}\nfine,fine\n"
    found = named(parse_list(text, tmp_path, "list.csv"))
    assert [repo.wrong is None for repo in found] == [False, False, True]
    assert "names no repository" in str(found[0].wrong) and "no CSV" in str(found[1].wrong)


@pytest.mark.skipif(sys.platform != "linux", reason="names of folders are bytes")
def test_glob_that_finds_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/src-\xff")  # noqa: PTH102
    (tmp_path / "src-fine").mkdir()
    found = named(parse_list("src-*\n", tmp_path, "list.txt"))
    assert sorted(repo.wrong is None for repo in found) == [False, True]
    stored(tmp_path, found)


@pytest.mark.slow
def test_whole_batch_of_bad_lines_has_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("x = 1\n")
    git(tmp_path / "src", "init", "-q")
    git(tmp_path / "src", "add", ".")
    git(tmp_path / "src", "commit", "-q", "-m", "one")
    lines = [line for line in LINES.values() if "://" not in line]
    (tmp_path / "list.txt").write_text("\n".join([*lines, "src"]) + "\n")
    command = [sys.executable, ROOT / "cli.py", "batch", "list.txt", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    rows = json.loads((tmp_path / "out/summary.json").read_text())["repos"]
    assert len(rows) == len(lines) + 1
    assert [row["status"] for row in rows] == ["failed"] * len(lines) + ["clean"]
    assert not list(tmp_path.rglob("marker*"))
