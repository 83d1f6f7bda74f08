"""Runs many small distributed programs for the price of one import of torch: each rank is a fork that runs a script.

`python forked_ranks.py < jobs.json` prints the outputs as JSON. A job is {"folder", "script", "ranks", "env"}; the
programs find where to meet in the environment as INIT_METHOD, RANK and WORLD_SIZE, and end without the interpreter's
end, in which gloo's threads race.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

PATIENCE = 300  # seconds for one program
_LAST = 60  # seconds that a rank waits for the others at its end


def _rank(job: dict[str, Any], rank: int, meeting: str, output: Path) -> None:
    """One rank, in its own process; does not come back."""
    os.chdir(job["folder"])
    with output.open("w") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    os.environ.update(job["env"], RANK=str(rank), WORLD_SIZE=str(job["ranks"]), INIT_METHOD=f"file://{meeting}")
    sys.path.insert(0, job["folder"])
    sys.argv = [job["script"]]
    code = 1
    try:
        runpy.run_path(job["script"], run_name="__main__")
        code = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    _wait_for_others(Path(meeting), rank, job["ranks"])
    os._exit(code)


def _wait_for_others(meeting: Path, rank: int, ranks: int) -> None:
    """A rank that ends, or fails as it should, while another still connects makes that one fail otherwise."""
    ends = [meeting.with_name(f"{each}.end") for each in range(ranks)]
    ends[rank].touch()
    latest = time.monotonic() + _LAST
    while time.monotonic() < latest and not all(end.exists() for end in ends):
        time.sleep(0.01)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """The exit codes and outputs of the ranks of `job`."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, f"{rank}.txt") for rank in range(job["ranks"])]
        children = []
        for rank, output in enumerate(outputs):
            child = os.fork()
            if child == 0:
                import signal

                signal.alarm(PATIENCE)
                _rank(job, rank, f"{folder}/meeting", output)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        return {"codes": codes, "outputs": [output.read_text() for output in outputs]}


if __name__ == "__main__":
    import torch
    import torch.distributed
    import torch.optim.swa_utils

    torch.set_num_threads(1)
    print(json.dumps([run(job) for job in json.load(sys.stdin)]))
