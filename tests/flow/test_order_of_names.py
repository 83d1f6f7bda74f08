"""The facts of a file list its names as they stand there, so that each run finds the same ways."""

from __future__ import annotations

from codemods.flow.facts.records import project_facts
from harness.marks import project_of

NAMES = [f"name_{chr(ord('a') + at)}" for at in range(20)]


def test_names_of_modules_and_classes_stand_in_the_order_of_the_text() -> None:
    body = "".join(f"    def {name}(self): pass\n" for name in NAMES)
    text = "".join(f"import {name}\n" for name in NAMES) + f"class Names:\n{body}"
    facts = project_facts(project_of({"main.py": text}))["main.py"]
    assert [*facts.module_names] == [*NAMES, "Names"]
    assert [*facts.classes[0].members] == NAMES
