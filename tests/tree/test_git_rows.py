"""What is read of git's own files, row by row: conditions, paths, refs, damaged indexes; no git is started."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codemods.problem import Problem
from codemods.tree import finish
from codemods.tree.checkout import _line_endings
from codemods.tree.directory import Selected
from codemods.tree.discovery import safe_directory
from codemods.tree.files import MemoryFiles
from codemods.tree.git_config import included_for, of_users, parse_config
from codemods.tree.git_folder import GitFailed
from codemods.tree.git_index import BadPath, blob_id, check_path, parse_index
from codemods.tree.git_tree import free_name
from codemods.tree.refs import Refs, is_ref_name
from codemods.tree.repository import Repository
from harness.each_row import each_row

PLACE = Path("/no/such/place/repo/.git")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("gitdir:/no/such/place/repo/.git", True),
        ("gitdir:/no/such/place/repo/", True),
        ("gitdir:/no/such/", True),
        ("gitdir:/no/such", False),
        ("gitdir:/no/such/**", True),
        ("gitdir:/no/such/place/repo/.git/**", False),  # something below must be there
        ("gitdir:/no/*/place/repo/.git", True),
        ("gitdir:/*/.git", False),
        ("gitdir:/**/.git", True),
        ("gitdir:/no/**/repo/.git", True),
        ("gitdir:/no/**/such/**/.git", True),
        ("gitdir:/**/other/**", False),
        ("gitdir:repo/", True),
        ("gitdir:place/repo/.git", True),
        ("gitdir:rep", False),
        ("gitdir:/NO/", False),
        ("gitdir/i:/NO/Such/", True),
        ("gitdir/i:/NO/other/", False),
        ("gitdir:/no/such/place/repo/.git/", False),
        ("gitdir:/no/such/place/re?o/.git", True),
        ("gitdir:./", True),
        ("gitdir:./place/", True),
        ("gitdir:./other/", False),
        ("gitdir:~/", True),
        ("gitdir:~/place/", True),
        ("gitdir:~/place", False),
        ("gitdir:", False),
        ("gitdir", False),
        ("onbranch:main", False),
        ("hasconfig:remote.*.url:x", False),
    ],
)
def test_conditions(condition: str, holds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/no/such")
    assert included_for(condition, PLACE, Path("/no/such/.gitconfig")) is holds
    if condition.startswith("gitdir:./"):
        assert not included_for(condition, PLACE)


@each_row(
    ("text", "value"),
    [
        ("b", "true"),
        ("b # c", "true"),
        ("b ; c", "true"),
        ("b =", ""),
        ("b = 1", "1"),
        ("b=1 2\t", "1 2"),
        ("b = 1 # c", "1"),
        ('b = "1 # c"', "1 # c"),
        ('b = " 1 " ', " 1 "),
        ('b = 1" 2 "3', "1 2 3"),
        ("b = 1\\\n2", "12"),
        ('b = a\\tb\\n\\\\\\"', 'a\tb\n\\"'),
        ("B = x", "x"),
    ],
)
def test_values(text: str, value: str) -> None:
    assert parse_config(f"[A]{text}".encode()) == [("a.b", value)]
    assert parse_config(f'\ufeff[A "Sub \\"x\\""]\r\n\t{text}\n'.encode()) == [('a.Sub "x".b', value)]


@each_row(
    ("text", "why"),
    [
        ("b = 1", "line 1: not a setting"),
        ("[a]\n1 = 2", "line 2: not a setting"),
        ("[a]\nb ! 1", "line 2: no '='"),
        ('[a]\n\nb = "1', "line 3: quotes are not closed"),
        ("[a\nb = 1", "line 1: not a section"),
        ("[]", "line 1: not a section"),
    ],
)
def test_what_is_no_configuration(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        parse_config(text.encode())


@each_row("path", ["a", "a/b.py", ".gitignore", "a/.github/x", "a.git", "git~2", "..."])
def test_paths(path: str) -> None:
    assert check_path(path) == path


@each_row(
    "path",
    ["", "/a", "a/", "a//b", ".", "a/..", "../a", "a/./b", "a\0b", ".git", "a/.GIT/b", ".git.", ".git ", "git~1",
     "GIT~1/x", ".g\u200cit", "a/.git\ufeff/b"],
)  # fmt: skip
def test_paths_that_lead_out(path: str) -> None:
    with pytest.raises(BadPath):
        check_path(path)


@each_row(
    ("name", "good"),
    [
        ("refs/heads/main", True),
        ("refs/heads/a/b.c", True),
        ("refs/tags/v1@2", True),
        ("heads/main", False),
        ("refs/heads/", False),
        ("refs/heads/a..b", False),
        ("refs/heads/a b", False),
        ("refs/heads/a~1", False),
        ("refs/heads/.a", False),
        ("refs/heads/a.lock", False),
        ("refs/heads/a.lock/b", False),
        ("refs/heads/a@{1}", False),
        ("refs//a", False),
        ("refs/heads/a.", False),
        ("refs/heads/a\x7f", False),
        ("refs/heads/a\\b", False),
    ],
)
def test_names_of_refs(name: str, good: bool) -> None:
    assert is_ref_name(name) is good


ONE, TWO, LONG = "1" * 40, "2" * 40, "3" * 64


@pytest.fixture
def refs(tmp_path: Path) -> Refs:
    texts = {
        "HEAD": "ref: refs/heads/main\n",
        "refs/heads/main": f"{ONE}\n",
        "refs/heads/link": "ref: refs/heads/main\n",
        "refs/heads/circle": "ref: refs/heads/circle\n",
        "refs/heads/damaged": "zzz\n",
        "refs/heads/deep/one": f"{LONG}\n",
        "refs/replace/1": f"{TWO}\n",
        "refs/heads/a.lock": f"{TWO}\n",
        "packed-refs": f"# pack-refs\n{TWO} refs/heads/packed\n{TWO} refs/heads/main\n^{ONE}\n{TWO} other\n"
        "x refs/tags/t\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Refs(tmp_path, tmp_path)


def test_refs(refs: Refs, tmp_path: Path) -> None:
    assert refs.head() == ("refs/heads/main", ONE)
    assert refs.packed() == {"refs/heads/packed": TWO, "refs/heads/main": TWO}
    assert refs.all() == {
        "refs/heads/main": ONE, "refs/heads/link": ONE, "refs/heads/deep/one": LONG, "refs/heads/packed": TWO
    }  # fmt: skip
    assert refs.branches() == {"main", "link", "circle", "damaged", "deep/one", "packed"}
    assert [refs.resolve(f"refs/heads/{name}") for name in ("packed", "gone", "circle", "damaged", "deep")] == [
        TWO, None, None, None, None
    ]  # fmt: skip
    assert [refs.resolve(name) for name in ("HEAD", "refs/../refs/heads/main", "refs/heads/a.lock")] == [None] * 3
    (tmp_path / "HEAD").write_text(f"{TWO}\n")
    assert refs.head() == (None, TWO)
    (tmp_path / "packed-refs").unlink()
    assert refs.packed() == {} and refs.resolve("refs/heads/packed") is None


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (None, "HEAD: no such file"),
        ("ref: refs/heads/a..b\n", "HEAD: names no branch that git allows"),
        ("main\n", "HEAD: names no commit"),
        (f"{ONE}1\n", "HEAD: names no commit"),
    ],
)
def test_heads_that_name_nothing(refs: Refs, tmp_path: Path, head: str | None, why: str) -> None:
    (tmp_path / "HEAD").unlink()
    if head is not None:
        (tmp_path / "HEAD").write_text(head)
    with pytest.raises(Problem) as raised:
        refs.head()
    assert str(raised.value) == f"{tmp_path}/{why}"


def entry(path: str, flags: int = 0, extended: bytes = b"", mode: int = 0o100644) -> bytes:
    """As git writes it in an index of version 2 or 3."""
    flags |= 0x4000 if extended else 0
    data = bytes(24) + mode.to_bytes(4, "big") + bytes(12) + bytes.fromhex(ONE)
    data += flags.to_bytes(2, "big") + extended + path.encode()
    return data + bytes(8 - len(data) % 8)


def index(*entries: bytes, version: int = 2, more: bytes = b"", count: int | None = None) -> bytes:
    count = len(entries) if count is None else count
    data = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big") + b"".join(entries) + more
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def test_an_index() -> None:
    found = parse_index(
        index(entry("a"), entry("b/c.py", 2 << 12), entry("d", extended=b"\x40\0"), version=3, more=b"TREE\0\0\0\1x"),
        40,
        Path("index"),
    )
    assert [(each.path, each.stage, each.skipped, each.oid, each.mode) for each in found.entries] == [
        ("a", 0, False, ONE, 0o100644), ("b/c.py", 2, False, ONE, 0o100644), ("d", 0, True, ONE, 0o100644)
    ]  # fmt: skip
    assert found.conflicts and list(found.by_path()) == ["a", "d"] and not found.needs_git
    assert parse_index(index(more=b"link\0\0\0\0"), 40, Path("index")).needs_git
    assert parse_index(index(more=b"sdir\0\0\0\0"), 40, Path("index")).needs_git
    assert not parse_index(index(), 40, Path("index")).conflicts
    more = [
        name + len(name).to_bytes(4, "big") + name for name in (b"TREE", b"REUC", b"FSMN", b"UNTR", b"EOIE", b"IEOT")
    ]
    changed = parse_index(index(entry("a"), more=b"".join(more)), 40, Path("index")).changed({})
    assert changed == index(entry("a"), more=more[1] + more[3])  # what git computed of entries may not hold any more
    unsigned = index(entry("a"))[:-20] + bytes(20)  # git may leave the checksum out
    assert [each.path for each in parse_index(unsigned, 40, Path("index")).entries] == ["a"]


def test_an_index_with_a_folder_that_is_not_checked_out() -> None:
    data = index(entry("a/", extended=b"\x40\0", mode=0o40000), entry("b"), version=3, more=b"sdir\0\0\0\0")
    assert [(each.path, each.mode) for each in parse_index(data, 40, Path("index")).entries] == [
        ("a/", 0o40000), ("b", 0o100644)
    ]  # fmt: skip


def test_an_index_with_shared_beginnings_of_paths() -> None:
    def short(cut: bytes, path: str) -> bytes:
        return (
            bytes(24)
            + (0o100644).to_bytes(4, "big")
            + bytes(12)
            + bytes.fromhex(ONE)
            + bytes(2)
            + cut
            + path.encode()
            + b"\0"
        )

    long = "d/" + "x" * 300
    data = index(short(b"\0", "a/b.py"), short(b"\4", "c.py"), short(b"\6", long), short(b"\x81\x2d", "e"), version=4)
    paths = [each.path for each in parse_index(data, 40, Path("index")).entries]
    assert paths == ["a/b.py", "a/c.py", long, long[: len(long) - ((2 << 7) + 0x2D)] + "e"]


@each_row(
    "data",
    [
        b"",
        b"DIRC",
        index(entry("a"), version=5),
        b"XXXX" + index(entry("a"))[4:],
        index(entry("a"), count=2),
        index(entry("a"))[:-1] + b"\xff",
        index(entry("a"))[:-8],
        index(entry("a"), more=b"TREE\0\0\0\x09x"),
    ],
    ids=range(8),
)
def test_damaged_indexes(data: bytes) -> None:
    with pytest.raises(Problem, match=r"^index: damaged, or in a form that spawnfix does not know$"):
        parse_index(data, 40, Path("index"))


@each_row("path", ["../a", ".git/config", "a//b", "a/", ""])
def test_indexes_that_lead_out(path: str) -> None:
    with pytest.raises(Problem) as raised:
        parse_index(index(entry(path)), 40, Path("index"))
    assert str(raised.value) == f"index: names {path!r}, which is no path inside the repository"


def test_ids_of_blobs() -> None:
    assert blob_id(b"", 40) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"", 64) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"


@pytest.mark.parametrize(
    ("listed", "safe"),
    [
        ([], False),
        (["*"], True),
        (["*", ""], False),
        (["", "*"], True),
        (["{}"], True),
        (["{}/other"], False),
        (["{}/*"], True),
        (["{above}/*"], True),
        (["{above}/*", "/other"], True),
        (["{above}/oth/*"], False),
        (["/other", "{}"], True),
        (["{}", ""], False),
    ],
)
def test_safe_directories(listed: list[str], safe: bool, tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    assert safe_directory(folder, [each.format(folder, above=tmp_path) for each in listed]) is safe


FILES = [
    "a.py", "build/b.py", "dist/c.py", "pkg/dist/__init__.py", "pkg/dist/d.py", "pkg/build/e.py", "x.egg-info/f.py",
    "node_modules/g.py", "src/node_modules/h/i.py", "rebuild/j.py",
]  # fmt: skip


@each_row(
    ("asked", "also", "more"),
    [
        ("", (), []),
        ("build", (), ["build/b.py"]),
        ("build/b.py", (), ["build/b.py"]),
        ("buil", (), []),
        ("src", (), []),
        ("src/node_modules/h", (), ["src/node_modules/h/i.py"]),
        ("x", ("dist", "pkg/build"), ["dist/c.py", "pkg/build/e.py"]),
    ],
)
def test_folders_of_others(asked: str, also: tuple[str, ...], more: list[str]) -> None:
    always = ["a.py", "pkg/dist/__init__.py", "pkg/dist/d.py", "rebuild/j.py"]
    found = Selected(MemoryFiles(dict.fromkeys(FILES, b"")), asked, also)
    assert sorted(each.path for each in found.entries()) == sorted([*always, *more])


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
        ("sequencer", "series of cherry-picks or reverts"),
        ("ORIG_HEAD", None),
    ],
)
def test_what_is_under_way(name: str, word: str | None, tmp_path: Path) -> None:
    repository = Repository(tmp_path, tmp_path, None)
    assert repository.under_way is None
    (tmp_path / name).mkdir()
    assert repository.under_way == word


@each_row(
    ("settings", "found"),
    [
        ((), {}),
        *(((("core.autocrlf", value),), {"core.autocrlf": value.lower()}) for value in ("true", "Yes", "on", "1")),
        ((("core.autocrlf", "Input"),), {"core.autocrlf": "input"}),
        *(((("core.autocrlf", value),), {}) for value in ("false", "no", "0", "crlf", "-c x")),
        *(((("core.eol", value),), {"core.eol": value.lower()}) for value in ("crlf", "LF", "native")),
        *(((("core.eol", value),), {}) for value in ("true", "input", "cr")),
        ((("core.eol", "lf"), ("core.eol", "crlf"), ("core.safecrlf", "true")), {"core.eol": "crlf"}),
    ],
)
def test_settings_about_line_endings(settings: tuple[tuple[str, str], ...], found: dict[str, str]) -> None:
    """Those of the user and of the repository, which counts more; of values that git knows."""
    for of_user, of_repository, more in (
        (settings, (), {}),
        ((), settings, {}),
        ((("core.eol", "native"), ("core.autocrlf", "")), settings, {"core.eol": "native"}),
    ):
        repository = Repository(PLACE, PLACE, None, of_repository)
        vars(repository)["of_user"] = [*of_user, ("core.attributesfile", "/no/such/file")]  # it is read from files once
        said = dict(settings).get("core.eol")
        assert _line_endings(repository) == {**(more if said is None else {}), **found}


def test_folders_of_refs_that_hold_too_much(refs: Refs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codemods.tree.refs._MAX_LOOSE", 3)
    with pytest.raises(Problem, match="more than 3 files; git pack-refs --all helps"):
        refs.all()


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_refs_that_are_no_plain_files(refs: Refs, tmp_path: Path) -> None:
    before = refs.all()
    (tmp_path / "refs/heads/other").symlink_to("main")
    assert refs.all() == before
    os.mkfifo(tmp_path / "refs/heads/pipe")
    assert refs.all() == before
    with pytest.raises(Problem, match="refs/heads/pipe: "):
        refs.resolve("refs/heads/pipe")


@each_row(
    ("wanted", "taken", "found"),
    [
        (None, {"main"}, "spawnfix/migrate"),
        (None, {"Spawnfix/Migrate"}, "spawnfix/migrate-2"),
        (None, {"spawnfix/migrate/x"}, "spawnfix/migrate-2"),
        (None, {"spawnfix/migrate", "spawnfix/migrate-2"}, "spawnfix/migrate-3"),
        (None, {"spawnfix"}, "the branch 'spawnfix' is in the way of 'spawnfix/migrate'"),
        ("-x", set(), "'-x' is not a name that git allows"),
        ("HEAD", set(), "'HEAD' is not a name that git allows"),
        ("a\x1b", set(), "'a\\x1b' is not a name that git allows"),
        ("a..b", set(), "'a..b' is not a name that git allows"),
        ("main", {"main"}, "a branch called 'main' exists already"),
        ("main/a", {"main"}, "the branch 'main' is in the way of 'main/a'"),
        ("main", {"main/a"}, "the branch 'main/a' is in the way of 'main'"),
        ("main", {"mainly"}, "main"),
    ],
)
def test_names_of_new_branches(wanted: str | None, taken: set[str], found: str) -> None:
    def git(command: str, name: str) -> None:
        if ".." in name:
            raise GitFailed(1, "")

    repository: Any = SimpleNamespace(ours=SimpleNamespace(git=git), refs=SimpleNamespace(branches=lambda: taken))
    try:
        assert free_name(repository, wanted) == found
    except Problem as problem:
        assert str(problem).startswith(found) and " " in found


def test_git_is_typed_for_the_folder_that_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("repo/deep/er", "other", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/" * 3):
        (tmp_path / name).mkdir(parents=True)
    repository = Repository(tmp_path / "repo/.git", tmp_path / "repo/.git", tmp_path / "repo")
    for name, typed in (("repo", "git"), ("repo/deep/er", "git"), ("other", "git -C ../repo"), (".", "git -C repo")):
        monkeypatch.chdir(tmp_path / name)
        assert repository.typed_git.replace("\\", "/") == typed
    monkeypatch.chdir(tmp_path / ("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/" * 3))
    assert repository.typed_git.replace("\\", "/") == f"git -C {(tmp_path / 'repo').as_posix()}"


def test_files_that_the_user_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("own", "xdg/git/attributes", "home/.config/git/attributes"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    own = [("core.attributesfile", str(tmp_path / "own"))]
    for base, entries, found in (
        (str(tmp_path / "xdg"), [], "xdg/git/attributes"),
        (str(tmp_path / "xdg"), own, "own"),
        ("xdg", [], "home/.config/git/attributes"),  # relative to what?
        ("", [], "home/.config/git/attributes"),
        ("", [("core.attributesfile", str(tmp_path / "gone"))], None),
    ):
        monkeypatch.setenv("XDG_CONFIG_HOME", base)
        file = of_users("core.attributesfile", "attributes", entries)
        assert (Path(file) if file is not None else None) == (tmp_path / found if found is not None else None)


@each_row(
    "error, words",
    [
        (FileNotFoundError(2, "No such file", "a/b"), "a/b: No such file"),
        (OSError(28, "No space left"), "No space left"),
        (OSError("odd"), "OSError: odd"),
        (ValueError("odd"), "ValueError: odd"),
    ],
    ids=range(4),
)
def test_what_is_said_of_a_step_that_failed(error: Exception, words: str) -> None:
    assert finish._words(error) == words
