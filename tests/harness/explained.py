"""What an error means in a few files."""

from __future__ import annotations

from codemods.delivery.target import Target
from codemods.diagnose.explain import Explanation, explain_log
from codemods.diagnose.tracebacks import read_log
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles


def explained_in(error: str, files: dict[str, bytes]) -> Explanation:
    """What `error`, which names an error that is known, means, and where in `files` it may come from."""
    return explain_log(read_log(error), Target(MemoryFiles(files), ""), Settings())
