"""Where the flow sees a function asked for what only functions have."""

from __future__ import annotations

from codemods.flow.answers.crossings import flow_of
from codemods.flow.facts.records import project_facts
from codemods.project import Project
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

MAKER = b"""\
import functools
import types
from show import show


def build(scale):
    seen = lambda x: x * scale
    show(seen)
    quiet = lambda x: x * scale
    wrapped = lambda x: x * scale
    functools.wraps(wrapped)
    looked_at = lambda x: x * scale
    isinstance(looked_at, (int, types.LambdaType))
    isinstance(quiet, int)
    return [quiet]
"""


def test_questions_are_followed_across_files() -> None:
    project = Project(MemoryFiles({"maker.py": MAKER, "show.py": b"def show(fn):\n    print(fn.__name__)\n"}))
    flow = flow_of(project)
    lambdas = {fact.position[0]: fact.position[1] for fact in project_facts(project)["maker.py"].functions}
    seen = flow.asked("maker.py", 7, lambdas[7])
    assert [(q.what, q.path, q.line) for q in seen] == [("__name__", "show.py", 2)]
    assert [q.what for q in flow.asked("maker.py", 10, lambdas[10])] == ["functools.wraps"]
    assert [q.what for q in flow.asked("maker.py", 12, lambdas[12])] == ["isinstance"]
    assert flow.asked("maker.py", 9, lambdas[9]) == []


@each_row(
    "start",
    [
        "mp.Process(target=show, args=(3, fn))",
        "mp.Process(None, show, 'name', (), {'fn': fn})",
        "threading.Thread(target=show, kwargs={'number': 3, 'fn': fn})",
        "mp.spawn(show, args=(fn,), nprocs=2)",
        "mp.Pool(2, initializer=show, initargs=(3, fn))",
        "mp.Pool(2).apply_async(show, (3, fn))",
        "mp.Pool(2).starmap(show, [(3, fn)])",
        "mp.Pool(2).map(functools.partial(show, 3), [fn])",
        "ProcessPoolExecutor(2).submit(show, 3, fn=fn)",
        "ProcessPoolExecutor(2).map(functools.partial(show, 3), [fn])",
    ],
)
def test_what_starts_another_process_or_thread_calls_its_target(start: str) -> None:
    maker = (
        "import functools\nimport threading\nimport torch.multiprocessing as mp\n"
        "from concurrent.futures import ProcessPoolExecutor\nfrom show import show\n\n"
        f"def run(scale):\n    fn = lambda x: x * scale\n    {start}\n"
    )
    show = b"def show(number, fn):\n    print(fn.__name__)\n"
    flow = flow_of(Project(MemoryFiles({"maker.py": maker.encode(), "show.py": show})))
    assert [(q.what, q.path, q.line) for q in flow.asked("maker.py", 8, 9)] == [("__name__", "show.py", 2)]
