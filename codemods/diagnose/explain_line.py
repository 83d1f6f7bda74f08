"""`explain PATH:LINE` and `explain NAME`: what every rule says of a line, and what is known of a library's name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..delivery.target import Target, to_check
from ..engine.migrate import Report, check
from ..finding import Confidence, Finding
from ..flow.answers.explain import Site, explain_line
from ..flow.boundaries import Boundary, Table
from ..flow.boundaries import table as boundary_table
from ..problem import Problem
from ..project import Project
from ..quoting import shell
from ..review.json_report import fix_diff
from ..review.sites import sites_text
from ..settings import read_settings
from ..transforms import rules

_PLACE = re.compile(r"(?P<path>[^\n]+):(?P<line>\d{1,9})")
_FILE = re.compile(r"[^\n]*\.(?:py|ipynb|sh|bash|sbatch|slurm|yml|yaml|md)|[^\n]*[/\\][^\n]*")
_LONGEST = 300  # characters of a path that is typed
_MOST_WAYS = 5


def explain_place(typed: str) -> str | None:
    """What stands on the line that `typed` (PATH:LINE) names; None when it is no such thing. Raises Problem."""
    if len(typed) > _LONGEST:
        return None
    match = _PLACE.fullmatch(typed)
    if match is None:
        if "\n" not in typed and " " not in typed and typed.endswith((".py", ".ipynb", ".sh")):
            exists = os.path.isfile(typed)  # noqa: PTH113
            raise Problem(
                f"{typed}: name a line too: spawnfix explain {typed}:12" if exists else f"{typed}: no such file"
            )
        return None
    path, line = Path(match["path"]), int(match["line"])
    if not os.path.isfile(path):  # noqa: PTH113  (it takes any text for an answer)
        if path.is_dir():
            raise Problem(f"{path} is a folder; name a file and a line: spawnfix explain {path / 'train.py'}:12")
        if _FILE.fullmatch(match["path"]):
            raise Problem(f"{path}: no such file")
        return None
    where = _around(path)
    settings = read_settings(where.files, rules())
    project = Project(where.files, settings)
    source = project.source(where.scope)
    if source is None:
        reason = project.skipped[where.scope].reason if where.scope in project.skipped else "not looked at"
        raise Problem(f"{path}: {reason}")
    count = len(source.text.splitlines())
    if not 1 <= line <= count:
        raise Problem(f"{path} has {count} line{'' if count == 1 else 's'}, and no line {line}")
    report = check(where.files, replace(settings, select=(), ignore=(), confidence=Confidence.POSSIBLE), "")
    here = [item for item in report.findings if item.path == where.scope and _covers(item, line)]
    ways = [item for item in report.findings if item not in here and _passes(item, where.scope, line)]
    sites = explain_line(project, where.scope, line) if where.scope.endswith(".py") else []
    sites = [site for site in sites if site.crossing is not None or not here]
    if where.scope in project.skipped and not here:
        raise Problem(f"{path}: {project.skipped[where.scope].reason}")
    return _text(str(path), where.scope, line, report, here, ways, sites, settings.confidence)


def _around(path: Path) -> Target:
    """The files that `check` looks at for `path`: of its repository, else of the current folder or the file's own."""
    where = to_check(path)
    if where.folder is None:
        return where
    here, full = Path.cwd(), path.absolute()
    folder = here if full.is_relative_to(here) else full.parent
    return replace(to_check(folder), scope=full.relative_to(folder).as_posix())


def _covers(finding: Finding, line: int) -> bool:
    return finding.span.line <= line <= max(finding.span.line, finding.span.end_line)


def _passes(finding: Finding, path: str, line: int) -> bool:
    return any(hop.path == path and hop.line == line for hop in finding.trace)


def _text(
    typed: str,
    path: str,
    line: int,
    report: Report,
    here: Sequence[Finding],
    ways: Sequence[Finding],
    sites: Sequence[Site],
    bar: Confidence,
) -> str:
    parts = [_finding_text(typed, item, report, bar) for item in here]
    shown = {(item.span.line, item.span.column) for item in here}
    rest = [site for site in sites if not any(line == site.line for line, _ in shown)]
    if rest:
        parts.append(sites_text(path, line, rest).rstrip("\n"))
    for item in ways[:_MOST_WAYS]:
        parts.append(f"{path}:{line}  on the way of {item.rule} at {item.path}:{item.span.line}: {item.message}")
    if not parts:
        nothing = "no lambda, nested function, local class, view or generator here, and no finding of a rule"
        parts.append(f"{path}:{line}: nothing that pickle rejects ({nothing})")
    return "\n\n".join(parts) + "\n"


def _finding_text(typed: str, finding: Finding, report: Report, bar: Confidence) -> str:
    rows = [f"{finding.path}:{finding.span.line}  {finding.rule}  {finding.confidence.value}", f"  {finding.message}"]
    rows += [f"  {at}. {hop.path}:{hop.line}  {hop.what}" for at, hop in enumerate(finding.trace, 1)]
    below = not finding.confidence.reaches(bar)
    if below:
        rows.append(f"  below the bar of check and migrate: --confidence {finding.confidence.value} shows it")
    if finding.fix is None:
        return "\n".join([*rows, f"  no fix: {finding.reason}"])
    unsafe = finding.fix.unsafe
    if unsafe is not None:
        rows.append(f"  only with --unsafe-fixes: {unsafe}")
    rows += ["", fix_diff(finding.fix, report.sources).rstrip("\n"), ""]
    words = ["spawnfix", "migrate", str(Path(typed).parent), "--select", finding.rule]
    words += ["--confidence", finding.confidence.value] if below else []
    words += ["--unsafe-fixes"] if unsafe is not None else []
    return "\n".join([*rows, "apply it: " + " ".join(map(shell, words))])


def explain_name(typed: str) -> str | None:
    """What is known of a library's callable, as `DataLoader` or `torch.utils.data.DataLoader`; None: nothing."""
    if re.fullmatch(r"[A-Za-z_][\w.]*(?:\(\))?", typed) is None:
        return None
    table = boundary_table()
    name = table.canonical(typed)
    end = "." + name
    boundaries = [item for key, item in table.boundaries.items() if ("." + key.replace("()", "")).endswith(end)]
    harmless = [(key, why) for key, why in table.harmless.items() if ("." + key.replace("()", "")).endswith(end)]
    rows = [_boundary_text(table, item) for item in boundaries]
    rows += [f"{key}: takes functions, and does not pickle them with plain pickle ({why})" for key, why in harmless]
    return "\n".join(rows) + "\n" if rows else None


def _boundary_text(table: Table, boundary: Boundary) -> str:
    rows = [boundary.callable]
    if boundary.says:
        rows.append(f"  {boundary.says}")
    else:
        pickled = ", ".join(sorted(boundary.pickles)) or "nothing"
        when = "under every start method" if boundary.always else "under spawn and forkserver"
        rows.append(f"  sends to other processes, pickled {when}: {pickled}")
    left_out = [item for item in boundary.parameters if item not in boundary.pickles]
    if left_out and boundary.pickles:
        rows.append(f"  not pickled: {', '.join(left_out)}")
    rows += [f"  not where {name} is 0" for name, condition in boundary.when.items() if condition == "nonzero"]
    rows += [f"  not where {name} is {' or '.join(map(repr, values))}" for name, values in boundary.unless.items()]
    if boundary.source:
        rows.append(f"  {boundary.source}")
    return "\n".join(rows)
