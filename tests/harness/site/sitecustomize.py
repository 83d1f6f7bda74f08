"""Chooses multiprocessing's default start method from outside, as another Python version or platform would.

On the PYTHONPATH of every program under test. The method is a default, not a choice: a program that calls
`set_start_method` itself still may, and a spawned child still takes what its parent says.
"""

import os

_method = os.environ.get("HARNESS_START_METHOD")
if _method:
    from multiprocessing import context as _context

    _context._default_context._default_context = _context._concrete_contexts[_method]  # type: ignore[attr-defined]
