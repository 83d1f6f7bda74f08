"""The frames of a traceback in the forms in which Python, IPython, rich and pytest print them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_PYTHON = re.compile(
    r"""\bFile\s+["']?(?P<path>[^"'\n]+?)["']?,\s+line\s+(?P<line>\d+)(?:,?\s+in\s+(?P<name>[^\s,]*))?(?P<code>.*)"""
)
_CUT = re.compile(r'^\s*File\s+"(?P<path>[^"\n]+\.py)"[\s,]*(?:\[?(?:\.{3}|\u2026)\]?)?\s*$')  # without its number
_BEGUN_LATE = re.compile(  # the paste lost the beginning of the line
    r"""^\s*(?P<path>[^\s"'][^"'\n]*\.py)["'],\s+line\s+(?P<line>\d+),?\s+in\s+(?P<name>[^\s,]+)"""
)
_IPYTHON = re.compile(r"^\s*File (?P<path>.+?):(?P<line>\d+)(?:, in (?P<name>[\w.<>]+)|\s*$)")
_OLD_IPYTHON = re.compile(
    r"^\s*(?P<path>(?:[~/\\.]|[A-Za-z]:)[^\s].*?\.py|<ipython-input-\S+>) in (?P<name>[\w<>]+)(?:\(|\s*$)"
)
_RICH = re.compile(
    r"^\s*(?P<path>(?:[A-Za-z]:)?[^\s:*?][^:*?]*\.(?:py|ipynb)):(?P<line>\d+):?\s+in\s+(?P<name>[\w.<>]+)"
)
_ARROW = re.compile(r"^\s*(?:-+>|❱)\s*(?P<line>\d+)\b", re.MULTILINE)
_QUOTED_CODE = re.compile(r"^\s*(?:(?:-+>|❱)\s*)?\d+\s*(?:[│|]|\s{2,}|\s(?=\S*\())")
_LIBRARY = re.compile(
    r"(?:^|[/\\.])(?:site|dist|local)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|[/\\][Ll]ib[/\\](?!site)(?=[\w]+\.py|multiprocessing|"
    r"concurrent|importlib|json|logging|asyncio|unittest)|^<(?!ipython|stdin)"
    r"|\.py[xdi]$"
    r"|[/\\]?multiprocessing[/\\]\w+\.py$|[/\\]_spawnfix_probe\.py$|[/\\]torch[/\\](?:utils|distributed|multiprocessing|nn|cuda)[/\\]"
    r"|^[\\/]?lib[/\\]python\d|[/\\]python@?[\d.]+[/\\]|[/\\]Frameworks[/\\]Python|[/\\]python[/\\]pyspark[/\\]|[/\\]runpy\.py$|[/\\](?:bin|Scripts)[/\\]\w+$"
)


@dataclass(frozen=True)
class Frame:
    """A line of a traceback; `user` is False for the standard library and installed packages."""

    path: str
    line: int
    name: str
    user: bool


def is_library(path: str) -> bool:
    """True for the standard library and installed packages."""
    return _LIBRARY.search(path) is not None


def frame_of(text: str, following: Callable[[], str] = str) -> Frame | None:
    """The frame that the line `text` shows; `following` gives the lines below, for forms with the number there."""
    if "File " not in text and ".py" not in text and "<ipython" not in text and ".ipynb" not in text:
        return None
    for form in (_PYTHON, _BEGUN_LATE, _IPYTHON, _RICH):
        match = form.search(text)
        if match:
            path = match["path"].strip()
            return Frame(path, int(match["line"]), match["name"] or "<module>", not is_library(path))
    match = _CUT.match(text)
    if match:
        return Frame(match["path"], 0, "", not is_library(match["path"]))
    match = _OLD_IPYTHON.match(text)
    if match:
        arrow = _ARROW.search(following())
        return Frame(match["path"], int(arrow["line"]) if arrow else 0, match["name"], not is_library(match["path"]))
    return None


def code_after(text: str) -> str:
    """Source that stands on the frame's own line; a paste may lose the line break."""
    match = _PYTHON.search(text) if "File" in text else None
    return "" if match is None else match["code"].strip()


def quotes_code(text: str) -> bool:
    """True for a line of source with its number, as IPython and rich show them."""
    return _QUOTED_CODE.match(text) is not None
