"""Who commits: the environment, then git's configuration, else a stand-in, which is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.tree.repository import Person, Repository
from harness.repositories import git, own_home, repo

__all__ = ["own_home", "repo"]

STAND_IN = Person("spawnfix", "spawnfix@localhost", configured=False)


def person(folder: Path, role: str = "author") -> Person:
    found = Repository.find(folder)
    assert found is not None
    return found.person(role)


def configure(text: str) -> None:
    (Path.home() / ".gitconfig").write_text(text)


def test_the_configured_user(repo: Path) -> None:
    assert person(repo) == Person("Ada Lovelace", "ada@example.org")


@pytest.mark.parametrize(
    "known",
    [
        pytest.param("[user]\nname = Ada Lovelace\n", id="only a name"),
        pytest.param("[user]\nemail = ada@example.org\n", id="only an address"),
        pytest.param("[user]\nname = Ada Lovelace\nemail =\n", id="an empty address"),
        pytest.param("[author]\nname = Ada Lovelace\n", id="only an author's name"),
        pytest.param("", id="nothing"),
    ],
)
def test_half_a_person_is_none(repo: Path, known: str) -> None:
    """Git itself would make up the other half from the machine's name."""
    configure(known)
    assert person(repo) == person(repo, "committer") == STAND_IN


def test_roles_come_before_the_user(repo: Path) -> None:
    configure("[user]\nname = Ada\nemail = ada@example.org\n[author]\nname = Grace\nemail = grace@example.org\n")
    assert person(repo, "author") == Person("Grace", "grace@example.org")
    assert person(repo, "committer") == Person("Ada", "ada@example.org")


def test_the_environment_comes_first(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    assert person(repo, "author") == Person("Grace", "ada@example.org")
    assert person(repo, "committer") == Person("Ada Lovelace", "ada@example.org")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "grace@example.org")
    assert person(repo, "author") == Person("Grace", "grace@example.org")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Gr<a>ce\n\x1b")  # what would end the name in a commit
    assert person(repo, "author") == Person("Grace", "grace@example.org")


def test_the_address_of_the_environment_comes_last(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL", "env@example.org")
    assert person(repo).email == "ada@example.org"
    configure("[user]\nname = Ada Lovelace\n")
    assert person(repo) == Person("Ada Lovelace", "env@example.org")


def test_the_repository_comes_before_the_user(repo: Path) -> None:
    git(repo, "config", "user.email", "ada@work.example.org")
    assert person(repo) == Person("Ada Lovelace", "ada@work.example.org")
