"""How a repository is fetched: what git is asked, in which order, and what is said where it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codemods.batch import obtain
from codemods.batch.obtain import BASE, Base, network, split_credentials
from codemods.batch.spec import Limits, Spec
from codemods.problem import Problem
from codemods.tree.git_folder import GitFailed, GitFolder
from harness.each_row import each_row

COMMIT = "c0ffee" * 6 + "c0ff"
OTHER = "beef" * 10
ADDRESS = "https://ada:s%2Fcret@host/me/tool.git"


def spec(ref: str | None = None, location: str = ADDRESS, **more: Any) -> Spec:
    return Spec("me+tool", location, "https://host/me/tool.git", ref, True, "1", protocols=("https", "ssh"), **more)


class Remote:
    """Stands for git: each call gives the next answer, or fails with it; `asked` is what it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: bytes | GitFailed) -> None:
        self.asked: list[list[str]] = []
        left = list(answers)

        def answered(folder: GitFolder, *words: str, **call: Any) -> bytes:
            assert call["config"]["remote.origin.url"] == "https://host/me/tool.git"
            assert call["credentials"] == "https://ada:s%2Fcret@host"
            self.asked.append([word for word in words if not word.startswith("--no-") and word != "--quiet"])
            answer = left.pop(0)
            if isinstance(answer, GitFailed):
                raise answer
            return answer

        monkeypatch.setattr(GitFolder, "git", answered)


