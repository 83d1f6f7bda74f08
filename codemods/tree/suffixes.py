"""Which files are read, and which of them are shell scripts: the one list of file names by what they hold."""

from __future__ import annotations

import re

SHELL = ("sh", "bash", "zsh", "ksh", "sbatch", "slurm", "pbs", "qsub", "lsf", "job")  # suffixes of shell scripts
WINDOWS = ("bat", "cmd", "ps1")
YAML = ("yml", "yaml")
GUIDES = ("md", "markdown", "rst")

SHELL_SCRIPT = re.compile(rf"\.(?:{'|'.join(SHELL)})$")
SHEBANG = re.compile(r"#!.*\b(?:ba|da|k|z)?sh\b")  # how a shell script starts whatever its name is
MAKEFILE = re.compile(r"(?:^|/)(?:GNU)?[Mm]akefile[^/]*$|\.mk$")
CONTAINER_FILE = re.compile(r"(?:^|/)(?:Dockerfile|Containerfile)[^/]*$|\.[Dd]ockerfile$")
WINDOWS_SCRIPT = re.compile(rf"\.(?:{'|'.join(WINDOWS)})$")
YAML_FILE = re.compile(rf"\.(?:{'|'.join(YAML)})$")
GUIDE_FILE = re.compile(rf"\.(?:{'|'.join(GUIDES)})$")
_NO_SUFFIX = r"(?:^|/)[^/.]+$"  # perhaps a script that says so in its first line
READ = re.compile(  # what a rule may look at; the rest of a repository is never read
    "|".join(
        [
            r"[^/]\.(?:py|ipynb)$",
            *(f"[^/]{kind.pattern}" for kind in (SHELL_SCRIPT, WINDOWS_SCRIPT, YAML_FILE, GUIDE_FILE)),
            MAKEFILE.pattern,
            CONTAINER_FILE.pattern,
            _NO_SUFFIX,
        ]
    )
)


def is_shell(path: str, text: str) -> bool:
    """True for a shell script, by its name or by its first line."""
    return SHELL_SCRIPT.search(path) is not None or SHEBANG.match(text) is not None
