"""The command line with a toy rule: exit codes, what goes to stdout, and that nothing is lost or left behind."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from codemods import commands, transforms
from codemods.finding import Confidence, Edit, Finding, Fix, Hop
from codemods.project import Project
from codemods.rule import Rule
from codemods.version import __version__
from harness import tool
from harness.repositories import git, own_home, repo, state

__all__ = ["own_home", "repo"]
pipeline = importlib.import_module("codemods.engine.migrate")  # codemods.migrate itself is the function of the API
ROOT = Path(__file__).resolve().parents[1]
WORDS = re.compile("OLD|KEEP|RISKY|MAYBE")


def find(project: Project) -> Iterator[Finding]:
    for source in project.matching(WORDS):
        if project.module(source.path) is None:
            continue
        for match in WORDS.finditer(source.text):
            word, span = match.group(), source.span(*match.span())
            unsafe = "it is risky" if word == "RISKY" else None
            fix = Fix("say NEW", (Edit(source.path, *match.span(), "NEW"),), unsafe=unsafe)
            keep = word == "KEEP"
            yield Finding(
                "toy",
                source.path,
                span,
                f"the word {word} is out of date",
                Confidence.POSSIBLE if word == "MAYBE" else Confidence.PROVEN,
                (Hop(source.path, span.line, "said here"),),
                None if keep else fix,
                "it is dear to us" if keep else None,
            )


TOY = Rule(
    id="toy",
    summary="Replace old words by new ones",
    screen=re.compile(rb"OLD|KEEP|RISKY|MAYBE"),
    find=find,
)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(transforms, "rules", lambda: {"toy": TOY})
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def words(repo: Path) -> Path:
    """A repository with something to do in a.py, pkg/b.py and third_party/."""
    files = {
        "a.py": b'x = "OLD"\r\ny = "KEEP"',
        "pkg/b.py": b'x = "OLD"\n',
        "third_party/c.py": b'x = "OLD"\n',
        "run.sh": b"echo\n",
    }
    for path, data in files.items():
        (repo / path).parent.mkdir(exist_ok=True)
        (repo / path).write_bytes(data)
    (repo / "a.py").chmod(0o755)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "words")
    return repo


class Done(NamedTuple):
    code: int
    out: bytes
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Calls `spawnfix <arguments>` in this process."""

    def call(*arguments: object) -> Done:
        capfdbinary.readouterr()
        monkeypatch.setattr(sys, "argv", ["spawnfix", *map(str, arguments)])
        monkeypatch.setattr(commands, "app", tool.command())
        with pytest.raises(SystemExit) as caught:
            commands.main()
        out, err = capfdbinary.readouterr()
        assert isinstance(caught.value.code, int)
        return Done(caught.value.code, out, err.decode())

    return call


def one_line(done: Done, pattern: str) -> None:
    """A failure as promised: exit 2, nothing on stdout, one line that says what is wrong."""
    assert (done.code, done.out) == (2, b""), done
    lines = [line for line in done.err.splitlines() if line.startswith("spawnfix: ")]
    assert len(lines) == 1, done.err
    assert re.search(pattern, lines[0]), lines[0]
    assert "Traceback" not in done.err


# migrate


def test_migrate(words: Path, run: Run) -> None:
    done = run("migrate", words)
    assert (done.code, done.out) == (0, b"")
    assert done.err.splitlines() == [
        "toy: 2 fixed, 1 refused",
        "`spawnfix check` shows each with its reason",
        "branch spawnfix/migrate: 1 commit, 2 files changed",
        "  look at it:  git -C repo diff main...spawnfix/migrate",
        "  it is checked out; go back with:  git -C repo checkout main",
        "  throw it away:  git -C repo branch -D spawnfix/migrate  (after going back)",
    ]
    assert git(words, "status", "--porcelain", "--branch") == "## spawnfix/migrate"
    assert (words / "a.py").read_bytes() == b'x = "NEW"\r\ny = "KEEP"'
    assert (words / "a.py").stat().st_mode & 0o111
    assert (words / "third_party/c.py").read_bytes() == b'x = "OLD"\n'
    assert git(words, "log", "-1", "--format=%B").splitlines() == [
        "toy: replace old words by new ones (2 places)",
        "",
        "a.py:1 say NEW",
        "    why: the word OLD is out of date (proven)",
        "      -> a.py:1 said here",
        "pkg/b.py:1 say NEW",
        "    why: the word OLD is out of date (proven)",
        "      -> pkg/b.py:1 said here",
        "",
        "Spawnfix-Rule: toy",
        f"Spawnfix-Version: {__version__}",
    ]
    assert git(words, "log", "-1", "--format=%(trailers:key=Spawnfix-Rule,valueonly)") == "toy"
    again = state(words)
    second = run("migrate", words)
    assert (second.code, second.out) == (0, b"")
    assert "nothing to fix" in second.err
    assert state(words) == again


