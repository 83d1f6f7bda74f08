"""Git folders in formats that are known, each extension by its name, and those that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.problem import Problem
from codemods.tree.discovery import find_place


def repository(folder: Path, config: str) -> Path:
    git = folder / ".git"
    for name in ("objects", "refs"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(config)
    return folder


@pytest.mark.parametrize(
    "extension",
    ["noop", "preciousObjects", "partialClone", "objectFormat", "worktreeConfig", "relativeWorktrees", "noop-v1",
     "compatObjectFormat", "submodulePathConfig"],
)  # fmt: skip
def test_extensions_that_are_known(extension: str, tmp_path: Path) -> None:
    config = f"[core]\nrepositoryformatversion = 1\n[extensions]\n{extension} = x\n"
    place = find_place(repository(tmp_path, config))
    assert place is not None and place.git_dir == place.common_dir == tmp_path / ".git"


@pytest.mark.parametrize("version", ["", "[core]\nrepositoryformatversion = 0\n"])
@pytest.mark.parametrize("below", [".", "a/b"])
def test_a_plain_repository(version: str, below: str, tmp_path: Path) -> None:
    repository(tmp_path, version)
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    place = find_place(tmp_path / below)
    assert place is not None and place.git_dir == tmp_path / ".git"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("[core]\nrepositoryformatversion = 2\n", "made by a newer git, in a format that spawnfix does not know"),
        ("[extensions]\nnew = x\n", "uses git's extension 'new', which spawnfix does not know"),
        ("[extensions]\nrefStorage = reftable\n", "its branches are stored as 'reftable', which spawnfix can't read"),
        ("[core\n", "git's configuration can't be read: "),
    ],
)
def test_formats_that_are_refused(config: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        find_place(repository(tmp_path, config))
    assert words in str(caught.value)


def test_branches_in_files(tmp_path: Path) -> None:
    assert find_place(repository(tmp_path, "[extensions]\nrefStorage = files\n")) is not None


USED = """
    HEAD index config.worktree packed-refs refs refs/heads objects objects/info objects/pack
    objects/info/alternates logs logs/HEAD logs/refs logs/refs/heads info info/attributes info/exclude shallow
    gitdir
