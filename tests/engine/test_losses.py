"""Fixes after which a worker would run, and silently go on without state of the main process, are unsafe."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest

from codemods.engine import run
from codemods.engine.losses import held_back
from codemods.engine.migrate import check, plan
from codemods.finding import Confidence, Edit, Finding, Fix, Hop, Span
from codemods.project import Project
from codemods.rule import Loss, Rule
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row
from harness.small import migrated

LOCK = """\
import threading
import numpy as np
from multiprocessing import Process

scale = 1

class Sampler:
    def __init__(self):
        self.lock = threading.Lock()

    def draw(self, n):
        with self.lock:
            print({read})

def main():
    global scale
    {change}
    Process(target=Sampler().draw, args=(1,)).start()

if __name__ == "__main__":
    main()
"""


@each_row(
    ("change", "read", "held"),
    [
        ("np.random.seed(4)", "np.random.rand()", True),
        ("np.random.seed(4)", "n", False),
        ("pass", "np.random.rand()", False),
        ("scale = int(input())", "n * scale", True),
        ("scale = int(input())", "n", False),
    ],
)
def test_a_lock_on_an_object_whose_worker_depends_on_the_parent(change: str, read: str, held: bool) -> None:
    files = MemoryFiles({"a.py": LOCK.format(change=change, read=read).encode()})
    found = [each for each in check(files, Settings()).findings if each.rule == "unpicklable-attributes"]
    assert [each.fix is not None and each.fix.unsafe is not None for each in found] == [held]
    alone = check(files, Settings(select=("unpicklable-attributes",))).findings  # without the rule that reports it
    assert [each.fix is not None and each.fix.unsafe is not None for each in alone] == [held]
    if held:
        assert found[0].fix is not None and "go on without" in (found[0].fix.unsafe or "")


@pytest.mark.parametrize(
    ("read", "held"),
    [
        ("dist.get_rank()", False),
        ("dist.get_rank() if dist.is_initialized() else 0", True),
        ("dist.is_initialized()", True),
    ],
)
def test_a_worker_that_stops_without_the_state_goes_on_with_nothing(read: str, held: bool) -> None:
    change = "dist.init_process_group('gloo')"
    text = "import torch.distributed as dist\n" + LOCK.format(change=change, read=read)
    assert bool(migrated({"a.py": text}, "unpicklable-attributes")) != held


def test_a_method_of_an_object_that_the_worker_gets() -> None:
    text = (
        "import helpers\nfrom multiprocessing import Process\n\nclass Judge:\n    def __init__(self, bonus):\n"
        "        self.bonus = lambda x: x + bonus\n\n    def rate(self, x):\n"
        "        return self.bonus(helpers.score(x))\n\n"
        "def strict(x):\n    return -x\n\ndef child(judge):\n    print(judge.rate(1))\n\n"
        "if __name__ == '__main__':\n    helpers.score = strict\n    Process(target=child, args=(Judge(3),)).start()\n"
    )
    files = {"helpers.py": "def score(x):\n    return x\n", "a.py": text}
    assert migrated(files, "lambdas") == {}
    assert migrated({**files, "a.py": text.replace("    helpers.score = strict\n", "")}, "lambdas")


def test_a_guard_alone_does_not_mend_a_script_whose_workers_lack_more() -> None:
    text = (
        "import shutil\nfrom multiprocessing import Process\n\nstats = {'jobs': 0}\nshutil.rmtree('out')\n\n"
        "def job(n):\n    stats['jobs'] += n\n    print(stats['jobs'])\n\n"
        "if __name__ == '__main__':\n    stats['jobs'] = 10\n"
        "    Process(target=job, args=(3,)).start()\n"
    )
    assert migrated({"a.py": text}, "main-guard") == {}
    assert migrated({"a.py": text.replace("    stats['jobs'] = 10\n", "")}, "main-guard")


def test_a_guard_that_would_keep_a_change_from_workers() -> None:
    """In the script as it is each child makes the change itself; under the guard none would."""
    text = (
        "from multiprocessing import Pool\n\nclass Model:\n    def run(self, n):\n        return n\n\n"
        "def work(n):\n    return Model().run(n)\n\nprint('start')\nModel.run = lambda self, n: n * 10\n"
        "with Pool(1) as pool:\n    print(pool.map(work, [3, 7]))\n"
    )
    assert migrated({"a.py": text}, "main-guard") == {}
    without = text.replace("Model.run = lambda self, n: n * 10\n", "")
    assert migrated({"a.py": without}, "main-guard")["a.py"] != without


def test_only_the_fix_of_a_trace_that_ends_there_is_held_back() -> None:
    def finding(fix: Fix | None, *trace: Hop) -> Finding:
        reason = None if fix else "used twice"
        return Finding("lambdas", "a.py", Span(1, 1, 1, 2), "it crosses", Confidence.PROVEN, trace, fix, reason)

    here, there, ours = Hop("a.py", 9, "sent"), Hop("b.py", 9, "sent"), Fix("move it", ())
    risky = Fix("move that", (), unsafe="it may raise")
    found = [finding(ours, there, here), finding(risky, here), finding(None, here), finding(Fix("none", ()))]
    found.append(finding(Fix("elsewhere", ()), here, there))
    losses = [Loss("a.py", 9, "it has no seed"), Loss("a.py", 9, "nor a name"), Loss("a.py", 1, "no more")]
    held, *rest = held_back(found, losses)
    assert held.fix is not None and held.fix.unsafe is not None and held.fix.unsafe.endswith(": it has no seed")
    assert rest == found[1:]
    assert held_back(found, []) == found


def test_a_lambda_stays_where_the_script_goes_on_without_its_processes() -> None:
    """Each child would import the script and stop there, and the script asks no child how it ended."""
    text = (
        "import atexit\nfrom multiprocessing import Process\n\n@atexit.register\ndef report():\n    print('end')\n\n"
        "p = Process(target=lambda n: print(n), args=(1,))\np.start()\np.join()\nprint(p.exitcode)\n"
    )
    assert migrated({"a.py": text}, "lambdas") == {}
    assert migrated({"a.py": text.replace("@atexit.register\n", "")}, "lambdas")


def test_a_guard_where_an_imported_file_prints() -> None:
    files = {
        "data.py": "import deep\n\ndef rows(n):\n    return n\n",
        "deep.py": "print(len('loaded'))\n",
        "a.py": "from multiprocessing import Pool\nimport data\n\nPool(1).map(data.rows, [1])\n",
    }
    assert migrated(files, "main-guard") == {}
    others = ("def show():\n    print(len('ab'))\n", "if __name__ == '__main__':\n    print(len('ab'))\n")
    for other in (*others, "print('loaded')\n"):  # a line that is always the same does no harm once more
        assert migrated({**files, "deep.py": other}, "main-guard")
    later = files["data.py"].replace("import deep\n", "").replace("    return", "    import deep\n    return")
    assert migrated({**files, "data.py": later}, "main-guard")


MANY = """\
import multiprocessing as mp
import numpy as np


