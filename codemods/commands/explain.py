"""`spawnfix rules` and `spawnfix explain`: what the rules are about."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from ..problem import Problem
from ..quoting import shell
from .output import put
from .values import ReportFormat


def new_rule(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the rule, like dict-views.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the folder spawnfix-NAME goes.")] = Path(),
) -> None:
    """Write a distribution with a rule of your own, to start from."""
    from ..new_rule import write_rule
    from ..transforms import rules as known

    if name in known():
        raise Problem(f"there is a rule called {name} already; nothing was written")
    folder = write_rule(name, out)
    typer.echo(f"{folder}: pip install -e {shell(str(folder))}, and spawnfix rules lists {name}")


def rules(
    format: Annotated[ReportFormat, typer.Option("--format", help="How to list them.")] = ReportFormat.text,
) -> None:
    """List the rules."""
    from ..transforms import rules as known

    if format is ReportFormat.json:
        import json

        rows = [{"id": rule.id, "summary": rule.summary, "notebooks": rule.notebooks} for rule in known().values()]
        put(json.dumps({"rules": rows}, indent=2).encode() + b"\n")
        return
    width = max(map(len, known()), default=0)
    for rule in known().values():
        typer.echo(f"{rule.id:{width}}  {rule.summary}")


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE|PATH:LINE|NAME|ERROR",
            help="A rule as `spawnfix rules` lists them, PATH:LINE, a library's name like DataLoader, "
            'or the text of an error: "TypeError: cannot ...".',
        ),
    ],
    path: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[PATH]", help="With an error: where to look for its cause.", show_default=False),
    ] = None,
) -> None:
    """Explain a rule (what it finds, why that breaks, what it writes), a line of code, or an error and its fix.

    Nothing is run. Exit code: 0 explained, 2 not known, or no such file or line.
    """
    from ..review.documentation import documentation
    from ..settings import nearest
    from ..transforms import rules as known

    if rule not in known():
        from ..diagnose.explain_line import explain_name, explain_place

        answer = explain_place(rule) or (explain_name(rule) if path is None else None)
        if answer is not None:
            put(answer.encode("utf-8", "backslashreplace"))
            return
        if path is not None or any(letter in rule for letter in " '\n"):
            from ..diagnose.command import explain_text

            explain_text(rule, path)
            return
        raise Problem(f"no rule called {rule!r}{nearest(rule, known())}")
    text = documentation(known()[rule]).markdown
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        put(text.encode())
