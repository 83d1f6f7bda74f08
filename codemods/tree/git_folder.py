"""The git program, run in a git folder that we made.

There nobody else's configuration, hooks, attributes or refs count. Objects of a repository are borrowed ("alternates").
Git is never run on the folder of a repository that we were pointed at.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import operating_system
from ..problem import Problem
from .guarded import MAX_BYTES

try:
    import git
except ImportError as _error:
    if getattr(_error, "name", None) == "git":
        raise Problem("GitPython is not installed; pip install GitPython") from None
    # GitPython looks for the git program when it is imported
    raise Problem("the git program was not found or can't be started; install git, or use --no-git") from None

SECONDS = 120  # for one call that reads and writes on this machine: a pipe in place of an object never answers
# Set by git itself when it runs us from a hook or an alias, or by people; they would lead a call elsewhere.
_FOREIGN = (
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_INDEX_VERSION GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES "
    "GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_EXTERNAL_DIFF GIT_DEFAULT_HASH "
    "GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_ATTR_SOURCE "
    "GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE GIT_TEMPLATE_DIR GIT_DEFAULT_REF_FORMAT GIT_REFLOG_ACTION"
)
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": "0",
}
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\tlogAllRefUpdates = false
\thooksPath = {nothing}
\tfsmonitor = false
\tlongPaths = true
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
[i18n]
\tcommitEncoding = UTF-8
"""


class GitFailed(Exception):
    """git ended with `status`; the message is the first line that says why."""

    def __init__(self, status: int, errors: str) -> None:
        self.status = status
        self.errors = errors
        lines = [line.strip() for line in errors.splitlines() if line.strip()]
        first = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
        super().__init__(first[0].removeprefix("fatal: ").removeprefix("error: ") if first else f"status {status}")


