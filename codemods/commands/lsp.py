"""`spawnfix lsp`: the language server."""

from __future__ import annotations

from ..problem import Problem


def lsp() -> None:
    """Serve an editor over stdin and stdout: findings on save, quick fixes, the trace on hover."""
    try:
        from ..lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Problem("this needs pygls: install spawnfix with the extra lsp") from None
    serve()
