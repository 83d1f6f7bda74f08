"""The documentation says what the rules do, of every rule and of nothing else; the rules do what their examples say."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest
from typer.main import get_command

from codemods.commands import app
from codemods.engine.migrate import plan
from codemods.review.documentation import BadDocumentation, documentation
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles
from harness.case import ROOT
from harness.each_row import each_row
from harness.tool import tree_diff

_LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@each_row("rule", sorted(rules()))
def test_docstring_has_the_headings(rule: str) -> None:
    try:
        page = documentation(rules()[rule])
    except BadDocumentation as error:
        pytest.fail(str(error), pytrace=False)
    assert page.before, "Example has no fenced block"
    assert page.after.keys() <= page.before.keys(), "Use instead names a file that Example lacks"
    assert len(page.summary) <= 120 and "\n" not in page.summary


@each_row("rule", sorted(rules()))
def test_rule_turns_its_example_into_use_instead(rule: str) -> None:
    page = documentation(rules()[rule])
    before = {path: text.encode() for path, text in page.before.items()}
    done = plan(MemoryFiles(before), Settings(select=(rule,)))
    assert not done.skipped
    wanted = {path: (text.encode(), False) for path, text in page.after.items()}
    difference = tree_diff(wanted, {path: (data, False) for path, data in done.contents.items()})
    assert not difference, f"the rule writes something else than its docstring says:\n{difference}"


def test_names_with_underscores_are_code_in_the_cookbook(generate: ModuleType) -> None:
    """Outside of code Markdown takes `__init__` for the word init in bold letters."""
    prose = re.sub(r"```.*?```|`[^`]*`|\(https?://\S+\)", "", generate.cookbook(), flags=re.DOTALL)
    assert len(prose.split()) > 1000
    assert "__" not in prose


def test_generated_pages_are_up_to_date(generate: ModuleType) -> None:
    pages: dict[Path, str] = generate.generated()
    stale = [
        str(path.relative_to(ROOT))
        for path, text in pages.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    extra = [path.name for path in (ROOT / "docs" / "rules").glob("*.md") if path not in pages]
    assert not stale and not extra, f"run `python docs/generate.py`: stale {stale}, without a rule {extra}"


@each_row("page", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    missing = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not missing


def test_readme_shows_what_migrate_writes() -> None:
    before, after = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    head = (
        "import functools\nimport multiprocessing\n\n\n"
        "class SweepDataset:\n"
        "    def __init__(self, sweeps, config, transform):\n"
        "        self.config = config\n"
        "        self.transform = transform\n\n\n"
    )
    tail = "\n\ndef main():\n    multiprocessing.Process(target=print, args=(build_dataset(9, 1.1),)).start()\n"
    done = plan(MemoryFiles({"a.py": (head + before + tail).encode()}), Settings())
    assert done.contents["a.py"].decode() == head + after + tail


def test_readme_gives_the_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    after = readme.partition("<!-- test command -->")[2]
    commands = [line for line in after.partition("\n```\n")[0].splitlines() if line.startswith("python3 ")]
    assert len(commands) == 1
    words = shlex.split(commands[0])
    assert words[:3] == ["python3", "-m", "venv"] and ".[test]" in words and "pytest" in words


def test_docs_name_only_flags_that_exist() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    known = {
        name: {
            flag
            for part in (command, *getattr(command, "commands", {}).values())
            for each in part.params
            for flag in [*each.opts, *each.secondary_opts]
        }
        for name, command in commands.items()
    }
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
    unknown = []
    for page in pages:
        for line in page.read_text(encoding="utf-8").splitlines():
            for name, rest in re.findall(r"spawnfix (\w+) ?([^`|>#]*)", line):
                ours = f" {rest}".partition(" -- ")[0]  # after it come those of the user's program
                flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours))
                if name in known and not flags <= known[name]:
                    unknown.append(f"{page.name}: spawnfix {name} has no {flags - known[name]}")
            # alone, a flag is ours in the guides; pages of rules speak of those of other programs
            for flag in [] if page.parent.name == "rules" else re.findall(r"`(--[a-z][a-z_-]*)", line):
                if "_" not in flag and not any(flag in flags for flags in known.values()):
                    unknown.append(f"{page.name}: no command has {flag}")
    assert not unknown
