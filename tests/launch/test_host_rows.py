"""Where shell text stands: a row for each kind of file and each form of a command in it, with its place in the file."""

from __future__ import annotations

from codemods.launch import containers
from codemods.launch.containers import MENTIONS, host_of, scripts
from codemods.launch.hosts import Host
from harness.each_row import each_row


@each_row(
    ("path", "text", "found", "folders"),
    [
        ("Makefile", "t:\n\t@torchrun a.py\n", [("torchrun a.py", 2)], ()),
        ("Makefile", "t:\n\t-@ torchrun \\\n\t\ta.py\n", [("torchrun a.py", 2)], ()),
        ("Makefile", "t:\n\ttorchrun $(F) $$G $< a.py\n", [("torchrun ${F} _$G $@ a.py", 2)], ()),
        ("Makefile", "X = torchrun a.py\n", [], ()),
        ("Makefile", "t:\n    torchrun a.py\n", [], ()),
        ("Dockerfile", "RUN torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("Dockerfile", "CMD torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("Dockerfile", "entrypoint torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("Dockerfile", "ENV torchrun a.py\n", [], ()),
        ("Dockerfile", "RUN --mount=a --network=b torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("Dockerfile", 'CMD ["torchrun", "a.py"]\n', [("torchrun a.py", 1)], ()),
        ("Dockerfile", "HEALTHCHECK --x=1 CMD torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("Dockerfile", "RUN cd b && \\\n# torchrun c.py\n  torchrun a.py\n", [("torchrun a.py", 3)], ("b",)),
        ("Dockerfile", "RUN git clone u/b && cd b && torchrun a.py\n", [("torchrun a.py", 1)], ("b",)),
        ("Makefile", "t:\n\tgit clone u/b; cd b; torchrun a.py\n", [("torchrun a.py", 2)], ("b",)),
        ("README.md", "```\ngit clone u/b.git\ncd b\ntorchrun a.py\n```\n", [("torchrun a.py", 4)], (".",)),
        ("Dockerfile", "# RUN torchrun a.py\n", [], ()),
        ("Dockerfile", "RUN ls\n", [], ()),
        ("README.md", "```bash\ntorchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```\n$ torchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```\n> torchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```\ntorchrun \\ \t\n a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```\ntorchrun \\ \r\n a.py\r\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```\n# torchrun a.py\n```\n", [], ()),
        ("README.md", "```\n(env) $ torchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```json\ntorchrun a.py\n```\n", [], ()),
        ("README.md", "```python\ntorchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```python\nprint('torchrun')\n```\n", [], ()),
        ("README.md", "```eval\ntorchrun a.py\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "```eval\nuse torchrun\n```\n", [], ()),
        ("README.md", "<pre><code>torchrun a.py\n</code></pre>\n", [("torchrun a.py", 1)], ()),
        ("README.md", "<pre>\ntorchrun a.py</pre>\n", [("torchrun a.py", 2)], ()),
        ("README.md", "<pre>all about torchrun</pre>\n", [], ()),
        ("README.md", "```\n<pre>\ntorchrun a.py</pre>\n```\n", [("torchrun a.py", 3)], ()),
        ("README.md", "~~~sh\ntorchrun a.py\n~~~\n", [("torchrun a.py", 2)], ()),
        ("README.md", "````\n```\ntorchrun a.py\n````\n", [("torchrun a.py", 3)], ()),
        ("README.md", "```torchrun a.py```\n", [("torchrun a.py", 1)], ()),
        ("README.md", "torchrun a.py\n", [], ()),
        ("README.md", "Main training: `torchrun a.py --id [b]`\n", [("torchrun a.py --id [b]", 1)], ()),
        ("README.rst", "Main training: ``torchrun a.py``, or\n", [("torchrun a.py", 1)], ()),
        ("README.md", "Use `torchrun` in place of `python a.py`.\n", [], ()),
        ("README.md", "`a.py` is started by `torchrun`, `b.py` is not.\n", [], ()),
        ("README.md", "```json\n`torchrun a.py`\n```\n", [("torchrun a.py", 2)], ()),
        ("README.md", "    torchrun a.py\n", [], ()),
        ("README.md", "torchrun --standalone a.py\n", [("torchrun --standalone a.py", 1)], ()),
        (
            "README.md",
            "> torchrun --standalone \\\n>  --nproc_per_node 2 a.py\n",
            [("torchrun --standalone --nproc_per_node 2 a.py", 1)],
            (),
        ),
        ("README.md", "> A=1 \\\\\\\n> torchrun -n 2 a.py\n", [("torchrun -n 2 a.py", 2)], ()),
        ("README.md", "1. Train:\n\n    > torchrun -n 2 a.py\n", [("torchrun -n 2 a.py", 3)], ()),
        ("README.md", "- $ torchrun -n 2 a.py\n", [("torchrun -n 2 a.py", 1)], ()),
        ("README.md", "torchrun -n starts `a.py`\n", [], ()),
        ("README.md", "torchrun -n and others\n", [], ()),
        ("README.md", "say torchrun -n 2 a.py\n", [], ()),
        ("README.md", "```diff\n- torchrun -n 2 a.py\n```\n", [], ()),
        ("README.md", "<!--\ntorchrun -n 2 a.py\n-->\n", [], ()),
        ("README.rst", "torchrun -n 2 a.py\n", [], ()),
        ("README.md", "```{.bash}\ntorchrun <path to> a.py\n```\n", [("torchrun _________ a.py", 2)], ()),
        ("README.md", "```\nX=<path to>\ntorchrun a.py\n```\n", [("torchrun a.py", 3)], ()),
        ("README.md", "```\nDon't wait\ntorchrun a.py\n```\n", [("torchrun a.py", 3)], ()),
        ("README.md", "```\nDon't wait, it's\ntorchrun a.py\nor it isn't\n```\n", [("torchrun a.py", 3)], ()),
        ("README.md", "```\nls 'b\ntorchrun a.py\n```\n", [("torchrun a.py", 3)], ()),
        (
            "README.md",
            "```\ntorchrun a.py\n(...\ntorchrun b.py\n```\n",
            [("torchrun a.py", 2), ("torchrun b.py", 4)],
            (),
        ),
        ("run.sh", "X=<path to>\ncd d\ntorchrun a.py\n", [("torchrun a.py", 3)], ("d",)),
        ("run.sh", "X=<...>/b\ntorchrun a.py --x $X\n", [("torchrun a.py --x $X", 2)], ()),
        (
            "run.sh",
            "torchrun \\\n a.py --x <p>\ntorchrun b.py\n",
            [("torchrun a.py --x ___", 1), ("torchrun b.py", 3)],
            (),
        ),
        ("run.sh", "for a in 1 2; do\n torchrun a.py\n", [("torchrun a.py", 2)], ()),
        ("run.sh", 'echo "b\ntorchrun a.py\n', [("torchrun a.py", 2)], ()),
        ("run.sh", "echo 'b\ntorchrun a.py\n'\n", [], ()),
        ("run.sh", "torchrun a.py <in >out 2>err\n", [("torchrun a.py", 1)], ()),
        ("run.sh", "torchrun a.py <in 2>err\n", [("torchrun a.py", 1)], ()),
        ("README.md", "> torchrun -n \\<GPUs+1> a.py \\<x\\>\n", [("torchrun -n _________ a.py _____", 1)], ()),
        ("README.md", "> ```sh\n> torchrun a.py\n> ```\n", [("torchrun a.py", 2)], ()),
        (
            "README.md",
            "```sh\ngit clone https://x.y/z/repo.git\ncd repo/\ntorchrun a.py\n```\n",
            [("torchrun a.py", 4)],
            (".",),
        ),
        ("README.md", "```sh\ncd other\ntorchrun a.py\n```\n", [("torchrun a.py", 3)], ("other",)),
        ("README.md", "```sh\ntorchrun a.py\n", [], ()),
        ("docs/use.rst", "Run::\n\n    torchrun a.py\n\nDone.\n", [("torchrun a.py", 3)], ()),
        ("docs/use.rst", ".. code-block:: bash\n\n   torchrun a.py\n", [("torchrun a.py", 3)], ()),
        ("docs/use.rst", ".. code:: python\n\n   torchrun a.py\n", [], ()),
        ("docs/use.rst", ".. note::\n\n   torchrun a.py\n", [], ()),
        (
            "docs/use.rst",
            ".. code-block::\n   :linenos:\n\n   torchrun a.py\n\n   torchrun b.py\nend\n",
            [("torchrun a.py", 4), ("torchrun b.py", 6)],
            (),
        ),
        ("run.sh", "torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("run.sh", "cat > job.sh << EOF\ntorchrun a.py\nEOF\n", [("torchrun a.py", 2)], ()),
        ("run.sh", "cat << 'EOF' >> job.slurm\ntorchrun $A a.py\nEOF\n", [("torchrun $A a.py", 2)], ()),
        ("run.sh", "cat << EOF >> job.slurm\ntorchrun \\$A a.py\nEOF\n", [("torchrun _$A a.py", 2)], ()),
        ("run.sh", "cat << EOF > job.txt\ntorchrun a.py\nEOF\n", [], ()),
        ("run.sh", "cat << EOF > job\n#!/bin/bash\ntorchrun a.py\nEOF\n", [("torchrun a.py", 3)], ()),
        ("run.sh", "cat << EOF\n#!/bin/bash\ntorchrun a.py\nEOF\n", [], ()),
        ("run.sh", "sbatch <<EOF\ntorchrun a.py\nEOF\n", [("torchrun a.py", 2)], ()),
        ("run.sh", "bash <<-EOF\n\ttorchrun a.py\n\tEOF\n", [("torchrun a.py", 2)], ()),
        ("run.sh", "ssh host bash <<EOF\ntorchrun a.py\nEOF\n", [], ()),
        ("run.sh", "# bash <<EOF\ntorchrun a.py\nEOF\n", [("torchrun a.py", 2)], ()),
        ("run.sh", "bash <<EOF\ntorchrun a.py\n", [], ()),
        ("run.sh", "bash <<EOF\nEOF\ntorchrun a.py\n", [("torchrun a.py", 3)], ()),
        ("job.yml", "run: torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("job.yml", "name: torchrun a.py\n", [], ()),
        ("job.yml", "run: |\n  cd b\n  torchrun a.py\n", [("torchrun a.py", 3)], ("b",)),
        ("job.yml", "run: >-\n  torchrun\n  a.py\nname: x\n", [("torchrun a.py", 2)], ()),
        ("job.yml", "run: torchrun\n  a.py\n", [("torchrun a.py", 1)], ()),
        ("job.yml", "run: 'torchrun a.py'\n", [("torchrun a.py", 1)], ()),
        ("job.yml", 'run: "torchrun a.py"\n', [("torchrun a.py", 1)], ()),
        ("job.yml", 'run: "torchrun \\"a.py\\""\n', [], ()),
        ("job.yml", "command: [torchrun, \"a.py\", '-b']\n", [("torchrun a.py -b", 1)], ()),
        ("job.yml", "command: [torchrun,\n  a.py]\n", [("torchrun a.py", 1)], ()),
        ("job.yml", "command:\n- torchrun\n- a.py\n", [("torchrun a.py", 2)], ()),
        ("job.yml", "command:\n  - torchrun\n  - 'a.py'\nargs:\n  - --b\nname: x\n", [("torchrun a.py --b", 2)], ()),
        ("job.yml", "script:\n  - cd b\n  - torchrun a.py\n", [("torchrun a.py", 3)], ()),
        ("job.yml", "script:\n  - |\n    torchrun a.py\n", [("torchrun a.py", 3)], ()),
        (
            "job.yml",
            "jobs:\n  a:\n    steps:\n      - name: x\n        run: torchrun a.py ${{ matrix.b }}\n",
            [("torchrun a.py $______________", 5)],
            (),
        ),
        ("job.yml", "# run: torchrun a.py\n", [], ()),
        ("job.yml", "'run': torchrun a.py\n", [("torchrun a.py", 1)], ()),
        ("job.yml", "env:\n  - torchrun a.py\n", [], ()),
        ("train", "#!/bin/bash\ntorchrun a.py\n", [("torchrun a.py", 2)], ()),
        ("train", "torchrun a.py\n", [], ()),
        ("a.txt", "torchrun a.py\n", [], ()),
    ],
)
def test_commands(path: str, text: str, found: list[tuple[str, int]], folders: tuple[str, ...]) -> None:
    """(words, line) of each command that starts the launcher; `folders` are the `cd` before the first."""
    host = host_of(path, text)
    commands = [
        command
        for script in (scripts(path, text, host) if host is not None else ())
        for command in script.commands
        if command.words and MENTIONS.search(command.words[0].text)
    ]
    assert [(" ".join(map(str, each.words)), text.count("\n", 0, each.start) + 1) for each in commands] == found
    for each in commands:
        assert text[each.start :].startswith("torchrun") or text[each.start :].startswith(('"torchrun', "'torchrun"))
        for word in each.words:
            if "$" not in word.text and "_" not in word.text:
                assert text[word.start : word.end] == word.text
            assert word.end - word.start == len(word.text)
    assert not commands or commands[0].folders == folders


@each_row(
    ("path", "start", "host"),
    [
        ("a.sh", "", Host.SCRIPT),
        ("b/a.bash", "", Host.SCRIPT),
        ("Makefile", "", Host.RECIPE),
        ("Dockerfile", "", Host.IMAGE),
        ("a.yaml", "", Host.WORKFLOW),
        ("a.yml", "", Host.WORKFLOW),
        ("a.md", "", Host.GUIDE),
        ("a.rst", "", Host.GUIDE),
        ("a.bat", "", Host.WINDOWS),
        ("a.ps1", "", Host.WINDOWS),
        ("run", "#!/bin/sh\n", Host.SCRIPT),
        ("run", "#!/usr/bin/env bash\n", Host.SCRIPT),
        ("run", "echo\n", None),
        ("a.b/run", "#!/bin/sh\n", Host.SCRIPT),
        ("run.x", "#!/bin/sh\n", None),
        ("a.py", "", None),
    ],
)
def test_hosts(path: str, start: str, host: Host | None) -> None:
    assert host_of(path, start) == host


@each_row(
    ("text", "found"),
    [
        ("X = python -m torch.distributed.launch", [("X", "torch.distributed.launch")]),
        ("export X := torch.distributed.launch -a", [("X", "torch.distributed.launch")]),
        ("X-1.b ?= torch.distributed.launch", [("X-1.b", "torch.distributed.launch")]),
        ("X += a\nY = torch.distributed.launch", [("Y", "torch.distributed.launch")]),
        ("\tX = torch.distributed.launch", []),
        ("X = torchrun", []),
        ("X: torch.distributed.launch", []),
    ],
)
def test_variables_of_a_makefile(text: str, found: list[tuple[str, str]]) -> None:
    assert [(name, text[start:end]) for start, end, name in containers.variables(text)] == found


@each_row(
    ("text", "count"),
    [
        ("python -m torch.distributed.launch a.py", 1),
        ("PYTHON -M TORCH.DISTRIBUTED.LAUNCH a.py", 1),
        ("rem python -m torch.distributed.launch a.py", 0),
        ("@REM python -m torch.distributed.launch a.py", 0),
        ("  :: python -m torch.distributed.launch a.py", 0),
        ("# python -m torch.distributed.launch a.py", 0),
        ("a\n\tpython -m  torch.distributed.launch a.py\nb", 1),
        ("python -m torch.distributed.run a.py", 0),
    ],
)
def test_lines_of_windows(text: str, count: int) -> None:
    spans = list(containers.windows(text))
    assert len(spans) == count
    for start, end in spans:
        assert text[start:end].lower().split() == ["-m", "torch.distributed.launch"]


@each_row(
    ("text", "directives", "found"),
    [
        ("Use torch.distributed.launch for it.\n", False, True),
        ("    torch.distributed.launch\n", False, False),
        ("Use it:\n    use torch.distributed.launch\n", False, False),
        ("\tuse torch.distributed.launch\n", False, False),
        ("```sh\nuse torch.distributed.launch\n```\n", False, False),
        ("```json\nuse torch.distributed.launch\n```\n", False, True),
        ("```sh\na\n```\nthen torch.distributed.launch\n", False, True),
        ("torch.distributed.launch\n", False, False),
        ("$ python -m torch.distributed.launch\n", False, False),
        ("A=1 python3 -m torch.distributed.launch\n", False, False),
        ("of torch.distributed.launch\n", False, False),
        ("Run::\n\n   use torch.distributed.launch\n", True, False),
        ("Run:\n\n   use torch.distributed.launch\n", True, True),
        ("Use torch.distributed.launcher.\n", False, False),
    ],
)
def test_sentences_of_a_guide(text: str, directives: bool, found: bool) -> None:
    spans = list(containers.prose(text, directives))
    assert bool(spans) is found
    assert all(text[start:end] == "torch.distributed.launch" for start, end in spans)