def becomes_dear(project: Project) -> Iterator[Finding]:
    """The toy rule, whose fix makes words that are refused afterwards."""
    for found in find(project):
        edits = tuple(replace(edit, text="DEAR") for edit in found.fix.edits) if found.fix is not None else ()
        yield replace(found, fix=found.fix and replace(found.fix, edits=edits))
    for source in project.matching(re.compile("DEAR")):
        for match in re.finditer("DEAR", source.text):
            span = source.span(*match.span())
            yield Finding("toy", source.path, span, "a DEAR word", Confidence.PROVEN, reason="it is DEAR")


def test_dry_run_shows_what_is_refused_only_then(words: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforms, "rules", lambda: {"toy": replace(TOY, find=becomes_dear)})
    done = run("migrate", "--dry-run", words)
    assert done.err.splitlines() == [
        "toy: 2 to fix, 3 refused",
        "refused once this is done:",
        "  a.py:1, pkg/b.py:1: it is DEAR",
        "`spawnfix check` shows the others with their reasons",
    ]
    (words / "a.py").write_text('x = "OLD"\n')
    git(words, "commit", "-qam", "nothing to keep")
    done = run("migrate", "--dry-run", words)
    assert done.err.splitlines()[1:] == ["refused once this is done:", "  a.py:1, pkg/b.py:1: it is DEAR"]
    done = run("migrate", words, "--no-checkout")  # `check` here shows none of that: it is on the branch
    assert done.err.splitlines()[1:3] == ["refused now that this is done:", "  a.py:1, pkg/b.py:1: it is DEAR"]
    assert not any("`spawnfix check`" in line for line in done.err.splitlines())
    for number in range(5):
        (words / f"a{number}.py").write_text('x = "OLD"\n')
    git(words, "add", ".")
    git(words, "commit", "-qm", "more of them")
    done = run("migrate", "--dry-run", words)
    first = ", ".join(f"{name}.py:1" for name in ("a", "a0", "a1", "a2", "a3", "a4"))
    assert done.err.splitlines()[2:] == [f"  {first} and 1 other place: it is DEAR"]


@pytest.mark.parametrize("extra", [[], ["--branch", "fresh"], ["--no-checkout"]], ids=" ".join)
def test_dry_run_writes_nothing_and_prints_a_diff(words: Path, run: Run, extra: list[str]) -> None:
    before = state(words)
    objects = sorted((words / ".git/objects").rglob("*"))
    done = run("migrate", words, "--dry-run", *extra)
    assert done.code == 0
    assert state(words) == before
    assert sorted((words / ".git/objects").rglob("*")) == objects
    subprocess.run(["git", "apply"], cwd=words, input=done.out, check=True)
    assert (words / "a.py").read_bytes() == b'x = "NEW"\r\ny = "KEEP"'
    assert run("migrate", words, "--dry-run", "--exit-code").code == 1


def test_exit_code_zero_when_there_is_nothing(repo: Path, run: Run) -> None:
    (repo / "a.py").write_bytes(b"")
    (repo / "pkg/b.py").write_bytes(b"")
    git(repo, "commit", "-q", "-a", "-m", "tidy")
    done = run("migrate", repo, "--dry-run", "--exit-code")
    assert (done.code, done.out) == (0, b"")
    before = state(repo)
    assert run("migrate", repo).code == 0
    assert state(repo) == before


