"""The list of repositories: lines of paths, URLs and globs, CSV or JSON Lines with columns, from a file or stdin."""

from __future__ import annotations

import csv
import glob
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..problem import Problem

COLUMNS = {"repo": "repo", "url": "repo", "path": "repo", "repository": "repo", "ref": "ref", "commit": "ref"}
PROTOCOLS = ("https", "http", "ssh", "git")  # that are on unless others are asked for
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z][A-Za-z0-9+.-]*::|(?:[\w.-]+@)?[\w.-]{2,}:(?![\\/])")
_SECRETS = (
    (re.compile(r"(?<=://)[^/@\s'\"]+@"), ""),
    (re.compile(r"([?&][^=&\s]*(?:token|key|secret|password|auth)[^=&\s]*=)[^&\s'\"]+", re.IGNORECASE), r"\1***"),
)
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)


@dataclass(frozen=True)
class Repo:
    """One repository of the list. `name` is its own within the batch and names its folder in the report too.

    `location` is what git is given and may hold a password; `source` is the same for people, without it.
    """

    name: str
    source: str
    location: str
    ref: str | None = None
    remote: bool = False
    wrong: str | None = None  # why this can't be a repository: it becomes a failed row


def read_list(file: str) -> list[Repo]:
    """The repositories that `file` ("-": stdin) lists, each once, in its order. Raises Problem."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Problem(f"{file}: not a text file in UTF-8") from None
    base = Path() if file == "-" else Path(file).parent
    repos = named(parse_list(text, base, "stdin" if file == "-" else file))
    if not repos:
        raise Problem(f"{file}: lists no repository")
    return repos


def parse_list(text: str, base: Path, called: str) -> Iterator[Repo]:
    """The repositories in `text`, names not yet made unique; relative paths start at `base`. Raises Problem."""
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    rows: Iterable[tuple[int, Mapping[str, object]]]
    if first.lstrip().startswith("{"):
        rows = _json_lines(text, called)
    elif any(part.strip().lower() in COLUMNS for part in first.split(",")):
        rows = enumerate(csv.DictReader(io.StringIO(text[text.index(first) :])), start=2)
    else:
        lines = enumerate((line.strip() for line in text.splitlines()), start=1)
        rows = ((number, {"repo": line}) for number, line in lines if line and not line.startswith("#"))
    for number, row in rows:
        known = {(key or "").strip().lower(): value for key, value in row.items() if isinstance(value, str)}
        values = {COLUMNS.get(key, key): value.strip() for key, value in known.items() if value.strip()}
        if "repo" not in values:
            raise Problem(f"{called}: row {number} names no repository: it needs a column repo, url or path")
        yield from _repos(values["repo"], values.get("ref"), values.get("name"), base)


def _json_lines(text: str, called: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise Problem(f"{called}: line {number} is no JSON: {error}") from None
        if not isinstance(row, dict):
            raise Problem(f'{called}: line {number} must be an object like {{"repo": "..."}}')
        yield number, row


def named(repos: Iterable[Repo]) -> list[Repo]:
    """`repos` without repetitions, and with names that no two share (also where case does not count)."""
    found: dict[tuple[str, str | None], Repo] = {}
    taken: set[str] = set()
    for repo in repos:
        if (repo.location, repo.ref) in found:
            continue
        name, number = repo.name, 2
        while name.lower() in taken:
            name, number = f"{repo.name}-{number}", number + 1
        taken.add(name.lower())
        found[repo.location, repo.ref] = Repo(name, repo.source, repo.location, repo.ref, repo.remote, repo.wrong)
    return list(found.values())


def without_secrets(text: str) -> str:
    """`text` without the user names, passwords and tokens of URLs in it."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def _repos(typed: str, ref: str | None, name: str | None, base: Path) -> Iterator[Repo]:
    if any(not letter.isprintable() for letter in typed):
        yield Repo(safe_name(name or typed), typed, typed, ref, wrong="the line holds control characters")
    elif _URL.match(typed) and not re.match(r"[A-Za-z]:[\\/]", typed):
        location, at = _split(typed) if ref is None else (typed, ref)
        yield Repo(safe_name(name or _name_of(location)), without_secrets(location), location, at, remote=True)
    else:
        yield from _local(typed, ref, name, base)


def _local(typed: str, ref: str | None, name: str | None, base: Path) -> Iterator[Repo]:
    place = base / Path(typed).expanduser()
    if not place.exists() and ref is None and "@" in typed:
        before, _, after = typed.rpartition("@")
        if before and (base / Path(before).expanduser()).exists():
            place, ref = base / Path(before).expanduser(), after
    wrong = None
    places = [place]
    if not place.exists():
        matches = glob.glob(str(place)) if glob.has_magic(typed) else []  # noqa: PTH207
        places = [Path(match) for match in sorted(matches)]
        places = [match for match in places if match.is_dir()]
        if not places:
            places, wrong = [place], "no folder matches" if glob.has_magic(typed) else "no such folder"
    for each in places:
        full = each.resolve() if wrong is None else each.absolute()
        called = name if name and len(places) == 1 else _name_of(full.as_posix())
        yield Repo(safe_name(called), str(full), str(full), ref, wrong=wrong)


def _split(url: str) -> tuple[str, str | None]:
    """(URL, ref) of `URL@ref`: an "@" in the path, that is after the host, begins the ref."""
    start = url.index("://") + 3 if "://" in url else 0
    slash = url.find("/" if "://" in url else ":", start)
    at = url.find("@", slash + 2) if slash >= 0 else -1
    return (url, None) if at < 0 or url[at - 1] == "/" else (url[:at], url[at + 1 :])


def _name_of(location: str) -> str:
    """`owner+name` of a URL, the folder's name of a path."""
    path = without_secrets(location).partition("?")[0].rstrip("/").removesuffix("/.git").removesuffix(".git")
    if not _URL.match(location):
        return path.rpartition("/")[2]
    path = path.partition("://")[2].partition("/")[2] if "://" in path else path.rpartition(":")[2]
    return "+".join(path.strip("/").split("/")[-2:])


def safe_name(name: str) -> str:
    """`name` as a file name that every system takes, that starts no option and leads nowhere else."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", name.replace("/", "+"))[:100].strip(".-+ ")
    return f"repo-{name}" if not name or _RESERVED.match(name) else name
