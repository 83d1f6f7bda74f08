"""Is there a wheel of every dependency for each system and Python? `python release/check_platforms.py` asks pip.

Nothing is installed. Packages that exist only as pure Python source are built first: their wheel fits every system.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# The oldest release of each system that is looked at, with the tags of wheels that it takes.
SYSTEMS = {
    "Windows x64": ("win_amd64",),
    "macOS 11, Apple": tuple(
        f"macosx_{version}" for version in ("11_0_arm64", "11_0_universal2", "10_13_universal2", "10_9_universal2")
    ),
    "Linux x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
}  # fmt: skip
ONLY_SOURCE = ("volatile",)  # needed by Bowler


def requirements(extras: Sequence[str]) -> list[str]:
    """What pyproject.toml asks for, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *(line for name in extras for line in project["optional-dependencies"][name])]


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """One run of pip."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def resolved(python: str, tags: Sequence[str], wanted: Sequence[str], work: Path) -> tuple[list[str], str]:
    """(the wheels that pip would install there, what it complains about or "")."""
    report = work / "report.json"
    report.unlink(missing_ok=True)
    done = pip(
        "install", "--dry-run", "--ignore-installed", "--only-binary=:all:", f"--target={work / 'none'}",
        f"--find-links={work / 'wheels'}", f"--python-version={python}", "--implementation=cp",
        *(f"--abi={abi}" for abi in (f"cp{python.replace('.', '')}", "abi3", "none")),
        *(f"--platform={tag}" for tag in tags), f"--report={report}", *wanted,
    )  # fmt: skip
    if done.returncode:
        return [], done.stderr.strip().rpartition("\n")[2]
    found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return sorted(row["download_info"]["url"].rpartition("/")[2] for row in found), ""


def main() -> int:
    """Print a table; 1 when a wheel is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extras", default="lsp,dask", help="extras that are needed too (default: %(default)s)")
    extras = [name for name in parser.parse_args().extras.split(",") if name]
    wanted, missing = requirements(extras), 0
    with tempfile.TemporaryDirectory(prefix="wheels-") as name:
        work = Path(name)
        for package in ONLY_SOURCE:
            pip("wheel", "--no-deps", f"--wheel-dir={work / 'wheels'}", package)
        print("| system | Python | wheels | of these for this system alone |\n| --- | --- | --- | --- |")
        for system, tags in SYSTEMS.items():
            for python in PYTHONS:
                wheels, problem = resolved(python, tags, wanted, work)
                own = [wheel.partition("-")[0] for wheel in wheels if not wheel.endswith("-any.whl")]
                missing += bool(problem)
                print(f"| {system} | {python} | {problem or len(wheels)} | {', '.join(own)} |", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
