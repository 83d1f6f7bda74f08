"""Writes what the documentation says about rules from the rules themselves: `python docs/generate.py`.

`docs/rules/<rule>.md`, `docs/rules/README.md`, `docs/guides/cookbook.md`, and the table of rules in `README.md`.
tests/test_docs.py fails when a page is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    from re._parser import parse  # type: ignore[import-not-found]
else:
    from sre_parse import parse

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a checkout, without an installation

from codemods.diagnose.families import families  # noqa: E402
from codemods.known_error import KnownError  # noqa: E402
from codemods.review.documentation import documentation  # noqa: E402
from codemods.transforms import rules  # noqa: E402

_TABLE = re.compile(r"(?<=<!-- rules: written by docs/generate.py -->\n).*?(?=<!-- /rules -->)", re.DOTALL)
_DUNDER = re.compile(r"(?:\w+\.)*__[a-z]\w*__(?:\([^()]*\))?")
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


_COOKBOOK = """\
# Cookbook by error message

What each error means and what to do first, as `spawnfix explain "..."` says it. Search this page for the words of your
error; `...` stands for what differs. Give the whole traceback to `spawnfix diagnose -`, and it names the place as well.
"""


def cookbook() -> str:
    """Every family of errors: those that a rule fixes first."""
    parts = [_COOKBOOK]
    for rule in rules().values():
        if rule.errors:
            parts.append(f"## Fixed by [`{rule.id}`](../rules/{rule.id}.md)\n")
            parts += [_recipe(error) for error in rule.errors]
    parts.append("## What no rewrite fixes\n")
    parts += [_recipe(error) for error in families()]
    return "\n".join(parts)


def _recipe(error: KnownError) -> str:
    text = (error.examples[0] if error.examples else _sample(error.pattern)).partition("\n")[0]
    says = f"- **Where**: {error.in_own_code.format('the value')}\n" if error.in_own_code else ""
    more = f" ([documentation]({error.reference}))" if error.reference else ""
    cause, advice = _with_code(error.cause), _with_code(error.advice)
    return f"```text\n{text}\n```\n\n- **Cause**: {cause}\n- **Next**: {advice}{more}\n{says}"


def _with_code(text: str) -> str:
    """`text` with names like `__init__` marked as code: Markdown takes their underscores for emphasis."""
    parts = text.split("`")  # every second part is code already
    parts[::2] = [_DUNDER.sub(r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)


def _sample(pattern: str) -> str:
    """A text like those that `pattern` finds: of each choice the first, `...` for what it leaves open."""
    return re.sub(r"(\.\.\.)+", "...", _text(list(parse(pattern)))).strip()


def _text(items: list[Any]) -> str:
    text = ""
    for kind, value in items:
        name = str(kind)
        if name == "LITERAL":
            text += chr(value)
        elif name == "SUBPATTERN":
            text += _text(list(value[-1]))
        elif name == "BRANCH":
            text += _text(list(value[1][0]))
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            inner = _text(list(value[2]))
            text += inner if value[1] == 1 else "..."
        elif name in ("ANY", "IN", "NOT_LITERAL", "CATEGORY"):
            text += _one(value) if name == "IN" else "..."
    return text


def _one(value: list[Any]) -> str:
    """A character of a set; `...` where it may be any."""
    kind, letter = value[0]
    return chr(letter) if str(kind) == "LITERAL" else "..."


def generated() -> dict[Path, str]:
    """Every generated file with the text that it should have."""
    pages = {
        ROOT / "docs" / "rules" / f"{rule.id}.md": documentation(rule).markdown
        + "\n"
        + _FOOTER.format(rule=rule.id, module=rule.id.replace("-", "_"))
        for rule in rules().values()
    }
    pages[ROOT / "docs" / "rules" / "README.md"] = f"# Rules\n\n{table('')}"
    pages[ROOT / "docs" / "guides" / "cookbook.md"] = cookbook()
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
