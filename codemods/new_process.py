"""Python code that calls a function of this package in another process, whatever that process's folder holds."""

from __future__ import annotations

import sys
from pathlib import Path

_CODE = """
import importlib.util as _util, sys as _sys
_sys.path[:] = {path!r} or _sys.path
_spec = _util.spec_from_file_location({name!r}, {file!r}, submodule_search_locations=[{folder!r}])
_package = _sys.modules[{name!r}] = _util.module_from_spec(_spec)
_spec.loader.exec_module(_package)
from {name}.{module} import {function}
{function}()
"""


def code_to_call(module: str, function: str, path: list[str] | None = None) -> str:
    """Code for `python -c` that calls `function` of `module` (`batch.child`) without arguments.

    The package is loaded from its place, under the name that it has here: a folder `codemods` in the working directory
    or on `PYTHONPATH` is not ours. `path` (absolute): `sys.path` there, where it must not be Python's own.
    """
    name = __name__.partition(".")[0]
    folder = Path(__file__).resolve().parent
    loaded = sys.modules[name].__file__
    file = Path(loaded).resolve() if loaded else folder / "__init__.py"
    return _CODE.format(
        name=name, file=str(file), folder=str(folder), module=module, function=function, path=path or []
    )