@pytest.mark.parametrize(
    ("ref", "name"), [(None, "HEAD"), ("main", "main"), ("refs/heads/x", "refs/heads/x"), (COMMIT, None)]
)
def test_a_server_that_gives_no_part_is_asked_for_more(
    ref: str | None, name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit by its id and without large files; then the branch as it is; then with its history."""
    no = GitFailed(128, "fatal: Server does not allow request for unadvertised object")
    attempts = [[f"+{name}:{BASE}", "--depth=1"], [f"+{name}:{BASE}"]] if name is not None else []
    for works in range(1 + len(attempts)):
        remote = Remote(monkeypatch, *[no] * works, b"")
        folder = obtain.obtain(spec(ref), Base(COMMIT, "main"), tmp_path / str(works))
        assert folder.path == tmp_path / str(works) and (folder.path / "HEAD").is_file()
        first, *rest = remote.asked
        assert first[:2] == ["fetch", "--depth=1"] and first[2].startswith("--filter=blob:limit=")
        assert first[3:] == ["origin", f"+{COMMIT}:{BASE}"]
        assert [sorted({*words} - {"fetch", "origin"}) for words in rest] == [sorted(each) for each in attempts[:works]]
    Remote(monkeypatch, no, *[GitFailed(128, "fatal: another reason")] * len(attempts))
    with pytest.raises(Problem, match="can't be cloned: Server does not allow request"):  # the first reason
        obtain.obtain(spec(ref), Base(COMMIT, "main"), tmp_path / "none")


@pytest.mark.parametrize(
    "failed",
    [GitFailed(-25, ""), GitFailed(153, ""), GitFailed(128, "fatal: x: File too large"),
     GitFailed(128, "error: index-pack died of signal 25")],
)  # fmt: skip
def test_what_is_too_large_is_not_asked_for_again(
    failed: GitFailed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Remote(monkeypatch, failed)
    with pytest.raises(Problem, match="can't be cloned: larger than 7 MiB on disk"):
        obtain.obtain(spec(limits=Limits(disk=7)), Base(COMMIT, "main"), tmp_path / "a")
    assert len(remote.asked) == 1


@pytest.mark.parametrize(
    ("ref", "answer", "commit", "branch"),
    [
        (None, f"ref: refs/heads/trunk\tHEAD\n{COMMIT}\tHEAD\n", COMMIT, "trunk"),
        (None, f"{COMMIT}\tHEAD\n", COMMIT, "HEAD"),
        ("v1", f"{COMMIT}\trefs/heads/v1\n{OTHER}\trefs/tags/v1\n", COMMIT, "v1"),  # a branch comes first
        ("v1", f"{OTHER}\trefs/tags/v1\n{COMMIT}\trefs/tags/v1^{{}}\n", COMMIT, "v1"),  # not the tag, its commit
        ("v1", f"{COMMIT}\trefs/tags/v1\n", COMMIT, "v1"),
        ("refs/pull/3", f"{COMMIT}\trefs/pull/3\n", COMMIT, "refs/pull/3"),
    ],
)
def test_what_a_name_means_on_the_server(
    ref: str | None, answer: str, commit: str, branch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Remote(monkeypatch, answer.encode())
    assert obtain.resolve(spec(ref), tmp_path / "a") == Base(commit, branch)
    assert remote.asked[0][:3] == ["ls-remote", "--symref", "origin"]


@pytest.mark.parametrize("commit", [COMMIT, "ab" * 32])
def test_a_full_id_needs_no_question(commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = Remote(monkeypatch)
    assert obtain.resolve(spec(commit), tmp_path / "a") == Base(commit, commit[:12])
    assert remote.asked == []


@pytest.mark.parametrize(
    ("ref", "answer", "words"),
    [
        (None, b"", "the remote has no commit"),
        ("v1", f"{COMMIT}\trefs/heads/v10\n".encode(), "no branch, tag or full commit id 'v1'"),
        ("v1", b"warning\trefs/heads/v1\n", "no branch, tag or full commit id 'v1'"),
        ("main", GitFailed(128, f"fatal: unable to access '{ADDRESS}': no"), "the remote can't be read: unable to"),
        *((ref, b"", "is no name of a branch or tag") for ref in ("-x", "a b", "a*", "a?", "a[", "a:", "a~1", "a^",
                                                                 "a\\b", "a..b")),
    ],
)  # fmt: skip
def test_what_is_said_of_a_name_that_means_nothing(
    ref: str | None, answer: bytes | GitFailed, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Remote(monkeypatch, answer)
    with pytest.raises(Problem, match=words.replace("?", "[?]")) as error:
        obtain.resolve(spec(ref), tmp_path / "a")
    assert "cret" not in str(error.value)


@each_row(
    "location, address, credentials",
    [
        ("https://host/a.git", "https://host/a.git", None),
        ("https://ada:x@host/a@b.git", "https://host/a@b.git", "https://ada:x@host"),
        ("HTTP://ada@host:8/a", "HTTP://host:8/a", "HTTP://ada:@host:8"),
        ("https://a%40b:p%2F%3Aq@host/a", "https://host/a", "https://a%40b:p%2F%3Aq@host"),
        ("https://ada:p@ss@host/a", "https://host/a", "https://ada:p%40ss@host"),
        ("ssh://git:x@host/a", "ssh://git@host/a", None),
        ("git@host:me/a.git", "git@host:me/a.git", None),
        ("/code/a@b", "/code/a@b", None),
    ],
)
def test_a_password_is_no_part_of_the_address(location: str, address: str, credentials: str | None) -> None:
    assert split_credentials(location) == (address, credentials)


def test_what_git_gets_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    monkeypatch.setenv("HOME", "/code/home")
    call = network(spec(), ADDRESS)
    assert call["env"] == {
        "GIT_ALLOW_PROTOCOL": "https:ssh", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "HOME": "/code/home"
    }  # fmt: skip
    assert call["config"]["http.lowSpeedLimit"] == "1000" and call["config"]["http.lowSpeedTime"] == "60"
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -i key")
    monkeypatch.delenv("HOME")
    assert network(spec(), ADDRESS)["env"] == {"GIT_ALLOW_PROTOCOL": "https:ssh", "GIT_SSH_COMMAND": "ssh -i key"}


@each_row(
    "errors, words",
    [
        (f"fatal: repository '{ADDRESS}' not found", "repository 'https://host/me/tool.git' not found"),
        ("fatal: transport 'file' not allowed", "transport 'file' is off; --allow-protocol file turns it on"),
        ("ssh: no such host\nfatal: Could not read from remote repository.\n", "ssh: no such host"),
        ("fatal: Could not read from remote repository.\n", "Could not read from remote repository."),
        ("fatal: unable to access 'https://eve:pw@host/x': no", "unable to access 'https://host/x': no"),
        ("", "status 1"),
    ],
)
def test_the_words_of_git_name_what_the_user_wrote(errors: str, words: str) -> None:
    assert obtain.why(GitFailed(1, errors), spec()) == words
