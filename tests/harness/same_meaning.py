"""Runs composed programs before and after `migrate`, and says what differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codemods.engine.migrate import Plan, plan
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

from .compositions import Program, shrunk

PATH = "program.py"
RUNNER = Path(__file__).with_name("run_programs.py")
SITE = Path(__file__).with_name("site")  # sets the default start method


@dataclass(frozen=True)
class Outcome:
    """What became of one program. `printed`: before under fork, after under fork, after under spawn."""

    program: Program
    after: str
    what: str  # fixed | partly | refused | nothing
    printed: tuple[str, str, str]
    python: str
    unstable: bool = False  # a second run changes more
    broken: str = ""  # a fix that our own checks threw away

    @classmethod
    def of(cls, program: Program, python: str = sys.executable, rewrite: Callable[[str], str] | None = None) -> Outcome:
        """The outcome of one program. `rewrite` stands for `migrate`."""
        after = (rewrite or _rewritten)(program.text)
        (printed,) = _printed([(program.text, after)], python)
        return cls(program, after, "fixed" if after != program.text else "nothing", printed, python)

    @property
    def differs(self) -> str:
        """ "fork" or "spawn": under which start method it prints something else; "" where it prints the same."""
        if self.after == self.program.text:
            return ""
        before, forked, spawned = self.printed
        if forked != before:
            return "fork"
        return "spawn" if spawned != before and not self.program.reads_what_it_changed else ""

    def report(self) -> str:
        """The smallest such program, what became of it, and what each prints."""
        small = shrunk(self.program, lambda less: Outcome.of(less, self.python).differs == self.differs)
        found = Outcome.of(small, self.python)
        names = ("before, fork", "after, fork", "after, spawn")
        printed = "".join(f"--- {name}\n{text}" for name, text in zip(names, found.printed, strict=True))
        steps = "\n".join(map(str, small.steps))
        return f"{small.pattern} ({found.differs})\n{small.makes}\n{steps}\n--- became\n{found.after}\n{printed}"


def outcomes(programs: Sequence[Program], python: str = sys.executable) -> list[Outcome]:
    """The outcome of each program; `python` runs them."""
    planned = [_planned(program.text) for program in programs]
    pairs = [(program.text, after) for program, (after, _) in zip(programs, planned, strict=True)]
    found = []
    for program, (after, result), printed in zip(programs, planned, _printed(pairs, python), strict=True):
        changed, left = after != program.text, bool(result.remaining)
        what = ("partly" if left else "fixed") if changed else ("refused" if left else "nothing")
        broken = next((item.reason for item in result.remaining if "internal check" in (item.reason or "")), None)
        unstable = changed and _rewritten(after) != after
        found.append(Outcome(program, after, what, printed, python, unstable, broken or ""))
    return found


def real(text: str, method: str = "spawn", python: str = sys.executable) -> str:
    """What the program prints where its children are started by `python` itself; `method` "": by its default."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, PATH).write_text(text, encoding="utf-8")
        environment = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(SITE),
            "HARNESS_START_METHOD": method,
        }
        command = [python, PATH]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        ending = done.stderr.rstrip().rpartition("\n")[2].partition(":")[0].rpartition(".")[2]
        return done.stdout + (f"ended by {ending}\n" if done.returncode else "")


def _planned(text: str) -> tuple[str, Plan]:
    result = plan(MemoryFiles({PATH: text.encode()}), Settings(confidence=Confidence.POSSIBLE))
    data = result.contents.get(PATH)
    return (text if data is None else data.decode()), result


def _rewritten(text: str) -> str:
    return _planned(text)[0]


def _printed(pairs: Sequence[tuple[str, str]], python: str) -> list[tuple[str, str, str]]:
    """Before under fork, after under fork and under spawn; the same three times where nothing is rewritten."""
    jobs = [job for before, after in pairs if before != after for job in _jobs(before, after)]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    torch = any("\nimport torch\n" in before for before, _ in pairs)
    command = [python, str(RUNNER), *(["torch"] if torch else [])]
    done = subprocess.run(command, input=json.dumps(jobs), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = iter(json.loads(done.stdout))
    return [
        (next(printed), next(printed), next(printed)) if before != after else ("", "", "") for before, after in pairs
    ]


def _jobs(before: str, after: str) -> list[tuple[str, str]]:
    return [(before, "fork"), (after, "fork"), (after, "spawn")]