def test_patch_file(words: Path, run: Run, tmp_path: Path) -> None:
    dry = run("migrate", words, "--dry-run", "--patch", tmp_path / "one.patch")
    assert (tmp_path / "one.patch").read_bytes() == dry.out != b""
    run("migrate", words, "--patch", tmp_path / "two.patch")
    assert (tmp_path / "two.patch").read_bytes() == dry.out


def test_patch_that_cannot_be_written_stops_before_the_branch(words: Path, run: Run, tmp_path: Path) -> None:
    before = state(words)
    one_line(run("migrate", words, "--patch", tmp_path / "none/x.patch"), r"can't write .*x\.patch")
    assert state(words) == before


def hints(done: Done) -> list[list[str]]:
    """The git commands that `done` offers, as words."""
    lines = re.findall(r"^  [a-z][^:]*:  (git .*?)(?:  \(.*\))?$|go back with:  (git .*)$", done.err, re.MULTILINE)
    return [shlex.split(first or second) for first, second in lines]


@pytest.mark.parametrize("where", ["inside", "beside"])
@pytest.mark.parametrize("detached", [False, True])
def test_the_hints_can_be_typed_where_one_is(
    words: Path, run: Run, monkeypatch: pytest.MonkeyPatch, where: str, detached: bool
) -> None:
    monkeypatch.chdir(words / "pkg" if where == "inside" else words.parent)
    if detached:
        git(words, "checkout", "-q", "--detach")
    was = git(words, "rev-parse", "HEAD")
    done = run("migrate", words)
    look, back, away = hints(done)
    assert b"NEW" in subprocess.run(look, capture_output=True, check=True).stdout
    for command in (back, away):
        subprocess.run(command, capture_output=True, check=True)
    assert git(words, "rev-parse", "HEAD") == was
    assert "spawnfix" not in git(words, "branch")
    assert git(words, "status", "--porcelain") == ""


def test_the_hints_in_a_bare_repository(words: Path, run: Run, tmp_path: Path) -> None:
    git(words.parent, "clone", "-q", "--bare", str(words), str(tmp_path / "bare.git"))
    done = run("migrate", tmp_path / "bare.git")
    assert done.code == 0
    look, take, away = hints(done)
    assert b"NEW" in subprocess.run(look, capture_output=True, check=True).stdout
    subprocess.run(take, cwd=words, capture_output=True, check=True)
    git(words, "checkout", "-q", "spawnfix/migrate")
    assert b"NEW" in (words / "a.py").read_bytes()
    subprocess.run(away, capture_output=True, check=True)
    assert "spawnfix" not in git(tmp_path / "bare.git", "branch")


def test_no_checkout_and_a_name(words: Path, run: Run) -> None:
    before = state(words)
    done = run("migrate", words, "--no-checkout", "--branch", "mine")
    assert done.code == 0
    assert "take it:  git -C repo checkout mine" in done.err
    after = state(words)
    assert "refs/heads/mine" in str(after.pop("refs"))
    before.pop("refs")
    assert after == before


@pytest.mark.parametrize("name", ["main", "main/x", "a..b"])
def test_branch_that_does_not_do_is_told_before_the_work(
    words: Path, run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "plan", lambda *_: pytest.fail("worked in vain"))
    one_line(run("migrate", words, "--branch", name), re.escape(name))


def test_uncommitted_change_in_the_way(words: Path, run: Run) -> None:
    (words / "a.py").write_bytes(b"mine")
    before = state(words)
    done = run("migrate", words)
    one_line(done, r"spawnfix/migrate was created but not checked out: uncommitted changes are in the way \(a\.py\)")
    assert "your uncommitted changes in 1 file were not looked at" in done.err
    after = state(words)
    assert "spawnfix/migrate" in str(after.pop("refs"))
    before.pop("refs")
    assert after == before


