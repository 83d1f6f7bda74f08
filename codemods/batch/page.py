"""The report as web pages: one for the batch, one for each repository. Self-contained.

The templates escape everything that they show (Jinja2's autoescape); characters that turn or hide text are replaced.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..version import __version__
from .ledger import State

if TYPE_CHECKING:
    from jinja2 import Environment

    from ..engine.migrate import Report
    from .ledger import Row
    from .spec import Outcome, Spec

CONFIDENCE = ("proven", "likely", "possible")
MOST = 2000  # findings on one page
MAX_DIFF = 2_000_000  # bytes of a patch on one page; the file holds all of it
_LINKS = {
    "review.html": "review",
    "changes.patch": "patch",
    "branch.bundle": "bundle",
    "pull-request.md": "PR text",
    "findings.sarif": "SARIF",
    "findings.json": "JSON",
    "log.txt": "log",
}
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class _Part:
    """A piece of a bar: the findings of one confidence."""

    level: str
    number: int
    x: float
    width: float


@dataclass(frozen=True)
class _Bar:
    """The findings of one rule."""

    rule: str
    y: int
    parts: tuple[_Part, ...]
    end: float
    total: int


@dataclass(frozen=True)
class _Chart:
    """Findings by rule, a bar for each, its parts by confidence. All in pixels."""

    left: int
    width: int
    height: int
    legend_y: int
    bars: tuple[_Bar, ...]
    levels: tuple[str, ...] = CONFIDENCE


@dataclass(frozen=True)
class _DiffLine:
    text: str
    kind: str  # its class in page.css: added, deleted, header, or neither


def index_page(rows: Sequence[Row], whole: Mapping[str, object], about: Mapping[str, str]) -> str:
    """The page of the batch; `whole` is what summary.json holds, `about` what the ledger knows of the batch."""
    totals = whole["totals"]
    assert isinstance(totals, dict)
    by_rule: dict[str, Counter[str]] = {}
    for row in rows:
        if row.outcome is not None and row.state is State.DONE:
            for rule, numbers in row.outcome.confidence.items():
                by_rule.setdefault(rule, Counter()).update(numbers)
    numbers = {
        "repositories": totals["repos"],
        "migrated": totals["migrated"],
        "clean": totals["clean"],
        "failed": totals["failed"],
        **({"queued": totals["queued"]} if totals["queued"] else {}),
        "places fixed": totals["fixed"],
        "places refused": totals["refused"],
    }
    speed = ""
    if totals["wall_seconds"]:
        size = f"{totals['files']:,} files, {totals['bytes'] / 2**20:.0f} MiB"
        speed = f"{size}, {totals['wall_seconds']:.0f} s in the last run"
    return _rendered(
        "index.html",
        script=_text("page.js"),
        title="spawnfix batch",
        list=about.get("list", "?"),
        started=_date(about.get("started")),
        speed=speed,
        numbers=numbers,
        chart=_chart(by_rule) if by_rule else None,
        rules=sorted(by_rule),
        rows=rows,
        links=_LINKS,
    )


def repo_page(spec: Spec, outcome: Outcome, report: Report, diff: bytes) -> str:
    """The page of one repository: what was found, by which path it crosses, what was changed."""
    return _rendered(
        "repo.html",
        title=f"{spec.name} - spawnfix",
        name=spec.name,
        source=spec.source,
        outcome=outcome,
        found=len(report.findings),
        findings=[(finding, report.why_not(finding)) for finding in report.findings[:MOST]],
        diff=_diff_lines(diff[:MAX_DIFF]) if diff else [],
        cut=len(diff) > MAX_DIFF,
        skipped=report.skipped,
    )


def _date(seconds: str | None) -> str:
    """Seconds since 1970 as a date and time of this machine's zone."""
    try:
        return datetime.fromtimestamp(float(seconds or "")).astimezone().strftime("%Y-%m-%d %H:%M %z")
    except (ValueError, OverflowError, OSError):
        return "?"


@cache
def _text(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _visible(value: object) -> object:
    """`value` without characters that turn or hide what stands there; our own style and script as they are."""
    from markupsafe import Markup

    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(
        letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}" for letter in value
    )


def _rendered(template: str, script: str | None = None, **values: object) -> str:
    """The page. Only `script` may run on it, as its Content-Security-Policy says."""
    from markupsafe import Markup

    allowed = ""
    if script is not None:
        allowed = f"; script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    return (
        _environment()
        .get_template(template)
        .render(
            policy=Markup(f"default-src 'none'; style-src 'unsafe-inline'{allowed}"),
            style=Markup(_text("page.css")),
            script=Markup(script or ""),
            version=__version__,
            **values,
        )
    )


def _chart(by_rule: Mapping[str, Mapping[str, int]]) -> _Chart:
    left, width, step = 190, 560, 26
    most = max(sum(numbers.values()) for numbers in by_rule.values())
    ranked = sorted(by_rule.items(), key=lambda item: -sum(item[1].values()))
    bars = []
    for index, (rule, numbers) in enumerate(ranked):
        x, parts = float(left), []
        for level in CONFIDENCE:
            if number := numbers.get(level, 0):
                parts.append(_Part(level, number, x, width * number / most))
                x += parts[-1].width
        bars.append(_Bar(rule, index * step + 4, tuple(parts), x, sum(numbers.values())))
    return _Chart(left, left + width + 60, step * (len(ranked) + 1) + 8, len(ranked) * step + 8, tuple(bars))


def _diff_lines(diff: bytes) -> list[_DiffLine]:
    kinds = {"+": "a", "-": "d", "@": "h"}
    return [
        _DiffLine(line, "h" if line.startswith(("diff ", "--- ", "+++ ")) else kinds.get(line[:1], ""))
        for line in diff.decode("utf-8", "replace").split("\n")
    ]
