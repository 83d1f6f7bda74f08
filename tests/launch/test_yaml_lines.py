"""The commands that are read from YAML: their words, and whether they are a list."""

from __future__ import annotations

import re

from codemods.launch.yaml import yaml_scripts
from harness.each_row import each_row

LIST, LINE = True, False


@each_row(
    ("text", "commands"),
    [
        ("run: go a\n", [("go a", LINE)]),
        ("- run: go a\n", [("go a", LINE)]),
        ("'run': go a\n", [("go a", LINE)]),
        ("run: go a\r\nx: 1\r\n", [("go a", LINE)]),
        ("run:\n  go a\n", [("go a", LINE)]),
        ("run: go a\n  b\nx: go\n", [("go a b", LINE)]),
        ("run: |\n  go a\n  go b\nx: 1\n", [("go a", LINE), ("go b", LINE)]),
        ("run: |\n\n  go a\n\n", [("go a", LINE)]),
        ("run: >\n  go a\n  -b\n", [("go a -b", LINE)]),
        ("run: |2-  # why\n    go a\n", [("go a", LINE)]),
        ("run: 'go a'\n", [("go a", LINE)]),
        ('run: "go a" # no\n', [("go a", LINE)]),
        ("run: 'go ''a'''\n", []),
        ('run: "go \\"a\\""\n', []),
        ("run: '\n  go\n", []),
        ("run: go ${{ matrix.x }} {{ y }} b\n", [("go ? ? b", LINE)]),
        ("script:\n  - |\n    go a\n  - go b\n", [("go a", LINE), ("go b", LINE)]),
        ("run: [go, a]\n", [("go a", LIST)]),
        ("run:\n  [go, a]\n", [("go a", LIST)]),
        ("run: ['go', \"a\", $(x), '{{y}}']\n", [("go a ? ?", LIST)]),
        ("command:\n  - go\n  - a\n", [("go a", LIST)]),
        ("command:\n- go\n- a\n", [("go a", LIST)]),
        ("command:\n  - go\n\n  - a\n", [("go a", LIST)]),
        ("command:\n  - go\n  - 'a'\n  - \"b\"\n  - '\n", [("go a b '", LIST)]),
        ("command:\n  - go\n  - $(y)\n  - ${z}\n  - 'a{{x}}'\n", [("go ? ? ?", LIST)]),
        ("command:\n  - go\n", [("go", LINE)]),
        ("command:\n  - go a\n  - go b\n", [("go a", LINE), ("go b", LINE)]),
        ("command:\n  - go\nargs:\n  - a\n", [("go a", LIST)]),
        ("- command:\n    - go\n  args:\n    - a\n", [("go a", LIST)]),
        ("command:\n  - go\nname: x\n", [("go", LINE)]),
        ("a:\n  command:\n    - go\n    - b\n  c:\n    - go\n    - d\n", [("go b", LIST)]),
        ("- command:\n    - go\n    - b\n- name: c d\n  x:\n    - go e\n", [("go b", LIST)]),
        ("a:\n- go b\nrun:\n- go c\n", [("go c", LINE)]),
        ("run:\n  - x\n  - y\nz: go\n", []),
        ("x: go a\n", []),
        ("x: |\n  run: go a\n", []),
        ("run:go a\n", []),
        ("# run: go a\n", []),
    ],
)
def test_the_commands_of_a_file(text: str, commands: list[tuple[str, bool]]) -> None:
    found = [
        (" ".join("?" if word.value is None else word.value for word in command.words), script.listed)
        for script in yaml_scripts("a.yaml", text, re.compile("go"))
        for command in script.commands
    ]
    assert found == commands
    for script in yaml_scripts("a.yaml", text, re.compile("go")):
        for word in (word for command in script.commands for word in command.words if word.value is not None):
            assert text[word.start : word.end].strip("'\"") == word.value.strip("'\"")  # where it stands in the file
