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