"""


@pytest.mark.parametrize("name", USED.split())
def test_no_link_inside_a_git_folder_is_followed(name: str, tmp_path: Path) -> None:
    git = repository(tmp_path / "a", "") / ".git"
    (git / name).parent.mkdir(parents=True, exist_ok=True)
    if (git / name).exists():
        (git / name).rename(tmp_path / "elsewhere")
    (git / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Problem, match="is a symbolic link; spawnfix follows no links inside a git folder"):
        find_place(tmp_path / "a")


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "a/.git").mkdir(parents=True)
    (tmp_path / "a/.git/HEAD").write_text("x")
    assert find_place(tmp_path / "a") is None


# where the git folder lies


def test_a_link_to_a_git_folder_is_not_followed(tmp_path: Path) -> None:
    repository(tmp_path / "a", "")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/.git").symlink_to(tmp_path / "a/.git")
    with pytest.raises(Problem, match="does not follow links to a git folder"):
        find_place(tmp_path / "b")


@pytest.mark.parametrize(("worktree", "fits"), [("..", True), ("../../a", True), ("../b", False), ("/", False)])
def test_where_it_is_checked_out(worktree: str, fits: bool, tmp_path: Path) -> None:
    folder = repository(tmp_path / "a", f"[core]\nworktree = {worktree}\n")
    (folder / "b").mkdir()
    if not fits:
        with pytest.raises(Problem, match="which is not where this repository is checked out"):
            find_place(folder)
        return
    place = find_place(folder)
    assert place is not None and place.work_tree == folder


def test_bare_repositories(tmp_path: Path) -> None:
    bare = "[core]\nbare = true\n"
    place = find_place(repository(tmp_path / "a", bare))
    assert place is not None and place.work_tree is None and place.git_dir == tmp_path / "a/.git"
    inside = find_place(tmp_path / "a/.git/refs")
    assert inside is not None and inside.work_tree is None and inside.git_dir == tmp_path / "a/.git"
    repository(tmp_path / "b", "")
    with pytest.raises(Problem, match="this is inside git's own folder, not a work tree"):
        find_place(tmp_path / "b/.git/refs")


@pytest.mark.parametrize("config", ["", "[core]\nbare = true\n"])
@pytest.mark.parametrize("below", [".", ".git/refs"])
def test_a_folder_that_leads_to_another_repository(config: str, below: str, tmp_path: Path) -> None:
    folder = repository(tmp_path, config)
    (folder / ".git/commondir").write_text("../../other\n")
    with pytest.raises(Problem, match=r"which leads to another repository|this is inside git's own folder"):
        find_place(folder / below)


def linked(folder: Path, text: str | None = None, back: str | None = None, common: str = "../..") -> Path:
    """The linked work tree `side` of the repository `main`."""
    main = repository(folder / "main", "") / ".git"
    git = main / "worktrees/side"
    git.mkdir(parents=True)
    side = folder / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {git}\n" if text is None else text)
    (git / "HEAD").write_text("ref: refs/heads/b\n")
    (git / "commondir").write_text(f"{common}\n")
    (git / "gitdir").write_text(f"{side / '.git'}\n" if back is None else back)
    return side


@pytest.mark.parametrize("text", [None, "gitdir: ../main/.git/worktrees/side\n", "gitdir: ../main/.git/worktrees/side"])
def test_a_linked_work_tree(text: str | None, tmp_path: Path) -> None:
    work = linked(tmp_path, text)
    (work / "below").mkdir()
    for start in (work, work / "below"):
        place = find_place(start)
        assert place is not None
        assert (place.git_dir, place.common_dir, place.work_tree, place.marker) == (
            tmp_path / "main/.git/worktrees/side",
            tmp_path / "main/.git",
            work,
            work / ".git",
        )


@pytest.mark.parametrize("asked", [True, False])
def test_a_linked_work_tree_may_have_its_own_configuration(asked: bool, tmp_path: Path) -> None:
    work = linked(tmp_path)
    (tmp_path / "main/.git/config").write_text(f"[extensions]\nworktreeConfig = {str(asked).lower()}\n")
    (tmp_path / "main/.git/worktrees/side/config.worktree").write_text("[core]\nsparseCheckout = true\n")
    (tmp_path / "main/.git/config.worktree").write_text("[core]\nsparseCheckout = false\n")
    place = find_place(work)
    assert place is not None and (("core.sparsecheckout", "true") in place.config) is asked
    (tmp_path / "main/.git/worktrees/side/config.worktree").unlink()
    place = find_place(work)
    assert place is not None and "core.sparsecheckout" not in dict(place.config)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": ""}, "not a file that git wrote"),
        ({"text": "gitdir: \n"}, "not a file that git wrote"),
        ({"text": "other: ../main/.git/worktrees/side\n"}, "not a file that git wrote"),
        ({"text": "gitdir: ../main/.git/worktrees/none\n"}, "which does not lead back to it"),
        ({"text": "gitdir: ../main/.git\n"}, "which does not lead back to it"),
        ({"back": "/other/.git\n"}, "which does not lead back to it"),
        ({"common": ".."}, "which does not lead back to it"),
    ],
)
def test_a_work_tree_that_does_not_belong(changes: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=words):
        find_place(linked(tmp_path, **changes))


@pytest.mark.parametrize(("worktree", "fits"), [("../../../sub", True), ("../../../other", False), (None, False)])
def test_a_submodule_names_its_folder(worktree: str | None, fits: bool, tmp_path: Path) -> None:
    main = repository(tmp_path, "") / ".git"
    config = "" if worktree is None else f"[core]\nworktree = {worktree}\n"
    (repository(main / "modules", config) / ".git").rename(main / "modules/sub")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    if not fits:
        with pytest.raises(Problem, match="which does not lead back to it"):
            find_place(tmp_path / "sub")
        return
    place = find_place(tmp_path / "sub")
    assert place is not None and place.git_dir == place.common_dir == main / "modules/sub"
    assert place.work_tree == tmp_path / "sub"
