"""Git's configuration files are read as git reads them; git itself is asked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codemods.tree.git_config import included_for, is_true, last, parse_config

FILES = [
    "[user]\nname = Ada\nemail=ada@example.org\n",
    "[user] name = Ada # not this\n; nor this\n# nor this\nemail = a ; b\n",
    "[User]\n\tName = Ada Lovelace  \n[CORE]\nautoCRLF\nbare = \nfileMode=\n",
    '[remote "Or\\"ig\\\\in"]\nurl = x\n[remote "b"]\nurl = y\n[remote "b"] fetch = z\n',
    "[a.b]\nc = 1\n[a.B]\nd-e9 = 2\n",
    '[a]\nb = "with ; and # inside" # out\nc = x "  y  "  z\nd = "tab\\t" \\n \\b \\\\ \\"q\\"\n',
    "[a]\nb = one \\\n   two\\\nthree\nc = 4\n",
    "[a]\r\nb = 1\r\nc = two\r\n",
    "\ufeff[a]\nb = 1",
    "[a]b=1\n[c]d=e f\n",
    "[a]\nb = 1\nb = 2\n\n\n[a]\nb = 3",
    "[a]\nb =\t x  y \t\n",
    "[a]\nb = caf\u00e9\n",
    '[a "x.y"]\nb = ""\nc = "" \nd = " "\n',
    "[a]\nb\nd\t\nf\n",
    "[a]\nb = \\\n\nc = x\n",
]
BAD = [
    "[a\nb = 1\n", "[a]\n9b = 1\n", '[a]\nb = "open\n', "[a]\nb c = 1\n", '[a "b]\nc = 1\n', "[]\nb = 1\n",
    "[a]\n= 1\n", "[a]\nb: 1\n", "[a]\n\nb = 1\n[c d]\n",
]  # fmt: skip


def of_git(file: Path) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "config", "--file", str(file), "--list", "--null"]
    return subprocess.run(command, capture_output=True, check=False, cwd=file.parent)


@pytest.mark.parametrize("text", FILES)
def test_as_git_reads_it(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    done = of_git(file)
    assert done.returncode == 0, done.stderr
    rows = [row.partition("\n") for row in done.stdout.decode().split("\0")[:-1]]
    assert parse_config(text.encode()) == [(name, value if mark else "true") for name, mark, value in rows]


@pytest.mark.parametrize("text", BAD)
def test_what_git_refuses_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    done = of_git(file)
    assert done.returncode != 0
    with pytest.raises(ValueError, match=r"^line \d: "):
        parse_config(text.encode())


def test_lines_of_errors_are_counted_from_one() -> None:
    for text, words in (
        ("b = 1\n", "line 1: not a setting"),
        ("[a]\n\n[\n", "line 3: not a section"),
        ("[a]\nb\nc d\n", "line 3: no '='"),
        ('[a]\nb = "x', "line 2: quotes are not closed"),
    ):
        with pytest.raises(ValueError) as caught:
            parse_config(text.encode())
        assert str(caught.value) == words


def test_the_last_value_counts() -> None:
    entries = parse_config(b"[a]\nb = 1\nb = 2\n[c]\nb = 3\n")
    assert (last(entries, "a.b"), last(entries, "c.b"), last(entries, "a.c")) == ("2", "3", None)
    assert [is_true(value) for value in ("true", "YES", "on", "1")] == [True] * 4
    assert [is_true(value) for value in ("false", "no", "", "2", None)] == [False] * 5


WITHOUT_FOLDERS = {  # git before 2.21 took "*" for a slash too, and wanted a folder for "/**/": a bug, mended there
    "gitdir:/*/.git": True,
    "gitdir:/srv/**/repo/.git": False,
}


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("gitdir:/srv/repo/.git", True),
        ("gitdir:/srv/repo/", True),
        ("gitdir:/srv/", True),
        ("gitdir:/srv", False),
        ("gitdir:/srv/**", True),
        ("gitdir:/srv/*/.git", True),
        ("gitdir:/*/.git", False),
        ("gitdir:/**/.git", True),
        ("gitdir:/srv/**/repo/.git", True),
        ("gitdir:/**/other/**", False),
        ("gitdir:repo/", True),
        ("gitdir:repo/.git", True),
        ("gitdir:rep", False),
        ("gitdir:/WORK/", False),
        ("gitdir/i:/WORK/Repo/", True),
        ("gitdir/i:/WORK/other/", False),
        ("gitdir:~/", True),
        ("gitdir:~/repo/", True),
        ("gitdir:~/other/", False),
        ("gitdir:./", True),
        ("gitdir:./repo/.git", True),
        ("gitdir:./other/", False),
        ("gitdir:/srv/repo/.git/", False),
        ("gitdir:/srv/re?o/.git", True),
        ("onbranch:main", False),
        ("gitdir", False),
    ],
)
def test_conditions_of_includes(condition: str, holds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of git too, with a repository at that place; `/srv` stands for a folder that is there."""
    work = tmp_path / "work"
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(work))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (work / "repo").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(work / "repo")], check=True)
    asked = condition.replace("/srv", str(work)).replace("/WORK", str(tmp_path / "WORK"))
    if condition.startswith("gitdir:/*"):
        asked = condition
    (work / "more").write_text("[a]\nb = here\n")
    (work / ".gitconfig").write_text(f'[includeIf "{asked}"]\npath = more\n')
    done = subprocess.run(["git", "config", "a.b"], cwd=work / "repo", capture_output=True, check=False)
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    old = tuple(map(int, version.split(".")[:2])) < (2, 21)
    assert (done.stdout == b"here\n") is (WITHOUT_FOLDERS.get(condition, holds) if old else holds), "of git"
    assert included_for(asked, work / "repo/.git", work / ".gitconfig") is holds


def test_a_condition_beside_no_file() -> None:
    assert not included_for("gitdir:./", Path("/srv/repo/.git"))
