"""Takes what people paste apart into plain lines: without colours, entities, quotes, boxes, prefixes of containers,
loggers, ranks and time stamps. What a prefix says about the process that printed the line is kept as its stream.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

LONG = 4000  # columns; more is data, and slow to search
MOST_JOINED = 64 * 1024  # columns of a text without line breaks

_ANSI = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|(?:\x1b|\\x1b|\\033|\\e|\^\[|␛)\[[0-9;?]*[A-Za-z]|\[\d{1,2}(?:;\d{1,3})*m"
)
_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|nbsp|apos|#0?39|#x27|#34);")
_TAG = re.compile(r"</?(?:pre|code|span|div|p|br|font|li|ul|td|tr)\b[^>\n]*>", re.IGNORECASE)
_CHARACTERS = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u00b4": "'", "\u2032": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2033": '"',
        "\u00a0": " ", "\u3000": " ", "\u200b": None, "\ufeff": None,
        "\uff1a": ": ", "\uff08": "(", "\uff09": ")",
    }
)  # fmt: skip
_DASH = re.compile(r"[\u2013\u2014](?=[A-Za-z])")
_ESCAPED = re.compile(r"Traceback \(most recent call last\):?\\n")

# A prefix of a line, and what it says: groups named `stream...` name the process, `rank...` its number.
_PREFIX = re.compile(
    "|".join(
        (
            r"\s*>(?!>)(?:\s|$)",  # a quotation
            r"E\s{3,}|INTERNALERROR>\s?",  # pytest
            r"\s*[│┃](?: |$)",  # rich
            r"(?P<stream_compose>[A-Za-z][\w.-]*)\s+\|(?:\s|$)",  # docker compose
            r"\s*\[(?P<stream_pid>\d{4,})\]\s(?=\[)",
            r"(?P<stream_std>[\w.-]+) \[std(?:err|out)\]\s",
            r"\[std(?:err|out)\]\s|std(?:err|out):\s",
            r"\s*\[?(?:default|rank|Rank|RANK)[ _]?(?P<rank>\d+)\]?:\s?",  # torch, `[default0]:` of torchrun --tee
            r"\[rank: (?P<rank_colon>\d+)\]\s?",  # lightning
            r"\[(?P<stream_fabric>[\w.:@-]+)\] (?:out|err): ",
            r"\[pod/(?P<stream_pod>[^\]\s]+)\]\s",  # kubectl logs --prefix
            r"(?P<stream_pdsh>[A-Za-z][\w-]*\d|\d{1,3}(?:\.\d{1,3}){3}): (?=\s*(?:Traceback|File \"|\[))",
            r"\[\d+,(?P<rank_mpi>\d+)\]<std(?:err|out)>:\s?",  # mpirun
            r"\[\s?(?P<stream_worker>worker [\w.:-]+)\s?\]\s?:\s",  # dask-ssh
            r"\((?P<stream_ray>[\w.:-]*\s?pid=\d+)[^)]*\)\s",  # ray, vLLM
            r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]+\]|\w+\.py:\d+\])\s?",  # vLLM
            r"[IWEF]\d{4} [\d:.]+ +\d+ [^\s:]+:\d+\]\s?",  # glog, torch elastic
            r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+: [A-Z]+/(?P<stream_celery>[\w-]+)\]\s",  # celery
            r"\[?\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?\s?",
            r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ (?P<stream_syslog>[\w./@-]+(?:\[\d+\])?): ",  # journal
            r"\[\d\d:\d\d:\d\d\]\s|\d\d:\d\d:\d\d[.,]\d{3} ",
            r"ERROR: Received the following error from (?P<stream_environment>[\w<>-]+): ",  # gym, gymnasium
            r"\[ *\d+s\] ",  # seconds of a build
            r"(?:\*\*|`{1,3})(?=\S)",  # Markdown
        )
    )
)
_HOST = re.compile(r"(?P<host>(?=\S*\d)[A-Za-z][\w.-]*|\d{1,3}(?:\.\d{1,3}){3}): (?=Traceback \(|  File \")")  # pdsh
_NUMBERED = re.compile(r"\s*(?P<rank>\d{1,4}): ")  # srun --label
_BOX_END = re.compile(r"\s*[│┃]\s*$")
# Where a narrow box or window breaks a frame: the end of a line, the start of the next one, what is put between.
_BROKEN = (
    (re.compile(r"\.py:\d+ in\s*$"), re.compile(""), " "),
    (re.compile(r"\bFile \"[^\"]+\", line \d+,\s*$"), re.compile(r"\s*in [\w<>.]+\s*$"), " "),
    (re.compile(r"^\s*File \"[^\"]+\",\s*$"), re.compile(r"\s*line \d+, in [\w<>.]+\s*$"), " "),
    (re.compile(r"^\s*File \"[^\"]+$"), re.compile(r"[^\"]*\", line \d+\b"), ""),
    (
        re.compile(r"^(?=.{41})\s*(?:/|[A-Za-z]:\\)\S*$"),
        re.compile(r"\s*(?:\S*:\d+ in\b|\S*\.py:\d+\b|:\d+ in\b)"),
        "",
    ),
)
_MOST_PREFIXES = 8
# Texts that lost their line breaks: where a new line began.
_GLUED = re.compile(r"(?<=\))(?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s|$))")
_JOINED = re.compile(
    r"Traceback \(most recent call last\):?[ \t]+File "
    r"|\b(?:WARNING|ERROR|CRITICAL):[\w.]+:.*(?<!^)\b(?:WARNING|ERROR|CRITICAL):[\w.]+:"
)
_BREAK = re.compile(
    r"(?<!^)(?=Traceback \(most recent call last\)|(?<!\w)(?:WARNING|ERROR|CRITICAL|INFO):[\w.]+:)"
    r"|(?<=\S)\s+(?=File \"[^\"]+\", line \d+)"
    r"|(?<=[^\s:,'\"=]) +(?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): )"
)


@dataclass(frozen=True)
class Line:
    """A line without its prefixes, and the stream (process) that they name; "" when there is none."""

    text: str
    stream: str = ""
    rank: int | None = None


def plain_lines(text: str) -> list[Line]:
    """The lines of `text`, in their order."""
    text = _ANSI.sub("", text).translate(_CHARACTERS)
    text = _DASH.sub("--", text)
    if _ENTITY.search(text):
        text = html.unescape(html.unescape(_TAG.sub("", text))).replace("\u00a0", " ")
    if _ESCAPED.search(text):  # a log of JSON objects
        text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    rows = [part[:LONG] for row in re.split(r"\r\n|\n|\r", text) for part in _unjoined(row)]
    numbered = [row for row in rows if _NUMBERED.match(row)]
    by_number = len(numbered) > 3 and len(numbered) > 0.6 * sum(1 for row in rows if row.strip())
    found = [_HOST.match(row) for row in rows] if ": Traceback (" in text else []
    hosts = frozenset(match["host"] for match in found if match)
    return _joined([_plain(row, by_number, hosts) for row in rows])


def _unjoined(row: str) -> list[str]:
    """The lines of a row that lost its line breaks; most rows are one line."""
    if _JOINED.search(row):
        parts = [part for part in _BREAK.split(row[:MOST_JOINED]) if part.strip()]
        if len(parts) > 1 and _PREFIX.fullmatch(parts[0]):
            parts[:2] = [parts[0] + parts[1]]
        return parts
    return _GLUED.split(row) if "Error" in row or "Exception" in row else [row]


def _plain(row: str, by_number: bool, hosts: frozenset[str]) -> Line:
    stream, rank = "", None
    boxed = False
    host, colon, rest = row.partition(": ") if hosts else ("", "", "")
    if colon and host in hosts:  # on all its lines, also those that nothing else tells from text with a colon
        stream, row = host, rest
    number = _NUMBERED.match(row) if by_number else None
    if number is not None:
        row, rank = row[number.end() :], int(number["rank"])
    for _ in range(_MOST_PREFIXES):
        match = _PREFIX.match(row)
        if match is None:
            break
        if match.lastgroup is not None:
            if match.lastgroup.startswith("rank"):
                rank = int(match[match.lastgroup])
            else:
                stream = match[match.lastgroup]
        boxed = boxed or "│" in match.group() or "┃" in match.group()
        row = row[match.end() :]
    if boxed:
        row = _BOX_END.sub("", row)
    return Line(row, stream or ("" if rank is None else f"rank {rank}"), rank)


def _joined(lines: list[Line]) -> list[Line]:
    """`lines` with the frames in one piece that a narrow box or window broke: path, `path.py:93 in`, name."""
    found: list[Line] = []
    for line in lines:
        whole = _whole(found[-1].text.rstrip(), line.text) if found and line.text.strip() else None
        if whole is None:
            found.append(line)
        else:
            found[-1] = Line(whole, found[-1].stream, found[-1].rank)
    return found


def _whole(before: str, text: str) -> str | None:
    """A frame that is broken between `before` and `text`, in one line; None where none is."""
    for end, start, between in _BROKEN:
        if end.search(before) and start.match(text):
            return f"{before}{between}{text.strip() if between else text.lstrip()}"
    return None