@dataclass(frozen=True)
class GitFolder:
    """A bare git folder that we made at `path`."""

    path: Path

    @classmethod
    def create(
        cls,
        path: Path,
        digits: int = 40,
        borrowed: Path | None = None,
        shallow: bytes = b"",
        refs: Mapping[str, str] | None = None,
    ) -> GitFolder:
        """A folder for object ids of `digits` digits that borrows the objects in `borrowed`. Raises OSError."""
        for name in ("objects/info", "objects/pack", "refs/heads"):
            (path / name).mkdir(parents=True)
        (path / "HEAD").write_bytes(b"ref: refs/heads/none\n")
        wide = digits == 64
        config = _CONFIG.format(version=int(wide), nothing=os.devnull.replace("\\", "/"))
        extensions = "[extensions]\n\tobjectFormat = sha256\n" if wide else ""
        (path / "config").write_bytes((config + extensions).encode())
        if borrowed is not None:
            (path / "objects/info/alternates").write_bytes(_line(borrowed) + b"\n")
        if shallow:
            (path / "shallow").write_bytes(shallow)
        if refs:
            rows = (f"{oid} {name}\n" for name, oid in sorted(refs.items()))
            (path / "packed-refs").write_bytes("".join(rows).encode("utf-8", "surrogateescape"))
        return cls(path)

    def git(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        config: Mapping[str, str] | None = None,
        credentials: str | None = None,
        of_user: bool = False,
        seconds: float | None = SECONDS,
    ) -> bytes:
        """What `git <arguments>` prints.

        `credentials` is a URL with a user name and a password, for the host in it alone; git takes it from a file that
        only we can read. `of_user`: the user's own configuration and home folder count. Raises GitFailed, and Problem
        when git can't be run.
        """
        with contextlib.ExitStack() as stack:
            command = [git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git", "-C", str(self.path)]
            for key, value in (config or {}).items():
                command += ["-c", f"{key}={value}"]
            if credentials is not None:
                file = stack.enter_context(_credentials(self.path, credentials))
                command += ["-c", "credential.helper=", "-c", f"credential.helper=store --file={shlex.quote(file)}"]
            stream = None
            if stdin is not None:
                stream = stack.enter_context(tempfile.TemporaryFile())
                stream.write(stdin)
                stream.seek(0)
            try:
                status, out, errors = git.Git(str(self.path)).execute(
                    [*command, *arguments],
                    istream=stream,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    env={**self._environment(of_user), **(env or {})},
                    kill_after_timeout=seconds if not operating_system.HERE.windows else None,
                )
            except (git.GitCommandNotFound, OSError) as error:
                raise Problem(f"git can't be started: {error}") from None
        if status:
            raise GitFailed(status, errors if isinstance(errors, str) else os.fsdecode(errors))
        assert isinstance(out, bytes)
        return out

    def _environment(self, of_user: bool) -> dict[str, str]:
        for name in _FOREIGN.split():
            os.environ.pop(name, None)
        home = str(self.path / "home")  # is not there; older versions of git know no other way
        alone = {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "HOME": home,
            "XDG_CONFIG_HOME": home,
        }
        return _QUIET | {"GIT_DIR": str(self.path)} | ({} if of_user else alone)

    def start(self, *arguments: str) -> Any:
        """A git process (GitPython's) with pipes to stdin and stdout. What it says on stderr is dropped.

        Somebody must read that: git stops when nobody does, and a repository can make it say any amount.
        """
        command = [git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git", "-C", str(self.path), *arguments]
        runner = git.Git(str(self.path))
        process = runner.execute(command, istream=subprocess.PIPE, as_process=True, env=self._environment(False))
        assert process.proc is not None and process.proc.stderr is not None
        threading.Thread(target=_drop, args=(os.dup(process.proc.stderr.fileno()),), daemon=True).start()
        return process


def _drop(pipe: int) -> None:
    """Read the file descriptor `pipe` to its end, and close it; no Python object, which a thread would hold at exit."""
    try:
        while os.read(pipe, 65536):
            pass
    finally:
        os.close(pipe)


def _line(path: Path) -> bytes:
    """`path` as a line of an alternates file."""
    raw = os.fsencode(path)
    if b"\n" not in raw:
        return raw
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


@contextlib.contextmanager
def _credentials(folder: Path, url: str) -> Iterator[str]:
    """A file as `git credential-store` reads it; git asks it for one host, and never for that of a redirect."""
    handle, name = tempfile.mkstemp(prefix="credentials-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(url.encode("utf-8", "surrogateescape") + b"\n")
        yield Path(name).as_posix()
    finally:
        Path(name).unlink(missing_ok=True)


class Blobs:
    """Contents of git objects, through one long-lived `git cat-file --batch`."""

    def __init__(self, folder: GitFolder) -> None:
        self._folder = folder
        self._process: Any = None

    def close(self) -> None:
        """End the process; it is started again when it is needed."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError, ValueError, AttributeError):
                process.proc.kill()
                process.proc.wait()

    def read(self, oid: str, path: str) -> bytes:
        """The bytes of the blob `oid`; `path` is for the message. Raises OSError when it is missing or huge."""
        if self._process is None:
            self._process = self._folder.start("cat-file", "--batch")
        into, out = self._process.stdin, self._process.stdout
        assert into is not None and out is not None
        try:
            into.write(oid.encode() + b"\n")
            into.flush()
            if not operating_system.HERE.windows and not select.select([out], [], [], SECONDS)[0]:
                self._process.proc.kill()  # it waits for a pipe in place of an object
                raise TimeoutError(errno.ETIMEDOUT, f"git did not answer within {SECONDS} seconds", path)
            answer = out.readline().split()
        except TimeoutError:
            self._process = None
            raise
        except OSError:
            answer = []
        if not answer or (len(answer) == 3 and answer[1] != b"blob"):  # git gave up, or would answer at length
            self._process = None
        if len(answer) != 3 or answer[1] != b"blob":
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
