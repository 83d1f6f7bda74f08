"""The page of a review in a real browser: `make browser`, which needs Chromium and the extra `browser`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods.delivery.target import to_migrate
from codemods.engine.migrate import plan
from codemods.engine.units import Units
from codemods.review.decisions import Decisions, read_decisions
from codemods.review.model import Change, Review, review_of
from codemods.review.page import page_of
from codemods.settings import Settings
from harness.case import ROOT
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]
pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = "<img src=x onerror=document.title='taken'>.py"
PROGRAM = """from torch.utils.data import DataLoader


def first(data, scale):  # </script><script>document.title='taken'</script>
    return DataLoader(data, num_workers=2, collate_fn=lambda rows: [row * scale for row in rows])


def second(data):
    return DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(number))


def third(data, names):
    for name in names:
        yield DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(name))
        name = 1
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        assert program is not None, "no Chromium here"
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page that fails the test when its script fails, or when it asks for anything from a network."""
    wrong: list[str] = []
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith(("file:", "blob:", "http://127.0.0.1:")) else wrong.append(asked.url)
        ),
    )
    yield page
    context.close()
    assert wrong == []


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "train.py").write_text(PROGRAM)
    (folder / HOSTILE).write_text(PROGRAM)
    commit_all(folder)
    return folder


def review(repo: Path) -> Review:
    where = to_migrate(repo, False)
    return review_of(Units(plan(where.files, Settings())), where.files)


def opened(page: Any, folder: Path, review: Review) -> None:
    file = folder / "review.html"
    file.write_text(page_of(review, Decisions(), "work"), encoding="utf-8")
    page.goto(file.as_uri())


def exported(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.keyboard.press("e")
    file = folder / "decisions.json"
    download.value.save_as(file)
    return file


def counts(page: Any) -> str:
    return str(page.inner_text(".counts"))


def test_reject_in_the_browser_leaves_exactly_that_out(page: Any, repo: Path, tmp_path: Path) -> None:
    seen = review(repo)
    assert [(change.path, change.line) for change in seen.changes] == [
        (HOSTILE, 5), (HOSTILE, 9), ("train.py", 5), ("train.py", 9),
    ]  # fmt: skip
    opened(page, tmp_path, seen)
    assert page.title() == "work - spawnfix review"
    for key in ("y", "n", "y", "y"):
        page.keyboard.press(key)
    assert counts(page) == "4 of 4 decided, 3 accepted, 2 without a change"
    page.keyboard.press("k")
    page.keyboard.press("m")
    page.keyboard.type('not "this" \N{PILE OF POO}')
    page.keyboard.press("Escape")
    file = exported(page, tmp_path)
    saved = read_decisions(file)
    assert [saved.of(change).choice.value for change in seen.changes] == [
        "accepted",
        "rejected",
        "accepted",
        "accepted",
    ]
    assert 'not "this" \N{PILE OF POO}' in {decision.note for decision in saved.by_id.values()}

    done = spawnfix("migrate", str(repo), "--decisions", str(file), cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    assert "decisions: 3 accepted, 1 rejected, 0 undecided" in done.stderr
    left = {path.name: re.findall(r"lambda (\w+)", path.read_text()) for path in repo.glob("*.py")}
    assert left == {"train.py": ["number"], HOSTILE: ["number", "number"]}


def test_keys_undo_filters_and_views(page: Any, repo: Path, tmp_path: Path) -> None:
    opened(page, tmp_path, review(repo))
    rows = page.locator(".row")
    assert rows.count() == 6
    page.keyboard.press("y")
    page.keyboard.press("u")
    assert counts(page).startswith("0 of 4 decided")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert "train.py:5" in page.inner_text(".detail")
    page.keyboard.press("s")
    assert page.locator(".detail table.sides").count() >= 1
    page.keyboard.press("s")
    assert page.locator(".detail tr.add").count() >= 1
    page.keyboard.press("t")
    assert page.locator(".detail .trace tr.here").count() >= 1
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")

    page.select_option("select[name=status]", "refused")
    assert rows.count() == 2
    assert "Refused: " in page.inner_text(".detail")
    assert page.locator(".choice").count() == 0
    page.keyboard.press("Escape")
    page.locator("nav.list").focus()
    page.keyboard.press("y")  # there is nothing to accept
    assert counts(page).startswith("0 of 4 decided")
    page.select_option("select[name=status]", "")
    page.locator("nav.list").focus()
    page.keyboard.press("/")
    page.keyboard.type("train.py:9")
    assert page.inner_text(".shown") == "1 of 6"
    page.click("text=Accept all shown")
    assert counts(page) == "1 of 4 decided, 1 accepted, 2 without a change"
    page.fill("input[name=text]", "nothing is called this")
    assert "Nothing matches" in page.inner_text(".detail")


def test_names_and_source_are_shown_as_they_are(page: Any, repo: Path, tmp_path: Path) -> None:
    opened(page, tmp_path, review(repo))
    assert HOSTILE in page.inner_text(".detail")
    page.keyboard.press("t")
    assert "</script><script>document.title='taken'</script>" in page.inner_text(".detail")
    assert page.locator("img").count() == 0
    assert page.title() == "work - spawnfix review"


def test_five_thousand_findings_stay_quick(page: Any, repo: Path, tmp_path: Path) -> None:
    """Counted, not timed: the page never has more rows than fit, and a key makes one detail."""
    seen = review(repo)
    many: list[Change] = []
    for number in range(5000):
        change = seen.changes[number % 4]
        many.append(type(change)(**{**{f: getattr(change, f) for f in change.__slots__}, "id": f"{number:012x}"}))
    large = Review(seen.root, seen.version, tuple(many), seen.open, (), 2, seen.sources)
    opened(page, tmp_path, large)
    assert page.locator(".row").count() < 40
    page.keyboard.press("End")
    assert page.locator(".row").count() < 40
    assert page.locator(".row[aria-selected=true]").get_attribute("aria-posinset") == "5002"
    page.keyboard.press("Home")
    for _ in range(50):
        page.keyboard.press("y")
    assert counts(page) == "50 of 5000 decided, 50 accepted, 2 without a change"
    assert page.locator(".row").count() < 40
    page.click("text=Reject all shown")
    assert counts(page) == "5000 of 5000 decided, 0 accepted, 2 without a change"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_both_colours(chromium: Any, scheme: str, repo: Path, tmp_path: Path) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    opened(page, tmp_path, review(repo))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", back))) > 380) is (scheme == "light")
    context.close()


def test_served_it_saves_and_applies(page: Any, repo: Path, tmp_path: Path) -> None:
    file = tmp_path / "decisions.json"
    command = [sys.executable, str(ROOT / "cli.py"), "review", str(repo), "--no-browser", "--decisions", str(file)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    assert server.stderr is not None
    try:
        line = server.stderr.readline()
        assert "4 changes, 2 findings without one: http://127.0.0.1:" in line
        page.goto(line.split()[-1])
        page.keyboard.press("n")
        page.keyboard.press("y")
        while not file.exists() or len(json.loads(file.read_text())["decisions"]) < 2:
            time.sleep(0.05)
        page.click("[data-do=apply]")
        page.get_by_text("branch spawnfix/migrate").wait_for()
        assert "decisions: 1 accepted, 1 rejected, 2 undecided" in page.inner_text(".message")
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()
    assert git(repo, "branch", "--show-current").strip() == "spawnfix/migrate"
    text = (repo / HOSTILE).read_text()
    assert len(re.findall("lambda", text)) == 2
    assert (repo / "train.py").read_text() == PROGRAM
