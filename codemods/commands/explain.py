"""`spawnfix rules` and `spawnfix explain`: what the rules are about."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from ..problem import Problem
from ..quoting import shell
from .output import put
from .run import settings_of


def new_rule(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the rule, like dict-views.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the folder spawnfix-NAME goes.")] = Path(),
) -> None:
    """Write a distribution with a rule of your own, to start from."""
    from ..new_rule import write_rule

    folder = write_rule(name, out)
    typer.echo(f"{folder}: pip install -e {shell(str(folder))}, and spawnfix rules lists {name}")


def rules() -> None:
    """List the rules."""
    from ..transforms import rules as known

    width = max(map(len, known()), default=0)
    for rule in known().values():
        typer.echo(f"{rule.id:{width}}  {rule.summary}")


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE|PATH:LINE|ERROR",
            help='A rule as `spawnfix rules` lists them, PATH:LINE, or the text of an error: "TypeError: cannot ...".',
        ),
    ],
    path: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(metavar="[PATH]", help="With an error: where to look for its cause.", show_default=False),
    ] = None,
) -> None:
    """Explain a rule (what it finds, why that breaks, what it writes), a line of code, or an error and its fix."""
    from ..delivery import target
    from ..review.documentation import documentation
    from ..settings import nearest
    from ..transforms import rules as known

    place = re.fullmatch(r"(.+):(\d{1,9})", rule)
    if place is not None and os.path.isfile(place[1]):  # noqa: PTH113  (it takes any text for an answer)
        from ..flow.answers.explain import explain_line
        from ..project import Project
        from ..review.sites import sites_text

        where = target.to_check(Path(place[1]))
        project = Project(where.files, settings_of(where, None, None, None, None, None, None, True))
        line = int(place[2])
        put(sites_text(where.scope, line, explain_line(project, where.scope, line)).encode("utf-8", "backslashreplace"))
        return
    if rule not in known() and (path is not None or any(letter in rule for letter in " '\n")):
        from ..diagnose.command import explain_text

        explain_text(rule, path)
        return
    if rule not in known():
        raise Problem(f"no rule called {rule!r}{nearest(rule, known())}")
    text = documentation(known()[rule]).markdown
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        put(text.encode())