def test_branch_that_cannot_be_made_is_not_called_repaired(words: Path, run: Run) -> None:
    (words / ".git/refs/heads/spawnfix").mkdir()
    (words / ".git/refs/heads/spawnfix/migrate.lock").write_bytes(b"")
    before = state(words)
    done = run("migrate", words)
    one_line(done, r"the branch can't be created, nothing was changed: .*migrate\.lock")
    assert "fixed" not in done.err
    assert state(words) == before


def test_part_of_a_repository(words: Path, run: Run) -> None:
    assert run("migrate", words / "pkg").code == 0
    assert git(words, "diff", "--name-only", "main", "HEAD") == "pkg/b.py"
    git(words, "checkout", "-q", "main")
    assert run("migrate", words / "third_party").code == 0, "vendored, but asked for by name"
    assert git(words, "diff", "--name-only", "main", "HEAD") == "third_party/c.py"
    git(words, "checkout", "-q", "main")
    assert run("migrate", words / "a.py").code == 0
    assert git(words, "diff", "--name-only", "main", "HEAD") == "a.py"


def test_package_called_dist_is_source_and_a_build_folder_is_not(words: Path, run: Run) -> None:
    for path in ("dist/__init__.py", "dist/utils.py", "build/x.py", "lib.egg-info/x.py"):
        (words / path).parent.mkdir(exist_ok=True)
        (words / path).write_bytes(b'x = "OLD"\n' if "init" not in path else b"")
    git(words, "add", ".")
    git(words, "commit", "-q", "-m", "more")
    out = json.loads(run("check", words, "--format", "json").out)
    assert [row["path"] for row in out["findings"]] == ["a.py", "a.py", "dist/utils.py", "pkg/b.py"]


def test_bare_repository_gets_the_branch(words: Path, run: Run, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(words), "bare.git")
    done = run("migrate", tmp_path / "bare.git")
    assert (done.code, done.out) == (0, b"")
    assert git(tmp_path / "bare.git", "diff", "--name-only", "main", "spawnfix/migrate") == "a.py\npkg/b.py"
    assert run("check", tmp_path / "bare.git").code == 1


def test_missing_identity_is_said(words: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "home/.gitconfig").unlink()
    done = run("migrate", words)
    assert done.code == 0
    assert "the commits are by spawnfix <spawnfix@localhost>" in done.err


def test_unsafe_fixes_and_confidence(words: Path, run: Run) -> None:
    (words / "a.py").write_bytes(b'x = "RISKY"\ny = "MAYBE"\n')
    git(words, "commit", "-q", "-a", "-m", "risky")
    assert "1 only with --unsafe-fixes" in run("migrate", words, "--dry-run").err
    assert b'+x = "NEW"' not in run("migrate", words / "a.py", "--dry-run").out
    assert b'+x = "NEW"\n y = "MAYBE"' in run("migrate", words / "a.py", "--dry-run", "--unsafe-fixes").out
    assert b'+y = "NEW"' in run("migrate", words / "a.py", "--dry-run", "--confidence", "possible").out
    run("migrate", words / "a.py", "--unsafe-fixes")
    assert "    unsafe: it is risky" in git(words, "log", "-1", "--format=%B")


def test_settings_come_from_the_commit(words: Path, run: Run) -> None:
    (words / "pyproject.toml").write_text('[tool.spawnfix]\nexclude = ["pkg"]\nper-file-ignores = {"a.py" = ["toy"]}\n')
    git(words, "add", ".")
    git(words, "commit", "-q", "-m", "settings")
    (words / "pyproject.toml").write_text("")
    assert run("migrate", words, "--dry-run").out == b""
    assert run("check", words).code == 1, "check reads the files on disk"


# --no-git


