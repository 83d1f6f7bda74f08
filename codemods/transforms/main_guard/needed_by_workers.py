"""Why code can't go under a guard, or stay outside, where handing a value to the workers would help."""

from __future__ import annotations

from ...finding import Refused


class NeededByWorkers(Refused):
    """Workers need the value that the main process gives `name`, a global of the script."""

    def __init__(self, reason: str, name: str) -> None:
        super().__init__(reason)
        self.name = name


def needed(reason: str, name: str, path: str, script: str) -> Refused:
    """The refusal for the global `name` of the file `path`; that of another file than the script can't be handed."""
    return NeededByWorkers(reason, name) if path == script and name.isidentifier() else Refused(reason)
