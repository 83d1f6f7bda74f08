"""Repositories made to do harm: nothing runs, nothing outside is read or written, monsters cost seconds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness import tool
from harness.repositories import finish_here
from harness.torture import BODY, NEW, OLD

ROOT = Path(__file__).resolve().parents[2]
FIXED = BODY.replace(OLD, NEW)
SECONDS = 240  # on a busy machine; alone it is a few


@pytest.fixture(autouse=True)
def _own_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    finish_here(request, monkeypatch)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *arguments], capture_output=True, check=True, timeout=SECONDS)
    return done.stdout.decode().strip()


def spawnfix(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = tool.spawnfix(*map(str, arguments), cache=Path(os.environ["SPAWNFIX_CACHE_DIR"]))
    assert "Traceback" not in done.stderr, done.stderr
    return done


def repository(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.py").write_text(BODY)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_programs_named_anywhere_in_the_configuration_are_not_run(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    marker = tmp_path / "ran"
    evil = tmp_path / "repo" / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho $0 $* >> {marker}\ncat\n")
    evil.chmod(0o755)
    included = repo / ".git" / "included"
    included.write_text(
        f"[core]\nfsmonitor = {evil}\nhooksPath = {repo}\nsshCommand = {evil}\npager = {evil}\neditor = {evil}\n"
        f'alternateRefsCommand = {evil}\n[diff]\nexternal = {evil}\n[diff "x"]\ntextconv = {evil}\ncommand = {evil}\n'
        f'[filter "x"]\nclean = {evil}\nsmudge = {evil}\nrequired = true\n[merge "x"]\ndriver = {evil}\n'
        f"[gpg]\nprogram = {evil}\n[commit]\ngpgSign = true\n[credential]\nhelper = !{evil}\n"
        f"[alias]\ncheckout = !{evil}\n"
        f'[gc]\nauto = 1\n[trailer "x"]\ncommand = {evil}\n[uploadpack]\npackObjectsHook = {evil}\n'
    )
    git(repo, "config", "include.path", "included")
    git(repo, "config", "includeIf.gitdir:**.path", "included")
    for name in ("post-checkout", "reference-transaction", "post-index-change", "post-commit", "pre-commit"):
        (repo / name).write_bytes(evil.read_bytes())
        (repo / name).chmod(0o755)
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.py filter=x diff=x merge=x text\n")
    for arguments in (["check", repo], ["migrate", "--dry-run", repo], ["migrate", repo]):
        spawnfix(*arguments)
    assert not marker.exists(), marker.read_text()
    assert (repo / "a.py").read_text() == BODY  # its own filter would have to run for a checkout
    shown = subprocess.run(
        ["git", "--git-dir", repo / ".git", "cat-file", "blob", "spawnfix/migrate:a.py"],
        capture_output=True, text=True, check=True, env={**os.environ, "GIT_CONFIG_COUNT": "0"},
    )  # fmt: skip
    assert shown.stdout == FIXED


def test_git_file_that_points_to_another_repository(tmp_path: Path) -> None:
    """As a linked work tree's `.git` may; a file that points to somebody else's repository must not change it."""
    other = repository(tmp_path / "other")
    (other / "secret.py").write_text(BODY)
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "two")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / ".git").write_text(f"gitdir: {other / '.git'}\n")
    (mine / "a.py").write_text("x = 1\n")
    refs, index = git(other, "for-each-ref"), (other / ".git/index").read_bytes()
    for arguments in (["check", mine], ["migrate", mine]):
        spawnfix(*arguments)
    assert git(other, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert (other / "secret.py").read_text() == BODY
    assert not (mine / "secret.py").exists()
    assert (other / ".git/index").read_bytes() == index
    assert git(other, "for-each-ref", "refs/heads/main") in refs


@pytest.mark.parametrize(
    "content",
    ["gitdir: /nonexistent\n", "gitdir: .\n", "gitdir: .git\n", "", "\0\0", "gitdir: " + "x/" * 4000, "x" * 10**6],
)
def test_git_file_that_makes_no_sense(tmp_path: Path, content: str) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".git").write_text(content)
    (tmp_path / "repo" / "a.py").write_text(BODY)
    done = spawnfix("migrate", tmp_path / "repo")
    assert done.returncode == 2
    assert len([line for line in done.stderr.splitlines() if line.startswith("spawnfix: ")]) == 1, done.stderr
    assert (tmp_path / "repo" / "a.py").read_text() == BODY


def test_names_from_the_repository_steer_nothing(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    names = (
        "\x1b]0;owned\x07.py",
        "<script>alert(1)</script".replace("/", "\u2215") + ">.py",
        "a\r\nskipped b.py: fine.py",
    )
    for name in names:
        (repo / name).write_text(BODY + "# \x1b[2J\n")
    git(repo, "init", "-q")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "one")
    for form in ("text", "github", "json", "sarif"):
        done = spawnfix("check", "--format", form, repo)
        assert done.returncode == 1, done.stderr
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x9b]", done.stdout + done.stderr), form
    done = spawnfix("migrate", repo)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stderr + git(repo, "log", "-1", "--format=%B"))
    assert all((repo / name).read_text() == FIXED + "# \x1b[2J\n" for name in names)


BOMBS = {
    "dotted header": "[" + ".".join("a" * 40_000) + "]\n",
    "dotted key": ".".join(["a"] * 40_000) + " = 1\n",
    "quoted parts": ".".join(['"a"'] * 20_000) + " = 1\n",
    "parts with blanks": " . ".join(["a"] * 20_000) + " = 1\n",
    "deep table": "x = " + "{a=" * 30_000 + "\n",
    "deep list": "x = " + "[" * 100_000 + "\n",
    "number": "[tool.spawnfix]\nselect = " + "9" * 5_000 + "\n",
    "number in another base": "[tool.spawnfix]\nselect = 0x" + "f" * 50_000 + "\n",
    "long key": "[tool.spawnfix]\n" + "a" * 200_000 + " = 1\n",
    "long rule": "[tool.spawnfix]\nselect = ['" + "a" * 200_000 + "']\n",
    "globs": "[tool.spawnfix]\nexclude = [" + "'a*b*c*d', " * 50_000 + "]\n",
    "long glob": "[tool.spawnfix]\nexclude = ['" + "*a" * 50_000 + "']\n",
    "large": "[tool.spawnfix]\n" + "#" * 2_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.slow
def test_hostile_settings_cost_neither_time_nor_memory(tmp_path: Path, name: str) -> None:
    resource = pytest.importorskip("resource")
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.py").write_text(BODY)
    (tmp_path / "code/pyproject.toml").write_text(BOMBS[name] + "# spawnfix\n")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (15, 16))
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

    command = [sys.executable, ROOT / "cli.py", "check", "--no-cache", tmp_path / "code"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limited)
    assert done.returncode == 2, (done.returncode, done.stderr[-2000:])
    assert re.fullmatch(r"spawnfix: pyproject\.toml: [^\n]{1,600}\n", done.stderr), done.stderr[-2000:]


def test_globs_with_classes_print_no_warnings(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY)
    globs = ["[[:alpha:]]*", "[a--z]", "[&&||~~]x", "[]x]", "[!]x]", "[a-]"]
    (tmp_path / "pyproject.toml").write_text(f"[tool.spawnfix]\nexclude = {globs}\n")
    done = spawnfix("check", tmp_path)
    assert done.returncode in (0, 1, 2) and "Warning" not in done.stderr


@pytest.mark.parametrize(
    "codec",
    ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7", "rot13", "zlib", "hex", "undefined", "mbcs"],
)
def test_codec_that_is_no_encoding_of_source(tmp_path: Path, codec: str) -> None:
    (tmp_path / "a.py").write_text(f"# -*- coding: {codec} -*-\n" + BODY + "# " + "a-" * 100_000)
    done = spawnfix("check", "--format", "json", tmp_path)
    (row,) = json.loads(done.stdout)["skipped"]
    assert row["path"] == "a.py" and "encoding" in row["reason"]


def test_encodings_of_people_are_read(tmp_path: Path) -> None:
    for codec in (
        "latin-1",
        "iso-8859-15",
        "cp1252",
        "windows-1251",
        "euc-jp",
        "shift_jis",
        "gbk",
        "big5",
        "koi8-r",
        "utf8",
    ):
        (tmp_path / f"{codec}.py").write_text(f"# -*- coding: {codec} -*-\n" + BODY, encoding=codec)
    done = spawnfix("check", "--format", "json", tmp_path)
    report = json.loads(done.stdout)
    assert report["skipped"] == [] and len({row["path"] for row in report["findings"]}) == 10


MONSTERS = {
    "lambdas.py": BODY + "".join(f"self.f{n} = lambda x: x + {n}\n" for n in range(400)),
    "names.py": BODY + "x = [" + "a," * 20_000 + "]\n",
    "chain.py": BODY + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 2_000)),
    "functions.py": BODY + "".join(f"def f{n}(x, *a, **k): return f{n * 13 % 300}(x, *a, **k)\n" for n in range(300)),
    "statements.py": BODY + "x=1;" * 10_000 + "\n",
    "spaces.py": BODY + " " * 200_000 + "\n",
    "suppressed.py": BODY + "# spawnfix: ignore[" + " " * 100_000 + "\n" + "# spawnfix:" * 10_000 + "\n",
    "dots.py": BODY + "x = d. keys" + " " * 100_000 + "()\n",
    "nested.py": BODY + "x = " + "lambda a: " * 80 + "a\n",
    "comprehended.py": BODY + "x = " + "[" * 60 + "a" + " for a in b]" * 60 + "\n",
    "literals.py": BODY + "x = 'a' * 10**12, 9**9**9, 1 << 10**10\n",
    "nested.sh": "python -m torch.distributed.launch " + "$(echo " * 1_000 + ")" * 1_000 + " train.py\n",
    "continued.sh": "python -m torch.distributed.launch \\\n" + "  --x=1 \\\n" * 3_000 + " train.py\n",
    "quotes.sh": "python -m torch.distributed.launch " + "'\"$(`" * 5_000 + "\n",
    "variables.sh": "".join(f"A{n}=$A{n - 1}$A{n - 1}\n" for n in range(1, 60))
    + "$A59 python -m torch.distributed.launch $A59 train.py\n",
    "fences.md": "```bash\n" * 3_000 + "python -m torch.distributed.launch train.py\n",
    "ticks.md": "`" * 100_000 + "\npython -m torch.distributed.launch train.py\n",
    "environ.py": BODY + "x = '''" + "environ " * 100_000 + "'''\n",
    "reads.py": BODY + "import os\n" + "x = os.environ['LOCAL_RANK']\n" * 3_000,
    "views.py": "def f(ranges):\n" + "    x = ranges.keys()\n" * 3_000 + BODY,
    "pipes.sh": "python -m torch.distributed.launch train.py\n" + "a|" * 100_000 + "a\n",
    "redirected.sh": "python -m torch.distributed.launch train.py\n" + ">" * 100_000 + "a\n",
    "documents.sh": "python -m torch.distributed.launch train.py\n" + "cat <<'A\n" * 50_000 + "a\n",
    "wide.sh": "# \u00e9\n" + "python -m torch.distributed.launch train.py\n" * 500 + "echo a\n" * 20_000,
    "templates.yml": "run: python -m torch.distributed.launch train.py " + "${{a" * 200_000 + "\n",
    "listed.yml": "run: [python, -m, torch.distributed.launch, a" + " " * 500_000 + "b]\n",
    "steps.yml": "on: push\njobs:\n" + "    - run: python -m torch.distributed.launch train.py\n" * 1_500,
    "blocks.rst": "x::\n\n  python -m torch.distributed.launch train.py\n\n" * 1_500,
    "tabs.rst": "\t" * 300_000 + "\npython -m torch.distributed.launch train.py\n",
    "Makefile": "a:\n\tpython -m torch.distributed.launch " + "\\\n\t" * 3_000 + "train.py\n",
    "Dockerfile": "RUN python -m torch.distributed.launch " + "\\\n" * 3_000 + "train.py\n",
    "brackets.ipynb": '{"cells": ' + "[" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_cost_seconds(tmp_path: Path, name: str) -> None:
    """CPU time and memory are bounded in the child, so a busy machine does not matter."""
    resource = pytest.importorskip("resource")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / name).write_text(MONSTERS[name])
    (tmp_path / "code" / "train.py").write_text("parser.add_argument('--local_rank', type=int)\n")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 31))
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))

    command = [sys.executable, ROOT / "cli.py", "migrate", "--no-git", "--no-cache", tmp_path / "code"]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limited)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:], time.monotonic() - started)
    assert "Traceback" not in done.stderr
    assert "our bug" not in done.stderr, done.stderr
    if name.endswith(".py"):
        assert "dict-views: 1 fixed" in done.stderr
