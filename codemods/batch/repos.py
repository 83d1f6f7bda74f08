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
    (re.compile(r"(?<=://)[^/\s'\"]*@"), ""),
    (re.compile(r"(?<=://)[^/\s'\"@:]*:(?!\d+(?:/|\Z|\s))[^\s'\"]*@"), ""),  # a password with a raw "/"
    (re.compile(r"(://[^\s'\"?#]*)[?#][^\s'\"]*"), r"\1"),
)
_MOST_STARS = 16  # wildcards in one line
_TOO_LONG = 4096  # characters of a line
_LONGEST = 4 * _TOO_LONG  # of a text for people
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)


@dataclass(frozen=True)
class Repo:
    """One repository of the list. `name` is its own within the batch and names its folder in the report too.

    `location` is what git gets and may hold a password; `source` is the same for people, without it.
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
        text = data.decode("utf-8-sig", "surrogateescape")  # a line that is no text is a failed row
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}") from None
    base = Path() if file == "-" else Path(file).parent
    repos = named(parse_list(text, base, "stdin" if file == "-" else file))
    if not repos:
        raise Problem(f"{file}: lists no repository")
    return repos


def parse_list(text: str, base: Path, called: str) -> Iterator[Repo]:
    """The repositories in `text`, names not yet made unique; relative paths start at `base`.

    A line that names none is one too, with the reason in `wrong`.
    """
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    rows: Iterable[tuple[int, Mapping[str, object] | str]]
    if first.lstrip().startswith("{"):
        rows = _json_lines(text)
    elif any(part.strip().lower() in COLUMNS for part in first.split(",")):
        rows = _csv_rows(text[text.index(first) :])
    else:
        lines = enumerate((line.strip() for line in text.splitlines()), start=1)
        rows = ((number, {"repo": line}) for number, line in lines if line and not line.startswith("#"))
    for number, row in rows:
        line = f"{called}: line {number}"
        if isinstance(row, str):
            yield _wrong(line, row)
            continue
        known = {key.strip().lower(): value for key, value in row.items() if isinstance(value, str)}
        values = {COLUMNS.get(key, key): value.strip() for key, value in known.items() if value.strip()}
        if "repo" not in values:
            yield _wrong(line, "names no repository: it needs a column repo, url or path")
            continue
        try:
            yield from _repos(values["repo"], values.get("ref"), values.get("name"), base)
        except (OSError, ValueError, RuntimeError, re.error) as error:
            yield _wrong(line, f"can't be read as a repository: {getattr(error, 'strerror', None) or error}")


def _wrong(line: str, why: str, source: str | None = None) -> Repo:
    """The row of a line that names no repository."""
    shown = storable(without_secrets(source if source is not None else line))[:200]
    return Repo(safe_name(line.rpartition("/")[2]), shown, shown, wrong=storable(why)[:500])


def storable(text: str) -> str:
    """`text` without what no file in UTF-8 can hold, and without control characters."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def _json_lines(text: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"is no JSON: {error}"
            continue
        yield number, row if isinstance(row, dict) else 'must be an object like {"repo": "..."}'


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    rows = csv.DictReader(io.StringIO(text))
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield rows.reader.line_num, f"is no CSV: {error}"
            continue
        yield rows.line_num, row


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
    if len(text) > _LONGEST:  # the patterns take time by its square, and the end of a secret may be cut
        text = text[:_LONGEST].partition("://")[0]
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def _repos(typed: str, ref: str | None, name: str | None, base: Path) -> Iterator[Repo]:
    odd = any(not letter.isprintable() for letter in typed + (ref or ""))
    if odd or len(typed) > _TOO_LONG or len(ref or "") > _TOO_LONG:
        why = "holds control characters" if odd else f"is longer than {_TOO_LONG} characters"
        yield _wrong(name or typed[:100], f"the line {why}", typed)
    elif _URL.match(typed) and not re.match(r"[A-Za-z]:[\\/]", typed):
        location, at = _split(typed) if ref is None else (typed, ref)
        source = without_secrets(location)
        wrong = _wrong_url(location)
        location = location if wrong is None else source
        yield Repo(safe_name(name or _name_of(source)), source, location, at, remote=True, wrong=wrong)
    else:
        yield from _local(typed, ref, name, base)


def _wrong_url(location: str) -> str | None:
    """Why git can't get `location` without showing a secret in it to all who list processes."""
    if "://" not in location:
        return None
    if "?" in location or "#" in location:
        return "a URL with ? or # in it is none of git's; a token goes before the host, as user:token@"
    about = location.partition("://")[2].partition("/")[0]
    if "@" not in about and not about.startswith("[") and re.search(r":(?!\d*$)", about):
        return "the password in the URL has a raw / in it; write it as %2F"
    return None


def _local(typed: str, ref: str | None, name: str | None, base: Path) -> Iterator[Repo]:
    place = base / Path(typed).expanduser()
    if not place.exists() and ref is None:
        before, _, after = typed.rpartition("@")
        if before and (base / Path(before).expanduser()).exists():
            place, ref = base / Path(before).expanduser(), after
    wrong = None
    places = [place]
    if not place.exists():
        if typed.count("*") + typed.count("?") > _MOST_STARS:
            yield _wrong(name or typed[:100], f"more than {_MOST_STARS} wildcards", typed)
            return
        matches = glob.glob(str(place)) if glob.has_magic(typed) else []  # noqa: PTH207
        places = [Path(match) for match in sorted(matches)]
        places = [match for match in places if match.is_dir()]
        if not places:
            places, wrong = [place], "no folder matches" if glob.has_magic(typed) else "no such folder"
    for item in places:
        full = item.resolve() if wrong is None else item.absolute()
        called = name if name and len(places) == 1 else _name_of(full.as_posix())
        if storable(str(full)) != str(full):
            yield _wrong(called, "its path is no text in UTF-8, or has control characters", str(full))
        else:
            yield Repo(safe_name(called), str(full), str(full), ref, wrong=wrong)


def _split(url: str) -> tuple[str, str | None]:
    """(URL, ref) of `URL@ref`: an "@" in the path, that is after the host, begins the ref."""
    start = url.index("://") + 3 if "://" in url else 0
    slash = url.find("/" if "://" in url else ":", start)
    if "://" in url and slash >= 0 and "@" not in url[start:slash] and re.search(r":(?!\d*$)", url[start:slash]):
        slash = url.find("/", url.find("@", slash))  # that one is in a password
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