def work(x):
    return np.random.rand()


def start():
    np.random.seed(3)
    mp.Process(target=work, args=(1,)).start()
"""


def _scripts(number: int, jobs: str) -> dict[str, bytes]:
    files = {f"run{at}.py": b"from lab import jobs\n\njobs.start()\n" for at in range(number)}
    return {"lab/__init__.py": b"", "lab/jobs.py": jobs.encode(), **files}


def test_fixes_that_are_right_alone_and_not_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    files = _scripts(24, MANY.replace("    np.random.seed(3)\n", ""))

    def losses_of(losing: object, project: Project, at: object = None) -> list[Loss]:
        guarded = [path for path in files if project.holds(path, "__main__")]
        return [Loss("lab/jobs.py", 11, "np.random.rand")] if len(guarded) == 24 else []

    monkeypatch.setattr(run, "losses_of", losses_of)
    done = plan(MemoryFiles(files), Settings(select=("main-guard",)))
    assert len(done.contents) == 23
    (left,) = (each for each in done.remaining if each.path.startswith("run"))
    assert left.fix is None and "np.random.rand" in (left.reason or "")


def test_fixes_that_each_lose_something() -> None:
    done = plan(MemoryFiles(_scripts(3, MANY)), Settings(select=("main-guard",)))
    assert not done.contents
    reasons = {each.path: each.reason or "" for each in done.remaining}
    assert reasons.keys() == {"run0.py", "run1.py", "run2.py"}
    assert all("np.random.rand" in reason and "line 10 of lab/jobs.py" in reason for reason in reasons.values())


UNGUARDED = """\
import multiprocessing as mp

