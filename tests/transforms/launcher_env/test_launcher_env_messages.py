"""launcher-env: the message and the place are those of the whole read."""

from __future__ import annotations

import pytest

from harness.small import reported


@pytest.mark.parametrize("read", ["os.environ['LOCAL_RANK']", "os.environ[\n    'LOCAL_RANK'\n]"])
def test_the_read_is_quoted(read: str) -> None:
    text = f"import os\nimport torch\n\nx = {read}\ntorch.cuda.set_device(int(x))\n"
    (finding,) = reported({"train.py": text}, "launcher-env")
    assert finding.message.replace(" ", "").startswith(f"`{read}`raises".replace("\n", "").replace(" ", ""))
    last = read.splitlines()[-1]
    assert (finding.span.line, finding.span.end_line) == (4, 4 + read.count("\n"))
    assert finding.span.end_column == len(last) + (5 if "\n" not in read else 1)
