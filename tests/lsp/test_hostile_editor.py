"""What an editor with a hostile folder open may send: the server lives, answers, and does nothing outside the folder.

Each attack would leave `marker`, keep the server busy, end it, or have it show a file that is none of the folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

from harness.case import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="pipes and links")]
TRAIN = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""
SECRET = "from torch.utils.data import DataLoader\nsecret = DataLoader(a, num_workers=2, collate_fn=lambda b: b)\n"
SECONDS = 40
Message = dict[str, Any]


class Wire:
    """A server, spoken to byte by byte."""

    def __init__(self, place: Path) -> None:
        self.place, self.number, self.shown = place, 100, dict[str, list[Message]]()
        env = {**os.environ, "PYTHONPATH": str(ROOT), "SPAWNFIX_CACHE_DIR": str(place / "cache"), "HOME": str(place)}
        self.errors = (place / "stderr").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), "lsp"],
            env=env, cwd=place / "work", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
        )  # fmt: skip
        self.news: Queue[Message] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
                while stream.readline().strip():
                    pass
                self.news.put(json.loads(stream.read(size)))

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: object = None, **more: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode("utf-8")
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def ask(self, method: str, params: object) -> Message:
        self.number += 1
        self.send(method, params, id=self.number)
        while True:
            message = self.next()
            if message.get("id") == self.number and "method" not in message:
                return message

    def next(self) -> Message:
        try:
            message = self.news.get(timeout=SECONDS)
        except Empty:
            raise AssertionError(f"no answer: {(self.place / 'stderr').read_text()[-2000:]}") from None
        if message.get("method") == "textDocument/publishDiagnostics":
            self.shown[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def uri(self, name: str) -> str:
        return (self.place / "work" / name).as_uri()

    def opened(self, uri: str, text: str = TRAIN, number: int = 1) -> None:
        self.send("textDocument/didOpen", {"textDocument": document(uri, text, number)})

    def lives(self) -> None:
        """A save is looked at, and what was found is shown."""
        uri = self.uri("train.py")
        self.shown.pop(uri, None)
        self.send("textDocument/didSave", {"textDocument": {"uri": uri}})
        while uri not in self.shown:
            self.next()
        assert [row["code"] for row in self.shown[uri]] == ["lambdas"]
        where = {"line": 4, "character": 60}
        answer = self.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})
        assert "lambdas" in str(answer["result"]), answer


def document(uri: str, text: str, number: int = 1) -> Message:
    return {"uri": uri, "languageId": "python", "version": number, "text": text}


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    place = tmp_path_factory.mktemp("editor")
    work = place / "work"
    (work / "sub").mkdir(parents=True)
    (work / "train.py").write_text(TRAIN)
    (place / "outside").mkdir()
    (place / "outside/secret.py").write_text(SECRET)
    (work / "leads_out.py").symlink_to(place / "outside/secret.py")
    (work / "folder_out").symlink_to(place / "outside")
    os.mkfifo(work / "pipe.py")
    (work / "zero.py").symlink_to("/dev/zero")
    evil = f"open({str(place / 'marker')!r}, 'w').close()\nraise SystemExit(3)\n"
    for name in ("rules.py", "conftest.py", "sitecustomize.py", "pygls.py", "lsprotocol.py", "codemods.py", "json.py"):
        (work / name).write_text(evil)
    (work / "pyproject.toml").write_text('[tool.spawnfix]\nrules = ["rules.py", "../outside/secret.py"]\n')
    (work / ".vscode").mkdir()
    (work / ".vscode/settings.json").write_text(
        '{"spawnfix.path": ["rules.py"], "python.defaultInterpreterPath": "./x"}'
    )
    subprocess.run(["git", "init", "-q", work], check=True)
    hooks = work / ".git/hooks/post-index-change"
    hooks.parent.mkdir(exist_ok=True)
    hooks.write_text(f"#!/bin/sh\ntouch {place}/marker\n")
    hooks.chmod(0o755)
    with (work / ".git/config").open("a") as stream:
        stream.write(f"[core]\n\tfsmonitor = touch {place}/marker\n\tpager = touch {place}/marker\n")
    subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", work, "add", "-A"], check=True
    )
    wire = Wire(place)
    evil_settings = {"spawnfix": {"path": ["/bin/sh"], "rules": ["rules.py"], "allowLocalRules": True, "args": [evil]}}
    capabilities = {"workspace": {"configuration": True, "didChangeConfiguration": {}}}
    answer = wire.ask(
        "initialize",
        {
            "processId": None, "rootUri": work.as_uri(), "capabilities": capabilities,
            "initializationOptions": evil_settings,
            "workspaceFolders": [{"uri": work.as_uri(), "name": "\x1b]0;x\x07"}],
        },
    )  # fmt: skip
    assert "error" not in answer
    wire.send("initialized", {})
    wire.opened(wire.uri("train.py"))
    yield wire
    wire.ask("shutdown", None)
    wire.send("exit")
    assert wire.process.wait(SECONDS) == 0
    assert not (place / "marker").exists()


URIS = {
    "a system file": "file:///etc/passwd",
    "a device": "file:///dev/zero",
    "a terminal": "file:///dev/stdin",
    "memory": "file:///proc/self/mem",
    "our own descriptors": "file:///proc/self/fd/0",
    "a share": "file://attacker.invalid/share/x.py",
    "a share by backslashes": "file:///%5C%5Cattacker.invalid%5Cx.py",
    "up and out": "file:///WORK/sub/../../outside/secret.py",
    "up, escaped": "file:///WORK/sub/%2e%2e/%2e%2e/outside/secret.py",
    "a link to a file": "file:///WORK/leads_out.py",
    "a link to a folder": "file:///WORK/folder_out/secret.py",
    "a pipe": "file:///WORK/pipe.py",
    "a link to a device": "file:///WORK/zero.py",
    "NUL": "file:///WORK/a%00b.py",
    "control characters": "file:///WORK/%1b%5D0;x%07%0a%0d.py",
    "no UTF-8": "file:///WORK/%ff%fe.py",
    "a surrogate": "file:///WORK/\ud800.py",
    "too long": "file:///WORK/" + "a/" * 5000 + "x.py",
    "a long name": "file:///WORK/" + "a" * 100_000 + ".py",
    "no scheme": "/etc/passwd",
    "empty": "",
    "a scheme alone": "file:",
    "a root": "file:///",
    "the web": "https://attacker.invalid/x.py",
    "an editor's command": "command:workbench.action.terminal.new",
    "a notebook cell": "vscode-notebook-cell:///WORK/x.ipynb#W0",
    "the git folder": "file:///WORK/.git/config",
    "percent bombs": "file:///WORK/" + "%25" * 20_000 + ".py",
    "brackets": "file://[::1/x.py",
    "the folder itself": "file:///WORK",
}


@pytest.mark.parametrize("name", URIS)
def test_addresses(wire: Wire, name: str) -> None:
    uri = URIS[name].replace("/WORK", str(wire.place / "work"))
    before = {path.name for path in wire.place.iterdir()} | {"cache"}
    wire.opened(uri)
    wire.send("textDocument/didSave", {"textDocument": {"uri": uri}})
    at = {"line": 0, "character": 0}
    for method, more in (
        ("textDocument/hover", {"position": at}),
        ("textDocument/codeAction", {"range": {"start": at, "end": at}, "context": {"diagnostics": []}}),
    ):
        answer = wire.ask(method, {"textDocument": {"uri": uri}, **more})
        assert "secret" not in str(answer.get("result")), answer
    wire.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    wire.lives()
    assert not any("secret" in shown for shown in wire.shown), wire.shown.keys()
    assert {path.name for path in wire.place.iterdir()} <= before


HUGE = 2**31 - 1
PLACES = {
    "far behind the end": {"line": HUGE, "character": HUGE},
    "negative": {"line": -1, "character": -1},
    "no numbers": {"line": "0", "character": None},
    "fractions": {"line": 0.5, "character": 1e300},
    "nothing": {},
}


@pytest.mark.parametrize("name", PLACES)
def test_positions(wire: Wire, name: str) -> None:
    at, where = PLACES[name], {"textDocument": {"uri": wire.uri("train.py")}}
    wire.send("textDocument/hover", {**where, "position": at}, id="h")  # a wrong shape gets no answer
    between = {"start": at, "end": at}
    wire.send("textDocument/codeAction", {**where, "range": between, "context": {"diagnostics": []}}, id="a")
    wire.lives()


def deep(wire: Wire) -> None:
    body = b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    wire.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def no_json(wire: Wire) -> None:
    wire.raw(b"Content-Length: 5\r\n\r\n\xff\x00{]}")


def no_length(wire: Wire) -> None:
    wire.raw(b"Content-Length: -5\r\nContent-Length: 99999999999999999999999x\r\nX: y\r\n\r\n")


def wrong_shapes(wire: Wire) -> None:
    for params in (None, [], 1, "x", {"textDocument": None}, {"textDocument": {"uri": 5}}, {"textDocument": {}}):
        for method in ("textDocument/didOpen", "textDocument/didSave", "textDocument/didChange"):
            wire.send(method, params)


def unknown_methods(wire: Wire) -> None:
    for method in ("$/x", "workspace/executeCommand", "__class__", "server/../x", "textDocument/" + "y" * 10_000):
        wire.send(method, {"command": "rules.py", "arguments": ["touch marker"]}, id=f"m{len(method)}")


def settings_that_change(wire: Wire) -> None:
    evil = {"spawnfix": {"allowLocalRules": True, "rules": ["rules.py"], "path": ["sh", "-c", "touch marker"]}}
    wire.send("workspace/didChangeConfiguration", {"settings": evil})


def other_folders(wire: Wire) -> None:
    added = [{"uri": uri, "name": "x"} for uri in ("file:///", "file:///proc", "https://x.invalid", "")]
    wire.send("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    wire.send("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": added}})


def a_large_text(wire: Wire) -> None:
    wire.opened(wire.uri("large.py"), "x = 1\n" * 4_000_000)
    wire.send("textDocument/didClose", {"textDocument": {"uri": wire.uri("large.py")}})


def a_storm_of_changes(wire: Wire) -> None:
    uri = wire.uri("train.py")
    for number in range(2, 2000):
        change = {"text": TRAIN + f"# {number}\n"}
        wire.send(
            "textDocument/didChange", {"textDocument": {"uri": uri, "version": number}, "contentChanges": [change]}
        )
    wire.send(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 5000}, "contentChanges": [{"text": TRAIN}]},
    )


def a_storm_of_saves(wire: Wire) -> None:
    for _ in range(500):
        wire.send("textDocument/didSave", {"textDocument": {"uri": wire.uri("train.py")}})


def changes_of_nothing(wire: Wire) -> None:
    there = {"start": {"line": HUGE, "character": 0}, "end": {"line": -5, "character": HUGE}}
    for uri in (wire.uri("never_opened.py"), wire.uri("train.py")):
        what = {"range": there, "text": "\udcff" * 10}
        wire.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": 9000}, "contentChanges": [what]})
    wire.opened(wire.uri("train.py"), TRAIN, 9001)


def many_documents(wire: Wire) -> None:
    for number in range(300):
        wire.opened(wire.uri(f"none/{number}.py"), SECRET)
        wire.send("textDocument/didClose", {"textDocument": {"uri": wire.uri(f"none/{number}.py")}})


def wrong_answers(wire: Wire) -> None:
    for number in (0, -1, "x", None, 10**30):
        body = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"evil": 1}}).encode()
        wire.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


@pytest.mark.parametrize(
    "attack",
    [
        deep, no_json, no_length, wrong_shapes, unknown_methods, settings_that_change, other_folders, a_large_text,
        a_storm_of_changes, a_storm_of_saves, changes_of_nothing, many_documents, wrong_answers,
    ],
    ids=lambda attack: attack.__name__,
)  # fmt: skip
def test_messages(wire: Wire, attack: Any) -> None:
    attack(wire)
    wire.lives()
    assert not (wire.place / "marker").exists()
