"""`spawnfix cache`: what is kept between runs, and where."""

from __future__ import annotations

from typing import Annotated

import typer

from ..problem import Problem


def cache(
    stats: Annotated[bool, typer.Option("--stats", help="Say where it is and how large (the default).")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything that is saved between runs.")] = False,
) -> None:
    """Show or clear what is kept between runs: facts of files, what each rule found, and whole reports."""
    import sqlite3

    from ..engine import look_cache, report_cache
    from ..flow.facts import cache as facts_cache
    from ..store import Unusable, folder

    if stats and clear:
        raise Problem("--stats or --clear, not both")
    place = folder()
    if place is None:
        raise Problem("there is no folder for a cache: no home folder, and SPAWNFIX_CACHE_DIR is not set")
    typer.echo(f"folder   {place}")
    for store in (report_cache.STORE, look_cache.STORE, facts_cache.STORE):
        try:
            if clear and (place / store.name).exists():
                store.clear()
            counts = store.counts() if (place / store.name).exists() else dict.fromkeys(store.tables, 0)
        except (Unusable, OSError, sqlite3.Error) as error:
            raise Problem(f"{place / store.name}: {str(error) or 'it is no file of yours'}") from None
        size = (place / store.name).stat().st_size if (place / store.name).exists() else 0
        for table in store.tables[:1]:
            typer.echo(f"{table:9}{counts[table]}, {size / 2**20:.1f} MiB")
