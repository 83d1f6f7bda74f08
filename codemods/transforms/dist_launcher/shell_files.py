"""The files of a project that may hold shell commands: scripts, guides, recipes, images, workflows."""

from __future__ import annotations

from collections.abc import Iterator

from ...launch import containers
from ...launch.hosts import Host
from ...project import Project
from ...tree.source import Source

_MAX_BYTES = 1024 * 1024  # nobody writes a larger script


def hosts(project: Project, path: str) -> Iterator[tuple[Source, Host]]:
    """The file `path`, and what kind it is, when it may hold a launch line."""
    data = _shell(project, path)
    text = data.decode("latin-1")
    if not any(part in text for part in containers.PARTS) or containers.STARTS.search(text) is None:
        return
    if len(data) > _MAX_BYTES:
        if containers.MENTIONS.search(text) is not None:
            project.skip(path, f"larger than {_MAX_BYTES // 2**20} MiB, for shell commands")
        return
    yield from _read(project, path, data)


def naming_scripts(project: Project) -> Iterator[tuple[Source, Host]]:
    """The guides and scripts of a project that may name a shell script."""
    for path in project.paths:
        data = _shell(project, path)
        if b"sh" in data and len(data) <= _MAX_BYTES:
            yield from ((source, host) for source, host in _read(project, path, data) if host is not Host.WINDOWS)


def _read(project: Project, path: str, data: bytes) -> Iterator[tuple[Source, Host]]:
    host = containers.host_of(path, data[:200].decode("latin-1"))
    source = project.source(path) if host is not None else None
    if source is not None and host is not None:
        yield source, host


def _shell(project: Project, path: str) -> bytes:
    """The bytes of `path` without a line in `skipped`; b"" for what is no shell file, or can't be read."""
    if path.endswith((".py", ".pyi", ".ipynb")) or containers.host_of(path, "#!sh") is None:  # as if it said so
        return b""
    if path in project.written:
        source = project.source(path)
        return source.text.encode("utf-8", "replace") if source is not None else b""
    try:
        return project.data(path)
    except OSError:
        return b""
