"""The page of a review: what is in it, that nothing of a repository is more than text there, and who may talk to it."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from codemods.engine.migrate import plan
from codemods.engine.units import Units
from codemods.problem import Problem
from codemods.review.decisions import Choice, Decisions, parse_decisions
from codemods.review.model import Review, review_of
from codemods.review.page import page_of
from codemods.review.page.highlight import MAX_TEXT, Highlighter
from codemods.review.server import ReviewServer
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]

TRAIN = """from torch.utils.data import DataLoader


def build(data, scale):
    # </script><script>alert(1)</script> \u202e &amp; <!--
    return DataLoader(data, num_workers=2, collate_fn=lambda rows: [row * scale for row in rows])


def evaluate(data, names):
    for name in names:
        loader = DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(name))
        name = 1
        yield from loader
"""


def reviewed(files: dict[str, str]) -> Review:
    memory = MemoryFiles({path: text.encode() for path, text in files.items()})
    return review_of(Units(plan(memory, Settings())), memory)


class _Reader(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self._in: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self.inside:
            self._in = tag
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = None

    def handle_data(self, text: str) -> None:
        if self._in is not None:
            self.inside[self._in][-1] += text


def read(page: str) -> tuple[_Reader, dict[str, Any]]:
    reader = _Reader()
    reader.feed(page)
    return reader, json.loads(reader.inside["script"][0])


def test_the_page_has_every_change_with_its_lines_and_what_stays() -> None:
    review = reviewed({"train.py": TRAIN})
    (change,) = review.changes
    decisions = Decisions().with_decision(change, Choice.ACCEPTED, "fine")
    _, data = read(page_of(review, decisions, "work"))
    assert (data["version"], data["filesSeen"]) == (review.version, review.files_seen)
    fixable, refused = data["items"]
    assert (fixable["id"], fixable["status"], fixable["decision"], fixable["note"]) == (
        change.id, "fixable", "accepted", "fine",
    )  # fmt: skip
    assert (refused["status"], refused["path"], refused["line"]) == ("refused", "train.py", 11)
    assert "decision" not in refused and refused["reason"]
    signs = [row["sign"] for hunk in fixable["hunks"] for row in hunk["rows"]]
    assert signs.count("-") == 1 and "+" in signs
    lines = {int(number): "".join(text for _, text in row) for number, row in data["files"]["train.py"].items()}
    assert lines[6] == TRAIN.splitlines()[5]
    for hop in fixable["trace"]:
        assert hop["line"] in lines
    old = [row["old"] for hunk in fixable["hunks"] for row in hunk["rows"] if row["sign"] == "-"]
    assert old == [6]
    assert parse_decisions(json.dumps({data["format"]: data["formatVersion"], "decisions": []}), "x") == Decisions()


def test_what_a_repository_says_is_text_and_no_more() -> None:
    page = page_of(reviewed({"<img src=x onerror=alert(1)>.py": TRAIN}), Decisions(), "<b>work</b>\u202e")
    reader, data = read(page)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not [tag for tag, _ in reader.tags if tag in ("b", "img", "iframe", "link", "object", "base")]
    assert "\u202e" not in page and "<U+202E>" in json.dumps(data, ensure_ascii=False)
    assert data["items"][0]["path"] == "<img src=x onerror=alert(1)>.py"
    assert not [name for _, attributes in reader.tags for name in attributes if name.startswith("on")]


@pytest.mark.parametrize("served", [False, True])
def test_the_policy_lets_our_own_script_run_and_nothing_else(served: bool) -> None:
    reader, _ = read(page_of(reviewed({"train.py": TRAIN}), Decisions(), "work", served))
    (policy,) = [row["content"] for tag, row in reader.tags if row.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert rules.pop("script-src") == digest(reader.inside["script"][1])
    assert rules.pop("style-src") == digest(reader.inside["style"][0])
    assert rules.pop("connect-src", None) == ("'self'" if served else None)
    assert set(rules.values()) == {"'none'"} and "default-src" in rules
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", reader.inside["script"][1])


@pytest.mark.parametrize("path", ["a.py", "a.sh", "a.txt", "a.ipynb"])
@pytest.mark.parametrize(
    "text", ["", "\n", "x", "x = 1\n", "a = '''b\nc'''\r\nd\n", "if x; then\n  echo $y # z\nfi", "\x00\x0c\n\ud800"]
)
def test_colours_lose_no_character(path: str, text: str) -> None:
    rows = Highlighter(path, text).lines
    assert "\n".join("".join(piece for _, piece in row) for row in rows) == text.replace("\r", "")
    assert len(rows) == text.count("\n") + 1


def test_a_large_text_has_no_colours() -> None:
    assert Highlighter("a.py", "def f():\n" * (MAX_TEXT // 9 + 1)).lines[0] == [("", "def f():")]
    assert Highlighter("a.py", "def f():\n").lines[0][0] == ("k", "def")


# migrate --html


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN, encoding="utf-8")
    commit_all(folder)
    return folder


def test_html_writes_the_page_and_a_dry_run_nothing_else(repo: Path, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    done = spawnfix("migrate", str(repo), "--dry-run", "--html", str(page), cache=tmp_path / "cache")
    assert done.returncode == 0
    _, data = read(page.read_text(encoding="utf-8"))
    assert (data["title"], len(data["items"]), data["served"]) == ("work", 2, False)
    assert git(repo, "branch", "--list", "spawnfix/*") == ""
    done = spawnfix("migrate", str(repo), "--dry-run", "--html", str(tmp_path / "no" / "x"), cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "can't write" in done.stderr


# The server


class Served:
    """A server in a thread, and requests to it."""

    def __init__(self, server: ReviewServer) -> None:
        self.server = server

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture
def served() -> Iterator[tuple[Served, list[Decisions], list[str]]]:
    saved: list[Decisions] = []
    applied: list[str] = []

    def apply() -> str:
        if not saved:
            raise Problem("nothing is saved")
        applied.append("applied")
        return "branch spawnfix/migrate"

    with ReviewServer("<p>page</p>", saved.append, apply) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield Served(server), saved, applied
        server.shutdown()
        thread.join()


BODY = '{"spawnfix-decisions": 1, "decisions": [{"id": "0c1f6d2ab937", "decision": "accepted"}]}'


def test_who_has_the_address_sees_the_page_saves_and_applies(served: tuple[Served, list[Decisions], list[str]]) -> None:
    client, saved, applied = served
    home = f"/{client.server.token}/"
    origin = client.server.origin
    assert len(client.server.token) >= 40
    assert client.server.server_address[0] == "127.0.0.1"
    assert client.ask("GET", home) == (200, "<p>page</p>")
    assert client.ask("POST", f"{home}apply", "{}", Origin=origin) == (409, "nothing is saved")
    assert client.ask("PUT", f"{home}decisions", BODY, Origin=origin) == (200, "saved")
    assert saved[0].by_id["0c1f6d2ab937"].choice is Choice.ACCEPTED
    assert client.ask("POST", f"{home}apply", "{}", Origin=origin) == (200, "branch spawnfix/migrate")
    assert applied == ["applied"]


def test_everybody_else_is_refused(served: tuple[Served, list[Decisions], list[str]]) -> None:
    client, saved, applied = served
    home, origin = f"/{client.server.token}/", client.server.origin
    assert client.ask("GET", "/")[0] == 404
    assert client.ask("GET", "/wrong/")[0] == 404
    assert client.ask("GET", home + "decisions")[0] == 404
    assert client.ask("GET", home, Host="evil.example")[0] == 404
    for method, path in (("PUT", "decisions"), ("POST", "apply")):
        assert client.ask(method, home + path, BODY)[0] == 403  # no origin
        assert client.ask(method, home + path, BODY, Origin="http://evil.example")[0] == 404
        assert client.ask(method, home + path, BODY, Origin="null")[0] == 404
        assert client.ask(method, home + path, BODY, Origin=origin, Host="evil.example")[0] == 404
        assert client.ask(method, f"/wrong/{path}", BODY, Origin=origin)[0] == 404
    assert (saved, applied) == ([], [])


@pytest.mark.parametrize(
    ("body", "status"), [("not json", 409), ("[]", 409), ('{"spawnfix-decisions": 9}', 409), ("\udcff", 400)]
)
def test_what_is_no_file_of_decisions_is_refused(
    body: str, status: int, served: tuple[Served, list[Decisions], list[str]]
) -> None:
    client, saved, _ = served
    connection = http.client.HTTPConnection("127.0.0.1", client.server.server_port, timeout=30)
    headers = {"Origin": client.server.origin}
    connection.request("PUT", f"/{client.server.token}/decisions", body.encode("utf-8", "surrogateescape"), headers)
    assert connection.getresponse().status == status
    connection.close()
    assert saved == []
