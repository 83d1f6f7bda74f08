"""A git repository, asked through git's plumbing, and git run so that nothing in the repository can start a program.

Every call goes without hooks, fsmonitor, pager, editor, external diff, network and prompts, and (but for the few that
need it) without the user's and the system's configuration. Filters are never run on the way in or out: blobs are read
and written as they are.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problem import Problem
from .directory import MAX_BYTES

try:
    import git
except ImportError:  # GitPython looks for the git program when it is imported
    raise Problem("the git program was not found; install git, or use --no-git") from None

# Set by git itself when it runs us from a hook or an alias; they would lead every call to another repository.
_FOREIGN = (
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_INDEX_VERSION GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES "
    "GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_EXTERNAL_DIFF GIT_DEFAULT_HASH "
    "GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_ATTR_SOURCE"
)
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
_NO_USER = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}
_NO_PROGRAMS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "",
    "core.alternateRefsCommand": "",
    "core.pager": "cat",
    "diff.external": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_PLAIN = {
    "core.splitIndex": "false",
    "core.untrackedCache": "false",
    "core.sparseCheckout": "false",
    "index.sparse": "false",
    "commit.gpgSign": "false",
    "i18n.commitEncoding": "UTF-8",
}
# What git leaves in its folder while something is half done, by what it is called.
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
    "sequencer": "series of cherry-picks or reverts",
}


class GitFailed(Exception):
    """git ended with `status`; the message is the telling line of what it wrote."""

    def __init__(self, status: int, errors: str) -> None:
        self.status = status
        self.errors = errors
        lines = [line.strip() for line in errors.splitlines() if line.strip()]
        telling = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
        super().__init__(telling[0].removeprefix("fatal: ").removeprefix("error: ") if telling else f"status {status}")


@dataclass(frozen=True)
class Person:
    """Who makes the commits. `configured` is False for our stand-in."""

    name: str
    email: str
    configured: bool = True


@dataclass(frozen=True)
class Repository:
    """A repository on this machine. `work_tree` is None for a bare one."""

    git_dir: Path
    common_dir: Path
    work_tree: Path | None

    @classmethod
    def find(cls, path: Path) -> Repository | None:
        """The repository that `path` (an existing file or folder) lies in, None where there is none.

        Raises Problem when there is one that can't be used.
        """
        start = path if path.is_dir() else path.parent
        questions = ("--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir")
        try:
            answers = _text(_run(start, ["rev-parse", *questions], trusting=True)).splitlines()
            bare, inside, git_dir, common_dir = answers
            top = _text(_run(start, ["rev-parse", "--show-toplevel"], trusting=True)) if inside == "true" else None
        except GitFailed as error:
            if "not a git repository (or any" in error.errors:
                return None
            if "dubious ownership" in error.errors or "unsafe repository" in error.errors:
                raise Problem(
                    f"{path}: git does not use a repository that another user owns; if you trust it, run "
                    f"git config --global --add safe.directory {_owned(start)}"
                ) from None
            raise Problem(f"{path}: git says: {error}") from None
        except ValueError:
            raise Problem(f"{path}: git gave an answer that spawnfix does not understand") from None
        if top is None and bare != "true":
            raise Problem(f"{path}: this is inside git's own folder, not a work tree")
        work_tree = Path(top) if top is not None else None
        if work_tree is not None and not (work_tree / ".git").exists():
            raise Problem(
                f"{path}: core.worktree points to {work_tree}, which is not where this repository is checked out"
            )
        return cls(Path(git_dir), (start / common_dir).resolve(), work_tree)

    @property
    def folder(self) -> Path:
        """The work tree, for a bare repository its own folder."""
        return self.work_tree or self.git_dir

    def git(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        trusting: bool = False,
        config: Mapping[str, str] | None = None,
        alone: bool = False,
    ) -> bytes:
        """What `git <arguments>` prints. With `trusting` the user's configuration counts (mind `foreign_filters`).

        A git that is `alone` ends its work also when Ctrl-C or a kill of the process group ends ours.
        Raises GitFailed, and Problem when git can't be run.
        """
        place = {"GIT_DIR": str(self.git_dir)} | ({"GIT_WORK_TREE": str(self.work_tree)} if self.work_tree else {})
        env = place | dict(env or {})
        return _run(self.folder, arguments, stdin=stdin, env=env, trusting=trusting, config=config, alone=alone)

    def head(self) -> str:
        """The id of the commit that is checked out.

        Raises Problem when there is none yet.
        """
        try:
            return _text(self.git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
        except GitFailed:
            raise Problem(
                f"{self.folder}: the repository has no commit yet; commit your files first, or use --no-git"
            ) from None

    def branch(self) -> str | None:
        """The branch that is checked out, None with a detached HEAD."""
        return self.head_ref("--short")

    def head_ref(self, *options: str) -> str | None:
        """As `branch`, with its full name."""
        try:
            return _text(self.git("symbolic-ref", "--quiet", *options, "HEAD"))
        except GitFailed:
            return None

    @property
    def under_way(self) -> str | None:
        """The merge, rebase... that is half done, in a word or few."""
        return next((word for name, word in _UNDER_WAY.items() if (self.git_dir / name).exists()), None)

    @cached_property
    def modern(self) -> bool:
        """True for git 2.31 and later, which tell where a setting comes from and take any from the environment."""
        return git.Git().version_info[:2] >= (2, 31)

    @cached_property
    def _configuration(self) -> list[tuple[str, str, str]]:
        """(scope, key, value) of all configuration, in git's order; scope "local" throughout with an old git."""
        scoped = ["--show-scope"] if self.modern else []
        try:
            parts = _text(self.git("config", "--list", "-z", *scoped, trusting=True)).split("\0")
        except GitFailed as error:
            raise Problem(f"{self.folder}: git's configuration can't be read: {error}") from None
        if not scoped:
            parts = [part for pair in parts for part in ("local", pair)]
        found = []
        for scope, pair in zip(parts[::2], parts[1::2], strict=False):
            key, has_value, value = pair.partition("\n")
            found.append((scope, key, value if has_value else "true"))
        return found

    def person(self, role: str) -> Person:
        """Who is the "author" or "committer": the environment, then the configuration, else our stand-in."""
        values = {key: value.strip() for _, key, value in self._configuration if value.strip()}
        name = os.environ.get(f"GIT_{role.upper()}_NAME") or values.get(f"{role}.name") or values.get("user.name")
        email = (
            os.environ.get(f"GIT_{role.upper()}_EMAIL")
            or values.get(f"{role}.email")
            or values.get("user.email")
            or os.environ.get("EMAIL")
        )
        if name and email:
            return Person(name, email)
        return Person("spawnfix", "spawnfix@localhost", configured=False)

    def uncommitted(self) -> list[str]:
        """Tracked files that differ from the last commit, on disk or staged; none when git can't say."""
        if self.work_tree is None or not self.modern:
            return []
        question = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
        try:
            rows = self.git(*question, trusting=True, config=self.foreign_filters())
        except GitFailed:
            return []
        return [os.fsdecode(row[3:]) for row in rows.split(b"\0")[:-1]]

    def foreign_filters(self) -> dict[str, str]:
        """Configuration that takes the filter drivers which this repository defines back to what the user has.

        Whoever made the repository may have put programs there; those of the user (Git LFS) are in the user's own.
        """
        trusted: dict[str, str] = {}
        foreign: set[str] = set()
        for scope, key, value in self._configuration:
            if key.startswith("filter."):
                if scope in ("local", "worktree"):
                    foreign.add(key)
                else:
                    trusted[key] = value
        return {key: trusted.get(key, "false" if key.endswith(".required") else "") for key in sorted(foreign)}


