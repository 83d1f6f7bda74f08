"""Scripts that code in a text imports: `python -c "import job"`, `timeit`. A guard would leave them without effect."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "main-guard"
JOB = "from multiprocessing import Process\n\np = Process(target=print, args=(3,))\np.start()\np.join()\n"
IMPORTING = {
    "run.py": 'import subprocess\nimport sys\n\nsubprocess.run([sys.executable, "-c", "import job"])\n',
    "start.py": "import os\n\nos.system(\"python -c 'import sys; import job'\")\n",
    "time_it.py": 'import timeit\n\ntimeit.timeit("p.exitcode", setup="from job import p")\n',
    "escape.py": '"""Runs it."""\nimport subprocess\n\nCODE = "x = 1\\nfrom job import p"\nexec(CODE, {})\n',
    "below.py": '"""Runs it."""\nimport subprocess\n\nCODE = """\nx = 1\nimport job\n"""\nexec(CODE, {})\n',
    "after_quote.py": "'It\\'s run.'\nimport sys\n\nexec('if 1: import job', {})  # 'quoted\n",
    "filled.py": '"""Runs it."""\nimport sys\n\nx = 1\nexec(f"{x}\\nimport job", {})\n',
    "go.sh": "#!/bin/sh\nset -e\npython3 -c 'import sys; from tools import job'\n",
    "Makefile": 'all:\n\tpython -c "import job"\n',
}
SPEAKING = {
    "run.py": 'print("can not import job")\n',
    "notes.py": '"""Usage:\n\n    import job, and wait\n"""\n',
    "go.sh": "#!/bin/sh\npython job.py -c 'import other'\n",
    "start.py": 'import os\n\nos.system("python job.py")\n',
}


@each_row("path", IMPORTING)
def test_a_text_imports_it(path: str) -> None:
    (reason,) = reasons({"job.py": JOB, path: IMPORTING[path]}, RULE)
    assert reason.startswith(f"{path} imports this file, so it may rely on what runs here")


@each_row("path", SPEAKING)
def test_a_text_speaks_of_it(path: str) -> None:
    assert [*migrated({"job.py": JOB, path: SPEAKING[path]}, RULE)] == ["job.py"]


def test_its_own_text_imports_it() -> None:
    own = JOB + "\nif __name__ == '__main__':\n    subprocess.run([sys.executable, '-c', 'import job; print(job.p)'])\n"
    (reason,) = reasons({"job.py": "import subprocess\nimport sys\n" + own}, RULE)
    assert reason.startswith("job.py imports this file, so it may rely on what runs here")


STAGE = (
    "import multiprocessing as mp\nimport jobs\n\np = mp.Process(target=jobs.work)\np.start()\np.join()\nRESULT = 3\n"
)


@each_row(
    ("script", "reported_at_all"),
    [
        ("def main():\n    import stage\n    print(stage.RESULT)\n", False),
        ("import runpy\nif __name__ == '__main__':\n    runpy.run_path('stage.py')\n", False),
        ("import stage\n", True),
        ("import runpy\nrunpy.run_path('stage.py')\n", True),
        ("print(1)\n", True),
    ],
)
def test_a_file_that_is_only_imported_later_and_defines_nothing(script: str, reported_at_all: bool) -> None:
    """Workers of who imports it import neither: what it sends is defined elsewhere."""
    files = {"stage.py": STAGE, "jobs.py": "def work():\n    print(1)\n", "run.py": script}
    assert bool(reported(files, "main-guard")) is reported_at_all