import sizes


def work(row):
    return row * sizes.SIZE


with mp.Pool(2) as pool:
    print(pool.map(work, [1, 2]))
"""


@pytest.mark.parametrize("said", ["print(len('sizes'))", "print(len('sizes'))\nprint(len('are read'))"])
def test_what_check_promises_for_unsafe_fixes_is_done(said: str) -> None:
    """What the import prints comes once more from each worker: the user may accept that, and `migrate` does then."""
    files = {"sizes.py": f"{said}\nSIZE = 2\n", "train.py": UNGUARDED}
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    (found,) = check(contents, Settings(select=("main-guard",))).findings
    assert found.fix is not None and "prints when it is imported" in (found.fix.unsafe or "")
    assert not migrated(files, "main-guard")
    assert 'if __name__ == "__main__":' in migrated(files, "main-guard", unsafe_fixes=True)["train.py"]


def marked(looks: list[tuple[str, ...]], loss: Loss, below: int) -> Rule:
    """A rule that takes `BAD(n)` apart. Workers lose `loss` once fewer than so many are left, or the first is fixed."""

    def find(project: Project) -> Iterator[Finding]:
        texts = [source.text for path in project.paths if (source := project.source(path)) is not None]
        looks.append(tuple(texts))
        for path, text in zip(project.paths, texts, strict=True):
            for match in re.finditer(r"BAD\((\d+)\)", text):
                span = Source(path, text).span(*match.span())
                fix = Fix(f"Take {match[1]} out", (Edit(path, *match.span(), match[1]),))
                yield Finding("marks", path, span, f"bad {match[1]}", Confidence.PROVEN, fix=fix)

    def losses(project: Project, at: object = None) -> Iterator[Loss]:
        texts = "".join(source.text for path in project.paths if (source := project.source(path)) is not None)
        if texts.count("BAD") < below or "BAD(0)" not in texts:
            yield loss

    return Rule("marks", "Find marks", re.compile(rb"BAD"), find, losses=losses)


@each_row(
    ("path", "some", "lets"),
    [
        ("more/other.py", True, True),  # there was no room to see it before
        ("more/other.py", False, False),
        ("imported/jobs.py", True, False),  # one program runs both
        ("beside.py", True, False),
        ("a.py", True, False),  # a fix writes there
        ("a.py", False, False),
    ],
)
def test_a_loss_elsewhere_that_there_was_no_room_for(path: str, some: bool, lets: bool) -> None:
    rule = marked([], Loss(path, 1, "it is lost", some=some), 1)
    others = dict.fromkeys(("beside.py", "imported/__init__.py", "imported/jobs.py", "more/other.py"), b"y = 1\n")
    files = MemoryFiles({"a.py": b"import imported.jobs\nx = BAD(0)\n", **others})
    assert bool(plan(files, Settings(), rules={"marks": rule}).changes) is lets


@pytest.mark.parametrize("count", [10, 40, 160])
def test_fixes_that_fail_together_are_looked_at_once(count: int) -> None:
    """Each look may solve the flow of the whole project again."""
    looks: list[tuple[str, ...]] = []
    files = MemoryFiles({f"m{number}.py": f"x = BAD({number})\n".encode() for number in range(count)})
    done = plan(files, Settings(), rules={"marks": marked(looks, Loss("m0.py", 1, "it is lost"), 0)})
    assert [finding.path for finding in done.remaining] == ["m0.py"]
    failed = [look for look in looks if not any("BAD(0)" in text for text in look)]
    assert len(failed) == len(set(failed)), "the same fixes were tried again"
    assert len(looks) <= 2 * math.log2(count) + 5