def test_no_git_rewrites_a_plain_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / ".venv").mkdir(parents=True)
    (folder / "inner/.git").mkdir(parents=True)
    for path in ("a.py", "z.py", ".venv/x.py", "inner/x.py"):
        (folder / path).write_bytes(b'x = "OLD"\r\n')
    (folder / "a.py").chmod(0o750)
    (tmp_path / "outside.py").write_bytes(b'x = "OLD"\n')
    (folder / "link.py").symlink_to("../outside.py")
    done = run("migrate", folder, "--no-git")
    assert (done.code, done.out) == (0, b"")
    assert (folder / "a.py").read_bytes() == b'x = "NEW"\r\n'
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o750
    assert b"OLD" in (folder / ".venv/x.py").read_bytes()
    assert b"OLD" in (folder / "inner/x.py").read_bytes()
    assert b"OLD" in (tmp_path / "outside.py").read_bytes()
    assert (folder / "link.py").is_symlink()
    assert sorted(path.name for path in folder.iterdir()) == [".venv", "a.py", "inner", "link.py", "z.py"]


def test_no_git_takes_one_file(run: Run, tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(b'x = "OLD"\n')
    assert run("migrate", "a.py", "--no-git").code == 0
    assert (tmp_path / "a.py").read_bytes() == b'x = "NEW"\n'
    assert (tmp_path / "b.py").read_bytes() == b'x = "OLD"\n'


def test_no_git_replaces_nothing_when_one_file_changed_meanwhile(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codemods.delivery import deliver
    from codemods.tree.writing import replace_files

    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(b'x = "OLD"\n')

    def late(folder: Path, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        (tmp_path / "b.py").write_bytes(b"meanwhile")
        replace_files(folder, before, after)

    monkeypatch.setattr(deliver, "replace_files", late)
    one_line(run("migrate", tmp_path, "--no-git"), r"b\.py changed while spawnfix was at work")
    assert (tmp_path / "a.py").read_bytes() == b'x = "OLD"\n'
    assert (tmp_path / "b.py").read_bytes() == b"meanwhile"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "b.py", "home"]


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (["check", "nowhere"], "nowhere: no such file or folder"),
        (["migrate", "nowhere"], "nowhere: no such file or folder"),
        (["migrate", "."], r"\.: not in a git repository; --no-git"),
        (["migrate", ".", "--no-git", "--branch", "x"], "--no-git makes no branch"),
        (["migrate", ".", "--exit-code"], "--exit-code goes with --dry-run"),
        (["check", ".", "--select", "tow"], r"no rule called 'tow' \(did you mean 'toy'\?\)"),
        (["migrate", ".", "--dry-run", "--ignore", "x"], "no rule called 'x'"),
        (["explain", "tyo"], r"no rule called 'tyo' \(did you mean 'toy'\?\)"),
        (["check", ".", "--format", "xml"], "'--format'.*'xml' is not one of"),
        (["check", ".", "--confidence", "sure"], "'--confidence'.*'sure' is not one of"),
        (["check"], r"Missing argument 'PATH'.*spawnfix check --help"),
        (["check", ".", "--nope"], "No such option"),
        (["chekc", "."], "No such command 'chekc'"),
        (["check", "a\0b"], "null (byte|character)"),
        (["check", "x" * 300], "File name too long"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_wrong_use_is_one_line(run: Run, arguments: list[str], pattern: str) -> None:
    one_line(run(*arguments), pattern)


def test_no_commit_yet(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    git(tmp_path, "init", "-q", str(folder))
    one_line(run("migrate", folder), "no commit yet; commit your files first, or use --no-git")
    empty = run("check", folder)
    assert empty.code == 0
    assert "no files to look at" in empty.err
    (folder / "a.py").write_bytes(b'x = "OLD"\n')
    assert run("check", folder / "a.py").code == 1, "named by the user, though not tracked"
    assert run("migrate", folder, "--no-git").code == 0
    assert (folder / "a.py").read_bytes() == b'x = "NEW"\n'


def test_empty_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no files to look at" in run("check", "empty").err
    assert run("check", "empty").code == 0
    assert run("migrate", "empty", "--no-git").code == 0


def test_nothing_committed_there(words: Path, run: Run) -> None:
    (words / "fresh").mkdir()
    (words / "fresh/x.py").write_bytes(b'x = "OLD"\n')
    one_line(run("migrate", words / "fresh"), "nothing there is committed")
    assert run("check", words / "fresh").code == 1


def test_unparsable_and_undecodable_files_are_listed_and_the_run_goes_on(words: Path, run: Run) -> None:
    (words / "py2.py").write_bytes(b'print "OLD"\n')
    (words / "latin.py").write_bytes(b'x = "OLD \xe9"\n')
    (words / "big.py").write_bytes(b"# OLD\n" + b"#" * (17 * 2**20))
    git(words, "add", ".")
    git(words, "commit", "-q", "-m", "bad ones")
    done = run("migrate", words)
    assert done.code == 0
    for name in ("py2.py", "latin.py", "big.py"):
        assert f"skipped {name}: " in done.err
    assert b"NEW" in (words / "a.py").read_bytes()
    shown = json.loads(run("check", words, "--format", "json").out)
    assert {row["path"] for row in shown["skipped"]} == {"py2.py", "latin.py", "big.py"}


def test_names_do_not_steer_the_terminal(words: Path, run: Run) -> None:
    (words / "a\x1b[31m\n.py").write_bytes(b'print "OLD"\n')
    git(words, "add", ".")
    git(words, "commit", "-q", "-m", "nasty")
    done = run("migrate", words)
    assert "\x1b" not in done.err
    assert "skipped a?[31m?.py: " in done.err


def test_our_own_failure_is_one_line(words: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(pipeline, "plan", fail)
    before = state(words)
    one_line(run("migrate", words), "internal error, nothing more was done: RuntimeError: first .*SPAWNFIX_DEBUG=1")
    assert state(words) == before
    monkeypatch.setenv("SPAWNFIX_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["spawnfix", "migrate", str(words)])
    with pytest.raises(RuntimeError, match="first"):
        commands.main()


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_rule_that_fails_as_a_whole_is_no_success(
    words: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def fail(project: Project) -> Iterator[Finding]:
        raise RuntimeError("no file to blame")

    monkeypatch.setattr(transforms, "rules", lambda: {"toy": replace(TOY, find=fail)})
    done = run(command, words)
    assert done.code == 2
    assert "rule toy failed" in done.err + done.out.decode()
    assert done.err.splitlines()[-1].startswith("spawnfix: rule toy failed, so its findings are missing")


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_rule_that_fails_on_one_file_is_no_success(
    words: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def fail(project: Project) -> Iterator[Finding]:
        for path in project.python_paths:
            raise RuntimeError(f"cannot {path}")
        yield from ()

    monkeypatch.setattr(transforms, "rules", lambda: {"toy": replace(TOY, find=fail)})
    done = run(command, words)
    assert done.code == 2
    assert "othing found" not in done.err + done.out.decode()
    assert done.err.splitlines()[-1].startswith("spawnfix: rule toy failed, so its findings are missing")


def test_interrupt(words: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "plan", stop)
    before = state(words)
    done = run("migrate", words)
    assert (done.code, done.out) == (130, b"")
    assert state(words) == before


# check, rules, explain, --version


def test_check_reads_what_is_on_disk(words: Path, run: Run) -> None:
    (words / "a.py").write_bytes(b"x = 1\n")
    (words / "pkg/b.py").unlink()
    before = state(words)
    done = run("check", words)
    assert done.code == 0
    assert state(words) == before
    (words / "a.py").write_bytes(b'x = "OLD"\n')
    done = run("check", words)
    assert done.code == 1
    assert b"a.py:1" in done.out
    assert run("check", words, "--exit-zero").code == 0


def test_check_of_a_part(words: Path, run: Run) -> None:
    def paths(where: Path) -> list[str]:
        return [row["path"] for row in json.loads(run("check", where, "--format", "json").out)["findings"]]

    assert paths(words) == ["a.py", "a.py", "pkg/b.py"]
    assert paths(words / "pkg") == ["pkg/b.py"]
    assert paths(words / "pkg/b.py") == ["pkg/b.py"]
    assert paths(words / "third_party") == ["third_party/c.py"]


def test_formats(words: Path, run: Run) -> None:
    shown = json.loads(run("check", words, "--format", "json").out)
    assert Path(shown["root"]).samefile(words)
    assert [(row["line"], row["column"], row["fixable"], row["reason"]) for row in shown["findings"]] == [
        (1, 6, True, None),
        (2, 6, False, "it is dear to us"),
        (1, 6, True, None),
    ]
    assert json.loads(run("check", words, "--format", "sarif").out)["version"] == "2.1.0"
    assert run("check", words, "--format", "github").out.startswith(b"::error file=a.py,line=1")


def test_plain_folder_and_dry_run_need_no_git(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b'x = "OLD"\n')
    assert run("check", ".").code == 1
    assert b'+x = "NEW"' in run("migrate", ".", "--dry-run").out
    assert run("migrate", "a.py", "--dry-run", "--exit-code").code == 1


def test_rules_and_version(run: Run) -> None:
    assert run("rules").out == b"toy  Replace old words by new ones\n"
    assert re.fullmatch(rb"spawnfix \d+\.\d+\.\d+\n", run("--version").out)
    assert run("--help").code == 0
    bare = run()
    assert (bare.code, bare.out) == (2, b"")
    assert "Usage" in bare.err


def test_explain(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    done = run("explain", "dict-views")
    assert done.code == 0
    assert b"## Why it breaks" in done.out


def spawnfix(*arguments: str, **more: object) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [sys.executable, str(ROOT / "cli.py"), *arguments]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, **more)  # type: ignore[call-overload, no-any-return]


@pytest.mark.slow
def test_reader_that_goes_away(tmp_path: Path) -> None:
    process = spawnfix("explain", "dict-views")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() != 0


@pytest.mark.slow
def test_machine_without_git(words: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    bare = {**os.environ, "PATH": str(tmp_path / "plain")}
    done = spawnfix("check", str(tmp_path / "plain"), env=bare)
    assert done.communicate()[1].endswith(b"no files to look at\n")
    assert done.returncode == 0
    done = spawnfix("check", str(words), env=bare)  # reads the index itself
    assert b"git" not in done.communicate()[1]
    assert done.returncode == 0
    done = spawnfix("migrate", str(words), env=bare)
    words_of_it = b"spawnfix: the git program was not found or can't be started; install git, or use --no-git\n"
    assert done.communicate() == (b"", words_of_it)
    assert done.returncode == 2


def test_help_needs_nothing_slow() -> None:
    code = "import codemods.commands, sys; print({'libcst', 'git', 'torch', 'rich', 'tree_sitter'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout == b"set()\n"


def test_the_files_that_were_named_are_counted(words: Path, run: Run) -> None:
    """Others are read too: a value may go through them."""
    for paths, counted in ((["a.py"], "in 1 file"), (["pkg"], "in 1 file"), (["a.py", "pkg/b.py"], "in 2 files")):
        done = run("check", *(words / path for path in paths))
        assert counted in done.out.decode().replace("1 of ", "").replace("2 of ", ""), done


@pytest.mark.parametrize("typed", ["A.py", "Pkg/B.py", "PKG"])
def test_a_name_may_be_typed_in_another_case_where_case_does_not_count(words: Path, run: Run, typed: str) -> None:
    """A second name for the same file stands for such a file system."""
    (words / "Pkg").mkdir()
    (words / "PKG").mkdir()
    os.link(words / "a.py", words / "A.py")
    os.link(words / "pkg/b.py", words / "Pkg/B.py")
    os.link(words / "pkg/b.py", words / "PKG/b.py")
    with pytest.MonkeyPatch.context() as patch:
        if typed == "PKG":
            patch.setattr(
                "codemods.delivery.target._same_file", lambda one, other: one.name.lower() == other.name.lower()
            )
        checked, migrated = run("check", words / typed), run("migrate", words / typed, "--dry-run")
    assert "in 1 file" in checked.out.decode().replace("1 of ", ""), checked
    assert migrated.code == 0 and b"+++ b/" in migrated.out and typed.encode() not in migrated.out


def test_elsewhere_names_in_another_case_are_other_files(words: Path, run: Run) -> None:
    (words / "A.py").write_bytes(b'x = "OLD"\n')
    one_line(run("migrate", words / "A.py", "--dry-run"), "nothing there is committed")
