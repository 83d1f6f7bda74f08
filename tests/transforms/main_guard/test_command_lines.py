"""State that a command of click or typer sets in the main process: the command runs where its group is called."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

STATE = """\
from multiprocessing import Pool

words = []


def work(n):
    return words[n]


def load(path):
    global words
    words = list(open(path))


def show():
    with Pool(2) as pool:
        print(pool.map(work, [1]))
"""
GROUP = "import click\n\n\n@click.group()\ndef cli():\n    pass\n\n\n"
OTHERS = GROUP.replace("cli", "others")
APP = "import typer\n\napp = typer.Typer()\n\n\n"
RUN = "def run(path):\n    load(path)\n    show()\n\n\n"
MAIN = 'if __name__ == "__main__":\n    {}()\n'
USES = "from state import load, show\n"


@each_row(
    ("text", "found"),
    [
        (f"{GROUP}@cli.command()\n{RUN}{MAIN.format('cli')}", True),
        (f"{GROUP}@cli.command\n{RUN}{MAIN.format('cli')}", True),
        (f"{GROUP}@click.command()\n{RUN}cli.add_command(run)\n{MAIN.format('cli')}", True),
        (f"{GROUP}@cli.group()\ndef data():\n    pass\n\n\n@data.command()\n{RUN}{MAIN.format('cli')}", True),
        (f"{APP}@app.command()\n{RUN}{MAIN.format('app')}", True),
        (f"{GROUP}@cli.command()\n{RUN}def main():\n    cli()\n\n\n{MAIN.format('main')}", True),
        (f"{GROUP}{OTHERS}@others.command()\n{RUN}{MAIN.format('cli')}", False),
        (f"{GROUP}@cli.command()\n{RUN}", False),
        (f"{GROUP}@cli.command()\n{RUN}cli()\n", False),  # an import runs it too
        (f"{GROUP}@cli.helper()\n{RUN}{MAIN.format('cli')}", False),
    ],
)
def test_a_command(text: str, found: bool) -> None:
    files = {"state.py": STATE, "main.py": USES + text}
    assert [each.path for each in reported(files, "main-guard") if "`words`" in each.message] == ["state.py"] * found


def test_a_command_of_another_file() -> None:
    files = {
        "state.py": STATE,
        "commands.py": f"import click\n{USES}\n\n@click.command()\n{RUN}",
        "main.py": f"import commands\n{GROUP}cli.add_command(commands.run)\n{MAIN.format('cli')}",
    }
    assert [each.path for each in reported(files, "main-guard")] == ["state.py"]
    files["main.py"] = files["main.py"].replace("cli.add_command(commands.run)", "print(commands.run)")
    assert reported(files, "main-guard") == []


TWO = """\
@{app}.command()
def fetch(path):
    load(path)


@{app}.command()
def run(path):
    {first}
    show()


"""


@each_row(
    ("text", "found"),
    [
        (GROUP + TWO.format(app="cli", first="pass") + MAIN.format("cli"), False),
        (APP + TWO.format(app="app", first="pass") + MAIN.format("app"), False),
        (
            GROUP
            + TWO.format(app="cli", first="pass")
            + MAIN.format("cli").replace("cli()", "cli(['fetch'], standalone_mode=False)\n    cli(['run'])"),
            True,
        ),
        (GROUP + TWO.format(app="cli", first="fetch.callback(path)") + MAIN.format("cli"), True),
        (
            GROUP + TWO.format(app="cli", first="click.get_current_context().invoke(fetch)") + MAIN.format("cli"),
            True,
        ),
        (
            GROUP.replace("group()", "group(chain=True)") + TWO.format(app="cli", first="pass") + MAIN.format("cli"),
            True,
        ),
        (
            GROUP.replace("    pass", "    load('words')") + TWO.format(app="cli", first="pass") + MAIN.format("cli"),
            True,
        ),
        (
            APP
            + "@app.callback()\ndef start(path):\n    load(path)\n\n\n@app.command()\ndef run():\n    show()\n\n\n"
            + MAIN.format("app"),
            True,
        ),
    ],
)
def test_one_of_two_commands(text: str, found: bool) -> None:
    files = {"state.py": STATE, "main.py": USES + text}
    assert bool(reported(files, "main-guard")) is found
