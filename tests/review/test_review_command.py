"""`spawnfix review`: what it says, saves and changes. The tests stand in for the page, which saves and applies."""

from __future__ import annotations

import json
import re
import webbrowser
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from codemods.review.decisions import Choice, Decision, Decisions
from codemods.review.server import ReviewServer
from harness.tool import spawnfix

LINES = """\
from multiprocessing import Process


class Box:
    def __init__(self, sizes):
        self.names = sizes.keys()
        self.values = sizes.values()


def work(box):
    print(len(box.names), len(box.values))


if __name__ == "__main__":
    Process(target=work, args=(Box({"a": 1}),)).start()
"""
Meanwhile = Callable[[ReviewServer], object]
Review = Callable[..., CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "boxes"
    folder.mkdir()
    (folder / "box.py").write_text(LINES)
    return folder


@pytest.fixture
def review(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Review:
    """Calls `spawnfix review FOLDER --no-git ARGUMENTS`; `meanwhile` is done before somebody presses Ctrl-C."""

    def call(*arguments: str, meanwhile: Meanwhile = bool) -> CompletedProcess[str]:
        def until_ctrl_c(server: ReviewServer) -> None:
            meanwhile(server)
            raise KeyboardInterrupt

        monkeypatch.setattr(ReviewServer, "serve_forever", until_ctrl_c)
        return spawnfix("review", str(folder), "--no-git", *arguments, cache=tmp_path / "cache")

    return call


def ids(server: ReviewServer) -> list[str]:
    """What the page calls the changes."""
    return [*dict.fromkeys(re.findall(r'"id": ?"([0-9a-f]+)"', server.page.decode()))]


def test_what_is_accepted_is_changed_and_decisions_are_saved(review: Review, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "decisions.json"
    answers = []

    def accept_the_second(server: ReviewServer) -> None:
        first, second = ids(server)
        server.save(Decisions({first: Decision(Choice.REJECTED), second: Decision(Choice.ACCEPTED)}))
        answers.append(server.apply())

    done = review("--no-browser", "--decisions", str(file), meanwhile=accept_the_second)
    assert done.returncode == 0 and done.stdout == ""
    first, second, *said = done.stderr.splitlines()
    assert re.fullmatch(r"2 changes, 0 findings without one: http://127\.0\.0\.1:\d+/\S+/", first)
    assert second == f"decisions are saved in {file}; Ctrl-C ends this"
    assert said[-3:] == [
        "", "make what you accepted, now or later:", f"  spawnfix migrate --decisions {file} {folder}",
    ]  # fmt: skip
    (answer,) = answers
    assert answer.splitlines() == said[:-3] and "1 accepted, 1 rejected" in answer
    text = (folder / "box.py").read_text()
    assert text == LINES.replace("sizes.values()", "list(sizes.values())")
    assert {row["decision"] for row in json.loads(file.read_text())["decisions"]} == {"rejected", "accepted"}


def test_nothing_accepted_changes_nothing(review: Review, folder: Path) -> None:
    answers: list[str] = []
    review("--no-browser", meanwhile=lambda server: answers.append(server.apply()))
    assert answers[0].splitlines()[-1] == "nothing is accepted: nothing was changed"
    assert (folder / "box.py").read_text() == LINES


def test_decisions_are_saved_in_the_cache_and_shown_by_the_next_review(
    review: Review, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    known: list[str] = []

    def accept_one(server: ReviewServer) -> None:
        known.extend(ids(server))
        server.save(Decisions({known[0]: Decision(Choice.ACCEPTED, note="looks right")}))

    done = review(meanwhile=accept_one)
    assert opened == [re.findall(r"http://\S+", done.stderr)[0]]
    (file,) = (tmp_path / "cache/decisions").iterdir()
    assert f"decisions are saved in {file}" in done.stderr
    pages: list[bytes] = []
    review("--no-browser", meanwhile=lambda server: pages.append(server.page))
    assert b"looks right" in pages[0] and len(opened) == 1
    (folder / "box.py").write_text(LINES.replace("sizes.keys()", "sorted(sizes)"))  # its decision stays for later

    def accept_the_other(server: ReviewServer) -> None:
        server.save(Decisions({known[1]: Decision(Choice.ACCEPTED)}))

    review("--no-browser", meanwhile=accept_the_other)
    assert {row["id"] for row in json.loads(file.read_text())["decisions"]} == {*known}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--branch", "mine"), "--no-git makes no branch: leave out --branch and --no-checkout"),
        (("--no-checkout",), "--no-git makes no branch: leave out --branch and --no-checkout"),
        (("--port", "65536"), "a port is a number from 0 to 65535"),
        (("--port", "-1"), "a port is a number from 0 to 65535"),
    ],
)
def test_review_options_that_cannot_be(review: Review, arguments: tuple[str, ...], why: str) -> None:
    done = review("--no-browser", *arguments)
    assert done.returncode == 2 and why in " ".join(done.stderr.replace("│", " ").split())