class Blobs:
    """Contents of git objects, through one long-lived `git cat-file --batch`."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: git.Git.AutoInterrupt | None = None

    def read(self, oid: str, path: str) -> bytes:
        """The bytes of the blob `oid`; `path` is for the message. Raises OSError when it is missing or huge."""
        if self._process is None:
            self._process = self._start()
        into, out = self._process.stdin, self._process.stdout
        assert into is not None and out is not None
        try:
            into.write(oid.encode() + b"\n")
            into.flush()
            answer = out.readline().split()
        except OSError:
            answer = []
        if not answer:  # git gave up: it wanted to fetch what a partial clone lacks, and may not
            self._process = None
        if len(answer) != 3:
            raise FileNotFoundError(
                errno.ENOENT, "not in this copy of the repository: a partial clone, or damaged", path
            )
        size = int(answer[2])
        if size > MAX_BYTES:
            self._process = None
            raise OSError(errno.EFBIG, f"larger than {MAX_BYTES // 2**20} MiB", path)
        data: bytes = out.read(size + 1)[:size]
        if len(data) != size:
            self._process = None
            raise OSError(errno.EIO, "the repository's copy is damaged", path)
        return data

    def _start(self) -> git.Git.AutoInterrupt:
        place = {"GIT_DIR": str(self._repository.git_dir)}
        command = [*_command(self._repository.folder, trusting=False), "cat-file", "--batch"]
        runner = git.Git(str(self._repository.folder))
        env = _environment(trusting=False, config={}) | place
        return runner.execute(command, istream=subprocess.PIPE, as_process=True, env=env)


def _command(folder: Path, trusting: bool) -> list[str]:
    command = [git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git", "-C", str(folder)]
    for key, value in (_NO_PROGRAMS if trusting else _NO_PROGRAMS | _PLAIN).items():
        command += ["-c", f"{key}={value}"]
    return command


def _environment(trusting: bool, config: Mapping[str, str]) -> dict[str, str]:
    for name in _FOREIGN.split():
        os.environ.pop(name, None)
    given = {"GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return _QUIET | ({} if trusting else _NO_USER) | given


def _run(
    folder: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    trusting: bool = False,
    config: Mapping[str, str] | None = None,
    alone: bool = False,
) -> bytes:
    with contextlib.ExitStack() as stack:
        stream = None
        if stdin is not None:
            stream = stack.enter_context(tempfile.TemporaryFile())
            stream.write(stdin)
            stream.seek(0)
        try:
            status, out, errors = git.Git(str(folder)).execute(
                [*_command(folder, trusting), *arguments],
                istream=stream,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                env={**_environment(trusting, config or {}), **(env or {})},
                start_new_session=alone,
            )
        except (git.GitCommandNotFound, OSError) as error:
            raise Problem(f"git can't be started: {error}") from None
    if status:
        raise GitFailed(status, errors)
    assert isinstance(out, bytes)
    return out


def _text(data: bytes) -> str:
    """Text of git's output without the final newline; names that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape").removesuffix("\n")


def _owned(start: Path) -> Path:
    """The top of the repository that `start` lies in, without git's help."""
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)
