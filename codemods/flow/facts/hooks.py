"""The methods by which a module of torch keeps a function, and the attribute that stands for where it does."""

from __future__ import annotations

HOOKS_KEPT = "_forward_hooks"
HOOKS = frozenset(
    f"register_{name}_hook" for name in ("forward", "forward_pre", "backward", "full_backward", "full_backward_pre")
)
