"""spawnfix: make PyTorch research code survive spawn, forkserver and distributed launchers."""

from __future__ import annotations

from .finding import Confidence, Finding, Fix

__version__ = "0.1.0"
__all__ = ["Confidence", "Finding", "Fix", "__version__"]
