"""The probe: classes of installed packages are nobody's own, and no part of Python either."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from codemods.diagnose import probe


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_an_installed_class_is_not_of_python(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("installed_module")
    module.__file__ = str(tmp_path / folder / "installed_module.py")
    monkeypatch.setitem(sys.modules, "installed_module", module)
    made = type("Made", (), {"__module__": "installed_module"})
    assert not probe._is_library(made)
    assert probe._is_library(type(Path()))
