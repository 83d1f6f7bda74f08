"""Builds the documentation as a site: `python docs/site.py`, or `make site`. Links that lead nowhere end it.

The pages stay where people read them in the repository; MkDocs gets a copy of them with the same folders.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "benchmarks/README.md")
FOLDERS = ("docs/guides", "docs/images", "docs/rules")
_SOURCE = re.compile(r"\[([^\]]+)\]\((?:\.\./)*(?:codemods|tests|benchmarks|editors)/(?!README)[^)]*\)")


def main() -> int:
    """The exit code of MkDocs."""
    copy = ROOT / "build" / "pages"
    shutil.rmtree(copy, ignore_errors=True)
    pages = [ROOT / page for page in (*PAGES, "docs/README.md")]
    pages += [
        file for folder in FOLDERS for file in (ROOT / folder).iterdir() if file.suffix in (".md", ".svg", ".png")
    ]
    for page in pages:
        there = copy / page.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":  # links to source files lead out of the site: only their text stays
            there.write_text(_SOURCE.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copy(page, there)
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
