"""The report as web pages: one for the batch, one for each repository. Self-contained; everything shown is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..version import __version__

if TYPE_CHECKING:
    from ..engine.migrate import Report
    from ..finding import Finding
    from .ledger import Row
    from .spec import Outcome, Spec

CONFIDENCE = ("proven", "likely", "possible")
MOST = 2000  # findings on one page
MAX_DIFF = 2_000_000  # bytes of a patch on one page; the file holds all of it
_LINKS = {
    "changes.patch": "patch",
    "branch.bundle": "bundle",
    "pull-request.md": "PR text",
    "findings.sarif": "SARIF",
    "findings.json": "JSON",
    "log.txt": "log",
}
_HERE = Path(__file__).parent


def index_page(rows: Sequence[Row], whole: Mapping[str, object]) -> str:
    """The page of the batch; `whole` is what summary.json holds."""
    totals = whole["totals"]
    assert isinstance(totals, dict)
    script = _text("page.js")
    by_rule: dict[str, Counter[str]] = {}
    for row in rows:
        if row.outcome is not None and row.state == "done":
            for rule, numbers in row.outcome.confidence.items():
                by_rule.setdefault(rule, Counter()).update(numbers)
    rules = sorted(by_rule)
    numbers = {
        "repositories": totals["repos"],
        "migrated": totals["migrated"],
        "clean": totals["clean"],
        "failed": totals["failed"],
        **({"queued": totals["queued"]} if totals["queued"] else {}),
        "places fixed": totals["fixed"],
        "places refused": totals["refused"],
    }
    heads = [
        _head("repository"), _head("status"), _head("fixed", "n"), _head("refused", "n"),
        *(_head(rule, "n") for rule in rules), _head("skipped", "n"), _head("s", "n"),
        "<th>files</th>",
    ]  # fmt: skip
    speed = ""
    if totals["wall_seconds"]:
        size = f"{totals['files']:,} files, {totals['bytes'] / 2**20:.0f} MiB"
        speed = f"{size}, {totals['wall_seconds']:.0f} s in the last run"
    body = [
        "<h1>spawnfix batch</h1>",
        f'<p class="soft">{escape(speed)}</p>',
        '<div class="numbers">',
        *(f"<span><b>{value}</b>{escape(key)}</span>" for key, value in numbers.items()),
        "</div>",
        _chart(by_rule) if by_rule else "",
        '<div class="bar">',
        '<input type="search" id="search" placeholder="filter by name, reason..." aria-label="filter">',
        _choice("status", "any status", ("migrated", "clean", "failed", "queued")),
        _choice("rule", "any rule", rules),
        '<span class="soft" id="count"></span></div>',
        f'<div class="scroll"><table id="repos"><thead><tr>{"".join(heads)}</tr></thead><tbody>',
        *(_table_row(row, rules) for row in rows),
        "</tbody></table></div>",
        f"<script>{script}</script>",
    ]
    return _page("spawnfix batch", body, script)


def repo_page(spec: Spec, outcome: Outcome, report: Report, diff: bytes) -> str:
    """The page of one repository: what was found, by which path it crosses, what was changed."""
    body = [
        '<p><a href="../../index.html">all repositories</a></p>',
        f"<h1>{escape(spec.name)}</h1>",
        f'<p class="soft"><code>{_shown(spec.source)}</code> at <code>{escape(outcome.commit or "?")}</code></p>',
        f'<div class="numbers"><span><b>{outcome.fixed}</b>fixed</span><span><b>{outcome.refused}</b>refused</span>'
        f"<span><b>{outcome.skipped}</b>files skipped</span></div>",
        '<p class="links"><a href="findings.json">JSON</a><a href="findings.sarif">SARIF</a>',
        '<a href="changes.patch">patch</a><a href="pull-request.md">PR text</a>' if diff else "",
        "</p>",
    ]
    if diff:
        body.append(
            "<h2>Take the branch</h2><p>In a clone that has this commit:</p>"
            "<pre>git fetch PATH/TO/branch.bundle 'refs/heads/*:refs/heads/*'</pre>"
            "<p>or <code>git apply changes.patch</code>.</p>"
        )
    body.append(f"<h2>Findings ({len(report.findings)})</h2>")
    body += [_finding(finding, report.why_not(finding)) for finding in report.findings[:MOST]]
    if len(report.findings) > MOST:
        body.append(f"<p>... and {len(report.findings) - MOST} more, in findings.json</p>")
    if not report.findings:
        body.append("<p>None.</p>")
    if diff:
        body.append("<h2>Changes</h2>")
        body.append(_diff(diff[:MAX_DIFF]))
        if len(diff) > MAX_DIFF:
            body.append("<p>(cut; changes.patch holds all of it)</p>")
    if report.skipped:
        body.append("<h2>Skipped files</h2><table><tbody>")
        body += [
            f"<tr><td><code>{_shown(row.path)}</code></td><td>{_shown(row.reason)}</td></tr>" for row in report.skipped
        ]
        body.append("</tbody></table>")
    return _page(f"{spec.name} - spawnfix", body)


@cache
def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _page(title: str, body: Iterable[str], script: str | None = None) -> str:
    allowed = ""
    if script is not None:
        allowed = f"; script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'{allowed}"
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_text('page.css')}</style></head><body>",
            *body,
            f'<p class="soft">spawnfix {escape(__version__)}</p></body></html>\n',
        ]
    )


def _head(text: str, kind: str = "") -> str:
    return f'<th{f" class={kind}" if kind else ""}><button type="button">{escape(text)}</button></th>'


def _choice(name: str, anything: str, options: Iterable[str]) -> str:
    inside = "".join(f"<option>{escape(option)}</option>" for option in options)
    return f'<select id="{name}" aria-label="{name}"><option value="">{anything}</option>{inside}</select>'


def _table_row(row: Row, rules: Sequence[str]) -> str:
    done = row.outcome if row.state == "done" else None
    if done is None:
        empty = "<td></td>" * (len(rules) + 5)
        return f'<tr data-status="queued"><td>{escape(row.name)}</td><td class="clean">queued</td>{empty}</tr>'
    folder = f"repos/{quote(row.name)}"
    name = f'<a href="{folder}/index.html">{escape(row.name)}</a>' if "index.html" in done.files else escape(row.name)
    links = "".join(f'<a href="{folder}/{file}">{text}</a>' for file, text in _LINKS.items() if file in done.files)
    why = f'<div class="why">{_shown(done.reason)}</div>' if done.reason else ""
    cells = [
        f'<td title="{_shown(row.source)}">{name}{why}</td>',
        f'<td class="{escape(done.status)}">{escape(done.status)}</td>',
        *(f'<td class="n">{number or ""}</td>' for number in (done.fixed, done.refused)),
        *(f'<td class="n">{done.findings.get(rule, "")}</td>' for rule in rules),
        f'<td class="n">{done.skipped or ""}</td><td class="n">{done.seconds:.1f}</td>',
        f'<td class="links">{links}</td>',
    ]
    return (
        f'<tr data-status="{escape(done.status)}" data-rules="{escape(" ".join(done.findings))}">{"".join(cells)}</tr>'
    )


def _chart(by_rule: Mapping[str, Mapping[str, int]]) -> str:
    """Findings by rule, a bar each, its parts by confidence."""
    left, width, step = 190, 560, 26
    most = max(sum(numbers.values()) for numbers in by_rule.values())
    ranked = sorted(by_rule.items(), key=lambda item: -sum(item[1].values()))
    height = step * (len(ranked) + 1) + 8
    about = 'role="img" aria-label="findings by rule and confidence" style="max-width:100%"'
    size = f'viewBox="0 0 {left + width + 60} {height}" width="{left + width + 60}"'
    out = [f"<h2>Findings by rule</h2><svg {about} {size}>"]
    for number, (rule, numbers) in enumerate(ranked):
        y, x = number * step + 4, float(left)
        out.append(f'<text x="{left - 10}" y="{y + 14}" text-anchor="end">{escape(rule)}</text>')
        for level in CONFIDENCE:
            if part := numbers.get(level, 0):
                length = width * part / most
                out.append(
                    f'<rect class="{level}" x="{x:.1f}" y="{y}" width="{length:.1f}" height="18">'
                    f"<title>{escape(rule)}: {part} {level}</title></rect>"
                )
                x += length
        out.append(f'<text x="{x + 6:.1f}" y="{y + 14}">{sum(numbers.values())}</text>')
    for number, level in enumerate(CONFIDENCE):
        x, y = left + number * 110, len(ranked) * step + 8
        out.append(f'<rect class="{level}" x="{x}" y="{y}" width="12" height="12"/>')
        out.append(f'<text x="{x + 18}" y="{y + 11}">{level}</text>')
    return "".join([*out, "</svg>"])


def _finding(finding: Finding, why: str | None) -> str:
    trace = "".join(f"<li><code>{_shown(hop.path)}:{hop.line}</code> {_shown(hop.what)}</li>" for hop in finding.trace)
    fate = f"<p>Fix: {_shown(finding.fix.title)}</p>" if finding.fix is not None and why is None else ""
    if why is not None:
        fate = f"<p>Not fixed: {_shown(why)}</p>"
    mark = "fixed" if why is None else "left"
    place = f"<code>{_shown(finding.path)}:{finding.span.line}</code>"
    about = f"{escape(finding.rule)}, {escape(finding.confidence.value)}, {mark}: {_shown(finding.message)}"
    return f"<details><summary>{place} {about}</summary><ol>{trace}</ol>{fate}</details>"


def _diff(diff: bytes) -> str:
    kinds = {"+": "a", "-": "d", "@": "h"}
    lines = []
    for line in diff.decode("utf-8", "replace").split("\n"):
        kind = "h" if line.startswith(("diff ", "--- ", "+++ ")) else kinds.get(line[:1], "")
        lines.append(f"<i{f' class={kind}' if kind else ''}>{_shown(line) or ' '}</i>")
    return f"<pre>{chr(10).join(lines)}</pre>"


def _shown(text: str) -> str:
    """`text` of anyone's making as HTML: escaped, and without characters that turn or hide what stands there."""
    return escape("".join(letter if letter.isprintable() or letter == "\t" else "�" for letter in text))
