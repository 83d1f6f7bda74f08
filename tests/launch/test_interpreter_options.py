"""Options of Python itself before `-m torch.distributed.launch`."""

from __future__ import annotations

from codemods.launch.bash import read
from codemods.launch.lines import launch_lines
from harness.each_row import each_row


@each_row("options", ["", "-u ", "-X dev ", "-W ignore ", "-u -X dev -W error "])
def test_the_line_starts_at_the_interpreter(options: str) -> None:
    text = f"nice python {options}-m torch.distributed.launch a.py\n"
    (line,) = launch_lines(read("run.sh", text))
    assert line.interpreter is not None and line.interpreter.text == "python"
    assert " ".join(each.text for each in line.interpreter_flags) == options.strip()


@each_row(
    ("line", "starts"),
    [
        ("torchrun a.py", True),
        ("nice -n 5 torchrun a.py", True),
        ("env A=1 torchrun a.py", True),
        ("python torchrun a.py", False),
        ("python3 -u torchrun a.py", False),
        ("prepare.py torchrun a.py", False),
        ("python bin/torchrun a.py", True),  # the launcher itself, run by its path
        ("python -m torch.distributed.run a.py", True),
    ],
)
def test_whether_a_launcher_may_stand_there(line: str, starts: bool) -> None:
    assert bool(launch_lines(read("run.sh", f"{line}\n"))) is starts
