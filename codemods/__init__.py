"""spawnfix: make PyTorch research code survive spawn, forkserver and distributed launchers.

Users import `spawnfix`, which loads this package under its own name: a repository may have a folder `codemods` too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import Confidence as Confidence
    from .api import Finding as Finding
    from .api import Rule as Rule
    from .api import Settings as Settings
    from .api import check as check
    from .api import migrate as migrate


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        api = importlib.import_module(f"{__name__}.api")  # loaded when it is first asked for
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
