"""What a repository or a stranger says, where people, browsers and CI systems read it."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from codemods.engine import notebooks
from codemods.quoting import no_command
from codemods.review import markdown, server
from codemods.review.printing import place
from codemods.review.server import ReviewServer
from codemods.transforms.dist_launcher import torch_version
from harness.each_row import each_row


@each_row("name", ["::add-mask::x.py", "  ::error::x.py", "::stop-commands::a/b.py", "a##[error]b.py"])
def test_no_path_is_a_command_to_who_reads_the_log(name: str) -> None:
    """GitHub looks at what follows blanks at the start of a line, and for `##[` anywhere."""
    for shown in (place("", name), no_command(name)):
        assert not shown.lstrip().startswith("::")
        assert "##[" not in shown
    assert no_command("a::b.py:3: x") == "a::b.py:3: x"


@each_row("words", ["a|b", "a\\|b", "a\\\\|b", "|", "`|`", "x\\|<img src=https://evil.example/a>@all"])
def test_no_name_ends_a_cell_of_a_table(words: str) -> None:
    shown = markdown.code(words)
    assert "|" not in shown and "<img" not in shown and "@" not in shown
    assert "|" not in markdown.text(words)


@pytest.mark.parametrize("words", ["see www.evil.example", "GH-12", "https://evil.example", "a@b.example", "#3"])
def test_nothing_becomes_a_link_by_itself(words: str) -> None:
    shown = markdown.text(words)
    assert not any(mark in shown for mark in ("www.", "GH-", "://", "@")) and not shown.startswith("#")


def test_lines_of_a_notebook_that_are_written_in_another_way_are_not_looked_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = ["import torch\n", "x = 1\n", "y = 2\n"]
    cell = {"cell_type": "code", "source": lines}
    text = json.dumps({"cells": [cell]}, indent=1).replace("x = 1", "\\u0078 = 1")
    places = notebooks.read(text).places  # type: ignore[union-attr]
    assert text.split("\n")[places[2][2] - 1].strip().startswith('"y = 2')
    monkeypatch.setattr(notebooks, "MAX_LOOKED", 1)
    notebooks.read.cache_clear()
    places = notebooks.read(text).places  # type: ignore[union-attr]
    notebooks.read.cache_clear()
    assert places[2][2] == places[0][2]  # the first line that is not found ends the search


def test_a_requirement_of_endless_clauses_names_no_version() -> None:
    assert torch_version._allowed("==1.7") == ((1, 7), (1, 7))
    assert torch_version._allowed(">=1," * 1000) is None
    assert torch_version._allowed("==" + "1." * 1000) is None


def test_a_stranger_who_opens_many_connections_takes_no_more_threads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "MOST_AT_ONCE", 3)
    with ReviewServer("<p>page</p>", lambda decisions: None, lambda: "") as page:
        thread = threading.Thread(target=page.serve_forever)
        thread.start()
        before = threading.active_count()
        idle = [socket.create_connection(("127.0.0.1", page.server_port), timeout=30) for _ in range(3)]
        more = socket.create_connection(("127.0.0.1", page.server_port), timeout=30)
        assert more.recv(1) == b""  # closed at once
        assert threading.active_count() <= before + 3
        for connection in (*idle, more):
            connection.close()
        half = socket.create_connection(("127.0.0.1", page.server_port), timeout=30)
        half.sendall(b"PUT /x HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n")
        half.close()
        page.shutdown()
        thread.join()
    assert capsys.readouterr().err == ""
    assert server._Handler.timeout == server.SECONDS
