"""Scripts that code in a text imports: `python -c "import job"`, `timeit`. A guard would leave them without effect."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

RULE = "main-guard"
JOB = "from multiprocessing import Process\n\np = Process(target=print, args=(3,))\np.start()\np.join()\n"
IMPORTING = {
    "run.py": 'import subprocess\nimport sys\n\nsubprocess.run([sys.executable, "-c", "import job"])\n',
    "start.py": "import os\n\nos.system(\"python -c 'import sys; import job'\")\n",
    "time_it.py": 'import timeit\n\ntimeit.timeit("p.exitcode", setup="from job import p")\n',
    "go.sh": "#!/bin/sh\nset -e\npython3 -c 'import sys; from tools import job'\n",
    "Makefile": 'all:\n\tpython -c "import job"\n',
}
SPEAKING = {
    "run.py": 'print("can not import job")\n',
    "notes.py": '"""Usage:\n\n    import job, and wait\n"""\n',
    "go.sh": "#!/bin/sh\npython job.py -c 'import other'\n",
    "start.py": 'import os\n\nos.system("python job.py")\n',
}


@pytest.mark.parametrize("path", IMPORTING)
def test_a_text_imports_it(path: str) -> None:
    (reason,) = reasons({"job.py": JOB, path: IMPORTING[path]}, RULE)
    assert reason.startswith(f"{path} imports this file, so it may rely on what runs here")


@pytest.mark.parametrize("path", SPEAKING)
def test_a_text_speaks_of_it(path: str) -> None:
    assert [*migrated({"job.py": JOB, path: SPEAKING[path]}, RULE)] == ["job.py"]


def test_its_own_text_imports_it() -> None:
    own = JOB + "\nif __name__ == '__main__':\n    subprocess.run([sys.executable, '-c', 'import job; print(job.p)'])\n"
    (reason,) = reasons({"job.py": "import subprocess\nimport sys\n" + own}, RULE)
    assert reason.startswith("job.py imports this file, so it may rely on what runs here")
