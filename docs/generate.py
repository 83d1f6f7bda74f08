"""Writes what the documentation says about rules from the rules themselves: `python docs/generate.py`.

`docs/rules/<rule>.md`, `docs/rules/README.md`, and the table of rules in `README.md`. tests/test_docs.py fails when a
page is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a checkout, without an installation

from codemods.review.documentation import documentation  # noqa: E402
from codemods.transforms import rules  # noqa: E402

_TABLE = re.compile(r"(?<=<!-- rules: written by docs/generate.py -->\n).*?(?=<!-- /rules -->)", re.DOTALL)
_FOOTER = """\
## In your repository

```console
$ spawnfix check . --select {rule}
$ spawnfix migrate . --select {rule}
```

Leave one line alone with `# spawnfix: ignore[{rule}]`, more with [settings](../guides/configuration.md).

<!-- written by docs/generate.py from codemods/transforms/{module}/__init__.py -->
"""


def table(prefix: str) -> str:
    """The rules as a Markdown table; links start with `prefix`."""
    rows = "".join(f"| [`{rule.id}`]({prefix}{rule.id}.md) | {rule.summary} |\n" for rule in rules().values())
    return f"| rule | what it does |\n| --- | --- |\n{rows}"


def generated() -> dict[Path, str]:
    """Every generated file with the text that it should have."""
    pages = {
        ROOT / "docs" / "rules" / f"{rule.id}.md": documentation(rule).markdown
        + "\n"
        + _FOOTER.format(rule=rule.id, module=rule.id.replace("-", "_"))
        for rule in rules().values()
    }
    pages[ROOT / "docs" / "rules" / "README.md"] = f"# Rules\n\n{table('')}"
    readme = ROOT / "README.md"
    pages[readme] = _TABLE.sub(lambda _: table("docs/rules/"), readme.read_text(encoding="utf-8"))
    return pages


def main() -> None:
    """Write what is out of date, and remove pages of rules that are gone."""
    pages = generated()
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")
    for path in (ROOT / "docs" / "rules").glob("*.md"):
        if path not in pages:
            path.unlink()
            print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
