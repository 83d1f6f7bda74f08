"""The pages of a batch: everything is escaped, only our own script may run, and the numbers are those of the rows."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from codemods.batch import page
from codemods.batch.ledger import Row, State
from codemods.batch.spec import Outcome, Spec, Status
from codemods.engine.migrate import Report
from codemods.finding import Confidence, Edit, Finding, Fix, Hop, Skipped, Span
from codemods.version import __version__

HOSTILE = "<script>alert('\u202e')</script>\x1b[2J\" onload=x {{ 7 * 7 }}"
TOTALS = {"repos": 3, "migrated": 1, "clean": 0, "failed": 1, "queued": 1, "fixed": 4, "refused": 2}


class Tags(HTMLParser):
    """The tags of a page with their attributes, its text, and whether every tag is closed."""

    VOID = frozenset(("meta", "input"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)


def row(name: str, outcome: Outcome | None) -> Row:
    return Row(name, f"source of {name}", None, State.DONE if outcome else State.QUEUED, None, None, 1, outcome)


def index(wall_seconds: float = 12.4) -> str:
    rows = [
        row("good", Outcome(Status.MIGRATED, fixed=4, refused=2, seconds=1.25, findings={"lambdas": 6},
                            confidence={"lambdas": {"proven": 4, "likely": 2}},
                            files={"index.html": "", "changes.patch": ""})),
        row(HOSTILE, Outcome(Status.FAILED, reason=HOSTILE, files={"log.txt": ""})),
        row("later", None),
    ]  # fmt: skip
    totals = {**TOTALS, "wall_seconds": wall_seconds, "files": 12345, "bytes": 3 * 2**20}
    return page.index_page(rows, {"totals": totals}, {"list": "<list>.txt", "started": "0"})


def finding(number: int = 1, fix: Fix | None = None) -> Finding:
    trace = (Hop("a.py", 3, f"`x` is {HOSTILE}"), Hop("b.py", 4, "`DataLoader` sends it"))
    reason = None if fix else f"because {number} {HOSTILE}"
    return Finding("lambdas", f"{HOSTILE}.py", Span(7, 1, 7, 9), HOSTILE, Confidence.PROVEN, trace, fix, reason)


def repository(*findings: Finding, diff: bytes = b"", skipped: tuple[Skipped, ...] = ()) -> str:
    spec = Spec(HOSTILE, "", HOSTILE, None, remote=False, version="1")
    report = Report(".", findings, skipped, files_seen=1)
    return page.repo_page(spec, Outcome(Status.MIGRATED, commit="abc", fixed=1), report, diff)


PAGES = {
    "batch": index,
    "repository": lambda: repository(
        finding(),
        diff=f"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+{HOSTILE}\n same".encode(),
        skipped=(Skipped("s.py", HOSTILE),),
    ),
}


@pytest.mark.parametrize("which", PAGES)
def test_what_anyone_wrote_is_text_and_nothing_else(which: str) -> None:
    text = PAGES[which]()
    tags = Tags(text)
    assert tags.open == []
    assert not any("onload" in attributes for _, attributes in tags.tags)
    scripts = [content for content in tags.text.get("script", []) if content.strip()]
    assert not any("alert" in content for content in scripts)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\N{REPLACEMENT CHARACTER}" in text
    assert "{{ 7 * 7 }}" in text  # shown, not computed
    assert "49" not in re.sub(r"sha256-\S+|<style>.*?</style>", "", text, flags=re.DOTALL)


def test_only_our_script_may_run() -> None:
    text = index()
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    policy = next(attributes["content"] for tag, attributes in Tags(text).tags if "http-equiv" in attributes)
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert "script-src" not in repository(finding())


def test_rows_and_numbers_of_the_batch() -> None:
    text = index()
    tags = Tags(text)
    assert "12,345 files, 3 MiB, 12 s in the last run" in text
    rows = [attributes for tag, attributes in tags.tags if tag == "tr" and "data-status" in attributes]
    assert [attributes["data-status"] for attributes in rows] == ["migrated", "failed", "queued"]
    assert rows[0]["data-rules"] == "lambdas"
    links = [attributes["href"] for tag, attributes in tags.tags if tag == "a"]
    assert links[:2] == ["repos/good/index.html", "repos/good/changes.patch"]
    assert len(links) == 3
    assert not any(letter in (links[2] or "") for letter in "<>\"' ")
    cells = [row.count("<td") for row in re.findall(r"<tr data-status.*?</tr>", text, re.DOTALL)]
    assert cells == [8, 8, 8]
    assert "s in the last run" not in index(wall_seconds=0)


def test_the_chart_shows_parts_in_proportion() -> None:
    bars = [attributes for tag, attributes in Tags(index()).tags if tag == "rect" and attributes.get("height") == "18"]
    assert [(bar["class"], bar["x"], bar["width"]) for bar in bars] == [
        ("proven", "190.0", "373.3"),
        ("likely", "563.3", "186.7"),
    ]


def test_findings_say_their_fix_or_the_reason() -> None:
    fix = Fix("do <it>", (Edit("a.py", 0, 0, "x"),))
    text = repository(finding(), finding(fix=fix))
    assert "Findings (2)" in text
    assert "Not fixed: because 1 " in text
    assert "<p>Fix: do &lt;it&gt;</p>" in text
    assert text.count("<details>") == 2
    assert text.count("<code>b.py:4</code>") == 2
    assert "Take the branch" not in text
    assert "<p>None.</p>" in repository()


def test_long_pages_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST", 3)
    monkeypatch.setattr(page, "MAX_DIFF", 20)
    text = repository(*(finding(number) for number in range(5)), diff=b"+" + b"x" * 30)
    assert text.count("<details>") == 3
    assert "... and 2 more, in findings.json" in text
    assert "+" + "x" * 19 + "</i>" in text
    assert "(cut; changes.patch holds all of it)" in text


def test_lines_of_the_patch_keep_their_kind() -> None:
    text = repository(diff=b"diff --git a b\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n")
    lines = re.findall(r"<i(?: class=\"(\w)\")?>(.*?)</i>", text)
    assert [kind for kind, _ in lines] == ["h", "h", "h", "h", "d", "a", "", ""]
    assert lines[4][1] == "-old"


def test_every_word_and_number_of_the_batch() -> None:
    said = {tag: [word.strip() for word in words if word.strip()] for tag, words in Tags(index()).text.items()}
    assert said["code"] == ["<list>.txt"]
    assert said["p"] == [
        ", begun 1970-01-01 00:00 +0000; 12,345 files, 3 MiB, 12 s in the last run",
        f"spawnfix {__version__}",
    ]
    assert dict(zip(said["span"], said["b"], strict=True)) == {
        "repositories": "3",
        "migrated": "1",
        "clean": "0",
        "failed": "1",
        "queued": "1",
        "places fixed": "4",
        "places refused": "2",
    }
    assert said["title"][1:] == ["lambdas: 4 proven", "lambdas: 2 likely"]
    assert said["text"] == ["lambdas", "6", "proven", "likely", "possible"]
    assert said["option"] == ["any status", "migrated", "clean", "failed", "queued", "any rule", "lambdas"]
    assert said["button"] == ["repository", "status", "fixed", "refused", "lambdas", "skipped", "s"]
    assert said["a"] == ["good", "patch", "log"]
    assert said["td"][:5] == ["migrated", "4", "2", "6", "1.2"]
    assert said["td"][6:] == ["failed", "0.0", "later", "queued"]


def test_every_word_and_number_of_a_repository() -> None:
    said = {
        tag: [word.strip() for word in words if word.strip()] for tag, words in Tags(PAGES["repository"]()).text.items()
    }
    assert said["a"] == ["all repositories", "review, change by change", "JSON", "SARIF", "patch", "PR text"]
    assert dict(zip(said["span"], said["b"], strict=True)) == {"fixed": "1", "refused": "0", "files skipped": "0"}
    assert said["h2"] == ["Take the branch", "Findings (1)", "Changes", "Skipped files"]
    assert said["code"][1:3] == ["abc", "git apply changes.patch"]
    assert [word.rpartition(" ")[2].rpartition("x=")[2] for word in said["code"][4:]] == ["a.py:3", "b.py:4", "s.py"]
    assert said["pre"] == ["git fetch PATH/TO/branch.bundle 'refs/heads/*:refs/heads/*'"]
    assert said["summary"][0].startswith("lambdas, proven, left: ")
