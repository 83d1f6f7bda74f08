"""Rules in processes of their own, `--jobs N`. What they find is the same as in one process, in the same order.

Rules that follow values share one analysis, so they stay together here; the others go to whoever is free. A process
that fails, for whatever reason, costs time only: its rules run here then.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..new_process import code_to_call
from ..operating_system import cores
from ..rule import Rule
from .look import Look, beyond_limits
from .worker import Job, Wanted, receive, send

if TYPE_CHECKING:
    from ..project import Project
    from .run import Run

PAYS = 2_000_000  # characters of Python below which another process takes longer to start than it saves
MOST = 4  # processes that are worth their memory: there are not more rules to share


def number_of(jobs: int, size: int) -> int:
    """How many processes to use: as many as asked for, or (0) what pays for `size` characters of Python."""
    if jobs:
        return jobs
    return min(cores(), MOST) if size >= PAYS else 1


class Helpers:
    """The processes of one run, and who has which rule. Rules that no process has taken yet can be claimed."""

    def __init__(self, rules: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._read = read
        self._free = list(rules)
        self._looks: dict[str, Look | None] = {}  # None: it has to be done here after all
        self._taken: set[str] = set()
        self._changed = threading.Condition()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def start(self, job: Job, number: int) -> None:
        """Start `number` processes at work on `job`."""
        for _ in range(min(number, len(self._free))):
            with contextlib.suppress(OSError, RuntimeError):  # no more processes, no more threads
                process = subprocess.Popen(
                    _command(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=None if os.environ.get("SPAWNFIX_DEBUG") else subprocess.DEVNULL,
                )
                self._processes.append(process)
                threading.Thread(target=self._feed, args=(process, job), daemon=True).start()

    def mine(self, rule: str) -> bool:
        """True when no process has taken `rule`, and none will: it is the caller's."""
        with self._changed:
            if rule in self._free:
                self._free.remove(rule)
                return True
            return rule not in self._taken

    def look(self, rule: str) -> Look | None:
        """What a process made of `rule`, once it is done; None when it has to be done here."""
        with self._changed:
            self._changed.wait_for(lambda: rule in self._looks or rule not in self._taken)
            return self._looks.get(rule)

    def first_look(self, rule: str) -> Look | None:
        """As `look`, where that is still of use: no process has it, or it was not done, or saw too much."""
        look = None if self.mine(rule) else self.look(rule)
        return look if look is not None and not look.limited else None

    def close(self) -> None:
        """End all processes; what they have not done is the caller's."""
        with self._changed:
            self._closed = True
            self._free.clear()
            self._taken.clear()
            self._looks.clear()
            self._changed.notify_all()
        for process in self._processes:
            process.kill()
            process.wait()
        self._processes.clear()

    def _feed(self, process: subprocess.Popen[bytes], job: Job) -> None:
        """Pass rules to `process` until none is left."""
        assert process.stdin is not None
        assert process.stdout is not None
        rule = ""
        try:
            with process.stdin as requests, process.stdout as answers:
                send(requests, job)
                while rule := self._next():
                    send(requests, rule)
                    while isinstance(answer := receive(answers), Wanted):
                        send(requests, self._asked(answer))
                    self._done(rule, answer)
        except Exception:  # it ended, or can't be understood
            self._done(rule, None)

    def _asked(self, question: Wanted) -> bytes | OSError:
        try:
            return self._read(question.path)
        except OSError as error:
            return error

    def _next(self) -> str:
        with self._changed:
            if self._closed or not self._free:
                return ""
            rule = self._free.pop(0)
            self._taken.add(rule)
            return rule

    def _done(self, rule: str, look: object) -> None:
        with self._changed:
            if rule in self._taken:
                self._looks[rule] = look if isinstance(look, Look) else None
            self._changed.notify_all()


@contextlib.contextmanager
def helpers(run: Run, test: bool, rules: Iterable[Rule], jobs: int) -> Iterator[Helpers | None]:
    """Processes beside this one for those of `rules` that may run there; None when there is nothing to share.

    `test`: fixes are tried, as `check` does.
    """
    job = job_of(run, test)
    sizes = (len(data) for path, data in job.contents.items() if path.endswith(".py"))
    number = number_of(jobs, sum(sizes))
    shared = [rule.id for rule in rules if not rule.follows_values and rule.python2 is None and _ours(rule)]
    if number < 2 or not shared or not sys.executable:
        yield None
        return
    others = Helpers(shared, run.files.read)
    try:
        others.start(job, number - 1)
        yield others
    finally:
        others.close()


def job_of(run: Run, test: bool) -> Job:
    """What `run` looks at, after it has screened the files. `test`: fixes are tried, as `check` does."""
    entries, contents = tuple(run.files.entries()), run.files.kept
    return Job(run.files.root, entries, contents, run.settings, run.scope, run.careful, run.proven_texts, test)


def all_looks(run: Run, project: Project, jobs: int, known: Mapping[str, Look]) -> dict[str, Look] | None:
    """What each of the rules makes of `project`, in their order; None where it depends on who looks when.

    `known`: what is known already.
    """
    active = run.active_rules(project)
    todo = [rule for rule in active if rule.id not in known]
    looks = {rule.id: known[rule.id] for rule in active if rule.id in known}
    with helpers(run, True, todo, jobs) as others:
        for rule in todo if others is None else sorted(todo, key=lambda rule: not rule.follows_values):
            if others is None or others.mine(rule.id):
                looks[rule.id] = run.look(rule, project, test=True)
        for rule in todo:
            if others is not None and rule.id not in looks:
                looks[rule.id] = others.look(rule.id) or run.look(rule, project, test=True)
    in_order = others is None and not known
    if not in_order and beyond_limits(looks.values()):
        return None
    return {rule.id: looks[rule.id] for rule in active}


def _ours(rule: Rule) -> bool:
    """The other process finds the same rule under its id: it is none of the repository's, nor of the user's."""
    from ..transforms import rules

    known = rules().get(rule.id)
    return known is not None and known.documentation == rule.documentation and known.screen == rule.screen


def _command() -> list[str]:
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    options = ["-I", *(["-B"] if sys.dont_write_bytecode else [])]
    if sys.pycache_prefix:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return [sys.executable, *options, "-c", code_to_call("engine.worker", "serve", path)]
